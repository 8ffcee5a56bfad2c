"""Wilcoxon's signed-rank test with ties and zeros, one sample or thousands."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats
from scipy.spatial.distance import squareform
from scipy.special import ndtr

from genexpy_nb.common.checks import check_choice, check_scores
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.rankings import round_significant
from genexpy_nb.significance.multiple import holm_adjusted

_CHUNK = 4_000_000  # differences held at once: 32 MB per array
_KNOWN = 5e-12  # relative to the larger score: half a unit of its twelfth digit
_METHODS = ("auto", "asymptotic")
_LARGEST_EXACT = 50  # 2^50 sign patterns are still counted exactly in a double


def wilcoxon_pratt(differences: ArrayLike, method: str = "auto") -> np.ndarray:
    """Run the Wilcoxon signed-rank test, zeros after Pratt (JASA 1959), on many samples at once.

    Parameters
    ----------
    differences : array_like, shape (n_samples, n) or (n,)
        Paired differences, compared as they are: differences that should tie must be equal (`paired_differences`).
    method : {"auto", "asymptotic"}
        ``auto`` counts all sign patterns of up to 50 nonzero differences, given the ranks: exact with ties and zeros,
        too, where scipy's is not. ``asymptotic`` is the normal approximation, corrected for ties and zeros, without
        continuity correction.

    Returns
    -------
    ndarray, shape (n_samples,)
        Two-sided p-values; 1 if all differences are zero.

    Examples
    --------
    >>> wilcoxon_pratt([[1, 2, 3, 4, 5, 6], [0, 0, 0, -1, 2, 3], [0, 0, 0, 0, 0, 0]])
    array([0.03125, 0.5    , 1.     ])
    """
    check_choice("method", method, _METHODS)
    return _p_values(doubled_signed_ranks(_finite(differences)), method)


def _p_values(signed: np.ndarray, method: str) -> np.ndarray:
    """Return what `wilcoxon_pratt` does, from doubled signed ranks, shape (n_samples, n)."""
    positive, negative = np.where(signed > 0, signed, 0).sum(axis=1), -np.where(signed < 0, signed, 0).sum(axis=1)
    smaller, total = np.minimum(positive, negative), positive + negative
    doubled = np.abs(signed)
    count = (signed != 0).sum(axis=1)
    exact = (count <= _LARGEST_EXACT) & (method != "asymptotic")
    # Given the ranks, the sum of the positive ones has mean total/2 and variance sum(rank^2)/4: no other correction.
    deviation = np.sqrt((doubled.astype(float) ** 2).sum(axis=1))
    z = np.divide(total - 2.0 * smaller, deviation, out=np.zeros(len(signed)), where=deviation > 0)
    p = 2 * ndtr(-z)
    p[exact] = _exact_wilcoxon(doubled[exact], smaller[exact], count[exact])
    return np.minimum(p, 1.0)


def doubled_signed_ranks(d: np.ndarray) -> np.ndarray:
    """Return twice the signed ranks after Pratt, as integers: average ranks are multiples of one half."""
    return (np.sign(d) * np.rint(2 * stats.rankdata(np.abs(d), axis=1))).astype(np.int64)


def signed_rank_direction(differences: ArrayLike) -> np.ndarray:
    """Say which way the Wilcoxon signed-rank test points, on many samples at once."""
    return np.sign(doubled_signed_ranks(_finite(differences)).sum(axis=1))


def _finite(differences: ArrayLike) -> np.ndarray:
    """Return the differences as floats, shape (n_samples, n), or say which one is missing or infinite."""
    d = np.atleast_2d(np.asarray(differences, dtype=float))
    if not np.isfinite(d).all():
        sample, position = np.argwhere(~np.isfinite(d))[0]
        raise ParameterError(f"differences must be finite, got {d[sample, position]} in sample {sample}")
    return d


def _exact_wilcoxon(doubled: np.ndarray, smaller: np.ndarray, count: np.ndarray) -> np.ndarray:
    p = np.ones(len(doubled))
    if not doubled.size:
        return p
    ranks = np.sort(doubled.astype(np.int32), axis=1)
    as_bytes = ranks.view(np.dtype((np.void, ranks.itemsize * ranks.shape[1]))).ravel()  # to sort bytes is fast
    order = np.argsort(as_bytes, kind="stable")
    starts = np.flatnonzero(np.append(True, as_bytes[order][1:] != as_bytes[order][:-1]))
    for mine in np.split(order, starts[1:]):  # samples with the same ranks, in whatever order
        row = ranks[mine[0]]
        ways = np.zeros(smaller[mine].max() + 1)  # ways[s]: sign patterns whose positive doubled ranks sum to s
        ways[0] = 1
        for rank in row[row > 0]:
            ways[rank:] += ways[:-rank].copy()
        p[mine] = 2 * np.cumsum(ways)[smaller[mine]] / 2.0 ** count[mine]
    return p


def pairs_in_parts(n_pairs: int, n_conditions: int) -> list[slice]:
    """Divide pairs into parts of which the differences fit into memory, at least one part."""
    step = max(1, _CHUNK // n_conditions)
    return [slice(start, min(start + step, n_pairs)) for start in range(0, max(n_pairs, 1), step)]


def signed_rank_tests(values: np.ndarray, i: np.ndarray, j: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Run the signed-rank test on pairs of alternatives, a part of them at a time."""
    p, direction = np.ones(len(i)), np.zeros(len(i), dtype=np.int64)
    for part in pairs_in_parts(len(i), len(values)):
        signed = doubled_signed_ranks(paired_differences(values, i[part], j[part]))
        p[part], direction[part] = _p_values(signed, "auto"), np.sign(signed.sum(axis=1))
    return p, direction


def pairwise_wilcoxon(scores: ArrayLike | pd.DataFrame) -> pd.DataFrame:
    """Compare all pairs by Wilcoxon's signed-rank tests on the raw scores: p-values after Holm, shape (k, k)."""
    table = check_scores(scores)
    k = len(table.names)
    p, _ = signed_rank_tests(table.values, *np.triu_indices(k, 1))
    return pd.DataFrame(squareform(holm_adjusted(p)) + np.eye(k), table.names, table.names)


def paired_differences(values: np.ndarray, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """Subtract alternatives from each other within each condition, such that equal differences are equal in every bit.

    0.8 - 0.7 and 0.4 - 0.3 differ in the last bits, and a test on ranks would take them for different. A difference is
    zero here if it is at most 5e-12 of the larger score, and differences of a pair whose sizes are as close as that are
    equal, in any unit. The result, shape (n_pairs, n_conditions), is rounded to 12 significant digits.
    """
    a, b = values.T[i], values.T[j]
    d = a - b
    size = np.abs(d)
    known = _KNOWN * np.maximum(np.abs(a), np.abs(b))  # how far off a difference can be
    size[size <= known] = 0.0
    order = np.argsort(size, axis=1, kind="stable")
    ordered, known = np.take_along_axis(size, order, axis=1), np.take_along_axis(known, order, axis=1)
    near = np.diff(ordered, axis=1) <= np.maximum(known[:, 1:], known[:, :-1])
    new = np.concatenate([np.ones((len(d), 1), dtype=bool), ~near | (ordered[:, :-1] == 0)], axis=1)
    # Each takes the value of the first, smallest, of those that it is equal to.
    first = np.maximum.accumulate(np.where(new, np.arange(d.shape[1]), 0), axis=1)
    equal = np.empty_like(size)
    np.put_along_axis(equal, order, np.take_along_axis(ordered, first, axis=1), axis=1)
    return np.sign(d) * round_significant(equal)
