"""Figures of effects in populations of processing systems: tidy frames and results in, a figure out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import PercentFormatter

from genexpy_nb.causal.effects import TreatmentEffect
from genexpy_nb.causal.rounding import digits_after_point
from genexpy_nb.plots.layout import intervals, legend_above, name_lines, panels, reach, share_interval
from genexpy_nb.plots.style import (
    ACCENT,
    CONTRAST,
    INK,
    LOOKS,
    REFERENCE,
    SMALL,
    for_text,
    labels,
    log_counts,
    looks,
    plain,
    signed,
    tint,
)


def effect_distribution(
    effects: pd.DataFrame, mean: float, loss: str = "error", bins: int = 40, unit: str = "systems"
) -> Figure:
    """Draw the distribution of individual effects, those with the mean's sign and those with the other one apart."""
    values = effects["effect"].to_numpy(float)
    spread = float(np.abs(values).max()) or 1.0  # without any effect, bins of any width will do
    step = 2 * spread / bins
    n = int(np.ceil(bins / 2))
    edges = [spread * (i / (bins / 2)) for i in range(-n, n + 2)]  # the outermost is the spread itself, to the last bit
    same = values * np.sign(mean) >= 0
    average = signed(mean, digits_after_point(mean, at_least=3))
    fig, (ax,) = panels(1, 3.2)
    bars: dict[str, tuple[np.ndarray, dict[str, Any]]] = {
        f"sign of the mean: {np.mean(same):.0%} of {unit}": (values[same], {"facecolor": tint(ACCENT, 0.2)}),
        f"opposite sign: {np.mean(~same):.0%}": (values[~same], {"facecolor": tint(CONTRAST, 0.2), "hatch": "////"}),
    }
    for part, look in bars.values():
        ax.hist(part, bins=edges, edgecolor="white", **look)
    ax.axvline(0, color=REFERENCE, linewidth=1)
    ax.axvline(mean, color=INK, linewidth=2, linestyle="--")
    ax.set(
        xlabel=f"individual effect on {loss} (below 0: the first method is better)", ylabel=f"of {len(values)} {unit}"
    )
    low, high = reach([0, mean], values, share=0.99, margin=0)
    ax.set_xlim(low - 2 * step, high + 2 * step)
    outside = int((values < low - 2 * step).sum()), int((values > high + 2 * step).sum())
    for n, side, place in zip(outside, (-1, 1), ax.get_xlim(), strict=True):
        if n:
            end = values.min() if side < 0 else values.max()
            arrow = f"← {n} to {end:.3g}" if side < 0 else f"{n} to {end:.3g} →"
            ax.annotate(arrow, (place, ax.get_ylim()[1]), ha="left" if side < 0 else "right", va="top", fontsize=9)
    patches = [Patch(edgecolor="white", **look) for _, look in bars.values()]
    handles = [*patches, Line2D([], [], color=INK, linewidth=2, linestyle="--")]
    legend_above(fig, handles, [*bars, f"average effect {average}"])
    return plain(fig)


def effect_forest(effects: Mapping[str, TreatmentEffect], truth: float | None = None) -> Figure:
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
    height = np.arange(len(rows))[::-1]
    fig, (ax,) = panels(1, 0.9 + 0.34 * max(len(rows), 2))
    kept = [0.0] if truth is None else [0.0, truth]
    ax.set(xlim=reach(kept, [*estimates, *low, *high]), ylim=(-0.7, len(rows) - 0.3))
    seen = intervals(ax, height, estimates, low, high, [look.color for look in shown], linewidth=2.8)
    for at, estimate, look in zip(height[seen], np.array(estimates)[seen], np.array(shown)[seen], strict=True):
        ax.scatter(estimate, at, s=44, zorder=3, **look.of_points())
    ax.axvline(0, color=REFERENCE, linewidth=1)
    if truth is not None:
        line: dict[str, Any] = {"color": LOOKS["truth"].color, "linestyle": LOOKS["truth"].line, "linewidth": 1.5}
        said = f"whole population: {signed(truth, digits_after_point(truth))}"
        ax.axvline(truth, label=said, **line)
        legend_above(fig, [Line2D([], [], **line)], [said])
    ax.set_yticks(height, labels(names, 60))
    ax.set(xlabel=f"average effect on {next(iter(effects.values())).loss}")
    ax.grid(axis="y", visible=False)
    return plain(fig)


def level_forest(levels: pd.DataFrame, mean: float | None = None, xlabel: str = "average effect") -> Figure:
    """Draw the average effect within each level of some variables."""
    height = np.arange(len(levels))[::-1]
    said = (f"{variable} = {level}" for variable, level in zip(levels["variable"], levels["level"], strict=True))
    names = [f"{name}   (n = {n})" for name, n in zip(labels(said, 60), levels["n_systems"], strict=True)]
    groups = pd.factorize(levels["variable"])[0]
    fig, (ax,) = panels(1, 0.9 + 0.24 * max(len(levels), 2))
    kept = [0.0] if mean is None else [0.0, mean]
    ax.set(xlim=reach(kept, levels[["estimate", "low", "high"]]), ylim=(-0.7, len(levels) - 0.3))
    for group in np.unique(groups)[1::2]:  # every second variable has a stripe
        members = height[groups == group]
        ax.axhspan(members.min() - 0.5, members.max() + 0.5, color="0.96", zorder=0)
    seen = intervals(ax, height, levels["estimate"], levels["low"], levels["high"], ACCENT, linewidth=2.2)
    ax.scatter(levels["estimate"][seen], height[seen], color=ACCENT, s=28, zorder=3)
    ax.axvline(0, color=REFERENCE, linewidth=1)
    if mean is not None:
        ax.axvline(mean, color=INK, linestyle="--", linewidth=1.2)
        where: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "ha": "center", "va": "bottom"}
        ax.annotate(
            f"all: {signed(mean, digits_after_point(mean, at_least=3))}", (mean, 1.005), fontsize=SMALL, **where
        )
    ax.set_yticks(height, names, fontsize=SMALL)
    ax.set(xlabel=xlabel)
    ax.grid(axis="y", visible=False)
    return plain(fig)


def coverage_and_width(results: Mapping[str, pd.DataFrame], confidence: float = 0.95) -> Figure:
    """Draw how often intervals hold the truth, and how wide they are for the runs that they cost."""
    fig, (left, right) = panels(2, 3.6)
    of = looks(results)
    for i, (label, look) in enumerate(of.items()):
        frame = results[str(label)]
        shifted = frame["n_systems"] * 1.015 ** (i - (len(of) - 1) / 2)  # or bars would hide each other
        line = look.of_line() | {"markersize": 5}
        left.errorbar(shifted, frame["coverage"], 2 * frame["coverage_se"], label=label, capsize=3, **line)
        right.plot(frame["n_runs"], frame["width"], label=label, **line)
    left.axhspan(confidence - 0.02, confidence + 0.02, color="0.93", zorder=0)
    left.axhline(confidence, color=REFERENCE, linewidth=1, linestyle="--")
    lowest = min(frame["coverage"].min() for frame in results.values())
    left.set(xlabel="systems in the sample, S", ylabel=f"coverage of {confidence:.0%} intervals")
    left.set_ylim(min(0.88, lowest - 0.02), 1.0)
    left.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    left.set_title("Is the promise kept?")
    right.set(xlabel="runs (trainings)", ylabel="mean width of the interval", xscale="log", yscale="log")
    log_counts(right.xaxis)
    log_counts(right.yaxis)
    right.set_title("What a run buys")
    legend_above(fig, *right.get_legend_handles_labels())
    return plain(fig)


def miss_rate(missed: pd.DataFrame, confidence: float = 0.95) -> Figure:
    """Draw how often a test-set bootstrap misses the expected effect, and how much it underrates its uncertainty."""
    fig, (left, right) = panels(2, 3.7)
    parts = dict(list(missed.groupby("pair", sort=False))) if "pair" in missed else {"": missed}
    of = looks(parts)
    for i, (name, part) in enumerate(parts.items()):
        line = of[name].of_line() | {"linestyle": "-", "markersize": 5}
        left.plot(part["n_test"], part["miss"], label=name or None, **line)
        if "miss_low" in part:
            at = part["n_test"] + 0.008 * np.ptp(missed["n_test"]) * i  # or bars of several pairs would hide each other
            left.vlines(at, part["miss_low"], part["miss_high"], color=line["color"], alpha=0.6)
        right.plot(part["n_test"], part["sd_actual"], **line)
        right.plot(part["n_test"], part["sd_claimed"], **(line | {"linestyle": ":", "markerfacecolor": "white"}))
    left.axhline(1 - confidence, color=REFERENCE, linestyle="--", linewidth=1)
    left.set(xlabel="test documents", ylabel="intervals that miss", ylim=(0, None))
    left.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    left.set_title("Misses of the expected effect")
    right.set(xlabel="test documents", ylabel="standard deviation of the effect", ylim=(0, None))
    right.set_title("Claimed and actual uncertainty")
    entries: dict[str, Line2D] = {
        str(name): Line2D([], [], markersize=5, **(look.of_line() | {"linestyle": "-"}))
        for name, look in of.items()
        if name
    }
    entries[f"promised: {1 - confidence:.0%}"] = Line2D([], [], color=REFERENCE, linestyle="--", linewidth=1)
    entries["between compositions"] = Line2D([], [], color="0.35", marker="o", markersize=5)
    hollow: dict[str, Any] = {"marker": "o", "markersize": 5, "markerfacecolor": "white"}
    entries["claimed by the bootstrap"] = Line2D([], [], color="0.35", linestyle=":", **hollow)
    legend_above(fig, list(entries.values()), list(entries))
    return plain(fig)


def error_rates_of_pairs(rates: pd.DataFrame, level: float = 0.05) -> Figure:
    """Draw how often a bootstrap of the test documents errs, pair by pair, with Monte-Carlo intervals."""
    wide = rates.set_index(["error", "pair"])
    order = wide.loc["false_positive"].sort_values("estimate", kind="stable").index
    height = np.arange(len(order))[::-1]
    fig, axes = panels(2, 0.9 + 0.2 * max(len(order), 3), sharey=True, sharex=True)
    titles = {"false_positive": "Truth rejected (p-value)", "interval_misses": "Truth missed (interval)"}
    for ax, (error, title) in zip(axes, titles.items(), strict=True):
        part = wide.loc[error].loc[order]
        ax.hlines(height, part["low"], part["high"], color=ACCENT, linewidth=1.5, alpha=0.7)
        ax.scatter(part["estimate"], height, color=ACCENT, s=22, zorder=3)
        ax.axvline(level, color=REFERENCE, linestyle="--", linewidth=1)
        ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        ax.set(title=title, xlabel="of the compositions", xlim=(0, None), ylim=(-0.7, len(order) - 0.3))
        ax.grid(axis="y", visible=False)
    axes[0].set_yticks(height, labels(order, 60), fontsize=SMALL)
    return plain(fig)


def variance_bars(shares: pd.DataFrame) -> Figure:
    """Draw how much of the variance of a loss each variable carries."""
    height = np.arange(len(shares))[::-1]
    fig, (ax,) = panels(1, 0.9 + 0.32 * max(len(shares), 2))
    ax.barh(height, shares["with_interactions"], height=0.7, color=tint(ACCENT, 0.65), label="with interactions")
    ax.barh(height, shares["alone"], height=0.38, color=ACCENT, label="alone")
    ax.set_yticks(height, labels(shares["variable"]))
    ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.set(xlabel="share of the variance of the loss")
    ax.grid(axis="y", visible=False)
    legend_above(fig, *ax.get_legend_handles_labels())
    return plain(fig)


def tuned_or_many_bars(results: pd.DataFrame, n_studies: int | None = None) -> Figure:
    """Draw what two ways to spend the same runs give: spread of the estimate, and how often its sign is wrong."""
    fig, axes = panels(2, 3.6)
    titles = {"sd": "Spread between repetitions", "wrong_sign": "Wrong sign, beside each point the truth"}
    parts = dict(list(results.groupby("plan", sort=False)))
    of = looks(parts)
    for ax, (column, title) in zip(axes, titles.items(), strict=True):
        for plan, look in of.items():
            part = parts[plan]
            ax.plot(2 * part["n_systems"], part[column], label=str(plan), markersize=5, **look.of_line())
            if n_studies is not None:
                values = part[column].to_numpy(dtype=float)
                error = 2 * values / np.sqrt(2 * (n_studies - 1))  # of a standard deviation
                low, high = (values - error, values + error) if column == "sd" else share_interval(values, n_studies)
                ax.vlines(2 * part["n_systems"], low, high, color=look.color, linewidth=1.6, alpha=0.6)
        ax.set(xscale="log", xlabel="runs (trainings)", ylim=(0, None), title=title)
        log_counts(ax.xaxis)
    digits = digits_after_point(*results["truth"], at_least=3)
    for plan, look in of.items():
        below = look is not next(iter(of.values()))  # numbers of the first plan above its line, of others below
        for n, share, truth in parts[plan][["n_systems", "wrong_sign", "truth"]].dropna().itertuples(index=False):
            where: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "fontsize": SMALL}
            where |= {"color": for_text(look.color), "va": "top" if below else "bottom"}
            axes[1].annotate(signed(truth, digits), (2 * n, share), (0, -7 if below else 6), **where)
    axes[1].margins(x=0.1)
    axes[1].set_ylim(-0.1 * axes[1].get_ylim()[1], 1.12 * axes[1].get_ylim()[1])  # room for the numbers
    axes[0].set_ylabel("standard deviation of the estimate")
    axes[1].set_ylabel("share of studies")
    axes[1].yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    legend_above(fig, *axes[0].get_legend_handles_labels())
    return plain(fig)


def plan_curves(plan: pd.DataFrame, marks: Sequence[float] = ()) -> Figure:
    """Draw the runs that an interval width takes, paired and independent."""
    per_system = plan["n_runs_paired"] / plan["n_systems_paired"]
    fig, (ax,) = panels(1, 3.4)
    of = {"paired": LOOKS["paired"], "independent": LOOKS["independent"]}
    low, high = (plan[f"n_systems_{end}"] * per_system for end in ("low", "high"))
    ax.fill_between(plan["width"], low, high, color=of["paired"].color, alpha=0.2, linewidth=0)
    for design, look in of.items():
        ax.plot(plan["width"], plan[f"n_runs_{design}"], label=design, markersize=5, **look.of_line())
    for mark in marks:
        ax.axvline(mark, color=REFERENCE, linestyle=":", linewidth=1)
    ax.set(xlabel="width of the interval", ylabel="runs (trainings)", yscale="log")
    log_counts(ax.yaxis)
    last = plan["width"].argmax()
    name_lines(ax, [(plan[f"n_runs_{design}"].iloc[last], design, look.color) for design, look in of.items()])
    return plain(fig)
