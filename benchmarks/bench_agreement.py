"""Compare estimators of the agreement of conclusions: would a second study of n experiments conclude the same?

Run with ``OMP_NUM_THREADS=1 python benchmarks/bench_agreement.py`` (five minutes: 10 alternatives, 30 experiments).
A table X of n experiments gives a conclusion T(X); A_n = P(T(X) = T(Y)) for two independent tables of n, E|S(X) and
S(Y)|/k for the best k, E of Kendall's tau-b for the order. Each method estimates A_n from ONE table of N experiments,
at n = N/2, N and 4 N, and gives an interval that shall hold A_n in 95 % of the tables. Conclusions by mean score and
by mean rank. Ties are broken at random, but for tau-b, which has its own way with them.

Truth: all pairs of 20,000 simulated tables. Every conclusion is a vector f with A_n = |E f(X)|^2: who won, who is among
the best k, who is ahead in each pair. So the mean of f over many tables is all that is needed, less its own noise.

Methods (`--methods`): "split halves" (beyond N/2: as at N/2), "m-out-of-n" (disjoint parts of m <= N/2 experiments,
logit A_m linear in log m), both with a jackknife interval over ten groups of experiments; "plug-in" (two bootstrap
tables; its interval: the percentiles over bootstrap resamples of the means); "normal", "t", "horseshoe" and
"nonparametric": prior of the expected scores, noise of the means normal with the pooled variance, posterior mean and
95 % posterior interval of A_n; "projection": least and greatest A_n over a joint 95 % confidence set of the means,
looked for at some 200 points of that set, so that the true range is not narrower; "ours": the package. For A_n of given
means the methods from "plug-in" to "projection" draw normal noise with the covariances of the experiments (Ledoit and
Wolf). An interval that comes within .01 of A_n counts as holding it: where all are equal, A_n is the smallest there is.
"""

from __future__ import annotations

import argparse
import itertools
import time
import zlib
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.special import expit, logit, ndtr, softmax
from scipy.stats import chi2
from scipy.stats import t as student
from sklearn.covariance import ledoit_wolf_shrinkage

from genexpy_nb.common.random import seed_of, stream
from genexpy_nb.conclusions.contenders import rows_of
from genexpy_nb.conclusions.tables import agreement_of_rows, as_question

CONCLUSIONS = ("winner", "overlap", "order", "pair")
LOOKS = ("mean score", "mean rank")
NEAR = 0.01
WORLD_SEED = 2026  # of the worlds that are drawn: the same in every run
N_TABLES = 20_000  # behind each truth
N_DRAWS, N_NOISE = 200, 200  # draws of the means; simulated tables behind A_n of one draw
N_SPLITS = 500
N_GROUPS = 10  # of the jackknife
TAIL = 0.025


def leaders(a: int, how_many: int, ahead: float) -> np.ndarray:
    return ahead * (np.arange(a) < how_many)


#: Expected scores, best first, of so many alternatives; in units of the standard deviation of one score.
WORLDS = {
    "all equal": lambda a, rng: np.zeros(a),
    "normal means": lambda a, rng: rng.normal(0, 0.25, a),
    "one leader": lambda a, rng: leaders(a, 1, 0.6),
    "two leaders": lambda a, rng: leaders(a, 2, 0.5),
    "evenly spaced": lambda a, rng: np.linspace(8, 0, a),
    "half better": lambda a, rng: leaders(a, a // 2, 0.3),
    "few far": lambda a, rng: 0.15 * rng.standard_t(2, a),
    "ladder": lambda a, rng: -0.25 * np.log(1 + np.arange(a)),
}


def related(rng: np.random.Generator, size: tuple[int, ...]) -> np.ndarray:
    """Draw errors that similar alternatives (neighbours in expected score) share in blocks, correlation .5."""
    block = np.arange(size[-1]) // max(2, size[-1] // 4)
    common = rng.standard_normal((*size[:-1], block[-1] + 1))
    return np.sqrt(0.5) * (common[..., block] + rng.standard_normal(size))


#: Errors of variance 1.
ERRORS = {
    "normal": lambda rng, size: rng.standard_normal(size),
    "heavy tails": lambda rng, size: rng.standard_t(3, size) / np.sqrt(3),
    "skewed": lambda rng, size: rng.standard_exponential(size) - 1,
    "related": related,
}


def expected_scores(world: str, a: int) -> np.ndarray:
    return np.sort(WORLDS[world](a, stream(WORLD_SEED, list(WORLDS).index(world), a)))[::-1]


def size_of_top(a: int) -> int:
    return max(2, -(-a // 4))


def pair_of(expected: np.ndarray) -> tuple[int, int]:
    """Return the best alternative and the one whose distance from it is nearest .3: neither sure nor mere chance."""
    return 0, 1 + int(np.argmin(np.abs(expected[0] - expected[1:] - 0.3)))


def rank_values(scores: np.ndarray) -> np.ndarray:
    """Return the negative ranks within the last axis: like scores, higher is better."""
    return (np.argsort(np.argsort(scores, axis=-1), axis=-1) - scores.shape[-1]).astype(float)


# Conclusions as vectors


def features(means: np.ndarray, k: int, pair: tuple[int, int], rng: np.random.Generator) -> list[np.ndarray]:
    """Return of each conclusion the vectors f, shape (n_tables, length), |f| = 1; A_n = E f(X) f(Y).

    Parameters are mean scores or negative mean ranks, shape (n_tables, n_alternatives).
    """
    n, a = means.shape
    i, j = np.triu_indices(a, 1)
    signs = np.sign(means[:, i] - means[:, j]).astype(np.float32)
    different = np.maximum(np.abs(signs).sum(axis=1, keepdims=True), 1)
    untied = means + 1e-7 * rng.random((n, a))  # means of ranks differ by 1 / n at least
    order = np.argpartition(untied, a - k, axis=1)
    top, first = np.zeros((2, n, a), dtype=np.float32)
    np.put_along_axis(top, order[:, a - k :], 1, axis=1)
    first[np.arange(n), untied.argmax(axis=1)] = 1
    ahead = untied[:, pair[0]] > untied[:, pair[1]]
    return [first, top / np.float32(np.sqrt(k)), signs / np.sqrt(different), np.stack([ahead, ~ahead], axis=1)]


def agreement_of_tables(means_of, n_tables: int, k: int, pair: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    """Return the agreement of all pairs of tables, shape (4,); ``means_of`` is called until there are so many."""
    totals, squares, count = [0.0] * len(CONCLUSIONS), np.zeros(len(CONCLUSIONS)), 0
    while count < n_tables:
        found = features(means_of(), k, pair, rng)
        count += len(found[0])
        totals = [total + each.sum(axis=0, dtype=float) for total, each in zip(totals, found, strict=True)]
        squares += [np.square(each, dtype=float).sum() for each in found]
    return (np.array([total @ total for total in totals]) - squares) / (count * (count - 1))


def agreement_of_pairs(x: np.ndarray, y: np.ndarray, k: int, pair: tuple[int, int], rng: np.random.Generator):
    """Return the agreement of the tables with means x and y, row by row, shape (4,)."""
    both = zip(features(x, k, pair, rng), features(y, k, pair, rng), strict=True)
    return np.array([np.multiply(f, g, dtype=float).sum(axis=1).mean() for f, g in both])


@cache
def truth(world: str, errors: str, a: int, n: int, n_tables: int | None = None) -> np.ndarray:
    """Return A_n, shape (2 looks, 4 conclusions)."""
    expected, rng = expected_scores(world, a), stream(WORLD_SEED, zlib.crc32(f"{world} {errors}".encode()), a, n)
    chunk = max(50, min(2000, 1_000_000 // (n * a)))
    ranked = []

    def score_means() -> np.ndarray:
        rows = expected + ERRORS[errors](rng, (chunk, n, a))
        ranked.append(rank_values(rows).mean(axis=1))
        return rows.mean(axis=1)

    rule = size_of_top(a), pair_of(expected), rng
    by_score = agreement_of_tables(score_means, n_tables or N_TABLES, *rule)
    return np.stack([by_score, agreement_of_tables(lambda: ranked.pop(), chunk * len(ranked), *rule)])


# One table, and what the methods make of it


@dataclass(frozen=True)
class Sample:
    """One table of scores, looked at by mean score or by mean rank."""

    table: np.ndarray
    look: str
    pair: tuple[int, int]
    rng: np.random.Generator

    @cached_property
    def values(self) -> np.ndarray:
        return self.table if self.look == "mean score" else rank_values(self.table)

    @property
    def rule(self) -> tuple:
        return size_of_top(self.table.shape[1]), self.pair, self.rng

    @cached_property
    def means(self) -> np.ndarray:
        return self.values.mean(axis=0) - self.values.mean()

    @cached_property
    def residuals(self) -> np.ndarray:
        centred = self.values - self.values.mean(axis=1, keepdims=True)
        return centred - centred.mean(axis=0)

    @cached_property
    def variance(self) -> float:
        """Of one mean, pooled; a / (a - 1): every row lost its own mean."""
        n, a = self.values.shape
        return max(float((self.residuals**2).sum() / ((n - 1) * (a - 1) * n)), 1e-12)

    def noise(self, n_draws: int) -> np.ndarray:
        """Draw normal errors of one experiment, shape (n_draws, n_alternatives)."""
        n, a = self.residuals.shape
        alike = ledoit_wolf_shrinkage(self.residuals, assume_centered=True)
        observed = self.rng.standard_normal((n_draws, n)) @ self.residuals / np.sqrt(n - 1)
        equal = self.rng.standard_normal((n_draws, a)) * np.sqrt(n * self.variance)
        return np.sqrt(1 - alike) * observed + np.sqrt(alike) * equal

    @cached_property
    def own_noise(self) -> np.ndarray:
        return self.noise(N_NOISE).astype(np.float32)

    @cached_property
    def pair_errors(self) -> np.ndarray:
        i, j = np.triu_indices(self.values.shape[1], 1)
        differences = self.residuals[:, i] - self.residuals[:, j]
        return np.sqrt(np.maximum((differences**2).sum(axis=0) / (len(self.residuals) - 1), 1e-12))


def agreement_of_means(expected: np.ndarray, sample: Sample, n: int, noise: np.ndarray | None = None) -> np.ndarray:
    """Return A_n of worlds with these expected values, shape (4, n_worlds), and noise like that of the sample."""
    k, pair, _ = sample.rule
    noise = sample.own_noise if noise is None else noise
    count, a = noise.shape
    tables = expected.astype(np.float32)[:, None] + noise / np.float32(np.sqrt(n))
    best = np.partition(tables, a - k, axis=2)[..., a - k :]
    won = np.count_nonzero(tables >= best.max(axis=2)[..., None], axis=1)
    among = np.count_nonzero(tables >= best[..., :1], axis=1)
    i, j = np.triu_indices(a, 1)
    ahead = ndtr(np.sqrt(n) * (expected[:, i] - expected[:, j]) / sample.pair_errors)
    same = 1 - 2 * ahead * (1 - ahead)  # the pairs of the first alternative come first, and the named pair is one
    winner = ((won**2).sum(axis=1) - count) / (count * (count - 1))
    overlap = ((among**2).sum(axis=1) - k * count) / (k * count * (count - 1))
    return np.stack([winner, overlap, (2 * same - 1).mean(axis=1), same[:, pair[1] - 1]])


def over_draws(draws: np.ndarray, sample: Sample, sizes: list[int]) -> np.ndarray:
    """Return mean and percentiles of A_n over draws of the means, shape (4, n_sizes, 3)."""
    found = np.stack([agreement_of_means(draws, sample, n) for n in sizes], axis=1)
    return np.concatenate([found.mean(axis=2)[..., None], spread(found)], axis=2).clip(0, 1)


def spread(found: np.ndarray) -> np.ndarray:
    return np.moveaxis(np.quantile(found, [TAIL, 1 - TAIL], axis=-1), 0, -1)


def disjoint_parts(values: np.ndarray, m: int, rule: tuple) -> np.ndarray:
    order = np.argsort(rule[-1].random((N_SPLITS, len(values))), axis=1)
    x = values[order[:, :m]].mean(axis=1)
    return agreement_of_pairs(x, values[order[:, m : 2 * m]].mean(axis=1), *rule)


def jackknifed(estimate, sample: Sample) -> np.ndarray:
    """Return the estimate and an interval, shape (4, n_sizes, 3): ten groups of experiments are left out in turn."""
    whole = estimate(sample.values)
    group = sample.rng.permutation(len(sample.values)) % N_GROUPS
    without = np.stack([estimate(sample.values[group != g]) for g in range(N_GROUPS)])
    error = np.sqrt((N_GROUPS - 1) * without.var(axis=0)) * student.ppf(1 - TAIL, N_GROUPS - 1)
    return np.stack([whole, *np.clip([whole - error, whole + error], 0, 1)], axis=2)


def split_halves(sample: Sample, sizes: list[int]) -> np.ndarray:
    def estimate(values: np.ndarray) -> np.ndarray:
        possible = [min(n, len(values) // 2) for n in sizes]
        found = {m: disjoint_parts(values, m, sample.rule) for m in sorted(set(possible))}
        return np.stack([found[m] for m in possible], axis=1)

    return jackknifed(estimate, sample)


def m_out_of_n(sample: Sample, sizes: list[int]) -> np.ndarray:
    def estimate(values: np.ndarray) -> np.ndarray:
        parts = np.unique(np.geomspace(2, len(values) // 2, 5).round().astype(int))
        found = np.stack([disjoint_parts(values, m, sample.rule) for m in parts])
        within = logit(found.clip(0.5 / N_SPLITS, 1 - 0.5 / N_SPLITS))
        slope, intercept = np.polyfit(np.log(parts), within, 1)
        return expit(intercept[:, None] + slope[:, None] * np.log(sizes))

    return jackknifed(estimate, sample)


def plug_in(sample: Sample, sizes: list[int]) -> np.ndarray:
    n_rows = len(sample.values)

    def estimate(n: int) -> np.ndarray:
        counts = sample.rng.multinomial(n, np.full(n_rows, 1 / n_rows), size=2 * N_SPLITS)
        return agreement_of_tables(lambda: counts @ sample.values / n, 2 * N_SPLITS, *sample.rule)

    resampled = sample.means + sample.noise(N_DRAWS) / np.sqrt(n_rows)
    around = over_draws(resampled, sample, sizes)
    around[..., 0] = np.stack([estimate(n) for n in sizes], axis=1).clip(0, 1)
    return around


def mixture_draws(deviations: np.ndarray, variance: float, local: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw means from the posterior of deviation ~ N(mean, variance), mean ~ N(0, tau^2 w), w one of ``local``.

    tau has a half-Cauchy prior with the standard error as its scale. Grids, not chains: draws are independent.
    """
    tau = np.geomspace(0.01, 300, 80)  # in standard errors
    total = variance * (1 + tau[:, None, None] ** 2 * local[:, None])  # (tau, w, 1)
    density = np.exp(-0.5 * deviations**2 / total) / np.sqrt(total) + 1e-300  # (tau, w, alternative)
    log_weight = np.log(tau / (1 + tau**2)) + np.log(density.mean(axis=1)).sum(axis=1)
    chosen = rng.choice(len(tau), N_DRAWS, p=softmax(log_weight))
    cumulated = np.cumsum(density[chosen], axis=1)  # (draw, w, alternative)
    which = (cumulated < rng.random((N_DRAWS, 1, len(deviations))) * cumulated[:, -1:]).sum(axis=1)
    ratio = tau[chosen][:, None] ** 2 * local[which]
    kept = ratio / (1 + ratio)
    return kept * deviations + np.sqrt(kept * variance) * rng.standard_normal(kept.shape)


def grid_of(n: int) -> np.ndarray:
    return (np.arange(n) + 0.5) / n


def posterior(centre, local: np.ndarray):
    def method(sample: Sample, sizes: list[int]) -> np.ndarray:
        deviations = sample.means - centre(sample.means)
        return over_draws(mixture_draws(deviations, sample.variance, local, sample.rng), sample, sizes)

    return method


def nonparametric(sample: Sample, sizes: list[int]) -> np.ndarray:
    """Prior on a grid that makes the means most likely (EM), then draws from the posterior under it."""
    means = sample.means
    grid = np.concatenate([np.linspace(means.min(), means.max(), 60), means])
    likelihood = np.exp(-0.5 * (means[:, None] - grid) ** 2 / sample.variance)
    prior = np.full(len(grid), 1 / len(grid))
    for _ in range(300):
        posteriors = likelihood * prior
        prior = (posteriors / posteriors.sum(axis=1, keepdims=True)).mean(axis=0)
    cumulated = np.cumsum(likelihood * prior, axis=1)
    at = sample.rng.random((N_DRAWS, len(means), 1)) * cumulated[:, -1:]
    return over_draws(grid[(cumulated < at).sum(axis=2)], sample, sizes)


def candidates(sample: Sample) -> np.ndarray:
    """Return points of the joint confidence set of the means: drawn together, apart, one ahead, at random corners."""
    n, a = sample.values.shape
    errors = np.sqrt((sample.residuals**2).sum(axis=0) / ((n - 1) * n)) + 1e-9
    drawn = sample.noise(2000) / np.sqrt(sample.rng.chisquare(n - 1, (2000, 1)) / (n - 1)) / np.sqrt(n)
    critical = np.quantile(np.abs(drawn / errors).max(axis=1), 1 - 2 * TAIL)
    low, high = sample.means - critical * errors, sample.means + critical * errors
    centres = np.quantile(sample.means, np.linspace(0, 1, 13))[:, None]
    scaled = [centres + factor * (sample.means - centres) for factor in (0, 0.25, 0.5, 0.75, 1.5, 3, 1e6)]
    one_ahead = np.where(np.eye(a, dtype=bool), high, low)
    corners = np.where(sample.rng.random((100, a)) < 0.5, high, low)
    return np.clip(np.concatenate([sample.means[None], *scaled, one_ahead, corners]), low, high)


def projection(sample: Sample, sizes: list[int]) -> np.ndarray:
    """Ends are looked for with one set of simulated tables and evaluated with another: the search likes lucky noise."""
    points, fresh = candidates(sample), sample.noise(1000).astype(np.float32)
    found = np.empty((len(CONCLUSIONS), len(sizes), 3))
    for s, n in enumerate(sizes):
        order = np.argsort(agreement_of_means(points, sample, n), axis=1)
        for c, ranked in enumerate(order):
            ends = np.concatenate([[0], ranked[:3], ranked[-3:]])
            again = agreement_of_means(points[ends], sample, n, fresh)[c]
            found[c, s] = again[0], again.min(), again.max()
    return found.clip(0, 1)


def ours(sample: Sample, sizes: list[int]) -> np.ndarray:
    k, pair, rng = sample.rule
    by = sample.look.removeprefix("mean ")
    rows = rows_of(sample.table, by, True)
    asked = [("winner", rows), ("top-k", rows), ("order", rows), ("winner", rows[:, list(pair)])]  # as CONCLUSIONS
    found = [
        agreement_of_rows(
            table,
            as_question(name, range(table.shape[1]), by=by, k=min(k, table.shape[1] - 1)),
            sizes,
            seed=seed_of(rng),
        )
        for name, table in asked
    ]
    return np.stack([frame[["estimate", "low", "high"]].to_numpy() for frame in found])


METHODS = {
    "split halves": split_halves,
    "m-out-of-n": m_out_of_n,
    "plug-in": plug_in,
    "normal": posterior(np.mean, np.ones(1)),
    "t": posterior(np.median, 4 / chi2.ppf(grid_of(40), 4)),
    "horseshoe": posterior(np.median, np.tan(np.pi / 2 * grid_of(40)) ** 2),
    "nonparametric": nonparametric,
    "projection": projection,
    "ours": ours,
}


# Many tables


def one_table(world: str, errors: str, a: int, n: int, number: int, methods: list[str], seed: int) -> np.ndarray:
    """Return what the methods say of one table, shape (n_methods, 2 looks, 4 conclusions, 3 sizes, 3)."""
    expected, key = expected_scores(world, a), zlib.crc32(f"{world} {errors}".encode())
    table = expected + ERRORS[errors](stream(seed, key, a, n, number), (n, a))
    found = []
    for method in methods:
        streams = [stream(seed, key, a, n, number, 1 + look, zlib.crc32(method.encode())) for look in range(2)]
        samples = [Sample(table, look, pair_of(expected), rng) for look, rng in zip(LOOKS, streams, strict=True)]
        found.append([METHODS[method](sample, sizes_of(n)) for sample in samples])
    return np.array(found)


def sizes_of(n: int) -> list[int]:
    return [n // 2, n, 4 * n]


def judged(world: str, errors: str, a: int, n: int, methods: list[str], found: np.ndarray) -> pd.DataFrame:
    """Return bias and rms where there are estimates, coverage, width and Monte-Carlo errors, from (n_samples, ...)."""
    true = np.stack([truth(world, errors, a, size) for size in sizes_of(n)], axis=2)  # (look, conclusion, size)
    estimate, low, high = np.moveaxis(found, -1, 0)
    error, n_samples = estimate - true, len(found)
    rms = np.sqrt(np.nanmean(error**2, axis=0))
    held = ((low <= true + NEAR) & (true - NEAR <= high)).mean(axis=0)
    measured = {
        "truth": np.broadcast_to(true, rms.shape),
        "bias": np.nanmean(error, axis=0),
        "rms": rms,
        "coverage": held,
        "width": (high - low).mean(axis=0),
        "n_samples": np.full(rms.shape, n_samples),
        "bias_error": np.nanstd(error, axis=0) / np.sqrt(n_samples),
        "rms_error": np.nanstd(error**2, axis=0) / np.maximum(2 * rms, 1e-9) / np.sqrt(n_samples),
        "coverage_error": np.sqrt(held * (1 - held) / n_samples),
    }
    levels = methods, LOOKS, CONCLUSIONS, sizes_of(n)
    index = pd.MultiIndex.from_product(levels, names=["method", "by", "conclusion", "n"])
    frame = pd.DataFrame({name: value.ravel() for name, value in measured.items()}, index=index).reset_index()
    frame.insert(0, "conclusion", frame.pop("conclusion") + " by " + frame.pop("by"))
    for name, value in (("n_experiments", n), ("n_alternatives", a), ("errors", errors), ("world", world)):
        frame.insert(0, name, value)
    return frame[[*frame.columns[:5], "n", "method", *measured]]


def measured_cell(cell: tuple, methods: list[str], n_samples: int, seed: int, workers: int) -> pd.DataFrame:
    tables = (delayed(one_table)(*cell, number, methods, seed) for number in range(n_samples))
    return judged(*cell, methods, np.array(Parallel(n_jobs=workers)(tables)))


def summary(results: pd.DataFrame) -> pd.DataFrame:
    """Return of each method the worst and the median over the worlds, for each conclusion, size of table and n / N."""
    ratio = (results["n"] / results["n_experiments"]).map("{:.3g} N".format)
    keys = ["conclusion", "n_alternatives", "n_experiments", ratio.rename("at n"), "method"]
    grouped = results.assign(off=results["bias"].abs()).groupby(keys, sort=False)
    return pd.DataFrame(
        {
            "worlds": grouped.size(),
            "bias worst": grouped["bias"].agg(lambda bias: bias.iloc[bias.abs().argmax()]),
            "median |bias|": grouped["off"].median(),
            "rms worst": grouped["rms"].max(),
            "median rms": grouped["rms"].median(),
            "coverage worst": grouped["coverage"].min(),
            "median coverage": grouped["coverage"].median(),
            "width worst": grouped["width"].max(),
            "median width": grouped["width"].median(),
        }
    )


def shown(results: pd.DataFrame) -> None:
    table = summary(results)
    for conclusion in dict.fromkeys(results["conclusion"]):
        print(f"\n{conclusion}", table.loc[conclusion].round(2).to_string(), sep="\n")


def record(frames: list[pd.DataFrame], path: Path) -> None:
    """Write the setting that `measured_methods` shows; of a cell in several runs, the last one counts."""
    setting = {"errors": "normal", "n_alternatives": 10, "n_experiments": 30}
    together = pd.concat(frames)
    for name, value in setting.items():
        together = together[together[name] == value]
    place = ["world", "conclusion", "n", "method"]
    last = together.drop_duplicates(place, keep="last").sort_values(place, kind="stable")
    numbers = ["truth", "bias", "rms", "coverage", "width"]
    last[[*place, *numbers, "n_samples"]].to_csv(path, index=False, float_format="%.3f", lineterminator="\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", nargs="+", choices=WORLDS, default=list(WORLDS), metavar="WORLD")
    parser.add_argument("--errors", nargs="+", choices=ERRORS, default=["normal"])
    parser.add_argument("--alternatives", nargs="+", type=int, default=[10])
    parser.add_argument("--experiments", nargs="+", type=int, default=[30])
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS), metavar="METHOD")
    parser.add_argument("--samples", type=int, default=56, help="tables per world; errors of a coverage of .9: .04")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="CSV, written anew after each world")
    parser.add_argument("--read", nargs="+", type=Path, help="CSVs of earlier runs: only their summary is printed")
    parser.add_argument(
        "--record", type=Path, help="with --read: write what the package shows of them, later ones first"
    )
    asked = parser.parse_args()
    if asked.read:
        frames = [pd.read_csv(path) for path in asked.read]
        if asked.record:
            record(frames, asked.record)
        return shown(pd.concat(frames))
    start, frames = time.perf_counter(), []
    for a, n, errors, world in itertools.product(asked.alternatives, asked.experiments, asked.errors, asked.worlds):
        cell = world, errors, a, n
        frames.append(measured_cell(cell, asked.methods, asked.samples, asked.seed, asked.workers))
        print(*cell, f"{time.perf_counter() - start:.0f} s", flush=True)
        if asked.out:
            pd.concat(frames).to_csv(asked.out, index=False, float_format="%.5g")
    return shown(pd.concat(frames))


if __name__ == "__main__":
    import bench_agreement  # worker processes find functions by the name of their module

    bench_agreement.main()
