"""Scores to rankings with ties, when two scores are equal, and what a ranking looks like; and who of two has won."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from genexpy_nb.common.checks import check_direction, check_table
from genexpy_nb.common.errors import ParameterError, StudyError

#: Scores that are equal when rounded to so many significant digits tie.
SIGNIFICANT_DIGITS = 12

_FIRST = "1 1.0 a one model_a model_1 model1 first left system_a response_a answer_a a_wins a>b a>>b"
_SECOND = "0 0.0 b 2 two model_b model_2 model2 second right system_b response_b answer_b b_wins b>a b>>a"
_TIES = "0.5 a=b tie ties tied draw both equal same similar neither none both_bad both_good bothbad tie_bothbad "
_TIES += "tie_(bothbad) 1/2_1/2 ½_½"
_SIDES = {word: won for words, won in ((_FIRST, 1.0), (_SECOND, 0.0), (_TIES, 0.5)) for word in words.split()}
_TURNED = {"not", "no", "worse", "less", "lose", "loses", "loss", "lost", "loser", "resigns", "resigned"}

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


def won_by_first(said: pd.Series, first: pd.Series, second: pd.Series) -> pd.Series:
    """Return what share of each vote between two the first one has; NaN where a winner is no word or number for it."""
    if pd.api.types.is_numeric_dtype(said):
        numbers = said.astype(float)
        if numbers.between(0, 1).all():
            return numbers
        if numbers.between(1, 2).all():  # the share of the second one, and 1
            return 2 - numbers
        return numbers.map({1: 1.0, 0: 0.5, 2: 0.0} if (numbers == 2).any() else {1: 1.0, 0: 0.5, -1: 0.0})
    one, other = (_words(str(side.name)) for side in (first, second))
    white = 0.0 if "white" in other - one else 1.0  # results of games are written with White first
    sides = _SIDES | {"1_0": white, "0_1": 1 - white}
    sides |= {**dict.fromkeys(one - other, 1.0), **dict.fromkeys(other - one, 0.0)}
    sides |= {str(first.name).lower(): 1.0, str(second.name).lower(): 0.0}
    texts = said.astype(str).str.strip().str.lower()
    coded = texts.map({text: _side(text, sides) for text in texts.unique()}).astype(float)
    named = np.where(said == first, 1.0, np.where(said == second, 0.0, np.nan))
    models = {*first, *second}
    if all(each in models or share == 0.5 for each, share in zip(said, coded, strict=True)):
        return pd.Series(named, said.index).fillna(coded.where(coded == 0.5))
    return coded


def _side(text: str, sides: dict[str, float]) -> float:
    """Return what share the first one has, by a word such as "draw", or one in "agent1", "b-is-better"."""
    words = _words(text)
    found = {sides[word] for word in words & sides.keys()}
    alone = len(found) == 1 and re.search(r"[^\W\d_]", text) and not words & _TURNED
    return sides.get(re.sub(r"[ -]", "_", text), found.pop() if alone else np.nan)


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]+|\d+", text.lower()))
