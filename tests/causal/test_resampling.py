"""Resampling: scipy where no rounding is involved, and the same data in other units."""

import numpy as np
import pytest
from scipy import stats

from genexpy_nb.causal.intervals import bca_interval


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
