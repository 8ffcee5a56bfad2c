"""Figures of generalizability: n* over its parameters, the power law, plans, and tiers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from genexpy_nb.common.checks import check_columns, listed
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.generalization.resampling import PowerLaw
from genexpy_nb.plots.style import REFERENCE, WIDTH, labels, log_counts, plain

__all__ = ["estimate_histogram", "nstar_forest", "nstar_overview", "power_law", "rank_distribution"]

_MOST_POINTS = 4  # configurations; more of them are a box
_MOST_TIERS = 60  # columns of a picture; with more tiers several share one

# Colour and shape of each verdict, so that neither is needed to read it.
_VERDICTS = {"enough": ("C2", "o"), "undecided": ("C1", "s"), "more needed": ("C3", "^")}


def nstar_overview(nstar: pd.DataFrame, alpha: float = 0.95, delta: float = 0.05) -> Figure:
    """Draw how n* depends on alpha and on delta, over all configurations and kernels (the papers' Figure 3).

    Parameters
    ----------
    nstar : DataFrame
        As returned by `Study.nstar`, with several alpha and delta.
    alpha, delta : float
        Where each is held while the other varies; must occur in the frame.

    Returns
    -------
    matplotlib.figure.Figure
        Left: n* over alpha at this delta. Right: n* over delta at this alpha. A box holds the configurations; up to
        four of them are points. Infinite estimates are not drawn, and counted below.

    Raises
    ------
    StudyError
        If the frame lacks a column.
    ParameterError
        If alpha or delta does not occur in it.

    Examples
    --------
    >>> frame = pd.DataFrame({"kernel": ["Mallows"] * 4, "alpha": [0.9, 0.95] * 2, "delta": [0.05] * 2 + [0.1] * 2,
    ...                       "nstar": [9.0, 12.0, 5.0, 6.0]})
    >>> nstar_overview(frame, alpha=0.95, delta=0.05).axes[0].get_ylabel()
    'experiments needed, n*'
    """
    check_columns(nstar, ("kernel", "alpha", "delta", "nstar"), "nstar")
    for held, level in (("alpha", alpha), ("delta", delta)):
        if not np.isclose(nstar[held], level).any():
            known = listed((f"{value:g}" for value in sorted(nstar[held].unique())), 30)
            raise ParameterError(f"{held}={level:g} does not occur; there are {known}")
    kernels = nstar["kernel"].unique()
    names = dict(zip(kernels, labels(kernels), strict=True))
    endless = np.isinf(nstar["nstar"])
    nstar = nstar.assign(kernel=nstar["kernel"].map(names))[~endless]
    most = nstar.groupby(["kernel", "alpha", "delta"]).size().max()
    fig, axes = plt.subplots(1, 2, figsize=(WIDTH, 3.9), sharey=True)
    sides = (("alpha", "delta", delta, "generalizability wanted, α"), ("delta", "alpha", alpha, "tolerance, δ"))
    for ax, (x, held, level, label) in zip(axes, sides, strict=True):
        shown = nstar[np.isclose(nstar[held], level)]
        where = {
            "x": x,
            "y": "nstar",
            "hue": "kernel",
            "hue_order": [*names.values()],
            "ax": ax,
            "log_scale": (None, 10),
        }
        if most > _MOST_POINTS:
            sns.boxplot(shown, width=0.75, linewidth=0.8, fliersize=2, **where)
        else:
            sns.stripplot(shown, dodge=True, jitter=False, size=6, **where)
        ax.set(xlabel=label, ylabel="experiments needed, n*", title=f"{'δ' if held == 'delta' else 'α'} = {level:g}")
        log_counts(ax.yaxis)
        ax.get_legend().remove()
    columns = min(len(names), max(1, 120 // max(len(name) + 8 for name in names.values())))
    fig.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=columns)
    if endless.any():
        fig.supxlabel(f"not shown: {endless.sum():,} infinite estimates of {len(endless):,}", fontsize=9)
    return plain(fig)


def power_law(law: PowerLaw, moments: float | None = None) -> Figure:
    """Draw the published estimate of n* step by step (second version, Figure 2).

    Parameters
    ----------
    law : PowerLaw
        From `genexpy_nb.power_law`.
    moments : float, optional
        n* by the method ``moments``, drawn beside.

    Returns
    -------
    matplotlib.figure.Figure
        Left: n-generalizability over the threshold, one curve per study size n. Right: the alpha-quantile of the MMD of
        each n, the fitted line, and its prediction at the threshold.

    Examples
    --------
    >>> from genexpy_nb.generalization.resampling import power_law as fit
    >>> law = fit(np.kron(np.eye(2), np.ones((10, 10))), alpha=0.95, epsilon=0.5)
    >>> len(power_law(law).axes)
    3
    """
    fig, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, 3.9))
    norm = mpl.colors.Normalize(law.n[0], law.n[-1])
    colours = mpl.colormaps["viridis_r"]
    share = np.arange(1, law.distances.shape[1] + 1) / law.distances.shape[1]
    for n, distances in zip(law.n, law.distances, strict=True):
        left.step(distances, share, where="post", color=colours(norm(n)), linewidth=1)
    left.axhline(law.alpha, color=REFERENCE, linestyle="--", linewidth=1)
    left.axvline(law.epsilon, color=REFERENCE, linestyle=":", linewidth=1)
    left.annotate(f"α = {law.alpha:g}", (0.99, law.alpha), xycoords=("axes fraction", "data"), ha="right", va="top")
    left.annotate(" ε", (law.epsilon, 0.02), xycoords=("data", "axes fraction"))
    left.set(xlabel="MMD between two studies, ε", ylabel="n-generalizability", xlim=(0, None), ylim=(0, 1.02))
    left.set_title("How often two studies of size n agree")
    fig.colorbar(mpl.cm.ScalarMappable(norm, colours), ax=left, label="experiments per study, n")

    right.scatter(law.quantiles, law.n, c=law.n, cmap=colours, norm=norm, zorder=3, s=22)
    ends = np.array([law.quantiles.max() * 1.05, min(law.epsilon, law.quantiles.min()) * 0.9])
    if np.isfinite(law.slope):
        line = np.exp(law.intercept + law.slope * np.log(ends))
        right.plot(ends, line, color=REFERENCE, linewidth=1, label=f"fitted line, slope {law.slope:.2f}")
        right.set(xscale="log", yscale="log")
        log_counts(right.yaxis)
        log_counts(right.xaxis)
    right.axvline(law.epsilon, color=REFERENCE, linestyle=":", linewidth=1)
    right.scatter(
        law.epsilon, law.nstar, marker="*", s=150, color="C3", zorder=4, label=f"extrapolated: {law.nstar:.1f}"
    )
    if moments is not None:
        right.scatter(law.epsilon, moments, marker="D", s=36, color="C0", zorder=4, label=f"moments: {moments:.1f}")
    right.set(xlabel=f"{law.alpha:g}-quantile of the MMD", ylabel="experiments per study, n")
    right.set_title("The power law and n* at the threshold")
    right.legend(loc="upper right")
    return plain(fig)


def nstar_forest(planned: pd.DataFrame, label: Sequence[str], most: int = 30) -> Figure:
    """Draw n* with its interval against the experiments at hand, one line per configuration.

    Parameters
    ----------
    planned : DataFrame
        As returned by `genexpy_nb.plan`, with one row per configuration.
    label : list of str
        The columns that name a configuration.
    most : int
        Show at most so many, those that need the most first.

    Returns
    -------
    matplotlib.figure.Figure
        Below the axis it says how many configurations are not shown, and why.

    Raises
    ------
    StudyError
        If the frame lacks a column, or has no finite estimate.

    Examples
    --------
    >>> frame = pd.DataFrame({"model": ["DTC", "LR"], "n_experiments": [30, 30], "nstar": [27.2, 44.1],
    ...                       "low": [20.0, 33.0], "high": [29.0, 60.0], "verdict": ["enough", "more needed"]})
    >>> [text.get_text() for text in nstar_forest(frame, ["model"]).axes[0].get_yticklabels()]
    ['DTC', 'LR']
    """
    check_columns(planned, (*label, "n_experiments", "nstar", "low", "high", "verdict"), "planned")
    shown = planned[np.isfinite(planned["nstar"])].sort_values(["nstar", *label]).tail(most)
    if shown.empty:
        raise StudyError("column nstar has no finite estimate: there is nothing to draw")
    names = shown[list(label)].astype(str).agg(" / ".join, axis=1)
    fig, ax = plt.subplots(figsize=(WIDTH, 1.35 + 0.23 * max(len(shown), 2)))
    height = np.arange(len(shown))
    far = 1.05 * _far(shown)
    colours = shown["verdict"].map({verdict: colour for verdict, (colour, _) in _VERDICTS.items()})
    ax.hlines(height, shown["low"], shown["high"].clip(upper=far), color=colours, linewidth=2)
    for verdict, (colour, marker) in _VERDICTS.items():
        of = (shown["verdict"] == verdict).to_numpy()
        if of.any():
            estimates = shown["nstar"][of]
            ax.scatter(estimates, height[of], color=colour, marker=marker, s=30, zorder=3, label=verdict)
    ax.scatter(shown["n_experiments"], height, marker="|", color="black", s=60, zorder=4, label="experiments at hand")
    beyond = (shown["high"] > far).to_numpy()
    if beyond.any():  # an arrow, for what goes on beyond the axis
        ax.scatter(np.full(beyond.sum(), far), height[beyond], c=colours[beyond], marker=">", s=22, clip_on=False)
    ax.set_yticks(height, labels(names, 60), fontsize=8, parse_math=False)
    ax.set(
        xlabel=f"experiments{_not_shown(planned['nstar'], len(shown))}",
        ylim=(-0.8, max(len(shown), 2) - 0.2),
        xlim=(0, far),
    )
    ax.grid(axis="y", visible=False)
    ax.set_title(f"n* with an interval of nominal 95 %{_at_one_level(planned)}")
    fig.legend(loc="outside lower center", ncols=4, fontsize=9)
    return plain(fig)


def _far(shown: pd.DataFrame) -> float:
    """Return where an axis ends: with the longest interval, unless that would crowd all the others."""
    longest = shown["high"].replace(np.inf, np.nan).max()
    known = max(shown["nstar"].max(), shown["n_experiments"].max())
    return float(known if np.isnan(longest) else max(known, min(longest, 2.5 * known)))


def _not_shown(nstar: pd.Series, n_shown: int) -> str:
    """Return which configurations a figure leaves out, for the label of its axis."""
    kinds = {
        "that need fewer": int(np.isfinite(nstar).sum()) - n_shown,
        "whose n* is infinite": int(np.isinf(nstar).sum()),
        "without an estimate": int(nstar.isna().sum()),
    }
    said = ", ".join(f"{n:,} {kind}" for kind, n in kinds.items() if n)
    return f"\nnot shown: {said}" if said else ""


def _at_one_level(frame: pd.DataFrame) -> str:
    """Return what alpha and delta are, if the frame says so, and has one of each."""
    known = [
        f"{letter} = {frame[name].iloc[0]:g}"
        for name, letter in (("alpha", "α"), ("delta", "δ"))
        if name in frame and frame[name].nunique() == 1
    ]
    return f"; {', '.join(known)}" if known else ""


def rank_distribution(rankings: pd.DataFrame, most: int = 40) -> Figure:
    """Draw how often each alternative lands in each tier, the best on average on top.

    Parameters
    ----------
    rankings : DataFrame of int, shape (n_conditions, n_alternatives)
        Dense tiers, 0 = best.
    most : int
        Show at most so many alternatives.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> rank_distribution(pd.DataFrame({"a": [0, 0], "b": [1, 0]})).axes[0].get_xlabel()
    'tier (0 = best)'
    """
    order = rankings.mean().sort_values(kind="stable").index[:most]
    n_tiers = int(rankings.to_numpy().max()) + 1
    counts = np.stack([np.bincount(rankings[name], minlength=n_tiers) for name in order]) / len(rankings)
    width = -(-n_tiers // _MOST_TIERS)  # tiers that share a column
    starts = np.arange(0, n_tiers, width)
    counts = np.add.reduceat(counts, starts, axis=1)
    fig, ax = plt.subplots(figsize=(WIDTH, max(2.4, 0.9 + 0.19 * len(order))))
    sns.heatmap(
        counts,
        ax=ax,
        cmap="rocket_r",
        vmin=0,
        yticklabels=False,
        xticklabels=False,
        cbar_kws={"format": "{x:.0%}"},
    )
    fig.axes[-1].set_ylabel(f"share of {len(rankings):,} experiments", fontsize=9)
    every = max(1, len(starts) // 12)
    ax.set_xticks(np.arange(0, len(starts), every) + 0.5, [f"{tier:,}" for tier in starts[::every]])
    ax.set_yticks(np.arange(len(order)) + 0.5, labels(order), fontsize=8, rotation=0, parse_math=False)
    rest = f"; the best {len(order)} of {rankings.shape[1]:,}" if len(order) < rankings.shape[1] else ""
    ax.set(xlabel=f"tier (0 = best){f', {width} in a column' if width > 1 else ''}{rest}")
    return plain(fig)


def estimate_histogram(estimates: np.ndarray, marks: Mapping[str, float], limit: float | None = None) -> Figure:
    """Draw the distribution of repeated estimates of n*, on a logarithmic axis, with reference values marked.

    Parameters
    ----------
    estimates : array_like, shape (n_studies,)
        Estimates of n*, > 0.
    marks : dict
        Label and value of vertical lines.
    limit : float, optional
        Estimates above are counted in the last bin; by default 100 times the median.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> estimate_histogram(np.array([20.0, 30.0, 45.0]), {"published": 28}).axes[0].get_xlabel()
    'estimated n*'
    """
    estimates = np.asarray(estimates, dtype=float)
    limit = 100 * float(np.median(estimates)) if limit is None else limit
    shown = np.clip(estimates, None, limit)
    fig, ax = plt.subplots(figsize=(WIDTH, 3.2))
    bins = np.geomspace(shown.min() * 0.95, max(shown.max(), *marks.values()) * 1.05, 40)
    ax.hist(shown, bins=bins.tolist(), color="C0", alpha=0.75)
    for i, (label, value) in enumerate(marks.items()):
        ax.axvline(value, color=f"C{i + 1}", linewidth=2, label=f"{label}: {value:.4g}")
    ax.set(xscale="log", xlabel="estimated n*", ylabel=f"of {len(estimates)} draws")
    log_counts(ax.xaxis)
    ax.legend()
    return plain(fig)
