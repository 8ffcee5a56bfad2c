"""What to render: the files ``reports/NAME.yaml``, read and checked against the notebooks that they name."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from ruamel.yaml import YAML
from ruamel.yaml.constructor import SafeConstructor
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, SequenceNode

from genexpy_nb import datasets
from genexpy_nb.common.checks import check_choice, shown, suggest
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.reporting.pairing import NotebookFile, find_notebook, parameters_cell, read_source
from genexpy_nb.reporting.parameters import Parameter, check_parameters, parse_parameters

__all__ = [
    "Report",
    "check_files",
    "chooses_source",
    "declared_parameters",
    "in_full",
    "load_reports",
    "named_files",
    "parse_assignments",
    "read_yaml",
    "select",
    "with_source",
]

MOST_CHARACTERS = 1_000_000  # of YAML, which is parsed slowly
MOST_VALUES = 100_000  # in it, once its aliases are written out
LONGEST_NAME = 240  # bytes: endings, and what is added while a file is written, fit into the 255 of most systems
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
        If it is not YAML, a key is given twice, or it is too large, too deep or full of aliases.

    Examples
    --------
    >>> read_yaml("{alpha: 1e-3, days: 010, when: 2024-01-01, use: no}", "the command line")
    {'alpha': 0.001, 'days': 10, 'when': '2024-01-01', 'use': 'no'}
    """
    yaml = YAML(typ="safe", pure=True)  # the faster parser knows YAML 1.1 only, in which `no` is false
    yaml.Constructor = _Scalars
    if len(text) > MOST_CHARACTERS:
        raise ParameterError(f"{where}: longer than {MOST_CHARACTERS:,} characters")
    try:
        if "&" in text or "*" in text:
            _check_size(yaml.compose(text), where)
        value = yaml.load(text)
        repr(value)  # what messages and the code of a cell need: not of a number with thousands of digits
        return value
    except RecursionError:
        raise ParameterError(f"{where}: nested too deeply") from None
    except ParameterError:
        raise
    except (YAMLError, ValueError, TypeError, LookupError) as error:  # the latter three for what a tag like !!int marks
        problem = " ".join(str(getattr(error, "problem", None) or error).split())
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        raise ParameterError(f"{where}{line}: not valid YAML: {problem}") from None


def _check_size(root: Node | None, where: str) -> None:
    """Count what aliases stand for, before anything is built of it."""
    sizes: dict[int, int] = {}

    def size(node: Node) -> int:
        if id(node) not in sizes:
            sizes[id(node)] = MOST_VALUES + 1  # of a node that holds itself
            parts: list[Node] = []
            if isinstance(node, MappingNode):
                parts = [part for pair in node.value for part in pair]
            elif isinstance(node, SequenceNode):
                parts = list(node.value)
            sizes[id(node)] = 1 + sum(map(size, parts))
        return sizes[id(node)]

    if root is not None and size(root) > MOST_VALUES:
        raise ParameterError(f"{where}: more than {MOST_VALUES:,} values once its aliases are written out")


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
            raise ParameterError(f"-p wants name=value, got {shown(assignment)}")
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
        A text with a suffix (``mine.csv``) that names a file here has become its full path, in lists, too; nothing else
        has changed.

    Examples
    --------
    >>> in_full({"alternative": "OHE", "results": "no-such-file.csv", "alpha": 0.9})
    {'alternative': 'OHE', 'results': 'no-such-file.csv', 'alpha': 0.9}
    """

    def full(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return type(value)(map(full, value))
        if not isinstance(value, str) or not Path(value).suffix:
            return value
        path = os.path.expanduser(value)
        return os.path.realpath(path) if os.path.isfile(path) else value

    return {name: full(value) for name, value in values.items()}


def named_files(report: Report) -> dict[str, Path]:
    """Return the files that parameters name, as the notebook will find them: from its own folder.

    Parameters
    ----------
    report : Report
        With its parameters.

    Returns
    -------
    dict of str to Path
        By parameter: texts with a suffix that name a file. Of a list, each by its place: ``tables[0]``.

    Examples
    --------
    >>> pair = NotebookFile("a", Path("a.py"), Path("a.ipynb"))
    >>> named_files(Report("a", "A", "", pair, (Parameter("n", "str", "none.csv", ""),), {}))
    {}
    """
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
    """Check that tables which somebody named are there and can be read, before a kernel starts.

    Parameters
    ----------
    report : Report
        Its given parameters count, one by one where they are lists: those that end in ``.csv`` or ``.parquet``, and
        those whose meaning in the notebook begins with "file" or "folder". What the notebook writes need not be there:
        its name or meaning says output, or that it is to be written or saved.

    Raises
    ------
    ParameterError
        If there is no such file, it is no table, or there is something else than a folder.

    Examples
    --------
    >>> pair = NotebookFile("a", Path("a.py"), Path("a.ipynb"))
    >>> check_files(Report("a", "A", "", pair, (Parameter("table", "str", "", ""),), {"table": "none.csv"}))
    Traceback (most recent call last):
    genexpy_nb.common.errors.ParameterError: report a: parameter 'table': there is no file 'none.csv'
    """
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


def _check_name(name: str, where: str) -> None:
    """The name of a report is that of files and of a link."""
    if name.casefold() == "index":
        raise ParameterError(f"{where}: a report cannot be called index: that is the page that lists all reports")
    if not name.isprintable():
        raise ParameterError(f"{where!r}: the name of a report must have no control characters")
    if len(os.fsencode(name)) > LONGEST_NAME:
        raise ParameterError(f"{where}: the name is longer than {LONGEST_NAME} bytes")


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
