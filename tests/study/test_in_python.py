"""What people type: the words of the command, parts of a study, frames and figures; and what is not there."""

import copy
import inspect
import pickle
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from IPython.core.formatters import DisplayFormatter

import genexpy_nb as gx
from genexpy_nb import Study
from genexpy_nb.study.estimates import DEFAULT_KERNELS
from tests.made_up_results import crossed

RNG = np.random.default_rng(3)
OF_RUNS = {"encoder": ["OHE", "TE", "WOE", "CBE"], "seed": [0, 1, 2], "metric": ["auc", "loss"]}
ROWS = crossed(model=["dt", "lr"], dataset=[f"d{i}" for i in range(12)], **OF_RUNS)
ROWS["score"] = RNG.normal(ROWS["encoder"].map({"OHE": 0.3, "TE": 0.5, "WOE": 0.4, "CBE": 0.9}), 0.2)
ROWS["domain"] = ROWS["dataset"].str[1:].astype(int) // 3
AUC = ROWS[ROWS["metric"] == "auc"].reset_index(drop=True)
ROLES = {"alternatives": "encoder", "target": "score", "generalize_over": "dataset", "average_over": "seed"}
MATRIX = AUC.groupby(["dataset", "encoder"])["score"].mean().unstack()


def all_scores(study):
    return {tuple(each.items()): study.scores(each) for each in study.configurations}


def assert_same(found, expected):
    assert found.configurations == expected.configurations and found.fixed == expected.fixed
    assert found.higher_is_better == expected.higher_is_better and found.target == expected.target
    one, other = all_scores(found), all_scores(expected)
    assert list(one) == list(other)
    for key, frame in one.items():
        pd.testing.assert_frame_equal(frame, other[key])


# --- the words of the command -----------------------------------------------------------------------------------------


def test_the_words_of_the_command_are_other_words_for_the_same():
    roles = {"alternatives": "encoder", "target": "score"}
    found = Study(ROWS, **roles, over="dataset", average=["seed"], fix={"metric": "auc"}, design="model")
    expected = Study(AUC, **ROLES, design="model", fixed={"metric": "auc"})
    assert_same(found, expected)
    assert found.generalize_over == ["dataset"] and found.average_over == ["seed"]
    wide = AUC.pivot(index=["dataset", "seed", "model"], columns="encoder", values="score")
    assert_same(
        Study.from_wide(wide, over="dataset", average="seed", fix={"model": "lr"}),
        Study.from_wide(wide, generalize_over="dataset", average_over="seed", fixed={"model": "lr"}),
    )


@pytest.mark.parametrize(
    ("long", "short", "value"),
    [("generalize_over", "over", "dataset"), ("average_over", "average", "seed"), ("fixed", "fix", {"model": "lr"})],
)
@pytest.mark.parametrize(
    "make", [lambda **roles: Study(AUC, **roles), lambda **roles: Study.from_wide(MATRIX, **roles)]
)
def test_both_words_at_once_are_an_error_that_names_them(make, long, short, value):
    roles = {"alternatives": "encoder", "target": "score"}
    with pytest.raises(gx.errors.ParameterError, match=f"^{long} and {short} mean the same: give one of them$"):
        make(**roles, **{long: value, short: value})


def test_warnings_point_at_the_line_that_made_the_study():
    table = AUC[AUC["model"] == "lr"].rename(columns={"dataset": "fold"})
    with pytest.warns(gx.errors.StudyWarning) as caught:
        Study(table, alternatives="encoder", target="score", over="fold", average="seed", fix={"model": "lr"})
        Study.from_wide(MATRIX.assign(year=2020))
        Study.from_wide(MATRIX.rename_axis(index="fold")).select(["OHE", "TE"])
    assert {each.filename for each in caught} == {__file__}


# --- parts ------------------------------------------------------------------------------------------------------------


def test_a_part_is_the_study_of_those_rows():
    study = Study(AUC, **ROLES, design="model")
    some, few = ["TE", "CBE"], ["d1", "d5", "d11"]
    rows = AUC[AUC["encoder"].isin(some) & AUC["dataset"].isin(few)]
    assert_same(study.select(some, few), Study(rows, **ROLES, design="model"))
    assert_same(study.select(seed=[0, 2]), Study(AUC[AUC["seed"] != 1], **ROLES, design="model"))
    assert_same(study.select(model="lr"), Study(AUC, **ROLES, fixed={"model": "lr"}))
    assert_same(study.select(model=["lr"]), Study(AUC[AUC["model"] == "lr"], **ROLES, design="model"))
    assert_same(study.select(experiments=few), study.select(dataset=few))
    assert_same(study.select(), study)
    assert study.select(some).notes[0] == "Selected 144 of 288 rows: alternatives=['TE', 'CBE']."
    pd.testing.assert_frame_equal(study.scores({"model": "lr"}), all_scores(study)[("model", "lr"),])  # is what it was


def test_a_part_of_a_matrix_of_clusters_and_of_experiments_over_two_columns():
    wide = Study.from_wide(MATRIX)
    assert_same(wide.select(["WOE", "OHE"], ["d3", "d4"]), Study.from_wide(MATRIX.loc[["d3", "d4"], ["WOE", "OHE"]]))
    clusters = Study(AUC, **ROLES, cluster="domain", fixed={"model": "lr"})
    some = Study(AUC[AUC["domain"].isin([0, 2])], **ROLES, cluster="domain", fixed={"model": "lr"})
    assert_same(clusters.select(experiments=[0, 2]), some)
    pairs = [("d1", "lr"), ("d2", "dt")]
    rows = AUC[pd.MultiIndex.from_frame(AUC[["dataset", "model"]]).isin(pairs)]
    roles = ROLES | {"generalize_over": ["dataset", "model"]}
    assert_same(Study(AUC, **roles).select(experiments=pairs), Study(rows, **roles))


def test_a_part_has_the_directions_that_it_needs():
    keys = ["model", "dataset", "encoder", "seed"]
    both = ROWS.pivot(index=keys, columns="metric", values="score").reset_index()
    roles = ROLES | {"target": {"auc": "higher", "loss": "lower"}, "design": "model"}
    metrics = Study(both, **roles)
    assert_same(metrics.select(metric="loss"), Study(both, **roles | {"target": "loss"}, higher_is_better=False))
    assert_same(metrics.select(metric=["auc"]), Study(both, **roles | {"target": {"auc": "higher"}}))


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({"alternatives": ["OHE", "WOEE"]}, "select: alternatives has no 'WOEE'; did you mean 'WOE'?"),
        ({"experiments": ["d99"]}, "select: experiments has no 'd99'"),
        ({"modle": "lr"}, "select: there is no factor 'modle'; did you mean 'model'?"),
        ({"model": "svm"}, "select: model has no 'svm' (there are 'dt', 'lr')"),
        ({"model": [["lr"]]}, "select: model has no ['lr']"),
        ({"experiments": "d1", "dataset": "d2"}, "select: no row has experiments=d1, dataset=d2"),
        ({"alternatives": "TE"}, "column 'encoder' has a single alternative, 'TE'"),
    ],
)
def test_what_cannot_be_selected_is_said(chosen, said):
    with pytest.raises(gx.errors.GenexpyError) as error:
        Study(AUC, **ROLES, design="model").select(**chosen)
    assert str(error.value).startswith(said)


def test_a_part_does_not_warn_again_and_keeps_the_policy_for_missing_ones():
    gaps = MATRIX.copy()
    gaps.iloc[:11, 0] = np.nan
    with pytest.warns(gx.errors.StudyWarning):
        study = Study.from_wide(gaps)
    with warnings.catch_warnings(action="error"):
        assert study.select(missing_or_not := gaps.columns.tolist()).warnings == study.warnings
        assert study.select(missing_or_not[1:]).missing == "worst-rank"


# --- one frame, one table, one figure ---------------------------------------------------------------------------------


def test_the_figure_shows_the_places_of_the_ranking():
    study = Study(AUC, **ROLES, design="model")
    ranking = study.ranking({"model": "lr"})
    fig = study.plot({"model": "lr"})
    points, lines = fig.axes[0].collections[1], fig.axes[0].collections[0]
    assert points.get_offsets()[:, 0].tolist() == ranking["position"].tolist()
    ends = [(segment[0, 0], segment[1, 0]) for segment in lines.get_segments()]
    assert ends == list(zip(ranking["low"], ranking["high"], strict=True))
    assert len(study.plot({"model": "lr"}, most=2).axes[0].collections[1].get_offsets()) == 2


def test_n_star_needs_no_arguments():
    study = Study.from_wide(MATRIX)
    pd.testing.assert_frame_equal(study.nstar(), study.nstar(DEFAULT_KERNELS, 0.95, 0.05))


# --- matrices with columns that hold no scores ------------------------------------------------------------------------


def test_columns_that_hold_no_scores_are_set_aside_and_named():
    beside = {"year": 2020, "n_params": 1e9, "Average": MATRIX.mean(axis=1), "licence": "MIT"}
    said = "'year', 'n_params', 'Average', 'licence' hold no numbers, or are"
    with pytest.warns(gx.errors.StudyWarning, match=said) as found:
        study = Study.from_wide(MATRIX.assign(**beside))
    assert_same(study, Study.from_wide(MATRIX))
    assert "alternatives=[...]" in str(found[0].message) and study.warnings == [str(found[0].message)]
    named = Study.from_wide(MATRIX.assign(year=np.arange(12.0)), alternatives=["TE", "year"])
    assert named.alternatives == ["TE", "year"] and not named.warnings


@pytest.mark.parametrize("names", [["id3", "mean_encoder", "3"], ["average", "median"], ["rank_svm", "size", "knn"]])
def test_names_of_methods_with_such_words_are_no_summaries(names):
    """Or all but one would be."""
    scores = pd.DataFrame(RNG.normal(size=(12, len(names))), columns=names)
    with warnings.catch_warnings(action="ignore"):
        kept = Study.from_wide(scores).alternatives
    assert kept == sorted(set(names) - ({"size"} if len(names) == 3 else set()))


# --- what is not there ------------------------------------------------------------------------------------------------

STUDY = Study.from_wide(MATRIX)


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("ranking_", "did you mean 'ranking'?"),
        ("contender", "did you mean 'contenders'?"),
        ("qqq", "(there are accounting, agreement,"),
    ],
)
def test_a_study_answers_with_what_it_has(name, answer):
    with pytest.raises(AttributeError) as error:
        getattr(STUDY, name)
    assert str(error.value).startswith(f"Study has no {name!r}") and answer in str(error.value)


def test_the_front_door_answers_too():
    for name, answer in (("Studdy", "did you mean"), ("qqq", "(there are ")):
        with pytest.raises(AttributeError, match=f"genexpy_nb has no '{name}'") as error:
            getattr(gx, name)
        assert answer in str(error.value)
    with pytest.raises(AttributeError, match="_private"):
        gx._private  # noqa: B018


@pytest.mark.parametrize(
    ("keyword", "answer"),
    [("lower_is_better", "did you mean 'higher_is_better'?"), ("alternativs", "did you mean 'alternatives'?")],
)
def test_a_keyword_that_is_none_is_answered(keyword, answer):
    for make in (partial(Study, AUC), partial(Study.from_wide, MATRIX)):
        with pytest.raises(TypeError, match=f" takes no '{keyword}'; ") as error:
            make(**{keyword: "x"})
        assert answer in str(error.value)
    assert "generalize_over" in inspect.signature(Study).parameters and "over" in inspect.signature(Study).parameters


def test_kernels_and_alternatives_that_are_none_are_answered():
    with pytest.raises(gx.errors.ParameterError, match=r"did you mean MallowsKernel\(\)\?"):
        STUDY.nstar("mallows")
    with pytest.raises(gx.errors.ParameterError, match=r"did you mean JaccardKernel\(k=1\)\?"):
        STUDY.nstar(gx.JaccardKernel)
    said = r"'OH' is not ranked; did you mean 'OHE'\? \(ranked are CBE, OHE"
    with pytest.raises(gx.errors.ParameterError, match=said):
        STUDY.compare("OH", "TE")
    with pytest.raises(gx.errors.ParameterError, match="did you mean 'winner'"):
        STUDY.agreement("winer")


def test_studies_are_copied_pickled_and_shown_as_before():
    for again in (pickle.loads(pickle.dumps(STUDY)), copy.copy(STUDY), copy.deepcopy(STUDY)):
        pd.testing.assert_frame_equal(again.ranking(), STUDY.ranking())
    assert not hasattr(STUDY, "_repr_png_") and not hasattr(STUDY, "winner") and getattr(STUDY, "winner", 1) == 1
    shown, _ = DisplayFormatter().format(STUDY)
    assert set(shown) == {"text/plain", "text/html"}


def test_an_error_within_a_property_is_not_taken_for_a_name_that_is_not_there(monkeypatch):
    monkeypatch.setattr(Study, "targets", property(lambda self: self.reading.nothing))
    with pytest.raises(AttributeError, match="'Reading' object has no attribute 'nothing'"):
        STUDY.targets  # noqa: B018


# --- answers ----------------------------------------------------------------------------------------------------------


def test_answers_show_their_four_sentences_and_escape_names():
    names = {"OHE": "a*b*", "TE": "<b>x", "WOE": "_w_", "CBE": "[c](d)"}
    found = gx.Answers(Study.from_wide(MATRIX.rename(columns=names)))
    shown, _ = DisplayFormatter().format(found)
    assert set(shown) == {"text/plain", "text/markdown"}
    assert shown["text/plain"].splitlines()[0] == found.question
    assert all(sentence in shown["text/plain"] for sentence in found.sentences)
    markdown = shown["text/markdown"].replace("\\(", "(").replace("\\)", ")")
    assert "[c](d)" in shown["text/plain"] and "\\[c\\](d)" in markdown
    assert shown["text/markdown"].count("\n\n") == 4 and "[c](d)" not in shown["text/markdown"]
