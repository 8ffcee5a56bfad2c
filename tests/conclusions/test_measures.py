"""What two studies agree in: against closed forms, enumeration, scipy, and Holm's correction by hand."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from genexpy_nb.conclusions.effects import Effects, Noise, effects_of_means
from genexpy_nb.conclusions.measures import Order, Studies, Top, Verdicts, signed_rank_p_values
from genexpy_nb.significance.multiple import holm_adjusted
from tests.conclusions.test_extrapolation import largest_bias


def all_pairs(a):
    return np.triu_indices(a, 1)


def studies_of(a, n_draws=20_000, scale=1.0, seed=0, n=30):
    noise = Noise(scale * np.eye(a))
    return Studies(noise, noise.draw(n_draws, np.random.default_rng(seed)), n)


def top_sets(effects, k):
    return [frozenset(np.argsort(-row)[:k]) for row in effects]


@pytest.mark.parametrize(("a", "k"), [(2, 1), (4, 1), (6, 2), (6, 5), (9, 3)])
def test_equal_alternatives(a, k):
    studies = studies_of(a)
    measures = Top(1, a), Top(k, a), Order(*all_pairs(a))
    expected = [1 / a, k / a, 0.0]
    found = [measure.within(np.zeros((1, a)), studies)[0] for measure in measures]
    assert found == pytest.approx(expected, abs=0.01)
    assert [measure.least for measure in measures] == pytest.approx(expected)


def test_one_leader_against_an_integral():
    a, lead, points = 5, 1.5, np.linspace(-8, 8, 4001)
    centre = np.array([lead, 0, 0, 0, 0])
    wins = np.trapezoid(stats.norm.pdf(points) * stats.norm.cdf(points + lead) ** (a - 1), points)
    found = Top(1, a).within(centre[None], studies_of(a))[0]
    assert found == pytest.approx(wins**2 + (1 - wins) ** 2 / (a - 1), abs=0.01)


@settings(max_examples=30)
@given(st.floats(-4, 4), st.floats(0.2, 3))
def test_tau_of_two_is_a_closed_form(difference, scale):
    centre, studies = np.array([[difference, 0.0]]), studies_of(2, 10, scale)
    ahead = stats.norm.cdf(difference / (scale * np.sqrt(2)))
    tau = Order(*all_pairs(2)).within(centre, studies)[0]
    assert tau == pytest.approx(1 - 4 * ahead * (1 - ahead), abs=1e-12)


def test_expected_tau_is_the_mean_of_squares_and_that_of_drawn_studies():
    a = 5
    centre, noise = np.array([1.0, 0.8, 0.2, 0.0, -0.5]), Noise(np.random.default_rng(1).normal(0, 0.5, (a, a)))
    found = Order(*all_pairs(a)).within(centre[None], Studies(noise, np.zeros((1, a)), 30))[0]
    covariance = noise.factor.T @ noise.factor
    squares = []
    for i, j in combinations(range(a), 2):
        error = np.sqrt(covariance[i, i] + covariance[j, j] - 2 * covariance[i, j])
        squares.append((2 * stats.norm.cdf((centre[i] - centre[j]) / error) - 1) ** 2)
    assert found == pytest.approx(np.mean(squares), abs=1e-12)
    rng = np.random.default_rng(2)
    drawn = [stats.kendalltau(*(centre + noise.draw(2, rng))).statistic for _ in range(500)]
    assert found == pytest.approx(np.mean(drawn), abs=4 * np.std(drawn) / np.sqrt(500))


@settings(max_examples=20)
@given(st.integers(3, 7), st.integers(0, 99))
def test_all_pairs_of_different_draws_by_enumeration(a, seed):
    rng, k = np.random.default_rng(seed), a // 2
    centres = rng.normal(size=(3, a))
    studies = studies_of(a, 12, seed=seed)
    pairs = list(combinations(range(12), 2))
    found = [Top(size, a).within(centres, studies) for size in (1, k)]
    for centre, winner, top in zip(centres, *found, strict=True):
        drawn = centre + studies.draws
        best, sets = drawn.argmax(axis=1), top_sets(drawn, k)
        assert winner == pytest.approx(np.mean([best[x] == best[y] for x, y in pairs]))
        assert top == pytest.approx(np.mean([len(sets[x] & sets[y]) / k for x, y in pairs]))


@settings(max_examples=20)
@given(st.integers(3, 12), st.integers(0, 99))
@example(12, 0)
def test_agreement_of_given_studies_by_enumeration(a, seed):
    rng, k = np.random.default_rng(seed), a - 1
    first, second = rng.normal(size=(2, 9, a))
    tops = list(zip(top_sets(first, k), top_sets(second, k), strict=True))
    assert Top(1, a).between(first, second, 5) == np.mean(first.argmax(axis=1) == second.argmax(axis=1))
    assert Top(k, a).between(first, second, 5) == pytest.approx(np.mean([len(x & y) / k for x, y in tops]))


@pytest.mark.parametrize("n", [1, 5, 12, 25, 50])
def test_signed_rank_p_values_are_exact(n):
    largest = n * (n + 1) // 2
    rng = np.random.default_rng(n)
    for _ in range(5):
        ranks = np.arange(1, n + 1) * rng.choice([-1, 1], n)
        p = stats.wilcoxon(ranks.astype(float), method="exact").pvalue
        effect = ranks[ranks > 0].sum() / largest - 0.5
        assert signed_rank_p_values(np.array([effect, -effect]), n) == pytest.approx([p, p], rel=1e-9)


@pytest.mark.parametrize("n", [51, 400])
def test_signed_rank_p_values_of_many_are_normal(n):
    ranks = np.arange(1, n + 1) * np.random.default_rng(n).choice([-1, 1], n, p=[0.4, 0.6])
    p = stats.wilcoxon(ranks.astype(float), method="asymptotic", correction=False).pvalue
    effect = ranks[ranks > 0].sum() / (n * (n + 1) / 2) - 0.5
    assert signed_rank_p_values(np.array([effect]), n) == pytest.approx([p], rel=1e-9)


def test_signed_rank_p_values_beyond_the_range_and_of_very_many():
    assert signed_rank_p_values(np.array([-3.0, 0.7]), 10) == pytest.approx([2 / 2**10] * 2)
    assert signed_rank_p_values(np.array([0.0, 0.01]), 1_000_000) == pytest.approx([1.0, 0.0])


@settings(max_examples=25)
@given(st.integers(2, 6), st.integers(6, 60), st.integers(0, 99))
def test_verdicts_are_those_of_holm(a, n, seed):
    n_pairs = comb(a, 2)
    effects = np.random.default_rng(seed).uniform(-0.5, 0.5, (2, 7, n_pairs))
    verdicts = [
        [np.where(holm_adjusted(signed_rank_p_values(study, n)) <= 0.05, np.sign(study), 0) for study in each]
        for each in effects
    ]
    expected = np.mean(np.array(verdicts[0]) == np.array(verdicts[1]))
    assert Verdicts(n_pairs, 0.05).between(*effects, n) == pytest.approx(expected)


def test_verdicts_within_by_enumeration():
    noise = Noise(0.15 * np.eye(3))
    studies = Studies(noise, noise.draw(10, np.random.default_rng(4)), 20)
    centre, measure = np.array([0.4, 0.2, 0.0]), Verdicts(3, 0.05)
    drawn = centre + studies.draws
    pairs = combinations(range(10), 2)
    expected = np.mean([measure.between(drawn[[x]], drawn[[y]], 20) for x, y in pairs])
    assert measure.within(centre[None], studies)[0] == pytest.approx(expected)


def test_of_a_sample_of_the_pairs_the_share_that_is_rejected_counts():
    effects = np.repeat([0.5, 0.0], 10)[None]  # half of the pairs certain
    assert Verdicts(2000, 0.05).between(effects, effects, 15) == 1
    p = signed_rank_p_values(np.array([0.5]), 15)[0]
    # the tenth one is compared with level / (0.55 * 2000), all others with less
    for share, told_apart in ((1.1, True), (0.9, False)):
        level = p * 2000 * share
        found = Verdicts(2000, level).between(effects, np.zeros((1, 20)), 15)
        assert found == (0.5 if told_apart else 1)


def estimate(measure, rows, sizes, seed=0):
    return measure.estimate(effects_of_means(rows, sizes), sizes, np.random.default_rng(seed))


@pytest.mark.parametrize("size", [40, 100, 200])
def test_up_to_half_of_the_table_the_estimate_is_the_mean_over_disjoint_parts(size):
    rng = np.random.default_rng(5)
    rows = rng.normal([0.3, 0.25, 0.1, 0, -0.1], 1, (400, 5))
    counts = []
    for _ in range(2500):
        order = rng.permutation(400)
        first, second = rows[order[:size]].mean(axis=0), rows[order[size : 2 * size]].mean(axis=0)
        tops = top_sets([first, second], 2)
        signs = [np.sign(each[all_pairs(5)[0]] - each[all_pairs(5)[1]]) for each in (first, second)]
        counts.append((first.argmax() == second.argmax(), len(tops[0] & tops[1]) / 2, np.mean(signs[0] * signs[1])))
    expected = np.mean(counts, axis=0)
    found = [estimate(measure, rows, [size])[0] for measure in (Top(1, 5), Top(2, 5), Order(*all_pairs(5)))]
    assert found == pytest.approx(expected, abs=0.035)  # standard error of the difference: .01; sums not quite normal


def test_estimate_of_an_order_is_the_sum_of_parts_that_are_drawn():
    """The closed form for each pair, against draws of the parts."""

    class Tau(Top):
        def between(self, first, second, n):
            one, two = (np.sign(each[:, all_pairs(4)[0]] - each[:, all_pairs(4)[1]]) for each in (first, second))
            return float((one * two).mean())

    rows = np.random.default_rng(6).normal([0.5, 0.3, 0, 0], 1, (30, 4))
    sizes = [3, 10, 15, 30, 120]
    drawn = np.mean([estimate(Tau(1, 4), rows, sizes, seed) for seed in range(10)], axis=0)
    assert estimate(Order(*all_pairs(4)), rows, sizes) == pytest.approx(drawn, abs=0.03)


@pytest.mark.parametrize("world", [[0, 0, 0, 0], [0.6, 0, 0, 0], [0.6, 0.4, 0.2, 0]])
def test_the_estimate_of_tau_is_unbiased_up_to_half_and_beyond_but_for_what_is_said(world):
    rng, pairs = np.random.default_rng(7), all_pairs(4)
    sizes = [10, 20, 80]
    found = np.array([estimate(Order(*pairs), rng.normal(world, 1, (20, 4)), sizes) for _ in range(300)])
    differences = np.subtract.outer(world, world)[pairs]
    true = [np.mean((2 * stats.norm.cdf(differences * np.sqrt(size / 2)) - 1) ** 2) for size in sizes]
    bias, error = found.mean(axis=0) - true, found.std(axis=0) / np.sqrt(300)
    # a sign's bias is known, tau's is up to twice that; the noise is estimated, with 19 degrees of freedom
    allowed = 2 * np.array([largest_bias(size / 20) for size in sizes]) + 0.03
    assert (np.abs(bias) <= allowed + 2 * error).all()


@pytest.mark.parametrize("measure", [Top(1, 4), Top(2, 4), Order(*all_pairs(4))])
def test_alternatives_that_are_the_same_tie_and_ties_are_broken_by_chance(measure):
    nothing = Noise(np.zeros((4, 4)))
    same = Effects(np.zeros(4), nothing, 4.0, (nothing,), (1.0,))
    found = [measure.estimate(same, [10], np.random.default_rng(seed))[0] for seed in range(4)]
    assert np.mean(found) == pytest.approx(measure.least, abs=0.02)


def test_two_leaders_that_are_the_same_share_the_win():
    rows = np.random.default_rng(8).normal([2, 0, 0], 0.5, (40, 3))
    rows = np.column_stack([rows, rows[:, 0]])
    assert estimate(Top(1, 4), rows, [20, 40, 10_000]) == pytest.approx([0.5] * 3, abs=0.05)
    assert estimate(Order(np.array([0]), np.array([3])), rows, [5, 40, 10_000]) == pytest.approx([0.0] * 3)


def test_in_studies_without_noise_two_that_are_the_same_have_no_order_and_others_always_have_theirs():
    studies = Studies(Noise(np.ones((1, 2))), np.zeros((1, 2)), 30)
    found = Order(*all_pairs(2)).within(np.array([[0.3, 0.3], [0.5, 0.3]]), studies)
    np.testing.assert_array_equal(found, [0, 1])


def test_a_difference_without_noise_is_certain_also_for_few_experiments():
    rows = np.tile([2.0, 1.0], (1000, 1))
    rows[0] += [1e-3, 0]
    assert estimate(Order(*all_pairs(2)), rows, [2, 100, 1000, 9000]) == pytest.approx([1.0] * 4)
