"""n* of very many experiments: merged and blocked against the comparison of every pair."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import genexpy_nb as gx
from genexpy_nb.common.rankings import rank_scores
from genexpy_nb.generalization import many
from genexpy_nb.generalization.many import (
    blocks,
    distinct_results,
    nstar_of_many,
    observe_blocks,
    observe_counted,
)
from genexpy_nb.generalization.moments import nstar_by_moments, observe, solve, third_from_sums, third_moment
from genexpy_nb.study.study import Study

ALPHAS = np.array([0.5, 0.9, 0.95])
KERNELS = [gx.BordaKernel(0), gx.JaccardKernel(), gx.JaccardKernel(2), gx.MallowsKernel(), gx.RBFKernel()]


def results_for(kernel, rng, n_experiments, n_alternatives=4, n_values=3):
    scores = rng.integers(0, n_values, (n_experiments, n_alternatives)).astype(float)
    scores[0] = np.arange(n_alternatives)  # the top two tiers of this one are not everybody
    return rank_scores(scores, higher_is_better=True) if kernel.on == "rankings" else scores


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@settings(max_examples=25)
@given(st.integers(7, 60), st.integers(0, 2**32), st.integers(2, 4))
def test_counted_results_are_all_pairs(kernel, n_experiments, seed, n_values):
    results = results_for(kernel, np.random.default_rng(seed), n_experiments, 3, n_values)
    epsilons = np.asarray(kernel.epsilon([0.05, 0.3], 3))[None]
    gram = kernel.gram(results)
    first, counts = distinct_results(results, kernel)
    plain, counted = observe(gram[None], ALPHAS), observe_counted(gram[np.ix_(first, first)], counts, ALPHAS)
    for name in ("scale", "farthest", "third", "pair", "two"):
        assert np.allclose(getattr(plain, name), getattr(counted, name), rtol=1e-9, atol=1e-12), name
    if plain.two.any():  # which of the two is counted does not matter
        assert counted.n_of_one[0] in (plain.n_of_one[0], n_experiments - plain.n_of_one[0])
    every = np.repeat(counted.moments[0, 1:], counts, axis=0)
    assert np.allclose(counted.moments[0, 0], plain.moments[0, 0], atol=1e-12)
    assert np.allclose(np.sort(every, axis=0), np.sort(plain.moments[0, 1:], axis=0), atol=1e-12)
    assert np.allclose(solve(counted, ALPHAS, epsilons), nstar_by_moments(gram[None], ALPHAS, epsilons), rtol=1e-6)


def test_two_results_one_of_them_rare_are_counted():
    gram, counts = np.eye(2), np.array([3, 400])
    seen = observe_counted(gram, counts, ALPHAS)
    one = np.arange(403) < 3
    plain = observe((one[:, None] == one).astype(float)[None], ALPHAS)
    assert seen.two.all() and seen.n_of_one[0] == 3
    epsilons = np.array([[0.1, 0.5]])
    assert np.allclose(solve(seen, ALPHAS, epsilons), solve(plain, ALPHAS, epsilons), rtol=1e-7)


def test_all_alike_takes_one_experiment():
    nstar, note = nstar_of_many(np.zeros((10_000, 5), int), gx.MallowsKernel(), ALPHAS, np.array([0.3]), seed=0)
    assert note == ""
    assert nstar[:, 0].tolist() == [[1.0, 1.0, np.inf]] * 3


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_keys_are_equal_where_the_kernel_cannot_tell(kernel):
    results = results_for(kernel, np.random.default_rng(0), 40)
    keys, gram = kernel.keys(results), kernel.gram(results)
    for i, j in combinations(range(40), 2):
        assert np.array_equal(keys[i], keys[j]) == np.isclose(gram[i, j], 1, atol=1e-12)


def test_a_kernel_without_keys_merges_equal_rows_only():
    class Winner:
        on, name, question = "rankings", "winner", "Who wins?"

    results = np.array([[0, 1, 2], [0, 2, 1], [0, 1, 2], [1, 0, 2]])
    assert [each.tolist() for each in distinct_results(results, Winner())] == [[0, 1, 3], [2, 1, 1]]
    scores = np.array([[0.0, 1.0], [-0.0, 1.0], [0.5, 1.0]])
    assert distinct_results(scores, gx.RBFKernel())[1].tolist() == [2, 1]


@given(st.integers(1, 5000), st.integers(0, 99))
def test_blocks_hold_every_experiment_once(n_experiments, seed):
    parts = blocks(n_experiments, seed)
    assert sorted(np.concatenate(parts)) == list(range(n_experiments))
    assert max(map(len, parts)) <= many.BLOCK
    assert len({len(part) for part in parts}) <= 2
    again = blocks(n_experiments, seed)
    assert all(map(np.array_equal, parts, again))


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_blocks_are_means_over_all_pairs_of_a_block(kernel):
    rng = np.random.default_rng(1)
    results = results_for(kernel, rng, 30, n_alternatives=5, n_values=9)
    parts = [np.arange(0, 14), np.arange(14, 30)]
    seen = observe_blocks(results, kernel, parts, ALPHAS)
    alone = [observe(kernel.gram(results[part])[None], ALPHAS) for part in parts]
    shares = [14 / 30, 16 / 30]
    mean = sum(share * one.moments[0, 0] for share, one in zip(shares, alone, strict=True))
    assert np.allclose(seen.moments[0, 0], mean)
    assert np.allclose(seen.third, sum(share * one.third for share, one in zip(shares, alone, strict=True)))
    for place, (part, row) in enumerate([(0, 3), (1, 5)]):  # one experiment less in a block, the other as it is
        without = mean + shares[part] * (alone[part].moments[0, 1 + row] - alone[part].moments[0, 0])
        assert np.allclose(seen.moments[0, 1 + row + 14 * place], without)
    assert seen.farthest[0] == max(one.farthest[0] for one in alone)
    assert np.allclose(seen.pair[0], np.mean([one.pair[0] for one in alone], axis=0))


def test_of_three_blocks_the_pair_is_the_median_and_errors_add_up():
    rng = np.random.default_rng(4)
    scores, kernel = rng.normal(size=(31, 3)), gx.RBFKernel()
    parts = np.split(rng.permutation(31), [8, 18])
    seen = observe_blocks(scores, kernel, parts, ALPHAS)
    alone = [observe(kernel.gram(scores[part])[None], ALPHAS).pair[0] for part in parts]
    assert np.allclose(seen.pair[0], np.median(alone, axis=0))
    for place, left_out in enumerate(np.concatenate(parts)):
        sums = []
        for part in parts:
            gram = kernel.gram(scores[part[part != left_out]])
            sums.append((np.diag(gram)[:, None] + np.diag(gram) - 2 * gram).sum(axis=1))
        expected = [
            sum(len(each) * each.var() for each in sums),
            sum((each**2).sum() for each in sums),
            sum(each.sum() for each in sums),
        ]
        assert np.allclose([errors[0, place] for errors in seen.errors], expected)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_a_single_block_is_all_pairs(kernel):
    results = results_for(kernel, np.random.default_rng(2), 40, n_alternatives=5, n_values=9)
    epsilons = np.asarray(kernel.epsilon([0.05, 0.3], 5))[None]
    seen = observe_blocks(results, kernel, [np.arange(40)], ALPHAS)
    if not observe(kernel.gram(results)[None], ALPHAS).two.any():
        assert np.allclose(
            solve(seen, ALPHAS, epsilons), nstar_by_moments(kernel.gram(results)[None], ALPHAS, epsilons), rtol=1e-7
        )


def test_blocks_agree_with_all_pairs_within_a_fraction_of_the_interval():
    rng = np.random.default_rng(3)
    scores = rng.normal(np.linspace(0, 1, 12), 1, (1500, 12)) / 3
    epsilons = np.array([gx.RBFKernel().epsilon(0.05, 12)])
    plain = nstar_by_moments(gx.RBFKernel().gram(scores)[None], ALPHAS[2:], epsilons[None])[0, 0, 0]
    for seed in range(3):
        seen = observe_blocks(scores, gx.RBFKernel(), blocks(1500, seed), ALPHAS[2:])
        estimate, low, high = solve(seen, ALPHAS[2:], epsilons[None])[0, 0, 0]
        assert abs(estimate - plain[0]) < 0.25 * (plain[2] - plain[1])
        assert 0.8 < (high - low) / (plain[2] - plain[1]) < 1.25


def test_the_third_moment_of_many_results_does_not_overflow():
    # n (n - 1) ... (n - 5) leaves 64 bits at n = 1449. Two results, half each: one eigenvalue 1/2.
    distances = 2.0 * (np.arange(1600)[:, None] % 2 != np.arange(1600) % 2)
    assert third_moment(distances) == pytest.approx(1 / 8, rel=0.01)
    assert third_from_sums(np.array(1e18), np.array(0.0), 1_000_000) == pytest.approx(1, rel=1e-4)


def long_table(scores):
    n, k = scores.shape
    return pd.DataFrame(
        {"data": np.repeat(np.arange(n), k), "model": np.tile([f"m{i}" for i in range(k)], n), "score": scores.ravel()}
    )


def test_a_study_of_many_experiments_says_what_was_not_compared(monkeypatch):
    monkeypatch.setattr("genexpy_nb.study.study.LARGEST_WHOLE", 100)
    monkeypatch.setattr(many, "LARGEST_WHOLE", 100)
    monkeypatch.setattr(many, "BLOCK", 40)
    scores = np.random.default_rng(0).normal(np.linspace(0, 1, 5), 1, (200, 5)) / 2
    study = Study(long_table(scores), alternatives="model", target="score", generalize_over="data")
    kernels = [gx.RBFKernel(), gx.BordaKernel("m0"), gx.JaccardKernel()]
    found = study.nstar(kernels, [0.9, 0.95], [0.05, 0.1], rng=7)
    assert found["note"].iloc[:4].str.startswith("the 200 experiments are compared within 5 random blocks").all()
    assert (found["note"].iloc[4:] == "").all()
    monkeypatch.setattr("genexpy_nb.study.study.LARGEST_WHOLE", 1000)
    plain = study.nstar(kernels, [0.9, 0.95], [0.05, 0.1], rng=7)
    numbers = ["nstar", "low", "high"]
    assert np.allclose(found[numbers].iloc[4:], plain[numbers].iloc[4:], rtol=1e-6)
    assert np.allclose(found["nstar"].iloc[:4], plain["nstar"].iloc[:4], rtol=0.05)


def test_a_study_holds_a_few_gram_matrices_at_a_time(monkeypatch):
    scores = np.random.default_rng(0).normal(size=(60, 4))
    table = long_table(scores).assign(task=lambda frame: frame["data"] % 6, data=lambda frame: frame["data"] // 6)
    study = Study(table, alternatives="model", target="score", generalize_over="data", design="task")
    together = study.nstar([gx.MallowsKernel(), gx.RBFKernel()])
    monkeypatch.setattr("genexpy_nb.study.study._HELD_AT_ONCE", 250)
    pd.testing.assert_frame_equal(together, study.nstar([gx.MallowsKernel(), gx.RBFKernel()]))


def test_other_methods_refuse_what_they_cannot_hold(monkeypatch):
    monkeypatch.setattr("genexpy_nb.generalization.nstar._MOST_COMPARED", 10)
    study = Study(long_table(np.eye(11)), alternatives="model", target="score", generalize_over="data")
    with pytest.raises(
        gx.StudyError, match=r"'bound' compares every pair .* up to 10 of them; there are 11; method='m"
    ):
        study.nstar(gx.MallowsKernel(), method="bound")
    assert study.nstar(gx.MallowsKernel()).loc[0, "nstar"] > 1
