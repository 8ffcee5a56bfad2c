"""state: one writer at a time, and what is remembered is what was written."""

import os
import subprocess
import sys

import pytest
from mini_project import SMALL, make_project

from genexpy_nb.common.errors import GenexpyError, ParameterError
from genexpy_nb.reporting.execute import render
from genexpy_nb.reporting.state import Entry, Target, is_written, only_writer, remembered, write_outputs

HOLD = """
import sys, time
from pathlib import Path
from genexpy_nb.reporting.state import Target, only_writer
with only_writer(Target(Path(sys.argv[1]))):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.mark.slow
def test_two_processes_cannot_write_into_one_folder_and_a_dead_one_does_not_count(tmp_path):
    root = make_project(tmp_path, {"01_small": SMALL}, {"a": "notebook: 01_small\ntitle: A\n"})
    with subprocess.Popen([sys.executable, "-c", HOLD, str(root / "reports")], stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"held\n"
        here = (
            rf"^{root / 'reports'} is being written by another render \(process {other.pid}, since 20..-..-.. .* UTC\)"
        )
        with pytest.raises(GenexpyError, match=here):
            render(root, say=lambda line: pytest.fail(line))
        other.kill()
    with only_writer(Target(root / "reports")):
        assert (root / "reports" / ".state" / "lock").read_text().startswith(f"process {os.getpid()}, since ")
    assert (root / "reports" / ".state" / "lock").read_text() == ""


def test_what_a_killed_process_left_half_written_is_removed(tmp_path):
    target = Target(tmp_path)
    for folder in target.folders:
        folder.mkdir()
        for name in (".a.abcd_123.tmp", "mine.tmp", ".hidden"):
            (folder / name).touch()
    with only_writer(target):
        assert {file.name for file in tmp_path.rglob("*") if file.is_file()} == {"mine.tmp", ".hidden", "lock"}


def test_what_is_remembered_is_what_was_written(tmp_path):
    target = Target(tmp_path)
    with only_writer(target):
        entry = write_outputs(target, Entry("a", "A", "", "01_a", "ok", key="k"), "{}", "page é\n")
    assert target.page("a").read_bytes() == "page é\n".encode() and target.executed("a").read_bytes() == b"{}"
    assert remembered(target, "a") == entry and is_written(target, entry)
    target.executed("a").write_text("{ }")
    assert remembered(target, "a") == entry and not is_written(target, entry)
    target.state("b").write_bytes(target.state("a").read_bytes())
    target.page("b").write_bytes(target.page("a").read_bytes())
    assert remembered(target, "b") is None  # of another report
    target.state("a").unlink()
    assert remembered(target, "a") is None
    entry = write_outputs(target, Entry("a", "A", "", "01_a", "ok"), "{}", "page", '{"numbers": []}')
    assert is_written(target, entry) and target.data("a").read_text() == '{"numbers": []}'
    target.data("a").write_text("{}")
    assert remembered(target, "a") == entry and not is_written(target, entry)
    entry = write_outputs(target, Entry("a", "A", "", "01_a", "FAILED"), None, "no")
    assert (entry.data, target.data("a").exists()) == ("", False)
    assert (entry.executed, target.executed("a").exists()) == ("", False) and remembered(target, "a") == entry


@pytest.mark.parametrize("spoil", [lambda f: f.touch(), lambda f: f.symlink_to(f)])
def test_an_odd_output_folder_is_an_error_before_anything_runs(spoil, tmp_path):
    root = make_project(tmp_path, {"01_small": SMALL}, {"a": "notebook: 01_small\ntitle: A\n"})
    spoil(tmp_path / "out")
    with pytest.raises((OSError, ParameterError)):
        render(root, output=tmp_path / "out", say=lambda line: pytest.fail(line))
    with pytest.raises(ParameterError, match=r"is no folder to write to"):
        render(root, output=tmp_path / "a\0b", say=lambda line: pytest.fail(line))
