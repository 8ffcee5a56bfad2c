"""Repeat studies in a population that was run in full, where the truth is known: what would they have concluded?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from genexpy_nb.causal.planning import DESIGNS
from genexpy_nb.causal.rounding import RESOLUTION, negligible
from genexpy_nb.common.checks import check_choice, check_columns, check_count, check_level, check_number
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.random import generator

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
    """Repeat a study in a population that was run in full, and count how often its t interval holds the truth."""
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
    source = generator(rng)
    rows = []
    for n in sizes:
        batches = []
        for start in range(0, n_studies, _BATCH):
            drawn = source.integers(len(a), size=(min(_BATCH, n_studies - start), n))
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
    """Count how often a bootstrap over the test documents of one composition misses the expected effect."""
    check_level("confidence", confidence)
    d = np.asarray(differences, dtype=float)
    if d.ndim != 2 or len(d) < 2:
        raise ParameterError(f"differences must have shape (n_compositions, n_test), two or more, got {d.shape}")
    for m in sizes:
        check_count("sizes", m, 2, d.shape[1])
    source = generator(rng)
    truth, slack = d.mean(), RESOLUTION * np.abs(d).max()
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    rows = []
    for m in sizes:
        weights = source.multinomial(m, np.full(m, 1 / m), size=_N_RESAMPLES) / m
        ends = np.quantile(d[:, :m] @ weights.T, tails, axis=1)
        missed = (ends[0] > truth + slack) | (ends[1] < truth - slack)
        claimed = d[:, :m].std(axis=1, ddof=1).mean() / np.sqrt(m)
        interval = _rate_interval(missed.astype(float), 0.95)
        actual = d[:, :m].mean(axis=1).std(ddof=1)
        rows.append((m, missed.mean(), *interval, np.mean(ends[1] - ends[0]), claimed, actual))
    columns = ["n_test", "miss", "miss_low", "miss_high", "width", "sd_claimed", "sd_actual"]
    return pd.DataFrame(rows, columns=columns)


def shifted_bootstrap(
    differences: Mapping[str, ArrayLike],
    *,
    level: float = 0.05,
    n_test: int | None = None,
    n_resamples: int = _N_RESAMPLES,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Test pairs of systems on each of many compositions as is usual: by a bootstrap of the test documents."""
    check_level("level", level)
    check_count("n_resamples", n_resamples)
    if not differences:
        raise ParameterError("differences must hold at least one pair, got none")
    pairs = _losses(**{str(name): values for name, values in differences.items()})
    if len(pairs[0]) < 2:
        raise ParameterError(f"differences must have two or more compositions, got {len(pairs[0])}")
    m = check_count("n_test", pairs[0].shape[1] if n_test is None else n_test, 2, pairs[0].shape[1])
    weights = generator(rng).multinomial(m, np.full(m, 1 / m), size=n_resamples).T / m
    parts = []
    for name, d in zip(differences, pairs, strict=True):
        slack, effect = RESOLUTION * np.abs(d).max(), float(d.mean())
        measured, resampled = d[:, :m].mean(axis=1), d[:, :m] @ weights
        shifted = np.abs(resampled - measured[:, None])
        p, p_truth = (np.mean(shifted >= np.abs(measured - at)[:, None] - slack, axis=1) for at in (0.0, effect))
        ends = np.quantile(resampled, [level / 2, 1 - level / 2], axis=1)
        sign = np.sign(np.where(negligible(measured, np.abs(d).max()), 0.0, measured)) * np.sign(effect)
        part = {
            "effect": effect,
            "difference": measured,
            "p": p,
            "false_positive": p_truth < level,
            "missed": ~((p < level) & (sign > 0)),
            "wrong_sign": (p < level) & (sign < 0),
            "interval_misses": (ends[0] > effect + slack) | (ends[1] < effect - slack),
        }
        parts.append(pd.DataFrame({"pair": name, "composition": np.arange(len(d)), **part}))
    return pd.concat(parts, ignore_index=True)


def error_rates(outcomes: pd.DataFrame, by: Sequence[str] = (), confidence: float = 0.95) -> pd.DataFrame:
    """Count the errors of `shifted_bootstrap`, with Monte-Carlo intervals."""
    check_level("confidence", confidence)
    errors = ["false_positive", "missed", "wrong_sign", "interval_misses"]
    check_columns(outcomes, [*by, "pair", "composition", *errors])
    rows = []
    for levels, part in outcomes.groupby(list(by), sort=False) if by else [((), outcomes)]:
        shares = part.groupby("composition")[errors].mean()
        about = dict(zip(by, levels, strict=True)) | {"n_pairs": part["pair"].nunique(), "n_compositions": len(shares)}
        for error in errors:
            ends = _rate_interval(shares[error].to_numpy(float), confidence)
            rows.append(
                {**about, "error": error, "estimate": float(shares[error].mean()), "low": ends[0], "high": ends[1]}
            )
    return pd.DataFrame(rows)


def _rate_interval(shares: np.ndarray, confidence: float) -> tuple[float, float]:
    n = len(shares)
    if np.isin(shares, (0, 1)).all():
        interval = stats.binomtest(int(shares.sum()), n).proportion_ci(confidence)
        return float(interval.low), float(interval.high)
    half = stats.t.ppf((1 + confidence) / 2, n - 1) * shares.std(ddof=1) / np.sqrt(n)
    return max(0.0, float(shares.mean() - half)), min(1.0, float(shares.mean() + half))


def tuned_or_many(
    losses_a: ArrayLike,
    losses_b: ArrayLike,
    validation_a: ArrayLike,
    validation_b: ArrayLike,
    budget: Sequence[int],
    *,
    least: float = 0.0,
    n_studies: int = 10_000,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Spend the same runs in two ways: tune each method on one composition, or run untuned systems on many."""
    a, b, va, vb = _losses(losses_a=losses_a, losses_b=losses_b, validation_a=validation_a, validation_b=validation_b)
    check_count("n_studies", n_studies, 2)
    check_number("least", least, 0, ends="[)")
    for k in budget:
        check_count("budget", k, 2)
    n_systems, n_compositions = a.shape
    average = float(a.mean() - b.mean())
    largest = float(max(np.abs(a).max(), np.abs(b).max()))
    source = generator(rng)
    study = np.arange(n_studies)
    rows = []
    for k in budget:
        systems = source.integers(n_systems, size=(n_studies, k))
        one = source.integers(n_compositions, size=n_studies)
        best_a = systems[study, np.argmin(va[systems, one[:, None]], axis=1)]
        best_b = systems[study, np.argmin(vb[systems, one[:, None]], axis=1)]
        tuned = a[best_a, one] - b[best_b, one]
        own = source.integers(n_compositions, size=(n_studies, k))
        many = (a[systems, own] - b[systems, own]).mean(axis=1)
        for plan, estimates, truth in (
            ("tuned, one composition", tuned, float(tuned.mean())),
            ("untuned, many", many, average),
        ):
            estimates = np.where(negligible(estimates, largest), 0.0, estimates)  # rounding has a sign, a tie has none
            wrong = np.mean(estimates * truth < 0) + np.mean(estimates == 0) / 2 if abs(truth) > least else np.nan
            rmse = np.sqrt(np.mean((estimates - average) ** 2))
            rows.append((k, plan, estimates.mean(), estimates.std(ddof=1), truth, wrong, rmse))
    return pd.DataFrame(rows, columns=["n_systems", "plan", "mean", "sd", "truth", "wrong_sign", "rmse_average"])
