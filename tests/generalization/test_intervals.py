"""Intervals of n*: distributions by other means, enumeration, and what they cover on data made for it."""

import math

import numpy as np
import pytest
from made_up_results import eigenvalues, imhof, random_gram, two_atom_generalizability
from scipy import stats

from genexpy_nb.generalization.intervals import (
    chi_squared_mixture,
    correct_gain,
    degrees_of_freedom,
    interval_on_power_scale,
    nstar_of_two_results,
    share_interval,
    squared_errors_without,
    stable_power,
)
from genexpy_nb.generalization.moments import nstar_by_moments, squared_distances
from genexpy_nb.generalization.simulation import definition

ALPHAS = np.array([0.5, 0.8, 0.9, 0.95, 0.99])


@pytest.mark.parametrize("weights", [[1.0], [0.5] * 4, [0.2] * 10, [0.1] * 30])
def test_equal_weights_are_a_chi_squared_variable(weights):
    exact = stats.chi2(len(weights), scale=weights[0])
    values = exact.ppf(ALPHAS)
    np.testing.assert_allclose(chi_squared_mixture(np.array([weights]), values[None])[0], ALPHAS, atol=1e-7)


@pytest.mark.parametrize(
    ("weights", "error"),
    [
        ([0.7, 0.3], 1e-6),
        ([0.6, 0.2, 0.1, 0.1], 1e-6),
        (np.geomspace(0.5, 0.001, 25), 1e-4),
    ],  # the eleventh on together
)
def test_mixture_agrees_with_imhofs_integral(weights, error):
    weights = np.asarray(weights)
    values = np.array([0.5, 1.0, 2.0]) * weights.sum()
    expected = [imhof(weights, value) for value in values]
    np.testing.assert_allclose(chi_squared_mixture(weights[None], values[None])[0], expected, atol=error)


def test_correction_moves_the_matched_quantile_to_the_one_of_the_mixture():
    """One large and many small eigenvalues: what a shifted chi-squared variable matches worst."""
    kinds = np.repeat(np.arange(13), [12, *[1] * 12])
    gram = (kinds[:, None] == kinds).astype(float)
    weights = eigenvalues(gram, np.full(len(gram), 1 / len(gram)))
    weights = weights[weights > 1e-9]
    deviation = math.sqrt(2 * (weights**2).sum())
    nu = (weights**2).sum() ** 3 / (weights**3).sum() ** 2
    for alpha in (0.7, 0.9, 0.95):
        gain = (stats.chi2.ppf(alpha, nu) - nu) / math.sqrt(2 * nu)
        correction = correct_gain(squared_distances(gram[None]), np.array([alpha])).item()
        before, after = (imhof(weights, weights.sum() + deviation * g) for g in (gain, gain + correction))
        assert abs(after - alpha) < abs(before - alpha) / 5


def test_one_or_two_distinct_results_need_no_correction():
    two = np.repeat([0, 1], [5, 3])
    distances = np.stack([np.zeros((8, 8)), (two[:, None] != two).astype(float)])
    np.testing.assert_array_equal(correct_gain(distances, ALPHAS), 0)


@pytest.mark.parametrize("seed", range(4))
def test_degrees_of_freedom_follow_the_kurtosis(seed):
    values = np.random.default_rng(seed).standard_t(3, size=(1, 20))
    expected = 2 * 20 / (stats.kurtosis(values[0], fisher=False) - 17 / 19)
    assert degrees_of_freedom(values).item() == pytest.approx(min(max(expected, 2), 19))


@pytest.mark.parametrize("n", [5, 8, 100, 10_000])
def test_one_experiment_that_makes_all_the_difference_leaves_little_more_than_two_degrees(n):
    """No n values have a larger kurtosis."""
    found = degrees_of_freedom(np.eye(1, n)).item()
    assert found == pytest.approx(2 * n * (n - 1) / (n * n - 4 * n + 6), rel=1e-6) and found > 2


def test_degrees_of_freedom_without_variance():
    assert degrees_of_freedom(np.zeros((1, 8))).item() == 7


@pytest.mark.parametrize("seed", range(3))
def test_stable_power_by_deletion(seed):
    rng = np.random.default_rng(seed)
    distances = squared_distances(random_gram(9, rng))
    without = rng.normal(size=9)
    errors = []
    for i in range(9):
        rows = np.delete(np.delete(distances, i, 0), i, 1).sum(axis=1)
        errors.append(math.log(rows.std() / rows.sum()))
    slope = np.polyfit(without, errors, 1)[0]
    found = stable_power(*squared_errors_without(distances[None]), without[None, :, None, None]).item()
    assert found == pytest.approx(min(max(-slope / 2, -0.5), 1), abs=1e-9)


def test_no_power_where_nothing_varies():
    everyone_differs = 1 - np.eye(6)
    assert stable_power(*squared_errors_without(everyone_differs[None]), np.zeros((1, 6, 1, 1))).item() == 0


@pytest.mark.parametrize("power", [-0.5, -1e-12, 0.0, 0.3, 1.0])
def test_both_ends_are_one_margin_away_on_the_power_scale(power):
    low, high = interval_on_power_scale(np.log(20.0), np.array(0.4), np.array(power))
    if abs(power) < 1e-9:
        np.testing.assert_allclose([low, high], math.log(20) + np.array([-0.4, 0.4]), atol=1e-8)
    else:
        np.testing.assert_allclose(
            np.exp(power * np.array([low, high])) / 20**power, [1 - power * 0.4, 1 + power * 0.4]
        )


def test_power_scales_end():
    assert interval_on_power_scale(np.array(1.0), np.array(1.5), np.array(1.0))[0] == -math.inf
    assert interval_on_power_scale(np.array(1.0), np.array(2.5), np.array(-0.5))[1] == math.inf


@pytest.mark.parametrize(("count", "n"), [(1, 10), (5, 10), (79, 80)])
def test_interval_of_a_share(count, n):
    expected = stats.binomtest(count, n).proportion_ci(0.95, method="wilson")
    np.testing.assert_allclose(share_interval(np.array(count), n, 0.95), expected)


@pytest.mark.parametrize("p", [0.05, 0.1, 0.3, 0.5])
@pytest.mark.parametrize("alpha", [0.5, 0.9, 0.95])
def test_nstar_of_two_results_by_enumeration(p, alpha):
    k = 0.3
    for epsilon in (0.25, 0.4, 0.9):
        found = nstar_of_two_results(
            np.array([p * (1 - p)]), np.array([alpha]), np.array([[epsilon / math.sqrt(2 * (1 - k))]])
        ).item()
        first = next(n for n in range(1, 300) if two_atom_generalizability(n, p, k, epsilon) >= alpha - 1e-11)
        assert math.ceil(found - 1e-9) == first
        if first > 1:
            assert first - 1 <= found


def test_nstar_of_two_results_is_interpolated_as_the_definition_is():
    gram, p = np.eye(2), [0.7, 0.3]
    expected = definition(gram, 0.9, 0.3, p, n_studies=200_000, interpolate=True)
    found = nstar_of_two_results(np.array([0.21]), np.array([0.9]), np.array([[0.3 / math.sqrt(2)]])).item()
    assert found == pytest.approx(expected, rel=1e-9)  # both quantiles are on the same lattice


def test_nstar_of_two_results_beyond_enumeration():
    found = nstar_of_two_results(np.array([0.25]), np.array([0.95]), np.array([[0.05]])).item()
    truth = definition(np.eye(2), 0.95, 0.05 * math.sqrt(2), n_studies=5000)
    assert found == pytest.approx(truth, rel=0.04)


@pytest.mark.parametrize("alpha", [0.6, 0.95])
def test_nstar_of_two_results_rises_with_diversity_and_falls_with_the_threshold(alpha):
    products, ratios = np.linspace(0.01, 0.25, 40), np.geomspace(0.03, 1.2, 40)
    found = nstar_of_two_results(products, np.array([alpha]), np.tile(ratios, (40, 1)))[:, 0]
    assert (np.diff(found, axis=0) >= -1e-9).all()
    assert (np.diff(found, axis=1) <= 1e-9).all()


def covered(gram, p, epsilon, n_experiments, truth, n_studies=500):
    """Share of intervals that hold the real and the whole n*."""
    drawn = np.random.default_rng(n_experiments).choice(len(p), size=(n_studies, n_experiments), p=p)
    estimates = nstar_by_moments(
        gram[drawn[:, :, None], drawn[:, None, :]], np.array([0.95]), np.full((n_studies, 1), epsilon)
    )
    _, low, high = estimates[:, 0, 0].T
    whole = (np.ceil(low) <= math.ceil(truth)) & (math.ceil(truth) <= np.ceil(high))
    return ((low <= truth) & (truth <= high)).mean(), whole.mean()


@pytest.mark.parametrize("n_experiments", [20, 40, 80])
def test_coverage_where_one_of_two_results_is_rare(n_experiments):
    """n* is on a lattice: the jackknife alone held it in 88, 79 and 71 % of the studies."""
    epsilon = math.sqrt(0.1)
    truth = nstar_of_two_results(np.array([0.09]), np.array([0.95]), np.array([[epsilon / math.sqrt(2)]])).item()
    assert min(covered(np.eye(2), [0.9, 0.1], epsilon, n_experiments, truth)) >= 0.92


def test_coverage_where_results_are_nearly_as_diverse_as_can_be():
    """Few experiments and flat n*: where the ends need the scale that is found from the data."""
    p = np.array([0.3, *[0.7 / 7] * 7])
    gram = np.eye(8)
    truth = definition(gram, 0.95, math.sqrt(0.1), p, n_studies=40_000, interpolate=True)
    assert min(covered(gram, p, math.sqrt(0.1), 10, truth)) >= 0.92
