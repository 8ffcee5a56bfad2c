"""How many experiments a study needs, are still to be run, and where first; and running them until they are enough."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.stats import t as student
from tqdm import tqdm

from genexpy_nb import datasets
from genexpy_nb.common.checks import check_choice, check_columns, check_count, check_level, check_number, listed, shown
from genexpy_nb.common.errors import ParameterError, StudyError, StudyWarning
from genexpy_nb.common.prose import percent, plural
from genexpy_nb.common.random import seed_of
from genexpy_nb.conclusions.contenders import BY, rows_of
from genexpy_nb.conclusions.shortening import FARTHEST, GROUPS, SMALLEST, Drawn, needed
from genexpy_nb.conclusions.watching import look_at
from genexpy_nb.datasets.reading import read_results
from genexpy_nb.generalization.contract import as_kernels, epsilon_of, gram_of
from genexpy_nb.generalization.kernels import Kernel
from genexpy_nb.generalization.nstar import estimate_nstar, smallest_study
from genexpy_nb.study.checks import RESERVED
from genexpy_nb.study.contents import ranked_table

if TYPE_CHECKING:
    from genexpy_nb.study.study import Study

STOPPING_RULES = ("estimate", "interval", "winner")
VALID = ("fixed", "anytime")
_FEWEST = 10  # experiments of a table to plan from
_CONFIDENCE = 0.95  # nominal, of ranges

#: Tables to plan from that come with the package: who loads them, what is compared, the score, experiments, design.
TABLES: dict[str, tuple[str, str, str, tuple[str, ...], tuple[str, ...]]] = {
    "encoders": ("load_encoders", "encoder", "cv_score", ("dataset",), ("model", "tuning", "scoring")),
    "fewshot": (
        "load_bigbench",
        "model_family_model_name",
        "score_value",
        ("task_name", "subtask_description"),
        ("number_of_shots",),
    ),
    "mteb": ("load_mteb", "model", "score", ("task",), ()),
    "replicates": ("load_replicates", "encoder", "score", ("dataset",), ("model",)),
}


@dataclass(frozen=True)
class StudyPlan:
    """How many experiments a study needs, from tables that are there; `plan_study` says what is in it."""

    n: float
    low: float
    high: float
    tables: pd.DataFrame
    ask: str
    n_alternatives: int
    probability: float

    def __str__(self) -> str:
        nouns = self.tables["experiments"].unique()
        noun, n = nouns[0] if len(nouns) == 1 else "experiments", len(self.tables)
        goal = _GOALS[self.ask].format(percent(self.probability), self.n_alternatives)
        source = f"from {n} earlier {'study' if n == 1 else 'studies'}"
        found = [f"{goal}: {_about(self, noun, FARTHEST * self.tables['n_experiments'].max(), source)}."]
        for row in self.tables.itertuples():
            needed_there = _about(row, row.experiments, FARTHEST * row.n_experiments)
            found.append(f"  {row.table}: {needed_there}; with {row.n_largest}, {percent(row.share)} got there")
        return "\n".join([*found, CHECKED])


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
    each = groups[open_ones].groupby(groups[open_ones])
    steps = [step for _, rows in each for step in _steps(questions["more"], rows)]
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


def plan_study(
    like: Any,
    n_alternatives: int,
    ask: str = "winner",
    probability: float = 0.9,
    *,
    by: str = "rank",
    matters: float = 0.5,
    level: float = 0.05,
    rng: np.random.Generator | int = 0,
) -> StudyPlan:
    """Say how many experiments a study needs, from tables of studies like it.

    Parameters
    ----------
    like : str, path, DataFrame, Study or a list of these
        Earlier studies: ``"encoders"``, ``"fewshot"``, ``"mteb"`` or ``"replicates"``, which come with the package, or
        your own. The roles in a file or frame are guessed; make a `Study` of one where that is not sure.
    n_alternatives : int
        How many will be compared, two at least.
    ask : {"winner", "regret", "order"}
        ``winner``: only one contender is left. ``regret``: whoever leads is at most ``matters`` behind whoever leads
        on the experiments that were not drawn. ``order``: a second study has a pair in the same order.
    probability : float
        With which a study, or for the order a pair, gets there; in (0, 1).
    by, level
        See `Study.contenders`.
    matters : float
        A regret that is small enough: mean ranks or, by score, scores.
    rng : numpy.random.Generator or int

    Returns
    -------
    StudyPlan
        ``n``, ``low``, ``high``: experiments, and the range of what another table is likely to need; infinity beyond
        what the tables can tell. ``tables``, the same of each, with the ``share`` of the largest studies, of
        ``n_largest``, that got there. Printed, it is an answer in words.

    Notes
    -----
    Studies are drawn from each table without replacement, and it is counted how many get there; beyond the sizes that
    can be drawn, the probit of that share is taken to rise linearly in log n, up to ten times the experiments of the
    largest table. One contender is told by t tests with Bonferroni's correction, which take a little more experiments
    than `Study.contenders`. Of several tables the number is the geometric mean, and the range a 95 % prediction
    interval for one more table; of one table, a 95 % interval of what that table needs, from leaving out a sixth of it
    at a time. ``docs/accuracy.md`` says how far off plans were.

    Examples
    --------
    >>> found = plan_study("replicates", n_alternatives=4, ask="order", probability=0.8)
    >>> bool(5 < found.low < found.n < found.high)
    True
    """
    n_alternatives = check_count("n_alternatives", n_alternatives, 2)
    for name, value, choices in (("ask", ask, tuple(SMALLEST)), ("by", by, BY)):
        check_choice(name, value, choices)
    probability, level = check_level("probability", probability), check_level("level", level)
    matters, seed = check_number("matters", matters, 0, ends="[)"), seed_of(rng)
    several = like if isinstance(like, list | tuple) else [like]
    if not several:
        raise ParameterError(f"like must name a table to plan from: {listed(TABLES)}, a file, a frame or a Study")
    rows = []
    for i, one in enumerate(tqdm(several, "drawing studies", delay=2, leave=False, disable=None)):
        name, study = _source(one, f"table {i + 1}")
        blocks = _large_enough(name, study, n_alternatives)
        drawn = Drawn(n_alternatives, ask, by, matters, level, (seed, i))
        found = needed(blocks, drawn, probability)
        noun = plural(study.generalize_over[-1].split("_")[0], "experiments")
        row = {"table": name, "experiments": noun, "n_experiments": max(map(len, blocks))}
        row |= {"n_configurations": len(blocks), "log_n": found.log_n, "error": found.error}
        row |= zip(("n", "low", "high"), of_a_new_table(pd.DataFrame([row]), SMALLEST[ask]), strict=True)
        rows.append(row | {"share": found.shares[-1], "n_largest": int(found.sizes[-1])})
    tables = pd.DataFrame(rows)
    n, low, high = of_a_new_table(tables, SMALLEST[ask])
    return StudyPlan(n, low, high, tables, ask, n_alternatives, probability)


def _source(like: Any, otherwise: str) -> tuple[str, Study]:
    """Return what to call a table to plan from, and a study of it."""
    from genexpy_nb import Study  # which itself asks `plan` of this module

    if isinstance(like, str) and like in TABLES:
        loader, alternatives, target, over, design = TABLES[like]
        frame = getattr(datasets, loader)(*(["bundled"] if loader in ("load_encoders", "load_bigbench") else []))
        frame = frame.groupby([*design, *over, alternatives], observed=True)[target].mean().reset_index()
        with warnings.catch_warnings(action="ignore", category=StudyWarning):
            roles: dict[str, Any] = {"alternatives": alternatives, "target": target, "generalize_over": list(over)}
            return like, Study(frame, **roles, design=list(design))
    if isinstance(like, str | os.PathLike):
        otherwise = os.path.basename(like)
        if not os.path.exists(like):
            there = f"(there are {listed(TABLES)})"
            raise ParameterError(f"like: there is no file {shown(os.fspath(like))}, and no such table {there}")
        like = read_results(like)
    return otherwise, like if isinstance(like, Study) else Study(like)


def _large_enough(name: str, study: Study, n_alternatives: int) -> list[np.ndarray]:
    """Return the configurations without what is missing that have so many alternatives and experiments."""
    found = []
    for one in study.configurations:
        block = study.scores(one).to_numpy(dtype=float) * (1 if study.direction(one) else -1)
        seen = ~np.isnan(block)
        whole, most = block[:, seen.all(axis=0)], block[:, seen.mean(axis=0) >= 0.8]
        most = most[~np.isnan(most).any(axis=1)]
        found.append(whole if whole.shape[1] >= n_alternatives and whole.size >= most.size / 2 else most)
    found = [block for block in found if block.shape[1] >= n_alternatives and len(block) >= _FEWEST]
    if not found:
        lacks = f"no configuration of {n_alternatives} alternatives that share {_FEWEST} experiments"
        raise StudyError(f"like: {name} has {lacks}")
    return found


_GOALS = {
    "winner": "To have one contender in {} of the studies of {} alternatives",
    "regret": "To lose no more than what matters in {} of the studies of {} alternatives",
    "order": "To have {} of the pairs of {} alternatives in the same order again",
}
#: How far off plans were, see docs/accuracy.md.
CHECKED = (
    "How far off such plans were: from half of a table, the range covered what the other half needs in 35 of 36 cases. "
    "From six tables of other kinds, it covered what one more table needs in 79 of 80, but was too wide to act on (a "
    "factor of 600 and more): run some experiments of your own, and plan from these."
)


def of_a_new_table(tables: pd.DataFrame, least: int) -> tuple[float, float, float]:
    """Return n, low and high for a table like those that were drawn from, or of the only one; see `plan_study`."""
    logs, errors, n = tables["log_n"], tables["error"], len(tables)
    variance = max(logs.var(), (errors**2).mean()) * (1 + 1 / n) if n > 1 else errors.iloc[0] ** 2
    reach = student.ppf((1 + _CONFIDENCE) / 2, n - 1 if n > 1 else GROUPS - 1) * np.sqrt(variance)
    found = np.exp(np.minimum(logs.mean() + np.array([0, -reach, reach]), 700)) - 1e-9
    found = np.maximum([np.ceil(found[0]), np.floor(found[1] + 2e-9), np.ceil(found[2])], least)
    return tuple(np.where(found > FARTHEST * tables["n_experiments"].max(), np.inf, found).tolist())


def _about(found: Any, noun: str, least: float, of: str = "") -> str:
    """Say a number of experiments, or that it is more than ``least``, and its range; ``of`` what."""
    number = f"about {found.n:,.0f} {noun}" if np.isfinite(found.n) else f"more than {least:,.0f} {noun}"
    span = f"{found.low:,.0f} to {found.high:,.0f}" if np.isfinite(found.high) else f"{found.low:,.0f} or more"
    within = ", ".join(filter(None, ["" if np.isinf(found.low) else span, of]))
    return f"{number} ({within})" if within else number


@dataclass(frozen=True)
class SequentialStudy:
    """What a sequential study found; `run_generalizable_study` says what is in it."""

    results: pd.DataFrame
    history: pd.DataFrame
    generalizable: bool
    reason: str
    contenders: tuple[Any, ...] = ()


def run_generalizable_study(
    run_experiments: Callable[[int], ArrayLike],
    kernel: Kernel,
    alpha: float = 0.95,
    delta: float = 0.05,
    step: int = 10,
    budget: int = 100,
    *,
    stop: str = "estimate",
    valid: str = "fixed",
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
    stop : {"estimate", "interval", "winner"}
        ``estimate``: stop when N >= n*, as published. ``interval``: stop when N is at least the upper end of the
        interval of n*, or when the lower end is above the budget. The first is cheaper, and stops too early about as
        often as n* is underestimated. ``winner``: stop when one contender is left; needs ``valid="anytime"``.
    valid : {"fixed", "anytime"}
        ``anytime``: look after each experiment, too, at who may still be the best by mean rank, so that what is said
        holds whenever one stops, for any reason; see `Study.watch`. The level is .05.
    higher_is_better : bool, optional
        If given, the rows are scores and are ranked, where the kernel compares rankings.
    method, confidence, rng
        See `genexpy_nb.estimate_nstar`.

    Returns
    -------
    SequentialStudy
        ``results``, in the order in which they were run; ``history``, a row per batch: n_experiments, nstar, low, high,
        decision; ``generalizable``; ``reason`` to end: ``enough``, ``budget``, ``exhausted`` (no more experiments), or
        ``out of reach`` (n* lies above the budget); with ``valid="anytime"``, the ``contenders`` that are left.

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
    check_choice("valid", valid, VALID)
    if stop == "winner" and valid != "anytime":
        raise ParameterError("stop='winner' looks after each batch: it needs valid='anytime'")
    alpha = check_level("alpha", alpha)
    step = check_count("step", step, at_least=1 if stop == "winner" else smallest_study(method))
    budget = check_count("budget", budget, at_least=step)
    results = pd.DataFrame()
    history: list[dict[str, Any]] = []
    decision, contenders = "go on", ()
    while decision == "go on":
        asked = min(step, budget - len(results))
        if asked == 0:
            decision = "budget"
            break
        given = run_experiments(asked)
        batch = given if isinstance(given, pd.DataFrame) else pd.DataFrame(np.asarray(given))
        if len(batch) > asked:
            raise ParameterError(f"run_experiments returned {len(batch)} results, {asked} were asked for")
        if len(results) and len(batch) and list(batch.columns) != list(results.columns):
            raise ParameterError(
                f"run_experiments returned other alternatives than before: {list(batch.columns)} instead of "
                f"{list(results.columns)}"
            )
        results = pd.concat([results, batch]) if len(results) else batch
        if len(results) >= smallest_study(method):
            compared = results
            if kernel.on == "rankings" and higher_is_better is not None:
                compared = ranked_table(results, higher_is_better)
            epsilon = float(epsilon_of(kernel, delta, results.shape[1]))
            nstar = estimate_nstar(gram_of(kernel, compared), alpha, epsilon, method, confidence=confidence, rng=rng)
            row = {"n_experiments": len(results), "nstar": nstar.estimate, "low": nstar.low, "high": nstar.high}
            if valid == "anytime":
                worse_first = rows_of(np.asarray(results, dtype=float), "rank", bool(higher_is_better))
                contenders = tuple(results.columns[np.isnan(look_at(worse_first, 0.05).left)])
                row["contenders"] = len(contenders)
            if stop == "winner":
                decision = "enough" if len(contenders) <= 1 else "go on"
            elif nstar.n_experiments >= (nstar.estimate if stop == "estimate" else nstar.high):
                decision = "enough"
            elif stop == "interval" and nstar.low > budget:
                decision = "out of reach"
            history.append({**row, "decision": decision})
        if decision == "go on" and len(batch) < asked:
            decision = "exhausted"
    return SequentialStudy(results, pd.DataFrame(history), decision == "enough", decision, contenders)
