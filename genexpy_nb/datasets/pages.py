"""Tables of pages in Markdown, LaTeX or HTML, and JSON of no known program: which rows are read, and how."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from html import unescape
from html.parser import HTMLParser
from itertools import chain, count, pairwise, takewhile, zip_longest
from typing import Any

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import listed, shown
from genexpy_nb.common.errors import DataError, ParameterError
from genexpy_nb.common.files import Limit, Note, decoded
from genexpy_nb.datasets import stores, texttables
from genexpy_nb.datasets.opening import Chart, below_each_other, named_by_corner, several_tables
from genexpy_nb.datasets.stores import Rows, flattened
from genexpy_nb.datasets.words import SECTION, WORDS, among, common_start, direction_of

_PART = r"\*{0,2}-?\d{1,9}(?:\.\d{1,9})?\*{0,2}"
_SEVERAL = re.compile(rf"{_PART}(?: ?/ ?{_PART}){{0,3}}")  # measurements in one cell
_PARTS = re.compile(r"\(([^()/]+(?:/[^()/]+)+)\)\s*(\[[^][]*\])?$|(?<!\S)([^][\s()/]+(?:/[^][\s()/]+)+)$")
_BETTER = re.compile(r"\b(lower|higher),?(?: [\w-]{1,20}){0,3} (?:is|are|the) better", re.IGNORECASE)
_BETWEEN = re.compile(r"(?<!\\)&")
_SPAN = re.compile(r"\\multicolumn ?\{(\d{1,2})\}")
_RULES = re.compile(
    r"\\(?:cline|cmidrule|multi(?:column|row))(?:[([][a-zA-Z]*[])]|\{[^{}]*\}){1,2}"
    r"|\\(?:(?:cell|row|text)?color|colorbox)(?:\[\w*\])?\{[^{}]*\}"  # the text that they colour stays
)
_LINES = re.compile(r"\\begin\{tabular\}(?:\[\w\])?\{[@{}]*[lcr][@{}]*\}((?:(?!\\begin|\\end)[\s\S])*)\\end\{tabular\}")
_SIGNS = {"\\pm": "±", "\\approx": "≈", "\\uparrow": "↑", "\\downarrow": "↓", "\\sigma": "σ", "~": " "}
_LONG_START = 20  # of captions that begin alike
_CAPTION = re.compile(r"\\caption ?(?:\[[^]\n]{0,300}\])?\{([^{}]{1,300})")
_COMMAND = re.compile(r"\\[a-zA-Z]+ ?\{([^{}]*)\}")
_NO_TEXT = {
    *("hline", "toprule", "midrule", "bottomrule", "addlinespace", "checkmark", "cmark", "xmark", "phantom", "hfill"),
    *("bfseries", "itshape", "tiny", "scriptsize", "footnotesize", "small", "centering", "quad", "rm", "bf", "it"),
}
_BOLD = re.compile(r"\*\*([^*]+)\*\*|[🏅🏆🥇🥈🥉] ?(?=\w)|(?<=\w) ?[🏅🏆🥇🥈🥉]")  # and medals beside a name
_NEAR, _SHORT, _LONG = 20, 5, 200  # lines above a table that may be its heading; words of one that is no sentence
_BEFORE = re.compile(r"^\s{0,9}(?:#{1,6}|={1,6}|[-*+>]|\d{1,2}\.)\s{1,9}")  # in front of a line, and no part of it
_DRAWN = {*"|-:+ \t"}
_RULE = re.compile(r"(?m)^[ |]{0,99}\+?[-=]+(?:\+[-=]+)+\+?[ |]*$")  # of a table drawn with lines, as +---+---+
_LINE_SIGNS = dict.fromkeys(range(0x2500, 0x2580), "+") | dict.fromkeys(map(ord, "─━═"), "-")
_LINE_SIGNS |= dict.fromkeys(map(ord, "│┃║"), "|")
_ASCIIDOC = re.compile(r"(?m)^\|===[ \t]*\n((?:(?!\|===)[^\n]*\n)+)\|===[ \t]*$")
_MEASURED = re.compile(r"^[^a-zA-Z]{0,9}\d|\d[.,]\d")
_TABLE = re.compile(r"(?i)<table\b[^<>]{0,999}>(?:\s|<!--[^<>]{0,99}-->){0,99}<(?:tbody|thead|tr|caption|colgroup)\b")
_MARKS = re.compile(r"!\[[^\[\]]*\]\([^()]*\)|\[([^\[\]]*)\]\((?:[^()]|\([^()]*\))*\)|</?[a-z][^<>]*>|`")


def parse_text(content: bytes, name: str, asked: Any) -> tuple[pd.DataFrame, str, list[str]]:
    """Read a table with a header row from the bytes of a text file; return it, how it was read, and notes."""
    sep, sheet = asked.options["sep"], asked.options["sheet"]
    text, encoding_words = decoded(content, name, asked.options["encoding"])
    if announced := re.match(r'"?sep=(.)"?\r?\n', text):  # how Excel is told the separator
        text, sep = text[announced.end() :], sep or announced[1]
    text = text.translate(_LINE_SIGNS) if re.search("[│┃║]", text) else text
    if not text.strip():
        raise DataError(f"{name} is empty: there must be a header row, and a row for each evaluation")
    notes, first, above = [], 2 if announced else 1, ""
    page = _ASCIIDOC.sub(_as_markdown, _RULE.sub(lambda rule: re.sub("[+=]", "|", rule[0].replace("=", "-")), text))
    forms = (_from_html, _from_latex, _from_markdown, _from_html)[not page.lstrip().startswith("<") :]
    if sep is None and (found := next(filter(None, (read(page, name, sheet) for read in forms)), None)):
        notes = [found[2].replace(" in Markdown", " drawn in text", page != text)]
        (text, first, _, above), sep = found, "|"
        better, word = direction_of(above) if len(above.split()) < 2 * _SHORT else ("", "")
        said = {way.lower(): "" for way in _BETTER.findall(page)}
        if word in (*WORDS["higher"], *WORDS["lower"]):
            said |= {better: f", because {word!r} is in that heading"}
        said = {way: f"the page says: {way} is better{why}" for way, why in said.items()}
        notes += [Note(words, better=(way, words)) for way, words in said.items()]
    elif is_page(page) and sep is None:
        why = "the address perhaps leads to a page that shows the file; download the file itself, or save it as CSV"
        raise DataError(f"{name} is an HTML or XML page without a table of results: {why}")
    elif sheet is not None:
        useless = f"sheet has no meaning for {name}, which is text and no page with tables"
        raise (Chart if asked.several else ParameterError)(useless)
    if not notes:
        text, n = texttables.without_comments(text)
        first += page.count("\n") - text.count("\n")
        notes = [f"lines of comment above the header were left out: {n}"] * (n > 0)
    if sep is None:
        sep = texttables.found_separator(text, name)
    elif not isinstance(sep, str) or len(sep) != 1 or sep in '\r\n"':
        raise ParameterError(f"sep must be one character, such as ',' or ';' or '\\t', is {shown(sep)}")
    cells, more = texttables.cells_of(text, name, sep, first, asked.limit)
    notes += more
    cells, more = texttables.check_header(cells, name)
    cells, pairs = parted_cells(cells)
    more += pairs
    frame, decimal_words, about = texttables.typed(cells, name, asked.options["decimal"], asked.codes)
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


def parted_cells(cells: texttables.Cells) -> tuple[texttables.Cells, list[str]]:
    """Return a table in which a column of cells such as 89.3/85.4 is a column for each of the numbers."""
    header, columns, parted, which = list[str](), list[list[Any]](), list[str](), False
    for title, column in zip(cells.header, cells.columns, strict=True):
        known = {cell.strip() for cell in column if isinstance(cell, str)} - {"", "-", "--"}
        called = _PARTS.search(title)
        names = re.split(r"\s?/\s?", (called[1] or called[3]).strip() if called else "")
        n, several = max((cell.count("/") + 1 for cell in known), default=1), [cell for cell in known if "/" in cell]
        shares = all(map(texttables.share, several)) and not re.search(r"\d", called[0] if called else "")
        own = len(names) == n > 1 and not shares
        even = n > 1 and all(cell.count("/") + 1 == n for cell in (several if own else known))
        fine = own or all(cell.count(".") == n for cell in known)  # "12/20" of "right/total" is a share
        if not (even and fine and all(map(_SEVERAL.fullmatch, known))):
            header, columns = [*header, title], [*columns, column]
            continue
        names, which = (names, which) if len(names) == n else ([*map(str, range(1, n + 1))], True)
        stem = title[: called.start()].strip() if called else title
        header += (f"{stem} ({name}) {called[2] or ''}".strip() if called else f"{stem} {name}" for name in names)
        parts = [[part.strip() for part in cell.split("/")] if "/" in cell else [cell] * n for cell in column]
        columns += map(list, zip(*parts, strict=True))
        parted.append(repr(title))
    said = f"columns with several numbers in a cell became one for each: {listed(parted, 3)}"
    notes = [said + "; what does each measure?" * which] if parted else []
    return (texttables.Cells(header, columns, cells.rows), notes) if len({*header}) == len(header) else (cells, [])


# --- pages with tables ------------------------------------------------------------------------------------------------


def _from_markdown(text: str, name: str, sheet: str | None) -> tuple[str, int, str, str] | None:
    """Return a table of a Markdown page with '|' between cells, its first row, a note, and its heading; or None."""
    lines = text.splitlines()
    drawn = [i for i, line in enumerate(lines) if {"|", "-"} <= {*line} <= _DRAWN]
    tables, end = dict[int, list[list[str]]](), 0
    for i in drawn:
        if i > end and "|" in lines[i - 1]:
            tables[i] = _rows_of_markdown(lines, i - 1)
            end = i + len(tables[i]) - 1
    if not tables or _is_csv(text):
        return None
    likely = [i for i, rows in tables.items() if _holds_results(rows)]
    if len(likely) == 1:  # others may hold one score each of the same methods
        names = {row[0] for row in tables[likely[0]]}
        beside = {i for i, rows in tables.items() if 2 * len(names & {row[0] for row in rows}) > len(rows)}
        likely = sorted({*likely, *(i for i in beside if _holds_results(tables[i], 1))})
    else:
        likely = [i for i, rows in tables.items() if any(_MEASURED.search(cell) for row in rows[1:] for cell in row)]
    others, captions = _tables_of_html(text)
    if others and not any(map(_holds_results, tables.values())):
        return None  # of images or data sets, and the results are in HTML
    begins = _headings(lines, likely if likely and sheet is None else [*tables]) | {i: captions[i] for i in others}
    return _chosen(dict(sorted(begins.items())), name, "Markdown", sheet, tables | others)


def _as_markdown(table: re.Match) -> str:
    """Return a table of AsciiDoc, whose first line names its columns, in Markdown."""
    header, *below = [line.strip() for line in table[1].splitlines() if line.strip()]
    n, cells = header.count("|"), [cell.strip() for cell in "\n".join(below).split("|")[1:]]
    rows = [header[1:].split("|"), ["-"] * n, *(cells[i : i + n] for i in range(0, len(cells), n))]
    return "\n".join(f"| {' | '.join(map(' '.join, map(str.split, row)))} |" for row in rows)


def _is_csv(text: str) -> bool:
    """Say whether a text is a CSV with as many fields in each row, of which some may hold tables in Markdown."""
    try:
        widths = [{len(row) for row in csv.reader(text.splitlines(True), delimiter=sep) if row} for sep in ",;\t"]
    except csv.Error:  # a quotation mark that nothing closes
        return False
    return any(len(each) == 1 < max(each) for each in widths)


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
    near = [line for line in reversed(above) if not re.search(r"\||^\[|=\"|^(?!#).*\]\(", line)]
    said = [(line[:1], _unmarked(_BEFORE.sub("", line[:_LONG])).rstrip(": ")) for line in near]
    fit = (text for sign, text in said if text and (sign == "#" or len(re.findall(r"\w\S*", text)) <= _SHORT))
    return next(fit, "")


def _headings(lines: Sequence[str], begins: Sequence[int]) -> dict[int, str]:
    """Return what stands above tables; where several have the same there, after the heading of their section."""
    near = {i: _heading(lines[max(i - 1 - _NEAR, 0) : i - 1]) for i in begins}
    often, above, code, paths = Counter(near.values()), dict[int, str](), False, dict[int, list[str]]()
    for i, line in enumerate(lines, start=1):
        code ^= line.startswith("```")
        if (level := len(line) - len(line.lstrip("#"))) and not code:
            title = _unmarked(line.strip("# ")).rstrip(": ")
            above = {n: text for n, text in above.items() if n < level} | {level: title}
        if i in near and often[near[i]] > 1:
            paths[i] = [*filter(None, [*(title for title in above.values() if title != near[i]), near[i]])]
    short = {i: ": ".join(path[-2:]) for i, path in paths.items()}
    n = len({"".join(path[:1]) for path in paths.values()}) == 1  # what all are below says nothing
    return near | (short if len({*short.values()}) == len(short) else {i: ": ".join(p[n:]) for i, p in paths.items()})


def _unmarked(cell: str) -> str:
    """Return what a cell of Markdown shows."""
    cell = re.sub(r"\\([_*#|~`\[\]().+<>!-])", r"\1", cell)
    text = texttables.without_asterisks(_BOLD.sub(r"\1", " ".join(unescape(_MARKS.sub(r"\1", cell)).split())))
    number = _plain(text) if "$" in text else ""
    return number if texttables.is_number_cell(texttables.bare_number(number)) else text


def _chosen(
    begins: dict[int, str], name: str, form: str, sheet: str | None, tables: dict[int, list[list[str]]]
) -> tuple[str, int, str, str]:
    """Return the table that was asked for, the only one, or many alike as one; its row, a note and its heading."""
    rule: list[list[str]] = [[]] * (form == "Markdown")  # below the header: it counts as a row of the file
    begins, tables = named_by_corner(begins, tables)
    for row, above in begins.items():
        titled = bool(sheet and sheet.casefold() == above.casefold())
        if titled or str(row) == sheet or (sheet is None and len(begins) == 1):
            header, *rows = tables[row]
            where = [f"that begins in row {row}"] * (not titled) + [f"below {above!r}"] * bool(above)
            return _with_bars([header, *rule, *rows]), row, f"the table in {form} {', '.join(where)}", above
    start = common_start([*begins.values()])
    said = {row: text.removeprefix(start) if len(start) > _LONG_START else text for row, text in begins.items()}
    if sheet is None and all(said.values()):
        lines, names = below_each_other({row: tables[row] for row in begins}, [*said.values()], rule)
        if lines:
            note = f"{len(begins)} tables in {form} with the same columns are read as one; the headings above them "
            note += f"became {listed(map(repr, names))}"
            return _with_bars(lines), min(begins), note, ""
    said = {row: text or ", ".join(filter(None, [*tables[row][0]][:4])) for row, text in said.items()}
    which = [f"{str(row)!r}{f' ({shown(text, most=40)})' if text else ''}" for row, text in said.items()]
    message = f"{name} holds {len(begins)} tables in {form}: to read one, pass sheet={listed(which, 20)}"
    bare = {a: [re.sub(r"(?<=\d) ?(?:%|[a-zµ]{1,3})$", "", c) for line in tables[a] for c in line] for a in begins}
    bare = {row: [*map(texttables.bare_number, cells)] for row, cells in bare.items()}
    sizes = {row: sum(map(texttables.is_number_cell, cells)) for row, cells in bare.items()}
    held = {row: {*map(tuple, tables[row][1:])} for row in begins}  # some are written once more in others
    size = {a: (len(held[a]), a) for a in begins}  # of two alike, the last one is offered
    whole = [a for a in begins if not any(held[a] <= held[b] and size[a] < size[b] for b in begins)]
    kind = DataError if sheet is None else Chart  # of several pages, some lack one that others have
    raise several_tables({row: tables[row][0] for row in whole}, sizes, message, [*begins.values()], kind)


class _Page(HTMLParser):
    """The rows of the tables of a page in HTML, by the line in which each begins."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: dict[int, list[list[str]]] = {}
        self.rows: list[list[str]] = []  # of the last of them
        self.cell: list[str] | None = None
        self.captions, self.in_caption, self.above = dict[int, str](), False, ""  # the heading before it
        self.down = Counter[int]()  # over how many rows below cells of a column still stand

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            line = self.getpos()[0]
            first = next(row for row in count(line) if row not in self.tables)  # several may begin in a line
            self.rows, self.captions[first], self.cell = [], self.above, None  # no cell of a table around it
            self.tables[first] = self.rows
            self.down.clear()
        elif tag == "caption" or (re.fullmatch("h[1-6]", tag) and self.cell is None):
            self.in_caption, self.above = True, ""
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
        elif self.in_caption:
            self.above = " ".join([*self.above.split(), *data.split()])
        elif headings := re.findall(r"(?m)^#{1,6} (.+)$", data):  # of Markdown around it
            self.above = headings[-1].strip()

    def handle_endtag(self, tag: str) -> None:
        self.in_caption &= not re.fullmatch("caption|h[1-6]", tag)
        if tag == "thead" and len(self.rows) > 2:  # names in more than two rows
            self.rows[1:] = [[" ".join(filter(None, cells)) for cells in zip_longest(*self.rows[1:], fillvalue="")]]
        if tag == "caption" and self.tables:
            self.captions[[*self.tables][-1]] = self.above
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
    """Return a table of a page in HTML with '|' between cells, its first row, a note, and its caption; or None."""
    likely, captions = _tables_of_html(text)
    return _chosen(captions, name, "HTML", sheet, likely) if likely else None


def _tables_of_html(text: str) -> tuple[dict[int, list[list[str]]], dict[int, str]]:
    """Return the tables of a page in HTML that hold results, by their rows in the file, and what is above them."""
    page = _Page()
    page.feed(text + "</table>" if is_page(text) else "")
    tables = {first: [row for row in rows if any(row)] for first, rows in page.tables.items()}
    likely = {first: rows for first, rows in tables.items() if _holds_results(rows)}
    return likely, {first: page.captions.get(first, "") for first in likely}


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
    """Return a tabular of LaTeX in a text with '|' between cells, its first row, a note, and its caption; or None."""
    text = re.sub(r"(?<!\\)%[^\n]*", "", text)  # comments
    text = _LINES.sub(r"{\1}", text).replace("@{}", "")  # in a cell; no space beside a column
    found = [begin.start() for begin in re.finditer(r"\\begin\{(?:tabular|longtable)", text)]
    if not found and len(re.findall(r"&[^\n]*\\\\", text)) > 2 and "\\begin{document" not in text:
        text, found = "\\begin{tabular}{}" + text, [0]  # the rows alone, for an \\input
    if not found:
        return None
    begins = {text.count("\n", 0, i) + 1: i for i in found}
    parts = [text[i:j] for i, j in pairwise([0, *begins.values(), len(text)])]  # each but the first begins with a table
    tables = {row: rows for row, part in zip(begins, parts[1:], strict=True) if (rows := _rows_of_latex(part))}
    captions = {}
    for row, (before, part) in zip(begins, pairwise(parts), strict=True):
        around = before.rpartition("\\begin{table")[2] + part.partition("\\end{table")[0]
        captions[row] = _plain(caption[1]) if (caption := _CAPTION.search(around)) else ""
    if not tables:
        raise DataError(f"{name}: no table in LaTeX has rows of its own: macros or comments may hold them")
    return _chosen({row: captions[row] for row in tables}, name, "LaTeX", sheet, tables)


def _rows_of_latex(text: str) -> list[list[str]]:
    """Return the rows of the tabular with which a text begins, as they are shown."""
    body = text.partition("}")[2].partition("\\end{tabular")[0].partition("\\end{longtable")[0]
    while body[:1] in ("{", "["):  # the columns, the width: braces may hold others
        depths = np.cumsum([(c in "{[") - (c in "}]") for c in body])
        body = body[int((depths == 0).argmax()) + 1 :].lstrip()
    depths = np.cumsum([(c == "{") - (c == "}") for c in body])  # in braces a line of a cell ends, and no row
    body = re.sub(r"\\\\(?:\[[^]\n[]{0,40}])?", lambda end: " " if depths[end.start()] > 0 else "\0", body)
    return [row for row in [[*chain(*map(_spanned, _BETWEEN.split(row)))] for row in body.split("\0")] if any(row)]


def _spanned(cell: str) -> list[str]:
    """Return what a cell of LaTeX shows, and nothing for each further column that it stands over."""
    spans = _SPAN.search(cell)
    return [_plain(cell), *[""] * (int(spans[1]) - 1 if spans else 0)]


def _plain(cell: str) -> str:
    """Return what a cell of LaTeX shows: without rules, fonts and signs of mathematics."""
    cell = re.sub(r"\\[,;:! ]|(?<!\\)~|\\ding ?\{\d{1,3}\}", " ", _RULES.sub(" ", cell))  # a cross is no 55
    for command, sign in _SIGNS.items():
        cell = cell.replace(command, sign)
    for _ in range(4):  # commands in commands
        cell = _COMMAND.sub(r"\1", cell)
    macros = [name for name in re.findall(r"\\([a-zA-Z]+)", cell) if name not in _NO_TEXT]
    cell = re.sub(r"\\([a-zA-Z]+)(?=-[A-Z\d])", r"\1", cell)  # a name of their own: \ours-XL
    cell = re.sub(r"\\([%&#_$])", r"\1", re.sub(r"\\[()]|\\[a-zA-Z]+ ?|(?<!\\)\$|[_^]?(?=±|\{±)|[{}]", "", cell))
    return " ".join(cell.split()) or (macros[0] if len(macros) == 1 and "$" not in cell else "")


# --- objects of JSON --------------------------------------------------------------------------------------------------

_SAMPLE, _FEW_ROWS = 1000, 9  # values of one object that is no row; so few objects may be the measures of one
_LONGEST_NAME = 100  # characters of a text that names something
_MUCH_LONGER = 10  # times as many objects as in all other lists are in the one that is read
_MOST_OWN = 50  # keys in an object that few others have
_DEEP = "objects stand in objects, hundreds of times"


def rows_of(body: Any, name: str, one_row: bool = False) -> Rows | None:
    """Return the rows in a body of JSON, or None if it has none; with ``one_row`` an object may be a row."""
    try:
        if isinstance(body, list):
            return Rows(list(enumerate(body, start=1)), [])
        if (runs := stores.runs_below(body)).rows:
            return runs
        full = {key: value for key, value in body.items() if value != []}
        only_lists = 1 < len(full) < len(body) and all(isinstance(each, list) for each in full.values())
        if only_lists and (found := rows_of(full, name, one_row)):
            empty = listed((repr(key) for key in body if key not in full), 3)
            said = f"{len(body) - len(full)} keys with empty lists were left out: {empty}; nothing was measured there?"
            return Rows(found.rows, [said, *found.notes])
        parts = [list(each) if isinstance(each, dict) else [] for each in body.values()]
        numbered = len(parts) > 1 < len(parts[0]) and all(each == [*map(str, range(len(parts[0])))] for each in parts)
        if numbered and any(isinstance(cell, str) for each in body.values() for cell in each.values()):
            columns = zip(*(each.values() for each in body.values()), strict=True)  # as pandas writes a table
            return Rows([(i, dict(zip(body, row, strict=True))) for i, row in enumerate(columns, start=1)], [])
        flat = flattened(body) if one_row else {}
        found = _part_with_rows(body, flat) if len(flat) > 10 * _FEW_ROWS else None
        if found := found or _by_two_keys(body):
            return found
        lists = [key for key, value in body.items() if _is_list_of_objects(value)]
        sizes = {key: len(body[key]) for key in lists}
        most = max(sizes.values(), default=0)
        if len(lists) > 1 and most > _MUCH_LONGER * (sum(sizes.values()) - most):
            lists = [key for key in lists if sizes[key] == most]
        elif (not lists or all(isinstance(each, list) for each in body.values())) and (rows := _by_key(body, one_row)):
            return Rows(list(enumerate(rows, start=1)), [])
        below = lists or [key for key, value in body.items() if not one_row and _is_branch(value) and len(value) > 1]
        if len(below) == 1 and (inner := rows_of(body[below[0]], name)) is not None:
            others = {key: value for key, value in body.items() if key != below[0]}
            said = f"what is in {below[0]!r} was read, and not {listed(map(repr, others), 3)}" if others else ""
            more = flattened(others) if one_row else {}  # of each row: short texts, and numbers of repetitions
            texts = {key for key, value in more.items() if isinstance(value, str) and 0 < len(value) <= _LONGEST_NAME}
            beside = {k: v for k, v in more.items() if k in texts or (type(v) is int and among(k, "repeated"))}
            said += f", but for texts such as {next(iter(beside))!r}" if beside else ""
            wider = [(n, {**beside, **row} if isinstance(row, dict) else row) for n, row in inner.rows]
            return Rows(wider, [*filter(None, [said]), *inner.notes])
        if len(flat) > _SAMPLE:
            remedy = "write a row for each evaluation to one table, with columns for the model, the item and the score"
            holds = f"{len(flat):,} values in others, such as {[*flat][-1]!r}"
            raise DataError(f"{name} is one object with {holds}: {remedy}")
        return Rows([(1, body)], []) if any(isinstance(value, int | float | str) for value in flat.values()) else None
    except RecursionError:
        raise DataError(f"{name}: {_DEEP}") from None


def _part_with_rows(body: dict[str, Any], flat: dict[str, Any]) -> Rows | None:
    """Return a row for each object of the largest part in which most have the same number, with texts beside it."""
    parts, found = dict(_parts(body)), ""
    if 1 < len(body) < 2 * len(parts.keys() & body):
        return None  # others are alike
    for where, each in parts.items():
        numbers = Counter(k for row in each.values() for k, v in flattened(row).items() if type(v) in (int, float))
        if max(numbers.values(), default=0) > len(each) / 2 and len(each) > len(parts.get(found, ())):
            found = where
    others = {k: v for k, v in flat.items() if not k.startswith(tuple(f"{where}." for where in parts))}
    beside = {k: v for k, v in others.items() if isinstance(v, str) and 0 < len(v) <= _LONGEST_NAME}
    rows = [{**beside, "key": key, **row} for key, row in parts.get(found, {}).items()]
    left = listed([repr(key) for key in (*others, *parts) if key not in beside and key != found], 3)
    said = f"what is in {found!r} was read, with texts beside it, and not {left}"
    return Rows(list(enumerate(rows, start=1)), [said]) if found else None


def _parts(body: dict[str, Any], above: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the objects, with the keys above them, that hold many objects and nothing else, at any depth."""
    for key, value in ((k, v) for k, v in body.items() if isinstance(v, dict)):
        if len(value) > _FEW_ROWS and all(isinstance(each, dict) for each in value.values()):
            yield above + key, value
        yield from _parts(value, f"{above}{key}.")


def _is_list_of_objects(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 1 and all(isinstance(each, dict) for each in value)


def _is_branch(value: Any) -> bool:
    """Say whether an object holds rows: objects, or lists of them, and nothing else."""
    if not isinstance(value, dict) or not value:
        return False
    parts = [each if isinstance(each, list) else [each] for each in value.values()]
    several = any(map(_is_list_of_objects, parts)) or not any(isinstance(each, list) for each in value.values())
    return several and all(part and all(isinstance(each, dict) for each in part) for part in parts)


def _by_key(body: dict[str, Any], one_row: bool) -> list[dict[str, Any]]:
    """Return a row for each innermost object, with the keys above it, or for each number in lists under keys."""
    if not _is_branch(body):
        return []
    found = [(above, row) for above, row in _innermost(body) if row]
    lengths = {len(above) for above, _ in found}
    often = Counter(key for _, row in found for key in row).most_common(1)
    if len(lengths) > 1 or max(lengths) == 1 or not often or 2 * often[0][1] <= len(found):  # parts of one row
        found = [((k,), row) for k, each in body.items() for row in (each if isinstance(each, list) else [each])]
    if one_row and len(found) > 1 == max(Counter(key for _, row in found for key in row).values(), default=0):
        return []  # no two have a measure in common
    n, taken = len(found[0][0]), any("name" in row for _, row in found)
    one = ["task" if _compared_below(body) else "key" if taken else "name"]
    called = one if n == 1 else [f"key {i}" for i in range(1, n + 1)]
    return [{**dict(zip(called, above, strict=True)), **row} for above, row in found]


def _compared_below(body: dict[str, Any]) -> bool:
    """Say whether objects in lists under many keys name a few methods, each once under a key."""
    parts = [each for each in body.values() if isinstance(each, list)]
    rows = [row for part in parts for row in part]
    names = [key for key in (rows or [{}])[0] if among(key, "compared name") and not among(key, "task case")]
    names = [name for name in names if all(isinstance(row.get(name), str) for row in rows)]
    few = [name for name in names if len({row[name] for row in rows}) < len(parts) == len(body)]
    return any(all(len({row[name] for row in part}) == len(part) for part in parts) for name in few)


def _by_two_keys(body: dict[str, Any]) -> Rows | None:
    """Return a row for each method of {task: {method: measures}}, if tasks have their own measures, or more beside."""
    tasks = {task: each for task, each in body.items() if isinstance(each, dict)}
    tasks = {task: {k: v for k, v in each.items() if isinstance(v, dict)} for task, each in tasks.items()}
    own = {task: set.intersection(*map(set, each.values())) for task, each in tasks.items() if len(each) > 1}
    often = Counter(measure for measures in own.values() for measure in measures)
    taken = [task for task in own if any(often[measure] > 1 for measure in own[task])]
    rows = [{"key 1": task, "key 2": key, **row} for task in taken for key, row in tasks[task].items()]
    others = [key for key in body if key not in taken]
    others += dict.fromkeys(key for task in taken for key in body[task] if key not in tasks[task])
    alike = not others and len({*map(frozenset, own.values())}) == 1
    alike |= any(map(_is_branch, (value for row in rows for value in row.values())))  # measures stand deeper
    if alike or 2 * len(taken) < len(body) or 2 * len({row["key 2"] for row in rows}) > len(rows):
        return None
    notes = [f"what is no object with measures was left out: {listed(map(repr, others), 4)}"] if others else []
    return Rows(list(enumerate(rows, start=1)), notes)


def _innermost(body: dict[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """Yield the objects that hold no objects only, each with the keys above it."""
    for key, value in body.items():
        if _is_branch(value):
            yield from _innermost(value, (*above, key))
        else:
            yield from (((*above, key), row) for row in (value if isinstance(value, list) else [value]))


def as_frame(found: Rows, name: str, limit: Limit) -> tuple[pd.DataFrame, list[str]]:
    """Return a frame with a row for each object, and notes; an object in an object gives columns ``outer.inner``."""
    for number, row in found.rows:
        if not isinstance(row, dict):
            raise DataError(f"{name}: row {number} is no object with names and values, but {shown(row, most=40)}")
    try:
        rows, more = stores.each_in_a_row([(n, flattened(row)) for n, row in found.rows])
    except RecursionError:
        raise DataError(f"{name}: {_DEEP}") from None
    rows, melted = stores.each_key_in_a_row(rows)
    more += melted
    flat = [row for _, row in rows]
    if not any(flat):
        raise DataError(f"{name} holds no row of results")
    lists = {k: n for n, row in rows for k, v in row.items() if isinstance(v, list) and not stores.numbers_in(v)}
    keys = dict.fromkeys(key for row in flat for key in row if key not in lists)
    numbers = {k for row in flat for k, value in row.items() if type(value) in (int, float)}
    often, below = Counter(chain.from_iterable(flat)), Counter(key.partition(".")[0] for key in keys)
    for part in [part for part, n in below.items() if n > _MOST_OWN]:
        own = [key for key in keys if key.startswith(f"{part}.")]
        if not numbers & {*own} and 10 * max(often[key] for key in own) < len(rows):
            keys = dict.fromkeys(key for key in keys if key not in own)
            more.append(f"what is below {part!r} was left out: each key there is in few rows")
    if lists and not any(isinstance(row.get(key), int | float | list) for row in flat for key in keys):
        key, number = next(iter(lists.items()))
        raise DataError(f"{name}: row {number}, column {key!r} holds a list; write a row for each value")
    tables = {k for row in flat for k in lists if (v := row.get(k)) and all(map(stores.numbers_in, v))}
    ends = {key: ": are its numbers the scores, of which each needs a row?" * (key in tables) for key in lists}
    notes = [*found.notes, *more, *(f"column {k!r}, which holds lists, was left out{ends[k]}" for k in lists)]
    limit.check(name, len(keys), "columns", limit.columns)
    if len(keys) > _SAMPLE > 20 * len(rows):
        remedy = "write a row for each method and data set to one table, with a measure of each in a column"
        holds = f"{len(rows)} objects with {len(keys):,} values in others, such as {max(keys, key=len)!r}"
        raise DataError(f"{name} holds {holds}: {remedy}")
    limit.check(name, 8 * len(keys) * len(rows), f" with its {len(rows):,} rows and {len(keys):,} different keys")
    incomplete = [number for (number, _), row in zip(rows, flat, strict=True) if not keys.keys() <= row.keys()]
    notes += [f"rows that lack some of the keys: {len(incomplete)} (first row {number})" for number in incomplete[:1]]
    return stores.frame_of(flat, keys), notes
