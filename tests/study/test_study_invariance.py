"""What must not matter to a study: order, storage, units, sign and names; over every analysis that it has."""

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

# --- order and storage: the same bits ---------------------------------------------------------------------------------


def test_the_order_is_by_value():
    frame = made_up_table()
    frame["dataset"] = frame["dataset"].str[1:].astype(int) * 7 % 12
    reversed_categories = pd.Categorical(frame["dataset"], sorted(frame["dataset"].unique(), reverse=True))
    for given in (frame, frame.assign(dataset=reversed_categories), frame.iloc[::-1]):
        scores = made_up_study(given).scores(CONFIGURATION)
        assert scores.index.is_monotonic_increasing and scores.columns.is_monotonic_increasing
        assert scores.index.dtype == "int64"


def test_kernels_of_a_set_are_in_one_order():
    class Backwards(set):
        def __iter__(self):
            return reversed([*super().__iter__()])

    study = made_up_study(made_up_table())
    assert study.nstar(Backwards(KERNELS)).equals(study.nstar({*KERNELS}))


# --- units, sign, names: the same conclusions, under every policy ----------------------------------------------------


@cache
def original(missing):
    return said_of(made_up_study(made_up_table(), missing=missing))


def test_the_table_has_what_is_to_be_tested():
    """A policy that leaves out a data set, missing evaluations, ties, and something in every conclusion."""
    whole, dropped = original("worst-rank"), original("drop")
    sizes = [len(made_up_study(made_up_table(), missing=m).scores(CONFIGURATION)) for m in ("worst-rank", "drop")]
    assert sizes == [10, 9]
    pairs = whole["pairs", "by rank"]
    assert pairs["n_common"].min() < 10 and pairs["ties"].sum() > 0 and pairs["better"].nunique() > 1
    assert whole["ranks", True]["may_be_best"].nunique() == 2 and dropped["ranks", True]["tier"].nunique() > 1
    assert whole["curves", "MallowsKernel"]["estimate"].is_monotonic_increasing


@pytest.mark.parametrize("missing", [pytest.param("drop", marks=pytest.mark.slow), "complete"])
def test_shuffled_rows_columns_and_categories_change_no_bit(missing):
    other = made_up_study(shuffled(made_up_table()), missing=missing)
    assert_same(said_of(other), original(missing), check_exact=True)


@pytest.mark.parametrize(
    ("missing", "factor"),
    [
        pytest.param("worst-rank", -1.0, marks=pytest.mark.slow),
        pytest.param("drop", 1e-6, marks=pytest.mark.slow),
        ("complete", -1 / 114),
    ],
)
def test_other_units_and_flipped_signs_with_flipped_direction(missing, factor):
    frame = made_up_table()
    frame["score"] *= factor
    found = said_of(made_up_study(frame, missing=missing, higher_is_better=factor > 0))
    assert_same(found, original(missing), factor)


@pytest.mark.parametrize("factor", [100.0, 1 / 3, -1.0])
def test_raw_scores_in_other_units_with_the_scale_and_the_tolerance_in_these_units(factor):
    frame = made_up_table()
    study = made_up_study(frame)
    other = made_up_study(frame.assign(score=frame["score"] * factor), higher_is_better=factor > 0)
    gamma, delta = 1 / len(MODELS), 0.002
    kernel, scaled = RBFKernel(gamma), RBFKernel(gamma / factor**2)
    expected = study.curves(CONFIGURATION, kernel, delta=delta, n=SIZES).drop(columns="kernel")
    found = other.curves(CONFIGURATION, scaled, delta=delta * factor**2, n=SIZES)
    pd.testing.assert_frame_equal(found.drop(columns="kernel"), expected, rtol=1e-7)
    assert np.isfinite(expected.select_dtypes("number")).all(axis=None)


@pytest.mark.parametrize(
    ("missing", "names", "exact"),
    [
        ("complete", IN_ORDER, {"check_exact": True}),
        pytest.param("worst-rank", IN_ANOTHER_ORDER, {}, marks=pytest.mark.slow),
        pytest.param("complete", IN_ANOTHER_ORDER, {}, marks=pytest.mark.slow),
    ],
)
def test_other_names_and_in_the_same_order_the_same_bits(missing, names, exact):
    study = made_up_study(made_up_table().replace({"model": names}), missing=missing)
    assert_same(said_of(study, following(KERNELS, names), renamed=names), original(missing), **exact)


def test_two_that_share_the_best_mean_rank_are_no_leaders_by_name():
    """The second is first as often, and last elsewhere."""
    rows = [(2.0, 1.0, 0.0)] * 6 + [(1.0, 2.0, 0.0)] * 5 + [(1.0, 0.0, 2.0), (0.0, 2.0, 1.0)]
    found = []
    for names in (["a", "b", "c"], ["c", "b", "a"], ["b", "c", "a"]):
        study = Study.from_wide(pd.DataFrame(rows, columns=names))
        assert set(study.best().best) == set(names[:2]) == set(study.best().contenders)
        assert not study.best().significant and study.best().p == 1
        assert study.ranking().index[0] == study.tiers().index[0] == min(names[:2])
        found.append(study.ranking().loc[names].reset_index(drop=True))
    assert all(each.equals(found[0]) for each in found)
