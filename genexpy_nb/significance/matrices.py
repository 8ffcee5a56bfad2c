"""Square tables, one row and one column per alternative."""

from __future__ import annotations

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import check_columns
from genexpy_nb.common.errors import StudyError


def square(upper: np.ndarray, k: int) -> np.ndarray:
    """Return a symmetric matrix, shape (k, k), ones on its diagonal, from what is above it, row by row."""
    matrix = np.ones((k, k))
    i, j = np.triu_indices(k, 1)
    matrix[i, j] = matrix[j, i] = upper
    return matrix


def to_matrix(pairs: pd.DataFrame, column: str, mirrored: float = 1.0, diagonal: float = np.nan) -> pd.DataFrame:
    """Turn a column of `compare_pairs` into a square table."""
    check_columns(pairs, ("a", "b", column), "pairs")
    names = pd.Index(pd.unique(pd.concat([pairs["a"], pairs["b"]])))
    i, j = names.get_indexer(pairs["a"]), names.get_indexer(pairs["b"])
    filled = np.eye(len(names), dtype=bool)
    filled[i, j] = filled[j, i] = True
    if not filled.all() or len(pairs) != len(names) * (len(names) - 1) // 2:
        raise StudyError(f"pairs must hold every pair of the {len(names)} alternatives in one row")
    matrix = np.full(filled.shape, float(diagonal))
    matrix[i, j] = pairs[column]
    matrix[j, i] = mirrored * pairs[column]
    return pd.DataFrame(matrix, index=names, columns=names)
