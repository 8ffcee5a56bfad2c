"""How good is the agreement of conclusions over two random factors?

    python benchmarks/bench_agreement_factors.py [--studies 60] [--seed 0]

A study crosses N levels of one factor with M of another. The score of an alternative in a cell is its expected score,
an effect of the level of either factor, and an error; another study draws all of them afresh. For each world, size of
study and size of the other studies: the truth by simulation, and bias, root mean square error, coverage (an end within
.01 counts as holding) and width of the nominal 95 % interval of `genexpy_nb.conclusions`.
"""

from __future__ import annotations

import argparse
from itertools import product

import numpy as np
import pandas as pd

from genexpy_nb.conclusions.tables import agreement_of_cells, as_question

CONCLUSIONS = ("winner", "top-k", "order")
SIZES = ((10, 3), (25, 8))
N_ALTERNATIVES, N_STUDIES, TOP = 10, 8000, 3
SPREADS = {  # standard deviations of the two effects and of the error
    "both matter": (0.7, 0.7, 0.7),
    "first only": (1.0, 0.0, 0.7),
    "second dominates": (0.3, 1.0, 0.5),
}
MEANS = {
    "all equal": np.zeros(N_ALTERNATIVES),
    "one leader": np.r_[0.8, np.zeros(N_ALTERNATIVES - 1)],
    "evenly spaced": np.linspace(1.2, 0, N_ALTERNATIVES),
}


def study(
    means: np.ndarray, spreads: tuple[float, float, float], size: tuple[int, int], rng: np.random.Generator, tail: int
) -> np.ndarray:
    """Return the scores of one study, shape (N, M, A); Student's t with ``tail`` degrees of freedom, unit variance."""

    def draw(*shape: int) -> np.ndarray:
        values = rng.standard_t(tail, shape) * np.sqrt((tail - 2) / tail) if tail else rng.standard_normal(shape)
        return values

    (n, m), (first, second, error) = size, spreads
    of_first, of_second = first * draw(n, 1, N_ALTERNATIVES), second * draw(1, m, N_ALTERNATIVES)
    return means + of_first + of_second + error * draw(n, m, N_ALTERNATIVES)


def truth(
    conclusion: str, means: np.ndarray, spreads: tuple, size: tuple[int, int], rng: np.random.Generator, tail: int
) -> float:
    """Return the agreement of two studies, from all pairs of many simulated ones."""
    n = N_STUDIES if not tail else N_STUDIES // 4
    scores = np.stack([study(means, spreads, size, rng, tail).mean(axis=(0, 1)) for _ in range(n)])
    # all pairs of different studies
    if conclusion == "order":
        i, j = np.triu_indices(N_ALTERNATIVES, 1)
        ahead = np.sign(scores[:, i] - scores[:, j]).sum(axis=0)
        return float(((ahead**2 - n) / (n * (n - 1))).mean())
    k = 1 if conclusion == "winner" else TOP
    counts = (np.argsort(np.argsort(-scores, axis=1), axis=1) < k).sum(axis=0)
    return float((counts * (counts - 1.0)).sum() / (n * (n - 1)) / k)


def compare(n_studies: int, seed: int, tail: int) -> pd.DataFrame:
    """Return a row for each world, size, other size and conclusion; bias and rms where there are estimates."""
    rows = []
    for number, (name, of, size) in enumerate(product(MEANS, SPREADS, SIZES)):
        rng = np.random.default_rng([seed, number])
        means, spreads = MEANS[name], SPREADS[of]
        others = [size, (4 * size[0], size[1]), (2 * size[0], 2 * size[1])]
        cells = [study(means, spreads, size, rng, tail) for _ in range(n_studies)]
        for conclusion in CONCLUSIONS:
            question = as_question(conclusion, range(N_ALTERNATIVES), by="score", k=TOP)
            expected = np.array([truth(conclusion, means, spreads, other, rng, tail) for other in others])
            found = np.stack(
                [
                    agreement_of_cells(each, question, others, rng=i)[["estimate", "low", "high"]].to_numpy()
                    for i, each in enumerate(cells)
                ]
            )
            error = found[..., 0] - expected
            held = (found[..., 1] <= expected + 0.01) & (found[..., 2] >= expected - 0.01)
            for k, other in enumerate(others):
                rows.append(
                    {
                        "world": f"{name}, {of}",
                        "study": f"{size[0]} x {size[1]}",
                        "other": f"{other[0]} x {other[1]}",
                        "conclusion": conclusion,
                        "truth": expected[k],
                        "bias": np.nanmean(error[:, k]),
                        "rms": np.sqrt(np.nanmean(error[:, k] ** 2)),
                        "coverage": held[:, k].mean(),
                        "width": (found[:, k, 2] - found[:, k, 1]).mean(),
                    }
                )
    return pd.DataFrame(rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tail", type=int, default=0, help="degrees of freedom of the effects and errors; 0 is normal")
    arguments = parser.parse_args()
    result = compare(arguments.studies, arguments.seed, arguments.tail)
    print(result.round(2).to_string(index=False))
    summary = result.groupby(["study", "conclusion"]).agg(
        bias=("bias", lambda values: values.abs().mean()),
        rms=("rms", "mean"),
        coverage=("coverage", "mean"),
        lowest=("coverage", "min"),
        width=("width", "mean"),
    )
    print(summary.round(3))
