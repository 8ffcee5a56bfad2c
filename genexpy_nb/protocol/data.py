"""What a dataset must be like for splits and trials, and the fingerprints by which it is recognized."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from genexpy_nb.common.errors import DataError
from genexpy_nb.common.hashing import content_hash

__all__ = ["check_rows", "data_hashes"]


def check_rows(X: Any, y: ArrayLike, groups: ArrayLike | None = None) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the target and the groups as arrays, or say what is wrong with them.

    Parameters
    ----------
    X : array_like, sparse matrix, DataFrame or list, shape (n_rows, ...)
        Features; only counted.
    y : array_like, shape (n_rows,)
        Target.
    groups : array_like, shape (n_rows,), optional

    Returns
    -------
    y, groups : ndarray, shape (n_rows,)
        ``groups`` is None without any. Strings are kept as NumPy's, whatever they came in.

    Raises
    ------
    DataError
        If the numbers of rows differ, or a target or a group is missing.

    Examples
    --------
    >>> check_rows([[1.0], [2.0]], ["no", "yes"])[0].tolist()
    ['no', 'yes']
    """
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    target = _column("y", y)
    if n_rows != len(target):
        raise DataError(f"X has {n_rows} rows, y has {len(target)}")
    if groups is None:
        return target, None
    column = _column("groups", groups)
    if len(column) != n_rows:
        raise DataError(f"groups has {len(column)} values, y has {n_rows}: there must be one per row")
    return target, column


def data_hashes(X: Any, y: np.ndarray, groups: np.ndarray | None = None) -> dict[str, str | None]:
    """Return the SHA-256 of the content of ``X``, ``y`` and ``groups``, None without groups.

    Parameters
    ----------
    X : array_like, sparse matrix, DataFrame or list, shape (n_rows, ...)
    y, groups : ndarray, shape (n_rows,)
        From `check_rows`.

    Returns
    -------
    dict of str to str or None

    Raises
    ------
    DataError
        If ``X`` holds what cannot be hashed, see `genexpy_nb.common.hashing.content_hash`.

    Examples
    --------
    >>> {name: value and value[:8] for name, value in data_hashes([[1.0]], np.array([0])).items()}
    {'X': '0c4558f2', 'y': 'f0767ad6', 'groups': None}
    """
    return {
        "X": content_hash(X),
        "y": content_hash(y),
        "groups": None if groups is None else content_hash(groups),
    }


def _column(name: str, values: ArrayLike) -> np.ndarray:
    array = np.asarray(values)
    if array.ndim != 1:
        raise DataError(f"{name} must have one value per row, got shape {array.shape}")
    absent = pd.isna(array)
    if absent.any():
        raise DataError(f"{name} has {int(absent.sum())} missing values, the first in row {int(absent.argmax())}")
    return array.astype(str) if array.dtype == object and all(isinstance(value, str) for value in array) else array
