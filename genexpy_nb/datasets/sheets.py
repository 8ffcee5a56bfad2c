"""Sheets of Excel files."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple

import pandas as pd

from genexpy_nb.common.checks import listed, shown
from genexpy_nb.common.errors import DataError, ParameterError, load_extra
from genexpy_nb.datasets.texttables import EXACT, check_header, laid_out, same_columns, typed

_LAST_ROW = 2**20  # of a sheet


def read_sheet(content: bytes, name: str, asked: Any) -> tuple[pd.DataFrame, str, list[str]]:
    """Return the table in a sheet of an Excel file, how it was read, and notes."""
    sheet = asked.options["sheet"]
    with _book(content, name, data_only=True) as book:
        filled = {page.title: _filled(page) for page in book.worksheets}
    sheets = {title: found for title, found in filled.items() if found.rows}
    if sheet is None and len(sheets) != 1:
        which = f"several hold values: pass sheet={listed(map(repr, sheets))}" if sheets else "none holds a value"
        held = {title: {(*row.values(),) for row in found.rows.values()} for title, found in sheets.items()}
        whole = [t for t in held if any(o != t and _ends_so(held[o], held[t]) for o in held)]  # holds another one
        headers = {title: [*next(iter(sheets[title].rows.values())).values()] for title in sheets if title not in whole}
        raise DataError(f"{name}: of its sheets {which}{same_columns(headers)}")
    if sheet is not None and sheet not in sheets:
        raise ParameterError(
            f"sheet: {name} has no sheet {shown(sheet)} with values; there are {listed(map(repr, sheets))}"
        )
    title = sheet if sheet is not None else next(iter(sheets))
    chosen, where = sheets[title], f"{name}, sheet {title!r}"
    notes = _checked(chosen, where, content, title, asked)
    positions = sorted({position for row in chosen.rows.values() for position in row})
    asked.limit.check(where, len(positions), "columns", asked.limit.columns)
    rows = [[row.get(position, "") for position in positions] for row in chosen.rows.values()]
    n_blank = max(chosen.rows) - min(chosen.rows) + 1 - len(rows)
    cells, about = laid_out(rows, [*chosen.rows], n_blank, where, "")
    cells, more = check_header(cells._replace(positions=[*positions, positions[-1] + 1][: len(cells.header)]), where)
    frame, words, typed_so = typed(cells, name, asked.options["decimal"], asked.codes)
    return frame, ", ".join([f"Excel, sheet {title!r}", *words]), notes + about + more + typed_so


def _ends_so(part: set[tuple[Any, ...]], whole: set[tuple[Any, ...]]) -> bool:
    """Say whether all rows of a sheet stand in another one, perhaps after a number for each."""
    return len(part) > 1 and part <= whole | {row[1:] for row in whole}


class _Sheet(NamedTuple):
    """The cells of a sheet that hold something, wherever they are."""

    rows: dict[int, dict[int, Any]]
    errors: dict[tuple[int, int], str]
    empty: set[tuple[int, int]]  # there, but without a value: set in colour, or a formula that was never computed


@contextmanager
def _book(content: bytes, name: str, data_only: bool) -> Iterator[Any]:
    openpyxl = load_extra("excel", "openpyxl")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about what else is in the file: charts, validation, styles
            yield openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=data_only, keep_links=False)
    except (DataError, MemoryError):
        raise
    except Exception as error:  # a damaged archive, sheet or style raises anything
        raise DataError(f"{name} cannot be read as an Excel file: {' '.join(str(error).split())}") from error


def _filled(sheet: Any) -> _Sheet:
    found = _Sheet({}, {}, set())
    for number, row in _numbered_rows(sheet):
        values = {}
        for cell in row:
            value = cell.value
            if cell.data_type == "e" and value is not None:
                found.errors[number, cell.column] = str(value)
            if isinstance(value, float) and value.is_integer() and abs(value) < EXACT:
                value = int(value)
            if value is not None and not (isinstance(value, str) and not value.strip()):
                values[cell.column] = value
            elif value is None and cell.data_type == "n" and hasattr(cell, "column"):
                found.empty.add((number, cell.column))
        if values:
            found.rows[number] = values
    return found


def _numbered_rows(sheet: Any) -> Iterator[tuple[int, Any]]:
    """Yield the rows of a sheet up to the last one that Excel can have; what the file says of its size is not used."""
    sheet.reset_dimensions()
    for number, row in enumerate(sheet.iter_rows(), start=1):
        if number > _LAST_ROW:
            raise ValueError(f"sheet {sheet.title!r} has a row after row {_LAST_ROW:,}")
        yield number, row


def _checked(sheet: _Sheet, where: str, content: bytes, title: str, asked: Any) -> list[str]:
    """Raise `DataError` for a cell whose value is not known; "#N/A" is how a sheet says that there is none."""
    get_column_letter = import_module("openpyxl.utils").get_column_letter
    absent = []
    for (row, column), value in sheet.errors.items():
        cell = f"{get_column_letter(column)}{row}"
        if value == "#N/A":
            absent.append(cell)
            sheet.rows[row][column] = ""
        elif value.strip().lower() not in asked.codes:
            raise DataError(f"{where}: cell {cell} is {value}: mend its formula, or pass missing_codes='{value}'")
    with _book(content, where, data_only=False) as book:
        cells = (cell for _, row in _numbered_rows(book[title]) for cell in row) if sheet.empty else ()
        formulas = (cell for cell in cells if cell.data_type == "f" and (cell.row, cell.column) in sheet.empty)
        if never := next(formulas, None):
            formula = shown(getattr(never.value, "text", never.value), most=40)
            raise DataError(
                f"{where}: cell {never.coordinate} holds the formula {formula}, which was never computed: open the "
                "file in Excel or LibreOffice, and save it"
            )
    return [f"{len(absent)} cells with #N/A have no value, the first is {absent[0]}"] if absent else []
