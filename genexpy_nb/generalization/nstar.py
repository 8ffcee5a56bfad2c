"""Generalizability of a study, and the number n* of experiments that makes it generalizable.

``n-Gen(eps) = P(MMD(X, Y) <= eps)`` for two independent studies X, Y of n experiments each, and
``n* = min{n : n-Gen(eps) >= alpha}`` (Generalizability of Experimental Studies, second version, Eqs. 1 and 9). The
distribution of results is not known; `estimate_nstar` estimates n* from the Gram matrix of N observed results in the
ways that `METHODS` lists. All return a real number >= 1; a plan needs the smallest integer that is not below it. The
methods themselves are in the modules moments, resampling, theory and exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, inf, isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from genexpy_nb.common.checks import check_choice, check_count, check_level, check_number
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.parallel import in_parallel_if_long
from genexpy_nb.common.random import seed_of, stream
from genexpy_nb.generalization.discrepancy import by_size, check_gram
from genexpy_nb.generalization.exact import definition
from genexpy_nb.generalization.moments import CONFIDENCE, MIN_EXPERIMENTS, nstar_by_moments
from genexpy_nb.generalization.resampling import PROVEN_SLOPE, SMALLEST_TO_RESAMPLE, nstar_by_resampling
from genexpy_nb.generalization.theory import bound, closed_form

#: Experiments that are compared pair by pair for n* by moments: a second and a third of a gigabyte.
LARGEST_WHOLE = 2000

#: Experiments of a study of which every pair is compared, by the other methods: 200 MB a matrix.
MOST_COMPARED = 5000

#: Values of alpha between which a curve of generalizability is a line.
CURVE_ALPHAS: np.ndarray = expit(np.linspace(-logit(0.9995), logit(0.9995), 400))


@dataclass(frozen=True)
class NStar:
    """An estimate of n* with its interval; `estimate_nstar` says what is in it."""

    estimate: float
    low: float
    high: float
    method: str
    n_experiments: int

    @property
    def experiments(self) -> float:
        """The smallest whole number of experiments that is not below the estimate; infinite if it is."""
        return ceil(self.estimate) if isfinite(self.estimate) else inf


def alphas_at(nstar: ArrayLike, alphas: np.ndarray, sizes: ArrayLike) -> np.ndarray:
    """Turn n* of many alpha round: return for each size the largest alpha whose n* is not above it."""
    nstar, sizes = np.maximum.accumulate(nstar), np.asarray(sizes, dtype=float)
    above = np.searchsorted(nstar, sizes * (1 + 1e-12), side="right")
    below = np.maximum(above - 1, 0)
    last = np.minimum(above, len(alphas) - 1)
    width = np.subtract(nstar[last], nstar[below], out=np.zeros(len(sizes)), where=last > below)
    share = np.divide(sizes - nstar[below], width, out=np.zeros(len(sizes)), where=width > 0)
    estimate = alphas[below] + share * (alphas[last] - alphas[below])
    return np.where(above == 0, 0.0, np.clip(estimate, 0, 1))


def redrawn_estimates(
    gram: ArrayLike,
    size: int,
    alpha: float,
    epsilon: float,
    *,
    n_studies: int = 200,
    method: str = "resampling",
    rng: np.random.Generator | int = 0,
) -> np.ndarray:
    """Estimate n* again and again, from a few of the experiments, drawn at random with replacement.

    Parameters
    ----------
    gram, alpha, epsilon, method, rng
        See `estimate_nstar`.
    size, n_studies : int
        How many experiments each estimate is made from, and how many estimates to make.

    Returns
    -------
    ndarray, shape (n_studies,)
    """
    gram = check_gram(gram)
    size, n_studies = check_count("size", size, SMALLEST_TO_RESAMPLE), check_count("n_studies", n_studies)
    seed = seed_of(rng)
    draw = stream(seed, len(gram), size)
    drawn = [draw.choice(len(gram), size=size) for _ in range(n_studies)]
    grams = [gram[np.ix_(rows, rows)] for rows in drawn]
    return estimate_each(grams, alpha, epsilon, method, _OF_REDRAWN, seed)[:, 0]


#: An estimator of somebody's own: from a Gram matrix, alpha and epsilon to the estimate, low and high.
Estimator = Callable[[np.ndarray, float, float], Sequence[float]]


def method_name(method: str | Estimator) -> str:
    """Return what a method is called in tables: an estimator of one's own has the name of its function."""
    if callable(method):
        return str(getattr(method, "__name__", type(method).__name__))
    check_choice("method", method, METHODS)
    return method


def _moments(
    grams: Sequence[np.ndarray], alphas: np.ndarray, epsilons: Sequence[np.ndarray], confidence: float
) -> list[np.ndarray]:
    """Call `nstar_by_moments` once for all Gram matrices of the same size."""
    result: list[np.ndarray] = [np.empty(0)] * len(grams)
    for members in by_size(grams).values():
        stack = np.stack([grams[i] for i in members])
        estimates = nstar_by_moments(stack, alphas, np.stack([epsilons[i] for i in members]), confidence)
        for i, estimate in zip(members, estimates, strict=True):
            result[i] = estimate
    return result


METHODS = {
    "moments": "moment matching, with an interval by a corrected jackknife (the default)",
    "resampling": "as published: quantiles of the resampled MMD, extrapolated along a fitted line",
    "resampling-slope-2": "the same with the slope -2 that Theorem 4.1 proves",
    "closed-form": "limiting distribution, Appendix C.1, corrected",
    "bound": "enough for any distribution, Proposition C.4",
    "definition": "simulation from the empirical distribution with replacement",
}

_OF_REDRAWN = 200  # repetitions for each estimate of `redrawn_estimates`
_SMALLEST = {"resampling": SMALLEST_TO_RESAMPLE}
_AT_ONCE = 64  # Gram matrices of which the methods that do many at once are given so many


def estimate_grid(
    grams: Sequence[np.ndarray],
    alphas: np.ndarray,
    epsilons: Sequence[np.ndarray],
    method: str | Estimator,
    n_resamples: int,
    seed: int,
    confidence: float = CONFIDENCE,
) -> list[np.ndarray]:
    """Estimate n* for many Gram matrices, alphas and thresholds: (A, E, 3) for each matrix."""
    if method == "moments":
        return _moments(grams, alphas, epsilons, confidence)
    if confidence != CONFIDENCE:
        raise ParameterError(
            f"confidence: method {method_name(method)} has no interval whose confidence can be chosen; leave it at "
            f"{CONFIDENCE:g}, or use method='moments'"
        )
    if method in ("resampling", "resampling-slope-2"):
        slope = None if method == "resampling" else PROVEN_SLOPE
        return nstar_by_resampling(grams, alphas, epsilons, n_resamples, seed, slope)
    one_by_one: dict[Any, Estimator] = {
        "closed-form": lambda g, a, e: (max(closed_form(g, a, e), 1.0), np.nan, np.nan),
        "bound": lambda g, a, e: (bound(a, e, g.max()), 1.0, bound(a, e, g.max())),
        "definition": lambda g, a, e: (definition(g, a, e, n_studies=n_resamples, rng=seed), np.nan, np.nan),
    }
    estimate = method if callable(method) else one_by_one[method]
    found = [
        np.array([[estimate(gram, alpha, epsilon) for epsilon in eps] for alpha in alphas])
        for gram, eps in zip(grams, epsilons, strict=True)
    ]
    if callable(method) and not all(each.ndim == each.shape[-1] == 3 and (each[..., 0] >= 1).all() for each in found):
        raise ParameterError(f"method {method_name(method)} must return an estimate >= 1, low and high (or nan)")
    return found


def estimate_in_parallel(
    grams: Sequence[np.ndarray],
    alphas: np.ndarray,
    epsilons: Sequence[np.ndarray],
    method: str | Estimator,
    n_resamples: int,
    seed: int,
    n_jobs: int | None = None,
    confidence: float = CONFIDENCE,
) -> list[np.ndarray]:
    """Call `estimate_grid` on ``n_jobs`` workers, if it pays; the result does not depend on their number."""
    size = 1 if callable(method) or method == "definition" else _AT_ONCE
    chunks = [(grams[start : start + size], epsilons[start : start + size]) for start in range(0, len(grams), size)]

    def estimate(chunk: tuple[Sequence[np.ndarray], Sequence[np.ndarray]]) -> list[np.ndarray]:
        return estimate_grid(chunk[0], alphas, chunk[1], method, n_resamples, seed, confidence)

    return [values for part in in_parallel_if_long(estimate, chunks, n_jobs) for values in part]


def sample_of_many(n_experiments: int, seed: int) -> np.ndarray:
    """Return the positions of all experiments, or of `LARGEST_WHOLE` drawn at random: n* by moments needs no more."""
    if n_experiments <= LARGEST_WHOLE:
        return np.arange(n_experiments)
    return np.sort(stream(seed, n_experiments).choice(n_experiments, LARGEST_WHOLE, replace=False))


def estimate_each(
    grams: Sequence[np.ndarray],
    alpha: float,
    epsilon: float,
    method: str | Estimator,
    n_resamples: int,
    seed: int,
    confidence: float = CONFIDENCE,
) -> np.ndarray:
    """Estimate n* for many Gram matrices at one alpha and one threshold: shape (B, 3)."""
    alphas, epsilons = np.array([check_level("alpha", alpha)]), np.array([check_number("epsilon", epsilon, 0)])
    thresholds = [epsilons] * len(grams)
    return np.stack(estimate_grid(grams, alphas, thresholds, method, n_resamples, seed, confidence))[:, 0, 0]


def smallest_study(method: str | Estimator) -> int:
    """Return how many experiments a method needs at least."""
    return _SMALLEST.get(method_name(method), MIN_EXPERIMENTS)


def estimate_nstar(
    gram: ArrayLike,
    alpha: float = 0.95,
    epsilon: float = 0.3,
    method: str | Estimator = "moments",
    *,
    n_resamples: int = 1000,
    rng: np.random.Generator | int = 0,
    confidence: float = CONFIDENCE,
) -> NStar:
    """Estimate how many experiments make a study generalizable, from the results of N experiments.

    Generalizability of Experimental Studies, second version, Section 4.5 and Appendices C and D.

    Parameters
    ----------
    gram : array_like, shape (N, N)
        Kernel values between the N observed results, N >= 4 (6 for ``resampling``).
    alpha : float
        Wanted generalizability: probability that two studies are similar, in (0, 1).
    epsilon : float
        MMD up to which two studies are similar, > 0; ``kernel.epsilon(delta, n_alternatives)``.
    method : str or callable
        One of `METHODS`, or an estimator of your own: it is called with a Gram matrix, alpha and epsilon, and returns
        the estimate, at least 1, low and high (nan for no interval). docs/accuracy.md says how often intervals held n*.
    n_resamples : int
        Repetitions where the method resamples.
    rng : numpy.random.Generator or int
        Source of randomness, or its seed, where the method resamples.
    confidence : float
        Of the interval, in (0, 1); only ``moments`` lets you choose it.

    Returns
    -------
    NStar
        ``estimate``, >= 1, with its interval ``low``, ``high``: ``(1, inf)`` if the experiments do not bound n*, NaN if
        the method has none; ``experiments``, the whole number of them; ``method``; ``n_experiments``, N.

    Examples
    --------
    >>> gram = np.kron(np.eye(2), np.ones((10, 10)))
    >>> nstar = estimate_nstar(gram, alpha=0.95, epsilon=0.5)
    >>> nstar.experiments, nstar.n_experiments
    (15, 20)
    """
    gram = check_gram(gram, smallest_study(method))
    n_resamples, confidence = check_count("n_resamples", n_resamples), check_level("confidence", confidence)
    found = estimate_each([gram], alpha, epsilon, method, n_resamples, seed_of(rng), confidence)[0]
    estimate, low, high = found.tolist()
    return NStar(estimate, low, high, method_name(method), len(gram))
