"""Shuffled rows, other names, other units, the other sign: no public analysis concludes anything else."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from made_up_runs import runs_of

from genexpy_nb import causal
from genexpy_nb.causal.planning import systems_needed
from genexpy_nb.chapters import causal as chapter

N = 12


def runs(design="paired", compositions="own", c=3, seed=0):
    rng = np.random.default_rng(seed)
    levels = [f"level {i % 3}" for i in range(N)]
    d = rng.integers(-3, 6, size=(N, c)) / 114 + np.repeat(np.arange(N) % 3, c).reshape(N, c) / 50
    return runs_of(d, design, compositions, b=rng.integers(40, 60, size=(N, c)) / 114, clusters=levels)


def shuffled(of):
    """The same rows, in another order."""
    return replace(of, frame=of.frame.sample(frac=1, random_state=1).reset_index(drop=True))


def renamed(of):
    """Other names for methods and for levels of the variable, that sort the same; compositions with other seeds."""
    frame = of.frame.assign(
        method=of.frame["method"].map({"A": "first <b>", "B": "second $"}),
        v="new " + of.frame["v"],
        composition=of.frame["composition"] * 7 + 1000,
    )
    return replace(of, frame=frame, a="first <b>", b="second $")


def in_units(of, factor):
    return replace(of, frame=of.frame.assign(loss=of.frame["loss"] * factor))


def exchanged(of):
    """b against a."""
    return replace(of, a=of.b, b=of.a)


def numbers(frame, *columns):
    return frame[list(columns)].to_numpy(float)


def analyses(of):
    """Name -> (numbers in units of the loss, numbers without a unit, numbers whose sign is that of the effect)."""
    effect = causal.average_treatment_effect(of, n_resamples=199)
    errors = causal.average_treatment_effect(of).errors
    found = {
        "effect": (
            [effect.standard_error],
            [effect.p, effect.df, *effect.tests["p"]],
            [[effect.estimate, effect.low, effect.high], *numbers(effect.tests, "estimate", "low", "high")],
        ),
        "errors": (numbers(errors.sort_values("estimate"), "estimate", "low", "high"), errors["n_systems"], []),
    }
    if of.design == "independent":
        return found
    by_level = causal.effects_by_level(of, "v")
    clustered = causal.average_treatment_effect(of, cluster="v", n_resamples=199)
    spread = causal.heterogeneity(of)
    moderators = causal.moderators(of)
    individual = causal.individual_effects(of)
    found |= {
        "by level": ([], by_level["n_systems"], numbers(by_level, "estimate", "low", "high")),
        "clusters": ([], [clustered.p], [[clustered.estimate, clustered.low, clustered.high]]),
        "spread": (
            [spread.sd, spread.sd_systems],
            [spread.share_opposite, spread.share_zero, spread.share_opposite_expected, spread.reliability],
            [[spread.mean] * 3],
        ),
        "moderators": ([], numbers(moderators, "n_levels", "share", "F", "p", "p_adjusted"), []),
        "individual": ([], individual["n_compositions"], np.repeat(numbers(individual, "effect"), 3, axis=1)),
    }
    shared = of.compositions == "shared"
    effects = of.frame.sort_values(["system", "composition"]).pivot(
        index=["system", "composition"], columns="method", values="loss"
    )
    matrix = (effects[of.a] - effects[of.b]).to_numpy().reshape(N, -1)
    if matrix.shape[1] > 1:
        unit = np.abs(of.frame["loss"]).max() * 0.02
        plan = causal.plan_systems(of, [unit])
        needed = ["n_systems_paired", "n_systems_low", "n_systems_high", "n_systems_independent", "ratio"]
        found["plan"] = ([], numbers(plan, *needed), [])
        found["compositions"] = ([], [causal.compositions_per_system(of, 10)], [])
        parts = causal.variance_components(matrix, crossed=shared)
        of_squares = np.sqrt([parts.systems, parts.residual, *parts.mean_squares])
        found["components"] = (of_squares, [parts.n_systems], [])
    return found


def assert_same(one, other, factor=1.0, exchanged=False):
    assert one.keys() == other.keys()
    for name in one:
        (unit, free, signed), (unit_2, free_2, signed_2) = one[name], other[name]
        np.testing.assert_allclose(np.asarray(unit_2, float) / factor, unit, rtol=1e-8, atol=1e-12, err_msg=name)
        np.testing.assert_allclose(np.asarray(free_2, float), free, rtol=1e-8, atol=1e-12, err_msg=name)
        signed, signed_2 = np.asarray(signed, float), np.asarray(signed_2, float) / factor
        if exchanged and signed.size:  # estimate, low, high -> -estimate, -high, -low
            signed_2 = -signed_2[:, [0, 2, 1]]
        np.testing.assert_allclose(signed_2, signed, rtol=1e-8, atol=1e-12, err_msg=name)


DESIGNS = [("paired", "own", 1), ("paired", "own", 3), ("paired", "shared", 1), ("paired", "shared", 3),
           ("independent", "own", 2), ("independent", "shared", 2)]  # fmt: skip


@pytest.mark.parametrize("design", DESIGNS, ids=str)
def test_the_order_of_the_rows_does_not_matter(design):
    of = runs(*design)
    assert_same(analyses(of), analyses(shuffled(of)))
    if of.design == "paired":  # a and b stay on the same compositions
        np.testing.assert_array_equal(shuffled(of).arrays(), of.arrays())


@pytest.mark.parametrize("design", DESIGNS, ids=str)
def test_names_do_not_matter(design):
    of = runs(*design)
    assert_same(analyses(of), analyses(renamed(of)))


@pytest.mark.parametrize("design", DESIGNS, ids=str)
@pytest.mark.parametrize("factor", [100.0, 114 / 128, 1e-8])
def test_units_do_not_matter(design, factor):
    of = runs(*design)
    assert_same(analyses(of), analyses(in_units(of, factor)), factor)


@pytest.mark.parametrize("design", DESIGNS, ids=str)
@pytest.mark.filterwarnings("error")
def test_b_against_a_is_the_mirror_image(design):
    """A loss of the other sign, too: scores instead of losses."""
    of = runs(*design)
    for other, redrawn in ((exchanged(of), of.design == "independent"), (in_units(of, -1.0), False)):
        one, mirrored = analyses(of), analyses(other)
        for found in (one, mirrored):
            del found["errors"]
            if redrawn:  # other draws for the other group: the permutation test and BCa are alike, not the same
                unit, free, signed = found["effect"]
                found["effect"] = (unit, free[:2], signed[:2])
        assert_same(one, mirrored, exchanged=True)


def test_a_table_of_results_in_another_order_is_the_same_population():
    rng = np.random.default_rng(1)
    table = pd.DataFrame(
        [(t, d, m, rng.normal()) for t in "xy" for d in range(8) for m in "pqr"], columns=["t", "data", "model", "loss"]
    )
    one, other = (
        causal.from_results(of, "t", "x", "y", ["data", "model"], ["loss"])
        for of in (table, table.sample(frac=1, random_state=2))
    )
    pd.testing.assert_frame_equal(one.frame, other.frame)


def test_simulated_errors_do_not_depend_on_sign_or_unit():
    rng = np.random.default_rng(2)
    d = {name: rng.choice([-1.0, 0.0, 1.0], size=(30, 40)) + rng.normal(0.2, 0.3, size=(30, 1)) for name in "xy"}
    columns = ["pair", "error", "estimate", "low", "high"]
    one = chapter.error_rates(chapter.shifted_bootstrap(d, n_resamples=300), ["pair"])[columns]
    for factor in (-1.0, 3e-7):
        other = chapter.shifted_bootstrap({name: x * factor for name, x in d.items()}, n_resamples=300)
        pd.testing.assert_frame_equal(chapter.error_rates(other, ["pair"])[columns], one)
    a, b = rng.normal(size=(2, 20, 3))
    for sign in (1, -1):
        cover = chapter.coverage(a * sign, b * sign, [10], n_studies=300)
        assert cover["coverage"].iloc[0] == chapter.coverage(a, b, [10], n_studies=300)["coverage"].iloc[0]
        assert cover["wrong_sign"].iloc[0] == chapter.coverage(b, a, [10], n_studies=300)["wrong_sign"].iloc[0]


def test_shares_of_the_variance_depend_on_no_order_name_unit_or_sign():
    grid = pd.MultiIndex.from_product([["x", "y"], ["p", "q", "r"], range(4)], names=["one", "two", "data"])
    table = grid.to_frame(index=False)
    table["loss"] = np.random.default_rng(3).integers(40, 90, len(table)) / 114
    expected = causal.variance_shares(table, list(grid.names), "loss").set_index("variable")
    renamed = {"one": {"x": "<b>", "y": "a $"}, "two": {"p": "z", "q": "y", "r": "x"}}
    for other in (
        table.sample(frac=1, random_state=0),
        table.replace(renamed),
        *(table.assign(loss=factor * table["loss"] + shift) for factor, shift in ((-100.0, 3.0), (1e-9, 0.0))),
    ):
        found = causal.variance_shares(other, list(grid.names)[::-1], "loss").set_index("variable")
        pd.testing.assert_frame_equal(found.loc[expected.index], expected, rtol=1e-8)


@pytest.mark.parametrize("factor", [100.0, 1e-9, 1 / 3])
def test_how_many_systems_are_needed_has_no_unit(factor):
    for width in (0.01, 0.03, 0.2):
        paired = systems_needed(width, 0.05)
        independent = systems_needed(width, (0.05, 0.08), "independent")
        assert systems_needed(width * factor, 0.05 * factor) == paired
        for sds in ((0.05, 0.08), (0.08, 0.05)):
            scaled = [sd * factor for sd in sds]
            assert systems_needed(width * factor, scaled, "independent") == independent
