"""The limit of n MMD_n^2 and its approximations: against enumeration, another integral, and work by hand."""

import math

import numpy as np
import pandas as pd
import pytest
from made_up_results import imhof, random_gram
from scipy import stats

from genexpy_nb import JaccardKernel, bound, closed_form
from genexpy_nb.chapters import methods as limit_law
from genexpy_nb.chapters.methods import World
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.generalization.exact import exact_mmd, weak_orders

WORLDS = limit_law.example_worlds()
ALPHA = 0.95


def random_world(seed, n_results=5):
    rng = np.random.default_rng(seed)
    return World("made up", "Gaussian", random_gram(n_results, rng), rng.dirichlet(np.ones(n_results)), 0.3)


# --- eigenvalues and limit --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_the_centred_kernel_is_degenerate_and_its_trace_is_half_the_mean_squared_distance(seed):
    world = random_world(seed)
    p, gram = world.probabilities, world.gram
    np.testing.assert_allclose(limit_law.centred_gram(gram, p) @ p, 0, atol=1e-12)
    assert limit_law.eigenvalues(gram, p).sum() == pytest.approx(gram.diagonal() @ p - p @ gram @ p, rel=1e-10)


@pytest.mark.parametrize("centring", ["weighted", "published"])
def test_eigenvalues_are_those_of_the_unsymmetric_matrix_of_the_theorem(centring):
    world = random_world(4)
    p, gram = world.probabilities, world.gram
    weights = p if centring == "weighted" else np.full(len(p), 1 / len(p))
    centre = np.eye(len(p)) - np.outer(np.ones(len(p)), weights)
    direct = np.sort(np.linalg.eigvals(centre @ gram @ centre.T @ np.diag(p)).real)[::-1]
    np.testing.assert_allclose(limit_law.eigenvalues(gram, p, centring), direct, atol=1e-10)


def test_both_centrings_are_one_where_results_are_equally_likely():
    gram = random_gram(6, np.random.default_rng(1))
    p = np.full(6, 1 / 6)
    np.testing.assert_allclose(limit_law.eigenvalues(gram, p), limit_law.eigenvalues(gram, p, "published"), atol=1e-12)


@pytest.mark.parametrize("alpha", [0.6, 0.95, 0.99])
def test_limit_quantile_against_imhofs_integral(alpha):
    weights = np.array([0.4, 0.2, 0.15, 0.05])
    assert imhof(2 * weights, limit_law.limit_quantile(weights, alpha)) == pytest.approx(alpha, abs=2e-5)


def test_limit_of_one_eigenvalue_is_a_chi_squared_variable():
    values = np.array([0.3, 1.0, 5.0])
    np.testing.assert_allclose(limit_law.limit_exceedance([0.25], values), stats.chi2.sf(2 * values, 1), atol=1e-7)


# --- moments ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 5])
def test_mean_and_variance_hold_exactly_for_every_n(n):
    """Against all pairs of studies, listed: five results with a kernel that is not constant on the diagonal, too."""
    world = random_world(2, n_results=4)
    scale = np.array([1.0, 2.0, 0.5, 1.5])
    gram = world.gram * np.outer(scale, scale)
    known = limit_law.population_moments(gram, world.probabilities)
    distances, chances = exact_mmd(gram, n, world.probabilities)
    values = n * distances**2
    assert values @ chances == pytest.approx(known.mean, rel=1e-9)
    assert (values - known.mean) ** 2 @ chances == pytest.approx(known.variance(n), rel=1e-9)


def test_third_cumulant_is_reached_for_large_n():
    """Of two results |D|^2 / n has one eigenvalue, and the cumulant is that of a binomial difference, listed."""
    known = limit_law.population_moments(np.eye(2), [0.7, 0.3])
    n = 400
    steps = stats.binom.pmf(np.arange(n + 1), n, 0.3)
    difference = np.subtract.outer(np.arange(n + 1), np.arange(n + 1))
    values, chances = 2 * difference**2 / n, np.outer(steps, steps)
    third = (chances * (values - known.mean) ** 3).sum()
    assert third == pytest.approx(64 * known.s3, rel=0.02)


def test_matched_variable_has_the_moments_of_the_limit():
    weights = np.array([0.5, 0.2, 0.1])
    a, d = limit_law.matched_chi_squared(weights)
    assert a * d == pytest.approx(2 * weights.sum())
    assert 2 * a**2 * d == pytest.approx(8 * (weights**2).sum())


# --- truth and approximations -----------------------------------------------------------------------------------------


def test_worlds_are_what_they_are_called():
    assert WORLDS[0].probabilities == pytest.approx(1 / 13)
    assert np.sort(WORLDS[1].probabilities).tolist() == [0.45, 0.55]
    counts = np.array(
        [(row >= row[0]).sum() for row in weak_orders(4)]
    )  # alternatives that the first is not worse than
    expected = np.array([0.3 * np.mean(counts == b) + 0.7 * (b == 4) for b in (1, 2, 3, 4)])
    assert np.sort(WORLDS[2].probabilities) == pytest.approx(np.sort(expected))
    ordered = np.sort(WORLDS[3].probabilities)[::-1]
    assert ordered[:-1] / ordered[1:] == pytest.approx(2)
    assert {world.epsilon for world in WORLDS[1::2]} == {float(JaccardKernel().epsilon(0.05, 5))}


def test_listed_and_simulated_distributions_agree():
    world = WORLDS[2]
    listed, simulated = (
        limit_law.true_distribution(world, 10, n_pairs=40_000, most_listed=most) for most in (10**7, 0)
    )
    assert listed[2] and not simulated[2]
    for value in np.quantile(simulated[0], [0.3, 0.6, 0.9]):
        at = 1e-9 + value
        exact = listed[1][listed[0] <= at].sum()
        assert np.mean(simulated[0] <= at) == pytest.approx(exact, abs=4 * 0.5 / 200)


def test_true_quantile_is_the_higher_order_statistic():
    assert limit_law.true_quantile(np.arange(20.0), np.full(20, 0.05), 0.95) == 18
    assert limit_law.true_quantile(np.arange(20.0), np.full(20, 0.05), 0.951) == 19


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_exceedances_and_quantiles_are_the_same_curves(world):
    quantiles = limit_law.approximate_quantiles(world, 30, ALPHA)
    for name, value in quantiles.items():
        found = limit_law.approximate_exceedances(world, 30, [value])[name].item()
        assert found == pytest.approx(1 - ALPHA, abs=2e-6), name


def test_quantiles_are_those_of_the_package():
    world = random_world(3)
    found = limit_law.approximate_quantiles(world, 30, ALPHA)
    assert found["bound"] / 0.3**2 == pytest.approx(bound(ALPHA, 0.3))
    assert found["closed form"] / 0.3**2 == pytest.approx(closed_form(world.gram, ALPHA, 0.3, world.probabilities))


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_nstar_of_each_approximation_is_where_its_quantile_meets_the_threshold(world):
    for name, n in limit_law.approximate_nstar(world, ALPHA).items():
        rows = [limit_law.approximate_quantiles(world, m, ALPHA)[name] for m in (math.floor(n), math.ceil(n))]
        low, high = sorted(rows)
        assert low * (1 - 1e-6) <= n * world.epsilon**2 <= high * (1 + 1e-6), name


def test_the_limit_is_approached():
    """Of two results, where all pairs of studies can be listed: the distance of the distribution functions shrinks."""
    world = World("two", "Jaccard(1)", np.eye(2), np.array([0.6, 0.4]), 0.3)
    off = []
    for n in (5, 50, 500):
        values, chances, exact = limit_law.true_distribution(world, n)
        assert exact
        at_most = np.cumsum(chances)[1:]
        limit = 1 - limit_law.limit_exceedance(limit_law.eigenvalues(world.gram, world.probabilities), values[1:])
        middle = (at_most + np.cumsum(chances)[:-1]) / 2  # of the step
        off.append(np.abs(middle - limit).max())
    assert off[0] > off[1] > off[2] and off[2] < 0.01


def test_regression_is_the_published_line_read_at_n():
    """Where the line gives n at the threshold, its implied quantile at that n is the threshold."""
    world = WORLDS[0]
    p = world.probabilities
    row = np.random.default_rng(np.random.SeedSequence(7, spawn_key=(20,))).choice(len(p), size=(1, 20), p=p)[0]
    law = limit_law.power_law(world.gram[np.ix_(row, row)], ALPHA, world.epsilon, n_resamples=100, rng=7)
    n = np.array([10, 40])
    found = limit_law.regression_quantiles(world, n, ALPHA, n_studies=1, n_resamples=100, rng=7)[0]
    np.testing.assert_allclose(np.log(n), law.intercept + law.slope * np.log(np.sqrt(found / n)))


def test_comparison_has_a_row_for_everything():
    frame = limit_law.compare_with_truth(WORLDS[1:3], [5, 10], ALPHA, n_studies=3, rng=1)
    assert len(frame) == 2 * 2 * (len(limit_law.APPROXIMATIONS) + 1)
    assert frame.groupby(["world", "n"])["truth"].nunique().eq(1).all()
    regression = frame[frame["approximation"] == "regression"]
    assert (regression["low"] <= regression["quantile"]).all() and (regression["quantile"] <= regression["high"]).all()
    pd.testing.assert_frame_equal(frame, limit_law.compare_with_truth(WORLDS[1:3], [5, 10], ALPHA, n_studies=3, rng=1))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: limit_law.eigenvalues(np.eye(2), [0.5, 0.6]),
        lambda: limit_law.eigenvalues(np.eye(2), [0.5, 0.5], "uniform"),
        lambda: limit_law.limit_exceedance([0.5], [0.0]),
        lambda: limit_law.limit_quantile([0.5], 1.0),
        lambda: limit_law.approximate_quantiles(WORLDS[0], 0, 0.95),
        lambda: limit_law.regression_quantiles(WORLDS[0], 5, 0.95, size=5),
    ],
)
def test_what_is_out_of_range_is_refused(wrong):
    with pytest.raises(ParameterError):
        wrong()
