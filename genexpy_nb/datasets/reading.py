"""Read the results that people already have: tables of any kind, and what other programs write."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from genexpy_nb.common.checks import listed, shown
from genexpy_nb.common.errors import DataError, ParameterError, StudyError, os_error, require
from genexpy_nb.common.files import parse_parquet
from genexpy_nb.datasets import foreign
from genexpy_nb.datasets.describing import described
from genexpy_nb.datasets.searches import is_search, read_search
from genexpy_nb.datasets.texttables import Cells, check_header, parse_text, typed

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # what Office files were before 2007, and are if a password protects them
_KNOWN = (
    "CSV, TSV, parquet, JSON lines, Excel (.xlsx), each perhaps compressed with gzip; "
    "cv_results_ of scikit-learn; " + ("; ".join(f"{form}: {what}" for form, what in foreign.FORMATS.items()))
)


def read_results(
    results: Any,
    *,
    sep: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
) -> pd.DataFrame:
    """Read results from a file or folder, recognized by its content, and say how they were read.

    Of text, the separator, the encoding and the decimal mark are found, and ``attrs["read_as"]`` says what was found;
    numbers that allow two decimal marks are an error. Of other programs' results one row is one evaluation; where some
    stand there several times, a column ``run`` numbers them by date. Files may be compressed with gzip.

    Parameters
    ----------
    results : path-like, mapping or DataFrame
        A file (CSV, TSV, other text with a header, parquet, JSON, Excel) or folder; the results of MTEB, HELM,
        lm-evaluation-harness or Inspect; or the ``cv_results_`` of a scikit-learn search (dict, DataFrame, CSV).
    sep : str, optional
        The character between columns of a text file; found is the one of ``, ; tab |``, or else spaces, that gives rows
        of one width, and of several the one that gives most columns.
    encoding : str, optional
        Of a text file; found is what a byte order mark announces, UTF-8, or else what fits the text best.
    decimal : {".", ","}, optional
        Decimal mark of a text file or of numbers that Excel holds as text; the other one may separate thousands.
    sheet : str, optional
        Sheet of an Excel file; needed if several hold values.

    Returns
    -------
    DataFrame
        ``attrs["read_as"]`` says how it was read, ``attrs["format"]`` the format, ``attrs["notes"]`` what was left out,
        converted or renamed; ``attrs["call"]``, for other programs' results, the `genexpy_nb.Study` that fits.

    Raises
    ------
    DataError
        If the file is missing, damaged or of an unknown format, or numbers can be read in two ways.
    StudyError
        If two columns have the same name.
    ParameterError
        If an option has a value that it cannot have, or does not apply to the format.
    MissingExtraError
        If an Excel file is to be read and openpyxl is not installed.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5]}).fit(*load_iris(return_X_y=True))
    >>> results = read_results(search.cv_results_)
    >>> results.attrs["read_as"].partition(";")[0]
    'cv_results_ of a scikit-learn search, 2 candidates, 5 splits, metrics score'
    >>> results.attrs["call"]
    'gx.Study(results, alternatives="candidate", target="score", generalize_over="split")'
    """
    options = {"sep": sep, "encoding": encoding, "decimal": decimal, "sheet": sheet}
    if isinstance(results, Mapping | pd.DataFrame) or hasattr(results, "cv_results_"):
        _refuse_options(options, (), "results that are not read from a file")
        return _from_memory(getattr(results, "cv_results_", results), "results")
    try:
        path = Path(results)
    except TypeError as error:
        raise ParameterError(
            f"results must be a file, a folder, or the cv_results_ of a search, is {type(results).__name__}"
        ) from error
    if path.is_dir():
        _refuse_options(options, (), f"{path}, a folder")
        return foreign.read_folder(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(os_error(error)) from error
    except ValueError as error:  # a path that no system takes
        raise DataError(f"{shown(str(path))}: {error}") from error
    return _from_content(content, path, options)


def _refuse_options(options: Mapping[str, Any], allowed: tuple[str, ...], what: str) -> None:
    useless = [key for key, value in options.items() if value is not None and key not in allowed]
    if useless:
        raise ParameterError(f"{listed(useless)} {'has' if len(useless) == 1 else 'have'} no meaning for {what}")


def _from_memory(results: Any, name: str) -> pd.DataFrame:
    if not isinstance(results, Mapping | pd.DataFrame) or not is_search(results):
        raise DataError(f"{name}: no cv_results_ of a search (params or param_..., split0_test_..., mean_test_...)")
    return read_search(results, name)


def _from_content(content: bytes, path: Path, options: dict[str, Any]) -> pd.DataFrame:
    name, packed = str(path), ""
    if content.startswith(b"\x1f\x8b"):
        try:
            content, packed = gzip.decompress(content), ", compressed with gzip"
        except (OSError, EOFError, zlib.error) as error:
            raise DataError(f"{name} is compressed with gzip, but damaged: {error}") from error
    _refuse_others(content, name)
    if content.startswith(b"PAR1"):
        _refuse_options(options, (), f"{name}, which is parquet")
        return _described_table(*_parquet(content, name), packed, name)
    if content.startswith(b"PK\x03\x04"):
        return _zipped(content, name, options, path, packed)
    stripped = content.lstrip(b"\xef\xbb\xbf \t\r\n")
    if stripped.startswith((b"{", b"[")):
        _refuse_options(options, (), f"{name}, which is JSON")
        return _json(stripped, path, packed)
    frame, words, notes = parse_text(content, name, options["sep"], options["encoding"], options["decimal"])
    _refuse_options(options, ("sep", "encoding", "decimal"), f"{name}, which is text")
    return _described_table(frame, words, notes, packed, name)


def _refuse_others(content: bytes, name: str) -> None:
    """Say of what is often passed by mistake what to do about it."""
    if not content:
        raise DataError(f"{name} is empty (0 bytes)")
    if content.startswith(b"version https://git-lfs"):
        raise DataError(f"{name} is a pointer of Git LFS, not the file itself: run git lfs pull")
    if content.startswith(b"\x80"):
        raise DataError(
            f"{name} was written by joblib or pickle: reading it runs whatever code it contains. If you trust who "
            "wrote it, load it yourself, and pass what it holds"
        )
    if content.startswith(_OLE):
        raise DataError(
            f"{name} is an Excel file that is protected by a password, or from before 2007: save it as .xlsx"
        )
    start = content[:1000].replace(b"\x00", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").lower()
    if start.startswith((b"<!doctype", b"<html", b"<head", b"<body", b"<table", b"<?xml", b"<meta", b"<div")):
        raise DataError(
            f"{name} is an HTML or XML page, not a table: the address perhaps leads to a page that shows the file; "
            "download the file itself, or save the sheet as CSV"
        )


def _described_table(frame: pd.DataFrame, words: str, notes: list[str], packed: str, name: str) -> pd.DataFrame:
    if is_search(frame.columns):
        return read_search(frame, name, f"read from {words}{packed}")
    if frame.empty:
        raise DataError(f"{name} has no row of results (columns {listed(frame.columns)})")
    sentence = f"{words}{packed}, {len(frame)} rows, {len(frame.columns)} columns"
    return described(frame, words.partition(" ")[0].rstrip(","), sentence, notes)


# --- formats ----------------------------------------------------------------------------------------------------------


def _flat_names(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    if isinstance(frame.columns, pd.MultiIndex):
        raise StudyError(
            f"{name}: columns have {frame.columns.nlevels} levels; join them before writing the table: "
            "frame.columns = ['_'.join(map(str, column)) for column in frame.columns]"
        )
    frame.columns = [str(column) for column in frame.columns]
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise StudyError(f"{name}: two columns have the same name {shown(twice)}; rename one")
    return frame


def _parquet(content: bytes, name: str) -> tuple[pd.DataFrame, str, list[str]]:
    frame, notes = _flat_names(parse_parquet(content, name), name), []
    if not isinstance(frame.index, pd.RangeIndex):
        names = [str(n) for n in frame.index.names if n is not None]
        if names and not set(names) & set(frame.columns):
            frame = frame.reset_index()
            notes.append(f"the index became columns ({listed(names)})")
        else:
            frame = frame.reset_index(drop=True)
            notes.append("the index was left out")
    return frame, "parquet", notes


def _zipped(content: bytes, name: str, options: dict[str, Any], path: Path, packed: str) -> pd.DataFrame:
    if content[30:].startswith((b"xl/", b"[Content_Types].xml", b"docProps/", b"_rels/")):  # the first member's name
        _refuse_options(options, ("sheet", "decimal"), f"{name}, which is an Excel file")
        return _described_table(*_excel(content, name, options["sheet"], options["decimal"]), packed, name)
    _refuse_options(options, (), f"{name}, which is an archive")
    body = foreign.read_archive(content, name)
    if foreign.form_of(body) != "Inspect":
        raise DataError(f"{name}: header.json is none of an Inspect log (no eval, status and task)")
    return foreign.read_records("Inspect", [(path, body)])


def _excel(content: bytes, name: str, sheet: Any, decimal: str | None) -> tuple[pd.DataFrame, str, list[str]]:
    require("excel", "openpyxl")
    try:
        with pd.ExcelFile(io.BytesIO(content), engine="openpyxl") as book:
            read = pd.read_excel(book, sheet_name=None, header=None, dtype=object, na_filter=False)
            tables = {str(title): table for title, table in read.items() if table.size}
    except Exception as error:  # a damaged archive, sheet or style raises anything
        raise DataError(f"{name} cannot be read as an Excel file: {' '.join(str(error).split())}") from error
    if sheet is None and len(tables) != 1:
        which = f"several hold values ({listed(map(repr, tables))}): pass sheet=" if tables else "none holds a value"
        raise DataError(f"{name}: of its sheets {which}")
    if sheet is not None and sheet not in tables:
        raise ParameterError(
            f"sheet: {name} has no sheet {shown(sheet)} with values; there are {listed(map(repr, tables))}"
        )
    title = sheet if sheet is not None else next(iter(tables))
    table = tables[title]
    header, *rows = table.to_numpy(dtype=object).tolist()
    numbers = [number for number, row in enumerate(rows, start=2) if any(cell != "" for cell in row)]
    columns = [[rows[number - 2][i] for number in numbers] for i in range(len(header))]
    cells, notes = check_header(Cells(header, columns, numbers), f"{name}, sheet {title!r}")
    frame, words, more = typed(cells, name, decimal)
    if len(numbers) < len(rows):
        notes.append(f"{len(rows) - len(numbers)} rows without any value were left out")
    return frame, ", ".join([f"Excel, sheet {title!r}", *words]), notes + more


# --- JSON -------------------------------------------------------------------------------------------------------------


def _json(content: bytes, path: Path, packed: str) -> pd.DataFrame:
    name, first = str(path), content.split(b"\n", 1)[0].strip()
    if first.startswith(b"{") and first.endswith(b"}") and content.strip() != first:
        lines = [(number, line) for number, line in enumerate(content.split(b"\n"), start=1) if line.strip()]
        rows = [(number, foreign.parse_json(line, f"{name}: row {number}")) for number, line in lines]
        return _described_table(*_records(rows, name, "JSON lines"), packed, name)
    body = foreign.parse_json(content, name)
    form = foreign.form_of(body)
    if form is not None:
        return foreign.read_records(form, [(path, body)])
    if isinstance(body, dict) and is_search(body):
        return read_search(body, name, "read from JSON")
    if isinstance(body, list):
        return _described_table(*_records(list(enumerate(body, start=1)), name, "JSON"), packed, name)
    raise DataError(
        f"{name} is JSON, but of no known form: {shown(sorted(body), most=80)} are its keys. Known are {_KNOWN}"
    )


def _records(rows: list[tuple[int, Any]], name: str, form: str) -> tuple[pd.DataFrame, str, list[str]]:
    for number, row in rows:
        if not isinstance(row, dict):
            raise DataError(f"{name}: row {number} is no object with names and values, but {shown(row, most=40)}")
    flat = [_flat(row) for _, row in rows]
    if not any(flat):
        raise DataError(f"{name} holds no row of results")
    for (number, _), row in zip(rows, flat, strict=True):
        key = next((key for key, value in row.items() if isinstance(value, list)), None)
        if key is not None:
            raise DataError(f"{name}: row {number}, column {key!r} holds a list; write a row for each value")
    keys = dict.fromkeys(key for row in flat for key in row)
    incomplete = [number for (number, _), row in zip(rows, flat, strict=True) if len(row) < len(keys)]
    notes = [f"{len(incomplete)} rows lack some of the keys (first row {incomplete[0]})"] if incomplete else []
    return pd.DataFrame({key: [row.get(key) for row in flat] for key in keys}), form, notes


def _flat(row: dict[str, Any], before: str = "") -> dict[str, Any]:
    """Return the values of an object in an object as ``outer.inner``."""
    flat: dict[str, Any] = {}
    for key, value in row.items():
        flat |= _flat(value, f"{before}{key}.") if isinstance(value, dict) else {before + key: value}
    return flat
