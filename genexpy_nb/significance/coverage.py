"""What intervals of means hold: coverage as it was measured by simulation, and what follows for the choice of one.

The measurements are in ``coverage.csv`` beside this module; ``benchmarks/coverage_intervals.py`` makes them.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from statsmodels.stats.proportion import proportion_confint

from genexpy_nb.common.checks import check_choice
from genexpy_nb.common.prose import span

#: Intervals of a mean that can be asked for.
INTERVALS = ("auto", "t", "studentized", "percentile", "bca")

#: Those whose scores, or both of the scores that are compared, take two values only.
TWO_VALUES = ("right or wrong", "rights against wrongs")

#: The intervals in words.
NAMES = {"t": "Student's t", "studentized": "Studentized", "percentile": "Percentile", "bca": "BCa"}

_RESAMPLED = 10  # conditions, from which on resampling serves
_FEW = 20  # conditions, below which a note says what was measured


def chosen_interval(interval: str, n: int) -> str:
    """Return the interval that ``auto`` stands for, or the one that was asked for by name."""
    check_choice("interval", interval, INTERVALS)
    if interval != "auto":
        return interval
    return "t" if n < _RESAMPLED else "studentized"


@cache
def measured_coverage() -> pd.DataFrame:
    """Return how often 95 % intervals held the true mean in simulated studies, a row per world, size and interval."""
    recorded = pd.read_csv(Path(__file__).with_name("coverage.csv"))
    n_covered = recorded.pop("n_covered")
    low, high = proportion_confint(n_covered, recorded["n_studies"], method="wilson")
    recorded.insert(2, "two_values", recorded["world"].isin(TWO_VALUES))
    estimated = {"estimate": n_covered / recorded["n_studies"], "low": low, "high": high}
    for at, (name, values) in enumerate(estimated.items(), start=5):
        recorded.insert(at, name, values)
    return recorded


def interval_advice() -> pd.DataFrame:
    """Say which interval ``interval="auto"`` stands for, and what it and the others were measured to hold.

    Returns
    -------
    DataFrame, one row per kind of estimate and number of conditions
        ``of`` (what the interval is of), ``n_conditions``, ``auto`` (the interval that is chosen), and for every
        interval the lowest coverage of nominally 95 % over the kinds of scores that it is for (`measured_coverage`).

    Notes
    -----
    Below 10 conditions ``auto`` is ``t``: a few equal scores leave ``studentized`` without ends there. A
    few scores of two values, such as right and wrong, are often all equal, and every interval is then a point: Wilson's
    is better.

    Examples
    --------
    >>> interval_advice()[["of", "n_conditions", "auto", "t", "studentized", "bca"]].iloc[[1, 2]].round(2)
                            of  n_conditions         auto     t  studentized   bca
    1  means, mean differences             5            t  0.84         0.86  0.72
    2  means, mean differences            10  studentized  0.88         0.92  0.83
    """
    measured = measured_coverage()
    of = np.where(measured["two_values"], "means, mean differences of scores of two values", "means, mean differences")
    lowest = measured.assign(of=of).pivot_table("estimate", ["of", "n_conditions"], "interval", aggfunc="min")
    advice = lowest[list(NAMES)].rename_axis(columns=None).reset_index()
    advice.insert(2, "auto", [chosen_interval("auto", n) for n in advice["n_conditions"]])
    return advice


def coverage_note(interval: str, n: int, confidence: float, two_values: bool = False) -> list[str]:
    """Say what was measured of an interval, if there are few conditions."""
    if n >= _FEW:
        return []
    recorded = measured_coverage()
    measured = max((size for size in recorded["n_conditions"].unique() if size <= n), default=3)
    alike = (recorded["interval"] == interval) & (recorded["two_values"] == two_values)
    share = recorded.loc[alike & (recorded["n_conditions"] == measured), "estimate"]
    asked = "" if confidence == 0.95 else f" (here {confidence:.4g} is asked for)"
    of = " of scores of two values" if two_values else ", depending on the kind of scores"
    return [
        f"{NAMES[interval]} intervals of {n} conditions are rough: with {measured}, those meant to hold 95 %{asked} "
        f"held the true mean in {span(100 * share, '{:.0f}')} % of simulated studies{of} (interval_advice)."
    ]
