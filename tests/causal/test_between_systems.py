"""Heterogeneity and moderators: against statsmodels, scipy and sums of squares by hand."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from made_up_runs import runs_of

from genexpy_nb import causal
from genexpy_nb.causal import PipelinePopulation
from genexpy_nb.causal.between_systems import variance_of_systems
from genexpy_nb.chapters import causal as chapter
from genexpy_nb.common.errors import ParameterError, StudyError


def of_systems(x, crossed=False):
    return variance_of_systems(np.asarray(x, dtype=float), crossed, float(np.abs(x).max()))


@pytest.mark.parametrize("shape", [(2, 2), (5, 3), (3, 7)])
def test_the_variance_of_systems_is_that_of_the_mean_squares_of_statsmodels(shape):
    rng = np.random.default_rng(9)
    x = rng.normal(size=shape) + 2 * rng.normal(size=(shape[0], 1)) + 3 * rng.normal(size=(1, shape[1]))
    long = pd.DataFrame([(i, j, v) for (i, j), v in np.ndenumerate(x)], columns=["row", "column", "y"])
    for crossed, formula in ((True, "y ~ C(row) + C(column)"), (False, "y ~ C(row)")):
        table = sm.stats.anova_lm(sm.OLS.from_formula(formula, long).fit())
        ms = table["sum_sq"] / table["df"]
        np.testing.assert_allclose(of_systems(x, crossed), max((ms["C(row)"] - ms["Residual"]) / shape[1], 0))


def test_no_variance_of_systems_where_there_is_none():
    r, c = np.array([0.1, 0.7, 0.3, 0.9]), np.array([0.2, 0.3, 0.7])
    np.testing.assert_allclose(of_systems(r[:, None] + c, True), r.var(ddof=1))  # whatever binary numbers make of it
    assert of_systems(np.tile(c, (4, 1)), True) == 0
    alike = np.array([[1.0, -1.0], [-1.0, 1.0]])  # rows and columns have the same means
    assert of_systems(alike) == of_systems(alike, True) == 0
    # within rows 0.2 apart, rows sqrt(0.02) apart: both mean squares are 0.02, but for rounding
    assert of_systems(np.array([[0.1, 0.3], [0.1 + np.sqrt(0.02), 0.3 + np.sqrt(0.02)]])) == 0
    for values in ([[1.0, np.nan]] * 2, [[1.0, 2.0]], [[1.0], [2.0]], [[np.inf, 1], [1, 1]]):
        with pytest.raises(ParameterError, match="must be finite, at least two systems by two compositions"):
            of_systems(values)


def test_moderators_are_those_of_statsmodels_type_two():
    rng = np.random.default_rng(18)
    table = pd.DataFrame({"x": rng.choice(list("abc"), 90, p=[0.5, 0.3, 0.2]), "z": rng.choice(list("pq"), 90)})
    table["effect"] = rng.normal(size=90) + (table["x"] == "b") + 0.5 * (table["z"] == "q")
    long = table.reset_index(names="run").merge(pd.DataFrame({"m": ["A", "B"]}), how="cross")
    long["loss"] = long["effect"].where(long["m"] == "A", 0.0)
    runs = causal.from_results(long, "m", "A", "B", ["run", "x", "z"], ["loss"])
    expected = sm.stats.anova_lm(sm.OLS.from_formula("effect ~ x + z", table).fit(), typ=2)
    got = causal.moderators(replace(runs, variables=("x", "z"))).set_index("variable").loc[["x", "z"]]
    total = np.sum((table["effect"] - table["effect"].mean()) ** 2)
    np.testing.assert_allclose(got["share"], expected.loc[["x", "z"], "sum_sq"] / total)


def test_moderators_see_into_approaches():
    approaches = {"p": {"s": [1, 2, 3]}, "q": {"t": ["i", "j"], "r": ["k", "l"]}}
    population = PipelinePopulation({"m": ["A", "B"], "w": [0, 1]}, approaches)

    def evaluate(c, seed):
        effect = 2 * (c["approach"] == "q") + (c.get("t") == "j") * 1.0
        noise = np.random.default_rng([seed, *repr(c).encode()]).normal()
        return {"loss": (c["m"] == "A") * (effect + 0.1 * noise)}

    def sampled(evaluate):  # as if these systems had been drawn, each with a composition of its own
        ideal = chapter.ideal_study(population.compare("m", "A", "B"), evaluate, [0])
        return replace(ideal, whole_population=False, compositions="own")

    table = causal.moderators(sampled(evaluate))
    assert table["variable"].tolist()[:2] == ["approach", "t"] and set(table["variable"]) == {"approach", *"wstr"}
    assert table["share"].is_monotonic_decreasing
    # two values 2 and 3 within q (8 of 14 systems), 0 within p: sums of squares by hand
    q, total = 8 * 6 / 14 * 2.5**2, 8 * 6 / 14 * 2.5**2 + 8 * 0.25
    np.testing.assert_allclose(table["share"].iloc[:2], [q / total, 8 * 0.25 / total], atol=0.05)


def test_heterogeneity_by_hand():
    """Effects (0.4, 0.6), (-0.2, 0), (0.1, 0.1): means 0.5, -0.1, 0.1."""
    d = np.array([[0.4, 0.6], [-0.2, 0.0], [0.1, 0.1]])
    h = causal.heterogeneity(runs_of(d, b=np.full((3, 2), 0.3)))
    ms_s = 2 * np.var([0.5, -0.1, 0.1], ddof=1)
    ms_e = (0.02 + 0.02 + 0) / 3
    assert h.mean == pytest.approx(1 / 6) and h.sd == pytest.approx(np.std([0.5, -0.1, 0.1], ddof=1))
    assert h.share_opposite == pytest.approx(1 / 3) and h.n_systems == 3
    assert h.sd_systems == pytest.approx(np.sqrt((ms_s - ms_e) / 2))
    mirrored = causal.heterogeneity(runs_of(-d, b=np.full((3, 2), 0.3)))
    assert mirrored.mean == pytest.approx(-h.mean)


def test_heterogeneity_of_shared_compositions_takes_their_luck_out():
    """Column effects are no noise of a system: with an additive table, systems are told apart without any error."""
    r, c = np.array([0.1, -0.2, 0.7, 0.3]), np.array([0.0, 0.4, -0.1])
    d = r[:, None] + c
    shared, own = causal.heterogeneity(runs_of(d, compositions="shared")), causal.heterogeneity(runs_of(d))
    assert shared.sd_systems == pytest.approx(r.std(ddof=1)) and own.sd_systems < shared.sd_systems


def test_heterogeneity_where_there_is_none():
    b = np.random.default_rng(33).normal(size=(5, 3)).round(1)
    none = causal.heterogeneity(runs_of(np.zeros((5, 3)), b=b))
    assert none.share_opposite == 0 and none.mean == 0
    mixed = causal.heterogeneity(runs_of(np.array([[0.3, -0.3], [-0.1, 0.0], [-0.4, -0.2]]), b=b[:3, :2]))
    assert mixed.mean < 0 and mixed.share_opposite == 0  # of 0.3 - 0.3, though the losses are rounded


def test_systems_with_one_composition_each_cannot_be_told_from_noise():
    h = causal.heterogeneity(runs_of([[0.1], [0.2], [-0.1]]))
    assert np.isnan(h.sd_systems) and h.share_opposite > 0


def test_a_variable_that_is_missing_here_and_there_is_not_nested():
    """No z in all systems with x = p, nor in half of those with x = q: x is tested given z, as any other variable."""
    rng = np.random.default_rng(38)
    table = pd.DataFrame({"run": np.arange(60), "x": list("ppqqqq") * 10})
    table["z"] = [None, None, None, "i", "j", None] * 10
    table["effect"] = rng.normal(size=60) + 0.5 * (table["x"] == "q") + (table["z"] == "j")
    long = table.merge(pd.DataFrame({"m": ["A", "B"]}), how="cross")
    long["loss"] = long["effect"].where(long["m"] == "A", 0.0)
    runs = causal.from_results(long, "m", "A", "B", ["run", "x", "z"], ["loss"])
    got = causal.moderators(replace(runs, variables=("x", "z"))).set_index("variable")
    fit = sm.OLS.from_formula("effect ~ x + j", table.assign(j=table["z"] == "j")).fit()
    expected = sm.stats.anova_lm(fit, typ=2).loc[["x", "j"], "sum_sq"]
    total = np.sum((table["effect"] - table["effect"].mean()) ** 2)
    np.testing.assert_allclose(got.loc[["x", "z"], "share"], expected / total)


def test_variables_that_say_nothing_new_are_left_out():
    rng = np.random.default_rng(36)
    table = pd.DataFrame({"x": np.tile(list("abcd"), 6), "run": np.arange(24)})
    table["coarse"] = table["x"].isin(["a", "b"])
    table["one"] = "same"
    long = table.merge(pd.DataFrame({"m": ["A", "B"]}), how="cross")
    long["loss"] = rng.normal(size=len(long))
    runs = causal.from_results(long, "m", "A", "B", ["run", "x", "coarse", "one"], ["loss"])
    moderating = causal.moderators(replace(runs, variables=("x", "coarse", "one")))
    assert moderating["variable"].tolist() == ["x"] and moderating.attrs["left_out"] == ["coarse", "one"]
    saturated = causal.moderators(runs)  # each system is a level of run: nothing would be left to test against
    assert saturated.attrs["left_out"] == ["run", "coarse", "one"]
    assert causal.moderators(replace(runs, variables=())).empty


def test_wrong_questions_about_systems():
    paired, independent = runs_of(np.ones((4, 1))), runs_of(np.ones((4, 1)), "independent")
    for call, error, message in (
        (lambda: causal.heterogeneity(independent), StudyError, "need paired runs"),
        (lambda: causal.moderators(independent), StudyError, "need paired runs"),
        (lambda: causal.heterogeneity(paired, "x"), ParameterError, "no loss 'x'"),
    ):
        with pytest.raises(error, match=message):
            call()
