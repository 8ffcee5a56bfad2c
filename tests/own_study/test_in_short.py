"""Findings, key numbers and descriptions of figures say on any table what a plain computation says."""

import re
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import genexpy_nb as gx
from genexpy_nb.common import page
from genexpy_nb.common.prose import verbatim
from genexpy_nb.own_study import alts
from genexpy_nb.own_study.in_short import findings, keep_numbers, named, on_warning
from genexpy_nb.plots.study import pair_scatter
from genexpy_nb.study.answers import LARGE
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


def described(found):
    """Every description that the page asks for, under the conditions under which it does."""
    finite = {name: np.isfinite(getattr(found, name)["nstar"]).any() for name in ("nstar", "sensitivity", "influence")}
    wanted = {
        alts.of_positions: found.ranking["low"].notna().any(),
        alts.of_missing: len(found.missing),
        alts.of_ranks: len(found.ranking),
        alts.of_agreement: len(found.agreement),
        alts.of_needs: finite["nstar"],
        alts.of_curves: len(found.curves),
        alts.of_pairs: len(found.pairs),
        alts.of_sensitivity: finite["sensitivity"],
        alts.of_influence: finite["influence"],
    }
    return {of.__name__: of(found) for of, holds in wanted.items() if holds}


def check(found):
    made = findings(found)
    assert 1 <= len(made) <= 3
    texts = described(found)
    for text in [*texts.values(), *(" ".join((each.asked, each.found, each.sure)) for each in made)]:
        assert not re.search(r"\bnan\b|\bNone\b|\binf\b|  |\bNA\b|^1 (others|experiments|alternatives)\b|\n", text), (
            text
        )
    assert all(texts.values()) and all(each.asked.endswith("?") and each.found.endswith(".") for each in made)
    numbers = numbers_of(found)
    # an agreement may have an interval only
    assert all(not np.isnan(number.value) or not np.isnan(number.low) for number in numbers.values())
    return made, texts, numbers


@settings(max_examples=8)
@given(
    n=st.integers(1, 7),
    k=st.integers(1, 4),
    parts=st.integers(1, 2),
    levels=st.sampled_from([1, 2, 1000]),
    missing=st.sampled_from([0.0, 0.3]),
    seed=st.integers(0, 999),
)
def test_on_any_table_there_are_findings_numbers_and_descriptions_without_a_gap(n, k, parts, levels, missing, seed):
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
    found = gx.answers(study, alternative=MARKUP[0] if seed % 2 else None)
    made, _, _ = check(found)
    assert len(made) == 1 + (not found.regret.empty) + (not found.no_agreement)


def test_findings_of_a_table_where_all_can_be_said():
    found = gx.answers(Study.from_wide(normal(30, 5)))
    made, texts, numbers = check(found)
    row, n_contenders = found.agreement.query("n == 30 and conclusion == 'winner'").iloc[0], len(found.contenders)
    assert n_contenders == found.ranking["may_be_best"].sum() == numbers["contenders"].value > 1
    assert made[0].asked == "Which of the alternatives may be called the best?"
    assert made[0].found.startswith(f"{n_contenders} of 5 may be, because") and made[0].sure.startswith("95 % conf")
    assert made[0].found.endswith(f" {found.ranking['alternative'].iloc[0]} leads.") and "30 tasks" in made[0].sure
    lost = found.study.regret(1).iloc[0]
    assert f"Of 5 alternatives, the leader is on average {lost['regret']:.1f} places behind" in made[1].found
    assert numbers["regret"].value == lost["regret"]
    assert f"drawn at random is {lost['of_alternative']:.1f} places behind" in made[1].found
    assert f"between {row['low']:.2f} and {row['high']:.2f}." in made[2].found
    assert made[2].sure == "95 % interval, 30 tasks"
    assert ("leave it open" in made[2].found) == (row["high"] - row["low"] > 0.6)
    needed = found.nstar.set_index("kernel").loc["Jaccard(1)"]
    assert numbers["nstar-jaccard"].value == needed["nstar"] and numbers["nstar-jaccard"].high == needed["high"]
    assert numbers["same-winner"].low == row["low"] and numbers["experiments"].value == 30
    assert numbers["significant-pairs"].value == found.n_apart == (found.pairs["p_adjusted"] <= 0.05).sum()
    assert texts["of_pairs"].startswith(f"{found.n_apart} of 10 pairs")
    assert "enough" not in numbers and numbers["missing"].value == 0
    assert len(numbers) >= 10


def test_a_leader_that_may_be_named_is_the_finding():
    made = check(gx.answers(Study.from_wide(normal(30, 4, spread=3.0))))[0]
    assert made[0].found == "Only m0. It is the only one of 4 alternatives that none of the others beats."
    long = check(gx.answers(Study.from_wide(normal(30, 2, ["a *long* name of a model", "b"], spread=3.0))))[0][0]
    assert long.found.startswith(r"Only a \*long\* name of a model. It is the only one of 2")


def test_who_leads_together_and_who_leads_but_may_not_be_named():
    same = check(gx.answers(Study.from_wide(pd.DataFrame(np.ones((6, 3)), columns=list("abc")))))[0][0]
    assert same.found.startswith("3 of 3 may be, because") and same.found.endswith("a, b and c lead.")
    some = pd.DataFrame({"a": [2.0] * 20, "b": [3.0] * 10 + [np.nan] * 10, "c": [1.0] * 20})
    said = check(gx.answers(Study.from_wide(some, missing="worst-rank")))[0][0]  # b is last where it was not run
    assert said.found == (
        "1 of 3 may be. a leads, but may not be called the best: over what was run for both, b did better."
    )


@pytest.mark.parametrize(("n", "value", "words"), [(1, "1.50", "1 experiment tell"), (3, "1.00", "3 experiments tell")])
def test_too_few_experiments_leave_the_mean_rank(n, value, words):
    table = pd.DataFrame({"a": [2.0] * n, "b": [2.0 if n == 1 else 1.0] * n})
    made, _, numbers = check(gx.answers(Study.from_wide(table.assign(c=0.0))))
    assert len(made) == 1 and words in made[0].found and f"a mean rank of {value}." in made[0].found
    assert {"same-winner", "contenders", "regret", "significant-pairs"}.isdisjoint(numbers)


def test_where_pairs_are_too_many_there_is_the_mean_rank(monkeypatch):
    monkeypatch.setitem(LARGE, "tests", LARGE["tests"]._replace(most=1))
    found = gx.answers(Study.from_wide(normal(12, 3)))
    first = findings(found)[0]
    assert f"{found.ranking['mean_rank'].iloc[0]:.2f}." in first.found and "too many to compare" in first.found
    assert numbers_of(found)["best-position"].low is None


def test_several_designs_say_which_one():
    found = gx.answers(designs(normal(9, 3), normal(6, 3, seed=1)), budget=5)
    made, _, numbers = check(found)
    assert f"in {verbatim('part_of=0')}, one of 2 configurations" in made[0].found
    assert numbers["enough"].value == (found.nstar["verdict"] == "enough").mean()
    shown = found.nstar[(found.nstar["part_of"] == 0) & (found.nstar["kernel"] == "Jaccard(1)")]
    assert numbers["nstar-jaccard"].value == shown["nstar"].item()


def test_missing_cells_are_counted():
    scores = normal(10, 3)
    scores.iloc[2:6, 1] = np.nan
    found = gx.answers(Study.from_wide(scores))
    _, texts, numbers = check(found)
    assert numbers["missing"].value == 4 / 30 and "4 of 30 evaluations are missing, 13.3 %" in texts["of_missing"]
    assert "the alternative m1 lacks 40 %" in texts["of_missing"]


def test_names_with_markup_are_escaped_and_cut():
    found = gx.answers(Study.from_wide(normal(20, 8, MARKUP[::-1], spread=1.0)), alternative="<script>")
    made, texts, _ = check(found)
    best = found.ranking["alternative"].iloc[0]
    assert verbatim(named(best)) in made[0].found
    assert all("x" * 61 not in text for text in [*texts.values(), made[0].found])
    assert "<" not in "".join(finding.found.replace("\\<", "") for finding in made)


def test_a_pair_is_counted():
    scores = pd.DataFrame({"a": [3.0, 2.0, 1.0, 5.0], "b": [1.0, 2.0, 0.0, 6.0]})
    assert alts.of_pair(pair_scatter(scores, "a", "b", True)) == "4 experiments, 1 tied; a better: 2, b better: 1."
    with plt.rc_context({"axes.titlelocation": "left"}):  # as the style of pages has it
        assert alts.of_pair(pair_scatter(scores, "a", "b", True)).startswith("4 experiments, 1 tied; a better")


@pytest.mark.parametrize(("n_missing", "words"), [(0, ""), (1, "1 of its 12 scores is"), (3, "3 of its 12 scores are")])
def test_a_best_alternative_that_was_hardly_run_says_so(n_missing, words):
    scores = normal(12, 3, spread=4.0)
    scores.iloc[:n_missing, 0] = np.nan
    scores.iloc[0, 2] = np.nan  # that of another one is not said
    found = gx.answers(Study.from_wide(scores, missing="complete"))
    first = check(found)[0][0]
    assert first.found.startswith("Only m0.") and first.found.endswith(
        f" {words} missing." if words else "others beats."
    )


def test_a_single_winner_on_a_reading_with_a_warning_says_so_on_the_page():
    sure, doubtful = (Study.from_wide(normal(40, 3, spread=3.0)) for _ in range(2))
    doubtful.warnings.append("Are the columns experiments of one kind?")
    said = [str(findings(gx.answers(study))[0]) for study in (sure, doubtful)]
    assert ["It rests on a reading with a warning" in text for text in said] == [False, True]
    open_ = Study.from_wide(normal(4, 3))
    open_.warnings.append("Are the columns experiments of one kind?")
    assert not on_warning(gx.answers(open_))  # nobody is named
