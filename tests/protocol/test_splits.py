"""Splits: partitions that keep shares and groups together, and files that no damage or other data slips past."""

import json
import os

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_up_trials import IRIS
from scipy import sparse

from genexpy_nb.common.errors import DataError, ParameterError
from genexpy_nb.protocol import load_splits, make_splits


@given(
    sizes=st.lists(st.integers(5, 20), min_size=2, max_size=4),
    k=st.integers(2, 5),
    n_repeats=st.integers(1, 3),
    seed=st.integers(0, 2**31),
)
@settings(max_examples=40, deadline=None)
def test_stratified_folds_partition_rows_and_keep_shares(sizes, k, n_repeats, seed):
    y = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(sizes)), sizes))
    splits = make_splits(np.zeros((len(y), 1)), y, k=k, n_repeats=n_repeats, seed=seed)
    assert len(list(splits)) == len(splits) == k * n_repeats
    for repeat in range(n_repeats):
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
    few, more = make_splits(*IRIS, n_repeats=2, seed=3), make_splits(*IRIS, n_repeats=4, seed=3)
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
    made = make_splits(X, y, k=4, n_repeats=3, seed=5, path=path)
    assert os.listdir(path.parent) == ["splits.json"]
    read = load_splits(path, X, y)
    np.testing.assert_array_equal(read.folds, made.folds)
    assert read.sha256 == made.sha256
    assert (read.k, read.n_repeats, read.seed, read.stratified) == (4, 3, 5, True)
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
    assert make_splits(X, y, k=4, n_repeats=3, seed=5, path=path).sha256 == made.sha256
    with pytest.raises(DataError, match=r"another data set \(X differ\); it is not overwritten"):
        make_splits(changed, y, k=4, n_repeats=3, seed=5, path=path)
    with pytest.raises(DataError, match="with seed=5, now seed=6"):
        make_splits(X, y, k=4, n_repeats=3, seed=6, path=path)
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
        ({"k": 1}, ParameterError, "k must be a whole number of at least 2, got 1"),
        ({"n_repeats": 0}, ParameterError, "n_repeats"),
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
