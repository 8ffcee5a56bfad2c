"""Time tables of very many experiments, alternatives and configurations, and measure the memory that they take.

Run with ``OMP_NUM_THREADS=1 python benchmarks/bench_scale.py``; ``--only WORD`` runs the operations whose name has it,
``--large`` adds a million experiments, ``--json FILE`` keeps the figures. Each operation runs at half its size and at
its size, each time in a process of its own: the peak is the largest resident memory of that process, with Python, the
libraries and the table. The growth is the ratio of the two processor times, which other work on the machine changes
less than the seconds on the clock: 2 is linear. Two threads of the linear algebra wait for each other where the cores
are busy, and then take many times as long as one. The last part compares the ways to n* that large studies take with
the comparison of every pair.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
from timing import fastest, peak_megabytes

import genexpy_nb as gx
from genexpy_nb.generalization.kernels import MallowsKernel
from genexpy_nb.generalization.many import LARGEST_WHOLE, blocks, observe_blocks, observe_counted
from genexpy_nb.generalization.many import distinct_results as distinct
from genexpy_nb.generalization.moments import nstar_by_moments, solve
from genexpy_nb.significance import best_alternative, compare_pairs, friedman, pairwise_wilcoxon, rank_tiers

ALPHAS, DELTA = np.array([0.95]), 0.05


def scores(n_experiments: int, n_alternatives: int) -> pd.DataFrame:
    """Draw scores of three decimals; the alternatives differ by two standard deviations at most."""
    rng = np.random.default_rng(0)
    drawn = rng.normal(np.linspace(0, 2, n_alternatives), 1, (n_experiments, n_alternatives)).round(3) / 3
    rows = pd.Index([f"data-{i:07d}" for i in range(n_experiments)], name="dataset")
    return pd.DataFrame(drawn, rows, [f"model-{i:04d}" for i in range(n_alternatives)])


def rankings(n_experiments: int, n_alternatives: int) -> np.ndarray:
    return np.argsort(np.argsort(-scores(n_experiments, n_alternatives).to_numpy(), axis=1), axis=1)


def tidy(wide: pd.DataFrame) -> pd.DataFrame:
    names, places = pd.factorize(wide.columns)
    return pd.DataFrame(
        {
            "dataset": wide.index.repeat(wide.shape[1]),
            "model": np.tile(np.asarray(places)[names], len(wide)),
            "score": wide.to_numpy().ravel(),
        }
    )


def study(table: pd.DataFrame, **roles: str) -> gx.Study:
    return gx.Study(table, alternatives="model", target="score", generalize_over="dataset", **roles)


def many_configurations(n: int) -> pd.DataFrame:
    return tidy(scores(50 * n, 20)).assign(
        task=np.repeat(np.arange(n), 1000), dataset=np.tile(np.repeat(np.arange(50), 20), n)
    )


def all_four(wide: pd.DataFrame) -> list:
    of = gx.Study.from_wide(wide)
    kernels = [gx.BordaKernel(wide.columns[-1]), gx.JaccardKernel(), MallowsKernel(), gx.RBFKernel()]
    return [lambda: of.nstar(kernels, ALPHAS, DELTA)]


class Operation(NamedTuple):
    """What is timed: ``prepare`` makes of a size the functions that are called one after the other."""

    size: int
    shape: str
    prepare: Callable[[int], list[Callable]]


def one(function: Callable, table: Callable, *args, **options) -> Callable[[int], list[Callable]]:
    def prepare(size: int) -> list[Callable]:
        given = table(size)
        return [lambda: function(given, *args, **options)]

    return prepare


WIDE = {"higher_is_better": True}
CHOSEN = [("model-0000", f"model-{i:04d}") for i in range(1, 500)]
OPERATIONS = {
    "Study of a tidy table": Operation(100_000, "{:,} x 50", one(study, lambda n: tidy(scores(n, 50)))),
    "n* of four kernels": Operation(100_000, "{:,} x 50", lambda n: all_four(scores(n, 50))),
    "Mallows, Gram matrix": Operation(2000, "400 x {:,}", one(MallowsKernel().gram, lambda k: rankings(400, k))),
    "friedman": Operation(2000, "50 x {:,}", one(friedman, lambda k: scores(50, k), **WIDE)),
    "best_alternative": Operation(2000, "50 x {:,}", one(best_alternative, lambda k: scores(50, k), **WIDE)),
    "rank_tiers": Operation(2000, "50 x {:,}", one(rank_tiers, lambda k: scores(50, k), **WIDE)),
    "pairwise_wilcoxon": Operation(2000, "50 x {:,}", one(pairwise_wilcoxon, lambda k: scores(50, k))),
    "compare_pairs, 499 chosen": Operation(
        2000, "50 x {:,}", one(compare_pairs, lambda k: scores(50, k), pairs=CHOSEN, **WIDE)
    ),
    "Study and n* of configurations": Operation(
        10_000,
        "{:,} of 50 x 20",
        one(lambda t: study(t, design="task").nstar(MallowsKernel()), many_configurations),
    ),
}
LARGE = {"n* of four kernels, a million": Operation(1_000_000, "{:,} x 20", lambda n: all_four(scores(n, 20)))}


def run_here(name: str, size: int) -> dict[str, float]:
    """Time one operation in this process."""
    (action,) = (OPERATIONS | LARGE)[name].prepare(size)
    before, start, used = peak_megabytes(), time.perf_counter(), time.process_time()
    action()
    seconds, used = time.perf_counter() - start, time.process_time() - used
    return {"seconds": seconds, "cpu_seconds": used, "peak_mb": peak_megabytes(), "peak_before_mb": before}


def run_apart(name: str, size: int) -> dict[str, float]:
    """Time one operation in a process of its own."""
    command = [sys.executable, __file__, "--child", name, str(size)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])


def ways_to_nstar() -> list[dict]:
    """Compare counted results and blocks with all pairs, where all pairs are possible."""
    found, n, k = [], LARGEST_WHOLE, 20
    results = rankings(n, k)
    for kernel in (gx.BordaKernel(k - 1), gx.JaccardKernel(), MallowsKernel()):
        epsilons = np.atleast_1d(kernel.epsilon(DELTA, k))[None]

        def counted(kernel=kernel, epsilons=epsilons):
            first, counts = distinct(results, kernel)
            return solve(observe_counted(kernel.gram(results[first]), counts, ALPHAS), ALPHAS, epsilons)

        def blocked(kernel=kernel, epsilons=epsilons):
            return solve(observe_blocks(results, kernel, blocks(n, 0), ALPHAS), ALPHAS, epsilons)

        plain, expected = fastest(lambda e=epsilons, g=kernel.gram: nstar_by_moments(g(results)[None], ALPHAS, e), 1)
        for way, action in (("counted", counted), ("blocks", blocked)):
            seconds, value = fastest(action, 1)
            off = np.abs(np.log(value / expected))[0, 0, 0]
            found.append(
                {"kernel": kernel.name, "way": way, "seconds": seconds, "ratio": plain / seconds}
                | dict(zip(("estimate_off", "low_off", "high_off"), off.tolist(), strict=True))
            )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="run the operations whose name has this word")
    parser.add_argument("--large", action="store_true", help="a million experiments, too")
    parser.add_argument("--json", help="file for the figures")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        print(json.dumps(run_here(given.child[0], int(given.child[1]))))
        return
    rows = []
    print(f"{'':32}{'size':>18}{'seconds':>10}{'CPU':>8}{'growth':>8}{'peak MB':>9}")
    for name, operation in (OPERATIONS | (LARGE if given.large else {})).items():
        if given.only not in name:
            continue
        half, whole = (run_apart(name, size) for size in (operation.size // 2, operation.size))
        growth = whole["cpu_seconds"] / half["cpu_seconds"]
        rows.append({"operation": name, "size": operation.shape.format(operation.size), "growth": growth} | whole)
        print(
            f"{name:32}{rows[-1]['size']:>18}{whole['seconds']:10.2f}{whole['cpu_seconds']:8.2f}{growth:8.1f}"
            f"{whole['peak_mb']:9.0f}",
            flush=True,
        )
    ways = [] if given.only else ways_to_nstar()
    if ways:
        print(f"\nAgainst all pairs of {LARGEST_WHOLE:,} x 20 (relative differences of the estimate and the ends)")
    for way in ways:
        off = "".join(f"{way[name]:11.1e}" for name in ("estimate_off", "low_off", "high_off"))
        print(f"{way['kernel']:14}{way['way']:10}{way['seconds']:8.2f} s{way['ratio']:8.1f} times as fast{off}")
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump({"operations": rows, "ways": ways}, file, indent=1)


if __name__ == "__main__":
    main()
