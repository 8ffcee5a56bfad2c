"""Tables that are where a test says they are."""

from hashlib import sha256

import pytest

from genexpy_nb.datasets import locating


@pytest.fixture
def tables(monkeypatch, tmp_path):
    """Two tables of which only one can be had in its published form; returns the calls."""
    calls = []

    def locate(name, source="auto"):
        calls.append((name, source))
        if source == "auto":
            source = "original" if name == "encoders" else "bundled"
        path = tmp_path / f"{name}-{source}.parquet"
        path.write_text(f"{name} {source}")
        return locating.Located(name, source, path, sha256(path.read_bytes()).hexdigest(), "a note")

    monkeypatch.setattr(locating, "locate", locate)
    return calls
