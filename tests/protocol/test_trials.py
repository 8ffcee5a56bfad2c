"""Trials: the scores of scikit-learn, in any process, after any interruption, and for the same run only."""

import itertools
import json
import os
import random
import sys
import types
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy
import sklearn
from made_up_changes import compiled
from made_up_trials import IRIS, WINE, made_up, quick
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV, ShuffleSplit, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_info

from genexpy_nb.common.errors import DataError, ParameterError, StudyError
from genexpy_nb.protocol import compare, make_splits, run_trials
from genexpy_nb.protocol import trials as trials_module
from genexpy_nb.protocol.trials import with_seed


class DrawsGlobally(ClassifierMixin, BaseEstimator):
    """Guesses, drawing from the global generators of NumPy and Python."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.shift_ = random.random() < 0.5
        return self

    def predict(self, X):
        guess = np.random.randint(0, 2, size=len(X))  # noqa: NPY002
        return self.classes_[(guess + self.shift_) % len(self.classes_)]


class Fails(ClassifierMixin, BaseEstimator):
    """Fails on folds whose training part has a certain first row, until it is repaired."""

    def __init__(self, first, weight=1):
        self.first = first
        self.weight = weight

    def fit(self, X, y):
        if np.array_equal(X[0], self.first) and "REPAIRED" not in os.environ:
            raise RuntimeError("lost my way")
        self.classes_, counts = np.unique(y, return_counts=True)
        self.mode_ = self.classes_[counts.argmax()]
        return self

    def predict(self, X):
        return np.full(len(X), self.mode_)


def test_scores_are_those_of_scikit_learn():
    X, y = WINE
    splits = make_splits(X, y, n_repeats=1)
    models = {
        "tree": DecisionTreeClassifier(max_features=3),
        "tuned": make_pipeline(StandardScaler(), GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 9]}, cv=3)),
    }
    trials = quick(models, X, y, splits, seeds=[7, 13], metric="balanced_accuracy")
    for seed in (7, 13):
        for name, model in (
            ("tree", DecisionTreeClassifier(max_features=3, random_state=seed)),
            ("tuned", models["tuned"]),
        ):
            expected = cross_val_score(model, X, y, cv=list(splits), scoring="balanced_accuracy")
            np.testing.assert_array_equal(trials.wide(average_seeds=False).loc[seed, name], expected)
    assert trials.about["seeded"] == ["tree"]
    assert trials.seed_changes_nothing == ["tuned"]
    assert list(trials.scores.columns) == ["model", "seed", "repeat", "fold", "score", "error", "warnings"]
    assert len(trials.scores) == len(trials.seconds) == 2 * 2 * 5
    assert (trials.seconds[["fit_seconds", "score_seconds"]] > 0).all().all()
    np.testing.assert_allclose(trials.wide(), trials.wide(average_seeds=False).groupby(["repeat", "fold"]).mean())


def test_scores_stand_in_the_order_in_which_models_were_given():
    models = {"z": NearestCentroid(), "a": GaussianNB()}
    trials = quick(models, *IRIS, make_splits(*IRIS, k=3), seeds=[13, 7])
    assert trials.models == list(trials.wide().columns) == list(trials.wide(average_seeds=False).columns) == ["z", "a"]
    assert list(trials.wide().index) == [(r, f) for r in range(2) for f in range(3)]
    index = [(s, r, f) for s in (7, 13) for r in range(2) for f in range(3)]
    assert list(trials.wide(average_seeds=False).index) == index
    assert trials.scores["model"].unique().tolist() == ["z", "a"]
    assert quick(models, *IRIS, make_splits(*IRIS, k=3), seeds=7).about["seeds"] == [7]


def test_a_fold_lacks_a_score_if_one_of_its_seeds_failed():
    scores = np.arange(16.0).reshape(2, 2, 2, 2)
    wide = made_up(scores, failed=[(0, 1, 0, 1)]).wide()
    expected = scores.mean(axis=1).reshape(2, 4).T
    expected[1, 0] = np.nan
    np.testing.assert_array_equal(wide, expected)
    every = made_up(scores, failed=[(0, 1, 0, 1)]).wide(average_seeds=False)
    assert np.argwhere(every.isna().to_numpy()).tolist() == [[5, 0]]


def test_what_was_run_is_written_down():
    X, y = WINE
    groups = np.arange(len(y)) // 2
    splits = make_splits(X, y, groups, k=3, n_repeats=1, seed=4)
    models = {"tree": DecisionTreeClassifier(max_depth=2), "bayes": GaussianNB(var_smoothing=1e-3)}
    trials = quick(models, X, y, splits, seeds=(7, np.int64(13)), metric="f1_macro", groups=groups)
    versions = {"numpy": np.__version__, "scipy": scipy.__version__, "scikit-learn": sklearn.__version__}
    assert trials.about == {
        "metric": "f1_macro",
        "seeds": [7, 13],
        "k": 3,
        "n_repeats": 1,
        "split_seed": 4,
        "stratified": True,
        "grouped": True,
        "n_rows": len(y),
        "data": splits.data,
        "splits": splits.sha256,
        "models": {"tree": "DecisionTreeClassifier(max_depth=2)", "bayes": "GaussianNB(var_smoothing=0.001)"},
        "seeded": ["tree"],
        "versions": {**versions, "python": sys.version.split()[0]},
    }
    json.dumps(trials.about)  # plain numbers and strings
    assert quick(models, X, y, splits, seeds=[7]).about["grouped"]  # groups need not be given
    with pytest.raises(DataError, match="made for other data: in groups"):
        quick(models, X, y, splits, seeds=[7], groups=groups + 1)


def test_seconds_are_those_of_fit_and_score(monkeypatch):
    ticks = itertools.count()
    monkeypatch.setattr(trials_module, "perf_counter", lambda: 10.0 * next(ticks) ** 2)  # 0, 10, 40, 90, ...
    seconds = quick({"a": GaussianNB()}, *IRIS, make_splits(*IRIS, k=2, n_repeats=1), seeds=[7]).seconds
    assert seconds["fit_seconds"].to_list() == [10.0, 70.0]
    assert seconds["score_seconds"].to_list() == [30.0, 90.0]


def test_seed_reaches_every_random_state():
    forest = make_pipeline(StandardScaler(), RandomForestClassifier())
    search = RandomizedSearchCV(forest, {}, cv=StratifiedKFold(3, shuffle=True))
    model, takes = with_seed(search, 21)
    assert takes
    assert model.random_state == model.cv.random_state == 21
    assert model.get_params()["estimator__randomforestclassifier__random_state"] == 21
    assert search.cv.random_state is None
    assert with_seed(GridSearchCV(GaussianNB(), {}, cv=StratifiedKFold(3)), 21)[1] is False
    shuffled = GridSearchCV(GaussianNB(), {}, cv=ShuffleSplit(3))  # always shuffles, so it has no switch for it
    assert with_seed(shuffled, 21)[0].cv.random_state == 21
    assert shuffled.cv.random_state is None


def test_global_generators_are_seeded_for_each_trial(clean_environment):
    X, y = IRIS[0][:100], IRIS[1][:100]
    splits = make_splits(X, y, k=2, n_repeats=1)
    asked = []
    clean_environment.setitem(sys.modules, "torch", types.SimpleNamespace(manual_seed=asked.append))
    trials = quick({"guess": DrawsGlobally()}, X, y, splits, seeds=[7, 13, 21])
    assert asked == [7, 7, 13, 13, 21, 21]
    for row in trials.scores.itertuples():
        train, test = splits.split(row.repeat, row.fold)
        random.seed(row.seed)
        np.random.seed(row.seed)  # noqa: NPY002
        guess = DrawsGlobally().fit(X[train], y[train]).predict(X[test])
        assert row.score == (guess == y[test]).mean()


def test_texts_and_sparse_matrices():
    texts = [f"{'good fine' if i % 2 else 'bad poor'} film number {i}" for i in range(40)]
    y = np.array(["neg", "pos"] * 20)
    splits = make_splits(texts, y, n_repeats=1)
    svm = make_pipeline(TfidfVectorizer(), GridSearchCV(LinearSVC(), {"C": [0.1, 1, 10]}, cv=2))
    assert quick({"svm": svm}, texts, y, splits, seeds=[7]).scores["score"].tolist() == [1.0] * 5
    counts = TfidfVectorizer().fit_transform(texts)
    sparse_trials = quick({"svm": LinearSVC()}, counts, y, make_splits(counts, y, n_repeats=1), seeds=[7])
    assert (sparse_trials.scores["error"] == "").all()


def test_same_bytes_for_any_number_of_workers():
    X, y = IRIS
    models = {"guess": DrawsGlobally(), "forest": RandomForestClassifier(5), "fails": Fails(X[0])}
    splits = make_splits(X, y, k=3, n_repeats=1)
    written = []
    for n_jobs in (1, 2):
        states = random.getstate(), np.random.get_state()[1].copy()  # noqa: NPY002
        trials = quick(models, X, y, splits, seeds=[7, 13], n_jobs=n_jobs, metric=["accuracy", "f1_macro"])
        assert random.getstate() == states[0]
        np.testing.assert_array_equal(np.random.get_state()[1], states[1])  # noqa: NPY002
        written.append(trials.scores.to_csv(index=False))
    assert written[0] == written[1]
    assert "guess" not in trials.seed_changes_nothing
    assert "seconds" not in written[0]


def test_saved_trials_are_used_only_for_the_same_run(tmp_path, monkeypatch):
    X, y = IRIS
    splits = make_splits(X, y, k=3, n_repeats=1)

    def files_after(models, splits=splits, X=X, **options):
        quick(models, X, y, splits, folder=tmp_path, seeds=options.pop("seeds", [7]), **options)
        return len(list(tmp_path.glob("*.parquet")))

    tree = DecisionTreeClassifier()
    assert files_after({"tree": tree}) == 3
    assert files_after({"tree": tree, "bayes": GaussianNB()}) == 6
    assert files_after({"bayes": GaussianNB(), "tree": tree}) == 6
    assert files_after({"tree": tree}, seeds=[7, 13]) == 9
    assert files_after({"tree": DecisionTreeClassifier(random_state=5)}) == 9  # the seed replaces it
    assert files_after({"tree": DecisionTreeClassifier(max_depth=1)}) == 12
    assert files_after({"tree": tree}, metric="f1_macro") == 15
    assert files_after({"tree": tree}, metric=lambda model, X, y: 1.0) == 18
    assert files_after({"tree": tree}, metric=lambda model, X, y: 2.0) == 21
    assert files_after({"tree": tree}, splits=make_splits(X, y, k=3, n_repeats=1, seed=1)) == 24
    assert files_after({"tree": tree}, splits=make_splits(X + 1, y, k=3, n_repeats=1), X=X + 1) == 27
    frame = pd.DataFrame(X)
    for n_files, other in enumerate((frame, frame.set_axis(range(1, 151)), frame[[1, 0, 2, 3]]), start=10):
        assert files_after({"tree": tree}, splits=make_splits(other, y, k=3, n_repeats=1), X=other) == 3 * n_files
    monkeypatch.setattr(trials_module, "versions", lambda names: dict.fromkeys(names, "0.1"))
    assert files_after({"tree": tree}) == 39
    assert files_after({"tree": tree}) == 39


def test_failures_are_recorded_kept_and_retried(tmp_path, monkeypatch):
    X, y = IRIS
    splits = make_splits(X, y, k=3, n_repeats=2)
    first_rows = [X[train[0]] for train, _ in splits]
    n_failing = sum(np.array_equal(row, X[0]) for row in first_rows)
    assert 0 < n_failing < 6
    models = {"bayes": GaussianNB(), "fails": Fails(X[0]), "fails too": Fails(X[0], weight=2)}
    trials = quick(models, X, y, splits, seeds=[7, 13], folder=tmp_path)
    assert len(trials.failed) == 2 * 2 * n_failing
    assert set(trials.failed["error"]) == {"RuntimeError: lost my way"}
    assert (trials.scores["score"].isna() == (trials.scores["error"] != "")).all()
    assert trials.wide()["fails"].isna().sum() == n_failing
    with pytest.raises(StudyError, match=r"trials failed, the first is 'fails' with seed 7, .*lost my way"):
        compare(trials)
    good = {path: path.read_bytes() for path in tmp_path.glob("*.parquet") if not pd.read_parquet(path)["error"].item()}
    assert len(good) == 36 - len(trials.failed)
    monkeypatch.setenv("REPAIRED", "yes")
    assert len(quick(models, X, y, splits, seeds=[7, 13], folder=tmp_path).failed) == len(trials.failed)
    retried = quick(models, X, y, splits, seeds=[7, 13], folder=tmp_path, retry_failed=True)
    assert retried.failed.empty
    assert not retried.scores["score"].isna().any()
    assert all(path.read_bytes() == content for path, content in good.items())  # what had not failed was kept


class Complains(GaussianNB):
    """Warns twice, then fails at length."""

    def fit(self, X, y):
        warnings.warn("one", UserWarning, stacklevel=1)
        warnings.warn("two", FutureWarning, stacklevel=1)
        raise ValueError("no" * 1000)


def test_what_a_fit_says_is_kept_in_short():
    trials = quick({"a": Complains()}, *IRIS, make_splits(*IRIS, k=3), seeds=[7])
    assert trials.failed["error"].to_list() == ["ValueError: " + "no" * 250] * 6
    assert trials.failed["warnings"].to_list() == ["FutureWarning, UserWarning"] * 6


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_metric_that_is_no_number_is_a_failed_trial(value):
    X, y = IRIS
    splits = make_splits(X, y, k=3, n_repeats=1)
    models = {"a": GaussianNB(), "b": NearestCentroid()}
    trials = quick(models, X, y, splits, seeds=[7], metric=lambda model, X, y: value)
    assert set(trials.failed["error"]) == {f"the metric is {value}"}
    with pytest.raises(StudyError, match=f"6 of 6 trials failed.*the metric is {value}"):
        compare(trials)


class SeesThreads(GaussianNB):
    """Scores the largest number of threads that any pool may use, divided by 10."""

    def score(self, X, y):
        return max(pool["num_threads"] for pool in threadpool_info()) / 10


def test_a_fit_gets_one_thread():
    X, y = IRIS
    before = [pool["num_threads"] for pool in threadpool_info()]
    options = {"seeds": [7], "metric": lambda model, X, y: model.score(X, y)}
    trials = quick({"sees": SeesThreads()}, X, y, make_splits(X, y, k=2, n_repeats=1), **options)
    assert trials.scores["score"].to_list() == [0.1] * 2
    assert [pool["num_threads"] for pool in threadpool_info()] == before


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"models": {}}, ParameterError, "at least one model"),
        ({"models": {"a": GaussianNB}}, ParameterError, "'a' is no scikit-learn estimator"),
        ({"models": {1: GaussianNB()}}, ParameterError, "names must be non-empty strings"),
        ({"metric": "acuracy"}, ParameterError, "did you mean 'accuracy'"),
        ({"seeds": []}, ParameterError, "at least one"),
        ({"seeds": [7, 7]}, ParameterError, "each once"),
        ({"seeds": [2**32]}, ParameterError, "each of the seeds must be"),
        ({"models": [GaussianNB()]}, ParameterError, "models must be a dict"),
        ({"X": IRIS[0] + 1}, DataError, "made for other data: in X, values"),
        ({"y": IRIS[1][::-1]}, DataError, "made for other data: in y, values"),
    ],
)
def test_run_trials_rejects(change, error, message):
    arguments = {"models": {"a": GaussianNB()}, "X": IRIS[0], "y": IRIS[1], **change}
    with pytest.raises(error, match=message):
        run_trials(**arguments, splits=make_splits(*IRIS), progress=False)


# --- trials of another model, metric or data --------------------------------------------------------------------------


def test_what_cannot_be_told_apart_needs_a_key(tmp_path):
    space = {"GaussianNB": GaussianNB, "__name__": "made_up"}
    exec("class Own(GaussianNB): pass", space)
    model = space["Own"]()
    splits = make_splits(*IRIS, k=2, n_repeats=1)
    wanted = r"cannot tell models\['own'\] from another one \(the source of made_up.Own is not .*\); give key=, a text"
    with pytest.raises(ParameterError, match=wanted):
        quick({"own": model}, *IRIS, splits, seeds=[7], folder=tmp_path)
    with pytest.raises(ParameterError, match="key must be a text"):
        quick({"own": model}, *IRIS, splits, seeds=[7], folder=tmp_path, key="")
    assert len(quick({"own": model}, *IRIS, splits, seeds=[7]).scores) == 2  # nothing is kept
    for key, seeds, n_files in (("a", [7], 2), ("a", [7], 2), ("b", [7], 4), ("b", [7, 13], 6)):
        quick({"own": model}, *IRIS, splits, seeds=seeds, folder=tmp_path, key=key)
        assert len(list(tmp_path.glob("*.parquet"))) == n_files


def test_the_store_says_what_its_trials_depend_on(tmp_path):
    splits = make_splits(*IRIS, k=2, n_repeats=1)
    metric = compiled("def f(model, X, y): return 1.0")
    quick({"bayes": GaussianNB(var_smoothing=0.25)}, *IRIS, splits, seeds=[7], metric=metric, folder=tmp_path)
    (path,) = tmp_path.glob("about-*.json")
    about = json.loads(path.read_text())
    assert about["models"]["bayes"]["class"] == "sklearn.naive_bayes.GaussianNB"
    assert about["models"]["bayes"]["libraries"] == {"sklearn": sklearn.__version__}
    assert list(about["scorer"]["code"]) == ["made_up.f"] and about["splits"] == splits.sha256


def test_settings_of_scikit_learn_count(tmp_path):
    splits = make_splits(*IRIS, k=2, n_repeats=1)
    for setting, n_files in (("default", 2), ("pandas", 4), ("pandas", 4)):
        with sklearn.config_context(transform_output=setting):
            quick({"bayes": GaussianNB()}, *IRIS, splits, seeds=[7], folder=tmp_path)
        assert len(list(tmp_path.glob("*.parquet"))) == n_files


@pytest.mark.parametrize("factor", [1.0, 100.0, -1 / 3, 1e-300, 0.0])
def test_whether_a_seed_matters_has_no_unit(factor):
    """.3 and .1 + .2 differ in the last bit, but not as three times .1 and .3; a difference of 1e-9 is one."""
    scores = np.full((3, 2, 2, 2), 0.3)
    scores[0, 1] = 0.1 + 0.2
    scores[1, 1, 1, 1] += 1e-9
    scores[2] = [[[0.0, 1.0], [2.0, 3.0]]]
    still = made_up(scores * factor).seed_changes_nothing
    assert still == (["m0", "m2"] if factor else ["m0", "m1", "m2"])
    assert made_up((scores + 0.25) * factor).seed_changes_nothing == still
    failed = made_up(scores * factor, failed=[(0, 1, 0, 1), (2, 0, 0, 0), (2, 1, 0, 0)])
    assert failed.seed_changes_nothing == still  # trials that failed say nothing
    assert made_up(scores[:, :1]).seed_changes_nothing == []  # a single seed can change nothing, nor be idle
