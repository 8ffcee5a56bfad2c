"""The array along one dimension: marginals, the bounds that the paper reads off them, and slices for sign-errors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import xarray as xr

from genexpy_nb.common.checks import check_choice
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.tradeoff.array import (
    DIMENSIONS,
    STATISTICS,
    check_array,
    check_columns,
    check_confidence,
    check_statistics,
    seed_interval,
)
from genexpy_nb.tradeoff.point import TradeoffPoint

__all__ = ["at_point", "marginals", "slice_marginal"]

_BOUNDS = {"error_mean": "generalization bound", "kappa_mean": "diversity bound"}


def marginals(array: xr.Dataset, statistics: Sequence[str] = STATISTICS, confidence: float = 0.95) -> pd.DataFrame:
    """Average each statistic over two of the dimensions, level by level of the third.

    Parameters
    ----------
    array : xarray.Dataset
        From `genexpy_nb.tradeoff.array.to_array`.
    statistics : sequence of str
        Which of the six.
    confidence : float
        Of the intervals, in (0, 1).

    Returns
    -------
    DataFrame
        ``dimension``, ``level``, ``statistic``, ``value``, ``low``, ``high``, ``n_cells`` (averaged over, per seed).
        The interval is Student's, from the marginals of the seeds; NaN if there are fewer than two. Missing cells are
        left out, those that a single seed lacks for all seeds; a level without cells has the value NaN. Levels that
        lack different cells are then means over different conditions: look at ``n_cells``.

    Raises
    ------
    ParameterError
        If ``array`` is of another kind, a statistic is unknown, or the confidence is out of range.

    References
    ----------
    A practical generalization metric for deep networks benchmarking, Eq. 5; reconstructed, because the equations are
    lost in the text at hand.

    Examples
    --------
    >>> from genexpy_nb.tradeoff.array import example_table, to_array
    >>> marginals(to_array(example_table(n_seeds=4)), ["error_mean"]).head(3).round(3)
       dimension  level   statistic  value    low   high  n_cells
    0  zero_shot   0.00  error_mean  0.337  0.334  0.341        6
    1  zero_shot   0.25  error_mean  0.415  0.408  0.421        6
    2  zero_shot   0.50  error_mean  0.491  0.487  0.495        6
    """
    check_confidence(confidence)
    statistics = check_statistics(statistics)
    check_array(array)
    values = np.stack([array[name].to_numpy() for name in statistics])
    if "seed" not in array.dims:
        values = values[:, None]
    there = ~np.isnan(values).any(axis=(0, 1))  # (zero_shot, ssim, size)
    values = np.where(there, values, 0.0)
    parts = []
    for axis, name in enumerate(DIMENSIONS):
        others = tuple(i for i in range(3) if i != axis)
        n_cells = there.sum(axis=others)
        sums = values.sum(axis=tuple(i + 2 for i in others))  # (n_statistics, n_seeds, n_levels)
        means = np.where(n_cells, sums / np.maximum(n_cells, 1), np.nan)
        value, low, high = seed_interval(means.swapaxes(0, 1), confidence)
        for which, statistic in enumerate(statistics):
            parts.append(
                pd.DataFrame(
                    {
                        "dimension": name,
                        "level": array[name].to_numpy().astype(float),
                        "statistic": statistic,
                        "value": value[which],
                        "low": low[which],
                        "high": high[which],
                        "n_cells": n_cells,
                    }
                )
            )
    return pd.concat(parts, ignore_index=True)


def at_point(marginals: pd.DataFrame, point: TradeoffPoint) -> pd.DataFrame:
    """Read the marginals at a trade-off point: the generalization bound and the diversity bound, three times each.

    The paper expects the three of a kind, one per dimension, to be equal. Nothing makes them so: they are means over
    different cells.

    Parameters
    ----------
    marginals : DataFrame
        From the function of that name, with ``error_mean`` and ``kappa_mean``.
    point : TradeoffPoint
        Of the same array.

    Returns
    -------
    DataFrame, six rows
        ``bound`` (generalization bound: marginal of ``error_mean``; diversity bound: of ``kappa_mean``),
        ``dimension``, ``level``, ``value``, ``low``, ``high``.

    Raises
    ------
    ParameterError
        If the marginals lack a column, or a level or statistic that the point needs.

    References
    ----------
    A practical generalization metric for deep networks benchmarking, step 3, and Table 2.

    Examples
    --------
    >>> from genexpy_nb.tradeoff import example_table, to_array, tradeoff_point
    >>> array = to_array(example_table())
    >>> at_point(marginals(array), tradeoff_point(array))[["bound", "dimension", "level", "value"]].round(3).head(3)
                      bound  dimension   level  value
    0  generalization bound  zero_shot    0.25  0.415
    1  generalization bound       ssim    0.80  0.415
    2  generalization bound       size  100.00  0.425
    """
    check_columns(marginals, ("dimension", "level", "statistic", "value", "low", "high"), "marginals")
    rows = []
    for statistic, bound in _BOUNDS.items():
        for name in DIMENSIONS:
            level = float(getattr(point, name))
            chosen = marginals[
                (marginals["statistic"] == statistic) & (marginals["dimension"] == name) & (marginals["level"] == level)
            ]
            if len(chosen) != 1:
                raise ParameterError(
                    f"marginals must have one row for {statistic} at {name} = {level:g}, they have {len(chosen)}: they "
                    "must be of the array that the point is of"
                )
            rows.append((bound, name, level, *chosen[["value", "low", "high"]].iloc[0]))
    return pd.DataFrame(rows, columns=["bound", "dimension", "level", "value", "low", "high"])


def slice_marginal(array: xr.Dataset, slice: str = "ssim", statistic: str = "error_mean") -> pd.DataFrame:
    """Average a statistic per model size over one slice of the array: clean images, or no unseen classes.

    Parameters
    ----------
    array : xarray.Dataset
        From `genexpy_nb.tradeoff.array.to_array`.
    slice : {"ssim", "zero_shot"}
        ``ssim``: the slice SSIM = 1, averaged over ZeroShot. ``zero_shot``: the slice ZeroShot = 0, averaged over SSIM.
    statistic : str
        One of the six.

    Returns
    -------
    DataFrame, one row per seed and size
        ``slice``, ``seed`` (0 if the array has no such dimension), ``size``, ``value``, ``n_cells``. Missing cells are
        left out; a size without cells has the value NaN.

    Raises
    ------
    ParameterError
        If the array does not have the slice, is of another kind, or a name is unknown.

    References
    ----------
    A practical generalization metric for deep networks benchmarking, Eq. 6; reconstructed, because the equations are
    lost in the text at hand.

    Examples
    --------
    >>> from genexpy_nb.tradeoff.array import example_table, to_array
    >>> slice_marginal(to_array(example_table()), "zero_shot")
           slice  seed  size  value  n_cells
    0  zero_shot     0   100   0.35        3
    1  zero_shot     0  1000   0.33        3
    """
    check_choice("slice", slice, ("ssim", "zero_shot"))
    check_choice("statistic", statistic, STATISTICS)
    check_array(array)
    level = {"ssim": 1.0, "zero_shot": 0.0}[slice]
    levels = array[slice].to_numpy()
    if level not in levels:
        raise ParameterError(
            f"array has no slice {slice} = {level:g}, its levels are {', '.join(f'{value:g}' for value in levels)}"
        )
    cells = array[statistic].sel({slice: level}, drop=True)
    if "seed" not in cells.dims:
        cells = cells.expand_dims(seed=[0])
    over = "zero_shot" if slice == "ssim" else "ssim"
    table = xr.Dataset({"value": cells.mean(over), "n_cells": cells.notnull().sum(over)})
    table = table.transpose("seed", "size").to_dataframe().reset_index()
    table.insert(0, "slice", slice)
    return table
