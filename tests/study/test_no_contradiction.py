"""Whatever the table: nothing that a study says contradicts anything else that it says."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genexpy_nb.common.errors import StudyError
from genexpy_nb.study.answers import Answers
from genexpy_nb.study.study import Study

pytestmark = pytest.mark.filterwarnings("ignore::genexpy_nb.common.errors.StudyWarning")


def made_up(n, k, levels, missing, spread, seed, policy="worst-rank"):
    """Scores with ``levels`` values, later alternatives better by up to ``spread``, some of them missing."""
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, levels, (n, k)) + np.round(spread * levels * np.linspace(0, 1, k))
    scores = np.where(rng.random((n, k)) < missing * rng.random(k), np.nan, scores)
    scores[0] = np.nan_to_num(scores[0])
    frame = pd.DataFrame(scores, columns=[f"m{i}" for i in rng.permutation(k)]).rename_axis("dataset")
    return Study.from_wide(frame, missing=policy, higher_is_better=bool(seed % 2))


def check(study):
    """Ask for everything, and compare."""
    try:
        best, gaps, pairs = study.best(), study.contenders(), study.pairs()
    except StudyError:  # a policy that drops what is incomplete leaves too little
        return
    scores = study.scores()[gaps.index]
    n, level, complete = len(scores), 0.05, not scores.isna().to_numpy().any()
    ranks, tiers = study.ranking(), study.tiers()
    there = scores.notna().astype(int)
    in_common = there.T.dot(there).stack().to_dict()
    worse = {name: set() for name in gaps.index}
    for pair in pairs.itertuples():
        assert pair.better in ("", pair.a, pair.b)
        assert (pair.better != "") == (pair.p_adjusted <= level and pair.estimate != 0)
        assert (pair.better != "") == (pair.low > 0 or pair.high < 0)
        assert pair.p <= pair.p_adjusted + 1e-12 and pair.p >= min(1, 2 * 0.5**pair.n_common) - 1e-12
        assert pair.n_common == in_common[pair.a, pair.b]
        assert not (pair.low > pair.estimate or pair.high < pair.estimate)
        if pair.better:
            assert pair.better == (pair.a if pair.estimate > 0 else pair.b)
            worse[pair.b if pair.better == pair.a else pair.a].add(pair.better)
        if not complete and pair.n_common < 6:
            assert pair.p == pair.p_adjusted == 1 and np.isnan([pair.estimate, pair.low, pair.high]).all()

    contend = set(best.contenders)
    assert contend == set(gaps.index[gaps["may_be_best"]]) == set(ranks.index[ranks["may_be_best"]])
    assert best.significant == (len(best.best) == 1 and contend == set(best.best))
    assert (gaps["p"] >= 0.5**n - 1e-12).all() and (gaps["p"][list(contend)] > level).all()
    assert not best.significant or best.p <= level
    for name, row in gaps.iterrows():
        assert (row["place_low"] == 1) == (name in contend) and 1 <= row["place_low"] <= row["place_high"] <= len(gaps)
        assert (row["place_low"], row["place_high"]) == tuple(ranks.loc[name, ["low", "high"]])
        assert not (name in contend and worse[name])
        assert row["low"] <= 0 <= row["high"] and (name in contend or row["high"] == 0)
        assert row["place_low"] >= 1 + len(worse[name])
    if len(contend) == 1:
        (only,) = contend
        assert tuple(gaps.loc[only, ["place_low", "place_high"]]) == (1, 1) and gaps.loc[only, "low"] == 0

    first = tiers.index[tiers["tier"] == 0]
    assert tiers["tier"].equals(ranks["tier"]) and list(tiers.index) == list(ranks.index) and first[0] in best.best
    for leader, members in tiers.groupby("leader"):
        assert not any(leader in worse[name] for name in members.index)
    assert all(worse[name] for name in tiers.index[tiers["tier"] > 0])
    if complete:
        assert set(best.best) <= contend
        assert ranks["position"].between(ranks["low"], ranks["high"]).all()
    check_words(study, best, contend, len(gaps))


def check_words(study, best, contend, k):
    found = Answers(study)
    who, cost, again, settle = found.sentences
    assert found.may_be_named == best.significant
    assert list(best.contenders) == found.contenders
    only, ranking = len(contend) == 1 and contend == set(best.best), found.ranking
    leader = ranking["alternative"].iloc[0]
    assert leader in best.best and set(ranking.loc[ranking["position"] == 1, "alternative"]) == set(best.best)
    assert ("is the only one" in who) == ("may be named the best" in settle) == only == best.significant
    assert not only or (f"{leader} is the only one" in who and f": {leader} may be named" in settle)
    assert ("No winner can be named" in who) == (not set(best.best) <= contend)
    assert ("Each of the" in who) == (len(contend) == k > 1 and set(best.best) <= contend)
    if set(best.best) <= contend:
        assert all(name in who for name in best.best[:2])
        assert len(contend) in (1, k) or f"{len(contend)} of the {k} " in who
    summary = found.summary()
    assert summary.ranking == f"{who} {cost}" and again in summary.generalizability
    assert any(settle == step for step in found.next_steps) == (not only)
    regret = found.regret
    assert (regret["regret"].diff().dropna() <= 1e-9).all() and (regret["regret"] >= 0).all()


@settings(max_examples=8)
@given(
    n=st.integers(4, 30),
    k=st.integers(3, 12),
    levels=st.sampled_from([1, 2, 3, 10, 1000]),
    missing=st.sampled_from([0.0, 0.0, 0.3, 1.0]),
    spread=st.sampled_from([0.0, 0.3, 1.0, 3.0]),
    seed=st.integers(0, 2**20),
    policy=st.sampled_from(["worst-rank", "complete", "drop"]),
)
def test_no_table_makes_a_study_contradict_itself(n, k, levels, missing, spread, seed, policy):
    check(made_up(n, k, levels, missing, spread, seed, policy))


def test_a_circle_has_no_contender_and_says_so():
    """Of two that were run, one wins; and they go round."""
    scores = np.full((30, 3), np.nan)
    for i in range(10):
        scores[i, :2], scores[10 + i, 1:], scores[20 + i, [2, 0]] = [2, 1], [2, 1], [2, 1]
    study = Study.from_wide(pd.DataFrame(scores, columns=list("abc")))
    assert study.best().contenders == () and set(study.pairs()["better"]) == {"a", "b", "c"}
    check(study)


@pytest.mark.parametrize("n_common", [6, 7])
def test_few_random_flips_allow_no_more_than_all_of_them(n_common):
    """Of forty experiments flips are drawn; two that have six in common are decided by 64."""
    scores = np.random.default_rng(0).normal([0, 0, 5], 0.1, (40, 3))
    scores[n_common // 2 : 20, 0], scores[20 : 40 - n_common + n_common // 2, 1] = np.nan, np.nan
    scores[: n_common // 2, 0] = scores[40 - n_common + n_common // 2 :, 0] = 9
    for seed in range(6):
        pairs = Study.from_wide(pd.DataFrame(scores, columns=list("abc"))).pairs(rng=seed, rank_incomplete=True)
        assert (pairs["p"] >= 2 * 0.5 ** pairs["n_common"]).all() and pairs["n_common"].min() == n_common


@pytest.mark.parametrize(("n", "k", "levels"), [(26, 9, 3), (8, 4, 2), (12, 5, 1000)])
def test_no_estimate_of_agreement_lies_outside_of_its_interval(n, k, levels):
    known = Answers(made_up(n, k, levels, 0.0, 0.3, 42963)).agreement.dropna(subset="estimate")
    assert len(known) and known["estimate"].between(known["low"] - 1e-9, known["high"] + 1e-9).all()


def test_more_alternatives_than_are_flipped_with_gaps_contradict_themselves_neither(monkeypatch):
    """So many are corrected after Bonferroni, and those that this leaves open are flipped: more than 200 in earnest."""
    monkeypatch.setattr("genexpy_nb.conclusions.contenders.MOST_FLIPPED", 20)
    rng = np.random.default_rng(3)
    scores = rng.normal(0, 1, (30, 25)) + np.linspace(0, 1.5, 25)
    scores[rng.random(scores.shape) < 0.2] = np.nan
    check(Study.from_wide(pd.DataFrame(scores, columns=[f"m{i}" for i in range(25)])))
