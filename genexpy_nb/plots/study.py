"""Figures of one's own study: what is missing, who stands where, what another study would say."""

from __future__ import annotations

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from genexpy_nb.plots import style
from genexpy_nb.plots.layout import name_curves, named_rows, panels, say_below

_PIXELS = 400  # cells per side of a picture; with more of them several share one
_NAMED = 45  # names beside a picture, at most


def missing_cells(scores: pd.DataFrame) -> Figure:
    """Draw which alternative (row) has a score in which experiment; of more than 400, several share a pixel."""
    there = scores.notna().to_numpy().T
    rows = np.argsort(-there.sum(axis=1), kind="stable")
    columns = np.argsort(-there.sum(axis=0), kind="stable")
    image = _shrunk(_shrunk(there[rows][:, columns].astype(float)).T).T
    n_alternatives, n_experiments = there.shape
    named = n_alternatives <= _NAMED
    fig, (ax,) = panels(1, 1.3 + (0.19 * n_alternatives if named else 3.6))
    extent = (0.5, n_experiments + 0.5, n_alternatives + 0.5, 0.5)
    colours = sns.light_palette(style.ACCENT, as_cmap=True)
    ax.imshow(image, cmap=colours, vmin=0, vmax=1, aspect="auto", interpolation="nearest", extent=extent)
    ax.set_title(f"{there.sum():,} of {there.size:,} scores are there")
    say_below(fig, "experiments, the most complete one first; pale: no score")
    if named:
        ax.set_yticks(range(1, n_alternatives + 1), style.labels(scores.columns[rows], 16), parse_math=False)
    else:
        ax.set_ylabel("alternatives")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    ax.grid(visible=False)
    return style.plain(fig)


def _shrunk(image: np.ndarray) -> np.ndarray:
    """Average neighbouring rows, so that at most `_PIXELS` are left."""
    if len(image) <= _PIXELS:
        return image
    starts = np.arange(_PIXELS) * len(image) // _PIXELS
    return np.add.reduceat(image, starts) / np.diff([*starts, len(image)])[:, None]


def rank_positions(ranks: pd.DataFrame, most: int = 30) -> Figure:
    """Draw the place of each of the best alternatives, and those that it may have; as `Study.ranking` says."""
    shown = ranks.head(most)
    at = np.arange(len(shown))
    fig, (ax,) = named_rows(shown.index, 1.1)
    ax.hlines(at, shown["low"], shown["high"], color=style.ACCENT, linewidth=4, alpha=0.35)
    ax.scatter(shown["position"], at, color=style.ACCENT, s=34, zorder=3)
    last = int(shown["high"].max())
    margin = max(0.3, 0.02 * last)
    ax.set_xlim(1 - margin, last + margin)
    sure = f" ({100 - 100 * ranks.attrs['level']:g} % confidence)" if "level" in ranks.attrs else ""
    say_below(fig, f"place by mean rank; line: the places that it may have{sure}")
    if len(shown) < len(ranks):
        ax.set_title(f"The best {len(shown)} of {len(ranks):,}")
    ticks = MaxNLocator(integer=True, min_n_ticks=1).tick_values(1, last)
    ax.set_xticks([1, *(tick for tick in ticks if 1 < tick <= last)])  # there is no place 0
    return style.plain(fig)


def generalizability_curves(curves: pd.DataFrame, n_observed: int, alpha: float, delta: float | None = None) -> Figure:
    """Draw with which probability two studies agree, by their size: columns kernel, n, estimate."""
    fig, (ax,) = panels(1, 3.0)
    low, high = curves["n"].min(), max(curves["n"].max(), n_observed * 1.15)
    ax.set(xscale="log", xlim=(low, high), ylim=(0, 1.06), xlabel="experiments per study, n")
    parts = dict(list(curves.groupby("kernel", sort=False)))
    ends = []
    for name, (kernel, look) in zip(style.labels(parts), style.looks(parts).items(), strict=True):
        part = parts[kernel].sort_values("n")
        ax.plot(part["n"], part["estimate"], color=look.color, linestyle=look.line, linewidth=2, label=name)
        above = part.loc[part["estimate"] >= alpha, "n"]
        if len(above):
            ax.scatter(above.iloc[0], alpha, s=50, zorder=3, **look.of_points())
        ends.append((part["estimate"].iloc[-1], name, look.color))
    ax.axhline(alpha, color=style.REFERENCE, linewidth=1, linestyle=":")
    ax.axvline(n_observed, color=style.INK, linewidth=1.5)
    ax.set_ylabel("probability")
    ax.annotate(f"{n_observed:,} were run", (n_observed, 0.02), xytext=(5, 0), textcoords="offset points", va="bottom")
    ax.annotate(f"α = {alpha:g}", (low, alpha), xytext=(4, -3), textcoords="offset points", va="top")
    style.log_counts(ax.xaxis)
    ax.set_title("How likely two studies look alike" + (f" (δ = {delta:g})" if delta is not None else ""))
    name_curves(fig, ax, ends)
    return style.plain(fig)
