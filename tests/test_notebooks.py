"""Executes the notebooks and renders the reports of this project: minutes, one test per notebook or report."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from genexpy_nb import datasets, tradeoff
from genexpy_nb.reporting import load_reports, render
from genexpy_nb.reporting.pairing import check, find_notebook

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted(file.stem for file in (ROOT / "notebooks").glob("[0-9][0-9]_*.py"))
REPORTS = load_reports(ROOT)
WITH_DATA = [name for name, report in REPORTS.items() if report.data_names]
NEED_TABLES = {REPORTS[name].notebook.name for name in WITH_DATA}
# one report of each notebook: the larger settings differ in parameters only
ONE_OF_EACH = list({REPORTS[name].notebook.name: name for name in reversed(WITH_DATA)}.values())[::-1]

pytestmark = pytest.mark.notebooks


def nbval(notebook: Path, *options: str) -> None:
    """Run nbval in a process of its own; what it says is the message if it fails."""
    command = [sys.executable, "-m", "pytest", "-q", "-rfE", "-o", "addopts=", "-p", "no:cacheprovider", *options]
    sanitise = ["--nbval-current-env", "--nbval-sanitize-with", str(ROOT / "tests" / "nbval_sanitize.cfg")]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [*command, *sanitise, str(notebook)], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]


def render_and_check(name: str, folder: Path, source: str | None, again: bool = True) -> str:
    """Render one report, run its executed notebook once more if asked to, and return its page."""
    outcome = render(ROOT, [name], source=source, output=folder, say=lambda line: None)
    assert not outcome.failed, outcome.entries[0].problem
    if again:
        nbval(folder / "executed" / f"{name}.ipynb", "--nbval-lax")
    page = folder / "html" / f"{name}.html"
    assert page.stat().st_size < 3_000_000
    return page.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_pair_is_in_order(name):
    assert check(find_notebook(ROOT, name)) == []


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.published] * (name in NEED_TABLES)) for name in NOTEBOOKS]
)
def test_committed_outputs_are_what_the_notebook_computes(name, request):
    if name in NEED_TABLES:
        request.getfixturevalue("published_data")
    nbval(ROOT / "notebooks" / f"{name}.ipynb", "--nbval")


@pytest.mark.published
@pytest.mark.parametrize("name", WITH_DATA)
def test_report_from_the_published_tables(name, tmp_path, published_data):
    page = render_and_check(name, tmp_path, "original")
    assert 'class="banner bundled"' not in page


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_report_from_the_bundled_results(name, tmp_path, has_published_data):
    settable = "source" in REPORTS[name].values
    # where the published tables are, the same report has been run once more with them
    page = render_and_check(name, tmp_path, "bundled", again=not has_published_data)
    assert not settable or 'class="banner bundled"' in page


@pytest.mark.parametrize("name", sorted(set(REPORTS) - set(WITH_DATA)))
def test_report_without_tables(name, tmp_path):
    render_and_check(name, tmp_path, None)


def test_report_on_a_table_of_one_s_own(tmp_path):
    """Three seeds, neither measures nor the name of the family in plain letters."""
    table = tradeoff.example_table(n_seeds=3).assign(family="<b>$x_1$</b>")
    table.to_csv(tmp_path / "mine.csv", index=False)
    overrides = {"results": str(tmp_path / "mine.csv"), "zero_shot": 0.25}
    outcome = render(ROOT, ["tradeoff"], overrides=overrides, output=tmp_path, say=lambda line: None)
    assert not outcome.failed, outcome.entries[0].problem
    page = (tmp_path / "html" / "tradeoff.html").read_text(encoding="utf-8")
    assert "These are your own cells." in page and "mine.csv, SHA-256" in page
    assert "&lt;b&gt;$x_1$&lt;/b&gt;" in page and "<b>$x_1$</b>" not in page


def test_every_notebook_that_reads_a_table_lets_one_choose_which():
    for name in WITH_DATA:
        assert REPORTS[name].values.get("source", "auto") in datasets.SOURCES
