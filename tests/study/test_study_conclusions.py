"""What a study concludes: the tests of significance, in its direction and with its missing evaluations."""

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from genexpy_nb import significance
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.pooling import pool_intervals
from genexpy_nb.generalization.kernels import MallowsKernel
from genexpy_nb.generalization.nstar import estimate_nstar
from genexpy_nb.plots.significance import critical_difference_diagram
from genexpy_nb.study.study import Study

MODELS = ("boosting", "constant", "forest", "tree")


def log_losses(n_datasets=20, rng=0):
    """Log-losses of four models; the constant predictor is the worst by far, and has the highest numbers."""
    rng = np.random.default_rng(rng)
    mean = pd.Series({"boosting": 0.40, "constant": 0.69, "forest": 0.45, "tree": 0.60})
    losses = rng.normal(mean, 0.05, size=(n_datasets, 4)).round(3)
    frame = pd.DataFrame(losses, columns=pd.Index(mean.index, name="model")).rename_axis(index="dataset")
    return frame.stack().rename("log-loss").reset_index()


def study_of(table, **roles):
    roles = {"alternatives": "model", "target": "log-loss", "generalize_over": "dataset"} | roles
    return Study(table, **roles)


LOSSES = log_losses()
WIDE = LOSSES.pivot(index="dataset", columns="model", values="log-loss")
LOWER = study_of(LOSSES, higher_is_better=False)


def test_the_best_of_log_losses_is_not_the_constant_predictor():
    best = LOWER.best()
    assert best.best == ("boosting",) and best.significant
    assert study_of(LOSSES, higher_is_better=True).best().best == ("constant",)  # which was what came out
    assert LOWER.friedman().mean_ranks.idxmin() == "boosting" and LOWER.friedman().mean_ranks.idxmax() == "constant"
    tiers = LOWER.tiers()
    assert tiers.index[0] == "boosting" and tiers.index[-1] == "constant" and tiers["tier"].iloc[-1] > 0
    ranks, p_values, level = LOWER.critical_difference()
    assert ranks.idxmin() == "boosting" and p_values.loc["boosting", "constant"] < 1e-4 and level == 0.05
    pairs = LOWER.pairs(n_resamples=200).set_index(["a", "b"])
    row = pairs.loc[("boosting", "constant")]
    assert row["estimate"] < 0 and row["probability_of_improvement"] == 1  # a lower loss is an improvement


def test_friedman_is_scipys_on_ranks_in_the_studys_direction():
    result = LOWER.friedman()
    chi2, p = stats.friedmanchisquare(*WIDE.to_numpy().T)
    assert result.chi2 == pytest.approx(chi2, rel=1e-12) and result.p == pytest.approx(p, rel=1e-9)
    assert result.note == "" and result.n_dropped == 0
    pd.testing.assert_series_equal(result.mean_ranks, WIDE.rank(axis=1).mean(), check_names=False)


def test_pairs_are_wilcoxons_of_scipy():
    pairs = LOWER.pairs(n_resamples=100, method="asymptotic")
    assert list(zip(pairs["a"], pairs["b"], strict=True)) == [(a, b) for a in MODELS for b in MODELS if a < b]
    for row in pairs.itertuples():
        gain = (WIDE[row.b] - WIDE[row.a]).round(12)
        expected = stats.wilcoxon(gain, zero_method="pratt", method="asymptotic").pvalue
        assert row.p == pytest.approx(expected, rel=1e-9)
        assert row.estimate == pytest.approx(-gain.mean())
        assert row.probability_of_improvement == (gain > 0).mean() + (gain == 0).mean() / 2


def test_options_of_pairs_are_handed_on():
    narrow, wide = (LOWER.pairs(n_resamples=300, rng=1, confidence=level) for level in (0.5, 0.99))
    assert (narrow["high"] - narrow["low"] < wide["high"] - wide["low"]).all()


@pytest.mark.parametrize("test", ["wilcoxon", "conover-iman"])
def test_the_diagram_and_the_tiers_say_the_same(test):
    """Outside the first tier is who is significantly worse than the best one in the diagram."""
    for seed in range(5):
        study = study_of(log_losses(8, seed), higher_is_better=False)
        ranks, p_values, _ = study.critical_difference(test=test)
        tiers = study.tiers(test=test)
        best = ranks.sort_values(kind="stable").index[0]
        worse = p_values.index[p_values.loc[best] <= 0.05]
        assert set(tiers.index[tiers["tier"] > 0]) == set(worse)


def test_alternatives_that_do_not_differ_by_friedman_are_one_tier_and_one_bar():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((6, 3)), columns=pd.Index(list("abc"), name="model")).rename_axis("dataset")
    study = study_of(frame.stack().rename("log-loss").reset_index(), higher_is_better=False)
    assert study.friedman().p > 0.05
    _, p_values, _ = study.critical_difference(test="conover-iman")
    assert (p_values.to_numpy() == 1).all() and "Friedman's test does not reject" in p_values.attrs["note"]
    assert (study.tiers(test="conover-iman")["tier"] == 0).all()


def test_the_diagram_can_be_drawn():
    figure = critical_difference_diagram(*LOWER.critical_difference())
    assert {text.get_text().split("  ")[-1] for text in figure.axes[0].texts} & set(MODELS)
    plt.close(figure)


def test_each_configuration_is_tested_alone():
    twice = pd.concat([LOSSES.assign(task="a"), log_losses(rng=7).assign(task="b")])
    study = study_of(twice, design="task", higher_is_better=False)
    assert study.friedman({"task": "a"}).chi2 == LOWER.friedman().chi2 != study.friedman({"task": "b"}).chi2
    assert study.best({"task": "a"}) == LOWER.best()
    pd.testing.assert_frame_equal(study.pairs({"task": "a"}, n_resamples=50), LOWER.pairs(n_resamples=50))
    pd.testing.assert_frame_equal(study.tiers({"task": "a"}), LOWER.tiers())


# --- missing evaluations ----------------------------------------------------------------------------------------------

HOLES = LOSSES.drop(index=[0, 17, 18, 40])  # boosting and forest fail in 3 of the 20 datasets
INCOMPLETE = study_of(HOLES, higher_is_better=False)


def test_tests_on_ranks_give_the_worst_rank_to_what_is_missing():
    filled = HOLES.pivot(index="dataset", columns="model", values="log-loss").fillna(99.0)
    result = INCOMPLETE.friedman()
    assert result.chi2 == pytest.approx(stats.friedmanchisquare(*filled.to_numpy().T)[0], rel=1e-12)
    assert result.n_conditions == 20 and result.note == "4 missing evaluations share the worst rank"
    complete = study_of(filled.stack().rename("log-loss").reset_index(), higher_is_better=False)
    assert replace(INCOMPLETE.best(), note="") == complete.best()
    assert INCOMPLETE.best().note == "4 missing evaluations share the worst rank"
    found, expected = (study.tiers(test="conover-iman") for study in (INCOMPLETE, complete))
    pd.testing.assert_frame_equal(found, expected)
    assert found.attrs["note"] == "4 missing evaluations share the worst rank" and expected.attrs["note"] == ""
    found, expected = (study.critical_difference(test="conover-iman") for study in (INCOMPLETE, complete))
    pd.testing.assert_frame_equal(found.p_values, expected.p_values)
    pd.testing.assert_series_equal(found.mean_ranks, expected.mean_ranks)


def test_tests_on_differences_leave_incomplete_conditions_out_and_say_so():
    gone = HOLES.pivot(index="dataset", columns="model", values="log-loss").dropna()
    assert len(gone) == 16 + (len(set(LOSSES.loc[[0, 17, 18, 40], "dataset"])) == 3)
    complete = study_of(gone.stack().rename("log-loss").reset_index(), higher_is_better=False)
    found, expected = (study.pairs(n_resamples=50) for study in (INCOMPLETE, complete))
    pd.testing.assert_frame_equal(found, expected)
    assert found.attrs["n_dropped"] == 20 - len(gone)
    assert any(f"Left out {20 - len(gone)} incomplete conditions" in note for note in found.attrs["notes"])
    found, expected = (study.tiers() for study in (INCOMPLETE, complete))
    pd.testing.assert_frame_equal(found, expected)
    said = f"{20 - len(gone)} conditions with a missing score were left out, {len(gone)} remain"
    assert found.attrs["note"] == said and expected.attrs["note"] == ""
    found, expected = (study.critical_difference() for study in (INCOMPLETE, complete))
    pd.testing.assert_frame_equal(found.p_values, expected.p_values)
    pd.testing.assert_series_equal(found.mean_ranks, expected.mean_ranks)
    assert found.p_values.attrs["note"] == said


def test_imputed_scores_are_the_worst_of_their_condition_and_the_results_say_so():
    wide = HOLES.pivot(index="dataset", columns="model", values="log-loss")
    filled = wide.apply(lambda row: row.fillna(row.max()), axis=1)
    complete = study_of(filled.stack().rename("log-loss").reset_index(), higher_is_better=False)
    found, expected = INCOMPLETE.pairs(impute=True, n_resamples=50), complete.pairs(n_resamples=50)
    pd.testing.assert_frame_equal(found, expected)
    said = "4 missing scores were taken for the worst observed one of their condition"
    assert found.attrs["notes"] == [*expected.attrs["notes"], said]
    found = INCOMPLETE.tiers(impute=True)
    pd.testing.assert_frame_equal(found, complete.tiers())
    assert found.attrs["note"] == said == INCOMPLETE.critical_difference(impute=True).p_values.attrs["note"]


@pytest.mark.filterwarnings("ignore:24 % of the evaluations are missing")
def test_where_hardly_any_condition_is_complete():
    few = LOSSES.drop(index=[4 * i + i % 4 for i in range(19)])
    study = study_of(few, missing="worst-rank", higher_is_better=False)
    for analysis in (study.pairs, study.tiers, study.critical_difference):
        with pytest.raises(StudyError, match="1 of 20 conditions have a score of every alternative"):
            analysis()
        assert analysis(impute=True) is not None
    assert study.friedman().n_conditions == 20 and study.best().best


def test_the_filter_of_drop_comes_first():
    sparse = LOSSES.drop(index=[0, 1, 2])  # one model of four is left in the first dataset
    study = study_of(sparse, missing="drop", higher_is_better=False)
    assert study.friedman().n_conditions == 19 and study.pairs(n_resamples=50)["n_conditions"].eq(19).all()


@pytest.mark.parametrize("method", ["friedman", "best", "pairs", "tiers", "critical_difference"])
def test_a_single_condition_or_alternative_is_an_error(method):
    single = LOSSES[(LOSSES["dataset"] > 0) | (LOSSES["model"] == "tree")].assign(task="b")
    both = pd.concat([single, LOSSES[LOSSES["dataset"] == 0].assign(task="a")])
    both = pd.concat([both, LOSSES[LOSSES["model"] == "tree"].assign(task="c")])
    study = study_of(both, design="task", higher_is_better=False)
    with pytest.raises(StudyError, match="at least two conditions are needed"):
        getattr(study, method)({"task": "a"})
    with pytest.raises(StudyError, match="at least two alternatives are needed"):
        getattr(study, method)({"task": "c"})


# --- confidence -------------------------------------------------------------------------------------------------------

MATRIX = pd.DataFrame(np.random.default_rng(3).normal([0.3, 0.2, 0.0], 0.3, (12, 3)), columns=list("abc"))


def test_intervals_of_mean_scores_have_the_confidence_asked_for_whatever_the_level():
    study = Study.from_wide(MATRIX)
    found = study.ranks(level=0.05, confidence=0.8).loc[list("abc")]
    expected = significance.mean_intervals(MATRIX, confidence=0.8)
    np.testing.assert_allclose(found["score_low"], expected["low"])
    np.testing.assert_allclose(found["score_high"], expected["high"])
    by_level = study.ranks(level=0.2).loc[list("abc")]
    np.testing.assert_allclose(found["score_low"], by_level["score_low"])
    tested = study.ranks(level=0.05).loc[list("abc")]
    assert found["low"].equals(tested["low"]) and found["high"].equals(tested["high"])


@pytest.mark.filterwarnings("ignore::genexpy_nb.StudyWarning")
def test_completions_are_pooled_at_the_confidence_asked_for():
    holes = MATRIX.mask(np.random.default_rng(4).random(MATRIX.shape) < 0.1)
    study = Study.from_wide(holes, missing="complete")
    options = {"by": "score", "confidence": 0.7}
    found = study.agreement("winner", 12, n_completions=3, **options).iloc[0]
    each = [Study.from_wide(table).agreement("winner", 12, **options).iloc[0] for table in study.completions()[:3]]
    ends = (np.array([row[name] for row in each]) for name in ("estimate", "low", "high"))
    estimate, low, high = map(float, pool_intervals(*ends, 0.7))
    assert tuple(found[["estimate", "low", "high"]]) == pytest.approx((estimate, max(low, 0), min(high, 1)))


CLUSTERS = Study.from_wide(MATRIX.assign(domain=np.repeat(list("wxyz"), 3)), cluster="domain")
CELLS = pd.concat({model: MATRIX + 0.1 * i for i, model in enumerate("uvw")}, names=["model", "dataset"])
ASKED = {
    "nstar": (lambda level: Study.from_wide(MATRIX).nstar(MallowsKernel(), confidence=level), ""),
    "sensitivity": (lambda level: Study.from_wide(MATRIX).sensitivity(kernels=MallowsKernel(), confidence=level), ""),
    "correlation": (lambda level: CLUSTERS.design_effect(MallowsKernel(), confidence=level), "icc_"),
    "conditions": (lambda level: CLUSTERS.design_effect(MallowsKernel(), confidence=level), "nstar_conditions_"),
    "components": (lambda level: of_cells().components(MallowsKernel(), FACTORS, confidence=level).table, ""),
}
FACTORS = ["dataset", "model"]


def of_cells():
    return Study.from_wide(np.sin(9 * CELLS))


@pytest.mark.parametrize(("ask", "of"), ASKED.values(), ids=ASKED)
def test_every_interval_has_the_confidence_asked_for(ask, of):
    narrow, usual = (ask(level)[[f"{of}low", f"{of}high"]].to_numpy() for level in (0.9, 0.95))
    known = np.isfinite(usual).all(axis=1)
    assert (narrow[known, 0] >= usual[known, 0]).all() and (narrow[known, 1] <= usual[known, 1]).all()
    assert (np.diff(narrow[known]) < np.diff(usual[known])).any()
    for wrong in (95, 0, 1, "much"):
        with pytest.raises(ParameterError, match="confidence"):
            ask(wrong)


def test_n_star_has_the_interval_of_its_estimator_and_other_methods_have_no_choice():
    study, kernel = Study.from_wide(MATRIX), MallowsKernel()
    row = study.nstar(kernel, confidence=0.8).iloc[0]
    expected = estimate_nstar(study.gram(None, kernel), 0.95, float(row["epsilon"]), confidence=0.8)
    assert (row["low"], row["high"]) == pytest.approx((expected.low, expected.high))
    with pytest.raises(ParameterError, match="no interval whose confidence can be chosen"):
        study.nstar(kernel, method="resampling", confidence=0.9)
