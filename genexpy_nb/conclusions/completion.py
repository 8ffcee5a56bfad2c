"""Missing evaluations: several completions of a table, drawn from a model that is fitted to what was observed.

The model sees normal scores of the ranks within each condition: that of alternative j under condition i is

    offset_i + scale_i (effect_j + sum_r factor_ir loading_jr + noise_ij),   noise_ij ~ N(0, variance_j)

with up to three factors, and is fitted by Gibbs sampling, so that the parameters of each completion are drawn, too.
``docs/accuracy.md`` says against what it was chosen, and how often the intervals held.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import ndtri
from scipy.stats import rankdata

from genexpy_nb.common.checks import listed
from genexpy_nb.common.errors import StudyError
from genexpy_nb.common.random import generator
from genexpy_nb.common.rankings import rank_scores

#: How many completions the answers on a table are combined from.
N_COMPLETIONS = 10

#: Most factors of the model. Five were no better on the MTEB table, and one was worse.
N_FACTORS = 3

_FEWEST_PER_FACTOR = 5  # conditions, and alternatives
_FIRST, _BETWEEN = 40, 8  # sweeps of the sampler before the first completion, and from one to the next
_PRIOR_DEGREES = 4  # of the variance of one alternative, about that of all
_SCALE_DEGREES = 10  # of the scale of one condition, about 1, which normal scores have where nothing is missing
_FEW_SCORES = 8  # of a condition, below which both ends are as steep as the whole
_APART = 1e3  # between the normal scores of two conditions, where those of all are searched at once


@dataclass(frozen=True)
class Completion:
    """One completed table."""

    rankings: np.ndarray
    scores: np.ndarray


def complete(
    scores: pd.DataFrame, higher_is_better: bool, n_completions: int = N_COMPLETIONS, rng: np.random.Generator | int = 0
) -> list[Completion]:
    """Draw the missing scores of a table several times."""
    rng = generator(rng)
    check_comparable(scores)
    values = scores.to_numpy(dtype=float)
    tiers = rank_scores(values, higher_is_better=higher_is_better)
    observed = ~np.isnan(values)
    if observed.all():
        return [Completion(tiers, values.copy())]
    latent = normal_scores(tiers, observed)
    # Draws go by what the columns hold, so that alternatives with other names have the same completions.
    held = np.where(observed, latent, np.inf)
    order = sorted(range(held.shape[1]), key=lambda column: held[:, column].tobytes())
    latent, values, observed = (np.take(table, order, axis=1) for table in (latent, values, observed))
    known = _Known(latent, values, observed)
    sampler = _Sampler(latent, observed, rng)
    back = np.argsort(order)
    found = []
    for number in range(n_completions):
        for _ in range(_BETWEEN if number else _FIRST):
            sampler.sweep()
        one = known.completed(sampler.draw(), rng)
        found.append(Completion(np.take(one.rankings, back, axis=1), np.take(one.scores, back, axis=1)))
    return found


def table_of(one: Completion, of: str, block: pd.DataFrame) -> pd.DataFrame:
    """Return scores or rankings of one completion, with the names of the table."""
    values = one.scores.copy() if of == "scores" else one.rankings.astype(int)
    return pd.DataFrame(values, block.index, block.columns)


def with_worst_scores(scores: pd.DataFrame, higher_is_better: bool) -> pd.DataFrame:
    """Give missing scores the worst one of their row."""
    values = scores.to_numpy()
    worst = np.nanmin(values, axis=1) if higher_is_better else np.nanmax(values, axis=1)
    return pd.DataFrame(np.where(np.isnan(values), worst[:, None], values), scores.index, scores.columns)


def check_comparable(scores: pd.DataFrame, where: str = "") -> None:
    """Raise `StudyError` unless all alternatives are connected by conditions in which they were evaluated together."""
    rows, columns = np.nonzero(scores.notna().to_numpy())
    n, k = scores.shape
    edges = coo_array((np.ones(len(rows), dtype=bool), (rows, n + columns)), shape=(n + k, n + k))
    n_groups, group = connected_components(edges, directed=False)
    of_alternatives = group[n:]
    if n_groups > 1 and len(np.unique(of_alternatives)) > 1:
        sizes = np.bincount(of_alternatives, minlength=n_groups)
        smallest = np.flatnonzero(sizes == sizes[sizes > 0].min())[0]
        few = scores.columns[of_alternatives == smallest]
        raise StudyError(
            f"missing='complete'{f' ({where})' if where else ''}: no condition connects {listed(few, 5)} with the "
            "other alternatives, so that no score says which are better; choose another policy for missing "
            "evaluations, or compare these alone"
        )


def normal_scores(tiers: np.ndarray, observed: np.ndarray) -> np.ndarray:
    """Return the normal quantiles of the ranks of the observed alternatives within each condition, high = good."""
    ranks, n = rankdata(tiers, axis=1), observed.sum(axis=1, keepdims=True)
    return np.where(observed, ndtri(np.where(observed, 1 - (ranks - 0.5) / n, 0.5)), 0.0)


class _Sampler:
    """Gibbs sampler of the model in the head of this module, for normal scores, 0 where nothing was observed."""

    def __init__(self, latent: np.ndarray, observed: np.ndarray, rng: np.random.Generator) -> None:
        self.rng, self.latent, self.observed = rng, latent, observed.astype(float)
        self.n_of_row, self.n_of_column = observed.sum(axis=1), observed.sum(axis=0)
        n, k = latent.shape
        n_factors = min(N_FACTORS, n // _FEWEST_PER_FACTOR, k // _FEWEST_PER_FACTOR)
        self.offset, self.scale = np.zeros(n), np.ones(n)
        self.effect = latent.sum(axis=0) / self.n_of_column
        self.prior_effect, self.prior_loading = 1.0, np.full(n_factors, 0.3)
        rest = (latent - self.effect) * self.observed
        left, sizes, right = np.linalg.svd(rest, full_matrices=False)
        self.factor = left[:, :n_factors] * np.sqrt(n)
        self.loading = right[:n_factors].T * sizes[:n_factors] / np.sqrt(n)
        rest = (rest - self.factor @ self.loading.T) * self.observed
        self.variance = (rest**2).sum(axis=0) / self.n_of_column + 0.05

    def sweep(self) -> None:
        """Draw all parameters once, each given the others."""
        standard = (self.latent - self.offset[:, None]) / self.scale[:, None] * self.observed
        weight = self.observed / self.variance
        self._draw_factors(standard, weight)
        common = self.factor @ self.loading.T
        self._draw_effects(standard - common, weight)
        self._draw_variances(((standard - common - self.effect) * self.observed) ** 2)
        self._draw_scales()
        self._draw_offsets(common)

    def draw(self) -> np.ndarray:
        """Draw every cell, observed or not, given the parameters."""
        noise = self.rng.standard_normal(self.latent.shape) * np.sqrt(self.variance)
        return self.offset[:, None] + self.scale[:, None] * (self.effect + self.factor @ self.loading.T + noise)

    def _draw_factors(self, standard: np.ndarray, weight: np.ndarray) -> None:
        n_factors = self.factor.shape[1]
        if not n_factors:
            return
        rest, eye = (standard - self.effect) * weight, np.eye(n_factors)
        self.factor = self._normal(_weighted_squares(weight, self.loading) + eye, rest @ self.loading)
        precision = _weighted_squares(weight.T, self.factor) + eye / self.prior_loading
        self.loading = self._normal(precision, rest.T @ self.factor)
        k = len(self.loading)
        self.prior_loading = ((self.loading**2).sum(axis=0) + 0.1) / self.rng.chisquare(k + 1, n_factors)

    def _normal(self, precision: np.ndarray, weighted: np.ndarray) -> np.ndarray:
        """Draw normal vectors, shape (n, R), from their precisions, shape (n, R, R), and precisions times means."""
        root = np.linalg.cholesky(precision)
        noise = np.linalg.solve(np.swapaxes(root, 1, 2), self.rng.standard_normal(weighted.shape)[..., None])
        return (np.linalg.solve(precision, weighted[..., None]) + noise)[..., 0]

    def _draw_effects(self, rest: np.ndarray, weight: np.ndarray) -> None:
        k = len(self.effect)
        precision = weight.sum(axis=0) + 1 / self.prior_effect
        effect = (rest * weight).sum(axis=0) / precision + self.rng.standard_normal(k) / np.sqrt(precision)
        self.effect = effect - effect.mean()  # the offsets of the conditions take the mean
        self.prior_effect = ((self.effect**2).sum() + 1e-3) / self.rng.chisquare(max(k - 1, 1))

    def _draw_variances(self, squares: np.ndarray) -> None:
        of_column = squares.sum(axis=0)
        common = max(of_column.sum(), 1e-9) / self.rng.chisquare(self.n_of_row.sum())
        degrees = self.n_of_column + _PRIOR_DEGREES
        self.variance = (of_column + _PRIOR_DEGREES * common) / self.rng.chisquare(degrees)

    def _draw_scales(self) -> None:
        """Draw the scales, given the effects only: the factors count as noise here."""
        weight = self.observed / (self.variance + (self.loading**2).sum(axis=1))
        total = weight.sum(axis=1, keepdims=True)
        mean = (weight * self.latent).sum(axis=1, keepdims=True) / total
        expected = (weight * self.effect).sum(axis=1, keepdims=True) / total
        spread = (weight * (self.latent - mean) ** 2).sum(axis=1)
        of_effects = (weight * (self.effect - expected) ** 2).sum(axis=1)
        degrees = self.n_of_row - 1 + _SCALE_DEGREES
        self.scale = np.sqrt((spread + _SCALE_DEGREES) / (of_effects + self.rng.chisquare(degrees)))

    def _draw_offsets(self, common: np.ndarray) -> None:
        weight = self.observed / self.variance
        total = weight.sum(axis=1)
        rest = self.latent - self.scale[:, None] * (self.effect + common)
        noise = self.scale * self.rng.standard_normal(len(total)) / np.sqrt(total)
        self.offset = (weight * rest).sum(axis=1) / total + noise


def _weighted_squares(weight: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Return ``sum_j weight_ij vector_j vector_j'``, shape (n, R, R)."""
    r = vectors.shape[1]
    outer = (vectors[:, :, None] * vectors[:, None, :]).reshape(len(vectors), r * r)
    return (weight @ outer).reshape(-1, r, r)


class _Known:
    """The observed scores of every condition in order, to say where a drawn one falls."""

    def __init__(self, latent: np.ndarray, values: np.ndarray, observed: np.ndarray) -> None:
        self.latent, self.values, self.observed = latent, values, observed
        order = np.argsort(np.where(observed, latent, np.inf), axis=1, kind="stable")
        n_of_row = observed.sum(axis=1)
        held = np.arange(latent.shape[1]) < n_of_row[:, None]
        self.ordered, self.scores = (np.take_along_axis(a, order, axis=1)[held] for a in (latent, values))
        self.rows, self.columns = np.nonzero(~observed)
        self.keys = self.ordered + _APART * np.repeat(np.arange(len(latent)), n_of_row)
        self.end = np.cumsum(n_of_row)[self.rows] - 1
        self.start = self.end + 1 - n_of_row[self.rows]
        self._measure_ties(n_of_row)
        self._measure_slopes(n_of_row)
        self.lowest, self.highest = self.scores.min(), self.scores.max()

    def _measure_ties(self, n_of_row: np.ndarray) -> None:
        """Measure the share of observed scores that tie, and half the last steps, of the conditions of the cells."""
        same = np.diff(self.keys) == 0
        tied = np.r_[same, False] | np.r_[False, same]
        which = np.repeat(np.arange(len(n_of_row)), n_of_row)
        self.tied = (np.bincount(which, tied, len(n_of_row)) / n_of_row)[self.rows]
        inner = np.where(self.observed, self.latent, np.nan)
        highest, lowest = np.nanmax(inner, axis=1, keepdims=True), np.nanmin(inner, axis=1, keepdims=True)
        next_highest = np.where(self.observed & (inner < highest), inner, -np.inf).max(axis=1)
        next_lowest = np.where(self.observed & (inner > lowest), inner, np.inf).min(axis=1)
        self.half_above = ((highest[:, 0] - next_highest) / 2)[self.rows]
        self.half_below = ((next_lowest - lowest[:, 0]) / 2)[self.rows]

    def _measure_slopes(self, n_of_row: np.ndarray) -> None:
        """Measure how much score a unit of normal score is worth, from the median to either end."""
        end = np.cumsum(n_of_row) - 1
        start = end + 1 - n_of_row
        middle = (start + end) // 2
        overall = _slope(self.ordered, self.scores, start, end)
        known = np.isfinite(overall)
        overall = np.where(known, overall, np.median(overall[known]) if known.any() else 0.0)
        few = n_of_row < _FEW_SCORES
        above, below = (_slope(self.ordered, self.scores, *part) for part in ((middle, end), (start, middle)))
        self.slope_above = np.where(few | ~np.isfinite(above), overall, above)[self.rows]
        self.slope_below = np.where(few | ~np.isfinite(below), overall, below)[self.rows]

    def completed(self, draw: np.ndarray, rng: np.random.Generator) -> Completion:
        """Put drawn normal scores where there are none, as many of them tied with an observed one as those are."""
        cells = np.clip(draw[self.rows, self.columns], -_APART / 4, _APART / 4)
        place = np.searchsorted(self.keys, cells + _APART * self.rows)
        below, above = np.clip(place - 1, self.start, self.end), np.clip(place, self.start, self.end)
        cells = self._tie(cells, self.ordered[below], self.ordered[above], rng)
        latent, values = self.latent.copy(), self.values.copy()
        latent[self.rows, self.columns] = cells
        values[self.rows, self.columns] = self._scores(cells, below, above)
        tiers = rank_scores(latent, higher_is_better=True)
        return Completion(tiers.astype(np.min_scalar_type(-tiers.shape[1])), values)

    def _tie(self, cells: np.ndarray, below: np.ndarray, above: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        nearest = np.where(cells - below <= above - cells, below, above)
        outside = np.where(cells > above, self.half_above, np.where(cells < below, self.half_below, np.inf))
        ties = (rng.random(cells.shape) < self.tied) & (np.abs(cells - nearest) <= outside)
        return np.where(ties, nearest, cells)

    def _scores(self, cells: np.ndarray, below: np.ndarray, above: np.ndarray) -> np.ndarray:
        width = self.ordered[above] - self.ordered[below]
        part = np.divide(cells - self.ordered[below], width, out=np.zeros(cells.shape), where=width > 0)
        part = np.clip(part, 0, 1)
        scores = (1 - part) * self.scores[below] + part * self.scores[above]
        scores += np.maximum(cells - self.ordered[self.end], 0) * self.slope_above
        scores += np.minimum(cells - self.ordered[self.start], 0) * self.slope_below
        return np.clip(scores, self.lowest, self.highest)


def _slope(ordered: np.ndarray, scores: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Return differences of scores over differences of normal scores, NaN where there is none."""
    width = ordered[end] - ordered[start]
    return np.divide(scores[end] - scores[start], width, out=np.full(width.shape, np.nan), where=width > 0)
