"""Gram matrices: what is refused, and which results count as one."""

import numpy as np
import pytest
from made_up_results import random_gram

import genexpy_nb as gx
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.generalization.gram import by_size, check_gram, support


@pytest.mark.parametrize(
    ("gram", "words"),
    [
        (np.ones((2, 3)), r"square \(N, N\) array, got shape \(2, 3\)"),
        (np.ones(4), r"got shape \(4,\)"),
        ([[1.0]], "at least 2 experiments are needed, got 1"),
        ([[1.0, np.nan], [np.nan, 1.0]], "missing or infinite"),
        ([[np.inf, 0.0], [0.0, 1.0]], "missing or infinite"),
        ([[1.0, 0.5], [0.5001, 1.0]], "not symmetric"),
        ([[1.0, 1e-8], [0.0, 1.0]], "not symmetric"),
        (1 - np.eye(5), "looks like a matrix of distances: its diagonal is 0"),
        ([[0.0, 1e-9], [1e-9, 0.0]], "looks like a matrix of distances"),
        ([[1.0, 2.0], [2.0, 1.0]], "the entry 2 in row 0, column 1 is larger than its diagonal allows, at most 1"),
        ([[1.0, -2.0], [-2.0, 1.0]], "the entry -2 in row 0, column 1"),
        ([[1.0, 0.0], [0.0, -1.0]], "has -1 on its diagonal"),
        ([["1", "0"], ["0", "1"]], "must hold numbers, got <U1"),
        ([[1j, 0], [0, 1j]], "must hold numbers, got complex128"),
        ([[1.0], [0.0, 1.0]], r"must be a square \(N, N\) array"),
    ],
)
def test_what_is_no_gram_matrix(gram, words):
    with pytest.raises(ParameterError, match=words):
        check_gram(gram)


def test_a_distance_matrix_is_refused_by_all_that_take_a_gram_matrix():
    """Distances between rankings: symmetric, finite, and until they were refused, n* = 1 or nonsense."""
    distances = np.abs(np.arange(8.0)[:, None] - np.arange(8.0))
    for analysis in (
        lambda: gx.mmd_distribution(distances, 2),
        lambda: gx.generalizability(distances, 2, 0.3),
        lambda: gx.estimate_nstar(distances),
        lambda: gx.power_law(distances, 0.95, 0.3),
        lambda: gx.closed_form(distances, 0.95, 0.3),
        lambda: gx.definition(distances, 0.95, 0.3),
        lambda: gx.redrawn_estimates(distances, 6, 0.95, 0.3),
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


@pytest.mark.parametrize(
    ("difference", "n_results"), [(0.0, 1), (1e-13, 1), (1e-10, 1), (1e-8, 2), (1e-7, 2), (0.5, 2)]
)
@pytest.mark.parametrize("repeated", [1, 7])
def test_kernel_values_that_differ_by_rounding_only_are_equal(difference, n_results, repeated):
    gram = np.kron(np.array([[1, 1 - difference], [1 - difference, 1]]), np.ones((repeated, repeated)))
    merged, shares = support(gram)
    assert len(merged) == len(shares) == n_results
    assert shares.sum() == pytest.approx(1, abs=1e-15)


def test_rounding_noise_never_splits_a_result():
    """Wherever the projection lies: rounded to decimals, it would now and then fall on both sides of a border."""
    rng = np.random.default_rng(0)
    for _ in range(2000):
        kinds = random_gram(2, rng)
        gram = np.kron(kinds, np.ones((4, 4)))
        noise = rng.normal(scale=1e-11, size=gram.shape)
        assert len(support(gram + noise + noise.T)[0]) == 2


def test_matrices_are_grouped_by_size():
    assert by_size([np.eye(n) for n in (5, 3, 5, 4, 3)]) == {5: [0, 2], 3: [1, 4], 4: [3]}
    assert by_size([]) == {}
