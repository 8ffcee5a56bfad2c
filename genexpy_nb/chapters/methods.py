"""What notebook 11 needs: four worlds, the limit law of n MMD_n^2 and its moments, misprints, and what is shown."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from math import gamma, sqrt
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import optimize, stats

from genexpy_nb.chapters.shared import made
from genexpy_nb.common import page
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.page import show_key_numbers
from genexpy_nb.common.prose import as_written, percent, span, written_number
from genexpy_nb.common.random import stream
from genexpy_nb.generalization.discrepancy import simulated_mmd, support
from genexpy_nb.generalization.exact import weak_orders
from genexpy_nb.generalization.kernels import BordaKernel, JaccardKernel, Kernel, MallowsKernel
from genexpy_nb.generalization.moments import chi_squared_mixture
from genexpy_nb.generalization.resampling import power_law
from genexpy_nb.generalization.theory import bound, closed_form
from genexpy_nb.plots import methods as figures

_ROUNDING = 1e-12  # eigenvalues up to this share of the largest one are rounding noise around 0


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


def gain(alpha: float, nu: float) -> float:
    """Return the alpha-quantile of a chi-squared variable that is shifted and scaled to mean 0 and variance 1."""
    return float((stats.chi2.ppf(alpha, nu) - nu) / np.sqrt(2 * nu))


def simulated_quantile(world: World, n: int, alpha: float, n_pairs: int, seed: int) -> float:
    """Return the alpha-quantile of n MMD_n^2 over simulated pairs of studies."""
    distances = simulated_mmd(world.gram, world.probabilities, n, n_pairs, stream(seed, n))
    return float(np.quantile(n * distances**2, alpha, method="inverted_cdf"))


def overlap_of_winners(rankings: ArrayLike) -> np.ndarray:
    """Return a plausible similarity that is no kernel: common winners over the winners of the smaller set."""
    best = (np.asarray(rankings) == 0).astype(float)
    sizes = best.sum(axis=1)
    return (best @ best.T) / np.minimum(sizes[:, None], sizes)


# --- what is misprinted -----------------------------------------------------------------------------------------------

#: The lines that do not hold as they are printed: where, what is wrong, an example, what the authors' program does.
ERRATA = tomllib.loads((files(__package__) / "errata.toml").read_text(encoding="utf-8"))


def slips(
    worlds: Sequence[World], x: np.ndarray, y: np.ndarray, alpha: float, n_pairs: int, rng: int = 0
) -> tuple[dict[str, tuple[float, float]], dict[str, float]]:
    """Return, for the example of each misprint, what it gives as printed and what is right; and numbers to quote."""
    if not 0.8 <= alpha < 1:
        why = "the statements about the printed formulas are right there"
        raise ParameterError(f"alpha must be in [0.8, 1): {why}; got {alpha}")
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
        "section-44-jaccard": (1 - JaccardKernel(k=1).gram(pair)[0, 1], JaccardKernel(k=1).gram(pair)[0, 1]),
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
    columns = ["kind", "where", "what is wrong or open", "for example", "it gives", "correct", "the authors' program"]
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
        f"What is wrong or open, in {len(rows)} lines: {n_of[0]} on formulas and {n_of[1]} on statements that are "
        f"wrong as printed (one line combines two others), {n_of[2]} on what a paper leaves open or we do differently, "
        f"and {n_of[3]} on a formula as a program computes it. The examples are ours. Places without a name are in the "
        "second version of Matteucci et al. (2025).",
    )


# --- what the notebook shows; data/runs/approximations.py made the tables of simulations ------------------------------


def show_worlds(worlds: Sequence[World], delta: float) -> None:
    """Show what the worlds are."""
    largest = [each.probabilities.max() for each in worlds]
    page.show_table(
        pd.DataFrame(worlds)[["name", "question", "epsilon"]]
        .assign(results=[len(each.probabilities) for each in worlds], largest=largest)
        .set_index("name"),
        "worlds",
        f"Four invented worlds. Two studies look alike up to the distance ε (δ = {as_written(delta)}). Results told "
        "apart are those the question distinguishes. The largest share is the probability of the most frequent one.",
        {"name": "world", "results": "results told apart", "largest": "largest share", "epsilon": "ε"},
        {"largest": 3, "epsilon": 3},
    )


def show_steps(steps: pd.DataFrame, alpha: float) -> None:
    """Show what each step from the limit law to a formula changes."""
    page.show_table(
        steps,
        "steps",
        f"No step changes the {as_written(alpha)}-quantile of n MMD² much. The first row is simulated in the third "
        "world, for studies of 80 experiments. The others go from the limit law to the closed form. The "
        "last column compares each row with the row above.",
        forms={"quantile": 3, "change": "{:+.1%}"},
    )


def show_moments(estimated: pd.DataFrame) -> None:
    """Show that the estimates of the moments have no bias, and that those plugged in have."""
    page.show_table(
        estimated[["truth", "unbiased", "error", "plugged in", "bias"]],
        "moments",
        "The unbiased estimates are right on average. Estimates from the empirical distribution (plugged in) are not. "
        "The numbers are means over 4,000 simulated studies of ten experiments of the third world. The error is the "
        "standard error of the unbiased mean. The bias is that of the plugged-in mean, relative to the truth.",
        forms=dict.fromkeys(["truth", "unbiased", "error", "plugged in"], 5) | {"bias": "{:+.0%}"},
    )


def show_answers(answers: pd.DataFrame) -> None:
    """Show n* of each world by its definition and by every approximation."""
    good = answers[["closed form", "two moments", "three moments", "limit law"]]
    off = (good.div(answers["definition"], axis=0) - 1).abs().max().max()
    page.show_table(
        answers[["definition", *answers.columns.drop("definition")]],
        "answers",
        f"Moments, closed form and limit law miss n* by {percent(off)} at most. The table shows n* by its definition "
        "(simulated) and by each approximation, for α = 0.95 and δ = 0.05.",
        forms=dict.fromkeys(answers.columns, 1),
    )


def show_errors(compared: pd.DataFrame) -> None:
    """Show by how much each approximation misses the quantile of the truth: the picture of the page."""
    worst = compared.groupby("approximation")["error"].agg(lambda error: error.abs().max())
    sizes = ", ".join(str(n) for n in compared["n"].unique())
    page.show_figure(
        figures.errors_of_quantiles(compared),
        "errors",
        "How far each approximation is from the truth, for the squared distance that two studies exceed with "
        f"probability 0.05. Each mark is a world and a size of the studies (n = {sizes}). The scale is linear "
        "up to 10 % (grey) and logarithmic beyond. Data: all pairs of studies if they can be listed, otherwise "
        "simulated pairs.",
        "Largest errors: "
        + "; ".join(f"{name} {100 * worst[name]:.0f} %" for name in compared["approximation"].unique())
        + ".",
    )


def show_picks(picks: pd.DataFrame, names: Sequence[str]) -> None:
    """Show how often each method wins if datasets are drawn, and if they are chosen for it."""
    page.show_figure(
        figures.cherry_picks(picks, names),
        "picking",
        "The upper part shows how often each method wins if the reported datasets are drawn at random. The lower part "
        "shows how often, at least, we can make it the winner if we choose the datasets in its favour. "
        f"Data: simulated studies of {picks['k'].max()} datasets.",
        f"If {picks['k'].iloc[0]} datasets are drawn, the methods win "
        f"{span(100 * picks.loc[picks['k'] == picks['k'].iloc[0], 'drawn'], '{:.0f}')} % of the studies; if they are "
        f"chosen, {span(100 * picks.loc[picks['k'] == picks['k'].iloc[0], 'picked'], '{:.0f}')} %.",
    )


def keep_key_numbers(compared: pd.DataFrame, dear: pd.Series, average: pd.DataFrame, k: int) -> None:
    """Keep what the page found, for the file beside it."""
    worst = compared.groupby("approximation")["error"].agg(lambda error: error.abs().max())
    for name, approximation, label in (
        ("worst-three-moments", "three moments", "three moments"),
        ("worst-limit", "limit law", "limit law"),
        ("worst-closed-form", "closed form", "closed form as derived"),
        ("worst-their-code", "closed form, their code", "closed form as the authors' program computes it"),
    ):
        page.key_number(name, f"largest error of the quantile, {label}", worst[approximation], decimals=3)
    page.key_number("bound-over-truth", "bound divided by n*, smallest of four worlds", dear.min(), decimals=1)
    label = f"share of studies that a search makes the average method win, {k} of {average.index.max()} datasets"
    page.key_number("picked-average", label, average.loc[k, "picked"], decimals=2)
