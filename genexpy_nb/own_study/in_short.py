"""What the page of a study opens with, and the numbers that it keeps: as much as could be computed, on any table."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from genexpy_nb.common import page
from genexpy_nb.common.prose import as_written, percent, verbatim
from genexpy_nb.common.verdicts import on_size
from genexpy_nb.conclusions.tables import MIN_EXPERIMENTS
from genexpy_nb.generalization.kernels import BordaKernel, JaccardKernel, Kernel, MallowsKernel
from genexpy_nb.own_study.request import one_line
from genexpy_nb.study.answers import WANTED_TAU
from genexpy_nb.study.checks import sentence as levels_as_text
from genexpy_nb.study.stability import TOP

if TYPE_CHECKING:
    from genexpy_nb.study.answers import Answers

_LONGEST = 60  # characters of a name in a sentence; tables have all of them
_LONG = 0.4  # an interval of a probability that leaves much open
_CALLED = re.compile(r"genexpy\\_nb(?:\.(?:[a-z]|\\_)+)+")


def named(name: object) -> str:
    """Return the name of something in a user's table for a sentence: in one line, a long one without its end."""
    text = one_line(name)
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
    n, k = _shape(found)
    ranking, where = found.ranking, _where(found)
    doubts = _count(len(found.study.warnings), "warning") if found.study.warnings else ""
    size = f"{_count(k, 'alternative')} · {_count(n, 'experiment')}"
    if k < 2:
        only = verbatim(named(found.study.scores(found.configuration).columns[0]))
        text = f"alternative only{where}, {only}: there is nothing to compare it with"
        return page.Finding("1", text, _joined(size, doubts))
    n_best = int((ranking["position"] == 1).sum())
    if n_best == k:
        return page.Finding(f"all {k:,}", f"alternatives have the same mean rank{where}", _joined(size, doubts))
    best = verbatim(named(ranking["alternative"].iloc[0]))
    shared = f"shares the best mean rank with {_count(n_best - 1, 'other')}" if n_best > 1 else "has the best mean rank"
    who = f"{best}, which {shared}{where}{_lacks(found, ranking['alternative'].iloc[0])}"
    if n < 2 or ranking[["low", "high"]].isna().any(axis=None):
        why = "one experiment tells none apart" if n < 2 else "there are too many pairs to test them all"
        text = f"is the mean rank of {who}; {why}"
        return page.Finding(f"{ranking['mean_rank'].iloc[0]:.2f}", text, _joined(size, doubts))
    low, high = (int(ranking[end].iloc[0]) for end in ("low", "high"))
    open_to = "is the only position open to" if low == high else "are the positions open to"
    text = f"{open_to} {who}; {_worse(int(ranking['behind'].astype(bool).sum()), k - n_best)}"
    value = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    return page.Finding(value, text, _joined(f"of {k:,}", _count(n, "experiment"), f"level {found.level:g}", doubts))


def _lacks(found: Answers, alternative: object) -> str:
    """How much of an alternative's row is there: what is not was completed, or counted as the worst."""
    scores = found.study.condition_scores(found.configuration)[alternative]
    n_missing = int(scores.isna().sum())
    return f", though {n_missing:,} of its {_count(len(scores), 'score')} {_is(n_missing)} missing" if n_missing else ""


def _is(n: int) -> str:
    return "is" if n == 1 else "are"


def _worse(n_worse: int, n_others: int) -> str:
    if n_others == 1:
        return f"the other is {'' if n_worse else 'not '}significantly worse"
    if n_worse in (0, n_others):
        return f"{'each' if n_worse else 'none'} of the {n_others:,} others is significantly worse"
    return f"{n_worse:,} of the {n_others:,} others {_is(n_worse)} significantly worse"


def _second_study(found: Answers) -> page.Finding | None:
    """How probable it is that a second study has the same winner; of halves, where that was not estimated."""
    n, _ = _shape(found)
    row = of_second_studies(found, "winner")
    if row is not None:
        long = row["high"] - row["low"] >= _LONG
        what = "interval of the" if long else "estimated"
        text = f"is the {what} probability that a second study of {n:,} experiments has the same winner by mean rank"
        if long:  # the estimate alone would say more than is known
            sure = f"nominal 95 % interval; estimate {_share(row['estimate'])}"
            return page.Finding(_shares(row), f"{text}; these results leave it open", sure)
        return page.Finding(_share(row["estimate"]), text, f"nominal 95 % interval {_shares(row)}")
    if found.halves.empty or np.isnan(found.halves["estimate"].iloc[0]):
        return None
    row = found.halves.iloc[0]
    n_splits, size = int(row["n_splits"]), _count(int(row["n"]), "experiment")
    few = f"{_count(n, 'experiment')}: too few to say it of two whole studies" if n < MIN_EXPERIMENTS else ""
    if n_splits == 1:
        text = (
            f"is the answer of the only two halves, of {size} each, to whether both have the same winner by mean rank"
        )
        return page.Finding("yes" if row["estimate"] else "no", text, few)
    text = f"of the {n_splits:,} splits into halves of {size} have the same winner by mean rank in both"
    return page.Finding(percent(row["estimate"]), text, few)


def _needed(found: Answers) -> page.Finding | None:
    """How many experiments it takes for similar winners, against those at hand."""
    kernel = next((kernel for kernel in found.kernels if isinstance(kernel, JaccardKernel)), found.kernels[0])
    row = estimate_of(found, kernel)
    if row is None or np.isnan(row["nstar"]):
        return None
    n = int(row["n_experiments"])
    alike = (
        ": about the same ones win, about as often"
        if kernel == JaccardKernel()
        else f" on {verbatim(asked_about(kernel))}"
    )
    strict = f"(probability {as_written(found.alpha)}, tolerance {as_written(found.delta)})"
    aim = f"two studies have similar distributions of results{alike} {strict}"
    sure = _joined(f"nominal 95 % interval {_counts(row)}", f"{n:,} were run")
    if np.isinf(row["nstar"]):
        return page.Finding("∞", f"no number of experiments is estimated to be enough until {aim}", sure)
    verdict = on_size(row["verdict"], n, of="", whose="at hand")
    text = f"{'experiment' if round(row['nstar']) == 1 else 'experiments'} until {aim}; {verdict}"
    return page.Finding(f"{row['nstar']:,.0f}", text, sure)


# --- numbers ----------------------------------------------------------------------------------------------------------


def keep_numbers(found: Answers) -> None:
    """Keep what somebody would want to compare between studies, by names that are the same for each of them."""
    n, k = _shape(found)
    cells = found.study.condition_scores(found.configuration)
    page.key_number("alternatives", "alternatives compared", k, decimals=0)
    page.key_number("experiments", "experiments at hand", n, decimals=0)
    page.key_number("missing", "share of the evaluations that is missing", cells.isna().to_numpy().mean(), decimals=3)
    _keep_ranking(found.ranking)
    if len(found.pairs):
        n_apart = int(((found.pairs["p_adjusted"] <= found.level) & (found.pairs["favours"] != "")).sum())
        label = f"significant differences among the {len(found.pairs):,} pairs that were compared"
        page.key_number("significant-pairs", label, n_apart, decimals=0)
    _keep_agreement(found)
    for kernel in found.kernels:
        row = estimate_of(found, kernel)
        if row is not None and not np.isnan(row["nstar"]):
            name = f"nstar-{re.sub('[^a-z0-9]+', '-', type(kernel).__name__.removesuffix('Kernel').lower())}"
            page.key_number(name, f"n* on {asked_about(kernel)}", row["nstar"], *_ends(row), unit="experiments")
    if len(found.study.configurations) > 1 and len(found.nstar):
        enough = (found.nstar["verdict"] == "enough").mean()
        page.key_number("enough", "share of all questions that have enough experiments", enough, decimals=2)


def _keep_ranking(ranking: pd.DataFrame) -> None:
    if ranking.empty:
        return
    best = ranking.iloc[0]
    ends = _ends(best)
    page.key_number("best-position", "position of the best alternative by mean rank", 1, *ends, decimals=0)
    page.key_number("best-mean-rank", "its mean rank", best["mean_rank"], decimals=2)


def _keep_agreement(found: Answers) -> None:
    labels = {
        "winner": ("same-winner", "probability of the same winner in a second study of this size"),
        f"top {TOP}": ("same-top", f"expected share of the {TOP} best that both find"),
        "order": ("order-agreement", "expected Kendall's tau of the orders of both"),
    }
    for conclusion, (name, label) in labels.items():
        row = of_second_studies(found, conclusion)
        if row is not None:
            page.key_number(name, label, row["estimate"], *_ends(row), decimals=2)
    if len(found.experiments_for):
        row = found.experiments_for.iloc[0]
        label = f"experiments in each study for an expected tau of {WANTED_TAU:g}"
        page.key_number("experiments-for-order", label, row["n"], *_ends(row), unit="experiments", decimals=0)
    if len(found.halves) and not np.isnan(found.halves["estimate"].iloc[0]):
        label = "share of the splits whose halves have the same winner by mean rank"
        page.key_number("halves-same-winner", label, found.halves["estimate"].iloc[0], decimals=2)


# --- parts ------------------------------------------------------------------------------------------------------------


def asked_about(kernel: Kernel) -> str:
    """Return what a kernel asks, as the end of a sentence; a name in it is not escaped."""
    if isinstance(kernel, BordaKernel):
        return f"the position of {named(kernel.alternative)}"
    if isinstance(kernel, JaccardKernel):
        return "which alternative is best" if kernel.k == 1 else f"which alternatives are in the {kernel.k} best tiers"
    if isinstance(kernel, MallowsKernel):
        return "how all alternatives are ranked"
    return f"what the kernel {named(kernel.name)} compares"


def estimate_of(found: Answers, kernel: Kernel) -> pd.Series | None:
    """Return the row of n* of the configuration that is shown, or None if there is none."""
    rows = found.nstar[found.nstar["kernel"] == kernel.name]
    for name, level in found.configuration.items():
        rows = rows[rows[name] == level]
    return None if rows.empty else rows.iloc[0]


def of_second_studies(found: Answers, conclusion: str) -> pd.Series | None:
    """Return the agreement of two studies of the size of this one, or None if it was not estimated."""
    n, _ = _shape(found)
    rows = found.agreement[(found.agreement["conclusion"] == conclusion) & (found.agreement["n"] == n)]
    return None if rows.empty else rows.iloc[0]


def _shape(found: Answers) -> tuple[int, int]:
    return found.study.scores(found.configuration).shape


def _where(found: Answers) -> str:
    n = len(found.study.configurations)
    return f" in {verbatim(named(levels_as_text(found.configuration)))}, one of {n:,} configurations" if n > 1 else ""


def _ends(row: pd.Series) -> tuple[Any, Any]:
    """The ends of an interval, or two times None if one of them is unknown."""
    low, high = float(row["low"]), float(row["high"])
    return (None, None) if np.isnan(low) or np.isnan(high) else (low, high)


def _counts(row: pd.Series) -> str:
    ends = _ends(row)
    if ends[0] is None:
        return "unknown"
    return " to ".join("infinity" if np.isinf(end) else f"{end:,.0f}" for end in ends)


def _share(value: float) -> str:
    return f"{round(float(value), 2) + 0.0:.2f}"  # a rounded -0.001 is no -0.00


def _shares(row: pd.Series) -> str:
    return f"{_share(row['low'])} to {_share(row['high'])}"


def _count(n: int, one: str) -> str:
    return f"{n:,} {one if n == 1 else one + 's'}"


def _joined(*parts: str) -> str:
    return " · ".join(part for part in parts if part)
