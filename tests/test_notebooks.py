"""Executes the notebooks and renders the reports of this project: minutes, one test per notebook or report.

Which execution proves what:

- nbval runs every committed notebook and compares all outputs but images with the committed ones, strictly.
- Every report is rendered from the published tables. Where its parameters are the defaults, its outputs must be those
  of the committed notebook. So the strict run before is also the second run, with a comparison, of what papermill has
  executed; there is no third one. Where they are not (the larger settings), nbval runs what was executed once more.
- One report of each notebook is rendered from the bundled results. Where there are no published tables, nothing else
  runs the notebooks that read them: then nbval runs what was executed once more.
- One report is rendered on a table that is not this project's.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from example_cells import example_table
from nbval.plugin import get_sanitize_patterns

from genexpy_nb import datasets
from genexpy_nb.reporting import load_reports, render
from genexpy_nb.reporting.pairing import check, find_notebook

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted(file.stem for file in (ROOT / "notebooks").glob("[0-9][0-9]_*.py"))
REPORTS = load_reports(ROOT)
WITH_DATA = [name for name, report in REPORTS.items() if report.data_names]
NEED_TABLES = {REPORTS[name].notebook.name for name in WITH_DATA}
# one report of each notebook: the larger settings differ in parameters only
ONE_OF_EACH = list({REPORTS[name].notebook.name: name for name in reversed(WITH_DATA)}.values())[::-1]
IMAGES = ("image/png", "image/jpeg")
SANITISE = ROOT / "tests" / "nbval_sanitize.cfg"

pytestmark = pytest.mark.notebooks


def nbval(notebook, *options):
    """Run nbval in a process of its own; what it says is the message if it fails."""
    command = [sys.executable, "-m", "pytest", "-q", "-rfE", "-o", "addopts=", "-p", "no:cacheprovider", *options]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [*command, "--nbval-current-env", "--nbval-sanitize-with", str(SANITISE), str(notebook)],
        **{"cwd": ROOT, "env": environment, "capture_output": True, "text": True, "check": False},
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]


def render_and_check(name, folder, source):
    """Render one report and return its page and its executed notebook."""
    outcome = render(ROOT, [name], source=source, output=folder, say=lambda line: None)
    assert not outcome.failed, outcome.entries[0].problem
    page = folder / "html" / f"{name}.html"
    assert page.stat().st_size < 3_000_000
    return page.read_text(encoding="utf-8"), folder / "executed" / f"{name}.ipynb"


def sanitised(thing):
    """Texts without what nbval is told to overlook, at any depth; images are left out, as nbval leaves them out."""
    if isinstance(thing, dict):
        return {key: sanitised(value) for key, value in thing.items() if key not in IMAGES}
    if isinstance(thing, str):
        for pattern, replacement in get_sanitize_patterns(SANITISE.read_text(encoding="utf-8")):
            thing = re.sub(pattern, replacement, thing)
    return thing


def shown(notebook):
    """Source and outputs of each cell of code, but for the cell of parameters that papermill added."""
    cells = [cell for cell in nbformat.read(notebook, as_version=4).cells if cell.cell_type == "code"]
    cells = [cell for cell in cells if "injected-parameters" not in cell.metadata.get("tags", [])]
    for output in (output for cell in cells for output in cell.outputs):
        output.pop("execution_count", None)  # one more below the cell that was added
    return [{"source": cell.source, "outputs": list(map(sanitised, cell.outputs))} for cell in cells]


def check_executed(name, executed):
    """See that what was executed gives the same again: as the committed notebook does, or by running it once more."""
    if REPORTS[name].changed:
        nbval(executed, "--nbval-lax")
        return
    ours, committed = shown(executed), shown(REPORTS[name].notebook.ipynb)
    assert len(ours) == len(committed)
    for number, (cell, expected) in enumerate(zip(ours, committed, strict=True), start=1):
        assert cell == expected, f"cell {number} of code"


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
    page, executed = render_and_check(name, tmp_path, "original")
    assert 'class="banner bundled"' not in page
    check_executed(name, executed)


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_report_from_the_bundled_results(name, tmp_path, has_published_data):
    settable = "source" in REPORTS[name].values
    page, executed = render_and_check(name, tmp_path, "bundled")
    assert not settable or 'class="banner bundled"' in page
    if not has_published_data:
        nbval(executed, "--nbval-lax")


@pytest.mark.parametrize("name", sorted(set(REPORTS) - set(WITH_DATA)))
def test_report_without_tables(name, tmp_path):
    _, executed = render_and_check(name, tmp_path, None)
    check_executed(name, executed)


def test_report_on_a_table_of_one_s_own(tmp_path):
    """Three seeds, neither measures nor the name of the family in plain letters."""
    table = example_table(n_seeds=3).assign(family="<b>$x_1$</b>")
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


def test_every_notebook_has_a_report_with_its_defaults():
    """So that the strict run of each notebook is also the second run of a report."""
    assert {report.notebook.name for report in REPORTS.values() if not report.changed} == set(NOTEBOOKS)
