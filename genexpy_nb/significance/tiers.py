"""Tiers of alternatives that the data can tell apart."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from genexpy_nb.common.checks import check_level, check_scores
from genexpy_nb.common.rankings import round_significant
from genexpy_nb.significance.multiple import holm_adjusted
from genexpy_nb.significance.rank_tests import friedman
from genexpy_nb.significance.wilcoxon import signed_rank_tests


def rank_tiers(scores: ArrayLike | pd.DataFrame, level: float = 0.05, *, higher_is_better: bool) -> pd.DataFrame:
    """Group the alternatives into tiers that the data can tell apart.

    The alternative with the best mean rank leads the first tier, and all that are not significantly worse than it
    belong there, too. The best of the others leads the next tier, and so on. Two alternatives of one tier need not be
    equal, and neighbours in different tiers need not differ: each was compared with a leader.

    Parameters
    ----------
    scores, higher_is_better
        See `friedman`; no score may be missing.
    level : float
        Probability, at most, that any alternative is put below a leader that it equals: Holm's over all pairs.

    Returns
    -------
    DataFrame, one row per alternative, best mean rank first
        Index: the alternative. ``mean_rank``, ``tier`` (0 = best), ``leader`` (of its tier), ``p_adjusted`` (against
        the best alternative, 1 for itself). ``attrs["note"]`` says if so few conditions cannot make more than one tier.

    Notes
    -----
    Wilcoxon's test ranks the differences of the scores. It holds ``level``, whichever alternatives are equal, if the
    difference of two equal alternatives is symmetric about zero. docs/accuracy.md says how often it erred.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> scores = pd.DataFrame(rng.normal([0.9, 0.9, 0.5], 0.1, size=(20, 3)), columns=["svm", "forest", "chance"])
    >>> rank_tiers(scores, higher_is_better=True)["tier"].to_dict()
    {'svm': 0, 'forest': 0, 'chance': 1}
    """
    level = check_level("level", level)
    overall = friedman(scores, higher_is_better=higher_is_better)
    n, k = overall.n_conditions, overall.n_alternatives
    tells = 2.0 ** (1 - n) * k * (k - 1) / 2 <= level
    few = "" if tells else f"{n} conditions cannot tell any of {k} alternatives apart at {level:g}: one tier"
    i, j = np.triu_indices(k, 1)
    p, direction = signed_rank_tests(check_scores(scores).values, i, j)
    p, ahead = holm_adjusted(p), direction if higher_is_better else -direction
    p_values = np.ones((k, k))  # of the row against the column, where the row is the better one
    p_values[i, j], p_values[j, i] = np.where(ahead > 0, p, 1.0), np.where(ahead < 0, p, 1.0)
    mean_ranks = overall.mean_ranks
    # Best mean rank first; of equal ones, which can be told from more leads.
    smallest_first = round_significant(np.sort(p_values, axis=1))
    order = np.lexsort((*smallest_first.T[::-1], mean_ranks))
    mean_ranks, p_values = mean_ranks.iloc[order], p_values[np.ix_(order, order)]
    tier, leader = grouped(p_values.__getitem__, len(p_values), level)
    columns = {"mean_rank": mean_ranks, "tier": tier, "leader": mean_ranks.index[leader], "p_adjusted": p_values[0]}
    tiers = pd.DataFrame(columns, index=mean_ranks.index).rename_axis("alternative")
    tiers.attrs["note"] = "; ".join(filter(None, [overall.note, few]))
    return tiers


def grouped(p_values: Callable[[int], np.ndarray], k: int, level: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the tier of every alternative and the position of its leader, from rows of p-values by mean rank."""
    tier = np.full(k, -1)
    leader = np.empty(k, dtype=int)
    for current in range(k):
        left = np.flatnonzero(tier < 0)
        if not left.size:
            break
        joins = left[p_values(int(left[0]))[left] > level]
        tier[joins], leader[joins] = current, left[0]
    return tier, leader
