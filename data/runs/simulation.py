"""Measure how often a way of comparing models is wrong, and how often it finds what is there, by simulation.

`simulate_error_rates` counts false and true winners, test by test; `simulate_coverage` counts the intervals that hold
the truth; `over_worlds` does both in several worlds, since no single one proves anything about the others.
``python -m runs.simulation``, in ``data``, writes the tables that notebook 06 shows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats
from statsmodels.stats.proportion import proportion_confint
from threadpoolctl import threadpool_limits

from genexpy_nb import chapters
from genexpy_nb.common.checks import check_count
from genexpy_nb.common.random import seed_of, stream
from genexpy_nb.protocol.analysis import corrected_standard_error, without_spread
from genexpy_nb.significance.intervals import mean_differences
from genexpy_nb.significance.multiple import holm_adjusted
from genexpy_nb.significance.wilcoxon import signed_rank_direction, wilcoxon_pratt
from runs.worlds import CHUNK, RANGE_OF_WORLDS, World, correlated_scores, learners_scores

#: How a winner can be declared. All but the first adjust over all pairs after Holm, unless they say ``unadjusted``; all
#: but those with one trial or one seed average over the seeds, unless they say otherwise. The winner is the learner
#: that the tested statistic favours: the one with more test rows to itself (McNemar), the larger sum of ranks
#: (Wilcoxon), the larger mean (t).
PROCEDURES = (
    "one trial, higher score",
    "one trial, McNemar, unadjusted",
    "one trial, McNemar",
    "one seed, k folds, t, unadjusted",
    "one seed, k folds, t",
    "folds, Wilcoxon",
    "folds x seeds, Wilcoxon",
    "folds, t",
    "folds, corrected t",
    "5 x 2 folds, t",  # Dietterich (1998), and Alpaydin (1999); only with k=2 and n_repeats=5
    "5 x 2 folds, F",
    "one fit a fold, same seed, Wilcoxon",  # only with as many seeds as folds, and more than one repeat
    "one fit a fold, other seeds, Wilcoxon",
    "one fit a fold, same seed, corrected t",
    "one fit a fold, other seeds, corrected t",
)


def simulate_error_rates(
    effects: float | Sequence[float] = (0.0, 0.1),
    *,
    level: float = 0.05,
    n_studies: int = 1000,
    rng: np.random.Generator | int = 0,
    **world: Any,
) -> pd.DataFrame:
    """Simulate whole comparisons in a `World`, and count false and true declarations of each of `PROCEDURES`."""
    drawn = World(**world)
    seed = seed_of(rng)
    frames = []
    # The same random numbers for every effect: rates at two effects differ by the effect only.
    for effect in np.atleast_1d(np.asarray(effects, dtype=float)).tolist():
        count = partial(_count, effect=effect > 0, level=level)
        (counts,), means = _simulate(drawn, effect, [count], n_studies, seed)
        rates = _rates(counts, len(means), level)
        rates.insert(0, "effect", effect)
        rates.insert(1, "n_rows", drawn.shown_rows)
        rates.insert(2, "mean_difference", float(means[:, 0].mean() - means[:, 1:].mean()))
        frames.append(rates)
    return pd.concat(frames, ignore_index=True)


def _rates(counts: list[pd.DataFrame], n_studies: int, level: float) -> pd.DataFrame:
    """Return the rates of all procedures from the hits in each chunk of studies."""
    hits = pd.concat(counts).groupby(["procedure", "quantity"], sort=False)["hits"].sum()
    low, high = _wilson(hits.to_numpy(), n_studies)
    rates = (hits / n_studies).rename("estimate").reset_index()
    verdict = np.where(rates["quantity"] == "FWER", _verdicts(low, high, level), "")
    return rates.assign(low=low, high=high, n_studies=n_studies, verdict=verdict)


def _verdicts(low: ArrayLike, high: ArrayLike, nominal: float) -> np.ndarray:
    said = [f"{word} {nominal:g}" for word in ("above", "below", "compatible with")]
    return np.select([np.asarray(low) > nominal, np.asarray(high) < nominal], said[:2], said[2])


def simulate_coverage(
    effect: float = 0.0,
    *,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    n_studies: int = 1000,
    rng: np.random.Generator | int = 0,
    **world: Any,
) -> pd.DataFrame:
    """Simulate whole comparisons in a `World`, and count how many intervals of each kind hold what is true."""
    drawn = World(**world)
    seed = seed_of(rng)
    find = partial(_all_ends, confidence=confidence, n_resamples=n_resamples, seed=seed)
    (ends,), means = _simulate(drawn, effect, [find], n_studies, seed)
    coverage = _coverage(ends, _truths(drawn, effect, means.mean(axis=0)), len(means), confidence)
    coverage.insert(0, "effect", effect)
    coverage.insert(1, "n_rows", drawn.shown_rows)
    return coverage


def _coverage(ends: list[Ends], truths: dict[str, np.ndarray], n_studies: int, nominal: float) -> pd.DataFrame:
    """Return how many of all intervals hold what is true, from the intervals in each chunk of studies."""
    rows = []
    for interval, quantity in ends[0]:
        low, high = np.concatenate([found[interval, quantity] for found in ends], axis=1)
        holds = (low <= truths[quantity]) & (truths[quantity] <= high)
        rows.append((interval, quantity, holds.mean(), *_clustered_wilson(holds), (high - low).mean()))
    coverage = pd.DataFrame(rows, columns=["interval", "quantity", "estimate", "low", "high", "width"])
    verdict = _verdicts(coverage["low"], coverage["high"], nominal)
    return coverage.assign(n_studies=n_studies, verdict=verdict)


def _truths(drawn: World, effect: float, means: np.ndarray) -> dict[str, np.ndarray]:
    """Return what is expected of each learner and of each pair, from the mean scores over all studies."""
    if drawn.world == "correlated-folds":
        expected = np.where(np.arange(len(means)) == 0, effect, 0.0)
    else:
        equals = 1 if effect > 0 else 0  # from this learner on, all have the same distribution
        expected = np.where(np.arange(len(means)) >= equals, means[equals:].mean(), means)
    i, j = np.triu_indices(len(means), 1)
    return {"difference": expected[i] - expected[j], "mean": expected}


def _clustered_wilson(hits: np.ndarray) -> tuple[float, float]:
    """Return Wilson's interval of a share, hits of shape (n_studies, m) that depend on each other within a study."""
    n, share = len(hits), hits.mean()
    variance = hits.mean(axis=1).var(ddof=1) / n
    effective = share * (1 - share) / variance if variance > 0 else n
    low, high = _wilson(share * effective, effective)
    return float(low), float(high)


def _wilson(hits: ArrayLike, n: float) -> tuple[np.ndarray, np.ndarray]:
    """Return Wilson's 95 % interval of shares; where nothing or everything is a hit, it ends there without rounding."""
    low, high = proportion_confint(hits, n, method="wilson")
    return np.where(np.equal(hits, 0), 0.0, low), np.where(np.equal(hits, n), 1.0, high)


def over_worlds(
    worlds: Mapping[str, Mapping[str, Any]] = RANGE_OF_WORLDS,
    *,
    level: float = 0.05,
    n_resamples: int = 1000,
    n_studies: int = 500,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Measure false winners of tests and coverage of intervals between equal learners, in several worlds."""
    seed = seed_of(rng)
    uses = [
        partial(_count, effect=False, level=level),
        partial(_all_ends, confidence=1 - level, n_resamples=n_resamples, seed=seed),
    ]
    frames = []
    for name, given in worlds.items():
        drawn = World(**given)
        (counts, ends), means = _simulate(drawn, 0.0, uses, n_studies, seed)
        rates = _rates(counts, len(means), level).rename(columns={"procedure": "method"})
        coverage = _coverage(ends, _truths(drawn, 0.0, means.mean(axis=0)), len(means), 1 - level)
        frames += [rates.assign(world=name), coverage.rename(columns={"interval": "method"}).assign(world=name)]
    columns = ["world", "method", "quantity", "estimate", "low", "high", "n_studies", "verdict"]
    return pd.concat(frames, ignore_index=True)[columns]


def _simulate(
    drawn: World, effect: float, uses: Sequence[Callable], n_studies: int, seed: int
) -> tuple[list[list[Any]], np.ndarray]:
    """Return what each of ``uses`` makes of each chunk of studies, and all mean scores, shape (n, n_learners)."""
    n_chunks = ceil(check_count("n_studies", n_studies) / CHUNK)
    outcomes = [_chunk(drawn, effect, uses, seed, chunk) for chunk in range(n_chunks)]
    made = [[used[position] for used, _ in outcomes] for position in range(len(uses))]
    return made, np.concatenate([means for _, means in outcomes])


def _chunk(
    drawn: World, effect: float, uses: Sequence[Callable], seed: int, chunk: int
) -> tuple[list[Any], np.ndarray]:
    rng = stream(seed, chunk)
    if drawn.world == "learners":
        with threadpool_limits(1):  # many small products: threads wait for each other most of the time
            scores, correct = learners_scores(rng, drawn, effect)
    else:
        scores, correct = correlated_scores(rng, drawn, effect), None
    return [use(scores, correct) for use in uses], scores.mean(axis=(2, 3, 4))


# --- the declarations -------------------------------------------------------------------------------------------------


def _count(scores: np.ndarray, correct: np.ndarray | None, effect: bool, level: float) -> pd.DataFrame:
    """Count the comparisons with a false declaration and with a true one."""
    i, j = np.triu_indices(scores.shape[1], 1)
    declared = _declarations(np.round(scores[:, i] - scores[:, j], 12))
    if correct is not None:
        declared["one trial, McNemar"] = _Declared(*_mcnemar(correct[:, i], correct[:, j]))
    truth = np.where((i == 0) & effect, 1, 0)
    rows = []
    for procedure in PROCEDURES:
        name = procedure.removesuffix(", unadjusted")
        if name not in declared:
            continue
        statistic, p = declared[name]
        adjusted = holm_adjusted(p) if name == procedure else p
        winner = np.where(adjusted <= level, np.sign(statistic), 0)
        rows.append((procedure, "FWER", int(((winner != 0) & (winner != truth)).any(axis=1).sum())))
        if effect:
            rows.append((procedure, "power", int((winner[:, 0] == 1).sum())))
    return pd.DataFrame(rows, columns=["procedure", "quantity", "hits"])


class _Declared(NamedTuple):
    """The statistic whose sign names the winner, and p, each of shape (batch, n_pairs)."""

    statistic: np.ndarray
    p: np.ndarray


def _declarations(d: np.ndarray) -> dict[str, _Declared]:
    """Return what each procedure finds, from paired differences, shape (batch, n_pairs, n_seeds, n_repeats, k)."""
    folds = np.round(d.mean(axis=2).reshape(*d.shape[:2], -1), 12)
    every = d.reshape(*d.shape[:2], -1)
    trial, repeat = d[:, :, 0, 0, 0], d[:, :, 0, 0]
    some = _five_times_two(d.mean(axis=2)) if d.shape[-2:] == (5, 2) else {}
    for seeds, one_fit in _one_fit_a_fold(d).items():
        some[f"one fit a fold, {seeds}, Wilcoxon"] = _of_ranks(one_fit)
        some[f"one fit a fold, {seeds}, corrected t"] = _of_mean(one_fit, 1 / d.shape[-1])
    return some | {
        # Nothing is tested, so there is nothing to adjust: 0 stays 0, and 1 stays 1.
        "one trial, higher score": _Declared(trial, np.where(trial != 0, 0.0, 1.0)),
        "one seed, k folds, t": _of_mean(repeat, 0.0),
        "folds, Wilcoxon": _of_ranks(folds),
        "folds x seeds, Wilcoxon": _of_ranks(every),
        "folds, t": _of_mean(folds, 0.0),
        "folds, corrected t": _of_mean(folds, 1 / d.shape[-1]),
    }


def _one_fit_a_fold(values: np.ndarray) -> dict[str, np.ndarray]:
    """Keep one seed per fold, the same on all or another on each, if there are as many seeds as folds."""
    *rest, n_seeds, n_repeats, k = values.shape
    if not n_seeds == n_repeats * k > k:
        return {}
    of_folds = values.reshape(*rest, n_seeds, n_repeats * k)
    return {"same seed": of_folds[..., 0, :], "other seeds": of_folds.diagonal(axis1=-2, axis2=-1)}


def _of_mean(d: np.ndarray, test_share: float) -> _Declared:
    return _Declared(np.round(d.mean(axis=-1), 12), _t_test(d, test_share))


def _of_ranks(d: np.ndarray) -> _Declared:
    flat = d.reshape(-1, d.shape[-1])
    # Beyond 20 differences the normal approximation is as good, and counting sign patterns takes most of the time.
    p = wilcoxon_pratt(flat, "auto" if flat.shape[1] <= 20 else "asymptotic")
    return _Declared(signed_rank_direction(flat).reshape(d.shape[:-1]), p.reshape(d.shape[:-1]))


def _t_test(d: np.ndarray, test_share: float) -> np.ndarray:
    """Return two-sided p-values of the (corrected) t-test along the last axis; see `nadeau_bengio`."""
    mean = d.mean(axis=-1)
    error = corrected_standard_error(d, test_share)
    constant = np.ptp(d, axis=-1) == 0
    t = np.divide(np.abs(mean), error, out=np.zeros_like(mean), where=~constant)
    return np.where(
        constant,
        np.where(d[..., 0] == 0, 1.0, without_spread(d.shape[-1], test_share)),
        2 * stats.t.sf(t, d.shape[-1] - 1),
    )


def _five_times_two(d: np.ndarray) -> dict[str, _Declared]:
    """Return Dietterich's and Alpaydin's tests of differences, shape (batch, n_pairs, 5, 2); no spread, no winner."""
    d = np.round(d, 12)
    mean, first, spread = d.mean(axis=(-2, -1)), d[..., 0, 0], d.var(axis=-1, ddof=1).sum(axis=-1)
    divisor = np.where(spread > 0, spread, np.inf)
    p_t = 2 * stats.t.sf(np.abs(first) / np.sqrt(divisor / 5), 5)
    p_f = stats.f.sf((d**2).sum(axis=(-2, -1)) / (2 * divisor), 10, 5)
    return {"5 x 2 folds, t": _Declared(first, p_t), "5 x 2 folds, F": _Declared(mean, p_f)}


def _mcnemar(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how many rows more only a gets right than only b does, and the exact two-sided p."""
    only_a, only_b = (a & ~b).sum(axis=-1), (b & ~a).sum(axis=-1)
    p = 2 * stats.binom.cdf(np.minimum(only_a, only_b), only_a + only_b, 0.5)
    return only_a - only_b, np.minimum(p, 1.0)


# --- the intervals ----------------------------------------------------------------------------------------------------

Ends = dict[tuple[str, str], tuple[np.ndarray, np.ndarray]]  # (interval, quantity) -> low, high, (batch, m) each


def _all_ends(scores: np.ndarray, correct: np.ndarray | None, confidence: float, n_resamples: int, seed: int) -> Ends:
    """Return the ends of all intervals, of differences of all pairs and of all means."""
    i, j = np.triu_indices(scores.shape[1], 1)
    ends: Ends = {}
    if correct is not None:
        z = stats.norm.ppf((1 + confidence) / 2)
        ends["one trial, test rows", "difference"] = _agresti_min(correct[:, i], correct[:, j], z)
        right, n = correct.sum(axis=-1), correct.shape[-1]
        ends["one trial, test rows", "mean"] = proportion_confint(right, n, alpha=1 - confidence, method="wilson")
    folds = np.round(scores.mean(axis=2).reshape(*scores.shape[:2], -1), 12)
    resampled = _bca_ends(folds, confidence, n_resamples, seed)
    for quantity, one, all_folds in (
        ("difference", scores[:, i, 0, 0] - scores[:, j, 0, 0], folds[:, i] - folds[:, j]),
        ("mean", scores[:, :, 0, 0], folds),
    ):
        ends["one seed, k folds, t", quantity] = _t_ends(one, 0.0, confidence)
        ends["folds, BCa", quantity] = resampled[quantity]
        ends["folds, t", quantity] = _t_ends(all_folds, 0.0, confidence)
        ends["folds, corrected t", quantity] = _t_ends(all_folds, 1 / scores.shape[-1], confidence)
    for seeds, one_fit in _one_fit_a_fold(scores).items():
        resampled, of_pairs = _bca_ends(one_fit, confidence, n_resamples, seed), one_fit[:, i] - one_fit[:, j]
        ends[f"one fit a fold, {seeds}, BCa", "difference"] = resampled["difference"]
        ends[f"one fit a fold, {seeds}, corrected t", "difference"] = _t_ends(
            of_pairs, 1 / scores.shape[-1], confidence
        )
    return ends


def _t_ends(values: np.ndarray, test_share: float, confidence: float) -> tuple[np.ndarray, np.ndarray]:
    values = np.round(values, 12)  # equal scores make equal differences, but for rounding
    mean = np.round(values.mean(axis=-1), 12)
    half = stats.t.ppf((1 + confidence) / 2, values.shape[-1] - 1) * corrected_standard_error(values, test_share)
    return mean - half, mean + half


def _bca_ends(
    folds: np.ndarray, confidence: float, n_resamples: int, seed: int
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return BCa intervals over folds, shape (batch, n_learners, n_folds); all studies share their resamples."""
    n_studies, n_learners, n_folds = folds.shape
    values = np.column_stack([folds.reshape(-1, n_folds).T, np.zeros(n_folds)])
    first = n_learners * np.arange(n_studies)[:, None]
    i, j = np.triu_indices(n_learners, 1)
    zero = np.full(n_studies * n_learners, n_studies * n_learners)
    ends = {}
    for quantity, left, right in (
        ("difference", (first + i).ravel(), (first + j).ravel()),
        ("mean", np.arange(n_studies * n_learners), zero),
    ):
        found = mean_differences(values, left, right, n_resamples, confidence, seed)
        ends[quantity] = (found.low.reshape(n_studies, -1), found.high.reshape(n_studies, -1))
    return ends


def _agresti_min(a: np.ndarray, b: np.ndarray, z: float) -> tuple[np.ndarray, np.ndarray]:
    """Return intervals for the difference of two paired shares, half a row added to each of the four counts."""
    n = a.shape[-1] + 2
    only_a, only_b = (a & ~b).sum(axis=-1) + 0.5, (b & ~a).sum(axis=-1) + 0.5
    middle = (only_a - only_b) / n
    half = z * np.sqrt(only_a + only_b - (only_a - only_b) ** 2 / n) / n
    return middle - half, middle + half


# --- what notebook 06 shows -------------------------------------------------------------------------------------------

SEED, N_STUDIES = 7, 500
LEAD = 0.15  # which the corrected test finds about half of the time

#: Error rates: their name in the notebook, effects, number of studies, seed, and what the world is like.
RATES: list[tuple[str, float | list[float], int, int, dict[str, Any]]] = [
    ("equal models", 0.0, 4 * N_STUDIES, SEED, {}),
    ("textbook", 0.0, 4 * N_STUDIES, SEED, {"world": "correlated-folds", "n_learners": 2}),
    *(("repeats", [0.0, 0.1], 4 * N_STUDIES, SEED, {"n_repeats": number}) for number in (1, 2, 5, 10)),
    ("leads", [0.025, 0.05, 0.1, LEAD, 0.2, 0.3], N_STUDIES, SEED, {}),
    ("halves", [0.0, LEAD], N_STUDIES, SEED, {"k": 2, "n_repeats": 5}),
    *(("cures", 0.0, 200, 0, world) for world in ({"k": 2, "n_repeats": 5}, {"n_rows": 2000})),
    *(("seeds", 0.0, 1000, 0, {"kind": "neighbour", "n_learners": 2, "n_seeds": number}) for number in (1, 5, 20)),
    *(("one fit a fold", 0.0, 4 * N_STUDIES, SEED, {"n_repeats": r, "n_seeds": 5 * r}) for r in (2, 10)),
]


def rates_of(name: str, effects: float | list[float], n_studies: int, seed: int, world: dict[str, Any]) -> pd.DataFrame:
    """Return error rates under their name, with all settings of their world."""
    found = simulate_error_rates(effects, n_studies=n_studies, rng=seed, **world)
    settings = {setting: value for setting, value in asdict(World(**world)).items() if setting not in found}
    return found.assign(simulation=name, **settings)


def coverage_shown() -> pd.DataFrame:
    """Return the coverage of intervals with five seeds on each fold, and with one seed per fold."""
    one_fit = simulate_coverage(n_studies=N_STUDIES, rng=SEED, n_seeds=10)
    one_fit = one_fit[one_fit["interval"].str.startswith("one fit a fold")]
    return pd.concat([simulate_coverage(n_studies=N_STUDIES, rng=SEED), one_fit], ignore_index=True)


def make_tables() -> dict[str, pd.DataFrame]:
    """Return what notebook 06 shows: error rates, the coverage of intervals, and both in several worlds."""
    return {
        "rates": pd.concat([rates_of(*asked) for asked in RATES], ignore_index=True),
        "intervals": coverage_shown(),
        "worlds": over_worlds(n_studies=4 * N_STUDIES // 5, rng=SEED),
    }


if __name__ == "__main__":
    for name, made in make_tables().items():
        made.to_csv(Path(chapters.__file__).with_name(f"simulated_{name}.csv"), index=False)
