"""One answer from several completions of a table with missing cells: estimates, intervals, p-values.

Each completion is answered as if nothing had been missing; what differs between the completions is what the missing
cells leave open, and becomes part of the answer (Rubin, Multiple Imputation for Nonresponse in Surveys, 1987).
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logit, stdtrit

_END = 1e-3  # of a share: what is nearer to 0 or 1 is hardly farther away on the scale of logits


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
    return mean, least, np.where(np.isinf(mean) | np.isinf(high).any(axis=0), high.max(axis=0), mean + above)


def pool_shares(
    estimates: np.ndarray, low: np.ndarray, high: np.ndarray, least: float = 0.0, confidence: float = 0.95
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Combine shares from the least one to 1, and their intervals, on logits; NaN where most have no estimate."""
    shown, below, above = (
        logit(_END + (1 - 2 * _END) * (each - least) / (1 - least)) for each in (estimates, low, high)
    )
    known = ~np.isnan(shown)
    mean = np.where(known, shown, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    mean = np.where(2 * known.sum(axis=0) > len(shown), mean, np.nan)
    _, below, above = pool_intervals((below + above) / 2, below, above, confidence)
    shares = ((expit(each) - _END) / (1 - 2 * _END) for each in (mean, below, above))
    estimate, lowest, highest = (least + (1 - least) * np.clip(share, 0.0, 1.0) for share in shares)
    return estimate, lowest, highest


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
