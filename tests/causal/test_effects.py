"""Estimators, heterogeneity and planning of genexpy_nb.causal."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from genexpy_nb import causal
from genexpy_nb.causal import PipelinePopulation, effects
from genexpy_nb.common.errors import ParameterError, StudyError

POPULATION = PipelinePopulation({"method": ["A", "B"], "u": [0, 1, 2, 3], "w": ["p", "q"]})
COMPARISON = POPULATION.compare("method", "A", "B")


def known(combination, seed):
    """Effect of A: -0.1 at u = 0 to +0.2 at u = 3, +0.05 on average, whatever w is; noise shared by A and B and not."""
    own = np.random.default_rng([seed, combination["method"] == "A"]).normal()
    level = 0.5 * (combination["w"] == "q") + np.random.default_rng(seed).normal()
    effect = (combination["u"] - 1) * 0.1 * (combination["method"] == "A")
    return {"loss": level + effect + 0.05 * own, "double": 2 * (level + effect + 0.05 * own)}


def runs_of(d, design="paired", compositions="own", b=None, clusters=None):
    """Runs with given differences, shape (n_systems, n_compositions)."""
    d = np.atleast_2d(np.asarray(d, dtype=float))
    s, c = d.shape
    b = np.zeros_like(d) if b is None else b
    rows = []
    for i, j in product(range(s), range(c)):
        composition = j if compositions == "shared" else i * c + j
        extra = {"v": f"level {i % 3}" if clusters is None else clusters[i], "error_message": ""}
        rows += [{"system": i, "composition": composition, "method": m, "loss": x, **extra} for m, x in
                 (("A", d[i, j] + b[i, j]), ("B", b[i, j]))]  # fmt: skip
    frame = pd.DataFrame(rows)
    if design == "independent":
        frame = frame[(frame["system"] % 2 == 0) == (frame["method"] == "A")].reset_index(drop=True)
    return causal.Runs(frame, ("loss",), "t", "A", "B", design, ("v",), compositions)


def test_paired_is_the_paired_t_test():
    rng = np.random.default_rng(1)
    b, d = rng.normal(size=(2, 25, 1))
    effect = causal.average_treatment_effect(runs_of(d, b=b))
    test = stats.ttest_rel((b + d).ravel(), b.ravel())
    interval = test.confidence_interval(0.95)
    np.testing.assert_allclose(
        [effect.estimate, effect.low, effect.high, effect.p, effect.df],
        [d.mean(), interval.low, interval.high, test.pvalue, 24],
        rtol=1e-9,
    )
    assert effect.method == "paired t test"
    np.testing.assert_allclose(effect.errors["error"].diff().iloc[1], -d.mean())


@given(
    st.lists(st.integers(-1000, 1000), min_size=2, max_size=30),
    st.sampled_from(["own", "shared"]),
    st.integers(1, 2),
)
@settings(max_examples=40, deadline=None)
def test_exchanging_the_methods_mirrors_the_effect(values, compositions, n):
    d = np.repeat(np.array(values)[:, None] / 1000, n, axis=1) * (1 + np.arange(n))
    one = causal.average_treatment_effect(runs_of(d, compositions=compositions), n_resamples=50)
    other = causal.average_treatment_effect(runs_of(-d, compositions=compositions), n_resamples=50)
    np.testing.assert_allclose(
        [one.estimate, one.low, one.high, one.p], [-other.estimate, -other.high, -other.low, other.p], atol=1e-12
    )
    assert one.low <= one.estimate <= one.high and 0 <= one.p <= 1
    assert one.estimate == pytest.approx(d.mean(), abs=1e-12)


def test_sign_flips_are_exact_for_small_samples():
    d = np.array([0.3, 0.1, 0.4, -0.2, 0.5, 0.6, 0.05])
    effect = causal.average_treatment_effect(runs_of(d[:, None]))
    flipped = [abs(np.dot(signs, d)) >= abs(d.sum()) - 1e-12 for signs in product([-1, 1], repeat=7)]
    p = effect.tests.set_index("method").loc["sign-flip permutation", "p"]
    np.testing.assert_allclose(p, np.mean(flipped))


def test_bca_is_scipy_s_of_the_mean_and_a_point_for_equal_effects():
    d = np.random.default_rng(2).exponential(size=(30, 1))
    effect = causal.average_treatment_effect(runs_of(d), n_resamples=20_000)
    expected = stats.bootstrap((d.ravel(),), np.mean, n_resamples=20_000, method="BCa", rng=5).confidence_interval
    row = effect.tests.set_index("method").loc["BCa bootstrap"]
    np.testing.assert_allclose([row["low"], row["high"]], expected, atol=0.02)
    same = causal.average_treatment_effect(runs_of(np.full((5, 1), 0.1)))
    assert same.low == same.high == same.estimate == pytest.approx(0.1)
    assert same.tests["low"].iloc[1] == same.tests["high"].iloc[1] == pytest.approx(0.1) and same.p == 0
    nothing = causal.average_treatment_effect(runs_of(np.zeros((5, 1))))
    assert nothing.p == 1 and nothing.tests["p"].iloc[2] == 1


def test_independent_is_welch_s_test():
    rng = np.random.default_rng(3)
    d, b = rng.normal(1, 3, size=(40, 1)), rng.normal(size=(40, 1))
    effect = causal.average_treatment_effect(runs_of(d, "independent", b=b))
    test = stats.ttest_ind((b + d)[::2, 0], b[1::2, 0], equal_var=False)
    interval = test.confidence_interval(0.95)
    np.testing.assert_allclose(
        [effect.estimate, effect.low, effect.high, effect.p, effect.df],
        [(b + d)[::2].mean() - b[1::2].mean(), interval.low, interval.high, test.pvalue, test.df],
    )
    permutation = effect.tests.set_index("method").loc["permutation of the assignment", "p"]
    assert abs(permutation - test.pvalue) < 0.05


def test_several_compositions_are_a_t_test_of_system_means():
    d = np.random.default_rng(4).normal(size=(12, 1)) + np.random.default_rng(5).normal(size=(12, 4))
    effect = causal.average_treatment_effect(runs_of(d))
    interval = stats.ttest_1samp(d.mean(axis=1), 0).confidence_interval(0.95)
    np.testing.assert_allclose([effect.low, effect.high], interval)


def test_unbalanced_clusters_are_those_of_statsmodels():
    rng = np.random.default_rng(6)
    clusters = rng.choice(list("abcdefg"), size=60)
    d = rng.normal(size=60) + (clusters > "c")
    effect = causal.average_treatment_effect(runs_of(d[:, None], clusters=clusters), cluster="v")
    codes = pd.factorize(clusters)[0]
    fit = sm.OLS(d, np.ones(60)).fit(cov_type="cluster", cov_kwds={"groups": codes}, use_t=True)
    np.testing.assert_allclose([effect.estimate, effect.standard_error], [fit.params[0], fit.bse[0]])
    np.testing.assert_allclose([effect.low, effect.high], fit.conf_int()[0])
    np.testing.assert_allclose(effect.p, fit.pvalues[0])


def test_variance_components_are_those_of_a_mixed_model():
    rng = np.random.default_rng(7)
    x = 2 * rng.normal(size=(40, 1)) + rng.normal(size=(40, 5))
    ours = causal.variance_components(x)
    long = pd.DataFrame(x).stack().rename("y").reset_index()
    fit = sm.MixedLM.from_formula("y ~ 1", long, groups="level_0").fit(method=["powell", "lbfgs"])
    np.testing.assert_allclose([ours.systems, ours.residual], [fit.cov_re.iloc[0, 0], fit.scale], rtol=0.01)


def test_variance_components_are_unbiased_when_crossed():
    rng = np.random.default_rng(8)
    got = []
    for _ in range(1500):
        x = 2 * rng.normal(size=(8, 1)) + 1.5 * rng.normal(size=(1, 6)) + rng.normal(size=(8, 6))
        parts = causal.variance_components(x, crossed=True)
        got.append((parts.systems, parts.compositions, parts.residual))
    np.testing.assert_allclose(np.mean(got, axis=0), [4, 2.25, 1], rtol=0.06)


def test_variance_shares_of_an_additive_loss():
    table = POPULATION.frame().merge(pd.DataFrame({"composition": range(5)}), how="cross")
    parts = {"u": table["u"].astype(float), "w": 2.0 * (table["w"] == "q"), "composition": table["composition"] / 2}
    table["loss"] = sum(parts.values())
    shares = causal.variance_shares(table, ["u", "w", "composition", "method"], "loss").set_index("variable")
    variances = {name: part.var(ddof=0) for name, part in parts.items()} | {"method": 0.0}
    for name, variance in variances.items():
        expected = variance / sum(variances.values())
        np.testing.assert_allclose(shares.loc[name], [expected, expected], atol=1e-12)


# -- simulation of a population with a known effect ------------------------------------------------------------------


def test_both_designs_are_unbiased_and_cover_a_known_effect():
    """The whole way: drawing, running, estimating. 0.05 is the average effect by construction."""
    held, estimates = {"paired": [], "independent": []}, {"paired": [], "independent": []}
    for seed in range(250):
        for run, n in ((causal.run_paired, 20), (causal.run_independent, 40)):
            runs = run(COMPARISON, known, n, seed=seed)
            frame, _ = effects._treat_failures(runs, "loss", "complete")
            if runs.design == "paired":
                wide = effects._wide(frame, runs, "loss")
                mean = effects._mean(wide["effect"].to_numpy(), wide["system"].to_numpy(), 0.95)
            else:
                groups = [frame.loc[frame["method"] == m, "loss"] for m in "AB"]
                test = stats.ttest_ind(*groups, equal_var=False)
                interval = test.confidence_interval(0.95)
                mean = effects._Mean(groups[0].mean() - groups[1].mean(), interval.low, interval.high, 0, 0, 0, "")
            held[runs.design].append(mean.low <= 0.05 <= mean.high)
            estimates[runs.design].append(mean.estimate)
    for design in held:
        assert stats.ttest_1samp(estimates[design], 0.05).pvalue > 1e-3
        assert stats.binomtest(sum(held[design]), 250, 0.95).pvalue > 1e-3
    assert np.std(estimates["paired"]) < np.std(estimates["independent"]) / 3


def _populations():
    rng = np.random.default_rng(9)
    noise = 0.3 * rng.normal(size=(400, 5))
    yield "normal", rng.normal(0.2, 1, size=(400, 1)) + noise
    yield "skewed", rng.gamma(4, 1, size=(400, 1)) + noise
    yield "two groups", np.where(np.arange(400) < 120, 1.0, -0.2)[:, None] + noise
    yield "discrete, many ties", np.round(rng.normal(0.2, 1, size=(400, 5)))


@pytest.mark.parametrize(("name", "d"), list(_populations()), ids=lambda value: value if isinstance(value, str) else "")
def test_paired_intervals_cover_93_to_97_percent(name, d):
    result = causal.coverage(d, np.zeros_like(d), [20, 50, 100], n_studies=20_000, rng=1)
    assert result["coverage"].between(0.93, 0.97).all(), result
    assert (result["bias"].abs() < 5 * d.std() / np.sqrt(20_000 * result["n_systems"])).all()


def test_skewed_and_rare_effects_are_covered_less_as_the_documentation_says():
    rng = np.random.default_rng(19)
    stated = {"exponential": (0.92, 0.94), "log-normal": (0.87, 0.92)}
    drawn = {"exponential": rng.exponential(size=(200_000, 1)), "log-normal": rng.lognormal(size=(200_000, 1))}
    for name, d in drawn.items():
        result = causal.coverage(d, np.zeros_like(d), [20, 100], rng=1)
        np.testing.assert_allclose(result["coverage"], stated[name], atol=0.012)
    d = np.where(np.arange(400) < 20, 1.0, 0.0)[:, None]
    result = causal.coverage(d, np.zeros_like(d), [20])
    # Held with 1 to 5 such systems: with none the interval is a point at 0, with more it lies above 0.05.
    held = [
        n for n in range(21) if abs(n / 20 - 0.05) <= stats.t.ppf(0.975, 19) * np.sqrt(n * (20 - n) / 400 / 19) + 1e-12
    ]
    expected = stats.binom.pmf(held, 20, 0.05).sum()
    assert result["coverage"].iloc[0] == pytest.approx(expected, abs=0.02) and expected == pytest.approx(
        0.64, abs=0.005
    )


def test_simulated_coverage_uses_the_estimator_s_interval():
    rng = np.random.default_rng(10)
    a, b = rng.normal(size=(2, 30, 3))
    drawn = np.random.default_rng(4).integers(90, size=(1, 25))[0]
    width = causal.coverage(a, b, [25], n_studies=1, rng=4)["width"].iloc[0]
    effect = causal.average_treatment_effect(runs_of((a - b).ravel()[drawn][:, None]), n_resamples=99)
    np.testing.assert_allclose(width, effect.high - effect.low)
    independent = causal.coverage(a, b, [40], "independent", n_studies=20_000, rng=1).iloc[0]
    assert 0.93 <= independent["coverage"] <= 0.97 and independent["runs"] == 40


@pytest.mark.parametrize(
    ("s", "c", "low", "high"),
    [(20, 5, 0.93, 0.97), (20, 20, 0.93, 0.97), (50, 3, 0.90, 0.94)],  # 3 compositions: less, as the documentation says
)
def test_crossed_intervals_cover_both_kinds_of_luck(s, c, low, high):
    rng = np.random.default_rng(11)
    crossed, naive = [], []
    for _ in range(2000):
        x = rng.normal(size=(s, 1)) + 0.5 * rng.normal(size=(1, c)) + rng.normal(size=(s, c))
        mean = effects._crossed_mean(x, 0.95)
        crossed.append(mean.low <= 0 <= mean.high)
        rows = effects._mean(x.ravel(), np.repeat(np.arange(s), c), 0.95)
        naive.append(rows.low <= 0 <= rows.high)
    assert low <= np.mean(crossed) <= high
    assert np.mean(naive) < np.mean(crossed) - 0.01  # what taking compositions for independent would give


def test_shared_compositions_are_noticed():
    x = np.random.default_rng(12).normal(size=(6, 3))
    effect = causal.average_treatment_effect(runs_of(x, compositions="shared"), n_resamples=99)
    assert effect.method == "t test on systems x compositions" and effect.standard_error > 0
    single = causal.run_paired(COMPARISON, known, 5, shared_compositions=True)
    assert single.frame["composition"].nunique() == 1
    assert "share one train-test composition" in causal.average_treatment_effect(single, n_resamples=99).notes[0]


# -- heterogeneity ---------------------------------------------------------------------------------------------------


def test_heterogeneity_separates_systems_from_noise():
    rng = np.random.default_rng(13)
    true = rng.normal(0.5, 1.0, size=(3000, 1))
    d = true + 2 * rng.normal(size=(3000, 4))
    h = causal.heterogeneity(runs_of(d))
    assert h.sd_systems == pytest.approx(1, rel=0.05) and h.reliability == pytest.approx(0.5, abs=0.03)
    assert h.share_opposite_expected == pytest.approx(stats.norm.sf(0.5), abs=0.01)
    assert h.share_opposite == pytest.approx(stats.norm.sf(0.5 / np.sqrt(2)), abs=0.03)  # noise turns signs, too
    assert np.isnan(causal.heterogeneity(runs_of(d[:, :1])).sd_systems)


def test_moderators_find_the_variable_that_matters():
    runs = causal.run_paired(COMPARISON, known, 300)
    table = causal.moderators(runs)
    assert table["variable"].tolist() == ["u", "w"] and table["p_holm"].iloc[0] < 1e-20 < table["p_holm"].iloc[1]
    levels = causal.effects_by_level(runs, "u")
    assert levels["n_systems"].sum() == 300
    assert ((levels["low"] < [-0.1, 0, 0.1, 0.2]) & (levels["high"] > [-0.1, 0, 0.1, 0.2])).sum() >= 3
    individual = causal.individual_effects(runs)
    one_way = stats.f_oneway(*(group["effect"] for _, group in individual.groupby("w")))
    only = causal.moderators(runs, variables=["w"]).iloc[0]
    np.testing.assert_allclose([only["F"], only["p"]], [one_way.statistic, one_way.pvalue])


def test_moderators_are_those_of_statsmodels_type_two():
    rng = np.random.default_rng(18)
    table = pd.DataFrame({"x": rng.choice(list("abc"), 90, p=[0.5, 0.3, 0.2]), "z": rng.choice(list("pq"), 90)})
    table["effect"] = rng.normal(size=90) + (table["x"] == "b") + 0.5 * (table["z"] == "q")
    long = table.reset_index(names="run").merge(pd.DataFrame({"m": ["A", "B"]}), how="cross")
    long["loss"] = long["effect"].where(long["m"] == "A", 0.0)
    runs = causal.from_results(long, "m", "A", "B", ["run", "x", "z"], ["loss"])
    expected = sm.stats.anova_lm(sm.OLS.from_formula("effect ~ x + z", table).fit(), typ=2)
    got = causal.moderators(runs, variables=["x", "z"]).set_index("variable").loc[["x", "z"]]
    np.testing.assert_allclose(got[["F", "p"]], expected.loc[["x", "z"], ["F", "PR(>F)"]])
    total = np.sum((table["effect"] - table["effect"].mean()) ** 2)
    np.testing.assert_allclose(got["share"], expected.loc[["x", "z"], "sum_sq"] / total)


def test_moderators_see_into_approaches():
    approaches = {"p": {"s": [1, 2, 3]}, "q": {"t": ["i", "j"], "r": ["k", "l"]}}
    population = PipelinePopulation({"m": ["A", "B"], "w": [0, 1]}, approaches)

    def evaluate(c, seed):
        effect = 2 * (c["approach"] == "q") + (c.get("t") == "j") * 1.0
        noise = np.random.default_rng([seed, *repr(c).encode()]).normal()
        return {"loss": (c["m"] == "A") * (effect + 0.1 * noise)}

    table = causal.moderators(causal.ideal_study(population.compare("m", "A", "B"), evaluate, [0]))
    assert table["variable"].tolist()[:2] == ["approach", "t"] and set(table["variable"]) == {"approach", *"wstr"}
    assert table["p_holm"].iloc[1] < 1e-3 < 0.05 < table["p_holm"].iloc[2]
    without_noise = causal.ideal_study(
        population.compare("m", "A", "B"), lambda c, s: {"e": c["w"] * (c["m"] == "A")}, [0]
    )
    exact = causal.moderators(without_noise)
    assert exact["variable"].iloc[0] == "w" and exact["p"].iloc[0] == 0 and (exact["p"].iloc[1:] == 1).all()
    # two values 2 and 3 within q (8 of 14 systems), 0 within p: sums of squares by hand
    q, total = 8 * 6 / 14 * 2.5**2, 8 * 6 / 14 * 2.5**2 + 8 * 0.25
    np.testing.assert_allclose(table["share"].iloc[:2], [q / total, 8 * 0.25 / total], atol=0.05)


def test_losses_are_told_apart():
    runs = causal.run_paired(COMPARISON, known, 30)
    one, two = (causal.average_treatment_effect(runs, loss, n_resamples=99) for loss in ("loss", "double"))
    np.testing.assert_allclose([two.estimate, two.low], [2 * one.estimate, 2 * one.low])
    with pytest.raises(ParameterError, match="no loss 'duoble'; did you mean 'double'"):
        causal.average_treatment_effect(runs, "duoble")


def test_clear_errors():
    paired, independent = runs_of(np.ones((4, 1))), runs_of(np.ones((4, 1)), "independent")
    for call, error, message in (
        (lambda: causal.individual_effects(independent), StudyError, "need paired runs"),
        (lambda: causal.plan_systems(independent, [0.1]), StudyError, "must be paired"),
        (lambda: causal.average_treatment_effect(paired, confidence=95), ParameterError, r"lie in \(0, 1\)"),
        (lambda: causal.average_treatment_effect(paired, cluster="x"), ParameterError, "cluster must be"),
        (lambda: causal.average_treatment_effect(independent, cluster="v"), ParameterError, "independent runs"),
        (lambda: causal.average_treatment_effect(paired, failures="drop"), ParameterError, "failures must be"),
        (lambda: causal.effects_by_level(paired, "x"), ParameterError, "variable must be one of"),
        (lambda: causal.moderators(paired, variables=["x"]), ParameterError, "'x' is not among"),
        (lambda: causal.run_paired(COMPARISON, known, 1), ParameterError, "at least 2, got 1"),
        (lambda: causal.variance_components([[1.0, np.nan]] * 2), ParameterError, "must be finite"),
        (lambda: causal.average_treatment_effect(runs_of(np.ones((1, 1)))), StudyError, "at least two"),
    ):
        with pytest.raises(error, match=message):
            call()
    assert causal.moderators(paired).empty


# -- planning --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("width", "sd"), [(0.5, 1.0), (0.1, 0.3), (2.0, 0.5)])
def test_planned_samples_are_the_smallest_that_do(width, sd):
    n = causal.systems_needed(width, sd)
    assert 2 * stats.t.ppf(0.975, n - 1) * sd / np.sqrt(n) <= width
    assert n == 2 or 2 * stats.t.ppf(0.975, n - 2) * sd / np.sqrt(n - 1) > width
    both = causal.systems_needed(width, (sd, 2 * sd), "independent")
    x = np.tile([-1.0, 1.0], both // 4 + 1)[: both // 2]
    x = (x - x.mean()) / x.std(ddof=1)
    interval = stats.ttest_ind(sd * x, 2 * sd * x, equal_var=False).confidence_interval(0.95)
    assert interval.high - interval.low <= width + 1e-12 and both % 2 == 0


def test_plans_keep_their_promise_in_simulation():
    rng = np.random.default_rng(14)
    base = rng.normal(size=(200, 3))
    a, b = base + 0.2 * rng.normal(size=(200, 3)), base
    pilot = runs_of((a - b)[:60, :1], b=b[:60, :1])
    plan = causal.plan_systems(pilot, [0.2, 0.1])
    assert (plan["paired_low"] < plan["paired_systems"]).all() and (plan["paired_systems"] < plan["paired_high"]).all()
    assert (plan["ratio"] > 5).all()
    for _, row in plan.iterrows():
        paired = causal.coverage(a, b, [int(row["paired_systems"])], n_studies=2000)["width"].iloc[0]
        independent = causal.coverage(a, b, [int(row["independent_systems"])], "independent", n_studies=2000)
        np.testing.assert_allclose([paired, independent["width"].iloc[0]], row["width"], rtol=0.25)


def test_compositions_per_system_minimise_the_variance():
    rng = np.random.default_rng(15)
    pilot = runs_of(0.5 * rng.normal(size=(500, 1)) + 2 * rng.normal(size=(500, 5)))
    best = causal.compositions_per_system(pilot, cost=10)
    grid = np.arange(1, 60)
    variance = (0.25 + 4 / grid) * (10 + grid)  # for a fixed budget, up to a factor
    assert abs(best - grid[np.argmin(variance)]) < 4
    assert causal.compositions_per_system(runs_of(np.tile([1.0, 2.0], (5, 1))), 1) == np.inf


def test_bootstrap_over_test_documents_misses_as_often_as_theory_says():
    """Differences = effect of the composition + noise per document: the share of misses is known."""
    rng = np.random.default_rng(16)
    d = 0.2 * rng.normal(size=(4000, 1)) + rng.normal(size=(4000, 100))
    table = causal.bootstrap_miss_rate(d, [25, 100]).set_index("n_test")
    for m in (25, 100):
        actual = np.sqrt(0.04 + 1 / m)
        t = 1.96 * np.sqrt((m - 1) / m) / (actual * np.sqrt(m))  # the bootstrap divides by m, and m is finite
        assert table.loc[m, "miss"] == pytest.approx(2 * stats.t.sf(t, m - 1), abs=0.015)
        assert table.loc[m, "sd_actual"] == pytest.approx(actual, rel=0.05)
        assert table.loc[m, "sd_claimed"] == pytest.approx(1 / np.sqrt(m), rel=0.05)


def test_tuned_or_many_against_a_plain_loop():
    rng = np.random.default_rng(17)
    a, b = rng.normal(size=(2, 12, 4))
    va, vb = a + 0.3 * rng.normal(size=(12, 4)), b + 0.3 * rng.normal(size=(12, 4))
    table = causal.tuned_or_many(a, b, va, vb, [5], n_studies=40_000).set_index("plan")
    loop = []
    for _ in range(4000):
        chosen, c = rng.integers(12, size=5), rng.integers(4)
        loop.append(a[min(chosen, key=lambda s: va[s, c]), c] - b[min(chosen, key=lambda s: vb[s, c]), c])
    tuned, many = table.loc["tuned, one composition"], table.loc["untuned, many"]
    np.testing.assert_allclose([tuned["mean"], tuned["sd"]], [np.mean(loop), np.std(loop)], atol=0.05)
    np.testing.assert_allclose(many["mean"], a.mean() - b.mean(), atol=0.02)
    np.testing.assert_allclose(many["sd"], (a - b).std() / np.sqrt(5), rtol=0.03)
    np.testing.assert_allclose(many["rmse_average"], many["sd"], rtol=0.01)
