"""From options to a study: the same one as Python makes, whatever the columns are called."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import genexpy_nb as gx
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.prose import plain_line
from genexpy_nb.datasets.texttables import holds_numbers_and_text
from genexpy_nb.own_study.request import StudyRequest, as_spoken, split_level
from tests.made_up_results import crossed

pytestmark = pytest.mark.filterwarnings("error::genexpy_nb.common.errors.StudyWarning")  # they are listed, not issued


def results(rng=0):
    datasets, encoders = ["iris", "wine", "zoo", "glass"], ["OHE", "TE", "WOE"]
    frame = crossed(dataset=datasets, encoder=encoders, seed=[0, 1], model=["LR", "SVM"])
    frame["auc"] = np.random.default_rng(rng).random(len(frame)).round(3)
    frame["loss"] = 1 - frame["auc"] / 2
    frame["site"] = frame["dataset"].map({"iris": "A", "wine": "A", "zoo": "B", "glass": "B"})
    return frame


ROLES = {"alternatives": ["encoder"], "over": ["dataset"], "design": ["model"], "average": ["seed"]}


def same(one, other):
    assert one.configurations == other.configurations and one.higher_is_better == other.higher_is_better
    for configuration in one.configurations:
        pd.testing.assert_frame_equal(one.scores(configuration), other.scores(configuration))


def in_python(frame, **options):
    roles = {"alternatives": "encoder", "generalize_over": "dataset", "design": ["model"], "average_over": ["seed"]}
    return gx.Study(frame, **roles | options)


def test_one_score_with_its_direction():
    frame = results()
    for request in (
        StudyRequest("a.csv", target=["loss"], higher_is_better="lower", **ROLES),
        StudyRequest("a.csv", target=["loss=lower"], **ROLES),
    ):
        same(request.study(frame), in_python(frame, target="loss", higher_is_better=False))


def test_several_metrics():
    frame = results()
    study = StudyRequest("a.csv", target=["auc=higher", "loss=lower"], **ROLES).study(frame)
    same(study, in_python(frame, target={"auc": "higher", "loss": "lower"}))


def test_levels_are_found_by_what_they_are_written_like():
    frame = results().assign(share=lambda f: f["seed"] / 10, when=pd.Timestamp("2024-01-02"), flag=True)
    roles = ROLES | {"average": [], "fixed": ["seed=1", "share=.1", "when=2024-01-02 00:00:00", "flag=True"]}
    study = StudyRequest("a.csv", target=["auc=higher"], **roles).study(frame)
    same(study, in_python(frame[frame["seed"] == 1], target="auc", average_over=[]))


def test_two_columns_name_an_alternative():
    frame = results()
    roles = ROLES | {"alternatives": ["encoder", "model"], "design": []}
    study = StudyRequest("a.csv", target=["auc=higher"], **roles).study(frame)
    assert study.alternatives[:2] == ["OHE / LR", "OHE / SVM"] and study.alternatives_column == "encoder / model"
    joint = frame.assign(joint=frame["encoder"] + " / " + frame["model"])
    other = in_python(joint, alternatives="joint", design=[], target="auc")
    np.testing.assert_array_equal(study.scores(), other.scores())


def test_matrices_either_way_round():
    frame = results().groupby(["dataset", "encoder"])["auc"].mean().unstack()
    expected = gx.Study.from_wide(frame).scores()
    rows = frame.reset_index().assign(kind="tabular", Average=0.5)
    request = StudyRequest("a.csv", over=["dataset"], wide=True, without=["Average"], higher_is_better="higher")
    study = request.study(rows)
    pd.testing.assert_frame_equal(study.scores(), expected, check_names=False)
    assert "Set aside 'kind': no numbers, no role." in study.notes
    turned = frame.T.reset_index()
    called = turned.rename(columns={turned.columns[1]: "score"})  # as what holds the scores of all would be
    other = StudyRequest("a.csv", ["encoder"], wide=True, higher_is_better="higher").study(called)
    assert "score" in other.scores().index
    study = StudyRequest("a.csv", ["encoder"], ["auc=higher"], wide=True).study(turned)
    pd.testing.assert_frame_equal(study.scores(), expected, check_names=False)
    assert study.target == "auc" and study.generalize_over == ["experiment"]


def test_a_configuration_may_be_named_in_part():
    frame = results()
    frame = frame[(frame["model"] == "LR") | (frame["dataset"] != "zoo")]
    request = StudyRequest("a.csv", target=["auc=higher", "loss=lower"], configuration=["metric=loss"], **ROLES)
    assert request.chosen_configuration(request.study(frame)) == {"model": "LR", "metric": "loss"}
    request = StudyRequest("a.csv", target=["loss=lower", "auc=higher"], configuration=["model=SVM"], **ROLES)
    assert request.chosen_configuration(request.study(frame)) == {"model": "SVM", "metric": "loss"}
    request = StudyRequest("a.csv", target=["loss=lower", "auc=higher"], **ROLES)
    assert request.answers(request.study(frame)).configuration == {"model": "LR", "metric": "loss"}


def test_a_metric_that_nobody_named_was_not_asked_for():
    """What --configuration does not name, is shown for another reason."""
    rng = np.random.default_rng(0)
    frame = crossed(d=list("wxyz"), m=list("abc"))
    frame = frame.assign(auc=rng.random(12), loss=rng.random(12))
    roles = {"alternatives": ["m"], "target": ["auc=higher", "loss=lower"], "over": ["d"]}
    request = StudyRequest("a.csv", **roles)
    found = request.answers(request.study(frame))
    assert found.configuration == {"metric": "auc"}
    assert found.why_configuration.startswith("It is the first of the 2 configurations")
    asked = StudyRequest("a.csv", **roles, configuration=["metric=auc"])
    assert asked.answers(asked.study(frame)).why_configuration == "It was asked for."


def test_without_a_file_it_is_the_leaderboard():
    request = StudyRequest("", ["model"], ["score=higher"], ["task"])
    study = request.study(request.read())
    assert len(study.alternatives) == 324 and len(study.scores()) == 41


@given(st.text(min_size=1, max_size=8), st.text(min_size=1, max_size=8), st.text(min_size=1, max_size=8))
def test_columns_and_levels_may_hold_equals_signs(one, other, level):
    column = max((c for c in (one, other) if f"{one}={level}".startswith(f"{c}=")), key=len)
    assert split_level(f"{one}={level}", [one, other]) == (column, f"{one}={level}"[len(column) + 1 :])


names = st.text(min_size=1, max_size=12).filter(lambda name: name.strip() == name and name[0] != "=")


@settings(max_examples=15)
@given(st.lists(names, min_size=4, max_size=4, unique=True))
def test_columns_may_have_any_name(columns):
    model, dataset, score, seed = columns
    if any(name.endswith(("=higher", "=lower")) for name in columns):
        return
    frame = results()[["encoder", "dataset", "auc", "seed", "model"]]
    frame = frame[frame["model"] == "LR"].drop(columns="model").set_axis([model, dataset, score, seed], axis=1)
    request = StudyRequest("a.csv", [model], [f"{score}=higher"], [dataset], fixed=[f"{seed}=1"])
    study = request.study(frame)
    assert study.scores().shape == (4, 3)
    assert StudyRequest.from_parameters(**request.parameters()) == request


def test_what_few_people_change_is_in_the_options():
    request = StudyRequest("a.csv", ["encoder"], ["auc=higher"], ["dataset"], fixed=["seed=1"], level=0.01, alpha=0.9)
    given = request.parameters()
    assert given["options"] == {"fixed": ["seed=1"], "level": 0.01} and given["alpha"] == 0.9
    assert StudyRequest.from_parameters(**given) == request
    assert StudyRequest.from_parameters(results="a.csv", options={"fixed": "seed=1"}).fixed == ("seed=1",)


def test_an_option_that_there_is_not_is_refused():
    with pytest.raises(ParameterError, match="there is no 'levle'; did you mean 'level'"):
        StudyRequest.from_parameters(results="a.csv", options={"levle": 0.1})
    with pytest.raises(ParameterError, match="there is no 'alpha'"):  # it is a parameter of its own
        StudyRequest.from_parameters(results="a.csv", options={"alpha": 0.1})


@given(st.text())
def test_what_is_shown_is_one_printable_line(text):
    assert "\n" not in plain_line(text) and "\x1b" not in plain_line(text)
    assert plain_line(plain_line(text)) == plain_line(text)


@pytest.mark.parametrize(
    ("message", "spoken"),
    [
        ("generalize_over: there is no column 'generalize_over'", "--over: there is no column 'generalize_over'"),
        ("row 0 holds 'row 0'", "row 1 below the header holds 'row 0'"),
        ("choose missing='worst-rank' or 'drop'", "choose --missing worst-rank or drop"),
        ("pass decimal=',' or decimal='.'", "pass --decimal , or --decimal ."),
        ("it's row 3", "it's row 4 below the header"),
    ],
)
def test_errors_name_the_options_of_the_command(message, spoken):
    assert as_spoken(message) == spoken


def test_rows_of_a_file_stay():
    assert as_spoken("average_over: row 13 holds 'x'", rows=False) == "--average: row 13 holds 'x'"


def test_columns_that_together_would_be_called_as_another_one_are_refused():
    with pytest.raises(StudyError, match="together they would be called 'a / b'"):
        StudyRequest("a.csv", ["a", "b"], ["c=lower"], ["d"]).study(pd.DataFrame(columns=["a", "b", "a / b", "c", "d"]))


def test_names_spelled_in_two_ways_are_one_if_no_experiment_has_both():
    frame = results().replace({"encoder": {"TE": "target-1"}})
    later = frame["dataset"].isin(["zoo", "glass"])
    frame.loc[later, "encoder"] = frame.loc[later, "encoder"].replace({"target-1": "Target 1", "OHE": "ohe"})
    frame.loc[frame["encoder"] == "WOE", "encoder"] = "target-11"
    request = StudyRequest("a.csv", target=["auc"], higher_is_better="higher", **ROLES)
    study = request.study(frame)
    assert {*study.alternatives} == {"OHE", "target-1", "target-11"} and "read as one" in " ".join(study.warnings)
    frame.loc[frame["encoder"] == "target-11", "encoder"] = "o h e"
    assert len(request.study(frame).alternatives) == 4  # "o h e" stands beside "OHE"


def test_few_rows_without_a_name_are_left_out_and_that_is_said_and_many_are_refused():
    frame = results()
    frame.loc[2, "encoder"] = None
    roles = ROLES | {"alternatives": ["encoder", "model"], "design": []}
    request = StudyRequest("a.csv", target=["auc=higher"], **roles)
    rest = request.study(frame.drop(index=2))
    found = request.study(frame)
    pd.testing.assert_frame_equal(found.scores(), rest.scores())
    assert found.warnings == [f"1 of {len(frame)} rows do not say which 'encoder / model': left out", *rest.warnings]
    frame.loc[: len(frame) // 2, "encoder"] = None
    with pytest.raises(StudyError, match=r"column 'encoder / model' has \d+ missing values, the first in row 1 below"):
        request.study(frame)


def test_a_truth_value_is_named_as_it_is_written():
    frame = results().assign(flag=lambda f: f["seed"] == 1)
    request = StudyRequest("a.csv", target=["auc=higher"], fixed=["flag=1"], **ROLES)
    with pytest.raises(StudyError, match="column 'flag' has no level '1'"):
        request.study(frame)


def test_numbers_in_half_of_the_cells_are_not_most():
    assert not holds_numbers_and_text(pd.Series(["93.3(0.5)", "LR"]))
    assert holds_numbers_and_text(pd.Series(["93.3(0.5)", "LR", "92.1(0.4)"]))


def test_a_level_that_is_held_and_leaves_alternatives_out_is_a_warning():
    rows = [(m, d, s, i) for i, (m, d, s) in enumerate([(m, d, s) for m in "abc" for d in "wxyz" for s in "uv"])]
    frame = pd.DataFrame(rows, columns=["model", "dataset", "kind", "auc"])
    roles = {"target": ["auc"], "alternatives": ["model"], "over": ["dataset"], "higher_is_better": "higher"}
    request = StudyRequest("a.csv", fixed=["kind=u"], **roles)
    assert not request.study(frame).warnings
    some = frame[(frame["model"] != "a") | (frame["kind"] == "v")]
    assert "With --fix kind=u nothing is left of a: not compared" in request.study(some).warnings


MATRIX = StudyRequest("a.csv", over=["d"], wide=True, higher_is_better="higher")


def scores(**more):
    """A matrix of two methods and what is beside them."""
    return pd.DataFrame(
        {"d": list("uvwxyz"), "A": [0.5, 0.6, 0.7, 0.5, 0.6, 0.8], "B": [0.6, 0.5, 0.6, 0.4, 0.7, 0.7], **more}
    )


def test_a_column_far_from_all_others_of_a_matrix_is_a_warning_of_its_answer():
    assert not MATRIX.study(scores(C=0.9)).warnings
    for far in ([99, 500, 20, 30, 45, 70], [-3, -2.5, -4, -3, -2.9, -5]):
        (warning,) = MATRIX.study(scores(C=far)).warnings
        assert warning.startswith("Are these scores of their own: 'C' (far from all others)?")
    rows = scores(C=[99, 500, 20, 30, 45, 70])  # of experiments, scales may differ
    assert not any("far from" in w for w in replace(MATRIX, over=[], alternatives=["d"]).study(rows).warnings)


def test_a_remedy_names_all_texts_that_may_mean_no_value_or_none():
    frame = pd.DataFrame({"d": list("uvwx"), "A": ["1.5", "OOM", "2", "3"], "B": [1, 2, 3, 4]})
    with pytest.raises(StudyError, match="pass --missing-code 'OOM' if there is no value"):
        MATRIX.study(frame)
    with pytest.raises(StudyError, match="--missing-code 'OOM' --missing-code 'slow'"):
        MATRIX.study(pd.concat([frame, frame.replace("OOM", "slow")]))
    for text in ("2 (of 3)", "best 6"):
        with pytest.raises(StudyError, match=r"write numbers only, or name the column with --without$"):
            MATRIX.study(frame.replace("OOM", text))


def test_settings_and_seeds_in_a_matrix_and_rows_without_a_score_are_warnings():
    warning = MATRIX.study(scores(seed=[3, 9, 4, 7, 5, 8])).warnings[0]
    assert warning.startswith("Are these scores of their own: 'seed'")
    long = scores().melt("d", var_name="who", value_name="auc")
    long.loc[long["d"] == "z", "auc"] = None
    request = StudyRequest("a.csv", ["who"], ["auc"], ["d"], higher_is_better="higher")
    assert "2 of 12 rows have no auc, and nothing is left of 1 levels of 'd': z" in request.study(long).warnings


def test_infinite_scores_are_missing_and_said(tmp_path):
    frame = pd.DataFrame({"m": list("abc") * 12, "d": np.repeat(np.arange(12), 3), "loss": np.arange(36.0)})
    frame = frame.assign(loss=frame["loss"].mask(frame["d"] == 4, np.inf))
    frame.to_csv(tmp_path / "t.csv", index=False)
    asked = StudyRequest(str(tmp_path / "t.csv"), ["m"], ["loss"], ["d"], higher_is_better="lower")
    with warnings.catch_warnings(action="error"):
        study = asked.study()
    assert "3 infinite scores count as missing, like those of evaluations that failed" in study.warnings
    frame.loc[frame["d"] == 4, "loss"] = np.nan
    empty = gx.Study(frame, alternatives="m", target="loss", generalize_over="d", higher_is_better=False)
    pd.testing.assert_frame_equal(study.condition_scores(), empty.condition_scores(), check_names=False)


def test_names_with_a_mark_that_several_have_are_one_and_means_over_other_levels_are_doubted():
    frame = crossed(dataset=["d1", "d2", "d3", "d4"], library=["ant", "bee"])
    frame["auc"] = np.random.default_rng(0).random(8)
    tied = frame["dataset"].eq("d2")
    frame["library"] = frame["library"].where(~tied, frame["library"] + " STATISTICAL TIE")
    request = StudyRequest("r.csv", ["library"], ["auc"], ["dataset"], higher_is_better="higher")
    study = request.study(frame)
    assert study.alternatives == ["ant", "bee"] and "'ant STATISTICAL TIE' are read as one" in study.warnings[0]
    more = frame.assign(tuned="no")
    more = pd.concat([more, more[more["library"].eq("ant")].assign(tuned="yes")])
    said = replace(request, average=("tuned",)).study(more).warnings
    assert said[0].startswith("The mean over 'tuned' is of other levels for some")
