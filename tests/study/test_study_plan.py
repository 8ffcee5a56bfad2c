"""What to extend first, held against all choices that there are."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.study.planning import extend_first, plan


def planned(needs, n_experiments=10):
    """A row per model and kernel, from how many more experiments each needs."""
    rows = [
        {"model": model, "kernel": f"k{kernel}", "n_experiments": n_experiments, "nstar": n_experiments + more}
        for model, each in enumerate(needs)
        for kernel, more in enumerate(each)
    ]
    return plan(pd.DataFrame(rows).assign(low=lambda f: f["nstar"] - 2.5, high=lambda f: f["nstar"] + 4.5))


def all_choices(needs):
    """Extend each configuration by what each of its questions needs, or not at all: bought and answered of each way."""
    choices = [sorted({0, *(more for more in each if np.isfinite(more) and more > 0)}) for each in needs]
    for bought in product(*choices):
        yield sum(bought), sum(more <= extra for each, extra in zip(needs, bought, strict=True) for more in each)


NEEDS = st.lists(st.sampled_from([-3, 0, 1, 2, 3, 5, 8, 13, np.inf]), min_size=3, max_size=3)


@settings(max_examples=60)
@given(st.lists(NEEDS, min_size=1, max_size=4))
def test_no_choice_answers_more_after_a_step(needs):
    order = extend_first(planned(needs))
    finite = [more for each in needs for more in each if 0 < more < np.inf]
    assert sorted(order["more"]) == sorted(finite)
    assert order.attrs["n_questions"] == 3 * len(needs)
    assert order.attrs["n_left_out"] == sum(np.isinf(each).sum() for each in map(np.array, needs))
    if order.empty:
        return
    assert (np.diff(order["cumulative"]) >= 0).all()
    # what is bought in all is what each configuration needs at most
    largest = [max([more for more in each if more < np.inf], default=0) for each in needs]
    assert order["cumulative"].iloc[-1] == sum(max(more, 0) for more in largest)
    bought = order.groupby("model")["more"].cummax()
    increments = bought - bought.groupby(order["model"]).shift(fill_value=0)
    assert (increments.cumsum() == order["cumulative"]).all()
    # nothing answers more with as many experiments after a step: whatever an answer is worth, no choice gains more
    points = [(0, order.attrs["n_questions"] - order.attrs["n_left_out"] - len(order))]
    points += list(zip(order["cumulative"], order["answered"], strict=True))
    choices = list(all_choices(needs))
    for worth in (0.4, 0.9, 1.7, 2.2, 3.6, 5.3, 7.4, 12.2):
        gain = max(worth * answered - bought for bought, answered in points)
        assert gain == pytest.approx(max(worth * answered - bought for bought, answered in choices))


def test_experiments_of_a_configuration_count_for_all_its_questions():
    order = extend_first(planned([[10, 4], [6, 7]]), budget=7)
    assert order["model"].tolist() == [1, 1, 0, 0] and order["kernel"].tolist() == ["k0", "k1", "k1", "k0"]
    assert order["cumulative"].tolist() == [6, 7, 11, 17] and order["answered"].tolist() == [1, 2, 3, 4]
    assert order["within_budget"].tolist() == [True, True, False, False]
    assert order["low_more"].tolist() == [4, 5, 2, 8] and order["high_more"].tolist() == [11, 12, 9, 15]
    assert extend_first(planned([[10, 4]]))["within_budget"].isna().all()


def test_a_study_without_design_factors_and_one_without_anything_to_do():
    one = planned([[5]]).drop(columns="model")
    assert extend_first(one)["cumulative"].tolist() == [5]
    done = extend_first(planned([[0, -2]]), budget=3)
    assert done.empty and "within_budget" in done and done.attrs == {"n_questions": 2, "n_left_out": 0}


@pytest.mark.parametrize("budget", [-1, 1.5, "many"])
def test_a_budget_is_a_whole_number(budget):
    with pytest.raises(ParameterError, match="budget"):
        extend_first(planned([[5]]), budget)


def test_a_frame_that_is_no_plan_is_refused():
    with pytest.raises(StudyError, match="required"):
        extend_first(planned([[5]]).drop(columns="required"))


def test_verdicts_follow_the_interval_and_an_infinite_estimate_needs_more():
    nstar = [20.0, 30.0, 30.2, 40.0, 40.0, 29.0, 40.0, np.inf, np.inf, np.nan]
    low = [10.0, 20.0, 20.0, 30.0, 30.001, 20.0, np.nan, 20.0, 40.0, np.nan]
    high = [29.0, 30.0, 31.0, 50.0, 50.0, 30.001, np.nan, np.inf, np.inf, np.nan]
    given = pd.DataFrame({"n_experiments": 30, "nstar": nstar, "low": low, "high": high})
    found = plan(given)
    pd.testing.assert_frame_equal(found[given.columns], given)
    few, more, open_ = "enough", "more needed", "undecided"
    assert found["verdict"].tolist() == [few, few, open_, open_, more, open_, open_, more, more, ""]
    assert found["more"].tolist()[:7] == [0, 0, 1, 10, 10, 0, 10]
    assert found["required"].tolist()[:7] == [20, 30, 31, 40, 40, 29, 40] and found["required"][7:].isna().all()
