"""What notebook 08 shows of studies that are repeated where the truth is known.

Samples of a population that was run in full, the usual test on each of many splits, and two ways to spend the same
trainings. ``python -m runs.repeated_studies``, in ``data``, writes the tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from genexpy_nb import chapters
from genexpy_nb.causal import Recorded
from genexpy_nb.causal.population import Combination
from genexpy_nb.causal.runs import Runs
from genexpy_nb.chapters.causal import (
    EIGHT,
    N_COMPOSITIONS,
    TextTask,
    ideal_study,
    load_text_population,
    small_text_population,
    text_task,
)
from genexpy_nb.common.parallel import bar
from genexpy_nb.common.random import generator
from genexpy_nb.common.rankings import RESOLUTION, negligible

SEED = 0
N_STUDIES = 10_000
N_SPLITS = 100  # on which the eight systems are compared
N_TEST = 800  # documents
N_RESAMPLES = 2000  # of the test documents
SIZES = [20, 50, 100]  # systems in a sample
BUDGET = [2, 4, 8, 16, 32, 64]  # systems, each trained with both methods


# --- samples of a population that was run in full ---------------------------------------------------------------------


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
    a, b = (np.asarray(losses, dtype=float).ravel() for losses in (losses_a, losses_b))
    truth = float(a.mean() - b.mean())
    largest = float(max(np.abs(a).max(), np.abs(b).max()))
    source = generator(rng)
    rows = []
    for n in sizes:
        drawn = source.integers(len(a), size=(n_studies, n))
        mean, se, df = _paired_means(a, b, drawn) if design == "paired" else _independent_means(a, b, drawn)
        half = stats.t.ppf((1 + confidence) / 2, df) * se
        mean = np.where(negligible(mean, largest), 0.0, mean)  # rounding has a sign, no effect has none
        held = np.mean(np.abs(mean - truth) <= half + RESOLUTION * largest)  # a point at the truth holds it
        wrong_sign, n_runs = np.mean(mean * truth <= 0), 2 * n if design == "paired" else n
        rows.append((n, held, np.sqrt(held * (1 - held) / n_studies), 2 * half.mean(), wrong_sign, n_runs))
    return pd.DataFrame(rows, columns=["n_systems", "coverage", "coverage_se", "width", "wrong_sign", "n_runs"])


def _paired_means(a: np.ndarray, b: np.ndarray, drawn: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Mean, standard error and degrees of freedom of each study, a row of ``drawn``."""
    d = a[drawn] - b[drawn]
    n = drawn.shape[1]
    return d.mean(axis=1), np.sqrt(d.var(axis=1, ddof=1) / n), n - 1.0


def _independent_means(a: np.ndarray, b: np.ndarray, drawn: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Like `_paired_means`; the first half of the systems runs with a, the second with b; Welch's df."""
    n = drawn.shape[1] // 2
    x, y = a[drawn[:, :n]], b[drawn[:, n:]]
    vx, vy = x.var(axis=1, ddof=1) / n, y.var(axis=1, ddof=1) / n
    total = vx + vy
    share = np.divide(vx, total, out=np.full_like(vx, 0.5), where=total > 0)
    df = (n - 1) / (share**2 + (1 - share) ** 2)
    return x.mean(axis=1) - y.mean(axis=1), np.sqrt(total), df


# --- the usual test, on one split -------------------------------------------------------------------------------------


def mistakes(task: TextTask, systems: Mapping[str, Combination], n_compositions: int) -> dict[str, np.ndarray]:
    """Say of each system which test documents it gets wrong on each of many compositions."""
    truth = [task.labels[task.composition(seed)[2]] for seed in range(n_compositions)]
    said = {name: [task.predict(systems[name], seed)[1] for seed in range(n_compositions)] for name in bar(systems)}
    return {name: np.not_equal(labels, truth).astype(float) for name, labels in said.items()}


def shifted_bootstrap(
    differences: Mapping[str, ArrayLike],
    *,
    level: float = 0.05,
    n_resamples: int = N_RESAMPLES,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Test pairs of systems on each of many compositions as is usual: by a bootstrap of the test documents."""
    pairs = [np.asarray(values, dtype=float) for values in differences.values()]
    m = pairs[0].shape[1]
    weights = generator(rng).multinomial(m, np.full(m, 1 / m), size=n_resamples).T / m
    parts = []
    for name, d in zip(differences, pairs, strict=True):
        slack, effect = RESOLUTION * np.abs(d).max(), float(d.mean())
        measured, resampled = d.mean(axis=1), d @ weights
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
    errors = ["false_positive", "missed", "wrong_sign", "interval_misses"]
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


def differences(mistakes: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return for each pair of systems on which documents only the first is wrong (1), or only the second (-1)."""
    return {f"{a} / {b}": mistakes[a] - mistakes[b] for a, b in combinations(mistakes, 2)}


def _rate_interval(shares: np.ndarray, confidence: float) -> tuple[float, float]:
    n = len(shares)
    if np.isin(shares, (0, 1)).all():
        interval = stats.binomtest(int(shares.sum()), n).proportion_ci(confidence)
        return float(interval.low), float(interval.high)
    half = stats.t.ppf((1 + confidence) / 2, n - 1) * shares.std(ddof=1) / np.sqrt(n)
    return max(0.0, float(shares.mean() - half)), min(1.0, float(shares.mean() + half))


# --- two ways to spend trainings --------------------------------------------------------------------------------------


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
    """Spend the same runs in two ways: tune each method on one split, or run untuned systems on many."""
    a, b, va, vb = (np.asarray(x, dtype=float) for x in (losses_a, losses_b, validation_a, validation_b))
    n_systems, n_compositions = a.shape
    average = float(a.mean() - b.mean())
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
        rows += [(k, "tuned", float(tuned.mean()), tuned.std(ddof=1)), (k, "untuned", average, many.std(ddof=1))]
    return pd.DataFrame(rows, columns=["n_systems", "plan", "truth", "sd"])


# --- what notebook 08 shows -------------------------------------------------------------------------------------------


def rates_of_tests(documents: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """Return how often the usual test is wrong, for each pair and for all of them."""
    found = shifted_bootstrap(documents, rng=SEED)
    return pd.concat([error_rates(found, ["pair"]), error_rates(found).assign(pair="all")], ignore_index=True)


def compared(variable: str, first: str, second: str) -> Runs:
    """Return the runs of all systems with either of two methods, on all splits."""
    table, small = load_text_population(), small_text_population()
    runs = Recorded(table, small.names, table.attrs["about"]["losses"])
    return ideal_study(small.compare(variable, first, second), runs, range(N_COMPOSITIONS))


def documents_of(task: TextTask, systems: Mapping[str, Combination]) -> dict[str, np.ndarray]:
    """Train systems on many splits, and compare them on every test document."""
    return differences(mistakes(replace(task, n_validation=1, n_test=N_TEST), systems, N_SPLITS))


def make_samples() -> pd.DataFrame:
    """Count how often intervals from samples of the population cover the truth."""
    weighting, approach = compared("weighting", "tf-idf", "counts"), compared("approach", "linear", "naive Bayes")
    asked = {
        "tf-idf, paired": (weighting, "paired"),
        "linear, paired": (approach, "paired"),
        "tf-idf, independent": (weighting, "independent"),
    }
    options = {"n_studies": N_STUDIES, "rng": SEED}
    found = {name: coverage(*of.arrays("error"), SIZES, design, **options) for name, (of, design) in asked.items()}
    return pd.concat(found, names=["study"]).reset_index("study").reset_index(drop=True)


def make_spending() -> pd.DataFrame:
    """Repeat both ways to spend the same trainings."""
    runs = compared("weighting", "tf-idf", "counts")
    losses = *runs.arrays("error"), *runs.arrays("validation_error")
    return tuned_or_many(*losses, BUDGET, n_studies=N_STUDIES, rng=SEED).assign(n_studies=N_STUDIES)


if __name__ == "__main__":
    documents = documents_of(text_task(), EIGHT)
    tables = {"samples": make_samples(), "tests": rates_of_tests(documents)}
    tables["spending"] = make_spending()
    for name, made in tables.items():
        made.to_csv(Path(chapters.__file__).with_name(f"simulated_{name}.csv"), index=False)
