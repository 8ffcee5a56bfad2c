"""One seed, many independent streams of random numbers."""

from __future__ import annotations

from numbers import Integral

import numpy as np

from genexpy_nb.common.errors import ParameterError


def seed_of(rng: np.random.Generator | int) -> int:
    """Return a seed from which independent streams can be spawned: the number itself, or one drawn from a generator."""
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**63))
    if not isinstance(rng, Integral) or isinstance(rng, bool) or rng < 0:
        raise ParameterError(f"rng must be a numpy.random.Generator or a whole number >= 0, got {rng!r}")
    return int(rng)


def generator(rng: np.random.Generator | int) -> np.random.Generator:
    """Return the generator that was given, or the one that belongs to a seed: ``numpy.random.default_rng``, checked."""
    return rng if isinstance(rng, np.random.Generator) else np.random.default_rng(seed_of(rng))


def stream(seed: int, *key: int) -> np.random.Generator:
    """Return the generator that belongs to a seed and a key, whichever others were asked for before."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


def seeds(seed: int, n: int, *key: int) -> list[int]:
    """Return the first ``n`` of the seeds that belong to a seed and a key."""
    return [int(word) for word in np.random.SeedSequence(seed, spawn_key=key).generate_state(n)]
