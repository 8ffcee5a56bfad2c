"""Order, units, sign and names do not matter: for positions, wins, halves, other experiments, settings and sizes."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

from genexpy_nb.generalization.kernels import RBFKernel
from genexpy_nb.study.study import Study
from tests.said_of_studies import (
    CONFIGURATION,
    IN_ANOTHER_ORDER,
    IN_ORDER,
    KERNELS,
    MODELS,
    SIZES,
    assert_same,
    following,
    made_up_study,
    made_up_table,
    said_of,
    shuffled,
)

POLICIES = pytest.mark.parametrize("missing", ["worst-rank", "drop"])


@cache
def original(missing):
    return said_of(made_up_study(made_up_table(), missing=missing))


def test_the_table_has_what_is_to_be_tested():
    """A policy that leaves out a data set, missing evaluations, ties, and something in every conclusion."""
    whole, dropped = original("worst-rank"), original("drop")
    sizes = [len(made_up_study(made_up_table(), missing=m).scores(CONFIGURATION)) for m in ("worst-rank", "drop")]
    assert sizes == [10, 9]
    assert whole["wins", False]["n_conditions"].min() < 10 and whole["wins", True]["ties"].sum() > 0
    assert not whole["ranks", False].equals(whole["ranks", True])
    assert whole["ranks", True]["behind"].nunique() == 2 and dropped["ranks", True]["tier"].nunique() > 1
    assert set(whole["sensitivity", "BordaKernel"].index.get_level_values("setting")) == {"missing", "delta", "kernel"}
    assert 0 < whole["halves"]["estimate"].min() < whole["halves"]["estimate"].iloc[0] < 1
    assert whole["curves", "MallowsKernel"]["estimate"].is_monotonic_increasing


@POLICIES
def test_shuffled_rows_columns_and_categories_change_no_bit(missing):
    study, other = (made_up_study(each, missing=missing) for each in (made_up_table(), shuffled(made_up_table())))
    assert_same(said_of(other), original(missing), check_exact=True)
    for seed in (1, 2):
        pd.testing.assert_frame_equal(
            other.halves(CONFIGURATION, 99, seed), study.halves(CONFIGURATION, 99, seed), check_exact=True
        )


@pytest.mark.parametrize(("missing", "factor"), [("worst-rank", 1 / 114), ("worst-rank", 1e-6), ("drop", 100.0)])
def test_other_units(missing, factor):
    frame = made_up_table()
    found = said_of(made_up_study(frame.assign(score=frame["score"] * factor), missing=missing))
    assert_same(found, original(missing), factor)


@POLICIES
def test_flipped_signs_with_flipped_direction(missing):
    frame = made_up_table()
    found = said_of(made_up_study(frame.assign(score=-frame["score"]), missing=missing, higher_is_better=False))
    assert_same(found, original(missing), -1.0)


@pytest.mark.parametrize("factor", [100.0, 1 / 3, -1.0])
def test_raw_scores_in_other_units_with_the_scale_and_the_tolerance_in_these_units(factor):
    frame = made_up_table()
    study = made_up_study(frame)
    other = made_up_study(frame.assign(score=frame["score"] * factor), higher_is_better=factor > 0)
    gamma, delta = 1 / len(MODELS), 0.002
    kernel, scaled = RBFKernel(gamma), RBFKernel(gamma / factor**2)
    for analysis in ("leave_one_out", "curves"):
        options = {"n": SIZES} if analysis == "curves" else {}
        expected = getattr(study, analysis)(CONFIGURATION, kernel, delta=delta, **options).drop(columns="kernel")
        found = getattr(other, analysis)(CONFIGURATION, scaled, delta=delta * factor**2, **options)
        pd.testing.assert_frame_equal(found.drop(columns="kernel"), expected, rtol=1e-7)
        assert np.isfinite(expected.select_dtypes("number")).all(axis=None)


@POLICIES
def test_other_names_in_the_same_order_change_no_bit(missing):
    study = made_up_study(made_up_table().replace({"model": IN_ORDER}), missing=missing)
    found = said_of(study, following(KERNELS, IN_ORDER), renamed=IN_ORDER)
    assert_same(found, original(missing), check_exact=True)


@POLICIES
def test_other_names_in_another_order(missing):
    study = made_up_study(made_up_table().replace({"model": IN_ANOTHER_ORDER}), missing=missing)
    found = said_of(study, following(KERNELS, IN_ANOTHER_ORDER), renamed=IN_ANOTHER_ORDER)
    assert_same(found, original(missing))


def test_two_that_share_the_best_mean_rank_are_no_leaders_by_name():
    """The second is first more often, and far behind elsewhere: only the first one can be told from the third."""
    rows = [(1 + 0.01 * i, 1.1 + 0.012 * i, 0.9 + 0.005 * i) for i in range(8)]
    rows += [(1 + 0.01 * i, -5.0 - i, 0.8 + 0.003 * i) for i in range(4)]
    for names in (["a", "b", "c"], ["c", "b", "a"], ["b", "c", "a"]):
        study = Study.from_wide(pd.DataFrame(rows, columns=names))
        ranks, tiers = study.ranks(), study.tiers()
        assert ranks["mean_rank"].round(9).nunique() == 2 and ranks.index[0] == tiers.index[0] == names[0]
        assert ranks["behind"].to_dict() == {names[0]: False, names[1]: False, names[2]: True}
        assert tiers["tier"].to_dict() == ranks["tier"].to_dict() == {names[0]: 0, names[1]: 0, names[2]: 1}
