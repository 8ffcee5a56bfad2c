"""What a table of results must be before anything is computed from it, and what in it may well be meant otherwise.

`Study` calls these functions. What cannot be analysed is a `StudyError`; what can be, but is doubtful, comes back as a
sentence, and becomes a `StudyWarning`.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any
from unicodedata import normalize

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import check_numbers, listed, shown, suggest
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.prose import percent
from genexpy_nb.generalization.kernels import LARGEST_SCORE

#: Share of missing evaluations above which a condition or an alternative is left out by ``missing="drop"`` (the
#: 80 % / 80 % filter of the papers), and above which imputed ones are warned of.
MOST_MISSING = 0.2

#: The same where they are drawn, by ``missing="complete"``: with a quarter of the cells missing, intervals hold n* as
#: often as they say, but not with two fifths (see `genexpy_nb.study.completion`).
MOST_DRAWN = 0.3

#: Columns of the frames that a study gives: a design factor of the same name would be overwritten.
RESERVED = (
    *("kernel", "alpha", "delta", "epsilon", "n_experiments", "nstar", "low", "high", "method", "note"),
    *("required", "more", "verdict", "n_alternatives", "n_evaluations", "n_imputed", "estimate"),
    *("n_partial", "n_averaged", "n_levels", "higher_is_better", "n_conditions", "n_clusters", "mean_size", "icc"),
    *("n_effective", "design_effect"),
)

# Words in the name of a column that repeats a measurement on the same data.
_REPETITIONS = {
    *(
        "seed",
        "seeds",
        "fold",
        "folds",
        "kfold",
        "cv",
        "split",
        "splits",
        "repeat",
        "repeats",
        "repetition",
        "repetitions",
    ),
    *("rep", "reps", "run", "runs", "trial", "trials", "replicate", "replicates", "replication", "replications"),
    *("bootstrap", "iteration", "iterations", "iter"),
}
_TEXT = "str"  # pandas' type of text; before its version 3, text came as objects
_NO_CONTRAST = 0.01  # median kernel value between experiments below which they all look unrelated


# --- words ------------------------------------------------------------------------------------------------------------


def sentence(configuration: Mapping[Any, Any]) -> str:
    """Return levels as text."""
    return ", ".join(f"{name}={level}" for name, level in configuration.items())


def named(index: pd.Index, row: int) -> str:
    """Return the levels of one row of an index as text."""
    levels = index[row] if isinstance(index, pd.MultiIndex) else (index[row],)
    return ", ".join(f"{name}={level!r}" for name, level in zip(index.names, levels, strict=True))


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
        raise StudyError(
            f"{role} must be the name of a column or a list of names, got {shown(columns)}{_renaming(columns)}"
        )
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
            "with their interfaces are converted"
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
                raise StudyError(f"{role}: there is no column {column!r}{_instead(column, results)}")
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


def _instead(column: str, results: pd.DataFrame) -> str:
    if column in results.index.names:
        return ", but the index has that name: results.reset_index()"
    return f"{suggest(column, results.columns)} (there are {listed(results.columns, 20)})"


# --- labels -----------------------------------------------------------------------------------------------------------


def plain_labels(values: pd.Series) -> pd.Series:
    """Return levels of a factor such that it does not matter in which of pandas' types they were stored."""
    if values.dtype == _TEXT or (isinstance(values.dtype, np.dtype) and values.dtype != object):
        return values
    plain = pd.Series(values.to_numpy(dtype=object), values.index, name=values.name).infer_objects()
    if plain.dtype == object:
        for row, label in plain.items():
            if isinstance(label, tuple | frozenset | bytes) or not isinstance(label, Hashable):
                raise StudyError(
                    f"column {values.name!r}: row {row} holds {shown(label)}; a level must be a text, a number or a "
                    "date"
                )
    return plain


def check_complete(table: pd.DataFrame, columns: Iterable[str]) -> None:
    """Raise `StudyError` if a level of a factor is missing."""
    for column in columns:
        absent = table[column].isna()
        if absent.any():
            raise StudyError(
                f"column {column!r} has {int(absent.sum())} missing values, the first in row {absent.idxmax()}; "
                "every evaluation needs a level of every factor"
            )


def check_duplicates(table: pd.DataFrame, keys: Sequence[str]) -> None:
    """Raise `StudyError` if the same evaluation stands in two rows."""
    double = table.duplicated(list(keys), keep=False)
    if double.any():
        row = table.loc[double, list(keys)].iloc[0]
        n_rows = int((table[list(keys)] == row).all(axis=1).sum())
        raise StudyError(
            f"{n_rows} rows for the same evaluation: {sentence(row.to_dict())}; if they are repetitions, name the "
            "column that tells them apart (a seed, a fold) in average_over; if it is a factor, give it a role"
        )


def clustered(table: pd.DataFrame, cluster: str, conditions: Sequence[str]) -> str:
    """Say what a column of clusters means, or raise `StudyError` if a condition lies in several of them."""
    pairs = table[[*conditions, cluster]].drop_duplicates()
    twice = pairs[pairs.duplicated(list(conditions))]
    if len(twice):
        first = twice[list(conditions)].iloc[0].to_dict()
        raise StudyError(
            f"cluster: {sentence(first)} lies in several levels of {cluster!r}; each condition must lie in one"
        )
    return (
        f"Each of the {pairs[cluster].nunique():,} levels of {cluster} is one experiment: the {len(pairs):,} levels of "
        f"{' x '.join(conditions)} lie in them; ranks, tests and means are of the mean score of each, and n* compares "
        "them by the mean of what the kernel makes of their conditions."
    )


def canonical_order(labels: pd.Index) -> pd.Index:
    """Return the places of labels in the order in which studies keep them: sorted by value, else by text, then type."""
    distinct = labels.unique()
    try:
        ordered = distinct.sort_values()
    except TypeError:
        ordered = pd.Index(sorted(distinct, key=lambda label: (str(label), type(label).__name__)), dtype=distinct.dtype)
    return pd.Index(ordered.get_indexer(labels))


# --- scores -----------------------------------------------------------------------------------------------------------


def numeric_target(values: pd.Series) -> tuple[pd.Series, list[str]]:
    """Return scores as floats, and say what was converted."""
    what, notes = f"target {values.name!r}", []
    kind = pd.api.types.infer_dtype(values, skipna=True)
    if kind == "string":
        found = pd.to_numeric(values, errors="coerce").astype(float)
        wrong = found.isna() & values.notna()
        if wrong.any():
            raise StudyError(f"{what} must be numbers; row {wrong.idxmax()} holds {values[wrong.idxmax()]!r}")
        notes.append(
            f"Read {values.notna().sum():,} scores that are text, such as {values.dropna().iloc[0]!r}, as numbers."
        )
    else:
        try:
            numbered = values.set_axis(values.index.astype(object))  # rows by their plain number in messages
            found = pd.Series(check_numbers(numbered, what), values.index)
        except OverflowError:
            raise StudyError(f"{what} holds a whole number that is too large for a floating-point number") from None
        of_type = [type(value) for value in values] if values.dtype == object or kind == "boolean" else []
        if str in of_type:
            notes.append(f"Read {of_type.count(str):,} scores that are text as numbers.")
        if kind == "boolean" or bool in of_type:
            notes.append("Read True as the score 1, False as 0.")
    infinite = np.isinf(found)
    if infinite.any():
        row = infinite.idxmax()
        raise StudyError(
            f"{what} must be finite; row {row} holds {found[row]}; leave the score empty if the evaluation failed"
        )
    return found.rename(values.name), notes


# --- numbers ----------------------------------------------------------------------------------------------------------


def as_deltas(delta: Any) -> np.ndarray:
    """Return tolerances as an array, shape (D,), or raise `ParameterError`; each kernel says which it accepts."""
    try:
        values = np.atleast_1d(np.asarray(delta))
    except ValueError:  # lists of different lengths
        values = np.empty((0, 0))
    if values.dtype.kind not in "iuf" or values.ndim > 1 or _with_truth_values(delta):
        raise ParameterError(f"delta must be a number or a list of numbers, got {shown(delta)}")
    if values.size == 0:
        raise ParameterError("delta must name at least one tolerance, got none")
    return values.astype(float)


def _with_truth_values(values: Any) -> bool:
    """Say whether a list of numbers holds True or False, which numpy reads as 1 and 0."""
    return isinstance(values, Iterable) and any(isinstance(value, bool | np.bool_) for value in values)


# --- what looks as if it were meant otherwise -------------------------------------------------------------------------


def alike_names(column: str, labels: Iterable[Any]) -> list[str]:
    """Say which levels of a factor differ by capitals, spaces or type only."""
    groups: dict[str, list[Any]] = {}
    for label in labels:
        groups.setdefault("".join(normalize("NFKC", str(label)).split()).casefold(), []).append(label)
    alike = [" and ".join(sorted(map(repr, group))) for group in groups.values() if len(group) > 1]
    if not alike:
        return []
    return [
        f"column {column!r}: {listed(sorted(alike), 4)} differ by capitals, spaces or type only, and count as "
        "different levels; if they are the same, write them alike"
    ]


def repeated_measurements(table: pd.DataFrame, generalize_over: Sequence[str], design: Sequence[str]) -> list[str]:
    """Say whether seeds, folds or the like count as experiments: repetitions on the same data are not independent."""
    repeating = [column for column in generalize_over if _repeats(_words(column))]
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
        which + f"{' x '.join(generalize_over)} are not so many independent experiments, and n*, its intervals and "
        f"p-values promise too much; name {listed(map(repr, repeating))} in average_over, and keep "
        f"{listed(map(repr, others))} here"
    ]


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
    overall = sum(partial for partial, _ in counts.values()) / sum(n for _, n in counts.values())
    shares = {name: partial / n for name, (partial, n) in counts.items()}
    n_above, most = sum(share > MOST_MISSING for share in shares.values()), max(shares, key=lambda name: shares[name])
    limit, what = f"more than {percent(MOST_MISSING)}", f"levels of {', '.join(average_over)} than their condition has"
    advice = (
        ": runs that fail are rarely a random choice, so that averages over the others may be too good or too bad; "
        "Study.averaged lists them"
    )
    if overall > MOST_MISSING:
        return [f"{percent(overall)} of the evaluations, which is {limit}, are averages over fewer {what}{advice}"]
    if n_above:
        return [
            f"in {n_above} of {len(counts)} configurations {limit} of the evaluations are averages over fewer {what}, "
            f"most in {most} ({percent(shares[most])}){advice}"
        ]
    return []


def worst_ranks(blocks: Mapping[str, pd.DataFrame], missing: str) -> list[str]:
    """Say whether so many evaluations are missing that what they are taken for decides."""
    n_absent = {name: int(block.isna().to_numpy().sum()) for name, block in blocks.items()}
    n_cells, shares = sum(block.size for block in blocks.values()), {}
    for name, block in blocks.items():
        shares[name] = n_absent[name] / block.size
    overall, most = sum(n_absent.values()) / n_cells, max(shares, key=lambda name: shares[name])
    other = ", or compare with missing='drop' or 'complete'" if missing == "worst-rank" else ""
    advice = f"; what is concluded rests on what is missing, too: complete the table{other}"
    got, usual = "share the worst rank", MOST_MISSING
    if missing == "complete":
        got, usual = "were drawn from a model", MOST_DRAWN
        advice = "; what is concluded rests on that model, too: complete the table"
    n_above, limit = sum(share > usual for share in shares.values()), f"more than {percent(usual)}"
    if overall > usual:
        return [f"{percent(overall)} of the evaluations are missing and {got}, which is {limit}{advice}"]
    if n_above:
        return [
            f"in {n_above} of {len(blocks)} configurations {limit} of the evaluations are missing and {got}, most in "
            f"{most} ({percent(shares[most])}){advice}"
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


def unlike_scores(kernel: str, similarities: Mapping[str, float], scores: Mapping[str, np.ndarray]) -> list[str]:
    """Say whether a kernel on raw scores finds no two experiments alike, because of their scale."""
    blind = [name for name, similarity in similarities.items() if similarity < _NO_CONTRAST]
    if not blind:
        return []
    spread = max(_typical_difference(scores[name]) for name in blind)
    several = f" in {len(blind)} of {len(similarities)} configurations, the first {blind[0]}"
    where = several if len(similarities) > 1 else ""
    return [
        f"{kernel}: scores of two experiments differ by {spread:.3g} (root mean square){where}, far beyond the "
        "scale of the kernel; all experiments look unrelated, and n* says nothing about them; divide the scores first, "
        "percentages by 100, or choose gamma to fit (delta is a squared difference of scores)"
    ]


def check_range(values: np.ndarray, where: str) -> None:
    """Raise `StudyError` if squares of scores leave the range of floating-point numbers."""
    largest = float(np.abs(values).max())
    if largest > LARGEST_SCORE:
        raise StudyError(
            f"the scores reach {largest:.0e}{where}, too large for a kernel that squares their differences; divide them"
        )


def median_similarity(gram: np.ndarray) -> float:
    """Return the median kernel value between two experiments."""
    return float(np.median(gram[np.triu_indices(len(gram), 1)])) if len(gram) > 1 else 1.0


def _typical_difference(scores: np.ndarray) -> float:
    """Return the root mean square of the differences between two rows, over all pairs of rows."""
    return float(np.sqrt(2 * scores.var(axis=0, ddof=1).mean()))
