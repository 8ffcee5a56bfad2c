"""Measure what the policies for missing evaluations do to n*, and to the errors of the tests.

Run with ``OMP_NUM_THREADS=1 python benchmarks/bench_missing.py --part nstar`` (or tests, mteb, time).

nstar: studies of worlds with a known distribution, some cells deleted. Per policy: bias and root mean squared error of
log(n* / n* of the study before cells were deleted), and how often the interval holds the n* of the world (the estimate
from 1,500 experiments). tests: how often tests find a difference between alternatives that are all alike, from what is
left and from completions. mteb: the 183 models of MTEB's English leaderboard that have all 41 tasks, with cells deleted
at random or as they are missing for other models. time: seconds for a few sizes of table.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
import pandas as pd

import genexpy_nb as gx
from genexpy_nb.common.errors import StudyError, StudyWarning
from genexpy_nb.common.rankings import rank_scores
from genexpy_nb.study import completion

ALPHA, DELTA, LEVEL = 0.95, 0.05, 0.05
POLICIES = ("worst-rank", "drop", "complete")
WORLDS = ("plackett-luce", "normal", "relatives", "ties")
HOLES = ("at random", "bad alternatives", "bad results", "blocks")
SIZES = ((10, 20, 0.3), (10, 20, 2.0), (10, 40, 2.0), (40, 40, 0.3), (40, 20, 2.0))  # alternatives, experiments, spread


def experiments(world: str, n: int, k: int, spread: float, rng: np.random.Generator) -> np.ndarray:
    """Draw scores, shape (n, k); higher is better, and the last alternative is best."""
    quality = np.linspace(-spread, spread, k)
    if world == "plackett-luce":
        return np.pi / np.sqrt(6) * quality + rng.gumbel(size=(n, k))
    if world == "relatives":  # two families, conditions with scales of their own, some alternatives noisier than others
        own = np.random.default_rng(k)
        together = rng.normal(size=(n, 2)) @ own.normal(size=(2, k)) / 2
        noise = rng.normal(size=(n, k)) * np.exp(0.4 * own.normal(size=k))
        return rng.normal(size=(n, 1)) + np.exp(rng.normal(size=(n, 1))) * (quality + together + noise)
    scores = quality + rng.normal(size=(n, k))
    return np.round(1.5 * scores) if world == "ties" else scores


def delete(holes: str, scores: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Delete a share of the cells; two in each row stay, and one in each column."""
    n, k = scores.shape
    if holes == "blocks":  # alternatives skip suites of five experiments
        absent = (rng.random((-(-n // 5), k)) < share)[np.arange(n) // 5]
    else:
        by_alternative = np.argsort(np.argsort(-scores.mean(axis=0))) / (k - 1)
        by_result = np.argsort(np.argsort(-scores, axis=1), axis=1) / (k - 1)
        chance = {"at random": 0.5 + 0 * by_result, "bad alternatives": by_alternative, "bad results": by_result}
        absent = rng.random((n, k)) < 2 * share * chance[holes]
    for row in np.flatnonzero((~absent).sum(axis=1) < 2):
        absent[row, rng.choice(k, 2, replace=False)] = False
    absent[0, absent.all(axis=0)] = False
    return np.where(absent, np.nan, scores)


def study_of(scores: np.ndarray, missing: str) -> gx.Study:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StudyWarning)
        return gx.Study.from_wide(pd.DataFrame(scores).rename(columns="a{:03}".format), missing=missing)


def kernels(k: int) -> list:
    return [gx.JaccardKernel(k=1), gx.BordaKernel(alternative=f"a{2 * k // 3:03}"), gx.MallowsKernel()]


def estimates(scores: np.ndarray, missing: str) -> np.ndarray:
    """Return log n* and its interval, shape (3 kernels, 3); NaN where the policy leaves too little."""
    found = np.full((3, 3), np.nan)
    try:
        study = study_of(scores, missing)
    except StudyError:
        return found
    for number, kernel in enumerate(kernels(scores.shape[1])):
        try:
            found[number] = study.nstar(kernel, ALPHA, DELTA)[["nstar", "low", "high"]].to_numpy()[0]
        except ValueError:  # the alternative of the Borda kernel is left out, or fewer than four experiments are left
            continue
    return np.log(found)


def nstar(n_studies: int, seed: int, share: float) -> None:
    cells = []
    for world in WORLDS:
        for k, n, spread in SIZES:
            true = truth(world, k, spread, seed)
            for h, holes in enumerate(HOLES):
                found: dict[str, list[np.ndarray]] = {}
                for s in range(n_studies):
                    rng = np.random.default_rng([seed, s, k, n, h])
                    scores = experiments(world, n, k, spread, rng)
                    left, whole = delete(holes, scores, share, rng), estimates(scores, "error")
                    for policy in ("error", *POLICIES):
                        value = whole if policy == "error" else estimates(left, policy)
                        held = np.where(np.isnan(value[:, 0]), np.nan, (value[:, 1] <= true) & (true <= value[:, 2]))
                        row = [value[:, 0] - whole[:, 0], held, value[:, 2] - value[:, 1]]
                        found.setdefault("none missing" if policy == "error" else policy, []).append(np.array(row))
                for policy, values in found.items():
                    error, held, width = np.moveaxis(np.stack(values), 1, 0)
                    for kernel, *cell in zip("JBM", np.nanmean(error, 0), np.sqrt(np.nanmean(error**2, 0)),
                                             np.nanmean(held, 0), np.nanmedian(width, 0), strict=True):  # fmt: skip
                        cells.append([world, k, n, spread, holes, kernel, policy, *cell])
    names = ["world", "k", "n", "spread", "holes", "kernel", "policy", "bias", "rms", "coverage", "width"]
    wide = pd.DataFrame(cells, columns=names).set_index(names[:7]).unstack("policy")
    order = ["none missing", *POLICIES]
    with pd.option_context("display.max_rows", None, "display.width", 250, "display.max_columns", None):
        print(pd.concat({name: wide[name][order] for name in ("bias", "rms", "coverage")}, axis=1).round(2).to_string())
        for name in ("rms", "coverage", "width"):
            print(name, wide[name][order].describe().round(3).to_string(), sep="\n")
            print(wide[name][order].groupby(["kernel", "holes"]).mean().round(3).to_string())
        better = wide["rms"]["complete"] - wide["rms"][["worst-rank", "drop"]].min(axis=1)
        print("cells in which another policy is more exact by more than .02 (rms):")
        print(wide["rms"][better > 0.02].round(3).to_string())


def truth(world: str, k: int, spread: float, seed: int) -> np.ndarray:
    """Return log n* for the three kernels, from 1,500 experiments."""
    scores = experiments(world, 1500, k, spread, np.random.default_rng([seed, 99, k]))
    rankings = pd.DataFrame(rank_scores(scores, higher_is_better=True)).rename(columns="a{:03}".format)
    found = [gx.estimate_nstar(kernel.gram(rankings), ALPHA, kernel.epsilon(DELTA, k)) for kernel in kernels(k)]
    return np.log([each.estimate for each in found])


def tests(n_studies: int, seed: int, share: float) -> None:
    """Print shares of tables, and of pairs, that are called different: all alike, then one better than the others."""
    for better in (0.0, 1.0):
        print(f"share that is found at {LEVEL}; the first alternative is better by {better} standard deviations")
        for k, n in ((4, 10), (10, 10), (10, 20), (10, 40)):
            for h, holes in enumerate(HOLES):
                found: dict[str, list[np.ndarray]] = {}
                for s in range(n_studies):
                    rng = np.random.default_rng([seed, s, k, n, h])
                    scores = experiments("normal", n, k, 0.0, rng)
                    scores[:, 0] += better
                    left = delete(holes, scores, share, rng)
                    for policy in ("error", "worst-rank", "complete"):
                        try:
                            study = study_of(scores if policy == "error" else left, policy)
                        except StudyError:  # nothing connects some alternatives
                            continue
                        found.setdefault(policy, []).append(shares(study, better))
                for policy, values in found.items():
                    name = "none missing" if policy == "error" else policy
                    print(
                        f"k={k:<3} n={n:<3} {holes:17} {name:13}",
                        len(values),
                        np.mean(values, axis=0).round(3),
                        flush=True,
                    )


def shares(study: gx.Study, better: float) -> np.ndarray:
    """Return shares: pairs with p, any pair with Holm's p, intervals that miss, Friedman, Iman and Davenport."""
    pairs = study.pairs(interval="t", impute=True)
    asked = pairs[(pairs["a"] == "a000") | (not better)]
    missed = (asked["low"] > better) | (asked["high"] < better)
    overall = study.friedman()
    return np.array([(asked["p"] <= LEVEL).mean(), (asked["p_adjusted"] <= LEVEL).any(), missed.mean(),
                     overall.p <= LEVEL, overall.p_f <= LEVEL])  # fmt: skip


def mteb(n_studies: int, seed: int, share: float) -> None:
    results = gx.datasets.load_mteb()
    wide = results.groupby(["task", "model"], observed=True)["score"].mean().unstack("model")
    absent = wide.isna().to_numpy()
    full = wide.loc[:, ~absent.any(axis=0)].to_numpy()
    incomplete = np.flatnonzero(absent.any(axis=0))
    leading = np.argsort(-full.mean(axis=0))
    fifth = gx.BordaKernel(alternative=f"a{leading[5]:03}")
    chosen = [gx.JaccardKernel(k=1), gx.JaccardKernel(k=5), fifth, gx.MallowsKernel()]
    whole = np.log(study_of(full, "error").nstar(chosen)["nstar"].to_numpy())
    print("n* of the whole table", dict(zip([kernel.name for kernel in chosen], np.exp(whole).round(2), strict=True)))
    for holes in ("at random", "as for other models"):
        found: dict[str, list[np.ndarray]] = {}
        for s in range(n_studies):
            rng = np.random.default_rng([seed, s])
            gone = rng.random(full.shape) < share
            if holes != "at random":
                gone[:] = False
                which = rng.choice(full.shape[1], int(0.45 * full.shape[1]), replace=False)
                gone[:, which] = absent[:, rng.choice(incomplete, len(which))]
                gone[:, gone.all(axis=0)] = False
            left = np.where(gone, np.nan, full)
            for name, estimate in OTHER_MODELS.items():
                errors = estimate(left, chosen, s) - whole
                found.setdefault(name, []).append(np.column_stack([errors, np.full(len(errors), np.nan)]))
            for policy in POLICIES:
                try:
                    values = np.log(study_of(left, policy).nstar(chosen)[["nstar", "low", "high"]].to_numpy())
                except ValueError:  # nothing, or too few tasks, or not the alternative of the Borda kernel is left
                    continue
                held = (values[:, 1] <= whole) & (whole <= values[:, 2])
                found.setdefault(policy, []).append(np.column_stack([values[:, 0] - whole, held]))
        for policy, values in found.items():
            errors, held = np.stack(values)[..., 0], np.stack(values)[..., 1]
            print(f"{holes:20} {policy:13} tables {len(values)}  bias", errors.mean(axis=0).round(3),
                  "rms", np.sqrt((errors**2).mean(axis=0)).round(3), "held", held.mean(axis=0).round(2))  # fmt: skip


def without_factors(left: np.ndarray, chosen: list, seed: int) -> np.ndarray:
    """Return log n* under the model of missing="complete" without factors."""
    usual, completion.N_FACTORS = completion.N_FACTORS, 0
    try:
        return np.log(study_of(left, "complete").nstar(chosen, rng=seed)["nstar"].to_numpy())
    finally:
        completion.N_FACTORS = usual


def plackett_luce(left: np.ndarray, chosen: list, seed: int, n_completions: int = 6) -> np.ndarray:
    """Return log n*, its mean over completions from a Plackett-Luce model, by Gibbs sampling from its maximum.

    The alternatives of a condition arrive one after the other, j at rate lambda_j, best first; what is missing arrives
    at any time (Caron and Doucet 2012). The first rounds take means in place of draws: minorisation-maximisation.
    """
    rng, absent = np.random.default_rng(seed), np.isnan(left)
    n, k = left.shape
    logs = []
    for _ in range(n_completions):
        order = np.lexsort((rng.random((n, k)), np.where(absent, np.inf, -left)), axis=1)
        held = np.arange(k) < (~absent).sum(axis=1)[:, None]
        first = held & (np.arange(k) < (~absent).sum(axis=1)[:, None] - 1)
        wins, rate = np.bincount(order[first], minlength=k), np.ones(k)
        for sweep in range(21):
            left_over = np.cumsum((rate[order] * held)[:, ::-1], axis=1)[:, ::-1]
            wait = (1.0 if sweep < 15 else rng.standard_exponential((n, k))) / np.where(held, left_over, 1)
            times = np.zeros((n, k))
            np.put_along_axis(
                times, order, np.cumsum(np.where(held if sweep == 20 else first, wait, 0), axis=1), axis=1
            )
            exposed = (times * ~absent).sum(axis=0) + 1e-12
            if sweep < 20:
                rate = ((wins + 0.5) if sweep < 15 else rng.gamma(wins + 1)) / exposed
                rate /= rate.sum()
        times[absent] = (rng.standard_exponential((n, k)) / rate)[absent]
        rankings = pd.DataFrame(rank_scores(times, higher_is_better=False)).rename(columns="a{:03}".format)
        epsilons = [kernel.epsilon(DELTA, k) for kernel in chosen]
        found = [gx.estimate_nstar(c.gram(rankings), ALPHA, e) for c, e in zip(chosen, epsilons, strict=True)]
        logs.append(np.log([one.estimate for one in found]))
    return np.mean(logs, axis=0)


OTHER_MODELS = {"no factors": without_factors, "Plackett-Luce": plackett_luce}


def timing() -> None:
    for n, k in ((50, 20), (41, 324), (1000, 20), (10_000, 50)):
        rng = np.random.default_rng(0)
        left = delete("at random", experiments("normal", n, k, 1.0, rng), 0.25, rng)
        start = time.perf_counter()
        study = study_of(left, "complete")
        study.completions()
        drawn = time.perf_counter()
        if n <= 1000:
            study.nstar([gx.JaccardKernel(k=1), gx.MallowsKernel()])
        print(
            f"{n} x {k}: completions {drawn - start:.2f} s, and n* by two kernels {time.perf_counter() - drawn:.2f} s"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", choices=("nstar", "tests", "mteb", "time"), default="nstar")
    parser.add_argument("--studies", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--share", type=float, default=0.25, help="of the cells, deleted")
    asked = parser.parse_args()
    parts = {"nstar": nstar, "tests": tests, "mteb": mteb}
    if asked.part == "time":
        timing()
    else:
        parts[asked.part](asked.studies, asked.seed, asked.share)


if __name__ == "__main__":
    main()
