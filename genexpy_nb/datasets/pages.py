"""Tables written as text, also those of a page in Markdown, LaTeX or HTML: which one is read, and how."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from html import unescape
from html.parser import HTMLParser
from itertools import chain, pairwise, takewhile

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import listed, shown
from genexpy_nb.common.errors import DataError, ParameterError
from genexpy_nb.datasets import texttables
from genexpy_nb.datasets.opening import Limit, decoded
from genexpy_nb.datasets.words import SECTION, WORDS, among, common_start, direction_of

_BETTER = re.compile(r"\b(lower|higher),?(?: [\w-]{1,20}){0,3} (?:is|are|the) better", re.IGNORECASE)
_BETWEEN = re.compile(r"(?<!\\)&")
_SPAN = re.compile(r"\\multicolumn ?\{(\d{1,2})\}")
_RULES = re.compile(r"\\(?:cline|cmidrule|multi(?:column|row)|(?:cell|row)?color)(?:[([][a-zA-Z]*[])]|\{[^{}]*\}){1,2}")
_LINES = re.compile(r"\\begin\{tabular\}(?:\[\w\])?\{[@{}]*[lcr][@{}]*\}((?:(?!\\begin|\\end)[\s\S])*)\\end\{tabular\}")
_SIGNS = {"\\pm": "±", "\\approx": "≈", "\\uparrow": "↑", "\\downarrow": "↓", "\\sigma": "σ", "~": " "}
_LONG_START = 20  # of captions that begin alike
_CAPTION = re.compile(r"\\caption ?(?:\[[^]\n]{0,300}\])?\{([^{}]{1,300})")
_COMMAND = re.compile(r"\\[a-zA-Z]+ ?\{([^{}]*)\}")
_BOLD = re.compile(r"\*\*([^*]+)\*\*")
_NEAR, _SHORT, _LONG = 20, 5, 200  # lines above a table that may be its heading; words of one that is no sentence
_BEFORE = re.compile(r"^\s{0,9}(?:#{1,6}|[-*+>]|\d{1,2}\.)\s{1,9}")  # what a line begins with that is no part of it
_DRAWN = {*"|-:+ \t"}
_MEASURED = re.compile(r"^[^a-zA-Z]{0,9}\d|\d[.,]\d")
_TABLE = re.compile(r"(?i)<table\b[^<>]{0,999}>\s{0,99}<(?:tbody|thead|tr|caption)\b")
_MARKS = re.compile(r"!\[[^\[\]]*\]\([^()]*\)|\[([^\[\]]*)\]\((?:[^()]|\([^()]*\))*\)|</?[a-z][^<>]*>|`")


def parse_text(
    content: bytes,
    name: str,
    sep: str | None,
    encoding: str | None,
    decimal: str | None,
    sheet: str | None,
    codes: dict[str, int],
    limit: Limit,
) -> tuple[pd.DataFrame, str, list[str]]:
    """Read a table with a header row from the bytes of a text file; return it, how it was read, and notes."""
    text, encoding_words = decoded(content, name, encoding)
    announced = re.match(r'"?sep=(.)"?\r?\n', text)  # how Excel is told the separator
    if announced:
        text, sep = text[announced.end() :], sep or announced[1]
    if not text.strip():
        raise DataError(f"{name} is empty: there must be a header row, and a row for each evaluation")
    notes, first, above = [], 2 if announced else 1, ""
    page = text
    forms = (_from_html, _from_latex, _from_markdown, _from_html)[not page.lstrip().startswith("<") :]
    if sep is None and (found := next(filter(None, (read(page, name, sheet) for read in forms)), None)):
        (text, first, form, above), sep = found, "|"
        notes = [f"the table in {form} that begins in row {first}{f', below {above!r}' if above else ''}"]
        better, word = direction_of(above) if len(above.split()) < 2 * _SHORT else ("", "")
        said = {f"{found.lower()} is better" for found in _BETTER.findall(page)}
        if word in (*WORDS["higher"], *WORDS["lower"]):
            said |= {f"{better} is better, because {word!r} is in that heading"}
        notes += [f"the page says: {words}" for words in said]
    elif is_page(page) and sep is None:
        raise DataError(
            f"{name} is an HTML or XML page without a table of results: the address perhaps leads to a page that shows "
            "the file; download the file itself, or save the sheet as CSV"
        )
    elif sheet is not None:
        raise ParameterError(f"sheet has no meaning for {name}, which is text and no page with tables")
    elif sep is None and page.lstrip().startswith("+--"):
        raise DataError(f"{name} is a table drawn with lines such as +---+, which is not read: save it as CSV")
    if sep is None:
        sep = texttables.found_separator(text, name)
    elif not isinstance(sep, str) or len(sep) != 1 or sep in '\r\n"':
        raise ParameterError(f"sep must be one character, such as ',' or ';' or '\\t', is {shown(sep)}")
    cells, more = texttables.cells_of(text, name, sep, first, limit)
    notes += more
    cells, more = texttables.check_header(cells, name)
    cells, pairs = texttables.parted_cells(cells)
    more += pairs
    frame, decimal_words, about = texttables.typed(cells, name, decimal, codes)
    if notes:
        more += _number_blocks(frame)
    frame.attrs |= {"heading": above} if above else {}
    between = "spaces" if sep == " " else texttables.SEPARATORS.get(sep, repr(sep))
    words = [f"{'TSV' if sep == chr(9) else 'CSV'} with {between} between columns", *decimal_words]
    return frame, ", ".join([*words, f"encoding {encoding_words}"]), notes + more + about


def _number_blocks(frame: pd.DataFrame) -> list[str]:
    """Say in a column which of several blocks a row is in, each of the same names, as where each is of one measure."""
    names, n = frame.iloc[:, 0].tolist(), frame.iloc[:, 0].nunique()
    times, measured = len(names) // max(n, 1), frame.iloc[:, 1:].select_dtypes("number").shape[1]
    if n < 3 or times < 2 or names != names[:n] * times or not 3 <= measured == frame.shape[1] - 1:
        return []
    frame[SECTION] = [f"block {i // n + 1}" for i in range(len(names))]
    return [f"the names in {frame.columns[0]!r} stand there {times} times: column {SECTION!r} numbers these blocks"]


# --- pages with tables ------------------------------------------------------------------------------------------------


def _from_markdown(text: str, name: str, sheet: str | None) -> tuple[str, int, str, str] | None:
    """Return a table of a Markdown page with '|' between cells, its first row, the form, and its heading; or None."""
    lines = text.splitlines()
    drawn = [i for i, line in enumerate(lines) if {"|", "-"} <= {*line} <= _DRAWN]
    tables: dict[int, list[list[str]]] = {}
    end = 0
    for i in drawn:
        if i > end and "|" in lines[i - 1]:
            tables[i] = _rows_of_markdown(lines, i - 1)
            end = i + len(tables[i]) - 1
    if not tables:
        return None
    likely = [i for i, rows in tables.items() if _holds_results(rows)]
    if len(likely) == 1:  # others may hold one score each of the same methods
        names = {row[0] for row in tables[likely[0]]}
        beside = {i for i, rows in tables.items() if 2 * len(names & {row[0] for row in rows}) > len(rows)}
        likely = sorted({*likely, *(i for i in beside if _holds_results(tables[i], 1))})
    else:
        likely = [i for i, rows in tables.items() if any(_MEASURED.search(cell) for row in rows[1:] for cell in row)]
    if not likely and sheet is None and _TABLE.search(text, 0, 10**6):
        return None  # of images, and the results are in HTML
    begins = _headings(lines, likely if likely and sheet is None else [*tables])
    first = _chosen(begins, name, "Markdown", sheet, tables)
    header, *rows = tables[first]
    return _with_bars([header, [], *rows]), first, "Markdown", begins[first]  # the rule counts as a row of the file


def _rows_of_markdown(lines: Sequence[str], start: int) -> list[list[str]]:
    """Return the rows of the table that begins in a line: its names, and cells below, as they are shown."""
    below = list(takewhile(lambda line: "|" in line, lines[start + 2 :]))
    below = ["" if {*line} <= _DRAWN else line for line in below]  # between groups of rows
    rows = [line.strip().removeprefix("|").removesuffix("|").split("|") for line in [lines[start], *below]]
    rows = [[_unmarked(cell) for cell in row] for row in rows]
    n = len(rows[0])  # what is not there is empty, and cells beyond that say nothing are not shown
    beyond = [any(cell.strip(" -") for cell in row[n:]) for row in rows]
    return [(row if more else row[:n]) + [""] * (n - len(row)) for row, more in zip(rows, beyond, strict=True)]


def _holds_results(rows: Sequence[Sequence[str]], least: int = 2) -> bool:
    """Say whether columns of a table of three rows or more, not all averages, hold numbers, such as "1" and "1/2"."""
    columns = list(zip(*(row[: len(rows[0])] for row in rows[1:]), strict=False))
    bare = [[texttables.bare_number(cell.partition("/")[0].rstrip("% ")) for cell in column] for column in columns]
    several = sum(2 * sum(map(texttables.is_number_cell, column)) > len(column) for column in bare) >= least
    return len(rows) > 3 and several and not all(among(row[0], "average") for row in rows[1:])


def _heading(above: Sequence[str]) -> str:
    """Return what the nearest heading or short line above a table says."""
    near = [line for line in reversed(above) if "|" not in line and (line[:1] == "#" or "](" not in line)]
    said = [(line[:1], _unmarked(_BEFORE.sub("", line[:_LONG])).rstrip(": ")) for line in near]
    return next(
        (text for sign, text in said if text and (sign == "#" or len(re.findall(r"\w\S*", text)) <= _SHORT)), ""
    )


def _headings(lines: Sequence[str], begins: Sequence[int]) -> dict[int, str]:
    """Return what stands above tables; where several have the same there, after the heading of their section."""
    near = {i: _heading(lines[max(i - 1 - _NEAR, 0) : i - 1]) for i in begins}
    often, above, code = Counter(near.values()), dict[int, str](), False  # headings by their level
    for i, line in enumerate(lines, start=1):
        code ^= line.startswith("```")
        if (level := len(line) - len(line.lstrip("#"))) and not code:
            title = _unmarked(line.strip("# ")).rstrip(": ")
            above = {n: text for n, text in above.items() if n < level} | {level: title}
        if i in near and often[near[i]] > 1:
            section = [title for title in above.values() if title != near[i]][-1:]
            near[i] = ": ".join(filter(None, [*section, near[i]]))
    return near


def _unmarked(cell: str) -> str:
    """Return what a cell of Markdown shows."""
    text = texttables.without_asterisks(_BOLD.sub(r"\1", " ".join(unescape(_MARKS.sub(r"\1", cell)).split())))
    number = _plain(text) if "$" in text else ""
    return number if texttables.is_number_cell(texttables.bare_number(number)) else text


def _chosen(begins: dict[int, str], name: str, form: str, sheet: str | None, tables: dict[int, list[list[str]]]) -> int:
    """Return the row in which the table begins that was asked for, or the only one."""
    if found := [row for row in begins if str(row) == sheet or (sheet is None and len(begins) == 1)]:
        return found[0]
    start = common_start([*begins.values()])
    said = {row: text.removeprefix(start) if len(start) > _LONG_START else text for row, text in begins.items()}
    which = [f"{str(row)!r}{f' ({shown(text, most=40)})' if text else ''}" for row, text in said.items()]
    alike = texttables.same_columns({row: tables[row][0] for row in begins if tables})
    raise DataError(f"{name} holds {len(begins)} tables in {form}: to read one, pass sheet={listed(which, 20)}{alike}")


class _Page(HTMLParser):
    """The rows of the tables of a page in HTML, by the line in which each begins."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: dict[int, list[list[str]]] = {}
        self.rows: list[list[str]] = []  # of the last of them
        self.cell: list[str] | None = None
        self.captions, self.in_caption = dict[int, str](), False
        self.down = Counter[int]()  # over how many rows below cells of a column still stand

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.rows = self.tables[self.getpos()[0]] = []
            self.down.clear()
        elif tag == "caption":
            self.in_caption = True
        elif tag == "tr":
            self.handle_endtag("td")
            self.rows.append([])
            self._stand_below()
        elif tag in ("td", "th") and self.rows:
            self.handle_endtag("td")
            said = [dict(attrs).get(span) or "" for span in ("colspan", "rowspan")]
            self.width, self.height = (min(int(n), 100) if re.fullmatch(r"[1-9]\d{0,3}", n) else 1 for n in said)
            self.cell = []

    def handle_data(self, data: str) -> None:
        if self.cell is not None:
            self.cell.append(data)
        elif self.in_caption and self.tables:
            first = [*self.tables][-1]
            self.captions[first] = " ".join([*self.captions.get(first, "").split(), *data.split()])

    def handle_endtag(self, tag: str) -> None:
        self.in_caption &= tag != "caption"
        if self.cell is not None and tag in ("td", "th", "tr", "table"):
            row = self.rows[-1]
            self.down.update(dict.fromkeys(range(len(row), len(row) + self.width), self.height - 1))
            row += [" ".join("".join(self.cell).split()), *[""] * (self.width - 1)]
            self.cell = None
            self._stand_below()

    def _stand_below(self) -> None:
        """Write nothing where a cell of a row above still stands."""
        while self.down[len(self.rows[-1])] > 0:
            self.down[len(self.rows[-1])] -= 1
            self.rows[-1].append("")


def _from_html(text: str, name: str, sheet: str | None) -> tuple[str, int, str, str] | None:
    """Return a table of a page in HTML with '|' between cells, its first row, the form, and its caption; or None."""
    if not is_page(text):
        return None
    page = _Page()
    page.feed(text + "</table>")
    tables = {first: [row for row in rows if any(row)] for first, rows in page.tables.items()}
    likely = {first: rows for first, rows in tables.items() if _holds_results(rows)}
    if not likely:
        return None
    begins = {first: page.captions.get(first, "") for first in likely}
    first = _chosen(begins, name, "HTML", sheet, likely)
    return _with_bars(likely[first]), first, "HTML", begins[first]


def is_page(text: str) -> bool:
    """Say whether a text begins as pages in HTML or XML do, or holds a table of HTML, as Markdown may."""
    start = ("<!doctype", "<html", "<head", "<body", "<table", "<?xml", "<meta", "<div")
    found = _TABLE.search(text, 0, 10**6)  # between quotation marks it is in a cell of a CSV
    return text[:1000].lstrip().lower().startswith(start) or bool(found and text.count('"', 0, found.start()) % 2 == 0)


def _with_bars(rows: Sequence[Sequence[str]]) -> str:
    table = io.StringIO()
    csv.writer(table, delimiter="|", lineterminator="\n").writerows([cell.strip() for cell in row] for row in rows)
    return table.getvalue()


def _from_latex(text: str, name: str, sheet: str | None) -> tuple[str, int, str, str] | None:
    """Return a tabular of LaTeX in a text with '|' between cells, its first row, the form, and no heading; or None."""
    text = _LINES.sub(r"{\1}", text).replace("@{}", "")  # in a cell; no space beside a column
    found = [begin.start() for begin in re.finditer(r"\\begin\{(?:tabular|longtable)", text)]
    if not found:
        return None
    begins = {text.count("\n", 0, i) + 1: i for i in found}
    parts = [text[i:j] for i, j in pairwise([0, *begins.values(), len(text)])]  # each but the first begins with a table
    tables = dict(zip(begins, map(_rows_of_latex, parts[1:]), strict=True))
    captions = {}
    for row, (before, part) in zip(begins, pairwise(parts), strict=True):
        around = before.rpartition("\\begin{table")[2] + part.partition("\\end{table")[0]
        captions[row] = _plain(caption[1]) if (caption := _CAPTION.search(around)) else ""
    first = _chosen(captions, name, "LaTeX", sheet, tables)
    return _with_bars(tables[first]), first, "LaTeX", captions[first]


def _rows_of_latex(text: str) -> list[list[str]]:
    """Return the rows of the tabular with which a text begins, as they are shown."""
    body = re.sub(r"(?<!\\)%.*", "", text).partition("}")[2]
    body = body.partition("\\end{tabular")[0].partition("\\end{longtable")[0]
    while body[:1] in ("{", "["):  # the columns, the width: braces may hold others
        depths = np.cumsum([(c in "{[") - (c in "}]") for c in body])
        body = body[int((depths == 0).argmax()) + 1 :].lstrip()
    depths = np.cumsum([(c == "{") - (c == "}") for c in body])  # in braces a line of a cell ends, and no row
    body = re.sub(r"\\\\(?:\[[^]\n[]{0,40}])?", lambda end: " " if depths[end.start()] > 0 else "\0", body)
    rows = [[*chain(*map(_spanned, _BETWEEN.split(row)))] for row in body.split("\0")]
    return [row for row in rows if any(row)]


def _spanned(cell: str) -> list[str]:
    """Return what a cell of LaTeX shows, and nothing for each further column that it stands over."""
    spans = _SPAN.search(cell)
    return [_plain(cell), *[""] * (int(spans[1]) - 1 if spans else 0)]


def _plain(cell: str) -> str:
    """Return what a cell of LaTeX shows: without rules, fonts and signs of mathematics."""
    cell = _RULES.sub(" ", cell)
    for command, sign in _SIGNS.items():
        cell = cell.replace(command, sign)
    for _ in range(4):  # commands in commands
        cell = _COMMAND.sub(r"\1", cell)
    cell = re.sub(r"\\([%&#_$])", r"\1", re.sub(r"\\[()]|\\[a-zA-Z]+ ?|(?<!\\)\$|[_^]?(?=±|\{±)|[{}]", "", cell))
    return " ".join(cell.split())
