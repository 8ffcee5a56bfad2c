"""records: a table of own runs is written whole, with its origin beside it, and read only if still the same."""

import json
from hashlib import sha256

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from genexpy_nb.common.errors import DataError
from genexpy_nb.datasets.records import estimator_text, read_results, write_results


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
    assert json.loads((tmp_path / "runs.json").read_text(encoding="utf-8")) == about
    assert sorted(file.name for file in tmp_path.iterdir()) == ["runs.json", "runs.parquet"]
    read = read_results(path)
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


@pytest.mark.parametrize("missing", ["runs.parquet", "runs.json"])
def test_both_files_are_needed(table, missing, tmp_path):
    write_results(table, tmp_path / "runs.parquet", ["task", "n"], {})
    (tmp_path / missing).unlink()
    with pytest.raises(DataError, match=f"{missing} is not there; a script in data/ makes it"):
        read_results(tmp_path / "runs.parquet")


def test_a_changed_table_is_refused(table, tmp_path):
    path = tmp_path / "runs.parquet"
    write_results(table, path, ["task", "n"], {})
    table.assign(score=0.0).to_parquet(path)
    with pytest.raises(DataError, match=r"runs\.parquet is damaged: its SHA-256 is not the one that runs\.json states"):
        read_results(path)


def test_an_estimator_is_one_line():
    assert estimator_text(LogisticRegression(C=2, max_iter=77)) == "sklearn: LogisticRegression(C=2, max_iter=77)"
    assert "\n" not in estimator_text(LogisticRegression(C=2, max_iter=77, tol=1e-9, solver="saga", penalty="l1"))


def test_a_failed_write_leaves_the_old_table(table, tmp_path, monkeypatch):
    path = tmp_path / "runs.parquet"
    before = write_results(table, path, ["task", "n"], {})
    with monkeypatch.context() as patch, pytest.raises(ZeroDivisionError):
        patch.setattr("genexpy_nb.datasets.records.file_hash", lambda path: 1 / 0)
        write_results(table.assign(score=0.0), path, ["task", "n"], {})
    assert read_results(path).attrs["about"] == before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["runs.json", "runs.parquet"]
