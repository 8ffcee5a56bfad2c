"""``genexpy-nb lessons``: student notebooks, pages for lecturers, slides, units, and a page that links them.

An exercise is a run of cells with tags: a question (``exercise``), its ``solution``, one ``check``, one
``explanation``. It stands wherever it fits in the notebook.
"""

from __future__ import annotations

import ast
import base64
import hashlib
import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import dedent
from typing import Any

import nbformat
from bs4 import BeautifulSoup, Tag
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from genexpy_nb.common.errors import DataError, ParameterError, not_written
from genexpy_nb.common.files import write_atomically
from genexpy_nb.common.page import NAMESPACE, page_object
from genexpy_nb.common.parallel import in_parallel
from genexpy_nb.common.prose import verbatim
from genexpy_nb.reporting import pairing
from genexpy_nb.reporting.dressing import dress_objects, dress_tables, link_pages, new_element
from genexpy_nb.reporting.html import (
    POLICY,
    TEMPLATES,
    Exporter,
    Page,
    describe_images,
    fonts,
    mark_objects,
    to_html,
    typeset,
    without_controls,
)
from genexpy_nb.reporting.inert import printable
from genexpy_nb.reporting.overviews import inline, to_page
from genexpy_nb.reporting.pairing import check
from genexpy_nb.reporting.references import Site, opening, read_numbers
from genexpy_nb.reporting.spec import Report, load_reports


@dataclass(frozen=True)
class Exercise:
    """An exercise, and where its cells are."""

    number: int
    title: str
    kind: str
    minutes: int
    names: tuple[str, ...]
    question: int
    solutions: tuple[int, ...]
    check: int
    explanation: int


@dataclass(frozen=True)
class _Texts:
    """What is written for one notebook."""

    name: str
    exercises: tuple[Exercise, ...]
    student: str
    page: str = ""
    slides: str = ""
    units: tuple[tuple[str, str, str], ...] = ()
    problems: tuple[str, ...] = ()


# --- the command ------------------------------------------------------------------------------------------------------


def write_lessons(
    root: Path,
    names: Iterable[str] = (),
    output: Path | None = None,
    say: Callable[[str], None] = print,
    solutions: bool = True,
    pages: bool = True,
) -> Path:
    """Write student notebooks; and pages for lecturers, slides, units, and a page that links all. Nothing is run."""
    pairs = [pairing.find_notebook(root, name) for name in dict.fromkeys(names)] or pairing.list_notebooks(root)
    folder = (output or Path("lessons")).resolve()
    if folder in (root.resolve(), *(path.resolve() for path in (root / "notebooks", root / "reports"))):
        raise ParameterError(f"-o {folder}: a folder of its own is needed; files of the project are in this one")
    # of each notebook with the defaults; links lead to pages for lecturers
    known = {report.notebook.name: report for report in reversed(load_reports(root).values()) if not report.changed}
    titled = {
        pair.name: known.get(pair.name) or Report(pair.name, pair.name[3:].replace("_", " "), "", pair, (), {})
        for pair in pairing.list_notebooks(root)
    }
    site = Site(tuple((name, name, report.title) for name, report in titled.items()))
    reports = {name: replace(report, site=site) for name, report in titled.items()}
    items = [(reports[pair.name], solutions, pages) for pair in pairs]
    jobs = min(len(items), os.cpu_count() or 1)
    made: list[_Texts] = list(in_parallel(_texts, items, n_jobs=jobs if pages and len(items) > 2 else 1))
    if problems := [problem for texts in made for problem in texts.problems]:
        raise DataError("; ".join(problems))
    try:
        for texts in made:
            write_atomically(folder / "students" / f"{texts.name}.ipynb", texts.student)
            if not pages:
                say(_counted(texts))
                continue
            write_atomically(folder / "instructors" / f"{texts.name}.html", texts.page)
            slides = folder / "slides" / f"{texts.name}.html"
            if texts.slides:
                write_atomically(slides, texts.slides)
            else:
                slides.unlink(missing_ok=True)
            for name, notebook, page in texts.units:
                write_atomically(folder / "units" / f"{name}.ipynb", notebook)
                write_atomically(folder / "units" / f"{name}.html", page)
            n_slides = texts.slides.count('<section aria-label="Slide ')
            say(f"{_counted(texts)}, {n_slides} slide{'s' * (n_slides != 1)}")
        if pages:
            write_atomically(folder / "index.html", _index(folder, reports))
    except OSError as error:
        raise not_written(folder, error) from None
    return folder / ("index.html" if pages else "students")


def _counted(texts: _Texts) -> str:
    n = len(texts.exercises)
    return f"{texts.name}: {n} exercise{'s' * (n != 1)}"


def read_lesson(notebook: pairing.NotebookFile) -> tuple[NotebookNode, tuple[Exercise, ...]]:
    """Read a notebook's inputs and its exercises."""
    node = pairing.read_source(notebook)
    return node, read_exercises(node, notebook.name)


def _texts(asked: tuple[Report, bool, bool]) -> _Texts:
    """Make everything for one notebook, in whichever process."""
    report, solutions, pages = asked
    pair = report.notebook
    _, exercises = read_lesson(pair)
    if pair.py.is_file() and (problems := check(pair)):
        raise DataError(f"notebooks/{problems[0]} (genexpy-nb notebooks sync {pair.name} makes it anew)")
    node = pairing.normalise(nbformat.read(pair.ipynb, as_version=4))
    student = student_notebook(pairing.filled(node), exercises, pair.name, solutions)
    student_text = pairing.dumps(student)
    if not pages:
        return _Texts(pair.name, exercises, student_text)
    made_of = f"made of the outputs in notebooks/{pair.ipynb.name}; nothing was run for it"
    page, problems = to_html(node, Page(report, (), made_of, index=False, lessons=True))
    above = Site(tuple((name, f"../instructors/{page}", title) for name, page, title in report.site.pages))
    slides, more = to_slides(node, read_deck(pair), replace(report, site=above))
    units = []
    for unit in (each for each in pairing.read_units(pair.py.parent).values() if each.notebook == pair.name):
        about = f"{unit.minutes} minutes, from notebook {pair.name[:2]}. The notebook to work in is {unit.name}.ipynb."
        unit_report = replace(report, title=unit.title, description=about, site=Site())
        unit_page, _ = to_html(pairing.unit_page(node, unit), Page(unit_report, (), made_of, index=False))
        units.append((unit.name, pairing.dumps(pairing.unit_notebook(student, unit)), unit_page))
    return _Texts(pair.name, exercises, student_text, page, slides, tuple(units), tuple(problems + more))


def _index(folder: Path, reports: Mapping[str, Report]) -> str:
    """The page that links all that is in the folder, whenever it was written."""
    lessons: dict[str, dict[str, Any]] = {}
    for name, report in reports.items():
        if (folder / "instructors" / f"{name}.html").is_file():
            node, exercises = read_lesson(report.notebook)
            said = opening("\n\n".join(cell.source for cell in node.cells[:3] if cell.cell_type == "markdown"))
            slides = (folder / "slides" / f"{name}.html").is_file()
            lesson = {"name": name, "title": report.title, "exercises": exercises, "slides": slides}
            times = {"minutes to read": said["reading"], "with the exercises": said["with_exercises"]}
            time = ", ".join(f"{minutes} {what}" for what, minutes in times.items() if minutes)
            lessons[name] = {**lesson, "time": time, "need": said["need"]}
    count = sum(len(lesson["exercises"]) for lesson in lessons.values())
    known = pairing.read_units(next(iter(reports.values())).notebook.py.parent)
    units = [unit for unit in known.values() if unit.notebook in lessons]
    shown = {"lessons": list(lessons.values()), "units": units, "count": count, "inline": inline}
    return to_page("lessons.html", heading="Lessons", **shown)


# --- exercises --------------------------------------------------------------------------------------------------------

POINTS = {"Understanding": 1, "Application": 2, "Project": 3}  # of each kind of exercise
_TAGS = ("exercise", *pairing.ANSWERS)
_TITLE = re.compile(r"^### Exercise (\d+): (.+)$", re.MULTILINE)
_KIND = re.compile(rf"^\*({'|'.join(POINTS)}) · (\d+) minutes?\.?\*", re.MULTILINE)


def read_exercises(node: NotebookNode, name: str) -> tuple[Exercise, ...]:
    """Find the exercises of a notebook, and see that each is complete."""
    found: list[list[tuple[int, str]]] = []
    for place, cell in enumerate(node.cells):
        where, tags = f"{name}, cell {place + 1}", [tag for tag in _TAGS if pairing.has_tag(cell, tag)]
        if not tags or (tags == ["exercise"] and cell.source.startswith("## ")):  # an introduction to all of them
            continue
        if len(tags) > 1:
            raise DataError(f"{where}: a cell is one of {' and '.join(tags)}, not both")
        is_text = tags[0] in ("exercise", "explanation")
        if is_text != (cell.cell_type == "markdown"):
            raise DataError(f"{where}: a cell tagged {tags[0]} is {'text' if is_text else 'code'}")
        if tags[0] == "exercise":
            found.append([])
        elif not found:
            raise DataError(f"{where}: its tag is {tags[0]}, but there is no exercise above it")
        found[-1].append((place, tags[0]))
    return tuple(_exercise(node, name, number, cells) for number, cells in enumerate(found, start=1))


def _exercise(node: NotebookNode, name: str, number: int, cells: list[tuple[int, str]]) -> Exercise:
    places = [place for place, _ in cells]
    where = f"{name}, exercise {number} (cell {places[0] + 1})"
    in_a_row = places == list(range(places[0], places[0] + len(places)))
    if not in_a_row or not re.fullmatch("exercise( solution)+ check explanation", " ".join(tag for _, tag in cells)):
        raise DataError(f"{where}: its cells follow each other as exercise, solution, check, explanation")
    question, *solutions, the_check, explanation = places
    title, kind = (pattern.search(node.cells[question].source) for pattern in (_TITLE, _KIND))
    if title is None or int(title[1]) != number:
        raise DataError(f"{where}: its heading must be '### Exercise {number}: Title'")
    if kind is None:
        raise DataError(f"{where}: its text begins with '*{'|'.join(POINTS)} · 5 minutes.*'")
    names = _asked(node.cells[the_check].source, f"{name[:2]}-{number}", where)
    solved = {name for place in solutions for name in assigned(node.cells[place].source)}
    if lacking := [name for name in names if name not in solved]:
        raise DataError(f"{where}: its check asks for {lacking[0]}, which its solution does not assign")
    told = (number, title[2].strip(), kind[1], int(kind[2]), names)
    return Exercise(*told, question, tuple(solutions), the_check, explanation)


def _asked(source: str, exercise: str, where: str) -> tuple[str, ...]:
    """The answers that a check asks for, after a look at its form."""
    names: list[str] = []
    with suppress(SyntaxError, ValueError, AttributeError, IndexError):
        (statement,) = ast.parse(source).body
        call = statement.value  # type: ignore[attr-defined]
        if ast.unparse(call.func) == "gx.check" and ast.literal_eval(call.args[0]) == exercise:
            read = [n for n in ast.walk(call) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
            names = [node.id for node in read if node.id.startswith("answer_")]
    if not names:
        raise DataError(f'{where}: its check must be one call, gx.check("{exercise}", answer_...)')
    return tuple(dict.fromkeys(names))


def assigned(source: str) -> list[str]:
    """Return the names ``answer_...`` that code binds, in the order in which they stand in it."""
    names: list[str] = []
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):  # what is inside is no answer
            names.append(statement.name)
            continue
        stored = [n for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        names += [node.id for node in sorted(stored, key=lambda node: (node.lineno, node.col_offset))]
    return list(dict.fromkeys(name for name in names if re.fullmatch(r"answer_\w+", name)))


# --- notebooks for students -------------------------------------------------------------------------------------------

STUB = "...  # your answer"
_MARKED = re.compile(
    r"^(?P<indent>[ \t]*)### BEGIN SOLUTION[ \t]*\n(?P<inside>.*?)^[ \t]*### END SOLUTION[ \t]*$", re.M | re.S
)

_MARKS = re.compile(r"^[ \t]*### (BEGIN|END) SOLUTION[ \t]*\n?", re.M)

_HOW = """\
> **This is your copy.** Run the notebook from top to bottom; nothing has been run yet. An exercise stands
> after the section that it is about, or at the end.
>
> For each exercise, write your answer where the three dots stand, and run that cell. Then run the cell below it: it
> says whether the answer is right. If it is not, it gives a hint, and after another answer a second one.{folded}
> Nothing is sent anywhere, and you may try as often as you like. Where a reason or a drawing is asked for, too, add a
> cell of your own.
>
> {answers}
>
> Before you hand it in: restart the kernel, run all cells, and see that each check still says what it should."""


_FOLDED = " Below it a worked solution is folded, for afterwards."

_WORKED = """\
<details><summary>Worked solution</summary>

```python
{code}
```

{explanation}

</details>"""


def student_notebook(
    node: NotebookNode, exercises: tuple[Exercise, ...], name: str, solutions: bool = True
) -> NotebookNode:
    """Make the copy of a notebook that students get: dots for solutions, which are folded below checks, no output."""
    made, told = deepcopy(node), {}
    for exercise in exercises:
        lacking = set(exercise.names)
        for number, place in enumerate(exercise.solutions, start=1):
            made.cells[place].source = _stubbed(made.cells[place].source, f"{name}, cell {place + 1}")
            lacking -= set(assigned(made.cells[place].source))
            part = "" if len(exercise.solutions) == 1 else f"-{number}"
            told[id(made.cells[place])] = _for_nbgrader(f"answer-{name[:2]}-{exercise.number}{part}", solution=True)
        if lacking:  # all of it would be in the part that is left out of a function or a loop
            what = sorted(lacking)[0]
            raise DataError(f"{name}, exercise {exercise.number}: {what} would not be in the student notebook")
        points = POINTS[exercise.kind]
        told[id(made.cells[exercise.check])] = _for_nbgrader(f"check-{name[:2]}-{exercise.number}", points=points)
        code = "\n\n".join(_MARKS.sub("", node.cells[place].source).strip() for place in exercise.solutions)
        why = made.cells[exercise.explanation]  # the solution and why it is right, which a click opens
        why.source = _WORKED.format(code=code, explanation=why.source)
    kept = [cell for cell in made.cells if solutions or not pairing.has_tag(cell, "explanation")]
    metadata = [None, *(told.get(id(cell)) for cell in kept)]
    names = ", ".join(f"`{name}`" for exercise in exercises for name in exercise.names)
    count = f"{len(exercises)} exercises" if len(exercises) != 1 else "One exercise"
    answers = f"{count}, about {sum(each.minutes for each in exercises)} minutes. To be assigned: {names}."
    how = _HOW.format(answers=answers, folded=_FOLDED if solutions else "")
    made.cells = [new_markdown_cell(how), *kept]
    for cell in made.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    made = pairing.normalise(made)
    for cell, nbgrader in zip(made.cells, metadata, strict=True):
        if nbgrader:
            cell.metadata["nbgrader"] = nbgrader
    return made


def _for_nbgrader(identifier: str, solution: bool = False, points: int | None = None) -> dict[str, Any]:
    """What nbgrader wants to know of a cell, in the third edition of its format."""
    told = {"cell_type": "code", "grade": not solution, "grade_id": identifier, "locked": not solution}
    told |= {"schema_version": 3, "solution": solution, "task": False}
    return told if points is None else told | {"points": points}


def _stubbed(source: str, where: str) -> str:
    """A solution without what solves the exercise: all of it, or the marked parts."""
    stubbed, count = _MARKED.subn(_stubs, source)
    if re.search(r"### (BEGIN|END) SOLUTION", stubbed):
        raise DataError(f"{where}: ### BEGIN SOLUTION and ### END SOLUTION must come in pairs")
    return stubbed if count else "\n".join(f"{name} = {STUB}" for name in assigned(source)) or STUB


def _stubs(marked: re.Match[str]) -> str:
    names = assigned(dedent(marked["inside"]))
    return "\n".join(f"{marked['indent']}{line}" for line in [f"{name} = {STUB}" for name in names] or [STUB])


# --- slides -----------------------------------------------------------------------------------------------------------

#: The folder, beside the notebooks, with the decks: one Markdown file each, slides apart by lines of three hyphens.
DECKS = "slides"
MOST_WORDS = 40  # on a slide, without its heading and notes for the speaker
_FIGURE = re.compile(r"^!\[\]\(figure:([a-z][a-z0-9-]*)\)[ \t]*$", re.MULTILINE)
_NUMBER = re.compile(r"\{number\}`([a-z][a-z0-9-]*)`")
_NOTES = re.compile(r"^Notes: (.+)\Z", re.MULTILINE | re.DOTALL)
#: Keys turn slides, r reveals what is folded, n shows the notes for the speaker.
_KEYS = """
const slides = [...document.querySelectorAll('.slide')];
document.addEventListener('keydown', event => {
  const at = slides.findIndex(slide => slide.getBoundingClientRect().top > -innerHeight / 2);
  const to = {ArrowRight: 1, ArrowDown: 1, PageDown: 1, ' ': 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1}[event.key];
  if (to && event.target.tagName !== 'SUMMARY') {
    event.preventDefault();
    slides[at + to]?.scrollIntoView({behavior: 'instant'});
  }
  if (event.key === 'r') slides[at].querySelectorAll('.slide-body details').forEach(part => part.open = !part.open);
  if (event.key === 'n') document.body.classList.toggle('with-notes');
});
"""


def read_deck(notebook: pairing.NotebookFile) -> list[str]:
    """Read the slides that were written for a notebook; none, if there are none."""
    file = notebook.source.parent / DECKS / f"{notebook.name}.md"
    return re.split(r"^---\n", file.read_text(encoding="utf-8"), flags=re.MULTILINE) if file.is_file() else []


def to_slides(node: NotebookNode, deck: list[str], report: Report) -> tuple[str, list[str]]:
    """Return slides as one page, with figures and key numbers of an executed notebook; and what is wrong with them."""
    if not deck:
        return "", []
    outputs = [output for cell in node.cells if cell.cell_type == "code" for output in cell.outputs]
    objects = [(output, found) for output in outputs if (found := page_object(output))]
    figures = {  # open, also those that a page folds
        str(found["name"]): nbformat.from_dict(
            {**output, "metadata": {**output.metadata, NAMESPACE: {**found, "folded": ""}}}
        )
        for output, found in objects
        if found["kind"] in ("figure", "table")
    }
    known = (number for _, found in objects if "numbers" in found for number in read_numbers(found))
    numbers = {number.name: number.as_text for number in known}
    problems: list[str] = []
    cells: list[NotebookNode] = []
    for place, text in enumerate(deck, start=1):
        names = _FIGURE.findall(text)
        lacking = [name for name in names if name not in figures]
        lacking += [name for name in _NUMBER.findall(text) if name not in numbers]
        words = len(re.sub(r"^#.*$|<[^>]*>", "", _NOTES.sub("", _FIGURE.sub("", text)), flags=re.MULTILINE).split())
        where = f"slide {place} of {report.notebook.name}"
        problems += [f"{where}: the notebook has no figure or key number {name!r}" for name in lacking]
        problems += [f"{where}: {words} words, {MOST_WORDS} at most"] if words > MOST_WORDS else []
        problems += [f"{where}: {len(names)} figures, one at most"] if len(names) > 1 else []
        said = _NUMBER.sub(lambda asked: verbatim(numbers.get(asked[1], asked[1])), _NOTES.sub("", text))
        cells.append(new_markdown_cell(_FIGURE.sub("", said), metadata={"tags": ["slide"]}))
        cells += [new_code_cell("", outputs=[figures[name]]) for name in names if name in figures]
    exporter = Exporter(report.notebook.source.parent, template="lecture")
    shown = without_controls(NotebookNode({**node, "cells": cells}))
    marked = mark_objects(shown)
    hashed = base64.b64encode(hashlib.sha256(_KEYS.encode()).digest()).decode()
    resources = {
        "metadata": {"name": report.name, "path": str(report.notebook.source.parent)},
        "title": report.title,
        "policy": f"{POLICY}; script-src 'sha256-{hashed}'",
        "turning": _KEYS,
        "css": fonts() + (TEMPLATES / "lecture" / "lecture.css").read_text(encoding="utf-8"),
    }
    html, _ = exporter.from_notebook_node(shown, resources)
    soup = BeautifulSoup(html, "html.parser")
    problems += typeset(soup, exporter.formulas)
    describe_images(soup)
    dress_tables(soup)
    problems += dress_objects(soup, marked, report.name)
    link_pages(soup, report.site, report.notebook.name)
    _arrange(soup, shown, deck, report)
    return printable(str(soup)), list(dict.fromkeys([*problems, *exporter.problems]))


def _arrange(soup: BeautifulSoup, shown: NotebookNode, deck: list[str], report: Report) -> None:
    """Put the cells into slides, with notes for the speaker."""
    main = soup.main
    assert main is not None  # the template has it
    slides: list[Tag] = []
    for cell, element in zip(shown.cells, main.find_all(True, recursive=False), strict=True):
        if pairing.has_tag(cell, "slide"):
            slides.append(soup.new_tag("section", attrs={"class": "slide"}))
            slides[-1].append(soup.new_tag("div", attrs={"class": "slide-body"}))
        if element.select_one("img, .drawing"):
            element["class"] = " ".join([*element.get_attribute_list("class"), "pictured"])
        element.attrs.pop("id", None)
        slides[-1].div.append(element.extract())  # type: ignore[union-attr]
    main.clear()
    for number, (slide, text) in enumerate(zip(slides, deck, strict=True), start=1):
        slide.attrs |= {"id": f"slide-{number}", "aria-label": f"Slide {number} of {len(slides)}"}
        if slide.h1:
            slide["class"] = "slide opening"
        if notes := _NOTES.search(text):
            slide.append(new_element("aside", " ".join(notes[1].split()), {"class": "notes"}))
        footer = soup.new_tag("footer")
        footer.append(new_element("a", report.title, {"class": "whole", "href": "../index.html"}))
        for label, arrow, place in (("Slide before", "←", number - 1), ("Next slide", "→", number + 1)):
            if 1 <= place <= len(slides):
                footer.append(new_element("a", arrow, {"href": f"#slide-{place}", "aria-label": label}))
        footer.append(new_element("span", f"{number} / {len(slides)}", {}))
        slide.append(footer)
        main.append(slide)
