"""Figures of the notebooks on the formal model and on BIG-bench, in the style of `genexpy_nb.plots`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

from genexpy_nb.common.checks import check_columns, listed, similar
from genexpy_nb.common.errors import StudyError
from genexpy_nb.generalization.kernels import Kernel
from genexpy_nb.plots.style import REFERENCE, WIDTH, log_counts, plain

__all__ = [
    "estimates_by_size",
    "generalizability_curves",
    "kernel_matrices",
    "quantiles_over_seeds",
    "ranking_label",
    "two_studies",
]


def ranking_label(ranking: Sequence[int], names: Sequence[str] | None = None) -> str:
    """Write a ranking as text, best tier first.

    Parameters
    ----------
    ranking : sequence of int, shape (n_alternatives,)
        Dense tiers, 0 = best.
    names : list of str, optional
        Of the alternatives; 1, 2, ... by default.

    Returns
    -------
    str

    Examples
    --------
    >>> ranking_label([0, 1, 0]), ranking_label([1, 0], ["a", "b"])
    ('1=3 > 2', 'b > a')
    """
    tiers = np.asarray(ranking)
    labels = [str(i + 1) for i in range(len(tiers))] if names is None else list(names)
    tied = [[labels[i] for i in np.flatnonzero(tiers == tier)] for tier in range(int(tiers.max()) + 1)]
    return " > ".join("=".join(alike) for alike in tied)


def kernel_matrices(rankings: pd.DataFrame, kernels: Sequence[Kernel]) -> Figure:
    """Draw how similar rankings are to each other, one heat map per kernel.

    Parameters
    ----------
    rankings : DataFrame of int, shape (n_rankings, n_alternatives)
        Dense tiers, 0 = best; columns are the alternatives.
    kernels : list of kernels on rankings

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> from genexpy_nb.generalization.kernels import MallowsKernel
    >>> kernel_matrices(pd.DataFrame({"a": [0, 1], "b": [1, 0]}), [MallowsKernel()]).axes[0].get_title()
    'Mallows'
    """
    labels = [ranking_label(row) for row in rankings.to_numpy()]
    fig, axes = plt.subplots(1, len(kernels), figsize=(WIDTH, 1.1 + 0.72 * WIDTH / len(kernels)), squeeze=False)
    for i, (ax, kernel) in enumerate(zip(axes[0], kernels, strict=True)):
        image = ax.imshow(kernel.gram(rankings), vmin=0, vmax=1, cmap="viridis")
        ax.set_title(kernel.name)
        ax.set_xticks(range(len(labels)), labels, rotation=90, fontsize=7)
        ax.set_yticks(range(len(labels)), labels if i == 0 else [""] * len(labels), fontsize=7)
        ax.tick_params(length=0)
        ax.grid(visible=False)
    fig.colorbar(image, ax=list(axes[0]), label="kernel (1: alike)", shrink=0.8)
    return plain(fig)


def two_studies(
    first: pd.DataFrame,
    second: pd.DataFrame,
    observed: float,
    distances: ArrayLike,
    probabilities: ArrayLike,
    epsilon: float,
) -> Figure:
    """Draw two realizations of a study, and where their distance lies among all that could be observed.

    Parameters
    ----------
    first, second : DataFrame of int, shape (n, n_alternatives)
        Their rankings, dense tiers, 0 = best.
    observed : float
        MMD between the two.
    distances, probabilities : array_like, shape (m,)
        Values that the MMD can take, and how likely they are.
    epsilon : float
        MMD up to which two studies agree.

    Returns
    -------
    matplotlib.figure.Figure

    References
    ----------
    Generalizability of Experimental Studies, second version, Figure 1.

    Examples
    --------
    >>> x, y = pd.DataFrame({"a": [0], "b": [1]}), pd.DataFrame({"a": [1], "b": [0]})
    >>> two_studies(x, y, 1.2, [0.0, 1.2], [0.5, 0.5], epsilon=0.5).axes[2].get_title()
    'They agree with probability 0.500'
    """
    distances, probabilities = np.asarray(distances), np.asarray(probabilities)
    fig, axes = plt.subplots(1, 3, figsize=(WIDTH, 3.2), width_ratios=[1, 1, 2.4])
    n_tiers = int(max(first.to_numpy().max(), second.to_numpy().max())) + 1
    for ax, study, name in zip(axes, (first, second), "xy", strict=False):
        ax.imshow(study.to_numpy(), cmap="cividis_r", vmin=0, vmax=max(n_tiers, 2) - 0.5, aspect="auto")
        for (row, column), tier in np.ndenumerate(study.to_numpy()):
            ax.text(column, row, tier, ha="center", va="center", color="black" if tier == 0 else "white")
        ax.set_xticks(range(study.shape[1]), study.columns)
        ax.set_yticks(range(len(study)), study.index, fontsize=9)
        ax.set(title=f"Study {name}", ylabel=study.index.name if name == "x" else None)
        ax.tick_params(length=0)
        ax.grid(visible=False)
    ax = axes[2]
    agree = similar(distances, epsilon)
    for shown, colour, label in ((agree, "C0", "agree"), (~agree, "C1", "do not agree")):
        ax.vlines(distances[shown], 0, probabilities[shown], color=colour, linewidth=4, label=label)
    ax.axvline(epsilon, color=REFERENCE, linestyle=":", linewidth=1.2, label=f"threshold ε = {epsilon:.3f}")
    nearest = int(np.argmin(np.abs(distances - observed)))
    ax.scatter(observed, probabilities[nearest], color="C3", marker="v", s=60, zorder=3, label="studies x and y")
    ax.set(xlabel=f"MMD between two studies of {len(first)} experiments", ylabel="probability", ylim=(0, None))
    ax.set_title(f"They agree with probability {min(probabilities[agree].sum(), 1):.3f}")
    ax.legend(loc="upper right", fontsize=9, frameon=True, framealpha=1, edgecolor="none")
    return plain(fig)


def generalizability_curves(curves: pd.DataFrame, alpha: float) -> Figure:
    """Draw n-generalizability over the size of a study.

    Parameters
    ----------
    curves : DataFrame
        Columns ``n``, ``generalizability`` and ``curve`` (the label).
    alpha : float
        Generalizability wanted.

    Returns
    -------
    matplotlib.figure.Figure
        Where a curve first reaches alpha is its n*, marked with a star.

    Raises
    ------
    StudyError
        If the frame lacks a column.

    Examples
    --------
    >>> frame = pd.DataFrame({"n": [1, 2], "generalizability": [0.8, 0.97], "curve": ["Borda"] * 2})
    >>> len(generalizability_curves(frame, alpha=0.95).axes[0].collections)
    1
    """
    check_columns(curves, ("n", "generalizability", "curve"), "curves")
    fig, ax = plt.subplots(figsize=(WIDTH, 3.6))
    for i, (label, part) in enumerate(curves.groupby("curve", sort=False)):
        part = part.sort_values("n")
        ax.plot(part["n"], part["generalizability"], "o-", color=f"C{i}", markersize=3.5, linewidth=1.2, label=label)
        enough = part[part["generalizability"] >= alpha]
        if len(enough):
            first = enough.iloc[0]
            ax.scatter(first["n"], first["generalizability"], marker="*", s=170, color=f"C{i}", zorder=3)
    ax.axhline(alpha, color=REFERENCE, linestyle="--", linewidth=1, label=f"wanted, α = {alpha:g}")
    ax.set(xlabel="experiments per study, n", ylabel="n-generalizability", ylim=(0, 1.03))
    ax.set_xlim(0.5, curves["n"].max() + 0.5)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    ax.legend(loc="lower right", bbox_to_anchor=(1, 0.02))
    return plain(fig)


def estimates_by_size(estimates: pd.DataFrame, truths: Mapping[str, float]) -> Figure:
    """Draw how estimates of n* scatter around the truth, over the number of experiments they were made from.

    Parameters
    ----------
    estimates : DataFrame
        Columns ``case``, ``size``, ``method`` and ``nstar``: many estimates for each combination.
    truths : dict
        True n* of each case; one panel per case.

    Returns
    -------
    matplotlib.figure.Figure
        Boxes reach from quartile to quartile, whiskers from the 5 % to the 95 % quantile.

    Raises
    ------
    StudyError
        If the frame lacks a column, or one of the cases.

    Examples
    --------
    >>> frame = pd.DataFrame({"case": "easy", "size": [10, 10], "method": "moments", "nstar": [3.0, 4.0]})
    >>> estimates_by_size(frame, {"easy": 3}).axes[0].get_title()
    'easy: n* = 3'
    """
    check_columns(estimates, ("case", "size", "method", "nstar"), "estimates")
    absent = [case for case in truths if case not in set(estimates["case"])]
    if absent:
        raise StudyError(f"estimates has no case {absent[0]!r}; there are {listed(estimates['case'].unique())}")
    fig, axes = plt.subplots(1, len(truths), figsize=(WIDTH, 3.6), squeeze=False)
    for ax, (case, truth) in zip(axes[0], truths.items(), strict=True):
        part = estimates[estimates["case"] == case]
        ax.axhline(truth, color=REFERENCE, linestyle="--", linewidth=1.2)
        sns.boxplot(
            part, x="size", y="nstar", hue="method", ax=ax, width=0.7, linewidth=0.9, showfliers=False, whis=(5, 95)
        )
        ax.set_yscale("log")
        log_counts(ax.yaxis)
        ax.set(xlabel="preliminary experiments, N", ylabel="estimated n*", title=f"{case}: n* = {truth:g}")
        ax.get_legend().remove()
    fig.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    return plain(fig)


def quantiles_over_seeds(n: ArrayLike, quantiles: ArrayLike, alpha: float, epsilon: float) -> Figure:
    """Draw how the resampled quantiles of the MMD, and with them the fitted line, depend on the random seed.

    Parameters
    ----------
    n : array_like, shape (S,)
        Sizes of the hypothetical studies.
    quantiles : array_like, shape (n_seeds, S)
        The alpha-quantile of the MMD for each seed and size.
    alpha, epsilon : float
        Level of the quantiles, and the threshold that the lines are extrapolated to.

    Returns
    -------
    matplotlib.figure.Figure
        A dot is as large as the share of the seeds that gave this value; one faint line per seed.

    Examples
    --------
    >>> quantiles_over_seeds([2, 3], [[0.8, 0.6], [0.8, 0.5]], 0.95, 0.3).axes[0].get_xlabel()
    '0.95-quantile of the MMD'
    """
    n, quantiles = np.asarray(n), np.asarray(quantiles, dtype=float)
    fig, ax = plt.subplots(figsize=(WIDTH, 3.8))
    if (quantiles > 0).all():
        ends = np.array([quantiles.max() * 1.05, min(epsilon, quantiles.min()) * 0.95])
        for row in quantiles:
            if np.ptp(row) > 0:
                slope, intercept = np.polyfit(np.log(row), np.log(n), 1)
                ax.plot(ends, np.exp(intercept + slope * np.log(ends)), color="C0", alpha=0.1, linewidth=1)
        ax.set(xscale="log", yscale="log")
        log_counts(ax.xaxis)
        log_counts(ax.yaxis)
    for size, column in zip(n, quantiles.T, strict=True):
        values, counts = np.unique(column.round(9), return_counts=True)
        share = counts / len(quantiles)
        ax.scatter(values, np.full(len(values), size), s=12 + 150 * share, color="C1", zorder=3, edgecolor="white")
    ax.axvline(epsilon, color=REFERENCE, linestyle=":", linewidth=1)
    ax.annotate(" ε", (epsilon, 0.02), xycoords=("data", "axes fraction"))
    ax.set(xlabel=f"{alpha:g}-quantile of the MMD", ylabel="experiments per study, n")
    return plain(fig)
