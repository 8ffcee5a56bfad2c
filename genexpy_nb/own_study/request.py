"""What is asked for by the options of ``genexpy-nb study``: checked, and made into a `genexpy_nb.Study`.

Errors are worded for who typed the command: they name its options, and rows as they are counted below the header.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import check_choice, check_count, check_level, check_number, listed, suggest
from genexpy_nb.common.errors import DataError, GenexpyError, ParameterError, StudyError, StudyWarning
from genexpy_nb.common.prose import plain_line
from genexpy_nb.datasets import describing
from genexpy_nb.datasets.describing import describe_columns
from genexpy_nb.datasets.forms import settings_in
from genexpy_nb.datasets.locating import load_mteb
from genexpy_nb.datasets.reading import read_results
from genexpy_nb.datasets.texttables import codes_in, holds_numbers_and_text, is_number, text_among_numbers
from genexpy_nb.datasets.words import (
    MOST_FACTOR_LEVELS,
    NEARLY,
    among,
    codes_apart,
    no_scores,
    share_of_pairs,
    unlike_the_others,
)
from genexpy_nb.own_study.own_kernels import kernel_from_text, without_folder
from genexpy_nb.study.answers import Answers
from genexpy_nb.study.checks import METRIC, MISSING_POLICIES, spelled_alike
from genexpy_nb.study.contents import with_joint_column
from genexpy_nb.study.study import Study

#: The options that give a column its role, and the field of a `StudyRequest` that holds them.
ROLES = {f"--{field}": field for field in ("alternatives", "target", "over", "design", "average")}
ROLES |= {"--fix": "fixed", "--cluster": "cluster"}

DIRECTION = "--higher-is-better or --lower-is-better"  # as `StudyRequest.absent` calls it
READING = ("sep", "encoding", "decimal", "sheet", "max_size")  # the options that say how a file is read

#: The parameters that notebook 09 takes one by one; all others are in its ``options``.
PARAMETERS = ("results", "alternatives", "target", "higher_is_better", "over", "alpha", "delta")

_SEPARATORS = {"tab": "\t", "\\t": "\t", "space": " "}
_MATRIX_ROWS = "experiment"
_FEW_NAMELESS = 0.2  # of the rows may lack what is compared


@dataclass(frozen=True)
class StudyRequest(describing.TableRoles):
    """What somebody wants to know about a table, and how it is to be read."""

    alternative: str = ""
    missing: str = "complete"
    alpha: float = 0.95
    delta: float = 0.05
    level: float = 0.05
    confidence: float = 0.95
    configuration: Sequence[str] = ()
    budget: int = 0
    sep: str = ""
    encoding: str = ""
    decimal: str = ""
    sheet: str = ""
    max_size: str = ""
    missing_code: Sequence[str] = ()
    kernels: Sequence[str] = ()
    rank_incomplete: bool = False

    def __post_init__(self) -> None:
        for name in _LISTS:
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if not isinstance(self.results, str):
            object.__setattr__(self, "results", tuple(self.results) if len(self.results) > 1 else "".join(self.results))
        for text in self.kernels:  # before any work
            kernel_from_text(text)
        check_level("--alpha", self.alpha)
        check_number("--delta", self.delta, 0, 1, ends="(]")
        check_level("--level", self.level)
        check_level("--confidence", self.confidence)
        check_count("--budget", self.budget, at_least=0)
        check_choice("--missing", self.missing, MISSING_POLICIES)
        check_choice("higher_is_better", self.higher_is_better, ("", *describing.DIRECTIONS))
        for option, values in (("--fix", self.fixed), ("--configuration", self.configuration)):
            for value in values:
                if not all(value.partition("=")[::2]):
                    raise ParameterError(f"{option} must be COLUMN=LEVEL, got {value!r}")
        directed = list(map(describing.as_directed, self.target))
        names, undirected = [name for name, _ in directed], [name for name, direction in directed if not direction]
        twice = next((name for name in names if names.count(name) > 1), "")
        refused = {
            f"--target names {twice!r} twice": twice,
            f"several --target need a direction each, such as --target {''.join(undirected[:1])}=higher": len(names) > 1
            and undirected,
            f"--target {''.join(self.target[:1])} gives the direction; leave --{self.higher_is_better}-is-better out": (
                self.higher_is_better and len(undirected) < len(names)
            ),
            "--target: the scores of a matrix (--wide) have one name": self.wide and len(names) > 1,
            "--without names a column of a matrix (--wide) or rows as COLUMN=LEVEL; of other tables, only columns with "
            "a role are looked at": not (self.wide or all("=" in text for text in self.without)),
            "--cluster does not apply to a matrix (--wide) with a row per alternative (--alternatives): no column says "
            "which of its columns belong together": self.wide and self.alternatives and self.cluster,
        }
        for message, holds in refused.items():
            if holds:
                raise ParameterError(message)

    # --- what is asked for -------------------------------------------------------------------------------------------

    def given(self) -> list[str]:
        """Return the options about roles that were given."""
        names = [option for option, field in ROLES.items() if getattr(self, field)]
        return [*names, *([f"--{self.higher_is_better}-is-better"] if self.higher_is_better else [])]

    def absent(self) -> list[str]:
        """Return the options without which there is no study."""
        needed = {"--alternatives": self.alternatives, "--target": self.target, "--over": self.over}
        absent = [option for option, value in needed.items() if not value and not self.wide]
        return absent if any([self.higher_is_better, *self.directions().values()]) else [*absent, DIRECTION]

    def all_fields(self) -> dict[str, Any]:
        """Return everything that was asked for, by name: lists in place of tuples."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    def without_folders(self) -> dict[str, Any]:
        """Return the same as others may see it: of files the names, and not where somebody keeps them."""
        names = [Path(file).absolute().name for file in self.files]
        shown = names if len(names) > 1 else "".join(names)
        return self.all_fields() | {"results": shown, "kernels": list(map(without_folder, self.kernels))}

    def parameters(self, *, folders: bool = True) -> dict[str, Any]:
        """Return the parameters of the notebook; what few people change is in ``options``, as far as it was changed."""
        given, usual = self.all_fields() if folders else self.without_folders(), StudyRequest().all_fields()
        options = {name: value for name, value in given.items() if name not in PARAMETERS and value != usual[name]}
        return {name: given[name] for name in PARAMETERS} | {"options": options}

    @classmethod
    def from_parameters(cls, *, options: Mapping[str, Any] | None = None, **parameters: Any) -> StudyRequest:
        """Return the request that parameters of the notebook describe; one name alone may stand for a list."""
        known = [field.name for field in fields(cls) if field.name not in PARAMETERS]
        if unknown := [name for name in options or {} if name not in known]:
            hint = suggest(unknown[0], known)
            raise ParameterError(f"options: there is no {unknown[0]!r}{hint} (there are {listed(known, 30)})")
        given = {**parameters, **(options or {})}
        lists = {name: [value] if value else [] for name, value in given.items() if isinstance(value, str)}
        return cls(**given | {name: value for name, value in lists.items() if name in _LISTS})

    # --- the table ---------------------------------------------------------------------------------------------------

    @property
    def files(self) -> list[str]:
        """What is read; nothing, if it is the leaderboard of MTEB."""
        return [self.results] * bool(self.results) if isinstance(self.results, str) else list(self.results)

    @property
    def called(self) -> str:
        """How people call what is read."""
        return " and ".join(self.files[:1] + [f"{len(self.files) - 1} more"] * (len(self.files) > 1))

    def read(self) -> pd.DataFrame:
        """Return the table; ``attrs`` say how it was read, see `genexpy_nb.read_results`."""
        if not self.results:
            return load_mteb()
        options: dict[str, Any] = {name: getattr(self, name) for name in READING if getattr(self, name)}
        if self.sep:
            options["sep"] = _SEPARATORS.get(self.sep, self.sep)
        with _spoken():
            frame = read_results(self.files, **options, missing_codes=self.missing_code)
        frame.attrs["read_as"] = _with_options(frame.attrs["read_as"])
        return frame

    def kept(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the table without rows that ``--without`` names, and of a matrix the scores called as ``--target``."""
        pattern = self.target[0] if self.wide and self.target and "*" in self.target[0] else ""
        frame = self._called_as(pattern, frame) if pattern and pattern not in frame else frame
        for text in (text for text in self.without if text not in frame):
            ((column, level),) = _levels("--without", [text], frame)
            frame = frame[frame[column] != level]
        return frame

    def _called_as(self, pattern: str, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the columns of a matrix that fit a pattern, called as the star, and those that hold no numbers."""
        named = called_like(pattern, frame)
        if len(named) < 2:
            raise StudyError(f"--target {pattern!r} names {len(named)} columns, and must name two (a star is any text)")
        fixed = [split_level(text, [*map(str, frame)])[0] for text in self.fixed]
        roles = {*self.alternatives, *self.over, *self.design, *self.average, *fixed, self.cluster}
        left = frame[[c for c in frame if c in roles or not (c in named or numbers_of_matrix(frame[c]))]]
        scores = frame[[name for name in named if name not in roles]]
        return left.join(scores if {*named.values()} & {*left} else scores.rename(columns=named))

    def check_named(self, frame: pd.DataFrame) -> None:
        """Raise `StudyError` if a column that has a role is not there, has two, or lacks the level that was named."""
        with self.spoken():
            frame = self.kept(frame)
            table, alternatives = self._with_one_column_of_alternatives(frame)
            _check_named(table, self._columns(alternatives))
            self.fixed_levels(frame)

    def study(self, frame: pd.DataFrame | None = None) -> Study:
        """Return the study of the table; its warnings are in ``Study.warnings`` and not issued."""
        frame = self.read() if frame is None else frame
        with self.spoken(), warnings.catch_warnings(action="ignore", category=StudyWarning):
            if absent := self.absent():
                raise ParameterError(f"{' and '.join(absent)} {'is' if len(absent) == 1 else 'are'} missing")
            n_rows = len(frame)
            frame = self.kept(frame)
            n_out = n_rows - len(frame)
            frame, alike = self._spelled_alike(frame)
            frame, alternatives = self._with_one_column_of_alternatives(frame)
            _check_named(frame, self._columns(alternatives))
            nameless = frame[alternatives].isna() if alternatives and not self.wide else pd.Series(dtype=bool)
            frame = frame[~nameless] if 0 < nameless.sum() <= _FEW_NAMELESS * len(frame) else frame
            study = self._made(self._with_repetitions(frame, alternatives), alternatives)
            if study.accounting["n_experiments"].max() < 2:
                raise StudyError(
                    f"there is a single experiment{' per configuration' if study.design else ''} (level of "
                    f"{' x '.join(study.generalize_over)}): nothing follows from it about others; name the column of "
                    "the datasets or tasks with --over"
                )
            if n_out:
                levels = listed(text for text in self.without if text not in frame)
                study.notes.insert(0, f"Left {n_out:,} of {n_rows:,} rows out: {levels}.")
            study.warnings[:0] = [*self._means_of_others(frame, alternatives), *alike]
            if left := len(nameless) and len(nameless) - len(frame):
                study.warnings.insert(0, f"{left} of {len(nameless)} rows do not say which {alternatives!r}: left out")
            self.chosen_alternative(study)
            self.chosen_configuration(study)
        return study

    def spoken(self) -> AbstractContextManager[None]:
        """Return a context in which errors name the file and the options of the command."""
        return _spoken(Path(self.called).name or self.called or "the leaderboard of MTEB")

    def answers(self, study: Study) -> Answers:
        """Return what is known of the study, see `genexpy_nb.Answers`; nothing is computed before it is used."""
        with self.spoken():
            same = ("alpha", "delta", "level", "confidence", "rank_incomplete")
            given: dict[str, Any] = {name: getattr(self, name) for name in same}
            given |= {"kernels": list(map(kernel_from_text, self.kernels)) or None, "budget": self.budget or None}
            given["configuration"] = self.chosen_configuration(study)
            return Answers(study, alternative=self.chosen_alternative(study), **given)

    def chosen_alternative(self, study: Study) -> Any:
        """Return the level that ``--alternative`` names, or None."""
        return self.named("--alternative", self.alternative, study) if self.alternative else None

    @staticmethod
    def named(option: str, name: str, study: Study) -> Any:
        """Return the alternative that the text of an option names."""
        return _level(option, name, pd.Series(study.alternatives), study.alternatives_column)

    def chosen_configuration(self, study: Study) -> dict[str, Any] | None:
        """Return the configuration that ``--configuration`` names: of several, the one with most experiments."""
        metrics = list(self.directions())
        first = {METRIC: metrics[0]} if len(metrics) > 1 else {}
        if not self.configuration and not first:
            return None
        if not study.design:
            raise ParameterError("--configuration: there is a single configuration, because no column is a --design")
        table = pd.DataFrame(study.configurations)
        wanted = first | dict(_levels("--configuration", self.configuration, table))
        fits = (table[list(wanted)] == pd.Series(wanted)).all(axis=1)
        if not fits.any() and not self.configuration:
            return None  # the metric has no score at all
        if not fits.any():
            raise ParameterError(f"--configuration: there are no results for {' and '.join(self.configuration)}")
        sizes = study.accounting["n_experiments"]
        chosen = int(sizes[fits.to_numpy()].idxmax())
        if not self.configuration and chosen == int(sizes.idxmax()):
            return None  # it would be chosen without being asked for
        return study.configurations[chosen]

    # --- roles -------------------------------------------------------------------------------------------------------

    def _columns(self, alternatives: str) -> list[tuple[str, str]]:
        """Return each option with each column that it names."""
        lists: dict[str, Sequence[str]] = {
            "--alternatives": [alternatives] if alternatives else [],
            "--target": [] if self.wide else list(self.directions()),
            "--over": self.over,
            "--design": self.design,
            "--average": [column for column in self.average if column not in (describing.ROW, describing.COLUMN)],
            "--cluster": [self.cluster] if self.cluster else [],
            "--without": self.without,
        }
        return [(option, column) for option, columns in lists.items() for column in columns]

    def _spelled_alike(self, frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
        """Return the table with one spelling for levels that are spelled alike and never stand side by side."""
        roles, said = (*self.alternatives, *self.over, *self.design, *self.average), list[str]()
        keys = [name for name in roles if name in frame]
        for name in [name for name in (*self.alternatives, *self.over) if name in frame and len(keys) > 1]:
            others = [key for key in keys if key != name]
            levels = frame[name].dropna().unique()
            marked, n_said = _marked(levels), len(said)
            for group in [*marked, *spelled_alike(levels)]:
                rows = frame[frame[name].isin(group)]
                if frame[name].dtype.kind == "O" and rows.groupby(others)[name].nunique().max() == 1:
                    one = group[0] if group in marked else rows[name].value_counts().index[0]
                    frame = frame.assign(**{name: frame[name].where(~frame[name].isin(group), one)})
                    both = f"{' and '.join(map(repr, group))} are read as one, {one!r}"
                    both += ", and so are others with that mark" if group in marked else ""
                    if group not in marked or len(said) == n_said:
                        said.append(f"column {name!r}: {both}: no level of {listed(others)} has more than one of them")
        return frame, said

    def _with_one_column_of_alternatives(self, frame: pd.DataFrame) -> tuple[pd.DataFrame, str]:
        """Return the table with a single column of alternatives, and its name."""
        columns, name = list(self.alternatives), describing.JOINT.join(self.alternatives)
        if len(columns) < 2:
            return frame, name
        _check_named(frame, [("--alternatives", column) for column in columns])
        if name in frame.drop(columns=columns):
            raise StudyError(f"--alternatives: together they would be called {name!r}, as another column is")
        return with_joint_column(frame, columns)

    def _with_repetitions(self, frame: pd.DataFrame, alternatives: str) -> pd.DataFrame:
        """Return the table with a level for who has no seed or tag, and a number for rows that nothing tells apart."""
        held = [c for c in frame if f"{c}={describing.NO_LEVEL}" in self.fixed]
        filled = [c for c in (*self.average, *held) if c in frame and frame[c].hasnans]
        frame = frame.assign(**{c: frame[c].astype(object).fillna(describing.NO_LEVEL) for c in filled})
        if describing.ROW in self.average and describing.ROW not in frame:
            keys = [c for option, c in self._columns(alternatives) if option not in ("--target", "--without")]
            frame = frame.assign(**{describing.ROW: frame.groupby(keys, dropna=False).cumcount() + 1})
        return frame

    def _means_of_others(self, frame: pd.DataFrame, alternatives: str) -> list[str]:
        """Doubt means over a text of which some that are compared have other levels, as variants of only one."""
        names, said = [c for c in self.average if c in frame and not self.wide], list[str]()
        if describing.ROW in self.average and describing.ROW not in frame and not self.wide:
            keys = [c for c in {alternatives, *self.over, *self.design, *names} if c in frame]
            each = frame.groupby(keys, dropna=False).nunique()
            names += [c for c in each if each[c].max() > 1 and c not in (*self.directions(), self.cluster)]
        names = [c for c in names if frame[c].dtype.kind == "O" and not among(str(c), "repeated judge prompt")]
        for name in [c for c in names if frame[c].nunique() <= MOST_FACTOR_LEVELS]:
            if share_of_pairs(frame[frame[name].notna()], [alternatives], [name]) < NEARLY:
                has = frame.groupby(alternatives)[name].agg(lambda of: listed(map(repr, of.dropna().unique()), 3))
                two = has[[has.str.len().idxmax(), has.str.len().idxmin()]].items()
                of = "; ".join(f"{who} has {levels or 'none'}" for who, levels in two)
                said.append(f"The mean over {name!r} is of other levels for some: {of}. Is it meant?")
        return said

    def fixed_levels(self, frame: pd.DataFrame) -> dict[str, Any]:
        """Return the level that ``--fix`` names of each of its columns."""
        return dict(_levels("--fix", self.fixed, frame))

    def held(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the rows at the levels that ``--fix`` names."""
        fixed = self.fixed_levels(frame)
        return frame[(frame[[*fixed]] == pd.Series(fixed, dtype=object)).all(axis=1)]

    def _made(self, frame: pd.DataFrame, alternatives: str) -> Study:
        """Return the study of a table; of a matrix, columns of numbers without a role hold the scores."""
        fixed, directions, over, notes = self.fixed_levels(frame), self.directions(), list(self.over), list[str]()
        frame, infinite = _without_infinite(frame, [c for c in frame if c in directions or self.wide])
        if self.wide:  # scores that a pattern names are called as what is in all of them
            directions = {name.replace("*", " ").strip(" ._:/|-") or name: way for name, way in directions.items()}
        one = next(iter(directions)) if len(directions) == 1 else ""
        options: dict[str, Any] = {"target": one or directions, "design": list(self.design), "fixed": fixed}
        options |= {"average_over": list(self.average), "missing": self.missing, "cluster": self.cluster or None}
        options["higher_is_better"] = directions[one] == "higher" if one else True
        if self.wide:
            named = [alternatives, self.cluster, *over, *self.design, *self.average, *fixed]
            roles = [*dict.fromkeys(c for c in named if c and (c != describing.COLUMN or c in frame))]
            scores, notes = _columns_of_scores(frame, [*roles, *self.without])
            repeated = describing.COLUMN in self.average
            doubtful = [] if repeated else _perhaps_no_scores(frame, scores, bool(alternatives))
            frame = frame[[*roles, *scores]]
            if alternatives:
                averaged = repeated and describing.COLUMN not in roles
                rows = next(name for name in (_MATRIX_ROWS, describing.COLUMN, "the columns") if name not in roles)
                rows, what = (describing.COLUMN, "repetitions") if averaged else (rows, "experiments")
                value = next(name for name in (one, "the scores") if name not in frame)
                frame, over = frame.melt(roles, scores, rows, value), over if averaged else [*over, rows]
                options["target"] = value
                notes.insert(0, f"Read {len(scores)} columns as {what}: {listed(scores)}.")
        if self.wide and not alternatives:
            study = Study.from_wide(frame, alternatives=scores, generalize_over=over or None, **options)
        else:
            study = Study(frame, alternatives=alternatives, generalize_over=over, **options)
        study.notes[:0] = notes
        study.warnings[:0] = [*infinite, *([] if self.wide else codes_apart(frame[[*directions]]))]
        left = set(study.alternatives)
        lost = [] if self.wide or not fixed else [a for a in frame[alternatives].dropna().unique() if a not in left]
        if lost:
            study.warnings.insert(0, f"With --fix {listed(self.fixed)} nothing is left of {listed(lost)}: not compared")
        if self.wide:
            unnamed = "No column names the rows: if they repeat runs on one task, nothing of this is about other tasks"
            study.warnings[:0] = [*doubtful, *([] if alternatives or over else [unnamed])]
            return study
        absent = frame[list(directions)].isna().all(axis=1)
        for column in [alternatives, *over] if absent.any() else []:
            kept = {*frame.loc[~absent, column]}
            if gone := [v for v in frame[column].dropna().unique() if v not in kept]:
                left_of = f"nothing is left of {len(gone):,} levels of {column!r}: {listed(gone, 4)}"
                no_score = f"{absent.sum():,} of {len(frame):,} rows have no {listed(directions)}"
                study.warnings.insert(0, f"{no_score}, and {left_of}")
        return study


_LISTS = [field.name for field in fields(StudyRequest) if field.default == ()]


# --- parts of options -------------------------------------------------------------------------------------------------


def split_level(text: str, columns: Sequence[str]) -> tuple[str, str]:
    """Return the column and the level of "column=level"; both may hold an equals sign."""
    fitting = [column for column in columns if text.startswith(f"{column}=")]
    if not fitting:
        name = text.partition("=")[0]
        raise StudyError(f"there is no column {name!r}{suggest(name, columns)} (there are {listed(columns, 20)})")
    column = max(fitting, key=len)
    return column, text[len(column) + 1 :]


def _levels(option: str, texts: Sequence[str], frame: pd.DataFrame) -> Iterator[tuple[str, Any]]:
    seen = set()
    for text in texts:
        try:
            column, level = split_level(text, [str(name) for name in frame.columns])
        except StudyError as error:
            raise StudyError(f"{option} {text}: {error}") from None
        if column in seen:
            raise ParameterError(f"{option} names {column!r} twice")
        seen.add(column)
        yield column, _level(f"{option} {text}", level, frame[column], column)


def _level(option: str, text: str, values: pd.Series, column: str) -> Any:
    """Return the level that a text means: the one that is written so, or the number that it is."""
    levels, number = values.dropna().unique().tolist(), float(text) if is_number(text) else float("nan")
    numbers = [level for level in levels if isinstance(level, int | float) and not isinstance(level, bool)]
    if meant := [v for v in levels if str(v) == text] or [v for v in numbers if v == number]:
        return meant[0]
    if text == describing.NO_LEVEL and values.hasnans:
        return text
    hint = f"{suggest(text, levels)} (it has {listed(map(repr, levels))})"
    raise StudyError(f"{option}: column {column!r} has no level {text!r}{hint}")


_MARK = re.compile(
    r"(.{1,99}\w[)\]]?)( ?[*†‡^+]{1,3}| [([]?[A-Z]{2,20}(?: [A-Z]{2,20}){1,3}[)\]]?| [([][A-Z]{2,20}[)\]])"
)


def _marked(levels: Iterable[Any]) -> list[list[str]]:
    """Return levels of one name with and without a mark, as "glaze (TIE)", if several names have that mark."""
    known = {*map(str, levels)}
    found = [m for level in known if (m := _MARK.fullmatch(level)) and m[1] in known]
    often = Counter(m[2] for m in found)
    return [[m[1], m[0]] for m in sorted(found, key=lambda m: m[0]) if often[m[2]] > 1]


def called_like(pattern: str, columns: Iterable[Hashable]) -> dict[str, str]:
    """Return the columns that a pattern such as "f1_*" names, and what the star stands for; of another name, none."""
    names, (start, star, end) = [*map(str, columns)], describing.as_directed(pattern)[0].partition("*")
    fits = [n for n in names if n.startswith(start) and n.endswith(end) and len(n) > len(start + end)]
    return {name: name[len(start) : len(name) - len(end)] for name in fits} if star and pattern not in names else {}


# --- checks of the table ----------------------------------------------------------------------------------------------


def _check_named(frame: pd.DataFrame, named: Sequence[tuple[str, str]]) -> None:
    taken: dict[str, str] = {}
    for option, column in named:
        if column not in frame.columns and option == "--without":
            continue  # rows
        if column not in frame.columns:
            hint = f"{suggest(column, frame.columns)} (there are {listed(frame.columns, 20)})"
            raise StudyError(f"{option}: there is no column {column!r}{hint}")
        if column in taken:
            where = f"twice with {option}" if taken[column] == option else f"with {taken[column]} and with {option}"
            raise StudyError(f"column {column!r} is named {where}; a column has one role")
        taken[column] = option


def _columns_of_scores(frame: pd.DataFrame, others: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the columns of a matrix with numbers, and what is set aside because it holds none."""
    left = [column for column in frame.columns if column not in others]
    scores = [column for column in left if _are_numbers(frame[column])]
    aside = [column for column in left if column not in scores]
    if mixed := [column for column in aside if holds_numbers_and_text(frame[column])]:
        raise StudyError(f"--wide: {text_among_numbers(frame, mixed)}, or name the column with --without")
    if len(scores) < 2:
        found = f"only {scores[0]!r} has" if scores else "none has"
        raise StudyError(f"--wide: of the {len(left)} columns without a role {found} numbers: {listed(left)}")
    return scores, [f"Set aside {listed(map(repr, aside))}: no numbers, no role."] if aside else []


def _without_infinite(frame: pd.DataFrame, columns: Sequence[str]) -> tuple[pd.DataFrame, list[str]]:
    """Return a table in which infinite scores are missing, as those of evaluations that failed, and say how many."""
    numbers = frame[list(columns)].select_dtypes("number")
    endless = np.isinf(numbers)
    if not endless.to_numpy().any():
        return frame, []
    n = f"{int(endless.to_numpy().sum()):,} infinite score"
    said = f"{n}{'s count' if n != '1 infinite score' else ' counts'} as missing, like those of evaluations that failed"
    return frame.assign(**numbers.mask(endless)), [said]


def _perhaps_no_scores(frame: pd.DataFrame, scores: Sequence[str], rows_compared: bool) -> list[str]:
    """Return doubts about the columns of a matrix that seem to hold something else than scores of their own."""
    columns, numbers = describe_columns(frame), frame[list(scores)].apply(pd.to_numeric).astype(float)
    found = no_scores(numbers, rows_compared)
    found |= {name: "one number for all rows of a name" for name in settings_in(frame, columns) if name in scores}
    found |= {} if rows_compared else dict.fromkeys(unlike_the_others(numbers), "far from all others")
    said = [f"{name!r} ({why})" for name, why in found.items() if not why.endswith("?")]
    doubts = [f"Are these scores of their own: {listed(said, 4)}? If not, pass --without"] if said else []
    return [*doubts, *codes_apart(numbers)]


def numbers_of_matrix(values: pd.Series) -> bool:
    """Say whether a column of a matrix holds numbers, perhaps with words for what is missing."""
    return _are_numbers(values) or holds_numbers_and_text(values)


def _are_numbers(values: pd.Series) -> bool:
    known = values.dropna()
    if pd.api.types.is_numeric_dtype(values) or known.empty:
        return len(known) > 0
    return all(isinstance(value, bool) or (isinstance(value, str) and is_number(value)) for value in known)


# --- words ------------------------------------------------------------------------------------------------------------

_QUOTED = re.compile(r"'(?:[^'\\]|\\.){0,400}'|\"(?:[^\"\\]|\\.){0,400}\"")  # without an end, quadratic
_POLICIES = re.compile(r"missing=('[a-z-]+'(?:(?:, | or )'[a-z-]+')*)")
_CODES = re.compile(r"\bmissing_codes=\[?('[^']*'(?:, '[^']*')*)\]?")
_NO_NUMBER = re.compile(r"must be numbers; row \d+ below the header holds ('[^']{1,30}')$")
_WHOLE = {
    r"decimal='([.,])'": r"--decimal \1",
    r"higher_is_better=False": "--lower-is-better",
    r"\bpass (sep|encoding|decimal|sheet)=": r"pass --\1 ",
    r"\bmax_size='(\w+)'": r"--max-size \1",
    r"^max_size\b": "--max-size",
    r"^missing_codes\b": "--missing-code",
    r"^(sep|encoding|decimal|sheet)(?=:| must| has| have|, )": r"--\1",
    r"Study\.averaged lists them": "averaged.csv lists them",
    r"^cluster:": "--cluster:",
}
_OUTSIDE = {"generalize_over": "--over", "average_over": "--average", "higher_is_better": "--higher-is-better"}


def as_spoken(message: str, rows: bool = True) -> str:
    """Return a message with the options of the command in place of parameters, outside of what it quotes."""
    message = _with_options(message)
    quoted, parts = _QUOTED.findall(message), _QUOTED.split(message)
    for i, part in enumerate(parts):
        for name, words in _OUTSIDE.items():
            part = re.sub(rf"\b{name}\b", words, part)
        if rows:
            part = re.sub(r"\brow (\d+)\b", lambda found: f"row {int(found[1]) + 1} below the header", part)
        parts[i] = part
    return plain_line("".join(part + text for part, text in zip(parts, [*quoted, ""], strict=True)))


def _with_options(message: str) -> str:
    message = _POLICIES.sub(lambda found: f"--missing {found[1].replace(chr(39), '')}", message)
    message = _CODES.sub(lambda found: " ".join(f"--missing-code {code}" for code in found[1].split(", ")), message)
    for pattern, words in _WHOLE.items():
        message = re.sub(pattern, words, message)
    return message


@contextmanager
def _spoken(file: str = "") -> Iterator[None]:
    """Word errors for who typed the command; rows of a study are counted below the header, those of a file in it."""
    try:
        yield
    except GenexpyError as error:
        message = f"{plain_line(file)}: {as_spoken(str(error))}" if file else plain_line(_with_options(str(error)))
        if (code := _NO_NUMBER.search(message)) and codes_in([code[1][1:-1]]):
            message += f"; if that means that there is no value, pass --missing-code {code[1]}"
        kind = next(k for k in (DataError, ParameterError, StudyError, GenexpyError) if isinstance(error, k))
        raise kind(message) from error
