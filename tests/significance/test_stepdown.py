"""Romano and Wolf's procedure: against its definition by enumeration, and against the tests that it adjusts."""

from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from genexpy_nb import ParameterError
from genexpy_nb.significance import (
    adjust_pvalues,
    compare_pairs,
    paired_differences,
    pairwise_wilcoxon,
    romano_wolf,
    wilcoxon_pratt,
)


def by_definition(differences):
    """Every pattern of signs; the pairs from the largest statistic down, each against the largest of those left."""
    ranks = np.array([np.sign(d) * stats.rankdata(np.abs(d)) for d in differences])
    scale = np.sqrt((ranks**2).sum(axis=1))
    scaled = ranks / np.where(scale > 0, scale, 1)[:, None]
    patterns = np.array(list(product([-1, 1], repeat=ranks.shape[1])))
    observed, drawn = np.abs(scaled.sum(axis=1)), np.abs(scaled @ patterns.T)
    left, adjusted, so_far = list(range(len(ranks))), np.empty(len(ranks)), 0.0
    while left:
        at = max(left, key=lambda pair: observed[pair])
        so_far = max(so_far, np.mean(drawn[left].max(axis=0) >= observed[at] - 1e-9))
        adjusted[at] = so_far
        left.remove(at)
    return adjusted


@settings(max_examples=40, deadline=None)
@given(arrays(int, st.tuples(st.integers(2, 8), st.integers(2, 4)), elements=st.integers(-3, 3)))
@example(np.array([[0, 1, -1, -1], [1, 2, -1, -1], [-1] * 4, [-1, -1, 0, -1], [-1] * 4, [-1, -1, 1, -1]]))
def test_all_patterns_give_the_definition(scores):
    d = paired_differences(scores.astype(float), *np.triu_indices(scores.shape[1], 1))
    np.testing.assert_allclose(romano_wolf(d, n_resamples=128, rng=0), by_definition(d), atol=1e-12)


def test_one_pair_has_nothing_to_adjust():
    for seed in range(5):
        d = np.random.default_rng(seed).normal(0.5, 1, (1, 9))
        assert romano_wolf(d, 1000, rng=0) == pytest.approx(wilcoxon_pratt(d))


def test_drawn_patterns_come_near_to_all_of_them():
    d = paired_differences(np.random.default_rng(3).normal([0, 0.4, 0.8, 1.2], size=(12, 4)), *np.triu_indices(4, 1))
    exact, drawn = romano_wolf(d, 2**11, rng=0), romano_wolf(d, 2**11 - 1, rng=0)
    assert not np.array_equal(exact, drawn)
    np.testing.assert_allclose(drawn, exact, atol=4 * np.sqrt(0.25 / 2**11))
    assert romano_wolf(d * 0 + np.arange(1.0, 13), 99, rng=0) == pytest.approx(0.01)  # never 0


def test_pairs_that_say_the_same_count_once_where_holm_counts_each():
    gains = np.arange(1.0, 9.0)
    d = np.stack([gains, gains, gains])
    assert romano_wolf(d, 1000, 0) == pytest.approx(2.0**-7)
    assert adjust_pvalues(wilcoxon_pratt(d)) == pytest.approx(3 * 2.0**-7)


def test_compare_pairs_adjusts_after_either():
    scores = np.random.default_rng(4).normal(size=(20, 5)) + np.linspace(0, 1.5, 5)
    holm = compare_pairs(scores, higher_is_better=True, n_resamples=2000)
    stepped = compare_pairs(scores, higher_is_better=True, n_resamples=2000, adjust="romano-wolf", rng=1)
    assert stepped["p"].equals(holm["p"])
    assert (stepped["p_adjusted"] >= stepped["p"]).all()
    assert stepped["p_adjusted"].sum() < holm["p_adjusted"].sum()
    d = paired_differences(scores, *np.triu_indices(5, 1))
    np.testing.assert_array_equal(stepped["p_adjusted"], np.maximum(romano_wolf(d, 2000, 1), stepped["p"]))
    assert (holm.attrs["adjust"], stepped.attrs["adjust"]) == ("holm", "romano-wolf")
    for adjust in ("none", "bonferroni", "fdr_by"):
        pairs = compare_pairs(scores, higher_is_better=True, n_resamples=9, adjust=adjust)
        expected = pairwise_wilcoxon(scores, adjust).to_numpy()[np.triu_indices(5, 1)]
        np.testing.assert_allclose(pairs["p_adjusted"], expected)


def test_it_holds_its_level_where_some_alternatives_are_equal_and_others_are_not():
    rng, n_studies, n_false = np.random.default_rng(5), 400, 0
    i, j = np.triu_indices(4, 1)
    for study in range(n_studies):
        scores = rng.normal(size=(12, 4)) + rng.normal(size=(12, 1)) + [0, 0, 0, 2]
        adjusted = romano_wolf(paired_differences(scores, i, j), 499, study)
        n_false += (adjusted[j < 3] <= 0.05).any()
    assert stats.binomtest(int(n_false), n_studies, 0.05, alternative="greater").pvalue > 0.001
    assert n_false > 0


def test_unknown_corrections_are_refused():
    scores = [[1, 2], [3, 5], [2, 2]]
    with pytest.raises(ParameterError, match=r"adjust must be one of 'none', 'holm', .* 'romano-wolf', got 'romano'"):
        compare_pairs(scores, higher_is_better=True, adjust="romano")
    with pytest.raises(ParameterError, match="n_resamples must be a whole number of at least 1"):
        romano_wolf(np.ones((1, 3)), 0, 0)
