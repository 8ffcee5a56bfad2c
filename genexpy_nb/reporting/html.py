"""An executed notebook as one HTML file that needs no network and no script."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup, NavigableString, Tag
from jinja2 import pass_context
from nbconvert import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode
from pygments.formatters import HtmlFormatter

from genexpy_nb.reporting.execute import Failure
from genexpy_nb.reporting.mathjax import TexError, Typesetter
from genexpy_nb.reporting.spec import Report

__all__ = ["Page", "to_html"]

TEMPLATES = Path(__file__).parent / "templates"
BUNDLED_NOTICE = "These numbers come from the bundled results of this project's own runs, not from the published table."
# Dollars around a formula hug it, and no digit follows: "$5 and $6" is money.
_TEX = re.compile(
    r"\$\$(?P<block>.+?)\$\$|\\\[(?P<bracket>.+?)\\\]|\\\((?P<paren>.+?)\\\)|(?P<env>\\begin\{(?P<name>\w+\*?)\}.*?\\end\{(?P=name)\})"
    r"|(?<![\\$\w])\$(?P<inline>[^\s$](?:[^$]*?[^\s$\\])?)\$(?![\d$])",
    flags=re.DOTALL,
)
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

    @property
    def bundled(self) -> bool:
        """Whether any number comes from bundled results."""
        return any(table.source == "bundled" for table in self.report.data)


class _Renderer(IPythonRenderer):
    """Markdown in which formulas become SVG at once."""

    def __init__(self, typeset: Callable[[str, bool], str], **options: Any) -> None:
        super().__init__(**options)
        self._typeset = typeset

    def block_math(self, body: str) -> str:
        return self._typeset(body, True)

    def inline_math(self, body: str) -> str:
        return self._typeset(body, False)

    def latex_environment(self, name: str, body: str) -> str:
        return self._typeset(rf"\begin{{{name}}}{body}\end{{{name}}}", True)


class _Exporter(HTMLExporter):
    """The lab template, extended, with formulas set while the page is built."""

    def __init__(self, typeset: Callable[[str, bool], str], **options: Any) -> None:
        self._typeset = typeset
        super().__init__(template_name="report", extra_template_basedirs=[str(TEMPLATES)], **options)
        self.exclude_anchor_links = True  # anchors are added where the contents list is made
        self.embed_images = True
        self.exclude_input_prompt = self.exclude_output_prompt = True

    @pass_context
    def markdown2html(self, context: Any, source: str) -> str:
        renderer = _Renderer(
            self._typeset,
            escape=False,
            embed_images=True,
            exclude_anchor_links=True,
            attachments=context.get("cell", {}).get("attachments", {}),
            path=context.get("resources", {}).get("metadata", {}).get("path", ""),
        )
        return MarkdownWithMath(renderer=renderer).render(source)


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
        Formulas that are not valid TeX, each named; they stand in the page as they were written.

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
    problems: list[str] = []
    with Typesetter() as typesetter:

        def typeset(tex: str, display: bool) -> str:
            try:
                return typesetter.svg(tex, display)
            except TexError as error:
                problems.append(str(error))
                return str(_element("code", tex.strip(), {"class": "tex-error"}))

        exporter = _Exporter(typeset)
        # nbconvert would put "Notebook" and the present date into its resources; the template uses neither
        resources = {
            "metadata": {"name": page.report.name, "path": str(page.report.notebook.source.parent)},
            "page": page,
            "bundled_notice": BUNDLED_NOTICE,
            "mathjax_css": typesetter.stylesheet(),
            "highlight_css": HtmlFormatter(style="friendly").get_style_defs(".highlight"),
            "css": (TEMPLATES / "report" / "report.css").read_text(encoding="utf-8"),
        }
        html, _ = exporter.from_notebook_node(node, resources)
        soup = BeautifulSoup(html, "html.parser")
        _typeset_outputs(soup, typeset)
    _drop_scripts(soup)
    problems += _drop_requests(soup)
    _drop_title(soup, page.report.title)
    _link_headings(soup)
    _dress_tables(soup)
    _describe_images(soup)
    return str(soup), list(dict.fromkeys(problems))


def _element(tag: str, text: str, attributes: dict[str, str]) -> Tag:
    element = BeautifulSoup("", "html.parser").new_tag(tag, attrs=attributes)
    element.string = text
    return element


def _typeset_outputs(soup: BeautifulSoup, typeset: Callable[[str, bool], str]) -> None:
    """Set formulas in HTML and LaTeX outputs, as JupyterLab does."""
    for area in soup.select(".jp-RenderedHTML, .jp-RenderedLatex"):
        for text in area.find_all(string=_TEX):
            if not text.find_parent(["code", "pre", "style", "script", "textarea", "svg"]) and not text.find_parent(
                class_="tex2jax_ignore"
            ):
                text.replace_with(*_split_formulas(text, typeset))


def _split_formulas(text: str, typeset: Callable[[str, bool], str]) -> Iterable[Any]:
    end = 0
    for found in _TEX.finditer(text):
        yield NavigableString(text[end : found.start()])
        tex = next(found[g] for g in ("block", "bracket", "paren", "env", "inline") if found[g] is not None)
        yield from list(BeautifulSoup(typeset(tex, found["inline"] is None and found["paren"] is None), "html.parser"))
        end = found.end()
    yield NavigableString(text[end:])


def _drop_scripts(soup: BeautifulSoup) -> None:
    for script in soup.find_all("script"):
        script.decompose()
    for element in soup.find_all(True):
        for attribute in [name for name in element.attrs if name.startswith("on") or name == "tabindex"]:
            del element[attribute]


def _drop_requests(soup: BeautifulSoup) -> Iterable[str]:
    """Take out what a browser would fetch from elsewhere; links that a reader may follow stay."""
    for element in soup.select("[src], [srcset], [poster], link[href], image[href], use[href], object[data]"):
        for attribute in ("src", "srcset", "poster", "href", "data"):
            address = str(element.get(attribute, ""))
            if address and not address.startswith(("data:", "#")):
                element.replace_with(_element("code", address, {"class": "tex-error"}))
                yield f"the page would load {address}: it must be a file in the notebook's folder"
                break
    for style in soup.find_all("style"):
        for address in re.findall(r"@import[^;]*|url\(\s*['\"]?(?!data:|#)[^)]*", style.string or ""):
            yield f"a style of the page would load {address}"


def _drop_title(soup: BeautifulSoup, title: str) -> None:
    """The page has its title already: drop the notebook's own, or make it a subtitle if it says something else."""
    heading = soup.select_one(".jp-MarkdownCell h1")
    if heading is None:
        return
    if heading.get_text().strip().casefold() == title.strip().casefold():
        heading.decompose()
    else:
        heading.name, heading["class"] = "p", "notebook-title"


def _link_headings(soup: BeautifulSoup) -> None:
    """Give every heading an id and an anchor, and fill the list of contents."""
    contents = soup.select_one("nav.toc ol")
    taken: dict[str, int] = {}
    for heading in soup.select("main h1, main h2, main h3, main h4"):
        if heading.find_parent(class_=["jp-OutputArea", "page-head"]):
            continue
        label = _plain(heading)
        slug = re.sub(r"[^\w]+", "-", label.casefold()).strip("-") or "section"
        taken[slug] = taken.get(slug, 0) + 1
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
    """Make wide tables scroll on their own and align columns of numbers to the right."""
    for table in soup.select(".jp-RenderedHTMLCommon table"):
        if table.find_parent("table"):
            continue
        for style in (table.parent or soup).find_all("style", attrs={"scoped": True}):
            style.decompose()  # pandas aligns everything to the right
        del table["border"]
        for row in table.select("tr[style]"):
            del row["style"]
        _align_numbers(table)
        wrapper = soup.new_tag("div", attrs={"class": "table-scroll", "tabindex": "0"})
        table.wrap(wrapper)


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
