"""What is said of a study in a terminal: one screen, and the start of every table if asked for, whatever their size.

Colours and bars where there is a terminal, plain text where the output goes elsewhere. Text of the table is shown as
data: no markup, no escape sequences, one line, shortened in the middle.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TextIO

import numpy as np
import pandas as pd
from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from genexpy_nb.common.checks import listed
from genexpy_nb.common.files import noted
from genexpy_nb.common.prose import (
    MISSING,
    as_sentence,
    how_many,
    levels_in_words,
    plain_line,
    together,
    written_number,
)
from genexpy_nb.datasets.describing import DIRECTIONS, describe_columns
from genexpy_nb.own_study import outputs
from genexpy_nb.own_study.in_short import on_holes, on_warning
from genexpy_nb.own_study.request import StudyRequest, as_spoken
from genexpy_nb.own_study.roles import Proposal, command, mostly_one_group, propose
from genexpy_nb.study.answers import Answers
from genexpy_nb.study.sentences import criteria, experiments, things

NARROWEST, WIDEST = 60, 160
MOST_ROWS, _NARROW = 8, 80  # of a table, the files have all; two less on a first screen that is narrower
MOST_WARNINGS = 6
MOST_COLUMNS = 40
_MAY_BE = {
    "--alternatives": "what is compared",
    "--over": "the experiments, such as data sets or cases",
    "--target": "the score; of a matrix (--wide) a pattern, such as '*_f1'",
    "--average": "repetitions, such as seeds or folds",
    "--design": "settings, with an answer for each level",
    "--fix COLUMN=LEVEL": "one level only",
    "--without": "COLUMN of a matrix, or COLUMN=LEVEL",
}
_MOST_GUESSED = 100_000  # rows of a table, of which doubts are known in a moment
_DASHES = str.maketrans("–−", "--")


# --- the terminal -----------------------------------------------------------------------------------------------------


class _Lenient:
    """A stream that takes any text: what its encoding lacks becomes a question mark, a dash a hyphen."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.encoding = getattr(stream, "encoding", None) or "utf-8"

    def write(self, text: str) -> int:
        if not self.isatty():
            text = re.sub(r"(?<! ) +(?=\n)", "", text)  # rich fills lines
        if not self.encoding.lower().startswith("utf"):
            text = text.translate(_DASHES)
        return self._stream.write(text.encode(self.encoding, "replace").decode(self.encoding))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def console_of(stream: TextIO) -> Console:
    """Return a console as wide as the terminal, 60 to 160; colours as the terminal has them."""
    width = shutil.get_terminal_size((100, 24)).columns
    lenient: Any = _Lenient(stream)
    return Console(
        file=lenient,
        width=min(max(width, NARROWEST), WIDEST),
        markup=False,
        highlight=False,
        emoji=False,
        no_color=True if "NO_COLOR" in os.environ else None,
        legacy_windows=False,
    )


def shortened(value: object, width: int) -> str:
    r"""Return text of a table in one line of at most ``width`` cells; of what is longer, the middle is left out."""
    text = plain_line(value)
    if cell_len(text) <= width:
        return text
    head, tail = (width - 1) - (width - 1) // 2, (width - 1) // 2
    start, end = text[: 4 * head], text[-4 * tail :] if tail else ""
    while cell_len(start) > head:
        start = start[:-1]
    while cell_len(end) > tail:
        end = end[1:]
    return f"{start}…{end}"


def _heading(console: Console, text: str, note: str = "") -> None:
    console.print()
    console.print(Text.assemble((text, "bold"), (f"  {note}" if note else "", "dim")))


def _tell(console: Console, text: object, style: str = "", mark: str = "") -> None:
    """Print a sentence, wrapped and set in."""
    words = Text(as_spoken(str(text), rows=False), style=style)
    console.print(Padding(Text.assemble((f"{mark} ", style), words) if mark else words, (0, 0, 0, 2)))


def _show(
    console: Console, heads: Mapping[str, str], rows: Iterable[Sequence[str | Text]], *, wrap: bool = False
) -> None:
    """Print a table without lines; heads are given with "left" or "right". Too wide, only its last column is cut."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for head, side in heads.items():
        table.add_column(head, justify="right" if side == "right" else "left", no_wrap=True, overflow="ellipsis")
    for row in rows:
        table.add_row(*row)
    room = console.width - 2
    for column in table.columns[:-1]:
        column.width = max(cell_len(str(cell)) for cell in [column.header, *column.cells])
        room -= column.width + 2
    table.columns[-1].max_width, table.columns[-1].no_wrap = max(room, 5), not wrap
    console.print(Padding(table, (0, 0, 0, 2)))


def _number(value: Any) -> str:
    """Return a number with three digits that count, with a minus that any terminal has."""
    if pd.isna(value):
        return MISSING
    short = 1e6 <= abs(value) < np.inf  # columns are narrow
    return f"{value:.3g}" if short else written_number(float(value), digits=3).replace("−", "-")


def _between(low: Any, high: Any) -> str:
    if pd.isna(low) or pd.isna(high):
        return MISSING
    ends = [f"{end:,.0f}" for end in (low, high)]
    return ends[0] if ends[0] == ends[1] else f"{ends[0]}–{ends[1]}"


# --- a proposal -------------------------------------------------------------------------------------------------------


def print_proposal(
    console: Console, frame: pd.DataFrame, proposal: Proposal, tried: Sequence[tuple[str, StudyRequest]]
) -> None:
    """Print how a table was read, its columns, what each may be for and why, and the commands to choose from."""
    print_columns(console, frame, proposal.request)
    if not proposal.guess.problem:  # else something else works
        _heading(console, "Best guess", "nothing was computed yet: check it")
        _show_reasons(console, proposal)
        print_doubts(console, proposal)
    first = dict(reversed(tried))  # of two directions the likelier one
    if len(first) == 1:
        print_command(console, "Run" if len(tried) == 1 else "Choose the direction, and run", tried)
    else:
        print_command(console, "Choose what is meant, and run", [*reversed(first.items())])
    if 1 < len(first) < len(tried):
        one, other = sorted(DIRECTIONS, key=lambda better: better != proposal.requests()[0].higher_is_better)
        mixed = len({each.higher_is_better for _, each in tried[:: len(tried) // len(first)]}) > 1
        turned = f"write --{other}-is-better instead of --{one}-is-better{', or the reverse' * mixed}"
        _tell(console, f"If {'the other' if mixed else other} scores are better, {turned}.")
    _tell(console, "In each command, other columns can be named:", "dim")
    for option, what in _MAY_BE.items():
        _tell(console, f"  {option:20}{what}", "dim")


def print_columns(console: Console, frame: pd.DataFrame, request: StudyRequest) -> None:
    """Print how a table was read, and what its columns hold."""
    _heading(console, "Read")
    _tell(console, f"{request.called}: {frame.attrs.get('read_as', f'{len(frame):,} rows')}")
    columns = describe_columns(frame)
    _heading(console, "Columns", f"{len(columns)}, {len(frame):,} rows")
    rows = [
        (
            shortened(column.name, max(12, console.width // 3)),
            column.kind,
            f"{column.n_levels:,}",
            f"{column.n_missing:,}" if column.n_missing else "",
            ", ".join(shortened(example, 20) for example in column.examples),
        )
        for column in columns[:MOST_COLUMNS]
    ]
    _show(console, {"name": "left", "holds": "left", "levels": "right", "missing": "right", "such as": "left"}, rows)
    if len(columns) > MOST_COLUMNS:
        _tell(console, f"... and {how_many(len(columns) - MOST_COLUMNS, 'more column')}.", "dim")


def print_doubts(console: Console, proposal: Proposal) -> None:
    """Print what is doubtful about a guess."""
    guess = proposal.guess
    for doubt in [guess.problem] if guess.problem else [*guess.doubts, *guess.remarks]:
        _tell(console, doubt, "yellow", "!")


def print_command(console: Console, head: str, requests: Sequence[tuple[str, StudyRequest]]) -> None:
    """Print commands to run, and of several readings what each says."""
    _heading(console, head)
    said = ""
    for words, request in requests:
        if words != said and (len(dict(requests)) > 1 or words != "as guessed"):
            console.print(Text(f"# {plain_line(words)}", "dim"), soft_wrap=True)
        said = words
        whole = {"joined": " "} if len(requests) > 2 else {}
        console.print(Text(command(request, **whole)), soft_wrap=True)  # not wrapped: it must stay one command
        console.print()


def print_taken(console: Console, proposal: Proposal) -> None:
    """Print what a sure guess took for what, and the command that says the same, to change it."""
    _heading(console, "Taken from names and structure", "check it")
    _show_reasons(console, proposal)
    aside = [note for note in proposal.guess.notes if "left out" in note or "divided by" in note]
    for remark in [*aside, *proposal.guess.remarks]:
        _tell(console, remark, "dim")
    _tell(console, "To change it, run with other columns:")
    console.print(Text(f"  {command(proposal.request, joined=' ')}"), soft_wrap=True)


def _show_reasons(console: Console, proposal: Proposal) -> None:
    wide = max(12, console.width // 3)
    alike: dict[tuple[str, str], list[str]] = {}
    for option, what, why in proposal.reasons:
        alike.setdefault((option, plain_line(why)), []).append(shortened(what, wide))
    reasons = [(option, listed(names, 3), why) for (option, why), names in alike.items()]
    _show(console, {"option": "left", "column": "left", "because": "left"}, reasons, wrap=True)


# --- the summary ------------------------------------------------------------------------------------------------------


def print_first(console: Console, answers: Answers, request: StudyRequest, frame: pd.DataFrame) -> None:
    """Print the first screen: what was read, what makes it doubtful, four answers and one table."""
    study = answers.study
    what, of = things(answers), experiments(answers)
    averaged = f", averaged over {together(study.average_over, 3)}" if study.average_over else ""
    n_designs = len(study.configurations)
    where = f"{levels_in_words(answers.configuration)}, one of {n_designs:,} configurations; " if n_designs > 1 else ""
    console.print()
    _tell(
        console,
        f"{request.called or 'MTEB'}: {answers.n_alternatives:,} {what} x {answers.n_experiments:,} {of}{averaged}; "
        f"{where}{criteria(study)}; {on_holes(answers)}",
        "dim",
    )
    read = [as_sentence(note) for note in noted(frame.attrs.get("notes", ()), "sums")]
    said = [note for note in study.notes if note.startswith(("Left out", "Dropped", "Set aside"))]
    _some(console, read + said, "dim")
    doubts = list(study.warnings)
    if unlike := answers.mixed_scales:
        scales = f"Scales differ: {unlike}. Ranks are compared, not means. Is the direction the same in all of them?"
        doubts.insert(0, scales)
    ranking = answers.ranking
    if len(ranking) and 3 * ranking["n_experiments"].iloc[0] <= 2 * ranking["n_experiments"].max():
        n, most = int(ranking["n_experiments"].iloc[0]), int(ranking["n_experiments"].max())
        who = f"{ranking['alternative'].iloc[0]}, the leader, has {n:,} of {most:,} {of} only"
        doubts.insert(0, f"{who}: its place in the others is an estimate. Compare it with others on what it has, too")
    if len(frame) <= _MOST_GUESSED:  # no role settles these
        guess = propose(frame, request).guess
        if len(ranking) and any(text.endswith(f"={ranking['alternative'].iloc[0]}") for text in guess.references):
            doubts.insert(0, f"{ranking['alternative'].iloc[0]}, the leader, may be there for reference only")
        doubts += mostly_one_group(frame, request, answers.configuration)
        doubts += guess.doubts + [each for each in guess.remarks if "for reference only" in each]
    _some(console, doubts, "yellow", most=3)
    print_answer(console, answers)
    if len(answers.ranking):
        console.print()
        _ranking_table(console, answers, MOST_ROWS if console.width >= _NARROW else MOST_ROWS - 2)


def print_summary(console: Console, answers: Answers, request: StudyRequest, frame: pd.DataFrame) -> None:
    """Print everything that was found: what was read, the answers, the first rows of every table, and sentences."""
    _heading(console, "Read")
    read_as = frame.attrs.get("read_as", f"{len(frame):,} rows")
    for sentence in [f"{request.called or 'MTEB'}: {read_as}", *answers.study.notes]:
        _tell(console, sentence)
    print_answer(console, answers)
    for name, table in answers.tables().items():
        if len(table):
            _first_rows(console, name, table)
    for heading, sentences, style in (
        ("Clusters", answers.clusters_in_words, ""),
        ("Noise across runs", answers.noise_in_words, ""),
        ("Enough experiments?", [answers.enough_in_words], ""),
        ("Would a second study conclude the same?", answers.agreement_in_words, ""),
        ("Left out", answers.left_out, "dim"),
        ("Warnings", answers.study.warnings, "yellow"),
        ("Next", answers.next_steps, ""),
    ):
        if sentences:
            _heading(console, heading)
            _some(console, sentences, style)


def _first_rows(console: Console, name: str, table: pd.DataFrame) -> None:
    """Print the first rows of a table, with the columns that fit, under the name of its file."""
    rows, left, widest = outputs.flat(table.head(MOST_ROWS)), console.width, console.width // 3
    columns: dict[str, list[str]] = {}
    for head in rows:
        cells = [_number(v) if pd.isna(v) or isinstance(v, float) else shortened(v, widest) for v in rows[head]]
        left -= max(map(cell_len, [str(head), *cells])) + 2
        if left < 0:
            break
        columns[str(head)] = cells
    shown = f"{len(rows):,} of {how_many(len(table), 'row')}, {len(columns)} of {len(rows.columns)} columns"
    _heading(console, name, f"{shown}; all in {name}.csv")
    _show(console, dict.fromkeys(columns, "left"), zip(*columns.values(), strict=True))


def print_answer(console: Console, answers: Answers) -> None:
    """Print the four answers below what each states."""
    for i, (head, text) in enumerate(answers.headed):
        _heading(console, head)
        _tell(console, text + (on_warning(answers) if i in (0, 3) else ""))


def _some(console: Console, sentences: Sequence[str], style: str = "", most: int = MOST_WARNINGS) -> None:
    for sentence in sentences[:most]:
        _tell(console, sentence, style, "!" if style == "yellow" else "-")
    if len(sentences) > most:
        _tell(console, f"... and {len(sentences) - most} more in answers.json.", "dim")


def _ranking_table(console: Console, answers: Answers, most: int) -> None:
    """Print the first and the last rows of the ranking, then who is not ranked; too wide, it has fewer columns."""
    n = len(answers.ranking)
    shown = [*range(n)] if n <= most + 1 else [*range(most - 1), n - 1]  # to say that one is left out takes a line, too
    gap = n - 1 if len(shown) < n else 0  # before which the rest is left out
    rows, widest = answers.ranking.iloc[shown], console.width // 3
    bold = ["bold" if may and not answers.cannot_compare else "" for may in rows["may_be_best"].astype(bool)]
    names = [Text(shortened(name, widest), style) for name, style in zip(rows["alternative"], bold, strict=True)]
    columns: dict[str, list[str] | list[Text]] = {
        "place": [f"{place:,.0f}" for place in rows["position"]],
        answers.study.alternatives_column: names,
        "can be": [_between(low, high) for low, high in zip(rows["low"], rows["high"], strict=True)],
        "mean rank": [f"{rank:,.2f}" for rank in rows["mean_rank"]],
    }
    interval, n_run = f"{answers.nominal} interval", [f"{n:,}" for n in rows["n_experiments"]]
    if not answers.mixed_scales:
        means, lows, highs = _alike(rows[["mean_score", "score_low", "score_high"]].to_numpy(dtype=float).T)
        columns |= {"mean": means, interval: [f"{low} to {high}" for low, high in zip(lows, highs, strict=True)]}
    columns["best in"] = [f"{share:.0%}" for share in rows["share_best"]]
    columns |= {"run in": n_run} if answers.n_missing else {}
    for head in (interval, "mean", "best in", "run in"):
        wide = sum(2 + max(cell_len(str(cell)) for cell in [head, *cells]) for head, cells in columns.items())
        if wide > console.width - (8 if gap else 0):  # which is said in the column of names
            columns.pop(head, None)
    lines = [list(line) for line in zip(*columns.values(), strict=True)]
    if gap:
        lines.insert(shown.index(gap), ["", Text(f"... {len(answers.ranking) - len(shown):,} more", "dim")])
    for name, times in list(answers.not_ranked.items())[:2]:
        counted = [f"{times:,}"] if "run in" in columns else []
        blank = [""] * (len(columns) - 3 - len(counted))
        lines.append([MISSING, Text(shortened(name, widest), "dim"), MISSING, *blank, *counted])
    _show(console, {head: "right" if i != 1 else "left" for i, head in enumerate(columns)}, lines)


def _alike(columns: np.ndarray) -> list[list[str]]:
    """Return columns of numbers with the decimals that three digits of the largest take, unless that hides some."""
    known = np.abs(columns[np.isfinite(columns) & (columns != 0)])
    decimals = 2 - int(np.floor(np.log10(known.max()))) if len(known) else 0
    if not 0 <= decimals <= 6 or (len(known) and known.min() < 10.0**-decimals):
        return [[_number(value) for value in column] for column in columns]
    return [[MISSING if np.isnan(value) else f"{value:,.{decimals}f}" for value in column] for column in columns]


def print_files(console: Console, lines: Iterable[tuple[str, str]]) -> None:
    """Print where the files are."""
    _heading(console, "Files")
    for what, path in lines:
        console.print(Text.assemble(("  " + what.ljust(12), "dim"), plain_line(path)), soft_wrap=True)
