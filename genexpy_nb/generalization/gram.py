"""Gram matrices of results: what one must be, and which of its results the kernel tells apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from genexpy_nb.common.checks import TOLERANCE
from genexpy_nb.common.errors import ParameterError


def check_gram(gram: ArrayLike, at_least: int = 2) -> np.ndarray:
    """Return a Gram matrix as a float array, or say what is wrong with it."""
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
    """Merge the results that the kernel does not tell apart."""
    # Sorting one number a row is much faster than sorting rows.
    projection = gram @ np.random.default_rng(0).random(len(gram))
    order = np.argsort(projection, kind="stable")
    group = np.empty(len(gram), dtype=np.intp)
    group[order] = np.cumsum(np.diff(projection[order], prepend=projection[order[0]]) > TOLERANCE)
    _, first, counts = np.unique(group, return_index=True, return_counts=True)
    merged = counts / len(gram) if probabilities is None else np.bincount(group, weights=probabilities)
    return gram[np.ix_(first, first)], merged


def by_size(grams: Sequence[np.ndarray]) -> dict[int, list[int]]:
    """Group Gram matrices by their number of experiments: ``{N: positions}``."""
    groups: dict[int, list[int]] = {}
    for i, gram in enumerate(grams):
        groups.setdefault(len(gram), []).append(i)
    return groups
