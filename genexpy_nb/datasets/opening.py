"""What is made of several tables, of a page or of files, and what names of files say."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain, compress, pairwise, product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import listed
from genexpy_nb.common.errors import DataError
from genexpy_nb.common.files import Note
from genexpy_nb.datasets import words
from genexpy_nb.datasets.words import MEASURE, NEARLY, SECTION, SETTINGS, among, direction_of


class Chart(DataError):
    """A file of curves, which are no results."""


# --- several tables of a page as one ----------------------------------------------------------------------------------

#: Between the names of tables of a file that are read as one: no sheet of Excel has a slash in its name.
ALSO = " / "

_MANY = 5  # tables of the same columns, of which none is asked for by itself
_ONLY_NUMBERS = re.compile(r"[^a-zA-Z]{0,99}\d[^a-zA-Z]{0,99}")


def below_each_other(
    tables: Mapping[int, list[list[str]]], titles: Sequence[str], rule: list[list[str]]
) -> tuple[list[list[str]], list[str]]:
    """Return the lines of many tables with the same columns as one, and new columns for titles as "seed 1: iris"."""
    (start, first), *others = tables.items()
    alike = all(table[0][1:] == first[0][1:] for _, table in others) and SECTION not in first[0]
    measures = sum(bool(direction_of(title)[0]) for title in titles) > len(titles) / 10  # some data are "Maps"
    if len(tables) < _MANY or not alike or len({*titles}) < len(titles) or measures:
        return [], []
    sections, names = list(zip(*(title.partition(": ")[::2] for title in titles), strict=True)), [SECTION]
    if max(len({*part}) for part in sections) == len(titles) or not all(sections[1]):
        sections = [tuple(titles)]
    else:
        names = [_stem(sections[0]) or f"{SECTION} above", SECTION]
    two = len(first) > 1 and all(table[1:2] == first[1:2] for _, table in others)  # rows of names, perhaps
    n = 2 if two and not any(map(_ONLY_NUMBERS.fullmatch, first[1])) else 1
    lines, none = [[*first[0], *names], *rule, *([*row, *[""] * len(names)] for row in first[1:n])], [""] * len(names)
    for row, *own in zip(tables, *sections, strict=True):
        lines += [[]] * (row + n + len(rule) - start - len(lines))
        lines += [[*cells, *(own if sum(map(bool, cells)) > 1 else none)] for cells in tables[row][n:]]
    return lines, names


_PAIR = re.compile(r"([^:=]{1,40}?) ?[:=] ?([^:=]{1,80})")


class _Block(NamedTuple):
    """A part of a table below others: what stands above it, its header, the cells below, and their rows in the file."""

    label: dict[str, str]
    header: list[str]
    body: list[list[Any]]
    rows: list[int]

    def order(self, first: _Block) -> list[int]:
        """Return where this block has the columns of another one, of which one may be called otherwise; or nothing."""
        if len({*self.header}) == len(self.header) and {*self.header} == {*first.header}:
            return [self.header.index(name) for name in first.header]
        odd = [j for j, (one, other) in enumerate(zip(self.header, first.header, strict=False)) if one != other]
        same = all({str(row[j]) for row in self.body} == {str(row[j]) for row in first.body} for j in odd)
        return [*range(len(self.header))] * (len(self.header) == len(first.header) and len(odd) < 2 and same)


def _label(row: Sequence[Any]) -> list[str]:
    """Return the cells of a row that says what stands below it, a title, or a name and a value; or nothing."""
    texts = [" ".join(str(cell).split()) for cell in row]
    filled = [text for text in texts if text]
    return filled * (filled[:1] == filled or filled == texts[:2]) * bool(re.search("[a-zA-Z]", "".join(filled[:1])))


def _blocks(kept: Sequence[list[Any]], rows: Sequence[int]) -> list[_Block]:
    """Return the parts of a table that begin with labels, such as "METRIC | DICE", above headers of their own."""
    above = {i: label for i, row in enumerate(kept) if (label := _label(row))} if kept and _label(kept[0]) else {}
    below = [i + 1 for i in above if i + 1 not in above and i + 2 < len(kept)]
    numbers = {i: [bool(_ONLY_NUMBERS.fullmatch(str(c))) for c in kept[i]] for j in below for i in (j, j + 1)}
    heads = [i for i in below if any(numbers[i + 1]) and not any(numbers[i])]
    starts = [next(j for j in range(i - 1, -2, -1) if j not in above) + 1 for i in heads]
    found, held = list[_Block](), dict[str, str]()
    for i, start, stop in zip(heads, starts, [*starts, len(kept)][1:], strict=True):
        title = ": ".join(above[j][0] for j in range(start, i) if len(above[j]) == 1)
        pair = _PAIR.fullmatch(title)
        held = held | ({pair[1]: pair[2]} if pair else {SECTION: title} if title else {})
        held |= {above[j][0]: above[j][1] for j in range(start, i) if len(above[j]) == 2}
        header = [" ".join(str(cell).split()) for cell in kept[i]]
        body = [[*row, *[""] * (len(header) - len(row))] for row in kept[i + 1 : stop]]
        found.append(_Block(held, header, body, [*rows[i:stop]]))
    return found if starts[:1] == [0] else []


def stacked(kept: list[list[Any]], rows: list[int]) -> tuple[list[list[Any]], list[int], list[str]]:
    """Return blocks of the same columns below each other as one table, with columns of what stands above; and notes."""
    blocks = _blocks(kept, rows)
    often = [names for names, _ in Counter(frozenset(block.header) for block in blocks).most_common(1)]
    first = next((block for block in blocks if frozenset(block.header) in often), None)
    alike = [block for block in blocks if first and block.order(first)]
    called = [" ".join(block.label.values()) for block in alike]
    if first is None or len(alike) < 2 or len({*called}) < len(called) or SECTION in first.header:
        return kept, rows, []
    header, names, labels = list(first.header), [*first.label], [[*block.label.values()] for block in alike]
    if any([*block.label] != names for block in alike) or {*names} & {*header}:
        parts = [[part for pair in block.label.items() for part in pair if part != SECTION] for block in alike]
        names, labels = [SECTION], [[": ".join(each)] for each in parts]
    elif not header[0] and len(names) == 1 and among(names[0], "compared task case name"):
        names, header[0] = [SECTION], names[0]  # it stands over the names below
    said = f"column{'s' * (len(names) > 1)} {listed(map(repr, names))}: {listed(called, 4)}"
    notes: list[str] = [Note(f"blocks of rows became one table, and what stands above each {said}", above=names)]
    spreads = [text for text in called if among(text, "spread")]
    spreads = spreads if len(spreads) < len(called) else []
    notes += [f"blocks of spreads were left out: {listed(map(repr, spreads), 4)}"] * bool(spreads)
    for block in (block for block in blocks if block not in alike):
        said = f"below {[*block.label.values()][-1]!r}, rows {block.rows[0]} to {block.rows[-1]}"
        notes.append(f"what stands {said}, has other columns and was left out: is it what is meant?")
    table, numbers = [[*header, *names]], first.rows[:1]
    for block, text, label in zip(alike, called, labels, strict=True):
        order, none = block.order(first), [""] * len(names)
        for row, number in zip(block.body, block.rows[1:], strict=True) if text not in spreads else ():
            filled = sum(bool(str(cell).strip()) for cell in row)
            table.append([*(row[j] for j in order), *row[len(order) :], *(label if filled > 1 else none)])
            numbers.append(number)
    return table, numbers, notes


def named_by_corner(begins: dict[int, str], tables: dict) -> tuple[dict[int, str], dict]:
    """Return titles and tables, named by their first cells, such as "T-learner", if what stands above does not tell."""
    firsts = [tables[row][0][0] for row in begins if tables[row] and tables[row][0]]
    roles = {"", *(word for kind in ("compared", "name", "task", "case", "metric") for word in words.WORDS[kind])}
    same = len({*begins.values()}) < len(begins) == len({*firsts}) > 2
    if not same or any({*first.lower().split()} <= roles for first in firsts):
        return begins, tables
    named = {row: [["name", *tables[row][0][1:]], *tables[row][1:]] for row in begins}
    return dict(zip(begins, firsts, strict=True)), tables | named


def several_tables(headers: Mapping, sizes: Mapping, message: str, called: Sequence[str], kind: Any) -> DataError:
    """Return an error that says which tables have the same columns, but for the first; ``sizes``: their numbers."""
    groups = dict[tuple[Any, ...], list[Any]]()
    for title, header in headers.items():
        groups.setdefault((bool(sizes[title]), *header[1:]), []).append(title)  # settings have no numbers
    several = [titles for (scored, *_), titles in groups.items() if len(titles) > 1 and scored]
    several.sort(key=lambda titles: -sum(sizes[title] for title in titles))
    alike = [ALSO.join(map(str, titles)) for titles in several[:3]]
    said = "; of others alike, ".join(f"pass sheet={titles!r}" for titles in alike)
    which = f"as one, with a column {SECTION!r} that says which, if they measure the same"
    said = f". Some have the same columns: to read them {which}, {said}" if said else ""
    large = [(sum(map(sizes.__getitem__, each)), title) for title, each in zip(alike, several, strict=False)]
    large = sorted([*large, *((n, str(title)) for title, n in sizes.items() if n)], key=lambda each: -each[0])
    return kind(f"{message}{said}", readings=[{"sheet": title} for _, title in large], titles=called)


# --- several files as one table ---------------------------------------------------------------------------------------

_MOST_NOTES = 9  # on single files
_OF_SPREADS = re.compile(r"(?:^|[\W_])(?:errors?|std(?:dev|err)?s?|stds?|sds?|sems?|variances?)$")
_OF_MEANS = re.compile(r"(?:^|[\W_])(?:results?|means?|avg|averages?|scores?|values?)$")
_FEWEST_STEPS = 20  # of a curve
_STEPS = "if rows are steps, which are no experiments, write one number for each run; if not, call the scores alike"


def rows_of_all(
    paths: list[Path],
    parts: Sequence[Sequence[tuple[Path, Mapping[str, Any]]]],
    read: Callable[[Path], pd.DataFrame],
    made: Callable[[list[Any], Sequence[Any]], pd.DataFrame],
) -> tuple[pd.DataFrame, str, list[str]]:
    """Return the rows of tables, of the columns that all have, with a column that says where each is from."""
    frames, files, charts, unread, rare = [], list[list[Path]](), [], list[DataError](), dict[str, None]()
    for waiting in map(list, parts):
        while waiting:
            path, row = waiting[0]
            try:
                frame = read(path)
            except Chart as chart:
                frame = pd.DataFrame()
                charts.append(chart)
            except DataError as error:
                unread.append(error)
                if not error.titles:
                    error.readings = [{"results": str(path), **each} for each in error.readings]  # of this file
                del waiting[0]
                continue
            n = len(waiting) if len(frame) == 1 and {*frame} <= row.keys() else 1
            if n > 1:
                attrs, rows = frame.attrs, [row for _, row in waiting]
                often = Counter(chain.from_iterable(rows))
                frame = made(rows, [name for name in frame if often[name] == n])
                frame.attrs = attrs
                rare |= {name: None for name in often if name not in frame}
            frames.append(frame)
            files.append([path for path, _ in waiting[:n]])
            waiting = waiting[n:]
    several = [error for error in unread if error.titles]
    if 10 * len(several) > len(paths):
        raise _one_of_each(several, len(paths))
    if unread and len(frames) < 2:
        readings: list[Any] = [{"results": str(path)} for path in chain.from_iterable(files)]
        readings += [each for error in unread for each in error.readings]
        how_many = f"; {len(unread)} of {len(paths)} files cannot be read" * (len(unread) > 1)
        raise DataError(f"{unread[0]}{how_many}", readings=readings)
    given, was_read = paths, {*chain.from_iterable(files)}
    one_row = all(len(frame) == len(each) for frame, each in zip(frames, files, strict=True))
    spelled = dict[str, str]()  # "time (s)" and "Time(s)" are one name
    for i, frame in enumerate(frames):
        alike = [spelled.setdefault(re.sub(r"[\s_-]", "", str(name)).lower(), name) for name in frame]
        frames[i] = frame.set_axis(alike, axis=1) if len({*alike}) == len(alike) else frame
    often = _counted(frames, files)
    usual = {name for name, n in often.items() if 2 * n > len(paths)}
    lone = {name for name in often if often[name] == len(paths) - 1 and among(str(name), "compared task")}
    lone = {name for name in lone if not among(name, "cost speed")}  # "time_system" names none
    odd_ones = [i for i, frame in enumerate(frames) if 2 * len(usual & {*frame}) < len(usual) or lone - {*frame}]
    measures = {name for name in usual if direction_of(str(name))[0] or among(str(name), "generic")}
    scores = {name for name in measures if often[name] > NEARLY * len(paths)}
    odd_ones += [i for i, frame in enumerate(frames) if scores and not scores & {*frame} and i not in odd_ones]
    if one_row and measures.intersection(*frames):
        odd_ones = []  # each file is a row, whatever settings it names
    kinds = Counter(frozenset(frame) for frame, f in zip(frames, files, strict=True) for _ in f)
    scored = [kind for kind in kinds if any(among(str(name), "higher lower generic verdict") for name in kind)]
    without = []
    if one_kind := len(scored) == 1 < min(len(kinds), kinds[scored[0]]):  # of several has scores
        odd_ones = [i for i, frame in enumerate(frames) if scored[0] - {*frame}]
    if odd_ones and (one_kind or 2 * sum(len(files[i]) for i in odd_ones) < len(paths)):
        which = listed((path.name for i in odd_ones for path in files[i]), 3)
        without = [f"left out: {which}, without the columns of the others"]
        kept = [i for i in range(len(files)) if i not in odd_ones]
        files, frames = [files[i] for i in kept], [frames[i] for i in kept]
    elif charts:
        raise charts[0]
    frames, ends = _ends_of_curves(frames)
    without, one_row = without + ends, one_row or bool(ends)
    if (whole := _all_once_more(frames)) is not None:
        without.append(f"left out: {files[whole][0].name}, which holds the rows of all others once more")
        del files[whole], frames[whole]
    often, of = _counted(frames, files), {path: i for i, each in enumerate(files) for path in each}
    paths = [path for path in paths if path in of]
    first = [name for name in often if often[name] == len(paths)]
    if len(first) == 1 and len(paths) == len(frames) and (found := side_by_side(frames, first[0])):
        return found
    if len(first) < 2 and not (first and one_row):
        has = [f"{paths[i].name} has {listed(map(repr, frames[of[paths[i]]]), 4)}" for i in (0, -1)]
        own = all(len(frame.columns) == len(first) + 1 for frame in frames)
        has = [f"{len(first)} columns in common. {' and '.join(has)}", _STEPS if own else "name only files of one kind"]
        groups = dict[frozenset[Any], list[str]]()
        for path in paths:
            groups.setdefault(frozenset(frames[of[path]]), []).append(str(path))
        kinds_of = sorted(groups.values(), key=len, reverse=True)
        readings = [{"results": tuple(each)} for each in kinds_of if len(each) <= _MANY]
        raise DataError(f"{listed((path.name for path in paths), 4)} have {': '.join(has)}", readings=readings)
    labels, said_where = labels_of(paths, [*first, SETTINGS, MEASURE])
    seeds = [name for name, each in labels.items() if ends and "file" in name and all(map(str.isdecimal, each))]
    labels = {"seed" if name in seeds else name: each for name, each in labels.items()}
    at = {path: i for i, path in enumerate(paths)}
    for i, (frame, each) in enumerate(zip(frames, files, strict=True)):
        frames[i] = frame.set_axis(np.repeat([at[path] for path in each], len(frame) // len(each)))
    lost = [str(path.name) for path in given if path not in was_read]
    lost = [f"files that cannot be read were left out: {listed(lost, 4)}, as {e}. Is it meant?" for e in unread[:1]]
    notes = [*without, *lost, *said_where]
    odd = [name for name in often if name not in first]
    for change in (_settings, _one_measure_each):
        if one := change(frames, first, odd):
            frames, new, note = one
            first, notes = [*first, *new], [*notes, note]
    in_some, more_notes = _measures_of_some(frames, first)
    frames = [frame.reindex(columns=[*first, *in_some]) for frame in frames] if in_some else frames
    first, notes = [*first, *in_some], [*notes, *more_notes]
    left = {*rare, *chain.from_iterable(frames)} - {*first, SETTINGS, MEASURE}
    if odd := sorted((n for n in [*often, *rare] if n in left), key=lambda name: not direction_of(name)[0]):
        lone = {name for name in odd if often[name] == len(paths) - 1}  # which all files but one have
        lacks = Counter({path.name: len(lone - {*frames[of[path]]}) for path in paths})
        which = "".join(f"; {name} alone lacks {n} of them" for name, n in lacks.most_common(1) if n)
        what = f"columns that not all files have were left out: {listed(map(repr, odd), 4)}{which}"
        notes.append(Note(what, not_in_all=odd))
    said = dict[Note, list[Path]]()
    for path in paths:
        for note in frames[of[path]].attrs["notes"]:
            said.setdefault(note, []).append(path)
    more = {note: f" and {len(by) - 1} more" if len(by) > 1 else "" for note, by in said.items()}
    most = sorted(said, key=lambda note: -len(said[note]))[:_MOST_NOTES] if len(said) > _MOST_NOTES else [*said]
    notes += [note.of(f"{said[note][0].name}{more[note]}") for note in most]
    if n := len(said) - len(most):
        notes.append(f"{n} more notes on files, which that shows: pass one of them alone")
    together = pd.concat([frame[first] for frame in frames]).sort_index(kind="stable")
    if twice := _in_larger_files(together, paths):
        together = together.drop(index=twice)
        notes.append(f"{len(twice)} files with one row were left out, which a file with more rows above them repeats")
    beside = pd.DataFrame(labels).loc[together.index].reset_index(drop=True)
    together = pd.concat([beside, together.reset_index(drop=True)], axis=1)
    for name in [name for name in first if {str} < {*map(type, together[name].dropna())} & {str, int, float}]:
        together[name] = together[name].map(str, na_action="ignore")  # numbers in one file, words in another
    sizes = f"{len(together)} rows, {len(together.columns)} columns"
    sizes = f"{len(paths)} tables, the first one {frames[of[paths[0]]].attrs['read_as'].partition(';')[0]}; {sizes}"
    return together, sizes, notes


def spreads_beside(paths: Sequence[Path]) -> list[Path]:
    """Return files called as spreads of what others hold, as "svm_std.json" beside "svm.json" or "svm_mean.json"."""
    stems = {path: (path.parent, path.name.removesuffix(".gz").rpartition(".")[0].lower()) for path in paths}
    bare = {path: (where, _OF_SPREADS.sub("", stem)) for path, (where, stem) in stems.items()}
    means = {(where, _OF_MEANS.sub("", stem)) for path, (where, stem) in stems.items() if bare[path] == stems[path]}
    return [path for path in paths if bare[path] != stems[path] and bare[path] in means]


def _ends_of_curves(frames: list[pd.DataFrame]) -> tuple[list[pd.DataFrame], list[str]]:
    """Return the last row of each table, if its rows are steps of one run, and these end at different steps."""
    known = frames[0].attrs.get("curve", 0)  # of which nothing else was read
    taken = "are steps of a curve, and the last one is taken"
    if all({"r", "l", "t"} <= {*frame} for frame in frames):  # of a Monitor of Gym
        n = sorted(map(len, frames))
        said = f"rows of a file are episodes ({n[0]:,} to {n[-1]:,}), and the mean of 'r', the return, is taken"
        said += ", not 'l', the length, nor 't', the time. Is each file an evaluation, and no training?"
        return [frame[["r"]].mean().to_frame().T.set_axis(["return"], axis=1) for frame in frames], [said]
    if known and all(frame.shape == (1, 1) for frame in frames):
        n = sorted(frame.attrs["curve"] for frame in frames)
        return frames, [f"rows of a file ({n[0]:,} to {n[-1]:,}) {taken}: is it so?"]
    long = known or (len(frames) > 1 and min(map(len, frames)) >= _FEWEST_STEPS)
    for name in [name for name in frames[0] if long and among(str(name), "step")]:
        steps = [frame[name] for frame in frames if name in frame and frame[name].dtype.kind in "if"]
        last = {column.iloc[-1] for column in steps}
        grow = len(steps) == len(frames) and all((column.diff()[1:] > 0).all() for column in steps)
        if grow and (known or len(last) > 1):
            ends = " to ".join(f"{step:,}" for step in sorted({min(last), max(last)}))
            said = f"rows of a file {taken}, where {name!r} is {ends}: is it so?"
            return [frame.tail(1).drop(columns=name) for frame in frames], [said]
    return frames, []


def _one_of_each(unread: Sequence[DataError], n_files: int) -> DataError:
    """Return an error for many files with several tables each: titles that most of these have choose one."""
    often = Counter(title for error in unread for title in dict.fromkeys(filter(None, error.titles))).most_common()
    titles = [title for title, n in often if 2 * n > len(unread)]
    said = f"{len(unread)} of {n_files} files hold several tables, as {unread[0]}"
    more = f". To read one of each file, pass sheet={listed(map(repr, titles), 4)}" if titles else ""
    return DataError(said.partition(": to read")[0] + more, readings=[{"sheet": title} for title in titles])


def _all_once_more(frames: Sequence[pd.DataFrame]) -> int | None:
    """Return which table holds the numbers of all others, as one of all results beside those of each method."""
    n_rows = sum(map(len, frames))
    for i in [i for i, frame in enumerate(frames) if 2 * len(frame) == n_rows and len(frames) > 2]:
        rest = pd.concat([frame for j, frame in enumerate(frames) if j != i])
        shared = [name for name in frames[i].select_dtypes("number") if name in rest]
        one, other = (Counter(f[shared].astype(str).itertuples(index=False, name=None)) for f in (frames[i], rest))
        if one == other and len(one) > n_rows / 4:
            return i
    return None


def _in_larger_files(rows: pd.DataFrame, paths: Sequence[Path]) -> list[int]:
    """Return the numbers of files with one row that stands in a file of several, too, in a folder above."""
    alone, above = ~rows.index.duplicated(keep=False), dict[tuple[str, ...], set[Path]]()
    cells = [*map(tuple, rows.astype(str).to_numpy())] if 0 < alone.sum() < len(alone) else []
    for i, row in zip(rows.index[~alone], compress(cells, ~alone), strict=bool(cells)):
        above.setdefault(row, set()).add(paths[i].parent)
    lone = zip(rows.index[alone], compress(cells, alone), strict=bool(cells))
    return [i for i, row in lone if above.get(row, set()) & {*paths[i].parents}]


def _counted(frames: Sequence[pd.DataFrame], files: Sequence[Sequence[Path]]) -> Counter[Any]:
    """Return how many files have a column of each name."""
    return Counter(name for frame, each in zip(frames, files, strict=True) for name in [*frame] * len(each))


_Found = tuple[list[pd.DataFrame], list[str], str]


def _settings(frames: list[pd.DataFrame], first: Sequence[str], odd: Sequence[str]) -> _Found | None:
    """Write columns that not all files have into one, if they tell rows of a file apart that nothing else does."""
    factors = [name for name in odd if not direction_of(name)[0] and not among(name, "spread average cost")]
    changed, needed = [], dict[str, None]()
    for frame in frames if not all(frame.index.is_unique for frame in frames) else ():  # some file has several rows
        own = [name for name in factors if name in frame]
        keys = [] if frame.index.is_unique else [name for name in first if frame[name].dtype.kind != "f"]
        again = bool(own and keys) and frame.duplicated(keys).any()
        if again and not frame.astype(str).duplicated([*keys, *own]).any():
            needed |= dict.fromkeys(own)
        rows = frame[own].to_dict("records")
        said = [", ".join(f"{k}={v}" for k, v in row.items() if isinstance(v, list) or pd.notna(v)) for row in rows]
        changed.append(frame.drop(columns=own).assign(**{SETTINGS: [text or "none" for text in said]}))
    note = f"column {SETTINGS!r} says what columns do that not all files have, such as {listed(map(repr, needed), 2)}"
    return (changed, [SETTINGS], note) if needed and SETTINGS not in first else None


def _one_measure_each(frames: list[pd.DataFrame], first: Sequence[str], odd: Sequence[str]) -> _Found | None:
    """Write measures of which each file has one, and higher ones are better of all or of none, into one column."""
    measures = [n for n in odd if direction_of(n)[0] and not among(n, "cost speed")]
    own = [[name for name in measures if name in frame] for frame in frames]
    ways = {direction_of(name)[0] for name in measures}
    known = any(direction_of(name)[0] and not among(name, "cost speed") for name in first)
    if known or len(measures) < 2 or len(ways) > 1 or {*map(len, own)} != {1}:
        return None
    name = " or ".join(measures)
    changed = [f.rename(columns={one: name}).assign(**{MEASURE: one}) for f, (one,) in zip(frames, own, strict=True)]
    return changed, [name, MEASURE], f"column {name!r} holds what each file measures: are experiments ranked by it?"


def _measures_of_some(frames: Sequence[pd.DataFrame], first: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the columns that not all files have, if all have the same measures, of several things each; and a note."""
    each = [{name: _ends_with(name) for name in frame.select_dtypes("number")} for frame in frames]
    each = [{name: word for name, word in own.items() if word and not among(name, "cost speed")} for own in each]
    found, known = {name: word for own in each for name, word in own.items()}, [Counter(own.values()) for own in each]
    few = any(min(n.values(), default=0) < 2 for n in known) or len({*map(frozenset, known)}) > 1
    if few or {*first}.intersection(*each):
        return [], []
    own = [name for name in found if found[name] == next(iter(found.values()))]
    pattern = "*".join([words.common_start(own), words.common_start([name[::-1] for name in own])[::-1]])
    said = f"columns that only some files have, such as {listed(map(repr, found), 2)}, are empty in others"
    return [*found], [f"{said}. Is each an experiment, as with --wide --target {pattern!r}?"]


def _ends_with(name: str) -> str:
    """Return the measure that a name ends with, as "DROP_f1", in which the first word is of a task; or else any."""
    return direction_of(re.split(r"[\W_]", name)[-1])[1] or direction_of(name)[1]


def side_by_side(frames: Sequence[pd.DataFrame], key: str) -> tuple[pd.DataFrame, str, list[str]] | None:
    """Return tables with columns of their own beside each other, if a text in all names the same rows; or None."""
    keys = [{*frame[key].dropna()} for frame in frames]
    told = all(frame[key].is_unique and frame[key].dtype.kind == "O" for frame in frames)
    if not told or 2 * len(set.intersection(*keys)) <= len(set.union(*keys)):
        return None
    together = pd.concat([frame.set_index(key) for frame in frames], axis=1).rename_axis(key).reset_index()
    read = together, f"{len(frames)} tables side by side", [f"rows of one {key!r} in all files are one row"]
    return read if together.columns.is_unique else None


# --- names of files ---------------------------------------------------------------------------------------------------


def labels_of(paths: Sequence[Path], taken: Collection[str]) -> tuple[dict[str, list[str]], list[str]]:
    """Return columns of folders and of parts of names, as in TASK/METHOD_seed1.csv, by file; and notes on them."""
    new = next(name for name in ("file", "from file", "of file") if name not in taken)
    folder = os.path.commonpath([path.absolute().parent for path in paths])
    whole = [path.absolute().relative_to(folder).as_posix() for path in paths]
    names = [name.removesuffix(".gz").rpartition(".")[0] or name for name in whole]
    names = names if len(set(names)) == len(names) else whole
    parts, labels = [name.split("/") for name in names], dict[str, list[str]]()
    ends = [part[-min(map(len, parts)) :] for part in parts]
    depths = {part[0]: len(part) for part in parts}
    even = len({*depths.values()}) > 1 and all(len(part) == depths[part[0]] for part in parts)
    aligned = [["/".join(part[: len(part) - len(end) + 1]), *end[1:]] for part, end in zip(parts, ends, strict=True)]
    if len({*map(tuple, ends)}) == len(parts) and len(ends[0]) > 1 and _at_key_words([end[-2] for end in ends]):
        parts = ends  # names say all, and some lie in one more folder
    elif even and all(2 * len({*level}) <= len(parts) for level in zip(*aligned, strict=True)):
        parts = aligned  # "natural/svm" beside "artificial/easy/svm"
    elif len({*map(len, parts)}) > 1 < min(map(len, parts)) and 2 * len({part[0] for part in parts}) <= len(parts):
        parts = [[part[0], "/".join(part[1:])] for part in parts]  # the rest is deeper in some than in others
    inner = [[re.sub(rf"^{re.escape(o)}[-_. ](?=.)", "", p) for o, p in pairwise(part)] for part in parts]
    parts = _without_their_folders([[*part[:1], *own] for part, own in zip(parts, inner, strict=True)])
    deep = any("/" in part[-1] for part in parts)
    if len({*map(len, parts)}) == 1 < len(parts[0]) and (deep or 2 * len({part[-1] for part in parts}) <= len(parts)):
        levels = list(zip(*parts, strict=True))
        above = [list(each) for each in levels[:-1] if len({*each}) > 1]
        called = [f"folder {i}" if len(above) > 1 else "folder" for i in range(1, len(above) + 1)]
        if above and not {*called} & {*taken}:
            labels, names = dict(zip(called, above, strict=True)), list(levels[-1])
    said = {new: f"column {new!r} says which file a row is from: {names[0]!r} is {paths[0].name}"}
    said |= {name: f"column {name!r} says which folder that is in" for name in labels}
    found = dict[str, list[str]]()
    for label, each in (labels | {new: names}).items():
        joined = [("", each)] if re.search(r"(?i)[ _-]vs\.?[ _-]", each[0]) else parts_of(each)  # a name of two
        called = [name or _stem(part) or f"{label} {i}" for i, (name, part) in enumerate(joined, start=1)]
        several = len({*called} - {*taken, *found}) == len(called)
        several &= len(joined) > 1 or bool(among(called[0], "repeated"))
        found |= dict(zip(called, [part for _, part in joined], strict=True)) if several else {label: each}
    notes = [text for name, text in said.items() if name in found]
    if parted := [f"{name!r} ({listed(dict.fromkeys(each), 3)})" for name, each in found.items() if name not in said]:
        notes.insert(0, f"names of files and folders were parted into {listed(parted)}")
    return found, notes


def _without_their_folders(parts: list[list[str]]) -> list[list[str]]:
    """Return folders and names of files without the word that says the folder once more, if the rest is not unique."""
    names = [re.split(r"[_ .-]", part[-1]) for part in parts]
    n_folders = len({*(tuple(part[:-1]) for part in parts)})
    for i in range(len(names[0])) if len({*map(len, names)}) == 1 < min(n_folders, len(names[0])) else ():
        said = {(*part[:-1], own[i]) for part, own in zip(parts, names, strict=True)}
        rests = ["_".join(own[:i] + own[i + 1 :]) for own in names]
        apart = {(*part[:-1], rest) for part, rest in zip(parts, rests, strict=True)}
        if len(said) == n_folders == len({own[i] for own in names}) and len(apart) == len(parts) >= 2 * len({*rests}):
            return [[*part[:-1], rest] for part, rest in zip(parts, rests, strict=True)]
    return parts


def _stem(levels: Sequence[str]) -> str:
    """Return what all of several texts such as "seed0" and "seed1" are called, or nothing."""
    stems = {level.rstrip("0123456789") for level in levels}
    stems = {"seed"} if stems == {"s"} else stems
    return "method" if words.called_as_methods({*levels}) else stems.pop().strip("-_. ") if len(stems) == 1 else ""


_Parts = list[tuple[str, list[str]]]  # what a part of each name is called, or an empty text, and its levels
_TOKEN = re.compile(r"[^\W\d_]+(?=\d*(?:[\W_]|$))|[^\W_]+")
_NUMBER = re.compile(r"\d{1,12}(?:\.\d{1,9})?")
_AGAIN = re.compile(rf"(?i)(?<=[^\W_])[\W_]({'|'.join(words.WORDS['repeated'])})[\W_]?(\d{{1,9}})$")
_FEW_PAIRS = 5  # one pair in so many is enough where names have few parts


def parts_of(names: Sequence[str], again: bool = False) -> _Parts:
    """Return the parts of names such as "svm_iris", "seed_3_task_iris" or "svm-run2", with names; or the names."""
    for part in (_crossed(names, again), _at_key_words(names), _some_again(names), _at_one_mark(names)):
        if part:
            return [each for name, levels in part for each in ([(name, levels)] if name else parts_of(levels, True))]
    return [("", [*names])]


def _at_key_words(names: Sequence[str]) -> _Parts:
    """Return what stands between words that all names have, if some of these say what follows, as "_cycle_3"."""
    tokens = {name: [*_TOKEN.finditer(name)] for name in names}
    often = [Counter(token[0] for token in own) for own in tokens.values()]
    keys = [t[0] for t in tokens[names[0]] if t[0].isalpha() and len(t[0]) > 1 and all(n[t[0]] == 1 for n in often)]
    found = {name: [token for token in own if token[0] in keys] for name, own in tokens.items()}
    if any([token[0] for token in own] != keys for own in found.values()):
        return []
    ends = {name: [0, *(token.end() for token in own)] for name, own in found.items()}
    starts = {name: [*(token.start() for token in own), len(name)] for name, own in found.items()}
    parts, called = _Parts(), ""
    for i in range(len(keys) + 1):
        between = [name[ends[name][i] : starts[name][i]] for name in names]
        levels = [text.strip(" _-.=") for text in between]
        called += (keys[i - 1] if not called else f"_{keys[i - 1]}") if i else ""
        if len({*levels}) > 1:
            counted = all(map(_NUMBER.fullmatch, levels)) and not any(text[:1].isdigit() for text in between)
            known = among(called, "repeated task case compared step size") or counted
            parts.append((called if called and known else "", levels))
        called = called if not any(levels) else ""
    most = len(tokens) / 1.5  # levels of a part that says no more than the name
    whole = len(parts) > 1 and all(all(levels) and len({*levels}) <= most for _, levels in parts)
    return parts if whole and any(name for name, _ in parts) else []


def _some_again(names: Sequence[str]) -> _Parts:
    """Return the numbers of runs of those that were run several times, as "ppo-run1", beside others, run once."""
    runs = {name: found for name in names if (found := _AGAIN.search(name))}
    stems, called = Counter(n[: m.start()] for n, m in runs.items()), {found[1] for found in runs.values()}
    if len(called) != 1 or min(stems.values()) < 2 or len({*names} - {*runs}) + len(stems) < 2:
        return []
    whole = [name[: runs[name].start()] if name in runs else name for name in names]
    return [("configuration", whole), (called.pop(), [runs[name][2] if name in runs else "none" for name in names])]


def _at_one_mark(names: Sequence[str]) -> _Parts:
    """Return what stands before and after the same sign of all names, where parts are fewest and meet often enough."""
    different, best = [*dict.fromkeys(names)], list[tuple[int, list[list[str]]]]()
    for mark, k in product("_-. ", (1, 2, -1, -2)):
        cut = {name: name.split(mark) for name in different}
        if all(len(own) > abs(k) and all(own) for own in cut.values()):
            both = [[mark.join(cut[name][:k]) for name in names], [mark.join(cut[name][k:]) for name in names]]
            one, other = (len({*part}) for part in both)
            if any(all(map(_NUMBER.fullmatch, part)) for part in both):
                continue  # numbers of runs, or of cases: see `numbers_runs`
            if min(one, other) > 1 and 2 * (one + other) <= len(different) >= one * other / _FEW_PAIRS:
                best.append((one + other, both))
    return [("", part) for part in min(best)[1]] if best else []


def _crossed(names: Sequence[str], again: bool) -> _Parts:
    """Return the two parts of names that are nearly all combinations of these, as "svm_iris", "knn_iris"."""
    different = list(dict.fromkeys(names))
    cuts = [{(n[: m.start()], m[0], n[m.end() :]) for m in re.finditer(r"[\W_]+", n)} for n in different]
    every = set.union(*cuts)
    for some, (head, mark, tail) in product((False, True), sorted({*cuts[0], *cuts[-1]})):
        heads = {h for h, m, t in every if (m, t) == (mark, tail)}
        tails = {t for h, m, t in every if m == mark and (h in heads if some else h == head)}  # of some heads only
        heads = {h for h, m, t in every if m == mark and t in tails} if some else heads
        if min(len(heads), len(tails)) > 1 and NEARLY * len(heads) * len(tails) <= len(different):
            found = [[(h, t) for h, m, t in each if m == mark and h in heads and t in tails] for each in cuts]
            # "lower" beside "lower-no" may end at either sign: of a part, that is no part again
            unsure = {h + mark for h in heads if again and any(o.startswith(h + mark) for o in heads)}
            if all(map(len, found)) and not unsure:
                own = {name: pairs[0] for name, pairs in zip(different, found, strict=True)}
                return [("", [own[name][i] for name in names]) for i in (0, 1)]
    return []


def numbers_runs(frame: pd.DataFrame, name: str) -> bool:
    """Say whether names of files are levels of another column and a number, as "LDA_1" and "LDA_2" of "LDA" are."""
    files = frame[name].astype(str)
    stems = files.str.replace(r"[\W_]?\d{1,2}$", "", regex=True)
    if (stems == files).any() or stems.nunique() == files.nunique():
        return False
    texts = [other for other in frame.select_dtypes(["object", "str"]) if frame[other].nunique() == stems.nunique()]
    return any(words.is_property(frame.assign(**{name: stems}), [name], [other]) for other in texts if other != name)
