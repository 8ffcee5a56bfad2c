"""Gram matrices of results: what one must be, and which of its results the kernel tells apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from genexpy_nb.common.checks import TOLERANCE
from genexpy_nb.common.errors import ParameterError

__all__ = ["by_size", "check_gram", "support"]


def check_gram(gram: ArrayLike, at_least: int = 2) -> np.ndarray:
    """Return a Gram matrix as a float array, or say what is wrong with it.

    Parameters
    ----------
    gram : array_like, shape (N, N)
        Finite, and symmetric to five digits: single precision will do.
    at_least : int
        Smallest N that will do.

    Returns
    -------
    ndarray, shape (N, N)

    Raises
    ------
    ParameterError
        If the array holds anything but numbers, is not square, not finite, not symmetric, or smaller than ``at_least``;
        or if an entry is larger than the diagonal allows, as in a matrix of distances.

    References
    ----------
    Two results are at most as similar as the Cauchy-Schwarz inequality allows, ``k(x, y)^2 <= k(x, x) k(y, y)``.

    Examples
    --------
    >>> check_gram([[1, 0.5], [0.5, 1]]).dtype
    dtype('float64')
    >>> check_gram([[0, 2], [2, 0]])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    genexpy_nb.common.errors.ParameterError: gram looks like a matrix of distances: its diagonal is 0; ...
    """
    try:
        given = np.asarray(gram)
    except ValueError as error:  # rows of different lengths
        raise ParameterError(f"gram must be a square (N, N) array: {error}") from error
    if given.dtype.kind not in "iufb":
        raise ParameterError(f"gram must hold numbers, got {given.dtype}")
    values = given.astype(float)
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        raise ParameterError(f"gram must be a square (N, N) array, got shape {values.shape}")
    if len(values) < at_least:
        raise ParameterError(f"at least {at_least} experiments are needed, got {len(values)}")
    if not np.isfinite(values).all():
        raise ParameterError("gram has missing or infinite entries")
    if not np.allclose(values, values.T, rtol=1e-5, atol=1e-10):
        raise ParameterError("gram is not symmetric")
    _check_diagonal(values)
    return values


def _check_diagonal(gram: np.ndarray) -> None:
    diagonal = gram.diagonal()
    if not diagonal.any() and gram.any():
        raise ParameterError(
            "gram looks like a matrix of distances: its diagonal is 0; a Gram matrix holds similarities, largest for "
            "equal results, such as exp(-distance)"
        )
    if (diagonal < 0).any():
        raise ParameterError(f"gram is no Gram matrix: it has {diagonal.min():g} on its diagonal, below 0")
    norms = np.sqrt(diagonal)
    beyond = np.abs(gram) > np.outer(norms, norms) * (1 + 1e-5) + 1e-10
    if beyond.any():
        row, column = np.argwhere(beyond)[0]
        raise ParameterError(
            f"gram is no Gram matrix: the entry {gram[row, column]:g} in row {row}, column {column} is larger than "
            f"its diagonal allows, at most {norms[row] * norms[column]:g}"
        )


def support(gram: np.ndarray, probabilities: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Merge the results that the kernel does not tell apart.

    They have equal rows in the Gram matrix. Rows are compared by their projection on one fixed vector of random
    numbers between 0 and 1; projections that are at most `TOLERANCE` apart are one.

    Parameters
    ----------
    gram : ndarray, shape (l, l)
        Kernel values between results.
    probabilities : ndarray, shape (l,), optional
        Probability of each; all alike by default.

    Returns
    -------
    tuple of ndarray, shapes (m, m) and (m,)
        Kernel values between the m <= l distinct results, in the order of their projections, and their probabilities.

    Examples
    --------
    >>> gram = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> support(gram)[1].round(3)
    array([0.333, 0.667])
    >>> support(gram, np.array([0.1, 0.1, 0.8]))[1]
    array([0.8, 0.2])
    """
    # Sorting one number a row is much faster than sorting rows.
    projection = gram @ np.random.default_rng(0).random(len(gram))
    order = np.argsort(projection, kind="stable")
    group = np.empty(len(gram), dtype=np.intp)
    group[order] = np.cumsum(np.diff(projection[order], prepend=projection[order[0]]) > TOLERANCE)
    _, first, counts = np.unique(group, return_index=True, return_counts=True)
    merged = counts / len(gram) if probabilities is None else np.bincount(group, weights=probabilities)
    return gram[np.ix_(first, first)], merged


def by_size(grams: Sequence[np.ndarray]) -> dict[int, list[int]]:
    """Group Gram matrices by their number of experiments: ``{N: positions}``.

    Examples
    --------
    >>> by_size([np.eye(3), np.eye(2), np.eye(3)])
    {3: [0, 2], 2: [1]}
    """
    groups: dict[int, list[int]] = {}
    for i, gram in enumerate(grams):
        groups.setdefault(len(gram), []).append(i)
    return groups
