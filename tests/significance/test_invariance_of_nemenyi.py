"""Nemenyi's test in other units, of turned signs, renamed, reordered alternatives, shuffled rows: all that it says."""

from dataclasses import asdict

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genexpy_nb.significance import critical_distance, nemenyi

SIZES = st.tuples(st.integers(2, 15), st.integers(2, 6), st.integers(0, 2**32 - 1))


def drawn(size):
    """Answers out of 114, which tie; the first condition has no missing one, as any other may."""
    n, k, seed = size
    rng = np.random.default_rng(seed)
    scores = pd.DataFrame(rng.integers(60, 70, (n, k)) + 2.0 * np.arange(k), columns=list("abcdef")[:k])
    absent = rng.random((n, k)) < 0.1
    absent[:2] = False
    return scores.mask(absent), rng


def said(scores, higher_is_better=True, back=None):
    result = nemenyi(scores, 0.1, higher_is_better=higher_is_better, missing="drop")
    back = back or {}
    ranks = result.mean_ranks.rename(back).sort_index()
    p_values = result.p_values.rename(index=back, columns=back).sort_index().sort_index(axis=1)
    return asdict(result) | {"mean_ranks": ranks, "p_values": p_values}


def assert_same(found, expected):
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, rtol=1e-9, err_msg=name)
    assert found["mean_ranks"].index.tolist() == expected["mean_ranks"].index.tolist()
    assert found["p_values"].attrs == expected["p_values"].attrs


@settings(max_examples=25, deadline=None)
@given(SIZES, st.sampled_from([1 / 114, 3.0, 1e-9, 1e6]), st.sampled_from([0.0, 1 / 3, -50.0]))
def test_other_units_and_another_zero(size, factor, shift):
    scores, _ = drawn(size)
    assert_same(said((scores + shift) * factor), said(scores))


@settings(max_examples=25, deadline=None)
@given(SIZES)
def test_flipped_signs(size):
    scores, _ = drawn(size)
    expected = said(scores)
    assert_same(said(-scores, higher_is_better=False), expected)
    turned = said(scores, higher_is_better=False)  # the other direction only: ranks from the other end
    assert_same(turned | {"mean_ranks": scores.shape[1] + 1 - turned["mean_ranks"]}, expected)


@settings(max_examples=25, deadline=None)
@given(SIZES)
def test_shuffled_rows_and_renamed_and_reordered_alternatives(size):
    scores, rng = drawn(size)
    new = dict(zip(scores.columns, rng.permutation(["zeta", "<b>", "a $x$", "m", "10", "9"]), strict=False))
    shuffled = scores.sample(frac=1, random_state=int(rng.integers(2**31)))
    expected = said(scores)
    assert_same(said(shuffled), expected)
    assert_same(said(shuffled[rng.permutation(scores.columns)]), expected)
    renamed = shuffled[rng.permutation(scores.columns)].rename(columns=new)
    assert_same(said(renamed, back={name: old for old, name in new.items()}), expected)


@settings(max_examples=25, deadline=None)
@given(SIZES)
def test_the_critical_distance_knows_numbers_of_rows_and_columns_only(size):
    """And it says the same as the p-values, of any table with as many alternatives and complete conditions."""
    scores, _ = drawn(size)
    found = said(scores)
    assert found["critical_distance"] == critical_distance(scores.shape[1], found["n_conditions"], 0.1)
    assert found["n_conditions"] == scores.notna().all(axis=1).sum() == len(scores) - found["n_dropped"]
    gaps = np.abs(np.subtract.outer(*[found["mean_ranks"].to_numpy()] * 2))
    clear = np.abs(gaps - found["critical_distance"]) > 1e-6
    significant = found["p_values"].to_numpy() < 0.1
    np.testing.assert_array_equal((gaps > found["critical_distance"])[clear], significant[clear])


@pytest.mark.parametrize("n_alternatives", [2, 4, 10])
def test_the_critical_distance_of_four_times_the_conditions_is_half_as_long(n_alternatives):
    for n in (1, 7, 30):
        half = critical_distance(n_alternatives, 4 * n)
        assert half == pytest.approx(critical_distance(n_alternatives, n) / 2, rel=1e-12)
