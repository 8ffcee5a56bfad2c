"""The worlds of the simulation: data, learners and scores, of which everything that is true is known.

World ``learners``: real learners on fresh synthetic data with fresh splits in every study, each on its own features, of
which its seed picks half. World ``correlated-folds``: no learners, normal scores that correlate as Nadeau and Bengio
assume. An effect is by how much the first learner is better: an additional distance of its classes from the middle, per
feature, in standard deviations; or so many standard deviations of one score.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from genexpy_nb.common.checks import check_count

#: Worlds around one with 200 rows, 3 learners, 2 x 5 folds: in each, one thing is another. The range is ours, not
#: everything there is.
RANGE_OF_WORLDS: dict[str, dict[str, Any]] = {
    "200 rows, 3 learners, 5 folds": {},
    "60 rows": {"n_rows": 60},
    "1,000 rows": {"n_rows": 1000},
    "2 learners": {"n_learners": 2},
    "6 learners": {"n_learners": 6},
    "10 folds": {"k": 10},
    "learners alike": {"similarity": 0.8},
    "nearest neighbours": {"kind": "neighbour"},
}
CHUNK = 50  # studies per task; part of the result, because each chunk has its own stream of random numbers
_FEATURES = 8  # per learner
_SEED_SHARE = 0.3  # of the variance around the mean of a learner
_SIGNAL = 0.35  # distance of a class from the middle, per feature, in standard deviations


@dataclass(frozen=True)
class World:
    """What a world is like."""

    world: str = "learners"  # or "correlated-folds"
    kind: str = "centroid"  # which is stable, or "neighbour", the nearest one, which is not
    n_learners: int = 3
    n_rows: int = 200
    k: int = 5
    n_repeats: int = 2
    n_seeds: int = 5
    similarity: float = 0.0  # correlation of the features of learners

    def __post_init__(self) -> None:
        check_count("n_repeats", self.n_repeats)
        check_count("n_rows", self.n_rows, 4 * check_count("k", self.k, 2))

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Learners, seeds, repeats, folds."""
        return self.n_learners, self.n_seeds, self.n_repeats, self.k

    @property
    def shown_rows(self) -> int:
        """Rows of each dataset; 0 where there is none."""
        return self.n_rows if self.world == "learners" else 0


def correlated_scores(rng: np.random.Generator, drawn: World, effect: float) -> np.ndarray:
    """Return scores with variance 1, equally correlated between splits."""
    n_learners, n_seeds, n_repeats, k = drawn.shape
    of_data = rng.normal(size=(CHUNK, n_learners, 1, 1, 1))
    of_fold = rng.normal(size=(CHUNK, n_learners, 1, n_repeats, k))
    of_seed = rng.normal(size=(CHUNK, n_learners, n_seeds, n_repeats, k))
    # Shares of the variance: data + rest = 1, and data / (data + what averaging leaves of rest) = correlation.
    correlation = 1 / k
    left = 1 - _SEED_SHARE + _SEED_SHARE / n_seeds
    rest = 1 / (1 + correlation / (1 - correlation) * left)
    scores = np.sqrt(1 - rest) * of_data + np.sqrt(rest * (1 - _SEED_SHARE)) * of_fold
    scores = scores + np.sqrt(rest * _SEED_SHARE) * of_seed
    scores[:, 0] += effect
    return scores


def learners_scores(rng: np.random.Generator, drawn: World, effect: float) -> tuple[np.ndarray, np.ndarray]:
    """Fit and score learners on fresh data."""
    n_learners, n_seeds, n_repeats, k = drawn.shape
    half = drawn.n_rows // 2
    side = np.repeat([-1.0, 1.0], half)
    signal = np.full(n_learners, _SIGNAL)
    signal[0] += effect
    X = rng.normal(size=(CHUNK, 2 * half, n_learners, _FEATURES))
    picked = rng.random((CHUNK, n_learners, n_seeds, _FEATURES)).argsort(axis=-1) < _FEATURES // 2
    # Stratified: within each class, a random permutation of 0, 1, ..., k - 1, 0, 1, ...
    fold = (rng.random((CHUNK, n_repeats, 2, half)).argsort(axis=-1) % k).reshape(CHUNK, n_repeats, 2 * half)
    if drawn.similarity > 0:
        shared = rng.normal(size=(CHUNK, 2 * half, 1, _FEATURES))
        X = np.sqrt(1 - drawn.similarity) * X + np.sqrt(drawn.similarity) * shared
    X = X + side[:, None, None] * signal[:, None]

    right = (_by_centroids if drawn.kind == "centroid" else _by_neighbours)(X, side, picked, fold, k)
    member = fold[:, :, None] == np.arange(k)[:, None]  # (B, R, k, n)
    sizes = member.sum(axis=-1)
    scores = np.einsum("blsrn,brkn->blsrk", right.astype(float), member.astype(float), optimize=True)
    scores /= sizes[:, None, None]
    tested = np.argsort(~member[:, 0, 0], axis=-1, kind="stable")[:, : int(sizes[0, 0, 0])]
    return scores, np.take_along_axis(right[:, :, 0, 0], tested[:, None], axis=-1)


def _by_centroids(X: np.ndarray, side: np.ndarray, picked: np.ndarray, fold: np.ndarray, k: int) -> np.ndarray:
    """Say which rows, when tested, are nearer to the centroid of their own class."""
    n_studies, n, n_learners, n_features = X.shape
    n_repeats = fold.shape[1]
    member = fold[:, :, None] == np.arange(k)[:, None]
    of_class = np.stack([side < 0, side > 0])[:, None, :]  # (2, 1, n)
    training = ~member[:, :, None] & of_class  # (B, R, 2, k, n)
    flat = X.reshape(n_studies, 1, 1, n, n_learners * n_features)
    sums = training.astype(float) @ flat
    centroids = sums / training.sum(axis=-1)[..., None]  # (B, R, 2, k, n_learners * features)
    direction = centroids[:, :, 1] - centroids[:, :, 0]
    middle = centroids.mean(axis=2)

    # The fold in which each row is tested; whole rows are copied, which is faster than take_along_axis.
    own = (*np.ogrid[:n_studies, :n_repeats, :1][:2], fold)
    votes = direction[own]
    votes *= flat[:, :, 0] - middle[own]
    votes = votes.reshape(n_studies, n_repeats, n, n_learners, n_features)
    total = np.einsum("brnlf,blsf->blsrn", votes, picked.astype(float), optimize=True)
    return (total > 0) == (side > 0)


def _by_neighbours(X: np.ndarray, side: np.ndarray, picked: np.ndarray, fold: np.ndarray, k: int) -> np.ndarray:
    """Say which rows, when tested, have a nearest training row of their own class; shapes as in `_by_centroids`."""
    n_learners, n_seeds = picked.shape[1:3]
    right = np.empty((len(X), n_learners, n_seeds, *fold.shape[1:]), dtype=bool)
    same = [fold[:, r, :, None] == fold[:, r, None] for r in range(fold.shape[1])]
    for learner in range(n_learners):
        for seed in range(n_seeds):
            seen = X[:, :, learner] * picked[:, learner, seed, None]
            squares = (seen**2).sum(axis=-1)
            distances = squares[:, None] - 2 * seen @ seen.swapaxes(1, 2)  # but for what a row has with all others
            for repeat, tested_together in enumerate(same):
                nearest = np.where(tested_together, np.inf, distances).argmin(axis=-1)
                right[:, learner, seed, repeat] = side[nearest] == side
    return right
