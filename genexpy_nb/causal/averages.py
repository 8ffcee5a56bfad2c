"""Averages over the runs of a study, with the interval that its design allows, and what is to be said about that."""

from __future__ import annotations

import numpy as np
import pandas as pd

from genexpy_nb.causal.intervals import Mean, clustered_mean, crossed_mean, without_interval
from genexpy_nb.causal.runs import Runs
from genexpy_nb.common.errors import StudyError
from genexpy_nb.common.prose import percent

_FEW = 10  # clusters; fewer cannot show whether their effects are about normal
_FEW_FOR_BCA = 20
# Shared compositions -> least coverage in per cent of a 95 % interval in simulations, `benchmarks/bench_causal.py`.
_COVERED = {2: 89, 3: 92}


def single_composition(runs: Runs, rows: pd.DataFrame) -> bool:
    """Whether all systems share one train-test composition: then nothing is known about other ones."""
    return runs.compositions == "shared" and rows["composition"].nunique() == 1


def average_over_runs(
    rows: pd.DataFrame, value: str, runs: Runs, cluster: str, clusters: pd.Series, confidence: float, size: float
) -> Mean:
    """Return the mean of some runs' values, with the t interval that their design allows."""
    values, clusters = rows[value].to_numpy(float), rows["system"].map(clusters)
    nothing_random = runs.whole_population and cluster == "system"
    if nothing_random or single_composition(runs, rows) or clusters.nunique() < 2:
        return without_interval(values.mean())
    if runs.compositions == "shared":
        return crossed_mean(_by_cluster(rows, value, clusters, cluster), confidence, size)
    return clustered_mean(values, clusters.to_numpy(), confidence, size)


def _by_cluster(rows: pd.DataFrame, value: str, clusters: pd.Series, cluster: str) -> np.ndarray:
    """Means of each cluster on each shared composition, shape (n_clusters, n_compositions)."""
    grouped = rows.groupby([clusters, rows["composition"]])[value]
    if grouped.size().nunique() > 1:
        raise StudyError(
            f"the systems share their compositions, and {cluster} holds different numbers of systems: there is no "
            "interval for both kinds of luck at once. Run the study with shared_compositions=False, or take "
            "cluster='system'"
        )
    return grouped.mean().unstack().to_numpy()


def notes_on_compositions(runs: Runs, rows: pd.DataFrame) -> list[str]:
    """Return what a reader must know about the compositions that an interval is about."""
    if runs.whole_population:
        return [
            "All systems of the population ran: the sample is the population, so that there is no sampling error, no "
            "interval and no p-value."
        ]
    if single_composition(runs, rows):
        return [
            "All systems share one train-test composition: nothing is known about other compositions, so that there is "
            "no interval and no test. Run with shared_compositions=False, or with several shared compositions."
        ]
    if runs.compositions != "shared":
        return []
    n = rows["composition"].nunique()
    notes = ["The permutation test and BCa hold for these compositions only; the t interval for others, too."]
    if n in _COVERED:
        notes.append(f"With {n} shared compositions that differ much, 95 % intervals covered {_COVERED[n]} % only.")
    return notes


def notes_on_clusters(mean: Mean, systems: pd.Series, what: str) -> list[str]:
    """Return what a reader must know about the number of clusters, and about how unequal they are."""
    if np.isnan(mean.df):
        return []
    if mean.standard_error == 0:
        return ["All effects are the same: without any spread there is no t interval and no t test."]
    sizes = systems.value_counts()
    n, notes = len(sizes), []
    if n < _FEW:
        notes.append(
            f"{_so_many(n, what)}: the interval takes their effects for about normal, which so few cannot show."
        )
    if mean.df < (n - 1) / 2 and "compositions" not in mean.method:
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
