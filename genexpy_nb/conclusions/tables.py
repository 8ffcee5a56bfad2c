"""Agreement of conclusions, from a table of results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from genexpy_nb.common import checks
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.random import stream
from genexpy_nb.conclusions.contenders import BY
from genexpy_nb.conclusions.effects import Effects, crossed_effects, effects_of_estimates, effects_of_means
from genexpy_nb.conclusions.measures import Measure, Order, Studies, Top, Verdicts
from genexpy_nb.conclusions.replications import least_share_with_same_top
from genexpy_nb.conclusions.worlds import Lines, lines_of_means, lines_of_order, lines_of_verdicts, plausible

#: Conclusions, and what the numbers are that say how far two studies agree in them.
CONCLUSIONS = {
    "winner": "probability of the same winner",
    "top-k": "expected overlap of the best k",
    "order": "expected Kendall's tau of the orders",
    "tiers": "expected share of pairs with the same verdict",
}
#: Fewest experiments: with fewer, nothing is known of the noise.
MIN_EXPERIMENTS = 5
#: Most experiments of which tests are looked at.
LARGEST_TESTED = 20_000

_OF_TOP = ("winner", "top-k")
_TOP = 3
_MOST_PAIRS = 1000  # of alternatives that are looked at: all, or a random sample
_MOST_TESTS = 400
_STUDIES, _DRAWS, _MAPPED = 99, 100, 400  # per world: studies, draws of noise for a test, and for the agreement
_MANY_ALTERNATIVES = 60  # beyond which they are fewer, as are those of tests, which have many pairs
_FEWER_STUDIES, _FEWER_DRAWS, _FEWER_MAPPED = 59, 50, 200
_STUDIES_OF_AN_ORDER = 399
_ROWS_THAT_ORDER = 1000  # experiments that decide which of two alternatives with equal means comes first
_NEAR = 0.005  # how far outside of an interval an estimate is shown as its end: both are drawn
_SIZES_ON_THE_WAY = 32  # between which the size of a study is interpolated that reaches a wanted agreement


class Question(NamedTuple):
    """A conclusion, and what it depends on."""

    conclusion: str
    by: str
    k: int
    level: float


def check_size(n_experiments: int, n_alternatives: int) -> None:
    """Raise `StudyError` if there are fewer than five experiments or two alternatives."""
    if n_experiments < MIN_EXPERIMENTS or n_alternatives < 2:
        raise StudyError(
            f"agreement needs at least {MIN_EXPERIMENTS} experiments and two alternatives, got {n_experiments} and "
            f"{n_alternatives}"
        )


def as_question(
    conclusion: Any, alternatives: Sequence[Any], *, by: str = "rank", k: int | None = None, level: float = 0.05
) -> Question:
    """Return the checked question."""
    checks.check_choice("conclusion", conclusion, CONCLUSIONS)
    checks.check_choice("by", by, BY)
    level = checks.check_level("level", level)
    most = max(1, len(alternatives) - 1)
    k = min(_TOP, most) if k is None else checks.check_count("k", k, 1, most)
    return Question(conclusion, by, 1 if conclusion == "winner" else k, level)


def as_sizes(n: Any, n_experiments: int) -> list[int]:
    """Return the sizes of studies that are asked for: half, once, twice, four times the observed one if none is."""
    if n is None:
        return [max(2, n_experiments // 2), n_experiments, 2 * n_experiments, 4 * n_experiments]
    values = [n] if np.ndim(n) == 0 else list(n)
    if not values:
        raise ParameterError("n must name at least one size of a study, got none")
    return [checks.check_count("n", value, 2) for value in values]


def agreement_of_rows(
    rows: np.ndarray, question: Question, sizes: Sequence[int], confidence: float = 0.95, seed: int = 0
) -> pd.DataFrame:
    """Estimate how far two studies agree, from rows that are oriented and a question that is checked."""
    n_experiments = len(rows)
    check_size(*rows.shape)
    if n_experiments > LARGEST_TESTED and question.conclusion == "tiers":
        raise StudyError(
            f"agreement of tests takes up to {LARGEST_TESTED:,} experiments, got {n_experiments:,}; ask for the winner "
            "or the order by mean rank, or draw a sample"
        )
    rows = _in_own_order(rows)
    if question.conclusion == "tiers":
        effects = _effects_of_tests(rows, sizes, seed)
    else:
        rows = rows - rows.mean(axis=1, keepdims=True)  # what all alternatives share cancels
        effects = effects_of_means(rows, sizes)
    measure, lines = measure_of(question, rows.shape[1], seed), _lines(effects, question)
    values = _answers(effects, measure, lines, n_experiments, sizes, confidence, seed)
    if question.conclusion in _OF_TOP:
        again = least_share_with_same_top(rows, question.k, effects.ratios, confidence)
        again = np.maximum(again, measure.least)  # what is left to the others agrees least if they are equal
        low = again**2 + (1 - again) ** 2 * measure.least / (1 - measure.least)
        values[:, 1] = np.maximum(values[:, 1], low)
        values[:, 2] = np.maximum(values[:, 1], values[:, 2])
    return _tidy(question, {"n": list(sizes)}, values)


def _in_own_order(rows: np.ndarray) -> np.ndarray:
    """Return the columns in an order that their values alone decide, so that names decide nothing."""
    rows = np.ascontiguousarray(rows)  # sums of other layouts are rounded otherwise
    # mean ranks often tie: then by the values, in any order of the rows, and only then by the rows
    keys = (*rows[_ROWS_THAT_ORDER::-1], *np.sort(rows, axis=0)[_ROWS_THAT_ORDER::-1], rows.mean(axis=0))
    return np.ascontiguousarray(rows[:, np.lexsort(keys)])


def measure_of(question: Question, n_alternatives: int, seed: int = 0) -> Measure:
    """Return what the agreement in a conclusion is, and what it can be."""
    match question.conclusion:
        case "winner" | "top-k":
            return Top(question.k, n_alternatives)
        case "tiers":
            return Verdicts(n_alternatives * (n_alternatives - 1) // 2, question.level)
        case _:
            return Order(*_pairs(n_alternatives, _MOST_PAIRS, seed))


def _lines(effects: Effects, question: Question) -> Lines:
    if question.conclusion == "tiers":
        return lines_of_verdicts(effects)
    if question.conclusion in _OF_TOP:
        return lines_of_means(effects, question.k)
    return lines_of_order(effects)


def _pairs(n_alternatives: int, most: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return all pairs of alternatives, or a random sample of them."""
    first, second = np.triu_indices(n_alternatives, 1)
    if len(first) > most:
        chosen = np.sort(stream(seed, 1).choice(len(first), most, replace=False))
        first, second = first[chosen], second[chosen]
    return first, second


def _effects_of_tests(rows: np.ndarray, sizes: Sequence[int], seed: int) -> Effects:
    n, n_alternatives = rows.shape
    first, second = _pairs(n_alternatives, _MOST_TESTS, seed)
    differences = rows[:, first] - rows[:, second]
    size = np.abs(rows[:, first]) + np.abs(rows[:, second])
    differences[np.abs(differences) <= checks.TOLERANCE * size] = 0.0
    influence = np.empty(differences.shape)
    for column, ordered in zip(range(len(first)), np.sort(differences, axis=0).T, strict=True):
        opposite = -differences[:, column]
        below = np.searchsorted(ordered, opposite, "left") + np.searchsorted(ordered, opposite, "right")
        influence[:, column] = 1 - below / (2 * n)  # share of the sums with this difference that are positive
    # twice as large: each difference is in both places of a sum (Hajek's projection)
    effects = effects_of_means(2 * influence, sizes)
    return replace(effects, centre=effects.centre / 2 - 0.5)


def _answers(
    effects: Effects,
    measure: Measure,
    lines: Lines,
    n_observed: float,
    sizes: Sequence[float],
    confidence: float,
    seed: int,
) -> np.ndarray:
    """Return estimate, low and high for each size, shape (T, 3)."""
    estimates = measure.estimate(effects, sizes, stream(seed, 2))
    n_studies, n_draws, n_mapped = _STUDIES, _DRAWS, _MAPPED
    if len(effects.centre) > _MANY_ALTERNATIVES or isinstance(measure, Verdicts):
        n_studies, n_draws, n_mapped = _FEWER_STUDIES, _FEWER_DRAWS, _FEWER_MAPPED
    if isinstance(measure, Order):  # draws nothing but the studies
        n_studies = _STUDIES_OF_AN_ORDER
    rng = stream(seed, 3)
    worlds = plausible(effects, measure, lines, n_observed, confidence, n_studies, n_draws, rng)
    longest = max(effects.noise.factor.shape)
    normals = rng.standard_normal((n_mapped, longest))  # the same for all sizes
    ties = effects.broken_ties(n_mapped, rng)
    values = np.empty((len(sizes), 3))
    all_equal = measure.scale_free and bool((np.ptp(worlds, axis=1) == 0).any())
    for i, (size, other, ratio) in enumerate(zip(sizes, effects.others, effects.ratios, strict=True)):
        # the shape of the noise is not known exactly, and makes some win more often: with equal variances, too
        shapes = [other, *([other.with_equal_variances()] if measure.scale_free else [])]
        found = [
            measure.within(worlds, Studies(noise, noise.of(normals) + ties / np.sqrt(ratio), size)) for noise in shapes
        ]
        values[i] = np.clip(estimates[i], measure.lowest, 1.0), np.min(found), np.max(found)
        if all_equal:
            values[i, 1] = measure.least
    values[:, 1:] = np.clip(values[:, 1:], measure.least, 1.0)
    return values


def inside(estimates: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return the estimates, NaN where they lie outside of their intervals by more than what draws differ by."""
    nearest = np.clip(estimates, low, high)
    return np.where(np.abs(estimates - nearest) <= _NEAR, nearest, np.nan)


def _tidy(question: Question, sizes: dict[str, Sequence[float]], values: np.ndarray) -> pd.DataFrame:
    frame = pd.DataFrame({"conclusion": question.conclusion, "measure": CONCLUSIONS[question.conclusion], **sizes})
    estimates, low, high = values.T
    return frame.assign(estimate=inside(estimates, low, high), low=low, high=high)


def agreement_of_cells(
    cells: np.ndarray,
    question: Question,
    sizes: Sequence[tuple[float, float]],
    names: Sequence[str] = ("n", "m"),
    confidence: float = 0.95,
    seed: int = 0,
) -> pd.DataFrame:
    """Estimate how far two studies agree that draw the levels of two crossed factors anew."""
    if question.conclusion == "tiers":
        raise ParameterError("agreement over two random factors is about mean ranks or mean scores, not tests")
    if min(cells.shape) < 2:
        raise StudyError(f"both factors need two levels and there must be two alternatives, got shape {cells.shape}")
    cells = _in_own_order(cells.reshape(-1, cells.shape[2])).reshape(cells.shape)
    effects = crossed_effects(cells, sizes)
    measure, lines = measure_of(question, len(effects.centre), seed), _lines(effects, question)
    values = _answers(effects, measure, lines, np.nan, [np.nan] * len(sizes), confidence, seed)
    return _tidy(question, dict(zip(names, zip(*sizes, strict=True), strict=True)), values)


def agreement_of_estimates(
    centre: np.ndarray, root: np.ndarray, degrees: float, confidence: float = 0.95, seed: int = 0
) -> tuple[float, float]:
    """Return limits of how likely two studies have the same winner, from estimates and a root of their covariance."""
    effects = effects_of_estimates(centre, root, degrees)
    lines = lines_of_means(effects, 1)
    values = _answers(effects, Top(1, len(centre)), lines, np.nan, [np.nan], confidence, seed)
    return float(values[0, 1]), float(values[0, 2])


def experiments_for_agreement(of_sizes: Callable[[list[int]], pd.DataFrame], agreement: float, most: int) -> pd.Series:
    """Find where a curve of agreement reaches what is wanted."""
    agreement = checks.check_number("agreement", agreement, 0, 1)
    sizes = np.unique(np.rint(np.geomspace(2, most, _SIZES_ON_THE_WAY)).astype(int)).tolist()
    frame = of_sizes(sizes)
    curves = {"n": frame["estimate"].fillna(frame["low"]), "low": frame["high"], "high": frame["low"]}
    reached = {name: _first_at_least(np.log(sizes), curve.to_numpy(), agreement) for name, curve in curves.items()}
    first = frame.iloc[0]
    return pd.Series(
        {"conclusion": first["conclusion"], "measure": first["measure"], "agreement": agreement, **reached}
    )


def _first_at_least(log_sizes: np.ndarray, values: np.ndarray, wanted: float) -> float:
    """Return the size, rounded up, at which a curve, taken as one that never falls, reaches a value."""
    rising = np.maximum.accumulate(values)
    if rising[-1] < wanted:
        return np.inf
    reached = 1 + int((rising >= wanted).argmax())
    log_size = np.interp(wanted, rising[:reached], log_sizes[:reached])
    return float(np.ceil(np.exp(log_size) * (1 - checks.TOLERANCE)))
