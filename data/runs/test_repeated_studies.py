"""Studies repeated where the truth is known: against theory and plain loops; and what notebook 08 shows."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from genexpy_nb.chapters.causal import EIGHT, load_text_population, text_task
from genexpy_nb.chapters.shared import made
from runs import repeated_studies as sim


@pytest.mark.parametrize("design", ["paired", "independent"])
def test_coverage_against_a_plain_loop(design):
    rng = np.random.default_rng(41)
    a, b = rng.exponential(size=(20, 3)) + 0.3, rng.exponential(size=(20, 3))
    truth = a.mean() - b.mean()
    means, widths, held = [], [], []
    for drawn in np.random.default_rng(7).integers(a.size, size=(600, 6)):
        if design == "paired":
            d = (a - b).ravel()[drawn]
            mean, interval = d.mean(), stats.ttest_1samp(d, 0).confidence_interval(0.8)
        else:
            x, y = a.ravel()[drawn[:3]], b.ravel()[drawn[3:]]
            mean, interval = x.mean() - y.mean(), stats.ttest_ind(x, y, equal_var=False).confidence_interval(0.8)
        means.append(mean)
        widths.append(interval.high - interval.low)
        held.append(interval.low <= truth <= interval.high)
    row = sim.coverage(a, b, [6], design, confidence=0.8, n_studies=600, rng=7).iloc[0]
    means, share = np.array(means), np.mean(held)
    expected = {
        "n_systems": 6,
        "coverage": share,
        "coverage_se": np.sqrt(share * (1 - share) / 600),
        "width": np.mean(widths),
        "wrong_sign": np.mean(means * truth <= 0),
        "n_runs": 12 if design == "paired" else 6,
    }
    np.testing.assert_allclose(row[list(expected)], list(expected.values()), rtol=1e-9)


def test_coverage_of_losses_that_do_not_vary():
    equal = np.full((4, 2), 0.3)
    for design in ("paired", "independent"):
        row = sim.coverage(equal + 0.1, equal, [4], design, n_studies=20).iloc[0]
        assert row["coverage"] == 1 and row["width"] == pytest.approx(0, abs=1e-12) and row["wrong_sign"] == 0
        none = sim.coverage(equal, equal, [4], design, n_studies=20).iloc[0]
        assert none["wrong_sign"] == 1 and none["coverage"] == 1  # no estimate has the sign of nothing


def test_ties_have_no_sign():
    """Effects of 0.1 + 0.2 - 0.3, and of nothing: both are 0, though one is 5e-17."""
    a, b = np.array([[0.1 + 0.2], [0.5]]), np.array([[0.3], [0.5]])
    b[1] = 0.5 - 1.0
    row = sim.coverage(a, b, [2], n_studies=4000).iloc[0]  # truth 0.5; both systems are the first one in 1 of 4
    assert row["wrong_sign"] == pytest.approx(0.25, abs=0.03)


def test_tuned_or_many_draw_by_draw():
    rng = np.random.default_rng(42)
    a, b, va, vb = rng.normal(size=(4, 7, 3)).round(1)
    generator = np.random.default_rng(5)
    systems, one = generator.integers(7, size=(300, 4)), generator.integers(3, size=300)
    own = generator.integers(3, size=(300, 4))
    tuned, many = [], []
    for k, c, cs in zip(systems, one, own, strict=True):
        best_a, best_b = min(k, key=lambda s: va[s, c]), min(k, key=lambda s: vb[s, c])  # the first of equals
        tuned.append(a[best_a, c] - b[best_b, c])
        many.append(np.mean([a[s, i] - b[s, i] for s, i in zip(k, cs, strict=True)]))
    average = a.mean() - b.mean()
    table = sim.tuned_or_many(a, b, va, vb, [4], n_studies=300, rng=5).set_index("plan")
    for plan, got, truth in (("tuned", tuned, np.mean(tuned)), ("untuned", many, average)):
        expected = {"n_systems": 4, "truth": truth, "sd": np.std(got, ddof=1)}
        np.testing.assert_allclose(table.loc[plan, list(expected)].astype(float), list(expected.values()))


def test_the_shifted_bootstrap_draw_by_draw():
    """The p-value as the paper has it: shifted to zero, and counted; on documents that only one system gets wrong."""
    rng = np.random.default_rng(50)
    d = rng.choice([-1.0, 0.0, 1.0], p=[0.1, 0.7, 0.2], size=(7, 30))
    outcomes = sim.shifted_bootstrap({"x": d}, level=0.2, n_resamples=300, rng=4)
    drawn = np.random.default_rng(4).multinomial(30, np.full(30, 1 / 30), size=300)
    for row, outcome in zip(d, outcomes.itertuples(), strict=True):
        resampled = np.array([np.repeat(row, counts).mean() for counts in drawn])
        shifted, measured, effect = resampled - row.mean(), row.mean(), d.mean()
        assert outcome.p == np.mean(np.abs(shifted) >= abs(measured) - 1e-12)
        assert outcome.false_positive == (np.mean(np.abs(shifted) >= abs(measured - effect) - 1e-12) < 0.2)
        low, high = np.quantile(resampled, [0.1, 0.9])
        assert outcome.interval_misses == (not low - 1e-12 <= effect <= high + 1e-12)
        found = outcome.p < 0.2 and measured * effect > 0
        assert outcome.missed == (not found) and outcome.wrong_sign == (outcome.p < 0.2 and measured * effect < 0)
    assert outcomes["difference"].tolist() == pytest.approx(d.mean(axis=1)) and (outcomes["effect"] == d.mean()).all()


def test_error_rates_by_hand():
    rng = np.random.default_rng(52)
    d = rng.normal(size=(40, 20))
    outcomes = sim.shifted_bootstrap({"x": d, "y": d + 0.8}, n_resamples=200)
    one = sim.error_rates(outcomes, ["pair"]).set_index(["pair", "error"])
    assert one["n_compositions"].eq(40).all() and one["n_pairs"].eq(1).all()
    k = outcomes.loc[outcomes["pair"] == "x", "false_positive"].sum()
    ci = stats.binomtest(int(k), 40).proportion_ci(0.95)
    np.testing.assert_allclose(
        one.loc[("x", "false_positive"), ["estimate", "low", "high"]].astype(float), [k / 40, *ci]
    )
    both = sim.error_rates(outcomes, confidence=0.9).set_index("error").loc["missed"]
    shares = outcomes.groupby("composition")["missed"].mean()
    low, high = stats.ttest_1samp(shares, 0).confidence_interval(0.9)
    assert both["n_pairs"] == 2 and 0 < both["estimate"] < 1
    np.testing.assert_allclose(both[["estimate", "low", "high"]].astype(float), [shares.mean(), low, high])


def test_differences_of_two_systems_document_by_document():
    mistakes = {"x": np.array([[1.0, 0.0]]), "y": np.array([[0.0, 0.0]]), "z": np.array([[1.0, 1.0]])}
    found = sim.differences(mistakes)
    assert {name: d.tolist() for name, d in found.items()} == {
        "x / y": [[1.0, 0.0]],
        "x / z": [[0.0, -1.0]],
        "y / z": [[-1.0, -1.0]],
    }


# --- what notebook 08 shows -------------------------------------------------------------------------------------------


def the_same(recorded, again):
    pd.testing.assert_frame_equal(recorded.reset_index(drop=True), again, check_dtype=False, rtol=1e-12)


def test_recorded_samples_and_spending_are_what_the_simulations_give():
    the_same(made("simulated_samples"), sim.make_samples())
    the_same(made("simulated_spending"), sim.make_spending())


@pytest.mark.slow  # two systems are trained a hundred times; tests/chapters/test_text.py trains a few again
def test_recorded_tests_of_a_pair_are_what_its_trainings_give():
    """One pair of 28; other versions of the packages hold other docstrings."""
    pytest.importorskip("xarray")
    task = text_task()
    if task.sha256 != load_text_population().attrs["about"]["corpus_sha256"]:
        pytest.skip("other versions of the packages are installed than those of the table")
    both = {name: EIGHT[name] for name in ("multinomial tf-idf", "multinomial counts")}
    (pair,) = documents = sim.documents_of(task, both)
    again = sim.rates_of_tests(documents)
    recorded = made("simulated_tests")
    the_same(recorded[recorded["pair"] == pair], again[again["pair"] == pair])
    assert recorded.groupby("error").size().eq(29).all() and set(recorded["n_compositions"]) == {sim.N_SPLITS}


def test_the_notebook_says_of_the_tables_what_is_so():
    samples = made("simulated_samples")
    assert ((samples["coverage"] - 0.95).abs() < 4 * samples["coverage_se"] + 0.001).all()
    each = made("simulated_tests").set_index(["pair", "error"])["estimate"].unstack()
    pd.testing.assert_series_equal(each.drop("all").mean(), each.loc["all"], check_names=False)
