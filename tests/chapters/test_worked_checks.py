"""The worked checks of the methods chapter: against closed forms, and against the estimators of the package."""

import math

import numpy as np
import pytest
from scipy import stats

from genexpy_nb.chapters import methods as limit_law
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.generalization.exact import exact_nstar
from genexpy_nb.generalization.moments import nstar_by_moments

WORLDS = limit_law.example_worlds()
ALPHA = 0.95


@pytest.mark.parametrize("world", WORLDS[1:3], ids=lambda world: world.name)
def test_estimated_moments_have_no_bias_and_those_plugged_in_have(world):
    frame = limit_law.estimated_moments(world, 8, n_studies=4000, rng=1)
    off = (frame["unbiased"] - frame["truth"]) / frame["error"]
    assert off.abs().max() < 4
    biased = (frame["plugged in"] - frame["truth"]) / frame["error"]
    assert biased["L1"] < -4
    assert frame.loc["L1", "plugged in"] == pytest.approx(frame.loc["L1", "unbiased"] * 7 / 8, rel=1e-9)


def test_exact_nstar_of_two_results_is_that_of_listed_studies():
    frame = limit_law.refinements([0.45], ALPHA, [0.05, 0.1])
    for row in frame.itertuples():
        listed = exact_nstar(np.eye(2), ALPHA, math.sqrt(2 * row.delta), [0.55, 0.45])
        assert listed - 1 <= row.exact <= listed


@pytest.mark.parametrize("share", [0.5, 0.45, 0.3, 0.2])
def test_half_a_step_takes_the_bias_away_on_average_over_tolerances(share):
    frame = limit_law.refinements([share], ALPHA, np.geomspace(0.02, 0.3, 40))
    off = np.log(frame[["three moments", "half a step"]].div(frame["exact"], axis=0))
    assert off["half a step"].abs().max() < 0.4
    assert abs(off["half a step"].mean()) < abs(off["three moments"].mean())
    assert (off["half a step"] ** 2).mean() < (off["three moments"] ** 2).mean()


def test_the_refinements_are_those_of_the_default():
    """From a large sample with just these shares the default gives the same number."""
    kinds = np.repeat([0, 1], [1400, 600])
    sample = (kinds[:, None] == kinds).astype(float)
    frame = limit_law.refinements([0.3], ALPHA, [0.02, 0.05, 0.3])
    default = nstar_by_moments(sample[None], np.array([ALPHA]), np.sqrt(2 * frame["delta"].to_numpy())[None])[
        0, 0, :, 0
    ]
    np.testing.assert_allclose(default, frame["floor"], rtol=0.01)


def test_the_floor_is_the_quantile_of_the_distance_of_two_results():
    frame = limit_law.refinements([0.02, 0.03], ALPHA, [0.3]).set_index("share")
    assert 2 * 0.03 * 0.97 > 1 - ALPHA > 2 * 0.02 * 0.98
    assert frame.loc[0.03, "floor"] == pytest.approx(max(math.sqrt(1 / 0.3), frame.loc[0.03, "half a step"]))
    assert frame.loc[0.02, "floor"] == pytest.approx(max(1, frame.loc[0.02, "half a step"]))


def test_early_exit_returns_the_first_n_that_is_enough():
    gram = np.kron(np.eye(2), np.ones((20, 20)))
    law = limit_law.power_law(gram, ALPHA, 0.8, n_resamples=300, rng=5)
    nstar, found = limit_law.nstar_with_early_exit(gram, ALPHA, 0.8, n_resamples=300, rng=5)
    assert found and (law.quantiles[law.n < nstar] > 0.8).all() and law.quantiles[law.n == nstar] <= 0.8
    nstar, found = limit_law.nstar_with_early_exit(gram, ALPHA, 0.2, n_resamples=300, rng=5)
    assert not found and nstar > 20


def test_early_exit_only_matters_where_it_happens():
    frame = limit_law.with_and_without_early_exit(WORLDS[:2], ALPHA, 40, n_studies=10, rng=2)
    wide = frame.pivot(index=["world", "study", "found"], columns="way", values="nstar").reset_index("found")
    same = wide["early exit"] == wide["line"]
    assert same[~wide["found"]].all()
    assert (wide.loc[wide["found"], "early exit"] <= 20).all() and wide["found"].any() and not wide["found"].all()


def test_overlap_of_winners_has_a_negative_eigenvalue():
    similarity = limit_law.overlap_of_winners([[0, 1], [1, 0], [0, 0]])
    assert np.linalg.det(similarity) == pytest.approx(-1)
    weights = np.array([0.5, 0.5, -1.0])  # a study that saw either winner alone, one that saw both tied, twice
    assert weights @ similarity @ weights == pytest.approx(-0.5)


@pytest.mark.parametrize("sizes", [(1, 1), (8, 3), (40, 2)])
def test_crossed_factors_have_the_mean_and_variance_of_the_formula(sizes):
    variances, dimensions, n_pairs = np.array([1.0, 0.3, 0.5]), 3, 8000
    found = limit_law.crossed_squared_distances(variances, sizes, dimensions=dimensions, n_pairs=n_pairs, rng=3)
    total = (variances / [sizes[0], sizes[1], sizes[0] * sizes[1]]).sum()
    scaled = found / (2 * total / dimensions)  # chi-squared with as many degrees of freedom as dimensions
    assert stats.kstest(scaled, stats.chi2(dimensions).cdf).pvalue > 1e-3


def test_equal_alternatives_agree_as_often_as_chance():
    found = limit_law.agreement_beside_generalizability(np.zeros(10), ALPHA, 0.05, n_pairs=2000, rng=4)
    assert found["same winner"] == pytest.approx(0.1, abs=4 * 0.0067)
    # the limit: nine eigenvalues of 1/10
    assert found["n"] == pytest.approx(0.2 * stats.chi2.ppf(ALPHA, 9) / 0.1, rel=0.06)


def test_a_clear_leader_is_named_twice():
    found = limit_law.agreement_beside_generalizability([3.0, 0.0, 0.0], ALPHA, 0.05, n_pairs=300, rng=5)
    assert found["same winner"] > 0.99 and found["most often"] > 0.9


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: limit_law.estimated_moments(WORLDS[0], 5),
        lambda: limit_law.refinements([0.5], 1.0, [0.05]),
        lambda: limit_law.refinements([1.0], 0.95, [0.05]),
        lambda: limit_law.nstar_with_early_exit(np.eye(5), 0.95, 0.3),
        lambda: limit_law.crossed_squared_distances([1.0, -1.0, 0.0], [2, 2]),
    ],
)
def test_what_is_out_of_range_is_refused(wrong):
    with pytest.raises(ParameterError):
        wrong()
