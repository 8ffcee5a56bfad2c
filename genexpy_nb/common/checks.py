"""Checks of what the user gives: each returns the value in the form that is used, or says what would be right.

There is one function for each kind of thing that is checked. All raise `ParameterError`, but for those that look at
tables, `check_columns`, `check_numbers`, `check_table` and `check_scores`, which raise `StudyError`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from difflib import get_close_matches
from functools import wraps
from inspect import signature
from math import inf
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from genexpy_nb.common.errors import ParameterError, StudyError

#: Relative difference up to which two computed numbers are taken for the same one.
TOLERANCE = 1e-9

#: What may become of incomplete rows of a table of scores.
MISSING = ("error", "drop")

Function = TypeVar("Function", bound=Callable[..., Any])


# --- words ------------------------------------------------------------------------------------------------------------


def shown(value: Any, most: int = 200) -> str:
    """Return ``repr(value)`` for a message; the middle of what is longer than ``most`` characters is left out."""
    text = repr(value)
    half = most // 2
    return text if len(text) <= most else f"{text[:half]}...{text[-half:]} ({len(text):,} characters)"


def suggest(name: Any, known: Iterable[Any]) -> str:
    """Return ``"; did you mean 'x'?"`` for the nearest of the known names, or an empty string."""
    close = get_close_matches(str(name), [str(k) for k in known], n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def listed(values: Iterable[Any], most: int = 8) -> str:
    """Return the first values as text, separated by commas, and how many there are if some are left out."""
    values = [str(value) for value in values]
    return ", ".join(values[:most]) + (f", ... ({len(values)} in all)" if len(values) > most else "")


# --- names that are not there -----------------------------------------------------------------------------------------


def no_such(said: str, name: str, known: Iterable[str]) -> str:
    """Say that a name is not there, and the nearest one, or all that are."""
    return f"{said} {name!r}{suggest(name, known) or f' (there are {listed(known, 60)})'}"


class Answering:
    """Answers whoever asks for an attribute that is not there with what is."""

    if not TYPE_CHECKING:  # to a checker of types, any name would be there

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or hasattr(type(self), name):
                return object.__getattribute__(self, name)  # Python's own error, or that of the property
            known = [each for each in dir(self) if not each.startswith("_")]
            said = no_such(f"{type(self).__name__} has no", name, known)
            raise AttributeError(said, name="", obj=None)  # with a name, Python would guess once more


def answering(function: Function) -> Function:
    """Make a function answer a keyword that it does not know with those that it does, see `no_such`."""
    known = list(signature(function).parameters)

    @wraps(function)
    def answered(*given: Any, **named: Any) -> Any:
        for name in named:
            if name not in known:
                called = function.__qualname__.removesuffix(".__init__")
                raise TypeError(no_such(f"{called} takes no", name, known[1:]))
        return function(*given, **named)

    return cast(Function, answered)


def either(parameter: str, value: Any, other: str, same: Any) -> Any:
    """Return what was given to one of two parameters that mean the same, or raise `ParameterError` if to both."""
    if value is not None and same is not None:
        raise ParameterError(f"{parameter} and {other} mean the same: give one of them")
    return same if value is None else value


# --- parameters -------------------------------------------------------------------------------------------------------


def check_choice(parameter: str, value: Any, choices: Iterable[Any]) -> None:
    """Raise `ParameterError` unless ``value`` is one of the choices."""
    choices = list(choices)
    # An array, or a frame, would be compared element by element.
    if not pd.api.types.is_hashable(value) or value not in choices:
        accepted = ", ".join(repr(choice) for choice in choices)
        raise ParameterError(f"{parameter} must be one of {accepted}, got {value!r}{suggest(value, choices)}")


def check_count(parameter: str, value: Any, at_least: int = 1, at_most: float = inf) -> int:
    """Return a whole number, or raise `ParameterError`."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or not at_least <= value <= at_most:
        span = f"of at least {at_least}" if at_most == inf else f"from {at_least} to {at_most}"
        raise ParameterError(f"{parameter} must be a whole number {span}, got {value!r}")
    return int(value)


def check_workers(n_jobs: Any) -> int | None:
    """Return a number of workers, negative to count from the number of cores as joblib does, or say what is wrong."""
    if n_jobs is None:
        return None
    if not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise ParameterError(f"n_jobs must be a whole number of workers, or -1 for all cores, got {shown(n_jobs)}")
    return int(n_jobs)


def check_number(parameter: str, value: Any, low: float = -inf, high: float = inf, ends: str = "()") -> float:
    """Return a finite number of an interval, or raise `ParameterError`."""
    number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else float("nan")
    if not _inside(np.array(number), low, high, ends):
        finite = "finite " if np.isinf(number) or (low, high) == (-inf, inf) else ""
        raise ParameterError(f"{parameter} must be a {finite}number{_in_words(low, high, ends)}, got {value!r}")
    return number


def check_direction(higher_is_better: Any) -> bool:
    """Return which way scores are better, or raise `ParameterError`: a boolean and nothing that could pass for one."""
    if not isinstance(higher_is_better, (bool, np.bool_)):
        raise ParameterError(f"higher_is_better must be True or False, got {higher_is_better!r}")
    return bool(higher_is_better)


def check_level(parameter: str, value: Any) -> float:
    """Return a number in (0, 1), such as the level of a test, or raise `ParameterError`."""
    return check_number(parameter, value, 0, 1)


def check_levels(parameter: str, values: ArrayLike) -> np.ndarray:
    """Return a number in (0, 1), or a list of them, as an array, shape (A,), or raise `ParameterError`."""
    levels = np.atleast_1d(_all_inside(parameter, values, 0, 1))
    if levels.ndim > 1:
        raise ParameterError(f"{parameter} must be one number in (0, 1) or a list of them, got shape {levels.shape}")
    return levels


def check_positives(parameter: str, values: ArrayLike) -> np.ndarray:
    """Return one or more finite numbers > 0 as an array of the shape that was given, or raise `ParameterError`."""
    return _all_inside(parameter, values, 0, inf)


def check_probabilities(parameter: str, values: ArrayLike, n: int) -> np.ndarray:
    """Return the probabilities of ``n`` cases as an array, bit by bit as given, or raise `ParameterError`."""
    p = as_floats(values)
    if p.shape != (n,) or not (p >= 0).all() or not abs(p.sum() - 1) <= TOLERANCE:  # written so that NaN fails
        got = f"sum {p.sum()} and minimum {p.min(initial=inf)}" if p.shape == (n,) else f"shape {p.shape}"
        raise ParameterError(f"{parameter} must be {n} numbers >= 0 with sum 1, got {got if p.ndim else repr(values)}")
    return p


def _all_inside(parameter: str, values: ArrayLike, low: float, high: float) -> np.ndarray:
    array = as_floats(values)
    if array.size == 0 or not _inside(array, low, high, "()"):
        raise ParameterError(f"{parameter} must be one or more numbers{_in_words(low, high, '()')}, got {values!r}")
    return array


def as_floats(values: Any) -> np.ndarray:
    """Return numbers as an array of floats, of any shape, None as NaN; a single NaN for what holds anything else."""
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different lengths
        return np.array(np.nan)
    if isinstance(values, list | tuple):  # before numpy makes 1.0 of True
        array = np.asarray(values, dtype=object)
    objects = array.dtype.kind == "O" and all(
        v is None or (isinstance(v, Real) and not isinstance(v, bool | np.bool_)) for v in array.flat
    )
    return array.astype(float) if array.dtype.kind in "iuf" or objects else np.array(np.nan)


def _inside(values: np.ndarray, low: float, high: float, ends: str) -> bool:
    above = values >= low if ends[0] == "[" else values > low
    return bool((above & (values <= high if ends[1] == "]" else values < high) & np.isfinite(values)).all())


def _in_words(low: float, high: float, ends: str) -> str:
    if (low, high) == (-inf, inf):
        return ""
    if high == inf:
        return f" {'>=' if ends[0] == '[' else '>'} {low:g}"
    if low == -inf:
        return f" {'<=' if ends[1] == ']' else '<'} {high:g}"
    return f" in {ends[0]}{low:g}, {high:g}{ends[1]}"


# --- tables -----------------------------------------------------------------------------------------------------------


def check_columns(frame: Any, needed: Sequence[str], what: str = "the table") -> None:
    """Raise `StudyError` unless ``frame`` is a DataFrame with all columns that are needed."""
    if not isinstance(frame, pd.DataFrame):
        raise StudyError(f"{what} must be a pandas DataFrame, got {type(frame).__name__}")
    absent = [name for name in needed if name not in frame.columns]
    if absent:
        hint = suggest(absent[0], frame.columns)
        raise StudyError(f"{what} has no column {absent[0]!r}{hint}; it needs {listed(needed, 30)}")


def check_numbers(values: Any, what: str = "scores") -> np.ndarray:
    """Return a column as floats, or say which row holds no number."""
    column = values if isinstance(values, pd.Series) else pd.Series(values)
    kind = getattr(column.dtype, "kind", "O")
    if isinstance(column.dtype, pd.PeriodDtype) or kind in "mMc":
        advice = "take its real part or its size" if kind == "c" else "make numbers of times first, in seconds, say"
        raise StudyError(f"{what} must be numbers, got {column.dtype}; {advice}")
    if kind in "iufb":
        return column.to_numpy(dtype=float, na_value=np.nan)
    numbers = np.array([_number(value) for value in column], dtype=float)
    nan = (float, np.floating, Decimal)
    missing = [value is None or value is pd.NA or (isinstance(value, nan) and value != value) for value in column]
    wrong = np.isnan(numbers) & ~np.array(missing, dtype=bool)
    if wrong.any():
        row = int(wrong.argmax())
        raise StudyError(f"{what} must be numbers; row {column.index.tolist()[row]!r} holds {column.iloc[row]!r}")
    return numbers


def _number(value: Any) -> float:
    """Return a value as float, NaN if it is none or missing."""
    if isinstance(value, str):
        return float(pd.to_numeric(value, errors="coerce"))
    # numpy's durations pass for whole numbers.
    real = isinstance(value, (Real, Decimal, np.bool_)) and not isinstance(value, np.timedelta64)
    return float(value) if real else float("nan")


def check_table(scores: Any) -> pd.DataFrame:
    """Return a table of scores as floats, shape (n_conditions, n_alternatives), or say what in it is no number."""
    if not isinstance(scores, pd.DataFrame):
        try:
            # np.asarray would forget which entries of a masked array are masked.
            values = scores if isinstance(scores, np.ma.MaskedArray) else np.asarray(scores)
        except ValueError as error:  # rows of different lengths
            raise StudyError(f"scores must have shape (n_conditions, n_alternatives): {error}") from error
        if values.ndim != 2:
            raise StudyError(f"scores must have shape (n_conditions, n_alternatives), got {values.shape}")
        scores = pd.DataFrame(values)
    if scores.shape[1] and all(kind == np.float64 for kind in scores.dtypes):
        # nothing to convert, and column by column is slow
        values = np.array(scores.to_numpy(), order="C")
    else:
        columns = [check_numbers(scores.iloc[:, at], f"the scores of {name!r}") for at, name in enumerate(scores)]
        values = np.stack(columns, axis=1) if columns else np.empty(scores.shape)
    return pd.DataFrame(values, index=scores.index, columns=scores.columns)


class Scores(NamedTuple):
    """A table of scores that was checked: ``values``, finite, shape (n_conditions, n_alternatives), and their names."""

    values: np.ndarray
    names: pd.Index
    n_dropped: int


def check_scores(scores: Any, missing: str = "error") -> Scores:
    """Check a table of scores, and leave out incomplete rows if asked to."""
    check_choice("missing", missing, MISSING)
    frame = check_table(scores)
    values = frame.to_numpy()
    if not frame.columns.is_unique:
        raise StudyError(f"two alternatives are named {frame.columns[frame.columns.duplicated()][0]!r}")
    if frame.shape[1] < 2:
        raise StudyError(f"at least two alternatives are needed, got shape {frame.shape}")
    if np.isinf(values).any():
        row, column = np.argwhere(np.isinf(values))[0]
        raise StudyError(
            f"scores must be finite, got {values[row, column]} for alternative {frame.columns.tolist()[column]!r} "
            f"in condition {frame.index.tolist()[row]!r}"
        )
    absent = np.isnan(values)
    incomplete = absent.any(axis=1)
    if incomplete.any() and missing == "error":
        row, column = np.argwhere(absent)[0]
        raise StudyError(
            f"{int(absent.sum())} scores are missing in {int(incomplete.sum())} of {len(values)} conditions, the first "
            f"for alternative {frame.columns.tolist()[column]!r} in condition {frame.index.tolist()[row]!r}; leave "
            "these conditions out (scores.dropna()), or impute them first (Study.scores(..., impute=True))"
        )
    values = values[~incomplete]
    if len(values) < 2:
        dropped = f", {int(incomplete.sum())} incomplete ones left out" if incomplete.any() else ""
        why = "a single one says nothing about chance"
        raise StudyError(f"at least two conditions are needed, got {len(values)}{dropped}: {why}")
    return Scores(values, frame.columns, int(incomplete.sum()))


# --- numbers that should be equal -------------------------------------------------------------------------------------


def similar(distances: ArrayLike, epsilon: ArrayLike) -> np.ndarray:
    """Say which distances do not exceed a threshold, such that equality does not depend on the last bit."""
    return np.asarray(distances) <= np.asarray(epsilon) * (1 + TOLERANCE)


def as_list(names: Any) -> list[str]:
    """Return one name, several (of metrics, with their directions) or none as a list."""
    names = [f"{name}={direction}" for name, direction in names.items()] if isinstance(names, Mapping) else names
    return [] if names is None else [names] if isinstance(names, str) else list(map(str, names))
