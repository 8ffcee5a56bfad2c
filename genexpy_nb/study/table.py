"""Tables as people have them, made into what `Study` reads: other libraries' frames, metrics and matrices.

Nothing is guessed: what was converted or set aside comes back as a sentence, and what fits no role is a `StudyError`
that says which option gives it one.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
import pyarrow as pa
from pyarrow.interchange import from_dataframe

from genexpy_nb.common.checks import check_choice, check_direction, listed, shown, suggest
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.study.checks import numeric_target

#: Design factor that the metrics become, when the target is a dictionary of them.
METRIC = "metric"

_DIRECTIONS = {"higher": True, "lower": False}


# --- frames of other libraries ----------------------------------------------------------------------------------------


def as_frame(results: Any, index: bool = False) -> tuple[Any, list[str]]:
    """Return a table as a pandas DataFrame, and say if it was converted."""
    if isinstance(results, pd.DataFrame | pd.Series | type):
        return results, []
    kind = f"{type(results).__module__.split('.')[0]}.{type(results).__qualname__}"
    try:
        if hasattr(results, "__arrow_c_stream__"):
            table = pa.table(results)
        elif hasattr(results, "__dataframe__"):
            table = from_dataframe(results)
        else:
            return results, []
        return table.to_pandas(ignore_metadata=not index), [f"Converted a {kind} to a pandas DataFrame."]
    except (pa.ArrowException, NotImplementedError, RuntimeError, TypeError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise StudyError(f"results: the {kind} cannot be made a pandas DataFrame: {reason}") from None


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


def check_free(roles: Mapping[str, Sequence[Any]]) -> None:
    """Raise `StudyError` if a column of a study has the name that the metrics get."""
    for role, columns in roles.items():
        if METRIC in columns:
            raise StudyError(
                f"the metrics of target become a design factor {METRIC!r}, and {role} names a column {METRIC!r}; "
                f"rename that column, or, if it says which metric a row has, use target='score', design={[METRIC]} and "
                "higher_is_better={...: True, ...: False}"
            )


def as_directions(higher_is_better: Any) -> bool | dict[Any, bool]:
    """Return one direction, or one for each level of a design factor, or raise `ParameterError`."""
    if not isinstance(higher_is_better, Mapping):
        return check_direction(higher_is_better)
    if not higher_is_better:
        raise ParameterError("higher_is_better must be True or False, or name a direction for each metric, got {}")
    for level, direction in higher_is_better.items():
        try:
            check_direction(direction)
        except ParameterError as error:
            raise ParameterError(f"{error} for {level!r}") from None
    return {level: bool(direction) for level, direction in higher_is_better.items()}


def factor_of_directions(table: pd.DataFrame, design: Sequence[str], directions: Mapping[Any, bool]) -> str:
    """Return the design factor whose levels have directions of their own, or raise `StudyError`."""
    levels = {name: table[name].unique().tolist() for name in design}
    known = {name: sum(level in directions for level in levels[name]) for name in design}
    most = max(known.values(), default=0)
    if not most:
        raise StudyError(
            f"higher_is_better: no design factor has a level {listed(map(repr, directions))}; the column of the "
            f"metrics must stand in design (there are {listed(design) or 'none'})"
        )
    fitting = [name for name in design if known[name] == most]
    if len(fitting) > 1:
        raise StudyError(
            f"higher_is_better: {listed(map(repr, fitting))} all have {most} of these levels; it must be clear which "
            "column has the metrics"
        )
    (factor,) = fitting
    unknown = [level for level in directions if level not in levels[factor]]
    if unknown:
        raise StudyError(
            f"higher_is_better: column {factor!r} has no level {unknown[0]!r}{suggest(unknown[0], levels[factor])} "
            f"(it has {listed(map(repr, levels[factor]))})"
        )
    forgotten = [level for level in levels[factor] if level not in directions]
    if forgotten:
        raise StudyError(
            f"higher_is_better must give the direction of every level of {factor!r}; "
            f"{listed(map(repr, forgotten))} {'is' if len(forgotten) == 1 else 'are'} missing"
        )
    return factor


def metrics_in_rows(table: pd.DataFrame, keys: Sequence[str], metrics: Iterable[str], score: str) -> pd.DataFrame:
    """Return one row per evaluation and metric instead of one column per metric."""
    parts = [table[list(keys)].assign(**{METRIC: metric, score: table[metric]}) for metric in metrics]
    return pd.concat(parts, ignore_index=True)


# --- matrices ---------------------------------------------------------------------------------------------------------


def check_matrix(frame: pd.DataFrame) -> None:
    """Raise `StudyError` if columns of a matrix have several levels, or one name."""
    columns = frame.columns
    if columns.nlevels > 1:
        outer = list(range(columns.nlevels - 1))
        names = ["experiment"] if list(frame.index.names) == [None] else list(frame.index.names)
        names += [columns.names[i] or f"factor_{i}" for i in outer]
        raise StudyError(
            f"the columns of the matrix have several levels, such as {tuple(columns[0])!r}; make all but the last one "
            f"levels of the index first: frame.stack({outer}).rename_axis(index={names})"
        )
    twice = columns[columns.duplicated()]
    if len(twice):
        raise StudyError(f"the matrix has two columns named {twice[0]!r}")


def name_of_alternatives(name: Any, factors: Sequence[str]) -> str:
    """Return what the alternatives of a matrix are called, or raise `StudyError` if a factor is called so."""
    name = name if isinstance(name, str) else "alternative"
    if name in factors:
        raise StudyError(
            f"the columns of the matrix and a factor both have the name {name!r}; rename the columns: "
            "frame.rename_axis(columns='method')"
        )
    return name


def with_index_in_columns(frame: pd.DataFrame, named: Sequence[str]) -> tuple[pd.DataFrame, list[str]]:
    """Return a matrix with its index in columns, and which columns these are."""
    names = list(frame.index.names)
    if names == [None]:
        if named:
            return frame.reset_index(drop=True), []
        names = ["experiment"]
    for place, name in enumerate(names):
        if not isinstance(name, str):
            raise StudyError(
                f"level {place} of the index has {'no name' if name is None else f'the name {shown(name)}'}; name the "
                f"levels first: frame.rename_axis(index={[f'factor_{i}' for i in range(len(names))]})"
            )
        if name in frame.columns or names.count(name) > 1:
            raise StudyError(f"{name!r} names a level of the index and something else, too; rename one of them")
    columns = frame.columns
    plain = frame.set_axis(columns.astype(object), axis=1)  # a categorical or numeric index takes no other name
    return plain.reset_index(names=names), names


def score_columns(frame: pd.DataFrame, factors: Sequence[str], alternatives: Any) -> tuple[list[Hashable], list[str]]:
    """Return the columns of a matrix that hold scores, and say which columns are set aside."""
    without_role = [column for column in frame.columns if column not in factors]
    if alternatives is None:
        strange = [column for column in without_role if _holds_no_scores(frame[column])]
        if strange:
            example = frame[strange[0]].dropna().iloc[0]
            raise StudyError(
                f"column{'s' if len(strange) > 1 else ''} {listed(map(repr, strange))} "
                f"{'hold' if len(strange) > 1 else 'holds'} no scores, but values such as {shown(example)}; give a "
                "column of a factor its role with generalize_over=, design=, average_over= or fixed=, or name the "
                "columns of scores with alternatives=[...]"
            )
        return without_role, []
    if isinstance(alternatives, str) or not isinstance(alternatives, list | tuple | pd.Index):
        raise StudyError(f"alternatives must be a list of columns with scores, got {shown(alternatives)}")
    for column in alternatives:
        if not pd.api.types.is_hashable(column) or column not in frame.columns:
            raise StudyError(
                f"alternatives: there is no column {column!r}{suggest(column, frame.columns)} "
                f"(there are {listed(without_role, 20)})"
            )
        if column in factors:
            raise StudyError(f"column {column!r} is used both as an alternative and as a factor; a column has one role")
    chosen = list(alternatives)
    twice = [column for column in chosen if chosen.count(column) > 1]
    if twice:
        raise StudyError(f"alternatives names {twice[0]!r} twice")
    aside = [column for column in without_role if column not in chosen]
    return chosen, [f"Set aside the columns {listed(aside)}: they have no role."] if aside else []


def _holds_no_scores(values: pd.Series) -> bool:
    """Say whether none of the values, and there are some, reads as a number."""
    present = values.dropna()
    if present.empty or pd.api.types.is_numeric_dtype(present.dtype):
        return False
    try:
        numeric_target(present.reset_index(drop=True))
    except StudyError:
        if present.dtype.kind in "mM":
            return True
        return not pd.to_numeric(present.astype(str), errors="coerce").notna().any()
    return False
