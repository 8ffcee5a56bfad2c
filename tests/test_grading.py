"""A course by nbgrader: a student notebook is handed out, answered in part, and graded."""

import logging
import os
import sys
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from traitlets.config import Config

from genexpy_nb.reporting.lessons import POINTS, read_lesson, student_notebook
from genexpy_nb.reporting.pairing import dumps, find_notebook

ROOT = Path(__file__).resolve().parents[1]
NAME = "00_start_here"
#: The number of the exercise that is answered; the others are left as they were.
ANSWERED = 3

pytestmark = pytest.mark.notebooks


def only_exercises(node):
    """The notebook of students without the analysis, which their answers here do not need."""
    cells = [cell for cell in node.cells if "nbgrader" in cell.metadata]
    first = nbformat.v4.new_code_cell("import genexpy_nb as gx", id="first")
    return nbformat.from_dict({**node, "cells": [first, *cells]})


def answered(handed_out, solutions):
    """A student's copy with some answers filled in."""
    node = nbformat.reads(handed_out, as_version=4)
    for cell in node.cells:
        identifier = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        cell.source = solutions.get(identifier, cell.source)
    return nbformat.writes(node)


@pytest.mark.slow
def test_what_students_hand_in_is_graded(tmp_path, monkeypatch):
    node, exercises = read_lesson(find_notebook(ROOT, NAME))
    student = only_exercises(student_notebook(node, exercises, NAME, solutions=False))
    source = tmp_path / "source" / "ps1" / f"{NAME}.ipynb"
    source.parent.mkdir(parents=True)
    source.write_text(dumps(student), encoding="utf-8")
    config = Config()
    config.CourseDirectory.root = str(tmp_path)
    config.ClearSolutions.enabled = False  # the dots are ours
    config.Application.log_level = logging.ERROR
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))  # of alembic
    course = NbGraderAPI(config=config)
    assert course.generate_assignment("ps1")["success"]
    handed_out = (tmp_path / "release" / "ps1" / source.name).read_text(encoding="utf-8")
    solutions = {each.number: node.cells[each.solutions[0]].source for each in exercises}
    file = tmp_path / "submitted" / "somebody" / "ps1" / source.name
    file.parent.mkdir(parents=True)
    file.write_text(answered(handed_out, {f"answer-{NAME[:2]}-{ANSWERED}": solutions[ANSWERED]}), encoding="utf-8")
    assert course.autograde("ps1", "somebody")["success"]
    points = {each.number: POINTS[each.kind] for each in exercises}
    with Gradebook(f"sqlite:///{tmp_path / 'gradebook.db'}") as gradebook:
        (submitted,) = gradebook.assignment_submissions("ps1")
        (notebook,) = submitted.notebooks
        scores = {int(grade.name[-1]): grade.score for grade in notebook.grades}
    assert len(scores) > 1 and scores == {number: points[number] * (number == ANSWERED) for number in points}
