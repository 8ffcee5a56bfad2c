"""What a dataset must be like for splits and trials, and the fingerprints by which it is recognized."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from genexpy_nb.common.errors import DataError
from genexpy_nb.common.hashing import content_hash


def check_rows(X: Any, y: ArrayLike, groups: ArrayLike | None = None) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the target and the groups as arrays, or say what is wrong with them."""
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
    """Return the SHA-256 of the content of ``X``, ``y`` and ``groups``, None without groups."""
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
