"""Strengths against other libraries and closed forms; winners as people write them; votes that say nothing."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logit
from scipy.stats import binomtest, norm, studentized_range, t
from sklearn.linear_model import LogisticRegression

import genexpy_nb as gx
from genexpy_nb.cli import main
from genexpy_nb.common.errors import StudyError
from genexpy_nb.datasets.votes import votes_of
from genexpy_nb.fields import preferences

NAMES = np.array(["ant", "bee", "cat", "dog"])


def made_up(n=400, seed=0, strengths=(0.5, 0.2, 0.0, -0.6)):
    rng = np.random.default_rng(seed)
    one, other = np.array([rng.choice(4, 2, replace=False) for _ in range(n)]).T
    odds = np.take(strengths, one) - np.take(strengths, other) + 0.2
    winner = np.where(rng.random(n) < 1 / (1 + np.exp(-odds)), "model_a", "model_b")
    winner[rng.random(n) < 0.1] = "tie"
    groups = {"judge": rng.integers(0, 12, n), "prompt": rng.integers(0, 40, n)}
    return pd.DataFrame({"model_a": NAMES[one], "model_b": NAMES[other], "winner": winner, **groups})


VOTES = made_up()
WON = VOTES["winner"].map({"model_a": 1.0, "tie": 0.5, "model_b": 0.0})
DESIGN = np.array([(VOTES["model_a"] == name).astype(float) - (VOTES["model_b"] == name) for name in NAMES]).T


@pytest.mark.parametrize(
    ("cluster", "errors"),
    [
        (None, {"cov_type": "HC0"}),
        ("judge", {"cov_type": "cluster", "cov_kwds": {"groups": VOTES["judge"].to_numpy()}}),
        (["judge", "prompt"], {"cov_type": "cluster", "cov_kwds": {"groups": VOTES[["judge", "prompt"]].to_numpy()}}),
    ],
)
def test_strengths_and_their_errors_are_those_of_statsmodels(cluster, errors):
    found = preferences(VOTES, cluster=cluster)
    expected = sm.GLM(WON, DESIGN[:, 1:], sm.families.Binomial()).fit(tol=1e-13, **errors)
    centred = np.eye(4)[:, 1:] - 1 / 4
    strengths = pd.Series(centred @ expected.params, NAMES)
    spread = np.sqrt(np.diag(centred @ expected.cov_params() @ centred.T))
    np.testing.assert_allclose(found.models.loc[NAMES, "estimate"], strengths, atol=1e-8)
    spread *= 1 if cluster else np.sqrt(400 / 397)
    width = found.models["high"] - found.models["low"]
    same = width[NAMES] / spread  # twice the quantile of t, which is the same for all
    np.testing.assert_allclose(same, same.iloc[0], rtol=1e-5)
    few = len(VOTES) ** 2 / (VOTES["judge"].value_counts() ** 2).sum() - 1 if cluster else len(VOTES) - 3
    assert same.iloc[0] == pytest.approx(2 * t.isf(0.025, few), rel=1e-5)


def test_strengths_are_those_of_logistic_regression_with_each_tie_as_two_halves():
    design = np.vstack([DESIGN, DESIGN])
    sides, weights = np.repeat([1, 0], len(WON)), np.concatenate([WON, 1 - WON])
    fit = LogisticRegression(C=1e12, fit_intercept=False, tol=1e-12, max_iter=10_000).fit(design[:, 1:], sides, weights)
    expected = np.append(0.0, fit.coef_[0])
    found = preferences(VOTES).models.loc[NAMES, "estimate"]
    np.testing.assert_allclose(found, expected - expected.mean(), atol=1e-4)


def test_who_is_shown_first_is_the_intercept():
    fit = sm.GLM(WON, sm.add_constant(DESIGN[:, 1:]), sm.families.Binomial()).fit(cov_type="HC0", tol=1e-13)
    found = preferences(VOTES).position
    assert found["estimate"] == pytest.approx(fit.params.iloc[0], abs=1e-8)
    assert (found["high"] - found["low"]) / 2 == pytest.approx(1.966 * np.sqrt(400 / 396) * fit.bse.iloc[0], rel=1e-3)
    one_side = VOTES[VOTES["model_a"] < VOTES["model_b"]]
    assert np.isfinite(preferences(one_side).position["estimate"])
    pair = pd.DataFrame({"model_a": "x", "model_b": "y", "winner": ["x", "x", "y"] * 5})
    assert np.isnan(preferences(pair).position["estimate"])  # nobody was shown in both places
    always = VOTES.assign(winner="model_a")
    assert np.isnan(preferences(always).position["estimate"]) and "shown" not in str(preferences(always))


def two_models(won, lost):
    return pd.DataFrame({"model_a": "x", "model_b": "y", "winner": ["x"] * won + ["y"] * lost})


def test_two_models_have_closed_forms():
    won, lost = 70, 50
    found, n = preferences(two_models(won, lost)), won + lost
    pair = found.pairs.iloc[0]
    error = np.sqrt(n / (n - 1) / (n * (won / n) * (lost / n)))
    assert pair["estimate"] == pytest.approx(logit(won / n))
    assert (pair["high"] - pair["low"]) / 2 == pytest.approx(1.980 * error, rel=1e-3)
    assert pair["p_adjusted"] == pytest.approx(pair["p"], abs=0.01)  # there is one comparison only
    # how often two panels agree, if the true difference is normal with the spread that was seen
    d, share = pair["estimate"], 1 - (error / pair["estimate"]) ** 2
    first = norm.cdf(norm.rvs(share * d, np.sqrt(share) * error, 100_000, random_state=1) / error)
    assert found.agreement["estimate"] == pytest.approx((first**2 + (1 - first) ** 2).mean(), abs=0.02)


def test_all_pairs_of_a_balanced_panel_have_the_p_values_of_tukey():
    names = [f"m{i}" for i in range(5)]
    rows = [(a, b) for a in names for b in names if a != b for _ in range(60)]
    votes = pd.DataFrame(rows, columns=["model_a", "model_b"])
    rng = np.random.default_rng(3)
    votes["winner"] = np.where(rng.random(len(votes)) < 0.5 + 0.08 * (votes["model_a"] == "m0"), "model_a", "model_b")
    pairs = preferences(votes).pairs
    size = norm.isf(pairs["p"] / 2)
    np.testing.assert_allclose(pairs["p_adjusted"], studentized_range.sf(size * np.sqrt(2), 5, 1000), atol=0.03)


@pytest.mark.parametrize(
    "code",
    [
        {"model_a": "A", "model_b": "B", "tie": "tie (bothbad)"},
        {"model_a": "left", "model_b": "right", "tie": "Both"},
        {"model_a": 1, "model_b": 0, "tie": 0.5},
        {"model_a": "1", "model_b": "0", "tie": "0.5"},
        {"model_a": 1, "model_b": 2, "tie": 0},
        {"model_a": 1, "model_b": 2, "tie": 3},
        {"model_a": 1.0, "model_b": 2.0, "tie": 1.5},
        {"model_a": "A>B", "model_b": "B>>A", "tie": "A=B"},
        {"model_a": 1, "model_b": -1, "tie": 0},
    ],
)
def test_winners_are_written_as_people_do(code):
    votes = VOTES.assign(winner=VOTES["winner"].map(code))
    pd.testing.assert_frame_equal(preferences(votes).models, preferences(VOTES).models)


def test_winners_may_be_named_even_if_they_are_called_like_sides():
    named = VOTES["winner"].where(VOTES["winner"] == "tie", VOTES["model_a"])
    named = named.where(VOTES["winner"] != "model_b", VOTES["model_b"])
    found = preferences(VOTES.assign(winner=named)).models
    pd.testing.assert_frame_equal(found, preferences(VOTES).models)
    swapped = {"ant": "b", "bee": "a", "cat": "model_b", "dog": "model_a"}
    other = VOTES.assign(winner=named).replace(dict.fromkeys(("model_a", "model_b", "winner"), swapped))
    pd.testing.assert_frame_equal(preferences(other).models.rename({v: k for k, v in swapped.items()}), found)


@settings(max_examples=10, deadline=None)
@given(st.permutations(range(4)), st.integers(0, 2**16))
def test_neither_names_nor_the_order_of_rows_decide(names, seed):
    new = dict(zip(NAMES, (f"name {i}" for i in names), strict=True))
    other = VOTES.sample(frac=1, random_state=seed).replace(dict.fromkeys(("model_a", "model_b"), new))
    one, two = preferences(VOTES, cluster="judge"), preferences(other, cluster="judge")
    pd.testing.assert_frame_equal(one.models.rename(new), two.models, rtol=1e-6)
    assert one.agreement["estimate"] == pytest.approx(two.agreement["estimate"], abs=0.005)


def test_who_lost_all_votes_has_no_finite_strength():
    lost = pd.DataFrame({"model_a": "eel", "model_b": ["ant", "bee"], "winner": "model_b", "judge": 1, "prompt": 1})
    found = preferences(pd.concat([VOTES, lost], ignore_index=True))
    eel = found.models.loc["eel"]
    assert np.isnan(eel["estimate"]) and eel["may_be_best"] and (eel["rank_low"], eel["rank_high"]) == (1, 5)
    assert eel["votes"] == 2 and "In 2 pairs one won all votes, as ant did against eel" in str(found)
    others = preferences(VOTES).models
    np.testing.assert_allclose(found.models.loc[others.index, "estimate"], others["estimate"], atol=1e-8)
    assert (found.models.loc[others.index, "rank_high"] == others["rank_high"] + 1).all()


@pytest.mark.parametrize(("n", "best"), [(5, [True, True]), (6, [True, False]), (40, [True, False])])
def test_two_models_of_which_one_won_all_votes_are_told_apart_by_an_exact_test(n, best):
    found, exact = preferences(two_models(n, 0)), binomtest(n, n)
    pair = found.pairs.iloc[0]
    assert pair["p"] == pytest.approx(exact.pvalue) == pair["p_adjusted"] and pair["estimate"] == np.inf
    assert pair["low"] == pytest.approx(logit(exact.proportion_ci().low)) and pair["high"] == np.inf
    assert found.models.index.tolist() == ["x", "y"] and found.models["may_be_best"].tolist() == best
    assert found.models["rank_high"].tolist() == ([2, 2] if all(best) else [1, 2]) and found.agreement.isna().all()
    by_two = preferences(two_models(n, 0).assign(judge=[i % 5 for i in range(n)]), cluster="judge")
    assert by_two.pairs["p"].item() == 2 * 0.5**5  # votes of a judge count once


def test_who_lost_many_votes_against_many_is_not_the_best_and_an_order_is_passed_on():
    lost = pd.DataFrame({"model_a": "eel", "model_b": [*NAMES] * 3, "winner": "model_b", "judge": 1, "prompt": 1})
    found = preferences(pd.concat([VOTES, lost], ignore_index=True)).models
    assert not found.loc["eel", "may_be_best"] and found["may_be_best"].any()  # 0 of 12, 3 against each
    chain = pd.concat([two_models(20, 0), two_models(20, 0).replace({"x": "y", "y": "z"})])
    places = preferences(chain).models[["rank_low", "rank_high"]]
    assert places.to_numpy().tolist() == [[1, 1], [2, 2], [3, 3]]
    white = pd.DataFrame({"model_a": [*"xy"] * 9, "model_b": [*"yx"] * 9, "winner": ["x", "x"] * 8 + ["x", "y"]})
    assert np.isnan(preferences(white).position["estimate"])  # who is shown first won all, if it is x


@pytest.mark.parametrize(("n_won", "place"), [(5, 4), (6, 0), (8, 0)])
def test_who_won_all_votes_leads_where_chance_does_not_win_so_many(n_won, place):
    """No pair is told apart by one or two votes each; of all, 2 * .5**6 is below .05, and 2 * .5**5 is not."""
    won = pd.DataFrame({"model_a": "eel", "model_b": np.resize(NAMES, n_won), "winner": "model_a"})
    found = preferences(pd.concat([VOTES[[*won]], won], ignore_index=True)).models
    assert found.index.get_loc("eel") == place and found.loc["eel", "may_be_best"]


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("a", "b"), ("agent1", "agent2", "draw")),
        (("white", "black"), ("White wins", "Black wins", "Draw by repetition")),
        (("white", "black"), ("1-0", "0-1", "1/2-1/2")),
        (("black", "white"), ("0-1", "1-0", "1/2-1/2")),
        (("model_b", "model_a"), ("b-is-better", "a-is-slightly-better", "tie")),
    ],
)
def test_a_winner_may_be_a_place_in_the_pair(names, words):
    votes = VOTES.assign(winner=VOTES["winner"].map(dict(zip(("model_a", "model_b", "tie"), words, strict=True))))
    votes = votes.rename(columns=dict(zip(("model_a", "model_b"), names, strict=True)))
    pd.testing.assert_frame_equal(preferences(votes, *names).models, preferences(VOTES).models)
    with pytest.raises(StudyError, match="'a-is-worse'"):
        preferences(votes.assign(winner="a-is-worse"), *names)


def test_what_is_left_out_is_counted():
    more = VOTES.head(9).assign(winner=[None, None, *["model_a"] * 7])
    more.loc[2, ["model_a", "winner"]] = [more.loc[2, "model_b"], "tie"]
    said = str(preferences(pd.concat([VOTES, more.head(3)], ignore_index=True)))
    assert "2 rows without a model, winner or group left out" in said
    assert "1 vote on a model against itself left out" in said and " ties of 400 votes" in said


def test_a_position_and_a_clear_winner_are_said():
    clear = preferences(made_up(2000, 1, (2, 0, 0, -1)))
    assert str(clear).startswith("ant is the best of 4 models.") and len(str(clear).splitlines()) <= 10
    assert clear.models["may_be_best"].tolist() == [True, False, False, False] and clear.agreement["estimate"] > 0.99
    assert "The answer shown first has odds of" in str(clear)
    assert r"\*\*" in preferences(VOTES.replace("ant", "**ant**"))._repr_markdown_()


@pytest.mark.parametrize(
    ("votes", "options", "words"),
    [
        (VOTES.rename(columns={"winner": "won"}), {}, ["no column 'winner'"]),
        (VOTES.assign(winner="eel"), {}, ["row 0 holds 'eel'", "'tie'", "0 to 1"]),
        (VOTES.assign(winner=3.7), {}, ["row 0 holds 3.7"]),
        (VOTES.assign(winner=None), {}, ["no vote counts"]),
        (VOTES.assign(judge=VOTES["judge"] % 4), {"cluster": "judge"}, ["'judge' has 4 levels", "leave it out"]),
        (
            pd.concat([two_models(3, 3), two_models(3, 3).replace({"x": "u", "y": "v"})], ignore_index=True),
            {},
            ["different groups", "'u' and 'v' | 'x' and 'y'", "each group by itself"],
        ),
    ],
)
def test_votes_that_do_not_say_it_are_errors(votes, options, words):
    with pytest.raises(StudyError) as error:
        gx.fields.preferences(votes, **options)
    assert not [word for word in words if word not in str(error.value)], error.value


@pytest.mark.parametrize("as_written", [lambda share: share, lambda share: 2 - share])
def test_a_vote_may_be_shared(as_written):
    shares = np.random.default_rng(1).choice([0, 0.25, 0.5, 0.75, 1], len(VOTES))
    found = preferences(VOTES.assign(winner=as_written(shares))).models["estimate"]
    wins = pd.concat([VOTES.assign(winner=(shares > part).astype(int)) for part in (0.1, 0.3, 0.6, 0.9)])
    pd.testing.assert_series_equal(found, preferences(wins).models["estimate"], rtol=1e-5)


def test_a_few_words_that_name_no_winner_are_left_out_and_said():
    found = preferences(VOTES.assign(winner=VOTES["winner"].where(VOTES.index != 7, "invalid")))
    assert "1 row in which winner is 'invalid' left out." in str(found)


def test_names_that_are_joined_share_their_votes():
    """As of translations that several systems made alike: what the same votes say if each is written out."""
    rng = np.random.default_rng(3)
    rows = pd.DataFrame({"a": rng.choice(["x", "y", "z", "x+y"], 300), "b": rng.choice(["x", "y", "z"], 300)})
    rows["winner"] = rng.choice(["a", "b", "tie"], 300)
    parts = rows.assign(a=rows["a"].str.split("+")).explode("a").reset_index()
    joined, apart = gx.fields.preferences(rows, "a", "b", "winner"), gx.fields.preferences(parts, "a", "b", "winner")
    pd.testing.assert_series_equal(joined.models["estimate"], apart.models["estimate"])
    assert "joins names with +" in " ".join(joined.sentences)


def test_a_few_judges_of_whom_one_has_most_votes_are_no_sample_of_others(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    votes = pd.DataFrame({"model_a": "ant", "model_b": ["bee", "cow"] * 50, "winner": ["model_a", "model_b"] * 50})
    votes.assign(prompt=np.arange(100) // 4, judge=["j0"] * 60 + [f"j{i % 6}" for i in range(40)]).to_csv("v.csv")
    found = CliRunner().invoke(main, ["study", "v.csv"]).output
    assert "! 67% of the votes are of one of 6 levels of 'judge'" in found and "v.csv --cluster judge" in found


def test_numbers_of_annotators_beside_names_of_two_are_votes():
    rows = pd.DataFrame({"pair": ["ant_bee", "bee_cows", "ant_cows", "cows_ant"] * 5})
    found = votes_of(rows.assign(annotator1=[0, 1, 2, 1] * 5, annotator2=[1, 2, 0, 1] * 5))
    assert found.winners == ["annotator1", "annotator2"] and "1 is taken for a win of the first" in found.made
