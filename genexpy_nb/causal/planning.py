"""How many systems, in which design, on how many train-test compositions; and how often intervals hold the truth."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import numpy as np
import pandas as pd
from scipy import stats

from genexpy_nb.causal.design import Runs
from genexpy_nb.causal.effects import _check_level, _matrix, _treat_failures, variance_components
from genexpy_nb.common.checks import check_choice
from genexpy_nb.common.errors import ParameterError, StudyError

__all__ = [
    "bootstrap_miss_rate",
    "compositions_per_system",
    "coverage",
    "plan_systems",
    "systems_needed",
    "tuned_or_many",
]

_MOST = 10_000_000


def systems_needed(width: float, sd: float | Sequence[float], design: str = "paired", confidence: float = 0.95) -> int:
    """Return the smallest number of systems whose interval is expected to be no wider than wanted.

    Parameters
    ----------
    width : float
        From the lower to the upper end, > 0, in units of the loss.
    sd : float or pair of float
        Paired: standard deviation of the individual effects. Independent: those of the losses under a and under b.
    design : {"paired", "independent"}
    confidence : float
        In (0, 1).

    Returns
    -------
    int
        Systems; for the independent design in both groups together, and even. Two runs a system if paired, else one.

    Raises
    ------
    ParameterError
        If a parameter is out of range.

    Examples
    --------
    >>> systems_needed(0.02, 0.05), systems_needed(0.02, (0.1, 0.1), "independent")
    (99, 1540)
    """
    check_choice("design", design, ("paired", "independent"))
    _check_level(confidence)
    sds = np.atleast_1d(np.asarray(sd, dtype=float))
    wanted = 1 if design == "paired" else 2
    if len(sds) != wanted or not np.isfinite(sds).all() or (sds < 0).any() or not width > 0:
        raise ParameterError(f"width must be > 0 and sd {wanted} number(s) >= 0, got width={width!r}, sd={sd!r}")
    if not sds.any():
        return 2 if design == "paired" else 4

    def half(n: int) -> float:  # n systems, in each group if independent
        df = n - 1
        if design == "independent" and n > 1:
            df = np.sum(sds**2) ** 2 / np.sum(sds**4) * (n - 1)  # Welch, equal groups
        return stats.t.ppf((1 + confidence) / 2, df) * np.sqrt(np.sum(sds**2) / n)

    z = stats.norm.ppf((1 + confidence) / 2)
    n = max(2, ceil(np.sum(sds**2) * (2 * z / width) ** 2))
    if n > _MOST:
        raise ParameterError(f"width={width:g} asks for more than {_MOST:,} systems")
    while n > 2 and 2 * half(n - 1) <= width:
        n -= 1
    while 2 * half(n) > width:
        n += 1
    return n if design == "paired" else 2 * n


def plan_systems(
    pilot: Runs,
    widths: Sequence[float],
    loss: str | None = None,
    *,
    confidence: float = 0.95,
    failures: str | float = "complete",
) -> pd.DataFrame:
    """Plan the next study from a paired pilot: systems and runs for each interval width, paired and independent.

    Parameters
    ----------
    pilot : Runs
        Paired. Its standard deviations are taken for those of the population; with several compositions per system,
        those of a study with as many.
    widths : sequence of float
        From the lower to the upper end of the interval, > 0.
    loss, confidence, failures
        As in `average_treatment_effect`.

    Returns
    -------
    DataFrame
        ``width``, ``paired_systems``, ``paired_low``, ``paired_high`` (systems at the ends of the 95 % interval of the
        pilot's standard deviation, for normal effects), ``paired_runs``, ``independent_systems``, ``independent_runs``,
        ``ratio`` of the runs, independent over paired.

    Raises
    ------
    StudyError
        If the pilot is not paired.

    Examples
    --------
    >>> from genexpy_nb.causal import PipelinePopulation, run_paired
    >>> population = PipelinePopulation({"weighting": ["counts", "tf-idf"], "ngrams": [1, 2, 3]})
    >>> def evaluate(c, seed):
    ...     return {"error": 0.1 * c["ngrams"] - 0.01 * c["ngrams"] * (c["weighting"] == "tf-idf")}
    >>> pilot = run_paired(population.compare("weighting", "tf-idf", "counts"), evaluate, n_systems=30)
    >>> plan = plan_systems(pilot, [0.01])
    >>> bool(plan["ratio"].iloc[0] > 10)
    True
    """
    if pilot.design != "paired":
        raise StudyError("the pilot must be paired: an independent one does not show how individual effects vary")
    loss = pilot.check_loss(loss)
    frame, _ = _treat_failures(pilot, loss, failures)
    per_system = frame.groupby(["system", "method"])[loss].mean().unstack("method")
    effects = per_system[pilot.a] - per_system[pilot.b]
    n = len(effects)
    if n < 2:
        raise StudyError(f"the pilot has {n} system with both methods: at least two are needed")
    compositions = int(frame.groupby(["system", "method"]).size().max())
    sd, sd_a, sd_b = effects.std(), per_system[pilot.a].std(), per_system[pilot.b].std()
    ends = [sd * np.sqrt((n - 1) / stats.chi2.ppf(q, n - 1)) for q in (0.975, 0.025)]
    rows = []
    for width in widths:
        paired, low, high = (systems_needed(width, s, "paired", confidence) for s in (sd, *ends))
        independent = systems_needed(width, (sd_a, sd_b), "independent", confidence)
        runs = (2 * paired * compositions, independent * compositions)
        rows.append((width, paired, low, high, runs[0], independent, runs[1], runs[1] / runs[0]))
    return pd.DataFrame(
        rows,
        columns=[
            "width",
            "paired_systems",
            "paired_low",
            "paired_high",
            "paired_runs",
            "independent_systems",
            "independent_runs",
            "ratio",
        ],
    )


def compositions_per_system(pilot: Runs, cost: float, loss: str | None = None) -> float:
    """Return the number of compositions per system that gives the narrowest interval for a given budget.

    A system that is expensive to set up (``cost`` runs) is better used several times; one that costs nothing is
    better replaced by a new one: then one composition each is best.

    Parameters
    ----------
    pilot : Runs
        Paired, with several compositions per system.
    cost : float
        Of setting up a system, in units of one pair of runs, >= 0.
    loss : str, optional

    Returns
    -------
    float
        At least 1; infinite if effects do not differ between systems.

    References
    ----------
    Cochran, Sampling Techniques (1977), Section 10.6: two-stage sampling.

    Examples
    --------
    >>> from genexpy_nb.causal import PipelinePopulation, run_paired
    >>> population = PipelinePopulation({"weighting": ["counts", "tf-idf"], "ngrams": [1, 2, 3]})
    >>> def evaluate(c, seed):
    ...     return {"error": c["ngrams"] * (c["weighting"] == "tf-idf") + seed / 2**32 * (c["weighting"] == "counts")}
    >>> comparison = population.compare("weighting", "tf-idf", "counts")
    >>> compositions_per_system(run_paired(comparison, evaluate, 50, n_compositions=3), cost=0)
    1.0
    """
    if not cost >= 0:
        raise ParameterError(f"cost must be >= 0, got {cost!r}")
    parts = variance_components(*_matrix(pilot, pilot.check_loss(loss), "complete"))
    if parts.systems == 0:
        return float("inf")
    return max(1.0, float(np.sqrt(cost * parts.residual / parts.systems)))


def coverage(
    losses_a: np.ndarray,
    losses_b: np.ndarray,
    sizes: Sequence[int],
    design: str = "paired",
    *,
    confidence: float = 0.95,
    n_studies: int = 10_000,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Repeat a study in a population that was run in full, and count how often its t interval holds the truth.

    Parameters
    ----------
    losses_a, losses_b : array_like, shape (n_systems, n_compositions)
        Losses of all systems under both methods, on the same compositions; each cell equally likely. The truth is the
        difference of their means.
    sizes : sequence of int
        Numbers of systems per study; for the independent design in both groups together, even.
    design : {"paired", "independent"}
    confidence : float
    n_studies : int
    rng : numpy.random.Generator or int

    Returns
    -------
    DataFrame
        ``n_systems``, ``coverage``, ``coverage_se`` (simulation error), ``bias``, ``rmse``, ``width`` (mean),
        ``wrong_sign`` (share of studies whose estimate has not the sign of the truth), ``runs`` (per study).

    Raises
    ------
    ParameterError
        If shapes differ, or a size is too small.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> result = coverage(rng.normal(size=(50, 4)), rng.normal(size=(50, 4)), [20], n_studies=2000)
    >>> bool(0.93 <= result["coverage"].iloc[0] <= 0.97)
    True
    """
    check_choice("design", design, ("paired", "independent"))
    _check_level(confidence)
    a, b = np.asarray(losses_a, dtype=float), np.asarray(losses_b, dtype=float)
    if a.shape != b.shape or a.ndim != 2 or not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise ParameterError(f"losses must be two finite arrays of one shape, got {a.shape} and {b.shape}")
    least = 2 if design == "paired" else 4
    if any(n < least or (design == "independent" and n % 2) for n in sizes):
        raise ParameterError(f"sizes must be at least {least}, even for the independent design, got {list(sizes)}")
    a, b, truth = a.ravel(), b.ravel(), float(a.mean() - b.mean())
    generator = np.random.default_rng(rng)
    rows = []
    for n in sizes:
        pieces = []
        for start in range(0, n_studies, 2000):
            drawn = generator.integers(len(a), size=(min(2000, n_studies - start), n))
            if design == "paired":
                d = a[drawn] - b[drawn]
                mean, variance, df = d.mean(1), d.var(1, ddof=1) / n, n - 1
            else:
                x, y = a[drawn[:, : n // 2]], b[drawn[:, n // 2 :]]
                mean = x.mean(1) - y.mean(1)
                vx, vy = x.var(1, ddof=1) / (n // 2), y.var(1, ddof=1) / (n // 2)
                variance = vx + vy
                df = variance**2 / np.maximum((vx**2 + vy**2) / (n // 2 - 1), 1e-300)
            pieces.append((mean, stats.t.ppf((1 + confidence) / 2, np.maximum(df, 1)) * np.sqrt(variance)))
        mean, half = (np.concatenate(column) for column in zip(*pieces, strict=True))
        held = np.abs(mean - truth) <= half + 1e-12
        share = held.mean()
        rows.append(
            {
                "n_systems": n,
                "coverage": share,
                "coverage_se": np.sqrt(share * (1 - share) / n_studies),
                "bias": mean.mean() - truth,
                "rmse": np.sqrt(np.mean((mean - truth) ** 2)),
                "width": 2 * half.mean(),
                "wrong_sign": np.mean(mean * truth <= 0),
                "runs": 2 * n if design == "paired" else n,
            }
        )
    return pd.DataFrame(rows)


def bootstrap_miss_rate(
    differences: np.ndarray, sizes: Sequence[int], *, confidence: float = 0.95, rng: np.random.Generator | int = 0
) -> pd.DataFrame:
    """Count how often a bootstrap over the test documents of one composition misses the expected effect.

    Parameters
    ----------
    differences : array_like, shape (n_compositions, n_test)
        Loss of a minus loss of b for every test document, one row per train-test composition, the same two systems.
    sizes : sequence of int
        How many of the test documents to use.
    confidence : float
    rng : numpy.random.Generator or int

    Returns
    -------
    DataFrame
        ``n_test``, ``miss`` (share of compositions whose percentile bootstrap interval, 2,000 resamples, does not hold
        the mean over all compositions), ``width`` (mean), ``sd_claimed`` (of the difference, mean over compositions),
        ``sd_actual`` (between compositions).

    Notes
    -----
    The mean over all compositions stands for the expected effect, though each interval's own composition is part of
    it: with few compositions the miss rate comes out slightly too low.

    Examples
    --------
    >>> noise = np.random.default_rng(0).normal(size=(200, 50))
    >>> bool(bootstrap_miss_rate(noise, [50])["miss"].iloc[0] < 0.12)  # only test noise: about as claimed
    True
    """
    d = np.asarray(differences, dtype=float)
    if d.ndim != 2 or len(d) < 2 or not all(2 <= m <= d.shape[1] for m in sizes):
        raise ParameterError(
            f"sizes must lie in [2, {d.shape[-1]}], differences have shape {d.shape}; got {list(sizes)}"
        )
    _check_level(confidence)
    generator = np.random.default_rng(rng)
    truth = d.mean()
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    rows = []
    for m in sizes:
        weights = generator.multinomial(m, np.full(m, 1 / m), size=2000) / m
        ends = np.quantile(d[:, :m] @ weights.T, tails, axis=1)
        missed = (ends[0] > truth) | (ends[1] < truth)
        claimed = d[:, :m].std(axis=1, ddof=1).mean() / np.sqrt(m)
        rows.append((m, missed.mean(), np.mean(ends[1] - ends[0]), claimed, d[:, :m].mean(axis=1).std(ddof=1)))
    return pd.DataFrame(rows, columns=["n_test", "miss", "width", "sd_claimed", "sd_actual"])


def tuned_or_many(
    losses_a: np.ndarray,
    losses_b: np.ndarray,
    validation_a: np.ndarray,
    validation_b: np.ndarray,
    budget: Sequence[int],
    *,
    n_studies: int = 10_000,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Spend the same runs in two ways: tune each method on one composition, or run untuned systems on many.

    Tuned: draw k systems and one composition, run both methods with all k, keep for each method the system with
    the lowest validation loss (ties: the first), and compare their test losses. Many: k systems, each with both methods
    on a composition of its own; compare the means. Both take 2 k runs.

    Parameters
    ----------
    losses_a, losses_b, validation_a, validation_b : array_like, shape (n_systems, n_compositions)
        Test and validation losses of a population that was run in full.
    budget : sequence of int
        Numbers of systems k, at least 2.
    n_studies : int
        Repetitions.
    rng : numpy.random.Generator or int

    Returns
    -------
    DataFrame
        ``systems`` k, ``plan`` ("tuned, one composition" or "untuned, many"), ``mean`` and ``sd`` of the estimates,
        ``truth`` (what the plan's own estimates are about: the mean effect after tuning, or the average effect),
        ``wrong_sign`` (share of studies that get the sign of that truth wrong; ties count half), and ``rmse_average``
        (against the average effect in the population).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.normal(size=(2, 30, 5))
    >>> tuned_or_many(a, b - 1, a, b - 1, [4], n_studies=100)["plan"].tolist()
    ['tuned, one composition', 'untuned, many']
    """
    arrays = [np.asarray(x, dtype=float) for x in (losses_a, losses_b, validation_a, validation_b)]
    if len({x.shape for x in arrays}) > 1 or arrays[0].ndim != 2:
        raise ParameterError(f"all losses must have one shape, got {[x.shape for x in arrays]}")
    if any(k < 2 for k in budget):
        raise ParameterError(f"budget must be at least 2 systems, got {list(budget)}")
    a, b, va, vb = arrays
    n_systems, n_compositions = a.shape
    average = float(a.mean() - b.mean())
    generator = np.random.default_rng(rng)
    study = np.arange(n_studies)
    rows = []
    for k in budget:
        systems = generator.integers(n_systems, size=(n_studies, k))
        one = generator.integers(n_compositions, size=n_studies)
        best_a = systems[study, np.argmin(va[systems, one[:, None]], axis=1)]
        best_b = systems[study, np.argmin(vb[systems, one[:, None]], axis=1)]
        tuned = a[best_a, one] - b[best_b, one]
        own = generator.integers(n_compositions, size=(n_studies, k))
        many = (a[systems, own] - b[systems, own]).mean(axis=1)
        for plan, estimates, truth in (
            ("tuned, one composition", tuned, float(tuned.mean())),
            ("untuned, many", many, average),
        ):
            wrong = np.mean(estimates * truth < 0) + np.mean(np.abs(estimates) < 1e-12) / 2
            rmse = np.sqrt(np.mean((estimates - average) ** 2))
            rows.append((k, plan, estimates.mean(), estimates.std(ddof=1), truth, wrong, rmse))
    return pd.DataFrame(rows, columns=["systems", "plan", "mean", "sd", "truth", "wrong_sign", "rmse_average"])
