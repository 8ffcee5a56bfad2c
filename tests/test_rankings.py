"""Rankings: against scipy, brute force, and exact enumeration of small spaces."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import scipy.stats as st
from hypothesis import given
from hypothesis import strategies as hs
from hypothesis.extra.numpy import array_shapes, arrays

from genexpy_nb import rankings as rk
from genexpy_nb.errors import ParameterError, StudyError


def weak_orders(n):
    """All dense tier vectors, by brute force."""
    return [r for r in itertools.product(range(n), repeat=n) if set(r) == set(range(max(r) + 1))]


def chi2_pvalue(sample, support, probabilities):
    index = {tuple(r): i for i, r in enumerate(support)}
    observed = np.bincount([index[tuple(r)] for r in sample.tolist()], minlength=len(support))
    return st.chisquare(observed, len(sample) * np.asarray(probabilities)).pvalue


def is_dense(tiers):
    return all(set(row) == set(range(max(row) + 1)) for row in tiers.tolist())


# rank_scores

SHAPES = array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=7)
FEW_VALUES = hs.sampled_from([-2.0, -1.0, 0.0, -0.0, 0.5, 1e-300, 1e300, 0.3, 0.1 + 0.2])


@given(arrays(int, SHAPES, elements=hs.integers(-4, 4)), hs.booleans())
def test_rank_scores_equals_scipy(scores, higher):
    expected = st.rankdata(-scores if higher else scores, method="dense", axis=1) - 1
    np.testing.assert_array_equal(rk.rank_scores(scores, higher), expected)


def rank_row_by_definition(row, higher):
    seen = [None if math.isnan(x) else float(f"{x:.11e}") for x in row]
    levels = sorted({x for x in seen if x is not None}, reverse=higher)
    return [len(levels) if x is None else levels.index(x) for x in seen]


@given(arrays(float, SHAPES, elements=FEW_VALUES | hs.just(np.nan)), hs.booleans())
def test_rank_scores_equals_definition_with_ties_and_missing(scores, higher):
    scores[np.isnan(scores).all(axis=1), 0] = -1.0
    expected = [rank_row_by_definition(row, higher) for row in scores]
    np.testing.assert_array_equal(rk.rank_scores(scores, higher), expected)


@given(hs.floats(1e-300, 1e300), hs.integers(2, 9))
def test_equal_to_twelve_digits_is_a_tie_and_more_is_not(x, n):
    x = float(f"{x:.11e}")  # centre of its rounding cell, where the last bits cannot matter
    near = np.full((1, n), x) * (1 + np.linspace(-1, 1, n) * 1e-14)
    assert (rk.rank_scores(near) == 0).all()
    np.testing.assert_array_equal(rk.rank_scores([[x, x * (1 + 1e-10)]]), [[1, 0]])


def test_rounding_carries_over_a_power_of_ten():
    for power in (-300, -7, 0, 3, 250):
        low, high = float(f"9.99999999999999e{power}"), float(f"1e{power + 1}")
        np.testing.assert_array_equal(rk.rank_scores([[low, high, -low, -high]]), [[0, 0, 1, 1]])


def test_subnormal_and_largest_scores_are_ranked():
    np.testing.assert_array_equal(
        rk.rank_scores([[5e-324, 0.0, np.finfo(float).max, -np.finfo(float).max]]), [[1, 2, 0, 3]]
    )


def test_missing_is_worst_also_when_scores_are_negative_and_lower_is_better():
    np.testing.assert_array_equal(rk.rank_scores([[-3.0, np.nan, -9.0, np.nan]]), [[0, 2, 1, 2]])
    np.testing.assert_array_equal(rk.rank_scores([[-3.0, np.nan, -9.0]], higher_is_better=False), [[1, 2, 0]])


def test_frames_and_nullable_columns():
    frame = pd.DataFrame({"a": [0.5, 0.1], "b": pd.array([1, None], dtype="Int64")})
    np.testing.assert_array_equal(rk.rank_scores(frame), [[1, 0], [0, 1]])


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ([[1.0, np.inf]], "row 0, column 1"),
        ([[1.0, 2.0], [np.nan, np.nan]], "row 1 has no observed score"),
        ([1.0, 2.0], r"got \(2,\)"),
        ([["a", "b"]], "must be numbers"),
    ],
)
def test_rank_scores_errors(scores, words):
    with pytest.raises(StudyError, match=words):
        rk.rank_scores(scores)


# uniform weak orders


def test_number_of_weak_orders():
    assert [rk.n_weak_orders(n) for n in range(5)] == [1] + [len(weak_orders(n)) for n in range(1, 5)]
    assert rk.n_weak_orders(15) == 230283190977853  # OEIS A000670


def stirling2(n, k):
    return sum((-1) ** (k - i) * math.comb(k, i) * i**n for i in range(k + 1)) // math.factorial(k)


@pytest.mark.parametrize("n", [1, 7, 30, 50])
def test_number_of_weak_orders_is_a_sum_over_tiers(n):
    assert rk.n_weak_orders(n) == sum(math.factorial(k) * stirling2(n, k) for k in range(1, n + 1))


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_weak_orders_are_uniform(n):
    support = weak_orders(n)
    sample = rk.sample_weak_orders(n, 40_000, rng=n)
    if n == 1:
        assert (sample == 0).all()
    else:
        assert chi2_pvalue(sample, support, np.full(len(support), 1 / len(support))) > 0.01


def test_tier_numbers_and_tier_sizes_of_fifty_alternatives():
    n, size = 50, 20_000
    sample = rk.sample_weak_orders(n, size, rng=1)
    assert sample.shape == (size, n) and is_dense(sample[:200])
    total = rk.n_weak_orders(n)
    exact = np.array([float(Fraction(math.factorial(k) * stirling2(n, k), total)) for k in range(1, n + 1)])
    observed = np.bincount(sample.max(axis=1) + 1, minlength=n + 1)[1:]
    common = size * exact >= 5
    observed = np.append(observed[common], observed[~common].sum())
    expected = size * np.append(exact[common], exact[~common].sum())
    assert st.chisquare(observed, expected).pvalue > 0.01
    # The best tier is a given set of s alternatives in Fubini(n - s) of the weak orders.
    best = np.bincount((sample == 0).sum(axis=1), minlength=5)[1:5]
    shares = [float(Fraction(math.comb(n, s) * rk.n_weak_orders(n - s), total)) for s in range(1, 5)]
    observed, expected = np.append(best, size - best.sum()), size * np.append(shares, 1 - sum(shares))
    assert st.chisquare(observed, expected).pvalue > 0.01


def test_undecided_bits_are_followed_up():
    class Scripted:
        """A generator whose 64-bit words are given."""

        def __init__(self, words):
            self.words = list(words)

        def integers(self, low, high, size=None, dtype=None):
            count = 1 if size is None else int(np.prod(size))
            taken, self.words = self.words[:count], self.words[count:]
            return np.uint64(taken[0]) if size is None else np.array(taken, dtype=dtype)

    third = int("55" * 8, 16)  # 1/3 = 0.0101..., so every word of it is this one
    state = np.zeros(1, dtype=int)
    for words, outcome in [
        ([third - 1], True),
        ([third + 1], False),
        ([third, third - 1], True),
        ([third, third, third, third + 1], False),
    ]:
        rng = Scripted(words)
        assert rk._bernoulli_exact((1,), (3,), state, rng)[0] == outcome
        assert rng.words == []
    assert rk._bernoulli_exact((3,), (3,), state, Scripted([2**64 - 1]))[0]


def test_samples_depend_on_nothing_but_the_seed():
    for draw in (
        lambda rng: rk.sample_weak_orders(6, 20, rng),
        lambda rng: rk.sample_mallows([1, 0, 2], 0.3, 20, rng),
        lambda rng: rk.sample_plackett_luce([1, 2, 3], 20, rng),
        lambda rng: rk.sample_noisy([1, 0, 2], 0.3, 20, rng),
        lambda rng: rk.RankingDistribution.empirical([[0, 1], [1, 0]]).sample(20, rng),
    ):
        np.testing.assert_array_equal(draw(3), draw(np.random.default_rng(3)))
        assert not np.array_equal(draw(3), draw(4))


# other distributions


@pytest.mark.parametrize("dispersion", [0.0, 0.4, 1.5])
def test_mallows_equals_enumeration(dispersion):
    center = np.array([2, 0, 3, 1])
    support = list(itertools.permutations(range(4)))
    distance = [
        sum((r[a] - r[b]) * (center[a] - center[b]) < 0 for a, b in itertools.combinations(range(4), 2))
        for r in support
    ]
    weights = np.exp(-dispersion * np.array(distance))
    sample = rk.sample_mallows(center, dispersion, 40_000, rng=11)
    assert chi2_pvalue(sample, support, weights / weights.sum()) > 0.01


def test_plackett_luce_equals_enumeration():
    worths = np.array([1.0, 4.0, 0.5, 2.0])
    support = list(itertools.permutations(range(4)))
    probabilities = []
    for tiers in support:
        order = worths[np.argsort(tiers)]
        probabilities.append(np.prod([order[i] / order[i:].sum() for i in range(4)]))
    assert chi2_pvalue(rk.sample_plackett_luce(worths, 40_000, rng=5), support, probabilities) > 0.01


def test_noisy_equals_enumeration():
    support, center = weak_orders(3), (1, 0, 1)
    probabilities = np.full(13, 0.3 / 13) + 0.7 * np.array([r == center for r in support])
    assert chi2_pvalue(rk.sample_noisy(center, 0.3, 40_000, rng=2), support, probabilities) > 0.01


def test_finite_distribution():
    support = [[0, 1, 2], [0, 0, 1], [2, 1, 0]]
    distribution = rk.RankingDistribution.from_counts(support, [5, 3, 2])
    assert chi2_pvalue(distribution.sample(40_000, rng=8), support, [0.5, 0.3, 0.2]) > 0.01
    again = rk.RankingDistribution.empirical(np.repeat(support, [5, 3, 2], axis=0))
    expected = {tuple(r): p for r, p in zip(support, distribution.probabilities, strict=True)}
    found = {tuple(r): p for r, p in zip(again.rankings.tolist(), again.probabilities, strict=True)}
    assert found == expected
    with pytest.raises(ValueError, match="read-only"):
        distribution.probabilities[0] = 1


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: rk.RankingDistribution([[0, 2]], [1.0]), r"row 0 is not a ranking: \[0, 2\]"),
        (lambda: rk.RankingDistribution([[0, 1.5]], [1.0]), r"row 0 is not a ranking: \[0.0, 1.5\]"),
        (lambda: rk.RankingDistribution([[0, 1], [0]], [0.5, 0.5]), "rectangular"),
        (lambda: rk.RankingDistribution([[[0, 1]]], [1.0]), r"shape \(n_atoms, n_alternatives\), got \(1, 1, 2\)"),
        (lambda: rk.RankingDistribution([[0, 1]], [0.5]), "sum to 1, got sum 0.5"),
        (lambda: rk.RankingDistribution([[0, 1]], [np.nan]), "nonnegative"),
        (lambda: rk.RankingDistribution([[0, 1], [1, 0]], [1.0]), "2 rankings"),
        (lambda: rk.RankingDistribution.from_counts([[0, 1]], [0]), "not all zero"),
        (lambda: rk.sample_weak_orders(0, 3, 0), "n_alternatives must be an integer of at least 1, got 0"),
        (lambda: rk.sample_weak_orders(3, 2.5, 0), "size must be an integer"),
        (lambda: rk.sample_mallows([0, 0, 1], 1.0, 2, 0), "no ties"),
        (lambda: rk.sample_mallows([0, 1], -1.0, 2, 0), "dispersion"),
        (lambda: rk.sample_plackett_luce([1.0, 0.0], 2, 0), "positive"),
        (lambda: rk.sample_noisy([0, 1], 1.5, 2, 0), r"noise must lie in \[0, 1\], got 1.5"),
        (lambda: rk.sample_noisy([[0, 1]], 0.5, 2, 0), r"got \(1, 2\)"),
        (lambda: rk.n_weak_orders(-1), "at least 0"),
    ],
)
def test_errors(call, words):
    with pytest.raises(ParameterError, match=words):
        call()
