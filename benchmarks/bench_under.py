"""How often does `Study.under` hold? Studies from worlds whose prompts, judges, tasks and families vary as we say.

Each line of it has a truth of its own: what endless levels of what is drawn anew would show, with the levels of this
study for all that is not. For mean ranks that is a sum of normal probabilities.
Usage: python benchmarks/bench_under.py [--studies 500] [--seed 1] [--world NAME] [--by score]
"""

from __future__ import annotations

import argparse
import re
import time
from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy.special import expit, ndtr

from genexpy_nb.conclusions.contenders import rows_of
from genexpy_nb.fields import comparing
from genexpy_nb.fields.repeating import Runs, means_over, under_each

comparing._DRAWS = comparing._FEWEST_DRAWS = 499  # for speed
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(41)
AGREED = 5  # of so many studies one is asked for the probability of the same winner
#: What a component varies with: the first one redraws it, and so does what that is nested in.
FACTORS = {"F": "f", "T": "tf", "P": "p", "J": "j", "TP": "tfp", "TJ": "tfj", "PJ": "pj", "S": "stf", "E": "stfpj"}


@dataclass(frozen=True)
class World:
    """Scores of alternatives on tasks (in families), with prompts, by judges, in runs; deviations by letter."""

    means: tuple[float, ...]
    sizes: dict[str, int]  # seeds, prompts, judges, tasks, families
    sd: dict[str, float] = field(default_factory=dict)
    binary: bool = False

    def drawn(self, rng: np.random.Generator) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Return scores, shape (tasks, prompts, judges, runs, k), and what they are made of."""
        n, k = self.sizes, len(self.means)
        t, p, j, s, f = (n.get(name, 1) for name in ("task", "prompt", "judge", "seed", "family"))
        shapes = {"T": (t, 1, 1, 1), "P": (1, p, 1, 1), "J": (1, 1, j, 1), "TP": (t, p, 1, 1), "TJ": (t, 1, j, 1)}
        shapes |= {"PJ": (1, p, j, 1), "S": (t, 1, 1, s), "E": (t, p, j, s)}
        parts = {name: rng.normal(0, self.sd.get(name, 0.0), (*shape, k)) for name, shape in shapes.items()}
        parts["F"] = rng.normal(0, self.sd.get("F", 0.0), (f, k))[np.arange(t) * f // t][:, None, None, None]
        scores = np.array(self.means) + sum(parts.values())
        if self.binary:
            scores = (rng.random(scores.shape) < expit(scores)).astype(float)
        return scores, parts

    def truth(self, parts: dict[str, np.ndarray], anew: str, by: str) -> tuple[np.ndarray, float]:
        """Return what is true of each alternative, higher is better, and the error of means of such a study."""
        kept = [name for name, factors in FACTORS.items() if not set(factors) & set(anew)]
        fixed = np.array(self.means) + sum(parts[name] for name in kept) + np.zeros((1, 1, 1, 1, len(self.means)))
        new = [name for name in FACTORS if name not in kept]
        spread = np.sqrt(sum(self.sd.get(name, 0.0) ** 2 for name in new))
        count = {"f": "family", "t": "task", "p": "prompt", "j": "judge", "s": "seed"}
        inside = {"S": "st", "E": "stpj", "T": "t", "TP": "tp", "TJ": "tj"}
        n = {name: np.prod([self.sizes.get(count[c], 1) for c in inside.get(name, FACTORS[name])]) for name in new}
        error = np.sqrt(sum(self.sd.get(name, 0.0) ** 2 / n[name] for name in new))
        if by == "rank":
            gaps = (fixed[..., None] - fixed[..., None, :]) / (np.sqrt(2) * max(spread, 1e-12))
            return ndtr(gaps).mean(axis=(0, 1, 2, 3)).sum(axis=1), error
        if self.binary:
            fixed = expit(fixed[..., None] + spread * NODES) @ WEIGHTS / WEIGHTS.sum()
        return fixed.mean(axis=(0, 1, 2, 3)), error

    def runs(self, scores: np.ndarray, by: str) -> Runs:
        """Return what `Study.under` makes of scores."""
        at = np.indices(scores.shape[:-1]).reshape(4, -1)
        levels = dict(zip(("task", "prompt", "judge", "seed"), at, strict=True))
        levels["family"] = levels["task"] * self.sizes.get("family", 1) // self.sizes["task"]
        levels = {name: level for name, level in levels.items() if self.sizes.get(name, 1) > 1}
        return Runs(levels, rows_of(scores.reshape(-1, scores.shape[-1]), by, True))


SIX, EQUAL = (0.5, 0.4, 0.3, 0.0, -0.2, -0.5), (0.0,) * 6
USUAL = {"T": 0.4, "P": 0.2, "J": 0.2, "TP": 0.2, "TJ": 0.2, "PJ": 0.1, "S": 0.3, "E": 0.5}
FIVE_JUDGES = {"seed": 2, "prompt": 3, "judge": 5, "task": 20}
#: The first ones were looked at while the method was chosen, the others were not.
WORLDS = {
    "tried: 20 tasks, 3 prompts, 5 judges, 2 seeds": World(SIX, FIVE_JUDGES, USUAL),
    "tried: the same, all equal": World(EQUAL, FIVE_JUDGES, USUAL),
    "tried: judges decide": World(SIX, {"judge": 5, "task": 40}, {"J": 0.4, "T": 0.2, "E": 0.5}),
    "24 tasks, 4 prompts, 5 judges, 3 seeds": World(
        SIX, {"seed": 3, "prompt": 4, "judge": 5, "task": 24}, USUAL | {"P": 0.3, "J": 0.15}
    ),
    "five judges, 30 tasks, all equal": World((0.0,) * 8, {"judge": 5, "task": 30}, {"J": 0.3, "T": 0.3, "E": 0.6}),
    "five judges who hardly differ, 50 tasks": World(SIX, {"judge": 5, "task": 50}, {"J": 0.03, "T": 0.5, "E": 0.7}),
    "two prompts, three judges, 12 tasks": World(SIX, {"prompt": 2, "judge": 3, "task": 12}, USUAL),
    "30 tasks of 6 families, 3 seeds, 5 judges": World(
        SIX, {"seed": 3, "judge": 5, "task": 30, "family": 6}, USUAL | {"F": 0.4}
    ),
    "26 games, 5 seeds": World(SIX, {"seed": 5, "task": 26}, {"T": 0.8, "S": 0.6}),
    "right or wrong, 40 tasks, 4 samples, 5 judges": World(
        (0.8, 0.6, 0.2, 0.0), {"seed": 4, "judge": 5, "task": 40}, {"T": 1.0, "J": 0.3, "TJ": 0.3, "S": 0.5}, True
    ),
    "15 alternatives, 5 prompts, 30 tasks": World(
        tuple(np.linspace(1, -1, 15)), {"prompt": 5, "task": 30}, {"T": 0.5, "P": 0.3, "TP": 0.3, "E": 0.4}
    ),
}
LETTERS = {"seed": "s", "prompt": "p", "judge": "j", "task": "t", "family": "f"}


def same_winner(truth: np.ndarray, error: float, rng: np.random.Generator) -> float:
    """Return how often two studies have the same winner, if means are normal and independent."""
    first = (truth + rng.normal(0, error, (2000, len(truth)))).argmax(axis=1)
    return float(((np.bincount(first, minlength=len(truth)) / len(first)) ** 2).sum())


def main() -> None:
    """Print a row for each world and each kind of repetition."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--studies", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--world", default="")
    parser.add_argument("--by", default="score")
    asked = parser.parse_args()
    for at, (name, world) in enumerate(WORLDS.items()):
        if not re.search(asked.world, name) or (world.binary and asked.by == "rank"):
            continue
        start, rows = time.process_time(), defaultdict(list)
        factors = [each for each in LETTERS if world.sizes.get(each, 1) > 1]
        repeated = [factors[: n + 1] for n in range(len(factors))]
        outer = {"seed": ("task", "family"), "task": ("family",)}
        nests = {each: [name for name in outer.get(each, ()) if name in factors] for each in factors}
        for number in range(asked.studies):
            rng = np.random.default_rng([asked.seed, at, number])
            scores, parts = world.drawn(rng)
            runs = world.runs(scores, asked.by)
            order = np.argsort(-means_over(runs, [], nests).values[0])
            runs = Runs(runs.levels, runs.values[:, order])
            agreed = asked.by == "score" and not world.binary and number % AGREED == 0
            each = under_each(runs, repeated, nests, factors[-1:], 0.05, 0.95 if agreed else None, number)
            for anew, (found, again, freedom) in zip(repeated, each, strict=True):
                true, error = world.truth(parts, "".join(LETTERS[each] for each in anew), asked.by)
                of_each, (low, high) = true[order], found.places()
                best = np.isclose(of_each, of_each.max())
                above = (of_each[:, None] < of_each - 1e-9).sum(axis=1)
                level = (of_each[:, None] <= of_each + 1e-9).sum(axis=1)
                result = {"best": found.contend[best].mean(), "of": found.contend.sum(), "freedom": freedom}
                result["ranks"] = bool(((low <= level) & (above + 1 <= high)).all())
                wrong = found.better & (of_each[:, None] <= of_each + 1e-9)
                result |= {"false": bool(wrong.any()), "told": found.better.sum()}
                if agreed:
                    true_again = same_winner(of_each, error, rng)
                    result |= {"again": true_again, "held": again[1] - 0.01 <= true_again <= again[2] + 0.01}
                    result |= dict(zip(("estimate", "low", "high"), again, strict=True))
                rows[" ".join(anew)].append(result)
        print(f"{name} ({time.process_time() - start:.0f} s)", flush=True)
        for anew, results in rows.items():
            print(
                f"    {anew}: " + ", ".join(f"{k} {v:.3f}" for k, v in pd.DataFrame(results).mean().items()), flush=True
            )


if __name__ == "__main__":
    main()
