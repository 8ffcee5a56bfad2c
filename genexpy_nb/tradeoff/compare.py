"""Which of two families errs less, and where; and how much of it unseen classes do: paired differences over seeds."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import xarray as xr

from genexpy_nb.common.checks import check_choice
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.rankings import SIGNIFICANT_DIGITS
from genexpy_nb.tradeoff.array import STATISTICS, NoiseAxis, cells_there, check_array, over_seeds, seed_interval

__all__ = [
    "comparable_families",
    "control_curves",
    "family_differences",
    "kappa_correlations",
    "noise_curve",
    "split_rise",
]


def comparable_families(arrays: Mapping[str, xr.Dataset]) -> dict[str, xr.Dataset]:
    """Cut families down to what all of them have, so that means over sizes can be compared at every noise level.

    Parameters
    ----------
    arrays : mapping of str to xarray.Dataset
        Family -> array from `genexpy_nb.tradeoff.to_array`.

    Returns
    -------
    dict of str to xarray.Dataset
        The same families with the seeds, noise levels and shares of unseen classes that all have. If cells are missing
        then, a size counts for a share only if every family has it, at each noise level and seed: other cells are NaN,
        and levels and shares without such a size are left out. Empty if nothing is left. Without missing cells, each
        family keeps its own sizes.

    Raises
    ------
    ParameterError
        If there is no array, or one is of another kind.

    Examples
    --------
    >>> from genexpy_nb.datasets import load_tradeoff_cells
    >>> from genexpy_nb.tradeoff import to_array
    >>> cells = load_tradeoff_cells().query("not (family == 'perceptrons' and seed > 2)")
    >>> arrays = {family: to_array(part) for family, part in cells.groupby("family")}
    >>> {family: dict(array.sizes)["seed"] for family, array in comparable_families(arrays).items()}
    {'convolutions': 3, 'perceptrons': 3}
    """
    if not arrays:
        raise ParameterError("arrays must hold at least one family")
    for array in arrays.values():
        check_array(array)
    cut = _shared(
        arrays, [name for name in ("seed", "zero_shot", "ssim") if all(name in a.dims for a in arrays.values())]
    )
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
        ``ssim``, ``estimate``, ``low``, ``high``: the mean over the seeds and Student's interval, NaN with a single
        seed.

    Raises
    ------
    ParameterError
        If there is no such share (to three decimals) or statistic, or the confidence is out of range.

    Examples
    --------
    >>> from genexpy_nb.datasets import load_tradeoff_cells
    >>> from genexpy_nb.tradeoff import to_array
    >>> cells = load_tradeoff_cells()
    >>> noise_curve(to_array(cells[cells["family"] == "convolutions"]), zero_shot=0.5).tail(2).round(3)
       ssim  estimate    low   high
    7  0.95     0.041  0.035  0.046
    8  1.00     0.018  0.013  0.022
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
        should span the same range. Each family's missing cells are left out of its own means: where cells are missing,
        cut both down with `comparable_families` first.
    zero_shot, statistic, confidence
        As in `noise_curve`.

    Returns
    -------
    DataFrame
        ``ssim``; ``estimate``, ``low``, ``high``: the mean difference, first minus second, and Student's paired
        interval over the seeds; ``n_first_lower``, ``n_second_lower``: in how many seeds the statistic of that family
        is lower, at 12 significant digits; ``n_seeds``.

    Raises
    ------
    ParameterError
        If the seeds or noise levels are not the same, there is no such share or statistic, or the confidence is out of
        range.

    Examples
    --------
    >>> from genexpy_nb.datasets import load_tradeoff_cells
    >>> from genexpy_nb.tradeoff import to_array
    >>> convolutions, perceptrons = (to_array(part) for _, part in load_tradeoff_cells().groupby("family"))
    >>> clean = family_differences(convolutions, perceptrons, zero_shot=0.5).tail(1)
    >>> clean[["ssim", "estimate", "low", "high", "n_first_lower", "n_seeds"]].round(3)
       ssim  estimate   low  high  n_first_lower  n_seeds
    8   1.0    -0.045 -0.05 -0.04             10       10
    """
    one, other = _curves(first, zero_shot, statistic), _curves(second, zero_shot, statistic)
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
    equal = np.abs(difference) <= 10.0**-SIGNIFICANT_DIGITS * np.maximum(np.abs(one), np.abs(other))
    difference = difference.where(~equal, 0.0)
    table = _summary(difference, confidence)
    table["n_first_lower"] = (difference < 0).sum("seed").to_numpy()
    table["n_second_lower"] = (difference > 0).sum("seed").to_numpy()
    return table.assign(n_seeds=difference.sizes["seed"])


def control_curves(
    array: xr.Dataset, control: xr.Dataset, statistic: str = "error_mean", confidence: float = 0.95
) -> pd.DataFrame:
    """Average a statistic for each noise level: few classes, more of which some are unseen, and as many all seen.

    Parameters
    ----------
    array : xarray.Dataset
        From `genexpy_nb.tradeoff.to_array`; its smallest and its largest ZeroShot are used.
    control : xarray.Dataset
        Of models that had seen all classes, ZeroShot 0.
    statistic, confidence
        As in `noise_curve`.

    Returns
    -------
    DataFrame
        ``condition``, and the columns of `noise_curve`.

    Raises
    ------
    ParameterError
        As `noise_curve`, or if the array has a single ZeroShot, or the control another than 0.

    Examples
    --------
    >>> from genexpy_nb.datasets import load_tradeoff_cells, load_tradeoff_control
    >>> from genexpy_nb.tradeoff import to_array
    >>> cells, control = (t[t["family"] == "convolutions"] for t in (load_tradeoff_cells(), load_tradeoff_control()))
    >>> curves = control_curves(to_array(cells), to_array(control))
    >>> curves[curves["ssim"] == 1].round(3)
                   condition  ssim  estimate    low   high
    8    5 classes, all seen   1.0     0.004  0.000  0.007
    17  10 classes, 5 unseen   1.0     0.018  0.013  0.022
    26  10 classes, all seen   1.0     0.011  0.008  0.014
    """
    parts = []
    for condition in _conditions(array, control):
        n_classes, share = int(condition["n_classes"].max()), float(condition["zero_shot"].to_numpy()[0])
        name = f"{n_classes} classes, {f'{round(share * n_classes)} unseen' if share else 'all seen'}"
        parts.append(noise_curve(condition, statistic=statistic, confidence=confidence).assign(condition=name))
    table = pd.concat(parts, ignore_index=True)
    return table[["condition", *table.columns.drop("condition")]]


def split_rise(
    array: xr.Dataset, control: xr.Dataset, statistic: str = "error_mean", confidence: float = 0.95
) -> pd.DataFrame:
    """Split the rise from few seen classes to more, partly unseen ones: because they are more, or are unseen.

    Parameters
    ----------
    array, control, statistic, confidence
        As in `control_curves`; with the same seeds and noise levels.

    Returns
    -------
    DataFrame
        ``cause`` (``more``: the control minus the smallest ZeroShot; ``unseen``: the largest minus the control), and
        the columns of `family_differences`. The two causes add up to the rise.

    Raises
    ------
    ParameterError
        As `family_differences`, or if the array has a single ZeroShot, or the control another than 0.

    Examples
    --------
    >>> from genexpy_nb.datasets import load_tradeoff_cells, load_tradeoff_control
    >>> from genexpy_nb.tradeoff import to_array
    >>> cells, control = (t[t["family"] == "convolutions"] for t in (load_tradeoff_cells(), load_tradeoff_control()))
    >>> rise = split_rise(to_array(cells), to_array(control))
    >>> rise.loc[rise["ssim"] == 1, ["cause", "ssim", "estimate", "low", "high"]].round(3)
         cause  ssim  estimate    low  high
    8     more   1.0     0.007  0.004  0.01
    17  unseen   1.0     0.007  0.003  0.01
    """
    few, unseen, seen = _conditions(array, control)
    parts = [
        family_differences(*pair, statistic=statistic, confidence=confidence).assign(cause=cause)
        for cause, pair in (("more", (seen, few)), ("unseen", (unseen, seen)))
    ]
    table = pd.concat(parts, ignore_index=True)
    return table[["cause", *table.columns.drop("cause")]]


def kappa_correlations(arrays: Mapping[str, Mapping[str, xr.Dataset]], part: str = "mean") -> pd.DataFrame:
    """Correlate error and Kappa over the cells of each family: do they measure the same?

    Parameters
    ----------
    arrays : mapping of str to mapping of str to xarray.Dataset
        Edition of Kappa -> family -> array from `genexpy_nb.tradeoff.to_array`. With seeds, their means are used.
    part : {"mean", "std", "p10"}
        Which statistics over the classes.

    Returns
    -------
    DataFrame, rows are editions, columns families
        Pearson's correlation over the cells that are there; NaN if there are fewer than three, or one of the two is the
        same in all of them.

    Raises
    ------
    ParameterError
        If the part is unknown, or an array of another kind.

    Examples
    --------
    >>> from genexpy_nb.datasets import load_tradeoff_cells
    >>> from genexpy_nb.tradeoff import to_array
    >>> cells = load_tradeoff_cells()
    >>> cells = cells[cells["family"] == "convolutions"]
    >>> editions = {name: {"networks": to_array(cells, kappa=name)} for name in ("conflict", "cohen")}
    >>> kappa_correlations(editions).round(2)["networks"].to_dict()
    {'conflict': 0.62, 'cohen': 1.0}
    """
    check_choice("part", part, ("mean", "std", "p10"))
    found: dict[str, dict[str, float]] = {}
    for edition, families in arrays.items():
        for family, array in families.items():
            means = over_seeds(array)
            pair = np.stack([means[f"{kind}_{part}"].to_numpy().ravel() for kind in ("error", "kappa")])
            pair = pair[:, ~np.isnan(pair).any(axis=0)]
            told = pair.shape[1] > 2 and (np.ptp(pair, axis=1) > 1e-12).all()
            found.setdefault(edition, {})[family] = float(np.corrcoef(pair)[0, 1]) if told else np.nan
    return pd.DataFrame.from_dict(found, orient="index").rename_axis("edition")


def _conditions(array: xr.Dataset, control: xr.Dataset) -> tuple[xr.Dataset, xr.Dataset, xr.Dataset]:
    """Return the smallest and the largest ZeroShot of an array, and the control."""
    check_array(array)
    check_array(control)
    if array.sizes["zero_shot"] < 2:
        raise ParameterError("array has one share of unseen classes: there is nothing to compare")
    if control["zero_shot"].to_numpy().tolist() != [0]:
        raise ParameterError(f"control must have no unseen classes, got the ZeroShot {control['zero_shot'].to_numpy()}")
    return array.isel(zero_shot=[0]), array.isel(zero_shot=[-1]), control


def _curves(array: xr.Dataset, zero_shot: float | None, statistic: str) -> xr.DataArray:
    """Return one curve per seed, (seed, ssim); missing cells are left out."""
    check_array(array)
    check_choice("statistic", statistic, STATISTICS)
    values = array[statistic] if "seed" in array.dims else array[statistic].expand_dims(seed=[0])
    if zero_shot is not None:
        levels = values["zero_shot"].to_numpy()
        nearest = int(np.abs(levels - zero_shot).argmin())
        if not abs(levels[nearest] - zero_shot) <= 5e-4:  # so that .167 finds 1/6
            raise ParameterError(f"zero_shot must be one of {', '.join(f'{z:.3g}' for z in levels)}, got {zero_shot}")
        values = values.isel(zero_shot=[nearest])
    return values.mean(["zero_shot", "size"]).transpose("seed", "ssim")


def _summary(curves: xr.DataArray, confidence: float) -> pd.DataFrame:
    estimate, low, high = seed_interval(curves.to_numpy(), confidence)
    return pd.DataFrame({"ssim": curves["ssim"].to_numpy(), "estimate": estimate, "low": low, "high": high})


def _shared(arrays: Mapping[str, xr.Dataset], names: list[str]) -> dict[str, xr.Dataset]:
    """Choose the levels that all arrays have, in the order of the first one."""
    first, *others = arrays.values()
    levels = {
        name: [level for level in first[name].to_numpy().tolist() if all(level in a[name].to_numpy() for a in others)]
        for name in names
    }
    return {family: array.sel(levels) for family, array in arrays.items()}
