"""What is said of trials: tests and intervals against libraries, orders and wins against counting by hand."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_up_trials import made_up
from scipy import stats
from statsmodels.stats.multitest import multipletests

from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.protocol import compare, instability, nadeau_bengio, paper_tables


@given(
    st.lists(st.floats(-1, 1), min_size=2, max_size=12).filter(lambda d: np.ptp(d) > 1e-6),
    st.floats(0, 0.9),
)
def test_corrected_test_is_the_posterior_of_the_correlated_t_test(differences, share):
    # Corani and Benavoli (2015): the posterior of the mean is Student's t, its tail mass one-sided p of the test.
    d = np.array(differences)
    n = len(d)
    posterior = stats.t(n - 1, loc=d.mean(), scale=np.sqrt(d.var(ddof=1) * (1 / n + share / (1 - share))))
    test = nadeau_bengio(d, share)
    assert test.p == pytest.approx(2 * min(posterior.cdf(0), posterior.sf(0)), abs=1e-9)
    np.testing.assert_allclose([test.low, test.high], posterior.interval(0.95), rtol=1e-7, atol=1e-9)
    plain = stats.ttest_1samp(d, 0)
    assert nadeau_bengio(d, 0.0).p == pytest.approx(plain.pvalue, abs=1e-9)
    assert test.p >= plain.pvalue - 1e-9


def test_corrected_test_without_variance_or_data():
    none = nadeau_bengio([0.0, 0.0, 0.0], 0.2)
    assert (none.p, none.statistic, none.low, none.high) == (1.0, 0.0, 0.0, 0.0)
    same = nadeau_bengio([0.9 - 0.8, 0.3 - 0.2, 0.1], 0.2)
    assert same.p == 0
    assert same.statistic == np.inf
    assert "no variance" in same.note
    with pytest.raises(ParameterError, match="a single fold says nothing"):
        nadeau_bengio([0.1], 0.2)
    with pytest.raises(ParameterError, match="got nan at position 1"):
        nadeau_bengio([0.1, np.nan], 0.2)
    with pytest.raises(ParameterError, match=r"test_share must be a number in \[0, 1\), got 1.0"):
        nadeau_bengio([0.1, 0.2], 1.0)


def test_estimates_and_tests_against_scipy_and_the_definition():
    rng = np.random.default_rng(3)
    scores = 0.8 + 0.02 * np.arange(3)[:, None, None, None] + rng.normal(0, 0.03, size=(3, 5, 2, 5))
    trials = made_up(scores)
    result = compare(trials, n_resamples=40_000)
    folds = scores.mean(axis=1).reshape(3, 10)
    for row in result.estimates.itertuples():
        own = folds[int(row.model[1])]
        assert row.estimate == pytest.approx(own.mean())
        assert row.sd == pytest.approx(own.std(ddof=1))
        exact = stats.bootstrap((own,), np.mean, n_resamples=40_000, method="BCa", rng=1).confidence_interval
        assert (row.low, row.high) == pytest.approx(tuple(exact), abs=4e-4)
    assert result.estimates["estimate"].is_monotonic_decreasing
    pairs = result.pairs.set_index(["a", "b"])
    raw = []
    for a, b in combinations(range(3), 2):
        d = folds[a] - folds[b]
        row = pairs.loc[(f"m{a}", f"m{b}")]
        assert row["p"] == pytest.approx(stats.wilcoxon(d, method="exact").pvalue)
        raw.append(2 * stats.t.sf(abs(d.mean()) / np.sqrt(d.var(ddof=1) * (1 / 10 + 0.25)), 9))
        assert row["p_corrected"] == pytest.approx(raw[-1])
        assert row["d_z"] == pytest.approx(d.mean() / d.std(ddof=1))
        brute = [
            np.sign(scores[a, s, r, f] - scores[b, s, r, f]) != np.sign(scores[a].mean() - scores[b].mean())
            for s in range(5)
            for r in range(2)
            for f in range(5)
        ]
        assert row["instability"] == pytest.approx(np.mean(brute))
        by_seed = np.sign(scores[a].mean(axis=(1, 2)) - scores[b].mean(axis=(1, 2)))
        assert row["instability_protocol"] == np.mean(by_seed != np.sign(d.mean()))
    np.testing.assert_allclose(result.pairs["p_corrected_adjusted"], multipletests(raw, method="holm")[1])


def test_instability_of_units_and_ties():
    scores = np.array([[[[1.0, 0.0, 0.5, 1.0]]], [[[0.3, 0.1 + 0.2, 0.5, 0.3]]]])  # + - = +
    table = instability(made_up(scores)).set_index("unit")
    assert table.loc["one trial", ["instability", "n_units"]].to_list() == [0.5, 4]
    assert table.loc["one seed, all folds", "instability"] == 0


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_instability_does_not_depend_on_the_order_of_models_or_on_scale(seed):
    scores = np.random.default_rng(seed).normal(size=(2, 3, 2, 4)).round(1)
    once = instability(made_up(scores))["instability"]
    np.testing.assert_array_equal(instability(made_up(scores[::-1]))["instability"], once)
    np.testing.assert_array_equal(instability(made_up(8 * scores - 3))["instability"], once)


def test_declared_wins_against_separate_t_tests():
    rng = np.random.default_rng(5)
    scores = (rng.normal(size=(3, 2, 2, 5)) / 10 + 0.1 * np.arange(3)[:, None, None, None]).round(2)
    trials = made_up(scores)
    result = compare(trials, n_resamples=100)
    wins = result.settings.set_index("setting")["wins"]
    pairs = list(combinations(range(3), 2))
    higher = sum((scores[a] != scores[b]).sum() for a, b in pairs) / (2 * 2 * 5)
    assert wins["one trial, the higher score wins"] == pytest.approx(higher)
    tested = [
        stats.ttest_rel(scores[a, s, r], scores[b, s, r]).pvalue <= 0.05
        for s in range(2)
        for r in range(2)
        for a, b in pairs
    ]
    assert wins["one seed, k folds, paired t, unadjusted"] == pytest.approx(sum(tested) / 4)
    assert wins["protocol: Wilcoxon over folds, Holm"] == (result.pairs["winner"] != "").sum()
    assert (result.pairs["winner"] == "").equals(result.pairs["p_adjusted"] > 0.05)


def test_identical_models_and_constant_differences_have_clear_results():
    base = np.random.default_rng(0).integers(80, 95, size=(1, 2, 2, 5)) / 100
    result = compare(made_up(np.concatenate([base, base, base - 0.1])), n_resamples=500)
    same = result.pairs.iloc[0]
    assert same[["estimate", "low", "high", "d_z", "instability"]].tolist() == [0, 0, 0, 0, 0]
    assert same[["p_adjusted", "p_corrected_adjusted"]].tolist() == [1, 1]
    assert same["winner"] == same["winner_corrected"] == ""
    constant = result.pairs.iloc[1]
    assert constant[["estimate", "low", "high"]].tolist() == pytest.approx([0.1] * 3)
    assert constant["d_z"] == np.inf
    assert constant["winner"] == constant["winner_corrected"] == "m0"
    assert "m0 against m1: identical." in result.notes
    assert "m0 against m2: constant difference." in result.notes
    numbers = pd.concat([result.pairs, result.estimates]).select_dtypes("number")
    assert not result.pairs.select_dtypes("number").isna().any().any()
    assert len(numbers) == 6
    constant_model = compare(made_up(np.concatenate([base, np.full_like(base, 0.5)])), n_resamples=500)
    row = constant_model.estimates.set_index("model").loc["m1"]
    assert (row["low"], row["high"], row["sd"]) == (0.5, 0.5, 0)
    for table in paper_tables(result).values():
        assert not table.astype(str).apply(lambda column: column.str.contains("nan")).any().any()


def test_too_little_to_compare():
    with pytest.raises(StudyError, match="at least two complete folds are needed, there are 1"):
        compare(made_up(np.full((2, 1, 1, 1), 0.5)))
    with pytest.raises(ParameterError, match="a single model, 'm0'"):
        compare(made_up(np.full((1, 1, 1, 5), 0.5)))
    with pytest.raises(ParameterError, match="level must be a number in"):
        compare(made_up(np.full((2, 1, 1, 5), 0.5)), level=1.5)
    with pytest.raises(ParameterError, match="failures must be one of"):
        compare(made_up(np.full((2, 1, 1, 5), 0.5)), failures="drp")
