"""Run samples of processing systems: each under both methods, or each under one that chance assigns."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from genexpy_nb.causal.population import Combination, Comparison
from genexpy_nb.causal.runs import Runs
from genexpy_nb.common.checks import check_columns, check_count, check_workers
from genexpy_nb.common.errors import StudyError
from genexpy_nb.common.hashing import check_key, describe, fingerprint, identity, versions, write_about
from genexpy_nb.common.parallel import bar, in_parallel, run_resumable, thread_pools
from genexpy_nb.common.random import seeds, stream

#: Combination and seed of a train-test composition -> losses.
Evaluate = Callable[[Combination, int], Mapping[str, float]]
# Number of the system, seed of the composition, side ("a", "b", or a place in a list), combination.
Run = tuple[int, int, str, Combination]
_REMEDY = "give key=, a text that says what its results depend on"
_RESERVED = ("system", "composition", "side", "method", "error_message")


def run_paired(
    comparison: Comparison,
    evaluate: Evaluate,
    n_systems: int,
    *,
    seed: int = 0,
    n_compositions: int = 1,
    folder: str | os.PathLike | None = None,
    n_jobs: int | None = None,
    key: str | None = None,
    progress: bool = False,
    _design: str = "paired",
) -> Runs:
    """Draw systems and apply each with method a and with method b, on the same train-test compositions (Eq. 6 to 9).

    Parameters
    ----------
    comparison : Comparison
        From `PipelinePopulation.compare`.
    evaluate : callable
        (combination, seed of a composition) -> dict of losses, finite numbers. What it raises is recorded as the
        outcome of that run; `StudyError` if every run failed, or the names of the losses change.
    n_systems : int
        Sample size S, at least 2.
    seed : int
        System i depends on the seed and on i alone: with a larger ``n_systems`` the first ones stay what they are.
    n_compositions : int
        Train-test compositions per system; more of them never change the first ones.
    folder : path-like, optional
        Where finished systems are kept: the same call goes on there. ``evaluate`` counts by its source and the values
        that it holds; change ``key`` when code that it calls changes.
    n_jobs, progress
        Worker processes, on which results do not depend; whether to show a bar.
    key : str, optional
        Stands for ``evaluate`` in ``folder``, where it cannot be told from another one (an open file in it, no source):
        give another one whenever results would change. By default its attribute ``key``, if that is a text.

    Returns
    -------
    Runs

    Examples
    --------
    >>> from genexpy_nb.causal import PipelinePopulation
    >>> population = PipelinePopulation({"weighting": ["counts", "tf-idf"], "ngrams": [1, 2, 3]})
    >>> def evaluate(combination, seed):
    ...     return {"error": 0.3 - 0.1 * (combination["weighting"] == "tf-idf") + 0.01 * combination["ngrams"]}
    >>> runs = run_paired(population.compare("weighting", "tf-idf", "counts"), evaluate, n_systems=2)
    >>> runs.frame[["system", "method", "ngrams", "error"]].round(2)
       system  method ngrams  error
    0       0  tf-idf      1   0.21
    1       0  counts      1   0.31
    2       1  tf-idf      2   0.22
    3       1  counts      2   0.32
    """
    check_count("n_systems", n_systems, 2 if _design == "paired" else 4)
    check_count("n_compositions", n_compositions)
    check_count("seed", seed, 0)
    tasks: dict[str, list[Run]] = {}
    about: dict[tuple[int, str], Combination] = {}  # of each side of each system
    for number in range(n_systems):
        under_a, under_b = comparison.system(number, seed)
        sides = {"a": (comparison.a, under_a), "b": (comparison.b, under_b)}
        if _design == "independent":
            order = stream(seed, number // 2, 3).permutation(2)
            side = "ab"[order[number % 2]]
            sides = {side: sides[side]}
        about |= {(number, side): {"method": method} | c for side, (method, c) in sides.items()}
        compositions = seeds(seed, n_compositions, number, 1)
        tasks[f"system {number}"] = [(number, c, side, sides[side][1]) for c in compositions for side in sides]
    frame = outcomes(tasks, evaluate, folder, n_jobs, progress, key)
    return as_runs(frame, about, comparison, _design, "own")


def run_independent(comparison: Comparison, evaluate: Evaluate, n_systems: int, **options: Any) -> Runs:
    """Draw systems and apply each with one method, that chance assigns: half of the runs of `run_paired`.

    Of systems 0 and 1, 2 and 3, ... one each gets method a, so that larger samples still begin with the smaller ones.

    Parameters
    ----------
    comparison, evaluate, **options
        As in `run_paired`; the systems are the same, too.
    n_systems : int
        Systems in both groups together, at least 4.

    Returns
    -------
    Runs
    """
    return run_paired(comparison, evaluate, n_systems, _design="independent", **options)


def as_runs(
    frame: pd.DataFrame,
    about: Mapping[tuple[int, str], Combination],
    comparison: Comparison,
    design: str,
    compositions: str,
) -> Runs:
    """Return outcomes with the methods and the variables of their systems."""
    names = comparison.population.names
    keys = list(zip(frame["system"], frame.pop("side"), strict=True))
    losses = tuple(c for c in frame.columns if c not in ("system", "composition", "error_message"))
    clash = [loss for loss in losses if loss in names]
    if clash:
        raise StudyError(f"the loss {clash[0]!r} has the name of a variable")
    frame.insert(2, "method", [about[key]["method"] for key in keys])
    for name in names:
        frame[name] = pd.Series([about[key].get(name) for key in keys], dtype=object)
    return Runs(
        frame=frame,
        losses=losses,
        treatment=comparison.treatment,
        a=comparison.a,
        b=comparison.b,
        design=design,
        variables=tuple(comparison.context_variables),
        compositions=compositions,
    )


def outcomes(
    tasks: Mapping[str, list[Run]],
    evaluate: Evaluate,
    folder: str | os.PathLike | None,
    n_jobs: int | None,
    progress: bool,
    key: str | None,
) -> pd.DataFrame:
    """Run everything; return system, composition, side, the losses and error_message, one row per run."""
    n_jobs = check_workers(n_jobs)
    if folder is None:
        done = in_parallel(partial(_one_task, evaluate), tasks.values(), n_jobs)
        seen = bar(done, wanted=progress, total=len(tasks), unit="system")
        rows = [row for task in seen for row in task]
    else:
        own = getattr(evaluate, "key", None)
        told = check_key(key) or (own if isinstance(own, str) and own else None)
        what = {"key": told} if told else {"evaluate": describe(evaluate, "evaluate", _REMEDY)}
        write_about(folder, {"what": "runs of processing systems", **what, "versions": versions()})
        keys = {name: fingerprint(identity(what), task) for name, task in tasks.items()}

        def run(name: str) -> pd.DataFrame:
            # One column of text: parquet would otherwise have to guess types that differ between systems.
            return pd.DataFrame({"row": [json.dumps(row) for row in _one_task(evaluate, tasks[name])]})

        rows = [json.loads(row) for row in run_resumable(run, keys, folder, n_jobs, progress)["row"]]
    losses = next((list(row["losses"]) for row in rows if row["losses"]), None)
    if losses is None:
        raise StudyError(f"all {len(rows)} runs failed, the first with: {rows[0]['error_message']}")
    clash = [name for name in losses if name in _RESERVED]
    if clash:
        raise StudyError(f"a loss cannot have the name {clash[0]!r}, which is a column of every table of runs")
    odd = next((row for row in rows if row["losses"] and list(row["losses"]) != losses), None)
    if odd is not None:
        raise StudyError(f"evaluate returned the losses {list(odd['losses'])} after {losses}")
    return pd.DataFrame(
        [
            {n: row[n] for n in ("system", "composition", "side")}
            | {loss: row["losses"].get(loss, np.nan) for loss in losses}
            | {"error_message": row["error_message"]}
            for row in rows
        ]
    )


def _one_task(evaluate: Evaluate, task: list[Run]) -> list[dict[str, Any]]:
    rows = []
    with thread_pools().limit(limits=1):
        for number, composition, side, combination in task:
            losses, error = _evaluated(evaluate, combination, composition)
            row = {"system": number, "composition": composition, "side": side}
            rows.append(row | {"losses": losses, "error_message": error})
    return rows


def _evaluated(evaluate: Evaluate, combination: Combination, composition: int) -> tuple[dict[str, float], str]:
    """Return the losses, or none and why."""
    try:
        losses = {name: float(value) for name, value in evaluate(dict(combination), composition).items()}
    except Exception as problem:  # what a pipeline raises is the outcome of its run
        return {}, f"{type(problem).__name__}: {' '.join(str(problem).split())[:300]}"
    bad = next((f"{name} is {value}" for name, value in losses.items() if not np.isfinite(value)), None)
    if bad:
        return {}, f"the loss {bad}"
    return losses, "" if losses else "evaluate returned no loss"


class Recorded:
    """Look results up in the table of a population that was run in full, instead of running anything.

    Parameters
    ----------
    table : DataFrame
        One row per combination and composition: the variables, ``composition`` (0, 1, ...) and the losses. What it does
        not hold is a `StudyError` when it is asked for.
    variables, losses : sequence of str
        Names of columns.

    Examples
    --------
    >>> table = pd.DataFrame({"v": ["A", "B"], "composition": [0, 0], "error": [0.1, 0.3]})
    >>> Recorded(table, ["v"], ["error"])({"v": "B"}, 12345)
    {'error': 0.3}
    """

    def __init__(self, table: pd.DataFrame, variables: Sequence[str], losses: Sequence[str]) -> None:
        self.variables, self.losses = list(variables), list(losses)
        check_columns(table, [*self.variables, "composition", *self.losses])
        clean = table[self.variables].astype(object)
        keys = clean.where(clean.notna(), None).itertuples(index=False, name=None)
        values = table[self.losses].to_numpy(float)
        self._found = {(key, int(c)): v for key, c, v in zip(keys, table["composition"], values, strict=True)}
        self.n_compositions = int(table["composition"].max()) + 1

    def __call__(self, combination: Mapping[str, Any], seed: int) -> dict[str, float]:
        """Return the recorded losses of a combination; the composition is the seed modulo their number."""
        key = (tuple(combination.get(name) for name in self.variables), seed % self.n_compositions)
        if key not in self._found:
            raise StudyError(f"the table has no system {dict(combination)} with composition {key[1]}")
        return dict(zip(self.losses, map(float, self._found[key]), strict=True))
