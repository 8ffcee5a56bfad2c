"""What the figures of a study's page show, in words, for people who cannot see them: true on any table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from genexpy_nb.common.prose import WORDS, how_many, percent, plain_line, roughly, span, together, two_digits
from genexpy_nb.own_study.in_short import named
from genexpy_nb.study.answers import Answers
from genexpy_nb.study.sentences import about

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def of_positions(found: Answers) -> str:
    """Say who may be the best. Needs a ranking with places."""
    ranking, best = found.ranking, found.ranking.iloc[0]
    low, high = f"{best['low']:.0f}", f"{best['high']:.0f}"
    place = f"can have place {low} only" if low == high else f"can have any place from {low} to {high}"
    return (
        f"{len(found.contenders):,} of {len(ranking):,} alternatives may be the best. {named(best['alternative'])}, "
        f"which has the best mean rank, {place}."
    )


def of_missing(found: Answers) -> str:
    """Say how much is missing, and where most of it. Something must be missing."""
    worst = found.missing.drop_duplicates("side").to_dict("records")
    most = [f"the {row['side']} {named(row['name'])} lacks {percent(row['share'])}" for row in worst]
    share = percent(found.n_missing / found.n_cells, 1)
    missing = f"{found.n_missing:,} of {found.n_cells:,} evaluations are missing, {share}."
    return f"{missing} Most incomplete: {together(most, 99)}."


def of_ranks(found: Answers) -> str:
    """Say how often the best alternative is on top, and whether another one is more often."""
    ranking = found.ranking
    best, most = ranking.iloc[0], ranking.loc[ranking["share_best"].idxmax()]
    said = f"{named(best['alternative'])}, the best by mean rank, is on top in {percent(best['share_best'])} of the"
    more = f"; {named(most['alternative'])} is most often, in {percent(most['share_best'])}"
    return f"{said} experiments{more if most['share_best'] > best['share_best'] else ', most often'}."


def of_agreement(found: Answers) -> str:
    """Say how far two studies of this size would agree. Needs estimates of that."""
    parts = []
    for conclusion in found.agreement["conclusion"].unique():
        row = found.agreement_at(found.n_experiments, conclusion)
        if row is not None:
            parts.append(f"on the {conclusion} {two_digits(row['low'])} to {two_digits(row['high'])}")
    return f"Agreement of two studies of {found.n_experiments:,} experiments: {together(parts, 99)}."


def of_needs(found: Answers) -> str:
    """Say how many questions have enough experiments. Needs an estimate of n*."""
    known = found.nstar[found.nstar["nstar"].notna()]
    counts = known["verdict"].value_counts()
    parts = [f"{words} in {counts.get(verdict, 0):,}" for verdict, words in WORDS.items()]
    finite = known.loc[np.isfinite(known["nstar"]), "nstar"]
    reach = f" Where it is finite, n* is {span(finite, '{:,.0f}')}." if len(finite) else ""
    return f"Of {how_many(len(known), 'question')}, the experiments that were run are {together(parts, 99)}.{reach}"


def of_curves(found: Answers) -> str:
    """Say where each curve reaches what is wanted. Needs curves."""
    parts = []
    for kernel in found.kernels:
        row = found.estimate_of(kernel)
        if row is not None and not np.isnan(row["nstar"]):
            n = "nowhere" if np.isinf(row["nstar"]) else f"at {roughly(row['nstar'])} experiments"
            parts.append(f"on {named(about(kernel))} {n}")
    reach = f"The wanted probability of {found.alpha:g} is reached"
    return f"{reach} {', and '.join(parts)}." if parts else "No n* could be estimated."


def of_pairs(found: Answers) -> str:
    """Say how many differences are significant."""
    differ = "pair differs" if len(found.pairs) == 1 else "pairs differ"
    return f"{found.n_apart:,} of {len(found.pairs):,} {differ} significantly at the level {found.level:g}."


def of_pair(drawn: Figure) -> str:
    """Say what the figure of two alternatives counts: it has it as text."""
    ax = drawn.axes[0]
    title = ax.get_title() or ax.get_title("left")  # the style of pages puts titles there
    return plain_line(f"{title}; {', '.join(text.get_text() for text in ax.texts)}.")


def of_sensitivity(found: Answers) -> str:
    """Say between which numbers n* lies under other settings. Needs a finite one."""
    return f"Under other choices, n* is {_by_kernel(found.sensitivity)}."


def of_influence(found: Answers) -> str:
    """Say between which numbers n* lies without single experiments, and for how many the winner changes."""
    first = found.influence[found.influence["kernel"] == found.influence["kernel"].iloc[0]]
    n_changed = int(first["best_changed"].sum())
    without = f"without {n_changed:,} of {len(first):,}, another alternative has the best mean rank"
    return f"Without one experiment, n* is {_by_kernel(found.influence)}; {without}."


def _by_kernel(frame: pd.DataFrame) -> str:
    finite = frame[np.isfinite(frame["nstar"])]
    parts = [f"{span(part['nstar'], '{:,.1f}')} for {named(k)}" for k, part in finite.groupby("kernel", sort=False)]
    return together(parts, 99)
