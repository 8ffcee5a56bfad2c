"""Fixtures shared by the tests."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PUBLISHED = ("encoders_results.parquet", "bigbench_results_prefiltered.parquet")


def why_no_published_data() -> str:
    """Say why the published results tables are not at hand; empty if they are."""
    folder = os.environ.get("GENEXPY_NB_DATA")
    if not folder:
        return "needs the published tables: GENEXPY_NB_DATA is not set"
    missing = [name for name in PUBLISHED if not (Path(folder) / name).is_file()]
    return f"needs the published tables: GENEXPY_NB_DATA has no {', '.join(missing)}" if missing else ""


@pytest.fixture(scope="session")
def has_published_data() -> bool:
    """Whether tests that need the published tables run."""
    return not why_no_published_data()


@pytest.fixture(scope="session")
def published_data() -> Path:
    """The folder with the published results tables; the test is skipped where there is none."""
    if reason := why_no_published_data():
        pytest.skip(reason)
    return Path(os.environ["GENEXPY_NB_DATA"])
