"""Fixtures shared by the tests."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PUBLISHED = ("encoders_results.parquet", "bigbench_results_prefiltered.parquet")


@pytest.fixture(scope="session")
def published_data() -> Path:
    """The folder with the published results tables; the test is skipped where there is none."""
    folder = os.environ.get("GENEXPY_NB_DATA")
    if not folder:
        pytest.skip("needs the published tables: GENEXPY_NB_DATA is not set")
    missing = [name for name in PUBLISHED if not (Path(folder) / name).is_file()]
    if missing:
        pytest.skip(f"needs the published tables: GENEXPY_NB_DATA has no {', '.join(missing)}")
    return Path(folder)
