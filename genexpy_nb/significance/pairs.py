"""All pairs of alternatives: differences, intervals, tests and effect sizes."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from statsmodels.stats.proportion import proportion_confint

from genexpy_nb.common.checks import Scores, check_direction, check_scores
from genexpy_nb.significance.intervals import mean_differences
from genexpy_nb.significance.multiple import adjust_pvalues
from genexpy_nb.significance.wilcoxon import signed_rank_direction, wilcoxon_pratt

__all__ = ["compare_pairs"]


def compare_pairs(
    scores: ArrayLike | pd.DataFrame,
    *,
    higher_is_better: bool,
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
        The probability of improvement and ``favours`` depend on it; differences are always a minus b.
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
        ``a``, ``b``, ``n_conditions`` (conditions compared), ``estimate`` (of a minus b) with its BCa interval ``low``,
        ``high``; ``p`` (Pratt, two-sided) and ``p_adjusted`` (over all pairs); ``favours``, the alternative that the
        test behind ``p`` points to (`signed_rank_direction`), or empty: it can be another one than that with the better
        mean, and a significant ``p`` speaks for this one; ``d_z`` = mean / standard
        deviation of the differences; ``d_av`` = mean difference / root of the mean of both variances;
        ``probability_of_improvement``, the share of conditions on which a is better than b, ties counting one half,
        with its Wilson interval ``poi_low``, ``poi_high`` (cautious where there are ties); ``note``:
        ``identical`` (p = 1, d = 0) or ``constant difference`` (a point interval, d_z infinite).
        ``attrs["notes"]`` lists what concerns the whole table, ``attrs["n_dropped"]`` counts incomplete conditions,
        and ``attrs["higher_is_better"]`` is what was given.

    Raises
    ------
    StudyError
        As `friedman`.
    ParameterError
        If ``n_resamples`` or ``confidence`` is out of range, or ``higher_is_better`` is no truth value.

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
    >>> scores = pd.DataFrame({"tree": [0.8, 0.7, 0.9, 0.6], "forest": [0.9, 0.7, 1.0, 0.8]})
    >>> pairs = compare_pairs(scores, higher_is_better=True)
    >>> pairs[["a", "b", "estimate", "low", "high", "p", "d_z", "d_av"]].round(3)
          a       b  estimate    low   high     p    d_z   d_av
    0  tree  forest      -0.1 -0.175 -0.025  0.25 -1.225 -0.775
    """
    higher_is_better = check_direction(higher_is_better)
    table = check_scores(scores, missing)
    n, k = table.values.shape
    i, j = np.triu_indices(k, 1)
    d, constant, mean, low, high = mean_differences(table.values, i, j, n_resamples, confidence, rng)
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
            "n_conditions": n,
            "estimate": mean,
            "low": low,
            "high": high,
            "p": p,
            "p_adjusted": adjust_pvalues(p, "holm"),
            "favours": _favoured(table, i, j, d if higher_is_better else -d),
            "d_z": _ratio(mean, spread_z),
            "d_av": _ratio(mean, np.sqrt((variance[i] + variance[j]) / 2)),
            "probability_of_improvement": won / n,
            "poi_low": poi_low,
            "poi_high": poi_high,
            "note": np.select([(d == 0).all(axis=1), constant], ["identical", "constant difference"], ""),
        }
    )
    pairs.attrs["higher_is_better"] = higher_is_better
    pairs.attrs |= {"n_dropped": table.n_dropped, "notes": _pair_notes(table, len(pairs), 1 - confidence)}
    return pairs


def _favoured(table: Scores, i: np.ndarray, j: np.ndarray, gains: np.ndarray) -> np.ndarray:
    """Return the name of the alternative that the signed ranks point to, or an empty text, shape (n_pairs,)."""
    names = np.append(table.names.to_numpy(dtype=object), "")  # the empty one is last, at -1
    direction = signed_rank_direction(gains)
    return names[np.select([direction > 0, direction < 0], [i, j], -1)]


def _ratio(mean: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """Return mean / spread; without spread 0 for no difference, else infinite with the sign of the difference."""
    limit = np.where(mean == 0, 0.0, np.copysign(np.inf, mean))
    return np.divide(mean, spread, out=limit, where=spread > 0)


def _pair_notes(table: Scores, n_pairs: int, level: float) -> list[str]:
    n = len(table.values)
    notes = [f"Left out {table.n_dropped} incomplete conditions, {n} remain."] if table.n_dropped else []
    smallest = 2.0 ** (1 - n)
    if smallest * n_pairs > level:
        notes.append(
            f"{n} conditions cannot make a Wilcoxon p-value smaller than {smallest:.2g}; Holm's correction over "
            f"{n_pairs:,} pairs multiplies the smallest ones by up to {n_pairs:,}."
        )
    return notes
