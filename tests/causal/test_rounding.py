"""A loss may have any unit: the same results, times that unit; and what rounding makes is no difference."""

import numpy as np
import pytest
from made_up_runs import runs_of

from genexpy_nb import causal
from genexpy_nb.common.prose import digits_after_point
from genexpy_nb.common.rankings import RESOLUTION, negligible


def test_a_unit_may_be_large_for_one_system_only():
    """A system that loses 1e9 either way must not make everybody else's effect look like rounding."""
    d = np.array([1e-4, 2e-4, -1e-4, 3e-4])[:, None]
    runs = runs_of(d, b=np.full((4, 1), 0.5))
    runs.frame.loc[runs.frame["system"] == 3, "loss"] = 1e9
    effect = causal.average_treatment_effect(runs)
    error = np.std([1e-4, 2e-4, -1e-4, 0], ddof=1) / 2
    assert effect.estimate == pytest.approx(0.5e-4) and effect.standard_error == pytest.approx(error)


def test_rounding_is_never_significant():
    """0.1 + 0.2 exceeds 0.3 by 5e-17 in every system: eight times the same sign, and no effect."""
    runs = runs_of(np.zeros((8, 1)), b=np.full((8, 1), 0.3))
    runs.frame.loc[runs.frame["method"] == "A", "loss"] = 0.1 + 0.2
    effect = causal.average_treatment_effect(runs)
    assert np.isnan(effect.p)
    assert causal.heterogeneity(runs).mean == 0


@pytest.mark.parametrize("factor", [1e-8, 1.0, 1e8])
def test_equal_effects_are_equal_in_any_unit(factor):
    """0.1 on top of decimals that binary numbers only approximate."""
    b = factor * np.random.default_rng(0).normal(1, 0.3, size=(9, 3)).round(1)
    runs = runs_of(np.full((9, 3), 0.1 * factor), b=b)
    effect, spread = causal.average_treatment_effect(runs), causal.heterogeneity(runs)
    assert effect.estimate == pytest.approx(0.1 * factor) and np.isnan([effect.low, effect.high, effect.p]).all()
    assert spread.share_opposite == 0


def test_what_is_negligible():
    assert RESOLUTION == 1e-12
    assert negligible(0.1 + 0.2 - 0.3, 0.3) and not negligible(1e-11, 1.0) and negligible(0.0, 0.0)
    assert negligible(-1e-9, 1e4) and not negligible(-1e-9, 1.0)
    np.testing.assert_array_equal(negligible(np.array([1e-13, 1e-13]), np.array([1.0, 0.01])), [True, False])


@pytest.mark.parametrize(
    ("values", "digits"),
    [
        ((0.5, 0.001), 4),
        ((0.001,), 4),
        ((0.00099,), 5),
        ((-0.0004, 0.0001), 5),
        ((1e-10, np.nan), 11),
        ((0.0,), 4),
        ((np.nan,), 4),
        ((123.0,), 4),
    ],
)
def test_as_many_digits_as_it_takes_to_see_the_largest(values, digits):
    assert digits_after_point(*values) == digits


def test_small_effects_are_not_printed_as_nothing():
    runs = runs_of(np.array([[1.2e-9], [1.4e-9], [1.3e-9]]))
    said = str(causal.average_treatment_effect(runs))
    assert "by +0.0000000013 on average (95 % interval +0.0000000011 to +0.0000000015;" in said
    usual = str(causal.average_treatment_effect(runs_of(np.array([[0.012], [0.014], [0.013]]))))
    assert "by +0.0130 on average (95 % interval +0.0105 to +0.0155; paired t test, 3 systems, paired design)" in usual
