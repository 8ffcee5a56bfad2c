"""What the page of a study opens with, and the numbers that it keeps: as much as could be computed, on any table."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd

from genexpy_nb.common import page
from genexpy_nb.common.files import noted
from genexpy_nb.common.prose import how_many, in_markdown, plain_line
from genexpy_nb.study.answers import Answers
from genexpy_nb.study.positions import TOP
from genexpy_nb.study.second_study import roughly, written
from genexpy_nb.study.sentences import WANTED_TAU, about, estimated, experiments, held

_LONGEST = 60  # characters of a name in a sentence; tables have all of them


def named(name: object) -> str:
    """Return the name of something in a user's table for a sentence: in one line, a long one without its end."""
    text = plain_line(name)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


# --- findings ---------------------------------------------------------------------------------------------------------


def findings(found: Answers, more: str = "") -> list[page.Finding]:
    """Return three of the answers: who is best and more on that, what it costs to rely on it, and if others agree."""
    n, (heads, (who, *others)) = found.n_experiments, zip(*found.headed[:3], strict=True)
    size = how_many(n, "experiment") if n == 1 else f"{n:,} {experiments(found)}"
    lacks = ""  # how much of the row of a single winner is missing
    if found.may_be_named:
        scores = found.study.condition_scores(found.configuration)[found.leaders[0]]
        n_missing = int(scores.isna().sum())
        are = "is" if n_missing == 1 else "are"
        lacks = f" But {n_missing:,} of its {how_many(len(scores), 'score')} {are} missing." if n_missing else ""
    texts = [who + lacks + on_warning(found), *others]
    return [*map(page.Finding, heads, map(in_markdown, texts), [f"Based on {size}.{more}", "", held(found)])]


def on_warning(found: Answers) -> str:
    """Return what is said after a single winner if the study has a warning, or its scales differ."""
    return " But see the warning (!)." if found.may_be_named and (found.mixed_scales or found.study.warnings) else ""


def on_holes(found: Answers) -> str:
    """Say how many scores are missing, what they were taken for, and over how many experiments means are."""
    partial, levels = found.averaged, found.study.reading.n_levels
    n_lost = int((partial["n_levels"] - partial["n_averaged"]).sum()) if len(partial) and levels is not None else 0
    runs = f"{n_lost:,} of {int(levels.to_numpy().sum()):,}" if n_lost else ""
    dropped = [*filter(None, noted(found.study.notes, "dropped"))]
    if not found.n_missing:
        still = f"none missing in what is left: {dropped[0]} were dropped" if dropped else "none missing"
        return f"{still} after averaging, {runs} before it" if runs else still
    said = "filled in by estimates" if found.study.missing == "complete" else "which share the worst rank"
    low, high = found.ranking["n_experiments"].min(), found.ranking["n_experiments"].max()
    means = f"; means are over {low:,} to {high:,} {experiments(found)}" * bool(low < high and not found.mixed_scales)
    return f"{found.n_missing:,} of {found.n_cells:,} scores missing, {said}{means}"


# --- numbers ----------------------------------------------------------------------------------------------------------


def keep_numbers(found: Answers) -> None:
    """Keep what somebody would want to compare between studies, by names that are the same for each of them."""

    def keep(name: str, said: str, value: float, ends: pd.Series | None = None, decimals: int = 0, **more: Any) -> None:
        interval = () if ends is None or ends[["low", "high"]].isna().any() else (ends["low"], ends["high"])
        page.key_number(name, said, value, *interval, decimals=decimals, **more)

    keep("alternatives", "alternatives compared", found.n_alternatives)
    keep("experiments", "experiments that were run", found.n_experiments)
    keep("missing", "share of the evaluations that is missing", found.n_missing / found.n_cells, decimals=3)
    if len(found.ranking):
        best = found.ranking.iloc[0]
        keep("best-position", "place of the best alternative by mean rank", 1, best)
        keep("best-mean-rank", "its mean rank", best["mean_rank"], decimals=2)
    if not found.cannot_compare:
        keep("contenders", "alternatives that may be the best", len(found.contenders))
    if len(found.regret):
        label = "places lost by choosing the leader, on a left-out experiment"
        keep("regret", label, found.regret["regret"].iloc[0], decimals=2)
    if len(found.pairs):
        label = f"significant differences among the {len(found.pairs):,} pairs that are listed"
        keep("significant-pairs", label, found.n_apart)
    for conclusion, name, label in (
        ("winner", "same-winner", "probability of the same winner in a second study of this size"),
        (f"top {TOP}", "same-top", f"expected share of the {TOP} best that both find"),
        ("order", "order-agreement", "expected Kendall's tau of the orders of both"),
    ):
        if (row := found.agreement_at(found.n_experiments, conclusion)) is not None:
            keep(name, label, estimated(row), row, len(written(row)[0].partition(".")[2]))
    if len(found.experiments_for):
        row = roughly(found.experiments_for.iloc[0])
        label = f"experiments in each study for an expected tau of {WANTED_TAU:g}"
        keep("experiments-for-order", label, row["n"], row, unit="experiments")
    for kernel in found.kernels:
        row = found.estimate_of(kernel)
        if row is not None and not np.isnan(row["nstar"]):
            name = f"nstar-{re.sub('[^a-z0-9]+', '-', type(kernel).__name__.removesuffix('Kernel').lower())}"
            label = f"n* on {named(about(kernel))}"
            keep(name, label, row["nstar"], row, 2, unit="experiments")
    if len(found.study.configurations) > 1 and len(found.nstar):
        enough = (found.nstar["verdict"] == "enough").mean()
        keep("enough", "share of all questions that have enough experiments", enough, decimals=2)
