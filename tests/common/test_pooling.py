"""Answers from several completions as one: closed forms and independent formulas."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from genexpy_nb.common.pooling import pool_intervals, pool_shares, share_between

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


@given(st.lists(st.tuples(*[st.floats(0, 1)] * 3), min_size=2, max_size=8), st.sampled_from([0.0, 0.1, 0.5, 0.75]))
def test_pooled_shares_stay_between_the_least_one_and_one(parts, least):
    low, middle, high = np.sort(least + (1 - least) * np.array(parts), axis=1).T
    estimate, below, above = pool_shares(middle, low, high, least)
    assert least <= below <= above <= 1 and least <= estimate <= 1
    assert below <= low.max() + 1e-9 and above >= high.min() - 1e-9


def test_shares_on_logits_are_written_out():
    low, high, least = np.array([0.3, 0.5, 0.45]), np.array([0.8, 0.9, 0.95]), 0.25

    def there(share):
        share = 0.001 + 0.998 * (share - least) / (1 - least)
        return np.log(share / (1 - share))

    def back(logit):
        return least + (1 - least) * (1 / (1 + np.exp(-logit)) - 0.001) / 0.998

    estimates = np.array([0.4, np.nan, 0.6])
    middle, half = (there(low) + there(high)) / 2, (there(high) - there(low)) / 2
    wide = np.sqrt(np.mean(half**2) + stats.t.ppf(0.95, 2) ** 2 * 4 / 3 * np.var(middle, ddof=1))
    found = pool_shares(estimates, low, high, least, 0.9)
    assert found[0] == pytest.approx(back(there(estimates[[0, 2]]).mean()))
    assert found[1:] == pytest.approx((back(middle.mean() - wide), back(middle.mean() + wide)))


def test_shares_of_completions_that_agree_are_those_of_each_and_few_estimates_are_none():
    parts = np.array([[0.25, 0.25, 1.0], [0.25, 0.6, 1.0]])
    found = np.array(pool_shares(*[np.repeat(parts[:, [i]], 10, axis=1).T for i in (1, 0, 2)], least=0.25))
    np.testing.assert_allclose(found.T, parts[:, [1, 0, 2]], atol=1e-12)
    few = np.array([0.5, 0.6, np.nan, np.nan])
    assert np.isnan(pool_shares(few, np.full(4, 0.2), np.full(4, 0.9))[0])
