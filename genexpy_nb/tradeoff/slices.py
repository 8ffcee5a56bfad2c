"""The array along one dimension: marginals, the bounds that the paper reads off them, and slices for sign-errors."""

from __future__ import annotations

import pandas as pd
import xarray as xr

from genexpy_nb.tradeoff.array import DIMENSIONS, STATISTICS, NoiseAxis, cells_there, seed_interval
from genexpy_nb.tradeoff.point import TradeoffPoint

_BOUNDS = {"error_mean": "generalization bound", "kappa_mean": "diversity bound"}


def same_cells(array: xr.Dataset, dimension: str) -> xr.Dataset:
    """Keep what every level of a dimension has, so that means along it are over the same cells."""
    keep = cells_there(array).all(dimension)
    return array.assign({name: array[name].where(keep) for name in STATISTICS})


def marginals(array: xr.Dataset) -> pd.DataFrame:
    """Average each statistic over two of the dimensions, level by level of the third (Eq. 5, reconstructed).

    The means of all levels are over the same cells.
    """
    cells = array[list(STATISTICS)].to_dataarray("statistic")
    if "seed" not in cells.dims:
        cells = cells.expand_dims(seed=[0])
    cells = cells.where(cells.notnull().all(["statistic", "seed"]))
    parts = []
    for name in DIMENSIONS:
        axes, others = ("statistic", name), [other for other in DIMENSIONS if other != name]
        part = cells.where(cells.notnull().all(name))
        means = part.mean(others).transpose("seed", *axes)
        numbers = zip(("estimate", "low", "high"), seed_interval(means.to_numpy()), strict=True)
        table = xr.Dataset({key: (axes, values) for key, values in numbers}, {axis: means[axis] for axis in axes})
        table["n_cells"] = part.isel(statistic=0, seed=0, drop=True).count(others)
        frame = table.to_dataframe(axes).reset_index()
        parts.append(frame.rename(columns={name: "level"}).assign(dimension=name))
    table = pd.concat(parts, ignore_index=True).astype({"level": float})
    return table[["dimension", "level", "statistic", "estimate", "low", "high", "n_cells"]]


def at_point(marginals: pd.DataFrame, point: TradeoffPoint) -> pd.DataFrame:
    """Read the marginals at a trade-off point: the generalization bound and the diversity bound, three times each."""
    rows = []
    for statistic, bound in _BOUNDS.items():
        for name in DIMENSIONS:
            level = float(getattr(point, name))
            chosen = marginals[
                (marginals["statistic"] == statistic) & (marginals["dimension"] == name) & (marginals["level"] == level)
            ]
            rows.append((bound, name, level, *chosen[["estimate", "low", "high"]].iloc[0]))
    return pd.DataFrame(rows, columns=["bound", "dimension", "level", "estimate", "low", "high"])


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
