"""One style for all figures: fonts and colours, and the few pieces that every figure module uses."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable, Iterable
from functools import cache

import matplotlib as mpl
import seaborn as sns
from matplotlib.font_manager import findfont, get_font
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

__all__ = ["REFERENCE", "WIDTH", "labels", "log_counts", "use_style"]

WIDTH = 9.0  # inches; what a page of a report shows without scaling
REFERENCE = "0.35"  # grey of lines that are not data


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
        Line breaks are spaces; control characters, and characters for which matplotlib's own font has no picture, such
        as most emoji, are small boxes.

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
        shown.append(short)
    return shown


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    end = (most - 1) // 2
    return f"{text[: most - 1 - end]}…{text[len(text) - end :]}"


def _drawable(text: str) -> str:
    text = re.sub(r"\s+", " ", text).strip()
    invisible = {character for character in text if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Cn", "Co")}
    glyphs = _glyphs()
    return "".join("▯" if c in invisible or ord(c) not in glyphs else c for c in text)


@cache
def _glyphs() -> frozenset[int]:
    """Return the code points that the font can draw that comes with matplotlib, the last one that is tried."""
    return frozenset(get_font(findfont("DejaVu Sans")).get_charmap())
