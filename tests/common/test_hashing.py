"""Hashes: the same for the same content in any form and any process, another one for any other."""

import hashlib
import os
import subprocess
import sys
import types
from functools import partial

import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse, stats
from sklearn.metrics import make_scorer
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from genexpy_nb.common import hashing
from genexpy_nb.common.errors import DataError
from genexpy_nb.common.hashing import content_hash, describe, file_hash, fingerprint
from genexpy_nb.common.versions import versions

# --- files and fingerprints -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 1, 3_000_000])
def test_file_hash_is_that_of_its_bytes(tmp_path, size):
    content = np.random.default_rng(size).bytes(size)
    (tmp_path / "file").write_bytes(content)
    assert file_hash(tmp_path / "file") == file_hash(str(tmp_path / "file")) == hashlib.sha256(content).hexdigest()


def test_fingerprint_is_sha256_of_versions_and_parts():
    frame, array = pd.DataFrame({"a": [1.5, 2.5], "b": ["x", "y"]}), np.arange(3.0)
    rows = pd.util.hash_pandas_object(frame).to_numpy().tobytes()
    parts = [repr(versions()).encode(), b"['a', 'b']", rows, array.tobytes(), b"'seed 0'", b"(1, 2)"]
    assert fingerprint(frame, array, "seed 0", (1, 2)) == hashlib.sha256(b"".join(parts)).hexdigest()[:16]


def test_fingerprint_sees_names_values_settings_and_versions(monkeypatch):
    frame = pd.DataFrame({"a": [1.5, 2.5], "b": ["x", "y"]})
    changed = [
        (frame, np.arange(3), 0),
        (frame.rename(columns={"a": "A"}), np.arange(3), 0),
        (frame.assign(b=["x", "z"]), np.arange(3), 0),
        (frame, np.arange(1, 4), 0),
        (frame, np.arange(3), 1),
    ]
    assert len({fingerprint(*parts) for parts in changed}) == len(changed)
    before = fingerprint(frame)
    monkeypatch.setattr(hashing, "versions", lambda: {"numpy": "0.1"})
    assert fingerprint(frame) != before


# --- content ----------------------------------------------------------------------------------------------------------


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
    assert len({content_hash(form) for form in forms}) == 1
    stored_zero = sparse.csr_matrix(([0.0, 5.0], ([0, 1], [0, 1])), shape=(2, 2))
    assert content_hash(stored_zero) == content_hash(sparse.csr_matrix([[0.0, 0.0], [0.0, 5.0]]))
    duplicates = sparse.csr_array(([1.0, 2.0, 4.0], [3, 3, 0], [0, 3]), shape=(1, 4))  # unsorted, and 3 = 1 + 2
    assert content_hash(duplicates) == content_hash(sparse.csr_array([[4.0, 0.0, 0.0, 3.0]]))
    texts = ["a", "bc", None]
    assert content_hash(texts) == content_hash(np.array(texts, dtype=object)) == content_hash(pd.Series(texts))
    frame = pd.DataFrame({"x": ["u", "v"], "y": [1.0, 2.0]})
    assert content_hash(frame) == content_hash(frame.astype({"x": "category"}).set_index([[5, 6]]))
    nullable = pd.Series([1, None], dtype="Int64")
    assert content_hash(nullable) == content_hash([1, None])
    assert content_hash(pd.Series(["u", "v"], dtype="category")) == content_hash(["u", "v"])


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
        (["a", None], ["a", ""]),
        (["a"], [b"a"]),
        ([1, 0], [1.0, 0.0]),
        (["1:a"], ["1", "a"]),
        ([["a"], "b"], [["b"], "a"]),
        (np.array([[1, 2], [3, 4]]), np.array([1, 2, 3, 4])),
        (np.zeros((2, 3)), np.zeros((3, 2))),
        (np.array([1, 2], "m8[s]"), np.array([1, 2], "m8[h]")),
        (np.array([[1, 2]], "m8[s]"), np.array([[1], [2]], "m8[s]")),
        (np.array([["a", "b"]]), np.array([["a"], ["b"]])),
        (sparse.csr_array([[0, 1]]), sparse.csr_array([[1, 0]])),
        (sparse.csr_array([[0, 1]]), sparse.csr_array([[0, 2]])),
        (sparse.csr_array([[0, 1]]), sparse.csr_array([[0, 1, 0]])),
        (pd.DataFrame({"a": [1, 2]}), pd.DataFrame({"b": [1, 2]})),
        (pd.DataFrame({"a": [1, 2]}), pd.Series([1, 2])),
        (pd.DataFrame({"a": [1], "b": [2]}), pd.DataFrame({"a": [2], "b": [1]})),
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


def test_content_of_texts_and_frames_is_written_out_with_lengths():
    texts = b"items(3,)" + b"s2:ab" + b"n0:" + b"float3:1.5"
    assert content_hash(["ab", None, 1.5]) == hashlib.sha256(texts).hexdigest()
    numbers = np.array([7], "<i8").tobytes()
    frame = b"frame(1, 2)" + b"s1:as1:b" + b"i(1,)" + numbers + b"items(1,)" + b"s1:x"
    columns = {"a": [7], "b": pd.Series(["x"], dtype=object)}
    assert content_hash(pd.DataFrame(columns)) == hashlib.sha256(frame).hexdigest()
    nested = b"items(2,)l64:" + content_hash([1, 2]).encode() + b"l64:" + content_hash([3]).encode()
    assert content_hash([[1, 2], [3]]) == hashlib.sha256(nested).hexdigest()


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
from genexpy_nb.common.hashing import describe

def said():
    search = RandomizedSearchCV(SVC(), {"C": loguniform(1, 9)}, cv=KFold(3))
    return json.dumps(describe([search, {"b", "a", "c"}]), sort_keys=True)
"""
    command = [sys.executable, "-c", code + "print(said())"]
    done = subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": "0"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    here = {}
    exec(code, here)
    np.random.random()  # noqa: NPY002
    assert done.stdout.strip() == here["said"]()
    assert "loguniform" in done.stdout


# --- descriptions -----------------------------------------------------------------------------------------------------


def test_descriptions_are_written_out():
    assert describe([None, True, 3, 1.5, "a", float("nan")]) == [None, True, 3, 1.5, "a", "nan"]
    assert describe((np.int8(3), np.float64("nan"))) == [3, "nan"]
    assert describe({1: {"b", "a"}}) == {"1": {"set": ['"a"', '"b"']}}
    assert describe(np.arange(3)) == {"content": content_hash(np.arange(3))}
    assert describe(pd.Series(["a"])) == {"content": content_hash(["a"])}
    assert describe(len) == {"name": "builtins.len", "code": ""}
    assert describe(GaussianNB) == {"name": "sklearn.naive_bayes.GaussianNB", "code": ""}
    assert describe(GaussianNB(priors=[0.5, 0.5])) == {
        "class": describe(GaussianNB),
        "version": sklearn.__version__,
        "params": {"priors": [0.5, 0.5], "var_smoothing": 1e-9},
    }
    assert describe(KFold(3)) == {
        "class": describe(KFold),
        "attributes": {"n_splits": 3, "random_state": None, "shuffle": False},
    }
    frozen = describe(stats.loguniform(1, b=9))
    assert frozen["params"] == ["loguniform", [1], {"b": 9}]
    cut = describe(partial(round, 2.25, ndigits=1))
    assert cut == {"partial": describe(round), "args": [2.25], "keywords": {"ndigits": 1}}


def test_generators_count_by_their_state():
    one, same, other = (describe(np.random.default_rng(seed)) for seed in (0, 0, 1))
    assert one == same != other


def compiled(source):
    """The function ``f`` of a source text: not from a package, so its code counts."""
    space = {"__name__": "made_up"}
    exec(source, space)
    return space["f"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("def f(a): return a + 1", "def f(a): return a + 2"),
        ("def f(a): return a + 1", "def f(a): return a - 1"),
        ("def f(a): return a.real", "def f(a): return a.imag"),
        ("def f(a=1): return a", "def f(a=2): return a"),
        ("def f(*, a=1): return a", "def f(*, a=2): return a"),
        ("def f(a): return map(lambda x: x + 1, a)", "def f(a): return map(lambda x: x + 2, a)"),
        ("class f:\n    def fit(self): return 1", "class f:\n    def fit(self): return 2"),
    ],
)
def test_code_counts_wherever_it_was_compiled(one, other):
    assert describe(compiled(one)) == describe(compiled("\n\n" + one))
    assert describe(compiled(one)) != describe(compiled(other))


def test_code_of_a_package_is_its_version(monkeypatch):
    package = types.ModuleType("made_up")
    monkeypatch.setitem(sys.modules, "made_up", package)
    assert describe(compiled("def f(a): return a"))["code"] != ""
    package.__version__ = "1.0"
    assert describe(compiled("def f(a): return a")) == {"name": "made_up.f", "code": ""}


def test_description_sees_parameters_and_code():
    assert describe(GaussianNB()) == describe(GaussianNB())
    assert describe(GaussianNB()) != describe(GaussianNB(var_smoothing=1e-3))
    assert describe(make_pipeline(StandardScaler(), GaussianNB())) != describe(make_pipeline(GaussianNB()))
    assert describe(lambda a: a + 1)["code"] != describe(lambda a: a + 2)["code"]
    assert describe(make_scorer(lambda a, b: 1.0)) != describe(make_scorer(lambda a, b: 2.0))
