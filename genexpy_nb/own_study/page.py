"""The report on somebody's own study: notebook 09, executed with their parameters, as one page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import genexpy_nb.reporting  # noqa: F401  says whether the extra is there; all else is loaded by the process that makes it
from genexpy_nb.common.errors import DataError
from genexpy_nb.common.parallel import apart

if TYPE_CHECKING:
    from genexpy_nb.reporting.pairing import NotebookFile

#: The notebook that the page is made from.
NOTEBOOK = "09_your_study"


class StudyPage(NamedTuple):
    """What came of a report on a study."""

    html: str | None
    notebook: str | None
    problem: str


def notebook_file() -> NotebookFile:
    """Return notebook 09: inside the package if it came as a wheel, beside it in a checkout."""
    from genexpy_nb.reporting.pairing import NotebookFile

    package = Path(__file__).resolve().parents[1]
    for folder in (package / "_notebooks", package.parent / "notebooks"):
        pair = NotebookFile(NOTEBOOK, folder / f"{NOTEBOOK}.py", folder / f"{NOTEBOOK}.ipynb")
        if pair.py.is_file():
            return pair
    raise DataError(f"{NOTEBOOK}.py, which the report is made from, is missing: install the package again")


def make_page(
    parameters: Mapping[str, Any],
    name: str,
    title: str,
    description: str = "",
    *,
    shown: Mapping[str, Any] | None = None,
) -> StudyPage:
    """Execute notebook 09 with these parameters and make a page of it, which shows others; nothing is written."""
    ((_, made, problem),) = apart(_made, [(parameters, name, title, description, dict(shown or {}))])
    return made or StudyPage(None, None, problem)


def _made(asked: tuple[Mapping[str, Any], str, str, str, dict[str, Any]]) -> StudyPage:
    from genexpy_nb.reporting.execute import Task, make
    from genexpy_nb.reporting.pairing import read_source
    from genexpy_nb.reporting.parameters import check_parameters
    from genexpy_nb.reporting.spec import Report, declared_parameters
    from genexpy_nb.reporting.state import report_key

    pair, (parameters, name, title, description, shown) = notebook_file(), asked
    declared = declared_parameters(read_source(pair), pair.source.name)
    report = Report(name, title, description, pair, declared, check_parameters(parameters, declared, "the report"))
    root = pair.source.parent.parent
    made = make(Task(report, root, report_key(report, root), index=False, lesson=False, shown=shown))
    return StudyPage(made.page, made.executed, made.problem)
