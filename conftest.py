"""What tests and doctests share: figures are drawn without a screen, and closed when a test ends."""

from collections.abc import Iterator

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

mpl.use("Agg")


@pytest.fixture(autouse=True)
def figures() -> Iterator[None]:
    """Forget what a test has drawn, and in what style: more than twenty open figures are an error here."""
    with mpl.rc_context():
        yield
    plt.close("all")
