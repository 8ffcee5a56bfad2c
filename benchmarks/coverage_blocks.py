"""Measure how often the interval of n* holds it in large studies: within random blocks, and with equal results merged.

Run with ``OMP_NUM_THREADS=1 python benchmarks/coverage_blocks.py --out benchmarks/coverage_blocks.csv``; about ten
minutes. More than 2,000 distinct results are compared within blocks of about 500
(`genexpy_nb.generalization.many`). Hundreds of studies of that size would take a day, so both numbers are made smaller
here: every study of ``--n-experiments`` is divided into blocks of ``--block``, and its experiments are numbered, so
that equal ones are not merged. What blocks leave out is larger then, because it grows with their number and shrinks
with their size. Beside it (``all pairs``) stands the interval from all pairs of the same experiments. ``merged`` are
studies of ``--merged`` experiments with at most ``--pool`` distinct results.

``holds_nstar``: the interval holds n*, simulated by its definition, as a real number. ``holds_whole``: its rounded ends
hold the whole number. ``limit`` is what the estimate tends to with ever more experiments: how far it is from ``nstar``
is the error of the formula, which no number of experiments makes smaller, while the interval becomes ever shorter.
``--n-studies 0 --widened 1.02`` shows what it would do to move both ends of the merged ones outwards by 2 %.
"""

import argparse
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import TOLERANCE
from genexpy_nb.common.random import stream
from genexpy_nb.generalization import many
from genexpy_nb.generalization.accuracy import population
from genexpy_nb.generalization.kernels import BordaKernel, JaccardKernel, Kernel, MallowsKernel
from genexpy_nb.generalization.moments import nstar_by_moments, solve
from genexpy_nb.generalization.samplers import (
    RankingDistribution,
    sample_mallows,
    sample_noisy,
    sample_plackett_luce,
    sample_weak_orders,
)
from genexpy_nb.generalization.simulation import definition

ALPHAS, DELTA = np.array([0.95]), 0.05
KERNELS = (BordaKernel(0), JaccardKernel(1), MallowsKernel())


def worlds(size: int, seed: int) -> dict[str, RankingDistribution]:
    """Known distributions of results, each a sample of ``size`` rankings, all equally likely."""
    rng, pool = np.random.default_rng(seed), RankingDistribution.empirical
    worths = np.exp(np.linspace(0, 3, 8))
    schools = [sample_plackett_luce(w, size // 2, rng) for w in (worths, worths[::-1])]
    return {
        "uniform weak orders, 8": pool(sample_weak_orders(8, size, rng)),
        "Plackett-Luce, close": pool(sample_plackett_luce(np.exp(np.linspace(0, 1, 10)), size, rng)),
        "Plackett-Luce, far": pool(sample_plackett_luce(np.exp(np.linspace(0, 5, 10)), size, rng)),
        "one ranking, 30 % noise": pool(sample_noisy(range(8), 0.3, size, rng)),
        "one ranking, 10 % noise": pool(sample_noisy(range(8), 0.1, size, rng)),
        "two opposed schools": pool(np.vstack(schools)),
        "Mallows model, 12, .5": pool(sample_mallows(range(12), 0.5, size, rng)),
    }


class Numbered:
    """A kernel on rows (number of the result, number of the experiment): looked up, and no two rows are equal."""

    def __init__(self, gram: np.ndarray) -> None:
        self.values = gram

    def gram(self, results: np.ndarray) -> np.ndarray:
        return self.values[np.ix_(results[:, 0], results[:, 0])]


def measure(
    distribution: RankingDistribution, kernel: Kernel, sizes: argparse.Namespace, key: tuple[int, ...]
) -> list[dict]:
    """Estimate n* of many studies in each way; return one row for each way."""
    gram, p = population(distribution, kernel)
    epsilon = float(np.asarray(kernel.epsilon(DELTA, distribution.rankings.shape[1])))
    truth = definition(gram, ALPHAS[0], epsilon, p, n_studies=sizes.simulated, rng=key[0], interpolate=True)
    numbered, epsilons = Numbered(gram), np.array([epsilon])
    found: dict[str, list] = {"blocks": [], "all pairs": [], "merged": []}
    rng, rng_of_merged = stream(*key), stream(*key, 1)
    for study in range(sizes.n_studies):
        drawn = rng.choice(len(p), size=sizes.n_experiments, p=p)
        results = np.column_stack([drawn, np.arange(sizes.n_experiments)])
        found["blocks"].append(many.nstar_of_many(results, numbered, ALPHAS, epsilons, study)[0][0, 0])
        found["all pairs"].append(nstar_by_moments(numbered.gram(results)[None], ALPHAS, epsilons[None])[0, 0, 0])
    for _ in range(sizes.n_studies_merged):
        counts = rng_of_merged.multinomial(sizes.merged, p)
        there = counts > 0
        seen = many.observe_counted(gram[np.ix_(there, there)], counts[there], ALPHAS)
        found["merged"].append(solve(seen, ALPHAS, epsilons[None])[0, 0, 0])
    return [
        {"kernel": kernel.name.split("(")[0], "way": way, "nstar": truth, "limit": limit_of(gram, p, epsilons)}
        | {"n_experiments": sizes.merged if way == "merged" else sizes.n_experiments, "n_studies": len(values)}
        | summary(pd.DataFrame(np.array(values), columns=["estimate", "low", "high"]), truth, sizes.widened)
        for way, values in found.items()
        if values
    ]


def limit_of(gram: np.ndarray, p: np.ndarray, epsilons: np.ndarray) -> float:
    """Return the estimate from a hundred million experiments, shared out exactly as the distribution says."""
    seen = many.observe_counted(gram, np.rint(p * 10**8).astype(int), ALPHAS)
    point = replace(seen, errors=None, counts=None)  # the interval would look at each experiment
    return float(solve(point, ALPHAS, epsilons[None])[0, 0, 0, 0])


def summary(found: pd.DataFrame, truth: float, widened: float = 1.0) -> dict[str, float]:
    found = found.assign(low=found["low"] / widened, high=found["high"] * widened)

    def held(low: pd.Series, high: pd.Series, value: float) -> float:
        return float(((low <= value * (1 + TOLERANCE)) & (value <= high * (1 + TOLERANCE))).mean())

    ends = np.ceil(found[["low", "high"]] - TOLERANCE)
    return {
        "holds_nstar": held(found["low"], found["high"], truth),
        "holds_whole": held(ends["low"], ends["high"], np.ceil(truth - TOLERANCE)),
        "width": float((found["high"] / found["low"]).median()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n-experiments", type=int, default=400)
    parser.add_argument("--block", type=int, default=50)
    parser.add_argument("--n-studies", type=int, default=1000)
    parser.add_argument("--merged", type=int, default=20_000, help="experiments where equal results are merged")
    parser.add_argument("--n-studies-merged", type=int, default=100)
    parser.add_argument("--simulated", type=int, default=100_000, help="pairs of studies for the definition")
    parser.add_argument("--pool", type=int, default=600, help="results of a known distribution")
    parser.add_argument("--widened", type=float, default=1.0, help="factor by which both ends are moved outwards")
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--out", type=Path, help="CSV file for the table")
    given = parser.parse_args()
    many.BLOCK, many.LARGEST_WHOLE = given.block, 2 * given.block
    rows, began = [], time.process_time()
    for i, (name, distribution) in enumerate(worlds(given.pool, given.seed).items()):
        for j, kernel in enumerate(KERNELS):
            rows += [{"world": name} | cell for cell in measure(distribution, kernel, given, (given.seed, i, j))]
        print(f"{name}: {time.process_time() - began:.0f} s", flush=True)
        if given.out:
            pd.DataFrame(rows).round(4).to_csv(given.out, index=False)
    print(pd.DataFrame(rows).to_string(index=False, float_format="{:.3f}".format))


if __name__ == "__main__":
    main()
