"""Agreement of conclusions: tables at the edge of what can be asked, two random factors, and what is refused."""

from itertools import product

import numpy as np
import pytest

from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.conclusions.tables import (
    BY,
    CONCLUSIONS,
    agreement_of_cells,
    agreement_of_rows,
    as_question,
    experiments_for_agreement,
)
from tests.agreement_asked import CASES, LEAST, NORMAL, check, show_every_estimate, values
from tests.of_arrays import agreement_of_table

# --- edges ------------------------------------------------------------------------------------------------------------

LEADER = np.column_stack([NORMAL, np.full(20, 9.0)])
TABLES = {
    "all the same": np.full((10, 4), 0.1),
    "always the same order": np.tile([0.3, 0.2, 0.1, 0.0], (10, 1)),
    "two leaders the same": np.column_stack([NORMAL[:, :3], NORMAL[:, 0]]),
    "two the same, always the worst": np.column_stack([NORMAL[:, :2], np.full((20, 2), -9.0)]),
    "one always wins": LEADER,
    "five experiments": NORMAL[:5],
    "two alternatives": NORMAL[:, :2],
    "two of five": NORMAL[:5, :2],
    "ties everywhere": np.random.default_rng(7).integers(0, 2, (12, 4)).astype(float),
    "large and small": NORMAL * [1e6, 1, 1, 1e-6],
}
EDGES = [(name, *case) for name, case in product(TABLES, CASES)]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("name", "conclusion", "by"), EDGES)
def test_edges_give_numbers_and_no_warnings(name, conclusion, by):
    with np.errstate(all="raise", under="ignore"):
        found = agreement_of_table(TABLES[name], conclusion, [5, 1_000_000], by=by)
    a = TABLES[name].shape[1]
    k = min(3, a - 1)
    least = {**LEAST, "winner": 1 / a, "top-k": k / a}[conclusion]
    check(found, conclusion, least)


@pytest.mark.parametrize("conclusion", CONCLUSIONS)
def test_where_all_alternatives_are_the_same_two_studies_agree_by_chance(conclusion, monkeypatch):
    show_every_estimate(monkeypatch)
    found = agreement_of_table(TABLES["all the same"], conclusion, [5, 10, 100])
    expected = 1.0 if conclusion == "tiers" else LEAST[conclusion]
    assert found["estimate"].to_numpy() == pytest.approx(expected, abs=0.06)
    assert (found["low"] <= expected + 1e-9).all() and (expected <= found["high"] + 1e-9).all()


@pytest.mark.parametrize(("conclusion", "by"), CASES)
def test_where_the_order_is_always_the_same_it_is_certain(conclusion, by):
    table = TABLES["always the same order"]
    assert values(table, conclusion, [10, 100], by=by) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("by", BY)
def test_one_that_always_wins_far_ahead_will_win_again(by):
    found = agreement_of_table(LEADER, "winner", [20, 100], by=by)
    assert found["estimate"].to_numpy() == pytest.approx(1, abs=0.01) and (found["low"] > 0.9).all()


@pytest.mark.parametrize("conclusion", ["winner", "order", "tiers"])
def test_many_alternatives_and_very_large_studies(conclusion):
    table = np.random.default_rng(8).normal(np.linspace(0, 1, 300), 1, (12, 300))
    with np.errstate(all="raise", under="ignore"):
        check(agreement_of_table(table, conclusion, [1_000_000]), conclusion, 0.0)


# --- two factors ------------------------------------------------------------------------------------------------------


def cells(n=20, m=4, of_level=0.5, seed=10):
    rng = np.random.default_rng(seed)
    return rng.normal([1, 0.4, 0], 0.3, (n, m, 3)) + rng.normal(0, of_level, (1, m, 3))


ASK = as_question("order", ["a", "b", "c"], by="score")


def test_more_experiments_do_not_replace_levels_of_the_other_factor():
    found = agreement_of_cells(cells(of_level=1.0), ASK, [(20, 4), (10_000, 4), (20, 400)])
    assert found["estimate"][1] - found["estimate"][0] < 0.05
    assert found["estimate"][2] - found["estimate"][0] > 0.1


@pytest.mark.parametrize("conclusion", ["winner", "top-k", "order"])
def test_without_an_effect_of_the_second_factor_two_factors_are_one(conclusion):
    rows = np.random.default_rng(11).normal([0.5, 0.2, 0], 1, (24, 3))
    question = as_question(conclusion, [0, 1, 2], by="score", k=2)
    one = agreement_of_rows(rows, question, [12, 48])
    two = agreement_of_cells(np.repeat(rows[:, None], 3, axis=1), question, [(12, 3), (48, 3)])
    assert two["estimate"].to_numpy() == pytest.approx(one["estimate"].to_numpy(), abs=0.02)
    assert two[["low", "high"]].to_numpy() == pytest.approx(one[["low", "high"]].to_numpy(), abs=0.1)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("conclusion", ["winner", "top-k", "order"])
@pytest.mark.parametrize(
    "table", [np.full((4, 3, 3), 0.1), np.tile([2.0, 1, 0], (4, 3, 1)), 1e4 * cells(), cells(2, 2)]
)
def test_edges_of_two_factors_give_numbers_and_no_warnings(table, conclusion):
    question = as_question(conclusion, [0, 1, 2], by="score")
    sizes = [(4, 3), (np.inf, 4), (4, np.inf), (np.inf, np.inf), (1e6, 1e6)]
    with np.errstate(all="raise", under="ignore"):
        found = agreement_of_cells(table, question, sizes)
    least = {"winner": 1 / 3, "top-k": 2 / 3, "order": 0.0}[conclusion]
    check(found, conclusion, least)
    assert list(found)[2:4] == ["n", "m"]
    if np.ptp(table) == 0:
        assert found["estimate"].to_numpy() == pytest.approx(least, abs=0.06)


def test_of_two_factors_tests_are_refused():
    with pytest.raises(ParameterError, match="mean ranks or mean scores"):
        agreement_of_cells(cells(), as_question("tiers", [0, 1, 2]), [(20, 4)])
    with pytest.raises(StudyError, match="need two levels"):
        agreement_of_cells(cells()[:, :1], ASK, [(20, 4)])


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n": 0}, "n must be a whole number of at least 2, got 0"),
        ({"n": []}, "n must name at least one size"),
        ({"conclusion": "top-k", "k": 4}, "k must be a whole number from 1 to 3, got 4"),
        ({"conclusion": "best"}, "conclusion must be one of"),
        ({"by": "mean"}, "by must be one of"),
        ({"level": 5}, "level must be a number"),
    ],
)
def test_parameters_that_are_refused(parameters, message):
    with pytest.raises(ParameterError, match=message.replace("(", r"\(")) as caught:
        agreement_of_table(NORMAL, **parameters)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("table", "got"), [(NORMAL[:4], "4 and 4"), (NORMAL[:, :1], "20 and 1")])
def test_tables_that_are_refused(table, got):
    with pytest.raises(StudyError, match=f"at least 5 experiments and two alternatives, got {got}"):
        agreement_of_table(table)


@pytest.mark.parametrize("wanted", [0, 1, 1.5, "0.9", None])
def test_agreements_that_cannot_be_wanted(wanted):
    with pytest.raises(ParameterError, match="agreement must be a number"):
        experiments_for_agreement(lambda sizes: agreement_of_table(NORMAL, n=sizes), wanted, 100)
