"""Answers from several completions as one: closed forms, independent formulas, and levels by simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from genexpy_nb.common.pooling import pool_chi_squared, pool_intervals, pool_p_values, share_between

FINITE = st.floats(-5, 5)


@given(st.lists(st.tuples(FINITE, st.floats(0, 3), st.floats(0, 3)), min_size=1, max_size=8))
def test_an_interval_holds_its_estimate_and_is_no_shorter_than_what_the_completions_say(parts):
    middle, below, above = np.array(parts).T
    mean, low, high = pool_intervals(middle, middle - below, middle + above)
    assert mean == pytest.approx(middle.mean())
    assert mean - low >= np.sqrt(np.mean(below**2)) - 1e-9
    assert high - mean >= np.sqrt(np.mean(above**2)) - 1e-9
    assert 0 <= share_between(middle, middle - below, middle + above) <= 1


def test_completions_that_agree_have_the_interval_of_each():
    same = np.full(5, 2.0)
    assert [part.item() for part in pool_intervals(same, same - 1, same + 3)] == [2, 1, 5]
    assert share_between(same, same - 1, same + 3) == 0


def test_what_the_spread_adds_is_written_out():
    values, confidence = np.array([1.0, 2.0, 4.0]), 0.9
    added = stats.t.ppf(0.95, 2) ** 2 * (4 / 3) * np.var(values, ddof=1)
    _, low, high = pool_intervals(values, values - 1, values + 2, confidence)
    assert 7 / 3 - low == pytest.approx(np.sqrt(1 + added))
    assert high - 7 / 3 == pytest.approx(np.sqrt(4 + added))
    assert share_between(values, values - 1, values + 1, confidence) == pytest.approx(added / (1 + added))


def test_an_infinite_end_stays_one_and_an_unknown_one_stays_unknown():
    values = np.array([[1.0, 1.0, np.inf], [2.0, 2.0, 2.0]])
    low, high = np.array([[0, np.nan, 1], [1, np.nan, 1]]), np.array([[np.inf, np.nan, np.inf], [3, np.nan, 3]])
    mean, least, most = pool_intervals(values, low, high)
    assert mean.tolist() == [1.5, 1.5, np.inf]
    assert np.isfinite(least[0]) and np.isnan(least[1]) and least[2] == 1
    assert most[0] == np.inf and np.isnan(most[1]) and most[2] == np.inf
    assert np.isnan(share_between(values, low, high)).all()


def test_p_values_by_the_formula():
    p, direction = np.array([0.01, 0.2, 0.04]), np.array([1, 1, -1])
    z = stats.norm.isf(p / 2) * direction
    expected = 2 * stats.norm.sf(abs(z.mean()) / np.sqrt(1 + 4 / 3 * z.var(ddof=1)))
    found, lead = pool_p_values(p, direction)
    assert found == pytest.approx(expected)
    assert lead == 1


@given(st.lists(st.tuples(st.floats(0, 1), st.sampled_from([-1, 0, 1])), min_size=1, max_size=8))
def test_p_values_stay_probabilities_and_turn_with_the_direction(parts):
    p, direction = np.array([part[0] for part in parts]), np.array([part[1] for part in parts])
    found, lead = pool_p_values(p, direction)
    turned, other = pool_p_values(p, -direction)
    assert 0 <= found <= 1
    assert turned == pytest.approx(found) and other == -lead


def test_completions_that_agree_keep_their_p_value_to_the_last_bit():
    found, lead = pool_p_values(np.full((4, 2), [0.03125, 1e-320]), np.array([[1, -1]] * 4))
    assert found.tolist() == [0.03125, 1e-320]
    assert lead.tolist() == [1, -1]


def test_equal_p_values_of_opposite_differences_are_no_agreement():
    found, lead = pool_p_values(np.array([0.03, 0.03]), np.array([1, -1]))
    assert found == 1 and lead == 0


def test_chi_squared_by_the_formula():
    values, k, m = np.array([5.0, 9.0, 12.0, 7.0]), 3, 4
    r = (1 + 1 / m) * np.var(np.sqrt(values), ddof=1)
    d = (values.mean() / k - (m + 1) / (m - 1) * r) / (1 + r)
    expected = stats.f.sf(d, k, k ** (-3 / m) * (m - 1) * (1 + 1 / r) ** 2)
    assert pool_chi_squared(values, k) == pytest.approx(expected)
    assert pool_chi_squared(np.full(4, 6.0), k) == pytest.approx(stats.chi2.sf(6, k))
    assert pool_chi_squared(np.array([6.0]), k) == pytest.approx(stats.chi2.sf(6, k))
