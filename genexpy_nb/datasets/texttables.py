"""Tables written as text: the encoding, the separator and the decimal mark are found, or an error asks for them."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import listed, shown, suggest
from genexpy_nb.common.errors import DataError, ParameterError, StudyError

#: What may stand between columns without being asked for, and how it is called.
SEPARATORS = {",": "','", ";": "';'", "\t": "tab", "|": "'|'"}

# Cells of a column of numbers that mean "no value"; in a column of text only the empty cell does.
_NO_VALUE = frozenset(["", "na", "n/a", "#n/a", "<na>", "nan", "null", "none", "-", "--", "?"])
_EXPONENT = r"(?:[eE][+-]?\d+)?"
_PLAIN = {mark: re.compile(rf"[+-]?(?:\d+{mark}?\d*|{mark}\d+){_EXPONENT}") for mark in (r"\.", ",")}
_GROUPED = {
    r"\.": re.compile(rf"[+-]?[1-9]\d{{0,2}}(?:,\d{{3}})+(?:\.\d*)?{_EXPONENT}"),
    ",": re.compile(rf"[+-]?[1-9]\d{{0,2}}(?:\.\d{{3}})+(?:,\d*)?{_EXPONENT}"),
}
_INFINITE = re.compile(r"[+-]?inf(?:inity)?", re.IGNORECASE)
_NOT_WHOLE = re.compile(r"[^\d\s+-]|[+-]\s*$", re.MULTILINE)  # also "-" for no value
_LEADING_ZERO = re.compile(r"^[+-]?0\d+$", re.MULTILINE)
_ALL_POINT = re.compile(rf"(?:{_PLAIN[chr(92) + '.'].pattern}\n)*")
_DOTTED = re.compile(r"^[+-]?[1-9]\d{0,2}(?:\.\d{3})$", re.MULTILINE)  # a number with "." and one in thousands alike
_LOGICAL = {"True": True, "False": False}
# A number with more in its cell: "93.3 (0.5)", "93.3 ± 0.5", "**93.3**", "\\textbf{93.3}", "$93.3$".
_ONE = r"[+-]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][+-]?\d+)?\s?%?"
_SPREAD = rf"{_ONE}\s*(?:(?:±|\+/?-|\\pm)\s*{_ONE}|\(\s*(?:±\s*)?{_ONE}\s*\)|\[[^\]]*\])"
_MORE = re.compile(rf"(?:\*\*|__|\$|\\\w+\{{|`)*(?:{_SPREAD}|{_ONE})[*_$`}}†‡\s]*")
_RULE = re.compile(r"\s*(?::?-+:?\s*)?")  # what stands in the second row of a table in Markdown
_MARKED = re.compile(r"(\*\*|__|`)(.+)\1")
_FEW_EXCEPTIONS = 0.2  # up to this share of text, a column was probably meant to hold numbers

# Letters and signs of Western European text, and those among the signs that may stand inside a word.
_WESTERN = re.compile(r"[\x00-\x7fÀ-ÖØ-öø-ÿŠšŽžŒœŸƒ°±²³µ·€–—‘’“”…«»×÷§©®™½¼¾¿¡ªº¹•‰†‡£¥\xa0]*")
_SIGN_IN_WORD = re.compile(r"[^\W\d_][^\w\s\x00-\x7f·–—‘’…×÷][^\W\d_]|[^\W\d_][²³¹ªº][^\W\d_]")
_FOREIGN_WORD = re.compile(r"[À-ÖØ-öø-ÿŠšŽžŒœŸ]{3}")

_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class Cells(NamedTuple):
    """A table before its columns have types: names, columns of cells, and the row of the file that each row is."""

    header: list[str]
    columns: list[list[Any]]
    rows: list[int]


# --- encoding ---------------------------------------------------------------------------------------------------------


def decode(content: bytes, name: str, encoding: str | None = None) -> tuple[str, str]:
    """Return the text of a file, and its encoding in words."""
    if encoding is not None:
        text, words = _decode_as(content, name, encoding), encoding
    else:
        text, words = _found_encoding(content, name)
    if "\x00" in text:
        line = text.count("\n", 0, text.index("\x00")) + 1
        raise DataError(f"{name}: row {line} holds a NUL byte: the file is damaged, or is no text (read as {words})")
    return text.removeprefix("\ufeff"), words


def _decode_as(content: bytes, name: str, encoding: str) -> str:
    try:
        return content.decode(codecs.lookup(encoding).name)
    except (LookupError, TypeError, ValueError) as error:
        if not isinstance(error, UnicodeDecodeError):
            known = ["utf-8", "utf-16", "latin-1", "cp1252", "cp1250", "cp1251", "shift_jis", "gb18030"]
            raise ParameterError(
                f"encoding: Python knows none called {shown(encoding)}{suggest(encoding, known)}"
            ) from error
        row = content.count(b"\n", 0, error.start) + 1
        raise DataError(f"{name}: row {row}: byte 0x{content[error.start]:02X} is not {encoding}") from error


def _found_encoding(content: bytes, name: str) -> tuple[str, str]:
    for bom, encoding in _BOMS:
        if content.startswith(bom):
            return _decode_as(content, name, encoding), f"{encoding.removesuffix('-sig')} with BOM"
    if b"\x00" in content[:4096]:
        zeros = [content[start:4096:2].count(0) for start in (0, 1)]
        if len(content) % 2 == 0 and min(zeros) == 0 and max(zeros) > 0.3 * len(content[:4096]) / 2:
            encoding = "utf-16-le" if zeros[1] else "utf-16-be"
            return _decode_as(content, name, encoding), encoding
    try:
        return content.decode("utf-8"), "utf-8"
    except UnicodeDecodeError as error:
        return _western(content, name, error), _western_words(content)


def _western(content: bytes, name: str, error: UnicodeDecodeError) -> str:
    row = content.count(b"\n", 0, error.start) + 1
    byte = f"{name}: row {row}: byte 0x{content[error.start]:02X} is no UTF-8"
    if any(ord(c) > 127 and c != "\ufffd" for c in content.decode("utf-8", errors="replace")):
        raise DataError(f"{byte}, though other letters are: the file was cut, or mixes encodings; pass encoding=")
    try:
        text = content.decode("cp1252")
    except UnicodeDecodeError:
        text = ""
    if text and _WESTERN.fullmatch(text) and not _SIGN_IN_WORD.search(text) and not _FOREIGN_WORD.search(text):
        return text
    from requests.compat import chardet  # charset_normalizer, if it is installed

    best = chardet.detect(content[:100_000])["encoding"] if chardet else None
    guess = f"; it may be {best}" if best else ""
    raise DataError(f"{byte}, and read as cp1252 the file is no Western European text{guess}: pass encoding=")


def _western_words(content: bytes) -> str:
    letters = dict.fromkeys(c for c in content.decode("cp1252") if ord(c) > 127)
    return f"cp1252 (no UTF-8; {listed(map(repr, letters), most=3)} read so)"


# --- rows -------------------------------------------------------------------------------------------------------------


def parse_text(
    content: bytes, name: str, sep: str | None = None, encoding: str | None = None, decimal: str | None = None
) -> tuple[pd.DataFrame, str, list[str]]:
    """Read a table with a header row from the bytes of a text file."""
    text, encoding_words = decode(content, name, encoding)
    announced = re.match(r'"?sep=(.)"?\r?\n', text)  # how Excel is told the separator
    if announced:
        text, sep = text[announced.end() :], sep or announced[1]
    if not text.strip():
        raise DataError(f"{name} is empty: there must be a header row, and a row for each evaluation")
    sep = _check_separator(sep) if sep is not None else _found_separator(text, name)
    cells, notes = _cells(text, name, sep, first=2 if announced else 1)
    if len(cells.header) == 1:
        raise DataError(f"{name}: with sep={sep!r} there is one column only, {shown(cells.header[0], most=60)}")
    names, columns, more = check_header(cells, name)
    frame, decimal_words, about = typed(Cells(names, columns, cells.rows), name, decimal)
    kind = "TSV" if sep == "\t" else "CSV"
    words = [
        f"{kind} with {'spaces' if sep == ' ' else SEPARATORS.get(sep, repr(sep))} between columns",
        *decimal_words,
    ]
    return frame, ", ".join([*words, f"encoding {encoding_words}"]), notes + more + about


def _check_separator(sep: Any) -> str:
    if not isinstance(sep, str) or len(sep) != 1 or sep in '\r\n"':
        raise ParameterError(f"sep must be one character, such as ',' or ';' or '\\t', is {shown(sep)}")
    return sep


def _reader(text: str, sep: str, strict: bool) -> Any:
    return csv.reader(io.StringIO(text, newline=""), delimiter=sep, skipinitialspace=True, strict=strict)


def _single_spaces(text: str) -> str:
    """Return the text without spaces and tabs at the ends of its lines, which would be columns."""
    return re.sub(r"[ \t]+$", "", re.sub(r"^[ \t]+", "", text, flags=re.MULTILINE), flags=re.MULTILINE)


def _found_separator(text: str, name: str) -> str:
    """Return the only separator under which the first rows have one width; `csv.Sniffer` names one also if two fit."""
    head = text[:65536]
    head = head[: head.rfind("\n") + 1] if len(text) > len(head) and "\n" in head else head
    fits: dict[str, float] = {}
    headers: dict[str, list[str]] = {}
    for sep in SEPARATORS:
        try:
            rows = [row for row in _reader(head, sep, strict=False) if any(row)]
        except csv.Error:
            continue
        width, n = Counter(map(len, rows)).most_common(1)[0] if rows else (1, 0)
        if width > 1:
            fits[sep], headers[sep] = n / len(rows), rows[0]
    whole = [sep for sep, share in fits.items() if share == 1 and len(headers[sep]) > 1]
    if len(whole) > 1:
        readings = " or ".join(f"{SEPARATORS[sep]} (columns {listed(map(repr, headers[sep]))})" for sep in whole)
        raise DataError(f"{name}: what stands between columns may be {readings}: pass sep=")
    if whole or fits:
        return whole[0] if whole else max(fits, key=lambda sep: (fits[sep], len(headers[sep])))
    first = text.lstrip().splitlines()[0]
    widths = {len(line.split()) for line in head.splitlines() if line.strip()}
    if len(widths) == 1 and max(widths) > 1 and len(head.split()) > max(widths):
        return " "
    remedy = "if it is spaces, pass sep=' '" if len(first.split()) > 1 else "a table of results needs several"
    raise DataError(
        f"{name}: row 1 is {shown(first, most=60)}, one column only under each of {listed(SEPARATORS.values())}: "
        f"{remedy}"
    )


def _cells(text: str, name: str, sep: str, first: int) -> tuple[Cells, list[str]]:
    reader = _reader(_single_spaces(text) if sep == " " else text, sep, strict=True)
    kept: list[list[str]] = []
    rows: list[int] = []
    n_blank, start = 0, first
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                kept.append(row)
                rows.append(start)
            else:
                n_blank += bool(row)
            start = reader.line_num + first
    except csv.Error as error:
        raise DataError(
            f"{name}: the row that begins in line {start} cannot be read ({error}): a quotation mark in it is not "
            "closed, or not doubled"
        ) from error
    width = len(kept[0])
    for row, number in zip(kept, rows, strict=True):
        if len(row) != width:
            raise DataError(
                f"{name}: row {number} has {len(row)} cells, the header has {width} ({listed(map(_one_line, kept[0]))})"
                f"; read with {SEPARATORS.get(sep, repr(sep))} between columns{_title_above(kept)}"
            )
    notes = [f"{n_blank} rows without any value were left out"] if n_blank else []
    if sep == "|" and len(kept) > 1 and all(map(_RULE.fullmatch, kept[1])):
        kept, rows = [[_unmarked(cell) for cell in row] for row in (kept[0], *kept[2:])], [rows[0], *rows[2:]]
        notes.append("the rule below the header, and marks such as **, are Markdown and were left out")
    return Cells(kept[0], [list(column) for column in zip(*kept[1:], strict=True)], rows[1:]), notes


def _title_above(rows: list[list[str]]) -> str:
    """Return a hint if the first row looks like a title or a comment: one cell, and all below of another width."""
    alone = sum(map(bool, rows[0])) == 1 and len({len(row) for row in rows[1:]}) == 1
    return "; is row 1 a title or a comment? The header must be the first row" if alone else ""


def _unmarked(cell: str) -> str:
    marked = _MARKED.fullmatch(cell.strip())
    return marked[2] if marked else cell.strip()


# --- header -----------------------------------------------------------------------------------------------------------


def _blank(cell: Any) -> bool:
    return cell is None or (isinstance(cell, float) and np.isnan(cell)) or not str(cell).strip()


def _one_line(cell: Any) -> str:
    return " ".join(str(cell).split())


def _is_counter(column: Sequence[Any]) -> bool:
    return [str(cell).removesuffix(".0") for cell in column] in (
        [str(i) for i in range(len(column))],
        [str(i) for i in range(1, len(column) + 1)],
    )


def check_header(cells: Cells, name: str) -> tuple[list[str], list[list[Any]], list[str]]:
    """Return the names of the columns, the columns, and what was done to both: every column gets one name of
    its own.
    """
    if not cells.rows:
        raise DataError(f"{name} has a header only ({listed(cells.header)}): no row of results")
    names, columns, notes = [], [], []
    nameless = []
    for position, (header, column) in enumerate(zip(cells.header, cells.columns, strict=True), start=1):
        title = "" if _blank(header) or re.fullmatch(r"Unnamed: \d+", str(header)) else str(header).strip()
        if re.search(r"[\r\n]", title):
            title = _one_line(title)
            notes.append(f"the name of column {position} was in several lines and is called {shown(title)}")
        if not title and all(map(_blank, column)):
            notes.append(f"column {position}, without a name and values, was left out")
        elif not title and position == 1 and _is_counter(column):
            notes.append("column 1, which only numbers the rows, was left out")
        elif not title and position == 1 and len(cells.header) > 1 and "index" not in cells.header:
            notes.append("column 1 had no name and is called 'index'")
            names.append("index")
            columns.append(column)
        else:
            nameless += [] if title else [position]
            names.append(title)
            columns.append(column)
    _check_names(names, nameless, cells.header, name)
    return names, columns, notes


def _check_names(names: list[str], nameless: list[int], header: list[Any], name: str) -> None:
    if names and all(_PLAIN[r"\."].fullmatch(title) for title in names):
        raise DataError(f"{name}: row 1 holds numbers only ({listed(names)}): the header with the names is missing")
    if nameless:
        raise DataError(
            f"{name}: columns without a name: {listed(nameless)}; are there merged header cells, a title above the "
            "header, or two header rows? Each column needs a name of its own in row 1"
        )
    twice = [title for title, n in Counter(names).items() if n > 1]
    if twice:
        positions = [i for i, title in enumerate(header, start=1) if _one_line(title) == _one_line(twice[0])]
        raise StudyError(
            f"{name}: columns {listed(positions)} have the same name {shown(twice[0])}; rename all but one"
        )
    if not names:
        raise DataError(f"{name} has no column with a name")


# --- values -----------------------------------------------------------------------------------------------------------


class _Seen(NamedTuple):
    """The first cell of a number that can be read with '.' only, with ',' only, and both ways ("1,234"; "1.234")."""

    point: dict[str, str]
    comma: dict[str, str]
    either: dict[str, str]
    dotted: dict[str, str]


def _reads(cell: str, mark: str) -> bool:
    return bool(_PLAIN[mark].fullmatch(cell) or _GROUPED[mark].fullmatch(cell) or _INFINITE.fullmatch(cell))


def _value_of(cell: str, mark: str) -> float:
    thousands, decimal = (",", ".") if mark == r"\." else (".", ",")
    return float(cell.replace(thousands, "").replace(decimal, "."))


def typed(cells: Cells, name: str, decimal: str | None = None) -> tuple[pd.DataFrame, list[str], list[str]]:
    """Return a frame in which columns of numbers are numbers, how they were read, and which columns are nearly
    numbers.
    """
    if decimal not in (None, ".", ","):
        raise ParameterError(f"decimal must be '.' or ',', is {shown(decimal)}")
    seen = _Seen({}, {}, {}, {})
    numeric = []
    notes, percent, more = [], [], {}
    columns = list(cells.columns)
    for position, title in enumerate(cells.header):
        if (plain := _without_percent(columns[position])) is not None:
            columns[position] = plain
            percent.append(title)
        is_numeric = _sort_cells(title, columns[position], cells.rows, seen)
        numeric.append(is_numeric)
        if is_numeric:
            continue
        if note := _nearly_numeric(title, columns[position], cells.rows):
            notes.append(note)
        elif place := _more_than_numbers(columns[position], cells.rows):
            more[title] = place
    notes += [*_about_percent(percent), *_about_more(more)]
    mark = _decimal_mark(seen, name, decimal)
    data = {
        title: _converted(column, mark) if is_numeric else _text(column) if is_numeric is False else _mixed(column)
        for title, column, is_numeric in zip(cells.header, columns, numeric, strict=True)
    }
    marked = any(seen)
    return pd.DataFrame(data), [f"'{mark[-1]}' as decimal mark"] if marked else [], notes


def _text_cells(column: Iterable[Any]) -> set[str] | None:
    """Return the different cells of a column that hold a value, or None if one of them is not text."""
    different = set(column)
    if not all(isinstance(cell, str) for cell in different):
        return None
    return {cell.strip() for cell in different if cell.strip().lower() not in _NO_VALUE}


def _sort_cells(title: str, column: list[Any], rows: list[int], seen: _Seen) -> bool | None:
    """Return whether a column holds numbers (None: typed already), and put an example of each kind into ``seen``."""
    cells = _text_cells(column)
    if cells is None:
        return None
    joined = "".join(f"{cell}\n" for cell in cells)
    if not cells or _LEADING_ZERO.search(joined):
        return False
    if _ALL_POINT.fullmatch(joined):  # the usual case, in one pass
        marked: Iterable[str] = cells if "." in joined else ()
    elif all(_reads(cell, r"\.") or _reads(cell, ",") for cell in cells):
        marked = sorted(cell for cell in cells if "." in cell or "," in cell)
    else:
        return False
    dotted = _DOTTED.search(joined) if not seen.dotted else None
    if dotted:
        seen.dotted[dotted[0]] = _place(title, column, rows, dotted[0])
    for cell in marked:
        point, comma = _reads(cell, r"\."), _reads(cell, ",")
        if point and comma and "," not in cell:
            continue
        kind = seen.either if point and comma else seen.point if point else seen.comma
        if not kind:
            kind[cell] = _place(title, column, rows, cell)
        if kind is seen.point and "," not in joined:
            break  # all others are of the same kind, or dotted
    return True


def _place(title: str, column: list[str], rows: list[int], cell: str) -> str:
    row = next(row for value, row in zip(column, rows, strict=True) if value.strip() == cell)
    return f"column {title!r}, row {row}"


def _decimal_mark(seen: _Seen, name: str, decimal: str | None) -> str:
    point = r"\."
    if decimal is not None:
        wrong = seen.comma if decimal == "." else seen.point
        for cell, place in wrong.items():
            raise DataError(f"{name}: {place}: {cell!r} is no number with {decimal!r} as decimal mark")
        return r"\." if decimal == "." else ","
    if seen.point and seen.comma:
        (a, place_a), (b, place_b) = next(iter(seen.point.items())), next(iter(seen.comma.items()))
        raise DataError(
            f"{name}: two decimal marks: {a!r} ({place_a}) is a number with '.', {b!r} ({place_b}) one with ','; write "
            "all numbers alike"
        )
    # "1.234" alone is what every program writes; beside "0,5" it may be another program's, and beside "1,234" too.
    unclear = seen.either if not seen.point and not seen.comma else seen.dotted if seen.comma else {}
    for cell, place in unclear.items():
        raise DataError(
            f"{name}: {place}: {cell!r} is {_value_of(cell, ','):.10g} if ',' is the decimal mark, and "
            f"{_value_of(cell, point):.10g} if '.' is: pass decimal=',' or decimal='.'"
        )
    return "," if seen.comma else r"\."


def _nearly_numeric(title: str, column: list[Any], rows: list[int]) -> str | None:
    values = [(str(cell).strip(), row) for cell, row in zip(column, rows, strict=True) if not _blank(cell)]
    values = [(cell, row) for cell, row in values if cell.lower() not in _NO_VALUE]
    others = [(cell, row) for cell, row in values if not _reads(cell, r"\.") and not _reads(cell, ",")]
    if not others or len(others) > _FEW_EXCEPTIONS * len(values):
        return None
    cell, row = others[0]
    return f"column {title!r} is text: row {row} holds {shown(cell, most=40)} among numbers"


def _without_percent(column: list[Any]) -> list[str] | None:
    """Return the cells of a column without their signs %, if each cell with a value is a number with one."""
    first = next((cell for cell in column if not _blank(cell)), None)
    if not isinstance(first, str) or not first.strip().endswith("%"):
        return None
    cells = _text_cells(column)
    if not cells or not all(cell.endswith("%") for cell in cells):
        return None
    plain = {cell: cell[:-1].rstrip() for cell in cells}
    if not all(_reads(cell, r"\.") or _reads(cell, ",") for cell in plain.values()):
        return None
    return [plain.get(cell.strip(), cell) for cell in column]


def _about_percent(titles: list[str]) -> list[str]:
    which = f"column {titles[0]!r}" if len(titles) == 1 else f"columns {listed(map(repr, titles))}"
    return [f"{which}: the sign % was left out, and 50% is 50"] if titles else []


def _more_than_numbers(column: list[Any], rows: list[int]) -> tuple[str, int] | None:
    """Return the first cell, and its row, that holds a number and more, if all cells with a value hold a number."""
    first = next((cell for cell in column if not _blank(cell)), None)
    if not isinstance(first, str) or not _MORE.fullmatch(first.strip()):
        return None
    cells = _text_cells(column)
    if not cells or not all(map(_MORE.fullmatch, cells)):
        return None
    for cell, row in zip(column, rows, strict=True):
        if cell.strip() in cells and not _reads(cell.strip(), r"\.") and not _reads(cell.strip(), ","):
            return cell.strip(), row
    return None  # numbers that begin with zero: names


def _about_more(found: dict[str, tuple[str, int]]) -> list[str]:
    if not found:
        return []
    title, (cell, row) = next(iter(found.items()))
    which = f"column {title!r} is" if len(found) == 1 else f"columns {listed(map(repr, found))} are"
    return [
        f"{which} text: row {row} of {title!r} holds {shown(cell, most=40)}, more than a number; write a mean and its "
        "spread into columns of their own, and numbers without marks"
    ]


def _converted(column: list[str], mark: str) -> pd.Series:
    try:
        numbers = list(map(float, column)) if mark != "," else []
    except ValueError:  # no value, or thousands
        numbers = []
    if not numbers:
        values = (cell.strip() for cell in column)
        numbers = [np.nan if value.lower() in _NO_VALUE else _value_of(value, mark) for value in values]
    if not _NOT_WHOLE.search("\n".join(column)) and all(cell.strip() for cell in column):
        whole = [int(cell) for cell in column]
        if max(map(abs, whole)) < 2**63:
            return pd.Series(whole, dtype="int64")
        return _text(column)  # too long for a number: an identifier
    return pd.Series(numbers, dtype="float64")


def _text(column: list[Any]) -> pd.Series:
    if all(map(_blank, column)):
        return pd.Series(np.nan, index=range(len(column)), dtype="float64")
    if set(column) <= set(_LOGICAL):
        return pd.Series([_LOGICAL[cell] for cell in column], dtype=bool)
    return pd.Series([None if _blank(cell) else cell for cell in column]).infer_objects()


def _mixed(column: list[Any]) -> pd.Series:
    """Return a column of an Excel sheet, in which numbers are numbers already, and "NA" beside them is no value."""
    has_number = any(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in column)
    if has_number:
        column = [None if isinstance(cell, str) and cell.strip().lower() in _NO_VALUE else cell for cell in column]
    return _text(column)
