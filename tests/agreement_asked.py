"""How the tests of agreement ask, with fewer draws than users get, and what every answer must fulfil."""

from itertools import product

import numpy as np
import pytest

from genexpy_nb.conclusions import tables
from genexpy_nb.conclusions.contenders import BY
from genexpy_nb.study import positions
from tests.of_arrays import agreement_of_table

VALUES = ["estimate", "low", "high"]
CASES = [*product(("winner", "top-k", "order"), BY), ("tiers", "score")]  # tests are of scores
LEAST = {"winner": 1 / 4, "top-k": 3 / 4, "order": 0.0, "tiers": 0.0}
NORMAL = np.random.default_rng(0).normal([1, 0.7, 0.1, 0], 1, (20, 4))

_FEWER = {"_STUDIES": 49, "_FEWER_STUDIES": 19, "_STUDIES_OF_AN_ORDER": 49, "_FEWER_DRAWS": 20}


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    """Enough for a level of .025, in each test of a module or room that imports this."""
    for name, number in _FEWER.items():
        monkeypatch.setattr(tables, name, number)
    monkeypatch.setattr(positions, "_RESAMPLES", 500)


def show_every_estimate(monkeypatch):
    """Show those outside of their intervals, too, for what is said of the estimates themselves."""
    monkeypatch.setattr(tables, "inside", lambda estimates, low, high: estimates)


def values(*arguments, **more):
    return agreement_of_table(*arguments, **more)[VALUES].to_numpy()


def check(found, conclusion, least):
    estimate, low, high = found[VALUES].to_numpy().T
    assert np.isfinite([low, high]).all()
    assert (np.isnan(estimate) | ((low <= estimate) & (estimate <= high))).all()
    assert (low >= least - 1e-12).all() and (low <= high).all() and (high <= 1).all()
