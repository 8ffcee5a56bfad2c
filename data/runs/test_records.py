"""records: a table of own runs is written whole, with its origin beside it, and read only if still the same."""

import json
from hashlib import sha256

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from genexpy_nb.common.errors import DataError
from genexpy_nb.datasets.locating import read_verified_results
from runs.records import estimator_text, write_results


@pytest.fixture
def table():
    frame = pd.DataFrame({"task": ["b", "a", "a"], "n": [1, 2, 1], "score": [0.25, 0.5, 1.0]})
    frame.attrs = {"cpu_seconds": 1.5}
    return frame


def test_what_is_written_is_sorted_described_and_read_back(table, tmp_path):
    path = tmp_path / "runs.parquet"
    about = write_results(table, path, ["task", "n"], {"seed": 3})
    assert about["sha256"] == sha256(path.read_bytes()).hexdigest()
    assert about["rows"] == 3 and about["seed"] == 3 and about["cpu_seconds"] == 1.5
    assert about["versions"]["numpy"] == np.__version__
    stated = json.loads((tmp_path / "runs.json").read_text(encoding="utf-8"))
    assert stated == about | {"checksum": sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()}
    assert sorted(file.name for file in tmp_path.iterdir()) == ["runs.json", "runs.parquet"]
    read = read_verified_results(path)
    assert read.to_dict("list") == {"task": ["a", "a", "b"], "n": [1, 2, 1], "score": [1.0, 0.5, 0.25]}
    assert read.attrs == {"about": about}


def test_the_same_table_gives_the_same_file(table, tmp_path):
    for name, frame in (("one", table), ("two", table.sample(frac=1, random_state=0))):
        write_results(frame, tmp_path / f"{name}.parquet", ["task", "n"], {})
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "two.parquet").read_bytes()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.assign(n=1), r"runs\.parquet: 1 rows are there twice, the first is \{'task': 'a', 'n': 1\}"),
        (lambda t: t.assign(score=[0.5, np.nan, 1]), r"runs\.parquet: column 'score' has missing or infinite values"),
        (lambda t: t.assign(score=[0.5, -np.inf, 1]), r"runs\.parquet: column 'score' has missing or infinite values"),
    ],
)
def test_a_table_with_faults_is_not_written(table, change, message, tmp_path):
    with pytest.raises(DataError, match=message):
        write_results(change(table), tmp_path / "runs.parquet", ["task", "n"], {})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("missing", "said"),
    [("runs.parquet", r"cannot be read \(No such file or directory\)"), ("runs.json", "is missing")],
)
def test_both_files_are_needed(table, missing, said, tmp_path):
    write_results(table, tmp_path / "runs.parquet", ["task", "n"], {})
    (tmp_path / missing).unlink()
    with pytest.raises(DataError, match=f"{missing} {said}: the script that wrote it makes it again"):
        read_verified_results(tmp_path / "runs.parquet")


def test_what_is_parsed_is_what_was_hashed(table, tmp_path, monkeypatch):
    path, parse = tmp_path / "runs.parquet", pd.read_parquet
    write_results(table, path, ["task", "n"], {})

    def swapped(*args, **options):
        table.assign(score=0.0).to_parquet(path)
        return parse(*args, **options)

    monkeypatch.setattr(pd, "read_parquet", swapped)
    assert read_verified_results(path)["score"].tolist() == [1.0, 0.5, 0.25]
    assert parse(path)["score"].tolist() == [0, 0, 0]


def test_an_estimator_is_one_line():
    assert estimator_text(LogisticRegression(C=2, max_iter=77)) == "sklearn: LogisticRegression(C=2, max_iter=77)"
    assert "\n" not in estimator_text(LogisticRegression(C=2, max_iter=77, tol=1e-9, solver="saga", penalty="l1"))


def test_a_failed_write_leaves_the_old_table(table, tmp_path, monkeypatch):
    path = tmp_path / "runs.parquet"
    before = write_results(table, path, ["task", "n"], {})
    with monkeypatch.context() as patch, pytest.raises(ZeroDivisionError):
        patch.setattr("pathlib.Path.write_text", lambda *_, **__: 1 / 0)  # when the table waits for its place
        write_results(table.assign(score=0.0), path, ["task", "n"], {})
    assert read_verified_results(path).attrs["about"] == before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["runs.json", "runs.parquet"]
