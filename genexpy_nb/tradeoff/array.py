"""From a table of error rates and Kappas per class to the array of statistics: ZeroShot share x SSIM x model size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy import stats

from genexpy_nb.common.checks import MISSING, check_choice, check_columns
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.rankings import round_significant

#: The dimensions of the array, in their order.
DIMENSIONS = ("zero_shot", "ssim", "size")

#: What a cell is described by: mean, standard deviation and 10th percentile over its classes.
STATISTICS = ("error_mean", "error_std", "error_p10", "kappa_mean", "kappa_std", "kappa_p10")

#: Versions of Kappa and their columns: the paper's text, the code of its tables, the authors' later article.
KAPPAS = {"conflict": "conflict", "conflict_abs": "conflict_abs", "cohen": "kappa"}

#: Which end of the noise axis is clean.
CLEANER = ("high", "low")

# Column: lowest value, highest value, whether these two themselves are accepted.
_RANGES = {
    "zero_shot": (0.0, 1.0, True, False),
    "ssim": (0.0, 1.0, False, True),
    "size": (0.0, np.inf, False, False),
    "error_rate": (0.0, 1.0, True, True),
    "gap": (-1.0, 1.0, True, True),
    "kappa": (0.0, 2.0, True, True),
    "conflict": (-1.0, 1.0, True, True),
    "conflict_abs": (0.0, 1.0, True, True),
}
_SLACK = 1e-9  # 1 - Kappa may come out as -2.2e-16


@dataclass(frozen=True)
class NoiseAxis:
    """What the noise axis of an array is called, and which end of it is clean."""

    column: str = "ssim"
    cleaner: str = "high"

    @classmethod
    def of(cls, array: xr.Dataset) -> NoiseAxis:
        """Return the noise axis of an array; SSIM where it does not say."""
        return cls(array.attrs.get("noise", "ssim"), array.attrs.get("cleaner", "high"))

    @property
    def name(self) -> str:
        """How it is written in figures and tables."""
        return "SSIM" if self.column == "ssim" else self.column

    @property
    def label(self) -> str:
        """What figures write below it; all of them have the noisy end at the right."""
        return f"{self.name}{', 1 = clean' if self.column == 'ssim' else ''}; noise grows to the right"

    def cleanliness(self, levels: Any) -> np.ndarray:
        """Return levels as numbers that grow with cleanliness."""
        return np.asarray(levels, dtype=float) * (1.0 if self.cleaner == "high" else -1.0) + 0.0


def to_array(
    table: pd.DataFrame,
    error: str = "error_rate",
    kappa: str = "kappa",
    missing: str = "error",
    noise: str = "ssim",
    cleaner: str = "high",
) -> xr.Dataset:
    """Describe each cell of a grid by six statistics over its classes (step 2 of the paper's metric).

    Parameters
    ----------
    table : DataFrame, one row per class of a cell
        Columns ``zero_shot`` in [0, 1), ``ssim`` in (0, 1], ``size`` > 0, ``class``, and those named below, of one
        ``family``; with a column ``seed`` each seed gets an array of its own.
    error, kappa : str
        Columns of errors (``error_rate``, ``gap``, or any other) and of Kappas (see `class_metrics`).
    missing : {"error", "drop"}
        Cells of the grid that the table lacks, or in which an error or Kappa is NaN: an error, or NaN in the array.
    noise, cleaner : str
        Column of the noise axis, if it is not SSIM, and whether ``high`` or ``low`` values of it mean little noise.

    Returns
    -------
    xarray.Dataset
        Dimensions (``seed``,) ``zero_shot``, ``ssim`` (the noise axis, from noisy to clean), ``size``. The variables
        are the `STATISTICS` (divisor n, linear interpolation) and ``n_classes``, 0 where a cell is missing.

    Examples
    --------
    >>> from genexpy_nb.datasets import load_tradeoff_cells
    >>> cells = load_tradeoff_cells()
    >>> dict(to_array(cells[cells["family"] == "convolutions"]).sizes)
    {'seed': 10, 'zero_shot': 6, 'ssim': 9, 'size': 8}
    """
    check_choice("missing", missing, MISSING)
    check_choice("cleaner", cleaner, CLEANER)
    if kappa not in table:
        kappa = KAPPAS.get(kappa, kappa)
    if noise in (others := ("seed", "zero_shot", "size", "class", "family", error, kappa)):
        raise ParameterError(f"noise must not be one of {', '.join(map(repr, others))}, got {noise!r}")
    keys = _keys(table, error, kappa, noise)
    called = [noise if name == "ssim" else name for name in keys]  # for messages: the columns of the table
    levels, codes = {}, []
    for name, values in keys.items():
        code, levels[name] = pd.factorize(values, sort=True)
        codes.append(code)
    shape = tuple(len(level) for level in levels.values())
    cell = np.ravel_multi_index(codes, shape)
    twice = pd.DataFrame({"cell": cell, "class": table["class"].to_numpy()}).duplicated().to_numpy()
    if twice.any():
        row = int(twice.argmax())
        hint = "" if "seed" in keys else "; several runs need a column 'seed'"
        where = ", ".join(f"{name}={np.asarray(keys[key])[row]}" for name, key in zip(called, keys, strict=True))
        raise StudyError(
            f"class {table['class'].iloc[row]!s} is there twice in the cell {where}, the second time in row "
            f"{table.index[row]!s} ({int(twice.sum())} such rows){hint}"
        )

    numbers = {column: _numbers(table, column, missing == "error") for column in (error, kappa)}
    n_classes = np.bincount(cell, minlength=np.prod(shape))
    for values in numbers.values():
        n_classes[cell[np.isnan(values)]] = 0  # such a cell is missing as a whole
    if missing == "error" and not n_classes.all():
        raise StudyError(_absent(n_classes == 0, dict(zip(called, levels.values(), strict=True))))
    variables = {"n_classes": n_classes}
    for prefix, column in (("error", error), ("kappa", kappa)):
        order = np.lexsort((numbers[column], cell))  # sorted: the order of the rows must not show in the last bits
        classes = pd.Series(numbers[column][order]).groupby(cell[order])
        found = {"mean": classes.mean(), "std": classes.std(ddof=0), "p10": classes.quantile(0.1)}
        for name, of_cells in found.items():
            of_all = of_cells.reindex(range(n_classes.size)).to_numpy()
            variables[f"{prefix}_{name}"] = np.where(n_classes > 0, of_all, np.nan)
    array = xr.Dataset(
        {name: (list(levels), variables[name].reshape(shape)) for name in (*STATISTICS, "n_classes")},
        coords=levels,
        attrs={
            **{"error": error, "kappa": kappa, "noise": noise, "cleaner": cleaner},
            "n_missing": int((n_classes == 0).sum()),
        },
    )
    if cleaner == "low":
        array = array.isel(ssim=slice(None, None, -1))
    if "family" in table:
        array.attrs["family"] = table["family"].iloc[0]
    return array


def cells_there(array: xr.Dataset) -> xr.DataArray:
    """Return which cells have all of their statistics in every seed."""
    there = array[list(STATISTICS)].to_dataarray("statistic").notnull()
    return there.all([name for name in ("statistic", "seed") if name in there.dims])


def over_seeds(array: xr.Dataset) -> xr.Dataset:
    """Return the mean of each statistic over the seeds; an array without seeds comes back as it is.

    Parameters
    ----------
    array : xarray.Dataset
        From `to_array`. A cell that is missing for one seed is missing in the mean.

    Returns
    -------
    xarray.Dataset
        Without the dimension ``seed``; ``n_classes`` is the smallest of the seeds.
    """
    check_array(array)
    if "seed" not in array.dims:
        return array
    means = array[list(STATISTICS)].mean("seed", skipna=False)
    if "n_classes" in array:
        means["n_classes"] = array["n_classes"].min("seed")
    missing = int(means["error_mean"].isnull().sum())
    means.attrs = array.attrs | {"n_missing": missing, "n_seeds": array.sizes["seed"]}
    return means


def objective(array: xr.Dataset) -> xr.DataArray:
    """Return F, the sum of the statistics (Eq. 3), for every cell; NaN where one is missing."""
    return array[list(STATISTICS)].to_dataarray("statistic", name="objective").sum("statistic", skipna=False)


def seed_interval(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Average over the seeds, with Student's 95 % interval."""
    n_seeds, estimate = len(values), values.mean(axis=0)
    if n_seeds < 2:
        return estimate, np.full_like(estimate, np.nan), np.full_like(estimate, np.nan)
    half = stats.t.ppf(0.975, n_seeds - 1) * values.std(axis=0, ddof=1) / np.sqrt(n_seeds)
    return estimate, estimate - half, estimate + half


def check_array(array: Any) -> None:
    """Raise `ParameterError` unless an array is of the kind that `to_array` returns."""
    if not isinstance(array, xr.Dataset):
        raise ParameterError(f"array must be an xarray.Dataset, as from to_array, got {type(array).__name__}")
    for name in STATISTICS:
        if name not in array:
            raise ParameterError(f"array has no variable {name!r}; it needs {', '.join(STATISTICS)}")
    dims = array["error_mean"].dims
    if dims not in (DIMENSIONS, ("seed", *DIMENSIONS)) or any(array[name].dims != dims for name in STATISTICS):
        raise ParameterError(f"array must have the dimensions {', '.join(DIMENSIONS)}, perhaps seed first, got {dims}")
    for name in DIMENSIONS:
        levels = array[name].to_numpy()
        falling = name == "ssim" and NoiseAxis.of(array).cleaner == "low"  # from noisy to clean
        if not len(levels) or (np.diff(levels[::-1] if falling else levels) <= 0).any():
            raise ParameterError(f"the coordinates {name!r} must be those of to_array, in their order, got {levels}")


# --- checks -----------------------------------------------------------------------------------------------------------


def _keys(table: Any, error: str, kappa: str, noise: str) -> dict[str, Any]:
    """Return what tells one cell from another, rounded; everything about these columns is checked."""
    columns = {"zero_shot": "zero_shot", "ssim": noise, "size": "size"}
    check_columns(table, (*columns.values(), "class", error, kappa))
    if not table.columns.is_unique:
        raise StudyError(f"two columns are named {table.columns[table.columns.duplicated()][0]!r}")
    if table.empty:
        raise StudyError("the table has no rows")
    for name in ("family", "seed", "class"):
        if name in table and table[name].isna().any():
            raise StudyError(f"column {name!r} is empty in row {table.index[table[name].isna()][0]!r}")
    families = table["family"].unique() if "family" in table else ()
    if len(families) > 1:
        raise StudyError(
            f"the table holds {len(families)} families ({', '.join(map(repr, list(families)))}), an array describes "
            "one: choose it first, table[table['family'] == ...]"
        )
    keys = {"seed": table["seed"]} if "seed" in table else {}
    for name, column in columns.items():
        values = _numbers(table, column, coordinate=True)
        keys[name] = values.astype(np.int64) if pd.api.types.is_integer_dtype(table[column]) else values
    return keys


def _numbers(table: pd.DataFrame, column: str, complete: bool = True, coordinate: bool = False) -> np.ndarray:
    """Return a column as floats, all within its range; coordinates rounded, or .6 and .6000000000000001 are two."""
    given = table[column]
    values = pd.to_numeric(given, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    low, high, with_low, with_high = _RANGES.get(column, (-np.inf, np.inf, False, False))
    slack = 0.0 if coordinate else _SLACK
    if coordinate:
        values = round_significant(values)
    below = values < low - slack if with_low else values <= low
    above = values > high + slack if with_high else values >= high
    lost = np.isnan(values)
    for bad, wanted in (
        (lost & given.notna().to_numpy(), "must be a number"),
        (lost if complete else np.zeros_like(lost), "must not be missing"),
        (below | above, f"must be in {'[' if with_low else '('}{low:g}, {high:g}{']' if with_high else ')'}"),
    ):
        if bad.any():
            row = int(bad.argmax())
            hint = "; missing='drop' leaves its cell out" if wanted.endswith("missing") and not coordinate else ""
            raise StudyError(
                f"column {column!r} {wanted}, got {given.iloc[row]!s} in row {table.index[row]!s} "
                f"({int(bad.sum())} such rows){hint}"
            )
    return values


def _absent(absent: np.ndarray, levels: dict[str, Any]) -> str:
    """Word which cells are absent, and the likeliest reason."""
    shape = tuple(len(level) for level in levels.values())
    absent = absent.reshape(shape)
    named = [
        ", ".join(f"{name}={level[i]!s}" for (name, level), i in zip(levels.items(), position, strict=True))
        for position in np.argwhere(absent)[:3]
    ]
    said = f"{int(absent.sum())} of the {absent.size} cells of the grid are missing: {'; '.join(named)}"
    said += "; and so on" if absent.sum() > len(named) else ""
    same = "; all seeds must have the same levels" if "seed" in levels else ""
    return f"{said}. missing='drop' leaves them empty{same}"
