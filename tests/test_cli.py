import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner
from mini_project import FAILS, SMALL, SOURCED, here, make_project

import genexpy_nb
from genexpy_nb import cli, datasets
from genexpy_nb.cli import main
from genexpy_nb.common import errors
from genexpy_nb.common.errors import DataError
from genexpy_nb.datasets import locating
from genexpy_nb.reporting import execute, pairing
from genexpy_nb.reporting.execute import Made

SOURCED_YAML = "notebook: 03_sourced\ntitle: Sourced\ndata: [encoders]\n"


@pytest.fixture
def root(tmp_path):
    return make_project(
        tmp_path,
        {"01_small": SMALL, "02_fails": FAILS, "03_sourced": SOURCED},
        {"fails": "notebook: 02_fails\ntitle: Fails\n", "sourced": SOURCED_YAML},
    )


def call(root, *arguments):
    return CliRunner().invoke(main, ["--root", str(root), *arguments])


@pytest.fixture
def bundled_only(monkeypatch, tmp_path):
    """The published tables cannot be had."""

    def locate(name, source="auto"):
        if source == "original":
            raise DataError(f"{name}: no network")
        path = tmp_path / "table.parquet"
        path.write_text(name)
        return locating.Located(name, "bundled", path, sha256(name.encode()).hexdigest(), "no network")

    monkeypatch.setattr(locating, "locate", locate)


def test_version_and_help():
    assert cli.SOURCES == datasets.SOURCES
    assert genexpy_nb.__version__ in CliRunner().invoke(main, ["--version"]).output
    for command in ([], ["render"], ["params"], ["data", "fetch"], ["data", "status"], ["notebooks", "sync"]):
        result = CliRunner().invoke(main, [*command, "--help"])
        assert result.exit_code == 0 and "Usage" in result.output


def test_params_shows_name_type_default_and_meaning(root):
    result = call(root, "params", "notebooks/01_small.py")
    assert result.output.splitlines() == [
        "name    type       default         meaning",
        "alpha   float      0.95            generalizability wanted, in (0, 1)",
        "models  list[str]  ['svm', 'knn']  which models to keep",
        "seed    int        3               of the random numbers",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["params", "01_smal"], "error: no notebook '01_smal' in notebooks/; did you mean '01_small'?"),
        (["render", "fails", "-p", "m=2"], "error: report fails: unknown parameter 'm'"),
        (
            ["render", "fails", "-p", "n=1.5"],
            "error: report fails: parameter 'n' must be int (like 1), got 1.5 (float)",
        ),
        (["render", "fails", "-p", "n"], "error: -p wants name=value, got 'n'"),
        (["render", "-p", "n=1"], "error: -p needs exactly one report, got 2: fails, sourced"),
        (["data", "fetch", "encoder"], "did you mean 'encoders'?"),
    ],
)
def test_errors_are_one_line_and_exit_code_2(root, arguments, message):
    result = call(root, *arguments)
    assert result.exit_code == 2 and message in result.output
    assert result.output.startswith("error: ") and "Traceback" not in result.output
    assert result.output.count("\n") == 1
    assert not (root / "reports" / "html").exists()


def test_original_that_cannot_be_had_is_an_error_before_anything_runs(root, bundled_only):
    result = call(root, "render", "--source", "original")
    assert (result.exit_code, result.output) == (2, "error: encoders: no network\n")
    assert not (root / "reports" / "html").exists()


def test_render_from_end_to_end(root, bundled_only, tmp_path, monkeypatch):
    monkeypatch.setattr(execute, "apart", here())
    out = tmp_path / "out"
    result = call(root, "render", "-o", str(out))
    assert result.exit_code == 1
    assert "sourced: not the published table 'encoders', but the bundled one (no network)" in result.output
    assert "fails: started (1 of 2)" in result.output and "fails: FAILED after" in result.output
    assert "notebooks/02_fails.py:17" in result.output and "error: failed: fails" in result.output
    assert f"open {out / 'html' / 'index.html'}" in result.output
    page = (out / "html" / "sourced.html").read_text(encoding="utf-8")
    assert "this page shows this project's own runs" in page and "from auto" in page
    assert '"bundled\\n"' in (out / "executed" / "sourced.ipynb").read_text(encoding="utf-8")

    again = call(root, "render", "sourced", "-o", str(out))
    assert again.exit_code == 0 and "sourced: unchanged" in again.output
    assert not (root / "reports" / "html").exists()


def test_options_of_render_arrive(root, tmp_path, monkeypatch):
    """Names of files are made full: notebooks run in their own folder."""
    asked = {}

    def render(*arguments, **options):
        asked.update(options, root=arguments[0], names=arguments[1])
        return execute.Outcome((), tmp_path / "index.html")

    monkeypatch.setattr(execute, "render", render)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.csv").touch()
    options = ["--jobs", "3", "--source", "bundled", "-o", "out", "--force", "-p", "results=mine.csv", "-p", "n=2"]
    options += ["--cell-timeout", "7"]
    result = call(root, "render", "fails", *options)
    assert result.output == "open index.html\n" and result.exit_code == 0
    del asked["say"]
    assert asked == {
        **{"root": root.resolve(), "names": ("fails",), "jobs": 3, "source": "bundled", "output": Path("out")},
        **{"overrides": {"results": str(tmp_path / "mine.csv"), "n": 2}, "raw": {"results": "mine.csv", "n": "2"}},
        **{"force": True, "cell_timeout": 7, "scheduler": None},
    }
    call(root, "render")
    assert (asked["jobs"], asked["source"], asked["output"], asked["force"]) == (None, None, None, False)
    assert asked["cell_timeout"] == execute.CELL_TIMEOUT


@pytest.mark.parametrize(
    ("notebook", "parameters"),
    [(SOURCED, {"source": "bundled"}), (SOURCED.replace('"auto"', '"a.csv"'), {}), (FAILS, {})],
)
def test_sync_gives_the_source_to_notebooks_that_let_one_choose(notebook, parameters, tmp_path, monkeypatch):
    root, asked = make_project(tmp_path, {"01_a": notebook}, {}), []

    def run(pair, given, inject, answers):
        assert answers  # of exercises: the committed notebook has its solutions
        asked.append((pair.name, given, inject))
        return pairing.read_source(pair), None

    monkeypatch.setattr(execute, "run", run)
    monkeypatch.setattr(execute, "apart", here())
    assert call(root, "notebooks", "sync", "--source", "bundled").output == "01_a: written\n"
    assert asked == [("01_a", parameters, False)]
    written = (root / "notebooks" / "01_a.ipynb").stat().st_mtime_ns
    assert call(root, "notebooks", "sync", "01_a").output == "01_a: unchanged\n"
    assert (root / "notebooks" / "01_a.ipynb").stat().st_mtime_ns == written
    assert call(root, "notebooks", "sync", "--no-execute").output == "01_a: unchanged\n" and len(asked) == 2


def test_a_missing_library_is_one_line_with_what_to_install(root, monkeypatch):
    def missing(*rest):
        errors.require("reports", "no_such_module", "neither_this")

    monkeypatch.setattr(pairing, "find_notebook", missing)
    result = call(root, "params", "01_small")
    said = 'error: no_such_module, neither_this are not installed; pip install "genexpy_nb[reports]"\n'
    assert (result.exit_code, result.output) == (2, said)


def test_data_status_and_fetch(root, monkeypatch, tmp_path):
    frame = pd.DataFrame({"name": ["encoders"], "available": [True], "rows": [pd.NA]})
    monkeypatch.setattr(locating, "status", lambda: frame)
    assert call(root, "data", "status").output == "name      available  rows\nencoders  True\n"
    asked = []

    def fetch(names):
        asked.extend(names)
        return [locating.Located(name, "original", tmp_path / name, "0" * 64, "") for name in names]

    monkeypatch.setattr(locating, "fetch", fetch)
    assert call(root, "data", "fetch").output.splitlines() == [f"{n}: {tmp_path / n}" for n in datasets.NAMES]
    assert asked == list(datasets.NAMES)


def test_a_name_of_240_characters_and_odd_places_are_fine_or_one_sentence(root, tmp_path, monkeypatch):
    """Nothing of this needs a kernel: what would run is replaced."""
    long = "a" * 240
    (root / "reports" / f"{long}.yaml").write_text("notebook: 02_fails\ntitle: Long\n")
    monkeypatch.setattr(execute, "apart", here(lambda task: Made("{}", "<p>page</p>", "", 1.0)))
    result = call(root, "render", long, "-o", str(tmp_path / "out"))
    assert result.exit_code == 0 and (tmp_path / "out" / "html" / f"{long}.html").read_text() == "<p>page</p>"
    (tmp_path / "file").touch()
    for place, problem in [
        ("/dev/null", "Not a directory: /dev/null/html"),
        (str(tmp_path / "file" / "below"), f"Not a directory: {tmp_path / 'file' / 'below' / 'html'}"),
        (str(tmp_path / ("b" * 300)), f"File name too long: {tmp_path / ('b' * 300) / 'html'}"),
        ("/proc/new", "No such file or directory: /proc/new"),
    ]:
        result = call(root, "render", "fails", "-o", place)
        assert (result.exit_code, result.output) == (2, f"error: {problem}\n")


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs a disk that is always full")
def test_a_full_disk_under_the_output_of_the_command_is_one_sentence(root):
    with open("/dev/full", "w") as full:
        code = "from genexpy_nb.cli import main; main()"
        command = [sys.executable, "-c", code, "--root", str(root), "params", "01_small"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode != 0 and "Traceback" not in done.stderr and "No space left on device" in done.stderr
