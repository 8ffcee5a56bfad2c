"""Tables of this project's own runs, with a file beside each that says where it comes from."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from genexpy_nb.common.errors import DataError
from genexpy_nb.common.files import replacing
from genexpy_nb.common.hashing import file_hash
from genexpy_nb.common.versions import versions

__all__ = ["estimator_text", "read_results", "write_results"]


def write_results(
    table: pd.DataFrame, path: str | os.PathLike, index: Iterable[str], about: Mapping[str, Any]
) -> dict[str, Any]:
    """Write a results table as parquet, and beside it a JSON file that says where it comes from.

    Parameters
    ----------
    table : pandas.DataFrame
        From `genexpy_nb.common.resumable.run_resumable`; its ``attrs`` go into the JSON file.
    path : path-like
        The parquet file; the JSON file has the same name with another suffix.
    index : iterable of str
        Columns that together name a row; rows are sorted by them.
    about : mapping
        What else the JSON file shall say.

    Returns
    -------
    dict
        The content of the JSON file.

    Raises
    ------
    DataError
        If two rows have the same name, or a number is missing or infinite. Nothing is written then.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> table = pd.DataFrame({"task": ["b", "a"], "score": [0.5, 1.0]})
    >>> with TemporaryDirectory() as folder:
    ...     about = write_results(table, Path(folder, "t.parquet"), ["task"], {"seed": 0})
    ...     about["sha256"] == file_hash(Path(folder, "t.parquet"))
    True
    """
    index, path = list(index), Path(path)
    twice = table.duplicated(index)
    if twice.any():
        raise DataError(
            f"{path.name}: {twice.sum()} rows are there twice, the first is {table.loc[twice, index].iloc[0].to_dict()}"
        )
    for column in table.select_dtypes("number"):
        if not np.isfinite(table[column]).all():
            raise DataError(f"{path.name}: column {column!r} has missing or infinite values")
    about = {
        "date": datetime.now(UTC).date().isoformat(),
        **about,
        **table.attrs,
        "rows": len(table),
        "python": platform.python_version(),
        "versions": versions(),
        "platform": f"{platform.system()} {platform.machine()}",
    }
    table = table.sort_values(index, ignore_index=True)
    table.attrs = {}
    with replacing(path.with_suffix(".json")) as note, replacing(path) as fresh:
        table.to_parquet(fresh, compression="zstd", compression_level=19, index=False)
        about["sha256"] = file_hash(fresh)
        note.write_text(json.dumps(about, indent=2, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")
    return about


def read_results(path: str | os.PathLike) -> pd.DataFrame:
    """Read a results table that `write_results` wrote, if it is still what the JSON file beside it says.

    Parameters
    ----------
    path : path-like
        The parquet file.

    Returns
    -------
    pandas.DataFrame
        ``attrs["about"]`` is the content of the JSON file.

    Raises
    ------
    DataError
        If one of both files is missing, or the table is not the one that was written.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "t.parquet")
    ...     _ = write_results(pd.DataFrame({"task": ["a"]}), path, ["task"], {"seed": 0})
    ...     read_results(path).attrs["about"]["seed"]
    0
    """
    path = Path(path)
    note = path.with_suffix(".json")
    for file in (path, note):
        if not file.is_file():
            raise DataError(f"{file.name} is not there; a script in data/ makes it")
    about = json.loads(note.read_text(encoding="utf-8"))
    if file_hash(path) != about["sha256"]:
        raise DataError(f"{path.name} is damaged: its SHA-256 is not the one that {note.name} states")
    table = pd.read_parquet(path)
    table.attrs = {"about": about}
    return table


def estimator_text(estimator: object) -> str:
    """Return the ``repr`` of an estimator in one line, after the name of its package.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> estimator_text(SVC(C=2))
    'sklearn: SVC(C=2)'
    """
    return f"{type(estimator).__module__.split('.')[0]}: {' '.join(repr(estimator).split())}"
