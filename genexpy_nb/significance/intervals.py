"""Bootstrap intervals of means and of mean differences, all alternatives on the same resamples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from genexpy_nb.common.checks import check_count, check_level, check_scores
from genexpy_nb.significance.wilcoxon import paired_differences

__all__ = ["MeanDifferences", "mean_differences", "mean_intervals"]

_CHUNK = 4_000_000  # numbers held at once while resampling: 32 MB per array


def mean_intervals(
    scores: ArrayLike | pd.DataFrame,
    *,
    n_resamples: int = 10_000,
    confidence: float = 0.95,
    rng: np.random.Generator | int = 0,
    missing: str = "error",
) -> pd.DataFrame:
    """Estimate the mean score of every alternative, with its BCa interval.

    The conditions are resampled once for all alternatives. With the same ``rng``, the resamples are those of
    `compare_pairs`.

    Parameters
    ----------
    scores : DataFrame or array_like, shape (n_conditions, n_alternatives)
        At least two of each.
    n_resamples : int
        Bootstrap resamples, >= 1.
    confidence : float
        Of the intervals, in (0, 1).
    rng : numpy.random.Generator or int
        Source of randomness, or its seed.
    missing : {"error", "drop"}
        What becomes of conditions with a missing score.

    Returns
    -------
    DataFrame, one row per alternative, in the order of the columns of ``scores``
        Index: the alternative. ``estimate`` (mean score) with its BCa interval ``low``, ``high``; ``n_conditions``
        (scores averaged); ``note``: ``constant`` if all scores are equal (a point interval). ``attrs["n_dropped"]``
        counts incomplete conditions.

    Raises
    ------
    StudyError
        As `friedman`.
    ParameterError
        If ``n_resamples`` or ``confidence`` is out of range.

    Notes
    -----
    The intervals take the conditions for independent, see `compare_pairs`.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, Section 14.3.

    Examples
    --------
    >>> means = mean_intervals(pd.DataFrame({"tree": [0.8, 0.7, 0.9, 0.6], "chance": 0.5}))
    >>> means[["estimate", "low", "high", "n_conditions"]].reset_index()
      alternative  estimate   low  high  n_conditions
    0        tree      0.75  0.65  0.85             4
    1      chance      0.50  0.50  0.50             4
    >>> means["note"].tolist()
    ['', 'constant']
    """
    table = check_scores(scores, missing)
    n, k = table.values.shape
    # A mean is the mean difference to an alternative that always scores 0.
    against_zero = np.column_stack([table.values, np.zeros(n)])
    means = mean_differences(against_zero, np.arange(k), np.full(k, k), n_resamples, confidence, rng)
    intervals = pd.DataFrame(
        {
            "estimate": means.estimate,
            "low": means.low,
            "high": means.high,
            "n_conditions": n,
            "note": np.where(means.constant, "constant", ""),
        },
        index=table.names.rename("alternative"),
    )
    intervals.attrs["n_dropped"] = table.n_dropped
    return intervals


class MeanDifferences(NamedTuple):
    """Paired differences, shape (n_pairs, n_conditions), and of every pair, shapes (n_pairs,): is it constant, what is
    its mean, and where does the BCa interval of the mean end.
    """

    differences: np.ndarray
    constant: np.ndarray
    estimate: np.ndarray
    low: np.ndarray
    high: np.ndarray


def mean_differences(
    values: np.ndarray,
    i: np.ndarray,
    j: np.ndarray,
    n_resamples: int,
    confidence: float,
    rng: np.random.Generator | int,
) -> MeanDifferences:
    """Estimate the mean difference of every pair of alternatives, with its BCa interval.

    Parameters
    ----------
    values : ndarray, shape (n_conditions, n_alternatives)
        Finite scores.
    i, j : ndarray of int, shape (n_pairs,)
        Columns of the alternatives.
    n_resamples, confidence, rng
        See `mean_intervals`.

    Returns
    -------
    MeanDifferences
        Scores of i minus scores of j. The interval of a constant difference is a point.

    Raises
    ------
    ParameterError
        If ``n_resamples`` or ``confidence`` is out of range.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, Section 14.3.

    Examples
    --------
    >>> scores = np.array([[3.0, 1.0], [2.0, 1.0], [4.0, 1.0]])
    >>> pairs = mean_differences(scores, np.array([0]), np.array([1]), n_resamples=999, confidence=0.95, rng=0)
    >>> pairs.estimate, pairs.low, pairs.high
    (array([2.]), array([1.]), array([3.]))
    """
    n_resamples = check_count("n_resamples", n_resamples)
    confidence = check_level("confidence", confidence)
    d = paired_differences(values, i, j)
    constant = (d == d[:, :1]).all(axis=1)
    estimate = np.where(constant, d[:, 0], d.mean(axis=1))
    # The jackknife of a mean leaves the centred differences themselves (Efron and Tibshirani, Eq. 14.15).
    centred = d - estimate[:, None]
    squares = np.where(constant, 1.0, (centred**2).sum(axis=1))
    acceleration = (centred**3).sum(axis=1) / (6 * squares**1.5)
    rounding = 4 * len(values) * np.finfo(float).eps * np.abs(values).max(axis=0)
    means = _resampled_means(values, n_resamples, np.random.default_rng(rng))
    ends = np.empty((2, len(i)))
    step = max(1, _CHUNK // n_resamples)
    for start in range(0, len(i), step):
        part = slice(start, start + step)
        resampled = np.sort(means[i[part]] - means[j[part]], axis=1)
        tolerance = rounding[i[part]] + rounding[j[part]]
        ends[:, part] = _bca(resampled, estimate[part], acceleration[part], tolerance, confidence)
    low, high = np.where(constant, estimate, ends)
    return MeanDifferences(d, constant, estimate, low, high)


def _resampled_means(values: np.ndarray, n_resamples: int, rng: np.random.Generator) -> np.ndarray:
    """Return the means of all alternatives in every resample of the conditions, shape (n_alternatives, n_resamples).

    A resample is a row of counts, how often each condition was drawn; the means of all alternatives are then one matrix
    product, and a pair needs only a subtraction.
    """
    n = len(values)
    block = max(1, _CHUNK // n)
    sizes = [min(block, n_resamples - start) for start in range(0, n_resamples, block)]
    means = [rng.multinomial(n, np.full(n, 1 / n), size=size) @ (values / n) for size in sizes]
    return np.concatenate(means).T.copy()


def _bca(
    resampled: np.ndarray, estimate: np.ndarray, acceleration: np.ndarray, tolerance: np.ndarray, confidence: float
) -> np.ndarray:
    """Return the ends of the BCa intervals, shape (2, n_pairs), from sorted resamples, shape (n_pairs, n_resamples)."""
    # Discrete scores put many resampled means exactly on the observed one: count those as ties despite rounding.
    least, most = (estimate - tolerance)[:, None], (estimate + tolerance)[:, None]
    below = ((resampled < least).mean(axis=1) + (resampled <= most).mean(axis=1)) / 2
    z0 = ndtri(below)
    ends = np.empty((2, len(estimate)))
    with np.errstate(invalid="ignore"):  # a few resamples can all lie on one side: z0 is infinite
        for side, z in enumerate(ndtri([(1 - confidence) / 2, (1 + confidence) / 2])):
            shifted = z0 + z
            room = 1 - acceleration * shifted
            share = np.where(room > 0, ndtr(z0 + shifted / room), shifted > 0)
            ends[side] = _quantile_of_sorted(resampled, np.where(np.isfinite(z0), share, z0 > 0))
    return ends


def _quantile_of_sorted(ordered: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Return one quantile per row, each row at its own share, linear between order statistics."""
    position = share * (ordered.shape[1] - 1)
    floor = np.floor(position).astype(int)
    rows = np.arange(len(ordered))
    lower, upper = ordered[rows, floor], ordered[rows, np.minimum(floor + 1, ordered.shape[1] - 1)]
    return lower + (position - floor) * (upper - lower)
