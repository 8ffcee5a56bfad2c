"""The report on somebody's own study: notebook 09, executed with their parameters, as one page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from genexpy_nb.common.errors import DataError
from genexpy_nb.reporting.execute import Made, Task, apart, make
from genexpy_nb.reporting.pairing import NotebookFile, read_source
from genexpy_nb.reporting.parameters import check_parameters
from genexpy_nb.reporting.spec import Report, declared_parameters
from genexpy_nb.reporting.state import report_key

#: The notebook that the page is made from.
NOTEBOOK = "09_your_study"


class StudyPage(NamedTuple):
    """What came of a report on a study."""

    html: str | None
    notebook: str | None
    problem: str
    seconds: float


def notebook_file() -> NotebookFile:
    """Return notebook 09: inside the package if it came as a wheel, beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "_notebooks", package.parent / "notebooks"):
        pair = NotebookFile(NOTEBOOK, folder / f"{NOTEBOOK}.py", folder / f"{NOTEBOOK}.ipynb")
        if pair.py.is_file():
            return pair
    raise DataError(f"{NOTEBOOK}.py, which the report is made from, is missing: install the package again")


def make_page(
    parameters: Mapping[str, Any], name: str, title: str, description: str = "", *, timeout: int = 0
) -> StudyPage:
    """Execute notebook 09 with these parameters and make a page of it; nothing is written."""
    pair = notebook_file()
    declared = declared_parameters(read_source(pair), pair.source.name)
    report = Report(name, title, description, pair, declared, check_parameters(parameters, declared, "the report"))
    root = pair.source.parent.parent
    task = Task(report, root, report_key(report, root), timeout, index=False, lesson=False)
    ((_, made, problem),) = apart(make, [task])
    made = made or Made(problem=problem)
    return StudyPage(made.page, made.executed, made.problem, made.seconds)
