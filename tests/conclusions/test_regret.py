"""What following the table costs: against its definition, written as loops over experiments and shortlists."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.conclusions.contenders import rows_of
from genexpy_nb.conclusions.regret import mixed_scales, regret_of_table
from genexpy_nb.datasets import load_encoders, load_mteb


def in_loops(rows, top):
    """Score, regret and lead of the shortlist that the others choose, one number per experiment; ties in all ways."""
    found = []
    for e, row in enumerate(rows):
        means = {}
        for i in range(rows.shape[1]):
            others = [r[i] for o, r in enumerate(rows) if o != e and not np.isnan(r[i])]
            if not np.isnan(row[i]) and others:
                means[i] = round(sum(others) / len(others), 9)
        if len(means) < 2:
            continue
        size = min(top, len(means))
        worth, leads = [], []
        for order in itertools.permutations(means):  # all that the means allow are as likely
            if all(means[a] >= means[b] for a, b in itertools.pairwise(order)):
                worth.append(max(row[i] for i in order[:size]))
                leads.append(row[order[0]] - row[order[1]])
        found.append((np.mean(worth), np.nanmax(row) - np.mean(worth), np.mean(leads)))
    return np.array(found)


def scores_of(kind, n, k, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(np.linspace(1, 0, k), 1.0, size=(n, k))
    if kind == "right or wrong":
        x = (x > 0.5).astype(float)
    elif kind == "grades":
        x = np.rint(x) / 10 + 0.1
    elif kind == "missing":
        x[rng.random((n, k)) < 0.25] = np.nan
        x[:, 0] = rng.normal(size=n)
    return x


KINDS = ("normal", "right or wrong", "grades", "missing")


@settings(max_examples=30)
@given(
    st.sampled_from(KINDS),
    st.integers(3, 9),
    st.integers(2, 5),
    st.integers(0, 999),
    st.sampled_from(["rank", "score"]),
)
def test_the_definition_written_as_loops(kind, n, k, seed, by):
    scores = scores_of(kind, n, k, seed)
    rows, sizes = rows_of(scores, by, True), list(range(1, k + 1))
    if not len(in_loops(rows, 1)):
        with pytest.raises(StudyError, match="two alternatives that other experiments have"):
            regret_of_table(scores, sizes, by=by)
        return
    frame = regret_of_table(scores, sizes, by=by)
    for at, top in enumerate(sizes):
        expected = in_loops(rows, top)
        mean = expected.mean(axis=0)
        assert frame["score"][at] == pytest.approx(-mean[0] if by == "rank" else mean[0])
        assert frame["regret"][at] == pytest.approx(mean[1])
        assert frame["lead"][at] == pytest.approx(mean[2] if top == 1 else np.nan, nan_ok=True)
        each = frame.attrs["regrets"][top].dropna()
        np.testing.assert_allclose(each, expected[:, 1], atol=1e-9)
    assert (frame["regret"].diff().iloc[1:] <= 1e-12).all()
    if kind != "missing":
        assert frame["regret"].iloc[-1] == pytest.approx(0)  # who tries all has the best


def test_regret_of_contenders_and_of_all_is_that_of_one_drawn_at_random():
    scores = pd.DataFrame(scores_of("missing", 9, 5, seed=3), columns=list("abcde"))
    frame = regret_of_table(scores, by="score", n_contenders=2)
    losses = scores.rsub(scores.max(axis=1), axis=0)
    assert frame["of_alternative"][0] == pytest.approx(losses.mean(axis=1).mean())
    by_others = [scores.drop(index=e).mean()[scores.loc[e].notna()].nlargest(2).index for e in scores.index]
    means = [losses.loc[e, first].mean() for e, first in zip(scores.index, by_others, strict=True)]
    assert frame["of_contender"][0] == pytest.approx(np.mean(means))
    everybody = regret_of_table(scores, by="score")
    assert everybody["of_contender"].equals(everybody["of_alternative"])


@pytest.mark.parametrize("by", ["rank", "score"])
def test_neither_order_nor_direction_matter(by):
    scores = pd.DataFrame(scores_of("grades", 8, 4, seed=5), columns=list("abcd"))
    asked = regret_of_table(scores, by=by).drop(columns="worst")
    rng = np.random.default_rng(1)
    shuffled = regret_of_table(scores.iloc[rng.permutation(8), rng.permutation(4)], by=by).drop(columns="worst")
    pd.testing.assert_frame_equal(shuffled, asked)
    losses = regret_of_table(-scores, by=by, higher_is_better=False).drop(columns="worst")
    pd.testing.assert_frame_equal(losses, asked.assign(score=asked["score"] * (1 if by == "rank" else -1)))


def test_one_diverged_score_leaves_the_others_their_digits():
    rng = np.random.default_rng(2)
    scores = rng.normal([0.9, 0.88, 0.5, 0.4], 0.1, size=(9, 4))
    for column, value in ((3, -1e17), (0, 1e17)):
        diverged = scores.copy()
        diverged[4, column] = value
        chosen = [np.delete(diverged, e, axis=0).mean(axis=0).argmax() for e in range(9)]
        expected = [row.max() - row[i] for row, i in zip(diverged, chosen, strict=True)]
        found = regret_of_table(diverged, 1, by="score").attrs["regrets"][1]
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_score_regret_is_of_the_choice_by_rank():
    scores = scores_of("normal", 8, 4, seed=7)
    frame, expected = regret_of_table(scores, 1), []
    ranks = rows_of(scores, "rank", True)
    for e, row in enumerate(scores):
        means = np.delete(ranks, e, axis=0).mean(axis=0).round(9)
        expected.append(row.max() - row[means == means.max()].mean())
    assert frame["score_regret"][0] == pytest.approx(np.mean(expected))


def test_the_worst_experiments_are_named():
    scores = pd.DataFrame(np.tile([1.0, 0.0], (6, 1)), index=list("uvwxyz"))
    scores.loc["v"] = [0, 3]
    scores.loc["y"] = [0, 0.25]
    assert regret_of_table(scores, 1, by="score")["worst"][0].startswith("v (3), ")
    assert "y (0.25)" in regret_of_table(scores, 1)["worst"][0] or "y (1)" in regret_of_table(scores, 1)["worst"][0]


def test_scales_that_are_mixed_are_seen_and_others_are_not():
    mteb = load_mteb().pivot(index="task", columns="model", values="score")
    encoders = load_encoders(source="bundled").query("model == 'LR' and tuning == 'no' and scoring == 'AUC'")
    assert mixed_scales(mteb.to_numpy()) == ""
    assert mixed_scales(encoders.pivot(index="dataset", columns="encoder", values="cv_score").to_numpy()) == ""
    rng = np.random.default_rng(8)
    errors = rng.uniform(0.5, 1, (20, 5)) * np.geomspace(1e-4, 0.9, 20)[:, None]  # shares, some of them small
    assert mixed_scales(errors) == ""
    games = rng.uniform(0.5, 1, (20, 5)) * np.geomspace(1, 1e5, 20)[:, None]
    assert "times as large" in mixed_scales(games)
    losses = rng.uniform(0.5, 1, (8, 3)) * np.repeat([1, -1], 4)[:, None]
    assert mixed_scales(losses) == "all scores are below 0 in 4 experiments, and above 0 in 4"
    assert np.isnan(regret_of_table(games)["score_regret"]).all()
    assert mixed_scales(np.zeros((5, 3))) == "" == mixed_scales(np.full((5, 3), np.nan))


def test_errors_name_the_parameter():
    scores = pd.DataFrame(np.eye(5, 3), columns=["svm", "tree", "knn"])
    with pytest.raises(ParameterError, match="top must be a whole number from 1 to 3, got 4"):
        regret_of_table(scores, 4)
    with pytest.raises(StudyError, match="3 experiments and two alternatives, got 2 and 3"):
        regret_of_table(scores[:2])
