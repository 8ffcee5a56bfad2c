"""Figures of the notebook on preliminary experiments, in the style of `genexpy_nb.plots`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from genexpy_nb.common.checks import check_columns
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.plots.layout import intervals, legend_above, panels, reach, share_interval
from genexpy_nb.plots.style import INK, LOOKS, REFERENCE, Look, labels, log_counts, looks, plain, tint

__all__ = [
    "coverage_and_width",
    "errors_by_method",
    "estimate_ratios",
    "ratio_intervals",
    "relative_errors",
    "sequential_histories",
]

_BOX: dict[str, Any] = {
    "width": 0.75,
    "linewidth": 0.8,
    "showfliers": False,
    "whis": (5, 95),
    "saturation": 1,
    "legend": False,
}


def _boxes(frame: pd.DataFrame, x: str, y: str, of: Mapping[Any, Look], ax: plt.Axes, **options: Any) -> None:
    """Draw boxes of methods beside each other, each in its colour."""
    palette = {name: tint(look.color, 0.35) for name, look in of.items()}
    sns.boxplot(frame, x=x, y=y, hue="method", hue_order=list(of), palette=palette, ax=ax, **_BOX, **options)


def _legend(fig: Figure, of: Mapping[Any, Look]) -> None:
    boxes = [Patch(facecolor=tint(look.color, 0.35), edgecolor="0.3") for look in of.values()]
    legend_above(fig, boxes, [str(name) for name in of])


def relative_errors(errors: pd.DataFrame, limit: float = 1.3) -> Figure:
    """Draw the relative error of n* from few experiments against n* from many (first version, Figure 4).

    Parameters
    ----------
    errors : DataFrame
        As returned by `genexpy_nb.generalization.preliminary.subsampling_errors`, with a column ``study`` added: a
        column of panels each.
    limit : float
        Upper end of the axis; boxes may leave it.

    Returns
    -------
    matplotlib.figure.Figure
        A row of panels per kernel, a column per study. Boxes hold configurations and draws; whiskers are the 5 % and
        95 % quantiles.

    Examples
    --------
    >>> frame = pd.DataFrame({"study": "A", "kernel": "Mallows", "size": [10, 20], "method": "moments",
    ...                       "relative_error": [0.4, 0.2]})
    >>> relative_errors(frame).axes[0].get_title()
    'A: Mallows'
    """
    check_columns(errors, ("study", "kernel", "size", "method", "relative_error"), "errors")
    studies, kernels = errors["study"].unique(), errors["kernel"].unique()
    of = looks(errors["method"].unique())
    n = len(kernels) * len(studies)
    fig, axes = panels(n, 0.15 + 1.75, len(studies), sharex=True, sharey=True)
    for i, ax in enumerate(axes):
        kernel, study = kernels[i // len(studies)], studies[i % len(studies)]
        _boxes(errors[(errors["study"] == study) & (errors["kernel"] == kernel)], "size", "relative_error", of, ax)
        ax.set(title=f"{study}: {kernel}", xlabel="", ylabel="", ylim=(0, limit))
    for ax in axes[-len(studies) :]:
        ax.set_xlabel("preliminary experiments, N")
    fig.supylabel("relative error of n*", fontsize=10)
    _legend(fig, of)
    return plain(fig)


def estimate_ratios(
    ratios: pd.DataFrame, columns: str = "n_alternatives", limits: tuple[float, float] = (0.2, 5.0)
) -> Figure:
    """Draw estimated over true n* (second version, Figure 5).

    Parameters
    ----------
    ratios : DataFrame
        As returned by `genexpy_nb.generalization.preliminary.uniform_estimates`: kernel, size, method, ratio, and
        ``columns``.
    columns : str
        Boxes of its levels stand beside each other, in groups.
    limits : (float, float)
        Of the vertical axis, which is logarithmic; boxes may leave it.

    Returns
    -------
    matplotlib.figure.Figure
        A panel per kernel, below each other. The band is a factor of 2 around the truth.

    Examples
    --------
    >>> frame = pd.DataFrame({"n_alternatives": 4, "kernel": "Mallows", "size": [10, 20], "method": "moments",
    ...                       "ratio": [0.7, 1.2]})
    >>> ax = estimate_ratios(frame).axes[0]
    >>> ax.get_title(), ax.texts[0].get_text()
    ('Mallows', '4 alternatives')
    """
    check_columns(ratios, (columns, "kernel", "size", "method", "ratio"), "ratios")
    kernels, levels = ratios["kernel"].unique(), list(ratios[columns].unique())
    sizes = sorted(ratios["size"].unique())
    of = looks(ratios["method"].unique())
    step = len(sizes) + 0.6  # a gap between the groups
    starts = step * np.arange(len(levels))
    places = ratios[columns].map(dict(zip(levels, starts, strict=True))) + ratios["size"].map(sizes.index)
    ratios = ratios.assign(place=places.astype(float))
    fig, axes = panels(len(kernels), 1.9 if len(kernels) > 1 else 3.2, 1, sharex=True, sharey=True)
    for ax, kernel in zip(axes, kernels, strict=True):
        ax.axhspan(0.5, 2, color="0.95", zorder=0)
        ax.axhline(1, color=LOOKS["truth"].color, linestyle=LOOKS["truth"].line, linewidth=1)
        _boxes(ratios[ratios["kernel"] == kernel], "place", "ratio", of, ax, native_scale=True)
        ax.set(xlabel="", ylabel="", yscale="log", ylim=limits, title=str(kernel))
        log_counts(ax.yaxis)
        ax.grid(axis="x", visible=False)
        ends = [start + len(sizes) - 0.2 for start in starts[:-1]]
        ax.vlines(ends, *limits, color="0.8", linewidth=0.8)
        for start, name in zip(starts, labels(levels, 16), strict=True):
            said = f"{name} alternatives" if columns == "n_alternatives" else name
            where: dict[str, Any] = {"ha": "center", "va": "top", "fontsize": 9, "color": "0.3"}
            ax.annotate(said, (start + (len(sizes) - 1) / 2, 0.98), xycoords=("data", "axes fraction"), **where)
    ticks = [(start + i, f"{size:g}") for start in starts for i, size in enumerate(sizes)]
    axes[-1].set_xticks([at for at, _ in ticks], [text for _, text in ticks])
    axes[-1].set(xlim=(-0.8, starts[-1] + len(sizes) - 0.2), xlabel="experiments, N")
    fig.supylabel("estimated / true n*", fontsize=10)
    _legend(fig, of)
    return plain(fig)


def ratio_intervals(ratios: pd.DataFrame, share: float = 0.9) -> Figure:
    """Draw how far estimates of n* are from the truth, all settings together: the picture of a page.

    Parameters
    ----------
    ratios : DataFrame
        As for `estimate_ratios`: size, method, ratio (> 0, may be infinite).
    share : float
        Of the estimates between the ends of a line, in (0, 1).

    Returns
    -------
    matplotlib.figure.Figure
        A line per size and method, from quantile to quantile, and its median. The band is a factor of 2 around the
        truth; an arrow, with its value, is a line that goes on.

    Raises
    ------
    StudyError
        If the frame lacks a column.

    Examples
    --------
    >>> frame = pd.DataFrame({"size": [10] * 3 + [20] * 3, "method": "moments", "ratio": [0.5, 1, 3, 0.8, 1, 1.2]})
    >>> ratio_intervals(frame).axes[0].get_ylabel()
    'estimated / true n*'
    """
    check_columns(ratios, ("size", "method", "ratio"), "ratios")
    outer = [(1 - share) / 2, 0.5, (1 + share) / 2]
    found = ratios.groupby(["method", "size"], sort=False)["ratio"].quantile(outer, interpolation="nearest").unstack()
    sizes = sorted(ratios["size"].unique())
    of = looks(ratios["method"].unique())
    fig, (ax,) = panels(1, 3.6)
    ax.axhspan(0.5, 2, color="0.95", zorder=0)
    ax.axhline(1, color=LOOKS["truth"].color, linestyle=LOOKS["truth"].line, linewidth=1)
    ax.set(yscale="log", ylim=reach([0.4, 2.5], found.to_numpy(), log=True), xlim=(-0.6, len(sizes) - 0.4))
    log_counts(ax.yaxis)
    step = min(0.22, 0.7 / len(of))
    for i, (method, look) in enumerate(of.items()):
        part = found.loc[method].reindex(sizes)
        at = np.arange(len(sizes)) + step * (i - (len(of) - 1) / 2)
        low, middle, high = part.to_numpy().T
        seen = intervals(ax, at, middle, low, high, look.color, upright=True, linewidth=4)
        ax.scatter(at[seen], middle[seen], s=60, zorder=3, edgecolors="white", **look.of_points())
    ax.set_xticks(range(len(sizes)), [f"{size:g}" for size in sizes])
    ax.set(xlabel=f"preliminary experiments, N; lines hold {100 * share:g} % of the estimates")
    ax.set_ylabel("estimated / true n*")
    ax.grid(axis="x", visible=False)
    where: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "fontsize": 9, "color": "0.3", "ha": "right"}
    ax.annotate("twice the truth", (0.995, 1.95), va="top", **where)
    ax.annotate("half of it", (0.995, 0.515), va="bottom", **where)
    legend_above(
        fig,
        [Line2D([], [], markersize=7, linewidth=4, **(look.of_line() | {"linestyle": "-"})) for look in of.values()],
        [str(method) for method in of],
    )
    return plain(fig)


def errors_by_method(summary: pd.DataFrame) -> Figure:
    """Draw the error of every estimator over the number of experiments.

    Parameters
    ----------
    summary : DataFrame
        As returned by `genexpy_nb.generalization.preliminary.summarise_errors`, with its index reset: kernel, size,
        method, rmse.

    Returns
    -------
    matplotlib.figure.Figure
        One panel per kernel, both axes logarithmic.

    Examples
    --------
    >>> frame = pd.DataFrame({"kernel": "Mallows", "size": [10, 20], "method": "moments", "rmse": [0.2, 0.1]})
    >>> errors_by_method(frame).axes[0].get_ylabel()
    'RMSE of log(estimate / true n*)'
    """
    check_columns(summary, ("kernel", "size", "method", "rmse"), "summary")
    kernels = summary["kernel"].unique()
    of = looks(summary["method"].unique())
    sizes = sorted(summary["size"].unique())
    fig, axes = panels(len(kernels), 3.6 if len(kernels) <= 2 else 2.55, sharex=True, sharey=True)
    for i, (ax, kernel) in enumerate(zip(axes, kernels, strict=True)):
        for method, look in of.items():
            part = summary[(summary["kernel"] == kernel) & (summary["method"] == method)].sort_values("size")
            if len(part):
                ax.plot(part["size"], part["rmse"], label=str(method), markersize=5.5, linewidth=1.5, **look.of_line())
        ax.set(xscale="log", yscale="log", title=str(kernel))
        ax.set_xticks(sizes, [str(size) for size in sizes])
        ax.minorticks_off()
        log_counts(ax.yaxis)
        if i >= len(axes) - 2:
            ax.set_xlabel("experiments, N")
    if len(kernels) > 2:
        fig.supylabel("RMSE of log(estimate / true n*)", fontsize=10)
    else:
        axes[0].set_ylabel("RMSE of log(estimate / true n*)")
    legend_above(fig, [Line2D([], [], markersize=6, **look.of_line()) for look in of.values()], [str(m) for m in of])
    return plain(fig)


def coverage_and_width(summary: pd.DataFrame, hue: str, n_studies: int) -> Figure:
    """Draw how often intervals hold the truth, and how wide they are.

    Parameters
    ----------
    summary : DataFrame
        As returned by `genexpy_nb.generalization.preliminary.summarise_errors`, with its index reset: kernel, size,
        coverage, width and ``hue``.
    hue : str
        One line per level of it.
    n_studies : int
        Simulated studies behind each coverage, for its Monte Carlo interval (95 %, Wilson).

    Returns
    -------
    matplotlib.figure.Figure
        Coverage on the left, median of high / low on the right; one row per kernel. The band is 92 % to 98 %.

    Examples
    --------
    >>> frame = pd.DataFrame({"kernel": "Mallows", "size": [10, 20], "n_alternatives": 4, "coverage": [0.93, 0.96],
    ...                       "width": [2.0, 1.5]})
    >>> [ax.get_ylabel() for ax in coverage_and_width(frame, "n_alternatives", 100).axes]
    ['coverage', 'width, high / low']
    """
    check_columns(summary, ("kernel", "size", "coverage", "width", hue), "summary")
    kernels, levels, sizes = summary["kernel"].unique(), summary[hue].unique(), sorted(summary["size"].unique())
    of = looks(levels)
    fig, axes = panels(2 * len(kernels), 1.9 if len(kernels) > 1 else 3.4, sharex=True)
    title = hue.replace("n_alternatives", "alternatives").replace("_", " ")
    for left, right, kernel in zip(axes[::2], axes[1::2], kernels, strict=True):
        left.axhspan(0.92, 0.98, color="0.93", zorder=0)
        left.axhline(0.95, color=REFERENCE, linestyle="--", linewidth=1)
        for i, (level, look) in enumerate(of.items()):
            shown = summary[(summary["kernel"] == kernel) & (summary[hue] == level)].sort_values("size")
            coverage = shown["coverage"].to_numpy(dtype=float)
            ends = share_interval(coverage, n_studies)
            # side by side, or the Monte Carlo intervals would hide each other
            place = shown["size"] * 1.05 ** (i - (len(levels) - 1) / 2)
            point: dict[str, Any] = {"color": look.color, "marker": look.marker, "linestyle": "", "label": str(level)}
            left.errorbar(place, coverage, [coverage - ends[0], ends[1] - coverage], markersize=4.5, **point)
            right.plot(shown["size"], shown["width"].astype(float), markersize=4.5, linewidth=1.2, **look.of_line())
        left.set(title=str(kernel), xscale="log", ylabel="coverage")
        right.set(yscale="log", ylabel="width, high / low")
        log_counts(right.yaxis)
    for ax in axes[-2:]:
        ax.set_xticks(sizes, [str(size) for size in sizes])
        ax.set_xlim(sizes[0] / 1.2, sizes[-1] * 1.2)  # a single size alone would leave the axis no width
        ax.minorticks_off()
        ax.set_xlabel("experiments, N")
    limits = [ax.get_ylim() for ax in axes]
    for side in (0, 1):
        low, high = (end(limit[i] for limit in limits[side::2]) for i, end in enumerate((min, max)))
        for ax in axes[side::2]:
            ax.set_ylim(low, min(high, 1.005) if side == 0 else high)
    handles = [Line2D([], [], markersize=6, **look.of_line()) for look in of.values()]
    legend_above(fig, handles, [str(level) for level in levels], title=title)
    return plain(fig)


def sequential_histories(histories: Mapping[str, pd.DataFrame], marks: Sequence[float] = ()) -> Figure:
    """Draw how the estimate of n* develops while experiments are run.

    Parameters
    ----------
    histories : dict of str to DataFrame
        The ``history`` of a `genexpy_nb.generalization.sequential.SequentialStudy` for each title.
    marks : sequence of float
        Values of n* to draw as horizontal lines.

    Returns
    -------
    matplotlib.figure.Figure
        Estimates with intervals; the study has enough experiments where they come below the diagonal.

    Raises
    ------
    ParameterError
        If there is no history.
    StudyError
        If a history lacks a column.

    Examples
    --------
    >>> history = pd.DataFrame({"n_experiments": [5, 10], "nstar": [8.0, 9.0], "low": [2.0, 6.0], "high": [40.0, 14.0]})
    >>> sequential_histories({"a study": history}).axes[0].get_title()
    'a study'
    """
    if not histories:
        raise ParameterError("histories must hold at least one study")
    for title, history in histories.items():
        check_columns(history, ("n_experiments", "nstar", "low", "high"), f"the history of {title!r}")
    look = LOOKS["moments"]
    fig, axes = panels(len(histories), 3.6 if len(histories) <= 2 else 2.7, sharex=True, sharey=True)
    longest = max(history["n_experiments"].max() for history in histories.values())
    ends = np.concatenate([history[["nstar", "low", "high"]].to_numpy().ravel() for history in histories.values()])
    limits = reach([1, longest, *marks], ends, log=True, share=0.9)
    for ax, (title, history) in zip(axes, histories.items(), strict=True):
        ax.set(xlim=(0, longest + 4), yscale="log", ylim=limits, title=str(title))
        diagonal = np.linspace(1, longest + 4, 200)  # a curve: only one of the axes is logarithmic
        ax.plot(diagonal, diagonal, color=REFERENCE, linestyle=":", linewidth=1)
        for mark in marks:
            ax.axhline(mark, color=LOOKS["truth"].color, linestyle=LOOKS["truth"].line, linewidth=1)
        at, nstar = history["n_experiments"].to_numpy(), history["nstar"].to_numpy()
        seen = intervals(ax, at, nstar, history["low"], history["high"], look.color, upright=True, linewidth=2.4)
        ax.plot(at[seen], nstar[seen], markersize=6, **(look.of_line() | {"linestyle": ""}))
        if seen[-1]:
            ax.plot(at[-1], nstar[-1], "*", color=INK, markersize=15, markeredgecolor="white")
        log_counts(ax.yaxis)
    for i, ax in enumerate(axes):
        ax.set(ylabel="" if i % 2 else "n*", xlabel="experiments run, N" if i >= len(axes) - 2 else "")
    entries = {
        "n* = N": Line2D([], [], color=REFERENCE, linestyle=":", linewidth=1),
        "n*, interval of nominal 95 %": Line2D([], [], markersize=6, linewidth=2.4, **look.of_line()),
        "the study ends": Line2D([], [], marker="*", color=INK, markersize=13, linestyle=""),
    }
    if len(marks):
        of_all = LOOKS["truth"]
        entries["n* of all experiments"] = Line2D([], [], linewidth=1, **(of_all.of_line() | {"marker": ""}))
    legend_above(fig, list(entries.values()), list(entries))
    return plain(fig)
