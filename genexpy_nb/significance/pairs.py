"""All pairs of alternatives: differences, intervals, tests and effect sizes; and which differences are too small."""

from __future__ import annotations

import copy

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from genexpy_nb.common.checks import check_direction, check_number, check_scores
from genexpy_nb.significance.coverage import chosen_interval, coverage_note
from genexpy_nb.significance.intervals import have_two_values, mean_differences
from genexpy_nb.significance.multiple import holm_adjusted
from genexpy_nb.significance.wilcoxon import paired_differences, pairs_in_parts, signed_rank_direction, wilcoxon_pratt


def compare_pairs(
    scores: ArrayLike | pd.DataFrame,
    *,
    higher_is_better: bool,
    interval: str = "auto",
    n_resamples: int = 10_000,
    confidence: float = 0.95,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Compare all pairs of alternatives: mean difference, interval, Wilcoxon, correction, effect sizes.

    Parameters
    ----------
    scores : DataFrame or array_like, shape (n_conditions, n_alternatives)
        None of them missing.
    higher_is_better : bool
        ``favours`` depends on it; differences are always a minus b.
    interval : {"auto", "t", "studentized", "percentile", "bca"}
        ``t`` is Student's. ``studentized`` is the symmetric bootstrap-t (Hall 1988): Student's interval, but with a
        quantile of abs(t) over the resamples. ``percentile`` and ``bca`` are quantiles of the resampled means (Efron
        and Tibshirani 1993). ``auto`` is ``t`` up to 9 conditions and ``studentized`` from 10 on; `interval_advice`
        says how often they held.
    n_resamples : int
        Bootstrap resamples, >= 1; ``t`` needs none.
    confidence : float
        Of the intervals, which are not adjusted for the number of pairs.

    Returns
    -------
    DataFrame, one row per pair, in the order of the columns of ``scores``
        ``a``, ``b``, ``n_conditions``, ``estimate`` (of a minus b) with its interval ``low``, ``high``; ``p``
        (Wilcoxon, zeros after Pratt, two-sided) and ``p_adjusted`` (Holm); ``favours``, whom the test behind ``p``
        favours, or empty: a significant ``p`` speaks for this one, which need not have the better mean; ``d_z`` =
        mean / standard deviation of the differences; ``note``: ``identical`` (p = 1, d = 0), ``constant difference`` (a
        point, which is no interval; d_z infinite), or ``t interval`` (so many differences are equal that the
        studentized one has no end). ``attrs``: ``interval``, ``notes`` (of the whole table), ``higher_is_better``.

    Notes
    -----
    Folds of one cross-validation share training data, and the tests become too eager: `genexpy_nb.protocol.compare`.
    Sources: A Deterministic Protocol, Section 3.2; Holm (1979).

    Examples
    --------
    >>> scores = pd.DataFrame({"tree": [0.8, 0.7, 0.9, 0.6], "forest": [0.9, 0.7, 1.0, 0.8]})
    >>> pairs = compare_pairs(scores, higher_is_better=True)
    >>> pairs[["a", "b", "estimate", "low", "high", "p", "d_z"]].round(3)
          a       b  estimate   low  high     p    d_z
    0  tree  forest      -0.1 -0.23  0.03  0.25 -1.225
    """
    higher_is_better = check_direction(higher_is_better)
    table = check_scores(scores)
    n = len(table.values)
    first, second = np.triu_indices(len(table.names), 1)
    named = np.append(table.names.to_numpy(dtype=object), "")  # the empty one is last, at -1
    used = chosen_interval(interval, n)
    parts = pairs_in_parts(len(first), n)
    compared = []
    for part in parts:
        # All parts see the same resamples; the generator that was given moves on by those of one part.
        again = rng if part is parts[-1] else copy.deepcopy(rng)
        i, j = first[part], second[part]
        found = mean_differences(table.values, i, j, n_resamples, confidence, again, used)
        d, mean = found.differences, found.estimate
        direction = signed_rank_direction(d if higher_is_better else -d)
        compared.append(
            pd.DataFrame(
                {
                    "a": table.names[i],
                    "b": table.names[j],
                    "n_conditions": n,
                    "estimate": mean,
                    "low": found.low,
                    "high": found.high,
                    "p": wilcoxon_pratt(d),
                    "favours": named[np.select([direction > 0, direction < 0], [i, j], -1)],
                    "d_z": in_spreads(mean, np.where(found.constant, 0.0, d.std(axis=1, ddof=1))),
                    "note": np.select(
                        [(d == 0).all(axis=1), found.constant, found.fallback],
                        ["identical", "constant difference", "t interval"],
                        "",
                    ),
                }
            )
        )
    frame = pd.concat(compared, ignore_index=True) if len(compared) > 1 else compared[0]
    frame.insert(frame.columns.get_loc("p") + 1, "p_adjusted", holm_adjusted(frame["p"].to_numpy()))
    notes = coverage_note(used, n, confidence, have_two_values(table.values))
    smallest, n_pairs = 2.0 ** (1 - n), len(frame)
    if smallest * n_pairs > 1 - confidence:
        more = f"; Holm's correction over {n_pairs:,} pairs multiplies the smallest ones by up to {n_pairs:,}"
        said = f"{n} conditions cannot make a Wilcoxon p-value smaller than {smallest:.2g}{more * (n_pairs > 1)}."
        notes.insert(0, said)
    frame.attrs |= {"notes": notes, "interval": used, "higher_is_better": higher_is_better}
    return frame


def in_spreads(mean: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """Return mean / spread; without spread 0 for no difference, else infinite with the sign of the difference."""
    return np.divide(mean, spread, out=np.where(mean == 0, 0.0, np.copysign(np.inf, mean)), where=spread > 0)


# --- is a difference too small to matter? -----------------------------------------------------------------------------


def equivalent_pairs(
    scores: ArrayLike | pd.DataFrame, rope: float, *, higher_is_better: bool, level: float = 0.05
) -> pd.DataFrame:
    """Test all pairs of alternatives for practical equivalence, and for a difference that matters: TOST by t-tests.

    Parameters
    ----------
    scores : DataFrame or array_like, shape (n_conditions, n_alternatives)
        For bare differences, a column of them and a column of zeros.
    rope : float
        Mean differences from ``-rope`` to ``rope``, > 0, make no practical difference. **Choose it before looking at
        the differences**, by what a difference is for: one that is chosen to fit the result makes the p-values
        worthless.
    higher_is_better : bool
        The words ``better`` and ``worse`` depend on it; differences are always a minus b.
    level : float
        Level of all tests, in (0, 0.5); each of the three is corrected over all pairs after Holm.

    Returns
    -------
    DataFrame, one row per pair, in the order of the columns of ``scores``
        ``a``, ``b``, ``n_conditions``, ``estimate`` (mean of a minus b) with its interval ``low``, ``high``, of
        confidence 1 - 2 * ``level``, unadjusted. ``p_equivalent``: the larger of two one-sided p-values, small if the
        mean difference is above ``-rope`` and below ``rope``. ``p_different``: two-sided, against a mean difference of
        0. ``p_practical``: two-sided, against one from ``-rope`` to ``rope``. Each also as ``..._adjusted``.
        ``difference``: ``better`` or ``worse`` (a than b) by ``p_different_adjusted``, however little, else empty.
        ``verdict``: ``equivalent`` by ``p_equivalent_adjusted``; ``better`` or ``worse``, by more than ``rope``, by
        ``p_practical_adjusted``; else ``undecided``. ``note``: ``identical`` or ``constant difference``.

    Notes
    -----
    Skewed differences break the level where rare large ones would have shown that more is at stake; docs/accuracy.md
    says how often. Differences without spread get the p-value of the sign test, 2^-n one-sided. Schuirmann (1987);
    Lakens (2017).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> scores = pd.DataFrame(rng.normal([0.80, 0.80, 0.75], 0.02, size=(30, 3)), columns=["svm", "forest", "tree"])
    >>> pairs = equivalent_pairs(scores, rope=0.02, higher_is_better=True)
    >>> pairs[["a", "b", "estimate", "low", "high", "verdict"]].round(3)
            a       b  estimate    low   high     verdict
    0     svm  forest    -0.002 -0.010  0.006  equivalent
    1     svm    tree     0.041  0.033  0.050      better
    2  forest    tree     0.043  0.036  0.051      better
    """
    rope, higher_is_better = check_number("rope", rope, 0), check_direction(higher_is_better)
    level = check_number("level", level, 0, 0.5)
    table = check_scores(scores)
    i, j = np.triu_indices(table.values.shape[1], 1)
    d = paired_differences(table.values, i, j)
    n = d.shape[1]
    constant = (d == d[:, :1]).all(axis=1)
    mean = np.where(constant, d[:, 0], d.mean(axis=1))
    error = np.where(constant, 0.0, d.std(axis=1, ddof=1) / np.sqrt(n))
    half = stats.t.ppf(1 - level, n - 1) * error
    above, over = (_p_greater(mean - edge, error, n) for edge in (-rope, rope))
    below, under = (_p_greater(edge - mean, error, n) for edge in (rope, -rope))
    p = {
        "equivalent": np.maximum(above, below),
        "different": np.minimum(2 * _p_greater(np.abs(mean), error, n), 1.0),
        "practical": np.minimum(2 * np.minimum(over, under), 1.0),
    }
    adjusted = {what: holm_adjusted(values) for what, values in p.items()}
    better = np.where((mean > 0) == higher_is_better, "better", "worse")
    pairs = pd.DataFrame({"a": table.names[i], "b": table.names[j], "n_conditions": n, "estimate": mean})
    pairs = pairs.assign(low=mean - half, high=mean + half)
    for what, values in p.items():
        pairs[f"p_{what}"], pairs[f"p_{what}_adjusted"] = values, adjusted[what]
    matters = adjusted["practical"] <= level
    pairs["difference"] = np.where(adjusted["different"] <= level, better, "")
    pairs["verdict"] = np.select([adjusted["equivalent"] <= level, matters], ["equivalent", better], "undecided")
    pairs["note"] = np.select([(d == 0).all(axis=1), constant], ["identical", "constant difference"], "")
    pairs.attrs |= {"rope": rope, "level": level, "higher_is_better": higher_is_better}
    return pairs


def _p_greater(mean: np.ndarray, error: np.ndarray, n: int) -> np.ndarray:
    """Return one-sided p-values against a mean of at most 0; without spread, those of the sign test."""
    with np.errstate(divide="ignore", invalid="ignore"):
        p = stats.t.sf(mean / error, n - 1)
    return np.where(error > 0, p, np.where(mean > 0, 0.5**n, 1.0))
