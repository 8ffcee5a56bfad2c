"""What notebook 11 needs: the distribution of n MMD_n^2, checks of estimators, and experiments that are chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import comb
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import optimize, stats

from genexpy_nb.common.checks import TOLERANCE, similar
from genexpy_nb.common.random import seed_of, stream
from genexpy_nb.generalization.discrepancy import simulated_mmd, support
from genexpy_nb.generalization.exact import definition, exact_mmd, weak_orders
from genexpy_nb.generalization.kernels import BordaKernel, JaccardKernel, Kernel, MallowsKernel
from genexpy_nb.generalization.moments import (
    chi_squared_mixture,
    kernel_moments,
    largest_solution,
    nstar_by_moments,
    nstar_of_two_results,
    squared_distances,
    third_moment,
)
from genexpy_nb.generalization.resampling import power_law
from genexpy_nb.generalization.theory import bound, closed_form

Random: TypeAlias = "np.random.Generator | int"

#: What is put in the place of the distribution of n MMD_n^2, from the roughest to the finest.
APPROXIMATIONS = {
    "bound": "holds for every distribution, from Eq. 60 (Proposition C.4)",
    "closed form, their code": "as the authors' program has it: centred with H K H, read as if it were symmetric",
    "closed form": "centred with the probabilities, and C cubed once",
    "two moments": "scaled chi-squared with the mean and the variance at this n",
    "three moments": "shifted and scaled chi-squared with the mean and the variance at this n, and the skewness",
    "limit law": "weighted sum of chi-squared variables, by numerical inversion (Theorem C.1)",
}

#: How the next batch of experiments is chosen.
POLICIES = ("as they come", "in proportion", "most alike", "most diverse")

_ROUNDING = 1e-12  # eigenvalues up to this share of the largest one are rounding noise around 0
_MOST_LISTED = 4_000_000  # pairs of studies that are listed rather than simulated
_RESAMPLES = 200  # of a sample, for the power law
_POINTS = 200  # of a curve
_STEP = 4.0  # of the logarithms of the weights of rivals, at most
_ROUNDS = 300  # steps towards the weights of the rivals: a pick or a proof is found in a few, mostly


class World(NamedTuple):
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
    given: list[tuple[str, str, Kernel, np.ndarray, np.ndarray]] = [
        ("all rankings alike", "Mallows", MallowsKernel(), three, np.full(len(three), 1 / len(three))),
        ("two rankings", "Jaccard(1)", JaccardKernel(), two, np.array([0.55, 0.45])),
        ("one ranking and noise", "Borda, the best one", BordaKernel(0), four, noisy),
        ("ten winners, halving", "Jaccard(1)", JaccardKernel(), winners, halving / halving.sum()),
    ]
    return [
        World(name, question, *support(kernel.gram(rankings), p), float(kernel.epsilon(delta, rankings.shape[1])))
        for name, question, kernel, rankings, p in given
    ]


def _samples_of(world: World, size: int, n_studies: int, rng: Random) -> np.ndarray:
    """Draw which results studies see, (n_studies, size)."""
    p = world.probabilities
    return stream(seed_of(rng), size).choice(len(p), size=(n_studies, size), p=p)


# --- the limit law, step by step --------------------------------------------------------------------------------------


def centred_gram(gram: ArrayLike, probabilities: ArrayLike) -> np.ndarray:
    """Return ``(I - 1p') K (I - p1')``: kernel values of results from which the mean embedding is subtracted."""
    values, p = np.asarray(gram, dtype=float), np.asarray(probabilities, dtype=float)
    means = values @ p
    return values - means[:, None] - means[None, :] + p @ means


def eigenvalues(gram: ArrayLike, probabilities: ArrayLike, centring: str = "weighted") -> np.ndarray:
    """Return the eigenvalues of the centred kernel as an operator, largest first; centring may be as "published"."""
    p = np.asarray(probabilities, dtype=float)
    weights = p if centring == "weighted" else np.full(len(p), 1 / len(p))
    root = np.sqrt(p)
    found = np.linalg.eigvalsh(root[:, None] * centred_gram(gram, weights) * root)[::-1]
    return np.where(found > _ROUNDING * max(found[0], _ROUNDING), found, 0.0)


def spectrum_in_their_code(gram: ArrayLike, probabilities: ArrayLike) -> np.ndarray:
    """Return what the authors' program takes for the eigenvalues: of the lower triangle of ``H K H diag(p)``."""
    p = np.asarray(probabilities, dtype=float)
    return np.linalg.eigvalsh(centred_gram(gram, np.full(len(p), 1 / len(p))) * p)


def limit_exceedance(weights: ArrayLike, values: ArrayLike) -> np.ndarray:
    """Return ``P(2 sum_k lambda_k Z_k^2 > x)``, Z_k independent standard normal variables."""
    doubled = 2 * np.asarray(weights, dtype=float)
    return np.clip(1 - chi_squared_mixture(doubled[None], np.asarray(values, dtype=float)[None])[0], 0, 1)


def limit_quantile(weights: ArrayLike, alpha: float) -> float:
    """Return the alpha-quantile of ``2 sum_k lambda_k Z_k^2``."""
    spectrum = np.asarray(weights, dtype=float)
    highest = 2 * spectrum.sum() * stats.chi2.ppf(1 - (1 - alpha) / 2, 1)
    ends = 1e-6 * highest, 4 * highest
    found = optimize.brentq(lambda x: limit_exceedance(spectrum, [x])[0] - (1 - alpha), *ends, xtol=1e-12, rtol=1e-12)
    return float(found)


def matched_chi_squared(weights: ArrayLike) -> tuple[float, float]:
    """Return a and d of the variable ``a chi^2(d)`` that has the mean and the variance of the limit law."""
    spectrum = np.asarray(weights, dtype=float)
    first, second = float(spectrum.sum()), float((spectrum**2).sum())
    return 2 * second / first, first**2 / second


def closed_form_of(weights: ArrayLike, alpha: float, epsilon: float) -> float:
    """Return n* by the closed form of Theorem 4.1, without misprints, from eigenvalues."""
    a, d = matched_chi_squared(weights)
    cube_root = np.sqrt(2 / (9 * d)) * stats.norm.ppf(alpha) + 1 - 2 / (9 * d)
    return float(a * d * cube_root**3 / epsilon**2)


class PopulationMoments(NamedTuple):
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

    def variance(self, n: float) -> float:
        """Of n MMD_n^2, for this n."""
        return 8 * self.s2 * (1 - 1 / n) + 4 * self.v / n


def population_moments(gram: ArrayLike, probabilities: ArrayLike) -> PopulationMoments:
    """Compute the moments of n MMD_n^2 from a known distribution of results."""
    values, p = np.asarray(gram, dtype=float), np.asarray(probabilities, dtype=float)
    diagonal = values.diagonal()
    distances = diagonal[:, None] + diagonal[None, :] - 2 * values
    spectrum = eigenvalues(values, p)
    v = float(p @ (distances - p @ distances @ p) ** 2 @ p) / 4
    l1, s2, s3 = (float((spectrum**power).sum()) for power in (1, 2, 3))
    return PopulationMoments(l1, s2, s3, v)


def _gain(alpha: float, nu: float) -> float:
    """Return the alpha-quantile of a chi-squared variable that is shifted and scaled to mean 0 and variance 1."""
    return float((stats.chi2.ppf(alpha, nu) - nu) / np.sqrt(2 * nu))


# --- the truth, and what is put in its place --------------------------------------------------------------------------


def true_distribution(world: World, n: int, *, n_pairs: int = 20_000, rng: Random = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return values of n MMD_n^2 and their probabilities: of all pairs of studies where they can be listed."""
    if comb(n + len(world.probabilities) - 1, n) ** 2 <= _MOST_LISTED:
        distances, probability = exact_mmd(world.gram, n, world.probabilities)
        return n * distances**2, probability
    draw = stream(seed_of(rng), n)
    distances = np.sort(simulated_mmd(world.gram, world.probabilities, n, n_pairs, draw))
    return n * distances**2, np.full(n_pairs, 1 / n_pairs)


def true_quantile(values: np.ndarray, probabilities: np.ndarray, alpha: float) -> float:
    """Return the smallest value that is not exceeded with probability alpha or more."""
    at_most = np.cumsum(probabilities)
    return float(values[min(int(np.searchsorted(at_most, alpha - TOLERANCE)), len(values) - 1)])


def approximations(world: World, n: int) -> dict[str, tuple[Callable[[Any], Any], Callable[[float], float]]]:
    """Return what each approximation has for ``P(n MMD_n^2 > x)``, a function of x, and for its alpha-quantile."""
    gram, p = world.gram, world.probabilities
    spectrum, known = eigenvalues(gram, p), population_moments(gram, p)
    kappa, nu, spread = float(gram.diagonal().max()), known.degrees, np.sqrt(known.variance(n))
    in_code, two = spectrum_in_their_code(gram, p), _two_moments(known, n)
    found: list[tuple[Callable[[Any], Any], Callable[[float], float]]] = [
        (
            lambda x: np.exp(-(np.maximum(np.sqrt(x) - np.sqrt(2 * kappa), 0) ** 2) / (4 * kappa)),
            lambda alpha: bound(alpha, 1.0, kappa),
        ),
        (lambda x: _exceedance_by_normal(x, in_code), lambda alpha: closed_form_of(in_code, alpha, 1.0)),
        (lambda x: _exceedance_by_normal(x, spectrum), lambda alpha: closed_form(gram, alpha, 1.0, p)),
        (two.sf, two.ppf),
        (
            lambda x: stats.chi2.sf(nu + np.sqrt(2 * nu) * (x - known.mean) / spread, nu),
            lambda alpha: known.mean + spread * _gain(alpha, nu),
        ),
        (lambda x: limit_exceedance(spectrum, x), lambda alpha: limit_quantile(spectrum, alpha)),
    ]
    return dict(zip(APPROXIMATIONS, found, strict=True))


def _two_moments(known: PopulationMoments, n: float) -> stats.distributions.rv_frozen:
    scale = known.variance(n) / (2 * known.mean)
    return stats.chi2(known.mean / scale, scale=scale)


def _exceedance_by_normal(x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Take the cube root of ``x / (a d)`` for a normal variable, after Wilson and Hilferty."""
    a, d = matched_chi_squared(weights)
    spread = 2 / (9 * d)
    return stats.norm.sf(((x / (a * d)) ** (1 / 3) - (1 - spread)) / np.sqrt(spread))


def approximate_nstar(world: World, alpha: float) -> pd.Series:
    """Return n* of a known distribution as each approximation has it, a real number."""
    known, eps2 = population_moments(world.gram, world.probabilities), world.epsilon**2
    found = pd.Series({name: float(q(alpha)) for name, (_, q) in approximations(world, 1).items()}) / eps2
    parts = (known.mean, _gain(alpha, known.degrees), known.s2, known.v, eps2)
    found["three moments"] = float(largest_solution(*(np.array([x]) for x in parts))[0])

    def excess(n: float) -> float:
        return float(_two_moments(known, n).ppf(alpha)) - n * eps2

    highest = bound(alpha, world.epsilon, float(world.gram.diagonal().max()))
    found["two moments"] = float(optimize.brentq(excess, 1.0, highest)) if excess(1.0) > 0 else 1.0
    return found


def regression_quantiles(
    world: World, n: ArrayLike, alpha: float, *, size: int = 20, n_studies: int = 100, rng: Random = 0
) -> np.ndarray:
    """Return the alpha-quantiles of n MMD_n^2 that the published regression implies, (n_studies, len(n))."""
    sizes = np.atleast_1d(n)
    result = np.zeros((n_studies, len(sizes)))
    for i, row in enumerate(_samples_of(world, size, n_studies, rng)):
        sample = world.gram[np.ix_(row, row)]
        law = power_law(sample, alpha, world.epsilon, n_resamples=_RESAMPLES, rng=seed_of(rng))
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
    rng: Random = 0,
) -> pd.DataFrame:
    """Compare the quantile of every approximation with that of the true distribution of n MMD_n^2."""
    rows = []
    for world in worlds:
        implied = regression_quantiles(world, sizes, alpha, size=size, n_studies=n_studies, rng=rng)
        low, middle, high = np.quantile(implied, [0.1, 0.5, 0.9], axis=0)
        for i, n in enumerate(sizes):
            truth = true_quantile(*true_distribution(world, n, n_pairs=n_pairs, rng=rng), alpha)
            of = {"world": world.name, "n": n, "truth": truth}
            given = approximations(world, n).items()
            rows += [{**of, "approximation": name, "quantile": float(q(alpha))} for name, (_, q) in given]
            last = {"approximation": "regression", "quantile": middle[i], "low": low[i], "high": high[i]}
            rows.append({**of, **last})
    return pd.DataFrame(rows)


def curves_beside_truth(
    worlds: list[World], sizes: list[int], alpha: float, *, n_pairs: int = 20_000, rng: Random = 0
) -> pd.DataFrame:
    """Return ``P(n MMD_n^2 > x)``, the true one and those of all approximations, over a range around the quantile."""
    frames = []
    for world in worlds:
        highest = 2 * limit_quantile(eigenvalues(world.gram, world.probabilities), alpha)
        x = np.linspace(0, highest, _POINTS + 1)[1:]
        for n in sizes:
            values, probabilities = true_distribution(world, n, n_pairs=n_pairs, rng=rng)
            at_most = np.append(0, np.cumsum(probabilities))[np.searchsorted(values, x * (1 + TOLERANCE), side="right")]
            more = {name: exceedance(x) for name, (exceedance, _) in approximations(world, n).items()}
            wide = pd.DataFrame({"value": x, "truth": np.clip(1 - at_most, 0, 1), **more})
            long = wide.melt("value", var_name="curve", value_name="exceedance")
            frames.append(long.assign(world=world.name, n=n))
    return pd.concat(frames, ignore_index=True)


# --- worked checks of estimators --------------------------------------------------------------------------------------


def estimated_moments(world: World, size: int, *, n_studies: int = 2000, rng: Random = 0) -> pd.DataFrame:
    """Average the estimates of the moments over many samples, beside the moments of the world."""
    rows = _samples_of(world, size, n_studies, rng)
    distances = squared_distances(world.gram[rows[:, :, None], rows[:, None, :]])
    l1, s2, v = kernel_moments(distances)[:, 0].T
    estimates = np.stack([l1, s2, third_moment(distances), v])
    means = distances.mean(axis=-1)
    grand = means.mean(axis=-1)[:, None, None]
    spectra = np.linalg.eigvalsh((means[:, :, None] + means[:, None, :] - grand - distances) / 2) / size
    plugged = [(spectra**power).sum(axis=1).mean() for power in (1, 2, 3)]
    return pd.DataFrame(
        {
            "truth": population_moments(world.gram, world.probabilities),
            "unbiased": estimates.mean(axis=1),
            "error": estimates.std(axis=1) / np.sqrt(n_studies),
            "plugged in": [*plugged, (distances.var(axis=(-1, -2)) / 4).mean()],
        },
        index=pd.Index(["L1", "S2", "S3", "v"], name="moment"),
    )


def refinements(shares: ArrayLike, alpha: float, deltas: ArrayLike) -> pd.DataFrame:
    """Return n* of two results with nothing in common, exactly, and by three moments without and with refinements."""
    epsilons = np.sqrt(2 * np.asarray(deltas, dtype=float))
    ratios = epsilons / np.sqrt(2)  # sqrt 2: the distance of the two results
    frames = []
    for share in np.asarray(shares, dtype=float):
        known = population_moments(np.eye(2), [share, 1 - share])
        mean = known.mean * np.maximum(1 - np.stack([np.zeros(len(epsilons)), ratios]), 0)
        gain, s2, v = (np.array(part) for part in (_gain(alpha, known.degrees), known.s2, known.v))
        plain, refined = largest_solution(mean, gain, s2, v, epsilons**2)
        floor = np.sqrt(2) / epsilons if 2 * share * (1 - share) > 1 - alpha else np.ones(len(epsilons))
        exact = nstar_of_two_results(np.array([share * (1 - share)]), np.array([alpha]), ratios[None])[0, 0]
        columns = {"share": share, "delta": epsilons**2 / 2, "exact": exact, "three moments": plain}
        frames.append(pd.DataFrame({**columns, "half a step": refined, "floor": np.maximum(refined, floor)}))
    return pd.concat(frames, ignore_index=True)


def overlap_of_winners(rankings: ArrayLike) -> np.ndarray:
    """Return a plausible similarity that is no kernel: common winners over the winners of the smaller set."""
    best = (np.asarray(rankings) == 0).astype(float)
    sizes = best.sum(axis=1)
    return (best @ best.T) / np.minimum(sizes[:, None], sizes)


# --- experiments that are chosen --------------------------------------------------------------------------------------


def pick(leads: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
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


def _normal_scores(effects: ArrayLike, n_experiments: int, n_studies: int, rng: Random) -> np.ndarray:
    means = np.asarray(effects, dtype=float)
    return means + stream(seed_of(rng), n_experiments).normal(size=(n_studies, n_experiments, len(means)))


def cherry_picking(
    effects: ArrayLike, n_experiments: int, sizes: Sequence[int], *, n_studies: int = 500, rng: Random = 0
) -> pd.DataFrame:
    """Simulate how often each method of a study can be made its winner, by a choice of experiments."""
    scores = _normal_scores(effects, n_experiments, n_studies, rng)
    rows = []
    for k in sizes:
        winners = scores[:, :k].mean(axis=1).argmax(axis=1)  # rows come in random order
        for method in range(scores.shape[2]):
            leads = scores[:, :, [method]] - np.delete(scores, method, axis=2)
            chosen, settled = pick(leads, k)
            picked, drawn = (chosen[:, 0] >= 0).mean(), (winners == method).mean()
            rows.append({"k": k, "method": method, "picked": picked, "open": (~settled).mean(), "drawn": drawn})
    return pd.DataFrame(rows)


def picked_nstar(
    effects: ArrayLike,
    n_experiments: int,
    k: int,
    method: int,
    *,
    alpha: float,
    delta: float,
    n_studies: int,
    rng: Random,
) -> pd.DataFrame:
    """Simulate what the choice of experiments does to n*, for the question who wins (Jaccard)."""
    scores = _normal_scores(effects, n_experiments, n_studies, rng)
    others = np.delete(scores, method, axis=2).max(axis=2)
    best = np.argsort(-(scores[:, :, method] - others), axis=1, kind="stable")[:, :k]
    winners = scores.argmax(axis=2)
    epsilon = float(JaccardKernel().epsilon(delta, scores.shape[2]))
    frames = []
    for way, rows in (("drawn", winners[:, :k]), ("picked", np.take_along_axis(winners, best, axis=1))):
        grams = (rows[:, :, None] == rows[:, None, :]).astype(float)  # Jaccard of single winners
        of = {"study": np.arange(n_studies), "way": way, "wins": (rows == method).mean(axis=1)}
        frames.append(pd.DataFrame(of).join(_estimates(grams, alpha, epsilon)))
    return pd.concat(frames, ignore_index=True)


def _estimates(grams: np.ndarray, alpha: float, epsilon: float) -> pd.DataFrame:
    """Return n*, low and high of each Gram matrix."""
    found = nstar_by_moments(grams, np.array([alpha]), np.full((len(grams), 1), epsilon))[:, 0, 0]
    return pd.DataFrame(found, columns=["nstar", "low", "high"])


class Strata(NamedTuple):
    """Kinds of experiments that are known before they are run: their shares, and how likely each ranking is in each."""

    shares: np.ndarray
    rankings: np.ndarray
    probabilities: np.ndarray

    @property
    def mixture(self) -> np.ndarray:
        """How likely each ranking is if experiments are drawn at random."""
        return self.shares @ self.probabilities


def example_strata() -> Strata:
    """Return two kinds of experiments with four alternatives: most agree on one ranking, the others on little."""
    rankings = weak_orders(4)
    p = np.empty((2, len(rankings)))
    for kind, (centre, noise) in enumerate((([0, 1, 2, 3], 0.15), ([1, 3, 0, 2], 0.6))):
        p[kind] = noise / len(rankings)
        p[kind, (rankings == centre).all(axis=1)] += 1 - noise
    return Strata(np.array([0.6, 0.4]), rankings, p)


def adaptive_studies(
    strata: Strata,
    policies: Sequence[str] = POLICIES,
    *,
    alpha: float = 0.95,
    delta: float = 0.05,
    first: int = 10,
    batch: int = 5,
    budget: int = 60,
    n_studies: int = 200,
    rng: Random = 0,
) -> tuple[pd.DataFrame, float]:
    """Simulate studies that choose their next experiments, and end at the estimate of n* for Mallows; and its truth."""
    seed, gram = seed_of(rng), MallowsKernel().gram(strata.rankings)
    epsilon = float(MallowsKernel().epsilon(delta, strata.rankings.shape[1]))
    world, sizes = World("kinds", "Mallows", gram, strata.mixture, epsilon), (first, batch, budget)
    parts = [_adaptive(strata, policy, world, alpha, sizes, np.arange(n_studies), seed) for policy in policies]
    result = pd.concat(parts, ignore_index=True)
    seen, p = support(gram, strata.mixture)
    reached = {
        n: float(np.mean(similar(simulated_mmd(seen, p, n, 4000, stream(seed, n)), epsilon)))
        for n in result["n"].unique().tolist()
    }
    result["generalizability"] = result["n"].map(reached)
    truth = definition(seen, alpha, epsilon, p, rng=seed)
    return result, truth


def _adaptive(
    strata: Strata, policy: str, world: World, alpha: float, sizes: tuple[int, int, int], active: np.ndarray, seed: int
) -> pd.DataFrame:
    """Run all studies of a policy side by side, until each has ended."""
    (first, batch, budget), draw = sizes, stream(seed, len(active))
    kinds = _random_kinds(strata, policy, 0, first, len(active), draw)
    results, ended = _results_of(strata, kinds, draw), []
    while True:
        n = kinds.shape[1]
        grams = world.gram[results[:, :, None], results[:, None, :]]
        found = _estimates(grams, alpha, world.epsilon)
        settled = n >= found["nstar"].to_numpy()
        over = settled | (n >= budget)
        of = pd.DataFrame({"policy": policy, "study": active, "n": n, "settled": settled}).join(found)
        ended.append(of.assign(share=(kinds == 0).mean(axis=1), right=right_winner(strata, results))[over])
        if over.all():
            return pd.concat(ended).sort_values("study", ignore_index=True)
        active, kinds, results, grams = active[~over], kinds[~over], results[~over], grams[~over]
        size = min(batch, budget - n)
        if policy in ("most alike", "most diverse"):
            more = np.repeat(_chosen_kind(grams, kinds, policy)[:, None], size, axis=1)
        else:
            more = _random_kinds(strata, policy, n, size, len(active), draw)
        kinds, results = np.hstack([kinds, more]), np.hstack([results, _results_of(strata, more, draw)])


def _random_kinds(
    strata: Strata, policy: str, n: int, size: int, n_studies: int, rng: np.random.Generator
) -> np.ndarray:
    """Kinds of the next experiments, (n_studies, size): at random, or those that are furthest behind their share."""
    if policy != "in proportion":
        return rng.choice(len(strata.shares), size=(n_studies, size), p=strata.shares)
    due = np.floor(np.outer(np.arange(1, n + size + 1), np.cumsum(strata.shares)) + 0.5)
    steps = np.diff(np.diff(due, axis=1, prepend=0), axis=0, prepend=0)
    return np.tile(steps[n:].argmax(axis=1), (n_studies, 1))


def _results_of(strata: Strata, kinds: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Which ranking each experiment gives, of the shape of the kinds."""
    cumulative = np.cumsum(strata.probabilities, axis=1)
    uniform = rng.random(kinds.shape)
    return np.minimum((uniform[..., None] >= cumulative[kinds]).sum(axis=-1), cumulative.shape[1] - 1)


def _chosen_kind(grams: np.ndarray, kinds: np.ndarray, policy: str) -> np.ndarray:
    """The kind whose results are most alike so far, or least, (n_studies,); one seen less than twice is passed over."""
    inside = np.stack([kinds == kind for kind in (0, 1)], axis=-1).astype(float)
    counts = inside.sum(axis=1)
    pairs = np.einsum("bis,bij,bjs->bs", inside, grams, inside) - np.einsum("bis,bii->bs", inside, grams)
    alike = np.where(counts > 1, pairs / np.maximum(counts * (counts - 1), 1), np.nan)
    sign = 1 if policy == "most alike" else -1
    return np.nanargmax(sign * alike, axis=1)


def right_winner(strata: Strata, results: np.ndarray) -> np.ndarray:
    """Whether the best mean tier is where it is among all experiments; of several best, the share of the right one."""
    right = int(np.argmin(strata.mixture @ strata.rankings))
    sums = strata.rankings[results].sum(axis=1)
    best = sums == sums.min(axis=1, keepdims=True)
    return best[:, right] / best.sum(axis=1)
