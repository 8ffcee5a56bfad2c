"""Agreement of two larger studies as a weighted sum of agreements that one study shows; see docs/second_study.md."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linprog
from scipy.special import owens_t

#: Largest sum of absolute weights: more of it means less bias and more noise.
LARGEST_SUM = 3.0

#: Variance of the noise added to each of two copies of the observed effects, and its covariance between the two, in
#: units of the variance of the observed effects.
Part = tuple[float, float]

_DISJOINT = tuple((1 / share - 1, -1.0) for share in (0.05, 0.1, 0.2, 0.3, 0.4, 0.5))
_INDEPENDENT = tuple((noise, 0.0) for noise in (0.25, 0.5, 1.0, 2.0, 4.0))
_OPPOSITE = tuple((noise, -noise) for noise in (0.25, 0.5, 1.0, 2.0))
_OVERLAPPING = tuple((1 / share - 1, (2 * share - 1) / share**2 - 1) for share in (0.6, 0.7, 0.8, 0.9))

#: Two disjoint parts of the study, its effects with noise of their own added to each copy, or opposite noise.
PARTS_OF_EFFECTS = _DISJOINT + _INDEPENDENT + _OPPOSITE
#: What can be had from the rows alone: disjoint parts, two bootstraps, two parts that overlap as little as they can.
PARTS_OF_ROWS = _DISJOINT + _INDEPENDENT + _OVERLAPPING

_EFFECTS = np.linspace(0, 7, 57)  # in units of the standard error; beyond, every sign is certain
_GRID = np.linspace(0, 9, 181)
_COARSE = 61  # points of the grid farther away, for parts with more noise than the study
_NEGLIGIBLE = 1e-9


def same_sign(effects: ArrayLike, variance: float, covariance: float) -> np.ndarray:
    """Return how often two normal variables with the same mean have the same sign."""
    scaled = np.asarray(effects, dtype=float) / np.sqrt(variance)
    correlation = covariance / variance
    # both positive: Phi(x) - 2 T(x, a), with Owen's T (Annals of Mathematical Statistics 27, 1956, 1075-1090)
    slope = np.sqrt((1 - correlation) / (1 + correlation)) if correlation > -1 else np.inf
    return 1 - 4 * owens_t(scaled, slope)


@lru_cache(maxsize=1024)
def _solved(ratio: float, parts: tuple[Part, ...]) -> np.ndarray:
    """Return the weights of all parts that make the largest bias smallest, by linear programming."""
    curves = _curves(parts)
    target = same_sign(_EFFECTS, 1 / ratio, 0.0)
    bias = np.ones((len(target), 1))
    # weights are differences of two vectors >= 0; the last unknown is the largest bias
    above = np.hstack([curves, -curves, -bias])
    below = np.hstack([-curves, curves, -bias])
    size = np.append(np.ones(2 * len(parts)), 0.0)
    total = np.append(np.repeat([1.0, -1.0], len(parts)), 0.0)
    found = linprog(
        np.append(np.zeros(2 * len(parts)), 1.0),
        A_ub=np.vstack([above, below, size]),
        b_ub=np.concatenate([target, -target, [LARGEST_SUM]]),
        A_eq=total[None],
        b_eq=[1.0],
        bounds=(0, None),
    )
    return found.x[: len(parts)] - found.x[len(parts) : -1]


@lru_cache(maxsize=8)
def _curves(parts: tuple[Part, ...]) -> np.ndarray:
    """Return what each part shows of each effect, shape (E, P)."""
    return np.stack([same_sign(_EFFECTS, 1 + noise, 1 + shared) for noise, shared in parts], axis=1)


def weights(ratio: float, parts: tuple[Part, ...] = PARTS_OF_EFFECTS) -> dict[Part, float]:
    """Return the parts of one study, and their weights, whose sum is the agreement of two studies of another size."""
    if ratio <= 0.5:
        return {(1 / ratio - 1, -1.0): 1.0}
    found = _solved(round(ratio, 6), parts)
    return {part: float(weight) for part, weight in zip(parts, found, strict=True) if abs(weight) > _NEGLIGIBLE}


def of_sign(effects: ArrayLike, ratio: float) -> np.ndarray:
    """Return the sum itself for the sign of each effect, given how large it was observed to be."""
    return np.interp(np.abs(effects), *_shown_on_grid(ratio if ratio <= 0.5 else round(ratio, 6)))


@lru_cache(maxsize=1024)
def _shown_on_grid(ratio: float) -> tuple[np.ndarray, np.ndarray]:
    """Return effects, as far as they are uncertain in any part, and the sum for each."""
    used = weights(ratio)
    spread = max(1.0, *(np.sqrt(noise) for noise, _ in used))
    grid = np.append(_GRID, np.linspace(_GRID[-1], spread * _GRID[-1], _COARSE)[1:] if spread > 1 else [])
    return grid, np.array(list(used.values())) @ np.stack([same_sign(grid, *part) for part in used])
