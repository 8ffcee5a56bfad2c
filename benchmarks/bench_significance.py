"""Time all pairs of 46 models on 30 folds: `compare_pairs`, and a plain loop over scipy, pair by pair.

Run with ``OMP_NUM_THREADS=1 python benchmarks/bench_significance.py``. Seconds depend on the machine and on what else
it does; the ratios, taken in one run, hardly do. The loop runs on a sample of the pairs; its time is proportional.
"""

import tracemalloc

import numpy as np
from scipy import stats
from timing import fastest, peak_megabytes

from genexpy_nb.significance import compare_pairs

N_MODELS, N_FOLDS, N_RESAMPLES = 46, 30, 10_000
SAMPLE = 20  # pairs of the loop


def scores() -> np.ndarray:
    """Accuracies of a benchmark: models differ, and folds are difficult for all of them."""
    rng = np.random.default_rng(0)
    return 0.7 + 0.05 * rng.normal(size=(N_FOLDS, 1)) + 0.02 * rng.normal(size=(N_FOLDS, N_MODELS))


def loop(table: np.ndarray, pairs: list[tuple[int, int]], batch: int | None) -> np.ndarray:
    """BCa interval and exact signed-rank test of each pair; returns the intervals, shape (n_pairs, 2)."""
    rng, intervals = np.random.default_rng(0), []
    for a, b in pairs:
        difference = table[:, a] - table[:, b]
        result = stats.bootstrap((difference,), np.mean, n_resamples=N_RESAMPLES, batch=batch, rng=rng)
        intervals.append(tuple(result.confidence_interval))
        stats.wilcoxon(difference, zero_method="pratt", method="exact")
    return np.array(intervals)


def main() -> None:
    table = scores()
    every = list(zip(*np.triu_indices(N_MODELS, 1), strict=True))
    chosen = [int(i) for i in np.linspace(0, len(every) - 1, SAMPLE)]
    print(
        f"{N_MODELS} models, {N_FOLDS} folds, {len(every):,} pairs, {N_RESAMPLES:,} resamples; "
        f"loops on {SAMPLE} pairs, in proportion"
    )
    before = peak_megabytes()
    ours, pairs = fastest(
        lambda: compare_pairs(table, higher_is_better=True, interval="bca", n_resamples=N_RESAMPLES), repetitions=3
    )
    after = peak_megabytes()
    tracemalloc.start()
    compare_pairs(table, higher_is_better=True, interval="bca", n_resamples=N_RESAMPLES)
    allocated = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()

    rows = [("compare_pairs, all columns", ours)]
    for name, batch in (("loop over scipy, all resamples at once", None), ("loop over scipy, batches of 1,000", 1000)):
        seconds, intervals = fastest(lambda batch=batch: loop(table, [every[i] for i in chosen], batch), repetitions=2)
        rows.append((name, seconds * len(every) / SAMPLE))

    print(f"\n{'':42}{'seconds':>10}{'against compare_pairs':>24}")
    for name, seconds in rows:
        print(f"{name:42}{seconds:10.2f}{seconds / ours:24.1f}")
    print(
        f"\nmemory of compare_pairs: at most {allocated:.0f} MB allocated at once; resident {after:.0f} MB at most, "
        f"{before:.0f} MB before (Python and libraries)"
    )
    width = intervals[:, 1] - intervals[:, 0]
    deviation = np.abs(pairs[["low", "high"]].to_numpy()[chosen] - intervals).max(axis=1) / width
    print(f"ends of the intervals differ by {np.median(deviation):.1%} of their width (median): other resamples")


if __name__ == "__main__":
    main()
