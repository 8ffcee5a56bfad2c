"""Agreement of conclusions, from tables: closed forms, splits, and what must not matter."""

from itertools import pairwise, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from genexpy_nb.conclusions.replications import least_share_with_same_top
from genexpy_nb.conclusions.tables import CONCLUSIONS, as_sizes, experiments_for_agreement
from tests.agreement_asked import CASES, LEAST, NORMAL, VALUES, check, show_every_estimate, values
from tests.of_arrays import agreement_of_table


@pytest.fixture
def every_estimate(monkeypatch):
    show_every_estimate(monkeypatch)


# --- what comes out ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("conclusion", CONCLUSIONS)
def test_the_frame(conclusion):
    found = agreement_of_table(NORMAL, conclusion)
    assert list(found) == ["conclusion", "measure", "n", *VALUES]
    assert found["n"].tolist() == [10, 20, 40, 80]
    assert set(found["conclusion"]) == {conclusion} and set(found["measure"]) == {CONCLUSIONS[conclusion]}
    check(found, conclusion, LEAST[conclusion])
    assert (np.diff(found["high"]) > -0.03).all()  # larger studies agree more; draws are few


@pytest.mark.usefixtures("every_estimate")
@pytest.mark.parametrize("conclusion", CONCLUSIONS)
def test_same_seed_same_bytes_and_a_size_does_not_depend_on_the_others(conclusion):
    found = agreement_of_table(NORMAL, conclusion, [10, 20, 80], rng=7)
    again = agreement_of_table(NORMAL, conclusion, [10, 20, 80], rng=7)
    assert found.to_numpy().tolist() == again.to_numpy().tolist()
    alone = agreement_of_table(NORMAL, conclusion, 80, rng=7)
    assert alone.iloc[0].tolist() == found.iloc[2].tolist()
    generators = [agreement_of_table(NORMAL, conclusion, [20], rng=np.random.default_rng(3)) for _ in range(2)]
    pd.testing.assert_frame_equal(*generators)


@pytest.mark.parametrize("n", [10, 20, 60])
def test_a_clear_pair_is_the_closed_form_of_its_effect(n):
    rows = np.random.default_rng(1).normal(size=(2000, 2))
    rows = (rows - rows.mean(axis=0)) / rows.std(axis=0, ddof=1) + [0.3, 0]  # so it is observed what is true
    rows[:, 1] -= np.cov(rows.T)[0, 1] * (rows[:, 0] - 0.3)
    found = agreement_of_table(rows, "order", n, by="score").iloc[0]
    certain = stats.norm.cdf(0.3 * np.sqrt(n) / np.std(rows[:, 0] - rows[:, 1], ddof=1))
    true = 1 - 4 * certain * (1 - certain)
    assert found["estimate"] == pytest.approx(true, abs=0.01)
    assert found["low"] < true < found["high"] and found["high"] - found["low"] < 0.5


def test_a_pair_far_apart_is_certain_and_seen_by_few_experiments_as_often_as_it_is():
    rows = np.random.default_rng(13).normal([0.5, 0], 1, (10_000, 2))  # 35 standard errors
    found = agreement_of_table(rows, "order", [5, 50, 10_000], by="score")
    certain = stats.norm.cdf(0.5 * np.sqrt(found["n"].to_numpy() / 2))
    true = 1 - 4 * certain * (1 - certain)
    assert found["estimate"].to_numpy() == pytest.approx(true, abs=0.04)
    assert (found["low"] <= true + 1e-9).all() and (true <= found["high"] + 1e-9).all()
    assert (found["high"] - found["low"] < 0.2).all()


@pytest.mark.usefixtures("every_estimate")
def test_the_share_of_the_same_verdicts_up_to_half_is_that_of_splits():
    scores = np.random.default_rng(4).normal([1.0, 0.5, 0], 1, (120, 3))
    rng, verdicts = np.random.default_rng(5), []
    halves = np.array([half for _ in range(250) for half in rng.permutation(120)[:80].reshape(2, 40)])
    differences = scores[halves][..., [0, 0, 1]] - scores[halves][..., [1, 2, 2]]
    for p, sign in zip(stats.wilcoxon(differences, axis=1).pvalue, np.sign(differences.mean(axis=1)), strict=True):
        rank = p.argsort().argsort()
        adjusted = np.array([np.max(p[rank <= r] * (3 - rank[rank <= r])) for r in rank])  # Holm
        verdicts.append(np.where(adjusted <= 0.05, sign, 0))
    same = np.equal(verdicts[::2], verdicts[1::2])
    # standard error .02; a normal effect stands for a count of sums
    assert agreement_of_table(scores, "tiers", 40)["estimate"][0] == pytest.approx(np.mean(same), abs=0.08)


@pytest.mark.usefixtures("every_estimate")
def test_the_best_one_is_the_winner_and_of_two_the_winner_is_the_order():
    winner, top = values(NORMAL, "winner", [10, 40]), values(NORMAL, "top-k", [10, 40], k=1)
    assert winner == pytest.approx(top, abs=1e-12)
    two = NORMAL[:, :2]
    again = (1 + values(two, "order", [10, 40])[:, 0]) / 2
    assert values(two, "winner", [10, 40])[:, 0] == pytest.approx(again, abs=0.06)  # 2,000 draws, weights up to 3


# --- what must not matter ---------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("every_estimate")
@settings(max_examples=6)
@given(st.sampled_from([0.5, 4.0, 1024.0]), st.integers(0, 9), st.sampled_from(CASES))
def test_units_do_not_matter(factor, seed, case):
    conclusion, by = case
    shifts = np.random.default_rng(seed).integers(-8, 8, (20, 1))
    table = np.round(NORMAL * 1024) / 1024  # so that sums are exact
    found = values(factor * (table + shifts), conclusion, [10, 40], by=by)
    assert found == pytest.approx(values(table, conclusion, [10, 40], by=by), abs=0.02)


@pytest.mark.parametrize(("conclusion", "by"), CASES)
def test_direction_does_not_matter(conclusion, by):
    found = agreement_of_table(-NORMAL, conclusion, [10, 40], by=by, higher_is_better=False)
    pd.testing.assert_frame_equal(found, agreement_of_table(NORMAL, conclusion, [10, 40], by=by), rtol=1e-9)


@pytest.mark.usefixtures("every_estimate")
@pytest.mark.parametrize(("conclusion", "by"), CASES)
def test_order_and_names_matter_no_more_than_rounding(conclusion, by):
    order = [3, 2, 1, 0]
    rows = np.random.default_rng(6).permutation(20)
    shuffled = pd.DataFrame(NORMAL[rows][:, order], columns=["$x_1$", "<b>", "a", None])
    expected = values(NORMAL, conclusion, [10, 40], by=by)
    assert values(shuffled, conclusion, [10, 40], by=by) == pytest.approx(expected, abs=0.02)


@pytest.mark.usefixtures("every_estimate")
@pytest.mark.parametrize(("conclusion", "allowed"), [("winner", 0.001), ("order", 0.001), ("tiers", 0.02)])
def test_more_confidence_means_a_longer_interval(conclusion, allowed):
    # the set of worlds grows; its edges move, and on the way the agreement can fall before it rises
    found = [values(NORMAL, conclusion, [10, 20, 80], confidence=level) for level in (0.5, 0.8, 0.95, 0.99)]
    for short, long in pairwise(found):
        assert np.array_equal(short[:, 0], long[:, 0])
        assert (long[:, 1] <= short[:, 1] + allowed).all() and (short[:, 2] <= long[:, 2] + allowed).all()


def test_all_worlds_are_covered_as_often_as_the_interval_says():
    """Order of three, all equal, and with a leader: the true agreement lies in nearly all intervals."""
    rng, n = np.random.default_rng(9), 20
    for world in ([0.0, 0, 0], [0.7, 0, 0]):
        differences = np.array([world[0] - world[1], world[0] - world[2], world[1] - world[2]])
        true = np.mean((2 * stats.norm.cdf(differences * np.sqrt(n / 2)) - 1) ** 2)
        held = []
        for seed in range(30):
            found = agreement_of_table(rng.normal(world, 1, (n, 3)), "order", n, by="score", rng=seed).iloc[0]
            held.append(found["low"] - 1e-9 <= true <= found["high"] + 1e-9)
        assert np.mean(held) >= 0.86  # of 30: two standard deviations below .95


# --- how many are needed ----------------------------------------------------------------------------------------------


def test_an_estimate_is_shown_only_inside_its_interval(monkeypatch):
    """Differences like these have an estimate below 0, which no agreement of two studies is."""
    tables_of = [np.random.default_rng(seed).normal(0, 1, (20, 2)) for seed in range(8)]
    found = pd.concat([agreement_of_table(table, "order", [10, 20, 80]) for table in tables_of])
    show_every_estimate(monkeypatch)
    bare = pd.concat([agreement_of_table(table, "order", [10, 20, 80]) for table in tables_of])
    pd.testing.assert_frame_equal(found[["low", "high"]], bare[["low", "high"]])
    assert (bare["estimate"] < -0.1).any() and found["estimate"].dropna().min() >= 0
    outside = (bare["estimate"] < bare["low"] - 0.005) | (bare["estimate"] > bare["high"] + 0.005)
    assert found["estimate"].isna().tolist() == outside.tolist() and 0 < outside.mean() < 1
    inside = bare["estimate"].clip(bare["low"], bare["high"])[~outside]
    pd.testing.assert_series_equal(found["estimate"].dropna(), inside)


@pytest.mark.parametrize(("n_alternatives", "conclusion", "k"), [(4, "winner", 1), (6, "top-k", 2)])
def test_the_lower_end_is_what_t_statistics_promise_of_the_best(n_alternatives, conclusion, k):
    """Independently: limits by bisection, of differences whose skewness and kurtosis are as if normal."""
    quantiles = stats.norm.ppf((np.arange(40) + 0.5) / 40)
    rng = np.random.default_rng(3)
    rows = np.column_stack([rng.permutation(quantiles) for _ in range(n_alternatives)])
    rows[:, :k] += 2.2
    limits = []
    for i, j in product(range(k), range(k, n_alternatives)):
        differences = rows[:, i] - rows[:, j]
        t = stats.ttest_1samp(differences, 0).statistic
        low, high = 0.0, t
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if stats.nct.sf(t, 39, middle) < 0.025 else (low, middle)
        effect, shape = t / np.sqrt(40), (stats.skew(differences), stats.kurtosis(differences, bias=False))
        more = (1 - shape[0] * effect + (shape[1] + 2) / 4 * effect**2) / (1 + effect**2 / 2)
        limits.append(t - (t - low) * np.sqrt(max(1, more)))
    again = 1 - stats.norm.sf(np.array(limits) * np.sqrt(10 / 40)).sum()
    least = k / n_alternatives
    promised = again**2 + (1 - again) ** 2 * least / (1 - least)
    found = agreement_of_table(rows, conclusion, [10], k=k, by="score")["low"].item()
    assert 0.6 < promised <= found + 1e-9
    assert least_share_with_same_top(rows, k, [0.25], 0.95) == pytest.approx(again, abs=1e-6)


def test_a_leader_that_never_varies_promises_nothing():
    rows = np.tile([1.0, 0.5, 0.0], (10, 1))
    assert least_share_with_same_top(rows, 1, [1.0, 2.0], 0.95).tolist() == [0, 0]


def curve(estimates, of=(2, 4, 8, 16, 32)):
    def of_sizes(sizes):
        found = np.interp(np.log(sizes), np.log(of), estimates)
        table = pd.DataFrame({"conclusion": "order", "measure": "", "n": sizes, "estimate": found})
        return table.assign(low=found - 0.2, high=found + 0.2)

    return of_sizes


def test_the_size_where_a_curve_reaches_what_is_wanted():
    found = experiments_for_agreement(curve([0.1, 0.3, 0.5, 0.7, 0.9]), 0.7, 32)
    assert found[["n", "low", "high"]].tolist() == pytest.approx([16, 8, 32])
    assert experiments_for_agreement(curve([0.1, 0.3, 0.5, 0.7, 0.9]), 0.95, 32)["n"] == np.inf
    assert experiments_for_agreement(curve([0.1, 0.3, 0.5, 0.7, 0.9]), 0.05, 32)["n"] == 2


def test_where_there_is_no_estimate_the_lower_end_decides():
    def of_sizes(sizes):
        frame = curve([0.1, 0.3, 0.5, 0.7, 0.9])(sizes)
        return frame.assign(estimate=frame["estimate"].mask(frame["n"] > 6))

    found = experiments_for_agreement(of_sizes, 0.5, 32)
    assert found["n"] == found["high"] == pytest.approx(16, abs=1) and found["low"] == 4


@pytest.mark.parametrize("most", [3, 6, 10, 15, 18, 100, 123, 1000, 12_345, 999_983, 1_000_000])
def test_a_size_is_not_rounded_up_past_itself(most):
    found = experiments_for_agreement(curve([0.1, 0.9], (most - 0.5, most)), 0.9, most)
    assert found["n"] == most


@pytest.mark.parametrize("conclusion", ["winner", "order"])
def test_two_studies_of_that_size_agree_so_far(conclusion):
    table = np.random.default_rng(12).normal([2, 1.5, 1, 0.5], 1, (40, 4))

    def needed_up_to(most):
        return experiments_for_agreement(lambda sizes: agreement_of_table(table, conclusion, sizes), 0.8, most)

    needed = needed_up_to(4000)
    assert needed["low"] <= needed["n"] <= needed["high"]
    n = int(needed["n"])
    found = agreement_of_table(table, conclusion, [n, max(2, n // 2)])["estimate"]
    assert found[0] > 0.78 and found[1] < 0.8
    assert needed_up_to(2)["n"] == np.inf


def test_sizes_by_default_are_half_once_twice_four_times():
    assert as_sizes(None, 5) == [2, 5, 10, 20]
    assert as_sizes(np.int64(7), 5) == [7] and as_sizes(np.array([3, 4]), 5) == [3, 4]


def test_a_tie_closer_than_in_studies_of_any_world_leaves_the_interval_wide():
    """Differences of +1 and -1 that cancel all but exactly: it is no evidence that the two are equal."""
    differences = np.tile([1.0, -1.0], 20)
    differences[0] += 1e-9
    found = agreement_of_table(np.stack([differences, np.zeros(40)], axis=1), "order", [40], by="score")
    assert found["low"].item() == 0
    assert found["high"].item() > 0.6  # an effect of one standard error is not rejected
