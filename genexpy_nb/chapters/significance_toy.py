"""A toy study in which significance and generalizability can be computed exactly, to show that they differ.

Results are rankings drawn from a known distribution over a few of them. Each sample of ``n`` results is tested
(Friedman, then Conover-Iman: is the best alternative significantly better than all others?), and its empirical
distribution has a generalizability: the probability that two disjoint halves of it are similar. With few possible
rankings there are few possible samples, so that what the paper simulated is a finite sum.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb

import numpy as np
import pandas as pd
from scipy.special import comb as combinations
from scipy.stats import multinomial

from genexpy_nb.common.checks import check_columns, check_count, check_level, check_number, similar
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.random import generator, seed_of
from genexpy_nb.generalization.discrepancy import mmd_from_counts
from genexpy_nb.generalization.exact import compositions
from genexpy_nb.generalization.kernels import JaccardKernel, Kernel
from genexpy_nb.generalization.resampling import generalizability
from genexpy_nb.generalization.samplers import RankingDistribution
from genexpy_nb.generalization.simulation import definition
from genexpy_nb.significance import Best, best_alternative

# Generalizability of Experimental Studies, second version, Eqs. 11 and 12: alternative 0 is best in 55 % of all cases.
TOY = RankingDistribution(np.array([[0, 1, 2, 3, 4], [1, 0, 2, 3, 4]]), np.array([0.55, 0.45]))

# The same paper, Table 1: 1,000 simulated samples.
PUBLISHED_TOY = pd.DataFrame(
    {
        "significant": ["no", "no", "no", "yes", "yes", "all"],
        "best": ["{0}", "{0, 1}", "{1}", "{0}", "{1}", ""],
        "count": [335.0, 150.0, 182.0, 276.0, 57.0, 1000.0],
        "generalizability": [0.73, 0.82, 0.71, 0.74, 0.72, 0.74],
        "sd": [0.10, 0.03, 0.10, 0.11, 0.09, 0.10],
    }
)

#: Two worlds in which significance and agreement come apart, for samples of 20: nearly always a significantly best
#: alternative, and too little agreement on who wins; agreement, and hardly ever a significantly best alternative.
BOTH_WAYS = (
    RankingDistribution(
        np.array(
            [[0, 1, 2, 3, 4], [0, 4, 3, 2, 1], [1, 0, 2, 3, 4], [1, 4, 0, 2, 3], [1, 3, 4, 0, 2], [1, 2, 3, 4, 0]]
        ),
        np.array([0.26, 0.26, 0.12, 0.12, 0.12, 0.12]),
    ),
    RankingDistribution(
        np.array([[0, 0, 1, 2, 3], [0, 0, 3, 2, 1], [0, 1, 4, 3, 2], [1, 0, 2, 3, 4]]),
        np.array([0.45, 0.45, 0.05, 0.05]),
    ),
)

_MOST_TERMS = 20_000_000


def exact_toy(
    distribution: RankingDistribution = TOY,
    n: int = 20,
    k_gen: int = 10,
    level: float = 0.05,
    delta: float = 0.05,
    kernel: Kernel | None = None,
    adjust: str = "none",
) -> pd.DataFrame:
    """Enumerate all samples of the toy study, with their probabilities."""
    kernel, epsilon = _check(distribution, n, k_gen, level, delta, kernel)
    n_atoms = len(distribution.probabilities)
    n_terms = comb(n + n_atoms - 1, n_atoms - 1) * comb(k_gen + n_atoms - 1, n_atoms - 1) ** 2
    if n_terms > _MOST_TERMS:
        raise ParameterError(
            f"{n_atoms} rankings, n={n} and k_gen={k_gen} make {n_terms:.2g} cases, more than {_MOST_TERMS:.0e}; "
            "use simulate_toy"
        )
    counts = compositions(n, n_atoms)[::-1]  # the first ranking most often first
    halves = compositions(k_gen, n_atoms)
    first, second = np.repeat(halves, len(halves), axis=0), np.tile(halves, (len(halves), 1))
    gram = kernel.gram(distribution.rankings)
    alike = similar(mmd_from_counts(gram, (first - second) / k_gen), epsilon)
    first, second = first[alike], second[alike]
    ways = comb(n, k_gen) * comb(n - k_gen, k_gen)
    # Multivariate hypergeometric: choose the first study from the sample, then the second from what is left.
    gen = [
        float(np.prod(combinations(c, first) * combinations(np.maximum(c - first, 0), second), axis=1).sum() / ways)
        for c in counts
    ]
    tests = [_test(distribution, c, level, adjust) for c in counts]
    return _samples(counts, multinomial.pmf(counts, n, distribution.probabilities), tests, np.array(gen))


def simulate_toy(
    distribution: RankingDistribution = TOY,
    n: int = 20,
    k_gen: int = 10,
    level: float = 0.05,
    delta: float = 0.05,
    kernel: Kernel | None = None,
    adjust: str = "none",
    n_studies: int = 1000,
    n_resamples: int = 1000,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Simulate the toy study as the paper does, from any finite distribution."""
    kernel, epsilon = _check(distribution, n, k_gen, level, delta, kernel)
    n_studies = check_count("n_studies", n_studies)
    rng = generator(rng)
    counts = rng.multinomial(n, distribution.probabilities, size=n_studies)
    gram = kernel.gram(distribution.rankings)
    rows = [np.repeat(np.arange(len(c)), c) for c in counts]
    gen = [generalizability(gram[np.ix_(r, r)], k_gen, epsilon, n_resamples=n_resamples, rng=rng) for r in rows]
    known = {tuple(c): _test(distribution, c, level, adjust) for c in np.unique(counts, axis=0)}
    return _samples(counts, np.full(n_studies, 1 / n_studies), [known[tuple(c)] for c in counts], np.array(gen))


def toy_table(samples: pd.DataFrame, n_studies: int = 1000) -> pd.DataFrame:
    """Summarize the toy study as the paper's Table 1 does."""

    check_columns(samples, ("probability", "best", "significant", "generalizability"), "samples")
    check_count("n_studies", n_studies)

    def row(significant: str, best: str, part: pd.DataFrame) -> dict[str, object]:
        weight = part["probability"].to_numpy()
        gen = part["generalizability"].to_numpy()
        mean = np.average(gen, weights=weight)
        sd = np.sqrt(np.average((gen - mean) ** 2, weights=weight))
        count = n_studies * weight.sum()
        return {"significant": significant, "best": best, "count": count, "generalizability": mean, "sd": sd}

    possible = samples[samples["probability"] > 0]
    groups = possible.groupby([possible["significant"], possible["best"].str.strip("{}")])
    rows = [row("yes" if significant else "no", f"{{{best}}}", part) for (significant, best), part in groups]
    return pd.DataFrame([*rows, row("all", "", possible)])


def variance_explained(samples: pd.DataFrame, groups: pd.Series) -> float:
    """Say how much of the variance of generalizability lies between groups of samples."""
    check_columns(samples, ("probability", "generalizability"), "samples")
    gen, weight = samples["generalizability"], samples["probability"]
    mean = np.average(gen, weights=weight)
    total = np.average((gen - mean) ** 2, weights=weight)
    of_group = (gen * weight).groupby(groups).transform("sum") / weight.groupby(groups).transform("sum")
    return float(np.average((of_group - mean) ** 2, weights=weight) / total) if total > 0 else float("nan")


def toy_claims(
    probabilities: Sequence[float],
    n: int = 20,
    k_gen: int = 10,
    level: float = 0.05,
    delta: float = 0.05,
) -> pd.DataFrame:
    """Say how often the toy study claims what, if the first of its two rankings has another probability."""
    rows: list[tuple[float, str, float]] = []
    for p in probabilities:
        p = check_number("probabilities", p, 0, 1, "[]")
        samples = exact_toy(RankingDistribution(TOY.rankings, np.array([p, 1 - p])), n, k_gen, level, delta)
        claimed = samples["probability"].groupby([samples["significant"], samples["best"]]).sum()
        mean = np.average(samples["generalizability"], weights=samples["probability"])
        rows += [
            (p, "claim: 0 is significantly best", float(claimed.get((True, "{0}"), 0.0))),
            (p, "claim: 1 is significantly best", float(claimed.get((True, "{1}"), 0.0))),
            (p, f"{k_gen}-generalizability (mean)", float(mean)),
        ]
    return pd.DataFrame(rows, columns=["probability", "claim", "share"])


def compare_worlds(
    worlds: Mapping[str, RankingDistribution],
    n: int = 20,
    k_gen: int = 10,
    level: float = 0.05,
    alpha: float = 0.95,
    delta: float = 0.05,
    kernel: Kernel | None = None,
    n_studies: int = 400,
    n_resamples: int = 200,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Simulate the toy study in several worlds, and say what tests and generalizability make of each."""
    seed, rows = seed_of(rng), []
    for distribution in worlds.values():
        chosen, epsilon = _check(distribution, n, k_gen, level, delta, kernel)
        samples = simulate_toy(
            distribution, n, k_gen, level, delta, chosen, n_studies=n_studies, n_resamples=n_resamples, rng=seed
        )
        best = samples.loc[samples["significant"], "best"]
        gram = chosen.gram(distribution.rankings)
        rows.append(
            {
                "friedman_rejects": (samples["p_friedman"] <= level).mean(),
                "significant": samples["significant"].mean(),
                "same_best": best.value_counts(normalize=True).max(),
                "generalizability": samples["generalizability"].mean(),
                # with a single possible result, any two studies agree
                "nstar": definition(gram, alpha, epsilon, distribution.probabilities, rng=seed)
                if len(gram) > 1
                else 1.0,
            }
        )
    return pd.DataFrame(rows, index=pd.Index(worlds, name="world"))


def _check(
    distribution: RankingDistribution, n: int, k_gen: int, level: float, delta: float, kernel: Kernel | None
) -> tuple[Kernel, float]:
    """Return the kernel and its threshold, or say which parameter is out of range."""
    chosen: Kernel = JaccardKernel(k=1) if kernel is None else kernel
    if chosen.on != "rankings":
        raise ParameterError(f"kernel must compare rankings, got {chosen.name}")
    check_count("n", n, at_least=2)
    check_count("k_gen", k_gen, at_most=n // 2)  # two disjoint studies of this size
    check_level("level", level)
    return chosen, float(chosen.epsilon(delta, distribution.rankings.shape[1]))


def _test(distribution: RankingDistribution, counts: np.ndarray, level: float, adjust: str) -> Best:
    return best_alternative(np.repeat(distribution.rankings, counts, axis=0), level, adjust, higher_is_better=False)


def _samples(counts: np.ndarray, probability: np.ndarray, tests: list[Best], gen: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "counts": [tuple(c) for c in counts.tolist()],
            "probability": probability,
            "p_friedman": [test.p_friedman for test in tests],
            "p_others": [test.p_others for test in tests],
            "best": ["{" + ", ".join(map(str, test.best)) + "}" for test in tests],
            "significant": [test.significant for test in tests],
            "generalizability": gen,
        }
    )
