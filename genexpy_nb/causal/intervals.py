"""Intervals of means over clusters that are independent of each other, by t, and what must be known of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from genexpy_nb.causal.runs import Runs
from genexpy_nb.common.prose import percent
from genexpy_nb.common.rankings import negligible


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
        many = f"{n} systems" if what == "system" else f"{n} levels of {what}"
        notes.append(f"{many}: the interval takes their effects for about normal, which so few cannot show.")
    if mean.df < (n - 1) / 2:
        share = sizes.iloc[0] / sizes.sum()
        notes.append(
            f"Levels of {what} are unequal, the largest has {percent(share)} of the systems: the interval allows "
            f"for it, with {mean.df:.1f} degrees of freedom instead of {n - 1}."
        )
    return notes
