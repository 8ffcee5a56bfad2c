"""What becomes of failed runs, and what is said about them."""

import numpy as np
import pandas as pd
import pytest
from made_up_runs import runs_of, with_failures

from genexpy_nb import causal
from genexpy_nb.causal.runs import treat_failures
from genexpy_nb.common.errors import ParameterError, StudyError

WHOLE = runs_of(np.arange(5.0)[:, None], b=np.ones((5, 1)))
FAILING = with_failures(WHOLE, (1, "A"), (3, "A"), (3, "B"))


@pytest.mark.parametrize("failures", ["drop", "error", 0.5])
def test_nothing_is_said_where_nothing_failed(failures):
    frame, notes = treat_failures(WHOLE, "loss", failures)
    pd.testing.assert_frame_equal(frame, WHOLE.frame)
    assert notes == []


def test_systems_with_a_failed_run_are_left_out_whole():
    frame, notes = treat_failures(FAILING, "loss", "drop")
    pd.testing.assert_frame_equal(frame, WHOLE.frame[~WHOLE.frame["system"].isin([1, 3])])
    assert notes == [
        "3 of 10 runs failed, in 2 of 5 systems (2 with A, 1 with B). "
        "Such systems are left out: the effect is that in systems that run with both methods."
    ]


def test_left_out_systems_can_make_groups_differ():
    independent = with_failures(runs_of(np.ones((6, 1)), "independent"), (1, "B"))
    frame, notes = treat_failures(independent, "loss", "drop")
    assert frame["system"].tolist() == [0, 2, 3, 4, 5]
    tail = "Such systems are left out, so that the two groups may differ in more than the method."
    assert notes[0].endswith(f"(0 with A, 1 with B). {tail}")


@pytest.mark.parametrize("loss", [1, 0.25, np.float64(0.25), np.int64(7)])
def test_a_number_is_the_loss_of_failed_runs(loss):
    frame, notes = treat_failures(FAILING, "loss", loss)
    failed = FAILING.frame["loss"].isna()
    assert (frame.loc[failed, "loss"] == loss).all() and failed.sum() == 3
    pd.testing.assert_series_equal(frame.loc[~failed, "loss"], WHOLE.frame.loc[~failed, "loss"])
    assert notes[0].endswith(f"(2 with A, 1 with B); each counts with the loss {loss:g}.")
    assert FAILING.frame["loss"].isna().sum() == 3  # the runs stay what they are


def test_failures_can_be_refused():
    with pytest.raises(StudyError, match=r"3 of 10 runs failed, .*, the first: system 1, A: ValueError: no$"):
        treat_failures(FAILING, "loss", "error")


def test_something_must_be_left():
    with pytest.raises(StudyError, match=r"2 of 4 runs failed, in 2 of 2 systems .*: no system is left"):
        treat_failures(with_failures(runs_of(np.ones((2, 1))), (0, "A"), (1, "B")), "loss", "drop")


@pytest.mark.parametrize("failures", ["complete", "dropp", True, None, np.nan, np.inf])
def test_other_wishes(failures):
    said = f"failures must be 'drop', 'error' or a number, got {failures!r}"
    with pytest.raises(ParameterError, match=said):
        treat_failures(WHOLE, "loss", failures)
    with pytest.raises(ParameterError, match=said):
        causal.heterogeneity(FAILING, failures=failures)


def test_what_is_not_in_a_published_table_has_not_failed():
    table = pd.DataFrame({"m": ["A", "B", "A"], "data": list("uuv"), "loss": [1.0, 0.5, 3.0]})
    _, notes = treat_failures(causal.from_results(table, "m", "A", "B", ["data"], ["loss"]), "loss", "drop")
    assert notes[0].startswith("1 of 4 runs are not in the table, in 1 of 2 systems (0 with A, 1 with B).")
