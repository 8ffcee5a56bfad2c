"""Power against statsmodels, pingouin and simulation; what is needed and what is found against the power itself."""

from itertools import product
from math import inf, isnan

import numpy as np
import pingouin as pg
import pytest
from numpy.testing import assert_allclose
from scipy import integrate, stats
from statsmodels.stats.power import TTestPower

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.significance import plan_comparison
from genexpy_nb.significance.power import comparison_power, conditions_needed, detectable_difference


@pytest.mark.parametrize("n", [2, 5, 20, 300])
@pytest.mark.parametrize("effect", [0.0, 0.05, 0.3, 1.0])
def test_power_is_that_of_statsmodels_and_pingouin(n, effect):
    ours, theirs = comparison_power(effect * 0.03, 0.03, n), TTestPower().power(effect, n, 0.05)
    assert isnan(theirs) or ours == pytest.approx(theirs, abs=1e-9)  # far out statsmodels has no number
    theirs = pg.power_ttest(d=effect, n=n, contrast="paired")
    assert isnan(theirs) or ours == pytest.approx(theirs, abs=1e-9)
    assert comparison_power(-effect * 0.03, 0.03, n) == ours


def test_power_far_out_is_the_integral_over_the_estimated_spread():
    for df, level in product((1, 4, 200), (0.05, 0.001)):
        quantile, density = stats.t.isf(level / 2, df), stats.chi(df, scale=1 / np.sqrt(df))
        low, high = density.ppf([1e-14, 1 - 1e-14])
        for shift in np.geomspace(0.5, 700, 5):

            def rejected(spread, shift=shift, quantile=quantile, density=density):
                both = stats.norm.cdf(shift - quantile * spread) + stats.norm.cdf(-shift - quantile * spread)
                return both * density.pdf(spread)

            edges = [edge for edge in (shift + np.array([-4, 0, 4])) / quantile if low < edge < high]
            expected = integrate.quad(rejected, low, high, points=edges or None, limit=200)[0]
            assert_allclose(comparison_power(shift / np.sqrt(df + 1), 1, df + 1, level=level), expected, atol=1e-6)


@pytest.mark.parametrize("options", [{}, {"power": 0.95, "level": 0.01}, {"level": 0.05 / 45}])
@pytest.mark.parametrize("n", [12, 40])
def test_what_is_detectable_has_the_power(n, options):
    wanted = options.get("power", 0.8)
    others = {name: value for name, value in options.items() if name != "power"}
    found = detectable_difference(0.03, n, **options)
    assert comparison_power(found, 0.03, n, **others) == pytest.approx(wanted, abs=1e-6)
    assert comparison_power(0.9 * found, 0.03, n, **others) < wanted < comparison_power(1.1 * found, 0.03, n, **others)


@pytest.mark.parametrize("effect", [0.08, 0.3, 1.5, 40.0])
def test_conditions_needed_are_the_smallest_number_with_the_power(effect):
    n = conditions_needed(-effect, 1.0)
    assert comparison_power(effect, 1.0, n) >= 0.8
    assert n == 2 or comparison_power(effect, 1.0, n - 1) < 0.8
    if 0.08 < effect < 2:
        solved = TTestPower().solve_power(effect, power=0.8, alpha=0.05)
        assert n == np.ceil(solved)
    assert conditions_needed(1e-9, 1.0) == inf


def test_units_do_not_matter():
    assert_allclose(detectable_difference(0.03 / 3, 20) * 3, detectable_difference(0.03, 20), rtol=1e-8)
    assert conditions_needed(0.01 * 1e6, 0.03 * 1e6) == conditions_needed(0.01, 0.03)


def test_a_plan_holds_what_the_functions_say():
    pilot = np.array([0.02, -0.01, 0.03, 0.0, 0.04])
    plan = plan_comparison(pilot, 0.02, 20, power=0.9, n_pairs=3).set_index("spread_from")
    limit = np.sqrt(4 * pilot.var(ddof=1) / stats.chi2.ppf(0.2, 4))
    assert_allclose(plan["spread"], [pilot.std(ddof=1), limit])
    for row in plan.itertuples():
        assert row.power == comparison_power(0.02, row.spread, 20, 0.05 / 3)
        assert row.detectable == detectable_difference(row.spread, 20, 0.9, 0.05 / 3)
        assert row.n_conditions == conditions_needed(0.02, row.spread, 0.9, 0.05 / 3)
    moved = plan_comparison(pilot + 5, 0.02, 20, power=0.9, n_pairs=3).set_index("spread_from")
    assert_allclose(moved, plan)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"difference": 0}, "difference must not be 0"),
        ({"n": 1}, "n must be"),
        ({"level": 0}, "level must be"),
        ({"n_pairs": 0}, "n_pairs must be"),
        ({"power": 0.05}, "power must be"),
        ({"confidence": 1}, "confidence must be"),
        *(
            ({"pilot": pilot}, "pilot must hold")
            for pilot in ([0.1], [0.1, 0.1, 0.1], [0.0, 0.0], [0.1, np.nan], [[0.1, 0.2]])
        ),
    ],
)
def test_wrong_parameters(wrong, message):
    with pytest.raises(ParameterError, match=message):
        plan_comparison(**{"pilot": [0.01, 0.03, 0.0], "difference": 0.01, "n": 10, **wrong})
