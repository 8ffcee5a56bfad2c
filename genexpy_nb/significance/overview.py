"""What the tests say about each of many tables, one row per table."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd
from numpy.typing import ArrayLike

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.significance.rank_tests import best_alternative, friedman
from genexpy_nb.significance.tiers import rank_tiers


def summarise_tests(
    tables: Iterable[ArrayLike | pd.DataFrame],
    level: float = 0.05,
    *,
    higher_is_better: bool,
    missing: str = "error",
) -> pd.DataFrame:
    """Say of every table of scores whether its alternatives differ, which is best, and how many may be."""
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
