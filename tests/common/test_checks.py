"""Checks of what the user gives: every edge of every interval, and what is no number although numpy would take it."""

from decimal import Decimal
from fractions import Fraction
from math import inf, nan, nextafter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genexpy_nb.common.checks import (
    check_choice,
    check_columns,
    check_count,
    check_direction,
    check_level,
    check_levels,
    check_number,
    check_numbers,
    check_positives,
    check_probabilities,
    check_scores,
    listed,
    similar,
    suggest,
)
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.rankings import rank_scores

NO_NUMBERS = [True, False, np.True_, "0.5", b"0.5", None, [0.5], 0.5j, nan, pd.NA, pd.NaT]


def refused(message):
    """The whole message, word by word."""
    return pytest.raises(ParameterError, match=f"^{message}$")


# --- words ------------------------------------------------------------------------------------------------------------


def test_names_are_suggested_only_if_they_are_near():
    assert suggest("scorring", ["scoring", "model"]) == "; did you mean 'scoring'?"
    assert suggest(2012, [2013, 99]) == "; did you mean '2013'?"
    assert suggest("x", ["scoring", "model"]) == suggest("x", []) == ""


def test_lists_say_how_much_they_leave_out():
    assert listed(range(3)) == "0, 1, 2"
    assert listed(range(8)) == "0, 1, 2, 3, 4, 5, 6, 7"
    assert listed(range(9)) == "0, 1, 2, 3, 4, 5, 6, 7, ... (9 in all)"
    assert listed(iter("abc"), most=2) == "a, b, ... (3 in all)"
    assert listed([]) == ""


# --- parameters -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("choices", [("error", "drop"), ["error", "drop"], {"error": 1, "drop": 2}.keys()])
def test_a_choice_is_one_of_those_named(choices):
    check_choice("missing", "drop", choices)
    with refused(r"missing must be one of 'error', 'drop', got 'dropp'; did you mean 'drop'\?"):
        check_choice("missing", "dropp", choices)
    for value in (None, 3, ["drop"], "DROP"):
        with pytest.raises(ParameterError, match="missing must be one of 'error', 'drop', got"):
            check_choice("missing", value, choices)


@pytest.mark.parametrize("value", [2, np.int8(2), np.uint64(2)])
def test_a_count_is_a_python_integer(value):
    count = check_count("n", value, at_least=2, at_most=2)
    assert (count, type(count)) == (2, int)


@pytest.mark.parametrize("value", [*NO_NUMBERS, 2.0, np.float64(2), Fraction(2), inf])
def test_what_is_no_whole_number_is_no_count(value):
    for at_most in (inf, 9):
        with pytest.raises(ParameterError, match="n must be a whole number"):
            check_count("n", value, at_least=0, at_most=at_most)


def test_both_ends_belong_to_the_range_of_a_count():
    assert [check_count("n", value, 3, 5) for value in (3, 5)] == [3, 5]
    assert check_count("n", 10**30) == 10**30
    assert check_count("n", -2, at_least=-2) == -2
    for value in (2, 6):
        with refused(f"n must be a whole number from 3 to 5, got {value}"):
            check_count("n", value, 3, 5)
    with refused("n must be a whole number of at least 1, got 0"):
        check_count("n", 0)


@pytest.mark.parametrize("low_belongs", [True, False])
@pytest.mark.parametrize("high_belongs", [True, False])
@pytest.mark.parametrize(("low", "high"), [(0, 1), (-2.5, 7), (0, inf), (-inf, 1), (-inf, inf)])
def test_a_number_lies_between_its_ends_or_on_those_that_belong_to_it(low, high, low_belongs, high_belongs):
    ends = ("[" if low_belongs else "(") + ("]" if high_belongs else ")")
    outside = [inf, -inf]
    inside = [0.5] if (low, high) != (-inf, inf) else [0.5, -1e300, 1e300]
    if low > -inf:
        inside.append(nextafter(low, inf))
        outside.append(nextafter(low, -inf))
        (inside if low_belongs else outside).append(low)
    if high < inf:
        inside.append(nextafter(high, -inf))
        outside.append(nextafter(high, inf))
        (inside if high_belongs else outside).append(high)
    for value in inside:
        number = check_number("x", value, low, high, ends)
        assert number == value
        assert type(number) is float
    for value in outside:
        with pytest.raises(ParameterError, match=r"^x must be a "):
            check_number("x", value, low, high, ends)


@pytest.mark.parametrize("value", [1, 1.0, np.float32(1), np.int64(1), Fraction(1)])
def test_numbers_of_all_kinds_become_floats(value):
    number = check_number("x", value, 0, 1, "(]")
    assert (number, type(number)) == (1.0, float)


@pytest.mark.parametrize("value", NO_NUMBERS)
def test_what_is_no_number_is_refused(value):
    for check in (check_number, check_level):
        with pytest.raises(ParameterError, match=r"^x must be a (finite )?number"):
            check("x", value)


@pytest.mark.parametrize(
    ("value", "low", "high", "ends", "message"),
    [
        (-1, 0, inf, "()", "x must be a number > 0, got -1"),
        (-1, 0, inf, "[)", "x must be a number >= 0, got -1"),
        (3, -inf, 2, "()", "x must be a number < 2, got 3"),
        (3, -inf, 2.5, "(]", "x must be a number <= 2.5, got 3"),
        (3, 0, 1, "()", r"x must be a number in \(0, 1\), got 3"),
        (3, 0, 1, "(]", r"x must be a number in \(0, 1\], got 3"),
        ("3", 0, 1, "[)", r"x must be a number in \[0, 1\), got '3'"),
        (nan, -inf, inf, "()", "x must be a finite number, got nan"),
    ],
)
def test_the_message_says_what_would_be_right(value, low, high, ends, message):
    with refused(message):
        check_number("x", value, low, high, ends)


def test_a_level_lies_between_0_and_1():
    smallest, largest = nextafter(0, 1), nextafter(1, 0)
    for level in (smallest, 0.05, largest):
        assert check_level("level", level) == level
        np.testing.assert_array_equal(check_levels("alpha", level), [level])
    for level in (0, 1, -0.05, 95, inf):
        with pytest.raises(ParameterError, match=r"confidence must be a (finite )?number in \(0, 1\), got"):
            check_level("confidence", level)
        with pytest.raises(ParameterError, match=r"alpha must be one or more numbers in \(0, 1\), got \[0.5, "):
            check_levels("alpha", [0.5, level])


@pytest.mark.parametrize("values", [[0.9, 0.5], (0.9, 0.5), pd.Series([0.9, 0.5]), np.array([0.9, 0.5], dtype=object)])
def test_levels_are_an_array(values):
    levels = check_levels("alpha", values)
    assert levels.dtype == float
    assert levels.tolist() == [0.9, 0.5]


def test_positives_keep_their_shape():
    assert check_positives("epsilon", 3).shape == ()
    assert check_positives("epsilon", [[1, 2], [3, 5e-324]]).tolist() == [[1, 2], [3, 5e-324]]
    for value in (0, -1e-300, inf, -inf):
        with pytest.raises(ParameterError, match=r"^epsilon must be one or more numbers > 0, got \[\[1, "):
            check_positives("epsilon", [[1, value]])


@pytest.mark.parametrize("check", [check_levels, check_positives])
@pytest.mark.parametrize(
    "values", [*(value for value in NO_NUMBERS if value != [0.5]), [], ["0.5"], [True], [[0.5], [0.5, 0.5]], {0.5}]
)
def test_what_is_no_array_of_numbers_is_refused(check, values):
    for given_values in (values, np.array([values], dtype=object)):
        with pytest.raises(ParameterError, match="x must be one or more numbers"):
            check("x", given_values)


def test_nullable_columns_are_numbers_unless_one_is_missing():
    assert check_positives("x", pd.Series([1, 2], dtype="Int64")).tolist() == [1, 2]
    with pytest.raises(ParameterError):
        check_positives("x", pd.Series([1, None], dtype="Int64"))


def test_probabilities_sum_to_one():
    for values in ([0.5, 0.5], (1, 0), pd.Series([0.25, 0.75])):
        p = check_probabilities("p", values, 2)
        assert (p.tolist(), p.dtype) == (list(values), float)
    # A sum that is off by less than the tolerance is taken as it is; by more, it is refused.
    assert check_probabilities("p", [0.5, 0.5 + 0.9e-9], 2).tolist() == [0.5, 0.5 + 0.9e-9]
    for off in (1.1e-9, -1.1e-9):
        with pytest.raises(ParameterError, match="p must be 2 numbers >= 0 with sum 1, got sum"):
            check_probabilities("p", [0.5, 0.5 + off], 2)


@pytest.mark.parametrize(
    ("values", "got"),
    [
        ([0.5, 0.4], "sum 0.9 and minimum 0.4"),
        ([1.5, -0.5], "sum 1.0 and minimum -0.5"),
        ([nan, 1.0], "sum nan and minimum nan"),
        ([1.0], r"shape \(1,\)"),
        ([[0.5, 0.5]], r"shape \(1, 2\)"),
        ("half", "'half'"),
        ([True, False], r"\[True, False\]"),
    ],
)
def test_what_are_no_probabilities_is_refused(values, got):
    with refused(f"p must be 2 numbers >= 0 with sum 1, got {got}"):
        check_probabilities("p", values, 2)


# --- tables -----------------------------------------------------------------------------------------------------------


def test_a_table_has_the_columns_that_are_needed():
    frame = pd.DataFrame({"kernel": [], "alpha": [], 3: []})
    for needed in ([], ["alpha"], ("kernel", "alpha"), [3]):
        check_columns(frame, needed)
    said = r"^the table has no column 'alhpa'; did you mean 'alpha'\?; it needs kernel, alhpa, x$"
    with pytest.raises(StudyError, match=said):
        check_columns(frame, ["kernel", "alhpa", "x"])
    with pytest.raises(StudyError, match=r"^pairs has no column 'x'; it needs x$"):
        check_columns(frame, ["x"], "pairs")
    for other in ({"kernel": []}, frame["kernel"], None, np.eye(2)):
        with pytest.raises(StudyError, match=f"^pairs must be a pandas DataFrame, got {type(other).__name__}$"):
            check_columns(other, ["kernel"], "pairs")


def test_scores_are_a_finite_array_with_names():
    table = check_scores([[1, 2, 3], [4, 5, 6]])
    assert table.values.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert table.values.dtype == float
    assert (table.names.tolist(), table.n_dropped) == ([0, 1, 2], 0)
    frame = pd.DataFrame({"a": [1, 2, None, 4], "b": [True, None, False, True]}, dtype="object")
    table = check_scores(frame, missing="drop")
    assert (table.values.tolist(), table.names.tolist(), table.n_dropped) == ([[1, 1], [4, 1]], ["a", "b"], 2)


@pytest.mark.parametrize(
    ("scores", "missing", "message"),
    [
        ([1, 2], "error", r"scores must have shape \(n_conditions, n_alternatives\), got \(2,\)"),
        ([[[1, 2]]], "error", r"got \(1, 1, 2\)"),
        ([[1], [2]], "error", r"at least two alternatives are needed, got shape \(2, 1\)"),
        ([[1, 2]], "error", "at least two conditions are needed, got 1: a single one says nothing about chance"),
        ([[1, 2], [nan, 2], [3, nan]], "drop", "got 1, 2 incomplete ones left out"),
        ([[nan, nan], [nan, 2]], "drop", "got 0, 2 incomplete ones left out"),
        ([[1, 2], [nan, nan], [3, nan]], "error", "^3 scores are missing in 2 of 3 conditions, the first for alt"),
        ([[1, -inf], [nan, 2]], "drop", "scores must be finite, got -inf for alternative 1 in condition 0"),
        ([["a", 1], ["b", 2]], "error", "scores of 0 must be numbers"),
        (pd.DataFrame([[1, 2, 3]] * 2, columns=["a", "b", "a"]), "error", "two alternatives are named 'a'"),
        (pd.DataFrame({"a": [1, 2], "b": [1, nan]}, index=["x", "y"]), "error", "for alternative 'b' in condition 'y'"),
    ],
)
def test_what_are_no_scores_is_refused(scores, missing, message):
    with pytest.raises(StudyError, match=message):
        check_scores(scores, missing)


TIMES = pd.Series(["2026-01-01", "2026-01-03", None])
NO_SCORES = {
    "datetime": TIMES.astype("datetime64[ns]"),
    "datetime with a zone": TIMES.astype("datetime64[ns, UTC]"),
    "timedelta": pd.to_timedelta(pd.Series([1, 2, None]), unit="s"),
    "period": pd.Series(pd.period_range("2026-01", periods=3, freq="M")),
    "complex": np.array([1 + 2j, 3, 4]),
    "objects: NaT": pd.Series([1.0, pd.NaT, 2.0], dtype=object),
    "objects: datetime of numpy": pd.Series([1.0, np.datetime64("2026-01-01"), 2.0], dtype=object),
    "objects: complex": pd.Series([1.0, 1j, 2.0], dtype=object),
    "objects: lists": pd.Series([1.0, [2.0], 2.0], dtype=object),
    "text": pd.Series(["0.1", "n/a", "0.2"]),
    "text that says nan": pd.Series(["0.1", "nan", "0.2"]),
}


@pytest.mark.parametrize("values", NO_SCORES.values(), ids=NO_SCORES)
@pytest.mark.parametrize("missing", ["error", "drop"])
def test_what_numpy_or_pandas_would_make_numbers_of_is_refused(values, missing):
    with pytest.raises(StudyError, match=r"^scores must be numbers"):
        check_numbers(values)
    scores = pd.DataFrame({"clock": values, "b": [1.0, 2.0, 3.0]})
    with pytest.raises(StudyError, match=r"^the scores of 'clock' must be numbers"):
        check_scores(scores, missing)
    with pytest.raises(StudyError, match=r"^the scores of 'clock' must be numbers"):
        rank_scores(scores, higher_is_better=True)
    array = np.column_stack([np.asarray(values)] * 2)
    with pytest.raises(StudyError, match=r"^the scores of 0 must be numbers"):
        check_scores(array, missing)


def test_the_message_names_the_row_or_the_type_and_what_to_do():
    with pytest.raises(StudyError, match=r"^'seconds' must be numbers; row 'wine' holds 'n/a'$"):
        check_numbers(pd.Series([1, "n/a"], index=["iris", "wine"]), "'seconds'")
    said = r"^scores must be numbers, got timedelta64\[.s\]; make numbers of times first"
    with pytest.raises(StudyError, match=said):
        check_numbers(NO_SCORES["timedelta"])
    with pytest.raises(StudyError, match=r"^scores must be numbers, got complex128; take its real part or its size$"):
        check_numbers(NO_SCORES["complex"])


@pytest.mark.parametrize(
    "dtype", ["int64", "uint8", "float32", "Int64", "Float64", "object", "string", "str", "category", "Sparse[float]"]
)
def test_numbers_of_any_type_are_numbers(dtype):
    values = pd.Series([3, 1, 2]).astype("string" if dtype in ("string", "str") else "int64").astype(dtype)
    numbers = check_numbers(values)
    assert numbers.dtype == float
    assert numbers.tolist() == [3, 1, 2]


def test_other_numbers_and_missing_ones():
    given_values = [Fraction(1, 2), Decimal("0.25"), np.float32(0.125), True, np.False_, "1e-3", 10**30]
    assert check_numbers(given_values).tolist() == [0.5, 0.25, 0.125, 1, 0, 1e-3, 1e30]
    assert np.isnan(check_numbers([None, nan, pd.NA, Decimal("nan"), np.float32(nan)])).all()
    assert np.isnan(check_numbers(pd.array([True, None], dtype="boolean"))).tolist() == [False, True]
    assert check_numbers([inf, -inf]).tolist() == [inf, -inf]
    masked = np.ma.masked_array([[1, 2], [3, 4], [5, 6]], mask=[[0, 0], [0, 1], [0, 0]])
    assert check_scores(masked, missing="drop").values.tolist() == [[1, 2], [5, 6]]
    with pytest.raises(StudyError, match=r"^scores must have shape \(n_conditions, n_alternatives\)"):
        check_scores([[1, 2], [3]])


def test_two_conditions_and_two_alternatives_are_enough():
    assert check_scores([[1, 2], [3, 4]]).n_dropped == 0
    assert check_scores([[1, 2], [nan, 2], [3, 4]], missing="drop").values.shape == (2, 2)
    with pytest.raises(ParameterError, match="missing must be one of 'error', 'drop', got 'impute'"):
        check_scores([[1, 2], [3, 4]], missing="impute")


# --- numbers that should be equal -------------------------------------------------------------------------------------


@given(st.floats(1e-300, 1e300))
def test_what_exceeds_a_threshold_by_rounding_only_is_similar(epsilon):
    assert similar([epsilon, 0.0, epsilon / 2, epsilon * (1 + 1e-12), epsilon * (1 + 0.9e-9)], epsilon).all()
    assert not similar([epsilon * (1 + 1.1e-9), epsilon * (1 + 1e-8), 2 * epsilon], epsilon).any()


def test_similar_takes_arrays_that_fit_each_other():
    distances = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, nan]])
    assert similar(distances, [0.3, 0.5, 0.5]).tolist() == [[True, True, True], [False, True, False]]
    assert similar(distances[:, :, None], [0.2, 0.45]).shape == (2, 3, 2)
    # A threshold of 0 leaves no room.
    assert similar([0.0, 5e-324], 0).tolist() == [True, False]


@pytest.mark.parametrize("value", [True, False, np.True_, np.False_])
def test_booleans_of_numpy_are_booleans(value):
    assert check_direction(value) is bool(value)
