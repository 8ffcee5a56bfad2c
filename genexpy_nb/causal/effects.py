"""From runs to effects: errors and their difference, with intervals and tests; and how many systems that takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from genexpy_nb.causal.runs import Runs, effects_of_pairs, without_failures
from genexpy_nb.common.checks import check_level, check_number
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.prose import digits_after_point, percent
from genexpy_nb.common.rankings import negligible

_FEW = 10  # clusters; fewer cannot show whether their effects are about normal


class Mean(NamedTuple):
    """A mean, its t interval and the two-sided t test that it is 0; NaN where there is no interval."""

    estimate: float
    low: float
    high: float
    standard_error: float
    df: float
    p: float
    method: str


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
        notes=(*notes, *notes_on_sample(main, runs, clusters, cluster)),
        **main._asdict(),
    )


def _errors(frame: pd.DataFrame, runs: Runs, loss: str, confidence: float, cluster: str) -> pd.DataFrame:
    clusters, rows = runs.clusters(cluster), []
    for method in (runs.a, runs.b):
        part = frame[frame["method"] == method]
        largest = float(part[loss].abs().max())
        mean = average_over_runs(part, loss, runs, cluster, clusters, confidence, largest)
        rows.append((method, mean.estimate, mean.low, mean.high, part["system"].nunique()))
    return pd.DataFrame(rows, columns=["method", "estimate", "low", "high", "n_systems"])


def _paired(pairs: pd.DataFrame, runs: Runs, cluster: str, confidence: float) -> Mean:
    of_system = runs.clusters(cluster)
    n_clusters = pairs["system"].map(of_system).nunique()
    if n_clusters < 2:
        raise StudyError(f"{n_clusters} {cluster} with both methods is too few: at least two are needed")
    size = float(pairs["size"].max())
    mean = average_over_runs(pairs, "effect", runs, cluster, of_system, confidence, size)
    return mean._replace(method="paired t test") if mean.method == "t test" else mean


def _independent(frame: pd.DataFrame, runs: Runs, loss: str, confidence: float) -> Mean:
    means = frame.groupby(["method", "system"], sort=True)[loss].mean()
    x, y = (means[method].to_numpy() if method in means else np.empty(0) for method in (runs.a, runs.b))
    for method, group in ((runs.a, x), (runs.b, y)):
        if len(group) < 2:
            raise StudyError(f"{len(group)} systems ran with {method!r}: at least two are needed")
    estimate, size, method = float(x.mean() - y.mean()), float(frame[loss].abs().max()), "Welch's t test"
    if negligible(max(np.ptp(x), np.ptp(y)), size):  # scipy would divide by 0
        return mean_with_interval(estimate, 0.0, len(x) + len(y) - 2, confidence, size, method)
    test = stats.ttest_ind(x, y, equal_var=False)
    interval = test.confidence_interval(confidence)
    se = float(np.sqrt(x.var(ddof=1) / len(x) + y.var(ddof=1) / len(y)))
    ends = float(interval.low), float(interval.high)
    return Mean(estimate, *ends, se, float(test.df), float(test.pvalue), method)


# --- means over clusters that are independent of each other, by t, and what must be known of them ---------------------


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
