"""Slices of the array, averaged for sign-errors."""

from __future__ import annotations

import pandas as pd
import xarray as xr

from genexpy_nb.tradeoff.array import STATISTICS, NoiseAxis, cells_there


def same_cells(array: xr.Dataset, dimension: str) -> xr.Dataset:
    """Keep what every level of a dimension has, so that means along it are over the same cells."""
    keep = cells_there(array).all(dimension)
    return array.assign({name: array[name].where(keep) for name in STATISTICS})


def slice_marginal(array: xr.Dataset, slice: str = "ssim") -> pd.DataFrame:
    """Average the error per seed and size over the slice SSIM = 1 or ZeroShot = 0 (Eq. 6, reconstructed)."""
    clean = 1.0 if NoiseAxis.of(array).column == "ssim" else array["ssim"].to_numpy()[-1]
    cells = array["error_mean"].sel({slice: {"ssim": clean, "zero_shot": 0.0}[slice]}, drop=True)
    if "seed" not in cells.dims:
        cells = cells.expand_dims(seed=[0])
    over = "zero_shot" if slice == "ssim" else "ssim"
    table = xr.Dataset({"estimate": cells.mean(over), "n_cells": cells.notnull().sum(over)})
    table = table.transpose("seed", "size").to_dataframe().reset_index()
    table.insert(0, "slice", slice)
    return table
