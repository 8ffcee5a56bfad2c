"""`Study.components`: from the columns of a table to the components of its random factors."""

import warnings
from itertools import product

import numpy as np
import pandas as pd
import pytest

from genexpy_nb import BordaKernel, JaccardKernel, MallowsKernel, RBFKernel, Study
from genexpy_nb.common.errors import ParameterError, StudyError
from tests.of_arrays import components_of

DATASETS, MODELS, ENCODERS = [f"d{i:02}" for i in range(9)], ["dt", "knn", "lr", "svm"], ["OHE", "TE", "WOE", "CBE"]
KERNELS = [BordaKernel("TE"), JaccardKernel(1), MallowsKernel(), RBFKernel()]


def table(seed=0, seeds=1):
    """Scores of encoders on data sets by models: each has effects of its own, rounded to .05, so that some tie."""
    rng = np.random.default_rng(seed)
    rows = list(product(DATASETS, MODELS, range(seeds), ENCODERS))
    frame = pd.DataFrame(rows, columns=["dataset", "model", "seed", "encoder"])
    of = {name: {key: rng.normal(scale=0.1, size=len(ENCODERS)) for key in levels} for name, levels in LEVELS.items()}
    place = frame["encoder"].map(ENCODERS.index)
    score = 0.7 + 0.05 * place + rng.normal(scale=0.05, size=len(frame))
    for name in LEVELS:
        score += [of[name][key][i] for key, i in zip(frame[name], place, strict=True)]
    return frame.assign(score=score.round(2))


LEVELS = {"dataset": DATASETS, "model": MODELS}


def study(frame=None, generalize_over=("dataset", "model"), design=(), **roles):
    frame = table() if frame is None else frame
    given = {"alternatives": "encoder", "target": "score", **roles}
    with warnings.catch_warnings(action="ignore"):
        return Study(frame.drop(columns="seed"), generalize_over=list(generalize_over), design=list(design), **given)


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_study_gives_the_components_of_the_gram_matrix_of_its_cells(kernel):
    made = study()
    found = made.components(kernel, ["dataset", "model"])
    gram = kernel.gram(made.results({}, kernel))
    by_hand = components_of(gram, {"dataset": 9, "model": 4})
    pd.testing.assert_frame_equal(found.table, by_hand.table)
    sizes = {"dataset": 30, "model": 8}
    expected = by_hand.generalizability(sizes, delta=kernel.epsilon(0.1, 4))
    pd.testing.assert_frame_equal(found.generalizability(sizes, 0.1), expected)
    assert (found.factors, found.sizes) == (("dataset", "model"), {"dataset": 9, "model": 4})


@pytest.mark.parametrize("kernel", KERNELS)
def test_it_does_not_matter_which_columns_are_design_factors(kernel):
    one = study().components(kernel, ["dataset", "model"])
    for over, design in ((["dataset"], ["model"]), (["model"], ["dataset"])):
        other = study(generalize_over=over, design=design).components(kernel, ["dataset", "model"])
        pd.testing.assert_frame_equal(other.table, one.table)


def test_design_factors_that_are_not_drawn_afresh_are_fixed():
    frame = pd.concat([table(seed).assign(metric=f"m{seed}") for seed in (0, 1)])
    both = study(frame, ["dataset"], ["metric", "model"])
    for seed in (0, 1):
        found = both.components(MallowsKernel(), ["dataset", "model"], configuration={"metric": f"m{seed}"})
        again = study(table(seed)).components(MallowsKernel(), ["dataset", "model"])
        pd.testing.assert_frame_equal(found.table, again.table)
    three = both.components(MallowsKernel(), ["dataset", "model", "metric"])
    assert three.sizes == {"dataset": 9, "model": 4, "metric": 2}
    one = study(frame[frame["metric"] == "m0"], ["dataset"], ["metric", "model"])
    assert one.components(MallowsKernel(), ["dataset", "model"]).sizes == {"dataset": 9, "model": 4}
    with pytest.raises(ParameterError, match=r"the level of design factor 'metric' is missing .it has 'm0', 'm1'"):
        both.components(MallowsKernel(), ["dataset", "model"])
    with pytest.raises(ParameterError, match="'metric' has no level 'm2'"):
        both.components(MallowsKernel(), ["dataset", "model"], configuration={"metric": "m2"})
    with pytest.raises(ParameterError, match="'model' is one of the factors"):
        both.components(MallowsKernel(), ["dataset", "model"], configuration={"metric": "m0", "model": "dt"})


def test_seeds_are_nested_in_data_sets_whatever_they_are_called():
    frame = table(seeds=3)
    frame = frame[frame["model"] == "lr"].assign(split=frame["seed"])
    apart = frame.assign(split=[f"{d}/{s}" for d, s in zip(frame["dataset"], frame["split"], strict=True)])
    one, other = (
        study(each, ["dataset", "split"]).components(MallowsKernel(), ["dataset", "split"], nested=True)
        for each in (frame, apart)
    )
    pd.testing.assert_frame_equal(one.table, other.table)
    assert one.table["component"].tolist() == ["dataset", "split in dataset"]
    assert one.sizes == {"dataset": 9, "split": 3}


def test_missing_cells_are_refused_and_what_is_advised_helps():
    frame = table()
    gone = (frame["dataset"] == "d03") & frame["model"].isin(["knn", "lr"])
    gone |= (frame["dataset"] == "d05") & (frame["model"] == "dt")
    for over, design in ((("dataset", "model"), ()), (("dataset",), ("model",))):
        said = r"3 of 36 cells of dataset x model are missing, most in dataset='d03'; leave out levels"
        with pytest.raises(StudyError, match=said):
            study(frame[~gone], over, design).components(MallowsKernel(), ["dataset", "model"])
    rest = frame[~gone & ~frame["dataset"].isin(["d03", "d05"])]
    assert study(rest).components(MallowsKernel(), ["dataset", "model"]).sizes == {"dataset": 7, "model": 4}


def test_missing_evaluations_are_treated_as_the_study_does():
    frame = table()
    gaps = frame[np.random.default_rng(0).random(len(frame)) > 0.1]
    kernel, factors, sizes = MallowsKernel(), ["dataset", "model"], {"dataset": 20, "model": 6}
    worst = study(gaps).components(kernel, factors)
    assert len(worst.parts) == 1
    complete = study(gaps, missing="complete")
    found = complete.components(kernel, factors)
    assert len(found.parts) == 10
    single = [
        components_of(kernel.gram(one), {"dataset": 9, "model": 4}) for one in complete.completions(of="rankings")
    ]
    estimates = np.mean([one.table["estimate"] for one in single], axis=0)
    np.testing.assert_allclose(found.table["estimate"], estimates)
    expected = complete.components(kernel, factors).generalizability(sizes)
    pd.testing.assert_frame_equal(found.generalizability(sizes), expected)
    assert not found.table.equals(complete.components(kernel, factors, rng=1).table)
    whole = study(frame, missing="complete").components(kernel, factors)
    assert len(whole.parts) == 1
    by_model = study(gaps, ["dataset"], ["model"], missing="complete").components(kernel, factors)
    assert len(by_model.parts) == 10
    assert by_model.sizes == found.sizes


def test_alternatives_must_be_the_same_everywhere():
    frame = table()
    lacking = frame[~((frame["model"] == "svm") & (frame["encoder"] == "CBE"))]
    with pytest.raises(StudyError, match="alternative 'CBE' has scores in only some of the configurations"):
        study(lacking, ["dataset"], ["model"]).components(MallowsKernel(), ["dataset", "model"])


@pytest.mark.parametrize(
    ("factors", "error", "message"),
    [
        (
            ["dataset", "modle"],
            ParameterError,
            "'modle' is no column of generalize_over or design; did you mean 'model'",
        ),
        (["model", "metric"], ParameterError, "'metric' is no column"),
        (["dataset", "encoder"], ParameterError, "'encoder' is no column"),
        (["model", "design"], ParameterError, "factors: 'dataset' is one of generalize_over"),
        (["dataset"], ParameterError, "factors must be two or three different columns"),
        (["dataset", "dataset"], ParameterError, "factors must be two or three different columns"),
        ("dataset", ParameterError, "factors must be a list of columns"),
        (None, ParameterError, "factors must be a list of columns"),
    ],
)
def test_factors_that_do_not_fit_are_named(factors, error, message):
    made = study(table().assign(design=1), ["dataset"], ["model", "design"])
    with pytest.raises(error, match=message):
        made.components(MallowsKernel(), factors)


def test_other_faults_are_named():
    made = study()
    with pytest.raises(ParameterError, match="kernels must be kernels"):
        made.components("Mallows", ["dataset", "model"])
    with pytest.raises(ParameterError, match="kernel must be one kernel, got 2"):
        made.components(KERNELS[:2], ["dataset", "model"])
    with pytest.raises(ParameterError, match="configuration: 'metric' is no design factor"):
        made.components(MallowsKernel(), ["dataset", "model"], configuration={"metric": 1})
    with pytest.raises(ParameterError, match="configuration must be a dictionary"):
        made.components(MallowsKernel(), ["dataset", "model"], configuration="lr")
    with pytest.raises(ParameterError, match="rng must be"):
        made.components(MallowsKernel(), ["dataset", "model"], rng=-1)
    one = study(table().query("model == 'lr'"))
    with pytest.raises(StudyError, match="factor 'model' has a single level"):
        one.components(MallowsKernel(), ["dataset", "model"])


def test_a_study_with_clusters_says_what_to_ask_instead():
    frame = table().query("model == 'lr'").assign(domain=lambda each: each["dataset"].str[1:].astype(int) // 3)
    with pytest.raises(StudyError, match="make the study without cluster"):
        study(frame, ["dataset"], cluster="domain").components(MallowsKernel(), ["domain", "dataset"], nested=True)
    found = study(frame, ["domain", "dataset"]).components(MallowsKernel(), ["domain", "dataset"], nested=True)
    assert found.sizes == {"domain": 3, "dataset": 3}
