"""The protocol: splits, seeds, trials, comparison, tables, and the simulation of its claims."""

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
import types
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse, stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from threadpoolctl import threadpool_info

from genexpy_nb.common.errors import DataError, ParameterError
from genexpy_nb.common.hashing import describe
from genexpy_nb.protocol import (
    SEEDS,
    Trials,
    checklist,
    compare,
    conclusions,
    content_hash,
    fit_counts,
    instability,
    load_splits,
    make_splits,
    nadeau_bengio,
    overhead,
    paper_tables,
    placeholders,
    run_trials,
    set_determinism,
    simulate_error_rates,
    to_latex,
    with_seed,
    write_tables,
)
from genexpy_nb.protocol import simulation as sim

IRIS = load_iris(return_X_y=True)
WINE = load_wine(return_X_y=True)


# --- content hashes ---------------------------------------------------------------------------------------------------


def test_hash_is_sha256_of_kind_shape_and_canonical_bytes():
    expected = hashlib.sha256(b"i(3,)" + np.array([1, 2, 3], dtype="<i8").tobytes()).hexdigest()
    assert content_hash([1, 2, 3]) == expected
    for dtype in ("int8", ">i4", "int64"):
        assert content_hash(np.array([1, 2, 3], dtype=dtype)) == expected
    assert content_hash(pd.Series([1, 2, 3], index=[9, 8, 7])) == expected


def test_same_content_in_another_form_hashes_alike():
    dense = np.random.default_rng(0).poisson(0.5, size=(6, 4)).astype(float)
    assert content_hash(np.asfortranarray(dense)) == content_hash(dense) == content_hash(dense.tolist())
    forms = [sparse.csr_matrix(dense), sparse.csc_array(dense), sparse.coo_matrix(dense)]
    stored_zero = sparse.csr_matrix(dense)
    stored_zero.data[0] = 0
    assert len({content_hash(form) for form in forms}) == 1
    assert content_hash(stored_zero) != content_hash(forms[0])
    texts = ["a", "bc", None]
    assert content_hash(texts) == content_hash(np.array(texts, dtype=object)) == content_hash(pd.Series(texts))
    frame = pd.DataFrame({"x": ["u", "v"], "y": [1.0, 2.0]})
    assert content_hash(frame) == content_hash(frame.astype({"x": "category"}).set_index([[5, 6]]))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (["ab", "c"], ["a", "bc"]),
        (["a", "b"], ["b", "a"]),
        (["1"], [1]),
        ([[1, 2], [3]], [[1], [2, 3]]),
        ([[1, 2], [3, 4]], [1, 2, 3, 4]),
        ([1, 0], [True, False]),
        ([1.0, float("nan")], [float("nan"), 1.0]),
        (pd.DataFrame({"a": [1], "b": [1]}), pd.DataFrame({"b": [1], "a": [1]})),
        (np.array(["2020-01-01", "2020-01-02"], "M8[D]"), np.array(["2020-01-02", "2020-01-01"], "M8[D]")),
    ],
)
def test_different_content_hashes_differently(one, other):
    assert content_hash(one) == content_hash(one)
    assert content_hash(one) != content_hash(other)


@given(st.lists(st.text(max_size=3), min_size=2, max_size=6), st.randoms())
def test_order_of_rows_counts(texts, shuffler):
    shuffled = list(texts)
    shuffler.shuffle(shuffled)
    assert (content_hash(texts) == content_hash(shuffled)) == (texts == shuffled)


def test_unknown_values_cannot_be_hashed():
    with pytest.raises(DataError, match="value 1 is a object"):
        content_hash([1.0, object()])


def test_another_process_says_the_same():
    """Neither the hash seed nor the state of the global generators is part of a description."""
    code = """
import json
from scipy.stats import loguniform
from sklearn.model_selection import KFold, RandomizedSearchCV
from sklearn.svm import SVC
from genexpy_nb.protocol import set_determinism
from genexpy_nb.common.hashing import describe

def said():
    search = RandomizedSearchCV(SVC(), {"C": loguniform(1, 9)}, cv=KFold(3))
    return json.dumps(describe([search, {"b", "a", "c"}]), sort_keys=True)
"""
    command = [sys.executable, "-c", code + "print(said(), set_determinism(1).settings[0][2], sep='|')"]
    done = subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": "0"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    here = {}
    exec(code, here)
    np.random.random()  # noqa: NPY002
    assert done.stdout.strip() == f"{here['said']()}|set"
    assert "loguniform" in done.stdout


def test_description_sees_parameters_and_code():
    assert describe(GaussianNB()) == describe(GaussianNB())
    assert describe(GaussianNB()) != describe(GaussianNB(var_smoothing=1e-3))
    assert describe(make_pipeline(StandardScaler(), GaussianNB())) != describe(make_pipeline(GaussianNB()))
    assert describe(lambda a: a + 1)["code"] != describe(lambda a: a + 2)["code"]
    assert describe(make_scorer(lambda a, b: 1.0)) != describe(make_scorer(lambda a, b: 2.0))


# --- splits -----------------------------------------------------------------------------------------------------------


@given(
    sizes=st.lists(st.integers(5, 20), min_size=2, max_size=4),
    k=st.integers(2, 5),
    repeats=st.integers(1, 3),
    seed=st.integers(0, 2**31),
)
@settings(max_examples=40, deadline=None)
def test_stratified_folds_partition_rows_and_keep_shares(sizes, k, repeats, seed):
    y = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(sizes)), sizes))
    splits = make_splits(np.zeros((len(y), 1)), y, k=k, repeats=repeats, seed=seed)
    assert len(list(splits)) == len(splits) == k * repeats
    for repeat in range(repeats):
        tests = [splits.split(repeat, fold)[1] for fold in range(k)]
        assert sorted(np.concatenate(tests)) == list(range(len(y)))
        for fold, test in enumerate(tests):
            assert sorted([*splits.split(repeat, fold)[0], *test]) == list(range(len(y)))
        counts = np.array([np.bincount(y[test], minlength=len(sizes)) for test in tests])
        assert (np.ptp(counts, axis=0) <= 1).all()


def test_groups_stay_together_with_and_without_classes():
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 12, size=120).astype(str)
    for y in (rng.integers(0, 2, size=120), rng.normal(size=120)):
        splits = make_splits(np.zeros((120, 1)), y, groups, k=4)
        for train, test in splits:
            assert not set(groups[train]) & set(groups[test])
        assert splits.grouped
        assert splits.stratified == (y.dtype.kind == "i")


def test_repeats_differ_and_the_first_stay_when_more_are_added():
    few, more = make_splits(*IRIS, repeats=2, seed=3), make_splits(*IRIS, repeats=4, seed=3)
    np.testing.assert_array_equal(few.folds, more.folds[:2])
    assert (more.folds[0] != more.folds[1]).any()
    assert make_splits(*IRIS, seed=4).sha256 != make_splits(*IRIS, seed=3).sha256


@pytest.mark.parametrize("kind", ["array", "sparse", "texts", "frame"])
def test_file_round_trip_and_what_it_refuses(tmp_path, kind):
    rng = np.random.default_rng(1)
    numbers = rng.poisson(1.0, size=(40, 3)).astype(float)
    X = {
        "array": numbers,
        "sparse": sparse.csr_matrix(numbers),
        "texts": [f"text {i % 7} number {i}" for i in range(40)],
        "frame": pd.DataFrame(numbers, columns=list("abc")),
    }[kind]
    y = np.array(["no", "yes"] * 20)
    path = tmp_path / "new" / "splits.json"
    made = make_splits(X, y, k=4, repeats=3, seed=5, path=path)
    assert os.listdir(path.parent) == ["splits.json"]
    read = load_splits(path, X, y)
    np.testing.assert_array_equal(read.folds, made.folds)
    assert read.sha256 == made.sha256
    assert (read.k, read.repeats, read.seed, read.stratified) == (4, 3, 5, True)
    assert load_splits(path, X, list(y)).sha256 == made.sha256

    order = np.r_[1, 0, 2:40]
    shuffled = [X[i] for i in order] if kind == "texts" else X.iloc[order] if kind == "frame" else X[order]
    changed = X.copy()
    if kind == "texts":
        changed[7] += "!"
    elif kind == "frame":
        changed.iloc[7, 1] += 1
    else:
        changed[7, 1] += 1
    for other in (shuffled, changed):
        with pytest.raises(DataError, match="other data: in X"):
            load_splits(path, other, y)
    with pytest.raises(DataError, match="other data: in y"):
        load_splits(path, X, y[::-1])
    with pytest.raises(DataError, match="made for 40 rows, the data has 39"):
        load_splits(path, X[:39], y[:39])

    before = path.read_bytes()
    assert make_splits(X, y, k=4, repeats=3, seed=5, path=path).sha256 == made.sha256
    with pytest.raises(DataError, match=r"another data set \(X differ\); it is not overwritten"):
        make_splits(changed, y, k=4, repeats=3, seed=5, path=path)
    with pytest.raises(DataError, match="with seed=5, now seed=6"):
        make_splits(X, y, k=4, repeats=3, seed=6, path=path)
    assert path.read_bytes() == before


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_damage_to_a_file_is_noticed(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("damaged") / "splits.json"
    splits = make_splits(*IRIS, path=path)
    text = path.read_bytes()
    position = data.draw(st.integers(0, len(text) - 2))
    what = data.draw(st.sampled_from(["cut", "replace"]))
    byte = data.draw(st.integers(33, 126).filter(lambda value: value != text[position]))
    path.write_bytes(text[:position] + (b"" if what == "cut" else bytes([byte]) + text[position + 1 :]))
    try:
        read = load_splits(path, *IRIS)
    except DataError:
        return
    # A blank between two tokens is no part of the content.
    assert read.sha256 == splits.sha256


def test_edited_and_foreign_files(tmp_path):
    path = tmp_path / "splits.json"
    make_splits(*IRIS, path=path)
    body = json.loads(path.read_text())
    body["folds"][0][0], body["folds"][0][1] = body["folds"][0][1] + 1, body["folds"][0][0]
    path.write_text(json.dumps(body))
    with pytest.raises(DataError, match="damaged or edited"):
        load_splits(path, *IRIS)
    with pytest.raises(DataError, match="damaged or edited"):
        make_splits(*IRIS, path=path)
    path.write_text("[1, 2]")
    with pytest.raises(DataError, match="no file with splits"):
        load_splits(path, *IRIS)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(DataError, match="no JSON"):
        load_splits(path, *IRIS)
    with pytest.raises(DataError, match="there is no file"):
        load_splits(tmp_path / "absent.json", *IRIS)


def test_groups_are_part_of_the_file(tmp_path):
    X, y = IRIS
    groups = np.arange(150) // 5
    make_splits(X, y, groups, path=tmp_path / "s.json")
    with pytest.raises(DataError, match="no groups were given"):
        load_splits(tmp_path / "s.json", X, y)
    with pytest.raises(DataError, match="in groups"):
        load_splits(tmp_path / "s.json", X, y, groups + 1)
    assert load_splits(tmp_path / "s.json", X, y, groups).grouped


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"k": 1}, ParameterError, "k must be a whole number >= 2, got 1"),
        ({"repeats": 0}, ParameterError, "repeats"),
        ({"seed": -1}, ParameterError, "seed"),
        ({"k": 4}, ParameterError, "class 1 has 3 rows, fewer than k=4"),
        ({"groups": [0] * 5 + [1] * 6, "k": 3}, ParameterError, "at least 3 groups; there are 2"),
        ({"groups": [0, 1]}, DataError, "groups has 2 values"),
        ({"y": [0.5] * 10}, DataError, "X has 11 rows, y has 10"),
        ({"y": [0, 1, None] + [1] * 8}, DataError, "y has 1 missing values, the first in row 2"),
        ({"y": np.linspace(0, 1, 11) ** 2, "stratify": True}, ParameterError, "continuous"),
        ({"y": [1] * 11}, ParameterError, "single class"),
    ],
)
def test_make_splits_rejects(change, error, message):
    arguments = {"X": np.zeros((11, 1)), "y": [0] * 8 + [1] * 3, "k": 2, **change}
    with pytest.raises(error, match=message):
        make_splits(**arguments)


# --- determinism ------------------------------------------------------------------------------------------------------


@pytest.fixture
def clean_environment(monkeypatch):
    for name in ("PYTHONHASHSEED", "CUBLAS_WORKSPACE_CONFIG"):
        monkeypatch.setenv(name, "to be restored")
        monkeypatch.delenv(name)
    states = random.getstate(), np.random.get_state()  # noqa: NPY002
    yield monkeypatch
    random.setstate(states[0])
    np.random.set_state(states[1])  # noqa: NPY002


def test_seeds_are_set_and_what_comes_too_late_is_said(clean_environment):
    record = set_determinism(42)
    assert random.random() == random.Random(42).random()
    assert np.random.random() == np.random.RandomState(42).random_sample()  # noqa: NPY002
    table = record.to_frame().set_index("setting")
    assert table.loc["random.seed", "status"] == table.loc["numpy.random.seed", "status"] == "set"
    assert os.environ["PYTHONHASHSEED"] == "0"
    assert os.environ["CUBLAS_WORKSPACE_CONFIG"] == ":16:8"
    assert table.loc["PYTHONHASHSEED", "status"] == "partly"
    assert "PYTHONHASHSEED" in record.not_set
    assert record.versions["numpy"] == np.__version__


def test_torch_is_set_where_it_is_installed(clean_environment):
    calls = {}

    def refuse(value):
        raise RuntimeError("no deterministic kernels")

    cudnn = types.SimpleNamespace(deterministic=False, benchmark=True)
    torch = types.SimpleNamespace(
        manual_seed=lambda seed: calls.update(seed=seed),
        use_deterministic_algorithms=refuse,
        backends=types.SimpleNamespace(cudnn=cudnn),
        cuda=types.SimpleNamespace(is_available=lambda: True, is_initialized=lambda: True),
    )
    clean_environment.setitem(sys.modules, "torch", torch)
    record = set_determinism(13)
    table = record.to_frame().set_index("setting")
    assert calls == {"seed": 13}
    assert (cudnn.deterministic, cudnn.benchmark) == (True, False)
    assert table.loc["torch.manual_seed", "status"] == "set"
    assert table.loc["torch.use_deterministic_algorithms", "status"] == "not set"
    assert "no deterministic kernels" in table.loc["torch.use_deterministic_algorithms", "note"]
    assert table.loc["CUBLAS_WORKSPACE_CONFIG", "status"] == "partly"


@pytest.mark.parametrize("seed", [-1, 2**32, 1.5, True, "7"])
def test_bad_seeds(seed):
    with pytest.raises(ParameterError, match="seed must be a whole number"):
        set_determinism(seed)


# --- trials -----------------------------------------------------------------------------------------------------------


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


def quick(models, X, y, splits, **options):
    return run_trials(models, X, y, splits, progress=False, **options)


def test_scores_are_those_of_scikit_learn():
    X, y = WINE
    splits = make_splits(X, y)
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
    assert trials.about["takes a seed"] == ["tree"]
    assert trials.seed_changes_nothing == ["tuned"]
    assert list(trials.scores.columns) == ["model", "seed", "repeat", "fold", "score", "error", "warnings"]
    assert len(trials.scores) == len(trials.seconds) == 2 * 2 * 10
    assert (trials.seconds[["fit_seconds", "score_seconds"]] > 0).all().all()
    np.testing.assert_allclose(trials.wide(), trials.wide(average_seeds=False).groupby(["repeat", "fold"]).mean())


def test_seed_reaches_every_random_state():
    search = RandomizedSearchCV(
        make_pipeline(StandardScaler(), RandomForestClassifier()), {}, cv=StratifiedKFold(3, shuffle=True)
    )
    model, takes = with_seed(search, 21)
    assert takes
    assert model.random_state == model.cv.random_state == 21
    assert model.get_params()["estimator__randomforestclassifier__random_state"] == 21
    assert search.cv.random_state is None
    assert with_seed(GridSearchCV(GaussianNB(), {}, cv=StratifiedKFold(3)), 21)[1] is False


def test_texts_and_sparse_matrices():
    texts = [f"{'good fine' if i % 2 else 'bad poor'} film number {i}" for i in range(40)]
    y = np.array(["neg", "pos"] * 20)
    splits = make_splits(texts, y, repeats=1)
    svm = make_pipeline(TfidfVectorizer(), GridSearchCV(LinearSVC(), {"C": [0.1, 1, 10]}, cv=2))
    assert quick({"svm": svm}, texts, y, splits, seeds=[7]).scores["score"].tolist() == [1.0] * 5
    counts = TfidfVectorizer().fit_transform(texts)
    sparse_trials = quick({"svm": LinearSVC()}, counts, y, make_splits(counts, y, repeats=1), seeds=[7])
    assert (sparse_trials.scores["error"] == "").all()


def test_same_bytes_for_any_number_of_workers(tmp_path):
    X, y = IRIS
    models = {"guess": DrawsGlobally(), "forest": RandomForestClassifier(5), "fails": Fails(X[0])}
    splits = make_splits(X, y, k=3, repeats=1)
    written = []
    for n_jobs in (1, 2):
        states = random.getstate(), np.random.get_state()[1].copy()  # noqa: NPY002
        trials = quick(models, X, y, splits, seeds=[7, 13], n_jobs=n_jobs)
        assert random.getstate() == states[0]
        np.testing.assert_array_equal(np.random.get_state()[1], states[1])  # noqa: NPY002
        trials.to_csv(tmp_path / f"{n_jobs}.csv")
        written.append((tmp_path / f"{n_jobs}.csv").read_bytes())
    assert written[0] == written[1]
    assert "guess" not in trials.seed_changes_nothing
    assert b"seconds" not in written[0]


KILLED = """
import sys, time
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier
from genexpy_nb.protocol import make_splits, run_trials

class Slow(DecisionTreeClassifier):
    log = "fits.log"

    def fit(self, X, y):
        with open(self.log, "a") as log:
            log.write("fit\\n")
        time.sleep(0.05)
        return super().fit(X, y)

X, y = load_iris(return_X_y=True)
splits = make_splits(X, y, k=5, repeats=2, path="splits.json")
models = {"shallow": Slow(max_depth=1), "deep": Slow(max_features=1)}
options = {"seeds": [7], "n_jobs": int(sys.argv[1]), "progress": False}
run_trials(models, X, y, splits, folder="kept", **options).to_csv("resumed.csv")
Slow.log = "other.log"
run_trials(models, X, y, splits, **options).to_csv("whole.csv")
"""


def test_killed_run_goes_on_where_it_stopped(tmp_path):
    """Kill a run on two workers in the middle, and finish it on one."""
    (tmp_path / "run.py").write_text(KILLED)

    def start(n_jobs):
        command = [sys.executable, "run.py", str(n_jobs)]
        return subprocess.Popen(command, cwd=tmp_path, start_new_session=True, stderr=subprocess.PIPE)

    def fits():
        return len((tmp_path / "fits.log").read_text().splitlines())

    process = start(2)
    deadline = time.monotonic() + 60
    while len(list(tmp_path.glob("kept/*.parquet"))) < 4 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    kept, before = {path: path.read_bytes() for path in tmp_path.glob("kept/*.parquet")}, fits()
    assert 4 <= len(kept) < 20
    assert not (tmp_path / "resumed.csv").exists()

    process = start(1)
    _, said = process.communicate()
    assert process.returncode == 0, said.decode()
    assert fits() - before == 20 - len(kept)
    assert all(path.read_bytes() == content for path, content in kept.items())
    assert (tmp_path / "resumed.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    assert len((tmp_path / "other.log").read_text().splitlines()) == 20


def test_saved_trials_are_used_only_for_the_same_run(tmp_path):
    X, y = IRIS
    splits = make_splits(X, y, k=3, repeats=1)

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
    assert files_after({"tree": tree}, splits=make_splits(X, y, k=3, repeats=1, seed=1)) == 24
    assert files_after({"tree": tree}, splits=make_splits(X + 1, y, k=3, repeats=1), X=X + 1) == 27


def test_damaged_trial_is_run_again(tmp_path):
    X, y = IRIS
    splits = make_splits(X, y, k=3, repeats=1)
    first = quick({"bayes": GaussianNB()}, X, y, splits, seeds=[7], folder=tmp_path)
    path = sorted(tmp_path.glob("*.parquet"))[0]
    path.write_bytes(path.read_bytes()[:100])
    again = quick({"bayes": GaussianNB()}, X, y, splits, seeds=[7], folder=tmp_path)
    pd.testing.assert_frame_equal(first.scores, again.scores)


def test_failures_are_recorded_kept_and_retried(tmp_path, monkeypatch):
    X, y = IRIS
    splits = make_splits(X, y, k=3, repeats=2)
    first_rows = [X[train[0]] for train, _ in splits]
    n_failing = sum(np.array_equal(row, X[0]) for row in first_rows)
    assert 0 < n_failing < 6
    models = {"bayes": GaussianNB(), "fails": Fails(X[0]), "fails too": Fails(X[0], weight=2)}
    trials = quick(models, X, y, splits, seeds=[7, 13], folder=tmp_path)
    assert len(trials.failed) == 2 * 2 * n_failing
    assert set(trials.failed["error"]) == {"RuntimeError: lost my way"}
    assert (trials.scores["score"].isna() == (trials.scores["error"] != "")).all()
    assert trials.wide()["fails"].isna().sum() == n_failing
    with pytest.raises(DataError, match=r"trials failed, the first is 'fails' with seed 7, .*lost my way"):
        compare(trials)
    rest = compare(trials, failures="drop", n_resamples=100)
    assert set(rest.pairs["n"]) == {6 - n_failing}
    assert f"Left out {n_failing} of 6 folds" in rest.notes[0]
    assert np.isfinite(rest.pairs[["p_adjusted", "p_corrected_adjusted", "instability"]]).all().all()

    monkeypatch.setenv("REPAIRED", "yes")
    assert len(quick(models, X, y, splits, seeds=[7, 13], folder=tmp_path).failed) == len(trials.failed)
    retried = quick(models, X, y, splits, seeds=[7, 13], folder=tmp_path, retry_failed=True)
    assert retried.failed.empty
    assert not retried.scores["score"].isna().any()


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_metric_that_is_no_number_is_a_failed_trial(value):
    X, y = IRIS
    splits = make_splits(X, y, k=3, repeats=1)
    trials = quick(
        {"a": GaussianNB(), "b": NearestCentroid()}, X, y, splits, seeds=[7], metric=lambda model, X, y: value
    )
    assert set(trials.failed["error"]) == {f"the metric is {value}"}
    with pytest.raises(DataError, match=f"6 of 6 trials failed.*the metric is {value}"):
        compare(trials)
    with pytest.raises(DataError, match="at least two complete folds are needed, there are 0"):
        compare(trials, failures="drop")


class SeesThreads(GaussianNB):
    """Scores the largest number of threads that any pool may use, divided by 10."""

    def score(self, X, y):
        return max(pool["num_threads"] for pool in threadpool_info()) / 10


@pytest.mark.parametrize("threads", [1, 2])
def test_fits_get_as_many_threads_as_asked_for(threads):
    X, y = IRIS
    before = [pool["num_threads"] for pool in threadpool_info()]
    options = {"seeds": [7], "threads": threads, "metric": lambda model, X, y: model.score(X, y)}
    trials = quick({"sees": SeesThreads()}, X, y, make_splits(X, y, k=2, repeats=1), **options)
    assert trials.scores["score"].to_list() == [threads / 10] * 2
    assert trials.about["threads"] == threads
    assert [pool["num_threads"] for pool in threadpool_info()] == before


def test_warnings_are_recorded():
    X, y = WINE
    trials = quick({"lr": LogisticRegression(max_iter=1)}, X, y, make_splits(X, y, repeats=1), seeds=[7])
    assert set(trials.scores["warnings"]) == {"ConvergenceWarning"}
    answers = checklist(trials).set_index("item")
    assert answers.loc["warnings of the fits", "answer"] == "lr: ConvergenceWarning in 5 trials"
    assert answers.loc["warnings of the fits", "status"] == "attention"


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"models": {}}, ParameterError, "at least one model"),
        ({"models": {"a": GaussianNB}}, ParameterError, "'a' is no scikit-learn estimator"),
        ({"models": {1: GaussianNB()}}, ParameterError, "names must be non-empty strings"),
        ({"metric": "acuracy"}, ParameterError, "did you mean 'accuracy'"),
        ({"metric": 3}, ParameterError, "metric must be"),
        ({"threads": 0}, ParameterError, "threads must be a whole number >= 1"),
        ({"seeds": []}, ParameterError, "at least one"),
        ({"seeds": [7, 7]}, ParameterError, "each once"),
        ({"seeds": [-7]}, ParameterError, "whole numbers"),
        ({"X": IRIS[0] + 1}, DataError, "X is not what the splits were made for"),
        ({"y": IRIS[1][::-1]}, DataError, "y is not what the splits were made for"),
        ({"X": IRIS[0][:9], "y": IRIS[1][:9]}, DataError, "made for 150 rows, the data has 9"),
    ],
)
def test_run_trials_rejects(change, error, message):
    arguments = {"models": {"a": GaussianNB()}, "X": IRIS[0], "y": IRIS[1], **change}
    with pytest.raises(error, match=message):
        run_trials(**arguments, splits=make_splits(*IRIS), progress=False)


# --- comparison -------------------------------------------------------------------------------------------------------


def fake(scores, k=5):
    """Trials from an array of scores, shape (models, seeds, repeats, k)."""
    scores = np.asarray(scores, dtype=float)
    models = [f"m{i}" for i in range(len(scores))]
    index = pd.MultiIndex.from_product(
        [models, SEEDS[: scores.shape[1]], range(scores.shape[2]), range(scores.shape[3])],
        names=["model", "seed", "repeat", "fold"],
    )
    table = pd.DataFrame({"score": scores.ravel(), "error": "", "warnings": ""}, index).reset_index()
    seconds = table[["model", "seed", "repeat", "fold"]].assign(fit_seconds=1.0, score_seconds=0.5)
    about = {
        "metric": "accuracy",
        "models": dict.fromkeys(models, "Model()"),
        "seeds": list(SEEDS[: scores.shape[1]]),
        "k": scores.shape[3],
        "repeats": scores.shape[2],
    }
    return Trials(table, seconds, about)


@given(
    st.lists(st.floats(-1, 1), min_size=2, max_size=12).filter(lambda d: np.ptp(d) > 1e-6),
    st.floats(0, 0.9),
)
def test_corrected_test_is_the_posterior_of_the_correlated_t_test(differences, share):
    # Corani and Benavoli (2015): the posterior of the mean is Student's t, its tail mass one-sided p of the test.
    d = np.array(differences)
    n = len(d)
    posterior = stats.t(n - 1, loc=d.mean(), scale=np.sqrt(d.var(ddof=1) * (1 / n + share / (1 - share))))
    test = nadeau_bengio(d, share)
    assert test.p_value == pytest.approx(2 * min(posterior.cdf(0), posterior.sf(0)), abs=1e-9)
    np.testing.assert_allclose([test.low, test.high], posterior.interval(0.95), rtol=1e-7, atol=1e-9)
    plain = stats.ttest_1samp(d, 0)
    assert nadeau_bengio(d, 0.0).p_value == pytest.approx(plain.pvalue, abs=1e-9)
    assert test.p_value >= plain.pvalue - 1e-9


def test_corrected_test_without_variance_or_data():
    none = nadeau_bengio([0.0, 0.0, 0.0], 0.2)
    assert (none.p_value, none.statistic, none.low, none.high) == (1.0, 0.0, 0.0, 0.0)
    same = nadeau_bengio([0.9 - 0.8, 0.3 - 0.2, 0.1], 0.2)
    assert same.p_value == 0
    assert same.statistic == np.inf
    assert "no variance" in same.note
    with pytest.raises(ParameterError, match="a single fold says nothing"):
        nadeau_bengio([0.1], 0.2)
    with pytest.raises(DataError, match="got nan at position 1"):
        nadeau_bengio([0.1, np.nan], 0.2)
    with pytest.raises(ParameterError, match="test_share"):
        nadeau_bengio([0.1, 0.2], 1.0)


def test_estimates_and_tests_against_scipy_and_the_definition():
    rng = np.random.default_rng(3)
    scores = 0.8 + 0.02 * np.arange(3)[:, None, None, None] + rng.normal(0, 0.03, size=(3, 5, 2, 5))
    trials = fake(scores)
    result = compare(trials, n_resamples=40_000)
    folds = scores.mean(axis=1).reshape(3, 10)
    for row in result.estimates.itertuples():
        own = folds[int(row.model[1])]
        assert row.mean == pytest.approx(own.mean())
        assert row.sd == pytest.approx(own.std(ddof=1))
        exact = stats.bootstrap((own,), np.mean, n_resamples=40_000, method="BCa", rng=1).confidence_interval
        assert (row.low, row.high) == pytest.approx(tuple(exact), abs=4e-4)
    assert result.estimates["mean"].is_monotonic_decreasing
    pairs = result.pairs.set_index(["a", "b"])
    raw = []
    for a, b in combinations(range(3), 2):
        d = folds[a] - folds[b]
        row = pairs.loc[(f"m{a}", f"m{b}")]
        assert row["p"] == pytest.approx(stats.wilcoxon(d, method="exact").pvalue)
        raw.append(2 * stats.t.sf(abs(d.mean()) / np.sqrt(d.var(ddof=1) * (1 / 10 + 0.25)), 9))
        assert row["p_corrected"] == pytest.approx(raw[-1])
        assert row["d_z"] == pytest.approx(d.mean() / d.std(ddof=1))
        brute = [
            np.sign(scores[a, s, r, f] - scores[b, s, r, f]) != np.sign(scores[a].mean() - scores[b].mean())
            for s in range(5)
            for r in range(2)
            for f in range(5)
        ]
        assert row["instability"] == pytest.approx(np.mean(brute))
        by_seed = np.sign(scores[a].mean(axis=(1, 2)) - scores[b].mean(axis=(1, 2)))
        assert row["instability_protocol"] == np.mean(by_seed != np.sign(d.mean()))
    np.testing.assert_allclose(result.pairs["p_corrected_adjusted"], multipletests(raw, method="holm")[1])


def test_instability_levels_and_ties():
    scores = np.array([[[[1.0, 0.0, 0.5, 1.0]]], [[[0.3, 0.1 + 0.2, 0.5, 0.3]]]])  # + - = +
    table = instability(fake(scores)).set_index("level")
    assert table.loc["one trial", ["instability", "n"]].to_list() == [0.5, 4]
    assert table.loc["one seed, all folds", "instability"] == 0


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_instability_does_not_depend_on_the_order_of_models_or_on_scale(seed):
    scores = np.random.default_rng(seed).normal(size=(2, 3, 2, 4)).round(1)
    once = instability(fake(scores))["instability"]
    np.testing.assert_array_equal(instability(fake(scores[::-1]))["instability"], once)
    np.testing.assert_array_equal(instability(fake(8 * scores - 3))["instability"], once)


def test_declared_wins_against_separate_t_tests():
    rng = np.random.default_rng(5)
    scores = (rng.normal(size=(3, 2, 2, 5)) / 10 + 0.1 * np.arange(3)[:, None, None, None]).round(2)
    trials = fake(scores)
    result = compare(trials, n_resamples=100)
    wins = result.settings.set_index("setting")["wins"]
    pairs = list(combinations(range(3), 2))
    higher = sum((scores[a] != scores[b]).sum() for a, b in pairs) / (2 * 2 * 5)
    assert wins["one trial, the higher score wins"] == pytest.approx(higher)
    tested = [
        stats.ttest_rel(scores[a, s, r], scores[b, s, r]).pvalue <= 0.05
        for s in range(2)
        for r in range(2)
        for a, b in pairs
    ]
    assert wins["one seed, k folds, paired t, unadjusted"] == pytest.approx(sum(tested) / 4)
    assert wins["protocol: Wilcoxon over folds, Holm"] == (result.pairs["winner"] != "").sum()
    assert (result.pairs["winner"] == "").equals(result.pairs["p_adjusted"] > 0.05)


def test_identical_models_and_constant_differences_have_clear_results():
    base = np.random.default_rng(0).integers(80, 95, size=(1, 2, 2, 5)) / 100
    result = compare(fake(np.concatenate([base, base, base - 0.1])), n_resamples=500)
    same = result.pairs.iloc[0]
    assert same[["estimate", "low", "high", "d_z", "instability"]].tolist() == [0, 0, 0, 0, 0]
    assert same[["p_adjusted", "p_corrected_adjusted"]].tolist() == [1, 1]
    assert same["winner"] == same["winner_corrected"] == ""
    constant = result.pairs.iloc[1]
    assert constant[["estimate", "low", "high"]].tolist() == pytest.approx([0.1] * 3)
    assert constant["d_z"] == np.inf
    assert constant["winner"] == constant["winner_corrected"] == "m0"
    assert "m0 against m1: identical." in result.notes
    assert "m0 against m2: constant difference." in result.notes
    numbers = pd.concat([result.pairs, result.estimates]).select_dtypes("number")
    assert not result.pairs.select_dtypes("number").isna().any().any()
    assert len(numbers) == 6
    constant_model = compare(fake(np.concatenate([base, np.full_like(base, 0.5)])), n_resamples=500)
    row = constant_model.estimates.set_index("model").loc["m1"]
    assert (row["low"], row["high"], row["sd"]) == (0.5, 0.5, 0)
    for table in paper_tables(result).values():
        assert not table.astype(str).apply(lambda column: column.str.contains("nan")).any().any()


def test_too_little_to_compare():
    with pytest.raises(DataError, match="at least two complete folds are needed, there are 1"):
        compare(fake(np.full((2, 1, 1, 1), 0.5)))
    with pytest.raises(ParameterError, match="a single model, 'm0'"):
        compare(fake(np.full((1, 1, 1, 5), 0.5)))
    with pytest.raises(ParameterError, match="alpha"):
        compare(fake(np.full((2, 1, 1, 5), 0.5)), level=1.5)
    with pytest.raises(ParameterError, match="failures must be one of"):
        compare(fake(np.full((2, 1, 1, 5), 0.5)), failures="drp")


def test_overhead_counts_every_fit():
    table = overhead(fake(np.full((2, 5, 2, 5), 0.5)))
    assert table["trials"].tolist() == [50, 50, 100]
    assert table["factor"].tolist() == [50, 50, 50]
    assert table["total"].tolist() == [75, 75, 150]


class CountsFits(GaussianNB):
    """Counts how often any copy of it is fitted."""

    fits = 0

    def fit(self, X, y):
        type(self).fits += 1
        return super().fit(X, y)


@pytest.mark.parametrize(
    "wrap",
    [
        lambda model: model,
        lambda model: make_pipeline(StandardScaler(), model),
        lambda model: GridSearchCV(model, {"var_smoothing": [1e-9, 1e-3, 1.0]}, cv=3),
        lambda model: make_pipeline(
            StandardScaler(), RandomizedSearchCV(model, {"var_smoothing": stats.uniform()}, n_iter=4)
        ),
        lambda model: GridSearchCV(model, {"var_smoothing": [1e-9, 1e-3]}, cv=StratifiedKFold(2), refit=False),
        lambda model: GridSearchCV(
            GridSearchCV(model, {"var_smoothing": [1e-9, 1e-3]}, cv=2), {"estimator__priors": [None]}, cv=3
        ),
    ],
)
def test_fits_are_counted_as_they_happen(wrap):
    X, y = IRIS
    CountsFits.fits = 0
    models = {"counted": wrap(CountsFits())}
    trials = quick(models, X, y, make_splits(X, y, k=3, repeats=1), seeds=[7, 13])
    table = fit_counts(trials, models)
    assert table.loc[0, "fits"] == CountsFits.fits
    assert table.loc[0, "fits_per_trial"] == CountsFits.fits / 6
    assert table.loc[0, ["trials", "factor"]].to_list() == [6, 6]


def test_fit_counts_sum_up_and_leave_out_idle_seeds():
    X, y = WINE
    models = {
        "tree": DecisionTreeClassifier(max_features=2),
        "tuned": GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 9]}, cv=2),
    }
    trials = quick(models, X, y, make_splits(X, y, k=3), seeds=[7, 13])
    table = fit_counts(trials, models).set_index("model")
    assert table.loc["tree"].to_list() == [1, 12, 12, 12, 12, 12]
    assert table.loc["tuned"].to_list() == [5, 12, 60, 12, 6, 6]
    assert table.loc["all"].to_list() == [6, 24, 72, 12, 18, 7]  # 12 + 5 * 6 fits instead of 1 + 5
    with pytest.raises(ParameterError, match="of the models tree, tuned, got tree"):
        fit_counts(trials, {"tree": models["tree"]})

    class HalvingSearchCV(GaussianNB):
        pass

    with pytest.raises(ParameterError, match="the fits of HalvingSearchCV in 'tuned' cannot be counted"):
        fit_counts(trials, {**models, "tuned": HalvingSearchCV()})


def test_placeholders_are_those_of_the_paper():
    estimates = placeholders("estimates")
    assert ((estimates["low"] < estimates["mean"]) & (estimates["mean"] < estimates["high"])).all()
    settings = placeholders("settings").set_index(["data", "setting"])
    assert settings.loc[("IMDB", "protocol")].to_list() == [0.029, 1.9, 3, 0.047]
    assert settings.index[settings["wins"] > settings["pairs"]].to_list() == [("CIFAR-10", "single seed")]
    settings["fwer"] = 0.0  # a copy each time
    assert placeholders("settings")["fwer"].min() > 0
    with pytest.raises(ParameterError, match="table must be one of"):
        placeholders("pairs")


# --- tables and checklist ---------------------------------------------------------------------------------------------


def test_tables_are_escaped_and_stable(tmp_path):
    X, y = IRIS
    models = {"a_b & 50% {x}": GaussianNB(), "#2 $\\alpha$^~": NearestCentroid()}
    trials = quick(models, X, y, make_splits(X, y), seeds=[7], metric="f1_macro")
    result = compare(trials, n_resamples=500)
    paths = write_tables(result, tmp_path / "tables")
    assert [path.name for path in paths] == [
        f"{name}.{suffix}" for name in ("estimates", "pairs", "settings") for suffix in ("tex", "csv")
    ]
    tex = paths[0].read_text()
    assert all(rule in tex for rule in (r"\toprule", r"\midrule", r"\bottomrule"))
    assert r"a\_b \& 50\% \{x\}" in tex
    assert r"\#2 \$\textbackslash " in tex or r"\#2 \$\textbackslash{}" in tex
    assert r"Mean f1\_macro with 95 \% BCa" in tex
    numbers = pd.read_csv(tmp_path / "tables" / "pairs.csv", keep_default_na=False)
    np.testing.assert_array_equal(numbers["estimate"], result.pairs["estimate"])
    before = [path.read_bytes() for path in paths]
    write_tables(compare(trials, n_resamples=500), tmp_path / "tables")
    assert [path.read_bytes() for path in paths] == before


def test_scores_outside_the_unit_interval_are_not_percentages():
    scores = -np.random.default_rng(0).random((2, 1, 2, 5)) * 30
    shown = paper_tables(compare(fake(scores), n_resamples=200))
    assert shown["estimates"].loc[0, "model"] == "accuracy"
    mean, rest = shown["estimates"].loc[0, "m0"].split(" ", 1)
    assert float(mean) == pytest.approx(scores[0].mean(), abs=5e-4)
    assert rest.startswith("[-")


def test_caption_is_plain_text():
    assert r"\caption{50\% of A\_B \& C\textasciicircum{}2 \textbackslash{}}" in to_latex(
        pd.DataFrame({"x": [1]}), "50% of A_B & C^2 \\", "tab:x"
    )


def test_checklist_fills_itself_in(tmp_path, clean_environment):
    X, y = WINE
    path = tmp_path / "splits.json"
    splits = make_splits(X, y, path=path)
    models = {"near": KNeighborsClassifier(3), "tree": DecisionTreeClassifier()}
    trials = quick(models, X, y, splits, seeds=[7, 13])
    table = checklist(trials, compare(trials), set_determinism(7), [path, tmp_path / "gone"]).set_index("item")
    assert splits.sha256 in table.loc["splits", "answer"]
    assert table.loc["seeds", "answer"] == "7, 13; the seed changes nothing for near"
    assert table.loc["hyperparameters: near", "answer"] == "KNeighborsClassifier(n_neighbors=3)"
    assert table.loc["files with splits and results", "status"] == "attention"
    assert "gone" in table.loc["files with splits and results", "answer"]
    assert table.loc["determinism: PYTHONHASHSEED", "status"] == "attention"
    assert "10,000 paired resamples of 10 folds" in table.loc["intervals", "answer"]
    assert table.loc["tuning after the results were seen", "status"] == "open"
    assert f"numpy {np.__version__}" in table.loc["versions", "answer"]
    assert table.loc["threads of each fit", "answer"] == "1"
    assert " s on this machine" in table.loc["cost", "answer"]
    assert checklist(trials, times=False).set_index("item").loc["cost", "answer"] == "40 trials"
    bare = checklist(trials).set_index("item")
    assert bare.loc["determinism flags", "status"] == bare.loc["intervals and tests", "status"] == "open"


# --- simulation -------------------------------------------------------------------------------------------------------


def rate(rates, procedure, quantity="FWER"):
    row = rates[(rates["procedure"] == procedure) & (rates["quantity"] == quantity)]
    return row["rate"].item()


def within(measured, exact, n_studies, sigmas=4.5):
    assert abs(measured - exact) <= sigmas * np.sqrt(exact * (1 - exact) / n_studies), (measured, exact)


@pytest.mark.parametrize(("correlation", "n_seeds"), [(0.2, 5), (0.0, 1), (0.5, 3)])
def test_correlated_folds_have_closed_forms(correlation, n_seeds):
    n_studies, n, effect = 5_000, 10, 1.0
    options = {
        "world": "correlated-folds",
        "n_learners": 2,
        "n_seeds": n_seeds,
        "n_studies": n_studies,
        "seed_share": 0.0,
    }
    null = simulate_error_rates(0.0, correlation=correlation, **options)
    quantile = stats.t.ppf(0.975, n - 1)
    inflation = np.sqrt(1 + n * correlation / (1 - correlation))
    within(rate(null, "folds, t"), 2 * stats.t.sf(quantile / inflation, n - 1), n_studies)
    corrected = np.sqrt(1 + n * 0.2 / 0.8)  # the test takes 1 / k for the correlation, whatever it is
    within(rate(null, "folds, corrected t"), 2 * stats.t.sf(quantile * corrected / inflation, n - 1), n_studies)
    few = np.sqrt(1 + 5 * correlation / (1 - correlation))
    within(rate(null, "one seed, k folds, t"), 2 * stats.t.sf(stats.t.ppf(0.975, 4) / few, 4), n_studies)
    if correlation == 0:
        sums = np.array([sum(c) for r in range(n + 1) for c in combinations(range(1, n + 1), r)])
        p = np.array([2 * min((sums <= s).mean(), (sums >= s).mean()) for s in range(56)])
        within(rate(null, "folds, Wilcoxon"), (p[sums] <= 0.05).mean(), n_studies)

    found = simulate_error_rates(effect, correlation=correlation, **options)
    spread = np.sqrt(2 * (correlation + (1 - correlation) / n))
    power = stats.nct.sf(quantile * corrected / inflation, n - 1, effect / spread)
    within(rate(found, "folds, corrected t", "power"), power, n_studies)
    within(rate(found, "folds, Wilcoxon", "wrong order"), stats.norm.sf(effect / spread), n_studies)
    within(rate(found, "one trial, higher score", "wrong order"), stats.norm.sf(effect / np.sqrt(2)), n_studies)


def test_corrected_test_holds_its_level_where_its_assumption_holds():
    rates = simulate_error_rates(0.0, world="correlated-folds", n_learners=2, n_studies=10_000, seed_share=0.6)
    within(rate(rates, "folds, corrected t"), 0.05, 10_000)


def test_holm_holds_the_level_for_independent_splits():
    rates = simulate_error_rates(
        0.0, world="correlated-folds", n_learners=4, correlation=0.0, n_studies=5000, n_seeds=1
    )
    for procedure in ("folds, t", "folds, Wilcoxon"):
        assert rates.set_index("procedure").loc[procedure, "low"] <= 0.05
    assert rate(rates, "one seed, k folds, t") > 0.1  # six unadjusted tests


def test_learners_are_nearest_centroids():
    shape, n_rows = (2, 3, 2, 5), 43
    scores, correct = sim._learners(np.random.default_rng(8), shape, n_rows, effect=0.2)
    rng, half, p = np.random.default_rng(8), 21, sim._FEATURES
    X = rng.normal(size=(sim._CHUNK, 42, 2, p))
    order = rng.random((sim._CHUNK, 2, 3, p)).argsort(axis=-1)
    fold = rng.random((sim._CHUNK, 2, 2, half)).argsort(axis=-1) % 5
    y = np.repeat([0, 1], half)
    for b in (0, 17):
        folds = fold[b].reshape(2, 42)
        for learner, seed, repeat, f in [(0, 0, 0, 0), (1, 2, 1, 3), (0, 1, 1, 4), (1, 0, 0, 0)]:
            signal = sim._SIGNAL + (0.2 if learner == 0 else 0)
            columns = np.flatnonzero(order[b, learner, seed] < p // 2)
            data = (X[b, :, learner] + (2 * y - 1)[:, None] * signal)[:, columns]
            test = folds[repeat] == f
            model = NearestCentroid().fit(data[~test], y[~test])
            hits = model.predict(data[test]) == y[test]
            assert scores[b, learner, seed, repeat, f] == pytest.approx(hits.mean())
            if (seed, repeat, f) == (0, 0, 0):
                np.testing.assert_array_equal(correct[b, learner], hits)


def test_tests_of_the_simulation_against_libraries():
    rng = np.random.default_rng(2)
    d = rng.normal(0.3, 1, size=(30, 3, 10)).round(1)
    d[0, 0], d[1, 0] = 0, 0.5
    p_values = sim._t_test(d, 0.0)
    assert (p_values[0, 0], p_values[1, 0]) == (1, 0)
    for position in [(2, 0), (7, 1), (29, 2)]:
        assert p_values[position] == pytest.approx(stats.ttest_1samp(d[position], 0).pvalue)
        assert sim._t_test(d, 0.2)[position] == pytest.approx(nadeau_bengio(d[position], 0.2).p_value)
        np.testing.assert_allclose(
            sim._holm(p_values)[position[0]], multipletests(p_values[position[0]], method="holm")[1]
        )
    long = rng.normal(size=(5, 40))
    np.testing.assert_allclose(
        sim._wilcoxon(long), stats.wilcoxon(long, axis=1, method="asymptotic", correction=False).pvalue
    )
    a, b = rng.random((2, 20, 40)) < 0.7
    for row in range(20):
        table = (
            pd.crosstab(a[row], b[row])
            .reindex([False, True], fill_value=0)
            .reindex([False, True], axis=1, fill_value=0)
        )
        assert sim._mcnemar(a, b)[row] == pytest.approx(mcnemar(table, exact=True).pvalue)


def test_same_rates_for_any_number_of_workers():
    options = {"effects": (0.0, 0.1), "n_studies": 150, "n_rows": 60, "rng": 4}
    one = simulate_error_rates(**options)
    pd.testing.assert_frame_equal(one, simulate_error_rates(**options, n_jobs=2))
    assert not one["rate"].equals(simulate_error_rates(**{**options, "rng": 5})["rate"])
    assert ((one["low"] <= one["rate"]) & (one["rate"] <= one["high"])).all()
    assert set(one["n_studies"]) == {150}


def test_verdict_follows_from_the_interval():
    counts = pd.DataFrame({"procedure": list("abcd"), "quantity": ["FWER"] * 3 + ["power"], "hits": [10, 50, 90, 10]})
    rates = sim._rates(counts.assign(effect=0.0), 1000, 0.05)
    assert rates["verdict"].tolist() == ["below 0.05", "compatible with 0.05", "above 0.05", ""]
    z = stats.norm.ppf(0.975)
    share = 90 / 1000
    middle = (share + z**2 / 2000) / (1 + z**2 / 1000)
    half = z / (1 + z**2 / 1000) * np.sqrt(share * (1 - share) / 1000 + z**2 / 4e6)
    assert rates.loc[2, ["low", "high"]].tolist() == pytest.approx([middle - half, middle + half])
    assert [sentence.rsplit(": ", 1)[1] for sentence in conclusions(rates)] == [
        "below 0.05.",
        "compatible with 0.05.",
        "above 0.05.",
    ]


def test_the_papers_error_rate_is_not_what_folds_give():
    """Learners that are exchangeable: Wilcoxon over folds finds winners between them too often, whatever the seed."""
    for seed in (0, 1):
        verdicts = simulate_error_rates(0.0, n_studies=600, rng=seed).set_index("procedure")["verdict"]
        assert verdicts["folds, Wilcoxon"] == "above 0.05"
        assert verdicts["folds x seeds, Wilcoxon"] == "above 0.05"
        assert verdicts["folds, corrected t"] != "above 0.05"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"effects": -0.1}, "effects"),
        ({"effects": []}, "effects"),
        ({"n_learners": 1}, "n_learners must be a whole number >= 2"),
        ({"n_rows": 10}, "n_rows must be a whole number >= 20"),
        ({"correlation": 1.0}, "correlation must be in"),
        ({"world": "learner"}, "did you mean 'learners'"),
    ],
)
def test_simulation_rejects(change, message):
    with pytest.raises(ParameterError, match=message):
        simulate_error_rates(**change)
