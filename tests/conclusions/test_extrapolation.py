"""Sums of what one study shows: against closed forms, integrals, and a finer grid."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, norm

from genexpy_nb.conclusions.extrapolation import (
    LARGEST_SUM,
    PARTS_OF_EFFECTS,
    PARTS_OF_ROWS,
    of_sign,
    same_sign,
    weights,
)

PARTS = {"effects": PARTS_OF_EFFECTS, "rows": PARTS_OF_ROWS}
RATIOS = [0.6, 1.0, 2.0, 4.0, 50.0, 1e6]
FINE = np.linspace(0, 7, 401)
BIAS = {"effects": [0, 0.025, 0.0797, 0.1301, 0.2287, 0.248], "rows": [0.0005, 0.0292, 0.0853, 0.1359, 0.2303, 0.2482]}


def largest_bias(ratio, parts=PARTS_OF_EFFECTS):
    """Of the sum of parts, for the sign of any effect."""
    shown = sum(w * same_sign(FINE, 1 + noise, 1 + shared) for (noise, shared), w in weights(ratio, parts).items())
    return np.abs(shown - same_again(FINE, ratio)).max()


def same_again(effects, ratio):
    """Two independent studies, ratio times as large, see the same sign."""
    certain = norm.cdf(np.asarray(effects) * np.sqrt(ratio))
    return certain**2 + (1 - certain) ** 2


@given(st.floats(-6, 6), st.floats(0.1, 10))
def test_same_sign_of_independent_ones_is_a_closed_form(effect, variance):
    assert same_sign([effect], variance, 0.0)[0] == pytest.approx(same_again(effect, 1 / variance), abs=1e-12)


@pytest.mark.parametrize("correlation", [-0.9, -0.5, 0.3, 0.8])
def test_same_sign_of_correlated_ones_at_zero_is_an_arcsine(correlation):
    assert same_sign([0.0], 2.0, 2 * correlation)[0] == pytest.approx(0.5 + np.arcsin(correlation) / np.pi, abs=1e-7)


def test_same_sign_of_correlated_ones_against_draws():
    drawn = multivariate_normal([0.7, 0.7], [[1.5, -0.6], [-0.6, 1.5]], seed=0).rvs(200_000)
    expected = (drawn[:, 0] * drawn[:, 1] > 0).mean()
    assert same_sign([0.7], 1.5, -0.6)[0] == pytest.approx(expected, abs=0.005)  # standard error .001


def test_opposite_copies_without_noise_of_their_own_agree_if_the_effect_is_larger():
    # variables d + e and d - e have the same sign if |e| < |d|
    assert same_sign([0.0, 0.5, 2.0], 1.0, -1.0) == pytest.approx(2 * norm.cdf([0, 0.5, 2]) - 1, abs=1e-7)


@pytest.mark.parametrize("parts", PARTS)
@pytest.mark.parametrize("ratio", RATIOS)
def test_weights_have_sum_one_and_are_bounded(ratio, parts):
    found = weights(ratio, PARTS[parts])
    assert set(found) <= set(PARTS[parts])
    assert sum(found.values()) == pytest.approx(1, abs=1e-7)
    assert sum(map(abs, found.values())) <= LARGEST_SUM + 1e-7


@pytest.mark.parametrize("parts", PARTS)
@pytest.mark.parametrize("ratio", RATIOS)
def test_no_weights_have_a_smaller_largest_bias(ratio, parts):
    """Moving weight from one part to another, within the bound on their sum, makes the largest bias no smaller."""
    grid, used = np.linspace(0, 7, 57), weights(ratio, PARTS[parts])
    curves = {part: same_sign(grid, 1 + part[0], 1 + part[1]) for part in PARTS[parts]}

    def bias(weight_of):
        return np.abs(sum(w * curves[part] for part, w in weight_of.items()) - same_again(grid, ratio)).max()

    for one, other in permutations(PARTS[parts], 2):
        moved = dict.fromkeys(PARTS[parts], 0.0) | used
        moved[one] += 0.01
        moved[other] -= 0.01
        if sum(map(abs, moved.values())) <= LARGEST_SUM:
            assert bias(moved) >= bias(used) - 1e-9
    assert bias(used) == pytest.approx(BIAS[parts][RATIOS.index(ratio)], abs=2e-4)  # as it was found once


@given(st.floats(0.01, 0.5))
def test_up_to_half_the_size_it_is_one_pair_of_disjoint_parts_and_unbiased(ratio):
    ((noise, shared), weight), *more = weights(ratio).items()
    assert not more and weight == 1 and shared == -1
    # together with the noise of the observed study: independent, with that of studies of this size
    assert 1 + noise == pytest.approx(1 / ratio) and 1 + shared == 0


@settings(max_examples=10)
@given(st.sampled_from([0.1, 0.3, 0.5, 0.75, 1.0, 2.0, 4.0]), st.floats(0, 6))
def test_the_mean_of_the_sum_over_normal_errors_is_the_agreement_but_for_the_bias(ratio, effect):
    errors = np.linspace(-9, 9, 7201)
    mean = np.trapezoid(norm.pdf(errors) * of_sign(effect + errors, ratio), errors)
    assert mean == pytest.approx(same_again(effect, ratio), abs=largest_bias(ratio) + 0.01)


def test_the_sum_depends_on_the_size_of_an_effect_only():
    effects = np.linspace(-10, 10, 41).reshape(1, -1)
    found = of_sign(effects, 2.0)
    assert found.shape == effects.shape
    assert np.array_equal(found, of_sign(-effects, 2.0))


@pytest.mark.parametrize("ratio", [0.0002, 0.01, 0.1, 0.5, 0.7, 1.0, 4.0])
def test_the_sum_of_large_effects_too(ratio):
    effects = np.array([0.3, 2.0, 8.0, 12.0, 30.0, 100.0])
    expected = sum(weight * same_sign(effects, *part) for part, weight in weights(ratio).items())
    assert of_sign(effects, ratio) == pytest.approx(expected, abs=2e-3)
    assert of_sign([np.inf], ratio) == pytest.approx(1, abs=1e-9)
