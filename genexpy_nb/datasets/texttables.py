"""Tables written as text: the separator, the header and the decimal mark are found, and what was found is said."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import count, takewhile
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import listed, shown
from genexpy_nb.common.errors import DataError, ParameterError
from genexpy_nb.common.files import EXACT, Limit, Note
from genexpy_nb.datasets.opening import stacked
from genexpy_nb.datasets.words import MOST_FACTOR_LEVELS, SECTION, among, direction_of, sums_up

#: What may stand between columns without being asked for, and how it is called.
SEPARATORS = {",": "','", ";": "';'", "\t": "tab", "|": "'|'"}

# Cells of a column of numbers that mean "no value"; in a column of text only the empty cell does.
NO_VALUE = frozenset(["", "na", "n/a", "n.a.", "#n/a", "<na>", "nan", "null", "none", "--", "---", *"-?\u2013\u2014"])
_ZEROS = frozenset(f"0{mark}{'0' * n}" for mark in ".," for n in range(9))  # as 0 is written, too
_NAME = re.compile(r"[+-]?0\d+")  # "007" is no number
_WHOLE = re.compile(r"[+-]?\d+")
_FEW_EXCEPTIONS = 0.2  # up to this share of text, a column was probably meant to hold numbers
_ONE_EXCEPTION = 0.5  # the same, if it is one text again and again
_SPREADS = ("\u00b1", "+/-", "+-")  # between a mean and its spread
NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_NUMBER_AND_MORE = re.compile(rf"{NUMBER}\s*(?:(?:[(\[%±*†‡]|\+/?-).*)?")
_PLUS = re.compile(r"\*{0,3}(?:\d{1,20}\.\d{1,20}|nan)\+(?:\d{1,20}\.\d{1,20}|nan)\*{0,3}")  # in a whole column
_SHARE = re.compile(r"[+-]?\d{1,6}(?:\.\d{1,6})? ?%")
_AROUND = "*_~ \u2020\u2021\u00a7"  # bold, italic, struck out, and marks of footnotes
_DECORATION = re.compile(
    r":(?!\w*(?:down|minus|up))[a-z]\w{1,40}:|[☀-➓⭐\ufe0f🌀-📇📊-🔹😀-🫿]|(?:(?<=\.\d)|(?<=[\d.]\d\d))[¹²³⁰⁴-⁹]"
)
_RAISED = re.compile(r"</?su[bp]>|[\^_]\{|[{}$]")  # what sets a spread higher or lower
_MARKS = _AROUND + "¹²³⁴⁵⁶⁷⁸⁹⁰ᵃᵇᶜᵈ#¶%"  # behind a spread
_AFTER = re.compile(r"(?: ?(?:[↑↓▲▼]|:[a-z]\w{1,40}:)){1,4}$")
_BRACKETS = re.compile(
    r"(?: ?[(\[](?:[\d.,;:%±+\-–—−/# ]|(?<=\d)[eE]|CI|to|[nN] ?=|SD|SE|[x×](?=[)\]])|best)+(?:[)\]]|$)){1,3}$"
)  # "0.7 (95% CI 0.6-0.8)", "3.6 (1.2x)"
_UNIT = r"(?:[µnm]?s|secs?|min|[cdkmnµ]?m|dB|px|[KMG]i?B|[mk]?[JW]h?|°)(?:/[ms])?"
_MEASURED = re.compile(rf"([+-]?\d{{1,12}}(?:\.\d{{1,12}})?(?:[eE][+-]?\d{{1,3}})?) ?({_UNIT})")
OF = re.compile(r"^\s{0,9}\d{1,9} ?/ ?\d{1,9} ?= ?(?=\d{1,3}(?:\.\d{1,20})? ?%$)")  # "76 / 100 = 76.0%"
PERCENT = re.compile(rf"(?:{OF.pattern})?-?\d{{1,3}}(?:\.\d{{1,20}})? ?%")
_FRACTION = re.compile(r"(\d{1,9}) ?/ ?(\d{1,9})")


def _number(mark: str, thousands: str) -> re.Pattern:
    # Each digit can be read in one way only, so that the time is linear in the length of the cell.
    plain = rf"(?:\d+(?:{mark}\d*)?|{mark}\d+|[1-9]\d{{0,2}}(?:{thousands}\d{{3}})+(?:{mark}\d*)?)(?:e[+-]?\d+)?"
    return re.compile(rf"[+-]?(?:{plain}|inf|infinity)", re.IGNORECASE)


_NUMBERS = {".": _number(r"\.", ","), ",": _number(",", r"\.")}  # by the decimal mark; the other one is for thousands


class Cells(NamedTuple):
    """A table before its columns have types: names, columns of cells, and the row of the file that each row is."""

    header: list[Any]
    columns: list[list[Any]]
    rows: list[int]
    positions: Sequence[int] = ()  # of the columns in the file, if some between them are not there


# --- rows -------------------------------------------------------------------------------------------------------------


def _reader(text: str, sep: str, strict: bool) -> Any:
    if sep == " ":
        text = "\n".join(" ".join(line.split()) for line in text.splitlines())
    return csv.reader(io.StringIO(text, newline=""), delimiter=sep, skipinitialspace=True, strict=strict)


def found_separator(text: str, name: str) -> str:
    """Return the separator under which most of the first rows have one width; of several, that of most columns."""
    head = text if len(text) <= 65536 else text[: text.rfind("\n", 0, 65536) + 1] or text[: 2**20]
    fits: dict[str, tuple[float, int]] = {}
    for sep in (*SEPARATORS, " "):
        try:
            found = [len(row) for row in _reader(head, sep, strict=False) if any(row)]
            widths = Counter(found[sep == " " and found[:1] == [1] :])  # names may be separated otherwise
        except csv.Error:
            continue
        width, n = widths.most_common(1)[0] if widths else (1, 0)
        if width > 1 and (sep != " " or (not fits and len(widths) == 1 and n > 1)):
            fits[sep] = n / widths.total(), width
    if fits:
        return max(fits, key=lambda sep: fits[sep])
    first, *below = head.strip().splitlines()
    if len(below) == 1 and is_number_cell(below[0].strip()) and not is_number_cell(first):
        return ","  # one number, as the only one of a run that has a file of its own
    remedy = "a table of results needs several"  # with spaces between columns rows have no width in common
    if first.strip() == "---" and re.match(r"\w[\w-]{0,40}:", below[0] if below else ""):
        remedy = "this is YAML: if there is nothing else in it, let the name of the file end in .yml"
    if below and all(is_number_cell(line.strip()) for line in below if line.strip()) and not is_number_cell(first):
        remedy += ". If rows are steps of a run, which are no experiments, write one number for each run to one table, "
        remedy += "with columns for what the names of files and folders say, such as the method and the data set"
    where = f"{name}: row 1 is {shown(first, most=60)}, one column only under each of"
    raise DataError(f"{where} {listed(SEPARATORS.values())}: {remedy}")


def without_comments(text: str) -> tuple[str, int]:
    """Return a text without lines of comment above its header, which may begin as they do; and how many these were."""
    lines = text.splitlines(True) if text.lstrip()[:1] in ("#", "%") else []
    n = sum(1 for _ in takewhile(lambda line: line[:1] in ("#", "%") or not line.strip(), lines))
    comments = [line for line in lines[:n] if line.strip()]
    for sep in (*SEPARATORS, None) if lines[n + 1 :] else ():  # without any: spaces
        end = comments[-1].lstrip("# ") if sep is None else comments[-1]
        last, header, *rows = ([cell.strip() for cell in row.split(sep)] for row in [end, *lines[n : n + 20]])
        if len(header) > 1 and 2 * sum(len(row) == len(header) for row in rows) > len(rows):
            again = any(a == b for row in rows for a, b in zip(header, row, strict=False))
            named = comments[-1][1:2] == " " and not again and not any(map(is_number_cell, header))
            own = [end] * (len(last) == len(header) and not named and end[1:2] != "{")
            return "".join([*own, *lines[n:]]), len(comments) - len(own)
    return text, 0


def cells_of(text: str, name: str, sep: str, first: int, limit: Limit) -> tuple[Cells, list[str]]:
    """Return the cells of a text with a separator between them, and which rows were left out, and why."""
    n_columns = 1 + text.count(sep, 0, text.find("\n") + 1 or None)
    limit.check(name, n_columns if sep != " " else 1, "columns", limit.columns)
    reader = _reader(text, sep, strict=True)
    kept, rows = list[list[str]](), list[int]()
    n_blank, start = 0, first
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                kept.append([cell.rstrip() for cell in row] if sep == "|" else row)  # padded, for the eye
                rows.append(start)
            else:
                n_blank += bool(row)
            start = reader.line_num + first
    except csv.Error as error:
        why = "a quotation mark in it is not closed, or not doubled"
        raise DataError(f"{name}: the row that begins in line {start} cannot be read ({error}): {why}") from error
    first_row, width = kept[0] if kept else [], Counter(map(len, kept[1:])).most_common(1)
    told = width and width[0][0] > 1 == len(first_row) and any(map(is_number_cell, kept[1]))  # row 1 is no title
    for other in (*SEPARATORS, None) if told else ():
        if len(names := [cell.strip() for cell in first_row[0].split(other)]) == width[0][0]:
            found, notes = laid_out([names, *kept[1:]], rows, n_blank, name, sep)
            return found, [*notes, "names of columns are separated otherwise than what is below"]
    return laid_out(kept, rows, n_blank, name, sep)


def laid_out(kept: list[list[Any]], rows: list[int], n_blank: int, name: str, sep: str) -> tuple[Cells, list[str]]:
    """Return rows of cells as columns below a header, without titles and headers among them, and what was left out."""
    if not kept:
        raise DataError(f"{name} holds no cells: there must be a header row, and a row for each evaluation")
    kept, rows, blocks = stacked(kept, rows)
    filled = [[cell for cell in row if str(cell).strip()] for row in kept[:100]]
    above = sum(1 for _ in takewhile(lambda cells: len(cells) == 1, filled))  # rows with a title
    above *= [len(cells) > 2 for cells in filled[above : above + 2]] == [True, True]  # above three columns or more
    kept, rows, header = kept[above:], rows[above:], kept[above]
    filled = [[cell for cell in row if str(cell).strip()] for row in kept]
    start = int(len(header) > 2 and not any(is_number_cell(str(cell)) for cell in header))
    again = [i for i, row in enumerate(kept) if i and row[start:] == header[start:]]
    alone = {i: str(row[0]) for i, row in enumerate(filled) if i and len(row) == 1 < len(header) - 1}
    alone = {i: text for i, text in alone.items() if not is_number_cell(text) and 2 * len(alone) < len(kept)}
    if any(kept[i][0] != header[0] for i in again):  # "Adult" above the names of methods
        alone |= {i: kept[i][0] for i in (0, *again)}
    beside = [[text for cell in row[1:] if (text := str(cell).strip())] for row in kept]
    shares = {i: repr(str(kept[i][0])) for i, c in enumerate(beside) if len(c) > 1 and all(map(_SHARE.fullmatch, c))}
    shares = {i: name for i, name in shares.items() if not direction_of(name)[0]}  # "mape" is a measure
    plain = [cells for cells in beside if any(map(is_number_cell, cells))]
    if len(shares) >= len(plain) or any("%" in cell for cells in plain for cell in cells):
        shares = {}
    without = {*again, *alone, *shares} - {0}
    parts = _parts(kept, alone, without)
    kept = [row for i, row in enumerate(kept) if i not in without]
    rows = [number for i, number in enumerate(rows) if i not in without]
    for row, number in zip(kept, rows, strict=True):
        if len(row) != len(header):
            remedy = f"; one with more is perhaps not in quotation marks although it holds {sep!r}; mend that row"
            if len(row) < len(header):
                remedy = "; write what is missing in it as empty cells"
            if len(header) == 1:
                remedy = "; is row 1 a title or a comment? The header must be the first row"
            said = f"{len(header)} ({listed(_one_line(str(title)[:60]) for title in header)}); read with "
            said += SEPARATORS.get(sep, repr(sep))
            raise DataError(f"{name}: row {number} has {len(row)} cells, the header has {said} between columns{remedy}")
    if len(header) == 1 and sep and len(kept) > 2:
        raise DataError(f"{name}: with sep={sep!r} there is one column only, {shown(header[0], most=60)}")
    notes = [*blocks, *[f"{n_blank} rows without any value were left out"] * (n_blank > 0)]
    notes += [f"rows above the header were left out: {above}"] if above else []
    if which := listed(dict.fromkeys(shares.values()), 3):
        notes.append(f"rows in percent were left out: {which}. Are they no results?")
    if alone:
        became = f"became column {SECTION!r}" if parts else "were left out"
        notes.append(f"rows with a name and nothing else {became}: {listed(map(repr, alone.values()), 3)}")
    if parts:
        header[0] = "" if 0 in alone else header[0]
        kept = [[*row, part] for row, part in zip(kept, [SECTION, *parts], strict=True)]
    notes += [f"rows that repeat the header were left out: {len(again)}"] if again else []
    return Cells(kept[0], [list(column) for column in zip(*kept[1:], strict=True)], rows[1:]), notes


def _parts(rows: Sequence[Sequence[str]], alone: dict[int, str], without: Collection[int]) -> list[str]:
    """Return the row with a name alone that stands above each row, if only they tell rows of one name apart."""
    kept = [i for i in range(1, len(rows)) if i not in without]
    above = [max((j for j in alone if j < i), default=0) for i in kept]
    names = [rows[i][0] for i in kept]
    told = 0 in alone or len({*names}) < len({*zip(above, names, strict=True)}) == len(names)
    return [alone.get(j, "") for j in above] if told and SECTION not in rows[0] else []


# --- header -----------------------------------------------------------------------------------------------------------


def _blank(cell: Any) -> bool:
    return cell is None or (isinstance(cell, float) and np.isnan(cell)) or not str(cell).strip()


def _one_line(cell: Any) -> str:
    return " ".join(str(cell).split())


def check_header(cells: Cells, name: str) -> tuple[Cells, list[str]]:
    """Return the table with one name for each column, and what was done to its names and columns."""
    if not cells.rows:
        names = listed(_one_line(str(title)[:60]) for title in cells.header)
        raise DataError(f"{name} has a header only ({names}): no row of results")
    titles = ["" if _blank(t) or re.fullmatch(r"Unnamed: \d+", str(t)) else str(t).strip() for t in cells.header]
    kept, notes = dict[int, str](), list[str]()
    if two := _joined_titles(titles, [column[0] for column in cells.columns]):
        notes.append(f"two rows of names were joined, as {shown(max(two, key=len))}")
        if two[0] not in (titles[0], cells.columns[0][0]):
            both = f"{titles[0]!r} and {cells.columns[0][0]!r} were taken for names of the two rows of names"
            notes.append(f"{both}, and not of column 1: does it hold what is compared?")
        titles, cells = two, Cells(two, [column[1:] for column in cells.columns], cells.rows[1:], cells.positions)
    parts = [part.strip() for part in re.split(r"[/\\]", titles[0])]
    kinds = [kind for part in parts for kind in ("compared", "task case") if among(part, kind)]
    if len(parts) == len({*kinds}) == len(kinds) == 2 and not any("/" in str(cell) for cell in cells.columns[0]):
        notes.append(f"column 1, {shown(titles[0])}, says what rows and columns are, and is called {parts[0]!r}")
        titles = [parts[0], *titles[1:]]
    positions = cells.positions or range(1, len(titles) + 1)
    values = dict(zip(positions, cells.columns, strict=True))
    counted = [[str(first + i) for i in range(len(cells.rows))] for first in (0, 1)]
    for position, title in zip(positions, titles, strict=True):
        column, called = values[position], f"column {position}"
        called = called if position > positions[0] else "name" if SECTION in titles else "index"
        if "\n" in title or "\r" in title:
            title = _one_line(title)
            notes.append(f"the name of column {position} was in several lines and is called {shown(title)}")
        there = [] if title else [cell for cell in column if not _blank(cell) and re.search(r"\w", str(cell))]
        lone = len(there) < 2 and position <= len(titles)
        few = 4 * len(there) <= len(column) and (lone or not any(is_number_cell(str(cell)) for cell in there))
        if not title and (not there or (few and position > positions[0])):  # remarks beside the table
            holding = f"with {shown(there[0])} only" if there else "without values"
            notes.append(f"column {position}, without a name and {holding}, was left out")
        elif not title and [str(cell).removesuffix(".0") for cell in column] in counted:
            notes.append(f"column {position}, which only numbers the rows, was left out")
        elif not title and called not in titles and (called in ("name", "index") or _name_rows(column, titles)):
            kept[position] = called
            notes.append(f"column {position} had no name and is called {called!r}")
        else:
            kept[position] = title
    _check_names(kept, values, name)
    own, more = _each_its_own(list(kept.values()))
    return Cells(own, [values[position] for position in kept], cells.rows), notes + more


def _name_rows(column: Sequence[Any], titles: Sequence[str]) -> bool:
    """Say whether cells without a name above them are names, nearly each of one row."""
    texts = [str(cell).strip() for cell in column]
    return len(titles) > 3 and all(texts) and 2 * len({*texts}) > len(texts) and not any(map(is_number_cell, texts))


def _joined_titles(titles: Sequence[str], below: Sequence[Any]) -> list[str]:
    """Return names of columns that stand in two rows: of several columns each, or above their units; or none."""
    upper = pd.Series([title or None for title in titles], dtype=object).ffill().fillna("").tolist()
    lower = ["" if _blank(cell) else _one_line(cell) for cell in below]
    several = [lower[i] for i, title in enumerate(upper) if i and title and upper.count(title) > 1]
    numbers = [cell for cell in lower[1:] if is_number_cell(cell)]
    both = titles[0] and lower[0] and (numbers or "" not in titles or not (any(titles[1:]) and all(lower)))
    wrong = both or (numbers and (lower[0] or not all(map(_WHOLE.fullmatch, numbers))))
    alone = len(lower) > 2 and not lower[0] and not numbers
    units = list(filter(None, lower[1:])) if alone and all(titles) and sum(map(bool, lower)) > len(lower) / 2 else []
    told = several or units or (lower[1:] if alone else [])
    names = [" ".join(filter(None, parts)) for parts in zip(upper, lower, strict=True)]
    names[0] = lower[0] if not titles[0] or among(lower[0], "compared task case name") else titles[0]
    if among(lower[0], "metric") and among(titles[0], "task case"):  # they say what stands in these rows
        names[0] = "name"
    return names if told and all(told) and not wrong and len({*names}) == len(names) else []


def _check_names(names: dict[int, str], values: dict[int, list[Any]], name: str) -> None:
    missing = f"the header with names is missing: write {len(names)} names above it, such as 'method', 'task', 'score'"
    if names and all(_NUMBERS["."].fullmatch(title) for title in names.values()):
        raise DataError(f"{name}: row 1 holds numbers only ({listed(names.values())}): {missing}")
    below = [title for position, title in names.items() if title and title in {str(cell) for cell in values[position]}]
    if len(below) > 1 and 2 * len(below) >= len(names):
        which = f"row 1 holds results ({listed(map(shown, below), 3)} stand below it, too)"
        raise DataError(f"{name}: {which}: {missing}")
    if nameless := [position for position, title in names.items() if not title]:
        why = "are there merged header cells, a title above the header, or two header rows?"
        raise DataError(f"{name}: columns without a name: {listed(nameless)}; {why} Each column needs one in row 1")
    if not names:
        raise DataError(f"{name} has no column with a name")


def _each_its_own(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return names of which each stands once, and what was done to those that stand several times."""
    own, again = list(names), {name: n for name, n in Counter(names).items() if n > 1}
    for name in again:
        for i in [i for i, other in enumerate(names) if other == name][1:]:
            own[i] = next(new for n in count(2) if (new := f"{name}.{n}") not in own)
    called = [f"{shown(name, 40)} ({n} times)" for name, n in again.items()]
    return own, [f"columns with the same name were numbered, as name.2: {listed(called, 3)}"] if again else []


# --- values -----------------------------------------------------------------------------------------------------------


def is_number_cell(cell: str) -> bool:
    """Say whether a cell is a number with either decimal mark, and nothing else."""
    return any(form.fullmatch(cell) for form in _NUMBERS.values())


def typed(
    cells: Cells, name: str, decimal: str | None, codes: dict[str, int]
) -> tuple[pd.DataFrame, list[str], list[str]]:
    """Return a frame in which columns of numbers are numbers, how they were read, and notes on single columns."""
    if decimal not in (None, ".", ","):
        raise ParameterError(f"decimal must be '.' or ',', is {shown(decimal)}")
    notes, columns = list[str](), dict[str, list[Any]]()
    numeric: dict[str, list[str]] = {}  # the different cells with a value
    bared, example = dict[str, int](), tuple[str, ...]()  # cells with something around the number
    bounds, units = dict[str, None](), dict[str, list[str]]()
    no_value = NO_VALUE.union(codes, _ZEROS if "0" in codes else ())
    for title, as_given in zip(cells.header, cells.columns, strict=True):
        given = [OF.sub("", str(cell)) for cell in as_given] if "= " in str(as_given[:1]) else as_given
        column, values = given, _values(given, no_value)
        plus = all(_PLUS.fullmatch(value) for value in values or ())
        if unit := "%" if values and _are_percent(values) else _unit(values or ()):
            plain = {cell: cell.strip().removesuffix(unit).rstrip() for cell in {*column}}
            column = [plain[cell] if is_number_cell(plain[cell]) else cell for cell in column]
            units.setdefault(unit, []).append(title)
        elif values and all((shares := {value: share(value) for value in values}).values()):
            column = [shares.get(cell.strip(), cell) for cell in column]
            notes.append(f"column {title!r}: of fractions the share was taken, and {values[0]} is {shares[values[0]]}")
        elif (bare := {v: bare_number(v, ("+",) if plus else _SPREADS) for v in values or ()}) and _are_numbers(bare):
            dressed = {value: number for value, number in bare.items() if value != number}
            example = example or next(iter(dressed.items()))
            bounds |= dict.fromkeys(value for value in dressed if value[:1] in "<>\u2264\u2265")
            bared[title] = sum(cell.strip() in dressed for cell in column)
            column = [dressed.get(cell.strip(), cell) for cell in column]
        values = values if column is given else _values(column, no_value)
        columns[title] = column
        if values and all(map(is_number_cell, values)) and not any(map(_NAME.fullmatch, values)):
            numeric[title] = values
        elif note := _nearly_numeric(title, column, cells.rows, no_value):
            notes.append(note)
    for unit, of in units.items():
        what = f"the {'sign' if unit == '%' else 'unit'} {unit} was left out, and 50{unit} is 50"
        notes.append(Note(f"column{'s' * (len(of) > 1)} {listed(map(repr, of), 20)}: {what}", unit=(unit, of)))
    if bared:
        which = f"column{'s' * (len(bared) > 1)} {listed(map(repr, bared), 4)}: of {sum(bared.values())} cells"
        notes.append(f"{which} such as {shown(example[0], 40)} the number was read, {example[1]}")
    if bounds:
        notes.append(f"cells such as {shown(next(iter(bounds)))} are bounds, and their numbers were read: is it meant?")
    mark = _decimal_mark(numeric, Cells(cells.header, list(columns.values()), cells.rows), name, decimal)
    marked = any("." in value or "," in value for values in numeric.values() for value in values)
    data = {}
    for title, column in columns.items():
        data[title] = _converted(column, mark, no_value) if title in numeric else _untyped(column, no_value)
        if title in numeric and data[title].dtype.kind not in "if":
            notes.append(f"column {title!r} is text: a floating-point number cannot hold its long whole numbers")
        if title in numeric or _has_numbers(column):
            notes += _coded(title, column, codes)
    return pd.DataFrame(data), [f"'{mark}' as decimal mark"] if marked else [], notes


def _values(column: list[Any], no_value: Collection[str]) -> list[str] | None:
    """Return the different cells of a column that hold a value, or None if one of them is not text."""
    different = dict.fromkeys(column)
    if not all(isinstance(cell, str) for cell in different):
        return None
    return [value for value in dict.fromkeys(cell.strip() for cell in different) if value.lower() not in no_value]


def _are_percent(values: Sequence[str]) -> bool:
    """Say whether cells are numbers with the sign %; some may lack it, if they are no shares of 1."""
    plain = [value for value in values if not value.endswith("%")]
    if len(plain) == len(values) or not all(is_number_cell(value.removesuffix("%").rstrip()) for value in values):
        return False
    numbers = [float(value) for value in plain if is_number(value)]
    return max(numbers, default=2) > 1 or not any(n > 0 for n in numbers)  # -1 is no share


def _unit(values: Sequence[str]) -> str:
    """Return the unit of measurements, as "0.5 ms", which none but a few words lack, or nothing; "7B" is a name."""
    units = {found[2] for value in values if (found := _MEASURED.fullmatch(value))}
    words = [value for value in values if not _MEASURED.fullmatch(value)]
    few = 5 * len(words) <= len(values) and len(codes_in(words)) == len(words)
    return units.pop() if len(units) == 1 and few and any("." in value for value in values) else ""


def share(cell: str) -> str:
    """Return what share a fraction such as 12/20 is, or an empty text."""
    found = _FRACTION.fullmatch(cell)
    return f"{int(found[1]) / int(found[2]):.12g}" if found and int(found[1]) <= int(found[2]) > 0 else ""


def _are_numbers(bare: dict[str, str]) -> bool:
    """Say whether cells without what stands around numbers are numbers, and at least one had something there."""
    known = [number for number in bare.values() if number.lower() != "nan"]
    return bool(known) and all(map(is_number_cell, known)) and any(cell != number for cell, number in bare.items())


def bare_number(cell: str, signs: Sequence[str] = _SPREADS) -> str:
    """Return a number without what people write around it: asterisks, a spread, a tilde, another minus sign."""
    if is_number_cell(cell):
        return cell
    cell = _RAISED.sub("", cell.replace("\\pm", "\u00b1")) if {*cell} & {*"\u00b1\\"} else cell
    whole = _AFTER.sub("", _DECORATION.sub(" ", cell).strip()).lstrip("~\u2248<>\u2264\u2265 ")
    text = _BRACKETS.sub("", whole)
    text = text.rstrip(" %") if text != whole else text
    text = text.strip(_AROUND) if is_number_cell(text.strip(_AROUND)) else without_asterisks(text)
    for sign in signs:
        mean, found, spread = text.partition(sign)
        spread = spread.strip(_MARKS) if found else ""
        if is_number_cell(spread) or spread.lower() == "nan":
            text = without_asterisks(mean.rstrip(" %"))
            text = text.strip(_AROUND) if is_number_cell(text.strip(_AROUND)) else text
            break
    return text.replace("\u2212", "-") if re.search(r"\w", text) else "nan"


def without_asterisks(text: str) -> str:
    """Return a text without the signs of bold and italic around it."""
    inner = text.strip("*_")
    n = (len(text) - len(inner)) // 2
    return inner.strip() if 0 < n <= 4 and text[:n] + inner + text[:n][::-1] == text else text


def _has_numbers(column: list[Any]) -> bool:
    return any(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in column)


def _coded(title: str, column: list[Any], codes: dict[str, int]) -> list[str]:
    """Count the missing codes in a column of numbers, and say how many there are."""
    notes = []
    for code, n in (Counter(filter(None, (_code(cell, codes) for cell in column))) if codes else {}).items():
        codes[code] += n
        notes.append(f"column {title!r}: {code!r} is no value, {n} time{'s' * (n != 1)}")
    return notes


def _code(cell: Any, codes: Collection[str]) -> str:
    """Return the code that stands in a cell, 0 also as 0.00, or an empty text."""
    if isinstance(cell, bool) or not isinstance(cell, str | int | float):
        return ""
    text = cell.strip().lower() if isinstance(cell, str) else f"{cell:.15g}"
    return text if text in codes else "0" if text in _ZEROS and "0" in codes else ""


def _decimal_mark(numeric: dict[str, list[str]], cells: Cells, name: str, decimal: str | None) -> str:
    """Return the mark that was given, or the only one that all numbers allow; "1,234" alone allows two."""
    only: dict[str, str] = {}  # mark -> the first number that allows no other one, with its place
    either = ""
    for title, values in numeric.items():
        for value in values:
            point, comma = (bool(_NUMBERS[mark].fullmatch(value)) for mark in ".,")
            if point != comma:
                sure = "." if point else ","
                if sure not in only:  # to look for the place of each would take a time that is quadratic
                    only[sure] = f"{_place(title, value, cells)}: {value!r}"
            elif "," in value and not either:
                as_comma, as_point = (f"{_as_float(value, mark):.10g} if {mark!r} is" for mark in ",.")
                either = f"{_place(title, value, cells)}: {value!r} is {as_comma} the decimal mark, and {as_point}"
    if decimal is not None:
        if other := only.get("," if decimal == "." else "."):
            raise DataError(f"{name}: {other} is no number with {decimal!r} as decimal mark")
        return decimal
    if len(only) > 1:
        both = f"{only['.']} is a number with '.', {only[',']} one with ','"
        raise DataError(f"{name}: two decimal marks: {both}; write all numbers alike")
    if not only and either:
        raise DataError(f"{name}: {either}: pass decimal=',' or decimal='.'")
    return "," if "," in only else "."


def _place(title: str, value: str, cells: Cells) -> str:
    column = cells.columns[cells.header.index(title)]
    row = next(row for cell, row in zip(column, cells.rows, strict=True) if cell.strip() == value)
    return f"column {title!r}, row {row}"


def _as_float(value: str, mark: str) -> float:
    return float(value.replace("," if mark == "." else ".", "").replace(mark, "."))


def _nearly_numeric(title: str, column: list[Any], rows: list[int], no_value: Collection[str]) -> str | None:
    texts = Counter(str(cell).strip() for cell in column if not _blank(cell))
    values = {text: n for text, n in texts.items() if text.lower() not in no_value}
    others = {text: n for text, n in values.items() if not is_number_cell(bare_number(text))}
    share = sum(others.values()) / max(1, sum(values.values()))
    few = any(map(sums_up, others)) or is_factor([text for text, n in values.items() for _ in range(n)])
    if not others or few or share > (_ONE_EXCEPTION if len(others) == 1 else _FEW_EXCEPTIONS):
        return None
    row = next(row for cell, row in zip(column, rows, strict=True) if str(cell).strip() in others)
    note = f"column {title!r} is text: row {row} holds {shown(next(iter(others)), most=40)} among numbers"
    if not codes_in(others) or any(len(text) > 30 for text in others):
        return note
    n = sum(others.values())
    which = f"{n} rows hold {' or '.join(map(repr, others))}; if" if n > 1 else "if"
    remedy = repr(next(iter(others))) if len(others) == 1 else repr([*others])
    return f"{note}; {which} that means that there is no value, pass missing_codes={remedy}"


def _converted(column: list[str], mark: str, no_value: Collection[str]) -> pd.Series:
    cells = [cell.strip() for cell in column]
    whole = [int(v) if len(v) < 30 else 2**63 for v in cells if _WHOLE.fullmatch(v) and v not in no_value]
    largest = max(map(abs, whole), default=0)
    if len(whole) == len(cells) and largest < 2**63:
        return pd.Series(whole, dtype="int64")
    if len(whole) == sum(v.lower() not in no_value for v in cells) and largest > EXACT:
        return _untyped(column, no_value)  # too long for a number: an identifier
    return pd.Series([np.nan if v.lower() in no_value else _as_float(v, mark) for v in cells], dtype="float64")


def as_series(values: list[Any]) -> pd.Series:
    """Return a column in which whole numbers stay what they are, also long ones beside cells without a value."""
    long = any(isinstance(value, int) and abs(value) > EXACT for value in values)
    return pd.Series(values, dtype=object if long and None in values else None)


def _untyped(column: list[Any], no_value: Collection[str]) -> pd.Series:
    """Return a column of text; of an Excel sheet also of numbers, and "NA" beside them is no value."""
    if _has_numbers(column):
        column = [None if _code(cell, no_value) else cell for cell in column]
    if all(_blank(cell) or not str(cell).strip("-?\u2013\u2014 ") for cell in column):
        return pd.Series(np.nan, index=range(len(column)), dtype="float64")
    if set() < {str(cell).strip().lower() for cell in {*column}}.difference(no_value) <= {"true", "false"}:
        texts = [str(cell).strip().lower() for cell in column]
        return as_series([None if text in no_value else text == "true" for text in texts]).infer_objects()
    return as_series([None if _blank(cell) else cell for cell in column]).infer_objects()


# --- texts among numbers ----------------------------------------------------------------------------------------------


def codes_in(values: Iterable[Any]) -> list[str]:
    """Return the texts among numbers, which may mean "no value"; none if they are many, or one holds a number."""
    texts = dict.fromkeys(value for value in values if isinstance(value, str))
    codes = [text for text in texts if not is_number_cell(bare_number(text.strip()))]
    numbered = [code for code in codes if code[:1].isdigit() or any(map(is_number, code.split()[-1:]))]
    return [] if len(codes) > 3 or numbered else codes


def is_factor(texts: Sequence[str]) -> bool:
    """Say whether texts are few levels that stand there again and again, as 0, 16 and "full" of a setting."""
    return len(set(texts)) <= min(MOST_FACTOR_LEVELS, len(texts) / 10)


def is_number(text: str) -> bool:
    """Say whether a text is a number and nothing else."""
    return bool(re.fullmatch(NUMBER, text.strip()))


def holds_numbers_and_text(values: pd.Series) -> bool:
    """Say whether a column of text was meant to hold numbers: most begin with one, and a remark or a spread follows."""
    texts = [value for value in values.dropna() if isinstance(value, str)]
    names = [text for text in {*texts} if not is_number(text)]
    if len({*texts}) <= len(values) / 10 and names and not codes_in(names):
        return False  # identifiers, such as 17 and "erp_000": what stands for no value is few words
    share = sum(bool(_NUMBER_AND_MORE.fullmatch(text.strip())) for text in texts) / max(1, len(texts))
    return share > 1 / 2 and not is_factor(list(map(str, values.dropna())))


def text_among_numbers(frame: pd.DataFrame, names: Sequence[str]) -> str:
    """Say where the first of columns of numbers and text holds a text, and what to do about it; nothing of none."""
    for name in names:
        texts = [(i, v) for i, v in enumerate(frame[name]) if isinstance(v, str) and not is_number(v)]
        for row, value in ([each for each in texts if codes_in([each[1]])] or texts)[:1]:  # rather than "0.5±0.1"
            codes = list(dict.fromkeys(code for other in names for code in codes_in(frame[other])))
            remedy = f", or pass missing_codes={codes!r} if there is no value" if codes_in(frame[name]) else ""
            return f"column {name!r} is text, because row {row} holds {value!r}; write numbers only{remedy}"
    return ""
