"""Kernels: against plain loops straight from the definitions, exact values, and the properties a kernel must have."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as hs

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.rankings import rank_scores
from genexpy_nb.generalization.discrepancy import mmd
from genexpy_nb.generalization.kernels import BordaKernel, JaccardKernel, Kernel, MallowsKernel, RBFKernel, threshold

# --- the definitions, without numpy -----------------------------------------------------------------------------------


def borda(r, s, a, nu=None):
    nu = 1 / len(r) if nu is None else nu
    b1 = sum(1 for tier in r if tier >= r[a])
    b2 = sum(1 for tier in s if tier >= s[a])
    return math.exp(-nu * abs(b1 - b2))


def jaccard(r, s, k=1):
    top_r = {a for a, tier in enumerate(r) if tier < k}
    top_s = {a for a, tier in enumerate(s) if tier < k}
    return len(top_r & top_s) / len(top_r | top_s)


def discordance(r, s):
    d = 0.0
    for a in range(len(r)):
        for b in range(a):
            x, y = r[a] - r[b], s[a] - s[b]
            if x * y < 0:
                d += 1
            elif (x == 0) != (y == 0):
                d += 0.5
    return d


def mallows(r, s, nu=None):
    nu = 1 / math.comb(len(r), 2) if nu is None else nu
    return math.exp(-nu * discordance(r, s))


def rbf(x, y, gamma=None):
    gamma = 1 / len(x) if gamma is None else gamma
    return math.exp(-gamma * sum((u - v) ** 2 for u, v in zip(x, y, strict=True)))


def dense(scores):
    levels = sorted(set(scores))
    return [levels.index(score) for score in scores]


def random_rankings(n_alternatives, size, rng):
    """From all in one tier to hardly any ties: the number of values to choose from varies with the row."""
    values = rng.integers(1, 2 * n_alternatives + 1, size=size)
    return [dense(rng.integers(0, v, size=n_alternatives).tolist()) for v in values]


def assert_gram_is(kernel, results, by_hand, pairs):
    gram = kernel.gram(np.array(results))
    assert gram.shape == (len(results), len(results))
    expected = [by_hand(results[i], results[j]) for i, j in pairs]
    np.testing.assert_allclose(gram[pairs[:, 0], pairs[:, 1]], expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n_alternatives", range(2, 10))
def test_every_kernel_equals_its_definition(n_alternatives):
    rng = np.random.default_rng(n_alternatives)
    rankings = random_rankings(n_alternatives, 400, rng)
    assert any(len(set(r)) == 1 for r in rankings) and any(len(set(r)) == n_alternatives for r in rankings)
    pairs = rng.integers(0, len(rankings), size=(1500, 2))
    for a in (0, n_alternatives - 1):
        assert_gram_is(BordaKernel(a), rankings, lambda r, s, a=a: borda(r, s, a), pairs)
        assert_gram_is(BordaKernel(a, nu=0.7), rankings, lambda r, s, a=a: borda(r, s, a, 0.7), pairs)
    for k in (1, 2, n_alternatives):
        assert_gram_is(JaccardKernel(k), rankings, lambda r, s, k=k: jaccard(r, s, k), pairs)
    assert_gram_is(MallowsKernel(), rankings, mallows, pairs)
    assert_gram_is(MallowsKernel(nu=0.31), rankings, lambda r, s: mallows(r, s, 0.31), pairs)
    scores = rng.normal(size=(400, n_alternatives)).tolist()
    assert_gram_is(RBFKernel(), scores, rbf, pairs)
    assert_gram_is(RBFKernel(gamma=2.5), scores, lambda x, y: rbf(x, y, 2.5), pairs)


# --- properties -------------------------------------------------------------------------------------------------------


@hs.composite
def rankings_(draw, at_most=12):
    n_alternatives = draw(hs.integers(2, 7))
    row = hs.lists(hs.integers(0, n_alternatives), min_size=n_alternatives, max_size=n_alternatives).map(dense)
    return np.array(draw(hs.lists(row, min_size=1, max_size=at_most)))


@settings(max_examples=30)
@given(rankings_(), hs.data())
def test_gram_is_a_similarity_and_ignores_labels(rankings, data):
    n_alternatives = rankings.shape[1]
    order = data.draw(hs.permutations(range(n_alternatives)))
    alternative = data.draw(hs.integers(0, n_alternatives - 1))
    nu = data.draw(hs.none() | hs.floats(0.01, 5))
    k = data.draw(hs.integers(1, int(rankings.max()) + 1))
    moved = rankings[:, order]  # column i is now called order.index(i)
    for kernel, relabelled in (
        (BordaKernel(alternative, nu), BordaKernel(order.index(alternative), nu)),
        (JaccardKernel(k), JaccardKernel(k)),
        (MallowsKernel(nu), MallowsKernel(nu)),
        (RBFKernel(nu), RBFKernel(nu)),
    ):
        gram = kernel.gram(rankings)
        np.testing.assert_array_equal(gram, gram.T)
        np.testing.assert_allclose(np.diag(gram), 1, rtol=0, atol=1e-15)
        assert gram.min() >= 0 and gram.max() <= 1
        assert np.linalg.eigvalsh(gram).min() > -1e-12 * len(gram)
        np.testing.assert_allclose(relabelled.gram(moved), gram, rtol=1e-12)


def test_frames_arrays_and_tiers_as_floats_give_the_same_gram():
    rankings = np.array([[0, 1, 2], [2, 0, 1], [0, 0, 1]])
    frame = pd.DataFrame(rankings, columns=["OHE", "TE", 7])
    for label, column in (("OHE", 0), ("TE", 1), (7, 2)):
        np.testing.assert_array_equal(BordaKernel(label).gram(frame), BordaKernel(column).gram(rankings))
    for kernel in (JaccardKernel(), MallowsKernel(), RBFKernel()):
        for other in (frame, rankings.astype(float)):
            np.testing.assert_array_equal(kernel.gram(other), kernel.gram(rankings))


@pytest.mark.parametrize("kernel", [BordaKernel(1), BordaKernel(0, 0.4), JaccardKernel(2), MallowsKernel()])
def test_a_stack_of_studies_gives_a_stack_of_grams(kernel):
    stack = np.array(random_rankings(5, 2 * 3 * 20, np.random.default_rng(1))).reshape(2, 3, 20, 5)
    grams = kernel.gram(stack)
    assert grams.shape == (2, 3, 20, 20)
    for i, j in itertools.product(range(2), range(3)):
        np.testing.assert_allclose(grams[i, j], kernel.gram(stack[i, j]), rtol=1e-14)


def test_kernels_say_what_they_are():
    kernels = [BordaKernel("OHE"), JaccardKernel(2), MallowsKernel(), RBFKernel()]
    assert all(isinstance(kernel, Kernel) for kernel in kernels)
    assert [kernel.name for kernel in kernels] == ["Borda(OHE)", "Jaccard(2)", "Mallows", "RBF"]
    assert [kernel.on for kernel in kernels] == ["rankings"] * 3 + ["scores"]
    assert all(kernel.question.endswith("?") for kernel in kernels)
    assert "OHE" in kernels[0].question and "2" in kernels[1].question


# --- thresholds -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_alternatives", [2, 3, 8, 32])
@pytest.mark.parametrize("delta", [0.01, 0.05, 0.5, 1.0])
def test_epsilon_equals_its_formula(n_alternatives, delta):
    pairs = n_alternatives * (n_alternatives - 1) / 2

    def eps(similarity):
        return math.sqrt(2 * (1 - similarity))

    for kernel, similarity in (
        (BordaKernel("a"), math.exp(-delta)),
        (BordaKernel("a", nu=0.3), math.exp(-0.3 * n_alternatives * delta)),
        (JaccardKernel(), 1 - delta),
        (JaccardKernel(4), 1 - delta),
        (MallowsKernel(), math.exp(-delta)),
        (MallowsKernel(nu=0.02), math.exp(-0.02 * pairs * delta)),
        (RBFKernel(), math.exp(-delta)),
        (RBFKernel(gamma=3.0), math.exp(-3.0 * n_alternatives * delta)),
    ):
        assert kernel.epsilon(delta, n_alternatives) == pytest.approx(eps(similarity), rel=1e-12)


@pytest.mark.parametrize("nu", [None, 0.13])
def test_epsilon_is_the_mmd_of_two_results_that_differ_by_delta(nu):
    first, second = list(range(5)), [0, 2, 1, 3, 4]  # one discordant pair of ten; "1" falls by one place of five
    for kernel, delta in ((MallowsKernel(nu), 1 / 10), (BordaKernel(1, nu), 1 / 5)):
        gram = kernel.gram([first, second])
        assert mmd([[1.0]], [[1.0]], gram[:1, 1:]) == pytest.approx(kernel.epsilon(delta, 5), rel=1e-12)
    gram = JaccardKernel().gram([[0, 0, 0, 1], [0, 0, 1, 1]])  # 2 of 3 in common
    assert mmd([[1.0]], [[1.0]], gram[:1, 1:]) == pytest.approx(JaccardKernel().epsilon(1 / 3, 4), rel=1e-12)
    gram = RBFKernel(nu).gram([[0.0, 0.0, 0.0], [0.3, -0.1, 0.2]])
    delta = (0.3**2 + 0.1**2 + 0.2**2) / 3
    assert mmd([[1.0]], [[1.0]], gram[:1, 1:]) == pytest.approx(RBFKernel(nu).epsilon(delta, 3), rel=1e-12)


def test_epsilon_takes_many_deltas_at_once():
    deltas = [0.01, 0.05, 0.2]
    for kernel in (BordaKernel(0), JaccardKernel(), MallowsKernel(), RBFKernel()):
        many = kernel.epsilon(deltas, 6)
        np.testing.assert_array_equal(many, [kernel.epsilon(delta, 6) for delta in deltas])
        assert (np.diff(many) > 0).all()
    np.testing.assert_allclose(threshold([0.5, 0.98]), [1.0, 0.2])


# --- bad input --------------------------------------------------------------------------------------------------------

FRAME = pd.DataFrame([[0, 1, 2], [1, 0, 0]], columns=["OHE", "TE", "BE"])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: BordaKernel("OEH").gram(FRAME),
            r"no alternative 'OEH'; did you mean 'OHE'\? \(there are OHE, TE, BE\)",
        ),
        (lambda: BordaKernel("OHE").gram(FRAME.to_numpy()), r"'OHE' is not a column number in 0 \.\.\. 2"),
        (lambda: BordaKernel(3).gram(FRAME.to_numpy()), r"alternative 3 is not a column number in 0 \.\.\. 2"),
        (lambda: MallowsKernel(nu=-1.0), "nu must be a number > 0, got -1.0"),
        (lambda: RBFKernel(gamma=math.inf), "gamma must be a finite number > 0, got inf"),
        (lambda: JaccardKernel(0), "k must be a whole number of at least 1, got 0"),
        (lambda: JaccardKernel(4).gram(FRAME), "k=4, but no ranking has more than 3 tiers; choose k <= 3"),
        (lambda: MallowsKernel().gram([[0], [0]]), "at least 2 alternatives"),
        (lambda: JaccardKernel().gram(np.empty((0, 3), dtype=int)), r"got shape \(0, 3\)"),
        (lambda: JaccardKernel().gram([[0, 1], [0, 2]]), r"row 1 is not a ranking: \[0, 2\]"),
        (lambda: RBFKernel().gram([[0.1, 0.2], [0.3, math.nan]]), "row 1 has missing or infinite scores"),
        (lambda: RBFKernel().gram([0.1, 0.2]), r"got shape \(2,\)"),
        (lambda: RBFKernel().gram([[True, False]]), "array of numbers, got"),
        (lambda: RBFKernel().gram([[1e300, 0.0], [-1e300, 0.0]]), "scores reach 1e[+]300.* divide the scores"),
        *[
            pair
            for kernel in (BordaKernel(0), JaccardKernel(), MallowsKernel(), RBFKernel())
            for pair in [
                (lambda kernel=kernel: kernel.epsilon("x", 4), "delta must be .* kernel .*, got 'x'"),
                (lambda kernel=kernel: kernel.epsilon([0.1, True], 4), r"delta must be .*, got \[0.1, True\]"),
                (lambda kernel=kernel: kernel.epsilon(0.05, 0), "n_alternatives must be a whole number .*0"),
            ]
        ],
    ],
)
def test_bad_input(call, words):
    with pytest.raises(ParameterError, match=words):
        call()


@pytest.mark.parametrize("kernel", [BordaKernel(0), JaccardKernel(), MallowsKernel(), RBFKernel()])
@pytest.mark.parametrize("delta", [0, -0.05, math.nan, [0.05, 0.0]])
def test_delta_out_of_range(kernel, delta):
    with pytest.raises(ParameterError, match=r"delta must be .* got"):
        kernel.epsilon(delta, 5)
    if kernel.on == "rankings":  # a share
        with pytest.raises(ParameterError, match=r"delta must be .*in \(0, 1\]"):
            kernel.epsilon(1.01, 5)


def test_remark_counts_the_experiments_in_which_the_top_is_everybody():
    rankings = [[0, 1, 1], [1, 0, 2], [0, 0, 1], [0, 0, 0]]
    assert JaccardKernel(2).remark(rankings) == "in 3 of 4 experiments the 2 best tiers are everybody"
    assert JaccardKernel(1).remark(rankings) == "in 1 of 4 experiments the best tier is everybody"
    assert JaccardKernel(1).remark(rankings[:3]) == ""
    with pytest.raises(ParameterError, match=r"k=7, but no ranking has more than 3 tiers.*everybody in all"):
        JaccardKernel(7).remark(rankings)


def test_raw_scores_far_from_zero_are_as_near_each_other_as_close_to_it():
    scores = np.random.default_rng(3).integers(0, 64, (8, 5)) / 64  # exact, also after 2**20 is added
    expected = [[math.exp(-sum((x - y) ** 2) / 5) for y in scores] for x in scores]
    for zero in (0.0, 2.0**20, -(2.0**40)):
        np.testing.assert_allclose(RBFKernel().gram(scores + zero), expected, rtol=1e-12)


@pytest.mark.parametrize("n_tiers", [2, 12, 10**6])
def test_many_alternatives_are_compared_in_runs_of_pairs(monkeypatch, n_tiers):
    rng = np.random.default_rng(n_tiers)
    rankings = rank_scores(rng.integers(0, n_tiers, (7, 25)).astype(float), higher_is_better=True)
    whole = MallowsKernel().gram(rankings)
    monkeypatch.setattr("genexpy_nb.generalization.kernels._HELD_AT_ONCE", 50)
    assert np.array_equal(MallowsKernel().gram(rankings), whole)
    assert np.array_equal(MallowsKernel().gram(rankings[None])[0], whole)
    with_few_ties = rank_scores(rng.integers(0, 100, (7, 25)).astype(float), higher_is_better=True)
    pairs = [(r, s) for r in with_few_ties for s in with_few_ties]
    by_hand = np.reshape([mallows(r, s) for r, s in pairs], (7, 7))
    assert np.allclose(MallowsKernel().gram(with_few_ties), by_hand, rtol=1e-14)


# --- the words of a kernel --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kernel", "about"),
    [
        (BordaKernel("OHE"), "the position of OHE"),
        (MallowsKernel(), "how all alternatives are ranked"),
        (RBFKernel(0.3), "the raw scores"),
        (JaccardKernel(), "how often each alternative wins"),
        (JaccardKernel(4), "how often each alternative is in the 4 best tiers"),
    ],
    ids=repr,
)
def test_what_a_kernel_is_about(kernel, about):
    assert kernel.about == about
