"""Adjusted p-values from the joint distribution of all pairs: step-down, after Romano and Wolf."""

from __future__ import annotations

import numpy as np

from genexpy_nb.common.checks import TOLERANCE, check_count
from genexpy_nb.common.random import generator
from genexpy_nb.significance.wilcoxon import doubled_signed_ranks

_CHUNK = 4_000_000  # numbers held at once


def romano_wolf(differences: np.ndarray, n_resamples: int, rng: np.random.Generator | int) -> np.ndarray:
    """Adjust the signed-rank tests of many pairs for their number, by the step-down procedure of Romano and Wolf."""
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
