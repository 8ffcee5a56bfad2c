"""Answers on any table are true, whole sentences; on a real one they are what a plain computation says."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import stats

import genexpy_nb as gx
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.prose import percent
from genexpy_nb.conclusions import agreement_of_table
from genexpy_nb.datasets.tables import load_encoders
from genexpy_nb.generalization.kernels import BordaKernel, JaccardKernel, MallowsKernel, RBFKernel
from genexpy_nb.study import answers as module
from genexpy_nb.study.answers import LARGE, MAIN_TABLES, answers
from genexpy_nb.study.planning import extend_first
from genexpy_nb.study.study import Study

pytestmark = pytest.mark.filterwarnings("ignore::genexpy_nb.StudyWarning")


def matrix(means, n=30, scale=0.1, rng=0):
    names = [chr(ord("a") + i) for i in range(len(means))]
    values = np.random.default_rng(rng).normal(means, scale, (n, len(means)))
    return pd.DataFrame(values, columns=pd.Index(names, name="model")).rename_axis("dataset")


def texts(found):
    return [
        *found.sentences,
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
    """Nothing that is no word, and verdicts that follow from the numbers."""
    assert len(found.sentences) == 3 and found.next_steps
    for text in texts(found):
        assert not WRONG.search(text), text
        assert text[-1] in ".?" and (text[0].isupper() or text[0].isalnum()), text
    who, whether, now = found.sentences
    scores = found.study.scores(found.configuration, impute=True)
    n, k = scores.shape
    if n > 1 and k > 1:
        first = found.ranking.loc[~found.ranking["behind"], "alternative"].tolist()
        best = found.ranking.loc[found.ranking["position"] == 1, "alternative"].tolist()
        assert ("is significantly better than" in who) == (len(best) == 1 and 1 <= len(first) < k)
        if len(best) == k:
            assert "have the same mean rank" in who
        elif len(best) == 1 and len(first) == k:
            assert "is not significantly better than" in who
    rows = [row for row in map(found.estimate_of, found.kernels) if row is not None]
    shown = pd.DataFrame(rows, columns=found.nstar.columns)
    words = {"enough": r"(?:is|are|\)\,) enough on", "more needed": r"too few on", "undecided": r"perhaps enough on"}
    for verdict, word in words.items():
        assert bool(re.search(word, whether)) == (shown["verdict"] == verdict).any(), (verdict, whether)
    for row in shown[shown["verdict"] == "more needed"].itertuples():
        assert np.isinf(row.nstar) or f"{row.more:,} more needed" in whether
    n_missing = int(found.study.scores(found.configuration).isna().to_numpy().sum())
    assert ("o evaluation is missing" in now) == (n_missing == 0)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
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
    found = answers(study, budget=budget, alternative="a" if seed % 2 else None)
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
        blocks(*[matrix([1, 0.9, 0.8], n=6, rng=i) for i in range(500)]),
    ],
    ids=["two by two", "one experiment", "constant", "a small one", "only small ones", "500 configurations"],
)
def test_sentences_of_odd_studies(study):
    check_words(answers(study if isinstance(study, Study) else Study.from_wide(study)))


def test_a_configuration_with_a_single_alternative():
    lonely = matrix([1, 0.5, 0], n=40).assign(b=np.nan, c=np.nan)
    study = blocks(matrix([1, 0.5, 0], n=10), lonely)
    found = answers(study, configuration={"task": 1})
    assert found.why_configuration == "It was asked for."
    assert "there is a single alternative, a, and nothing to compare it with" in found.sentences[0]
    assert not WRONG.search(" ".join(texts(found)))
    assert found.pairs.empty and found.halves.empty and len(found.nstar) == 4
    assert answers(study).configuration == {"task": 1}  # the one with the most experiments


def test_an_infinite_estimate_is_said_in_words(monkeypatch):
    found = answers(Study.from_wide(matrix([1, 0.9, 0.8])))
    planned, nothing = found._planned
    planned = gx.plan(planned.assign(nstar=[np.inf, 20.0], high=[np.inf, 25.0])[planned.columns[:-3]])
    monkeypatch.setattr(module.Answers, "_planned", (planned, nothing))
    found = answers(Study.from_wide(matrix([1, 0.9, 0.8])))
    assert "too few on which alternative is best (n* infinite" in found.sentences[1]
    assert any("larger delta" in step for step in found.next_steps)
    check_words(found)
    assert found.to_dict()["tables"]["nstar"][0]["nstar"] == "inf"


def test_the_first_sentence_in_each_case():
    who = answers(Study.from_wide(matrix([0.9, 0.6, 0.3], n=60, scale=0.05))).sentences[0]
    assert who.startswith("a has the best mean rank (1.00) of 3 alternatives over 60 experiments and is significantly ")
    assert "better than each of the 2 others (level 0.05)." in who
    pair = answers(Study.from_wide(matrix([0.9, 0.3], n=60))).sentences[0]
    assert "and is significantly better than b (" in pair
    close = answers(Study.from_wide(matrix([0.5, 0.5, 0.1], rng=1)))
    first = close.ranking["alternative"].tolist()
    assert close.ranking["tier"].tolist() == [0, 0, 1]
    assert f"better than 1 of the 2 others, but not than {first[1]} (" in close.sentences[0]
    shared = answers(Study.from_wide(pd.DataFrame({"a": [2.0, 1.0] * 9, "b": [1.0, 2.0] * 9, "c": [0.0, 0.5] * 9})))
    assert "a and b have the best mean rank (1.50) of 3 alternatives" in shared.sentences[0]
    assert "together, and c is significantly worse than a (" in shared.sentences[0]
    several = answers(blocks(matrix([1, 0.5, 0]), matrix([0, 0.5, 1]), matrix([1, 0.5, 0.2]))).sentences[0]
    assert several.startswith("In task=0, one of 3 configurations, a has the best mean rank")
    assert several.endswith("; it has the best mean rank in 2 of the 3 configurations.")


def test_the_second_sentence_says_what_enough_is_enough_for():
    found = answers(Study.from_wide(matrix([0.9, 0.6, 0.3], n=60, scale=0.12)))
    jaccard, mallows = found.nstar.itertuples()
    assert jaccard.verdict == mallows.verdict == "enough"
    halves = found.halves.iloc[0]
    assert found.sentences[1] == (
        "For another study to have similar results (δ = 0.05, α = 0.95), the 60 experiments of this one are enough on "
        f"which alternative is best (n* = {jaccard.nstar:.1f}, {jaccard.low:.1f} to {jaccard.high:.1f}) and on how all "
        f"alternatives are ranked (n* = {mallows.nstar:.1f}, {mallows.low:.1f} to {mallows.high:.1f}); whether the "
        "winner would be the same is another question: the probability that two studies of 60 experiments have the "
        "same winner is 1.00 (both ends of the nominal 95 % interval; estimate 1.00); "
        f"in {halves['estimate'] * 1000:,.0f} of 1,000 splits into "
        "halves of 30, the best by mean rank is the same in both."
    )
    assert any("need not have the same winner" in text for text in found.limits)


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
    return answers(study, configuration=study.configurations[2], delta=0.1, budget=20)


def test_frames_are_those_of_the_study(real):
    found = real
    study, shown = found.study, found.configuration
    assert found.tiers["tier"].tolist() == study.tiers(shown, impute=True)["tier"].tolist()
    assert found.nstar.equals(gx.plan(study.nstar(found.kernels, 0.95, 0.1)))
    assert found.extend.equals(extend_first(found.nstar, 20))
    assert found.halves.equals(study.halves(shown)) and found.influence.equals(study.leave_one_out(shown, delta=0.1))
    assert found.sensitivity.equals(study.sensitivity(shown, delta=0.1))
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
    assert back["tables"]["halves"][0]["low"] is None
    assert {"genexpy_nb", "numpy", "pandas"} <= set(back["versions"])


def test_roles_and_missing_cells():
    frame = matrix([1, 0.5, 0.4, 0], n=10)
    frame.loc[:3, "b"] = np.nan
    frame.loc[2, "c"] = np.nan
    found = answers(Study.from_wide(frame))
    assert found.missing.to_dict("list") == {
        "side": ["alternative"] * 2 + ["experiment"] * 4,
        "name": ["b", "c", 2, 0, 1, 3],
        "n_missing": [4, 1, 2, 1, 1, 1],
        "share": [0.4, 0.1, 0.5, 0.25, 0.25, 0.25],
    }
    assert "5 of 40 evaluations (12.5 %) are missing here" in found.sentences[2]
    assert found.data[["role", "column"]].values.tolist() == [
        ["alternatives", "model"],
        ["target", "score"],
        ["generalize over", "dataset"],
    ]
    assert found.data["levels"].tolist() == [4, pd.NA, 10]


# --- what can be asked, and what is left out --------------------------------------------------------------------------


def test_kernels_and_an_alternative():
    study = Study.from_wide(matrix([1, 0.9, 0.8]))
    assert answers(study).kernels == [JaccardKernel(k=1), MallowsKernel()]
    assert answers(study, alternative="b").kernels == [JaccardKernel(k=1), MallowsKernel(), BordaKernel("b")]
    chosen = answers(study, kernels=[RBFKernel(gamma=20.0), BordaKernel("b")], alternative="b")
    assert chosen.kernels == [RBFKernel(gamma=20.0), BordaKernel("b")]
    assert "the raw scores (n* = " in chosen.sentences[1]
    assert "the position of b (n* = " in chosen.sentences[1]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"alternative": "z"}, "there is no 'z'"),
        ({"alpha": 1.0}, "alpha"),
        ({"delta": 0}, "delta"),
        ({"level": -1}, "level"),
        ({"budget": -1}, "budget"),
        ({"budget": 1.5}, "budget"),
        ({"kernels": "Mallows"}, "kernels"),
        ({"configuration": {"task": 1}}, "no design factor"),
    ],
)
def test_wrong_parameters_are_refused_before_anything_is_computed(wrong, words):
    with pytest.raises(ParameterError, match=words):
        answers(Study.from_wide(matrix([1, 0.5])), **wrong)
    with pytest.raises(ParameterError, match="study must be"):
        answers(matrix([1, 0.5]))


def limited(monkeypatch, **most):
    """Parts of a study are left out from other sizes on."""
    for part, value in most.items():
        monkeypatch.setitem(LARGE, part, LARGE[part]._replace(most=value))


def test_what_is_left_out_is_said_beforehand(monkeypatch):
    limited(monkeypatch, tests=100, influence=10**3, settings=10)
    monkeypatch.setattr(module, "MOST_COMPARED", 30 * 3**2)
    monkeypatch.setattr(module, "N_COMPARED", 3)
    monkeypatch.setattr(module, "MOST_SPLIT", 10)
    found = answers(Study.from_wide(matrix([1, 0.8, 0.6, 0.4, 0.2])))
    assert found.left_out == [
        "With 30 experiments and 5 alternatives, this would take too long, and is left out: tiers and intervals of "
        "positions, leaving out each experiment in turn and other settings and curves.",
        "To save time, pairs are compared among the best 3 of 5 alternatives only, and their p-values are adjusted for "
        "these pairs; the experiments are split into halves 100 times, not 1,000 times.",
    ]
    assert not found.__dict__.keys() & {"ranking", "pairs", "halves", "influence"}
    assert found.ranking["low"].isna().all() and found.tiers.empty and found.influence.empty
    assert found.sensitivity.empty and found.curves.empty and (found.halves["n_splits"] == 100).all()
    assert len(found.pairs) == len(found.wins) == 3
    assert set(found.pairs["a"]) | set(found.pairs["b"]) == set(found.ranking["alternative"][:3])
    assert not any(WRONG.search(text) for text in texts(found))
    assert "there are too many pairs to test them all" in found.sentences[0]


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize(
    ("part", "work"),
    [
        ("tests", lambda n, k, tables: sum(tables for _ in range(n) for _ in range(k) for _ in range(k))),
        ("runs", lambda n, k, tables: n * k),
        ("influence", lambda n, k, tables: n * n * n * tables),
        ("settings", lambda n, k, tables: n),
        ("agreement", lambda n, k, tables: max(n * k * min(n, k), 250 * k * k)),
    ],
)
def test_each_part_is_left_out_from_its_own_size_on(monkeypatch, part, work, missing):
    """Ten completions of a table with gaps are ten times the work, where each of them is gone through."""
    frame = matrix([1, 0.8, 0.6, 0.4], n=12)
    frame.iloc[0, 1] = np.nan if missing else 0.8
    found = answers(Study.from_wide(frame, missing="complete"))
    most = work(12, 4, 10 if missing else 1)
    limited(monkeypatch, **{part: most})
    assert not found.too_much(part)
    limited(monkeypatch, **{part: most - 1})
    assert found.too_much(part) and [other for other in LARGE if found.too_much(other)] == [part]


def test_many_experiments_are_not_resampled(monkeypatch):
    monkeypatch.setattr(module, "MOST_RESAMPLED", 10)
    limited(monkeypatch, tests=30 * 3**2)
    study = Study.from_wide(matrix([1, 0.8, 0.6, 0.4, 0.2]))
    found = answers(study)
    assert any("t distribution" in text for text in found.left_out)
    best = sorted(found.ranking["alternative"][:3])
    assert found.pairs.equals(study.pairs(interval="t", alternatives=best))
    scores = study.scores()
    for row in found.pairs.itertuples():
        d = scores[row.a] - scores[row.b]
        low, high = stats.t.interval(0.95, len(d) - 1, d.mean(), stats.sem(d))
        assert (row.low, row.high) == pytest.approx((low, high))


@pytest.mark.parametrize("seed", range(4))
def test_the_best_of_all_configurations_are_those_of_the_ranking(seed):
    """With completions, too: their mean ranks decide, and not the ranking of what was observed."""
    rng = np.random.default_rng(seed)
    index = pd.MultiIndex.from_product([range(8), list("abcd"), ["u", "v"]], names=["task", "model", "size"])
    table = index.to_frame(index=False)
    table["score"] = rng.normal(size=len(table)).round(1)
    roles = {"alternatives": "model", "target": "score", "generalize_over": "task", "design": ["size"]}
    study = Study(table[rng.random(len(table)) > 0.15], **roles, missing="complete")
    each = [answers(study, configuration=configuration) for configuration in study.configurations]
    best = [set(found.ranking.loc[found.ranking["position"] == 1, "alternative"]) for found in each]
    n_same = best.count(best[0])
    assert f"the best mean rank in {n_same} of the 2 configurations" in each[0].sentences[0]


# --- single runs ------------------------------------------------------------------------------------------------------


def with_runs(noise, n=12, n_runs=4, means=(1.0, 0.9, 0.2), rng=0):
    """Experiments differ by 1, and alternatives in them by 0.1; runs by ``noise``."""
    draw = np.random.default_rng(rng)
    places = np.indices((n, len(means), n_runs)).reshape(3, -1)
    frame = pd.DataFrame({"dataset": places[0], "model": np.array(list("abcdef"))[places[1]], "seed": places[2]})
    of_cells = draw.normal(means, 0.1, (n, len(means))) + draw.normal(0, 1, (n, 1))
    return frame.assign(score=of_cells[places[0], places[1]] + draw.normal(0, noise, len(frame)))


def study_of_runs(frame, **options):
    roles = {"alternatives": "model", "target": "score", "generalize_over": "dataset", "average_over": "seed"}
    return Study(frame, **roles, **options)


@pytest.mark.parametrize(("noise", "large"), [(0.01, False), (1.0, True)])
def test_noise_of_runs_is_said(noise, large):
    study = study_of_runs(with_runs(noise))
    found = answers(study)
    assert found.noise.set_index("alternative").equals(study.noise().rename_axis("alternative"))
    first, second, third = found.noise_in_words
    by_runs, by_experiments = map(
        float, re.findall(r"differ by ([\d.]+) .* experiments by ([\d.]+) \(medians\)", first)[0]
    )
    assert by_runs == pytest.approx(noise, rel=0.3) and 0.5 < by_experiments < 1.5
    share = found.noise["share_of_difference"].median()
    leader = found.noise["alternative"].iloc[0]
    assert (share >= 0.5) == large and f"make {percent(share)} of" in second and f"from {leader} (median)" in second
    n_same = study.noise().attrs["n_same_best"]
    assert f"in {n_same} of 4 single runs" in third
    assert any("Run more repetitions (seed)" in step for step in found.next_steps) == large
    assert any("takes the runs (seed) for independent" in text for text in found.limits)
    check_words(found)
    assert not any(WRONG.search(text) for text in found.noise_in_words)
    assert found.to_dict()["tables"]["noise"][0]["share_of_difference"] is None


def test_noise_where_there_is_little_to_say(monkeypatch):
    plain = answers(Study.from_wide(matrix([1, 0.5])))
    assert plain.noise.empty and plain.noise_in_words == [] and not any("runs (" in text for text in plain.limits)
    single = answers(study_of_runs(with_runs(1.0, n_runs=1)))
    assert single.noise_in_words == [
        "No experiment has two runs of one alternative: how far runs differ, is not known."
    ]
    nested = answers(study_of_runs(with_runs(1.0).eval("seed = 100 * dataset + seed")))
    assert "is not known: fewer than two runs have a score" in nested.noise_in_words[-1]
    alone = answers(study_of_runs(with_runs(1.0, n=1)))
    assert "experiments by" not in alone.noise_in_words[0] and len(alone.noise_in_words) == 2
    for found in (single, nested, alone):
        check_words(found)
        assert not any(WRONG.search(text) for text in found.noise_in_words)
    limited(monkeypatch, runs=35)
    many = answers(study_of_runs(with_runs(1.0)))
    assert any("noise of single runs" in text for text in many.left_out)
    assert many.noise.empty and list(many.noise) == list(single.noise) and not many.noise_in_words
    assert not any("repetitions" in step for step in many.next_steps)


# --- a second study ---------------------------------------------------------------------------------------------------


def said(row):
    """Interval and estimate as the sentences have them."""
    return [
        f"{abs(value) if round(value, 2) == 0 else value:.2f}" for value in (row["low"], row["high"], row["estimate"])
    ]


def at(found, conclusion, n):
    rows = found.agreement
    (row,) = rows[(rows["conclusion"] == conclusion) & (rows["n"] == n)].to_dict("records")
    return row


@pytest.mark.parametrize(
    "means", [[1, 0.9, 0.5, 0.45, 0], [1, 0.95], [1, 0.9, 0.8]], ids=["five", "a pair", "no top 3 of three"]
)
def test_agreement_is_that_of_the_study(means):
    study = Study.from_wide(matrix(means, n=21, scale=0.4))
    found = answers(study)
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
        low, high, estimate = said(at(found, name, 21))
        assert f"between {low} and {high} (nominal 95 % interval; estimate {estimate})" in text
        low, high, estimate = said(at(found, name, 42))
        assert re.search(rf"with 42 experiments, (between )?{low} .*estimate {estimate}\)", text)


def test_agreement_of_equal_alternatives_by_counting():
    """Sixteen rankings in which everybody wins as often: of A equal alternatives, one in A wins both studies."""
    cyclic = np.array([np.roll([3.0, 2.0, 1.0, 0.0], shift) for shift in range(4)] * 4)
    found = answers(Study.from_wide(pd.DataFrame(cyclic, columns=list("abcd"))))
    low = found.agreement.groupby("conclusion")["low"].first()
    assert low["winner"] == pytest.approx(1 / 4) and low["top 3"] == pytest.approx(3 / 4)
    halves = found.agreement_of_halves.set_index("conclusion")["estimate"]
    assert halves["winner"] < 1 / 4 and halves["order"] < 0  # in a balanced table, what one half gains the other loses
    assert "All 4 alternatives have the same mean rank" in found.sentences[0]
    assert any("each takes one of them by chance" in text for text in found.limits)
    assert any("compare fewer contenders" in step for step in found.next_steps)


def test_a_clear_leader_is_confirmed_and_two_leaders_leave_it_open():
    clear = answers(Study.from_wide(matrix([3, 0, 0, 0], n=40, scale=0.3)))
    assert at(clear, "winner", 40)["low"] > 0.99
    assert "have the same winner is 1.00 (both ends of the nominal 95 % interval; estimate 1.00)" in clear.sentences[1]
    assert not any("interval of the winner is long" in text for text in clear.agreement_in_words)
    assert not any("count on the winner" in step for step in clear.next_steps)
    two = answers(Study.from_wide(matrix([1, 1, 0, 0], n=40, scale=0.3)))
    row = at(two, "winner", 40)
    assert row["low"] < 0.55 and row["high"] > 0.9
    assert two.agreement_in_words[-1].startswith("The interval of the winner is long: these results fit a study whose")
    (step,) = (step for step in two.next_steps if "count on the winner" in step)
    assert "between {} and {} (nominal 95 % interval; estimate {})".format(*said(row)) in step
    check_words(clear)
    check_words(two)


def test_how_many_experiments_an_order_takes_is_said():
    found = answers(Study.from_wide(matrix([1, 0.8, 0.6, 0.4, 0.2], n=20, scale=0.4)))
    (needed,) = found.experiments_for.to_dict("records")
    assert 20 < needed["n"] < 2000 and needed["high"] == np.inf
    interval = f"{needed['low']:,.0f} to more than 2,000"
    assert (
        f"about {needed['n']:,.0f} experiments in each study are enough (nominal 95 % interval {interval})"
        in " ".join(found.agreement_in_words)
    )
    (step,) = (step for step in found.next_steps if "whole order" in step)
    assert step.startswith(f"Run {needed['n'] - 20:,.0f} more experiments") and interval in step
    none = answers(Study.from_wide(matrix([0, 0, 0, 0, 0], n=20)))
    assert none.experiments_for["n"].item() == np.inf
    assert any("not even 2,000 experiments in each study are enough" in text for text in none.agreement_in_words)
    assert not any("whole order" in step for step in none.next_steps)
    assert none.to_dict()["tables"]["experiments_for"][0]["n"] == "inf"
    for each in (found, none):
        assert not any(WRONG.search(text) for text in each.agreement_in_words)


def test_too_few_or_too_many_for_agreement_is_said(monkeypatch):
    few = answers(Study.from_wide(matrix([1, 0.5, 0], n=3)))
    assert few.agreement.empty and few.experiments_for.empty and len(few.halves)
    assert few.agreement_in_words == [
        "Agreement of second studies was not estimated: it takes at least 5 experiments, and there are 3."
    ]
    assert "3 experiments are too few to say how probable that is; in 3 of 3 splits" in few.sentences[1]
    lonely = matrix([1, 0.5, 0], n=40).assign(b=np.nan, c=np.nan)
    lonely = answers(blocks(matrix([1, 0.5, 0], n=10), lonely), configuration={"task": 1})
    assert lonely.agreement_in_words == [
        "Agreement of second studies was not estimated: there is a single alternative."
    ]
    limited(monkeypatch, agreement=250 * 4**2 - 1)
    many = answers(Study.from_wide(matrix([1, 0.8, 0.6, 0.4])))
    assert any("agreement of second studies" in text for text in many.left_out)
    assert many.agreement.empty and "is another question: in 1," in many.sentences[1]
    assert not any("extrapolated" in text for text in [*many.limits, many.methods])


def test_agreement_of_completed_studies_and_of_clusters():
    frame = matrix([1, 0.5, 0.4, 0], n=12)
    frame.iloc[[0, 3, 7], [1]] = np.nan
    study = Study.from_wide(frame, missing="complete")
    found = answers(study)
    sizes = [3, 6, 9, 12, 18, 24, 36, 48]
    for name, options in (("winner", {}), ("top 3", {"k": 3, "n_completions": 3}), ("order", {"n_completions": 3})):
        conclusion = {"top 3": "top-k"}.get(name, name)
        expected = study.agreement(conclusion, sizes, **options).assign(conclusion=name)
        shown = found.agreement[found.agreement["conclusion"] == name].reset_index(drop=True)
        pd.testing.assert_frame_equal(shown, expected)
    assert "combined from 3 of the 10 completions" in found.left_out[-1]
    rows = matrix([1, 0.5, 0], n=28).reset_index()
    rows["domain"] = rows["dataset"] // 4
    long = rows.melt(["dataset", "domain"], var_name="model", value_name="score")
    roles = {"alternatives": "model", "target": "score", "generalize_over": "dataset"}
    clustered = answers(Study(long, **roles, cluster="domain"))
    assert sorted(clustered.agreement["n"].unique()) == [2, 3, 5, 7, 10, 14, 21, 28]  # of 7 clusters, not of 28 rows
    assert "two studies of 7 experiments" in clustered.sentences[1]


def test_agreement_is_of_the_configuration_in_detail():
    study = blocks(matrix([1, 0.5, 0.4], n=12), matrix([0, 0.05, 0.1], n=12, rng=3))
    for configuration in study.configurations:
        found = answers(study, configuration=configuration)
        expected = study.agreement("winner", 12, configuration)
        assert at(found, "winner", 12)["estimate"] == expected["estimate"].item()
    assert not any("study.components" in text for text in found.limits)  # two levels tell nothing of others


@pytest.mark.parametrize("balanced", [True, False])
def test_a_second_factor_is_pointed_at_where_the_table_has_one(balanced):
    found = answers(blocks(*[matrix([1, 0.5, 0], n=6 + (not balanced and i == 2), rng=i) for i in range(3)]))
    pointed = [text for text in found.limits if "study.components(kernel, ['dataset', 'task'])" in text]
    assert len(pointed) == balanced
    if balanced:
        components = found.study.components(MallowsKernel(), ["dataset", "task"])  # what it says, can be done
        assert components.sizes == {"dataset": 6, "task": 3}


def test_halves_go_by_the_names_of_agreement():
    found = answers(Study.from_wide(matrix([1, 0.9, 0.8, 0.7], n=12)))
    halves = found.halves.set_index("conclusion")["estimate"]
    assert found.agreement_of_halves.set_index("conclusion")["estimate"].to_dict() == {
        "winner": halves["best by mean rank"],
        "top 3": halves["top 3 by mean rank"],
        "order": halves["order by mean rank (tau-b)"],
    }
    assert set(found.agreement_of_halves["conclusion"]) == set(found.agreement["conclusion"])
    assert answers(Study.from_wide(matrix([1, 0.9], n=1))).agreement_of_halves.empty


def test_agreement_is_combined_from_as_many_completions_as_are_asked_for():
    frame = matrix([1, 0.8, 0.6], n=12, scale=0.3)
    frame.iloc[[1, 4, 8], [0]] = np.nan
    study = Study.from_wide(frame, missing="complete")
    first, *others = study.completions()
    alone = agreement_of_table(first, "order", [6, 12])
    pd.testing.assert_frame_equal(study.agreement("order", [6, 12], n_completions=1), alone)
    whole = study.agreement("order", [6, 12])
    assert whole.equals(study.agreement("order", [6, 12], n_completions=len(others) + 1))
    estimates = [agreement_of_table(each, "order", 6)["estimate"].item() for each in others]
    assert whole["estimate"][0] == pytest.approx(np.mean([alone["estimate"][0], *estimates]))
    with pytest.raises(ParameterError, match="n_completions"):
        study.agreement("order", n_completions=0)
