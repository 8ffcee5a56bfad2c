"""pipeline: what has to run runs, what has not changed is left, what fails is named and stops nothing else."""

import json
import re

import nbformat
import pytest
from bs4 import BeautifulSoup
from mini_project import FAILS, SMALL, make_project

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.reporting import pipeline, render

REPORTS = {
    "fails": "notebook: 02_fails\ntitle: It fails\nparameters: {n: 2}\n",
    "small": "notebook: 01_small\ntitle: A small report\nparameters: {models: [knn]}\n",
}
NOTEBOOKS = {"01_small": SMALL, "02_fails": FAILS}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return make_project(tmp_path_factory.mktemp("project"), NOTEBOOKS, REPORTS)


@pytest.fixture(scope="module")
def rendered(project):
    """Both reports, rendered by two processes: the outcome, what was said, and the folder."""
    said = []
    outcome = render(project, jobs=2, say=said.append)
    return outcome, said, project / "reports"


def soup(file):
    return BeautifulSoup(file.read_text(encoding="utf-8"), "html.parser")


def text(file):
    return file.read_text(encoding="utf-8")


def test_all_reports_run_and_the_broken_one_is_named(rendered):
    outcome, said, folder = rendered
    assert [(entry.name, entry.status) for entry in outcome.entries] == [("fails", "FAILED"), ("small", "ok")]
    assert outcome.failed == ["fails"]
    assert any(re.fullmatch(r"small: done in \d+\.\d s", line) for line in said)
    assert any(re.match(r"fails: FAILED after \d+\.\d s\n  notebooks/02_fails.py:17 \(cell 5", line) for line in said)
    assert sorted(file.name for file in (folder / "html").iterdir()) == ["fails.html", "index.html", "small.html"]


def test_a_failing_cell_gives_a_partial_report(rendered):
    page = soup(rendered[2] / "html" / "fails.html")
    banner = page.select_one(".banner.failed")
    line = FAILS.splitlines().index('raise RuntimeError("no <b>luck</b>")') + 1
    assert f"notebooks/02_fails.py:{line}" in banner.get_text() and "The broken part" in banner.get_text()
    assert "RuntimeError: no <b>luck</b>" in banner.get_text()
    failed = page.select_one("#failed").find_parent(class_="jp-CodeCell")
    assert "RuntimeError" in failed.select_one(".traceback").get_text() and "\x1b" not in page.get_text()
    assert "43" in page.select_one("main").get_text()  # what came before the failure, with n = 2
    cards = soup(rendered[2] / "html" / "index.html").select(".card")
    assert [card.select_one(".status").get_text() for card in cards] == [
        "ok",
        "FAILED",
    ]  # in the order of the notebooks


def test_executed_notebook_is_normalised_and_has_the_parameters(rendered):
    node = nbformat.read(rendered[2] / "executed" / "small.ipynb", as_version=4)
    nbformat.validate(node)
    assert set(node.metadata) == {"kernelspec", "language_info"}
    assert [cell.id for cell in node.cells] == [f"c{i:03d}" for i in range(len(node.cells))]
    assert all(set(cell.metadata) <= {"tags"} for cell in node.cells)
    injected = [cell.source for cell in node.cells if "injected-parameters" in cell.metadata.get("tags", [])]
    assert injected == ["models = ('knn',)"]
    counts = [cell.execution_count for cell in node.cells if cell.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1))
    assert "0.95 ('knn',)" in node.cells[-1].outputs[0].text


def test_the_page_has_what_the_notebook_shows(rendered):
    file = rendered[2] / "html" / "small.html"
    page = soup(file)
    assert file.stat().st_size < 3_000_000
    assert not page.find_all("script") and not page.select("link")
    assert page.select_one(".parameters .changed th").get_text(strip=True) == "models"
    assert page.select_one('svg[aria-label="n^* \\\\le 3"]') or page.select_one(r'svg[aria-label="n^* \\le 3"]')
    assert page.select_one("img")["alt"] == "Figure: A figure"
    assert any("a < b" in cell.get_text() for cell in page.select("td"))
    assert "Seed" in page.select_one(".provenance").get_text()


def test_two_renders_give_the_same_bytes_but_for_the_time(rendered, project, tmp_path):
    render(project, ["small"], output=tmp_path, say=lambda line: None)
    first, second = [text(folder / "html" / "small.html").splitlines() for folder in (rendered[2], tmp_path)]
    assert len(first) == len(second)
    different = [line for pair in zip(first, second, strict=True) for line in pair if pair[0] != pair[1]]
    assert all('class="rendered"' in line for line in different) and len(different) in (0, 2)
    assert text(rendered[2] / "executed" / "small.ipynb") == text(tmp_path / "executed" / "small.ipynb")


def test_an_unchanged_report_is_skipped_and_a_changed_one_is_not(rendered, project, monkeypatch):
    folder = rendered[2]
    before = {file: file.read_bytes() for file in folder.rglob("small.*")}
    ran = []
    monkeypatch.setattr(pipeline, "_render_one", lambda report, *rest: ran.append(report.name) or 1 / 0)
    said = []
    outcome = render(project, ["small"], say=said.append)
    assert said == ["small: unchanged"] and ran == [] and outcome.entries[0].status == "unchanged"
    assert {file: file.read_bytes() for file in folder.rglob("small.*")} == before
    cards = soup(outcome.index).select(".card")
    assert [card.select_one(".status").get_text() for card in cards] == ["unchanged", "FAILED"]

    for arguments in ({"force": True}, {"overrides": {"alpha": 0.5}}, {"names": ["fails"]}):
        names = arguments.pop("names", ["small"])
        with pytest.raises(ZeroDivisionError):
            render(project, names, say=said.append, **arguments)
        assert ran.pop() == names[0]
    (folder / "html" / "small.html").rename(folder / "html" / "away.html")
    with pytest.raises(ZeroDivisionError):
        render(project, ["small"], say=said.append)
    (folder / "html" / "away.html").rename(folder / "html" / "small.html")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"overrides": {"n": 1}}, "-p needs exactly one report, got 2: fails, small"),
        ({"names": ["fails"], "overrides": {"m": 1}}, "report fails: unknown parameter 'm'"),
        ({"names": ["fails"], "overrides": {"n": "a"}}, "report fails: parameter 'n' must be int"),
        ({"names": ["smal"]}, "unknown report 'smal'; did you mean 'small'"),
        ({"jobs": 0}, "jobs must be a whole number of at least 1, got 0"),
    ],
)
def test_wrong_input_starts_and_writes_nothing(tmp_path, arguments, message):
    root = make_project(tmp_path, NOTEBOOKS, REPORTS)
    before = sorted(tmp_path.rglob("*"))
    said = []
    with pytest.raises(ParameterError, match=re.escape(message)):
        render(root, say=said.append, **arguments)
    assert said == [] and sorted(tmp_path.rglob("*")) == before


def test_one_bad_file_stops_all(tmp_path):
    bad = REPORTS | {"worse": "notebook: 01_small\ntitle: A\nparameters: {sed: 1}\n"}
    root = make_project(tmp_path, NOTEBOOKS, bad)
    with pytest.raises(ParameterError, match=r"reports/worse.yaml: unknown parameter 'sed'; did you mean 'seed'"):
        render(root)
    assert not (root / "reports" / "html").exists()


def test_a_damaged_state_is_no_obstacle(rendered, project, monkeypatch):
    state = rendered[2] / ".state" / "small.json"
    saved = text(state)
    assert json.loads(saved)["status"] == "ok"
    monkeypatch.setattr(pipeline, "_render_one", lambda *rest: 1 / 0)
    for damaged in ("{", "[]", '{"name": 1}'):
        state.write_text(damaged)
        with pytest.raises(ZeroDivisionError):
            render(project, ["small"], say=lambda line: None)
    state.write_text(saved)


def test_bad_tex_fails_the_report_and_names_the_formula(tmp_path):
    notebooks = {"01_tex": "# %% [markdown]\n# ## Bad\n#\n# $\\frc{1}{2}$\n"}
    root = make_project(tmp_path, notebooks, {"tex": "notebook: 01_tex\ntitle: A\n"})
    outcome = render(root, say=lambda line: None)
    assert outcome.failed == ["tex"] and r"\\frc{1}{2}" in outcome.entries[0].problem
    assert r"\\frc{1}{2}" in soup(root / "reports" / "html" / "tex.html").select_one(".banner.failed").get_text()
