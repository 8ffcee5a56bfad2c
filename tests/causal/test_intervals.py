"""Intervals of means: closed forms by hand, statsmodels, and how often they hold the truth."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats

from genexpy_nb.causal.intervals import (
    Mean,
    clustered_mean,
    crossed_mean,
    mean_with_interval,
    note_on_bca,
    notes_on_clusters,
)


@pytest.mark.parametrize(
    ("s", "c", "low", "high"),
    [(20, 5, 0.93, 0.97), (20, 20, 0.93, 0.97), (50, 3, 0.90, 0.94)],  # 3 compositions: less, as the documentation says
)
def test_crossed_intervals_cover_both_kinds_of_luck(s, c, low, high):
    rng = np.random.default_rng(11)
    crossed, naive = [], []
    for _ in range(2000):
        x = rng.normal(size=(s, 1)) + 0.5 * rng.normal(size=(1, c)) + rng.normal(size=(s, c))
        mean = crossed_mean(x, 0.95, 1.0)
        crossed.append(mean.low <= 0 <= mean.high)
        rows = clustered_mean(x.ravel(), np.repeat(np.arange(s), c), 0.95, 1.0)
        naive.append(rows.low <= 0 <= rows.high)
    assert low <= np.mean(crossed) <= high
    assert np.mean(naive) < np.mean(crossed) - 0.01  # what taking compositions for independent would give


def by_anova(x, confidence):
    """Standard error, degrees of freedom and interval from the mean squares of statsmodels' analysis of variance."""
    long = pd.DataFrame([(i, j, v) for (i, j), v in np.ndenumerate(x)], columns=["row", "column", "y"])
    table = sm.stats.anova_lm(sm.OLS.from_formula("y ~ C(row) + C(column)", long).fit())
    rows, columns, rest = (table.loc[name, "sum_sq"] / table.loc[name, "df"] for name in table.index)
    rows, columns = max(rows, rest), max(columns, rest)
    total = rows + columns - rest
    df = total**2 / sum(
        ms**2 / of
        for ms, of in zip((rows, columns, rest), (table.loc[name, "df"] for name in table.index), strict=True)
    )
    se = np.sqrt(total / x.size)
    half = stats.t.ppf((1 + confidence) / 2, df) * se
    return se, df, x.mean() - half, x.mean() + half


@pytest.mark.parametrize("shape", [(2, 2), (6, 3), (3, 5)])
@pytest.mark.parametrize("spread", [(2, 1), (0, 2), (2, 0), (0, 0)])
def test_crossed_means_are_those_of_an_analysis_of_variance(shape, spread):
    rng = np.random.default_rng(31)
    x = rng.normal(1, 1, size=shape) + spread[0] * rng.normal(size=(shape[0], 1))
    x += spread[1] * rng.normal(size=(1, shape[1]))
    mean = crossed_mean(x, 0.9, np.abs(x).max())
    np.testing.assert_allclose([mean.standard_error, mean.df, mean.low, mean.high], by_anova(x, 0.9))
    assert mean.estimate == pytest.approx(x.mean()) and mean.method == "t test on systems x compositions"
    assert mean.p == pytest.approx(2 * stats.t.sf(abs(mean.estimate) / mean.standard_error, mean.df))


def test_the_variance_of_a_crossed_mean_without_residual():
    """r_i + c_j: the variances of the two means add up, as if each had been drawn on its own."""
    r, c = np.array([0.1, 0.8, 0.3, 0.4]), np.array([0.5, 0.2, 0.6])
    mean = crossed_mean(r[:, None] + c, 0.95, 2.0)
    assert mean.standard_error**2 == pytest.approx(r.var(ddof=1) / 4 + c.var(ddof=1) / 3)


def test_only_residual_is_the_t_test_of_all_values_but_for_its_degrees_of_freedom():
    checks = np.array([[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0]])  # neither rows nor columns differ: MS 0, 0, 2
    mean = crossed_mean(checks, 0.95, 1.0)
    assert mean.standard_error**2 == pytest.approx(2 / 6)  # (2 + 2 - 2) / (2 x 3), not 0
    assert mean.df == pytest.approx(1 / (1 / 1 + 1 / 2 + 1 / 2))


def test_equal_values_have_no_interval():
    for value in (0.1, 0.0):
        mean = crossed_mean(np.full((3, 4), value), 0.95, value)
        assert np.isnan([mean.low, mean.high, mean.p]).all() and mean.standard_error == 0 and mean.df == 2
        assert mean.estimate == pytest.approx(value)


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
