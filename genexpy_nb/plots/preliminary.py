"""Figures of the notebook on preliminary experiments, in the style of `genexpy_nb.plots`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from statsmodels.stats.proportion import proportion_confint

from genexpy_nb.common.checks import check_columns
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.plots.style import REFERENCE, WIDTH, log_counts, plain

__all__ = ["coverage_and_width", "errors_by_method", "estimate_ratios", "relative_errors", "sequential_histories"]

_BOX = {"width": 0.75, "linewidth": 0.8, "showfliers": False, "whis": (5, 95)}


def _legend_below(fig: Figure, ax: plt.Axes, n_labels: int) -> None:
    fig.legend(*ax.get_legend_handles_labels(), loc="outside upper center", ncols=n_labels)
    for each in fig.axes:
        legend = each.get_legend()
        if legend is not None:
            legend.remove()


def relative_errors(errors: pd.DataFrame, limit: float = 1.3) -> Figure:
    """Draw the relative error of n* from few experiments against n* from many (first version, Figure 4).

    Parameters
    ----------
    errors : DataFrame
        As returned by `genexpy_nb.generalization.preliminary.subsampling_errors`, with a column ``study`` added: a row
        of panels each.
    limit : float
        Upper end of the axis; boxes may leave it.

    Returns
    -------
    matplotlib.figure.Figure
        A column of panels per kernel. Boxes hold configurations and draws; whiskers are the 5 % and 95 % quantiles.

    Examples
    --------
    >>> frame = pd.DataFrame({"study": "A", "kernel": "Mallows", "size": [10, 20], "method": "moments",
    ...                       "relative_error": [0.4, 0.2]})
    >>> relative_errors(frame).axes[0].get_title()
    'A: Mallows'
    """
    check_columns(errors, ("study", "kernel", "size", "method", "relative_error"), "errors")
    studies, kernels = errors["study"].unique(), errors["kernel"].unique()
    fig, axes = plt.subplots(
        len(studies),
        len(kernels),
        figsize=(WIDTH, 0.7 + 2.3 * len(studies)),
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    for row, study in zip(axes, studies, strict=True):
        for ax, kernel in zip(row, kernels, strict=True):
            shown = errors[(errors["study"] == study) & (errors["kernel"] == kernel)]
            sns.boxplot(shown, x="size", y="relative_error", hue="method", ax=ax, **_BOX)
            ax.set(title=f"{study}: {kernel}", xlabel="", ylabel="relative error of n*", ylim=(0, limit))
    for ax in axes[-1]:
        ax.set_xlabel("preliminary experiments, N")
    _legend_below(fig, axes[0, 0], errors["method"].nunique())
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
        A column of panels per level of it.
    limits : (float, float)
        Of the vertical axis, which is logarithmic; boxes may leave it.

    Returns
    -------
    matplotlib.figure.Figure
        A row of panels per kernel. The band is a factor of 2 around the truth.

    Examples
    --------
    >>> frame = pd.DataFrame({"n_alternatives": 4, "kernel": "Mallows", "size": [10, 20], "method": "moments",
    ...                       "ratio": [0.7, 1.2]})
    >>> estimate_ratios(frame).axes[0].get_title()
    'Mallows, 4 alternatives'
    """
    check_columns(ratios, (columns, "kernel", "size", "method", "ratio"), "ratios")
    kernels, levels = ratios["kernel"].unique(), ratios[columns].unique()
    fig, axes = plt.subplots(
        len(kernels),
        len(levels),
        figsize=(WIDTH, 0.7 + 2.1 * len(kernels)),
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    for row, kernel in zip(axes, kernels, strict=True):
        for ax, level in zip(row, levels, strict=True):
            shown = ratios[(ratios["kernel"] == kernel) & (ratios[columns] == level)]
            ax.axhspan(0.5, 2, color="0.95", zorder=0)
            ax.axhline(1, color=REFERENCE, linestyle="--", linewidth=1)
            sns.boxplot(shown, x="size", y="ratio", hue="method", ax=ax, **_BOX)
            ax.set(xlabel="", ylabel="estimated / true n*", yscale="log", ylim=limits)
            ax.set_title(f"{kernel}, {level} alternatives" if columns == "n_alternatives" else f"{kernel}, {level}")
            ax.title.set_fontsize(8.5)
            log_counts(ax.yaxis)
    for ax in axes[-1]:
        ax.set_xlabel("experiments, N")
    _legend_below(fig, axes[0, 0], ratios["method"].nunique())
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
    fig, axes = plt.subplots(1, len(kernels), figsize=(WIDTH, 3.6), sharex=True, sharey=True, squeeze=False)
    for ax, kernel in zip(axes[0], kernels, strict=True):
        shown = summary[summary["kernel"] == kernel]
        sns.lineplot(
            shown, x="size", y="rmse", hue="method", style="method", markers=True, dashes=False, ax=ax, estimator=None
        )
        ax.set(xscale="log", yscale="log", title=kernel, xlabel="experiments, N")
        ax.set_xticks(sorted(shown["size"].unique()), [str(size) for size in sorted(shown["size"].unique())])
        ax.minorticks_off()
        log_counts(ax.yaxis)
        ax.set_ylabel("RMSE of log(estimate / true n*)")
    _legend_below(fig, axes[0, 0], min(summary["method"].nunique(), 6))
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
        Coverage above, median of high / low below; one column per kernel. The band is 92 % to 98 %.

    Examples
    --------
    >>> frame = pd.DataFrame({"kernel": "Mallows", "size": [10, 20], "n_alternatives": 4, "coverage": [0.93, 0.96],
    ...                       "width": [2.0, 1.5]})
    >>> [ax.get_ylabel() for ax in coverage_and_width(frame, "n_alternatives", 100).axes]
    ['coverage', 'width, high / low']
    """
    check_columns(summary, ("kernel", "size", "coverage", "width", hue), "summary")
    kernels, levels, sizes = summary["kernel"].unique(), summary[hue].unique(), sorted(summary["size"].unique())
    fig, axes = plt.subplots(2, len(kernels), figsize=(WIDTH, 5), sharex=True, sharey="row", squeeze=False)
    for (upper, lower), kernel in zip(axes.T, kernels, strict=True):
        upper.axhspan(0.92, 0.98, color="0.93", zorder=0)
        upper.axhline(0.95, color=REFERENCE, linestyle="--", linewidth=1)
        for i, level in enumerate(levels):
            shown = summary[(summary["kernel"] == kernel) & (summary[hue] == level)].sort_values("size")
            coverage = shown["coverage"].to_numpy(dtype=float)
            ends = np.array(proportion_confint(coverage * n_studies, n_studies, method="wilson"))
            # side by side, or the Monte Carlo intervals would hide each other
            place = shown["size"] * 1.05 ** (i - (len(levels) - 1) / 2)
            upper.errorbar(
                place,
                coverage,
                np.maximum([coverage - ends[0], ends[1] - coverage], 0),
                fmt="o",
                markersize=4,
                linewidth=1,
                label=str(level),
            )
            lower.plot(shown["size"], shown["width"].astype(float), "o-", markersize=4, linewidth=1)
        upper.set(title=kernel, xscale="log")
        lower.set(yscale="log", xlabel="experiments, N")
        lower.set_xticks(sizes, [str(size) for size in sizes])
        lower.set_xlim(sizes[0] / 1.2, sizes[-1] * 1.2)  # a single size alone would leave the axis no width
        lower.minorticks_off()
        log_counts(lower.yaxis)
    axes[0, 0].set_ylabel("coverage")
    axes[1, 0].set_ylabel("width, high / low")
    title = hue.replace("n_alternatives", "alternatives").replace("_", " ")
    fig.legend(*axes[0, 0].get_legend_handles_labels(), title=title, loc="outside upper center", ncols=len(levels))
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
    fig, axes = plt.subplots(1, len(histories), figsize=(WIDTH, 3.6), sharex=True, sharey=True, squeeze=False)
    longest = max(history["n_experiments"].max() for history in histories.values())
    finite = np.concatenate([history["high"].replace(np.inf, np.nan).dropna() for history in histories.values()])
    top = 1.3 * max(np.quantile(finite, 0.9) if len(finite) else 0, longest, *marks, 0)
    for ax, (title, history) in zip(axes[0], histories.items(), strict=True):
        diagonal = np.linspace(1, longest + 4, 200)  # a curve: only one of the axes is logarithmic
        ax.plot(diagonal, diagonal, color=REFERENCE, linestyle=":", linewidth=1, label="n* = N")
        for mark in marks:
            ax.axhline(mark, color="C2", linestyle="--", linewidth=1, label="n* of all experiments")
        ax.vlines(
            history["n_experiments"], history["low"], history["high"].clip(upper=2 * top), color="C0", linewidth=2
        )
        ax.plot(
            history["n_experiments"],
            history["nstar"],
            "o",
            color="C0",
            markersize=5,
            label="n*, interval of nominal 95 %",
        )
        last = history.iloc[-1]
        ax.plot(last["n_experiments"], last["nstar"], "*", color="C3", markersize=14, label="the study ends")
        ax.set(title=title, xlabel="experiments run, N", ylabel="n*", xlim=(0, longest + 4), yscale="log")
        ax.set_ylim(1, top)
        log_counts(ax.yaxis)
    fig.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    return plain(fig)
