"""Several benchmarks against statsmodels, closed forms and scipy; what cannot be pooled is an error."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau, norm, t
from statsmodels.stats.meta_analysis import combine_effects

import genexpy_nb as gx
from genexpy_nb.common.errors import StudyError


def benchmark(seed, n=20, means=(0.6, 0.3, 0.0), between=0.1):
    rng = np.random.default_rng(seed)
    truth = np.array(means) + between * rng.standard_normal(3)
    return pd.DataFrame(rng.normal(truth, 0.3, (n, 3)), columns=["ant", "bee", "cat"])


FOUR = {f"bench {i}": benchmark(i, n=12 + 4 * i) for i in range(4)}


def test_the_mean_over_benchmarks_is_that_of_statsmodels_with_intervals_of_hartung_and_knapp():
    found = gx.pool(FOUR, by="score").contrasts
    for row in found.itertuples():
        gaps = [table[row.first] - table[row.second] for table in FOUR.values()]
        effect, variance = [gap.mean() for gap in gaps], [gap.var() / len(gap) for gap in gaps]
        fit = combine_effects(np.array(effect), np.array(variance), method_re="iterated")
        assert row.estimate == pytest.approx(fit.mean_effect_re)
        weight = 1 / (np.array(variance) + fit.tau2)
        spread = (weight * (effect - fit.mean_effect_re) ** 2).sum() / (3 * weight.sum())
        margin = max(t.isf(0.025, 3) * np.sqrt(spread), norm.isf(0.025) / np.sqrt(weight.sum()))
        assert row.high - row.estimate == pytest.approx(margin, rel=1e-4)
        assert row.between == pytest.approx(np.sqrt(max(0, fit.tau2)))
        assert row.next_low < row.low < row.high < row.next_high


def test_with_endless_experiments_the_next_benchmark_has_students_prediction_interval():
    effects = np.array([0.1, 0.5, 0.2, 0.4, 0.8])
    shape = np.tile([1e-6, -1e-6], 50)
    tables = [pd.DataFrame({"a": effect + shape, "b": 0.0}) for effect in effects]
    row = gx.pool(tables, by="score").contrasts.iloc[0]
    margin = t.isf(0.025, 4) * effects.std(ddof=1) * np.sqrt(1 + 1 / 5)
    assert row["estimate"] == pytest.approx(effects.mean(), abs=1e-4)
    assert (row["next_high"] - row["next_low"]) / 2 == pytest.approx(margin, rel=0.1)


def test_who_is_always_as_far_ahead_counts_as_if_one_more_experiment_had_shown_nothing():
    effects, n = np.array([0.1, 0.5, 0.2, 0.4]), 6
    tables = [pd.DataFrame({"a": np.full(n, effect), "b": 0.0}) for effect in effects]
    row = gx.pool(tables, by="score").contrasts.iloc[0]
    fit = combine_effects(effects, (effects / (n + 1)) ** 2, method_re="iterated")
    assert row["estimate"] == pytest.approx(fit.mean_effect_re)
    assert row["between"] == pytest.approx(np.sqrt(fit.tau2))


def test_orders_are_compared_by_kendalls_tau():
    found = gx.pool(FOUR)
    ranks = pd.DataFrame({name: -table.rank(axis=1, ascending=False).mean() for name, table in FOUR.items()})
    pd.testing.assert_frame_equal(found.means, ranks.loc[found.means.index], check_names=False)
    for row in found.orders.itertuples():
        assert row.tau == pytest.approx(kendalltau(ranks[row.first], ranks[row.second]).statistic)
        assert row.low <= row.tau <= row.high


def test_an_order_that_is_reversed_is_said_and_two_benchmarks_say_nothing_of_the_next():
    one, other = benchmark(0, 100), benchmark(1, 100, means=(0.0, 0.3, 0.6))
    found = gx.pool({"one": one, "other": other})
    assert found.orders.loc[0, ["tau", "reversed"]].tolist() == [-1, 3]
    assert found.contrasts[["low", "high", "p", "next_low", "next_high"]].isna().all(axis=None)
    assert "nothing is said of the next one" in str(found) and "3 pairs told apart" in str(found)
    assert len(str(gx.pool(FOUR)).splitlines()) <= 10


def test_studies_know_which_way_is_better_and_what_is_not_shared_is_left_out():
    def study(table, **options):
        long = table.melt(ignore_index=False, var_name="model", value_name="value").reset_index(names="task")
        return gx.Study(long, alternatives="model", target="value", generalize_over="task", **options)

    more = FOUR["bench 3"].assign(**{"*dog*": 0.5})
    more.loc[0, "ant"] = np.nan
    tables = [study(FOUR["bench 1"], higher_is_better=True), study(-FOUR["bench 2"], higher_is_better=False), more]
    found = gx.pool(tables)
    same = gx.pool([FOUR["bench 1"], FOUR["bench 2"], FOUR["bench 3"].drop(index=0)])
    pd.testing.assert_frame_equal(found.contrasts, same.contrasts)
    assert "not all benchmarks have them: *dog*." in str(found) and r"\*dog\*" in found._repr_markdown_()
    assert "Left out of benchmark 3: 1 of 24 incomplete experiments." in str(found)


def test_the_order_of_alternatives_does_not_decide():
    turned = {name: table[["cat", "ant", "bee"]] for name, table in FOUR.items()}
    pd.testing.assert_frame_equal(gx.pool(turned).contrasts, gx.pool(FOUR).contrasts)


@pytest.mark.parametrize(
    ("benchmarks", "words"),
    [
        ([FOUR["bench 1"]], "two or more are pooled, got 1"),
        ([FOUR["bench 1"], FOUR["bench 2"].add_prefix("x ")], "fewer than two alternatives are in all of"),
        ([FOUR["bench 1"], FOUR["bench 2"].head(3)], "benchmark 2: 3 experiments with all of ant, bee and cat"),
    ],
)
def test_what_cannot_be_pooled_is_an_error(benchmarks, words):
    with pytest.raises(StudyError, match=words):
        gx.pool(benchmarks)
