"""What the columns of a frame of results seem to hold, and what speaks for it."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import numpy as np
import pandas as pd

from genexpy_nb.datasets.texttables import holds_numbers_and_text
from genexpy_nb.datasets.words import NEARLY, WORDS, among, called_as_methods, is_count, no_scores, parted, words_of

NUMBERS = ("number", "whole number", "truth value")
FEW_CELLS = 0.4  # of all pairs of an alternative and an experiment: with fewer scores a guess is doubtful
_Roles = TypeVar("_Roles", bound="TableRoles")

# --- roles ------------------------------------------------------------------------------------------------------------

#: Between the levels of several columns that together name an alternative.
JOINT = " / "

#: What scores of a matrix are called.
MATRIX_SCORE = "score"

#: The name under which rows that repeat an evaluation are averaged, where no column tells them apart.
ROW = "row"

#: The name under which columns that repeat an evaluation, such as folds, are averaged.
COLUMN = "column"

#: The level of empty cells of a column that is averaged over or held.
NO_LEVEL = "none"

DIRECTIONS = ("higher", "lower")


def as_directed(target: str) -> tuple[str, str]:
    """Return a metric and its direction, empty if it is a name alone."""
    name, equals, direction = target.rpartition("=")
    return (name, direction) if equals and name and direction in DIRECTIONS else (target, "")


def with_joint_column(frame: pd.DataFrame, columns: Sequence[str]) -> tuple[pd.DataFrame, str]:
    """Return the table with one column of alternatives in place of several, of which all but the first may be empty."""
    name = JOINT.join(columns)
    if len(columns) < 2:
        return frame, name
    parts = frame[list(columns)]
    labels = parts.astype("string").fillna(NO_LEVEL).agg(JOINT.join, axis=1).where(parts.iloc[:, 0].notna())
    return frame.drop(columns=list(columns)).assign(**{name: labels.astype(object)}), name


@dataclass(frozen=True)
class TableRoles:
    """Which column of a table is for what."""

    results: str | Sequence[str] = ""  # several files are read together
    alternatives: Sequence[str] = ()
    target: Sequence[str] = ()
    over: Sequence[str] = ()
    design: Sequence[str] = ()
    average: Sequence[str] = ()
    fixed: Sequence[str] = ()
    cluster: str = ""
    wide: bool = False
    without: Sequence[str] = ()
    higher_is_better: str = ""

    def directions(self) -> dict[str, str]:
        """Return each target and its direction, empty where none was given; of a matrix the scores have a name."""
        found = {name: direction or self.higher_is_better for name, direction in map(as_directed, self.target)}
        return found if found or not self.wide else {MATRIX_SCORE: self.higher_is_better}


# --- columns ----------------------------------------------------------------------------------------------------------

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


# --- a guess ----------------------------------------------------------------------------------------------------------


class Guess(Generic[_Roles]):
    """The roles that columns may have, and why (field, value, reason); made step by step."""

    def __init__(self, frame: pd.DataFrame, given: _Roles) -> None:
        self.frame, self.attrs, self.roles, self.problem = frame.copy(deep=False), frame.attrs, given, ""
        self.frame.attrs = {}  # pandas copies them with every part of a table
        self.columns = [c for c in describe_columns(self.frame) if c.kind != "empty"]
        self.reasons: list[tuple[str, str, str]] = []
        self.doubts: list[str] = []
        self.remarks: list[str] = []
        self.rivals: list[str] = []  # what else may be the score
        self.leaning = ""  # the direction that may be meant, if nothing is sure
        self._numbers: dict[str, pd.Series] = {}

    @property
    def sure(self) -> bool:
        """Whether all roles are known, the direction too, and nothing else may be meant."""
        known = self.roles.wide or (self.roles.alternatives and self.roles.target and self.roles.over)
        return bool(known and all(self.roles.directions().values()) and not self.doubts and not self.problem)

    def take(self, role: str, value: str, why: str) -> None:
        """Give a role to a column, for a reason."""
        self._change(role, value if role == "cluster" else (*getattr(self.roles, role), value))
        self.reasons.append((role, value, why))

    def untake(self, role: str) -> None:
        """Take a role back from all columns that were guessed to have it."""
        self._change(role, ())
        self.reasons = [reason for reason in self.reasons if reason[0] != role]

    def direct(self, better: str, why: str) -> None:
        """Give the scores a direction."""
        self._change("higher_is_better", better)
        self.reasons.append((better, "", why))

    def _change(self, role: str, value: Any) -> None:
        self.roles = replace(self.roles, **{role: value})

    @property
    def fixed(self) -> list[tuple[str, str]]:
        """The columns that are held constant, and their levels."""
        names = map(str, self.frame.columns)
        return [(c, text[len(c) + 1 :]) for c in names for text in self.roles.fixed if text.startswith(f"{c}=")]

    def free(self) -> list[Column]:
        """The columns without a role."""
        had = self.roles
        targets = [] if had.wide else list(had.directions())
        taken = {*had.alternatives, *targets, *had.over, *had.design, *had.average, had.cluster, *had.without}
        taken |= {name for name, _ in self.fixed}
        return [c for c in self.columns if c.name not in taken]

    def names(self) -> tuple[list[str], list[str]]:
        """The columns of what is compared, and of the experiments."""
        both = (self.roles.alternatives, self.roles.over)
        return tuple([name for name in names if name in self.frame] for names in both)  # type: ignore[return-value]

    def key(self) -> list[str]:
        """The columns that together should tell rows apart."""
        had = self.roles
        return [c for c in [*had.alternatives, *had.over, *had.design, *had.average] if c in self.frame]

    def labels(self) -> list[Column]:
        """The columns without a role that can tell rows apart: no dates, fractions or numbers of rows."""
        kinds = ("text", "whole number", "truth value")
        return [c for c in self.free() if c.kind in kinds and c.n_levels > 1 and not self.is_index(c)]

    def is_index(self, column: Column) -> bool:
        """Say whether a column only numbers the rows."""
        if column.kind != "whole number" or column.n_levels < len(self.frame):
            return False
        return bool(np.ptp(self.numbers([column.name]).to_numpy()) == len(self.frame) - 1)

    def no_scores(self, columns: Sequence[Column]) -> dict[str, str]:
        """Which of some columns of a matrix hold no scores of their own, and why."""
        texts = [c for c in self.columns if c.kind == "text"]
        rows = [self.frame[c.name].astype(str) for c in texts if c.n_levels == len(self.frame)]
        compared = self.roles.alternatives or named(texts, "compared name") or any(map(called_as_methods, rows))
        found = no_scores(self.numbers([c.name for c in columns]), bool(compared))
        spreads = [frozenset(words_of(c.name)) - {*WORDS["spread"]} for c in self.columns if among(c.name, "spread")]
        parts = {*WORDS["training"], "test"}
        stems = {c.name: (frozenset(words_of(c.name)) - parts, parts & {*words_of(c.name)}) for c in columns}
        tests = {stem: name for name, (stem, part) in stems.items() if "test" in part}
        splits = {name: stem for name, (stem, part) in stems.items() if part and "test" not in part and stem in tests}
        found |= {name: f"of another part of the data than {tests[stem]!r}" for name, stem in splits.items()}
        means = {name: own for name in found if (own := frozenset(words_of(name)) - {*WORDS["average"]}) in spreads}
        return {name: why for name, why in found.items() if len({*means.values()}) < 2 or name not in means}

    def numbers(self, names: Sequence[str]) -> pd.DataFrame:
        """The numbers in some columns."""
        for name in (name for name in names if name not in self._numbers):
            self._numbers[name] = pd.to_numeric(self.frame[name], errors="coerce").astype(float)
        return pd.DataFrame({name: self._numbers[name] for name in names}, self.frame.index)
