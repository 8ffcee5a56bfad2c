"""Looking after each experiment: the formula, by numerical integration; how often it errs, in a small simulation."""

import numpy as np
import pytest
from scipy.integrate import quad

from genexpy_nb.conclusions.watching import SPREAD, e_process, look_at


def integrated(differences, signs):
    """The mixture, experiment by experiment, from its definition."""
    bets = []
    for i, d in enumerate(differences):
        before = [each for each in differences[:i] if not np.isnan(each)]
        if np.isnan(d):
            bets.append(0.0)
        elif signs:
            bets.append(float(np.sign(d)))
        else:
            size = np.sqrt(np.mean(np.square(before))) if len(before) >= 2 else 0.0
            bets.append(d / size if size else 0.0)
    z = np.array(bets)

    def density(x):
        weight = 2 * np.exp(-((x / SPREAD) ** 2) / 2) / (SPREAD * np.sqrt(2 * np.pi))
        return weight * np.exp(np.sum(x * z - (x * z) ** 2 / 2))

    return quad(density, 0, np.inf)[0]


@pytest.mark.parametrize("signs", [False, True])
@pytest.mark.parametrize("effect", [-0.5, 0.0, 1.0])
def test_the_closed_form_is_the_mixture(effect, signs):
    differences = np.random.default_rng(3).normal(effect, 1, 25)
    differences[[0, 7]], differences[[4, 5]] = np.nan, 0.0
    found = e_process(differences, signs)
    for n in (1, 3, 8, 25):
        assert found[n - 1] == pytest.approx(integrated(differences[:n], signs), rel=1e-7)


def test_the_unit_of_scores_does_not_matter():
    differences = np.random.default_rng(0).normal(0.4, 1, (40, 3))
    for unit in (1e-200, 1e-3, 1e200):
        np.testing.assert_allclose(e_process(unit * differences), e_process(differences))
    assert np.isfinite(e_process(np.ones((5000, 1)))).all()


def test_nothing_is_said_of_equals_and_of_one_experiment():
    assert (e_process(np.zeros((20, 2))) == 1).all() and e_process(np.ones((1, 1)))[0, 0] == 1
    looks = look_at(np.ones((30, 4)), 0.05)
    assert np.isnan(looks.left).all() and np.isnan(looks.decided).all()


def test_a_candidate_leaves_when_the_mean_of_its_e_values_reaches_one_over_the_level():
    rows = np.random.default_rng(1).normal([2, 1.8, 0], 1, (40, 3))
    looks = look_at(rows, 0.1)
    for i in range(3):
        mean = np.mean([e_process(rows[:, j] - rows[:, i]) for j in range(3) if j != i], axis=0)
        np.testing.assert_allclose(looks.against[:, i], mean)
        first = next((n for n, e in enumerate(mean, start=1) if e >= 10), np.nan)
        np.testing.assert_equal(looks.left[i], first)
        for j in set(range(3)) - {i}:
            reached = np.flatnonzero(e_process(rows[:, i] - rows[:, j]) >= 60)
            np.testing.assert_equal(looks.decided[i, j], reached[0] + 1 if len(reached) else np.nan)
    assert np.isnan(looks.left[:2]).all() and looks.left[2] < 40


@pytest.mark.parametrize("world", ["normal", "t(3)", "0/1", "clusters"])
def test_equals_are_told_apart_in_at_most_five_percent_of_the_studies(world):
    """400 studies, a look after each of 60 experiments; benchmarks/bench_ahead.py has 2,000."""
    rng, shape = np.random.default_rng(7), (60, 400, 2)
    scores = {
        "normal": lambda: rng.normal(size=shape),
        "t(3)": lambda: rng.standard_t(3, shape),
        "0/1": lambda: rng.integers(0, 2, shape).astype(float),
        "clusters": lambda: (rng.normal(size=(60, 1, 400, 2)) + rng.normal(size=(60, 5, 400, 2))).mean(axis=1),
    }[world]()
    false = (e_process(scores[..., 0] - scores[..., 1]).max(axis=0) >= 20).mean()
    assert false <= 0.05
    better = e_process(scores[..., 0] - scores[..., 1] + 0.8 * scores.std() * np.sqrt(2)).max(axis=0) >= 20
    assert better.mean() > 0.9
