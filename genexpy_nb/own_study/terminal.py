"""What is said of a study in a terminal: one screen, and everything if asked for, whatever the size of the table.

Colours and bars where there is a terminal, plain text where the output goes elsewhere. Text of the table is shown as
data: no markup, no escape sequences, one line, shortened in the middle.
"""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TextIO

import numpy as np
import pandas as pd
from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from genexpy_nb.common.prose import MISSING, how_many, levels_in_words, plain_line, together, written_number
from genexpy_nb.datasets.describing import describe_columns
from genexpy_nb.own_study.in_short import on_warning
from genexpy_nb.own_study.request import DIRECTION, StudyRequest, as_spoken
from genexpy_nb.own_study.roles import Proposal, command
from genexpy_nb.study.answers import Answers
from genexpy_nb.study.sentences import QUESTIONS, criteria, experiments, things

NARROWEST, WIDEST = 60, 160
MOST_ROWS = 12  # of a table in the summary; the files have all
MOST_WARNINGS = 6
MOST_COLUMNS = 40
_DASHES = str.maketrans("–−", "--")
_FIRST_ROWS, _NARROW = 8, 80  # of the table on the first screen; two less in a terminal that is narrower
_VERDICTS = {"enough": ("green", "+"), "more needed": ("red", "-"), "undecided": ("yellow", "?"), "": ("dim", " ")}


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
    console: Console,
    heads: Mapping[str, str] | Iterable[tuple[str, str]],
    rows: Iterable[Sequence[str | Text]],
    *,
    wrap: bool = False,
    header: bool = True,
) -> None:
    """Print a table without lines; heads are given with "left" or "right". Too wide, only its last column is cut."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim", show_header=header)
    for head, side in heads.items() if isinstance(heads, Mapping) else heads:
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


def _between(low: Any, high: Any, form: str = "{:,.0f}") -> str:
    if pd.isna(low) or pd.isna(high):
        return "–"
    ends = ["∞" if np.isinf(end) else form.format(end) for end in (low, high)]
    return ends[0] if ends[0] == ends[1] else f"{ends[0]}–{ends[1]}"


# --- a proposal -------------------------------------------------------------------------------------------------------


def print_proposal(
    console: Console, frame: pd.DataFrame, proposal: Proposal, tried: Sequence[tuple[str, StudyRequest]]
) -> None:
    """Print how a table was read, its columns, what each may be for and why, and the commands to choose from."""
    print_columns(console, frame, proposal.request)
    _heading(console, "Best guess", "nothing was computed yet: check it")
    _show_reasons(console, proposal)
    print_doubts(console, proposal)
    choice = "Run" if DIRECTION not in proposal.request.absent() else "Choose the direction, and run"
    print_command(console, choice if len(dict(tried)) == 1 else "Choose what is meant, and run", tried)
    _tell(console, "Other columns: --design (analysed per level), --average (seeds, folds), --fix COLUMN=LEVEL.", "dim")


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
    heads = {"name": "left", "holds": "left", "levels": "right", "missing": "right", "such as": "left"}
    _show(console, heads, rows)
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
        if words != said and len(dict(requests)) > 1:
            console.print(Text(f"# {plain_line(words)}", "dim"), soft_wrap=True)
        said = words
        console.print(Text(command(request)), soft_wrap=True)  # not wrapped: it must stay one command
        console.print()


def print_taken(console: Console, proposal: Proposal) -> None:
    """Print what a sure guess took for what, and the command that says the same, to change it."""
    _heading(console, "Taken from names and structure", "check it")
    _show_reasons(console, proposal)
    for remark in proposal.guess.remarks:
        _tell(console, remark, "dim")
    _tell(console, "To change it, run with other columns:")
    console.print(Text(f"  {command(proposal.request, joined=' ')}"), soft_wrap=True)


def _show_reasons(console: Console, proposal: Proposal) -> None:
    wide = max(12, console.width // 3)
    reasons = [(option, shortened(what, wide), plain_line(why)) for option, what, why in proposal.reasons]
    _show(console, {"option": "left", "column": "left", "because": "left"}, reasons[:MOST_COLUMNS], wrap=True)


# --- the summary ------------------------------------------------------------------------------------------------------


def print_first(console: Console, answers: Answers, request: StudyRequest, frame: pd.DataFrame) -> None:
    """Print the first screen: what was read, what makes it doubtful, four answers and one table."""
    study = answers.study
    what, of = things(answers), experiments(answers)
    n_absent = f"{answers.n_missing:,} of {answers.n_cells:,} scores missing" if answers.n_missing else "none missing"
    averaged = f", averaged over {together(study.average_over, 3)}" if study.average_over else ""
    n_designs = len(study.configurations)
    where = f"{levels_in_words(answers.configuration)}, one of {n_designs:,} configurations; " if n_designs > 1 else ""
    console.print()
    _tell(
        console,
        f"{request.called or 'MTEB'}: {answers.n_alternatives:,} {what} x {answers.n_experiments:,} {of}{averaged}; "
        f"{where}{criteria(study)}; {n_absent}",
        "dim",
    )
    doubts = list(study.warnings)
    if unlike := answers.mixed_scales:
        scales = f"Scales differ: {unlike}. Ranks are compared, and no means. Is the direction the same in all of them?"
        doubts.insert(0, scales)
    _some(console, doubts, "yellow", most=3)
    print_answer(console, answers)
    if len(answers.ranking):
        console.print()
        _ranking_table(console, answers, _FIRST_ROWS if console.width >= _NARROW else _FIRST_ROWS - 2)


def print_summary(console: Console, answers: Answers, request: StudyRequest, frame: pd.DataFrame) -> None:
    """Print everything that was found: what was read, the answers, and what they rest on."""
    _data(console, answers, request, frame)
    print_answer(console, answers)
    _ranking(console, answers)
    _noise(console, answers)
    _pairs(console, answers)
    _nstar(console, answers)
    _second_study(console, answers)
    _influence(console, answers)
    _sensitivity(console, answers)
    for heading, sentences, style in (
        ("Left out", answers.left_out, "dim"),
        ("Warnings", answers.study.warnings, "yellow"),
        ("Next", answers.next_steps, ""),
    ):
        if sentences:
            _heading(console, heading)
            _some(console, sentences, style)


def print_answer(console: Console, answers: Answers) -> None:
    """Print the four questions and their answers."""
    for question, sentence in zip(QUESTIONS, answers.sentences, strict=True):
        _heading(console, question)
        _tell(console, sentence + (on_warning(answers) if question in (QUESTIONS[0], QUESTIONS[-1]) else ""))


def _some(console: Console, sentences: Sequence[str], style: str = "", most: int = MOST_WARNINGS) -> None:
    for sentence in sentences[:most]:
        _tell(console, sentence, style, "!" if style == "yellow" else "-")
    if len(sentences) > most:
        _tell(console, f"... and {len(sentences) - most} more in answers.json.", "dim")


def _data(console: Console, answers: Answers, request: StudyRequest, frame: pd.DataFrame) -> None:
    study = answers.study
    _heading(console, "Read")
    _tell(console, f"{request.called or 'MTEB'}: {frame.attrs.get('read_as', f'{len(frame):,} rows')}")
    sizes = study.accounting["n_experiments"]
    rows = [
        ("compared", f"{how_many(len(study.alternatives), 'alternative')} ({study.alternatives_column})"),
        ("by", criteria(study)),
        ("experiments", f"{_between(sizes.min(), sizes.max())} ({' x '.join(study.generalize_over)})"),
    ]
    if study.design:
        n = len(study.configurations)
        detail = levels_in_words(answers.configuration)
        rows.append(("configurations", f"{n:,} ({' x '.join(study.design)}); in detail: {detail}"))
    rows += [("averaged over", ", ".join(study.average_over))] if study.average_over else []
    rows += [("held at", levels_in_words(study.fixed))] if study.fixed else []
    n_absent, n_cells = int(study.accounting["n_imputed"].sum()), int(study.accounting["n_evaluations"].sum())
    share = n_absent / (n_absent + n_cells)
    rows.append(
        ("missing", f"{n_absent:,} of {n_absent + n_cells:,} ({share:.1%}, {study.missing})" if n_absent else "none")
    )
    cells = [(Text(name, "dim"), shortened(what, console.width - 20)) for name, what in rows]
    _show(console, {"": "left", " ": "left"}, cells, header=False)
    for note in study.notes[:MOST_WARNINGS]:
        _tell(console, note, "dim")
    for sentence in answers.clusters_in_words:
        _tell(console, sentence)


def _ranking(console: Console, answers: Answers) -> None:
    if answers.ranking.empty:
        return
    where = f"{levels_in_words(answers.configuration)}; " if answers.study.design else ""
    note = f"{where}intervals of means: {answers.nominal}; of places: level {answers.level:g}; all in ranking.csv"
    _heading(console, "Ranking", shortened(note, console.width - 12))
    _ranking_table(console, answers, MOST_ROWS)


def _ranking_table(console: Console, answers: Answers, most: int) -> None:
    """Print the first and the last rows of the ranking, then who is not ranked; too wide, it has fewer columns."""
    shown, gap = _ends(len(answers.ranking), most)
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
    for name, n in list(answers.not_ranked.items())[:2]:
        counted = [f"{n:,}"] if "run in" in columns else []
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


def _noise(console: Console, answers: Answers) -> None:
    """Print how far single runs differ: three lines at most, if they are not too narrow."""
    if answers.noise_in_words:
        over = ", ".join(map(str, answers.study.average_over))
        _heading(console, "Noise across runs", shortened(f"averaged over {over}; all in noise.csv", console.width - 20))
        for sentence in answers.noise_in_words:
            _tell(console, sentence)


def _ends(n: int, most: int) -> tuple[list[int], int]:
    """Return which rows are shown, and before which one the rest is left out (0: none is)."""
    if n <= most + 1:  # a line that says that one is left out is no shorter
        return list(range(n)), 0
    return [*range(most - 1), n - 1], n - 1


def _pairs(console: Console, answers: Answers) -> None:
    pairs = answers.pairs
    if pairs.empty:
        return
    note = f"{answers.n_apart:,} of {len(pairs):,} differ (level {answers.level:g}, all at once); all in pairs.csv"
    _heading(console, "Pairs", note)
    best, rows = _with_the_best(answers)
    width = max(10, console.width - 60)
    heads = {f"{shortened(best, width)} is ahead of": "left", "by ranks": "right"}
    heads |= {"interval": "right", "p adj.": "right"}
    cells = [
        (
            shortened(row.other, width),
            _signed(row.estimate),
            f"{_signed(row.low)} to {_signed(row.high)}",
            "<.001" if row.p_adjusted < 0.001 else f"{row.p_adjusted:.3f}",
            Text("differ" if row.better else "", "green"),
        )
        for row in rows.itertuples()
    ]
    _show(console, heads | {"": "left"}, cells)


def _with_the_best(answers: Answers) -> tuple[Any, pd.DataFrame]:
    """Return the leader, and by how much it is ahead of those that come next."""
    order = {name: place for place, name in enumerate(answers.ranking["alternative"])}
    best = next(iter(order))
    ahead = answers.pairs[answers.pairs["a"] == best].assign(other=lambda rows: rows["b"])
    turned = answers.pairs[answers.pairs["b"] == best].assign(other=lambda rows: rows["a"])
    turned = turned.assign(estimate=-turned["estimate"], low=-turned["high"], high=-turned["low"])
    rows = pd.concat([ahead, turned]).sort_values("other", key=lambda names: names.map(order), kind="stable")
    return best, rows.head(MOST_ROWS // 2)


def _signed(value: float) -> str:
    return "–" if np.isnan(value) else f"{'-' if value < 0 else '+'}∞" if np.isinf(value) else f"{value:+.3g}"


def _nstar(console: Console, answers: Answers) -> None:
    nstar = answers.nstar
    if nstar.empty:
        return
    meaning = f"n*: experiments for similar results of two studies (alpha {answers.alpha:g}, delta {answers.delta:g})"
    _heading(console, "Enough experiments?", meaning)
    if len(nstar) > MOST_ROWS:
        _tell(console, _counted(nstar))
    chosen, design = _most_telling(nstar, answers), answers.study.design
    widest = max(12, console.width - 75)
    heads = {"question": "left"} | ({shortened(" / ".join(design), widest): "left"} if design else {})
    heads |= {"N": "right", "n*": "right", "interval": "right"}
    table: list[list[str | Text]] = []
    for row in chosen.to_dict("records"):
        style, mark = _VERDICTS[row["verdict"]]
        cells = [shortened(row["kernel"], 20)]
        cells += [shortened(" / ".join(str(row[name]) for name in design), widest)] if design else []
        cells += [f"{row['n_experiments']:,}", _number(row["nstar"]), _between(row["low"], row["high"])]
        verdict = f"{mark} {row['verdict'] or shortened(row['note'], 30)}"
        more = "" if pd.isna(row["more"]) else f"{row['more']:,}"
        table.append([*cells, Text(verdict, style), more])
    _show(console, heads | {"verdict": "left", "more": "right"}, table)
    if len(chosen) < len(nstar):
        _tell(console, f"The detailed configuration, and the largest n*; all {len(nstar):,} in nstar.csv.", "dim")


def _counted(nstar: pd.DataFrame) -> str:
    counts = Counter(nstar["verdict"])
    said = [f"{word} in {counts[word]:,}" for word in ("enough", "undecided", "more needed") if counts[word]]
    said += [f"without an estimate in {counts['']:,}"] if counts[""] else []
    return f"Of {how_many(len(nstar), 'question')} (kernels x configurations): {', '.join(said)}."


def _most_telling(nstar: pd.DataFrame, answers: Answers) -> pd.DataFrame:
    """Return the configuration in detail, then those that need most: as many rows as fit."""
    if len(nstar) <= MOST_ROWS:
        return nstar
    detail = np.ones(len(nstar), dtype=bool)
    for name, level in answers.configuration.items():
        detail &= (nstar[name] == level).to_numpy()
    rest = nstar[~detail].sort_values("nstar", ascending=False, kind="stable", na_position="last")
    return pd.concat([nstar[detail], rest]).head(MOST_ROWS)


def _second_study(console: Console, answers: Answers) -> None:
    """Print how far a second study would conclude the same: a line per conclusion."""
    if answers.agreement.empty:
        return
    n, agreement = answers.n_experiments, answers.agreement.set_index(["conclusion", "n"])
    _heading(console, "Would a second study conclude the same?", f"{answers.nominal} intervals; all in agreement.csv")
    heads = {"same": "left", f"two studies of {n:,}": "right", f"of {2 * n:,}": "right"}
    cells = []
    for name in agreement.index.unique("conclusion"):
        ends = [agreement.loc[(name, size), ["low", "high"]] for size in (n, 2 * n)]
        cells.append([name, *(_between(each["low"], each["high"], "{:.2f}") for each in ends)])
    _show(console, heads, cells)
    for sentence in answers.agreement_in_words[len(cells) :]:
        _tell(console, sentence)


def _influence(console: Console, answers: Answers) -> None:
    influence = answers.influence
    if influence.empty:
        return
    changed = influence.drop_duplicates(answers.study.generalize_over)
    n_changed = int(changed["best_changed"].sum())
    _heading(
        console, "Which experiments decide?", f"without one of {len(changed):,}; the winner changes in {n_changed:,}"
    )
    factors = answers.study.generalize_over
    width = max(10, console.width // 3)
    cells = [
        (
            shortened(", ".join(str(row[factor]) for factor in factors), width),
            shortened(row["kernel"], 20),
            _number(row["nstar"]),
            _number(row["nstar_all"]),
            Text(shortened(row["best"], width), "yellow") if row["best_changed"] else Text("the same", "dim"),
        )
        for row in influence[influence["nstar"].notna()].head(3).to_dict("records")
    ]
    _show(console, {"without": "left", "question": "left", "n*": "right", "with all": "right", "best": "left"}, cells)


def _sensitivity(console: Console, answers: Answers) -> None:
    """Print between what n* lies under other choices; kernels with other parameters are other questions."""
    tried = answers.sensitivity
    tried = tried[(tried["setting"] == "missing") & tried["nstar"].notna()] if len(tried) else tried
    if len(tried) < 2:
        return
    _heading(console, "Other policies for missing evaluations", "all other choices in sensitivity.csv")
    cells = [
        (
            shortened(kernel, 20),
            f"{_number(rows['nstar'].min())} to {_number(rows['nstar'].max())}",
            ", ".join(map(plain_line, rows["value"])),
        )
        for kernel, rows in tried.groupby("kernel", sort=False)
    ]
    _show(console, {"question": "left", "n*": "right", "policies": "left"}, cells)


def print_files(console: Console, lines: Iterable[tuple[str, str]]) -> None:
    """Print where the files are."""
    _heading(console, "Files")
    for what, path in lines:
        console.print(Text.assemble(("  " + what.ljust(12), "dim"), plain_line(path)), soft_wrap=True)
