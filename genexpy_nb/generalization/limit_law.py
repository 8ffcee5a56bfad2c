"""The distribution of n MMD_n^2 where the distribution of results is known, and what is put in its place.

Behind notebook 11, which derives Theorem 4.1 and Appendix C step by step: the eigenvalues of the centred kernel, the
limit law that they define, the chi-squared variables that are matched to it, and the truth beside all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import optimize, stats

from genexpy_nb.common.checks import (
    TOLERANCE,
    check_choice,
    check_count,
    check_level,
    check_positives,
    check_probabilities,
)
from genexpy_nb.common.random import seed_of, stream
from genexpy_nb.generalization.discrepancy import simulated_mmd
from genexpy_nb.generalization.exact import exact_mmd, weak_orders
from genexpy_nb.generalization.gram import check_gram, support
from genexpy_nb.generalization.intervals import chi_squared_mixture
from genexpy_nb.generalization.kernels import BordaKernel, JaccardKernel, Kernel, MallowsKernel
from genexpy_nb.generalization.moments import largest_solution
from genexpy_nb.generalization.resampling import power_law
from genexpy_nb.generalization.theory import bound, closed_form

__all__ = [
    "APPROXIMATIONS",
    "PopulationMoments",
    "World",
    "approximate_exceedances",
    "approximate_nstar",
    "approximate_quantiles",
    "centred_gram",
    "compare_with_truth",
    "curves_beside_truth",
    "eigenvalues",
    "example_worlds",
    "limit_exceedance",
    "limit_quantile",
    "matched_chi_squared",
    "population_moments",
    "regression_quantiles",
    "true_distribution",
    "true_quantile",
]

#: What is put in the place of the distribution of n MMD_n^2, from the roughest to the finest.
APPROXIMATIONS = {
    "bound": "holds for every distribution, from Eq. 60 (Proposition C.4)",
    "closed form, printed": "centred with H K H, C cubed twice; only the normal quantile is mended",
    "closed form": "centred with the probabilities, and C cubed once",
    "two moments": "scaled chi-squared with the mean and the variance at this n",
    "three moments": "shifted and scaled chi-squared with the mean and the variance at this n, and the skewness",
    "limit law": "weighted sum of chi-squared variables, by numerical inversion (Theorem C.1)",
}

_ROUNDING = 1e-12  # eigenvalues up to this share of the largest one are rounding noise around 0
_MOST_LISTED = 4_000_000  # pairs of studies that are listed rather than simulated


@dataclass(frozen=True, eq=False)
class World:
    """A distribution of results that is known, and a question that is asked of it.

    Attributes
    ----------
    name, question : str
        What happens in it; the kernel.
    gram : ndarray, shape (l, l)
        Kernel values between the results that the kernel tells apart.
    probabilities : ndarray, shape (l,)
        How likely these are.
    epsilon : float
        Threshold on the MMD.
    """

    name: str
    question: str
    gram: np.ndarray
    probabilities: np.ndarray
    epsilon: float


def example_worlds(delta: float = 0.05) -> list[World]:
    """Return four small worlds: many results and two, equally likely and not.

    Parameters
    ----------
    delta : float
        Tolerance, in (0, 1].

    Returns
    -------
    list of World
        All 13 rankings of three alternatives, equally likely (Mallows); the two rankings of Appendix A, with .55 and
        .45 (Jaccard); one ranking of four alternatives and 30 % uniform noise (Borda, of the best one); and ten
        alternatives of which each wins half as often as the one before it (Jaccard).

    Examples
    --------
    >>> [(world.name, len(world.probabilities)) for world in example_worlds()]
    [('all rankings alike', 13), ('two rankings', 2), ('one ranking and noise', 4), ('ten winners, halving', 10)]
    """
    three, four = weak_orders(3), weak_orders(4)
    noisy = np.full(len(four), 0.3 / len(four))
    noisy[(four == np.arange(4)).all(axis=1)] += 0.7
    halving = 0.5 ** np.arange(10)
    winners = np.where(np.eye(10, dtype=bool), 0, 1)
    two = np.array([[0, 1, 2, 3, 4], [1, 0, 2, 3, 4]])
    given: list[tuple[str, Kernel, np.ndarray, np.ndarray]] = [
        ("all rankings alike", MallowsKernel(), three, np.full(len(three), 1 / len(three))),
        ("two rankings", JaccardKernel(), two, np.array([0.55, 0.45])),
        ("one ranking and noise", BordaKernel(0), four, noisy),
        ("ten winners, halving", JaccardKernel(), winners, halving / halving.sum()),
    ]
    names = {"MallowsKernel": "Mallows", "JaccardKernel": "Jaccard(1)", "BordaKernel": "Borda, the best one"}
    return [
        World(
            name,
            names[type(kernel).__name__],
            *support(kernel.gram(rankings), p),
            float(kernel.epsilon(delta, rankings.shape[1])),
        )
        for name, kernel, rankings, p in given
    ]


# --- the limit law, step by step --------------------------------------------------------------------------------------


def centred_gram(gram: ArrayLike, probabilities: ArrayLike) -> np.ndarray:
    """Return ``(I - 1p') K (I - p1')``: kernel values of results from which the mean embedding is subtracted.

    Parameters
    ----------
    gram : array_like, shape (l, l)
    probabilities : array_like, shape (l,)

    Returns
    -------
    ndarray, shape (l, l)
        Its mean over either argument, weighted with the probabilities, is 0: the kernel is degenerate.

    Examples
    --------
    >>> centred_gram(np.eye(2), [0.5, 0.5])
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    """
    values = check_gram(gram, at_least=1)
    p = check_probabilities("probabilities", probabilities, len(values))
    means = values @ p
    return values - means[:, None] - means[None, :] + p @ means


def eigenvalues(gram: ArrayLike, probabilities: ArrayLike, centring: str = "weighted") -> np.ndarray:
    """Return the eigenvalues of the centred kernel as an operator, largest first.

    Parameters
    ----------
    gram : array_like, shape (l, l)
        Kernel values between the possible results.
    probabilities : array_like, shape (l,)
        How likely these are.
    centring : {"weighted", "published"}
        As in `genexpy_nb.closed_form`: with the probabilities, or ``H K H``, which weighs all results alike.

    Returns
    -------
    ndarray, shape (l,)
        Of ``diag(sqrt p) K~ diag(sqrt p)``, which has those of ``K~ diag(p)`` and is symmetric; none below 0.

    References
    ----------
    Generalizability of Experimental Studies, second version, Theorems C.1 and C.2.

    Examples
    --------
    >>> eigenvalues(np.eye(2), [0.5, 0.5])
    array([0.5, 0. ])
    """
    check_choice("centring", centring, ("weighted", "published"))
    values = check_gram(gram, at_least=1)
    p = check_probabilities("probabilities", probabilities, len(values))
    weights = p if centring == "weighted" else np.full(len(p), 1 / len(p))
    root = np.sqrt(p)
    found = np.linalg.eigvalsh(root[:, None] * centred_gram(values, weights) * root)[::-1]
    return np.where(found > _ROUNDING * max(found[0], _ROUNDING), found, 0.0)


def limit_exceedance(weights: ArrayLike, values: ArrayLike) -> np.ndarray:
    """Return ``P(2 sum_k lambda_k Z_k^2 > x)``, Z_k independent standard normal variables.

    Parameters
    ----------
    weights : array_like, shape (l,)
        The eigenvalues, largest first; the eleventh and further ones are taken together, see
        `genexpy_nb.generalization.intervals.chi_squared_mixture`.
    values : array_like, shape (V,)
        Positive.

    Returns
    -------
    ndarray, shape (V,)

    References
    ----------
    Generalizability of Experimental Studies, second version, Theorem C.1 and Eq. 23.

    Examples
    --------
    >>> limit_exceedance([0.5], [3.8415]).round(4)
    array([0.05])
    """
    doubled = 2 * np.asarray(weights, dtype=float)
    return np.clip(1 - chi_squared_mixture(doubled[None], check_positives("values", values)[None])[0], 0, 1)


def limit_quantile(weights: ArrayLike, alpha: float) -> float:
    """Return the alpha-quantile of ``2 sum_k lambda_k Z_k^2``.

    Parameters
    ----------
    weights : array_like, shape (l,)
        The eigenvalues, largest first, the first one positive.
    alpha : float
        In (0, 1).

    Examples
    --------
    >>> round(limit_quantile([0.5], 0.95), 4)
    3.8415
    """
    alpha, spectrum = check_level("alpha", alpha), np.asarray(weights, dtype=float)
    highest = 2 * spectrum.sum() * stats.chi2.ppf(1 - (1 - alpha) / 2, 1)
    low, high = 1e-6 * highest, 4 * highest

    def excess(value: float) -> float:
        return float(limit_exceedance(spectrum, [value])[0]) - (1 - alpha)

    return float(optimize.brentq(excess, low, high, xtol=1e-12, rtol=1e-12))


def matched_chi_squared(weights: ArrayLike) -> tuple[float, float]:
    """Return a and d of the variable ``a chi^2(d)`` that has the mean and the variance of the limit law.

    Parameters
    ----------
    weights : array_like, shape (l,)
        The eigenvalues.

    References
    ----------
    Generalizability of Experimental Studies, second version, Eq. 42; Solomon and Stephens (1977).

    Examples
    --------
    >>> matched_chi_squared([0.5, 0.5])
    (1.0, 2.0)
    """
    spectrum = np.asarray(weights, dtype=float)
    first, second = float(spectrum.sum()), float((spectrum**2).sum())
    return 2 * second / first, first**2 / second


# --- moments of a known distribution ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class PopulationMoments:
    """What the mean, the variance and the third cumulant of n MMD_n^2 are made of.

    Attributes
    ----------
    l1, s2, s3 : float
        Sums of the eigenvalues, of their squares and of their cubes.
    v : float
        A quarter of the variance of the squared distance of two results.

    Examples
    --------
    >>> moments = PopulationMoments(l1=0.5, s2=0.25, s3=0.125, v=0.25)
    >>> moments.mean, moments.variance(1), round(moments.variance(10), 2)
    (1.0, 1.0, 1.9)
    """

    l1: float
    s2: float
    s3: float
    v: float

    @property
    def mean(self) -> float:
        """Of n MMD_n^2, for every n."""
        return 2 * self.l1

    @property
    def degrees(self) -> float:
        """Of the shifted and scaled chi-squared variable that has the three moments."""
        return self.s2**3 / self.s3**2

    def variance(self, n: int) -> float:
        """Of n MMD_n^2, for this n."""
        return 8 * self.s2 * (1 - 1 / n) + 4 * self.v / n


def population_moments(gram: ArrayLike, probabilities: ArrayLike) -> PopulationMoments:
    """Compute the moments of n MMD_n^2 from a known distribution of results.

    Parameters
    ----------
    gram : array_like, shape (l, l)
    probabilities : array_like, shape (l,)

    Returns
    -------
    PopulationMoments

    References
    ----------
    Ours, see `genexpy_nb.generalization.moments`, which estimates the same from a sample.

    Examples
    --------
    >>> found = population_moments(np.eye(2), [0.5, 0.5])
    >>> round(found.mean, 6), round(found.degrees, 6)
    (1.0, 1.0)
    """
    values = check_gram(gram, at_least=1)
    p = check_probabilities("probabilities", probabilities, len(values))
    spectrum = eigenvalues(values, p)
    diagonal = values.diagonal()
    distances = diagonal[:, None] + diagonal[None, :] - 2 * values
    mean = p @ distances @ p
    v = float(p @ (distances - mean) ** 2 @ p) / 4
    l1, s2, s3 = (float((spectrum**power).sum()) for power in (1, 2, 3))
    return PopulationMoments(l1, s2, s3, v)


# --- the truth, and what is put in its place --------------------------------------------------------------------------


def true_distribution(
    world: World, n: int, *, n_pairs: int = 20_000, rng: np.random.Generator | int = 0, most_listed: int = _MOST_LISTED
) -> tuple[np.ndarray, np.ndarray, bool]:
    """Return the distribution of n MMD_n^2: all pairs of studies where they can be listed, simulated pairs elsewhere.

    Parameters
    ----------
    world : World
    n : int
        Experiments in each study.
    n_pairs : int
        Simulated pairs of studies.
    rng : numpy.random.Generator or int
        Source of randomness, or its seed.
    most_listed : int
        Pairs that are listed at most.

    Returns
    -------
    values, probabilities : ndarray, shape (m,)
        Ascending values.
    exact : bool
        Whether they were listed.

    Examples
    --------
    >>> values, probabilities, exact = true_distribution(example_worlds()[1], n=1)
    >>> values.round(2), probabilities.round(3), exact
    (array([0., 2.]), array([0.505, 0.495]), True)
    """
    n, n_pairs = check_count("n", n), check_count("n_pairs", n_pairs)
    if comb(n + len(world.probabilities) - 1, n) ** 2 <= most_listed:
        distances, probability = exact_mmd(world.gram, n, world.probabilities)
        return n * distances**2, probability, True
    draw = stream(seed_of(rng), n)
    distances = np.sort(simulated_mmd(world.gram, world.probabilities, n, n_pairs, draw))
    return n * distances**2, np.full(n_pairs, 1 / n_pairs), False


def true_quantile(values: np.ndarray, probabilities: np.ndarray, alpha: float) -> float:
    """Return the smallest value that is not exceeded with probability alpha or more.

    Examples
    --------
    >>> true_quantile(np.array([0.0, 1.0, 2.0]), np.array([0.5, 0.45, 0.05]), 0.95)
    1.0
    """
    at_most = np.cumsum(probabilities)
    return float(values[min(int(np.searchsorted(at_most, alpha - TOLERANCE)), len(values) - 1)])


def approximate_exceedances(world: World, n: int, values: ArrayLike) -> pd.DataFrame:
    """Return ``P(n MMD_n^2 > x)`` as each approximation has it.

    Parameters
    ----------
    world : World
    n : int
        Experiments in each study; only the two and three moments depend on it.
    values : array_like, shape (V,)
        Positive.

    Returns
    -------
    DataFrame, shape (V, 6)
        A column for each of `APPROXIMATIONS`, indexed by the values.

    Examples
    --------
    >>> approximate_exceedances(example_worlds()[1], 10, [3.8]).round(3).to_dict("records")[0]["limit law"]
    0.05
    """
    x = check_positives("values", values)
    n = check_count("n", n)
    gram, p = world.gram, world.probabilities
    spectrum, known = eigenvalues(gram, p), population_moments(gram, p)
    a, d = matched_chi_squared(spectrum)
    printed_a, printed_d = matched_chi_squared(eigenvalues(gram, p, "published"))
    variance, nu = known.variance(n), known.degrees
    standard = (x - known.mean) / np.sqrt(variance)
    scale = variance / (2 * known.mean)
    kappa = float(gram.diagonal().max())
    beyond = np.maximum(np.sqrt(x) - np.sqrt(2 * kappa), 0)
    columns = {
        "bound": np.exp(-(beyond**2) / (4 * kappa)),
        "closed form, printed": _exceedance_by_normal(x, printed_a, printed_d, power=9),
        "closed form": _exceedance_by_normal(x, a, d, power=3),
        "two moments": stats.chi2.sf(x / scale, known.mean / scale),
        "three moments": stats.chi2.sf(nu + np.sqrt(2 * nu) * standard, nu),
        "limit law": limit_exceedance(spectrum, x),
    }
    return pd.DataFrame({name: columns[name] for name in APPROXIMATIONS}, index=pd.Index(x, name="value"))


def _exceedance_by_normal(x: np.ndarray, a: float, d: float, power: int) -> np.ndarray:
    """Take ``(x / (a d))^(1 / power)`` for a normal variable: Wilson and Hilferty's 3, or the 9 of a cube cubed."""
    spread = 2 / (9 * d)
    return stats.norm.sf(((x / (a * d)) ** (1 / power) - (1 - spread)) / np.sqrt(spread))


def approximate_quantiles(world: World, n: int, alpha: float) -> pd.Series:
    """Return the alpha-quantile of n MMD_n^2 as each approximation has it.

    Parameters
    ----------
    world : World
    n : int
        Experiments in each study.
    alpha : float
        In (0, 1).

    Returns
    -------
    Series
        One number for each of `APPROXIMATIONS`.

    Examples
    --------
    >>> approximate_quantiles(example_worlds()[1], 40, 0.95).round(2).to_dict()["three moments"]
    3.79
    """
    gram, p = world.gram, world.probabilities
    known, n = population_moments(gram, p), check_count("n", n)
    variance, nu = known.variance(n), known.degrees
    scale = variance / (2 * known.mean)
    found = {
        "bound": bound(alpha, 1.0, float(gram.diagonal().max())),
        "closed form, printed": closed_form(gram, alpha, 1.0, p, centring="published", cubes=3),
        "closed form": closed_form(gram, alpha, 1.0, p),
        "two moments": scale * stats.chi2.ppf(alpha, known.mean / scale),
        "three moments": known.mean + np.sqrt(variance / (2 * nu)) * (stats.chi2.ppf(alpha, nu) - nu),
        "limit law": limit_quantile(eigenvalues(gram, p), alpha),
    }
    return pd.Series({name: float(found[name]) for name in APPROXIMATIONS})


def approximate_nstar(world: World, alpha: float) -> pd.Series:
    """Return n* of a known distribution as each approximation has it, a real number.

    Parameters
    ----------
    world : World
    alpha : float
        Wanted generalizability, in (0, 1).

    Returns
    -------
    Series
        One number for each of `APPROXIMATIONS`.

    Examples
    --------
    >>> float(approximate_nstar(example_worlds()[1], 0.95).round(1)["limit law"])
    38.0
    """
    known, eps2 = population_moments(world.gram, world.probabilities), world.epsilon**2
    one = approximate_quantiles(world, 1, alpha) / eps2
    nu = known.degrees
    gain = (stats.chi2.ppf(alpha, nu) - nu) / np.sqrt(2 * nu)
    solved = largest_solution(*(np.array([x]) for x in (known.mean, gain, known.s2, known.v, eps2)))
    one["three moments"] = float(solved[0])
    one["two moments"] = _nstar_of_two_moments(world, alpha)
    return one


def _nstar_of_two_moments(world: World, alpha: float) -> float:
    def excess(n: float) -> float:
        known = population_moments(world.gram, world.probabilities)
        scale = (8 * known.s2 * (1 - 1 / n) + 4 * known.v / n) / (2 * known.mean)
        return float(scale * stats.chi2.ppf(alpha, known.mean / scale)) - n * world.epsilon**2

    highest = bound(alpha, world.epsilon, float(world.gram.diagonal().max()))
    return float(optimize.brentq(excess, 1.0, highest)) if excess(1.0) > 0 else 1.0


def regression_quantiles(
    world: World,
    n: ArrayLike,
    alpha: float,
    *,
    size: int = 20,
    n_studies: int = 100,
    n_resamples: int = 200,
    rng: np.random.Generator | int = 0,
) -> np.ndarray:
    """Return the alpha-quantiles of n MMD_n^2 that the published regression implies, from one sample after another.

    Parameters
    ----------
    world : World
    n : array_like of int, shape (S,)
        Experiments in each of the two studies that the line is asked about.
    alpha : float
        In (0, 1).
    size : int
        Experiments N that the line is fitted to, >= 6.
    n_studies : int
        Samples of that size.
    n_resamples : int
        Pairs of disjoint parts per sample and size.
    rng : numpy.random.Generator or int
        Source of randomness, or its seed.

    Returns
    -------
    ndarray, shape (n_studies, S)
        0 where a resampled quantile is 0, so that there is no line.

    References
    ----------
    Generalizability of Experimental Studies, second version, Algorithm 2 and Eq. 10.

    Examples
    --------
    >>> regression_quantiles(example_worlds()[0], [5, 20], 0.95, n_studies=3).shape
    (3, 2)
    """
    sizes, seed = np.atleast_1d(n), seed_of(rng)
    size, n_studies = check_count("size", size, 6), check_count("n_studies", n_studies)
    rows = stream(seed, size).choice(len(world.probabilities), size=(n_studies, size), p=world.probabilities)
    result = np.zeros((n_studies, len(sizes)))
    for i, row in enumerate(rows):
        sample = world.gram[np.ix_(row, row)]
        law = power_law(sample, alpha, world.epsilon, n_resamples=n_resamples, rng=seed)
        if np.isfinite(law.slope):
            result[i] = sizes * np.exp(2 * (np.log(sizes) - law.intercept) / law.slope)
    return result


def compare_with_truth(
    worlds: list[World],
    sizes: list[int],
    alpha: float,
    *,
    size: int = 20,
    n_studies: int = 100,
    n_pairs: int = 20_000,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Compare the quantile of every approximation with that of the true distribution of n MMD_n^2.

    Parameters
    ----------
    worlds : list of World
    sizes : list of int
        Experiments n in each of the two studies.
    alpha : float
        In (0, 1).
    size, n_studies
        Of the published regression, see `regression_quantiles`.
    n_pairs : int
        Pairs of studies where they are simulated.
    rng : numpy.random.Generator or int
        Source of randomness, or its seed.

    Returns
    -------
    DataFrame
        One row per world, n and approximation: ``world``, ``n``, ``exact``, ``approximation``, ``truth`` and
        ``quantile``, and ``low`` and ``high``: of the regression the tenth and ninetieth percentile over the samples,
        and its median as ``quantile``; of the others missing.

    Examples
    --------
    >>> frame = compare_with_truth(example_worlds()[1:2], [10], 0.95, n_studies=2)
    >>> frame["approximation"].tolist()[-2:], bool(frame["exact"].all())
    (['limit law', 'regression'], True)
    """
    rows = []
    for world in worlds:
        implied = regression_quantiles(world, sizes, alpha, size=size, n_studies=n_studies, rng=rng)
        low, middle, high = np.quantile(implied, [0.1, 0.5, 0.9], axis=0)
        for i, n in enumerate(sizes):
            values, probabilities, exact = true_distribution(world, n, n_pairs=n_pairs, rng=rng)
            of = {"world": world.name, "n": n, "exact": exact, "truth": true_quantile(values, probabilities, alpha)}
            given = approximate_quantiles(world, n, alpha)
            rows += [{**of, "approximation": name, "quantile": value} for name, value in given.items()]
            last = {"approximation": "regression", "quantile": middle[i], "low": low[i], "high": high[i]}
            rows.append({**of, **last})
    return pd.DataFrame(rows)


def curves_beside_truth(
    worlds: list[World],
    sizes: list[int],
    alpha: float,
    *,
    n_points: int = 200,
    n_pairs: int = 20_000,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Return ``P(n MMD_n^2 > x)``, the true one and those of all approximations, over a range around the quantile.

    Parameters
    ----------
    worlds, sizes, alpha, n_pairs, rng
        See `compare_with_truth`.
    n_points : int
        Values x, from near 0 to twice the alpha-quantile of the limit law.

    Returns
    -------
    DataFrame
        One row per world, n, curve and value: ``world``, ``n``, ``exact``, ``curve`` (``truth``, or one of
        `APPROXIMATIONS`), ``value``, ``exceedance``.

    Examples
    --------
    >>> curves = curves_beside_truth(example_worlds()[1:2], [5], 0.95, n_points=10)
    >>> curves["curve"].nunique(), len(curves)
    (7, 70)
    """
    frames = []
    for world in worlds:
        highest = 2 * limit_quantile(eigenvalues(world.gram, world.probabilities), alpha)
        x = np.linspace(0, highest, check_count("n_points", n_points) + 1)[1:]
        for n in sizes:
            values, probabilities, exact = true_distribution(world, n, n_pairs=n_pairs, rng=rng)
            at_most = np.append(0, np.cumsum(probabilities))[np.searchsorted(values, x * (1 + TOLERANCE), side="right")]
            wide = approximate_exceedances(world, n, x)
            wide.insert(0, "truth", np.clip(1 - at_most, 0, 1))
            long = wide.reset_index().melt("value", var_name="curve", value_name="exceedance")
            frames.append(long.assign(world=world.name, n=n, exact=exact))
    result = pd.concat(frames, ignore_index=True)
    return result[["world", "n", "exact", "curve", "value", "exceedance"]]
