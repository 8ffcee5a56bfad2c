"""Time the trade-off testbed, and its point by enumeration against a mixed-integer solver.

Run with ``PYTHONPATH=data OMP_NUM_THREADS=1 python benchmarks/bench_tradeoff.py [workers]``. Seconds depend on the
machine and on what else it does; the ratio, taken in one run, hardly does.
"""

import sys
import time
from tempfile import TemporaryDirectory

import numpy as np
from joblib import Parallel, delayed
from runs.digits import FAMILIES, N_UNSEEN, measure_family
from runs.grid import run_testbed
from scipy.optimize import Bounds, LinearConstraint, milp
from timing import fastest

from genexpy_nb import tradeoff
from genexpy_nb.datasets.locating import load_tradeoff_cells
from genexpy_nb.tradeoff.array import objective
from genexpy_nb.tradeoff.images import digits_task

SEEDS = range(3)


def solver(array) -> float:
    """The weighted problem with one binary variable per cell."""
    x = [array["ssim"], 1 - array["zero_shot"], array["size"]]
    scaled = [(values - values.min()) / (values.max() - values.min()) for values in x]
    costs = sum((values**2 for values in scaled), objective(array)).to_numpy().ravel()
    one = LinearConstraint(np.ones((1, costs.size)), 1, 1)
    return milp(costs, integrality=np.ones(costs.size), bounds=Bounds(0, 1), constraints=one).fun


def main() -> None:
    workers = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    with TemporaryDirectory() as folder:
        start = time.perf_counter()
        run_testbed(digits_task, FAMILIES, SEEDS, N_UNSEEN, folder=folder, n_jobs=workers, progress=False)
        cells = time.perf_counter() - start
    start = time.perf_counter()
    units = [(digits_task(seed), family, seed) for seed in SEEDS for family in FAMILIES]
    Parallel(workers)(delayed(measure_family)(*unit) for unit in units)
    measures = time.perf_counter() - start
    print(f"testbed, {len(FAMILIES)} families, {len(SEEDS)} seeds, {workers} workers: {cells:.0f} s")
    print(f"complexity measures of the same networks (trained again): {measures:.0f} s")

    table = load_tradeoff_cells()
    array = tradeoff.over_seeds(tradeoff.to_array(table[table["family"] == "convolutions"]))
    ours, point = fastest(lambda: tradeoff.tradeoff_point(array), repetitions=5)
    theirs, value = fastest(lambda: solver(array), repetitions=3)
    cells = objective(array).size
    print(f"point, {cells} cells: enumeration {1000 * ours:.1f} ms, milp {theirs / ours:.0f} times as long")
    print(f"difference of the two optima: {abs(point.value - value):.1e}")


if __name__ == "__main__":
    main()
