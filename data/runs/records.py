"""Write tables of this project's own runs, with a file beside each that says where it comes from."""

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

from genexpy_nb.common.errors import DataError
from genexpy_nb.common.files import locked, replacing, with_checksum
from genexpy_nb.common.hashing import versions


def write_results(
    table: pd.DataFrame, path: str | os.PathLike, index: Iterable[str], about: Mapping[str, Any]
) -> dict[str, Any]:
    """Write a results table as parquet, and beside it a JSON file with its origin, and checksums of both."""
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


def estimator_text(estimator: object) -> str:
    """Return the ``repr`` of an estimator in one line, after the name of its package."""
    return f"{type(estimator).__module__.split('.')[0]}: {' '.join(repr(estimator).split())}"
