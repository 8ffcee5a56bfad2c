"""What a notebook hands to its page: findings, figures, tables and key numbers, each with what a reader needs to know.

In JupyterLab each is shown as usual, with its caption. A page numbers figures and tables, offers each table as CSV, and
writes the key numbers into a file beside it. All of that travels in the metadata of the outputs, under `NAMESPACE`.
"""

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.page_tables import MISSING, Form, as_csv, for_people, html_table, written_number
from genexpy_nb.common.prose import verbatim

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAMESPACE = "genexpy"  # of what an output's metadata say about it
RESOLUTION = 2  # pixels of an image per pixel of the page
MOST_DRAWN = 300_000  # characters of a drawing; lines and points of a larger one are pixels
_NAME = re.compile(r"[a-z][a-z0-9-]*")
_COORDINATES, _TOO_FINE = re.compile(r'(?<= [dxy]=")[^"]+'), re.compile(r"(?<=\.\d\d)\d+")
_FINDING = re.compile(  # - **asked** found *sure*
    r"^[-*] \*\*((?:\\.|[^*\\\n])+)\*\*\s*(.*?)(?:\s\*((?:\\.|[^*\\\n])+)\*)?\s*$", re.MULTILINE
)
_KEPT: dict[str, KeyNumber] = {}  # of the notebook that runs in this process


@dataclass(frozen=True)
class Finding:
    """One of the answers with which a page opens: a question or claim, one to three sentences (Markdown), how sure."""

    asked: str
    found: str
    sure: str = ""


@dataclass(frozen=True)
class KeyNumber:
    """A number for others to read; beside it what a paper prints, or what its misprinted formula gives."""

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
    evaluated: float | None = None
    code: str = ""

    @property
    def beside(self) -> float | None:
        """What stands beside the value: the published number, or what a misprint gives."""
        return self.published if self.evaluated is None else self.evaluated

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
        """What stands beside the value as text, with as many digits as it was given with."""
        digits = "" if self.beside is None else f"{self.beside:.10g}".partition(".")[2]
        return written_number(self.beside, len(digits))


def page_object(output: Mapping[str, Any], kind: str | None = None) -> dict[str, Any] | None:
    """Return what the metadata of an output say about it, if it was made here."""
    metadata = output.get("metadata")
    found = metadata.get(NAMESPACE) if isinstance(metadata, Mapping) else None
    if not isinstance(found, Mapping) or not isinstance(found.get("kind"), str):
        return None
    return dict(found) if kind in (None, found["kind"]) else None


def show_findings(*findings: Finding) -> None:
    """Show one to three findings as a list; a Markdown cell tagged ``findings`` may hold such a list itself."""
    if not 1 <= len(findings) <= 3:
        raise ParameterError(f"a page opens with one to three findings, got {len(findings)}")
    sure = [f" *{verbatim(each.sure)}*" if each.sure else "" for each in findings]
    lines = [f"- **{verbatim(each.asked)}** {each.found}{end}" for each, end in zip(findings, sure, strict=True)]
    hand_over({"text/markdown": "\n".join(lines)}, "findings")


def read_findings(markdown: str) -> list[Finding]:
    """Return the findings in a list as `show_findings` writes it, each part as Markdown."""
    one_line_each = re.sub(r"\n +", " ", markdown)
    return [Finding(asked, found, sure or "") for asked, found, sure in _FINDING.findall(one_line_each)]


def show_figure(figure: Figure, name: str, caption: str, alt: str, folded: str = "") -> None:
    """Show a figure with its caption (Markdown) and an alternative text, and close it; see `show_table`."""
    check_texts(name, caption=caption, alt=alt)
    from matplotlib import pyplot
    from PIL import Image

    drawing, size = _svg(figure)
    drawn, small = io.BytesIO(), io.BytesIO()  # an image of few bytes, the first one soon read
    options: dict[str, Any] = {"bbox_inches": "tight", "facecolor": "white", "pil_kwargs": {"compress_level": 1}}
    figure.savefig(drawn, format="png", dpi=RESOLUTION * 96, **options)
    with Image.open(drawn) as image:
        image.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(small, format="png", optimize=True)
    data = {"image/svg+xml": drawing, "image/png": small.getvalue(), "text/plain": f"<Figure: {alt}>"}
    pyplot.close(figure)  # or it would be shown once more when the cell ends
    about = {mime: {**size, "alt": alt} for mime in ("image/svg+xml", "image/png")}
    hand_over(data, "figure", about, name=name, caption=caption, alt=alt, **({"folded": folded} if folded else {}))
    show_caption(caption, f"figure-{name}")


def _svg(figure: Figure) -> tuple[str, dict[str, int]]:
    """Return a drawing, and the size at which it is shown; the layout of the figure is done then."""
    from matplotlib import rc_context
    from matplotlib.cm import ScalarMappable

    for painted in figure.findobj(lambda artist: isinstance(artist, ScalarMappable) and artist.get_array() is not None):
        painted.set_rasterized(True)  # by a map of colours, as the bar beside it
    drawn = io.StringIO()
    options: dict[str, Any] = {"metadata": dict.fromkeys(("Creator", "Date", "Format", "Type"))}
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": NAMESPACE}):
        figure.savefig(drawn, format="svg", dpi=RESOLUTION * 96, bbox_inches="tight", facecolor="white", **options)
    figure.set_layout_engine("none")
    drawing = _COORDINATES.sub(lambda found: _TOO_FINE.sub("", found[0]), drawn.getvalue())
    many = [artist for ax in figure.axes for artist in (*ax.collections, *ax.lines) if not artist.get_rasterized()]
    if len(drawing) > MOST_DRAWN and many:
        for artist in many:
            artist.set_rasterized(True)
        return _svg(figure)
    width, height = (round(float(points) * 4 / 3) for points in re.findall(r'"([\d.]+)pt"', drawing)[:2])
    return drawing, {"width": width, "height": height}


def show_play(frame: pd.DataFrame, name: str, caption: str, controls: Mapping[str, Sequence[str]], **said: Any) -> None:
    """Show two studies and whether they agree, for every choice that a reader of the page may make; elsewhere a table.

    ``controls`` heads the choices; the last one is the pair of studies. ``states`` has a row for each combination of
    choices, the last one changing fastest: successes of both studies, their size, the tolerance, and the probability
    that two such studies agree. ``won`` and ``of`` say what is counted, and ``wanted`` is the probability asked for.
    """
    check_texts(name, caption=caption)
    shown = for_people(frame)
    play = json.dumps({"controls": controls, **said})  # in one line, and in this order
    data = {"text/html": html_table(shown), "text/plain": shown.to_string()}
    hand_over(data, "figure", name=name, caption=caption, play=play)
    show_caption(caption, f"figure-{name}")


def show_table(
    frame: pd.DataFrame,
    name: str,
    caption: str,
    headers: Mapping[Hashable, str] | None = None,
    forms: Mapping[Hashable, Form] | None = None,
    csv: pd.DataFrame | None = None,
    folded: str = "",
) -> None:
    """Show a table with its caption (Markdown); a page offers its values, or ``csv``, as CSV.

    With ``folded``, a page shows only this text until a reader opens it.
    """
    check_texts(name, caption=caption)
    shown = for_people(frame, headers, forms)
    index = any(level is not None for level in frame.index.names)
    data = {"text/html": html_table(shown), "text/plain": shown.to_string(index=index)}
    values = frame if csv is None else csv
    text = as_csv(values, any(level is not None for level in values.index.names))
    more: dict[str, Any] = {"folded": folded} if folded else {}
    hand_over(data, "table", name=name, caption=caption, csv=text, **more)
    show_caption(caption, f"table-{name}")


def key_number(
    name: str, label: str, value: float, low: float | None = None, high: float | None = None, **more: Any
) -> None:
    """Keep a number for the file beside the page, with the fields of `KeyNumber`; a second one takes its place."""
    check_texts(name, label=label)
    least, most = (None if end is None else float(end) for end in (low, high))
    number = KeyNumber(name, label, float(value), least, most, **more)
    if number.beside is not None and not number.source:
        raise ParameterError(f"key number {name!r}: say in source which paper prints the number or formula, and where")
    _KEPT[name] = number


def show_published(name: str, caption: str, folded: str = "", computed: str = "computed") -> None:
    """Show published numbers, or what misprints give, beside the computed ones, always in the same form."""
    known = [number for number in _KEPT.values() if number.beside is not None]
    if not known:
        raise ParameterError("numbers: no key number with a published value was kept before this cell")
    show_table(_beside(known).rename(columns={"computed": computed}), name, caption, folded=folded)


def show_key_numbers(caption: str = "All key numbers of this page, also in the JSON file next to it.") -> None:
    """Hand all key numbers that were kept to the page, folded. The last cell calls this."""
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
    csv = as_csv(pd.DataFrame(map(asdict, numbers)))
    items = [{key: _json(value) for key, value in asdict(number).items()} for number in numbers]
    hand_over(data, "table", name="key-numbers", caption=caption, csv=csv, numbers=items)
    show_caption(caption, "table-key-numbers")


def _beside(numbers: Sequence[KeyNumber]) -> pd.DataFrame:
    misprints = all(number.evaluated is not None for number in numbers)
    columns = {
        "what": [number.label for number in numbers],
        "paper and place": [number.source for number in numbers],
        "as printed it gives" if misprints else "published": [number.printed for number in numbers],
        "right is" if misprints else "computed": [number.as_text for number in numbers],
        "interval": [number.interval or MISSING for number in numbers],
        "unit": [number.unit or MISSING for number in numbers],
        "the slip" if misprints else "note": [number.reason or MISSING for number in numbers],
        "the authors' code": [number.code or MISSING for number in numbers],
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
