"""Means with t intervals: over clusters that are independent of each other, and over two crossed kinds of luck."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from genexpy_nb.causal.components import variance_components
from genexpy_nb.causal.rounding import negligible

__all__ = ["Mean", "clustered_mean", "crossed_difference", "crossed_mean", "mean_with_interval", "without_interval"]


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
    """Return the mean with its cluster-robust standard error (CR2), and t with Bell and McCaffrey's degrees of freedom.

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

    Notes
    -----
    With S_g the sum of the residuals of cluster g and w_g its share of the values, the variance is the sum of
    S_g^2 / (1 - w_g) over n^2. Clusters of equal size have (n_clusters - 1) degrees of freedom, and all of it is the t
    test of their means; with clusters of one value each, that of the values. In simulations of normal effects with 3,
    5, 10 and 30 clusters (equal; one ten times larger; sizes that grow by a half each; correlation within clusters 0 to
    1), it covered 93 to 99 %; CR1 with (n_clusters - 1) degrees of freedom covered 70 to 92 % where one of up to 10
    clusters is ten times larger (`benchmarks/bench_causal.py`).

    References
    ----------
    Bell and McCaffrey, Bias reduction in standard errors for linear regression with multi-stage samples (2002);
    Imbens and Kolesar, Robust standard errors in small samples (2016).

    Examples
    --------
    >>> mean = clustered_mean(np.array([1.0, 2.0, 4.0, 5.0]), np.array(["u", "u", "v", "v"]), 0.95, 5.0)
    >>> mean.estimate, mean.standard_error, mean.df
    (3.0, 1.5, 1.0)
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
    """Degrees of freedom of CR2 for a mean, were all values independent and alike: (sum lambda)^2 / sum lambda^2.

    The lambdas are eigenvalues of the matrix with w_g on the diagonal and -f_g f_h beside it, where
    f_g = w_g / sqrt(1 - w_g).
    """
    if np.ptp(sizes) == 0:
        return len(sizes) - 1.0
    weights = sizes / sizes.sum()
    squares = weights**2 / (1 - weights)
    return float(1 / (np.sum(weights**2) + squares.sum() ** 2 - np.sum(squares**2)))


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


def crossed_difference(x: np.ndarray, y: np.ndarray, confidence: float, size: float) -> Mean:
    """Return the difference of the means of two groups of systems that ran on the same random compositions.

    Parameters
    ----------
    x, y : ndarray, shape (n_systems of the group, n_compositions)
        Column j is the same composition in both; at least two of each.
    confidence, size : float
        As in `clustered_mean`.

    Returns
    -------
    Mean

    Notes
    -----
    What a composition does to both groups cancels; what it does to one more than to the other does not, and shows in
    the differences of the columns' means. Degrees of freedom are Satterthwaite's.

    Examples
    --------
    >>> mean = crossed_difference(np.array([[1.0, 1.5], [2.0, 2.5]]), np.array([[0.0, 1.0], [1.0, 2.0]]), 0.95, 2.5)
    >>> mean.estimate, round(mean.standard_error, 4)
    (0.75, 0.75)
    """
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
    """Return an estimate without an interval or a test.

    Examples
    --------
    >>> without_interval(0.5).low
    nan
    """
    return Mean(float(estimate), np.nan, np.nan, np.nan, np.nan, np.nan, method)


def mean_with_interval(mean: float, se: float, df: float, confidence: float, size: float, method: str) -> Mean:
    """Return a mean with the t interval and the t test of a standard error; a negligible one gives neither.

    Values without any spread do not say how far another sample would be away: an interval of no width, and p = 0,
    would claim certainty.

    Examples
    --------
    >>> mean_with_interval(0.5, 1e-17, 4, 0.95, 1.0, "t test").p
    nan
    """
    if negligible(se, size):
        return Mean(mean, np.nan, np.nan, 0.0, float(df), np.nan, method)
    half = float(stats.t.ppf((1 + confidence) / 2, df)) * se
    return Mean(mean, mean - half, mean + half, se, float(df), float(2 * stats.t.sf(abs(mean) / se, df)), method)
