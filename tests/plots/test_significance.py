"""Figures of pairwise comparisons: what they show is what the tables say."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import scikit_posthocs

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.plots.significance import (
    critical_difference_diagram,
    equivalence_intervals,
    pairwise_matrix,
)
from genexpy_nb.significance import compare_pairs, equivalent_pairs, friedman, rank_tiers
from genexpy_nb.significance.wilcoxon import pairwise_wilcoxon


def scores(k, n=30):
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        rng.normal(size=(n, k)) + np.linspace(0, 3, k), columns=[f"m${i}$_a long name" for i in range(k)]
    )


def texts(ax):
    return {text.get_text(): text for text in ax.texts}


@pytest.mark.parametrize("k", [5, 30])
def test_the_diagram_joins_exactly_the_pairs_without_a_significant_difference(k):
    table = scores(k)
    ranks, p = friedman(table, higher_is_better=True).mean_ranks, pairwise_wilcoxon(table)
    fig = critical_difference_diagram(ranks, p)
    fig.canvas.draw()
    ax = fig.axes[0]
    joined = np.eye(k, dtype=bool)
    for line in ax.lines:
        if line.get_marker() == "o" and len(set(line.get_ydata())) == 1:
            # Alternatives with the same mean rank sit on one point, so ask for a rank, not for a name.
            members = np.isin(ranks.to_numpy(), line.get_xdata())
            joined |= np.outer(members, members)
    separate = (p.to_numpy() <= 0.05) & ~np.equal.outer(ranks.to_numpy(), ranks.to_numpy())
    assert joined[p.to_numpy() > 0.05].all()
    if ranks.is_unique:
        assert not joined[separate].any()
    for name, rank in ranks.items():
        found = [text for label, text in texts(ax).items() if name in label]
        assert len(found) == 1
        assert f"{rank:.2f}" in found[0].get_text()
        assert not found[0].get_parse_math()


@pytest.mark.parametrize("k", [5, 30])
def test_labels_do_not_overlap(k):
    table = scores(k)
    fig = critical_difference_diagram(friedman(table, higher_is_better=True).mean_ranks, pairwise_wilcoxon(table))
    fig.canvas.draw()
    boxes = [text.get_window_extent() for text in fig.axes[0].texts]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    assert all(box.x0 >= 0 and box.x1 <= fig.bbox.width for box in boxes)


class Name:
    """A name whose hash depends on the session, as that of a string does."""

    def __init__(self, text, session):
        self.text, self.session = text, session

    def __eq__(self, other):
        return self.text == other.text

    def __hash__(self):
        return hash((int(self.text) * 7919 + 1) * (self.session + 3) % 10007)

    def __str__(self):
        return self.text


def test_the_diagram_is_the_same_in_every_session():
    """Sets of names come in the order of their hashes; lines must not."""
    values = scores(14) + np.sin(np.arange(30 * 14)).reshape(30, 14) * 2  # many overlapping groups
    ours, theirs = [], []
    for session in range(3):
        table = values.set_axis(pd.Index([Name(str(i), session) for i in range(14)], dtype=object), axis=1)
        ranks, p = friedman(table, higher_is_better=True).mean_ranks, pairwise_wilcoxon(table)
        ax = critical_difference_diagram(ranks, p).axes[0]
        ours.append(([line.get_xydata().tolist() for line in ax.lines], [text.get_text() for text in ax.texts]))
        drawn = scikit_posthocs.critical_difference_diagram(ranks, p, ax=plt.figure().add_subplot())
        theirs.append([line.get_xydata().tolist() for bar in drawn["crossbars"] for line in bar])
    assert ours[0] == ours[1] == ours[2]
    # What it is about: the library draws the same groups in another order.
    assert not theirs[0] == theirs[1] == theirs[2]


def test_the_diagram_refuses_what_does_not_fit():
    table = scores(4)
    ranks, p = friedman(table, higher_is_better=True).mean_ranks, pairwise_wilcoxon(table)
    with pytest.raises(ParameterError, match="same alternatives"):
        critical_difference_diagram(ranks, p.iloc[:3, :3])
    with pytest.raises(ParameterError, match="no missing entry"):
        critical_difference_diagram(ranks, p.where(p < 1))
    with pytest.raises(ParameterError, match=r"level must be a number in \(0, 1\), got 5"):
        critical_difference_diagram(ranks, p, level=5)


def test_on_the_level_a_bar_and_a_tier_agree():
    """Two alternatives whose p-value is the level itself: a tier parts them, so no bar may join them."""
    table = scores(2)
    p = pairwise_wilcoxon(table)
    level = float(p.iloc[0, 1])
    assert 0 < level < 1
    for at, apart in ((level, True), (np.nextafter(level, 0), False)):
        assert (rank_tiers(table, at, higher_is_better=True)["tier"].nunique() == 2) == apart
        fig = critical_difference_diagram(friedman(table, higher_is_better=True).mean_ranks, p, at)
        bars = [line for line in fig.axes[0].lines if line.get_marker() == "o" and len(set(line.get_ydata())) == 1]
        assert bool(bars) != apart


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
    pairwise_matrix(pairs).canvas.draw()
    equal = compare_pairs(pd.DataFrame({"a": a, "b": a}), n_resamples=10, higher_is_better=True)
    pairwise_matrix(equal).canvas.draw()


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
    pairs.attrs.clear()
    with pytest.raises(ParameterError, match="rope is not there"):
        equivalence_intervals(pairs)
