"""Generalizability and n* by resampling, as published: quantiles of the MMD, and a line through them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from genexpy_nb.common.checks import check_count, check_level, check_number, similar
from genexpy_nb.common.random import seed_of, stream
from genexpy_nb.generalization.discrepancy import mmd_distribution, mmd_from_counts, quantile, signed_counts
from genexpy_nb.generalization.gram import by_size, check_gram

__all__ = [
    "PROVEN_SLOPE",
    "SMALLEST_TO_RESAMPLE",
    "PowerLaw",
    "disjoint_draws",
    "extrapolate",
    "generalizability",
    "nstar_by_resampling",
    "power_law",
    "study_sizes",
]

#: Fewest experiments for the published method: a line needs two points, n = 2 and 3.
SMALLEST_TO_RESAMPLE = 6

#: Slope of log n over the logarithm of the quantile, Theorem 4.1.
PROVEN_SLOPE = -2.0


def generalizability(
    gram: ArrayLike,
    n: int,
    epsilon: float,
    n_resamples: int = 1000,
    rng: np.random.Generator | int = 0,
    scheme: str = "disjoint",
) -> float:
    """Estimate n-generalizability: how often two studies of size ``n`` are similar.

    Parameters
    ----------
    gram : array_like, shape (N, N)
        Kernel values between the observed results.
    n : int
        Size of the hypothetical studies; at most N / 2 with the scheme ``disjoint``.
    epsilon : float
        MMD up to which two studies are similar, > 0 (see ``kernel.epsilon``).
    n_resamples, rng, scheme
        See `genexpy_nb.mmd_distribution`.

    Returns
    -------
    float
        In [0, 1]; its Monte Carlo standard error is at most ``0.5 / sqrt(n_resamples)``.

    Raises
    ------
    ParameterError
        If the Gram matrix is none, a number is out of range, or the scheme is unknown.

    References
    ----------
    Generalizability of Experimental Studies, second version, Eq. 1.

    Examples
    --------
    Two results that share nothing, equally likely: two studies of one experiment agree half of the time.

    >>> gram = np.kron(np.eye(2), np.ones((10, 10)))
    >>> generalizability(gram, n=1, epsilon=0.5, n_resamples=10_000, scheme="iid")
    0.5038
    """
    epsilon = check_number("epsilon", epsilon, 0)
    return float(np.mean(similar(mmd_distribution(gram, n, n_resamples, rng, scheme), epsilon)))


def nstar_by_resampling(
    grams: Sequence[np.ndarray],
    alphas: np.ndarray,
    epsilons: Sequence[np.ndarray],
    n_resamples: int,
    seed: int,
    slope: float | None,
) -> list[np.ndarray]:
    """Extrapolate quantiles of the resampled MMD along a line in log-log scale.

    Parameters
    ----------
    grams : sequence of G arrays, shapes (N_g, N_g)
    alphas : ndarray, shape (A,)
    epsilons : sequence of G arrays, shape (E,) each
    n_resamples : int
        Pairs of samples per size.
    seed : int
        From `genexpy_nb.common.random.seed_of`.
    slope : float or None
        Slope of log n over the logarithm of the quantile; None to fit it.

    Returns
    -------
    list of G arrays, shape (A, E, 3)
        n*, and NaN twice: there is no interval.

    References
    ----------
    Generalizability of Experimental Studies, second version, Algorithm 2.

    Examples
    --------
    >>> gram = np.kron(np.eye(2), np.ones((10, 10)))
    >>> nstar_by_resampling([gram], np.array([0.95]), [np.array([0.5])], 500, 0, slope=-2.0)[0].round(1)
    array([[[15.5,  nan,  nan]]])
    """
    result: list[np.ndarray] = [np.empty(0)] * len(grams)
    for n_experiments, members in by_size(grams).items():
        # (S, A, members); one size of studies at a time, or the draws would fill the memory
        quantiles = np.stack(
            [
                quantile(np.stack([mmd_from_counts(grams[i], counts) for i in members]), alphas)
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
    """Extrapolate quantiles of the MMD along a line in log-log scale.

    Parameters
    ----------
    quantiles : ndarray, shape (A, S)
        One line is fitted per row.
    epsilons : ndarray, shape (E,)
        Where log n is predicted.
    slope : float or None
        Slope of log n over log q; None to fit it (-2, which Theorem 4.1 proves, if all quantiles of a row are equal).
    n : ndarray, shape (S,)
        The study size of each column.

    Returns
    -------
    ndarray, shape (A, E)
        log n*; 0 where a quantile is 0, because then all results agree.

    Examples
    --------
    >>> n = np.array([2, 3, 4])
    >>> np.exp(extrapolate(3 / np.sqrt(n)[None], np.array([0.5]), None, n)).round(6)
    array([[36.]])
    """
    agree = (quantiles == 0).any(axis=1)
    slopes, intercepts = _fit_line(np.where(agree[:, None], 1.0, quantiles), slope, n)
    predicted = intercepts[:, None] + slopes[:, None] * np.log(epsilons)[None, :]
    return np.where(agree[:, None], 0.0, predicted)


@dataclass(frozen=True)
class PowerLaw:
    """Resampled MMDs for growing studies, and the line through their quantiles: the published estimate, step by step.

    Attributes
    ----------
    n : ndarray, shape (S,)
        Sizes 2 ... N // 2 of the hypothetical studies.
    distances : ndarray, shape (S, n_resamples)
        MMD between two studies of each size, sorted.
    quantiles : ndarray, shape (S,)
        The alpha-quantile of each row.
    slope, intercept : float
        ``log n = intercept + slope log q``; NaN if some quantile is 0.
    alpha, epsilon : float
        Wanted generalizability and threshold.
    nstar : float
        What the line predicts at ``epsilon``.
    """

    n: np.ndarray
    distances: np.ndarray
    quantiles: np.ndarray
    slope: float
    intercept: float
    alpha: float
    epsilon: float
    nstar: float


def power_law(
    gram: ArrayLike,
    alpha: float,
    epsilon: float,
    *,
    n_resamples: int = 1000,
    rng: np.random.Generator | int = 0,
) -> PowerLaw:
    """Resample the MMD for growing studies and fit the power law of Theorem 4.1 to its quantiles.

    Parameters
    ----------
    gram, alpha, epsilon, n_resamples, rng
        See `genexpy_nb.estimate_nstar`; this is what its method ``resampling`` does, with all that it did on the way.

    Returns
    -------
    PowerLaw

    References
    ----------
    Generalizability of Experimental Studies, second version, Theorem 4.1, Algorithm 2 and Figure 2.

    Examples
    --------
    >>> law = power_law(np.kron(np.eye(2), np.ones((10, 10))), alpha=0.95, epsilon=0.5)
    >>> law.n
    array([ 2,  3,  4,  5,  6,  7,  8,  9, 10])
    """
    gram = check_gram(gram, SMALLEST_TO_RESAMPLE)
    alpha, epsilon = check_level("alpha", alpha), check_number("epsilon", epsilon, 0)
    counts = disjoint_draws(len(gram), check_count("n_resamples", n_resamples), seed_of(rng))
    distances = np.stack([mmd_from_counts(gram, drawn) for drawn in counts])
    quantiles, sizes = quantile(distances, alpha), study_sizes(len(gram))
    if (quantiles > 0).all():
        slope, intercept = (float(part[0]) for part in _fit_line(quantiles[None], None, sizes))
    else:
        slope = intercept = float("nan")
    nstar = max(1.0, float(np.exp(extrapolate(quantiles[None], np.array([epsilon]), None, sizes))[0, 0]))
    return PowerLaw(sizes, np.sort(distances), quantiles, slope, intercept, alpha, epsilon, nstar)


def study_sizes(n_experiments: int) -> np.ndarray:
    """Return the sizes of hypothetical studies that N experiments can be split into twice: 2 ... N // 2.

    Examples
    --------
    >>> study_sizes(9)
    array([2, 3, 4])
    """
    return np.arange(2, n_experiments // 2 + 1)


def disjoint_draws(n_experiments: int, n_resamples: int, seed: int) -> Iterator[np.ndarray]:
    """Draw pairs of disjoint samples, for one size 2 ... N // 2 after the other: signed counts, (n_resamples, N).

    Every kernel and configuration with as many experiments sees the same draws: their differences are less noisy, and
    the estimate of one does not depend on which others are asked for.

    Examples
    --------
    >>> [counts.shape for counts in disjoint_draws(6, n_resamples=10, seed=0)]
    [(10, 6), (10, 6)]
    """
    rng = stream(seed, n_experiments)
    return (signed_counts(n_experiments, n, n_resamples, rng) for n in study_sizes(n_experiments))
