"""Units of ten minutes: each is small, runs without the rest of its notebook, and has a word for each option."""

import ast
import subprocess
import sys
import tomllib
from functools import cache
from itertools import pairwise

import nbformat
import pytest
from project_prose import ROOT

import genexpy_nb as gx
from genexpy_nb.common.errors import DataError, ParameterError
from genexpy_nb.common.exercises import FOLDER, RIGHT, UNANSWERED, WRONG, read_quiz
from genexpy_nb.reporting.html import with_folded_answers
from genexpy_nb.reporting.lessons import read_lesson, student_notebook
from genexpy_nb.reporting.pairing import Unit, find_notebook, has_tag, normalise, read_units, unit_notebook, unit_page

UNITS = read_units(ROOT / "notebooks")
read = cache(lambda name: read_lesson(find_notebook(ROOT, name)))
students = cache(lambda name: student_notebook(*read(name), name))


def made(unit):
    return unit_notebook(students(unit.notebook), unit)


def code(node):
    return "\n\n".join(cell.source for cell in node.cells if cell.cell_type == "code")


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_a_unit_is_small_and_needs_nothing_from_elsewhere(unit, tmp_path):
    node = made(unit)
    assert len(node.cells) <= 30
    file = tmp_path / "unit.py"
    file.write_text(code(node), encoding="utf-8")
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "F821", str(file)]  # undefined names
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    folded = [cell for cell in node.cells if cell.metadata.get("jupyter")]
    shown = [cell.source for cell in node.cells if cell.cell_type == "code" and cell not in folded]
    assert folded and not any("show_" in cell.source or "gx.check" in cell.source for cell in folded)
    source = code(read(unit.notebook)[0])
    assert all(each in source for each in shown if "= ..." not in each)


def test_only_what_is_needed_comes_from_before():
    folded = next(cell.source for cell in made(UNITS["u05"]).cells if cell.metadata.get("jupyter"))
    tree = ast.parse(folded)
    bound = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    assert bound == {"n_drawn", "n_draws", "seed"}  # of the splits, models and scores before it nothing


@pytest.mark.notebooks
# of all, ruff has seen above that they name nothing that is not there
@pytest.mark.parametrize("name", ["u07", *(pytest.param(name, marks=pytest.mark.slow) for name in ("u05", "u10"))])
def test_a_unit_runs(name):
    how = "import matplotlib; matplotlib.use('agg')\ndisplay = print\n"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", how + code(made(UNITS[name]))],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]


def test_a_section_that_is_not_there_is_named():
    unit = Unit("u01", "Nothing", "00_start_here", ("No such section",), 5)
    with pytest.raises(DataError, match="no section 'No such section'"):
        made(unit)
    with pytest.raises(ParameterError, match="no table \\[u99\\]"):
        unit_page(read(unit.notebook)[0], Unit("u99", "x", "00_start_here", ("Summary",), 5))


@pytest.mark.parametrize("name", UNITS)
def test_each_option_of_a_quiz_has_an_answer_of_its_own(name):
    quiz = read_quiz(name)
    assert list(quiz) == ["1", "2", "3"]
    for number, asked in quiz.items():
        letters = [letter for letter, *_ in asked["options"]]
        assert letters == ["a", "b", "c"] and asked["right"] in letters
        assert len({said for *_, said in asked["options"]}) == 3
        assert gx.check(f"{name}-{number}", ...).startswith(UNANSWERED)
        assert gx.check(f"{name}-{number}", 7) == f"{WRONG} One of the letters a, b, c is wanted."
        for letter, _, said in asked["options"]:
            verdict = RIGHT if letter == asked["right"] else WRONG
            for written in (letter, f"({letter.upper()})", f" {letter}. "):
                assert gx.check(f"{name}-{number}", written) == f"{verdict} {said}"


def test_quizzes_are_of_units_and_their_right_letters_vary():
    quizzes = tomllib.loads((FOLDER / "units.toml").read_text(encoding="utf-8"))
    assert list(quizzes) == list(UNITS)
    right = [asked["right"] for quiz in quizzes.values() for asked in quiz.values()]
    assert min(right.count(letter) for letter in "abc") >= len(right) / 4


@pytest.mark.parametrize("name", UNITS)
def test_the_page_of_a_unit_folds_the_hints_of_its_own_exercises(name):
    unit = UNITS[name]
    pair = find_notebook(ROOT, unit.notebook)
    page = unit_page(normalise(nbformat.read(pair.ipynb, as_version=4)), unit)
    told = tomllib.loads((FOLDER / f"{unit.notebook[:2]}.toml").read_text(encoding="utf-8"))
    cells = with_folded_answers(page, pair).cells
    folded = [below.source for cell, below in pairwise(cells) if has_tag(cell, "exercise")]
    numbers = [each.split()[1] for each in unit.sections if each.startswith("Exercise")]
    assert len(folded) == len(numbers)
    for number, source in zip(numbers, folded, strict=True):
        assert [hint in source for hint in told[number]["hints"]] == [True, True]
        others = {hint for other in told.keys() - {number} for hint in told[other]["hints"]}
        assert not [hint for hint in others if hint in source]
