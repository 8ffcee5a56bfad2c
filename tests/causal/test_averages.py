"""Averages over runs: which interval a design gets."""

import numpy as np
import pytest
from made_up_runs import runs_of

from genexpy_nb.causal.intervals import average_over_runs


@pytest.mark.parametrize(
    ("shape", "cluster", "method"),
    [
        ((6, 1), "system", "t test"),
        ((6, 2), "system", "t test on clusters"),
        ((6, 2), "v", "t test on clusters"),
        ((1, 3), "system", "no interval"),
    ],
)
def test_the_interval_of_a_design(shape, cluster, method):
    d = np.random.default_rng(0).normal(size=shape)
    runs = runs_of(d)
    rows = runs.frame[runs.frame["method"] == "A"]
    mean = average_over_runs(rows, "loss", runs, cluster, runs.clusters(cluster), 0.95, 3.0)
    assert mean.method == method and mean.estimate == pytest.approx(d.mean())
    assert np.isnan(mean.low) == (method == "no interval")
