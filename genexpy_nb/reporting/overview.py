"""Pages about reports: what the index, the comparisons and the page of published numbers have in common."""

from __future__ import annotations

import io
import re
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from typing import Any

import mistune
from bs4 import BeautifulSoup
from jinja2 import Environment, FileSystemLoader, select_autoescape
from markupsafe import Markup, escape

from genexpy_nb.reporting.html import POLICY, TEMPLATES, fonts
from genexpy_nb.reporting.references import Reference
from genexpy_nb.reporting.sanitizing import printable

_INLINE = ("em", "strong", "code", "sub", "sup")
_MARKDOWN = mistune.create_markdown(escape=True)
_PNG = "data:image/png;base64,"
_MOST_PIXELS = 20_000_000  # of a figure from which a small one is made
_FORMULA = re.compile(r"\s*[=+\-@]")


def to_page(template: str, **values: Any) -> str:
    """Fill in one of the templates in ``overview``; whatever it is given is escaped."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=select_autoescape(["html"]), trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["code"] = with_code
    page = environment.get_template(f"overview/{template}").render(policy=POLICY, fonts=Markup(fonts()), **values)
    return printable(page)


def with_code(text: str) -> Markup:
    """Return text in which what stands between backticks is shown as code, and all else as it is."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def inline(text: str) -> Markup:
    """Return Markdown of a finding as HTML that can stand in a sentence: emphasis and code; of all else, the text."""
    soup = BeautifulSoup(str(_MARKDOWN(text)), "html.parser")
    for tag in soup.find_all(True):
        if tag.name in _INLINE:
            tag.attrs = {}
        else:
            tag.unwrap()
    return Markup(" ".join(str(soup).split()))


def same_title(title: str, references: Mapping[str, Reference]) -> list[Reference]:
    """Return the versions of a paper: all that have its title, the latest first."""
    versions = [paper for paper in references.values() if paper.title.casefold() == title.casefold()]
    return sorted(versions, key=lambda paper: paper.year, reverse=True)


def thumbnail(image: str, width: int = 480) -> str | None:
    """Return a small copy of a figure, or None if that cannot be read."""
    from PIL import Image

    if not isinstance(image, str) or not image.startswith(_PNG):
        return None
    small = io.BytesIO()
    try:
        with Image.open(io.BytesIO(b64decode(image.removeprefix(_PNG))), formats=["PNG"]) as picture:
            if picture.width * picture.height > _MOST_PIXELS:
                return None
            picture.thumbnail((width, 2 * width), reducing_gap=2.0)
            picture.convert("RGB").quantize(64, dither=Image.Dither.NONE).save(small, format="png", optimize=True)
    except (OSError, ValueError, SyntaxError):  # what Pillow says of a damaged file
        return None
    return _PNG + b64encode(small.getvalue()).decode("ascii")


def csv_address(rows: Sequence[Sequence[str]]) -> str:
    """Return an address under which a browser saves a table as CSV."""
    import csv

    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows([[_harmless(cell) for cell in row] for row in rows])
    return f"data:text/csv;charset=utf-8;base64,{b64encode(file.getvalue().encode()).decode('ascii')}"


def _harmless(cell: str) -> str:
    if not _FORMULA.match(cell):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell
