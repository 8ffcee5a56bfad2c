"""Rankings from scores: against scipy and the definition."""

import math

import numpy as np
import pandas as pd
import pytest
import scipy.stats as st
from hypothesis import given
from hypothesis import strategies as hs
from hypothesis.extra.numpy import array_shapes, arrays

from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.rankings import check_rankings, rank_scores, round_significant

SHAPES = array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=7)
FEW_VALUES = hs.sampled_from([-2.0, -1.0, 0.0, -0.0, 0.5, 1e-300, 1e300, 0.3, 0.1 + 0.2])


@given(arrays(int, SHAPES, elements=hs.integers(-4, 4)), hs.booleans())
def test_rank_scores_equals_scipy(scores, higher):
    expected = st.rankdata(-scores if higher else scores, method="dense", axis=1) - 1
    np.testing.assert_array_equal(rank_scores(scores, higher_is_better=higher), expected)


def rank_row_by_definition(row, higher):
    seen = [None if math.isnan(x) else float(f"{x:.11e}") for x in row]
    levels = sorted({x for x in seen if x is not None}, reverse=higher)
    return [len(levels) if x is None else levels.index(x) for x in seen]


@given(arrays(float, SHAPES, elements=FEW_VALUES | hs.just(np.nan)), hs.booleans())
def test_rank_scores_equals_definition_with_ties_and_missing(scores, higher):
    scores[np.isnan(scores).all(axis=1), 0] = -1.0
    expected = [rank_row_by_definition(row, higher) for row in scores]
    np.testing.assert_array_equal(rank_scores(scores, higher_is_better=higher), expected)


def test_what_rounds_to_the_same_decimals_is_the_same_number_in_every_bit():
    """From below, from above, and exact: one number, whatever the power of ten."""
    for power in range(-300, 300):
        for mantissa in ("1.", "5.", "2.", "9."):
            exact = float(f"{mantissa}e{power}")
            around = [exact * (1 - 2e-16), exact * (1 + 4e-16), exact * (1 - 1e-13 / 3)]
            rounded = round_significant([exact, *around, -exact])
            assert len(set(np.abs(rounded))) == 1, (mantissa, power)
            assert rounded[0] == -rounded[-1] == pytest.approx(exact, rel=1e-15)


def test_rounding_equals_formatting_in_decimals():
    rng = np.random.default_rng(0)
    values = rng.uniform(-10, 10, 3000) * 10.0 ** rng.integers(-300, 290, 3000)
    np.testing.assert_allclose(round_significant(values), [float(f"{x:.11e}") for x in values], rtol=1e-15)


def test_rounding_of_what_is_no_ordinary_number():
    rounded = round_significant([0.0, -0.0, np.nan, np.inf, -np.inf, 5e-324])
    np.testing.assert_array_equal(rounded, [0.0, 0.0, np.nan, np.inf, -np.inf, 5e-324])
    assert round_significant(np.zeros((2, 0, 3))).shape == (2, 0, 3)


@pytest.mark.parametrize("base", [0.3, 7.0, 123456.0, 1.0, 10.0, 1000.0])
def test_the_twelfth_digit_counts_and_the_thirteenth_does_not(base):
    unit = 10.0 ** (np.floor(np.log10(base)) - 11)
    ranks = rank_scores([[base, base + 0.3 * unit, base + unit]], higher_is_better=True)
    np.testing.assert_array_equal(ranks, [[1, 1, 0]])


def test_subnormal_and_largest_scores_are_ranked():
    ranks = rank_scores([[5e-324, 0.0, np.finfo(float).max, -np.finfo(float).max]], higher_is_better=True)
    np.testing.assert_array_equal(ranks, [[1, 2, 0, 3]])


def test_frames_and_nullable_columns():
    frame = pd.DataFrame({"a": [0.5, 0.1], "b": pd.array([1, None], dtype="Int64")})
    np.testing.assert_array_equal(rank_scores(frame, higher_is_better=True), [[1, 0], [0, 1]])


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ([[1.0, np.inf]], "row 0, column 1"),
        ([[1.0, 2.0], [np.nan, np.nan]], "row 1 has no observed score"),
        ([1.0, 2.0], r"got \(2,\)"),
        ([["a", "b"]], "must be numbers"),
        (np.empty((3, 0)), r"got \(3, 0\)"),
        ([[-np.inf, 1.0]], "got -inf in row 0, column 0"),
    ],
)
def test_rank_scores_errors(scores, words):
    with pytest.raises(StudyError, match=words):
        rank_scores(scores, higher_is_better=True)


# --- what is a ranking ------------------------------------------------------------------------------------------------


@given(arrays(int, SHAPES, elements=hs.integers(-1, 4)))
def test_rankings_are_those_that_use_all_integers_from_zero(values):
    dense = [set(row) == set(range(max(row) + 1)) for row in values.tolist()]
    if all(dense):
        checked = check_rankings(values)
        np.testing.assert_array_equal(checked, values)
        assert checked.dtype == np.intp
    else:
        with pytest.raises(ParameterError, match=f"tables: row {dense.index(False)} is not a ranking"):
            check_rankings(values, "tables")


@pytest.mark.parametrize(
    ("rankings", "words"),
    [
        ([0, 1], r"got shape \(2,\); a single ranking is an array with one row"),
        (np.empty((0, 3), dtype=int), r"got shape \(0, 3\)"),
        (np.empty((3, 0), dtype=int), r"got shape \(3, 0\)"),
        ([[0, 1], [0]], "rectangular"),
        ([["a", "b"]], "must be integers"),
        ([[0, 0.5]], r"row 0 is not a ranking: \[0.0, 0.5\]"),
        ([[0, np.nan]], "row 0 is not a ranking"),
    ],
)
def test_what_is_no_ranking(rankings, words):
    with pytest.raises(ParameterError, match=words):
        check_rankings(rankings)


def test_stacks_of_rankings():
    stack = np.array([[[0, 1], [1, 0]], [[0, 0], [0, 1]]])
    np.testing.assert_array_equal(check_rankings(stack), stack)
    stack[1, 0] = [1, 1]
    with pytest.raises(ParameterError, match=r"row 0 is not a ranking: \[1, 1\]"):
        check_rankings(stack)
