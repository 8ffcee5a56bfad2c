"""Figures of "would a second study conclude the same": agreement of conclusions, kinds of repetition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from genexpy_nb.plots import style
from genexpy_nb.plots.layout import count_ticks, curve_with_band, legend_above, name_rows, panels, say_below

# --- agreement of conclusions -----------------------------------------------------------------------------------------


def agreement_curves(frame: pd.DataFrame, observed: int | None = None) -> Figure:
    """Draw `Study.agreement` by the size of both studies, a panel per conclusion; no estimate outside its interval."""
    outside = (frame["estimate"] < frame["low"]) | (frame["estimate"] > frame["high"])
    shown = frame.assign(estimate=frame["estimate"].mask(outside))
    conclusions = list(frame["conclusion"].unique())
    sizes = [*frame["n"], *([] if observed is None else [observed])]
    fig, axes = panels(len(conclusions), {1: 2.4, 2: 1.45}.get(len(conclusions), 1.06), sharex=True)
    for ax, conclusion, name in zip(axes, conclusions, style.labels(conclusions, 30), strict=True):
        part = shown[shown["conclusion"] == conclusion].sort_values("n")
        curve_with_band(ax, part, style.LOOKS["moments"])
        if observed is not None:
            ax.axvline(observed, color=style.INK, linewidth=1.3, zorder=1)
        lowest = np.nanmin([0 if len(axes) > 1 else 0.9, *part["estimate"], *part["low"]])
        bottom = np.floor(10 * lowest) / 10 if lowest >= 0.5 else np.floor(2 * lowest) / 2
        ax.set(xscale="log", xlim=(min(sizes) / 1.15, max(sizes) * 1.15), ylim=(bottom - 0.02, 1.02))
        ax.set_yticks(np.linspace(bottom, 1, 3) if bottom != -0.5 else [bottom, 0, 0.5, 1])
        ax.set_title(name, parse_math=False)
        count_ticks(ax, sizes)
        ax.minorticks_off()
    fig.supxlabel("experiments per study, n")
    fig.supylabel("agreement of two studies")
    entries: dict[str, Any] = {}
    if shown["estimate"].notna().any():
        entries["estimate"] = Line2D([], [], color=style.ACCENT, marker="o", markersize=4)
    if frame[["low", "high"]].notna().all(axis=1).any():
        entries["interval"] = Patch(color=style.ACCENT, alpha=0.45, linewidth=0)
    if observed is not None:
        entries[f"{observed:,.10g} experiments run"] = Line2D([], [], color=style.INK, linewidth=1.3)
    legend_above(fig, list(entries.values()), list(entries))
    return style.plain(fig)


# --- which repetition is meant ----------------------------------------------------------------------------------------


def repetitions(ranks: pd.DataFrame, most: int = 12) -> Figure:
    """Draw `Repetitions.ranks`: the places that each of the best can have, a line for each kind of repetition."""
    parts = dict(list(ranks.groupby("anew", sort=False)))
    names = next(iter(parts.values()))["alternative"].head(most)
    step = 0.8 / len(parts)
    fig, (ax,) = panels(1, 1.0 + (0.14 * len(parts) + 0.12) * len(names))
    colours = sns.light_palette(style.ACCENT, len(parts) + 2)[2:]
    last = int(max(part["rank_high"].head(most).max() for part in parts.values()))
    for i, (part, colour) in enumerate(zip(parts.values(), colours, strict=True)):
        shown = part.head(most)
        at = np.arange(len(shown)) - 0.4 + step * (i + 0.5)
        ax.hlines(at, shown["rank_low"] - 0.12, shown["rank_high"] + 0.12, color=colour, linewidth=4)
    ax.scatter(shown["position"], np.arange(len(shown)), color="white", edgecolor=style.INK, s=26, zorder=3)
    name_rows(ax, names)
    ax.set_xlim(0.6, last + 0.4)
    ticks = MaxNLocator(integer=True, min_n_ticks=1).tick_values(1, last)
    ax.set_xticks([1, *(tick for tick in ticks if 1 < tick <= last)])
    lines = [Line2D([], [], color=colour, linewidth=4) for colour in colours]
    legend_above(fig, lines, style.labels(parts, 46), title="drawn anew")
    note = f"the best {most} of {len(part):,}" if len(part) > most else ""
    say_below(fig, "place; lines: the places that it can have, 1 if it may be the best", note)
    return style.plain(fig)
