"""Clusters of related experiments, held against plain loops, analysis of variance, simulation, and other tables."""

import io

import numpy as np
import pandas as pd
import pytest
from made_up_results import scores_of_clusters as scores_of
from pandas.testing import assert_frame_equal

import genexpy_nb as gx
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.rankings import rank_scores
from genexpy_nb.generalization.clusters import design_effect, mean_embeddings
from genexpy_nb.generalization.kernels import BordaKernel, JaccardKernel, MallowsKernel, RBFKernel
from genexpy_nb.generalization.nstar import estimate_nstar
from genexpy_nb.own_study.from_python import as_table
from genexpy_nb.own_study.request import StudyRequest
from genexpy_nb.own_study.terminal import console_of, print_summary
from genexpy_nb.study import estimates
from genexpy_nb.study.study import Study

KERNELS = [JaccardKernel(k=1), MallowsKernel(), BordaKernel("b"), RBFKernel()]
ROLES = {"alternatives": "model", "target": "score", "generalize_over": "task", "cluster": "domain"}


def matrix(sizes, icc=0.5, k=4, rng=0):
    scores, codes = scores_of(sizes, icc, k, rng)
    frame = pd.DataFrame(scores, columns=list("abcdefghij")[:k])
    return frame.assign(domain=[f"d{code:02}" for code in codes], task=[f"t{i:02}" for i in range(len(codes))])


def long(frame):
    return frame.melt(["domain", "task"], var_name="model", value_name="score")


def study_of(frame, **options):
    return Study(long(frame), **ROLES, **options)


# --- studies ----------------------------------------------------------------------------------------------------------

SIZES = [3, 1, 2, 4, 2, 2, 3, 1]


def test_scores_and_tests_are_of_means_and_nstar_of_mean_embeddings():
    frame = matrix(SIZES)
    study, names = study_of(frame), list("abcd")
    means = frame.groupby("domain")[names].mean()
    assert_frame_equal(study.scores().rename_axis(columns=None), means)
    averaged = Study.from_wide(means.rename_axis(columns="model"))
    assert_frame_equal(study.ranking(), averaged.ranking())
    assert_frame_equal(study.pairs(), averaged.pairs())
    assert study.friedman().p == averaged.friedman().p and study.best().best == averaged.best().best
    found = study.nstar(KERNELS).set_index("kernel")
    for kernel in KERNELS:
        results = frame[names]
        if kernel.on == "rankings":
            ranks = rank_scores(results, higher_is_better=True)
            results = pd.DataFrame(ranks, columns=names)
        gram = mean_embeddings(kernel.gram(results), frame["domain"].factorize()[0])
        expected = estimate_nstar(gram, 0.95, float(kernel.epsilon(0.05, 4)))
        row = found.loc[kernel.name]
        ends = [expected.estimate, expected.low, expected.high]
        np.testing.assert_allclose(row[["nstar", "low", "high"]].astype(float), ends)
        assert row["n_experiments"] == 8 and row["note"] == ""
        np.testing.assert_allclose(study.gram(None, kernel), gram)
    assert study.generalize_over == ["domain"] and study.within_clusters == ["task"]
    assert "compare every task of one domain with every task of another, and average the similarities" in study.notes[0]
    assert "8 experiments (domain) per configuration, the clusters of task" in repr(study)
    assert study.accounting.to_dict("records") == [
        {"n_experiments": 8, "n_conditions": 18, "n_alternatives": 4, "n_evaluations": 72, "n_imputed": 0}
    ]


def test_clusters_of_one_condition_change_nothing():
    frame = matrix([1] * 9)
    clustered, plain = study_of(frame), Study(long(frame), **ROLES | {"cluster": None})
    columns = ["nstar", "low", "high", "n_experiments"]
    assert_frame_equal(clustered.nstar(KERNELS)[columns], plain.nstar(KERNELS)[columns])
    np.testing.assert_array_equal(clustered.rankings(), plain.rankings())
    np.testing.assert_array_equal(clustered.ranking(), plain.ranking())
    effect = clustered.design_effect(MallowsKernel()).iloc[0]
    assert effect["n_effective"] == 9 and effect["nstar"] == effect["nstar_conditions"]


def test_copies_within_a_cluster_are_worth_nothing():
    frame = matrix([1] * 8)
    copies = pd.concat([frame, frame.assign(task=frame["task"] + "'")])
    one, two = study_of(frame), study_of(copies)
    columns = ["nstar", "low", "high"]
    np.testing.assert_allclose(two.nstar(KERNELS)[columns], one.nstar(KERNELS)[columns])
    effect = two.design_effect(KERNELS)
    assert (effect["icc"] == 1).all() and (effect["n_effective"] == 8).all() and (effect["design_effect"] == 2).all()
    widths = [np.log(effect[f"{name}_high"] / effect[f"{name}_low"]) for name in ("nstar_conditions", "nstar")]
    assert (widths[0] < widths[1]).all()  # copies make it look certain


def test_the_curve_of_clusters_crosses_at_their_nstar():
    frame = matrix(SIZES)
    curve = study_of(frame).curves(kernels=MallowsKernel())
    nstar = study_of(frame).nstar(MallowsKernel())["nstar"].item()
    assert curve.loc[curve["estimate"] >= 0.95, "n"].min() == np.ceil(nstar)


def test_studies_of_so_many_clusters_agree():
    """Two studies of n* clusters of three conditions each, drawn again and again, compared condition by condition."""
    kernel, k, delta = MallowsKernel(), 4, 0.05
    scores, codes = scores_of([3] * 300, icc=0.6, rng=1)
    frame = pd.DataFrame(scores, columns=list("abcd")).assign(domain=codes)
    study = Study.from_wide(frame, cluster="domain")
    row = study.nstar(kernel, 0.9, delta).iloc[0]
    n, epsilon = round(row["nstar"]), float(kernel.epsilon(delta, k))
    sign = np.repeat([1.0, -1.0], 3 * n)
    similar = []
    for draw in range(400):
        drawn, _ = scores_of([3] * (2 * n), icc=0.6, rng=1000 + draw)
        gram = kernel.gram(rank_scores(drawn, higher_is_better=True))
        similar.append(sign @ gram @ sign / (3 * n) ** 2 <= epsilon**2)
    assert np.mean(similar) == pytest.approx(0.9, abs=0.045)  # standard error .015; n is rounded
    assert study.design_effect(kernel, 0.9, delta)["nstar_conditions"].item() > row["nstar"]


def test_the_frame_of_the_design_effect():
    frame = pd.concat([matrix(SIZES, icc=icc, rng=icc > 0.5).assign(setting=icc) for icc in (0.1, 0.9)])
    table = frame.melt(["domain", "task", "setting"], var_name="model", value_name="score")
    study = Study(table, **ROLES, design="setting")
    found = study.design_effect([MallowsKernel(), RBFKernel()], alpha=0.9, delta=0.1)
    assert found["setting"].tolist() == [0.1, 0.1, 0.9, 0.9] and found["kernel"].tolist() == ["Mallows", "RBF"] * 2
    assert (found["n_conditions"] == 18).all() and (found["n_clusters"] == 8).all()
    assert (found["mean_size"] == 2.25).all() and found["icc"].iloc[3] > found["icc"].iloc[1]
    for name in ("icc", "n_effective", "design_effect"):
        assert (found[f"{name}_low"] <= found[name]).all() and (found[name] <= found[f"{name}_high"]).all()
    np.testing.assert_allclose(found["design_effect"], 18 / found["n_effective"])
    nstar = study.nstar([MallowsKernel(), RBFKernel()], 0.9, 0.1)
    np.testing.assert_array_equal(found[["nstar", "nstar_low", "nstar_high"]], nstar[["nstar", "low", "high"]])
    plain = Study(table, **ROLES | {"cluster": None}, design="setting").nstar([MallowsKernel(), RBFKernel()], 0.9, 0.1)
    np.testing.assert_allclose(found["nstar_conditions"], plain["nstar"])
    alone = study.design_effect(RBFKernel(), 0.9, 0.1, configuration={"setting": 0.9})
    assert_frame_equal(alone, found.iloc[[3]].reset_index(drop=True))
    few = study_of(matrix([2, 3])).design_effect(MallowsKernel()).iloc[0]
    assert np.isnan(few["nstar"]) and few["n_effective"] > 0 and few["note"] == "2 clusters: there is no interval"


def test_a_matrix_says_the_same_as_its_long_form():
    frame = matrix(SIZES)
    expected = study_of(frame)
    for wide in (frame.set_index(["domain", "task"]), frame.set_index("task"), frame):
        over = None if "task" in wide.index.names else "task"
        study = Study.from_wide(wide, generalize_over=over, cluster="domain")
        assert study.generalize_over == ["domain"] and study.within_clusters == ["task"]
        np.testing.assert_array_equal(study.scores(), expected.scores())
        assert_frame_equal(study.nstar(KERNELS), expected.nstar(KERNELS))


def test_two_columns_of_conditions_and_two_metrics():
    table = long(matrix(SIZES)).assign(half=lambda f: np.where(f["task"].str[-1].astype(int) % 2, "x", "y"))
    table["loss"] = -table["score"]
    roles = ROLES | {"generalize_over": ["task", "half"], "target": {"score": "higher", "loss": "lower"}}
    study = Study(table, **roles)
    assert study.within_clusters == ["task", "half"] and study.condition_scores({"metric": "loss"}).index.nlevels == 3
    found = study.nstar(MallowsKernel())["nstar"]
    assert found.tolist() == [study_of(matrix(SIZES)).nstar(MallowsKernel())["nstar"].item()] * 2


# --- what is missing, runs --------------------------------------------------------------------------------------------


def with_holes():
    frame = matrix([3, 2, 2, 4, 2, 3, 2])
    frame.loc[[1, 8], "b"] = np.nan
    frame.loc[[3, 4], "c"] = np.nan  # all of a cluster
    return frame


def test_missing_conditions_under_the_worst_rank():
    frame = with_holes()
    study = study_of(frame)
    assert_frame_equal(study.scores().rename_axis(columns=None), frame.groupby("domain")[list("abcd")].mean())
    assert study.scores().isna().to_numpy().sum() == 1 and study.rankings().loc["d01", "c"] == 3
    compared = study.results(None, MallowsKernel()).to_numpy()
    np.testing.assert_array_equal(compared, rank_scores(frame[list("abcd")], higher_is_better=True))
    assert study.accounting["n_imputed"].item() == 4
    assert "The mean score of a cluster is over its other" in study.notes[1]
    assert study.condition_scores().isna().to_numpy().sum() == 4


def test_missing_conditions_are_completed_before_clusters_are_averaged():
    frame = with_holes()
    study = study_of(frame, missing="complete")
    names = list("abcd")
    plain = Study(long(frame), **ROLES | {"cluster": None}, missing="complete")
    of_tasks = plain.completions()
    codes = frame["domain"].factorize()[0]
    for found, tasks in zip(study.completions(), of_tasks, strict=True):
        np.testing.assert_allclose(found, pd.DataFrame(tasks[names].to_numpy()).groupby(codes).mean())
    for found, scores in zip(study.completions(of="rankings"), study.completions(), strict=True):
        np.testing.assert_array_equal(found, rank_scores(scores, higher_is_better=True))
    kernel = RBFKernel()
    parts = [
        estimate_nstar(mean_embeddings(kernel.gram(tasks), codes), 0.95, float(kernel.epsilon(0.05, 4))).estimate
        for tasks in of_tasks
    ]
    row = study.nstar(kernel).iloc[0]
    assert row["nstar"] == pytest.approx(np.exp(np.mean(np.log(parts))))
    assert "4 of 72 evaluations are missing" in row["note"]
    assert study.is_completed() and not study.scores(impute=True).isna().to_numpy().any()
    effect = study.design_effect(kernel).iloc[0]
    each = [design_effect([kernel.gram(tasks)], codes).icc for tasks in of_tasks]
    assert effect["icc"] == pytest.approx(np.mean(each))


def test_conditions_are_dropped_not_clusters():
    frame = with_holes()
    frame.loc[[0, 1], ["a", "b", "c"]] = np.nan
    study = study_of(frame, missing="drop")
    gone = {"t00", "t01", "t03", "t04", "t08"}  # a quarter of the alternatives, or more
    assert set(study.condition_scores().index.get_level_values("task")) == set(frame["task"]) - gone
    assert study.scores().index.tolist() == ["d00", "d02", "d03", "d04", "d05", "d06"]
    assert len(study_of(frame).scores()) == 7


def test_a_run_of_a_cluster_is_the_mean_over_its_conditions():
    rng = np.random.default_rng(0)
    parts = [long(matrix(SIZES)).assign(seed=seed) for seed in range(3)]
    table = pd.concat(parts, ignore_index=True)
    table["score"] += rng.normal(0, 0.3, len(table))
    study = Study(table, **ROLES, average_over="seed")
    means = table.groupby(["domain", "seed", "model"], as_index=False)["score"].mean()
    options = {"alternatives": "model", "target": "score", "generalize_over": "domain", "average_over": "seed"}
    expected = Study(means, **options)
    assert_frame_equal(study.noise(), expected.noise())
    assert study.noise().attrs == expected.noise().attrs
    assert len(study.runs()) == len(table) and set(study.runs()) == {"domain", "task", "seed", "model", "score"}
    first = (table["seed"] == 2) & (table["task"] == "t00") & (table["model"] == "a")
    partial = Study(table[~first], **ROLES, average_over="seed")
    assert partial.noise().loc["a", "n_runs"] == 23 and partial.noise().loc["b", "n_runs"] == 24
    assert partial.averaged[["domain", "task", "model"]].to_numpy().tolist() == [["d00", "t00", "a"]]
    only_one_domain = (table["domain"] == "d00") | (table["task"].str[1:].astype(int) % 3 == table["seed"])
    shared = Study(table[only_one_domain], **ROLES, average_over="seed").noise().attrs
    assert shared["n_runs"] is None and shared["note"].startswith("fewer than two runs")


# --- broken tables ----------------------------------------------------------------------------------------------------


REFUSED = {
    "overlap": (
        lambda: long(matrix(SIZES)).assign(domain=lambda table: table["domain"].mask(table.index == 0, "d05")),
        {},
        "cluster: task=t00 lies in several levels of 'domain'; each condition must lie in",
    ),
    "no column": (None, {"cluster": "domian"}, "cluster: there is no column 'domian'; did you mean 'domain'"),
    "two roles": (None, {"cluster": "task"}, "column 'task' is used both as generalize_over and as cluster"),
    "a list": (None, {"cluster": ["domain"]}, "cluster must be the name of a column"),
    "no label": (
        lambda: long(matrix(SIZES)).replace({"domain": {"d03": None}}),
        {},
        "column 'domain' has 16 missing values",
    ),
}


@pytest.mark.parametrize(("table", "options", "match"), REFUSED.values(), ids=REFUSED)
def test_broken_clusters_are_refused(table, options, match):
    with pytest.raises(StudyError, match=match):
        Study(table() if table else long(matrix(SIZES)), **ROLES | options)


def test_what_cannot_be_asked(monkeypatch):
    frame = matrix(SIZES)
    with pytest.raises(ParameterError, match="design_effect is for studies with clusters"):
        Study(long(frame), **ROLES | {"cluster": None}).design_effect()
    with pytest.raises(ParameterError, match="delta"):
        study_of(frame).design_effect(delta=[0.05, 0.1])
    monkeypatch.setattr(estimates, "MOST_CONDITIONS", 17)
    for ask in ("nstar", "design_effect"):
        with pytest.raises(StudyError, match="there are 18 conditions, and every pair of them is compared; up to 17"):
            getattr(study_of(frame), ask)(MallowsKernel())
    table = long(frame).assign(icc="x")
    with pytest.raises(StudyError, match="'icc' is the name of a column of the results"):
        Study(table, **ROLES, design="icc")


# --- what is said -----------------------------------------------------------------------------------------------------


def test_answers_say_what_the_conditions_are_worth():
    study = study_of(matrix(SIZES))
    found = gx.Answers(study)
    first, second = found.clusters_in_words
    assert first == "We count the 8 clusters (domain) as experiments, not the 18 tasks."
    effect = study.design_effect([JaccardKernel(k=1), MallowsKernel()])
    assert_frame_equal(found.design_effect, effect)
    assert f"{effect['n_effective'].iloc[0]:.1f} (" in second and "if we ask how often each alternative wins" in second
    assert "Each level of domain is one experiment: its score is the mean over task" in found.methods
    assert "Two studies of 8 other domains" in found.sentences[2]
    assert found.data.set_index("column")["levels"].loc[["domain", "task"]].tolist() == [8, 18]
    plain = gx.Answers(Study(long(matrix(SIZES)), **ROLES | {"cluster": None}))
    assert plain.clusters_in_words == [] and plain.design_effect.empty
    few = gx.Answers(study_of(matrix([1] * 6)[:6])).clusters_in_words
    assert "6.0 (6.0 to 6.0) if we ask how often each alternative wins" in few[1]


def test_the_command_says_it_too():
    frame = long(matrix(SIZES))
    how = {"cluster": "domain", "missing": "worst-rank", "higher_is_better": "higher"}
    request = StudyRequest("a.csv", ["model"], ["score"], ["task"], **how)
    study = request.study(frame)
    assert_frame_equal(study.nstar(KERNELS), study_of(matrix(SIZES)).nstar(KERNELS))
    stream = io.StringIO()
    print_summary(console_of(stream), request.answers(study), request, frame)
    said = " ".join(stream.getvalue().split())
    assert all(sentence in said for sentence in request.answers(study).clusters_in_words)
    text = str(study.summary())
    assert text.count("is one experiment") == 1 and "over 8 experiments (domain)" in text


@pytest.mark.parametrize("over", [["task"], []])
def test_the_command_reads_clusters_of_a_matrix(over):
    frame = matrix(SIZES).drop(columns=[] if over else "task")
    how = {"cluster": "domain", "missing": "worst-rank", "higher_is_better": "higher"}
    request = StudyRequest("a.csv", over=over, wide=True, **how)
    study = request.study(frame)
    assert study.alternatives == list("abcd") and study.within_clusters == (over or ["experiment"])
    assert_frame_equal(study.nstar(KERNELS), study_of(matrix(SIZES)).nstar(KERNELS))


def test_missing_conditions_are_counted_in_the_answers():
    found = gx.Answers(study_of(with_holes(), missing="complete"))
    assert "Run the 4 missing evaluations, if that is possible." in found.next_steps
    assert set(found.missing["side"]) == {"alternative", "condition"}


def test_a_page_is_made_of_the_same_study():
    frame = with_holes()
    study = study_of(frame, missing="complete")
    table, roles = as_table(study)
    again = StudyRequest("a.csv", **roles, missing="complete").study(table)
    assert roles["over"] == ("task",) and roles["cluster"] == "domain"
    assert_frame_equal(again.nstar(KERNELS), study.nstar(KERNELS))
    assert again.notes == study.notes


def test_what_the_related_tasks_of_the_bundled_encoders_are_worth():
    """The numbers of data/README.md, means over all configurations."""
    encoders = gx.datasets.with_source_tables(gx.datasets.load_encoders("bundled"))
    design = ["model", "tuning", "scoring"]
    roles = {"alternatives": "encoder", "target": "cv_score", "generalize_over": "dataset", "design": design}
    study = Study(encoders, **roles, cluster="table")
    mean = {}
    for kernel in (JaccardKernel(k=1), MallowsKernel(), RBFKernel()):
        values = []
        for configuration in study.configurations:
            results = study.results(configuration, kernel)
            codes = results.index.get_level_values("table").factorize()[0]
            found = design_effect([kernel.gram(results)], codes)
            values.append(found.n_effective[0])
            assert found.n_conditions == 56 and found.n_clusters == 23
        mean[kernel.name] = np.mean(values)
    assert [round(value) for value in mean.values()] == [52, 49, 45]
