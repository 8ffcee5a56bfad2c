"""Runs that can be interrupted: what is done is not done again, and the result is the same."""

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.resumable import partial_path, run_resumable


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


def test_there_must_be_a_task(tmp_path):
    with pytest.raises(ParameterError, match="at least one task"):
        run_resumable(lambda name: pd.DataFrame(), {}, tmp_path / "unused")
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
