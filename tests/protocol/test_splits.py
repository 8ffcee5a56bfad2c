"""Splits: partitions that keep shares and groups together, and files that no damage or other data slips past."""

import json
import os

import numpy as np
import pandas as pd
import pytest
from made_up_trials import IRIS
from scipy import sparse
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

from genexpy_nb.common.errors import DataError, ParameterError
from genexpy_nb.common.files import with_checksum
from genexpy_nb.protocol import make_splits
from genexpy_nb.protocol.splits import check_data


@pytest.mark.parametrize("stratify", [True, False])
@pytest.mark.parametrize("grouped", [True, False])
def test_folds_are_those_of_scikit_learn(stratify, grouped):
    X, y = IRIS
    groups = np.arange(150) % 37 if grouped else None
    splitter = {
        (True, False): StratifiedKFold,
        (False, False): KFold,
        (True, True): StratifiedGroupKFold,
        (False, True): GroupKFold,
    }[stratify, grouped]
    splits = make_splits(X, y, groups, k=4, n_repeats=3, seed=11, stratify=stratify)
    assert (splits.stratified, splits.grouped) == (stratify, grouped)
    for repeat in range(3):
        state = int(np.random.SeedSequence(11, spawn_key=(repeat,)).generate_state(1)[0])
        expected = splitter(4, shuffle=True, random_state=state).split(X, y, groups)
        for fold, (train, test) in enumerate(expected):
            np.testing.assert_array_equal(splits.split(repeat, fold)[0], train)
            np.testing.assert_array_equal(splits.split(repeat, fold)[1], test)
            one, other = list(splits)[repeat * 4 + fold]
            np.testing.assert_array_equal(one, train)
            np.testing.assert_array_equal(other, test)


def test_as_many_rows_members_and_groups_as_folds_are_enough():
    assert len(make_splits(np.zeros((3, 1)), [0.1, 0.5, 0.7], k=3)) == 6
    assert make_splits(np.zeros((6, 1)), list("aaabbb"), k=3).stratified
    assert make_splits(np.zeros((9, 1)), list("abcabcabc"), k=3).stratified
    assert make_splits(np.zeros((6, 1)), list("ababab"), [1, 1, 2, 2, 3, 3], k=3).grouped
    with pytest.raises(ParameterError, match="k=4 folds need at least 4 rows; there are 3"):
        make_splits(np.zeros((3, 1)), [0.1, 0.5, 0.7], k=4)


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
    asked = {"k": 4, "n_repeats": 3, "seed": 5}
    read = make_splits(X, y, **asked, path=path)
    np.testing.assert_array_equal(read.folds, made.folds)
    assert read.sha256 == made.sha256
    assert (read.k, read.n_repeats, read.seed, read.stratified) == (4, 3, 5, True)
    for same in (list(y), y.astype(object), pd.Series(y, index=range(1, 41))):
        assert make_splits(X, same, **asked, path=path).sha256 == made.sha256

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
            check_data(made, other, y)
    with pytest.raises(DataError, match="other data: in y"):
        check_data(made, X, y[::-1])
    with pytest.raises(DataError, match=r"the splits were made for 40 rows, the data has 39"):
        check_data(made, X[:39], y[:39])

    before = path.read_bytes()
    with pytest.raises(DataError, match=r"another dataset \(X differ\); it is not overwritten"):
        make_splits(changed, y, **asked, path=path)
    for name, other in (("k", 5), ("n_repeats", 2), ("seed", 6)):
        with pytest.raises(DataError, match=f"with {name}={asked[name]}, now {name}={other} is asked for"):
            make_splits(X, y, **asked | {name: other}, path=path)
    with pytest.raises(DataError, match="with stratified=True, now stratified=False is asked for"):
        make_splits(X, y, **asked, stratify=False, path=path)
    with pytest.raises(DataError, match=r"another dataset \(groups differ\)"):
        make_splits(X, y, range(40), **asked, path=path)
    assert path.read_bytes() == before


def test_edited_and_foreign_files(tmp_path):
    path = tmp_path / "splits.json"
    make_splits(*IRIS, path=path)
    body = json.loads(path.read_text())
    body["folds"][0][0], body["folds"][0][1] = body["folds"][0][1] + 1, body["folds"][0][0]
    path.write_text(json.dumps(body))
    with pytest.raises(DataError, match="damaged or edited"):
        make_splits(*IRIS, path=path)
    for text in ("[1, 2]", json.dumps(with_checksum({"format": "another"}, "sha256"))):
        path.write_text(text)
        with pytest.raises(DataError, match=r"damaged or edited|holds no splits"):
            make_splits(*IRIS, path=path)
    for content in (b"\xff\xfe", b"[" * 100_000, b'{"k": ' + b"9" * 5000 + b"}", b""):
        path.write_bytes(content)
        with pytest.raises(DataError, match=r"splits\.json is damaged, this is no JSON: make_splits.* once this file"):
            make_splits(*IRIS, path=path)
    with pytest.raises(DataError, match=f"{tmp_path.name} cannot be read"):
        make_splits(*IRIS, path=tmp_path)


def test_groups_are_part_of_the_file(tmp_path):
    X, y = IRIS
    groups = np.arange(150) // 5
    made = make_splits(X, y, groups, path=tmp_path / "s.json")
    assert make_splits(X, y, groups, path=tmp_path / "s.json").grouped
    np.testing.assert_array_equal(check_data(made, X, y), y)  # what was kept together need not be given again
    with pytest.raises(DataError, match="groups differ"):
        make_splits(X, y, path=tmp_path / "s.json")
    with pytest.raises(DataError, match="in groups"):
        check_data(made, X, y, groups + 1)
    with pytest.raises(DataError, match="groups were given, but the splits were made without any"):
        check_data(make_splits(X, y), X, y, groups)


def test_numbers_of_numpy_are_numbers(tmp_path):
    one = make_splits(*IRIS, k=np.int64(3), n_repeats=np.int8(1), seed=np.uint16(7), path=tmp_path / "s.json")
    assert one.sha256 == make_splits(*IRIS, k=3, n_repeats=1, seed=7).sha256


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"k": 1}, ParameterError, "k must be a whole number of at least 2, got 1"),
        ({"k": 4}, ParameterError, "class 1 has 3 rows, fewer than k=4"),
        ({"groups": [0] * 5 + [1] * 6, "k": 3}, ParameterError, "at least 3 groups; there are 2"),
        ({"y": [0, 1, None] + [np.nan] * 8}, DataError, "y has 9 missing values, the first in row 2"),
        ({"y": [0, 1]}, DataError, "X has 11 rows, y has 2"),
        ({"groups": [1, 2]}, DataError, "groups has 2 values, y has 11: there must be one per row"),
        ({"groups": [[1]] * 11}, DataError, r"groups must have one value per row, got shape \(11, 1\)"),
        ({"groups": [np.nan] + [1] * 10}, DataError, "groups has 1 missing values, the first in row 0"),
        ({"y": np.linspace(0, 1, 11) ** 2, "stratify": True}, ParameterError, "continuous"),
        ({"y": [1] * 11}, ParameterError, "single class"),
    ],
)
def test_make_splits_rejects(change, error, message):
    arguments = {"X": np.zeros((11, 1)), "y": [0] * 8 + [1] * 3, "k": 2, **change}
    with pytest.raises(error, match=message):
        make_splits(**arguments)
