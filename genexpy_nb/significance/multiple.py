"""Correction of p-values for multiple testing."""

from __future__ import annotations

import numpy as np


def holm_adjusted(p: np.ndarray) -> np.ndarray:
    """Correct p-values after Holm; along the last axis, each row is a family. None may be missing."""
    order = np.argsort(p, axis=-1, kind="stable")
    steps = np.take_along_axis(p, order, axis=-1) * np.arange(p.shape[-1], 0, -1)
    adjusted = np.empty_like(p)
    np.put_along_axis(adjusted, order, np.minimum(np.maximum.accumulate(steps, axis=-1), 1.0), axis=-1)
    return adjusted
