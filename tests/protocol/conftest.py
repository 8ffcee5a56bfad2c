"""Fixtures of the protocol's tests."""

import random

import numpy as np
import pytest


@pytest.fixture
def clean_environment(monkeypatch):
    """Put variables of the environment and the global generators back after the test."""
    for name in ("PYTHONHASHSEED", "CUBLAS_WORKSPACE_CONFIG"):
        monkeypatch.setenv(name, "to be restored")
        monkeypatch.delenv(name)
    states = random.getstate(), np.random.get_state()  # noqa: NPY002
    yield monkeypatch
    random.setstate(states[0])
    np.random.set_state(states[1])  # noqa: NPY002
