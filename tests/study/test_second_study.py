"""What a study says about a second one: conclusions, of one factor and two, missing scores, clusters, and refusals."""

from functools import partial

import numpy as np
import pandas as pd
import pytest

from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.pooling import pool_shares
from genexpy_nb.conclusions import functions
from genexpy_nb.conclusions.functions import agreement_of_function
from genexpy_nb.conclusions.tables import experiments_for_agreement
from genexpy_nb.study.study import Study
from tests.agreement_asked import VALUES
from tests.made_up_results import crossed
from tests.of_arrays import agreement_of_table

NAMES = ["knn", "svm", "forest", "boosting"]


def wide(n=20, seed=0, means=(0.2, 0.5, 0.8, 1.1)):
    values = np.random.default_rng(seed).normal(means, 0.6, (n, len(means)))
    return pd.DataFrame(values, pd.Index(range(n), name="dataset"), NAMES[: len(means)])


def long(n=16, m=4, of_level=0.5, seed=1):
    """Results of every data set, with every model."""
    rng = np.random.default_rng(seed)
    shifts = rng.normal(0, of_level, (1, m, 3))
    cells = rng.normal([1, 0.4, 0], 0.3, (n, m, 3)) + shifts
    rows = crossed(dataset=[f"d{i:02}" for i in range(n)], model=[f"m{j}" for j in range(m)], encoder=NAMES[:3])
    return rows.assign(score=cells.ravel())


def study_of(table, over=("dataset", "model"), design=(), **more):
    columns = {"alternatives": "encoder", "target": "score", "higher_is_better": True}
    return Study(table, generalize_over=list(over), design=list(design), **columns, **more)


# --- one factor -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["rank", "score"])
@pytest.mark.parametrize("conclusion", ["winner", "top-k", "order", "tiers"])
def test_it_is_the_agreement_of_the_table_of_scores(conclusion, by):
    options = {"by": by, "rng": 3}
    study = Study.from_wide(wide())
    found = study.agreement(conclusion, [10, 40], **options)
    expected = agreement_of_table(wide()[list(study.scores())], conclusion, [10, 40], **options)
    pd.testing.assert_frame_equal(found, expected, rtol=1e-9)


@pytest.mark.parametrize("conclusion", ["winner", "order", "tiers"])
def test_direction_is_that_of_the_study(conclusion):
    found = Study.from_wide(-wide(), higher_is_better=False).agreement(conclusion, [10, 40])
    pd.testing.assert_frame_equal(found, Study.from_wide(wide()).agreement(conclusion, [10, 40]), rtol=1e-9)


def test_a_function_of_the_scores(monkeypatch):
    def best(frame):
        return int(frame.to_numpy().mean(axis=0).argmax())  # pandas takes most of the time

    for name, number in {"_PAIRS": 50, "_STUDIES": 4, "_SPLITS": 2, "_DRAWS": 12}.items():
        monkeypatch.setattr(functions, name, number)
    study = Study.from_wide(wide(8))
    found = study.agreement(best, 8, rng=2)
    pd.testing.assert_frame_equal(found, agreement_of_function(study.scores(), best, [8], seed=2))


def test_experiments_for_a_wanted_agreement():
    study = Study.from_wide(wide())
    found = study.experiments_for("order", 0.7, rng=1)
    by_table = partial(agreement_of_table, study.scores(), "order", rng=1)
    expected = experiments_for_agreement(by_table, 0.7, 100 * len(study.scores()))
    assert found[["conclusion", "measure"]].tolist() == expected[["conclusion", "measure"]].tolist()
    numbers = ["agreement", "n", "low", "high"]
    assert found[numbers].tolist() == expected[numbers].tolist()
    assert found["low"] <= found["n"] <= found["high"]
    pd.testing.assert_series_equal(study.experiments_for("order", rng=1), study.experiments_for("order", 0.9, rng=1))


def test_missing_scores_are_what_the_study_makes_of_them():
    table = wide()
    table.iloc[[0, 3, 7], 1] = np.nan
    worst = table.copy()
    worst.iloc[[0, 3, 7], 1] = table.min(axis=1).iloc[[0, 3, 7]] - 1
    found = Study.from_wide(table, missing="worst-rank").agreement("winner", [10, 40])
    by_rank = Study.from_wide(worst).agreement("winner", [10, 40])
    pd.testing.assert_frame_equal(found, by_rank, rtol=1e-9)


@pytest.mark.parametrize(("conclusion", "least"), [("winner", 1 / 4), ("top-k", 3 / 4), ("order", 0.0)])
def test_no_completions_agree_less_than_by_chance_or_more_than_always(conclusion, least):
    table = wide(12, means=(0.3, 0.3, 0.3, 0.3))
    holes = table.mask(np.random.default_rng(1).random(table.shape) < 0.15)
    study = Study.from_wide(holes, missing="complete")
    found = study.agreement(conclusion, [6, 12, 1000])
    assert found["low"].between(least - 1e-12, 1).all() and found["high"].between(found["low"], 1).all()
    assert (found["estimate"].isna() | found["estimate"].between(found["low"], found["high"])).all()
    each = [Study.from_wide(one).agreement(conclusion, [6, 12, 1000]) for one in study.completions()]
    assert len(each) == 10
    ends = (np.stack([one[name] for one in each]) for name in VALUES)
    assert found["high"].tolist() == pytest.approx(pool_shares(*ends, least=least)[2].tolist(), abs=0.02)


def test_clusters_count_as_experiments():
    table = long(12, 3).assign(domain=lambda frame: frame["dataset"].str[-1].astype(int) % 6)
    study = study_of(table[table["model"] == "m0"], ["dataset"], cluster="domain")
    assert study.agreement("winner")["n"].tolist() == [3, 6, 12, 24]


def test_a_configuration_is_asked_for():
    study = study_of(long(), ["dataset"], ["model"])
    first, second = (study.agreement("order", 16, {"model": model}) for model in ("m0", "m1"))
    assert first[VALUES].to_numpy().tolist() != second[VALUES].to_numpy().tolist()
    alone = study_of(long().query("model == 'm0'"), ["dataset"]).agreement("order", 16)
    pd.testing.assert_frame_equal(first, alone)


# --- two factors ------------------------------------------------------------------------------------------------------


def test_two_factors():
    found = study_of(long()).agreement("order", factors=["dataset", "model"])
    assert list(found) == ["conclusion", "measure", "dataset", "model", *VALUES]
    assert found[["dataset", "model"]].to_numpy().tolist() == [[16, 4], [32, 4], [16, 8]]
    assert found[VALUES].to_numpy()[:, 0].min() > 0.3


def test_a_design_factor_whose_levels_are_drawn_afresh_is_the_same():
    sizes = [{"dataset": 16, "model": 4}, {"model": 100, "dataset": 5}]
    over = study_of(long()).agreement("winner", sizes, factors=["dataset", "model"])
    design = study_of(long(), ["dataset"], ["model"]).agreement("winner", sizes, factors=["dataset", "model"])
    pd.testing.assert_frame_equal(over, design, rtol=1e-9)
    alone = study_of(long()).agreement("winner", sizes[1], factors=["dataset", "model"])
    assert alone.iloc[0].tolist() == over.iloc[1].tolist()


def test_which_factor_comes_first_does_not_matter():
    sizes = {"dataset": 16, "model": 8}
    study, names = study_of(long()), ["dataset", "model"]
    one, other = (study.agreement("order", sizes, factors=factors) for factors in (names, names[::-1]))
    assert one[VALUES].to_numpy() == pytest.approx(other[VALUES].to_numpy(), abs=0.02)


def test_infinitely_many_levels_are_all_of_the_population():
    sizes = [{"dataset": 16, "model": 4}, {"dataset": np.inf, "model": 4}, {"dataset": np.inf, "model": np.inf}]
    found = study_of(long()).agreement("order", sizes, factors=["dataset", "model"], by="score")
    assert found["estimate"].is_monotonic_increasing and found["estimate"][2] == pytest.approx(1, abs=1e-6)


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n": {"dataset": 10}}, "n must be a whole number or a list of them, or name the factors"),
        ({"confidence": 95}, "confidence must be a number"),
        ({"factors": ["dataset", "modle"]}, "'modle' is no column .* did you mean 'model'"),
        ({"factors": "dataset"}, "factors must be a list of columns"),
        ({"factors": ["dataset", "model"], "n": 10}, "n must be a dictionary {factor: size}, or several, got 10"),
        ({"factors": ["dataset", "model"], "n": {"dataset": 10}}, "n: the size of 'model' is missing"),
        ({"factors": ["dataset", "model"], "n": {"dataset": 10, "model": 0}}, "must be a whole number of at least 1"),
        ({"factors": ["dataset", "model"], "conclusion": "tiers"}, "mean ranks or mean scores, not tests"),
        ({"factors": ["dataset", "model"], "conclusion": len}, "conclusion must be one of"),
    ],
)
def test_questions_that_are_refused(parameters, message):
    study = study_of(long()) if "factors" in parameters else Study.from_wide(wide())
    with pytest.raises(ParameterError, match=message):
        study.agreement(**parameters)


def test_three_factors_are_refused():
    names = ["dataset", "model", "language"]
    table = pd.concat([long(seed=seed).assign(language=f"l{seed}") for seed in (1, 2)])
    with pytest.raises(ParameterError, match="agreement is about two random factors, got dataset, model, language"):
        study_of(table, names).agreement(factors=names)


def test_cells_without_results_are_refused():
    table = long().query("not (dataset == 'd03' and model == 'm2')")
    with pytest.raises(StudyError, match=r"1 of 64 cells .* most in dataset='d03'"):
        study_of(table).agreement(factors=["dataset", "model"])


def test_studies_that_are_too_small_or_too_large():
    with pytest.raises(StudyError, match="at least 5 experiments and two alternatives, got 4"):
        Study.from_wide(wide(4)).agreement()
    large = Study.from_wide(wide(20_001, means=(0.0, 1.0)))
    with pytest.raises(StudyError, match=r"up to 20,000 experiments, got 20,001"):
        large.agreement("tiers")
    assert large.agreement("winner", 10)["estimate"].between(0.5, 1).all()
