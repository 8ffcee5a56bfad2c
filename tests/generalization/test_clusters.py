"""What conditions in clusters are worth, held against plain loops, the analysis of variance and simulation."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from hypothesis import given, settings
from hypothesis import strategies as st
from made_up_results import scores_of_clusters as scores_of
from statsmodels.stats.anova import anova_lm

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.generalization.clusters import design_effect, mean_embeddings, unknown_effect, worth
from genexpy_nb.generalization.kernels import RBFKernel

sizes_of_clusters = st.lists(st.integers(1, 5), min_size=1, max_size=7)


@settings(max_examples=50)
@given(sizes_of_clusters, st.integers(0, 99))
def test_blocks_are_means_over_all_pairs_whatever_the_order(sizes, rng):
    scores, codes = scores_of(sizes, rng=rng)
    gram = RBFKernel().gram(scores)
    expected = [
        [
            np.mean([gram[a, b] for a in np.flatnonzero(codes == i) for b in np.flatnonzero(codes == j)])
            for j in range(k)
        ]
        for k in [len(sizes)]
        for i in range(k)
    ]
    order = np.random.default_rng(rng).permutation(len(codes))
    for chosen in (np.arange(len(codes)), order):
        found = mean_embeddings(gram[np.ix_(chosen, chosen)], codes[chosen])
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@settings(max_examples=50)
@given(sizes_of_clusters, st.floats(-0.2, 1))
def test_what_conditions_are_worth_is_what_the_best_weighted_mean_has_for_variance(sizes, icc):
    codes = np.repeat(np.arange(len(sizes)), sizes)
    used = max(icc, 0.0)
    correlation = np.where(codes[:, None] == codes, used, 0.0) + (1 - used) * np.eye(len(codes))
    found = worth(icc, sizes)
    assert found == pytest.approx(np.linalg.pinv(correlation, rcond=1e-10, hermitian=True).sum())
    assert len(sizes) - 1e-9 <= found <= len(codes) + 1e-9


def test_the_correlation_of_numbers_is_that_of_the_analysis_of_variance():
    sizes = [1, 2, 5, 3, 1, 4]
    scores, codes = scores_of(sizes, k=3)
    mean_squares = np.zeros(2)
    for column in scores.T:
        table = anova_lm(smf.ols("y ~ C(c)", pd.DataFrame({"y": column, "c": codes})).fit())
        mean_squares += table["mean_sq"].to_numpy()
    n = sum(sizes)
    n0 = (n - np.square(sizes).sum() / n) / (len(sizes) - 1)
    between = (mean_squares[0] - mean_squares[1]) / n0
    found = design_effect([scores @ scores.T], codes)
    assert found.icc == pytest.approx(between / (between + mean_squares[1]))
    assert found.n_conditions == 16 and found.n_clusters == 6 and found.icc_low < found.icc < found.icc_high
    assert found.n_effective[0] == pytest.approx(worth(found.icc, sizes))
    assert found.n_effective[1] == pytest.approx(worth(found.icc_high, sizes))
    assert found.design_effect[2] == pytest.approx(16 / found.n_effective[1])
    centred = scores - scores.mean(axis=0)  # where zero is makes no difference
    assert design_effect([centred @ centred.T], codes).icc_low == pytest.approx(found.icc_low)


def test_the_interval_is_a_jackknife_over_clusters():
    sizes = [3, 1, 4, 2, 2, 5]
    scores, codes = scores_of(sizes, icc=0.4)
    gram = RBFKernel().gram(scores)

    def log_ratio(kept, n0=None):
        part, labels = gram[np.ix_(kept, kept)], codes[kept]
        levels, counts = np.unique(labels, return_counts=True)
        n, k = len(labels), len(levels)
        own = sum(part[np.ix_(labels == c, labels == c)].mean() * m for c, m in zip(levels, counts, strict=True))
        between, within = (own - part.sum() / n) / (k - 1), (part.trace() - own) / (n - k)
        mine = (n - (counts**2).sum() / n) / (k - 1)
        return np.log(1 + (n0 or mine) * (between / within - 1) / mine), mine

    value, n0 = log_ratio(np.arange(len(codes)))
    without = np.array([log_ratio(np.flatnonzero(codes != c), n0)[0] for c in range(6)])
    half = 2.5705818366 * np.sqrt(5 / 6 * np.square(without - without.mean()).sum())  # t, 5 degrees of freedom
    ends = [(np.exp(z) - 1) / (np.exp(z) - 1 + n0) for z in (value - half, value + half)]
    found = design_effect([gram], codes)
    np.testing.assert_allclose([found.icc_low, found.icc_high], ends)
    wider = design_effect([gram], codes, confidence=0.99)
    assert wider.icc_low < found.icc_low and wider.icc_high > found.icc_high and wider.icc == found.icc


def test_completions_are_combined():
    scores, codes = scores_of([2, 3, 3, 4])
    one, other = (RBFKernel(gamma=gamma).gram(scores) for gamma in (0.1, 1.0))
    alone = [design_effect([gram], codes) for gram in (one, other)]
    both, same = design_effect([one, other], codes), design_effect([one, one], codes)
    assert both.icc == pytest.approx(np.mean([each.icc for each in alone]))
    assert both.icc_high - both.icc > max(each.icc_high - each.icc for each in alone)
    np.testing.assert_allclose([same.icc_low, same.icc_high], [alone[0].icc_low, alone[0].icc_high])


CASES = {
    "a single cluster": ([4], None, "a single cluster:"),
    "single conditions": ([1, 1, 1], None, "every cluster has a single condition"),
    "equal results": ([2, 3, 2], lambda scores, codes: scores * 0 + 1, "all results are equal"),
    "copies": (
        [2, 3, 2],
        lambda scores, codes: scores[codes],
        "all results of a cluster are equal, in each: there is no interval",
    ),
    "two clusters": ([2, 3], None, "2 clusters: there is no interval"),
    "one of several": ([1, 3, 1], None, "a single cluster of several conditions: there is no interval"),
}


@pytest.mark.parametrize(("sizes", "change", "note"), CASES.values(), ids=CASES)
def test_what_is_not_known_is_missing_and_said(sizes, change, note):
    scores, codes = scores_of(sizes)
    scores = change(scores, codes) if change else scores
    found = design_effect([RBFKernel().gram(scores)], codes)
    assert note in found.note
    if sizes != [1, 1, 1]:
        assert np.isnan(found.n_effective[1:]).all() and np.isnan([found.icc_low, found.icc_high]).all()
    else:
        assert found.n_effective == (3, 3, 3) and found.design_effect == (1, 1, 1)
    assert np.isnan(found.icc) == ("interval" not in note)
    if change and "cluster" in note:
        assert found.icc == 1 and found.n_effective[0] == 3


def test_conditions_that_differ_more_within_clusters_are_worth_no_more_than_their_number():
    codes = np.repeat(np.arange(6), 2)
    scores = np.tile([[-1.0], [1.0]], (6, 1)) + np.random.default_rng(0).normal(0, 0.1, (12, 1))
    found = design_effect([scores @ scores.T], codes)
    assert found.icc < -0.5 and found.n_effective == (12, 12, 12) and "below 0" in found.note


BROKEN = {
    "no matrix": (lambda: design_effect([], [0]), "at least one Gram matrix"),
    "not square": (lambda: mean_embeddings(np.ones((2, 3)), [0, 1]), "square"),
    "distances": (lambda: mean_embeddings(1 - np.eye(3), [0, 1, 1]), "distances"),
    "too few": (lambda: mean_embeddings(np.eye(3), [0, 1]), "each of the 3 conditions, got 2"),
    "gaps": (lambda: mean_embeddings(np.eye(3), [0, 2, 2]), "without gaps"),
    "negative": (lambda: mean_embeddings(np.eye(3), [-1, 0, 1]), "without gaps"),
    "names": (lambda: mean_embeddings(np.eye(2), ["a", "b"]), "a whole number"),
    "none": (lambda: unknown_effect([], ""), "a whole number"),
    "confidence": (lambda: design_effect([np.eye(3)], [0, 1, 1], confidence=95), "confidence"),
}


@pytest.mark.parametrize(("call", "match"), BROKEN.values(), ids=BROKEN)
def test_broken_arrays_are_refused(call, match):
    with pytest.raises(ParameterError, match=match):
        call()
