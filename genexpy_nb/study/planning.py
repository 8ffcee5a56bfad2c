"""How many experiments are still to be run, and where first; and running them in batches until they are enough."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from genexpy_nb.common.checks import check_choice, check_columns, check_count, check_level
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.generalization.contract import as_kernels, epsilon_of, gram_of
from genexpy_nb.generalization.kernels import Kernel
from genexpy_nb.generalization.nstar import estimate_nstar, smallest_study
from genexpy_nb.study.checks import RESERVED
from genexpy_nb.study.contents import ranked_table

STOPPING_RULES = ("estimate", "interval")


def plan(nstar: pd.DataFrame) -> pd.DataFrame:
    """Say for each estimate of n* how many experiments are still to be run.

    Parameters
    ----------
    nstar : DataFrame
        As returned by `Study.nstar`.

    Returns
    -------
    DataFrame
        The same with ``required`` (the smallest whole number not below n*), ``more`` (experiments still to be run,
        missing if infinite) and ``verdict``: ``enough`` or ``more needed`` where the whole interval agrees with the
        estimate, else ``undecided``; empty where there is no estimate.

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
    """Say which configurations to extend first, so that a number of further experiments answers most questions."""
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
    # No other choice answers more questions with as many experiments as have been run after such a step.
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


@dataclass(frozen=True)
class SequentialStudy:
    """What a sequential study found.

    Attributes
    ----------
    results : DataFrame, shape (N, n_alternatives)
        In the order in which they were run.
    history : DataFrame
        One row per batch: n_experiments, nstar, low, high, decision.
    generalizable : bool
        Whether the study ended because it has enough experiments.
    reason : str
        ``enough``; ``budget``: it is used up; ``exhausted``: there were no more experiments; or ``out of reach``: the
        whole interval of n* lies above the budget (stopping rule ``interval`` only).
    """

    results: pd.DataFrame
    history: pd.DataFrame
    generalizable: bool
    reason: str


def run_generalizable_study(
    run_experiments: Callable[[int], ArrayLike],
    kernel: Kernel,
    alpha: float = 0.95,
    delta: float = 0.05,
    step: int = 10,
    budget: int = 100,
    *,
    stop: str = "estimate",
    higher_is_better: bool | None = None,
    method: str = "moments",
    confidence: float = 0.95,
    rng: np.random.Generator | int = 0,
) -> SequentialStudy:
    """Run experiments in batches until there are as many as the estimate of n* asks for.

    Parameters
    ----------
    run_experiments : callable
        ``run_experiments(n)`` runs n *further* experiments and returns their results, shape (n, n_alternatives); fewer
        rows, or none, if there are no more conditions.
    kernel, alpha, delta
        See `Study.nstar`.
    step : int
        Size of a batch; at least what the method needs for a first estimate (4 for ``moments``).
    budget : int
        Most experiments that may be run, at least ``step``.
    stop : {"estimate", "interval"}
        ``estimate``: stop when N >= n*, as published. ``interval``: stop when N is at least the upper end of the
        interval of n*, or when the lower end is above the budget. The first is cheaper, and stops too early about as
        often as n* is underestimated.
    higher_is_better : bool, optional
        If given, the rows are scores and are ranked, where the kernel compares rankings.
    method, confidence, rng
        See `genexpy_nb.estimate_nstar`.

    Returns
    -------
    SequentialStudy

    Raises
    ------
    ParameterError
        If a parameter is out of range, or a batch has other alternatives or more rows than asked for.

    References
    ----------
    Generalizability of Experimental Studies, second version, Algorithms 1 and 2.


    Examples
    --------
    >>> from genexpy_nb.generalization.kernels import MallowsKernel
    >>> rng = np.random.default_rng(0)
    >>> done = run_generalizable_study(lambda n: rng.normal(size=(n, 3)), MallowsKernel(), delta=0.1, step=5, budget=40,
    ...                                higher_is_better=True)
    >>> done.reason, len(done.results)
    ('enough', 10)
    """
    (kernel,) = as_kernels(kernel)
    check_choice("stop", stop, STOPPING_RULES)
    alpha = check_level("alpha", alpha)
    step = check_count("step", step, at_least=smallest_study(method))
    budget = check_count("budget", budget, at_least=step)
    results = pd.DataFrame()
    history: list[dict[str, Any]] = []
    decision = "go on"
    while decision == "go on":
        asked = min(step, budget - len(results))
        if asked == 0:
            decision = "budget"
            break
        batch = _checked_batch(run_experiments(asked), asked, results)
        results = pd.concat([results, batch]) if len(results) else batch
        if len(results) >= smallest_study(method):
            compared = results
            if kernel.on == "rankings" and higher_is_better is not None:
                compared = ranked_table(results, higher_is_better)
            epsilon = float(epsilon_of(kernel, delta, results.shape[1]))
            nstar = estimate_nstar(gram_of(kernel, compared), alpha, epsilon, method, confidence=confidence, rng=rng)
            if nstar.n_experiments >= (nstar.estimate if stop == "estimate" else nstar.high):
                decision = "enough"
            elif stop == "interval" and nstar.low > budget:
                decision = "out of reach"
            row = {"n_experiments": len(results), "nstar": nstar.estimate, "low": nstar.low, "high": nstar.high}
            history.append({**row, "decision": decision})
        if decision == "go on" and len(batch) < asked:
            decision = "exhausted"
    return SequentialStudy(results, pd.DataFrame(history), decision == "enough", decision)


def _checked_batch(batch: ArrayLike, asked: int, earlier: pd.DataFrame) -> pd.DataFrame:
    frame = batch if isinstance(batch, pd.DataFrame) else pd.DataFrame(np.asarray(batch))
    if len(frame) > asked:
        raise ParameterError(f"run_experiments returned {len(frame)} results, {asked} were asked for")
    if len(earlier) and len(frame) and list(frame.columns) != list(earlier.columns):
        raise ParameterError(
            f"run_experiments returned other alternatives than before: {list(frame.columns)} instead of "
            f"{list(earlier.columns)}"
        )
    return frame
