"""How often do intervals of accuracies and of paired differences hold? Answers to items from worlds with known truth.

The truth is the mean score over endless items: of a logistic model, by quadrature.
Usage: python benchmarks/bench_items.py [--studies 1000] [--seed 1] [--world NAME]
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import expit

import genexpy_nb as gx

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(101)
MANY = 4_000_000  # draws that show the truth, where tails are heavy


@dataclass(frozen=True)
class World:
    """Answers of models to items; log-odds are of models, items, models on passages, and models on items."""

    odds: tuple[float, ...]
    n: int = 200
    samples: int = 1
    passages: int = 0
    uneven: bool = False  # passages: the first ones have most items
    of_items: float = 1.5
    of_passages: float = 0.7
    own: float = 0.7
    benchmarks: tuple[float, ...] = ()  # what each adds to all log-odds
    steps: int = 1  # graded in so many steps, 0 for any number
    power: float = 1.0  # graded: the share is raised to it, which makes it skewed
    heavy: bool = False  # what items, models and passages add has Student's t with three degrees of freedom
    unequal: bool = False  # a model answers an item once, or up to `samples` times

    def answers(self, rng: np.random.Generator) -> pd.DataFrame:
        """Return a study."""
        k, n = len(self.odds), self.n
        of_models = np.array(self.odds) + self.adds(rng, self.of_items, (n, 1)) + self.adds(rng, self.own, (n, k))
        frame = {"item": np.arange(n)}
        if self.passages:
            shares = 1 / np.arange(1, self.passages + 1) if self.uneven else np.ones(self.passages)
            sizes = 1 + np.floor((n - self.passages) * shares / shares.sum() + 1e-9).astype(int)
            sizes[0] += n - sizes.sum()
            frame["passage"] = np.repeat(np.arange(self.passages), sizes)
            of_models += self.adds(rng, self.of_passages, (self.passages, k))[frame["passage"]]
        if self.benchmarks:
            frame["benchmark"] = np.arange(n) * len(self.benchmarks) // n
            of_models += np.array(self.benchmarks)[frame["benchmark"]][:, None]
        shape = (n, k, self.samples)
        if self.steps == 1:
            scores = (rng.random(shape) < expit(of_models)[:, :, None]).astype(float)
        elif self.steps:
            scores = rng.binomial(self.steps, expit(of_models)[:, :, None], shape) / self.steps
        else:
            scores = expit(of_models[:, :, None] + rng.normal(0, 0.5, shape)) ** self.power
        at = np.indices(shape).reshape(3, -1)
        table = {name: column[at[0]] for name, column in frame.items()}
        names = np.array([f"m{m:02d}" for m in range(k)])
        found = pd.DataFrame({"model": names[at[1]], **table, "sample": at[2], "score": scores.ravel()})
        return found[at[2] < rng.integers(1, self.samples + 1, (n, k))[at[0], at[1]]] if self.unequal else found

    def adds(self, rng: np.random.Generator, sd: float, shape: int | tuple[int, ...]) -> np.ndarray:
        """Return what items, or others, add to log-odds."""
        return sd / np.sqrt(3) * rng.standard_t(3, shape) if self.heavy else rng.normal(0, sd, shape)

    def truth(self) -> np.ndarray:
        """Return the mean score of each model over endless items."""
        if self.heavy:
            sds = (self.of_items, self.own, bool(self.passages) * self.of_passages)
            drawn = np.sum([self.adds(np.random.default_rng([3, i]), sd, MANY) for i, sd in enumerate(sds)], axis=0)
            return np.array([expit(np.concatenate([odds + drawn, odds - drawn])).mean() for odds in self.odds])
        spread = np.sqrt(
            self.of_items**2 + self.own**2 + bool(self.passages) * self.of_passages**2 + (not self.steps) * 0.25
        )
        add = np.array(self.benchmarks or (0.0,))
        shares = expit(np.array(self.odds)[:, None, None] + add[:, None] + spread * NODES) ** self.power
        return (shares @ WEIGHTS / WEIGHTS.sum()).mean(axis=1)


FIVE = (1.2, 1.0, 0.9, 0.4, -0.3)
HIGH = (5.0, 4.8, 4.5, 4.0)
WORLDS = {
    "200 items of 40 passages, two samples": World(FIVE, samples=2, passages=40),
    "the same, all models equal": World((0.8,) * 5, samples=2, passages=40),
    "1,000 items": World(FIVE, 1000),
    "30 items": World(FIVE, 30),
    "30 items, all models equal": World((0.8,) * 5, 30),
    "accuracies of .94 to .98, 100 items": World(HIGH, 100),
    "accuracies of .94 to .98, 30 items": World(HIGH, 30),
    "accuracies of .94 to .97, 160 items of 8 passages": World(HIGH, 160, passages=8),
    "160 items of 8 passages, two samples": World(FIVE, 160, 2, 8),
    "the same, models alike within passages": World(FIVE, 160, 2, 8, of_passages=1.5),
    "200 items of 20 uneven passages": World(FIVE, passages=20, uneven=True),
    "items decide nearly everything, 200": World(FIVE, of_items=5.0, own=0.2),
    "graded, skewed, 50 items": World((0.5, 0.2, 0.0, -0.5), 50, steps=0, power=4.0),
    "20 models, 300 items": World(tuple(np.linspace(1.5, -0.5, 20)), 300),
    "300 items of three benchmarks": World(FIVE, 300, benchmarks=(1.5, 0.0, -1.5)),
    # not looked at before the method was final
    "260 items of 26 passages, two samples, four models": World(
        (2.0, 1.7, 1.6, 0.6), 260, 2, 26, of_items=1.0, of_passages=1.2, own=1.0
    ),
    "260, all models equal": World((1.0,) * 4, 260, 2, 26, of_items=1.0, of_passages=1.2, own=1.0),
    "150 items of 15 uneven passages, t3, 1 to 4 samples, seven models": World(
        (1.5, 1.3, 1.2, 1.0, 0.5, 0.0, -0.5), 150, 4, 15, True, 1.2, 0.8, 0.8, heavy=True, unequal=True
    ),
    "150, all models equal": World((0.3,) * 7, 150, 4, 15, True, 1.2, 0.8, 0.8, heavy=True, unequal=True),
    "80 items of 10 passages, t3, graded in quarters, two samples": World(
        (1.0, 0.8, 0.6, 0.2, -0.4), 80, 2, 10, False, 0.8, 0.6, 0.8, steps=4, heavy=True
    ),
    "90 items, t3": World((1.0, 0.8, 0.6, 0.2, -0.4), 90, own=0.8, heavy=True),
}


def measured(world: World, studies: int, seed: int) -> Iterator[dict[str, float]]:
    """Yield what each study got right."""
    true = pd.Series(world.truth(), [f"m{m:02d}" for m in range(len(world.odds))])
    best = true.index[np.isclose(true, true.max())]
    ahead = {name: int((true > true[name] + 1e-9).sum()) for name in true.index}
    level = {name: int((true >= true[name] - 1e-9).sum()) for name in true.index}
    options = {"sample": "sample", "cluster": "passage" if world.passages else None}
    options |= {"benchmark": "benchmark"} if world.benchmarks else {}
    for study in range(studies):
        answers = world.answers(np.random.default_rng([seed, study]))
        found = gx.fields.items(answers, rng=study, **options)
        models, pairs = found.models, found.pairs
        of_each = true[models.index]
        gap = true[pairs["first"]].to_numpy() - true[pairs["second"]].to_numpy()
        different = np.abs(gap) > 1e-9
        wrong = (pairs["p_adjusted"] <= 0.05) & (np.sign(pairs["estimate"]) * gap < 1e-9)
        yield {
            "models": ((models["low"] <= of_each) & (of_each <= models["high"])).mean(),
            "worst": ((models["low"] <= of_each) & (of_each <= models["high"]))[best[0]],
            "pairs": ((pairs["low"] <= gap) & (gap <= pairs["high"])).mean(),
            "wrong": bool(wrong.any()),
            "holds the best": models.loc[best, "may_be_best"].mean(),
            "ranks": all(r.rank_low <= level[m] and ahead[m] + 1 <= r.rank_high for m, r in models.iterrows()),
            "may be best": float(models["may_be_best"].sum()),
            "told": (pairs["p_adjusted"] <= 0.05)[different].mean(),
            "margin": (pairs["high"] - pairs["low"]).mean() / 2,
        }


def main() -> None:
    """Print a row for each world."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--world", default="")
    asked = parser.parse_args()
    for name, world in WORLDS.items():
        if not re.search(asked.world, name):
            continue
        start = time.process_time()
        row = pd.DataFrame(measured(world, asked.studies, asked.seed)).mean()
        print(
            f"{name}: models {row['models']:.3f} (best one {row['worst']:.3f}), pairs {row['pairs']:.3f}, "
            f"wrong {row['wrong']:.3f}, best {row['holds the best']:.3f} of {row['may be best']:.1f}, "
            f"ranks {row['ranks']:.3f}; told {row['told']:.2f}, margin {row['margin']:.3f} "
            f"({time.process_time() - start:.0f} s; {world.truth().min():.3f} to {world.truth().max():.3f})",
            flush=True,
        )


if __name__ == "__main__":
    main()
