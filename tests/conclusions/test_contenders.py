"""Who may be the best: against all flips written as loops, formulas of Hsu, other packages, and simulated studies."""

import itertools
import math
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from genexpy_nb.common.errors import StudyError
from genexpy_nb.conclusions.contenders import FEWEST_IN_COMMON, compare_all, frame_of_contenders, rows_of

LEVEL = 0.1


def contenders_of(scores, by="rank", higher_is_better=True, level=0.05, alternative=None):
    table = pd.DataFrame(scores)
    rows = rows_of(table.to_numpy(dtype=float), by, higher_is_better)
    return frame_of_contenders(compare_all(rows, level), rows, table.columns, by, alternative, 0)


def pair_in_loops(rows, i, j, usual, signs):
    """t of j against i, on the normal scale, with the signs of experiments changed; None without a verdict."""
    both = [e for e in range(len(rows)) if not np.isnan(rows[e, [i, j]]).any()]
    if len(both) < (1 if not np.isnan(rows).any() else FEWEST_IN_COMMON):
        return None
    d = [float(rows[e, j] - rows[e, i]) for e in both]
    n, differ = len(d), sum(v != 0 for v in d)
    size = sum(v * v for v in d) / differ if differ else usual
    variance = sum(v * v for v in d) + 2 * size * (n - differ) / n
    if variance == 0:
        return 0.0
    mean = sum(s * v for s, v in zip(np.asarray(signs)[both], d, strict=True)) / n
    spread = variance / n - mean**2
    t = n + 1 if spread <= 0 else min(n + 1, abs(mean) / math.sqrt(spread / (n - 1)))
    f = n - 1
    return math.copysign((8 * f + 1) / (8 * f + 3) * math.sqrt(f * math.log1p(t * t / f)), mean) if mean else 0.0


def usual_in_loops(rows):
    squares, differ = 0.0, 0
    fewest = 1 if not np.isnan(rows).any() else FEWEST_IN_COMMON
    for i, j in itertools.permutations(range(rows.shape[1]), 2):
        d = rows[:, j] - rows[:, i]
        d = d[~np.isnan(d)]
        if len(d) >= fewest:
            squares, differ = squares + (d**2).sum(), differ + (d != 0).sum()
    return squares / max(1, differ)


def in_loops(rows):
    """p of each candidate, of each pair, and over all pairs: all flips, one after another."""
    n, k = rows.shape
    usual, flips = usual_in_loops(rows), list(itertools.product([1, -1], repeat=n))
    at = {
        (i, j): [pair_in_loops(rows, i, j, usual, signs) for signs in flips]
        for i, j in itertools.permutations(range(k), 2)
    }
    told = {pair: values for pair, values in at.items() if values[0] is not None}
    best = np.ones(k)
    for i in range(k):
        mine = [values for (one, _), values in told.items() if one == i]
        if mine:
            largest = [max(column) for column in zip(*mine, strict=True)]
            best[i] = sum(v >= largest[0] - 1e-9 for v in largest) / len(flips)
    pair, over_all = np.ones((k, k)), np.ones((k, k))
    largest = [max(map(abs, column)) for column in zip(*told.values(), strict=True)] if told else []
    for (i, j), values in told.items():
        pair[i, j] = sum(abs(v) >= abs(values[0]) - 1e-9 for v in values) / len(flips)
        over_all[i, j] = sum(v >= abs(values[0]) - 1e-9 for v in largest) / len(flips)
    return best, pair, over_all


def scores_of(kind, n, k, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(np.linspace(1.2, 0, k), 1.0, size=(n, k))
    if kind == "coarse":
        x = np.rint(x)
    elif kind == "right or wrong":
        x = (x > 0.5).astype(float)
    elif kind == "missing":
        x[rng.random((n, k)) < 0.08] = np.nan
    elif kind == "constant":
        x[:, 1] = x[:, 0] - 0.25
    elif kind == "equal":
        x[:, 1] = x[:, 0]
    return x


KINDS = ("normal", "coarse", "right or wrong", "missing", "constant", "equal")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "k"), [(5, 3), (7, 4), (8, 3)])
def test_all_flips_written_as_loops(kind, n, k):
    rows = scores_of(kind, n, k, seed=n + k)
    found = compare_all(rows, LEVEL)
    best, pair, over_all = in_loops(rows)
    np.testing.assert_allclose(found.p_best, best, atol=1e-12)
    np.testing.assert_allclose(found.p(), pair, atol=1e-12)
    np.testing.assert_allclose(found.p_adjusted(), over_all, atol=1e-12)


def test_some_of_these_tables_tell_some_apart():  # else the loops above compare ones with ones
    found = [compare_all(scores_of(kind, 8, 3, seed=11), LEVEL) for kind in KINDS]
    assert sum(one.better.any() for one in found) >= 3
    assert min(one.p_best.min() for one in found) < 0.02


def test_two_alternatives_and_many_experiments_are_nearly_a_t_test():
    rows = np.random.default_rng(4).normal([0.25, 0.0], 1.0, size=(60, 2))
    found = compare_all(rows, 0.05)
    t = stats.ttest_rel(rows[:, 0], rows[:, 1])
    assert found.p()[0, 1] == pytest.approx(t.pvalue, abs=0.012)  # standard error of 9,999 flips: .003
    low, high = t.confidence_interval()
    margin = found.margins(found.critical_of_all)[0, 1]
    assert [found.ahead[0, 1] - margin, found.ahead[0, 1] + margin] == pytest.approx([low, high], abs=0.03)
    assert found.error()[0, 1] == pytest.approx(stats.sem(rows[:, 0] - rows[:, 1]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [5, 8, 14])
def test_gaps_are_hsus_formulas(kind, n):
    rows = scores_of(kind, n, 4, seed=n)
    found = compare_all(rows, LEVEL)
    estimate, low, high = found.gaps()
    k, contend = 4, found.contend

    def reach(i, j, critical):  # half the interval of the difference of two
        f = found.common[i, j] - 1
        if f < FEWEST_IN_COMMON - 1 and np.isnan(rows).any():
            return np.nan
        if not np.isfinite(critical):
            return np.inf
        z = critical * (8 * f + 3) / (8 * f + 1)
        return math.sqrt(f * math.expm1(z * z / f)) * found.error()[i, j]

    for i in range(k):
        gaps = [found.ahead[i, j] for j in range(k) if j != i and not np.isnan(found.ahead[i, j])]
        assert estimate[i] == pytest.approx(min(gaps, default=np.nan), nan_ok=True)
        most = [found.ahead[i, j] + reach(i, j, found.critical[i]) for j in range(k) if j != i]
        most = [end for end in most if not np.isnan(end)]  # no verdict, no end
        assert high[i] == pytest.approx(max(0.0, min(most, default=np.inf)) if contend[i] else 0.0, rel=1e-6)
        least = [found.ahead[i, j] - reach(i, j, found.critical[j]) for j in range(k) if j != i and contend[j]]
        assert low[i] == pytest.approx(-np.inf if np.isnan(least).any() else min([0.0, *least]))


@pytest.mark.parametrize("kind", KINDS)
def test_places_are_counted(kind):
    rows = scores_of(kind, 10, 5, seed=2)
    rows[:, -2:] -= 3
    found = compare_all(rows, LEVEL)
    low, high = found.places()
    only = found.contend.sum() == 1
    for i in range(5):
        above = sum(found.p_adjusted()[i, j] <= LEVEL and found.ahead[i, j] < 0 for j in range(5) if j != i)
        below = sum(found.p_adjusted()[i, j] <= LEVEL and found.ahead[i, j] > 0 for j in range(5) if j != i)
        assert low[i] == (1 if found.contend[i] else max(2, 1 + above))
        assert high[i] == (1 if found.contend[i] and only else 5 - below)


@settings(max_examples=40)
@given(st.sampled_from(KINDS), st.integers(4, 13), st.integers(2, 6), st.integers(0, 999), st.sampled_from([0.05, 0.2]))
def test_what_is_claimed_together_fits_together(kind, n, k, seed, level):
    rows = scores_of(kind, n, k, seed)
    rows[:, 0] += seed % 3
    found = compare_all(rows, level, seed)
    assert found.contend.any()
    assert not (found.contend & found.better.any(axis=0)).any()  # who is worse over all pairs is no contender
    assert (found.contend <= (found.p_best > level)).all()
    margin = found.margins(found.critical_of_all)
    told = ~np.isnan(found.ahead) & np.isfinite(margin)
    sure = np.abs(found.ahead) > margin
    # an interval without 0 is a significant difference
    assert (sure[told] == (found.p_adjusted() <= level)[told]).all()
    assert not (found.p_adjusted() <= level)[~told].any()
    dropped = np.where(np.isnan(found.ahead), np.inf, found.ahead + found.margins(found.critical[:, None]))
    np.fill_diagonal(dropped, np.inf)
    assert ((np.nan_to_num(dropped, nan=np.inf).min(axis=1) < 0) == (found.p_best <= level)).all()
    assert (found.p_adjusted() >= found.p()).all() and (found.p() == found.p().T).all()
    estimate, low, high = found.gaps()
    assert ((low <= 0) & (high >= 0)).all()
    known = ~np.isnan(estimate)
    assert (low[known] <= estimate[known] + 1e-9).all()
    assert (estimate[known & found.contend] <= high[known & found.contend] + 1e-9).all()
    first, last = found.places()
    assert (first <= last).all() and ((first == 1) == found.contend).all()


@settings(max_examples=12)
@given(st.sampled_from(KINDS), st.integers(4, 11), st.integers(0, 999), st.sampled_from(["rank", "score"]))
def test_neither_order_nor_direction_nor_unit_matter(kind, n, seed, by):
    scores = pd.DataFrame(scores_of(kind, n, 4, seed), columns=list("abcd"))
    rng = np.random.default_rng(seed)
    asked = contenders_of(scores, by=by, level=LEVEL)
    shuffled = scores.iloc[rng.permutation(n), rng.permutation(4)]
    pd.testing.assert_frame_equal(contenders_of(shuffled, by=by, level=LEVEL).loc[list("abcd")], asked)
    pd.testing.assert_frame_equal(contenders_of(-scores, by=by, level=LEVEL, higher_is_better=False), asked)
    eight = contenders_of(8 * scores, by=by, level=LEVEL)
    columns = ["estimate", "low", "high"]
    eight[columns] /= 8 if by == "score" else 1
    pd.testing.assert_frame_equal(eight, asked)


def test_differences_that_do_not_vary_are_not_certain():
    rows = np.column_stack([np.arange(8) * 0.1 + 0.001, np.arange(8) * 0.1])  # not equal in the last digits
    found = compare_all(rows, 0.05)
    assert found.error()[0, 1] == pytest.approx(0.001 / 9)
    assert found.p_best.tolist() == [1, 1 / 256] and found.contend.tolist() == [True, False]
    assert found.gaps()[1][1] < -0.001 < 0.001 < found.gaps()[2][0]


def test_two_equal_columns_are_not_told_apart_and_not_taken_for_one():
    rng = np.random.default_rng(5)
    x = rng.normal(size=(10, 1)) + 0.5
    rows = np.hstack([x, x + rng.choice([0.0, 1e-16], (10, 1)), x + rng.normal(-1, 1, (10, 1))])
    found = compare_all(rows, 0.05)
    assert found.ahead[0, 1] == 0 and found.p()[0, 1] == 1 and found.p_adjusted()[0, 1] == 1
    assert found.p_best[0] == pytest.approx(found.p_best[1])
    estimate, low, high = found.gaps()
    assert estimate[0] == 0 and low[0] < 0 < high[0]  # another ten experiments need not be equal
    alone = compare_all(np.hstack([x, x]), 0.05)
    assert alone.p_best.tolist() == [1, 1] and alone.contend.all()
    assert [ends.tolist() for ends in alone.gaps()] == [[0, 0]] * 3


@pytest.mark.parametrize("by", ["rank", "score"])
def test_the_fifteenth_digit_is_no_difference(by):
    rng = np.random.default_rng(6)
    scores = np.rint(rng.normal(5, 2, size=(9, 4))) / 10 + 0.7
    noisy = scores * (1 + rng.choice([-2e-16, 0, 2e-16], scores.shape))
    asked, same = (contenders_of(x, by=by) for x in (scores, noisy))
    pd.testing.assert_frame_equal(asked, same, rtol=1e-9)


def test_one_diverged_score_leaves_the_others_their_digits():
    rng = np.random.default_rng(7)
    scores = rng.normal([0.9, 0.7, 0.5, 0.0], 0.1, size=(9, 4))
    diverged = scores.copy()
    diverged[3, 3] = -1e17
    without, found = compare_all(scores, 0.05), compare_all(diverged, 0.05)
    np.testing.assert_allclose(found.ahead[:3, :3], without.ahead[:3, :3], rtol=1e-12)
    np.testing.assert_allclose(found.error()[:3, :3], without.error()[:3, :3], rtol=1e-9)
    np.testing.assert_array_equal(found.p()[:3, :3], without.p()[:3, :3])


@pytest.mark.parametrize("seed", range(5))
def test_small_differences_keep_their_digits(seed):
    rng = np.random.default_rng(seed)
    small = rng.choice([-1.0, 1, 2, 3], (10, 1))  # many flips are as far apart
    large = rng.integers(-(2**20), 2**20, (10, 1)) + rng.random((10, 1)).round(3)
    found = compare_all(np.hstack([large + 2**-14 * small, large, -large / 3, -large / 5, -large / 7]), 0.05)
    alone = compare_all(np.hstack([small, 0 * small]), 0.05)
    assert found.p()[0, 1] == alone.p()[0, 1] < 1
    assert found.error()[0, 1] == pytest.approx(2**-14 * alone.error()[0, 1], rel=1e-4)


def test_with_four_experiments_nobody_is_dropped():
    rows = np.column_stack([np.arange(4.0) + 10, np.arange(4.0), -10 * np.arange(4.0)])
    found = compare_all(rows, 0.05)
    assert found.contend.all() and found.smallest_p(False) == 1 / 16
    assert np.isinf(found.critical).all() and found.critical_of_all == np.inf
    assert np.isneginf(found.gaps()[1]).all() and np.isposinf(found.gaps()[2]).all()
    assert [ends.tolist() for ends in found.places()] == [[1, 1, 1], [3, 3, 3]]
    assert compare_all(rows, 1 / 16).contend.tolist() == [True, False, False]
    with pytest.raises(StudyError, match="4 experiments and two alternatives, got 3 and 3"):
        compare_all(rows[:3], 0.05)


def test_fewer_in_common_than_six_have_no_verdict():
    rng = np.random.default_rng(9)
    rows = rng.normal([5.0, 0.0, 0.0], 1.0, size=(12, 3))
    rows[:7, 0], rows[7:, 1] = np.nan, np.nan  # none in common; 5; 7
    found = compare_all(rows, 0.05)
    assert found.common[0, 1] == 0 and found.common[0, 2] == 5 and np.isnan(found.ahead[0]).all()
    assert found.contend[0] and found.p_best[0] == 1 and np.isposinf(found.gaps()[2][0])
    assert np.isneginf(found.gaps()[1]).all()  # the first may be better by anything
    assert found.places()[1][0] == 3


def test_hundreds_of_alternatives():
    rng, k = np.random.default_rng(10), 300
    means = np.where(np.arange(k) < 3, 4.0, 0.0)
    rows = rng.normal(means, 1.0, size=(30, k))
    found = compare_all(rows, 0.05)
    assert set(np.flatnonzero(found.contend)) <= {0, 1, 2} and found.contend.any()
    n_pairs, t = k * (k - 1) / 2, stats.ttest_rel(rows[:, :1], rows[:, 3:])
    expected = np.minimum(1, n_pairs * np.maximum(t.pvalue, 2 / 2**30))  # there is no smaller p-value of flips
    np.testing.assert_allclose(found.p_adjusted()[0, 3:], expected, rtol=0.05)  # Wallace (1959)
    margin = found.margins(found.critical_of_all)
    assert ((np.abs(found.ahead) > margin) == (found.p_adjusted() <= 0.05))[~np.eye(k, dtype=bool)].all()
    few = compare_all(rows[:8] * 3, 0.05)  # 8 flips of 45,000 pairs cannot tell
    assert few.critical_of_all == np.inf and (few.p_adjusted() == 1).all()
    d, signs = rows - rows[:, [0]], 2 * rng.integers(0, 2, (2_000, 30)) - 1
    ratio = (signs @ d)[:, 1:] / np.sqrt(30 * (d[:, 1:] ** 2).sum(axis=0))
    seen = (d.sum(axis=0)[1:] / np.sqrt(30 * (d[:, 1:] ** 2).sum(axis=0))).max()
    assert found.p_best[0] == pytest.approx((ratio.max(axis=1) >= seen).mean(), abs=0.06)  # these were flipped
    nobody = compare_all(rng.normal(size=(30, k)), 0.05)  # too many to flip, and Bonferroni keeps nearly all
    assert nobody.contend.mean() > 0.9


def test_by_rank_compares_ranks_and_by_score_scores():
    scores = pd.DataFrame({"a": [1.0, 1, 1, 1, 1, 9], "b": [2.0, 2, 2, 2, 2, 0], "c": [0.0, 0, 0, 0, 0, 1]})
    rank, score = (contenders_of(scores, by=by) for by in ("rank", "score"))
    assert rank["estimate"].tolist() == pytest.approx([-0.5, 0.5, -1.5])
    assert score["estimate"].tolist() == pytest.approx([14 / 6 - 10 / 6, 10 / 6 - 14 / 6, 1 / 6 - 14 / 6])
    expected = [[-2, -1, -3], [-1.5, -3, -1.5], [-1, np.nan, -2]]
    table = np.array([[1.0, 2, 0], [0.1 + 0.2, 0, 0.3], [3, np.nan, 1]])
    np.testing.assert_array_equal(rows_of(table, "rank", True), expected)
    np.testing.assert_array_equal(rows_of(-table, "rank", False), expected)


def test_one_alternative_named_beforehand_is_compared_alone():
    scores = pd.DataFrame(scores_of("normal", 10, 5, seed=4) + np.array([4, 2, 0, 0, 0]), columns=list("abcde"))
    one = contenders_of(scores, by="score", alternative="b")
    rows, flips = scores.to_numpy(), np.array(list(itertools.product([1, -1], repeat=10)))
    d = rows - rows[:, [1]]
    size = np.abs(flips @ d) / np.sqrt(10 * (d**2).sum(axis=0, where=True) + (np.arange(5) == 1))
    largest = size.max(axis=1)
    p = np.array([(largest >= size[0, j] - 1e-9).mean() for j in range(5)])
    ahead = d.mean(axis=0)
    assert one.loc["b", "place_low"] == 1 + ((p <= 0.05) & (ahead > 0)).sum()
    assert one.loc["b", "place_high"] == 5 - ((p <= 0.05) & (ahead < 0)).sum()


def test_the_same_seed_gives_the_same_bytes_and_random_flips_are_close_to_all():
    rows = scores_of("normal", 12, 4, seed=1)
    one, same, other = (compare_all(rows, 0.05, seed) for seed in (7, 7, 8))
    assert one.p_best.tobytes() == same.p_best.tobytes() and one.critical.tobytes() == same.critical.tobytes()
    assert one.p_best.tobytes() != other.p_best.tobytes()
    flips = np.array(list(itertools.product([1.0, -1.0], repeat=12)))
    for i in range(4):
        d = rows - rows[:, [i]]
        ratio = np.delete((flips @ d) / np.sqrt(12 * (d**2).sum(axis=0) + (np.arange(4) == i)), i, axis=1)
        expected = (ratio.max(axis=1) >= ratio[0].max() - 1e-9).mean()
        assert one.p_best[i] == pytest.approx(expected, abs=0.02)  # standard error of 9,999 flips: .005


def test_whether_one_contends_hardly_depends_on_the_seed():
    rows = np.random.default_rng(13).normal([0.6, 0.3, 0.0, -0.2], 1, (16, 4))
    flips = np.array(list(itertools.product([1.0, -1.0], repeat=16)))
    d = rows[:, :3] - rows[:, [3]]
    exact = ((t := (flips @ d / np.sqrt(16 * (d**2).sum(axis=0))).max(axis=1)) >= t[0] - 1e-9).mean()
    assert exact == pytest.approx(0.0493, abs=0.0001)  # close to the level: 9,999 flips say .045 to .054
    found = [compare_all(rows, 0.05, seed).p_best[3] for seed in range(20)]
    assert found == pytest.approx([exact] * 20, abs=0.003)  # standard error of 99,990 flips: .0007
    assert np.std(found) < 0.0012


@pytest.mark.parametrize(("n", "kind"), [(7, "t"), (9, "right or wrong")])
def test_of_many_studies_of_equals_each_keeps_its_place_in_the_set(n, kind):
    rng, dropped = np.random.default_rng(n), []
    for _ in range(150):
        rows = rng.standard_t(4, (n, 4)) if kind == "t" else (rng.random((n, 4)) < 0.6).astype(float)
        dropped.append(~compare_all(rows, LEVEL).contend)
    assert np.mean(dropped) < LEVEL + 3 * math.sqrt(LEVEL * (1 - LEVEL) / 150)  # of one: it is exact


@pytest.mark.slow  # of fewer alternatives, other things take more memory than these matrices
def test_of_many_alternatives_few_matrices_are_held():
    k = 1500
    rows = np.random.default_rng(3).binomial(100, np.linspace(0.6, 0.9, k), (20, k)) / 100
    tracemalloc.start()
    found = compare_all(rows, 0.05)
    found.gaps(), found.places()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 6 * 8 * k * k


def test_rows_that_are_asked_for_are_those_of_all():
    rows = np.random.default_rng(4).binomial(10, 0.7, (12, 320)) / 10
    rows[np.random.default_rng(5).random(rows.shape) < 0.2] = np.nan
    found = compare_all(rows, 0.05)
    i, j = np.array([0, 7, 300]), np.array([1, 200, 5])
    for values in (found.p, found.p_adjusted, found.error):
        np.testing.assert_array_equal(values((i, j)), values()[i, j])
        np.testing.assert_array_equal(values(7), values()[7])
    np.testing.assert_array_equal(found.better, (found.p_adjusted() <= 0.05) & (found.ahead > 0))
    np.testing.assert_array_equal(found.margins(2.0, 300), found.margins(2.0)[300])
    assert (found.p() == found.p().T).all()


def test_experiments_that_tied_count_for_two_more_that_need_not():
    d = np.array([0.0, 0, 0, 1, 1, -1, 0, 2])  # four of eight differ, by 7/4 in the mean square
    found = compare_all(np.column_stack([d, 0 * d]), 0.05)
    mean_square = (7 + 2 * (4 / 8) * (7 / 4)) / 8
    assert found.error()[0, 1] == pytest.approx(np.sqrt((mean_square - d.mean() ** 2) / 7))
