"""What a study's page shows: its sentences, figures and tables, the latter as people read them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from genexpy_nb.common import page
from genexpy_nb.common.page_tables import Columns, readable, written_number
from genexpy_nb.common.prose import Prose, as_written, in_markdown, percent, say, span, together, verbatim
from genexpy_nb.own_study import in_short
from genexpy_nb.own_study.request import StudyRequest as StudyRequest  # for the notebook
from genexpy_nb.plots import study as figures
from genexpy_nb.plots.nstar import nstar_forest
from genexpy_nb.plots.study import MOST_NAMED_TWICE, agreement_curves, pairwise_matrix
from genexpy_nb.study.answers import Answers
from genexpy_nb.study.sentences import LONG, SMALLER, estimated, held, in_simulations, places, things

#: Rows up to which a page offers a whole table as CSV; of a longer one, those that are shown.
MOST_ROWS = 1000
_DRAWN, _TALLEST = (6, 8), 3.26  # rows at the top of a page, fewest and most; inches that can be read on a slide


def show_readable(
    frame: pd.DataFrame,
    columns: Columns,
    name: str,
    caption: str,
    *,
    most: int = 20,
    whole: str = "",
    forms: Mapping[str, Callable[[Any], str]] | None = None,
    folded: str = "",
) -> None:
    """Show the first rows of a frame as a numbered table; ``whole`` is the file that has all of them."""
    shown = readable(frame, columns, most, forms)
    fits = len(frame) <= MOST_ROWS
    if len(frame) > most:
        place = "the CSV here" if fits else whole
        caption += f" {most:,} of {len(frame):,} rows{f'; all are in {place}' * bool(place)}."
    headers = {head: head for head in [shown.index.name, *shown.columns]}  # a user's name may hold anything
    page.show_table(shown, name, caption, headers, csv=frame if fits else frame.head(most), folded=folded)


def _score(found: Answers) -> str:
    return found.configuration["metric"] if len(found.study.targets) > 1 else found.study.target


def _where(found: Answers) -> str:
    """Say of which configuration something is."""
    levels = ", ".join(f"{name} = {found.configuration[name]}" for name in found.study.design)
    return f" This is about {verbatim(levels)}." if levels else ""


def _by_question(found: Answers) -> list[tuple[str, Any]]:
    return [*((str(name), name) for name in found.study.design), ("question", "kernel")]


def _bullets(texts: Sequence[str]) -> str:
    return "\n".join(f"- {verbatim(text)}" for text in texts)


def _fold(head: str, text: str) -> str:
    """Fold a text under a head; nothing where there is no text."""
    return f"<details>\n<summary>{head}</summary>\n\n{text}\n\n</details>" if text else ""


# --- the answer -------------------------------------------------------------------------------------------------------


def show_in_short(found: Answers, more: str = "") -> None:
    """Show what a page opens with."""
    page.show_findings(*in_short.findings(found, more))


def show_positions(found: Answers) -> None:
    """Show the places that each of the best can have; nothing where the tests were left out."""
    if found.ranking["low"].notna().any():
        n_first = int((found.ranking["low"] == 1).sum())
        most = int(np.clip(n_first + 1, *_DRAWN))  # and the first of those that cannot have it
        n_drawn = int((found.ranking["low"].head(most) == 1).sum())
        which = f"{n_drawn} of them are among the first {most}, which" if n_drawn < most else f"the first {most}"
        more = f"; {which} are drawn" if n_first > most else ""
        wider = 1 < n_first < found.ranking["high"].head(most).max()
        beyond = f" A line can reach beyond place {n_first:,}: one may be behind others that cannot be the best."
        drawn = figures.rank_positions(found.ranking.set_index("alternative"), most=most)
        drawn.set_figheight(min(drawn.get_figheight(), _TALLEST))
        page.show_figure(
            drawn,
            "positions",
            f"**Of {found.n_alternatives:,} {things(found)}, {n_first:,} may be the best{more}.** Each line shows the "
            f"places that one may have; all hold at once, at {percent(1 - found.level)} confidence."
            f"{beyond * bool(wider)}{_where(found)}",
            found.sentences[0],
        )


def show_warnings(found: Answers) -> Prose:
    """Return what to beware of."""
    scales = [found.mixed_scales] if found.mixed_scales and found.may_be_named else []
    return say(*(f"**Warning:** {verbatim(text)}." for text in [*found.study.warnings, *scales]))


def show_answers(found: Answers) -> Prose:
    """Return what would settle who is best, and what else to do."""
    steps = [s for s in found.next_steps if s != found.sentences[-1] and not s.startswith(SMALLER)]  # δ: said before
    listed = ("\n\n- " if len(steps) > 1 else " ") + "\n- ".join(map(in_markdown, steps))
    return say(found.paragraphs[-1], f"**What else to do.**{listed}" if steps else "")


def show_ranking(found: Answers, ranking: pd.DataFrame) -> None:
    """Show the best alternatives; the frame has the gaps beside the ranks."""
    where = f" {verbatim(found.why_configuration)}" if found.study.design else ""
    show_readable(
        ranking,
        [
            (str(found.study.alternatives_column), "alternative"),
            ("mean rank", "mean_rank"),
            (f"mean {_score(found)}", ("mean_score", "score_low", "score_high")),
            ("wins", "share_best"),
            *[("run in", "n_experiments")] * (ranking["n_experiments"].nunique() > 1),
            ("place", ("position", "low", "high")),
            *[("gap", ("gap", "gap_low", "gap_high"))] * ("gap" in ranking),
        ],
        "ranking",
        "The best alternatives by mean rank, and the share of experiments that each wins. Brackets are "
        f"{found.nominal} intervals of single mean scores, and {percent(1 - found.level)} intervals of places and "
        "gaps, for all alternatives at once. In simulations, those of gaps held in at least 83 % of studies. A gap is "
        f"the lead in mean rank over the best of the others; below 0, the alternative is behind.{_where(found)}{where}",
        most=_DRAWN[1],
        folded="Mean ranks, scores, wins and gaps of the best" * (len(ranking) > MOST_NAMED_TWICE),
        whole="ranking.csv",
        forms={"share_best": lambda share: percent(share, 1)}
        | dict.fromkeys(ranking.columns.intersection(["mean_rank", "gap", "gap_low", "gap_high"]), written_number),
    )


def show_regret(found: Answers, regret: pd.DataFrame) -> Prose:
    """Show what choosing by the table costs, and return it in words."""
    if regret.empty:
        return say(verbatim(found.sentences[1]))
    columns = [("first tried", "top"), ("places behind", "regret")]
    columns += [(f"behind in {_score(found)}", "score_regret")] * bool(regret["score_regret"].notna().any())
    columns += [("worst on (places behind)", "worst")]
    caption = "How far the best of the first 1, 2 or 3 is behind the best of all (mean over left-out experiments)."
    show_readable(regret, columns, "regret", caption, whole="regret.csv", folded="Shortlists, and where they cost most")
    first, last, n = regret.iloc[0], regret.iloc[-1], len(found.contenders)
    n, lost = (n, first["of_contender"]) if n > 1 else (len(found.ranking), first["of_alternative"])
    tried = f"If you try the first {last['top']:.0f} and keep the best, you are {places(last['regret'])} behind. "
    random = f"A random one of the first {n:,} by mean rank, contender or not, is {places(lost)} behind, on average."
    return say(verbatim(tried * bool(last["regret"] < first["regret"]) + random))


def show_agreement(found: Answers, agreement: pd.DataFrame) -> Prose:
    """Show how far two studies agree, by their size, and return it in words."""
    if len(agreement):
        wide = (agreement["high"] - agreement["low"] > LONG).groupby(agreement["conclusion"]).transform("all")
        named = "the " + agreement["conclusion"]
        drawn, gone = (named[which].unique() for which in (~wide | wide.all(), wide & ~wide.all()))
        page.show_figure(
            agreement_curves(agreement[~wide | wide.all()].assign(estimate=estimated), observed=found.n_experiments),
            "agreement",
            f"**How far two studies agree on {together(drawn)}, by their size.** Bands are intervals. {held(found)}"
            f"{f' For {together(gone)}, they are too wide to draw.' if len(gone) else ''} Dots are estimates. We "
            "draw none outside its interval, because for larger studies, estimates lean towards what was observed.",
            " ".join(found.agreement_in_words),
        )
    *each, last = found.agreement_in_words
    return say(_fold("Each conclusion, with its interval", _bullets(each)), verbatim(last))


def show_pairs(found: Answers, pairs: pd.DataFrame) -> None:
    """Show which pairs differ."""
    if len(pairs):
        n = len({*found.pairs["a"], *found.pairs["b"]})
        of = f" of the best {n:,}" * (n < found.n_alternatives)
        said = f"{found.n_apart:,} of {len(found.pairs):,} pairs{of} differ significantly at the {found.level:g} level."
        page.show_figure(
            pairwise_matrix(pairs, level=found.level),
            "pairs",
            "**By how many mean ranks the row is ahead of the column.** Each pair appears twice. The level allows for "
            f"all pairs of {found.n_alternatives:,} alternatives."
            f"{' Numbers are places by mean rank.' * (n > MOST_NAMED_TWICE)}",
            said,
            f"All pairs, tested at once: {said}",
        )


def show_data(found: Answers, table: pd.DataFrame, missing: pd.DataFrame) -> Prose:
    """Show what each column is for and what is missing, and return what was done about it."""
    columns = {"role": "role", "column": "column", "values": "levels", "what it means": "note"}
    show_readable(found.data, columns, "data", "What each column of the results is for.", folded="Columns and roles")
    if len(missing):
        gaps = f"{found.n_missing:,} of {found.n_cells:,} evaluations are missing."
        page.show_figure(
            figures.missing_cells(found.study.condition_scores(found.configuration)),
            "missing",
            f"**{gaps}** Dark cells have a score. Little can be said about rows or columns without any.{_where(found)}",
            gaps,
        )
    notes = [note for note in [table.attrs.get("read_as"), *found.study.notes, *found.left_out] if note]
    clusters, noise = " ".join(found.clusters_in_words), " ".join(found.noise_in_words)
    return say(
        _fold("How the data were read, averaged and cut", "\n\n".join([_bullets(notes), verbatim(clusters)]).strip()),
        f"**Noise across runs.** {verbatim(noise)}" if noise else "",
    )


def show_limits(found: Answers) -> Prose:
    """Return what the results cannot say."""
    held = in_simulations(found)
    folded = _fold("What the tests assume, and how often intervals held in simulations", _bullets(held))
    return say(_bullets([text for text in found.limits if text not in held]), folded)


# --- more -------------------------------------------------------------------------------------------------------------


def show_needs(found: Answers, needs: pd.DataFrame, curves: pd.DataFrame) -> Prose:
    """Show how many experiments each question needs, and return it in words."""
    if len(needs):
        up = {f"{end}_whole": np.ceil(needs[end]) for end in ("nstar", "low", "high")}
        columns = [*_by_question(found), ("experiments", "n_experiments"), ("n*", (*up,))]
        left = {f"{end}_more": (up[f"{end}_whole"] - needs["n_experiments"]).clip(lower=0) for end in ("low", "high")}
        columns += [("verdict", "verdict"), ("still to run", ("more", *left))]
        columns += [("note", "note")] * bool(needs["note"].any())
        asked = ". ".join(f"{verbatim(each.name)} asks {verbatim(in_short.about(each))}" for each in found.kernels)
        caption = f"n\\*, rounded up, and the experiments still to run, with {found.nominal} intervals. {asked}."
        show_readable(needs.assign(**up, **left), columns, "needs", caption, whole="nstar.csv")
    if found.study.design and np.isfinite(needs["nstar"]).any():
        reach = span(needs["nstar"][np.isfinite(needs["nstar"])], "{:,.1f}")
        page.show_figure(
            nstar_forest(needs, [*found.study.design, "kernel"]),
            "needs",
            f"**n\\* is {reach}.** Lines are its intervals, and ticks show how many experiments "
            "were run. If an interval ends left of the tick, there are enough.",
            f"n* is {reach}, by question, beside the number of experiments that were run.",
        )
    if len(curves):
        n, alpha, delta = len(found.study.rankings(found.configuration)), found.alpha, found.delta
        page.show_figure(
            figures.generalizability_curves(curves, n, alpha, delta),
            "curves",
            f"**How likely two studies of each size are to look alike** within δ = {as_written(delta)}. A mark shows "
            f"the first plotted size at which this probability reaches α = {as_written(alpha)}.{_where(found)}",
            found.enough_in_words,
            "How likely studies of other sizes are to look alike",
        )
    return say("" if len(curves) else verbatim(found.enough_in_words))


def show_plan(found: Answers, extend: pd.DataFrame) -> None:
    """Show what to run first."""
    if len(extend):
        columns = [*_by_question(found), ("more experiments", ("more", "low_more", "high_more"))]
        columns += [("in all", "cumulative"), ("questions with enough", "answered")]
        columns += [("within the budget", "within_budget")] * (found.budget is not None)
        caption = "What to extend first, so that the fewest experiments answer most questions. In brackets: what "
        caption += "follows from the interval of n\\*. Questions that have enough experiments are not listed."
        show_readable(extend, columns, "extend", caption, most=15, whole="extend.csv")


def keep_key_numbers(found: Answers) -> None:
    """Keep the key numbers of the page, and show them."""
    in_short.keep_numbers(found)
    page.show_key_numbers()


def show_paper(found: Answers) -> Prose:
    """Return what a paper may say of the results and the methods, folded."""
    results = "\n\n".join(map(verbatim, found.summary().paragraphs()))
    return say(_fold("Results, to paste", results), _fold("Methods, to paste", verbatim(found.methods)))
