"""What a page was made of is seen while its notebook runs: whatever of it changes, the page is made again."""

import os
import sqlite3
import subprocess
import sys

import pandas as pd
import pytest
from mini_project import here, make_project

from genexpy_nb.reporting import execute, state
from genexpy_nb.reporting.execute import render
from genexpy_nb.reporting.state import Target, is_still, made_of, remembered, state_of

NOTEBOOK = """# %% tags=["parameters"]
kernels: list[str] = ["kernels.py:Mine"]  # questions of one's own

# %%
import csv
import sqlite3
import tempfile
from pathlib import Path

import helper
import pandas as pd
from genexpy_nb.own_study.own_kernels import kernel_from_text

# %%
settings = Path("settings").read_text()
names = sorted(path.name for path in Path("runs").iterdir())
table = pd.read_parquet("table.parquet")
with sqlite3.connect("base.sqlite") as base:
    rows = base.execute("select * from runs").fetchall()
try:
    kernel = kernel_from_text(kernels[0])
except ValueError:
    pass
try:
    option = open("option.txt").read()
except FileNotFoundError:
    option = "none"

# %%
Path("made.txt").write_text(str(Path("made.txt").exists()))
print(Path("made.txt").read_text(), helper.VALUE, settings, names, len(table), rows, option)
with tempfile.NamedTemporaryFile() as file:
    Path(file.name).read_bytes()
"""


def write(path, text):
    path.write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A project whose notebook reads all kinds of things, rendered once."""
    specs = {"reads": "notebook: 01_reads\ntitle: A\n"}
    root = make_project(tmp_path_factory.mktemp("root"), {"01_reads": NOTEBOOK}, specs)
    folder = root / "notebooks"
    write(folder / "kernels.py", "import deeper\n\n\nclass Mine:\n    pass\n")
    for name in ("helper", "deeper"):
        write(folder / f"{name}.py", "VALUE = 1\n")
    write(folder / "settings", "a")
    (folder / "runs").mkdir()
    write(folder / "runs" / "one.csv", "1")
    pd.DataFrame({"a": [1]}).to_parquet(folder / "table.parquet")
    with sqlite3.connect(folder / "base.sqlite") as base:
        base.execute("create table runs (a int)")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(execute, "apart", here())
        outcome = render(root, say=lambda line: None)
    assert outcome.failed == [], outcome.entries
    return root


def still(root):
    return is_still(remembered(Target(root / "reports"), "reads").made_of, root, state_of)


def test_what_was_read_is_known_by_its_place_in_the_project(project):
    found = remembered(Target(project / "reports"), "reads").made_of
    names = ["kernels.py", "helper.py", "deeper.py", "settings", "table.parquet", "base.sqlite", "option.txt", "runs"]
    assert {name for name in found["read"] if not os.path.isabs(name)} == {f"notebooks/{name}" for name in names}
    assert {"pandas", "pyarrow", "numpy"} <= set(found["packages"]) and "pytest" not in found["packages"]
    page = (project / "reports" / "html" / "reads.html").read_text(encoding="utf-8")
    assert f"table.parquet, SHA-256 {found['read']['notebooks/table.parquet']}" in page and "one.csv, SHA" not in page


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("kernels.py", "import deeper\n\n\nclass Mine:\n    on = 'rankings'\n"),
        ("helper.py", "VALUE = 2\n"),
        ("deeper.py", "VALUE = 2\n"),
        ("settings", "b"),
        ("settings", None),
        ("table.parquet", "b"),
        ("base.sqlite", "b"),
        ("option.txt", "it is there now"),
        ("runs/two.csv", "2"),
        ("runs/one.csv", None),
    ],
)
def test_a_page_is_made_again_after_each_change_of_what_it_was_made_of(project, name, content):
    path = project / "notebooks" / name
    before = path.read_bytes() if path.exists() else None
    assert still(project)
    try:
        path.unlink() if content is None else write(path, content)
        assert not still(project)
    finally:
        path.unlink(missing_ok=True) if before is None else path.write_bytes(before)
    assert still(project)  # what counts is what a file holds


def test_nothing_else_counts(project, monkeypatch):
    for name in ("other.csv", "runs/.hidden", "made.txt"):
        write(project / "notebooks" / name, "something")
    assert still(project)
    said = []
    monkeypatch.setattr(execute, "apart", lambda make, tasks, *_: iter(tasks))
    render(project, say=said.append)
    assert said == ["reads: unchanged"]


def test_a_version_counts_if_the_package_was_imported(project, monkeypatch):
    version = state.versions
    for name, expected in (("pandas", False), ("pytest", True)):
        monkeypatch.setattr(
            state, "versions", lambda of, name=name: {**version(of), **{n: "0" for n in of if n == name}}
        )
        assert still(project) is expected


def test_render_runs_what_has_changed(project, monkeypatch):
    monkeypatch.setattr(execute, "apart", here())
    write(project / "notebooks" / "helper.py", "VALUE = 3\n")
    said = []
    assert render(project, say=said.append).failed == []
    assert said[0].startswith("reads: started") and "True 3 a" in (project / "reports/executed/reads.ipynb").read_text()
    assert still(project)


def test_a_project_that_was_moved_is_about_its_own_files(project, tmp_path):
    moved = tmp_path / "moved"
    subprocess.run(["cp", "-r", project, moved], check=True)
    assert still(moved)
    write(moved / "notebooks" / "settings", "of the copy")
    assert still(project) and not still(moved)


NOTES = r"""
import os, sys
from pathlib import Path
from genexpy_nb.common.files import note_reading
note_reading(sys.argv[1])
Path("edited").read_text()
Path("edited").write_text("b") if sys.argv[2] == "itself" else os.system("printf bc > edited")
if os.fork() == 0:
    Path("forked").read_text()
    os._exit(0)
os.wait()
os.listdir(b".")
Path("begun").write_text("")
os.rename("begun", "done")
Path("done").read_text()
for wrong in ("\0", b"\xff", 99):
    try:
        open(wrong)
    except (OSError, ValueError):
        pass
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks on this system")
@pytest.mark.parametrize("who", ["itself", "another"])
def test_what_changes_while_it_is_read_is_not_relied_upon(tmp_path, who):
    for name in ("edited", "forked"):
        write(tmp_path / name, "a")
    log = tmp_path / "log" / "read"
    log.parent.mkdir()
    subprocess.run([sys.executable, "-c", NOTES, log, who], cwd=tmp_path, check=True)
    found = made_of(log, tmp_path)
    inside = {name for name in found["read"] if not os.path.isabs(name)} - {"\udcff"}
    assert inside == {"forked", *(["edited"] if who == "another" else [])}
    assert found["read"][str(tmp_path)] == state_of(tmp_path)
    assert is_still(found, tmp_path, state_of) == (who == "itself")


def test_of_what_was_not_noted_nothing_is_known(tmp_path):
    assert made_of(tmp_path / "none", tmp_path) == {} and not is_still({}, tmp_path, state_of)
