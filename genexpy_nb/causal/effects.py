"""From runs to effects: errors and their difference, with intervals and tests; and how many systems that takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from genexpy_nb.causal import intervals
from genexpy_nb.causal.runs import Runs, effects_of_pairs, without_failures
from genexpy_nb.common.checks import check_level, check_number
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.prose import digits_after_point
from genexpy_nb.common.rankings import negligible


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
    runs: Runs, loss: str | None = None, *, cluster: str = "system", confidence: float = 0.95
) -> TreatmentEffect:
    """Estimate the average effect of method a against method b (Eq. 6 to 10), with an interval and a test.

    Parameters
    ----------
    runs : Runs
        Of at least two clusters (independent: two systems a group) without a failure. Systems with a failed run are
        left out, and counted in a note: the effect is that in systems that run with both methods.
    cluster : str
        What was sampled independently: ``system``, or a variable whose levels are shared by many systems, such as the
        dataset of a benchmark. Paired runs only.

    Returns
    -------
    TreatmentEffect
        ``estimate``, ``low``, ``high``: EGE(a) - EGE(b), in units of the loss, with its interval, NaN where there is
        none and a note why; ``standard_error``, ``df``, ``p``, ``method`` of the t test that goes with it;
        ``n_systems`` drawn and ``n_used``; ``errors``, the expected generalization error of each method (Eq. 6, 7 and
        10) with its interval; ``notes``, and what was compared.

    Notes
    -----
    Paired runs: t with a cluster-robust error (CR2; Bell and McCaffrey 2002). Independent ones: Welch's t on systems'
    means. No interval, and no p, for a whole population (with ``cluster="system"``), or without spread.
    docs/accuracy.md says how often the interval covered the truth.

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
    loss = runs.check_loss(loss)
    frame, notes = without_failures(runs, loss)
    if runs.design == "paired":
        main = _paired(effects_of_pairs(runs, loss), runs, cluster, confidence)
    elif cluster == "system":
        main = _independent(frame, runs, loss, confidence)
    else:
        raise ParameterError(f"cluster must be 'system' for independent runs, got {cluster!r}")
    clusters = frame.drop_duplicates("system")["system"].map(runs.clusters(cluster))
    return TreatmentEffect(
        treatment=runs.treatment,
        a=runs.a,
        b=runs.b,
        loss=loss,
        design=runs.design,
        confidence=confidence,
        n_systems=runs.n_systems,
        n_used=int(frame["system"].nunique()),
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


def _paired(pairs: pd.DataFrame, runs: Runs, cluster: str, confidence: float) -> intervals.Mean:
    of_system = runs.clusters(cluster)
    n_clusters = pairs["system"].map(of_system).nunique()
    if n_clusters < 2:
        raise StudyError(f"{n_clusters} {cluster} with both methods is too few: at least two are needed")
    size = float(pairs["size"].max())
    mean = intervals.average_over_runs(pairs, "effect", runs, cluster, of_system, confidence, size)
    return mean._replace(method="paired t test") if mean.method == "t test" else mean


def _independent(frame: pd.DataFrame, runs: Runs, loss: str, confidence: float) -> intervals.Mean:
    means = frame.groupby(["method", "system"], sort=True)[loss].mean()
    x, y = (means[method].to_numpy() if method in means else np.empty(0) for method in (runs.a, runs.b))
    for method, group in ((runs.a, x), (runs.b, y)):
        if len(group) < 2:
            raise StudyError(f"{len(group)} systems ran with {method!r}: at least two are needed")
    estimate, size, method = float(x.mean() - y.mean()), float(frame[loss].abs().max()), "Welch's t test"
    if negligible(max(np.ptp(x), np.ptp(y)), size):  # scipy would divide by 0
        return intervals.mean_with_interval(estimate, 0.0, len(x) + len(y) - 2, confidence, size, method)
    test = stats.ttest_ind(x, y, equal_var=False)
    interval = test.confidence_interval(confidence)
    se = float(np.sqrt(x.var(ddof=1) / len(x) + y.var(ddof=1) / len(y)))
    ends = float(interval.low), float(interval.high)
    return intervals.Mean(estimate, *ends, se, float(test.df), float(test.pvalue), method)


# --- the next study ---------------------------------------------------------------------------------------------------

_MOST = 10_000_000  # systems


def systems_needed(width: float, sd: float, confidence: float = 0.95) -> int:
    """Return the least systems whose interval is no wider than wanted."""
    check_level("confidence", confidence)
    check_number("width", width, 0)
    in_widths = sd / width  # losses of any size give numbers of this one
    n = max(2, ceil((2 * stats.norm.ppf((1 + confidence) / 2) * in_widths) ** 2))
    if n > _MOST:
        raise ParameterError(f"width={width:g} asks for more than {_MOST:,} systems")
    # the t quantile is above the normal one: a few more are needed, never fewer
    while 2 * stats.t.ppf((1 + confidence) / 2, n - 1) * in_widths / np.sqrt(n) > 1:
        n += 1
    return n


def plan_systems(
    pilot: Runs, widths: Sequence[float], loss: str | None = None, *, confidence: float = 0.95
) -> pd.DataFrame:
    """Plan the next paired study from a paired pilot: systems for each interval width.

    Parameters
    ----------
    pilot : Runs
        Paired. Its standard deviation is taken for that of the population; with several compositions per system, that
        of a study with as many.
    widths : sequence of float
        From the lower to the upper end of the interval, > 0.
    loss : str, optional
    confidence : float
        Of the interval that is planned, and of that of the pilot's standard deviation.

    Returns
    -------
    DataFrame
        ``width``, ``n_systems_paired``, each run with both methods, ``n_systems_low``, ``n_systems_high`` (at the ends
        of the interval of the pilot's standard deviation, for normal effects).
    """
    if pilot.design != "paired":
        raise StudyError("the pilot must be paired: an independent one does not show how individual effects vary")
    loss = pilot.check_loss(loss)
    effects = effects_of_pairs(pilot, loss).groupby("system")["effect"].mean()
    n = len(effects)
    if n < 2:
        raise StudyError(f"the pilot has {n} system with both methods: at least two are needed")
    sd, df = float(effects.std()), n - 1
    ends = [sd * np.sqrt(df / stats.chi2.ppf(q, df)) for q in ((1 + confidence) / 2, (1 - confidence) / 2)]
    rows = [(width, *(systems_needed(width, each, confidence) for each in (sd, *ends))) for width in widths]
    return pd.DataFrame(rows, columns=["width", "n_systems_paired", "n_systems_low", "n_systems_high"])
