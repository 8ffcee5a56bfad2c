"""Measure how often TOST calls two alternatives equivalent that differ by just as much as matters.

Run with ``PYTHONPATH=data OMP_NUM_THREADS=1 python benchmarks/equivalence_errors.py``. First over independent
conditions: differences of several shapes, whose mean is the edge of the region. Then over folds: two learners that are
equal, one of which is given the edge on top, so that the mean difference is known.
"""

import argparse

import numpy as np
from runs.worlds import CHUNK, World, learners_scores
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from genexpy_nb.common.random import stream
from genexpy_nb.protocol.analysis import effective_size

LEVEL = 0.05
SHAPES = {  # mean 0, standard deviation 1
    "normal": lambda rng, size: rng.normal(size=size),
    "skewed (exponential), long tail inwards": lambda rng, size: 1 - rng.exponential(size=size),
    "skewed (exponential), long tail outwards": lambda rng, size: rng.exponential(size=size) - 1,
    "heavy tails (t3)": lambda rng, size: rng.standard_t(3, size=size) / np.sqrt(3),
}
WORLDS = {
    "200 rows, 5 folds, 2 repeats": {"n_rows": 200, "k": 5, "n_repeats": 2},
    "200 rows, 10 folds, 1 repeat": {"n_rows": 200, "k": 10, "n_repeats": 1},
    "60 rows, 5 folds, 2 repeats": {"n_rows": 60, "k": 5, "n_repeats": 2},
    "200 rows, similar learners": {"n_rows": 200, "k": 5, "n_repeats": 2, "similarity": 0.5},
}


def equivalent(d: np.ndarray, rope: float, test_share: float = 0.0) -> np.ndarray:
    """Say for differences, shape (n_studies, n), whether both one-sided t-tests reject."""
    n = d.shape[1]
    error = d.std(axis=1, ddof=1) / np.sqrt(effective_size(n, test_share))
    half = stats.t.ppf(1 - LEVEL, n - 1) * error
    return np.abs(d.mean(axis=1)) + half < rope


def row(what: str, hits: int, n_studies: int) -> None:
    low, high = proportion_confint(hits, n_studies, method="wilson")
    print(f"{what:62} {hits / n_studies:.4f} ({low:.4f} to {high:.4f})", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n-studies", type=int, default=100_000)
    parser.add_argument("--n-studies-folds", type=int, default=4_000)
    parser.add_argument("--seed", type=int, default=17)
    given = parser.parse_args()
    print("Share of studies that find equivalence at the edge, with 95 % interval; level .05")
    for at, (name, draw) in enumerate(SHAPES.items()):
        for n in (10, 20, 50):
            for rope in (0.5, 2.0):
                rng = stream(given.seed, at, n, int(10 * rope))
                hits = equivalent(rope + draw(rng, (given.n_studies, n)), rope).sum()
                row(f"{name}, n = {n}, rope {rope:g} sd", hits, given.n_studies)
    for at, (name, world) in enumerate(WORLDS.items()):
        drawn = World(n_learners=2, n_seeds=1, **world)
        chunks = range(given.n_studies_folds // CHUNK)
        scores = [learners_scores(stream(given.seed, 100, at, c), drawn, 0.0)[0] for c in chunks]
        d = np.concatenate([(s[:, 0] - s[:, 1]).reshape(CHUNK, -1) for s in scores])
        for test, share in (("corrected", 1 / drawn.shape[-1]), ("plain", 0.0)):
            row(f"folds: {name}, {test}", equivalent(d + 1.0, 1.0, share).sum(), len(d))


if __name__ == "__main__":
    main()
