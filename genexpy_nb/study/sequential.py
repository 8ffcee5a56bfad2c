"""Run experiments in batches until the study is generalizable: Algorithm 1 as a function that asks for more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from genexpy_nb.common.checks import check_choice, check_count, check_level
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.rankings import rank_scores
from genexpy_nb.generalization.kernels import Kernel
from genexpy_nb.generalization.nstar import NStar, estimate_nstar, smallest_study

STOPPING_RULES = ("estimate", "interval")


@dataclass(frozen=True)
class SequentialStudy:
    """What a sequential study found.

    Attributes
    ----------
    results : DataFrame, shape (N, n_alternatives)
        All results, in the order in which they were run.
    history : DataFrame
        One row per batch: n_experiments, nstar, low, high (interval, see `genexpy_nb.NStar`), decision.
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
    rng: np.random.Generator | int = 0,
) -> SequentialStudy:
    """Run experiments in batches until there are as many as the estimate of n* asks for.

    Parameters
    ----------
    run_experiments : callable
        ``run_experiments(n)`` runs n *further* experiments and returns their results, one row each, shape
        (n, n_alternatives); fewer rows, or none, if there are no more conditions.
    kernel : kernel
        The research question.
    alpha : float
        Wanted generalizability, in (0, 1).
    delta : float
        Dissimilarity that is still similar.
    step : int
        Size of a batch; at least what the method needs for a first estimate (4 for ``moments``).
    budget : int
        Most experiments that may be run, at least ``step``; the last batch is smaller if need be.
    stop : {"estimate", "interval"}
        ``estimate``: stop when N >= n*, as published. ``interval``: stop when N is at least the upper end of the 95 %
        interval of n*, or when the lower end is above the budget. The first is cheaper, and stops too early about as
        often as n* is underestimated.
    higher_is_better : bool, optional
        If given, the rows are scores and are ranked, where the kernel compares rankings; by default they are what the
        kernel compares.
    method, rng
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
            nstar = _estimate(results, kernel, alpha, delta, higher_is_better, method, rng)
            decision = _decide(nstar, stop, budget)
            row = {"n_experiments": len(results), "nstar": nstar.estimate, "low": nstar.low, "high": nstar.high}
            history.append({**row, "decision": decision})
        if decision == "go on" and len(batch) < asked:
            decision = "exhausted"
    return SequentialStudy(results, pd.DataFrame(history), decision == "enough", decision)


def _decide(nstar: NStar, stop: str, budget: int) -> str:
    if nstar.n_experiments >= (nstar.estimate if stop == "estimate" else nstar.high):
        return "enough"
    return "out of reach" if stop == "interval" and nstar.low > budget else "go on"


def _estimate(
    results: pd.DataFrame,
    kernel: Kernel,
    alpha: float,
    delta: float,
    higher_is_better: bool | None,
    method: str,
    rng: np.random.Generator | int,
) -> NStar:
    compared = results
    if kernel.on == "rankings" and higher_is_better is not None:
        tiers = rank_scores(results, higher_is_better=higher_is_better)
        compared = pd.DataFrame(tiers, results.index, results.columns)
    epsilon = float(kernel.epsilon(delta, results.shape[1]))
    return estimate_nstar(kernel.gram(compared), alpha, epsilon, method, rng=rng)


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
