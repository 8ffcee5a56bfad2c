"""Agreement of two studies in whatever a function concludes from a frame of scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from functools import partial
from itertools import chain
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.parallel import WORTH_WORKERS, in_parallel
from genexpy_nb.common.random import stream
from genexpy_nb.conclusions.effects import effects_of_means
from genexpy_nb.conclusions.extrapolation import PARTS_OF_ROWS, Part, weights
from genexpy_nb.conclusions.tables import check_size, inside
from genexpy_nb.conclusions.worlds import lines_of_few_means, not_rejected

_PAIRS = 200  # of tables, for an estimate
_STUDIES, _SPLITS = 39, 8  # of each world, and of each study into halves
_DRAWS = 60  # tables of each size from each world
_CALLS = 10_000  # of a function, or some more: from them is told whether workers pay

Conclude = Callable[[pd.DataFrame], Any]


def agreement_of_function(
    scores: pd.DataFrame,
    conclude: Conclude,
    sizes: Sequence[int],
    *,
    higher_is_better: bool = True,
    confidence: float = 0.95,
    seed: int = 0,
    n_jobs: int | None = None,
) -> pd.DataFrame:
    """Estimate how far two studies agree in whatever a function concludes; see `Study.agreement`."""
    check_size(*scores.shape)
    sign = 1 if higher_is_better else -1
    rng_of_worlds, begin = stream(seed, 1), perf_counter()
    observed = _halves(scores, conclude, _orders(len(scores), rng_of_worlds))
    if (perf_counter() - begin) * _CALLS / (2 * _SPLITS) < WORTH_WORKERS:
        n_jobs = 1
    estimate = partial(_estimate, scores=scores, conclude=conclude, seed=seed)
    estimates = list(in_parallel(estimate, sizes, n_jobs))
    values = sign * scores.to_numpy(dtype=float)
    effects = effects_of_means(values - values.mean(axis=1, keepdims=True), [len(scores)])
    lines = lines_of_few_means(effects)
    tables = [[_as_table(centre, scores, effects.centre, sign) for centre in centres] for centres in lines]
    p_value = partial(_p_value, conclude=conclude, observed=observed)
    drawn = []
    for table in chain.from_iterable(tables):  # each with the generator as it is when those before have drawn from it
        drawn.append((table, deepcopy(rng_of_worlds)))
        list(_bootstraps(len(table), rng_of_worlds))
    left = iter(in_parallel(p_value, drawn, n_jobs))
    p_values = [np.array([next(left) for _ in of_line]) for of_line in tables]
    kept = not_rejected(lines, p_values, (1 - confidence) / 2)
    worlds = [_as_table(centre, scores, effects.centre, sign) for centre in kept]
    frame = pd.DataFrame(
        {
            "conclusion": getattr(conclude, "__name__", type(conclude).__name__),
            "measure": "probability of the same conclusion",
            "n": sizes,
        }
    )
    within = partial(_within, conclude=conclude, seed=seed)
    cells = ((world, size) for size in sizes for world in worlds)
    found = np.reshape(list(in_parallel(within, cells, n_jobs)), (len(sizes), len(worlds)))
    low, high = np.min(found, axis=1), np.max(found, axis=1)
    return frame.assign(estimate=inside(np.clip(estimates, 0.0, 1.0), low, high), low=low, high=high)


def _equal(first: Any, second: Any) -> float:
    try:
        return float(bool(first == second))
    except ValueError as error:
        needed = "what can be compared, a name, a number or a tuple"
        raise ParameterError(f"conclude must return {needed}, got {type(first).__name__}") from error


def _estimate(size: int, scores: pd.DataFrame, conclude: Conclude, seed: int) -> float:
    n, total, rng = len(scores), 0.0, stream(seed, 0, size)
    ratio = size / n
    for part, weight in weights(ratio, PARTS_OF_ROWS).items():
        pairs = _pairs_of_parts(n, part, size if ratio <= 0.5 else None, rng)
        total += weight * sum(_equal(*(conclude(scores.iloc[rows]) for rows in pair)) for pair in pairs) / _PAIRS
    return total


def _pairs_of_parts(
    n: int, part: Part, size: int | None, rng: np.random.Generator
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield pairs of row numbers whose tables have the noise of a part; see `PARTS_OF_ROWS`."""
    noise, shared = part
    length = max(1, round(n / (1 + noise))) if size is None else size
    if shared == -1:
        length = min(length, n // 2)
    for _ in range(_PAIRS):
        if shared == 0:
            drawn = max(1, round(n / noise))
            yield rng.integers(n, size=drawn), rng.integers(n, size=drawn)
        else:  # disjoint if both fit; else they overlap as little as they can
            order = rng.permutation(n)
            yield order[:length], order[n - length :]


def _as_table(centre: np.ndarray, scores: pd.DataFrame, observed: np.ndarray, sign: int) -> pd.DataFrame:
    """Return the scores in a world with other effects: those of the alternatives are shifted, each by one number."""
    return scores + sign * (centre - (observed - observed.mean()))


def _p_value(world: tuple[pd.DataFrame, np.random.Generator], conclude: Conclude, observed: float) -> float:
    """Say how far studies from a world agree with themselves more, or less, than the observed one does."""
    table, rng = world
    shown = np.array([_halves(table.iloc[rows], conclude, orders) for rows, orders in _bootstraps(len(table), rng)])
    extreme = min((shown >= observed).sum(), (shown <= observed).sum())
    return float((extreme + 1) / (_STUDIES + 1))


def _bootstraps(n: int, rng: np.random.Generator) -> Iterator[tuple[np.ndarray, list[np.ndarray]]]:
    """Yield row numbers of bootstrapped studies, and orders of their rows for `_halves`."""
    for _ in range(_STUDIES):
        yield rng.integers(n, size=n), _orders(n, rng)


def _orders(n: int, rng: np.random.Generator) -> list[np.ndarray]:
    return [rng.permutation(n) for _ in range(_SPLITS)]


def _halves(scores: pd.DataFrame, conclude: Conclude, orders: Sequence[np.ndarray]) -> float:
    half = len(scores) // 2
    parts = ((scores.iloc[order[:half]], scores.iloc[order[half : 2 * half]]) for order in orders)
    return sum(_equal(conclude(first), conclude(second)) for first, second in parts) / len(orders)


def _within(world: tuple[pd.DataFrame, int], conclude: Conclude, seed: int) -> float:
    table, size = world
    rng = stream(seed, 2, size)
    found = [conclude(table.iloc[rng.integers(len(table), size=size)]) for _ in range(_DRAWS)]
    pairs = [(i, j) for i in range(_DRAWS) for j in range(i)]
    return sum(_equal(found[i], found[j]) for i, j in pairs) / len(pairs)
