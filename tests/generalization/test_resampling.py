"""Resampling: against Algorithm 2 in plain Python, enumeration, and the binomial distribution."""

import itertools
import math

import numpy as np
import pytest
from made_up_results import random_gram
from scipy import stats

from genexpy_nb.generalization.nstar import estimate_nstar
from genexpy_nb.generalization.resampling import disjoint_draws, extrapolate, generalizability, power_law

# --- n*: against Algorithm 2 in plain Python --------------------------------------------------------------------------


def algorithm_2(gram, alpha, epsilon, counts, slope=None):
    """Second version, Algorithm 2, sample by sample; ``counts`` holds the draws, (sizes, repetitions, experiments)."""
    log_q, log_n = [], []
    for n, draws in enumerate(counts, start=2):
        distances = []
        for row in draws:
            x = [i for i, w in enumerate(row) if w > 0]
            y = [i for i, w in enumerate(row) if w < 0]
            assert len(x) == len(y) == n
            total = sum(gram[a][b] for a in x for b in x) + sum(gram[a][b] for a in y for b in y)
            total -= 2 * sum(gram[a][b] for a in x for b in y)
            distances.append(math.sqrt(max(total, 0.0)) / n)
        log_q.append(math.log(sorted(distances)[math.ceil(alpha * (len(distances) - 1))]))
        log_n.append(math.log(n))
    if slope is None:
        line = stats.linregress(log_q, log_n)
        return math.exp(line.intercept + line.slope * math.log(epsilon))
    rest = sum(x - slope * y for x, y in zip(log_n, log_q, strict=True))
    return math.exp(rest / len(log_n) + slope * math.log(epsilon))


@pytest.mark.parametrize("n_experiments", [6, 9, 12])
def test_resampling_equals_algorithm_2(n_experiments):
    gram = random_gram(n_experiments, np.random.default_rng(n_experiments))
    counts = np.stack(list(disjoint_draws(n_experiments, 120, seed=5)))
    assert counts.shape == (n_experiments // 2 - 1, 120, n_experiments)
    for alpha, epsilon in ((0.8, 0.4), (0.95, 0.3)):
        plain = algorithm_2(gram.tolist(), alpha, epsilon, counts)
        found = estimate_nstar(gram, alpha, epsilon, "resampling", n_resamples=120, rng=5)
        assert found.estimate == pytest.approx(plain, rel=1e-9)
        fixed = estimate_nstar(gram, alpha, epsilon, "resampling-slope-2", n_resamples=120, rng=5)
        assert fixed.estimate == pytest.approx(algorithm_2(gram.tolist(), alpha, epsilon, counts, slope=-2), rel=1e-9)


def test_power_law_shows_every_step():
    gram = random_gram(21, np.random.default_rng(0))
    law = power_law(gram, 0.9, 0.25, n_resamples=300, rng=11)
    np.testing.assert_array_equal(law.n, np.arange(2, 11))
    assert law.distances.shape == (9, 300) and (np.diff(law.distances, axis=1) >= 0).all()
    for row, q in zip(law.distances, law.quantiles, strict=True):
        assert q in row and np.mean(row <= q) >= 0.9
    line = stats.linregress(np.log(law.quantiles), np.log(law.n))
    assert (law.slope, law.intercept) == pytest.approx((line.slope, line.intercept), rel=1e-9)
    assert law.nstar == pytest.approx(math.exp(law.intercept + law.slope * math.log(0.25)), rel=1e-12)
    assert law.nstar == estimate_nstar(gram, 0.9, 0.25, "resampling", n_resamples=300, rng=11).estimate
    assert (law.alpha, law.epsilon) == (0.9, 0.25)
    assert -3 < law.slope < -1.5  # the theorem: -2


def test_resampling_where_all_results_agree():
    law = power_law(np.ones((8, 8)), 0.95, 0.3, n_resamples=50)
    assert law.nstar == 1 and math.isnan(law.slope) and math.isnan(law.intercept)
    for method in ("resampling", "resampling-slope-2"):
        assert estimate_nstar(np.ones((8, 8)), 0.95, 0.3, method).estimate == 1


def test_without_a_line_the_slope_is_the_one_of_the_theorem():
    """All quantiles of a row are equal: n* = (geometric mean of n) (q / epsilon)^2, second version, Theorem 4.1."""
    n = np.array([2, 3, 4, 5])
    epsilons = np.array([0.1, 0.4, 0.7])
    flat = extrapolate(np.full((1, 4), 0.4), epsilons, None, n)[0]
    np.testing.assert_allclose(np.exp(flat), 120 ** (1 / 4) * (0.4 / epsilons) ** 2, rtol=1e-12)
    np.testing.assert_array_equal(flat, extrapolate(np.full((1, 4), 0.4), epsilons, -2.0, n)[0])
    # hardly any slope is still one
    nearly = np.array([[0.4, 0.4001, 0.3999, 0.39995]])
    line = stats.linregress(np.log(nearly[0]), np.log(n))
    expected = line.intercept + line.slope * np.log(epsilons)
    np.testing.assert_allclose(extrapolate(nearly, epsilons, None, n)[0], expected, rtol=1e-6)
    # one quantile is 0: then all results agree
    np.testing.assert_array_equal(extrapolate(np.array([[0.2, 0.0, 0.1, 0.1]]), epsilons, None, n), 0)


def test_a_line_that_ends_below_one_experiment_means_one():
    gram = random_gram(10, np.random.default_rng(0))
    law = power_law(gram, 0.5, 1.4, n_resamples=100)
    assert law.intercept + law.slope * math.log(1.4) < 0
    for method in ("resampling", "resampling-slope-2"):
        assert estimate_nstar(gram, 0.5, 1.4, method, n_resamples=100).estimate == law.nstar == 1


def test_draws_belong_to_the_seed_and_the_number_of_experiments():
    for n_experiments, seed in ((8, 3), (9, 3), (8, 4)):
        generator = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(n_experiments,)))
        for n, counts in enumerate(disjoint_draws(n_experiments, 30, seed), start=2):
            template = np.repeat([1 / n, -1 / n, 0], [n, n, n_experiments - 2 * n])
            np.testing.assert_array_equal(counts, generator.permuted(np.tile(template, (30, 1)), axis=1))


def test_with_a_given_slope_one_point_is_enough():
    gram = random_gram(4, np.random.default_rng(0))
    distances = [math.sqrt(row @ gram @ row) for row in next(disjoint_draws(4, 50, seed=1))]
    expected = 2 * (sorted(distances)[math.ceil(0.9 * 49)] / 0.3) ** 2
    found = estimate_nstar(gram, 0.9, 0.3, "resampling-slope-2", n_resamples=50, rng=1)
    assert found.estimate == pytest.approx(expected, rel=1e-9)


# --- generalizability -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_generalizability_equals_enumeration(share):
    gram, distances = random_gram(6, np.random.default_rng(4)), []
    for x in itertools.combinations(range(6), 2):
        for y in itertools.combinations(sorted(set(range(6)) - set(x)), 2):
            square = gram[np.ix_(x, x)].mean() + gram[np.ix_(y, y)].mean() - 2 * gram[np.ix_(x, y)].mean()
            distances.append(math.sqrt(square))
    epsilon = np.quantile(distances, share) + 1e-6
    exact = np.mean(np.array(distances) <= epsilon)
    found = generalizability(gram, 2, epsilon, n_resamples=40_000, rng=3)
    assert abs(found - exact) < 4 * math.sqrt(exact * (1 - exact) / 40_000)


@pytest.mark.parametrize(("k", "n"), [(0.0, 5), (0.1, 7), (1 / 3, 9), (0.7, 10)])
def test_an_mmd_on_the_threshold_counts_as_similar(k, n):
    gram = np.array([[1, k], [k, 1]])[np.ix_([0] * 20 + [1] * 20, [0] * 20 + [1] * 20)]
    for difference in range(1, n + 1):
        epsilon = math.sqrt(2 * (1 - k)) * difference / n
        on, above = (generalizability(gram, n, e, n_resamples=500) for e in (epsilon, epsilon * 1.001))
        assert on == above
