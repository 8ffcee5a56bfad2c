"""Who may be the best, by how much, and at which places everybody may stand: sign flips of whole experiments.

Two alternatives are compared by their mean difference over the experiments that were run for both, divided by its
standard error, and brought to a normal scale. If two are equal, the differences of an experiment would have come with
the other sign just as well: flipping the signs of whole experiments says how large the largest of many such comparisons
gets by chance, whatever their dependence. Everything that is said to be better, is so by these flips.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri
from scipy.stats import rankdata

from genexpy_nb.common.checks import suggest
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.random import seed_of, stream
from genexpy_nb.common.rankings import rank_scores

#: What alternatives are compared by.
BY = ("rank", "score")
#: Fewest experiments, with which the smallest p-value of a comparison that was named beforehand is 1/16.
MIN_EXPERIMENTS = 4
#: Experiments in common, without which two alternatives of an incomplete table have no verdict.
FEWEST_IN_COMMON = 6
#: Alternatives beyond which comparisons are corrected after Bonferroni, and flips are for those that this leaves open.
MOST_FLIPPED = 200

_ALL_FLIPS = 11  # experiments up to which all flips are looked at
_FLIPS, _FEWEST_FLIPS = 9_999, 999
_FLIPPED, _SIGNS = 400_000, 5_000_000  # of which there are at most so many means, and signs, unless they are too few
_MOST_FLIPS, _MOST_FLIPPED = 99_999, 20_000_000  # where fewer leave open whether somebody may be the best
_NOTHING = 5e-12  # differences of this share of the scores are rounding
_CLOSE = 1e-4  # differences of this share of what scores vary by are summed up one by one, lest they are rounded away
_MORE = 2.0  # experiments that are imagined for pairs that were equal in some, after Agresti and Coull
_BLOCK = 256  # rows of comparisons that are computed at once
_TIE = 1e-9  # statistics as close as that are equal


@dataclass(frozen=True)
class Comparisons:
    """All comparisons of k alternatives; arrays of shape (k, k) are of the row against the column."""

    ahead: np.ndarray  # mean difference, positive if the row is better; NaN without a verdict
    scale: np.ndarray  # what the sum of differences is divided by
    common: np.ndarray  # experiments in common
    p_best: np.ndarray  # (k,), of the test that nobody is better
    critical: np.ndarray  # (k,)
    flipped: tuple[np.ndarray, np.ndarray] | None  # p-values by flips, of pairs by themselves and over all
    critical_of_all: float
    level: float

    def error(self, i: Any = ...) -> np.ndarray:
        """Return standard errors of ``ahead``."""
        ahead, common = self.ahead[i], self.common[i]
        with np.errstate(divide="ignore", invalid="ignore"):
            variance = self.scale[i] ** 2 / common**2 - ahead**2
            variance[~np.isfinite(variance) | (variance <= _NOTHING * ahead**2)] = 0.0
            error = np.sqrt(variance / (common - 1))
        # differences that hardly vary: as if one more experiment had none
        return np.fmax(error, np.abs(ahead) / (common + 1))

    def p(self, i: Any = ...) -> np.ndarray:
        """Return two-sided p-values of pairs by themselves."""
        if self.flipped:
            return self.flipped[0][i]
        ahead, common = self.ahead[i], self.common[i]
        by_t = 2 * ndtr(-np.abs(_normal(ahead * common / self.scale[i], common)))
        return np.where(np.isnan(ahead), 1.0, np.maximum(by_t, 2 * 0.5**common))  # no smaller than flips can make it

    def p_adjusted(self, i: Any = ...) -> np.ndarray:
        """Return two-sided p-values over all pairs."""
        n_pairs = len(self.ahead) * (len(self.ahead) - 1) / 2
        return self.flipped[1][i] if self.flipped else np.minimum(1.0, n_pairs * self.p(i))

    @property
    def contend(self) -> np.ndarray:
        """Which alternatives may be the best, shape (k,)."""
        return (self.p_best > self.level) & ~self.better.any(axis=0)

    @cached_property
    def better(self) -> np.ndarray:
        """Whether the row is significantly better than the column, over all pairs."""
        blocks = [(self.p_adjusted(i) <= self.level) & (self.ahead[i] > 0) for i in _blocks(len(self.ahead))]
        return np.concatenate(blocks)

    def margins(self, critical: Any, i: Any = ...) -> np.ndarray:
        """Return what is added on both sides of ``ahead``, for critical values on the normal scale."""
        freedom = np.maximum(self.common[i] - 1, 1)
        wallace = (8 * freedom + 1) / (8 * freedom + 3)
        with np.errstate(over="ignore", invalid="ignore"):
            return np.sqrt(freedom * np.expm1(np.square(critical / wallace) / freedom)) * self.error(i)

    def gaps(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the gap to the best of the others and its interval (Hsu, 1984), each of shape (k,)."""
        contend, k = self.contend, len(self.ahead)
        estimate, low, high = (np.empty(k) for _ in range(3))
        for i in range(k):
            others = np.arange(k) != i
            estimate[i] = np.nanmin(self.ahead[i, others]) if np.isfinite(self.ahead[i, others]).any() else np.nan
            below, above = self.margins(np.stack([self.critical, np.full(k, self.critical[i])]), i)
            least = (self.ahead[i] - below)[others & contend]
            low[i] = min(0.0, np.where(np.isnan(least), -np.inf, least).min(initial=0.0))
            most = (self.ahead[i] + above)[others]
            high[i] = max(0.0, np.where(np.isnan(most), np.inf, most).min(initial=np.inf)) if contend[i] else 0.0
        return estimate, low, high

    def places(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the first and the last place at which each may stand, all at once, shape (k,)."""
        better, contend, k = self.better, self.contend, len(self.ahead)
        low, high = 1 + better.sum(axis=0), k - better.sum(axis=1)
        low = np.where(contend, 1, np.maximum(low, 2))
        return low, np.where(contend & (contend.sum() == 1), 1, high)

    def smallest_p(self, two_sided: bool = True) -> float:
        """Return the smallest p-value that a comparison of all experiments can have."""
        return float(min(1.0, (2.0 if two_sided else 1.0) * 2.0 ** -float(self.common.max())))


def rows_of(scores: np.ndarray, by: str, higher_is_better: bool) -> np.ndarray:
    """Return what alternatives are compared by, higher is better: scores, or minus their average ranks."""
    if by == "score":
        return scores if higher_is_better else -scores
    tiers = rank_scores(scores, higher_is_better=higher_is_better).astype(float)
    return -rankdata(np.where(np.isnan(scores), np.nan, tiers), axis=1, nan_policy="omit")


def frame_of_contenders(
    found: Comparisons, rows: np.ndarray, names: pd.Index, by: str, alternative: Any, seed: int
) -> pd.DataFrame:
    """Say which columns may be the best, and how far each is from the others, higher is better; see `Study.best`."""
    if alternative is not None and alternative not in names:
        raise ParameterError(f"alternative: there is no {alternative!r}{suggest(alternative, names)}")
    estimate, low, high = found.gaps()
    place_low, place_high = (place.astype(float) for place in found.places())
    if alternative is not None:
        i = int(names.get_loc(alternative))
        first, last = _places_of_one(rows, i, found.level, seed)
        only = found.contend[i] and found.contend.sum() == 1
        place_low[:], place_high[:] = np.nan, np.nan
        place_low[i], place_high[i] = first, 1 if only else last
    columns = {"may_be_best": found.contend, "p": found.p_best, "estimate": estimate, "low": low, "high": high}
    frame = pd.DataFrame(columns | {"place_low": place_low, "place_high": place_high}, index=names)
    smallest = found.smallest_p(two_sided=False)
    frame.attrs = {"level": found.level, "by": by, "n_experiments": len(rows), "smallest_p": smallest}
    return frame


class _Paired:
    """Paired differences of all columns of rows, shape (N, k), higher is better, NaN where one was not run."""

    def __init__(self, rows: np.ndarray) -> None:
        seen, k = ~np.isnan(rows), rows.shape[1]
        self.seen, self.whole = seen.astype(float), bool(seen.all())
        # medians, which one diverged score does not move: few pairs are close, then
        level = np.array([np.median(row) if row.size else 0.0 for row in (row[~np.isnan(row)] for row in rows)])
        self.x = np.where(seen, rows - level[:, None], 0.0)
        self.rows, self.size = np.nan_to_num(rows), (self.x**2).sum(axis=0)
        self.common = np.broadcast_to(float(len(rows)), (k, k)) if self.whole else self.seen.T @ self.seen
        self.told: np.ndarray = (self.common >= (1 if self.whole else FEWEST_IN_COMMON)) & ~np.eye(k, dtype=bool)
        self.sums, self.scale = np.zeros((k, k)), np.full((k, k), np.inf)
        total, n_total = 0.0, 0
        for i in range(k):
            found, common, told = self._differences(i, slice(i, None)), self.common[i, i:], self.told[i, i:]
            squares, differ = (found**2).sum(axis=0), np.count_nonzero(found, axis=0)
            total, n_total = total + squares.sum(where=told), n_total + differ.sum(where=told)
            # who was equal so far need not be: as if, of two more such, the share of equal ones were not equal
            usual = squares / np.maximum(1, differ)
            squares += _MORE * usual * (common - differ) / np.maximum(common, 1)
            self.sums[i, i:] = found.sum(axis=0)
            np.sqrt(common * squares, out=self.scale[i, i:], where=told)
            self.sums[i:, i], self.scale[i:, i] = -self.sums[i, i:], self.scale[i, i:]
        equal = self.scale == 0  # in all that both have
        self.scale[equal] = np.sqrt(_MORE * total / max(1, n_total) * self.common[equal]) if total else np.inf

    def _differences(self, i: int, others: Any) -> np.ndarray:
        """Return what column i is ahead of others in each row, 0 where both are not known or equal but for rounding."""
        one, other = self.rows[:, [i]], self.rows[:, others]
        found = one - other
        equal = np.abs(found) <= _NOTHING * np.maximum(np.abs(one), np.abs(other))
        if not self.whole:
            equal |= (self.seen[:, [i]] * self.seen[:, others]) == 0
        found[equal] = 0.0
        return found

    def means(self) -> np.ndarray:
        """Return mean differences in the place of their sums, which are no longer needed."""
        np.divide(self.sums, self.common, out=self.sums, where=self.told)
        self.sums[~self.told] = np.nan
        return self.sums

    def lifted(self, values: Any, common: Any) -> np.ndarray:
        """Bring statistics to one scale, if their experiments differ in number."""
        return values if self.whole else _normal(values, common)

    def observed(self, i: Any = ...) -> np.ndarray:
        """Return how far the column is ahead of the row, as `flipped` does; minus infinity without a verdict."""
        ratio, common = -self.sums[i] / self.scale[i], self.common[i]
        # t is n + 1 at most: the flips that reach this count, too
        most = np.sqrt(_largest_square(common))
        return np.where(self.told[i], self.lifted(np.clip(ratio, -most, most), common), -np.inf)

    def flipped(self, signs: np.ndarray) -> Callable[[int], np.ndarray]:
        """Return a function: how far all others are ahead of one, in each flip, shape (B, k)."""
        means = signs @ self.x if self.whole else None

        def of(i: int) -> np.ndarray:
            if means is not None:
                sums = means - means[:, [i]]
            else:
                sums = (signs * self.seen[:, i]) @ self.x - (signs * self.x[:, i]) @ self.seen
            close = self.scale[i] < _CLOSE * np.sqrt(self.common[i] * np.maximum(self.size[i], self.size))
            if close.any():
                sums[:, close] = -(signs @ self._differences(i, close))
            return self.lifted(sums / self.scale[i], self.common[i])

        return of


def _normal(ratio: np.ndarray, common: np.ndarray) -> np.ndarray:
    """Bring t statistics to a normal scale (Wallace, 1959), from sums over the root of n times the sum of squares."""
    freedom = np.maximum(common - 1, 1)
    square = np.minimum(ratio**2, _largest_square(common))
    wallace = (8 * freedom + 1) / (8 * freedom + 3)
    return np.copysign(wallace * np.sqrt(-freedom * np.log1p(-square)), ratio)


def _largest_square(common: np.ndarray) -> np.ndarray:
    """Return the square of the ratio whose t statistic is n + 1, beyond which there is no certainty."""
    return 1 - 1 / (1 + (common + 1) ** 2 / np.maximum(common - 1, 1))


def _blocks(k: int) -> list[slice]:
    return [slice(start, start + _BLOCK) for start in range(0, k, _BLOCK)]


def _signs(n: int, k: int, seed: int) -> tuple[np.ndarray, bool]:
    """Return flips of n experiments, shape (B, n), and whether these are all of them."""
    if n <= _ALL_FLIPS:
        return 1.0 - 2.0 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1), True
    n_flips = int(np.clip(min(_FLIPPED // k, _SIGNS // n), _FEWEST_FLIPS, _FLIPS))
    return _random_signs(n, n_flips, seed, 0), False


def _random_signs(n: int, n_flips: int, seed: int, *key: int) -> np.ndarray:
    return 2.0 * stream(seed, *key).integers(0, 2, (n_flips, n)) - 1.0


class _Null(NamedTuple):
    """What a statistic is in each flip, in order."""

    values: np.ndarray
    exact: bool

    def p(self, observed: Any) -> np.ndarray:
        """Return the share of flips with at least what was observed; of random ones, this one counts, too."""
        beyond = len(self.values) - np.searchsorted(self.values, np.asarray(observed) - _TIE)
        return (beyond + (not self.exact)) / (len(self.values) + (not self.exact))

    def critical(self, level: float) -> float:
        """Return the largest value whose p-value is above the level; infinity if none is below it."""
        most = int(level * (len(self.values) + (not self.exact)) + 1e-9) - (not self.exact)
        return float(self.values[-1 - most]) + _TIE if most >= self.exact else np.inf


def _more_largest(pairs: _Paired, near: list[int], batch: int, seed: int, lowest: float) -> np.ndarray:
    """Return by how much the best of the others is ahead of each of some in many more flips, shape (some, B)."""
    n, k = pairs.x.shape
    n_batches = max(1, min(_MOST_FLIPS, _MOST_FLIPPED // k) // batch) if near else 0
    sets = (pairs.flipped(_random_signs(n, batch, seed, 1, j)) for j in range(n_batches))
    largest = [[flipped(i).max(axis=1, where=pairs.told[i], initial=lowest) for i in near] for flipped in sets]
    return np.concatenate(largest, axis=1) if near else np.empty((0, 0))


def _places_of_one(rows: np.ndarray, i: int, level: float, seed: int) -> tuple[int, int]:
    """Return between which places one alternative stands that was named beforehand."""
    pairs = _Paired(rows)
    others, n_others = pairs.told[i], rows.shape[1] - 1
    signs, exact = _signs(len(rows), rows.shape[1], seed)
    drawn = np.abs(pairs.flipped(signs)(i)).max(axis=1, where=others, initial=0.0)
    observed = pairs.observed(i)
    differ = others & (_Null(np.sort(drawn), exact).p(np.abs(observed)) <= level)
    return 1 + int((differ & (observed > 0)).sum()), 1 + n_others - int((differ & (observed < 0)).sum())


def compare_all(rows: np.ndarray, level: float, rng: np.random.Generator | int = 0) -> Comparisons:
    """Compare all columns of rows, shape (N, k), higher is better, NaN where an alternative was not run."""
    n, k = rows.shape
    if n < MIN_EXPERIMENTS or k < 2:
        raise StudyError(f"comparisons need {MIN_EXPERIMENTS} experiments and two alternatives, got {n} and {k}")
    pairs = _Paired(rows)
    told, common = pairs.told, pairs.common
    n_pairs, least = k * (k - 1) / 2, 0.5 ** common.max(axis=1)
    leads = []
    for i in _blocks(k):  # on the normal scale, how far the best of the others is ahead
        behind = _normal(-pairs.sums[i] / pairs.scale[i], common[i])
        leads.append(np.where(told[i], behind, -np.inf).max(axis=1))
    p_best = np.maximum(np.minimum(1.0, (k - 1) * ndtr(-np.concatenate(leads))), least)
    critical = np.where(least <= level, ndtri(1 - level / (k - 1)), np.inf)
    least_of_all = 2 * 0.5 ** common.max()
    critical_of_all = float(ndtri(1 - level / (2 * n_pairs))) if n_pairs * least_of_all <= level else np.inf
    candidates = np.flatnonzero((p_best > level) | (k <= MOST_FLIPPED))
    if len(candidates) > MOST_FLIPPED:
        return Comparisons(pairs.means(), pairs.scale, common, p_best, critical, None, critical_of_all, level)
    seed = seed_of(rng)
    signs, exact = _signs(n, k, seed)
    flipped, largest = pairs.flipped(signs), np.zeros(len(signs))
    p: Any = np.ones((k, k)) if k <= MOST_FLIPPED else None
    observed: Any = pairs.observed() if k <= MOST_FLIPPED else None
    lowest = -float(np.sqrt(_largest_square(np.array(n)))) if pairs.whole else -np.inf

    def normal(value: float) -> float:
        lifted = _normal(np.array(value), np.array(n)) if pairs.whole and np.isfinite(value) else value
        return float(lifted) + _TIE

    for i in candidates[told[candidates].any(axis=1)].tolist():
        drawn, others = flipped(i), told[i]
        null = _Null(np.sort(drawn.max(axis=1, where=others, initial=lowest)), exact)
        p_best[i], critical[i] = max(null.p(pairs.observed(i).max()), least[i]), normal(null.critical(level))
        if k <= MOST_FLIPPED:
            sizes = np.abs(drawn)
            np.maximum(largest, sizes.max(axis=1, where=others, initial=0.0), out=largest)
            beyond = (sizes >= np.abs(observed[i]) - _TIE).sum(axis=0)
            p[i] = np.where(others, (beyond + (not exact)) / (len(signs) + (not exact)), 1.0)
    near = [] if exact else [int(i) for i in candidates if abs(p_best[i] - level) <= 3 * np.sqrt(level / len(signs))]
    for one, drawn in zip(near, _more_largest(pairs, near, len(signs), seed, lowest), strict=True):
        null = _Null(np.sort(drawn), exact)
        p_best[one], critical[one] = max(null.p(pairs.observed(one).max()), least[one]), normal(null.critical(level))
    by_flips = None
    if k <= MOST_FLIPPED:
        null = _Null(np.sort(largest), exact)
        p = np.maximum(np.maximum(p, p.T), np.where(told, 2 * 0.5**common, 0.0))  # rounding, and few random flips
        p_adjusted = np.maximum(np.where(told, null.p(np.abs(observed)), 1.0), p)
        by_flips = p, np.maximum(p_adjusted, p_adjusted.T)
        critical_of_all = normal(null.critical(level))
    return Comparisons(pairs.means(), pairs.scale, common, p_best, critical, by_flips, critical_of_all, level)
