"""The trade-off point in the form of the authors' code: between the levels of the grid, with its scales and weights.

`genexpy_nb.tradeoff.tradeoff_point` chooses among the cells that were measured. The code that the authors published
with their article lets the point lie between the levels, where the statistics are interpolated, and puts only the size
on [0, 1]. Here is that form, solved from many starts instead of one.
``python -m runs.authors_point``, in ``data``, writes the tables that notebook 07 shows.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.lib.stride_tricks import sliding_window_view
from scipy.optimize import minimize, minimize_scalar

from genexpy_nb import chapters
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.datasets import load_tradeoff_cells
from genexpy_nb.tradeoff.array import KAPPAS, STATISTICS, NoiseAxis, objective, over_seeds, to_array

#: Weights of SSIM, ZeroShot and size, and of a penalty for the ends of the axes, as the authors' repository has them at
#: 67f9d7e: "cifar-100" in minimize_tradeoff.py, "equal" in tradeoff_point.py, the other two in comments of these files.
AUTHORS_WEIGHTS = {
    "cifar-100": {"ssim": 0.285, "zero_shot": 0.8, "size": 0.8, "ends": 0.0},
    "imagenet-1": {"ssim": 0.8, "zero_shot": 0.25, "size": 0.25, "ends": 0.0},
    "imagenet-2": {"ssim": 0.03, "zero_shot": 0.25, "size": 0.25, "ends": 0.0},
    "equal": {"ssim": 1.0, "zero_shot": 1.0, "size": 1.0, "ends": 0.5},
}

_SIZE_SCALES = ("linear", "log", "rank")
_STEEPNESS = 10.0  # of the penalty for the ends
# Where SLSQP starts within a box, in shares of its sides.
_CORNERS = list(product((0, 1), repeat=3))
_INSIDE = (0.5, 0.1, 0.9)


@dataclass(frozen=True)
class AuthorsPoint:
    """A trade-off point that may lie between the levels."""

    zero_shot: float
    ssim: float
    size: float
    value: float
    objective: float


def authors_point(
    array: xr.Dataset,
    weights: str | Mapping[str, float] = "cifar-100",
    *,
    scale: str = "authors",
    size_scale: str = "linear",
    between: bool = True,
) -> AuthorsPoint:
    """Find the trade-off point in the form of the authors' code."""
    problem = _Problem(array, weights, scale, size_scale)
    x, value = problem.best_cell()
    if between:
        for least, low, high in problem.boxes():
            if least >= value:
                break
            for share in _INSIDE:
                end = problem.descend(low + share * (high - low), low, high, ftol=1e-12)
                found = problem.value_and_slope(end)[0]
                if found < value:
                    x, value = end, found
    return problem.point(x)


def choice_sensitivity(arrays: Mapping[str, xr.Dataset], kappa: str) -> pd.DataFrame:
    """Find the authors' point again with one of their choices changed at a time."""
    held = arrays[kappa]
    tenfold = held.assign({name: 10 * held[name] for name in STATISTICS if name.startswith("kappa_")})
    tried = [
        ("as in the code", "weights cifar-100", authors_point(held)),
        ("scale", "all three on [0, 1]", authors_point(held, scale="unit")),
        *(("scale", f"size: {name}", authors_point(held, size_scale=name)) for name in _SIZE_SCALES[1:]),
        *(("weights", name, authors_point(held, name)) for name in list(AUTHORS_WEIGHTS)[1:]),
        ("between levels", "measured cells only", authors_point(held, between=False)),
        *(("Kappa", name, authors_point(array)) for name, array in arrays.items() if name != kappa),
        ("Kappa", "ten times as large", authors_point(tenfold)),
    ]
    rows = [(choice, option, point.zero_shot, point.ssim, point.size) for choice, option, point in tried]
    return pd.DataFrame(rows, columns=["choice", "option", "zero_shot", "ssim", "size"])


class _Problem:
    """What is minimized, over x = (noise, 1 - ZeroShot, size)."""

    def __init__(self, array: xr.Dataset, weights: str | Mapping[str, float], scale: str, size_scale: str) -> None:
        self.weights, self.penalty = _weights(weights)
        means = over_seeds(array)
        noise, size = NoiseAxis.of(means), means["size"].to_numpy().astype(float)
        sizes = {"linear": size, "log": np.log(size), "rank": np.arange(len(size), dtype=float)}[size_scale]
        x = [noise.cleanliness(means["ssim"]), 1 - means["zero_shot"].to_numpy()[::-1], sizes]
        for name, levels in zip((noise.column, "zero_shot", "size"), x, strict=True):
            if len(levels) < 2:
                raise ParameterError(f"array has one level of {name}: there is nothing to interpolate between")
        unit = [scale == "unit" or noise.column != "ssim", scale == "unit", True]
        self.x = [(v - v[0]) / (v[-1] - v[0]) if scaled else v for v, scaled in zip(x, unit, strict=True)]
        # What the levels are called, in the order of x; sizes are interpolated on their scale.
        self.levels = [means["ssim"].to_numpy().astype(float), means["zero_shot"].to_numpy()[::-1], size]
        self.log_size = size_scale == "log"
        self.f = objective(means).transpose("ssim", "zero_shot", "size").to_numpy()[:, ::-1]
        self.low, self.high = (np.array([levels[end] for levels in self.x]) for end in (0, -1))
        self.least_c = np.array([self._least(self._cost, d) for d in range(3)])
        self.least_x = np.array([self._least(self._wish, d) for d in range(3)])
        self._cells, self._levels = self.f.tolist(), [levels.tolist() for levels in self.x]

    def _least(self, cost: Callable[[float, int], float], d: int) -> float:
        """Return where a convex cost along one axis is least."""
        if not self.penalty:
            return float(self.low[d])
        return float(minimize_scalar(cost, bounds=(self.low[d], self.high[d]), args=(d,), options={"xatol": 1e-12}).x)

    def _ends(self, v: Any, d: int) -> Any:
        if not self.penalty:
            return 0.0
        near = np.exp(-_STEEPNESS * (v - self.low[d])) + np.exp(-_STEEPNESS * (self.high[d] - v))
        return self.penalty * near

    def _cost(self, c: Any, d: int) -> Any:
        return self.weights[d] * c**2 + self._ends(c, d)

    def _wish(self, v: Any, d: int) -> Any:
        """Return what is added to F at v on one axis, with the best c for it."""
        if not self.penalty:
            return self.weights[d] * v**2
        return self._ends(v, d) + self._cost(np.maximum(v, self.least_c[d]), d)

    def _wish_slope(self, v: float, d: int) -> float:
        if not self.penalty:
            return float(2 * self.weights[d] * v)

        def of_ends(v: float) -> float:
            near = np.exp(-_STEEPNESS * (self.high[d] - v)) - np.exp(-_STEEPNESS * (v - self.low[d]))
            return float(self.penalty * _STEEPNESS * near)

        of_c = 2 * self.weights[d] * v + of_ends(v) if v > self.least_c[d] else 0.0
        return of_ends(v) + of_c

    def value_and_slope(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        """Return what is minimized, and its slope; at a level that towards the right."""
        x = x.tolist()
        at, share, width = [], [], []
        for v, levels in zip(x, self._levels, strict=True):
            i = min(max(bisect_right(levels, v) - 1, 0), len(levels) - 2)
            at.append(i)
            width.append(levels[i + 1] - levels[i])
            share.append((v - levels[i]) / width[-1])
        (p, q, r), total, slope = share, 0.0, [0.0, 0.0, 0.0]
        for i, j, k in _CORNERS:
            f = self._cells[at[0] + i][at[1] + j][at[2] + k]
            a, b, c = (p if i else 1 - p), (q if j else 1 - q), (r if k else 1 - r)
            total += f * a * b * c
            slope[0] += f * b * c if i else -f * b * c
            slope[1] += f * a * c if j else -f * a * c
            slope[2] += f * a * b if k else -f * a * b
        wish = sum(float(self._wish(v, d)) for d, v in enumerate(x))
        return total + wish, np.array([slope[d] / width[d] + self._wish_slope(v, d) for d, v in enumerate(x)])

    def best_cell(self) -> tuple[np.ndarray, float]:
        cells = np.stack(np.meshgrid(*self.x, indexing="ij"), axis=-1)
        values = self.f + sum(self._wish(cells[..., d], d) for d in range(3))
        if np.isnan(values).all():
            raise ParameterError("array has no cell that every seed has: there is no point to choose")
        best = np.unravel_index(np.nanargmin(values), values.shape)
        return cells[best], float(values[best])

    def boxes(self) -> Iterator[tuple[float, np.ndarray, np.ndarray]]:
        """Return the boxes between neighbouring levels, the most promising first: a lower bound, and two ends."""
        self._check_complete()
        least = sliding_window_view(self.f, (2, 2, 2)).min(axis=(3, 4, 5))  # what is interpolated is not below
        for d, levels in enumerate(self.x):
            wish = self._wish(np.clip(self.least_x[d], levels[:-1], levels[1:]), d)
            least = least + np.expand_dims(wish, [other for other in range(3) if other != d])
        for at in np.argsort(least, axis=None, stable=True):
            place = np.unravel_index(at, least.shape)
            low, high = (np.array([levels[i + end] for i, levels in zip(place, self.x, strict=True)]) for end in (0, 1))
            yield float(least[place]), low, high

    def descend(self, start: np.ndarray, low: np.ndarray, high: np.ndarray, ftol: float = 1e-6) -> np.ndarray:
        """Return where SLSQP ends, or its start if that is better."""
        self._check_complete()
        bounds = list(zip(low, high, strict=True))
        found = minimize(self.value_and_slope, start, jac=True, method="SLSQP", bounds=bounds, options={"ftol": ftol})
        end = np.clip(found.x, low, high)
        return end if self.value_and_slope(end)[0] <= self.value_and_slope(start)[0] else np.asarray(start)

    def _check_complete(self) -> None:
        if np.isnan(self.f).any():
            raise ParameterError("array has missing cells: there is nothing to interpolate between; between=False")

    def point(self, x: np.ndarray) -> AuthorsPoint:
        cell = [np.flatnonzero(levels == v) for v, levels in zip(x, self.x, strict=True)]
        wishes = sum(float(self._wish(v, d)) for d, v in enumerate(x))
        if all(len(i) for i in cell):
            at = tuple(int(i[0]) for i in cell)
            noise, unseen, size = (float(levels[i]) for levels, i in zip(self.levels, at, strict=True))
            f = float(self.f[at])
        else:
            levels = [*self.levels[:2], np.log(self.levels[2]) if self.log_size else self.levels[2]]
            noise, unseen, size = (round(float(np.interp(*each)), 12) for each in zip(x, self.x, levels, strict=True))
            size = float(np.exp(size)) if self.log_size else size
            f = float(self.value_and_slope(x)[0] - wishes)
        return AuthorsPoint(zero_shot=unseen, ssim=noise, size=size, value=f + wishes, objective=f)


def _weights(weights: str | Mapping[str, float]) -> tuple[np.ndarray, float]:
    """Return the weights of noise, ZeroShot and size, shape (3,), and the penalty."""
    given = {"ends": 0.0, **(AUTHORS_WEIGHTS[weights] if isinstance(weights, str) else weights)}
    return np.array([given[name] for name in ("ssim", "zero_shot", "size")]), float(given["ends"])


def on_digits() -> dict[str, dict[str, xr.Dataset]]:
    """Return an array of this project's cells for each edition of Kappa and each family."""
    cells = load_tradeoff_cells()
    families = cells["family"].unique()
    return {
        edition: {family: to_array(cells[cells["family"] == family], kappa=edition) for family in families}
        for edition in KAPPAS
    }


def make_tables() -> dict[str, pd.DataFrame]:
    """Return what notebook 07 shows: the point under each choice."""
    arrays = on_digits()
    choices = [
        choice_sensitivity({edition: of[family] for edition, of in arrays.items()}, "conflict").assign(family=family)
        for family in arrays["conflict"]
    ]
    return {"choices": pd.concat(choices, ignore_index=True)}


if __name__ == "__main__":
    for name, made in make_tables().items():
        made.to_csv(Path(chapters.__file__).with_name(f"authors_{name}.csv"), index=False)
