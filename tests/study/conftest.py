"""What the tests of studies share."""

import pytest

from genexpy_nb.study import positions
from tests.agreement_asked import draw_less


@pytest.fixture
def few_draws(monkeypatch):
    """Agreement and intervals of means are estimated from few draws, where the numbers themselves do not matter."""
    draw_less(monkeypatch)
    monkeypatch.setattr(positions, "_RESAMPLES", 500)
