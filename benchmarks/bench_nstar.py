"""Time n* of the whole encoder study: by moments, by resampling, and by plain loops over the published algorithm.

Run with ``OMP_NUM_THREADS=1 python benchmarks/bench_nstar.py``. Seconds depend on the machine and on what else it does;
the ratios, taken in one run, hardly do.
"""

import math
import random
import statistics
import time

import numpy as np
from scipy.stats import linregress
from timing import fastest, peak_megabytes

import genexpy_nb as gx

ALPHAS = [0.7, 0.8, 0.9, 0.95, 0.99]
DELTAS = [0.01, 0.025, 0.05, 0.1, 0.2]
N_RESAMPLES = 1000


def encoder_study() -> gx.Study:
    return gx.Study(
        gx.datasets.load_encoders(source="auto"),
        alternatives="encoder",
        target="cv_score",
        generalize_over="dataset",
        design=["model", "tuning", "scoring"],
    )


def plain_loops(gram: list[list[float]], epsilons: list[float], n_resamples: int) -> list[list[float]]:
    """Algorithm 2 for all alphas and thresholds, sample by sample, pair by pair."""
    rng, n_experiments, sizes, distances = random.Random(0), len(gram), [], []
    for n in range(2, n_experiments // 2 + 1):
        row = []
        for _ in range(n_resamples):
            drawn = rng.sample(range(n_experiments), 2 * n)
            x, y = drawn[:n], drawn[n:]
            within = sum(gram[a][b] for a in x for b in x) + sum(gram[a][b] for a in y for b in y)
            between = sum(gram[a][b] for a in x for b in y)
            row.append(math.sqrt(max(within - 2 * between, 0.0)) / n)
        sizes.append(math.log(n))
        distances.append(sorted(row))
    estimates = []
    for alpha in ALPHAS:
        quantiles = [row[math.ceil(alpha * (n_resamples - 1))] for row in distances]
        if min(quantiles) < 1e-7:
            estimates.append([1.0] * len(epsilons))
            continue
        line = linregress([math.log(q) for q in quantiles], sizes)
        estimates.append([math.exp(line.intercept + line.slope * math.log(e)) for e in epsilons])
    return estimates


def pairs_looked_up(n_experiments: int) -> int:
    """What the time of the plain loops is proportional to."""
    return sum(3 * n * n for n in range(2, n_experiments // 2 + 1))


def main() -> None:
    study = encoder_study()
    first = study.rankings(study.configurations[0]).columns[0]
    kernels = [gx.BordaKernel(first), gx.JaccardKernel(), gx.MallowsKernel(), gx.RBFKernel()]
    n_configurations = len(study.configurations)
    print(
        f"{study.target} of {len(study.accounting)} configurations, {len(kernels)} kernels, "
        f"{len(ALPHAS) * len(DELTAS)} (alpha, delta); {study.accounting['n_experiments'].min()} to "
        f"{study.accounting['n_experiments'].max()} experiments each"
    )
    baseline = peak_megabytes()

    grams, _ = fastest(
        lambda: [k.gram(study.results(c, k)) for c in study.configurations for k in kernels], repetitions=3
    )
    moments, by_moments = fastest(lambda: study.nstar(kernels, ALPHAS, DELTAS), repetitions=5)
    after_moments = peak_megabytes()
    resampling, by_resampling = fastest(
        lambda: study.nstar(kernels, ALPHAS, DELTAS, method="resampling", n_resamples=N_RESAMPLES), repetitions=2
    )
    after_resampling = peak_megabytes()

    # Plain loops on a few cells only; the rest in proportion to the kernel values looked up.
    sample = sorted(range(n_configurations), key=lambda i: study.accounting["n_experiments"].iloc[i])
    sample = [sample[0], sample[-1]]
    seconds, looked_up, deviations = 0.0, 0, []
    for i in sample:
        kernel, configuration = kernels[2], study.configurations[i]
        results = study.results(configuration, kernel)
        gram = kernel.gram(results)
        epsilons = kernel.epsilon(DELTAS, results.shape[1])
        start = time.perf_counter()
        plain = np.array(plain_loops(gram.tolist(), list(epsilons), N_RESAMPLES))
        seconds += time.perf_counter() - start
        looked_up += pairs_looked_up(len(gram))
        # The same grid from the package: the loops must do the same work, up to their own draws.
        rows = by_resampling.loc[by_resampling["kernel"] == kernel.name]
        for name, level in configuration.items():
            rows = rows.loc[rows[name] == level]
        deviations.extend(np.abs(np.log(plain.ravel() / rows["nstar"].to_numpy())))
    every = len(kernels) * sum(pairs_looked_up(n) for n in study.accounting["n_experiments"] if n >= 4)
    loops = seconds * every / looked_up

    print(f"\n{'':34}{'seconds':>10}{'against moments':>18}{'peak MB':>10}")
    for name, value, peak in (
        ("Gram matrices only", grams, None),
        ("moments, with intervals", moments, after_moments),
        (f"resampling, {N_RESAMPLES} resamples", resampling, after_resampling),
        ("plain loops (extrapolated)", loops, None),
    ):
        print(f"{name:34}{value:10.2f}{value / moments:18.1f}{'' if peak is None else f'{peak:10.0f}'}")
    print(
        f"\nresampling / moments = {resampling / moments:.1f}; plain loops / resampling = {loops / resampling:.0f}; "
        f"plain loops / moments = {loops / moments:.0f}"
    )
    print(f"memory before the first estimate: {baseline:.0f} MB (Python, libraries and the table)")
    both = np.log(by_moments["nstar"] / by_resampling["nstar"]).abs()
    print(
        f"median difference between the methods: {math.expm1(both.median()):.1%}; between resampling and the plain "
        f"loops, which draw other samples: {math.expm1(statistics.median(deviations)):.1%}"
    )


if __name__ == "__main__":
    main()
