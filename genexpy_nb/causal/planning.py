"""Plan a study: how many systems."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import numpy as np
import pandas as pd
from scipy import stats

from genexpy_nb.causal.runs import Runs, effects_of_pairs
from genexpy_nb.common.checks import check_level, check_number
from genexpy_nb.common.errors import ParameterError, StudyError

_MOST = 10_000_000


def systems_needed(width: float, sd: float, confidence: float = 0.95) -> int:
    """Return the least systems whose interval is no wider than wanted."""
    check_level("confidence", confidence)
    check_number("width", width, 0)
    in_widths = sd / width  # losses of any size give numbers of this one
    n = max(2, ceil((2 * stats.norm.ppf((1 + confidence) / 2) * in_widths) ** 2))
    if n > _MOST:
        raise ParameterError(f"width={width:g} asks for more than {_MOST:,} systems")
    # the t quantile is above the normal one: a few more are needed, never fewer
    while 2 * stats.t.ppf((1 + confidence) / 2, n - 1) * in_widths / np.sqrt(n) > 1:
        n += 1
    return n


def plan_systems(
    pilot: Runs, widths: Sequence[float], loss: str | None = None, *, confidence: float = 0.95
) -> pd.DataFrame:
    """Plan the next paired study from a paired pilot: systems for each interval width.

    Parameters
    ----------
    pilot : Runs
        Paired. Its standard deviation is taken for that of the population; with several compositions per system, that
        of a study with as many.
    widths : sequence of float
        From the lower to the upper end of the interval, > 0.
    loss : str, optional
    confidence : float
        Of the interval that is planned, and of that of the pilot's standard deviation.

    Returns
    -------
    DataFrame
        ``width``, ``n_systems_paired``, each run with both methods, ``n_systems_low``, ``n_systems_high`` (at the ends
        of the interval of the pilot's standard deviation, for normal effects).
    """
    if pilot.design != "paired":
        raise StudyError("the pilot must be paired: an independent one does not show how individual effects vary")
    loss = pilot.check_loss(loss)
    effects = effects_of_pairs(pilot, loss).groupby("system")["effect"].mean()
    n = len(effects)
    if n < 2:
        raise StudyError(f"the pilot has {n} system with both methods: at least two are needed")
    sd, df = float(effects.std()), n - 1
    ends = [sd * np.sqrt(df / stats.chi2.ppf(q, df)) for q in ((1 + confidence) / 2, (1 - confidence) / 2)]
    rows = [(width, *(systems_needed(width, each, confidence) for each in (sd, *ends))) for width in widths]
    return pd.DataFrame(rows, columns=["width", "n_systems_paired", "n_systems_low", "n_systems_high"])
