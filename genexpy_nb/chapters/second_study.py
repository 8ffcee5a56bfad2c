"""What notebook 10 needs: how good ways to estimate an agreement are, and what counting one random factor claims."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from genexpy_nb.plots.layout import count_ticks, curve_with_band, legend_above, panels, share_interval, spread_out
from genexpy_nb.plots.style import CONTRAST, LOOKS, SMALL, WIDTH, for_text, labels, plain

#: What the benchmark calls the estimator of this package.
OURS = "ours"

_LOWEST = 0.9  # coverage of a nominal 95 % interval; below it is bold
_MEASURES = {
    "bias": "bias of the estimate",
    "rms": "its root mean square error",
    "coverage": "coverage of the interval",
    "width": "width of the interval",
}


def measured_methods() -> pd.DataFrame:
    """Return how good nine ways were to estimate the agreement of two studies, in simulated worlds."""
    return pd.read_csv(Path(__file__).with_name("methods.csv"))


def agreement_by_method(frame: pd.DataFrame) -> Figure:
    """Draw how well each method estimates one agreement for one n, world by world: numbers with colours."""
    methods, worlds = list(frame["method"].unique()), list(frame["world"].unique())
    size = (WIDTH, 7.2 + 0.84 * max(len(worlds), 2))
    fig, axes = plt.subplots(4, 1, figsize=size, sharey=True, layout="constrained")
    for ax, (measure, title) in zip(axes.flat, _MEASURES.items(), strict=True):
        values = frame.pivot(index="world", columns="method", values=measure).loc[worlds, methods].to_numpy(dtype=float)
        _heat(ax, values, measure)
        ax.set_title(title, fontsize=9.5)
        ax.set_xticks(np.arange(len(methods)) + 0.5, labels(methods, 18), rotation=90, fontsize=8, parse_math=False)
        ax.set_yticks(np.arange(len(worlds)) + 0.5, labels(worlds, 24), rotation=0, fontsize=8, parse_math=False)
        ax.tick_params(length=0)
    known = frame.dropna(subset="coverage")
    low, high = share_interval(known["coverage"], known["n_samples"])
    widest = np.maximum(known["coverage"] - low, high - known["coverage"]).max()
    first = frame.iloc[0]
    said = f"{first['conclusion']}, n = {first['n']:,}; bold: coverage below {_LOWEST:.2f}; "
    said += f"Monte-Carlo intervals of a coverage reach at most {widest:.2f} from it"
    said += "; –: none" if frame[list(_MEASURES)].isna().to_numpy().any() else ""
    fig.supxlabel(said, fontsize=9, parse_math=False)
    return plain(fig)


def _heat(ax: plt.Axes, values: np.ndarray, measure: str) -> None:
    """Draw one measure: numbers in cells, the darker the worse."""
    shade = 0.95 - values if measure == "coverage" else values
    if measure == "bias":
        options: dict[str, Any] = {"cmap": sns.diverging_palette(250, 40, s=85, l=60, as_cmap=True), "vmin": -0.5}
    else:
        colour = "0.5" if measure == "width" else CONTRAST
        options = {"cmap": sns.light_palette(colour, as_cmap=True), "vmin": 0}
    sign = "+" if measure == "bias" else ""
    # Adding 0 makes 0 of -0.
    text = np.array([[f"{round(value, 2) + 0.0:{sign}.2f}" for value in row] for row in values])
    most = 1.0 if measure == "width" else 0.5
    # With labels of its own, the heat map would draw the whole figure each time.
    options |= {"xticklabels": False, "yticklabels": False, "cbar": False, "linewidths": 0.6}
    options |= {"annot": text, "fmt": "", "annot_kws": {"fontsize": SMALL, "color": "black"}}
    sns.heatmap(np.clip(shade, -most, most), ax=ax, vmax=most, **options)
    for number in ax.texts:  # what is bold follows the number that is read
        if measure == "coverage" and float(number.get_text()) < _LOWEST:
            number.set_fontweight("bold")
    for row, column in np.argwhere(np.isnan(values)):
        ax.text(column + 0.5, row + 0.5, "–", ha="center", va="center", fontsize=SMALL)
    ax.set_facecolor("0.96")


def fixed_factor(frame: pd.DataFrame, factors: Sequence[str], n_fixed: int) -> Figure:
    """Draw what counting one random factor claims, beside what holds when the other is drawn again, too."""
    counted, other = labels(factors, 24)
    frame = frame.sort_values("n")
    of = {
        "one_factor": (f"counting {counted} only", LOOKS["one factor"]),
        "predicted": (f"{other} drawn again, too: predicted", LOOKS["predicted"]),
        "truth": (f"{other} drawn again, too: true", LOOKS["truth"]),
    }
    fig, (ax,) = panels(1, 3.9)
    shown = {column: each for column, each in of.items() if column in frame}
    entries: dict[str, Any] = {}
    for column, (name, look) in shown.items():
        curve_with_band(ax, frame, look, column, band=column == "predicted" and "low" in frame)
        entries[name] = Line2D([], [], markersize=5, **look.of_line())
    if "low" in frame:
        entries["its interval"] = Patch(color=LOOKS["predicted"].color, alpha=0.2, linewidth=0)
    last = frame.iloc[-1]
    for (column, (_, look)), height in zip(
        shown.items(), spread_out([last[column] for column in shown], 0.07), strict=True
    ):
        where: dict[str, Any] = {"xytext": (8, 0), "textcoords": "offset points", "va": "center", "fontsize": 10}
        where |= {"color": for_text(look.color), "fontweight": "bold", "annotation_clip": False}
        ax.annotate(f"{last[column]:.2f}", (last["n"], height), **where)
    low, high = frame["n"].min(), frame["n"].max()
    ax.set(xscale="log", xlim=(low / 1.1, high * max(1.1, (high / low) ** 0.08)), ylim=(-0.02, 1.05))
    ax.set(xlabel=f"levels of {counted} in a study, n", ylabel="n-generalizability")
    count_ticks(ax, frame["n"])
    levels = "1 level" if n_fixed == 1 else f"{n_fixed:,.10g} levels"
    ax.set_title(f"How often two studies agree, each with {levels} of {other}")
    legend_above(fig, list(entries.values()), list(entries))
    return plain(fig)
