"""Figures of effects in populations of processing systems: tidy frames and results in, a figure out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from genexpy_nb.causal.effects import TreatmentEffect
from genexpy_nb.common.prose import digits_after_point
from genexpy_nb.plots.layout import intervals, legend_above, named_rows, panels, reach
from genexpy_nb.plots.style import ACCENT, CONTRAST, INK, LOOKS, REFERENCE, looks, plain, signed, tint


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
    """Draw estimates with their intervals, and the truth that they estimate."""
    shown = list(looks(f"{label}, {effect.design}" for label, effect in effects.items()).values())
    ends = np.array([(effect.estimate, effect.low, effect.high) for effect in effects.values()])
    estimates, low, high = ends.T
    height = np.arange(len(ends))
    fig, (ax,) = named_rows(effects, 0.9)
    ax.set_xlim(reach([0.0, truth], ends))
    for at in height[intervals(ax, height, estimates, low, high, [look.color for look in shown], linewidth=2.8)]:
        ax.scatter(estimates[at], at, s=44, zorder=3, **shown[at].of_points())
    ax.axvline(0, color=REFERENCE, linewidth=1)
    line: dict[str, Any] = {"color": LOOKS["truth"].color, "linestyle": LOOKS["truth"].line, "linewidth": 1.5}
    ax.axvline(truth, **line)
    said = signed(truth, digits_after_point(truth, at_least=1))
    legend_above(fig, [Line2D([], [], **line)], [f"whole population: {said}"])
    ax.set_xlabel(f"average effect on {next(iter(effects.values())).loss}")
    return plain(fig)
