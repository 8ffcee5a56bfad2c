"""Figures of effects in populations of processing systems: tidy frames and results in, a figure out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import PercentFormatter

from genexpy_nb.causal.effects import TreatmentEffect
from genexpy_nb.causal.rounding import digits_after_point
from genexpy_nb.plots.layout import intervals, legend_above, name_lines, named_rows, panels, reach, say_below
from genexpy_nb.plots.style import (
    ACCENT,
    CONTRAST,
    INK,
    LOOKS,
    REFERENCE,
    labels,
    log_counts,
    looks,
    plain,
    signed,
    tint,
)


def effect_distribution(effects: pd.DataFrame, mean: float, loss: str = "error", bins: int = 40) -> Figure:
    """Draw the distribution of individual effects, those with the mean's sign and those with the other one apart."""
    values = effects["effect"].to_numpy(float)
    spread = float(np.abs(values).max()) or 1.0  # without any effect, bins of any width will do
    step = 2 * spread / bins
    n = int(np.ceil(bins / 2))
    edges = [spread * (i / (bins / 2)) for i in range(-n, n + 2)]  # the outermost is the spread itself, to the last bit
    same = values * np.sign(mean) >= 0
    average = signed(mean, digits_after_point(mean, at_least=1))
    fig, (ax,) = panels(1, 2.9)
    bars: dict[str, tuple[np.ndarray, dict[str, Any]]] = {
        f"sign of the mean: {np.mean(same):.0%} of systems": (values[same], {"facecolor": tint(ACCENT, 0.2)}),
        f"opposite sign: {np.mean(~same):.0%}": (values[~same], {"facecolor": tint(CONTRAST, 0.2), "hatch": "////"}),
    }
    for part, look in bars.values():
        ax.hist(part, bins=edges, edgecolor="white", **look)
    ax.axvline(0, color=REFERENCE, linewidth=1)
    ax.axvline(mean, color=INK, linewidth=2, linestyle="--")
    ax.set(xlabel=f"individual effect on {loss}\n← first method better · second better →", ylabel="systems")
    low, high = reach([0, mean], values, share=0.99, margin=0)
    ax.set_xlim(low - 2 * step, high + 2 * step)
    outside = int((values < low - 2 * step).sum()), int((values > high + 2 * step).sum())
    for n, side, place in zip(outside, (-1, 1), ax.get_xlim(), strict=True):
        if n:
            end = values.min() if side < 0 else values.max()
            arrow = f"← {n} to {end:.3g}" if side < 0 else f"{n} to {end:.3g} →"
            ax.annotate(arrow, (place, ax.get_ylim()[1]), ha="left" if side < 0 else "right", va="top")
    patches = [Patch(edgecolor="white", **look) for _, look in bars.values()]
    handles = [*patches, Line2D([], [], color=INK, linewidth=2, linestyle="--")]
    legend_above(fig, handles, [*bars, f"average effect {average}"])
    return plain(fig)


def effect_forest(effects: Mapping[str, TreatmentEffect], truth: float) -> Figure:
    """Draw estimates with the intervals of all their methods."""
    designs = looks(f"{label}, {effect.design}" for label, effect in effects.items())
    of = dict(zip(effects, designs.values(), strict=True))
    rows = [
        (f"{label}: {test['method']}", test["estimate"], test["low"], test["high"], of[label])
        for label, effect in effects.items()
        for place, (_, test) in enumerate(effect.tests.iterrows())
        if place == 0 or test["low"] == test["low"]  # without any interval, still a point
    ]
    names, estimates, low, high, shown = (list(column) for column in zip(*rows, strict=True))
    height = np.arange(len(rows))
    fig, (ax,) = named_rows(names, 0.9)
    ax.set_xlim(reach([0.0, truth], [*estimates, *low, *high]))
    seen = intervals(ax, height, estimates, low, high, [look.color for look in shown], linewidth=2.8)
    for at, estimate, look in zip(height[seen], np.array(estimates)[seen], np.array(shown)[seen], strict=True):
        ax.scatter(estimate, at, s=44, zorder=3, **look.of_points())
    ax.axvline(0, color=REFERENCE, linewidth=1)
    line: dict[str, Any] = {"color": LOOKS["truth"].color, "linestyle": LOOKS["truth"].line, "linewidth": 1.5}
    ax.axvline(truth, **line)
    said = signed(truth, digits_after_point(truth, at_least=1))
    legend_above(fig, [Line2D([], [], **line)], [f"whole population: {said}"])
    ax.set_xlabel(f"average effect on {next(iter(effects.values())).loss}")
    return plain(fig)


def level_forest(levels: pd.DataFrame, mean: float, xlabel: str) -> Figure:
    """Draw the average effect within each level of some variables."""
    height = np.arange(len(levels))
    said = (f"{variable} = {level}" for variable, level in zip(levels["variable"], levels["level"], strict=True))
    names = [f"{name} (n = {n})" for name, n in zip(labels(said, 34), levels["n_systems"], strict=True)]
    groups = pd.factorize(levels["variable"])[0]
    fig, (ax,) = named_rows(names, 1.0)
    ax.set_xlim(reach([0.0, mean], levels[["estimate", "low", "high"]]))
    for group in np.unique(groups)[1::2]:  # every second variable has a stripe
        members = height[groups == group]
        ax.axhspan(members.min() - 0.5, members.max() + 0.5, color="0.96", zorder=0)
    seen = intervals(ax, height, levels["estimate"], levels["low"], levels["high"], ACCENT, linewidth=2.2)
    ax.scatter(levels["estimate"][seen], height[seen], color=ACCENT, s=28, zorder=3)
    ax.axvline(0, color=REFERENCE, linewidth=1)
    ax.axvline(mean, color=INK, linestyle="--", linewidth=1.2)
    where: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "ha": "center", "va": "bottom"}
    ax.annotate(f"all: {signed(mean, digits_after_point(mean, at_least=1))}", (mean, 1.005), **where)
    say_below(fig, xlabel)
    return plain(fig)


def error_rates_of_pairs(rates: pd.DataFrame) -> Figure:
    """Draw how often a bootstrap of the test documents rejects the truth, pair by pair, with Monte-Carlo intervals."""
    part = rates[rates["error"] == "false_positive"].sort_values("estimate", kind="stable")
    height = np.arange(len(part))
    fig, (ax,) = named_rows(part["pair"], 0.9)
    ax.hlines(height, part["low"], part["high"], color=ACCENT, linewidth=1.5, alpha=0.7)
    ax.scatter(part["estimate"], height, color=ACCENT, s=22, zorder=3)
    ax.axvline(0.05, color=REFERENCE, linestyle="--", linewidth=1)
    ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.set(xlabel="splits on which the test rejects the truth", xlim=(0, None))
    return plain(fig)


def tuned_or_many(results: pd.DataFrame, n_studies: int) -> Figure:
    """Draw the spread of the estimate for two ways to spend the same runs."""
    fig, (ax,) = panels(1, 2.9)
    parts = dict(list(results.groupby("plan", sort=False)))
    ends = []
    for plan, look in looks(parts).items():
        runs, sd = 2 * parts[plan]["n_systems"], parts[plan]["sd"].to_numpy(float)
        ax.plot(runs, sd, markersize=5, **look.of_line())
        error = 2 * sd / np.sqrt(2 * (n_studies - 1))  # of a standard deviation
        ax.vlines(runs, sd - error, sd + error, color=look.color, linewidth=1.6, alpha=0.6)
        ends.append((sd[-1], str(plan), look.color))
    ax.set(xscale="log", xlabel="training runs", ylabel="s.d. of the estimate, points", ylim=(0, None))
    log_counts(ax.xaxis)
    name_lines(ax, ends)
    return plain(fig)
