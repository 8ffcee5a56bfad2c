"""Effects and their noise: against closed forms and simulated studies."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genexpy_nb.conclusions.effects import Noise, crossed_effects, effects_of_means, root_of


def covariance(noise):
    return noise.factor.T @ noise.factor


def cells_of(rng, n, m, first, second, both, means=(1.0, 0.5, 0.0)):
    a = len(means)
    parts = (first * rng.normal(size=(n, 1, a)), second * rng.normal(size=(1, m, a)), both * rng.normal(size=(n, m, a)))
    return np.asarray(means) + sum(parts)


@settings(max_examples=30)
@given(st.integers(5, 40), st.integers(2, 8), st.integers(0, 99))
def test_noise_of_means_is_the_covariance_of_the_rows_over_their_number(n, a, seed):
    rows = np.random.default_rng(seed).normal(size=(n, a))
    found = effects_of_means(rows, [n // 2, 3 * n])
    assert found.centre == pytest.approx(rows.mean(axis=0), abs=1e-12)
    assert covariance(found.noise) == pytest.approx(np.cov(rows.T) / n, abs=1e-12)
    assert found.noise.variances() == pytest.approx(rows.var(axis=0, ddof=1) / n, abs=1e-12)
    for size, noise, ratio in zip([n // 2, 3 * n], found.others, found.ratios, strict=True):
        assert covariance(noise) == pytest.approx(np.cov(rows.T) / size, abs=1e-12)
        assert ratio == size / n


def test_many_alternatives_keep_their_covariance():
    rows = np.random.default_rng(0).normal(size=(6, 700))
    found = effects_of_means(rows, [6]).noise
    assert found.factor.shape == (6, 700)
    assert covariance(found)[:5, :5] == pytest.approx(np.cov(rows[:, :5].T) / 6, abs=1e-12)


def test_draws_have_the_covariance():
    factor = np.array([[1.0, 0.5], [0.0, 2.0]])
    drawn = Noise(factor).draw(100_000, np.random.default_rng(1))
    assert np.cov(drawn.T) == pytest.approx(factor.T @ factor, abs=0.06)  # standard error of 4.25: .02
    assert covariance(Noise(factor).scaled(3.0)) == pytest.approx(3 * factor.T @ factor)


def test_degrees_of_freedom_of_a_total_of_equal_or_of_one_variance():
    rng, n = np.random.default_rng(2), 4000
    equal = rng.normal(size=(n, 4))
    assert effects_of_means(equal, [n]).degrees / (n - 1) == pytest.approx(4, abs=0.05)
    one = np.outer(rng.normal(size=n), [1.0, -1.0, 2.0, 0.0])
    assert effects_of_means(one, [n]).degrees / (n - 1) == pytest.approx(1, abs=0.05)


def test_the_sum_of_squared_eigenvalues_behind_the_degrees_of_freedom_has_no_bias():
    rng, spread = np.random.default_rng(14), 0.85 ** np.arange(30)
    found = [effects_of_means(spread * rng.normal(size=(8, 30)), [8]) for _ in range(2000)]
    squares = [one.noise.variances().sum() ** 2 / (one.degrees / 7) for one in found]
    assert np.mean(squares) == pytest.approx((spread**4).sum() / 8**2, rel=0.06)  # standard error .015


def test_the_spread_of_the_total_variance_is_that_of_its_degrees_of_freedom():
    rng, spread = np.random.default_rng(3), np.array([1.0, 0.7, 0.5, 0.3])
    found = [effects_of_means(spread * rng.normal(size=(80, 4)), [80]) for _ in range(1500)]
    totals = np.array([one.noise.variances().sum() for one in found])
    expected = 2 * totals.mean() ** 2 / totals.var()  # of a scaled chi-squared variable
    assert np.mean([one.degrees for one in found]) == pytest.approx(expected, rel=0.12)  # standard error .04


def test_root_of_a_covariance_and_of_what_is_none():
    some = np.random.default_rng(6).normal(size=(5, 5))
    assert root_of(some @ some.T) @ root_of(some @ some.T) == pytest.approx(some @ some.T)
    assert root_of(np.diag([4.0, -1.0])) == pytest.approx(np.diag([2.0, 0.0]))


def test_crossed_noise_of_a_pair_is_that_of_a_two_way_anova():
    cells = cells_of(np.random.default_rng(7), 12, 5, 1.0, 0.8, 0.5, (1.0, 0.0))
    n, m = 12, 5
    d = cells[:, :, 0] - cells[:, :, 1]
    rows, columns, grand = d.mean(axis=1), d.mean(axis=0), d.mean()
    of_rows, of_columns = m * rows.var(ddof=1), n * columns.var(ddof=1)
    rest = ((d - rows[:, None] - columns + grand) ** 2).sum() / ((n - 1) * (m - 1))
    first, second = max(0, (of_rows - rest) / m), max(0, (of_columns - rest) / n)
    found = crossed_effects(cells, [(30, 4), (np.inf, 4), (7, np.inf), (np.inf, np.inf)])
    assert found.centre[0] - found.centre[1] == pytest.approx(grand)
    wanted = [first / 30 + second / 4 + rest / 120, second / 4, first / 7, 0.0]
    for noise, variance in zip(found.others, wanted, strict=True):
        assert np.square(noise.factor[:, 0] - noise.factor[:, 1]).sum() == pytest.approx(variance, abs=1e-12)
    observed = found.noise.factor
    assert np.square(observed[:, 0] - observed[:, 1]).sum() == pytest.approx(first / n + second / m + rest / (n * m))
    variance, squares = of_rows + of_columns - rest, (of_rows**2, of_columns**2, rest**2)
    freedom = variance**2 / np.dot(squares, (1 / (n - 1), 1 / (m - 1), 1 / ((n - 1) * (m - 1))))  # Satterthwaite
    of_one = (freedom + 2) / freedom  # what estimates the number of variances without bias makes of a single one
    assert found.degrees == pytest.approx(freedom * of_one)


def test_crossed_noise_is_unbiased_where_all_parts_are_there():
    rng, sizes = np.random.default_rng(8), [(10, 6), (40, 3)]
    found = [crossed_effects(cells_of(rng, 10, 6, 1.0, 0.7, 0.5), sizes) for _ in range(300)]
    contrast = np.eye(3) - 1 / 3
    for place, (n, m) in enumerate(sizes):
        true = (1.0 / n + 0.49 / m + 0.25 / (n * m)) * contrast
        mean = np.mean([covariance(one.others[place]) for one in found], axis=0)
        assert mean == pytest.approx(true, abs=0.05 * true.max())
    spread = np.cov(np.array([one.centre for one in found]).T)
    assert spread == pytest.approx((1.0 / 10 + 0.49 / 6 + 0.25 / 60) * contrast, abs=0.03)


def test_without_an_effect_of_the_second_factor_it_is_one_factor():
    rows = np.random.default_rng(9).normal([1, 0.5, 0], 1, (40, 3))
    cells = np.repeat(rows[:, None], 5, axis=1)
    crossed = crossed_effects(cells, [(20, 5), (80, 2)])
    centred = rows - rows.mean(axis=1, keepdims=True)
    single = effects_of_means(centred, [20, 80])
    assert crossed.centre == pytest.approx(single.centre)
    for one, other in zip(crossed.others, single.others, strict=True):
        assert covariance(one) == pytest.approx(covariance(other), abs=1e-9)
    assert crossed.ratios == pytest.approx(single.ratios)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("apart", [0.0, 1.0])
def test_no_noise_and_studies_without_noise_have_finite_ratios(scale, apart):
    same = scale * np.tile([apart, 0.0, -apart], (4, 3, 1))
    noisy = scale * cells_of(np.random.default_rng(10), 6, 4, 1.0, 1.0, 1.0)
    with np.errstate(all="raise", under="ignore"):
        for cells in (same, noisy):
            found = crossed_effects(cells, [(4, 3), (np.inf, 3), (np.inf, np.inf)])
            assert np.isfinite(found.ratios).all() and min(found.ratios) > 0
            assert np.isfinite(found.degrees) and found.degrees >= 1
            assert np.isfinite(found.tie) and found.tie > 0


def test_what_breaks_ties_is_far_below_the_noise():
    found = effects_of_means(np.random.default_rng(11).normal(size=(20, 4)), [20])
    drawn = found.broken_ties(2000, np.random.default_rng(0))
    assert drawn.std() == pytest.approx(found.tie, rel=0.1)
    assert drawn.std() < 1e-4 * np.sqrt(found.noise.variances().min())


def test_equal_variances_keep_the_total_of_the_contrasts():
    noise = effects_of_means(np.random.default_rng(12).normal(size=(9, 4)) * [1, 2, 3, 4], [9]).noise
    other = noise.with_equal_variances()
    contrast = np.eye(4) - 1 / 4
    assert np.trace(contrast @ covariance(other)) == pytest.approx(np.trace(contrast @ covariance(noise)))
    assert covariance(other) == pytest.approx(covariance(other)[0, 0] * np.eye(4))
