"""n* by its definition: studies simulated from a known distribution of results."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import isfinite

import numpy as np
from numpy.typing import ArrayLike

from genexpy_nb.common.checks import check_level, check_number, check_probabilities, similar
from genexpy_nb.common.random import seed_of
from genexpy_nb.generalization.discrepancy import (
    quantile,
    simulated_mmd,
)
from genexpy_nb.generalization.gram import check_gram

__all__ = ["definition"]

_FEW_RESULTS = 20


def definition(
    gram: ArrayLike,
    alpha: float,
    epsilon: float,
    probabilities: ArrayLike | None = None,
    *,
    n_studies: int = 10_000,
    rng: np.random.Generator | int = 0,
    n_max: int = 100_000,
    interpolate: bool = False,
) -> float:
    """Search the smallest n with n-Gen >= alpha, by simulating studies from a known distribution of results.

    Parameters
    ----------
    gram : array_like, shape (l, l)
        Kernel values between the possible results.
    alpha, epsilon : float
        Wanted generalizability, in (0, 1), and the MMD up to which two studies are similar, > 0.
    probabilities : array_like, shape (l,), optional
        Probability of each result; uniform by default, that is the empirical distribution of l experiments.
    n_studies : int
        Simulated pairs of studies per n.
    rng : numpy.random.Generator or int
        Source of randomness, or its seed.
    n_max : int
        Where the search gives up.
    interpolate : bool
        Return the real number between n - 1 and n at which the quantile of the MMD crosses ``epsilon`` on the scale of
        logarithms. Estimates are real numbers too: errors against a whole number would hold its rounding.

    Returns
    -------
    float
        A whole number unless interpolated, or ``inf`` if more than ``n_max`` experiments are needed.

    References
    ----------
    Generalizability of Experimental Studies, second version, Eq. 9.

    Examples
    --------
    >>> definition(np.eye(2), alpha=0.95, epsilon=0.5)
    15.0
    """
    gram = check_gram(gram)
    level = check_level("alpha", alpha)
    epsilon = check_number("epsilon", epsilon, 0)
    everything = np.full(len(gram), 1 / len(gram)) if probabilities is None else probabilities
    p = check_probabilities("probabilities", everything, len(gram))
    seed = seed_of(rng)

    @cache
    def distances(n: int) -> np.ndarray:
        return simulated_mmd(gram, p, n, n_studies, np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(n,))))

    n = _smallest(lambda n: float(np.mean(similar(distances(n), epsilon))) >= level, n_max, len(gram) <= _FEW_RESULTS)
    if not interpolate or n == 1 or not isfinite(n):
        return n
    before, after = (float(quantile(distances(int(m)), level)) for m in (n - 1, n))
    if before <= epsilon or not 0 < after < before:
        return n
    share = np.log(before / epsilon) / np.log(before / after)
    return float(np.exp(np.log(n - 1) + min(share, 1.0) * np.log(n / (n - 1))))


def _smallest(enough: Callable[[int], bool], n_max: int, few_results: bool) -> float:
    """Search the smallest n that is enough, or infinity: one by one up to 16, then by doubling and bisection.

    With few distinct results the MMD has few values, and n-Gen goes up and down with n on its way up: then every n from
    half of what bisection found is looked at.
    """
    for n in range(1, 17):
        if enough(n):
            return float(n)
    low, high = 16, 32
    while not enough(high):
        low, high = high, 2 * high
        if low >= n_max:
            return float("inf")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    if few_results:
        return float(next(n for n in range(max(17, high // 2), high + 1) if enough(n)))
    return float(high)
