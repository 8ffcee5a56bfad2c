"""All pairs of alternatives: differences, intervals, tests and effect sizes."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from statsmodels.stats.proportion import proportion_confint

from genexpy_nb.common.checks import Scores, check_choice, check_direction, check_scores
from genexpy_nb.significance.coverage import chosen_interval, coverage_note
from genexpy_nb.significance.intervals import have_two_values, mean_differences
from genexpy_nb.significance.multiple import ADJUSTMENTS, adjust_pvalues
from genexpy_nb.significance.stepdown import romano_wolf
from genexpy_nb.significance.wilcoxon import signed_rank_direction, wilcoxon_pratt

__all__ = ["compare_pairs"]


def compare_pairs(
    scores: ArrayLike | pd.DataFrame,
    *,
    higher_is_better: bool,
    interval: str = "auto",
    adjust: str = "holm",
    n_resamples: int = 10_000,
    confidence: float = 0.95,
    rng: np.random.Generator | int = 0,
    missing: str = "error",
    method: str = "auto",
) -> pd.DataFrame:
    """Compare all pairs of alternatives: mean difference, interval, Wilcoxon, correction, effect sizes.

    Parameters
    ----------
    scores : DataFrame or array_like, shape (n_conditions, n_alternatives)
        At least two of each.
    higher_is_better : bool
        The probability of improvement and ``favours`` depend on it; differences are always a minus b.
    interval : {"auto", "t", "studentized", "percentile", "bca"}
        See `mean_intervals`; ``auto`` is ``t`` up to 9 conditions and ``studentized`` from 10 on.
    adjust : str
        Correction of the p-values over all pairs, one of `ADJUSTMENTS`, or ``romano-wolf`` (see `romano_wolf`).
    n_resamples : int
        Bootstrap resamples of an interval, and sign patterns of ``romano-wolf``, >= 1.
    confidence : float
        Of both intervals, each for itself, in (0, 1).
    rng : numpy.random.Generator or int
        Source of randomness, or its seed.
    missing : {"error", "drop"}
        What becomes of conditions with a missing score.
    method : {"auto", "exact", "asymptotic"}
        See `wilcoxon_pratt`.

    Returns
    -------
    DataFrame, one row per pair, in the order of the columns of ``scores``
        ``a``, ``b``, ``n_conditions`` (conditions compared), ``estimate`` (of a minus b) with its interval ``low``,
        ``high``; ``p`` (Wilcoxon, zeros after Pratt, two-sided) and ``p_adjusted`` (over all pairs); ``favours``, the
        alternative that the test behind ``p`` points to (`signed_rank_direction`), or empty: it can be another one than
        that with the better mean, and a significant ``p`` speaks for this one; ``d_z`` = mean / standard
        deviation of the differences; ``d_av`` = mean difference / root of the mean of both variances;
        ``probability_of_improvement``, the share of conditions on which a is better than b, ties counting one half,
        with its Wilson interval ``poi_low``, ``poi_high`` (cautious where there are ties); ``note``:
        ``identical`` (p = 1, d = 0), ``constant difference`` (a point, which is no interval; d_z infinite), or ``t
        interval`` (so many differences are equal that the studentized one has no end).
        ``attrs["interval"]`` names the interval, ``attrs["notes"]`` lists what concerns the whole table,
        ``attrs["n_dropped"]`` counts incomplete conditions, ``attrs["higher_is_better"]`` is what was given.

    Raises
    ------
    StudyError
        As `friedman`.
    ParameterError
        If a parameter is out of range, or ``higher_is_better`` is no truth value.

    Notes
    -----
    All p-values and intervals take the conditions for independent. Folds of one cross-validation are not: they share
    training data, and the tests become too eager. How often the intervals hold the true mean, `interval_advice` says;
    they are not adjusted for the number of pairs.

    Holm's correction is the default, because Romano and Wolf's gains little here. In five kinds of tables (all or half
    of the alternatives equal, correlated or not, normal or exponential) of 4 or 10 alternatives and 10, 30 or 100
    conditions, 1000 tables each, it made a false claim in 0.0 to 5.6 % of the tables, Holm's in 0.0 to 4.6 %, at the
    level .05, and it found 0 to 3 percentage points more of the differences that there were
    (``benchmarks/stepdown_familywise.py``).

    References
    ----------
    A Deterministic Protocol for Reliable Model Comparison in ML, Section 3.2; Holm (1979); Romano and Wolf (2005);
    Cumming (2012) for d_av; Agarwal et al., NeurIPS 2021, for the probability of improvement.

    Examples
    --------
    >>> scores = pd.DataFrame({"tree": [0.8, 0.7, 0.9, 0.6], "forest": [0.9, 0.7, 1.0, 0.8]})
    >>> pairs = compare_pairs(scores, higher_is_better=True)
    >>> pairs[["a", "b", "estimate", "low", "high", "p", "d_z", "d_av"]].round(3)
          a       b  estimate   low  high     p    d_z   d_av
    0  tree  forest      -0.1 -0.23  0.03  0.25 -1.225 -0.775
    """
    higher_is_better = check_direction(higher_is_better)
    check_choice("adjust", adjust, (*ADJUSTMENTS, "romano-wolf"))
    table = check_scores(scores, missing)
    n, k = table.values.shape
    i, j = np.triu_indices(k, 1)
    used = chosen_interval(interval, n)
    found = mean_differences(table.values, i, j, n_resamples, confidence, rng, used)
    d, mean, constant = found.differences, found.estimate, found.constant
    # A spread that is no more than rounding is none.
    rounding = 1e-11 * np.abs(table.values).max(axis=0)
    spread = table.values.std(axis=0, ddof=1)
    variance = np.where(spread <= rounding, 0.0, spread) ** 2
    gains = d if higher_is_better else -d
    won = np.sum(gains > 0, axis=1) + np.sum(gains == 0, axis=1) / 2
    poi_low, poi_high = proportion_confint(won, n, alpha=1 - confidence, method="wilson")
    p = wilcoxon_pratt(d, method)
    adjusted = np.maximum(romano_wolf(d, n_resamples, rng), p) if adjust == "romano-wolf" else adjust_pvalues(p, adjust)
    pairs = pd.DataFrame(
        {
            "a": table.names[i],
            "b": table.names[j],
            "n_conditions": n,
            "estimate": mean,
            "low": found.low,
            "high": found.high,
            "p": p,
            "p_adjusted": adjusted,
            "favours": _favoured(table, i, j, gains),
            "d_z": _ratio(mean, np.where(constant, 0.0, d.std(axis=1, ddof=1))),
            "d_av": _ratio(mean, np.sqrt((variance[i] + variance[j]) / 2)),
            "probability_of_improvement": won / n,
            "poi_low": poi_low,
            "poi_high": poi_high,
            "note": np.select(
                [(d == 0).all(axis=1), constant, found.fallback],
                ["identical", "constant difference", "t interval"],
                "",
            ),
        }
    )
    notes = _pair_notes(table, len(pairs), 1 - confidence, adjust)
    notes += coverage_note(used, n, confidence, have_two_values(table.values))
    pairs.attrs |= {"n_dropped": table.n_dropped, "notes": notes}
    pairs.attrs |= {"interval": used, "adjust": adjust, "higher_is_better": higher_is_better}
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


def _pair_notes(table: Scores, n_pairs: int, level: float, adjust: str) -> list[str]:
    n = len(table.values)
    notes = [f"Left out {table.n_dropped} incomplete conditions, {n} remain."] if table.n_dropped else []
    smallest = 2.0 ** (1 - n)
    multiplied = n_pairs if adjust in ("holm", "bonferroni") else 1
    if smallest * multiplied > level:
        more = f"; {adjust.capitalize()}'s correction over {n_pairs:,} pairs multiplies the smallest ones by up to "
        more += f"{n_pairs:,}"
        notes.append(
            f"{n} conditions cannot make a Wilcoxon p-value smaller than {smallest:.2g}{more * (multiplied > 1)}."
        )
    return notes
