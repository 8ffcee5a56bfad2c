"""Answers on any table are true, whole sentences; on a real one they are what a plain computation says."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import genexpy_nb as gx
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.prose import percent
from genexpy_nb.datasets.locating import load_encoders
from genexpy_nb.generalization.kernels import BordaKernel, JaccardKernel, MallowsKernel, RBFKernel
from genexpy_nb.study import answers as module
from genexpy_nb.study.answers import LARGE, MAIN_TABLES, Answers
from genexpy_nb.study.planning import extend_first
from genexpy_nb.study.study import Study
from tests.made_up_results import crossed
from tests.said_of_studies import ROLES_OF_RUNS, matrix, of_runs

pytestmark = pytest.mark.filterwarnings("ignore::genexpy_nb.common.errors.StudyWarning")


def texts(found):
    return [
        *found.sentences,
        *found.noise_in_words,
        *found.agreement_in_words,
        *found.next_steps,
        *found.limits,
        *found.left_out,
        found.methods,
        found.question,
    ]


def blocks(*frames, **roles):
    return Study.from_wide(pd.concat(dict(enumerate(frames)), names=["task"]), design="task", **roles)


# --- true on any table ------------------------------------------------------------------------------------------------

WRONG = re.compile(
    r"\bnan\b|None|\binf\b|\b1 (experiments|others|alternatives|questions|warnings|configurations|evaluations|splits)\b"
    r"|  |\.\.|\(\)|, ,|\bpd\.|\bnp\.|NA\b"
)


def check_words(found):
    """Nothing that is no word, four answers, and verdicts that follow from the numbers."""
    assert len(found.sentences) == 4
    for text in texts(found):
        assert not WRONG.search(text), text
        assert text[-1] in ".?" and (text[0].isupper() or text[0].isalnum()), text
    who, cost, _, settle = found.sentences
    n, k = found.study.scores(found.configuration).shape
    assert ("cannot be said" in cost) == found.regret.empty == (n < 4 or k < 2)
    assert ("tell nobody apart" in who or "tells nobody apart" in who) == (k > 1 and n < 4)
    assert ("is the only one" in who) == ("may be named the best" in settle) == (found.may_be_named and k > 1)
    settled = found.may_be_named and k > 1 and not found.not_ranked
    assert (" may be named the best." in settle) == settled
    assert ("The winner is settled" in settle) == (settled and len(found.winners) == 1)
    rows = [row for row in map(found.estimate_of, found.kernels) if row is not None]
    shown = pd.DataFrame(rows, columns=found.nstar.columns)
    words = {
        "enough": r"and [\d,]+ \w+ (?:is|are) enough",
        "more needed": r"too few",
        "undecided": r"undecided whether",
    }
    for verdict, word in words.items():
        said = bool(re.search(word, found.enough_in_words))
        assert said == (shown["verdict"] == verdict).any(), (verdict, found.enough_in_words)
    for row in shown[shown["verdict"] == "more needed"].itertuples():
        assert np.isinf(row.nstar) or f"{row.more:,} more needed" in found.enough_in_words
    n_missing = int(found.study.accounting["n_imputed"].sum())
    assert any(re.match(r"Run the [\d,]+ missing evaluation", step) for step in found.next_steps) == (n_missing > 0)


@settings(max_examples=8)
@given(
    n=st.integers(1, 9),
    k=st.integers(2, 5),
    n_configurations=st.integers(1, 3),
    levels=st.sampled_from([1, 2, 5, 1000]),
    missing=st.sampled_from([0.0, 0.0, 0.1, 0.4]),
    spread=st.sampled_from([0.0, 1.0, 5.0]),
    budget=st.sampled_from([None, 0, 7]),
    seed=st.integers(0, 10_000),
)
def test_sentences_are_true_on_any_table(n, k, n_configurations, levels, missing, spread, budget, seed):
    rng = np.random.default_rng(seed)
    frames = []
    for _ in range(n_configurations):
        values = rng.integers(0, levels, (n, k)) + spread * np.arange(k)
        values[rng.random((n, k)) < missing] = np.nan
        values[0, :] = np.where(np.isnan(values[0]), 1.0, values[0])  # something is there
        frames.append(pd.DataFrame(values.astype(float), columns=list("abcdef")[:k]).rename_axis("dataset"))
    study = blocks(*frames) if n_configurations > 1 else Study.from_wide(frames[0])
    found = Answers(study, budget=budget, alternative="a" if seed % 2 else None)
    check_words(found)
    if n < 5:  # with more it takes longer, and says nothing more
        json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    "study",
    [
        Study.from_wide(pd.DataFrame({"a": [1.0, 2.0], "b": [0.0, 3.0]})),
        Study.from_wide(pd.DataFrame({"a": [1.0], "b": [2.0]})),
        pd.DataFrame(np.zeros((12, 4)), columns=list("abcd")),
        blocks(matrix([1, 0.5, 0]), matrix([1, 0.9, 0.8], n=2)),
        blocks(matrix([1, 0.5, 0], n=2), matrix([1, 0.9, 0.8], n=2)),
        blocks(*[matrix([1, 0.9, 0.8], n=6, rng=i) for i in range(40)]),
    ],
    ids=["two by two", "one experiment", "constant", "a small one", "only small ones", "40 configurations"],
)
def test_sentences_of_odd_studies(study):
    check_words(Answers(study if isinstance(study, Study) else Study.from_wide(study)))


def test_a_configuration_with_a_single_alternative():
    lonely = matrix([1, 0.5, 0], n=40).assign(b=np.nan, c=np.nan)
    study = blocks(matrix([1, 0.5, 0], n=10), lonely)
    found = Answers(study, configuration={"task": 1})
    assert found.why_configuration == "It was asked for."
    assert "There is nothing to compare a with." in found.sentences[0]
    assert not WRONG.search(" ".join(texts(found)))
    assert found.pairs.empty and found.regret.empty and len(found.nstar) == 4
    assert Answers(study).configuration == {"task": 1}  # the one with the most experiments


def test_an_infinite_estimate_is_said_in_words(monkeypatch):
    found = Answers(Study.from_wide(matrix([1, 0.9, 0.8])))
    planned, nothing = found._planned
    planned = gx.plan(planned.assign(nstar=[np.inf, 20.0], high=[np.inf, 25.0])[planned.columns[:-3]])
    monkeypatch.setattr(module.Answers, "_planned", (planned, nothing))
    found = Answers(Study.from_wide(matrix([1, 0.9, 0.8])))
    assert "If we ask how often each alternative wins, n* is infinite (" in found.enough_in_words
    assert any("larger delta" in step for step in found.next_steps)
    check_words(found)
    assert found.to_dict()["tables"]["nstar"][0]["nstar"] == "inf"


CLEAR, CLOSE = matrix([0.9, 0.6, 0.3], n=60, scale=0.05), matrix([0.5, 0.5, 0.1], rng=1)
BETTER_WHERE_RUN = matrix([1, 1.3, 0.4, 0.3], n=20, scale=0.05)
BETTER_WHERE_RUN.loc[0:9, "b"] = np.nan
FIRST_AND_LAST = {
    "clear": (CLEAR, "a is the only one of the 3 models that can be the best. Its mean rank is 1.00.",
              "The winner is settled: a may be named the best."),
    "close": (CLOSE, "2 of the 3 models may be the best. By mean rank, {0} leads, followed by ",
              "{0}"),
    "open": (matrix([0.5, 0.5], rng=1), "Each of the 2 models may be the best. {0} leads (mean", "{0}"),
    "four": (CLEAR.head(4), "confidence: with 4 datasets, no p-value can be below 0.062.", "bout 5 datasets"),
    "three": (CLEAR.head(3), "a leads (mean rank 1.00), but 3 experiments tell nobody apart.", "least 4 datasets"),
    "one": (CLEAR.head(1), "a leads (mean rank 1.00), but 1 experiment tells nobody apart.", "least 4 datasets"),
    "tied": (0 * CLEAR, "Each of the 3 models may be the best. a, b and c lead", "too close"),
    "shared": (pd.DataFrame({"a": [2.0, 1.0] * 9, "b": [1.0, 2.0] * 9, "c": [0.0, 0.5] * 9}),
               "2 of the 3 alternatives may be the best. By mean rank, a and b lead", "too close"),
    "better where run": (BETTER_WHERE_RUN, "No winner can be named. a leads (mean rank 1.50) if missing evaluations "
                         "count by the policy 'worst-rank'. Compared in pairs, over the experiments that both were run "
                         "on, only b can be the best, at 9", "Run the 10 missing evaluations, if that is possible."),
    "nearly nothing": (CLEAR.assign(b=CLEAR["b"].where(CLEAR.index == 3) + 9), "b (1 of 60) is not ranked: it was run "
                       "on fewer than half of the datasets and may be the best, too. If it were ranked by the few that",
                       "{} may be named the best of those with most of the datasets. Run b on them, too"),
    "four not ranked": (CLEAR.assign(**dict.fromkeys("wxyz", CLEAR["b"].where(CLEAR.index == 3))), "4 models, among "
                        "them w (1 of 60) and x (1 of 60), are not ranked: they were run on few", "Run w, x and 2 "),
}  # fmt: skip


@pytest.mark.parametrize(("frame", "who", "settles"), FIRST_AND_LAST.values(), ids=FIRST_AND_LAST)
def test_the_first_and_the_last_sentence_in_each_case(frame, who, settles):
    found = Answers(Study.from_wide(frame))
    leader = found.ranking["alternative"][0]
    if "ranked by the few that" in who:
        assert found.leader_of_all in (*found.not_ranked, leader)
        who = who if found.leader_of_all in found.not_ranked else who.split(" If it")[0]
    assert who.format(leader) in found.sentences[0] and settles.format(leader) in found.sentences[3]
    check_words(found)


def test_the_sentences_on_one_of_several_configurations():
    who = Answers(blocks(matrix([1, 0.5, 0]), matrix([0, 0.5, 1]), matrix([1, 0.5, 0.2]))).sentences[0]
    assert who.startswith("In task=0, one of 3 configurations: a is the only one of the 3 models that can be the best")
    assert re.search(r" It leads in 2 of the 3 configurations \(in .+: .+\)\.$", who)


def test_what_rules_out_a_rival_by_its_formula():
    """Where a rival would probably (.8) be told, at a critical value on the normal scale; and more than there are."""
    found = Answers(Study.from_wide(matrix([0.5, 0.48, 0.47, 0.1], n=30, rng=2)))
    leader, *others = found.contenders
    assert len(others) > 0 and list(found.needed_to_tell.sort_index().index) == sorted(others)
    assert (found.needed_to_tell > 30).all() and found.needed_to_tell.is_monotonic_decreasing
    scores = found.study.scores().rank(axis=1, ascending=False)
    rival = found.needed_to_tell.index[-1]
    d = scores[rival] - scores[leader]
    z = stats.norm.isf(np.array([0.05, 0.05 / 3])) + stats.norm.ppf(0.8)  # one comparison, three independent ones
    few, many = (z * d.std(ddof=1) / d.mean()) ** 2
    assert 0.9 * min(few, 1e9) <= found.needed_to_tell.iloc[-1] <= 1.1 * max(many, 34)


def test_the_other_sentences_are_the_tables():
    found = Answers(Study.from_wide(matrix([0.9, 0.85, 0.3], n=60, scale=0.12)))
    first, row = found.regret.iloc[0], at(found, "winner", 60)
    assert found.headed[1][0].startswith(f"On new datasets, the leader is about {first['regret']:.1f} place")
    behind = found.regret.attrs["regrets"][1]
    assert (
        behind.median() == 0
        and f"On half of them, it is the best. On one, it is {behind.max():.3g} behind." in found.sentences[1]
    )
    low, *_ = said(row)
    again = f"Two studies of 60 other datasets each would have the same winner with a probability of {low}"
    assert again in found.sentences[2]
    jaccard, mallows = found.nstar.itertuples()
    assert jaccard.verdict == mallows.verdict == "enough"
    assert found.enough_in_words == (
        "Two studies of n* experiments each have similar results (δ = 0.05, α = 0.95), whoever wins. If we ask how "
        f"often each alternative wins, n* is {np.ceil(jaccard.nstar):.0f} ({np.ceil(jaccard.low):.0f} to "
        f"{np.ceil(jaccard.high):.0f}), and 60 datasets are enough. If we ask how all alternatives are ranked, n* is "
        f"{np.ceil(mallows.nstar):.0f} ({np.ceil(mallows.low):.0f} to {np.ceil(mallows.high):.0f}), and 60 datasets "
        "are enough."
    )
    assert any("may still have different winners" in text for text in found.limits)


# --- tables ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def real():
    table = load_encoders(source="bundled")
    roles = {
        "alternatives": "encoder",
        "target": "cv_score",
        "generalize_over": "dataset",
        "design": ["model", "tuning"],
    }
    study = Study(table[table["scoring"] == "ACC"], **roles)
    return Answers(study, configuration=study.configurations[2], delta=0.1, budget=20)


def test_frames_are_those_of_the_study(real):
    found = real
    study, shown = found.study, found.configuration
    assert found.tiers["tier"].tolist() == study.tiers(shown)["tier"].tolist()
    assert found.nstar.equals(gx.plan(study.nstar(found.kernels, 0.95, 0.1)))
    assert found.extend.equals(extend_first(found.nstar, 20))
    assert found.pairs.equals(study.pairs(shown)) and found.regret.equals(study.regret(None, shown))
    assert found.gaps.equals(study.contenders(shown).rename_axis("alternative").reset_index())
    assert found.curves.equals(study.curves(shown, delta=0.1))
    assert found.accounting.equals(study.accounting) and found.averaged.equals(study.averaged)


def test_every_table_is_tidy_and_everything_goes_through_json(real):
    found = real
    tables = found.tables()
    assert set(MAIN_TABLES) <= set(tables)
    for name, table in tables.items():
        assert isinstance(table.index, pd.RangeIndex) or table.empty, name
        assert table.columns.is_unique, name
    back = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert back["sentences"] == found.sentences and set(back["tables"]) == set(tables)
    assert back["tables"]["ranking"][0]["mean_rank"] == pytest.approx(found.ranking["mean_rank"][0], rel=1e-11)
    assert {"genexpy_nb", "numpy", "pandas"} <= set(back["versions"])


def test_roles_and_missing_cells():
    frame = matrix([1, 0.5, 0.4, 0], n=10)
    frame.loc[:3, "b"] = np.nan
    frame.loc[2, "c"] = np.nan
    found = Answers(Study.from_wide(frame))
    assert found.missing.to_dict("list") == {
        "side": ["alternative"] * 2 + ["experiment"] * 4,
        "name": ["b", "c", 2, 0, 1, 3],
        "n_missing": [4, 1, 2, 1, 1, 1],
        "share": [0.4, 0.1, 0.5, 0.25, 0.25, 0.25],
    }
    assert "Run the 5 missing evaluations, if that is possible." in found.next_steps
    assert found.data[["role", "column"]].values.tolist() == [
        ["alternatives", "model"],
        ["target", "score"],
        ["generalize over", "dataset"],
    ]
    assert found.data["levels"].tolist() == [4, pd.NA, 10]


# --- what can be asked, and what is left out --------------------------------------------------------------------------


def test_kernels_and_an_alternative():
    study = Study.from_wide(matrix([1, 0.9, 0.8]))
    assert Answers(study).kernels == [JaccardKernel(k=1), MallowsKernel()]
    assert Answers(study, alternative="b").kernels == [JaccardKernel(k=1), MallowsKernel(), BordaKernel("b")]
    chosen = Answers(study, kernels=[RBFKernel(gamma=20.0), BordaKernel("b")], alternative="b")
    assert chosen.kernels == [RBFKernel(gamma=20.0), BordaKernel("b")]
    assert "the raw scores, n* is " in chosen.enough_in_words
    assert "the position of b, n* is " in chosen.enough_in_words


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"alternative": "z"}, "there is no 'z'"),
        ({"alpha": 1.0}, "alpha"),
        ({"delta": 0}, "delta"),
        ({"level": -1}, "level"),
        ({"budget": -1}, "budget"),
        ({"kernels": "Mallows"}, "kernels"),
        ({"configuration": {"task": 1}}, "no design factor"),
    ],
)
def test_wrong_parameters_are_refused_before_anything_is_computed(wrong, words):
    with pytest.raises(ParameterError, match=words):
        Answers(Study.from_wide(matrix([1, 0.5])), **wrong)
    with pytest.raises(ParameterError, match="study must be"):
        Answers(matrix([1, 0.5]))


def limited(monkeypatch, **most):
    """Parts of a study are left out from other sizes on."""
    for part, value in most.items():
        monkeypatch.setitem(LARGE, part, LARGE[part]._replace(most=value))


def test_what_is_left_out_is_said_beforehand(monkeypatch):
    limited(monkeypatch, tests=100, curves=10)
    monkeypatch.setattr(module, "N_COMPARED", 3)
    found = Answers(Study.from_wide(matrix([1, 0.8, 0.6, 0.4, 0.2])))
    assert found.left_out == [
        "With 30 experiments and 5 alternatives, this would take too long, and is left out: tests of all "
        "alternatives and curves over sizes of studies.",
        "Only pairs of the best 3 of 5 alternatives are listed.",
    ]
    assert not found.__dict__.keys() & {"ranking", "pairs", "regret"}
    assert found.ranking["low"].isna().all() and found.tiers.empty
    assert found.curves.empty and found.pairs.empty and found.regret.empty
    assert "but there are too many to compare them." in found.sentences[0]
    assert found.sentences[3].startswith("Compare fewer models")
    limited(monkeypatch, tests=30 * 5**2)
    few, whole = Answers(found.study), found.study.pairs()
    best = set(few.ranking["alternative"][:3])
    expected = whole[whole["a"].isin(best) & whole["b"].isin(best)].reset_index(drop=True)
    assert len(expected) == 3 and few.pairs.equals(expected)
    assert not any(WRONG.search(text) for text in texts(found))


@pytest.mark.parametrize("seed", range(3))
def test_the_best_of_all_configurations_are_those_of_the_ranking(seed):
    """With completions, too: their mean ranks decide, and not the ranking of what was observed."""
    rng = np.random.default_rng(seed)
    table = crossed(task=range(8), model=list("abcd"), size=["u", "v"])
    table["score"] = rng.normal(size=len(table)).round(1)
    roles = {"alternatives": "model", "target": "score", "generalize_over": "task", "design": ["size"]}
    study = Study(table[rng.random(len(table)) > 0.15], **roles, missing="complete")
    each = [Answers(study, configuration=configuration) for configuration in study.configurations]
    best = [set(found.ranking.loc[found.ranking["position"] == 1, "alternative"]) for found in each]
    n_same = best.count(best[0])
    assert f"ead in {n_same} of the 2 conf" in each[0].sentences[0].replace("eads", "ead")


# --- single runs ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("noise", "large"), [(0.01, False), (1.0, True)])
def test_noise_of_runs_is_said(noise, large):
    study = Study(of_runs(12, noise=noise), **ROLES_OF_RUNS)
    found = Answers(study)
    assert found.noise.set_index("alternative").equals(study.noise().rename_axis("alternative"))
    first, second, third = found.noise_in_words
    words = re.findall(r"differ by ([\d.]+) .* experiments by ([\d.]+) \(medians\)", first)
    by_runs, by_experiments = map(float, words[0])
    assert by_runs == pytest.approx(noise, rel=0.3) and 1 < by_experiments < 3
    share = found.noise["share_of_difference"].median()
    leader = found.noise["alternative"].iloc[0]
    assert (share >= 0.5) == large
    assert f"account for {percent(share)} of" in second and f"from {leader} (median)" in second
    n_same = study.noise().attrs["n_same_best"]
    assert f"In {n_same} of 4 single runs" in third
    assert any("Run more repetitions (seed)" in step for step in found.next_steps) == large
    assert any("treats the runs (seed) as independent" in text for text in found.limits)
    check_words(found)
    assert found.to_dict()["tables"]["noise"][0]["share_of_difference"] is None


def test_noise_where_there_is_little_to_say(monkeypatch):
    plain = Answers(Study.from_wide(matrix([1, 0.5])))
    assert plain.noise.empty and plain.noise_in_words == [] and not any("runs (" in text for text in plain.limits)
    single = Answers(Study(of_runs(12, n_runs=1), **ROLES_OF_RUNS))
    said = "No experiment has two runs of one alternative, so we do not know how far runs differ."
    assert single.noise_in_words == [said]
    nested = Answers(Study(of_runs(12).eval("seed = 100 * data + seed"), **ROLES_OF_RUNS))
    assert "is not known: fewer than two runs have a score" in nested.noise_in_words[-1]
    alone = Answers(Study(of_runs(1), **ROLES_OF_RUNS))
    assert "experiments by" not in alone.noise_in_words[0] and len(alone.noise_in_words) == 2
    for found in (single, nested, alone):
        check_words(found)
    limited(monkeypatch, runs=35)
    many = Answers(Study(of_runs(12), **ROLES_OF_RUNS))
    assert any("noise of single runs" in text for text in many.left_out)
    assert many.noise.empty and list(many.noise) == list(single.noise) and not many.noise_in_words
    assert not any("repetitions" in step for step in many.next_steps)


# --- a second study ---------------------------------------------------------------------------------------------------


def said(row):
    """Interval and estimate as the sentences have them."""
    digits = 2 if f"{row['low']:.1f}" == f"{row['high']:.1f}" else 1
    return [f"{round(row[name], digits) + 0:.{digits}f}" for name in ("low", "high", "estimate")]


def at(found, conclusion, n):
    rows = found.agreement
    (row,) = rows[(rows["conclusion"] == conclusion) & (rows["n"] == n)].to_dict("records")
    return row


@pytest.mark.parametrize(
    "means", [[1, 0.9, 0.5, 0.45, 0], [1, 0.95], [1, 0.9, 0.8]], ids=["five", "a pair", "no top 3 of three"]
)
def test_agreement_is_that_of_the_study(means):
    study = Study.from_wide(matrix(means, n=21, scale=0.4))
    found = Answers(study)
    sizes = [5, 10, 15, 21, 31, 42, 63, 84]
    expected = {"winner": study.agreement("winner", sizes), "order": study.agreement("order", sizes)}
    if len(means) > 3:
        expected["top 3"] = study.agreement("top-k", sizes, k=3)
    assert set(found.agreement["conclusion"]) == set(expected)
    for name, frame in expected.items():
        shown = found.agreement[found.agreement["conclusion"] == name].reset_index(drop=True)
        pd.testing.assert_frame_equal(shown, frame.assign(conclusion=name))
    needed, (row,) = study.experiments_for("order", 0.9), found.experiments_for.to_dict("records")
    assert row == needed.to_dict()
    for name, text in zip(found.conclusions, found.agreement_in_words, strict=False):
        for n, before, about in ((21, "", ["95 % interval"]), (42, "With 42 datasets each, it is ", [])):
            low, high, estimate = said(at(found, name, n))
            row = at(found, name, n)
            cut = row["estimate"] in (row["low"], row["high"]) and row["estimate"] < 1
            hidden = row["high"] - row["low"] > 0.6 or estimate == "nan" or cut
            about = ", ".join(about if hidden else [*about, f"estimate {estimate}"])
            interval = f"about {low}" if low == high else f"between {low} and {high}{f' ({about})' * bool(about)}"
            same = before and "With" not in text  # twice as many experiments say nothing, or the same
            assert same or f"{before}{interval}" in text


def test_a_clear_leader_is_confirmed_and_two_leaders_leave_it_open():
    clear = Answers(Study.from_wide(matrix([3, 0, 0, 0], n=40, scale=0.3)))
    assert at(clear, "winner", 40)["low"] > 0.99
    assert clear.sentences[2].endswith("the same winner with a probability of 0.95 or more (95 % interval).")
    assert clear.headed[2][0] == "Another study would most likely have the same winner."
    two = Answers(Study.from_wide(matrix([1, 1, 0, 0], n=40, scale=0.3)))
    row = at(two, "winner", 40)
    assert row["low"] < 0.55 and row["high"] > 0.9
    low, high, _ = said(row)
    wide = row["high"] - row["low"] > 0.6
    chance = f"{low} or more" if high == "1.0" else f"{low} to {high}"
    assert (f"anything between {low} and {high} fits" if wide else f"probability of {chance} (95") in two.sentences[2]
    check_words(clear)
    check_words(two)


def test_how_many_experiments_an_order_takes_is_said():
    found = Answers(Study.from_wide(matrix([1, 0.8, 0.6, 0.4, 0.2], n=20, scale=0.4)))
    (needed,) = found.experiments_for.to_dict("records")
    assert 20 < needed["n"] < 2000 and needed["high"] == np.inf
    n = f"{float(format(needed['n'], '.1g')):,.0f}"  # one digit: others vary by draws
    unit = 10 ** (len(f"{needed['low']:.0f}") - 1)
    low = f"{needed['low'] // unit * unit:,.0f}"
    size = f"about {n} datasets (95 % interval {low} to more than 2,000, rounded outwards)"
    assert any(f"For a tau of 0.9 on average, each study needs {size}" in t for t in found.agreement_in_words)
    none = Answers(Study.from_wide(matrix([0, 0, 0, 0, 0], n=20)))
    assert none.experiments_for["n"].item() == np.inf
    assert any("each study needs more than 2,000 datasets" in text for text in none.agreement_in_words)
    assert none.to_dict()["tables"]["experiments_for"][0]["n"] == "inf"
    check_words(found)
    check_words(none)


def test_too_few_or_too_many_for_agreement_is_said(monkeypatch):
    few = Answers(Study.from_wide(matrix([1, 0.5, 0], n=3)))
    assert few.agreement.empty and few.experiments_for.empty
    said = "Agreement of second studies was not estimated: it takes at least 5 experiments, and there are 3."
    assert few.agreement_in_words == [said]
    assert few.sentences[2] == "That cannot be said: it takes at least 5 experiments, and there are 3."
    lonely = matrix([1, 0.5, 0], n=40).assign(b=np.nan, c=np.nan)
    lonely = Answers(blocks(matrix([1, 0.5, 0], n=10), lonely), configuration={"task": 1})
    said = "Agreement of second studies was not estimated: there is a single alternative."
    assert lonely.agreement_in_words == [said]
    limited(monkeypatch, agreement=250 * 4**2 - 1)
    many = Answers(Study.from_wide(matrix([1, 0.8, 0.6, 0.4])))
    assert any("agreement of second studies" in text for text in many.left_out)
    assert many.agreement.empty and many.sentences[2] == "That cannot be said: it takes too long."
    assert not any("extrapolated" in text for text in [*many.limits, many.methods])


def test_agreement_is_of_the_configuration_in_detail():
    study = blocks(matrix([1, 0.5, 0.4], n=12), matrix([0, 0.05, 0.1], n=12, rng=3))
    for configuration in study.configurations:
        found = Answers(study, configuration=configuration)
        expected = study.agreement("winner", 12, configuration)
        assert at(found, "winner", 12)["estimate"] == expected["estimate"].item()
    assert not any("study.components" in text for text in found.limits)  # two levels tell nothing of others


@pytest.mark.parametrize("balanced", [True, False])
def test_a_second_factor_is_pointed_at_where_the_table_has_one(balanced):
    found = Answers(blocks(*[matrix([1, 0.5, 0], n=6 + (not balanced and i == 2), rng=i) for i in range(3)]))
    pointed = [text for text in found.limits if "study.components(kernel, ['dataset', 'task'])" in text]
    assert len(pointed) == balanced
    if balanced:
        components = found.study.components(MallowsKernel(), ["dataset", "task"])  # what it says, can be done
        assert components.sizes == {"dataset": 6, "task": 3}


@pytest.mark.parametrize("n, delta, alike", [(60, 0.07, True), (60, 0.06, False), (15, 0.07, False)])
def test_it_is_said_where_a_study_of_equal_winners_would_be_similar(n, delta, alike):
    """Shares of wins of 1/2, 1/3, 1/10 and 1/15 are .126 = 2 * .063 from 1/4, in squares; 15 are too few to say so."""
    scores = np.random.default_rng(0).random((60, 4))
    scores[np.arange(60), np.repeat(range(4), [30, 20, 6, 4])] = 2.0
    frame = pd.DataFrame(scores, columns=list("abcd")).iloc[:: 60 // n]
    rows = pd.concat([frame, frame]).assign(source=[*frame.index, *frame.index]).reset_index(drop=True)
    for study in (Study.from_wide(frame), Study.from_wide(rows, cluster="source")):
        said = Answers(study, delta=delta).enough_in_words
        assert ("even a study in which all alternatives win equally often would count as" in said) == alike
    tied = Study.from_wide(frame.clip(upper=0.0))
    assert not Answers(tied, delta=delta).even_is_alike and not Answers(study, MallowsKernel(), 0.95, 1).even_is_alike
