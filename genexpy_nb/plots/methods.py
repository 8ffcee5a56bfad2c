"""Figures of notebook 11: errors of every approximation, and experiments that were chosen."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

from genexpy_nb.plots.layout import legend_above, name_lines, named_rows, panels
from genexpy_nb.plots.style import REFERENCE, looks, plain

_LINEAR = 0.1  # errors up to this are drawn to scale, larger ones by their logarithm
_TICKS = {-0.5: "−50", -0.1: "−10", 0.0: "0", 0.1: "+10", 1.0: "+100", 10.0: "+1000"}


def errors_of_quantiles(compared: pd.DataFrame) -> Figure:
    """Draw the relative errors of the quantiles of every approximation: a row each, a look per world."""
    worlds, names = list(dict.fromkeys(compared["world"])), list(dict.fromkeys(compared["approximation"]))
    fig, (ax,) = named_rows(names, 2.6)
    ax.axvspan(-_LINEAR, _LINEAR, color="0.95", zorder=0)
    ax.axvline(0, color=REFERENCE, linewidth=1)
    of = looks(worlds)
    for step, (world, look) in enumerate(of.items()):
        here = compared[compared["world"] == world]
        height = here["approximation"].map(names.index) + 0.19 * (step - (len(worlds) - 1) / 2)
        ax.scatter(here["error"], height, s=22, zorder=3, **look.of_points())
    ax.set_xscale("symlog", linthresh=_LINEAR, linscale=1.2)
    ax.set(xlim=(-0.95, 60), xlabel="error of the quantile, in per cent")
    ax.set_xticks(list(_TICKS), list(_TICKS.values()))
    ax.minorticks_off()
    legend_above(fig, [Line2D([], [], markersize=6, **look.of_handle()) for look in of.values()], worlds)
    return plain(fig)


def cherry_picks(picks: pd.DataFrame, names: Sequence[str]) -> Figure:
    """Draw how often each method wins if experiments are drawn, and if they are chosen for it."""
    fig, axes = panels(2, 1.62, sharex=True, sharey=True)
    shown = {"drawn": "Drawn at random", "picked": "Chosen afterwards"}
    for ax, (column, title) in zip(axes, shown.items(), strict=True):
        ends = []
        for (method, part), look in zip(picks.groupby("method"), looks(names).values(), strict=True):
            ax.plot(part["k"], part[column], markersize=5, linewidth=1.5, **look.of_line())
            ends.append((float(part[column].iloc[-1]), names[int(method)], look.color))
        ax.set(title=title, ylim=(-0.03, 1.04))
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.0f} %"))
        name_lines(ax, ends)
    axes[-1].set_xlabel("datasets that are reported")
    fig.supylabel("studies that the method wins")
    return plain(fig)
