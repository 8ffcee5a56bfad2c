"""What the page of a study opens with, and the numbers that it keeps: as much as could be computed, on any table."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd

from genexpy_nb.common import page
from genexpy_nb.common.prose import (
    how_many,
    levels_in_words,
    plain_line,
    together,
    two_digits,
    verbatim,
)
from genexpy_nb.study.answers import Answers
from genexpy_nb.study.positions import TOP
from genexpy_nb.study.sentences import LONG, WANTED_TAU, about, experiments, places, things

_LONGEST = 60  # characters of a name in a sentence; tables have all of them
_LARGEST = 16  # characters in large letters


def named(name: object) -> str:
    """Return the name of something in a user's table for a sentence: in one line, a long one without its end."""
    text = plain_line(name)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


# --- findings ---------------------------------------------------------------------------------------------------------


def findings(found: Answers) -> list[page.Finding]:
    """Return the answers in three numbers at most: who may be the best, what that costs, whether others would agree."""
    made = (_who(found), _cost(found), _again(found))
    return [finding for finding in made if finding is not None]


def _who(found: Answers) -> page.Finding:
    n, k, ranking, what = found.n_experiments, len(found.ranking), found.ranking, things(found)
    n_designs = len(found.study.configurations)
    levels = verbatim(named(levels_in_words(found.configuration)))
    where = f" in {levels}, one of {n_designs:,} configurations" if n_designs > 1 else ""
    doubts = how_many(len(found.study.warnings), "warning") if found.study.warnings else ""
    sure = "" if found.cannot_compare or found.n_alternatives < 2 else f"{100 * (1 - found.level):g} % confidence"
    size = _joined(sure, how_many(n, "experiment") if n == 1 else f"{n:,} {experiments(found)}", doubts)
    if found.n_alternatives < 2:
        only = verbatim(named(found.names[0]))
        return page.Finding("1", f"alternative only{where}, {only}: there is nothing to compare it with", size)
    leaders = found.leaders
    lead, contend = _names(leaders), found.contenders
    if found.cannot_compare:
        who = f"is the mean rank of {lead}, in the lead{where}"
        return page.Finding(f"{ranking['mean_rank'].iloc[0]:.2f}", f"{who}; {found.cannot_compare}", size)
    if found.may_be_named:
        text = f"the only one of {k:,} {what} that can be the best{where}{_lacks(found, leaders[0])}"
        name = plain_line(leaders[0])
        if len(name) <= _LARGEST:  # it is shown in large letters
            return page.Finding(name, f"is {text}", size)
        return page.Finding(f"1 of {k:,}", f"can be the best: {lead} is {text}", size)
    if not contend:
        return page.Finding("none", f"of {k:,} {what} may be named{where}: each is worse than some other one", size)
    leads = f"{lead} {'lead' if len(leaders) > 1 else 'leads'}{_lacks(found, leaders[0]) if len(leaders) == 1 else ''}"
    if not set(leaders) <= set(contend):
        leads += f", and may not be named: over what was run for both, {_names(contend)} did better"
    return page.Finding(f"{len(contend):,} of {k:,}", f"{what} can still be the best{where}; {leads}", size)


def _names(names: list[Any]) -> str:
    return together([verbatim(named(name)) for name in names], 3)


def _lacks(found: Answers, alternative: object) -> str:
    """How much of an alternative's row is missing."""
    scores = found.study.condition_scores(found.configuration)[alternative]
    n_missing = int(scores.isna().sum())
    are = "is" if n_missing == 1 else "are"
    return f", though {n_missing:,} of its {how_many(len(scores), 'score')} {are} missing" if n_missing else ""


def _cost(found: Answers) -> page.Finding | None:
    if found.regret.empty:
        return None
    first, one = found.regret.iloc[0], experiments(found).removesuffix("s")
    text = f"behind the best one, on average, is the leader of the table on a {one} that was left out"
    random = f"one drawn at random: {first['of_alternative']:.1f}"
    return page.Finding(places(first["regret"]), text, _joined(random, f"of {len(found.ranking):,} places"))


def _again(found: Answers) -> page.Finding | None:
    n, row = found.n_experiments, found.agreement_at(found.n_experiments, "winner")
    if row is None:
        return None
    low, high, wide = two_digits(row["low"]), two_digits(row["high"]), row["high"] - row["low"] > LONG
    value = low if low == high else f"{low} or more" if high == "1.00" and not wide else f"{low} to {high}"
    text = f"is the probability that two studies of {n:,} other {experiments(found)} have the same winner"
    open_ = "; these results leave it open" if wide else ""
    return page.Finding(value, f"{text}{open_}", f"nominal {found.nominal} interval")


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
    if not found.cannot_compare:
        keep("contenders", "alternatives that may be the best", len(found.contenders))
    if len(found.regret):
        keep(
            "regret",
            "places lost by choosing the leader, on a left-out experiment",
            found.regret["regret"].iloc[0],
            decimals=2,
        )
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
    for kernel in found.kernels:
        row = found.estimate_of(kernel)
        if row is not None and not np.isnan(row["nstar"]):
            name = f"nstar-{re.sub('[^a-z0-9]+', '-', type(kernel).__name__.removesuffix('Kernel').lower())}"
            page.key_number(name, f"n* on {named(about(kernel))}", row["nstar"], *_ends(row), unit="experiments")
    if len(found.study.configurations) > 1 and len(found.nstar):
        enough = (found.nstar["verdict"] == "enough").mean()
        keep("enough", "share of all questions that have enough experiments", enough, decimals=2)
