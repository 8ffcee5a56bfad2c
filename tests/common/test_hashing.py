"""Hashes: the same for the same content in any form and any process, another one for any other."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import make_scorer
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from genexpy_nb.common.errors import DataError
from genexpy_nb.common.hashing import content_hash, describe


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
