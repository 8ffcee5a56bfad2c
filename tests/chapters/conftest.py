"""What a chapter shows can be looked at."""

from types import SimpleNamespace

import pytest

from genexpy_nb.common import page


@pytest.fixture
def shown(monkeypatch):
    """What is shown instead, by name: figures with caption and alternative text, key numbers with their labels."""
    found = SimpleNamespace(figures={}, numbers={})

    def show_figure(figure, name, *texts, folded=""):
        found.figures[name] = (figure, texts)

    monkeypatch.setattr(page, "show_figure", show_figure)
    monkeypatch.setattr(page, "key_number", lambda name, *said, **more: found.numbers.update({name: (*said, more)}))
    monkeypatch.setattr(page, "show_published", lambda *texts: None)
    monkeypatch.setattr(page, "show_key_numbers", lambda: None)
    return found
