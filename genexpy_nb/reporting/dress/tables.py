"""Tables that fit: what each cell is in, how wide a table must be, numbers to the right."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bs4 import BeautifulSoup, Tag

from genexpy_nb.reporting.dress.parts import plain_text

# Widths that a table may need at small type, in rem; one that needs more is never shown as a grid.
TABLE_WIDTHS = (*range(8, 40, 2), *range(40, 62, 3))
TALL = 30  # rows, or printed lines, that scroll in a box of their own
_CHARACTER, _PADDING = 0.43, 0.65  # of a column at small type, in rem
_ENOUGH, _LONG = 20, 24  # characters: of a column of text that reads well; of a word that may break anywhere
_NUMBER = re.compile(
    r"[-+−]?(\d[\d,]*(\.\d*)?|\.\d+)([eE][-+]?\d+| × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?\s?%?|[-+−]?(nan|NaN|inf|∞|<NA>)|—|–"
)


def dress_tables(soup: BeautifulSoup) -> None:
    """Say what each cell is in, how wide a table must be, and align columns of numbers to the right."""
    for table in soup.select(".jp-RenderedHTMLCommon table"):
        if table.find_parent("table"):
            continue
        del table["border"]
        for row in table.select("tr[style]"):
            del row["style"]
        _repeat_heads(soup, table)
        _align_numbers(table)
        _say_scope(table)
        grid = _grid(table.select("tbody > tr"))
        _label_cells(grid, _columns(_grid(table.select("thead > tr"))))
        wrapper = soup.new_tag("div", attrs={"class": "table-fit", "data-fit": _needed_width(table)})
        if len(grid) > TALL:
            wrapper.attrs |= {"tabindex": "0", "role": "region", "aria-label": f"Table with {len(grid)} rows"}
        table.wrap(wrapper)


def _repeat_heads(soup: BeautifulSoup, table: Tag) -> None:
    """Write the head of several rows again in each of them, where the table shows it once: lists need it in each."""
    above: list[str] = []
    for row in table.select("tbody > tr"):
        cells = _cells(row)
        n_heads = max((i + 1 for i, cell in enumerate(cells) if cell.name == "th"), default=0)
        texts = [plain_text(cell) for cell in cells[:n_heads]]
        for i, cell in enumerate(cells[:n_heads]):
            if cell.name == "td" and not texts[i] and i < len(above) and not cell.find(True):
                cell.name, cell["class"], texts[i] = "th", "again", above[i]
                hidden = soup.new_tag("span")
                hidden.string = above[i]
                cell.append(hidden)
        above = texts


def _cells(row: Tag) -> list[Tag]:
    return row.find_all(["th", "td"], recursive=False)


def _spanned(cell: Tag, name: str) -> int:
    text = str(cell.get(name) or 1)
    return min(max(int(text), 1), 1000) if text.isascii() and text.isdecimal() else 1


def _grid(rows: Sequence[Tag]) -> list[dict[int, Tag]]:
    """Which cell stands in which column, row by row; a cell that spans several stands in each."""
    grid: list[dict[int, Tag]] = [{} for _ in rows]
    for number, row in enumerate(rows):
        column = 0
        for cell in _cells(row):
            while column in grid[number]:
                column += 1
            width = _spanned(cell, "colspan")
            for below in grid[number : number + _spanned(cell, "rowspan")]:
                below |= {column + right: cell for right in range(width)}
            column += width
    return grid


def _columns(grid: Sequence[dict[int, Tag]]) -> list[list[Tag]]:
    width = max((max(row, default=-1) for row in grid), default=-1) + 1
    return [[row[column] for row in grid if column in row] for column in range(width)]


def _say_scope(table: Tag) -> None:
    for head in table.select("tr > th"):
        if not head.get_text(strip=True) and not head.find(True):
            head.name = "td"  # an empty corner is no head of anything
            del head["scope"]
        elif head.find_parent("thead"):
            head["scope"] = "colgroup" if _spanned(head, "colspan") > 1 else "col"
        else:
            head["scope"] = "rowgroup" if _spanned(head, "rowspan") > 1 else "row"


def _plain_name(head: Tag) -> str:
    """The name of a column for a label, which cannot hold a formula: its letters without the signs of TeX."""
    return re.sub(r"[\\{}$^]", "", plain_text(head)) if head.svg else plain_text(head)


def _label_cells(grid: Sequence[dict[int, Tag]], heads: Sequence[Sequence[Tag]]) -> None:
    """Give each cell the name of its column (the heads above it), to be shown where the head has no room."""
    names = [[text for head in column if (text := _plain_name(head))] for column in heads]
    for row in grid:
        for column, cell in row.items():
            if column < len(names) and names[column] and not cell.has_attr("data-label"):
                # above an index, pandas writes the name of the columns, then that of the index
                own = names[column][-1:] if cell.name == "th" else dict.fromkeys(names[column])
                cell["data-label"] = " · ".join(own)


def _needed_width(table: Tag) -> str:
    """The rem that a table needs at small type so that no word of it breaks, or ``lists`` if that is too much."""
    body, head = _columns(_grid(table.select("tbody > tr"))), _columns(_grid(table.select("thead > tr")))
    needed = 0.0
    for column in range(max(len(body), len(head))):
        cells = [*(body[column] if column < len(body) else []), *(head[column] if column < len(head) else [])]
        needed += _PADDING + _CHARACTER * max(map(_longest, cells), default=1)
    return str(next((width for width in TABLE_WIDTHS if width >= needed), "lists"))


def _longest(cell: Tag) -> int:
    """Characters that a cell needs in a line; a very long word may break anywhere, and is marked."""
    text = plain_text(cell)
    if cell.name == "td" and "num" in (cell.get("class") or ()):
        return len(text) // _spanned(cell, "colspan")
    width = _spanned(cell, "colspan")
    longest = max(map(len, text.split()), default=0)
    if longest > _LONG:
        cell["class"] = " ".join([*(cell.get("class") or ()), "long"])
        longest = _LONG
    return max(longest, min(len(text), _ENOUGH if cell.name == "td" else 0)) // width


def _align_numbers(table: Tag) -> None:
    # Counted from the right: headers that span rows are missing on the left of the rows after the first.
    rows = [row.find_all("td", recursive=False)[::-1] for row in table.select("tbody > tr")]
    for column in range(max(map(len, rows), default=0)):
        cells = [row[column] for row in rows if column < len(row)]
        texts = [text for cell in cells if (text := cell.get_text().strip()) and text != "..."]
        if not texts or not all(_NUMBER.fullmatch(text) for text in texts):
            continue
        heads = [row.find_all(["th", "td"], recursive=False)[::-1] for row in table.select("thead > tr")]
        simple = [row[column] for row in heads if column < len(row) and not any(c.has_attr("colspan") for c in row)]
        for cell in [*cells, *simple]:
            cell["class"] = " ".join([*(cell.get("class") or ()), "num"])
