"""A card of a study, which travels with its results: JSON, a badge, Markdown, LaTeX; and the same as a test."""

from __future__ import annotations

import json
import re
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from html import escape
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
import pandas as pd
from rich.cells import cell_len

from genexpy_nb.common.checks import check_level, suggest
from genexpy_nb.common.errors import DataError, NotConcludedError, ParameterError, StudyWarning
from genexpy_nb.common.files import write_atomically
from genexpy_nb.common.hashing import versions
from genexpy_nb.common.page_tables import Columns, latex_table, readable
from genexpy_nb.common.prose import (
    MISSING,
    as_latex,
    as_sentence,
    how_many,
    in_markdown,
    levels_in_words,
    percent,
    plain_line,
    together,
    two_digits,
    verbatim,
)
from genexpy_nb.own_study import command, outputs, terminal
from genexpy_nb.study.answers import Answers, records
from genexpy_nb.study.second_study import written
from genexpy_nb.study.sentences import QUESTIONS, about, experiments, places, things
from genexpy_nb.study.study import Study

#: What card.json says of itself; `card.schema.json` beside this module says what it holds.
MADE_BY, SCHEMA_VERSION = "genexpy-nb card", 1

_MOST_ROWS, _MOST_DRAWN, _MOST_IN_LATEX = 20, 8, 50
_NOTHING = "nothing was stated"
_CALLS = re.compile(r"([@#])(?=\w)")  # of people and issues: in a comment an escaped sign calls them, too
_CELL = 7.4  # pixels of a letter, two of a wide one
_NO_XML = re.compile("[\ufffe\uffff]")


def card(study: Study, *, decided: str = "", claim: Any = None, **asked: Any) -> Card:
    """Make a card of a study: what was compared, who may be the best, whether another study would agree.

    Parameters
    ----------
    study : Study
    decided : str
        What was decided before anybody saw results, and where that can be read.
    claim : object, optional
        The alternative that somebody calls the best; the card says whether it is the only contender.
    **asked
        Parameters of `genexpy_nb.Answers`, such as ``configuration`` or ``level``.

    Returns
    -------
    Card
        A notebook shows it. ``content`` is a dictionary, ``markdown``, ``svg`` and ``latex`` are text;
        ``save(folder)`` writes them all.

    Raises
    ------
    ParameterError
        If something asked for does not fit.

    Examples
    --------
    >>> scores = np.random.default_rng(0).normal([0.9, 0.8, 0.5], 0.1, (30, 3))
    >>> made = card(Study.from_wide(pd.DataFrame(scores, columns=["svm", "forest", "chance"])), claim="svm")
    >>> made.content["claim"]["holds"], made.content["decided_before"]
    (True, None)
    """
    return Card(Answers(study, **asked), decided, claim)


class Card:
    """What a study says, in the forms in which it travels; made by `card`."""

    def __init__(
        self, found: Answers, decided: str = "", claim: Any = None, request: Mapping[str, Any] | None = None
    ) -> None:
        self.found, self.decided, self.request = found, plain_line(decided), request
        self.claim = None if claim is None else _claimed(found, claim)

    def __repr__(self) -> str:
        return repr(self.found)

    def _repr_markdown_(self) -> str:
        return self.markdown

    @property
    def title(self) -> str:
        """What the card is about."""
        files = (self.request or {}).get("results") or f"{self.found.study.target} of {things(self.found)}"
        return plain_line(files if isinstance(files, str) else together(files))

    def save(self, folder: str | Path) -> list[Path]:
        """Write card.json, card.md, card.svg and card.tex into a folder, each whole; return where they are."""
        texts = {"md": self.markdown, "svg": self.svg, "tex": self.latex}
        texts["json"] = json.dumps(self.content, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
        files = {Path(folder, f"card.{kind}"): text for kind, text in texts.items()}
        if any(file.exists() for file in files) and not _is_card(Path(folder, "card.json")):
            raise DataError(f"{folder} has a file called card that was not made by this command: name another folder")
        for file, text in files.items():
            write_atomically(file, text.encode(errors="replace").decode())
        return list(files)

    # --- JSON --------------------------------------------------------------------------------------------------------

    @cached_property
    def content(self) -> dict[str, Any]:
        """All that the card says, as what JSON can hold; docs/card.md says what each part means."""
        found, study = self.found, self.found.study
        asks = {each.name: about(each) for each in found.kernels}
        return {
            "made_by": MADE_BY,
            "schema_version": SCHEMA_VERSION,
            "versions": versions(["genexpy_nb"]),
            "request": self.request,
            "question": found.question,
            "answers": [{"question": a, "answer": b} for a, b in zip(QUESTIONS, found.sentences, strict=True)],
            "claim": self.claim,
            "decided_before": self.decided or None,
            "columns": records(found.data),
            "configuration": records(pd.DataFrame([found.configuration]))[0],
            "why_configuration": found.why_configuration,
            "unit_of_repetition": {
                "columns": study.generalize_over,
                "n_experiments": found.n_experiments,
                "within_clusters": study.within_clusters,
                "averaged_over": study.average_over,
            },
            "comparisons": {
                "alternatives": len(found.ranking) if self._n_pairs else 0,
                "pairs": self._n_pairs,
                "configurations": len(study.configurations),
                "level": found.level,
            },
            "contenders": {
                "leaders": _names(found.leaders),
                "may_be_best": _names(found.contenders),
                "only_one": found.may_be_named,
                "not_compared": found.cannot_compare or None,
            },
            "ranks": [
                {**row, "tied_with": _names(self._tied(name)), "not_told_apart_from": self._like(name)}
                for name, row in zip(found.ranking["alternative"], records(found.ranking), strict=True)
            ],
            "not_ranked": records(pd.DataFrame(found.not_ranked.items(), columns=["alternative", "n_experiments"])),
            "regret": records(found.regret),
            "agreement": records(found.agreement),
            "nstar": records(found.nstar.assign(question=[asks[name] for name in found.nstar["kernel"]])),
            "missing": {
                "n_missing": found.n_missing,
                "n_evaluations": found.n_cells,
                "policy": study.missing,
                "of": records(found.missing),
            },
            "warnings": list(map(as_sentence, study.warnings)),
            "notes": list(map(as_sentence, [*study.notes, *found.left_out])),
            "limits": found.limits,
            "methods": found.methods,
        }

    def _tied(self, name: Any) -> list[Any]:
        """Return who has the same place."""
        places = self.found.ranking.set_index("alternative")["position"]
        return [other for other in places.index[places == places[name]] if other != name]

    @cached_property
    def _same(self) -> dict[Any, list[Any]]:
        """Who was not told apart from each alternative whose pairs are listed."""
        pairs, place = self.found.pairs, {name: i for i, name in enumerate(self.found.ranking["alternative"])}
        names: dict[Any, list[Any]] = {name: [] for name in (*pairs["a"], *pairs["b"])}
        for one, other in pairs.loc[pairs["better"] == "", ["a", "b"]].itertuples(index=False):
            names[one].append(other)
            names[other].append(one)
        return {name: sorted(like, key=place.__getitem__) for name, like in names.items()}

    def _like(self, name: Any) -> list[Any] | None:
        return _names(self._same[name]) if name in self._same else None

    # --- Markdown ----------------------------------------------------------------------------------------------------

    @cached_property
    def markdown(self) -> str:
        """The card to read, with nothing else beside it."""
        found, claim = self.found, self.claim
        asked = f"**Is {verbatim(claim['alternative'])} the best, as claimed?** " if claim else ""
        parts = [
            f"# What may be concluded from {in_markdown(self.title)}",
            in_markdown(found.summary().data),
            *(f"> **Warning:** {in_markdown(as_sentence(text))}" for text in found.study.warnings),
            f"{asked}{in_markdown(claim['text'])}" if claim else "",
            *found.paragraphs,
            "## Places",
            self._places(),
            "## Would another study conclude the same?",
            _bullets(found.agreement_in_words),
            in_markdown(found.enough_in_words),
            "## What it rests on",
            _table(found.data, {"role": "role", "column": "column", "levels": "levels", "what it means": "note"}),
            _bullets([*self._rests_on(), *found.clusters_in_words, *found.noise_in_words, *found.left_out]),
            "## What it does not say",
            _bullets(found.limits),
            "## How it was computed",
            in_markdown(found.methods),
        ]
        return _CALLS.sub(r"\1&#8203;", "\n\n".join(filter(None, parts))) + "\n"

    def _places(self) -> str:
        """The best alternatives, the places that each can have, and which others are like it."""
        found, rows = self.found, self.found.ranking.head(_MOST_ROWS)
        like = [self._same.get(name) for name in rows["alternative"]]
        tied = [" =" * bool(self._tied(name)) for name in rows["alternative"]]
        shown = rows.assign(
            place=[f"{place}{mark}" for place, mark in zip(rows["position"], tied, strict=True)],
            can=[MISSING if np.isnan(a) else f"{a:.0f} to {b:.0f}" for a, b in rows[["low", "high"]].to_numpy(float)],
            like=[MISSING if names is None else _others(names) for names in like],
        )
        columns = [(str(found.study.alternatives_column), "alternative"), ("mean rank", "mean_rank")]
        columns += [("place", "place"), ("can have places", "can"), ("on top in", "share_best")]
        columns += [("not told apart from", "like")]
        note = (
            "Mean rank: 1 is best; = marks a tie. The places that each can have hold for all at once "
            f"({percent(1 - found.level)} confidence): all that can have place 1 may be the best. On top in: the share "
            f"of the {experiments(found)}."
        )
        return f"{_table(shown, columns, {'share_best': percent})}\n\n{in_markdown(note + self._cut(len(rows)))}"

    def _cut(self, shown: int) -> str:
        """Say that rows are left out, and who of these may be the best."""
        n, more = len(self.found.ranking), self._beyond(shown)
        too = f"; of the others, {together(more, 9)} may be the best, too" if more else ""
        return f" The first {shown} of {n:,} are shown{too}." if shown < n else ""

    def _beyond(self, shown: int) -> list[Any]:
        """Return who may be the best, and is not among the first that are shown."""
        rest, names = set(self.found.ranking["alternative"].iloc[shown:]), self.found.contenders
        return [] if self.found.cannot_compare else [name for name in names if name in rest]

    @property
    def _n_pairs(self) -> int:
        k = 0 if self.found.cannot_compare else len(self.found.ranking)
        return k * (k - 1) // 2

    def _rests_on(self) -> list[str]:
        """Say what leaderboards are asked for."""
        found, study, k = self.found, self.found.study, len(self.found.ranking)
        averaged = f"; its runs are averaged over {together(study.average_over, 99)}" if study.average_over else ""
        rows = found.missing[found.missing["side"] == "alternative"]
        most = [f"{name} ({n:,})" for name, n in zip(rows["name"], rows["n_missing"], strict=True)]
        of = f", most of {together(most, 3)}; the policy is {study.missing!r}" if most else ""
        n, pairs = len(study.configurations), how_many(self._n_pairs, "pair")
        compared = f"each of {k:,} {things(found)} with all others, at once, and {pairs}, at once"
        compared = f"{compared} (level {found.level:g})" if self._n_pairs else "none"
        each = f". There are {n:,} configurations; nothing is corrected for that number" if n > 1 else ""
        absent = [name for name in study.alternatives if name not in set(found.names)]
        where = f"Configuration: {levels_in_words(found.configuration)}. {found.why_configuration}"
        not_run = f" Not run in it: {together(absent, 9)}." if absent else ""
        return [
            f"Decided before seeing results: {as_sentence(self.decided or _NOTHING)}",
            *([f"{where}{not_run}"] if n > 1 else []),
            f"Unit of repetition: {together(study.generalize_over, 99)}, with {how_many(found.n_experiments, 'level')}"
            f"{averaged}.",
            "Ties: alternatives with the same score on an experiment share the mean of the ranks there.",
            f"Missing: {found.n_missing:,} of {how_many(found.n_cells, 'evaluation')}{of}.",
            f"Comparisons: {compared}{each}.",
        ]

    # --- a paper -----------------------------------------------------------------------------------------------------

    @cached_property
    def latex(self) -> str:
        """A table, per claim a line on what was found and one on how, and what to cite, for a paper."""
        found, rows = self.found, self.found.ranking.head(_MOST_IN_LATEX)
        columns = {"alternative": "alternative", "mean_rank": "mean rank", "position": "place", "low": "from"}
        columns["high"] = "to"
        caption = (
            f"{self.title}: mean ranks (1 is best), places, and the lowest and highest that each can have, all at once "
            f"({percent(1 - found.level)} confidence).{self._cut(len(rows))}"
        )
        table = latex_table(rows[list(columns)].rename(columns=columns), "card", caption.removesuffix("."))
        about = [found.summary().data, *map(as_sentence, found.study.warnings)]
        if len(found.study.configurations) > 1:
            about.append(f"What follows is about {levels_in_words(found.configuration)}.")
        said = [f"% Claim: {claim}\n{as_latex(what)}\n{as_latex(how)}" for claim, what, how in self._claims()]
        done = f"% Methods, and what to cite\n{as_latex(found.methods)}\n"
        return "\n\n".join([f"{table}\n% What was compared\n{as_latex(' '.join(about))}", *said, done])

    def _claims(self) -> list[tuple[str, str, str]]:
        """Return what may be claimed: the finding, and how it was found, each in one sentence."""
        found, said = self.found, []
        names, n, of, what = found.contenders, found.n_experiments, experiments(found), things(found)
        if self._n_pairs:
            ranked = f"Of {len(found.ranking):,}{' ranked' * bool(found.not_ranked)} {what}"
            best = f"only {names[0]} can be the best" if names else "each is worse than some other one"
            best, listed = (best, "") if len(names) < 2 else (f"{len(names):,} can be the best", together(names, 3))
            by = f"by mean rank over {n:,} {of} ({percent(1 - found.level)} confidence){': ' * bool(listed)}{listed}"
            how = (
                "Each was compared with all others by the largest t statistic, tested by flipping the signs of whole "
                "experiments (gaps after Hsu, 1984); places are after Mogstad, Romano, Shaikh and Wilhelm (2024)."
            )
            said.append(("who is best", f"{ranked}, {best} {by}.", how))
        if len(found.regret):
            row = found.regret.iloc[0]
            cost = f"On one of the {of} that was left out, the leader on the others is {places(row['regret'])} behind"
            random = f"a random choice is {places(row['of_alternative'])} behind"
            how = f"These are means over the {n:,} {of}, each left out once."
            said.append(("what it costs", f"{cost} the best, and {random}.", how))
        if (row := found.agreement_at(n, "winner")) is not None:
            low, high, _ = written(row)
            chance = f"of about {low}" if low == high else f"between {low} and {high}"
            again = f"Two studies of {n:,} other {of} each have the same winner with a probability {chance}"
            how = "The interval was found by inverting simulated tests."
            said.append(("whether another study agrees", f"{again} ({found.nominal} interval).", how))
        if not found.no_nstar:
            how = (
                "Here n* is the number of experiments with which the distributions of results of two studies differ by "
                "at most δ with probability α, whoever wins (Matteucci and others, Generalizability of Experimental "
                "Studies)."
            )
            said.append(("whether the experiments are enough", found.enough_in_words, how))
        return said

    # --- a picture ---------------------------------------------------------------------------------------------------

    @property
    def verdict(self) -> tuple[str, str]:
        """Who is best, in the words of a badge, and what kind of answer that is: sure, open or none."""
        found = self.found
        if found.may_be_named:
            return terminal.shortened(found.leaders[0], 30), "sure"
        if found.cannot_compare or not found.contenders:
            return "cannot be said", "none"
        return f"open: {len(found.contenders):,} can be", "open"

    @cached_property
    def svg(self) -> str:
        """A badge, and the places that the best can have; readable in light and dark."""
        found, (verdict, kind) = self.found, self.verdict
        rows = found.ranking.head(_MOST_DRAWN if found.ranking["low"].notna().all() else 0)
        asked = terminal.shortened(f"best of {len(found.ranking):,} {things(found)}", 34)
        more = len(self._beyond(len(rows)))
        cut = f"First {len(rows)} of {len(found.ranking):,}" * (0 < len(rows) < len(found.ranking))
        cut += f"; {more:,} of the others may be the best, too" * bool(cut and more)
        split, right = (20 + _CELL * cell_len(text) for text in (asked, verdict))
        last = float(rows["high"].max()) if len(rows) else 1.0
        width, height = max(480.0, split + right + 32), 54 + (22 * len(rows) + 34 + 16 * bool(cut)) * bool(len(rows))

        def x(place: float) -> float:
            return 212 + (width - 244) * (place - 1) / max(last - 1, 1)

        drawn = []
        for y, row in enumerate(rows.to_dict("records")):
            y, best = 62 + 22 * y, "best" if row["may_be_best"] and not found.cannot_compare else "other"
            name, full = _fitted(terminal.shortened(row["alternative"], 22)), _xml(row["alternative"])
            low, high, place = x(row["low"]), x(row["high"]), x(row["position"])
            drawn.append(
                f'<g class="{best}"><title>{full}: place {row["position"]}, can be {row["low"]:.0f} to '
                f'{row["high"]:.0f}</title><text x="198" y="{y + 4}" text-anchor="end"{name}</text>'
                f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{y}" y2="{y}"/><circle cx="{place:.1f}" cy="{y}" r="5"/></g>'
            )
        if len(rows):
            y, each = 64 + 22 * len(rows), terminal.shortened(experiments(found), 20)
            note = f"Possible places ({percent(1 - found.level)} confidence), {found.n_experiments:,} {each}"
            drawn += [
                f'<text class="quiet" x="{x(place):.1f}" y="{y}" text-anchor="middle">{place:,.0f}</text>'
                for place in sorted({1.0, last})
            ]
            drawn += [
                f'<text class="quiet" x="16" y="{y + 16 * line}">{_xml(text)}</text>'
                for line, text in enumerate(filter(None, (note, cut)), 1)
            ]
        return Template(Path(__file__).with_name("card_template.svg").read_text(encoding="utf-8")).substitute(
            width=f"{width:.0f}",
            height=height,
            title=_xml(self.title),
            said=_xml(found.sentences[0]),
            kind=kind,
            asked=_fitted(asked),
            verdict=_fitted(verdict),
            split=f"{split:.0f}",
            at=f"{16 + split:.0f}",
            right=f"{right:.0f}",
            drawn="\n".join(drawn),
        )


def _xml(value: object) -> str:
    return escape(_NO_XML.sub("\ufffd", plain_line(value)))


def _fitted(text: str) -> str:
    """Return the end of a text element whose width no font changes, if it is long enough to matter."""
    fits = f' textLength="{_CELL * cell_len(text):.0f}" lengthAdjust="spacingAndGlyphs"' if cell_len(text) > 12 else ""
    return f"{fits}>{_xml(text)}"


def _others(names: Sequence[Any]) -> str:
    return together(names, 99) if 0 < len(names) < 4 else f"{len(names)} others" if names else "nobody"


def _bullets(texts: Sequence[str]) -> str:
    return "\n".join(f"- {in_markdown(text)}" for text in texts)


def _table(frame: pd.DataFrame, columns: Columns, forms: Mapping[str, Callable[[Any], str]] | None = None) -> str:
    """Return a table as Markdown; whatever it holds is escaped."""
    shown = readable(frame, columns, len(frame), forms)
    rows = [[shown.index.name, *shown.columns], *shown.itertuples(name=None)]
    head, *lines = [f"| {' | '.join(map(verbatim, map(plain_line, row)))} |" for row in rows]
    return "\n".join([head, f"|{' --- |' * len(rows[0])}", *lines])


def _names(names: Sequence[Any]) -> list[Any]:
    """Return names of alternatives as JSON has them."""
    return [row["name"] for row in records(pd.DataFrame({"name": names}, dtype=object))]


def _is_card(file: Path) -> bool:
    """Say whether a file is a card.json of ours."""
    try:
        return json.loads(file.read_bytes()).get("made_by") == MADE_BY
    except (OSError, ValueError, AttributeError, RecursionError):
        return False


# --- what somebody claims ---------------------------------------------------------------------------------------------


def _claimed(found: Answers, best: Any) -> dict[str, Any]:
    """Say whether an alternative is the only one that can be the best."""
    if best not in found.study.alternatives:
        known = f"{suggest(best, found.study.alternatives)} (there are {together(found.study.alternatives, 8)})"
        raise ParameterError(f"there is no alternative {best!r}{known}")
    others, holds = [name for name in found.contenders if name != best], found.may_be_named and found.leaders == [best]
    if holds:
        text = f"Yes: none of the other {things(found)} can be."
    elif found.cannot_compare:
        text = f"That cannot be said: {found.cannot_compare}."
    elif best in found.not_ranked:
        text = f"No: it was run in fewer than half of the {experiments(found)}."
    elif best in found.contenders and others:
        text = f"No: {together(others, 3)} can be the best, too."
    else:
        text = "No: some other one is better."
    return {"alternative": _names([best])[0], "holds": holds, "text": plain_line(text)}


def assert_conclusion(
    study: Study,
    conclusion: str | None = None,
    probability: float = 0.8,
    *,
    best: Any = None,
    configuration: Mapping[str, Any] | None = None,
    level: float = 0.05,
    confidence: float = 0.95,
    **options: Any,
) -> None:
    """Make sure, in a test, that a study still allows a conclusion.

    Parameters
    ----------
    study : Study
    conclusion : str, optional
        What two studies of this size are to agree in, as in `Study.agreement`: "winner", "top-k", "order" and others.
    probability : float
        With which they are to agree, in (0, 1): the low end of the interval has to reach it. For "top-k" the expected
        share, for "order" the expected Kendall's tau.
    best : object, optional
        The alternative that is to be the only contender.
    configuration : dict, optional
        See `Study.scores`.
    level : float
        Of the tests behind ``best``.
    confidence : float
        Of the interval.
    **options
        Of `Study.agreement`, such as ``k``.

    Raises
    ------
    NotConcludedError
        An AssertionError that says what holds, and what would make the conclusion hold.
    ParameterError, StudyError
        If something asked for does not fit, or nothing is.

    Examples
    --------
    >>> scores = np.random.default_rng(0).normal([2, 1, 0], 1, (30, 3))
    >>> study = Study.from_wide(pd.DataFrame(scores, columns=["OHE", "TE", "WOE"]))
    >>> assert_conclusion(study, "winner", probability=0.5, best="OHE")
    """
    if conclusion is None and best is None:
        raise ParameterError('assert_conclusion: say which conclusion, such as "winner", or who is to be the best')
    check_level("probability", probability)
    study.scores(configuration)  # of several configurations, one is to be named
    found = Answers(study, configuration=configuration or None, level=level, confidence=confidence)
    if best is not None and not (claim := _claimed(found, best))["holds"]:
        who, settled = found.sentences[0], found.sentences[-1]
        raise NotConcludedError(f"Is {claim['alternative']} the best? {claim['text']} {who} {settled}")
    if conclusion is None:
        return
    options |= {"confidence": confidence}
    (row,) = study.agreement(conclusion, found.n_experiments, configuration, **options).to_dict("records")
    if row["low"] >= probability:
        return
    needed = study.experiments_for(conclusion, probability, configuration, **options)
    n, of, most = found.n_experiments, experiments(found), f"{100 * found.n_experiments:,}"
    ends = needed["n"], needed["high"]
    size, high = (f"about {end:,.0f}" if np.isfinite(end) else f"more than {most}" for end in ends)
    raise NotConcludedError(
        f"The {row['measure']} of two studies of {n:,} {of} each is between {two_digits(row['low'])} and "
        f"{two_digits(row['high'])} ({found.nominal} interval), so {probability:g} is not shown. By the "
        f"estimate, each study needs {size} {of} for that; to be sure by these results, it needs {high}."
    )


# --- the command ------------------------------------------------------------------------------------------------------


def run(results: Sequence[str], options: Mapping[str, Any]) -> bool:
    """Carry out ``genexpy-nb card``; return whether what was claimed holds."""
    folder = Path(options["output"] or outputs.default_folder(command.place(results), "card"))
    options = {**options, "as_json": False}
    request, frame = command.read(command.requested(results, options), options)
    if request is None:
        raise ParameterError("what each column is for is not sure, so there is no card: give the options of the guess")
    study = request.study(frame)
    with request.spoken(), warnings.catch_warnings(action="ignore", category=StudyWarning):  # they are on the card
        claim = request.named("--claim", options["claim"], study) if options["claim"] else None
        made = Card(request.answers(study), options["decided"], claim, request.without_folders())
        files = made.save(folder)
    console = terminal.console_of(sys.stdout)
    terminal.print_answer(console, made.found)
    said = [("claim", made.claim["text"])] if made.claim else []
    terminal.print_files(console, [*said, *((file.suffix[1:], str(file)) for file in files)])
    return made.claim is None or made.claim["holds"]
