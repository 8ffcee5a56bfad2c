"""Plan a study: how many systems, in which design."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import numpy as np
import pandas as pd
from scipy import stats

from genexpy_nb.causal.runs import Runs, effects_of_pairs, without_failures
from genexpy_nb.common.checks import check_level, check_number
from genexpy_nb.common.errors import ParameterError, StudyError

_MOST = 10_000_000


def systems_needed(width: float, sd: float | Sequence[float], confidence: float = 0.95) -> int:
    """Return the least systems whose interval is no wider than wanted; two standard deviations: of both groups."""
    check_level("confidence", confidence)
    check_number("width", width, 0)
    sds = np.atleast_1d(np.asarray(sd, dtype=float)) / width  # in widths: losses of any size give numbers of this one
    groups = len(sds)
    if not sds.any():
        return 2 * groups

    def half(n: int) -> float:  # n systems, in each group if independent
        df = n - 1.0
        if groups == 2:
            df = np.sum(sds**2) ** 2 / np.sum(sds**4) * (n - 1)  # Welch, equal groups
        return stats.t.ppf((1 + confidence) / 2, df) * np.sqrt(np.sum(sds**2) / n)

    z = stats.norm.ppf((1 + confidence) / 2)
    n = max(2, ceil(np.sum(sds**2) * (2 * z) ** 2))
    if n > _MOST:
        raise ParameterError(f"width={width:g} asks for more than {_MOST:,} systems")
    while 2 * half(n) > 1:  # the t quantile is above the normal one: a few more are needed, never fewer
        n += 1
    return groups * n


def plan_systems(
    pilot: Runs, widths: Sequence[float], loss: str | None = None, *, confidence: float = 0.95
) -> pd.DataFrame:
    """Plan the next study from a paired pilot: systems and runs for each interval width, paired and independent.

    Parameters
    ----------
    pilot : Runs
        Paired. Its standard deviations are taken for those of the population; with several compositions per system,
        those of a study with as many.
    widths : sequence of float
        From the lower to the upper end of the interval, > 0.
    loss : str, optional
    confidence : float
        Of the interval that is planned, and of that of the pilot's standard deviation.

    Returns
    -------
    DataFrame
        ``width``, ``n_systems_paired``, ``n_systems_low``, ``n_systems_high`` (of the paired design at the ends of the
        interval of the pilot's standard deviation, for normal effects), ``n_runs_paired``, ``n_systems_independent``,
        ``n_runs_independent``, ``ratio`` of the runs, independent over paired.
    """
    if pilot.design != "paired":
        raise StudyError("the pilot must be paired: an independent one does not show how individual effects vary")
    loss = pilot.check_loss(loss)
    frame, _ = without_failures(pilot, loss)
    pairs = effects_of_pairs(pilot, loss)
    n = pairs["system"].nunique()
    if n < 2:
        raise StudyError(f"the pilot has {n} system with both methods: at least two are needed")
    n_compositions = int(pairs.groupby("system").size().max())
    sd, df = float(pairs.groupby("system")["effect"].mean().std()), n - 1
    sds = frame.groupby(["method", "system"])[loss].mean().groupby("method").std()[[pilot.a, pilot.b]].to_list()
    ends = [sd * np.sqrt(df / stats.chi2.ppf(q, df)) for q in ((1 + confidence) / 2, (1 - confidence) / 2)]
    columns = ["width", "n_systems_paired", "n_systems_low", "n_systems_high", "n_systems_independent"]
    rows = [(width, *(systems_needed(width, each, confidence) for each in (sd, *ends, sds))) for width in widths]
    plan = pd.DataFrame(rows, columns=columns)
    plan.insert(4, "n_runs_paired", 2 * n_compositions * plan["n_systems_paired"])
    plan["n_runs_independent"] = n_compositions * plan["n_systems_independent"]
    return plan.assign(ratio=plan["n_runs_independent"] / plan["n_runs_paired"])
