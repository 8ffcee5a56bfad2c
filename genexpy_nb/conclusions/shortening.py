"""How many experiments are enough, by drawing studies from a table; and which few say the same as all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri
from scipy.stats import rankdata
from scipy.stats import t as student

from genexpy_nb.common.errors import StudyError
from genexpy_nb.common.random import seed_of, stream

SMALLEST = {"winner": 5, "regret": 2, "order": 2}  # four experiments cannot leave one contender at level .05
_DRAWS, _FEWEST_DRAWS = 800, 16  # studies drawn from a table, and from each of its configurations
_RATIO = 1.25  # from one size that is drawn to the next
_LONGEST = 400  # experiments of a study that is drawn
_HELD = 4_000_000  # numbers held at once
FARTHEST = 10  # times as many experiments as a table has: nothing is said beyond
_FLATTEST = 0.2  # slope with which shares are taken to rise at least, probit on log n
GROUPS = 6  # of experiments, each left out once
_SPLITS = 200
_FEWEST_JUDGED = 3  # alternatives and experiments


class Shortened(NamedTuple):
    """Experiments that were chosen, and how the order by so many agrees with that on experiments not looked at."""

    chosen: np.ndarray  # in the order in which they were chosen
    agreement: float  # Kendall's tau-b, for alternatives that were not looked at either
    at_random: float  # the same for as many drawn at random
    error: float  # standard error of their difference, over the ways to split one table
    n_judged: int  # experiments that they were judged on


def shorten(scores: np.ndarray, k: int, by: str, rng: np.random.Generator | int = 0) -> Shortened:
    """Choose k of N experiments from scores, (N, n_alternatives), higher is better, none missing; see `Study.lite`."""
    n, n_alternatives = scores.shape
    n_judged, n_half = n // 3, n_alternatives // 2
    if min(n_half, n_judged) < _FEWEST_JUDGED or k > n - n_judged:
        raise StudyError(
            f"lite needs {2 * _FEWEST_JUDGED} alternatives, {3 * _FEWEST_JUDGED} experiments, and k of at most two "
            f"thirds of these; got {n_alternatives} alternatives, {n} experiments and k={k}"
        )
    seed, found = seed_of(rng), []
    for split in range(_SPLITS):
        draw = stream(seed, split)
        rows, columns = draw.permutation(n), draw.permutation(n_alternatives)
        pool, fresh = rows[n_judged:], rows[:n_judged]
        chosen = pool[_greedy(_compared(scores[np.ix_(pool, columns[:n_half])], by), k)]
        judged = _compared(scores[:, columns[n_half:]], by)
        found.append([_agreement(judged, some, fresh) for some in (chosen, draw.permutation(pool)[:k])])
    taus = np.array(found)
    error = float((taus[:, 0] - taus[:, 1]).std(ddof=1) / np.sqrt(_SPLITS))
    agreement, at_random = taus.mean(axis=0).tolist()
    return Shortened(_greedy(_compared(scores, by), k), agreement, at_random, error, n_judged)


def _compared(scores: np.ndarray, by: str) -> np.ndarray:
    """Return what alternatives, along the last axis, are compared by, higher is better; none is missing."""
    return scores if by == "score" else rankdata(scores, axis=-1)


def _greedy(rows: np.ndarray, k: int) -> np.ndarray:
    """Choose one after the other which row brings the mean of the chosen nearest to that of all."""
    rows = rows - rows.mean(axis=1, keepdims=True)
    away, total = rows - rows.mean(axis=0), np.zeros(rows.shape[1])
    left, chosen = np.ones(len(rows), dtype=bool), []
    for _ in range(k):
        distance = np.where(left, ((total + away) ** 2).sum(axis=1), np.inf)
        chosen.append(int(distance.argmin()))
        left[chosen[-1]] = False
        total = total + away[chosen[-1]]
    return np.array(chosen)


def _agreement(rows: np.ndarray, first: np.ndarray, second: np.ndarray) -> float:
    """Return how far two sets of experiments agree in the order; 0 if one of them tells nobody apart."""
    means = [np.round(rows[some].mean(axis=0), 12) for some in (first, second)]
    ahead = [np.sign(mean[:, None] - mean) for mean in means]
    n_apart = [np.count_nonzero(each) for each in ahead]
    return float((ahead[0] * ahead[1]).sum() / np.sqrt(np.prod(n_apart, dtype=float))) if all(n_apart) else 0.0


# --- how many ---------------------------------------------------------------------------------------------------------


class Drawn(NamedTuple):
    """What studies are drawn, and when they have enough experiments; see `genexpy_nb.plan_study`."""

    n_alternatives: int
    ask: str
    by: str
    matters: float
    level: float
    key: tuple[int, int]  # of the random numbers


class Needed(NamedTuple):
    """What a table says: log n and its standard error, however far that is from the table; sizes and shares drawn."""

    log_n: float
    error: float  # from a jackknife over groups of experiments
    sizes: np.ndarray
    shares: np.ndarray


def needed(blocks: Sequence[np.ndarray], drawn: Drawn, probability: float) -> Needed:
    """Say how many experiments a table needs; each block is a configuration, shape (N, K), higher is better, whole."""
    sizes, shares = _shares(blocks, drawn, None)
    at, probit, slope = _curve(sizes, shares)
    wanted = ndtri(probability)
    log_n = float(np.interp(wanted, probit, at) + max(wanted - probit[-1], 0.0) / slope)
    without = [_probit(_curve(*_shares(blocks, drawn, group)), log_n) for group in range(GROUPS)]
    error = float(np.sqrt((GROUPS - 1) * np.var(without))) / slope  # by the delta method
    return Needed(log_n, error, sizes, shares)


def _shares(blocks: Sequence[np.ndarray], drawn: Drawn, group: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Return sizes of studies, and which share of those drawn gets there, over all configurations."""
    rng, k, least = stream(*drawn.key), drawn.n_alternatives, SMALLEST[drawn.ask]
    lengths = [min(_LONGEST, _length(len(block), group)) for block in blocks]
    longest = max(lengths) // (1 if drawn.ask == "winner" else 2)
    steps = int(np.log(longest / least) / np.log(_RATIO))
    sizes = np.unique(np.append(least * _RATIO ** np.arange(steps + 1), longest).astype(int))
    n_draws = max(_FEWEST_DRAWS, _DRAWS // len(blocks))
    found = np.full((len(blocks), len(sizes)), np.nan)
    for place, (block, n) in enumerate(zip(blocks, lengths, strict=True)):
        at = np.flatnonzero(sizes <= (n if drawn.ask == "winner" else n // 2))
        reached = np.zeros(len(at))
        for part in np.array_split(np.arange(n_draws), -(-n_draws * len(block) * k // _HELD)):
            rows = rng.random((len(part), len(block))).argsort(axis=1)
            if group is not None:  # the same draws, but for those that are left out
                rows = rows[rows % GROUPS != group].reshape(len(part), -1)
            columns = rng.random((len(part), block.shape[1])).argsort(axis=1)[:, :k]
            scores = block[rows[:, :n, None], columns[:, None, :]]
            compared = _compared(scores, drawn.by)
            reached += [len(part) / n_draws * _reached(compared, int(sizes[i]), drawn) for i in at]
        found[place, at] = reached
    return sizes, np.nanmean(found, axis=0)


def _length(n: int, group: int | None) -> int:
    return n if group is None else n - len(range(group, n, GROUPS))


def _reached(rows: np.ndarray, n: int, drawn: Drawn) -> float:
    """Return the share of studies, shape (R, N, k), of which the first n experiments are enough."""
    first, k = rows[:, :n] - rows[:, :n].mean(axis=2, keepdims=True), drawn.n_alternatives
    total = first.sum(axis=1)
    if drawn.ask == "order":
        i, j = np.triu_indices(k, 1)
        second = rows[:, n : 2 * n].sum(axis=1)
        signs = [np.sign(np.round(each[:, i] - each[:, j], 9)) for each in (total, second)]
        return float((1 + signs[0] * signs[1]).mean() / 2)
    if drawn.ask == "regret":
        rest = rows[:, n:].mean(axis=1)
        chosen = np.take_along_axis(rest, total.argmax(axis=1)[:, None], axis=1)[:, 0]
        return float((rest.max(axis=1) - chosen <= drawn.matters + 1e-12).mean())
    centred = first - total[:, None, :] / n
    products = np.swapaxes(centred, 1, 2) @ centred
    squares = np.einsum("rii->ri", products)
    spread = squares[:, :, None] + squares[:, None, :] - 2 * products
    least = 1e-12 * (squares.max() + 1e-300)  # who are always as far apart
    lead = (total[:, :, None] - total[:, None, :]) * np.sqrt((n - 1) / n / np.maximum(spread, least))
    lead = lead.max(axis=1)
    return float(((lead >= student.ppf(1 - drawn.level / (k - 1), n - 1)).sum(axis=1) == k - 1).mean())


def _curve(sizes: np.ndarray, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Return logarithms of sizes, the probit of the share there, and the slope with which it is taken to go on."""
    at, probit = np.log(sizes), ndtri(np.clip(np.maximum.accumulate(shares), 0.5 / _DRAWS, 1 - 0.5 / _DRAWS))
    upper = slice(len(at) // 2, None)
    weight = np.exp(-(probit[upper] ** 2)) / (ndtr(probit[upper]) * ndtr(-probit[upper]))  # by the delta method
    slope = np.polyfit(at[upper], probit[upper], 1, w=np.sqrt(weight))[0] if len(at) > 2 else 0.0
    return at, probit, max(float(slope), _FLATTEST)


def _probit(curve: tuple[np.ndarray, np.ndarray, float], log_n: float) -> float:
    at, probit, slope = curve
    return float(np.interp(log_n, at, probit) + slope * max(log_n - at[-1], 0.0))
