"""Sentences to paste are those of the answers, as text, Markdown and LaTeX; a kernel brings its own words."""

import re
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.prose import as_latex
from genexpy_nb.generalization.kernels import BordaKernel, MallowsKernel
from genexpy_nb.study.answers import Answers
from genexpy_nb.study.sentences import about, held
from genexpy_nb.study.study import Study
from tests.said_of_studies import encoder_study, matrix


def test_a_summary_is_the_answer_and_what_it_rests_on():
    study = Study.from_wide(matrix([0.9, 0.6, 0.3], n=60, scale=0.12))
    summary, found = study.summary(0.99, 0.1, 0.01, 0.9), Answers(study, None, 0.99, 0.1, 0.01, confidence=0.9)
    assert summary.data == (
        "We compared 3 alternatives (model) by score, where higher is better, over 60 experiments (dataset). Read 3 "
        "columns as alternatives: a, b, c. Among what is compared, no evaluation is missing."
    )
    who, cost, again, _ = found.sentences
    assert summary.ranking == f"{who} {cost}"
    assert summary.generalizability == f"{again} {held(found)} {found.enough_in_words}"
    assert "at 99 % confidence" in summary.ranking and "δ = 0.1, α = 0.99" in summary.generalizability
    assert f"n* is {np.ceil(found.nstar['nstar'][1]):.0f} (" in summary.generalizability
    assert summary.warnings == () and str(summary).count("\n\n") == 2
    with pytest.raises(FrozenInstanceError):
        summary.data = ""


@pytest.mark.filterwarnings("ignore::genexpy_nb.common.errors.StudyWarning")
def test_missing_evaluations_and_warnings_are_said():
    frame = matrix([0.9, 0.6, 0.3], n=10)
    frame.iloc[:8, 2] = np.nan
    frame.iloc[9, 0] = np.nan
    study = Study.from_wide(frame)
    summary = study.summary()
    assert "no evaluation is missing" not in summary.data
    assert "Missing: 9 of 30 evaluations (30.0 %)" in summary.data
    assert summary.warnings == (study.warnings[0] + ".",)
    assert str(summary).startswith("Warning: 30 % of the evaluations are missing")
    assert "Dropped" in Study.from_wide(frame, missing="drop").summary().data


def test_roles_are_named():
    frame = matrix([0.9, 0.5, 0.1]).stack().rename("auc").reset_index()
    frame = frame.assign(logloss=lambda f: 1 - f["auc"], half=frame["dataset"] % 2, seed=0)
    roles = {"alternatives": "model", "generalize_over": ["dataset", "half"], "average_over": "seed"}
    both = Answers(Study(frame, target={"auc": "higher", "logloss": "lower"}, **roles)).methods
    assert "by auc (higher is better) and logloss (lower is better), over 30 experiments (dataset and half)" in both
    assert "in each of 2 configurations (metric). Scores were first averaged over seed." in both
    one = Study(frame, target={"logloss": "lower"}, **roles).summary().data
    assert "by logloss (lower is better), over 30 experiments (dataset and half)." in one
    first = frame["dataset"] < 9
    sizes = Study(frame[first | (frame["half"] > 0)], alternatives="model", target="auc", generalize_over="dataset",
                  design="half", higher_is_better=False).summary().data  # fmt: skip
    assert "by auc, where lower is better, over 5 to 15 experiments (dataset) in each of 2 configurations" in sizes


def test_names_are_escaped_and_stay_in_their_line():
    names = {"a": "50 % of_{x} & $y$ #1", "b": "new\nline <b>", "c": "back\\slash ~^|"}
    summary = Study.from_wide(matrix([0.9, 0.6, 0.3]).rename(columns=names)).summary()
    assert "new line <b>" in str(summary) and "\n" not in summary.data + summary.ranking
    markdown, latex = summary._repr_markdown_(), "\n\n".join(map(as_latex, summary.paragraphs()))
    assert r"50 % of\_\{x\} \& \$y\$ \#1" in markdown and r"new line \<b\>" in markdown and r"n\*" in markdown
    assert r"50 \% of\_\{x\} \& \$y\$ \#1" in latex and r"new line \textless{}b\textgreater{}" in latex
    assert r"back\textbackslash{}slash \textasciitilde{}\textasciicircum{}\textbar{}" in latex
    unescaped = re.sub(r"\\text[a-z]+\{\}|\\[{}$&#%_]|\$\\(?:alpha|delta)\$", "", latex)
    assert not re.search(r"[\\{}$&#%_~^<>|]", unescaped)


@pytest.mark.filterwarnings("ignore::genexpy_nb.common.errors.StudyWarning")
def test_every_interval_and_sentence_follows_the_confidence():
    """Of clusters, with completions: all tables with intervals, and all sentences that call one by its confidence."""
    frame = matrix([0.9, 0.85, 0.8], n=12).assign(domain=np.repeat(list("uvwxyz"), 2))
    frame.iloc[3, 1] = np.nan
    study = Study.from_wide(frame, cluster="domain", missing="complete")
    narrow, usual = Answers(study, confidence=0.9), Answers(study)
    ends = {"ranking": "score_", "agreement": "", "nstar": "", "design_effect": "icc_"}
    for name, of in ends.items():
        first, second = (getattr(found, name)[[f"{of}low", f"{of}high"]].to_numpy() for found in (narrow, usual))
        known = np.isfinite(second).all(axis=1)
        assert (first[known, 0] >= second[known, 0]).all() and (first[known, 1] <= second[known, 1]).all(), name
        assert (np.diff(first[known]) < np.diff(second[known])).any(), name
    assert narrow.ranking[["low", "high"]].equals(usual.ranking[["low", "high"]])  # of the tests
    assert narrow.pairs.equals(usual.pairs)
    parts = ("sentences", "next_steps", "agreement_in_words", "clusters_in_words", "limits")
    said = [narrow.methods, str(narrow.summary())]
    said += [text for part in parts for text in getattr(narrow, part)]
    said = [text.replace("at 95 % confidence", "") for text in said]  # of the tests
    said = [re.sub("95 % intervals (of gaps )?covered", "", text) for text in said]
    assert not any("95 %" in text for text in said) and sum("90 %" in text for text in said) > 5
    assert usual.to_dict()["parameters"]["confidence"] == 0.95 != narrow.to_dict()["parameters"]["confidence"]
    assert Answers(study, confidence=0.975).nominal == "97.5 %"
    with pytest.raises(ParameterError, match="confidence must be"):
        Answers(study, confidence=90)


class Own:
    """What CONTRIBUTING asks of a kernel, and nothing more."""

    on, name, question = "rankings", "Mine", "Is it mine?"

    def gram(self, results):
        return MallowsKernel().gram(results)

    def epsilon(self, delta, n_alternatives):
        return MallowsKernel().epsilon(delta, n_alternatives)


def test_a_kernel_says_what_it_asks():
    asked = [about(kernel) for kernel in (BordaKernel("a_b"), Own())]
    assert asked == ["the position of a_b", f"what the kernel Mine asks ({Own().question})"]
    found = Answers(Study.from_wide(matrix([0.9, 0.6, 0.3])), kernels=[Own()])
    assert f"If we ask what the kernel Mine asks ({Own().question}), n* is " in found.enough_in_words


@pytest.mark.filterwarnings("ignore::genexpy_nb.common.errors.StudyWarning")
def test_the_encoder_study_is_summarised_at_once():
    study = encoder_study("bundled")
    summary = study.summary()
    assert f"in each of {len(study.configurations)} configurations (model, tuning and scoring)" in summary.data
    n_enough = int((Answers(study).nstar["verdict"] == "enough").sum())
    assert f"In all configurations together, {n_enough} of " in summary.generalizability and len(str(summary)) < 4000
