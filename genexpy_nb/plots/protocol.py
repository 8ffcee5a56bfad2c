"""Figures of the protocol: instability, and simulated error rates with their intervals."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, MaxNLocator, PercentFormatter

from genexpy_nb.plots.layout import legend_above, verdict_entries
from genexpy_nb.plots.layout import panels as in_rows
from genexpy_nb.plots.style import REFERENCE, VERDICTS, labels, looks, plain

# What an interval says about the level: that a rate is below it, perhaps on it, or above it.
_VERDICTS = {"above": VERDICTS["more needed"], "compatible": VERDICTS["undecided"], "below": VERDICTS["enough"]}


def error_rates(rates: pd.DataFrame, level: float) -> Figure:
    """Draw the family-wise error rate of each procedure, with its Monte-Carlo interval, against the nominal level."""
    fig, (ax,) = in_rows(1, 1.1 + 0.3 * len(rates))
    names = [textwrap.fill(name, 26) for name in labels(rates["procedure"], 50)]
    ax.set(yticks=range(len(names)), ylim=(len(names) - 0.5, -0.5))
    ax.set_yticklabels(names, parse_math=False, multialignment="left")
    ax.grid(visible=False, axis="y")
    for height, row in enumerate(rates.itertuples()):
        look = _VERDICTS[row.verdict.split()[0]]
        ax.hlines(height, row.low, row.high, color=look.color, linewidth=3)
        ax.scatter(row.estimate, height, s=42, zorder=3, **look.of_points(hollow=True))
        box = {"facecolor": "white", "edgecolor": "none", "pad": 1}  # a line of the grid may run through
        where: dict[str, Any] = {"textcoords": "offset points", "va": "center", "bbox": box}
        ax.annotate(f"{100 * row.estimate:.1f} %", (max(row.high, level), height), (8, 0), **where)
    words = verdict_entries(rates["verdict"].str.split().str[0], _VERDICTS)
    entries: dict[str, Artist] = {
        f"{word}{' with' if word == 'compatible' else ''} {100 * level:g} %": handle for word, handle in words.items()
    }
    ax.axvline(level, color=REFERENCE, linestyle="--", linewidth=1)
    fig.supxlabel("comparisons of equal models with a false winner")
    ax.set_xlim(-0.02 * rates["high"].max(), 1.15 * rates["high"].max())
    ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    legend_above(fig, list(entries.values()), list(entries))
    return plain(fig)


def rate_curves(
    rates: pd.DataFrame, x: str, label: str, panels: Mapping[str, str], references: Mapping[str, float] | None = None
) -> Figure:
    """Draw simulated rates, with their intervals, over something that was varied."""
    of = looks(rates["procedure"].unique())
    fig, axes = in_rows(len(panels), 2.4 + 0.13 * len(of), 2, sharey=True)
    for ax, (quantity, title) in zip(axes, panels.items(), strict=True):
        for procedure, look in of.items():
            part = rates[(rates["quantity"] == quantity) & (rates["procedure"] == procedure)].sort_values(x)
            ax.fill_between(part[x], part["low"], part["high"], color=look.color, alpha=0.2, linewidth=0)
            ax.plot(part[x], part["estimate"], markersize=5, label=procedure, **look.of_line())
            if references:
                at = part[[x, "estimate"]].iloc[-1]
                ax.annotate(f"{100 * at['estimate']:.0f} %", at, (0, 6), textcoords="offset points", ha="center")
        if references and quantity in references:
            ax.axhline(references[quantity], color=REFERENCE, linestyle="--", linewidth=1, zorder=1)
        ax.set(title=textwrap.fill(title, 40 // len(panels)), ylim=(-0.02, 1.02))
        whole = rates[x].dtype.kind == "i"
        ax.xaxis.set_major_locator(FixedLocator(rates[x].unique()) if whole else MaxNLocator(6, integer=True))
    fig.supxlabel(label)
    fig.supylabel("share of comparisons")
    axes[0].yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    legend_above(fig, *axes[0].get_legend_handles_labels())
    return plain(fig)


def rates_over_worlds(rates: pd.DataFrame, level: float) -> Figure:
    """Draw how often tests are wrong, world by world, with Monte-Carlo intervals."""
    worlds, of = list(rates["world"].unique()), looks(rates["procedure"].unique())
    fig, (ax,) = in_rows(1, 1.2 + 0.42 * len(worlds))
    for position, (procedure, look) in enumerate(of.items()):
        rows = rates[rates["procedure"] == procedure].set_index("world").reindex(worlds)
        height = np.arange(len(worlds))[::-1] - 0.2 * (position - (len(of) - 1) / 2)
        ax.hlines(height, rows["low"], rows["high"], color=look.color, linewidth=2)
        ax.scatter(rows["estimate"], height, s=30, zorder=3, label=procedure, **look.of_points())
    ax.axvline(level, color=REFERENCE, linestyle="--", linewidth=1)
    ax.set(ylim=(-0.6, len(worlds) - 0.4), xlim=(-0.01, None), xlabel="comparisons of equal models with a false winner")
    ax.set_yticks(range(len(worlds)), worlds[::-1])
    ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.grid(axis="y", visible=False)
    legend_above(fig, *ax.get_legend_handles_labels())
    return plain(fig)
