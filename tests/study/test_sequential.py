"""Algorithm 1: what is asked for, when it stops, and what it says then."""

import numpy as np
import pandas as pd
import pytest

import genexpy_nb as gx
from genexpy_nb.common.rankings import rank_scores
from genexpy_nb.generalization.samplers import sample_weak_orders


def pool(size, n_alternatives=4, seed=0):
    """A source of experiments that keeps book of what it was asked for."""
    rankings = sample_weak_orders(n_alternatives, size, np.random.default_rng(seed))
    asked = []

    def run(n):
        start = sum(asked)
        asked.append(n)
        return rankings[start : start + n]

    return run, rankings, asked


@pytest.mark.parametrize(("stop", "confidence"), [("estimate", 0.95), ("interval", 0.95), ("interval", 0.6)])
def test_stops_at_the_first_batch_for_which_the_rule_holds(stop, confidence):
    kernel = gx.MallowsKernel()
    run, rankings, asked = pool(400)
    study = gx.run_generalizable_study(run, kernel, delta=0.05, step=5, budget=400, stop=stop, confidence=confidence)
    assert study.generalizable and study.reason == "enough"
    assert asked == [5] * len(study.history)
    # the same estimates, made by hand from what was there after each batch
    for i, row in enumerate(study.history.itertuples(), start=1):
        gram = kernel.gram(rankings[: 5 * i])
        nstar = gx.estimate_nstar(gram, 0.95, kernel.epsilon(0.05, 4), confidence=confidence)
        assert (row.n_experiments, row.nstar, row.low, row.high) == (5 * i, nstar.estimate, nstar.low, nstar.high)
        reached = 5 * i >= (nstar.estimate if stop == "estimate" else nstar.high)
        assert reached == (i == len(study.history))
    np.testing.assert_array_equal(study.results.to_numpy(), rankings[: 5 * len(asked)])


@pytest.mark.parametrize(("size", "step", "budget", "reason"), [(100, 10, 25, "budget"), (13, 5, 100, "exhausted")])
def test_all_of_the_budget_or_the_pool_is_used_and_no_more(size, step, budget, reason):
    run, _, asked = pool(size)
    study = gx.run_generalizable_study(run, gx.JaccardKernel(), delta=0.01, step=step, budget=budget)
    assert asked == ([10, 10, 5] if reason == "budget" else [5, 5, 5])
    assert (study.generalizable, study.reason, len(study.results)) == (False, reason, min(size, budget))


def test_a_pool_too_small_for_any_estimate():
    run, _, _ = pool(3)
    study = gx.run_generalizable_study(run, gx.MallowsKernel(), step=5, budget=100)
    assert study.reason == "exhausted" and study.history.empty


def test_hopeless_studies_stop_early_under_the_interval_rule():
    run, _, asked = pool(1000)
    study = gx.run_generalizable_study(run, gx.JaccardKernel(), delta=0.01, step=20, budget=60, stop="interval")
    assert study.reason == "out of reach"
    assert study.history["low"].iloc[-1] > 60
    assert sum(asked) < 60


def test_scores_are_ranked_if_their_direction_is_given():
    scores = pd.DataFrame(np.random.default_rng(1).normal(size=(200, 5)), columns=list("abcde"))
    batches = iter(range(0, 200, 10))
    by_scores = gx.run_generalizable_study(
        lambda n: scores.iloc[(start := next(batches)) : start + n],
        gx.MallowsKernel(),
        step=10,
        budget=200,
        higher_is_better=False,
    )
    ranks = rank_scores(scores, higher_is_better=False)
    again = iter(range(0, 200, 10))
    by_ranks = gx.run_generalizable_study(
        lambda n: ranks[(start := next(again)) : start + n], gx.MallowsKernel(), step=10, budget=200
    )
    pd.testing.assert_frame_equal(by_scores.history, by_ranks.history)


@pytest.mark.parametrize(
    ("stop", "estimate", "low", "high", "reason", "n_asked"),
    [
        ("estimate", 5.0, 1.0, 99.0, "enough", 1),  # as many as n*
        ("estimate", 5.001, 1.0, 99.0, "enough", 2),
        ("estimate", 15.001, 15.001, 99.0, "budget", 3),  # the interval does not count
        ("interval", 1.0, 1.0, 5.0, "enough", 1),
        ("interval", 1.0, 1.0, 5.001, "enough", 2),
        ("interval", 14.0, 15.0, 99.0, "budget", 3),  # the budget may just be enough
        ("interval", 99.0, 14.0, 999.0, "budget", 3),
        ("interval", 99.0, 15.001, 999.0, "out of reach", 1),
    ],
)
def test_where_the_rules_stop(monkeypatch, stop, estimate, low, high, reason, n_asked):
    """The estimate is given; batches are of 5 experiments, and 15 may be run."""
    monkeypatch.setattr(
        "genexpy_nb.study.planning.estimate_nstar",
        lambda gram, *_, **__: gx.generalization.NStar(estimate, low, high, "moments", len(gram)),
    )
    run, _, asked = pool(100)
    study = gx.run_generalizable_study(run, gx.MallowsKernel(), step=5, budget=15, stop=stop)
    assert (study.reason, len(asked)) == (reason, n_asked)
    last = [reason] if reason != "budget" else []
    assert study.history["decision"].tolist() == ["go on"] * (n_asked - len(last)) + last


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"step": 3}, "step must be a whole number of at least 4, got 3"),
        ({"step": 10, "budget": 9}, "budget must be a whole number of at least 10, got 9"),
        ({"stop": "estimates"}, "did you mean 'estimate'"),
        ({"alpha": 1.0}, "alpha must be .*in"),
        ({"delta": 0.0}, "delta must be in"),
    ],
)
def test_bad_parameters(options, message):
    run, _, _ = pool(50)
    with pytest.raises(gx.errors.ParameterError, match=message):
        gx.run_generalizable_study(run, gx.MallowsKernel(), **options)


def test_batches_that_do_not_fit():
    with pytest.raises(gx.errors.ParameterError, match="returned 11 results, 10 were asked for"):
        gx.run_generalizable_study(lambda n: np.zeros((n + 1, 3), dtype=int), gx.MallowsKernel())
    frames = iter(
        [pd.DataFrame([[0, 1]] * 4 + [[1, 0]] * 6, columns=["a", "b"]), pd.DataFrame([[0, 1]], columns=["a", "c"])]
    )
    with pytest.raises(gx.errors.ParameterError, match="other alternatives than before"):
        gx.run_generalizable_study(lambda n: next(frames), gx.MallowsKernel(), delta=0.01)
