"""What the figures of a study's page show, in words, for people who cannot see them: true on any table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from genexpy_nb.common.prose import percent, span
from genexpy_nb.common.verdicts import WORDS
from genexpy_nb.own_study.in_short import asked_about, estimate_of, named, of_second_studies
from genexpy_nb.study.summary import in_one_line, joined, rounded

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from genexpy_nb.study.answers import Answers


def of_positions(found: Answers) -> str:
    """Say who may be the best. Needs a ranking with intervals."""
    ranking = found.ranking
    n_first = int((ranking["low"] == 1).sum())
    best = ranking.iloc[0]
    return in_one_line(
        f"{n_first:,} of {len(ranking):,} alternatives may be first by their intervals. {named(best['alternative'])}, "
        f"which has the best mean rank, may stand anywhere from {best['low']:.0f} to {best['high']:.0f}."
    )


def of_missing(found: Answers) -> str:
    """Say how much is missing, and where most of it. Something must be missing."""
    cells = found.study.condition_scores(found.configuration)
    n_missing = int(cells.isna().to_numpy().sum())
    worst = [found.missing[found.missing["side"] == side].head(1) for side in found.missing["side"].unique()]
    rows = pd.concat(worst)
    most = [f"the {side} {named(name)} lacks {percent(share)}" for side, name, share in _columns(rows)]
    share = percent(n_missing / cells.size, 1)
    return in_one_line(
        f"{n_missing:,} of {cells.size:,} evaluations are missing, {share}. Most incomplete: {joined(most, 99)}."
    )


def _columns(rows: pd.DataFrame) -> zip:
    return zip(rows["side"], rows["name"], rows["share"], strict=True)


def of_ranks(found: Answers) -> str:
    """Say how often the best alternative is on top, and whether another one is more often."""
    ranking = found.ranking
    best, most = ranking.iloc[0], ranking.loc[ranking["share_best"].idxmax()]
    said = f"{named(best['alternative'])}, the best by mean rank, is on top in {percent(best['share_best'])} of the"
    more = f"; {named(most['alternative'])} is most often, in {percent(most['share_best'])}"
    return in_one_line(f"{said} experiments{more if most['share_best'] > best['share_best'] else ', most often'}.")


def of_agreement(found: Answers) -> str:
    """Say how far two studies of this size would agree. Needs estimates of that."""
    parts = []
    for conclusion in found.agreement["conclusion"].unique():
        row = of_second_studies(found, conclusion)
        if row is not None:
            numbers = "{:.2f} (interval {:.2f} to {:.2f})".format(
                *(row[["estimate", "low", "high"]].astype(float) + 0.0)
            )
            parts.append(f"on the {conclusion} {numbers}")
    n = len(found.study.scores(found.configuration))
    return in_one_line(f"Agreement of two studies of {n:,} experiments: {joined(parts, 99)}.")


def of_halves(found: Answers) -> str:
    """Say how far halves agree. Needs them."""
    known = found.halves[found.halves["estimate"].notna()]
    parts = [f"{what} {value:.2f}" for what, value in zip(known["conclusion"], known["estimate"], strict=True)]
    return in_one_line(f"Agreement of halves of the experiments: {joined(parts, 99) if parts else 'unknown'}.")


def of_needs(found: Answers) -> str:
    """Say how many questions have enough experiments. Needs an estimate of n*."""
    known = found.nstar[found.nstar["nstar"].notna()]
    counts = known["verdict"].value_counts()
    parts = [f"{words} in {counts.get(verdict, 0):,}" for verdict, words in WORDS.items()]
    finite = known.loc[np.isfinite(known["nstar"]), "nstar"]
    reach = f" Where it is finite, n* is {span(finite, '{:,.0f}')}." if len(finite) else ""
    questions = "question" if len(known) == 1 else "questions"
    return in_one_line(f"Of {len(known):,} {questions}, the experiments at hand are {joined(parts, 99)}.{reach}")


def of_curves(found: Answers) -> str:
    """Say where each curve reaches what is wanted. Needs curves."""
    parts = []
    for kernel in found.kernels:
        row = estimate_of(found, kernel)
        if row is not None and not np.isnan(row["nstar"]):
            n = "nowhere" if np.isinf(row["nstar"]) else f"at {rounded(row['nstar'])} experiments"
            parts.append(f"on {asked_about(kernel)} {n}")
    reach = f"The wanted probability of {found.alpha:g} is reached"
    return in_one_line(f"{reach} {', and '.join(parts)}." if parts else "No n* could be estimated.")


def of_budget(found: Answers) -> str:
    """Say what all further experiments would answer. Needs questions that want some."""
    last, n_questions = found.extend.iloc[-1], found.extend.attrs["n_questions"]
    return in_one_line(
        f"By the estimates, {int(last['cumulative']):,} more in all, and {int(last['answered']):,} of {n_questions:,} "
        "questions have enough experiments."
    )


def of_tiers(found: Answers) -> str:
    """Say how many tiers there are. Needs tests of all pairs."""
    tiers = found.tiers["tier"]
    n, n_first = tiers.nunique(), int((tiers == tiers.min()).sum())
    together = f"the first holds {n_first:,} of {len(tiers):,} alternatives"
    return f"{n:,} {'tier' if n == 1 else 'tiers'} can be told apart; {together}."


def of_pairs(found: Answers) -> str:
    """Say how many differences are significant."""
    pairs = found.pairs
    n_apart = int(((pairs["p_adjusted"] <= found.level) & (pairs["favours"] != "")).sum()) if len(pairs) else 0
    differ = "pair differs" if len(pairs) == 1 else "pairs differ"
    return f"{n_apart:,} of {len(pairs):,} {differ} significantly at the level {found.level:g}."


def of_wins(found: Answers) -> str:
    """Say who wins the largest share of its comparisons."""
    wins = found.wins
    turned = wins.rename(columns={"a": "b", "b": "a", "wins": "losses", "losses": "wins"})
    sums = pd.concat([wins, turned]).groupby("a", sort=False)[["wins", "ties", "losses"]].sum()
    total = sums.sum(axis=1)
    if not (total > 0).any():
        return "No two alternatives have scores in the same experiment."
    shares = ((sums["wins"] + sums["ties"] / 2) / total)[total > 0]
    best = shares.idxmax()
    won, n = int(sums.loc[best, "wins"]), int(total[best])
    return in_one_line(f"{named(best)} has the largest share of wins, {won:,} of {n:,} comparisons.")


def of_pair(drawn: Figure) -> str:
    """Say what the figure of two alternatives counts: it has it as text."""
    ax = drawn.axes[0]
    texts = [text.get_text() for text in ax.texts]
    title = ax.get_title() or ax.get_title("left")  # the style of pages puts titles there
    return in_one_line(f"{title}; {', '.join(texts)}.")


def of_sensitivity(found: Answers) -> str:
    """Say between which numbers n* lies under other settings. Needs a finite one."""
    return in_one_line(f"Under other choices, n* is {_by_kernel(found.sensitivity)}.")


def of_influence(found: Answers) -> str:
    """Say between which numbers n* lies without single experiments, and for how many the winner changes."""
    left_out = found.influence
    first = left_out[left_out["kernel"] == left_out["kernel"].iloc[0]]
    n_changed = int(first["best_changed"].sum())
    without = f"without {n_changed:,} of {len(first):,}, another alternative has the best mean rank"
    return in_one_line(f"Without one experiment, n* is {_by_kernel(left_out)}; {without}.")


def _by_kernel(frame: pd.DataFrame) -> str:
    finite = frame[np.isfinite(frame["nstar"])]
    parts = [f"{span(part['nstar'], '{:,.1f}')} for {named(k)}" for k, part in finite.groupby("kernel", sort=False)]
    return joined(parts, 99)
