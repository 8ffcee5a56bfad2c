"""Stability of conclusions, held against plain loops, all splits, scipy, and estimates made from scratch."""

from itertools import combinations
from math import comb

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.datasets.tables import load_encoders
from genexpy_nb.generalization.kernels import BordaKernel, JaccardKernel, MallowsKernel, RBFKernel
from genexpy_nb.generalization.nstar import estimate_nstar
from genexpy_nb.significance import mean_intervals, wilcoxon_pratt
from genexpy_nb.study import positions
from genexpy_nb.study.positions import kendall_taus, study_splits
from genexpy_nb.study.study import Study


def matrix(means, n=20, scale=1.0, rng=0):
    names = pd.Index([chr(ord("a") + i) for i in range(len(means))], name="model")
    values = np.random.default_rng(rng).normal(means, scale, (n, len(means)))
    return pd.DataFrame(values, columns=names).rename_axis("dataset")


def with_ties(n, k, rng):
    return pd.DataFrame(np.random.default_rng(rng).integers(0, 4, (n, k)).astype(float)).rename_axis("dataset")


@pytest.fixture(scope="module")
def encoders():
    table = load_encoders(source="bundled")
    design = [name for name in ("model", "tuning", "scoring") if name in table]
    return Study(table, alternatives="encoder", target="cv_score", generalize_over="dataset", design=design)


# --- positions --------------------------------------------------------------------------------------------------------


def plain_positions(scores, level, higher_is_better):
    """Wilcoxon, Holm and counting, a pair at a time."""
    names, sign = list(scores), 1 if higher_is_better else -1
    pairs = list(combinations(names, 2))
    p = {pair: float(wilcoxon_pratt((scores[pair[0]] - scores[pair[1]]).round(9))[0]) for pair in pairs}
    low, high = dict.fromkeys(names, 1), dict.fromkeys(names, len(names))
    for rank, pair in enumerate(sorted(pairs, key=p.get)):
        if p[pair] * (len(pairs) - rank) > level:  # Holm stops at the first
            break
        d = sign * (scores[pair[0]] - scores[pair[1]]).round(9)
        lead = (np.sign(d) * stats.rankdata(np.abs(d))).sum()
        winner, loser = pair if lead > 0 else pair[::-1]
        low[loser] += 1
        high[winner] -= 1
    mean_ranks = (-sign * scores).rank(axis=1).mean().round(9)
    for name in names:
        low[name] = min(low[name], 1 + int((mean_ranks < mean_ranks[name]).sum()))
        high[name] = max(high[name], int((mean_ranks <= mean_ranks[name]).sum()))
    return low, high


@pytest.mark.parametrize("higher_is_better", [True, False])
@pytest.mark.parametrize("scores", [matrix([3, 2, 2, 0], rng=1), with_ties(30, 5, 2), matrix([0] * 6, rng=3)])
def test_positions_are_counted_as_a_plain_loop_does(scores, higher_is_better):
    ranks = Study.from_wide(scores, higher_is_better=higher_is_better).ranks(level=0.2)
    low, high = plain_positions(scores, 0.2, higher_is_better)
    assert ranks["low"].to_dict() == low and ranks["high"].to_dict() == high
    by_scipy = stats.rankdata(-scores if higher_is_better else scores, axis=1)
    assert np.allclose(ranks["mean_rank"], pd.Series(by_scipy.mean(axis=0), list(scores))[ranks.index])
    best = scores.max(axis=1) if higher_is_better else scores.min(axis=1)
    assert np.allclose(ranks["share_best"], scores.eq(best, axis=0).mean()[ranks.index])
    assert ranks["position"].tolist() == stats.rankdata(ranks["mean_rank"].round(9), "min").tolist()
    assert np.allclose(ranks["mean_score"], scores.mean()[ranks.index])
    assert ranks.attrs["level"] == 0.2


def test_positions_on_a_real_table_agree_with_the_other_tests_of_the_study(encoders):
    configuration = encoders.configurations[0]
    ranks = encoders.ranks(configuration, impute=True)
    tiers = encoders.tiers(configuration, impute=True)
    assert ranks["tier"].to_dict() == tiers["tier"].to_dict()
    assert (ranks["behind"] == (ranks["tier"] > 0)).all()  # nothing is missing
    pairs = encoders.pairs(configuration, impute=True)
    found = pairs[pairs["p_adjusted"] <= 0.05]
    loser = np.where(found["favours"] == found["a"], found["b"], found["a"])
    n_better = pd.Series(loser, dtype=object).value_counts()
    n_worse = found["favours"].value_counts()
    assert len(found) > 10
    behind = found[(found["favours"] == ranks.index[0])]
    assert set(behind["a"]) | set(behind["b"]) == {ranks.index[0], *ranks.index[ranks["behind"]]}
    for name, row in ranks.iterrows():
        assert row["low"] == min(1 + n_better.get(name, 0), row["position"])
        assert row["high"] == max(len(ranks) - n_worse.get(name, 0), row["position"])


@pytest.mark.filterwarnings("ignore::genexpy_nb.StudyWarning")
@settings(max_examples=30, deadline=None)
@given(st.integers(2, 12), st.integers(2, 5), st.integers(0, 999), st.sampled_from([0.01, 0.05, 0.3]))
def test_positions_hold_whatever_the_table(n, k, seed, level):
    scores = with_ties(n, k, seed)
    ranks = Study.from_wide(scores).ranks(level=level)
    assert ranks["position"].between(ranks["low"], ranks["high"]).all()
    assert ranks["behind"].sum() <= k - 1 and not ranks["behind"].iloc[0]
    assert (ranks["low"] >= 1).all() and (ranks["high"] <= k).all() and (ranks["low"] <= ranks["high"]).all()
    # a table turned round gives the positions counted from the other end
    turned = Study.from_wide(-scores).ranks(level=level).loc[ranks.index]
    assert (turned["low"] == k + 1 - ranks["high"]).all() and (turned["high"] == k + 1 - ranks["low"]).all()
    # units, order of rows and names do not matter
    again = Study.from_wide((7 + 3 * scores).sample(frac=1, random_state=seed).add_prefix("x", axis=1)).ranks(
        level=level
    )
    for column in ("mean_rank", "share_best", "position", "low", "high"):
        assert np.allclose(again[column].rename(lambda name: int(name[1:])).loc[ranks.index], ranks[column])


def test_an_interval_holds_the_position_where_ranks_and_differences_disagree():
    """Ahead by a little in most experiments, behind by much in the others: worse by Wilcoxon's test, better by rank."""
    small, large = np.linspace(0.01, 0.02, 26), np.linspace(1, 2, 24)
    scores = pd.DataFrame({"a": [*small, *-large], "b": 0.0})
    ranks = Study.from_wide(scores).ranks()
    assert ranks.index.tolist() == ["a", "b"]
    assert ranks["position"].tolist() == [1, 2] and ranks[["low", "high"]].to_numpy().tolist() == [[1, 2], [1, 2]]


def test_who_is_worse_than_the_second_only_is_not_behind_the_first():
    """The first one wins by little and loses by much; the second one always beats the third by about 1."""
    number = np.arange(20.0)
    second = number % 7
    first = np.where(number < 15, second + 3 + number / 50, second - 20 - number / 50)
    ranks = Study.from_wide(pd.DataFrame({"a": first, "b": second, "c": second - 1 - number / 100})).ranks()
    assert ranks.index.tolist() == ["a", "b", "c"] and not ranks["behind"].any()
    assert ranks["low"].tolist() == [1, 1, 2] and ranks["high"].tolist() == [3, 2, 3]


def test_positions_without_anything_to_test():
    one = Study.from_wide(pd.DataFrame({"a": [2.0], "b": [1.0], "c": [1.0]})).ranks()
    assert one["low"].tolist() == [1, 1, 1] and one["high"].tolist() == [3, 3, 3]
    assert one["mean_rank"].tolist() == [1, 2.5, 2.5] and one["position"].tolist() == [1, 2, 2]
    assert "a single condition" in one.attrs["note"]
    with pytest.raises(ParameterError, match="level"):
        Study.from_wide(matrix([0, 1])).ranks(level=1)


# --- wins -------------------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::genexpy_nb.StudyWarning")
@pytest.mark.parametrize("impute", [False, True])
def test_wins_are_counted_pair_by_pair(impute):
    scores = with_ties(15, 4, 5).astype(float)
    scores.iloc[::4, 1] = np.nan
    scores.iloc[:14, 3] = np.nan
    study = Study.from_wide(scores, higher_is_better=False)
    wins = study.wins(impute=impute).set_index(["a", "b"])
    used = scores.T.fillna(scores.max(axis=1)).T if impute else scores
    for a, b in combinations(scores, 2):
        both = used[[a, b]].dropna()
        row = wins.loc[(a, b)]
        assert row["n_conditions"] == len(both)
        assert row["wins"] == (both[a] < both[b]).sum() and row["losses"] == (both[a] > both[b]).sum()
        assert row["ties"] == len(both) - row["wins"] - row["losses"]


def test_wins_agree_with_the_pairs_of_a_real_table(encoders):
    configuration = encoders.configurations[-1]
    wins, pairs = encoders.wins(configuration, impute=True), encoders.pairs(configuration, impute=True)
    assert wins[["a", "b"]].equals(pairs[["a", "b"]])
    assert np.allclose(wins["probability_of_improvement"], pairs["probability_of_improvement"])


@pytest.mark.filterwarnings("ignore::genexpy_nb.StudyWarning")
def test_a_pair_that_never_met_has_no_probability():
    scores = pd.DataFrame({"a": [1.0, np.nan, 3.0], "b": [np.nan, 2.0, np.nan], "c": [0.0, 0.0, 0.0]})
    wins = Study.from_wide(scores).wins().set_index(["a", "b"])["probability_of_improvement"]
    assert np.isnan(wins[("a", "b")]) and wins[("a", "c")] == 1


# --- halves -----------------------------------------------------------------------------------------------------------


def every_split(n):
    half = n // 2
    for chosen in combinations(range(n), 2 * half):
        for one in combinations(chosen, half):
            other = tuple(i for i in chosen if i not in one)
            if one[0] < other[0]:
                yield list(one), list(other)


def plain_halves(scores, higher_is_better=True):
    ranks = (-scores if higher_is_better else scores).rank(axis=1)
    agree, agree_score, overlap, tau = [], [], [], []
    for one, other in every_split(len(scores)):
        a, b = (ranks.iloc[half].mean().round(9) for half in (one, other))
        agree.append((a == a.min()).equals(b == b.min()))
        x, y = ((scores.iloc[half].mean() * (1 if higher_is_better else -1)).round(9) for half in (one, other))
        agree_score.append((x == x.max()).equals(y == y.max()))
        top_a, top_b = (set(m.index[[(m < value).sum() < 3 for value in m]]) for m in (a, b))
        overlap.append(len(top_a & top_b) / max(len(top_a), len(top_b)))
        tau.append(stats.kendalltau(a, b).statistic if a.nunique() > 1 and b.nunique() > 1 else 0.0)
    return np.mean(agree), np.mean(agree_score), np.mean(overlap), np.mean(tau)


@pytest.mark.parametrize("higher_is_better", [True, False])
@pytest.mark.parametrize(
    "scores", [matrix([0.3, 0.2, 0, 0, 0], n=7), with_ties(8, 5, 0), with_ties(5, 4, 1), matrix([0] * 4, n=9)]
)
def test_halves_equal_a_loop_over_all_splits(scores, higher_is_better):
    found = Study.from_wide(scores, higher_is_better=higher_is_better).halves()
    assert np.allclose(found["estimate"], plain_halves(scores, higher_is_better))
    n = len(scores)
    assert (found["n"] == n // 2).all()
    assert (found["n_splits"] == comb(n, n // 2) * comb(n - n // 2, n // 2) // 2).all()
    assert found[["low", "high"]].isna().all(axis=None)


@pytest.mark.parametrize("n", range(2, 10))
def test_each_split_comes_once(n):
    drawn = np.concatenate(list(study_splits(n, 10_000)))
    halves = {frozenset([tuple(np.flatnonzero(row > 0)), tuple(np.flatnonzero(row < 0))]) for row in drawn}
    expected = {frozenset([tuple(one), tuple(other)]) for one, other in every_split(n)}
    assert halves == expected and len(drawn) == len(expected)


def test_drawn_splits_are_disjoint_halves_and_come_close_to_all_of_them():
    drawn = np.concatenate(list(study_splits(11, 500, rng=1)))
    assert drawn.shape == (500, 11)
    assert ((drawn > 0).sum(axis=1) == 5).all() and ((drawn < 0).sum(axis=1) == 5).all()
    study = Study.from_wide(matrix([1, 0.8, 0.5, 0, 0, 0], n=11, rng=4))
    all_splits, some = study.halves(n_splits=11 * 126), study.halves(n_splits=1000, rng=2)
    assert (all_splits["n_splits"] == 11 * 126).all() and (some["n_splits"] == 1000).all()
    # four standard errors of a mean of 1,000 numbers, whose standard deviations are .5 at most
    assert np.allclose(all_splits["estimate"], some["estimate"], atol=4 * 0.5 / np.sqrt(1000))
    assert study.halves(n_splits=50, rng=3).equals(study.halves(n_splits=50, rng=3))
    assert not study.halves(n_splits=50, rng=3).equals(study.halves(n_splits=50, rng=4))


@pytest.mark.filterwarnings("ignore::genexpy_nb.StudyWarning")
def test_halves_of_alternatives_that_are_all_the_same():
    found = Study.from_wide(pd.DataFrame(np.ones((6, 4)))).halves().set_index("conclusion")["estimate"]
    assert found.iloc[:3].tolist() == [1, 1, 1] and np.isnan(found.iloc[3])
    with pytest.raises(StudyError, match="at least two experiments"):
        Study.from_wide(pd.DataFrame({"a": [1.0], "b": [2.0]})).halves()


@settings(deadline=None)
@given(st.integers(2, 7), st.integers(0, 10_000))
def test_tau_is_that_of_scipy(k, seed):
    first, second = np.random.default_rng(seed).integers(0, 4, (2, 3, k))
    for ours, a, b in zip(kendall_taus(first, second), first, second, strict=True):
        if np.ptp(a) == 0 or np.ptp(b) == 0:
            assert np.isnan(ours)
            continue
        if k > 2:  # scipy cannot with ties and two alternatives
            assert ours == pytest.approx(stats.kendalltau(a, b).statistic)
        # counted: concordant minus discordant pairs, over the geometric mean of the pairs that each does not tie
        x, y = (np.sign(np.subtract.outer(v, v)) for v in (a, b))
        assert ours == pytest.approx((x * y).sum() / np.sqrt((x**2).sum() * (y**2).sum()))


# --- one left out -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", [JaccardKernel(k=1), MallowsKernel(), BordaKernel("b"), RBFKernel()])
def test_leaving_one_out_is_the_study_without_it(kernel):
    scores = matrix([0.5, 0.4, 0, -0.5], n=9, rng=6)
    scores.iloc[4] = -5 * scores.iloc[4]
    study = Study.from_wide(scores)
    left = study.leave_one_out(kernels=kernel, delta=0.1).set_index("dataset")
    with_all = study.nstar(kernel, delta=0.1)["nstar"].item()
    ranks = scores.rank(axis=1, ascending=False)
    best = set(ranks.columns[ranks.sum() == ranks.sum().min()])
    for name in scores.index:
        others = Study.from_wide(scores.drop(index=name))
        row = left.loc[name]
        assert row["nstar"] == pytest.approx(others.nstar(kernel, delta=0.1)["nstar"].item())
        assert row["nstar_all"] == pytest.approx(with_all)
        means = ranks.drop(index=name).sum()
        now = means.index[means == means.min()]
        assert row["best"] == ", ".join(now) and row["best_changed"] == (set(now) != best)
        assert row["kendall_tau"] == pytest.approx(stats.kendalltau(means, ranks.sum()).statistic)
    change = np.abs(np.log(left["nstar"] / left["nstar_all"])).to_numpy()
    assert (np.diff(change) <= 1e-12).all()


def test_leaving_one_out_of_few_says_what_it_can():
    scores = matrix([1, 0.9, 0], n=4)
    left = Study.from_wide(scores).leave_one_out()
    assert len(left) == 8 and left["nstar"].isna().all() and left["nstar_all"].notna().all()
    three = Study.from_wide(scores.iloc[:3]).leave_one_out(kernels=MallowsKernel())
    assert three["nstar_all"].isna().all() and three["best"].isin(["a", "b", "c"]).all()
    with pytest.raises(StudyError, match="at least two experiments"):
        Study.from_wide(scores.iloc[:1]).leave_one_out()


@pytest.mark.filterwarnings("ignore::genexpy_nb.StudyWarning")
def test_factors_that_are_named_as_a_column_of_the_result_are_not_lost():
    scores = matrix([1, 0.5, 0], n=6)
    scores.index = pd.MultiIndex.from_product([["x", "y"], range(3)], names=["best", "fold of kernel"])
    left = Study.from_wide(scores).leave_one_out(kernels=MallowsKernel())
    assert list(left)[:3] == ["best_", "fold of kernel", "kernel"]
    assert sorted(left["best_"]) == ["x"] * 3 + ["y"] * 3 and set(left["best"]) <= {"a", "b", "a, b"}


# --- settings and sizes -----------------------------------------------------------------------------------------------


def test_settings_give_what_a_study_with_them_gives():
    scores = matrix([1, 0.8, 0.5, 0.2, 0, -1, -1], n=12)
    study = Study.from_wide(scores)
    kernels = [JaccardKernel(k=2), BordaKernel("c"), MallowsKernel(), RBFKernel(gamma=0.5)]
    found = study.sensitivity(kernels=kernels, alpha=0.9, delta=0.07)
    assert set(found["setting"]) == {"delta", "kernel"}
    used = found[found["used"]]
    assert len(used) == 9  # each kernel for its tolerance and its parameter; Borda has two
    assert not study.warnings  # of what was only tried
    for kernel in kernels:
        own = study.nstar(kernel, alpha=0.9, delta=0.07).iloc[0]
        rows = used[used["kernel"] == kernel.name]
        for name in ("nstar", "low", "high"):
            assert np.allclose(rows[name], own[name])
    by_value = found[found["setting"] == "kernel"].set_index("value")["nstar"]
    for value, kernel in {
        "k = 1": JaccardKernel(k=1),
        "k = 5": JaccardKernel(k=5),
        "alternative = a": BordaKernel("a"),
        "gamma x 2": RBFKernel(gamma=1.0),
    }.items():
        assert by_value[value] == pytest.approx(study.nstar(kernel, alpha=0.9, delta=0.07)["nstar"].item())
    expected = estimate_nstar(MallowsKernel().gram(study.rankings()), 0.9, MallowsKernel().epsilon(0.2, 7)).estimate
    row = found[(found["setting"] == "delta") & (found["value"] == "0.2") & (found["kernel"] == "Mallows")]
    assert row["nstar"].item() == pytest.approx(expected)


@pytest.mark.filterwarnings("ignore::genexpy_nb.StudyWarning")
def test_policies_are_tried_where_something_is_missing():
    scores = matrix([1, 0.8, 0.5, 0], n=12)
    scores.iloc[:2, :3] = np.nan
    study = Study.from_wide(scores)
    found = study.sensitivity(kernels=MallowsKernel())
    rows = found[found["setting"] == "missing"].set_index("value")
    assert rows["used"].to_dict()["worst-rank"] and "error" not in rows.index
    for policy in rows.index:
        other = Study.from_wide(scores, missing=policy).nstar(MallowsKernel()).iloc[0]
        assert rows.loc[policy, "nstar"] == pytest.approx(other["nstar"])
        assert rows.loc[policy, "n_experiments"] == other["n_experiments"]
    scores.iloc[:, :2] = scores.iloc[:, :2].where(np.eye(12, 2) == 1)
    scores.iloc[:3, 3] = np.nan
    nothing = Study.from_wide(scores).sensitivity(kernels=MallowsKernel())
    dropped = nothing[nothing["value"] == "drop"].iloc[0]
    assert np.isnan(dropped["nstar"]) and dropped["note"]


@pytest.mark.parametrize("kernel", [JaccardKernel(k=1), MallowsKernel(), RBFKernel()])
@pytest.mark.parametrize("alpha", [0.8, 0.95, 0.99])
def test_the_curve_reaches_alpha_at_nstar(kernel, alpha):
    study = Study.from_wide(matrix([1, 0.8, 0.5, 0.2, 0], n=25, rng=3))
    nstar = study.nstar(kernel, alpha=alpha)["nstar"].item()
    curve = study.curves(kernels=kernel, alpha=alpha)
    assert (np.diff(curve["n"]) > 0).all() and (np.diff(curve["estimate"]) >= 0).all()
    assert curve["n"].iloc[0] == 2 and curve["n"].iloc[-1] == max(50, np.ceil(1.3 * nstar))
    assert curve["estimate"].between(0, 1).all()
    above = curve["n"] >= nstar
    assert (curve.loc[above, "estimate"] >= alpha - 1e-3).all()
    assert (curve.loc[~above, "estimate"] <= alpha + 1e-3).all()


def test_a_long_curve_has_few_points_and_nstar_and_the_study_among_them():
    study = Study.from_wide(matrix([1, 0.8, 0.5, 0.2, 0], n=27, rng=0))
    nstar = study.nstar(RBFKernel(), delta=0.005)["nstar"].item()
    curve = study.curves(kernels=RBFKernel(), delta=0.005)
    assert nstar > 200 > len(curve) and curve["n"].iloc[-1] == np.ceil(1.3 * nstar)
    assert {27, int(np.ceil(nstar))} <= set(curve["n"])


def test_the_curve_is_near_the_truth_of_a_known_world():
    """Two results, shares .3 and .7, that share nothing: one can write down how far two studies are apart."""
    n_results = 60
    first = np.arange(n_results) < 18
    scores = pd.DataFrame({"a": np.where(first, 1.0, 0.0), "b": np.where(first, 0.0, 1.0)})
    kernel, delta = JaccardKernel(k=1), 0.05
    sizes = [5, 10, 20, 40, 80]
    curve = Study.from_wide(scores).curves(kernels=kernel, delta=delta, n=sizes)["estimate"]
    epsilon = kernel.epsilon(delta, 2)
    for n, estimate in zip(sizes, curve, strict=True):
        p = stats.binom.pmf(np.arange(n + 1), n, 0.3)
        distance = np.sqrt(2) * np.abs(np.subtract.outer(np.arange(n + 1), np.arange(n + 1))) / n
        truth = (np.outer(p, p) * (distance <= epsilon)).sum()
        assert estimate == pytest.approx(truth, abs=0.12)


def test_no_curve_without_an_estimate():
    frames = {0: matrix([1, 0.5, 0], n=10), 1: matrix([1, 0.5, 0], n=3)}
    study = Study.from_wide(pd.concat(frames, names=["task"]), design="task")
    with pytest.raises(StudyError, match="at least 4 experiments"):
        study.curves({"task": 1})
    assert list(study.curves({"task": 0})) == ["kernel", "n", "estimate"]
    frames[1] = matrix([1, 0.5, 0], n=10).drop(columns="c")
    partial = Study.from_wide(pd.concat(frames, names=["task"]), design="task")
    assert partial.curves({"task": 1}, BordaKernel("c")).empty and len(partial.curves({"task": 0}, BordaKernel("c")))


# --- several completions ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def completed():
    scores = matrix([1, 0.8, 0.5, 0], n=8)
    scores[np.random.default_rng(1).random(scores.shape) < 0.2] = np.nan
    return Study.from_wide(scores, missing="complete")


@pytest.mark.filterwarnings("ignore::genexpy_nb.StudyWarning")
def test_answers_are_means_over_the_completions(completed):
    tables, scores = completed.completions(of="rankings"), completed.completions()
    assert len(tables) > 1 and not tables[0].equals(tables[1])
    ranks = completed.ranks(impute=True)
    assert np.allclose(ranks["mean_rank"], np.mean([t.rank(axis=1).mean() for t in tables], axis=0)[_places(ranks)])
    assert np.allclose(ranks["mean_rank"], completed.friedman().mean_ranks[ranks.index])
    assert np.allclose(ranks["mean_score"], np.mean([t.mean() for t in scores], axis=0)[_places(ranks)])
    assert np.allclose(ranks["share_best"], np.mean([t == 0 for t in tables], axis=(0, 1))[_places(ranks)])
    kernel = MallowsKernel()
    left = completed.leave_one_out(kernels=kernel, delta=0.1).set_index("dataset")
    for name in left.index:
        each = [estimate_nstar(kernel.gram(t.drop(index=name)), 0.95, kernel.epsilon(0.1, 4)).estimate for t in tables]
        assert left.loc[name, "nstar"] == pytest.approx(stats.gmean(each))
    own = completed.nstar(kernel, delta=0.1)["nstar"].item()
    assert (left["nstar_all"] == own).all()
    curve = completed.curves(kernels=kernel, delta=0.1, n=[max(2, int(own)), int(np.ceil(own)) + 1])["estimate"]
    assert curve[0] <= 0.951 and curve[1] >= 0.949


def _places(ranks):
    return [list("abcd").index(name) for name in ranks.index]


def test_halves_of_completions_share_the_splits(completed):
    found = completed.halves(n_splits=30)
    assert (found["n_splits"] == 30).all() and found["estimate"].between(-1, 1).all()
    assert found.equals(completed.halves(n_splits=30, rng=0))
    # all splits of each completion, of which there are 35
    whole = completed.halves(n_splits=35 * 10).set_index("conclusion")["estimate"]
    tables = completed.completions(of="rankings")
    plain = np.mean([Study.from_wide(-table.astype(float)).halves()["estimate"] for table in tables], axis=0)
    assert whole["best by mean rank"] == pytest.approx(plain[0])
    assert whole["order by mean rank (tau-b)"] == pytest.approx(plain[3])


# --- means and single runs --------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::genexpy_nb.StudyWarning")
def test_intervals_of_means_are_those_of_each_column():
    scores = matrix([3, 2, 0], n=14, rng=4)
    scores.iloc[[0, 5], 1] = np.nan
    scores.iloc[1:, 2] = np.nan
    ranks = Study.from_wide(scores, higher_is_better=False).ranks(level=0.1, tests=False)
    for name in "ab":
        alone = pd.DataFrame({name: scores[name].dropna(), "zero": 0.0})
        row = mean_intervals(alone, confidence=0.9).loc[name]
        expected = row[["estimate", "low", "high"]].tolist()
        assert np.allclose(ranks.loc[name, ["mean_score", "score_low", "score_high"]].tolist(), expected)
    assert ranks.loc["c", "mean_score"] == scores["c"].iloc[0]
    assert np.isnan(ranks.loc["c", "score_low"]) and np.isnan(ranks.loc["c", "score_high"])
    imputed = Study.from_wide(scores).ranks(impute=True)
    filled = scores.T.fillna(scores.min(axis=1)).T
    assert np.allclose(
        imputed.loc[list("abc"), ["mean_score", "score_low", "score_high"]],
        mean_intervals(filled)[["estimate", "low", "high"]],
    )


def test_intervals_of_many_means_and_of_few_are_students(monkeypatch):
    scores = matrix([3, 2, 0], n=20, rng=4)
    monkeypatch.setattr(positions, "MOST_RESAMPLED", 19)
    for table in (scores, scores.head(9)):
        ranks = Study.from_wide(table).ranks()
        for name, column in table.items():
            expected = stats.t.interval(0.95, len(column) - 1, column.mean(), stats.sem(column))
            assert ranks.loc[name, ["score_low", "score_high"]].tolist() == pytest.approx(expected)


def test_intervals_of_completed_means_hold_what_is_missing(completed):
    ranks = completed.ranks(impute=True)
    each = [mean_intervals(table, n_resamples=1000) for table in completed.completions()]
    m = len(each)
    for name, row in ranks.iterrows():
        mean, low, high = (np.array([one.loc[name, end] for one in each]) for end in ("estimate", "low", "high"))
        added = stats.t.ppf(0.975, m - 1) ** 2 * (1 + 1 / m) * mean.var(ddof=1)
        assert row["score_low"] == pytest.approx(mean.mean() - np.sqrt(np.mean((mean - low) ** 2) + added))
        assert row["score_high"] == pytest.approx(mean.mean() + np.sqrt(np.mean((high - mean) ** 2) + added))


def of_runs(n=6, k=3, n_runs=4, seed=0, levels=None):
    """Scores with effects of the experiment and noise of runs; with levels, small integers that tie."""
    rng = np.random.default_rng(seed)
    places = np.indices((n, k, n_runs)).reshape(3, -1)
    table = pd.DataFrame({"data": places[0], "model": np.array(list("abcdef"))[places[1]], "seed": places[2]})
    table["score"] = rng.normal(0, 2, n)[places[0]] + 0.5 * places[1] + rng.normal(0, 1, len(table))
    if levels:
        table["score"] = rng.integers(0, levels, len(table)).astype(float)
    return table


ROLES = {"alternatives": "model", "target": "score", "generalize_over": "data", "average_over": "seed"}


def plain_noise(table, first):
    """One alternative at a time, one experiment at a time."""
    found = {}
    lead = table[table["model"] == first].set_index(["data", "seed"])["score"]
    for name, rows in table.groupby("model"):
        own = rows.set_index(["data", "seed"])["score"]
        columns = {}
        for what, values in (("variance", own), ("difference", (own - lead).dropna())):
            cells = [cell.to_numpy() for _, cell in values.groupby(level="data")]
            freedom = sum(len(cell) - 1 for cell in cells)
            squares = sum(((cell - cell.mean()) ** 2).sum() for cell in cells)
            runs = squares / freedom if freedom else np.nan
            means = np.array([cell.mean() for cell in cells])
            experiments = means.var(ddof=1) if len(cells) > 1 else np.nan
            due = np.mean([runs / len(cell) for cell in cells]) if cells else np.nan
            columns[what] = min(due / experiments, 1) if experiments > 1e-20 else 1.0 if due > 1e-20 else np.nan
            if np.isnan(due) or np.isnan(experiments):
                columns[what] = np.nan
            if what == "variance":
                sizes = [len(cell) for cell in cells]
                counts = [len(cells), sum(sizes), min(sizes), max(sizes)]
                spread = [np.sqrt(runs), np.sqrt(experiments)]
        found[name] = [*counts, *spread, columns["variance"], columns["difference"]]
    return pd.DataFrame(found, index=NOISE).T


NOISE = ["n_experiments", "n_runs", "fewest_runs", "most_runs", "sd_runs", "sd_conditions", "share_of_variance"]
NOISE = [*NOISE, "share_of_difference"]


@pytest.mark.filterwarnings("ignore::genexpy_nb.StudyWarning")
@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(1, 6),
    k=st.integers(2, 4),
    n_runs=st.integers(1, 4),
    levels=st.sampled_from([None, 2, 5]),
    gone=st.sampled_from([0.0, 0.2, 0.5]),
    higher=st.booleans(),
    seed=st.integers(0, 999),
)
def test_noise_equals_plain_loops(n, k, n_runs, levels, gone, higher, seed):
    table = of_runs(n, k, n_runs, seed, levels)
    rng = np.random.default_rng(seed)
    # each experiment and each alternative keeps something
    kept = (rng.random(len(table)) >= gone) | (table["seed"] == 0) & (table["data"] % k == table["model"].map(ord) % k)
    table = table[kept | (table["data"] == 0)].sample(frac=1, random_state=seed)
    study = Study(table, **ROLES, higher_is_better=higher)
    noise = study.noise()
    assert list(noise) == NOISE and list(noise.index) == list(study.ranks(tests=False).index)
    expected = plain_noise(table, noise.index[0]).loc[noise.index]
    assert np.allclose(noise.to_numpy(dtype=float), expected.to_numpy(dtype=float), equal_nan=True, atol=1e-9)
    # the runs that could have been the study
    cells = table[["data", "model"]].drop_duplicates().shape[0]
    whole = [rows.drop(columns="seed") for _, rows in table.groupby("seed") if len(rows) == cells]
    if len(whole) < 2:
        assert noise.attrs["n_runs"] is None and noise.attrs["n_same_best"] is None and noise.attrs["note"]
        return
    roles = {name: column for name, column in ROLES.items() if name != "average_over"}
    best = [set(Study(rows, **roles, higher_is_better=higher).best().best) if n > 1 else None for rows in whole]
    assert noise.attrs["n_runs"] == len(whole)
    if n > 1:
        assert noise.attrs["n_same_best"] == sum(one == set(study.best().best) for one in best)


@pytest.mark.filterwarnings("ignore::genexpy_nb.StudyWarning")
@pytest.mark.parametrize("missing", ["worst-rank", "drop"])
def test_noise_knows_every_role_of_the_study(missing):
    """Metrics, held levels, matrices, several factors: each configuration is a plain table of its own."""
    table = of_runs(8, 3, 6).assign(fold=lambda rows: rows["seed"] % 2, seed=lambda rows: rows["seed"] // 2)
    table["loss"] = -(table["score"] ** 3)
    table["place"] = table["data"] // 2
    table["half"] = np.where(table["data"] % 2, "odd", "even")
    table.loc[(table["model"] == "b") & (table["data"] == 0), "loss"] = np.nan
    other = table.assign(split="valid", score=0.0)
    both = pd.concat([table.assign(split="test"), other])
    roles = {"alternatives": "model", "average_over": ["seed", "fold"], "fixed": {"split": "test"}}
    roles |= {"generalize_over": ["place", "half"], "missing": missing}
    study = Study(both, target={"score": "higher", "loss": "lower"}, **roles)
    for metric, higher in (("score", True), ("loss", False)):
        rows = table.assign(score=table[metric], seed=table["seed"] * 2 + table["fold"])
        rows = rows.dropna(subset="score")
        if missing == "drop":  # a third of the alternatives is missing there
            rows = rows[(rows["data"] > 0) | (metric == "score")]
        alone = Study(rows[["data", "model", "seed", "score"]], **ROLES, higher_is_better=higher).noise()
        found = study.noise({"metric": metric})
        assert found.index.tolist() == alone.index.tolist() and found.attrs == alone.attrs
        assert np.allclose(found, alone, equal_nan=True)
    wide = table.pivot(index=["data", "seed", "fold"], columns="model", values="score")
    matrix_ = Study.from_wide(wide, generalize_over="data", average_over=["seed", "fold"])
    long = Study(table, **{**ROLES, "average_over": ["seed", "fold"]})
    assert matrix_.noise().equals(long.noise()) and matrix_.noise().attrs["n_runs"] == 6
    assert study.notes == Study(both, target={"score": "higher", "loss": "lower"}, **roles).notes


def test_noise_of_a_known_world_is_found():
    """Experiments differ by 2, runs by 1, four runs: a share of (1/4) / (4 + 1/4); of a difference, all of it."""
    table = of_runs(400, 2, 4, seed=3)
    noise = Study(table, **ROLES).noise()
    assert np.allclose(noise["sd_runs"], 1, atol=0.05) and np.allclose(noise["sd_conditions"], 4.25**0.5, atol=0.2)
    assert np.allclose(noise["share_of_variance"], 0.25 / 4.25, atol=0.02)
    assert noise["share_of_difference"].iloc[1] > 0.85 and np.isnan(noise["share_of_difference"].iloc[0])


def test_noise_depends_neither_on_order_nor_names_nor_units():
    table = of_runs(7, 4, 3, seed=5)
    noise = Study(table, **ROLES).noise()
    again = table.sample(frac=1, random_state=1)
    again = again.assign(model=again["model"].map(dict(zip("abcd", "zyxw", strict=True))), score=7 - 3 * again["score"])
    again["seed"] = again["seed"].map({0: "x", 1: "v", 2: "w"})
    turned = Study(again, **ROLES, higher_is_better=False).noise()
    assert turned.index.map(dict(zip("zyxw", "abcd", strict=True))).tolist() == noise.index.tolist()
    assert turned.attrs == noise.attrs
    units = [3.0 if name.startswith("sd") else 1.0 for name in NOISE]
    assert np.allclose(turned.to_numpy(), noise.to_numpy() * units, equal_nan=True)


@pytest.mark.filterwarnings("ignore::genexpy_nb.StudyWarning")
def test_noise_says_what_cannot_be_known():
    nothing = Study.from_wide(matrix([1, 0])).noise()
    assert nothing.empty and list(nothing) == NOISE
    assert nothing.attrs == {"n_runs": None, "n_same_best": None, "note": "nothing was averaged"}
    table = of_runs(5, 2, 1)
    single = Study(table, **ROLES).noise()
    assert single["sd_runs"].isna().all() and single["n_runs"].tolist() == [5, 5]
    own_seeds = of_runs(5, 2, 3).eval("seed = 10 * data + seed")  # no seed is run on all data
    nested = Study(own_seeds, **ROLES).noise()
    assert nested.attrs["n_runs"] is None and "fewer than two runs" in nested.attrs["note"]
    assert np.allclose(nested, Study(of_runs(5, 2, 3), **ROLES).noise(), equal_nan=True)
    gaps = of_runs(6, 3, 2)[lambda rows: (rows["model"] != "b") | (rows["data"] != 2)]
    completed = Study(gaps, **ROLES, missing="complete").noise()
    assert completed.attrs["n_runs"] is None and "no single run is completed" in completed.attrs["note"]
    assert Study(gaps, **ROLES).noise().attrs["n_runs"] == 2
    flat = Study(of_runs(4, 2, 3).assign(score=0.1), **ROLES).noise()
    assert (flat[["sd_runs", "sd_conditions"]] == 0).all(axis=None) and flat["share_of_variance"].isna().all()
    with pytest.raises(ParameterError, match="no design factor"):
        Study(table, **ROLES).noise({"task": 1})
