"""Measure how often intervals of a mean hold it, over kinds of scores and numbers of conditions.

Run with ``OMP_NUM_THREADS=1 python benchmarks/coverage_intervals.py``. With ``--write`` it replaces the record that
`genexpy_nb.significance.interval_advice` and the notes of intervals are made of. A study is one column of a table, so
that the intervals are those of `genexpy_nb.significance.intervals` itself.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import pandas as pd

import genexpy_nb.significance as significance
from genexpy_nb.common.random import stream
from genexpy_nb.significance.coverage import INTERVALS
from genexpy_nb.significance.intervals import mean_intervals

SIZES = (3, 5, 10, 20, 50, 100)
BLOCK = 500  # studies that share their resamples
RECORD = Path(significance.__file__).with_name("coverage.csv")


def differences_of_accuracies(rng: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
    difficulty = rng.beta(8, 2, size)
    return (rng.binomial(100, difficulty) - rng.binomial(100, difficulty)) / 100


def accuracies_of_ten(rng: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
    return rng.binomial(10, rng.beta(8, 2, size)) / 10


def differences_over_ten(rng: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
    difficulty = rng.beta(8, 2, size)
    return (rng.binomial(10, difficulty) - rng.binomial(10, difficulty)) / 10


def outliers(rng: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
    return np.where(rng.random(size) < 0.05, rng.normal(-6, 1, size), rng.normal(0, 1, size))


#: Of each kind of scores how they are drawn, their mean, and whether they lie in [0, 1].
WORLDS = {
    "normal": (lambda rng, size: rng.normal(size=size), 0.0, False),
    "heavy tails": (lambda rng, size: rng.standard_t(3, size), 0.0, False),
    "skewed": (lambda rng, size: rng.exponential(size=size), 1.0, False),
    "outliers": (outliers, -0.3, False),
    "differences of accuracies": (differences_of_accuracies, 0.0, False),
    "uniform": (lambda rng, size: rng.uniform(size=size), 0.5, True),
    "accuracies": (lambda rng, size: rng.binomial(100, rng.beta(8, 2, size)) / 100, 0.8, True),
    "near the bound": (lambda rng, size: rng.beta(9.5, 0.5, size), 0.95, True),
    "grades": (
        lambda rng, size: rng.choice([0, 0.25, 0.5, 0.75, 1], p=[0.05, 0.05, 0.1, 0.3, 0.5], size=size),
        0.7875,
        True,
    ),
    "accuracies of ten items": (accuracies_of_ten, 0.8, True),
    "differences over ten items": (differences_over_ten, 0.0, False),
    # one score per item
    "right or wrong": (lambda rng, size: rng.binomial(1, 0.8, size), 0.8, True),
    "rights against wrongs": (lambda rng, size: rng.choice([-1, 0, 1], p=[0.05, 0.75, 0.2], size=size), 0.15, False),
}


def measure(world: str, n: int, n_studies: int, n_resamples: int, seed: int) -> list[dict[str, object]]:
    """Return for each interval in how many studies it holds the mean, and how wide it is over Student's."""
    draw, truth, bounded = WORLDS[world]
    rng = stream(seed, list(WORLDS).index(world), n)
    names = [name for name in INTERVALS if name != "auto"]
    covered, widths = dict.fromkeys(names, 0), {name: [] for name in names}
    for start in range(0, n_studies, BLOCK):
        scores = draw(rng, (n, min(BLOCK, n_studies - start)))
        resampling = int(rng.integers(2**32))
        for name in names:
            ends = mean_intervals(scores, interval=name, n_resamples=n_resamples, rng=resampling)
            slack = 1e-9  # an end that is the mean but for rounding holds it
            covered[name] += int(((ends["low"] - slack <= truth) & (truth <= ends["high"] + slack)).sum())
            widths[name].append((ends["high"] - ends["low"]).to_numpy())
    unit = np.median(np.concatenate(widths["t"]))
    return [
        {
            "world": world,
            "bounded": bounded,
            "n_conditions": n,
            "interval": name,
            "n_covered": covered[name],
            "width": round(float(np.median(np.concatenate(widths[name])) / unit), 3) if unit > 0 else np.nan,
            "n_studies": n_studies,
            "n_resamples": n_resamples,
            "seed": seed,
        }
        for name in names
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n-studies", type=int, default=4000)
    parser.add_argument("--n-resamples", type=int, default=1999)
    parser.add_argument("--seed", type=int, default=12)
    parser.add_argument("--write", action="store_true", help="replace the record in the package")
    given = parser.parse_args()
    began, rows = time.perf_counter(), []
    for world in WORLDS:
        for n in SIZES:
            rows += measure(world, n, given.n_studies, given.n_resamples, given.seed)
        shown = pd.DataFrame([row for row in rows if row["world"] == world])
        shown["covered"] = shown["n_covered"] / shown["n_studies"]
        print(f"\n{world}: share of {given.n_studies} studies, and width over that of Student's interval")
        table = shown.pivot(index="n_conditions", columns="interval", values=["covered", "width"])
        print(table.round(3).to_string())
    error = 1.96 * np.sqrt(0.95 * 0.05 / given.n_studies)
    print(f"\n95 % Monte-Carlo interval of a share of .95: +- {error:.4f}; {time.perf_counter() - began:.0f} s")
    if given.write:
        pd.DataFrame(rows).to_csv(RECORD, index=False)


if __name__ == "__main__":
    main()
