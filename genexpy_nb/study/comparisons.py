"""Which alternatives of a study may be the best, which pairs differ, and what choosing by the table costs.

All that is called better here, is better by one kind of test: sign flips of whole experiments, on what the ranking is
by (`genexpy_nb.conclusions.contenders`). Missing evaluations carry no significance: two alternatives are compared over
the experiments that were run for both, and one that has fewer than half of the experiments is not ranked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import check_choice, check_level, listed, suggest
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.random import seed_of
from genexpy_nb.common.rankings import rank_scores
from genexpy_nb.conclusions.contenders import (
    BY,
    FEWEST_IN_COMMON,
    MIN_EXPERIMENTS,
    Comparisons,
    compare_all,
    frame_of_contenders,
    rows_of,
)
from genexpy_nb.conclusions.regret import regret_of_table
from genexpy_nb.study.checks import Configuration

if TYPE_CHECKING:  # significance brings statsmodels, which takes long to load; functions import it when they are called
    from genexpy_nb.significance import Friedman
    from genexpy_nb.study.study import Study

#: Pairs of which a table is made.
MOST_PAIRS = 1_000_000


class Best(NamedTuple):
    """Who leads, and whether this one may be named the best."""

    best: tuple[Any, ...]  # by the mean rank or score: several if they tie
    contenders: tuple[Any, ...]  # who may be the best
    significant: bool  # one leads, and is the only contender
    p: float  # the largest p-value of another one; 1 if several lead
    note: str


# --- who is compared --------------------------------------------------------------------------------------------------


def ranked(study: Study, configuration: Configuration | None = None, rank_incomplete: bool = False) -> list[Any]:
    """Return the alternatives that have at least half of the experiments; all, if fewer than two have."""
    scores = study.scores(configuration)
    enough = scores.columns[2 * scores.notna().sum() >= len(scores)].tolist()
    return scores.columns.tolist() if rank_incomplete or len(enough) < 2 else enough


def _ranked_scores(study: Study, configuration: Configuration | None, rank_incomplete: bool) -> pd.DataFrame:
    """Return the scores of those who are ranked, without experiments that none of them was run in."""
    return study.scores(configuration)[ranked(study, configuration, rank_incomplete)].dropna(how="all")


def _rows(study: Study, configuration: Configuration | None, by: str, rank_incomplete: bool) -> pd.DataFrame:
    """Return what those who are ranked are compared by, higher is better; missing where one was not run."""
    check_choice("by", by, BY)
    scores = _ranked_scores(study, configuration, rank_incomplete)
    if scores.shape[1] < 2:
        raise StudyError(f"at least two alternatives are needed, got {scores.shape[1]}")
    if len(scores) < MIN_EXPERIMENTS:
        raise StudyError(
            f"at least {MIN_EXPERIMENTS} experiments are needed to compare alternatives, got {len(scores)}"
        )
    rows = rows_of(scores.to_numpy(dtype=float), by, study.direction(configuration))
    return pd.DataFrame(rows, scores.index, scores.columns)


def comparisons_of(
    study: Study,
    configuration: Configuration | None = None,
    by: str = "rank",
    level: float = 0.05,
    rank_incomplete: bool = False,
    alternatives: Sequence[Any] | None = None,
    rng: np.random.Generator | int = 0,
) -> tuple[pd.Index, Comparisons]:
    """Return who was compared, and all comparisons, which are made once."""
    level, seed = check_level("level", level), seed_of(rng)
    names = None if alternatives is None else tuple(alternatives)
    key = (*(configuration or {}).items(), by, level, bool(rank_incomplete), names, seed)
    if key not in study.compared:
        rows = _rows(study, configuration, by, rank_incomplete)
        for name in names or ():
            if name not in rows.columns:
                known = f"{suggest(name, rows.columns)} (ranked are {listed(rows.columns)})"
                raise ParameterError(f"alternatives: {name!r} is not ranked{known}")
        rows = rows if names is None else rows[list(names)]
        study.compared[key] = rows.columns, compare_all(rows.to_numpy(), level, seed)
    return study.compared[key]


def note_on(study: Study, configuration: Configuration | None = None, rank_incomplete: bool = False) -> str:
    """Say what missing evaluations mean for the comparisons; nothing if none is missing."""
    scores = study.scores(configuration)
    if not scores.isna().to_numpy().any():
        return ""
    names, notes = ranked(study, configuration, rank_incomplete), []
    if not_ranked := len(scores.columns) - len(names):
        are = "alternative has" if not_ranked == 1 else "alternatives have"
        notes.append(f"{not_ranked:,} {are} fewer than half of the experiments, and are listed without a rank")
    if scores[names].isna().to_numpy().any():
        notes.append(f"two alternatives are compared over the experiments that both have, {FEWEST_IN_COMMON} at least")
    return "; ".join(notes)


# --- who may be the best ----------------------------------------------------------------------------------------------


def contenders(
    study: Study,
    configuration: Configuration | None = None,
    *,
    by: str = "rank",
    level: float = 0.05,
    alternative: Any = None,
    rank_incomplete: bool = False,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Say which alternatives may be the best, how far each is from the best of the others, and where it may stand.

    Parameters
    ----------
    configuration : dict
        See `Study.scores`.
    by : {"rank", "score"}
        The best has the best mean rank, or the best mean score.
    level : float
        Nominal probability that the best one is not among the contenders; that a gap does not hold, all at once; and
        that somebody is placed before another one who is no worse. In (0, 1).
    alternative : object, optional
        One that was chosen before the results were seen: its places are about itself alone, which makes them fewer, and
        those of the others are missing.
    rank_incomplete : bool
        Whether alternatives with fewer than half of the experiments are ranked, too.
    rng : numpy.random.Generator or int
        Of the flips; all of them are looked at up to 11 experiments, and up to ten times as many random ones where it
        would depend on the seed whether an alternative may be the best.

    Returns
    -------
    DataFrame, one row per ranked alternative, the leader first
        ``may_be_best``; ``p`` of the test that no other one is better; ``estimate``, by how much it is ahead of the
        best of the others (in mean ranks, or in the score; negative if it is behind), and its interval ``low``,
        ``high``: choosing this one loses at most ``-low`` against the best, and it leads by at most ``high``. Then
        ``place_low`` and ``place_high``. ``attrs``: ``level``, ``by``, ``n_experiments``, ``smallest_p``, and ``note``,
        which says what is missing.

    Notes
    -----
    Each alternative is compared with all others at once by the largest t statistic of its paired differences, against
    what flipping the signs of whole experiments makes of it (exact if differences are symmetric). Only the test of the
    true best one can drop it, so nothing is to be corrected for the number of alternatives. The gaps are the
    simultaneous intervals of Hsu (Annals of Statistics 12, 1984; Multiple Comparisons, 1996) with these critical
    values. The places count who is significantly better or worse by the same flips over all pairs (Mogstad, Romano,
    Shaikh and Wilhelm, Review of Economic Studies 2024). Where scores are missing, two are compared over the
    experiments that both have, six at least. Beyond 200 alternatives, p-values are corrected after Bonferroni.

    Two that were equal so far need not be: of two more experiments, as large a share is taken to differ (after Agresti
    and Coull, The American Statistician 52, 1998). A gap by score cannot know of rare experiments, of which the table
    holds none, in which much is lost. ``docs/accuracy.md`` says how often all this held.

    Examples
    --------
    >>> from genexpy_nb import Study
    >>> rng = np.random.default_rng(0)
    >>> scores = pd.DataFrame(rng.normal([0.93, 0.88, 0.5], 0.1, (30, 3)), columns=["svm", "forest", "chance"])
    >>> found = Study.from_wide(scores).contenders()
    >>> found[["may_be_best", "estimate", "low", "high"]].round(2).rename_axis(None)
            may_be_best  estimate   low  high
    svm            True      0.13 -0.22  0.50
    forest         True     -0.13 -0.50  0.22
    chance        False     -1.57 -1.75  0.00
    """
    seed = seed_of(rng)
    rows = _rows(study, configuration, by, rank_incomplete)
    names, found = comparisons_of(study, configuration, by, level, rank_incomplete, rng=seed)
    frame = frame_of_contenders(found, rows.to_numpy(), names, by, alternative, seed)
    frame = frame.iloc[np.argsort(-frame["estimate"].to_numpy(), kind="stable")]
    frame.attrs["note"] = note_on(study, configuration, rank_incomplete)
    return frame


def best(
    study: Study,
    configuration: Configuration | None = None,
    level: float = 0.05,
    *,
    by: str = "rank",
    rank_incomplete: bool = False,
) -> Best:
    """Say who leads, who may be the best, and whether the leader may be named; parameters as `Study.contenders`.

    Returns
    -------
    Best
        ``best``, who leads by `Study.ranking` (several if they tie); ``contenders``; ``significant``, whether one leads
        and is the only contender; ``p``; ``note``, what is missing.

    Examples
    --------
    The constant predictor has the highest log-loss, and so is the worst:

    >>> from genexpy_nb import Study
    >>> losses = pd.DataFrame({"tree": [0.3] * 9 + [0.9], "constant": 0.7})
    >>> Study.from_wide(losses, higher_is_better=False).best()[:3]
    (('tree',), ('tree',), True)
    """
    names, found = comparisons_of(study, configuration, by, level, rank_incomplete)
    ranking = study.ranking(configuration, level, by=by, rank_incomplete=rank_incomplete, tests=False)
    leaders = tuple(ranking.index[ranking["position"] == 1])
    contend = tuple(name for name in ranking.index if name in set(names[found.contend]))
    others = [p for name, p in zip(names, found.p_best, strict=True) if name != leaders[0]]
    p = float(max(others)) if len(leaders) == 1 else 1.0
    note = note_on(study, configuration, rank_incomplete)
    return Best(leaders, contend, len(leaders) == 1 and contend == leaders, p, note)


def regret(
    study: Study,
    top: int | Sequence[int] | None = None,
    configuration: Configuration | None = None,
    *,
    by: str = "rank",
    level: float = 0.05,
    rank_incomplete: bool = False,
) -> pd.DataFrame:
    """Say what it costs to follow the table on an experiment that it does not hold.

    Parameters
    ----------
    top : int or list of int, optional
        Sizes of the shortlist: 1 follows the winner, k tries the best k and keeps the best of them. By default 1, 2 and
        3, as far as there are as many alternatives.
    configuration, level, rank_incomplete
        See `Study.contenders`.
    by : {"rank", "score"}
        The winner has the best mean rank, and costs are in ranks; or the best mean score, and costs are in scores:
        bring the experiments to one scale first.

    Returns
    -------
    DataFrame, one row per size of the shortlist
        Means over the experiments that are left out: ``score``, what the best of the shortlist, which the others
        chose, is worth there (by rank, its rank); ``regret``, by how much the best of all is better there; ``lead``, by
        how much it is better than the next one by the others (of the winner; missing for longer lists);
        ``of_contender`` and ``of_alternative``, the regret of one drawn from the first by the others, as many as there
        are contenders, and from all;
        ``score_regret``, that of the same choice in scores, missing where experiments seem to differ in scale;
        ``worst``, the three experiments with the largest regret, and these. ``attrs``: ``by``, ``n_experiments``,
        ``regrets`` (a frame: experiments and sizes), ``mixed`` (why scales seem to differ, or empty),
        ``unanimous`` (if the winner was always the same).

    Notes
    -----
    What is left out was not looked at before, so the means are unbiased for studies of N - 1 experiments; what the
    table itself prints for its winner is too good. Where several share a place, it is the mean over all ways to choose
    among them. There is no interval: most regrets are 0 and few are large, and intervals of the mean held .36 to .87
    of the time on real tables. An experiment counts for those that were run there.

    Examples
    --------
    >>> from genexpy_nb import Study
    >>> rng = np.random.default_rng(0)
    >>> scores = pd.DataFrame(rng.normal([0.9, 0.88, 0.5], 0.1, (30, 3)), columns=["svm", "forest", "chance"])
    >>> Study.from_wide(scores).regret(by="score")[["top", "score", "regret", "of_alternative"]].round(2)
       top  score  regret  of_alternative
    0    1   0.88    0.06            0.17
    1    2   0.94    0.00            0.17
    2    3   0.94    0.00            0.17
    """
    _, found = comparisons_of(study, configuration, by, level, rank_incomplete)
    scores = _ranked_scores(study, configuration, rank_incomplete)
    top = [size for size in (1, 2, 3) if size <= scores.shape[1]] if top is None else top
    higher = study.direction(configuration)
    return regret_of_table(scores, top, by=by, higher_is_better=higher, n_contenders=int(found.contend.sum()))


# --- pairs ------------------------------------------------------------------------------------------------------------


def friedman(study: Study, configuration: Configuration | None = None) -> Friedman:
    """Test whether all alternatives perform alike, over the experiments in which all were run.

    Returns
    -------
    genexpy_nb.significance.Friedman

    Examples
    --------
    >>> from genexpy_nb import Study
    >>> losses = pd.DataFrame({"a": [0.1, 0.2, 0.3, 0.4], "b": [0.4, 0.5, 0.2, 0.5], "c": 0.7})
    >>> Study.from_wide(losses, higher_is_better=False).friedman().mean_ranks.to_dict()
    {'a': 1.25, 'b': 1.75, 'c': 3.0}
    """
    from genexpy_nb import significance

    scores = study.scores(configuration)
    return significance.friedman(scores, higher_is_better=study.direction(configuration), missing="drop")


def pairs(
    study: Study,
    configuration: Configuration | None = None,
    *,
    by: str = "rank",
    level: float = 0.05,
    alternatives: Sequence[Any] | None = None,
    rank_incomplete: bool = False,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Compare all pairs of alternatives, over the experiments that were run for both.

    Parameters
    ----------
    configuration, by, level, rank_incomplete, rng
        See `Study.contenders`.
    alternatives : list, optional
        Compare the pairs of these only; chosen before the results were seen.

    Returns
    -------
    DataFrame, one row per pair
        ``a``, ``b``; ``n_common`` experiments, and in how many of them a ``wins``, ``ties`` and ``losses``;
        ``probability_of_improvement``, (wins + ties / 2) / n_common (Agarwal et al., NeurIPS 2021);
        ``mean_difference`` of the scores, a minus b. ``estimate``, by how much a is ahead (in mean ranks, or in the
        score; negative if it is behind), and the interval ``low``, ``high`` that holds for all pairs at once; ``p`` of
        the pair by itself, and ``p_adjusted`` over all pairs; ``better``, the name of the one that is significantly
        better, or empty. p is 1, and the interval missing, with fewer than six experiments in common.
        ``attrs``: ``level``, ``by``, ``note``, ``smallest_p``.

    Notes
    -----
    ``p_adjusted`` compares with the largest of all pairs when the signs of whole experiments are flipped, and
    ``low``, ``high`` invert that test: without 0 if and only if ``p_adjusted`` is at most the level.

    Examples
    --------
    >>> from genexpy_nb import Study
    >>> losses = pd.DataFrame({"tree": [0.3] * 9 + [0.9], "constant": 0.7})
    >>> found = Study.from_wide(losses, higher_is_better=False).pairs()
    >>> found[["a", "b", "wins", "losses", "estimate", "low", "high", "p", "better"]].round(3)
              a     b  wins  losses  estimate   low  high      p better
    0  constant  tree     1       9      -0.8 -1.25 -0.35  0.021   tree
    """
    names, found = comparisons_of(study, configuration, by, level, rank_incomplete, alternatives, rng)
    k = len(names)
    if k * (k - 1) // 2 > MOST_PAIRS:
        many = f"{k:,} alternatives make more than {MOST_PAIRS:,} pairs"
        raise StudyError(f"{many}; name those that matter: alternatives=")
    frame = table_of_pairs(study, configuration, names, found, np.arange(k))
    smallest = found.smallest_p()
    few = f"{found.common.max():.0f} experiments cannot make p smaller than {smallest:.2g}: no pair can differ"
    notes = [few] * (smallest > found.level) + [note_on(study, configuration, rank_incomplete)]
    frame.attrs = {"level": found.level, "by": by, "smallest_p": smallest, "note": "; ".join(filter(None, notes))}
    return frame


def table_of_pairs(
    study: Study, configuration: Configuration | None, names: pd.Index, found: Comparisons, some: np.ndarray
) -> pd.DataFrame:
    """Return what `pairs` does about pairs of some of those who were compared."""
    scores = study.scores(configuration)[names[some]].dropna(how="all")
    tiers = rank_scores(scores, higher_is_better=study.direction(configuration))
    places = np.where(scores.isna(), np.nan, tiers)  # nothing compares with NaN
    won = np.stack([(column[:, None] < places).sum(axis=0) for column in places.T])
    tied = np.stack([(column[:, None] == places).sum(axis=0) for column in places.T])
    i, j = np.triu_indices(len(some), 1)
    n_common = won[i, j] + tied[i, j] + won[j, i]
    improved = np.full(len(i), np.nan)
    np.divide(won[i, j] + tied[i, j] / 2, n_common, out=improved, where=n_common > 0)
    values = scores.to_numpy(dtype=float)
    seen, x = (~np.isnan(values)).astype(float), np.where(np.isnan(values), 0.0, values)
    common = seen.T @ seen  # rows that both have
    means = np.full(common.shape, np.nan)
    np.divide(x.T @ seen - seen.T @ x, common, out=means, where=common > 0)
    one, other = some[i], some[j]
    pair = one, other
    ahead, margin = found.ahead[pair], found.margins(found.critical_of_all, pair)
    is_better, is_worse = found.better[pair], found.better[other, one]
    margin = np.where(is_better | is_worse, margin, np.maximum(margin, np.abs(ahead)))  # others may be equal
    better = np.select([is_better, is_worse], [names[one].astype(object), names[other].astype(object)], "")
    return pd.DataFrame(
        {
            "a": names[one],
            "b": names[other],
            "n_common": n_common,
            "wins": won[i, j],
            "ties": tied[i, j],
            "losses": won[j, i],
            "probability_of_improvement": improved,
            "mean_difference": means[i, j],
            "estimate": ahead,
            "low": ahead - margin,
            "high": ahead + margin,
            "p": found.p(pair),
            "p_adjusted": found.p_adjusted(pair),
            "better": better,
        }
    )


def compare(
    study: Study,
    a: Any,
    b: Any,
    configuration: Configuration | None = None,
    *,
    n: int | None = None,
    by: str = "rank",
    level: float = 0.05,
    confidence: float = 0.95,
) -> pd.Series:
    """Compare two alternatives that were named beforehand, and say whether another study would find the same.

    Parameters
    ----------
    a, b : object
        The two alternatives.
    configuration, by, level
        See `Study.contenders`.
    n : int, optional
        Experiments of the other study, >= 2; by default as many as both have in common.
    confidence : float
        Of the lower limits, in (0, 1).

    Returns
    -------
    Series
        The row of `Study.pairs` for this pair alone, whose p-value and interval are not adjusted for others. Then
        ``n``; ``same_sign``, the probability that another study of n finds the same one ahead, and ``significant``,
        that it finds it significantly (two-sided t test at the level); each with a lower limit, ``same_sign_low`` and
        ``significant_low``. NaN, also for a probability below its limit, is "none": where all differences are equal,
        nothing is known of how they vary.

    Notes
    -----
    Both probabilities rise with the standardized difference, the mean over the standard deviation. Its estimate is
    Hedges' (Journal of Educational Statistics 6, 1981); its limit inverts the noncentral t distribution, and is lower
    where skewness and kurtosis make the standardized difference less certain. Which one is better is read off the same
    data, so that either sign gets half of what the confidence leaves. docs/accuracy.md says how often the limits held.

    Examples
    --------
    >>> from genexpy_nb import Study
    >>> rng = np.random.default_rng(0)
    >>> scores = pd.DataFrame(rng.normal([0.9, 0.8, 0.5], 0.1, (30, 3)), columns=["svm", "forest", "chance"])
    >>> found = Study.from_wide(scores).compare("svm", "forest", by="score")
    >>> found[["estimate", "low", "high", "same_sign_low", "significant_low"]].astype(float).round(2).tolist()
    [0.09, 0.04, 0.14, 0.93, 0.3]
    """
    from genexpy_nb.conclusions.replications import replication

    if a == b:
        raise ParameterError(f"a and b must be two different alternatives, got {a!r} twice")
    options: dict[str, Any] = {"by": by, "rank_incomplete": True}
    row = pairs(study, configuration, **options, level=level, alternatives=[a, b]).iloc[0]
    rows = _rows(study, configuration, **options)
    again = replication((rows[a] - rows[b]).dropna(), n, level, confidence)
    found: dict[str, Any] = {"n": again["n"].iloc[0]}
    for name, (_, one) in zip(("same_sign", "significant"), again.iterrows(), strict=True):
        found |= {name: one["estimate"], f"{name}_low": one["low"]}
    return pd.concat([row, pd.Series(found, dtype=object)])


def tiers(
    study: Study,
    configuration: Configuration | None = None,
    level: float = 0.05,
    *,
    by: str = "rank",
    rank_incomplete: bool = False,
) -> pd.DataFrame:
    """Group the alternatives into tiers that the experiments can tell apart; parameters as `Study.contenders`.

    Returns
    -------
    DataFrame, one row per ranked alternative, best first
        Index: the alternative. ``mean_rank``, ``tier`` (0 = best), ``leader`` (of its tier), ``p_adjusted`` (against
        the first one). The first leads the first tier, and all that are not significantly worse than it, by
        `Study.pairs`, belong there; the best of the others leads the next one. ``attrs["note"]`` says what is missing.

    Examples
    --------
    >>> from genexpy_nb import Study
    >>> losses = pd.DataFrame({"tree": [0.3] * 9 + [0.6], "constant": 0.7})
    >>> Study.from_wide(losses, higher_is_better=False).tiers()["tier"].to_dict()
    {'tree': 0, 'constant': 1}
    """
    from genexpy_nb.significance.tiers import grouped

    names, found = comparisons_of(study, configuration, by, level, rank_incomplete)
    ranking = study.ranking(configuration, level, by=by, rank_incomplete=rank_incomplete, tests=False)
    order = names.get_indexer(ranking.index)

    def p_of_worse(i: int) -> np.ndarray:
        return np.where(found.better[order[i]], found.p_adjusted(order[i]), 1.0)[order]

    tier, leader = grouped(p_of_worse, len(order), found.level)
    frame = pd.DataFrame({"mean_rank": ranking["mean_rank"], "tier": tier, "leader": ranking.index[leader]})
    frame = frame.assign(p_adjusted=found.p_adjusted(order[0])[order]).rename_axis("alternative")
    frame.attrs = {"note": note_on(study, configuration, rank_incomplete)}
    return frame
