"""What is timed, and against what: each operation by its size, with its yardstick where there is one.

A yardstick that would take too long runs on a part, and its time is multiplied; ``part`` says by how much. Where both
compute the same quantity, ``difference`` finds how far they are apart.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scikit_posthocs
from scipy import stats
from scipy.spatial.distance import squareform

import genexpy_nb as gx
from benchmarks import yardsticks
from genexpy_nb.generalization.discrepancy import mmd_from_counts, quantile, signed_counts
from genexpy_nb.generalization.kernels import BordaKernel, JaccardKernel, Kernel, MallowsKernel, RBFKernel
from genexpy_nb.generalization.resampling import disjoint_draws, nstar_by_resampling
from genexpy_nb.significance import best_alternative, compare_pairs, friedman, rank_tiers
from genexpy_nb.significance.rank_tests import conover_iman
from genexpy_nb.significance.wilcoxon import pairwise_wilcoxon, signed_rank_tests

__all__ = ["AUTHORS", "AUTHORS_PYTHON", "LARGE", "OPERATIONS", "Operation", "Skipped", "Work", "largest_difference"]

ALPHAS, DELTAS = [0.7, 0.8, 0.9, 0.95, 0.99], [0.01, 0.025, 0.05, 0.1, 0.2]
ALPHA, DELTA = np.array([0.95]), 0.05
N_RESAMPLES = 1000
FEW_RESAMPLES = {"afresh": 5, "looked up": 50}  # of the whole procedure in plain loops
WIDE = {"higher_is_better": True}

#: Variables that say where the package of the papers' authors is, and which Python runs it.
AUTHORS, AUTHORS_PYTHON = "BENCHMARKS_AUTHORS", "BENCHMARKS_AUTHORS_PYTHON"


class Skipped(Exception):
    """A yardstick that cannot be run here, and why."""


class Work(NamedTuple):
    """One operation on given data.

    Attributes
    ----------
    ours : callable
        What is timed.
    yardstick : callable, optional
        What it is measured against.
    times : float
        What the time of the yardstick is multiplied by, because it does a part of the work.
    part : str
        Which part.
    difference : callable, optional
        Takes what both returned; returns how far they are apart, which must be rounding.
    apart : bool
        Whether the yardstick runs in a process of its own, and returns the seconds of the processor that it took.
    flops : float
        Multiplications and additions of matrix products in it; 0 if it is none.
    dtype : str
        Of these products.
    """

    ours: Callable[[], Any]
    yardstick: Callable[[], Any] | None = None
    times: float = 1.0
    part: str = ""
    difference: Callable[[Any, Any], float] | None = None
    apart: bool = False
    flops: float = 0.0
    dtype: str = "float64"


class Operation(NamedTuple):
    """``prepare`` makes the work of a size; ``quick`` is a size that takes no time."""

    size: int
    quick: int
    shape: str
    yardstick: str
    prepare: Callable[[int], Work]


def largest_difference(one: Any, other: Any) -> float:
    """Return the largest difference between two arrays, relative where they are above 1."""
    one, other = np.asarray(one, dtype=float), np.asarray(other, dtype=float)
    return float(np.max(np.abs(one - other) / np.maximum(np.abs(other), 1)))


# --- data -------------------------------------------------------------------------------------------------------------


def scores(n_experiments: int, n_alternatives: int) -> pd.DataFrame:
    """Draw scores of three decimals; the alternatives differ by two standard deviations at most."""
    rng = np.random.default_rng(0)
    drawn = rng.normal(np.linspace(0, 2, n_alternatives), 1, (n_experiments, n_alternatives)).round(3) / 3
    rows = pd.Index([f"data-{i:07d}" for i in range(n_experiments)], name="dataset")
    return pd.DataFrame(drawn, rows, [f"model-{i:04d}" for i in range(n_alternatives)])


def without_ties(n_experiments: int, n_alternatives: int) -> np.ndarray:
    """Draw scores that all differ, so that every library ranks them alike."""
    return np.random.default_rng(1).normal(np.linspace(0, 0.5, n_alternatives), 1, (n_experiments, n_alternatives))


def rankings(n_experiments: int, n_alternatives: int) -> np.ndarray:
    return np.argsort(np.argsort(-scores(n_experiments, n_alternatives).to_numpy(), axis=1), axis=1)


def rankings_with_ties(n_experiments: int, n_alternatives: int) -> np.ndarray:
    """Draw scores of few values, and rank them densely."""
    drawn = np.random.default_rng(2).integers(0, n_alternatives // 2, (n_experiments, n_alternatives))
    return np.stack([np.unique(row, return_inverse=True)[1] for row in drawn])


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


# --- with a yardstick -------------------------------------------------------------------------------------------------


def gram_of(kernel: Kernel, pair: Callable[[int], yardsticks.Pair], n: int) -> Work:
    """Compare n results of 30 alternatives."""
    k = 30
    results = without_ties(n, k) if kernel.on == "scores" else rankings_with_ties(n, k)
    flops = {"Jaccard(1)": n * n * k, "Mallows": n * n * k * k}.get(kernel.name, 0)  # symmetric: half of a product
    rows = results.tolist()
    return Work(
        lambda: kernel.gram(results),
        lambda: yardsticks.gram(pair(k), rows),
        difference=largest_difference,
        flops=flops,
    )


def quantiles_of_mmd(afresh: bool, n: int) -> Work:
    """Resample the MMD of two halves of n experiments a thousand times, from the rankings of 20 alternatives on."""
    results, kernel = rankings_with_ties(n, 20), MallowsKernel()

    def ours() -> np.ndarray:
        drawn = signed_counts(n, n // 2, N_RESAMPLES, rng=0)
        return np.sort(mmd_from_counts(kernel.gram(results), drawn))

    some = 10 if afresh else 100
    drawn = yardsticks.samples(signed_counts(n, n // 2, N_RESAMPLES, rng=0)[:some])
    looked_up = yardsticks.look_up(kernel.gram(results))  # its own time is not multiplied

    def loops() -> list[float]:
        if afresh:
            return yardsticks.distances(yardsticks.mallows(20), results.tolist(), drawn)
        return yardsticks.distances(looked_up, range(n), drawn)

    def difference(_: Any, found: list[float]) -> float:
        few = mmd_from_counts(kernel.gram(results), signed_counts(n, n // 2, N_RESAMPLES, rng=0)[:some])
        expected = quantile(few, ALPHAS)
        return largest_difference(expected, yardsticks.quantiles(found, ALPHAS))

    part = f"{some} of {N_RESAMPLES:,} resamples"
    return Work(
        lambda: quantile(ours(), ALPHAS),
        loops,
        N_RESAMPLES / some,
        part,
        difference,
        flops=2 * N_RESAMPLES * n * n,
    )


def encoder_table(n_configurations: int) -> tuple[pd.DataFrame, int]:
    """Return the results of some configurations of the encoder study, and how many there are."""
    table, design = gx.datasets.load_encoders(source="auto"), ["model", "tuning", "scoring"]
    number = table.groupby(design, sort=True).ngroup()
    return table[number < n_configurations].reset_index(drop=True), int(number.max()) + 1


def encoder_study(table: pd.DataFrame) -> gx.Study:
    roles = {"alternatives": "encoder", "target": "cv_score", "generalize_over": "dataset"}
    return gx.Study(table, **roles, design=["model", "tuning", "scoring"])


def four_kernels(alternative: Any) -> list[Kernel]:
    return [BordaKernel(alternative), JaccardKernel(), MallowsKernel(), RBFKernel()]


def typical(of: gx.Study) -> dict[str, Any]:
    """Return the configuration with the median number of experiments."""
    order = np.argsort(of.accounting["n_experiments"].to_numpy(), kind="stable")
    return of.configurations[order[len(order) // 2]]


def published_procedure(of: gx.Study, n_resamples: int, afresh: bool) -> tuple[Callable, Callable]:
    """Return the published procedure for the four kernels of a typical configuration, and ours on the same draws."""
    configuration = typical(of)
    k = len(of.alternatives)
    pairs = [yardsticks.borda(0, k), yardsticks.jaccard(1), yardsticks.mallows(k), yardsticks.rbf(k)]
    cases = []
    for kernel, pair in zip(four_kernels(of.alternatives[0]), pairs, strict=True):
        results = of.results(configuration, kernel)
        matrix, rows = kernel.gram(results), results.to_numpy().tolist()
        inputs = (pair, rows) if afresh else (yardsticks.look_up(matrix), range(len(rows)))
        cases.append((inputs, matrix, np.asarray(kernel.epsilon(DELTAS, k), dtype=float)))

    def loops() -> list[np.ndarray]:
        return [
            yardsticks.nstar(*inputs, disjoint_draws(len(matrix), n_resamples, 0), n_resamples, ALPHAS, epsilons)
            for inputs, matrix, epsilons in cases
        ]

    def ours() -> list[np.ndarray]:
        return [
            nstar_by_resampling([matrix], np.array(ALPHAS), [epsilons], n_resamples, 0, None)[0][..., 0]
            for _, matrix, epsilons in cases
        ]

    return loops, ours


def whole_study(method: str, afresh: bool, n_configurations: int) -> Work:
    """Estimate n* of the encoder study: four kernels, 25 pairs of alpha and delta."""
    table, n_possible = encoder_table(n_configurations)
    of = encoder_study(table)
    some = FEW_RESAMPLES["afresh" if afresh else "looked up"]
    loops, ours_on_same = published_procedure(of, some, afresh)
    kernels, count = four_kernels(of.alternatives[0]), min(n_configurations, n_possible)
    return Work(
        lambda: of.nstar(kernels, ALPHAS, DELTAS, method=method, n_resamples=N_RESAMPLES),
        loops,
        count * N_RESAMPLES / some,
        f"1 of {count} configurations, {some} of {N_RESAMPLES:,} resamples",
        lambda _, found: largest_difference(np.log(np.stack(ours_on_same())), np.log(np.stack(found))),
    )


def against_authors(settings: dict[str, Any], n_configurations: int) -> Work:
    """Go from the table in memory to n* of the encoder study, as the authors' package does, on one configuration."""
    table, n_possible = encoder_table(n_configurations)
    count = min(n_configurations, n_possible)
    first = encoder_study(table)

    def theirs() -> float:
        chosen = typical(first)
        part = table[(table[list(chosen)] == pd.Series(chosen)).all(axis=1)]
        n_experiments = len(first.scores(chosen, impute=True))
        given = {name: n_experiments - 1 if value == "all" else value for name, value in settings.items()}
        return run_authors(part, given)

    def ours() -> pd.DataFrame:
        of = encoder_study(table)
        return of.nstar(four_kernels(of.alternatives[0]), ALPHAS, DELTAS)

    return Work(ours, theirs, count, f"1 of {count} configurations", apart=True)


def run_authors(part: pd.DataFrame, settings: dict[str, Any]) -> float:
    """Return the processor seconds that the authors' package takes for a table, or say why it cannot be run."""
    folder = os.environ.get(AUTHORS)
    if not folder:
        raise Skipped("the authors' package was not given (--authors FOLDER)")
    with tempfile.TemporaryDirectory() as demo:
        (Path(demo) / "data").mkdir()
        part.to_parquet(Path(demo) / "data" / "encoders_results.parquet")
        script = Path(__file__).with_name("authors.py")
        command = [os.environ.get(AUTHORS_PYTHON, sys.executable), script, folder, demo, json.dumps(settings)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Skipped(f"the authors' package failed: {done.stderr.strip().splitlines()[-1]}")
    return float(done.stdout.splitlines()[-1])


def intervals_of_pairs(k: int) -> Work:
    """Compare all pairs of k models on 30 folds, BCa intervals of 10,000 resamples."""
    table, n_resamples = without_ties(30, k), 10_000
    pairs = list(zip(*(side.tolist() for side in np.triu_indices(k, 1)), strict=True))
    chosen = np.unique(np.linspace(0, len(pairs) - 1, 20).astype(int))

    def difference(found: pd.DataFrame, theirs: np.ndarray) -> float:
        """Compare means and p-values; the intervals come from other resamples."""
        return largest_difference(found[["estimate", "p"]].to_numpy()[chosen], theirs[:, [0, 3]])

    return Work(
        lambda: compare_pairs(table, interval="bca", n_resamples=n_resamples, **WIDE),
        lambda: yardsticks.bootstrap_pairs(table, [pairs[i] for i in chosen], n_resamples),
        len(pairs) / len(chosen),
        f"{len(chosen)} of {len(pairs):,} pairs",
        difference,
    )


def conover_of(k: int) -> Work:
    table = without_ties(50, k)
    return Work(
        lambda: conover_iman(table),
        lambda: scikit_posthocs.posthoc_conover_friedman(table),
        difference=largest_difference,
    )


def uncorrected(table: np.ndarray) -> np.ndarray:
    """Return the p-values of all pairs by Wilcoxon's test before Holm's correction, as a square table."""
    k = table.shape[1]
    return squareform(signed_rank_tests(table, *np.triu_indices(k, 1))[0]) + np.eye(k)


def wilcoxon_of(k: int) -> Work:
    """Compare all pairs of k alternatives on 50 datasets, exactly; the library does some of the alternatives."""
    table, some = without_ties(50, k), min(k, 20)
    options = {"method": "exact", "zero_method": "pratt"}
    n_pairs, n_of_some = k * (k - 1) // 2, some * (some - 1) // 2
    return Work(
        lambda: pairwise_wilcoxon(table),
        lambda: scikit_posthocs.posthoc_wilcoxon(table[:, :some].T, **options),
        n_pairs / n_of_some,
        f"{n_of_some:,} of {n_pairs:,} pairs",
        lambda _, theirs: largest_difference(uncorrected(table[:, :some]), theirs),
    )


def tiers_of(k: int) -> Work:
    """Group k alternatives by Wilcoxon and Holm; the yardstick computes the p-values of some pairs."""
    table = without_ties(50, k)
    i, j = np.triu_indices(k, 1)
    chosen = np.unique(np.linspace(0, len(i) - 1, 200).astype(int))
    pairs = list(zip(i[chosen].tolist(), j[chosen].tolist(), strict=True))

    def difference(_: Any, theirs: np.ndarray) -> float:
        return largest_difference(uncorrected(table)[i[chosen], j[chosen]], theirs)

    return Work(
        lambda: rank_tiers(table, **WIDE),
        lambda: yardsticks.wilcoxon_pairs(table, pairs),
        len(i) / len(chosen),
        f"{len(chosen)} of {len(i):,} pairs",
        difference,
    )


def friedman_of(k: int) -> Work:
    wide = scores(50, k)
    return Work(
        lambda: friedman(wide, **WIDE),
        lambda: stats.friedmanchisquare(*wide.to_numpy().T),
        difference=lambda found, theirs: largest_difference([found.chi2, found.p], [theirs.statistic, theirs.pvalue]),
    )


# --- without ----------------------------------------------------------------------------------------------------------


def study_of(n: int) -> Work:
    table = tidy(scores(n, 50))
    return Work(lambda: study(table))


def nstar_of_four(n_alternatives: int, n: int) -> Work:
    of = gx.Study.from_wide(scores(n, n_alternatives))
    kernels = four_kernels(of.alternatives[-1])
    return Work(lambda: of.nstar(kernels, ALPHA, DELTA))


def large_gram(k: int) -> Work:
    results = rankings(400, k)
    return Work(lambda: MallowsKernel().gram(results), flops=400 * 400 * k * (k - 1) / 2, dtype="float32")


def table_of(function: Callable, options: dict[str, Any], k: int) -> Work:
    wide = scores(50, k)
    return Work(lambda: function(wide, **options))


def configurations_of(n: int) -> Work:
    table = many_configurations(n)
    return Work(lambda: study(table, design="task").nstar(MallowsKernel()))


def with_ties(what: str, n_experiments: int, k: int) -> Work:
    """Compare k alternatives on accuracies of 100 items, which tie; the yardstick is the same without ties."""
    rng, p = np.random.default_rng(0), np.linspace(0.6, 0.8, k)
    tied, untied = rng.binomial(100, p, (n_experiments, k)) / 100, rng.normal(p, 0.05, (n_experiments, k))
    # a new study each time: it keeps what it has compared
    ours, same = (partial(lambda x: getattr(gx.Study.from_wide(pd.DataFrame(x)), what)(), x) for x in (tied, untied))
    return Work(ours, same, difference=lambda found, theirs: float(len(found) - len(theirs)))


PAIR_BY_PAIR = "the definition, pair by pair"
AFRESH = "published procedure, kernels evaluated for each resample"
LOOKED_UP = "published procedure, kernels looked up"
AS_THEY_RAN = "authors' package, their settings"
AS_MUCH = "authors' package, 1,000 resamples of all experiments"
# Their own settings make estimates from 10, 20, ... experiments and 200 resamples each.
THEIR_SETTINGS: dict[str, Any] = {}
OUR_SETTINGS = {"rep": N_RESAMPLES, "sample_size": "all"}
OPERATIONS = {
    "Gram matrix, Borda": Operation(
        500, 12, "{:,} x 30", PAIR_BY_PAIR, partial(gram_of, BordaKernel(0), lambda k: yardsticks.borda(0, k))
    ),
    "Gram matrix, Jaccard": Operation(
        500, 12, "{:,} x 30", PAIR_BY_PAIR, partial(gram_of, JaccardKernel(1), lambda k: yardsticks.jaccard(1))
    ),
    "Gram matrix, Mallows": Operation(
        500, 12, "{:,} x 30", PAIR_BY_PAIR, partial(gram_of, MallowsKernel(), yardsticks.mallows)
    ),
    "Gram matrix, RBF": Operation(500, 12, "{:,} x 30", PAIR_BY_PAIR, partial(gram_of, RBFKernel(), yardsticks.rbf)),
    "resampled quantiles": Operation(50, 8, "{:,} x 20", AFRESH, partial(quantiles_of_mmd, True)),
    "resampled quantiles, looked up": Operation(50, 8, "{:,} x 20", LOOKED_UP, partial(quantiles_of_mmd, False)),
    "encoder study by resampling": Operation(
        48, 1, "{:,} configurations", AFRESH, partial(whole_study, "resampling", True)
    ),
    "encoder study by resampling, looked up": Operation(
        48, 1, "{:,} configurations", LOOKED_UP, partial(whole_study, "resampling", False)
    ),
    "encoder study by moments": Operation(48, 1, "{:,} configurations", AFRESH, partial(whole_study, "moments", True)),
    "table to n*, encoders": Operation(
        48, 1, "{:,} configurations", AS_THEY_RAN, partial(against_authors, THEIR_SETTINGS)
    ),
    "table to n*, encoders, more resamples": Operation(
        48, 1, "{:,} configurations", AS_MUCH, partial(against_authors, OUR_SETTINGS)
    ),
    "compare_pairs, BCa": Operation(46, 4, "30 x {:,}", "scipy.stats.bootstrap and wilcoxon", intervals_of_pairs),
    "conover_iman": Operation(100, 5, "50 x {:,}", "scikit-posthocs", conover_of),
    "pairwise_wilcoxon": Operation(500, 6, "50 x {:,}", "scikit-posthocs", wilcoxon_of),
    "rank_tiers": Operation(2000, 6, "50 x {:,}", "scipy.stats.wilcoxon, pair by pair", tiers_of),
    "friedman": Operation(2000, 5, "50 x {:,}", "scipy.stats.friedmanchisquare", friedman_of),
    "Study of a tidy table": Operation(100_000, 20, "{:,} x 50", "", study_of),
    "n* of four kernels": Operation(100_000, 20, "{:,} x 50", "", partial(nstar_of_four, 50)),
    "Gram matrix, Mallows, many alternatives": Operation(2000, 100, "400 x {:,}", "", large_gram),
    "Study.pairs, ties": Operation(400, 6, "30 x {:,}", "the same without ties", partial(with_ties, "pairs", 30)),
    "Study.ranking, ties": Operation(5000, 6, "20 x {:,}", "the same without ties", partial(with_ties, "ranking", 20)),
    "best_alternative": Operation(2000, 5, "50 x {:,}", "", partial(table_of, best_alternative, WIDE)),
    "pairwise_wilcoxon, many": Operation(2000, 5, "50 x {:,}", "", partial(table_of, pairwise_wilcoxon, {})),
    "Study and n* of configurations": Operation(10_000, 2, "{:,} of 50 x 20", "", configurations_of),
}
#: What takes minutes.
LARGE = {
    "n* of four kernels, a million": Operation(1_000_000, 20, "{:,} x 20", "", partial(nstar_of_four, 20)),
}
