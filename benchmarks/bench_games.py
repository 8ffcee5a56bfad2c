"""How often do intervals hold and contenders hold the best? Runs on games, from worlds with known truth.

Usage: python benchmarks/bench_games.py [--studies 1000] [--seed 1] [--world NAME]
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import trim_mean

import genexpy_nb as gx
from genexpy_nb.fields import seeds

MANY, RUNS = 200_000, 1_000  # games, and runs on each of some games, that show the truth
seeds._DRAWS, seeds._THRESHOLDS = 800, 3  # for speed


@dataclass(frozen=True)
class World:
    """Algorithms on games: a score is a level of the game, times a skill of the algorithm there, and noise."""

    n_games: int = 26
    n_seeds: int = 5
    skills: tuple[float, ...] = (0.15, 0.1, 0.0, -0.15)
    games: float = 0.6  # standard deviation of the logarithm of levels of games
    interaction: float = 0.3  # of the skill of one algorithm on one game
    odd: float = 0.0  # how often an interaction is three times as large
    noise: float = 0.25  # of runs, as a share of the level
    tails: str = "normal"
    collapse: float = 0.0  # probability that a run learns nothing

    def levels(self, n_games: int, rng: np.random.Generator) -> np.ndarray:
        """Return what algorithms reach on games on average, shape (algorithms, games)."""
        level = np.exp(rng.normal(-0.5, self.games, n_games))
        skill = rng.normal(0, self.interaction, (len(self.skills), n_games))
        if self.odd:
            skill *= np.where(rng.random(skill.shape) < self.odd, 3, 1)
        return level * np.exp(np.array(self.skills)[:, None] + skill)

    def runs(self, levels: np.ndarray, n_seeds: int, rng: np.random.Generator) -> np.ndarray:
        """Return scores, shape (algorithms, games, seeds)."""
        shape = (*levels.shape, n_seeds)
        noise = rng.standard_t(3, shape) if self.tails == "t3" else rng.standard_normal(shape)
        noise = np.expm1(noise) if self.tails == "lognormal" else noise
        return levels[..., None] * (1 + self.noise * noise) * (rng.random(shape) >= self.collapse)


FIVE = (0.25, 0.2, 0.1, 0.0, -0.2)
WORLDS = {
    "26 games, 5 seeds": World(),
    "26 games, 3 seeds": World(n_seeds=3),
    "26 games, 10 seeds": World(n_seeds=10),
    "heavy tails (t3), 5 seeds": World(tails="t3"),
    "skewed (lognormal), 5 seeds": World(tails="lognormal"),
    "a tenth of runs collapse, 5 seeds": World(collapse=0.1),
    "one game counts for most, 5 seeds": World(games=1.8),
    "10 games, 3 seeds": World(n_games=10, n_seeds=3),
    "26 games, 5 seeds, all equal": World(skills=(0.0,) * 4),
    # not looked at before the method was final
    "16 games, 4 seeds, 6 algorithms, collapses and t3": World(
        16, 4, tuple(np.linspace(0.3, -0.3, 6)), 0.9, 0.4, 0.0, 0.3, "t3", 0.05
    ),
    "6 games, 8 seeds, 3 algorithms": World(6, 8, (0.2, 0.1, 0.0), 0.4, 0.15, noise=0.2),
    "26 games, 5 seeds, 5 algorithms, other numbers": World(26, 5, FIVE, 0.8, 0.4, noise=0.4),
    "the same, a tenth of skills odd, collapses and t3": World(26, 5, FIVE, 0.8, 0.3, 0.1, 0.3, "t3", 0.05),
}


def measures(scores: np.ndarray) -> dict[str, np.ndarray]:
    """Return what is measured of runs, shape (algorithms, games, seeds)."""
    flat = scores.reshape(len(scores), -1)
    return {
        "IQM": trim_mean(flat, 0.25, axis=1),
        "mean": flat.mean(axis=1),
        "median": np.median(scores.mean(axis=2), axis=1),
        "optimality gap": 1 - np.minimum(flat, 1).mean(axis=1),
    }


def improvements(scores: np.ndarray) -> np.ndarray:
    """Return how often runs of one are ahead of runs of another."""
    turned = [np.roll(scores, shift, axis=2) for shift in range(3)]
    return np.mean([[[np.mean((x > y) + 0.5 * (x == y)) for y in each] for x in scores] for each in turned], axis=0)


def percentile(scores: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the interval of percentiles of interquartile means, as the paper has it."""
    drawn = rng.integers(0, scores.shape[1], (400, *scores.shape))
    again = trim_mean(np.take_along_axis(scores[None], drawn, axis=2).reshape(400, -1), 0.25, axis=1)
    return np.quantile(again, [0.025, 0.975])


def measured(world: World, studies: int, seed: int) -> Iterator[dict[str, float]]:
    """Yield what each study got right."""
    names = [f"a{i}" for i in range(len(world.skills))]
    index = pd.MultiIndex.from_product([names, range(world.n_games), range(world.n_seeds)])
    index.names = ["algorithm", "game", "seed"]
    rng = np.random.default_rng([seed, 0])
    many = world.levels(MANY, rng)
    wide = world.runs(many, 2, rng)
    of_all, ahead_in_all = measures(wide), improvements(wide)
    of_all["median"] = np.median(many * (1 - world.collapse) * _mean_of(world), axis=1)
    skills = pd.Series(world.skills, names)
    for study in range(studies):
        rng = np.random.default_rng([seed, 1, study])
        levels = world.levels(world.n_games, rng)
        runs = world.runs(levels, RUNS, rng)
        of_these, ahead = measures(runs), improvements(runs)
        of_these["median"] = np.median(levels * (1 - world.collapse) * _mean_of(world), axis=1)
        scores = world.runs(levels, world.n_seeds, rng)
        found = gx.fields.games(pd.Series(scores.ravel(), index, name="score").reset_index(), rng=study)
        row = {f"these {m}": held for m, held in held_by(found.measures, of_these, names, "")}
        row["these improvement"] = of_pairs(found.pairs, ahead, names, "")
        row["percentiles of IQM"] = np.mean(
            [a <= true <= b for true, (a, b) in zip(of_these["IQM"], (percentile(s, rng) for s in scores), strict=True)]
        )
        row |= {f"other {m}": held for m, held in held_by(found.measures, of_all, names, "games_")}
        row["other improvement"] = of_pairs(found.pairs, ahead_in_all, names, "games_")
        ranked = found.algorithms
        row["best"] = ranked.loc[skills.index[skills == skills.max()], "may_be_best"].mean()
        row["contenders"] = float(ranked["may_be_best"].sum())
        row["ranks"] = all(
            place.rank_low <= (skills >= skills[name]).sum() and (skills > skills[name]).sum() < place.rank_high
            for name, place in ranked.iterrows()
        )
        gap = skills[found.pairs["first"]].to_numpy() - skills[found.pairs["second"]].to_numpy()
        row["wrong"] = bool(((found.pairs["p_adjusted"] <= 0.05) & (gap <= 0)).any())
        row["of games"] = ranked["of_games"].mean()
        yield row


def _mean_of(world: World) -> float:
    return 1 + world.noise * (np.exp(0.5) - 1) if world.tails == "lognormal" else 1.0


def held_by(
    frame: pd.DataFrame, truth: dict[str, np.ndarray], names: list[str], of: str
) -> Iterator[tuple[str, float]]:
    """Yield for each measure which share of intervals holds the truth."""
    for measure, rows in frame.groupby("measure"):
        true = pd.Series(truth[measure], names)[rows["algorithm"]].to_numpy()
        yield measure, float(((rows[f"{of}low"] <= true) & (true <= rows[f"{of}high"])).mean())


def of_pairs(pairs: pd.DataFrame, truth: np.ndarray, names: list[str], of: str) -> float:
    """Return which share of intervals of probabilities of improvement holds the truth."""
    table = pd.DataFrame(truth, names, names)
    true = np.array([table.at[a, b] for a, b in zip(pairs["first"], pairs["second"], strict=True)])
    return float(((pairs[f"{of}low"] <= true) & (true <= pairs[f"{of}high"])).mean())


def main() -> None:
    """Print a row for each world."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--world", default="")
    asked = parser.parse_args()
    for name, world in WORLDS.items():
        if re.search(asked.world, name):
            means = pd.DataFrame(measured(world, asked.studies, asked.seed)).astype(float).mean()
            print(f"{name}: " + ", ".join(f"{what} {mean:.3f}" for what, mean in means.items()), flush=True)


if __name__ == "__main__":
    main()
