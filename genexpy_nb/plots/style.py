"""One style for all figures: fonts and colours, and the few pieces that every figure module uses."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable, Iterable
from functools import cache

import matplotlib as mpl
import seaborn as sns
from matplotlib.figure import Figure
from matplotlib.font_manager import findfont, get_font
from matplotlib.text import Text
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

__all__ = ["REFERENCE", "WIDTH", "labels", "log_counts", "plain", "use_style"]

WIDTH = 9.0  # inches; what a page of a report shows without scaling
REFERENCE = "0.35"  # grey of lines that are not data

_JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"  # they change the letters beside them
_LEFT_TO_RIGHT, _END = "\N{LEFT-TO-RIGHT ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"


def use_style() -> None:
    """Set the style of all figures of this package: quiet axes, colour-blind-safe colours, the same bytes each time.

    Examples
    --------
    >>> use_style()
    >>> mpl.rcParams["axes.spines.top"]
    False
    """
    sns.set_theme(
        context="notebook",
        style="ticks",
        palette="colorblind",
        rc={
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "axes.axisbelow": True,
            "axes.titlelocation": "left",
            "axes.titleweight": "bold",
            "axes.titlesize": "medium",
            "figure.constrained_layout.use": True,
            "figure.dpi": 110,
            "font.size": 10,
            "grid.color": "0.92",
            "legend.frameon": False,
            "svg.hashsalt": "genexpy_nb",
        },
    )


def log_counts(axis: mpl.axis.Axis) -> None:
    """Label a logarithmic axis with plain numbers at 1, 2 and 5 times a power of ten.

    Examples
    --------
    >>> ax = mpl.figure.Figure().subplots()
    >>> ax.set_xscale("log")
    >>> log_counts(ax.xaxis)
    """
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.set_minor_formatter(NullFormatter())


def labels(names: Iterable[Hashable], most: int = 36) -> list[str]:
    """Return names as a figure can show them: in one line, not too long, and still all different.

    Parameters
    ----------
    names : iterable
        Of alternatives, experiments, columns. Show them with ``parse_math=False``: a dollar is a dollar.
    most : int
        Characters, >= 5. Longer names lose their middle; where two then read alike, a number tells them apart.

    Returns
    -------
    list of str
        Line breaks are spaces; what has no look of its own (control characters, marks that turn the direction of the
        text) is left out; characters for which matplotlib's own font has no picture, such as most emoji, are small
        boxes. Right-to-left text is set apart, so that a number beside it stays on its side.

    Examples
    --------
    >>> labels(["a\\nb", "organisation/model-large-v1", "organisation/model-large-v2"], 12)
    ['a b', 'organi…ge-v1', 'organi…ge-v2']
    >>> labels(["aaaaaXbbbbb", "aaaaaYbbbbb"], 8)
    ['aaaa…bbb', 'aaa…bb 2']
    """
    taken: dict[str, str] = {}
    shown = []
    for name in names:
        text = _drawable(str(name))
        short, number = _cut(text, most), 2
        while taken.setdefault(short, text) != text:
            ending = f" {number}"
            short, number = _cut(text, most - len(ending)) + ending, number + 1
        shown.append(_set_apart(short))
    return shown


def plain(fig: Figure) -> Figure:
    """Return a figure whose text is text: a dollar sign in a name is a dollar sign, and no formula begins there.

    Examples
    --------
    >>> fig = Figure()
    >>> text = fig.text(0.5, 0.5, "$5 and $6")
    >>> plain(fig) is fig, text.get_parse_math()
    (True, False)
    """
    for ax in fig.axes:
        for axis in (ax.xaxis, ax.yaxis):
            axis.get_ticklabels()  # those of categories come into being when they are asked for
    for text in fig.findobj(Text):
        text.set_parse_math(False)
    return fig


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    end = (most - 1) // 2
    return f"{text[: most - 1 - end]}…{text[len(text) - end :]}"


def _drawable(text: str) -> str:
    text = re.sub(r"\s+", " ", text).strip()
    text = "".join(c for c in text if c in _JOINERS or unicodedata.category(c) not in ("Cc", "Cf"))
    glyphs = _glyphs()
    shown = "".join("▯" if ord(c) not in glyphs or unicodedata.category(c) in ("Cs", "Cn", "Co") else c for c in text)
    return shown or "▯"


def _set_apart(text: str) -> str:
    turned = any(unicodedata.bidirectional(character) in ("R", "AL", "AN") for character in text)
    # Before 3.11, matplotlib writes everything from left to right, and would show the marks as boxes.
    return f"{_LEFT_TO_RIGHT}{text}{_END}" if turned and mpl.__version_info__ >= (3, 11) else text


@cache
def _glyphs() -> frozenset[int]:
    """Return the code points that the font can draw that comes with matplotlib, the last one that is tried."""
    return frozenset(get_font(findfont("DejaVu Sans")).get_charmap())
