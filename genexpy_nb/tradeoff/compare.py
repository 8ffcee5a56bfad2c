"""Which of two families errs less, and where: paired differences over seeds; slices of an array for sign-errors."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import xarray as xr

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.rankings import negligible
from genexpy_nb.tradeoff.array import STATISTICS, NoiseAxis, cells_there, over_seeds, seed_interval


def comparable_families(arrays: Mapping[str, xr.Dataset]) -> dict[str, xr.Dataset]:
    """Cut families down to what all of them have, so that means over sizes can be compared at every noise level."""
    names = [n for n in ("seed", "zero_shot", "ssim") if all(n in array.dims for array in arrays.values())]
    cut = _shared(arrays, names)
    if all(array["error_mean"].notnull().all() for array in cut.values()):
        return cut if all(array["error_mean"].size for array in cut.values()) else {}
    cut = _shared(cut, ["size"])
    there = xr.concat([cells_there(array) for array in cut.values()], "family").all("family")
    if not there.any():
        return {}
    levels = there.any(["zero_shot", "size"])
    keep = there.sel(ssim=levels).all("ssim")
    if not keep.any():
        return {}
    shares = keep.any("size")
    return {
        family: array.where(keep)[list(STATISTICS)].sel(ssim=levels, zero_shot=shares).assign_attrs(array.attrs)
        for family, array in cut.items()
    }


def noise_curve(array: xr.Dataset, zero_shot: float | None = None) -> pd.DataFrame:
    """Average the error over the sizes, and the shares of unseen classes, for each noise level."""
    return _summary(_curves(array, zero_shot))


def family_differences(first: xr.Dataset, second: xr.Dataset, zero_shot: float | None = None) -> pd.DataFrame:
    """Compare two families at each noise level, seed by seed: the error of the first minus that of the second."""
    one, other = _curves(first, zero_shot), _curves(second, zero_shot)
    for name in ("seed", "ssim"):
        levels, others = one[name].to_numpy(), other[name].to_numpy()
        if not np.array_equal(levels, others):
            called = NoiseAxis.of(first).column if name == "ssim" else name
            raise ParameterError(
                f"both families must have the same levels of {called}, got {levels} and {others}; comparable_families "
                "cuts them down to those that both have"
            )
    difference = one - other
    # Means of the same errors, added up in another order, are the same: to 12 digits, as everywhere.
    equal = negligible(difference, np.maximum(np.abs(one), np.abs(other)))
    difference = difference.where(~equal, 0.0)
    return _summary(difference).assign(n_seeds=difference.sizes["seed"])


def kappa_correlations(arrays: Mapping[str, Mapping[str, xr.Dataset]]) -> pd.DataFrame:
    """Correlate error and Kappa over the cells with one share of unseen classes: version -> family -> its array."""
    found: dict[str, dict[tuple[str, float], float]] = {}
    for edition, families in arrays.items():
        for family, array in families.items():
            for share, means in over_seeds(array).groupby("zero_shot"):
                pair = np.stack([means[f"{kind}_mean"].to_numpy().ravel() for kind in ("error", "kappa")])
                pair = pair[:, ~np.isnan(pair).any(axis=0)]
                told = pair.shape[1] > 2 and (np.ptp(pair, axis=1) > 1e-12).all()
                found.setdefault(edition, {})[family, share] = float(np.corrcoef(pair)[0, 1]) if told else np.nan
    return pd.DataFrame.from_dict(found, orient="index").rename_axis("version")


def _curves(array: xr.Dataset, zero_shot: float | None) -> xr.DataArray:
    """Return one curve per seed, (seed, ssim); missing cells are left out."""
    values = array["error_mean"] if "seed" in array.dims else array["error_mean"].expand_dims(seed=[0])
    if zero_shot is not None:
        levels = values["zero_shot"].to_numpy()
        nearest = int(np.abs(levels - zero_shot).argmin())
        if not abs(levels[nearest] - zero_shot) <= 5e-4:  # so that .167 finds 1/6
            raise ParameterError(f"zero_shot must be one of {', '.join(f'{z:.3g}' for z in levels)}, got {zero_shot}")
        values = values.isel(zero_shot=[nearest])
    return values.mean(["zero_shot", "size"]).transpose("seed", "ssim")


def _summary(curves: xr.DataArray) -> pd.DataFrame:
    estimate, low, high = seed_interval(curves.to_numpy())
    return pd.DataFrame({"ssim": curves["ssim"].to_numpy(), "estimate": estimate, "low": low, "high": high})


def _shared(arrays: Mapping[str, xr.Dataset], names: list[str]) -> dict[str, xr.Dataset]:
    """Choose the levels that all arrays have, in the order of the first one."""
    first, *others = arrays.values()
    levels = {
        name: [level for level in first[name].to_numpy().tolist() if all(level in a[name].to_numpy() for a in others)]
        for name in names
    }
    return {family: array.sel(levels) for family, array in arrays.items()}


# --- slices of the array, averaged for sign-errors --------------------------------------------------------------------


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
