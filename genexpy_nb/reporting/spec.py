"""What to render: the files ``reports/NAME.yaml``, read and checked against the notebooks that they name."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from genexpy_nb.common.checks import check_choice, listed, shown, suggest
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.datasets import NAMES, SOURCES, locating
from genexpy_nb.reporting.pairing import NotebookFile, find_notebook, parameters_cell, read_source
from genexpy_nb.reporting.parameters import Parameter, check_parameters, parse_parameters, read_yaml
from genexpy_nb.reporting.references import Site

#: Who a report is for, as its YAML may say, and what these are called on the page.
READERS = {"paper": "I read the paper", "table": "I have a results table", "teach": "I teach"}
_KEYS = {
    **{"notebook": str, "title": str, "description": str, "parameters": dict, "data": list},
    **{"paper": str, "place": str, "readers": list},
}
_OTHER_PAGES = {
    "index": "that is the page that lists all reports",
    "published": "that is the page of all published numbers",
    "api(-.*)?": "that is how pages about the package are called",
}


@dataclass(frozen=True)
class Report:
    """A notebook and the values that it gets, checked; what was left to the program is settled by `with_source`."""

    name: str
    title: str
    description: str
    notebook: NotebookFile
    declared: tuple[Parameter, ...]
    parameters: dict[str, Any]
    data: tuple[locating.Located, ...] = ()
    data_names: tuple[str, ...] = field(default=(), repr=False)
    settled: tuple[str, ...] = ()
    paper: str = ""
    place: str = ""
    site: Site = field(default=Site(), repr=False)
    readers: tuple[str, ...] = ()

    @property
    def changed(self) -> dict[str, Any]:
        """The parameters that somebody gave another value than the default."""
        given = (p for p in self.declared if p.name not in self.settled)
        return {p.name: self.values[p.name] for p in given if self.values[p.name] != p.default}

    @property
    def values(self) -> dict[str, Any]:
        """All parameters, defaults included."""
        return {p.name: self.parameters.get(p.name, p.default) for p in self.declared}


# --- values of the command line, and files that values name -----------------------------------------------------------


def parse_assignments(assignments: Iterable[str]) -> tuple[dict[str, Any], dict[str, str]]:
    """Read ``name=value`` as the command line gives it: values, and the texts that they were read from."""
    values: dict[str, Any] = {}
    raw: dict[str, str] = {}
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        name = name.strip()
        if not (equals and name.isidentifier()):
            raise ParameterError(f"-p wants name=value, got {shown(assignment)}")
        if name in values:
            raise ParameterError(f"-p {name} is given twice")
        values[name], raw[name] = read_yaml(text, f"-p {name}"), text
    return values, raw


def in_full(values: Mapping[str, Any]) -> dict[str, Any]:
    """Turn names of files into full paths: notebooks run in their own folder, people type names in theirs."""

    def full(value: Any) -> Any:
        if isinstance(value, list):
            return [full(item) for item in value]
        if not isinstance(value, str) or not Path(value).suffix:
            return value
        path = os.path.expanduser(value)
        return os.path.realpath(path) if os.path.isfile(path) else value

    return {name: full(value) for name, value in values.items()}


def named_files(report: Report) -> dict[str, Path]:
    """Return the files that parameters name, as the notebook will find them: from its own folder."""
    texts = {name: text for parameter, value in report.values.items() for name, text in _texts(parameter, value)}
    files = {name: report.notebook.source.parent / text for name, text in texts.items() if Path(text).suffix}
    return {name: path for name, path in files.items() if os.path.isfile(path)}  # Path's own raises for long names


def _texts(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """A parameter that is a text, or the texts in one that is a list, with their places."""
    if isinstance(value, str) and value:
        yield name, value
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from _texts(f"{name}[{place}]", item)


# --- reports ----------------------------------------------------------------------------------------------------------


def declared_parameters(node: NotebookNode, where: str) -> tuple[Parameter, ...]:
    """Return what the cell of parameters declares; nothing if there is no such cell."""
    cell = parameters_cell(node)
    return tuple(parse_parameters(cell.source, f"{where}, parameters")) if cell else ()


def chooses_source(declared: Iterable[Parameter]) -> bool:
    """Say whether a notebook lets one choose which variant of the results tables it reads."""
    return any(parameter.name == "source" and parameter.default in SOURCES for parameter in declared)


def load_reports(root: Path) -> dict[str, Report]:
    """Read and check every ``reports/*.yaml``. The data are not located yet."""
    files = sorted((root / "reports").glob("[!_.]*.yaml"))
    reports = {file.stem: _load(root, file, file.relative_to(root).as_posix()) for file in files}
    unchanged = (report for report in reversed(reports.values()) if not report.changed)
    plain = {report.notebook.name: report for report in unchanged}
    site = Site(tuple((name, plain[name].name, plain[name].title) for name in sorted(plain)))
    return {name: replace(report, site=site) for name, report in reports.items()}


def _load(root: Path, file: Path, where: str) -> Report:
    """The report that a file asks for."""
    for other, what in _OTHER_PAGES.items():
        if re.fullmatch(other, file.stem, flags=re.IGNORECASE):
            raise ParameterError(f"{where}: a report cannot be called {file.stem.casefold()}: {what}")
    entries = _entries(file, where)
    try:
        notebook = find_notebook(root, entries["notebook"])
        for key, choices in (("data", NAMES), ("readers", READERS)):
            for name in entries.get(key, []):
                check_choice(key, name, choices)
    except ParameterError as error:
        raise ParameterError(f"{where}: {error}") from None
    declared = declared_parameters(read_source(notebook), f"notebooks/{notebook.source.name}")
    return Report(
        name=file.stem,
        title=entries["title"].strip(),
        description=" ".join(entries.get("description", "").split()),
        notebook=notebook,
        declared=declared,
        parameters=check_parameters(entries.get("parameters", {}), declared, where),
        data_names=tuple(entries.get("data", [])),
        paper=entries.get("paper", ""),
        place=entries.get("place", ""),
        readers=tuple(entries.get("readers", [])),
    )


def _entries(file: Path, where: str) -> dict[str, Any]:
    """What a YAML file says, of the right types; what is left empty is as if it were not there."""
    if not file.is_file():
        raise ParameterError(f"{where}: not a file")
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ParameterError(f"{where} is not a text in UTF-8") from None
    except OSError as error:
        raise ParameterError(f"{where} cannot be read: {error.strerror}") from None
    entries = read_yaml(text, where)
    if not isinstance(entries, dict):
        raise ParameterError(f"{where}: must be a mapping with the keys {', '.join(_KEYS)}")
    for key, value in entries.items():
        if key not in _KEYS:
            hint = suggest(key, _KEYS) or f"; known: {', '.join(_KEYS)}"
            raise ParameterError(f"{where}: unknown key {key!r}{hint}")
        if value is not None and not isinstance(value, _KEYS[key]):
            raise ParameterError(f"{where}: {key} must be {_KEYS[key].__name__}, got {shown(value)}")
    for key in ("notebook", "title"):
        if not entries.get(key):
            raise ParameterError(f"{where}: {key} is missing")
    return {key: value for key, value in entries.items() if value is not None}


def select(reports: Mapping[str, Report], names: Iterable[str]) -> list[Report]:
    """Return the reports of these names, or all."""
    names = [re.sub(r"\.ya?ml$", "", Path(name).name) for name in names]
    for name in names:
        if name not in reports:
            hint = suggest(name, reports) or f"; known: {', '.join(reports) or 'none'}"
            raise ParameterError(f"unknown report {name!r}{hint}")
    if not reports:
        raise ParameterError("nothing to render: there is no reports/*.yaml")
    return [reports[name] for name in dict.fromkeys(names or reports)]


def with_source(report: Report, source: str | None) -> Report:
    """Find the data of a report and settle which variant it reads, so that its key and provenance are exact."""
    if not chooses_source(report.declared):
        return replace(report, data=_locate(report, "auto"))
    asked = report.values["source"]
    check_choice(f"report {report.name}: source", asked, SOURCES)
    if not report.data_names:
        raise ParameterError(
            f"reports/{report.name}.yaml: {report.notebook.name} has a parameter 'source': "
            f"list what it reads under data ({', '.join(NAMES)})"
        )
    source = source or asked
    located = _locate(report, source)
    if any(table.source == "bundled" for table in located):  # one parameter for all tables: all original, or none
        located = tuple(t if t.source == "bundled" else locating.locate(t.name, "bundled") for t in located)
    parameters = {**report.parameters, "source": located[0].source}
    return replace(report, parameters=parameters, data=located, settled=("source",) if source == "auto" else ())


def _locate(report: Report, source: str) -> tuple[locating.Located, ...]:
    with warnings.catch_warnings(action="ignore"):  # of a fallback: whoever renders says so, and so does the page
        return tuple(locating.locate(name, source) for name in report.data_names)


def fallbacks(report: Report) -> Iterator[str]:
    """A line for each table that is not the published one, although nobody asked for another."""
    if chooses_source(report.declared) and "source" not in report.settled:
        return
    for table in report.data:
        if table.source == "bundled":
            yield f"{report.name}: not the published table {table.name!r}, but the bundled one ({table.note})"


def override(chosen: Sequence[Report], values: Mapping[str, Any], raw: Mapping[str, str] | None) -> Report:
    """Give parameters to the one report that was chosen."""
    if len(chosen) != 1:
        names = listed(report.name for report in chosen)
        raise ParameterError(f"-p needs exactly one report, got {len(chosen)}: {names}")
    (report,) = chosen
    checked = check_parameters(values, report.declared, f"report {report.name}", raw)
    return replace(report, parameters={**report.parameters, **checked})
