"""The encoders on replicated splits: against hand-written pipelines, interrupted, and against the bundled results."""

import runpy

import category_encoders as ce
import numpy as np
import pytest
from bundled_results import DATA, bundled, check_bundled
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from genexpy_nb.common.errors import DataError, ParameterError
from runs import replicates
from runs.tasks import Task, load_task

SMALL = ("heart:censored", "ccard:owner")


def task_of(n_negative: int, n_positive: int, name: str = "made:up") -> Task:
    y = np.repeat([0, 1], [n_negative, n_positive])
    return Task(name, "made", load_task("iris:versicolor").X.iloc[np.zeros(len(y), int)], y, ())


@pytest.mark.parametrize(
    ("encoder", "model", "by_hand", "classifier"),
    [
        ("OHE", "SVC", OneHotEncoder(handle_unknown="ignore", sparse_output=False), SVC()),
        ("CBE", "KNC", ce.CatBoostEncoder(), KNeighborsClassifier()),
        ("TE", "LR", ce.TargetEncoder(smoothing=10), LogisticRegression(max_iter=500)),
    ],
)
@pytest.mark.filterwarnings("ignore::FutureWarning:category_encoders", "ignore::DeprecationWarning:category_encoders")
def test_scores_are_those_of_a_pipeline(encoder, model, by_hand, classifier):
    task = load_task("heart:censored")
    columns = (by_hand, list(task.categorical)), ("passthrough", list(task.numeric))
    pipeline = make_pipeline(make_column_transformer(*columns), StandardScaler(), classifier)
    frame = replicates.run_replicates("heart:censored", [encoder], [model], n_splits=3, seed=5)
    for (train, test), score in zip(replicates.splits_of(task, 3, 5), frame["score"], strict=True):
        with threadpool_limits(1):
            fitted = pipeline.fit(task.X.iloc[train], task.y[train])
        held_out = task.X.iloc[test]
        margin = fitted.predict_proba(held_out)[:, 1] if model != "SVC" else fitted.decision_function(held_out)
        assert_allclose(score, roc_auc_score(task.y[test], margin), atol=1e-9)


@given(st.integers(4, 60), st.integers(4, 60), st.integers(0, 1000))
@settings(max_examples=30)
def test_splits_are_stratified_and_the_first_ones_stay(n_negative, n_positive, seed):
    task = task_of(n_negative, n_positive)
    splits = replicates.splits_of(task, 3, seed)
    for train, test in splits:
        assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(len(task.y)))
        counts = np.bincount(task.y[test], minlength=2)
        assert (counts >= 1).all()
        assert (np.abs(counts - 0.3 * np.array([n_negative, n_positive])) < 1.5).all()
    for (train, _), (again, _) in zip(splits, replicates.splits_of(task, 2, seed), strict=False):
        assert_array_equal(train, again)


def test_every_split_dataset_and_seed_has_rows_of_its_own():
    tasks = task_of(40, 40), task_of(40, 40, "made:otherwise")
    tests = [
        tuple(sorted(test)) for task in tasks for seed in (0, 1) for _, test in replicates.splits_of(task, 3, seed)
    ]
    assert len(set(tests)) == 2 * 2 * 3


def test_results_do_not_depend_on_what_else_is_run():
    everything = replicates.run_replicates("ccard:owner", ["OHE", "TE"], ["LR", "DTC"], n_splits=3)
    alone = replicates.run_replicates("ccard:owner", ["TE"], ["DTC"], n_splits=2)
    same = everything.query("encoder == 'TE' and model == 'DTC' and split < 2").reset_index(drop=True)
    assert_frame_equal(same, alone, check_like=True)
    assert (everything.attrs["model_fits"], alone.attrs["model_fits"]) == (12, 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": "heart:censord"}, "did you mean 'heart:censored'"),
        ({"encoders": ["OHEE"]}, "encoders must be one of .*did you mean 'OHE'"),
        ({"models": ["XGB"]}, "models must be one of"),
        ({"models": []}, "models must name at least one of DTC, GNB, KNC, LR, SVC"),
        ({"n_splits": 0}, "n_splits must be"),
        ({"seed": -1}, "rng must be .* a whole number >= 0"),
    ],
)
def test_wrong_parameters_are_named(options, message):
    with pytest.raises(ParameterError, match=message):
        replicates.run_replicates(**{"name": "heart:censored", **options})


def test_a_class_that_would_miss_in_a_test_part_is_refused():
    with pytest.raises(DataError, match="made:up has 3 rows of one class; 4 of each are needed"):
        replicates.splits_of(task_of(50, 3))


@pytest.mark.parametrize(
    "options", [{"encoders": ["OE"]}, {"models": ["LR", "GNB"]}, {"n_splits": 3}, {"seed": 1}, {"name": "ccard:owner"}]
)
def test_fingerprints_see_data_and_settings(options):
    given = {"name": "heart:censored", "encoders": ["OHE"], "models": ["LR"], "n_splits": 2, "seed": 0}
    assert replicates.replicates_key(**given) == replicates.replicates_key(**given)
    assert replicates.replicates_key(**{**given, **options}) != replicates.replicates_key(**given)


@pytest.fixture
def tiny(monkeypatch):
    """The script, on two datasets with two encoders, two models and two splits."""
    monkeypatch.setattr(replicates, "DATASETS", SMALL)
    monkeypatch.setattr(replicates, "ENCODER_NAMES", ("OHE", "TE"))
    monkeypatch.setattr(replicates, "MODEL_NAMES", ("DTC", "LR"))
    monkeypatch.setattr(replicates, "N_SPLITS", 2)
    main = runpy.run_path(str(DATA / "make_replicates.py"))["main"]
    return lambda *arguments: CliRunner().invoke(main, list(map(str, arguments)))


def test_the_script_goes_on_where_it_stopped_and_workers_do_not_matter(tiny, tmp_path, monkeypatch):
    whole = tiny("--output", tmp_path / "two", "--jobs", 2)
    assert whole.exit_code == 0 and "16 rows, SHA-256" in whole.output
    run, ran, broken = replicates.run_replicates, [], {SMALL[1]}

    def interrupted(name, **chosen):
        ran.append(name)
        if name in broken:
            broken.clear()
            raise KeyboardInterrupt
        return run(name, **chosen)

    monkeypatch.setattr(replicates, "run_replicates", interrupted)
    assert tiny("--output", tmp_path / "one").exit_code == 1
    assert not (tmp_path / "one" / "replicates.parquet").exists()
    assert tiny("--output", tmp_path / "one").exit_code == 0
    assert ran == [SMALL[0], SMALL[1], SMALL[1]]
    one, two = ((tmp_path / which / "replicates.parquet").read_bytes() for which in ("one", "two"))
    assert one == two


def test_a_limited_run_writes_no_table(tiny, tmp_path):
    done = tiny("--output", tmp_path, "--limit", 1)
    assert done.exit_code == 0 and "1 datasets are done" in done.output
    assert [path.name for path in tmp_path.iterdir()] == [".partial"]


def test_the_bundled_table_is_what_its_note_says():
    check_bundled("replicates", replicates.COLUMNS, 300_000)


def test_bundled_replicates_have_no_missing_cell():
    table, about = bundled("replicates")
    levels = {
        "dataset": set(replicates.DATASETS),
        "model": set(replicates.MODEL_NAMES),
        "split": set(range(replicates.N_SPLITS)),
        "encoder": set(replicates.ENCODER_NAMES),
    }
    assert {column: set(table[column]) for column in levels} == levels
    assert len(table) == np.prod([len(names) for names in levels.values()]) == about["model_fits"]
    assert table["score"].between(0, 1).all()
    assert sorted(set(table["table"])) == about["source_tables"]
    assert (table["table"] == table["dataset"].str.split(":").str[0]).all()


@pytest.mark.parametrize(
    ("name", "encoders", "models", "n_splits"),
    [
        ("heart:censored", replicates.ENCODER_NAMES, ["DTC", "KNC", "LR"], 3),
        ("fertility:2010", ["CV5TE", "OHE"], ["GNB", "SVC"], replicates.N_SPLITS),
        ("fair:happy", ["CE"], replicates.MODEL_NAMES, 1),
    ],
)
def test_bundled_replicates_can_be_made_again(name, encoders, models, n_splits):
    table, about = bundled("replicates", reproduce=True)
    fresh = replicates.run_replicates(name, encoders, models, n_splits, about["seed"])
    both = fresh.merge(table, on=list(replicates.COLUMNS[:5]), validate="one_to_one")
    assert len(both) == len(fresh) == len(encoders) * len(models) * n_splits
    assert_allclose(both["score_x"], both["score_y"], atol=2e-9)
