"""From runs to effects: expected generalization errors and their difference, with intervals and tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from genexpy_nb.causal import intervals
from genexpy_nb.causal.rounding import digits_after_point, negligible
from genexpy_nb.causal.runs import Runs, effects_of_pairs, without_failures
from genexpy_nb.common.checks import check_count, check_level
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.random import generator

_BCA = "BCa bootstrap"


@dataclass(frozen=True, eq=False)
class TreatmentEffect:
    """Result of `average_treatment_effect`, which says what is in it."""

    treatment: str
    a: Any
    b: Any
    loss: str
    design: str
    estimate: float
    low: float
    high: float
    standard_error: float
    df: float
    p: float
    method: str
    confidence: float
    n_systems: int
    n_used: int
    tests: pd.DataFrame
    errors: pd.DataFrame
    notes: tuple[str, ...]

    def __str__(self) -> str:
        ends = self.estimate, self.low, self.high
        estimate, low, high = (f"{value:+.{digits_after_point(*ends)}f}" for value in ends)
        interval = f"{100 * self.confidence:g} % interval {low} to {high}; {self.method}"
        said = (
            f"{self.treatment}: {self.a} against {self.b} changes {self.loss} by {estimate} on average "
            f"({'no interval' if np.isnan(self.low) else interval}, {self.n_used} systems, {self.design} design)."
        )
        return "\n".join([said, *self.notes])


def average_treatment_effect(
    runs: Runs,
    loss: str | None = None,
    *,
    cluster: str = "system",
    confidence: float = 0.95,
    n_resamples: int = 9999,
    rng: np.random.Generator | int = 0,
) -> TreatmentEffect:
    """Estimate the average effect of method a against method b (Eq. 6 to 10), with an interval and with tests.

    Parameters
    ----------
    runs : Runs
        Of at least two clusters (independent: two systems a group) without a failure. Systems with a failed run are
        left out, and counted in a note: the effect is that in systems that run with both methods.
    cluster : str
        What was sampled independently: ``system``, or a variable whose levels are shared by many systems, such as the
        dataset of a benchmark. Paired runs only.
    n_resamples : int
        Of the bootstrap.

    Returns
    -------
    TreatmentEffect
        ``estimate``, ``low``, ``high``: EGE(a) - EGE(b), in units of the loss, with its interval, NaN where there is
        none and a note why; ``standard_error``, ``df``, ``p``, ``method`` of the t test that goes with it;
        ``n_systems`` drawn and ``n_used``; ``tests``, a row per method; ``errors``, the expected generalization error
        of each method (Eq. 6, 7 and 10) with its interval; ``notes``, and what was compared.

    Notes
    -----
    Paired runs: t with a cluster-robust error (CR2; Bell and McCaffrey 2002). Independent ones: Welch's t on systems'
    means. Beside it a BCa interval over clusters. No interval, and no p, for a whole population (with
    ``cluster="system"``), or without spread. docs/accuracy.md says how often the t interval held the truth.

    Examples
    --------
    >>> from genexpy_nb.causal import PipelinePopulation, run_paired
    >>> population = PipelinePopulation({"weighting": ["counts", "tf-idf"], "ngrams": [1, 2, 3]})
    >>> def evaluate(combination, seed):
    ...     return {"error": 0.3 - 0.02 * combination["ngrams"] * (combination["weighting"] == "tf-idf")}
    >>> runs = run_paired(population.compare("weighting", "tf-idf", "counts"), evaluate, n_systems=50)
    >>> effect = average_treatment_effect(runs)
    >>> effect.low < -0.04 < effect.high  # the mean of -0.02, -0.04 and -0.06
    True
    """
    check_level("confidence", confidence)
    check_count("n_resamples", n_resamples)
    loss = runs.check_loss(loss)
    frame, notes = without_failures(runs, loss)
    source = generator(rng)
    if runs.design == "paired":
        pairs = effects_of_pairs(runs, loss)
        main, tests = _paired(pairs, runs, cluster, confidence, n_resamples, source)
    else:
        if cluster != "system":
            raise ParameterError(f"cluster must be 'system' for independent runs, got {cluster!r}")
        main, tests = _independent(frame, runs, loss, confidence, n_resamples, source)
    used = frame.drop_duplicates("system")["system"]
    clusters = used.map(runs.clusters(cluster))
    by_bca = (tests["method"] == _BCA) & tests["low"].notna()
    tests["note"] = np.where(by_bca, intervals.note_on_bca(clusters.nunique(), cluster), "")
    return TreatmentEffect(
        treatment=runs.treatment,
        a=runs.a,
        b=runs.b,
        loss=loss,
        design=runs.design,
        confidence=confidence,
        n_systems=runs.n_systems,
        n_used=int(frame["system"].nunique()),
        tests=tests,
        errors=_errors(frame, runs, loss, confidence, cluster),
        notes=(*notes, *intervals.notes_on_sample(main, runs, clusters, cluster)),
        **main._asdict(),
    )


def _errors(frame: pd.DataFrame, runs: Runs, loss: str, confidence: float, cluster: str) -> pd.DataFrame:
    clusters, rows = runs.clusters(cluster), []
    for method in (runs.a, runs.b):
        part = frame[frame["method"] == method]
        largest = float(part[loss].abs().max())
        mean = intervals.average_over_runs(part, loss, runs, cluster, clusters, confidence, largest)
        rows.append((method, mean.estimate, mean.low, mean.high, part["system"].nunique()))
    return pd.DataFrame(rows, columns=["method", "estimate", "low", "high", "n_systems"])


# -- paired runs ---------------------------------------------------------------------------------------------------


def _paired(
    pairs: pd.DataFrame, runs: Runs, cluster: str, confidence: float, n_resamples: int, rng: np.random.Generator
) -> tuple[intervals.Mean, pd.DataFrame]:
    of_system = runs.clusters(cluster)
    clusters = pairs["system"].map(of_system)
    if clusters.nunique() < 2:
        raise StudyError(f"{clusters.nunique()} {cluster} with both methods is too few: at least two are needed")
    size = float(pairs["size"].max())
    main = intervals.average_over_runs(pairs, "effect", runs, cluster, of_system, confidence, size)
    if main.method == "t test":
        main = main._replace(method="paired t test")
    if runs.whole_population and cluster == "system":
        return main, _tests(main, np.nan, np.nan)
    grouped = pairs.groupby(clusters, sort=True)
    total, n = grouped["effect"].sum().to_numpy(), grouped.size().to_numpy(float)
    total = np.where(negligible(total / n, grouped["size"].max()), 0.0, total)
    low = high = np.nan  # equal effects say nothing about other ones
    if not negligible(np.ptp(total / n), size):
        low, high = intervals.bca_interval([(total, n)], np.divide, confidence, n_resamples, size, rng)
    return main, _tests(main, low, high)


# -- independent runs ----------------------------------------------------------------------------------------------


def _independent(
    frame: pd.DataFrame, runs: Runs, loss: str, confidence: float, n_resamples: int, rng: np.random.Generator
) -> tuple[intervals.Mean, pd.DataFrame]:
    means = frame.groupby(["method", "system"], sort=True)[loss].mean()
    x, y = (means[method].to_numpy() if method in means else np.empty(0) for method in (runs.a, runs.b))
    for method, group in ((runs.a, x), (runs.b, y)):
        if len(group) < 2:
            raise StudyError(f"{len(group)} systems ran with {method!r}: at least two are needed")
    estimate, size, method = float(x.mean() - y.mean()), float(frame[loss].abs().max()), "Welch's t test"
    if negligible(max(np.ptp(x), np.ptp(y)), size):  # scipy would divide by 0
        main = intervals.mean_with_interval(estimate, 0.0, len(x) + len(y) - 2, confidence, size, method)
        return main, _tests(main, np.nan, np.nan)
    test = stats.ttest_ind(x, y, equal_var=False)
    interval = test.confidence_interval(confidence)
    se = float(np.sqrt(x.var(ddof=1) / len(x) + y.var(ddof=1) / len(y)))
    ends = float(interval.low), float(interval.high)
    main = intervals.Mean(estimate, *ends, se, float(test.df), float(test.pvalue), method)
    return main, _tests(main, *intervals.bca_interval([[x], [y]], np.subtract, confidence, n_resamples, size, rng))


def _tests(main: intervals.Mean, low: float, high: float) -> pd.DataFrame:
    rows = [(main.method, main.estimate, main.low, main.high, main.p), (_BCA, main.estimate, low, high, np.nan)]
    return pd.DataFrame(rows, columns=["method", "estimate", "low", "high", "p"])
