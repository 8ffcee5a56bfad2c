"""Figures of notebook 11: the truth beside every approximation, and experiments that were chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

from genexpy_nb.plots.layout import legend_above, name_lines, panels
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
    looks,
    plain,
    tint,
)

_LOWEST = 0.01
_OF_REGRESSION: dict[str, Any] = {"color": LOOKS["resampling"].color, "marker": "s"}
_OF_TRUTH: dict[str, Any] = {"color": tint(INK, 0.7), "linewidth": 5}
_OF_CURVES = {
    "bound": LOOKS["bound"],
    "closed form, their code": LOOKS["published"],
    "closed form": LOOKS["closed-form"],
    "two moments": Look(COLOURS["sky"], "o", "--"),
    "three moments": Look(COLOURS["blue"], "o", "-"),
    "limit law": Look(COLOURS["purple"], "P", ":"),
}


def truth_and_approximations(curves: pd.DataFrame, quantiles: pd.DataFrame, alpha: float) -> Figure:
    """Draw the true distribution of n MMD_n^2 against every approximation, a row per world and a column per n."""
    worlds, sizes = list(dict.fromkeys(curves["world"])), list(dict.fromkeys(curves["n"]))
    size = (WIDTH, 0.9 + 2.5 * len(worlds))
    fig, axes = plt.subplots(len(worlds), len(sizes), figsize=size, layout="constrained", squeeze=False, sharey=True)
    of_curves: dict[str, dict[str, Any]] = {
        name: {"color": look.color, "linestyle": look.line, "linewidth": 1.6} for name, look in _OF_CURVES.items()
    }
    for (i, j), ax in np.ndenumerate(axes):
        here = curves[(curves["world"] == worlds[i]) & (curves["n"] == sizes[j])]
        by_curve = here.assign(shown=np.maximum(here["exceedance"], _LOWEST / 10)).set_index("curve")
        truth = by_curve.loc["truth"]
        ax.plot(truth["value"], truth["shown"], drawstyle="steps-post", solid_capstyle="butt", **_OF_TRUTH)
        for name, line in of_curves.items():
            ax.plot(by_curve.loc[name, "value"], by_curve.loc[name, "shown"], **line)
        ax.axhline(1 - alpha, color=REFERENCE, linewidth=0.8, linestyle=":")
        of = quantiles[(quantiles["world"] == worlds[i]) & (quantiles["n"] == sizes[j])]
        mark = of[of["approximation"] == "regression"].iloc[0]
        ax.hlines(1 - alpha, mark["low"], mark["high"], color=_OF_REGRESSION["color"], linewidth=2.5, zorder=3)
        ax.scatter(mark["quantile"], 1 - alpha, s=32, zorder=4, **_OF_REGRESSION)
        ax.scatter(mark["truth"], 1 - alpha, color=INK, marker="d", s=42, zorder=5)
        ax.set(yscale="log", ylim=(_LOWEST, 1.15), xlim=(0, here["value"].max()))
        ax.set_yticks([0.01, 0.05, 0.2, 1], ["0.01", "0.05", "0.2", "1"])
        ax.minorticks_off()
        ax.set_title(f"{worlds[i]}, n = {sizes[j]}", fontsize=9.5)
        ax.set(xlabel="n MMD²" if i == len(worlds) - 1 else "", ylabel="" if j else "probability of more")
    diamond = Line2D([], [], color=INK, marker="d", linestyle="", markersize=7)
    handles = [Line2D([], [], **_OF_TRUTH), diamond, Line2D([], [], markersize=6, linewidth=2.5, **_OF_REGRESSION)]
    handles += [Line2D([], [], **line) for line in of_curves.values()]
    legend_above(fig, handles, ["truth", f"its {alpha:g} quantile", "that of the regression", *_OF_CURVES])
    return plain(fig)


def cherry_picks(picks: pd.DataFrame, names: Sequence[str]) -> Figure:
    """Draw how often each method wins if experiments are drawn, and if they are chosen for it."""
    fig, axes = panels(2, 3.6, sharey=True)
    shown = {"drawn": "Drawn at random", "picked": "Chosen after the results are known"}
    for ax, (column, title) in zip(axes, shown.items(), strict=True):
        ends = []
        for (method, part), look in zip(picks.groupby("method"), looks(names).values(), strict=True):
            ax.plot(part["k"], part[column], markersize=5, linewidth=1.5, **look.of_line())
            ends.append((float(part[column].iloc[-1]), names[int(method)], look.color))
        ax.set(title=title, xlabel="experiments that are reported, k", ylim=(-0.03, 1.04))
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.0f} %"))
        name_lines(ax, ends)
    axes[0].set_ylabel("studies that the method wins")
    return plain(fig)


def ends_of_studies(studies: pd.DataFrame, truth: float, alpha: float) -> Figure:
    """Draw with how many experiments studies end under each policy, and how generalizable studies of that size are."""
    policies = list(dict.fromkeys(studies["policy"]))
    fig, axes = panels(2, 0.9 + 0.55 * max(len(policies), 3), sharey=True)
    places = np.arange(len(policies))[::-1]
    of_columns = (
        ("n", "experiments at the end", truth, "n*"),
        ("generalizability", "n-generalizability of random studies of that size", alpha, "α"),
    )
    boxes: dict[str, Any] = {"orientation": "horizontal", "widths": 0.5, "whis": (5, 95), "showfliers": False}
    boxes |= {"patch_artist": True, "boxprops": {"facecolor": tint(ACCENT, 0.65), "edgecolor": ACCENT}}
    for ax, (column, label, wanted, name) in zip(axes, of_columns, strict=True):
        groups = [studies.loc[studies["policy"] == policy, column].to_numpy() for policy in policies]
        ax.boxplot(groups, positions=places, medianprops={"color": INK}, **boxes)
        ax.scatter([group.mean() for group in groups], places, color=CONTRAST, s=30, zorder=3)
        ax.axvline(wanted, color=REFERENCE, linestyle="--", linewidth=1.2)
        where: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "xytext": (4, 2), "fontsize": SMALL + 1}
        where |= {"textcoords": "offset points", "annotation_clip": False}
        ax.annotate(f"{name} = {wanted:g}", (wanted, 1), **where)
        ax.set(xlabel=label, ylim=(-0.6, len(policies) - 0.4))
        ax.set_yticks(places, policies)
        ax.grid(visible=False, axis="y")
    return plain(fig)
