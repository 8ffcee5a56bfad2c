"""Errors of estimates of n*: against exact enumeration, against the estimators called by hand."""

import numpy as np
import pandas as pd
import pytest

import genexpy_nb as gx
from genexpy_nb.generalization.preliminary import (
    pool_estimates,
    population,
    simulate_estimates,
    subsampling_errors,
    summarise_errors,
    uniform_estimates,
    uniform_weak_orders,
)
from genexpy_nb.generalization.samplers import RankingDistribution, sample_weak_orders

TWO = RankingDistribution([[0, 1, 2], [1, 0, 2]], [0.6, 0.4])


def true_nstar(distribution, kernel, delta=0.05, **options):
    gram, p = population(distribution, kernel)
    epsilon = float(kernel.epsilon(delta, distribution.rankings.shape[1]))
    return gx.definition(gram, 0.95, epsilon, p, interpolate=True, **options)


def test_simulated_estimates_are_those_of_the_estimators():
    kernel = gx.MallowsKernel()
    frame = simulate_estimates(
        TWO, kernel, sizes=[10, 20], methods=["moments", "closed-form", "resampling"], n_studies=4, rng=3, truth=12.0
    )
    assert len(frame) == 2 * 3 * 4
    assert frame["ratio"].to_numpy() == pytest.approx(frame["nstar"] / 12)
    assert frame.loc[frame["method"] == "resampling", "covered"].isna().all()
    moments = frame[frame["method"] == "moments"]
    assert (moments["covered"] == ((moments["low"] <= 12) & (moments["high"] >= 12))).all()
    # a study of two results is determined by a count: every estimate must be one of those possible for that count
    k = kernel.gram(TWO.rankings)
    epsilon = kernel.epsilon(0.05, 3)
    for size in (10, 20):
        possible = []
        for count in range(size + 1):
            rows = np.repeat([0, 1], [count, size - count])
            possible.append(gx.estimate_nstar(k[np.ix_(rows, rows)], 0.95, epsilon).estimate)
        for value in moments.loc[moments["size"] == size, "nstar"]:
            assert np.isclose(possible, value).any()


def test_the_same_seed_gives_the_same_frame_and_other_sizes_change_nothing():
    kernel = gx.JaccardKernel()
    both = simulate_estimates(TWO, kernel, sizes=[10, 20], n_studies=5, rng=7, truth=20.0)
    one = simulate_estimates(TWO, kernel, sizes=[20], n_studies=5, rng=7, truth=20.0)
    pd.testing.assert_frame_equal(both[both["size"] == 20].reset_index(drop=True), one)


def test_estimates_come_closer_with_more_experiments():
    distribution = RankingDistribution.empirical(sample_weak_orders(5, 2000, 0))
    frame = simulate_estimates(distribution, gx.JaccardKernel(), sizes=[10, 80], methods=["moments"], n_studies=100)
    summary = summarise_errors(frame)["rmse"].droplevel(["kernel", "method"])
    assert summary[80] < summary[10] / 2


def test_pool_estimates_approach_the_truth_with_many_points_on_the_line():
    distribution = RankingDistribution.empirical(sample_weak_orders(4, 1000, 0))
    kernel = gx.MallowsKernel()
    truth = true_nstar(distribution, kernel, n_studies=5000)
    frame = pool_estimates(distribution, kernel, sizes=[10, 80], n_studies=50, n_resamples=500)
    error = (np.log(frame["nstar"] / truth) ** 2).groupby(frame["size"]).mean() ** 0.5
    assert error[80] < 0.1 < error[10]


def test_results_that_a_kernel_does_not_tell_apart_are_one():
    """The truth of a pool with repetitions and unequal weights is that of the two tops it can have."""
    rankings = [[0, 1, 2], [0, 2, 1], [0, 1, 1], [1, 0, 2]]
    pool = RankingDistribution(rankings, [0.3, 0.2, 0.1, 0.4])
    kernel = gx.JaccardKernel()
    assert true_nstar(pool, kernel, n_studies=4000, rng=1) == true_nstar(TWO, kernel, n_studies=4000, rng=1)


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
    more = uniform_estimates(
        [4], kernels[1:], methods=["moments"], n_simulated=500, **options | {"n_studies": {"moments": 9}}
    )
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


def test_subsampling_errors_are_relative_to_the_same_method_on_the_reference():
    study = make_study(30)
    frame = subsampling_errors(study, [gx.MallowsKernel()], sizes=[10, 20], reference=30, n_studies=6)
    assert set(frame["task"]) == {"large"}
    # all 30 experiments, in whatever order, are the reference
    expected = study.nstar(gx.MallowsKernel()).query("task == 'large'")["nstar"].iloc[0]
    moments = frame[frame["method"] == "moments"]
    assert moments["reference"].to_numpy() == pytest.approx(expected)
    assert moments["relative_error"].to_numpy() == pytest.approx(abs(moments["nstar"] - expected) / expected)


def test_subsampling_can_be_limited_to_some_configurations():
    study = make_study(30)
    options = {"sizes": [8], "reference": 10, "n_studies": 3}
    every = subsampling_errors(study, [gx.MallowsKernel()], **options)
    some = subsampling_errors(study, [gx.MallowsKernel()], most=1, **options)
    assert every["task"].nunique() == 2 and some["task"].nunique() == 1
    same = every[every["task"] == some["task"].iloc[0]].reset_index(drop=True)
    pd.testing.assert_frame_equal(some, same)


def test_errors_name_what_is_wrong():
    study = make_study(30)
    with pytest.raises(gx.ParameterError, match="sizes must be below reference=30"):
        subsampling_errors(study, [gx.MallowsKernel()], sizes=[30], reference=30)
    with pytest.raises(gx.ParameterError, match="reference=40: no configuration"):
        subsampling_errors(study, [gx.MallowsKernel()], sizes=[10], reference=40)
    with pytest.raises(gx.ParameterError, match="at least 6 for 'resampling'"):
        simulate_estimates(TWO, gx.MallowsKernel(), sizes=[4])


def test_summary_against_plain_formulas():
    rng = np.random.default_rng(0)
    ratio = np.exp(rng.normal(0, 0.7, 50))
    frame = pd.DataFrame({"kernel": "k", "size": 10, "method": "m", "ratio": ratio, "low": 1.0, "high": 3.0})
    frame["covered"] = rng.random(50) < 0.9
    row = summarise_errors(frame).iloc[0]
    assert row["bias"] == pytest.approx(np.log(ratio).mean())
    assert row["rmse"] == pytest.approx(np.sqrt((np.log(ratio) ** 2).mean()))
    assert row["within_2"] == pytest.approx(((ratio >= 0.5) & (ratio <= 2)).mean())
    assert row["coverage"] == pytest.approx(frame["covered"].mean())
    assert row["width"] == 3.0
