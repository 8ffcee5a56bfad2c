"""Which differences between losses are none: those that rounding alone can make, whatever unit the losses have."""

from __future__ import annotations

from typing import Any

import numpy as np

from genexpy_nb.common.rankings import SIGNIFICANT_DIGITS

__all__ = ["RESOLUTION", "digits_after_point", "negligible", "squares_or_zero"]

#: Relative to the size of two losses: a smaller difference is none. Scores tie by the same number of digits.
RESOLUTION = 10.0**-SIGNIFICANT_DIGITS


def negligible(difference: Any, size: Any) -> Any:
    """Say whether a difference of numbers is one that rounding can make.

    Parameters
    ----------
    difference : float or ndarray
        Of two losses, or a standard error of such differences.
    size : float or ndarray
        The largest absolute value that the difference was computed from.

    Returns
    -------
    bool or ndarray of bool

    Examples
    --------
    >>> bool(negligible(0.1 + 0.2 - 0.3, 0.3)), bool(negligible(1e-17, 1e-8))
    (True, False)
    """
    return np.abs(difference) <= RESOLUTION * np.asarray(size)


def squares_or_zero(mean_square: float, size: float) -> float:
    """Return a mean square, or 0 if the differences in it are negligible.

    Examples
    --------
    >>> squares_or_zero(1e-33, 1.0), squares_or_zero(1e-33, 1e-8)
    (0.0, 1e-33)
    """
    return 0.0 if negligible(np.sqrt(mean_square), size) else float(mean_square)


def digits_after_point(*values: float, at_least: int = 4) -> int:
    """Return how many digits after the point show two significant ones of the largest value.

    Parameters
    ----------
    *values : float
        Missing ones do not count.
    at_least : int
        So many in any case.

    Returns
    -------
    int

    Examples
    --------
    >>> digits_after_point(-0.0143, 0.002), digits_after_point(2.5e-7, 1e-9)
    (4, 8)
    """
    largest = max((abs(value) for value in values if np.isfinite(value)), default=0.0)
    return at_least if largest == 0 else max(at_least, 1 - int(np.floor(np.log10(largest))))
