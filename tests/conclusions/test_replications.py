"""Would another study see the same sign: against simulated studies, bisection, and its own promise."""

from functools import cache

import numpy as np
import pytest
from scipy import stats

from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.conclusions.replications import lower_limits, replication


def standard_with_normal_shape(n, effect):
    """Return n numbers of this standardized mean whose skewness is 0, so that the normal limit is theirs."""
    quantiles = stats.norm.ppf((np.arange(n) + 0.5) / n)
    return quantiles / quantiles.std(ddof=1) + effect


@cache
def simulated(effect, n):
    """Return how often studies of normal differences have a mean above 0, and one that a t test calls significant."""
    studies = np.random.default_rng(n).normal(effect, 1, (200_000, n))
    p = stats.ttest_1samp(studies, 0, axis=1).pvalue
    ahead = studies.mean(axis=1) > 0
    return [ahead.mean(), (ahead & (p < 0.05)).mean()]


@pytest.mark.parametrize("n", [2, 10, 25, 60])
@pytest.mark.parametrize("sign", [1, -1])
def test_the_numbers_are_what_simulated_studies_of_these_effects_find(n, sign):
    found = replication(sign * standard_with_normal_shape(25, 0.4), n)
    assert found.index.tolist() == ["same sign", "same sign, significant"] and found["n"].tolist() == [n, n]
    assert list(found) == ["n", "estimate", "low"]
    hedges = 0.4 * (1 - 3 / (4 * 24 - 1))  # his approximation
    assert found["estimate"].tolist() == pytest.approx(simulated(hedges, n), abs=0.005)
    low, high = -2.0, 2.0  # of the noncentrality: a t statistic of 2 in 2.5 % of the studies
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if stats.nct.sf(2.0, 24, middle) < 0.025 else (low, middle)
    assert found["low"].tolist() == pytest.approx(simulated(low / 5, n), abs=0.005)


def test_the_limit_is_lower_where_a_few_differences_are_far_on_the_other_side():
    tail = np.r_[np.full(18, 1.0), -1.5, -2.0]
    noise = 0.01 * standard_with_normal_shape(20, 0.0)
    skewed = tail + noise
    as_normal = standard_with_normal_shape(20, skewed.mean() / skewed.std(ddof=1))
    bad, plain, good = lower_limits(np.column_stack([skewed, as_normal, 2 * skewed.mean() - skewed]), 0.025)
    assert bad < plain - 0.3 and good == pytest.approx(plain, abs=0.1)


def test_units_do_not_matter_and_more_confidence_is_a_lower_limit():
    values = np.random.default_rng(2).normal(0.6, 1, 20)
    found = replication(values)["low"]
    assert replication(-1e6 * values)["low"].tolist() == pytest.approx(found.tolist(), abs=1e-9)
    lows = [replication(values, confidence=level)["low"].to_numpy() for level in (0.5, 0.8, 0.95, 0.99)]
    assert (np.diff(lows, axis=0) < 0).all()
    stricter = replication(values, level=0.005)
    assert stricter["low"].iloc[0] == found.iloc[0] and stricter["low"].iloc[1] < found.iloc[1]


@pytest.mark.parametrize("draw", ["normal", "t(4)", "0/1"])
@pytest.mark.parametrize("effect", [0.0, 0.5])
def test_the_limits_hold_as_often_as_they_say(draw, effect):
    rng, n = np.random.default_rng(3), 20
    studies = {
        "normal": lambda size: rng.normal(effect, 1, size),
        "t(4)": lambda size: effect + rng.standard_t(4, size) / np.sqrt(2),
        "0/1": lambda size: (rng.random(size) < 0.5 + effect / 4) - 1.0 * (rng.random(size) < 0.5 - effect / 4),
    }[draw]
    others = studies((20_000, n))
    ahead = (others.mean(axis=1) > 0).mean() + 0.5 * (others.mean(axis=1) == 0).mean()
    observed = np.array([studies(n) for _ in range(400)]).T
    observed = observed[:, (observed.mean(axis=0) != 0) & (np.ptp(observed, axis=0) > 0)]
    sign = np.sign(observed.mean(axis=0))
    held = stats.norm.cdf(lower_limits(sign * observed, 0.025)) <= np.where(sign > 0, ahead, 1 - ahead) + 0.01
    assert np.mean(held) > 0.95 - 0.033  # three standard errors


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("values", [np.zeros(6), np.full(8, 0.1), [0.3 - 0.2, 0.1, 1.1 - 1.0, 0.1, 0.1]])
def test_of_differences_that_do_not_vary_nothing_is_said(values):
    found = replication(values)
    assert found[["estimate", "low"]].isna().all(axis=None) and found["n"].tolist() == [len(values)] * 2


def test_few_differences_are_refused():
    with pytest.raises(StudyError, match="at least 5 experiments in common are needed, got 4"):
        replication([1, 2, 3, 4])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"n": 1}, "n must be a whole number of at least 2"), ({"level": 5}, "level"), ({"confidence": 95}, "confidence")],
)
def test_parameters_that_are_refused(parameters, message):
    with pytest.raises(ParameterError, match=message):
        replication(np.arange(6.0), **parameters)
