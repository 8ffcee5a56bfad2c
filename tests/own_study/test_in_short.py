"""Findings and key numbers say on any table what a plain computation says."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import genexpy_nb as gx
from genexpy_nb.common import page
from genexpy_nb.common.prose import verbatim
from genexpy_nb.own_study.in_short import findings, keep_numbers, on_holes, on_warning
from genexpy_nb.study.answers import LARGE, Answers
from genexpy_nb.study.sentences import QUESTIONS
from genexpy_nb.study.study import Study

pytestmark = pytest.mark.filterwarnings("ignore::genexpy_nb.common.errors.StudyWarning")

MARKUP = ["**a**", "<script>", "[x](y)", "$x_1$", "a\nb", "# 1.", "`c`", "x" * 300]


def normal(n, k, names=None, seed=0, spread=0.3):
    values = np.random.default_rng(seed).normal(np.arange(k)[::-1] * spread, 1.0, (n, k))
    return pd.DataFrame(values, columns=names or [f"m{i}" for i in range(k)]).rename_axis("task")


def designs(*frames):
    with warnings.catch_warnings(action="ignore"):
        return Study.from_wide(pd.concat(dict(enumerate(frames)), names=["part_of"]), design="part_of")


def numbers_of(found):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page, "_KEPT", {})
        keep_numbers(found)
        return dict(page._KEPT)


def check(found):
    made = findings(found)
    for each, asked, answer in zip(made, QUESTIONS, found.sentences, strict=False):
        assert each.asked in (asked, answer[: len(each.asked)]) and (each.asked == asked or each.asked[-1] == ".")
    for text in [" ".join((each.asked, each.found, each.sure)) for each in made]:
        unfit = r"\bnan\b|\bNone\b|\binf\b|  |\bNA\b|^1 (others|experiments|alternatives)\b|\n"
        assert not re.search(unfit, text), text
    assert all(each.found.endswith(".") for each in made)
    numbers = numbers_of(found)
    # an agreement may have an interval only
    assert all(not np.isnan(number.value) or not np.isnan(number.low) for number in numbers.values())
    return made, numbers


@settings(max_examples=8)
@given(
    n=st.integers(1, 7),
    k=st.integers(1, 4),
    parts=st.integers(1, 2),
    levels=st.sampled_from([1, 2, 1000]),
    missing=st.sampled_from([0.0, 0.3]),
    seed=st.integers(0, 999),
)
def test_on_any_table_there_are_findings_and_numbers_without_a_gap(n, k, parts, levels, missing, seed):
    rng = np.random.default_rng(seed)
    frames = []
    for _ in range(parts):
        values = rng.integers(0, levels, (n, k)).astype(float)
        values[1:][rng.random((n - 1, k)) < missing] = np.nan
        frames.append(pd.DataFrame(values, columns=MARKUP[:k]).rename_axis("task"))
    try:
        study = designs(*frames) if parts > 1 else Study.from_wide(frames[0])
    except gx.errors.GenexpyError:
        assert k < 2  # nothing to compare
        return
    check(gx.Answers(study, alternative=MARKUP[0] if seed % 2 else None))


def test_findings_of_a_table_where_all_can_be_said():
    found = gx.Answers(Study.from_wide(normal(30, 5)))
    made, numbers = check(found)
    row, n_contenders = found.agreement.query("n == 30 and conclusion == 'winner'").iloc[0], len(found.contenders)
    assert n_contenders == found.ranking["may_be_best"].sum() == numbers["contenders"].value > 1
    assert findings(found, " After.")[0].sure == f"{made[0].sure} After."
    assert f"{n_contenders} of the 5 alternatives" in str(made[0]) or made[0].asked.startswith("Each of the 5 ")
    assert made[0].sure == "Based on 30 tasks."
    lost = found.study.regret(1).iloc[0]
    assert f"about {lost['regret']:.0f} places behind" in made[1].asked
    assert numbers["regret"].value == lost["regret"]
    assert f"{row['low']:.1f}" in made[2].found and f"{row['high']:.1f}" in made[2].found
    needed = found.nstar.set_index("kernel").loc["Jaccard(1)"]
    assert numbers["nstar-jaccard"].value == needed["nstar"] and numbers["nstar-jaccard"].high == needed["high"]
    assert numbers["same-winner"].low == row["low"] and numbers["experiments"].value == 30
    assert np.isnan(numbers["same-winner"].value) == (row["high"] - row["low"] > 0.6 or np.isnan(row["estimate"]))
    assert numbers["significant-pairs"].value == found.n_apart == (found.pairs["p_adjusted"] <= 0.05).sum()
    assert "enough" not in numbers and numbers["missing"].value == 0
    assert len(numbers) >= 10


def test_a_leader_that_may_be_named_is_the_finding():
    made = check(gx.Answers(Study.from_wide(normal(30, 4, spread=3.0))))[0]
    assert made[0].asked.startswith("m0 is the only one of the 4 alternatives that can be the best")
    long = check(gx.Answers(Study.from_wide(normal(30, 2, ["a *long* name of a model", "b"], spread=3.0))))[0][0]
    assert long.asked.startswith("a *long* name of a model is the only one of the 2")


@pytest.mark.parametrize("n", [1, 3])
def test_too_few_experiments_leave_the_mean_rank(n):
    table = pd.DataFrame({"a": [2.0] * n, "b": [2.0 if n == 1 else 1.0] * n})
    made, numbers = check(gx.Answers(Study.from_wide(table.assign(c=0.0))))
    assert f"mean rank {1.5 if n == 1 else 1:.2f}" in made[0].found
    assert {"same-winner", "contenders", "regret", "significant-pairs"}.isdisjoint(numbers)


def test_where_pairs_are_too_many_there_is_the_mean_rank(monkeypatch):
    monkeypatch.setitem(LARGE, "tests", LARGE["tests"]._replace(most=1))
    found = gx.Answers(Study.from_wide(normal(12, 3)))
    first = findings(found)[0]
    assert f"{found.ranking['mean_rank'].iloc[0]:.2f}" in first.found and "too many to compare" in first.found
    assert numbers_of(found)["best-position"].low is None


def test_several_designs_say_which_one():
    found = gx.Answers(designs(normal(9, 3), normal(6, 3, seed=1)), budget=5)
    made, numbers = check(found)
    assert f"In {verbatim('part_of=0')}, one of 2 configurations" in made[0].found
    assert numbers["enough"].value == (found.nstar["verdict"] == "enough").mean()
    shown = found.nstar[(found.nstar["part_of"] == 0) & (found.nstar["kernel"] == "Jaccard(1)")]
    assert numbers["nstar-jaccard"].value == shown["nstar"].item()


def test_missing_cells_are_counted():
    scores = normal(10, 3)
    scores.iloc[2:6, 1] = np.nan
    found = gx.Answers(Study.from_wide(scores))
    assert check(found)[1]["missing"].value == 4 / 30


def test_names_with_markup_are_escaped():
    found = gx.Answers(Study.from_wide(normal(20, 7, MARKUP[-2::-1], spread=1.0)), alternative="<script>")
    made, _ = check(found)
    name = found.ranking["alternative"].iloc[0]  # a page escapes what stands above an answer
    assert verbatim(name) in made[0].found or name in made[0].asked
    assert "<" not in "".join(finding.found.replace("\\<", "") for finding in made)


@pytest.mark.parametrize(("n_missing", "words"), [(0, ""), (1, "1 of its 12 scores is"), (3, "3 of its 12 scores are")])
def test_a_best_alternative_that_was_hardly_run_says_so(n_missing, words):
    scores = normal(12, 3, spread=4.0)
    scores.iloc[:n_missing, 0] = np.nan
    scores.iloc[0, 2] = np.nan  # that of another one is not said
    found = gx.Answers(Study.from_wide(scores, missing="complete"))
    first = check(found)[0][0]
    assert "m0 is the only one" in str(first) and (f" {words} missing." in first.found) == bool(words)


def test_a_single_winner_on_a_reading_with_a_warning_says_so_on_the_page():
    sure, doubtful = (Study.from_wide(normal(40, 3, spread=3.0)) for _ in range(2))
    doubtful.warnings.append("Are the columns experiments of one kind?")
    said = [str(findings(gx.Answers(study))[0]) for study in (sure, doubtful)]
    assert ["But see the warning" in text for text in said] == [False, True]
    open_ = Study.from_wide(normal(4, 3))
    open_.warnings.append("Are the columns experiments of one kind?")
    assert not on_warning(gx.Answers(open_))  # nobody is named


def test_what_was_dropped_is_said_where_nothing_else_is_missing():
    frame = normal(10, 4)
    frame.iloc[:3, 1:] = np.nan
    for table, said in ((frame, ": 3 of 10 conditions were dropped"), (normal(10, 4), "")):
        holes = on_holes(Answers(Study.from_wide(table, missing="drop")))
        assert holes == "none missing" + (" in what is left" + said if said else "")
