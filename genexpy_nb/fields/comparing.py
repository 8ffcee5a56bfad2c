"""Comparisons of estimates of which a covariance is known, from few groups perhaps, and whether others would agree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri
from scipy.stats import t as student

from genexpy_nb.common.errors import StudyError
from genexpy_nb.common.prose import plain_line, together
from genexpy_nb.common.random import stream
from genexpy_nb.conclusions.contenders import Comparisons
from genexpy_nb.conclusions.effects import root_of
from genexpy_nb.conclusions.tables import agreement_of_estimates

FEWEST_GROUPS = 5  # with fewer, nothing is known of how they differ
POWER = 0.8
_DRAWS, _FEWEST_DRAWS = 9_999, 1_999
_NUMBERS = 2_000_000  # of a chunk of draws


def compared(
    estimates: np.ndarray, root: np.ndarray, freedom: float, level: float, seed: int
) -> tuple[Comparisons, np.ndarray]:
    """Return all comparisons, against the largest difference that chance makes, and their standard errors."""
    k = len(estimates)
    ahead = estimates[:, None] - estimates
    errors = np.maximum(np.linalg.norm(root[:, :, None] - root[:, None], axis=0), np.finfo(float).tiny)  # all tied
    np.fill_diagonal(errors, np.inf)
    lead = np.where(np.eye(k, dtype=bool), -np.inf, -ahead / errors).max(axis=1)
    largest, beyond = [], np.zeros(k)
    for leads in _of_chance(root, freedom, seed):
        beyond += (leads.max(axis=2) >= lead).sum(axis=0)
        largest.append(np.abs(leads).max(axis=(1, 2), where=~np.eye(k, dtype=bool), initial=0.0))
    null = np.sort(np.concatenate(largest))
    p_best = (1 + beyond) / (1 + len(null))
    size = np.abs(ahead / errors)
    p, p_adjusted = 2 * student.sf(size, freedom), (1 + len(null) - np.searchsorted(null, size)) / (1 + len(null))
    flipped = (p, np.maximum(p, p_adjusted))
    none = np.full(k, np.nan)
    return Comparisons(ahead, errors, np.full((k, k), freedom), p_best, none, flipped, np.nan, level), errors


def _of_chance(root: np.ndarray, freedom: float, seed: int) -> Iterator[np.ndarray]:
    """Yield how far each column is ahead of each row by chance, in units of errors that are drawn as well."""
    k, rng = root.shape[1], stream(seed, 0)
    centred = root - root.mean(axis=1, keepdims=True)
    noise = centred.T @ centred
    # what few groups say of how alternatives vary together is shrunk to "all alike", where most differences are large
    alike = np.trace(noise) / max(1, k - 1) * (np.eye(k) - 1 / k)
    shape = root_of((freedom * noise + k * alike) / (freedom + k))
    left = max(_FEWEST_DRAWS, min(_DRAWS, _NUMBERS // (k * k)))
    while left > 0:
        n = min(left, max(1, _NUMBERS // (k * k)))
        left -= n
        drawn = rng.standard_normal((n, k)) @ shape
        if freedom < k:
            factor = rng.standard_normal((n, int(freedom), k))
        else:  # Bartlett (1933)
            factor, at = np.triu(rng.standard_normal((n, k, k)), 1), np.arange(k)
            factor[:, at, at] = np.sqrt(rng.chisquare(freedom - at, (n, k)))
        factor = factor @ shape
        products = factor.transpose(0, 2, 1) @ factor / (int(freedom) if freedom < k else freedom)
        own = np.einsum("nii->ni", products)
        variances = own[:, :, None] + own[:, None] - 2 * products
        variances[:, np.eye(k, dtype=bool)] = np.inf
        yield (drawn[:, None] - drawn[:, :, None]) / np.sqrt(np.maximum(variances, np.finfo(float).tiny))


def pairs_of(
    found: Comparisons, errors: np.ndarray, freedom: float, confidence: float, names: pd.Index
) -> pd.DataFrame:
    """Return a row for each pair: the difference, with an interval for this pair alone, and p-values."""
    i, j = np.triu_indices(len(names), 1)
    ahead, margin = found.ahead[i, j], student.isf((1 - confidence) / 2, freedom) * errors[i, j]
    frame = pd.DataFrame({"first": names[i], "second": names[j], "estimate": ahead})
    frame = frame.assign(low=ahead - margin, high=ahead + margin)
    return frame.assign(p=found.p()[i, j], p_adjusted=found.p_adjusted()[i, j])


def times_as_many(t: float, level: float) -> float:
    """Return what takes two apart, with `POWER`, that differ by so many standard errors: so many times the data."""
    return float(((ndtri(1 - level / 2) + ndtri(POWER)) / max(t, 1e-9)) ** 2)


def sums_of(values: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Return the sums of rows over each group, shape (groups, k)."""
    return np.stack([np.bincount(groups, column) for column in values.T], axis=1)


def worth(sizes: np.ndarray) -> float:
    """Return as how many equal groups these count (Kish, 1965): where few hold most, the others hardly do."""
    return float(sizes.sum() ** 2 / (sizes**2).sum())


def check_groups(column: Any, n: int) -> None:
    """Raise `StudyError` if a column has too few groups."""
    if n < FEWEST_GROUPS:
        raise StudyError(
            f"cluster: {column!r} has {n} levels, and fewer than {FEWEST_GROUPS} do not show how others would differ; "
            "leave it out, and the answer is about these ones"
        )


def who_may_be_best(names: Sequence[Any], of: str, where: str = "") -> str:
    """Return a sentence that names the only one, or the first of those, that may be the best of so many."""
    if len(names) == 1:
        return f"{plain_line(names[0])} is the best of {of}{where}."
    return f"{len(names)} of {of} may be the best{where}: {together(map(plain_line, names), 8)}."


def in_words(numbers: Iterable[float], form: Callable[[float], str]) -> str:
    """Return an estimate and its interval as text."""
    estimate, low, high = map(form, numbers)
    return f"{estimate} [{low}, {high}]"


def same_winner(
    estimates: np.ndarray, root: np.ndarray, freedom: float, confidence: float, seed: int
) -> tuple[float, float, float]:
    """Return how likely two studies of the same size have the same one in front: estimate and limits."""
    low, high = agreement_of_estimates(estimates, root, freedom, confidence, seed)
    k, noise, rng = len(estimates), root @ root, stream(seed, 1)
    # of the truth, if all are normal, with the spread seen here
    prior = max(0.0, float(estimates.var(ddof=1) - np.trace(noise) / (k - 1))) * (np.eye(k) - 1 / k)
    share = prior @ np.linalg.pinv(prior + noise, hermitian=True)
    truth = rng.standard_normal((_DRAWS, k)) @ root_of(prior - share @ prior) + share @ estimates
    one, other = ((truth + rng.standard_normal((_DRAWS, k)) @ root).argmax(axis=1) for _ in range(2))
    return float(np.clip((one == other).mean(), low, high)), low, high
