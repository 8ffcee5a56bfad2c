"""Figures of effects in populations of processing systems: tidy frames and results in, a figure out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from genexpy_nb.causal.effects import TreatmentEffect
from genexpy_nb.causal.rounding import digits_after_point
from genexpy_nb.common.checks import check_columns
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.plots.style import REFERENCE, WIDTH, labels, log_counts, plain

__all__ = [
    "coverage_and_width",
    "effect_distribution",
    "effect_forest",
    "error_rates_of_pairs",
    "level_forest",
    "miss_rate",
    "plan_curves",
    "tuned_or_many_bars",
    "variance_bars",
]


def effect_distribution(
    effects: pd.DataFrame, mean: float, loss: str = "error", bins: int = 40, unit: str = "systems"
) -> Figure:
    """Draw the distribution of individual effects, those with the mean's sign and those with the other one apart.

    Parameters
    ----------
    effects : DataFrame
        Column ``effect``, from `individual_effects`.
    mean : float
        Average effect, drawn as a line.
    loss : str
        For the label.
    bins : int
    unit : str
        What has an effect, in the plural.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> effect_distribution(pd.DataFrame({"effect": [-0.1, 0.0, 0.2]}), 0.03).axes[0].get_ylabel()
    'of 3 systems'
    """
    check_columns(effects, ["effect"])
    values = effects["effect"].to_numpy(float)
    spread = float(np.abs(values).max()) or 1.0  # without any effect, bins of any width will do
    step = 2 * spread / bins
    n = int(np.ceil(bins / 2))
    edges = [spread * (i / (bins / 2)) for i in range(-n, n + 2)]  # the outermost is the spread itself, to the last bit
    same = values * np.sign(mean) >= 0
    average = f"{mean:+.{digits_after_point(mean, at_least=3)}f}"
    fig, ax = plt.subplots(figsize=(WIDTH, 3.2))
    ax.hist(values[same], bins=edges, color="C0", alpha=0.8, label=f"sign of the mean: {np.mean(same):.0%} of {unit}")
    ax.hist(values[~same], bins=edges, color="C1", alpha=0.9, label=f"opposite sign: {np.mean(~same):.0%}")
    ax.axvline(0, color=REFERENCE, linewidth=1)
    ax.axvline(mean, color="black", linewidth=2, linestyle="--", label=f"average effect {average}")
    ax.set(
        xlabel=f"individual effect on {loss} (below 0: the first method is better)", ylabel=f"of {len(values)} {unit}"
    )
    ax.set_xlim(min(values.min(), 0) - 2 * step, max(values.max(), 0) + 2 * step)
    ax.legend(fontsize=9)
    return plain(fig)


def effect_forest(effects: Mapping[str, TreatmentEffect], truth: float | None = None) -> Figure:
    """Draw estimates with the intervals of all their methods.

    Parameters
    ----------
    effects : mapping of str to TreatmentEffect
        Label -> effect, all of one loss.
    truth : float, optional
        Known average effect, drawn as a line.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> effect_forest({})
    Traceback (most recent call last):
    genexpy_nb.common.errors.ParameterError: there is no effect to draw
    """
    if not effects:
        raise ParameterError("there is no effect to draw")
    first = next(iter(effects.values()))
    rows = [
        (f"{label}: {test['method']}", test["estimate"], test["low"], test["high"], f"C{i}")
        for i, (label, effect) in enumerate(effects.items())
        for place, (_, test) in enumerate(effect.tests.iterrows())
        if place == 0 or test["low"] == test["low"]  # without any interval, still a point
    ]
    names, estimates, low, high, colours = (list(column) for column in zip(*rows, strict=True))
    height = np.arange(len(rows))[::-1]
    fig, ax = plt.subplots(figsize=(WIDTH, 0.9 + 0.34 * len(rows)))
    ax.hlines(height, low, high, color=colours, linewidth=2.5)
    ax.scatter(estimates, height, color=colours, s=34, zorder=3)
    ax.axvline(0, color=REFERENCE, linewidth=1)
    if truth is not None:
        said = f"whole population: {truth:+.{digits_after_point(truth)}f}"
        ax.axvline(truth, color="black", linestyle="--", linewidth=1.5, label=said)
        fig.legend(loc="outside upper right")
    ax.set_yticks(height, labels(names, 60))
    ax.set(xlabel=f"average effect on {first.loss}", ylim=(-0.7, len(rows) - 0.3))
    ax.grid(axis="y", visible=False)
    return plain(fig)


def level_forest(levels: pd.DataFrame, mean: float | None = None, xlabel: str = "average effect") -> Figure:
    """Draw the average effect within each level of some variables.

    Parameters
    ----------
    levels : DataFrame
        From `effects_by_level`, of several variables one below the other.
    mean : float, optional
        Average effect over all, drawn as a line.
    xlabel : str

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> frame = pd.DataFrame({"variable": ["v"] * 2, "level": ["A", "B"], "n_systems": [5, 5], "estimate": [0.1, 0.2],
    ...                       "low": [0.0, 0.1], "high": [0.2, 0.3]})
    >>> len(level_forest(frame).axes[0].get_yticks())
    2
    """
    check_columns(levels, ["variable", "level", "n_systems", "estimate", "low", "high"])
    height = np.arange(len(levels))[::-1]
    names = [
        f"{name}   (n = {n})"
        for name, n in zip(
            labels((f"{v} = {level}" for v, level in zip(levels["variable"], levels["level"], strict=True)), 60),
            levels["n_systems"],
            strict=True,
        )
    ]
    groups = pd.factorize(levels["variable"])[0]
    colours = [f"C{g % 6}" for g in groups]
    fig, ax = plt.subplots(figsize=(WIDTH, 0.9 + 0.24 * len(levels)))
    ax.hlines(height, levels["low"], levels["high"], color=colours, linewidth=2)
    ax.scatter(levels["estimate"], height, color=colours, s=26, zorder=3)
    for edge in np.flatnonzero(np.diff(groups)):
        ax.axhline(len(levels) - 1.5 - edge, color="0.85", linewidth=0.8)
    ax.axvline(0, color=REFERENCE, linewidth=1)
    if mean is not None:
        ax.axvline(mean, color="black", linestyle="--", linewidth=1.2)
    ax.set_yticks(height, names, fontsize=8)
    ax.set(xlabel=xlabel, ylim=(-0.7, len(levels) - 0.3))
    ax.grid(axis="y", visible=False)
    return plain(fig)


def coverage_and_width(results: Mapping[str, pd.DataFrame], confidence: float = 0.95) -> Figure:
    """Draw how often intervals hold the truth, and how wide they are for the runs that they cost.

    Parameters
    ----------
    results : mapping of str to DataFrame
        Label of a design -> frame from `coverage`.
    confidence : float

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> frame = pd.DataFrame({"n_systems": [20, 50], "n_runs": [40, 100], "coverage": [0.95, 0.94],
    ...                       "coverage_se": [0.01, 0.01], "width": [0.1, 0.06]})
    >>> len(coverage_and_width({"paired": frame}).axes)
    2
    """
    for frame in results.values():
        check_columns(frame, ["n_systems", "n_runs", "coverage", "coverage_se", "width"])
    fig, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, 3.6))
    for i, (label, frame) in enumerate(results.items()):
        left.errorbar(
            frame["n_systems"],
            frame["coverage"],
            2 * frame["coverage_se"],
            marker="o",
            color=f"C{i}",
            label=label,
            capsize=3,
        )
        right.plot(frame["n_runs"], frame["width"], marker="o", color=f"C{i}", label=label)
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
    right.legend()
    return plain(fig)


def miss_rate(missed: pd.DataFrame, confidence: float = 0.95) -> Figure:
    """Draw how often a test-set bootstrap misses the expected effect, and how much it underrates its uncertainty.

    Parameters
    ----------
    missed : DataFrame
        From `bootstrap_miss_rate`; a column ``pair`` draws one line for each of its values. Vertical bars are its
        Monte-Carlo intervals.
    confidence : float

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> frame = pd.DataFrame({"n_test": [50, 99], "miss": [0.1, 0.2], "sd_claimed": [0.2, 0.1], "sd_actual": [0.3] * 2})
    >>> len(miss_rate(frame).axes)
    2
    """
    check_columns(missed, ["n_test", "miss", "sd_claimed", "sd_actual"])
    fig, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, 3.6))
    parts = missed.groupby("pair", sort=False) if "pair" in missed else [("", missed)]
    for i, (name, part) in enumerate(parts):
        left.plot(part["n_test"], part["miss"], marker="o", color=f"C{i}", label=name or None)
        if "miss_low" in part:
            shift = 1 + 0.03 * i  # so that bars of several pairs stand beside each other
            left.vlines(part["n_test"] * shift, part["miss_low"], part["miss_high"], color=f"C{i}", alpha=0.6)
        right.plot(
            part["n_test"],
            part["sd_actual"],
            marker="o",
            color=f"C{i}",
            label="between compositions" if not i else None,
        )
        right.plot(
            part["n_test"], part["sd_claimed"], marker="o", mfc="white", linestyle=":", color=f"C{i}",
            label="claimed by the bootstrap" if not i else None,
        )  # fmt: skip
    left.axhline(1 - confidence, color=REFERENCE, linestyle="--", linewidth=1, label=f"promised: {1 - confidence:.0%}")
    left.set(xlabel="test documents", ylabel="intervals that miss", ylim=(0, None))
    left.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    left.set_title("Misses of the expected effect")
    left.legend(fontsize=8)
    right.set(xlabel="test documents", ylabel="standard deviation of the effect", ylim=(0, None))
    right.set_title("Claimed and actual uncertainty")
    right.legend(fontsize=8)
    return plain(fig)


def error_rates_of_pairs(rates: pd.DataFrame, level: float = 0.05) -> Figure:
    """Draw how often a bootstrap of the test documents errs, pair by pair, with Monte-Carlo intervals.

    Parameters
    ----------
    rates : DataFrame
        From `genexpy_nb.causal.error_rates`, counted by ``pair``.
    level : float
        What was promised.

    Returns
    -------
    matplotlib.figure.Figure
        Left: rejections of the truth by the p-value; right: intervals that miss it. Same order, rarest on top,
        equal ones in the order of the table.

    Examples
    --------
    >>> frame = pd.DataFrame({"pair": ["A against B"] * 2, "error": ["false_positive", "interval_misses"],
    ...                       "estimate": [0.1, 0.12], "low": [0.05, 0.06], "high": [0.2, 0.2]})
    >>> error_rates_of_pairs(frame).axes[0].get_yticklabels()[0].get_text()
    'A against B'
    """
    check_columns(rates, ["pair", "error", "estimate", "low", "high"])
    wide = rates.set_index(["error", "pair"])
    order = wide.loc["false_positive"].sort_values("estimate", kind="stable").index
    height = np.arange(len(order))[::-1]
    fig, axes = plt.subplots(1, 2, figsize=(WIDTH, 0.9 + 0.2 * len(order)), sharey=True, sharex=True)
    titles = {"false_positive": "Truth rejected (p-value)", "interval_misses": "Truth missed (interval)"}
    for ax, (error, title) in zip(axes, titles.items(), strict=True):
        part = wide.loc[error].loc[order]
        ax.hlines(height, part["low"], part["high"], color="C0", linewidth=1.5, alpha=0.7)
        ax.scatter(part["estimate"], height, color="C0", s=22, zorder=3)
        ax.axvline(level, color=REFERENCE, linestyle="--", linewidth=1)
        ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        ax.set(title=title, xlabel="of the compositions", xlim=(0, None), ylim=(-0.7, len(order) - 0.3))
        ax.grid(axis="y", visible=False)
    axes[0].set_yticks(height, labels(order, 60), fontsize=7)
    return plain(fig)


def variance_bars(shares: pd.DataFrame) -> Figure:
    """Draw how much of the variance of a loss each variable carries.

    Parameters
    ----------
    shares : DataFrame
        From `variance_shares`.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> frame = pd.DataFrame({"variable": ["v"], "alone": [0.2], "with_interactions": [0.3]})
    >>> variance_bars(frame).axes[0].get_yticklabels()[0].get_text()
    'v'
    """
    check_columns(shares, ["variable", "alone", "with_interactions"])
    height = np.arange(len(shares))[::-1]
    fig, ax = plt.subplots(figsize=(WIDTH, 0.9 + 0.32 * len(shares)))
    ax.barh(height, shares["with_interactions"], height=0.7, color="C0", alpha=0.35, label="with interactions")
    ax.barh(height, shares["alone"], height=0.38, color="C0", label="alone")
    ax.set_yticks(height, labels(shares["variable"]))
    ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.set(xlabel="share of the variance of the loss")
    ax.grid(axis="y", visible=False)
    ax.legend(loc="lower right")
    return plain(fig)


def tuned_or_many_bars(results: pd.DataFrame) -> Figure:
    """Draw what two ways to spend the same runs give: spread of the estimate, and how often its sign is wrong.

    Parameters
    ----------
    results : DataFrame
        From `tuned_or_many`. The truth that a sign is held against stands beside each point; without a sign to get
        wrong there is no point.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> frame = pd.DataFrame({"n_systems": [4, 4], "plan": ["t", "m"], "sd": [0.2, 0.1], "wrong_sign": [0.3, 0.1],
    ...                       "truth": [-0.02, -0.01]})
    >>> len(tuned_or_many_bars(frame).axes)
    2
    """
    check_columns(results, ["n_systems", "plan", "sd", "wrong_sign", "truth"])
    fig, axes = plt.subplots(1, 2, figsize=(WIDTH, 3.6))
    titles = {"sd": "Spread between repetitions", "wrong_sign": "Wrong sign, beside each point the truth"}
    for ax, (column, title) in zip(axes, titles.items(), strict=True):
        for i, (plan, part) in enumerate(results.groupby("plan", sort=False)):
            ax.plot(2 * part["n_systems"], part[column], marker="o", color=f"C{i}", label=plan)
        ax.set(xscale="log", xlabel="runs (trainings)", ylim=(0, None), title=title)
        log_counts(ax.xaxis)
    digits = digits_after_point(*results["truth"], at_least=3)
    for n, share, truth in results[["n_systems", "wrong_sign", "truth"]].dropna().itertuples(index=False):
        axes[1].annotate(
            f"{truth:+.{digits}f}", (2 * n, share), xytext=(0, 5), textcoords="offset points", ha="center", fontsize=7
        )
    axes[0].set_ylabel("standard deviation of the estimate")
    axes[1].set_ylabel("share of studies")
    axes[1].yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes[0].legend(fontsize=9)
    return plain(fig)


def plan_curves(plan: pd.DataFrame, marks: Sequence[float] = ()) -> Figure:
    """Draw the runs that an interval width takes, paired and independent.

    Parameters
    ----------
    plan : DataFrame
        From `plan_systems`.
    marks : sequence of float
        Widths to mark.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> plan = pd.DataFrame({"width": [0.01, 0.02], "n_systems_paired": [80, 20], "n_systems_low": [60, 15],
    ...                      "n_systems_high": [100, 30], "n_runs_paired": [160, 40], "n_runs_independent": [900, 240]})
    >>> plan_curves(plan).axes[0].get_ylabel()
    'runs (trainings)'
    """
    systems = ["n_systems_paired", "n_systems_low", "n_systems_high"]
    check_columns(plan, ["width", *systems, "n_runs_paired", "n_runs_independent"])
    per_system = plan["n_runs_paired"] / plan["n_systems_paired"]
    fig, ax = plt.subplots(figsize=(WIDTH, 3.4))
    ax.fill_between(
        plan["width"],
        plan["n_systems_low"] * per_system,
        plan["n_systems_high"] * per_system,
        color="C0",
        alpha=0.2,
        linewidth=0,
    )
    ax.plot(plan["width"], plan["n_runs_paired"], color="C0", marker="o", label="paired")
    ax.plot(plan["width"], plan["n_runs_independent"], color="C1", marker="o", label="independent")
    for mark in marks:
        ax.axvline(mark, color=REFERENCE, linestyle=":", linewidth=1)
    ax.set(xlabel="width of the interval", ylabel="runs (trainings)", yscale="log")
    log_counts(ax.yaxis)
    ax.legend()
    return plain(fig)
