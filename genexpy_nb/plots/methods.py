"""Figures of the notebook on methods: the truth beside every approximation, and experiments that were chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, NullFormatter

from genexpy_nb.common.checks import check_columns
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

_HEIGHT = 2.5  # inches of a row of panels
_LOWEST = 0.01
_OF_REGRESSION = LOOKS["resampling"]
_OF_CURVES = {
    "bound": LOOKS["bound"],
    "closed form, printed": LOOKS["published"],
    "closed form": LOOKS["closed-form"],
    "two moments": Look(COLOURS["sky"], "o", "--"),
    "three moments": Look(COLOURS["blue"], "o", "-"),
    "limit law": Look(COLOURS["purple"], "P", ":"),
}


def truth_and_approximations(curves: pd.DataFrame, quantiles: pd.DataFrame, alpha: float) -> Figure:
    """Draw the true distribution of n MMD_n^2 against every approximation, a row per world and a column per n."""
    check_columns(curves, ("world", "n", "curve", "value", "exceedance"), "curves")
    check_columns(quantiles, ("world", "n", "approximation", "truth", "quantile", "low", "high"), "quantiles")
    worlds, sizes = list(dict.fromkeys(curves["world"])), list(dict.fromkeys(curves["n"]))
    fig, axes = plt.subplots(
        len(worlds),
        len(sizes),
        figsize=(WIDTH, 0.9 + _HEIGHT * len(worlds)),
        layout="constrained",
        squeeze=False,
        sharey=True,
    )
    for i, world in enumerate(worlds):
        for j, n in enumerate(sizes):
            ax = axes[i, j]
            here = curves[(curves["world"] == world) & (curves["n"] == n)]
            marks = quantiles[(quantiles["world"] == world) & (quantiles["n"] == n)]
            _truth_and_curves(ax, here)
            _marks(ax, marks, alpha)
            ax.set_title(f"{world}, n = {n}", fontsize=9.5)
            ax.set_xlim(0, here["value"].max())
            if i == len(worlds) - 1:
                ax.set_xlabel("n MMD²")
            if j == 0:
                ax.set_ylabel("probability of more")
    handles = [Line2D([], [], color=tint(INK, 0.7), linewidth=5), _diamond(), _square()]
    handles += [_line(look) for look in _OF_CURVES.values()]
    names = ["truth", f"its {alpha:g} quantile", "that of the regression", *_OF_CURVES]
    legend_above(fig, handles, names)
    return plain(fig)


def _truth_and_curves(ax: plt.Axes, curves: pd.DataFrame) -> None:
    by_curve = dict(list(curves.groupby("curve", sort=False)))
    truth = by_curve["truth"]
    shown = np.maximum(truth["exceedance"], _LOWEST / 10)
    ax.plot(truth["value"], shown, color=tint(INK, 0.7), linewidth=5, drawstyle="steps-post", solid_capstyle="butt")
    for name, look in _OF_CURVES.items():
        each = by_curve[name]
        ax.plot(
            each["value"],
            np.maximum(each["exceedance"], _LOWEST / 10),
            color=look.color,
            linestyle=look.line,
            linewidth=1.6,
        )
    ax.set_yscale("log")
    ax.set_ylim(_LOWEST, 1.15)
    ax.yaxis.set_major_locator(plt.FixedLocator([0.01, 0.05, 0.2, 1]))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.yaxis.set_minor_formatter(NullFormatter())
    ax.yaxis.set_minor_locator(plt.NullLocator())


def _marks(ax: plt.Axes, quantiles: pd.DataFrame, alpha: float) -> None:
    ax.axhline(1 - alpha, color=REFERENCE, linewidth=0.8, linestyle=":")
    regression = quantiles[quantiles["approximation"] == "regression"].iloc[0]
    ax.hlines(1 - alpha, regression["low"], regression["high"], color=_OF_REGRESSION.color, linewidth=2.5, zorder=3)
    ax.scatter(regression["quantile"], 1 - alpha, color=_OF_REGRESSION.color, marker="s", s=32, zorder=4)
    ax.scatter(regression["truth"], 1 - alpha, color=INK, marker="d", s=42, zorder=5)


def _line(look: Look) -> Line2D:
    options: dict[str, Any] = {"linestyle": look.line}
    return Line2D([], [], color=look.color, linewidth=1.6, **options)


def _diamond() -> Line2D:
    return Line2D([], [], color=INK, marker="d", linestyle="", markersize=7)


def _square() -> Line2D:
    return Line2D([], [], color=_OF_REGRESSION.color, marker="s", markersize=6, linewidth=2.5)


def cherry_picks(picks: pd.DataFrame, names: Sequence[str]) -> Figure:
    """Draw how often each method wins if experiments are drawn, and if they are chosen for it."""
    check_columns(picks, ("k", "method", "picked", "drawn"), "picks")
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
    check_columns(studies, ("policy", "n", "generalizability"), "studies")
    policies = list(dict.fromkeys(studies["policy"]))
    fig, axes = panels(2, 0.9 + 0.55 * max(len(policies), 3), sharey=True)
    places = np.arange(len(policies))[::-1]
    of_columns = (
        ("n", "experiments at the end", truth, "n*"),
        ("generalizability", "n-generalizability of random studies of that size", alpha, "α"),
    )
    for ax, (column, label, wanted, name) in zip(axes, of_columns, strict=True):
        groups = [studies.loc[studies["policy"] == policy, column].to_numpy() for policy in policies]
        ax.boxplot(
            groups,
            positions=places,
            orientation="horizontal",
            widths=0.5,
            whis=(5, 95),
            showfliers=False,
            patch_artist=True,
            boxprops={"facecolor": tint(ACCENT, 0.65), "edgecolor": ACCENT},
            medianprops={"color": INK},
        )
        ax.scatter([group.mean() for group in groups], places, color=CONTRAST, s=30, zorder=3)
        ax.axvline(wanted, color=REFERENCE, linestyle="--", linewidth=1.2)
        ax.annotate(
            f"{name} = {wanted:g}",
            (wanted, 1),
            xycoords=("data", "axes fraction"),
            xytext=(4, 2),
            textcoords="offset points",
            fontsize=SMALL + 1,
            annotation_clip=False,
        )
        ax.set(xlabel=label, ylim=(-0.6, len(policies) - 0.4))
        ax.set_yticks(places, policies)
        ax.grid(visible=False, axis="y")
    return plain(fig)
