"""Experiments and alternatives in another order, with other names, in other units: the same numbers."""

import numpy as np
import pytest

from genexpy_nb.common.rankings import rank_scores
from genexpy_nb.generalization.exact import exact_generalizability, exact_mmd, exact_nstar, weak_orders
from genexpy_nb.generalization.kernels import BordaKernel, JaccardKernel, MallowsKernel, RBFKernel
from genexpy_nb.generalization.nstar import METHODS, estimate_nstar

N = 24
SEEDS = [0, 1, 2]


def scores(seed=0, n=N, m=4):
    rng = np.random.default_rng(seed)
    return (rng.integers(40, 70, (n, m)) + np.array([0, 6, 10, -3])[:m]) / 114


def kernels(columns=range(4)):
    """The four questions; the one about an alternative follows it where it went."""
    columns = list(columns)
    return [BordaKernel(columns.index(1)), JaccardKernel(1), MallowsKernel(), RBFKernel(20.0)]


def results(values, kernel, higher_is_better=True):
    return values if kernel.on == "scores" else rank_scores(values, higher_is_better=higher_is_better)


def numbers(found):
    return [found.estimate, found.low, found.high]


def grams(values, columns=range(4), higher_is_better=True):
    return [kernel.gram(results(values, kernel, higher_is_better)) for kernel in kernels(columns)]


EXACT = [method for method in METHODS if not method.startswith(("resampling", "definition"))]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("method", EXACT)
def test_nstar_of_permuted_experiments(method, seed):
    order = np.random.default_rng(seed).permutation(N)
    for gram in grams(scores(seed)):
        expected = numbers(estimate_nstar(gram, 0.9, 0.4, method))
        found = numbers(estimate_nstar(gram[np.ix_(order, order)], 0.9, 0.4, method))
        np.testing.assert_allclose(found, expected, rtol=1e-9)


FOUR = weak_orders(3)[[0, 2, 5, 11]]
LIKELY = np.array([0.4, 0.3, 0.2, 0.1])
OF_RANKINGS = [JaccardKernel(), MallowsKernel(), BordaKernel(1)]


def said(gram, epsilon=0.5, probabilities=LIKELY):
    distances, chances = exact_mmd(gram, 3, probabilities)
    shares = [exact_generalizability(gram, n, epsilon, probabilities) for n in (1, 2, 4)]
    return [*distances, *chances, *shares, exact_nstar(gram, 0.6, epsilon, probabilities)]


@pytest.mark.parametrize("kernel", OF_RANKINGS, ids=str)
def test_results_in_another_order_and_results_that_are_listed_twice(kernel):
    gram = kernel.gram(FOUR)
    expected = said(gram)
    for order in ([3, 0, 2, 1], [1, 0, 3, 2]):
        np.testing.assert_allclose(said(gram[np.ix_(order, order)], 0.5, LIKELY[order]), expected, rtol=1e-9)
    twice, shares = [0, 1, 1, 2, 3, 0], [0.4, 0.1, 0.2, 0.2, 0.1, 0.0]
    np.testing.assert_allclose(said(gram[np.ix_(twice, twice)], 0.5, shares), expected, rtol=1e-9)
    np.testing.assert_allclose(said(gram, 0.5, LIKELY * (1 - 1e-12)), expected, rtol=1e-9)


def test_kernel_values_on_another_scale_and_from_another_zero():
    gram = MallowsKernel().gram(FOUR)
    expected, n_distances = said(gram), len(exact_mmd(gram, 3, LIKELY)[0])
    found = said(4 * gram, 2 * 0.5)
    np.testing.assert_allclose(np.array(found[:n_distances]) / 2, expected[:n_distances], rtol=1e-9)
    np.testing.assert_allclose(found[n_distances:], expected[n_distances:], rtol=1e-9)
    np.testing.assert_allclose(said(gram + 0.25), expected, rtol=1e-7, atol=1e-7)
