"""Which of two families errs less, and where: paired differences over the seeds, level by level of the noise."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from genexpy_nb.common.checks import check_choice
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.tradeoff.array import STATISTICS, check_array, seed_interval

__all__ = ["family_differences", "noise_curve"]


def noise_curve(
    array: xr.Dataset, zero_shot: float | None = None, statistic: str = "error_mean", confidence: float = 0.95
) -> pd.DataFrame:
    """Average a statistic over the sizes, and the shares of unseen classes, for each noise level.

    Parameters
    ----------
    array : xarray.Dataset
        From `genexpy_nb.tradeoff.to_array`.
    zero_shot : float, optional
        One of the array's shares; by default the mean over all.
    statistic : str
        One of `genexpy_nb.tradeoff.STATISTICS`.
    confidence : float
        Of the intervals, in (0, 1).

    Returns
    -------
    DataFrame
        ssim, value, low, high: the mean over the seeds and Student's interval, NaN with a single seed.

    Raises
    ------
    ParameterError
        If there is no such level or statistic.

    Examples
    --------
    >>> from genexpy_nb.tradeoff.array import example_table, to_array
    >>> noise_curve(to_array(example_table(n_seeds=3)), zero_shot=0.5)["ssim"].to_list()
    [0.6, 0.8, 1.0]
    """
    return _summary(_curves(array, zero_shot, statistic), confidence)


def family_differences(
    first: xr.Dataset,
    second: xr.Dataset,
    zero_shot: float | None = None,
    statistic: str = "error_mean",
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Compare two families at each noise level, seed by seed.

    Parameters
    ----------
    first, second : xarray.Dataset
        From `genexpy_nb.tradeoff.to_array`, with the same seeds and noise levels. Sizes are averaged over, so they
        should span the same range.
    zero_shot, statistic, confidence
        As in `noise_curve`.

    Returns
    -------
    DataFrame
        ssim; value, low, high: the mean difference, first minus second, and Student's paired interval over the seeds;
        first_lower, second_lower: in how many seeds the statistic of that family is lower; n_seeds.

    Raises
    ------
    ParameterError
        If the seeds or noise levels are not the same, or there is no such level or statistic.

    Examples
    --------
    >>> from genexpy_nb.tradeoff.array import example_table, to_array
    >>> array = to_array(example_table(n_seeds=3))
    >>> family_differences(array, array + 0.1)[["ssim", "first_lower", "n_seeds"]].iloc[0].to_dict()
    {'ssim': 0.6, 'first_lower': 3.0, 'n_seeds': 3.0}
    """
    one, other = _curves(first, zero_shot, statistic), _curves(second, zero_shot, statistic)
    for name in ("seed", "ssim"):
        levels, others = one[name].to_numpy(), other[name].to_numpy()
        if not np.array_equal(levels, others):
            raise ParameterError(f"both families must have the same levels of {name}, got {levels} and {others}")
    difference = one - other
    table = _summary(difference, confidence)
    table["first_lower"] = (difference < 0).sum("seed").to_numpy()
    table["second_lower"] = (difference > 0).sum("seed").to_numpy()
    return table.assign(n_seeds=difference.sizes["seed"])


def _curves(array: xr.Dataset, zero_shot: float | None, statistic: str) -> xr.DataArray:
    """Return one curve per seed, (seed, ssim); missing cells are left out."""
    check_array(array)
    check_choice("statistic", statistic, STATISTICS)
    values = array[statistic] if "seed" in array.dims else array[statistic].expand_dims(seed=[0])
    if zero_shot is not None:
        levels = values["zero_shot"].to_numpy()
        near = np.isclose(levels, zero_shot, rtol=0, atol=5e-4)  # so that .167 finds 1/6
        if not near.any():
            raise ParameterError(f"zero_shot must be one of {', '.join(f'{z:.3g}' for z in levels)}, got {zero_shot}")
        values = values.isel(zero_shot=near)
    return values.mean(["zero_shot", "size"]).transpose("seed", "ssim")


def _summary(curves: xr.DataArray, confidence: float) -> pd.DataFrame:
    mean, low, high = seed_interval(curves.to_numpy(), confidence)
    return pd.DataFrame({"ssim": curves["ssim"].to_numpy(), "value": mean, "low": low, "high": high})
