"""All pairs of alternatives: differences, intervals, tests and effect sizes."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri
from statsmodels.stats.proportion import proportion_confint

from genexpy_nb.common.checks import Scores, check_level, check_scores
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.significance.multiple import adjust_pvalues
from genexpy_nb.significance.wilcoxon import (
    paired_differences,
    wilcoxon_pratt,
)

__all__ = ["compare_pairs"]

_CHUNK = 4_000_000  # numbers held at once while resampling: 32 MB per array


def compare_pairs(
    scores: ArrayLike | pd.DataFrame,
    *,
    higher_is_better: bool = True,
    n_resamples: int = 10_000,
    confidence: float = 0.95,
    rng: np.random.Generator | int = 0,
    missing: str = "error",
    method: str = "auto",
) -> pd.DataFrame:
    """Compare all pairs of alternatives: mean difference, BCa interval, Wilcoxon, Holm, effect sizes.

    The conditions are resampled once for all pairs, so that the pairing and the dependence between pairs are kept.

    Parameters
    ----------
    scores : DataFrame or array_like, shape (n_conditions, n_alternatives)
        At least two of each.
    higher_is_better : bool
        Only the probability of improvement depends on it; differences are always a minus b.
    n_resamples : int
        Bootstrap resamples, >= 1.
    confidence : float
        Of both intervals, in (0, 1).
    rng : numpy.random.Generator or int
        Source of randomness, or its seed.
    missing : {"error", "drop"}
        What becomes of conditions with a missing score.
    method : {"auto", "exact", "asymptotic"}
        See `wilcoxon_pratt`.

    Returns
    -------
    DataFrame, one row per pair, in the order of the columns of ``scores``
        ``a``, ``b``, ``n`` (conditions compared), ``estimate`` (of a minus b) with its BCa interval ``low``,
        ``high``; ``p`` (Pratt, two-sided) and ``p_adjusted`` (over all pairs); ``d_z`` = mean / standard
        deviation of the differences; ``d_av`` = mean difference / root of the mean of both variances;
        ``probability_of_improvement``, the share of conditions on which a is better than b, ties counting one half,
        with its Wilson interval ``poi_low``, ``poi_high`` (cautious where there are ties); ``note``:
        ``identical`` (p = 1, d = 0) or ``constant difference`` (a point interval, d_z infinite).
        ``attrs["notes"]`` lists what concerns the whole table, ``attrs["n_dropped"]`` counts incomplete conditions.

    Raises
    ------
    StudyError
        As `friedman`.
    ParameterError
        If ``n_resamples`` or ``confidence`` is out of range.

    Notes
    -----
    All p-values and intervals take the conditions for independent. Folds of one cross-validation are not: they share
    training data, and the tests become too eager.

    References
    ----------
    A Deterministic Protocol for Reliable Model Comparison in ML, Section 3.2; Efron and Tibshirani (1993), Section
    14.3; Holm (1979); Cumming (2012) for d_av; Agarwal et al., NeurIPS 2021, for the probability of improvement.

    Examples
    --------
    >>> pairs = compare_pairs(pd.DataFrame({"tree": [0.8, 0.7, 0.9, 0.6], "forest": [0.9, 0.7, 1.0, 0.8]}))
    >>> pairs[["a", "b", "estimate", "low", "high", "p", "d_z", "d_av"]].round(3)
          a       b  estimate    low   high  p    d_z   d_av
    0  tree  forest             -0.1 -0.175 -0.025        0.25 -1.225 -0.775
    """
    check_level("confidence", confidence)
    if isinstance(n_resamples, bool) or not isinstance(n_resamples, int | np.integer) or n_resamples < 1:
        raise ParameterError(f"n_resamples must be an integer of at least 1, got {n_resamples!r}")
    table = check_scores(scores, missing)
    n, k = table.values.shape
    i, j = np.triu_indices(k, 1)
    d = paired_differences(table.values, i, j)
    constant = (d == d[:, :1]).all(axis=1)
    mean = np.where(constant, d[:, 0], d.mean(axis=1))
    low, high = _bca(table.values, i, j, d, mean, constant, n_resamples, confidence, np.random.default_rng(rng))
    spread_z = np.where(constant, 0.0, d.std(axis=1, ddof=1))
    fixed = (table.values == table.values[0]).all(axis=0)
    variance = np.where(fixed, 0.0, table.values.var(axis=0, ddof=1))
    won = np.sum(d > 0, axis=1) if higher_is_better else np.sum(d < 0, axis=1)
    won = won + np.sum(d == 0, axis=1) / 2
    poi_low, poi_high = proportion_confint(won, n, alpha=1 - confidence, method="wilson")
    p = wilcoxon_pratt(d, method)
    pairs = pd.DataFrame(
        {
            "a": table.names[i],
            "b": table.names[j],
            "n": n,
            "estimate": mean,
            "low": low,
            "high": high,
            "p": p,
            "p_adjusted": adjust_pvalues(p, "holm"),
            "d_z": _ratio(mean, spread_z),
            "d_av": _ratio(mean, np.sqrt((variance[i] + variance[j]) / 2)),
            "probability_of_improvement": won / n,
            "poi_low": poi_low,
            "poi_high": poi_high,
            "note": np.select([(d == 0).all(axis=1), constant], ["identical", "constant difference"], ""),
        }
    )
    pairs.attrs |= {"n_dropped": table.n_dropped, "notes": _pair_notes(table, len(pairs), 1 - confidence)}
    return pairs


def _bca(
    values: np.ndarray,
    i: np.ndarray,
    j: np.ndarray,
    d: np.ndarray,
    mean: np.ndarray,
    constant: np.ndarray,
    n_resamples: int,
    confidence: float,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of the BCa interval of every mean difference, shapes (n_pairs,).

    A resample is a row of counts, how often each condition was drawn; the resampled means of all alternatives are then
    one matrix product, and a pair needs only a subtraction.
    """
    n = len(values)
    block = max(1, _CHUNK // n)
    means = np.concatenate(
        [
            rng.multinomial(n, np.full(n, 1 / n), size=min(block, n_resamples - start)) @ (values / n)
            for start in range(0, n_resamples, block)
        ]
    ).T.copy()
    # The jackknife of a mean leaves the centred differences themselves (Efron and Tibshirani, Eq. 14.15).
    centred = d - mean[:, None]
    squares = np.where(constant, 1.0, (centred**2).sum(axis=1))
    acceleration = (centred**3).sum(axis=1) / (6 * squares**1.5)
    # Discrete scores put many resampled means exactly on the observed one: count those as ties despite rounding.
    rounding = 4 * n * np.finfo(float).eps * np.abs(values).max(axis=0)
    z = ndtri([(1 - confidence) / 2, (1 + confidence) / 2])
    ends = np.empty((2, len(i)))
    step = max(1, _CHUNK // n_resamples)
    for start in range(0, len(i), step):
        part = slice(start, start + step)
        resampled = np.sort(means[i[part]] - means[j[part]], axis=1)
        tolerance = (rounding[i[part]] + rounding[j[part]])[:, None]
        centre = mean[part, None]
        below = (resampled < centre - tolerance).mean(axis=1) + (resampled <= centre + tolerance).mean(axis=1)
        with np.errstate(invalid="ignore"):  # a few resamples can all lie on one side: z0 is infinite
            z0 = ndtri(below / 2)
            for side in (0, 1):
                shifted = z0 + z[side]
                room = 1 - acceleration[part] * shifted
                level = np.where(room > 0, ndtr(z0 + shifted / room), shifted > 0)
                ends[side, part] = _quantile_of_sorted(resampled, np.where(np.isfinite(z0), level, z0 > 0))
    return np.where(constant, mean, ends[0]), np.where(constant, mean, ends[1])


def _quantile_of_sorted(ordered: np.ndarray, level: np.ndarray) -> np.ndarray:
    """Return one quantile per row, at its own level, linear between order statistics."""
    position = level * (ordered.shape[1] - 1)
    floor = np.floor(position).astype(int)
    rows = np.arange(len(ordered))
    lower, upper = ordered[rows, floor], ordered[rows, np.minimum(floor + 1, ordered.shape[1] - 1)]
    return lower + (position - floor) * (upper - lower)


def _ratio(mean: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """Return mean / spread; without spread 0 for no difference, else infinite with the sign of the difference."""
    limit = np.where(mean == 0, 0.0, np.copysign(np.inf, mean))
    return np.divide(mean, spread, out=limit, where=spread > 0)


def _pair_notes(table: Scores, n_pairs: int, alpha: float) -> list[str]:
    n = len(table.values)
    notes = [f"Left out {table.n_dropped} incomplete conditions, {n} remain."] if table.n_dropped else []
    smallest = 2.0 ** (1 - n)
    if smallest * n_pairs > alpha:
        notes.append(
            f"{n} conditions cannot make a Wilcoxon p-value smaller than {smallest:.2g}; Holm's correction over "
            f"{n_pairs:,} pairs multiplies the smallest ones by up to {n_pairs:,}."
        )
    return notes
