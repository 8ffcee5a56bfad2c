"""Runs, and published tables read as runs."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from made_up_runs import runs_of, with_failures

from genexpy_nb import causal
from genexpy_nb.causal.runs import without_failures
from genexpy_nb.common.errors import ParameterError, StudyError


def test_from_results_keeps_what_is_missing():
    table = pd.DataFrame(
        {
            "tuned": ["no", "yes", "no", "yes", "no"],
            "data": ["u", "u", "v", "v", "w"],
            "score": [0.1, 0.3, 0.2, 0.2, 0.9],
        }
    )
    runs = causal.from_results(table, "tuned", "yes", "no", ["data"], ["score"])
    assert runs.n_systems == 3 and runs.failed[["method", "data"]].values.tolist() == [["yes", "w"]]
    effect = causal.average_treatment_effect(runs)
    assert effect.estimate == pytest.approx(0.1)
    assert effect.notes[0].startswith("1 of 6 runs are not in the table, in 1 of 3 systems (1 with yes, 0 with no).")
    with pytest.raises(StudyError, match="no column 'dta'; did you mean 'data'"):
        causal.from_results(table, "tuned", "yes", "no", ["dta"], ["score"])
    with pytest.raises(StudyError, match="rows are there twice"):
        causal.from_results(pd.concat([table, table.head(1)]), "tuned", "yes", "no", ["data"], ["score"])
    with pytest.raises(ParameterError, match=r"a column 'system' of their own: rename that of the results table"):
        causal.from_results(table.rename(columns={"data": "system"}), "tuned", "yes", "no", ["system"], ["score"])
    with pytest.raises(StudyError, match="a='full' does not occur in column 'tuned', which has 'no', 'yes'"):
        causal.from_results(table, "tuned", "full", "no", ["data"], ["score"])
    with pytest.raises(ParameterError, match="two different methods, got 'no' twice"):
        causal.from_results(table, "tuned", "no", "no", ["data"], ["score"])
    with pytest.raises(StudyError, match="b=3 does not occur"):
        causal.from_results(table, "tuned", "yes", 3, ["data"], ["score"])
    with pytest.raises(StudyError, match="no system was measured under both 'yes' and 'no'"):
        causal.from_results(table.iloc[[0, 3]], "tuned", "yes", "no", ["data"], ["score"])


def test_systems_are_numbered_in_the_order_of_their_variables():
    rows = [("B", "v", 2, 0.3), ("A", "v", 2, 0.5), ("A", "u", 1, 0.1), ("B", "u", 1, 0.2), ("C", "u", 1, 9.0)]
    table = pd.DataFrame(rows, columns=["m", "data", "fold", "loss"])
    runs = causal.from_results(table, "m", "A", "B", ["data", "fold"], ["loss"])
    assert runs.frame[["system", "method", "loss", "data", "fold"]].values.tolist() == [
        [0, "A", 0.1, "u", 1],
        [0, "B", 0.2, "u", 1],
        [1, "A", 0.5, "v", 2],
        [1, "B", 0.3, "v", 2],
    ]
    assert runs.design == "paired" and runs.compositions == "none" and runs.variables == ("data", "fold")
    assert runs.systems().values.tolist() == [[0, "u", 1], [1, "v", 2]]


def test_a_run_without_one_loss_has_failed_altogether():
    table = pd.DataFrame({"m": ["A", "B"] * 2, "data": list("uuvv"), "x": [1.0, 2, 3, 4], "y": [1.0, np.nan, 3, 4]})
    runs = causal.from_results(table, "m", "A", "B", ["data"], ["x", "y"])
    assert runs.failed[["system", "method"]].values.tolist() == [[0, "B"]]
    assert runs.failed[["x", "y"]].isna().all(axis=None) and len(runs.failed) == 1


def test_left_out_systems_can_make_groups_differ():
    independent = with_failures(runs_of(np.ones((6, 1)), "independent"), (1, "B"))
    frame, notes = without_failures(independent, "loss")
    assert frame["system"].tolist() == [0, 2, 3, 4, 5]
    tail = "Such systems are left out, so that the two groups may differ in more than the method."
    assert notes[0].endswith(f"(0 with A, 1 with B). {tail}")
    with pytest.raises(StudyError, match=r"2 of 4 runs failed, in 2 of 2 systems .*: no system is left"):
        without_failures(with_failures(runs_of(np.ones((2, 1))), (0, "A"), (1, "B")), "loss")


def test_levels_and_clusters():
    runs = runs_of(np.ones((3, 2)), clusters=["x", None, 0.5])
    assert runs.levels("v").to_dict() == {0: "x", 1: "–", 2: "0.5"}
    assert runs.clusters("v").to_dict() == runs.levels("v").to_dict()
    assert runs.clusters("system").to_dict() == {0: 0, 1: 1, 2: 2}
    with pytest.raises(ParameterError, match="cluster must be one of 'system', 'v', got 'vv'; did you mean 'v'"):
        runs.clusters("vv")
    with pytest.raises(ParameterError, match="variable must be one of 'v', got 'system'"):
        runs.levels("system")


def test_arrays_are_systems_by_compositions():
    d, b = np.arange(6.0).reshape(3, 2), np.full((3, 2), 0.5)
    runs = runs_of(d, b=b)
    reversed_ = replace(runs, frame=runs.frame.sort_values("system", ascending=False, kind="stable"))
    for one in (runs, reversed_):
        np.testing.assert_array_equal(one.arrays()[0], d + 0.5)
        np.testing.assert_array_equal(one.arrays()[1], b)
    with pytest.raises(StudyError, match="in which no run failed"):
        with_failures(runs, (1, "A")).arrays()
    with pytest.raises(StudyError, match="need a paired study"):
        runs_of(d, "independent").arrays()
    uneven = replace(runs, frame=runs.frame[runs.frame["composition"] != 3])
    with pytest.raises(StudyError, match="the same number of compositions"):
        uneven.arrays()


def test_heterogeneity_by_hand():
    """Effects (0.4, 0.6), (-0.2, 0), (0.1, 0.1): means 0.5, -0.1, 0.1."""
    d = np.array([[0.4, 0.6], [-0.2, 0.0], [0.1, 0.1]])
    h = causal.heterogeneity(runs_of(d, b=np.full((3, 2), 0.3)))
    assert h.mean == pytest.approx(1 / 6) and h.sd == pytest.approx(np.std([0.5, -0.1, 0.1], ddof=1))
    assert h.share_opposite == pytest.approx(1 / 3) and h.n_systems == 3
    mirrored = causal.heterogeneity(runs_of(-d, b=np.full((3, 2), 0.3)))
    assert mirrored.mean == pytest.approx(-h.mean)


def test_heterogeneity_where_there_is_none():
    b = np.random.default_rng(33).normal(size=(5, 3)).round(1)
    none = causal.heterogeneity(runs_of(np.zeros((5, 3)), b=b))
    assert none.share_opposite == 0 and none.mean == 0
    mixed = causal.heterogeneity(runs_of(np.array([[0.3, -0.3], [-0.1, 0.0], [-0.4, -0.2]]), b=b[:3, :2]))
    assert mixed.mean < 0 and mixed.share_opposite == 0  # of 0.3 - 0.3, though the losses are rounded


def test_wrong_questions_about_systems():
    paired, independent = runs_of(np.ones((4, 1))), runs_of(np.ones((4, 1)), "independent")
    for call, error, message in (
        (lambda: causal.heterogeneity(independent), StudyError, "need paired runs"),
        (lambda: causal.heterogeneity(paired, "x"), ParameterError, "no loss 'x'"),
    ):
        with pytest.raises(error, match=message):
            call()
