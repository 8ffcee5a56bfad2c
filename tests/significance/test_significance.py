"""Significance against scipy, statsmodels, scikit-posthocs and pingouin, enumeration, and on degenerate tables."""

from functools import partial
from itertools import permutations, product

import numpy as np
import pandas as pd
import pingouin
import pytest
import scikit_posthocs
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from statsmodels.stats.anova import AnovaRM
from statsmodels.stats.multitest import multipletests

from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.rankings import rank_scores
from genexpy_nb.significance import best_alternative, compare_pairs, friedman, rank_tiers, wilcoxon_pratt
from genexpy_nb.significance.coverage import coverage_note
from genexpy_nb.significance.intervals import mean_intervals
from genexpy_nb.significance.multiple import holm_adjusted
from genexpy_nb.significance.rank_tests import conover_iman
from genexpy_nb.significance.wilcoxon import paired_differences, pairwise_wilcoxon, signed_rank_direction

NUMBERS = ["estimate", "low", "high", "p", "p_adjusted", "d_z"]

#: The functions that depend on the direction of the scores, those that return a frame first.
DIRECTED = [
    partial(function, higher_is_better=True) for function in (rank_tiers, compare_pairs, friedman, best_alternative)
]


def table(seed, n=12, k=5, levels=None):
    """Random scores; with levels, multiples of 1/16 (exact in binary), hence ties and zero differences."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, k)) if levels is None else rng.integers(0, levels, (n, k)) / 16
    return pd.DataFrame(values, columns=[f"m{i}" for i in range(k)])


def with_gaps(scores, seed):
    gappy = scores.copy()
    rows = np.random.default_rng(seed).choice(len(scores), 3, replace=False)
    for column, row in enumerate(rows):
        gappy.iloc[row, column] = np.nan
    return gappy


TABLES = [table(seed, n, k, levels) for seed, n, k, levels in [(0, 12, 5, None), (1, 25, 4, 3), (2, 9, 7, 6)]]
TABLES.append(with_gaps(table(0, 14, 5, 5) + np.array([0, 0, 1, 3, 5]) / 16, 0).dropna().reset_index(drop=True))


# --- Friedman and Conover-Iman ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("scores", TABLES)
@pytest.mark.parametrize("higher_is_better", [True, False])
def test_friedman_agrees_with_scipy_and_with_an_anova_of_the_ranks(scores, higher_is_better):
    result = friedman(scores, higher_is_better=higher_is_better)
    chi2, p = stats.friedmanchisquare(*scores.to_numpy().T)
    assert_allclose([result.chi2, result.p], [chi2, p], rtol=1e-10)
    ranks = scores.rank(axis=1, ascending=not higher_is_better)
    assert_allclose(result.mean_ranks, ranks.mean())
    # The statistic of Iman and Davenport is the F of a two-way analysis of variance of the ranks.
    long = ranks.reset_index().melt("index")
    anova = AnovaRM(long, "value", "index", within=["variable"]).fit().anova_table
    assert_allclose([result.f, result.p_f], anova[["F Value", "Pr > F"]].to_numpy()[0], rtol=1e-8)


@pytest.mark.parametrize("scores", TABLES)
def test_conover_iman_agrees_with_scikit_posthocs(scores):
    ours = conover_iman(scores)
    pd.testing.assert_frame_equal(ours, scikit_posthocs.posthoc_conover_friedman(scores), rtol=1e-9)
    assert_allclose(conover_iman(-scores), ours, rtol=1e-12)  # the other direction


@pytest.mark.parametrize("scores", TABLES)
def test_incomplete_conditions_are_an_error_or_counted(scores):
    gappy = with_gaps(scores, 0)
    complete = gappy.dropna()
    for function in (*DIRECTED, conover_iman, pairwise_wilcoxon, mean_intervals):
        with pytest.raises(StudyError, match=r"3 scores are missing in 3 of \d+ conditions, .*'m\d' in condition \d+"):
            function(gappy)
    assert friedman(gappy, missing="drop", higher_is_better=True).n_dropped == 3
    assert friedman(gappy, missing="drop", higher_is_better=True).chi2 == friedman(complete, higher_is_better=True).chi2


def test_all_ties_have_p_one_and_a_note():
    scores = pd.DataFrame(np.repeat([[0.3], [0.7], [0.1]], 4, axis=1))
    result, p = friedman(scores, higher_is_better=True), conover_iman(scores)
    assert (result.chi2, result.p, result.f, result.p_f) == (0, 1, 0, 1)
    assert result.note == "all alternatives tie in every condition"
    assert (p == 1).all().all()
    assert best_alternative(scores, higher_is_better=True).best == (0, 1, 2, 3)
    assert not best_alternative(scores, higher_is_better=True).significant


def test_complete_agreement_has_an_infinite_f_and_ties_stay_ties():
    scores = np.tile([3.0, 2.0, 2.0, 1.0], (7, 1))
    result, p = friedman(scores, higher_is_better=True), conover_iman(scores)
    assert result.chi2 == pytest.approx(21)
    # Each condition has 12 orders, and all seven agree; two alternatives agree in seven signs.
    assert (result.f, result.p_f) == (np.inf, pytest.approx(12.0**-6))
    assert result.p_f == result.smallest_p
    q = 2.0**-6
    assert_array_equal(p, [[1, q, q, q], [q, 1, 1, q], [q, 1, 1, q], [q, q, q, 1]])
    best = best_alternative(scores, higher_is_better=True)
    assert (best.significant, best.p_others, best.note) == (True, q, "all conditions agree completely")


def orders_of(row):
    return sorted(set(permutations(row)))


@pytest.mark.parametrize(
    "scores",
    [
        [[3, 2, 1], [3, 2, 1]],
        [[3, 2, 1], [1, 2, 3]],
        [[3, 2, 2], [1, 2, 3]],
        [[4, 3, 2, 1], [4, 3, 2, 1]],
        [[3, 2, 1], [3, 2, 1], [2, 2, 1]],
        [[1, 1, 2], [1, 1, 2], [1, 2, 2]],
    ],
)
def test_no_p_value_of_friedman_is_smaller_than_an_exact_one_can_be(scores):
    """All orders within each condition, one by one: how likely is the largest statistic?"""
    every = [np.array(rows) for rows in product(*map(orders_of, scores))]
    results = [friedman(rows, higher_is_better=True) for rows in every]
    chi2 = [result.chi2 for result in results]
    exact = np.mean(np.array(chi2) >= max(chi2) - 1e-9)
    result = friedman(scores, higher_is_better=True)
    assert result.smallest_p <= exact + 1e-12
    if len({tuple(sorted(row)) for row in scores}) == 1:  # of conditions with the same ties it is attained
        assert result.smallest_p == pytest.approx(exact)
    assert min(each.p_f for each in results) >= result.smallest_p * (1 - 1e-12)
    assert f"cannot make an exact p-value smaller than {result.smallest_p:.2g}" in result.note


def test_two_or_three_conditions_say_nothing_for_sure():
    """They used to give p = 0, and a significantly best alternative."""
    for n, smallest in ((2, 0.5), (3, 0.25)):
        scores = np.tile([0.9, 0.8, 0.7, 0.6], (n, 1))
        best = best_alternative(scores, higher_is_better=True)
        assert (best.p_others, best.significant) == (smallest, False)
        assert f"of two alternatives smaller than {smallest:.2g}" in best.note
        assert friedman(scores, higher_is_better=True).p_f == pytest.approx(24.0 ** (1 - n))
        tiers = rank_tiers(scores, higher_is_better=True)
        assert set(tiers["tier"]) == {0}
        assert "one tier" in tiers.attrs["note"]
        pairs = compare_pairs(scores + np.arange(n)[:, None] * [0.1, 0.2, 0.4, 0.8], higher_is_better=True)
        assert (pairs["p"] >= smallest).all()
        assert f"cannot make a Wilcoxon p-value smaller than {smallest:.2g}" in pairs.attrs["notes"][0]
        assert "Student's t intervals" in pairs.attrs["notes"][1]
    many = np.tile([0.9, 0.8, 0.7, 0.6], (9, 1)) + np.arange(9)[:, None]
    assert friedman(many, higher_is_better=True).note == "all conditions agree completely"
    assert rank_tiers(many, higher_is_better=True).attrs["note"] == "all conditions agree completely"


def test_the_best_one_is_significant_up_to_its_largest_p_value():
    scores = table(1, 12, 5) + np.array([0, 0.4, 0.8, 1.2, 2.5])
    theirs = scikit_posthocs.posthoc_conover_friedman(scores)
    result = best_alternative(scores, higher_is_better=True)
    assert result.best == ("m4",)
    assert result.p_others == pytest.approx(theirs.loc["m4"].drop("m4").max())
    assert result.p_friedman < result.p_others < 0.999
    for level, significant in ((result.p_others, True), (np.nextafter(result.p_others, 0), False)):
        assert best_alternative(scores, level, higher_is_better=True).significant == significant
    ranks = np.array([[0, 1, 2, 3, 4], [0, 2, 1, 3, 4]])
    p = best_alternative(ranks, higher_is_better=False).p_friedman
    for level, significant in ((p, True), (np.nextafter(p, 0), False)):
        assert best_alternative(ranks, level, higher_is_better=False).significant == significant


def test_two_best_ones_are_never_significantly_best():
    scores = pd.DataFrame({"a": [2.0, 1.0] * 10, "b": [1.0, 2.0] * 10, "c": 0.0, "d": -1.0})
    result = best_alternative(scores, level=0.999, higher_is_better=True)
    assert result.best == ("a", "b")
    assert result.p_friedman < 1e-6
    assert result.p_others == 1
    assert not result.significant


# --- Wilcoxon and Holm ------------------------------------------------------------------------------------------------


def wilcoxon_by_enumeration(d):
    """All sign patterns of the nonzero differences, ranks after Pratt: the definition."""
    ranks = stats.rankdata(np.abs(d))[d != 0]
    signs = np.array(list(product([0, 1], repeat=len(ranks))))
    sums, observed = signs @ ranks, ranks[d[d != 0] > 0].sum()
    return min(1.0, 2 * min(np.mean(sums <= observed + 1e-9), np.mean(sums >= observed - 1e-9)))


@settings(max_examples=60)
@given(arrays(int, st.integers(1, 9), elements=st.integers(-4, 4)))
def test_exact_wilcoxon_counts_sign_patterns_also_with_ties_and_zeros(d):
    assert wilcoxon_pratt(d)[0] == pytest.approx(wilcoxon_by_enumeration(d.astype(float)), rel=1e-12)


def test_wilcoxon_agrees_with_scipy():
    rng = np.random.default_rng(0)
    for n in (6, 20, 50):
        smooth = rng.normal(0.3, 1, (20, n))
        exact = stats.wilcoxon(smooth, axis=1, zero_method="pratt", method="exact").pvalue
        assert_allclose(wilcoxon_pratt(smooth), exact, rtol=1e-9)
    for n in (10, 60):
        tied = rng.integers(-3, 5, (20, n)).astype(float)
        asymptotic = [stats.wilcoxon(d, zero_method="pratt", method="asymptotic").pvalue for d in tied]
        assert_allclose(wilcoxon_pratt(tied, "asymptotic"), asymptotic, rtol=1e-10)
    small = rng.integers(-3, 5, (5, 8)).astype(float)
    permuted = [stats.wilcoxon(d, zero_method="pratt", method=stats.PermutationMethod()).pvalue for d in small]
    assert_allclose(wilcoxon_pratt(small), permuted, rtol=1e-10)


def test_wilcoxon_switches_to_the_normal_approximation_beyond_fifty():
    d = np.random.default_rng(1).normal(0.2, 1, (3, 51))
    assert_array_equal(wilcoxon_pratt(d), wilcoxon_pratt(d, "asymptotic"))
    with pytest.raises(ParameterError, match="nan in sample 1"):
        wilcoxon_pratt([[1.0, 2.0], [np.nan, 1.0]])


@settings(max_examples=60)
@given(arrays(int, st.integers(1, 9), elements=st.integers(-4, 4)))
def test_the_direction_of_the_signed_ranks_is_that_of_the_smaller_one_sided_p_value(d):
    """Against scipy's one-sided tests: the statistic itself says which of them is the smaller one."""
    greater, less = (
        stats.wilcoxon(d, zero_method="pratt", method="asymptotic", alternative=side).pvalue if d.any() else 1.0
        for side in ("greater", "less")
    )
    assert signed_rank_direction(d)[0] == np.sign(round(less - greater, 12))


@pytest.mark.parametrize("higher_is_better", [True, False])
def test_a_pair_favours_what_the_test_points_to_and_not_what_the_mean_does(higher_is_better):
    """Fourteen small wins and one large loss: p = .008 in favour of the one with the worse mean."""
    gains = np.r_[np.linspace(0.009, 0.011, 14), -0.3] * (1 if higher_is_better else -1)
    scores = pd.DataFrame({"often": 0.5 + gains, "steady": 0.5, "same": 0.5})
    pairs = compare_pairs(scores, higher_is_better=higher_is_better, n_resamples=100)
    assert pairs["p"][0] == pytest.approx(0.008, abs=5e-4)
    assert (pairs["estimate"][0] > 0) != higher_is_better
    assert pairs["favours"].tolist() == ["often", "often", ""]
    swapped = compare_pairs(scores[["same", "steady", "often"]], higher_is_better=higher_is_better, n_resamples=100)
    assert swapped["favours"].tolist() == ["", "often", "often"]
    numbered = compare_pairs(scores.to_numpy(), higher_is_better=higher_is_better, n_resamples=100)
    assert numbered["favours"].tolist() == [0, 0, ""]


def test_adjusted_p_values_agree_with_statsmodels():
    rng = np.random.default_rng(0)
    for p in (rng.random(12) ** 3, rng.integers(0, 5, 20) / 40, np.ones(4), np.zeros(3), np.array([0.2])):
        assert_allclose(holm_adjusted(p), multipletests(p, method="holm")[1], rtol=1e-12)
    families = rng.random((5, 7)) ** 3
    each = [multipletests(p, method="holm")[1] for p in families]
    assert_allclose(holm_adjusted(families), each, rtol=1e-12)
    assert holm_adjusted(np.array([])).size == 0


# --- all pairs --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scores", TABLES)
def test_effect_sizes_and_p_values_agree_with_the_libraries(scores):
    pairs = compare_pairs(scores, higher_is_better=True)
    raw = []
    for _, row in pairs.iterrows():
        a, b = scores[row["a"]], scores[row["b"]]
        assert row["estimate"] == pytest.approx((a - b).mean())
        assert row["d_z"] == pytest.approx(pingouin.compute_effsize(a, b, paired=True, eftype="cohen_dz"))
        raw.append(wilcoxon_by_enumeration((a - b).to_numpy()) if len(a) <= 12 else row["p"])
    assert_allclose(pairs["p"], raw)
    assert_allclose(pairs["p_adjusted"], multipletests(raw, method="holm")[1])
    matrix = pairwise_wilcoxon(scores)
    assert_allclose(pairs["p_adjusted"], matrix.to_numpy()[np.triu_indices(len(matrix), 1)])


def test_identical_alternatives_and_constant_differences():
    a = np.array([0.1, 0.5, 0.7, 0.3, 0.9, 0.2, 0.6, 0.8])
    scores = pd.DataFrame({"a": a, "same": a, "above": a + 0.1, "flat": 0.5, "flat too": 0.25})
    pairs = compare_pairs(scores, higher_is_better=True).set_index(["a", "b"])
    same = pairs.loc[("a", "same")]
    assert same["note"] == "identical"
    assert (same[["estimate", "low", "high", "d_z"]] == 0).all()
    assert same["p"] == same["p_adjusted"] == 1
    above = pairs.loc[("a", "above")]
    assert above["note"] == "constant difference"
    assert above["low"] == above["high"] == above["estimate"] == -0.1
    assert above["d_z"] == -np.inf
    assert above["p"] == 2 / 2**8
    flat = pairs.loc[("flat", "flat too")]
    assert flat["d_z"] == np.inf
    assert not pairs[NUMBERS].isna().to_numpy().any()
    # Six tenths and six fifths: the rounding of their sums is no spread.
    table = pd.DataFrame({"a": [0.1] * 6, "b": [0.2] * 6, "c": [0.7] * 6})
    tenths = compare_pairs(table, n_resamples=10, higher_is_better=True)
    assert tenths["estimate"].tolist() == [-0.1, -0.6, -0.5]
    assert (tenths["d_z"] == -np.inf).all()


@settings(max_examples=30)
@given(
    arrays(float, st.tuples(st.integers(2, 6), st.integers(2, 4)), elements=st.sampled_from([0, 0.1, 0.3, 0.7, -0.2])),
    st.integers(1, 30),
)
def test_nothing_is_ever_missing(scores, n_resamples):
    pairs = compare_pairs(scores, n_resamples=n_resamples, higher_is_better=True)
    assert not pairs[NUMBERS].isna().to_numpy().any()
    assert (pairs["low"] <= pairs["high"]).all()
    for p in (pairs["p"], pairs["p_adjusted"], conover_iman(scores), pairwise_wilcoxon(scores)):
        assert ((p >= 0) & (p <= 1)).to_numpy().all()
    result = friedman(scores, higher_is_better=True)
    assert not np.isnan([result.chi2, result.p, result.f, result.p_f]).any()
    assert not rank_tiers(scores, higher_is_better=True).isna().to_numpy().any()


def test_too_few_conditions_are_pointed_out():
    notes = compare_pairs(table(0, 5, 3), higher_is_better=True).attrs["notes"]
    assert notes == [
        "5 conditions cannot make a Wilcoxon p-value smaller than 0.062; Holm's correction over 3 pairs multiplies "
        "the smallest ones by up to 3.",
        *coverage_note("t", 5, 0.95),
    ]
    assert compare_pairs(table(0, 20, 3), higher_is_better=True).attrs["notes"] == []
    alone = compare_pairs(table(0, 5, 2), higher_is_better=True).attrs["notes"][0]
    assert alone == "5 conditions cannot make a Wilcoxon p-value smaller than 0.062."
    # Eight conditions: 2^-7 = .0078, times 3 pairs below .05, times 10 above it; and 3 times that is above .01.
    assert compare_pairs(table(0, 8, 3), higher_is_better=True).attrs["notes"] == coverage_note("t", 8, 0.95)
    crowded = compare_pairs(table(0, 8, 5), higher_is_better=True).attrs["notes"][0]
    assert "0.0078; Holm's correction over 10 pairs" in crowded
    assert "over 3 pairs" in compare_pairs(table(0, 8, 3), confidence=0.99, higher_is_better=True).attrs["notes"][0]


def test_equal_differences_are_equal_in_every_bit():
    scores = np.array([[0.8, 0.7], [0.4, 0.3], [1000.1, 1000.0], [0.3, 0.1 + 0.2], [1e-300, 0.0]])
    d = paired_differences(scores, np.array([0, 1]), np.array([1, 0]))
    assert d[0].tolist() == [0.1, 0.1, 0.1, 0.0, 1e-300]
    assert_array_equal(d[1], -d[0])
    # A difference is known as well as the larger score is, to half a unit of its twelfth digit: here 5e-9 and 5e-12.
    close = np.array([[1000.0, 1000.0 + 4e-9], [1000.0, 1000.0 + 6e-9], [1.0, 1.0 + 4e-12], [1.0, 1.0 + 6e-12]])
    assert_allclose(paired_differences(close, np.array([1]), np.array([0])), [[0.0, 6e-9, 0.0, 6e-12]], rtol=1e-4)
    smallest = np.array([[5e-324, 0.0], [0.0, 0.0], [1e308, -1e307]])
    assert paired_differences(smallest, np.array([0]), np.array([1])).tolist() == [[5e-324, 0.0, 1.1e308]]


def test_a_difference_is_compared_as_exactly_as_the_less_certain_of_two_is_known():
    values = np.array(
        [[1.0, 0.0], [1e6 + 1 + 2e-6, 1e6], [3.0, 0.0], [1e6 + 3 - 2e-6, 1e6], [2.0, 0.0], [2.00001, 0.0]]
    )
    d = paired_differences(values, np.array([0]), np.array([1]))[0]
    assert d[0] == d[1] and d[2] == d[3] and d[4] != d[5]


# --- tiers ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0.01, 0.05, 0.4])
@pytest.mark.parametrize("higher_is_better", [True, False])
def test_tiers_follow_their_rule(higher_is_better, level):
    for seed in range(10):
        shift = np.repeat([0.0, 1.5, 2.0, 4.0], 2)
        scores = table(seed, 15, 8) + shift
        tiers = rank_tiers(scores, level, higher_is_better=higher_is_better)
        p = pairwise_wilcoxon(scores)
        ranks = scores.rank(axis=1, ascending=not higher_is_better).mean()
        assert tiers["mean_rank"].is_monotonic_increasing
        assert_allclose(tiers["mean_rank"], ranks[tiers.index])
        assert_allclose(tiers["p_adjusted"], p.loc[tiers.index[0], tiers.index])
        left, tier = list(tiers.index), 0
        while left:
            members = [name for name in left if p.loc[left[0], name] > level]
            assert list(tiers.index[tiers["tier"] == tier]) == members
            assert set(tiers.loc[members, "leader"]) == {left[0]}
            left, tier = [name for name in left if name not in members], tier + 1
        assert tier > 1


def test_a_p_value_on_the_level_is_significant():
    scores = table(5, 15, 4) + np.array([0.0, 0.5, 1.0, 1.5])
    p = rank_tiers(scores, 0.5, higher_is_better=True)["p_adjusted"].iloc[-1]
    assert p < 1
    assert rank_tiers(scores, p, higher_is_better=True)["tier"].iloc[-1] > 0
    assert rank_tiers(scores, np.nextafter(p, 0), higher_is_better=True)["tier"].iloc[-1] == 0


def test_an_alternative_that_beats_the_leader_is_not_put_below_it():
    """Best mean rank, and yet significantly lower scores: small wins in most conditions, large losses in some."""
    scores = pd.DataFrame({"often": np.r_[np.linspace(0.01, 0.02, 26), np.linspace(-6, -5, 24)], "seldom": 0.0})
    assert pairwise_wilcoxon(scores).iloc[0, 1] <= 0.05
    tiers = rank_tiers(scores, higher_is_better=True)
    assert tiers.index[0] == "often"
    assert tiers["tier"].tolist() == [0, 0]


# --- input ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", [friedman, best_alternative, rank_tiers, compare_pairs, rank_scores])
def test_the_direction_has_to_be_said_by_a_truth_value(function):
    scores = [[1, 2], [3, 5], [2, 2]]
    with pytest.raises(TypeError, match="higher_is_better"):
        function(scores)
    for wrong in (1, 0, "lower", None, 1.0, [True], np.array([True])):
        with pytest.raises(ParameterError, match="higher_is_better must be True or False, got"):
            function(scores, higher_is_better=wrong)
    function(scores, higher_is_better=np.False_)


def test_a_smallest_p_value_that_equals_the_level_is_small_enough():
    """Five conditions, two alternatives: 2^-4 is the smallest p-value, and the level."""
    scores = table(0, 5, 2)
    assert rank_tiers(scores, 2.0**-4, higher_is_better=True).attrs["note"] == ""
    assert "one tier" in rank_tiers(scores, 2.0**-4 - 1e-9, higher_is_better=True).attrs["note"]
    notes = [compare_pairs(scores, confidence=c, higher_is_better=True).attrs["notes"] for c in (1 - 2.0**-4, 0.95)]
    assert [any("smaller than" in note for note in one) for one in notes] == [False, True]
