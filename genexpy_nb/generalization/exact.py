"""Small worlds in which nothing has to be simulated: all rankings of a few alternatives, the exact MMD and exact n*."""

from __future__ import annotations

from itertools import product
from math import comb

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import multinomial

from genexpy_nb.common.checks import (
    TOLERANCE,
    check_count,
    check_level,
    check_number,
    check_probabilities,
    similar,
)
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.generalization.discrepancy import mmd_from_counts
from genexpy_nb.generalization.gram import check_gram, support

_MOST_PAIRS = 20_000_000  # pairs of studies that are listed; a few seconds


def weak_orders(n_alternatives: int) -> np.ndarray:
    """List all rankings with ties of a few alternatives.

    Parameters
    ----------
    n_alternatives : int
        1 to 6: there are 4,683 rankings of 6 alternatives.

    Returns
    -------
    ndarray of int, shape (n_rankings, n_alternatives)
        Dense tiers, 0 = best, in lexicographic order.

    Raises
    ------
    ParameterError
        If the number is out of range.

    References
    ----------
    Generalizability of Experimental Studies, second version, Definition 4.3.

    Examples
    --------
    >>> weak_orders(2).tolist()
    [[0, 0], [0, 1], [1, 0]]
    """
    n_alternatives = check_count("n_alternatives", n_alternatives, 1, 6)
    tiers = np.array(list(product(range(n_alternatives), repeat=n_alternatives)))
    dense = [set(row) == set(range(max(row) + 1)) for row in tiers.tolist()]
    return tiers[dense]


def exact_mmd(gram: ArrayLike, n: int, probabilities: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Compute the distribution of the MMD between two studies of ``n`` experiments from a known distribution.

    All pairs of studies are listed, as counts of the results that the kernel tells apart.

    Parameters
    ----------
    gram : array_like, shape (l, l)
        Kernel values between the possible results.
    n : int
        Experiments in each study, >= 1.
    probabilities : array_like, shape (l,)
        Probability of each result.

    Returns
    -------
    distances : ndarray, shape (m,)
        The values that the MMD can take, ascending; those at most `TOLERANCE` apart are one.
    probabilities : ndarray, shape (m,)
        They sum to 1.

    Raises
    ------
    ParameterError
        If the probabilities are none, or there are too many pairs of studies to list.

    References
    ----------
    Generalizability of Experimental Studies, second version, Definitions 4.1 and 4.4.

    Examples
    --------
    Two results that share nothing, equally likely: two studies of one experiment agree half of the time.

    >>> exact_mmd(np.eye(2), n=1, probabilities=[0.5, 0.5])
    (array([0.        , 1.41421356]), array([0.5, 0.5]))
    """
    gram, n = check_gram(gram, at_least=1), check_count("n", n)
    gram, p = support(gram, check_probabilities("probabilities", probabilities, len(gram)))
    p = p / p.sum()  # scipy's multinomial gives a single result of probability 1 - 1e-16 no chance at all
    n_pairs = comb(n + len(p) - 1, n) ** 2
    if n_pairs > _MOST_PAIRS:
        raise ParameterError(
            f"{len(p)} results that the kernel tells apart and n={n} make {n_pairs:.2g} pairs of studies, more than "
            f"{_MOST_PAIRS:.0e}; use genexpy_nb.definition, which simulates"
        )
    counts = compositions(n, len(p))
    weights = multinomial.pmf(counts, n, p)
    possible = weights > 0
    counts, weights = counts[possible], weights[possible]
    distances = np.concatenate([mmd_from_counts(gram, (row - counts) / n) for row in counts])
    probability = np.outer(weights, weights).ravel()
    order = np.argsort(distances, kind="stable")
    distances, probability = distances[order], probability[order]
    first = np.flatnonzero(np.diff(distances, prepend=-1.0) > TOLERANCE)
    total = np.add.reduceat(probability, first)
    return distances[first], total / total.sum()


def exact_generalizability(gram: ArrayLike, n: int, epsilon: float, probabilities: ArrayLike) -> float:
    """Compute n-generalizability from a known distribution of results, without simulation.

    Parameters
    ----------
    gram, n, probabilities
        See `exact_mmd`.
    epsilon : float
        MMD up to which two studies are similar, > 0.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    ParameterError
        As in `exact_mmd`, or if ``epsilon`` is not positive.

    References
    ----------
    Generalizability of Experimental Studies, second version, Eq. 1.

    Examples
    --------
    >>> round(exact_generalizability(np.eye(2), n=2, epsilon=0.5, probabilities=[0.5, 0.5]), 4)
    0.375
    """
    epsilon = check_number("epsilon", epsilon, 0)
    distances, probability = exact_mmd(gram, n, probabilities)
    return float(min(probability[similar(distances, epsilon)].sum(), 1.0))


def exact_nstar(gram: ArrayLike, alpha: float, epsilon: float, probabilities: ArrayLike) -> int:
    """Find the smallest n with n-Gen >= alpha for a known distribution of results, without simulation.

    Parameters
    ----------
    gram, epsilon, probabilities
        See `exact_generalizability`.
    alpha : float
        Wanted generalizability, in (0, 1).

    Returns
    -------
    int

    Raises
    ------
    ParameterError
        If n* is so large that the studies cannot be listed any more.

    References
    ----------
    Generalizability of Experimental Studies, second version, Eq. 9.

    Examples
    --------
    >>> exact_nstar(np.eye(2), alpha=0.95, epsilon=0.5, probabilities=[0.5, 0.5])
    15
    """
    alpha = check_level("alpha", alpha)
    n = 1
    while exact_generalizability(gram, n, epsilon, probabilities) < alpha:
        n += 1
    return n


def compositions(n: int, parts: int) -> np.ndarray:
    """Return all ways to write n as an ordered sum of nonnegative parts, shape (n_ways, parts)."""
    if parts == 1:
        return np.array([[n]])
    return np.concatenate([np.insert(compositions(n - first, parts - 1), 0, first, axis=1) for first in range(n + 1)])
