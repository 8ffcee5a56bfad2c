"""What the operations of the benchmarks are measured against: the definitions of the papers, as plain loops.

Each kernel is a function of two results, evaluated pair by pair; the MMD is three means over pairs; n* is a line
through logarithms of quantiles, sizes 2 ... N / 2. The loops take the same random samples as the package, as lists of
positions, so that both return the same numbers but for rounding.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from scipy import stats

Result = Sequence[float]
Pair = Callable[[Result, Result], float]
Samples = list[tuple[list[int], list[int]]]


def borda(alternative: int, n_alternatives: int) -> Pair:
    def kernel(x: Result, y: Result) -> float:
        dominated = [sum(rank >= result[alternative] for rank in result) for result in (x, y)]
        return math.exp(-abs(dominated[0] - dominated[1]) / n_alternatives)

    return kernel


def jaccard(k: int) -> Pair:
    def kernel(x: Result, y: Result) -> float:
        one, other = ({place for place, rank in enumerate(result) if rank < k} for result in (x, y))
        return len(one & other) / len(one | other)

    return kernel


def mallows(n_alternatives: int) -> Pair:
    """Count a pair of alternatives that one result alone ties as one half."""
    n_pairs = math.comb(n_alternatives, 2)

    def kernel(x: Result, y: Result) -> float:
        doubled = 0
        for i in range(n_alternatives):
            for j in range(i):
                one, other = (x[i] > x[j]) - (x[i] < x[j]), (y[i] > y[j]) - (y[i] < y[j])
                doubled += abs(one - other)
        return math.exp(-doubled / 2 / n_pairs)

    return kernel


def rbf(n_alternatives: int) -> Pair:
    def kernel(x: Result, y: Result) -> float:
        return math.exp(-sum((a - b) ** 2 for a, b in zip(x, y, strict=True)) / n_alternatives)

    return kernel


def gram(kernel: Pair, results: Sequence[Result]) -> np.ndarray:
    """Evaluate a kernel on each pair once."""
    matrix = np.empty((len(results), len(results)))
    for i, x in enumerate(results):
        for j in range(i + 1):
            matrix[i, j] = matrix[j, i] = kernel(x, results[j])
    return matrix


def look_up(matrix: np.ndarray) -> Callable[[int, int], float]:
    """Turn a Gram matrix into a kernel on positions."""
    rows = matrix.tolist()
    return lambda i, j: rows[i][j]


def mmd(kernel: Callable, x: Sequence, y: Sequence) -> float:
    """Return the MMD between two samples: each mean over all pairs, evaluated where it is needed."""
    within_x = sum(kernel(a, b) for a in x for b in x) / len(x) ** 2
    within_y = sum(kernel(a, b) for a in y for b in y) / len(y) ** 2
    between = sum(kernel(a, b) for a in x for b in y) / (len(x) * len(y))
    squared = within_x + within_y - 2 * between
    return math.sqrt(squared) if squared > 1e-14 else 0.0


def samples(signed: np.ndarray) -> Samples:
    """Turn signed counts of draws without replacement into positions in the first and in the second sample."""
    return [(np.flatnonzero(row > 0).tolist(), np.flatnonzero(row < 0).tolist()) for row in signed]


def distances(kernel: Callable, results: Sequence, drawn: Samples) -> list[float]:
    """Return the MMD of each pair of samples, sorted."""
    return sorted(mmd(kernel, [results[i] for i in x], [results[i] for i in y]) for x, y in drawn)


def quantiles(ordered: Sequence[float], alphas: Iterable[float]) -> list[float]:
    """Return the higher of the two order statistics at each alpha."""
    return [ordered[math.ceil(round(alpha * (len(ordered) - 1), 9))] for alpha in alphas]


def nstar(
    kernel: Callable,
    results: Sequence,
    draws: Iterator[np.ndarray],
    n_resamples: int,
    alphas: Sequence[float],
    epsilons: Sequence[float],
) -> np.ndarray:
    """Follow the published procedure: quantiles for growing studies, a line through them, shape (A, E)."""
    rows = [quantiles(distances(kernel, results, samples(drawn[:n_resamples])), alphas) for drawn in draws]
    log_n = [math.log(n) for n in range(2, len(rows) + 2)]
    estimates = []
    for of_alpha in zip(*rows, strict=True):
        if min(of_alpha) == 0:  # all results agree
            estimates.append([1.0] * len(epsilons))
            continue
        line = stats.linregress([math.log(q) for q in of_alpha], log_n)
        estimates.append([max(1.0, math.exp(line.intercept + line.slope * math.log(e))) for e in epsilons])
    return np.array(estimates)


def bootstrap_pairs(table: np.ndarray, pairs: Sequence[tuple[int, int]], n_resamples: int) -> np.ndarray:
    """Return mean difference, BCa interval and exact signed-rank test of each pair by scipy, shape (n_pairs, 4)."""
    rng, rows = np.random.default_rng(0), []
    for a, b in pairs:
        difference = table[:, a] - table[:, b]
        found = stats.bootstrap((difference,), np.mean, n_resamples=n_resamples, rng=rng).confidence_interval
        p = stats.wilcoxon(difference, zero_method="pratt", method="exact").pvalue
        rows.append((difference.mean(), found.low, found.high, p))
    return np.array(rows)


def wilcoxon_pairs(table: np.ndarray, pairs: Sequence[tuple[int, int]]) -> np.ndarray:
    """Return the p-value of the exact signed-rank test of each pair by scipy."""
    return np.array(
        [stats.wilcoxon(table[:, a] - table[:, b], zero_method="pratt", method="exact").pvalue for a, b in pairs]
    )
