"""The page of somebody's own study, executed for real: awkward names, and tables about which little can be said."""

import re

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from made_up_kernels import SameLoser

import genexpy_nb as gx
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.own_study import in_short
from genexpy_nb.own_study.page import make_page, notebook_file
from genexpy_nb.own_study.request import StudyRequest
from genexpy_nb.reporting.pairing import read_source
from genexpy_nb.reporting.spec import declared_parameters

AWKWARD = ["$x_1$", "100 %", "a_b*c", "<b onload=alert(1)>", "new\nline", "🚀", "שלום", "{brace}", "x" * 80]


@pytest.fixture
def few_draws():
    """The page is made in another process, from all draws."""


def text_of(html):
    soup = BeautifulSoup(html, "html.parser")
    for hidden in soup.select("details:not(.more), .code, style"):
        hidden.decompose()
    return " ".join(soup.select_one("main").get_text(" ").split())


def test_the_parameters_of_the_notebook_are_those_of_a_request():
    declared = {p.name: p.default for p in declared_parameters(read_source(notebook_file()), "notebook 09")}
    given = StudyRequest("").parameters()
    assert list(declared) == list(given)
    same = set(declared) - {"alternatives", "target", "higher_is_better", "over"}  # of the leaderboard
    assert {name: declared[name] for name in same} == {name: given[name] for name in same}


def test_what_is_not_a_parameter_is_refused_before_anything_runs():
    with pytest.raises(ParameterError, match="alpa"):
        make_page({"alpa": 0.9}, "mine", "Mine")


@pytest.mark.notebooks
def test_names_of_any_kind_and_missing_cells(tmp_path):
    rng = np.random.default_rng(1)
    scores = pd.DataFrame(rng.normal(np.arange(9) / 9, 0.5, (24, 9)), columns=AWKWARD)
    scores = scores.mask(rng.random(scores.shape) < 0.1)
    study = gx.Study.from_wide(scores)
    asked = {"alternative": "$x_1$", "budget": 10, "kernels": [gx.JaccardKernel(), gx.MallowsKernel(), SameLoser()]}
    page = gx.report(study, tmp_path / "mine.html", title="Mine & <yours>", **asked)
    html = page.read_text(encoding="utf-8")
    assert page == tmp_path / "mine.html" and len(html) < 3_000_000 and list(tmp_path.iterdir()) == [page]
    assert "<script" not in html and "onload=alert" not in html.replace("&lt;b onload=alert(1)&gt;", "")
    assert "<title>Mine &amp; &lt;yours&gt;</title>" in html
    shown = text_of(html)
    assert html.count("<svg") == 5
    found = gx.Answers(study, **asked)
    assert SameLoser.name in shown  # a question of their own, without any change to the page
    assert all(" ".join(sentence.split()) in shown for sentence in found.sentences)
    assert not re.search(r"\b(NaN|None|nan|NaT|Traceback|n_experiments)\b", shown)
    assert str(tmp_path) not in html and "You will learn" not in shown  # the notebook says that to who learns from it
    soup = BeautifulSoup(html, "html.parser")
    assert all(" ".join(name.split()) in " ".join(soup.main.get_text(" ").split()) for name in AWKWARD)
    assert found.question in soup.select_one(".page-head .lead").get_text()
    answered = " ".join(soup.select_one(".page-head").get_text(" ").split())
    assert all(each.asked in answered and each.sure in answered for each in in_short.findings(found))
    objects = [figure["id"] for figure in soup.select("figure[id]")]
    assert objects[0] == "figure-positions" and "table-key-numbers" in objects and "figure-missing" in objects
    assert all(len(image["aria-label"]) > 20 for image in soup.select("figure svg")) and not soup.select("img")
    nstar = found.nstar.set_index("kernel")["nstar"]
    assert f"Mallows 24 {np.ceil(nstar['Mallows']):.0f} [" in shown


@pytest.mark.slow  # two more pages: what can be said of any table is in test_in_short.py
@pytest.mark.notebooks
@pytest.mark.parametrize(
    "scores",
    [
        {"A": [0.1, 0.3], "B": [0.2, 0.1]},
        {"A": [0.1, None, None, 0.3, None], "B": [None, 0.2, 0.4, None, 0.1], "C": [None, None, 0.2, 0.1, 0.5]},
    ],
    ids=["two by two", "hardly anything"],
)
def test_a_table_about_which_little_can_be_said_gets_a_page_that_says_so(scores, tmp_path):
    table = pd.DataFrame(scores).rename_axis("task").reset_index().melt("task", var_name="method", value_name="score")
    table.to_csv(tmp_path / "results.csv", index=False)
    request = StudyRequest(
        str(tmp_path / "results.csv"),
        alternatives=("method",),
        target=("score",),
        higher_is_better="higher",
        over=("task",),
    )
    made = make_page(request.parameters(), "mine", "Mine", shown=request.parameters(folders=False))
    assert made.problem == "" and "results = 'results.csv'" in made.notebook
    assert str(tmp_path) not in made.html and str(tmp_path) not in made.notebook
    shown = text_of(made.html)
    assert not re.search(r"\b(NaN|None|nan|inf)\b", shown)
    for lesson in ("You will learn", "answer_1"):  # of the notebook, for those who learn from it
        assert lesson in notebook_file().py.read_text() and lesson not in shown and lesson not in made.notebook
