"""Correction of p-values for multiple testing, and all pairs of alternatives as a square table."""

from __future__ import annotations

import numpy as np


def holm_adjusted(p: np.ndarray) -> np.ndarray:
    """Correct p-values after Holm; along the last axis, each row is a family. None may be missing."""
    order = np.argsort(p, axis=-1, kind="stable")
    steps = np.take_along_axis(p, order, axis=-1) * np.arange(p.shape[-1], 0, -1)
    adjusted = np.empty_like(p)
    np.put_along_axis(adjusted, order, np.minimum(np.maximum.accumulate(steps, axis=-1), 1.0), axis=-1)
    return adjusted


def square(upper: np.ndarray, k: int) -> np.ndarray:
    """Return a symmetric matrix, shape (k, k), ones on its diagonal, from what is above it, row by row."""
    matrix = np.ones((k, k))
    i, j = np.triu_indices(k, 1)
    matrix[i, j] = matrix[j, i] = upper
    return matrix
