"""One answer from several completions of a table with missing cells: estimates, intervals, p-values.

Each completion is answered as if nothing had been missing; what differs between the completions is what the missing
cells leave open, and becomes part of the answer (Rubin, Multiple Imputation for Nonresponse in Surveys, 1987).
"""

from __future__ import annotations

import numpy as np
from scipy.special import chdtrc, fdtrc, ndtr, ndtri, stdtrit

_SMALLEST_P = 1e-300  # its normal quantile still is a number


def pool_intervals(
    estimates: np.ndarray, low: np.ndarray, high: np.ndarray, confidence: float = 0.95
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Combine the estimates of several completions, and their intervals."""
    if len(estimates) == 1:
        return estimates[0], low[0], high[0]
    added = _between(estimates, confidence)
    with np.errstate(invalid="ignore"):  # infinity minus infinity; the ends are then taken as below
        mean = estimates.mean(axis=0)
        below = np.sqrt(((estimates - low) ** 2).mean(axis=0) + added)
        above = np.sqrt(((high - estimates) ** 2).mean(axis=0) + added)
    least = np.where(np.isinf(mean) | np.isinf(low).any(axis=0), low.min(axis=0), mean - below)
    most = np.where(np.isinf(mean) | np.isinf(high).any(axis=0), high.max(axis=0), mean + above)
    return mean, least, most


def share_between(estimates: np.ndarray, low: np.ndarray, high: np.ndarray, confidence: float = 0.95) -> np.ndarray:
    """Say which share of the squared width of a combined interval is due to what differs between completions."""
    added = _between(estimates, confidence)
    with np.errstate(invalid="ignore"):
        within = (((high - low) / 2) ** 2).mean(axis=0)
    known = np.isfinite(within) & np.isfinite(added)
    share = np.divide(added, within + added, out=np.zeros(np.shape(added)), where=known & (added > 0))
    return np.where(known, share, np.nan)


def _between(estimates: np.ndarray, confidence: float) -> np.ndarray:
    """Return the square of what the spread between completions adds to half an interval."""
    count = len(estimates)
    if count == 1:
        return np.zeros(estimates.shape[1:])
    with np.errstate(invalid="ignore"):
        variance = estimates.var(axis=0, ddof=1)
    return np.square(stdtrit(count - 1, (1 + confidence) / 2)) * (1 + 1 / count) * variance


def pool_p_values(p: np.ndarray, direction: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Combine two-sided p-values of several completions by the z-transformation."""
    z = -ndtri(np.maximum(p, _SMALLEST_P) / 2) * direction
    mean = z.mean(axis=0)
    variance = 1 + (1 + 1 / len(z)) * (z.var(axis=0, ddof=1) if len(z) > 1 else 0.0)
    agree = (p == p[0]).all(axis=0) & (direction == direction[0]).all(axis=0)
    pooled = np.where(agree, p[0], 2 * ndtr(-np.abs(mean) / np.sqrt(variance)))
    return pooled, np.sign(np.where(agree, direction[0], mean)).astype(int)


def pool_chi_squared(values: np.ndarray, degrees: int) -> float:
    """Combine chi-squared statistics of several completions; return the p-value."""
    count, mean = len(values), values.mean()
    increase = (1 + 1 / count) * np.sqrt(values).var(ddof=1) if count > 1 else 0.0
    if increase <= 0:
        return float(chdtrc(degrees, mean))
    statistic = (mean / degrees - (count + 1) / (count - 1) * increase) / (1 + increase)
    residual = degrees ** (-3 / count) * (count - 1) * (1 + 1 / increase) ** 2
    return float(fdtrc(degrees, residual, max(statistic, 0.0)))
