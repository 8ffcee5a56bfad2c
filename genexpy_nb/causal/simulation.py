"""Repeat studies in a population that was run in full, where the truth is known: what would they have concluded?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from genexpy_nb.causal.planning import DESIGNS
from genexpy_nb.causal.rounding import RESOLUTION, negligible
from genexpy_nb.common.checks import check_choice, check_count, check_level
from genexpy_nb.common.errors import ParameterError

__all__ = ["bootstrap_miss_rate", "coverage", "tuned_or_many"]

_BATCH = 2000  # studies held in memory at once
_N_RESAMPLES = 2000  # of the test documents


def coverage(
    losses_a: ArrayLike,
    losses_b: ArrayLike,
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
        Numbers of systems per study, at least 2; for the independent design in both groups together, at least 4 and
        even.
    design : {"paired", "independent"}
    confidence : float
        In (0, 1).
    n_studies : int
        Repetitions.
    rng : numpy.random.Generator or int

    Returns
    -------
    DataFrame
        ``n_systems``, ``coverage``, ``coverage_se`` (simulation error), ``bias``, ``rmse``, ``width`` (mean),
        ``wrong_sign`` (share of studies whose estimate has not the sign of the truth), ``n_runs`` (per study).

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
    check_choice("design", design, DESIGNS)
    check_level("confidence", confidence)
    check_count("n_studies", n_studies)
    for n in sizes:
        check_count("sizes", n, 2 if design == "paired" else 4)
        if design == "independent" and n % 2:
            raise ParameterError(f"sizes must be even for the independent design, got {n}")
    a, b = (losses.ravel() for losses in _losses(losses_a=losses_a, losses_b=losses_b))
    truth = float(a.mean() - b.mean())
    largest = float(max(np.abs(a).max(), np.abs(b).max()))
    generator = np.random.default_rng(rng)
    rows = []
    for n in sizes:
        batches = []
        for start in range(0, n_studies, _BATCH):
            drawn = generator.integers(len(a), size=(min(_BATCH, n_studies - start), n))
            mean, se, df = _paired(a, b, drawn) if design == "paired" else _independent(a, b, drawn)
            batches.append((mean, stats.t.ppf((1 + confidence) / 2, df) * se))
        mean, half = (np.concatenate(column) for column in zip(*batches, strict=True))
        mean = np.where(negligible(mean, largest), 0.0, mean)  # rounding has a sign, no effect has none
        held = np.mean(np.abs(mean - truth) <= half + RESOLUTION * largest)  # a point at the truth holds it
        rows.append(
            {
                "n_systems": n,
                "coverage": held,
                "coverage_se": np.sqrt(held * (1 - held) / n_studies),
                "bias": mean.mean() - truth,
                "rmse": np.sqrt(np.mean((mean - truth) ** 2)),
                "width": 2 * half.mean(),
                "wrong_sign": np.mean(mean * truth <= 0),
                "n_runs": 2 * n if design == "paired" else n,
            }
        )
    return pd.DataFrame(rows)


def _losses(**losses: ArrayLike) -> list[np.ndarray]:
    """Return arrays of one shape, or say what is wrong."""
    arrays = [np.asarray(values, dtype=float) for values in losses.values()]
    if len({x.shape for x in arrays}) > 1 or arrays[0].ndim != 2 or not all(np.isfinite(x).all() for x in arrays):
        raise ParameterError(
            f"{', '.join(losses)} must be finite, of one shape (n_systems, n_compositions), got "
            + ", ".join(str(x.shape) for x in arrays)
        )
    return arrays


def _paired(a: np.ndarray, b: np.ndarray, drawn: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Mean, standard error and degrees of freedom of each study, a row of ``drawn``."""
    d = a[drawn] - b[drawn]
    n = drawn.shape[1]
    return d.mean(axis=1), np.sqrt(d.var(axis=1, ddof=1) / n), n - 1.0


def _independent(a: np.ndarray, b: np.ndarray, drawn: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Like `_paired`; the first half of the systems runs with a, the second with b. Welch's degrees of freedom."""
    n = drawn.shape[1] // 2
    x, y = a[drawn[:, :n]], b[drawn[:, n:]]
    vx, vy = x.var(axis=1, ddof=1) / n, y.var(axis=1, ddof=1) / n
    total = vx + vy
    share = np.divide(vx, total, out=np.full_like(vx, 0.5), where=total > 0)
    df = (n - 1) / (share**2 + (1 - share) ** 2)
    return x.mean(axis=1) - y.mean(axis=1), np.sqrt(total), df


def bootstrap_miss_rate(
    differences: ArrayLike,
    sizes: Sequence[int],
    *,
    confidence: float = 0.95,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Count how often a bootstrap over the test documents of one composition misses the expected effect.

    Parameters
    ----------
    differences : array_like, shape (n_compositions, n_test)
        Loss of a minus loss of b for every test document, one row per train-test composition, the same two systems.
    sizes : sequence of int
        How many of the test documents to use.
    confidence : float
        In (0, 1).
    rng : numpy.random.Generator or int

    Returns
    -------
    DataFrame
        ``n_test``, ``miss`` (share of compositions whose percentile bootstrap interval, 2,000 resamples, does not hold
        the mean over all compositions), ``width`` (mean), ``sd_claimed`` (of the difference, mean over compositions),
        ``sd_actual`` (between compositions).

    Raises
    ------
    ParameterError
        If there are fewer than two compositions, or fewer test documents than asked for.

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
    check_level("confidence", confidence)
    d = np.asarray(differences, dtype=float)
    if d.ndim != 2 or len(d) < 2:
        raise ParameterError(f"differences must have shape (n_compositions, n_test), two or more, got {d.shape}")
    for m in sizes:
        check_count("sizes", m, 2, d.shape[1])
    generator = np.random.default_rng(rng)
    truth, slack = d.mean(), RESOLUTION * np.abs(d).max()
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    rows = []
    for m in sizes:
        weights = generator.multinomial(m, np.full(m, 1 / m), size=_N_RESAMPLES) / m
        ends = np.quantile(d[:, :m] @ weights.T, tails, axis=1)
        missed = (ends[0] > truth + slack) | (ends[1] < truth - slack)
        claimed = d[:, :m].std(axis=1, ddof=1).mean() / np.sqrt(m)
        rows.append((m, missed.mean(), np.mean(ends[1] - ends[0]), claimed, d[:, :m].mean(axis=1).std(ddof=1)))
    return pd.DataFrame(rows, columns=["n_test", "miss", "width", "sd_claimed", "sd_actual"])


def tuned_or_many(
    losses_a: ArrayLike,
    losses_b: ArrayLike,
    validation_a: ArrayLike,
    validation_b: ArrayLike,
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
        Repetitions, at least 2.
    rng : numpy.random.Generator or int

    Returns
    -------
    DataFrame
        ``n_systems`` (k), ``plan`` ("tuned, one composition" or "untuned, many"), ``mean`` and ``sd`` of the estimates,
        ``truth`` (what the plan's own estimates are about: the mean effect after tuning, or the average effect),
        ``wrong_sign`` (share of studies that get the sign of that truth wrong; ties count half), and ``rmse_average``
        (against the average effect in the population).

    Raises
    ------
    ParameterError
        If shapes differ, or a number is too small.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.normal(size=(2, 30, 5))
    >>> tuned_or_many(a, b - 1, a, b - 1, [4], n_studies=100)["plan"].tolist()
    ['tuned, one composition', 'untuned, many']
    """
    a, b, va, vb = _losses(losses_a=losses_a, losses_b=losses_b, validation_a=validation_a, validation_b=validation_b)
    check_count("n_studies", n_studies, 2)
    for k in budget:
        check_count("budget", k, 2)
    n_systems, n_compositions = a.shape
    average = float(a.mean() - b.mean())
    largest = float(max(np.abs(a).max(), np.abs(b).max()))
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
            estimates = np.where(negligible(estimates, largest), 0.0, estimates)  # rounding has a sign, a tie has none
            wrong = np.mean(estimates * truth < 0) + np.mean(estimates == 0) / 2
            rmse = np.sqrt(np.mean((estimates - average) ** 2))
            rows.append((k, plan, estimates.mean(), estimates.std(ddof=1), truth, wrong, rmse))
    return pd.DataFrame(rows, columns=["n_systems", "plan", "mean", "sd", "truth", "wrong_sign", "rmse_average"])
