"""The distribution of n MMD_n^2 where the distribution of results is known, and what is put in its place.

Behind notebook 11, which derives Theorem 4.1 and Appendix C step by step: the eigenvalues of the centred kernel, the
limit law that they define, the chi-squared variables that are matched to it, and the truth beside all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    check_levels,
    check_number,
    check_positives,
    check_probabilities,
    check_scores,
    similar,
)
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.random import seed_of, stream
from genexpy_nb.generalization.discrepancy import simulated_mmd
from genexpy_nb.generalization.exact import exact_mmd, weak_orders
from genexpy_nb.generalization.gram import check_gram, support
from genexpy_nb.generalization.intervals import chi_squared_mixture, nstar_of_two_results
from genexpy_nb.generalization.kernels import BordaKernel, JaccardKernel, Kernel, MallowsKernel
from genexpy_nb.generalization.moments import (
    kernel_moments,
    largest_solution,
    nstar_by_moments,
    squared_distances,
    third_moment,
)
from genexpy_nb.generalization.nstar import estimate_each
from genexpy_nb.generalization.resampling import power_law
from genexpy_nb.generalization.samplers import RankingDistribution
from genexpy_nb.generalization.simulation import definition
from genexpy_nb.generalization.theory import bound, closed_form

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
    """A distribution of results that is known, and a question that is asked of it."""

    name: str
    question: str
    gram: np.ndarray
    probabilities: np.ndarray
    epsilon: float


def example_worlds(delta: float = 0.05) -> list[World]:
    """Return four small worlds: many results and two, equally likely and not."""
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
    """Return ``(I - 1p') K (I - p1')``: kernel values of results from which the mean embedding is subtracted."""
    values = check_gram(gram, at_least=1)
    p = check_probabilities("probabilities", probabilities, len(values))
    means = values @ p
    return values - means[:, None] - means[None, :] + p @ means


def eigenvalues(gram: ArrayLike, probabilities: ArrayLike, centring: str = "weighted") -> np.ndarray:
    """Return the eigenvalues of the centred kernel as an operator, largest first."""
    check_choice("centring", centring, ("weighted", "published"))
    values = check_gram(gram, at_least=1)
    p = check_probabilities("probabilities", probabilities, len(values))
    weights = p if centring == "weighted" else np.full(len(p), 1 / len(p))
    root = np.sqrt(p)
    found = np.linalg.eigvalsh(root[:, None] * centred_gram(values, weights) * root)[::-1]
    return np.where(found > _ROUNDING * max(found[0], _ROUNDING), found, 0.0)


def limit_exceedance(weights: ArrayLike, values: ArrayLike) -> np.ndarray:
    """Return ``P(2 sum_k lambda_k Z_k^2 > x)``, Z_k independent standard normal variables."""
    doubled = 2 * np.asarray(weights, dtype=float)
    return np.clip(1 - chi_squared_mixture(doubled[None], check_positives("values", values)[None])[0], 0, 1)


def limit_quantile(weights: ArrayLike, alpha: float) -> float:
    """Return the alpha-quantile of ``2 sum_k lambda_k Z_k^2``."""
    alpha, spectrum = check_level("alpha", alpha), np.asarray(weights, dtype=float)
    highest = 2 * spectrum.sum() * stats.chi2.ppf(1 - (1 - alpha) / 2, 1)
    low, high = 1e-6 * highest, 4 * highest

    def excess(value: float) -> float:
        return float(limit_exceedance(spectrum, [value])[0]) - (1 - alpha)

    return float(optimize.brentq(excess, low, high, xtol=1e-12, rtol=1e-12))


def matched_chi_squared(weights: ArrayLike) -> tuple[float, float]:
    """Return a and d of the variable ``a chi^2(d)`` that has the mean and the variance of the limit law."""
    spectrum = np.asarray(weights, dtype=float)
    first, second = float(spectrum.sum()), float((spectrum**2).sum())
    return 2 * second / first, first**2 / second


# --- moments of a known distribution ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class PopulationMoments:
    """What the mean, the variance and the third cumulant of n MMD_n^2 are made of."""

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
    """Compute the moments of n MMD_n^2 from a known distribution of results."""
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
    """Return the distribution of n MMD_n^2: all pairs of studies where they can be listed, simulated pairs
    elsewhere.
    """
    n, n_pairs = check_count("n", n), check_count("n_pairs", n_pairs)
    if comb(n + len(world.probabilities) - 1, n) ** 2 <= most_listed:
        distances, probability = exact_mmd(world.gram, n, world.probabilities)
        return n * distances**2, probability, True
    draw = stream(seed_of(rng), n)
    distances = np.sort(simulated_mmd(world.gram, world.probabilities, n, n_pairs, draw))
    return n * distances**2, np.full(n_pairs, 1 / n_pairs), False


def true_quantile(values: np.ndarray, probabilities: np.ndarray, alpha: float) -> float:
    """Return the smallest value that is not exceeded with probability alpha or more."""
    at_most = np.cumsum(probabilities)
    return float(values[min(int(np.searchsorted(at_most, alpha - TOLERANCE)), len(values) - 1)])


def approximate_exceedances(world: World, n: int, values: ArrayLike) -> pd.DataFrame:
    """Return ``P(n MMD_n^2 > x)`` as each approximation has it."""
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
    """Return the alpha-quantile of n MMD_n^2 as each approximation has it."""
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
    """Return n* of a known distribution as each approximation has it, a real number."""
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
    """Return the alpha-quantiles of n MMD_n^2 that the published regression implies, from one sample after another."""
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
    """Compare the quantile of every approximation with that of the true distribution of n MMD_n^2."""
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
    """Return ``P(n MMD_n^2 > x)``, the true one and those of all approximations, over a range around the quantile."""
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


_STEP = 4.0  # of the logarithms of the weights, at most


_ROUNDS = 300  # steps towards the weights of the rivals: a pick or a proof is found in a few, mostly


#: How the next batch of experiments is chosen.
POLICIES = {
    "as they come": "drawn at random",
    "in proportion": "from each kind, as many as its share of all experiments",
    "most alike": "from the kind whose results differed least so far",
    "most diverse": "from the kind whose results differed most so far",
}


def cherry_pick(scores: ArrayLike, method: int, k: int) -> tuple[np.ndarray, bool]:
    """Choose k experiments in which a method has the best mean score, if there are any."""
    values = check_scores(scores).values
    k = check_count("k", k, 1, len(values))
    method = check_count("method", method, 0, values.shape[1] - 1)
    leads = values[:, [method]] - np.delete(values, method, axis=1)
    chosen, settled = _pick(leads[None], k)
    return (chosen[0] if settled[0] and chosen[0, 0] >= 0 else np.array([], dtype=np.int64)), bool(settled[0])


def _pick(leads: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Choose in each of S studies: leads over R rivals, (S, N, R) -> rows, (S, k), -1 if none; whether settled."""
    n_studies, _, n_rivals = leads.shape
    weights = np.full((n_studies, n_rivals), 1 / n_rivals)
    chosen = np.full((n_studies, k), -1)
    settled = np.zeros(n_studies, dtype=bool)
    scale = np.maximum(np.abs(leads).max(axis=(1, 2)), 1e-300)[:, None]
    for _ in range(_ROUNDS):
        open_ = np.flatnonzero(~settled)
        if not len(open_):
            break
        weighted = np.einsum("snr,sr->sn", leads[open_], weights[open_])
        rows = np.sort(np.argpartition(-weighted, k - 1, axis=1)[:, :k], axis=1)
        impossible = np.take_along_axis(weighted, rows, axis=1).sum(axis=1) <= 0
        totals = np.take_along_axis(leads[open_], rows[:, :, None], axis=1).sum(axis=1)
        found = (totals > 0).all(axis=1)
        chosen[open_[found]] = rows[found]
        settled[open_[found | impossible]] = True
        weights[open_] *= np.exp(-_STEP * totals / (k * scale[open_]))
        weights[open_] /= weights[open_].sum(axis=1, keepdims=True)
    return chosen, settled


def cherry_picking(
    effects: ArrayLike,
    n_experiments: int,
    sizes: Sequence[int],
    *,
    n_studies: int = 500,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Simulate how often each method of a study can be made its winner, by a choice of experiments."""
    means = np.asarray(effects, dtype=float)
    n_experiments, n_studies = check_count("n_experiments", n_experiments), check_count("n_studies", n_studies)
    scores = _normal_scores(means, n_experiments, n_studies, seed_of(rng))
    rows = []
    for k in (check_count("sizes", each, 1, n_experiments) for each in sizes):
        winners = scores[:, :k].mean(axis=1).argmax(axis=1)  # rows come in random order
        for method in range(len(means)):
            leads = scores[:, :, [method]] - np.delete(scores, method, axis=2)
            chosen, settled = _pick(leads, k)
            picked = chosen[:, 0] >= 0
            of = {"k": k, "method": method, "picked": picked.mean(), "open": (~settled).mean()}
            rows.append({**of, "drawn": (winners == method).mean()})
    return pd.DataFrame(rows)


def _normal_scores(means: np.ndarray, n_experiments: int, n_studies: int, seed: int) -> np.ndarray:
    return means + stream(seed, n_experiments).normal(size=(n_studies, n_experiments, len(means)))


def picked_nstar(
    effects: ArrayLike,
    n_experiments: int,
    k: int,
    method: int,
    *,
    alpha: float = 0.95,
    delta: float = 0.05,
    n_studies: int = 200,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Simulate what the choice of experiments does to n*, for the question who wins (Jaccard)."""
    means = np.asarray(effects, dtype=float)
    k = check_count("k", k, 5, n_experiments)
    scores = _normal_scores(means, n_experiments, check_count("n_studies", n_studies), seed_of(rng))
    others = np.delete(scores, method, axis=2).max(axis=2)
    best = np.argsort(-(scores[:, :, method] - others), axis=1, kind="stable")[:, :k]
    winners = scores.argmax(axis=2)
    epsilon = float(JaccardKernel().epsilon(delta, len(means)))
    frames = []
    for way, rows in (("drawn", winners[:, :k]), ("picked", np.take_along_axis(winners, best, axis=1))):
        grams = (rows[:, :, None] == rows[:, None, :]).astype(float)  # Jaccard of single winners
        found = nstar_by_moments(grams, np.array([alpha]), np.full((len(grams), 1), epsilon))[:, 0, 0]
        frame = pd.DataFrame(found, columns=["nstar", "low", "high"])
        frame.insert(0, "wins", (rows == method).mean(axis=1))
        frame.insert(0, "way", way)
        frame.insert(0, "study", np.arange(len(frame)))
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


@dataclass(frozen=True, eq=False)
class Strata:
    """Kinds of experiments that are known before they are run, such as small and large datasets."""

    shares: np.ndarray
    distributions: tuple[RankingDistribution, ...]

    def __post_init__(self) -> None:
        first = self.distributions[0].rankings
        if any(not np.array_equal(first, each.rankings) for each in self.distributions):
            raise ParameterError("distributions must list the same rankings in the same order")

    @property
    def mixture(self) -> RankingDistribution:
        """What experiments that are drawn at random give."""
        p = np.stack([each.probabilities for each in self.distributions])
        return RankingDistribution(self.distributions[0].rankings, self.shares @ p)


def example_strata() -> Strata:
    """Return two kinds of experiments with four alternatives: most agree on one ranking, the others on little."""
    rankings = weak_orders(4)
    made = []
    for centre, noise in (([0, 1, 2, 3], 0.15), ([1, 3, 0, 2], 0.6)):
        p = np.full(len(rankings), noise / len(rankings))
        p[(rankings == centre).all(axis=1)] += 1 - noise
        made.append(RankingDistribution(rankings, p))
    return Strata(np.array([0.6, 0.4]), tuple(made))


def adaptive_studies(
    strata: Strata,
    kernel: Kernel | None = None,
    policies: Sequence[str] = tuple(POLICIES),
    *,
    alpha: float = 0.95,
    delta: float = 0.05,
    first: int = 10,
    batch: int = 5,
    budget: int = 60,
    n_studies: int = 200,
    rng: np.random.Generator | int = 0,
) -> tuple[pd.DataFrame, float]:
    """Simulate studies that choose their next experiments, and end when there are as many as the estimate of n*."""
    for policy in policies:
        check_choice("policies", policy, POLICIES)
    kernel = MallowsKernel() if kernel is None else kernel
    alpha, n_studies = check_level("alpha", alpha), check_count("n_studies", n_studies)
    first = check_count("first", first, max(5, len(strata.shares) + 1))  # or no kind may be seen twice
    batch = check_count("batch", batch)
    budget, seed = check_count("budget", budget, first), seed_of(rng)
    mixture = strata.mixture
    epsilon = float(kernel.epsilon(delta, mixture.rankings.shape[1]))
    seen, p = support(kernel.gram(mixture.rankings), mixture.probabilities)
    truth = definition(seen, alpha, epsilon, p, rng=seed)
    world = _AdaptiveWorld(strata, kernel.gram(mixture.rankings), alpha, epsilon)
    frames = []
    for policy in policies:
        studies = _run(world, policy, (first, batch, budget), n_studies, stream(seed, n_studies))
        frames.append(studies.assign(policy=policy))
    result = pd.concat(frames, ignore_index=True)
    reached = {n: _true_generalizability(seen, p, n, epsilon, seed) for n in sorted(set(result["n"]))}
    result["generalizability"] = result["n"].map(reached)
    return result[["policy", *[c for c in result.columns if c != "policy"]]], truth


@dataclass(frozen=True, eq=False)
class _AdaptiveWorld:
    strata: Strata
    gram: np.ndarray
    alpha: float
    epsilon: float


def _run(
    world: _AdaptiveWorld, policy: str, sizes: tuple[int, int, int], n_studies: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Run all studies of a policy side by side; those that have ended are left as they are."""
    first, batch, budget = sizes
    kinds = _random_kinds(world.strata, policy, 0, first, n_studies, rng)
    results = _results_of(world.strata, kinds, rng)
    rows: Mapping[int, dict[str, float]] = {}
    ended: dict[int, dict[str, float]] = dict(rows)
    active = np.arange(n_studies)
    while True:
        n = kinds.shape[1]
        grams = world.gram[results[:, :, None], results[:, None, :]]
        found = nstar_by_moments(grams, np.array([world.alpha]), np.full((len(grams), 1), world.epsilon))[:, 0, 0]
        settled = n >= found[:, 0]
        over = settled | (n >= budget)
        right = _right_winner(world.strata.mixture, results)
        for i in np.flatnonzero(over):
            estimate = dict(zip(("nstar", "low", "high"), found[i].tolist(), strict=True))
            of = {"study": int(active[i]), "n": n, "settled": bool(settled[i])}
            ended[int(active[i])] = {**of, **estimate, "share": float(np.mean(kinds[i] == 0)), "right": right[i]}
        if over.all():
            return pd.DataFrame([ended[i] for i in range(n_studies)])
        active, kinds, results, grams = active[~over], kinds[~over], results[~over], grams[~over]
        size = min(batch, budget - n)
        if policy in ("most alike", "most diverse"):
            more = np.repeat(_chosen_kind(grams, kinds, len(world.strata.shares), policy)[:, None], size, axis=1)
        else:
            more = _random_kinds(world.strata, policy, n, size, len(active), rng)
        kinds, results = np.hstack([kinds, more]), np.hstack([results, _results_of(world.strata, more, rng)])


def _random_kinds(
    strata: Strata, policy: str, n: int, size: int, n_studies: int, rng: np.random.Generator
) -> np.ndarray:
    """Kinds of the next experiments, (n_studies, size): at random, or those that are furthest behind their share."""
    if policy != "in proportion":
        return rng.choice(len(strata.shares), size=(n_studies, size), p=strata.shares)
    due = np.floor(np.outer(np.arange(1, n + size + 1), np.cumsum(strata.shares)) + 0.5)
    counts = np.diff(due, axis=1, prepend=0)
    steps = np.diff(counts, axis=0, prepend=0)
    return np.tile(steps[n:].argmax(axis=1), (n_studies, 1))


def _results_of(strata: Strata, kinds: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Which ranking each experiment gives, of the shape of the kinds."""
    cumulative = np.cumsum([each.probabilities for each in strata.distributions], axis=1)
    uniform = rng.random(kinds.shape)
    return np.minimum((uniform[..., None] >= cumulative[kinds]).sum(axis=-1), cumulative.shape[1] - 1)


def _chosen_kind(grams: np.ndarray, kinds: np.ndarray, n_kinds: int, policy: str) -> np.ndarray:
    """The kind whose results are most alike so far, or least, (n_studies,); one seen less than twice is passed over."""
    inside = np.stack([kinds == kind for kind in range(n_kinds)], axis=-1).astype(float)
    counts = inside.sum(axis=1)
    pairs = np.einsum("bis,bij,bjs->bs", inside, grams, inside) - np.einsum("bis,bii->bs", inside, grams)
    alike = np.where(counts > 1, pairs / np.maximum(counts * (counts - 1), 1), np.nan)
    sign = 1 if policy == "most alike" else -1
    return np.nanargmax(sign * alike, axis=1)


def _right_winner(mixture: RankingDistribution, results: np.ndarray) -> list[float]:
    """Whether the best mean tier is where it is among all experiments; of several best, the share of the right one."""
    tiers = mixture.rankings[results].sum(axis=1)
    best = tiers == tiers.min(axis=1, keepdims=True)
    right = int(np.argmin(mixture.probabilities @ mixture.rankings))
    return (best[:, right] / best.sum(axis=1)).tolist()


def _true_generalizability(gram: np.ndarray, p: np.ndarray, n: int, epsilon: float, seed: int) -> float:
    distances = simulated_mmd(gram, p, n, 4000, stream(seed, n))
    return float(np.mean(similar(distances, epsilon)))


def estimated_moments(
    world: World, size: int, *, n_studies: int = 2000, rng: np.random.Generator | int = 0
) -> pd.DataFrame:
    """Average the estimates of the moments over many samples, beside the moments of the world."""
    size, n_studies = check_count("size", size, 6), check_count("n_studies", n_studies)
    p = world.probabilities
    rows = stream(seed_of(rng), size).choice(len(p), size=(n_studies, size), p=p)
    distances = squared_distances(world.gram[rows[:, :, None], rows[:, None, :]])
    l1, s2, v = kernel_moments(distances)[:, 0].T
    estimates = np.stack([l1, s2, third_moment(distances), v])
    means = distances.mean(axis=-1)
    grand = means.mean(axis=-1)[:, None, None]
    spectra = np.linalg.eigvalsh((means[:, :, None] + means[:, None, :] - grand - distances) / 2) / size
    plugged = [(spectra**power).sum(axis=1).mean() for power in (1, 2, 3)]
    known = population_moments(world.gram, p)
    return pd.DataFrame(
        {
            "truth": [known.l1, known.s2, known.s3, known.v],
            "unbiased": estimates.mean(axis=1),
            "error": estimates.std(axis=1) / np.sqrt(n_studies),
            "plugged in": [*plugged, (distances.var(axis=(-1, -2)) / 4).mean()],
        },
        index=pd.Index(["L1", "S2", "S3", "v"], name="moment"),
    )


def refinements(shares: ArrayLike, alpha: float, deltas: ArrayLike) -> pd.DataFrame:
    """Return n* of two results with nothing in common, exactly, and by three moments without and with refinements."""
    alpha, epsilons = check_level("alpha", alpha), np.sqrt(2 * check_positives("deltas", deltas))
    frames = []
    for share in check_levels("shares", shares):
        known = population_moments(np.eye(2), [share, 1 - share])
        nu = known.degrees
        gain = (stats.chi2.ppf(alpha, nu) - nu) / np.sqrt(2 * nu)
        steps = np.stack([np.zeros(len(epsilons)), epsilons / np.sqrt(2)])  # sqrt 2: the distance of the two results
        mean = known.mean * np.maximum(1 - steps, 0)
        plain, refined = largest_solution(mean, np.array(gain), np.array(known.s2), np.array(known.v), epsilons**2)
        floor = np.sqrt(2) / epsilons if 2 * share * (1 - share) > 1 - alpha else np.ones(len(epsilons))
        ratios = (epsilons / np.sqrt(2))[None]
        exact = nstar_of_two_results(np.array([share * (1 - share)]), np.array([alpha]), ratios)[0, 0]
        columns = {"delta": epsilons**2 / 2, "exact": exact, "three moments": plain, "half a step": refined}
        frame = pd.DataFrame({**columns, "floor": np.maximum(refined, floor)})
        frame.insert(0, "share", share)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def nstar_with_early_exit(
    gram: ArrayLike,
    alpha: float,
    epsilon: float,
    *,
    n_resamples: int = 200,
    rng: np.random.Generator | int = 0,
) -> tuple[float, bool]:
    """Estimate n* as the text of the first version says: an n that the resampled parts already show is returned."""
    epsilon = check_number("epsilon", epsilon, 0)
    law = power_law(gram, alpha, epsilon, n_resamples=n_resamples, rng=rng)
    enough = similar(law.quantiles, epsilon)
    if enough.any():
        return float(law.n[int(np.argmax(enough))]), True
    return law.nstar, False


def with_and_without_early_exit(
    worlds: Sequence[World],
    alpha: float,
    size: int,
    *,
    n_studies: int = 100,
    n_resamples: int = 200,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Estimate n* from many samples with the early exit of the first version, by the line alone, and by moments."""
    seed, rows = seed_of(rng), []
    size, n_studies = check_count("size", size, 6), check_count("n_studies", n_studies)
    for world in worlds:
        p = world.probabilities
        truth = definition(world.gram, alpha, world.epsilon, p, rng=seed, interpolate=True)
        draws = stream(seed, size).choice(len(p), size=(n_studies, size), p=p)
        grams = [world.gram[np.ix_(row, row)] for row in draws]
        by_moments = estimate_each(grams, alpha, world.epsilon, "moments", n_resamples, seed)[:, 0]
        for study, gram in enumerate(grams):
            early, found = nstar_with_early_exit(gram, alpha, world.epsilon, n_resamples=n_resamples, rng=seed)
            line = power_law(gram, alpha, world.epsilon, n_resamples=n_resamples, rng=seed).nstar if found else early
            of = {"world": world.name, "study": study, "truth": truth, "found": found}
            ways = {"early exit": early, "line": line, "moments": float(by_moments[study])}
            rows += [{**of, "way": way, "nstar": nstar} for way, nstar in ways.items()]
    return pd.DataFrame(rows)[["world", "study", "way", "nstar", "truth", "found"]]


def overlap_of_winners(rankings: ArrayLike) -> np.ndarray:
    """Return a plausible similarity that is no kernel: common winners over the winners of the smaller set."""
    best = (np.asarray(rankings) == 0).astype(float)
    sizes = best.sum(axis=1)
    return (best @ best.T) / np.minimum(sizes[:, None], sizes)


def crossed_squared_distances(
    variances: Sequence[float],
    sizes: Sequence[int],
    *,
    dimensions: int = 4,
    n_pairs: int = 2000,
    rng: np.random.Generator | int = 0,
) -> np.ndarray:
    """Simulate MMD^2 between two studies that cross two random factors, with the kernel ``x y``."""
    v_a, v_b, v_ab = (check_number("variances", each, 0, ends="[)") for each in variances)
    n, m = (check_count("sizes", each) for each in sizes)
    n_pairs, dimensions = check_count("n_pairs", n_pairs), check_count("dimensions", dimensions)
    draw = stream(seed_of(rng), n, m)
    shape = (2, n_pairs, dimensions)
    # effects that were really drawn, level by level: means of n, m and n m of them
    total = np.zeros(shape)
    for variance, levels in ((v_a, n), (v_b, m), (v_ab, n * m)):
        spread = np.sqrt(variance / dimensions)
        total += sum((draw.normal(scale=spread, size=shape) for _ in range(levels)), np.zeros(shape)) / levels
    return ((total[0] - total[1]) ** 2).sum(axis=-1)


def agreement_beside_generalizability(
    effects: ArrayLike,
    alpha: float,
    delta: float,
    *,
    n_pairs: int = 2000,
    n_drawn: int = 20_000,
    rng: np.random.Generator | int = 0,
) -> dict[str, float]:
    """Compare the n* of "who wins?" with how often two studies of n* experiments name the same winner."""
    means, seed = np.asarray(effects, dtype=float), seed_of(rng)
    drawn = stream(seed, 0).normal(means, size=(check_count("n_drawn", n_drawn), len(means)))
    shares = np.bincount(drawn.argmax(axis=1), minlength=len(means)) / n_drawn
    epsilon = float(JaccardKernel().epsilon(delta, len(means)))
    n = int(definition(np.eye(len(means)), alpha, epsilon, shares, rng=seed))
    winners = []
    for which in (1, 2):
        scores = stream(seed, which).normal(means, size=(check_count("n_pairs", n_pairs), n, len(means)))
        winners.append((-scores).argsort(axis=2).argsort(axis=2).sum(axis=1))
    first, second = (each == each.min(axis=1, keepdims=True) for each in winners)
    same = (first / first.sum(axis=1, keepdims=True) * (second / second.sum(axis=1, keepdims=True))).sum(axis=1)
    return {"n": float(n), "same winner": float(same.mean()), "most often": float(shares.max())}
