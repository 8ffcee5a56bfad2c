"""A course by nbgrader: student notebooks are handed out, answered rightly, by half and not at all, and graded."""

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
#: Who hands in what: the numbers of the exercises that were answered.
STUDENTS = {"right": (1, 3), "half": (3,), "untouched": ()}

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
    of = {each.number: node.cells[each.solutions[0]].source for each in exercises}
    for name, numbers in STUDENTS.items():
        file = tmp_path / "submitted" / name / "ps1" / source.name
        file.parent.mkdir(parents=True)
        given = {f"answer-{NAME[:2]}-{number}": of[number] for number in numbers}
        file.write_text(answered(handed_out, given), encoding="utf-8")
        assert course.autograde("ps1", name)["success"]
    points = {each.number: POINTS[each.kind] for each in exercises}
    with Gradebook(f"sqlite:///{tmp_path / 'gradebook.db'}") as gradebook:
        scores = {each.student_id: each.score for each in gradebook.assignment_submissions("ps1")}
    assert scores == {name: sum(points[number] for number in numbers) for name, numbers in STUDENTS.items()}
    assert scores["right"] > scores["half"] > scores["untouched"] == 0
