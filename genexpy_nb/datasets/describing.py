"""What the columns of a frame of results seem to hold, and what speaks for it."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Generic, TypeVar

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import listed
from genexpy_nb.common.files import noted
from genexpy_nb.datasets.opening import numbers_runs
from genexpy_nb.datasets.texttables import holds_numbers_and_text
from genexpy_nb.datasets.words import (
    MOST_FACTOR_LEVELS,
    NEARLY,
    OF_FILES,
    SECTION,
    SETTINGS,
    WORDS,
    among,
    balanced,
    by_metric,
    called_as_methods,
    direction_of,
    evenly,
    is_count,
    is_property,
    last_of_all,
    no_scores,
    numbered,
    parted,
    place_of,
    share_of_pairs,
    sums_up,
    tuned,
    words_of,
)

NUMBERS = ("number", "whole number", "truth value")
FEW_CELLS = 0.4  # of all pairs of an alternative and an experiment: with fewer scores a guess is doubtful
_Roles = TypeVar("_Roles", bound="TableRoles")

# --- roles ------------------------------------------------------------------------------------------------------------

JOINT = " / "  # between the levels of several columns that together name an alternative
MATRIX_SCORE = "score"  # what scores of a matrix are called
ROW = "row"  # under which rows that repeat an evaluation are averaged, where no column tells them apart
COLUMN = "column"  # under which columns that repeat an evaluation, such as folds, are averaged
NO_LEVEL = "none"  # of empty cells of a column that is averaged over or held

DIRECTIONS = ("higher", "lower")


def as_directed(target: str) -> tuple[str, str]:
    """Return a metric and its direction, empty if it is a name alone."""
    name, equals, direction = target.rpartition("=")
    return (name, direction) if equals and name and direction in DIRECTIONS else (target, "")


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

_FILE = re.compile(r"[/\\].*\.[A-Za-z]{1,5}$")  # a path
_LIST = re.compile(r"\[[^\[\]\d]*\d[^\[\]]*\]|(?:-?\d{1,9}(?:\.\d{1,9})? ){9,99999}.{0,20}")
_DAY = r"\d{4}([-/.])\d\d?\1\d\d?|\d\d?([-/.])\d\d?\2\d{4}"  # 2023-03-31 or 31.03.2023; "Fri Mar 31 12:15:09 2023"
_WRITTEN = r"(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? +(?:[a-z]{3,9} +\d\d?|\d\d? +[a-z]{3,9})[ ,].{0,15}\d{4}"
_TIME = r"\d{1,3}:\d\d(?::\d\d)?(?:\.\d{1,9})?"
_DATE = re.compile(rf"(?i)(?:{_DAY}|{_WRITTEN})(?:[ T_-][\d:.+ZAPM -]{{0,30}})?|{_TIME}(?: ?± ?{_TIME})?")


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
        values, kind = frame[name], _kind(frame[name])
        where = re.fullmatch(r"(?:section|file|folder)(?: \d+)?", str(name)) and "number" in kind
        kind = "text" if where or (kind == "numbers and text" and among(str(name), "identity said")) else kind
        levels = (values.astype(str) if kind == "lists" else values.dropna()).drop_duplicates()
        columns.append(Column(str(name), kind, len(levels), int(values.isna().sum()), tuple(map(str, levels.iloc[:4]))))
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
    both = "task" * ("compared" in kinds)  # a "dataset_classifier" is rather none
    paths = [c for c in columns if all(map(_FILE.search, c.examples))]
    parts = [c for c in columns if among(re.split(r"[\W_]", parted(c.name))[0], "training part")]  # "train_optimizer"
    found = [
        (c in paths, bool(among(c.name, both)), c in parts, words.index(word), len(words_of(c.name)), i, c, word)
        for i, c in enumerate(columns)
        if (word := among(c.name, kinds))
    ]
    return min(found)[6:] if found else None


def of_metrics(frame: pd.DataFrame, name: str) -> str:
    """Return the first word that says that a column names metrics: in its name, or in each of a few levels."""
    levels = frame[name].dropna().unique() if frame[name].dtype.kind == "O" else ()
    words = [direction_of(str(level))[1] for level in levels[:MOST_FACTOR_LEVELS]]
    if OF_FILES.fullmatch(name):  # half of them are enough, if not all have the same word
        known = [*filter(None, (among(str(n), "higher lower cost speed generic measure") for n in levels[:99]))]
        return known[0] if len({*known}) > 1 and len(levels) <= min(2 * len(known), MOST_FACTOR_LEVELS) else ""
    return among(name, "metric") or (words[0] if 1 < len(levels) == len(words) and all(words) else "")


def was_set(frame: pd.DataFrame, name: str, compared: Sequence[str]) -> bool:
    """Say whether each of several numbers stands equally often with each of those compared, as a setting does."""
    levels = frame[name].nunique()
    if not compared or not 2 < levels <= MOST_FACTOR_LEVELS:
        return False
    each = frame.groupby([name, *compared], dropna=False).size().unstack(list(compared), fill_value=0)
    return bool((each.nunique(axis=1) == 1).all())


def repeats(frame: pd.DataFrame, column: Column) -> str:
    """Return the word that makes the levels of a column repetitions; 10 and 100 iterations are none, nor are scores."""
    of_files = bool(OF_FILES.fullmatch(column.name))
    named_so = frame[column.name].dropna().astype(str) if of_files else pd.Series([column.name])
    stems = named_so.drop_duplicates().str.rstrip("0123456789")  # files "seed0" and "seed1" are called as a column is
    name = stems.mode()[0] if (stems == stems.mode()[0]).mean() >= NEARLY else ""
    count = "number" in column.kind and name.lower() in ("runs", "trials", "repeats", "repetitions")
    never = count or among(name, "spread") or re.search(r"(?i)(?:^|\W)(?:min|max|n|num)_", name)  # "min_samples_leaf"
    word = "" if never else among(name, "repeated log" if of_files else "repeated")
    word = word or "number" * (of_files and numbers_runs(frame, column.name))
    n_numbers = column.n_levels if "number" in column.kind and word != "seed" else 0
    levels = frame[column.name].dropna().astype(str).unique() if word in ("iteration", "iter") else []
    counted = {int(n) for text in levels for n in re.findall(r"\d{1,9}", text)}
    settings = counted and max(counted) - min(counted) >= 2 * len(counted)
    return "" if settings or column.kind == "number" or n_numbers > NEARLY * len(frame) else word


def beside(column: Column, target: str) -> bool:
    """Say whether a truth value stands in the same object of JSON as a score, and so is another measure."""
    inside, *_ = target.rpartition(".")
    return bool(inside) and column.kind == "truth value" and column.name.rpartition(".")[0] == inside


def _of_other_columns(columns: Sequence[Column]) -> set[str]:
    """Return texts such as "a_config", "b_config", "c_config", that say more of "a_score", "b_score", "c_score"."""
    ends: dict[tuple[bool, str], list[str]] = {}
    for c in columns:
        stem, mark, end = c.name.rpartition("_")
        ends.setdefault((c.kind in NUMBERS, mark + end), []).append(stem)
    scored = [stems for (number, _), stems in ends.items() if number and len(stems) > 2]
    return {stem + end for (number, end), stems in ends.items() if not number and stems in scored for stem in stems}


# --- a guess ----------------------------------------------------------------------------------------------------------


class Guess(Generic[_Roles]):
    """The roles that columns may have, and why (field, value, reason); made step by step."""

    def __init__(self, frame: pd.DataFrame, given: _Roles) -> None:
        self.frame, self.attrs, self.roles, self.problem = frame.copy(deep=False), frame.attrs, given, ""
        self.frame.attrs = {}  # pandas copies them with every part of a table
        self.notes: Sequence[str] = self.attrs.get("notes", ())
        columns = [c for c in describe_columns(self.frame) if c.kind != "empty"]
        described = _of_other_columns(columns)
        self.columns = [c for c in columns if c.name not in described]
        self.reasons: list[tuple[str, str, str]] = []
        self.doubts: list[str] = []
        self.remarks: list[str] = []
        self.rivals: list[str] = []  # what else may be the score
        self.families: list[list[str]] = []  # columns of a matrix, of each of several measures
        self.failed: list[str] = []  # levels, as COLUMN=LEVEL, at which runs have failed though they have a score
        self.references: list[str] = []  # rows, as COLUMN=LEVEL, of what may be there for reference only
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
        had, targets = self.roles, [] if self.roles.wide else list(self.roles.directions())
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
        each = column.kind == "whole number" and column.n_levels == len(self.frame)
        return each and bool(np.ptp(self.numbers([column.name]).to_numpy()) == len(self.frame) - 1)

    @property
    def rows(self) -> pd.DataFrame:
        """The rows at the levels that are held."""
        rows = self.frame
        for column, level in self.fixed:
            rows = rows[rows[column].astype(object).fillna(NO_LEVEL).astype(str) == level]
        for column in [c for c in rows if any(text.startswith(f"{c}=") for text in self.roles.without)]:
            rows = rows[~(f"{column}=" + rows[column].astype(str)).isin(self.roles.without)]
        return rows

    def no_scores(self, columns: Sequence[Column]) -> dict[str, str]:
        """Which of some columns of a matrix hold no scores of their own, and why."""
        texts = [c for c in self.columns if c.kind == "text"]
        rows = [self.frame[c.name].astype(str) for c in texts if c.n_levels == len(self.frame)]
        compared = self.roles.alternatives or named(texts, "compared name") or any(map(called_as_methods, rows))
        found = no_scores(self.numbers([c.name for c in columns]), bool(compared))
        spreads = [frozenset(words_of(c.name)) - {*WORDS["spread"]} for c in self.columns if among(c.name, "spread")]
        parts = {*WORDS["training"], "test"}
        stems = {c.name: (frozenset(words_of(c.name)) - parts, parts & {*words_of(c.name)}) for c in columns}
        tests = {stem: name for name, (stem, part) in stems.items() if not part}  # "A" beside "A (train)"
        tests |= {stem: name for name, (stem, part) in stems.items() if "test" in part}
        splits = {name: stem for name, (stem, part) in stems.items() if part and "test" not in part and stem in tests}
        found |= {name: f"of another part of the data than {tests[stem]!r}" for name, stem in splits.items()}
        means = {name: own for name in found if (own := frozenset(words_of(name)) - {*WORDS["average"]}) in spreads}
        return {name: why for name, why in found.items() if len({*means.values()}) < 2 or name not in means}

    def numbers(self, names: Sequence[str]) -> pd.DataFrame:
        """The numbers in some columns."""
        for name in (name for name in names if name not in self._numbers):
            self._numbers[name] = pd.to_numeric(self.frame[name], errors="coerce").astype(float)
        return pd.DataFrame({name: self._numbers[name] for name in names}, self.frame.index)


# --- which columns it takes to tell rows apart ------------------------------------------------------------------------

_MOST_LEVELS = 200  # of a design factor that is proposed
_UNEVEN = 0.25  # standard deviation over experiments, of the share of a level that was set
ONLY_SOME = "beside rows of theirs at a level that all have"
FEWEST_EXPERIMENTS = 4  # with fewer, a factor of text makes experiments instead of configurations


def until_rows_differ(made: Guess) -> None:
    """Add factors until no two rows are the same evaluation: seeds are averaged over, others make configurations."""
    _only_some(made)
    while made.key() and (made.roles.wide or (made.roles.alternatives and made.roles.over)):
        rows = made.rows
        n_double = int(rows.duplicated(made.key()).sum())
        scores = [c.name for c in made.free() if c.kind in NUMBERS] if made.roles.wide else made.roles.directions()
        if not n_double or ROW in made.roles.average:
            _few_experiments(made, rows)
            return
        if _take_whole(made, rows):
            continue
        free = {c.name for c in made.free()}
        usable = made.columns if rows is made.frame else describe_columns(rows)
        fractions = (made.numbers(made.rivals) % 1).any()
        rivals = {name for name in made.rivals if direction_of(name)[0] or fractions[name]}
        usable = [c for c in usable if c.name in free - rivals and _may_be_factor(made, c, rows)]
        left = _doubles(made, rows, usable)
        if 0 not in left.values() and _take_empty_cells(made, rows):
            continue
        helpful = [c for c in usable if left[c.name] < n_double]
        came = [c for c in helpful if c.kind == "whole number" and 2 * left[c.name] > n_double and not repeats(rows, c)]
        came = [c for c in came if not balanced(rows, [*made.names()[0], c.name])]  # counts, which were not set
        helpful = [c for c in helpful if c not in came]
        if not helpful:
            others = [c for c in made.free() if c.kind in ("text", "date", "whole number") and c.name not in left]
            left = _doubles(made, rows, others)
            versions = [c.name for c in others if c.kind == "text" and c.n_levels < len(rows) and not c.n_missing]
            versions = [name for name in versions if not among(name, "address repeated group")]
            version = min(versions, key=lambda name: left[name], default="")
            if made.roles.wide and made.roles.alternatives and version and left[version] < n_double / 10:
                made.take("alternatives", version, "without it rows repeat an evaluation")
                made.doubts.append(f"Are {listed(map(repr, made.names()[0]))} together what is compared?")
                continue
            telling = [repr(name) for name in left if not left[name]]
            told = f"only {listed(telling, 3)} would tell" if telling else "no column tells"
            made.take("average", ROW, f"{told} {n_double:,} rows from others")
            alike = n_double - int(rows.drop_duplicates([*made.key(), *scores]).duplicated(made.key()).sum())
            same = "with the same scores" if alike == n_double else f"{alike:,} of them with the same scores"
            made.doubts.append(f"{n_double:,} rows repeat an evaluation of another row, {same}: are they repetitions?")
            settings = [c.name for c in others if c.kind == "text" and left[c.name] < n_double / 2 and not telling]
            for name in settings[:1] if made.names()[0] else ():
                who = [*made.names()[0], name] if rows[name].isna().any() else [name]  # only some have variants
                made.doubts.append(
                    f"{name!r} has many levels for each of {listed(made.names()[0])}, perhaps settings: choose one for "
                    f"each before, or compare them with --alternatives {' --alternatives '.join(who)}; the mean over "
                    "settings is of none of them."
                )
            return
        helpful = [c for c in helpful if place_of(rows, made.key(), c.name)] or helpful
        if any(c.kind == "text" and c.n_levels < 5 and left[c.name] < n_double / 2 for c in helpful):  # as a loss
            helpful = [c for c in helpful if c.name not in tuned([o.name for o in made.columns])]
        set_so = [c.name for c in helpful if repeats(rows, c) or evenly(rows, [*made.names()[0], c.name])]
        if not rows.duplicated([*made.key(), *set_so]).any():  # any other number came out
            helpful = [c for c in helpful if c.name in set_so or c.kind == "text"]
        texts = [c for c in helpful if c.kind == "text" or among(c.name, "repeated")]
        if any(c.kind == "text" for c in texts) and not rows.duplicated([*made.key(), *(c.name for c in texts)]).any():
            helpful = [c for c in helpful if c.kind != "whole number" or c in texts]
        whole = {c.name for c in helpful if not left[c.name] and share_of_pairs(rows, made.key(), [c.name]) == 1}
        helpful = [c for c in helpful if not whole or c.name in whole]  # crossed with all, and nothing else is needed
        shared = [c for c in helpful if c.n_levels <= len(rows) / 2]  # of others each row has its own: tells all apart
        first = {c.name for c in shared if repeats(rows, c) or of_metrics(rows, c.name)}
        best = min(helpful, key=lambda c: (c.name not in first, left[c.name], c.n_levels))
        if repeats(rows, best) and not left[best.name] and best.n_levels <= len(rows) / 10:
            # a text of which each seed has one level would be averaged over unseen
            texts = [c for c in texts if c.n_levels <= MOST_FACTOR_LEVELS and not among(c.name, "size repeated")]
            nested = [c for c in texts if share_of_pairs(rows, [c.name], [best.name]) <= 1 / 2]
            best = min(nested, key=lambda c: left[c.name], default=best)
        _take_factor(made, best, rows)


def _only_some(made: Guess) -> None:
    """Leave out the rows of a file or folder that only few have, besides those of one that all have."""
    compared = made.names()[0]
    files = [c.name for c in made.labels() if OF_FILES.fullmatch(c.name) and not repeats(made.frame, c)]
    for name in files if compared else ():
        who = made.rows[compared].map(str).agg(JOINT.join, axis=1)
        has = who.groupby(made.rows[name].map(str)).agg(set)
        main = max(has.index, key=lambda level: len(has[level]))
        few = [n for n in has.index if n != main and has[n] <= has[main] and 4 * len(has[n]) < len(has[main])]
        for level in few if len(has[main]) >= NEARLY * who.nunique() else ():
            made.doubts.append(f"Of all only {listed(sorted(has[level]), 3)} have rows of {name}={level}. Left out?")
            made.take("without", f"{name}={level}", ONLY_SOME)


def _doubles(made: Guess, rows: pd.DataFrame, columns: Sequence[Column]) -> dict[str, int]:
    """Return how many rows repeat an evaluation of another one if a column is one more factor."""
    keys = rows[made.key()]  # of hundreds of columns, pandas would look at all
    return {c.name: int(keys.assign(**{c.name: rows[c.name]}).duplicated().sum()) for c in columns}


def _take_whole(made: Guess, rows: pd.DataFrame) -> bool:
    """Hold a text at the level that sums up its others, such as "all", if all have it and it tells all rows apart."""
    texts = [c.name for c in made.free() if c.kind == "text" and 2 < c.n_levels <= _MOST_LEVELS]
    levels = [(name, str(level)) for name in texts for level in rows[name].dropna().unique()]
    levels = [(name, level) for name, level in levels if sums_up(level) and not of_metrics(rows, name)]
    for name, level in levels:
        whole, who = rows[rows[name] == level], made.names()[0]
        everybody = len(whole[who].drop_duplicates()) == len(rows[who].drop_duplicates())
        n_whole, n_all = (len(each[made.key()].drop_duplicates()) for each in (whole, rows))
        if everybody and n_whole >= NEARLY * n_all and not whole.duplicated(made.key()).any():
            made.take("fixed", f"{name}={level}", "it seems to sum up the other levels")
            made.doubts.append(f"Only rows in which {name!r} is {level!r} are taken, not its parts. Is it meant?")
            return True
    return False


def _take_factor(made: Guess, column: Column, rows: pd.DataFrame) -> None:
    """Give a role to a column without which rows repeat an evaluation."""
    name, (wide, compared, over) = column.name, (made.roles.wide, *made.names())
    word = repeats(rows, column) or place_of(rows, made.key(), name) or among(name, "judge")
    inside = rows.drop_duplicates([*over, name])[name].value_counts() if over else pd.Series([0])
    few = bool(over) and (len(rows[over].drop_duplicates()) < FEWEST_EXPERIMENTS or inside.median() < 2)
    part = bool(over) and among(name, "task") and not among(over[0], "case identity")
    levels, share = rows[name].astype(str), share_of_pairs(rows, compared, [name]) if compared else 1
    uneven, both = bool(compared) and share <= 1 / 2 and not wide, listed([*(over or ["columns"]), name])
    above = name != SECTION and name in chain(*noted(made.notes, "above"))
    by_file = wide and bool(compared) and share > NEARLY and (above or bool(OF_FILES.fullmatch(compared[0])))
    joins = wide and compared and not (among(name, "compared") or OF_FILES.fullmatch(name) or by_file)
    most = NEARLY if name == SECTION else 1 if joins else 1 / 2
    metric = of_metrics(rows, name)
    level, lost, alone = _level_of_most(made, rows, name) if uneven or metric else ("", [], False)
    if level and uneven and not lost and not word:
        made.take("fixed", f"{name}={level}", f"a level of {name!r} that all have that are compared")
        made.doubts.append(f"Only {name}={level} is taken: at other levels some of {listed(compared)} have no scores.")
    elif (level and not (alone or uneven)) or (metric and 0 < 4 * len(lost) <= len(rows[compared].drop_duplicates())):
        made.take("fixed", f"{name}={level}", f"one at a time of {listed(levels.unique(), 20)}")
        made.doubts.append(f"For several metrics at once, write each to a column (pandas: pivot_table over {name!r}).")
        made.doubts += [f"With {name}={level} nothing is left of {listed(lost)}."] if lost else []
    elif word and "test" in levels.array:
        made.take("fixed", f"{name}=test", f"there are {listed(levels.unique())}")
        made.doubts.append(f"Only the rows in which {name!r} is 'test' are taken.")
    elif word := word or (among(name, "prompt") if share > 1 / 2 else ""):
        why = "names of another column and a number" if word == "number" else f"{word!r} in its name"
        made.take("average", name, f"{why}; it tells repetitions apart")
        inner = [c for c in made.labels() if c.n_levels <= MOST_FACTOR_LEVELS and not (wide or repeats(rows, c))]
        inner = [c for c in inner if not {"version", "hash", "commit", "sha"} & {*words_of(c.name)}]
        told = [c.name for c in inner if balanced(rows, [*over, c.name]) and is_property(rows, [c.name], [*over, name])]
        for c in [c for c in told if not any(is_property(rows, [c], keys) for keys in (over, compared))][:1]:
            made.take("over", c, f"each level of {name!r} has one of its levels")
            made.doubts.append(f"Is each pair of levels of {listed([*over, c])} an experiment?")
    elif column.kind == "whole number" and among(name, "step") and (last := last_of_all(rows, made.key(), name)):
        made.take("fixed", f"{name}={last}", "the last step of nearly all runs")
        beyond = f", though some go on to {rows[name].max()}" if rows[name].max() > 2 * float(last) else ""
        made.doubts.append(f"Only {name}={last} is taken, the last one that nearly all runs have{beyond}. Is it so?")
    elif column.kind in NUMBERS and _is_crossed(made, rows, name):
        made.take("over", name, "its levels and those of all others are all combinations")
        made.doubts = [doubt for doubt in made.doubts if not doubt.startswith("Each pair of levels")]
        made.doubts.append(f"Each pair of levels of {both} is an experiment: are these settings, and all of one kind?")
    elif (case := among(name, "case")) or numbered(rows[name]):
        counts = f"its levels count {levels.iloc[levels.str.len().argmin()]} and on"
        made.take("average", name, f"{case!r} in its name, inside of the experiments" if case else counts)
        made.doubts.append(f"The mean over {name!r} is taken. Are its levels repetitions?")
    elif name == SETTINGS and over and share > 1 / 2:
        made.take("over", name, "settings that not all experiments have")
    elif over and not wide and (rows.groupby(over)[name].nunique() == 1).mean() >= NEARLY:
        made.take("over", name, f"nearly all levels of {listed(over)} lie inside of one of its levels")
    elif alone or share <= most:
        why = "" if share > 1 / 2 else ", and most of its levels are of one alternative only"
        made.take("alternatives", name, f"with it rows differ{why}")
        made.doubts += [] if wide else [f"Are {listed(map(repr, [*compared, name]))} together what is compared?"]
    elif column.kind == "text" and (by_file or (not wide and ((few and share > NEARLY) or part))):
        why = f"there are few levels of {listed(over)}" if few else "its name says so, too"
        made.take("over", name, "all have its levels" if by_file else why)
        made.doubts.append(f"Each pair of levels of {both} is an experiment. Is {name!r} compared?")
    else:
        made.take("design", name, "without it rows repeat an evaluation")
        made.doubts.append(f"Each level of {name!r} is answered on its own. Is it compared, averaged over, held?")


def _is_crossed(made: Guess, rows: pd.DataFrame, name: str) -> bool:
    """Say whether a number has all levels at all others that have a role, and no name says what experiments are."""
    nameless = any(role == "over" and why.startswith("most levels") for role, _, why in made.reasons)
    return nameless and share_of_pairs(rows, made.key(), [name]) == 1 and evenly(rows, [*made.names()[0], name])


def _level_of_most(made: Guess, rows: pd.DataFrame, name: str) -> tuple[str, list[str], bool]:
    """Return the level at which most alternatives have scores, the others, and whether they have one of their own."""
    scored = rows.dropna(subset=[target for target in made.roles.directions() if target in rows]).astype({name: str})
    pairs = scored[[*made.names()[0], name]].drop_duplicates()
    who = pairs[made.names()[0]].map(str).agg(JOINT.join, axis=1)
    at = who.groupby(pairs[name]).agg(set)
    levels = sorted(scored[name].value_counts().index, key=by_metric)
    level = max(levels, key=lambda level: len(at[level]), default="")
    lost = sorted(set(who) - at.get(level, set()))
    return level, lost, any(at[other] <= set(lost) for other in at.index)


def _few_experiments(made: Guess, rows: pd.DataFrame) -> None:
    """Doubt roles which leave most evaluations out."""
    over, names = list(made.roles.over), list(made.roles.alternatives)
    known = {*over, *names} <= {*rows.columns} and not (made.roles.wide or made.roles.design)
    if known and (share := share_of_pairs(rows, names, over)) < FEW_CELLS:
        there = f"Only {100 * share:.0f} % of the pairs of {listed(names)} and {listed(over)} are there"
        made.doubts.append(f"{there}: are these the right columns?")


def _is_outcome(made: Guess, rows: pd.DataFrame, column: Column) -> bool:
    """Say whether a text came out and was not set: which of its levels an alternative has depends on the experiment."""
    compared, over = made.names()
    roles = "compared name task case group repeated metric identity"
    if column.kind != "text" or not compared or not over or among(column.name, roles) or column.n_missing:
        return False
    if (rows.groupby(over)[column.name].nunique() == 1).mean() >= NEARLY:
        return False  # a property of the experiments
    if share_of_pairs(rows, compared, [*over, column.name]) >= NEARLY:
        return False  # all have the same
    others = [name for name in made.key() if name not in compared]
    shares = rows.groupby([*compared, *others])[column.name].value_counts(normalize=True).unstack(fill_value=0)
    of_each = shares.groupby(level=list(range(len(compared))))
    several = of_each.mean().max(axis=1) < 1
    return bool(of_each.std().max(axis=1)[several].median() > _UNEVEN)


def _may_be_factor(made: Guess, column: Column, rows: pd.DataFrame) -> bool:
    """Say whether a column may tell evaluations apart."""
    if column.n_levels < 2 or column.kind in ("lists", "date") or made.is_index(column):
        return False
    if column.name == SETTINGS:
        return True
    if any(beside(column, target) for target in made.roles.directions()):
        return False
    if column.kind in NUMBERS and among(column.name.partition(".")[0], "judge") and "." in column.name:
        return False  # what one of several judges says
    if made.roles.target and "number" in column.kind and not repeats(rows, column) and column.n_levels > 2:
        levels = set(rows[column.name].dropna())  # of a grade beside the score
        if any(name in rows and set(rows[name].dropna()) == levels for name in made.roles.directions()):
            return False
    if (column.n_missing and not repeats(rows, column)) or _is_outcome(made, rows, column):
        return False
    if column.n_levels > MOST_FACTOR_LEVELS and "number" in column.kind and direction_of(column.name)[0]:
        return bool(repeats(rows, column))  # another score
    if column.kind == "number":  # levels of noise are few, scores are many
        few = column.n_levels < len(rows) / 10 or was_set(rows, column.name, made.names()[0])
        return column.n_levels <= MOST_FACTOR_LEVELS and few and not direction_of(column.name)[0]
    few = column.n_levels <= min(_MOST_LEVELS, len(rows) / 2)
    if few and column.kind == "whole number" and column.n_levels > MOST_FACTOR_LEVELS and made.names()[0]:
        own = [*made.names()[0], column.name]  # what was set is so in several experiments, and no count of tokens
        few = share_of_pairs(rows, own[:-1], own[-1:]) > 1 / 10 or share_of_pairs(rows, own, made.names()[1]) > 1 / 2
    return few or bool(repeats(rows, column) or among(column.name, "step"))


def _take_empty_cells(made: Guess, rows: pd.DataFrame) -> bool:
    """Average over a text that tells all rows apart with empty cells as a level; hold these if most have no other."""
    few = [c for c in made.free() if c.kind == "text" and c.n_missing and c.n_levels <= MOST_FACTOR_LEVELS]
    for name in [c.name for c in few if not rows.duplicated([*made.key(), c.name]).any()][:1]:
        told = rows.assign(**{name: rows[name].notna()}).groupby(made.names()[0] or made.key())[name].mean()
        some = told.index[told > 0]
        if told.max() < 1 and 2 * len(some) < len(told):
            made.take("fixed", f"{name}={NO_LEVEL}", "all that are compared have rows in which it is empty")
            only = f"Only rows in which {name!r} is empty are taken: its levels are variants of "
            made.doubts.append(f"{only}{listed(map(str, some))} only. Is it so?")
        else:
            made.take("average", name, "with its empty cells as a level it tells all rows apart")
            made.doubts.append(f"The mean over {name!r} is taken, and no level is one of its levels. Is it so?")
        return True
    return False
