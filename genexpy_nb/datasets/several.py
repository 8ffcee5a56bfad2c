"""Several files as one table: what their rows have in common, and what names of files and folders say."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from itertools import product
from pathlib import Path

import pandas as pd

from genexpy_nb.common.checks import listed
from genexpy_nb.common.errors import DataError
from genexpy_nb.datasets import stores
from genexpy_nb.datasets.words import MEASURE, NEARLY, SETTINGS, among, called_as_methods, direction_of

_STEPS = "if rows are steps, which are no experiments, write one number for each run; if not, call the scores alike"


def rows_of_all(paths: list[Path], read: Callable[[Path], pd.DataFrame]) -> tuple[pd.DataFrame, str, list[str]]:
    """Return the rows of tables, of the columns that all have, with a column that says where each is from."""
    frames, charts = [], []
    for path in paths:
        try:
            frames.append(read(path))
        except stores.Chart as chart:
            frames.append(pd.DataFrame())
            charts.append(chart)
    often = Counter(name for frame in frames for name in frame)
    usual = {name for name, n in often.items() if 2 * n > len(paths)}
    lone = {name for name in often if often[name] == len(paths) - 1 and among(str(name), "compared task")}
    odd_ones = [i for i, frame in enumerate(frames) if len(usual & {*frame}) < min(2, len(usual)) or lone - {*frame}]
    without = []
    if 1 < 2 * len(odd_ones) < len(paths):  # some of another kind, or without the names that all others have
        which = listed((paths[i].name for i in odd_ones), 3)
        without = [f"left out: {which}, without the columns of the others"]
        kept = [i for i in range(len(paths)) if i not in odd_ones]
        paths, frames = [paths[i] for i in kept], [frames[i] for i in kept]
    elif charts:
        raise charts[0]
    often = Counter(name for frame in frames for name in frame)
    first = [name for name in often if often[name] == len(frames)]
    if len(first) == 1 and (found := side_by_side(frames, first[0])):
        return found
    if len(first) < 2 and not (first and all(len(frame) == 1 for frame in frames)):
        has = [f"{paths[i].name} has {listed(map(repr, frames[i]), 4)}" for i in (0, -1)]
        own = all(len(frame.columns) == len(first) + 1 for frame in frames)
        raise DataError(
            f"{listed((path.name for path in paths), 4)} have {len(first)} columns in common. {' and '.join(has)}: "
            f"{_STEPS if own else 'name only files of one kind'}"
        )
    labels, said_where = labels_of(paths, [*first, SETTINGS, MEASURE])
    notes = [*without, *said_where]
    odd = [name for name in often if name not in first]
    for change in (_settings, _one_measure_each):
        if one := change(frames, first, odd):
            frames, new, note = one
            first, notes = [*first, *new], [*notes, note]
    left = {name for frame in frames for name in frame} - {*first, SETTINGS, MEASURE}
    if odd := sorted((name for name in often if name in left), key=lambda name: not direction_of(name)[0]):
        lone = {name for name in odd if often[name] == len(paths) - 1}  # which all files but one have
        lacks = Counter({path.name: len(lone - {*frame}) for path, frame in zip(paths, frames, strict=True)})
        which = "".join(f"; {name} alone lacks {n} of them" for name, n in lacks.most_common(1) if n)
        notes.append(f"columns that not all files have were left out: {listed(map(repr, odd), 4)}{which}")
    said = dict[str, list[Path]]()
    for path, frame in zip(paths, frames, strict=True):
        for note in frame.attrs["notes"]:
            said.setdefault(note, []).append(path)
    more = {note: f" and {len(of) - 1} more" if len(of) > 1 else "" for note, of in said.items()}
    notes += [f"{of[0].name}{more[note]}: {note}" for note, of in said.items()]
    each = [{column: texts[i] for column, texts in labels.items()} for i in range(len(paths))]
    together = pd.concat([frame.assign(**own) for own, frame in zip(each, frames, strict=True)])
    together = together[[*labels, *first]].reset_index(drop=True)
    for name in (name for name in first if pd.api.types.infer_dtype(together[name], skipna=True) == "mixed-integer"):
        together[name] = together[name].map(str, na_action="ignore")  # numbers in one file, words in another
    sizes = f"{len(together)} rows, {len(together.columns)} columns"
    return (
        together,
        f"{len(paths)} tables, the first one {frames[0].attrs['read_as'].partition(';')[0]}; {sizes}",
        notes,
    )


_Found = tuple[list[pd.DataFrame], list[str], str]


def _settings(frames: list[pd.DataFrame], first: Sequence[str], odd: Sequence[str]) -> _Found | None:
    """Write columns that not all files have into one, if they tell rows of a file apart that nothing else does."""
    factors = [name for name in odd if not direction_of(name)[0] and not among(name, "spread average cost")]
    changed, needed = [], dict[str, None]()
    for frame in frames:
        own = [name for name in factors if name in frame]
        keys = [name for name in first if frame[name].dtype.kind != "f"]
        if own and keys and frame.duplicated(keys).any() and not frame.astype(str).duplicated([*keys, *own]).any():
            needed |= dict.fromkeys(own)
        said = [", ".join(f"{k}={v}" for k, v in row.items() if pd.notna(v)) for row in frame[own].to_dict("records")]
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
    """Return columns that say which file rows are from, a label for each file, and what they say, in words.

    Of results/DATASET/METHOD.csv folders are columns of their own, and of METHOD_DATASET.csv the parts of the names.
    """
    new = next(name for name in ("file", "from file", "of file") if name not in taken)
    folder = os.path.commonpath([path.absolute().parent for path in paths])
    whole = [path.absolute().relative_to(folder).as_posix() for path in paths]
    names = [name.removesuffix(".gz").rpartition(".")[0] or name for name in whole]
    names = names if len(set(names)) == len(names) else whole
    parts, labels = [name.split("/") for name in names], dict[str, list[str]]()
    if len({*map(len, parts)}) == 1 < len(parts[0]) and 2 * len({part[-1] for part in parts}) <= len(parts):
        levels = list(zip(*parts, strict=True))
        inner = [list(each) for each in levels[:-1] if len({*each}) > 1]
        called = [f"folder {i}" if len(inner) > 1 else "folder" for i in range(1, len(inner) + 1)]
        if inner and not {*called} & {*taken}:
            labels, names = dict(zip(called, inner, strict=True)), list(levels[-1])
    notes = [f"column {new!r} says which file a row is from: {names[0]!r} is {paths[0].name}"]
    notes += [f"column {name!r} says which folder that is in" for name in labels]
    found = dict[str, list[str]]()
    for label, each in (labels | {new: names}).items():
        joined = crossed(each)
        called = [_stem(part) or f"{label} {i}" for i, part in enumerate(joined, start=1)]
        several = len(joined) > 1 and len({*called} - {*taken, *found}) == len(called)
        found |= dict(zip(called, joined, strict=True)) if several else {label: each}
    if parted := {name: each for name, each in found.items() if name not in (*labels, new)}:
        which = listed([f"{name!r} ({listed(dict.fromkeys(each), 3)})" for name, each in parted.items()])
        notes = [
            f"names of files and folders were parted into {which}",
            *(n for n in notes if n.split("'")[1] in found),
        ]
    return found, notes


def _stem(levels: Sequence[str]) -> str:
    """Return what all of several texts such as "seed0" and "seed1" are called, or nothing."""
    stems = {level.rstrip("0123456789") for level in levels}
    return "method" if called_as_methods({*levels}) else stems.pop().strip("-_. ") if len(stems) == 1 else ""


def crossed(names: Sequence[str], again: bool = False) -> list[list[str]]:
    """Return the parts of names that are nearly all combinations of these, as "svm_iris", "knn_iris"; or the names."""
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
                return [part for i in (0, 1) for part in crossed([own[name][i] for name in names], True)]
    return [[*names]]
