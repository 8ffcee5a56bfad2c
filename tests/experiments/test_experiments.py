"""The own experiments: against hand-written loops, for leaks, for resuming, and against the bundled results."""

import json
from importlib.metadata import version
from pathlib import Path

import category_encoders as ce
import numpy as np
import pandas as pd
import pytest
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

from genexpy_nb.common import resumable
from genexpy_nb.common.errors import DataError, ParameterError
from genexpy_nb.common.hashing import file_hash
from genexpy_nb.datasets import records
from genexpy_nb.experiments import encoders, fewshot, tables

DATA = Path(__file__).resolve().parents[2] / "data"
SCIKIT_LEARN = {"ACC": "accuracy", "AUC": "roc_auc", "BACC": "balanced_accuracy", "F1": "f1"}
SUPERVISED = ["CBE", "CV5TE", "JSE", "LOOE", "ME01E", "QE", "TE", "TE1", "WOEE"]


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Fits this small are many times slower where BLAS threads wait for each other."""
    with threadpool_limits(1):
        yield


@pytest.fixture(scope="module")
def small() -> encoders.Task:
    return encoders.load_task("heart:censored")


@pytest.fixture(scope="module")
def hopeless() -> encoders.Task:
    """A target that is a coin toss, and a category of its own for every row."""
    rng = np.random.default_rng(5)
    names = pd.Series([f"row {i}" for i in range(400)], dtype=object)
    X = pd.DataFrame({"name": names, "noise": rng.normal(size=400)})
    return encoders.Task("coin", "none", X, rng.integers(0, 2, 400), ("name",))


# ---------------------------------------------------------------- encoders


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


def test_tuning_is_a_grid_search_on_the_encoded_training_rows(small):
    folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(small.X, small.y))
    inner = StratifiedKFold(encoders.INNER_FOLDS, shuffle=True, random_state=0)
    frame = encoders.run_task(small, ["TE"], ["LR"], tunings=["model"]).set_index("scoring")
    for scoring, name in SCIKIT_LEARN.items():
        scores = []
        for train, test in folds:
            features, held_out = encoders.encode(encoders.ENCODERS["TE"], small, train, test)
            search = GridSearchCV(LogisticRegression(max_iter=500), {"C": [0.1, 1.0, 10.0]}, scoring=name, cv=inner)
            scores.append(search.fit(features, small.y[train]).score(held_out, small.y[test]))
        assert_allclose(frame.loc[scoring, "cv_score"], np.mean(scores), atol=1e-9)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 4)), min_size=1, max_size=30))
@settings(deadline=None, max_examples=50)
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


@pytest.mark.filterwarnings("ignore::DeprecationWarning:category_encoders")
def test_a_leak_would_be_seen(hopeless):
    leaking = ce.TargetEncoder().fit(hopeless.X[["name"]], hopeless.y).transform(hopeless.X[["name"]])
    assert roc_auc_score(hopeless.y, leaking["name"]) > 0.99


@pytest.mark.parametrize("name", encoders.ENCODERS)
def test_encoding_does_not_depend_on_the_other_rows(small, name):
    train, test = np.arange(50), np.arange(50, len(small.y))
    train_features, test_features = encoders.encode(encoders.ENCODERS[name], small, train, test)
    flipped, one = small.y.copy(), test[:1]
    flipped[test] = 1 - flipped[test]
    other = encoders.Task(small.name, small.table, small.X, flipped, small.categorical)
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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"encoders": ["OHEE"]}, "did you mean 'OHE'"),
        ({"models": ["XGB"]}, "models must be one of"),
        ({"scorings": ["ACCC"]}, "did you mean 'ACC'"),
        ({"tunings": ["full"]}, "tunings must be one of"),
        ({"n_folds": 1}, "n_folds must be from 2 to 24"),
        ({"n_folds": 25}, "n_folds must be from 2 to 24"),
    ],
)
def test_wrong_parameters_are_named(small, options, message):
    with pytest.raises(ParameterError, match=message):
        encoders.run_task(small, **options)


# ---------------------------------------------------------------- tasks and tables


def test_tasks_are_usable():
    tasks = encoders.tasks()
    assert len(tasks) >= 40
    assert len({task.table for task in tasks.values()}) >= 20
    for name, task in tasks.items():
        assert name.split(":")[0] == task.table, name
        assert 60 <= len(task.y) <= 1000, name
        assert np.bincount(task.y).min() >= 10, name
        assert task.X.columns.is_unique and task.categorical and task.numeric, name
        assert task.X.notna().all(axis=None), name
        assert all(isinstance(level, str) for column in task.categorical for level in task.X[column]), name


@pytest.mark.parametrize("name", encoders.tasks())
def test_no_column_gives_the_target_away(name):
    task = encoders.load_task(name)
    for column in task.X:
        levels = task.X[column].groupby(task.X[column]).transform("size")
        often = levels >= 2  # a level that occurs once tells nothing, a few that occur twice little
        pure = task.X.assign(y=task.y)[often].groupby(column)["y"].nunique().eq(1)
        assert often.sum() < 20 or not pure.all(), column


def test_recipes():
    table = pd.DataFrame({"a": np.arange(100.0), "b": ["x", "y"] * 50})
    assert tables.column(table, "a@4").value_counts().tolist() == [25] * 4
    assert tables.column(table, "a%10").nunique() == 11
    crossed = tables.column(table, "a@4*b")
    assert crossed.nunique() == 8 and crossed.name == "a@4*b"


def test_tables_are_copies():
    table = tables.load_table("iris")
    table["target"] = -1
    assert (tables.load_table("iris")["target"] >= 0).all()
    with pytest.raises(ParameterError, match="did you mean 'iris'"):
        tables.load_table("irish")


# ---------------------------------------------------------------- few-shot


@given(st.lists(st.integers(12, 90), min_size=2, max_size=4), st.integers(0, 2**32))
@settings(deadline=None, max_examples=30)
def test_draws_are_nested_balanced_and_disjoint(sizes, seed):
    y = np.repeat(np.arange(len(sizes)), sizes)
    training, test = fewshot.draw(y, (5, 1, 10), np.random.default_rng(seed))
    assert list(training) == [1, 5, 10]
    assert set(training[1]) < set(training[5]) < set(training[10])
    for shots, rows in training.items():
        assert np.bincount(y[rows]).tolist() == [shots] * len(sizes)
    assert not set(test) & set(training[10])
    assert np.bincount(y[test]).tolist() == [min(size - 10, fewshot.TEST_ROWS) for size in sizes]


@pytest.mark.parametrize("family", ["iris_species", "wine_features"])
def test_fewshot_scores_are_adjusted_balanced_accuracies(family):
    subtask = fewshot.load_family(family)[3]
    frame = fewshot.run_family(family, ["NN 1-euclidean"], shots=(2, 5), n_draws=3, seed=7, limit=4)
    frame = frame[frame["subtask_description"] == subtask.description].set_index("number_of_shots")["score_value"]
    rng = np.random.default_rng([7, fewshot.crc32(subtask.description.encode())])
    scores = {2: [], 5: []}
    for _ in range(3):
        training, test = fewshot.draw(subtask.y, (2, 5), rng)
        for shots, rows in training.items():
            distances = ((subtask.X[test][:, None] - subtask.X[rows]) ** 2).sum(axis=2)
            predicted = subtask.y[rows][distances.argmin(axis=1)]
            scores[shots].append(balanced_accuracy_score(subtask.y[test], predicted, adjusted=True))
    for shots, values in scores.items():
        assert_allclose(frame[shots], np.mean(values), atol=1e-5)


def test_label_spreading_never_sees_test_labels():
    X, y = np.arange(8.0)[:, None], np.array([0, 1])
    near = fewshot._predict("Spreading 5-neighbours", X[[0, 7]], y, X[1:7])
    swapped = fewshot._predict("Spreading 5-neighbours", X[[0, 7]], 1 - y, X[1:7])
    assert_array_equal(near, [0, 0, 0, 1, 1, 1])
    assert_array_equal(swapped, 1 - near)


def test_too_few_examples_are_a_missing_cell():
    frame = fewshot.run_family("grunfeld_firms", ["NN 5-euclidean", "NN 1-euclidean"], (1, 3), n_draws=1, limit=2)
    cells = frame.groupby(["model_family_model_name", "number_of_shots"]).size()
    assert cells.to_dict() == {("NN 1-euclidean", 1): 2, ("NN 1-euclidean", 3): 2, ("NN 5-euclidean", 3): 2}
    (failure,) = frame.attrs["failures"]
    assert (failure["shots"], failure["model"], failure["subtasks"]) == (1, "NN 5-euclidean", 2)


def test_families_are_large_enough():
    sizes = {name: len(fewshot.load_family(name)) for name in fewshot.FAMILIES}
    assert len(sizes) >= 8
    assert sum(size > 10 for size in sizes.values()) >= 6
    assert sum(size >= 40 for size in sizes.values()) >= 3


def test_fewshot_names_wrong_parameters():
    with pytest.raises(ParameterError, match="did you mean 'docstrings'"):
        fewshot.run_family("docstring")
    with pytest.raises(ParameterError, match="shots must be"):
        fewshot.run_family("iris_species", shots=(0, 1))
    with pytest.raises(ParameterError, match="n_draws must be"):
        fewshot.run_family("iris_species", n_draws=0)


# ---------------------------------------------------------------- runner


def test_an_interrupted_run_goes_on(tmp_path):
    calls = []

    def run(name, broken=True):
        calls.append(name)
        if broken and name == "b":
            raise KeyboardInterrupt
        frame = pd.DataFrame({"task": [name], "score": [len(calls) * 0.1]})
        frame.attrs = {"fits": 2, "failures": [name]}
        return frame

    keys = dict.fromkeys("abc", "k")
    with pytest.raises(KeyboardInterrupt):
        resumable.run_resumable(run, keys, tmp_path, progress=False)
    assert calls == ["a", "b"]
    saved = resumable.partial_path(tmp_path, "a", "k").read_bytes()
    table = resumable.run_resumable(lambda name: run(name, False), keys, tmp_path, progress=False)
    assert calls == ["a", "b", "b", "c"]
    assert resumable.partial_path(tmp_path, "a", "k").read_bytes() == saved
    assert table["task"].tolist() == ["a", "b", "c"]
    assert table.attrs["fits"] == 6 and table.attrs["failures"] == ["a", "b", "c"]
    again = resumable.run_resumable(lambda name: pytest.fail("nothing is left to do"), keys, tmp_path, progress=False)
    assert_frame_equal(again, table)
    resumable.run_resumable(lambda name: run(name, False), keys | {"c": "changed"}, tmp_path, progress=False)
    assert calls[4:] == ["c"]
    assert not list(tmp_path.glob("*.tmp"))


def _run(name):
    return encoders.run_task(encoders.load_task(name), ["TE", "OHE"], ["DTC", "LR"])


def test_workers_and_order_do_not_matter(tmp_path):
    names = ["heart:censored", "ccard:owner"]
    one = resumable.run_resumable(_run, dict.fromkeys(names, "k"), tmp_path / "1", progress=False)
    keys = dict.fromkeys(reversed(names), "k")
    two = resumable.run_resumable(_run, keys, tmp_path / "2", n_jobs=2, progress=False)
    one, two = (frame.drop(columns="time") for frame in (one, two))
    records.write_results(one, tmp_path / "one.parquet", encoders.COLUMNS[:5], {})
    records.write_results(two, tmp_path / "two.parquet", encoders.COLUMNS[:5], {})
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "two.parquet").read_bytes()


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({"task": ["a", "a"], "score": [1.0, 2.0]}, "twice"),
        ({"task": ["a", "b"], "score": [1.0, np.inf]}, "'score' has missing or infinite"),
    ],
)
def test_bad_tables_are_not_written(tmp_path, rows, message):
    with pytest.raises(DataError, match=message):
        records.write_results(pd.DataFrame(rows), tmp_path / "t.parquet", ["task"], {})
    assert not list(tmp_path.iterdir())


def test_fingerprints_see_data_and_settings(small):
    key = encoders.task_key(small, ["no"], 5, 0)
    other = encoders.Task(small.name, small.table, small.X.iloc[::-1], small.y, small.categorical)
    assert encoders.task_key(other, ["no"], 5, 0) != key
    assert encoders.task_key(small, ["no", "model"], 5, 0) != key
    with pytest.raises(ParameterError, match="at least one task"):
        resumable.run_resumable(_run, {}, "unused")


# ---------------------------------------------------------------- bundled results


def bundled(name: str, *, reproduce: bool = False) -> tuple[pd.DataFrame, dict]:
    about = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    if reproduce:
        other = {package: v for package, v in about["versions"].items() if version(package) != v}
        if other:
            pytest.skip(f"the bundled results were made with {other}")
    return pd.read_parquet(DATA / f"{name}.parquet"), about


@pytest.mark.parametrize(("name", "module"), [("encoders", encoders), ("fewshot", fewshot)])
def test_bundled_tables_are_what_their_notes_say(name, module):
    table, about = bundled(name)
    assert file_hash(DATA / f"{name}.parquet") == about["sha256"]
    assert tuple(table.columns) == module.COLUMNS
    assert len(table) == about["rows"]
    key = [column for column in module.COLUMNS if column not in ("cv_score", "time", "score_value")]
    assert not table.duplicated(key).any()
    assert_frame_equal(table, table.sort_values(key, ignore_index=True))
    assert np.isfinite(table.select_dtypes("number")).all(axis=None)
    assert (DATA / f"{name}.parquet").stat().st_size < {"encoders": 700_000, "fewshot": 500_000}[name]


def test_bundled_encoders_are_complete_but_for_the_listed_failures():
    table, about = bundled("encoders")
    assert set(table["dataset"]) == set(encoders.SPECS)
    assert table["cv_score"].between(0, 1).all() and (table["time"] >= 0).all()
    cells = len(encoders.TUNINGS) * len(encoders.SCORINGS)
    missing = sum(cells * (1 if failure["model"] else len(encoders.MODELS)) for failure in about["failures"])
    assert len(table) + missing == len(encoders.SPECS) * len(encoders.ENCODERS) * len(encoders.MODELS) * cells


def test_bundled_fewshot_is_complete_but_for_the_listed_failures():
    table, about = bundled("fewshot")
    assert table["score_value"].between(-1, 1).all() and (table["score_value"] < 0).any()
    subtasks = table.groupby("task_name")["subtask_description"].nunique()
    assert subtasks.to_dict() == about["tasks"]
    missing = sum(failure["subtasks"] for failure in about["failures"])
    assert len(table) + missing == subtasks.sum() * len(fewshot.SHOTS) * len(fewshot.CLASSIFIERS)


def test_bundled_encoders_can_be_made_again(small):
    table, about = bundled("encoders", reproduce=True)
    options = {"tunings": encoders.TUNINGS, "n_folds": about["n_folds"], "seed": about["seed"]}
    fresh = encoders.run_task(small, ["DE", "HE", "OHE", "TE", "WOEE"], ["DTC", "KNC", "LR"], **options)
    both = fresh.merge(table, on=list(encoders.COLUMNS[:5]), validate="one_to_one")
    assert len(both) == len(fresh) == 5 * 3 * 8
    assert_allclose(both["cv_score_x"], both["cv_score_y"], rtol=1e-7)


def test_bundled_fewshot_can_be_made_again():
    table, about = bundled("fewshot", reproduce=True)
    names = ["Centroid euclidean", "NN 3-euclidean", "Discriminant LDA", "Tree stump", "Bayes GNB-wide"]
    fresh = fewshot.run_family("grunfeld_firms", names, n_draws=about["n_draws"], seed=about["seed"], limit=2)
    both = fresh.merge(table, on=list(fewshot.COLUMNS[:4]), validate="one_to_one")
    assert len(both) == len(fresh)
    assert_allclose(both["score_value_x"], both["score_value_y"], atol=1e-5)
