"""TOST against statsmodels and pingouin, words against their meaning."""

import numpy as np
import pandas as pd
import pingouin as pg
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import ttost_paired

from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.protocol import nadeau_bengio
from genexpy_nb.protocol.analysis import effective_size
from genexpy_nb.significance import equivalent_pairs

ROPE = 0.02
OPPOSITE = {"better": "worse", "worse": "better"}


def made_up(n=15, seed=0, shift=(0.0, 0.004, 0.03, -0.01)):
    rng = np.random.default_rng(seed)
    scores = rng.normal(0.8, 0.05, (n, 1)) + rng.normal(shift, 0.02, (n, 4))
    return pd.DataFrame(scores.round(4), columns=["svm", "forest", "tree", "chance"])


def two(d):
    """A table of two alternatives with these differences."""
    return pd.DataFrame({"a": d, "b": np.zeros(len(d))})


@pytest.mark.parametrize("n", [3, 15, 60])
def test_tost_is_that_of_statsmodels_and_of_pingouin(n):
    scores = made_up(n)
    for row in equivalent_pairs(scores, ROPE, higher_is_better=True).itertuples():
        x, y = scores[row.a], scores[row.b]
        assert_allclose(row.p_equivalent, ttost_paired(x.to_numpy(), y.to_numpy(), -ROPE, ROPE)[0], rtol=1e-9)
        assert_allclose(row.p_equivalent, pg.tost(x, y, bound=ROPE, paired=True)["pval"].iloc[0], rtol=1e-9)
        assert_allclose(row.p_different, stats.ttest_rel(x, y).pvalue, rtol=1e-9)
        edges = ((ROPE, "greater"), (-ROPE, "less"))
        sides = [stats.ttest_1samp(x - y, edge, alternative=a).pvalue for edge, a in edges]
        assert_allclose(row.p_practical, min(1, 2 * min(sides)), rtol=1e-9)
        interval = stats.ttest_rel(x, y).confidence_interval(0.9)
        assert_allclose([row.low, row.high], interval, rtol=1e-9)


def test_equivalent_without_correction_means_an_interval_within_the_region():
    found = set()
    for seed in range(12):
        pairs = equivalent_pairs(made_up(8, seed)[["svm", "forest"]], ROPE, higher_is_better=True)  # a single pair
        within = (pairs["low"] > -ROPE) & (pairs["high"] < ROPE)
        assert_array_equal(pairs["verdict"] == "equivalent", within)
        found |= set(within)
    assert found == {True, False}


@pytest.mark.parametrize(
    ("centre", "spread", "difference", "verdict"),
    [
        (0.001, 0.002, "", "equivalent"),
        (0.005, 0.002, "better", "equivalent"),  # there is a difference, and it does not matter
        (0.03, 0.002, "better", "better"),
        (-0.03, 0.002, "worse", "worse"),
        (0.018, 0.01, "better", "undecided"),  # there is one, and it may matter
        (0.001, 0.2, "", "undecided"),
    ],
)
def test_words(centre, spread, difference, verdict):
    z = stats.norm.ppf((np.arange(12) + 0.5) / 12)
    d = centre + spread * z / z.std(ddof=1)
    (up,) = equivalent_pairs(two(d), ROPE, higher_is_better=True).itertuples()
    (down,) = equivalent_pairs(two(d), ROPE, higher_is_better=False).itertuples()
    assert (up.difference, up.verdict) == (difference, verdict)
    assert (down.difference, down.verdict) == (OPPOSITE.get(difference, difference), OPPOSITE.get(verdict, verdict))


def test_each_test_is_corrected_over_the_pairs():
    pairs = equivalent_pairs(made_up(), ROPE, higher_is_better=True)
    for what in ("equivalent", "different", "practical"):
        assert_allclose(pairs[f"p_{what}_adjusted"], multipletests(pairs[f"p_{what}"], method="holm")[1])
    assert (pairs["p_different"] <= pairs["p_practical"]).all()


@pytest.mark.parametrize("value", [0.0, 0.01, 0.05])
def test_without_spread_the_sign_test_answers(value):
    for n in (2, 9):
        row = equivalent_pairs(two([value] * n), ROPE, higher_is_better=True).iloc[0]
        assert row["low"] == row["high"] == value
        assert row["note"] == ("constant difference" if value else "identical")
        assert row["p_equivalent"] == (0.5**n if value < ROPE else 1)
        assert row["p_different"] == (2 * 0.5**n if value else 1)
        assert row["verdict"] == ("undecided" if n == 2 else "equivalent" if value < ROPE else "better")


def test_effective_size_is_what_the_correction_leaves():
    d = np.random.default_rng(1).normal(size=12)
    test = nadeau_bengio(d, 0.25)
    assert_allclose(d.std(ddof=1) / np.sqrt(effective_size(12, 0.25)), abs(test.estimate / test.statistic))
    # Nadeau and Bengio's variance as they write it, from none of the rows tested to nearly all
    for n in (2, 5, 49, 100):
        for share in (0.0, 0.1, 1 / 3, 0.99):
            assert_allclose(1 / effective_size(n, share), 1 / n + share / (1 - share))
        assert effective_size(n, 0) == n  # no rounding: sign tests of so many


def test_wrong_input():
    with pytest.raises(TypeError):
        equivalent_pairs(made_up(), ROPE)
    with pytest.raises(ParameterError, match="higher_is_better"):
        equivalent_pairs(made_up(), ROPE, higher_is_better=1)
    with pytest.raises(ParameterError, match="rope must be a number > 0"):
        equivalent_pairs(made_up(), 0, higher_is_better=True)
    with pytest.raises(ParameterError, match="level must be"):
        equivalent_pairs(made_up(), ROPE, higher_is_better=True, level=0.5)
    with pytest.raises(StudyError, match="at least two conditions"):
        equivalent_pairs(made_up(1), ROPE, higher_is_better=True)
    gaps = made_up().mask(made_up() > made_up().quantile(0.9).max())
    with pytest.raises(StudyError, match="missing"):
        equivalent_pairs(gaps, ROPE, higher_is_better=True)
