"""Rankings from scores: against scipy and the definition."""

import math

import numpy as np
import pandas as pd
import pytest
import scipy.stats as st
from hypothesis import given
from hypothesis import strategies as hs
from hypothesis.extra.numpy import array_shapes, arrays

from genexpy_nb.common.errors import StudyError
from genexpy_nb.common.rankings import rank_scores

SHAPES = array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=7)
FEW_VALUES = hs.sampled_from([-2.0, -1.0, 0.0, -0.0, 0.5, 1e-300, 1e300, 0.3, 0.1 + 0.2])


@given(arrays(int, SHAPES, elements=hs.integers(-4, 4)), hs.booleans())
def test_rank_scores_equals_scipy(scores, higher):
    expected = st.rankdata(-scores if higher else scores, method="dense", axis=1) - 1
    np.testing.assert_array_equal(rank_scores(scores, higher), expected)


def rank_row_by_definition(row, higher):
    seen = [None if math.isnan(x) else float(f"{x:.11e}") for x in row]
    levels = sorted({x for x in seen if x is not None}, reverse=higher)
    return [len(levels) if x is None else levels.index(x) for x in seen]


@given(arrays(float, SHAPES, elements=FEW_VALUES | hs.just(np.nan)), hs.booleans())
def test_rank_scores_equals_definition_with_ties_and_missing(scores, higher):
    scores[np.isnan(scores).all(axis=1), 0] = -1.0
    expected = [rank_row_by_definition(row, higher) for row in scores]
    np.testing.assert_array_equal(rank_scores(scores, higher), expected)


@given(hs.floats(1e-300, 1e300), hs.integers(2, 9))
def test_equal_to_twelve_digits_is_a_tie_and_more_is_not(x, n):
    x = float(f"{x:.11e}")  # centre of its rounding cell, where the last bits cannot matter
    near = np.full((1, n), x) * (1 + np.linspace(-1, 1, n) * 1e-14)
    assert (rank_scores(near) == 0).all()
    np.testing.assert_array_equal(rank_scores([[x, x * (1 + 1e-10)]]), [[1, 0]])


def test_rounding_carries_over_a_power_of_ten():
    for power in (-300, -7, 0, 3, 250):
        low, high = float(f"9.99999999999999e{power}"), float(f"1e{power + 1}")
        np.testing.assert_array_equal(rank_scores([[low, high, -low, -high]]), [[0, 0, 1, 1]])


def test_subnormal_and_largest_scores_are_ranked():
    np.testing.assert_array_equal(
        rank_scores([[5e-324, 0.0, np.finfo(float).max, -np.finfo(float).max]]), [[1, 2, 0, 3]]
    )


def test_missing_is_worst_also_when_scores_are_negative_and_lower_is_better():
    np.testing.assert_array_equal(rank_scores([[-3.0, np.nan, -9.0, np.nan]]), [[0, 2, 1, 2]])
    np.testing.assert_array_equal(rank_scores([[-3.0, np.nan, -9.0]], higher_is_better=False), [[1, 2, 0]])


def test_frames_and_nullable_columns():
    frame = pd.DataFrame({"a": [0.5, 0.1], "b": pd.array([1, None], dtype="Int64")})
    np.testing.assert_array_equal(rank_scores(frame), [[1, 0], [0, 1]])


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ([[1.0, np.inf]], "row 0, column 1"),
        ([[1.0, 2.0], [np.nan, np.nan]], "row 1 has no observed score"),
        ([1.0, 2.0], r"got \(2,\)"),
        ([["a", "b"]], "must be numbers"),
    ],
)
def test_rank_scores_errors(scores, words):
    with pytest.raises(StudyError, match=words):
        rank_scores(scores)
