"""Fixtures shared by the tests."""

import os
from pathlib import Path

import pytest
from chromium import BROWSER, MISSING, chromium
from published_tables import why_no_published_data

from genexpy_nb.common.errors import do_without

ROOT = Path(__file__).resolve().parents[1]
do_without()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Notebooks first: they take longest, and at the end all other workers would wait for one of them."""
    items.sort(key=lambda item: "notebooks" not in item.keywords)


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


@pytest.fixture(scope="session")
def browser():
    """One for all tests of a process."""
    if BROWSER is None:
        pytest.skip(MISSING)
    with chromium() as tab:
        yield tab


@pytest.fixture
def tab(browser):
    """A page in the browser, on the screen of a laptop."""
    browser.look(1440)
    return browser


@pytest.fixture
def styled():
    """Figures are drawn as on pages."""
    from genexpy_nb.plots.style import use_style

    use_style()
