"""What is said of trials: tests and intervals against libraries, orders and wins against counting by hand."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from made_up_trials import made_up
from scipy import stats
from statsmodels.stats.multitest import multipletests

from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.protocol import Trials, compare, instability, nadeau_bengio
from genexpy_nb.protocol.analysis import UNITS


@given(
    st.lists(st.floats(-1, 1), min_size=2, max_size=12).filter(lambda d: np.ptp(d) > 1e-6),
    st.floats(0, 0.9),
    st.floats(0.5, 0.99),
)
def test_corrected_test_is_the_posterior_of_the_correlated_t_test(differences, share, confidence):
    # Corani and Benavoli (2015): the posterior of the mean is Student's t, its tail mass one-sided p of the test.
    d = np.array(differences)
    n = len(d)
    posterior = stats.t(n - 1, loc=d.mean(), scale=np.sqrt(d.var(ddof=1) * (1 / n + share / (1 - share))))
    test = nadeau_bengio(d, share, confidence)
    assert (test.df, test.note) == (n - 1, "")
    assert test.estimate == pytest.approx(d.mean(), abs=1e-15)
    assert test.p == pytest.approx(2 * min(posterior.cdf(0), posterior.sf(0)), abs=1e-9)
    np.testing.assert_allclose([test.low, test.high], posterior.interval(confidence), rtol=1e-7, atol=1e-9)
    plain = stats.ttest_1samp(d, 0)
    assert nadeau_bengio(d, 0.0).p == pytest.approx(plain.pvalue, abs=1e-9)
    assert test.p >= plain.pvalue - 1e-9


def test_corrected_test_without_variance_or_data():
    none = nadeau_bengio([0.0, 0.0, 0.0], 0.2)
    assert (none.p, none.statistic, none.low, none.high) == (1.0, 0.0, 0.0, 0.0)
    same = nadeau_bengio([0.9 - 0.8, 0.3 - 0.2, 0.1], 0.2)
    assert same.p == 1  # three folds are worth fewer than two independent differences
    assert nadeau_bengio([0.1] * 10, 0.2).p == 0.5 and nadeau_bengio([0.1] * 5, 0).p == 2 / 2**5
    assert same.statistic == np.inf
    assert "no variance" in same.note
    assert nadeau_bengio([-0.1, -0.1], 0.2).statistic == -np.inf
    with pytest.raises(ParameterError, match="a single fold says nothing"):
        nadeau_bengio([0.1], 0.2)
    with pytest.raises(ParameterError, match="got nan at position 1"):
        nadeau_bengio([0.1, np.nan], 0.2)
    with pytest.raises(ParameterError, match=r"test_share must be a number in \[0, 1\), got 1.0"):
        nadeau_bengio([0.1, 0.2], 1.0)


@pytest.mark.parametrize("unit", [1.0, 1e-9, -1e9])
def test_differences_are_equal_if_12_digits_are(unit):
    same = nadeau_bengio(unit * np.array([1.0, 1 + 0.9e-12, 1.0]), 0.2)
    assert (same.p, same.estimate, same.low, same.high) == (1, unit, unit, unit)
    other = nadeau_bengio(unit * np.array([1.0, 1 + 2e-12, 1.0]), 0.2)
    assert other.note == ""
    assert np.isfinite(other.statistic)
    assert abs(other.high - other.low) > 0


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
        assert (row.bca_low, row.bca_high) == pytest.approx(tuple(exact), abs=4e-4)
        corrected = stats.t(9, own.mean(), own.std(ddof=1) * np.sqrt(1 / 10 + 0.25)).interval(0.95)
        assert (row.low, row.high) == pytest.approx(corrected)
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


# --- orders, counted by hand ------------------------------------------------------------------------------------------

KEYS = {
    "one trial": lambda seed, repeat, fold: (seed, repeat, fold),
    "one seed, k folds": lambda seed, repeat, fold: (seed, repeat),
    "one seed, all folds": lambda seed, repeat, fold: seed,
}


def sign(value):
    return (value > 0) - (value < 0)


def counted_by_hand(trials):
    """The rows of `instability`, from whole numbers, which add up exactly, and without pandas."""
    scores = {tuple(row[:4]): row[4] for row in trials.scores.itertuples(index=False)}
    cells = sorted({cell[1:] for cell in scores})
    rows = []
    for unit, key in KEYS.items():
        for a, b in combinations(trials.models, 2):
            sums = {}
            for cell in cells:
                sums[key(*cell)] = sums.get(key(*cell), 0) + scores[a, *cell] - scores[b, *cell]
            overall = sign(sum(sums.values()))
            rows.append((unit, a, b, sum(sign(value) != overall for value in sums.values()) / len(sums), len(sums)))
    return rows


@given(arrays(int, (3, 2, 2, 3), elements=st.integers(0, 3)))
@settings(max_examples=60)
def test_instability_is_counted_unit_by_unit(scores):
    trials = made_up(scores)
    expected = counted_by_hand(trials)
    table = instability(trials)
    assert table[["unit", "a", "b", "n_units"]].to_numpy().tolist() == [[*row[:3], row[4]] for row in expected]
    np.testing.assert_allclose(table["instability"], [row[3] for row in expected], rtol=1e-12)


def test_units_are_three_different_things():
    # Two seeds, two repeats of three folds; m0 - m1 is +6 over all folds of a seed, and -1 over the folds of a repeat.
    differences = np.array([[[9, -1, -1], [-1, -1, 1]], [[1, -1, -1], [9, -1, -1]]])
    trials = made_up(np.stack([differences, np.zeros_like(differences)]))
    table = instability(trials).set_index("unit")
    assert list(table.index) == list(UNITS) == list(KEYS)
    assert table["n_units"].to_list() == [12, 4, 2]
    assert table["instability"].to_list() == pytest.approx([8 / 12, 2 / 4, 0])
    result = compare(trials, n_resamples=100)
    assert result.pairs[["instability", "instability_protocol"]].iloc[0].to_list() == pytest.approx([8 / 12, 0])
    assert result.settings["instability"].to_list() == pytest.approx([8 / 12, 2 / 4, 2 / 4, 0, 0])


@pytest.mark.parametrize("unit", [1.0, 1e-9, 1e9])
def test_scores_tie_if_12_digits_agree(unit):
    near, far = 1 + 0.5e-12, 1 + 5e-12  # of the first trial; the second one decides the order
    for first, share in ((near, 0.5), (far, 0.0)):
        table = instability(made_up(unit * np.array([[[[first, 2.0]]], [[[1.0, 1.0]]]])))
        assert table.loc[0, "instability"] == share


def test_means_that_cancel_are_ties():
    # 0.1 + 0.2 - 0.3 is 5.6e-17: another mean than that of zeros only to a computer.
    table = instability(made_up([[[[0.1, 0.2, -0.3]], [[1.0, 1.0, 1.0]]], [[[0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0]]]]))
    assert table.set_index("unit").loc["one seed, all folds", "instability"] == 0.5


# --- winners ----------------------------------------------------------------------------------------------------------


def test_declared_wins_against_separate_t_tests():
    rng = np.random.default_rng(5)
    scores = (rng.normal(size=(3, 2, 2, 5)) / 10 + 0.1 * np.arange(3)[:, None, None, None]).round(2)
    result = compare(made_up(scores), n_resamples=100)
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
    assert 0 < sum(tested) < len(tested)
    assert wins["one seed, k folds, paired t, unadjusted"] == pytest.approx(sum(tested) / 4)
    adjusted = [
        multipletests([stats.ttest_rel(scores[a, s, r], scores[b, s, r]).pvalue for a, b in pairs], method="holm")[0]
        for s in range(2)
        for r in range(2)
    ]
    assert 0 < np.sum(adjusted) < sum(tested)
    assert wins["one seed, k folds, paired t, Holm"] == pytest.approx(np.sum(adjusted) / 4)
    assert wins["protocol: Wilcoxon over folds, Holm"] == (result.pairs["winner"] != "").sum()
    assert (result.pairs["winner"] == "").equals(result.pairs["p_adjusted"] > 0.05)
    assert set(result.settings["n_pairs"]) == {3}


def test_a_p_value_at_the_level_wins():
    # Six differences of one sign: 2 of 64 sign patterns are as extreme.
    scores = np.array([[[[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]], [[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]]])
    for level, winner in ((1 / 32, "m0"), (0.99 / 32, "")):
        pair = compare(made_up(scores), n_resamples=100, level=level).pairs.iloc[0]
        assert (pair["p_adjusted"], pair["winner"]) == (1 / 32, winner)
    worse = compare(made_up(-scores), n_resamples=100).pairs.iloc[0]
    assert worse["winner"] == "m1"
    single = nadeau_bengio([0.1, 0.2, 0.3], 0.0).p, nadeau_bengio([0.4, 0.5, 0.6], 0.0).p
    for level, wins in ((single[0], 1), (np.nextafter(single[0], 0), 0.5)):
        settings = compare(made_up(scores), n_resamples=100, level=level).settings
        assert settings.loc[1, ["setting", "wins"]].to_list() == ["one seed, k folds, paired t, unadjusted", wins]


def test_the_winner_is_the_one_that_the_tested_statistic_favours():
    """Fourteen folds in which m0 is better by .01, and one in which it is worse by .30."""
    d = np.array([0.01] * 14 + [-0.3]).reshape(1, 3, 5)
    worse = np.full_like(d, 0.5)
    for models, names in (((worse + d, worse), ("m0", "m1")), ((worse, worse + d), ("m1", "m0"))):
        better, other = names
        pair = compare(made_up(np.stack(models)), n_resamples=100).pairs.iloc[0]
        # Ranks 7.5 fourteen times, and 15: of 2^15 patterns of signs, 1 + 14 + 91 + 1 have at most 15 on one side.
        assert pair["p"] == pytest.approx(2 * 107 / 2**15)
        assert (pair["winner"], pair["favours"]) == (better, better)
        assert (pair["a"] if pair["estimate"] > 0 else pair["b"]) == other
        lax = compare(made_up(np.stack(models)), n_resamples=100, level=0.9).pairs.iloc[0]
        assert (lax["winner"], lax["winner_corrected"]) == (better, other)  # the corrected t-test is one of the mean


def test_intervals_of_shares_end_at_0_and_1():
    scores = np.array([[[[1.0, 1.0, 0.9, 1.0]]], [[[0.0, 0.1, 0.0, 0.0]]]])
    trials = made_up(scores)
    shares = compare(trials, n_resamples=100).estimates
    assert shares.loc[0, "high"] == 1 > shares.loc[0, "estimate"] > shares.loc[0, "low"] > 0
    assert shares.loc[1, "low"] == 0 < shares.loc[1, "estimate"] < shares.loc[1, "high"] < 1
    for metric in ("neg_log_loss", "r2"):
        other = compare(Trials(trials.scores, trials.seconds, {**trials.about, "metric": metric}), n_resamples=100)
        assert other.estimates.loc[0, "high"] > 1 and other.estimates.loc[1, "low"] < 0


def test_the_level_sets_intervals_and_winners():
    scores = np.random.default_rng(11).normal(size=(3, 2, 2, 4)) + 0.5 * np.arange(3)[:, None, None, None]
    strict, lax = (compare(made_up(scores), n_resamples=20_000, level=level) for level in (0.05, 0.4))
    folds = scores.mean(axis=1).reshape(3, 8)
    pair = lax.pairs.iloc[0]
    for row, d in ((pair, folds[0] - folds[1]), (lax.estimates.set_index("model").loc["m2"], folds[2])):
        error = np.sqrt(d.var(ddof=1) * (1 / 8 + 1 / 3))  # four folds: (1 / 4) / (3 / 4)
        assert (row["low"], row["high"]) == pytest.approx(stats.t(7, d.mean(), error).interval(0.6))
        exact = stats.bootstrap((d,), np.mean, n_resamples=20_000, confidence_level=0.6, method="BCa", rng=1)
        assert (row["bca_low"], row["bca_high"]) == pytest.approx(tuple(exact.confidence_interval), abs=0.02)
    for result, level in ((strict, 0.05), (lax, 0.4)):
        for winner, p, wins in (("winner", "p_adjusted", 3), ("winner_corrected", "p_corrected_adjusted", 4)):
            assert ((result.pairs[winner] != "") == (result.pairs[p] <= level)).all()
            assert result.settings.loc[wins, "wins"] == (result.pairs[p] <= level).sum()
    assert (lax.pairs["winner_corrected"] != "").sum() > (strict.pairs["winner_corrected"] != "").sum()


def test_the_order_of_the_rows_does_not_matter():
    of = made_up(np.random.default_rng(0).integers(60, 90, (3, 2, 2, 4)) / 114)
    shuffled = Trials(of.scores.sample(frac=1, random_state=1), of.seconds, of.about)
    one, other = (compare(trials, n_resamples=99) for trials in (of, shuffled))
    for name in ("estimates", "pairs", "settings"):
        pd.testing.assert_frame_equal(getattr(one, name), getattr(other, name), rtol=1e-12)


def test_best_model_first_and_which_seeds_matter():
    scores = np.array([[[[0.1, 0.2]], [[0.1, 0.2]]], [[[0.5, 0.7]], [[0.5, 0.6]]], [[[0.4, 0.3]], [[0.4, 0.3]]]])
    result = compare(made_up(scores), n_resamples=100)
    assert result.estimates["model"].to_list() == ["m1", "m2", "m0"]
    assert result.estimates["seed_matters"].to_list() == [True, False, False]
    assert result.notes[-1] == "The seed changes nothing for m0, m2."


def test_notes_say_where_the_two_tests_disagree():
    # Eight folds of one sign: p = 1 / 128 by Wilcoxon, but the training parts overlap.
    d = np.array([1, 1, 1, 1, 1, 1, 1, 9]).reshape(1, 2, 4) / 10
    result = compare(made_up(np.stack([d, np.zeros_like(d)])), n_resamples=100)
    assert result.pairs[["winner", "winner_corrected"]].iloc[0].to_list() == ["m0", ""]
    assert result.notes == [
        "m0 against m1: Wilcoxon and the corrected test disagree; folds share training rows, which only the latter "
        "allows for."
    ]


def test_notes_say_how_small_a_p_value_can_be():
    scores = np.arange(24.0).reshape(3, 1, 2, 4) ** 1.5
    said = "8 folds cannot make a Wilcoxon p-value smaller than 0.0078; Holm's correction multiplies the smallest of 3"
    assert compare(made_up(scores), n_resamples=9, level=0.02).notes[0] == f"{said} by 3."
    assert compare(made_up(scores[:2]), n_resamples=9, level=1 / 129).notes[0] == said.split(";")[0] + "."
    assert not any("folds cannot" in note for note in compare(made_up(scores), n_resamples=9, level=3 / 128).notes)


def test_the_same_numbers_for_the_same_randomness():
    scores = np.random.default_rng(0).normal(size=(2, 1, 2, 5))
    first, again, other = (compare(made_up(scores), n_resamples=99, rng=rng) for rng in (3, 3, 4))
    pd.testing.assert_frame_equal(first.pairs, again.pairs)
    pd.testing.assert_frame_equal(first.estimates, again.estimates)
    assert (first.pairs["bca_low"] != other.pairs["bca_low"]).all()
    pd.testing.assert_series_equal(first.pairs["low"], other.pairs["low"])  # nothing random about it
    generators = [compare(made_up(scores), n_resamples=99, rng=np.random.default_rng(3)) for _ in range(2)]
    pd.testing.assert_frame_equal(generators[0].pairs, generators[1].pairs)


def test_identical_models_and_constant_differences_have_clear_results():
    base = np.random.default_rng(0).integers(80, 95, size=(1, 2, 2, 5)) / 100
    result = compare(made_up(np.concatenate([base, base, base - 0.1])), n_resamples=500)
    same = result.pairs.iloc[0]
    assert same[["estimate", "low", "high", "d_z", "instability"]].tolist() == [0, 0, 0, 0, 0]
    assert same[["d_low", "d_high", "d_bca_low", "d_bca_high"]].tolist() == [0, 0, 0, 0]
    assert same[["p_adjusted", "p_corrected_adjusted"]].tolist() == [1, 1]
    assert same["winner"] == same["winner_corrected"] == ""
    constant = result.pairs.iloc[1]
    assert constant[["estimate", "low", "high"]].tolist() == pytest.approx([0.1] * 3)
    assert set(constant[["d_z", "d_low", "d_high", "d_bca_low", "d_bca_high"]]) == {np.inf}
    assert constant["winner"] == "m0" and constant["winner_corrected"] == ""  # ten folds are worth two independent ones
    assert constant["p_corrected"] == 0.5
    assert "m0 against m1: identical." in result.notes
    assert "m0 against m2: constant difference." in result.notes
    numbers = pd.concat([result.pairs, result.estimates]).select_dtypes("number")
    assert not result.pairs.select_dtypes("number").isna().any().any()
    assert len(numbers) == 6
    constant_model = compare(made_up(np.concatenate([base, np.full_like(base, 0.5)])), n_resamples=500)
    row = constant_model.estimates.set_index("model").loc["m1"]
    assert (row["low"], row["high"], row["sd"]) == (0.5, 0.5, 0)


def test_too_little_to_compare():
    with pytest.raises(ParameterError, match="a single model, 'm0'"):
        compare(made_up(np.full((1, 1, 1, 5), 0.5)))
    with pytest.raises(ParameterError, match="level must be a number in"):
        compare(made_up(np.full((2, 1, 1, 5), 0.5)), level=1.5)
    for ask in (compare, instability):
        with pytest.raises(StudyError, match=r"1 of 20 trials failed, the first is 'm0' with seed 7, repeat 0, fold 1"):
            ask(made_up(np.full((2, 1, 2, 5), 0.5), failed=[(0, 0, 0, 1)]))


def test_intervals_of_the_effect_size_against_scipy():
    scores = np.random.default_rng(3).normal(0.8, 0.03, size=(4, 5, 2, 5)) + 0.02 * np.arange(4)[:, None, None, None]
    pairs = compare(made_up(scores), n_resamples=40_000, level=0.1).pairs
    folds = scores.mean(axis=1).reshape(4, 10)
    d = np.array([folds[a] - folds[b] for a, b in combinations(range(4), 2)])
    exact = stats.bootstrap(
        (d,),
        lambda x, axis: x.mean(axis) / x.std(axis, ddof=1),
        n_resamples=40_000,
        confidence_level=0.9,
        method="BCa",
        axis=-1,
        batch=1000,
        rng=1,
    ).confidence_interval
    np.testing.assert_allclose(pairs[["d_bca_low", "d_bca_high"]], np.transpose(exact), atol=0.05)
    error = np.sqrt(1 / 10 + 0.25)  # of the mean, in standard deviations
    for row in pairs.itertuples():
        tails = stats.nct([9, 9], [row.d_low / error, row.d_high / error]).cdf(row.d_z / error)
        assert tails == pytest.approx([0.95, 0.05])


def test_intervals_have_the_confidence_asked_for_and_tests_the_level():
    trials = made_up(np.random.default_rng(4).normal(size=(3, 1, 2, 5)) / 8)
    usual, wide = (compare(trials, n_resamples=200, confidence=c) for c in (None, 0.99))
    assert (usual.about["confidence"], wide.about["confidence"]) == (0.95, 0.99)
    for name in ("estimates", "pairs"):
        tables = getattr(usual, name), getattr(wide, name)
        assert (tables[1]["bca_low"] < tables[0]["bca_low"]).all()
        ends = [name for name in tables[0].columns if name.endswith(("low", "high"))]
        pd.testing.assert_frame_equal(*(table.drop(columns=ends) for table in tables))
    lax = compare(trials, n_resamples=200, level=0.2)
    pd.testing.assert_frame_equal(compare(trials, n_resamples=200, level=0.2, confidence=0.8).pairs, lax.pairs)
    with pytest.raises(ParameterError, match="confidence"):
        compare(trials, confidence=95)
