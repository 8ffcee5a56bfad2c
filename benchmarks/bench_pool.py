"""How often do intervals over benchmarks hold the mean, the next benchmark's difference, and the tau of two orders?

Usage: python benchmarks/bench_pool.py [--studies 1000] [--seed 1]
"""

from __future__ import annotations

import argparse

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

import genexpy_nb as gx

MEANS = np.array([0.5, 0.3, 0.0, -0.2, -0.6])
# benchmarks, experiments in each, standard deviation between benchmarks, of experiments
WORLDS = [
    (3, (20,), 0.2, "normal"),
    (5, (20,), 0.2, "normal"),
    (10, (20,), 0.2, "normal"),
    (3, (20,), 0.0, "normal"),
    (5, (20,), 0.0, "normal"),
    (10, (20,), 0.0, "normal"),
    (5, (8, 100), 0.2, "heavy tails"),
    (10, (8, 100), 0.5, "heavy tails"),
    (4, (12, 40), 0.3, "skewed"),
    (7, (15, 60), 0.1, "heavy tails"),
    # looked at only when the method was final
    (6, (10, 25, 80), 0.4, "skewed"),
    (8, (15, 45), 0.35, "normal"),
    (4, (10, 60), 0.25, "heavy tails, also between"),
    (6, (30,), 0.5, "skewed, heavy tails between"),
]


def noise(rng: np.random.Generator, n: int, tails: str) -> np.ndarray:
    """Return what experiments add, with standard deviation one."""
    size = (n, len(MEANS))
    if tails == "t3":
        return rng.standard_t(3, size) / np.sqrt(3)
    if tails.startswith("heavy tails"):
        return rng.standard_t(4, size) / np.sqrt(2)
    return rng.gamma(1, 1, size) - 1 if tails.startswith("skewed") else rng.standard_normal(size)


def main() -> None:
    """Print a row for each world."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the first world to look at")
    asked = parser.parse_args()
    for n, sizes, between, tails in WORLDS[asked.first :]:
        found = []
        for study in range(asked.studies):
            rng = np.random.default_rng([asked.seed, study])
            truths = MEANS + between * noise(rng, n + 1, "t3" if tails.endswith("between") else "normal")
            tables = [
                pd.DataFrame(truth + noise(rng, sizes[i % len(sizes)], tails), columns=list("abcde"))
                for i, truth in enumerate(truths[:n])
            ]
            pooled = gx.pool(tables, by="score", rng=study)
            pairs = pooled.contrasts
            one, other = (pairs[side].map("abcde".index).to_numpy() for side in ("first", "second"))
            gap, later = MEANS[one] - MEANS[other], truths[n][one] - truths[n][other]
            tau = kendalltau(truths[0], truths[1]).statistic
            row = pooled.orders.iloc[0]
            found.append(
                [
                    ((pairs["low"] <= gap) & (gap <= pairs["high"])).mean(),
                    ((pairs["next_low"] <= later) & (later <= pairs["next_high"])).mean(),
                    row["low"] - 1e-9 <= tau <= row["high"] + 1e-9,
                ]
            )
        mean, later, tau = np.mean(found, axis=0)
        print(
            f"{n} benchmarks of {sizes}, between {between}, {tails}: {mean:.3f} next {later:.3f} tau {tau:.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
