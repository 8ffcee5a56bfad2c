"""What figures share in their layout: panels, legends, names at the ends of lines, axes that outliers do not decide."""

from __future__ import annotations

import textwrap
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.legend_handler import HandlerTuple
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator
from numpy.typing import ArrayLike

from genexpy_nb.plots.style import SMALL, WIDTH, Look, for_text, labels, log_counts

_Shared: TypeAlias = "bool | Literal['none', 'all', 'row', 'col']"
_SHARE = 0.95  # of all numbers; what lies beyond may be cut
_SLACK = 1.6  # an axis is cut only if that makes it shorter by this factor
_MOST_NAMED = 4  # curves at whose ends there is room for names
_CHARACTERS = 12  # that fit beside each other in an inch, at the size of a legend
_LINE = 52  # characters of a line below the panels
_BESIDE = 23  # characters; longer names stand above their rows


def panels(
    n: int, height: float, columns: int = 1, *, sharex: _Shared = False, sharey: _Shared = False
) -> tuple[Figure, list[plt.Axes]]:
    """Return panels below each other, as a phone can show them, or in two columns."""
    columns = min(n, columns)
    rows = -(-n // columns)
    size = (WIDTH, height * rows)
    fig, grid = plt.subplots(
        rows, columns, figsize=size, layout="constrained", squeeze=False, sharex=sharex, sharey=sharey
    )
    for column, ax in enumerate(grid[-1]):
        if (rows - 1) * columns + column >= n:
            ax.remove()
            grid[-2, column].xaxis.set_tick_params(labelbottom=True)
    return fig, list(grid.flat[:n])


def legend_above(fig: Figure, handles: Sequence[Any], names: Sequence[str], **options: Any) -> None:
    """Put a legend above the panels, in as many rows as its names need."""
    if not handles:
        return
    lengths = [len(name) + 6 for name in names]  # 6: what the handle takes
    most = int(_CHARACTERS * fig.get_figwidth())
    columns = len(names) if sum(lengths) <= most else max(1, most // max(lengths))
    rows = -(-len(names) // columns)
    fig.legend(
        list(handles),
        list(names),
        loc="outside upper center",
        ncols=-(-len(names) // rows),
        handler_map={tuple: HandlerTuple(ndivide=None)},
        **options,
    )


def say_below(fig: Figure, *said: str) -> None:
    """Write below the panels what there is to say, in as many lines as it needs."""
    if text := "; ".join(filter(None, said)):
        fig.supxlabel("\n".join(line for part in text.split("\n") for line in textwrap.wrap(part, _LINE)))


def name_lines(ax: plt.Axes, ends: Iterable[tuple[float, str, str]], gap_lines: int = 1) -> None:
    """Write names right of the axes, each where its line ends, in its colour and apart from the others."""
    known = [(value, name, colour) for value, name, colour in ends if np.isfinite(value)]
    shares = [ax.transAxes.inverted().transform(ax.transData.transform((0.5, v)))[1] for v, _, _ in known]
    height = ax.figure.bbox.height / ax.figure.dpi * 72 * ax.get_position().height
    gap = (0.2 + 1.25 * gap_lines) * SMALL / height
    for (_, name, colour), place in zip(known, spread_out(np.clip(shares, 0, 1), gap), strict=True):
        where: dict[str, Any] = {"xytext": (7, 0), "textcoords": "offset points", "va": "center"}
        where |= {"color": for_text(colour), "parse_math": False, "annotation_clip": False}
        ax.annotate(name, (1, place), xycoords="axes fraction", **where)


def name_curves(fig: Figure, ax: plt.Axes, ends: Sequence[tuple[float, str, str]], gap_lines: int = 1) -> None:
    """Write the names of up to four curves at their ends, those of more into a legend."""
    if len(ends) <= _MOST_NAMED:
        name_lines(ax, ends, gap_lines)
    else:
        legend_above(fig, *ax.get_legend_handles_labels())


def named_rows(names: Iterable[Hashable], around: float = 1.0, most: int = 50) -> tuple[Figure, list[plt.Axes]]:
    """Return panels with a row for each name, the first on top, and their names, see `name_rows`."""
    shown = labels(names, most)
    height = 0.22 if max(map(len, shown), default=0) <= _BESIDE else 0.36  # inches of a row, by where its name stands
    fig, axes = panels(1, around + height * max(len(shown), 2))
    name_rows(axes[0], shown, most, 2)
    return fig, axes


def name_rows(ax: plt.Axes, names: Iterable[Hashable], most: int = 26, rows: int = 0) -> None:
    """Name the rows of an axis, the first on top, with room for some more; long names stand above their rows."""
    shown = labels(names, most)
    ax.set_ylim(max(rows, len(shown)) - 0.4, -0.6)
    ax.grid(visible=False, axis="y")
    if max(map(len, shown)) <= _BESIDE:
        ax.set_yticks(range(len(shown)), shown, parse_math=False)
        return
    ax.set_yticks(np.arange(len(shown)) - 0.2, shown, parse_math=False, ha="left", va="bottom")
    ax.set_ylim(max(rows, len(shown)) - 0.6, -0.75)
    ax.tick_params(axis="y", length=0, pad=0)
    ax.spines.left.set_visible(False)
    ax.yaxis.set_zorder(2.2)  # over what is drawn at a value for all rows
    for text in ax.get_yticklabels():
        text.set_bbox({"facecolor": "white", "alpha": 0.9, "edgecolor": "none", "pad": 0.5})


def spread_out(heights: ArrayLike, gap: float) -> list[float]:
    """Return heights near those given, at least a gap apart, in the same order, none far below zero."""
    places = [float(height) for height in np.asarray(heights, dtype=float)]
    # Of equal ones, the first is on top.
    order = sorted(range(len(places)), key=lambda i: (places[i], -i))
    above = np.inf
    for i in order[::-1]:
        above = places[i] = min(places[i], above - gap)
    below = -gap
    for i in order:  # and none leaves the axis at the bottom
        below = places[i] = max(places[i], below + gap)
    return places


def reach(
    kept: ArrayLike, others: ArrayLike = (), *, log: bool = False, share: float = _SHARE, margin: float = 0.04
) -> tuple[float, float]:
    """Return where an axis begins and ends, so that a few numbers far away do not decide it."""

    def usable(values: ArrayLike) -> np.ndarray:
        numbers = np.asarray(values, dtype=float).ravel()
        numbers = numbers[np.isfinite(numbers)]
        return np.log10(numbers[numbers > 0]) if log else numbers

    fixed, free = usable(kept), usable(others)
    everything = np.concatenate([fixed, free])
    if not len(everything):
        return (1.0, 10.0) if log else (0.0, 1.0)
    low, high = everything.min(), everything.max()
    if len(free):
        within = np.quantile(free, [1 - share, share], method="inverted_cdf")
        within = [min(within[0], *fixed), max(within[1], *fixed)] if len(fixed) else within
        length = within[1] - within[0]
        # Each end by itself: an outlier on one side does not cut the other.
        low = within[0] if within[1] - low > _SLACK * length and length > 0 else low
        high = within[1] if high - within[0] > _SLACK * length and length > 0 else high
    alone = 0.15 if log else 0.1 * abs(high) or 1.0
    room = margin * (high - low) if high > low else alone
    ends = low - room, high + room
    return (10.0 ** ends[0], 10.0 ** ends[1]) if log else (float(ends[0]), float(ends[1]))


def intervals(
    ax: plt.Axes,
    at: ArrayLike,
    estimate: ArrayLike,
    low: ArrayLike,
    high: ArrayLike,
    color: Any,
    *,
    upright: bool = False,
    **line: Any,
) -> np.ndarray:
    """Draw intervals within the limits of an axis; where one goes on beyond them, an arrow with the value."""
    at, estimate, low, high = (np.asarray(values, dtype=float) for values in (at, estimate, low, high))
    low, high = np.where(np.isnan(low), estimate, low), np.where(np.isnan(high), estimate, high)
    first, last = sorted(ax.get_ylim() if upright else ax.get_xlim())
    colours = [color] * len(at) if isinstance(color, str) or not np.iterable(color) else list(color)
    draw = ax.vlines if upright else ax.hlines
    draw(at, np.clip(low, first, last), np.clip(high, first, last), colors=colours, **line)
    seen = (estimate >= first) & (estimate <= last)
    for side, edge, end, beyond in ((-1, first, low, low < first), (1, last, high, high > last)):
        for i in np.flatnonzero(beyond):
            text = _short(end[i])
            if not seen[i]:  # the estimate is out of sight, too
                span = f" ({_short(low[i])} to {_short(high[i])})" if low[i] != high[i] else ""
                text = _short(estimate[i]) + span
            _arrow(ax, at[i], edge, side, colours[i], text, upright)
    return seen


def _short(value: float) -> str:
    """Write a number with three digits."""
    if np.isinf(value):
        return "∞" if value > 0 else "-∞"
    return f"{float(f'{value:.3g}'):,.10g}"


def _arrow(ax: plt.Axes, at: float, edge: float, side: int, color: Any, text: str, upright: bool) -> None:
    marker = ("v" if side < 0 else "^") if upright else ("<" if side < 0 else ">")
    place = (at, edge) if upright else (edge, at)
    ax.scatter(*place, color=color, marker=marker, s=26, clip_on=False, zorder=4)
    if upright:  # beside the arrow, as there may be a title above
        offset = (6, -2 * side)
        alignment: dict[str, Any] = {"ha": "left", "va": "top" if side > 0 else "bottom"}
    else:
        offset = (6 * side, 0)
        alignment = {"ha": "left" if side > 0 else "right", "va": "center"}
    alignment |= {} if text[-1].isdigit() or text[-1] == ")" else {"fontsize": 1.3 * SMALL}  # ∞ is a small sign
    ax.annotate(text, place, offset, textcoords="offset points", color="0.3", annotation_clip=False, **alignment)


def verdict_entries(verdicts: pd.Series, of: Mapping[str, Look]) -> dict[str, Any]:
    """Return a legend of the verdicts that there are."""
    there = {verdict: look for verdict, look in of.items() if (verdicts == verdict).any()}
    return {name: Line2D([], [], markersize=7, **look.of_handle(hollow=True)) for name, look in there.items()}


def curve_with_band(ax: plt.Axes, part: pd.DataFrame, look: Look, y: str = "estimate", *, band: bool = True) -> None:
    """Draw a line over n with the band from low to high."""
    ax.plot(part["n"], part[y], markersize=5, linewidth=1.8, **look.of_line())
    if not band:
        return
    low, high = part["low"].astype(float), part["high"].astype(float)
    ax.fill_between(part["n"], low, high, color=look.color, alpha=0.45, linewidth=0)
    if len(part) == 1:  # a band of one n has no width
        ax.vlines(part["n"], low, high, color=look.color, linewidth=5, alpha=0.3)


def count_ticks(ax: plt.Axes, sizes: Iterable[float]) -> None:
    """Label a logarithmic axis at 1, 2 and 5 times a power of ten, or where that is not in sight, at the ends."""
    low, high = ax.get_xlim()
    decades = 10.0 ** np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)) + 1)
    ticks = np.multiply.outer(decades, [1, 2, 5])
    log_counts(ax.xaxis)
    if ((ticks >= low) & (ticks <= high)).sum() < 2:
        ax.xaxis.set_major_locator(FixedLocator(sorted({min(sizes), max(sizes)})))
