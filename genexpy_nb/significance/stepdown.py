"""Adjusted p-values from the joint distribution of all pairs: step-down, after Romano and Wolf."""

from __future__ import annotations

import numpy as np

from genexpy_nb.common.checks import TOLERANCE, check_count
from genexpy_nb.common.random import generator
from genexpy_nb.significance.wilcoxon import doubled_signed_ranks

__all__ = ["romano_wolf"]

_CHUNK = 4_000_000  # numbers held at once


def romano_wolf(differences: np.ndarray, n_resamples: int, rng: np.random.Generator | int) -> np.ndarray:
    """Adjust the signed-rank tests of many pairs for their number, by the step-down procedure of Romano and Wolf.

    Holm's correction holds for every dependence of the tests; pairs that share an alternative depend on each other, and
    it gives away what they share. Here the dependence is kept: a condition turns around the differences of all pairs
    at once, or of none. The statistic is that of `wilcoxon_pratt`, over its standard deviation; the largest pair
    is compared with the largest one of all pairs, the next with the largest of the rest, and so on.

    Parameters
    ----------
    differences : ndarray, shape (n_pairs, n_conditions)
        Of the same conditions, in the same order, as from `paired_differences`.
    n_resamples : int
        Sign patterns that are drawn, >= 1. All of them are counted if there are no more than that.
    rng : numpy.random.Generator or int
        Source of randomness, or its seed.

    Returns
    -------
    ndarray, shape (n_pairs,)
        Adjusted two-sided p-values. With patterns drawn at random, the one at hand is counted among them, so that none
        is 0.

    Raises
    ------
    ParameterError
        If ``n_resamples`` is out of range.

    Notes
    -----
    It holds its level under the conditions of the signed-rank test, for all pairs together: that the differences of the
    equal alternatives are jointly symmetric about zero.

    References
    ----------
    Romano and Wolf, JASA 2005, Section 3 (Exact and approximate stepdown methods); Westfall and Young (1993).

    Examples
    --------
    Two pairs that say the same count once.

    >>> gains = np.arange(1.0, 7.0)
    >>> romano_wolf(np.stack([gains, 2 * gains]), n_resamples=100, rng=0)
    array([0.03125, 0.03125])
    """
    n_resamples = check_count("n_resamples", n_resamples)
    signed = doubled_signed_ranks(differences).astype(float)
    deviation = np.sqrt((signed**2).sum(axis=1))
    scaled = np.divide(signed, deviation[:, None], out=np.zeros_like(signed), where=deviation[:, None] > 0)
    observed = np.abs(scaled.sum(axis=1))
    order = np.argsort(observed, kind="stable")  # the largest one last: it is compared with all
    # The order of the conditions would decide which of them a pattern turns: rows are sorted by what is in them.
    scaled = scaled[:, np.lexsort(np.sort(np.abs(scaled), axis=0))]
    signs, enumerated = _sign_patterns(scaled.shape[1], n_resamples, generator(rng))
    reached = np.zeros(len(order))
    step = max(1, _CHUNK // max(1, len(order)))
    for start in range(0, len(signs), step):
        largest = np.maximum.accumulate(np.abs(scaled[order] @ signs[start : start + step].T), axis=0)
        # statistics are of order 1; a share of one that is 0 but for rounding would be no tolerance
        reached += (largest >= observed[order, None] - TOLERANCE).sum(axis=1)
    p = reached / len(signs) if enumerated else (reached + 1) / (len(signs) + 1)
    adjusted = np.empty(len(order))
    adjusted[order] = np.maximum.accumulate(p[::-1])[::-1]
    return adjusted


def _sign_patterns(n: int, n_resamples: int, rng: np.random.Generator) -> tuple[np.ndarray, bool]:
    """Return patterns of signs, shape (n_patterns, n), and whether they are all up to turning everything around."""
    if n - 1 < 60 and 2 ** (n - 1) <= n_resamples:
        bits = (np.arange(2 ** (n - 1))[:, None] >> np.arange(n)) & 1
        return 1.0 - 2.0 * bits, True
    return rng.choice([-1.0, 1.0], size=(n_resamples, n)), False
