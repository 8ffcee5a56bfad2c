"""One seed, many independent streams of random numbers."""

from __future__ import annotations

import numpy as np

__all__ = ["seed_of", "stream"]


def seed_of(rng: np.random.Generator | int) -> int:
    """Return a seed from which independent streams can be spawned: the number itself, or one drawn from a generator.

    Examples
    --------
    >>> seed_of(7)
    7
    """
    return int(rng.integers(2**63)) if isinstance(rng, np.random.Generator) else int(rng)


def stream(seed: int, *key: int) -> np.random.Generator:
    """Return the generator that belongs to a seed and a key, whichever others were asked for before.

    Parameters
    ----------
    seed : int
        From `seed_of`.
    *key : int
        What the numbers are for: the size of a study, the number of a system.

    Returns
    -------
    numpy.random.Generator

    Examples
    --------
    >>> bool(stream(0, 3).random() == stream(0, 3).random()), bool(stream(0, 3).random() == stream(0, 4).random())
    (True, False)
    """
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))
