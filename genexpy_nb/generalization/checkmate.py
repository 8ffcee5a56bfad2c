"""The papers' running example, checkmate in one: models that find the mating move in a position, or do not.

The papers give no probabilities. Here each model finds the mate in a position with a probability of its own,
independently of the others, which is an assumption made to have a distribution of results that is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import check_count
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.random import generator
from genexpy_nb.common.rankings import rank_scores
from genexpy_nb.generalization.samplers import RankingDistribution

__all__ = ["checkmate_distribution", "checkmate_results"]


def checkmate_distribution(success: Sequence[float]) -> RankingDistribution:
    """Return the distribution of the ranking of the models on a random position.

    Parameters
    ----------
    success : list of float, shape (n_models,)
        Probability that each model finds the mate, in [0, 1].

    Returns
    -------
    RankingDistribution
        Models that find the mate share tier 0, the others share the tier after it; all are tied if all find it, or
        none does. Rankings in lexicographic order, those with probability 0 included.

    Raises
    ------
    ParameterError
        If a probability is outside [0, 1], or there are fewer than two models or more than ten.

    References
    ----------
    Generalizability of Experimental Studies, second version, Example 3.2.

    Examples
    --------
    >>> two = checkmate_distribution([0.5, 0.2])
    >>> {tuple(r): round(float(p), 2) for r, p in zip(two.rankings.tolist(), two.probabilities, strict=True)}
    {(0, 0): 0.5, (0, 1): 0.4, (1, 0): 0.1}
    """
    p = _checked(success)
    solved = np.array(list(product([0, 1], repeat=len(p))))
    weights = np.prod(np.where(solved, p, 1 - p), axis=1)
    rankings, group = np.unique(rank_scores(solved, higher_is_better=True), axis=0, return_inverse=True)
    return RankingDistribution(rankings, np.bincount(group.ravel(), weights=weights))


def checkmate_results(
    success: Mapping[int, Sequence[float]], n_positions: int, rng: np.random.Generator | int
) -> pd.DataFrame:
    """Simulate a table of results: models on positions, with some examples in the prompt or none.

    Parameters
    ----------
    success : dict
        ``{shots: probabilities}``: for each number of shots, the probability that each model finds the mate.
    n_positions : int
        Number of positions, >= 1; the same for all numbers of shots.
    rng : numpy.random.Generator or int
        Source of randomness, or its seed.

    Returns
    -------
    DataFrame, shape (n_shots * n_positions * n_models, 4)
        Columns ``position`` (1, 2, ...), ``shots``, ``model`` (a1, a2, ...) and ``solved`` (1 or 0).

    Raises
    ------
    ParameterError
        If a probability is outside [0, 1], there are fewer than two models, or no position.

    Examples
    --------
    >>> checkmate_results({0: [1.0, 0.0]}, n_positions=1, rng=0)
       position  shots model  solved
    0         1      0    a1       1
    1         1      0    a2       0
    """
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
