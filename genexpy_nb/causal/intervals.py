"""Means with t intervals: over clusters that are independent of each other, and over two crossed kinds of luck."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from genexpy_nb.causal.components import variance_components
from genexpy_nb.causal.rounding import negligible


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
    """Return the mean with its cluster-robust standard error (CR2), and t with Bell and McCaffrey's degrees of
    freedom.
    """
    codes, names = pd.factorize(clusters)
    g, n, mean = len(names), len(values), float(values.mean())
    if g < 2:
        return without_interval(mean)
    sums, sizes = np.bincount(codes, weights=values - mean), np.bincount(codes)
    se = float(np.sqrt(np.sum(sums**2 / (1 - sizes / n))) / n)
    method = "t test" if g == n else "t test on clusters"
    return mean_with_interval(mean, se, _bell_mccaffrey(sizes), confidence, size, method)


def _bell_mccaffrey(sizes: np.ndarray) -> float:
    """Degrees of freedom of CR2 for a mean, were all values independent and alike: (sum lambda)^2 / sum lambda^2."""
    if np.ptp(sizes) == 0:
        return len(sizes) - 1.0
    weights = sizes / sizes.sum()
    squares = weights**2 / (1 - weights)
    return float(1 / (np.sum(weights**2) + squares.sum() ** 2 - np.sum(squares**2)))


def crossed_mean(matrix: np.ndarray, confidence: float, size: float) -> Mean:
    """Return the mean of a crossed design whose rows and columns are random; Satterthwaite's degrees of freedom."""
    s, c = matrix.shape
    ms_s, ms_c, ms_e = variance_components(matrix, crossed=True, size=size).mean_squares
    parts = np.array([max(ms_s, ms_e), max(ms_c, ms_e), -ms_e])  # components are not negative
    total = float(parts.sum())
    df = s - 1.0
    if total > 0:
        df = float(1 / np.sum((parts / total) ** 2 / [s - 1, c - 1, (s - 1) * (c - 1)]))
    se = float(np.sqrt(total / (s * c)))
    return mean_with_interval(float(matrix.mean()), se, df, confidence, size, "t test on systems x compositions")


def crossed_difference(x: np.ndarray, y: np.ndarray, confidence: float, size: float) -> Mean:
    """Return the difference of the means of two groups of systems that ran on the same random compositions."""
    c = x.shape[1]
    systems, rests = [], []
    for group in (x, y):
        ms_s, _, ms_e = variance_components(group, crossed=True, size=size).mean_squares
        systems.append(max(ms_s, ms_e) / group.size)  # components are not negative
        rests.append(ms_e / group.size)
    columns = x.mean(axis=0) - y.mean(axis=0)
    parts = np.array([*systems, max(float(columns.var(ddof=1)) / c, sum(rests)), *(-rest for rest in rests)])
    total = float(parts.sum())
    df = len(x) + len(y) - 2.0
    if total > 0:
        dfs = [len(x) - 1, len(y) - 1, c - 1, (len(x) - 1) * (c - 1), (len(y) - 1) * (c - 1)]
        df = float(1 / np.sum((parts / total) ** 2 / dfs))
    estimate = float(x.mean() - y.mean())
    method = "t test on two groups of systems x compositions"
    return mean_with_interval(estimate, float(np.sqrt(total)), df, confidence, size, method)


def without_interval(estimate: float, method: str = "no interval") -> Mean:
    """Return an estimate without an interval or a test."""
    return Mean(float(estimate), np.nan, np.nan, np.nan, np.nan, np.nan, method)


def mean_with_interval(mean: float, se: float, df: float, confidence: float, size: float, method: str) -> Mean:
    """Return a mean with the t interval and the t test of a standard error; a negligible one gives neither."""
    if negligible(se, size):
        return Mean(mean, np.nan, np.nan, 0.0, float(df), np.nan, method)
    half = float(stats.t.ppf((1 + confidence) / 2, df)) * se
    return Mean(mean, mean - half, mean + half, se, float(df), float(2 * stats.t.sf(abs(mean) / se, df)), method)
