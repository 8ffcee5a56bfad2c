"""The papers' running example, checkmate in one: models that find the mating move in a position, or do not.

The papers give no probabilities. Here each model finds the mate in a position with a probability of its own,
independently of the others, which is an assumption made to have a distribution of results that is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from genexpy_nb.common.checks import check_count
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.random import generator
from genexpy_nb.common.rankings import rank_scores
from genexpy_nb.generalization.exact import exact_generalizability, exact_nstar
from genexpy_nb.generalization.samplers import RankingDistribution
from genexpy_nb.generalization.simulation import definition
from genexpy_nb.generalization.theory import bound, closed_form


def checkmate_distribution(success: Sequence[float]) -> RankingDistribution:
    """Return the distribution of the ranking of the models on a random position."""
    p = _checked(success)
    solved = np.array(list(product([0, 1], repeat=len(p))))
    weights = np.prod(np.where(solved, p, 1 - p), axis=1)
    rankings, group = np.unique(rank_scores(solved, higher_is_better=True), axis=0, return_inverse=True)
    return RankingDistribution(rankings, np.bincount(group.ravel(), weights=weights))


def checkmate_results(
    success: Mapping[int, Sequence[float]], n_positions: int, rng: np.random.Generator | int
) -> pd.DataFrame:
    """Simulate a table of results: models on positions, with some examples in the prompt or none."""
    n_positions = check_count("n_positions", n_positions)
    rng = generator(rng)
    frames = []
    for shots, probabilities in success.items():
        p = _checked(probabilities)
        frame = pd.DataFrame(
            list(product(range(1, n_positions + 1), [shots], [f"a{i + 1}" for i in range(len(p))])),
            columns=["position", "shots", "model"],
        )
        frames.append(frame.assign(solved=(rng.random((n_positions, len(p))) < p).astype(int).ravel()))
    return pd.concat(frames, ignore_index=True)


def _checked(success: Sequence[float]) -> np.ndarray:
    p = np.asarray(success, dtype=float)
    if p.ndim != 1 or not 2 <= len(p) <= 10 or not ((p >= 0) & (p <= 1)).all():
        raise ParameterError(f"success must be the probabilities, in [0, 1], of 2 to 10 models, got {success!r}")
    return p


def exact_curves(
    gram: ArrayLike, probabilities: ArrayLike, epsilons: Mapping[str, float], sizes: Sequence[int]
) -> pd.DataFrame:
    """Compute n-generalizability of a known distribution for several sizes and thresholds, without simulation."""
    return pd.DataFrame(
        [
            {"n": n, "curve": name, "generalizability": exact_generalizability(gram, n, epsilon, probabilities)}
            for name, epsilon in epsilons.items()
            for n in sizes
        ]
    )


def known_nstar(
    gram: ArrayLike,
    alpha: float,
    epsilons: Mapping[str, float],
    probabilities: ArrayLike,
    *,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Compute n* of a known distribution in four ways."""
    return pd.DataFrame(
        {
            name: {
                "exact": exact_nstar(gram, alpha, epsilon, probabilities),
                "definition": definition(gram, alpha, epsilon, probabilities, rng=rng),
                "closed-form": closed_form(gram, alpha, epsilon, probabilities),
                "bound": bound(alpha, epsilon),
            }
            for name, epsilon in epsilons.items()
        }
    )
