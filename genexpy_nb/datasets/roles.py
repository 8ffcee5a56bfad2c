"""What each column of a table may be for: a guess with reasons, and whether it is sure.

A guess rests on names ("dataset", "seed", "accuracy") and on which columns it takes to tell rows apart. What could as
well be otherwise is a doubt; a guess is sure only without one, and a direction only if a word of the score has it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Generic, TypeVar

import pandas as pd

from genexpy_nb.common.checks import listed
from genexpy_nb.common.errors import StudyError
from genexpy_nb.datasets.describing import (
    JOINT,
    MATRIX_SCORE,
    WORDS,
    Column,
    TableRoles,
    among,
    describe_columns,
    direction_of,
    is_number,
    is_property,
    may_be_score,
    named,
    with_joint_column,
    words_of,
)

_Roles = TypeVar("_Roles", bound=TableRoles)
_NUMBERS = ("number", "whole number", "truth value")
_MOST_LEVELS = 200  # of a design factor that is proposed
_FEW_TASKS = 10  # with cases inside: up to so many are configurations, and the cases the experiments
_FEWEST_CLUSTERS = 5
_FEW_CELLS = 0.3  # of all pairs of an alternative and an experiment: with fewer scores the guess is doubtful


class Guess(Generic[_Roles]):
    """The roles that columns may have, and why (field, value, reason); made step by step.

    ``doubts`` say what else may be meant, ``remarks`` what is worth knowing, ``problem`` why there can be no study.
    """

    def __init__(self, frame: pd.DataFrame, given: _Roles) -> None:
        self.frame, self.roles, self.problem = frame, given, ""
        self.columns = [c for c in describe_columns(frame) if c.kind != "empty"]
        self.reasons: list[tuple[str, str, str]] = []
        self.doubts: list[str] = []
        self.remarks: list[str] = []

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

    def key(self) -> list[str]:
        """The columns that together should tell rows apart."""
        had = self.roles
        return [c for c in [*had.alternatives, *had.over, *had.design, *had.average] if c in self.frame]

    def labels(self) -> list[Column]:
        """The columns without a role that can tell rows apart: all but numbers with fractions, and of rows."""
        kinds = ("text", "date", "whole number", "truth value")
        return [c for c in self.free() if c.kind in kinds and c.n_levels > 1 and not self.is_index(c)]

    def is_index(self, column: Column) -> bool:
        """Say whether a column only numbers the rows."""
        if column.kind != "whole number" or column.n_levels < len(self.frame):
            return False
        numbers = pd.to_numeric(self.frame[column.name])
        return bool(numbers.max() - numbers.min() == len(numbers) - 1)

    def numbers(self, names: Sequence[str]) -> pd.DataFrame:
        """The numbers in some columns."""
        return self.frame[list(names)].apply(pd.to_numeric, errors="coerce")


def guess_roles(frame: pd.DataFrame, given: _Roles) -> Guess[_Roles]:
    """Return what the columns of a table may be for; what was given already stays."""
    made = Guess(frame, given)
    asked = given.alternatives or given.target or given.over or given.wide
    if "roles" in frame.attrs and not asked:
        _by_format(made)
        return made
    if not asked:
        made.problem = _votes(made)
    if made.problem:
        return made
    scores = [] if given.target or (given.alternatives and given.over) else _scores_of_matrix(made)
    if given.wide or scores:
        made.roles = replace(given, wide=True)
        _matrix(made, scores)
    else:
        _rows(made)
    _groups(made)
    _odd_levels(made)
    _text_among_numbers(made)
    return made


def _by_format(made: Guess) -> None:
    """Give the columns of a known program's results the roles that they have there."""
    form, roles = made.frame.attrs["format"], made.frame.attrs["roles"]
    known = {"alternatives": "alternatives", "target": "target", "over": "generalize_over"}
    for role, argument in (known | {"design": "design", "average": "average_over"}).items():
        for name in as_list(roles.get(argument)):
            made.take(role, name, f"{form} results have it so")
    for column, level in roles.get("fixed", {}).items():
        made.take("fixed", f"{column}={level}", f"{form} results have it so")
        made.remarks.append(f"Of the metrics, {column}={level} was taken.")
    metrics = made.frame.get("metric", pd.Series(dtype=str)).unique()
    metric = str(roles.get("fixed", {}).get("metric", metrics[0] if len(metrics) == 1 else ""))
    better, word = direction_of(metric)
    if "higher_is_better" in roles or form not in ("HELM", "Inspect"):
        made.direct("higher" if roles.get("higher_is_better", True) else "lower", "the results say so")
    elif better:
        made.direct(better, f"{word!r} in the metric's name")
    elif not made.roles.higher_is_better:
        made.doubts.append(f"{form} does not say whether higher or lower is better, nor does the metric {metric!r}.")


def _votes(made: Guess) -> str:
    """Return what to do about votes between pairs, or an empty text if the table has none."""
    sides = [{"a", "b"}, {"1", "2"}, {"left", "right"}, {"first", "second"}, {"winner", "loser"}]
    texts = [c for c in made.columns if c.kind == "text"]
    verdict = named(made.columns, "verdict")
    for one, other in combinations(texts if verdict else [], 2):
        parts = [set(re.findall(r"[^\W_]+", c.name.lower())) for c in (one, other)]
        levels = [set(made.frame[c.name].dropna().unique()) for c in (one, other)]
        if parts[0] ^ parts[1] in sides and 2 * len(levels[0] & levels[1]) >= min(map(len, levels)):
            unit = named([c for c in made.columns if c not in (one, other)], "case task")
            return (
                f"columns {one.name!r} and {other.name!r} hold who was voted on in pairs, and votes are not handled "
                f"yet: make a table with a row for each of them and each {unit[0].name if unit else 'prompt'!r} (or "
                "judge), and the share of votes that it won there in a column 'winrate'"
            )
    return ""


# --- matrices ---------------------------------------------------------------------------------------------------------


def _scores_of_matrix(made: Guess) -> list[Column]:
    """Return the columns of a matrix that hold scores, none if the table is no matrix."""
    numbers = [c for c in made.free() if c.kind in ("number", "numbers and text", "whole number") and c.n_levels > 1]
    fractions = [c for c in numbers if c.kind != "whole number"]
    whole = [c for c in numbers if c not in fractions and not among(c.name, "compared task case")]
    numbers = fractions if len(fractions) > 2 / 3 * len(numbers) else [*fractions, *whole]
    aside = _no_scores(made, numbers)
    numbers = [c for c in numbers if c.name not in aside]
    texts = [c for c in made.free() if c.kind in ("text", "date") and c.n_levels > 1]
    if len(numbers) < 2 or all(c.name.isdecimal() for c in numbers):
        return []
    if not texts and not made.roles.alternatives and not made.roles.over:
        return [] if named(made.columns, "compared task case") else numbers
    if named(texts, "compared") and named(texts, "task case"):
        return []
    if not _one_metric(numbers) and sum(bool(direction_of(c.name)[0]) for c in numbers) >= len(numbers) / 2:
        return []  # metrics side by side
    names = [*made.key(), *(c.name for c in made.labels() if c in texts or among(c.name, "repeated metric"))]
    one_each = any(c.n_levels > 0.9 * len(made.frame) for c in texts)
    return numbers if one_each or not made.frame.duplicated(names).any() else []


def _no_scores(made: Guess, columns: Sequence[Column]) -> dict[str, str]:
    """Return which columns of a matrix hold no scores of their own, and why: averages, sizes, costs, spreads.

    Of columns that may be data sets ("CLEVR Counts", "date understanding"), and of words inside of a word ("KMeans"),
    the numbers decide: far from the others, the column is set aside.
    """
    aside = "repeated metric average size cost spread"
    words = {c.name: among(c.name, aside) for c in columns}
    others = made.numbers([name for name, word in words.items() if not word]).stack()
    low, high = (others.min(), others.max()) if len(others) else (0.0, 0.0)
    compared = made.roles.alternatives or named([c for c in made.columns if c.kind == "text"], "compared name")
    found = {}
    for name, word in words.items():
        parts = re.findall(r"[^\W_]+", name.lower())
        known = all(among(part, f"{aside} higher lower generic training part") for part in parts)
        numbers = made.numbers([name])[name]
        beyond = numbers.max() > high + (high - low) / 2 or numbers.min() < low - (high - low) / 2
        plain = any(word in words_of(part) for part in parts)
        never = word in WORDS["average"] + WORDS["spread"] or not compared or "(" in name or "[" in name
        if word and (known or beyond or (plain and never)):
            found[name] = f"{word!r} in its name: no score of its own"
        elif re.search(r"^#|^n_", name):
            found[name] = "a count, no score"
    return found


def _one_metric(columns: Sequence[Column]) -> str:
    """Return the metric by which all columns are called, each with something else that is no part of a data set."""
    shared = set.intersection(*(set(words_of(c.name)) for c in columns)) if len(columns) > 2 else set()
    (word, *more) = shared & {*WORDS["higher"], *WORDS["lower"], *WORDS["generic"]} or ("",)
    parts = {*WORDS["training"], *WORDS["average"], *WORDS["part"]}
    return word if not more and all(set(words_of(c.name.lower())) - shared - parts for c in columns) else ""


def _matrix(made: Guess, scores: Sequence[Column]) -> None:
    """Guess what the rows of a matrix are, which columns hold no scores, and the direction."""
    made.reasons.append(("wide", "", "a row per name, scores in many columns"))
    labels = [c for c in made.labels() if c.kind in ("text", "date")]
    if not made.roles.alternatives and not made.roles.over:
        compared, rows = (
            named([c for c in labels if c.kind == "text"], kinds) for kinds in ("compared name", "task case")
        )
        if compared and rows and compared[0].n_levels == len(made.frame) > rows[0].n_levels:
            rows = None
        whole = [(c, "") for c in labels if c.n_levels == len(made.frame)]
        if compared and not rows:
            made.take("alternatives", compared[0].name, f"{compared[1]!r} in its name; the columns are the experiments")
        elif found := rows or next(iter(whole), None):
            why = f"{found[1]!r} in its name; the columns are compared" if found[1] else "each row is one of its levels"
            made.take("over", found[0].name, why)
        if not rows and any(among(c.name, "measure") for c in scores):
            made.doubts.append("Are the columns of scores experiments of one kind, or different measures?")
        if not rows and (not compared or compared[1] == "name"):
            made.doubts.append("Are the columns compared, over the rows, or the rows, over the columns?")
    if not made.roles.without:
        numbers = [c for c in made.free() if c.kind in _NUMBERS and not among(c.name, "repeated metric")]
        aside = _no_scores(made, numbers)
        for c in [c for c in numbers if c not in scores or c.name in aside]:
            made.take("without", c.name, aside.get(c.name, "whole numbers, and the others have fractions: no score?"))
    names = [c.name for c in made.free() if c in scores]
    sizes = made.numbers(names).abs().median()
    if any(direction_of(name)[0] for name in names) and not _one_metric(scores):
        made.doubts.append("Some columns are called like measures, and others are not: are they scores of one kind?")
    odd = [name for name in names if sizes[name] > 30 * sizes.median() > 0]
    if odd and len(names) > 2:
        made.doubts.append(f"The numbers of {listed(map(repr, odd))} are far larger than the others: are they scores?")
    _until_rows_differ(made)
    if not any(made.roles.directions().values()):
        word = _one_metric(scores)
        _direct(made, word, made.numbers(names).stack(), "the names of the columns", "No name")


def _direct(made: Guess, name: str, values: pd.Series | None, where: str, otherwise: str) -> None:
    better, word = direction_of(name, values)
    if better:
        made.direct(better, f"{word!r} in {where}")
    else:
        made.doubts.append(f"{otherwise} says whether higher or lower is better.")


# --- a row per evaluation ---------------------------------------------------------------------------------------------


def _rows(made: Guess) -> None:
    """Guess roles for a table with a row per evaluation."""
    asked = bool(made.roles.over)
    if not asked:
        _experiments(made)
    if not made.roles.alternatives:
        _thing_compared(made)
    if not made.roles.target:
        _score(made)
    if not asked:
        _finer(made, "over", "task")
        _cases_in_tasks(made)
        if is_property(made.frame, made.roles.over, made.roles.alternatives):
            made.untake("over")
    _until_rows_differ(made)
    _what_is_missing(made)
    directions = made.roles.directions()
    if len(directions) == 1 and not any(directions.values()):
        (target,) = directions
        metric = next((level for column, level in made.fixed if among(column, "metric")), "")
        values = None if metric else made.frame.get(target)
        where = f"the {'metric' if metric else 'target'}'s name"
        _direct(made, metric or target, values, where, f"Nothing in {metric or target!r}")


def _experiments(made: Guess) -> None:
    factors = made.labels()
    others = [c for c in factors if c.kind in ("text", "whole number") and c.n_levels <= len(made.frame) / 2]
    others = [c for c in others if not among(c.name, "compared name repeated metric")]
    others = [c for c in others if c.kind == "text"] or others
    if found := named(factors, "task case"):
        made.take("over", found[0].name, f"{found[1]!r} in its name")
    elif others:
        most = max(others, key=lambda c: c.n_levels)
        made.take("over", most.name, f"most levels ({most.n_levels:,})")
        made.doubts.append(f"Are the levels of {most.name!r} the experiments? Nothing in its name says so.")


def _thing_compared(made: Guess) -> None:
    factors = [c for c in made.labels() if c.kind != "date"]
    factors = [c for c in factors if not is_property(made.frame, [c.name], made.roles.over)]
    texts = [c for c in factors if c.kind == "text" and not among(c.name, "repeated metric case group")]
    if found := named(factors, "compared name"):
        made.take("alternatives", found[0].name, f"{found[1]!r} in its name")
        _finer(made, "alternatives", "compared name")
    elif texts:
        made.take("alternatives", texts[0].name, "the first column of text")
        made.doubts.append(f"Are the levels of {texts[0].name!r} compared? Nothing in its name says so.")


def _finer(made: Guess, role: str, kinds: str) -> None:
    """Take another column called alike, if levels of the first are made of its levels, and it tells all rows apart."""
    before, key = getattr(made.roles, role), made.key()
    others = [name for name in key if name not in before]
    if not others or not before or not made.frame.duplicated(key).any():
        return
    for column in made.labels():
        told = among(column.name, kinds) and column.n_levels < 0.9 * len(made.frame)  # or it is the name of a run
        told = told and not made.frame.duplicated([*others, column.name]).any()
        if told and (role == "over" or is_property(made.frame, before, [column.name])):
            made.untake(role)
            made.take(
                role, column.name, f"with {listed(others)} it tells all rows apart, and {listed(before)} does not"
            )
            return


def _cases_in_tasks(made: Guess) -> None:
    """Take the cases inside few tasks as the experiments, and the tasks as the design; of many tasks, average cases."""
    found = named(made.labels(), "case")
    if not found or len(made.roles.over) != 1 or not made.roles.alternatives or made.roles.design:
        return
    (tasks,), (case, word) = made.roles.over, found
    n_double, n_tasks = int(made.frame.duplicated(made.key()).sum()), made.frame[tasks].nunique()
    if not n_double or int(made.frame.duplicated([*made.key(), case.name]).sum()) > n_double / 2:
        return
    if n_tasks <= _FEW_TASKS and case.n_levels > n_tasks:
        made.untake("over")
        made.take("over", case.name, f"{word!r} in its name; there are only {n_tasks} levels of {tasks!r}")
        made.take("design", tasks, f"{case.name!r} is inside of it")
        made.doubts.append(f"Each level of {tasks!r} is a configuration, and answered on its own.")
    else:
        made.take("average", case.name, f"{word!r} in its name; inside of {tasks!r}, which has {n_tasks:,} levels")
        made.doubts.append(f"Each level of {tasks!r} counts as one experiment, with the mean over {case.name!r}.")


def _score(made: Guess) -> None:
    known = [[name for name in names if name in made.frame] for names in (made.roles.over, made.roles.alternatives)]
    keys = [names for names in known if names and made.frame.duplicated(names).any()]
    numbers = [c for c in made.free() if c.kind in (*_NUMBERS, "numbers and text") and c.n_levels > 1]
    numbers = [c for c in numbers if may_be_score(c.name) and not made.is_index(c)]
    # what only says something of an experiment or an alternative, such as its size, is no score
    properties = {c for c in numbers for names in keys if is_property(made.frame, [c.name], names)}
    numbers = [c for c in numbers if c not in properties or among(c.name, "higher lower")]
    if not numbers:
        return

    def unlikely(column: Column) -> tuple[int, bool, bool, int, int]:
        better, word = direction_of(column.name, made.frame[column.name])
        kind = 1 if word in WORDS["higher"] else 2 if word in WORDS["lower"] else 3 if better else 4
        place = WORDS["higher"].index(word) if kind == 1 else 0
        few, training = column.n_missing > len(made.frame) / 5, bool(among(column.name, "training"))
        return 5 if among(column.name, "cost") else kind, few, training, place, len(words_of(column.name))

    best = min(numbers, key=unlikely)
    word = direction_of(best.name, made.frame[best.name])[1]
    made.take("target", best.name, f"numbers, {word!r} in its name" if word else "numbers")
    others = [repr(c.name) for c in numbers if c is not best and unlikely(c)[0] <= max(unlikely(best)[0], 3)]
    if others and unlikely(best)[0] < 4:
        made.remarks.append(f"Other scores could be asked about: {listed(others, 4)}.")
    elif others or unlikely(best)[0] == 5:
        made.doubts.append(f"Is {best.name!r} the score? {listed(others, 4) or 'Nothing else'} could be, too.")


def _until_rows_differ(made: Guess) -> None:
    """Add factors until no two rows are the same evaluation: seeds are averaged over, others make configurations."""
    while made.key() and (made.roles.wide or (made.roles.alternatives and made.roles.over)):
        rows = made.frame
        for column, level in made.fixed:
            rows = rows[rows[column].astype(str) == level]
        n_double = int(rows.duplicated(made.key()).sum())
        if not n_double:
            _few_experiments(made, rows)
            return
        free = {c.name for c in made.free()}
        usable = [c for c in describe_columns(rows) if c.name in free and _may_be_factor(made, c, rows)]
        left = {c.name: int(rows.duplicated([*made.key(), c.name]).sum()) for c in usable}
        helpful = [c for c in usable if left[c.name] < n_double]
        if not helpful:
            made.doubts.append(
                f"{n_double:,} rows repeat an evaluation that another row has, and no column tells them apart: without "
                "one (a seed, a fold, a date) the table will be refused."
            )
            return
        name = min(helpful, key=lambda c: (not among(c.name, "repeated metric"), left[c.name], c.n_levels)).name
        levels, word = rows[name].astype(str), among(name, "repeated")
        if among(name, "metric"):
            made.take(
                "fixed", f"{name}={levels.value_counts().index[0]}", f"one at a time of {listed(levels.unique())}"
            )
            made.doubts.append(
                f"For several metrics at once, write each level of {name!r} to a column of its own (pandas: "
                "pivot_table), and name each as a target with its direction."
            )
        elif word and "test" in levels.array:
            made.take("fixed", f"{name}=test", f"there are {listed(levels.unique())}")
            made.doubts.append(f"Only the rows in which {name!r} is 'test' are taken.")
        elif word:
            made.take("average", name, f"{word!r} in its name; it tells repetitions apart")
        elif made.roles.wide and made.roles.alternatives:
            made.take("alternatives", name, "with it rows differ")
        elif not made.roles.wide and _share_of_pairs(rows, made.roles.alternatives, [name]) <= 1 / 2:
            made.take("alternatives", name, "with it rows differ, and most of its levels are of one alternative only")
            made.doubts.append(f"Are {listed(map(repr, made.roles.alternatives))} together what is compared?")
        else:
            made.take("design", name, f"without it {n_double:,} rows repeat an evaluation")
            made.doubts.append(f"Each level of {name!r} is answered on its own. Is it compared, averaged over, held?")


def _may_be_factor(made: Guess, column: Column, rows: pd.DataFrame) -> bool:
    if column.n_missing or column.n_levels < 2 or made.is_index(column):
        return False
    if column.kind == "number":  # levels of noise are few, scores are many
        return column.n_levels <= 20 and not direction_of(column.name)[0] and column.n_levels < len(rows) / 10
    return column.n_levels <= _MOST_LEVELS or bool(among(column.name, "repeated"))


def _few_experiments(made: Guess, rows: pd.DataFrame) -> None:
    """Doubt roles under which there is one experiment per configuration, or which leave most evaluations out."""
    design, over, names = list(made.roles.design), list(made.roles.over), list(made.roles.alternatives)
    if made.roles.wide or not {*design, *over, *names} <= set(rows.columns):
        return
    if design and rows[[*design, *over]].drop_duplicates().groupby(design).size().max() == 1:
        made.doubts.append(
            f"Then every configuration has one level of {' x '.join(over)} only, and nothing can be said about "
            "others: keep one row per evaluation, or average over a column with average_over."
        )
    if not design and (share := _share_of_pairs(rows, names, over)) < _FEW_CELLS:
        made.doubts.append(
            f"Only {100 * share:.0f} % of the pairs of {listed(names)} and {listed(over)} are there: are these the "
            "right columns?"
        )


def _share_of_pairs(rows: pd.DataFrame, one: Sequence[str], other: Sequence[str]) -> float:
    """Return how many of the pairs of levels that columns could have they do have."""
    n_one, n_other, n_both = (len(rows[[*names]].drop_duplicates()) for names in (one, other, [*one, *other]))
    return n_both / (n_one * n_other)


def _what_is_missing(made: Guess) -> None:
    """Say why no study can be made of a table, and what one needs."""
    roles = made.roles
    alone = next((c for c in made.columns if c.n_levels == 1 and among(c.name, "compared")), None)
    repeats = [c.name for c in made.columns if c.name.isdecimal() and c.kind in _NUMBERS]
    metrics = [repr(c.name) for c in made.columns if c.kind in _NUMBERS and direction_of(c.name)[0]]
    if len(repeats) > 1 and not (roles.alternatives and roles.over):
        made.problem = f"Columns {listed(repeats, 3)} look like repetitions, which are no experiments."
    elif not roles.alternatives and alone:
        made.problem = f"{alone.name!r} has one level only, {alone.examples[0]!r}: nothing is compared."
    elif not roles.alternatives:
        made.problem = "No column names what is compared."
    elif not roles.over:
        made.problem = "No column names the experiments, such as data sets or cases."
        made.problem += f" Columns {listed(metrics, 3)} seem to be measures, not experiments." if metrics else ""
    elif not roles.target:
        made.problem = "No column holds scores."
    if made.problem:
        made.problem += " A study needs a score for each of several methods on each of several experiments."


# --- whatever the form ------------------------------------------------------------------------------------------------


def _groups(made: Guess) -> None:
    """Offer a column in which experiments nest as the cluster."""
    over = [name for name in made.roles.over if name in made.frame]
    if len(over) != 1 or made.roles.cluster or made.problem or (made.roles.wide and made.roles.alternatives):
        return
    most = made.frame[over[0]].nunique() / 1.5
    nests = [c for c in made.labels() if _FEWEST_CLUSTERS <= c.n_levels <= most and c.kind == "text"]
    nests = [c for c in nests if not c.n_missing and is_property(made.frame, [c.name], over)]
    if found := named(nests, "group"):
        made.take("cluster", found[0].name, f"{found[1]!r} in its name, and levels of {over[0]!r} nest in it")
        made.doubts.append(f"Each of the {found[0].n_levels} levels of {found[0].name!r} counts as one experiment.")
    elif nests:
        names = listed([repr(c.name) for c in nests], 3)
        made.remarks.append(f"Levels of {over[0]!r} nest in {names}: name a cluster if those of one are related.")


def _odd_levels(made: Guess) -> None:
    """Doubt columns whose every level is several, such as tuples, and levels that are averages of others."""
    for name in [name for name in (*made.roles.alternatives, *made.roles.over) if name in made.frame]:
        levels = made.frame[name].dropna().astype(str).drop_duplicates()
        if len(levels) and levels.str.fullmatch(r"\(.+, .+\)").all():
            made.doubts.append(
                f"Each level of {name!r}, such as {levels.iloc[0]}, is several levels in one. Write a column for each; "
                "if one is a seed or a fold, average over it, because seeds are no experiments."
            )
        summaries = [*WORDS["average"], "std", "sum", "wins"]
        found = [text for text in levels if set(re.findall(r"[^\W_]+", text.lower()) or "-") <= set(summaries)]
        if found:
            made.doubts.append(f"Rows in which {name!r} is {listed(map(repr, found), 3)} are summaries: take them out.")


def _text_among_numbers(made: Guess) -> None:
    """Say which score is no number, because then there can be no study."""
    scores = {c.name for c in made.free()} if made.roles.wide else set(made.roles.directions())
    for name in [c.name for c in made.columns if c.kind == "numbers and text" and c.name in scores]:
        for row, value in enumerate(made.frame[name]):
            if isinstance(value, str) and not is_number(value):
                remedy = "" if value[:1].isdigit() else f", or read it with missing_codes={value!r} if it is no value"
                made.problem = f"column {name!r} is text, because row {row} holds {value!r}; write numbers only{remedy}"
                return


# --- a study in Python ------------------------------------------------------------------------------------------------


def with_guessed_roles(results: Any, given: Mapping[str, Any]) -> tuple[Any, dict[str, Any], list[str]]:
    """Return a table, the arguments of its study, and what was guessed: nothing if all that it needs is given.

    Raises `StudyError` with the call that was guessed if the guess is not sure.
    """
    needed = [given[name] for name in ("alternatives", "target", "generalize_over")]
    if None not in needed or not isinstance(results, pd.DataFrame) or not results.columns.is_unique:
        return results, dict(given), []
    lists = {"target": "target", "over": "generalize_over", "design": "design", "average": "average_over"}
    asked: dict[str, Any] = {
        role: as_list(given[name]) for role, name in (lists | {"alternatives": "alternatives"}).items()
    }
    asked["fixed"] = [f"{column}={level}" for column, level in (given["fixed"] or {}).items()]
    asked["higher_is_better"] = "lower" if given["higher_is_better"] is False else ""
    is_plain = isinstance(results.index, pd.RangeIndex)
    frame, table = (results.copy(), "results") if is_plain else (results.reset_index(), "results.reset_index()")
    frame.columns = frame.columns.map(str)
    made = guess_roles(frame, TableRoles(cluster=given["cluster"] or "", **asked))
    if made.problem:
        raise StudyError(made.problem)
    roles = made.roles
    frame, name = with_joint_column(frame, roles.alternatives)
    if len(roles.alternatives) > 1:
        parts = list(roles.alternatives)
        table += f".assign(**{{{name!r}: results[{parts}].agg({JOINT!r}.join, axis=1)}}).drop(columns={parts})"
    words: dict[str, Any] = {argument: list(getattr(roles, role)) for role, argument in lists.items()}
    if roles.wide:
        named_so = [name, *made.key(), roles.cluster, *(column for column, _ in made.fixed)]
        keys = [key for key in dict.fromkeys(named_so) if key in frame]
        others = [c.name for c in made.free() if c.kind not in _NUMBERS]
        drop = [column for column in frame if column not in keys and column in (*roles.without, *others)]
        unlike = next(label for label in ("experiment" if name else "alternative", "column") if label not in keys)
        frame = frame.drop(columns=drop).melt(keys, var_name=unlike, value_name=MATRIX_SCORE)
        table += f".drop(columns={drop})" if drop else ""
        table += f".melt({keys}, var_name={unlike!r}, value_name={MATRIX_SCORE!r})"
        words["generalize_over" if name else "alternatives"] = [*words["generalize_over"], unlike] if name else unlike
    arguments = {"alternatives": name} | words | {"target": given["target"] or next(iter(roles.directions()), "")}
    arguments |= {"fixed": {c: next(v for v in frame[c].unique() if str(v) == level) for c, level in made.fixed}}
    arguments |= {"cluster": roles.cluster or None}
    arguments = {argument: value for argument, value in arguments.items() if value}
    said = ", ".join(f"{argument}={value!r}" for argument, value in arguments.items())
    known = all(roles.directions().values())
    better = roles.higher_is_better != "lower" if known else "True or False"
    call = f"gx.Study({table}, {said}, higher_is_better={better})"
    if not made.sure:
        raise StudyError(f"which column is for what is not sure: {' '.join(made.doubts)} If it is so, call {call}")
    return frame, {**given, **arguments, "higher_is_better": better}, [f"The roles of columns were guessed: {call}"]


def as_list(names: Any) -> list[str]:
    """Return one name, several (of metrics, with their directions) or none as a list."""
    names = [f"{name}={direction}" for name, direction in names.items()] if isinstance(names, Mapping) else names
    return [] if names is None else [names] if isinstance(names, str) else list(map(str, names))
