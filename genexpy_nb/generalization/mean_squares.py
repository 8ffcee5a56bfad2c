"""Operator ANOVA: what each random factor of a balanced design contributes, from the Gram matrix of its cells.

In the feature space of a kernel the results of a design with the factors A, B, ... are a sum of effects: of A, of B,
of their interaction, ...; each has a covariance operator C_X. As in the analysis of variance of numbers, the results
are projected on these effects, and ``MS_X``, the operator of the projected results over its degrees of freedom, has the
mean

    E MS_X = sum over the effects Y that contain X of (n_cells / n_Y) C_Y,      n_Y the number of combinations of Y,

so that every C_X, and every sum of them with known coefficients, is a sum of mean squares with known coefficients. All
that is needed of the mean squares, their traces and the traces of their products, are sums over the Gram matrix:
``tr MS_X = tr(P_X K) / df_X`` and ``tr MS_X MS_Y = tr(P_X K P_Y K) / (df_X df_Y)``, with P_X the projections.

References
----------
Searle, Casella and McCulloch, Variance Components (1992), Chapter 4, for numbers; the operators are ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np

from genexpy_nb.common.checks import check_count
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.generalization.moments import MOST_DIMENSIONS

#: Random factors that a design may have.
MOST_FACTORS = 3

_CENTRE, _MEAN, _KEEP = range(3)  # what a projection does along an axis
_ROUNDING = 1e-13  # of the sum of all squares
_SHARE_OF_ONE_DEGREE = 0.25  # of the squared trace; see `_own_product`


@dataclass(frozen=True)
class MeanSquares:
    """What is kept of the mean squares of a design of E effects."""

    sizes: tuple[int, ...]
    nested: bool
    degrees: np.ndarray
    traces: np.ndarray
    products: np.ndarray
    spreads: np.ndarray


def effects(n_factors: int, nested: bool = False) -> list[tuple[int, ...]]:
    """Return the effects of a design as the numbers of the factors that they depend on."""
    n_factors = check_count("n_factors", n_factors, 2, MOST_FACTORS)
    if nested:
        return [tuple(range(k + 1)) for k in range(n_factors)]
    return [chosen for k in range(1, n_factors + 1) for chosen in combinations(range(n_factors), k)]


def coefficients(sizes: Sequence[int], nested: bool = False) -> np.ndarray:
    """Return the coefficients that make the covariance operators of the effects out of the mean squares."""
    found = effects(len(sizes), nested)
    n_cells = prod(sizes)
    expected = [[n_cells / prod(sizes[i] for i in y) * set(x).issubset(y) for y in found] for x in found]
    return np.linalg.inv(np.array(expected))


def mean_squares(gram: np.ndarray, sizes: Sequence[int], nested: bool = False) -> MeanSquares:
    """Return the mean squares of a balanced design from the Gram matrix of its cells."""
    sizes = _checked_sizes(sizes)
    n_cells = prod(sizes)
    if np.shape(gram) != (n_cells, n_cells):
        raise ParameterError(f"gram must have shape {(n_cells, n_cells)} for the sizes {sizes}, got {np.shape(gram)}")
    cells = np.reshape(gram, (*sizes, n_cells))
    plans = [_along_axes(effect, sizes, nested) for effect in effects(len(sizes), nested)]
    halves = [_projected(cells, plan).reshape(-1, n_cells) for plan in plans]
    norms = np.empty((len(plans), len(plans)))
    diagonals = []
    for i, half in enumerate(halves):
        columns = np.ascontiguousarray(half.T).reshape(*sizes, -1)
        for j in range(i, len(plans)):
            whole = _projected(columns, plans[j]).reshape(-1, len(half))
            copies = n_cells**2 / (whole.shape[0] * whole.shape[1])  # a mean stands for the cells that it is of
            norms[i, j] = norms[j, i] = copies * np.vdot(whole, whole)
            if i == j:
                diagonals.append(n_cells / len(half) * whole.diagonal())
    return _collected(sizes, nested, diagonals, norms, float(np.trace(gram)))


def mean_squares_of_features(features: np.ndarray, sizes: Sequence[int], nested: bool = False) -> MeanSquares:
    """Return the mean squares of a balanced design from explicit features of its cells."""
    sizes = _checked_sizes(sizes)
    n_cells = prod(sizes)
    if np.ndim(features) != 2 or len(features) != n_cells:
        raise ParameterError(f"features must have {n_cells} rows for the sizes {sizes}, got {np.shape(features)}")
    cells = np.reshape(features, (*sizes, -1))
    squares, diagonals = [], []
    for effect in effects(len(sizes), nested):
        part = _projected(cells, _along_axes(effect, sizes, nested)).reshape(-1, cells.shape[-1])
        squares.append(n_cells / len(part) * part.T @ part)
        diagonals.append(n_cells / len(part) * (part * part).sum(axis=1))
    norms = np.array([[np.vdot(one, other) for other in squares] for one in squares])
    return _collected(sizes, nested, diagonals, norms, float(np.vdot(features, features)))


def _checked_sizes(sizes: Sequence[int]) -> tuple[int, ...]:
    if not 2 <= len(sizes) <= MOST_FACTORS:
        raise ParameterError(f"sizes must hold the levels of two or three factors, got {len(sizes)}")
    return tuple(check_count("the number of levels of a factor", size, at_least=2) for size in sizes)


def _along_axes(effect: tuple[int, ...], sizes: tuple[int, ...], nested: bool) -> list[int]:
    """Return what the projection on an effect does along each axis."""
    last = max(effect)
    if nested:
        return [_KEEP if axis < last else _CENTRE if axis == last else _MEAN for axis in range(len(sizes))]
    return [_CENTRE if axis in effect else _MEAN for axis in range(len(sizes))]


def _projected(cells: np.ndarray, plan: list[int]) -> np.ndarray:
    """Apply a projection along the first axes; where it takes means, one is left of each."""
    for axis in sorted(range(len(plan)), key=lambda axis: plan[axis] != _MEAN):  # means first: less is left to do
        if plan[axis] != _KEEP:
            means = cells.mean(axis=axis, keepdims=True)
            cells = means if plan[axis] == _MEAN else cells - means
    return cells


def _collected(
    sizes: tuple[int, ...], nested: bool, diagonals: list[np.ndarray], norms: np.ndarray, scale: float
) -> MeanSquares:
    """Divide by the degrees of freedom: what each level contributes to the traces, and the traces of the products."""
    degrees = np.array(
        [
            prod(
                {_CENTRE: size - 1, _KEEP: size, _MEAN: 1}[how]
                for how, size in zip(_along_axes(effect, sizes, nested), sizes, strict=True)
            )
            for effect in effects(len(sizes), nested)
        ],
        dtype=float,
    )
    # What is left of equal results after the centring is rounding.
    sums = np.array([diagonal.sum() for diagonal in diagonals])
    traces = np.where(sums > _ROUNDING * scale, sums, 0.0) / degrees
    which = effects(len(sizes), nested)
    shaped = [each.reshape([sizes[i] for i in effect]) for each, effect in zip(diagonals, which, strict=True)]
    spreads = np.array([_spread(each, nested) for each in shaped]) / degrees**2
    products = norms / np.outer(degrees, degrees)
    own = [_own_product(*each) for each in zip(traces, products.diagonal(), degrees, strict=True)]
    np.fill_diagonal(products, own)
    return MeanSquares(sizes, nested, degrees, traces, products, spreads)


def _spread(contributions: np.ndarray, nested: bool) -> float:
    """Return the largest variance of a sum over a design, taken for one of independent cells, or levels of a factor."""
    axes = range(contributions.ndim)
    sums = [contributions.ravel()]
    for kept in axes:
        others = tuple(axis for axis in axes if (axis > kept if nested else axis != kept))
        sums.append(contributions.sum(axis=others).ravel())
    return float(max(each.size * each.var(ddof=1) for each in sums))


def _own_product(trace: float, product: float, degrees: float) -> float:
    """Return an estimate of ``tr (E MS)^2``, between ``trace^2 / MOST_DIMENSIONS`` and ``trace^2``."""
    if degrees == 1:
        return _SHARE_OF_ONE_DEGREE * trace**2
    unbiased = degrees**2 / ((degrees - 1) * (degrees + 2)) * (product - trace**2 / degrees)
    return float(np.clip(unbiased, trace**2 / MOST_DIMENSIONS, trace**2))
