"""Hashes: the same for the same content in any form, another one for any other."""

import hashlib

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from genexpy_nb.common.errors import DataError
from genexpy_nb.common.hashing import content_hash, file_hash

# --- files ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 1, 3_000_000])
def test_file_hash_is_that_of_its_bytes(tmp_path, size):
    content = np.random.default_rng(size).bytes(size)
    (tmp_path / "file").write_bytes(content)
    assert file_hash(tmp_path / "file") == file_hash(str(tmp_path / "file")) == hashlib.sha256(content).hexdigest()


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
