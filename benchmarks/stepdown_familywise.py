"""Measure the family-wise error and the power of Wilcoxon over all pairs, with Holm and with Romano and Wolf.

Run with ``OMP_NUM_THREADS=1 python benchmarks/stepdown_familywise.py``. Half of the alternatives are equal, the others
better or (in the first two worlds) equal, too.
"""

import argparse
import time

import numpy as np
from statsmodels.stats.proportion import proportion_confint

from genexpy_nb.common.random import stream
from genexpy_nb.significance import adjust_pvalues, paired_differences, romano_wolf, wilcoxon_pratt

WORLDS = {  # largest difference, correlation of the first half of the alternatives, noise
    "all equal": (0.0, 0.0, "normal"),
    "all equal, half of them correlated .8": (0.0, 0.8, "normal"),
    "half equal": (1.5, 0.0, "normal"),
    "half equal, and correlated .8": (1.5, 0.8, "normal"),
    "half equal, skewed": (1.5, 0.0, "exponential"),
}


def table(rng: np.random.Generator, n: int, k: int, world: str) -> tuple[np.ndarray, np.ndarray]:
    """Return scores, shape (n, k), and their expectations."""
    largest, correlation, noise = WORLDS[world]
    half = k // 2
    location = np.r_[np.zeros(half), np.linspace(largest / 3, largest, k - half)]
    scores = rng.normal(size=(n, k)) if noise == "normal" else rng.exponential(size=(n, k)) - 1
    scores[:, :half] *= np.sqrt(1 - correlation)
    scores[:, :half] += np.sqrt(correlation) * rng.normal(size=(n, 1))
    return scores + location, location


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n-studies", type=int, default=1000)
    parser.add_argument("--n-resamples", type=int, default=999)
    parser.add_argument("--seed", type=int, default=11)
    given = parser.parse_args()
    began = time.perf_counter()
    print(f"{'world':40}{'k':>3}{'n':>5}  family-wise error, with 95 % interval: Holm, Romano-Wolf      power: both")
    for number, world in enumerate(WORLDS):
        for k in (4, 10):
            i, j = np.triu_indices(k, 1)
            for n in (10, 30, 100):
                rng = stream(given.seed, number, k, n)
                false, found = np.zeros(2, dtype=int), np.zeros(2)
                for study in range(given.n_studies):
                    scores, location = table(rng, n, k, world)
                    equal = location[i] == location[j]
                    d = paired_differences(scores, i, j)
                    p = wilcoxon_pratt(d)
                    stepped = np.maximum(romano_wolf(d, given.n_resamples, study), p)
                    for at, adjusted in enumerate((adjust_pvalues(p), stepped)):
                        false[at] += (adjusted[equal] <= 0.05).any()
                        found[at] += (adjusted[~equal] <= 0.05).mean() if (~equal).any() else np.nan
                ends = np.stack(proportion_confint(false, given.n_studies, method="wilson"), axis=1)
                shares = [
                    f"{count / given.n_studies:.3f} ({low:.3f} to {high:.3f})"
                    for count, (low, high) in zip(false, ends, strict=True)
                ]
                power = [f"{share:.3f}" for share in found / given.n_studies]
                print(f"{world:40}{k:3}{n:5}  {'  '.join(shares)}  {'  '.join(power)}", flush=True)
    print(f"{time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
