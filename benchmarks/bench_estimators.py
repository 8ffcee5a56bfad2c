"""Time one estimate of n* by each method, relative to the default.

Run with ``OMP_NUM_THREADS=1 python benchmarks/bench_estimators.py``; about a minute. Methods take turns, so that a busy
machine slows all of them down alike, and the fastest turn counts.
"""

import time

import numpy as np

from genexpy_nb.generalization.kernels import MallowsKernel
from genexpy_nb.generalization.nstar import METHODS, estimate_grid
from genexpy_nb.generalization.samplers import sample_weak_orders

SIZES = (10, 20, 40, 80)
STUDIES, TURNS, N_RESAMPLES = 10, 5, 1000
ALPHA, DELTA, N_ALTERNATIVES = 0.95, 0.05, 8


def main() -> None:
    kernel, rng = MallowsKernel(), np.random.default_rng(0)
    epsilons = [np.atleast_1d(kernel.epsilon(DELTA, N_ALTERNATIVES))] * STUDIES
    print(f"time of an estimate, relative to moments with interval; {STUDIES} studies at once, {N_RESAMPLES} resamples")
    print(f"{'':22}" + "".join(f"{f'N = {size}':>10}" for size in SIZES))
    fastest = {method: [] for method in METHODS}
    for size in SIZES:
        grams = list(kernel.gram(sample_weak_orders(N_ALTERNATIVES, STUDIES * size, rng).reshape(STUDIES, size, -1)))
        seconds = dict.fromkeys(METHODS, np.inf)
        for _ in range(TURNS):
            for method in METHODS:
                start = time.perf_counter()
                estimate_grid(grams, np.array([ALPHA]), epsilons, method, N_RESAMPLES, 0)
                seconds[method] = min(seconds[method], time.perf_counter() - start)
        for method, best in seconds.items():
            fastest[method].append(best / seconds["moments"])
    for method, ratios in fastest.items():
        print(f"{method:22}" + "".join(f"{ratio:10.3g}" for ratio in ratios))


if __name__ == "__main__":
    main()
