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


def named(name: object) -> str:
    """Return the name of something in a user's table for a sentence: in one line, a long one without its end."""
    text = plain_line(name)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


# --- findings ---------------------------------------------------------------------------------------------------------


def findings(found: Answers) -> list[page.Finding]:
    """Return up to three answers: who may be called the best, what that costs, whether another study would agree."""
    made = (_who(found), _cost(found), _again(found))
    return [finding for finding in made if finding is not None]


def on_warning(found: Answers) -> str:
    """Return what is said after a single winner if the study has a warning, or its scales differ."""
    doubtful = found.may_be_named and (found.mixed_scales or found.study.warnings)
    return " It rests on a reading with a warning (!)." if doubtful else ""


def _who(found: Answers) -> page.Finding:
    n, k, what = found.n_experiments, len(found.ranking), things(found)
    n_designs = len(found.study.configurations)
    levels = verbatim(named(levels_in_words(found.configuration)))
    where = f" in {levels}, one of {n_designs:,} configurations" if n_designs > 1 else ""
    doubts = how_many(len(found.study.warnings), "warning") if found.study.warnings else ""
    sure = "" if found.cannot_compare or found.n_alternatives < 2 else f"{100 * (1 - found.level):g} % confidence"
    size = _joined(sure, how_many(n, "experiment") if n == 1 else f"{n:,} {experiments(found)}", doubts)
    asked = f"Which of the {what} may be called the best?"
    return page.Finding(asked, _best(found, what, f"{k:,}", where) + on_warning(found), size)


def _best(found: Answers, what: str, k: str, where: str) -> str:
    """Say who may be called the best, as far as anybody may."""
    if found.n_alternatives < 2:
        return f"There is only one{where}, {verbatim(named(found.names[0]))}, so it has nothing to be compared with."
    leaders, contend = found.leaders, found.contenders
    lead, lacks = _names(leaders), _lacks(found, leaders[0]) if len(leaders) == 1 else ""
    leads = f"{lead} {'lead' if len(leaders) > 1 else 'leads'}"
    if found.cannot_compare:
        mean_rank = found.ranking["mean_rank"].iloc[0]
        return f"Nobody can say, because {found.cannot_compare}. {leads}{where} with a mean rank of {mean_rank:.2f}."
    if found.may_be_named:
        return f"Only {lead}{where}. It is the only one of {k} {what} that none of the others beats.{lacks}"
    if not contend:
        return f"None of the {k}{where}, because each is beaten by some other one."
    if not set(leaders) <= set(contend):
        beside = f"{leads}, but may not be called the best: over what was run for both, {_names(contend)} did better."
        return f"{len(contend):,} of {k} may be{where}. {beside}"
    return f"{len(contend):,} of {k} may be{where}, because these results do not tell them apart. {leads}.{lacks}"


def _names(names: list[Any]) -> str:
    return together([verbatim(named(name)) for name in names], 3)


def _lacks(found: Answers, alternative: object) -> str:
    """Say how much of an alternative's row is missing."""
    scores = found.study.condition_scores(found.configuration)[alternative]
    n_missing = int(scores.isna().sum())
    are = "is" if n_missing == 1 else "are"
    return f" But {n_missing:,} of its {how_many(len(scores), 'score')} {are} missing." if n_missing else ""


def _cost(found: Answers) -> page.Finding | None:
    if found.regret.empty:
        return None
    first, what, over = found.regret.iloc[0], things(found), experiments(found)
    asked = f"How much does it cost to trust the leader on other {over}?"
    text = (
        f"Of {len(found.ranking):,} {what}, the leader is on average {places(first['regret'])} behind the best one on "
        f"{over} that were left out. One drawn at random is {places(first['of_alternative'])} behind."
    )
    return page.Finding(asked, text, f"mean over {found.n_experiments:,} {over}, each left out once")


def _again(found: Answers) -> page.Finding | None:
    n, row = found.n_experiments, found.agreement_at(found.n_experiments, "winner")
    if row is None:
        return None
    low, high, wide = two_digits(row["low"]), two_digits(row["high"]), row["high"] - row["low"] > LONG
    chance = low if low == high else f"{low} or more" if high == "1.00" and not wide else f"between {low} and {high}"
    asked = f"Would another study of {n:,} {experiments(found)} find the same winner?"
    text = f"Two such studies have the same winner with a probability of {chance}."
    open_ = " These results leave it open." if wide else ""
    return page.Finding(asked, f"{text}{open_}", f"{found.nominal} interval, {n:,} {experiments(found)}")


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
    keep("experiments", "experiments that were run", found.n_experiments)
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
