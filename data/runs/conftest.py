"""Tests of the scripts that made the bundled results: they run with torch (``.ci/torch``) and in ``make slow``.

Results are in the repository, and everything that reads them is tested by ``make test``; scripts change seldom.
"""

import os
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests in this folder; hooks of a folder see all tests."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.runs)


@pytest.fixture(scope="session")
def cifar10() -> str:
    """Where the images are: what GENEXPY_NB_CIFAR10 names, or a file beside the published tables."""
    beside = Path(os.environ.get("GENEXPY_NB_DATA", "nowhere"), "cifar10_jpeg.parquet")
    path = os.environ.get("GENEXPY_NB_CIFAR10", str(beside) if beside.is_file() else "")
    return path or pytest.skip("needs CIFAR-10: GENEXPY_NB_CIFAR10 names a file or folder as load_cifar10 takes it")
