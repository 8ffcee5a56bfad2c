"""What notebook 11 needs: the distribution of n MMD_n^2, its approximations, misprints, and chosen experiments."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from math import comb, gamma, sqrt
from typing import NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import optimize, stats

from genexpy_nb.chapters.shared import simulate_estimates
from genexpy_nb.common import page
from genexpy_nb.common.checks import TOLERANCE
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.page import show_key_numbers as show_key_numbers
from genexpy_nb.common.prose import as_written
from genexpy_nb.common.prose import percent as percent
from genexpy_nb.common.prose import span as span
from genexpy_nb.common.prose import written_number as written_number
from genexpy_nb.common.random import seed_of, stream
from genexpy_nb.generalization.discrepancy import simulated_mmd, support
from genexpy_nb.generalization.exact import exact_mmd, weak_orders
from genexpy_nb.generalization.kernels import BordaKernel, JaccardKernel, Kernel, MallowsKernel
from genexpy_nb.generalization.moments import (
    chi_squared_mixture,
    kernel_moments,
    largest_solution,
    nstar_of_two_results,
    squared_distances,
    third_moment,
)
from genexpy_nb.generalization.resampling import power_law
from genexpy_nb.generalization.samplers import RankingDistribution
from genexpy_nb.generalization.theory import bound, closed_form
from genexpy_nb.plots import methods as figures

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

_ROUNDING = 1e-12  # eigenvalues up to this share of the largest one are rounding noise around 0
_MOST_LISTED = 4_000_000  # pairs of studies that are listed rather than simulated
_RESAMPLES = 200  # of a sample, for the power law
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


def limit_quantile(weights: ArrayLike, alpha: float) -> float:
    """Return the alpha-quantile of ``2 sum_k lambda_k Z_k^2``, Z_k independent standard normal variables."""
    doubled = 2 * np.asarray(weights, dtype=float)
    highest = doubled.sum() * stats.chi2.ppf(1 - (1 - alpha) / 2, 1)

    def excess(x: float) -> float:
        return float(chi_squared_mixture(doubled[None], np.array([[x]]))[0, 0]) - alpha

    return float(optimize.brentq(excess, 1e-6 * highest, 4 * highest, xtol=1e-12, rtol=1e-12))


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


def approximations(world: World, n: int) -> dict[str, Callable[[float], float]]:
    """Return what each approximation has for the alpha-quantile of n MMD_n^2, a function of alpha."""
    gram, p = world.gram, world.probabilities
    spectrum, known = eigenvalues(gram, p), population_moments(gram, p)
    kappa, in_code = float(gram.diagonal().max()), spectrum_in_their_code(gram, p)
    found: list[Callable[[float], float]] = [
        lambda alpha: bound(alpha, 1.0, kappa),
        lambda alpha: closed_form_of(in_code, alpha, 1.0),
        lambda alpha: closed_form(gram, alpha, 1.0, p),
        lambda alpha: float(_two_moments(known, n).ppf(alpha)),
        lambda alpha: known.mean + float(np.sqrt(known.variance(n))) * _gain(alpha, known.degrees),
        lambda alpha: limit_quantile(spectrum, alpha),
    ]
    return dict(zip(APPROXIMATIONS, found, strict=True))


def _two_moments(known: PopulationMoments, n: float) -> stats.distributions.rv_frozen:
    scale = known.variance(n) / (2 * known.mean)
    return stats.chi2(known.mean / scale, scale=scale)


def approximate_nstar(world: World, alpha: float) -> pd.Series:
    """Return n* of a known distribution as each approximation has it, a real number."""
    known, eps2 = population_moments(world.gram, world.probabilities), world.epsilon**2
    found = pd.Series({name: q(alpha) for name, q in approximations(world, 1).items()}) / eps2
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
            rows += [{**of, "approximation": name, "quantile": q(alpha)} for name, q in given]
            last = {"approximation": "regression", "quantile": middle[i], "low": low[i], "high": high[i]}
            rows.append({**of, **last})
    found = pd.DataFrame(rows)
    return found.assign(error=found["quantile"] / found["truth"] - 1)


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


def cherry_picking(
    effects: ArrayLike, n_experiments: int, sizes: Sequence[int], *, n_studies: int = 500, rng: Random = 0
) -> pd.DataFrame:
    """Simulate how often each method of a study can be made its winner, by a choice of experiments."""
    means = np.asarray(effects, dtype=float)
    scores = means + stream(seed_of(rng), n_experiments).normal(size=(n_studies, n_experiments, len(means)))
    rows = []
    for k in sizes:
        winners = scores[:, :k].mean(axis=1).argmax(axis=1)  # rows come in random order
        for method in range(scores.shape[2]):
            leads = scores[:, :, [method]] - np.delete(scores, method, axis=2)
            chosen, settled = pick(leads, k)
            picked, drawn = (chosen[:, 0] >= 0).mean(), (winners == method).mean()
            rows.append({"k": k, "method": method, "picked": picked, "open": (~settled).mean(), "drawn": drawn})
    return pd.DataFrame(rows)


# --- what is misprinted -----------------------------------------------------------------------------------------------

#: The lines that do not hold as they are printed: where, what is wrong, an example, what the authors' program does.
ERRATA = tomllib.loads((files(__package__) / "errata.toml").read_text(encoding="utf-8"))


def slips(
    worlds: Sequence[World], x: np.ndarray, y: np.ndarray, alpha: float, n_pairs: int, rng: int = 0
) -> tuple[dict[str, tuple[float, float]], dict[str, float]]:
    """Return, for the example of each misprint, what it gives as printed and what is right; and numbers to quote."""
    if not 0.8 <= alpha < 1:
        raise ParameterError(
            f"alpha must be in [0.8, 1): the statements about the printed formulas are right there; got {alpha}"
        )
    world, first = worlds[2], worlds[0]
    K, p, epsilon = world.gram, world.probabilities, world.epsilon
    centred, spectrum = centred_gram(K, p), eigenvalues(K, p)
    total, spread, log_level = spectrum.sum(), sqrt((spectrum**2).sum()), np.log(1 - alpha)
    w = (np.bincount(x, minlength=len(p)) - np.bincount(y, minlength=len(p))) / len(x)
    counts = [np.random.default_rng([rng, which]).multinomial(40, p, size=n_pairs) for which in (1, 2)]
    mixed = np.einsum("bi,ij,bj->b", counts[0], centred, counts[1]).std() / 40
    of_40 = np.einsum("bi,ij,bj->b", counts[0] - counts[1], K, counts[0] - counts[1]) / 40
    assert abs(mixed / spread - 1) < 0.2 and abs(of_40.mean() / (2 * total) - 1) < 0.15
    right = closed_form(K, alpha, epsilon, p)
    assert np.isnan(closed_form(K, alpha, epsilon, p, normal="printed"))  # Eq. 49 has no value
    row = np.random.default_rng([rng, 3]).choice(len(first.probabilities), size=40, p=first.probabilities)
    law = power_law(first.gram[np.ix_(row, row)], alpha, first.epsilon, n_resamples=500, rng=rng)
    at_f = law.intercept + law.slope * np.log(1 - first.epsilon**2 / 2)  # f(δ) in place of ε = sqrt(2 (1 - f(δ)))
    r, s, upside_down = np.array([0, 0, 0]), np.array([0, 1, 1]), np.array([[0, 1, 2], [2, 1, 0]])
    pair = np.stack([r, s])
    summed = np.abs(np.sign(r[:, None] - r) - np.sign(s[:, None] - s)).sum()
    matrices = ((r[:, None] <= r) != (s[:, None] <= s)).sum()
    alike = MallowsKernel().gram(pair)[0, 1]
    discordant = -np.log(alike) * 3
    np.testing.assert_allclose([summed, matrices, discordant], [4, 2, 1])
    rounded, a_third = (float(BordaKernel(0).epsilon(value, 3)) for value in (0.33, 1 / 3))
    lin = np.log(2 * (1 - alpha))
    found = {
        "equation-25": (centred[np.ix_(x, x)].mean() - centred[np.ix_(x, y)].mean(), w @ K @ w),
        "equation-24": (abs(p @ centred @ p), total),
        "equation-28": (40 * spread, spread),
        "equation-29": (total, 2 * total),
        "theorem-c2": (limit_quantile(eigenvalues(K, p, "published"), alpha), limit_quantile(spectrum, alpha)),
        "equation-32": (2 ** (2 * 1) * gamma(1 + 1) / gamma(1), 2**1 * gamma(1 + 1) / gamma(1)),
        "equation-49": (514089 * lin / 1000000.0, (514089 - 1664000 * lin) / 1000000.0),
        "equation-52": (closed_form(K, alpha, epsilon, p, cubes=3), right),
        "closed-form-printed": (closed_form(K, alpha, epsilon, p, centring="published", cubes=3), right),
        "closed-form-code": (closed_form_of(spectrum_in_their_code(K, p), alpha, epsilon), right),
        "algorithm-2": (at_f, law.nstar),
        "algorithm-2-threshold": (np.exp(at_f), law.nstar),
        "equation-58": (sqrt(-4 * log_level) / 10 + sqrt(2), (sqrt(-4 * log_level) + sqrt(2)) / 10),
        "equation-61": (enough_by_equation_61(alpha, epsilon), bound(alpha, epsilon)),
        "equation-4": (summed, discordant),
        "example-41": (np.exp(-discordant / 9), alike),
        "mallows-range": (np.exp(-2), MallowsKernel().gram(upside_down)[0, 1]),
        "borda-range": (np.exp(-1), BordaKernel(0).gram(upside_down)[0, 1]),
        "equation-3": (JaccardKernel(k=2).gram(pair)[0, 1], JaccardKernel(k=1).gram(pair)[0, 1]),
        "section-44": (0.95, JaccardKernel(k=1).gram(pair).mean()),
        "example-42": (rounded, a_third),
        "kappa-cifar": (0.674, sqrt(0.137 * (1 - 0.137))),
    }
    quoted = {"n": len(x), "mixed": mixed, "mean": of_40.mean(), "alpha": alpha, "epsilon": epsilon}
    return found, quoted | {"quantile": np.quantile(of_40, alpha, method="higher"), "matrices": matrices}


def enough_by_equation_61(alpha: float, epsilon: float) -> float:
    """Return how many experiments Eq. 61 calls enough for any distribution."""
    return 2 * (sqrt(-2 * np.log(1 - alpha)) + 1) / epsilon**2


def show_errata(found: Mapping[str, tuple[float, float]], quoted: Mapping[str, float]) -> None:
    """Keep what misprints give beside what is right, and show all slips in one table."""
    rows, kinds = [], ["formula", "statement", "left open", "program"]
    columns = ["kind", "where", "what is wrong or open", "for example", "it gives", "right is", "the authors' program"]
    for name, said in ERRATA.items():
        slip, code = said["slip"].format(**quoted), said.get("code", "")
        numbers = ["", "", ""]
        if name in found:
            printed, right = found[name]
            example, digits = said["example"].format(**quoted), said["digits"]
            source = said["where"] if "(2024)" in said["where"] else f"Matteucci et al. (2025), {said['where']}"
            printed = round(float(printed), digits) + 0.0
            of = {"evaluated": printed, "source": source, "reason": slip, "code": code}
            page.key_number(name, example, right, decimals=digits, **of)
            numbers = [example, written_number(printed, digits), written_number(right, digits)]
        rows.append([said.get("kind", kinds[0]), said["where"], slip, *numbers, code])
    rows.sort(key=lambda row: kinds.index(row[0]))
    n_of = [sum(row[0] == kind for row in rows) for kind in kinds]
    page.show_table(
        pd.DataFrame(rows, columns=columns),
        "errata",
        f"{len(rows)} places: {n_of[0]} formulas and {n_of[1]} other statements that do not hold as they are printed, "
        f"{n_of[2]} things that a paper leaves open or that we do otherwise, and {n_of[3]} formula as a program has "
        "it. The examples are ours. Places without a name are in the second version of Matteucci et al. (2025).",
    )


# --- what the notebook shows ------------------------------------------------------------------------------------------


def coverage_in_the_first_world(alpha: float, delta: float, *, n_studies: int, rng: Random) -> pd.DataFrame:
    """Count how often the default's interval holds n* where all rankings of three alternatives are equally likely."""
    rankings = weak_orders(3)
    alike = RankingDistribution(rankings, np.full(len(rankings), 1 / len(rankings)))
    found = simulate_estimates(
        alike, MallowsKernel(), [10, 20, 40], ["moments"], alpha, delta, n_studies=n_studies, rng=rng
    )
    whole, up = np.ceil(found["true"]), 1 - 1e-9
    inside = (np.ceil(found["low"] * up) <= whole) & (whole <= np.ceil(found["high"] * up))
    by_size = found.assign(whole=inside, real=found["covered"].astype(float)).groupby("size")
    return by_size[["whole", "real"]].mean().assign(error=by_size["real"].sem())


def show_worlds(worlds: Sequence[World], delta: float) -> None:
    """Show what the worlds are."""
    largest = [each.probabilities.max() for each in worlds]
    page.show_table(
        pd.DataFrame(worlds)[["name", "question", "epsilon"]]
        .assign(results=[len(each.probabilities) for each in worlds], largest=largest)
        .set_index("name"),
        "worlds",
        f"Four worlds: the question, the distance ε up to which two studies are alike for δ = {as_written(delta)}, "
        "how many results the question tells apart, and the share of the most frequent one.",
        {"name": "world", "results": "results told apart", "largest": "largest share", "epsilon": "ε"},
        {"largest": 3, "epsilon": 3},
    )


def show_errors(compared: pd.DataFrame, alpha: float) -> None:
    """Show by how much each approximation misses the quantile of the truth: the picture of the page."""
    worst = compared.groupby("approximation")["error"].agg(lambda error: error.abs().max())
    sizes = ", ".join(str(n) for n in compared["n"].unique())
    page.show_figure(
        figures.errors_of_quantiles(compared),
        "errors",
        "How far each approximation is from the truth, for the distance that two studies exceed with probability "
        f"{as_written(round(1 - alpha, 6))}. Each mark is a world and a size of the studies (n = {sizes}). Within 10 % "
        "(grey) the scale is linear, beyond it logarithmic. Lines cover the middle 80 % of the samples that the "
        "published regression was fitted to. Data: all pairs of studies, listed where they can be, simulated "
        "elsewhere.",
        "Largest errors: "
        + "; ".join(f"{name} {100 * worst[name]:.0f} %" for name in [*APPROXIMATIONS, "regression"])
        + ".",
    )


def show_picks(picks: pd.DataFrame, names: Sequence[str], n_experiments: int) -> None:
    """Show how often each method wins if datasets are drawn, and if they are chosen for it."""
    page.show_figure(
        figures.cherry_picks(picks, names),
        "picking",
        "How often each method wins if the reported datasets are drawn at random (above), and how often it can if "
        f"they are chosen in its favour (below). Data: simulated studies of {n_experiments} datasets.",
        f"If {picks['k'].iloc[0]} datasets are drawn, the methods win "
        f"{span(100 * picks.loc[picks['k'] == picks['k'].iloc[0], 'drawn'], '{:.0f}')} % of the studies; if they are "
        f"chosen, {span(100 * picks.loc[picks['k'] == picks['k'].iloc[0], 'picked'], '{:.0f}')} %.",
    )


def check_approximations(compared: pd.DataFrame, picks: pd.DataFrame) -> None:
    """Check what the text says of the approximations and of chosen datasets without computing it."""
    errors = compared.pivot(index=["world", "n"], columns="approximation", values="error")
    assert errors[["closed form", "two moments", "three moments", "limit law"]].abs().stack().median() < 0.1
    assert errors["bound"].min() > 1
    every, average = picks[picks["k"] == picks["k"].max()], picks[picks["method"] == 2]
    assert (every["picked"] + every["open"] >= every["drawn"] - 1e-9).all()
    assert average["picked"].iloc[0] > average["drawn"].iloc[0]


def keep_key_numbers(
    compared: pd.DataFrame, dear: pd.Series, covered: pd.DataFrame, average: pd.DataFrame, k: int
) -> None:
    """Keep what the page found, for the file beside it."""
    worst = compared.groupby("approximation")["error"].agg(lambda error: error.abs().max())
    for name, approximation, label in (
        ("worst-three-moments", "three moments", "three moments"),
        ("worst-limit", "limit law", "limit law"),
        ("worst-closed-form", "closed form", "closed form as derived"),
        ("worst-their-code", "closed form, their code", "closed form as the authors' program has it"),
    ):
        page.key_number(name, f"largest error of the quantile, {label}", worst[approximation], decimals=3)
    page.key_number("bound-over-truth", "bound over n*, smallest of four worlds", dear.min(), decimals=1)
    page.key_number(
        "coverage", "lowest coverage of the real n* by the interval, first world", covered["real"].min(), decimals=3
    )
    label = f"studies in which the average method can be made the winner, {k} of {average.index.max()} datasets"
    page.key_number("picked-average", label, average.loc[k, "picked"], decimals=2)
