"""Operator ANOVA: what each random factor of a balanced design contributes, and how likely two studies are similar.

``MS_X``, the operator of the results projected on the effect X, over its degrees of freedom, has the mean ``E MS_X =
sum over the effects Y that contain X of (n_cells / n_Y) C_Y``. What is needed of it are sums over the Gram matrix:
``tr MS_X = tr(P_X K) / df_X`` and ``tr MS_X MS_Y = tr(P_X K P_Y K) / (df_X df_Y)``, P_X the projections. For numbers
see Searle, Casella and McCulloch, Variance Components (1992), Chapter 4; docs/second_study.md has the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np
import pandas as pd
from scipy.special import betainc, gammainc

from genexpy_nb.common.errors import StudyError
from genexpy_nb.common.random import stream
from genexpy_nb.generalization.moments import CONFIDENCE, MOST_DIMENSIONS

#: Random factors that a design may have.
MOST_FACTORS = 3

_CENTRE, _MEAN, _KEEP = range(3)  # what a projection does along an axis
_ROUNDING = 1e-13  # of the sum of all squares
_ALL_UP_TO, _STEP = 10, 1.2  # sizes of a design that are looked at first: all small ones, then a grid
_SHARE_OF_ONE_DEGREE = 0.25  # of the squared trace; see `_own_product`
_DRAWS = 1000  # of the mean squares, for an interval
_HELD_AT_ONCE = 2_000_000  # numbers
_LEAST = 0.05  # a sum of mean squares with signs is taken to be at least this share of the sum without them
_PRIOR_DEGREES, _PRIOR_POWER, _SHAPE_ERROR, _SPREAD = 2.0, 0.65, 0.3, 1.25  # calibrated; see `_Pivots`
_PART_OF_SUM = 1.05  # degrees of freedom of a sum over those of its part are at least this
_TINY = 1e-300

#: From designs, shape (n_designs, n_factors), to a truth value or a price for each.
OfDesigns = Callable[[np.ndarray], np.ndarray]


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
    sizes = tuple(sizes)
    n_cells, which = prod(sizes), effects(len(sizes), nested)
    cells = np.reshape(gram, (*sizes, n_cells))
    plans = [_along_axes(effect, sizes, nested) for effect in which]
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
    left = [{_CENTRE: size - 1, _KEEP: size, _MEAN: 1} for size in sizes]
    degrees = np.array([prod(n[how] for n, how in zip(left, plan, strict=True)) for plan in plans], dtype=float)
    # What is left of equal results after the centring is rounding.
    sums = np.array([diagonal.sum() for diagonal in diagonals])
    traces = np.where(sums > _ROUNDING * float(np.trace(gram)), sums, 0.0) / degrees
    shaped = [each.reshape([sizes[i] for i in effect]) for each, effect in zip(diagonals, which, strict=True)]
    spreads = np.array([_spread(each, nested) for each in shaped]) / degrees**2
    products = norms / np.outer(degrees, degrees)
    own = [_own_product(*each) for each in zip(traces, products.diagonal(), degrees, strict=True)]
    np.fill_diagonal(products, own)
    return MeanSquares(sizes, nested, degrees, traces, products, spreads)


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


# --- from mean squares to probabilities -------------------------------------------------------------------------------


def _mean_and_spread(traces: np.ndarray, products: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return tr and tr of the square of weighted sums of mean squares, shapes (..., T)."""
    flat = products.reshape(*products.shape[:-2], -1)
    pairs = (weights[:, :, None] * weights[:, None, :]).reshape(len(weights), -1)
    return traces @ weights.T, flat @ pairs.T


def _dimensions(mean: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """Return the degrees of freedom of the scaled chi-squared variable that is matched, from 1 to MOST_DIMENSIONS."""
    return np.clip(mean**2 / np.maximum(spread, _TINY), 1, MOST_DIMENSIONS)


def estimate_probability(part: MeanSquares, weights: np.ndarray, epsilon: float) -> np.ndarray:
    """Estimate the probability that two studies are similar."""
    mean, spread = _mean_and_spread(part.traces, part.products, weights)
    mean = np.maximum(mean, _LEAST * (np.abs(weights) @ part.traces))
    error = weights**2 @ (2 * part.products.diagonal() / part.degrees)
    nu = _dimensions(mean, spread)
    degrees = np.maximum(2 * mean**2 / np.maximum(error, _TINY), _PART_OF_SUM * nu)
    ratio = epsilon**2 / (2 * np.maximum(mean, _TINY))
    plugged_in = gammainc(nu / 2, nu / 2 * ratio)
    without_bias = betainc(nu / 2, (degrees - nu) / 2, np.minimum(nu / degrees * ratio, 1))
    return (plugged_in + without_bias) / 2


def interval_of_probability(
    part: MeanSquares, weights: np.ndarray, epsilon: float, seed: int, confidence: float = CONFIDENCE
) -> np.ndarray:
    """Return the ends of the interval of the probability that two studies are similar, shape (2, T)."""
    drawn, ends = _Pivots.of(part, seed), ((1 - confidence) / 2, (1 + confidence) / 2)
    at_once = max(1, _HELD_AT_ONCE // _DRAWS)
    parts = [weights[start : start + at_once] for start in range(0, len(weights), at_once)]
    return np.concatenate([np.quantile(drawn.probabilities(some, epsilon), ends, axis=0) for some in parts], axis=1)


def estimate_components(part: MeanSquares, seed: int, confidence: float = CONFIDENCE) -> tuple[np.ndarray, ...]:
    """Estimate the variance components V_X without bias, and the ends of their intervals, each of shape (E,)."""
    weights = coefficients(part.sizes, part.nested)
    estimates = weights @ part.traces
    ends = (1 - confidence) / 2, (1 + confidence) / 2
    low, high = np.quantile(_Pivots.of(part, seed).traces @ weights.T, ends, axis=0)
    return estimates, np.minimum(low, estimates), np.maximum(high, estimates)


@dataclass(frozen=True)
class _Pivots:
    """What the mean squares may be, given what they were: draws of their traces and products."""

    traces: np.ndarray  # (B, E)
    products: np.ndarray  # (B, E, E)
    shape_errors: np.ndarray  # (B, 1)

    @classmethod
    def of(cls, part: MeanSquares, seed: int) -> _Pivots:
        """Draw what the mean squares may be, B times."""
        squared, own = part.traces**2, part.products.diagonal()
        whole = np.ones(len(own)) @ coefficients(part.sizes, part.nested)
        mean, spread = _mean_and_spread(part.traces, part.products, whole[None])
        error = whole**2 @ (2 * own / part.degrees)
        together = _inverse_dimensions(spread, mean**2 - error)
        seen = _inverse_dimensions(own, squared - 2 * own / part.degrees)
        weight = part.degrees - 1
        inverse = (weight * seen + _PRIOR_DEGREES * together**_PRIOR_POWER) / (weight + _PRIOR_DEGREES)
        gaussian = 2 * squared * inverse / (part.degrees + 2 * inverse)
        variances = np.maximum(gaussian, _SPREAD * part.spreads)
        freedom = np.maximum(2 * squared / np.maximum(variances, _TINY) - 2, 1.0)
        rng = stream(seed, len(own))
        factors = freedom / (2 * rng.standard_gamma(freedom / 2, size=(_DRAWS, len(freedom))))
        products = part.products.copy()
        np.fill_diagonal(products, (squared - gaussian) * inverse)
        products = products * factors[:, :, None] * factors[:, None, :]
        return cls(part.traces * factors, products, np.exp(_SHAPE_ERROR * rng.standard_normal((_DRAWS, 1))))

    def probabilities(self, weights: np.ndarray, epsilon: float) -> np.ndarray:
        """Return what the probability may be, shape (B, T)."""
        mean, spread = _mean_and_spread(self.traces, self.products, weights)
        mean = np.maximum(mean, _TINY)
        nu = np.clip(_dimensions(mean, spread) * self.shape_errors, 1, MOST_DIMENSIONS)
        return gammainc(nu / 2, nu / 2 * epsilon**2 / (2 * mean))


def _inverse_dimensions(spread: np.ndarray, squared_mean: np.ndarray) -> np.ndarray:
    """Return ``tr C^2 / (tr C)^2``, from 1 / MOST_DIMENSIONS to 1; 1 where nothing differs."""
    known = squared_mean > 0
    ratio = np.divide(spread, squared_mean, out=np.ones(np.shape(spread)), where=known)
    return np.clip(ratio, 1 / MOST_DIMENSIONS, 1)


# --- the cells of a balanced design -----------------------------------------------------------------------------------


def arrange(index: pd.MultiIndex, factors: Sequence[str], nested: bool) -> tuple[np.ndarray, list[int]]:
    """Return the order of the cells of a balanced design, and its sizes."""
    frame = index.to_frame(index=False)[list(factors)]
    codes = pd.DataFrame({name: pd.factorize(frame[name])[0] for name in factors})
    if nested:
        for i in range(1, len(factors)):  # number the levels within each level of the factors before
            outer = list(factors[:i])
            codes[factors[i]] = codes.groupby(outer)[factors[i]].transform(lambda each: pd.factorize(each)[0])
    levels = [int(codes[name].max()) + 1 for name in factors]
    for name, count in zip(factors, levels, strict=True):
        if count < 2:
            raise StudyError(f"factor {name!r} has a single level; at least two are needed to see how levels differ")
    if len(frame) < prod(levels):
        there = np.zeros(levels, dtype=bool)
        there[tuple(codes.to_numpy().T)] = True
        short = (~there).reshape(levels[0], -1).sum(axis=1)
        fewest = frame.loc[codes[factors[0]] == int(short.argmax()), factors[0]].iloc[0]
        raise StudyError(
            f"{short.sum():,} of {there.size:,} cells of {' x '.join(factors)} are missing, most in "
            f"{factors[0]}={fewest!r}; leave out levels until {'all have as many' if nested else 'none is'}"
        )
    return np.lexsort([codes[name] for name in reversed(factors)]), levels


# --- the cheapest sizes that reach what is wanted ---------------------------------------------------------------------


def cheapest_sizes(reach: OfDesigns, price: OfDesigns, lower: np.ndarray, upper: np.ndarray) -> np.ndarray | None:
    """Return the cheapest sizes that reach what is wanted: first from coarse grids, then from all near the best."""
    grids = [_grid(*ends) for ends in zip(lower, upper, strict=True)]
    best = _cheapest_of(reach, price, lower, upper, grids)
    if best is None:
        return None
    near = [
        np.arange(max(low, np.floor(size / _STEP)), min(high, np.ceil(size * _STEP)) + 1)
        for size, low, high in zip(best, lower, upper, strict=True)
    ]
    return _cheapest_of(reach, price, lower, upper, near)


def _cheapest_of(
    reach: OfDesigns, price: OfDesigns, lower: np.ndarray, upper: np.ndarray, grids: Sequence[np.ndarray]
) -> np.ndarray | None:
    """Return the cheapest sizes on grids, but for the first factor that may vary: of that all sizes count."""
    free = int(np.argmax(upper > lower))
    grids = [np.array([upper[free]]) if i == free else grid for i, grid in enumerate(grids)]
    designs = np.stack([each.ravel() for each in np.meshgrid(*grids, indexing="ij")], axis=1)
    designs = designs[reach(designs)]
    if not len(designs):
        return None
    above, below = designs[:, free].copy(), np.full(len(designs), lower[free] - 1)
    while (apart := np.flatnonzero(above - below > 1)).size:
        middle = np.floor((above[apart] + below[apart]) / 2)
        designs[apart, free] = middle
        reached = reach(designs[apart])
        above[apart[reached]], below[apart[~reached]] = middle[reached], middle[~reached]
    designs[:, free] = above
    prices = np.round(price(designs), 9)
    return designs[np.lexsort((designs.prod(axis=1), prices))[0]]


def _grid(low: float, high: float) -> np.ndarray:
    """Return whole numbers from low to high: all small ones, then steps of a fifth, and the last."""
    steps = int(np.ceil(np.log(max(high / _ALL_UP_TO, 1)) / np.log(_STEP)))
    grown = np.floor(_ALL_UP_TO * _STEP ** np.arange(1, steps + 1))
    grid = np.union1d(np.arange(1, _ALL_UP_TO + 1), grown)
    return np.union1d(grid[(grid > low) & (grid < high)], [low, high])
