"""What a study concludes: the tests of significance, in its direction and with its missing evaluations."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.conclusions.regret import regret_of_table
from genexpy_nb.generalization.kernels import MallowsKernel
from genexpy_nb.significance.intervals import mean_intervals
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
    row = LOWER.pairs().set_index(["a", "b"]).loc[("boosting", "constant")]
    assert row["mean_difference"] < 0 < row["estimate"] and row["probability_of_improvement"] == 1  # lower is better
    assert row["p_adjusted"] <= 0.001
    assert row["better"] == "boosting" and best.contenders == ("boosting",) and best.p <= 0.05


@pytest.mark.parametrize("by", ["rank", "score"])
def test_the_pairs_and_the_tiers_say_the_same(by):
    """Outside the first tier is who is significantly worse than the best one."""
    for seed in range(5):
        study = study_of(log_losses(8, seed), higher_is_better=False)
        tiers, best = study.tiers(by=by), study.ranking(by=by).index[0]
        p_values = {best: 1.0}
        for row in study.pairs(by=by).itertuples():
            p_values |= {other: row.p_adjusted for one, other in ((row.a, row.b), (row.b, row.a)) if one == best}
        worse = {name for name, p in p_values.items() if p <= 0.05}
        assert tiers.index[0] == best and set(tiers.index[tiers["tier"] > 0]) == worse
        assert tiers["p_adjusted"].to_dict() == p_values


def test_a_place_that_was_asked_for_beforehand_is_narrower():
    """Compared with the others only, and not all pairs; the same test of who may be the best."""
    study = Study.from_wide(MATRIX.assign(d=MATRIX["a"] - 0.2, e=MATRIX["b"] - 0.1))
    everybody = study.contenders()
    for name in everybody.index:
        alone, usual = study.contenders(alternative=name), everybody.loc[name]
        assert alone["place_low"].notna().tolist() == [other == name for other in alone.index]
        assert usual["place_low"] <= alone.loc[name, "place_low"] <= alone.loc[name, "place_high"]
        assert alone.loc[name, "place_high"] <= usual["place_high"]
        assert alone["may_be_best"].equals(everybody["may_be_best"])


@pytest.mark.parametrize("rank_incomplete", [False, True])
def test_the_regret_of_a_study_is_that_of_its_table(rank_incomplete):
    table = MATRIX.assign(d=MATRIX["a"].where(MATRIX.index < 5) + 3)
    study = Study.from_wide(table)
    used = table if rank_incomplete else table.drop(columns="d")
    for by in ("rank", "score"):
        n = len(study.best(by=by, rank_incomplete=rank_incomplete).contenders)
        found = study.regret(by=by, rank_incomplete=rank_incomplete)
        pd.testing.assert_frame_equal(found, regret_of_table(used, by=by, n_contenders=n))


# --- missing evaluations ----------------------------------------------------------------------------------------------

HOLES = LOSSES.drop(index=[0, 17, 18, 40])  # boosting and forest fail in 3 of the 20 datasets
INCOMPLETE = study_of(HOLES, higher_is_better=False)


def test_what_is_missing_carries_no_significance():
    """Pairs are compared over what both have; Friedman's test over the complete conditions; all notes say so."""
    wide = HOLES.pivot(index="dataset", columns="model", values="log-loss")
    assert INCOMPLETE.friedman().chi2 == pytest.approx(stats.friedmanchisquare(*wide.dropna().to_numpy().T)[0])
    said = "two alternatives are compared over the experiments that both have, 6 at least"
    pairs = INCOMPLETE.pairs(by="score")
    for row in pairs.itertuples():
        d = (wide[row.b] - wide[row.a]).dropna()  # a lower loss is better
        assert (row.n_common, row.estimate) == (len(d), pytest.approx(d.mean()))
    notes = [pairs.attrs["note"], INCOMPLETE.best().note, INCOMPLETE.tiers().attrs["note"]]
    assert notes == [said] * 3
    assert LOWER.best().note == LOWER.pairs().attrs["note"] == ""


@pytest.mark.filterwarnings("ignore::genexpy_nb.common.errors.StudyWarning")
def test_who_has_fewer_than_half_of_the_experiments_is_listed_and_not_ranked():
    few = LOSSES[(LOSSES["model"] != "forest") | (LOSSES["dataset"] < 9)]
    study, without = (study_of(t, higher_is_better=False) for t in (few, LOSSES[LOSSES["model"] != "forest"]))
    assert study.ranking().attrs["not_ranked"] == {"forest": 9}
    assert "1 alternative has fewer than half of the experiments" in study.best().note
    for of in ("ranking", "contenders", "pairs", "tiers", "regret"):
        pd.testing.assert_frame_equal(getattr(study, of)(), getattr(without, of)())
        options = {"rank_incomplete": True}
        assert len(getattr(study, of)(**options)) > len(getattr(study, of)()) or of == "regret"
    assert study.friedman().n_conditions == 9 and study.friedman().n_dropped == 11


def test_the_filter_of_drop_comes_first():
    sparse = LOSSES.drop(index=[0, 1, 2])  # one model of four is left in the first dataset
    study = study_of(sparse, missing="drop", higher_is_better=False)
    assert study.friedman().n_conditions == 19 and study.pairs()["n_common"].eq(19).all()


@pytest.mark.parametrize("method", ["friedman", "best", "pairs", "tiers", "contenders"])
def test_a_single_condition_or_alternative_is_an_error(method):
    single = LOSSES[(LOSSES["dataset"] > 0) | (LOSSES["model"] == "tree")].assign(task="b")
    both = pd.concat([single, LOSSES[LOSSES["dataset"] == 0].assign(task="a")])
    both = pd.concat([both, LOSSES[LOSSES["model"] == "tree"].assign(task="c")])
    study = study_of(both, design="task", higher_is_better=False)
    with pytest.raises(StudyError, match=r"at least (two conditions|4 experiments) are needed"):
        getattr(study, method)({"task": "a"})
    with pytest.raises(StudyError, match="at least two alternatives are needed"):
        getattr(study, method)({"task": "c"})


# --- confidence -------------------------------------------------------------------------------------------------------

MATRIX = pd.DataFrame(np.random.default_rng(3).normal([0.3, 0.2, 0.0], 0.3, (12, 3)), columns=list("abc"))


def test_intervals_of_mean_scores_have_the_confidence_asked_for_whatever_the_level():
    study = Study.from_wide(MATRIX)
    found = study.ranking(level=0.05, confidence=0.8).loc[list("abc")]
    expected = mean_intervals(MATRIX, confidence=0.8, n_resamples=500)  # as few_draws has it
    np.testing.assert_allclose(found["score_low"], expected["low"])
    np.testing.assert_allclose(found["score_high"], expected["high"])
    by_level = study.ranking(level=0.2).loc[list("abc")]
    np.testing.assert_allclose(found["score_low"], by_level["score_low"])
    tested = study.ranking(level=0.05).loc[list("abc")]
    assert found["low"].equals(tested["low"]) and found["high"].equals(tested["high"])


CLUSTERS = Study.from_wide(MATRIX.assign(domain=np.repeat(list("wxyz"), 3)), cluster="domain")
CELLS = pd.concat({model: MATRIX + 0.1 * i for i, model in enumerate("uvw")}, names=["model", "dataset"])
ASKED = {
    "nstar": (lambda level: Study.from_wide(MATRIX).nstar(MallowsKernel(), confidence=level), ""),
    "conditions": (lambda level: CLUSTERS.design_effect(MallowsKernel(), confidence=level), "nstar_conditions_"),
    "components": (lambda level: of_cells().components(MallowsKernel(), FACTORS, confidence=level).table, ""),
}
FACTORS = ["dataset", "model"]


def of_cells():
    return Study.from_wide(np.sin(9 * CELLS))


@pytest.mark.parametrize(("ask", "of"), ASKED.values(), ids=ASKED)
def test_every_interval_has_the_confidence_asked_for(ask, of):
    """Those that answers give, too, have theirs in test_sentences."""
    narrow, usual = (ask(level)[[f"{of}low", f"{of}high"]].to_numpy() for level in (0.9, 0.95))
    known = np.isfinite(usual).all(axis=1)
    assert (narrow[known, 0] >= usual[known, 0]).all() and (narrow[known, 1] <= usual[known, 1]).all()
    assert (np.diff(narrow[known]) < np.diff(usual[known])).any()
    for wrong in (95, 0, 1, "much"):
        with pytest.raises(ParameterError, match="confidence"):
            ask(wrong)
