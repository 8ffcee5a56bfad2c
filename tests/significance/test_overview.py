"""The summary of many tables: what the tests say about each, from the libraries where they have it."""

import numpy as np
import pandas as pd
import pingouin
import pytest
import scikit_posthocs
from scipy import stats

from genexpy_nb import ParameterError, StudyError
from genexpy_nb.significance import rank_tiers, summarise_tests


def tables():
    """Of different shapes, the best alternative ever clearer."""
    rng = np.random.default_rng(2)
    shapes = [(12, 3), (20, 5), (15, 4), (30, 6)]
    return [
        pd.DataFrame(rng.normal(size=(n, k)) + shift * (np.arange(k) == 1), columns=[f"m{i}" for i in range(k)])
        for (n, k), shift in zip(shapes, [0.0, 0.6, 1.5, 3.0], strict=True)
    ]


@pytest.mark.parametrize("higher_is_better", [True, False])
def test_every_table_has_the_row_that_the_libraries_give(higher_is_better):
    level = 0.2 if higher_is_better else 0.01
    given = tables() if higher_is_better else [-scores for scores in tables()]
    summary = summarise_tests(given, level, higher_is_better=higher_is_better)
    assert len(summary) == len(given)
    for scores, (_, row) in zip(given, summary.iterrows(), strict=True):
        theirs, (n, k) = pingouin.friedman(scores, method="f"), scores.shape
        # Its p-value has other degrees of freedom than Iman and Davenport give the F.
        assert row["p_f"] == pytest.approx(stats.f.sf(theirs["F"].item(), k - 1, (k - 1) * (n - 1)))
        assert row["kendall_w"] == pytest.approx(theirs["W"].item())
        ranks = scores.rank(axis=1, ascending=not higher_is_better).mean()
        best = ranks.idxmin()
        others = scikit_posthocs.posthoc_conover_friedman(scores).loc[best].drop(best)
        assert row["best"] == best
        assert row["p_others"] == pytest.approx(others.max())
        p_friedman = stats.friedmanchisquare(*scores.to_numpy().T).pvalue
        assert row["significant"] == (p_friedman <= level and others.max() <= level)
        tiers = rank_tiers(scores, level, higher_is_better=higher_is_better)
        assert row["n_first_tier"] == tiers["tier"].tolist().count(0)
    # Other levels, other answers: both depend on the one asked for.
    usual = summarise_tests(given, 0.05, higher_is_better=higher_is_better)
    column = "significant" if higher_is_better else "n_first_tier"
    assert summary[column].tolist() != usual[column].tolist()


def test_several_best_ones_are_all_named():
    tied = pd.DataFrame({"a": [1.0, 2.0] * 5, "b": [2.0, 1.0] * 5, "c": 0.0})
    assert summarise_tests([tied], higher_is_better=True)["best"].tolist() == ["a, b"]
    assert summarise_tests(iter([tied, tied.to_numpy()]), higher_is_better=True)["best"].tolist() == ["a, b", "0, 1"]


def test_what_cannot_be_summarised_is_refused():
    gappy = tables()[0].mask(tables()[0] > 1.0)
    with pytest.raises(StudyError, match="scores are missing"):
        summarise_tests([gappy], higher_is_better=True)
    assert summarise_tests([gappy], missing="drop", higher_is_better=True).equals(
        summarise_tests([gappy.dropna()], higher_is_better=True)
    )
    with pytest.raises(ParameterError, match="at least one table of scores"):
        summarise_tests([], higher_is_better=True)
    with pytest.raises(ParameterError, match="level must be a number"):
        summarise_tests(tables(), level=5, higher_is_better=True)
