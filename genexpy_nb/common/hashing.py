"""Hash files, and data by its content and the order of its rows; `genexpy_nb.common.identity` tells models apart."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from genexpy_nb.common.errors import DataError


def file_hash(path: str | os.PathLike) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def folder_hash(folder: str | os.PathLike, patterns: Sequence[str] = ("**/*",)) -> str:
    """Return the SHA-256 of files and their places in a folder; what Python compiled does not count."""
    folder = Path(folder)
    found = {file for pattern in patterns for file in folder.glob(pattern)}
    files = sorted(file for file in found if file.is_file() and "__pycache__" not in file.parts)
    listed = "\n".join(f"{file_hash(file)} {file.relative_to(folder).as_posix()}" for file in files)
    return hashlib.sha256(listed.encode()).hexdigest()


# One width per kind of number: what counts is the value, not whether a platform's default integer has 32 bits.
_CANONICAL = {"b": "|b1", "i": "<i8", "u": "<u8", "f": "<f8", "c": "<c16"}


def content_hash(data: Any) -> str:
    """Return the SHA-256 of the content of a dataset, the order of its rows included."""
    digest = hashlib.sha256()
    _feed(digest.update, data)
    return digest.hexdigest()


def _feed(update: Callable[[bytes], None], data: Any) -> None:
    if isinstance(data, pd.DataFrame):
        update(f"frame{data.shape}".encode())
        _feed_items(update, [str(name) for name in data.columns])
        for position in range(data.shape[1]):
            _feed(update, data.iloc[:, position])
    elif sparse.issparse(data):
        matrix = sparse.csr_array(data, copy=True)
        matrix.sum_duplicates()  # also sorts the indices: a matrix can be stored in many ways
        matrix.eliminate_zeros()
        update(f"sparse{matrix.shape}".encode())
        for part in (matrix.indptr, matrix.indices, matrix.data):
            _feed(update, part)
    else:
        _feed_array(update, _as_array(data))


def _as_array(data: Any) -> np.ndarray:
    if isinstance(data, pd.Series) and not isinstance(data.dtype, np.dtype):
        return np.asarray(data.astype(object))  # categories and nullable types: what they stand for
    numbers = (bool, int, float, np.number)
    if not isinstance(data, (list, tuple)) or all(isinstance(value, numbers) for value in data):
        return np.asarray(data)
    if data and all(isinstance(value, (list, tuple, np.ndarray)) for value in data):
        with suppress(ValueError):  # rows of different lengths stay lists
            return np.asarray(data)
    return np.fromiter(data, dtype=object, count=len(data))


def _feed_array(update: Callable[[bytes], None], array: np.ndarray) -> None:
    if array.dtype.kind in _CANONICAL:
        canonical = np.ascontiguousarray(array, dtype=_CANONICAL[array.dtype.kind])
        update(f"{array.dtype.kind}{array.shape}".encode())
        update(canonical.tobytes())
    elif array.dtype.kind in "mM":
        update(f"{array.dtype.str}{array.shape}".encode())
        update(np.ascontiguousarray(array).view("<i8").tobytes())
    else:
        update(f"items{array.shape}".encode())
        _feed_items(update, array.ravel().tolist())


def _feed_items(update: Callable[[bytes], None], items: list[Any]) -> None:
    for row, item in enumerate(items):
        if isinstance(item, str):
            kind, content = "s", item.encode("utf-8", "surrogatepass")
        elif isinstance(item, bytes):
            kind, content = "y", item
        elif isinstance(item, (list, tuple, np.ndarray)):
            kind, content = "l", content_hash(item).encode()
        elif item is None or item is pd.NA or item is pd.NaT or (isinstance(item, float) and item != item):
            kind, content = "n", b""
        elif isinstance(item, (bool, int, float, complex, np.generic, pd.Timestamp, pd.Timedelta)):
            kind, content = type(item).__name__, repr(item).encode()
        else:
            raise DataError(
                f"value {row} is a {type(item).__name__}; numbers, strings, missing values and lists of those can be "
                "hashed"
            )
        update(f"{kind}{len(content)}:".encode())  # with its length, so that ["ab"] and ["a", "b"] differ
        update(content)
