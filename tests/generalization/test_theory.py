"""n* from theory: the limiting distribution by simulation, the slips of the printed formulas, and the bound."""

import math

import numpy as np
import pandas as pd
import pytest
from made_up_results import eigenvalues, random_gram
from scipy import stats

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.generalization.theory import bound, closed_form, published_nstar


def limit_nstar(gram, p, alpha, epsilon, size=400_000):
    """n* if n MMD_n^2 had its limiting distribution, 2 sum lambda_k Z_k^2, by simulation."""
    spectrum = eigenvalues(gram, p)
    draws = np.random.default_rng(0).chisquare(1, size=(size, len(spectrum)))
    return np.quantile(2 * draws @ spectrum, alpha) / epsilon**2


# --- closed form ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_results", [2, 3, 6, 13, 30])
@pytest.mark.parametrize("concentration", [0.5, 1.0, 50.0])
def test_closed_form_equals_the_mixture_of_chi_squares(n_results, concentration):
    """At .95, within 3 %: what Solomon-Stephens and Wilson-Hilferty leave (measured: at most 2.9 %, one eigenvalue)."""
    rng = np.random.default_rng(n_results)
    gram, p = random_gram(n_results, rng), rng.dirichlet(np.full(n_results, concentration))
    exact = limit_nstar(gram, p, 0.95, 0.3, size=100_000)
    assert closed_form(gram, 0.95, 0.3, p) == pytest.approx(exact, rel=0.035)
    assert closed_form(gram, 0.8, 0.3, p) == pytest.approx(limit_nstar(gram, p, 0.8, 0.3, size=100_000), rel=0.1)


@pytest.mark.parametrize(
    ("p", "factor"), [((0.9, 0.05, 0.05), 4.05), ((0.7, 0.2, 0.1), 1.49), ((0.5, 0.3, 0.2), 1.07), ((1 / 3,) * 3, 1.0)]
)
def test_published_centring_is_off_unless_results_are_equally_likely(p, factor):
    """By simulation of the limit; p and the factor are what the published centring is too large by."""
    exact = limit_nstar(np.eye(3), np.array(p), 0.95, 0.3)
    assert closed_form(np.eye(3), 0.95, 0.3, p) == pytest.approx(exact, rel=0.02)
    assert closed_form(np.eye(3), 0.95, 0.3, p, centring="published") / exact == pytest.approx(factor, rel=0.03)


@pytest.mark.parametrize("alpha", [0.51, 0.8, 0.9, 0.95, 0.99])
def test_printed_normal_quantile_has_no_value_above_one_half(alpha):
    assert math.isnan(closed_form(np.eye(3), alpha, 0.3, normal="printed"))
    assert closed_form(np.eye(3), alpha, 0.3) > 0


def test_closed_form_merges_equal_results():
    kinds = random_gram(3, np.random.default_rng(1))
    sample = [0, 0, 0, 0, 1, 1, 2, 2, 2, 2]
    merged = closed_form(kinds, 0.9, 0.3, [0.4, 0.2, 0.4])
    assert closed_form(kinds[np.ix_(sample, sample)], 0.9, 0.3) == pytest.approx(merged, rel=1e-9)


@pytest.mark.parametrize("difference", [1e-3, 1e-7, 1e-10])
def test_results_that_hardly_differ_are_results_magnified(difference):
    """The MMD of results at squared distance d is sqrt(d) times that of results at distance 1."""
    near = closed_form(1 - difference * (1 - np.eye(2)), 0.9, 0.2 * math.sqrt(difference), [0.7, 0.3])
    assert near == pytest.approx(closed_form(np.eye(2), 0.9, 0.2, [0.7, 0.3]), rel=1e-5)


@pytest.mark.parametrize("value", [0.1, 1.0, 1e3])
def test_results_that_are_equal_to_the_kernel_need_one_experiment(value):
    for probabilities in (None, [0.2, 0.3, 0.5], [1 / 3, 1 / 3, 1 / 3]):
        assert closed_form(np.full((3, 3), value), 0.95, 0.3, probabilities) == 1


LIN = (0.717, 0.416)  # 1990: 1 - Phi(z) = exp(-.717 z - .416 z^2) / 2 for z > 0


@pytest.mark.parametrize(
    ("alpha", "options", "z", "cubes"),
    [
        *((a, {"normal": "lin"}, (-LIN[0] + (LIN[0] ** 2 - 4 * LIN[1] * math.log(2 - 2 * a)) ** 0.5) / (2 * LIN[1]), 1)
          for a in (0.6, 0.8, 0.95, 0.999)),
        (0.3, {"normal": "printed"}, -0.861779 + 0.00120192 * math.sqrt(514089 * math.log(2 * 0.7)), 1),
        (0.95, {"cubes": 3}, stats.norm.ppf(0.95), 3),
    ],
)  # fmt: skip
def test_the_printed_formulas_by_hand(alpha, options, z, cubes):
    """Lin's quantile, Eq. 46; that of Eq. 49, which has a value only where nobody needs one; and a cube of a cube."""
    spectrum = eigenvalues(np.eye(3), np.full(3, 1 / 3))
    d = spectrum.sum() ** 2 / (spectrum**2).sum()
    c = (math.sqrt(2 / (9 * d)) * z + 1 - 2 / (9 * d)) ** 3
    expected = 2 * spectrum.sum() * c**cubes / 0.3**2
    assert closed_form(np.eye(3), alpha, 0.3, **options) == pytest.approx(expected, rel=1e-5)
    limit = limit_nstar(np.eye(3), np.full(3, 1 / 3), alpha, 0.3, size=1000)
    assert cubes == 1 or expected > 5 * limit


# --- bound ------------------------------------------------------------------------------------------------------------


def test_bound_is_equation_60():
    for alpha, epsilon, kappa in ((0.95, 0.3, 1.0), (0.8, 0.05, 0.5), (0.99, 1.2, 2.0)):
        # P(MMD >= sqrt(2 kappa / n) + t) <= exp(-t^2 n / (4 kappa)): at n the right side is 1 - alpha
        n = bound(alpha, epsilon, kappa)
        t = epsilon - math.sqrt(2 * kappa / n)
        assert math.exp(-(t**2) * n / (4 * kappa)) == pytest.approx(1 - alpha, rel=1e-9)


# --- published numbers ------------------------------------------------------------------------------------------------


def test_the_case_study_of_encoders():
    """Decision tree and support vectors from the first version, boosting and logistic regression from the second."""
    frame = published_nstar("encoders").set_index(["model", "tuning", "scoring"])
    assert frame["published"].to_dict() == {
        ("DTC", "full", "ACC"): 28,
        ("SVC", "full", "BACC"): 34,
        ("LGBMC", "no", "BACC"): 28,
        ("LR", "full", "F1"): 47,
    }
    assert frame["paper"].tolist() == ["first version"] * 2 + ["second version"] * 2
    assert (frame["stated"] == 30).all() and (frame["kernel"] == "Jaccard(1)").all()


def test_the_case_study_of_language_models():
    expected = pd.DataFrame(
        [
            ("arithmetic", 2, 1, 21, "second version"),
            ("conlang_translation", 0, 44, 10, "first version"),
            ("conlang_translation", 0, 65, 10, "second version"),
        ],
        columns=["task_name", "number_of_shots", "published", "stated", "paper"],
    )
    pd.testing.assert_frame_equal(published_nstar("bigbench").drop(columns="kernel"), expected)


def test_another_study():
    with pytest.raises(ParameterError, match=r"study must be one of .*, got 'encodrs'; did you mean 'encoders'"):
        published_nstar("encodrs")
