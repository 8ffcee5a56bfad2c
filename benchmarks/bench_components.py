"""How far off is the predicted generalizability of studies with other levels of several factors? And how long it takes.

Run with ``OMP_NUM_THREADS=1 python benchmarks/bench_components.py``; a few minutes. Everything is seeded. From studies
drawn in simulated worlds, n-Gen is predicted for other sizes, at thresholds where the true probability, itself
simulated, is .3, .6 and .9. `components` was calibrated in other worlds of these kinds, with other seeds.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple
from zlib import crc32

import numpy as np
import pandas as pd
from timing import fastest

from genexpy_nb.common.rankings import rank_scores
from genexpy_nb.generalization.components import Components, components
from genexpy_nb.generalization.kernels import BordaKernel, JaccardKernel, Kernel, MallowsKernel, RBFKernel
from genexpy_nb.generalization.mean_squares import effects

KERNELS = (BordaKernel(0), JaccardKernel(1), MallowsKernel())
LEVELS = (0.3, 0.6, 0.9)  # true probabilities
KNOWN_TO = 0.01  # up to which the simulated truth is
CELLS_AT_ONCE = 40_000

Sizes = tuple[int, ...]


class Given:
    """Takes delta for the threshold on the MMD, which is known here."""

    on, name, question = "rankings", "given", "Are they this near?"

    def epsilon(self, delta, n_alternatives):
        return np.asarray(delta)


class World(NamedTuple):
    """Draws studies, ``draw(rng, n_studies, sizes)``: rankings of shape (n_studies, *sizes, n_alternatives)."""

    draw: Callable[[np.random.Generator, int, Sizes], np.ndarray]
    nested: bool = False


class Case(NamedTuple):
    """Studies of some sizes, from which those of others are predicted."""

    name: str
    worlds: dict[str, World]
    observed: tuple[Sizes, ...]
    predicted: tuple[Sizes, ...]


def ranked(scores: np.ndarray) -> np.ndarray:
    return rank_scores(scores.reshape(-1, scores.shape[-1]), higher_is_better=True).reshape(scores.shape)


def additive(base, spreads, noise="gumbel", effect="normal", step=None, nested=False) -> World:
    """Scores are a base and effects of the factors; with Gumbel noise, rankings are Plackett-Luce's."""
    draws = {
        "normal": lambda rng, shape: rng.normal(size=shape),
        "gumbel": lambda rng, shape: rng.gumbel(size=shape),
        "t1.5": lambda rng, shape: rng.standard_t(1.5, size=shape),
        "t3": lambda rng, shape: rng.standard_t(3, size=shape),
    }

    def draw(rng, n_studies, sizes):
        scores = np.asarray(base) + draws[noise](rng, (n_studies, *sizes, len(base)))
        for which, spread in zip(effects(len(sizes), nested), spreads, strict=False):
            shape = (n_studies, *(size if i in which else 1 for i, size in enumerate(sizes)), len(base))
            scores = scores + spread * draws[effect](rng, shape)
        return ranked(scores if step is None else np.round(scores / step))

    return World(draw, nested)


def mallows_mixture(spread, shares_a, shares_b, centres) -> World:
    """The centre of a cell depends on the kinds of both levels; rankings by repeated insertion around it."""

    def draw(rng, n_studies, sizes):
        n, m = sizes
        kind_a = rng.choice(len(shares_a), p=shares_a, size=(n_studies, n, 1))
        kind_b = rng.choice(len(shares_b), p=shares_b, size=(n_studies, 1, m))
        centre = np.asarray(centres)[(kind_a + kind_b) % len(centres)]
        places = np.zeros(centre.shape, dtype=int)
        for i in range(centre.shape[-1]):
            weights = spread ** np.arange(i, -1, -1.0)
            inserted = np.searchsorted(np.cumsum(weights / weights.sum()), rng.random(centre.shape[:-1]))
            places[..., :i] += places[..., :i] >= inserted[..., None]
            places[..., i] = inserted
        return np.take_along_axis(places, centre, axis=-1)

    return World(draw)


def with_outliers(base, share, spread) -> World:
    """A share of the levels of the first factor turns the order round."""

    def draw(rng, n_studies, sizes):
        n, m = sizes
        turned = np.where(rng.random((n_studies, n, 1, 1)) < share, -1.0, 1.0)
        scores = turned * np.asarray(base) + spread * rng.normal(size=(n_studies, 1, m, len(base)))
        return ranked(scores + rng.normal(size=(n_studies, n, m, len(base))))

    return World(draw)


def cases() -> list[Case]:
    line = np.linspace
    crossed = {
        "Plackett-Luce, 12": additive(line(0, 3, 12), (0.9, 0.4)),
        "Plackett-Luce, second factor rules": additive(line(0, 1, 5), (0.4, 0.9, 0.3)),
        "Mallows mixture": mallows_mixture(
            0.45, [0.5, 0.3, 0.2], [0.7, 0.3], [[0, 1, 2, 3, 4, 5, 6], [3, 0, 1, 2, 6, 5, 4], [6, 5, 4, 3, 2, 1, 0]]
        ),
        "heavy tails (t, 1.5 df)": additive(line(0, 2, 10), (0.8, 0.8), "t1.5", "t1.5"),
        "heavy tails, ties (t, 3 df)": additive(line(0, 1.5, 6), (0.6, 0.6), "t3", "t3", step=2.0),
        "second factor does nothing": additive(line(0, 2, 10), (0.3, 0.0)),
        "a tenth of the first turned round": with_outliers(line(0, 2, 8), 0.1, 0.5),
    }
    nested = {
        "nested, Plackett-Luce": additive(line(0, 2, 8), (0.8, 0.5), nested=True),
        "nested, heavy tails": additive(line(0, 2, 8), (0.8, 0.8), "t3", "t3", nested=True),
    }
    three = {"three factors, Plackett-Luce": additive(line(0, 2, 8), (0.7, 0.5, 0.4, 0.3, 0.3, 0.3))}
    to_predict = ((8, 3), (10, 3), (20, 4), (25, 8), (30, 10), (40, 2), (100, 3))
    return [
        Case("crossed", crossed, ((10, 3), (25, 8)), to_predict),
        Case("nested", nested, ((10, 3), (25, 8)), to_predict[:-1]),
        Case("three crossed", three, ((10, 4, 3), (15, 6, 5)), ((10, 4, 3), (20, 4, 4), (20, 10, 2))),
    ]


def true_distances(world: World, kernel: Kernel, sizes: Sizes, n_pairs: int, rng: np.random.Generator) -> np.ndarray:
    """The MMD of pairs of independent studies, sorted."""
    n_cells = int(np.prod(sizes))
    signs = np.repeat([1.0, -1.0], n_cells) / n_cells
    found = []
    at_once = max(1, CELLS_AT_ONCE // (2 * n_cells) ** 2 * 40)
    for start in range(0, n_pairs, at_once):
        number = min(at_once, n_pairs - start)
        studies = [world.draw(rng, number, sizes).reshape(number, n_cells, -1) for _ in range(2)]
        gram = kernel.gram(np.concatenate(studies, axis=1))
        found.append(np.sqrt(np.maximum(np.einsum("i,rij,j->r", signs, gram, signs), 0)))
    return np.sort(np.concatenate(found))


def asked(case: Case, world: World, kernel: Kernel, n_pairs: int, seed: list[int]) -> Iterator[tuple]:
    """Yield sizes, the thresholds and the true probabilities there; not where these jump to nearly 1."""
    for i, sizes in enumerate(case.predicted):
        distances = true_distances(world, kernel, sizes, n_pairs, np.random.default_rng([*seed, i]))
        for level in LEVELS:
            epsilon = float(np.quantile(distances, level))
            true = float((distances <= epsilon * (1 + 1e-9)).mean())
            if epsilon > 1e-9 and true < 0.985:
                yield sizes, epsilon, true


def study_of(world: World, kernel: Kernel, sizes: Sizes, rng: np.random.Generator, seed: int) -> Components:
    rankings = world.draw(rng, 1, sizes)[0].reshape(int(np.prod(sizes)), -1)
    names = [f"factor {i}" for i in range(len(sizes))]
    cells = pd.MultiIndex.from_product(map(range, sizes), names=names)
    return replace(components(pd.DataFrame(rankings, cells), names, kernel, world.nested, rng=seed), kernel=Given())


def predictions(case: Case, n_studies: int, n_pairs: int, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What was predicted, a row per world, kernel, sizes observed, sizes predicted and true probability; components."""
    rows, parts = [], []
    for name, world in case.worlds.items():
        i = crc32(name.encode())  # the numbers of a world do not depend on the others
        for j, kernel in enumerate(KERNELS):
            wanted = list(asked(case, world, kernel, n_pairs, [seed, i, j]))
            for observed in case.observed:
                rng = np.random.default_rng([seed, i, j, observed[0]])
                studies = [study_of(world, kernel, observed, rng, k) for k in range(n_studies)]
                where = {"world": name, "kernel": kernel.name, "observed": " x ".join(map(str, observed))}
                parts.append(pd.concat([study.table.assign(**where) for study in studies]))
                for sizes, epsilon, true in wanted:
                    design = dict(zip(studies[0].factors, sizes, strict=True))
                    answers = pd.concat([study.generalizability(design, delta=epsilon) for study in studies])
                    rows.append({**where, "sizes": " x ".join(map(str, sizes)), **judged(answers, true)})
        print(f"  {case.name}: {name}", flush=True)
    return pd.DataFrame(rows), pd.concat(parts)


def judged(answers: pd.DataFrame, true: float) -> dict[str, float]:
    error = answers["estimate"] - true
    holds = (answers["low"] <= true + KNOWN_TO) & (answers["high"] >= true - KNOWN_TO)
    width = answers["high"] - answers["low"]
    return {
        "true": true,
        "error": error.mean(),
        "rms": np.sqrt((error**2).mean()),
        "coverage": holds.mean(),
        "width": width.mean(),
    }


def summarised(frame: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    groups = frame.groupby(by, sort=False)
    return pd.DataFrame(
        {
            "cells": groups.size(),
            "mean |error|": groups["error"].agg(lambda each: each.abs().mean()),
            "mean error": groups["error"].mean(),
            "largest |error|": groups["error"].agg(lambda each: each.abs().max()),
            "rms": groups["rms"].mean(),
            "coverage": groups["coverage"].mean(),
            "lowest": groups["coverage"].min(),
            "below .90": groups["coverage"].agg(lambda each: (each < 0.9).mean()),
            "above .98": groups["coverage"].agg(lambda each: (each > 0.98).mean()),
            "width": groups["width"].mean(),
        }
    ).round(3)


def coverage_of_components(parts: pd.DataFrame) -> pd.DataFrame:
    """How often intervals hold a component: the mean of all estimates, which have no bias, of the larger studies."""
    keys = ["world", "kernel", "component"]
    truth = parts[parts["observed"] == parts["observed"].iloc[-1]].groupby(keys)["estimate"].mean().rename("true")
    parts = parts.merge(truth, on=keys)
    parts["holds"] = (parts["low"] <= parts["true"]) & (parts["high"] >= parts["true"])
    cells = parts.groupby(["observed", *keys], sort=False)["holds"].mean().reset_index()
    return cells.groupby(["observed", "component"], sort=False)["holds"].agg(["mean", "min"]).round(3)


def report_errors(n_studies: int, n_pairs: int, seed: int, only: str | None) -> None:
    for case in cases():
        if only is None or case.name == only:
            show(*predictions(case, n_studies, n_pairs, seed))


def show(frame: pd.DataFrame, parts: pd.DataFrame) -> None:
    frame["true level"] = [min(LEVELS, key=lambda level: abs(level - true)) for true in frame["true"]]
    for by in (["observed"], ["observed", "sizes"], ["observed", "true level"], ["observed", "world"]):
        print(summarised(frame, by).to_string(), end="\n\n")
    print(frame.nsmallest(6, "coverage").round(3).to_string(index=False), end="\n\n")
    print(coverage_of_components(parts).to_string(), end="\n\n")


def report_times() -> None:
    rng = np.random.default_rng(0)
    index = pd.MultiIndex.from_product([range(50), range(20)], names=["dataset", "model"])
    scores = np.linspace(0, 3, 30) + rng.normal(size=(50, 1, 30)) + rng.normal(size=(1, 20, 30))
    scores = pd.DataFrame((scores + rng.normal(size=(50, 20, 30))).reshape(1000, 30), index)
    rankings = pd.DataFrame(rank_scores(scores, higher_is_better=True), index)

    def one(kernel: Kernel) -> pd.DataFrame:
        results = rankings if kernel.on == "rankings" else scores
        found = components(results, ["dataset", "model"], kernel)
        return found.generalizability({"dataset": 50, "model": 20})

    kernels = (*KERNELS, RBFKernel())
    seconds = {kernel.name: fastest(lambda kernel=kernel: one(kernel), 3)[0] for kernel in kernels}
    print(pd.Series({**seconds, "all": sum(seconds.values())}).round(2).to_string())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=("errors", "times", "all"), default="all")
    parser.add_argument("--case", choices=[case.name for case in cases()], help="only this one; all of them by default")
    parser.add_argument("--studies", type=int, default=200, help="studies that predictions are made from, in each cell")
    parser.add_argument("--pairs", type=int, default=2000, help="pairs of studies that the truth is simulated by")
    parser.add_argument("--seed", type=int, default=2026)
    options = parser.parse_args()
    if options.part != "times":
        report_errors(options.studies, options.pairs, options.seed, options.case)
    if options.part != "errors":
        report_times()
