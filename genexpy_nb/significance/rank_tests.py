"""Tests on ranks within conditions: Friedman, Iman and Davenport, Conover and Iman."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats
from scipy.spatial.distance import squareform
from scipy.special import gammaln

from genexpy_nb.common.checks import check_direction, check_level, check_scores
from genexpy_nb.common.rankings import rank_scores

_FEW = 3  # conditions, up to which a note says what an approximate p-value is worth
_USUAL_LEVEL = 0.05  # of pairs: a note says it if no exact p-value can reach this


@dataclass(frozen=True, eq=False)
class Friedman:
    """Result of `friedman`, which says what is in it."""

    chi2: float
    p: float
    f: float
    p_f: float
    mean_ranks: pd.Series
    n_conditions: int
    n_alternatives: int
    n_dropped: int
    smallest_p: float
    note: str


def friedman(scores: ArrayLike | pd.DataFrame, *, higher_is_better: bool, missing: str = "error") -> Friedman:
    """Test whether all alternatives perform alike: Friedman's chi-square, and the F of Iman and Davenport.

    Parameters
    ----------
    scores : DataFrame or array_like, shape (n_conditions, n_alternatives)
    higher_is_better : bool
        Whether rank 1 goes to the highest score. Only the mean ranks depend on it, but they always do.
    missing : {"error", "drop"}
        What becomes of conditions with a missing score.

    Returns
    -------
    Friedman
        ``chi2``, corrected for ties, and its ``p``; ``f`` of Iman and Davenport, infinite if all conditions agree
        completely, and its ``p_f``, never below ``smallest_p``, which is the least that these conditions can give;
        ``mean_ranks``, 1 = best; ``n_conditions``, ``n_alternatives``, ``n_dropped`` (incomplete conditions that were
        left out); ``note`` on a degenerate value or very few conditions. See Demsar, JMLR 2006, Section 3.2.2.

    Examples
    --------
    >>> scores = [[0.9, 0.8, 0.7], [0.6, 0.5, 0.5], [0.8, 0.9, 0.1], [0.4, 0.3, 0.2]]
    >>> result = friedman(scores, higher_is_better=True)
    >>> round(result.chi2, 3), round(result.p, 3), result.mean_ranks.tolist()
    (5.733, 0.057, [1.25, 1.875, 2.875])
    """
    higher_is_better = check_direction(higher_is_better)
    table = check_scores(scores, missing)
    sums = _rank_sums(table.values, higher_is_better)
    n, k = table.values.shape
    # The sums are integers, so 0 means complete agreement (residual) or all ties (spread), not rounding.
    agreed = np.inf if sums.spread else 0.0
    f = (n - 1) * sums.between / sums.residual if sums.residual else agreed
    # what the p-value of a test on ranks can be at least, given the ties within each condition
    tiers = rank_scores(table.values, higher_is_better=True) + k * np.arange(n)[:, None]
    sizes = np.bincount(tiers.ravel(), minlength=n * k).reshape(n, k)
    log_orders = gammaln(k + 1) - gammaln(sizes + 1.0).sum(axis=1)
    smallest, few = float(np.exp(log_orders.max() - log_orders.sum())), ""
    if n <= _FEW and smallest < 1:  # all ties: that is said already
        few = f"{n} conditions cannot make an exact p-value smaller than {smallest:.2g}; p and p_f are approximations"
    return Friedman(
        chi2=sums.chi2,
        p=float(stats.chi2.sf(sums.chi2, k - 1)),
        f=float(f),
        p_f=max(float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))), smallest),
        mean_ranks=pd.Series(sums.doubled / (2 * n), index=table.names, name="mean_rank"),
        n_conditions=n,
        n_alternatives=k,
        n_dropped=table.n_dropped,
        smallest_p=smallest,
        note="; ".join(filter(None, [_agreement_note(sums), few])),
    )


def conover_iman(scores: ArrayLike | pd.DataFrame) -> pd.DataFrame:
    """Compare all pairs by their rank sums (Conover, 1999, Section 5.8): p-values before a correction, shape (k, k)."""
    table = check_scores(scores)
    sums = _rank_sums(table.values, higher_is_better=True)  # in the other direction, the gaps are the same
    return pd.DataFrame(_conover_matrix(sums, len(table.values)), table.names, table.names)


class _RankSums(NamedTuple):
    doubled: np.ndarray  # twice the rank sums, shape (n_alternatives,)
    between: int
    spread: int
    residual: int

    @property
    def chi2(self) -> float:
        """Friedman's statistic, corrected for ties."""
        return (len(self.doubled) - 1) * self.between / self.spread if self.spread else 0.0


def _rank_sums(values: np.ndarray, higher_is_better: bool) -> _RankSums:
    """Return the sums of squares of the doubled ranks, exactly: average ranks are multiples of one half."""
    n, k = values.shape
    ranks = np.rint(2 * stats.rankdata(rank_scores(values, higher_is_better=higher_is_better), axis=1)).astype(np.int64)
    doubled = ranks.sum(axis=0)
    total = int((ranks**2).sum())
    of_sums = sum(int(r) ** 2 for r in doubled)
    expected = n * k * (k + 1) ** 2
    return _RankSums(doubled, of_sums - n * expected, total - expected, n * total - of_sums)


def _conover_matrix(sums: _RankSums, n: int) -> np.ndarray:
    k = len(sums.doubled)
    i, j = np.triu_indices(k, 1)
    gap = np.abs(sums.doubled[i] - sums.doubled[j])
    df = (n - 1) * (k - 1)
    p = np.where(gap == 0, 1.0, 2.0 ** (1 - n))
    if sums.residual:
        places, gaps = pd.factorize(gap)  # whole numbers: many pairs have the same one
        p = (2 * stats.t.sf(gaps / np.sqrt(2 * sums.residual / df), df))[places]
    return squareform(p) + np.eye(k)


def _agreement_note(sums: _RankSums) -> str:
    if not sums.spread:
        return "all alternatives tie in every condition"
    return "" if sums.residual else "all conditions agree completely"


@dataclass(frozen=True)
class Best:
    """Result of `best_alternative`, which says what is in it."""

    best: tuple[Hashable, ...]
    significant: bool
    p_friedman: float
    p_others: float
    note: str


def best_alternative(scores: ArrayLike | pd.DataFrame, level: float = 0.05, *, higher_is_better: bool) -> Best:
    """Find the best alternative, and say whether it is significantly better than every other one.

    Parameters
    ----------
    scores, higher_is_better
        See `friedman`; no score may be missing.
    level : float
        Level of both tests. "Better than every other one" needs no correction, although the data choose the one: in a
        two-sided test, each of two equal ones is better with half the level. But one variance is estimated from all: if
        some hardly change places, it is too small, and there are more false winners.

    Returns
    -------
    Best
        ``best``, those with the best mean rank; ``significant``, whether Friedman's test rejects, one is best, and the
        test of Conover and Iman finds it better than each other one; ``p_friedman``; ``p_others``, the largest p-value
        against another one, 1 if several are best; ``note`` on a degenerate value or very few conditions. See
        Generalizability of Experimental Studies, second version, Appendix A ("Conover-Iman-significant").

    Examples
    --------
    >>> best = best_alternative([[0.9, 0.8, 0.1]] * 14 + [[0.8, 0.9, 0.1]] * 6, higher_is_better=True)
    >>> best.best, best.significant, round(best.p_others, 3)
    ((0,), True, 0.011)
    """
    level = check_level("level", level)
    table = check_scores(scores)
    sums = _rank_sums(table.values, check_direction(higher_is_better))
    best, n = np.flatnonzero(sums.doubled == sums.doubled.min()), len(table.values)
    p_friedman = float(stats.chi2.sf(sums.chi2, len(table.names) - 1))
    p_others = float(np.delete(_conover_matrix(sums, n)[best[0]], best[0]).max())
    # Several best ones have the same rank sum, so p_others is 1 then.
    significant = p_friedman <= level and p_others <= level
    smallest, few = 2.0 ** (1 - n), ""  # if only two alternatives can change places
    if smallest > _USUAL_LEVEL and sums.spread:
        few = (
            f"{n} conditions cannot make an exact p-value of two alternatives smaller than {smallest:.2g}; a smaller "
            "one takes all alternatives for alike"
        )
    note = "; ".join(filter(None, [_agreement_note(sums), few]))
    return Best(tuple(table.names[best]), significant, p_friedman, p_others, note)
