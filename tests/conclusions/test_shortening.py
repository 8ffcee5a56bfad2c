"""Fewer experiments: which are chosen, by trying all; and how many are needed, by drawing studies one by one."""

import itertools

import numpy as np
import pytest
from scipy import stats

from genexpy_nb.common.errors import StudyError
from genexpy_nb.conclusions.contenders import compare_all
from genexpy_nb.conclusions.shortening import Drawn, needed, shorten


def test_the_first_chosen_is_the_nearest_to_the_mean_of_all_and_each_next_one_too():
    scores = np.random.default_rng(0).normal(np.arange(6) / 2, 1, (12, 6))
    chosen = shorten(scores, 3, "score").chosen.tolist()
    rows = scores - scores.mean(axis=1, keepdims=True)
    for size in (1, 2, 3):

        def away(e, before=chosen[: size - 1]):
            return np.sum((rows[[*before, e]].mean(axis=0) - rows.mean(axis=0)) ** 2)

        assert chosen[size - 1] == min(set(range(12)) - set(chosen[: size - 1]), key=away)


def test_whoever_keeps_all_that_may_be_kept_chooses_as_at_random_and_for_sure():
    scores = np.random.default_rng(0).normal(np.arange(8) / 4, 1, (12, 8))
    found = shorten(scores, 8, "score")  # a third of 12 judges, so 8 is the whole pool
    assert found.agreement == pytest.approx(found.at_random) and found.error == pytest.approx(0, abs=1e-12)


def test_what_is_shown_is_what_fresh_experiments_and_alternatives_show(monkeypatch):
    """A world that can be drawn anew: the mean of what is shown, against that of what is found there."""
    monkeypatch.setattr("genexpy_nb.conclusions.shortening._SPLITS", 50)
    shown, fresh = [], []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        means = rng.normal(size=20)
        noise = rng.uniform(0.3, 4, (60, 1))  # some experiments tell more than others
        scores = means + noise * rng.normal(size=(60, 20))
        known, old = np.arange(45), np.arange(14)
        found = shorten(scores[np.ix_(known, old)], 8, "rank", seed)
        assert found.n_judged == 15
        ranks = stats.rankdata(scores[:, 14:], axis=1)
        fresh.append(stats.kendalltau(ranks[found.chosen].mean(axis=0), ranks[45:].mean(axis=0)).statistic)
        shown.append(found.agreement)
    error = np.std(np.subtract(shown, fresh)) / np.sqrt(10)
    assert abs(np.mean(shown) - np.mean(fresh)) < 3 * error < 0.3


@pytest.mark.parametrize(("shape", "k"), [((8, 12), 3), ((30, 5), 3), ((30, 12), 21)])
def test_too_few_to_choose_and_judge(shape, k):
    with pytest.raises(StudyError, match="lite needs 6 alternatives, 9 experiments"):
        shorten(np.zeros(shape), k, "rank")


def test_the_share_with_one_contender_is_that_of_the_test():
    """Counted study by study with the test of `Study.contenders`, whose flips need a little less than Bonferroni's."""
    rng = np.random.default_rng(1)
    block = rng.normal([1.0, 0, 0, 0], 1, (60, 4))
    *_, sizes, shares = needed([block], Drawn(4, "winner", "score", 0.5, 0.05, (0, 0)), 0.8)
    at = int(np.searchsorted(sizes, 16))
    counted = [compare_all(block[rng.permutation(60)[: sizes[at]]], 0.05).contend.sum() == 1 for _ in range(60)]
    assert shares[at] == pytest.approx(np.mean(counted), abs=0.15)
    assert (np.diff(shares) > -0.03).all() and shares[-1] > 0.95


def test_the_share_of_pairs_in_the_same_order_is_that_of_all_pairs_of_halves():
    block = np.random.default_rng(2).normal([1.0, 0.5, 0], 1, (6, 3))
    *_, sizes, shares = needed([block], Drawn(3, "order", "score", 0.5, 0.05, (0, 0)), 0.9)
    assert sizes.tolist() == [2, 3]
    counted = []
    for first in itertools.combinations(range(6), 3):
        one, other = block[list(first)].mean(axis=0), block[sorted(set(range(6)) - set(first))].mean(axis=0)
        counted += [(one[i] > one[j]) == (other[i] > other[j]) for i, j in itertools.combinations(range(3), 2)]
    assert shares[1] == pytest.approx(np.mean(counted), abs=0.04)  # 800 draws: a standard error of .01


def test_a_number_is_found_where_the_share_gets_there_and_beyond():
    """Pairs of a world whose shares are known: two studies agree in the sign of a mean."""
    effect = 0.25
    block = np.random.default_rng(4).normal([effect * np.sqrt(2), 0], 1, (250, 2))
    block[:, 0] += effect * np.sqrt(2) - (block[:, 0] - block[:, 1]).mean()  # the effect is exact

    def agree(n):
        right = stats.norm.cdf(effect * np.sqrt(n))
        return right**2 + (1 - right) ** 2

    for probability in (0.7, 0.95):
        found = needed([block], Drawn(2, "order", "score", 0.5, 0.05, (0, 0)), probability)
        truth = next(size for size in range(1, 999) if agree(size) >= probability)
        assert abs(found.log_n - np.log(truth)) < np.log(1.6) and found.error > 0
    few = needed([block[:40]], Drawn(2, "order", "score", 0.5, 0.05, (0, 0)), 0.999999)
    assert few.log_n > np.log(10 * 40)
