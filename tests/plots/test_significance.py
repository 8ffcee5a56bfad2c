"""Figures of pairwise comparisons: what they show is what the tables say."""

import numpy as np
import pandas as pd
from readable_figures import check_readable

from genexpy_nb.plots.study import pairwise_matrix
from genexpy_nb.significance import compare_pairs


def scores(k, n=30):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(n, k)) + np.linspace(0, 3, k)
    return pd.DataFrame(values, columns=[f"m${i}$_a long name" for i in range(k)])


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
    pairs = compare_pairs(scores(30).add_prefix("some-long-owner/"), n_resamples=100, higher_is_better=True)
    fig = pairwise_matrix(pairs)
    fig.canvas.draw()
    ax = fig.axes[0]
    assert not ax.texts
    assert len(ax.collections[0].get_offsets()) == 2 * (pairs["p_adjusted"] <= 0.05).sum()
    assert ax.get_yticklabels()[0].get_text() == "m$29$_a long name  1"


def test_the_matrix_survives_identical_and_constant_alternatives():
    a = np.linspace(0, 1, 8)
    pairs = compare_pairs(pd.DataFrame({"a": a, "b": a, "c": a + 1}), n_resamples=100, higher_is_better=True)
    check_readable(pairwise_matrix(pairs))
    equal = compare_pairs(pd.DataFrame({"a": a, "b": a}), n_resamples=10, higher_is_better=True)
    check_readable(pairwise_matrix(equal))
