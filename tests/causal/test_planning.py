"""Plans: the smallest samples that do, by formula and in simulation."""

import numpy as np
import pandas as pd
import pytest
from made_up_runs import runs_of, with_failures
from scipy import stats

from genexpy_nb import causal
from genexpy_nb.causal.effects import systems_needed
from genexpy_nb.common.errors import ParameterError, StudyError


@pytest.mark.parametrize(("width", "sd"), [(0.5, 1.0), (0.4, 1.0), (2.0, 0.5), (3.5, 1.0), (1e6, 1.0)])
def test_planned_samples_are_the_smallest_that_do(width, sd):
    n = systems_needed(width, sd)
    assert 2 * stats.t.ppf(0.975, n - 1) * sd / np.sqrt(n) <= width
    assert n == 2 or 2 * stats.t.ppf(0.975, n - 2) * sd / np.sqrt(n - 1) > width


def test_a_plan_by_hand():
    """Effects 0.1, 0.3, 0.2, 0.6 over two compositions each."""
    d = np.array([[0.0, 0.2], [0.3, 0.3], [0.1, 0.3], [0.7, 0.5]])
    plan = causal.plan_systems(runs_of(d), [0.2, 0.4], confidence=0.9).set_index("width")
    effects = d.mean(axis=1)
    sd = effects.std(ddof=1)
    ends = np.sqrt(3 * sd**2 / stats.chi2.ppf([0.95, 0.05], 3))
    for width, row in plan.iterrows():
        assert row["n_systems_paired"] == systems_needed(width, sd, confidence=0.9)
        low, high = (systems_needed(width, end, confidence=0.9) for end in ends)
        assert (row["n_systems_low"], row["n_systems_high"]) == (low, high) and low < high


def test_failed_runs_of_a_pilot_and_pilots_that_say_nothing():
    pilot = with_failures(runs_of([[0.1], [0.2], [0.9]], b=np.ones((3, 1))), (2, "A"))
    left = causal.plan_systems(runs_of([[0.1], [0.2]], b=np.ones((2, 1))), [0.1])
    pd.testing.assert_frame_equal(causal.plan_systems(pilot, [0.1]), left)
    with pytest.raises(StudyError, match="the pilot has 1 system"):
        causal.plan_systems(with_failures(pilot, (1, "B")), [0.1])
    with pytest.raises(StudyError, match="the pilot must be paired"):
        causal.plan_systems(runs_of(np.ones((4, 1)), "independent"), [0.1])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 1.0), "width must be a number > 0"),
        ((0.1, 1.0, 1.0), "confidence must be a number in"),
        ((0.001, 1.0), "width=0.001 asks for more than 10,000,000 systems"),
    ],
)
def test_plans_that_cannot_be_made(arguments, message):
    with pytest.raises(ParameterError, match=message):
        systems_needed(*arguments)
