"""How probable it is that two studies are similar, from the mean squares of one: an estimate, and its interval.

`genexpy_nb.generalization.components` says what is matched, and how good it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, gammainc

from genexpy_nb.common.random import stream
from genexpy_nb.generalization.mean_squares import MeanSquares, coefficients
from genexpy_nb.generalization.moments import CONFIDENCE, MOST_DIMENSIONS

_ENDS = ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2)
_DRAWS = 1000  # of the mean squares, for an interval
_HELD_AT_ONCE = 2_000_000  # numbers
_LEAST = 0.05  # a sum of mean squares with signs is taken to be at least this share of the sum without them
_PRIOR_DEGREES, _PRIOR_POWER, _SHAPE_ERROR, _SPREAD = 2.0, 0.65, 0.3, 1.25  # calibrated; see `_Pivots`
_PART_OF_SUM = 1.05  # degrees of freedom of a sum over those of its part are at least this
_TINY = 1e-300


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


def interval_of_probability(part: MeanSquares, weights: np.ndarray, epsilon: float, seed: int) -> np.ndarray:
    """Return the interval, of nominal confidence 95 %, of the probability that two studies are similar."""
    drawn = _Pivots.of(part, seed)
    at_once = max(1, _HELD_AT_ONCE // _DRAWS)
    parts = [weights[start : start + at_once] for start in range(0, len(weights), at_once)]
    return np.concatenate([np.quantile(drawn.probabilities(some, epsilon), _ENDS, axis=0) for some in parts], axis=1)


def estimate_components(part: MeanSquares, seed: int) -> tuple[np.ndarray, ...]:
    """Estimate the variance components V_X without bias, and their intervals of nominal confidence 95 %."""
    weights = coefficients(part.sizes, part.nested)
    estimates = weights @ part.traces
    low, high = np.quantile(_Pivots.of(part, seed).traces @ weights.T, _ENDS, axis=0)
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
