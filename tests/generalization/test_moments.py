"""Moments: exact enumeration, averages over different results by hand, and what must not matter."""

import itertools
import math
from functools import cache

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as hs
from made_up_results import eigenvalues, imhof, random_gram
from scipy import optimize, stats

from genexpy_nb.generalization import moments
from genexpy_nb.generalization.kernels import BordaKernel, JaccardKernel, MallowsKernel
from genexpy_nb.generalization.moments import (
    chi_squared_mixture,
    correct_gain,
    interval_on_power_scale,
    kernel_moments,
    largest_solution,
    note_on_interval,
    nstar_by_moments,
    squared_distances,
    third_moment,
)
from genexpy_nb.generalization.nstar import estimate_nstar
from genexpy_nb.generalization.samplers import sample_weak_orders

# --- the moments ------------------------------------------------------------------------------------------------------


def population_moments(gram, p):
    mean = p @ gram @ p
    return p @ np.diag(gram) - mean, (eigenvalues(gram, p) ** 2).sum(), p @ gram**2 @ p - mean**2


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("p", [(0.5, 0.5), (0.8, 0.15, 0.05), (0.4, 0.35, 0.25)])
def test_moments_of_the_statistic_are_exact_for_every_n(n, p):
    """Mean 2 L1 and variance 8 S2 (1 - 1/n) + 4 v / n of n MMD_n^2, by enumeration of all pairs of studies."""
    p = np.array(p)
    gram = random_gram(len(p), np.random.default_rng(len(p)))
    studies = list(itertools.product(range(len(p)), repeat=n))
    weights = np.array([p[list(study)].prod() for study in studies])
    counts = np.array([np.bincount(study, minlength=len(p)) / n for study in studies])
    w = counts[:, None] - counts[None]
    statistic = n * np.einsum("abi,ij,abj->ab", w, gram, w)
    probability = np.outer(weights, weights)
    l1, s2, v = population_moments(gram, p)
    mean = (probability * statistic).sum()
    assert mean == pytest.approx(2 * l1, rel=1e-10)
    variance = (probability * (statistic - mean) ** 2).sum()
    assert variance == pytest.approx(8 * s2 * (1 - 1 / n) + 4 * v / n, rel=1e-10)


@cache
def moments_by_hand(gram):
    """U-statistics: averages over tuples of different results, which is what makes them unbiased."""
    n = len(gram)
    diagonal = sum(gram[i][i] for i in range(n)) / n
    pairs = list(itertools.permutations(range(n), 2))
    one = sum(gram[i][j] for i, j in pairs) / len(pairs)
    square = sum(gram[i][j] ** 2 for i, j in pairs) / len(pairs)
    triples = list(itertools.permutations(range(n), 3))
    shared = sum(gram[i][j] * gram[i][k] for i, j, k in triples) / len(triples)
    fours = list(itertools.permutations(range(n), 4))
    apart = sum(gram[i][j] * gram[k][m] for i, j, k, m in fours) / len(fours)
    return diagonal - one, square - 2 * shared + apart, square - apart


@pytest.mark.parametrize("n_experiments", [4, 5, 6, 7])
@pytest.mark.parametrize("p", [(0.5, 0.5), (0.6, 0.3, 0.1)])
def test_estimated_moments_are_unbiased(n_experiments, p):
    """Their mean over all samples of N, each as often as it occurs, is the moment of the distribution."""
    p = np.array(p)
    kinds = random_gram(len(p), np.random.default_rng(3))
    mean = np.zeros(4)
    for sample in itertools.combinations_with_replacement(range(len(p)), n_experiments):
        weight = stats.multinomial.pmf(np.bincount(sample, minlength=len(p)), n_experiments, p)
        distances = squared_distances(kinds[np.ix_(sample, sample)])
        mean += weight * np.append(kernel_moments(distances)[0], third_moment(distances))
    exact = [*population_moments(kinds, p), (eigenvalues(kinds, p) ** 3).sum()]
    known = 4 if n_experiments >= 6 else 3  # the third moment needs six experiments
    np.testing.assert_allclose(mean[:known], exact[:known], rtol=1e-9)
    assert np.isnan(mean[known:]).all()


# --- n* from the moments ----------------------------------------------------------------------------------------------


def largest_root(mean, gain, s2, v, epsilon):
    """Largest n >= 1 with n eps^2 = mean + gain sqrt(...), by a fine grid from above and Brent's method."""

    def excess(log_n):
        n = np.exp(log_n)
        return n * epsilon**2 - mean - gain * np.sqrt(np.maximum(8 * s2 * (1 - 1 / n) + 4 * v / n, 0))

    grid = np.linspace(0, math.log(1e9), 4000)
    below = np.flatnonzero(excess(grid) < 0)
    return math.exp(optimize.brentq(excess, grid[below[-1]], grid[below[-1] + 1], xtol=1e-14)) if len(below) else 1.0


@cache
def gain_correction(gram, alpha):
    """By Imhof's integral: quantile of the weighted sum of chi-squared variables against that of the matched one."""
    weights = eigenvalues(np.array(gram), np.full(len(gram), 1 / len(gram)))
    weights = weights[weights > 1e-9 * weights.sum()] / weights.sum()
    if len(weights) < 2:
        return 0.0
    second, third = (weights**2).sum(), (weights**3).sum()
    nu = second**3 / third**2
    matched = stats.chi2(nu, loc=1 - nu * third / second, scale=third / second)
    at = matched.ppf(alpha)
    step = (alpha - imhof(weights, at)) / matched.pdf(at) / math.sqrt(2 * second) if at > 1e-9 else 0.0
    return min(max(step, -0.15), 0.15)


def nstar_of_two_by_hand(product, alpha, ratio, n_max=256):
    """From the difference of two binomial counts, interpolated; beyond n_max from the normal distribution."""
    p, before = (1 - math.sqrt(1 - 4 * product)) / 2, 0.0
    for n in range(1, n_max + 1):
        counts = stats.binom.pmf(np.arange(n + 1), n, p)
        chance = np.convolve(counts, counts[::-1])[n:]
        at_most = np.cumsum(np.append(chance[0], 2 * chance[1:]))
        quantile = np.flatnonzero(at_most >= alpha - 1e-11)[0] / n
        if quantile <= ratio * (1 + 1e-9):
            if n == 1 or quantile == 0 or before <= quantile:
                return n
            part = min(math.log(before / ratio) / math.log(before / quantile), 1)
            return math.exp(math.log(n - 1) + part * math.log(n / (n - 1)))
        before = quantile
    deviation = stats.norm.ppf((1 + alpha) / 2) * math.sqrt(2 * product)
    # the largest n with n ratio + 1/2 <= deviation sqrt(n)
    return max(((deviation + math.sqrt(deviation**2 - 2 * ratio)) / (2 * ratio)) ** 2, n_max)


def nstar_by_hand(gram, alpha, epsilon):
    """Estimate, low and high as the module's docstring has them, one number at a time. N >= 5, not all equal."""
    n_experiments = len(gram)
    distances = [[gram[i][i] + gram[j][j] - 2 * gram[i][j] for j in range(n_experiments)] for i in range(n_experiments)]

    def clipped(rows):
        l1, s2, v = moments_by_hand(tuple(tuple(gram[i][j] for j in rows) for i in rows))
        return l1, min(max(s2, l1**2 / 400), l1**2), max(v, 0)

    l1, s2, v = clipped(range(n_experiments))
    third = float(third_moment(np.array(distances))) if n_experiments >= 6 else -math.inf
    third = min(max(third, s2**2 / l1), s2**1.5)
    nu = s2**3 / third**2
    gain = (stats.chi2.ppf(alpha, nu) - nu) / math.sqrt(2 * nu)
    others = [d for i, row in enumerate(distances) for d in row[i + 1 :]]
    farthest = max(others)
    alike = [{j for j in range(n_experiments) if distances[i][j] < 1e-9} for i in range(n_experiments)]
    early = epsilon / math.sqrt(farthest) if len({frozenset(group) for group in alike}) == 2 else 0

    def log_root(l1, s2, v):
        return math.log(largest_root(2 * l1 * max(1 - early, 0), gain, s2, v, epsilon))

    estimate = log_root(l1, s2, v)
    without, log_errors = [], []
    for left_out in range(n_experiments):
        rest = [i for i in range(n_experiments) if i != left_out]
        moments = clipped(rest)
        without.append(0.0 if moments[0] < 1e-9 else log_root(*moments))
        row_sums = [sum(distances[i][j] for j in rest) for i in rest]
        known = np.std(row_sums) > 1e-6
        log_errors.append(math.log(np.std(row_sums) / sum(row_sums)) if known else math.nan)
    spread = sum((x - sum(without) / n_experiments) ** 2 for x in without) * (n_experiments - 1) / n_experiments
    spread = max(spread, 4 * s2 / (l1**2 * n_experiments * (n_experiments - 1)))
    kurtosis = stats.kurtosis(without, fisher=False) if np.std(without) > 1e-12 else 1.0
    degrees = 2 * n_experiments / max(kurtosis - (n_experiments - 3) / (n_experiments - 1), 1e-9)
    margin = stats.t.ppf(0.975, min(max(degrees, 2), n_experiments - 1)) * math.sqrt(spread)
    some = np.isfinite(log_errors)
    slope = 0.0
    if some.sum() > 1 and np.std(np.array(without)[some]) > 1e-9:
        slope = np.polyfit(np.array(without)[some], np.array(log_errors)[some], 1)[0]
    power = min(max(-slope / 2, -0.5), 1)
    gain += gain_correction(tuple(map(tuple, gram)), alpha)
    centre = math.exp(log_root(l1, s2, v))
    if abs(power) < 1e-6:
        low, high = centre * math.exp(-margin), centre * math.exp(margin)
    else:
        ends = [1 - power * margin, 1 + power * margin]
        low, high = (centre * end ** (1 / power) if end > 0 else None for end in ends)
        low, high = 0 if low is None else low, math.inf if high is None else high
    low = max(low, 1)
    if early:
        share = stats.binomtest(len(alike[0]), n_experiments).proportion_ci(method="wilson")
        least = min(share.low * (1 - share.low), share.high * (1 - share.high))
        most = 0.25 if share.low < 0.5 < share.high else max(share.low * (1 - share.low), share.high * (1 - share.high))
        low = nstar_of_two_by_hand(least, alpha, early)
        high = max(high, nstar_of_two_by_hand(most, alpha, early))
    ordered = sorted(others)
    at_least = math.sqrt(ordered[min(math.floor(alpha * len(ordered) + 1e-9), len(ordered) - 1)]) / epsilon
    estimate = 1.0 if math.sqrt(farthest) <= epsilon * (1 + 1e-9) else max(math.exp(estimate), at_least)
    return estimate, min(low, estimate), max(high, estimate)


def results_of_kinds(kinds, counts):
    sample = np.repeat(np.arange(len(counts)), counts)
    return kinds[np.ix_(sample, sample)]


TWO_KINDS = np.array([[1, 0.4], [0.4, 1]])
CASES = {
    **{f"all different, {n}": random_gram(n, np.random.default_rng(n)) for n in (5, 6, 7, 9)},
    "all different, on a line": random_gram(8, np.random.default_rng(1), dimensions=1),
    "nothing in common": np.eye(8),
    "two kinds, half each": results_of_kinds(TWO_KINDS, [4, 4]),
    "two kinds, one rare": results_of_kinds(TWO_KINDS, [7, 1]),
    "two kinds, few": results_of_kinds(TWO_KINDS, [3, 2]),
    "three kinds": results_of_kinds(random_gram(3, np.random.default_rng(2)), [5, 2, 1]),
    "three kinds, not told apart by distance from the first": results_of_kinds(np.eye(3), [3, 3, 2]),
    "rankings": MallowsKernel().gram(sample_weak_orders(4, 9, rng=3)),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("alpha", [0.3, 0.6, 0.95, 0.99])
def test_estimate_and_interval_by_hand(case, alpha):
    gram = CASES[case]
    for epsilon in (0.1, 0.37, 0.8, 1.3):
        found = estimate_nstar(gram, alpha, epsilon)
        expected = nstar_by_hand(gram.tolist(), alpha, epsilon)
        np.testing.assert_allclose([found.estimate, found.low, found.high], expected, rtol=1e-5, err_msg=f"{epsilon=}")


def test_where_half_each_is_ruled_out_the_upper_end_is_below_that_of_half_each():
    """6 of 40: Wilson's interval of the share is .07 to .29."""
    alpha, epsilon = 0.95, 0.37
    share = stats.binomtest(6, 40).proportion_ci(method="wilson").high
    found = estimate_nstar(results_of_kinds(np.eye(2), [34, 6]), alpha, epsilon)
    assert found.high < nstar_of_two_by_hand(0.25, alpha, epsilon / math.sqrt(2))
    assert found.high >= nstar_of_two_by_hand(share * (1 - share), alpha, epsilon / math.sqrt(2))


def test_the_share_of_pairs_is_not_spoiled_by_rounding():
    """Where alpha is a share of the pairs, but alpha times the pairs is less in the last bit: the next pair counts."""
    counts = [(n, one) for n in range(5, 16) for one in range(1, n // 2)]
    checked = 0
    for n, one in counts:
        pairs, different = n * (n - 1) // 2, one * (n - one)
        alpha = (pairs - different) / pairs
        if not 0.3 < alpha < 1 or math.floor(alpha * pairs) == pairs - different:
            continue
        checked += 1
        gram = results_of_kinds(np.array([[1, 0.5], [0.5, 1]]), [n - one, one])
        assert estimate_nstar(gram, alpha, 0.99).estimate >= 1 / 0.99
    assert checked


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize(
    ("difference", "equal"), [(0, True), (1e-12, True), (4e-10, True), (4e-9, False), (1e-7, False)]
)
def test_results_are_equal_up_to_rounding_relative_to_the_kernel(scale, difference, equal):
    gram = scale * (1 - difference * (1 - np.eye(8)))
    nstar = estimate_nstar(gram, 0.95, 0.1 * math.sqrt(scale))
    assert (nstar.estimate, nstar.low) == (1, 1)
    assert (nstar.high == math.inf) == equal  # nothing can be said of results that are all equal
    if not equal:  # the same results, magnified
        near = estimate_nstar(gram, 0.95, math.sqrt(scale * difference) / 3)
        far = estimate_nstar(np.eye(8), 0.95, 1 / 3)
        np.testing.assert_allclose([near.estimate, near.low, near.high], [far.estimate, far.low, far.high], rtol=1e-4)


@pytest.mark.parametrize("k", [0.0, 0.1, 1 / 3, 0.7])
def test_one_experiment_is_enough_if_no_two_results_are_farther_apart_than_the_threshold(k):
    gram = results_of_kinds(np.array([[1, k], [k, 1]]), [6, 5])
    epsilon = math.sqrt(2 * (1 - k))
    at, below = (estimate_nstar(gram, 0.99, e).estimate for e in (epsilon * (1 - 1e-15), epsilon * (1 - 1e-4)))
    assert at == 1 < below


def test_a_stack_is_estimated_matrix_by_matrix():
    """What two results have to do with each other is found for each matrix alone."""
    stack = np.stack([CASES["two kinds, half each"], CASES["all different, on a line"], np.ones((8, 8)), np.eye(8)])
    alphas, epsilons = np.array([0.8, 0.95]), np.array([[0.2, 0.5], [0.3, 0.4], [0.1, 0.2], [0.6, 0.7]])
    together = nstar_by_moments(stack, alphas, epsilons)
    assert together.shape == (4, 2, 2, 3)
    for gram, row, found in zip(stack, epsilons, together, strict=True):
        np.testing.assert_allclose(nstar_by_moments(gram[None], alphas, row[None])[0], found, rtol=1e-12)


def test_four_experiments_have_an_estimate_but_no_interval():
    nstar = estimate_nstar(random_gram(4, np.random.default_rng(0)))
    assert nstar.estimate > 1 and nstar.low == 1 and nstar.high == math.inf
    assert [bool(note_on_interval(results_of_kinds(np.eye(2), [2, n]))) for n in (2, 3)] == [False, True]


@hs.composite
def grams(draw, at_least=4):
    """Gram matrices of real rankings and kernels: few or many distinct results, from agreement to chaos."""
    n_experiments, n_alternatives = draw(hs.integers(at_least, 20)), draw(hs.integers(2, 7))
    rng = np.random.default_rng(draw(hs.integers(0, 2**32 - 1)))
    pool = sample_weak_orders(n_alternatives, draw(hs.integers(1, 25)), rng)
    rankings = pool[rng.integers(0, len(pool), size=n_experiments)]
    return draw(hs.sampled_from([BordaKernel(0), JaccardKernel(), MallowsKernel()])).gram(rankings)


ALPHAS = hs.floats(0.3, 0.999)
EPSILONS = hs.floats(0.02, 1.4)


@settings(max_examples=50)
@given(grams(), ALPHAS, ALPHAS, EPSILONS, EPSILONS)
# n* of 1.3: Newton's method alone can cycle
@example(np.kron(np.array([[1, 0.5], [0.5, 1]]), np.ones((2, 2))), 0.75, 0.625, 0.75, 1.0)
def test_moments_fall_with_epsilon_and_rise_with_alpha(gram, alpha, alpha_2, epsilon, epsilon_2):
    small, large = sorted((epsilon, epsilon_2))
    assert estimate_nstar(gram, alpha, large).estimate <= estimate_nstar(gram, alpha, small).estimate * (1 + 1e-7)
    low, high = sorted((alpha, alpha_2))
    assert estimate_nstar(gram, low, epsilon).estimate <= estimate_nstar(gram, high, epsilon).estimate * (1 + 1e-7)


@settings(max_examples=50)
@given(grams(), ALPHAS, EPSILONS, hs.randoms(use_true_random=False))
def test_moments_interval_and_order_of_the_experiments(gram, alpha, epsilon, random):
    nstar = estimate_nstar(gram, alpha, epsilon)
    assert 1 <= nstar.low <= nstar.estimate <= nstar.high
    assert math.isfinite(nstar.estimate)
    order = list(range(len(gram)))
    random.shuffle(order)
    shuffled = estimate_nstar(gram[np.ix_(order, order)], alpha, epsilon)
    np.testing.assert_allclose(shuffled.estimate, nstar.estimate, rtol=1e-6)
    np.testing.assert_allclose([shuffled.low, shuffled.high], [nstar.low, nstar.high], rtol=1e-4)


def test_interval_of_two_results_does_not_depend_on_their_order():
    """Found by hypothesis: without the first experiment v is 0 up to rounding, and the search for n* can stop at 1."""
    kernel = np.array([[1, math.exp(-0.5)], [math.exp(-0.5), 1]])
    highs = []
    for ones in itertools.combinations(range(5), 2):
        kinds = np.isin(np.arange(5), ones).astype(int)
        highs.append(estimate_nstar(kernel[np.ix_(kinds, kinds)], 0.375, 0.25).high)
    np.testing.assert_allclose(highs, highs[0], rtol=1e-9)


# --- the equation -----------------------------------------------------------------------------------------------------


def equations(rng, size):
    """Mean, gain, S2, v and squared epsilon, as studies have them."""
    mean = rng.uniform(0, 4, size)
    return (
        mean,
        rng.uniform(0, 4, size),
        mean**2 * rng.uniform(0.003, 0.25, size),
        mean * rng.random(size),
        (10 ** rng.uniform(-4, 0.5, size)),
    )


@settings(max_examples=40)
@given(hs.integers(0, 10**6))
def test_the_solution_is_where_the_sides_cross_last(seed):
    mean, gain, s2, v, eps2 = (float(each[0]) for each in equations(np.random.default_rng(seed), 1))
    expected = largest_root(mean, gain, s2, v, math.sqrt(eps2))
    found = largest_solution(*(np.array([each]) for each in (mean, gain, s2, v, eps2)))
    assert found[0] == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("at_once", [1, 7, 64])
def test_a_solution_does_not_depend_on_how_many_are_sought_at_once(at_once, monkeypatch):
    mean, gain, s2, v, eps2 = equations(np.random.default_rng(3), 60)
    given = mean[:, None, None], (gain[:5] - 2)[:, None], s2[:, None, None], v[:, None, None], eps2[:4]
    together = largest_solution(*given)
    monkeypatch.setattr(moments, "_SOLVED_AT_ONCE", at_once)
    assert together.shape == (60, 5, 4) and np.array_equal(largest_solution(*given), together)


def test_no_equation_has_no_solution():
    nothing = np.empty((0, 3))
    assert largest_solution(nothing, nothing, nothing, nothing, np.array(1.0)).shape == (0, 3)


# --- the interval -----------------------------------------------------------------------------------------------------


def test_mixture_of_many_agrees_with_imhofs_integral():
    """From the eleventh on, weights are taken together; of fewer, the estimates by hand show it."""
    weights = np.geomspace(0.5, 0.001, 25)
    values = np.array([0.5, 1.0, 2.0]) * weights.sum()
    expected = [imhof(weights, value) for value in values]
    np.testing.assert_allclose(chi_squared_mixture(weights[None], values[None])[0], expected, atol=1e-4)


def test_one_or_two_distinct_results_need_no_correction():
    two = np.repeat([0, 1], [5, 3])
    distances = np.stack([np.zeros((8, 8)), (two[:, None] != two).astype(float)])
    np.testing.assert_array_equal(correct_gain(distances, np.array([0.5, 0.9, 0.99])), 0)


def test_power_scales_end():
    assert interval_on_power_scale(np.array(1.0), np.array(1.5), np.array(1.0))[0] == -math.inf
    assert interval_on_power_scale(np.array(1.0), np.array(2.5), np.array(-0.5))[1] == math.inf
