"""Resampling: scipy where no rounding is involved, enumeration, and the same data in other units."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

from genexpy_nb.causal.resampling import bca_interval, permutation_p, sign_flip_p


def exact(rng, n):
    """Numbers whose sums are exact in any order, so that scipy finds all ties."""
    return np.round(rng.exponential(size=n) * 16) / 16


@pytest.mark.parametrize("n", [4, 8, 32])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_bca_is_scipy_s_where_nothing_is_rounded(n, confidence):
    rng = np.random.default_rng(n)
    x, y = exact(rng, n), exact(rng, 2 * n)  # means are exact, too
    for samples, of_means in (((x,), np.positive), ((x, y), np.subtract)):
        expected = stats.bootstrap(
            samples,
            lambda *s, axis, of=of_means: of(*(x.mean(axis=axis) for x in s)),
            confidence_level=confidence,
            n_resamples=700,
            vectorized=True,
            rng=np.random.default_rng(1),
        ).confidence_interval
        got = bca_interval([[s] for s in samples], of_means, confidence, 700, x.max(), np.random.default_rng(1))
        np.testing.assert_allclose(got, expected)


@pytest.mark.parametrize("factor", [100.0, 114 / 128, 1e-8, -1.0])
def test_bca_has_no_unit_and_no_sign(factor):
    for seed in range(5):
        x = np.random.default_rng(seed).integers(-3, 6, size=12) / 114
        ends, others = (
            bca_interval([[f * x]], np.positive, 0.95, 199, abs(f * x).max(), np.random.default_rng(1))
            for f in (1.0, factor)
        )
        np.testing.assert_allclose(np.sort(others), np.sort(factor * np.array(ends)), rtol=1e-9)


def test_bca_of_resamples_on_one_side_is_none():
    def above(mean):  # all resamples, which come as an array, above the estimate
        return mean * 0 + np.ndim(mean)

    assert np.isnan(bca_interval([[np.arange(3.0)]], above, 0.95, 9, 1.0, np.random.default_rng(0))).all()


def test_bca_takes_many_observations():
    """Nothing as large as the square of their number; and then the interval is that of the normal distribution."""
    values = np.random.default_rng(5).normal(size=20_000)
    interval = bca_interval([[values]], np.positive, 0.95, 2000, 5.0, np.random.default_rng(0))
    np.testing.assert_allclose(interval, values.mean() + np.array([-1.96, 1.96]) / np.sqrt(20_000), atol=5e-4)


@pytest.mark.parametrize("unit", [1.0, 0.1, 1 / 3])
def test_sign_flips_by_enumeration(unit):
    totals = np.array([3, 1, -2, 4, 2])
    expected = np.mean([abs(np.dot(signs, totals)) >= abs(totals.sum()) for signs in product([-1, 1], repeat=5)])
    assert sign_flip_p(totals * unit, 32, 4 * unit, np.random.default_rng(0)) == expected
    drawn = [sign_flip_p(totals * unit, 31, 4 * unit, np.random.default_rng(seed)) for seed in range(300)]
    assert np.mean(drawn) == pytest.approx((31 * expected + 1) / 32, abs=0.02)  # the sample itself is one of 32
    assert sign_flip_p(np.ones(100), 2500, 1.0, np.random.default_rng(0)) == 1 / 2501  # never 0


@pytest.mark.parametrize("unit", [1.0, 0.1, 1 / 3])
def test_permutations_by_enumeration(unit):
    values = np.array([3, 1, 2, 4, 2, 7, 2])
    x, y = values[:3], values[3:]
    found = [
        abs(4 * values[list(chosen)].sum() - 3 * np.delete(values, chosen).sum())
        >= abs(4 * x.sum() - 3 * y.sum())  # whole numbers: twelve times the difference of the means
        for chosen in combinations(range(7), 3)
    ]
    arguments = x * unit, y * unit
    assert permutation_p(*arguments, 35, 7 * unit, np.random.default_rng(0)) == np.mean(found)
    drawn = [permutation_p(*arguments, 34, 7 * unit, np.random.default_rng(seed)) for seed in range(300)]
    assert np.mean(drawn) == pytest.approx((34 * np.mean(found) + 1) / 35, abs=0.02)
