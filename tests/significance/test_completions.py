"""Tests on several completions of one table: what the single ones say, where they agree and where they do not."""

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.pooling import pool_chi_squared, pool_intervals, pool_p_values
from genexpy_nb.significance import (
    best_alternative,
    compare_pairs,
    conover_iman,
    friedman,
    pairwise_wilcoxon,
    rank_tiers,
)
from genexpy_nb.significance.completions import (
    best_of_completions,
    friedman_of_completions,
    p_values_of_completions,
    pairs_of_completions,
    tiers_of_completions,
)


def tables(m=4, n=15, k=4, seed=0):
    rng = np.random.default_rng(seed)
    first = pd.DataFrame(rng.normal(np.linspace(0, 1.5, k), 1, size=(n, k)), columns=list("abcdefgh"[:k]))
    absent = rng.random(first.shape) < 0.2
    return [first.mask(absent, rng.normal(np.linspace(0, 1.5, k), 1, size=(n, k))) for _ in range(m)]


SAME = [tables()[0]] * 3


@pytest.mark.parametrize("test", ["wilcoxon", "conover-iman"])
def test_where_all_agree_they_say_what_one_says(test):
    one = SAME[0]
    assert friedman_of_completions(SAME, higher_is_better=True).p == pytest.approx(
        friedman(one, higher_is_better=True).p
    )
    best, expected = (f(t, higher_is_better=True) for f, t in ((best_of_completions, SAME), (best_alternative, one)))
    assert best.best == expected.best and best.p_others == pytest.approx(expected.p_others)
    found = tiers_of_completions(SAME, test=test, higher_is_better=True)
    assert_frame_equal(found, rank_tiers(one, test=test, higher_is_better=True))
    matrix, _ = p_values_of_completions(SAME, test, "holm")
    single = pairwise_wilcoxon(one) if test == "wilcoxon" else conover_iman(one, "holm")
    assert np.allclose(matrix, single)
    pairs = pairs_of_completions(SAME, higher_is_better=True, interval="t")
    assert_frame_equal(pairs, compare_pairs(one, higher_is_better=True, interval="t"))


def test_pairs_are_combined_row_by_row():
    several = tables()
    each = [compare_pairs(table, higher_is_better=False, interval="t", confidence=0.9) for table in several]
    pairs = pairs_of_completions(several, higher_is_better=False, interval="t", confidence=0.9)
    for row in range(len(pairs)):
        mean, low, high = pool_intervals(
            *(np.array([e.loc[row, c] for e in each]) for c in ("estimate", "low", "high")), 0.9
        )
        assert pairs.loc[row, ["estimate", "low", "high"]].tolist() == pytest.approx(
            [float(mean), float(low), float(high)]
        )
        sign = np.array([(e.loc[row, "favours"] == e.loc[row, "a"]) * 2 - 1 for e in each])
        p, lead = pool_p_values(np.array([e.loc[row, "p"] for e in each]), sign)
        assert pairs.loc[row, "p"] == pytest.approx(p)
        assert pairs.loc[row, "favours"] == pairs.loc[row, "a" if lead > 0 else "b"]
        assert pairs.loc[row, "d_z"] == pytest.approx(np.mean([e.loc[row, "d_z"] for e in each]))
    assert (pairs["p_adjusted"] >= pairs["p"]).all()
    assert pairs["poi_low"].between(0, 1).all() and pairs["poi_high"].between(0, 1).all()


def test_the_directions_of_a_matrix_of_p_values_fit_the_mean_differences():
    several = tables(seed=3)
    matrix, ahead = p_values_of_completions(several, "wilcoxon")
    assert np.array_equal(ahead, -ahead.T) and np.allclose(matrix, matrix.T)
    means = np.mean([table.to_numpy().mean(axis=0) for table in several], axis=0)
    clear = matrix.to_numpy() < 0.05
    assert clear.any()
    assert (np.sign(means[:, None] - means)[clear] == ahead[clear]).all()


def test_mean_ranks_are_means_and_friedman_is_combined():
    several = tables(seed=4)
    each = [friedman(table, higher_is_better=True) for table in several]
    found = friedman_of_completions(several, higher_is_better=True)
    assert np.allclose(found.mean_ranks, np.mean([one.mean_ranks for one in each], axis=0))
    assert found.p == pool_chi_squared(np.array([one.chi2 for one in each]), 3)
    assert 0 <= found.kendall_w <= 1


def test_very_many_pairs_are_compared_in_four_completions(monkeypatch):
    several = tables(m=6)
    monkeypatch.setattr("genexpy_nb.significance.completions._MOST_DIFFERENCES", 1)
    few, _ = p_values_of_completions(several, "wilcoxon")
    expected, _ = p_values_of_completions(several[:4], "wilcoxon")
    assert_frame_equal(few, expected)
    monkeypatch.setattr("genexpy_nb.significance.wilcoxon._CHUNK", 20)
    assert_frame_equal(p_values_of_completions(several, "wilcoxon")[0], expected)


def test_what_needs_complete_tables_is_refused():
    with pytest.raises(ParameterError, match="test must be one of"):
        p_values_of_completions(SAME, "sign")


@pytest.mark.parametrize("k", [2, 3, 5])
def test_p_f_is_never_below_the_smallest_that_there_is(k):
    for n in range(2, 30):
        clear = pd.DataFrame(np.tile(np.arange(k, 0, -1.0), (n, 1)))
        found = friedman_of_completions([clear] * 3, higher_is_better=True)
        assert found.p_f >= found.smallest_p == friedman(clear, higher_is_better=True).smallest_p


@pytest.mark.parametrize(("n_resamples", "of_each"), [(4000, 1334), (2000, 1000), (200, 200)])
def test_resamples_are_shared_among_the_completions(n_resamples, of_each):
    several = tables(m=3, n=12, k=3)
    options = {"higher_is_better": True, "interval": "percentile", "rng": 1}
    each = [compare_pairs(table, n_resamples=of_each, **options) for table in several]
    pairs = pairs_of_completions(several, n_resamples=n_resamples, **options)
    ends = pool_intervals(*(np.stack([one[name] for one in each]) for name in ("estimate", "low", "high")))
    assert np.allclose(pairs[["estimate", "low", "high"]].to_numpy().T, ends, rtol=1e-12)


def test_where_two_share_the_best_mean_rank_none_is_better_than_the_others():
    several = [
        pd.DataFrame([[2, 1, 2], [1, 0, 0], [2, 2, 0], [0, 1, 0]], columns=list("abc")),
        pd.DataFrame([[1, 0, 1], [0, 0, 1], [0, 0, 1], [1, 0, 1]], columns=list("abc")),
    ]
    best = best_of_completions(several, higher_is_better=True)
    assert best.best == ("a", "c") and best.p_others == 1 and not best.significant
    p_values, _ = p_values_of_completions(several, "conover-iman")
    assert p_values.loc["a", ["b", "c"]].max() < 1  # the completions do not tie, their mean does


@pytest.mark.parametrize("test", ["wilcoxon", "conover-iman"])
def test_tiers_of_losses_are_those_of_the_gains(test):
    several = tables(n=25, k=5)
    gains = tiers_of_completions(several, test=test, higher_is_better=True)
    losses = tiers_of_completions([-table for table in several], test=test, higher_is_better=False)
    assert gains["tier"].max() > 0
    assert_frame_equal(losses, gains)
