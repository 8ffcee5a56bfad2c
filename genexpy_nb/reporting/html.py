"""An executed notebook as one HTML file that needs no network and no script."""

from __future__ import annotations

import json
import re
import tomllib
from base64 import b64encode
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from bs4 import BeautifulSoup
from jinja2 import pass_context
from mistune import BlockParser, InlineParser
from nbconvert import HTMLExporter
from nbconvert.filters.highlight import Highlight2HTML
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbconvert.filters.widgetsdatatypefilter import WidgetsDataTypeFilter
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell
from pygments.formatters import HtmlFormatter

from genexpy_nb.common.exercises import FOLDER
from genexpy_nb.common.page import NAMESPACE, page_object
from genexpy_nb.reporting import dressing
from genexpy_nb.reporting.inert import FORMULA, TexError, clean_html, dark_colours, mathml, printable
from genexpy_nb.reporting.pairing import NotebookFile, filled, has_tag, read_source, without_answers
from genexpy_nb.reporting.references import read_abbreviations, read_references
from genexpy_nb.reporting.spec import Report
from genexpy_nb.reporting.state import Failure

TEMPLATES = Path(__file__).parent / "templates"
# Family, file, style, weight, and what it is for: letters of Latin script, and Greek ones in the text.
FONTS = (
    ("Source Serif 4", "source-serif-4-latin-400-normal", "normal", 400, "latin"),
    ("Source Serif 4", "source-serif-4-latin-400-italic", "italic", 400, "latin"),
    ("Source Serif 4", "source-serif-4-latin-600-normal", "normal", 600, "latin"),
    ("Source Serif 4", "source-serif-4-greek-400-normal", "normal", 400, "greek"),
    ("Source Sans 3", "source-sans-3-latin-400-normal", "normal", 400, "latin"),
    ("Source Sans 3", "source-sans-3-latin-600-normal", "normal", 600, "latin"),
)
MATH_FONT = "tex-gyre-pagella-math-400-normal"  # on pages with formulas
_LETTERS = {
    "latin": "U+0000-00FF, U+0131, U+0152-0153, U+02BB-02BC, U+02C6, U+02DA, U+02DC, U+2000-206F, U+20AC, U+2122",
    "greek": "U+0370-03FF",
}
# No page needs more than what stands in it. A browser that reads this loads nothing even if something was overlooked.
POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:; base-uri 'none'; form-action 'none'"
)
_IMAGE_TYPES = {f".{kind}": kind for kind in ("avif", "gif", "jpeg", "png", "webp")}
_IMAGE_TYPES |= {".jpg": "jpeg", ".svg": "svg+xml"}


@dataclass(frozen=True)
class Page:
    """What the template says about a report beside the notebook itself."""

    report: Report
    facts: Sequence[tuple[str, str]]
    rendered: str
    failure: Failure | None = None
    index: bool = True
    lessons: bool = False
    students: str = ""  # the notebook without answers, for those who solve the exercises

    @property
    def changes(self) -> str:
        """The parameters that are not the default, in a few words."""
        changed = [f"{name} = {value!r}" for name, value in self.report.changed.items()]
        text = ", ".join(changed)
        return text if len(text) <= 80 else f"{len(changed)} parameter{'' if len(changed) == 1 else 's'}"

    @property
    def bundled(self) -> str:
        """The published tables in whose place are bundled results, if any."""
        return " and ".join(table.name for table in self.report.data if table.source == "bundled")


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


class Exporter(HTMLExporter):
    """The lab template, extended; all HTML that a notebook brings is made inert before the template gets it."""

    def __init__(self, folder: Path, template: str = "report", **options: Any) -> None:
        self.formulas: list[tuple[str, bool]] = []
        self.problems: list[str] = []
        self._folder = folder.resolve()
        at = {"extra_template_basedirs": [str(TEMPLATES)], "extra_template_paths": [str(TEMPLATES)]}
        super().__init__(template_name=template, **at, **options)
        self.exclude_anchor_links = True  # anchors are added where the contents list is made
        self.exclude_input_prompt = self.exclude_output_prompt = True
        self.register_filter("inert", self._inert)
        self.register_filter("data_markdown", self._data_markdown)

    def from_notebook_node(  # type: ignore[override]
        self, nb: NotebookNode, resources: Any = None, **options: Any
    ) -> tuple[str, dict[str, Any]]:
        """Return the page; the base class would read and write it once more, to mend what is mended here."""
        lexer = nb.metadata.get("language_info", {}).get("name")
        resources = self._init_resources(resources)
        self.register_filter("highlight_code", Highlight2HTML(pygments_lexer=lexer, parent=self))
        widgets = WidgetsDataTypeFilter(notebook_metadata=self._nb_metadata, parent=self, resources=resources)
        self.register_filter("filter_data_type", widgets)
        return super(HTMLExporter, self).from_notebook_node(nb, resources, **options)

    @pass_context
    def markdown2html(self, context: Any, source: str) -> str:
        """Return the HTML of the notebook's own text, formulas as marks."""
        attachments = context.get("cell", {}).get("attachments", {})
        renderer = _CellRenderer(self._mark, escape=False, exclude_anchor_links=True, attachments=attachments)
        return self._inert(MarkdownWithMath(renderer=renderer).render(source), formulas=True)

    def _data_markdown(self, source: str) -> str:
        """Markdown that was computed: it may hold values of somebody's table, so a dollar is a dollar."""
        renderer = _Renderer(escape=False, exclude_anchor_links=True)
        return self._inert(MarkdownWithMath(renderer, BlockParser(), InlineParser(hard_wrap=False)).render(source))

    def _mark(self, tex: str, display: bool) -> str:
        self.formulas.append((tex, display))
        return f'<span {FORMULA}="{len(self.formulas) - 1}">{escape(tex)}</span>'

    def _inert(self, html: str, formulas: bool = False) -> str:
        fragment = clean_html(html, self._embed, formulas)
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
    """Return the page of a report."""
    exporter = Exporter(page.report.notebook.source.parent)
    references = read_references()
    node = filled(without_controls(node if page.lessons else with_folded_answers(node, page.report.notebook)))
    objects = mark_objects(node)
    # nbconvert would put "Notebook" and the present date into its resources; the template uses neither
    resources = {
        "metadata": {"name": page.report.name, "path": str(page.report.notebook.source.parent)},
        "page": page,
        "policy": POLICY,
        "students": b64encode(page.students.encode()).decode("ascii"),
        "highlight_css": HtmlFormatter(style="default").get_style_defs(".highlight"),
        "highlight_css_dark": HtmlFormatter(style="github-dark").get_style_defs(".highlight"),
        "table_widths": dressing.TABLE_WIDTHS,
        "css": fonts() + _css("report.css") + (_css("lessons.css") if page.lessons else ""),
        "paper": references.get(page.report.paper),
        "neighbours": page.report.site.around(page.report.notebook.name),
    }
    html, _ = exporter.from_notebook_node(node, resources)
    soup = BeautifulSoup(html, "html.parser")
    problems = list(typeset(soup, exporter.formulas))
    describe_images(soup)
    put_plays(soup, objects)
    dressing.hoist(soup)
    dressing.drop_title(soup, bool(resources["paper"]))
    dressing.drop_empty_sections(soup)
    dressing.cite(soup, references, [page.report.paper] if page.report.paper else [])
    dressing.link_headings(soup)
    dressing.dress_tables(soup)
    problems += dressing.dress_objects(soup, objects, page.report.name)
    dressing.link_pages(soup, page.report.site, page.report.notebook.name)
    entries = read_abbreviations(page.report.notebook.source.parent)
    dressing.name_abbreviations(soup, {**entries.get("all", {}), **entries.get(page.report.notebook.name, {})})
    dressing.set_numbers(soup)
    _let_keys_scroll(soup)
    html = printable(str(soup))
    html = html.replace("</style>", f"{dark_colours(html)}</style>", 1)
    return html, list(dict.fromkeys([*problems, *exporter.problems]))


def with_folded_answers(node: NotebookNode, notebook: NotebookFile) -> NotebookNode:
    """Return a notebook without answers; below each exercise its hints, solution and explanation are folded."""
    node = without_answers(node)
    asked = [cell for cell in node.cells if has_tag(cell, "exercise")]
    if not asked:
        return node
    file = FOLDER / f"{notebook.name[:2]}.toml"
    told = tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    answers: dict[str, dict[str, list[str]]] = defaultdict(lambda: {"solution": [], "explanation": []})
    number = ""
    for cell in read_source(notebook).cells:
        number = _number(cell) if has_tag(cell, "exercise") else number
        for tag in ("solution", "explanation"):
            if has_tag(cell, tag):
                answers[number][tag].append(cell.source)
    folded = {}
    for cell in asked:
        number = _number(cell)  # a unit has some of the exercises only
        answer = answers[number]
        hints = "\n".join(f"- {hint}" for hint in told.get(number, {}).get("hints", ()))
        code = "\n\n".join(answer["solution"])
        parts = {"Hints": hints, "Solution": "\n\n".join([f"```python\n{code}\n```", *answer["explanation"]])}
        texts = [f"<details><summary>{head}</summary>\n\n{text}\n\n</details>" for head, text in parts.items() if text]
        tags = {"tags": ["answers"]}
        folded[id(cell)] = new_markdown_cell("\n\n".join(texts), metadata=tags, id=f"{cell.id}-answers")
    cells = [each for cell in node.cells for each in (cell, folded.get(id(cell))) if each is not None]
    return NotebookNode({**node, "cells": cells})


def _number(cell: NotebookNode) -> str:
    """The number in the heading of an exercise, empty if it has none."""
    found = re.search(r"^#+ Exercise (\d+)", cell.source, re.MULTILINE)
    return found[1] if found else ""


def mark_objects(node: NotebookNode) -> list[dict[str, Any]]:
    """Number the outputs that say what they are, for the template; return what they say."""
    said: list[dict[str, Any]] = []
    for output in (output for cell in node.cells if cell.cell_type == "code" for output in cell.outputs):
        found = page_object(output)
        if found is None:
            output.get("metadata", {}).pop(NAMESPACE, None)  # not of our making
        else:
            output.metadata[NAMESPACE] = len(said)
            said.append(found)
    return said


def _css(file: str) -> str:
    return (TEMPLATES / "report" / file).read_text(encoding="utf-8")


@cache
def fonts() -> str:
    """Return the style sheet that brings the typefaces of the pages, within the page."""
    return "".join(
        _typeface(family, file, f"font-style: {style}; font-weight: {weight}; unicode-range: {_LETTERS[letters]};")
        for family, file, style, weight, letters in FONTS
    )


@cache
def _typeface(family: str, file: str, more: str = "") -> str:
    data = b64encode((TEMPLATES / "fonts" / f"{file}.woff2").read_bytes()).decode("ascii")
    source = f"src: url(data:font/woff2;base64,{data}) format('woff2');"
    return f'@font-face {{ font-family: "{family}"; font-display: swap; {source} {more} }}\n'


def without_controls(value: Any) -> Any:
    """A notebook without control characters, except those with which a terminal colours."""
    if isinstance(value, str):
        return printable(value, keep="\x1b")
    if isinstance(value, dict):
        return type(value)({key: without_controls(item) for key, item in value.items()})
    return [without_controls(item) for item in value] if isinstance(value, list) else value


def typeset(soup: BeautifulSoup, formulas: Sequence[tuple[str, bool]]) -> Iterable[str]:
    """Put each formula where its mark stands, after all that came with the notebook has been made inert."""
    for mark in soup.select(f"span[{FORMULA}]"):
        number = str(mark[FORMULA])
        if not number.isdecimal() or int(number) >= len(formulas):
            mark.unwrap()
            continue
        tex, display = formulas[int(number)]
        try:
            mark.replace_with(BeautifulSoup(mathml(tex, display), "html.parser"))
        except TexError as error:
            mark.replace_with(dressing.new_element("code", tex.strip(), {"class": "tex-error"}))
            yield str(error)
    if soup.math and soup.style:
        soup.style.append(_typeface("Formulas", MATH_FONT))


def _let_keys_scroll(soup: BeautifulSoup) -> None:
    """Let a keyboard reach outputs that may be wider than the page, or printed over many lines; label boxes."""
    for output in soup.find_all("div", class_="jp-OutputArea-output"):
        output["tabindex"] = "0"
    for box in soup.select("main input"):
        if box.parent is not None:
            box["aria-label"] = dressing.plain_text(box.parent) or "Box to tick"
    for text in soup.select("main .jp-RenderedText > pre"):
        if text.get_text().count("\n") > dressing.TALL:
            text.attrs |= {"tabindex": "0", "role": "region", "aria-label": "Printed output"}


def describe_images(soup: BeautifulSoup) -> None:
    """Give images a text: the author's, or the heading that they stand under."""
    for image in soup.select("main img"):
        if image.get("alt") in (None, "", "No description has been provided for this image"):
            heading = image.find_previous(["h1", "h2", "h3", "h4"])
            label = dressing.plain_text(heading).removesuffix("#").strip() if heading else ""
            image["alt"] = f"Figure: {label}" if label else "Figure"


# --- two studies under the reader's finger ----------------------------------------------------------------------------

_LINE = 340  # of a drawing: its width, about that of a phone


def put_plays(soup: BeautifulSoup, objects: Sequence[Mapping[str, Any]]) -> None:
    """Put what readers can play with in the place of its table: buttons, and a drawing for each of their states."""
    rules: set[str] = set()
    for place in soup.select("[data-object]"):
        said = objects[int(str(place["data-object"]))]
        if "play" in said:
            play = json.loads(said["play"])
            place.clear()
            place.append(BeautifulSoup(_play(play, str(said["name"])), "html.parser"))
            for c, options in enumerate(play["controls"].values()):
                rules |= {f".play:not(:has(.o{c}-{o}:checked)) .s{c}-{o}" for o in range(len(options))}
    if rules and soup.style:
        soup.style.append(f"{', '.join(sorted(rules))} {{ display: none; }}\n")


def _play(play: Mapping[str, Any], name: str) -> str:
    """Radio buttons, which a keyboard moves, and all states; the style sheet shows the one that is chosen."""
    heads = []
    for c, (head, options) in enumerate(play["controls"].items()):
        buttons = "".join(
            f'<label><input type="radio" name="{name}-{c}" class="o{c}-{o}"{" checked" * (o == 0)}>'
            f"<span>{escape(option)}</span></label>"
            for o, option in enumerate(options)
        )
        heads.append(f"<fieldset><legend>{escape(head)}</legend>{buttons}</fieldset>")
    numbers = [range(len(options)) for options in play["controls"].values()]
    states = []
    for number, chosen in enumerate(product(*numbers)):
        so_far = play["states"][number - chosen[-1] : number + 1]
        classes = " ".join(f"s{c}-{o}" for c, o in enumerate(chosen))
        states.append(f'<div class="{classes}">{_state(so_far, play)}</div>')
    return f'<div class="play">{"".join(heads)}<div aria-live="polite">{"".join(states)}</div></div>'


def _state(so_far: Sequence[Sequence[float]], play: Mapping[str, Any]) -> str:
    """The last of some pairs of studies: both, whether they agree, how many did so far and do in the long run."""
    agree = [abs(first - second) / n <= most + 1e-9 for first, second, n, most, _ in so_far]
    *counts, n, most, chance = so_far[-1]
    apart = f"{100 * abs(counts[0] - counts[1]) / n:.0f} points apart; {100 * most:.0f} are allowed."
    drawn, step = "", _LINE / n
    for number, won in enumerate(counts):
        y = 14 + 44 * number
        dashes = f'stroke-dasharray="{step - 1.2:.2f} 1.2"'
        drawn += (
            f'<text y="{y}">Study {number + 1}: {escape(play["won"])} on {won} of {n} {escape(play["of"])}</text>'
            f'<path class="won" {dashes} d="M0 {y + 14}h{step * won:.1f}"/>'
            f'<path class="lost" {dashes} d="M{step * won:.1f} {y + 14}H{_LINE}"/>'
        )
    verdict = "The two studies look alike." if agree[-1] else "The two studies differ."
    shapes = {True: ("yes", ""), False: ("no", "l13 13m0-13l-13 13")}
    boxes = "".join(
        f'<path class="{shapes[each][0]}" d="M{1 + 18 * i} 121h13v13h-13z{shapes[each][1]}"/>'
        for i, each in enumerate(agree)
    )
    long_run = f"In the long run, {100 * chance:.0f} of 100 pairs look alike."
    pairs = f"{sum(agree)} of {len(agree)} alike so far"
    said = f"Pair {len(agree)}: {counts[0]} and {counts[1]} of {n} {play['of']}, {apart} {verdict} {pairs}. {long_run}"
    wanted = _LINE * play["wanted"]
    return (
        f'<svg viewBox="0 0 {_LINE} 194" role="img" aria-label="{escape(said)}">{drawn}'
        f'<text y="110"><tspan class="{"yes" if agree[-1] else "no"}">{verdict}</tspan> {apart}</text>'
        f'{boxes}<text x="{_LINE}" y="133" text-anchor="end">{pairs}</text><text y="162">{long_run}</text>'
        f'<path class="lost" d="M0 178H{_LINE}"/><path class="won" d="M0 178h{_LINE * chance:.1f}"/>'
        f'<path class="mark" d="M{wanted:.1f} 168v20"/></svg>'
    )
