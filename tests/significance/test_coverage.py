"""What is recorded of intervals, re-measured by other programs on fresh seeds, and the choice that follows from it."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from genexpy_nb.significance import compare_pairs, interval_advice
from genexpy_nb.significance.coverage import (
    INTERVALS,
    NAMES,
    TWO_VALUES,
    chosen_interval,
    coverage_note,
    measured_coverage,
)
from genexpy_nb.significance.intervals import mean_intervals

SIZES = [3, 5, 10, 20, 50, 100]


def recorded(world, n, interval):
    coverage = measured_coverage()
    rows = coverage[(coverage["world"] == world) & (coverage["n_conditions"] == n) & (coverage["interval"] == interval)]
    assert len(rows) == 1
    return rows.iloc[0]


def agrees(cell, n_covered, n_studies):
    """Whether two shares, each with its Monte-Carlo error, can be of one probability (four standard errors)."""
    both = (cell["estimate"] * cell["n_studies"] + n_covered) / (cell["n_studies"] + n_studies)
    error = np.sqrt(both * (1 - both) * (1 / cell["n_studies"] + 1 / n_studies))
    return abs(cell["estimate"] - n_covered / n_studies) <= 4 * error


def test_every_cell_is_recorded_once_with_its_seed():
    coverage = measured_coverage()
    assert set(coverage["world"]) > set(TWO_VALUES)
    assert set(coverage.loc[coverage["two_values"], "world"]) == set(TWO_VALUES)
    assert not coverage.duplicated(["world", "n_conditions", "interval"]).any()
    for world, cells in coverage.groupby("world"):
        assert sorted(cells["n_conditions"].unique()) == SIZES
        assert set(cells["interval"]) == set(NAMES), world
        assert len(cells) == len(SIZES) * len(NAMES)
    assert set(NAMES) == set(INTERVALS) - {"auto"}
    assert (coverage["n_studies"] >= 2000).all()
    assert coverage["seed"].nunique() == 1
    for _, row in coverage.sample(5, random_state=0).iterrows():
        covered = round(row["estimate"] * row["n_studies"])
        wilson = stats.binomtest(covered, row["n_studies"]).proportion_ci(method="wilson")
        assert (row["low"], row["high"]) == pytest.approx((wilson.low, wilson.high))


@pytest.mark.parametrize(("world", "n"), [("normal", 5), ("skewed", 10), ("uniform", 20)])
def test_students_cells_are_those_of_scipy(world, n):
    rng, n_studies = np.random.default_rng(2024), 4000
    draw, truth = {"normal": (rng.normal, 0.0), "skewed": (rng.exponential, 1.0), "uniform": (rng.uniform, 0.5)}[world]
    p = stats.ttest_1samp(draw(size=(n_studies, n)), truth, axis=1).pvalue
    assert agrees(recorded(world, n, "t"), int((p > 0.05).sum()), n_studies)


@pytest.mark.parametrize(("name", "theirs"), [("bca", "BCa"), ("percentile", "percentile")])
def test_a_cell_of_the_bootstrap_is_that_of_scipy(name, theirs):
    rng, n_studies = np.random.default_rng(77), 1000
    scores = rng.exponential(size=(n_studies, 10))
    ends = stats.bootstrap((scores,), np.mean, axis=1, n_resamples=999, method=theirs, rng=rng).confidence_interval
    covered = int(((ends.low <= 1) & (ends.high >= 1)).sum())
    assert agrees(recorded("skewed", 10, name), covered, n_studies)


def test_the_choice_is_never_worse_than_bca_and_what_is_said_of_it_holds():
    advice = interval_advice()
    for _, row in advice.iterrows():
        if row["of"].endswith("of two values") and row["n_conditions"] >= 20:
            assert min(row["percentile"], row["bca"]) >= row[row["auto"]] >= 0.92
            continue
        assert row[row["auto"]] >= row["bca"]
        if row["of"] == "means, mean differences":
            assert row["studentized"] == row[["t", "studentized", "percentile", "bca"]].max()
    two_values = advice[advice["of"].str.endswith("of two values")].set_index("n_conditions")
    assert len(two_values) == len(SIZES) == len(advice) - len(SIZES)
    assert two_values.loc[3, "t"] < 0.5
    # Why it is Student's interval at 5 conditions.
    coverage = measured_coverage()
    at_five = coverage[(coverage["interval"] == "studentized") & (coverage["n_conditions"] == 5)].set_index("world")
    many_equal = ["grades", "accuracies of ten items", "differences over ten items", *TWO_VALUES]
    wider = at_five.drop(many_equal)["width"]  # with grades it is mostly Student's own
    assert (round(wider.min(), 1), round(wider.max(), 1)) == (1.4, 2.4)
    differences = ("differences of accuracies", 5)
    assert recorded(*differences, "studentized")["estimate"] > 0.97
    assert recorded(*differences, "t")["low"] < 0.95 < recorded(*differences, "t")["high"]


def test_auto_follows_the_advice():
    rng = np.random.default_rng(0)
    for _, row in interval_advice().iterrows():
        scores = rng.uniform(size=(row["n_conditions"], 3))
        if row["of"].endswith("of two values"):
            scores = (scores < 0.7).astype(float)
        means = mean_intervals(scores, n_resamples=99)
        assert means.attrs["interval"] == row["auto"]
        pd.testing.assert_frame_equal(means, mean_intervals(scores, n_resamples=99, interval=row["auto"]))
        pairs = compare_pairs(scores, higher_is_better=True, n_resamples=99)
        assert pairs.attrs["interval"] == row["auto"]
    assert [chosen_interval("auto", n) for n in (2, 9, 10, 1000)] == ["t", "t", "studentized", "studentized"]


@pytest.mark.parametrize("interval", [name for name in INTERVALS if name != "auto"])
def test_a_note_says_what_was_measured_below_twenty_conditions(interval):
    coverage = measured_coverage()
    scores = np.random.default_rng(1).uniform(size=(20, 2))
    for n, measured in ((2, 3), (4, 3), (5, 5), (12, 10), (19, 10)):
        alike = (coverage["interval"] == interval) & (coverage["n_conditions"] == measured)
        cells = coverage[alike & ~coverage["two_values"]]["estimate"]
        (note,) = mean_intervals(scores[:n], interval=interval, n_resamples=99).attrs["notes"]
        assert note.startswith(f"{NAMES[interval]} intervals of {n} conditions are rough: with {measured}, ")
        assert f" {100 * cells.min():.0f} to {100 * cells.max():.0f} % of simulated studies" in note
    assert mean_intervals(scores, interval=interval, n_resamples=99).attrs["notes"] == []
    assert "(here 0.9 is asked for)" in coverage_note(interval, 10, 0.9)[0]
    # scores of two values, in any unit, have a note of their own
    cells = coverage[(coverage["interval"] == interval) & (coverage["n_conditions"] == 10) & coverage["two_values"]]
    for unit in (1, -100 / 3):
        answers = unit * (scores[:12] < 0.7)
        (note,) = mean_intervals(answers, interval=interval, n_resamples=99).attrs["notes"]
        assert f"{100 * cells['estimate'].max():.0f} % of simulated studies of scores of two values" in note
        pairs = compare_pairs(answers, higher_is_better=True, interval=interval, n_resamples=99)
        assert note in pairs.attrs["notes"]
