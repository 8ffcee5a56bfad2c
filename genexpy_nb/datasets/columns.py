"""What a column of a table holds, and what its name and levels say of it."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

from genexpy_nb.datasets.texttables import holds_numbers_and_text
from genexpy_nb.datasets.words import NEARLY, WORDS, among, is_count, parted, words_of

NUMBERS = ("number", "whole number", "truth value")
FEW_CELLS = 0.4  # of all pairs of an alternative and an experiment: with fewer scores a guess is doubtful

_LIST = re.compile(r"\[[^\[\]\d]*\d[^\[\]]*\]")
_DAY = r"\d{4}([-/.])\d\d?\1\d\d?|\d\d?([-/.])\d\d?\2\d{4}"  # 2023-03-31 or 31.03.2023; "Fri Mar 31 12:15:09 2023"
_WRITTEN = r"(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? +(?:[a-z]{3,9} +\d\d?|\d\d? +[a-z]{3,9})[ ,].{0,15}\d{4}"
_DATE = re.compile(rf"(?i)(?:{_DAY}|{_WRITTEN})(?:[ T_][\d:.+ZAPM -]{{0,30}})?")


@dataclass(frozen=True)
class Column:
    """What a column of a table holds."""

    name: str
    kind: str
    n_levels: int
    n_missing: int
    examples: tuple[str, ...]


def describe_columns(frame: pd.DataFrame) -> list[Column]:
    """Return what each column holds."""
    columns = []
    for name in frame.columns:
        values = frame[name]
        kind = _kind(values)
        levels = (values.astype(str) if kind == "lists" else values.dropna()).drop_duplicates()
        examples = tuple(str(level) for level in levels.iloc[:4])
        columns.append(Column(str(name), kind, len(levels), int(values.isna().sum()), examples))
    return columns


def _kind(values: pd.Series) -> str:
    kind = pd.api.types.infer_dtype(values, skipna=True)
    if values.isna().all():
        return "empty"
    if kind == "mixed" and not values.map(lambda value: isinstance(value, Hashable)).all():
        return "lists"
    if kind == "boolean":
        return "truth value"
    if kind in ("integer", "floating", "mixed-integer-float", "decimal"):
        numbers = pd.to_numeric(values, errors="coerce").dropna()
        return "whole number" if kind == "integer" or (numbers % 1 == 0).all() else "number"
    if kind in ("datetime", "datetime64", "date") or (kind == "string" and all(map(_DATE.fullmatch, values.dropna()))):
        return "date"
    if all(isinstance(value, str) and _LIST.fullmatch(value) for value in values.dropna()):
        return "lists"
    return "numbers and text" if holds_numbers_and_text(values) else "text"


def is_property(frame: pd.DataFrame, columns: Sequence[str], keys: Sequence[str]) -> bool:
    """Say whether columns have one level for each level of the keys."""
    columns, keys = [c for c in columns if c in frame], [c for c in keys if c in frame]
    return bool(columns and keys) and not frame[[*keys, *columns]].drop_duplicates().duplicated(keys).any()


def is_shared(frame: pd.DataFrame, column: Column, compared: Sequence[str]) -> bool:
    """Say whether a column may hold the experiments: it says nothing of those compared, and many have its levels."""
    alone = is_property(frame, [column.name], compared)
    return not alone and share_of_pairs(frame, compared, [column.name]) > FEW_CELLS


# --- names ------------------------------------------------------------------------------------------------------------


def may_be_compared(columns: Iterable[Column]) -> list[Column]:
    """Return the columns whose names say nothing else: numbers in "agents_lost" name none, a "model_move" is a move."""
    ends = {c: re.split(r"[\W_]", parted(c.name))[-1] for c in columns}
    found = [c for c in ends if c.kind not in NUMBERS or among(ends[c], "compared name identity")]
    found = [c for c in found if not (is_count(c.name) or among(c.name, "address"))]
    rests = {c: re.split(f"(?i)(?:{'|'.join(WORDS['compared'])})", c.name)[-1] for c in found}
    return [c for c in found if rests[c] == c.name or not among(rests[c], "said turn predicted")] or found


def named(columns: Iterable[Column], kinds: str) -> tuple[Column, str] | None:
    """Return the column whose name has the first of the words of some kinds and the fewest others, and that word."""
    words = [word for kind in kinds.split() for word in WORDS[kind]]
    columns = may_be_compared(columns) if "compared" in kinds else columns
    found = [
        (words.index(word), len(words_of(c.name)), i, c, word)
        for i, c in enumerate(columns)
        if (word := among(c.name, kinds))
    ]
    return min(found)[3:] if found else None


def share_of_pairs(rows: pd.DataFrame, one: Sequence[str], other: Sequence[str]) -> float:
    """Return how many of the pairs of levels that columns could have they do have."""
    n_one, n_other, n_both = (len(rows[[*names]].drop_duplicates()) for names in (one, other, [*one, *other]))
    return n_both / (n_one * n_other)


def repeats(frame: pd.DataFrame, column: Column) -> str:
    """Return the word that makes the levels of a column repetitions; 10 and 100 iterations are none, nor are scores."""
    of_files = bool(re.fullmatch(r"(?:file|folder)(?: \d+)?", column.name))
    named_so = {level.rstrip("0123456789") for level in (column.examples if of_files else (column.name,))}
    name = named_so.pop() if len(named_so) == 1 else ""  # files "seed0" and "seed1" are called as a column would be
    word = "" if among(name, "spread") else among(name, "repeated log" if of_files else "repeated")
    n_numbers = column.n_levels if "number" in column.kind and word != "seed" else 0
    levels = frame[column.name].dropna().astype(str).unique() if word in ("iteration", "iter") else []
    counted = {int(n) for text in levels for n in re.findall(r"\d{1,9}", text)}
    settings = counted and max(counted) - min(counted) >= 2 * len(counted)
    return "" if settings or n_numbers > NEARLY * len(frame) else word


def last_of_all(rows: pd.DataFrame, key: Sequence[str], step: str) -> str:
    """Return the last step that nearly all runs have, or an empty text."""
    ends = rows.groupby(list(key))[step].max()
    last = ends.quantile(1 - NEARLY, interpolation="lower")
    at = rows.loc[rows[step] == last, [*key, step]].drop_duplicates()
    return str(at[step].iloc[0]) if len(at) >= NEARLY * len(ends) else ""


def balanced(frame: pd.DataFrame, names: Sequence[str]) -> bool:
    """Say whether columns have about as many rows at each level, as what was set has, and not what came out."""
    sizes = frame.groupby(list(names)).size()
    return bool(sizes.max() <= 4 * sizes.min())


def settings_in(frame: pd.DataFrame, columns: Sequence[Column]) -> list[str]:
    """Return the columns with one number for all rows of each level of a text, as a setting for each data set has."""
    outer = [c.name for c in columns if c.kind == "text" and 1 < c.n_levels <= len(frame) / 2]
    numbers = [c.name for c in columns if c.kind in NUMBERS and c.n_levels > 1]
    each = (frame[numbers].groupby(frame[text], dropna=False).nunique(dropna=False) for text in outer if numbers)
    found = {name for levels in each for name in numbers if levels[name].max() == 1}
    return [name for name in numbers if name in found]
