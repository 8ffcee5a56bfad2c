"""Hash what a result depends on: data by its content and the order of its rows, models by what they are made of."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import CodeType
from typing import Any

import joblib
import numpy as np
import pandas as pd
from scipy import sparse

from genexpy_nb.common.errors import DataError
from genexpy_nb.common.versions import versions

__all__ = ["content_hash", "describe", "file_hash", "fingerprint"]


def file_hash(path: str | os.PathLike) -> str:
    """Return the SHA-256 of a file, in hexadecimal.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     Path(folder, "empty").touch()
    ...     file_hash(Path(folder, "empty"))[:8]
    'e3b0c442'
    """
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fingerprint(*parts: Any) -> str:
    """Hash what a result depends on: data (frames, arrays) and settings (anything with a telling ``repr``).

    Parameters
    ----------
    *parts : pandas.DataFrame, numpy.ndarray or object
        Frames and arrays count by content (arrays without their shape), everything else by its ``repr``. The versions
        of the libraries are added (`genexpy_nb.common.versions.PACKAGES`). The code does not count: after changing how
        something is computed, delete the saved results.

    Returns
    -------
    str
        16 hexadecimal digits.

    Examples
    --------
    >>> fingerprint(np.arange(3), "seed 0") == fingerprint(np.arange(3), "seed 0")
    True
    >>> fingerprint(np.arange(3), "seed 0") == fingerprint(np.arange(3), "seed 1")
    False
    """
    digest = hashlib.sha256(repr(versions()).encode())
    for part in parts:
        if isinstance(part, pd.DataFrame):
            digest.update(repr(list(part.columns)).encode())
            digest.update(pd.util.hash_pandas_object(part).to_numpy().tobytes())
        elif isinstance(part, np.ndarray):
            digest.update(part.tobytes())
        else:
            digest.update(repr(part).encode())
    return digest.hexdigest()[:16]


# One width per kind of number: what counts is the value, not whether a platform's default integer has 32 bits.
_CANONICAL = {"b": "|b1", "i": "<i8", "u": "<u8", "f": "<f8", "c": "<c16"}


def content_hash(data: Any) -> str:
    """Return the SHA-256 of the content of a data set, the order of its rows included.

    Parameters
    ----------
    data : array_like, sparse matrix, DataFrame, Series or list, shape (n_rows, ...)
        Numbers, strings (a list of texts), missing values, or lists of those. The width of a number and the index of
        a frame do not count; names and order of columns do.

    Returns
    -------
    str
        64 hexadecimal digits.

    Raises
    ------
    DataError
        If a value is no number, string, missing value or list of those.

    Examples
    --------
    >>> content_hash([0, 1]) == content_hash(np.array([0, 1], dtype="int32"))
    True
    >>> content_hash(["one text", "another"]) == content_hash(["another", "one text"])
    False
    """
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


def describe(value: Any) -> Any:
    """Return what an estimator, a scorer or a parameter is made of, in types that JSON knows.

    Two objects with the same description are the same for a run of trials. Nothing in it depends on the process: no
    memory address, no order of a set.

    Parameters
    ----------
    value : object
        Estimators by class, version of their package and parameters; functions by name and source; arrays by content.

    Returns
    -------
    object

    Examples
    --------
    >>> from sklearn.neighbors import NearestCentroid
    >>> describe(NearestCentroid())["params"]["shrink_threshold"] is None
    True
    """
    if value is None or isinstance(value, (bool, int, float, str)):
        return value if value == value else "nan"
    if isinstance(value, np.generic):
        return describe(value.item())
    if isinstance(value, (list, tuple)):
        return [describe(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return {"set": sorted(json.dumps(describe(item), sort_keys=True) for item in value)}
    if isinstance(value, Mapping):
        return {str(key): describe(item) for key, item in value.items()}
    if isinstance(value, (np.ndarray, pd.DataFrame, pd.Series)) or sparse.issparse(value):
        return {"content": content_hash(value)}
    if isinstance(value, partial):
        return {"partial": describe(value.func), "args": describe(value.args), "keywords": describe(value.keywords)}
    if inspect.isroutine(value) or isinstance(value, type):
        return {"name": f"{value.__module__}.{value.__qualname__}", "code": _code(value)}
    return _described_object(value)


def _described_object(value: Any) -> dict[str, Any]:
    about: dict[str, Any] = {"class": describe(type(value))}
    if hasattr(value, "get_params"):
        package = sys.modules.get(type(value).__module__.partition(".")[0])
        about["version"] = str(getattr(package, "__version__", ""))
        about["params"] = {name: describe(item) for name, item in sorted(value.get_params(deep=False).items())}
    elif hasattr(value, "dist") and hasattr(value, "kwds"):  # scipy's distributions carry the global generator along
        about["params"] = [value.dist.name, describe(value.args), describe(value.kwds)]
    elif type(value).__module__.startswith("numpy") or not hasattr(value, "__dict__"):
        about["content"] = joblib.hash(value)
    else:
        about["attributes"] = {name: describe(item) for name, item in sorted(vars(value).items())}
    return about


def _code(thing: Any) -> Any:
    """Return a hash of code that no package's version stands for: a notebook's or a script's own."""
    package = sys.modules.get((getattr(thing, "__module__", None) or "").partition(".")[0])
    if hasattr(package, "__version__"):
        return ""
    if isinstance(thing, type):
        return {name: _code(item) for name, item in sorted(vars(thing).items()) if hasattr(item, "__code__")}
    if not hasattr(thing, "__code__"):
        return ""
    return [_bytes_of(thing.__code__), describe(thing.__defaults__), describe(thing.__kwdefaults__)]


def _bytes_of(code: CodeType) -> str:
    constants = [_bytes_of(item) if isinstance(item, CodeType) else repr(item) for item in code.co_consts]
    return hashlib.sha256(repr((code.co_code, code.co_names, constants)).encode()).hexdigest()
