"""A card says what the study says, in every form, whatever the names in its table are; a gate holds or says why not."""

import json
import re
import shutil
import subprocess
import warnings
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import chromium
import jsonschema
import mistune
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import genexpy_nb as gx
from genexpy_nb.cli import main
from genexpy_nb.common.errors import DataError, ParameterError, StudyError
from genexpy_nb.own_study import card as module
from tests.made_up_results import crossed

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads(Path(module.__file__).with_name("card.schema.json").read_text(encoding="utf-8"))
ODD = "<b onload=x>&@octocat|pipe #12 $x_{1}$ `code` ]]> \\end{table} \x1b[31m\u202e\uffff"


def matrix(gaps=(2.0, 1.0, 0.0), n=30, names="abc", seed=0):
    return pd.DataFrame(np.random.default_rng(seed).normal(gaps, 1.0, (n, len(gaps))), columns=list(names))


def valid(card):
    """The content of a card as it comes out of its file, valid by the schema."""
    content = json.loads(json.dumps(card.content, allow_nan=False))
    jsonschema.Draft202012Validator(SCHEMA).validate(content)
    return content


def with_gaps():
    frame = matrix(n=12, seed=3)
    frame.iloc[::3, 1] = np.nan
    return gx.Study.from_wide(frame, missing="complete")


def with_everything():
    frame = crossed(set=range(8), by=["x", "y"], seed=[0, 1], who=list("abcd"))
    frame = frame.assign(score=np.random.default_rng(4).normal(size=len(frame)), home=frame["set"] // 2)
    roles = {"alternatives": "who", "target": "score", "generalize_over": "set", "design": "by", "average_over": "seed"}
    return gx.Study(frame, **roles, cluster="home")


STUDIES = {
    "one winner": lambda: gx.Study.from_wide(matrix()),
    "odd names": lambda: gx.Study.from_wide(matrix().set_axis([ODD, "b", "=1+1"], axis=1)),
    "numbers as names": lambda: gx.Study.from_wide(matrix().set_axis([7, 2.5, True], axis=1)),
    "all tie": lambda: gx.Study.from_wide(pd.DataFrame({"a": [1.0] * 9, "b": [1.0] * 9, "c": [0.0] * 9})),
    "three experiments": lambda: gx.Study.from_wide(matrix(n=3)),
    "gaps": with_gaps,
    "clusters, configurations, runs": with_everything,
}


@cache
def made(name):
    """A study, its card and its answers."""
    with warnings.catch_warnings(action="ignore"):
        study = STUDIES[name]()
    return study, gx.card(study), gx.Answers(study)


@pytest.mark.parametrize("name", STUDIES)
def test_every_form_is_whole_and_says_the_same(name, tmp_path):
    _, card, found = made(name)
    content = valid(card)
    assert [each["answer"] for each in content["answers"]] == found.sentences
    assert {file.name for file in card.save(tmp_path)} == {"card.json", "card.md", "card.svg", "card.tex"}
    assert json.loads((tmp_path / "card.json").read_text(encoding="utf-8")) == content
    card.save(tmp_path)  # its own are replaced
    picture = ElementTree.parse(tmp_path / "card.svg").getroot()
    assert picture.find("{*}desc").text.split() == module._NO_XML.sub("\ufffd", found.sentences[0]).split()
    html = mistune.create_markdown(plugins=["table"])(card.markdown)
    assert not re.search(r"<(b|em|code|script|img|a)\b|@(?=octocat)", html.replace("<strong>", ""))
    assert html.count("<h1>") == 1 and "nothing was stated" in html
    assert card.latex.count(r"\end{table}") == 1


def test_numbers_of_a_card_are_those_of_the_study():
    study = with_gaps()
    content = valid(gx.card(study, claim="a", decided="the mean rank,\nby our plan"))
    contend, ranking = study.contenders(), study.ranking()
    assert set(content["contenders"]["may_be_best"]) == set(contend.index[contend["may_be_best"]])
    assert [row["alternative"] for row in content["ranks"]] == ranking.index.tolist()
    ends = list(zip(ranking["low"], ranking["high"], strict=True))
    assert [(row["low"], row["high"]) for row in content["ranks"]] == ends
    pairs = study.pairs()
    alike = {frozenset(pair) for pair in pairs.loc[pairs["better"] == "", ["a", "b"]].to_numpy()}
    told = {frozenset((row["alternative"], other)) for row in content["ranks"] for other in row["not_told_apart_from"]}
    assert told == alike
    assert content["comparisons"] == {"alternatives": 3, "pairs": 3, "configurations": 1, "level": 0.05}
    assert content["missing"]["n_missing"] == 4 and content["missing"]["n_evaluations"] == 36
    assert content["decided_before"] == "the mean rank, by our plan"


def test_the_card_of_a_bundled_table_is_valid():
    roles = {"alternatives": "model_family_model_name", "target": "score_value", "design": "number_of_shots"}
    over = ["task_name", "subtask_description"]
    study = gx.Study(gx.datasets.load_bigbench("bundled"), **roles, over=over, higher_is_better=True)
    card = gx.card(study)
    content = valid(card)
    contend = study.contenders(content["configuration"])
    assert " Not run in it: Discriminant LDA, " in card.markdown
    assert set(content["contenders"]["may_be_best"]) == set(contend.index[contend["may_be_best"]])
    assert len(content["ranks"]) + len(content["not_ranked"]) == study.scores(content["configuration"]).shape[1]


def test_ties_are_called_ties():
    card = gx.card(gx.Study.from_wide(pd.DataFrame({"a": [1.0, 0] * 5, "b": [0, 1.0] * 5, "c": [-1.0] * 10})))
    assert {row["alternative"]: row["tied_with"] for row in card.content["ranks"]} == {"a": ["b"], "b": ["a"], "c": []}
    assert [re.search(rf"\| {name} \|.*\| 1 = \|", card.markdown) is not None for name in "abc"] == [True, True, False]


def test_every_part_is_documented():
    text = (ROOT / "docs" / "card.md").read_text(encoding="utf-8")
    told = set(re.findall(r"`(\w+)`", text[text.index("## What card.json holds") :]))
    assert set(SCHEMA["required"]) - told == {"made_by", "versions", "why_configuration"}


def test_the_citation_is_that_of_the_project():
    cff = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    latex = gx.card(gx.Study.from_wide(matrix())).latex
    paper = cff[cff.index("references:") :].split("  - type: ")[1]
    (title,) = re.findall(r'title: "(.*)"', paper)
    assert title in latex and all(name in latex for name in re.findall(r"family-names: (.*)", paper))


LATEX = r"""\documentclass{article}
\let\toprule\hline \let\midrule\hline \let\bottomrule\hline
\begin{document}\input{card.tex}\end{document}"""


@pytest.mark.parametrize("name", STUDIES)
def test_latex_has_two_sentences_for_each_claim(name):
    _, card, found = made(name)
    latex = card.latex
    claims = [part.splitlines() for part in latex.split("\n\n") if part.startswith("% Claim: ")]
    told = {claim.removeprefix("% Claim: "): (found, how) for claim, found, how in claims}
    assert all(line.endswith(".") for each in told.values() for line in each)
    assert ("who is best" in told) == (not found.cannot_compare)
    absent = [found.cannot_compare, found.regret.empty, found.no_agreement, found.no_nstar]
    assert len(told) == sum(not each for each in absent)
    if name == "all tie":
        said = r"Of 3 alternatives, 2 can be the best by mean rank over 9 experiments (95 \% confidence): a and b."
        assert told["who is best"][0] == said
    if name == "one winner":
        assert "Of 3 alternatives, only a can be the best by mean rank over 30 " in told["who is best"][0]
        told.pop("whether the experiments are enough")  # a sentence for each question
        assert all(re.search(r"\.(?!\d)", line[:-1]) is None for each in told.values() for line in each)
    table = latex[latex.index(r"\midrule") : latex.index(r"\bottomrule")]
    assert table.count(r"\\") == len(found.ranking)


@pytest.mark.parametrize("program", ["pdflatex", "lualatex"])
def test_latex_compiles_whatever_the_names(program, tmp_path):
    if shutil.which(program) is None:
        pytest.skip(f"needs {program}")
    names = ["a_b & 50%", "$x^2$ {#1} ~\\end{table}", "*[b]"]
    latex = gx.card(gx.Study.from_wide(matrix().set_axis(names, axis=1)), claim=names[0], decided="50 % & more").latex
    (tmp_path / "card.tex").write_text(latex, encoding="utf-8")
    (tmp_path / "all.tex").write_text(LATEX)
    command = [program, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]


def test_who_may_be_the_best_beyond_the_rows_is_named_or_counted():
    scores = np.random.default_rng(0).normal(size=(8, 23))
    study = gx.Study.from_wide(pd.DataFrame(scores).add_prefix("m"))
    card, contend = gx.card(study), study.contenders()
    order = study.ranking().index.tolist()
    named, counted = ([name for name in order[n:] if contend.loc[name, "may_be_best"]] for n in (20, 8))
    assert len(named) == 2 and len(counted) == 14
    assert f"first 20 of 23 are shown; of the others, {named[0]} and {named[1]} may be the best, too." in card.markdown
    assert "First 8 of 23; 14 of the others may be the best, too" in card.svg
    assert "Possible places (95 % confidence), 8 experiments" in card.svg


def test_who_is_told_apart_from_all_is_like_nobody():
    assert made("one winner")[1].markdown.count("| nobody |") == 3


def test_a_card_says_why_this_configuration():
    markdown = made("clusters, configurations, runs")[1].markdown
    assert "- Configuration: by=x. It is the first of the 2 configurations that have the most" in markdown


def test_a_file_that_is_no_card_stays(tmp_path):
    (tmp_path / "card.md").write_text("mine")
    with pytest.raises(DataError, match="not made by this command"):
        gx.card(gx.Study.from_wide(matrix())).save(tmp_path)
    assert [file.read_text() for file in tmp_path.iterdir()] == ["mine"]


@pytest.mark.skipif(chromium.BROWSER is None, reason=chromium.MISSING)
def test_text_of_the_picture_is_inside_and_readable_in_light_and_dark(tmp_path):
    names = ["a name that is much longer than any column", "\u6f22" * 20, "WWWWWWWWWWWWWWWWWWWWWWWWW"]
    gx.card(gx.Study.from_wide(matrix((1.0, 1.0, 0.9)).set_axis(names, axis=1))).save(tmp_path)
    script = """(() => [...document.querySelectorAll('text')].map(e => {
      const box = e.getBoundingClientRect(), page = document.documentElement.getBoundingClientRect();
      return [box.left >= 0 && box.right <= page.width, getComputedStyle(e).fill]; }))()"""
    ground = "getComputedStyle(document.querySelector('svg > rect')).fill"
    with chromium.chromium() as tab:
        tab.visit(tmp_path / "card.svg")
        for dark in (False, True):
            tab.look(900, dark=dark)
            behind = luminance(tab.evaluate(ground))
            assert (behind < 0.1) == dark
            shown = tab.evaluate(script)
            assert len(shown) == 2 + 3 + 3 and all(inside for inside, _ in shown)
            for _, fill in shown[2:]:
                bright, dim = sorted([luminance(fill), behind], reverse=True)
                assert (bright + 0.05) / (dim + 0.05) > 4.5
        assert tab.complaints() == []


def luminance(colour):
    """Relative luminance, as WCAG defines it."""
    parts = np.array([int(part) for part in re.findall(r"\d+", colour)[:3]]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722]


# --- the gate ---------------------------------------------------------------------------------------------------------


def test_a_gate_is_open_where_the_interval_lies_above():
    study = gx.Study.from_wide(matrix((3.0, 1.0, 0.0)))
    low = study.agreement("winner", 30)["low"].iloc[0]
    assert gx.assert_conclusion(study, "winner", low - 1e-6, best="a") is None
    gx.assert_conclusion(study, "top-k", 0.5, k=2)
    gx.assert_conclusion(study, "order", 0.5)


def test_a_gate_that_is_closed_says_what_holds_and_what_it_takes():
    study = gx.Study.from_wide(matrix((0.3, 0.2, 0.0), n=20))
    row, needed = study.agreement("winner", 20).iloc[0], study.experiments_for("winner", 0.9)
    with pytest.raises(AssertionError) as raised:
        gx.assert_conclusion(study, "winner", probability=0.9)
    assert f"between {row['low']:.2f} and {row['high']:.2f} (95 % interval), so 0.9 is not shown" in str(raised.value)
    size = "more than 2,000" if np.isinf(needed["n"]) else f"about {needed['n']:,.0f} experiments"
    assert size in str(raised.value)
    found = gx.Answers(study)
    assert len(found.contenders) > 1
    with pytest.raises(gx.errors.NotConcludedError) as raised:
        gx.assert_conclusion(study, best=found.leaders[0])
    assert found.sentences[0] in str(raised.value) and found.sentences[3] in str(raised.value)


def test_a_claim_holds_for_the_only_contender():
    few = matrix()
    few.loc[5:, "a"] = np.nan
    claims = {
        "Yes: none of the other alternatives can be.": (made("one winner")[0], "a"),
        "No: some other one is better.": (made("one winner")[0], "c"),
        "No: b can be the best, too.": (made("all tie")[0], "a"),
        "That cannot be said: 3 experiments tell nobody apart.": (made("three experiments")[0], "a"),
        "No: it was run in fewer than half of the experiments.": (gx.Study.from_wide(few, missing="complete"), "a"),
    }
    for text, (study, best) in claims.items():
        claim = gx.card(study, claim=best).content["claim"]
        assert claim == {"alternative": best, "holds": text.startswith("Yes"), "text": text}


def test_a_gate_needs_to_be_told_what_it_guards():
    study = gx.Study.from_wide(matrix())
    wrong = {"say which conclusion": {}, "no alternative 'A'": {"best": "A"}}
    for message, asked in {**wrong, "probability": {"conclusion": "winner", "probability": 80}}.items():
        with pytest.raises(ParameterError, match=message):
            gx.assert_conclusion(study, **asked)
    with pytest.raises((ParameterError, StudyError), match="by"):
        gx.assert_conclusion(with_everything(), "winner")


def test_the_example_of_the_page_is_a_test_that_passes_and_one_that_says_what_holds(monkeypatch):
    page = (ROOT / "docs" / "card.md").read_text(encoding="utf-8")
    (code,) = [code for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "def test_" in code]
    (text,) = re.findall(r"```text\n(.*?)\n```", page, re.DOTALL)
    monkeypatch.setattr(pytest, "fixture", lambda **_: lambda function: function)
    tests = {}
    exec(code, tests)
    passes, fails = (test for name, test in tests.items() if name.startswith("test_"))
    study = tests["study"]()
    passes(study)
    with pytest.raises(AssertionError) as raised:
        fails(study)
    assert str(raised.value) == text


# --- the command ------------------------------------------------------------------------------------------------------


def call(*arguments):
    return CliRunner().invoke(main, ["card", *map(str, arguments)])


def test_the_command_makes_the_card_of_the_same_request(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    matrix(names=["svm", "tree", "knn"]).rename_axis("dataset").melt(
        var_name="model", value_name="accuracy", ignore_index=False
    ).to_csv("results.csv")
    done = call("results.csv", "--claim", "svm", "--decided", "in the plan")
    assert done.exit_code == 0 and "genexpy-nb card results.csv --alternatives model" in done.output
    content = json.loads(Path("card-results/card.json").read_text(encoding="utf-8"))
    jsonschema.validate(content, SCHEMA)
    assert content["request"]["results"] == "results.csv" and content["claim"]["holds"]
    assert call("results.csv", "--claim", "tree", "--level", "0.01").exit_code == 1
    again = json.loads(Path("card-results/card.json").read_text(encoding="utf-8"))
    assert (again["claim"]["holds"], again["comparisons"]["level"]) == (False, 0.01)
    assert call("results.csv", "--claim", "SVM").exit_code == 2


def test_what_is_not_sure_is_no_card(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    matrix().rename_axis("task").melt(var_name="model", ignore_index=False).to_csv("results.csv")
    done = call("results.csv")
    assert done.exit_code == 2 and "genexpy-nb card results.csv" in done.output and "no card" in done.output
    assert [file.name for file in tmp_path.iterdir()] == ["results.csv"]
