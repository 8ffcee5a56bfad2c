"""Figures of the trade-off point: noise, cells of the array, marginals, what moves the point, and sign-errors.

A family has the same colour in all figures, from the table in `genexpy_nb.plots.style`. Hard is on the right: noisy
images, many unseen classes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.patheffects import Normal, Stroke
from matplotlib.ticker import LogLocator, MaxNLocator

from genexpy_nb.plots.layout import legend_above, panels
from genexpy_nb.plots.style import INK, REFERENCE, SMALL, WIDTH, log_counts, looks, tint
from genexpy_nb.tradeoff.array import DIMENSIONS, NoiseAxis, over_seeds
from genexpy_nb.tradeoff.point import TradeoffPoint

_SSIM = NoiseAxis()
_PARTS: dict[str, tuple[str, Any]] = {
    "mean": ("mean", "-"),
    "std": ("standard deviation", "--"),
    "p10": ("10th percentile", ":"),
}
_KINDS = {"error": "ErrorRate", "kappa": "Kappa"}
_SLICES = {"ssim": "Without noise", "zero_shot": "No unseen classes (ZeroShot = 0)"}


def noise_levels(images: Mapping[float, np.ndarray], labels: Sequence[str] = ()) -> Figure:
    """Show the same images at every noise level, the clean ones first."""
    levels = sorted(images, reverse=True)
    n, height, width = np.shape(images[levels[0]])[:3]
    gap = 0.08  # of an image
    side = WIDTH / max(len(levels), 6)
    size = (WIDTH, 0.35 + n * side * height / width)
    fig, axes = plt.subplots(1, len(levels), figsize=size, squeeze=False, layout="compressed")
    for ax, level in zip(axes[0], levels, strict=True):
        for i, image in enumerate(np.asarray(images[level])):
            top = i * (1 + gap) * height
            ax.imshow(image, cmap="gray", vmin=0, vmax=1, extent=(0, width, top + height, top))
        ax.set(xlim=(0, width), ylim=((n * (1 + gap) - gap) * height, 0))
        title = f"SSIM {level:g}" if level == levels[0] else f"{level:g}"
        ax.set_title(title, fontsize=9, fontweight="normal", loc="center")
        ax.set_xticks([])
        ax.set_yticks([])
        ax.spines[:].set_visible(False)
    if len(labels):
        middles = (np.arange(n) * (1 + gap) + 0.5) * height
        axes[0, 0].set_yticks(middles, [str(label) for label in labels], parse_math=False, fontsize=9)
        axes[0, 0].tick_params(left=False)
        axes[0, 0].grid(visible=False)
    return fig


def cell_maps(
    arrays: Mapping[str, xr.Dataset],
    points: Mapping[str, TradeoffPoint] | None = None,
    size_unit: str = "weights",
) -> Figure:
    """Draw the mean error in every cell: a map of SSIM by size for each family and ZeroShot level."""
    cells = {family: over_seeds(array)["error_mean"] for family, array in arrays.items()}
    shared = {name: np.unique(np.concatenate([c[name] for c in cells.values()])) for name in ("zero_shot", "ssim")}
    known = np.concatenate([c.to_numpy()[c.notnull()] for c in cells.values()])
    low, high = known.min(), known.max()
    axis = NoiseAxis.of(next(iter(arrays.values())))
    shared["ssim"] = shared["ssim"][np.argsort(axis.cleanliness(shared["ssim"]))]
    cells = {family: c.reindex(shared) for family, c in cells.items()}
    boxes = {family: _cell_of(point, family, cells) for family, point in (points or {}).items()}
    noise = shared["ssim"][::-1]
    n_columns = len(shared["zero_shot"])
    fig, axes = plt.subplots(
        len(cells), n_columns, figsize=(WIDTH, 1.2 + 2.0 * len(cells)), squeeze=False, sharex=True, sharey="row"
    )
    for row, (family, values) in zip(axes, cells.items(), strict=True):
        for column, (ax, level) in enumerate(zip(row, shared["zero_shot"], strict=True)):
            panel = values.sel(zero_shot=level).transpose("size", "ssim").to_numpy()[:, ::-1]
            image = ax.imshow(
                np.ma.masked_invalid(panel), cmap="magma", origin="lower", aspect="auto", vmin=low, vmax=high
            )
            # What is masked shows the panel behind.
            ax.patch.set(facecolor="0.93", edgecolor="0.6", hatch="////", linewidth=0)
            if family in boxes and boxes[family][0] == column:
                corner = (len(noise) - 1 - boxes[family][1] - 0.5, boxes[family][2] - 0.5)
                outline = Rectangle(corner, 1, 1, fill=False, edgecolor="white", linewidth=1.6, zorder=3)
                outline.set_path_effects([Stroke(linewidth=3.6, foreground="black"), Normal()])
                ax.add_patch(outline)
            ax.grid(visible=False)
        row[0].set_yticks(range(values.sizes["size"]), _size_labels(values["size"].to_numpy()), fontsize=SMALL)
        row[0].set_ylabel(f"{family}\n{_size_label(size_unit)}", parse_math=False, fontsize=9)
    for column, (ax, level) in enumerate(zip(axes[0], shared["zero_shot"], strict=True)):
        ax.set_title(f"{level:.3g}" if column else f"ZeroShot {level:.3g}", fontsize=9)
    shown = np.unique(np.linspace(0, len(noise) - 1, min(len(noise), 3)).round().astype(int))
    axes[0, 0].set_xticks(shown, [f"{noise[i]:g}" for i in shown])
    for ax in axes.flat:
        ax.tick_params(labelsize=SMALL)
    fig.supxlabel(axis.label, fontsize=9, parse_math=False)
    bar = fig.colorbar(image, ax=axes, pad=0.01, fraction=0.03, aspect=30)
    bar.set_label("ErrorRate, mean over classes", fontsize=9)
    bar.ax.tick_params(labelsize=SMALL)
    bar.outline.set_visible(False)
    return fig


def edition_maps(
    arrays: Mapping[str, Mapping[str, xr.Dataset]],
    points: Mapping[str, Mapping[str, TradeoffPoint]] | None = None,
    size_unit: str = "weights",
) -> Figure:
    """Draw the mean error and the mean of each edition of Kappa side by side, averaged over ZeroShot."""
    first = next(iter(arrays))
    columns = [("error", first, "error_mean"), *((edition, edition, "kappa_mean") for edition in arrays)]
    axis, families = NoiseAxis.of(next(iter(arrays[first].values()))), list(arrays[first])
    size = (WIDTH, 1.3 + 1.9 * len(families))
    fig, axes = plt.subplots(
        len(families), len(columns), figsize=size, squeeze=False, sharey="row", layout="constrained"
    )
    for column, (title, edition, statistic) in enumerate(columns):
        maps = [over_seeds(arrays[edition][family])[statistic].mean("zero_shot", skipna=False) for family in families]
        known = np.concatenate([each.to_numpy()[each.notnull()] for each in maps])
        ends = {"vmin": known.min(), "vmax": known.max()} if len(known) else {}
        for ax, family, values in zip(axes[:, column], families, maps, strict=True):
            shown = np.ma.masked_invalid(values.transpose("size", "ssim").to_numpy()[:, ::-1])
            image = ax.imshow(shown, cmap="magma", origin="lower", aspect="auto", **ends)
            levels, sizes = values["ssim"].to_numpy()[::-1], values["size"].to_numpy()
            places = np.unique(np.linspace(0, len(levels) - 1, min(len(levels), 3)).round().astype(int))
            ax.set_xticks(places, [f"{levels[i]:g}" for i in places])
            ax.tick_params(labelsize=SMALL)
            ax.grid(visible=False)
            point = (points or {}).get(edition, {}).get(family) if column else None
            if point is not None:
                at = np.flatnonzero(levels == point.ssim)[0], np.flatnonzero(sizes == point.size)[0]
                ax.plot(*at, marker="o", color="white", markeredgecolor="black", markersize=8, linestyle="")
        axes[0, column].set_title(title, fontsize=9, parse_math=False)
        bar = fig.colorbar(image, ax=axes[:, column], location="bottom", aspect=12, pad=0.02)
        bar.ax.tick_params(labelsize=SMALL)
        bar.outline.set_visible(False)
        bar.locator = MaxNLocator(3)
        bar.update_ticks()
    for ax, family in zip(axes[:, 0], families, strict=True):
        sizes = arrays[first][family]["size"].to_numpy()
        ax.set_yticks(range(len(sizes)), _size_labels(sizes), fontsize=SMALL)
        ax.set_ylabel(f"{family}\n{_size_label(size_unit)}", parse_math=False, fontsize=9)
    fig.supxlabel(axis.label, fontsize=9, parse_math=False)
    return fig


def choice_points(table: pd.DataFrame, noise: NoiseAxis = _SSIM, size_unit: str = "weights") -> Figure:
    """Draw where the trade-off point lies as one choice after the other is made in another way."""
    families = _looks(table["family"])
    options = list(dict.fromkeys(zip(table["choice"], table["option"], strict=True)))
    names = [option if not row else f"{choice}: {option}" for row, (choice, option) in enumerate(options)]
    fig, axes = plt.subplots(
        1, 3, figsize=(WIDTH, 1.3 + 0.3 * len(options)), sharey=True, layout="constrained", squeeze=True
    )
    _size_axis(axes[2])
    for ax, name in zip(axes, ("ssim", "zero_shot", "size"), strict=True):
        for i, (family, look) in enumerate(families.items()):
            part = table[table["family"] == family].set_index(["choice", "option"])[name]
            height = [-options.index(key) - 0.14 * (i - (len(families) - 1) / 2) for key in part.index]
            ax.axvline(part.iloc[0], color=look["color"], linestyle=":", linewidth=1.2)
            ax.scatter(part, height, color=look["color"], marker=look["marker"], s=30, zorder=3)
        label = {"ssim": noise.name, "zero_shot": "ZeroShot", "size": _size_label(size_unit)}[name]
        ax.set_xlabel(label, fontsize=9, parse_math=False)
        ax.tick_params(labelsize=8.5)
    _clean_first(axes[0], table["ssim"], noise, 0.08)
    axes[2].invert_xaxis()
    axes[0].set_yticks(-np.arange(len(options)), names, parse_math=False, fontsize=SMALL)
    _legend(fig, [(family, Line2D([], [], linestyle="", **look)) for family, look in families.items()])
    return fig


def error_over_noise(table: pd.DataFrame, label: str = "error rate", noise: NoiseAxis = _SSIM) -> Figure:
    """Draw how the error of each family grows with noise."""
    conditions = list(table["panel"].unique())
    fig, axes = panels(len(conditions), 3.5 if len(conditions) <= 2 else 2.7, sharex=True, sharey=True)
    families = _looks(table["family"])
    for i, (ax, panel) in enumerate(zip(axes, conditions, strict=True)):
        shown = table[table["panel"] == panel]
        for family, look in families.items():
            part = shown[shown["family"] == family].sort_values("ssim", ascending=noise.cleaner == "low")
            ax.fill_between(part["ssim"], part["low"], part["high"], color=look["color"], alpha=0.2, linewidth=0)
            ax.plot(part["ssim"], part["estimate"], markersize=4.5, **look)
        ax.set_title(str(panel), parse_math=False)
        if i % 2 == 0:
            ax.set_ylabel(label, parse_math=False)
    _clean_first(axes[0], table["ssim"], noise)
    fig.supxlabel(noise.label, fontsize=10, parse_math=False)
    _legend(fig, [(family, Line2D([], [], **look)) for family, look in families.items()])
    return fig


def marginal_panels(
    table: pd.DataFrame,
    points: Mapping[str, TradeoffPoint] | None = None,
    noise: NoiseAxis = _SSIM,
    size_unit: str = "weights",
) -> Figure:
    """Draw the marginals of ErrorRate and Kappa over each dimension, in the form of the paper's Figure 2."""
    families = _looks(table["family"])
    kinds = [kind for kind in _KINDS if table["statistic"].str.startswith(kind).any()]
    marks = [
        (family, name, kind, *_mark(table, family, point, name, kind))
        for family, point in (points or {}).items()
        for name in DIMENSIONS
        for kind in kinds
    ]
    fig, flat = panels(3 * len(kinds), 2.1, len(kinds), sharey="col")
    axes = [flat[at : at + len(kinds)] for at in range(0, len(flat), len(kinds))]
    for row, name in zip(axes, DIMENSIONS, strict=True):
        for ax, kind in zip(row, kinds, strict=True):
            if name == "size":
                _size_axis(ax)
            for family, look in families.items():
                for suffix, (_, style) in _PARTS.items():
                    rows = (table["family"] == family) & (table["dimension"] == name)
                    part = table[rows & (table["statistic"] == f"{kind}_{suffix}")].sort_values("level")
                    if part.empty:
                        continue
                    colour = look["color"]
                    ax.fill_between(part["level"], part["low"], part["high"], color=colour, alpha=0.15, linewidth=0)
                    ax.plot(part["level"], part["estimate"], linestyle=style, color=colour, linewidth=1.8)
            for family, *_, level, value in (mark for mark in marks if mark[1:3] == (name, kind)):
                # Earlier families larger, so that they can be seen below later ones.
                marker_size = 7.5 + 4 * (len(families) - 1 - list(families).index(family))
                ax.plot(level, value, **_point_look(families[family], marker_size))
            if name == "ssim":
                _clean_first(ax, table.loc[table["dimension"] == "ssim", "level"], noise)
            ax.set_xlabel(_axis_label(name, noise, size_unit), fontsize=9, parse_math=False)
    for ax, kind in zip(axes[0], kinds, strict=True):
        ax.set_title(_KINDS[kind])
    entries = [(family, Line2D([], [], color=look["color"], linewidth=3)) for family, look in families.items()]
    entries += [(name, Line2D([], [], color=REFERENCE, linestyle=style)) for name, style in _PARTS.values()]
    if marks:
        entries.append(("trade-off point", Line2D([], [], **_point_look({"color": "white", "marker": "o"}, 8))))
    _legend(fig, entries)
    return fig


def weight_curves(
    table: pd.DataFrame, size_scale: str = "linear", noise: NoiseAxis = _SSIM, size_unit: str = "weights"
) -> Figure:
    """Draw where the trade-off point goes when the weights change."""
    families = _looks(table["family"])
    table = table[table["size_scale"] == size_scale]
    weighted, free = table[table["method"] == "weighted"], table[table["method"] == "minimax"]
    titles = {
        "ssim": f"weight of {noise.name}",
        "zero_shot": "weight of ZeroShot",
        "size": "weight of size",
        "all": "all three weights",
    }
    varied = [name for name in titles if name in set(weighted["varied"])]
    fig, axes = plt.subplots(3, len(varied), figsize=(WIDTH, 5.6), sharex=True, sharey="row", squeeze=False)
    ends = [weighted["weight"].min(), weighted["weight"].max()]
    positive = weighted.loc[weighted["weight"] > 0, "weight"]
    if len(positive) == len(weighted):
        axes[0, 0].set_xscale("log")
    else:
        axes[0, 0].set_xscale("symlog", linthresh=positive.min() if len(positive) else 1)
    _size_axis(axes[2, 0], "y")
    for row, name in zip(axes, ("ssim", "zero_shot", "size"), strict=True):
        for ax, which in zip(row, varied, strict=True):
            for i, (family, look) in enumerate(families.items()):
                part = weighted[(weighted["family"] == family) & (weighted["varied"] == which)].sort_values("weight")
                line = {"color": look["color"], "linewidth": 1.6 + 3 * (len(families) - 1 - i)}
                ax.plot(part["weight"], part[name], drawstyle="steps-mid", solid_capstyle="butt", **line)
                for level in free.loc[free["family"] == family, name]:
                    # Dots of one family fall between those of another.
                    dots = (2.5 * i, (1.5, 2.5 * len(families) - 1.5))
                    ax.plot(ends, [level, level], color=look["color"], linestyle=dots, linewidth=1.8)
        label = {"ssim": noise.name, "zero_shot": "ZeroShot", "size": _size_label(size_unit)}[name]
        row[0].set_ylabel(label, parse_math=False)
    for ax, which in zip(axes[0], varied, strict=True):
        ax.set_title(titles[which], fontsize=10, parse_math=False)
    fig.supxlabel("weight that is varied", fontsize=10)
    for ax in axes.flat:
        ax.tick_params(labelsize=8.5)
    entries = [(family, Line2D([], [], color=look["color"], linewidth=3)) for family, look in families.items()]
    if len(free):
        entries.append(("minimax, without weights", Line2D([], [], color=REFERENCE, linestyle=":", linewidth=1.8)))
    _legend(fig, entries)
    return fig


def point_spread(
    table: pd.DataFrame,
    points: Mapping[str, TradeoffPoint] | None = None,
    noise: NoiseAxis = _SSIM,
    size_unit: str = "weights",
) -> Figure:
    """Draw how far the trade-off point moves from seed to seed."""
    families, points = _looks(table["family"]), points or {}
    fig, axes = panels(3, 0.72 + 0.3 * len(families), 1, sharey=True)
    _size_axis(axes[2])
    for ax, name in zip(axes, DIMENSIONS, strict=True):
        for i, (family, look) in enumerate(families.items()):
            counts = table.loc[table["family"] == family, name].value_counts().sort_index()
            height = np.full(len(counts), -i)
            # The area is a share of the seeds: as many seeds as there may be, bubbles stay in their row.
            area = 600 * counts / counts.sum()
            ax.scatter(counts.index, height, s=area, color=tint(look["color"], 0.45), linewidth=0, zorder=3)
            for level, count in counts.items():
                ax.text(level, -i, str(count), ha="center", va="center", fontsize=SMALL, zorder=4)
            if family in points:
                here = float(getattr(points[family], name))
                ax.plot(here, -i + 0.42, marker="v", color=look["color"], markeredgecolor=INK, markersize=8)
        ax.set_xlabel(_axis_label(name, noise, size_unit), fontsize=9, parse_math=False)
        ax.margins(x=0.06)
        ax.set_yticks(-np.arange(len(families)), [str(family) for family in families], parse_math=False)
    _clean_first(axes[1], table["ssim"], noise, 0.06)
    axes[0].set_ylim(0.4 - len(families), 0.72)
    bubble = Line2D([], [], marker="o", linestyle="", color=REFERENCE, alpha=0.45, markersize=9)
    entries = [("seeds with their point here", bubble)]
    if points:
        mark = Line2D([], [], marker="v", linestyle="", color="white", markeredgecolor="black")
        entries.append(("point of all seeds together", mark))
    _legend(fig, entries)
    return fig


def size_marginals(
    table: pd.DataFrame,
    label: str = "mean error rate",
    size_unit: str = "weights",
    titles: Mapping[str, str] | None = None,
) -> Figure:
    """Draw the error over the model size in the slices of the array, in the form of the paper's Figure 3 a to d."""
    families = _looks(table["family"])
    slices = list(table["slice"].unique())
    fig, axes = panels(len(slices), 3.7 if len(slices) <= 2 else 2.8, sharex=True)
    _size_axis(axes[0])
    for ax, name in zip(axes, slices, strict=True):
        for family, look in families.items():
            part = table[(table["family"] == family) & (table["slice"] == name)]
            wide = part.pivot(index="size", columns="seed", values="estimate")
            ax.plot(wide.index, wide.to_numpy(), color=look["color"], alpha=0.3, linewidth=0.9)
            ax.plot(wide.index, wide.mean(axis=1, skipna=False), linewidth=2.6, markersize=6, **look)
        ax.set_title({**_SLICES, **(titles or {})}.get(name, str(name)), parse_math=False)
        ax.set_xlabel(_size_label(size_unit), parse_math=False)
        if not (table["estimate"] < 0).any():  # gaps can be
            ax.set_ylim(bottom=0)
    axes[0].set_ylabel(label, parse_math=False)
    entries = [(family, Line2D([], [], linewidth=2.6, **look)) for family, look in families.items()]
    _legend(fig, [*entries, ("one seed", Line2D([], [], color=REFERENCE, alpha=0.5, linewidth=0.9))])
    return fig


def sign_errors(table: pd.DataFrame, baseline: str = "params", titles: Mapping[str, str] | None = None) -> Figure:
    """Draw the sign-error of every complexity measure against what chance gives."""
    place = ["family", "slice", "measure"]
    families = _looks(table["family"])
    slices = list(table["slice"].unique())
    rows = _grouped(table, baseline)
    values = {tuple(row[name] for name in place): row for row in table.to_dict("records")}
    step = 0.64 / len(families)
    size = (WIDTH, 1.3 + len(rows) * (0.14 + 0.11 * max(len(families), 1.4)))
    fig, axes = plt.subplots(1, len(slices), figsize=size, sharex=True, sharey=True, squeeze=False)
    for ax, name in zip(axes[0], slices, strict=True):
        for height, members in enumerate(rows):
            for i, (family, look) in enumerate(families.items()):
                found = [values[key] for key in product([family], [name], members) if key in values]
                if not found or np.isnan(found[0]["estimate"]):
                    continue
                row = found[0]
                at = height + (i - (len(families) - 1) / 2) * step
                low, high = np.nan_to_num(row["band_low"], nan=0.0), np.nan_to_num(row["band_high"], nan=1.0)
                edge = height - 0.5 + i / len(families)
                ax.add_patch(Rectangle((low, edge), high - low, 1 / len(families), color="0.92", linewidth=0, zorder=0))
                ax.hlines(at, row["min"], row["max"], color=look["color"], linewidth=1.3)
                ax.scatter(row["estimate"], at, color=look["color"], marker=look["marker"], s=22, zorder=3)
        ax.axvline(0.5, color=REFERENCE, linestyle="--", linewidth=1)
        ax.set_title({**_SLICES, **(titles or {})}.get(name, str(name)), parse_math=False)
        ax.set_xlim(-0.03, 1.03)
        ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])
        if baseline in rows[0]:
            ax.axhline(0.5, color=REFERENCE, linewidth=0.8)
        ax.grid(axis="y", visible=False)
    axes[0, 0].set_yticks(range(len(rows)), [_joined(members) for members in rows], parse_math=False, fontsize=SMALL)
    axes[0, 0].set_ylim(len(rows) - 0.5, -0.5)
    if baseline in rows[0]:
        axes[0, 0].get_yticklabels()[0].set_fontweight("bold")
    fig.supxlabel("sign-error: 0 orders the sizes as their errors do, 1 the other way round", fontsize=10)
    entries = [(family, Line2D([], [], linewidth=1.3, **look)) for family, look in families.items()]
    _legend(fig, [*entries, ("within chance", Patch(color="0.92"))])
    return fig


# --- what the figures share -------------------------------------------------------------------------------------------


def _looks(families: Iterable[Any]) -> dict[Any, dict[str, Any]]:
    """Return colour and marker of each family, in the order given."""
    return {name: {"color": look.color, "marker": look.marker} for name, look in looks(families).items()}


def _point_look(look: Mapping[str, Any], size: float) -> dict[str, Any]:
    edge = {"markeredgecolor": INK, "markeredgewidth": 1.2}
    return {**look, **edge, "markersize": size, "linestyle": "", "zorder": 4}


def _legend(fig: Figure, entries: Sequence[tuple[Any, Artist]]) -> None:
    legend_above(fig, [artist for _, artist in entries], [str(name) for name, _ in entries])
    for text in fig.legends[0].get_texts():
        text.set_parse_math(False)


def _size_label(unit: str) -> str:
    return f"size, {unit}" if unit else "size"


def _axis_label(name: str, noise: NoiseAxis, size_unit: str) -> str:
    labels = {"zero_shot": "ZeroShot, share of unseen classes", "size": _size_label(size_unit)}
    return labels.get(name, noise.label)


def _size_text(size: float) -> str:
    """Write a size in a few characters."""
    for unit, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if size >= 0.9995 * unit:
            scaled = size / unit
            return (f"{scaled:.2g}" if scaled < 9.95 else f"{scaled:.0f}") + letter
    return f"{size:.3g}"


def _size_labels(sizes: np.ndarray) -> list[str]:
    short = [_size_text(size) for size in sizes]
    return short if len(set(short)) == len(short) else [f"{size:,.10g}" for size in sizes]


def _size_axis(ax: plt.Axes, which: str = "x") -> None:
    """Make an axis logarithmic, before anything is drawn: a single size would have no range otherwise."""
    ax.set(**{f"{which}scale": "log"})
    axis = ax.xaxis if which == "x" else ax.yaxis
    log_counts(axis)
    axis.set_major_locator(LogLocator(subs=(1, 3)))
    axis.set_major_formatter(lambda size, _: _size_text(size))


def _clean_first(ax: plt.Axes, levels: Iterable[float], noise: NoiseAxis, margin: float = 0.04) -> None:
    low, high = min(levels), max(levels)
    pad = margin * (high - low) or 0.05
    ends = (low - pad, high + pad)
    ax.set_xlim(ends if noise.cleaner == "low" else ends[::-1])


def _cell_of(point: TradeoffPoint, family: str, cells: Mapping[str, xr.DataArray]) -> tuple[int, ...]:
    """Return the position of a point among the levels of its family: ZeroShot, SSIM, size."""
    place = {name: getattr(point, name) for name in DIMENSIONS}
    levels = {name: cells[family][name].to_numpy() for name in DIMENSIONS}
    return tuple(int(np.flatnonzero(levels[name] == place[name])[0]) for name in DIMENSIONS)


def _mark(table: pd.DataFrame, family: str, point: TradeoffPoint, name: str, kind: str) -> tuple[float, float]:
    """Return the level of a point and the marginal mean there."""
    level = float(getattr(point, name))
    rows = (table["family"] == family) & (table["dimension"] == name) & (table["level"] == level)
    found = table.loc[rows & (table["statistic"] == f"{kind}_mean"), "estimate"]
    return level, float(found.iloc[0])


def _grouped(table: pd.DataFrame, baseline: str) -> list[list[Any]]:
    """Return the measures that all families have in one group, the baseline's group first, then by their mean."""
    per_family = table.drop_duplicates(["family", "measure"])
    wide = per_family.pivot(index="measure", columns="family", values="group").astype(object).fillna("")
    wide = wide.loc[table["measure"].unique()]
    groups = [list(group.index) for _, group in wide.groupby(list(wide), sort=False)]
    means = table.groupby("measure", observed=True)["estimate"].mean()
    groups = [sorted(group, key=lambda name: name != baseline) for group in groups]
    return sorted(groups, key=lambda group: (group[0] != baseline, np.nan_to_num(means[group[0]], nan=2.0)))


def _joined(members: Sequence[Any], most: int = 34) -> str:
    """Name a group by its first member and the others, on a second line if they are long, and cut there."""
    first, *others = map(str, members)
    if not others:
        return first
    for shown in range(len(others), 0, -1):
        cut = [f"+ {len(others) - shown}"] if shown < len(others) else []
        inner = f"(= {', '.join(others[:shown] + cut)})"
        if len(inner) <= most:
            break
    return f"{first} {inner}" if len(first) + len(inner) < most else f"{first}\n{inner}"
