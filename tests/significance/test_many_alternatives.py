"""Tables of many alternatives: parts against all pairs at once."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genexpy_nb.significance import compare_pairs, friedman, rank_tiers, wilcoxon
from genexpy_nb.significance.wilcoxon import (
    paired_differences,
    pairs_in_parts,
    pairwise_wilcoxon,
    signed_rank_direction,
)


def table(n_conditions=12, n_alternatives=6):
    rng = np.random.default_rng(0)
    scores = rng.normal(np.linspace(0, 1, n_alternatives), 1, (n_conditions, n_alternatives)).round(1)
    return pd.DataFrame(scores, columns=[f"m{i}" for i in range(n_alternatives)])


@given(st.integers(0, 10_000), st.integers(1, 100_000))
def test_parts_hold_every_pair_once(n_pairs, n_conditions):
    parts = pairs_in_parts(n_pairs, n_conditions)
    assert np.concatenate([np.arange(n_pairs)[part] for part in parts]).tolist() == list(range(n_pairs))
    assert all((part.stop - part.start) * n_conditions <= 4_000_000 for part in parts if part.stop - part.start > 1)


@pytest.mark.parametrize("higher_is_better", [True, False])
def test_tiers_in_parts_are_tiers_at_once(monkeypatch, higher_is_better):
    scores = table(30, 8)
    whole = rank_tiers(scores, higher_is_better=higher_is_better)
    matrix = pairwise_wilcoxon(scores)
    monkeypatch.setattr(wilcoxon, "_CHUNK", 100)
    pd.testing.assert_frame_equal(rank_tiers(scores, higher_is_better=higher_is_better), whole)
    pd.testing.assert_frame_equal(pairwise_wilcoxon(scores), matrix)
    best = whole.index[0]
    lead = signed_rank_direction(
        np.stack([paired_differences(scores[[best, other]].to_numpy(), np.array([0]), np.array([1]))[0]
                  for other in whole.index[1:]])
    ) * (1 if higher_is_better else -1)  # fmt: skip
    assert np.array_equal(whole["p_adjusted"].to_numpy()[1:], np.where(lead > 0, matrix.loc[best, whole.index[1:]], 1))


@pytest.mark.parametrize("interval", ["t", "studentized", "bca"])
def test_pairs_in_parts_are_pairs_at_once(monkeypatch, interval):
    options = {"higher_is_better": True, "interval": interval, "n_resamples": 200}
    whole = compare_pairs(table(), **options, rng=np.random.default_rng(1))
    generator = np.random.default_rng(1)
    monkeypatch.setattr(wilcoxon, "_CHUNK", 50)
    parts = compare_pairs(table(), **options, rng=generator)
    pd.testing.assert_frame_equal(parts, whole, rtol=1e-12)
    assert parts.attrs == whole.attrs
    pd.testing.assert_frame_equal(compare_pairs(table(), **options, rng=1).drop(columns="p_adjusted"),
                                  whole.drop(columns="p_adjusted"), rtol=1e-12)  # fmt: skip


def test_the_smallest_p_value_counts_the_orders_of_every_condition():
    scores = pd.DataFrame([[1.0, 1, 2, 3], [1, 1, 1, 2], [4, 3, 2, 1]])
    # orders: 4!/2! = 12, 4!/3! = 4, 4! = 24; the largest one is reached whatever it is
    assert friedman(scores, higher_is_better=True).smallest_p == pytest.approx(1 / (12 * 4))
