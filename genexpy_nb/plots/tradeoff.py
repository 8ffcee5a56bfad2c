"""Figures of the trade-off point, hard on the right: noise, cells, what moves the point, and sign-errors."""

from __future__ import annotations

import textwrap
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
from matplotlib.ticker import LogLocator, MaxNLocator

from genexpy_nb.plots.layout import legend_above, named_rows, panels
from genexpy_nb.plots.style import INK, REFERENCE, WIDTH, log_counts, looks
from genexpy_nb.tradeoff.array import NoiseAxis, over_seeds
from genexpy_nb.tradeoff.point import TradeoffPoint

_SSIM = NoiseAxis()
_SLICES = {"ssim": "Clean images", "zero_shot": "Noisy images"}


def noise_levels(images: Mapping[float, np.ndarray]) -> Figure:
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
        ax.set_title(f"{level:g}", fontweight="normal", loc="center")
        ax.set_xticks([])
        ax.set_yticks([])
        ax.spines[:].set_visible(False)
    return fig


def error_over_noise(table: pd.DataFrame, label: str = "error rate", noise: NoiseAxis = _SSIM) -> Figure:
    """Draw how the error of each family grows with noise."""
    conditions = list(table["panel"].unique())
    fig, axes = panels(len(conditions), 1.55, sharex=True, sharey=True)
    families = _looks(table["family"])
    for ax, panel in zip(axes, conditions, strict=True):
        shown = table[table["panel"] == panel]
        for family, look in families.items():
            part = shown[shown["family"] == family].sort_values("ssim", ascending=noise.cleaner == "low")
            ax.fill_between(part["ssim"], part["low"], part["high"], color=look["color"], alpha=0.3, linewidth=0)
            ax.plot(part["ssim"], part["estimate"], markersize=3, linewidth=1, **look)
        ax.set_title(str(panel), parse_math=False)
        ax.set_ylabel(label, parse_math=False)
    _clean_first(axes[0], table["ssim"], noise)
    fig.supxlabel(noise.label, parse_math=False)
    _legend(fig, [(family, Line2D([], [], **look)) for family, look in families.items()])
    return fig


def difference_over_noise(
    table: pd.DataFrame, families: tuple[str, str], noise: NoiseAxis = _SSIM, others: pd.DataFrame | None = None
) -> Figure:
    """Draw the error of one family minus that of another over noise, with intervals; those at other shares as lines."""
    fig, (ax,) = panels(1, 2.8)
    ax.axhline(0, color=REFERENCE, linewidth=1)
    for _, part in () if others is None else others.groupby("share"):
        ax.plot(part["ssim"], part["estimate"], color="0.6", linewidth=0.8)
    ends = np.abs(table[["low", "high"]].to_numpy() - table[["estimate"]].to_numpy()).T
    ax.errorbar(table["ssim"], table["estimate"], ends, color=INK, marker="o", linestyle="", capsize=3)
    for y, va, family in ((0.98, "top", families[1]), (0.02, "bottom", families[0])):
        ax.text(0.01, y, f"{family} err less", transform=ax.transAxes, va=va, color="0.3", parse_math=False)
    ax.margins(y=0.25)
    _clean_first(ax, table["ssim"], noise)
    ax.set_xlabel(noise.label, parse_math=False)
    ax.set_ylabel("difference of the mean errors")
    return fig


def point_maps(arrays: Mapping[str, xr.Dataset], points: Mapping[str, TradeoffPoint]) -> Figure:
    """Draw the mean error over noise and size, averaged over ZeroShot, and the point of each family."""
    axis = NoiseAxis.of(next(iter(arrays.values())))
    maps = {name: over_seeds(array)["error_mean"].mean("zero_shot", skipna=False) for name, array in arrays.items()}
    known = np.concatenate([each.to_numpy()[each.notnull()] for each in maps.values()])
    ends = {"vmin": known.min(), "vmax": known.max()} if len(known) else {}
    fig, axes = panels(len(maps), 2.9, 2)
    for ax, (family, values) in zip(axes, maps.items(), strict=True):
        shown = np.ma.masked_invalid(values.transpose("size", "ssim").to_numpy()[:, ::-1])
        image = ax.imshow(shown, cmap="magma", origin="lower", aspect="auto", **ends)
        levels, sizes = values["ssim"].to_numpy()[::-1], values["size"].to_numpy()
        places = np.unique(np.linspace(0, len(levels) - 1, min(len(levels), 3)).round().astype(int))
        ax.set_xticks(places, [f"{levels[i]:g}" for i in places])
        short = [_size_text(size) for size in sizes]
        alike = len(set(short)) < len(short)
        ax.set_yticks(range(len(sizes)), [f"{size:,.10g}" for size in sizes] if alike else short)
        ax.set_title(str(family), parse_math=False)
        ax.grid(visible=False)
        at = np.flatnonzero(levels == points[family].ssim)[0], np.flatnonzero(sizes == points[family].size)[0]
        ax.plot(*at, "o", color="white", markeredgecolor="black", markersize=12)
    fig.supylabel("size")
    fig.supxlabel(axis.label, parse_math=False)
    fig.colorbar(image, ax=axes, pad=0.02, aspect=25).set_label("mean error")
    return fig


def weight_curves(table: pd.DataFrame, noise: NoiseAxis = _SSIM) -> Figure:
    """Draw where the trade-off point goes when all three weights change together."""
    families = _looks(table["family"])
    fig, axes = _sides(noise)
    fig.axes[0].get_gridspec().set_height_ratios([1, 1, 1.5])  # type: ignore[union-attr]  # sizes cross
    axes["size"].set_xscale("log")
    log_counts(axes["size"].xaxis)
    for name, ax in axes.items():
        for i, (family, look) in enumerate(families.items()):
            part = table[table["family"] == family].sort_values("weight")
            line = {"color": look["color"], "linewidth": 1.6 + 3 * (len(families) - 1 - i)}
            ax.plot(part["weight"], part[name], drawstyle="steps-mid", solid_capstyle="butt", **line)
    axes["size"].set_xlabel("weight of noise, of unseen classes and of a small size")
    _legend(fig, [(family, Line2D([], [], color=look["color"], linewidth=3)) for family, look in families.items()])
    return fig


def box_sides(table: pd.DataFrame, noise: NoiseAxis = _SSIM) -> Figure:
    """Draw how far the tolerance box of each family goes for each tolerated error, with intervals."""
    families, errors = _looks(table["family"]), sorted(table["tolerated"].unique())
    fig, axes = _sides(noise, 1.4)
    for (i, (family, look)), (name, ax) in product(enumerate(families.items()), axes.items()):
        part = table[table["family"] == family].set_index("tolerated").loc[errors]
        ends = np.abs(part[[f"{name}_low", f"{name}_high"]].to_numpy() - part[[name]].to_numpy()).T
        ends = np.where(ends.any(axis=0), ends, np.nan)  # no bar without length
        at = np.arange(len(errors)) + 0.2 * (i - (len(families) - 1) / 2)
        ax.errorbar(at, part[name], ends, linestyle="", capsize=3, markersize=5, **look)
        ax.margins(y=0.15)
    axes["size"].set_xticks(range(len(errors)), [f"{error:.3g}" for error in errors])
    axes["size"].set_xlabel("mean error that you accept")
    _legend(fig, [(family, Line2D([], [], linestyle="", **look)) for family, look in families.items()])
    return fig


def family_gaps(table: pd.DataFrame) -> Figure:
    """Draw the differences between pairs of families, on the cleanest and on the noisiest images, with intervals."""
    pairs, images = table["pair"].unique(), _looks(table["images"])
    fig, (ax,) = named_rows(pairs, 0.9 + 0.1 * len(pairs))
    ax.axvline(0, color=REFERENCE, linewidth=1)
    for i, (where, look) in enumerate(images.items()):
        part = table[table["images"] == where].set_index("pair").loc[pairs]
        ends = np.abs(part[["low", "high"]].to_numpy() - part[["estimate"]].to_numpy()).T
        at = np.arange(len(pairs)) + 0.3 * i - 0.15
        ax.errorbar(part["estimate"], at, xerr=ends, linestyle="", capsize=3, **look)
    ax.set_xlabel("difference of the mean errors")
    _legend(fig, [(f"{where} images", Line2D([], [], linestyle="", **look)) for where, look in images.items()])
    return fig


def sign_errors(table: pd.DataFrame, baseline: str = "params") -> Figure:
    """Draw the sign-error of every complexity measure against what chance gives; a family's orders are filled once."""
    place = ["family", "slice", "measure"]
    families = _looks(table["family"])
    slices = list(table["slice"].unique())
    rows = _grouped(table, baseline)
    values = {tuple(row[name] for name in place): row for row in table.to_dict("records")}
    step = 0.64 / len(families)
    size = (WIDTH, 1.3 + len(rows) * (0.16 + 0.11 * max(len(families), 1.4)))
    fig, axes = plt.subplots(1, len(slices), figsize=size, sharex=True, sharey=True, squeeze=False)
    drawn = set()
    for ax, name in zip(axes[0], slices, strict=True):
        for height, members in enumerate(rows):
            for i, (family, look) in enumerate(families.items()):
                found = [values[key] for key in product([family], [name], members) if key in values]
                if not found or np.isnan(found[0]["sign_error"]):
                    continue
                row = found[0]
                at = height + (i - (len(families) - 1) / 2) * step
                low, high = np.nan_to_num(row["band_low"], nan=0.0), np.nan_to_num(row["band_high"], nan=1.0)
                edge = height - 0.5 + i / len(families)
                ax.add_patch(Rectangle((low, edge), high - low, 1 / len(families), color="0.92", linewidth=0, zorder=0))
                order = (name, family, row["group"])
                mark = {"c": "white" if order in drawn else look["color"], "edgecolors": look["color"]}
                ax.scatter(row["sign_error"], at, marker=look["marker"], s=26, zorder=3, **mark)
                drawn.add(order)
        ax.axvline(0.5, color=REFERENCE, linestyle="--", linewidth=1)
        ax.set_title(textwrap.fill(_SLICES.get(name, str(name)), 15), parse_math=False)
        ax.set_xlim(-0.06, 1.06)
        ax.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
        if baseline in rows[0]:
            ax.axhline(0.5, color=REFERENCE, linewidth=0.8)
        ax.grid(axis="y", visible=False)
        ax.tick_params(axis="y", length=0)
    # A label for each line: in SVG, two lines in one label are not set to the right.
    names = [(height, _joined(members).split("\n")) for height, members in enumerate(rows)]
    ticks = [
        (height + 0.44 * (i - (len(lines) - 1) / 2), line) for height, lines in names for i, line in enumerate(lines)
    ]
    axes[0, 0].set_yticks(*zip(*ticks, strict=True), parse_math=False)
    axes[0, 0].set_ylim(len(rows) - 0.5, -0.5)
    if baseline in rows[0]:
        axes[0, 0].get_yticklabels()[0].set_fontweight("bold")
    fig.supxlabel("sign-error: 0 if in the order of the errors, 1 if in reverse", x=1, ha="right")
    entries = [(family, Line2D([], [], linestyle="", **look)) for family, look in families.items()]
    _legend(fig, [*entries, ("within chance", Patch(color="0.92"))])
    return fig


# --- what the figures share -------------------------------------------------------------------------------------------


def _looks(families: Iterable[Any]) -> dict[Any, dict[str, Any]]:
    """Return colour and marker of each family, in the order given."""
    return {name: {"color": look.color, "marker": look.marker} for name, look in looks(families).items()}


def _legend(fig: Figure, entries: Sequence[tuple[Any, Artist]]) -> None:
    legend_above(fig, [artist for _, artist in entries], [str(name) for name, _ in entries])
    for text in fig.legends[0].get_texts():
        text.set_parse_math(False)


def _sides(noise: NoiseAxis, height: float = 1.08) -> tuple[Figure, dict[str, plt.Axes]]:
    """Return a panel for each coordinate of a cell, hard ones on top, sizes on a logarithmic axis."""
    fig, axes = panels(3, height, sharex=True)
    axes[2].set_yscale("log")  # before anything is drawn: a single size would have no range otherwise
    log_counts(axes[2].yaxis)
    axes[2].yaxis.set_major_locator(LogLocator(subs=(1, 3)))
    axes[2].yaxis.set_major_formatter(lambda size, _: _size_text(size))
    axes[0].yaxis.set_major_locator(MaxNLocator(3, steps=[1, 2, 5, 10]))
    axes[0].yaxis.set_inverted(noise.cleaner == "high")
    axes[2].yaxis.set_inverted(True)
    for ax, label in zip(axes, (noise.name, "unseen\nclasses", "size"), strict=True):
        ax.set_ylabel(label, parse_math=False)
    return fig, dict(zip(("ssim", "zero_shot", "size"), axes, strict=True))


def _size_text(size: float) -> str:
    """Write a size in a few characters."""
    for unit, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if size >= 0.9995 * unit:
            scaled = size / unit
            return (f"{scaled:.2g}" if scaled < 9.95 else f"{scaled:.0f}") + letter
    return f"{size:.3g}"


def _clean_first(ax: plt.Axes, levels: Iterable[float], noise: NoiseAxis) -> None:
    low, high = min(levels), max(levels)
    pad = 0.04 * (high - low) or 0.05
    ends = (low - pad, high + pad)
    ax.set_xlim(ends if noise.cleaner == "low" else ends[::-1])


def _grouped(table: pd.DataFrame, baseline: str) -> list[list[Any]]:
    """Return the measures that all families have in one group, the baseline's group first, then by their mean."""
    per_family = table.drop_duplicates(["family", "measure"])
    wide = per_family.pivot(index="measure", columns="family", values="group").astype(object).fillna("")
    wide = wide.loc[table["measure"].unique()]
    groups = [list(group.index) for _, group in wide.groupby(list(wide), sort=False)]
    means = table.groupby("measure", observed=True)["sign_error"].mean()
    groups = [sorted(group, key=lambda name: name != baseline) for group in groups]
    return sorted(groups, key=lambda group: (group[0] != baseline, np.nan_to_num(means[group[0]], nan=2.0)))


def _joined(members: Sequence[Any], most: int = 20) -> str:
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
