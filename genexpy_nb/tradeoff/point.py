"""Where error and diversity are traded against hardness and size: the trade-off point, and what moves it.

Everything is exact by enumeration: a grid has a few hundred cells. The desired corner of the grid is low SSIM (much
noise), high ZeroShot (many unseen classes) and a small model; ``x = (SSIM, 1 - ZeroShot, size)``, each scaled to [0, 1]
over the grid, is the distance from it. The opposite, easy corner is where errors are expected to be small.

With a dimension ``seed``, a cell counts if every seed has it, and its statistics are the means over the seeds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from genexpy_nb.common.checks import check_choice, check_number, suggest
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.random import generator
from genexpy_nb.common.rankings import round_significant
from genexpy_nb.tradeoff.array import DIMENSIONS, NoiseAxis, check_array, objective, over_seeds

METHODS = ("weighted", "minimax")

_X = ("ssim", "zero_shot", "size")  # the paper's order of x_1, x_2, x_3


@dataclass(frozen=True, eq=False, repr=False)
class TradeoffPoint:
    """A cell of the grid, what was minimized there (``value``), F (``objective``), and how many cells tie."""

    zero_shot: float
    ssim: float
    size: float
    value: float
    objective: float
    method: str
    n_ties: int
    n_seeds: int

    def __repr__(self) -> str:
        ties = f", n_ties={self.n_ties}" if self.n_ties else ""
        return (
            f"TradeoffPoint(zero_shot={self.zero_shot:g}, ssim={self.ssim:g}, size={self.size:.12g}, "
            f"value={self.value:.4g}, method={self.method!r}{ties})"
        )


def tradeoff_point(
    array: xr.Dataset, weights: float | Mapping[str, float] = 1.0, method: str = "weighted"
) -> TradeoffPoint:
    """Find the cell with the best compromise between small errors, much noise, many unseen classes and a small model.

    Parameters
    ----------
    array : xarray.Dataset
        From `genexpy_nb.tradeoff.to_array`. With seeds, their means are used.
    weights : float or dict
        One for all, or some of ``{"ssim": ..., "zero_shot": ..., "size": ...}``, at least 0; 1 where none is given.
    method : {"weighted", "minimax"}
        Minimize ``F + sum_d w_d x_d^2``, or, without weights, ``max(F~, x_1, x_2, x_3)``, F~ being F scaled to [0, 1].

    Returns
    -------
    TradeoffPoint
        Among ties, the smaller ``F~ + x_1 + x_2 + x_3`` wins, then the lower SSIM, then the higher ZeroShot.

    Notes
    -----
    Eq. 4 of A practical generalization metric for deep networks benchmarking, reconstructed. The point moves with the
    weights at least as much as with the models (notebook 07).

    Examples
    --------
    >>> from genexpy_nb.datasets import load_tradeoff_cells
    >>> from genexpy_nb.tradeoff import to_array
    >>> cells = load_tradeoff_cells()
    >>> array = to_array(cells[cells["family"] == "convolutions"])
    >>> tradeoff_point(array)
    TradeoffPoint(zero_shot=0.444444, ssim=0.9, size=4214, value=0.8246, method='weighted')
    """
    options = _options(weights, method)
    means = over_seeds(array)
    grid = _grid(means)
    f = _flat(objective(means), grid)
    found = _solve(f, grid.x, options)
    if found.chosen < 0:
        raise ParameterError("array has no cell that every seed has: there is no point to choose")
    return TradeoffPoint(
        **dict(zip(DIMENSIONS, grid.coordinates[found.chosen].tolist(), strict=True)),
        value=float(found.value),
        objective=float(f[found.chosen]),
        method=method,
        n_ties=int(found.n_ties),
        n_seeds=array.sizes.get("seed", 1),
    )


def tradeoff_points_by_seed(array: xr.Dataset, weights: float | Mapping[str, float] = 1.0) -> pd.DataFrame:
    """Find the trade-off point of each seed on its own.

    Parameters
    ----------
    array : xarray.Dataset
        With seeds, from `to_array`.
    weights
        See `tradeoff_point`.

    Returns
    -------
    DataFrame
        seed, the coordinates of its point, value (what is minimized), n_ties.
    """
    options = _options(weights, "weighted")
    check_array(array)
    if "seed" not in array.dims:
        raise ParameterError("array has no dimension 'seed'; tradeoff_point finds its one point")
    grid = _grid(array)
    found = _solve(_flat(objective(array), grid), grid.x, options)
    if (found.chosen < 0).any():
        raise ParameterError(f"array has no cell for seed {array['seed'].to_numpy()[found.chosen.argmin()]}")
    table = _points(grid, found.chosen)
    table.insert(0, "seed", array["seed"].to_numpy())
    return table.assign(value=found.value, n_ties=found.n_ties)


def bootstrap_points(
    array: xr.Dataset,
    n_resamples: int = 2000,
    rng: np.random.Generator | int = 0,
    weights: float | Mapping[str, float] = 1.0,
    method: str = "weighted",
) -> pd.DataFrame:
    """Resample the seeds, average, and find the point of each resample; one rng draws the same seeds of any family."""
    n_seeds, grid = array.sizes["seed"], _grid(array)
    f = _flat(objective(array), grid)
    counts = generator(rng).multinomial(n_seeds, np.full(n_seeds, 1 / n_seeds), size=n_resamples)
    return _points(grid, _solve(counts @ f / n_seeds, grid.x, _options(weights, method)).chosen)


def point_table(arrays: Mapping[str, xr.Dataset], weights: float | Mapping[str, float] = 1.0) -> pd.DataFrame:
    """Write the trade-off point of each family and method as a table to be read; attrs has its 95 % intervals."""
    noise = NoiseAxis.of(next(iter(arrays.values()))).name
    forms = {"ssim": (noise, "{:.3g}"), "zero_shot": ("ZeroShot", "{:.3g}"), "size": ("size", "{:,.12g}")}
    levels = [(1 - 0.95) / 2, (1 + 0.95) / 2]
    rows, intervals = [], dict[tuple[str, str, str], tuple[float, float]]()
    for (family, array), method in product(arrays.items(), METHODS):
        given = weights if method == "weighted" else 1.0
        point = tradeoff_point(array, given, method)
        row: dict[str, Any] = {"family": family, "method": method}
        row |= {label: form.format(getattr(point, name)) for name, (label, form) in forms.items()}
        if point.n_seeds > 1:
            drawn = bootstrap_points(array, weights=given, method=method)
            for name, (label, _) in forms.items():  # percentiles (Efron and Tibshirani 1993)
                ends = np.quantile(drawn[name].to_numpy(dtype=float), levels, method="inverted_cdf").round(3)
                row[label] += f" [{ends[0]:,.12g}, {ends[1]:,.12g}]"
                intervals[family, method, name] = (float(ends[0]), float(ends[1]))
        rows.append(row)
    table = pd.DataFrame(rows).set_index(["family", "method"])
    table.attrs["intervals"] = intervals
    return table


def weight_sensitivity(array: xr.Dataset) -> pd.DataFrame:
    """Find the trade-off point for many weights, the same for all three dimensions."""
    tried = np.geomspace(0.01, 10, 31)
    weights = np.array([_weights(float(weight)) for weight in tried])
    means = over_seeds(array)
    cells = _grid(means)
    found = _solve(_flat(objective(means), cells), cells.x, weights)
    table = _points(cells, found.chosen).assign(n_ties=found.n_ties)
    table.insert(0, "weight", tried)
    return table


# --- one problem, many right-hand sides -------------------------------------------------------------------------------


class _Grid(NamedTuple):
    order: np.ndarray  # (n_cells,) positions in the flattened array; among ties the earlier one wins
    coordinates: np.ndarray  # (n_cells, 3) zero_shot, ssim, size
    x: np.ndarray  # (n_cells, 3) ssim, 1 - zero_shot, size, each in [0, 1]
    integer: bool  # whether sizes are


class _Solved(NamedTuple):
    chosen: np.ndarray  # (...,) positions in the grid, -1 where all cells are missing
    value: np.ndarray
    n_ties: np.ndarray


def _grid(array: xr.Dataset) -> _Grid:
    levels = {name: array[name].to_numpy() for name in DIMENSIONS}
    scaled = [1 - levels["zero_shot"], NoiseAxis.of(array).cleanliness(levels["ssim"]), levels["size"].astype(float)]
    cells = np.stack(np.meshgrid(*levels.values(), indexing="ij"), axis=-1).reshape(-1, 3)
    x = np.stack(np.meshgrid(*map(_min_max, scaled), indexing="ij"), axis=-1).reshape(-1, 3)[:, [1, 0, 2]]
    order = np.lexsort(x.T[::-1])
    return _Grid(order, cells[order], x[order], np.issubdtype(levels["size"].dtype, np.integer))


def _flat(values: xr.DataArray, grid: _Grid) -> np.ndarray:
    """Return values per cell in the order of the grid, shape (n_cells,) or (n_seeds, n_cells)."""
    flat = values.to_numpy()
    return flat.reshape(*flat.shape[:-3], -1)[..., grid.order]


def _min_max(values: np.ndarray) -> np.ndarray:
    """Scale the last axis to [0, 1]; what is the same to 12 digits is 0, what is missing stays so."""
    low = np.nanmin(values, axis=-1, keepdims=True, initial=np.inf)
    high = np.nanmax(values, axis=-1, keepdims=True, initial=-np.inf)
    varies = high - low > 1e-12 * np.maximum(np.abs(low), np.abs(high))
    return np.where(varies | np.isnan(values), (values - low) / np.where(varies, high - low, 1.0), 0.0)


def _solve(f: np.ndarray, x: np.ndarray, weights: np.ndarray | None) -> _Solved:
    """Find the best cell for each row of F, shape (..., n_cells), or for each row of weights, shape (..., 3)."""
    scaled = _min_max(f)
    value = np.maximum(scaled, x.max(axis=1)) if weights is None else f + weights @ (x**2).T
    value = round_significant(np.where(np.isnan(value), np.inf, value))
    best = value.min(axis=-1, keepdims=True)
    tied = value == best
    second = np.where(tied, round_significant(np.where(np.isnan(scaled), np.inf, scaled + x.sum(axis=1))), np.inf)
    chosen = np.where(np.isfinite(best[..., 0]), second.argmin(axis=-1), -1)
    return _Solved(chosen, best[..., 0], tied.sum(axis=-1) - 1)


def _points(grid: _Grid, chosen: np.ndarray) -> pd.DataFrame:
    table = pd.DataFrame(grid.coordinates[chosen], columns=list(DIMENSIONS))
    return table.astype({"size": np.int64}) if grid.integer else table


# --- checks -----------------------------------------------------------------------------------------------------------


def _weights(weights: Any) -> np.ndarray:
    """Return the weights of SSIM, ZeroShot and size, shape (3,)."""
    given = dict(weights) if isinstance(weights, Mapping) else dict.fromkeys(_X, weights)
    for name, weight in given.items():
        if name not in _X:
            raise ParameterError(f"weights are of {', '.join(_X)}, got one of {name!r}{suggest(name, _X)}")
        check_number(f"the weight of {name}", weight, 0, ends="[)")
    return np.array([given.get(name, 1.0) for name in _X], dtype=float)


def _options(weights: Any, method: str) -> np.ndarray | None:
    """Check the options of a point; return the weights, or None where there are none."""
    check_choice("method", method, METHODS)
    checked = _weights(weights)
    if method == "weighted":
        return checked
    if (checked != 1).any():
        raise ParameterError(f"method 'minimax' has no weights, got {weights!r}")
    return None
