"""Intervals of means: closed forms by hand."""

import numpy as np
from scipy import stats

from genexpy_nb.causal.intervals import (
    clustered_mean,
    mean_with_interval,
)


def test_a_single_cluster_has_no_interval():
    mean = clustered_mean(np.array([1.0, 2.0]), np.array(["u", "u"]), 0.95, 2.0)
    assert mean.estimate == 1.5 and mean.method == "no interval" and np.isnan(mean[1:6]).all()
    assert clustered_mean(np.array([1.0, 2.0]), np.array([0, 1]), 0.9, 2.0).method == "t test"


def test_p_is_that_of_the_one_sample_t_test():
    d = np.random.default_rng(32).normal(-0.3, 1, size=12)
    test = stats.ttest_1samp(d, 0)
    mean = mean_with_interval(d.mean(), d.std(ddof=1) / np.sqrt(12), 11, 0.95, 1.0, "")
    np.testing.assert_allclose([mean.p, mean.low, mean.high], [test.pvalue, *test.confidence_interval(0.95)])
    for estimate, se in ((1e-13, 1e-13), (-0.5, 0.0), (-0.5, 1e-13)):  # no spread, or rounding only
        assert np.isnan(mean_with_interval(estimate, se, 3, 0.95, 1.0, "")[1:3]).all()
        assert np.isnan(mean_with_interval(estimate, se, 3, 0.95, 1.0, "").p)
