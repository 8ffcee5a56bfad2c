"""n* by its definition: studies simulated from a known distribution of results."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import inf, isfinite

import numpy as np
from numpy.typing import ArrayLike

from genexpy_nb.common.checks import (
    check_count,
    check_level,
    check_number,
    check_probabilities,
    similar,
)
from genexpy_nb.common.random import seed_of, stream
from genexpy_nb.generalization.discrepancy import quantile, simulated_mmd
from genexpy_nb.generalization.gram import check_gram, support

_FEW_RESULTS = 20  # up to here n-Gen goes up and down with n, on its way up
_ROUGHLY = 500  # simulated pairs of studies per n, to find out where to look closely
_ONE_BY_ONE = 16  # up to here every n is looked at


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

    Every n has a stream of random numbers of its own, so that the result does not depend on which n are looked at.

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
        logarithms. Estimates are real numbers too: errors against a whole number would hold its rounding. With more
        than 20 results n is guessed from 500 pairs of studies first, and ``n_studies`` are simulated near the guess
        only.

    Returns
    -------
    float
        A whole number unless interpolated, or ``inf`` if more than ``n_max`` experiments are needed.

    Raises
    ------
    ParameterError
        If the Gram matrix or the probabilities are none, or a number is out of range.

    References
    ----------
    Generalizability of Experimental Studies, second version, Eq. 9.

    Examples
    --------
    >>> definition(np.eye(2), alpha=0.95, epsilon=0.5)
    15.0
    >>> round(definition(np.eye(2), alpha=0.95, epsilon=0.5, interpolate=True), 1)
    14.1
    """
    gram = check_gram(gram)
    alpha, epsilon = check_level("alpha", alpha), check_number("epsilon", epsilon, 0)
    n_studies, n_max = check_count("n_studies", n_studies), check_count("n_max", n_max)
    everything = np.full(len(gram), 1 / len(gram)) if probabilities is None else probabilities
    p = check_probabilities("probabilities", everything, len(gram))
    seed, few_results = seed_of(rng), len(support(gram)[0]) <= _FEW_RESULTS  # that the kernel tells apart

    @cache
    def distances(n: int, n_pairs: int) -> np.ndarray:
        return simulated_mmd(gram, p, n, n_pairs, stream(seed, n))

    def enough(n: int, n_pairs: int = n_studies) -> bool:
        return float(np.mean(similar(distances(n, n_pairs), epsilon))) >= alpha

    if interpolate and not few_results:
        guess = first_enough(lambda n: enough(n, _ROUGHLY), n_max)
        found = _first_enough_near(guess, enough, n_max)
    else:
        found = first_enough(enough, n_max, jagged=few_results)
    if not interpolate or found == 1 or not isfinite(found):
        return found
    n = int(found)
    before, after = (float(quantile(distances(m, n_studies), alpha)) for m in (n - 1, n))
    if not 0 < after < before:
        return found
    share = np.log(before / epsilon) / np.log(before / after)
    return float(np.exp(np.log(n - 1) + min(share, 1.0) * np.log(n / (n - 1))))


def first_enough(enough: Callable[[int], bool], n_max: int, jagged: bool = False) -> float:
    """Search the smallest n that is enough: one by one up to 16, then by doubling and bisection."""
    for n in range(1, min(_ONE_BY_ONE, n_max) + 1):
        if enough(n):
            return float(n)
    low, high = _ONE_BY_ONE, 2 * _ONE_BY_ONE
    while low < n_max and not enough(high):
        low, high = high, 2 * high
    if low >= n_max:
        return inf
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    if jagged:
        high = next(n for n in range(max(_ONE_BY_ONE + 1, high // 2), high + 1) if enough(n))
    return float(high) if high <= n_max else inf


def _first_enough_near(guess: float, enough: Callable[[int], bool], n_max: int) -> float:
    """Walk from a guess to the nearest n that is enough while n - 1 is not."""
    if not isfinite(guess):
        return inf
    n = int(guess)
    while n <= n_max and not enough(n):
        n += 1
    while n > 1 and enough(n - 1):
        n -= 1
    return float(n) if n <= n_max else inf
