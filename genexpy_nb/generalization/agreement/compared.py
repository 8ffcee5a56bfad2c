"""How good the ways are to estimate an agreement of conclusions from one study, as a benchmark measured them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pandas as pd

__all__ = ["OURS", "measured_methods"]

#: What the benchmark calls the estimator of this package.
OURS = "ours"


@cache
def _recorded() -> pd.DataFrame:
    return pd.read_csv(Path(__file__).with_name("methods.csv"))


def measured_methods() -> pd.DataFrame:
    """Return how good nine ways were to estimate the agreement of two studies, in simulated worlds.

    Ten alternatives, one study of 30 experiments, normal errors: written by ``benchmarks/bench_agreement.py``, which
    says what each method does.

    Returns
    -------
    DataFrame, one row per world, conclusion, size of the other studies and method
        ``world``, ``conclusion`` (such as "winner by mean rank"), ``n``, ``method``; ``truth``, the agreement; ``bias``
        and ``rms`` of the estimate; ``coverage`` of the nominal 95 % interval, in [0, 1] (an interval that comes within
        .01 counts as holding), and its mean ``width``; ``n_samples``, tables that were simulated.

    Examples
    --------
    >>> methods = measured_methods()
    >>> winner = methods[(methods["conclusion"] == "winner by mean rank") & (methods["n"] == 30)]
    >>> bool(winner.loc[winner["method"] == "normal", "coverage"].min() < 0.5)
    True
    >>> bool(winner.loc[winner["method"] == "ours", "coverage"].min() > 0.9)
    True
    """
    return _recorded().copy()
