"""Averages over runs: which interval a design gets."""

import numpy as np
import pytest
from made_up_runs import runs_of

from genexpy_nb.causal.intervals import average_over_runs, single_composition


@pytest.mark.parametrize(
    ("shape", "compositions", "cluster", "method"),
    [
        ((6, 1), "own", "system", "t test"),
        ((6, 2), "own", "system", "t test on clusters"),
        ((6, 2), "own", "v", "t test on clusters"),
        ((6, 2), "shared", "system", "t test on systems x compositions"),
        ((6, 2), "shared", "v", "t test on systems x compositions"),
        ((6, 1), "shared", "system", "no interval"),
        ((6, 1), "shared", "v", "no interval"),
        ((1, 3), "own", "system", "no interval"),
    ],
)
def test_the_interval_of_a_design(shape, compositions, cluster, method):
    d = np.random.default_rng(0).normal(size=shape)
    runs = runs_of(d, compositions=compositions)
    rows = runs.frame[runs.frame["method"] == "A"]
    mean = average_over_runs(rows, "loss", runs, cluster, runs.clusters(cluster), 0.95, 3.0)
    assert mean.method == method and mean.estimate == pytest.approx(d.mean())
    assert np.isnan(mean.low) == (method == "no interval")
    assert single_composition(runs, rows) == (compositions == "shared" and shape[1] == 1)
