"""Agreement of two studies in whatever a function concludes from a frame of scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import check_direction, check_level, shown
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.random import seed_of, stream
from genexpy_nb.generalization.agreement.effects import effects_of_means
from genexpy_nb.generalization.agreement.extrapolation import PARTS_OF_ROWS, Part, weights
from genexpy_nb.generalization.agreement.tables import as_sizes, complete_table
from genexpy_nb.generalization.agreement.worlds import lines_of_few_means, not_rejected

__all__ = ["agreement_of_function"]

_PAIRS = 200  # of tables, for an estimate
_STUDIES, _SPLITS = 39, 8  # of each world, and of each study into halves
_DRAWS = 60  # tables of each size from each world

Conclude = Callable[[pd.DataFrame], Any]
Compare = Callable[[Any, Any], float]


def agreement_of_function(
    scores: pd.DataFrame,
    conclude: Conclude,
    sizes: int | Sequence[int],
    *,
    compare: Compare | None = None,
    higher_is_better: bool = True,
    confidence: float = 0.95,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Estimate how far two independent studies would agree in what a function concludes.

    Parameters
    ----------
    scores : DataFrame, shape (N, A)
        One row per experiment, none missing.
    conclude : callable
        From a frame of scores, with the same columns and other rows, to a conclusion: a name, a number, a tuple, a
        frozenset. It is called some ten thousand times.
    sizes : int or list of int
        Experiments of each of the two studies, >= 2.
    compare : callable, optional
        From two conclusions to their agreement, a number from 0 to 1. By default, 1 if they are equal and 0 if not.
    higher_is_better : bool
        Direction of the scores.
    confidence : float
        Nominal confidence of the interval, in (0, 1).
    rng : numpy.random.Generator or int
        Source of randomness, or its seed.

    Returns
    -------
    DataFrame, one row per size
        ``conclusion`` (the name of the function), ``measure``, ``n``, ``estimate``, ``low``, ``high``.

    Raises
    ------
    StudyError
        If there are fewer than five experiments or two alternatives, or a score is missing.
    ParameterError
        If ``compare`` gives no number from 0 to 1, without it conclusions cannot be compared, or a parameter is none
        of what it may be.

    Notes
    -----
    The estimate is that of `genexpy_nb.generalization.agreement.agreement_of_table`, from parts of the table, disjoint
    or not, and bootstraps of it: unbiased up to N/2, and made for conclusions about means and ranks beyond. The worlds
    behind the interval are tables in which the mean scores are shrunk, stretched, or the best one is moved ahead; a
    conclusion that depends on other things than means is not covered by them.

    Examples
    --------
    >>> scores = pd.DataFrame(np.random.default_rng(0).normal([2, 0, 0], 1, (20, 3)), columns=["a", "b", "c"])
    >>> found = agreement_of_function(scores, lambda frame: frame.median().idxmax(), [10, 20])
    >>> found[["n", "estimate"]].round(1)
        n  estimate
    0  10       1.0
    1  20       1.0
    """
    seed, confidence = seed_of(rng), check_level("confidence", confidence)
    scores = complete_table(scores)
    sizes, sign = as_sizes(sizes, len(scores)), 1 if check_direction(higher_is_better) else -1
    for name, function in (("conclude", conclude), ("compare", compare)):
        if not callable(function) and (name, function) != ("compare", None):
            raise ParameterError(f"{name} must be a function, got {shown(function)}")
    agree = _equal if compare is None else _checked(compare)
    estimates = [_estimate(scores, conclude, agree, size, stream(seed, 0, size)) for size in sizes]
    worlds = _worlds(scores, conclude, agree, sign, confidence, stream(seed, 1))
    frame = pd.DataFrame(
        {
            "conclusion": getattr(conclude, "__name__", type(conclude).__name__),
            "measure": "probability of the same conclusion" if compare is None else "expected agreement",
            "n": sizes,
            "estimate": np.clip(estimates, 0.0, 1.0),
        }
    )
    found = [[_within(world, conclude, agree, size, stream(seed, 2, size)) for world in worlds] for size in sizes]
    return frame.assign(low=np.min(found, axis=1), high=np.max(found, axis=1))


def _equal(first: Any, second: Any) -> float:
    try:
        return float(bool(first == second))
    except ValueError as error:
        raise ParameterError(
            f"conclude must return what can be compared, a name, a number or a tuple, got {type(first).__name__}; or "
            "compare must say how far two of them agree"
        ) from error


def _checked(compare: Compare) -> Compare:
    def agree(first: Any, second: Any) -> float:
        value = compare(first, second)
        if not isinstance(value, int | float | np.number | np.bool_) or not 0 <= float(value) <= 1:
            raise ParameterError(f"compare must return a number from 0 to 1, got {value!r}")
        return float(value)

    return agree


def _estimate(scores: pd.DataFrame, conclude: Conclude, agree: Compare, size: int, rng: np.random.Generator) -> float:
    n, total = len(scores), 0.0
    ratio = size / n
    for part, weight in weights(ratio, PARTS_OF_ROWS).items():
        of_part = 0.0
        for first, second in _pairs_of_parts(n, part, size if ratio <= 0.5 else None, rng):
            of_part += agree(conclude(scores.iloc[first]), conclude(scores.iloc[second]))
        total += weight * of_part / _PAIRS
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


def _worlds(
    scores: pd.DataFrame, conclude: Conclude, agree: Compare, sign: int, confidence: float, rng: np.random.Generator
) -> list[pd.DataFrame]:
    """Return tables with other mean scores in which studies agree with themselves as far as the observed one does."""
    rows = sign * scores.to_numpy(dtype=float)
    effects = effects_of_means(rows - rows.mean(axis=1, keepdims=True), [len(rows)])
    observed = _halves(scores, conclude, agree, rng)

    def as_table(centre: np.ndarray) -> pd.DataFrame:
        return scores + sign * (centre - (effects.centre - effects.centre.mean()))

    def p_value(centre: np.ndarray) -> float:
        table = as_table(centre)
        shown = np.array(
            [
                _halves(table.iloc[rng.integers(len(table), size=len(table))], conclude, agree, rng)
                for _ in range(_STUDIES)
            ]
        )
        extreme = min((shown >= observed).sum(), (shown <= observed).sum())
        return float((extreme + 1) / (_STUDIES + 1))

    lines = lines_of_few_means(effects)
    p_values = [np.array([p_value(world) for world in worlds]) for worlds in lines]
    return [as_table(centre) for centre in not_rejected(lines, p_values, (1 - confidence) / 2)]


def _halves(scores: pd.DataFrame, conclude: Conclude, agree: Compare, rng: np.random.Generator) -> float:
    half = len(scores) // 2
    total = 0.0
    for _ in range(_SPLITS):
        order = rng.permutation(len(scores))
        total += agree(conclude(scores.iloc[order[:half]]), conclude(scores.iloc[order[half : 2 * half]]))
    return total / _SPLITS


def _within(table: pd.DataFrame, conclude: Conclude, agree: Compare, size: int, rng: np.random.Generator) -> float:
    found = [conclude(table.iloc[rng.integers(len(table), size=size)]) for _ in range(_DRAWS)]
    pairs = [(i, j) for i in range(_DRAWS) for j in range(i)]
    return sum(agree(found[i], found[j]) for i, j in pairs) / len(pairs)
