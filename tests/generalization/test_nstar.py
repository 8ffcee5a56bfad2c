"""n*: published numbers, what must not matter to any method, what the result says, and bad input."""

import inspect
import itertools
import math

import numpy as np
import pandas as pd
import pytest
from made_up_results import random_gram
from scipy import stats

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.rankings import rank_scores
from genexpy_nb.generalization import moments
from genexpy_nb.generalization.exact import definition
from genexpy_nb.generalization.kernels import JaccardKernel, MallowsKernel
from genexpy_nb.generalization.nstar import (
    LARGEST_WHOLE,
    METHODS,
    NStar,
    estimate_grid,
    estimate_in_parallel,
    estimate_nstar,
    redrawn_estimates,
    sample_of_many,
)
from genexpy_nb.generalization.resampling import generalizability, power_law
from genexpy_nb.generalization.theory import bound, closed_form
from genexpy_nb.study.planning import run_generalizable_study
from genexpy_nb.study.study import Study
from tests.said_of_studies import encoder_study, published_bigbench

GRAM, TWELVE = (random_gram(n, np.random.default_rng(0)) for n in (8, 12))

# --- published numbers ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def encoders(published_data):
    return encoder_study("original")


@pytest.fixture(scope="module")
def bigbench(published_data):
    return published_bigbench()


def jaccard_gram(study, configuration):
    rankings = study.rankings(configuration)
    return JaccardKernel().gram(rankings), JaccardKernel().epsilon(0.05, rankings.shape[1])


@pytest.mark.published
@pytest.mark.parametrize(
    ("model", "tuning", "scoring", "published"),
    [
        ("DTC", "full", "ACC", 28.6),
        ("SVC", "full", "BACC", 34.3),
        ("LGBMC", "no", "BACC", 28.0),
        ("LR", "full", "F1", 32.4),
    ],
)
def test_published_encoders(encoders, model, tuning, scoring, published):
    gram, epsilon = jaccard_gram(encoders, {"model": model, "tuning": tuning, "scoring": scoring})
    resampled = [estimate_nstar(gram, 0.95, epsilon, "resampling", rng=seed).estimate for seed in range(3)]
    np.testing.assert_allclose(resampled, published, rtol=0.1)
    assert np.mean(resampled) == pytest.approx(published, rel=0.05)
    assert estimate_nstar(gram, 0.95, epsilon, "moments").estimate == pytest.approx(np.mean(resampled), rel=0.1)


@pytest.mark.published
def test_published_bigbench_where_all_results_agree(bigbench):
    gram, epsilon = jaccard_gram(bigbench, {"task_name": "arithmetic", "number_of_shots": 2})
    for method in ("resampling", "moments"):
        assert estimate_nstar(gram, 0.95, epsilon, method).estimate == 1


@pytest.mark.published
def test_published_bigbench_where_they_do_not(bigbench):
    """Seventeen results of eight kinds: the MMD is discrete, its quantiles jump, and so does a single estimate."""
    gram, epsilon = jaccard_gram(bigbench, {"task_name": "conlang_translation", "number_of_shots": 0})
    assert len(gram) == 17
    resampled = [estimate_nstar(gram, 0.95, epsilon, "resampling", rng=seed).estimate for seed in range(100)]
    assert np.median(resampled) == pytest.approx(43.3, rel=0.05)


# --- the same each time -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_same_seed_same_bytes(method):
    first, second = (estimate_nstar(TWELVE, 0.9, 0.3, method, n_resamples=100, rng=seed) for seed in (7, 7))
    assert repr(first) == repr(second) and (first.method, first.n_experiments) == (method, 12)
    generators = [np.random.default_rng(7) for _ in range(2)]
    by_generator = [estimate_nstar(TWELVE, 0.9, 0.3, method, n_resamples=100, rng=rng) for rng in generators]
    assert repr(by_generator[0]) == repr(by_generator[1])


def test_another_seed_gives_another_estimate_where_there_is_chance():
    for method in ("resampling", "resampling-slope-2"):
        both = (estimate_nstar(TWELVE, 0.9, 0.3, method, n_resamples=100, rng=seed) for seed in (7, 8))
        first, second = (found.estimate for found in both)
        assert first != second
    assert generalizability(TWELVE, 3, 0.5, rng=1) == generalizability(TWELVE, 3, 0.5, rng=1)


def test_global_random_state_is_left_alone():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    for method in METHODS:
        estimate_nstar(TWELVE, 0.9, 0.3, method, n_resamples=50)
    np.testing.assert_array_equal(before, np.random.get_state()[1])  # noqa: NPY002


def test_estimates_do_not_depend_on_their_company():
    rng = np.random.default_rng(0)
    grams = [random_gram(n, rng) for n in (12, 7, 12, 9, 6)]
    alphas, epsilons = np.array([0.8, 0.95]), [np.array([0.2, 0.4])] * 5
    for method in METHODS:
        together = estimate_grid(grams, alphas, epsilons, method, 60, 3)
        for gram, grid in zip(grams, together, strict=True):
            assert grid.shape == (2, 2, 3)
            alone = [[estimate_nstar(gram, a, e, method, n_resamples=60, rng=3) for e in (0.2, 0.4)] for a in alphas]
            np.testing.assert_allclose(grid, [[[x.estimate, x.low, x.high] for x in row] for row in alone], rtol=1e-8)


@pytest.mark.parametrize("method", ["resampling", "moments"])
def test_redrawn_estimates_by_hand(method):
    gram = random_gram(15, np.random.default_rng(1))
    draw = np.random.default_rng(np.random.SeedSequence(8, spawn_key=(15, 7)))
    expected = []
    for _ in range(5):
        rows = draw.choice(15, size=7)
        again = estimate_nstar(gram[np.ix_(rows, rows)], 0.9, 0.4, method, n_resamples=200, rng=8)
        expected.append(again.estimate)
    found = redrawn_estimates(gram, 7, 0.9, 0.4, n_studies=5, method=method, rng=8)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_methods_that_are_functions_of_their_own():
    gram = 4 * random_gram(9, np.random.default_rng(0))
    found = estimate_nstar(gram, 0.9, 0.5, "bound")
    assert found.estimate == found.high == bound(0.9, 0.5, 4.0) and found.low == 1
    simulated = estimate_nstar(gram, 0.9, 1.0, "definition", n_resamples=200, rng=7)
    assert simulated.estimate == definition(gram, 0.9, 1.0, n_studies=200, rng=7)
    others = {definition(gram, 0.9, 1.0, n_studies=200, rng=seed) for seed in range(5)}
    assert len(others) > 1
    limit = estimate_nstar(gram, 0.9, 0.5, "closed-form")
    assert limit.estimate == closed_form(gram, 0.9, 0.5) > 1
    assert closed_form(gram, 0.2, 5.0) < 1 == estimate_nstar(gram, 0.2, 5.0, "closed-form").estimate
    for nstar in (simulated, limit):
        assert math.isnan(nstar.low) and math.isnan(nstar.high)


DEFAULTS = {
    estimate_nstar: {"alpha": 0.95, "epsilon": 0.3, "method": "moments", "n_resamples": 1000, "rng": 0},
    power_law: {"n_resamples": 1000, "rng": 0},
    generalizability: {"n_resamples": 1000, "rng": 0},
    redrawn_estimates: {"n_studies": 200, "method": "resampling", "rng": 0},
    definition: {"probabilities": None, "n_studies": 10_000, "rng": 0, "interpolate": False},
    bound: {"kappa_sup": 1.0},
    run_generalizable_study: {"alpha": 0.95, "delta": 0.05, "step": 10, "budget": 100, "rng": 0},
}


@pytest.mark.parametrize(("function", "values"), DEFAULTS.items(), ids=lambda each: getattr(each, "__name__", ""))
def test_what_is_done_unless_asked_otherwise(function, values):
    parameters = inspect.signature(function).parameters
    assert {name: parameters[name].default for name in values} == values


@pytest.fixture
def parallel_pays(monkeypatch):
    monkeypatch.setattr("genexpy_nb.common.parallel.WORTH_WORKERS", 0)
    monkeypatch.setattr("genexpy_nb.generalization.nstar._AT_ONCE", 2)


@pytest.mark.parametrize(("method", "n_jobs"), [("moments", 1), ("resampling", 2), ("definition", 1)])
def test_workers_share_the_matrices_in_order(parallel_pays, method, n_jobs):
    rng = np.random.default_rng(0)
    grams = [random_gram(n, rng) for n in (7, 6, 7, 8, 6)]
    alphas, epsilons = np.array([0.8, 0.95]), [np.array([e, 2 * e]) for e in (0.1, 0.2, 0.3, 0.25, 0.15)]
    alone = estimate_grid(grams, alphas, epsilons, method, 40, 5)
    shared = estimate_in_parallel(grams, alphas, epsilons, method, 40, 5, n_jobs)
    assert len(shared) == 5
    for one, other in zip(alone, shared, strict=True):
        assert one.tobytes() == other.tobytes()
    assert estimate_in_parallel([], alphas, [], method, 40, 5, n_jobs) == []


def test_one_experiment_more_than_are_compared_is_one_that_is_not_drawn():
    assert sample_of_many(LARGEST_WHOLE, 3).tolist() == list(range(LARGEST_WHOLE))
    drawn, again, other = (sample_of_many(LARGEST_WHOLE + 1, seed) for seed in (3, 3, 4))
    assert len(set(drawn)) == LARGEST_WHOLE and (np.diff(drawn) > 0).all() and drawn[-1] <= LARGEST_WHOLE
    assert np.array_equal(drawn, again) and not np.array_equal(drawn, other)


# --- the confidence of the interval -----------------------------------------------------------------------------------


def test_an_interval_of_less_confidence_lies_inside():
    two = np.kron(np.eye(2), np.ones((6, 6)))
    for gram in (TWELVE, two):
        found = {c: estimate_nstar(gram, 0.9, 0.4, confidence=c) for c in (0.5, 0.9, 0.95, 0.99)}
        assert found[0.95] == estimate_nstar(gram, 0.9, 0.4)
        assert len({each.estimate for each in found.values()}) == 1
        for inner, outer in itertools.pairwise(found.values()):
            assert outer.low <= inner.low <= inner.high <= outer.high and outer.low < inner.high < outer.high


def test_where_the_scale_is_the_logarithm_it_is_an_interval_of_the_t_distribution(monkeypatch):
    """Twelve degrees of freedom, and n* with its logarithm in the middle of the interval."""
    monkeypatch.setattr(moments, "degrees_of_freedom", lambda without: np.full((1, *without.shape[2:]), 12.0))
    monkeypatch.setattr(moments, "stable_power", lambda *given: np.zeros((1, 1, 1)))
    gram = random_gram(14, np.random.default_rng(1))
    ends = {c: estimate_nstar(gram, 0.9, 0.2, confidence=c) for c in (0.8, 0.9, 0.95)}
    widths = {c: math.log(each.high / each.low) for c, each in ends.items()}
    for confidence in (0.8, 0.9):
        expected = stats.t.ppf((1 + confidence) / 2, 12) / stats.t.ppf(0.975, 12)
        assert widths[confidence] / widths[0.95] == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize(
    "method", [*(name for name in METHODS if name != "moments"), lambda gram, alpha, epsilon: (1.0, 1.0, 1.0)]
)
def test_a_method_without_an_interval_to_choose_says_so(method):
    estimate_nstar(GRAM, 0.9, 0.4, method, n_resamples=10, confidence=0.95)
    with pytest.raises(ParameterError, match=r"confidence: method .* has no interval whose confidence can be chosen"):
        estimate_nstar(GRAM, 0.9, 0.4, method, n_resamples=10, confidence=0.9)


# --- results and bad input --------------------------------------------------------------------------------------------


def test_what_the_result_says():
    assert NStar(27.2, 20.0, 41.0, "moments", 20).experiments == 28


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: estimate_nstar(GRAM[:3, :3]), "at least 4 experiments are needed, got 3"),
        (lambda: redrawn_estimates(GRAM, 5, 0.9, 0.3), "size must be a whole number of at least 6, got 5"),
        (lambda: estimate_nstar(GRAM[:5, :5], method="resampling"), "at least 6 experiments are needed, got 5"),
        (
            lambda: estimate_nstar(GRAM, method="momens"),
            "method must be one of .* got 'momens'; did you mean 'moments'",
        ),
        (lambda: estimate_nstar(GRAM, confidence=95), r"confidence must be .*in \(0, 1\), got 95"),
        (lambda: estimate_nstar(GRAM, alpha=0), r"alpha must be .*in \(0, 1\), got 0"),
        (lambda: estimate_nstar(GRAM, epsilon=0), "epsilon must be a number > 0, got 0"),
        (lambda: estimate_nstar(GRAM, epsilon=[0.3, 0.4]), "epsilon must be .*number"),
        (lambda: closed_form(GRAM, [0.9, 0.95], 0.3), "alpha must be .*number"),
        (
            lambda: estimate_nstar(GRAM, method="resampling", n_resamples=0),
            "n_resamples must be a whole number of at least 1, got 0",
        ),
        (lambda: generalizability(GRAM, 5, 0.3), "two disjoint samples of 5 need 10 experiments, there are 8"),
        (lambda: generalizability(GRAM, 2, -1), "epsilon must be a number > 0, got -1"),
        (lambda: bound(0.95, 0.3, kappa_sup=0), "kappa_sup must be a number > 0, got 0"),
        (lambda: closed_form(GRAM, 0.95, 0.3, [0.5, 0.5]), "probabilities must be 8 numbers >= 0 with sum 1"),
        (lambda: closed_form(GRAM, 0.95, 0.3, centring="published "), "centring must be one of .* did you mean"),
        (lambda: closed_form(GRAM, 0.95, 0.3, cubes=2), "cubes must be one of 1, 3, got 2"),
        (lambda: bound(0.95, 0), "epsilon must be a number > 0, got 0"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises(ParameterError, match=words):
        call()


# --- an estimator of somebody's own -----------------------------------------------------------------------------------


SCORES = np.random.default_rng(3).normal([0.9, 0.8, 0.5], 0.2, (12, 3))
RANKINGS = rank_scores(SCORES, higher_is_better=True)


def test_an_estimator_of_ones_own():
    def twice_the_experiments(gram, alpha, epsilon):
        return 2 * len(gram), np.nan, len(gram) / epsilon

    gram = MallowsKernel().gram(RANKINGS)
    found = estimate_nstar(gram, 0.9, 0.5, twice_the_experiments)
    assert (found.estimate, found.high, found.method, found.n_experiments) == (24, 24, "twice_the_experiments", 12)
    study = Study.from_wide(pd.DataFrame(SCORES))
    frame = study.nstar([MallowsKernel(), JaccardKernel()], alpha=[0.8, 0.9], method=twice_the_experiments)
    assert (frame["nstar"] == 24).all() and set(frame["method"]) == {"twice_the_experiments"}
    for wrong in (lambda g, a, e: (0.5, np.nan, np.nan), lambda g, a, e: (2.0, 3.0)):
        with pytest.raises(ParameterError, match="must return an estimate"):
            estimate_nstar(gram, 0.9, 0.5, wrong)
