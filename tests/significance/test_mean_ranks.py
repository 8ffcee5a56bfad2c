"""Nemenyi's test: the numbers that Demsar printed, and those of other libraries."""

import numpy as np
import pandas as pd
import pytest
import scikit_posthocs
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.plots.significance import critical_difference_diagram
from genexpy_nb.significance import critical_distance, friedman, nemenyi
from genexpy_nb.study.study import Study

# AUC of four variants of C4.5 on 14 data sets: Demsar, JMLR 2006, Table 6. Of the two .975 in the 13th row he prints
# the ranks 2 and 3, so they differed before they were rounded: here by .0001.
DEMSAR = pd.DataFrame(
    [
        *([0.763, 0.768, 0.771, 0.798], [0.599, 0.591, 0.590, 0.569], [0.954, 0.971, 0.968, 0.967]),
        *([0.628, 0.661, 0.654, 0.657], [0.882, 0.888, 0.886, 0.898], [0.936, 0.931, 0.916, 0.931]),
        *([0.661, 0.668, 0.609, 0.685], [0.583, 0.583, 0.563, 0.625], [0.775, 0.838, 0.866, 0.875]),
        *([1.000, 1.000, 1.000, 1.000], [0.940, 0.962, 0.965, 0.962], [0.619, 0.666, 0.614, 0.669]),
        *([0.972, 0.981, 0.975, 0.9749], [0.957, 0.978, 0.946, 0.970]),
    ],
    columns=["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"],
)


def test_demsars_example():
    """He prints the mean ranks, 1.25 and 1.12 as critical distances, and which pairs differ at .10."""
    result = nemenyi(DEMSAR, level=0.1, higher_is_better=True)
    assert result.mean_ranks.round(3).tolist() == [3.143, 2.000, 2.893, 1.964]
    chi2 = 12 * 14 / 20 * ((result.mean_ranks**2).sum() - 4 * 25 / 4)  # his formula, without a correction for ties
    assert round(chi2, 2) == 9.28 and result.p_friedman == friedman(DEMSAR, higher_is_better=True).p < 0.03
    assert round(result.critical_distance, 2) == 1.12 and round(critical_distance(4, 14), 2) == 1.25
    differ = result.p_values.lt(0.1)
    assert differ.loc["C4.5"].to_dict() == {"C4.5": False, "C4.5+m": True, "C4.5+cf": False, "C4.5+m+cf": True}
    assert not differ.loc["C4.5+cf", "C4.5+m"]
    assert not nemenyi(DEMSAR, higher_is_better=True).p_values.lt(0.05).any(axis=None)


@pytest.mark.parametrize(
    ("k", "q"), [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (6, 2.850), (7, 2.949), (8, 3.031)]
)
def test_the_quantiles_that_demsar_prints(k, q):
    assert critical_distance(k, 10) / np.sqrt(k * (k + 1) / 60) == pytest.approx(q, abs=1.1e-3)


@settings(deadline=None)
@given(st.integers(2, 8), st.integers(2, 30), st.integers(0, 10**6), st.booleans())
def test_p_values_are_those_of_scikit_posthocs_and_agree_with_the_distance(k, n, seed, ties):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 4, (n, k)) / 4 if ties else rng.normal(size=(n, k)) + np.arange(k) / 3
    result = nemenyi(scores, higher_is_better=True)
    expected = scikit_posthocs.posthoc_nemenyi_friedman(scores).to_numpy()
    np.testing.assert_allclose(result.p_values, expected, atol=1e-9)
    gaps = np.abs(result.mean_ranks.to_numpy()[:, None] - result.mean_ranks.to_numpy())
    assert ((gaps >= result.critical_distance) == (result.p_values.to_numpy() <= 0.05)).all()
    lower = nemenyi(-scores, higher_is_better=False)
    pd.testing.assert_frame_equal(lower.p_values, result.p_values)


def test_equal_gaps_have_equal_p_values_in_every_bit():
    # Differences of mean ranks that are equal as numbers are not all equal as floating-point numbers.
    result = nemenyi(np.random.default_rng(0).normal(size=(7, 12)), higher_is_better=True)
    ranks, p = result.mean_ranks.to_numpy(), result.p_values.to_numpy()
    doubled = np.rint(14 * ranks).astype(int)
    gaps = np.abs(doubled[:, None] - doubled)
    assert len(np.unique(np.abs(ranks[:, None] - ranks))) > len(np.unique(gaps))
    assert all(len(np.unique(p[gaps == gap])) == 1 for gap in np.unique(gaps))


def test_two_alternatives_are_a_test_of_normal_mean_ranks():
    scores = np.random.default_rng(1).normal(size=(25, 2)) + np.array([0, 0.7])
    result = nemenyi(scores, higher_is_better=True)
    wins = (scores[:, 0] > scores[:, 1]).sum()
    z = (wins - 12.5) / np.sqrt(25 / 4)  # with two alternatives a mean rank counts wins
    assert result.p_values.loc[0, 1] == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-6)


def test_ties_in_the_seventeenth_digit_are_ties():
    scores = np.array([[0.1 + 0.2, 0.3], [0.3, 0.1 + 0.2], [0.5, 0.5]])
    result = nemenyi(scores, higher_is_better=True)
    assert result.mean_ranks.tolist() == [1.5, 1.5] and (result.p_values == 1).all(axis=None)
    assert "all alternatives tie" in result.p_values.attrs["note"]


def test_what_is_asked_wrongly():
    with pytest.raises(ParameterError, match="n_alternatives must be a whole number of at least 2"):
        critical_distance(1, 10)
    with pytest.raises(ParameterError, match="level"):
        critical_distance(3, 10, level=5)
    with pytest.raises(StudyError, match="missing"):
        nemenyi([[1.0, np.nan], [2.0, 1.0]], higher_is_better=True)
    result = nemenyi([[1.0, np.nan], [2.0, 1.0], [2.0, 1.0]], higher_is_better=True, missing="drop")
    assert (result.n_conditions, result.n_dropped) == (2, 1)


def test_a_study_draws_its_own_comparisons_and_mean_ranks():
    found = Study.from_wide(DEMSAR.rename_axis("dataset")).critical_difference(level=0.1)
    expected = nemenyi(DEMSAR, level=0.1, higher_is_better=True)
    pd.testing.assert_series_equal(found.mean_ranks[list(DEMSAR)], expected.mean_ranks, check_names=False)
    assert found.level == 0.1 and critical_difference_diagram(*found)
