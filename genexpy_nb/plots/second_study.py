"""Figures of "would a second study conclude the same": designs and their prices, components, agreement of conclusions.

Which single experiments decide is drawn by `genexpy_nb.plots.study.influence`.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, MaxNLocator, PercentFormatter

from genexpy_nb.common.checks import (
    TOLERANCE,
    check_choice,
    check_columns,
    check_level,
    check_number,
    check_numbers,
    listed,
)
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.prose import percent
from genexpy_nb.plots.layout import apart, intervals, legend_above, panels, share_interval
from genexpy_nb.plots.style import (
    ACCENT,
    COLOURS,
    CONTRAST,
    INK,
    LOOKS,
    REFERENCE,
    SMALL,
    WIDTH,
    Look,
    for_text,
    labels,
    log_counts,
    looks,
    plain,
)

_DECADE = 8  # largest over smallest size; from there on, an axis is logarithmic
_HATCHES = ("", "///", "...", "\\\\\\", "xxx", "---", "ooo")
_SHARE_TEXT = 0.13  # of a bar; a smaller part has no room for its number
_MOST_METHODS = 20  # columns whose numbers can be read
_MOST_METHODS_BESIDE = 8  # columns; with more of them, panels are below each other
_MOST_ROWS = 60  # rows of a table of methods
_MEASURES = {
    "bias": "bias of the estimate",
    "rms": "its root mean square error",
    "coverage": "coverage of the interval",
    "width": "width of the interval",
}

_BY = {  # as `Components.cheapest` calls it: what a design is called, and what of it reaches alpha
    "estimate": ("cheapest by the estimate", "the estimate"),
    "low": ("cheapest by the low end", "the low end of the interval"),
}
_STAR = {"marker": "*", "color": COLOURS["red"], "markersize": 18, "markeredgecolor": "white", "markeredgewidth": 1.0}
_LOOKS: dict[str, dict[str, Any]] = {
    "at hand": {"marker": "o", "color": INK, "markersize": 10, "markeredgecolor": "white", "markeredgewidth": 1.0},
    "cheapest": _STAR,
    "cheapest by the estimate": _STAR,
    "cheapest by the low end": _STAR
    | {"markersize": 15, "markerfacecolor": "white", "markeredgecolor": COLOURS["red"], "markeredgewidth": 1.6},
}

Design: TypeAlias = Sequence[float] | Mapping[str, float] | pd.Series


# --- designs ----------------------------------------------------------------------------------------------------------


def design_map(
    frame: pd.DataFrame,
    factors: Sequence[str] = ("dataset", "model"),
    alpha: float = 0.95,
    observed: Design | None = None,
    prices: Mapping[str, float] | None = None,
    cheapest: Design | pd.DataFrame | None = None,
    nested: bool = False,
) -> Figure:
    """Draw generalizability over the sizes of two random factors, and where it reaches what is wanted."""
    alpha = check_level("alpha", alpha)
    factors = _two(factors)
    x, y, tables = _grid(frame, factors)
    price = None if prices is None else _price(prices, factors, nested)
    designs, notes = _designs(observed, cheapest, factors, alpha)
    marked = _marks(designs, price)
    fig, ax = plt.subplots(figsize=(WIDTH, 5.0), layout="constrained")
    for axis, name, sizes in ((ax.xaxis, factors[0], x), (ax.yaxis, factors[1], y)):
        _size_axis(ax, axis, sizes)
        axis.set_label_text(f"levels of {labels([name], 30)[0]} in a study", parse_math=False)
    colours = sns.light_palette(ACCENT, as_cmap=True)
    image = ax.contourf(x, y, tables["estimate"], np.linspace(0, 1, 11), cmap=colours, vmin=0, vmax=1)
    fig.colorbar(image, ax=ax, label="generalizability, estimate", pad=0.02)
    entries: list[tuple[str, Any]] = []
    ends: tuple[tuple[str, str, Any, float], ...] = (
        ("estimate", "the estimate", "-", 2.2),
        ("low", "the low end of the interval", "--", 1.8),
    )
    for column, name, style, width in ends:
        table = tables[column]
        if table.min() < alpha <= table.max():
            ax.contour(x, y, table, [alpha], colors=INK, linestyles=style, linewidths=width)
            line = Line2D([], [], color=INK, linestyle=style, linewidth=width)
            entries.append((f"{name} reaches {alpha:g}", line))
        else:
            where = "nowhere" if table.max() < alpha else "everywhere"
            notes.append(f"{name} reaches {alpha:g} {where} on this map")
    places = [_fraction(ax, sizes) for _, sizes, _ in marked]
    if price is not None:
        _equal_prices(ax, price, places)
        entries.append(("designs of the same price", Line2D([], [], color="0.2", linestyle=":", linewidth=1.4)))
    for (name, _, look), place in zip(marked, places, strict=True):
        outside = _mark(ax, place, look)
        entries.append((name + (", outside of the axes" if outside else ""), Line2D([], [], linestyle="", **look)))
    ax.grid(visible=False)
    _legend(fig, entries)
    if notes:
        fig.supxlabel("; ".join(notes), fontsize=9)
    return plain(fig)


def _two(factors: Sequence[str]) -> tuple[str, str]:
    names = tuple(factors) if not isinstance(factors, str) else ()
    if len(names) != 2 or names[0] == names[1]:
        raise ParameterError(f"factors must be the names of two columns, got {factors!r}")
    return names[0], names[1]


def _grid(frame: pd.DataFrame, factors: tuple[str, str]) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Return the sizes of both factors, ascending, and tables of shape (n_second, n_first)."""
    frame = _checked(frame, "frame", (), (*factors, "estimate", "low"))
    for name in factors:
        if frame[name].min() <= 0:
            raise StudyError(f"column {name!r} holds {frame[name].min():g}; a number of levels is > 0")
        if frame[name].nunique() < 2:
            raise StudyError(f"column {name!r} holds one size only; a map needs at least two of each factor")
    _within(frame, ("estimate", "low"), 0)
    _once(frame, "frame", factors)
    wide = frame.pivot(index=factors[1], columns=factors[0], values=["estimate", "low"])
    if wide.isna().to_numpy().any():
        row, column = np.argwhere(wide.isna().to_numpy())[0]
        sizes = (wide.columns[column][1], wide.index[row])
        where = ", ".join(f"{name} = {size:g}" for name, size in zip(factors, sizes, strict=True))
        raise StudyError(f"frame has no row for {where}; a map needs all combinations of the sizes")
    tables = {name: wide[name].to_numpy().clip(0, 1) for name in ("estimate", "low")}
    return wide["estimate"].columns.to_numpy(), wide.index.to_numpy(), tables


def _size_axis(ax: plt.Axes, axis: Any, sizes: np.ndarray) -> None:
    if sizes.max() >= _DECADE * sizes.min():
        ax.set(**{f"{axis.axis_name}scale": "log"})
        log_counts(axis)
    else:
        axis.set_major_locator(MaxNLocator(integer=True))
    ax.set(**{f"{axis.axis_name}lim": (sizes.min(), sizes.max())})


def _design(parameter: str, design: Design, factors: tuple[str, str]) -> tuple[float, float]:
    """Return both sizes of a design that is given in order or by names."""
    try:
        sizes = [design[name] for name in factors] if isinstance(design, Mapping | pd.Series) else list(design)
        first, second = sizes
    except (KeyError, TypeError, ValueError):
        wanted = " and ".join(map(repr, factors))
        raise ParameterError(f"{parameter} must give the sizes of {wanted}, got {design!r}") from None
    first, second = (
        check_number(f"{parameter}, size of {name!r},", size, 0)
        for name, size in zip(factors, (first, second), strict=True)
    )
    return first, second


def _price(prices: Mapping[str, float], factors: tuple[str, str], nested: bool) -> tuple[float, float, float]:
    """Return the prices of a level of the first factor, of one of the second, and of a cell."""
    known = (*factors, "cell")
    if not isinstance(prices, Mapping):
        raise ParameterError(f"prices must be a mapping with prices of {listed(known)}, got {prices!r}")
    for name, value in prices.items():
        check_choice("a price's name", name, known)
        check_number(f"the price of {name!r}", value, 0, ends="[)")
    if not any(prices.values()):
        raise ParameterError(f"prices must hold at least one price > 0, of {listed(known)}")
    first, second, cell = (float(prices.get(name, 0)) for name in known)
    return (first, 0.0, cell + second) if nested else (first, second, cell)


def _cost(price: tuple[float, float, float], n: Any, m: Any) -> Any:
    return price[0] * n + price[1] * m + price[2] * n * m


def _designs(
    observed: Design | None, cheapest: Design | pd.DataFrame | None, factors: tuple[str, str], alpha: float
) -> tuple[dict[str, tuple[float, float]], list[str]]:
    """Return the sizes of the designs to mark, by their names in `_LOOKS`, and what is said of those without."""
    designs, notes = {}, []
    if observed is not None:
        designs["at hand"] = _design("observed", observed, factors)
    if isinstance(cheapest, pd.DataFrame):
        check_columns(cheapest, ("by", *factors), "cheapest")
        for row in cheapest.to_dict("records"):
            check_choice("column 'by' of cheapest", row["by"], _BY)
            name, reaching = _BY[row["by"]]
            if any(pd.isna(row[factor]) for factor in factors):
                notes.append(f"no design was found of which {reaching} reaches {alpha:g}")
            else:
                designs[name] = _design("cheapest", row, factors)
    elif cheapest is not None:
        designs["cheapest"] = _design("cheapest", cheapest, factors)
    return designs, notes


def _marks(
    designs: Mapping[str, tuple[float, float]], price: tuple[float, float, float] | None
) -> list[tuple[str, tuple[float, float], dict[str, Any]]]:
    """Return name, sizes and look of the designs that are marked."""
    marked: list[tuple[str, tuple[float, float], dict[str, Any]]] = []
    for name, (n, m) in designs.items():
        cost = "" if price is None else f", price {_cost(price, n, m):,.5g}"
        marked.append((f"{name}: {n:,.10g} × {m:,.10g}{cost}", (n, m), _LOOKS[name]))
    return marked


def _fraction(ax: plt.Axes, sizes: tuple[float, float]) -> np.ndarray:
    """Return where a design stands, as a share of each axis; beyond [0, 1] it is outside."""
    return ax.transAxes.inverted().transform(ax.transData.transform(sizes))


def _mark(ax: plt.Axes, place: np.ndarray, look: dict[str, Any]) -> bool:
    """Mark a design, at the border if it is outside; return whether it is."""
    beyond = np.sign(np.round(place - np.clip(place, 0, 1), 9))
    outside = bool(beyond.any())
    # A little inside of the border, there is room for the arrow.
    at = np.where(beyond == 0, np.clip(place, 0, 1), np.where(beyond > 0, 0.95, 0.05))
    if outside:
        tip = at + 0.05 * beyond
        arrow = {"arrowstyle": "-|>", "color": look["color"], "linewidth": 2.0, "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", tuple(tip), tuple(at), xycoords="axes fraction", textcoords="axes fraction", arrowprops=arrow)
    ax.plot(*at, linestyle="", transform=ax.transAxes, clip_on=False, zorder=5, **look)
    return outside


def _equal_prices(ax: plt.Axes, price: tuple[float, float, float], taken: Sequence[np.ndarray]) -> None:
    """Draw dotted lines of equal price, each with its price where there is room for it."""
    share = np.linspace(0, 1, 201)
    n, m = (_on_axis(axis, share) for axis in (ax.xaxis, ax.yaxis))
    along = np.array([0.06, 0.12, 0.37, 0.62, 0.87, 0.94])  # the diagonal
    chosen = _round_prices(_cost(price, *(_on_axis(axis, along) for axis in (ax.xaxis, ax.yaxis))))
    ax.contour(n, m, _cost(price, *np.meshgrid(n, m)), chosen, colors="0.2", linestyles=":", linewidths=1.4)
    crowded = [np.clip(place, 0, 1) for place in taken]
    for level in chosen:
        place = _free_place(ax, price, level, crowded)
        crowded.append(place)
        box = {"facecolor": "white", "alpha": 0.85, "edgecolor": "none", "pad": 1.5}
        where: dict[str, Any] = {"ha": "center", "va": "center", "transform": ax.transAxes, "fontsize": 9, "bbox": box}
        ax.text(place[0], place[1], f"{level:,.10g}", **where)


def _on_axis(axis: Any, share: np.ndarray) -> np.ndarray:
    """Return the values at a share of an axis, linear or logarithmic."""
    low, high = axis.get_view_interval()
    return low * (high / low) ** share if axis.get_scale() == "log" else low + (high - low) * share


def _round_prices(prices: np.ndarray) -> np.ndarray:
    """Return prices near those given but for the first and the last, between which they stay."""
    for digits in range(1, 16):
        rounded = np.unique([float(f"{price:.{digits}g}") for price in prices[1:-1]])
        within = rounded[(rounded >= prices[0]) & (rounded <= prices[-1])]
        if len(within) >= 3:
            break
    return within


def _free_place(
    ax: plt.Axes, price: tuple[float, float, float], level: float, crowded: Sequence[np.ndarray]
) -> np.ndarray:
    """Return where on a line of equal price a label has room: where it crosses the diagonal, or not far from there."""
    along = np.linspace(0, 1, 201)
    places = []
    for aside in (0, 0.12, -0.12, 0.24, -0.24, 0.36, -0.36):
        u, v = along + max(-aside, 0), along + max(aside, 0)
        u, v = u[np.maximum(u, v) <= 1], v[np.maximum(u, v) <= 1]
        costs = _cost(price, _on_axis(ax.xaxis, u), _on_axis(ax.yaxis, v))
        place = np.array([np.interp(level, costs, u), np.interp(level, costs, v)])
        if costs[0] <= level <= costs[-1] and 0.05 <= place.min() <= place.max() <= 0.95:
            places.append(place)
    gaps = [min((float(np.hypot(*(place - other))) for other in crowded), default=1.0) for place in places]
    free = np.flatnonzero(np.array(gaps) > 0.11)
    return places[free[0] if len(free) else int(np.argmax(gaps))]


# --- components -------------------------------------------------------------------------------------------------------


def component_bars(frame: pd.DataFrame) -> Figure:
    """Draw how much each random factor and each interaction contributes, with intervals."""
    grouped = isinstance(frame, pd.DataFrame) and "group" in frame.columns
    place = ["group", "component"] if grouped else ["component"]
    frame = _checked(frame, "frame", place, ("estimate",), ("low", "high"))
    if not grouped:
        frame = frame.assign(group="")
    _in_order(frame)
    _once(frame, "frame", place)
    groups, components = (list(frame[name].unique()) for name in ("group", "component"))
    of = {name: (look, _HATCHES[i % 7]) for i, (name, look) in enumerate(looks(components).items())}
    height = 1.5 + len(groups) * max(0.34, 0.1 + 0.15 * len(components))
    fig, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, height), sharey=True, layout="constrained")
    ends = _shown_range(frame)
    for at, group in enumerate(groups):
        part = frame[frame["group"] == group].set_index("component").reindex(components).dropna(subset="estimate")
        _stack(left, at, part["estimate"], of)
        _intervals(right, at, part, of, ends)
    left.set_yticks(range(len(groups)), labels(groups, 24) if grouped else [""], fontsize=9, parse_math=False)
    left.set(xlim=(0, 1), ylim=(len(groups) - 0.5, -0.5), xlabel="share of the sum")
    left.xaxis.set_major_formatter(PercentFormatter(1))
    right.axvline(0, color=REFERENCE, linewidth=1)
    right.set(xlim=ends, xlabel="estimate and interval")
    for ax in (left, right):
        ax.grid(visible=False, axis="y")
        ax.tick_params(axis="y", length=0)
    for at in range(1, len(groups)):
        right.axhline(at - 0.5, color="0.88", linewidth=0.8)
    handles = [Patch(facecolor=look.color, hatch=hatch, edgecolor="white") for look, hatch in of.values()]
    dots = [Line2D([], [], markersize=6, **(look.of_line() | {"linestyle": "-"})) for look, _ in of.values()]
    _legend(fig, list(zip(labels(components, 24), zip(handles, dots, strict=True), strict=True)))
    if note := _negative_note(frame, grouped):
        fig.supxlabel(textwrap.fill(note, 125), fontsize=9)
    return plain(fig)


def _stack(ax: plt.Axes, at: float, estimates: pd.Series, of: Mapping[Any, tuple[Look, str]]) -> None:
    """Draw a bar of the shares of the positive estimates, with numbers where there is room."""
    total = estimates.clip(lower=0).sum()
    if total == 0:
        ax.text(0.5, at, "no positive estimate", ha="center", va="center", fontsize=8)
        return
    start = 0.0
    for name, share in (estimates.clip(lower=0) / total).items():
        look, hatch = of[name]
        ax.barh(at, share, left=start, height=0.7, color=look.color, hatch=hatch, edgecolor="white", linewidth=0.8)
        if share >= _SHARE_TEXT:
            box = {"facecolor": "white", "edgecolor": "none", "pad": 1.2}
            where: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 8, "bbox": box}
            ax.text(start + share / 2, at, percent(share), **where)
        start += share


def _intervals(
    ax: plt.Axes, at: float, part: pd.DataFrame, of: Mapping[Any, tuple[Look, str]], ends: tuple[float, float]
) -> None:
    """Draw the estimates of a group below each other, in the order of all components."""
    step = 0.76 / len(of)
    ax.set_xlim(ends)
    for i, (name, (look, _)) in enumerate(of.items()):
        if name not in part.index:
            continue
        estimate, low, high = part.loc[name, ["estimate", "low", "high"]].astype(float)
        y = at + (i - (len(of) - 1) / 2) * step
        (seen,) = intervals(ax, [y], [estimate], [low], [high], look.color)
        if seen:
            ax.scatter(estimate, y, s=32, zorder=3, **look.of_points())


def _shown_range(frame: pd.DataFrame) -> tuple[float, float]:
    """Return where the axis of the intervals ends: with the longest of them, unless that would crowd the estimates."""
    size = float(frame["estimate"].abs().max()) or 1.0
    ends = frame[["estimate", "low", "high"]].to_numpy()
    low = max(float(np.nanmin(ends)), -2.5 * size)
    high = min(float(np.nanmax(ends)), 2.5 * size)
    low, high = min(low, 0.0), max(high, 0.0)
    margin = 0.04 * (high - low) or 1.0
    return low - margin, high + margin


def _negative_note(frame: pd.DataFrame, grouped: bool) -> str:
    negative = frame[frame["estimate"] < 0]
    if negative.empty:
        return ""
    names = labels(negative["component"], 20)
    if grouped:
        names = [f"{name} of {group}" for name, group in zip(names, labels(negative["group"], 20), strict=True)]
    one = len(names) == 1
    said = "1 negative estimate" if one else f"{len(names)} negative estimates"
    return f"{said}, left of zero in the intervals, {'counts' if one else 'count'} as 0 in the bars: {listed(names, 4)}"


# --- agreement of conclusions -----------------------------------------------------------------------------------------


def agreement_curves(frame: pd.DataFrame, halves: pd.DataFrame | None = None, observed: int | None = None) -> Figure:
    """Draw with which probability a second study of the same size draws the same conclusion, by that size."""
    frame = _checked(frame, "frame", ("conclusion",), ("n", "estimate"), ("low", "high"))
    _positive_n(frame, "frame")
    _within(frame, ("estimate", "low", "high"), -1)
    _in_order(frame)
    _once(frame, "frame", ("conclusion", "n"))
    conclusions = list(frame["conclusion"].unique())
    points = _points(halves, conclusions)
    sizes = [*frame["n"], *points["n"]]
    if observed is not None:
        sizes.append(check_number("observed", observed, 0))
    ends = (min(sizes) / 1.15, max(sizes) * 1.15)
    fig, axes = panels(len(conclusions), {1: 3.8, 2: 3.4}.get(len(conclusions), 2.2))
    for ax, conclusion, name in zip(axes, conclusions, labels(conclusions, 30), strict=True):
        part = frame[frame["conclusion"] == conclusion].sort_values("n")
        of_halves = points[points["conclusion"] == conclusion]
        _curve(ax, part, LOOKS["moments"])
        ax.scatter(of_halves["n"], of_halves["agreement"], s=40, zorder=4, **LOOKS["disjoint halves"].of_points())
        if observed is not None:
            ax.axvline(observed, color=INK, linewidth=1.3, zorder=1)
        lowest = np.nanmin([0, *part["estimate"], *part["low"], *of_halves["agreement"]])
        bottom = np.floor(4 * lowest) / 4
        ax.set(xscale="log", xlim=ends, ylim=(bottom - 0.02, 1.02))
        ax.set_yticks(np.linspace(bottom, 1, 5) if bottom in (0, -1) else np.arange(bottom, 1.01, 0.25))
        ax.set_title(name, fontsize=10, parse_math=False)
        _count_ticks(ax, sizes)
        ax.minorticks_off()
    fig.supxlabel("experiments per study, n", fontsize=10)
    fig.supylabel("agreement of two studies", fontsize=10)
    entries: list[tuple[str, Any]] = [("estimate", Line2D([], [], color=ACCENT, marker="o", markersize=4))]
    if frame[["low", "high"]].notna().all(axis=1).any():
        entries.append(("interval", Patch(color=ACCENT, alpha=0.2, linewidth=0)))
    if len(points):
        entries.append(("disjoint halves", Line2D([], [], markersize=6, **LOOKS["disjoint halves"].of_handle())))
    if observed is not None:
        entries.append((f"{observed:,.10g} experiments at hand", Line2D([], [], color=INK, linewidth=1.3)))
    _legend(fig, entries)
    return plain(fig)


def _points(halves: pd.DataFrame | None, conclusions: list[Any]) -> pd.DataFrame:
    """Return the agreement of the halves, where there is one."""
    if halves is None:
        return pd.DataFrame({"conclusion": [], "n": [], "agreement": []})
    if isinstance(halves, pd.DataFrame) and "agreement" not in halves.columns and "estimate" in halves.columns:
        halves = halves.rename(columns={"estimate": "agreement"})
    points = _checked(halves, "halves", ("conclusion",), ("n",), ("agreement",))
    _positive_n(points, "halves")
    _within(points, ("agreement",), -1)
    unknown = points[~points["conclusion"].isin(conclusions)]
    if len(unknown):
        raise StudyError(
            f"halves has the conclusion {unknown['conclusion'].iloc[0]!r}, which frame has not; it has "
            f"{listed(conclusions)}"
        )
    return points.dropna(subset="agreement")


def _curve(ax: plt.Axes, part: pd.DataFrame, look: Look, y: str = "estimate") -> None:
    """Draw a line over n with the band from low to high, where there is one."""
    ax.plot(part["n"], part[y], markersize=5, linewidth=1.8, **look.of_line())
    ax.fill_between(part["n"], part["low"], part["high"], color=look.color, alpha=0.2, linewidth=0)
    if len(part) == 1:  # a band of one n has no width
        ax.vlines(part["n"], part["low"], part["high"], color=look.color, linewidth=5, alpha=0.3)


def agreement_by_method(frame: pd.DataFrame, confidence: float = 0.95) -> Figure:
    """Draw how well each method estimates an agreement, world by world: a table of numbers with colours."""
    confidence = check_level("confidence", confidence)
    counts = ("n_samples",) if isinstance(frame, pd.DataFrame) and "n_samples" in frame.columns else ()
    frame = _checked(frame, "frame", ("world", "conclusion", "method"), ("n", *counts), tuple(_MEASURES))
    _within(frame, ("coverage",), 0)
    for name in ("rms", "width"):
        if (frame[name] < 0).any():
            raise StudyError(f"column {name!r} holds {frame[name].min():g}; it is >= 0")
    place = ["world", "conclusion", "n"]
    _once(frame, "frame", [*place, "method"])
    rows, fixed = _rows_of_table(frame[place].drop_duplicates())
    methods = list(frame["method"].unique())
    for n, most, name in ((len(rows), _MOST_ROWS, "rows"), (len(methods), _MOST_METHODS, "methods")):
        if n > most:
            raise StudyError(f"frame has {n} {name}, and at most {most} can be read in one figure; draw parts of it")
    columns = 2 if len(methods) <= _MOST_METHODS_BESIDE else 1
    lines = 4 // columns
    fig, axes = plt.subplots(
        lines,
        columns,
        figsize=(WIDTH, 0.4 + lines * (0.4 + 0.21 * max(len(rows), 2)) + 1.3 * lines),
        sharey=True,
        layout="constrained",
    )
    for ax, (measure, title) in zip(axes.flat, _MEASURES.items(), strict=True):
        wide = frame.set_index([*place, "method"])[measure].unstack("method").reindex(index=rows.index, columns=methods)
        _heat(ax, wide.to_numpy(dtype=float), measure, confidence)
        ax.set_title(title, fontsize=9.5)
        ax.set_xticks(np.arange(len(methods)) + 0.5, labels(methods, 18), rotation=90, fontsize=8, parse_math=False)
        ax.set_yticks(np.arange(len(rows)) + 0.5, labels(rows, 60), rotation=0, fontsize=8, parse_math=False)
        ax.tick_params(length=0)
    absent = "–: none" if frame[list(_MEASURES)].isna().to_numpy().any() else ""
    notes = (fixed, f"bold: coverage below {confidence - 0.05:.2f}", _noise_note(frame), absent)
    fig.supxlabel("; ".join(filter(None, notes)), fontsize=9, parse_math=False)
    return plain(fig)


def _noise_note(frame: pd.DataFrame) -> str:
    """Return how far simulation noise can move a coverage, where the frame says how many samples are behind it."""
    known = frame.dropna(subset="coverage") if "n_samples" in frame.columns else frame.iloc[:0]
    if known.empty:
        return ""
    low, high = share_interval(known["coverage"], known["n_samples"])
    widest = np.maximum(known["coverage"] - low, high - known["coverage"]).max()
    return f"Monte-Carlo intervals of a coverage reach at most {widest:.2f} from it"


def _rows_of_table(places: pd.DataFrame) -> tuple[pd.Series, str]:
    """Return what each row is called, by place, and what all of them share."""
    index = pd.MultiIndex.from_frame(places)
    said = pd.DataFrame({"n": [f"n = {n:,.10g}" for n in places["n"]]}, dtype=object)
    for name, most in (("conclusion", 20), ("world", 24)):  # each is cut by itself, so that all of them can be told
        known = places[name].unique()
        said.insert(0, name, places[name].map(dict(zip(known, labels(known, most), strict=True))).to_numpy())
    shared = [name for name in ("conclusion", "n") if said[name].nunique() == 1]
    names = said.drop(columns=shared).agg(", ".join, axis=1)
    return pd.Series(names.to_numpy(), index), ", ".join(said[shared].iloc[0])


def _heat(ax: plt.Axes, values: np.ndarray, measure: str, confidence: float) -> None:
    """Draw one measure: numbers in cells, the darker the worse."""
    shade = confidence - values if measure == "coverage" else values
    if measure == "bias":
        options: dict[str, Any] = {"cmap": sns.diverging_palette(250, 40, s=85, l=60, as_cmap=True), "vmin": -0.5}
    else:
        colour = "0.5" if measure == "width" else CONTRAST
        options = {"cmap": sns.light_palette(colour, as_cmap=True), "vmin": 0}
    sign = "+" if measure == "bias" else ""
    # Adding 0 makes 0 of -0.
    text = np.array([[f"{round(value, 2) + 0.0:{sign}.2f}" for value in row] for row in values])
    most = 1.0 if measure == "width" else 0.5
    # With labels of its own, the heat map would draw the whole figure each time.
    options |= {"xticklabels": False, "yticklabels": False, "cbar": False, "linewidths": 0.6}
    options |= {"annot": text, "fmt": "", "annot_kws": {"fontsize": SMALL, "color": "black"}}
    sns.heatmap(np.clip(shade, -most, most), ax=ax, vmax=most, **options)
    # What is bold follows the number that is read.
    for number in ax.texts:
        if measure == "coverage" and float(number.get_text()) < round(confidence - 0.05, 2):
            number.set_fontweight("bold")
    for at in np.argwhere(np.isnan(values)):
        ax.text(at[1] + 0.5, at[0] + 0.5, "–", ha="center", va="center", fontsize=SMALL)
    ax.set_facecolor("0.96")


# --- fixed factors ----------------------------------------------------------------------------------------------------


def fixed_factor(
    frame: pd.DataFrame, factors: Sequence[str] = ("dataset", "model"), n_fixed: int | None = None
) -> Figure:
    """Draw what counting one random factor claims, beside what holds when the other is drawn again, too."""
    factors = _two(factors)
    counted, other = labels(factors, 24)
    known = _lines_of(frame)
    frame = _checked(frame, "frame", (), ("n",), known)
    _positive_n(frame, "frame")
    _within(frame, known, 0)
    _once(frame, "frame", ("n",))
    empty = [name for name in ("one_factor", "truth", "predicted") if name in known and frame[name].isna().all()]
    if empty:
        raise StudyError(f"column {empty[0]!r} holds no number")
    n_shown = None if n_fixed is None else check_number("n_fixed", n_fixed, 0)
    frame = frame.sort_values("n").reindex(columns=["n", *known, *({"low", "high"} - {*known})])
    _in_order(frame)
    of = {
        "one_factor": (f"counting {counted} only", LOOKS["one factor"]),
        "predicted": (f"{other} drawn again, too: predicted", LOOKS["predicted"]),
        "truth": (f"{other} drawn again, too: true", LOOKS["truth"]),
    }
    fig, ax = plt.subplots(figsize=(WIDTH, 3.9), layout="constrained")
    ends: list[tuple[float, float, str]] = []
    entries: list[tuple[str, Any]] = []
    for column, (name, look) in of.items():
        if column not in known:
            continue
        part = frame.dropna(subset=column)
        band = part if column == "predicted" else part.assign(low=np.nan, high=np.nan)
        _curve(ax, band, look, column)
        ends.append((part["n"].iloc[-1], part[column].iloc[-1], look.color))
        entries.append((name, Line2D([], [], markersize=5, **look.of_line())))
    if {"low", "high", "predicted"} <= {*known}:
        entries.append(("its interval", Patch(color=LOOKS["predicted"].color, alpha=0.2, linewidth=0)))
    for (n, value, colour), height in zip(ends, apart([y for _, y, _ in ends], 0.07), strict=True):
        where: dict[str, Any] = {"xytext": (8, 0), "textcoords": "offset points", "va": "center"}
        where["color"] = for_text(colour)
        ax.annotate(f"{value:.2f}", (n, height), fontsize=10, fontweight="bold", annotation_clip=False, **where)
    low, high = frame["n"].min(), frame["n"].max()
    ax.set(xscale="log", xlim=(low / 1.1, high * max(1.1, (high / low) ** 0.08)), ylim=(-0.02, 1.05))
    ax.set_xlabel(f"levels of {counted} in a study, n", parse_math=False)
    ax.set_ylabel("n-generalizability")
    _count_ticks(ax, frame["n"])
    if n_shown is not None:
        levels = "1 level" if n_shown == 1 else f"{n_shown:,.10g} levels"
        ax.set_title(f"How often two studies agree, each with {levels} of {other}", parse_math=False)
    _legend(fig, entries)
    return plain(fig)


def _lines_of(frame: pd.DataFrame) -> tuple[str, ...]:
    """Return which columns of numbers there are; at least one with both factors drawn again is needed."""
    check_columns(frame, ("n", "one_factor"), "frame")
    known = tuple(name for name in ("one_factor", "truth", "predicted", "low", "high") if name in frame.columns)
    if not {"truth", "predicted"} & {*known}:
        raise StudyError("frame has no column 'truth' and no column 'predicted'; it needs one of them")
    return known


# --- what the figures share -------------------------------------------------------------------------------------------


def _checked(
    frame: pd.DataFrame, what: str, names: Iterable[str], numbers: Iterable[str], may_miss: Iterable[str] = ()
) -> pd.DataFrame:
    """Return the columns that are drawn, numbers as floats, or say which column or row does not fit."""
    names, numbers, may_miss = list(names), list(numbers), list(may_miss)
    needed = [*names, *numbers, *may_miss]
    check_columns(frame, needed, what)
    if frame.empty:
        raise StudyError(f"{what} has no row: there is nothing to draw")
    twice = [name for name in needed if list(frame.columns).count(name) > 1]
    if twice:
        raise StudyError(f"{what} has two columns named {twice[0]!r}")
    drawn = frame[needed].astype(object)
    for name in [*numbers, *may_miss]:
        drawn[name] = check_numbers(frame[name], f"column {name!r}")
    for name in [*names, *numbers]:
        if drawn[name].isna().any():
            raise StudyError(f"column {name!r} is empty in row {frame.index[drawn[name].isna()][0]!r}")
    for name in numbers:
        if np.isinf(drawn[name]).any():
            raise StudyError(f"column {name!r} must be finite; row {frame.index[np.isinf(drawn[name])][0]!r} is not")
    return drawn


def _once(frame: pd.DataFrame, what: str, place: Sequence[str]) -> None:
    twice = frame.duplicated(list(place))
    if twice.any():
        where = ", ".join(f"{name} {value!s}" for name, value in frame.loc[twice, list(place)].iloc[0].items())
        raise StudyError(f"{what} has two rows for {where}")


def _within(frame: pd.DataFrame, columns: Iterable[str], low: float) -> None:
    """Raise unless all numbers of the columns are in [low, 1], or missing."""
    for name in columns:
        wrong = (frame[name] < low - TOLERANCE) | (frame[name] > 1 + TOLERANCE)
        if wrong.any():
            value = frame.loc[wrong, name].iloc[0]
            raise StudyError(f"column {name!r} must be in [{low:g}, 1], got {value:g} in row {frame.index[wrong][0]!r}")


def _in_order(frame: pd.DataFrame) -> None:
    wrong = frame["low"] > frame["high"]
    if wrong.any():
        raise StudyError(f"row {frame.index[wrong][0]!r} has a low end above its high end")


def _positive_n(frame: pd.DataFrame, what: str) -> None:
    if frame["n"].min() <= 0:
        raise StudyError(f"column 'n' of {what} holds {frame['n'].min():g}; a number of experiments is > 0")


def _count_ticks(ax: plt.Axes, sizes: Iterable[float]) -> None:
    """Label a logarithmic axis at 1, 2 and 5 times a power of ten, or where that is not in sight, at the ends."""
    low, high = ax.get_xlim()
    decades = 10.0 ** np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)) + 1)
    ticks = np.multiply.outer(decades, [1, 2, 5])
    log_counts(ax.xaxis)
    if ((ticks >= low) & (ticks <= high)).sum() < 2:
        ax.xaxis.set_major_locator(FixedLocator(sorted({min(sizes), max(sizes)})))


def _legend(fig: Figure, entries: Sequence[tuple[str, Any]]) -> None:
    legend_above(fig, [handle for _, handle in entries], [name for name, _ in entries])
