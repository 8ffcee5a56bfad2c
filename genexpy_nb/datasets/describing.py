"""What the columns of a frame of results seem to hold, and what speaks for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import numpy as np
import pandas as pd

from genexpy_nb.datasets.columns import Column, describe_columns, named
from genexpy_nb.datasets.words import WORDS, among, called_as_methods, no_scores, words_of

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
