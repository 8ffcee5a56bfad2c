"""Figures of pairwise comparisons: what they show is what the tables say."""

import numpy as np
import pandas as pd
from readable_figures import check_readable

from genexpy_nb.plots.significance import (
    equivalence_intervals,
    pairwise_matrix,
)
from genexpy_nb.significance import compare_pairs, equivalent_pairs


def scores(k, n=30):
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        rng.normal(size=(n, k)) + np.linspace(0, 3, k), columns=[f"m${i}$_a long name" for i in range(k)]
    )


def test_the_matrix_shows_the_best_on_top_and_significant_cells_framed():
    table = scores(5)
    pairs = compare_pairs(table, higher_is_better=True, n_resamples=100)
    fig = pairwise_matrix(pairs)
    fig.canvas.draw()
    ax = fig.axes[0]
    order = [text.get_text() for text in ax.get_yticklabels()]
    assert order[0] == table.columns[4]
    row = pairs[(pairs["a"] == table.columns[0]) & (pairs["b"] == table.columns[4])].iloc[0]
    at = (order.index(row["b"]), order.index(row["a"]))
    assert {text.get_position(): text.get_text() for text in ax.texts}[at] == f"{row['estimate']:.2g}"
    assert len(ax.patches) == 2 * (pairs["p_adjusted"] <= 0.05).sum()
    colours = ax.images[0].get_array()
    assert colours[0, -1] > 0 > colours[-1, 0]


def test_the_matrix_of_many_alternatives_has_dots():
    pairs = compare_pairs(scores(30), n_resamples=100, higher_is_better=True)
    fig = pairwise_matrix(pairs)
    fig.canvas.draw()
    ax = fig.axes[0]
    assert not ax.texts
    assert len(ax.collections[0].get_offsets()) == 2 * (pairs["p_adjusted"] <= 0.05).sum()
    assert ax.get_yticklabels()[0].get_text() == "m$29$_a …ng name  1"


def test_the_matrix_survives_identical_and_constant_alternatives():
    a = np.linspace(0, 1, 8)
    pairs = compare_pairs(pd.DataFrame({"a": a, "b": a, "c": a + 1}), n_resamples=100, higher_is_better=True)
    check_readable(pairwise_matrix(pairs))
    equal = compare_pairs(pd.DataFrame({"a": a, "b": a}), n_resamples=10, higher_is_better=True)
    check_readable(pairwise_matrix(equal))


def test_equivalence_intervals_show_each_pair_where_it_lies():
    scores = pd.DataFrame(np.random.default_rng(0).normal([0.8, 0.8, 0.7], 0.02, (30, 3)), columns=["a", "$b$", "c"])
    pairs = equivalent_pairs(scores, rope=0.02, higher_is_better=True)
    ax = equivalence_intervals(pairs).axes[0]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a - $b$", "a - c", "$b$ - c"]
    bars, *points = ax.collections
    np.testing.assert_allclose(np.array(bars.get_segments())[:, :, 0], pairs[["low", "high"]])
    drawn = {dots.get_label(): dots for dots in points}
    assert set(drawn) == set(pairs["verdict"])
    for verdict, dots in drawn.items():
        chosen = np.flatnonzero(pairs["verdict"] == verdict)
        np.testing.assert_allclose(dots.get_offsets(), np.column_stack([pairs["estimate"].iloc[chosen], chosen]))
    assert "90 % interval" in ax.figure.get_supxlabel() and "0.02" in ax.figure.get_supxlabel()
