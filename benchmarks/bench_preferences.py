"""How often are strengths, sets of ranks and agreement of panels right? Votes from worlds with known strengths.

The truth is the Bradley-Terry model that fits endless votes best, found here by Newton's method from the probabilities.
Usage: python benchmarks/bench_preferences.py [--studies 1000] [--seed 1] [--world NAME]
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import expit

import genexpy_nb as gx

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(41)
MANY = 400_000  # draws that show the truth, where tails are heavy


@dataclass(frozen=True)
class World:
    """Votes on pairs; judges and prompts like some models more than others do."""

    strengths: np.ndarray
    n_votes: int
    shares: np.ndarray  # how often each model is shown
    judges: int = 0
    prompts: int = 0
    taste: float = 0.4  # standard deviation of what a judge, or prompt, adds to the strength of a model
    ties: float = 0.15
    alike: bool = False  # so many ties only where both are as likely to win, fewer elsewhere
    heavy: bool = False  # tastes have Student's t with three degrees of freedom
    position: float = 0.0
    uneven: bool = False  # judges: half of the votes are by a few
    cluster: tuple[str, ...] = ()

    def votes(self, rng: np.random.Generator) -> pd.DataFrame:
        """Return a panel."""
        k, n = len(self.strengths), self.n_votes
        pairs = [(i, j) for i in range(k) for j in range(k) if i != j]
        chosen = rng.choice(len(pairs), n, p=self.weights())
        one, other = np.array(pairs)[chosen].T
        odds = self.strengths[one] - self.strengths[other] + self.position
        frame = pd.DataFrame({"model_a": one, "model_b": other}).map("m{:02d}".format)
        for name, size in (("judge", self.judges), ("prompt", self.prompts)):
            if size:
                weight = 1 / np.arange(1, size + 1) if self.uneven else np.ones(size)
                level = rng.choice(size, n, p=weight / weight.sum())
                taste = self.tastes(rng, (size, k))
                odds = odds + taste[level, one] - taste[level, other]
                frame[name] = level
        won = np.where(rng.random(n) < expit(odds), "model_a", "model_b")
        return frame.assign(winner=np.where(rng.random(n) < self.tied(expit(odds)), "tie", won))

    def tastes(self, rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        """Return what judges, or prompts, add to strengths."""
        return self.taste / np.sqrt(3) * rng.standard_t(3, shape) if self.heavy else rng.normal(0, self.taste, shape)

    def tied(self, won: np.ndarray) -> np.ndarray:
        """Return how often votes are ties, given how likely the first one wins."""
        return self.ties * (4 * won * (1 - won) if self.alike else np.ones_like(won))

    def weights(self) -> np.ndarray:
        """Return how often each ordered pair is shown."""
        each = np.outer(self.shares, self.shares)[~np.eye(len(self.shares), dtype=bool)]
        return each / each.sum()

    def truth(self) -> np.ndarray:
        """Return the strengths that endless votes show."""
        k = len(self.strengths)
        kinds = bool(self.judges) + bool(self.prompts)
        added, often = self.taste * np.sqrt(2 * kinds) * NODES, WEIGHTS
        if self.heavy:
            drawn = self.tastes(np.random.default_rng(5), (2 * kinds, MANY))
            added = (drawn[:kinds] - drawn[kinds:]).sum(axis=0)
            added, often = np.concatenate([added, -added]), np.ones(2 * MANY)
        design = np.array([np.eye(k)[i] - np.eye(k)[j] for i in range(k) for j in range(k) if i != j])
        odds = design @ self.strengths + self.position
        each = [expit(one + added) for one in odds]
        won = np.array([(self.tied(p) / 2 + (1 - self.tied(p)) * p) @ often / often.sum() for p in each])
        weight, found = self.weights(), np.zeros(k)
        for _ in range(50):
            p = expit(design @ found)
            step = np.linalg.pinv(design.T @ (design * (weight * p * (1 - p))[:, None]))
            found = found + step @ (design.T @ (weight * (won - p)))
        return found


EVEN8, EVEN20 = np.ones(8), np.ones(20)
SPREAD8 = np.linspace(0.5, -0.5, 8)
SIX = np.array([0.5, 0.4, 0.3, 0, -0.4, -0.8])
TEN = np.array([0.55, 0.45, 0.42, 0.3, 0.1, 0, -0.2, -0.4, -0.5, -0.72])
TWO_IN_FRONT = np.array([0.3, 0.25, 0.1, 0, -0.1, -0.15, -0.2, -0.2])
WORLDS = {
    "2,000 votes, 8 models, no groups": World(SPREAD8, 2000, EVEN8),
    "2,000 votes, 8 models, 50 judges": World(SPREAD8, 2000, EVEN8, judges=50, cluster=("judge",)),
    "the same, two nearly equal in front": World(TWO_IN_FRONT, 2000, EVEN8, judges=50, cluster=("judge",)),
    "the same, all equal": World(np.zeros(8), 2000, EVEN8, judges=50, cluster=("judge",)),
    "2,000 votes, 400 prompts": World(SPREAD8, 2000, EVEN8, prompts=400, taste=0.8, cluster=("prompt",)),
    "50 judges and 100 prompts": World(SPREAD8, 2000, EVEN8, 50, 100, cluster=("judge", "prompt")),
    "five judges": World(SPREAD8, 2000, EVEN8, judges=5, cluster=("judge",)),
    "200 votes, 8 models": World(SPREAD8, 200, EVEN8),
    "20 models, unbalanced": World(np.linspace(0.8, -0.8, 20), 2000, 1 / np.arange(1, 21)),
    "12 models, 20 uneven judges, first preferred": World(
        np.linspace(0.4, -0.4, 12),
        1500,
        1 / np.sqrt(np.arange(12, 0, -1)),
        20,
        position=0.3,
        uneven=True,
        cluster=("judge",),
    ),
    # not looked at before the method was final
    "six models, 400 votes, 12 uneven judges with strong tastes": World(
        np.array([0.6, 0.3, 0.2, 0, -0.4, -0.7]),
        400,
        np.array([4, 1, 2, 1, 1, 3]),
        12,
        taste=0.6,
        uneven=True,
        cluster=("judge",),
    ),
    "15 models, 600 votes on 60 prompts, few ties": World(
        np.sort(np.random.default_rng(5).normal(0, 0.5, 15))[::-1],
        600,
        np.ones(15),
        prompts=60,
        taste=0.5,
        ties=0.03,
        cluster=("prompt",),
    ),
    # of a later round, not looked at before either
    "six models, 900 votes, five judges, a quarter ties": World(
        SIX, 900, np.ones(6), 5, taste=0.5, ties=0.25, cluster=("judge",)
    ),
    "six models, 900 votes, five uneven judges, t3, a quarter ties": World(
        SIX, 900, np.ones(6), 5, taste=0.5, ties=0.25, heavy=True, uneven=True, cluster=("judge",)
    ),
    "six equal models, 900 votes, five uneven judges, t3": World(
        np.zeros(6), 900, np.ones(6), 5, taste=0.5, ties=0.25, heavy=True, uneven=True, cluster=("judge",)
    ),
    "ten models, 2,000 votes, 40 judges and 150 prompts": World(
        TEN, 2000, np.linspace(2, 1, 10), 40, 150, 0.45, 0.3, position=0.2, cluster=("judge", "prompt")
    ),
    "ten models, 40 uneven judges and 150 prompts, t3, ties where alike": World(
        TEN, 2000, np.linspace(2, 1, 10), 40, 150, 0.45, 0.5, True, True, 0.2, True, ("judge", "prompt")
    ),
    # many panels have models that won or lost all votes against others
    "strong and weak models, 60 votes": World(np.array([0, -0.2, -3, -3.2, -8, -8.1]), 60, np.ones(6), ties=0.0),
    "the same, 100 votes": World(np.array([0, -0.5, -1, -6, -7]), 100, np.ones(5), ties=0.0),
}


def measured(world: World, studies: int, seed: int) -> Iterator[dict[str, float]]:
    """Yield what each panel got right."""
    truth, k = world.truth(), len(world.strengths)
    names = list(map("m{:02d}".format, range(k)))
    true = pd.Series(truth, names)
    best = true.index[np.isclose(true, true.max())]
    ahead = {name: int((true > true[name] + 1e-9).sum()) for name in names}
    level = {name: int((true >= true[name] - 1e-9).sum()) for name in names}
    for study in range(studies):
        votes = world.votes(np.random.default_rng([seed, study]))
        found = gx.fields.preferences(votes, cluster=list(world.cluster) or None, rng=study)
        models = found.models[found.models["estimate"].notna()]
        inside = (models["low"] <= true[models.index]) & (true[models.index] <= models["high"])
        pairs = found.pairs
        gap = true[pairs["first"]].to_numpy() - true[pairs["second"]].to_numpy()
        wrong = (pairs["p_adjusted"] <= 0.05) & (np.sign(pairs["estimate"]) * gap < 1e-9)
        yield {
            "strengths": inside.mean(),
            "pairs": ((pairs["low"] <= gap) & (gap <= pairs["high"])).mean(),
            "wrong": bool(wrong.any()),
            "holds the best": found.models.loc[best, "may_be_best"].mean(),
            "ranks": all(
                row.rank_low <= level[name] and ahead[name] + 1 <= row.rank_high
                for name, row in found.models.iterrows()
            ),
            "width": float(found.models["may_be_best"].sum()),
            "first": found.models.index[0],
            "agreement": found.agreement["estimate"],
            "low": found.agreement["low"],
            "high": found.agreement["high"],
            "aside": float(len(found.models) - len(models)),
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
        found = pd.DataFrame(measured(world, asked.studies, asked.seed))
        same = float((found["first"].value_counts(normalize=True) ** 2).sum())
        same = (same * asked.studies - 1) / (asked.studies - 1)  # of two different panels
        held = ((found["low"] <= same + 1e-9) & (same <= found["high"] + 1e-9)).mean()
        means = found.drop(columns=["first"]).mean()
        print(
            f"{name}: strengths {means['strengths']:.3f}, pairs {means['pairs']:.3f}, wrong {means['wrong']:.3f}, "
            f"best {means['holds the best']:.3f} of {means['width']:.1f}, ranks {means['ranks']:.3f}; "
            f"same first {same:.2f}, estimate {means['agreement']:.2f}, interval {held:.3f} "
            f"[{means['low']:.2f}, {means['high']:.2f}]; aside {means['aside']:.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
