"""What the tests of studies share."""

import pytest

from tests.agreement_asked import draw_less


@pytest.fixture
def few_draws(monkeypatch):
    """Agreement of second studies is estimated from few draws, where the numbers themselves do not matter."""
    draw_less(monkeypatch)
