"""n* of known distributions: against brute force over ordered tuples of results, binomials, and searches by hand."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_up_results import random_gram, two_atom_generalizability

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.rankings import rank_scores
from genexpy_nb.generalization.discrepancy import mmd, simulated_mmd
from genexpy_nb.generalization.exact import (
    definition,
    exact_generalizability,
    exact_mmd,
    exact_nstar,
    first_enough,
    weak_orders,
)
from genexpy_nb.generalization.kernels import BordaKernel, JaccardKernel, MallowsKernel
from genexpy_nb.generalization.nstar import estimate_nstar
from genexpy_nb.generalization.samplers import n_weak_orders

KERNELS = [BordaKernel(0), JaccardKernel(1), MallowsKernel()]


@pytest.mark.parametrize("n", range(1, 6))
def test_weak_orders_are_all_there(n):
    orders = weak_orders(n)
    assert len(np.unique(orders, axis=0)) == len(orders) == n_weak_orders(n)
    np.testing.assert_array_equal(rank_scores(orders, higher_is_better=False), orders)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_distribution_by_brute_force(kernel, n):
    """Every pair of ordered studies, the MMD by its definition (Eq. 5)."""
    rankings = np.array([[0, 0, 0], [0, 1, 1], [1, 0, 1]])
    p = np.array([0.5, 0.3, 0.2])
    gram = kernel.gram(rankings)
    expected = {}
    for draw in product(range(3), repeat=2 * n):
        x, y = list(draw[:n]), list(draw[n:])
        distance = round(mmd(gram[np.ix_(x, x)], gram[np.ix_(y, y)], gram[np.ix_(x, y)]), 8)
        expected[distance] = expected.get(distance, 0) + np.prod(p[list(draw)])
    distances, probability = exact_mmd(gram, n, p)
    np.testing.assert_allclose(distances, sorted(expected), atol=1e-8)
    np.testing.assert_allclose(probability, [expected[key] for key in sorted(expected)], atol=1e-12)


@pytest.mark.parametrize("n", [1, 4, 30])
def test_two_results_are_two_binomials(n):
    """With two results that share nothing, MMD = sqrt(2) |difference of the shares of the first one|."""
    expected = two_atom_generalizability(n, 0.3, 0.0, 0.4)
    assert exact_generalizability(np.eye(2), n, 0.4, [0.3, 0.7]) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=25)
@given(
    st.lists(st.integers(1, 20), min_size=2, max_size=4),
    st.sampled_from(KERNELS),
    st.integers(1, 4),
    st.integers(0, 10**6),
)
def test_splitting_a_result_changes_nothing(weights, kernel, n, seed):
    """The same ranking listed twice with half of its probability each is the same distribution."""
    rankings = weak_orders(3)[np.random.default_rng(seed).choice(13, len(weights), replace=False)]
    p = np.array(weights) / sum(weights)
    distances, probability = exact_mmd(kernel.gram(rankings), n, p)
    twice = exact_mmd(kernel.gram(np.repeat(rankings, 2, axis=0)), n, np.repeat(p, 2) / 2)
    np.testing.assert_allclose(twice[0], distances, atol=1e-9)
    np.testing.assert_allclose(twice[1], probability, atol=1e-12)
    assert probability.sum() == pytest.approx(1)


def test_results_that_a_kernel_does_not_tell_apart_are_one():
    """Shares of 1/3, 1/3, 1/6 and 1/6 add up to a little less than 1."""
    distances, probability = exact_mmd(np.ones((4, 4)), 1, [1 / 3, 1 / 3, 1 / 6, 1 / 6])
    assert (distances.tolist(), probability.tolist()) == ([0.0], [1.0])


def test_distances_that_hardly_differ_are_two():
    gram = np.array([[1, 0.5, 0.5 - 1e-6], [0.5, 1, 0.2], [0.5 - 1e-6, 0.2, 1]])
    distances, probability = exact_mmd(gram, 1, [0.2, 0.3, 0.5])
    np.testing.assert_allclose(distances, [0, 1, math.sqrt(1 + 2e-6), math.sqrt(1.6)], rtol=1e-9)
    np.testing.assert_allclose(probability, [0.38, 0.12, 0.2, 0.3], rtol=1e-12)


@pytest.mark.parametrize("k", [0.0, 0.1, 1 / 3, 0.7])
def test_an_mmd_on_the_threshold_counts_as_similar(k):
    gram = np.array([[1, k], [k, 1]])
    for n in (3, 5, 7, 9, 10):
        for difference in range(1, n + 1):
            epsilon = math.sqrt(2 * (1 - k)) * difference / n
            near = (epsilon, epsilon * 1.001, epsilon * 0.999)
            on, above, below = (exact_generalizability(gram, n, e, [0.4, 0.6]) for e in near)
            assert on == above > below


def test_a_generalizability_that_is_just_what_is_wanted_is_enough():
    """Two studies of one experiment each agree half of the time."""
    assert exact_generalizability(np.eye(2), 1, 0.5, [0.5, 0.5]) == 0.5
    assert [exact_nstar(np.eye(2), alpha, 0.5, [0.5, 0.5]) for alpha in (0.5, 0.5 + 1e-9)] == [1, 3]


@pytest.mark.parametrize(("most", "listed"), [(36, True), (35, False)])
def test_as_many_pairs_as_allowed_are_listed(monkeypatch, most, listed):
    """Three results and n = 2: six studies, 36 pairs."""
    monkeypatch.setattr("genexpy_nb.generalization.exact._MOST_PAIRS", most)
    if listed:
        assert exact_mmd(np.eye(3), 2, [0.5, 0.3, 0.2])[1].sum() == pytest.approx(1)
    else:
        with pytest.raises(ParameterError, match="make 36 pairs of studies, more than"):
            exact_mmd(np.eye(3), 2, [0.5, 0.3, 0.2])


def test_errors():
    for n in (0, 7):
        with pytest.raises(ParameterError, match="n_alternatives"):
            weak_orders(n)
    with pytest.raises(ParameterError, match="probabilities must be 2 numbers"):
        exact_mmd(np.eye(2), 1, [0.5, 0.6])
    with pytest.raises(ParameterError, match="n must be a whole number of at least 1, got 0"):
        exact_mmd(np.eye(2), 0, [0.5, 0.5])
    with pytest.raises(ParameterError, match=r"definition, which simulates"):
        exact_mmd(np.eye(13), 13, np.full(13, 1 / 13))
    with pytest.raises(ParameterError, match="n_studies must be a whole number of at least 1, got 0"):
        definition(np.eye(2), 0.95, 0.3, n_studies=0)
    with pytest.raises(ParameterError, match=r"epsilon must be a number > 0, got 0\.0"):
        exact_generalizability(np.eye(2), 1, 0.0, [0.5, 0.5])


# --- simulated --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0.8, 0.95])
@pytest.mark.parametrize("k", [0.0, 0.8])
@pytest.mark.parametrize("p", [0.5, 0.45, 0.3, 0.1, 0.03])
def test_definition_is_the_smallest_n_of_the_binomial(p, k, alpha):
    n_studies, epsilon = 40_000, 0.3162
    margin = 4 * math.sqrt(alpha * (1 - alpha) / n_studies)  # what the simulation cannot tell apart
    found = int(definition([[1, k], [k, 1]], alpha, epsilon, [p, 1 - p], n_studies=n_studies))
    assert two_atom_generalizability(found, p, k, epsilon) >= alpha - margin
    enough = [n for n in range(1, found) if two_atom_generalizability(n, p, k, epsilon) >= alpha + margin]
    assert not enough, f"{found} is not the smallest: {enough} do, too"


def test_definition_without_probabilities_is_the_empirical_distribution():
    gram = random_gram(6, np.random.default_rng(0))
    assert definition(gram, 0.9, 0.4) == definition(gram, 0.9, 0.4, [1 / 6] * 6)
    assert definition(gram, 0.9, 0.4) == estimate_nstar(gram, 0.9, 0.4, "definition", n_resamples=10_000).estimate


def test_definition_gives_up():
    assert definition(np.eye(2), 0.95, 1e-3, n_studies=100) == math.inf
    assert definition(np.ones((3, 3)), 0.95, 1e-3) == 1


def simulated_quantile(gram, p, n, alpha, n_studies, seed):
    """The definition's own draws, and the smallest distance that at least a share alpha does not exceed."""
    stream = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(n,)))
    ordered = np.sort(simulated_mmd(gram, p, n, n_studies, stream))
    return ordered, ordered[math.ceil(alpha * (n_studies - 1))]


@pytest.mark.parametrize("n_results", [2, 20, 21, 300])
@pytest.mark.parametrize(("alpha", "epsilon"), [(0.95, 0.25), (0.8, 0.25), (0.9, 0.7)])
def test_interpolation_by_hand(n_results, alpha, epsilon):
    """The streams of the n before and at the crossing, drawn once more, and a straight line on logarithms."""
    gram = np.eye(2) if n_results == 2 else random_gram(n_results, np.random.default_rng(n_results))
    p = np.full(n_results, 1 / n_results)
    found = definition(gram, alpha, epsilon, n_studies=2000, rng=5, interpolate=True)
    n = math.ceil(found - 1e-9)
    (first, before), (then, after) = (simulated_quantile(gram, p, m, alpha, 2000, 5) for m in (n - 1, n))
    assert np.mean(first <= epsilon * (1 + 1e-9)) < alpha <= np.mean(then <= epsilon * (1 + 1e-9))
    if after == 0:
        assert found == n
    else:
        expected = np.interp(math.log(epsilon), [math.log(after), math.log(before)], [math.log(n), math.log(n - 1)])
        assert found == pytest.approx(math.exp(expected), rel=1e-9)
    if n_results <= 20:  # nothing smaller is enough
        assert definition(gram, alpha, epsilon, n_studies=2000, rng=5) == n


def test_the_seed_matters_and_nothing_else_does():
    gram = random_gram(8, np.random.default_rng(3))
    options = {"n_studies": 300, "interpolate": True}
    found = [definition(gram, 0.95, 0.15, rng=seed, **options) for seed in range(6)]
    assert len(set(found)) == 6
    assert found == [definition(gram, 0.95, 0.15, rng=seed, **options) for seed in range(6)]
    by_generator = [definition(gram, 0.95, 0.15, rng=np.random.default_rng(1), **options) for _ in range(2)]
    assert by_generator[0] == by_generator[1]


@pytest.mark.parametrize(("n_results", "times", "few"), [(2, 1, True), (2, 12, True), (20, 1, True), (21, 1, False)])
def test_of_up_to_twenty_results_however_often_they_occur_every_n_is_looked_at(monkeypatch, n_results, times, few):
    """n-Gen goes up and down with n there; every n from half of what bisection found, in both kinds of search."""
    looked = {}

    def recorded(gram, p, n, n_studies, rng):
        looked.setdefault(n_studies, set()).add(n)
        return simulated_mmd(gram, p, n, n_studies, rng)

    monkeypatch.setattr("genexpy_nb.generalization.exact.simulated_mmd", recorded)
    gram = np.kron(np.eye(n_results), np.ones((times, times)))
    for interpolate in (False, True):
        looked.clear()
        n = math.ceil(definition(gram, 0.95, 0.2, n_studies=700, interpolate=interpolate))
        assert n > 40 and (set(range(3 * n // 4, n + 1)) <= looked[700]) == few
        assert (set(looked) == {700}) == (few or not interpolate)


def test_a_share_of_just_alpha_is_enough():
    """Of 400 pairs of studies of one experiment each, as many agree as alpha asks for, or one too few."""
    for seed in range(5):
        stream = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(1,)))
        share = np.mean(simulated_mmd(np.eye(2), np.array([0.5, 0.5]), 1, 400, stream) < 0.5)
        for interpolate in (False, True):
            options = {"n_studies": 400, "rng": seed, "interpolate": interpolate}
            assert definition(np.eye(2), share, 0.5, **options) == 1
            assert definition(np.eye(2), share + 1 / 400, 0.5, **options) > 1


def test_where_all_simulated_studies_agree_there_is_nothing_to_interpolate():
    """With a single pair of studies the MMD may well be 0 at n, which has no logarithm."""
    found = [definition(np.eye(2), 0.95, 0.1, n_studies=1, rng=seed, interpolate=True) for seed in range(20)]
    assert all(n == int(n) for n in found) and len(set(found)) > 1


@pytest.mark.parametrize("n_results", [2, 40])
@pytest.mark.parametrize(("alpha", "epsilon"), [(0.7, 1 / 3), (0.7, 1 / 2), (0.7, 1 / 5), (0.9, 1 / 2), (0.9, 2 / 3)])
def test_a_distance_on_the_threshold_is_similar(alpha, epsilon, n_results):
    """Half of the results are at distance 1 from the others: the MMD of two studies is a multiple of 1 / n."""
    gram = np.kron(np.array([[1, 0.5], [0.5, 1]]), np.ones((n_results // 2, n_results // 2)))
    on, above, below = (definition(gram, alpha, epsilon + e, n_studies=4000) for e in (0, 1e-5, -1e-5))
    exact = [exact_nstar(gram, alpha, epsilon + e, np.full(n_results, 1 / n_results)) for e in (0, 1e-5, -1e-5)]
    assert [on, above, below] == exact
    assert on == above < below


# --- the search -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("jagged", [False, True])
def test_search_finds_the_first_that_is_enough_up_to_a_hundred_thousand(jagged):
    for wanted in [*range(1, 150), 255, 256, 257, 1000, 1023, 1024, 1025, 100_000]:
        assert first_enough(lambda n, wanted=wanted: n >= wanted, jagged=jagged) == wanted
    for wanted in (100_001, 200_000):
        assert first_enough(lambda n, wanted=wanted: n >= wanted, jagged=jagged) == math.inf


def test_search_looks_at_every_n_up_to_sixteen():
    """Also where what is enough goes up and down: bisection alone would not see the first one."""
    for first in range(1, 17):
        assert first_enough(lambda n, first=first: n == first or n >= 40) == first


def test_jagged_search_looks_at_every_n_from_half_of_what_bisection_found():
    for lonely in range(17, 41):
        looked = []

        def enough(n, lonely=lonely, looked=looked):
            looked.append(n)
            return n == lonely or n >= 41

        found = first_enough(enough, jagged=True)
        assert found == (lonely if lonely >= 20 else 41), lonely
    assert first_enough(lambda n: n in (17, 18) or n >= 33, jagged=True) == 17


def test_search_is_short():
    looked = []
    assert first_enough(lambda n: looked.append(n) or n >= 5000) == 5000
    assert len(looked) < 16 + 2 * math.log2(5000)
