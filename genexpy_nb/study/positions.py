"""Where the alternatives of a study stand, by the means over completions, and how far single runs say the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import stats

from genexpy_nb.common.checks import check_choice, check_level
from genexpy_nb.common.errors import StudyError
from genexpy_nb.common.rankings import rank_scores
from genexpy_nb.conclusions.contenders import BY
from genexpy_nb.study import comparisons
from genexpy_nb.study.checks import Configuration

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from genexpy_nb.study.study import Study

#: Experiments up to which intervals of means are resampled; beyond, they are those of the t distribution.
MOST_RESAMPLED = 2000

#: How many alternatives are the top.
TOP = 3

#: Columns of `ranking`.
RANKS = (
    *("n_experiments", "mean_rank", "mean_score", "score_low", "score_high", "share_best", "position", "low", "high"),
    *("tier", "may_be_best"),
)

#: Columns of `spreads`.
SPREADS = ("n_experiments", "n_runs", "fewest_runs", "most_runs", "sd_runs", "sd_conditions", "share_of_variance")

_MOST_SCORES = 250_000  # up to which intervals of means are resampled: two seconds
_RESAMPLES = 10_000  # of an interval of a mean
_KNOWN = 1e-12  # scores are known to 12 digits: what differs by less, is the same


def ranking(
    study: Study,
    configuration: Configuration | None = None,
    level: float = 0.05,
    *,
    by: str = "rank",
    rank_incomplete: bool = False,
    tests: bool = True,
    confidence: float | None = None,
) -> pd.DataFrame:
    """Return where each alternative stands, and where it may stand among all of them.

    Parameters
    ----------
    configuration, level, by, rank_incomplete
        See `Study.contenders`.
    tests : bool
        Without them, ``low``, ``high``, ``tier``, ``may_be_best`` and the intervals of mean scores are missing.
    confidence : float, optional
        Of each interval of a mean score, by itself; by default 1 - ``level``.

    Returns
    -------
    DataFrame, one row per ranked alternative, best first
        Index: the alternative. ``n_experiments`` that it was run in; ``mean_rank`` (1 = best), with the study's policy
        for missing evaluations; ``mean_score`` over the experiments that it was run in, and its interval ``score_low``,
        ``score_high``; ``share_best`` (share of the experiments in which no other one is better); ``position`` by mean
        rank, or by mean score (ties share the smallest); ``low`` and ``high``, between which all positions lie at once;
        ``tier`` (see `Study.tiers`); and ``may_be_best`` (see `Study.contenders`). ``attrs``: ``note``, ``level``,
        ``not_ranked`` (how many experiments those have that are not ranked).

    Notes
    -----
    The intervals of mean scores are those of `genexpy_nb.significance.compare_pairs` (``auto``; Student's beyond 2,000
    experiments or 250,000 scores). Two that overlap say nothing about the difference: that is what `Study.pairs` is
    for. Where what is missing counts as the worst, an alternative may lead and not be among the contenders, who are
    compared by what was run.

    Examples
    --------
    >>> losses = pd.DataFrame({"tree": [0.3] * 9 + [0.6], "constant": 0.7})
    >>> from genexpy_nb import Study
    >>> found = Study.from_wide(losses, higher_is_better=False).ranking()
    >>> found[["mean_rank", "position", "low", "high", "tier"]].rename_axis(None)
              mean_rank  position  low  high  tier
    tree            1.0         1    1     1     0
    constant        2.0         2    2     2     1
    """
    level = check_level("level", level)
    confidence = 1 - level if confidence is None else check_level("confidence", confidence)
    check_choice("by", by, BY)
    scores = study.scores(configuration)
    names = comparisons.ranked(study, configuration, rank_incomplete)
    not_ranked = scores.drop(columns=names).notna().sum().to_dict()
    scores = scores[names]
    if scores.shape[1] < 2:
        raise StudyError(f"at least two alternatives are needed, got shape {scores.shape}")
    tables = [each[names] for each in rankings_of(study, configuration)]
    sums = rank_sums(tables)
    worth = sums
    if by == "score":  # lower is better
        means = [each[names].mean().to_numpy() for each in scores_of(study, configuration)]
        worth = np.round(np.mean(means, axis=0) * (-1 if study.direction(configuration) else 1), 12)
    unknown = np.full(len(names), np.nan)
    mean_score, *ends = _mean_intervals(scores, confidence) if tests else (scores.mean(), unknown, unknown)
    frame = pd.DataFrame(
        {
            "n_experiments": scores.notna().sum(),
            "mean_rank": sums / (2 * len(scores) * len(tables)),
            "mean_score": mean_score,
            "score_low": ends[0],
            "score_high": ends[1],
            "share_best": np.mean([each.eq(each.min(axis=1), axis=0).to_numpy() for each in tables], axis=(0, 1)),
            "position": stats.rankdata(worth, "min").astype(int),
        },
        index=scores.columns,
    )
    note = comparisons.note_on(study, configuration, rank_incomplete)
    if not tests:
        frame = frame.assign(low=np.nan, high=np.nan, tier=np.nan, may_be_best=np.nan)
    elif len(scores) < comparisons.MIN_EXPERIMENTS:
        frame = frame.assign(low=1, high=len(names), tier=0, may_be_best=True)
        note = f"fewer than {comparisons.MIN_EXPERIMENTS} experiments tell no alternatives apart"
    else:
        _, found = comparisons.comparisons_of(study, configuration, by, level, rank_incomplete)
        low, high = found.places()
        tier = comparisons.tiers(study, configuration, level, by=by, rank_incomplete=rank_incomplete)["tier"]
        frame = frame.assign(low=low, high=high, tier=tier, may_be_best=found.contend)
    frame = frame.iloc[np.argsort(worth, kind="stable")]
    frame.attrs = {"note": note, "level": level, "not_ranked": not_ranked}
    return frame


def plot(study: Study, configuration: Configuration | None = None, most: int = 30, **options: Any) -> Figure:
    """Draw at which place each of the best alternatives stands, and where it may stand; options are of `Study.ranking`.

    Points: places. Lines: the places that each can have, all at once. Who can be first, may be the best.

    Examples
    --------
    >>> from genexpy_nb import Study
    >>> losses = pd.DataFrame({"tree": [0.3] * 9 + [0.6], "constant": 0.7})
    >>> Study.from_wide(losses, higher_is_better=False).plot().texts[0].get_text().split("\\n")
    ['place by mean rank; line: the places that it may', 'have (95 % confidence)']
    """
    from genexpy_nb.plots.study import rank_positions  # brings matplotlib, which takes long to load

    return rank_positions(study.ranking(configuration, **options), most)


def rankings_of(study: Study, configuration: Configuration | None) -> list[pd.DataFrame]:
    """Return the rankings of a configuration, or those of each completion."""
    if study.is_completed(configuration):
        return study.completions(configuration, of="rankings")
    return [study.rankings(configuration)]


def scores_of(study: Study, configuration: Configuration | None) -> list[pd.DataFrame]:
    """Return the scores of a configuration, missing ones imputed, or those of each completion."""
    if study.is_completed(configuration):
        return study.completions(configuration)
    return [study.scores(configuration, impute=True)]


def rank_sums(tables: Sequence[pd.DataFrame]) -> np.ndarray:
    """Return the doubled rank sums of alternatives, integers, which tie exactly, over all completions: shape (k,)."""
    doubled = (np.rint(2 * stats.rankdata(each.to_numpy(), axis=1)).astype(np.int64) for each in tables)
    return np.sum([ranks.sum(axis=0) for ranks in doubled], axis=0)


def _mean_intervals(scores: pd.DataFrame, confidence: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the mean of each column's scores, and its interval; columns that lack the same scores are one table."""
    from genexpy_nb.significance.intervals import mean_intervals

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
        found = mean_intervals(table, interval=interval, n_resamples=_RESAMPLES, confidence=confidence)
        low[columns], high[columns] = found["low"].to_numpy()[:-1], found["high"].to_numpy()[:-1]
    return means, low, high


def noise(study: Study, configuration: Configuration | None = None) -> pd.DataFrame:
    """Say how far single runs differ, over which the scores are averaged: seeds, folds and the like.

    A row per alternative, best mean rank first; none where nothing was averaged. ``n_experiments`` with a score;
    ``n_runs``, and ``fewest_runs`` and ``most_runs`` of an experiment; ``sd_runs``, the standard deviation of runs
    within an experiment, pooled, and ``sd_conditions``, that of the means over the experiments; ``share_of_variance``
    of the mean score that is due to runs (with n_i runs in experiment i: ``sd_runs**2 * mean(1 / n_i) /
    sd_conditions**2``, at most 1), and ``share_of_difference``, the same of the mean difference from the first
    alternative, in the runs that both have. Runs count as independent: where they share data, as folds do, the shares
    are too small (``docs/accuracy.md``).

    A run with a score wherever the average has one could have been the whole study: ``attrs["n_runs"]`` counts these,
    and ``attrs["n_same_best"]`` those that have the same best by mean rank as the average; None with a ``note`` where
    that cannot be said.
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
    experiment = tables[0].index.get_indexer(rows.set_index(study.generalize_over).index)
    run, _ = rows.set_index(study.average_over).index.factorize()
    sums = rank_sums(tables)
    largest = np.zeros(len(names))
    np.maximum.at(largest, alternative, np.abs(scores))
    frame = spreads(scores, experiment, alternative, len(names), largest)
    first = int(np.argmin(sums))
    difference, there = matched_differences(scores, experiment, run, alternative, first)
    most = np.maximum(largest, largest[first])
    of_pairs = spreads(difference, experiment[there], alternative[there], len(names), most)
    frame["share_of_difference"] = of_pairs["share_of_variance"]
    whole = complete_runs(scores, experiment, run, alternative, study.scores(configuration).notna().to_numpy())
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
        of_run = rank_sums([pd.DataFrame(rank_scores(table, higher_is_better=study.direction(configuration)))])
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
    return pd.DataFrame(dict(zip(SPREADS, (*columns, np.sqrt(of_runs), np.sqrt(of_experiments), share), strict=True)))


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
    scores: np.ndarray, experiment: np.ndarray, run: np.ndarray, alternative: np.ndarray, averaged: np.ndarray
) -> Iterator[np.ndarray]:
    """Yield the table of each run that has a score wherever the average has one (truth values)."""
    order = np.argsort(run, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(run[order])) + 1):
        if len(rows) == averaged.sum():
            table = np.full(averaged.shape, np.nan)
            table[experiment[rows], alternative[rows]] = scores[rows]
            yield table
