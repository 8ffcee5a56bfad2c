"""Tables of this project's own runs, with a file beside each that says where it comes from."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from genexpy_nb.common.checksums import parse_parquet, read_json, read_verified, with_checksum
from genexpy_nb.common.errors import DataError
from genexpy_nb.common.files import locked, replacing
from genexpy_nb.common.versions import versions

__all__ = ["estimator_text", "read_content", "read_verified_results", "write_results"]


def write_results(
    table: pd.DataFrame, path: str | os.PathLike, index: Iterable[str], about: Mapping[str, Any]
) -> dict[str, Any]:
    """Write a results table as parquet, and beside it a JSON file that says where it comes from, and checksums of both.

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
        The content of the JSON file, but for the checksum of itself.

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
    ...     about["sha256"] == sha256(Path(folder, "t.parquet").read_bytes()).hexdigest()
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
    content = table.to_parquet(compression="zstd", compression_level=19, index=False)
    about["sha256"] = sha256(content).hexdigest()
    text = json.dumps(with_checksum(about), indent=2, ensure_ascii=False) + "\n"
    lock = path.with_name(f".{path.stem}.lock")  # another process might write its own table between the two
    with locked(lock), replacing(path.with_suffix(".json")) as note, replacing(path) as fresh:
        fresh.write_bytes(content)
        note.write_text(text, encoding="utf-8", newline="\n")
    return about


def read_verified_results(path: str | os.PathLike) -> pd.DataFrame:
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
        If one of both files is missing or damaged, or the table is not the one that was written.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "t.parquet")
    ...     _ = write_results(pd.DataFrame({"task": ["a"]}), path, ["task"], {"seed": 0})
    ...     read_verified_results(path).attrs["about"]["seed"]
    0
    """
    path = Path(path)
    content, about = read_content(path, "the script that wrote it makes it again")
    table = parse_parquet(content, str(path))
    table.attrs = {"about": about}
    return table


def read_content(path: Path, remedy: str) -> tuple[bytes, dict[str, Any]]:
    """Return the bytes of a table that `write_results` wrote, verified, and what the JSON file beside it says.

    Parameters
    ----------
    path : Path
        The parquet file.
    remedy : str
        What would help if one of both is missing or damaged, for the message.

    Returns
    -------
    bytes, dict

    Raises
    ------
    DataError
        As in `read_verified_results`.

    Examples
    --------
    >>> read_content(Path("/nowhere.parquet"), "make it again")
    Traceback (most recent call last):
        ...
    genexpy_nb.common.errors.DataError: /nowhere.json is missing: make it again
    """
    note = path.with_suffix(".json")
    about = read_json(note, remedy)
    if "sha256" not in about:
        raise DataError(f"{note} gives no sha256 of {path.name}: {remedy}")
    return read_verified(path, about["sha256"], remedy), about


def estimator_text(estimator: object) -> str:
    """Return the ``repr`` of an estimator in one line, after the name of its package.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> estimator_text(SVC(C=2))
    'sklearn: SVC(C=2)'
    """
    return f"{type(estimator).__module__.split('.')[0]}: {' '.join(repr(estimator).split())}"
