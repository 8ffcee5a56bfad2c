"""Looking while a study runs: what may be said after each experiment, whenever one stops.

An e-process starts at 1 and, if nothing is ahead, is not expected to grow, whatever was seen before. So it reaches 1 /
level in at most a share ``level`` of all studies, however often one looks (Ville, 1939).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import log_ndtr

#: Spread of the half-normal mixture: which effects, in units of the noise, are found soonest.
SPREAD = 0.35
_UNSCALED = 2  # experiments on which there is no bet, since the noise is not known


class Looks(NamedTuple):
    """What was seen after each of N experiments of k alternatives."""

    against: np.ndarray  # (N, k), the e-value so far that somebody else is better
    left: np.ndarray  # (k,), after which experiment each left the contenders; NaN if it did not
    ahead: np.ndarray  # (k, k), the largest e-value that the row is ahead of the column
    decided: np.ndarray  # (k, k), after which experiment that was significant over all pairs; NaN if it was not


def e_process(differences: np.ndarray, signs: bool = False) -> np.ndarray:
    """Return the evidence after each experiment that differences, shape (N, ...), tend to be above 0, as an e-value.

    NaN where one of the two was not run. Each is divided by the root mean square of those before it; or, with signs,
    counts as 1, 0 or -1. The rest is a half-normal mixture over l of ``exp(l z - l^2 z^2 / 2)``, whose mean is at most
    1 for differences that are symmetric about 0 or below (de la Pena, Annals of Probability 1999; Howard, Ramdas,
    McAuliffe and Sekhon, Probability Surveys 2020).
    """
    seen, found = ~np.isnan(differences), np.nan_to_num(differences)
    if signs:
        bets = np.sign(found)
    else:
        # all are divided by the largest before, so that no square is too small or large for a number
        largest = np.abs(found).max(axis=0, initial=0.0)
        found = np.divide(found, largest, out=np.zeros(found.shape), where=largest > 0)
        squares, count = np.cumsum(found**2, axis=0) - found**2, np.cumsum(seen, axis=0) - seen
        known = (count >= _UNSCALED) & (squares > 0)
        scale = np.sqrt(np.divide(squares, count, out=np.ones(found.shape), where=known))
        bets = np.where(known, found / scale, 0.0)
    total, variance = np.cumsum(bets, axis=0), 1 + SPREAD**2 * np.cumsum(bets**2, axis=0)
    reach = SPREAD * total / np.sqrt(variance)
    # capped where a number ends: that is far beyond any level
    return np.exp(np.minimum(np.log(2) - np.log(variance) / 2 + reach**2 / 2 + log_ndtr(reach), 700.0))


def look_at(rows: np.ndarray, level: float, signs: bool = False) -> Looks:
    """Look after each experiment at rows, shape (N, k), higher is better, in the order in which they were run.

    A candidate leaves when the mean of the e-values that each other one is better reaches 1 / level: for the true best,
    each of these is an e-process, and so is their mean. A pair is decided at k (k - 1) / level.
    """
    n, k = rows.shape
    against, ahead, decided = np.ones((n, k)), np.ones((k, k)), np.full((k, k), np.nan)
    for i in range(k):
        others = np.arange(k) != i
        found = e_process(rows[:, others] - rows[:, [i]], signs)
        against[:, i] = found.mean(axis=1)
        ahead[others, i] = found.max(axis=0, initial=1.0)
        decided[others, i] = _first(found >= k * (k - 1) / level)
    return Looks(against, _first(against >= 1 / level), ahead, decided)


def _first(reached: np.ndarray) -> np.ndarray:
    """Return the number of experiments after which each column was first reached; NaN if it was not."""
    return np.where(reached.any(axis=0), reached.argmax(axis=0) + 1.0, np.nan)
