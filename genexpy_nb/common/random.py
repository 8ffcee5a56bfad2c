"""One seed, many independent streams of random numbers."""

from __future__ import annotations

from numbers import Integral

import numpy as np

from genexpy_nb.common.errors import ParameterError

__all__ = ["generator", "seed_of", "seeds", "stream"]


def seed_of(rng: np.random.Generator | int) -> int:
    """Return a seed from which independent streams can be spawned: the number itself, or one drawn from a generator.

    Parameters
    ----------
    rng : numpy.random.Generator or int
        Source of randomness, or its seed, >= 0.

    Returns
    -------
    int

    Raises
    ------
    ParameterError
        If it is neither: None would be another seed in every run, and 1.5 would be cut to 1.

    Examples
    --------
    >>> seed_of(7)
    7
    >>> seed_of(1.5)
    Traceback (most recent call last):
        ...
    genexpy_nb.common.errors.ParameterError: rng must be a numpy.random.Generator or a whole number >= 0, got 1.5
    """
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**63))
    if not isinstance(rng, Integral) or isinstance(rng, bool) or rng < 0:
        raise ParameterError(f"rng must be a numpy.random.Generator or a whole number >= 0, got {rng!r}")
    return int(rng)


def generator(rng: np.random.Generator | int) -> np.random.Generator:
    """Return the generator that was given, or the one that belongs to a seed: ``numpy.random.default_rng``, checked.

    Parameters
    ----------
    rng : numpy.random.Generator or int
        As in `seed_of`.

    Returns
    -------
    numpy.random.Generator

    Raises
    ------
    ParameterError
        If it is neither.

    Examples
    --------
    >>> bool(generator(3).random() == np.random.default_rng(3).random())
    True
    """
    return rng if isinstance(rng, np.random.Generator) else np.random.default_rng(seed_of(rng))


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


def seeds(seed: int, n: int, *key: int) -> list[int]:
    """Return the first ``n`` of the seeds that belong to a seed and a key: a larger ``n`` never changes the first ones.

    Parameters
    ----------
    seed : int
        From `seed_of`.
    n : int
        How many.
    *key : int
        What they are for, as in `stream`.

    Returns
    -------
    list of int
        Each from 0 to 2**32 - 1, for libraries that want a number where this package takes a generator.

    Examples
    --------
    >>> seeds(0, 2, 7, 1) == seeds(0, 3, 7, 1)[:2]
    True
    """
    return [int(word) for word in np.random.SeedSequence(seed, spawn_key=key).generate_state(n)]
