"""A loss may have any unit: the same results, times that unit; and what rounding makes is no difference."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from made_up_runs import runs_of

from genexpy_nb import causal
from genexpy_nb.causal.rounding import RESOLUTION, digits_after_point, negligible, squares_or_zero

FACTORS = [1e-8, 1e8, 2.0**-30, 2.0**30]


def scaled(runs, factor):
    return replace(runs, frame=runs.frame.assign(loss=runs.frame["loss"] * factor))


def parts(effect):
    tests = effect.tests.set_index("method")[["estimate", "low", "high"]]
    errors = effect.errors[["estimate", "low", "high"]].to_numpy()
    return {
        1: [effect.estimate, effect.low, effect.high, effect.standard_error, *errors.ravel()],
        0: [effect.df, effect.p, *effect.tests["p"]],
        "BCa": tests.loc["BCa bootstrap"],
    }


def analyses(runs, factor=1.0):
    """(name, power of the unit) -> numbers, of every analysis that takes runs of the made-up kind."""
    runs = scaled(runs, factor)
    a, b = runs.arrays() if runs.design == "paired" else (np.array([[]]),) * 2
    found = {"effect": parts(causal.average_treatment_effect(runs, n_resamples=99))}
    errors = causal.expected_generalization_error(runs, cluster="v")
    found["errors by cluster"] = {1: errors[["estimate", "low", "high"]].to_numpy().ravel()}
    if runs.design == "independent":
        return found
    found["effect by cluster"] = parts(causal.average_treatment_effect(runs, cluster="v", n_resamples=99))
    h = causal.heterogeneity(runs)
    found["heterogeneity"] = {
        1: [h.mean, h.sd, h.sd_systems],
        0: [h.share_opposite, h.share_zero, h.share_opposite_expected, h.reliability],
    }
    found["moderators"] = {0: causal.moderators(runs)[["n_levels", "share", "F", "p", "p_adjusted"]].to_numpy().ravel()}
    levels = causal.effects_by_level(runs, "v")
    found["levels"] = {1: levels[["estimate", "low", "high"]].to_numpy().ravel(), 0: levels["n_systems"]}
    if runs.compositions == "own" or a.shape[1] > 1:
        plan = causal.plan_systems(runs, [0.5 * factor, 0.9 * factor])
        found["plan"] = {1: plan["width"], 0: plan.drop(columns="width").to_numpy().ravel()}
    for design in ("paired", "independent"):
        cover = causal.coverage(a, b, [4, 6], design, n_studies=50)
        unit = ["bias", "rmse", "width"]
        found[f"coverage {design}"] = {
            1: cover[unit].to_numpy().ravel(),
            0: cover.drop(columns=unit).to_numpy().ravel(),
        }
    tuned = causal.tuned_or_many(a, b, a, b, [2, 3], n_studies=50)
    unit = ["mean", "sd", "truth", "rmse_average"]
    found["tuned"] = {1: tuned[unit].to_numpy().ravel(), 0: tuned[["n_systems", "wrong_sign"]].to_numpy().ravel()}
    table = runs.frame.assign(place=runs.frame.groupby(["system", "method"]).cumcount())
    if np.ptp(table["loss"]) > 0:
        shares = causal.variance_shares(table, ["system", "method", "place"], "loss").set_index("variable")
        found["shares"] = {0: shares.loc[["system", "method", "place"]].to_numpy().ravel()}
    if a.shape[1] > 1:
        missed = causal.bootstrap_miss_rate(a - b, [2])
        unit = ["width", "sd_claimed", "sd_actual"]
        found["bootstrap"] = {1: missed[unit].to_numpy().ravel(), 0: missed["miss"]}
        found["compositions"] = {0: [causal.compositions_per_system(runs, 10)]}
        for crossed in (False, True):
            c = causal.variance_components(a - b, crossed)
            found[f"components {crossed}"] = {2: [c.systems, c.compositions, c.residual, *c.mean_squares]}
    return found


def assert_same(one, other, factor):
    for name, numbers in one.items():
        for power, values in numbers.items():
            rescaled = other[name][power]
            if power == "BCa":
                power = 1
            unit = factor**power
            np.testing.assert_allclose(
                np.asarray(rescaled, float) / unit,
                np.asarray(values, float),
                rtol=1e-6,
                atol=1e-9 if power else 1e-6,
                err_msg=f"{name}, {power} times the unit",
            )


def losses(kind, s, c, rng):
    b = rng.normal(1, 0.3, size=(s, c)).round(1)
    if kind == "normal":
        return b, rng.normal(0.1, 0.2, size=(s, 1)) + rng.normal(0, 0.2, size=(s, c))
    if kind == "ties":  # decimals that binary numbers only approximate: 0.3 - 0.1 is not 0.2
        return b, rng.integers(-1, 3, size=(s, c)) / 10
    if kind == "equal effects":
        return b, np.full((s, c), 0.1)
    if kind == "equal effects within a level":
        return b, np.repeat(np.arange(s) % 3, c).reshape(s, c) / 10
    return b, np.zeros((s, c))


@pytest.mark.parametrize("kind", ["normal", "ties", "equal effects", "equal effects within a level", "none"])
@pytest.mark.parametrize("compositions", ["own", "shared"])
@pytest.mark.parametrize("c", [1, 3])
@pytest.mark.parametrize("factor", FACTORS)
def test_the_unit_of_the_loss_does_not_matter(kind, compositions, c, factor):
    b, d = losses(kind, 9, c, np.random.default_rng(0))
    runs = runs_of(d, compositions=compositions, b=b)
    assert_same(analyses(runs), analyses(runs, factor), factor)


@pytest.mark.parametrize("kind", ["normal", "ties", "none"])
@pytest.mark.parametrize("factor", FACTORS)
def test_the_unit_does_not_matter_for_independent_runs(kind, factor):
    b, d = losses(kind, 12, 2, np.random.default_rng(1))
    if kind == "none":
        b = np.full_like(b, 0.7)
    runs = runs_of(d, "independent", b=b)
    assert_same(analyses(runs), analyses(runs, factor), factor)


@given(
    st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=2, max_size=8),
    st.sampled_from([-40, -27, 27, 40]),
)
@example([(1, 3), (3, 1)], -40)
@settings(max_examples=25, deadline=None)
def test_powers_of_two_change_no_bit(rows, exponent):
    """Multiplying by a power of two rounds nothing, so everything must be the same to the last bit."""
    d = np.array(rows) / 10
    runs = runs_of(d, compositions="shared", b=np.full(d.shape, 0.3))
    factor = 2.0**exponent
    one, other = (
        (causal.variance_components(d * f, crossed=True), causal.heterogeneity(scaled(runs, f))) for f in (1, factor)
    )
    np.testing.assert_array_equal(np.array(other[0].mean_squares), np.array(one[0].mean_squares) * factor**2)
    assert other[0].systems == one[0].systems * factor**2 and other[0].compositions == one[0].compositions * factor**2
    assert other[1].sd_systems == one[1].sd_systems * factor and other[1].share_zero == one[1].share_zero


def test_a_unit_may_be_large_for_one_system_only():
    """A failed run that counts as 1e9 must not make everybody else's effect look like rounding."""
    d = np.array([1e-4, 2e-4, -1e-4, 3e-4])[:, None]
    runs = runs_of(d, b=np.full((4, 1), 0.5))
    frame = runs.frame.copy()
    frame.loc[(frame["system"] == 3) & (frame["method"] == "A"), ["loss", "error_message"]] = [np.nan, "no"]
    failing = replace(runs, frame=frame)
    assert causal.heterogeneity(failing, failures=1e9).share_zero == 0
    both = frame.copy()
    both.loc[both["system"] == 3, "loss"], both.loc[both["system"] == 3, "error_message"] = np.nan, "no"
    effect = causal.average_treatment_effect(replace(runs, frame=both), failures=1e9, n_resamples=99)
    assert effect.estimate == pytest.approx(0.5e-4) and effect.standard_error == pytest.approx(
        np.std([1e-4, 2e-4, -1e-4, 0], ddof=1) / 2
    )


def test_rounding_is_never_significant():
    """0.1 + 0.2 exceeds 0.3 by 5e-17 in every system: eight times the same sign, and no effect."""
    runs = runs_of(np.zeros((8, 1)), b=np.full((8, 1), 0.3))
    runs.frame.loc[runs.frame["method"] == "A", "loss"] = 0.1 + 0.2
    effect = causal.average_treatment_effect(runs)
    assert np.isnan(effect.p) and (effect.tests["p"].dropna() == 1).all()
    assert causal.heterogeneity(runs).share_zero == 1 and causal.moderators(runs).empty
    assert causal.effects_by_level(runs, "v")["high"].isna().all()


def test_what_is_negligible():
    assert RESOLUTION == 1e-12
    assert negligible(0.1 + 0.2 - 0.3, 0.3) and not negligible(1e-11, 1.0) and negligible(0.0, 0.0)
    assert negligible(-1e-9, 1e4) and not negligible(-1e-9, 1.0)
    np.testing.assert_array_equal(negligible(np.array([1e-13, 1e-13]), np.array([1.0, 0.01])), [True, False])
    assert squares_or_zero(1e-23, 1.0) == 1e-23 and squares_or_zero(1e-25, 1.0) == 0
    assert causal.variance_components([[0.3, 0.1 + 0.2], [0.3, 0.3]]).mean_squares[0] == 0


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
    said = str(causal.average_treatment_effect(runs, n_resamples=99))
    assert "by +0.0000000013 on average (95 % interval +0.0000000011 to +0.0000000015;" in said
    usual = str(causal.average_treatment_effect(runs_of(np.array([[0.012], [0.014], [0.013]])), n_resamples=99))
    assert "by +0.0130 on average (95 % interval +0.0105 to +0.0155; paired t test, 3 systems, paired design)" in usual
