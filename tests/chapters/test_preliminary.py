"""Errors of estimates of n*: against exact enumeration, against the estimators called by hand."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import genexpy_nb as gx
from genexpy_nb.chapters.preliminary import (
    stopped_early,
    subsampling_errors,
    summarise_errors,
    uniform_estimates,
    uniform_weak_orders,
)
from genexpy_nb.chapters.shared import pool_estimates, population, simulate_estimates
from genexpy_nb.generalization.discrepancy import simulated_mmd
from genexpy_nb.generalization.samplers import RankingDistribution, sample_weak_orders

TWO = RankingDistribution([[0, 1, 2], [1, 0, 2]], [0.6, 0.4])


def true_nstar(distribution, kernel, delta=0.05, **options):
    gram, p = population(distribution, kernel)
    epsilon = float(kernel.epsilon(delta, distribution.rankings.shape[1]))
    return gx.generalization.definition(gram, 0.95, epsilon, p, interpolate=True, **options)


def test_the_published_rule_stops_studies_whose_first_results_agree():
    """The estimate is 1 as long as all experiments agree, and the interval then has no end."""
    world, kernel = RankingDistribution([[0, 1, 2], [1, 0, 2]], [0.9, 0.1]), gx.JaccardKernel(1)
    truth = pd.Series({("rare", kernel.name): 8.9})
    counts = stopped_early({"rare": world}, [kernel], truth, 10, step=5, budget=40)
    agree = sum(len(np.unique(world.sample(5, np.random.default_rng(i)), axis=0)) == 1 for i in range(10))
    assert 0 < agree <= counts["estimate"].item() and counts["interval"].item() == 0


@pytest.mark.filterwarnings("error")
def test_a_nearly_flat_line_through_the_pool_gives_infinity_without_a_warning():
    distribution = uniform_weak_orders(2)
    seeds = [
        pool_estimates(distribution, gx.BordaKernel(0), [12], 0.9, 0.3, n_studies=200, n_resamples=40, rng=s)
        for s in (0, 1)
    ]
    assert np.isinf(pd.concat(seeds)["nstar"]).any()


def test_results_that_a_kernel_does_not_tell_apart_are_one():
    """The truth of a pool with repetitions and unequal weights is that of the two tops it can have."""
    rankings = [[0, 1, 2], [0, 2, 1], [0, 1, 1], [1, 0, 2]]
    pool = RankingDistribution(rankings, [0.3, 0.2, 0.1, 0.4])
    kernel = gx.JaccardKernel()
    assert true_nstar(pool, kernel, n_studies=4000, rng=1) == true_nstar(TWO, kernel, n_studies=4000, rng=1)


def test_the_studies_are_drawn_from_the_stream_of_their_size():
    kernel, distribution = gx.MallowsKernel(), RankingDistribution.empirical(sample_weak_orders(4, 60, 0))
    gram, p = population(distribution, kernel)
    epsilon = kernel.epsilon(0.1, 4)
    frame = simulate_estimates(distribution, kernel, [6, 9], ["moments"], 0.9, 0.1, n_studies=3, rng=2, truth=5.0)
    for size, rows in frame.groupby("size"):
        generator = np.random.default_rng(np.random.SeedSequence(2, spawn_key=(size,)))
        for drawn, row in zip(generator.choice(len(p), size=(3, size), p=p), rows.itertuples(), strict=True):
            alone = gx.estimate_nstar(gram[np.ix_(drawn, drawn)], 0.9, epsilon)
            np.testing.assert_allclose([row.nstar, row.low, row.high], [alone.estimate, alone.low, alone.high])
    assert frame["true"].eq(5).all() and frame["draw"].tolist() == [0, 1, 2] * 2


def test_a_pool_is_resampled_for_every_second_n():
    """The line through n = 2, 4, ... up to half of the size, fitted by scipy; each draw resamples the same MMDs."""
    kernel, distribution = gx.MallowsKernel(), RankingDistribution.empirical(sample_weak_orders(5, 100, 0))
    gram, p = population(distribution, kernel)
    frame = pool_estimates(distribution, kernel, [8, 12], 0.9, 0.1, n_studies=3, n_resamples=40, n_simulated=300, rng=4)
    log_q = {}
    for n in (2, 4, 6):
        generator = np.random.default_rng(np.random.SeedSequence(4, spawn_key=(n,)))
        distances = simulated_mmd(gram, p, n, 300, generator)
        drawn = np.sort(generator.choice(distances, size=(3, 40)), axis=1)
        log_q[n] = np.log(drawn[:, math.ceil(0.9 * 39)])
    for size, rows in frame.groupby("size"):
        used = [n for n in log_q if n <= size // 2]
        for draw, found in enumerate(rows["nstar"]):
            line = stats.linregress([log_q[n][draw] for n in used], np.log(used))
            expected = math.exp(line.intercept + line.slope * math.log(kernel.epsilon(0.1, 5)))
            assert found == pytest.approx(expected, rel=1e-9)
    assert list(frame.columns) == ["kernel", "size", "method", "draw", "nstar"] and (frame["method"] == "pool").all()


@pytest.mark.parametrize(("n_atoms", "listed"), [(74, False), (75, True), (76, True)])
def test_rankings_are_listed_if_there_are_not_too_many(n_atoms, listed):
    distribution = uniform_weak_orders(4, n_atoms, rng=1)
    if listed:
        np.testing.assert_allclose(distribution.probabilities, 1 / 75)
        assert len(np.unique(distribution.rankings, axis=0)) == 75
    else:
        sample = sample_weak_orders(4, n_atoms, rng=1)
        np.testing.assert_array_equal(distribution.rankings, np.unique(sample, axis=0))


def test_uniform_estimates_are_those_of_each_cell():
    kernels = [gx.BordaKernel(0), gx.MallowsKernel()]
    options = {"sizes": [10, 20], "n_studies": 4, "n_resamples": 50, "rng": 5}
    frame = uniform_estimates([3, 4], kernels, n_simulated=500, **options)
    assert frame.groupby(["n_alternatives", "kernel", "method"]).size().to_numpy() == pytest.approx(8)
    cell = frame[(frame["n_alternatives"] == 4) & (frame["kernel"] == "Mallows")].drop(columns="n_alternatives")
    cell = cell.sort_values(["size", "method"], kind="stable")
    distribution = uniform_weak_orders(4)
    assert len(distribution.probabilities) == 75  # all of them, not a sample
    truth = true_nstar(distribution, kernels[1], n_studies=500, rng=5)
    alone = simulate_estimates(distribution, kernels[1], truth=truth, **options)
    pd.testing.assert_frame_equal(cell[cell["method"] != "pool"].reset_index(drop=True), alone)
    fewer = options | {"n_studies": {"moments": 9}}
    more = uniform_estimates([4], kernels[1:], methods=["moments"], n_simulated=500, **fewer)
    first = more[more["draw"] < 4].drop(columns="n_alternatives").reset_index(drop=True)
    pd.testing.assert_frame_equal(first, alone[alone["method"] == "moments"].reset_index(drop=True))
    pool = pool_estimates(distribution, kernels[1], n_simulated=600, **options)
    np.testing.assert_array_equal(cell.loc[cell["method"] == "pool", "nstar"], pool["nstar"])
    assert cell.loc[cell["method"] == "pool", "covered"].isna().all()


def make_study(n, seed=0):
    scores = np.random.default_rng(seed).random((n, 4))
    table = pd.DataFrame(scores, columns=list("abcd")).melt(var_name="model", ignore_index=False).reset_index()
    small = table[table["index"] < 12].assign(task="small")
    return gx.Study(
        pd.concat([table.assign(task="large"), small]),
        alternatives="model",
        target="value",
        generalize_over="index",
        design=["task"],
    )


def test_subsamples_are_drawn_from_the_reference_without_replacement():
    study, kernel = make_study(30), gx.MallowsKernel()
    frame = subsampling_errors(study, [kernel], [8, 15], ["moments"], 0.9, 0.1, reference=20, n_studies=3, rng=5)
    gram = kernel.gram(study.rankings({"task": "large"}))
    generator = np.random.default_rng(np.random.SeedSequence(5, spawn_key=(30,)))
    kept = generator.choice(30, size=20, replace=False)
    epsilon = kernel.epsilon(0.1, 4)
    assert len(set(kept)) == 20
    expected = []
    for size in (8, 15):
        for _ in range(3):
            rows = kept[generator.choice(20, size=size, replace=False)]
            expected.append(gx.estimate_nstar(gram[np.ix_(rows, rows)], 0.9, epsilon).estimate)
    np.testing.assert_allclose(frame["nstar"], expected)
    truth = gx.estimate_nstar(gram[np.ix_(kept, kept)], 0.9, epsilon).estimate
    np.testing.assert_allclose(frame["reference"], truth)
    np.testing.assert_allclose(frame["relative_error"], np.abs(np.array(expected) - truth) / truth)
    assert set(frame["task"]) == {"large"}
    assert list(frame.columns[:5]) == ["task", "kernel", "size", "method", "draw"]


def test_summary_against_plain_formulas():
    rng = np.random.default_rng(0)
    ratio = np.exp(rng.normal(0, 0.7, 50))
    frame = pd.DataFrame({"kernel": "k", "size": 10, "method": "m", "ratio": ratio, "low": rng.uniform(1, 3, 50)})
    frame["high"] = frame["low"] * np.exp(rng.exponential(size=50))
    frame["covered"] = rng.random(50) < 0.9
    row = summarise_errors(frame).iloc[0]
    assert row["bias"] == pytest.approx(np.log(ratio).mean())
    assert row["rmse"] == pytest.approx(np.sqrt((np.log(ratio) ** 2).mean()))
    assert row["within_2"] == pytest.approx(((ratio >= 0.5) & (ratio <= 2)).mean())
    assert row["coverage"] == pytest.approx(frame["covered"].mean())
    assert row["width"] == pytest.approx(np.median(frame["high"] / frame["low"]))


def test_half_and_twice_the_truth_are_within_a_factor_of_two():
    ratios = [0.5, 2.0, 0.1 / 0.2, 0.6 / 0.3, 0.4999, 2.0001, 1.0, 1 / 3]
    frame = pd.DataFrame({"kernel": "k", "size": 10, "method": "m", "ratio": ratios, "low": 1.0, "high": 2.0})
    summary = summarise_errors(frame.assign(covered=pd.array([None] * 8, dtype="boolean")))
    assert summary["within_2"].iloc[0] == 5 / 8
    assert summary["coverage"].isna().all()
