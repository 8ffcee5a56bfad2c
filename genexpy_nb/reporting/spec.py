"""What to render: the files ``reports/NAME.yaml``, read and checked against the notebooks that they name."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from ruamel.yaml import YAML
from ruamel.yaml.constructor import SafeConstructor
from ruamel.yaml.error import YAMLError

from genexpy_nb import datasets
from genexpy_nb.common.checks import check_choice, suggest
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.reporting.pairing import NotebookFile, find_notebook, parameters_cell, read_source
from genexpy_nb.reporting.parameters import Parameter, check_parameters, parse_parameters

__all__ = [
    "Report",
    "chooses_source",
    "declared_parameters",
    "in_full",
    "load_reports",
    "parse_assignments",
    "read_yaml",
    "select",
    "with_source",
]

_KEYS = {"notebook": str, "title": str, "description": str, "parameters": dict, "data": list}


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

    @property
    def changed(self) -> dict[str, Any]:
        """The parameters that somebody gave another value than the default."""
        given = (p for p in self.declared if p.name not in self.settled)
        return {p.name: self.values[p.name] for p in given if self.values[p.name] != p.default}

    @property
    def values(self) -> dict[str, Any]:
        """All parameters, defaults included."""
        return {p.name: self.parameters.get(p.name, p.default) for p in self.declared}


class _Scalars(SafeConstructor):
    """Of YAML 1.2, without dates: ``2024-01-01`` is text, as are the signs ``=`` and ``<<`` where they stand alone."""


for _tag in ("timestamp", "value", "merge"):
    _Scalars.add_constructor(f"tag:yaml.org,2002:{_tag}", lambda loader, node: node.value)


def read_yaml(text: str, where: str) -> Any:
    """Parse YAML 1.2 as the reports and the command line write it; a date stays the text that it is.

    Parameters
    ----------
    text : str
        YAML.
    where : str
        What the text comes from, for messages.

    Returns
    -------
    object
        Built of dictionaries, lists and scalars.

    Raises
    ------
    ParameterError
        If it is not YAML or a key is given twice.

    Examples
    --------
    >>> read_yaml("{alpha: 1e-3, days: 010, when: 2024-01-01, use: no}", "the command line")
    {'alpha': 0.001, 'days': 10, 'when': '2024-01-01', 'use': 'no'}
    """
    yaml = YAML(typ="safe", pure=True)  # the faster parser knows YAML 1.1 only, in which `no` is false
    yaml.Constructor = _Scalars
    try:
        return yaml.load(text)
    except (YAMLError, ValueError, TypeError, LookupError) as error:  # the latter three for what a tag like !!int marks
        problem = " ".join(str(getattr(error, "problem", None) or error).split())
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        raise ParameterError(f"{where}{line}: not valid YAML: {problem}") from None


def parse_assignments(assignments: Iterable[str]) -> tuple[dict[str, Any], dict[str, str]]:
    """Read ``name=value`` as the command line gives it.

    Parameters
    ----------
    assignments : iterable of str
        The value is YAML.

    Returns
    -------
    values : dict
        Parsed.
    raw : dict
        The text of each value.

    Raises
    ------
    ParameterError
        If there is no ``=``, no name, or a name twice.

    Examples
    --------
    >>> parse_assignments(["models=[svm, knn]", "alpha=.9"])[0]
    {'models': ['svm', 'knn'], 'alpha': 0.9}
    """
    values: dict[str, Any] = {}
    raw: dict[str, str] = {}
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        name = name.strip()
        if not (equals and name.isidentifier()):
            raise ParameterError(f"-p wants name=value, got {assignment!r}")
        if name in values:
            raise ParameterError(f"-p {name} is given twice")
        values[name], raw[name] = read_yaml(text, f"-p {name}"), text
    return values, raw


def in_full(values: Mapping[str, Any]) -> dict[str, Any]:
    """Turn names of files into full paths: notebooks run in their own folder, people type names in theirs.

    Parameters
    ----------
    values : mapping of str to object
        Parameters from the command line.

    Returns
    -------
    dict
        A text with a suffix (``mine.csv``) that names a file here has become its full path; nothing else has changed.

    Examples
    --------
    >>> in_full({"alternative": "OHE", "results": "no-such-file.csv", "alpha": 0.9})
    {'alternative': 'OHE', 'results': 'no-such-file.csv', 'alpha': 0.9}
    """

    def full(value: Any) -> Any:
        is_file = isinstance(value, str) and Path(value).suffix and Path(value).expanduser().is_file()
        return str(Path(value).expanduser().resolve()) if is_file else value

    return {name: full(value) for name, value in values.items()}


def declared_parameters(node: NotebookNode, where: str) -> tuple[Parameter, ...]:
    """Return what the cell of parameters declares; nothing if there is no such cell.

    Parameters
    ----------
    node : NotebookNode
        The notebook.
    where : str
        Its name, for messages.

    Returns
    -------
    tuple of Parameter
        In order.

    Raises
    ------
    ParameterError
        As `parse_parameters`.

    Examples
    --------
    >>> import nbformat
    >>> declared_parameters(nbformat.v4.new_notebook(), "a.py")
    ()
    """
    cell = parameters_cell(node)
    return tuple(parse_parameters(cell.source, f"{where}, parameters")) if cell else ()


def chooses_source(declared: Iterable[Parameter]) -> bool:
    """Say whether a notebook lets one choose which variant of the results tables it reads.

    Parameters
    ----------
    declared : iterable of Parameter
        Of the notebook.

    Returns
    -------
    bool
        True for a parameter ``source`` whose default is one of `datasets.SOURCES`.

    Examples
    --------
    >>> chooses_source([Parameter("source", "str", "auto", "")]), chooses_source([Parameter("source", "str", "a", "")])
    (True, False)
    """
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
        By name; the data are not located yet.

    Raises
    ------
    ParameterError
        At the first file that is wrong; the message names it.

    Examples
    --------
    >>> load_reports(Path("/nowhere"))
    {}
    """
    return {file.stem: _load(root, file) for file in sorted((root / "reports").glob("[!_.]*.yaml"))}


def _load(root: Path, file: Path) -> Report:
    where = file.relative_to(root).as_posix()
    try:
        entries = read_yaml(file.read_text(encoding="utf-8"), where)
    except UnicodeDecodeError:
        raise ParameterError(f"{where}: not a text in UTF-8") from None
    if not isinstance(entries, dict):
        raise ParameterError(f"{where}: must be a mapping with the keys {', '.join(_KEYS)}")
    for key, value in entries.items():
        if key not in _KEYS:
            hint = suggest(key, _KEYS) or f"; known: {', '.join(_KEYS)}"
            raise ParameterError(f"{where}: unknown key {key!r}{hint}")
        if value is not None and not isinstance(value, _KEYS[key]):
            raise ParameterError(f"{where}: {key} must be {_KEYS[key].__name__}, got {value!r}")
    entries = {key: value for key, value in entries.items() if value is not None}
    for key in ("notebook", "title"):
        if not entries.get(key):
            raise ParameterError(f"{where}: {key} is missing")
    try:
        notebook = find_notebook(root, entries["notebook"])
        for name in entries.get("data", []):
            check_choice("data", name, datasets.NAMES)
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
    )


def select(reports: Mapping[str, Report], names: Iterable[str]) -> list[Report]:
    """Return the reports of these names, or all.

    Parameters
    ----------
    reports : mapping of str to Report
        All there are.
    names : iterable of str
        Which; none means all.

    Returns
    -------
    list of Report
        Each once.

    Raises
    ------
    ParameterError
        If a name is unknown or there is no report at all.

    Examples
    --------
    >>> select({"encoders": None}, ["encoder"])
    Traceback (most recent call last):
    genexpy_nb.common.errors.ParameterError: unknown report 'encoder'; did you mean 'encoders'?
    """
    names = [re.sub(r"\.ya?ml$", "", Path(name).name) for name in names]
    for name in names:
        if name not in reports:
            hint = suggest(name, reports) or f"; known: {', '.join(reports) or 'none'}"
            raise ParameterError(f"unknown report {name!r}{hint}")
    if not reports:
        raise ParameterError("nothing to render: there is no reports/*.yaml")
    return [reports[name] for name in dict.fromkeys(names or reports)]


def with_source(report: Report, source: str | None) -> Report:
    """Find the data of a report and settle which variant it reads, so that its key and provenance are exact.

    Parameters
    ----------
    report : Report
        Its own ``source`` parameter counts if ``source`` is None.
    source : {"original", "bundled", "auto"} or None
        From the command line.

    Returns
    -------
    Report
        With ``data``, and with ``parameters["source"]`` never ``"auto"``, where the notebook has such a parameter.

    Raises
    ------
    DataError
        If a table cannot be had.
    ParameterError
        If the notebook has a ``source`` but the report does not list its data, or the report asks for an unknown one.

    Examples
    --------
    >>> pair = NotebookFile("a", Path("a.py"), Path("a.ipynb"))
    >>> with_source(Report("a", "A", "", pair, (), {}), "bundled").parameters
    {}
    """
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
