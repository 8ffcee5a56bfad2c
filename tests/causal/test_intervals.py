"""Intervals of means: closed forms by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from genexpy_nb.causal.intervals import (
    Mean,
    clustered_mean,
    mean_with_interval,
    note_on_bca,
    notes_on_clusters,
)


def test_a_clustered_mean_by_hand():
    """Clusters (1, 2), (6), (4, 5, 6) around 4: sums -5, 2, 3; over 1 - w = 2/3, 5/6, 1/2: 37.5 + 4.8 + 18.

    Degrees of freedom: w = 1/3, 1/6, 1/2; w^2 / (1 - w) = 1/6, 1/30, 1/2.
    """
    mean = clustered_mean(np.array([1.0, 2, 6, 4, 5, 6]), np.array(list("uuvwww")), 0.9, 6.0)
    df = 1 / (1 / 9 + 1 / 36 + 1 / 4 + 2 * (1 / 6 / 30 + 1 / 6 / 2 + 1 / 30 / 2))
    assert mean.standard_error == pytest.approx(np.sqrt(60.3) / 6) and mean.df == pytest.approx(df)
    half = stats.t.ppf(0.95, df) * mean.standard_error
    np.testing.assert_allclose([mean.estimate, mean.low, mean.high], [4, 4 - half, 4 + half])
    assert mean.method == "t test on clusters"
    assert clustered_mean(np.array([1.0, 2.0]), np.array([0, 1]), 0.9, 2.0).method == "t test"


def test_a_single_cluster_has_no_interval():
    mean = clustered_mean(np.array([1.0, 2.0]), np.array(["u", "u"]), 0.95, 2.0)
    assert mean.estimate == 1.5 and mean.method == "no interval" and np.isnan(mean[1:6]).all()


def test_p_is_that_of_the_one_sample_t_test():
    d = np.random.default_rng(32).normal(-0.3, 1, size=12)
    test = stats.ttest_1samp(d, 0)
    mean = mean_with_interval(d.mean(), d.std(ddof=1) / np.sqrt(12), 11, 0.95, 1.0, "")
    np.testing.assert_allclose([mean.p, mean.low, mean.high], [test.pvalue, *test.confidence_interval(0.95)])
    for estimate, se in ((1e-13, 1e-13), (-0.5, 0.0), (-0.5, 1e-13)):  # no spread, or rounding only
        assert np.isnan(mean_with_interval(estimate, se, 3, 0.95, 1.0, "")[1:3]).all()
        assert np.isnan(mean_with_interval(estimate, se, 3, 0.95, 1.0, "").p)


def test_ten_clusters_are_not_few_and_twenty_are_enough_for_bca():
    for n, few in ((9, True), (10, False)):
        mean = Mean(0.1, 0.0, 0.2, 0.05, n - 1.0, 0.1, "t test")
        notes = notes_on_clusters(mean, pd.Series(np.arange(n)), "system")
        assert [note.startswith(f"{n} systems: the interval takes") for note in notes] == [True] * few
    assert note_on_bca(20, "system") == ""
    assert note_on_bca(19, "system").startswith("from 19 systems it covers less than it says")


def test_unequal_clusters_are_noted_below_half_of_the_degrees_of_freedom():
    systems = pd.Series(["large"] * 9 + [f"small {i}" for i in range(20)])
    for df, said in ((9.9, True), (10.0, False)):
        mean = Mean(0.1, 0.0, 0.2, 0.05, df, 0.05, "t test on clusters")
        notes = notes_on_clusters(mean, systems, "dataset")
        assert [note.startswith("Levels of dataset are unequal, the largest has 31 % of the") for note in notes] == [
            True
        ] * said
