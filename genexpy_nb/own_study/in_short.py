"""What the page of a study opens with, and the numbers that it keeps: as much as could be computed, on any table."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd

from genexpy_nb.common import page
from genexpy_nb.common.prose import (
    as_written,
    how_many,
    levels_in_words,
    on_size,
    percent,
    plain_line,
    two_digits,
    verbatim,
)
from genexpy_nb.conclusions.tables import MIN_EXPERIMENTS
from genexpy_nb.generalization.kernels import JaccardKernel
from genexpy_nb.study.answers import Answers
from genexpy_nb.study.positions import TOP
from genexpy_nb.study.sentences import LONG, WANTED_TAU, about

_LONGEST = 60  # characters of a name in a sentence; tables have all of them
_CALLED = re.compile(r"genexpy\\_nb(?:\.(?:[a-z]|\\_)+)+")


def named(name: object) -> str:
    """Return the name of something in a user's table for a sentence: in one line, a long one without its end."""
    text = plain_line(name)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def in_markdown(text: object) -> str:
    """Return a sentence so that Markdown shows it as it is, with what is to be called as code."""
    return _CALLED.sub(lambda found: f"`{found[0].replace(chr(92), '')}`", verbatim(text))


# --- findings ---------------------------------------------------------------------------------------------------------


def findings(found: Answers) -> list[page.Finding]:
    """Return the answer in one to three numbers: who is best, whether a second study would say so, what is enough."""
    made = (_position(found), _second_study(found), _needed(found))
    return [finding for finding in made if finding is not None]


def _position(found: Answers) -> page.Finding:
    """Where the best alternative may stand, and from how many others it can be told."""
    n, k, ranking = found.n_experiments, found.n_alternatives, found.ranking
    n_designs = len(found.study.configurations)
    levels = verbatim(named(levels_in_words(found.configuration)))
    where = f" in {levels}, one of {n_designs:,} configurations" if n_designs > 1 else ""
    doubts = how_many(len(found.study.warnings), "warning") if found.study.warnings else ""
    size = _joined(how_many(k, "alternative"), how_many(n, "experiment"), doubts)
    if k < 2:
        only = verbatim(named(found.names[0]))
        return page.Finding("1", f"alternative only{where}, {only}: there is nothing to compare it with", size)
    best, n_best = ranking.iloc[0], int((ranking["position"] == 1).sum())
    if n_best == k:
        return page.Finding(f"all {k:,}", f"alternatives have the same mean rank{where}", size)
    shared = (
        f"shares the best mean rank with {how_many(n_best - 1, 'other')}" if n_best > 1 else "has the best mean rank"
    )
    who = f"{verbatim(named(best['alternative']))}, which {shared}{where}{_lacks(found, best['alternative'])}"
    if n < 2 or ranking[["low", "high"]].isna().any(axis=None):
        why = "one experiment tells none apart" if n < 2 else "there are too many pairs to test them all"
        return page.Finding(f"{best['mean_rank']:.2f}", f"is the mean rank of {who}; {why}", size)
    low, high, n_worse = int(best["low"]), int(best["high"]), int(ranking["behind"].astype(bool).sum())
    open_to = "is the only position open to" if low == high else "are the positions open to"
    value = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    sure = _joined(f"of {k:,}", how_many(n, "experiment"), f"level {found.level:g}", doubts)
    return page.Finding(value, f"{open_to} {who}; {_worse(n_worse, k - n_best)}", sure)


def _lacks(found: Answers, alternative: object) -> str:
    """How much of an alternative's row is there: what is not was completed, or counted as the worst."""
    scores = found.study.condition_scores(found.configuration)[alternative]
    n_missing = int(scores.isna().sum())
    are = "is" if n_missing == 1 else "are"
    return f", though {n_missing:,} of its {how_many(len(scores), 'score')} {are} missing" if n_missing else ""


def _worse(n_worse: int, n_others: int) -> str:
    if n_others == 1:
        return f"the other is {'' if n_worse else 'not '}significantly worse"
    if n_worse in (0, n_others):
        return f"{'each' if n_worse else 'none'} of the {n_others:,} others is significantly worse"
    return f"{n_worse:,} of the {n_others:,} others {'is' if n_worse == 1 else 'are'} significantly worse"


def _second_study(found: Answers) -> page.Finding | None:
    """How probable it is that a second study has the same winner; of halves, where that was not estimated."""
    n, row = found.n_experiments, found.agreement_at(found.n_experiments, "winner")
    if row is not None:
        long = row["high"] - row["low"] >= LONG
        what = "interval of the" if long else "estimated"
        text = f"is the {what} probability that a second study of {n:,} experiments has the same winner by mean rank"
        estimate, interval = two_digits(row["estimate"]), f"{two_digits(row['low'])} to {two_digits(row['high'])}"
        if long:  # the estimate alone would say more than is known
            sure = f"nominal {found.nominal} interval; estimate {estimate}"
            return page.Finding(interval, f"{text}; these results leave it open", sure)
        return page.Finding(estimate, text, f"nominal {found.nominal} interval {interval}")
    if found.halves.empty or np.isnan(found.halves["estimate"].iloc[0]):
        return None
    row = found.halves.iloc[0]
    n_splits, size = int(row["n_splits"]), how_many(int(row["n"]), "experiment")
    few = f"{how_many(n, 'experiment')}: too few to say it of two whole studies" if n < MIN_EXPERIMENTS else ""
    if n_splits == 1:
        only = (
            f"is the answer of the only two halves, of {size} each, to whether both have the same winner by mean rank"
        )
        return page.Finding("yes" if row["estimate"] else "no", only, few)
    text = f"of the {n_splits:,} splits into halves of {size} have the same winner by mean rank in both"
    return page.Finding(percent(row["estimate"]), text, few)


def _needed(found: Answers) -> page.Finding | None:
    """How many experiments it takes for similar winners, against those at hand."""
    kernel = next((kernel for kernel in found.kernels if isinstance(kernel, JaccardKernel)), found.kernels[0])
    row = found.estimate_of(kernel)
    if row is None or np.isnan(row["nstar"]):
        return None
    n, winners = int(row["n_experiments"]), ": about the same ones win, about as often"
    alike = winners if kernel == JaccardKernel() else f" on {verbatim(named(about(kernel)))}"
    strict = f"(probability {as_written(found.alpha)}, tolerance {as_written(found.delta)})"
    aim = f"two studies have similar distributions of results{alike} {strict}"
    low, high = _ends(row)
    ends = "unknown" if low is None else f"{low:,.0f} to {f'{high:,.0f}' if np.isfinite(high) else 'infinity'}"
    sure = _joined(f"nominal {found.nominal} interval {ends}", f"{n:,} were run")
    if np.isinf(row["nstar"]):
        return page.Finding("∞", f"no number of experiments is estimated to be enough until {aim}", sure)
    verdict = on_size(row["verdict"], n, of="", whose="at hand")
    text = f"{'experiment' if round(row['nstar']) == 1 else 'experiments'} until {aim}; {verdict}"
    return page.Finding(f"{row['nstar']:,.0f}", text, sure)


def _joined(*parts: str) -> str:
    return " · ".join(part for part in parts if part)


def _ends(row: pd.Series) -> tuple[Any, Any]:
    """The ends of an interval, or two times None if one of them is unknown."""
    low, high = float(row["low"]), float(row["high"])
    return (None, None) if np.isnan(low) or np.isnan(high) else (low, high)


# --- numbers ----------------------------------------------------------------------------------------------------------


def keep_numbers(found: Answers) -> None:
    """Keep what somebody would want to compare between studies, by names that are the same for each of them."""

    def keep(name: str, label: str, value: float, ends: pd.Series | None = None, decimals: int = 0) -> None:
        page.key_number(name, label, value, *(_ends(ends) if ends is not None else ()), decimals=decimals)

    keep("alternatives", "alternatives compared", found.n_alternatives)
    keep("experiments", "experiments at hand", found.n_experiments)
    keep("missing", "share of the evaluations that is missing", found.n_missing / found.n_cells, decimals=3)
    if len(found.ranking):
        best = found.ranking.iloc[0]
        keep("best-position", "position of the best alternative by mean rank", 1, best)
        keep("best-mean-rank", "its mean rank", best["mean_rank"], decimals=2)
    if len(found.pairs):
        label = f"significant differences among the {len(found.pairs):,} pairs that were compared"
        keep("significant-pairs", label, found.n_apart)
    for conclusion, name, label in (
        ("winner", "same-winner", "probability of the same winner in a second study of this size"),
        (f"top {TOP}", "same-top", f"expected share of the {TOP} best that both find"),
        ("order", "order-agreement", "expected Kendall's tau of the orders of both"),
    ):
        row = found.agreement_at(found.n_experiments, conclusion)
        if row is not None:
            keep(name, label, row["estimate"], row, 2)
    if len(found.experiments_for):
        row = found.experiments_for.iloc[0]
        label = f"experiments in each study for an expected tau of {WANTED_TAU:g}"
        page.key_number("experiments-for-order", label, row["n"], *_ends(row), unit="experiments", decimals=0)
    if len(found.halves) and not np.isnan(found.halves["estimate"].iloc[0]):
        label = "share of the splits whose halves have the same winner by mean rank"
        keep("halves-same-winner", label, found.halves["estimate"].iloc[0], decimals=2)
    for kernel in found.kernels:
        row = found.estimate_of(kernel)
        if row is not None and not np.isnan(row["nstar"]):
            name = f"nstar-{re.sub('[^a-z0-9]+', '-', type(kernel).__name__.removesuffix('Kernel').lower())}"
            page.key_number(name, f"n* on {named(about(kernel))}", row["nstar"], *_ends(row), unit="experiments")
    if len(found.study.configurations) > 1 and len(found.nstar):
        enough = (found.nstar["verdict"] == "enough").mean()
        keep("enough", "share of all questions that have enough experiments", enough, decimals=2)
