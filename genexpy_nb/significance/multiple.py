"""Correction of p-values for multiple testing, and all pairs of alternatives as a square table."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from genexpy_nb.common.checks import check_choice
from genexpy_nb.common.errors import ParameterError

#: Other corrections: `statsmodels.stats.multitest.multipletests` of the column of p-values.
ADJUSTMENTS = ("none", "holm")


def adjust_pvalues(p_values: ArrayLike, adjust: str = "holm") -> np.ndarray:
    """Correct p-values, shape (m,), for multiple testing; a missing one is an error."""
    check_choice("adjust", adjust, ADJUSTMENTS)
    p = np.asarray(p_values, dtype=float)
    if p.ndim != 1:
        raise ParameterError(f"p_values must have shape (m,), got {p.shape}")
    bad = ~((p >= 0) & (p <= 1))  # written so that NaN is bad
    if bad.any():
        raise ParameterError(f"p_values must be in [0, 1], got {p[bad.argmax()]} at position {bad.argmax()}")
    return p if adjust == "none" else holm_adjusted(p)


def holm_adjusted(p: np.ndarray) -> np.ndarray:
    """Correct many families of p-values after Holm, without a check: what `adjust_pvalues` does to one family."""
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
