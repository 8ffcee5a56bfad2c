"""The sentences of a study: each branch on a table that was made for it, numbers beside those of the study itself."""

import re
from dataclasses import FrozenInstanceError
from time import process_time

import numpy as np
import pandas as pd
import pytest

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.datasets.tables import load_encoders
from genexpy_nb.generalization.kernels import JaccardKernel, MallowsKernel
from genexpy_nb.study import summary as study_summary
from genexpy_nb.study.planning import plan
from genexpy_nb.study.study import Study
from genexpy_nb.study.summary import as_latex, as_sentence, summarise


def matrix(means, n=30, scale=0.1, rng=0):
    names = [chr(ord("a") + i) for i in range(len(means))]
    values = np.random.default_rng(rng).normal(means, scale, (n, len(means)))
    return pd.DataFrame(values, columns=pd.Index(names, name="model")).rename_axis("dataset")


def blocks(*frames, **roles):
    return Study.from_wide(pd.concat(dict(enumerate(frames)), names=["task"]), design="task", **roles)


CLEAR = Study.from_wide(matrix([0.9, 0.6, 0.3], n=60, scale=0.12))


def test_the_sentences_of_a_clear_case():
    summary = CLEAR.summary()
    ranks = CLEAR.friedman().mean_ranks
    assert list(ranks.index) == ["a", "b", "c"] and ranks.is_monotonic_increasing
    assert summary.data == (
        "The study compares 3 alternatives (model: a, b, c) by score, where higher is better. Each of the 60 levels of "
        "dataset is one experiment. Read 3 columns as alternatives: a, b, c. Among what is compared, no evaluation is "
        "missing."
    )
    best = CLEAR.best()
    assert best.significant and best.p_others < 0.001
    assert summary.ranking.startswith(
        f"The mean ranks over 60 experiments, 1 being best, are a {ranks['a']:.2f}, b {ranks['b']:.2f} and c "
        f"{ranks['c']:.2f}. a has the best mean rank and is significantly better than every other alternative "
        "(Friedman's test p < 0.001; largest p-value against another alternative by the test of Conover and Iman "
        "p < 0.001; level 0.05). Wilcoxon's signed-rank test with Holm's correction (level 0.05) makes 3 tiers; a "
        "leads "
        "the first one alone."
    )
    rows = plan(CLEAR.nstar([JaccardKernel(1), MallowsKernel()]))
    first, second = rows.itertuples()
    assert first.verdict == second.verdict == "enough"
    assert first.note.startswith("with two distinct results") and second.note == ""
    assert summary.generalizability == (
        "n* is the number of experiments per study with which the distributions of results of two studies differ by at "
        "most 0.05, with probability 0.95 at least; whether both have the same winner is another question. "
        f"On which alternative is best (Jaccard kernel of the best ones), n* = {first.nstar:.1f} (nominal 95 "
        "% interval "
        f"{first.low:.1f} to {first.high:.1f}): the 60 experiments of this study are enough. Note: "
        f"{as_sentence(first.note)} On how all alternatives are ranked (Mallows kernel), n* = {second.nstar:.1f} "
        f"(nominal 95 % interval {second.low:.1f} to {second.high:.1f}): "
        f"the 60 "
        "experiments of this study are enough."
    )
    assert summary.warnings == () and str(summary).count("\n\n") == 2
    with pytest.raises(FrozenInstanceError):
        summary.data = ""


def test_alternatives_that_do_not_differ():
    study = Study.from_wide(matrix([0.5] * 7, rng=3), higher_is_better=False)
    assert study.friedman().p > 0.05 and (study.tiers()["tier"] == 0).all()
    means = study.friedman().mean_ranks.sort_values()
    text = study.summary().ranking
    shown = [f"{name} {mean:.2f}" for name, mean in means.iloc[:5].items()]
    assert f"1 being best, begin with {', '.join(shown[:4])} and {shown[4]}. {means.index[0]} has the best" in text
    assert (
        "has the best mean rank, but is not significantly better than every other alternative (Friedman's test" in text
    )
    assert f"finds no alternative significantly worse than {means.index[0]}: all 7 are in one tier." in text
    assert "by score, where lower is better" in study.summary().data


def test_a_first_tier_with_company():
    study = Study.from_wide(matrix([0.9, 0.9, 0.2], rng=1))
    tiers = study.tiers()
    leader, other = tiers.index[:2]
    assert tiers["tier"].tolist() == [0, 0, 1]
    text = study.summary().ranking
    assert f"makes 2 tiers; {leader} leads the first one with {other}, not significantly worse." in text


def test_a_shared_best_rank():
    study = Study.from_wide(pd.DataFrame({"a": [2.0, 1.0] * 4, "b": [1.0, 2.0] * 4, "c": [0.0, 0.5] * 4}))
    p = study.best().p_friedman
    assert f"a and b share the best mean rank (Friedman's test p = {p:.3g}; level 0.05)." in study.summary().ranking


def test_few_experiments_are_noted_once():
    text = Study.from_wide(pd.DataFrame({"a": [2.0, 3.0, 4.0], "b": [1.0, 1.0, 1.5]})).summary().ranking
    assert (
        text.count("all conditions agree completely") == 1
        and text.count("Note: ") == 1
        and text.endswith(": one tier.")
    )


def test_what_cannot_be_tested_or_estimated_is_not_said():
    one = Study.from_wide(pd.DataFrame({"a": [2.0], "b": [1.0]})).summary()
    assert "It has a single experiment." in one.data
    assert one.ranking.startswith("No alternatives were ranked or tested: at least two conditions are needed")
    assert one.generalizability.startswith("n* was not estimated: method 'moments' needs at least")
    assert not re.search(r"n\* = \d|tier", str(one))
    none = blocks(*[pd.DataFrame({"a": [2.0], "b": [1.0]}, index=pd.Index(["x"], name="dataset"))] * 2).summary()
    assert none.ranking.startswith("No alternatives were ranked or tested: every configuration has fewer than two")
    assert none.generalizability.startswith("n* was not estimated: method 'moments' needs at least")


@pytest.mark.filterwarnings("ignore::genexpy_nb.StudyWarning")
def test_missing_evaluations_and_warnings():
    frame = matrix([0.9, 0.6, 0.3], n=10)
    frame.iloc[:8, 2] = np.nan
    frame.iloc[9, 0] = np.nan
    study = Study.from_wide(frame)
    summary = study.summary()
    assert "no evaluation is missing" not in summary.data
    assert "Gave the worst rank to 9 missing evaluations of 30 (30.0 %)" in summary.data
    note = summary.ranking.split("Note: ")[1]
    assert note.startswith("9 missing evaluations share the worst rank")
    assert "9 missing scores were taken for the worst observed one of their condition" in note
    assert summary.warnings == (study.warnings[0] + ".",)
    assert str(summary).startswith("Warning: 30 % of the evaluations are missing")
    complete = Study.from_wide(frame, missing="drop").summary()
    assert "Dropped" in complete.data


ROW = {"n_experiments": 30, "nstar": 20.0, "low": 10.0, "high": 25.0, "note": ""}


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({}, "n* = 20.0 (nominal 95 % interval 10.0 to 25.0): the 30 experiments of this study are enough."),
        (
            {"nstar": 44.1, "low": 33, "high": 1234.5},
            "n* = 44.1 (nominal 95 % interval 33.0 to 1,234): the 30 experiments of this study are too few, and "
            "15 more are "
            "needed.",
        ),
        (
            {"nstar": 30.5, "low": 30.2, "high": np.inf},
            "n* = 30.5 (nominal 95 % interval 30.2 to infinity): the 30 experiments of this study are too few, "
            "and 1 more "
            "is "
            "needed.",
        ),
        (
            {"nstar": 32.5, "low": 20, "high": 50},
            "n* = 32.5 (nominal 95 % interval 20.0 to 50.0): whether the 30 experiments of this study are enough is "
            "open; by "
            "the estimate 3 more are needed, but the interval does not settle it.",
        ),
        (
            {"high": 31},
            "n* = 20.0 (nominal 95 % interval 10.0 to 31.0): whether the 30 experiments of this study are enough is "
            "open; by "
            "the estimate they are enough, but the interval does not settle it.",
        ),
        (
            {"low": np.nan, "high": np.nan},
            "n* = 20.0 (nominal 95 % interval unknown): whether the 30 experiments of this study are enough is "
            "open; by "
            "the "
            "estimate they are enough, but the interval does not settle it.",
        ),
        (
            {"nstar": np.inf, "low": 40, "high": np.inf},
            "the estimate of n* is infinite (nominal 95 % interval 40.0 to infinity): by it, no number of "
            "experiments is "
            "enough.",
        ),
        (
            {"nstar": np.nan, "low": np.nan, "high": np.nan, "note": "a single alternative"},
            "n* was not estimated: a single",
        ),
        ({"note": "all agree"}, "are enough. Note: all agree."),
    ],
)
def test_each_verdict(values, words):
    row = plan(pd.DataFrame([{**ROW, **values}])).iloc[0]
    assert words in study_summary.verdict_on(row)


def test_verdicts_of_several_configurations_are_counted():
    values = [
        {},
        {"nstar": 5.0, "low": 4},
        {"nstar": 44.1, "low": 33, "high": 60},
        {"nstar": 30.5, "low": 20, "high": 60},
        {"nstar": np.inf, "low": 40, "high": np.inf},
        {"nstar": np.nan, "low": np.nan, "high": np.nan, "note": "a single alternative"},
    ]
    text = study_summary._verdicts(plan(pd.DataFrame([{**ROW, **value} for value in values])))
    assert text == (
        "n* is 5.0 to 44.1 (median 25.2) in 4 of 6 configurations; the estimate is infinite in 1. The experiments that "
        "there are, are enough in 2, too few in 2 and perhaps enough in 1. By the estimates, 1 to "
        "15 "
        "more are needed in 2 of the configurations. In 1 n* was not estimated (a single alternative)."
    )
    nothing = plan(pd.DataFrame([{**ROW, **values[-1]}] * 2))
    assert study_summary._verdicts(nothing) == "n* was not estimated in any configuration."


def test_several_configurations():
    study = blocks(matrix([0.9, 0.5, 0.1]), matrix([0.9, 0.5, 0.1], n=20, rng=1), matrix([0.5, 0.5, 0.5], rng=4))
    best = [study.best(configuration) for configuration in study.configurations]
    winners = [b.best for b in best]
    assert winners == [("a",), ("a",), ("c",)] and [b.significant for b in best] == [True, True, False]
    summary = study.summary()
    assert (
        "It has 3 configurations of task, each analysed on its own, with 20 to 30 experiments each (every level of"
        in (summary.data)
    )
    rejected = sum(b.p_friedman <= 0.05 for b in best)
    assert summary.ranking.startswith(
        "Over 3 configurations, the best mean rank is that of a in 2 and c in 1. Friedman's test finds a difference "
        f"between the alternatives in {rejected} of 3 configurations, and the best alternative is significantly better "
        "than every other one in 2 (level 0.05 in each configuration, not corrected for their number)."
    )
    assert summary.generalizability.count("in 3 of 3 configurations") == 2
    same = blocks(matrix([0.9, 0.5, 0.1]), matrix([0.9, 0.5, 0.1], rng=1)).summary().ranking
    assert same.startswith("Over 2 configurations, a has the best mean rank in all of them. Friedman's test finds")


def test_configurations_that_are_too_small_are_counted():
    tie = pd.DataFrame({"a": [2.0, 1.0] * 4, "b": [1.0, 2.0] * 4}).rename_axis("dataset")
    study = blocks(matrix([0.9, 0.5]), tie, matrix([0.9, 0.5], n=1))
    text = study.summary().ranking
    assert "the best mean rank is that of a in 2 and b in 1. In 1 several alternatives share it." in text
    assert (
        "1 configuration has fewer than two experiments or alternatives, and nothing was ranked or tested there."
        in text
    )
    assert "In 1 n* was not estimated (1 experiments; at least" in study.summary().generalizability


@pytest.mark.filterwarnings("ignore::genexpy_nb.StudyWarning")
def test_notes_of_several_configurations_are_counted():
    agree = pd.DataFrame({"a": [2.0, 3.0, 4.0], "b": [1.0, np.nan, 1.5]}).rename_axis("dataset")
    text = blocks(agree, agree, matrix([0.5, 0.5])).summary().ranking
    assert "In 2 of 3 configurations: all conditions agree completely." in text and "worst rank" not in text


def test_what_would_take_too_long_is_left_out_and_said(monkeypatch):
    monkeypatch.setattr(study_summary, "MOST_DIFFERENCES", 60 * 9)
    monkeypatch.setattr(study_summary, "MOST_PAIRS", 60 * 60)
    assert CLEAR.summary().ranking.count("makes 3 tiers") == 1 and "enough" in CLEAR.summary().generalizability
    monkeypatch.setattr(study_summary, "MOST_DIFFERENCES", 60 * 9 - 1)
    monkeypatch.setattr(study_summary, "MOST_PAIRS", 60 * 60 - 1)
    assert "Tiers are left out: 3 pairs of alternatives over 60 experiments are too many." in CLEAR.summary().ranking
    assert CLEAR.summary().generalizability == (
        "n* was not estimated: it needs kernel values between 3,600 pairs of experiments, too many."
    )


def test_metrics_and_a_single_configuration_are_named():
    frame = matrix([0.9, 0.5, 0.1]).stack().rename("auc").reset_index().assign(logloss=lambda f: 1 - f["auc"])
    roles = {"alternatives": "model", "generalize_over": "dataset"}
    both = Study(frame, target={"auc": "higher", "logloss": "lower"}, **roles).summary()
    assert "by auc (higher is better) and logloss (lower is better). It has 2 configurations of metric," in both.data
    one = Study(frame, target={"logloss": "lower"}, **roles).summary()
    assert "by logloss (lower is better). Its one configuration is metric = logloss. Each of the 30 levels" in one.data
    pairs = Study(
        frame.assign(half=frame["dataset"] % 2), target="auc", **{**roles, "generalize_over": ["dataset", "half"]}
    )
    assert "Each of the 30 combinations of dataset and half is one experiment." in pairs.summary().data


def test_names_are_escaped_and_stay_in_their_line():
    names = {"a": "50 % of_{x} & $y$ #1", "b": "new\nline <b>", "c": "back\\slash ~^|"}
    summary = Study.from_wide(matrix([0.9, 0.6, 0.3]).rename(columns=names)).summary()
    assert "new line <b>" in str(summary) and "\n" not in summary.data + summary.ranking
    markdown, latex = summary._repr_markdown_(), summary.to_latex()
    assert r"50 % of\_\{x\} \& \$y\$ \#1" in markdown and r"new line \<b\>" in markdown and r"n\*" in markdown
    assert r"50 \% of\_\{x\} \& \$y\$ \#1" in latex and r"new line \textless{}b\textgreater{}" in latex
    assert r"back\textbackslash{}slash \textasciitilde{}\textasciicircum{}\textbar{}" in latex
    unescaped = re.sub(r"\\text[a-z]+\{\}|\\[{}$&#%_]", "", latex)
    assert not re.search(r"[\\{}$&#%_~^<>|]", unescaped)
    assert as_latex("a\nb") == "a b"


def test_levels_are_handed_on_and_checked():
    strict = CLEAR.summary(alpha=0.99, delta=0.1, level=0.01)
    assert "at most 0.1, with probability 0.99 at least" in strict.generalizability
    assert strict.ranking.count("level 0.01") == 2
    nstar = CLEAR.nstar(MallowsKernel(), 0.99, 0.1)["nstar"][0]
    assert f"n* = {nstar:.1f} " in strict.generalizability
    for wrong in ({"alpha": 1}, {"delta": 0}, {"delta": 1.5}, {"level": 5}):
        with pytest.raises(ParameterError, match=f"{next(iter(wrong))} must be"):
            summarise(CLEAR, **wrong)


@pytest.mark.filterwarnings("ignore::genexpy_nb.StudyWarning")
@pytest.mark.parametrize("source", ["bundled", pytest.param("original", marks=pytest.mark.published)])
def test_the_encoder_study_is_summarised_at_once(source, request):
    if source == "original":
        request.getfixturevalue("published_data")
    results = load_encoders(source=source)
    study = Study(
        results,
        alternatives="encoder",
        target="cv_score",
        generalize_over="dataset",
        design=["model", "tuning", "scoring"],
    )
    start = process_time()
    summary = study.summary()
    assert process_time() - start < 2
    n = len(study.configurations)
    assert f"It has {n} configurations of model, tuning and scoring" in summary.data and len(str(summary)) < 4000
    frame = plan(study.nstar([JaccardKernel(1), MallowsKernel()]))
    for _, rows in frame.groupby("kernel"):
        n_enough = int((rows["verdict"] == "enough").sum())
        assert f"enough in {n_enough}" in summary.generalizability or not n_enough
