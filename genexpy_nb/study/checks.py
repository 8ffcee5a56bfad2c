"""Which columns of a table play which role, checked, and what in a table may well be meant otherwise, in sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self
from unicodedata import normalize

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import check_choice, check_direction, listed, shown, suggest
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.prose import levels_in_words, percent
from genexpy_nb.datasets.words import WORDS, among

#: Columns of the frames that a study gives: a design factor of the same name would be overwritten.
RESERVED = (
    *("kernel", "alpha", "delta", "epsilon", "n_experiments", "nstar", "low", "high", "method", "note"),
    *("required", "more", "verdict", "n_alternatives", "n_evaluations", "n_imputed", "estimate"),
    *("n_partial", "n_averaged", "n_levels", "higher_is_better", "n_conditions", "n_clusters", "mean_size", "icc"),
    *("n_effective", "design_effect"),
)

#: Design factor that the metrics become, when the target is a dictionary of them.
METRIC = "metric"

#: What may become of missing evaluations.
MISSING_POLICIES = ("worst-rank", "drop", "complete", "error")

#: A level for each design factor.
Configuration = Mapping[str, Any]

_DIRECTIONS = {"higher": True, "lower": False}

#: Share of missing evaluations above which a condition or an alternative is left out by ``missing="drop"`` (the
#: 80 % / 80 % filter of the papers), and above which imputed ones are warned of.
MOST_MISSING = 0.2

#: The same where they are drawn, by ``missing="complete"``: with a quarter of the cells missing, intervals hold n* as
#: often as they say, but not with two fifths (see `genexpy_nb.conclusions.completion`).
MOST_DRAWN = 0.3

# Words in the name of a column that repeats a measurement on the same data.
_REPETITIONS = {word + s for word in WORDS["repeated"] for s in ("", "s") if word not in ("resample", "sample")}
_BETWEEN = re.compile(r"(?<=[^\W_])[\s_-]+(?=[^\W\d_])|(?<=[^\W\d_])[\s_-]+(?=[^\W_])")  # words of a name
_NO_CONTRAST = 0.01  # median kernel value between experiments below which they all look unrelated
_ROWS = 50_000  # looked at, at most: whether columns are equal shows in fewer
_PART = 0.1  # share of the rows in which the target must be one of the metrics, for it to count
_SHARE = 0.05  # of 1, below which a typical score may be a count, too
_PERCENT = 20  # times as large as a typical share of 1
_WHOLE = 0.9  # share of the rows that the metrics must explain together


class Work(NamedTuple):
    """A part that a large study does without: what it is, its work, and the most of that, some seconds."""

    what: str
    of: Callable[[int, int, int], int]  # of n experiments, k alternatives and the tables that are completions
    most: int


#: What is left out of a large study.
LARGE = {
    "tests": Work("tests of all alternatives", lambda n, k, tables: n * k**2, 20_000_000_000),
    "runs": Work("noise of single runs", lambda n, k, tables: n * k, 1_000_000),
    "curves": Work("curves over sizes of studies", lambda n, k, tables: n, 1000),
    "agreement": Work(
        "agreement of second studies", lambda n, k, tables: max(n * k * min(n, k), 250 * k**2), 1_000_000_000
    ),
}

# --- words ------------------------------------------------------------------------------------------------------------


def named(index: pd.Index, row: int) -> str:
    """Return the levels of one row of an index as text."""
    levels = index[row] if isinstance(index, pd.MultiIndex) else (index[row],)
    plain = (getattr(level, "item", lambda level=level: level)() for level in levels)  # no np.int64(3)
    return ", ".join(f"{name}={level!r}" for name, level in zip(index.names, plain, strict=True))


def as_configuration(configuration: Any) -> dict[str, Any]:
    """Return levels of design factors, none by default, or raise `ParameterError`."""
    if configuration is not None and not isinstance(configuration, Mapping | pd.Series):
        raise ParameterError(
            f"configuration must be a dictionary {{design factor: level}}, one of Study.configurations; "
            f"got {shown(configuration)}"
        )
    return {} if configuration is None else dict(configuration)


def as_key(configuration: Any, design: Sequence[str], known: Collection[tuple]) -> tuple:
    """Return the levels of a configuration in the order of the design factors, or raise `ParameterError`."""
    configuration = as_configuration(configuration)
    unknown = [name for name in configuration if name not in design]
    if unknown:
        raise ParameterError(f"configuration: {unknown[0]!r} is no design factor{suggest(unknown[0], design)}")
    for name in design:
        if name not in configuration:
            raise ParameterError(f"configuration: the level of design factor {name!r} is missing")
        if not pd.api.types.is_scalar(configuration[name]):
            raise ParameterError(f"configuration: {name!r} must be one level, got {shown(configuration[name])}")
    key = tuple(configuration[name] for name in design)
    if key in known:
        return key
    for i, name in enumerate(design):
        levels = sorted({each[i] for each in known}, key=str)
        if key[i] not in levels:
            hint = f"{suggest(key[i], levels)} (it has {listed(levels)})"
            raise ParameterError(f"configuration: {name!r} has no level {key[i]!r}{hint}")
    raise ParameterError(f"configuration: there are no results for {levels_in_words(configuration)}")


@dataclass(frozen=True)
class Roles:
    """Which columns play which role; the parameters of `Study` say what they are."""

    alternatives: str
    target: str
    generalize_over: list[str]
    within_clusters: list[str]
    design: list[str]
    average_over: list[str]
    fixed: dict[str, Any]
    higher_is_better: bool | dict[str, bool]  # of metrics each
    cluster: str | None
    metrics: dict[str, bool] | None = None
    score_columns: list[Hashable] | None = None  # of a matrix

    @classmethod
    def checked(cls, given: Mapping[str, Any], score_columns: list[Hashable] | None = None) -> Self:
        """Return the roles, or raise `StudyError` or `ParameterError`."""
        target, cluster = given["target"], given["cluster"]
        name, metrics = as_column("alternatives", given["alternatives"]), None if score_columns else as_metrics(target)
        over = as_columns("generalize_over", given["generalize_over"])
        roles = cls(
            alternatives=name,
            target=as_column("target", " and ".join(metrics) if metrics else target),
            generalize_over=over if cluster is None else [as_column("cluster", cluster)],
            within_clusters=[] if cluster is None else over,
            design=as_columns("design", given["design"], optional=True),
            average_over=as_columns("average_over", given["average_over"], optional=True),
            fixed=as_levels(given["fixed"]),
            higher_is_better=check_direction(given["higher_is_better"]),
            cluster=cluster,
            metrics=metrics,
            score_columns=score_columns,
        )
        if metrics is not None:
            if roles.higher_is_better is not True:
                raise ParameterError("target gives every metric its direction; leave higher_is_better out")
            for role, columns in roles.columns.items():
                if METRIC in columns:
                    raise StudyError(
                        f"the metrics of target become a design factor {METRIC!r}, and {role} names a column "
                        f"{METRIC!r}; rename that column, or, if it says which metric a row has, make a column of "
                        "each: results.pivot"
                    )
        return roles

    @property
    def targets(self) -> list[Any]:
        """The columns that hold scores: of a matrix one per alternative, else the target or the metrics."""
        if self.score_columns is not None:
            return self.score_columns
        return [self.target] if self.metrics is None else list(self.metrics)

    @property
    def conditions(self) -> list[str]:
        """The columns that tell the conditions of a configuration apart, clusters first."""
        return [*self.generalize_over, *self.within_clusters]

    @property
    def columns(self) -> dict[str, list[Any]]:
        """The columns of each role, by the names of the parameters."""
        return {
            "alternatives": [self.alternatives] if self.score_columns is None else self.score_columns,
            "target": self.targets if self.score_columns is None else [],
            "generalize_over": self.within_clusters or self.generalize_over,
            "cluster": self.generalize_over if self.within_clusters else [],
            "design": self.design,
            "average_over": self.average_over,
            "fixed": list(self.fixed),
        }

    @property
    def criterion(self) -> str:
        """What alternatives are compared by, with its direction, in words."""
        words = {True: "higher is better", False: "lower is better"}
        if not isinstance(self.higher_is_better, Mapping):
            return f"{self.target} ({words[self.higher_is_better]})"
        return listed(f"{metric} ({words[higher]})" for metric, higher in self.higher_is_better.items())


# --- roles ------------------------------------------------------------------------------------------------------------


def as_column(role: str, column: Any) -> str:
    """Return the name of the one column that a role takes, or raise `StudyError`."""
    if not isinstance(column, str):
        raise StudyError(f"{role} must be the name of a column, got {shown(column)}{_renaming(column)}")
    return column


def as_columns(role: str, columns: Any, optional: bool = False) -> list[str]:
    """Return the names of the columns that a role takes, or raise `StudyError`; None for none, where that may be."""
    if columns is None and optional:
        return []
    if isinstance(columns, str):
        return [columns]
    # A set has no order, and the order of the columns is that of the levels in every result.
    if not isinstance(columns, list | tuple | pd.Index | np.ndarray):
        got = f"{shown(columns)}{_renaming(columns)}"
        raise StudyError(f"{role} must be the name of a column or a list of names, got {got}")
    return [as_column(f"every column of {role}", column) for column in columns]


def _renaming(column: Any) -> str:
    number = isinstance(column, int | float | np.number) and not isinstance(column, bool)
    return "; name the columns first: results.rename(columns=str)" if number else ""


def as_levels(fixed: Any) -> dict[str, Any]:
    """Return the levels of held-constant factors, or raise `StudyError`."""
    if fixed is None:
        return {}
    if not isinstance(fixed, Mapping):
        raise StudyError(f"fixed must be a dictionary {{column: level}}, got {shown(fixed)}")
    for column, level in fixed.items():
        as_column("every column of fixed", column)
        if not pd.api.types.is_scalar(level) or pd.isna(level):
            raise StudyError(f"fixed: {column!r} must be held at one level, got {shown(level)}")
    return dict(fixed)


def check_frame(results: Any) -> None:
    """Raise `StudyError` unless there is a table with rows and columns."""
    if not isinstance(results, pd.DataFrame):
        raise StudyError(
            f"results must be a pandas DataFrame, got {type(results).__name__}; tables of polars, Arrow and others "
            "with Arrow's interface are converted"
        )
    if results.empty:
        raise StudyError("results has no rows" if not len(results) else "results has no columns")


def check_roles(results: Any, roles: Mapping[str, Sequence[str]]) -> None:
    """Raise `StudyError` unless there is a table, and each role has columns of its own in it."""
    check_frame(results)
    if results.columns.nlevels > 1:
        raise StudyError(
            "the columns of results have several levels, such as "
            f"{tuple(results.columns[0])!r}; give each a single name first: results.columns = "
            "['_'.join(map(str, levels)).strip('_') for levels in results.columns]"
        )
    twice = results.columns[results.columns.duplicated()]
    if len(twice):
        raise StudyError(f"results has two columns named {twice[0]!r}")
    taken: dict[str, str] = {}
    for role, columns in roles.items():
        for column in columns:
            if column not in results.columns:
                instead = f"{suggest(column, results.columns)} (there are {listed(results.columns, 20)})"
                if column in results.index.names:
                    instead = ", but the index has that name: results.reset_index()"
                raise StudyError(f"{role}: there is no column {column!r}{instead}")
            if column in taken:
                other = "twice in " + role if taken[column] == role else f"both as {taken[column]} and as {role}"
                raise StudyError(f"column {column!r} is used {other}; a column has one role")
            taken[column] = role
    if not roles["generalize_over"]:
        raise StudyError("generalize_over must name at least one column: its levels are the experiments")
    for column in roles["design"]:
        if column in RESERVED:
            raise StudyError(
                f"design: {column!r} is the name of a column of the results of a study; rename yours, for example "
                f"results.rename(columns={{{column!r}: {column + '_level'!r}}})"
            )


# --- several metrics --------------------------------------------------------------------------------------------------


def as_metrics(target: Any) -> dict[str, bool] | None:
    """Return whether higher is better for each metric, if the target is a dictionary of metrics; else None."""
    if not isinstance(target, Mapping):
        return None
    if not target:
        raise StudyError('target must name at least one metric, such as {"auc": "higher", "logloss": "lower"}')
    for metric, direction in target.items():
        if not isinstance(metric, str):
            raise StudyError(f"every metric of target must be the name of a column, got {shown(metric)}")
        check_choice(f"the direction of {metric!r} in target", direction, _DIRECTIONS)
    return {metric: _DIRECTIONS[direction] for metric, direction in target.items()}


# --- what looks as if it were meant otherwise -------------------------------------------------------------------------


def spelled_alike(labels: Iterable[Any]) -> list[list[Any]]:
    """Return the levels of a factor that differ by capitals, spaces, hyphens or type only; "1-1" is not "11"."""
    groups: dict[str, list[Any]] = {}
    for label in labels:
        text = normalize("NFKC", str(label)).strip().casefold()
        groups.setdefault(_BETWEEN.sub("", text), []).append(label)
    return [group for group in groups.values() if len(group) > 1]


def alike_names(column: str, labels: Iterable[Any]) -> list[str]:
    """Say which levels of a factor are spelled alike."""
    alike = [" and ".join(sorted(map(repr, group))) for group in spelled_alike(labels)]
    if not alike:
        return []
    return [
        f"column {column!r}: {listed(sorted(alike), 4)} differ by capitals, spaces, hyphens or type only, and count as "
        "different levels; if they are the same, write them alike"
    ]


def repeated_measurements(
    table: pd.DataFrame, generalize_over: Sequence[str], design: Sequence[str], given: pd.DataFrame
) -> list[str]:
    """Say whether seeds, folds or the like count as experiments: repetitions on the same data are not independent."""
    repeating = [column for column in generalize_over if _repeats(_words(column)) and not _numbers_items(given, column)]
    others = [column for column in generalize_over if column not in repeating]
    if not repeating:
        return []
    which = f"generalize_over holds {listed(map(repr, repeating))}, which sounds like repetitions on the same data: "
    if not others:
        return [
            which + "conclusions are then about other repetitions, not about other data; if the experiments are "
            "something else, give the column another name"
        ]
    conditions = table[[*design, *generalize_over]].drop_duplicates()
    if not conditions.duplicated([*design, *others]).any():
        return []
    return [
        which + f"{' x '.join(generalize_over)} are not that many independent experiments, so n*, its intervals and "
        f"p-values promise too much; name {listed(map(repr, repeating))} in average_over, and keep "
        f"{listed(map(repr, others))} here"
    ]


def _numbers_items(given: pd.DataFrame, column: str) -> bool:
    """Say whether each level of a column such as "trial_idx" has a text of its own: items have, and runs have not."""
    if not among(column, "identity") or column not in given:
        return False
    return bool((given.select_dtypes(exclude="number").groupby(given[column]).nunique().max() == 1).any())


def _repeats(words: set[str]) -> bool:
    return bool(words & _REPETITIONS) or words >= {"random", "state"}


def _words(column: str) -> set[str]:
    return set(re.split(r"[^a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", column).lower()))


def repetitions_as_alternatives(columns: Iterable[Any]) -> list[str]:
    """Say whether columns of a matrix count as alternatives although they are called like repetitions."""
    about = {"", "id", "index", "number", "random", "state", "test", "train"}  # what may stand beside; not in "CV5TE"
    named = [column for column in columns if isinstance(column, str)]
    repeating = [column for column in named if _repeats(_words(column)) and _words(column) <= _REPETITIONS | about]
    doubts = [
        f"column {column!r} counts as an alternative, and sounds like repetitions; if it is no score, name it in "
        "average_over, or name the columns of scores in alternatives"
        for column in repeating
    ]
    if len(named) > 2 and any(named == [str(i) for i in range(first, first + len(named))] for first in (0, 1)):
        doubts.append(
            f"the columns {named[0]} to {named[-1]} count as alternatives, and sound like repetitions of one; a study "
            "compares at least two alternatives: write a row per evaluation, and name the repetitions in average_over"
        )
    return doubts


def partial_averages(counts: Mapping[str, tuple[int, int]], average_over: Sequence[str]) -> list[str]:
    """Say whether so many evaluations lack seeds, folds or the like that it may matter."""
    if not any(_repeats(_words(str(column))) for column in average_over):  # settings that were never all run
        counts = {name: (n if 2 * n <= of else 0, of) for name, (n, of) in counts.items()}
    what = f"are averages over fewer levels of {', '.join(average_over)} than their condition has"
    advice = (
        ": runs that fail are rarely a random choice, so that averages over the others may be too good or too bad; "
        "Study.averaged lists them"
    )
    return _more_than_usual(counts, MOST_MISSING, what, advice)


def worst_ranks(blocks: Mapping[str, pd.DataFrame], missing: str) -> list[str]:
    """Say whether so many evaluations are missing that what they are taken for decides."""
    counts = {name: (int(block.isna().to_numpy().sum()), block.size) for name, block in blocks.items()}
    if missing == "complete":
        advice = "; conclusions depend on these: complete the table"
        return _more_than_usual(counts, MOST_DRAWN, "are missing and were filled in by estimates", advice)
    other = ", or compare with missing='drop' or 'complete'" if missing == "worst-rank" else ""
    advice = f"; conclusions depend on how these are treated: complete the table{other}"
    return _more_than_usual(counts, MOST_MISSING, "are missing and share the worst rank", advice)


def _more_than_usual(counts: Mapping[str, tuple[int, int]], usual: float, what: str, advice: str) -> list[str]:
    """Say of how many evaluations something holds, from (of so many, of all) in each configuration, if of too many."""
    overall = sum(found for found, _ in counts.values()) / sum(n for _, n in counts.values())
    shares = {name: found / n for name, (found, n) in counts.items()}
    n_above, most = sum(share > usual for share in shares.values()), max(shares, key=lambda name: shares[name])
    limit = f"more than {percent(usual)}"
    if overall > usual:
        return [f"{percent(overall)} of the evaluations {what}, which is {limit}{advice}"]
    if n_above:
        return [
            f"in {n_above} of {len(counts)} configurations {limit} of the evaluations {what}, most in {most} "
            f"({percent(shares[most])}){advice}"
        ]
    return []


def ties_everywhere(target: str, blocks: Mapping[str, pd.DataFrame]) -> list[str]:
    """Say whether the scores do not vary: then all results agree, and n* is 1 for this reason only."""
    lowest = {name: np.nanmin(block.to_numpy(), axis=1) for name, block in blocks.items()}
    highest = {name: np.nanmax(block.to_numpy(), axis=1) for name, block in blocks.items()}
    smallest, largest = min(low.min() for low in lowest.values()), max(high.max() for high in highest.values())
    says = "nothing is compared, and n* = 1 says nothing"
    if smallest == largest:
        return [f"the target {target!r} is constant ({smallest:g}): {says}"]
    # An alternative without a score still is worse than the others: that is a difference.
    tied = [
        name
        for name, block in blocks.items()
        if min(block.shape) > 1 and (lowest[name] == highest[name]).all() and block.notna().all(axis=None)
    ]
    if not tied:
        return []
    return [
        f"in {len(tied)} of {len(blocks)} configurations, the first {tied[0]}, all "
        f"alternatives tie in every experiment: there {says}"
    ]


def percents(blocks: Mapping[str, pd.DataFrame]) -> list[str]:
    """Say where some scores seem to be per cent, because all others of the same experiments lie between 0 and 1."""
    where, who = 0, dict[str, None]()
    for block in blocks.values():
        large = (block > 1) & (block <= 100) & (block <= 1).any()  # of who has scores of both kinds
        rest = block.where(~large)
        typical = rest.median(axis=1)
        odd = (rest.count(axis=1) > large.sum(axis=1)) & (rest.isna() | rest.ge(0) & rest.le(1)).all(axis=1)
        odd &= (typical > _SHARE) & large.any(axis=1) & (block.where(large).min(axis=1) > _PERCENT * typical)
        where += int(odd.sum())
        who |= dict.fromkeys(str(name) for name in block.columns[large[odd].any()])
    said = f"in {where} experiments {listed(map(repr, who), 3)} have scores above 1, and all others scores of 0 to 1"
    return [f"{said}: if some are per cent, divide these by 100, or leave them out"] if where > 1 else []


def unlike_scores(kernel: str, similarities: Mapping[str, float], scores: Mapping[str, np.ndarray]) -> list[str]:
    """Say whether a kernel on raw scores finds no two experiments alike, because of their scale."""
    blind = [name for name, similarity in similarities.items() if similarity < _NO_CONTRAST]
    if not blind:
        return []
    spread = max(np.sqrt(2 * scores[name].var(axis=0, ddof=1).mean()) for name in blind)  # over all pairs of rows
    several = f" in {len(blind)} of {len(similarities)} configurations, the first {blind[0]}"
    where = several if len(similarities) > 1 else ""
    return [
        f"{kernel}: scores of two experiments differ by {spread:.3g} (root mean square){where}, far beyond the "
        "scale of the kernel; all experiments look unrelated, and n* says nothing about them; divide the scores first, "
        "percentages by 100, or choose gamma to fit (delta is a squared difference of scores)"
    ]


def mixed_metrics(results: pd.DataFrame, target: str, positions: np.ndarray, roles: Collection[str]) -> list[str]:
    """Say whether the target equals one column of numbers in some rows and another one in the others."""
    rows = positions[:: max(1, len(positions) // _ROWS)]
    numbers = [
        column
        for column in results.columns
        if column not in roles and pd.api.types.is_float_dtype(results[column].dtype)
    ]
    if len(numbers) < 2 or not pd.api.types.is_float_dtype(results[target].dtype):
        return []
    scores = results[target].iloc[rows].to_numpy(float, na_value=np.nan)
    scored = ~np.isnan(scores)
    scores = scores[scored]
    left = np.ones(len(scores), dtype=bool)
    parts = []
    for column in numbers:
        equal = results[column].iloc[rows].to_numpy(float, na_value=np.nan)[scored] == scores
        if _PART <= equal.mean() < _WHOLE and (equal & left).mean() >= _PART:
            parts.append(f"{column!r} in {100 * equal.mean():.0f} %")
            left &= ~equal
    if len(parts) < 2 or left.mean() > 1 - _WHOLE:
        return []
    parts[0] += " of the rows"
    return [
        f"target {target!r} equals {listed(parts[:-1])} and {parts[-1]}: it holds several metrics, and one direction "
        "may not fit them all; take a column with one metric or one direction, or the rows of one metric with fixed="
    ]
