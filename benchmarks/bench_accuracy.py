"""How far are estimates of n* off? The default against the published method, and against variants of the default.

Run with ``OMP_NUM_THREADS=1 python benchmarks/bench_accuracy.py``; a few minutes. Everything is seeded: the tables are
the same each time. Errors are root mean squares of log(estimate / true n*), alpha = .95, delta = .05 unless it says
otherwise; the true n* comes from simulation by its definition, interpolated between whole numbers.
"""

import argparse

import numpy as np
import pandas as pd
from scipy.special import gammaincinv

from genexpy_nb.chapters.preliminary import summarise_errors
from genexpy_nb.chapters.shared import population, simulate_estimates
from genexpy_nb.common.checks import TOLERANCE, similar
from genexpy_nb.generalization.discrepancy import quantile
from genexpy_nb.generalization.exact import definition
from genexpy_nb.generalization.kernels import BordaKernel, JaccardKernel, Kernel, MallowsKernel
from genexpy_nb.generalization.moments import (
    MOST_DIMENSIONS,
    have_two_results,
    kernel_moments,
    largest_solution,
    nstar_by_moments,
    squared_distances,
    third_moment,
)
from genexpy_nb.generalization.samplers import (
    RankingDistribution,
    sample_mallows,
    sample_noisy,
    sample_plackett_luce,
    sample_weak_orders,
)

ALPHA, DELTA = 0.95, 0.05
SIZES = (10, 20, 40, 80)
KERNELS = (BordaKernel(0), JaccardKernel(1), MallowsKernel())
BATCH = 250  # studies that are in memory together


def distributions(size: int, seed: int) -> dict[str, RankingDistribution]:
    """Known distributions of results; a sample stands for those with too many rankings to list."""
    rng = np.random.default_rng(seed)
    pool = RankingDistribution.empirical
    swapped = [[0, 1, 2, 3, 4], [1, 0, 2, 3, 4]]
    worths = np.exp(np.linspace(0, 3, 8))
    schools = [sample_plackett_luce(w, size // 2, rng) for w in (worths, worths[::-1])]
    return {
        "uniform weak orders, 8": pool(sample_weak_orders(8, size, rng)),
        "Plackett-Luce, close": pool(sample_plackett_luce(np.exp(np.linspace(0, 1, 10)), size, rng)),
        "Plackett-Luce, far": pool(sample_plackett_luce(np.exp(np.linspace(0, 5, 10)), size, rng)),
        "one ranking, 30 % noise": pool(sample_noisy(range(8), 0.3, size, rng)),
        "one ranking, 10 % noise": pool(sample_noisy(range(8), 0.1, size, rng)),
        "two rankings, .55/.45": RankingDistribution(swapped, [0.55, 0.45]),
        # two that played no part when the estimate was designed
        "two opposed schools": pool(np.vstack(schools)),
        "Mallows model, 12, .5": pool(sample_mallows(range(12), 0.5, size, rng)),
        # hard ones, for the intervals
        "two rankings, .9/.1": RankingDistribution(swapped, [0.9, 0.1]),
        "Mallows model, 10, .3": pool(sample_mallows(range(10), 0.3, size, rng)),
    }


def true_nstar(distribution: RankingDistribution, kernel: Kernel, alpha: float, n_studies: int, seed: int) -> float:
    epsilon = float(kernel.epsilon(DELTA, distribution.rankings.shape[1]))
    gram, p = population(distribution, kernel)
    return definition(gram, alpha, epsilon, p, n_studies=n_studies, rng=seed, interpolate=True)


def simulate(distribution: RankingDistribution, kernel: Kernel, truth: float, draws: int, published: int, seed: int):
    """Estimates by both methods, of the published one only ``published`` per size (it takes much longer)."""
    parts = []
    for i, start in enumerate(range(0, draws, BATCH)):
        methods = ("moments", "resampling") if start < published else ("moments",)
        parts.append(
            simulate_estimates(
                distribution,
                kernel,
                SIZES,
                methods,
                ALPHA,
                DELTA,
                n_studies=min(BATCH, draws - start),
                n_resamples=200,
                rng=seed + 1000 * i,
                truth=truth,
            ).assign(batch=i)
        )
    return pd.concat(parts, ignore_index=True)


def compare(known: dict[str, RankingDistribution], draws: int, published: int, n_studies: int, seed: int) -> None:
    """Default against published, and how often the interval holds the real and the whole n*."""
    cells = []
    for name, distribution in known.items():
        for kernel in KERNELS:
            truth = true_nstar(distribution, kernel, ALPHA, n_studies, seed)
            frame = simulate(distribution, kernel, truth, draws, published, seed)
            whole = (np.ceil(frame["low"]) <= np.ceil(truth)) & (np.ceil(truth) <= np.ceil(frame["high"]))
            summary = summarise_errors(frame).droplevel("kernel").unstack("method")
            whole = whole[frame["method"] == "moments"].groupby(frame["size"]).mean()
            # the ratio on the studies that both methods saw
            both = frame["draw"].notna() & frame["batch"].isin(frame.loc[frame["method"] == "resampling", "batch"])
            paired = summarise_errors(frame[both])["rmse"].droplevel("kernel").unstack("method")
            cells.append(
                pd.DataFrame(
                    {
                        "distribution": name,
                        "kernel": kernel.name.split("(")[0],
                        "n*": truth,
                        "N": list(SIZES),
                        "published": summary[("rmse", "resampling")],
                        "default": summary[("rmse", "moments")],
                        "ratio": paired["moments"] / paired["resampling"],
                        "bias": summary[("bias", "moments")],
                        "covers n*": summary[("coverage", "moments")],
                        "covers ceil": whole,
                        "width": summary[("width", "moments")],
                    }
                )
            )
    table = pd.concat(cells, ignore_index=True)
    print("\ndefault against published")
    print(table.to_string(index=False, float_format="{:.3f}".format))
    worse = table[table["ratio"] > 1.10]
    print(f"\ndefault more than 10 % worse than published in {len(worse)} of {len(table)} cells:")
    print(worse[["distribution", "kernel", "N", "ratio"]].to_string(index=False, float_format="{:.2f}".format))
    print("\ngeometric mean of default / published")
    mean = np.exp(np.log(table["ratio"]).groupby([table["kernel"], table["N"]]).mean()).unstack()
    print(mean.to_string(float_format="{:.2f}".format))
    for column in ("covers n*", "covers ceil"):
        shares = pd.cut(table[column], [0, 0.9199, 0.98, 1], labels=["below 92 %", "92 to 98 %", "above 98 %"])
        print(f"\n{column}: " + ", ".join(f"{n} cells {label}" for label, n in shares.value_counts(sort=False).items()))


def targets(draws: int, seed: int) -> None:
    """Error at N = 10 on uniform weak orders of 8 alternatives, all drawn afresh: no pool, no repetition."""
    print("\nuniform weak orders, 8 alternatives, N = 10, fresh samples")
    for kernel, target in zip(KERNELS, (0.20, 0.10, 0.08), strict=True):
        epsilon = float(kernel.epsilon(DELTA, 8))
        truth = fresh_nstar(kernel, epsilon, seed)
        rankings = sample_weak_orders(8, draws * 10, seed + 1).reshape(draws, 10, 8)
        estimates = nstar_by_moments(kernel.gram(rankings), np.array([ALPHA]), np.full((draws, 1), epsilon))[:, 0, 0]
        squares = np.log(estimates[:, 0] / truth) ** 2
        rmse = np.sqrt(squares.mean())
        error = squares.std() / np.sqrt(draws) / (2 * rmse)
        covered = ((estimates[:, 1] <= truth) & (truth <= estimates[:, 2])).mean()
        print(
            f"  {kernel.name:12} n* {truth:6.2f}  RMSE {rmse:.4f} +- {error:.4f} (target {target:.2f})  "
            f"coverage {covered:.3f}"
        )


def fresh_nstar(kernel: Kernel, epsilon: float, seed: int, pairs: int = 40_000) -> float:
    """n* of uniform weak orders without a pool; interpolated as `genexpy_nb.generalization.definition` does."""

    def upper(n: int) -> float:
        rng = np.random.default_rng([seed, n])
        sign = np.repeat([1 / n, -1 / n], n)
        parts = []
        for _ in range(0, pairs, 1000):
            grams = kernel.gram(sample_weak_orders(8, 1000 * 2 * n, rng).reshape(1000, 2 * n, 8))
            parts.append(np.sqrt(np.maximum((grams @ sign) @ sign, 0)))
        return float(quantile(np.concatenate(parts), ALPHA))

    pool = RankingDistribution.empirical(sample_weak_orders(8, 2000, seed))
    n = round(true_nstar(pool, kernel, ALPHA, n_studies=2000, seed=0))  # a first guess
    while upper(n) > epsilon:
        n += 1
    while (before := upper(n - 1)) <= epsilon:
        n -= 1
    share = np.log(before / epsilon) / np.log(before / upper(n))
    return float(np.exp(np.log(n - 1) + share * np.log(n / (n - 1))))


def variant(grams: np.ndarray, epsilon: float, alpha: float, change: str = "") -> np.ndarray:
    """The default with one of its parts changed, shape (B,)."""
    distances = squared_distances(grams)
    n_experiments, farthest = grams.shape[-1], distances.max(axis=(-1, -2))
    moments = kernel_moments(distances, delete_one=True)
    l1 = moments[..., 0]
    equal = l1 <= TOLERANCE
    l1 = np.where(equal, 1, l1)
    s2, v = np.clip(moments[..., 1], l1**2 / MOST_DIMENSIONS, l1**2), np.maximum(moments[..., 2], 0)
    smallest = s2[:, 0] ** 2 / l1[:, 0]
    s3 = smallest if change == "two moments" else np.clip(third_moment(distances), smallest, s2[:, 0] ** 1.5)
    nu = (s2[:, 0] ** 3 / s3**2)[:, None]
    gain = (2 * gammaincinv(nu / 2, alpha) - nu) / np.sqrt(2 * nu)
    mean = 2 * l1
    if change != "no correction for two results":
        two = have_two_results(distances, np.full(len(grams), TOLERANCE))
        mean = mean * np.maximum(1 - np.where(two, epsilon / np.sqrt(np.maximum(farthest, TOLERANCE)), 0), 0)[:, None]
    log_n = np.where(equal, 0, np.log(largest_solution(mean, gain, s2, v, np.array(epsilon**2))))
    value, without = log_n[:, 0], log_n[:, 1:].mean(axis=1)
    if "jackknife" in change:
        weight = 0.5 if change.startswith("half") else 1.0
        value = value + weight * (n_experiments - 1) * (value - without)
    value = np.exp(np.maximum(value, 0))
    if change != "no floor for rare results":
        pairs = np.sort(distances[:, *np.triu_indices(n_experiments, 1)], axis=1)
        at = min(int(alpha * pairs.shape[1] + TOLERANCE), pairs.shape[1] - 1)
        value = np.maximum(value, np.sqrt(pairs[:, at]) / epsilon)
    return np.where(similar(np.sqrt(farthest), epsilon), 1, value)


CHANGES = (
    "two moments",
    "no correction for two results",
    "no floor for rare results",
    "half a jackknife bias correction",
    "full jackknife bias correction",
)


def coverage(known: dict[str, RankingDistribution], draws: int, seed: int) -> None:
    """How often the default's interval holds n*: the real crossing, and the whole number, with rounded ends.

    Narrow intervals need an exact truth: with 20,000 studies, n* of 36 can come out as 35.
    """
    rows = []
    for i, (name, distribution) in enumerate(known.items()):
        for j, kernel in enumerate(KERNELS):
            epsilon = float(kernel.epsilon(DELTA, distribution.rankings.shape[1]))
            gram, p = population(distribution, kernel)
            n_studies = 400_000 if len(p) <= 20 else 100_000 if len(p) <= 150 else 30_000
            truth = true_nstar(distribution, kernel, ALPHA, n_studies, seed)
            for size in SIZES:
                drawn = np.random.default_rng([seed, i, j, size]).choice(len(p), size=(draws, size), p=p)
                parts = [
                    nstar_by_moments(
                        gram[part[:, :, None], part[:, None, :]], np.array([ALPHA]), np.full((len(part), 1), epsilon)
                    )[:, 0, 0]
                    for part in np.array_split(drawn, -(-draws // BATCH))
                ]
                _, low, high = np.concatenate(parts).T
                real = (low <= truth * (1 + TOLERANCE)) & (truth <= high * (1 + TOLERANCE))
                whole = np.ceil(truth - TOLERANCE)
                rounded = (np.ceil(low - TOLERANCE) <= whole) & (whole <= np.ceil(high - TOLERANCE))
                kind = kernel.name.split("(")[0]
                width = np.exp(np.median(np.log(high) - np.log(low)))
                rows.append((name, kind, size, truth, real.mean(), rounded.mean(), width))
    columns = ["distribution", "kernel", "N", "n*", "covers n*", "covers ceil", "width"]
    table = pd.DataFrame(rows, columns=columns).sort_values("covers n*")
    print(f"\ncoverage of the 95 % interval, {draws} studies per cell; one standard error at .95 is", end=" ")
    print(f"{np.sqrt(0.95 * 0.05 / draws):.3f}; width: median of upper / lower end")
    print(table.to_string(index=False, float_format=lambda x: f"{x:.3f}"))
    for column in ("covers n*", "covers ceil"):
        share = table[column]
        print(
            f"{column}: below .92 in {(share < 0.92).sum()}, .92 to .98 in {share.between(0.92, 0.98).sum()}, above in "
            f"{(share > 0.98).sum()} of {len(share)} cells; lowest {share.min():.3f}"
        )


def grid(known: dict[str, RankingDistribution], draws: int, seed: int) -> None:
    """How often the default's interval holds n*, for other alphas and deltas; the truth is less exact than above."""
    alphas, deltas = np.array([0.8, 0.9, 0.95, 0.99]), np.array([0.01, 0.05, 0.1, 0.2])
    rows = []
    for i, (name, distribution) in enumerate(known.items()):
        for j, kernel in enumerate(KERNELS):
            epsilons = np.asarray(kernel.epsilon(deltas, distribution.rankings.shape[1]), dtype=float)
            gram, p = population(distribution, kernel)
            n_studies = 40_000 if len(p) <= 20 else 20_000
            truth = np.array(
                [
                    [definition(gram, a, e, p, n_studies=n_studies, rng=seed, interpolate=True) for e in epsilons]
                    for a in alphas
                ]
            )
            whole = np.ceil(truth - TOLERANCE)
            for size in SIZES:
                drawn = np.random.default_rng([seed, i, j, size]).choice(len(p), size=(draws, size), p=p)
                parts = [
                    nstar_by_moments(
                        gram[part[:, :, None], part[:, None, :]], alphas, np.tile(epsilons, (len(part), 1))
                    )
                    for part in np.array_split(drawn, -(-draws // BATCH))
                ]
                _, low, high = np.moveaxis(np.concatenate(parts), -1, 0)
                real = ((low <= truth * (1 + TOLERANCE)) & (truth <= high * (1 + TOLERANCE))).mean(axis=0)
                rounded = ((np.ceil(low - TOLERANCE) <= whole) & (whole <= np.ceil(high - TOLERANCE))).mean(axis=0)
                for a, e in np.ndindex(truth.shape):
                    cell = (name, kernel.name.split("(")[0], size, alphas[a], deltas[e], truth[a, e])
                    rows.append((*cell, real[a, e], rounded[a, e]))
        print(f"  {name}: done", flush=True)
    columns = ["distribution", "kernel", "N", "alpha", "delta", "n*", "covers n*", "covers ceil"]
    table = pd.DataFrame(rows, columns=columns)
    print(f"\ncoverage of the 95 % interval over alpha and delta, {draws} studies per cell")
    for column in columns[-2:]:
        by = table.groupby(["alpha", "delta"])[column]
        shown = {"lowest": by.min(), "below .92": by.agg(lambda x: (x < 0.92).sum())}
        shown["above .98"] = by.agg(lambda x: (x > 0.98).sum())
        print(f"\n{column}, of {by.size().iloc[0]} cells each")
        print(pd.DataFrame(shown).to_string(float_format=lambda x: f"{x:.3f}"))
    print("\nlowest")
    print(table.nsmallest(40, "covers ceil").to_string(index=False, float_format=lambda x: f"{x:.3f}"))


def variants(known: dict[str, RankingDistribution], draws: int, seed: int) -> None:
    """What was tried: root mean squared error of each variant, relative to the default as it is."""
    rows = []
    for name, distribution in known.items():
        for kernel in KERNELS:
            epsilon = float(kernel.epsilon(DELTA, distribution.rankings.shape[1]))
            gram, p = population(distribution, kernel)
            stacks = {}
            for size in (10, 40):
                drawn = np.random.default_rng([seed, size]).choice(len(p), size=(draws, size), p=p)
                stacks[size] = gram[drawn[:, :, None], drawn[:, None, :]]
            for alpha in (0.8, ALPHA, 0.99):
                truth = true_nstar(distribution, kernel, alpha, 10_000, seed)
                for size, grams in stacks.items():
                    kept = nstar_by_moments(grams, np.array([alpha]), np.full((draws, 1), epsilon))[:, 0, 0, 0]
                    np.testing.assert_allclose(variant(grams, epsilon, alpha), kept, rtol=1e-6)
                    error = np.sqrt(np.mean(np.log(kept / truth) ** 2))
                    for change in CHANGES:
                        changed = np.log(variant(grams, epsilon, alpha, change) / truth)
                        cell = f"{name}, {kernel.name.split('(')[0]}"
                        # + 0.01: between errors of less than a percent there is nothing to choose
                        ratio = (np.sqrt(np.mean(changed**2)) + 0.01) / (error + 0.01)
                        rows.append((change, alpha, size, cell, ratio))
    table = pd.DataFrame(rows, columns=["change", "alpha", "N", "cell", "ratio"])
    print("\nerror of variants, relative to the default as it is (geometric mean, best and worst cell)")
    for (change, alpha, size), cells in table.groupby(["change", "alpha", "N"], sort=False):
        best, worst = cells.loc[cells["ratio"].idxmin()], cells.loc[cells["ratio"].idxmax()]
        print(
            f"  {change:33} alpha {alpha:<4} N = {size}: {np.exp(np.log(cells['ratio']).mean()):.2f}   "
            f"best {best['ratio']:.2f} ({best['cell']}), worst {worst['ratio']:.2f} ({worst['cell']})"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=2000, help="studies per cell (default: %(default)s)")
    parser.add_argument("--published", type=int, default=250, help="of these, by the published method as well")
    parser.add_argument("--seed", type=int, default=20261)
    parser.add_argument("--part", choices=("targets", "variants", "compare", "coverage", "grid"), help="only one table")
    options = parser.parse_args()
    known = distributions(2000, options.seed)
    if options.part in (None, "targets"):
        targets(6 * options.draws, options.seed)
    if options.part in (None, "variants"):
        variants(known, options.draws // 4, options.seed)
    if options.part in (None, "compare"):
        compare(known, options.draws, options.published, 20_000, options.seed)
    if options.part == "grid":
        grid(known, options.draws, options.seed)
    if options.part == "coverage":  # more exactly than compare does
        coverage(known, options.draws, options.seed)


if __name__ == "__main__":
    main()
