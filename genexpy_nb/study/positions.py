"""Where the alternatives of a study stand, and how far single runs, and halves of the experiments, say the same.

Everything here looks at one configuration, with the study's direction and its policy for missing evaluations. Where
these are completed several times, answers are means over the completions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import stats

from genexpy_nb.common.checks import check_count, check_level
from genexpy_nb.common.errors import StudyError
from genexpy_nb.common.pooling import pool_intervals
from genexpy_nb.common.random import generator, seed_of, stream
from genexpy_nb.common.rankings import rank_scores
from genexpy_nb.generalization.discrepancy import signed_counts
from genexpy_nb.study.checks import Configuration

if TYPE_CHECKING:
    from genexpy_nb.study.study import Study

#: Experiments up to which intervals of means are resampled; beyond, they are those of the t distribution.
MOST_RESAMPLED = 2000

#: How many alternatives are the top in `Study.halves`.
TOP = 3

#: Columns of `spreads`.
SPREADS = ("n_experiments", "n_runs", "fewest_runs", "most_runs", "sd_runs", "sd_conditions", "share_of_variance")

_TOP_NAME, _ORDER_NAME = f"top {TOP} by mean rank", "order by mean rank (tau-b)"
_MEASURES = {  # of the conclusions of `Study.halves`
    "best by mean rank": "share of splits in which both halves agree",
    "best by mean score": "share of splits in which both halves agree",
    _TOP_NAME: "mean overlap",
    _ORDER_NAME: "mean of Kendall's tau-b",
}
_MOST_SCORES = 250_000  # up to which intervals of means are resampled: two seconds
_RESAMPLES, _FEWEST_RESAMPLES = 10_000, 1000  # of an interval of a mean, and of one completion's
_CHUNK = 4_000_000  # numbers held at once
_KNOWN = 1e-12  # scores are known to 12 digits: what differs by less, is the same


def ranks(
    study: Study,
    configuration: Configuration | None = None,
    level: float = 0.05,
    *,
    impute: bool = False,
    tests: bool = True,
    confidence: float | None = None,
) -> pd.DataFrame:
    """Return where each alternative stands, and where it may stand among all of them.

    Parameters
    ----------
    configuration : dict
        See `Study.scores`.
    level : float
        Of the tests behind ``low``, ``high`` and ``tier``, for all pairs together, in (0, 1).
    impute : bool
        Where a score is missing: leave out (the tests the condition, the mean and its interval the score), or take the
        worst observed score of the condition, as if it had been observed. Under ``missing="complete"``, the interval of
        the mean holds what missing scores leave open, by Rubin's rules.
    tests : bool
        Without them, ``low``, ``high``, ``tier`` and ``behind`` are missing: all pairs of many alternatives take
        long.
    confidence : float, optional
        Of each interval of a mean score, by itself; by default 1 - ``level``.

    Returns
    -------
    DataFrame, one row per alternative, best mean rank first
        Index: the alternative. ``mean_rank`` (1 = best), ``mean_score`` and its interval over the experiments
        ``score_low``, ``score_high``, ``share_best`` (share of the experiments in which no other one is better),
        ``position`` by mean rank (ties share the smallest), ``low`` and ``high``, between which all positions lie,
        ``tier`` (see `Study.tiers`), and ``behind``, whether it is significantly worse than the first one.
        ``attrs["note"]`` says what was left out or imputed, ``attrs["level"]`` the level.

    Raises
    ------
    StudyError, ParameterError
        If there are fewer than two alternatives or complete conditions, no such configuration, or the level or the
        confidence is out of range.

    Notes
    -----
    The intervals of mean scores are those of `genexpy_nb.significance.mean_intervals` (``auto``; Student's beyond 2,000
    experiments or 250,000 scores). Two that overlap say nothing about the difference: that is what `Study.pairs` is
    for.

    ``low`` is 1 + the number of alternatives that are significantly better, ``high`` is n_alternatives - the number
    of those that are significantly worse, by Wilcoxon's signed-rank test with Holm's correction over all pairs (after
    Mogstad, Romano, Shaikh and Wilhelm, Review of Economic Studies 2024, who compare means). Where ranks and
    differences of scores disagree, the interval is widened until it holds the position. ``docs/accuracy.md`` says how
    often they held.


    Examples
    --------
    >>> from genexpy_nb import Study
    >>> losses = pd.DataFrame({"tree": [0.3] * 7 + [0.6], "constant": 0.7})
    >>> found = Study.from_wide(losses, higher_is_better=False).ranks()
    >>> found[["mean_rank", "position", "low", "high", "tier"]].rename_axis(None)
              mean_rank  position  low  high  tier
    tree            1.0         1    1     1     0
    constant        2.0         2    2     2     1
    """
    level = check_level("level", level)
    confidence = 1 - level if confidence is None else check_level("confidence", confidence)
    scores = study.scores(configuration, impute)
    if scores.shape[1] < 2:
        raise StudyError(f"at least two alternatives are needed, got shape {scores.shape}")
    tables = rankings_of(study, configuration)
    sums = rank_sums(tables)
    n_alternatives = len(sums)
    low, high = np.ones(n_alternatives, dtype=int), np.full(n_alternatives, n_alternatives)
    behind = np.zeros(n_alternatives, dtype=bool)
    tier, note = np.zeros(n_alternatives, dtype=int), "a single condition tells no alternatives apart"
    order = np.argsort(sums, kind="stable")
    if tests and len(scores) > 1:
        difference = study.critical_difference(configuration, level, impute=impute)
        p_values = difference.p_values.loc[scores.columns, scores.columns].to_numpy()
        found = study.tiers(configuration, level, impute=impute)
        place = pd.Series(np.arange(n_alternatives), found.index).loc[scores.columns].to_numpy()
        order = np.lexsort((place, sums))  # of equal mean ranks, that leads which leads a tier
        better, worse, behind = _told_apart(study, configuration, p_values <= level, impute, int(order[0]))
        # ranks and differences of scores can disagree: what is shown is held by its own interval
        low = np.minimum(low + better, stats.rankdata(sums, "min").astype(int))
        high = np.maximum(high - worse, stats.rankdata(sums, "max").astype(int))
        tier = found["tier"].loc[scores.columns].to_numpy()
        note = difference.p_values.attrs["note"]
    mean_score, score_low, score_high = _means_of_scores(scores_of(study, configuration, impute), confidence)
    frame = pd.DataFrame(
        {
            "mean_rank": sums / (2 * len(scores) * len(tables)),
            "mean_score": mean_score,
            "score_low": score_low,
            "score_high": score_high,
            "share_best": np.mean([each.to_numpy() == 0 for each in tables], axis=(0, 1)),
            "position": stats.rankdata(sums, "min").astype(int),
            "low": low,
            "high": high,
            "tier": tier,
            "behind": behind,
        },
        index=scores.columns,
    )
    if not tests:
        frame[["low", "high", "tier", "behind"]], note = np.nan, ""
    frame = frame.iloc[order]
    frame.attrs = {"note": note, "level": level}
    return frame


def rankings_of(study: Study, configuration: Configuration | None) -> list[pd.DataFrame]:
    """Return the rankings of a configuration, or those of each completion."""
    if study.is_completed(configuration):
        return study.completions(configuration, of="rankings")
    return [study.rankings(configuration)]


def scores_of(study: Study, configuration: Configuration | None, impute: bool) -> list[pd.DataFrame]:
    """Return the scores of a configuration, or, where missing ones are to be imputed, those of each completion."""
    if impute and study.is_completed(configuration):
        return study.completions(configuration)
    return [study.scores(configuration, impute)]


def doubled_ranks(rankings: pd.DataFrame) -> np.ndarray:
    """Return twice the average ranks within each condition, as integers, so that sums of them tie exactly."""
    return np.rint(2 * stats.rankdata(rankings.to_numpy(), axis=1)).astype(np.int64)


def rank_sums(tables: Sequence[pd.DataFrame]) -> np.ndarray:
    """Return the doubled rank sums of alternatives, over all completions, shape (n_alternatives,)."""
    return np.sum([doubled_ranks(each).sum(axis=0) for each in tables], axis=0)


def _told_apart(
    study: Study, configuration: Configuration | None, significant: np.ndarray, impute: bool, leader: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Count for each alternative those significantly better, and worse; say which are worse than the leader."""
    from genexpy_nb.significance.wilcoxon import paired_differences, signed_rank_direction

    tables = [each.dropna().to_numpy() for each in scores_of(study, configuration, impute)]
    sign = 1 if study.direction(configuration) else -1
    better, worse = (np.zeros(len(significant), dtype=int) for _ in range(2))
    behind = np.zeros(len(significant), dtype=bool)
    first, second = np.nonzero(np.triu(significant, 1))
    step = max(1, _CHUNK // max(1, len(tables[0])))
    for start in range(0, len(first), step):
        i, j = first[start : start + step], second[start : start + step]
        direction = np.sign(sum(sign * signed_rank_direction(paired_differences(each, i, j)) for each in tables))
        winner, loser = np.where(direction > 0, i, j), np.where(direction > 0, j, i)
        np.add.at(better, loser, direction != 0)
        np.add.at(worse, winner, direction != 0)
        behind[loser[(winner == leader) & (direction != 0)]] = True
    return better, worse, behind


def _means_of_scores(tables: Sequence[pd.DataFrame], confidence: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the mean score of each alternative and its interval, each of shape (n_alternatives,)."""
    n_resamples = max(_FEWEST_RESAMPLES, _RESAMPLES // len(tables))
    found = [_mean_intervals(each, confidence, n_resamples) for each in tables]
    means, low, high = (np.stack(parts) for parts in zip(*found, strict=True))
    return pool_intervals(means, low, high, confidence)


def _mean_intervals(
    scores: pd.DataFrame, confidence: float, n_resamples: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the mean of each column's scores, and its interval; columns that lack the same scores are one table."""
    from genexpy_nb.significance import mean_intervals

    values = scores.to_numpy(dtype=float)
    known = ~np.isnan(values)
    means, low, high = scores.mean().to_numpy(), *(np.full(values.shape[1], np.nan) for _ in range(2))
    patterns, of = np.unique(known, axis=1, return_inverse=True)
    long = len(values) * patterns.shape[1] > MOST_RESAMPLED or values.size > _MOST_SCORES
    for number in range(patterns.shape[1]):
        rows, columns = patterns[:, number], np.flatnonzero(of.ravel() == number)
        n = int(rows.sum())
        if n < 2:
            continue
        table = np.column_stack([values[np.ix_(rows, columns)], np.zeros(n)])  # a table has at least two columns
        interval = "t" if long else "auto"
        found = mean_intervals(table, interval=interval, n_resamples=n_resamples, confidence=confidence)
        low[columns], high[columns] = found["low"].to_numpy()[:-1], found["high"].to_numpy()[:-1]
    return means, low, high


def noise(study: Study, configuration: Configuration | None = None) -> pd.DataFrame:
    """Say how far single runs differ, over which the scores are averaged: seeds, folds and the like.

    Parameters
    ----------
    configuration : dict
        See `Study.scores`.

    Returns
    -------
    DataFrame, one row per alternative, best mean rank first
        Index: the alternative. ``n_experiments`` with a score; ``n_runs``, the scores of all its runs, and
        ``fewest_runs`` and ``most_runs`` of an experiment; ``sd_runs``, the standard deviation of single runs
        within an experiment, pooled, and ``sd_conditions``, that of the means over the experiments;
        ``share_of_variance`` of the mean score that is due to runs, and ``share_of_difference``, the same of the mean
        difference from the first alternative, in the runs that both have. What cannot be estimated is missing. No rows
        where nothing was averaged.

        A run that has a score wherever the average has one could have been the whole study: ``attrs["n_runs"]``
        counts these, and ``attrs["n_same_best"]`` those of them in which the same alternatives have the best mean
        rank as in the average; None with a ``note`` where that cannot be said.

    Raises
    ------
    ParameterError
        If there is no such configuration.

    Notes
    -----
    With n_i runs in experiment i of N, the share is ``sd_runs**2 * mean(1 / n_i)`` over ``sd_conditions**2``, at most
    1. It takes runs for independent: where they share data, as folds do, it is too small. ``docs/accuracy.md`` says how
    rough it is with few experiments.


    Examples
    --------
    >>> table = pd.DataFrame({"model": list("ab") * 8, "data": np.repeat(range(4), 4), "seed": [0, 0, 1, 1] * 4})
    >>> table["score"] = [3, 0, 5, 2, 6, 2, 4, 4, 9, 4, 7, 2, 8, 9, 9, 6]
    >>> from genexpy_nb import Study
    >>> study = Study(table, alternatives="model", target="score", generalize_over="data", average_over="seed")
    >>> noise = study.noise()
    >>> noise[["n_runs", "sd_runs", "sd_conditions", "share_of_variance"]].round(2).rename_axis(None)
       n_runs  sd_runs  sd_conditions  share_of_variance
    a       8     1.27           2.21               0.17
    b       8     1.62           2.75               0.17
    >>> noise.attrs["n_runs"], noise.attrs["n_same_best"]
    (2, 2)
    """
    tables = rankings_of(study, configuration)
    names = tables[0].columns
    if not study.average_over:
        frame = pd.DataFrame(columns=[*SPREADS, "share_of_difference"], index=names[:0], dtype=float)
        frame.attrs = {"n_runs": None, "n_same_best": None, "note": "nothing was averaged"}
        return frame
    rows = _runs_of_experiments(study, configuration)
    scores = rows[study.target].to_numpy(dtype=float)
    alternative = names.get_indexer(rows[study.alternatives_column])
    experiment = tables[0].index.get_indexer(_as_index(rows[study.generalize_over]))
    run, _ = _as_index(rows[study.average_over]).factorize()
    sums = rank_sums(tables)
    largest = np.zeros(len(names))
    np.maximum.at(largest, alternative, np.abs(scores))
    frame = spreads(scores, experiment, alternative, len(names), largest)
    first = int(np.argmin(sums))
    difference, there = matched_differences(scores, experiment, run, alternative, first)
    of_pairs = spreads(
        difference, experiment[there], alternative[there], len(names), np.maximum(largest, largest[first])
    )
    frame["share_of_difference"] = of_pairs["share_of_variance"]
    whole = complete_runs(scores, experiment, run, alternative, tables[0].shape)
    frame = frame.set_axis(names).iloc[np.argsort(sums, kind="stable")]
    frame.attrs = _same_best(study, configuration, sums, whole)
    return frame


def _runs_of_experiments(study: Study, configuration: Configuration | None) -> pd.DataFrame:
    """Return single runs of the experiments: of a cluster, the mean over its conditions where all have the run."""
    rows = study.runs(configuration)
    if study.cluster is None:
        return rows
    keys = [study.cluster, study.alternatives_column]
    n_conditions = rows.drop_duplicates([*keys, *study.within_clusters]).groupby(keys, sort=False).size()
    runs = rows.groupby([*keys, *study.average_over], sort=False)[study.target].agg(["mean", "size"]).reset_index()
    complete = runs["size"].to_numpy() == n_conditions.loc[pd.MultiIndex.from_frame(runs[keys])].to_numpy()
    return runs.loc[complete].rename(columns={"mean": study.target}).drop(columns="size").reset_index(drop=True)


def _as_index(columns: pd.DataFrame) -> pd.Index:
    """Return one column as an index, several as one of several levels."""
    return pd.Index(columns.iloc[:, 0]) if columns.shape[1] == 1 else pd.MultiIndex.from_frame(columns)


def _same_best(
    study: Study, configuration: Configuration | None, sums: np.ndarray, runs: Iterable[np.ndarray]
) -> dict[str, Any]:
    """Count the runs that alone have the same best alternatives by mean rank as the average."""
    nothing = {"n_runs": None, "n_same_best": None}
    if study.is_completed(configuration):
        return nothing | {"note": "evaluations are missing, and no single run is completed"}
    best = sums == sums.min()
    same = []
    for table in runs:
        ranks = pd.DataFrame(rank_scores(table, higher_is_better=study.direction(configuration)))
        of_run = rank_sums([ranks])
        same.append(bool(((of_run == of_run.min()) == best).all()))
    if len(same) < 2:
        return nothing | {"note": "fewer than two runs have a score wherever the average has one"}
    return {"n_runs": len(same), "n_same_best": sum(same), "note": ""}


def spreads(
    scores: np.ndarray, experiment: np.ndarray, alternative: np.ndarray, n_alternatives: int, largest: np.ndarray
) -> pd.DataFrame:
    """Estimate for each alternative how far single runs, and experiments, differ."""
    order = np.lexsort([scores, experiment, alternative])  # the last digits of a sum depend on the order of its terms
    x, cell = scores[order], np.column_stack([alternative, experiment])[order]
    starts = np.flatnonzero(np.r_[True, (cell[1:] != cell[:-1]).any(axis=1)][: len(x)])
    counts = np.diff(np.r_[starts, len(x)])
    of = cell[starts, 0]

    def total(values: np.ndarray | None = None) -> np.ndarray:
        return np.bincount(of, values, minlength=n_alternatives)

    means = np.add.reduceat(x, starts) / counts if len(x) else np.zeros(0)
    squares = np.add.reduceat((x - np.repeat(means, counts)) ** 2, starts) if len(x) else np.zeros(0)
    n, tiny = total(), (_KNOWN * largest) ** 2
    with np.errstate(invalid="ignore", divide="ignore"):
        of_runs = _above(total(squares) / total(counts - 1.0), tiny)
        grand = total(means) / n
        of_experiments = _above(total((means - grand[of]) ** 2) / np.where(n > 1, n - 1, np.nan), tiny)
        due = of_runs * total(1 / counts) / n
        share = np.minimum(due / of_experiments, 1.0)
    fewest, most = np.full(n_alternatives, np.iinfo(np.int64).max), np.zeros(n_alternatives, dtype=np.int64)
    np.minimum.at(fewest, of, counts)
    np.maximum.at(most, of, counts)
    columns = (n, total(counts).astype(int), np.minimum(fewest, most), most)
    return pd.DataFrame(
        dict(zip(SPREADS, (*columns, np.sqrt(of_runs), np.sqrt(of_experiments), share), strict=True)),
    )


def _above(variance: np.ndarray, tiny: np.ndarray) -> np.ndarray:
    return np.where(variance <= tiny, 0.0, variance)


def matched_differences(
    scores: np.ndarray, experiment: np.ndarray, run: np.ndarray, alternative: np.ndarray, reference: int
) -> tuple[np.ndarray, np.ndarray]:
    """Subtract from each score that of the reference in the same run of the same experiment."""
    key = experiment.astype(np.int64) * (int(run.max(initial=0)) + 1) + run
    own = np.flatnonzero(alternative == reference)
    own = own[np.argsort(key[own], kind="stable")]
    if not len(own):
        return np.zeros(0), np.zeros(0, dtype=int)
    place = np.minimum(np.searchsorted(key[own], key), len(own) - 1)
    rows = np.flatnonzero(key[own][place] == key)
    return scores[rows] - scores[own[place[rows]]], rows


def complete_runs(
    scores: np.ndarray,
    experiment: np.ndarray,
    run: np.ndarray,
    alternative: np.ndarray,
    shape: tuple[int, int],
) -> Iterator[np.ndarray]:
    """Yield the table of each run that has a score wherever any run has one."""
    n_cells = len(np.unique(experiment.astype(np.int64) * shape[1] + alternative))
    order = np.argsort(run, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(run[order])) + 1):
        if len(rows) == n_cells:
            table = np.full(shape, np.nan)
            table[experiment[rows], alternative[rows]] = scores[rows]
            yield table


def halves(
    study: Study, configuration: Configuration | None = None, n_splits: int = 1000, rng: np.random.Generator | int = 0
) -> pd.DataFrame:
    """Split the experiments into halves, again and again: do both draw the same conclusions?

    Parameters
    ----------
    configuration : dict
        See `Study.scores`.
    n_splits : int
        How many random splits, >= 1; all possible ones if there are no more. Completions share them.
    rng : numpy.random.Generator or int
        Source of randomness, or its seed.

    Returns
    -------
    DataFrame, one row per conclusion
        ``conclusion``; ``n``, the experiments in each half, N // 2; ``n_splits``; ``estimate``, the mean over the
        splits of what ``measure`` says; ``low`` and ``high``, always missing; ``note``. The best are all alternatives
        that share the best mean, and count as the same if all of them are. The top 3 are those with fewer than three
        better ones; their overlap is the number in both halves over that in the larger top. An order without any
        difference agrees with none: tau is then 0, and missing if there is none in any half.

    Raises
    ------
    StudyError, ParameterError
        If there are fewer than two experiments or alternatives, or a parameter does not fit.

    Notes
    -----
    Two disjoint halves are two studies of N // 2 experiments each, so that the estimate is unbiased for such
    studies. It is noisy however many splits there are, and has no interval: `Study.agreement` has one, also for larger
    studies.


    Examples
    --------
    >>> from genexpy_nb import Study
    >>> scores = pd.DataFrame({"a": [9, 8, 6, 7], "b": [4, 3, 2, 9], "c": [0, 1, 1, 0]})
    >>> Study.from_wide(scores).halves()[["conclusion", "n", "n_splits", "estimate"]].round(3)
                       conclusion  n  n_splits  estimate
    0           best by mean rank  2         3     0.000
    1          best by mean score  2         3     1.000
    2  order by mean rank (tau-b)  2         3     0.816
    """
    n_splits, seed = check_count("n_splits", n_splits), seed_of(rng)
    scores = scores_of(study, configuration, impute=True)
    if min(scores[0].shape) < 2:
        raise StudyError(f"at least two experiments and alternatives are needed, got shape {scores[0].shape}")
    sign = 1 if study.direction(configuration) else -1
    each = -(-n_splits // len(scores))
    agreements = [
        _agreements(doubled_ranks(ranking), sign * score.to_numpy(), each, stream(seed, number))
        for number, (ranking, score) in enumerate(zip(rankings_of(study, configuration), scores, strict=True))
    ]
    n = len(scores[0]) // 2
    experiments = "experiment" if n == 1 else "experiments"
    note = f"unbiased for two studies of {n} {experiments} each, noisy"
    return pd.DataFrame(
        [
            {
                "conclusion": name,
                "measure": _MEASURES[name],
                "n": n,
                "n_splits": sum(len(found[name]) for found in agreements),
                "estimate": np.mean(np.concatenate([found[name] for found in agreements])),
            }
            for name in agreements[0]
        ]
    ).assign(low=np.nan, high=np.nan, note=note)


def study_splits(n_experiments: int, n_splits: int, rng: np.random.Generator | int = 0) -> Iterator[np.ndarray]:
    """Split experiments into two halves of the same size: all splits if there are no more than asked for,
    else random.
    """
    n, rest = divmod(check_count("n_experiments", n_experiments, 2), 2)
    step = max(1, _CHUNK // n_experiments)
    if comb(2 * n, n) // 2 * (n_experiments if rest else 1) <= n_splits:
        yield np.array(list(_all_splits(n_experiments)))
        return
    draw = generator(rng)
    for start in range(0, n_splits, step):
        yield signed_counts(n_experiments, n, min(step, n_splits - start), draw)


def _all_splits(n_experiments: int) -> Iterator[np.ndarray]:
    """Yield each split once: of both halves, the one with the first experiment counts as the first."""
    n = n_experiments // 2
    for chosen in combinations(range(n_experiments), 2 * n):
        for half in combinations(chosen[1:], n - 1):
            signs = np.zeros(n_experiments)
            signs[list(chosen)] = -1
            signs[[chosen[0], *half]] = 1
            yield signs


def kendall_taus(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return Kendall's tau-b between the rows of two arrays, NaN where one row has no order."""
    p_value = "asymptotic" if first.shape[1] > 2 else "exact"  # the quickest: only the statistic is used
    return np.array(
        [
            stats.kendalltau(a, b, method=p_value).statistic if np.ptp(a) and np.ptp(b) else np.nan
            for a, b in zip(first, second, strict=True)
        ]
    )


def _agreements(
    doubled: np.ndarray, gains: np.ndarray, n_splits: int, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Return for each conclusion of `Stability.halves` how far two halves agree, shape (n_splits,)."""
    # Differences of means up to this are rounding.
    nothing = 1e-12 * len(gains) * max(np.abs(gains).max(), np.finfo(float).tiny)
    found: dict[str, list[np.ndarray]] = {name: [] for name in _MEASURES}
    ordered = False
    for counts in study_splits(len(doubled), n_splits, rng):
        halves = (counts > 0).astype(float), (counts < 0).astype(float)
        ranks = [np.rint(half @ doubled).astype(np.int64) for half in halves]
        means = [half @ gains for half in halves]
        best = [sums == sums.min(axis=1, keepdims=True) for sums in ranks]
        highest = [sums >= sums.max(axis=1, keepdims=True) - nothing for sums in means]
        found["best by mean rank"].append((best[0] == best[1]).all(axis=1))
        found["best by mean score"].append((highest[0] == highest[1]).all(axis=1))
        if doubled.shape[1] > TOP:
            found[_TOP_NAME].append(_overlap(*map(_top, ranks)))
        found[_ORDER_NAME].append(kendall_taus(*ranks))
        ordered = ordered or bool(np.ptp(np.stack(ranks), axis=-1).any())
    joint = {name: np.concatenate(parts).astype(float) for name, parts in found.items() if parts}
    joint[_ORDER_NAME] = np.nan_to_num(joint[_ORDER_NAME]) if ordered else np.full(len(joint[_ORDER_NAME]), np.nan)
    return joint


def _top(sums: np.ndarray) -> np.ndarray:
    """Say which alternatives have fewer than `TOP` better ones, shape (n_splits, n_alternatives)."""
    return sums <= np.partition(sums, TOP - 1, axis=1)[:, [TOP - 1]]


def _overlap(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return (first & second).sum(axis=1) / np.maximum(first.sum(axis=1), second.sum(axis=1))
