"""Generalizability and n* by resampling, as published: quantiles of the MMD, and a line through them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from genexpy_nb.common.checks import check_count, check_level, check_number, similar
from genexpy_nb.common.random import seed_of, stream
from genexpy_nb.generalization import discrepancy

#: Fewest experiments for the published method: a line needs two points, n = 2 and 3.
SMALLEST_TO_RESAMPLE = 6

#: Slope of log n over the logarithm of the quantile, Theorem 4.1.
PROVEN_SLOPE = -2.0


def generalizability(
    gram: ArrayLike, n: int, epsilon: float, n_resamples: int = 1000, rng: np.random.Generator | int = 0
) -> float:
    """Estimate n-generalizability: how often two studies of size ``n`` are similar.

    Generalizability of Experimental Studies, second version, Eq. 1.

    Parameters
    ----------
    gram : array_like, shape (N, N)
        Kernel values between the N observed results.
    n, n_resamples : int
        Size of the studies, n <= N / 2, and how many pairs to draw.
    rng : numpy.random.Generator or int
    epsilon : float
        MMD up to which two studies are similar, > 0 (see ``kernel.epsilon``).

    Returns
    -------
    float
        In [0, 1]; its Monte Carlo standard error is at most ``0.5 / sqrt(n_resamples)``.

    Examples
    --------
    >>> gram = np.kron(np.eye(2), np.ones((10, 10)))
    >>> generalizability(gram, n=1, epsilon=0.5, n_resamples=10_000)
    0.4876
    """
    epsilon = check_number("epsilon", epsilon, 0)
    return float(np.mean(similar(discrepancy.mmd_distribution(gram, n, n_resamples, rng), epsilon)))


def nstar_by_resampling(
    grams: Sequence[np.ndarray],
    alphas: np.ndarray,
    epsilons: Sequence[np.ndarray],
    n_resamples: int,
    seed: int,
    slope: float | None,
) -> list[np.ndarray]:
    """Extrapolate quantiles of the resampled MMD along a line in log-log scale."""
    result: list[np.ndarray] = [np.empty(0)] * len(grams)
    for n_experiments, members in discrepancy.by_size(grams).items():
        # (S, A, members); one size of studies at a time, or the draws would fill the memory
        quantiles = np.stack(
            [
                discrepancy.quantile(np.stack([discrepancy.mmd_from_counts(grams[i], counts) for i in members]), alphas)
                for counts in disjoint_draws(n_experiments, n_resamples, seed)
            ]
        )
        for position, i in enumerate(members):
            log_n = extrapolate(quantiles[..., position].T, epsilons[i], slope, study_sizes(n_experiments))
            unknown = np.full_like(log_n, np.nan)
            with np.errstate(over="ignore"):
                result[i] = np.stack([np.exp(np.maximum(log_n, 0)), unknown, unknown], axis=-1)
    return result


def _fit_line(quantiles: np.ndarray, slope: float | None, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Fit log n, (S,), to log q_n, (A, S), by least squares: slopes and intercepts, (A,)."""
    log_n, log_q = np.log(n), np.log(quantiles)
    if slope is None:
        centred = log_q - log_q.mean(axis=1, keepdims=True)
        spread = (centred**2).sum(axis=1)
        # All quantiles equal: no line can be fitted, and the theorem's slope is what is left.
        slopes = np.where(spread > 0, (centred @ log_n) / np.where(spread > 0, spread, 1), PROVEN_SLOPE)
    else:
        slopes = np.full(len(log_q), slope)
    return slopes, log_n.mean() - slopes * log_q.mean(axis=1)


def extrapolate(quantiles: np.ndarray, epsilons: np.ndarray, slope: float | None, n: np.ndarray) -> np.ndarray:
    """Extrapolate quantiles of the MMD along a line in log-log scale."""
    agree = (quantiles == 0).any(axis=1)
    slopes, intercepts = _fit_line(np.where(agree[:, None], 1.0, quantiles), slope, n)
    predicted = intercepts[:, None] + slopes[:, None] * np.log(epsilons)[None, :]
    return np.where(agree[:, None], 0.0, predicted)


@dataclass(frozen=True)
class PowerLaw:
    """Resampled MMDs for growing studies, and the line through their quantiles: the published estimate."""

    n: np.ndarray
    distances: np.ndarray
    quantiles: np.ndarray
    slope: float
    intercept: float
    alpha: float
    epsilon: float
    nstar: float


def power_law(
    gram: ArrayLike, alpha: float, epsilon: float, *, n_resamples: int = 1000, rng: np.random.Generator | int = 0
) -> PowerLaw:
    """Resample the MMD for growing studies and fit the power law of Theorem 4.1 to its quantiles.

    Parameters
    ----------
    gram, alpha, epsilon, n_resamples, rng
        See `genexpy_nb.estimate_nstar`; this is what its method ``resampling`` does, with all that it did on the way.

    Returns
    -------
    PowerLaw
    """
    gram = discrepancy.check_gram(gram, SMALLEST_TO_RESAMPLE)
    alpha, epsilon = check_level("alpha", alpha), check_number("epsilon", epsilon, 0)
    counts = disjoint_draws(len(gram), check_count("n_resamples", n_resamples), seed_of(rng))
    distances = np.stack([discrepancy.mmd_from_counts(gram, drawn) for drawn in counts])
    quantiles, sizes = discrepancy.quantile(distances, alpha), study_sizes(len(gram))
    if (quantiles > 0).all():
        slope, intercept = (float(part[0]) for part in _fit_line(quantiles[None], None, sizes))
    else:
        slope = intercept = float("nan")
    nstar = max(1.0, float(np.exp(extrapolate(quantiles[None], np.array([epsilon]), None, sizes))[0, 0]))
    return PowerLaw(sizes, np.sort(distances), quantiles, slope, intercept, alpha, epsilon, nstar)


def study_sizes(n_experiments: int) -> np.ndarray:
    """Return the sizes of hypothetical studies that N experiments can be split into twice: 2 ... N // 2."""
    return np.arange(2, n_experiments // 2 + 1)


def disjoint_draws(n_experiments: int, n_resamples: int, seed: int) -> Iterator[np.ndarray]:
    """Draw pairs of disjoint samples, for one size 2 ... N // 2 after the other: signed counts, (n_resamples, N)."""
    rng = stream(seed, n_experiments)
    return (discrepancy.signed_counts(n_experiments, n, n_resamples, rng) for n in study_sizes(n_experiments))
