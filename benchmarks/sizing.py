"""Work out on paper what a leaderboard of 10,000 models on 10,000 tasks takes, from what a few models cost.

Run with ``OMP_NUM_THREADS=1 python -m benchmarks.sizing --out benchmarks/sizing.csv``; a few minutes. Each step is
timed and its memory traced for a few models on all 10,000 tasks, at two numbers of models. Seconds grow by a known
power of that number, memory by the number itself; the line through the two measurements is read off at 10,000. Steps
that look at pairs of models cost the same for every pair beyond those that are held at once, so that two numbers of
pairs are enough.
"""

import argparse
import gc
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import genexpy_nb as gx
from benchmarks.operations import scores
from genexpy_nb.generalization.kernels import BordaKernel, JaccardKernel, MallowsKernel, RBFKernel
from genexpy_nb.generalization.nstar import estimate_grid, sample_of_many
from genexpy_nb.significance import best_alternative, compare_pairs, friedman
from genexpy_nb.significance.wilcoxon import pairwise_wilcoxon

N_TASKS = N_MODELS = 10_000
ALPHA = np.array([0.95])


class Step(NamedTuple):
    """What is done for k models, or pairs; the two k at which it is measured; the power of k that its time grows by."""

    prepare: Callable[[int], Callable[[], Any]]
    measured_at: tuple[int, int]
    power: int = 1


def nstar_of(kernel: Any, k: int) -> Callable[[], Any]:
    wide = scores(N_TASKS, k)
    results = gx.Study.from_wide(wide).results(None, kernel)
    epsilons = [np.atleast_1d(kernel.epsilon(0.05, k))]

    def estimate() -> Any:
        gram = kernel.gram(results.iloc[sample_of_many(N_TASKS, 0)])
        return estimate_grid([gram], ALPHA, epsilons, "moments", 0, 0)

    return estimate


def with_table(function: Callable[[pd.DataFrame], Any]) -> Callable[[int], Callable[[], Any]]:
    def prepare(k: int) -> Callable[[], Any]:
        wide = scores(N_TASKS, k)
        return lambda: function(wide)

    return prepare


def of_pairs(function: Callable[[pd.DataFrame], Any]) -> Callable[[int], Callable[[], Any]]:
    """Prepare all pairs of the fewest models that make so many: the table itself stays small."""

    def prepare(n_pairs: int) -> Callable[[], Any]:
        wide = scores(N_TASKS, int((1 + np.sqrt(1 + 8 * n_pairs)) / 2))
        return lambda: function(wide)

    return prepare


STEPS = {
    "study of the wide table": Step(with_table(gx.Study.from_wide), (100, 200)),
    "rankings": Step(lambda k: gx.Study.from_wide(scores(N_TASKS, k)).rankings, (100, 200)),
    "n*, Borda": Step(lambda k: nstar_of(BordaKernel(f"model-{k // 2:04d}"), k), (2600, 3200)),
    "n*, Jaccard": Step(lambda k: nstar_of(JaccardKernel(), k), (200, 400)),
    "n*, RBF": Step(lambda k: nstar_of(RBFKernel(), k), (200, 400)),
    "n*, Mallows": Step(lambda k: nstar_of(MallowsKernel(), k), (100, 200), power=2),
    "friedman": Step(with_table(lambda wide: friedman(wide, higher_is_better=True)), (100, 200)),
    "best_alternative": Step(with_table(lambda wide: best_alternative(wide, higher_is_better=True)), (50, 100)),
    "pairs with intervals": Step(of_pairs(lambda wide: compare_pairs(wide, higher_is_better=True)), (861, 1225)),
    "Wilcoxon and Holm, pairs": Step(of_pairs(pairwise_wilcoxon), (1225, 1770)),
}
#: Steps whose k is a number of pairs, and the numbers of pairs that the page shows.
PAIRS = {"pairs with intervals": (4950, 49_995_000), "Wilcoxon and Holm, pairs": (4950, 49_995_000)}


def measure(step: Step) -> list[tuple[float, float]]:
    """Return seconds of the processor and megabytes that a step adds, at both numbers of models."""
    found = []
    for k in step.measured_at:
        action = step.prepare(k)
        gc.collect()
        start = time.process_time()
        action()
        seconds = time.process_time() - start
        tracemalloc.start()
        action()
        peak = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
        found.append((seconds, peak))
    return found


def at(wanted: float, measured_at: tuple[int, int], values: tuple[float, float], power: int = 1) -> float:
    """Read off a line through two measurements, at least the larger one.

    Both grow with the number of models; where they do not differ by more than noise, the larger one is what is known.
    """
    one, other = (float(k) ** power for k in measured_at)
    slope = max(values[1] - values[0], 0.0) / (other - one)
    return max(values) + slope * (float(wanted) ** power - other)


def sized(name: str, measured: list[tuple[float, float]]) -> list[dict[str, Any]]:
    """Return the rows of a step: what was measured, and what it comes to."""
    step = STEPS[name]
    rows = []
    for wanted in PAIRS.get(name, (N_MODELS,)):
        seconds = at(wanted, step.measured_at, (measured[0][0], measured[1][0]), step.power)
        megabytes = at(wanted, step.measured_at, (measured[0][1], measured[1][1]))  # pairs are never held all at once
        rows.append({"step": name, "k": wanted, "seconds": seconds, "megabytes": megabytes})
    return rows


def record(measured: dict[str, list[tuple[float, float]]]) -> pd.DataFrame:
    """Return what was measured, one row per step and number of models or pairs."""
    return pd.DataFrame(
        [
            {"step": name, "k": k, "seconds": seconds, "megabytes": megabytes}
            for name, values in measured.items()
            for k, (seconds, megabytes) in zip(STEPS[name].measured_at, values, strict=True)
        ]
    )


def duration(seconds: float) -> str:
    """Write seconds with their unit.

    Examples
    --------
    >>> duration(0.0512), duration(4.24), duration(600), duration(86_400)
    ('0.051 s', '4.2 s', '10 min', '24 h')
    """
    for unit, length in (("h", 3600), ("min", 60), ("s", 1)):
        if seconds >= 1.5 * length or unit == "s":
            value = seconds / length
            digits = ",.0f" if value >= 9.95 else ".1f" if value >= 1 else ".2g"
            return f"{value:{digits}} {unit}"
    raise AssertionError


def markdown(found: pd.DataFrame) -> list[str]:
    """Return the table of the page from a record, line by line."""
    lines = ["| step | measured for | of the processor | at full size | memory beside the table |"]
    lines.append("|---|---|--:|--:|--:|")
    for name, group in found.groupby("step", sort=False):
        values = list(group[["seconds", "megabytes"]].itertuples(index=False, name=None))
        for row in sized(str(name), values):
            in_pairs = name in PAIRS
            unit = "pairs" if in_pairs else "models"
            title = f"{name}: {row['k']:,}" if in_pairs else name
            ks = " and ".join(f"{k:,}" for k in group["k"])
            took = " and ".join(duration(seconds) for seconds, _ in values)
            lines.append(
                f"| {title} | {ks} {unit} | {took} | {duration(row['seconds'])} | {row['megabytes'] / 1000:,.1f} GB |"
            )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sizing", description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, help="CSV file for what was measured")
    parser.add_argument(
        "--only", default="", help="measure the steps whose name has this word; others stay in the file"
    )
    given = parser.parse_args()
    measured: dict[str, list[tuple[float, float]]] = {}
    if given.out and given.out.exists():
        for name, group in pd.read_csv(given.out).groupby("step", sort=False):
            measured[str(name)] = list(group[["seconds", "megabytes"]].itertuples(index=False, name=None))
    for name, step in STEPS.items():
        if given.only in name:
            print(f"{name} ...", flush=True)
            measured[name] = measure(step)
        if given.out:
            known = {each: measured[each] for each in STEPS if each in measured}
            record(known).round(4).to_csv(given.out, index=False)
    print("\n".join(markdown(record({each: measured[each] for each in STEPS if each in measured}))))


if __name__ == "__main__":
    main()
