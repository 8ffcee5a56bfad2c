"""What tests and doctests share: figures are drawn without a screen, and closed when a test ends."""

from collections.abc import Iterator

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

mpl.use("Agg")


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    """Close what a test has drawn: more than twenty open figures are a warning, and warnings are errors here."""
    yield
    plt.close("all")
