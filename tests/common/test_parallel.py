"""Runs that can be interrupted: what is done is not done again, and the result is the same."""

import sys

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from genexpy_nb.common import parallel
from genexpy_nb.common.errors import DataError, ParameterError
from genexpy_nb.common.files import frame_to_bytes
from genexpy_nb.common.hashing import write_about
from genexpy_nb.common.parallel import bar, partial_path, run_resumable


def test_an_interrupted_run_goes_on(tmp_path):
    calls = []

    def run(name, broken=True):
        calls.append(name)
        if broken and name == "b":
            raise KeyboardInterrupt
        frame = pd.DataFrame({"task": [name], "score": [len(calls) * 0.1]})
        frame.attrs = {"fits": 2, "failures": [name]}
        return frame

    keys = dict.fromkeys("abc", "k")
    with pytest.raises(KeyboardInterrupt):
        run_resumable(run, keys, tmp_path, progress=False)
    assert calls == ["a", "b"]
    saved = partial_path(tmp_path, "a", "k").read_bytes()
    table = run_resumable(lambda name: run(name, False), keys, tmp_path, progress=False)
    assert calls == ["a", "b", "b", "c"]
    assert partial_path(tmp_path, "a", "k").read_bytes() == saved
    assert table["task"].tolist() == ["a", "b", "c"]
    assert table.attrs["fits"] == 6 and table.attrs["failures"] == ["a", "b", "c"]
    again = run_resumable(lambda name: pytest.fail("nothing is left to do"), keys, tmp_path, progress=False)
    assert_frame_equal(again, table)
    run_resumable(lambda name: run(name, False), keys | {"c": "changed"}, tmp_path, progress=False)
    assert calls[4:] == ["c"]
    assert not list(tmp_path.glob("*.tmp"))


@pytest.mark.parametrize(
    ("keys", "n_jobs", "message"),
    [
        ({}, 1, "at least one task"),
        ({"a/b": "1", "a b": "1"}, 1, "two names differ in nothing but signs that no file name holds"),
        *(({"a": "k"}, n_jobs, "n_jobs must be a whole number of workers") for n_jobs in (0, 1.5, True, "2")),
    ],
)
def test_what_cannot_be_run_leaves_no_folder(tmp_path, keys, n_jobs, message):
    with pytest.raises(ParameterError, match=message):
        run_resumable(lambda name: pd.DataFrame(), keys, tmp_path / "unused", n_jobs)
    assert not (tmp_path / "unused").exists()


def test_time_and_other_numbers_are_summed(tmp_path):
    def run(name):
        frame = pd.DataFrame({"task": [name] * 2})
        frame.attrs = {"fits": len(name), "why": [name]} if name != "ccc" else {"fits": 3}
        return frame

    table = run_resumable(run, dict.fromkeys(["ccc", "a", "bb"], "k"), tmp_path, progress=False)
    assert table["task"].tolist() == ["ccc", "ccc", "a", "a", "bb", "bb"] and table.index.tolist() == list(range(6))
    assert table.attrs.keys() == {"fits", "why", "cpu_seconds"}
    assert table.attrs["fits"] == 6 and table.attrs["why"] == ["a", "bb"] and table.attrs["cpu_seconds"] >= 0


def test_names_become_file_names(tmp_path):
    assert partial_path(tmp_path, "a/b:c > d", "0f") == tmp_path / "a-b-c-d-0f.parquet"
    run_resumable(lambda name: pd.DataFrame({"x": [1]}), {"a/b": "1", "a b": "2"}, tmp_path, progress=False)
    assert {path.name for path in tmp_path.iterdir()} == {"a-b-1.parquet", "a-b-2.parquet"}


def test_long_names_stay_apart_and_short_enough(tmp_path):
    names = ["n" * 300 + end for end in "ab"]
    keys = dict.fromkeys(names, "k")
    table = run_resumable(lambda name: pd.DataFrame({"x": [name[-1]]}), keys, tmp_path, progress=False)
    assert table["x"].tolist() == ["a", "b"]
    assert len(list(tmp_path.iterdir())) == 2


def test_a_damaged_result_is_made_again_and_that_is_said_once(tmp_path):
    keys, calls = {"a": "1", "b": "2"}, []

    def run(name):
        calls.append(name)
        return pd.DataFrame({"x": [len(name)], "y": [name]})

    right = run_resumable(run, keys, tmp_path, progress=False)
    path = partial_path(tmp_path, "b", "2")
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.warns(UserWarning, match=r"b-2\.parquet is damaged \(it does not fit its checksum\): its task") as said:
        assert_frame_equal(run_resumable(run, keys, tmp_path, progress=False), right)
    assert len(said) == 1 and said[0].filename == __file__
    assert calls == ["a", "b", "b"]
    path.write_bytes(partial_path(tmp_path, "a", "1").read_bytes())  # the record of another task
    with pytest.warns(UserWarning, match="damaged"):
        assert_frame_equal(run_resumable(run, keys, tmp_path, progress=False), right)
    assert calls == ["a", "b", "b", "b"]


def test_a_result_that_cannot_be_read_is_named(tmp_path):
    partial_path(tmp_path, "a", "1").mkdir()
    with pytest.raises(DataError, match=r"a-1\.parquet cannot be read \(Is a directory\): remove it"):
        run_resumable(lambda name: pd.DataFrame(), {"a": "1"}, tmp_path, progress=False)


def test_some_results_can_be_asked_for_again(tmp_path):
    calls = []

    def run(name):
        calls.append(name)
        return pd.DataFrame({"x": [calls.count(name)], "y": [name]})

    keys = dict.fromkeys("abc", "k")
    run_resumable(run, keys, tmp_path, progress=False)
    for _ in range(2):
        table = run_resumable(run, keys, tmp_path, progress=False, again=lambda frame: frame["y"].item() == "b")
    assert calls == ["a", "b", "c", "b", "b"]
    assert table["x"].tolist() == [1, 3, 1]


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path, monkeypatch):
    """Permissions would not do: the tests may be run by somebody who may do everything."""

    def run(name):
        return pd.DataFrame({"task": [name]})

    (tmp_path / "file").write_text("no folder")
    below = tmp_path / "file" / "runs"
    for write in (lambda: run_resumable(run, {"a": "k"}, below, progress=False), lambda: write_about(below, {"a": 1})):
        with pytest.raises(DataError, match=r"^results cannot be written to .*runs \(Not a directory: .*\)$"):
            write()

    def refused(path, *rest):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(parallel, "replacing", refused)
    with pytest.raises(DataError, match=r"^results cannot be written to .* \(Permission denied: .*\)$"):
        run_resumable(run, {"a": "k"}, tmp_path / "runs", progress=False)


def test_what_the_task_itself_cannot_read_is_another_matter(tmp_path):
    def run(name):
        raise FileNotFoundError(2, "No such file or directory", "data.csv")

    with pytest.raises(FileNotFoundError, match=r"data\.csv"):
        run_resumable(run, {"a": "k"}, tmp_path, progress=False)


def test_what_a_worker_made_that_sees_no_folder_is_kept_by_who_asked(tmp_path, monkeypatch):
    def elsewhere(task, run, **options):
        return task[0], frame_to_bytes(run(task[0]), *task[:2])

    monkeypatch.setattr(parallel, "_run_and_save", elsewhere)
    table = run_resumable(lambda name: pd.DataFrame({"task": [name]}), {"a": "k", "b": "k"}, tmp_path, progress=False)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a-k.parquet", "b-k.parquet"]
    monkeypatch.undo()
    again = run_resumable(lambda name: 1 / 0, {"a": "k", "b": "k"}, tmp_path, progress=False)
    assert_frame_equal(table, again)


@pytest.mark.parametrize(
    ("session", "terminal", "wanted", "shown"),
    [
        ("notebook.ipynb", False, True, True),
        ("", False, True, False),
        ("", True, True, True),
        ("notebook.ipynb", True, False, False),
    ],
)
def test_a_bar_is_for_those_who_look(session, terminal, wanted, shown, monkeypatch, capsys):
    monkeypatch.setenv("JPY_SESSION_NAME", session)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    made = bar(range(3), wanted=wanted)
    assert made.disable is not shown and list(made) == [0, 1, 2]
    assert capsys.readouterr().err.strip() == ""  # within two seconds
