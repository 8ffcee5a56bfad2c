"""Scores to rankings with ties: when two scores are equal, and what a ranking looks like."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from genexpy_nb.common.checks import check_direction, check_table
from genexpy_nb.common.errors import ParameterError, StudyError

#: Scores that are equal when rounded to so many significant digits tie.
SIGNIFICANT_DIGITS = 12

#: The same relative to the size of two numbers, in whatever unit: a smaller difference is none.
RESOLUTION = 10.0**-SIGNIFICANT_DIGITS

_POWERS = 10.0 ** np.arange(-200.0, 201.0)


def rank_scores(scores: Any, *, higher_is_better: bool) -> np.ndarray:
    """Rank alternatives in each condition, (n_conditions, n_alternatives): dense tiers, 0 = best, ties included."""
    check_direction(higher_is_better)
    values = check_table(scores).to_numpy()
    if values.shape[1] == 0:
        raise StudyError(f"scores must have shape (n_conditions, n_alternatives), got {values.shape}")
    missing = np.isnan(values)
    if np.isinf(values).any():
        row, column = np.argwhere(np.isinf(values))[0]
        raise StudyError(f"scores must be finite or missing, got {values[row, column]} in row {row}, column {column}")
    if missing.all(axis=1).any():
        raise StudyError(f"row {missing.all(axis=1).argmax()} has no observed score: nothing to rank there")
    keys = round_significant(-values if higher_is_better else values)
    order = np.argsort(keys, axis=1, kind="stable")  # NaN comes last
    ordered = np.take_along_axis(keys, order, axis=1)
    ordered = np.where(np.isnan(ordered), np.inf, ordered)  # all missing ones are equal
    steps = np.zeros(values.shape, dtype=int)
    steps[:, 1:] = np.cumsum(ordered[:, 1:] != ordered[:, :-1], axis=1)
    tiers = np.empty_like(steps)
    np.put_along_axis(tiers, order, steps, axis=1)
    return tiers


def round_significant(values: ArrayLike) -> np.ndarray:
    """Round to `SIGNIFICANT_DIGITS`, such that what is equal in decimals is equal in every bit."""
    values = np.asarray(values, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        exponent = np.floor(np.log10(np.abs(values)))
    exponent = np.where(np.isfinite(exponent), exponent, 0.0)  # zeros and missing values
    # Two steps, because 10**331, which the smallest floats need, would overflow.
    shift = SIGNIFICANT_DIGITS - 1 - exponent.astype(np.int64)
    half = shift // 2
    mantissa = np.rint(values * _power_of_ten(half) * _power_of_ten(shift - half))
    carried = np.abs(mantissa) >= 10.0**SIGNIFICANT_DIGITS  # 9.9999... has become 10
    mantissa, shift = np.where(carried, mantissa / 10.0, mantissa), shift - carried
    half = shift // 2
    return mantissa / _power_of_ten(half) / _power_of_ten(shift - half)


def negligible(difference: Any, size: Any) -> Any:
    """Say whether a difference of numbers of this size is one that rounding can make."""
    return np.abs(difference) <= RESOLUTION * np.asarray(size)


def _power_of_ten(exponent: np.ndarray) -> np.ndarray:
    """Return powers of ten with exponents from -200 to 200, looked up: computing them took most of the time."""
    return _POWERS[exponent + 200]


def check_rankings(rankings: Any, parameter: str = "rankings") -> np.ndarray:
    """Return rankings, dense tiers, shape (..., N, n_alternatives), as integers, or say which row is none."""
    try:
        values = np.asarray(rankings.to_numpy() if isinstance(rankings, pd.DataFrame) else rankings)
    except ValueError as error:  # rows of different lengths
        raise ParameterError(f"{parameter} must be a rectangular array: {error}") from error
    if values.ndim < 2 or 0 in values.shape:
        raise ParameterError(
            f"{parameter} must be a non-empty (N, n_alternatives) array, got shape {values.shape}; "
            "a single ranking is an array with one row"
        )
    if not np.issubdtype(values.dtype, np.number):
        raise ParameterError(f"{parameter}: rankings must be integers, got dtype {values.dtype}")
    ordered = np.sort(values, axis=-1)
    steps = ordered[..., 1:] - ordered[..., :-1]
    bad = (ordered[..., 0] != 0) | ~((steps == 0) | (steps == 1)).all(axis=-1)
    if bad.any():
        where = np.argwhere(bad)[0]
        raise ParameterError(
            f"{parameter}: row {where[-1]} is not a ranking: {values[tuple(where)].tolist()}; tiers are the integers "
            "0 (best), 1, 2, ... without gaps (rank_scores makes them from scores)"
        )
    return values.astype(np.intp, copy=False)
