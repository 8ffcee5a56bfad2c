"""Would another study see the same sign, and the same ones in front? Limits of what is not known, from t statistics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import gammaln, nctdtrinc, ndtr
from scipy.stats import nct
from scipy.stats import t as student

from genexpy_nb.common.checks import TOLERANCE, check_count, check_level
from genexpy_nb.common.errors import StudyError

_FEWEST = 5  # experiments: with fewer, nothing is known of the noise
_CHUNK = 4_000_000


def replication(differences: Any, n: int | None = None, level: float = 0.05, confidence: float = 0.95) -> pd.DataFrame:
    """Say how likely a study of n is to find the same one of two better, from differences; see `Study.compare`."""
    values = np.asarray(differences, dtype=float)
    if len(values) < _FEWEST:
        raise StudyError(f"at least {_FEWEST} experiments in common are needed, got {len(values)}")
    values = values if values.mean() > 0 else -values
    n = len(values) if n is None else check_count("n", n, 2)
    level, confidence = check_level("level", level), check_level("confidence", confidence)
    degrees, (low,) = len(values) - 1, lower_limits(values[:, None], (1 - confidence) / 2)
    bias = np.exp(gammaln(degrees / 2) - gammaln((degrees - 1) / 2)) / np.sqrt(degrees / 2)
    t = np.nan if np.isnan(low) else bias * values.mean() / values.std(ddof=1) * np.sqrt(len(values))
    found = {}
    for name, noncentrality in (("estimate", t), ("low", low)):
        ahead = noncentrality * np.sqrt(n / len(values))
        found[name] = [ndtr(ahead), nct.sf(student.isf(level / 2, n - 1), n - 1, ahead)]
    frame = pd.DataFrame({"n": n, **found}, index=["same sign", "same sign, significant"])
    return frame.assign(estimate=frame["estimate"].where(frame["estimate"] >= frame["low"]))


def lower_limits(differences: np.ndarray, level: float) -> np.ndarray:
    """Return, of each column, the noncentrality of which so large a t statistic has a probability of the level."""
    # for normal differences; where those at hand give the standardized mean a larger variance, the limit is lower
    n, mean, spread = len(differences), differences.mean(axis=0), differences.std(axis=0, ddof=1)
    spread = np.where(spread > TOLERANCE * np.abs(differences).max(axis=0), spread, np.nan)
    effect, standard = mean / spread, (differences - mean) / spread * np.sqrt(n / (n - 1))
    skewness, excess = (standard**3).mean(axis=0), (standard**4).mean(axis=0) - 3
    excess = (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * excess + 6)  # unbiased if normal
    variance = (1 - skewness * effect + (2 + excess) / 4 * effect**2) / (1 + effect**2 / 2)
    t = effect * np.sqrt(n)
    return t - (t - nctdtrinc(n - 1, 1 - level, t)) * np.sqrt(np.maximum(variance, 1.0))


def least_share_with_same_top(rows: np.ndarray, k: int, ratios: Sequence[float], confidence: float) -> np.ndarray:
    """Return how often other studies have the same best k at least, 0 where nothing is known; shape (T,)."""
    # the sum over pairs that change places is more than there is, so that no limits have to hold together
    order = np.argsort(-rows.mean(axis=0), kind="stable")
    first, second = (each.ravel() for each in np.meshgrid(order[:k], order[k:]))
    step = max(1, _CHUNK // len(rows))
    parts = [slice(start, start + step) for start in range(0, len(first), step)]
    level = (1 - confidence) / 2
    ahead = np.concatenate([lower_limits(rows[:, first[part]] - rows[:, second[part]], level) for part in parts])
    swapped = ndtr(-np.multiply.outer(np.sqrt(ratios), ahead)).sum(axis=1)
    return np.where(swapped < 1, 1 - swapped, 0.0)
