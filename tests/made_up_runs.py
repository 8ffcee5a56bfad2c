"""Runs of systems that nobody has to train: effects that are known, and tables of losses turned into runs."""

from itertools import product

import numpy as np
import pandas as pd

from genexpy_nb.causal import PipelinePopulation, Runs

POPULATION = PipelinePopulation({"method": ["A", "B"], "u": [0, 1, 2, 3], "w": ["p", "q"]})
COMPARISON = POPULATION.compare("method", "A", "B")

#: Approaches with one variable and with three.
APPROACHES = {"small": {"s": ["p", "q"]}, "large": {"l1": ["p", "q", "r"], "l2": [0, 1], "l3": [0.5, 1.5]}}


def known(combination, seed):
    """Effect of A: -0.1 at u = 0 to +0.2 at u = 3, +0.05 on average, whatever w is; noise shared by A and B and not."""
    own = np.random.default_rng([seed, combination["method"] == "A"]).normal()
    level = 0.5 * (combination["w"] == "q") + np.random.default_rng(seed).normal()
    effect = (combination["u"] - 1) * 0.1 * (combination["method"] == "A")
    return {"loss": level + effect + 0.05 * own, "double": 2 * (level + effect + 0.05 * own)}


def runs_of(d, design="paired", compositions="own", b=None, clusters=None):
    """Runs with given effects, shape (n_systems, n_compositions), and losses under b, 0 by default."""
    d = np.atleast_2d(np.asarray(d, dtype=float))
    s, c = d.shape
    b = np.zeros_like(d) if b is None else b
    rows = []
    for i, j in product(range(s), range(c)):
        composition = j if compositions == "shared" else i * c + j
        extra = {"v": f"level {i % 3}" if clusters is None else clusters[i], "error_message": ""}
        rows += [
            {"system": i, "composition": composition, "method": m, "loss": x, **extra}
            for m, x in (("A", d[i, j] + b[i, j]), ("B", b[i, j]))
        ]
    frame = pd.DataFrame(rows)
    if design == "independent":
        frame = frame[(frame["system"] % 2 == 0) == (frame["method"] == "A")].reset_index(drop=True)
    return Runs(frame, ("loss",), "t", "A", "B", design, ("v",), compositions)


def with_failures(runs, *failed):
    """The same runs, but some (system, method) failed."""
    frame = runs.frame.copy()
    for system, method in failed:
        rows = (frame["system"] == system) & (frame["method"] == method)
        frame.loc[rows, list(runs.losses)] = np.nan
        frame.loc[rows, "error_message"] = "ValueError: no"
    return Runs(frame, runs.losses, runs.treatment, runs.a, runs.b, runs.design, runs.variables, runs.compositions)


def known_error(combination, seed):
    """An error that depends on everything, and on nothing else."""
    text = repr([*sorted(combination.items(), key=str), seed])
    return {"error": np.random.default_rng(list(text.encode())).random()}


class Keyed:
    """An evaluation that says what its results depend on; broken, it can only be used with results that are saved."""

    def __init__(self, key="this one", broken=False):
        self.key, self.broken = key, broken

    def __call__(self, combination, seed):
        """Return a made-up error."""
        if self.broken:
            raise RuntimeError("ran again")
        return known_error(combination, seed)
