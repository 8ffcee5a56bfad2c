"""Notebook 11: against enumeration, another integral, closed forms, all choices, and the package's estimators."""

import math

import numpy as np
import pytest
from made_up_results import imhof, random_gram

from genexpy_nb.chapters import methods
from genexpy_nb.chapters.methods import World
from genexpy_nb.generalization import closed_form
from genexpy_nb.generalization.exact import exact_mmd

WORLDS = methods.example_worlds()
ALPHA = 0.95


def random_world(seed, n_results=5):
    rng = np.random.default_rng(seed)
    return World("made up", "Gaussian", random_gram(n_results, rng), rng.dirichlet(np.ones(n_results)), 0.3)


# --- eigenvalues and limit --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("centring", ["weighted", "published"])
def test_eigenvalues_are_those_of_the_unsymmetric_matrix_of_the_theorem(centring):
    world = random_world(4)
    p, gram = world.probabilities, world.gram
    weights = p if centring == "weighted" else np.full(len(p), 1 / len(p))
    centre = np.eye(len(p)) - np.outer(np.ones(len(p)), weights)
    direct = np.sort(np.linalg.eigvals(centre @ gram @ centre.T @ np.diag(p)).real)[::-1]
    np.testing.assert_allclose(methods.eigenvalues(gram, p, centring), direct, atol=1e-10)


@pytest.mark.parametrize("alpha", [0.6, 0.95, 0.99])
def test_limit_quantile_against_imhofs_integral(alpha):
    weights = np.array([0.4, 0.2, 0.15, 0.05])
    assert imhof(2 * weights, methods.limit_quantile(weights, alpha)) == pytest.approx(alpha, abs=2e-5)


# --- moments ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 5])
def test_mean_and_variance_hold_exactly_for_every_n(n):
    """Against all pairs of studies, listed: five results with a kernel that is not constant on the diagonal, too."""
    world = random_world(2, n_results=4)
    scale = np.array([1.0, 2.0, 0.5, 1.5])
    gram = world.gram * np.outer(scale, scale)
    known = methods.population_moments(gram, world.probabilities)
    distances, chances = exact_mmd(gram, n, world.probabilities)
    values = n * distances**2
    assert values @ chances == pytest.approx(known.mean, rel=1e-9)
    assert (values - known.mean) ** 2 @ chances == pytest.approx(known.variance(n), rel=1e-9)


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_the_closed_form_of_the_eigenvalues_is_that_of_the_kernel(world):
    own = methods.closed_form_of(methods.eigenvalues(world.gram, world.probabilities), ALPHA, world.epsilon)
    assert own == pytest.approx(closed_form(world.gram, ALPHA, world.epsilon, world.probabilities))


def test_the_authors_program_is_right_for_equally_likely_results_and_takes_the_lower_triangle_else():
    equal = np.full(13, 1 / 13)
    theirs, right = (f(WORLDS[0].gram, equal) for f in (methods.spectrum_in_their_code, methods.eigenvalues))
    np.testing.assert_allclose(np.sort(theirs), np.sort(right), atol=1e-12)
    # two results that share nothing: H K H is half of (1, -1; -1, 1), and diag(p) scales its columns
    p = np.array([0.8, 0.2])
    lower = np.array([[0.4, -0.4], [-0.4, 0.1]])  # 0.4 stands below the diagonal, 0.1 above
    found = methods.spectrum_in_their_code(np.eye(2), p)
    np.testing.assert_allclose(found, np.linalg.eigvals(lower)[np.argsort(np.linalg.eigvals(lower))], atol=1e-12)


# --- misprints --------------------------------------------------------------------------------------------------------

SAMPLES = np.random.default_rng(0).integers(0, 4, size=(2, 12))


def test_each_misprint_with_an_example_is_evaluated():
    found, quoted = methods.slips(WORLDS, *SAMPLES, ALPHA, n_pairs=4000)
    assert set(found) == {name for name, said in methods.ERRATA.items() if "example" in said}
    for said in methods.ERRATA.values():
        assert "{" not in (said["slip"] + said.get("example", "")).format(**quoted)
    printed = {"equation-32": 4, "section-44": 0.95, "kappa-cifar": 0.674}
    assert {name: round(found[name][0], 3) for name in printed} == printed
    # by hand: one discordant pair of three; Eq. 60 with a supremum of 1; a variance of at most m (1 - m)
    by_hand = {
        "equation-4": 1,
        "example-41": math.exp(-1 / 3),
        "mallows-range": math.exp(-1),
        "borda-range": math.exp(-2 / 3),
    }
    by_hand |= {
        "equation-58": (math.sqrt(-4 * math.log(0.05)) + math.sqrt(2)) / 10,
        "equation-32": 2,
        "section-44": 2 / 3,
        "section-44-jaccard": 1 / 3,
    }
    by_hand |= {"kappa-cifar": math.sqrt(0.137 * 0.863), "example-42": math.sqrt(2 * (1 - math.exp(-1 / 3)))}
    for name, right in by_hand.items():
        assert found[name][1] == pytest.approx(right), name
    assert all(abs(printed - right) > 1e-4 * abs(right) for printed, right in found.values())


# --- a similarity that is no kernel -----------------------------------------------------------------------------------


def test_overlap_of_winners_has_a_negative_eigenvalue():
    similarity = methods.overlap_of_winners([[0, 1], [1, 0], [0, 0]])
    assert np.linalg.det(similarity) == pytest.approx(-1)
    weights = np.array([0.5, 0.5, -1.0])  # a study that saw either winner alone, one that saw both tied, twice
    assert weights @ similarity @ weights == pytest.approx(-0.5)
