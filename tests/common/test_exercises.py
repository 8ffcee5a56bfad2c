"""exercises: what is right, what is not, what is said about it, and what a seal gives away."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from genexpy_nb.common import exercises
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.exercises import RIGHT, UNANSWERED, WRONG, check, seal

HINT = "Look again."
HINTS = [HINT, "Count them."]
DOTS: object = ...


OWN_ROUNDS = exercises._ROUNDS


@pytest.fixture(autouse=True, scope="module")
def quick():
    """The hash of one round is as good as the slow one, for what is tested here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exercises, "_ROUNDS", 1)
        yield


@pytest.fixture(autouse=True)
def first_time(monkeypatch):
    monkeypatch.setattr(exercises, "_TRIED", {})


def told(given, answer, **how):
    return check("02-1", given, {"seal": seal("02-1", answer, **how), "hints": HINTS, **how})


SAME = [
    (True, np.True_),
    (3, np.int64(3)),
    (3, 3.0),
    ("b", " B "),
    ("non-significant", "Non significant"),
    ("Friedman–Nemenyi", "friedman-nemenyi"),
    ([1, 2], (1, 2)),
    ([1, 2], pd.Series([1, 2], index=["x", "y"])),
    ([[0, 1], [1, 0]], np.array([[0, 1], [1, 0]])),
    ({"a", "b"}, {"B", "A"}),
    ({1, 2}, {2.0, 1.0}),
    ({"OHE": 1, "TE": 2}, {"TE": 2, "OHE": 1}),
    ([1, 2], {"x": 1, "y": 2}.values()),
    ([6, 8], ["6", " 8"]),
    (True, 1),
    ([True, False], [1, 0]),
    ({"a", "b"}, ["b", "a"]),
    ({"a", "b"}, ("a", "b", "a")),
    (["06", "10"], [6, "10"]),
]


@pytest.mark.parametrize(("answer", "given"), SAME)
def test_ways_to_write_the_same_answer(answer, given):
    assert told(answer, answer) == told(given, answer) == RIGHT


OTHER = [
    (True, False),
    (3, 4),
    ("b", "c"),
    ([1, 2], [2, 1]),
    ([1, 2], [1, 2, 3]),
    ([1, 2], [1]),
    ([[0, 1], [1, 0]], [[0, 1, 1, 0]]),
    ({"a", "b"}, {"a"}),
    ({"OHE": 1, "TE": 2}, {"OHE": 2, "TE": 1}),
    (["ab", "c"], ["a", "bc"]),
    (3, float("inf")),
    (3, 10**400),
    ([1, 2], [1, float("nan")]),
]


@pytest.mark.parametrize(("answer", "given"), OTHER)
def test_wrong_answers(answer, given):
    assert told(given, answer).startswith(WRONG)


@given(st.integers(-(10**7), 10**7), st.integers(0, 3), st.floats(-4, 4))
def test_one_unit_of_the_last_digit_is_overlooked_and_two_are_not(point, decimals, units):
    answer, other = point / 10**decimals, (point + units) / 10**decimals
    assume(abs(abs(units) % 1 - 0.5) > 1e-6)  # a half is rounded to either side
    distance = abs(round(other * 10**decimals) - point)
    assert (told(other, answer, decimals=decimals) == RIGHT) == (distance <= 1)


def test_tens():
    right = [given for given in (329, 340, 351, 355, 364, 368) if told(given, 351.05, decimals=-1) == RIGHT]
    assert right == [340, 351, 355, 364]


@settings(max_examples=50)
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=6), st.data())
def test_each_number_of_a_list_may_be_off_by_a_unit(values, data):
    answer = [round(value, 2) for value in values]
    given = [value + data.draw(st.sampled_from([-0.01, 0, 0.01])) for value in answer]
    assert told(np.array(given), answer, decimals=2) == RIGHT
    place = data.draw(st.integers(0, len(answer) - 1))
    given[place] = answer[place] + 0.03
    assert told(given, answer, decimals=2).startswith(WRONG)
    assert told({str(row): value for row, value in enumerate(answer)}, answer, decimals=2).startswith(WRONG)


def test_whole_numbers_are_numbers_where_these_are_rounded():
    assert told(3, 3.0, decimals=1) == told([3, 0.5], [3.0, 0.5], decimals=1) == RIGHT
    assert told({1, 0.31}, {1.0, 0.3}, decimals=1) == RIGHT


def test_without_a_number_of_digits_a_fraction_is_refused():
    for answer in (0.5, [1, 0.5], {"a": 0.5}, float("nan"), None, object(), [None], 1j, dict):
        with pytest.raises(ParameterError, match="answer of 02-1"):
            seal("02-1", answer)


KINDS = [
    ("twelve", 12, "A whole number is wanted; this is a text."),
    ([12], 12, "A whole number is wanted; this is a list of whole numbers."),
    (1.5, 12, "A whole number is wanted; this is a number."),
    (2, True, "True or False is wanted; this is a whole number."),
    ([2, 3], [True, False], "A list of True or False is wanted; this is a list of whole numbers."),
    ({"a"}, ["a"], "A list of texts is wanted; this is a set of texts."),
    ([], ["a"], "A list of texts is wanted; this is a list."),
    ({"a": "b"}, {"a": 1}, "A dictionary of whole numbers is wanted; this is a dictionary of texts."),
    (map(str, [1]), ["1"], "A list of texts is wanted; this is of type map."),
    (pd.DataFrame(), 1, "A whole number is wanted; this is of type DataFrame."),
]


@pytest.mark.parametrize(("given", "answer", "said"), KINDS)
def test_another_kind_is_told(given, answer, said):
    assert told(given, answer) == f"{WRONG} {said}"


def test_usual_wrong_answers_are_explained():
    wrong = {seal("02-1", 47, decimals=1): "That is what is printed.", seal("02-1", "c", decimals=1): "No."}
    call = {"seal": seal("02-1", 33.4, decimals=1), "decimals": 1, "hints": HINTS, "wrong": wrong}
    assert check("02-1", 47.04, call) == f"{WRONG} That is what is printed."
    assert check("02-1", "c", call) == f"{WRONG} No."
    assert check("02-1", 33.4, call) == RIGHT


def test_a_second_wrong_answer_gets_the_second_hint_and_a_third_one_is_told_of_the_solution():
    first, second = (f"{WRONG} *Hint:* {hint}" for hint in HINTS)
    third = f"{second} If your copy has worked solutions, one is folded below this cell."
    assert [told(given, 3) for given in (4, 4, 5, 4, 6, 7)] == [first, first, second, first, third, third]
    assert check("02-2", 4, {"seal": seal("02-2", 3), "hints": HINTS}) == first  # each exercise counts for itself
    assert told(3, 3) == RIGHT


def test_what_is_nearly_right_is_told():
    shares = f"{RIGHT} We write shares: 0.14, 0.26."
    assert told([14, 26], [0.138, 0.257], decimals=2) == told((13.8, 25.7), [0.138, 0.257], decimals=2) == shares
    assert told(1, 0.01, decimals=1).startswith(WRONG)
    assert told(-2.27, 2.271, decimals=2) == f"{WRONG} The size is right, the sign is not."
    assert told([0.3, -0.5], [-0.3, 0.5], decimals=1) == f"{WRONG} The size is right, the sign is not."
    for typed, answer in (([2, 1], [1, 2]), (["c", 8], [8, "c"]), ([3, 1, 2], [1, 2, 3])):
        assert told(typed, answer) == f"{WRONG} The values are right, their order is not."
    for typed, answer in ((["b", "a"], ["a", "b"]), ([0, 1], [True, False])):
        assert "order" not in told(typed, answer)


def test_few_digits_and_answers_that_count_as_they_are_written():
    exact = exercises._How("02-1").sealed
    call = {"seal": seal("02-1", 0.2126, decimals=2), "decimals": 2, "hints": HINTS}
    call |= {"fewer": [exact(0.2)], "exactly": {exact(0.05): "That is the level."}}
    call |= {"wrong": {seal("02-1", 0.0414, decimals=2): "That is m = 0."}}
    assert check("02-1", 0.2, call) == "◐ **Right so far.** Give it to 2 decimals."
    assert check("02-1", 0.21, call) == check("02-1", 0.2203, call) == RIGHT
    assert check("02-1", 0.05, call) == f"{WRONG} That is the level."
    assert check("02-1", 0.0414, call) == f"{WRONG} That is m = 0."


def never_returns():
    raise KeyError("no <b>`x`</b>")


UNTOUCHED = [
    ...,
    [..., ...],
    {"a": ...},
    None,
    lambda: ...,
    lambda: [DOTS(x) for x in (1, 2)],
    lambda: DOTS + 1,
    lambda: DOTS["a"],
    lambda: np.mean(DOTS),
    lambda: round(DOTS, 2),
    lambda: [None, None],
]


@pytest.mark.parametrize("given", UNTOUCHED)
def test_three_dots_are_no_answer(given):
    for answer in (3, [1, 2], True, "a"):
        assert told(given, answer).startswith(UNANSWERED)


def test_functions_are_called_and_what_they_raise_is_told():
    assert told(lambda: [max(x) for x in ([0, 1], [2, 0])], [1, 2]) == RIGHT
    assert seal("02-1", lambda: 3) == seal("02-1", 3)
    said = told(never_returns, 3)
    assert said.startswith(f"{WRONG} Your answer stopped with KeyError") and "<b>" not in said.replace("\\<b", "")
    endless = []
    endless.append(endless)
    assert told(endless, 3).startswith(WRONG)


@settings(max_examples=50)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.binary(max_size=3),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3) | st.integers(), inner),
        max_leaves=5,
    )
)
def test_no_answer_stops_a_check(given):
    for how in ({}, {"decimals": 2}, {"decimals": -1}):
        assert str(told(given, "a string that is not among them", **how))


def test_nbgrader_gives_points_for_right_answers_only(monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    assert told(3, 3) == RIGHT
    for answer in (4, ...):
        with pytest.raises(AssertionError, match=r"Not"):
            told(answer, 3)


CALLS = [
    ("2-1", {"seal": "x"}, "such as '02-1'"),
    ("02-1", {}, "no seal of it"),
    ("02-1", {"seal": "not base 32!"}, "no seal of it"),
    ("02-1", {"decimals": 1.5}, "decimals"),
    ("02-1", {"hints": [HINT]}, "hints of 02-1: two"),
    ("02-1", {"seal": seal("02-1", 1), "wrong": {"x": "because"}}, "no seal of it"),
    ("02-99", None, r"no table \[99\] in 02.toml"),
    ("99-1", None, r"no table \[1\] in 99.toml"),
]


@pytest.mark.parametrize(("exercise", "call", "said"), CALLS)
def test_a_check_that_is_itself_wrong_stops(exercise, call, said):
    with pytest.raises(ParameterError, match=said):
        check(exercise, ..., None if call is None else {"hints": HINTS, **call})


def test_a_seal_tells_nothing_that_can_be_read():
    answers = [True, 3, 1234, "generalizable", ["OHE", "TE"], {"a": 1}, {"b"}]
    seals = [seal(f"0{room}-{number}", answer) for room in (1, 2) for number in (1, 2) for answer in answers]
    assert len(set(seals)) == len(seals)  # the same answer has another one in another exercise
    assert all(text.isalnum() and 14 < len(text) < 20 for text in seals)
    beginnings = {seal(f"02-{number}", 3)[:2] for number in range(1, 30)}
    assert len(beginnings) > 15  # nor does its kind show


def test_remainders_are_all_that_numbers_leave_in_the_open():
    """Two thirds of the neighbouring numbers differ in their seal's head; numbers three units apart do not."""
    heads = [exercises._How("02-1", 1).head_of(seal("02-1", tenths / 10, decimals=1)) for tenths in range(12)]
    assert all(heads[row] == heads[row + 3] for row in range(9))
    assert all(one != other for one, other in itertools.pairwise(heads))


def test_each_try_takes_thousands_of_rounds(monkeypatch):
    assert OWN_ROUNDS == 10_000
    asked = []
    monkeypatch.setattr(exercises, "slow_hash", lambda text, salt, rounds: asked.append(rounds) or bytes(32))
    monkeypatch.setattr(exercises, "_ROUNDS", 321)
    for answer in (0, 1):
        seal("02-1", answer)
    assert asked == [321, 321]
