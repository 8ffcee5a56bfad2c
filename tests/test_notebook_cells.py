"""A notebook is an analysis that a student could write: short cells, few imports and parameters, prose as prose."""

import ast
from functools import cache
from pathlib import Path

import pytest

from genexpy_nb.reporting.pairing import find_notebook, has_tag, parameters_cell, read_source

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted(file.stem for file in (ROOT / "notebooks").glob("[0-9][0-9]_*.py"))
EXERCISE = ("exercise", "solution", "check", "explanation")
#: Where a notebook's own module is: in chapters; that of the report on somebody's table, where it is made.
OWN = ("genexpy_nb.chapters", "genexpy_nb.own_study")
#: Calls that only show or keep what was found: the notebook's own module has them.
SHOWS = ("chapter.show_", "chapter.keep_", "chapter.check_", "gx.plots.use_style", "gx.datasets.notice", "display")


@cache
def cells(name):
    """The code that a reader sees: without parameters and exercises."""
    node = read_source(find_notebook(ROOT, name))
    return [
        cell.source
        for cell in node.cells
        if cell.cell_type == "code" and cell.source.strip() and not has_tag(cell, "parameters", *EXERCISE)
    ]


def statements(name):
    return [statement for source in cells(name) for statement in ast.parse(source).body]


def is_import(statement):
    return isinstance(statement, ast.Import | ast.ImportFrom)


def is_analysis(statement):
    """Whether something is loaded, computed or looked at, and not only written for a page."""
    if is_import(statement) or any(isinstance(node, ast.JoinedStr) for node in ast.walk(statement)):
        return False
    return not (isinstance(statement, ast.Expr) and ast.unparse(statement).startswith(SHOWS))


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_cells_are_short(name):
    assert max(len(source.splitlines()) for source in cells(name)) <= 15


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_most_lines_are_analysis(name):
    lines = {
        kind: sum(each.end_lineno - each.lineno + 1 for each in statements(name) if is_analysis(each) is kind)
        for kind in (True, False)
    }
    assert lines[True] >= 0.6 * sum(lines.values()), lines


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_parameters_and_imports_are_few_and_public(name):
    node = read_source(find_notebook(ROOT, name))
    assert len(ast.parse(parameters_cell(node).source).body) <= 8
    imports = [statement for statement in statements(name) if is_import(statement)]
    assert len(imports) <= 6
    modules = [statement.module for statement in imports if isinstance(statement, ast.ImportFrom)]
    assert [each for each in modules if each.startswith("genexpy_nb") and each not in OWN] == []


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_prose_is_no_code(name):
    assert not any("say(" in source or "Markdown(" in source for source in cells(name))
