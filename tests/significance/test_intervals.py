"""Intervals of means: against scipy on the same resamples, and as differences to an alternative that scores 0."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import genexpy_nb.significance.intervals as intervals
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.significance import compare_pairs
from genexpy_nb.significance.intervals import mean_intervals, standardized_ends

ENDS = ["estimate", "low", "high"]


def skewed(seed, n, k):
    """Skewed scores, so that bias and acceleration matter; binary fractions, so that ties with the mean are exact."""
    values = np.exp(np.random.default_rng(seed).normal(size=(n, k)))
    return pd.DataFrame(np.rint(values * 1024) / 1024, columns=[f"m{i}" for i in range(k)])


def by_size(values):
    """The order in which values are resampled: by their distance from the mean, the longer tail last."""
    deviations = np.asarray(values, dtype=float) - np.mean(values)
    longer = -1 if np.sum(deviations**3) < -1e-9 * np.abs(deviations).max() ** 3 else 1
    keys = [(round(abs(d) / np.abs(deviations).max(), 9), longer * np.sign(d)) for d in deviations]
    return np.asarray(values)[sorted(range(len(keys)), key=keys.__getitem__)]


@pytest.mark.parametrize(("seed", "n", "confidence"), [(0, 32, 0.95), (1, 8, 0.9), (2, 128, 0.99)])
def test_intervals_of_means_agree_with_scipy_on_the_same_resamples(seed, n, confidence):
    scores = skewed(seed, n, 4)
    ours = mean_intervals(scores, interval="bca", n_resamples=2000, confidence=confidence, rng=seed)
    draws = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=2000)
    assert list(ours.index) == list(scores.columns)
    assert (ours["n_conditions"] == n).all()
    for name, row in ours.iterrows():
        theirs = stats.bootstrap(
            (scores[name].to_numpy(),),
            np.mean,
            n_resamples=0,
            bootstrap_result=SimpleNamespace(bootstrap_distribution=draws @ by_size(scores[name]) / n),
            confidence_level=confidence,
            method="BCa",
        ).confidence_interval
        assert row["estimate"] == pytest.approx(scores[name].mean(), rel=1e-12)
        assert_allclose([row["low"], row["high"]], theirs, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("seed", "n", "scale"), [(0, 32, 1.0), (1, 12, 0.01)])
def test_intervals_of_standardized_means_agree_with_scipy_on_the_same_resamples(seed, n, scale):
    differences = scale * (skewed(seed, n, 3) - 1.0).to_numpy().T
    low, high = standardized_ends(differences, 2000, 0.9, seed)
    draws = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=2000)

    def effect(values, axis=-1):
        return np.mean(values, axis=axis) / np.std(values, axis=axis, ddof=1)

    for values, *ends in zip(differences, low, high, strict=True):
        again = [effect(np.repeat(by_size(values), counts)) for counts in draws]
        theirs = stats.bootstrap(
            (values,),
            effect,
            n_resamples=0,
            bootstrap_result=SimpleNamespace(bootstrap_distribution=np.array(again)),
            confidence_level=0.9,
            method="BCa",
        ).confidence_interval
        assert_allclose(ends, theirs, rtol=1e-6)


@pytest.mark.parametrize("seed", range(8))
def test_a_mean_is_a_mean_difference_to_an_alternative_that_scores_zero(seed):
    rng = np.random.default_rng(seed)
    n, k = rng.integers(2, 40), rng.integers(2, 7)
    values = rng.normal(size=(n, k)) if seed % 2 else rng.integers(0, 5, (n, k)) / 10
    scores = pd.DataFrame(values, columns=list("abcdef")[:k])
    against = compare_pairs(scores.assign(zero=0.0), n_resamples=500, rng=seed, higher_is_better=True)
    against = against[against["b"] == "zero"].set_index("a")
    ours = mean_intervals(scores, n_resamples=500, rng=seed)
    pd.testing.assert_frame_equal(ours[ENDS], against[ENDS], rtol=1e-12, atol=1e-14, check_names=False)


def bca_of_sums(scores, counts, confidence):
    """The interval of a sum of integers by its textbook formula; integers have no rounding."""
    sums, centred = np.sort(counts @ scores), scores - scores.mean()
    z0 = stats.norm.ppf((np.mean(sums < scores.sum()) + np.mean(sums <= scores.sum())) / 2)
    a = np.sum(centred**3) / (6 * np.sum(centred**2) ** 1.5)
    z = z0 + stats.norm.ppf([(1 - confidence) / 2, (1 + confidence) / 2])
    return np.quantile(sums, stats.norm.cdf(z0 + z / (1 - a * z)))


def test_resampled_means_on_the_observed_one_are_counted_exactly():
    """With scores in tenths, rounding would put ties on either side; sums of integers cannot."""
    integers = np.random.default_rng(3).integers(0, 4, (10, 4))
    ours = mean_intervals(integers / 10, interval="bca", confidence=0.9, rng=7)
    counts = np.random.default_rng(7).multinomial(10, np.full(10, 0.1), size=10_000)
    for name, row in ours.iterrows():
        expected = bca_of_sums(by_size(integers[:, name]), counts, 0.9) / 100
        assert_allclose([row["low"], row["high"]], expected, atol=1e-12)


def test_beyond_the_pole_of_the_correction_the_interval_ends_with_the_resamples():
    """One outlier makes the acceleration 1 / 6, so the formula has a pole six standard deviations up."""
    scores = np.array([[0.0, 0.0]] * 59 + [[1.0, -1.0]])
    means = np.random.default_rng(1).multinomial(60, np.full(60, 1 / 60), size=999)[:, -1] / 60
    ours = mean_intervals(scores, interval="bca", n_resamples=999, confidence=1 - 1e-10, rng=1)
    assert ours["high"].tolist() == pytest.approx([means.max(), 0], abs=1e-12)
    assert ours["low"].tolist() == pytest.approx([0, -means.max()], abs=1e-12)


def test_an_interval_of_resamples_on_one_side_ends_with_the_nearest_one():
    scores = skewed(1, 9, 2).to_numpy()
    sides = set()
    for seed in range(12):
        ours = mean_intervals(scores, interval="bca", n_resamples=2, rng=seed)
        ordered = np.column_stack([by_size(column) for column in scores.T])
        means = np.random.default_rng(seed).multinomial(9, np.full(9, 1 / 9), size=2) @ ordered / 9
        for name, row in ours.iterrows():
            side = np.sign(means[:, name] - row["estimate"])
            if side[0] == side[1]:
                nearest = means[np.abs(means[:, name] - row["estimate"]).argmin(), name]
                assert_allclose([row["low"], row["high"]], nearest, rtol=1e-12)
                sides.add(side[0])
    assert sides == {-1, 1}


def test_a_constant_score_has_a_point_interval_and_a_note():
    varies = [0.1, 0.4, 0.2]
    scores = pd.DataFrame({"varies": varies, "tenth": 0.1, "sum": 0.1 + 0.2, "nothing": 0.0})
    ours = mean_intervals(scores, n_resamples=50)
    assert ours["note"].tolist() == ["", "constant", "constant", "constant"]
    for name, score in (("tenth", 0.1), ("sum", 0.3), ("nothing", 0.0)):
        assert (ours.loc[name, ENDS] == score).all()
    assert ours.loc["varies", "low"] < ours.loc["varies", "high"]


def test_intervals_do_not_depend_on_the_chunks_and_repeat_with_their_seed(monkeypatch):
    scores = skewed(4, 11, 5)
    ours = mean_intervals(scores, n_resamples=3000, rng=3)
    assert mean_intervals(scores, n_resamples=3000, rng=np.random.default_rng(3)).equals(ours)
    assert not mean_intervals(scores, n_resamples=3000, rng=4)["low"].equals(ours["low"])
    monkeypatch.setattr(intervals, "_CHUNK", 10_000)
    pd.testing.assert_frame_equal(mean_intervals(scores, n_resamples=3000, rng=3), ours)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_resamples": 0}, "n_resamples must be a whole number of at least 1, got 0"),
        ({"n_resamples": 10.0}, "n_resamples must be a whole number"),
        ({"confidence": 95}, r"confidence must be a number in \(0, 1\), got 95"),
        ({"interval": "bcaa"}, "interval must be one of 'auto', 't', 'studentized'"),
    ],
)
def test_parameters_out_of_range_are_refused(parameters, message):
    for function in (mean_intervals, partial(compare_pairs, higher_is_better=True)):
        with pytest.raises(ParameterError, match=message):
            function([[1, 2], [3, 5], [2, 2]], **parameters)


# --- the other intervals ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("confidence", [0.8, 0.99])
def test_students_interval_is_scipys(confidence):
    scores = skewed(2, 7, 4)
    ours = mean_intervals(scores, interval="t", confidence=confidence)
    for name, row in ours.iterrows():
        theirs = stats.ttest_1samp(scores[name], 0).confidence_interval(confidence)
        assert_allclose([row["low"], row["high"]], theirs, rtol=1e-11)
    pairs = compare_pairs(scores, higher_is_better=True, interval="t", confidence=confidence)
    for _, row in pairs.iterrows():
        theirs = stats.ttest_rel(scores[row["a"]], scores[row["b"]]).confidence_interval(confidence)
        assert_allclose([row["low"], row["high"]], theirs, rtol=1e-9)


def test_the_percentile_interval_is_a_quantile_of_the_resampled_means():
    scores = skewed(3, 15, 3)
    ours = mean_intervals(scores, interval="percentile", n_resamples=1000, rng=4, confidence=0.9)
    draws = np.random.default_rng(4).multinomial(15, np.full(15, 1 / 15), size=1000)
    for name, row in ours.iterrows():
        assert_allclose([row["low"], row["high"]], np.quantile(draws @ by_size(scores[name]) / 15, [0.05, 0.95]))


def test_the_studentized_interval_is_symmetric_and_has_the_resampled_quantile_of_t():
    scores = skewed(5, 15, 3)
    ours = mean_intervals(scores, interval="studentized", n_resamples=999, rng=4, confidence=0.9)
    draws = np.random.default_rng(4).multinomial(15, np.full(15, 1 / 15), size=999)
    for name, row in ours.iterrows():
        ordered, t = by_size(scores[name]), []
        for counts in draws:
            resample = np.repeat(ordered, counts)
            t.append(abs(resample.mean() - ordered.mean()) / (resample.std(ddof=1) / np.sqrt(15)))
        half = np.sort(t)[899] * ordered.std(ddof=1) / np.sqrt(15)  # 900 = .9 times 999 + 1
        assert_allclose([row["low"], row["high"]], ordered.mean() + np.array([-half, half]), rtol=1e-9)


def test_without_ends_the_studentized_interval_is_students_and_says_so():
    scores = pd.DataFrame({"mostly equal": [0.5] * 9 + [0.7], "varies": np.arange(10) / 10, "equal": 0.5})
    ours = mean_intervals(scores, interval="studentized", n_resamples=999)
    assert ours["note"].tolist() == ["t interval", "", "constant"]
    assert np.isfinite(ours[ENDS]).all(axis=None)
    students = mean_intervals(scores, interval="t")
    assert ours.loc["mostly equal", ENDS].tolist() == students.loc["mostly equal", ENDS].tolist()
    assert ours.loc["varies", "high"] != students.loc["varies", "high"]
    pairs = compare_pairs(scores, higher_is_better=True, n_resamples=999)
    assert pairs["note"].tolist() == ["", "t interval", ""]
