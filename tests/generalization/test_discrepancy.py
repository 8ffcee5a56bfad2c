"""MMD: against the double sum, and its resampled distributions against exact enumeration."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as hs
from hypothesis.extra.numpy import arrays
from made_up_results import pooled_pvalue, random_gram
from scipy import stats

from genexpy_nb import generalization as gen
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.generalization.discrepancy import (
    check_gram,
    mmd,
    mmd_distribution,
    mmd_from_counts,
    quantile,
    signed_counts,
    simulated_mmd,
    support,
)


def mmd_by_hand(gram, x, y):
    """Eq. 5 with plain loops; x and y are lists of experiments, repetitions allowed."""
    within_x = sum(gram[a][b] for a in x for b in x) / len(x) ** 2
    within_y = sum(gram[a][b] for a in y for b in y) / len(y) ** 2
    between = sum(gram[a][b] for a in x for b in y) / (len(x) * len(y))
    return math.sqrt(max(within_x + within_y - 2 * between, 0.0))


def p_value_against(distances, exact):
    """Chi-squared test of resampled distances against the list of all equally likely ones."""
    squares = np.square(distances)  # rounding noise around 0 is small in the squares only
    levels, counts = np.unique(np.round(np.square(exact), 9), return_counts=True)
    assert len(levels) > 3
    index = np.abs(squares[:, None] - levels).argmin(axis=1)
    np.testing.assert_allclose(levels[index], squares, atol=2e-9)  # nothing that cannot occur
    observed = np.bincount(index, minlength=len(levels))
    return stats.chisquare(observed, len(distances) * counts / counts.sum()).pvalue


# --- one pair of samples ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_signed_counts_and_mmd_equal_the_double_sum(seed):
    rng = np.random.default_rng(seed)
    n_experiments, n = int(rng.integers(2, 12)), int(rng.integers(1, 9))
    gram = random_gram(n_experiments, rng)
    x, y = rng.integers(0, n_experiments, size=(2, n))
    expected = mmd_by_hand(gram.tolist(), x.tolist(), y.tolist())
    counts = (np.bincount(x, minlength=n_experiments) - np.bincount(y, minlength=n_experiments)) / n
    assert mmd_from_counts(gram, counts[None])[0] == pytest.approx(expected, abs=1e-7)
    for of in (y, rng.integers(0, n_experiments, size=n + 2)):  # a sample of another size, too
        expected = mmd_by_hand(gram.tolist(), x.tolist(), of.tolist())
        found = mmd(gram[np.ix_(x, x)], gram[np.ix_(of, of)], gram[np.ix_(x, of)])
        assert found == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize(("difference", "apart"), [(4e-15, False), (8e-15, True), (1e-13, True)])
def test_squared_distances_up_to_rounding_are_none(difference, apart):
    """The squared distance of two results is 2 (1 - k), and 1e-14 is where rounding ends."""
    expected = math.sqrt(2 * difference) if apart else 0.0
    assert mmd([[1.0]], [[1.0]], [[1 - difference]]) == pytest.approx(expected, rel=0.05)
    for n_results in (2, 5):  # of five results the draws are looked up, of two they are counted
        gram = 1 - difference * (1 - np.eye(n_results))
        counts = np.eye(n_results)[:1] - np.eye(n_results)[1:2]
        assert mmd_from_counts(gram, counts)[0] == pytest.approx(expected, rel=0.05)
        found = simulated_mmd(gram, np.full(n_results, 1 / n_results), 1, 200, rng=0)
        assert set(np.round(found / math.sqrt(2 * difference), 1)) == ({0.0, 1.0} if apart else {0.0})


def test_equal_results_are_at_no_distance_in_spite_of_rounding():
    for value in (1.0, 0.1, 1 / 3):
        distances = mmd_distribution(np.full((9, 9), value), 4, 200, rng=0)
        np.testing.assert_array_equal(distances, 0)
    assert mmd(np.full((3, 3), 0.1), np.full((3, 3), 0.1), np.full((3, 3), 0.1)) == 0


# --- samples --------------------------------------------------------------------------------------------------


@settings(max_examples=50)
@given(hs.integers(2, 15), hs.data())
def test_disjoint_samples_share_no_experiment(n_experiments, data):
    n = data.draw(hs.integers(1, n_experiments // 2))
    counts = signed_counts(n_experiments, n, 20, rng=data.draw(hs.integers(0, 99)))
    assert counts.shape == (20, n_experiments)
    # n experiments once in the first sample, n others once in the second: nobody twice, nobody in both
    expected = [[1 / n] * n + [-1 / n] * n + [0] * (n_experiments - 2 * n)] * 20
    np.testing.assert_array_equal(np.sort(counts, axis=1), np.sort(expected, axis=1))


@pytest.mark.parametrize(("n_experiments", "n"), [(4, 1), (5, 2), (6, 2), (6, 3)])
def test_disjoint_scheme_equals_enumeration(n_experiments, n):
    gram = random_gram(n_experiments, np.random.default_rng(n_experiments))
    exact = [
        mmd_by_hand(gram, x, y)
        for x in itertools.combinations(range(n_experiments), n)
        for y in itertools.combinations(sorted(set(range(n_experiments)) - set(x)), n)
    ]
    assert p_value_against(mmd_distribution(gram, n, 40_000, rng=5), exact) > 0.01


@pytest.mark.parametrize(("n_results", "n"), [(3, 1), (3, 2), (5, 2), (9, 2), (10, 2), (6, 1)])
def test_simulation_from_a_distribution_equals_enumeration(n_results, n):
    """More results than 4n are drawn in another way than fewer; the first result never occurs."""
    rng = np.random.default_rng(n_results)
    gram, p = random_gram(n_results, rng), rng.dirichlet(np.ones(n_results))
    p = np.where(np.arange(n_results) == 0, 0, p) / p[1:].sum()
    samples = list(itertools.combinations_with_replacement(range(n_results), n))
    likely = [stats.multinomial.pmf(np.bincount(x, minlength=n_results), n, p) for x in samples]
    squares = np.round([[mmd_by_hand(gram, x, y) ** 2 for y in samples] for x in samples], 9)
    levels, index = np.unique(squares[np.ix_(np.array(likely) > 0, np.array(likely) > 0)], return_inverse=True)
    likely = np.array(likely)[np.array(likely) > 0]
    shares = np.bincount(index.ravel(), weights=np.outer(likely, likely).ravel())
    found = simulated_mmd(gram, p, n, 40_000, rng=8) ** 2
    nearest = np.abs(found[:, None] - levels).argmin(axis=1)
    np.testing.assert_allclose(levels[nearest], found, atol=2e-9)
    assert pooled_pvalue(np.bincount(nearest, minlength=len(levels)), shares) > 0.01


def test_same_seed_same_bytes():
    gram = random_gram(12, np.random.default_rng(0))
    first, second = (mmd_distribution(gram, 3, 50, rng) for rng in (7, np.random.default_rng(7)))
    np.testing.assert_array_equal(first, second)
    assert not np.array_equal(first, mmd_distribution(gram, 3, 50, 8))
    advanced = np.random.default_rng(7)
    assert not np.array_equal(mmd_distribution(gram, 3, 50, advanced), mmd_distribution(gram, 3, 50, advanced))


# --- quantiles --------------------------------------------------------------------------------------------------------


@given(arrays(float, hs.integers(1, 40), elements=hs.floats(0, 2)), hs.floats(0.001, 0.999))
def test_quantile_is_observed_and_high_enough(distances, alpha):
    q = quantile(distances, alpha)
    assert q in distances
    assert np.mean(distances <= q) >= alpha
    # and not higher than need be: by the order statistic before it, less than the share alpha of the steps is passed
    ordered = np.sort(distances)
    position = np.searchsorted(ordered, q)
    assert position == 0 or (position - 1) < alpha * (len(distances) - 1) + 1e-9


# --- bad input --------------------------------------------------------------------------------------------------------

GRAM = np.eye(6)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: mmd_distribution([[1.0]], 1, 1, 0), "at least 2 experiments are needed, got 1"),
        (lambda: mmd_distribution(GRAM, 4, 1, 0), "of 4 need 8 experiments, there are 6; choose n <= 3"),
        (lambda: mmd_distribution(GRAM, 2, 0, 0), "n_resamples must be a whole number of at least 1, got 0"),
        # three numbers, or matrices that do not fit each other, would have a mean, too
        (lambda: mmd(1.0, 1.0, 1.0), r"gram must be a square \(N, N\) array, got shape \(\)"),
        (lambda: mmd(1 - np.eye(2), [[1.0]], [[1.0], [1.0]]), "looks like a matrix of distances"),
        (
            lambda: mmd(np.eye(3), np.eye(2), np.ones((2, 3))),
            r"each of the 3 x 2 pairs, got an array of float64, shape \(2, 3\)",
        ),
        (lambda: mmd(np.eye(2), np.eye(2), [[1.0, np.nan], [0.0, 1.0]]), "gram_xy must hold a finite kernel value"),
        (lambda: check_gram(np.ones((2, 3))), r"square \(N, N\) array, got shape \(2, 3\)"),
        (lambda: check_gram([[1.0, np.nan], [np.nan, 1.0]]), "missing or infinite"),
        (lambda: check_gram([[1.0, 1e-8], [0.0, 1.0]]), "not symmetric"),
        (lambda: check_gram(1 - np.eye(5)), "looks like a matrix of distances: its diagonal is 0"),
        (lambda: check_gram([[0.0, 1e-9], [1e-9, 0.0]]), "looks like a matrix of distances"),
        (
            lambda: check_gram([[1.0, 2.0], [2.0, 1.0]]),
            "the entry 2 in row 0, column 1 is larger than its diagonal allows, at most 1",
        ),
        (lambda: check_gram([[1.0, 0.0], [0.0, -1.0]]), "has -1 on its diagonal"),
        (lambda: check_gram([["1", "0"], ["0", "1"]]), "must hold numbers, got <U1"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises(ParameterError, match=words):
        call()


def test_a_distance_matrix_is_refused_by_all_that_take_a_gram_matrix():
    """Distances between rankings: symmetric, finite, and until they were refused, n* = 1 or nonsense."""
    distances = np.abs(np.arange(8.0)[:, None] - np.arange(8.0))
    for analysis in (
        lambda: gen.generalizability(distances, 2, 0.3),
        lambda: gen.estimate_nstar(distances),
        lambda: gen.power_law(distances, 0.95, 0.3),
        lambda: gen.closed_form(distances, 0.95, 0.3),
        lambda: gen.definition(distances, 0.95, 0.3),
        lambda: gen.redrawn_estimates(distances, 6, 0.95, 0.3),
    ):
        with pytest.raises(ParameterError, match="looks like a matrix of distances"):
            analysis()


def test_what_is_a_gram_matrix_though_not_of_these_kernels():
    """A linear kernel: no ones on the diagonal, negative entries, an experiment that is 0; and a constant 0."""
    points = np.random.default_rng(0).normal(size=(6, 3))
    points[2] = 0
    for gram in (points @ points.T, (1e6 * points @ points.T).astype(np.float32), np.zeros((4, 4)), np.ones((3, 3))):
        assert check_gram(gram).shape == gram.shape


def test_single_precision_is_symmetric_enough():
    gram = random_gram(20, np.random.default_rng(0)).astype(np.float32)
    gram[3, 4] = np.nextafter(gram[4, 3], np.float32(1))
    assert not np.array_equal(gram, gram.T)
    assert check_gram(gram).dtype == np.float64
    assert check_gram([[1.0]], at_least=1).shape == (1, 1)


@pytest.mark.parametrize("seed", range(10))
def test_repeated_results_are_merged_and_their_probabilities_added(seed):
    """Kinds of results are repeated and shuffled; what comes back is the kinds, in whatever order."""
    rng = np.random.default_rng(seed)
    kinds = random_gram(int(rng.integers(1, 9)), rng)
    sample = rng.permutation(np.append(np.arange(len(kinds)), rng.integers(0, len(kinds), size=12)))
    gram = kinds[np.ix_(sample, sample)]
    p = rng.dirichlet(np.ones(len(sample)))
    for probabilities, weights in ((None, np.full(len(sample), 1 / len(sample))), (p, p)):
        merged, shares = support(gram, probabilities)
        order = [
            int(np.flatnonzero(np.isclose(merged.sum(), kinds.sum()) & np.isclose(row.sum(), kinds.sum(1)))[0])
            for row in merged
        ]
        assert sorted(order) == list(range(len(kinds)))
        np.testing.assert_array_equal(merged, kinds[np.ix_(order, order)])
        np.testing.assert_allclose(shares, np.bincount(sample, weights=weights)[order], rtol=1e-12)


def test_results_with_equal_sums_of_rows_are_not_equal():
    for n in (2, 3, 10):
        merged, shares = support(np.eye(n))
        np.testing.assert_array_equal(merged, np.eye(n))
        np.testing.assert_array_equal(shares, 1 / n)


@pytest.mark.parametrize(("difference", "n_results"), [(0, 1), (1e-13, 1), (1e-10, 1), (1e-8, 2), (1e-7, 2), (0.5, 2)])
@pytest.mark.parametrize("repeated", [1, 7])
def test_kernel_values_that_differ_by_rounding_only_are_equal(difference, n_results, repeated):
    gram = np.kron(np.array([[1, 1 - difference], [1 - difference, 1]]), np.ones((repeated, repeated)))
    merged, shares = support(gram)
    assert len(merged) == len(shares) == n_results
    assert shares.sum() == pytest.approx(1, abs=1e-15)


def test_rounding_noise_never_splits_a_result():
    """Wherever the projection lies: rounded to decimals, it would now and then fall on both sides of a border."""
    rng = np.random.default_rng(0)
    for _ in range(400):
        kinds = random_gram(2, rng)
        gram = np.kron(kinds, np.ones((4, 4)))
        noise = rng.normal(scale=1e-11, size=gram.shape)
        assert len(support(gram + noise + noise.T)[0]) == 2
