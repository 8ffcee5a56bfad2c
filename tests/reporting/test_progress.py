"""Lines of running reports: what they count, and that what is said stays whole."""

import sys

from mini_project import make_project

from genexpy_nb.reporting import render
from genexpy_nb.reporting.execute import run
from genexpy_nb.reporting.pairing import find_notebook
from genexpy_nb.reporting.progress import running

CELLS = "# %% [markdown]\n# # A\n\n# %%\n1\n\n# %%\n2\n"
REPORTS = {name: f"notebook: 01_a\ntitle: {name}\n" for name in ("first", "second")}


def test_every_cell_is_told_as_it_is_done(tmp_path):
    root = make_project(tmp_path, {"01_a": CELLS}, {})
    told = []
    _, failure = run(find_notebook(root, "01_a"), {}, lambda done, total: told.append((done, total)))
    assert failure is None and told == [(2, 3), (3, 3)]  # text is not run


def test_what_is_said_stays_whole_beside_the_lines(tmp_path, capsys):
    root = make_project(tmp_path, {"01_a": CELLS}, REPORTS)
    outcome = render(root, jobs=2, bar=True, say=print)
    said = capsys.readouterr().out
    assert not outcome.failed
    assert sorted(line.partition(":")[0] for line in said.splitlines()) == ["first", "first", "second", "second"]


def test_a_line_counts_the_cells_of_its_report():
    with running(True) as lines:
        lines.start("a")
        lines.start("b")
        lines.cell("b", 2, 5)
        rows = {task.description: (task.completed, task.total) for task in lines._bars.tasks}
        lines.end("a")
        assert rows == {"a": (0, None), "b": (2, 5)} and [task.description for task in lines._bars.tasks] == ["b"]


def test_without_a_terminal_there_are_no_lines(capsys):
    with running(False) as lines:
        lines.start("a")
        lines.cell("a", 1, 2)
        lines.end("a")
        lines.announce("a: done", lambda text: print(text, file=sys.stdout))
    assert capsys.readouterr() == ("a: done\n", "")


def test_a_line_ends_with_its_report(capsys):
    with running(True) as lines:
        lines.start("[bold]a")
        lines.cell("[bold]a", 1, 2)
        lines.end("[bold]a")
        lines.cell("[bold]a", 2, 2)  # too late: nothing
        lines.announce("done", print)
    assert capsys.readouterr().out == "done\n"
