"""Wrong input of a study: each an error of our own words, a conversion that the notes say, or a warning."""

import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from genexpy_nb.common.errors import GenexpyError, ParameterError, StudyError, StudyWarning
from genexpy_nb.generalization.kernels import BordaKernel, JaccardKernel, MallowsKernel, RBFKernel
from genexpy_nb.study.checks import RESERVED, unlike_scores
from genexpy_nb.study.planning import plan
from genexpy_nb.study.study import Study
from genexpy_nb.study.table import canonical_order
from tests.said_of_studies import ROLES_OF_ENCODERS as ROLES
from tests.said_of_studies import scores_of_encoders

LR = {"model": "LR"}


def table(n_datasets):
    return scores_of_encoders(n_datasets, encoders=["BE", "OHE", "TE"]).drop(columns="seed")


RESULTS = table(8)
MANY = table(40)


def make(frame=RESULTS, **roles):
    return Study(frame, **{**ROLES, **roles})


def cell(column, value, row=3):
    changed = RESULTS.astype({column: object})
    changed.at[row, column] = value
    return changed


def scores(values):
    return RESULTS.assign(score=values)


def nstar(**arguments):
    return make().nstar(**{"kernels": MallowsKernel(), **arguments})


TIMES = pd.Timestamp("2026-01-01") + pd.to_timedelta(RESULTS["score"], unit="s")

WRONG = [
    # roles
    (lambda: make(alternatives=0.5), "alternatives must be the name of a column, got 0.5"),
    (lambda: make(generalize_over=0.5), "generalize_over must be the name of a column or a list of names, got 0.5"),
    (lambda: make(design={"model"}), "design must be the name of a column or a list of names, got {'model'}"),
    (lambda: make(generalize_over=[["dataset"]]), "every column of generalize_over must be the name of a column, got"),
    (lambda: make(target={"score": "up"}), "the direction of 'score' in target must be one of 'higher', 'lower', got"),
    (lambda: make(target={1: "lower"}), "every metric of target must be the name of a column, got 1"),
    (lambda: make(target={}), "target must name at least one metric, such as {"),
    (lambda: make(target={"scor": "lower"}), "target: there is no column 'scor'; did you mean 'score'?"),
    (lambda: make(target={"score": "lower"}, higher_is_better=False), "target gives every metric its direction; leave"),
    (lambda: make(target={"score": "lower", "dataset": "lower"}), "column 'dataset' is used both as target and as ge"),
    (
        lambda: make(RESULTS.assign(metric=1), design=["metric"], target={"score": "lower"}),
        "the metrics of target become a design factor 'metric', and design names a column 'metric'; rename that column",
    ),
    (
        lambda: make(RESULTS.assign(other=np.nan), target={"score": "lower", "other": "higher"}),
        "column 'other' has no score: every value is missing",
    ),
    (lambda: make(design=[1]), "every column of design must be the name of a column, got 1; name the columns first"),
    (
        lambda: Study(RESULTS.set_axis(range(4), axis=1), alternatives=0, target=3, generalize_over=2),
        "alternatives must be the name of a column, got 0; name the columns first: results.rename(columns=str)",
    ),
    (lambda: make(fixed=["model"]), "fixed must be a dictionary {column: level}, got ['model']"),
    (lambda: make(design=[], fixed={"model": ["LR"]}), "fixed: 'model' must be held at one level, got ['LR']"),
    (lambda: make(design=[], fixed={"model": None}), "fixed: 'model' must be held at one level, got None"),
    (lambda: make(higher_is_better="yes"), "higher_is_better must be True or False, got 'yes'"),
    (lambda: make(missing="dropp"), "'error', got 'dropp'; did you mean 'drop'"),
    (lambda: make(missing=np.array(["drop", "error"])), "missing must be one of 'worst-rank', 'drop', 'complete',"),
    # the table
    (lambda: make(None), "results must be a pandas DataFrame, got NoneType"),
    (lambda: make(RESULTS["score"]), "results must be a pandas DataFrame, got Series"),
    (lambda: make(pd.DataFrame()), "results has no rows"),
    (lambda: make(pd.DataFrame(index=range(3))), "results has no columns"),
    (lambda: make(pd.concat({"a": RESULTS}, axis=1)), "the columns of results have several levels, such as ('a', 'enc"),
    (lambda: make(pd.concat([RESULTS, RESULTS[["model"]]], axis=1)), "results has two columns named 'model'"),
    (lambda: make(RESULTS.set_index("dataset")), "there is no column 'dataset', but the index has that name:"),
    # levels
    (lambda: make(cell("dataset", ["a"])), "column 'dataset': row 3 holds ['a']; a level must be a text, a number or"),
    (lambda: make(cell("model", np.arange(2))), "column 'model': row 3 holds array([0, 1]); a level must be"),
    (lambda: make(cell("model", b"LR")), "column 'model': row 3 holds b'LR'; a level must be"),
    (lambda: make(cell("model", pd.NaT)), "column 'model' has 1 missing values, the first in row 3"),
    # scores
    (lambda: make(scores(TIMES)), "target 'score' must be numbers, got datetime64[ns]; make numbers of times first"),
    (lambda: make(cell("score", [1.0])), "target 'score' must be numbers; row 3 holds [1.0]"),
    (lambda: make(cell("score", 10**400)), "target 'score' holds a whole number that is too large"),
    (lambda: make(cell("score", np.inf)), "target 'score' must be finite; row 3 holds inf; leave the score empty"),
    (lambda: make(scores("0,5")), "target 'score' must be numbers; row 0 holds '0,5'"),
    (lambda: make(scores(RESULTS["score"] * 1e300)).nstar(RBFKernel()), "divide the scores first (model=DTC)"),
    # configurations
    (lambda: make().scores("LR"), "configuration must be a dictionary {design factor: level}, one of Study.configurat"),
    (lambda: make().scores({"model": "DTCC"}), "'model' has no level 'DTCC'; did you mean 'DTC'"),
    (lambda: make().scores({"modle": "DTC"}), "'modle' is no design factor; did you mean 'model'"),
    (lambda: make().scores(), "the level of design factor 'model' is missing"),
    (lambda: make().scores({"model": ["LR"]}), "configuration: 'model' must be one level, got ['LR']"),
    (lambda: make().scores({"model": np.nan}), "configuration: 'model' has no level nan (it has DTC, LR)"),
    (lambda: make().scores(LR, impute="yes"), "impute must be True or False, got 'yes'"),
    # n*
    (lambda: nstar(kernels=[]), "kernels must name at least one kernel, got none"),
    (lambda: nstar(delta=[]), "delta must be a number or a list of numbers, got []"),
    (lambda: nstar(kernels=None), "kernels must be kernels such as MallowsKernel() or JaccardKernel(k=1), got None"),
    (lambda: make().results(LR, "Mallows"), "kernels must be kernels such as MallowsKernel() or Jaccard"),
    (lambda: nstar(kernels=BordaKernel(["OHE"])), "BordaKernel: alternative must be the name of one, got Borda"),
    (lambda: nstar(alpha=95), "alpha must be one or more numbers in (0, 1), got 95"),
    (lambda: nstar(delta="0.05"), "delta must be a number or a list of numbers, got '0.05'"),
    (lambda: nstar(delta=[0.05, True]), "delta must be a number or a list of numbers, got [0.05, True]"),
    (lambda: nstar(delta=[[0.05], [0.1, 0.2]]), "delta must be a number or a list of numbers, got [["),
    (lambda: nstar(n_jobs=0), "n_jobs must be a whole number of workers, or -1 for all cores, got 0"),
    (lambda: nstar(rng=None), "rng must be a numpy.random.Generator or a whole number >= 0, got None"),
    (lambda: nstar(n_resamples=1e3), "n_resamples must be a whole number of at least 1, got 1000.0"),
    (lambda: nstar(method=["moments"]), "method must be one of 'moments',"),
    # what is made of it
    (lambda: plan(make().accounting), "nstar has no column 'nstar'; it needs n_experiments, nstar, low, high"),
    (lambda: plan(None), "nstar must be a pandas DataFrame, got NoneType"),
    (lambda: make().pairs(LR, by="ranks"), "by must be one of 'rank', 'score', got 'ranks'"),
    (lambda: make().contenders(LR, level=5), "level must be a number in (0, 1), got 5"),
    (lambda: make().contenders(LR, alternative="none"), "alternative: there is no 'none'"),
    (lambda: make().pairs(LR, alternatives=["OHE", "none"]), "alternatives: 'none' is not ranked"),
    (lambda: make().regret([1, 0], LR), "top must be a whole number from 1 to 3, got 0"),
]


@pytest.mark.parametrize(("call", "words"), WRONG, ids=[words[:40] for _, words in WRONG])
def test_wrong_input_is_an_error_of_our_own_words(call, words):
    with pytest.raises(GenexpyError) as error:
        call()
    assert words in str(error.value)


def test_tables_and_requests_are_told_apart():
    with pytest.raises(StudyError):
        make(alternatives=None)
    with pytest.raises(ParameterError):
        nstar(rng=None)


@pytest.mark.parametrize("name", RESERVED)
def test_a_design_factor_that_would_be_overwritten_is_refused(name):
    renamed = RESULTS.rename(columns={"model": name})
    with pytest.raises(StudyError, match=f"design: '{name}' is the name of a column of the results of a study; rename"):
        make(renamed, design=name)
    assert make(renamed, design=[], fixed={name: "LR"}).rankings().shape == (8, 3)  # in another role it is no trouble


def test_every_column_that_a_study_adds_is_reserved():
    study = make()
    frame = plan(study.nstar(MallowsKernel()))
    assert {*frame.columns, *study.accounting.columns} - {"model"} <= set(RESERVED)


@pytest.mark.parametrize(
    ("values", "notes"),
    [
        (RESULTS["score"] > 0.2, ["Read True as the score 1, False as 0."]),
        (RESULTS["score"].astype(str), [f"Read 48 scores that are text, such as '{RESULTS.score[0]}', as numbers."]),
        (cell("score", " 0.5 ")["score"], ["Read 1 scores that are text as numbers."]),
        (cell("score", True)["score"], ["Read True as the score 1, False as 0."]),
        (RESULTS["score"].map(lambda score: Decimal(str(score))), []),
        (RESULTS["score"].astype(object), []),
    ],
)
def test_conversions_are_said(values, notes):
    study = make(scores(values))
    assert study.notes == notes and study.warnings == []
    expected = pd.to_numeric(values.astype(str).replace({"True": "1", "False": "0"})).astype(float)
    found = study.scores(LR).loc["d04", "OHE"]
    assert found == expected[RESULTS.query("model == 'LR' and dataset == 'd04' and encoder == 'OHE'").index[0]]


# --- warnings ---------------------------------------------------------------------------------------------------------

SEEDS = pd.concat([RESULTS.assign(seed=seed) for seed in (0, 1)])
HOLES = RESULTS.drop(index=RESULTS.query("encoder == 'OHE' and dataset > 'd01'").index)  # 6 of 24 in each model
TWO_HOLES = RESULTS.drop(index=RESULTS.query("encoder == 'OHE' and dataset > 'd02' and model == 'LR'").index)

DOUBTFUL = [
    (
        lambda: make(RESULTS.replace({"encoder": {"TE": "ohe "}})),
        "column 'encoder': 'OHE' and 'ohe ' differ by capitals, spaces, hyphens or type only, and count as",
    ),
    (lambda: make(RESULTS.replace({"dataset": {"d01": "D 02"}})), "column 'dataset': 'D 02' and 'd02' differ by"),
    (lambda: make(RESULTS.replace({"model": {"LR": "dtc"}})), "column 'model': 'DTC' and 'dtc' differ by"),
    (
        lambda: make(scores(RESULTS["score"]).assign(dataset=RESULTS["dataset"].replace({"d00": 1, "d01": "1"}))),
        "column 'dataset': '1' and 1 differ by",
    ),
    (
        lambda: make(SEEDS, generalize_over=["dataset", "seed"]),
        "generalize_over holds 'seed', which sounds like repetitions on the same data: dataset x seed are not that "
        "many independent experiments, so n*, its intervals and p-values promise too much; name 'seed' in average_over",
    ),
    (
        lambda: make(RESULTS.rename(columns={"dataset": "cvFold"}), generalize_over="cvFold"),
        "generalize_over holds 'cvFold', which sounds like repetitions on the same data: conclusions are then about "
        "other repetitions, not about other data",
    ),
    (
        lambda: make(RESULTS.rename(columns={"dataset": "random_state"}), generalize_over="random_state"),
        "generalize_over holds 'random_state', which sounds like",
    ),
    (lambda: make(HOLES), "25 % of the evaluations are missing and share the worst rank, which is more than 20 %"),
    (
        lambda: make(TWO_HOLES),
        "in 1 of 2 configurations more than 20 % of the evaluations are missing and share the worst rank, most in "
        "model=LR (21 %)",
    ),
    (lambda: make(scores(0.5)), "the target 'score' is constant (0.5): nothing is compared, and n* = 1 says nothing"),
    (
        lambda: make(scores(RESULTS["score"].where(RESULTS["model"] == "LR", 0.5))),
        "in 1 of 2 configurations, the first model=DTC, all alternatives tie in every experiment",
    ),
]


@pytest.mark.parametrize(("call", "words"), DOUBTFUL, ids=[words[:40] for _, words in DOUBTFUL])
def test_doubtful_input_is_warned_of_and_the_study_keeps_the_warning(call, words):
    with pytest.warns(StudyWarning) as issued:
        study = call()
    assert [str(warning.message) for warning in issued] == study.warnings and len(study.warnings) == 1
    assert study.warnings[0].startswith(words)
    assert issued[0].filename == __file__  # of who made the study
    assert f"Warning: {words[:20]}" in repr(study)
    html = study._repr_html_()
    assert html.startswith("<p><strong>Warning:</strong> ") and html.index("Warning") < html.index("Study.")


def percentages(factor=100.0):
    return make(scores(RESULTS["score"] * factor))


def test_scores_on_a_scale_that_the_kernel_was_not_made_for():
    """Of 0 to 100 instead of 0 to 1: all kernel values between experiments are nearly 0, and n* that of any noise."""
    study = percentages()
    with pytest.warns(StudyWarning, match="RBF: scores of two experiments differ by .* far beyond the scale") as issued:
        study.nstar([RBFKernel(), MallowsKernel()])
    assert len(issued) == 1 and study.warnings == [str(issued[0].message)]
    (warning,) = study.warnings
    blocks = [study.scores(configuration).to_numpy() for configuration in study.configurations]
    squares = [[np.mean((a - b) ** 2) for i, a in enumerate(block) for b in block[:i]] for block in blocks]
    assert f"differ by {max(np.sqrt(np.mean(each)) for each in squares):.3g} (root mean square)" in warning
    assert "in 2 of 2 configurations, the first model=DTC" in warning and "percentages by 100" in warning
    with warnings.catch_warnings():  # said once
        warnings.simplefilter("error")
        study.nstar(RBFKernel())


@pytest.mark.parametrize(("similarity", "doubted"), [(0.0099, True), (0.01, False), (0.0101, False)])
def test_experiments_look_unrelated_below_a_hundredth(similarity, doubted):
    assert bool(unlike_scores("RBF", {"": similarity}, {"": np.array([[0.0, 1.0], [2.0, 5.0]])})) is doubted


@pytest.mark.parametrize(
    "analysis",
    [
        lambda: percentages().nstar([MallowsKernel(), JaccardKernel()]),  # ranks have no scale
        lambda: percentages(1.0).nstar(RBFKernel()),
        lambda: percentages(100.0).nstar(RBFKernel(gamma=1 / 3 / 100**2)),  # the remedy
        lambda: percentages(1e-3).nstar(RBFKernel()),
        lambda: make(RESULTS.assign(seed=RESULTS["dataset"]), generalize_over=["dataset", "seed"]),  # one seed each
        lambda: make(SEEDS, average_over="seed"),
        lambda: make(MANY),
        lambda: make(RESULTS.drop(index=[0, 20])),
        lambda: make(HOLES, missing="drop"),
    ],
)
def test_what_is_no_reason_to_warn(analysis):
    with warnings.catch_warnings(action="error"):
        analysis()


def test_warnings_are_text_and_no_html():
    with pytest.warns(StudyWarning):
        study = make(RESULTS.replace({"encoder": {"TE": "<b>", "OHE": "<B>"}}))
    assert "&lt;b&gt;" in study._repr_html_() and "<b>" not in study._repr_html_().lower().replace("&lt;b&gt;", "")


# --- order ------------------------------------------------------------------------------------------------------------


def test_mixed_labels_have_one_order_whichever_comes_first():
    labels = [1, "1", 2.5, "b", "a", 10, "10"]
    rng = np.random.default_rng(0)
    for _ in range(20):
        shuffled = pd.Index(rng.permutation(np.array(labels, dtype=object)))
        place = dict(zip([(type(label), label) for label in shuffled], canonical_order(shuffled), strict=True))
        assert [place[type(label), label] for label in (1, "1", 10, "10", 2.5, "a", "b")] == list(range(7))


def test_percent_among_shares_is_said():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.uniform(0.3, 0.8, (9, 4)), [f"t{i}" for i in range(9)], list("abcd"))
    frame.loc[["t1", "t4"], "b"] *= 100
    with pytest.warns(StudyWarning, match="in 2 experiments 'b' have scores above 1"):
        Study.from_wide(frame)
    frame.loc[["t1", "t4"]] *= 2  # losses differ by as much only where all of a kind do
    frame["b"] /= 100
    assert not Study.from_wide(frame).warnings
