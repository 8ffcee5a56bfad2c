"""Stability of conclusions, held against plain loops, all splits, scipy, and estimates made from scratch."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_up_results import two_atom_generalizability
from scipy import stats

from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.generalization.kernels import BordaKernel, JaccardKernel, MallowsKernel, RBFKernel
from genexpy_nb.generalization.nstar import estimate_nstar
from genexpy_nb.significance.intervals import mean_intervals
from genexpy_nb.study import positions
from genexpy_nb.study.answers import Answers
from genexpy_nb.study.positions import RANKS
from genexpy_nb.study.study import Study
from tests.said_of_studies import ROLES_OF_RUNS as ROLES
from tests.said_of_studies import matrix as made_up
from tests.said_of_studies import of_runs


def matrix(means, n=20, scale=1.0, rng=0):
    return made_up(means, n, scale, rng)


def with_ties(n, k, rng):
    return pd.DataFrame(np.random.default_rng(rng).integers(0, 4, (n, k)).astype(float)).rename_axis("dataset")


# --- positions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("higher_is_better", [True, False])
@pytest.mark.parametrize("scores", [matrix([3, 2, 2, 0], 8, rng=1), with_ties(10, 5, 2)], ids=["one leads", "ties"])
def test_a_table_is_counted(scores, higher_is_better):
    study, names = Study.from_wide(scores, higher_is_better=higher_is_better), list(scores)
    ranks, gaps = study.ranking(level=0.2).loc[names], study.contenders(level=0.2).loc[names]
    own = stats.rankdata(-scores if higher_is_better else scores, axis=1)
    assert np.allclose(ranks["mean_rank"], own.mean(axis=0)) and np.allclose(ranks["mean_score"], scores.mean())
    assert np.allclose(ranks["share_best"], (own == own.min(axis=1, keepdims=True)).mean(axis=0))
    assert ranks["position"].tolist() == stats.rankdata(ranks["mean_rank"].round(9), "min").tolist()
    assert ranks["may_be_best"].equals(gaps["may_be_best"]) and ranks.attrs["level"] == 0.2
    for i, name in enumerate(names):
        others = np.delete(own, i, axis=1) - own[:, [i]]
        assert gaps.loc[name, "estimate"] == pytest.approx(others.mean(axis=0).min())
    for row in study.pairs(level=0.2).itertuples():
        d = (1 if higher_is_better else -1) * (scores[row.a] - scores[row.b])
        assert (row.wins, row.ties, row.losses) == ((d > 0).sum(), (d == 0).sum(), (d < 0).sum())
        assert row.probability_of_improvement == pytest.approx((d > 0).mean() + (d == 0).mean() / 2)
        assert row.mean_difference == pytest.approx((scores[row.a] - scores[row.b]).mean())


def test_a_pair_is_the_permutation_test_of_scipy():
    """Exact for ten experiments, by score, and by rank."""
    scores = matrix([0.3, 0, 0.1], 10, rng=5)
    for by, values in (("score", scores), ("rank", -scores.rank(axis=1, ascending=False))):
        for row in Study.from_wide(scores).pairs(by=by).itertuples():
            d = (values[row.a] - values[row.b]).to_numpy()
            options = {"permutation_type": "samples", "n_resamples": np.inf}
            expected = stats.permutation_test((d,), lambda x, axis: x.mean(axis=axis), vectorized=True, **options)
            assert row.p == pytest.approx(expected.pvalue, abs=1e-9) and row.estimate == pytest.approx(d.mean())


def test_too_few_experiments_have_positions_and_nothing_else():
    study = Study.from_wide(pd.DataFrame({"a": [2.0], "b": [1.0], "c": [1.0]}))
    one = study.ranking()
    assert one["low"].tolist() == [1, 1, 1] and one["high"].tolist() == [3, 3, 3]
    assert one["mean_rank"].tolist() == [1, 2.5, 2.5] and one["position"].tolist() == [1, 2, 2]
    assert "fewer than 4 experiments" in one.attrs["note"] and one["may_be_best"].all()
    with pytest.raises(ParameterError, match="level"):
        Study.from_wide(matrix([0, 1])).ranking(level=1)


@pytest.mark.filterwarnings("ignore::genexpy_nb.common.errors.StudyWarning")
def test_where_scores_are_missing_a_pair_is_compared_alone():
    """A pair over what both have is the pair of a table of these two; with fewer than six, there is no verdict."""
    scores = with_ties(24, 4, 5)
    scores.iloc[::3, 1] = np.nan
    scores.iloc[:5, 2] = scores.iloc[5:24, 3] = np.nan
    study = Study.from_wide(scores, higher_is_better=False)
    pairs = study.pairs(rank_incomplete=True, by="score").set_index(["a", "b"])
    for (a, b), row in pairs.iterrows():
        both = scores[[a, b]].dropna()
        assert row["n_common"] == len(both)
        assert row["wins"] == (both[a] < both[b]).sum() and row["losses"] == (both[a] > both[b]).sum()
        assert row["ties"] == len(both) - row["wins"] - row["losses"]
        if len(both) < 6:
            assert row["p"] == 1 and row["better"] == "" and row[["estimate", "low", "high"]].isna().all()
            assert np.isnan(row["probability_of_improvement"]) == (len(both) == 0)
            continue
        alone = Study.from_wide(both, higher_is_better=False).pairs(by="score").iloc[0]
        assert row["estimate"] == pytest.approx(alone["estimate"])
        assert row["p"] == pytest.approx(alone["p"], abs=0.05)
    assert study.ranking().attrs["not_ranked"] == {3: 5} and set(study.pairs()["b"]) == {1, 2}
    assert set(study.best(rank_incomplete=True).contenders) <= set(scores)


# --- sizes -----------------------------------------------------------------------------------------------------------


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
        assert estimate == pytest.approx(two_atom_generalizability(n, 0.3, 0.0, epsilon), abs=0.12)


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


@pytest.mark.filterwarnings("ignore::genexpy_nb.common.errors.StudyWarning")
def test_answers_are_means_over_the_completions(completed):
    tables, scores = completed.completions(of="rankings"), completed.completions()
    assert len(tables) > 1 and not tables[0].equals(tables[1])
    ranks = completed.ranking()
    assert np.allclose(ranks["mean_rank"], np.mean([t.rank(axis=1).mean() for t in tables], axis=0)[_places(ranks)])
    by_score = completed.ranking(by="score")
    means = -np.mean([t.mean() for t in scores], axis=0)[_places(by_score)]
    assert by_score["position"].tolist() == stats.rankdata(means, "min").tolist()
    assert np.allclose(ranks["share_best"], np.mean([t == 0 for t in tables], axis=(0, 1))[_places(ranks)])
    kernel = MallowsKernel()
    each = [estimate_nstar(kernel.gram(table), 0.95, kernel.epsilon(0.1, 4)).estimate for table in tables]
    own = completed.nstar(kernel, delta=0.1)["nstar"].item()
    assert own == pytest.approx(stats.gmean(each))
    curve = completed.curves(kernels=kernel, delta=0.1, n=[max(2, int(own)), int(np.ceil(own)) + 1])["estimate"]
    assert curve[0] <= 0.951 and curve[1] >= 0.949


def _places(ranks):
    return [list("abcd").index(name) for name in ranks.index]


def test_a_ranking_has_the_same_columns_everywhere_and_says_what_they_are():
    scores = matrix([1, 0.5, 0], n=8)
    documented = Study.ranking.__doc__
    for study in (Study.from_wide(scores), Study.from_wide(scores.iloc[:3])):
        assert tuple(study.ranking()) == tuple(study.ranking(tests=False)) == RANKS
        assert list(Answers(study).ranking) == ["alternative", *RANKS]
    assert [column for column in RANKS if f"``{column}``" not in documented] == []


# --- means and single runs --------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::genexpy_nb.common.errors.StudyWarning")
def test_intervals_of_means_are_those_of_each_column():
    scores = matrix([3, 2, 0], n=14, rng=4)
    scores.iloc[[0, 5], 1] = np.nan
    scores.iloc[1:, 2] = np.nan
    ranks = Study.from_wide(scores, higher_is_better=False).ranking(level=0.1, rank_incomplete=True)
    for name in "ab":
        alone = pd.DataFrame({name: scores[name].dropna(), "zero": 0.0})
        row = mean_intervals(alone, n_resamples=positions._RESAMPLES, confidence=0.9).loc[name]
        expected = row[["estimate", "low", "high"]].tolist()
        assert np.allclose(ranks.loc[name, ["mean_score", "score_low", "score_high"]].tolist(), expected)
    assert ranks.loc["c", "mean_score"] == scores["c"].iloc[0]
    assert np.isnan(ranks.loc["c", "score_low"]) and np.isnan(ranks.loc["c", "score_high"])


def test_intervals_of_many_means_and_of_few_are_students(monkeypatch):
    scores = matrix([3, 2, 0], n=20, rng=4)
    monkeypatch.setattr(positions, "MOST_RESAMPLED", 19)
    for table in (scores, scores.head(9)):
        ranks = Study.from_wide(table).ranking()
        for name, column in table.items():
            expected = stats.t.interval(0.95, len(column) - 1, column.mean(), stats.sem(column))
            assert ranks.loc[name, ["score_low", "score_high"]].tolist() == pytest.approx(expected)


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


@pytest.mark.filterwarnings("ignore::genexpy_nb.common.errors.StudyWarning")
@settings(max_examples=20)
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
    assert list(noise) == NOISE and list(noise.index) == list(study.ranking(tests=False, rank_incomplete=True).index)
    expected = plain_noise(table, noise.index[0]).loc[noise.index]
    assert np.allclose(noise.to_numpy(dtype=float), expected.to_numpy(dtype=float), equal_nan=True, atol=1e-9)
    # the runs that could have been the study
    cells = table[["data", "model"]].drop_duplicates().shape[0]
    whole = [rows.drop(columns="seed") for _, rows in table.groupby("seed") if len(rows) == cells]
    if len(whole) < 2:
        assert noise.attrs["n_runs"] is None and noise.attrs["n_same_best"] is None and noise.attrs["note"]
        return
    roles = {name: column for name, column in ROLES.items() if name != "average_over"}
    leaders = [_leaders(Study(rows, **roles, higher_is_better=higher)) for rows in whole]
    assert noise.attrs["n_runs"] == len(whole)
    assert noise.attrs["n_same_best"] == sum(one == _leaders(study) for one in leaders)


def _leaders(study):
    ranks = study.ranking(tests=False, rank_incomplete=True)
    return set(ranks.index[ranks["position"] == 1])


@pytest.mark.filterwarnings("ignore::genexpy_nb.common.errors.StudyWarning")
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


@pytest.mark.filterwarnings("ignore::genexpy_nb.common.errors.StudyWarning")
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
