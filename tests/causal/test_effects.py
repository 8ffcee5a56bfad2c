"""Average effects: against textbook tests, enumeration, statsmodels, and a population whose effect is known."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from made_up_runs import COMPARISON, known, runs_of, with_failures
from scipy import stats

from genexpy_nb import causal
from genexpy_nb.causal.runs import effects_of_pairs, effects_of_systems
from genexpy_nb.chapters import causal as chapter
from genexpy_nb.common.errors import ParameterError, StudyError


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
    np.testing.assert_allclose(effect.errors["estimate"].diff().iloc[1], -d.mean())


def test_individual_effects_are_a_minus_b_averaged_over_compositions():
    d = np.array([[0.5, 0.25], [-0.25, 0.75], [0.0, 0.0]])
    effects = causal.individual_effects(runs_of(d, b=np.ones((3, 2))))
    assert effects.columns.tolist() == ["system", "effect", "n_compositions", "v"]
    assert effects["effect"].tolist() == [0.375, 0.25, 0.0] and effects["n_compositions"].tolist() == [2, 2, 2]
    assert effects["v"].tolist() == ["level 0", "level 1", "level 2"]
    pairs = effects_of_pairs(runs_of(d, b=np.full((3, 2), -2.0)))
    assert pairs["size"].tolist() == [2, 2, 2.25, 2, 0, 0]  # equal losses: nothing was rounded
    assert effects_of_systems(pairs)["size"].tolist() == [2, 2.25, 0]
    failed = with_failures(runs_of(d), (1, "B"))
    assert causal.individual_effects(failed)["system"].tolist() == [0, 2]


def by_matrices(d, clusters):
    """Standard error and degrees of freedom of CR2 by the matrices of Bell and McCaffrey."""
    n, levels = len(d), np.unique(clusters)
    residual_maker = np.eye(n) - 1 / n
    meat, columns = 0.0, []
    for level in levels:
        chosen = np.asarray(clusters) == level
        block = residual_maker[np.ix_(chosen, chosen)]
        values, vectors = np.linalg.eigh(block)
        adjusted = vectors @ np.diag(values**-0.5) @ vectors.T @ np.ones(chosen.sum())
        meat += (adjusted @ (residual_maker @ d)[chosen]) ** 2
        columns.append(residual_maker[:, chosen] @ adjusted / n)
    eigenvalues = np.linalg.eigvalsh(np.array(columns) @ np.array(columns).T)
    return np.sqrt(meat) / n, eigenvalues.sum() ** 2 / (eigenvalues**2).sum()


@pytest.mark.parametrize(("effect", "n"), [(0.1, 2), (0.0, 5)])
def test_equal_effects_are_not_certain(effect, n):
    """Two systems with the same effect: neither an interval of no width nor p = 0."""
    same = causal.average_treatment_effect(runs_of(np.full((n, 1), effect)))
    assert same.estimate == pytest.approx(effect) and np.isnan([same.low, same.high, same.p]).all()
    assert same.notes == ("All effects are the same: without any spread there is no t interval and no t test.",)
    assert "(no interval, " in str(same)


def test_unbalanced_clusters_are_those_of_the_matrices():
    rng = np.random.default_rng(6)
    clusters = rng.choice(list("abcdefg"), size=60)
    d = rng.normal(size=60) + (clusters > "c")
    effect = causal.average_treatment_effect(runs_of(d[:, None], clusters=clusters), cluster="v")
    assert effect.method == "t test on clusters"
    codes = pd.factorize(clusters)[0]
    se, df = by_matrices(d, codes)
    np.testing.assert_allclose([effect.estimate, effect.standard_error, effect.df], [d.mean(), se, df])
    half = stats.t.ppf(0.975, df) * se
    np.testing.assert_allclose([effect.low, effect.high], [d.mean() - half, d.mean() + half])
    np.testing.assert_allclose(effect.p, 2 * stats.t.sf(d.mean() / se, df))
    fit = sm.OLS(d, np.ones(60)).fit(cov_type="cluster", cov_kwds={"groups": codes}, use_t=True)  # CR1
    assert effect.standard_error == pytest.approx(fit.bse[0], rel=0.05) and effect.standard_error > fit.bse[0]


def test_losses_are_told_apart():
    runs = causal.run_paired(COMPARISON, known, 30)
    one, two = (causal.average_treatment_effect(runs, loss) for loss in ("loss", "double"))
    np.testing.assert_allclose([two.estimate, two.low], [2 * one.estimate, 2 * one.low])
    with pytest.raises(ParameterError, match="no loss 'duoble'; did you mean 'double'"):
        causal.average_treatment_effect(runs, "duoble")


def test_clear_errors():
    effect_of = causal.average_treatment_effect
    paired, independent = runs_of(np.ones((4, 1))), runs_of(np.ones((4, 1)), "independent")
    one_level = runs_of(np.ones((4, 1)), clusters=["x"] * 4)
    one_left = with_failures(independent, (0, "A"))
    for call, error, message in (
        (lambda: effect_of(paired, confidence=95), ParameterError, r"number in \(0, 1\), got 95"),
        (lambda: effect_of(paired, cluster="x"), ParameterError, "cluster must be one of 'system'"),
        (lambda: effect_of(independent, cluster="v"), ParameterError, "independent runs"),
        (lambda: effect_of(runs_of(np.ones((1, 1)))), StudyError, "1 system with .* at least two"),
        (lambda: effect_of(one_level, cluster="v"), StudyError, "1 v with both .* at least two"),
        (lambda: effect_of(one_left), StudyError, "1 systems ran with 'A': at least two"),
    ):
        with pytest.raises(error, match=message):
            call()


def test_independent_systems_with_several_compositions_count_by_their_means():
    rng = np.random.default_rng(22)
    b = rng.normal(size=(12, 3))
    effect = causal.average_treatment_effect(runs_of(np.zeros((12, 3)), "independent", b=b))
    test = stats.ttest_ind(b[::2].mean(axis=1), b[1::2].mean(axis=1), equal_var=False)
    np.testing.assert_allclose([effect.p, effect.df], [test.pvalue, test.df])


@pytest.mark.parametrize("shift", [0.0, 0.25])
def test_groups_without_any_spread(shift):
    b = np.full((6, 1), 0.7)
    b[::2] += shift
    effect = causal.average_treatment_effect(runs_of(np.zeros((6, 1)), "independent", b=b))
    assert effect.estimate == pytest.approx(shift) and np.isnan([effect.low, effect.high, effect.p]).all()
    assert effect.df == 4 and effect.standard_error == 0 and effect.method == "Welch's t test"


def test_expected_errors_are_means_with_t_intervals():
    rng = np.random.default_rng(23)
    b, d = rng.normal(1, 0.2, size=(2, 15, 2))
    runs = runs_of(d, b=b)
    errors = causal.average_treatment_effect(runs, confidence=0.9).errors
    for (_, row), losses in zip(errors.iterrows(), (b + d, b), strict=True):
        low, high = stats.ttest_1samp(losses.mean(axis=1), 0).confidence_interval(0.9)
        np.testing.assert_allclose([row["estimate"], row["low"], row["high"]], [losses.mean(), low, high])
    assert errors["method"].tolist() == ["A", "B"] and errors["n_systems"].tolist() == [15, 15]
    clusters = np.repeat(list("abcde"), 3)
    clustered = causal.average_treatment_effect(runs_of(d[:, :1], b=b[:, :1], clusters=clusters), cluster="v").errors
    low, high = stats.ttest_1samp(b[:, 0].reshape(5, 3).mean(axis=1), 0).confidence_interval(0.95)
    np.testing.assert_allclose(clustered[["low", "high"]].iloc[1], [low, high])


def test_a_whole_population_has_nothing_left_to_infer():
    ideal = chapter.ideal_study(COMPARISON, known, range(3))
    effect = causal.average_treatment_effect(ideal)
    means = ideal.frame.groupby("method")["loss"].mean()
    assert ideal.whole_population and effect.estimate == pytest.approx(means["A"] - means["B"])
    assert np.isnan([effect.low, effect.high, effect.p]).all()
    assert effect.notes[0].startswith("All systems of the population ran: the sample is the population")
    assert effect.errors[["low", "high"]].isna().all(axis=None)
    assert not causal.run_paired(COMPARISON, known, 4).whole_population


def test_what_is_said_about_few_and_unequal_clusters():
    d = np.random.default_rng(28).normal(size=(40, 1))

    def notes(clusters):
        of = [str(c) for c in clusters]
        return causal.average_treatment_effect(runs_of(d, clusters=of), cluster="v").notes

    assert notes(np.arange(40) % 20) == ()
    assert notes(np.arange(40) % 19) == ()
    few = notes(np.arange(40) % 4)
    assert few[0].startswith("4 levels of v: the interval takes their effects for about normal") and len(few) == 1
    unequal = notes(np.maximum(np.arange(40) - 20, 0))[-1]
    _, df = by_matrices(d.ravel(), np.maximum(np.arange(40) - 20, 0))
    assert unequal == (
        "Levels of v are unequal, the largest has 52 % of the systems: the interval allows for it, with "
        f"{df:.1f} degrees of freedom instead of 19."
    )


def test_failed_systems_are_left_out_and_counted():
    d = np.array([0.1, 0.2, 0.6, 0.3, 0.8])[:, None]
    failing = with_failures(runs_of(d, b=np.full((5, 1), 0.5)), (1, "A"), (2, "A"), (2, "B"))
    effect = causal.average_treatment_effect(failing)
    assert (effect.n_systems, effect.n_used) == (5, 3)
    assert effect.estimate == pytest.approx(0.4)
    assert "3 of 10 runs failed, in 2 of 5 systems (2 with A, 1 with B). Such systems are left out" in str(effect)


@pytest.mark.parametrize("confidence", [0.6, 0.99])
def test_welch_s_interval_of_groups_of_different_size(confidence):
    b = np.random.default_rng(25).normal(size=(9, 1)) * np.array([3.0, 1] * 4 + [3])[:, None]
    runs = runs_of(np.zeros((9, 1)), "independent", b=b)
    effect = causal.average_treatment_effect(runs, confidence=confidence)
    x, y = b[::2, 0], b[1::2, 0]
    assert (len(x), len(y)) == (5, 4)
    interval = stats.ttest_ind(x, y, equal_var=False).confidence_interval(confidence)
    np.testing.assert_allclose([effect.low, effect.high], interval)
    test = stats.ttest_ind(x, y, equal_var=False)
    np.testing.assert_allclose([effect.estimate, effect.p, effect.df], [x.mean() - y.mean(), test.pvalue, test.df])
    assert effect.standard_error == pytest.approx(np.sqrt(x.var(ddof=1) / 5 + y.var(ddof=1) / 4))
    assert effect.confidence == confidence and f"({100 * confidence:g} % interval" in str(effect)


def test_one_spread_group_is_enough_for_an_interval():
    b = np.array([[0.7], [0.1], [0.7], [0.4], [0.7], [0.3]])
    effect = causal.average_treatment_effect(runs_of(np.zeros((6, 1)), "independent", b=b))
    test = stats.ttest_ind(b[::2, 0], b[1::2, 0], equal_var=False)
    assert effect.p == pytest.approx(test.pvalue) and effect.low < effect.estimate < effect.high
