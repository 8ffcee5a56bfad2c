"""How many experiments are still to be run: from estimates of n* to verdicts."""

from __future__ import annotations

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import check_columns
from genexpy_nb.common.errors import StudyError

__all__ = ["plan"]


def plan(nstar: pd.DataFrame) -> pd.DataFrame:
    """Say for each estimate of n* how many experiments are still to be run.

    Parameters
    ----------
    nstar : DataFrame
        As returned by `Study.nstar`.

    Returns
    -------
    DataFrame
        The same with the columns ``required`` (the smallest whole number not below n*), ``more`` (experiments still to
        be run, 0 if there are enough) and ``verdict``: ``enough`` or ``more needed`` where the whole 95 % interval
        agrees with the estimate, else ``undecided``; empty where there is no estimate. An infinite estimate needs more,
        and how many is missing.

    Raises
    ------
    StudyError
        If a column is missing, stands there twice, or holds anything but numbers.

    Examples
    --------
    >>> frame = pd.DataFrame({"n_experiments": [30, 30], "nstar": [27.2, 44.1], "low": [20, 33], "high": [29, 60]})
    >>> plan(frame)[["required", "more", "verdict"]]
       required  more      verdict
    0        28     0       enough
    1        45    15  more needed
    """
    needed = ["n_experiments", "nstar", "low", "high"]
    check_columns(nstar, needed, "nstar")
    for name in needed:
        if not isinstance(nstar[name], pd.Series) or getattr(nstar[name].dtype, "kind", "O") not in "iuf":
            raise StudyError(f"nstar: the column {name!r} must hold numbers, as Study.nstar gives them")
    required = np.ceil(nstar["nstar"].replace(np.inf, np.nan)).astype("Int64")
    more = (required - nstar["n_experiments"]).clip(lower=0)
    verdict = np.select(
        [
            nstar["nstar"].isna(),
            nstar["high"] <= nstar["n_experiments"],
            (nstar["low"] > nstar["n_experiments"]) | np.isinf(nstar["nstar"]),
        ],
        ["", "enough", "more needed"],
        "undecided",
    )
    return nstar.assign(required=required, more=more, verdict=verdict)
