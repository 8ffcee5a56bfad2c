"""Small worlds whose answers are exact, and plans: other orders, names, units and signs make no other answer."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from genexpy_nb.chapters.formalization import checkmate_distribution, checkmate_results
from genexpy_nb.common.rankings import rank_scores
from genexpy_nb.generalization.exact import exact_generalizability, exact_mmd, exact_nstar, weak_orders
from genexpy_nb.generalization.kernels import BordaKernel, JaccardKernel, MallowsKernel
from genexpy_nb.study.planning import extend_first, plan
from genexpy_nb.study.study import Study

# --- checkmate in one -------------------------------------------------------------------------------------------------

SUCCESS = [0.9, 0.5, 0.2, 0.5]


def shares(world):
    return {tuple(ranking): share for ranking, share in zip(world.rankings.tolist(), world.probabilities, strict=True)}


@pytest.mark.parametrize("order", [[3, 1, 0, 2], [1, 0, 3, 2], [3, 2, 1, 0]], ids=str)
def test_models_in_another_order_have_the_same_rankings(order):
    expected = shares(checkmate_distribution(SUCCESS))
    found = shares(checkmate_distribution([SUCCESS[i] for i in order]))
    assert found == pytest.approx({tuple(r[i] for i in order): p for r, p in expected.items()}, rel=1e-12)


def test_counted_failures_are_counted_successes():
    """Who fails with probability 1 - p is where it was, if fewer failures are better, and on the other end if more."""
    expected = shares(checkmate_distribution(SUCCESS))
    failures = shares(checkmate_distribution([1 - p for p in SUCCESS]))
    turned = {tuple((max(ranking) - np.array(ranking)).tolist()): share for ranking, share in failures.items()}
    assert turned == pytest.approx(expected, rel=1e-12)


def test_a_simulated_table_says_the_same_of_failures_percentages_and_shuffled_rows():
    results = checkmate_results({0: SUCCESS, 3: SUCCESS[::-1]}, n_positions=25, rng=1)
    roles = {"alternatives": "model", "target": "solved", "generalize_over": "position", "design": "shots"}
    study = Study(results, **roles)
    kernels = [JaccardKernel(), MallowsKernel(), BordaKernel("a2")]
    expected = study.nstar(kernels)
    assert np.isfinite(expected["nstar"]).all()
    for other, higher_is_better in (
        (results.assign(solved=1 - results["solved"]), False),
        (results.assign(solved=results["solved"] / 3), True),
        (results.sample(frac=1, random_state=0), True),
    ):
        found = Study(other, **roles, higher_is_better=higher_is_better)
        pd.testing.assert_frame_equal(found.nstar(kernels), expected, check_exact=True)
        for configuration in study.configurations:
            pd.testing.assert_frame_equal(found.rankings(configuration), study.rankings(configuration))


def test_a_simulated_table_of_models_in_another_order_is_another_draw_of_the_same_world():
    n, order = 4000, [3, 1, 0, 2]
    results = checkmate_results({0: [SUCCESS[i] for i in order]}, n, rng=2)
    solved = results["solved"].to_numpy().reshape(n, 4)
    counts = Counter(map(tuple, rank_scores(solved[:, np.argsort(order)], higher_is_better=True).tolist()))
    for ranking, share in shares(checkmate_distribution(SUCCESS)).items():
        assert abs(counts[ranking] / n - share) <= 4.5 * np.sqrt(share * (1 - share) / n) + 1e-12


# --- exact answers ----------------------------------------------------------------------------------------------------

RANKINGS = weak_orders(3)[[0, 2, 5, 11]]
SHARES = np.array([0.4, 0.3, 0.2, 0.1])
KERNELS = [JaccardKernel(), MallowsKernel(), BordaKernel(1)]


def said(gram, epsilon=0.5, probabilities=SHARES):
    distances, chances = exact_mmd(gram, 3, probabilities)
    shares = [exact_generalizability(gram, n, epsilon, probabilities) for n in (1, 2, 4)]
    return [*distances, *chances, *shares, exact_nstar(gram, 0.6, epsilon, probabilities)]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_results_in_another_order_and_results_that_are_listed_twice(kernel):
    gram = kernel.gram(RANKINGS)
    expected = said(gram)
    for order in ([3, 0, 2, 1], [1, 0, 3, 2]):
        np.testing.assert_allclose(said(gram[np.ix_(order, order)], 0.5, SHARES[order]), expected, rtol=1e-9)
    twice, shares = [0, 1, 1, 2, 3, 0], [0.4, 0.1, 0.2, 0.2, 0.1, 0.0]
    np.testing.assert_allclose(said(gram[np.ix_(twice, twice)], 0.5, shares), expected, rtol=1e-9)
    np.testing.assert_allclose(said(gram, 0.5, SHARES * (1 - 1e-12)), expected, rtol=1e-9)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_alternatives_in_another_order(kernel):
    order = [1, 2, 0]
    follows = BordaKernel(order.index(1)) if isinstance(kernel, BordaKernel) else kernel
    found, expected = (said(of.gram(table)) for of, table in ((follows, RANKINGS[:, order]), (kernel, RANKINGS)))
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_rankings_from_the_other_end():
    """Worst first, as by the other direction: the same pairs are discordant."""
    turned = RANKINGS.max(axis=1, keepdims=True) - RANKINGS
    np.testing.assert_allclose(said(MallowsKernel().gram(turned)), said(MallowsKernel().gram(RANKINGS)), rtol=1e-9)


def test_kernel_values_on_another_scale_and_from_another_zero():
    gram = MallowsKernel().gram(RANKINGS)
    expected, n_distances = said(gram), len(exact_mmd(gram, 3, SHARES)[0])
    found = said(4 * gram, 2 * 0.5)
    np.testing.assert_allclose(np.array(found[:n_distances]) / 2, expected[:n_distances], rtol=1e-9)
    np.testing.assert_allclose(found[n_distances:], expected[n_distances:], rtol=1e-9)
    np.testing.assert_allclose(said(gram + 0.25), expected, rtol=1e-7, atol=1e-7)


# --- what to extend first ---------------------------------------------------------------------------------------------


def planned(seed):
    """Five configurations, two questions each, of other sizes, so that hardly any two cost the same."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame([(c, k) for c in "abcde" for k in ("Jaccard", "Mallows")], columns=["model", "kernel"])
    nstar = rng.uniform(10, 400, len(frame))
    sizes = frame["model"].map(dict(zip("abcde", rng.integers(20, 90, 5).tolist(), strict=True)))
    frame = frame.assign(n_experiments=sizes, nstar=nstar, low=nstar / 1.5, high=nstar * 1.7)
    frame.loc[rng.integers(len(frame)), ["nstar", "high"]] = np.inf
    return plan(frame)


@pytest.mark.parametrize("seed", range(12))
def test_what_to_extend_first_has_no_order_of_rows_and_no_names(seed):
    expected = extend_first(planned(seed), budget=200)
    assert len(expected) > 3 and expected["more"].is_unique
    shuffled = planned(seed).sample(frac=1, random_state=seed)
    found = extend_first(shuffled, budget=200)
    pd.testing.assert_frame_equal(found, expected)
    assert found.attrs == expected.attrs
    new = dict(zip("abcde", ["e", "<b>", "c", "a", "$d$"], strict=True))
    renamed = extend_first(shuffled.replace({"model": new}), budget=200)
    pd.testing.assert_frame_equal(renamed.replace({"model": {name: old for old, name in new.items()}}), expected)


def test_of_equal_prices_the_numbers_do_not_depend_on_the_order():
    """Which of two configurations comes first is open then, and how many questions any number answers is not."""
    frame = planned(0).assign(n_experiments=30, nstar=40.0 + 10 * (np.arange(10) % 3), low=20.0, high=90.0)
    expected = extend_first(plan(frame))[["cumulative", "answered"]]
    for seed in range(5):
        found = extend_first(plan(frame.sample(frac=1, random_state=seed)))
        pd.testing.assert_frame_equal(found[["cumulative", "answered"]], expected)
        assert found.attrs == {"n_questions": 10, "n_left_out": 0}
