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

from genexpy_nb import datasets
from genexpy_nb.common.checks import check_choice, shown, suggest
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.reporting.grids import Grid, in_words, member_names, parameter_sets
from genexpy_nb.reporting.pairing import NotebookFile, find_notebook, parameters_cell, read_source
from genexpy_nb.reporting.parameters import Parameter, check_parameters, parse_parameters
from genexpy_nb.reporting.site import Site
from genexpy_nb.reporting.yaml_text import MOST_CHARACTERS, read_yaml

LONGEST_NAME = 240  # bytes: endings, and what is added while a file is written, fit into the 255 of most systems
_KEYS = {
    **{"notebook": str, "title": str, "description": str, "parameters": dict, "data": list},
    **{"paper": str, "place": str, "readers": list, "grid": dict, "table": object},
}


#: Who a report is for, as its YAML may say: who read the paper, who has a results table, who teaches.
READERS = ("paper", "table", "teach")


_OTHER_PAGES = {
    "index": "that is the page that lists all reports",
    "published": "that is the page of all published numbers",
    "api(-.*)?": "that is how pages about the package are called",
}


@dataclass(frozen=True)
class Report:
    """A report as asked for: a notebook and the values that it gets.

    Parameters
    ----------
    name : str
        Of the YAML file and of the pages made from it.
    title, description : str
        For the page and the index.
    notebook : NotebookFile
        What is executed.
    declared : tuple of Parameter
        What the notebook takes.
    parameters : dict
        Checked values; what is not here keeps its default.
    data : tuple of datasets.Located
        The results tables that the notebook reads, found by `with_source`.
    data_names : tuple of str
        Their names.
    settled : tuple of str
        The parameters that were left to the program (``auto``).
    paper, place : str
        What the notebook reproduces: a key of the list of references, and where in it. Empty: nothing.
    site : Site
        The pages that lie beside this one.
    readers : tuple of str
        Some of `READERS`.
    grid : Grid or None
        Of which the report is a member.

    Examples
    --------
    >>> pair = NotebookFile("a", Path("a.py"), Path("a.ipynb"))
    >>> Report("a", "A", "", pair, (Parameter("n", "int", 1, ""),), {"n": 2}).changed
    {'n': 2}
    """

    name: str
    title: str
    description: str
    notebook: NotebookFile
    declared: tuple[Parameter, ...]
    parameters: dict[str, Any]
    data: tuple[datasets.Located, ...] = ()
    data_names: tuple[str, ...] = field(default=(), repr=False)
    settled: tuple[str, ...] = ()
    paper: str = ""
    place: str = ""
    site: Site = field(default=Site(), repr=False)
    readers: tuple[str, ...] = ()
    grid: Grid | None = field(default=None, repr=False)

    @property
    def changed(self) -> dict[str, Any]:
        """The parameters that somebody gave another value than the default."""
        given = (p for p in self.declared if p.name not in self.settled)
        return {p.name: self.values[p.name] for p in given if self.values[p.name] != p.default}

    @property
    def varied(self) -> dict[str, Any]:
        """The parameters in which the members of its grid differ."""
        return {name: self.values[name] for name in self.grid.varied} if self.grid else {}

    @property
    def values(self) -> dict[str, Any]:
        """All parameters, defaults included."""
        return {p.name: self.parameters.get(p.name, p.default) for p in self.declared}


def parse_assignments(assignments: Iterable[str]) -> tuple[dict[str, Any], dict[str, str]]:
    """Read ``name=value`` as the command line gives it."""
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
        if isinstance(value, (list, tuple)):
            return type(value)(map(full, value))
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
    elif isinstance(value, (list, tuple)):
        for place, item in enumerate(value):
            yield from _texts(f"{name}[{place}]", item)


def check_files(report: Report) -> None:
    """Check that tables which somebody named are there and can be read, before a kernel starts."""
    for parameter in report.declared:
        if _OUTPUT.search(f"{parameter.name} {parameter.meaning}"):
            continue
        kind = next(iter(re.findall(r"\w+", parameter.meaning.lower())), "")
        for place, text in _texts(parameter.name, report.parameters.get(parameter.name)):
            path = report.notebook.source.parent / text
            problem = ""
            if kind in ("folder", "folders"):
                problem = "" if _may_be_folder(path) else "{} is no folder"
            elif kind in ("file", "files") or path.suffix.lower() in _TABLES:
                problem = _why_no_table(path)
            if problem:
                raise ParameterError(f"report {report.name}: parameter {place!r}: {problem.replace('{}', shown(text))}")


_OUTPUT = re.compile(r"output|\bto (be )?(written|saved|write|save)\b|^(save|write)", re.IGNORECASE)
_TABLES = (".csv", ".parquet")


def _may_be_folder(path: Path) -> bool:
    """Whether the nearest thing that is there, at or above, is a folder."""
    try:
        return next(place for place in (path, *path.parents) if os.path.lexists(place)).is_dir()
    except (OSError, ValueError, StopIteration):
        return False


def _why_no_table(path: Path) -> str:
    """Why a file, shown as {}, is no table; empty if it is one, or of a kind that only the notebook knows."""
    if not os.path.isfile(path):
        return "{} is no file" if os.path.exists(path) else "there is no file {}"
    import pandas as pd
    from pyarrow import parquet

    try:
        if path.suffix.lower() == ".csv":
            pd.read_csv(path, nrows=1000)
        elif path.suffix.lower() == ".parquet":
            parquet.ParquetFile(path).close()
        else:
            path.open("rb").close()
    except (OSError, ValueError) as error:  # the errors of pandas and pyarrow are of these
        if isinstance(error, OSError) and error.strerror:
            return f"{{}}: {error.strerror}"
        return f"{{}} is no table: {' '.join(str(error).split())}"
    return ""


def declared_parameters(node: NotebookNode, where: str) -> tuple[Parameter, ...]:
    """Return what the cell of parameters declares; nothing if there is no such cell."""
    cell = parameters_cell(node)
    return tuple(parse_parameters(cell.source, f"{where}, parameters")) if cell else ()


def chooses_source(declared: Iterable[Parameter]) -> bool:
    """Say whether a notebook lets one choose which variant of the results tables it reads."""
    return any(parameter.name == "source" and parameter.default in datasets.SOURCES for parameter in declared)


def load_reports(root: Path) -> dict[str, Report]:
    """Read and check every ``reports/*.yaml``.

    Parameters
    ----------
    root : Path
        The project's folder.

    Returns
    -------
    dict of str to Report
        By name; the data are not located yet. Of a grid, each member.

    Raises
    ------
    ParameterError
        At the first file that is wrong; the message names it.

    Examples
    --------
    >>> load_reports(Path("/nowhere"))
    {}
    """
    reports: dict[str, Report] = {}
    for file in sorted((root / "reports").glob("[!_.]*.yaml")):
        for report in _load(root, file):
            if report.name in reports:
                where = file.relative_to(root).as_posix()
                raise ParameterError(f"{where}: there are two reports called {report.name!r}; rename one file")
            reports[report.name] = report
    unchanged = (report for report in reversed(reports.values()) if not (report.changed or report.grid))
    plain = {report.notebook.name: report for report in unchanged}
    site = Site(tuple((name, plain[name].name, plain[name].title) for name in sorted(plain)))
    return {name: replace(report, site=site) for name, report in reports.items()}


def _load(root: Path, file: Path) -> list[Report]:
    """The report that a file asks for, or all members of its grid."""
    where = file.relative_to(root).as_posix()
    _check_name(file.stem, where)
    try:
        if not file.is_file():
            raise ParameterError(f"{where}: not a file")
        with file.open(encoding="utf-8") as stream:
            entries = read_yaml(stream.read(MOST_CHARACTERS + 1), where)
    except UnicodeDecodeError:
        raise ParameterError(f"{where}: not a text in UTF-8") from None
    except OSError as error:
        raise ParameterError(f"{where}: cannot be read: {error.strerror}") from None
    if not isinstance(entries, dict):
        raise ParameterError(f"{where}: must be a mapping with the keys {', '.join(_KEYS)}")
    for key, value in entries.items():
        if key not in _KEYS:
            hint = suggest(key, _KEYS) or f"; known: {', '.join(_KEYS)}"
            raise ParameterError(f"{where}: unknown key {key!r}{hint}")
        if value is not None and not isinstance(value, _KEYS[key]):
            raise ParameterError(f"{where}: {key} must be {_KEYS[key].__name__}, got {shown(value)}")
    entries = {key: value for key, value in entries.items() if value is not None}
    for key in ("notebook", "title"):
        if not entries.get(key):
            raise ParameterError(f"{where}: {key} is missing")
    try:
        notebook = find_notebook(root, entries["notebook"])
        for key, choices in (("data", datasets.NAMES), ("readers", READERS)):
            for name in entries.get(key, []):
                check_choice(key, name, choices)
    except ParameterError as error:
        raise ParameterError(f"{where}: {error}") from None
    declared = declared_parameters(read_source(notebook), f"notebooks/{notebook.source.name}")
    report = Report(
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
    rows = parameter_sets(entries, report.parameters, declared, file, where)
    return _members(report, rows, where) if rows else [report]


def _members(report: Report, rows: Sequence[Mapping[str, Any]], where: str) -> list[Report]:
    varied = tuple(dict.fromkeys(name for row in rows for name in row))
    grid = Grid(report.name, report.title, report.description, varied)
    members = []
    for name, row in zip(member_names(report.name, rows), rows, strict=True):
        _check_name(name, where)
        title = f"{report.title}: {in_words(row) or 'as by default'}"
        members.append(replace(report, name=name, title=title, parameters={**report.parameters, **row}, grid=grid))
    return members


def _check_name(name: str, where: str) -> None:
    """The name of a report is that of files and of a link."""
    for other, what in _OTHER_PAGES.items():
        if re.fullmatch(other, name, flags=re.IGNORECASE):
            raise ParameterError(f"{where}: a report cannot be called {name.casefold()}: {what}")
    if not name.isprintable():
        raise ParameterError(f"{where!r}: the name of a report must have no control characters")
    if len(os.fsencode(name)) > LONGEST_NAME:
        raise ParameterError(f"{where}: the name is longer than {LONGEST_NAME} bytes")


def select(reports: Mapping[str, Report], names: Iterable[str]) -> list[Report]:
    """Return the reports of these names, or all."""
    known: dict[str, list[str]] = {}
    for name, report in reports.items():
        known.setdefault(report.grid.name if report.grid else name, []).append(name)
    names = [re.sub(r"\.ya?ml$", "", Path(name).name) for name in names]
    for name in names:
        if name not in known and name not in reports:
            hint = suggest(name, {**reports, **known}) or f"; known: {', '.join(known) or 'none'}"
            raise ParameterError(f"unknown report {name!r}{hint}")
    if not reports:
        raise ParameterError("nothing to render: there is no reports/*.yaml")
    chosen = [each for name in names or known for each in known.get(name, [name])]
    return [reports[name] for name in dict.fromkeys(chosen)]


def with_source(report: Report, source: str | None) -> Report:
    """Find the data of a report and settle which variant it reads, so that its key and provenance are exact."""
    if not chooses_source(report.declared):
        return replace(report, data=_locate(report, "auto"))
    asked = report.values["source"]
    check_choice(f"report {report.name}: source", asked, datasets.SOURCES)
    if not report.data_names:
        raise ParameterError(
            f"reports/{report.name}.yaml: {report.notebook.name} has a parameter 'source': "
            f"list what it reads under data ({', '.join(datasets.NAMES)})"
        )
    source = source or asked
    located = _locate(report, source)
    if any(table.source == "bundled" for table in located):  # one parameter for all tables: all original, or none
        located = tuple(t if t.source == "bundled" else datasets.locate(t.name, "bundled") for t in located)
    parameters = {**report.parameters, "source": located[0].source}
    return replace(report, parameters=parameters, data=located, settled=("source",) if source == "auto" else ())


def _locate(report: Report, source: str) -> tuple[datasets.Located, ...]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a fallback: whoever renders says so, and so does the page
        return tuple(datasets.locate(name, source) for name in report.data_names)
