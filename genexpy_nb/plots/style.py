"""One style for all figures: fonts, the colour and shape of every method and verdict, and names as they are shown.

All colours of figures come from here: `LOOKS` has those of methods and concepts, `VERDICTS` those of answers, `looks`
gives them to the names of a figure. No other module names a colour, greys and the maps of matplotlib aside.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from itertools import cycle
from pathlib import Path
from typing import Any

import matplotlib as mpl
import seaborn as sns
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.font_manager import findfont, get_font
from matplotlib.text import Text
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

WIDTH = 4.8  # inches; a phone shows that without making letters smaller
SMALL = 10.0  # points; no text is smaller: on a phone, a pixel each
REFERENCE = "0.35"  # grey of lines that are not data

#: Each stands out from white by 3:1 or more, and from each other for colour-blind eyes (tests measure both).
COLOURS = {
    "blue": "#0a5fa5",
    "orange": "#c87f0a",
    "green": "#12805c",
    "red": "#b5390e",
    "purple": "#b05f95",
    "sky": "#3b99cd",
    "brown": "#5a3820",
    "ink": "#1b1f24",
}
#: What has no method, and what it is held against.
ACCENT, CONTRAST, INK = COLOURS["blue"], COLOURS["orange"], COLOURS["ink"]
_MARKERS = "osD^vPXd<>ph"
_LINES = ("-", "--", "-.", ":")


@dataclass(frozen=True)
class Look:
    """Colour, marker and line style of what a figure shows."""

    color: str
    marker: str
    line: str = "-"

    def of_line(self) -> dict[str, Any]:
        """Return the options of a line with points."""
        return {"color": self.color, "marker": self.marker, "linestyle": self.line}

    def of_points(self, *, hollow: bool = False) -> dict[str, Any]:
        """Return the options of a scatter plot."""
        face = {"facecolors": "white", "edgecolors": self.color, "linewidths": 1.8} if hollow else {"color": self.color}
        return {"marker": self.marker, **face}

    def of_handle(self, *, hollow: bool = False) -> dict[str, Any]:
        """Return the options of a point in a legend."""
        face = {"markerfacecolor": "white", "markeredgewidth": 1.8} if hollow else {}
        return {"color": self.color, "marker": self.marker, "linestyle": "", **face}


def _look(colour: str, marker: str, line: str = "-") -> Look:
    return Look(COLOURS[colour], marker, line)


#: Method or concept -> how it looks, in all figures. No two have the same colour and marker.
LOOKS = {
    # n* and generalizability
    "moments": _look("blue", "o"),
    "resampling": _look("orange", "s", "--"),
    "resampling-slope-2": _look("orange", "v", "-."),
    "closed-form": _look("green", "D", "-."),
    "bound": _look("brown", "^", ":"),
    "definition": _look("purple", "P", "--"),
    "pool": _look("sky", "X", ":"),
    "published": _look("red", "*", "--"),
    "truth": _look("ink", "d", "--"),
    # kernels
    "borda": _look("sky", "o"),
    "jaccard": _look("purple", "s", "--"),
    "mallows": _look("green", "^", "-."),
    "rbf": _look("brown", "D", ":"),
    # tests and estimators of a difference, by what they take for data
    "higher score": Look("0.45", "o", ":"),
    "mcnemar": _look("purple", "o", "-."),
    "paper's test": _look("red", "v"),
    "corrected t-test": _look("blue", "D"),
    "paired": _look("blue", "s"),
    "independent": _look("orange", "o", "--"),
    # families of networks
    "convolutions": _look("blue", "h"),
    "perceptrons": _look("orange", "D", "--"),
    # a second study
    "one factor": _look("red", "s", "--"),
    "predicted": _look("blue", "P"),
}
_ALSO = {"extrapolated": "resampling", "true": "truth"}

#: What an interval says about a limit that it lies below, holds, or lies above: colour and shape, in all figures.
VERDICTS = {"enough": Look("#0a7d55", "s"), "undecided": Look("#a87800", "o"), "more needed": Look("#9c2c06", "D")}


def looks(names: Iterable[Hashable]) -> dict[Hashable, Look]:
    """Return how each of some names looks: as `LOOKS` has it, the others in colours that are left."""
    known = {name: _key(str(name)) for name in names}
    firsts = {key: name for name, key in reversed(known.items()) if key is not None}
    chosen: dict[Hashable, Look] = {name: LOOKS[key] for key, name in firsts.items()}
    for name, key in known.items():
        if key is not None and name not in chosen:  # a further name of one method: its colour, another marker and line
            look = LOOKS[key]
            markers = [other.marker for other in chosen.values() if other.color == look.color]
            marker = next((m for m in _MARKERS if m not in markers), _MARKERS[len(markers) % len(_MARKERS)])
            line = _LINES[(_LINES.index(look.line) + len(markers)) % len(_LINES)]
            chosen[name] = replace(look, marker=marker, line=line)
    used = {look.color for look in chosen.values()}
    free = [colour for colour in COLOURS.values() if colour not in used] or list(COLOURS.values())
    taken = {(look.color, look.marker) for look in chosen.values()}
    left = [
        Look(colour, _MARKERS[(row + i) % len(_MARKERS)], _LINES[(row * len(free) + i) % len(_LINES)])
        for row in range(len(_MARKERS))
        for i, colour in enumerate(free)
        if (colour, _MARKERS[(row + i) % len(_MARKERS)]) not in taken
    ]
    others = [name for name, key in known.items() if key is None]
    chosen |= dict(zip(others, cycle(left), strict=False))
    return {name: chosen[name] for name in known}


def _key(name: str) -> str | None:
    """Return under which name `LOOKS` knows a method."""
    text = name.strip().casefold()
    for part in (text, text.partition("(")[0], text.partition(",")[0], text.rpartition(",")[2]):
        key = _ALSO.get(part.strip(), part.strip())
        if key in LOOKS:
            return key
    return None


def for_text(color: str) -> str:
    """Return a darker shade of a colour, in which small text can be read on white (4.5:1)."""
    red, green, blue = (0.8 * part for part in to_rgb(color))
    return to_hex((red, green, blue))


def signed(value: float, decimals: int) -> str:
    """Return a number with its sign; the minus is that of the numbers at an axis."""
    return f"{value:+.{decimals}f}".replace("-", "−")


_JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"  # they change the letters beside them
_LEFT_TO_RIGHT, _END = "\N{LEFT-TO-RIGHT ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"


def tint(color: str, share: float = 0.5) -> str:
    """Return a colour mixed with white: for boxes and bars, so that dark lines on them can be seen."""
    red, green, blue = (part + share * (1 - part) for part in to_rgb(color))
    return to_hex((red, green, blue))


def use_style() -> None:
    """Set the style of all figures of this package: quiet axes, colour-blind-safe colours, the same bytes each time."""
    sheet = mpl.rc_params_from_file(Path(__file__).with_name("style.mplstyle"), use_default_template=False)
    texts = ("axes.label", "figure.label", "legend.font", "legend.title_font", "xtick.label", "ytick.label", "font.")
    look: dict[str, Any] = {f"{text}size": SMALL for text in texts} | {"axes.labelcolor": INK, "text.color": INK}
    sns.set_theme("notebook", "ticks", list(COLOURS.values()), rc=dict(sheet) | look)


def log_counts(axis: mpl.axis.Axis) -> None:
    """Label a logarithmic axis with plain numbers: at 1, 2 and 5 times a power of ten, closer where it is short."""
    axis.set_major_locator(_Counts())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.set_minor_formatter(NullFormatter())


class _Counts(LogLocator):
    """Round numbers on a logarithmic axis, however short it is."""

    def __init__(self) -> None:
        super().__init__(subs=(1, 2, 5))

    def tick_values(self, vmin: float, vmax: float) -> Any:
        low, high = sorted((vmin, vmax))
        if low > 0 and high < 4 * low:
            return MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
        if low > 0 and high < 15 * low:
            return LogLocator(subs=(1, 1.5, 2, 3, 5, 7)).tick_values(low, high)
        if low > 0 and high > 1e4 * low:
            return LogLocator(subs=(1,)).tick_values(low, high)
        return super().tick_values(low, high)


def labels(names: Iterable[Hashable], most: int = 26) -> list[str]:
    """Return names as a figure can show them: in one line, not too long, and still all different."""
    taken: dict[str, str] = {}
    shown = []
    for name in names:
        text = _drawable(str(name))
        short, number = _cut(text, most), 2
        while taken.setdefault(short, text) != text:
            ending = f" {number}"
            short, number = _cut(text, most - len(ending)) + ending, number + 1
        turned = any(unicodedata.bidirectional(character) in ("R", "AL", "AN") for character in short)
        # Before 3.11, matplotlib writes everything from left to right, and would show the marks as boxes.
        shown.append(f"{_LEFT_TO_RIGHT}{short}{_END}" if turned and mpl.__version_info__ >= (3, 11) else short)
    return shown


def plain(fig: Figure) -> Figure:
    """Return a figure whose text is text: a dollar sign in a name is a dollar sign, and no formula begins there."""
    for ax in fig.axes:
        for axis in (ax.xaxis, ax.yaxis):
            axis.get_ticklabels()  # those of categories come into being when they are asked for
    for text in fig.findobj(Text):
        text.set_parse_math(False)
    return fig


def _cut(text: str, most: int) -> str:
    if len(text) > most:  # the name of a model goes without its owner
        text = re.sub(r"^\S+/(?=\S)", "", text)
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


@cache
def _glyphs() -> frozenset[int]:
    """Return the code points that the font can draw that comes with matplotlib, the last one that is tried."""
    return frozenset(get_font(findfont("DejaVu Sans")).get_charmap())
