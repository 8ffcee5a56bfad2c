"""What a notebook hands to its page: findings, figures, tables and key numbers, each with what a reader needs to know.

In JupyterLab each is shown as usual, with its caption. A page numbers figures and tables, offers each table as CSV, and
writes the key numbers into a file beside it. All of that travels in the metadata of the outputs, under `NAMESPACE`.
"""

from __future__ import annotations

import io
import math
import re
from base64 import b64encode
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import pandas as pd

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.page_tables import MISSING, Form, for_people, html_table, written_number
from genexpy_nb.common.prose import verbatim

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAMESPACE = "genexpy"  # of what an output's metadata say about it
RESOLUTION = 2  # pixels of an image per pixel of the page
MOST_STATES = 12  # of a figure with choices
_NAME = re.compile(r"[a-z][a-z0-9-]*")
_KEPT: dict[str, KeyNumber] = {}  # of the notebook that runs in this process


@dataclass(frozen=True)
class Finding:
    """One of the three answers with which a page opens.

    Parameters
    ----------
    value : str
        A number, or a few words: "33", "47 → 32".
    text : str
        Markdown: what it is, in one sentence.
    sure : str
        How sure it is: "95 % interval 32 to 35 · 30 were run". Empty where nothing is uncertain.

    Examples
    --------
    >>> Finding("33", "datasets until two studies agree", "95 % interval 32 to 35").value
    '33'
    """

    value: str
    text: str
    sure: str = ""


@dataclass(frozen=True)
class KeyNumber:
    """A number that others want to read, check, or compare with that of another report."""

    name: str
    label: str
    value: float
    low: float | None = None
    high: float | None = None
    unit: str = ""
    published: float | None = None
    source: str = ""
    reason: str = ""
    decimals: int = 1

    @property
    def as_text(self) -> str:
        """The value as text."""
        return written_number(self.value, self.decimals)

    @property
    def interval(self) -> str:
        """The interval as text; empty if there is none."""
        if self.low is None or self.high is None:
            return ""
        return f"{written_number(self.low, self.decimals)} to {written_number(self.high, self.decimals)}"

    @property
    def printed(self) -> str:
        """The published value as text, with as many digits as it was given with."""
        digits = "" if self.published is None else f"{self.published:.10g}".partition(".")[2]
        return written_number(self.published, len(digits))


def page_object(output: Mapping[str, Any], kind: str | None = None) -> dict[str, Any] | None:
    """Return what the metadata of an output say about it, if it was made here."""
    metadata = output.get("metadata")
    found = metadata.get(NAMESPACE) if isinstance(metadata, Mapping) else None
    if not isinstance(found, Mapping) or not isinstance(found.get("kind"), str):
        return None
    return dict(found) if kind in (None, found["kind"]) else None


def show_findings(*findings: Finding) -> None:
    """Show what a page opens with: three findings, with numbers that this run computed.

    Parameters
    ----------
    *findings : Finding
        One to three, or it is an error. The cell is tagged ``findings``.
    """
    if not 1 <= len(findings) <= 3:
        raise ParameterError(f"a page opens with one to three findings, got {len(findings)}")
    lines = [
        f"- **{verbatim(each.value)}** {f'*{verbatim(each.sure)}* ' if each.sure else ''}{each.text}"
        for each in findings
    ]
    hand_over({"text/markdown": "\n".join(lines)}, "findings", items=[asdict(finding) for finding in findings])


def show_figure(figure: Figure, name: str, caption: str, alt: str) -> None:
    """Show a figure with its caption, sharp on screens of any kind, and close it.

    Parameters
    ----------
    figure : Figure
        Drawn.
    name : str
        For links: ``[figure](#figure-NAME)`` in the text becomes "Figure 3" on the page.
    caption : str
        Markdown: what to see in it. A number is put before it on the page.
    alt : str
        What it shows, for people who cannot see it: the finding, not the kind of plot.

    Raises
    ------
    ParameterError
        If the name has other characters than lower-case letters, digits and hyphens, or a text is missing.
    """
    check_texts(name, caption=caption, alt=alt)
    from matplotlib import pyplot

    image, size = _png(figure)
    pyplot.close(figure)  # or it would be shown once more when the cell ends
    data = {"image/png": image, "text/plain": f"<Figure: {alt}>"}
    hand_over(data, "figure", {"image/png": {**size, "alt": alt}}, name=name, caption=caption, alt=alt)
    show_caption(caption, f"figure-{name}")


def show_choices(
    name: str,
    label: str,
    states: Mapping[str, tuple[Figure, str]],
    caption: str,
    alt: str,
    start: str | None = None,
) -> None:
    """Show a figure of which the reader chooses the state; all states are drawn beforehand, no script switches them.

    Parameters
    ----------
    name, caption, alt : str
        As in `show_figure`.
    label : str
        What is chosen.
    states : mapping of str to (Figure, str)
        Two to `MOST_STATES` levels -> a figure, all of one size, and a sentence that says what is to be seen in it.
    start : str, optional
        The level that is chosen at first; the first one by default.

    Raises
    ------
    ParameterError
        If there are too few or too many states, ``start`` is none of them, or a text is missing.
    """
    check_texts(name, label=label, caption=caption, alt=alt)
    start = next(iter(states), "") if start is None else start
    if not 2 <= len(states) <= MOST_STATES or start not in states:
        raise ParameterError(f"states: 2 to {MOST_STATES} levels with start {start!r} among them, got {list(states)}")
    from matplotlib import pyplot

    images = []
    for level, (figure, text) in states.items():
        check_texts(name, text=text)
        image, size = _png(figure, tight=False)
        pyplot.close(figure)
        images.append(
            f'<img src="data:image/png;base64,{b64encode(image).decode()}" width="{size["width"]}" '
            f'height="{size["height"]}" alt="{escape(f"{label}: {level}. {text}")}">'
        )
    texts = [[level, text] for level, (_, text) in states.items()]
    at = list(states).index(start)
    html = f"<style>{choices_css()}</style>{choices_html(name, label, texts, images, at)}"
    data = {"text/html": html, "text/plain": f"<Figure: {alt}>"}
    hand_over(data, "choices", name=name, label=label, states=texts, start=at, caption=caption, alt=alt)
    show_caption(caption, f"figure-{name}")


def choices_css() -> str:
    """Return the rules that show one state of a figure with choices, and hide the others."""
    hidden = (f".choices:has(.c{i}:checked) .choices-state:not(.c{i})" for i in range(MOST_STATES))
    return f"@media screen {{ {', '.join(hidden)} {{ display: none; }} }}"


def choices_html(name: str, label: str, states: Sequence[Sequence[str]], images: Sequence[str], start: int) -> str:
    """Return the buttons and states (level, text) of a figure with choices; the images are HTML already."""
    buttons = [
        f'<label><input {"checked " * (i == start)}class="c{i}" name="{name}-choice" type="radio">'
        f"<span>{escape(level)}</span></label>"
        for i, (level, _) in enumerate(states)
    ]
    shown = [
        f'<div class="choices-state c{i}"><p class="choices-name">{escape(label)}: {escape(level)}</p>{image}'
        f'<p class="choices-text">{escape(text)}</p></div>'
        for i, ((level, text), image) in enumerate(zip(states, images, strict=True))
    ]
    legend = f"<fieldset><legend>{escape(label)}</legend>{''.join(buttons)}</fieldset>"
    return f'<div class="choices" role="group">{legend}<div class="choices-states">{"".join(shown)}</div></div>'


def _png(figure: Figure, tight: bool = True) -> tuple[bytes, dict[str, int]]:
    """Return an image of few bytes, and the size at which it is shown."""
    from PIL import Image

    drawn, small = io.BytesIO(), io.BytesIO()
    figure.savefig(
        drawn, format="png", dpi=RESOLUTION * figure.dpi, bbox_inches="tight" if tight else None, facecolor="white"
    )
    with Image.open(drawn) as image:
        size = {"width": round(image.width / RESOLUTION), "height": round(image.height / RESOLUTION)}
        image.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(small, format="png", optimize=True)
    return small.getvalue(), size


def show_table(
    frame: pd.DataFrame,
    name: str,
    caption: str,
    headers: Mapping[Hashable, str] | None = None,
    forms: Mapping[Hashable, Form] | None = None,
    csv: pd.DataFrame | None = None,
) -> None:
    """Show a table with its caption; a page offers its values, in full precision, as CSV.

    Parameters
    ----------
    frame : DataFrame
        Rows in the order in which they are shown. An index that has a name heads the rows; another is left out.
    name : str
        For links: ``[table](#table-NAME)`` in the text becomes "Table 2" on the page.
    caption : str
        Markdown: what to see in it.
    headers : mapping of column to str, optional
        What stands above a column or a level of the index: words, and the unit. Others keep their name.
    forms : mapping of column to int, str or callable, optional
        Digits after the point, a format such as ``"{:.0%}"``, or what turns a value into text. Fractions have two
        digits unless something is said.
    csv : DataFrame, optional
        What the page offers as CSV, if that is more than ``frame``: rows or digits that are not shown.

    Raises
    ------
    ParameterError
        As `for_people`; or if a name or caption is not as it should be.
    """
    check_texts(name, caption=caption)
    shown = for_people(frame, headers, forms)
    index = any(level is not None for level in frame.index.names)
    data = {"text/html": html_table(shown), "text/plain": shown.to_string(index=index)}
    values = frame if csv is None else csv
    named = any(level is not None for level in values.index.names)
    text = values.to_csv(index=named, lineterminator="\n")
    hand_over(data, "table", name=name, caption=caption, csv=text)
    show_caption(caption, f"table-{name}")


def key_number(
    name: str, label: str, value: float, low: float | None = None, high: float | None = None, **more: Any
) -> None:
    """Keep a number for the file beside the page; a second one of that name takes its place.

    Parameters
    ----------
    name, label, value, low, high
        See `KeyNumber`.
    **more
        The other fields of `KeyNumber`: unit, published, source, reason, decimals.

    Raises
    ------
    ParameterError
        If the name has other characters than lower-case letters, digits and hyphens; or if a published number does not
        say where it is printed.

    Examples
    --------
    >>> key_number("draw", "n* of one draw", 32.4, published=47, source="Matteucci et al. (2025), Section 5.1")
    """
    check_texts(name, label=label)
    least, most = (None if end is None else float(end) for end in (low, high))
    number = KeyNumber(name, label, float(value), least, most, **more)
    if number.published is not None and not number.source:
        raise ParameterError(f"key number {name!r}: say in source which paper prints the published number, and where")
    _KEPT[name] = number


def show_published(name: str, caption: str, numbers: Iterable[str] | None = None) -> None:
    """Show published numbers beside the computed ones, always in the same form."""
    known = {name: number for name, number in _KEPT.items() if number.published is not None}
    names = list(known if numbers is None else numbers)
    if unknown := [each for each in names if each not in known]:
        raise ParameterError(f"numbers: no key number with a published value is called {unknown[0]!r}")
    if not names:
        raise ParameterError("numbers: no key number with a published value was kept before this cell")
    rows = [known[each] for each in names]
    show_table(_beside(rows), name, caption)


def show_key_numbers(caption: str = "All key numbers of this page, as they stand in the file beside it.") -> None:
    """Show all key numbers that were kept, and hand them to the page; the last cell with results calls this."""
    numbers = list(_KEPT.values())
    frame = pd.DataFrame(
        {
            "what": [number.label for number in numbers],
            "value": [number.as_text for number in numbers],
            "interval": [number.interval or MISSING for number in numbers],
            "unit": [number.unit or MISSING for number in numbers],
        }
    )
    data = {"text/html": html_table(frame), "text/plain": frame.to_string(index=False)}
    csv = pd.DataFrame(map(asdict, numbers)).to_csv(index=False, lineterminator="\n")
    items = [{key: _json(value) for key, value in asdict(number).items()} for number in numbers]
    hand_over(data, "table", name="key-numbers", caption=caption, csv=csv, numbers=items)
    show_caption(caption, "table-key-numbers")


def _beside(numbers: Iterable[KeyNumber]) -> pd.DataFrame:
    columns = {
        "what": [number.label for number in numbers],
        "paper and place": [number.source for number in numbers],
        "published": [number.printed for number in numbers],
        "computed": [number.as_text for number in numbers],
        "interval": [number.interval or MISSING for number in numbers],
        "unit": [number.unit or MISSING for number in numbers],
        "the two": [number.reason or MISSING for number in numbers],
    }
    return pd.DataFrame({name: texts for name, texts in columns.items() if set(texts) != {MISSING}})


def _json(value: Any) -> Any:
    """JSON knows no infinity."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def check_texts(name: str, **texts: str) -> None:
    """Check the name of what is shown, and that texts hold something."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ParameterError(f"name: lower-case letters, digits and hyphens, beginning with a letter, got {name!r}")
    for what, text in texts.items():
        if not isinstance(text, str) or not text.strip():
            raise ParameterError(f"{what} of {name!r}: a text is needed, got {text!r}")


def show_caption(caption: str, of: str) -> None:
    """Show a caption below what it is of: ``figure-NAME`` or ``table-NAME``."""
    hand_over({"text/markdown": caption}, "caption", of=of)


def hand_over(data: dict[str, Any], kind: str, metadata: Mapping[str, Any] | None = None, **said: Any) -> None:
    """Show something, and say in the metadata of the output what it is."""
    from IPython.display import display  # which only notebooks have

    display(data, metadata={**(metadata or {}), NAMESPACE: {"kind": kind, **said}}, raw=True)
