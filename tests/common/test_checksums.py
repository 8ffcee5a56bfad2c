"""checksums: no bit of a file can change, and no file can take the place of another, without being noticed."""

import hashlib
import json

import numpy as np
import pandas as pd
import pytest

from genexpy_nb.common.checksums import (
    frame_from_bytes,
    frame_to_bytes,
    json_hash,
    parse_parquet,
    read_json,
    read_verified,
    with_checksum,
)
from genexpy_nb.common.errors import DataError


@pytest.fixture
def frame():
    made = pd.DataFrame({"task": ["a", None], "n": pd.array([1, None], dtype="Int64"), "score": [0.1, np.nan]})
    made.attrs = {"fits": 2, "failures": [{"why": 'said "checksum of this record": "'}]}
    return made


def test_a_record_is_read_as_it_was_written(frame, tmp_path):
    content = frame_to_bytes(frame, "task", "key")
    read = frame_from_bytes(content, "task", "key")
    pd.testing.assert_frame_equal(read, pd.read_parquet(_written(tmp_path, frame.to_parquet())))
    assert read.attrs == frame.attrs and list(frame.attrs) == ["fits", "failures"]
    assert frame_to_bytes(frame, "task", "key") == content
    by_others = pd.read_parquet(_written(tmp_path, content))  # it is parquet like any other
    pd.testing.assert_frame_equal(by_others, read)


def test_no_bit_can_be_changed(frame):
    content = frame_to_bytes(frame, "task", "key")
    for position in range(len(content)):
        bit = 1 << position % 8
        with pytest.raises(DataError, match="does not fit its checksum"):
            frame_from_bytes(
                content[:position] + bytes([content[position] ^ bit]) + content[position + 1 :], "task", "key"
            )


def test_nothing_can_be_cut_off_or_added(frame):
    content = frame_to_bytes(frame, "task", "key")
    for length in range(0, len(content), 7):
        with pytest.raises(DataError, match="does not fit its checksum"):
            frame_from_bytes(content[:length], "task", "key")
    for more in (content + b"x", b"x" + content, content + content):
        with pytest.raises(DataError, match="does not fit its checksum"):
            frame_from_bytes(more, "task", "key")


@pytest.mark.parametrize(
    "about", [("task", "other"), ("other", "key"), ("taskkey",), ("task", "key", ""), ("tas", "kkey")]
)
def test_a_record_is_of_one_thing_only(about, frame):
    with pytest.raises(DataError, match="does not fit its checksum"):
        frame_from_bytes(frame_to_bytes(frame, "task", "key"), *about)


def test_a_table_without_a_checksum_is_no_record(frame):
    with pytest.raises(DataError, match="does not fit its checksum"):
        frame_from_bytes(frame.to_parquet(), "task", "key")


def test_a_verified_file_is_the_expected_one_and_read_no_further_than_its_size(tmp_path):
    path = _written(tmp_path, b"12345")
    right = hashlib.sha256(b"12345").hexdigest()
    assert read_verified(path, right, "make it") == read_verified(path, right, "make it", 5) == b"12345"
    other = hashlib.sha256(b"1234").hexdigest()
    with pytest.raises(DataError, match=rf"expected SHA-256 {other}, found {right} in 5 bytes; make it"):
        read_verified(path, other, "make it")
    with pytest.raises(DataError, match=rf"expected SHA-256 {right} in 5 bytes, found more bytes; make it"):
        read_verified(_written(tmp_path, b"123456"), right, "make it", 5)
    with pytest.raises(DataError, match=r"cannot be read \(Is a directory\): make it"):
        read_verified(tmp_path, right, "make it")


def test_what_json_says_is_verified_not_how_it_is_set(tmp_path):
    body = {"b": [1, 2.5, None], "a": {"c": "½"}}
    text = json.dumps(with_checksum(body))
    assert read_json(_written(tmp_path, text.encode()), "make it") == body
    assert read_json(_written(tmp_path, json.dumps(json.loads(text), indent=4, sort_keys=True).encode()), "x") == body
    assert json_hash(body) == hashlib.sha256(b'{"a": {"c": "\\u00bd"}, "b": [1, 2.5, null]}').hexdigest()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is damaged, this is no JSON: make it"),
        (b"\xff{}", "is damaged, this is no JSON: make it"),
        (b"[" * 100_000, "is damaged, this is no JSON: make it"),
        (b'{"n": ' + b"9" * 5000 + b"}", "is damaged, this is no JSON: make it"),
        (b"[1]", "does not fit its own checksum; make it"),
        (b"{}", "does not fit its own checksum; make it"),
        (json.dumps({"n": 2, "checksum": json_hash({"n": 1})}).encode(), "does not fit its own checksum; make it"),
    ],
)
def test_json_that_is_damaged_is_refused_in_a_sentence(content, said, tmp_path):
    with pytest.raises(DataError, match=said):
        read_json(_written(tmp_path, content), "make it")


def test_bytes_that_are_no_parquet_are_refused_in_a_line():
    for content in (b"", b"PAR1", b"PAR1" * 20, pd.DataFrame({"a": [1]}).to_parquet()[:-20] + b"PAR1"):
        with pytest.raises(DataError, match=r"^runs\.parquet cannot be read as parquet: [^\n]*$"):
            parse_parquet(content, "runs.parquet")


def _written(folder, content):
    (folder / "file").write_bytes(content)
    return folder / "file"
