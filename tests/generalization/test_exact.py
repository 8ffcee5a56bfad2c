"""Compared with brute force over ordered tuples of results, with binomials, and with simulation."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from genexpy_nb import BordaKernel, JaccardKernel, MallowsKernel, ParameterError, definition, mmd
from genexpy_nb.common.rankings import rank_scores
from genexpy_nb.generalization.exact import exact_generalizability, exact_mmd, exact_nstar, weak_orders
from genexpy_nb.generalization.samplers import n_weak_orders

KERNELS = [BordaKernel(0), JaccardKernel(1), MallowsKernel()]


@pytest.mark.parametrize("n", range(1, 6))
def test_weak_orders_are_all_there(n):
    orders = weak_orders(n)
    assert len(np.unique(orders, axis=0)) == len(orders) == n_weak_orders(n)
    np.testing.assert_array_equal(rank_scores(orders, higher_is_better=False), orders)


@pytest.mark.parametrize("n", [0, 7])
def test_weak_orders_of_too_many(n):
    with pytest.raises(ParameterError, match="n_alternatives"):
        weak_orders(n)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_distribution_by_brute_force(kernel, n):
    """Every pair of ordered studies, the MMD by its definition (Eq. 5)."""
    rankings = np.array([[0, 0, 0], [0, 1, 1], [1, 0, 1]])
    p = np.array([0.5, 0.3, 0.2])
    gram = kernel.gram(rankings)
    expected = {}
    for draw in product(range(3), repeat=2 * n):
        x, y = list(draw[:n]), list(draw[n:])
        distance = round(mmd(gram[np.ix_(x, x)], gram[np.ix_(y, y)], gram[np.ix_(x, y)]), 8)
        expected[distance] = expected.get(distance, 0) + np.prod(p[list(draw)])
    distances, probability = exact_mmd(gram, n, p)
    np.testing.assert_allclose(distances, sorted(expected), atol=1e-8)
    np.testing.assert_allclose(probability, [expected[key] for key in sorted(expected)], atol=1e-12)


@pytest.mark.parametrize("n", [1, 4, 30])
def test_two_results_are_two_binomials(n):
    """With two results that share nothing, MMD = sqrt(2) |difference of the shares of the first one|."""
    p, epsilon = 0.3, 0.4
    x = np.arange(n + 1)
    agree = np.sqrt(2) * np.abs(x[:, None] - x[None, :]) / n <= epsilon + 1e-12
    expected = (np.outer(binom.pmf(x, n, p), binom.pmf(x, n, p)) * agree).sum()
    assert exact_generalizability(np.eye(2), n, epsilon, [p, 1 - p]) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.integers(1, 20), min_size=2, max_size=4),
    st.sampled_from(KERNELS),
    st.integers(1, 4),
    st.integers(0, 10**6),
)
def test_splitting_a_result_changes_nothing(weights, kernel, n, seed):
    """The same ranking listed twice with half of its probability each is the same distribution."""
    rankings = weak_orders(3)[np.random.default_rng(seed).choice(13, len(weights), replace=False)]
    p = np.array(weights) / sum(weights)
    distances, probability = exact_mmd(kernel.gram(rankings), n, p)
    twice = exact_mmd(kernel.gram(np.repeat(rankings, 2, axis=0)), n, np.repeat(p, 2) / 2)
    np.testing.assert_allclose(twice[0], distances, atol=1e-9)
    np.testing.assert_allclose(twice[1], probability, atol=1e-12)
    assert probability.sum() == pytest.approx(1)


def test_results_that_a_kernel_does_not_tell_apart_are_one():
    """Shares of 1/3, 1/3, 1/6 and 1/6 add up to a little less than 1."""
    distances, probability = exact_mmd(np.ones((4, 4)), 1, [1 / 3, 1 / 3, 1 / 6, 1 / 6])
    assert (distances.tolist(), probability.tolist()) == ([0.0], [1.0])


def test_nstar_against_simulation():
    rankings, p = np.array([[0, 0, 0], [0, 1, 1], [1, 0, 0]]), [0.6, 0.2, 0.2]
    for kernel, delta in ((BordaKernel(0), 0.1), (MallowsKernel(), 0.1)):
        gram, epsilon = kernel.gram(rankings), kernel.epsilon(delta, 3)
        n = exact_nstar(gram, 0.9, epsilon, p)
        around = [exact_generalizability(gram, m, epsilon, p) for m in (n - 1, n)]
        assert around[0] < 0.9 <= around[1]
        assert min(abs(g - 0.9) for g in around) > 0.005  # far enough from the level for a simulation to see it
        assert definition(gram, 0.9, epsilon, p, n_studies=20_000) == n


@pytest.mark.parametrize("p", [0.5, 0.3])
def test_two_results_have_a_distance_for_each_difference_of_the_counts(p):
    """sqrt(2) (difference of the counts) / n: n + 1 values, in however many ways each of them comes about."""
    for n in (1, 2, 7, 40):
        distances, probability = exact_mmd(np.eye(2), n, [p, 1 - p])
        np.testing.assert_allclose(distances, math.sqrt(2) * np.arange(n + 1) / n, rtol=1e-12)
        x = np.arange(n + 1)
        joint = np.outer(binom.pmf(x, n, p), binom.pmf(x, n, p))
        expected = np.bincount(np.abs(x[:, None] - x).ravel(), weights=joint.ravel())
        np.testing.assert_allclose(probability, expected, rtol=1e-9)


def test_distances_that_hardly_differ_are_two():
    gram = np.array([[1, 0.5, 0.5 - 1e-6], [0.5, 1, 0.2], [0.5 - 1e-6, 0.2, 1]])
    distances, probability = exact_mmd(gram, 1, [0.2, 0.3, 0.5])
    np.testing.assert_allclose(distances, [0, 1, math.sqrt(1 + 2e-6), math.sqrt(1.6)], rtol=1e-9)
    np.testing.assert_allclose(probability, [0.38, 0.12, 0.2, 0.3], rtol=1e-12)


@pytest.mark.parametrize("k", [0.0, 0.1, 1 / 3, 0.7])
def test_an_mmd_on_the_threshold_counts_as_similar(k):
    gram = np.array([[1, k], [k, 1]])
    for n in (3, 5, 7, 9, 10):
        for difference in range(1, n + 1):
            epsilon = math.sqrt(2 * (1 - k)) * difference / n
            on, above, below = (
                exact_generalizability(gram, n, e, [0.4, 0.6]) for e in (epsilon, epsilon * 1.001, epsilon * 0.999)
            )
            assert on == above > below


def test_a_generalizability_that_is_just_what_is_wanted_is_enough():
    """Two studies of one experiment each agree half of the time."""
    assert exact_generalizability(np.eye(2), 1, 0.5, [0.5, 0.5]) == 0.5
    assert [exact_nstar(np.eye(2), alpha, 0.5, [0.5, 0.5]) for alpha in (0.5, 0.5 + 1e-9)] == [1, 3]


def test_how_much_is_listed():
    """3 results: (n + 1)(n + 2) / 2 studies; 4 million pairs are listed, 26 million are not."""
    distances, probability = exact_mmd(np.eye(3), 62, [0.5, 0.3, 0.2])
    assert probability.sum() == pytest.approx(1) and distances[-1] == pytest.approx(math.sqrt(2))
    with pytest.raises(ParameterError, match=r"3 results that the kernel tells apart and n=100 make 2\.7e"):
        exact_mmd(np.eye(3), 100, [0.5, 0.3, 0.2])


def test_errors():
    with pytest.raises(ParameterError, match="probabilities must be 2 numbers"):
        exact_mmd(np.eye(2), 1, [0.5, 0.6])
    with pytest.raises(ParameterError, match="n must be a whole number of at least 1, got 0"):
        exact_mmd(np.eye(2), 0, [0.5, 0.5])
    with pytest.raises(ParameterError, match=r"definition, which simulates"):
        exact_mmd(np.eye(13), 13, np.full(13, 1 / 13))
    with pytest.raises(ParameterError, match=r"epsilon must be a number > 0, got 0\.0"):
        exact_generalizability(np.eye(2), 1, 0.0, [0.5, 0.5])
