"""What the columns of a frame of results seem to hold, and what speaks for it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, Generic, TypeVar

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import listed
from genexpy_nb.datasets.columns import (
    FEW_CELLS,
    NUMBERS,
    Column,
    describe_columns,
    is_property,
    named,
    repeats,
    share_of_pairs,
)
from genexpy_nb.datasets.texttables import is_number, text_among_numbers
from genexpy_nb.datasets.words import (
    MOST_FACTOR_LEVELS,
    NEARLY,
    WORDS,
    among,
    called_as_methods,
    codes_apart,
    common_start,
    direction_of,
    is_count,
    no_scores,
    to_be_made,
    words_of,
)

_Roles = TypeVar("_Roles", bound="TableRoles")
_MOST_LEVELS = 200  # of a design factor that is proposed
_SCALES = 30  # how many times as large some rows are as others
FEWEST_CLUSTERS = 5
_UNEVEN = 0.25  # standard deviation over experiments, of the share of a level that was set

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


def level_of_most(made: Guess, rows: pd.DataFrame, name: str) -> tuple[str, list[str], bool]:
    """Return the level at which most alternatives have scores, the others, and whether they have one of their own."""
    scored = rows.dropna(subset=[target for target in made.roles.directions() if target in rows]).astype({name: str})
    pairs = scored[[*made.names()[0], name]].drop_duplicates()
    who = pairs[made.names()[0]].map(str).agg(JOINT.join, axis=1)
    at = who.groupby(pairs[name]).agg(set)
    level = max(scored[name].value_counts().index, key=lambda level: len(at[level]), default="")
    lost = sorted(set(who) - at.get(level, set()))
    alone = any(at[other] <= set(lost) for other in at.index)
    return level, lost, alone


def predictions_not_scored(made: Guess) -> str:
    """Say why a table of predictions beside what was true is no study, and what to do with it; nothing of others."""
    columns = [c for c in made.columns if not among(c.name, "cost speed average spread compared") and c.n_levels > 1]
    guesses = [c for c in columns if among(c.name, "predicted")]
    others = [c for c in columns if c not in guesses]
    scored = any(c.kind in NUMBERS and among(c.name, "higher lower generic") for c in others)
    truths = [c for c in others if not scored and among(c.name, "truth")]
    for one, other in ((one, other) for one in guesses for other in truths if one.kind == other.kind):
        return (
            f"{one.name!r} seems to hold predictions, which are no scores, and {other.name!r} what was true. Write one "
            "score for each method and each data set to a column, such as the mean error; rows of one series are no "
            "independent experiments."
        )
    return ""


def what_is_missing(made: Guess) -> None:
    """Say why no study can be made of a table, and what one needs."""
    roles = made.roles
    named_so = [c for c in made.columns if among(c.name, "compared") and not is_count(c.name)]
    texts = [c for c in made.columns if c.kind == "text" and not among(c.name, "task case")]
    runs = len(texts) == 1 and any(among(c.name, "repeated") for c in made.columns)
    alone = next((c for c in named_so or (texts if runs else ()) if c.n_levels == 1), None)
    counted = [c.name for c in made.columns if c.name.isdecimal() and c.kind in NUMBERS]
    steps = [c.name for c in made.columns if among(c.name, "step") and c.n_levels == len(made.frame)]
    metrics = [repr(c.name) for c in made.columns if c.kind in NUMBERS and direction_of(c.name)[0]]
    several = [(c.name, cell) for c in made.columns if c.kind == "text" for cell in c.examples if {*".;"} & {*cell}]
    several = [found for found in several if len(p := re.split("[/|;,]", found[1])) > 1 and all(map(is_number, p))]
    if made.problem:
        return
    if several and not (roles.alternatives and roles.over and roles.target):
        (name, cell), n = several[0], len({name for name, _ in several})
        made.problem = (
            f"Cells of {n} column{'s' * (n > 1)} hold several numbers, as {cell!r} in {name!r}. Write each of them to "
            "a column or table of its own (pandas: frame[column].str.split), or one of all, such as their mean."
        )
    elif len(counted) > 1 and not (roles.alternatives and roles.over):
        made.problem = f"Columns {listed(counted, 3)} look like repetitions, which are no experiments."
    elif not roles.alternatives and alone:
        made.problem = f"{alone.name!r} has one level only, {alone.examples[0]!r}: nothing is compared."
    elif not roles.alternatives and steps:
        made.problem = f"The rows seem to be each {steps[0]!r} of one run: nothing is compared."
    elif not roles.alternatives:
        made.problem = "No column names what is compared. If each file holds one method, pass all files together."
    elif not roles.over:
        made.problem = "No column names the experiments, such as data sets or cases."
        short = [c for c in made.columns if len(words_of(c.name)) < 3 and not is_count(c.name)]
        again = [repr(c.name) for c in short if among(c.name, "step turn") or repeats(made.frame, c)]
        made.problem += f" Runs on one task, repeated as {listed(again, 3)}, say nothing of others." if again else ""
        made.problem += f" Columns {listed(metrics, 3)} seem to be measures, not experiments." if metrics else ""
    elif not roles.target:
        made.problem = "No column holds scores."
    steps, compared = [], named(made.columns, "compared name")
    for name in (c.name for c in made.columns if c.kind == "text" and not (roles.target and compared)):
        levels = made.frame[name].dropna().astype(str).unique()
        steps += to_be_made(name, levels, bool(roles.target), bool(compared))
    made.doubts += steps
    if made.problem:
        made.problem += " A study needs a score for each of several methods on each of several experiments."
        made.problem = " ".join([made.problem, *steps])


def scores_in_doubt(made: Guess) -> None:
    """Say which score is no number, because then there can be no study, and doubt codes that may stand for none."""
    names = {c.name for c in made.free()} if made.roles.wide else {*made.roles.directions()}
    scores = [c for c in made.columns if c.name in names]
    made.doubts += codes_apart(made.frame[[c.name for c in scores if c.kind in NUMBERS]])
    made.problem = text_among_numbers(made.frame, [c.name for c in scores if "and text" in c.kind]) or made.problem


def all_combinations(made: Guess) -> list[str]:
    """Return the first columns of numbers if the rows are all combinations of their levels."""
    first = [c for c in made.free() if c.kind in NUMBERS and not c.n_missing]
    for columns in (first[:2], first[:3], first[:4], first[:5]):
        names, n = [c.name for c in columns], prod(c.n_levels for c in columns)
        if len(names) > 1 and n == len(made.frame) and min(c.n_levels for c in columns) > 1:
            return [] if made.frame.duplicated(names).any() else names
    return []


def few_experiments(made: Guess, rows: pd.DataFrame) -> None:
    """Doubt roles which leave most evaluations out."""
    over, names = list(made.roles.over), list(made.roles.alternatives)
    known = {*over, *names} <= {*rows.columns} and not (made.roles.wide or made.roles.design)
    if known and (share := share_of_pairs(rows, names, over)) < FEW_CELLS:
        there = f"Only {100 * share:.0f} % of the pairs of {listed(names)} and {listed(over)} are there"
        made.doubts.append(f"{there}: are these the right columns?")


def is_outcome(made: Guess, rows: pd.DataFrame, column: Column) -> bool:
    """Say whether a text came out and was not set: which of its levels an alternative has depends on the experiment."""
    compared, over = made.names()
    roles = "compared name task case group repeated metric"
    if column.kind != "text" or not compared or not over or among(column.name, roles) or column.n_missing:
        return False
    if (rows.groupby(over)[column.name].nunique() == 1).mean() >= NEARLY:
        return False  # a property of the experiments
    others = [name for name in made.key() if name not in compared]
    shares = rows.groupby([*compared, *others])[column.name].value_counts(normalize=True).unstack(fill_value=0)
    of_each = shares.groupby(level=list(range(len(compared))))
    several = of_each.mean().max(axis=1) < 1
    return bool(of_each.std().max(axis=1)[several].median() > _UNEVEN)


def rows_seem_compared(made: Guess, scores: Sequence[Column]) -> str:
    """Return why the rows of a matrix seem to be compared if no name says what they are, or an empty text."""
    stem, numbers = common_start([c.name for c in scores]), made.numbers([c.name for c in scores])
    ends = numbers.min(axis=1), numbers.max(axis=1)
    for c in (c for c in made.free() if c.kind in NUMBERS):
        name = c.name.removeprefix(stem) or c.name
        alone = {*words_of(name)} <= {*WORDS["average"], *WORDS["beside"]}  # the mean length says nothing of scores
        if among(name.lower(), "average") and (alone or made.numbers([c.name])[c.name].between(*ends).mean() > NEARLY):
            return f"each row has its {name!r}"  # "KMeans" is none
    more = numbers.median().std() > numbers.median(axis=1).std()  # scores vary with the experiment more than anything
    return "scores differ less between rows than between columns" if more else ""


def rows_differ_in_scale(scores: pd.DataFrame) -> bool:
    """Say whether rows have scales of their own, as those of games have, and columns have not."""
    ends = [scores.abs().median(axis=axis).quantile([0.9, 0.1]) for axis in (1, 0)]
    (high, low), (most, least) = ends
    return bool(high > _SCALES * low and most < _SCALES * least)


def baselines(made: Guess, columns: Sequence[Column], scores: Sequence[Column]) -> list[Column]:
    """Return the columns with one number in all rows that may be a score: of a baseline, or always right or wrong."""
    values = made.numbers([c.name for c in scores])
    low, high = values.min().min(), values.max().max()
    near = (low - (high - low) / 2, high + (high - low) / 2)
    same = [c for c in columns if scores and c.n_levels == 1 and not c.n_missing]
    shared = set.intersection(*({*words_of(c.name)} for c in scores)) if same else set()
    right = [c for c in same if values.isin([0, 1, None]).all(axis=None) and shared <= {*words_of(c.name)}]  # or wrong
    kinds = () if made.roles.alternatives else ("number",)
    same = [c for c in same if c in right or c.kind in kinds or among(c.name, "chance")]
    return [c for c in same if among(c.name, "chance") or near[0] <= made.numbers([c.name]).iat[0, 0] <= near[1]]


def verdicts_called_alike(made: Guess) -> list[Column]:
    """Return columns of right or wrong whose names begin or end alike, as "A correct" and "B correct"."""
    found = [c for c in made.free() if c.kind == "truth value" and among(c.name, "judge higher lower")]
    ends = [common_start([c.name[::way] for c in found])[::way] for way in (1, -1)]
    each = [c for c in made.columns if c.kind in ("text", "whole number") and c.n_levels > NEARLY * len(made.frame)]
    alike = len(found) > 2 and each and any(among(end, "judge higher lower") for end in ends)
    if not alike or named([c for c in made.columns if c.kind == "text"], "compared"):
        return []
    if any(c.kind in NUMBERS and c not in found for c in made.free()):
        made.doubts.append(f"Is each column called as {found[0].name!r} of one that is compared, over the rows?")
    return found


def left_out(made: Guess) -> list[str]:
    """Return the measures that only some of several files have."""
    notes = " ".join(note for note in made.attrs.get("notes", ()) if note.startswith("columns that not all"))
    return [n for n in re.findall(r"'([^']{1,99})'", notes) if direction_of(n)[0] and not among(n, "cost speed")]


def may_be_factor(made: Guess, column: Column, rows: pd.DataFrame) -> bool:
    """Say whether a column may tell evaluations apart."""
    if column.n_levels < 2 or column.kind in ("lists", "date") or made.is_index(column):
        return False
    if made.roles.target and "number" in column.kind and not repeats(rows, column) and column.n_levels > 2:
        levels = set(rows[column.name].dropna())  # of a grade beside the score
        if any(name in rows and set(rows[name].dropna()) == levels for name in made.roles.directions()):
            return False
    if (column.n_missing and not repeats(rows, column)) or is_outcome(made, rows, column):
        return False
    if column.n_levels > MOST_FACTOR_LEVELS and "number" in column.kind and direction_of(column.name)[0]:
        return bool(repeats(rows, column))  # another score
    if column.kind == "number":  # levels of noise are few, scores are many
        return column.n_levels <= 20 and not direction_of(column.name)[0] and column.n_levels < len(rows) / 10
    few = column.n_levels <= min(_MOST_LEVELS, len(rows) / 2)
    return few or bool(repeats(rows, column) or among(column.name, "step"))


def column_compared(made: Guess, factors: Sequence[Column]) -> tuple[Column, str] | None:
    """Return the column called as what is compared is; one that each row has its own level of comes last."""
    factors = [c for c in factors if c.n_missing <= len(made.frame) / 2]
    several = [c for c in factors if c.n_levels <= len(made.frame) / 2]
    return named(several, "compared name") or named(factors, "compared name")


def finer_alternatives(made: Guess) -> None:
    """Take another column called alike, if levels of the first are made of its levels, and it tells all rows apart."""
    before, over = made.roles.alternatives, list(made.roles.over)
    for column in made.labels() if over and made.frame.duplicated(made.key()).any() else ():
        told = among(column.name, "compared name") and column.n_levels < NEARLY * len(made.frame)  # or a name of a run
        told = told and not made.frame.duplicated([*over, column.name]).any()
        if told and is_property(made.frame, before, [column.name]):
            made.untake("alternatives")
            made.take("alternatives", column.name, f"with {listed(over)} it tells all rows apart")
            return


def take_empty_cells(made: Guess, rows: pd.DataFrame) -> bool:
    """Average over a text that tells all rows apart with empty cells as a level; hold these if most have no other."""
    few = [c for c in made.free() if c.kind == "text" and c.n_missing and c.n_levels <= MOST_FACTOR_LEVELS]
    for name in [c.name for c in few if not rows.duplicated([*made.key(), c.name]).any()][:1]:
        told = rows.assign(**{name: rows[name].notna()}).groupby(made.names()[0])[name].mean()
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


def groups(made: Guess) -> None:
    """Offer a column in which experiments nest as the cluster."""
    over = [name for name in made.roles.over if name in made.frame]
    if len(over) != 1 or made.roles.cluster or made.problem or (made.roles.wide and made.roles.alternatives):
        return
    nests = [c for c in made.labels() if c.kind == "text" or (c.kind == "whole number" and among(c.name, "group"))]
    nests = [c for c in nests if FEWEST_CLUSTERS <= c.n_levels <= made.frame[over[0]].nunique() / 1.5]
    nests = [c for c in nests if not c.n_missing and is_property(made.frame, [c.name], over)]
    if found := named(nests, "group"):
        made.take("cluster", found[0].name, f"{found[1]!r} in its name, and levels of {over[0]!r} nest in it")
        made.doubts.append(f"Each of the {found[0].n_levels} levels of {found[0].name!r} counts as one experiment.")
    elif nests:
        names = listed([repr(c.name) for c in nests], 3)
        made.remarks.append(f"Levels of {over[0]!r} nest in {names}: name a cluster if those of one are related.")
