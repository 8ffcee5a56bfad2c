"""Intervals of means and of mean differences over independent conditions."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats
from scipy.special import ndtr, ndtri

from genexpy_nb.common.checks import check_count, check_level, check_scores
from genexpy_nb.common.random import generator
from genexpy_nb.significance.coverage import chosen_interval, coverage_note
from genexpy_nb.significance.wilcoxon import paired_differences

_CHUNK = 4_000_000  # numbers held at once while resampling: 32 MB per array
_KNOWN = 2e-11  # relative difference up to which two means of scores are the same: scores are known to 12 digits


def mean_intervals(
    scores: ArrayLike | pd.DataFrame,
    *,
    interval: str = "auto",
    n_resamples: int = 10_000,
    confidence: float = 0.95,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Estimate the mean score of every alternative, with an interval as in `compare_pairs`."""
    table = check_scores(scores)
    n, k = table.values.shape
    method = chosen_interval(interval, n)
    # A mean is the mean difference to an alternative that always scores 0.
    against_zero = np.column_stack([table.values, np.zeros(n)])
    means = mean_differences(against_zero, np.arange(k), np.full(k, k), n_resamples, confidence, rng, method)
    intervals = pd.DataFrame(
        {
            "estimate": means.estimate,
            "low": means.low,
            "high": means.high,
            "n_conditions": n,
            "note": np.select([means.constant, means.fallback], ["constant", "t interval"], ""),
        },
        index=table.names.rename("alternative"),
    )
    notes = coverage_note(method, n, confidence, have_two_values(table.values))
    intervals.attrs |= {"interval": method, "notes": notes}
    return intervals


def have_two_values(values: np.ndarray) -> bool:
    """Say whether all scores of a table are one of two values, such as right and wrong."""
    return bool(np.isin(values, [values.min(), values.max()]).all() and values.min() < values.max())


class MeanDifferences(NamedTuple):
    """Paired differences, shape (n_pairs, n_conditions); each pair's mean, interval, and what is special of it."""

    differences: np.ndarray
    constant: np.ndarray
    estimate: np.ndarray
    low: np.ndarray
    high: np.ndarray
    fallback: np.ndarray  # Student's interval, because the studentized one has no end


def mean_differences(
    values: np.ndarray,
    i: np.ndarray,
    j: np.ndarray,
    n_resamples: int,
    confidence: float,
    rng: np.random.Generator | int,
    interval: str = "bca",
) -> MeanDifferences:
    """Estimate the mean difference of every pair of alternatives, with an interval."""
    n_resamples = check_count("n_resamples", n_resamples)
    confidence = check_level("confidence", confidence)
    d = paired_differences(values, i, j)
    n = d.shape[1]
    constant = (d == d[:, :1]).all(axis=1)
    estimate = np.where(constant, d[:, 0], d.mean(axis=1))
    centred = np.where(constant[:, None], 0.0, d - estimate[:, None])
    error = np.sqrt((centred**2).sum(axis=1) / (n - 1) / n)
    quantile = np.full(len(d), stats.t.ppf((1 + confidence) / 2, n - 1))
    fallback = np.zeros(len(d), dtype=bool)
    largest = np.abs(values).max(axis=0)
    tolerance = _KNOWN * np.maximum(largest[i], largest[j])
    if interval in ("percentile", "bca"):
        ordered = _by_size(centred, tolerance)
        ends = _quantiles_of_means(ordered, tolerance, n_resamples, confidence, rng, interval == "bca")
        low, high = np.where(constant, estimate, estimate + ends)
        return MeanDifferences(d, constant, estimate, low, high, fallback)
    if interval == "studentized":
        resampled = _quantiles_of_t(_by_size(centred, tolerance), n_resamples, confidence, rng)
        fallback = np.isinf(resampled) & ~constant
        quantile = np.where(np.isfinite(resampled), resampled, quantile)
    half = np.where(constant, 0.0, quantile * error)
    return MeanDifferences(d, constant, estimate, estimate - half, estimate + half, fallback)


def _by_size(centred: np.ndarray, tolerance: np.ndarray) -> np.ndarray:
    """Order each pair's deviations from the mean such that shuffled conditions and swapped alternatives fare alike."""
    largest = np.abs(centred).max(axis=1, keepdims=True)
    largest = np.where(largest > 0, largest, 1.0)
    shares = centred / largest
    grain = np.maximum(1e-9, 10 * tolerance[:, None] / largest)
    size = np.rint(np.abs(shares) / grain)  # what differs by rounding only has one size
    skewness = (shares**3).sum(axis=1, keepdims=True)
    longer = np.where(skewness < -grain, -1.0, 1.0)  # of two deviations of one size, that of the longer tail is last
    return np.take_along_axis(centred, np.lexsort([longer * np.sign(shares), size], axis=1), axis=1)


def _resamples(
    centred: np.ndarray, n_resamples: int, rng: np.random.Generator | int, moments: int
) -> Iterator[tuple[slice, list[np.ndarray]]]:
    """Yield for parts of the pairs the resampled means of their deviations, up to the power ``moments``."""
    n_pairs, n = centred.shape
    source = generator(rng)
    block = max(1, _CHUNK // n)
    sizes = [min(block, n_resamples - start) for start in range(0, n_resamples, block)]
    step = max(1, _CHUNK // n_resamples)
    for start in range(0, n_pairs, step):
        part = slice(start, start + step)
        powers = [centred[part] ** power for power in range(1, moments + 1)]
        # The generator that was given moves on by the draws of one part.
        again = source if start + step >= n_pairs else copy.deepcopy(source)
        counts = (again.multinomial(n, np.full(n, 1 / n), size=size).T / n for size in sizes)
        means = [[power @ count for power in powers] for count in counts]
        yield part, [np.concatenate(parts, axis=1) for parts in zip(*means, strict=True)]


def _quantiles_of_t(
    centred: np.ndarray, n_resamples: int, confidence: float, rng: np.random.Generator | int
) -> np.ndarray:
    """Return the quantile of abs(t) over the resamples, shape (n_pairs,), infinite if resamples hold equal numbers."""
    n = centred.shape[1]
    quantiles = np.zeros(len(centred))
    for part, (means, squares) in _resamples(centred, n_resamples, rng, moments=2):
        variance = squares - means**2
        flat = variance <= _KNOWN * (centred[part] ** 2).mean(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.sqrt(n - 1) * np.abs(means) / np.sqrt(variance)
        t[flat] = np.inf
        # The order statistic whose rank is a share of n + 1, rounded up: it holds for any number of resamples.
        rank = min(int(np.ceil(confidence * (n_resamples + 1))), n_resamples) - 1
        quantiles[part] = np.partition(t, rank, axis=1)[:, rank]
    return quantiles


def _quantiles_of_means(
    centred: np.ndarray,
    tolerance: np.ndarray,
    n_resamples: int,
    confidence: float,
    rng: np.random.Generator | int,
    corrected: bool,
) -> np.ndarray:
    """Return the ends of the percentile or the BCa interval of each mean deviation, shape (2, n_pairs)."""
    # The jackknife of a mean leaves the deviations themselves (Efron and Tibshirani, Eq. 14.15).
    squares = (centred**2).sum(axis=1)
    acceleration = (centred**3).sum(axis=1) / np.where(squares > 0, 6 * squares**1.5, 1.0)
    ends = np.empty((2, len(centred)))
    for part, (means,) in _resamples(centred, n_resamples, rng, moments=1):
        means.sort(axis=1)
        if corrected:
            ends[:, part] = _bca(means, acceleration[part], tolerance[part], confidence)
        else:
            ends[:, part] = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2], axis=1)
    return ends


def _bca(resampled: np.ndarray, acceleration: np.ndarray, tolerance: np.ndarray, confidence: float) -> np.ndarray:
    """Return the ends of the BCa intervals, shape (2, n_pairs), of sorted resamples, shape (n_pairs, n_resamples)."""
    # Discrete scores put many resampled means on the observed one, here 0: count those as ties despite rounding.
    least, most = -tolerance[:, None], tolerance[:, None]
    below = ((resampled < least).mean(axis=1) + (resampled <= most).mean(axis=1)) / 2
    z0, rows = ndtri(below), np.arange(len(resampled))
    ends = np.empty((2, len(resampled)))
    with np.errstate(invalid="ignore"):  # a few resamples can all lie on one side: z0 is infinite
        for side, z in enumerate(ndtri([(1 - confidence) / 2, (1 + confidence) / 2])):
            shifted = z0 + z
            room = 1 - acceleration * shifted
            share = np.where(room > 0, ndtr(z0 + shifted / room), shifted > 0)
            # each row's quantile at its own share, linear between order statistics
            position = np.where(np.isfinite(z0), share, z0 > 0) * (resampled.shape[1] - 1)
            floor = np.floor(position).astype(int)
            lower, upper = resampled[rows, floor], resampled[rows, np.minimum(floor + 1, resampled.shape[1] - 1)]
            ends[side] = lower + (position - floor) * (upper - lower)
    return ends


def standardized_ends(
    differences: np.ndarray, n_resamples: int, confidence: float, rng: np.random.Generator | int
) -> np.ndarray:
    """Return the ends of BCa intervals of mean / standard deviation, shape (2, n_pairs); infinite without an end."""
    n = differences.shape[1]
    mean = differences.mean(axis=1, keepdims=True)
    known = _KNOWN * np.abs(differences).max(axis=1, keepdims=True)
    centred = _by_size(differences - mean, known[:, 0])
    squares = (centred**2).sum(axis=1, keepdims=True)
    ends = np.empty((2, len(centred)))
    with np.errstate(divide="ignore", invalid="ignore"):  # without spread, or in resamples that are all alike
        effect = mean / np.sqrt(squares / (n - 1))
        left_out = (mean - centred / (n - 1)) / np.sqrt((squares - centred**2 * n / (n - 1)) / max(n - 2, 1))
        pull = left_out.mean(axis=1, keepdims=True) - left_out
        acceleration = np.nan_to_num((pull**3).sum(axis=1) / (6 * (pull**2).sum(axis=1) ** 1.5))
        for part, (means, mean_squares) in _resamples(centred, n_resamples, rng, moments=2):
            variance = np.maximum((mean_squares - means**2) * n / (n - 1), 0.0)
            moved = np.sort((mean[part] + means) / np.sqrt(variance) - effect[part], axis=1)
            ends[:, part] = _bca(moved, acceleration[part], known[part, 0], confidence) + effect[part, 0]
    constant = (differences == differences[:, :1]).all(axis=1)
    point = np.where(mean[:, 0] == 0, 0.0, np.copysign(np.inf, mean[:, 0]))
    return np.where(constant, point, np.where(np.isnan(ends), [[-np.inf], [np.inf]], ends))
