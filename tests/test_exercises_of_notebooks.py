"""Exercises of this project's notebooks: solved they are right, untouched they are not, and students get no answers.

That a solution gives what its committed check says is seen by nbval, which runs every committed notebook, solutions
included, and compares. Here no notebook is run: only its checks are, which need nothing else.
"""

import ast
import json
import re
import tomllib
from copy import deepcopy
from functools import cache
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_notebook

import genexpy_nb as gx
from genexpy_nb.common.exercises import FOLDER, RIGHT, UNANSWERED
from genexpy_nb.reporting.html import Page, to_html
from genexpy_nb.reporting.lessons import assigned, read_lesson, student_notebook
from genexpy_nb.reporting.pairing import dumps, find_notebook, has_tag, without_answers
from genexpy_nb.reporting.references import opening
from genexpy_nb.reporting.spec import load_reports

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted(file.stem for file in (ROOT / "notebooks").glob("[0-9][0-9]_*.py"))
#: The sections with which each notebook ends; exercises stand before, between or after them.
END = ["Summary", "Further reading"]
read = cache(lambda name: read_lesson(find_notebook(ROOT, name)))
#: What is told of each exercise of a notebook, by its number.
told = cache(lambda name: tomllib.loads((FOLDER / f"{name[:2]}.toml").read_text(encoding="utf-8")))


def said(source, answers):
    """What a check says of answers, without the rest of its notebook."""
    return eval(source, {"gx": gx, "np": np, "pd": pd, **answers})


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_every_notebook_is_a_chapter(name):
    node, found = read(name)
    texts = [cell.source for cell in node.cells if cell.cell_type == "markdown"]
    said = opening(texts[0])
    assert all(said.values()), said
    headings = re.findall(r"^## (.+)$", "\n".join(texts), flags=re.MULTILINE)
    assert [each for each in headings if each in END] == END and headings[-1] == END[-1]
    assert (2 if name.startswith("00") else 3) <= len(found) <= 6
    kinds = [each.kind for each in found]
    assert "Understanding" in kinds and (kinds[-1] == "Project" or name.startswith("00"))
    assert list(told(name)) == [str(each.number) for each in found]
    assert any("wrong" in each for each in told(name).values())  # a usual mistake is explained
    assert len(re.findall(r"\]\(https://", texts[-1].split("## Further reading")[1])) >= 2


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_every_solution_is_right(name):
    _, found = read(name)
    cells = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4).cells
    shown = {each.number: [output.data["text/markdown"] for output in cells[each.check].outputs] for each in found}
    assert shown == {each.number: [RIGHT] for each in found}


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_no_exercise_is_right_untouched_or_by_chance(name):
    node, found = read(name)
    for each in found:
        source = node.cells[each.check].source
        untouched = said(source, dict.fromkeys(each.names, ...))
        assert untouched.startswith(UNANSWERED), f"exercise {each.number}: {untouched}"
        for wrong in ("no answer", -12345.678, [], {"no": "answer"}, lambda *given, **named: "no answer"):
            assert said(source, dict.fromkeys(each.names, wrong)) != RIGHT, f"exercise {each.number}: {wrong!r}"


def code_lines(source):
    """Lines that say something: not a bracket, not a name alone."""
    lines = (line.strip() for line in source.splitlines())
    return {line for line in lines if len(line) > 12 and not line.startswith("#")}


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_students_get_no_solution(name):
    node, found = read(name)
    made = student_notebook(node, found, name, solutions=False)
    nbformat.validate(made)
    text = dumps(made)
    told = code_lines("\n".join(cell.source for cell in without_answers(node).cells))
    told |= code_lines("\n".join(cell.source for cell in made.cells if has_tag(cell, "solution")))  # scaffolds
    secret = [node.cells[place].source for each in found for place in each.solutions]
    secret += [node.cells[each.explanation].source for each in found]
    for source in secret:
        lines = code_lines(source) - told
        assert not [line for line in lines if json.dumps(line, ensure_ascii=False)[1:-1] in text and len(line) > 24]
        assert not lines & code_lines("\n".join(cell.source for cell in made.cells))
    assert all(f"{answer} = ..." in text for each in found for answer in each.names)
    assert "SOLUTION" not in text and not any(cell.get("outputs") for cell in made.cells)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_hints_do_not_say_the_answer(name):
    """Where the answer is a text or a number that the solution writes down: it stands in no hint beside it."""
    node, found = read(name)
    for each in found:
        about = told(name)[str(each.number)]
        first, second = about["hints"]
        assert first != second and min(len(first), len(second)) > 20
        hints = " ".join([first, second, *about.get("exactly", {}).values(), *about.get("wrong", {}).values()])
        for place in each.solutions:
            for line in ast.parse(node.cells[place].source).body:
                if (
                    assigned(ast.unparse(line))
                    and isinstance(line, ast.Assign)
                    and isinstance(line.value, ast.Constant)
                ):
                    answer = str(line.value.value)
                    assert len(answer) < 2 or not re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", hints), each.number


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_no_number_of_a_hint_is_the_answer(name):
    for number, about in told(name).items():
        for value in set(re.findall(r"(?<![\w.])\d*\.?\d+(?![\w.]*\w)", " ".join(about["hints"]))):
            assert gx.check(f"{name[:2]}-{number}", float(value)) != RIGHT, (number, value)


def test_explanations_are_valid_and_lead_somewhere():
    """They stand on no report; one page holds those of all notebooks."""
    cells = [deepcopy(read(name)[0].cells[each.explanation]) for name in NOTEBOOKS for each in read(name)[1]]
    for number, cell in enumerate(cells):
        cell.id = f"c{number:03d}"
    report = next(iter(load_reports(ROOT).values()))
    html, problems = to_html(new_notebook(cells=cells), Page(report, [], "now", lessons=True))
    assert [problem for problem in problems if "the text refers to" not in problem] == []
    assert len(BeautifulSoup(html, "html.parser").select(".celltag_explanation")) == len(cells)
