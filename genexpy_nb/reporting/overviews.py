"""Write the pages about reports: comparisons of grids, published numbers, and the index."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from genexpy_nb.common.errors import DataError
from genexpy_nb.common.files import write_atomically
from genexpy_nb.common.hashing import file_hash, folder_hash
from genexpy_nb.common.page import KeyNumber
from genexpy_nb.reporting import comparison
from genexpy_nb.reporting.comparison import Member, comparison_data, to_comparison
from genexpy_nb.reporting.grids import Grid
from genexpy_nb.reporting.html import TEMPLATES
from genexpy_nb.reporting.index import Beside, Entry, to_index
from genexpy_nb.reporting.page_data import as_json, read_numbers, read_page_data
from genexpy_nb.reporting.published import Printed, to_published
from genexpy_nb.reporting.references import read_references
from genexpy_nb.reporting.spec import Report
from genexpy_nb.reporting.state import Target, is_written, remembered, write_outputs


def write_overviews(target: Target, root: Path, reports: Mapping[str, Report], entries: Mapping[str, Entry]) -> None:
    """Write what is made from several reports; what has not changed is left as it is."""
    data = {name: found for name, entry in entries.items() if (found := _data(target, reports[name], entry))}
    grids = {report.grid: None for report in reports.values() if report.grid}
    comparisons = [grid.name for grid in grids if _compare(target, grid, reports, entries)]
    published = _write_published(target, reports, entries, data)
    _write_index(target, root, reports, entries, data, comparisons, published)


def write_index(target: Target, root: Path, reports: Mapping[str, Report], entries: Mapping[str, Entry]) -> None:
    """Write the index alone, without findings and figures: for a call that is stopped, and has no time."""
    _write_index(target, root, reports, entries, {}, (), False)


def _data(target: Target, report: Report, entry: Entry) -> dict[str, Any] | None:
    """What stands beside a page, of reports that are not members of a grid: those have a page of their own."""
    return None if report.grid else _read(target, entry)


def _read(target: Target, entry: Entry) -> dict[str, Any] | None:
    file = target.data(entry.name)
    try:
        return read_page_data(file) if entry.data and file_hash(file) == entry.data else None
    except (OSError, DataError):
        return None


def _numbers(data: Mapping[str, Any] | None) -> tuple[KeyNumber, ...]:
    try:
        return tuple(read_numbers(data)) if data else ()
    except (TypeError, ValueError):  # written by another version of this package
        return ()


def _compare(target: Target, grid: Grid, reports: Mapping[str, Report], entries: Mapping[str, Entry]) -> bool:
    """Write the comparison of a grid if any member is there, and has changed; say whether the page is there."""
    own = {name: entries[name] for name, report in reports.items() if report.grid == grid}
    if not any(entry.page for entry in own.values()):
        return False
    values = _values(grid, reports, own)
    parts = [[entry.name, entry.status == "FAILED", entry.problem, entry.key, entry.data] for entry in own.values()]
    whole = [grid.title, grid.description, grid.varied, values, parts, _made_with()]
    key = sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()
    known = remembered(target, grid.name)
    if known is None or known.key != key or not is_written(target, known):
        members = [Member(entry, values[name], _numbers(_read(target, entry))) for name, entry in own.items()]
        notebook = members[0].entry.notebook
        entry = Entry(grid.name, grid.title, grid.description, notebook, "ok", key=key)
        page, data = to_comparison(grid, members), as_json(comparison_data(grid, members))
        write_outputs(target, entry, None, page, data)
    return True


def _made_with() -> list[str]:
    """Of these, another version would make another page."""
    style = TEMPLATES / "report" / "report.css"
    return [folder_hash(TEMPLATES / "overview"), file_hash(style), file_hash(Path(comparison.__file__))]


def _values(grid: Grid, reports: Mapping[str, Report], own: Mapping[str, Entry]) -> dict[str, dict[str, str]]:
    """The parameters in which members differ: those of the grid, and what only some were given by the command line."""
    given = [entry.changed or {} for entry in own.values() if entry.page]
    more = {name: {changed.get(name) for changed in given} for changed in given for name in changed}
    others = [name for name, texts in more.items() if name not in grid.varied and len(texts) > 1]
    return {
        name: {
            **{parameter: repr(value) for parameter, value in reports[name].varied.items()},
            **{parameter: (entry.changed or {}).get(parameter, "default") for parameter in others},
        }
        for name, entry in own.items()
    }


def _write_published(
    target: Target,
    reports: Mapping[str, Report],
    entries: Mapping[str, Entry],
    data: Mapping[str, Mapping[str, Any]],
) -> bool:
    """Write the page of published numbers, or remove it if there are none; say whether it is there."""
    in_order = list(_as_read(entries.values()))
    found = [
        Printed(entry, number, reports[entry.name].paper)
        for entry in in_order
        for number in _numbers(data.get(entry.name))
    ]
    printed = [each for each in found if each.number.published is not None]
    file = target.page("published")
    if not printed:
        file.unlink(missing_ok=True)
        return False
    plain = [entry for entry in in_order if not reports[entry.name].grid and entry.name not in data]
    any_paper = any(report.paper for report in reports.values())
    missing = [entry for entry in plain if reports[entry.name].paper or not any_paper]
    _write_if_new(file, to_published(printed, missing, read_references()))
    return True


def _as_read(entries: Iterable[Entry]) -> Iterable[Entry]:
    """In the order in which one would read them."""
    return sorted(entries, key=lambda entry: (entry.notebook, entry.name))


def _write_index(
    target: Target,
    root: Path,
    reports: Mapping[str, Report],
    entries: Mapping[str, Entry],
    data: Mapping[str, Mapping[str, Any]],
    comparisons: Iterable[str],
    published: bool,
) -> None:
    heading, about = _project(root)
    order = list(reports)  # of members, that of their file
    in_order = sorted(entries.values(), key=lambda entry: (entry.notebook, order.index(entry.name)))
    index = target.page("index")
    pages = tuple((file.name, _label(file)) for file in sorted(index.parent.glob("api*.html")))
    beside = Beside(about, reports, data, read_references(), tuple(comparisons), published, pages)
    _write_if_new(index, to_index(in_order, heading, beside))


def _label(file: Path) -> str:
    """What a page of the reference is about."""
    room = file.stem.removeprefix("api").lstrip("-")
    return room or "overview"


def _project(root: Path) -> tuple[str, str]:
    """Name and description of a project, for the head of its index."""
    try:
        project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        return f"{project['name']}: reports", str(project.get("description", ""))
    except (OSError, ValueError, KeyError, TypeError):
        return "Reports", ""


def _write_if_new(file: Path, text: str) -> None:
    try:
        if file.is_file() and file.read_bytes() == text.encode():
            return
        write_atomically(file, text)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(file)) from None
