"""Tables of this project's own runs, with a file beside each that says where it comes from."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pandas as pd

from genexpy_nb.common.errors import DataError
from genexpy_nb.common.files import parse_parquet, read_json, read_verified


def read_verified_results(path: str | os.PathLike) -> pd.DataFrame:
    """Read a results table that ``data/runs/records.py`` wrote, if it is still what the JSON file beside it says."""
    path = Path(path)
    content, about = read_content(path, "the script that wrote it makes it again")
    table = parse_parquet(content, str(path))
    table.attrs = {"about": about}
    return table


def read_content(path: Path, remedy: str) -> tuple[bytes, dict[str, Any]]:
    """Return the bytes of such a table, verified, and what the JSON file beside it says."""
    note = path.with_suffix(".json")
    about = read_json(note, remedy)
    if "sha256" not in about:
        raise DataError(f"{note} gives no sha256 of {path.name}: {remedy}")
    return read_verified(path, about["sha256"], remedy), about
