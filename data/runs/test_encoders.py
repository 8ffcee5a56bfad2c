"""The encoder benchmark: against hand-written pipelines, for leaks, and against the bundled results."""

import category_encoders as ce
import numpy as np
import pandas as pd
import pytest
from bundled_results import bundled, check_bundled
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from runs import encoders
from runs.tasks import SPECS, Task, load_task

SCIKIT_LEARN = {"ACC": "accuracy", "AUC": "roc_auc", "BACC": "balanced_accuracy", "F1": "f1"}
SUPERVISED = ["CBE", "CV5TE", "JSE", "LOOE", "ME01E", "QE", "TE", "TE1", "WOEE"]


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Fits this small are many times slower where BLAS threads wait for each other."""
    with threadpool_limits(1):
        yield


@pytest.fixture(scope="module")
def small() -> Task:
    return load_task("heart:censored")


@pytest.fixture(scope="module")
def hopeless() -> Task:
    """A target that is a coin toss, and a category of its own for every row."""
    rng = np.random.default_rng(5)
    names = pd.Series([f"row {i}" for i in range(400)], dtype=object)
    X = pd.DataFrame({"name": names, "noise": rng.normal(size=400)})
    return Task("coin", "none", X, rng.integers(0, 2, 400), ("name",))


@pytest.mark.parametrize(
    ("encoder", "model", "by_hand", "classifier"),
    [
        ("OHE", "SVC", OneHotEncoder(handle_unknown="ignore", sparse_output=False), SVC()),
        ("CBE", "KNC", ce.CatBoostEncoder(), KNeighborsClassifier()),
        ("DE", "GNB", "drop", GaussianNB()),
    ],
)
def test_scores_are_those_of_a_pipeline(small, encoder, model, by_hand, classifier):
    columns = (by_hand, list(small.categorical)), ("passthrough", list(small.numeric))
    pipeline = make_pipeline(make_column_transformer(*columns), StandardScaler(), classifier)
    folds = StratifiedKFold(4, shuffle=True, random_state=3)
    expected = cross_validate(pipeline, small.X, small.y, cv=folds, scoring=SCIKIT_LEARN)
    frame = encoders.run_task(small, [encoder], [model], n_folds=4, seed=3).set_index("scoring")
    for scoring in SCIKIT_LEARN:
        assert_allclose(frame.loc[scoring, "cv_score"], expected[f"test_{scoring}"].mean(), atol=1e-9)


def test_encoded_columns_can_be_left_as_they_are(small):
    columns = (
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), list(small.categorical)),
        (StandardScaler(), list(small.numeric)),
    )
    pipeline = make_pipeline(make_column_transformer(*columns), KNeighborsClassifier())
    folds = StratifiedKFold(4, shuffle=True, random_state=3)
    expected = cross_validate(pipeline, small.X, small.y, cv=folds, scoring=SCIKIT_LEARN)
    options = {"encoders": ["OHE"], "models": ["KNC"], "n_folds": 4, "seed": 3}
    frame, other = (encoders.run_task(small, **options, scaled=which) for which in ("numeric", "all"))
    for scoring, score in frame.set_index("scoring")["cv_score"].items():
        assert_allclose(score, expected[f"test_{scoring}"].mean(), atol=1e-9)
    assert (frame["cv_score"] != other["cv_score"]).any()


def test_tuning_is_a_grid_search_on_the_encoded_training_rows(small):
    folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(small.X, small.y))
    inner = StratifiedKFold(encoders.INNER_FOLDS, shuffle=True, random_state=0)
    frame = encoders.run_task(small, ["TE"], ["LR"], tunings=["model"]).set_index("scoring")
    for scoring, name in list(SCIKIT_LEARN.items())[:2]:
        scores = []
        for train, test in folds:
            features, held_out = encoders.encode(encoders.ENCODERS["TE"], small, train, test)
            search = GridSearchCV(LogisticRegression(max_iter=500), {"C": [0.1, 1.0, 10.0]}, scoring=name, cv=inner)
            scores.append(search.fit(features, small.y[train]).score(held_out, small.y[test]))
        assert_allclose(frame.loc[scoring, "cv_score"], np.mean(scores), atol=1e-9)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 4)), min_size=1, max_size=30))
@settings(max_examples=50)
def test_metrics_are_those_of_scikit_learn(rows):
    truth = np.array([0, 1, *(int(positive) for positive, _ in rows)])
    margin = np.array([2.0, 2.0, *(float(m) for _, m in rows)])
    predicted = margin > 2
    expected = {
        "ACC": accuracy_score(truth, predicted),
        "AUC": roc_auc_score(truth, margin),
        "BACC": balanced_accuracy_score(truth, predicted),
        "F1": f1_score(truth, predicted),
    }
    result = encoders.evaluate(truth, margin, 2)
    assert result.keys() == expected.keys()
    for name, value in expected.items():
        assert_allclose(result[name], value, atol=1e-12)


@pytest.mark.parametrize("encoder", SUPERVISED)
def test_supervised_encoders_do_not_see_the_test_rows(hopeless, encoder):
    frame = encoders.run_task(hopeless, [encoder], ["DTC", "LR"], ["AUC"])
    # 400 coin tosses: the standard error of the AUC is 0.03
    assert frame["cv_score"].between(0.4, 0.6).all()


@pytest.mark.parametrize("name", encoders.ENCODERS)
def test_encoding_does_not_depend_on_the_other_rows(small, name):
    train, test = np.arange(50), np.arange(50, len(small.y))
    train_features, test_features = encoders.encode(encoders.ENCODERS[name], small, train, test)
    flipped, one = small.y.copy(), test[:1]
    flipped[test] = 1 - flipped[test]
    other = Task(small.name, small.table, small.X, flipped, small.categorical)
    again, single = encoders.encode(encoders.ENCODERS[name], other, train, one)
    assert_array_equal(again, train_features)
    assert_allclose(single, test_features[:1], atol=1e-12)


def test_results_do_not_depend_on_what_else_is_run(small):
    everything = encoders.run_task(small, ["OHE", "TE"], ["DTC", "LR"], tunings=["no", "model"])
    alone = encoders.run_task(small, ["TE"], ["LR"], ["F1"], tunings=["no"])
    same = everything.query("encoder == 'TE' and model == 'LR' and scoring == 'F1' and tuning == 'no'")
    assert_frame_equal(same.drop(columns="time").reset_index(drop=True), alone.drop(columns="time"))
    assert everything.attrs["model_fits"] > alone.attrs["model_fits"] == 5


def test_a_failed_fit_is_a_missing_row_with_a_reason(small, monkeypatch):
    class Broken(OneHotEncoder):
        def transform(self, X):
            return np.full((len(X), 1), np.nan)

    monkeypatch.setitem(encoders.ENCODERS, "broken", Broken())
    monkeypatch.setitem(encoders.MODELS, "odd", encoders.Model(SVC(kernel="precomputed"), "C", (1.0,)))
    frame = encoders.run_task(small, ["broken", "DE"], ["GNB", "odd"], ["ACC"])
    assert frame[["encoder", "model"]].values.tolist() == [["DE", "GNB"]]
    failures = {(f["encoder"], f["model"]): f["reason"] for f in frame.attrs["failures"]}
    assert failures.keys() == {("broken", None), ("DE", "odd")}
    assert "missing or infinite" in failures["broken", None]


def test_fingerprints_see_data_and_settings(small):
    key = encoders.task_key(small, tunings=["no"], seed=0)
    other = Task(small.name, small.table, small.X.iloc[::-1], small.y, small.categorical)
    assert encoders.task_key(other, tunings=["no"], seed=0) != key
    assert encoders.task_key(small, tunings=["no", "model"], seed=0) != key


def test_the_bundled_tables_are_what_their_notes_say():
    check_bundled("encoders", encoders.COLUMNS, 700_000)
    check_bundled("encoders_unscaled", encoders.COLUMNS, 30_000)


def test_bundled_encoders_are_complete_but_for_the_listed_failures():
    table, about = bundled("encoders")
    assert set(table["dataset"]) == set(SPECS)
    assert table["cv_score"].between(0, 1).all() and (table["time"] >= 0).all()
    cells = len(encoders.TUNINGS) * len(encoders.SCORINGS)
    missing = sum(cells * (1 if failure["model"] else len(encoders.MODELS)) for failure in about["failures"])
    assert len(table) + missing == len(SPECS) * len(encoders.ENCODERS) * len(encoders.MODELS) * cells


def test_bundled_encoders_can_be_made_again(small):
    table, about = bundled("encoders", reproduce=True)
    options = {"tunings": encoders.TUNINGS, "n_folds": about["n_folds"], "seed": about["seed"]}
    fresh = encoders.run_task(small, ["OHE", "TE", "WOEE"], ["DTC", "LR"], **options)
    both = fresh.merge(table, on=list(encoders.COLUMNS[:5]), validate="one_to_one")
    assert len(both) == len(fresh) == 3 * 2 * 8
    assert_allclose(both["cv_score_x"], both["cv_score_y"], rtol=1e-7)


def test_the_runs_with_encoded_columns_as_they_are_can_be_made_again(small):
    table, about = bundled("encoders_unscaled", reproduce=True)
    fresh = encoders.run_task(small, ["OHE", "CV5TE"], ["KNC", "LR"], n_folds=about["n_folds"], scaled=about["scaled"])
    both = fresh.merge(table, on=list(encoders.COLUMNS[:5]), validate="one_to_one")
    assert len(both) == len(fresh) == 2 * 2 * 4
    assert_allclose(both["cv_score_x"], both["cv_score_y"], rtol=1e-7)
    assert len(table) == len(SPECS) * 3 * 4 * 4
