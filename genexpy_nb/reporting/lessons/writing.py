"""``genexpy-nb lessons``: what is written for a course, and where."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from genexpy_nb.common.errors import DataError, ParameterError, not_written
from genexpy_nb.common.files import write_atomically
from genexpy_nb.common.parallel import in_parallel
from genexpy_nb.reporting.chapters import opening
from genexpy_nb.reporting.html import Page, to_html
from genexpy_nb.reporting.lessons.cells import Exercise, read_exercises
from genexpy_nb.reporting.lessons.slides import to_slides
from genexpy_nb.reporting.lessons.students import student_notebook
from genexpy_nb.reporting.overview import inline, to_page
from genexpy_nb.reporting.pairing import (
    NotebookFile,
    check,
    dumps,
    find_notebook,
    list_notebooks,
    normalise,
    read_source,
)
from genexpy_nb.reporting.site import Site
from genexpy_nb.reporting.spec import Report, load_reports


@dataclass(frozen=True)
class Lesson:
    """A notebook as it is taught."""

    name: str
    title: str
    exercises: tuple[Exercise, ...]
    time: str = ""
    need: str = ""
    slides: bool = False


@dataclass(frozen=True)
class _Texts:
    """What is written for one notebook."""

    name: str
    exercises: tuple[Exercise, ...]
    student: str
    page: str
    slides: str
    problems: tuple[str, ...]


def read_lesson(notebook: NotebookFile) -> tuple[NotebookNode, tuple[Exercise, ...]]:
    """Read a notebook's inputs and its exercises."""
    node = read_source(notebook)
    return node, read_exercises(node, notebook.name)


def write_lessons(
    root: Path, names: Iterable[str] = (), output: Path | None = None, say: Callable[[str], None] = print
) -> Path:
    """Write student notebooks, pages for lecturers, slides, and a page that links them; nothing is run."""
    pairs = [find_notebook(root, name) for name in dict.fromkeys(names)] or list_notebooks(root)
    folder = (output or Path("lessons")).resolve()
    if folder in (root.resolve(), *(path.resolve() for path in (root / "notebooks", root / "reports"))):
        raise ParameterError(f"-o {folder}: a folder of its own is needed; files of the project are in this one")
    reports = _reports(root, list_notebooks(root))
    items = [reports[pair.name] for pair in pairs]
    jobs = min(len(items), os.cpu_count() or 1)
    made: list[_Texts] = list(in_parallel(_texts, items, n_jobs=jobs if len(items) > 2 else 1))
    if problems := [problem for texts in made for problem in texts.problems]:
        raise DataError("; ".join(problems))
    try:
        for texts in made:
            _write(folder, texts)
            say(f"{texts.name}: {_counted(texts)}")
        write_atomically(folder / "index.html", _index(folder, reports))
    except OSError as error:
        raise not_written(folder, error) from None
    return folder / "index.html"


def _index(folder: Path, reports: Mapping[str, Report]) -> str:
    """The page that links all that is in the folder, whenever it was written."""
    there = [report for name, report in reports.items() if (folder / "instructors" / f"{name}.html").is_file()]
    lessons = [_lesson(report, (folder / "slides" / f"{report.notebook.name}.html").is_file()) for report in there]
    count = sum(len(lesson.exercises) for lesson in lessons)
    return to_page("lessons.html", heading="Lessons", lessons=lessons, count=count, inline=inline)


def _lesson(report: Report, slides: bool) -> Lesson:
    node, exercises = read_lesson(report.notebook)
    said = opening("\n\n".join(cell.source for cell in node.cells[:3] if cell.cell_type == "markdown"))
    return Lesson(report.notebook.name, report.title, exercises, _time(said), str(said["need"]), slides)


def _counted(texts: _Texts) -> str:
    n_exercises, n_slides = len(texts.exercises), texts.slides.count('<section aria-label="Slide ')
    return f"{n_exercises} exercise{'' if n_exercises == 1 else 's'}, {n_slides} slide{'' if n_slides == 1 else 's'}"


def _write(folder: Path, texts: _Texts) -> None:
    name = texts.name
    write_atomically(folder / "students" / f"{name}.ipynb", texts.student)
    write_atomically(folder / "instructors" / f"{name}.html", texts.page)
    slides = folder / "slides" / f"{name}.html"
    if texts.slides:
        write_atomically(slides, texts.slides)
    else:
        slides.unlink(missing_ok=True)


def _reports(root: Path, pairs: Iterable[NotebookFile]) -> Mapping[str, Report]:
    """For each notebook its report with the defaults; its links lead to pages for lecturers."""
    pairs = list(pairs)
    known = {report.notebook.name: report for report in reversed(load_reports(root).values()) if not report.changed}
    titled = {
        pair.name: known.get(pair.name) or Report(pair.name, pair.name[3:].replace("_", " "), "", pair, (), {})
        for pair in pairs
    }
    site = Site(tuple((name, name, report.title) for name, report in titled.items()))
    return {name: replace(report, site=site) for name, report in titled.items()}


def _texts(report: Report) -> _Texts:
    """Make everything for one notebook, in whichever process."""
    pair = report.notebook
    source, exercises = read_lesson(pair)
    if pair.py.is_file() and (problems := check(pair)):
        raise DataError(f"notebooks/{problems[0]} (genexpy-nb notebooks sync {pair.name} makes it anew)")
    student = dumps(student_notebook(source, exercises, pair.name))
    node = normalise(nbformat.read(pair.ipynb, as_version=4))
    made_of = f"made of the outputs in notebooks/{pair.ipynb.name}; nothing was run for it"
    page, problems = to_html(node, Page(report, (), made_of, index=False, lessons=True))
    above = Site(tuple((name, f"../instructors/{page}", title) for name, page, title in report.site.pages))
    slides, more = to_slides(node, replace(report, site=above))
    return _Texts(pair.name, exercises, student, page, slides, tuple(problems + more))


def _time(said: Mapping[str, object]) -> str:
    parts = [f"{said['reading']} minutes to read"] if said["reading"] else []
    parts += [f"{said['with_exercises']} with the exercises"] if said["with_exercises"] else []
    return ", ".join(parts)
