"""Means with t intervals: over clusters that are independent of each other, and over two crossed kinds of luck."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from genexpy_nb.causal.components import variance_components
from genexpy_nb.causal.rounding import negligible

__all__ = ["Mean", "clustered_mean", "crossed_mean", "mean_with_interval"]


class Mean(NamedTuple):
    """A mean, its t interval and the two-sided t test that it is 0; NaN where there is no interval."""

    estimate: float
    low: float
    high: float
    standard_error: float
    df: float
    p: float
    method: str


def clustered_mean(values: np.ndarray, clusters: np.ndarray, confidence: float, size: float) -> Mean:
    """Return the mean with its cluster-robust standard error (CR1), and t with (n_clusters - 1) degrees of freedom.

    Parameters
    ----------
    values : ndarray, shape (n,)
    clusters : ndarray, shape (n,)
        What each value belongs to; values of different clusters are independent.
    confidence : float
        In (0, 1).
    size : float
        Largest absolute number that the values were computed from, for `negligible`.

    Returns
    -------
    Mean
        Without an interval if there is a single cluster.

    References
    ----------
    Liang and Zeger, Longitudinal data analysis using generalized linear models (1986).

    Examples
    --------
    >>> mean = clustered_mean(np.array([1.0, 2.0, 4.0, 5.0]), np.array(["u", "u", "v", "v"]), 0.95, 5.0)
    >>> mean.estimate, mean.standard_error, mean.df
    (3.0, 1.5, 1.0)
    """
    codes, names = pd.factorize(clusters)
    g, n, mean = len(names), len(values), float(values.mean())
    if g < 2:
        return Mean(mean, np.nan, np.nan, np.nan, np.nan, np.nan, "no interval")
    sums = np.bincount(codes, weights=values - mean)
    se = float(np.sqrt(g / (g - 1) * np.sum(sums**2)) / n)
    return mean_with_interval(mean, se, g - 1, confidence, size, "t test" if g == n else "t test on clusters")


def crossed_mean(matrix: np.ndarray, confidence: float, size: float) -> Mean:
    """Return the mean of a crossed design whose rows and columns are random; Satterthwaite's degrees of freedom.

    Parameters
    ----------
    matrix : ndarray, shape (n_systems, n_compositions)
        At least two of each.
    confidence, size : float
        As in `clustered_mean`.

    Returns
    -------
    Mean

    Notes
    -----
    The variance of the mean is (MS_systems + MS_compositions - MS_residual) / (n_systems n_compositions), by the
    expected mean squares; a component that comes out negative counts as 0.

    References
    ----------
    Searle, Casella and McCulloch, Variance Components (1992), Section 4.3; Satterthwaite (1946).

    Examples
    --------
    >>> mean = crossed_mean(np.array([[1.0, 1.25], [2.0, 2.25]]), 0.95, 2.25)
    >>> mean.estimate, round(mean.standard_error, 4), round(mean.df, 4)
    (1.625, 0.5154, 1.1245)
    """
    s, c = matrix.shape
    ms_s, ms_c, ms_e = variance_components(matrix, crossed=True, size=size).mean_squares
    parts = np.array([max(ms_s, ms_e), max(ms_c, ms_e), -ms_e])  # components are not negative
    total = float(parts.sum())
    df = s - 1.0
    if total > 0:
        df = float(1 / np.sum((parts / total) ** 2 / [s - 1, c - 1, (s - 1) * (c - 1)]))
    se = float(np.sqrt(total / (s * c)))
    return mean_with_interval(float(matrix.mean()), se, df, confidence, size, "t test on systems x compositions")


def mean_with_interval(mean: float, se: float, df: float, confidence: float, size: float, method: str) -> Mean:
    """Return a mean with the t interval and the t test of a standard error; a negligible one is none.

    Examples
    --------
    >>> mean = mean_with_interval(0.5, 1e-17, 4, 0.95, 1.0, "t test")
    >>> mean.low, mean.high, mean.p
    (0.5, 0.5, 0.0)
    """
    se = 0.0 if negligible(se, size) else se
    half = float(stats.t.ppf((1 + confidence) / 2, df)) * se
    p = float(2 * stats.t.sf(abs(mean) / se, df)) if se > 0 else float(negligible(mean, size))
    return Mean(mean, mean - half, mean + half, se, float(df), p, method)
