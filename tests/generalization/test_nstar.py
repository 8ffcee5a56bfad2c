"""Generalizability and n*: published numbers, exact enumeration, an independent Algorithm 2, and properties."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as hs
from scipy import stats

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.datasets.tables import load_bigbench, load_encoders
from genexpy_nb.generalization.discrepancy import SCHEMES
from genexpy_nb.generalization.kernels import BordaKernel, JaccardKernel, MallowsKernel
from genexpy_nb.generalization.moments import kernel_moments, squared_distances, third_moment
from genexpy_nb.generalization.nstar import METHODS, NStar, estimate_grid, estimate_nstar
from genexpy_nb.generalization.resampling import _draws, generalizability, power_law
from genexpy_nb.generalization.samplers import sample_mallows, sample_plackett_luce, sample_weak_orders
from genexpy_nb.generalization.simulation import definition
from genexpy_nb.generalization.study import Study
from genexpy_nb.generalization.theory import bound, closed_form


def random_gram(n, rng, dimensions=3):
    points = rng.normal(size=(n, dimensions))
    return np.exp(-((points[:, None] - points[None]) ** 2).sum(axis=2) / 2)


def eigenvalues(gram, p):
    """Of the covariance operator: ``diag(sqrt p) (I - 1p') K (I - p1') diag(sqrt p)``."""
    centre = np.eye(len(p)) - np.outer(np.ones(len(p)), p)
    root = np.sqrt(np.asarray(p))
    return np.linalg.eigvalsh(root[:, None] * (centre @ gram @ centre.T) * root)


def limit_nstar(gram, p, alpha, epsilon, size=400_000):
    """n* if n MMD_n^2 had its limiting distribution, 2 sum lambda_k Z_k^2, by simulation."""
    spectrum = eigenvalues(gram, p)
    draws = np.random.default_rng(0).chisquare(1, size=(size, len(spectrum)))
    return np.quantile(2 * draws @ spectrum, alpha) / epsilon**2


# --- published numbers ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def encoders(published_data):
    return Study(
        load_encoders(source="original"),
        alternatives="encoder",
        target="cv_score",
        generalize_over="dataset",
        design=["model", "tuning", "scoring"],
    )


@pytest.fixture(scope="module")
def bigbench(published_data):
    return Study(
        load_bigbench(source="original"),
        alternatives="model_family_model_name",
        target="score_value",
        generalize_over="subtask_description",
        design=["task_name", "number_of_shots"],
        missing="drop",
    )


def jaccard_gram(study, configuration):
    rankings = study.rankings(configuration)
    return JaccardKernel().gram(rankings), JaccardKernel().epsilon(0.05, rankings.shape[1])


@pytest.mark.published
@pytest.mark.parametrize(
    ("model", "tuning", "scoring", "published"),
    [
        ("DTC", "full", "ACC", 28.6),
        ("SVC", "full", "BACC", 34.3),
        ("LGBMC", "no", "BACC", 28.0),
        ("LR", "full", "F1", 32.4),
    ],
)
def test_published_encoders(encoders, model, tuning, scoring, published):
    gram, epsilon = jaccard_gram(encoders, {"model": model, "tuning": tuning, "scoring": scoring})
    resampled = [estimate_nstar(gram, 0.95, epsilon, "resampling", rng=seed).estimate for seed in range(3)]
    np.testing.assert_allclose(resampled, published, rtol=0.1)
    assert np.mean(resampled) == pytest.approx(published, rel=0.05)
    assert estimate_nstar(gram, 0.95, epsilon, "moments").estimate == pytest.approx(np.mean(resampled), rel=0.1)


@pytest.mark.published
def test_published_bigbench_where_all_results_agree(bigbench):
    gram, epsilon = jaccard_gram(bigbench, {"task_name": "arithmetic", "number_of_shots": 2})
    for method in ("resampling", "moments"):
        assert estimate_nstar(gram, 0.95, epsilon, method).estimate == 1


@pytest.mark.published
def test_published_bigbench_where_they_do_not(bigbench):
    """Seventeen results of eight kinds: the MMD is discrete, its quantiles jump, and so does a single estimate."""
    gram, epsilon = jaccard_gram(bigbench, {"task_name": "conlang_translation", "number_of_shots": 0})
    assert len(gram) == 17
    resampled = [estimate_nstar(gram, 0.95, epsilon, "resampling", rng=seed).estimate for seed in range(100)]
    assert np.median(resampled) == pytest.approx(43.3, rel=0.05)


# --- resampling: against Algorithm 2 in plain Python ------------------------------------------------------------------


def algorithm_2(gram, alpha, epsilon, counts, slope=None):
    """Second version, Algorithm 2, sample by sample; ``counts`` holds the draws, (sizes, repetitions, experiments)."""
    log_q, log_n = [], []
    for n, draws in enumerate(counts, start=2):
        distances = []
        for row in draws:
            x = [i for i, w in enumerate(row) if w > 0]
            y = [i for i, w in enumerate(row) if w < 0]
            assert len(x) == len(y) == n
            total = sum(gram[a][b] for a in x for b in x) + sum(gram[a][b] for a in y for b in y)
            total -= 2 * sum(gram[a][b] for a in x for b in y)
            distances.append(math.sqrt(max(total, 0.0)) / n)
        log_q.append(math.log(sorted(distances)[math.ceil(alpha * (len(distances) - 1))]))
        log_n.append(math.log(n))
    if slope is None:
        line = stats.linregress(log_q, log_n)
        return math.exp(line.intercept + line.slope * math.log(epsilon))
    return math.exp(
        sum(x - slope * y for x, y in zip(log_n, log_q, strict=True)) / len(log_n) + slope * math.log(epsilon)
    )


@pytest.mark.parametrize("n_experiments", [6, 9, 12])
def test_resampling_equals_algorithm_2(n_experiments):
    gram = random_gram(n_experiments, np.random.default_rng(n_experiments))
    counts = np.stack(list(_draws(n_experiments, 120, seed=5)))
    assert counts.shape == (n_experiments // 2 - 1, 120, n_experiments)
    for alpha, epsilon in ((0.8, 0.4), (0.95, 0.3)):
        plain = algorithm_2(gram.tolist(), alpha, epsilon, counts)
        found = estimate_nstar(gram, alpha, epsilon, "resampling", n_resamples=120, rng=5)
        assert found.estimate == pytest.approx(plain, rel=1e-9)
        law = power_law(gram, alpha, epsilon, n_resamples=120, rng=5)
        assert law.nstar == pytest.approx(plain, rel=1e-9)
        fixed = estimate_nstar(gram, alpha, epsilon, "resampling-slope-2", n_resamples=120, rng=5)
        assert fixed.estimate == pytest.approx(algorithm_2(gram.tolist(), alpha, epsilon, counts, slope=-2), rel=1e-9)


def test_power_law_shows_every_step():
    gram = random_gram(21, np.random.default_rng(0))
    law = power_law(gram, 0.9, 0.25, n_resamples=300, rng=11)
    np.testing.assert_array_equal(law.n, np.arange(2, 11))
    assert law.distances.shape == (9, 300) and (np.diff(law.distances, axis=1) >= 0).all()
    for row, q in zip(law.distances, law.quantiles, strict=True):
        assert q in row and np.mean(row <= q) >= 0.9
    line = stats.linregress(np.log(law.quantiles), np.log(law.n))
    assert (law.slope, law.intercept) == pytest.approx((line.slope, line.intercept), rel=1e-9)
    assert law.nstar == pytest.approx(math.exp(law.intercept + law.slope * math.log(0.25)), rel=1e-12)
    assert law.nstar == estimate_nstar(gram, 0.9, 0.25, "resampling", n_resamples=300, rng=11).estimate
    assert (law.alpha, law.epsilon) == (0.9, 0.25)
    assert -3 < law.slope < -1.5  # the theorem: -2


def test_resampling_where_all_results_agree():
    law = power_law(np.ones((8, 8)), 0.95, 0.3, n_resamples=50)
    assert law.nstar == 1 and math.isnan(law.slope) and math.isnan(law.intercept)
    for method in ("resampling", "resampling-slope-2"):
        assert estimate_nstar(np.ones((8, 8)), 0.95, 0.3, method).estimate == 1


def test_with_a_given_slope_one_point_is_enough():
    gram = random_gram(4, np.random.default_rng(0))
    distances = [math.sqrt(row @ gram @ row) for row in next(_draws(4, 50, seed=1))]
    expected = 2 * (sorted(distances)[math.ceil(0.9 * 49)] / 0.3) ** 2
    found = estimate_nstar(gram, 0.9, 0.3, "resampling-slope-2", n_resamples=50, rng=1)
    assert found.estimate == pytest.approx(expected, rel=1e-9)


def test_estimates_are_at_least_one():
    gram = random_gram(10, np.random.default_rng(0))
    for method in METHODS:
        assert estimate_nstar(gram, 0.5, 1.4, method, n_resamples=200).estimate >= 1, method


# --- moments ----------------------------------------------------------------------------------------------------------


def population_moments(gram, p):
    mean = p @ gram @ p
    return p @ np.diag(gram) - mean, (eigenvalues(gram, p) ** 2).sum(), p @ gram**2 @ p - mean**2


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("p", [(0.5, 0.5), (0.8, 0.15, 0.05), (0.4, 0.35, 0.25)])
def test_moments_of_the_statistic_are_exact_for_every_n(n, p):
    """Mean 2 L1 and variance 8 S2 (1 - 1/n) + 4 v / n of n MMD_n^2, by enumeration of all pairs of studies."""
    p = np.array(p)
    gram = random_gram(len(p), np.random.default_rng(len(p)))
    studies = list(itertools.product(range(len(p)), repeat=n))
    weights = np.array([p[list(study)].prod() for study in studies])
    counts = np.array([np.bincount(study, minlength=len(p)) / n for study in studies])
    w = counts[:, None] - counts[None]
    statistic = n * np.einsum("abi,ij,abj->ab", w, gram, w)
    probability = np.outer(weights, weights)
    l1, s2, v = population_moments(gram, p)
    mean = (probability * statistic).sum()
    assert mean == pytest.approx(2 * l1, rel=1e-10)
    variance = (probability * (statistic - mean) ** 2).sum()
    assert variance == pytest.approx(8 * s2 * (1 - 1 / n) + 4 * v / n, rel=1e-10)


def moments_by_hand(gram):
    """U-statistics: averages over tuples of different results, which is what makes them unbiased."""
    n = len(gram)
    diagonal = sum(gram[i][i] for i in range(n)) / n
    pairs = list(itertools.permutations(range(n), 2))
    one = sum(gram[i][j] for i, j in pairs) / len(pairs)
    square = sum(gram[i][j] ** 2 for i, j in pairs) / len(pairs)
    triples = list(itertools.permutations(range(n), 3))
    shared = sum(gram[i][j] * gram[i][k] for i, j, k in triples) / len(triples)
    fours = list(itertools.permutations(range(n), 4))
    apart = sum(gram[i][j] * gram[k][m] for i, j, k, m in fours) / len(fours)
    return diagonal - one, square - 2 * shared + apart, square - apart


def estimated_moments(gram):
    distances = squared_distances(gram)
    return np.append(kernel_moments(distances)[0], third_moment(distances))


@pytest.mark.parametrize("n_experiments", [4, 5, 6, 7])
@pytest.mark.parametrize("p", [(0.5, 0.5), (0.6, 0.3, 0.1)])
def test_estimated_moments_are_unbiased(n_experiments, p):
    """Their mean over all samples of N, each as often as it occurs, is the moment of the distribution."""
    p = np.array(p)
    kinds = random_gram(len(p), np.random.default_rng(3))
    mean = np.zeros(4)
    for sample in itertools.combinations_with_replacement(range(len(p)), n_experiments):
        weight = stats.multinomial.pmf(np.bincount(sample, minlength=len(p)), n_experiments, p)
        mean += weight * estimated_moments(kinds[np.ix_(sample, sample)])
    exact = [*population_moments(kinds, p), (eigenvalues(kinds, p) ** 3).sum()]
    known = 4 if n_experiments >= 6 else 3  # the third moment needs six experiments
    np.testing.assert_allclose(mean[:known], exact[:known], rtol=1e-9)
    assert np.isnan(mean[known:]).all()


@pytest.mark.parametrize("seed", range(12))
def test_estimated_moments_are_averages_over_different_results(seed):
    rng = np.random.default_rng(seed)
    gram = random_gram(int(rng.integers(4, 9)), rng, dimensions=int(rng.integers(1, 4)))
    np.testing.assert_allclose(estimated_moments(gram)[:3], moments_by_hand(gram.tolist()), rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("n_experiments", [5, 8, 20])
def test_delete_one_rows_equal_explicit_deletion(n_experiments):
    gram = random_gram(n_experiments, np.random.default_rng(n_experiments))
    rows = kernel_moments(squared_distances(gram), delete_one=True)
    assert rows.shape == (n_experiments + 1, 3)
    np.testing.assert_allclose(rows[0], kernel_moments(squared_distances(gram))[0], rtol=1e-12)
    for i in range(n_experiments):
        rest = np.delete(np.delete(gram, i, axis=0), i, axis=1)
        np.testing.assert_allclose(rows[i + 1], kernel_moments(squared_distances(rest))[0], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kernel", [BordaKernel(0), JaccardKernel(), MallowsKernel()])
def test_moments_agree_with_the_definition_on_big_samples(kernel):
    for rankings in (
        sample_weak_orders(6, 150, rng=1),
        sample_plackett_luce(np.linspace(1, 2, 8), 150, rng=2),
        sample_mallows(np.arange(6), 0.3, 150, rng=3),
    ):
        gram, epsilon = kernel.gram(rankings), kernel.epsilon(0.05, rankings.shape[1])
        _, kinds, counts = np.unique(gram.round(9), axis=0, return_index=True, return_counts=True)
        kinds = gram[np.ix_(kinds, kinds)]
        truth = definition(kinds, 0.95, epsilon, counts / 150, n_studies=20_000, interpolate=True)
        assert estimate_nstar(gram, 0.95, epsilon).estimate == pytest.approx(truth, rel=0.04)


@pytest.mark.parametrize("n_experiments", [4, 5, 30])
def test_moments_where_all_results_agree(n_experiments):
    nstar = estimate_nstar(np.ones((n_experiments, n_experiments)))
    assert (nstar.estimate, nstar.low, nstar.high) == (1, 1, math.inf)


def test_four_experiments_have_an_estimate_but_no_interval():
    nstar = estimate_nstar(random_gram(4, np.random.default_rng(0)))
    assert nstar.estimate > 1 and nstar.low == 1 and nstar.high == math.inf


@hs.composite
def grams(draw, at_least=4):
    """Gram matrices of real rankings and kernels: few or many distinct results, from agreement to chaos."""
    n_experiments, n_alternatives = draw(hs.integers(at_least, 20)), draw(hs.integers(2, 7))
    rng = np.random.default_rng(draw(hs.integers(0, 2**32 - 1)))
    pool = sample_weak_orders(n_alternatives, draw(hs.integers(1, 25)), rng)
    rankings = pool[rng.integers(0, len(pool), size=n_experiments)]
    return draw(hs.sampled_from([BordaKernel(0), JaccardKernel(), MallowsKernel()])).gram(rankings)


ALPHAS = hs.floats(0.3, 0.999)
EPSILONS = hs.floats(0.02, 1.4)


@settings(max_examples=120, deadline=None)
@given(grams(), ALPHAS, ALPHAS, EPSILONS, EPSILONS)
@example(
    np.kron(np.array([[1, 0.5], [0.5, 1]]), np.ones((2, 2))), 0.75, 0.625, 0.75, 1.0
)  # n* of 1.3: Newton's method alone can cycle
def test_moments_fall_with_epsilon_and_rise_with_alpha(gram, alpha, alpha_2, epsilon, epsilon_2):
    small, large = sorted((epsilon, epsilon_2))
    assert estimate_nstar(gram, alpha, large).estimate <= estimate_nstar(gram, alpha, small).estimate * (1 + 1e-7)
    low, high = sorted((alpha, alpha_2))
    assert estimate_nstar(gram, low, epsilon).estimate <= estimate_nstar(gram, high, epsilon).estimate * (1 + 1e-7)


@settings(max_examples=120, deadline=None)
@given(grams(), ALPHAS, EPSILONS, hs.randoms(use_true_random=False))
def test_moments_interval_and_order_of_the_experiments(gram, alpha, epsilon, random):
    nstar = estimate_nstar(gram, alpha, epsilon)
    assert 1 <= nstar.low <= nstar.estimate <= nstar.high
    assert math.isfinite(nstar.estimate)
    order = list(range(len(gram)))
    random.shuffle(order)
    shuffled = estimate_nstar(gram[np.ix_(order, order)], alpha, epsilon)
    np.testing.assert_allclose(shuffled.estimate, nstar.estimate, rtol=1e-6)
    np.testing.assert_allclose([shuffled.low, shuffled.high], [nstar.low, nstar.high], rtol=1e-4)


def test_interval_of_two_results_does_not_depend_on_their_order():
    """Found by hypothesis: without the first experiment v is 0 up to rounding, and the search for n* can stop at 1."""
    kernel = np.array([[1, math.exp(-0.5)], [math.exp(-0.5), 1]])
    highs = []
    for ones in itertools.combinations(range(5), 2):
        kinds = np.isin(np.arange(5), ones).astype(int)
        highs.append(estimate_nstar(kernel[np.ix_(kinds, kinds)], 0.375, 0.25).high)
    np.testing.assert_allclose(highs, highs[0], rtol=1e-9)


def test_more_of_the_same_narrows_the_interval():
    rankings = sample_weak_orders(6, 160, rng=0)
    widths = []
    for n in (10, 40, 160):
        nstar = estimate_nstar(MallowsKernel().gram(rankings[:n]))
        widths.append(math.log(nstar.high / nstar.low))
    assert widths[0] > widths[1] > widths[2] > 0


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


def test_closed_form_equals_simulated_studies():
    p = np.array([0.7, 0.2, 0.1])
    assert closed_form(np.eye(3), 0.95, 0.1, p) == pytest.approx(
        definition(np.eye(3), 0.95, 0.1, p, n_studies=20_000), rel=0.03
    )


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


def test_printed_cube_of_a_cube_is_off():
    """C is cubed already: what is printed is C^2 times too large, C from the method itself."""
    p = np.array([0.5, 0.3, 0.2])
    exact = limit_nstar(np.eye(3), p, 0.95, 0.3)
    once, thrice = (closed_form(np.eye(3), 0.95, 0.3, p, cubes=cubes) for cubes in (1, 3))
    c = once * 0.3**2 / (2 * eigenvalues(np.eye(3), p).sum())
    assert thrice == pytest.approx(once * c**2, rel=1e-12)
    assert thrice / exact > 5


@pytest.mark.parametrize(("alpha", "tolerance"), [(0.8, 0.02), (0.9, 0.01), (0.95, 0.002), (0.99, 0.003)])
def test_lin_is_close_to_the_exact_normal_quantile(alpha, tolerance):
    gram = random_gram(8, np.random.default_rng(0))
    exact, lin = (closed_form(gram, alpha, 0.3, normal=normal) for normal in ("exact", "lin"))
    assert lin == pytest.approx(exact, rel=tolerance) and lin != exact


def test_closed_form_merges_equal_results():
    kinds = random_gram(3, np.random.default_rng(1))
    sample = [0, 0, 0, 0, 1, 1, 2, 2, 2, 2]
    merged = closed_form(kinds, 0.9, 0.3, [0.4, 0.2, 0.4])
    assert closed_form(kinds[np.ix_(sample, sample)], 0.9, 0.3) == pytest.approx(merged, rel=1e-9)
    assert closed_form(np.ones((5, 5)), 0.9, 0.3) == 1


# --- bound and definition ---------------------------------------------------------------------------------------------


def test_bound_is_equation_60():
    for alpha, epsilon, kappa in ((0.95, 0.3, 1.0), (0.8, 0.05, 0.5), (0.99, 1.2, 2.0)):
        # P(MMD >= sqrt(2 kappa / n) + t) <= exp(-t^2 n / (4 kappa)): at n the right side is 1 - alpha
        n = bound(alpha, epsilon, kappa)
        t = epsilon - math.sqrt(2 * kappa / n)
        assert math.exp(-(t**2) * n / (4 * kappa)) == pytest.approx(1 - alpha, rel=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_bound_holds(seed):
    rng = np.random.default_rng(seed)
    n_results = int(rng.integers(2, 9))
    gram, p = random_gram(n_results, rng), rng.dirichlet(np.ones(n_results))
    for alpha, epsilon in ((0.8, 0.5), (0.95, 0.3)):
        assert definition(gram, alpha, epsilon, p, n_studies=1000) <= bound(alpha, epsilon)


def two_atom_generalizability(n, p, k, epsilon):
    """Exactly: the difference of two binomial counts decides."""
    pmf = stats.binom.pmf(np.arange(n + 1), n, p)
    difference = np.abs(np.subtract.outer(np.arange(n + 1), np.arange(n + 1)))
    similar = math.sqrt(2 * (1 - k)) * difference / n <= epsilon * (1 + 1e-9)
    return float((np.outer(pmf, pmf) * similar).sum())


@pytest.mark.parametrize("alpha", [0.8, 0.95])
@pytest.mark.parametrize("k", [0.0, 0.5, 0.8])
@pytest.mark.parametrize("p", [0.5, 0.45, 0.3, 0.1, 0.03])
def test_definition_is_the_smallest_n_of_the_binomial(p, k, alpha):
    n_studies, epsilon = 100_000, 0.3162
    margin = 4 * math.sqrt(alpha * (1 - alpha) / n_studies)  # what the simulation cannot tell apart
    found = int(definition([[1, k], [k, 1]], alpha, epsilon, [p, 1 - p], n_studies=n_studies))
    assert two_atom_generalizability(found, p, k, epsilon) >= alpha - margin
    enough = [n for n in range(1, found) if two_atom_generalizability(n, p, k, epsilon) >= alpha + margin]
    assert not enough, f"{found} is not the smallest: {enough} do, too"


def test_definition_without_probabilities_is_the_empirical_distribution():
    gram = random_gram(6, np.random.default_rng(0))
    assert definition(gram, 0.9, 0.4) == definition(gram, 0.9, 0.4, [1 / 6] * 6)
    assert definition(gram, 0.9, 0.4) == estimate_nstar(gram, 0.9, 0.4, "definition", n_studies=10_000).estimate


@pytest.mark.parametrize(("p", "k"), [(0.5, 0.0), (0.2, 0.0), (0.4, 0.6)])
def test_interpolated_definition_lies_below_the_whole_number(p, k):
    gram = [[1, k], [k, 1]]
    for epsilon in (0.05, 0.2):
        whole = definition(gram, 0.9, epsilon, [p, 1 - p])
        assert whole - 1 <= definition(gram, 0.9, epsilon, [p, 1 - p], interpolate=True) <= whole


def test_definition_gives_up():
    assert definition(np.eye(2), 0.95, 1e-3, n_studies=100, n_max=1000) == math.inf
    assert definition(np.ones((3, 3)), 0.95, 1e-3) == 1


# --- generalizability -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_generalizability_equals_enumeration(share):
    gram, distances = random_gram(6, np.random.default_rng(4)), []
    for x in itertools.combinations(range(6), 2):
        for y in itertools.combinations(sorted(set(range(6)) - set(x)), 2):
            square = gram[np.ix_(x, x)].mean() + gram[np.ix_(y, y)].mean() - 2 * gram[np.ix_(x, y)].mean()
            distances.append(math.sqrt(square))
    epsilon = np.quantile(distances, share) + 1e-6
    exact = np.mean(np.array(distances) <= epsilon)
    found = generalizability(gram, 2, epsilon, n_resamples=40_000, rng=3)
    assert abs(found - exact) < 4 * math.sqrt(exact * (1 - exact) / 40_000)


@pytest.mark.parametrize(("n", "p"), [(1, 0.5), (3, 0.4), (10, 0.2)])
def test_generalizability_equals_the_binomial(n, p):
    sample = [0] * round(10 * p) + [1] * round(10 * (1 - p))
    gram = np.array([[1, 0.3], [0.3, 1]])[np.ix_(sample, sample)]
    exact = two_atom_generalizability(n, p, 0.3, 0.3)
    found = generalizability(gram, n, 0.3, n_resamples=40_000, scheme="iid")
    assert abs(found - exact) < 4 * math.sqrt(exact * (1 - exact) / 40_000)


@pytest.mark.parametrize(("k", "n"), [(0.0, 5), (0.1, 7), (1 / 3, 9), (0.7, 10)])
def test_an_mmd_on_the_threshold_counts_as_similar(k, n):
    gram = np.array([[1, k], [k, 1]])[np.ix_([0] * 20 + [1] * 20, [0] * 20 + [1] * 20)]
    for difference in range(1, n + 1):
        epsilon = math.sqrt(2 * (1 - k)) * difference / n
        on, above = (generalizability(gram, n, e, n_resamples=500, scheme="iid") for e in (epsilon, epsilon * 1.001))
        assert on == above


# --- the same each time -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_same_seed_same_bytes(method):
    gram = random_gram(12, np.random.default_rng(0))
    first, second = (estimate_nstar(gram, 0.9, 0.3, method, n_resamples=100, rng=seed) for seed in (7, 7))
    assert repr(first) == repr(second)
    by_generator = [
        estimate_nstar(gram, 0.9, 0.3, method, n_resamples=100, rng=np.random.default_rng(7)) for _ in range(2)
    ]
    assert repr(by_generator[0]) == repr(by_generator[1])


def test_another_seed_gives_another_estimate_where_there_is_chance():
    gram = random_gram(12, np.random.default_rng(0))
    for method in ("resampling", "resampling-slope-2"):
        first, second = (estimate_nstar(gram, 0.9, 0.3, method, n_resamples=100, rng=seed).estimate for seed in (7, 8))
        assert first != second
    for scheme in SCHEMES:
        assert generalizability(gram, 3, 0.5, rng=1, scheme=scheme) == generalizability(
            gram, 3, 0.5, rng=1, scheme=scheme
        )


def test_global_random_state_is_left_alone():
    gram = random_gram(12, np.random.default_rng(0))
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    for method in METHODS:
        estimate_nstar(gram, 0.9, 0.3, method, n_resamples=50)
    np.testing.assert_array_equal(before, np.random.get_state()[1])  # noqa: NPY002


def test_estimates_do_not_depend_on_their_company():
    rng = np.random.default_rng(0)
    grams = [random_gram(n, rng) for n in (12, 7, 12, 9, 6)]
    alphas, epsilons = np.array([0.8, 0.95]), [np.array([0.2, 0.4])] * 5
    for method in METHODS:
        together = estimate_grid(grams, alphas, epsilons, method, 60, 3)
        for gram, grid in zip(grams, together, strict=True):
            assert grid.shape == (2, 2, 3)
            alone = [[estimate_nstar(gram, a, e, method, n_resamples=60, rng=3) for e in (0.2, 0.4)] for a in alphas]
            np.testing.assert_allclose(grid, [[[x.estimate, x.low, x.high] for x in row] for row in alone], rtol=1e-8)


# --- results and bad input --------------------------------------------------------------------------------------------


def test_what_the_result_says():
    nstar = NStar(27.2, 20.0, 41.0, "moments", 20)
    assert (nstar.experiments, nstar.missing) == (28, 8)
    assert NStar(27.0, 20.0, 41.0, "moments", 30).missing == 0
    gram = random_gram(9, np.random.default_rng(0))
    for method in METHODS:
        result = estimate_nstar(gram, 0.95, 0.3, method, n_resamples=50)
        assert (result.method, result.n_experiments) == (method, 9)
    assert estimate_nstar(gram).method == "moments"


def test_no_finite_number_of_experiments_is_not_zero_more():
    assert NStar(math.inf, 1.0, math.inf, "definition", 20).missing > 0


GRAM = random_gram(8, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: estimate_nstar(GRAM[:5]), r"gram must be a square \(N, N\) array, got shape \(5, 8\)"),
        (lambda: estimate_nstar(np.tril(GRAM)), "gram is not symmetric"),
        (lambda: estimate_nstar(np.where(GRAM == 1, np.nan, GRAM)), "gram has missing or infinite entries"),
        (lambda: estimate_nstar(GRAM[:3, :3]), "at least 4 experiments are needed, got 3"),
        (lambda: estimate_nstar(GRAM[:5, :5], method="resampling"), "at least 6 experiments are needed, got 5"),
        (lambda: power_law(GRAM[:5, :5], 0.95, 0.3), "at least 6 experiments are needed, got 5"),
        (
            lambda: estimate_nstar(GRAM, method="momens"),
            "method must be one of .* got 'momens'; did you mean 'moments'",
        ),
        (lambda: estimate_nstar(GRAM, alpha=0), r"alpha must be .*in \(0, 1\), got 0"),
        (lambda: estimate_nstar(GRAM, alpha=1.0), r"alpha must be .*in \(0, 1\), got 1.0"),
        (lambda: estimate_nstar(GRAM, alpha=95), r"alpha must be .*in \(0, 1\), got 95"),
        (lambda: estimate_nstar(GRAM, alpha=math.nan), r"alpha must be .*in \(0, 1\), got nan"),
        (lambda: estimate_nstar(GRAM, epsilon=0), "epsilon must be a number > 0, got 0"),
        (lambda: estimate_nstar(GRAM, epsilon=-0.3), "epsilon must be a number > 0, got -0.3"),
        (lambda: estimate_nstar(GRAM, epsilon=math.nan), "epsilon must be a number > 0, got nan"),
        (lambda: estimate_nstar(GRAM, alpha=[0.9, 0.95]), "alpha must be .*number"),
        (lambda: estimate_nstar(GRAM, epsilon=[0.3, 0.4]), "epsilon must be .*number"),
        (lambda: power_law(GRAM, [0.9, 0.95], 0.3), "alpha must be .*number"),
        (lambda: closed_form(GRAM, [0.9, 0.95], 0.3), "alpha must be .*number"),
        (
            lambda: estimate_nstar(GRAM, method="resampling", n_resamples=0),
            "n_resamples must be a whole number of at least 1, got 0",
        ),
        (
            lambda: estimate_nstar(GRAM, method="definition", n_resamples=0),
            "n_resamples must be a whole number of at least 1, got 0",
        ),
        (lambda: generalizability(GRAM, 5, 0.3), "two disjoint samples of 5 need 10 experiments, there are 8"),
        (lambda: generalizability(GRAM, 2, 0.3, scheme="boot"), "scheme must be one of 'disjoint', 'iid', got 'boot'"),
        (lambda: generalizability(GRAM, 2, -1), "epsilon must be a number > 0, got -1"),
        (lambda: closed_form(GRAM, 0.95, 0.3, [0.5, 0.5]), "probabilities must be 8 numbers >= 0 with sum 1"),
        (lambda: closed_form(GRAM, 0.95, 0.3, [0.2] * 8), "probabilities must be 8 numbers >= 0 with sum 1"),
        (lambda: definition(np.eye(2), 0.95, 0.3, [1.5, -0.5]), "probabilities must be 2 numbers >= 0 with sum 1"),
        (lambda: closed_form(GRAM, 0.95, 0.3, centring="published "), "centring must be one of .* did you mean"),
        (lambda: closed_form(GRAM, 0.95, 0.3, normal="linn"), "normal must be one of .* did you mean 'lin'"),
        (lambda: closed_form(GRAM, 0.95, 0.3, cubes=2), "cubes must be one of 1, 3, got 2"),
        (lambda: bound(1.5, 0.3), r"alpha must be .*in \(0, 1\), got 1.5"),
        (lambda: bound(0.95, 0), "epsilon must be a number > 0, got 0"),
        (lambda: bound(0.95, 0.3, kappa_sup=0), "kappa_sup must be positive, got 0"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises(ParameterError, match=words):
        call()
