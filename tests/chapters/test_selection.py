"""Experiments that are chosen: against all choices, listed; and what must hold whatever the numbers."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from genexpy_nb import JaccardKernel, MallowsKernel, definition, estimate_nstar
from genexpy_nb.chapters import methods
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.generalization.samplers import RankingDistribution

STRATA = methods.example_strata()


def can_win(scores, method, k):
    """By listing all choices."""
    leads = scores[:, [method]] - np.delete(scores, method, axis=1)
    return any((leads[list(rows)].sum(axis=0) > 0).all() for rows in combinations(range(len(scores)), k))


# --- cherry-picking ---------------------------------------------------------------------------------------------------


def test_picks_and_proofs_agree_with_all_choices():
    rng = np.random.default_rng(0)
    settled, possible = [], []
    for _ in range(60):
        scores = rng.normal([0.6, 0.0, 0.0, -0.8], 1, size=(9, 4))
        k, method = int(rng.integers(1, 10)), int(rng.integers(4))
        rows, sure = methods.cherry_pick(scores, method, k)
        settled.append(sure)
        possible.append(can_win(scores, method, k))
        if len(rows):
            assert sure and len(set(rows.tolist())) == k
            assert scores[rows].mean(axis=0).argmax() == method
        if sure:
            assert bool(len(rows)) == possible[-1]
    assert np.mean(settled) > 0.9 and 0.2 < np.mean(possible) < 0.95


def test_with_all_experiments_there_is_nothing_to_pick():
    frame = methods.cherry_picking([0.3, 0.0, -0.3], 12, [12], n_studies=300, rng=1)
    assert (frame["picked"] <= frame["drawn"]).all()  # none is found where the method does not win
    assert (frame["picked"] + frame["open"] >= frame["drawn"]).all()
    assert frame["drawn"].sum() == pytest.approx(1)


def test_fewer_reported_experiments_leave_more_to_pick():
    frame = methods.cherry_picking([0.5, 0.0, -0.5], 20, [4, 10, 16, 20], n_studies=300, rng=2)
    shares = frame.pivot(index="k", columns="method", values="picked")
    assert shares.diff().dropna().le(0.01).all(axis=None)
    assert (shares[0] >= shares[1]).all() and (shares[1] >= shares[2]).all()


def test_drawn_experiments_let_the_best_win_as_often_as_normal_theory_says():
    frame = methods.cherry_picking([0.5, 0.0], 10, [8], n_studies=4000, rng=3)
    # the mean of 8 differences has mean .5 and standard deviation sqrt(2 / 8)
    assert frame["drawn"][0] == pytest.approx(0.8413, abs=4 * 0.0058)


def test_estimates_of_drawn_experiments_are_those_of_the_package():
    frame = methods.picked_nstar([0.2, 0.0, -0.2], 15, 8, 1, n_studies=2, rng=4)
    scores = np.array([0.2, 0.0, -0.2]) + np.random.default_rng(np.random.SeedSequence(4, spawn_key=(15,))).normal(
        size=(2, 15, 3)
    )
    kernel = JaccardKernel()
    for study in (0, 1):
        tiers = np.argsort(np.argsort(-scores[study, :8], axis=1), axis=1)
        expected = estimate_nstar(kernel.gram(tiers), 0.95, float(kernel.epsilon(0.05, 3)))
        row = frame[(frame["study"] == study) & (frame["way"] == "drawn")].iloc[0]
        assert (row["nstar"], row["low"], row["high"]) == pytest.approx(
            (expected.estimate, expected.low, expected.high)
        )


def test_picked_experiments_are_won_more_often():
    frame = methods.picked_nstar([0.0] * 5, 30, 6, 2, n_studies=50, rng=5)
    wins = frame.groupby("way")["wins"].mean()
    assert wins["drawn"] == pytest.approx(0.2, abs=0.08) and wins["picked"] > 0.6


# --- active selection -------------------------------------------------------------------------------------------------


def test_mixture_is_what_random_experiments_give():
    p = STRATA.mixture.probabilities
    np.testing.assert_allclose(
        p, 0.6 * STRATA.distributions[0].probabilities + 0.4 * STRATA.distributions[1].probabilities
    )
    other = RankingDistribution([[0, 1, 2, 3]], [1.0])
    with pytest.raises(ParameterError, match="same rankings"):
        methods.Strata(np.array([0.5, 0.5]), (STRATA.distributions[0], other))


def test_truth_is_that_of_the_definition():
    kernel = MallowsKernel()
    _, truth = methods.adaptive_studies(STRATA, policies=["as they come"], n_studies=2, rng=6)
    mixture = STRATA.mixture
    expected = definition(kernel.gram(mixture.rankings), 0.95, float(kernel.epsilon(0.05, 4)), mixture.probabilities)
    assert truth == pytest.approx(expected, abs=1)


def test_policies_do_what_they_say():
    studies, truth = methods.adaptive_studies(STRATA, delta=0.03, first=6, batch=2, budget=60, n_studies=60, rng=7)
    assert studies["policy"].unique().tolist() == list(methods.POLICIES)
    assert studies["settled"].eq(studies["n"] >= studies["nstar"]).all()
    assert studies["n"].between(6, 60).all() and (studies["n"] % 2 == 0).all()
    share = studies.groupby("policy")["share"].mean()
    assert share["as they come"] == pytest.approx(0.6, abs=0.05)
    assert share["most alike"] > 0.68 and share["most diverse"] < 0.45
    balanced = studies[studies["policy"] == "in proportion"]
    assert (balanced["share"] - 0.6).abs().max() <= 0.5 / balanced["n"].min() + 1e-9
    ended = studies.groupby("policy")["n"].mean()
    assert ended["most alike"] < ended["in proportion"] and truth > 15


def test_generalizability_is_that_of_random_studies_of_the_size_reached():
    studies, truth = methods.adaptive_studies(STRATA, delta=0.03, first=5, batch=1, n_studies=40, rng=8)
    by_size = studies.groupby("n")["generalizability"]
    assert by_size.nunique().eq(1).all()
    reached = by_size.first()
    assert reached.iloc[-1] > reached.iloc[0]
    if truth in reached.index:
        assert reached[truth] == pytest.approx(0.95, abs=0.02)


def test_the_same_seed_gives_the_same_studies():
    first, second = (methods.adaptive_studies(STRATA, n_studies=5, rng=9)[0] for _ in range(2))
    pd.testing.assert_frame_equal(first, second)


def test_a_budget_that_is_too_small_ends_studies_unsettled():
    studies, _ = methods.adaptive_studies(STRATA, policies=["as they come"], delta=0.01, budget=12, n_studies=10)
    unsettled = studies[~studies["settled"]]
    assert len(unsettled) > 5 and unsettled["n"].eq(12).all() and (unsettled["nstar"] > 12).all()


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: methods.cherry_pick(np.eye(3), 3, 1),
        lambda: methods.cherry_pick(np.eye(3), 0, 4),
        lambda: methods.cherry_picking([0.0, 1.0], 5, [6]),
        lambda: methods.picked_nstar([0.0, 1.0], 10, 4, 0),
        lambda: methods.adaptive_studies(STRATA, policies=["easiest"]),
        lambda: methods.adaptive_studies(STRATA, first=4),
        lambda: methods.adaptive_studies(STRATA, first=20, budget=10),
    ],
)
def test_what_is_out_of_range_is_refused(wrong):
    with pytest.raises(ParameterError):
        wrong()
