"""What the tests say about each of many tables, one row per table."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd
from numpy.typing import ArrayLike

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.significance.rank_tests import best_alternative, friedman
from genexpy_nb.significance.tiers import rank_tiers

__all__ = ["summarise_tests"]


def summarise_tests(
    tables: Iterable[ArrayLike | pd.DataFrame],
    level: float = 0.05,
    *,
    higher_is_better: bool,
    missing: str = "error",
) -> pd.DataFrame:
    """Say of every table of scores whether its alternatives differ, which is best, and how many may be.

    Parameters
    ----------
    tables : iterable of DataFrame or array_like, each of shape (n_conditions, n_alternatives)
        At least two conditions and alternatives each, which may be others in every table.
    level : float
        Level of all tests, in (0, 1). It holds for one table; nothing is corrected for the number of tables.
    higher_is_better, missing
        See `friedman`.

    Returns
    -------
    DataFrame, one row per table, in their order
        ``p_f`` (Iman and Davenport, see `Friedman`) and ``kendall_w``; ``best`` (the alternatives with the best mean
        rank, as text), ``p_others`` and ``significant``, as in `Best`, by the test of Conover and Iman without a
        correction; ``n_first_tier``, the alternatives in the first tier of `rank_tiers`, by Wilcoxon with Holm.

    Raises
    ------
    StudyError, ParameterError
        As `best_alternative`; and if there is no table.

    Examples
    --------
    >>> clear = [[0.9, 0.8, 0.1]] * 14 + [[0.8, 0.9, 0.1]] * 6
    >>> summary = summarise_tests([clear, clear[-12:]], higher_is_better=True)
    >>> summary[["kendall_w", "best", "significant", "n_first_tier"]].round(2)
       kendall_w  best  significant  n_first_tier
    0       0.79     0         True             2
    1       0.75  0, 1        False             2
    """
    rows = []
    for scores in tables:
        overall = friedman(scores, higher_is_better=higher_is_better, missing=missing)
        best = best_alternative(scores, level, higher_is_better=higher_is_better, missing=missing)
        tiers = rank_tiers(scores, level, higher_is_better=higher_is_better, missing=missing)
        rows.append(
            {
                "p_f": overall.p_f,
                "kendall_w": overall.kendall_w,
                "best": ", ".join(map(str, best.best)),
                "p_others": best.p_others,
                "significant": best.significant,
                "n_first_tier": int((tiers["tier"] == 0).sum()),
            }
        )
    if not rows:
        raise ParameterError("tables must hold at least one table of scores, got none")
    return pd.DataFrame(rows)
