"""An executed notebook as one HTML file that needs no network and no script."""

from __future__ import annotations

import re
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from bs4 import BeautifulSoup, NavigableString, Tag
from jinja2 import pass_context
from mistune import BlockParser, InlineParser
from nbconvert import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode
from pygments.formatters import HtmlFormatter

from genexpy_nb.reporting.execute import Failure
from genexpy_nb.reporting.mathjax import TexError, Typesetter
from genexpy_nb.reporting.sanitizing import FORMULA, clean_html, printable
from genexpy_nb.reporting.spec import Report

__all__ = ["Page", "to_html"]

TEMPLATES = Path(__file__).parent / "templates"
BUNDLED_NOTICE = "These numbers come from the bundled results of this project's own runs, not from the published table."
# No page needs more than what stands in it. A browser that reads this loads nothing even if something was overlooked.
POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:; base-uri 'none'; form-action 'none'"
)
_IMAGE_TYPES = {
    ".avif": "avif",
    ".gif": "gif",
    ".jpeg": "jpeg",
    ".jpg": "jpeg",
    ".png": "png",
    ".svg": "svg+xml",
    ".webp": "webp",
}
# Widths that a table may need at small type, in rem; one that needs more is never shown as a grid.
TABLE_WIDTHS = (*range(8, 40, 2), *range(40, 62, 3))
_CHARACTER, _PADDING = 0.43, 0.65  # of a column at small type, in rem
_ENOUGH, _LONG = 20, 24  # characters: of a column of text that reads well; of a word that may break anywhere
_TALL = 30  # rows, or printed lines, that scroll in a box of their own
_NUMBER = re.compile(r"[-+−]?(\d[\d,]*(\.\d*)?|\.\d+)([eE][-+]?\d+)?\s?%?|[-+−]?(nan|NaN|inf|∞|<NA>)|—|–")


@dataclass(frozen=True)
class Page:
    """What the template says about a report beside the notebook itself.

    Parameters
    ----------
    report : Report
        Title, parameters, data.
    facts : sequence of (str, str)
        The table of provenance.
    rendered : str
        The one line that differs between two renders: when, and how long it took.
    failure : Failure or None
        Shown at the top.
    index : bool
        Whether the page lies beside an index, to which it links.

    Examples
    --------
    >>> from genexpy_nb.reporting.pairing import NotebookFile
    >>> pair = NotebookFile("a", Path("a.py"), Path("a.ipynb"))
    >>> Page(Report("a", "A", "", pair, (), {}), [], "2026-01-01").bundled
    False
    """

    report: Report
    facts: Sequence[tuple[str, str]]
    rendered: str
    failure: Failure | None = None
    index: bool = True

    @property
    def changes(self) -> str:
        """The parameters that are not the default, in a few words."""
        changed = [f"{name} = {value!r}" for name, value in self.report.changed.items()]
        text = ", ".join(changed)
        return text if len(text) <= 80 else f"{len(changed)} parameter{'' if len(changed) == 1 else 's'}"

    @property
    def bundled(self) -> bool:
        """Whether any number comes from bundled results."""
        return any(table.source == "bundled" for table in self.report.data)


class _Renderer(IPythonRenderer):
    """Markdown as HTML; images that are attached to the cell become ``data:`` addresses, others stay as they are."""

    def _embed_image_or_attachment(self, src: str) -> str:
        name = src.removeprefix("attachment:")
        return super()._embed_image_or_attachment(src) if name != src and name in self.attachments else src


class _CellRenderer(_Renderer):
    """Markdown of the notebook itself: each formula is handed over, and a mark stands where it comes."""

    def __init__(self, mark: Callable[[str, bool], str], **options: Any) -> None:
        super().__init__(**options)
        self._mark = mark

    def block_math(self, body: str) -> str:
        return self._mark(body, True)

    def inline_math(self, body: str) -> str:
        return self._mark(body, False)

    def latex_environment(self, name: str, body: str) -> str:
        return self._mark(rf"\begin{{{name}}}{body}\end{{{name}}}", True)


class _Exporter(HTMLExporter):
    """The lab template, extended; all HTML that a notebook brings is made inert before the template gets it."""

    def __init__(self, folder: Path, **options: Any) -> None:
        self.formulas: list[tuple[str, bool]] = []
        self.problems: list[str] = []
        self._folder = folder.resolve()
        self._fragments = count(1)
        super().__init__(template_name="report", extra_template_basedirs=[str(TEMPLATES)], **options)
        self.exclude_anchor_links = True  # anchors are added where the contents list is made
        self.exclude_input_prompt = self.exclude_output_prompt = True
        self.register_filter("inert", self._inert)
        self.register_filter("data_markdown", self._data_markdown)

    @pass_context
    def markdown2html(self, context: Any, source: str) -> str:
        attachments = context.get("cell", {}).get("attachments", {})
        renderer = _CellRenderer(self._mark, escape=False, exclude_anchor_links=True, attachments=attachments)
        return self._inert(MarkdownWithMath(renderer=renderer).render(source), formulas=True)

    def _data_markdown(self, source: str) -> str:
        """Markdown that was computed: it may hold values of somebody's table, so a dollar is a dollar."""
        renderer = _Renderer(escape=False, exclude_anchor_links=True)
        parser = MarkdownWithMath(renderer, BlockParser(), InlineParser(hard_wrap=False))
        return self._inert(parser.render(source))

    def _mark(self, tex: str, display: bool) -> str:
        self.formulas.append((tex, display))
        return f'<span {FORMULA}="{len(self.formulas) - 1}">{escape(tex)}</span>'

    def _inert(self, html: str, formulas: bool = False) -> str:
        fragment = clean_html(html, f"part-{next(self._fragments)}", self._embed, formulas)
        self.problems += [
            f"the page would load {address[:200]}: it must be an image in the notebook's folder"
            for address in fragment.not_embedded
        ]
        if not fragment.left_out:
            return fragment.html
        note = f"Left out, because a page runs and loads nothing: {', '.join(fragment.left_out)}"
        return f'{fragment.html}<p class="left-out">{escape(note)}</p>'

    def _embed(self, address: str) -> str | None:
        """Return an image file at or below the notebook's folder as a ``data:`` address."""
        with suppress(OSError, ValueError):  # not a name that a file can have
            file = (self._folder / unquote(address)).resolve()
            kind = _IMAGE_TYPES.get(file.suffix.lower())
            if kind and file.is_relative_to(self._folder) and file.is_file():
                return f"data:image/{kind};base64,{b64encode(file.read_bytes()).decode('ascii')}"
        return None


def to_html(node: NotebookNode, page: Page) -> tuple[str, list[str]]:
    """Return the page of a report.

    Parameters
    ----------
    node : NotebookNode
        Executed and normalised.
    page : Page
        What goes around it.

    Returns
    -------
    html : str
        The same for the same input: no ids or times of its own.
    problems : list of str
        Formulas of the notebook's markdown that are not valid TeX, and images that cannot be put into the page, each
        named; they stand in the page as they were written.

    Notes
    -----
    Only the notebook's own markdown is typeset: what a cell puts out may hold values of somebody's table, and stays
    text. HTML of either kind is cut down to what neither runs nor loads anything (`clean_html`); where something is
    left out, the page says so in place.

    Examples
    --------
    >>> import nbformat
    >>> from genexpy_nb.reporting.pairing import NotebookFile
    >>> pair = NotebookFile("a", Path("a.py"), Path("a.ipynb"))
    >>> page = Page(Report("a", "A <b>", "", pair, (), {}), [], "2026-01-01")
    >>> html, problems = to_html(nbformat.v4.new_notebook(), page)
    >>> "<title>A &lt;b&gt;</title>" in html, "<script" in html, problems
    (True, False, [])
    """
    exporter = _Exporter(page.report.notebook.source.parent)
    with Typesetter() as typesetter:
        # nbconvert would put "Notebook" and the present date into its resources; the template uses neither
        resources = {
            "metadata": {"name": page.report.name, "path": str(page.report.notebook.source.parent)},
            "page": page,
            "policy": POLICY,
            "bundled_notice": BUNDLED_NOTICE,
            "mathjax_css": typesetter.stylesheet(),
            "highlight_css": HtmlFormatter(style="default").get_style_defs(".highlight"),
            "highlight_css_dark": HtmlFormatter(style="github-dark").get_style_defs(".highlight"),
            "table_widths": TABLE_WIDTHS,
            "css": (TEMPLATES / "report" / "report.css").read_text(encoding="utf-8"),
        }
        html, _ = exporter.from_notebook_node(_printable(node), resources)
        soup = BeautifulSoup(html, "html.parser")
        problems = list(_typeset(soup, exporter.formulas, typesetter))
    _describe_images(soup)
    _hoist(soup)
    _drop_title(soup)
    _drop_empty_sections(soup)
    _link_headings(soup)
    _dress_tables(soup)
    _box_long_output(soup)
    _label_boxes(soup)
    return printable(str(soup)), list(dict.fromkeys([*problems, *exporter.problems]))


def _printable(value: Any) -> Any:
    """A notebook without control characters, except those with which a terminal colours."""
    if isinstance(value, str):
        return printable(value, keep="\x1b")
    if isinstance(value, dict):
        return type(value)({key: _printable(item) for key, item in value.items()})
    return [_printable(item) for item in value] if isinstance(value, list) else value


def _typeset(soup: BeautifulSoup, formulas: Sequence[tuple[str, bool]], typesetter: Typesetter) -> Iterable[str]:
    """Put each formula where its mark stands, after all that came with the notebook has been made inert."""
    for mark in soup.select(f"span[{FORMULA}]"):
        number = str(mark[FORMULA])
        if not number.isdecimal() or int(number) >= len(formulas):
            mark.unwrap()
            continue
        tex, display = formulas[int(number)]
        try:
            mark.replace_with(BeautifulSoup(typesetter.svg(tex, display), "html.parser"))
        except TexError as error:
            mark.replace_with(_element("code", tex.strip(), {"class": "tex-error"}))
            yield str(error)


def _element(tag: str, text: str, attributes: dict[str, str]) -> Tag:
    element = BeautifulSoup("", "html.parser").new_tag(tag, attrs=attributes)
    element.string = text
    return element


def _hoist(soup: BeautifulSoup) -> None:
    """Put what cells tagged ``findings`` and ``hero`` show below the title: the answer, and one figure."""
    head = soup.select_one("header.page-head")
    for tag, label in (("findings", "Findings"), ("hero", "Main figure")):
        found = soup.select(f"main > .jp-CodeCell.celltag_{tag} .jp-OutputArea")
        areas = [area for area in found if not area.select_one(".traceback")]
        if head is not None and areas:
            section = soup.new_tag("section", attrs={"class": tag, "aria-label": label})
            section.extend(area.extract() for area in areas)
            head.append(section)


def _drop_title(soup: BeautifulSoup) -> None:
    """Drop the notebook's own title: the page has one already."""
    heading = soup.select_one(".jp-MarkdownCell h1")
    if heading is not None:
        heading.decompose()


def _drop_empty_sections(soup: BeautifulSoup) -> None:
    """Drop headings under which a page shows nothing; code before the first that stays goes to the end."""
    pieces = list(_pieces(soup))
    shown = dict.fromkeys(range(2, 7), False)  # by level: anything between here and the next heading like that or above
    dropped = []
    for kind, element in reversed(pieces):
        level = int(element.name[1]) if kind == "heading" else 7
        if kind == "shown" or shown.get(level):
            shown |= {above: True for above in shown if above < level}
        elif kind == "heading":
            dropped.append(element)
        shown |= {same: False for same in shown if same >= level}
    _move_setup(soup, pieces, dropped)
    for heading in dropped:
        heading.decompose()
    for cell in soup.select("main > .jp-MarkdownCell"):
        if not cell.get_text(strip=True) and not cell.select_one("img, svg, hr, input"):
            cell.decompose()


def _pieces(soup: BeautifulSoup) -> Iterable[tuple[str, Tag]]:
    """Headings (``heading``), cells that have only code (``code``), and all else that a reader sees (``shown``)."""
    for cell in soup.select("main > :not(header, footer)"):
        if "jp-CodeCell" in (cell.get("class") or ()):
            yield ("shown" if _has_output(cell) else "code"), cell
            continue
        text = cell.select_one(".jp-RenderedMarkdown") or cell
        for child in text.find_all(True, recursive=False):
            yield ("heading" if re.fullmatch("h[2-6]", child.name) else "shown"), child


def _has_output(cell: Tag) -> bool:
    return any(area.find(True) for area in cell.select(".jp-OutputArea"))


def _move_setup(soup: BeautifulSoup, pieces: Sequence[tuple[str, Tag]], dropped: Sequence[Tag]) -> None:
    """Move code of the sections that open a notebook and show nothing (parameters, imports) to the end of the page."""
    cells, names = [], []
    for kind, element in pieces:
        if kind == "heading":
            if all(element is not heading for heading in dropped):
                break
            names.append(_plain(element))
        elif kind == "code" and names:
            cells.append(element)
    footer = soup.select_one("footer.provenance")
    if not cells or footer is None:
        return
    setup = soup.new_tag("details", attrs={"class": "about setup"})
    setup.append(_element("summary", f"Code that runs first: {', '.join(names)}", {}))
    for cell in cells:
        for code in cell.select("details.code .jp-InputArea"):
            setup.append(code.extract())
        cell.decompose()
    footer.append(setup)


def _link_headings(soup: BeautifulSoup) -> None:
    """Give every heading an id and an anchor, and fill the list of contents."""
    contents = soup.select_one("nav.toc ol")
    taken = Counter(str(element["id"]) for element in soup.find_all(id=True))
    for heading in soup.select("main h1, main h2, main h3, main h4"):
        if heading.find_parent(class_=["jp-OutputArea", "page-head"]) or not heading.get_text(strip=True):
            continue
        label = _plain(heading)
        slug = re.sub(r"[^\w]+", "-", label.casefold()).strip("-") or "section"
        taken[slug] += 1
        heading["id"] = slug if taken[slug] == 1 else f"{slug}-{taken[slug]}"
        if heading.name in ("h1", "h2", "h3") and contents is not None:
            item = soup.new_tag("li", attrs={"class": f"toc-{heading.name}"})
            link = soup.new_tag("a", attrs={"href": f"#{heading['id']}"})
            link.extend(BeautifulSoup(heading.decode_contents(), "html.parser").contents[:])
            for nested in link.find_all("a"):
                nested.unwrap()
            item.append(link)
            contents.append(item)
        anchor = _element("a", "#", {"class": "anchor", "href": f"#{heading['id']}", "aria-label": f"Link to {label}"})
        heading.append(anchor)


def _plain(element: Tag) -> str:
    """The text of an element, formulas as their TeX."""
    parts = [
        str(node.get("aria-label", "")) if isinstance(node, Tag) else str(node)
        for node in element.descendants
        if (isinstance(node, Tag) and node.name == "svg") or isinstance(node, NavigableString)
    ]
    return " ".join("".join(parts).split())


def _dress_tables(soup: BeautifulSoup) -> None:
    """Say what each cell is in, how wide a table must be, and align columns of numbers to the right."""
    for table in soup.select(".jp-RenderedHTMLCommon table"):
        if table.find_parent("table"):
            continue
        del table["border"]
        for row in table.select("tr[style]"):
            del row["style"]
        _align_numbers(table)
        _say_scope(table)
        grid = _grid(table.select("tbody > tr"))
        _label_cells(grid, _columns(_grid(table.select("thead > tr"))))
        wrapper = soup.new_tag("div", attrs={"class": "table-fit", "data-fit": _needed_width(table)})
        if len(grid) > _TALL:
            wrapper.attrs |= {"tabindex": "0", "role": "region", "aria-label": f"Table with {len(grid)} rows"}
        table.wrap(wrapper)


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
    return re.sub(r"[\\{}$^]", "", _plain(head)) if head.svg else _plain(head)


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
    text = _plain(cell)
    if cell.name == "td" and "num" in (cell.get("class") or ()):
        return len(text) // _spanned(cell, "colspan")
    width = _spanned(cell, "colspan")
    longest = max(map(len, text.split()), default=0)
    if longest > _LONG:
        cell["class"] = " ".join([*(cell.get("class") or ()), "long"])
        longest = _LONG
    return max(longest, min(len(text), _ENOUGH if cell.name == "td" else 0)) // width


def _label_boxes(soup: BeautifulSoup) -> None:
    """Say to what a box to tick belongs: the text beside it."""
    for box in soup.select("main input"):
        if box.parent is not None:
            box["aria-label"] = _plain(box.parent) or "Box to tick"


def _box_long_output(soup: BeautifulSoup) -> None:
    """Let a keyboard scroll what is printed over many lines."""
    for text in soup.select("main .jp-RenderedText > pre"):
        if text.get_text().count("\n") > _TALL:
            text.attrs |= {"tabindex": "0", "role": "region", "aria-label": "Printed output"}


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


def _describe_images(soup: BeautifulSoup) -> None:
    """Give images a text: the author's, or the heading that they stand under."""
    for image in soup.select("main img"):
        if image.get("alt") in (None, "", "No description has been provided for this image"):
            heading = image.find_previous(["h1", "h2", "h3", "h4"])
            label = _plain(heading).removesuffix("#").strip() if heading else ""
            image["alt"] = f"Figure: {label}" if label else "Figure"
