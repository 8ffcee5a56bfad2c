"""How many experiments are still to be run, and where first: from estimates of n* to verdicts and an order."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import check_columns, check_count
from genexpy_nb.common.errors import StudyError
from genexpy_nb.study.checks import RESERVED


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
        be run, 0 if there are enough) and ``verdict``: ``enough`` or ``more needed`` where the whole interval
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


def extend_first(planned: pd.DataFrame, budget: int | None = None) -> pd.DataFrame:
    """Say which configurations to extend first, so that a number of further experiments answers most questions.

    A question is a configuration with a kernel (and an alpha and a delta, if there are several). Experiments of one
    configuration count for all its questions, and for those of no other configuration.

    Parameters
    ----------
    planned : DataFrame
        As returned by `plan`.
    budget : int, optional
        How many further experiments can be run, >= 0.

    Returns
    -------
    DataFrame, one row per question that more experiments answer, in the order in which to run them
        The design columns; ``kernel``, and ``alpha`` and ``delta`` if they are in ``planned``; ``more``, experiments
        that the configuration needs for this question beyond those that it has, by the estimate, and ``low_more`` and
        ``high_more`` by the ends of its interval; ``cumulative``, experiments run in all down to this row;
        ``answered``, questions with enough experiments by the estimate then, of all; ``within_budget``, whether
        ``cumulative`` fits, missing without a budget. Questions whose n* is unknown or infinite are left out, which
        ``attrs["n_left_out"]`` counts; ``attrs["n_questions"]`` counts all.

    Raises
    ------
    StudyError
        If a column is missing.
    ParameterError
        If the budget is no whole number.

    Notes
    -----
    Always next is the configuration, and how far to extend it, with the fewest experiments per question answered. No
    other choice answers more questions with as many experiments as have been run after such a step. Between steps, and
    for a budget that ends within one, another choice can answer more.

    Examples
    --------
    >>> frame = pd.DataFrame({"model": ["LR", "DT", "NN"], "kernel": "Mallows", "n_experiments": 30})
    >>> frame = frame.assign(nstar=[41.2, 27.0, 33.0], low=[30.0, 20.0, 28.0], high=[55.5, 29.0, 36.0])
    >>> first = extend_first(plan(frame), budget=10)
    >>> first[["model", "more", "low_more", "high_more", "cumulative", "answered", "within_budget"]]
      model  more  low_more  high_more  cumulative  answered  within_budget
    0    NN     3       0.0        6.0           3         2           True
    1    LR    12       0.0       26.0          15         3          False
    """
    check_columns(planned, ["kernel", "n_experiments", "low", "high", "required", "more"], "planned")
    if budget is not None:
        budget = check_count("budget", budget, 0)
    design = [name for name in planned.columns if name not in RESERVED]
    questions = planned.reset_index(drop=True)
    groups = questions.groupby(design, sort=False, dropna=False).ngroup() if design else pd.Series(0, questions.index)
    open_ones = questions.index[questions["more"].gt(0).fillna(False).to_numpy(dtype=bool)]
    steps = [
        step for _, rows in groups[open_ones].groupby(groups[open_ones]) for step in _steps(questions["more"], rows)
    ]
    steps.sort(key=lambda step: step.price)  # within a configuration prices rise: its steps stay in their order
    order = [row for step in steps for row in step.rows]
    added = [each for step in steps for each in step.added]
    named = [*design, "kernel", *(name for name in ("alpha", "delta") if name in questions)]
    result = questions.loc[order, named].reset_index(drop=True)
    result["more"] = questions.loc[order, "more"].astype(int).to_numpy()
    for end in ("low", "high"):
        needed = np.ceil(questions.loc[order, end]) - questions.loc[order, "n_experiments"]
        result[f"{end}_more"] = needed.clip(lower=0).to_numpy(dtype=float)
    n_answered = int(questions["more"].eq(0).fillna(False).sum())
    result["cumulative"] = np.cumsum(added, dtype=int)
    result["answered"] = n_answered + np.arange(1, len(order) + 1)
    fits = pd.array([pd.NA] * len(order), dtype="boolean") if budget is None else result["cumulative"] <= budget
    result["within_budget"] = fits
    result.attrs = {"n_questions": len(questions), "n_left_out": len(questions) - n_answered - len(order)}
    return result


class _Step(NamedTuple):
    """Questions of one configuration that are answered together; how many experiments each adds to the one before."""

    rows: list[int]
    added: list[int]
    price: float


def _steps(more: pd.Series, rows: pd.Series) -> list[_Step]:
    """Return the questions of one configuration in steps, each with the fewest experiments per question from there."""
    ordered = rows.index[np.argsort(more[rows.index].to_numpy(dtype=int), kind="stable")].to_numpy()
    total = more[ordered].to_numpy(dtype=int)
    added = np.diff(total, prepend=0)
    steps, start = [], 0
    while start < len(ordered):
        before = total[start - 1] if start else 0
        prices = (total[start:] - before) / np.arange(1, len(total) - start + 1)
        end = start + len(prices) - int(np.argmin(prices[::-1]))  # of equal prices the last, which answers most
        steps.append(_Step(ordered[start:end].tolist(), added[start:end].tolist(), float(prices[end - start - 1])))
        start = end
    return steps
