"""How far off `Study.noise` is: ``python benchmarks/bench_noise.py [--draws 2000] [--seed 0]``.

Noise of runs and of experiments, both normal and independent: the share of the variance of a mean that is due to runs,
as `Study.noise` estimates it, against the true one. Printed: mean, median, and the 10th and 90th of 100 parts.
"""

import argparse
from itertools import product

import numpy as np
import pandas as pd

from genexpy_nb.common.random import stream
from genexpy_nb.study.positions import spreads


def noise(n, n_runs, share, draws, seed):
    rng = stream(seed, n, n_runs, round(100 * share))
    scores = rng.normal(0, np.sqrt(1 - share), (draws, n, 1)) + rng.normal(
        0, np.sqrt(share * n_runs), (draws, n, n_runs)
    )
    study, experiment, _ = np.indices(scores.shape).reshape(3, -1)
    largest = np.abs(scores).max(axis=(1, 2))
    found = spreads(scores.ravel(), experiment, study, draws, largest)["share_of_variance"]
    ends = dict(zip(("10 %", "90 %"), found.quantile([0.1, 0.9]), strict=True))
    return {"n": n, "runs": n_runs, "true": share, "mean": found.mean(), "median": found.median()} | ends


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    rows = [noise(*one, given.draws, given.seed) for one in product((10, 30), (3, 5, 10), (0.05, 0.2, 0.5, 0.8))]
    print(pd.DataFrame(rows).round(3).to_string(index=False))


if __name__ == "__main__":
    main()
