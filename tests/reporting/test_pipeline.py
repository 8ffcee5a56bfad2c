"""pipeline: what has to run runs, what has not changed is left, what fails is named and stops nothing else."""

import errno
import re
from dataclasses import asdict

import nbformat
import pytest
from bs4 import BeautifulSoup
from mini_project import FAILS, SMALL, SOURCED, here, make_project, soup

from genexpy_nb.reporting import execute, state
from genexpy_nb.reporting.execute import Made, render
from genexpy_nb.reporting.pairing import read_source

REPORTS = {
    "fails": "notebook: 02_fails\ntitle: It fails\nparameters: {n: 2}\n",
    "small": "notebook: 01_small\ntitle: A small report\nparameters: {models: [knn]}\n",
}
NOTHING = {"read": {}, "packages": {}}  # is what a notebook has read
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


@pytest.fixture
def ran(monkeypatch):
    """Names of the reports that would have run; instead, the call ends."""
    names = []

    def apart(function, tasks, jobs, client, start):
        names.extend(task.report.name for task in tasks)
        return iter(()) if not tasks else 1 / 0

    monkeypatch.setattr(execute, "apart", apart)
    return names


def text(file):
    return file.read_text(encoding="utf-8")


def test_all_reports_run_and_the_broken_one_is_named(rendered):
    outcome, said, folder = rendered
    assert [(entry.name, entry.status) for entry in outcome.entries] == [("fails", "FAILED"), ("small", "ok")]
    assert outcome.failed == ["fails"]
    assert any(re.fullmatch(r"small: done in \d+\.\d s", line) for line in said)
    assert any(re.match(r"fails: FAILED after \d+\.\d s\n  notebooks/02_fails.py:17 \(cell 5", line) for line in said)
    assert sorted(file.name for file in (folder / "html").iterdir()) == [
        "fails.html",
        "index.html",
        "small.html",
        "small.json",
    ]


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
    assert [card.select_one(".status").get_text() for card in cards] == ["FAILED", "ok"]


def test_executed_notebook_is_normalised_and_has_the_parameters(rendered):
    node = nbformat.read(rendered[2] / "executed" / "small.ipynb", as_version=4)
    nbformat.validate(node)
    assert set(node.metadata) == {"kernelspec", "language_info"}
    assert [cell.id for cell in node.cells] == [f"c{i:03d}" for i in range(len(node.cells))]
    assert all(set(cell.metadata) <= {"tags"} for cell in node.cells)
    injected = [cell.source for cell in node.cells if "injected-parameters" in cell.metadata.get("tags", [])]
    assert injected == ["models = ['knn']"]
    counts = [cell.execution_count for cell in node.cells if cell.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1))
    assert "0.95 ['knn']" in node.cells[-1].outputs[0].text


def test_two_renders_give_the_same_bytes_but_for_the_time(rendered, project, tmp_path, monkeypatch):
    monkeypatch.setattr(execute, "apart", here())
    render(project, ["small"], output=tmp_path, say=lambda line: None)
    first, second = [text(folder / "html" / "small.html").splitlines() for folder in (rendered[2], tmp_path)]
    assert len(first) == len(second)
    different = [line for pair in zip(first, second, strict=True) for line in pair if pair[0] != pair[1]]
    assert all('class="rendered"' in line for line in different) and len(different) in (0, 2)
    assert text(rendered[2] / "executed" / "small.ipynb") == text(tmp_path / "executed" / "small.ipynb")


def test_an_unchanged_report_is_skipped_and_a_changed_one_is_not(rendered, project, ran):
    folder = rendered[2]
    before = {file: file.read_bytes() for file in folder.rglob("small.*")}
    said = []
    outcome = render(project, ["small"], say=said.append)
    assert said == ["small: unchanged"] and ran == [] and outcome.entries[0].status == "unchanged"
    assert {file: file.read_bytes() for file in folder.rglob("small.*")} == before
    cards = soup(outcome.index).select(".card")
    assert [card.select_one(".status").get_text() for card in cards] == ["FAILED", "unchanged"]

    for arguments in ({"force": True}, {"overrides": {"alpha": 0.5}}, {"names": ["fails"]}):
        names = arguments.pop("names", ["small"])
        with pytest.raises(ZeroDivisionError):
            render(project, names, say=said.append, **arguments)
        assert ran.pop() == names[0]


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("html/small.html", None),
        ("html/small.json", lambda b: b[:-2]),
        ("executed/small.ipynb", lambda b: b[:-9] + b"x" + b[-8:]),
        (".state/small.json", lambda b: b""),
    ],
)
def test_a_report_of_which_a_file_is_missing_or_damaged_runs_again(name, damage, rendered, project, ran):
    file = rendered[2] / name
    content = file.read_bytes()
    file.write_bytes(damage(content)) if damage else file.unlink()
    try:
        with pytest.raises(ZeroDivisionError):
            render(project, ["small"], say=lambda line: None)
    finally:
        file.write_bytes(content)
    assert ran == ["small"]
    outcome = render(project, ["small"], say=lambda line: None)
    assert outcome.entries[0].status == "unchanged" and ran == ["small"]


def test_the_index_links_to_no_page_that_is_not_there(rendered, project, monkeypatch):
    """What is remembered of a report says that it is rendered; its page was deleted since."""
    page = rendered[2] / "html" / "small.html"
    kept = {name: (rendered[2] / name).read_bytes() for name in ("html/fails.html", "executed/fails.ipynb")}
    made = Made(*(kept[name].decode() for name in reversed(kept)), problem="no")
    monkeypatch.setattr(execute, "apart", here(lambda task: made))
    away = page.rename(page.with_name("away"))
    outcome = render(project, ["fails"], say=lambda line: None)
    away.rename(page)
    cards = soup(outcome.index).select(".card")
    assert [card["id"] for card in cards] == ["fails", "small"]
    assert [card.select_one(".status").get_text() for card in cards] == ["FAILED", "not rendered"]
    assert cards[0].a["href"] == "fails.html" and cards[1].a is None


def test_a_value_of_the_command_line_leaves_those_of_the_file(project, monkeypatch, tmp_path):
    ran = []
    monkeypatch.setattr(execute, "apart", lambda function, tasks, *rest: ran.append(tasks[0].report) or 1 / 0)
    with pytest.raises(ZeroDivisionError):
        render(project, ["small"], overrides={"alpha": 1}, output=tmp_path, say=lambda line: None)
    assert ran[0].parameters == {"models": ["knn"], "alpha": 1.0}
    assert ran[0].changed == {"alpha": 1.0, "models": ["knn"]}


def test_a_report_that_cannot_even_start_has_a_page_that_says_why(project, monkeypatch):
    report = execute.load_reports(project)["small"]

    def fails(error):
        def fail(*rest, **options):
            raise error

        return fail

    monkeypatch.setattr(execute, "run", fails(OSError(errno.ENOSPC, "No space left on device", "a.ipynb")))
    made = execute.make(execute.Task(report, project, "k"))
    assert made.problem == "No space left on device: a.ipynb" and made.executed
    banner = BeautifulSoup(made.page, "html.parser").select_one(".failed")
    assert "No space left on device: a.ipynb" in banner.get_text()
    monkeypatch.setattr(execute, "to_html", fails(MemoryError()))
    made = execute.make(execute.Task(report, project, "k"))
    assert made.page is None and made.executed
    assert made.problem == "No space left on device: a.ipynb; and its page could not be made: MemoryError"


@pytest.mark.parametrize("at", ["executed", "html", ".state"])
def test_a_full_disk_is_a_problem_of_one_report(at, tmp_path, monkeypatch):
    """All but one report are written; the next call does that one only."""
    reports = {name: f"notebook: 01_small\ntitle: {name}\n" for name in "abc"}
    root = make_project(tmp_path, {"01_small": SMALL}, reports)
    real, full = state.replacing, True

    def replacing(path):
        if full and (path.parent.name, path.stem) == (at, "b"):
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        return real(path)

    made = Made("{}", "<html></html>", "", 1.0, None, NOTHING)
    asked = []
    monkeypatch.setattr(state, "replacing", replacing)
    monkeypatch.setattr(execute, "apart", here(lambda task: asked.append(task.report.name) or made))
    outcome = render(root, say=lambda line: None)
    assert [entry.status for entry in outcome.entries] == ["ok", "FAILED", "ok"]
    written = root / "reports" / at / {"executed": "b.ipynb", "html": "b.html", ".state": "b.json"}[at]
    assert outcome.entries[1].problem == f"its files could not be written: No space left on device: {written}"
    full = False
    asked.clear()
    assert not render(root, say=lambda line: None).failed and asked == ["b"]


def test_going_back_to_earlier_parameters_gives_the_earlier_page(tmp_path, monkeypatch):
    """The second run ends between its page and the note that it is done."""
    root = make_project(tmp_path, {"01_small": SMALL}, {"a": "notebook: 01_small\ntitle: A\n"})

    def make(task):
        return Made("{}", f"page of {task.report.values['alpha']}", "", 1.0, None, NOTHING)

    monkeypatch.setattr(execute, "apart", here(make))
    page = root / "reports" / "html" / "a.html"
    render(root, say=lambda line: None)
    earlier = "page of 0.95"
    assert text(page) == earlier
    with monkeypatch.context() as patch:
        patch.setattr(state, "asdict", lambda entry: asdict(entry) if text(page) == earlier else 1 / 0)
        with pytest.raises(ZeroDivisionError):
            render(root, overrides={"alpha": 0.5}, say=lambda line: None)
    assert text(page) == "page of 0.5"
    assert render(root, say=lambda line: None).entries[0].status == "ok" and text(page) == "page of 0.95"
    assert render(root, say=lambda line: None).entries[0].status == "unchanged"
    render(root, overrides={"alpha": 0.5}, say=lambda line: None)
    assert render(root, say=lambda line: None).entries[0].status == "ok" and text(page) == "page of 0.95"


def test_what_was_edited_while_it_ran_runs_again(tmp_path, monkeypatch):
    root = make_project(tmp_path, {"01_small": SMALL}, {"a": "notebook: 01_small\ntitle: A\n"})
    notebook = root / "notebooks" / "01_small.py"

    def make(task):
        notebook.write_text(SMALL + "\n# %%\n")
        return Made("{}", "of which source?", "", 1.0, None, NOTHING)

    monkeypatch.setattr(execute, "apart", here(make))
    assert render(root, say=lambda line: None).entries[0].status == "ok"
    notebook.write_text(SMALL)
    assert render(root, say=lambda line: None).entries[0].status == "ok"
    notebook.write_text(SMALL + "\n# %%\n")
    assert [render(root, say=lambda line: None).entries[0].status for _ in "12"] == ["ok", "unchanged"]


@pytest.mark.parametrize(
    ("notebook", "data", "source", "bundled"),
    [
        (SOURCED, "[bigbench]", None, ["bigbench"]),
        (SOURCED, "[bigbench]", "auto", ["bigbench"]),
        (SOURCED, "[bigbench]", "bundled", []),
        (SOURCED, "[encoders]", "auto", []),
        (SOURCED, "[encoders, bigbench]", "auto", ["encoders", "bigbench"]),
        (SMALL, "[encoders, bigbench]", "original", ["bigbench"]),  # the notebook does not let one choose
        (SOURCED.replace('"auto"', '"a.csv"'), "[bigbench]", None, ["bigbench"]),
    ],
)
def test_a_bundled_table_that_nobody_asked_for_is_mentioned(notebook, data, source, bundled, tables, tmp_path, ran):
    root = make_project(tmp_path, {"01_a": notebook}, {"a": f"notebook: 01_a\ntitle: A\ndata: {data}\n"})
    said = []
    with pytest.raises(ZeroDivisionError):
        render(root, source=source, say=said.append)
    expected = [f"a: not the published table {name!r}, but the bundled one (a note)" for name in bundled]
    assert said == expected and ran == ["a"]


def test_bad_tex_fails_the_report_and_names_the_formula(tmp_path, monkeypatch):
    monkeypatch.setattr(execute, "apart", here())
    monkeypatch.setattr(execute, "run", lambda notebook, *rest, **options: (read_source(notebook), None))
    notebooks = {"01_tex": "# %% [markdown]\n# ## Bad\n#\n# $\\frc{1}{2}$\n"}
    root = make_project(tmp_path, notebooks, {"tex": "notebook: 01_tex\ntitle: A\n"})
    outcome = render(root, say=lambda line: None)
    assert outcome.failed == ["tex"] and r"\\frc{1}{2}" in outcome.entries[0].problem
    assert r"\\frc{1}{2}" in soup(root / "reports" / "html" / "tex.html").select_one(".banner.failed").get_text()


def test_an_entry_says_what_was_changed_and_which_tables_were_read(tables, tmp_path, monkeypatch):
    """The source of the tables is not among the changed parameters: it has a line of its own."""
    notebook = SOURCED.replace("\n\n# %%", '\nalpha: float = 0.95\nname: str = "a"\n\n# %%', 1)
    yaml = "notebook: 01_a\ntitle: A\ndescription: about\ndata: [encoders]\nparameters: {name: b, alpha: 0.95}\n"
    root = make_project(tmp_path, {"01_a": notebook}, {"a": yaml})
    monkeypatch.setattr(execute, "apart", here(lambda task: Made("{}", "page", "", 1.5)))
    (entry,) = render(root, source="bundled", say=lambda line: None).entries
    assert (entry.changed, entry.sources) == ({"name": "'b'"}, {"encoders": "bundled"})
    assert (entry.title, entry.description, entry.notebook, entry.problem) == ("A", "about", "01_a", "")
    assert entry.status == "ok" and len(entry.key) == 64 and entry.seconds == 1.5
