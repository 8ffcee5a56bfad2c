"""Does the interval for the agreement of tests' verdicts hold?

    python benchmarks/bench_agreement_verdicts.py [--tables 40] [--seed 9]

Ten alternatives, tables of 30 experiments with normal errors, other studies of 15, 30 and 120. The truth of the
verdicts is that of Wilcoxon's tests with Holm's correction in 250 simulated tables, all pairs of them; an interval that
comes within .01 of it counts as holding.
"""

from __future__ import annotations

import argparse

import numpy as np

from genexpy_nb.conclusions.tables import agreement_of_rows, as_question
from genexpy_nb.significance.multiple import holm_adjusted
from genexpy_nb.significance.wilcoxon import signed_rank_direction, wilcoxon_pratt

N, SIZES, N_ALTERNATIVES = 30, (15, 30, 120), 10
FIRST, SECOND = np.triu_indices(N_ALTERNATIVES, 1)


def worlds() -> dict[str, np.ndarray]:
    """Return expected scores, in standard deviations of an error."""
    rng, rest = np.random.default_rng(5), np.zeros(N_ALTERNATIVES - 1)
    return {
        "all equal": np.zeros(N_ALTERNATIVES),
        "normal means": rng.normal(0, 0.25, N_ALTERNATIVES),
        "one leader": np.r_[0.6, rest],
        "two leaders": np.r_[0.5, 0.5, rest[1:]],
        "evenly spaced": np.linspace(0, 0.8, N_ALTERNATIVES),
        "half better": np.repeat([0.3, 0.0], N_ALTERNATIVES // 2),
        "few far": 0.15 * rng.standard_t(2, N_ALTERNATIVES),
        "ladder": -0.25 * np.log(np.arange(1, N_ALTERNATIVES + 1)),
    }


def verdicts(scores: np.ndarray) -> np.ndarray:
    """Return 1, -1 or 0 for each pair of alternatives."""
    differences = (scores[:, FIRST] - scores[:, SECOND]).T
    p = holm_adjusted(wilcoxon_pratt(differences))
    return np.where(p <= 0.05, signed_rank_direction(differences), 0)


def share_of_equal_pairs(counts: np.ndarray, n: int) -> np.ndarray:
    """Return the share of pairs of different draws with the same value, from counts of each value (first axis)."""
    return (counts * (counts - 1.0)).sum(axis=0) / (n * (n - 1))


def truth_of(means: np.ndarray, n: int, rng: np.random.Generator) -> float:
    """Return the agreement of two studies in the verdicts."""
    found = np.stack([verdicts(means + rng.normal(size=(n, N_ALTERNATIVES))) for _ in range(250)])
    counts = np.stack([(found == verdict).sum(axis=0) for verdict in (-1, 0, 1)])
    rng.normal(size=(40_000, N_ALTERNATIVES))  # which another conclusion took, when the numbers in docs were measured
    return float(share_of_equal_pairs(counts, 250).mean())


def main() -> None:
    """Print a line for each world."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=40)
    parser.add_argument("--seed", type=int, default=9)
    asked = parser.parse_args()
    for number, (name, means) in enumerate(worlds().items()):
        rng = np.random.default_rng([asked.seed, number])
        truth = np.array([truth_of(means, n, rng) for n in SIZES])
        tables = [means + rng.normal(size=(N, N_ALTERNATIVES)) for _ in range(asked.tables)]
        question = as_question("tiers", range(N_ALTERNATIVES), by="score")
        frames = [agreement_of_rows(table, question, SIZES, seed=0) for table in tables]
        low, high = (np.stack([frame[end] for frame in frames]) for end in ("low", "high"))
        held = ((low <= truth + 0.01) & (high >= truth - 0.01)).mean(axis=0)
        width = (high - low).mean(axis=0)
        print(f"{name:15s}truth {truth.round(3)} holds {held.round(3)} width {width.round(2)}")


if __name__ == "__main__":
    main()
