"""Figures of the first notebook: one comparison on several tables, and along an axis of difficulty."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from genexpy_nb.common.checks import check_columns
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.plots.layout import legend_above, panels
from genexpy_nb.plots.style import ACCENT, CONTRAST, INK, REFERENCE, plain

__all__ = ["difference_by_band", "differences_on_tables"]


def differences_on_tables(
    differences: Mapping[str, pd.Series], means: pd.DataFrame, names: tuple[str, str], unit: str = "dataset"
) -> Figure:
    """Draw the differences of two alternatives on each of several tables, with their means.

    Parameters
    ----------
    differences : mapping of str to Series
        Table -> one minus another, one number per experiment.
    means : DataFrame
        Index: the tables; columns ``estimate``, ``low``, ``high``.
    names : tuple of (str, str)
        What is compared: the first is better right of zero.
    unit : str
        What an experiment is.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    StudyError
        If a column of the means is missing.
    ParameterError
        If a table has no differences or no mean.

    Examples
    --------
    >>> means = pd.DataFrame({"estimate": [0.1], "low": [0.0], "high": [0.2]}, index=["mine"])
    >>> differences_on_tables({"mine": pd.Series([0.0, 0.2])}, means, ("A", "B")).axes[0].get_xlabel()
    '← B better     A minus B on a dataset     A better →'
    """
    check_columns(means, ["estimate", "low", "high"])
    if wrong := [table for table, values in differences.items() if table not in means.index or not len(values)]:
        raise ParameterError(f"differences: table {wrong[0]!r} needs at least one difference, and a mean")
    first, second = names
    fig, (ax,) = panels(1, 1.0 + 1.15 * len(differences))
    ax.axvline(0, color=REFERENCE, linewidth=1)
    for row, (table, values) in enumerate(differences.items()):
        heights = row + 0.3 * _spread(np.sort(np.asarray(values, dtype=float)))
        ax.scatter(np.sort(values), heights, s=26, color=ACCENT, alpha=0.55, linewidths=0)
        of = means.loc[table]
        ax.hlines(row, of["low"], of["high"], color=INK, linewidth=5, zorder=3)
        ax.plot(of["estimate"], row, "D", color=INK, markeredgecolor="white", markersize=9, zorder=4)
    ax.set_yticks(range(len(differences)), [f"{table}\n{len(v)} {unit}s" for table, v in differences.items()])
    ax.set(
        ylim=(len(differences) - 0.45, -0.55),
        xlabel=f"← {second} better     {first} minus {second} on a {unit}     {first} better →",
    )
    handles = [
        Line2D([], [], marker="o", linestyle="", color=ACCENT, alpha=0.55),
        Line2D([], [], marker="D", color=INK, linewidth=5, markeredgecolor="white", markersize=9),
    ]
    legend_above(fig, handles, [f"one {unit}", "mean of all, with its interval"])
    return plain(fig)


def _spread(values: np.ndarray) -> np.ndarray:
    """Heights in [-1, 1] that keep neighbours apart: the same for the same values, without chance."""
    return (np.arange(len(values)) * 0.6180339887498949 % 1) * 2 - 1


def difference_by_band(bands: pd.DataFrame, names: tuple[str, str], axis: str, score: str = "score") -> Figure:
    """Draw the mean difference of two alternatives in bands of an axis, each with its interval.

    Parameters
    ----------
    bands : DataFrame
        One row per band, in order: ``band`` (its name), ``n``, ``estimate``, ``low``, ``high``.
    names : tuple of (str, str)
        What is compared: the first is better above zero.
    axis : str
        What the bands are of.
    score : str
        What differs.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    StudyError
        If a column is missing.

    Examples
    --------
    >>> bands = pd.DataFrame({"band": ["few", "many"], "n": 4, "estimate": [0.1, 0.2], "low": 0.0, "high": 0.3})
    >>> [label.get_text() for label in difference_by_band(bands, ("A", "B"), "levels").axes[0].get_xticklabels()]
    ['few\\nn = 4', 'many\\nn = 4']
    """
    check_columns(bands, ["band", "n", "estimate", "low", "high"])
    fig, (ax,) = panels(1, 2.9)
    at = np.arange(len(bands))
    ax.axhline(0, color=REFERENCE, linewidth=1)
    ax.vlines(at, bands["low"], bands["high"], color=CONTRAST, linewidth=3)
    ax.plot(at, bands["estimate"], "s", color=CONTRAST, markersize=9)
    ax.set_xticks(at, [f"{row.band}\nn = {row.n:,}" for row in bands.itertuples()])
    ax.set(xlim=(-0.6, len(bands) - 0.4), xlabel=axis, ylabel=f"{names[0]} minus {names[1]}, {score}")
    return plain(fig)
