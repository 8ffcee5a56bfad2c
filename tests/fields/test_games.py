"""Games and seeds: measures against scipy and enumeration, intervals against closed forms, and runs that cannot be."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu, norm, t, trim_mean
from statsmodels.stats.power import zt_ind_solve_power

import genexpy_nb as gx
from genexpy_nb.common.errors import StudyError
from genexpy_nb.conclusions.contenders import compare_all
from genexpy_nb.fields import games, seeds
from tests.made_up_results import crossed


def made_up(n_games=13, n_seeds=5, seed=0, names=("ant", "bee", "cat"), lead=0.2):
    rng = np.random.default_rng(seed)
    runs = crossed(algorithm=names, game=range(n_games), seed=range(n_seeds))
    level = rng.lognormal(-0.5, 0.7, n_games)[runs["game"]]
    return runs.assign(score=level * (1 + lead * (runs["algorithm"] == names[0]) + rng.normal(0, 0.3, len(runs))))


RUNS = made_up()


@pytest.fixture(scope="module")
def found():
    return games(RUNS)


def array(name, runs=RUNS):
    return runs[runs["algorithm"] == name].pivot(index="game", columns="seed", values="score").to_numpy()


def measured(runs=RUNS, **options):
    return games(runs, **options).measures.set_index(["algorithm", "measure"])


def test_measures_are_those_of_their_definitions():
    found = measured()["estimate"]
    for name in ("ant", "bee", "cat"):
        x = array(name)
        assert found[name, "IQM"] == pytest.approx(trim_mean(x, 0.25, axis=None))
        assert found[name, "mean"] == pytest.approx(x.mean())
        assert found[name, "median"] == pytest.approx(np.median(x.mean(axis=1)))
        assert found[name, "optimality gap"] == pytest.approx(1 - np.minimum(x, 1).mean())
    even = made_up(12, 4)
    assert measured(even)["estimate"]["bee", "median"] == pytest.approx(np.median(array("bee", even).mean(axis=1)))


def test_probabilities_of_improvement_are_those_of_mann_and_whitney():
    runs = RUNS.assign(score=RUNS["score"].round(1))  # with ties
    pairs = games(runs).pairs
    for row in pairs.itertuples():
        x, y = array(row.first, runs), array(row.second, runs)
        expected = np.mean([mannwhitneyu(a, b).statistic / 25 for a, b in zip(x, y, strict=True)])
        assert row.estimate == pytest.approx(expected)


def test_profiles_are_shares_of_runs_above():
    profiles = games(RUNS).profiles
    for row in profiles.sample(20, random_state=0).itertuples():
        assert row.estimate == pytest.approx((array(row.algorithm) > row.threshold).mean())
        assert 0 <= row.low <= row.estimate <= row.high <= 1


@pytest.mark.parametrize("what", list(seeds._MEASURES))
def test_resamples_are_those_of_brute_force(what):
    rng = np.random.default_rng(2)
    x = np.sort(rng.normal(size=(7, 3)), axis=1)
    of = {
        "IQM": lambda each: trim_mean(each, 0.25, axis=None),
        "mean": np.mean,
        "median": lambda each: np.median(each.mean(axis=1)),
        "optimality gap": lambda each: 1 - np.minimum(each, 1).mean(),
    }[what]
    runs = rng.integers(0, 3, (50, 7, 3))
    weights = (runs[..., None] == np.arange(3)).sum(axis=2).astype(float)
    expected = [of(np.take_along_axis(x, each, 1)) for each in runs]
    np.testing.assert_allclose(seeds._MEASURES[what][0](weights, x), expected, atol=1e-12)
    drawn = rng.integers(0, 7, (50, 7))
    weights = np.repeat((drawn[..., None] == np.arange(7)).sum(axis=1)[..., None], 3, axis=2).astype(float)
    np.testing.assert_allclose(seeds._MEASURES[what][0](weights, x), [of(x[each]) for each in drawn], atol=1e-12)


def test_resampled_improvement_is_that_of_all_pairs_of_drawn_runs():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(4, 3)), rng.normal(size=(4, 2))
    one, other = rng.integers(0, 3, (9, 4, 3)), rng.integers(0, 2, (9, 4, 2))
    counts = [(each[..., None] == np.arange(n)).sum(axis=2) for each, n in ((one, 3), (other, 2))]
    expected = [
        np.mean([x[g, i] > y[g, j] for g in range(4) for i, j in product(a[g], b[g])])
        for a, b in zip(one, other, strict=True)
    ]
    np.testing.assert_allclose(seeds._resampled(seeds._ahead(x, y), *counts), expected)


@pytest.mark.parametrize(("n_games", "n_seeds"), [(20, 40), (60, 3)])
def test_the_interval_of_a_mean_has_its_closed_form(n_games, n_seeds):
    runs = made_up(n_games, n_seeds, seed=4)
    found = measured(runs).loc[("ant", "mean")]
    x = array("ant", runs)
    own = norm.isf(0.025) * np.sqrt((x.var(axis=1, ddof=1) / n_seeds).sum()) / n_games
    other = t.isf(0.025, n_games - 1) * x.mean(axis=1).std(ddof=1) / np.sqrt(n_games)
    assert (found["high"] - found["low"]) / 2 == pytest.approx(own, rel=0.06)
    assert (found["games_high"] - found["games_low"]) / 2 == pytest.approx(other, rel=0.06)
    share = games(runs).algorithms.loc["ant", "of_games"]
    assert share == pytest.approx(1 - (own / other) ** 2, abs=0.03)


def test_degrees_of_freedom_are_those_of_equal_variances_on_average():
    rng = np.random.default_rng(5)
    found = [float(seeds._freedom([rng.normal(size=(100, 5))])) for _ in range(50)]
    assert np.mean(found) == pytest.approx(400, rel=0.1)
    one = np.zeros((10, 5))
    one[0] = rng.normal(size=5)
    assert seeds._freedom([one]) == pytest.approx(4)  # all noise is of one game
    assert seeds._freedom([np.zeros((3, 2))]) == np.inf


def test_contenders_are_those_of_the_engine():
    runs = made_up(11)  # all flips are looked at
    found = games(runs)
    names = found.algorithms.index
    x = {name: array(name, runs) for name in names}
    ahead = [
        [np.mean([a > b for y in names if y != n for a, b in product(x[n][g], x[y][g])]) for n in names]
        for g in range(11)
    ]
    np.testing.assert_allclose(found.algorithms["wins"], np.mean(ahead, axis=0))
    expected = compare_all(np.array(ahead), 0.05, 0)
    assert found.algorithms["may_be_best"].tolist() == expected.contend.tolist()
    np.testing.assert_allclose(found.pairs["p_adjusted"], expected.p_adjusted()[np.triu_indices(3, 1)])


REFERENCE = {game: (0.1 * game, 2 + 0.1 * game) for game in range(13)}


def test_references_say_one_thing_in_four_ways():
    low, high = (RUNS["game"].map(lambda game, at=at: REFERENCE[game][at]) for at in (0, 1))
    by_hand = games(RUNS.assign(score=(RUNS["score"] - low) / 2))
    by_map, by_columns = (
        games(RUNS, reference=REFERENCE),
        games(RUNS.assign(low=low, high=high), reference=["low", "high"]),
    )
    rows = [RUNS[RUNS["algorithm"] == "ant"].assign(algorithm=n, score=s) for n, s in (("none", low), ("all", high))]
    by_rows = games(pd.concat([RUNS, *rows], ignore_index=True), reference=("none", "all"))
    for found in (by_map, by_columns, by_rows):
        pd.testing.assert_frame_equal(found.measures, by_hand.measures)
        pd.testing.assert_frame_equal(found.pairs, by_hand.pairs)
    ends = RUNS.groupby("game")["score"].agg(["min", "max"])
    least = games(RUNS, reference="min-max").measures
    pd.testing.assert_frame_equal(least, games(RUNS, reference=ends.T.to_dict("list")).measures)


@settings(max_examples=4, deadline=None)
@given(st.permutations(range(3)), st.integers(0, 2**16))
def test_neither_labels_nor_the_order_of_rows_decide(found, names, start):
    new = {name: f"name {i}" for name, i in zip(("ant", "bee", "cat"), names, strict=True)}
    other = RUNS.sample(frac=1, random_state=start)
    other = other.assign(game=100 - other["game"], seed=-other["seed"], algorithm=other["algorithm"].map(new))
    two = games(other)
    pd.testing.assert_frame_equal(found.algorithms.rename(new), two.algorithms)
    pd.testing.assert_frame_equal(found.pairs.replace(new), two.pairs)


@settings(max_examples=4, deadline=None)
@given(st.floats(0.1, 50), st.floats(-20, 20))
def test_other_units_change_no_order(found, scale, shift):
    other = games(RUNS.assign(score=scale * RUNS["score"] + shift))
    pd.testing.assert_frame_equal(found.pairs, other.pairs, rtol=1e-6)
    one = (
        found.measures.set_index(["algorithm", "measure"])
        .loc["bee"]
        .loc[["IQM", "mean", "median"], ["estimate", "low", "games_high"]]
    )
    same = other.measures.set_index(["algorithm", "measure"]).loc["bee"].loc[one.index, one.columns]
    np.testing.assert_allclose(same, scale * one + shift, rtol=1e-6, atol=1e-8)


def test_algorithms_may_differ_in_seeds():
    runs = RUNS[(RUNS["algorithm"] != "cat") | (RUNS["seed"] < 3)]
    assert games(runs).algorithms["seeds"].to_dict() == {"ant": 5, "bee": 5, "cat": 3}


def test_sentences_are_few_and_say_what_it_is_about():
    said = str(games(made_up(8, 3, seed=1, lead=0.05), reference="min-max"))
    assert len(said.splitlines()) <= 10 and "may be the best over games like these" in said
    assert "with a probability of 80 %" in said and "the least and the most of all runs" in said
    clear = games(made_up(lead=2.0).replace("ant", "**ant**"))
    assert str(clear).startswith("**ant** is the best of 3 algorithms") and r"\*\*ant" in clear._repr_markdown_()


def test_games_that_would_tell_the_first_two_apart_are_those_of_the_power_of_a_normal_test():
    runs = made_up(8, 3, seed=1, lead=0.05)
    effect = t.isf(games(runs).pairs.iloc[0]["p"] / 2, 7) / np.sqrt(8)
    assert f" {zt_ind_solve_power(effect, alpha=0.05, power=0.8, ratio=0):,.0f} games" in str(games(runs))


def without(algorithm, game, seed=None):
    gone = (RUNS["algorithm"] == algorithm) & (RUNS["game"] == game)
    return RUNS[~(gone if seed is None else gone & (RUNS["seed"] == seed))]


@pytest.mark.parametrize(
    ("runs", "options", "words"),
    [
        (RUNS.drop(columns="score"), {}, ["no column 'score'"]),
        (RUNS.assign(score=RUNS["score"].mask(RUNS.index == 7)), {}, ["row 7", "'ant'", "game 1", "seed 2", "nan"]),
        (RUNS.assign(game=RUNS["game"].astype(object).mask(RUNS.index == 7)), {}, ["column 'game'", "row 7"]),
        (RUNS.assign(score="high"), {}, ["'score'", "must be numbers"]),
        (without("bee", 4), {}, ["algorithm 'bee' has 0 seeds in game 4 and 5 in others"]),
        (without("bee", 4, 1), {}, ["algorithm 'bee' has 4 seeds in game 4 and 5 in others"]),
        (pd.concat([RUNS, RUNS.tail(1)], ignore_index=True), {}, ["row 195", "a second", "'cat'", "game 12"]),
        (RUNS[RUNS["seed"] == 0], {}, ["'ant' has one seed"]),
        (RUNS[RUNS["algorithm"] == "ant"], {}, ["two algorithms"]),
        (RUNS[RUNS["game"] < 3], {}, ["4 games, got 3 and 3"]),
        (RUNS, {"reference": REFERENCE | {5: (1.0, 1.0)}}, ["game 5", "0 is at 1 and 1 at 1", "differ"]),
        (RUNS, {"reference": {0: (0, 1)}}, ["game 1 has no entry"]),
        (RUNS, {"reference": ["ant", "dog"]}, ["'dog' is no algorithm", "ant, bee, cat"]),
        (RUNS, {"reference": ["seed", "score"]}, ["column 'seed' has several values"]),
        (RUNS, {"reference": "human"}, ["two columns, two algorithms", "'human'"]),
    ],
)  # fmt: skip
def test_runs_that_do_not_say_it_are_errors(runs, options, words):
    with pytest.raises(StudyError) as error:
        gx.fields.games(runs, **options)
    assert not [word for word in words if word not in str(error.value)], error.value
