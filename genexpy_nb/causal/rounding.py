"""Which differences between losses are none: those that rounding alone can make, whatever unit the losses have."""

from __future__ import annotations

from typing import Any

import numpy as np

from genexpy_nb.common.rankings import SIGNIFICANT_DIGITS

#: Relative to the size of two losses: a smaller difference is none. Scores tie by the same number of digits.
RESOLUTION = 10.0**-SIGNIFICANT_DIGITS


def negligible(difference: Any, size: Any) -> Any:
    """Say whether a difference of numbers is one that rounding can make."""
    return np.abs(difference) <= RESOLUTION * np.asarray(size)


def digits_after_point(*values: float, at_least: int = 4) -> int:
    """Return how many digits after the point show two significant ones of the largest value."""
    largest = max((abs(value) for value in values if np.isfinite(value)), default=0.0)
    return at_least if largest == 0 else max(at_least, 1 - int(np.floor(np.log10(largest))))
