"""Figures of one's own study: what is missing, who stands where, which pairs differ, what another study would say."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from genexpy_nb.common.prose import MISSING
from genexpy_nb.plots import layout, style
from genexpy_nb.plots.layout import legend_above, name_curves, name_rows, named_rows, panels, say_below

_PIXELS = 400  # cells per side of a picture; with more of them several share one
_NAMED = 45  # names beside a picture, at most
_MOST_ANNOTATED = 6  # alternatives; with more of them numbers no longer fit into the cells of a matrix
MOST_NAMED_TWICE = 14  # alternatives; with more of them, names fit on one side of a matrix only
_MOST_ROWS = 32  # names below each other in one figure


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


def _of_pairs(pairs: pd.DataFrame, column: str, mirrored: float, diagonal: float) -> pd.DataFrame:
    """Return a column about all pairs as a square table."""
    names = pd.Index(pd.unique(pd.concat([pairs["a"], pairs["b"]])))
    i, j = names.get_indexer(pairs["a"]), names.get_indexer(pairs["b"])
    matrix = np.full((len(names), len(names)), diagonal)
    matrix[i, j], matrix[j, i] = pairs[column], mirrored * pairs[column]
    return pd.DataFrame(matrix, names, names)


def pairwise_matrix(pairs: pd.DataFrame, level: float = 0.05) -> Figure:
    """Draw a cell per pair of `Study.pairs`, blue to orange: worse to better; framed or dotted up to the level."""
    ahead, p_values = _of_pairs(pairs, "estimate", -1.0, 0.0), _of_pairs(pairs, "p_adjusted", 1.0, 1.0)
    means, signs = np.clip(ahead, -1e300, 1e300).mean(axis=1), np.sign(ahead.fillna(0)).sum(axis=1)
    order = ahead.index[np.lexsort([-means, -signs])]
    shown, significant = (m.loc[order, order].to_numpy() for m in (ahead, p_values <= level))
    n = len(order)
    annotated = n <= _MOST_ANNOTATED
    limit = np.nanmax(np.abs(shown), initial=0.0) or 1.0
    fig, (ax,) = panels(1, 5.2 if n > _MOST_ROWS else max(3.6, 2.2 + (0.4 if annotated else 0.18) * n))
    colours = sns.diverging_palette(250, 40, s=85, l=55, as_cmap=True)  # blue to orange, safe for the colour-blind
    image = ax.imshow(shown, cmap=colours, vmin=-limit, vmax=limit, aspect="auto")
    if not annotated:
        rows, columns = np.nonzero(significant)
        ax.scatter(columns, rows, s=min(5.0, 3e4 / n**2), color="black", linewidths=0)
    for row, column in np.argwhere(~np.eye(n, dtype=bool)) if annotated else ():
        number, strong = shown[row, column], significant[row, column]
        said, weight = MISSING if np.isnan(number) else f"{number:.2g}", "bold" if strong else "normal"
        ax.text(column, row, said, ha="center", va="center", fontweight=weight)
        if strong:
            ax.add_patch(plt.Rectangle((column - 0.47, row - 0.47), 0.94, 0.94, fill=False, edgecolor="black"))
    names = style.labels(order, 16 if n <= MOST_NAMED_TWICE else 30)
    if n <= MOST_NAMED_TWICE:
        ax.set_xticks(range(n), names, rotation=90, parse_math=False)
        ax.set_yticks(range(n), names, parse_math=False)
    else:  # numbers on one side stand for the names on the other, or on both sides for more than can be read
        steps = np.arange(0, n, max(1, n // 5))
        ax.set_xticks(steps, [f"{step + 1}" for step in steps])
        if n > _MOST_ROWS:
            ax.set_yticks(steps, [f"{step + 1}" for step in steps])
        else:
            ax.set_yticks(range(n), [f"{name}  {i + 1}" for i, name in enumerate(names)], parse_math=False)
    ax.grid(visible=False)
    ax.tick_params(length=0)
    which = "places (1 is the best); " if n > _MOST_ROWS else ""
    say_below(fig, f"{which}{'framed' if annotated else 'dot'}: significant at {level:g}, all pairs together")
    bar = fig.colorbar(image, ax=ax, location="top", aspect=30)
    bar.set_label(f"lead of the row (mean {'scores' if pairs.attrs.get('by') == 'score' else 'ranks'})", loc="right")
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


def agreement_curves(frame: pd.DataFrame, observed: int | None = None) -> Figure:
    """Draw `Study.agreement` by the size of both studies, a panel per conclusion; no estimate outside its interval."""
    outside = (frame["estimate"] < frame["low"]) | (frame["estimate"] > frame["high"])
    shown = frame.assign(estimate=frame["estimate"].mask(outside))
    conclusions = list(frame["conclusion"].unique())
    sizes = [*frame["n"], *([] if observed is None else [observed])]
    fig, axes = panels(len(conclusions), {1: 2.4, 2: 1.45}.get(len(conclusions), 1.06), sharex=True)
    for ax, conclusion, name in zip(axes, conclusions, style.labels(conclusions, 30), strict=True):
        part = shown[shown["conclusion"] == conclusion].sort_values("n")
        layout.curve_with_band(ax, part, style.LOOKS["moments"])
        if observed is not None:
            ax.axvline(observed, color=style.INK, linewidth=1.3, zorder=1)
        lowest = np.nanmin([0 if len(axes) > 1 else 0.9, *part["estimate"], *part["low"]])
        bottom = np.floor(10 * lowest) / 10 if lowest >= 0.5 else np.floor(2 * lowest) / 2
        ax.set(xscale="log", xlim=(min(sizes) / 1.15, max(sizes) * 1.15), ylim=(bottom - 0.02, 1.02))
        ax.set_yticks(np.linspace(bottom, 1, 3) if bottom != -0.5 else [bottom, 0, 0.5, 1])
        ax.set_title(name, parse_math=False)
        layout.count_ticks(ax, sizes)
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
