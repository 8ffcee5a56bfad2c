"""Several benchmarks: what they show together, what the next one may show, and how far one's order is another's.

Benchmarks are a sample of those that there could be: a random-effects model for the difference of each pair, with the
variance between benchmarks of Paule and Mandel (1982), and Hartung and Knapp's intervals (2001), but none narrower than
for known variances. What the next benchmark may show is drawn for each variance that the data leave open, as Nagashima,
Noma and Furukawa (2019) do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import norm
from scipy.stats import t as student

from genexpy_nb.common.checks import check_choice, check_direction, check_level, check_table
from genexpy_nb.common.errors import StudyError
from genexpy_nb.common.prose import Said, how_many, plain_line, together, two_digits, written_number
from genexpy_nb.common.random import seed_of, stream
from genexpy_nb.conclusions.contenders import BY, MIN_EXPERIMENTS, compare_all, rows_of
from genexpy_nb.significance.multiple import holm_adjusted

_DRAWS = 4000
_GRID = 200  # variances between benchmarks
_LEAST, _TINY = 1e-4, 1e-15
_FEWEST = 3  # benchmarks: two do not show how far benchmarks differ


@dataclass(frozen=True)
class Pooled(Said):
    """What several benchmarks show together; `pool` says what is in it."""

    contrasts: pd.DataFrame
    orders: pd.DataFrame
    means: pd.DataFrame
    sentences: tuple[str, ...]


def pool(
    benchmarks: Mapping[Any, Any] | Sequence[Any],
    *,
    by: str = "rank",
    higher_is_better: bool = True,
    confidence: float = 0.95,
    level: float = 0.05,
    rng: np.random.Generator | int = 0,
) -> Pooled:
    """Say what several benchmarks show together, what the next one may show, and how far their orders agree.

    Parameters
    ----------
    benchmarks : list or dict of Study or DataFrame
        Of each benchmark a study, or scores with a row for each experiment and a column for each alternative. Only
        alternatives that all benchmarks have are compared, in experiments in which all of these were run.
    by : {"rank", "score"}
        Differences in ranks among the alternatives that are compared, or in scores, which must be on one scale.
    higher_is_better : bool
        Of frames; a study knows it.
    confidence, level : float
        Of intervals, and of tests over all pairs (Holm).
    rng : Generator or int
        For experiments that are drawn anew.

    Returns
    -------
    Pooled
        Printed, its ``sentences``. ``contrasts``, a row for each pair, the better one on average first: ``estimate,
        low, high, p, p_adjusted`` of the mean over all such benchmarks, ``next_low, next_high`` of the next one, if
        endless experiments were run there, and ``between``, the standard deviation between benchmarks. ``orders``, a
        row for each pair of benchmarks: Kendall's tau of their orders with ``low, high``, and ``reversed``, how many
        pairs are told apart in both, in opposite directions. ``means``: the mean score of each alternative in each
        benchmark, or minus its mean rank.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> made_up = [pd.DataFrame(rng.normal([1, 0, 0], 0.5, (20, 3)), columns=list("abc")) for _ in range(4)]
    >>> found = pool(made_up, by="score")
    >>> found.contrasts.loc[0, ["estimate", "next_low", "next_high"]].round(1).tolist()
    [1.1, 0.5, 1.7]
    """
    check_choice("by", by, BY)
    confidence, level, seed = check_level("confidence", confidence), check_level("level", level), seed_of(rng)
    tables, notes = _tables(benchmarks, check_direction(higher_is_better), by)
    means = pd.DataFrame({name: table.mean() for name, table in tables.items()}).rename_axis("alternative")
    means = means.iloc[np.argsort(-means.mean(axis=1).to_numpy(), kind="stable")]
    names, rows = means.index, [table[means.index].to_numpy() for table in tables.values()]
    first, second = np.triu_indices(len(names), 1)
    differences = [each[:, first] - each[:, second] for each in rows]
    effects = np.array([each.mean(axis=0) for each in differences])
    sizes = np.array([[len(each)] for each in rows])
    variances = np.array([each.var(axis=0, ddof=1) for each in differences]) / sizes
    # who was always as far ahead need not be: as if one more experiment had shown no difference
    variances = np.maximum(variances, np.maximum((effects / (sizes + 1)) ** 2, _LEAST * variances.mean() + _TINY))
    of_pairs = _random(effects, variances, confidence, stream(seed, len(rows)))
    contrasts = pd.DataFrame({"first": names[first], "second": names[second], **of_pairs})
    contrasts.insert(6, "p_adjusted", holm_adjusted(contrasts["p"].to_numpy()) if len(rows) >= _FEWEST else np.nan)
    if by == "rank":  # which differ by no more than that
        ends = ["low", "high", "next_low", "next_high"]
        contrasts[ends] = contrasts[ends].clip(1 - len(names), len(names) - 1)
    orders = _orders(rows, list(tables), (first, second), confidence, level, seed)
    said = _sentences(contrasts, orders, {name: len(table) for name, table in tables.items()}, level, by)
    return Pooled(contrasts, orders, means, (*said[:-1], *notes, said[-1]))


def _tables(benchmarks: Any, higher_is_better: bool, by: str) -> tuple[dict[str, pd.DataFrame], list[str]]:
    """Return what alternatives are compared by in each benchmark, higher is better, and what was left out."""
    if not isinstance(benchmarks, Mapping):
        benchmarks = {f"benchmark {i}": each for i, each in enumerate(benchmarks, 1)}
    if len(benchmarks) < 2:
        raise StudyError(f"benchmarks: two or more are pooled, got {len(benchmarks)}; ask a Study about a single one")
    scores = {}
    for name, each in benchmarks.items():
        of_study = hasattr(each, "configurations")
        table = check_table(each.scores() if of_study else each)
        scores[str(name)] = table if (each.higher_is_better if of_study else higher_is_better) else -table
    shared = [name for name in next(iter(scores.values())) if all(name in table for table in scores.values())]
    if len(shared) < 2:
        raise StudyError(
            f"benchmarks: fewer than two alternatives are in all of {together(map(repr, scores))}; their columns must "
            "have the same names"
        )
    found, notes = {}, list[str]()
    if others := {column for table in scores.values() for column in table} - {*shared}:
        notes.append(f"Left out, because not all benchmarks have them: {together(sorted(map(plain_line, others)))}.")
    for name, table in scores.items():
        whole = table[shared].dropna()
        if len(whole) < len(table):
            notes.append(f"Left out of {name}: {len(table) - len(whole):,} of {len(table):,} incomplete experiments.")
        if len(whole) < MIN_EXPERIMENTS:
            raise StudyError(
                f"{name}: {how_many(len(whole), 'experiment')} with all of {together(shared)}, and {MIN_EXPERIMENTS} "
                "are needed; leave this benchmark or an alternative out"
            )
        found[name] = pd.DataFrame(rows_of(whole.to_numpy(), by, True), columns=pd.Index(shared))
    return found, notes


def _random(effects: np.ndarray, variances: np.ndarray, confidence: float, rng: np.random.Generator) -> dict[str, Any]:
    """Return the mean over benchmarks of each pair, and what the next one may show; effects have shape (B, P)."""
    from statsmodels.stats.meta_analysis import combine_effects

    columns = ["estimate", "low", "high", "p", "next_low", "next_high", "between"]
    if len(effects) < _FEWEST:
        return dict.fromkeys(columns, np.nan) | {"estimate": effects.mean(axis=0)}
    quantile, found = student.isf((1 - confidence) / 2, len(effects) - 1), []
    normals, chi2 = rng.standard_normal((2, _DRAWS)), rng.chisquare(len(effects) - 1, _DRAWS)
    for effect, variance in zip(effects.T, variances.T, strict=True):
        with np.errstate(divide="ignore"):  # in a share that nothing here uses
            fit = combine_effects(effect, variance, method_re="iterated")
        mean, error, usual = float(fit.mean_effect_re), float(fit.sd_eff_w_re_hksj), float(fit.sd_eff_w_re)
        # benchmarks that happen to be more alike than chance makes them say no more than known variances would
        margin = max(quantile * error, norm.isf((1 - confidence) / 2) * usual)
        p = max(2 * student.sf(abs(mean) / max(error, _TINY), len(effects) - 1), 2 * norm.sf(abs(mean) / usual))
        drawn = _next(effect, variance, normals, chi2)
        later = np.quantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2])
        found.append([mean, mean - margin, mean + margin, p, *later, np.sqrt(max(0.0, float(fit.tau2)))])
    return dict(zip(columns, np.array(found).T, strict=True))


def _next(effect: np.ndarray, variance: np.ndarray, normals: np.ndarray, chi2: np.ndarray) -> np.ndarray:
    """Return differences that the next benchmark may have, given how uncertain the variance between them is."""
    # for each variance, the sum of squares that has a chi-squared distribution if it is the true one
    most = np.square(effect - effect.mean()).sum() + variance.mean()
    between = np.append(0.0, most * np.geomspace(1e-6, 1e5, _GRID))
    weight = 1 / (variance[:, None] + between)
    mean = (weight * effect[:, None]).sum(axis=0) / weight.sum(axis=0)
    squares = (weight * (effect[:, None] - mean) ** 2).sum(axis=0)
    true = np.interp(chi2, squares[::-1], between[::-1])  # none, if less than what was seen is expected of chance
    weight = 1 / (variance[:, None] + true)
    mean = (weight * effect[:, None]).sum(axis=0) / weight.sum(axis=0)
    return mean + normals[0] / np.sqrt(weight.sum(axis=0)) + normals[1] * np.sqrt(true)


def _orders(
    rows: Sequence[np.ndarray], names: Sequence[str], pairs: Any, confidence: float, level: float, seed: int
) -> pd.DataFrame:
    """Return how far the orders of benchmarks agree, if experiments are drawn anew in each."""
    signs, drawn, better = [], [], []
    for at, each in enumerate(rows):
        counts = stream(seed, at).multinomial(len(each), np.full(len(each), 1 / len(each)), _DRAWS)
        means = np.vstack([each.mean(axis=0), counts @ each / len(each)])
        sign = np.sign(np.round(means[:, pairs[0]] - means[:, pairs[1]], 12))
        signs.append(sign[0])
        drawn.append(sign[1:])
        better.append(compare_all(each, level, seed).better)
    found = []
    for i, j in combinations(range(len(rows)), 2):
        tau, others = (signs[i] * signs[j]).mean(), (drawn[i] * drawn[j]).mean(axis=1)
        low, high = np.quantile(others, [(1 - confidence) / 2, (1 + confidence) / 2])
        # drawn orders are noisier than observed ones, and these than those of endless experiments, by about as much
        less = max(0.0, tau - others.mean())
        against = int((better[i] & better[j].T).sum())
        found.append([names[i], names[j], tau, min(low, tau), min(1.0, max(high, tau) + 2 * less), against])
    return pd.DataFrame(found, columns=["first", "second", "tau", "low", "high", "reversed"])


def _sentences(
    contrasts: pd.DataFrame, orders: pd.DataFrame, sizes: Mapping[str, int], level: float, by: str
) -> list[str]:
    n, what = len(contrasts), "ranks" if by == "rank" else "scores"
    said = [f"{len(sizes)} benchmarks of {together(f'{size:,}' for size in sizes.values())} experiments, by {what}."]
    lead = contrasts.iloc[0]
    pair = f"{plain_line(lead['first'])} is ahead of {plain_line(lead['second'])}"
    if len(sizes) < _FEWEST:
        said.append(f"On average {pair} by {written_number(lead['estimate'], digits=3)}.")
        said.append("Two benchmarks do not show how far benchmarks differ: nothing is said of the next one.")
    else:
        told = contrasts["p_adjusted"] <= level
        again = (contrasts["next_low"] > 0) | (contrasts["next_high"] < 0)
        said.append(
            f"{told.sum()} of {n} pairs are told apart on average over such benchmarks. In the next one, prediction "
            f"intervals are sure of {again.sum()}, each judged alone; others may come out the same, too."
        )
        ends = [written_number(lead[end], digits=3) for end in ("low", "high", "next_low", "next_high")]
        said.append(
            f"On average {pair} by {written_number(lead['estimate'], digits=3)} [{ends[0]} to {ends[1]}]; in the next "
            f"benchmark, by {ends[2]} to {ends[3]}."
        )
    least, most = orders.loc[orders["tau"].idxmin()], orders.loc[orders["tau"].idxmax()]
    for row, how in [(least, "least, "), (most, "most, ")] if len(orders) > 1 else [(least, "")]:
        said.append(
            f"The orders of {plain_line(row['first'])} and {plain_line(row['second'])} agree {how}with "
            f"tau {two_digits(row['tau'])} [{two_digits(row['low'])}, {two_digits(row['high'])}]."
        )
    if against := int(orders["reversed"].sum()):
        said.append(f"{how_many(against, 'pair')} told apart in two benchmarks, in opposite directions: see `orders`.")
    said.append(
        "All of this is about benchmarks like these: what all of them hold constant can still reverse an order."
    )
    return said
