"""The bundled tables of this project's own runs, read without the package."""

import hashlib
import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

DATA = Path(__file__).resolve().parents[1] / "data"


def bundled(name: str, *, reproduce: bool = False) -> tuple[pd.DataFrame, dict]:
    """Return a table and its note; to reproduce it, the versions must be those it was made with."""
    about = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    if reproduce:
        other = {package: v for package, v in about["versions"].items() if version(package) != v}
        if other:
            pytest.skip(f"the bundled results were made with {other}")
    return pd.read_parquet(DATA / f"{name}.parquet"), about


def check_bundled(name: str, columns: tuple[str, ...], at_most: int) -> None:
    """A table is what its note says: whole, sorted, finite, small enough."""
    table, about = bundled(name)
    file = DATA / f"{name}.parquet"
    assert hashlib.sha256(file.read_bytes()).hexdigest() == about["sha256"]
    assert tuple(table.columns) == columns
    assert len(table) == about["rows"]
    key = [column for column in columns if column not in ("cv_score", "time", "score_value", "score")]
    assert not table.duplicated(key).any()
    assert_frame_equal(table, table.sort_values(key, ignore_index=True))
    assert np.isfinite(table.select_dtypes("number")).all(axis=None)
    assert file.stat().st_size < at_most
