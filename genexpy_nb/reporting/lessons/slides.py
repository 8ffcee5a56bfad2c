"""Slides from cells that are tagged for it: their text and what they show, never their code; no script, no request."""

from __future__ import annotations

import math
import re
from copy import deepcopy

from bs4 import BeautifulSoup, Tag
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from genexpy_nb.reporting.dress.links import link_pages
from genexpy_nb.reporting.dress.objects import dress_objects
from genexpy_nb.reporting.dress.parts import new_element, plain_text
from genexpy_nb.reporting.dress.tables import dress_tables
from genexpy_nb.reporting.dress.typography import set_numbers
from genexpy_nb.reporting.html import (
    POLICY,
    TEMPLATES,
    Exporter,
    describe_images,
    fonts,
    mark_objects,
    typeset,
    without_controls,
)
from genexpy_nb.reporting.lessons.cells import has_tag
from genexpy_nb.reporting.mathjax import Typesetter
from genexpy_nb.reporting.sanitizing import printable
from genexpy_nb.reporting.spec import Report

SLIDE, SUBSLIDE = "slide", "subslide"
_HEADINGS = re.compile(r"^#+ +(.+?)\s*$", re.MULTILINE)
#: Sizes of type, as shares of the largest; the largest with which a slide's text fits is taken.
SIZES = (1.0, 0.9, 0.8, 0.7, 0.62, 0.55)

# At the largest size, on a screen of 1280 x 720: what is in a line, how high that is, and what there is of height.
_CHARACTERS, _LINE, _HEIGHT = 84, 39.2, 604
_HEADING, _ROW, _CAPTION, _PICTURE = 56, 44, 25, 270


def to_slides(node: NotebookNode, report: Report) -> tuple[str, list[str]]:
    """Return the slides of a notebook as one page."""
    shown = _on_slides(node)
    if not shown.cells:
        return "", []
    exporter = Exporter(report.notebook.source.parent, template="lecture")
    objects = mark_objects(shown)
    with Typesetter() as typesetter:
        resources = {
            "metadata": {"name": report.name, "path": str(report.notebook.source.parent)},
            "title": report.title,
            "policy": POLICY,
            "css": fonts() + (TEMPLATES / "lecture" / "lecture.css").read_text(encoding="utf-8"),
            "mathjax_css": typesetter.stylesheet(),
        }
        html, _ = exporter.from_notebook_node(shown, resources)
        soup = BeautifulSoup(html, "html.parser")
        problems = list(typeset(soup, exporter.formulas, typesetter))
    describe_images(soup)
    dress_tables(soup)
    _link_elsewhere(soup, objects, report)
    problems += dress_objects(soup, objects, report.name)
    for link in soup.select("a.csv"):
        link.decompose()
    link_pages(soup, report.site, report.notebook.name)
    set_numbers(soup)
    problems += _arrange(soup, shown, report)
    return printable(str(soup)), list(dict.fromkeys([*problems, *exporter.problems]))


def _on_slides(node: NotebookNode) -> NotebookNode:
    """The cells of slides, without their code and without notes for the margin; each slide with a heading."""
    cells: list[NotebookNode] = []
    heading = ""
    for cell in node.cells:
        headings = _HEADINGS.findall(cell.source) if cell.cell_type == "markdown" else []
        heading = headings[-1] if headings else heading
        if not has_tag(cell, SLIDE, SUBSLIDE):
            continue
        begins = has_tag(cell, SLIDE) or not cells
        if begins and not headings and heading:
            cells.append(new_markdown_cell(f"## {heading}", metadata={"tags": [SLIDE]}))
            begins = False
        shown = _without_code(cell) if cell.cell_type == "code" else _without_asides(cell)
        shown.metadata["tags"] = [SLIDE if begins else SUBSLIDE]
        cells.append(shown)
    return without_controls(NotebookNode({**node, "cells": cells}))


def _without_code(cell: NotebookNode) -> NotebookNode:
    return NotebookNode({**deepcopy(cell), "source": ""})


def _without_asides(cell: NotebookNode) -> NotebookNode:
    kept, aside = [], False
    for line in cell.source.splitlines():
        aside = line.startswith("> Aside:") or (aside and line.startswith(">"))
        kept += [] if aside else [line]
    return NotebookNode({**deepcopy(cell), "source": "\n".join(kept)})


def _link_elsewhere(soup: BeautifulSoup, objects: list[dict], report: Report) -> None:
    """Let references to what is on no slide lead to the notebook's page."""
    here = {f"{said['kind']}-{said.get('name')}" for said in objects}
    for link in soup.select('main a[href^="#"]'):
        name = str(link["href"])[1:]
        if name not in here:
            link["href"] = f"{report.site.page_of(report.notebook.name) or ''}#{name}"
            if plain_text(link).casefold() in ("", "figure", "table"):
                link.string = f"a {name.partition('-')[0]} of the notebook"


def _arrange(soup: BeautifulSoup, shown: NotebookNode, report: Report) -> list[str]:
    """Put the cells into slides; say which of these hold too much."""
    main = soup.main
    assert main is not None  # the template has it
    slides: list[Tag] = []
    for cell, element in zip(shown.cells, main.find_all(True, recursive=False), strict=True):
        if has_tag(cell, SLIDE):
            slides.append(soup.new_tag("section", attrs={"class": "slide"}))
            slides[-1].append(soup.new_tag("div", attrs={"class": "slide-body"}))
        if element.img:
            element["class"] = " ".join([*element.get_attribute_list("class"), "pictured"])
        element.attrs.pop("id", None)
        slides[-1].div.append(element.extract())  # type: ignore[union-attr]
    main.clear()
    problems = []
    for number, slide in enumerate(slides, start=1):
        size = next((size for size in SIZES if _height(slide, size) <= _HEIGHT), None)
        if size is None:
            heading = slide.find(["h1", "h2", "h3"])
            title = f" ({plain_text(heading)})" if heading else ""
            problems.append(f"slide {number}{title} of {report.notebook.name} holds more than fits on a screen")
        slide.attrs |= {"id": f"slide-{number}", "style": f"--k: {size or SIZES[-1]}"}
        slide["aria-label"] = f"Slide {number} of {len(slides)}"
        if slide.h1:
            slide["class"] = "slide opening"
        slide.append(_footer(soup, number, len(slides), report))
        main.append(slide)
    return problems


def _height(slide: Tag, size: float) -> float:
    """About how high the content is, at a size of type; a picture takes what is left, but needs some of it."""
    height = float(_PICTURE * len(slide.select("img")))
    for row in slide.select("tr"):
        height += (_ROW + _LINE * 0.82 * (math.ceil(_length(row) * size / (0.85 * _CHARACTERS)) - 1)) * size
    for block in slide.select("h1, h2, h3, h4, p, li, pre, figcaption, mjx-container[display=true]"):
        if block.find_parent(["table", "figcaption", "li"]) or block.select_one(".finding-text"):
            continue
        n = _length(block)
        if block.name == "h1":
            height += 1.2 * _HEADING * math.ceil(n / 40) + 24
        elif block.name in ("h2", "h3", "h4"):
            height += _HEADING * math.ceil(n / 52) + 18
        elif block.name == "figcaption":
            height += _CAPTION * math.ceil(n / 140) + 10
        elif block.name == "mjx-container":
            height += 2 * _LINE * size
        elif block.name == "pre":
            height += 0.8 * (block.get_text().count("\n") + 1) * _LINE * size
        else:
            height += (math.ceil(n * size / _CHARACTERS) + 0.4) * _LINE * size
    findings = slide.select(".finding-list > li")
    in_column = 0.9 * _CHARACTERS / max(len(findings), 1)
    lines = (2.5 + math.ceil(_length(each) * size / in_column) for each in findings)
    return height + max(lines, default=0) * _LINE * size


def _length(block: Tag) -> float:
    """About how many characters wide its text is; a formula is shorter than its TeX."""
    formulas = sum(len(str(svg.get("aria-label", ""))) for svg in block.select("svg"))
    return len(plain_text(block)) - 0.6 * formulas


def _footer(soup: BeautifulSoup, number: int, count: int, report: Report) -> Tag:
    footer = soup.new_tag("footer")
    footer.append(new_element("a", report.title, {"class": "whole", "href": "../index.html"}))
    for label, text, place in (("Slide before", "←", number - 1), ("Next slide", "→", number + 1)):
        if 1 <= place <= count:
            footer.append(new_element("a", text, {"href": f"#slide-{place}", "aria-label": label}))
    footer.append(new_element("span", f"{number} / {count}", {}))
    return footer
