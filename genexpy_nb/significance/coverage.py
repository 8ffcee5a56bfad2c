"""What intervals of means hold: coverage as it was measured by simulation, and what follows for the choice of one.

The measurements are in ``coverage.csv`` beside this module; ``benchmarks/coverage_intervals.py`` makes them, and says
how scores of each kind are drawn.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pandas as pd
from statsmodels.stats.proportion import proportion_confint

from genexpy_nb.common.checks import check_choice
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.prose import span

#: Intervals of a mean that can be asked for. ``logit-t`` is for scores with bounds, not for their differences.
INTERVALS = ("auto", "t", "studentized", "logit-t", "percentile", "bca")

#: Kinds of scores, or of differences of scores, of which coverage was measured. Those in [0, 1] have bounds.
WORLDS = {
    "normal": "normal",
    "heavy tails": "Student's t with 3 degrees of freedom",
    "skewed": "exponential",
    "outliers": "standard normal, but with probability 0.05 around -6, as runs that fail",
    "differences of accuracies": "differences of two accuracies, each m / 100, of equal expectation",
    "uniform": "uniform in [0, 1]",
    "accuracies": "m / 100, around values with mean 0.8 and standard deviation 0.12",
    "near the bound": "in [0, 1] with mean 0.95, most of them above 0.98",
    "grades": "five grades, 0 to 1, half of them the best one",
    "accuracies of ten items": "m / 10, around values with mean 0.8 and standard deviation 0.12",
    "differences over ten items": "differences of two accuracies, each m / 10, of equal expectation",
    "right or wrong": "one item each: 1 with probability 0.8, else 0",
    "rights against wrongs": "differences of two answers to one item: 1 in 20 %, -1 in 5 %, else 0",
}

#: Those whose scores, or both of the scores that are compared, take two values only.
TWO_VALUES = ("right or wrong", "rights against wrongs")

#: The intervals in words.
NAMES = {
    "t": "Student's t",
    "studentized": "Studentized",
    "logit-t": "Logit-t",
    "percentile": "Percentile",
    "bca": "BCa",
}

_RESAMPLED = 10  # conditions, from which on resampling serves
_FEW = 20  # conditions, below which a note says what was measured


def chosen_interval(interval: str, n: int, bounded: bool = False) -> str:
    """Return the interval that ``auto`` stands for, or the one that was asked for by name."""
    check_choice("interval", interval, INTERVALS)
    if interval == "logit-t" and not bounded:
        raise ParameterError("interval='logit-t' is for means of scores with bounds, such as bounds=(0, 1)")
    if interval != "auto":
        return interval
    if bounded:
        return "logit-t"
    return "t" if n < _RESAMPLED else "studentized"


@cache
def _recorded() -> pd.DataFrame:
    return pd.read_csv(Path(__file__).with_name("coverage.csv"))


def measured_coverage() -> pd.DataFrame:
    """Return how often 95 % intervals held the true mean in simulated studies.

    Returns
    -------
    DataFrame, one row per kind of scores, number of conditions and interval
        ``world`` (see `WORLDS`), ``bounded`` (whether the scores lie in [0, 1], which ``logit-t`` needs),
        ``two_values`` (whether scores take two values only, see `TWO_VALUES`), ``n_conditions``, ``interval`` (as in
        `mean_intervals`), ``estimate`` (share of the studies) with its 95 % interval (Wilson) ``low``, ``high``;
        ``width`` (median, over that of Student's interval; missing where that is a point in most studies);
        ``n_studies``, ``n_resamples``, ``seed``.

    Examples
    --------
    >>> coverage = measured_coverage()
    >>> five = coverage[(coverage["world"] == "normal") & (coverage["n_conditions"] == 5)]
    >>> five.set_index("interval").loc[["t", "bca"], "estimate"].round(2).tolist()
    [0.95, 0.84]
    """
    recorded = _recorded()
    low, high = proportion_confint(recorded["n_covered"], recorded["n_studies"], method="wilson")
    measured = recorded.drop(columns="n_covered")
    measured.insert(2, "two_values", recorded["world"].isin(TWO_VALUES))
    for at, (name, values) in enumerate(
        {"estimate": recorded["n_covered"] / recorded["n_studies"], "low": low, "high": high}.items()
    ):
        measured.insert(5 + at, name, values)
    return measured


def interval_advice() -> pd.DataFrame:
    """Say which interval ``interval="auto"`` stands for, and what it and the others were measured to hold.

    Returns
    -------
    DataFrame, one row per kind of estimate and number of conditions
        ``of`` (what the interval is of), ``n_conditions``, ``auto`` (the interval that is chosen), and for every
        interval the lowest coverage of nominally 95 % over the kinds of scores, of `WORLDS`, that it is for. Missing
        where an interval cannot be had.

    Notes
    -----
    Without bounds, ``studentized`` has the highest lowest coverage at every number of conditions. Below 10, ``t`` is
    chosen all the same: there a few equal scores are enough to leave ``studentized`` without ends (it is ``t`` then);
    of differences of two accuracies it holds more than it is asked to, where ``t`` holds what it is asked to; and at 5
    conditions, without many equal scores, it is 1.4 to 2.4 times as wide. With bounds, ``logit-t`` is the best up to 10
    conditions, and about as good as ``studentized`` beyond.

    Scores of two values, such as right and wrong, have rows of their own: a few of them are often all equal, and then
    each of these intervals is a point. From 20 conditions on, ``percentile`` and ``bca`` hold at least as much there as
    what is chosen, which holds 92 % or more. Of a share there are better intervals: Wilson's holds it in 90, 94 and
    97 % of the studies of ``right or wrong`` with 3, 5 and 10 items (enumerated). It is
    `statsmodels.stats.proportion.proportion_confint`.

    Examples
    --------
    >>> interval_advice()[["of", "n_conditions", "auto", "t", "studentized", "bca"]].iloc[[1, 2]].round(2)
                            of  n_conditions         auto     t  studentized   bca
    1  means, mean differences             5            t  0.84         0.86  0.72
    2  means, mean differences            10  studentized  0.88         0.92  0.83
    """
    measured = measured_coverage()
    two, bounds = measured["two_values"], measured["bounded"]
    rows = []
    for of, bounded, cells in (
        ("means, mean differences", False, measured[~two]),
        ("means of scores with known bounds", True, measured[bounds & ~two]),
        ("means, mean differences of scores of two values", False, measured[two]),
    ):
        lowest = cells.pivot_table("estimate", "n_conditions", "interval", aggfunc="min")
        names = [name for name in NAMES if bounded or name != "logit-t"]
        for n, row in lowest.reindex(columns=names).iterrows():
            rows.append({"of": of, "n_conditions": n, "auto": chosen_interval("auto", int(str(n)), bounded), **row})
    return pd.DataFrame(rows)[["of", "n_conditions", "auto", *NAMES]]


def coverage_note(interval: str, n: int, confidence: float, two_values: bool = False) -> list[str]:
    """Say what was measured of an interval, if there are few conditions."""
    if n >= _FEW:
        return []
    recorded = measured_coverage()
    measured = max((size for size in recorded["n_conditions"].unique() if size <= n), default=3)
    alike = (recorded["interval"] == interval) & (recorded["two_values"] == two_values)
    cells = recorded[alike & (recorded["n_conditions"] == measured)]
    if cells.empty:
        return []
    share = cells["estimate"]
    asked = "" if confidence == 0.95 else f" (here {confidence:.4g} is asked for)"
    return [
        f"{NAMES[interval]} intervals of {n} conditions are rough: with {measured}, those meant to hold 95 %{asked} "
        f"held the true mean in {span(100 * share, '{:.0f}')} % of simulated studies"
        + (
            " of scores of two values (interval_advice)."
            if two_values
            else ", depending on the kind of scores (interval_advice)."
        )
    ]
