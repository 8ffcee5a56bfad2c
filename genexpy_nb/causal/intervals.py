"""Intervals over clusters that are independent of each other: by t, and BCa, in which rounding decides no tie."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats
from scipy.special import ndtr, ndtri

from genexpy_nb.causal.rounding import RESOLUTION, negligible
from genexpy_nb.causal.runs import Runs
from genexpy_nb.common.prose import percent


class Mean(NamedTuple):
    """A mean, its t interval and the two-sided t test that it is 0; NaN where there is no interval."""

    estimate: float
    low: float
    high: float
    standard_error: float
    df: float
    p: float
    method: str


def clustered_mean(values: np.ndarray, clusters: np.ndarray, confidence: float, size: float) -> Mean:
    """Return the mean with its cluster-robust error (CR2), and t with Bell and McCaffrey's degrees of freedom."""
    codes, names = pd.factorize(clusters)
    g, n, mean = len(names), len(values), float(values.mean())
    sums, sizes = np.bincount(codes, weights=values - mean), np.bincount(codes)
    se = float(np.sqrt(np.sum(sums**2 / (1 - sizes / n))) / n)
    method = "t test" if g == n else "t test on clusters"
    df = g - 1.0
    if np.ptp(sizes):  # were all values independent and alike: (sum lambda)^2 / sum lambda^2
        weights = sizes / n
        squares = weights**2 / (1 - weights)
        df = 1 / (np.sum(weights**2) + squares.sum() ** 2 - np.sum(squares**2))
    return mean_with_interval(mean, se, df, confidence, size, method)


def mean_with_interval(mean: float, se: float, df: float, confidence: float, size: float, method: str) -> Mean:
    """Return a mean with the t interval and the t test of a standard error; a negligible one gives neither."""
    if negligible(se, size):
        return Mean(mean, np.nan, np.nan, 0.0, float(df), np.nan, method)
    half = float(stats.t.ppf((1 + confidence) / 2, df)) * se
    return Mean(mean, mean - half, mean + half, se, float(df), float(2 * stats.t.sf(abs(mean) / se, df)), method)


# --- averages over the runs of a study, with the interval that its design allows --------------------------------------

_FEW = 10  # clusters; fewer cannot show whether their effects are about normal
_FEW_FOR_BCA = 20


def average_over_runs(
    rows: pd.DataFrame, value: str, runs: Runs, cluster: str, clusters: pd.Series, confidence: float, size: float
) -> Mean:
    """Return the mean of some runs' values, with the t interval that their design allows."""
    values, clusters = rows[value].to_numpy(float), rows["system"].map(clusters)
    if (runs.whole_population and cluster == "system") or clusters.nunique() < 2:
        return Mean(float(values.mean()), np.nan, np.nan, np.nan, np.nan, np.nan, "no interval")
    return clustered_mean(values, clusters.to_numpy(), confidence, size)


def notes_on_sample(mean: Mean, runs: Runs, systems: pd.Series, what: str) -> list[str]:
    """Return what a reader must know if nothing was sampled, or of the clusters: how many, and how unequal they are."""
    notes = [
        "All systems of the population ran: the sample is the population, so that there is no sampling error, no "
        "interval and no p-value."
    ] * runs.whole_population
    if np.isnan(mean.df):
        return notes
    if mean.standard_error == 0:
        return [*notes, "All effects are the same: without any spread there is no t interval and no t test."]
    sizes = systems.value_counts()
    n = len(sizes)
    if n < _FEW:
        notes.append(
            f"{_so_many(n, what)}: the interval takes their effects for about normal, which so few cannot show."
        )
    if mean.df < (n - 1) / 2:
        share = sizes.iloc[0] / sizes.sum()
        notes.append(
            f"Levels of {what} are unequal, the largest has {percent(share)} of the systems: the interval allows "
            f"for it, with {mean.df:.1f} degrees of freedom instead of {n - 1}."
        )
    return notes


def note_on_bca(n_clusters: int, what: str) -> str:
    """Return what a reader must know about a BCa interval over so many clusters; empty if they are enough."""
    if n_clusters >= _FEW_FOR_BCA:
        return ""
    return f"from {_so_many(n_clusters, what)} it covers less than it says: it needs about {_FEW_FOR_BCA}"


def _so_many(n: int, what: str) -> str:
    return f"{n} systems" if what == "system" else f"{n} levels of {what}"


# --- resampled clusters -----------------------------------------------------------------------------------------------

_NUMBERS = 4_000_000  # held in memory at once


def bca_interval(
    samples: Sequence[Sequence[np.ndarray]],
    of_means: Callable[..., Any],  # means of all arrays of all samples -> statistic, element by element
    confidence: float,
    n_resamples: int,
    size: float,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Return the ends of a BCa bootstrap interval of a function of means."""
    estimate, slack = of_means(*(x.mean() for sample in samples for x in sample)), RESOLUTION * size
    drawn, step = [], max(1, _NUMBERS // sum(len(sample[0]) for sample in samples))
    for start in range(0, n_resamples, step):
        n, means = min(step, n_resamples - start), []
        for sample in samples:
            places = rng.integers(len(sample[0]), size=(n, len(sample[0])))
            means += [x[places].mean(axis=1) for x in sample]
        drawn.append(of_means(*means))
    values = np.concatenate(drawn)
    below = (np.mean(values < estimate - slack) + np.mean(values <= estimate + slack)) / 2
    if not 0 < below < 1:
        return np.nan, np.nan
    cubes = squares = 0.0  # for the skewness of the influence of single observations, by leaving out one at a time
    for k, sample in enumerate(samples):
        n = len(sample[0])
        left = [(x.sum() - x) / (n - 1) if j == k else x.mean() for j, other in enumerate(samples) for x in other]
        without = of_means(*left)
        influence = (n - 1) * (without.mean() - without)
        cubes, squares = cubes + np.sum(influence**3) / n**3, squares + np.sum(influence**2) / n**2
    acceleration = float(cubes / (6 * squares**1.5)) if squares > 0 else 0.0
    z0, z = ndtri(below), ndtri([(1 - confidence) / 2, (1 + confidence) / 2])
    low, high = np.quantile(values, ndtr(z0 + (z0 + z) / (1 - acceleration * (z0 + z))))
    return float(low), float(high)
