"""What tests and doctests share: figures are drawn without a screen, and what a test changes ends with it."""

import gc
import os
from collections.abc import Generator, Iterator

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

mpl.use("Agg")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without Python's search for cycles: it took half of the time, in trees of all tests, which have none."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()  # what is there by now stays to the end: no later search need look at it
        gc.enable()


@pytest.fixture(autouse=True)
def figures() -> Iterator[None]:
    """Forget what a test has drawn, and in what style: more than twenty open figures are an error here."""
    with mpl.rc_context():
        yield
    plt.close("all")


@pytest.fixture(autouse=True)
def environment() -> Iterator[None]:
    """Put the environment back: `set_determinism` changes it for every process that is started later."""
    before = dict(os.environ)
    yield
    for name in {*os.environ, *before} - {"PYTEST_CURRENT_TEST"}:
        if name in before:
            os.environ[name] = before[name]
        else:
            del os.environ[name]
