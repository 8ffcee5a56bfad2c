"""Study: what each role does to a table, what the notes say about it, and what it refuses."""

import math
import re

import numpy as np
import pandas as pd
import pytest

from genexpy_nb.common.errors import ParameterError, StudyError, StudyWarning
from genexpy_nb.generalization.kernels import BordaKernel, JaccardKernel, MallowsKernel, RBFKernel
from genexpy_nb.generalization.nstar import METHODS, estimate_nstar
from genexpy_nb.study.study import Study
from tests.said_of_studies import ROLES_OF_ENCODERS as ROLES
from tests.said_of_studies import encoder_study, published_bigbench, scores_of_encoders

KERNELS = [BordaKernel("TE"), JaccardKernel(), MallowsKernel(), RBFKernel()]


def table(n_datasets=12, seeds=(0,)):
    return scores_of_encoders(n_datasets, seeds)


def make(frame, **roles):
    return Study(frame, **{**ROLES, **roles})


RESULTS = table().drop(columns="seed")


# --- roles ------------------------------------------------------------------------------------------------------------


def test_each_configuration_has_its_scores_and_rankings():
    study = make(RESULTS)
    assert study.configurations == [{"model": "DTC"}, {"model": "LR"}]
    for configuration in study.configurations:
        part = RESULTS[RESULTS["model"] == configuration["model"]]
        expected = part.pivot(index="dataset", columns="encoder", values="score")
        pd.testing.assert_frame_equal(study.scores(configuration), expected)
        rankings = study.rankings(configuration)
        np.testing.assert_array_equal(rankings, expected.rank(axis=1, ascending=False, method="dense") - 1)
        assert list(rankings.columns) == ["BE", "OHE", "TE", "WOE"] and list(rankings.index) == list(expected.index)
    assert study.notes == []


def test_averaging_over_seeds_equals_a_groupby_mean():
    results = table(seeds=(7, 13, 21))
    study = make(results, average_over="seed")
    expected = results.groupby(["model", "dataset", "encoder"])["score"].mean().unstack()
    for configuration in study.configurations:
        pd.testing.assert_frame_equal(study.scores(configuration), expected.loc[configuration["model"]])
    assert study.notes == ["Averaged over seed: 3 rows per evaluation."]


def test_averaging_over_two_factors_with_some_rows_missing():
    results = table(seeds=(1, 2)).assign(fold=0)
    results = pd.concat([results, results.assign(fold=1, score=results["score"] + 1)], ignore_index=True)
    results.loc[[0, 1], "score"] = np.nan  # two seeds of one fold of one evaluation
    study = make(results, average_over=["seed", "fold"], missing="error")
    assert study.notes == [
        "Averaged over seed, fold: 2 to 4 rows per evaluation.",
        "1 of 96 evaluations (1.0 %) lack some of the levels of seed, fold that their condition has, and are averages "
        "over the others; Study.averaged lists them.",
    ]
    first = results[(results["encoder"] == "BE") & (results["model"] == "DTC") & (results["dataset"] == "d00")]
    assert study.scores({"model": "DTC"}).loc["d00", "BE"] == pytest.approx(first["score"].mean())


def test_evaluations_without_any_score_are_not_counted_as_averaged():
    results = table(seeds=(1, 2, 3))
    results.loc[results.index[:3], "score"] = np.nan  # all seeds of one evaluation
    study = make(results, average_over="seed")
    assert study.notes[0] == "Averaged over seed: 3 rows per evaluation."
    assert study.accounting["n_imputed"].sum() == 1


def test_fixed_levels():
    study = make(RESULTS, design=[], fixed={"model": "LR"})
    assert study.configurations == [{}]
    pd.testing.assert_frame_equal(study.scores(), make(RESULTS).scores({"model": "LR"}))
    pd.testing.assert_frame_equal(study.rankings({}), study.rankings())
    assert study.notes == ["Kept the 48 of 96 rows with model = LR."]


def test_experiments_are_combinations_of_generalizability_levels():
    results = RESULTS.assign(metric="AUC")
    results = pd.concat([results, results.assign(metric="F1", score=-results["score"])])
    study = make(results, generalize_over=["dataset", "metric"])
    scores = study.scores({"model": "LR"})
    assert scores.shape == (24, 4) and scores.index.names == ["dataset", "metric"]
    np.testing.assert_array_equal(scores.xs("AUC", level="metric"), -scores.xs("F1", level="metric"))


# --- missing evaluations ----------------------------------------------------------------------------------------------


def one_condition(scores):
    """A study of two datasets; the first has the given scores (None: no such row), the second has them all."""
    rows = [{"encoder": e, "dataset": "a", "score": s} for e, s in scores.items() if s is not None]
    rows += [{"encoder": e, "dataset": "b", "score": i} for i, e in enumerate(scores)]
    return pd.DataFrame(rows)


@pytest.mark.filterwarnings("ignore:25 % of the evaluations are missing")
@pytest.mark.parametrize("absent", [None, math.nan])
@pytest.mark.parametrize("higher", [True, False])
def test_worst_rank_is_below_every_observed_score(absent, higher):
    sign = 1 if higher else -1
    results = one_condition({"A": -5.0 * sign, "B": absent, "C": -0.1 * sign, "D": absent})
    study = Study(results, alternatives="encoder", target="score", generalize_over="dataset", higher_is_better=higher)
    assert study.rankings().loc["a"].to_dict() == {"A": 1, "B": 2, "C": 0, "D": 2}
    assert study.scores().loc["a"].isna().to_dict() == {"A": False, "B": True, "C": False, "D": True}
    imputed = study.scores(impute=True).loc["a"]
    assert imputed["B"] == imputed["D"] == imputed["A"] == -5.0 * sign and imputed["C"] == -0.1 * sign
    (note,) = study.notes
    assert note.startswith("Missing: 2 of 8 evaluations (25.0 %)")
    counts = {"n_experiments": 2, "n_alternatives": 4, "n_evaluations": 6, "n_imputed": 2}
    assert study.accounting.to_dict("records") == [counts]


def test_scores_are_a_copy():
    study = make(RESULTS)
    for given in (study.scores({"model": "LR"}), study.rankings({"model": "LR"})):
        given.iloc[0, 0] = 99
    assert study.scores({"model": "LR"}).iloc[0, 0] != 99 and study.rankings({"model": "LR"}).iloc[0, 0] != 99


def test_the_table_given_is_left_alone():
    results = RESULTS.assign(score=RESULTS["score"].astype(str)).sample(frac=1, random_state=0)
    before = results.copy()
    make(results, missing="drop").nstar(KERNELS)
    pd.testing.assert_frame_equal(results, before)


def test_drop_is_the_80_80_filter():
    """Ten alternatives, ten datasets. Conditions go first; the alternatives' shares are of those that are left."""
    present = pd.DataFrame(True, index=range(10), columns=list("ABCDEFGHIJ"))
    present.loc[0, ["A", "B", "C"]] = False  # 30 % missing: goes
    present.loc[1, ["A", "B"]] = False  # exactly 20 %: stays
    present.loc[2, "A"] = False  # A: 2 of the 9 that stay, 22 %, goes, though condition 0 does not count any more
    present.loc[3, "B"] = False  # B: 2 of 9, too
    present.loc[4, "C"] = False  # C: 1 of the 9, since condition 0 is gone: stays
    values = np.random.default_rng(0).normal(size=present.shape)
    scores = pd.DataFrame(values, index=present.index, columns=present.columns).where(present)
    study = Study.from_wide(scores.rename_axis("dataset"), missing="drop")
    expected = scores.drop(index=0).drop(columns=["A", "B"])
    np.testing.assert_array_equal(study.scores(), expected)
    assert list(study.scores().index) == list(range(1, 10)) and list(study.scores().columns) == list("CDEFGHIJ")
    assert study.rankings().loc[4, "C"] == study.rankings().loc[4].max() == 7  # what is left gets the worst rank
    _, dropped, imputed = study.notes  # the first one names the columns
    assert dropped == (
        "Dropped 1 of 10 conditions in which more than 20 % of the alternatives are missing, then 2 of 10 alternatives "
        "missing in more than 20 % of the rest (A, B)."
    )
    assert imputed.startswith("Missing: 1 of 72 evaluations (1.4 %)")


def test_drop_keeps_alternatives_that_are_missing_in_just_a_fifth():
    """Of ten alternatives one may be missing in a condition; A is in 2 of 10 conditions, B in 3."""
    present = pd.DataFrame(True, index=range(10), columns=list("ABCDEFGHIJ"))
    present.loc[[0, 1], "A"] = False
    present.loc[[2, 3, 4], "B"] = False
    scores = pd.DataFrame(np.random.default_rng(0).normal(size=present.shape), columns=present.columns).where(present)
    study = Study.from_wide(scores.rename_axis("dataset"), missing="drop")
    assert study.alternatives == list("ACDEFGHIJ") and len(study.scores()) == 10


def test_drop_that_leaves_a_single_alternative():
    """Every condition lacks one alternative of five, which is just allowed, and never A: the others lack a quarter."""
    scores = pd.DataFrame(1.0, index=range(8), columns=list("ABCDE"))
    for i in range(8):
        scores.loc[i, "BCDE"[i % 4]] = np.nan
    with pytest.raises(StudyError, match="leaves nothing to compare"):
        Study.from_wide(scores.rename_axis("dataset"), missing="drop")


def test_error_policy():
    assert make(RESULTS, missing="error").notes == []
    hole = RESULTS.drop(index=RESULTS.query("encoder == 'TE' and model == 'LR' and dataset == 'd03'").index)
    said = r"1 evaluations are missing, the first for model='LR', dataset='d03', encoder='TE'"
    with pytest.raises(StudyError, match=said):
        make(hole, missing="error")


@pytest.mark.parametrize("column", ["dataset", "encoder", "model"])
def test_error_policy_sees_a_level_without_any_score(column):
    """All scores of a dataset (alternative, configuration) failed: its rows are there, their scores are not."""
    failed = RESULTS[column] == RESULTS[column].iloc[0]
    with pytest.raises(StudyError, match="evaluations are missing"):
        make(RESULTS.assign(score=RESULTS["score"].mask(failed)), missing="error")


@pytest.mark.parametrize(("column", "level"), [("dataset", "d00"), ("encoder", "BE")])
def test_notes_tell_of_a_level_without_any_score(column, level):
    """Left out because there is nothing to rank, but not in silence."""
    study = make(RESULTS.assign(score=RESULTS["score"].mask(RESULTS[column] == level)))
    n_missing = int((RESULTS[column] == level).sum())
    assert any(str(n_missing) in note or level in note for note in study.notes), study.notes


def test_an_alternative_absent_from_one_configuration_is_left_out_there():
    results = RESULTS[(RESULTS["encoder"] != "TE") | (RESULTS["model"] != "LR")]
    study = make(results)
    assert list(study.rankings({"model": "LR"}).columns) == ["BE", "OHE", "WOE"]
    assert list(study.rankings({"model": "DTC"}).columns) == ["BE", "OHE", "TE", "WOE"]
    absent = "In 1 of 2 configurations, some of the 4 alternatives have no results at all. "
    assert study.notes == [absent + "An alternative is left out of each configuration in which it has no results."]
    nstar = study.nstar(BordaKernel("TE"))
    assert nstar["nstar"].notna().tolist() == [True, False]
    assert nstar["note"].tolist() == ["", "TE does not occur in this configuration"]


def test_how_it_looks():
    study = make(table(seeds=(1, 2)), average_over="seed")
    text = repr(study)
    assert "4 alternatives (encoder)" in text and "higher is better" in text and "12 experiments (dataset)" in text
    assert "Averaged over seed: 2 rows per evaluation." in text
    html = make(RESULTS.replace("LR", "<LR>"), design=[], fixed={"model": "<LR>"})._repr_html_()
    assert "model = &lt;LR&gt;" in html and "<LR>" not in html


# --- what must not matter ---------------------------------------------------------------------------------------------


MIXED = {"BE": 1, "OHE": "one-hot", "TE": 2.5, "WOE": "2"}


@pytest.mark.parametrize(
    ("column", "names"),
    [
        ("encoder", {"BE": 1, "OHE": 2, "TE": 3, "WOE": 10}),
        ("encoder", MIXED),
        ("dataset", {f"d{i:02}": i if i % 2 else str(i) for i in range(12)}),
        ("model", {"DTC": 0, "LR": 1}),
        ("model", {"DTC": 0, "LR": "LR"}),
    ],
)
def test_labels_of_any_type(column, names):
    results = RESULTS.assign(**{column: RESULTS[column].map(names)})
    borda = BordaKernel(results["encoder"][RESULTS["encoder"] == "TE"].iloc[0])
    study = make(results)
    for old, new in zip(make(RESULTS).configurations, study.configurations, strict=True):
        model = names[old["model"]] if column == "model" else old["model"]
        assert new == {"model": model}
        expected = make(RESULTS).rankings(old)
        if column == "encoder":
            expected = expected.rename(columns=names)
        elif column == "dataset":
            expected = expected.rename(index=names)
        found = study.rankings(new)
        assert set(found.columns) == set(expected.columns) and set(found.index) == set(expected.index)
        np.testing.assert_array_equal(found.loc[expected.index, expected.columns], expected)
    kernels, others = [borda, *KERNELS[1:]], ["kernel", *ROLES["design"]]
    found, expected = study.nstar(kernels).drop(columns=others), make(RESULTS).nstar(KERNELS).drop(columns=others)
    pd.testing.assert_frame_equal(found, expected, rtol=1e-6)


# --- n* of a study ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_nstar_is_estimate_nstar_of_each_cell(method):
    study, alphas, deltas = make(table(n_datasets=8)), [0.8, 0.95], [0.05, 0.3]
    frame = study.nstar(KERNELS, alphas, deltas, method, n_resamples=50, rng=3)
    columns = "model kernel alpha delta epsilon n_experiments nstar low high method note"
    assert " ".join(frame) == columns
    assert len(frame) == 2 * 4 * 2 * 2 and (frame["method"] == method).all() and (frame["note"] == "").all()
    kernels = {kernel.name: kernel for kernel in KERNELS}
    for row in frame.itertuples():
        kernel, configuration = kernels[row.kernel], {"model": row.model}
        results = study.rankings(configuration) if kernel.on == "rankings" else study.scores(configuration)
        assert row.epsilon == kernel.epsilon(row.delta, 4)
        alone = estimate_nstar(kernel.gram(results), row.alpha, row.epsilon, method, n_resamples=50, rng=3)
        np.testing.assert_allclose([row.nstar, row.low, row.high], [alone.estimate, alone.low, alone.high], rtol=1e-8)
        assert row.n_experiments == alone.n_experiments == 8
    index = frame.set_index(["model", "kernel", "alpha", "delta"]).index
    assert index.is_unique


def test_configurations_with_too_few_experiments_get_a_note():
    results = RESULTS[(RESULTS["model"] == "DTC") | (RESULTS["dataset"] < "d05")]
    study = make(results)
    assert study.accounting["n_experiments"].tolist() == [12, 5]
    for method, needed in (("moments", 4), ("resampling", 6)):
        frame = study.nstar(KERNELS, delta=[0.05, 0.1], method=method, n_resamples=50).set_index("model")
        assert frame.loc["DTC", "nstar"].notna().all() and (frame.loc["DTC", "note"] == "").all()
        if needed == 4:
            assert frame.loc["LR", "nstar"].notna().all()
        else:
            assert frame.loc["LR", ["nstar", "low", "high"]].isna().all(axis=None)
            assert (frame.loc["LR", "note"] == "5 experiments; at least 6 are needed").all()
        pd.testing.assert_frame_equal(
            frame.loc[["DTC"]].reset_index(),
            make(results[results["model"] == "DTC"]).nstar(KERNELS, delta=[0.05, 0.1], method=method, n_resamples=50),
        )


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_no_configuration_of_which_anything_can_be_said(n_jobs):
    """TE occurs in a configuration with too few experiments only."""
    dtc, lr = RESULTS["model"] == "DTC", RESULTS["model"] == "LR"
    results = RESULTS[(dtc & (RESULTS["dataset"] < "d03")) | (lr & (RESULTS["encoder"] != "TE"))]
    frame = make(results).nstar(BordaKernel("TE"), alpha=[0.8, 0.9], n_jobs=n_jobs)
    assert len(frame) == 4 and frame[["nstar", "low", "high"]].isna().all(axis=None)
    few, absent = "3 experiments; at least 4 are needed", "TE does not occur in this configuration"
    assert frame["note"].tolist() == [few, few, absent, absent]


def test_a_configuration_with_a_single_alternative_gets_a_note():
    study = make(RESULTS[(RESULTS["model"] == "DTC") | (RESULTS["encoder"] == "OHE")])
    frame = study.nstar([JaccardKernel(), MallowsKernel()]).set_index("model")
    assert frame.loc["DTC", "nstar"].notna().all()
    assert frame.loc["LR", "nstar"].isna().all() and (frame.loc["LR", "note"] == "a single alternative").all()


# --- the published tables ---------------------------------------------------------------------------------------------


@pytest.mark.published
def test_published_encoders(published_data):
    with pytest.warns(StudyWarning, match="in 2 of 48 configurations more than 20 % of the evaluations are missing"):
        study = encoder_study("original")
    n_results = len(study.table())
    accounting = study.accounting
    assert len(study.configurations) == len(accounting) == 48
    assert (accounting["n_experiments"] == 50).sum() == 23
    assert (accounting["n_alternatives"] == 32).all()
    assert accounting["n_evaluations"].sum() == n_results == 61_812
    cells = (accounting["n_experiments"] * 32).sum()
    assert accounting["n_imputed"].sum() == cells - n_results
    assert f"Missing: {cells - n_results:,} of {cells:,} evaluations" in study.notes[0]


@pytest.mark.published
def test_published_bigbench(published_data):
    study = published_bigbench()
    experiments = study.accounting["n_experiments"]
    assert experiments.sum() == 2269
    models = {name for configuration in study.configurations for name in study.scores(configuration).columns}
    assert len(models) == 45
    assert (experiments > 10).sum() == 24 and (experiments >= 50).sum() == 9
    assert study.notes[0].startswith("Dropped 3,179 of 5,448 conditions")
    assert "then 10 of 55 alternatives" in study.notes[0]


# --- bad input --------------------------------------------------------------------------------------------------------


def without(column):
    return RESULTS.drop(columns=column)


def with_value(column, row, value):
    changed = RESULTS.astype({column: object})
    changed.loc[row, column] = value
    return changed


@pytest.mark.parametrize(
    ("frame", "roles", "words"),
    [
        (without("dataset"), {}, r"generalize_over: there is no column 'dataset' \(there are encoder, model, score\)"),
        (RESULTS, {"fixed": {"mode": "LR"}}, "fixed: there is no column 'mode'; did you mean 'model'"),
        (RESULTS, {"fixed": {"model": "LR"}}, "'model' is used both as design and as fixed"),
        (RESULTS, {"design": ["model", "model"]}, "'model' is used twice in design"),
        (RESULTS, {"generalize_over": []}, "generalize_over must name at least one column"),
        (
            pd.concat([RESULTS, RESULTS.iloc[[3]]]),
            {},
            "2 rows for the same evaluation: model=DTC, dataset=d03, encoder=BE",
        ),
        (without("model"), {"design": []}, "2 rows for the same evaluation: dataset=d00, encoder=BE; .* average_over"),
        (table(seeds=(1, 1)), {"average_over": "seed"}, "2 rows for the same evaluation: .*seed=1"),
        (RESULTS[RESULTS["encoder"] == "OHE"], {}, "'encoder' has a single alternative, 'OHE'"),
        (RESULTS.assign(score=math.nan), {}, "column 'score' has no score: every value is missing"),
        (
            RESULTS,
            {"design": [], "fixed": {"model": "LRR"}},
            "'model' has no level 'LRR'; did you mean 'LR'.* 'DTC', 'LR'",
        ),
        (
            RESULTS.assign(tuning=np.where(RESULTS["model"] == "LR", "full", "no")),
            {"design": [], "fixed": {"model": "LR", "tuning": "no"}},
            "fixed: no row has model = LR and tuning = no",
        ),
    ],
)
def test_bad_tables(frame, roles, words):
    with pytest.raises(StudyError, match=words):
        make(frame, **roles)


def test_rows_are_named_as_in_the_table_given_also_after_fixing_a_level():
    """Row 60 belongs to the second model; what is left out before must not shift the number."""
    row = int(np.flatnonzero(RESULTS["model"] == "LR")[5])
    for broken, words in (
        (with_value("score", row, "n/a"), f"row {row} holds 'n/a'"),
        (with_value("score", row, math.inf), f"row {row} holds inf"),
        (with_value("dataset", row, None), f"the first in row {row};"),
    ):
        with pytest.raises(StudyError, match=words):
            make(broken, design=[], fixed={"model": "LR"})


def test_a_fixed_level_of_another_type_is_not_suggested_as_itself():
    with pytest.raises(StudyError) as error:
        make(RESULTS.assign(shots=2), fixed={"shots": "2"})
    assert "no level '2'" in str(error.value) and "did you mean '2'" not in str(error.value)


def test_combination_of_levels_without_results():
    results = RESULTS.assign(tuning=np.where(RESULTS["model"] == "LR", "full", "no"))
    study = make(results, design=["model", "tuning"])
    with pytest.raises(ParameterError, match="there are no results for model=LR, tuning=no"):
        study.rankings({"model": "LR", "tuning": "no"})


@pytest.mark.parametrize(
    ("method", "n_datasets", "needed"), [("moments", 3, 4), ("resampling", 5, 6), ("definition", 3, 4)]
)
def test_too_few_experiments_everywhere(method, n_datasets, needed):
    words = (
        f"method '{method}' needs at least {needed} experiments .* no configuration has more than {n_datasets} (levels"
    )
    with pytest.raises(StudyError, match=re.escape(words).replace(r"\.\*", ".*")):
        make(table(n_datasets).drop(columns="seed")).nstar(MallowsKernel(), method=method)


def test_notes_say_where_an_interval_is_wider_than_need_be_and_where_the_top_is_everybody():
    """Two distinct results: one winner in some datasets, another in the others."""
    won = np.arange(12) % 3 == 0
    scores = {"a": np.where(won, 0.9, 0.5), "b": np.where(won, 0.5, 0.9), "c": np.arange(12) / 100}
    study = Study.from_wide(pd.DataFrame(scores))
    for method, said in (("moments", True), ("closed-form", False)):
        note = study.nstar(JaccardKernel(k=1), alpha=[0.9, 0.95], method=method)["note"]
        assert note.str.startswith("with two distinct results n* takes few").eq(said).all()
    three = study.nstar(JaccardKernel(k=1), configuration={})["note"].iloc[0]
    assert three.count("distinct") == 1
    mixed = pd.DataFrame(scores).assign(c=np.where(np.arange(12) == 5, 1.0, 0.0))
    assert (Study.from_wide(mixed).nstar(JaccardKernel(k=1))["note"] == "").all()
    tied = pd.DataFrame(scores).assign(c=np.where(np.arange(12) < 5, 0.5, 0.0))
    note = Study.from_wide(tied).nstar(JaccardKernel(k=2))["note"].item()
    assert note.startswith("in 5 of 12 experiments the 2 best tiers are everybody")
