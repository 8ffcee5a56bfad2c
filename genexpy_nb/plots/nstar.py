"""Figures of generalizability: n* over its parameters, the power law, plans, and repeated estimates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from genexpy_nb.common.errors import StudyError
from genexpy_nb.generalization.resampling import PowerLaw
from genexpy_nb.plots import style
from genexpy_nb.plots.layout import intervals, legend_above, named_rows, panels, reach, say_below, verdict_entries

_MOST_POINTS = 4  # configurations; more of them are a box
_AT_HAND: dict[str, Any] = {"marker": "|", "color": style.INK, "s": 220, "linewidths": 2.2, "zorder": 4}


def nstar_overview(nstar: pd.DataFrame, alpha: float = 0.95, delta: float = 0.05) -> Figure:
    """Draw how n* depends on alpha and on delta, each while the other is held (the papers' Figure 3), by kernel."""
    kernels = nstar["kernel"].unique()
    names = dict(zip(kernels, style.labels(kernels), strict=True))
    of = {names[kernel]: look for kernel, look in style.looks(kernels).items()}
    endless = np.isinf(nstar["nstar"])
    nstar = nstar.assign(kernel=nstar["kernel"].map(names))[~endless]
    most = nstar.groupby(["kernel", "alpha", "delta"]).size().max()
    fig, axes = panels(2, 2.7, sharey=True)
    fig.set_layout_engine("constrained", hspace=0.05)
    sides = (("alpha", "delta", delta, "probability wanted, α"), ("delta", "alpha", alpha, "tolerance, δ"))
    for ax, (x, held, level, label) in zip(axes, sides, strict=True):
        shown = nstar[np.isclose(nstar[held], level)]
        where: dict[str, Any] = {"x": x, "y": "nstar", "hue": "kernel", "hue_order": [*of], "ax": ax, "legend": False}
        where |= {"log_scale": (None, 10), "palette": {name: look.color for name, look in of.items()}}
        if most > _MOST_POINTS:
            sns.boxplot(shown, width=0.75, linewidth=1.2, fliersize=2, fill=False, **where)
        else:
            sns.stripplot(shown, dodge=True, jitter=False, size=6, **where)
        title = f"{'δ' if held == 'delta' else 'α'} = {level:g}"
        ax.set(xlabel=label, ylabel="experiments needed, n*", title=title)
        style.log_counts(ax.yaxis)
    legend_above(fig, [Patch(facecolor="none", edgecolor=look.color) for look in of.values()], list(of))
    if endless.any():
        say_below(fig, f"not shown: {endless.sum():,} infinite estimates of {len(endless):,}")
    return style.plain(fig)


def power_law(law: PowerLaw, moments: float | None = None) -> Figure:
    """Draw the published estimate of n* step by step (second version, Figure 2), and that by moments beside it."""
    fig, (left, right) = panels(2, 2.7)
    fig.set_layout_engine("constrained", hspace=0.05)
    norm = mpl.colors.Normalize(law.n[0], law.n[-1])
    colours = mpl.colormaps["flare"]
    share = np.arange(1, law.distances.shape[1] + 1) / law.distances.shape[1]
    for n, distances in zip(law.n, law.distances, strict=True):
        left.step(distances, share, where="post", color=colours(norm(n)), linewidth=1)
    left.axhline(law.alpha, color=style.REFERENCE, linestyle="--", linewidth=1)
    left.axvline(law.epsilon, color=style.REFERENCE, linestyle=":", linewidth=1)
    left.annotate(f"α = {law.alpha:g}", (0.99, law.alpha), xycoords=("axes fraction", "data"), ha="right", va="top")
    left.annotate("ε ", (law.epsilon, 0.75), xycoords=("data", "axes fraction"), ha="right")
    left.set(xlabel="MMD between two studies", ylabel="share of pairs of studies", xlim=(0, None), ylim=(0, 1.02))
    left.set_title("How often two studies look alike")
    fig.colorbar(mpl.cm.ScalarMappable(norm, colours), ax=left, label="experiments per study, n", pad=0.02)

    right.scatter(law.quantiles, law.n, c=law.n, cmap=colours, norm=norm, zorder=3, s=22)
    ends = np.array([law.quantiles.max() * 1.05, min(law.epsilon, law.quantiles.min()) * 0.9])
    if np.isfinite(law.slope):
        line = np.exp(law.intercept + law.slope * np.log(ends))
        right.plot(ends, line, color=style.REFERENCE, linewidth=1, label=f"line of slope {style.signed(law.slope, 2)}")
        right.set(xscale="log", yscale="log")
        style.log_counts(right.yaxis)
        style.log_counts(right.xaxis)
    right.axvline(law.epsilon, color=style.REFERENCE, linestyle=":", linewidth=1)
    found = [("extrapolated", law.nstar, 150, "resampling"), ("ours", moments, 34, "moments")]
    for name, nstar, size, method in found:
        if nstar is not None:
            said, of = f"{name}: {nstar:.1f}", style.LOOKS[method].of_points(hollow=True)
            right.scatter(law.epsilon, nstar, s=size, zorder=4, label=said, **of)
    right.set(xlabel=f"{law.alpha:g}-quantile of the MMD", ylabel="experiments per study, n")
    right.set_title("Where the line reaches the threshold")
    right.legend(loc="upper right")
    return style.plain(fig)


def nstar_forest(planned: pd.DataFrame, label: Sequence[str], most: int = 30) -> Figure:
    """Draw n* with its interval against the experiments run, a line per configuration, those that need most first."""
    shown, nstar = _by_need(planned, label), planned["nstar"]
    fig = _forest(shown.head(most), label, [0] * most)
    kinds = {
        "that need fewer": max(0, len(shown) - most),
        "whose n* is infinite": int(np.isinf(nstar).sum()),
        "without an estimate": int(nstar.isna().sum()),
    }
    said = ", ".join(f"{n:,} {kind}" for kind, n in kinds.items() if n)
    fig.axes[0].set_xlabel(fig.axes[0].get_xlabel() + (f"\nnot shown: {said}" if said else ""))
    return style.plain(fig)


def nstar_hero(planned: pd.DataFrame, label: Sequence[str], most: int = 6, unit: str = "experiments") -> Figure:
    """Draw a forest of the most demanding configurations, of some in the middle and of the mildest: >= 3 of them."""
    shown = _by_need(planned, label)
    n, places = len(shown), np.arange(len(shown))
    if n > most:
        last = middle = most // 3
        first = most - last - middle
        start = max(first, min((n - middle) // 2, n - last - middle))
        places = np.concatenate([places[:first], places[start : start + middle], places[n - last :]])
    return style.plain(_forest(shown.iloc[places], label, [*np.diff(places) - 1, 0], unit))


def _by_need(planned: pd.DataFrame, label: Sequence[str]) -> pd.DataFrame:
    """Return the configurations with a finite estimate, those that need most first."""
    shown = planned[np.isfinite(planned["nstar"])].sort_values(["nstar", *label])[::-1]
    if shown.empty:
        raise StudyError("column nstar has no finite estimate: there is nothing to draw")
    return shown


def _forest(shown: pd.DataFrame, label: Sequence[str], gaps: Sequence[int], unit: str = "experiments") -> Figure:
    """Draw intervals by verdict against the experiments run, on a logarithmic axis; rows say how many are left out."""
    names = shown[list(label)].astype(str).agg(" / ".join, axis=1)
    rows = [
        [name, f"{gap:,} other{'' if gap == 1 else 's'}"] if gap else [name]
        for name, gap in zip(names, gaps, strict=False)
    ]
    fig, (ax,) = named_rows([name for row in rows for name in row], 1.2)
    height = np.cumsum([0, *map(len, rows[:-1])])
    for at, row in zip(height, rows, strict=True):
        if len(row) > 1:
            ax.get_yticklabels()[at + 1].set(fontstyle="italic", color="0.4")
            ax.axhline(at + 1, color="0.75", linestyle=":", linewidth=1)
    ax.set_xscale("log")
    share = 0.95 if len(shown) > 8 else 0.9  # of few, one end must be able to lie beyond the axis
    ax.set_xlim(reach([*shown["n_experiments"]], shown[["nstar", "low", "high"]], log=True, share=share, margin=0.06))
    style.log_counts(ax.xaxis)
    of = shown["verdict"].map(style.VERDICTS).fillna(style.VERDICTS["undecided"])
    colours = [look.color for look in of]
    seen = intervals(ax, height, shown["nstar"], shown["low"], shown["high"], colours, linewidth=2.6)
    for verdict, look in style.VERDICTS.items():
        here = (of == look).to_numpy() & seen
        if here.any():
            ax.scatter(shown["nstar"][here], height[here], s=42, label=verdict, zorder=5, **look.of_points(hollow=True))
    ax.scatter(shown["n_experiments"], height, label=f"{unit} run", **_AT_HAND)
    confidence = f"{100 * shown.attrs.get('confidence', 0.95):g} %"
    known = [
        f"{letter} = {shown[name].iloc[0]:g}"
        for name, letter in (("alpha", "α"), ("delta", "δ"))
        if name in shown and shown[name].nunique() == 1
    ]
    ax.set_xlabel(f"{unit} needed, n*, with {confidence} interval" + (f"\n{', '.join(known)}" if known else ""))
    bar = Line2D([], [], marker="|", color=style.INK, markersize=11, markeredgewidth=2.2, linestyle="")
    entries = verdict_entries(shown["verdict"], style.VERDICTS) | {f"{unit} run": bar}
    legend_above(fig, list(entries.values()), list(entries))
    return fig


def estimate_histogram(estimates: np.ndarray, marks: Mapping[str, float]) -> Figure:
    """Draw repeated estimates of n*, (n_studies,), on a logarithmic axis; those above 100 medians in the last bin."""
    estimates = np.asarray(estimates, dtype=float)
    limit = 100 * float(np.median(estimates))
    beyond = int((estimates > limit).sum())
    shown = np.clip(estimates, None, limit)
    fig, (ax,) = panels(1, 3.0)
    bins = np.geomspace(shown.min() * 0.95, max(shown.max(), *marks.values()) * 1.05, 40)
    ax.hist(shown, bins=bins.tolist(), color="0.72")
    for (label, look), value in zip(style.looks(marks).items(), marks.values(), strict=True):
        ax.axvline(value, label=f"{label}: {value:.4g}", color=look.color, linestyle=look.line, linewidth=1.4)
    ax.set(xscale="log", xlabel="estimated n*", ylabel=f"estimates (of {len(estimates):,})")
    style.log_counts(ax.xaxis)
    ax.grid(axis="x", visible=False)
    if beyond:
        where: dict[str, Any] = {"xycoords": "axes fraction", "ha": "right", "va": "top"}
        ax.annotate(f"{beyond:,} above {limit:,.0f}, in the last bar", (1, 0.98), **where)
    legend_above(fig, *ax.get_legend_handles_labels())
    return style.plain(fig)
