"""Notebooks for students: the same text and code, without solutions, explanations and outputs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from textwrap import dedent
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from genexpy_nb.common.errors import DataError
from genexpy_nb.reporting.lessons.cells import EXPLANATION, Exercise, assigned, has_tag
from genexpy_nb.reporting.pairing import normalise

STUB = "...  # your answer"
_BEGIN = re.compile(r"^(\s*)### BEGIN SOLUTION\s*$")
_END = re.compile(r"^\s*### END SOLUTION\s*$")
POINTS = {"Understanding": 1, "Application": 2, "Project": 3}

_HOW = """\
> **This is your copy.** Run the notebook from top to bottom; nothing has been run yet. The exercises are at its end.
>
> For each exercise, write your answer where the three dots stand, and run that cell. Then run the cell below it: it
> says whether the answer is right, and gives a hint if it is not. Nothing is sent anywhere, and you may try as often
> as you like. Where a reason or a drawing is asked for, too, add a cell of your own.
>
> {answers}
>
> Before you hand it in: restart the kernel, run all cells, and see that each check still says what it should."""


def student_notebook(node: NotebookNode, exercises: tuple[Exercise, ...], name: str) -> NotebookNode:
    """Make the copy of a notebook that students get."""
    made, told = deepcopy(node), {}
    for exercise in exercises:
        lacking = list(exercise.names)
        for number, place in enumerate(exercise.solutions, start=1):
            source = _stubbed(made.cells[place].source, f"{name}, cell {place + 1}")
            lacking = [each for each in lacking if each not in assigned(source)]
            made.cells[place].source = source
            part = "" if len(exercise.solutions) == 1 else f"-{number}"
            told[id(made.cells[place])] = _for_nbgrader(f"answer-{name[:2]}-{exercise.number}{part}", solution=True)
        if lacking:  # all of it would be in the part that is left out of a function or a loop
            raise DataError(f"{name}, exercise {exercise.number}: {lacking[0]} would not be in the student notebook")
        points = POINTS[exercise.kind]
        told[id(made.cells[exercise.check])] = _for_nbgrader(f"check-{name[:2]}-{exercise.number}", points=points)
    kept = [cell for cell in made.cells if not has_tag(cell, EXPLANATION)]
    metadata = [told.get(id(cell)) for cell in kept]
    made.cells = [new_markdown_cell(_HOW.format(answers=_to_assign(exercises))), *kept]
    for cell in made.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    made = normalise(made)
    for cell, nbgrader in zip(made.cells[1:], metadata, strict=True):
        if nbgrader:
            cell.metadata["nbgrader"] = nbgrader
    return made


def _to_assign(exercises: tuple[Exercise, ...]) -> str:
    minutes = sum(exercise.minutes for exercise in exercises)
    names = ", ".join(f"`{name}`" for exercise in exercises for name in exercise.names)
    count = f"{len(exercises)} exercises" if len(exercises) != 1 else "One exercise"
    return f"{count}, about {minutes} minutes. To be assigned: {names}."


def _for_nbgrader(identifier: str, solution: bool = False, points: int | None = None) -> dict[str, Any]:
    """What nbgrader wants to know of a cell, in the third edition of its format."""
    told = {
        "cell_type": "code",
        "grade": not solution,
        "grade_id": identifier,
        "locked": not solution,
        "schema_version": 3,
        "solution": solution,
        "task": False,
    }
    return told if points is None else told | {"points": points}


def _stubbed(source: str, where: str) -> str:
    """A solution without what solves the exercise."""
    lines = source.splitlines()
    if not any(_BEGIN.match(line) or _END.match(line) for line in lines):
        return "\n".join(f"{name} = {STUB}" for name in assigned(source)) or STUB
    return "\n".join(_outside(lines, where))


def _outside(lines: list[str], where: str) -> Iterator[str]:
    """Lines outside the marked parts, each of which gives way to its stubs."""
    indent: str | None = None
    inside: list[str] = []
    for line in lines:
        begins, ends = _BEGIN.match(line), _END.match(line)
        if (begins and indent is not None) or (ends and indent is None):
            raise DataError(f"{where}: {line.strip()} where there should be the other one")
        if begins:
            indent, inside = begins[1], []
        elif ends:
            names = assigned(dedent("\n".join(inside)))
            yield from (f"{indent}{name} = {STUB}" for name in names) if names else [f"{indent}{STUB}"]
            indent = None
        elif indent is None:
            yield line
        else:
            inside.append(line)
    if indent is not None:
        raise DataError(f"{where}: ### BEGIN SOLUTION without ### END SOLUTION")
