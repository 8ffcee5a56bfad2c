"""Run samples of processing systems: each under both methods, or each under one that chance assigns."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from threadpoolctl import ThreadpoolController
from tqdm import tqdm

from genexpy_nb.causal.population import Combination, Comparison, PipelinePopulation, _generator, _seeds
from genexpy_nb.common.checks import suggest
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.hashing import describe, fingerprint
from genexpy_nb.common.resumable import run_resumable

__all__ = ["Runs", "from_results", "ideal_study", "run_independent", "run_paired", "run_population"]

#: Combination and seed of a train-test composition -> losses.
Evaluate = Callable[[Combination, int], Mapping[str, float]]
_INDEX = ["system", "composition", "method"]


@dataclass(frozen=True, eq=False)
class Runs:
    """What came out of running a sample of systems.

    Attributes
    ----------
    frame : DataFrame
        One row per run: ``system`` (its number), ``composition`` (seed), ``method`` (a or b), the losses (NaN if and
        only if the run failed), ``error_message`` (empty, or why it failed), and the variables of the system (None
        where it has none of that name).
    losses : tuple of str
        Names of the losses. A loss may also measure agreement: effects are a minus b in any case.
    treatment, a, b : object
        What was compared.
    design : {"paired", "independent"}
    variables : tuple of str
        Variables that a system keeps under both methods.
    compositions : {"own", "shared", "none"}
        Whether each system has train-test compositions of its own, all share them, or there was nothing to vary.
    """

    frame: pd.DataFrame
    losses: tuple[str, ...]
    treatment: str
    a: Any
    b: Any
    design: str
    variables: tuple[str, ...]
    compositions: str

    @property
    def failed(self) -> pd.DataFrame:
        """The runs that failed, with their errors."""
        return self.frame[self.frame["error_message"] != ""].reset_index(drop=True)

    @property
    def n_systems(self) -> int:
        """Number of systems in the sample, failed ones included."""
        return self.frame["system"].nunique()

    def failures(self) -> pd.DataFrame:
        """Count failures by method and error message, most frequent first."""
        counts = self.failed.groupby(["method", "error_message"], sort=False).size().rename("runs").reset_index()
        return counts.sort_values("runs", ascending=False, kind="stable", ignore_index=True)

    def arrays(self, loss: str | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the losses under a and under b, shapes (n_systems, n_compositions), of a paired study.

        Raises
        ------
        StudyError
            If the study is not paired, a run failed, or systems have different numbers of compositions.
        """
        loss = self.check_loss(loss)
        if self.design != "paired" or self.frame[loss].isna().any():
            raise StudyError("arrays need a paired study in which no run failed")
        sizes = self.frame.groupby(["system", "method"]).size()
        if sizes.nunique() > 1:
            raise StudyError("arrays need the same number of compositions for all systems")
        sides = (self.frame.loc[self.frame["method"] == m, ["system", loss]] for m in (self.a, self.b))
        both = [side.sort_values("system", kind="stable")[loss].to_numpy(float) for side in sides]
        return both[0].reshape(-1, sizes.iloc[0]), both[1].reshape(-1, sizes.iloc[0])

    def check_loss(self, loss: str | None) -> str:
        """Return the name of the loss, by default the first.

        Raises
        ------
        ParameterError
            If there is no such loss.
        """
        if loss is None:
            return self.losses[0]
        if loss not in self.losses:
            raise ParameterError(f"there is no loss {loss!r}{suggest(loss, self.losses)}; there are {self.losses}")
        return loss


def run_paired(
    comparison: Comparison,
    evaluate: Evaluate,
    n_systems: int,
    *,
    seed: int = 0,
    n_compositions: int = 1,
    shared_compositions: bool = False,
    folder: str | os.PathLike | None = None,
    n_jobs: int = 1,
    progress: bool = False,
) -> Runs:
    """Draw systems and apply each with method a and with method b, on the same train-test compositions (Eq. 6 to 9).

    Parameters
    ----------
    comparison : Comparison
        From `PipelinePopulation.compare`.
    evaluate : callable
        (combination, seed of a composition) -> dict of losses, finite numbers. What it raises is recorded as the
        outcome of that run. For saved results it may have an attribute ``key``, a string that says all that they
        depend on.
    n_systems : int
        Sample size S, at least 2.
    seed : int
        System i depends on the seed and on i alone: with a larger ``n_systems`` the first ones stay what they are.
    n_compositions : int
        Train-test compositions per system; more of them never change the first ones.
    shared_compositions : bool
        The same compositions for all systems: results are then dependent across systems, and effects say so.
    folder : path-like, optional
        Where finished systems are kept; the same call goes on there after an interruption.
    n_jobs : int
        Worker processes; results do not depend on it.
    progress : bool
        Show a bar.

    Returns
    -------
    Runs

    Raises
    ------
    ParameterError
        If a number is out of range.
    StudyError
        If losses have other names than before, or every run failed.

    References
    ----------
    Drawing Causal Inferences About Performance Effects in NLP, Section 2, Eq. 6 to 10.

    Examples
    --------
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
    return _run(comparison, evaluate, "paired", **_settings(locals()))


def run_independent(
    comparison: Comparison,
    evaluate: Evaluate,
    n_systems: int,
    *,
    seed: int = 0,
    n_compositions: int = 1,
    shared_compositions: bool = False,
    folder: str | os.PathLike | None = None,
    n_jobs: int = 1,
    progress: bool = False,
) -> Runs:
    """Draw systems and apply each with one method, that chance assigns: half of the runs of `run_paired`.

    Of systems 0 and 1, 2 and 3, ... one each gets method a, so that the groups are equally large (one more for odd
    samples) and larger samples still begin with the smaller ones.

    Parameters
    ----------
    comparison, evaluate, seed, n_compositions, shared_compositions, folder, n_jobs, progress
        As in `run_paired`; the systems are the same, too.
    n_systems : int
        Systems in both groups together, at least 4.

    Returns
    -------
    Runs

    Examples
    --------
    >>> population = PipelinePopulation({"weighting": ["counts", "tf-idf"], "ngrams": [1, 2, 3]})
    >>> comparison = population.compare("weighting", "tf-idf", "counts")
    >>> runs = run_independent(comparison, lambda combination, seed: {"error": 0.5}, 10)
    >>> runs.frame["method"].value_counts().tolist()
    [5, 5]
    """
    return _run(comparison, evaluate, "independent", **_settings(locals()))


def _settings(given: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name not in ("comparison", "evaluate")}


def _run(
    comparison: Comparison,
    evaluate: Evaluate,
    design: str,
    n_systems: int,
    seed: int,
    n_compositions: int,
    shared_compositions: bool,
    folder: str | os.PathLike | None,
    n_jobs: int,
    progress: bool,
) -> Runs:
    _at_least("n_systems", n_systems, 2 if design == "paired" else 4)
    _at_least("n_compositions", n_compositions, 1)
    _at_least("seed", seed, 0)
    shared = _seeds(seed, n_compositions, 2) if shared_compositions else None
    tasks, about = {}, {}
    for number in range(n_systems):
        system = comparison.system(number, seed)
        sides = {"a": (comparison.a, system.a), "b": (comparison.b, system.b)}
        if design == "independent":
            order = _generator(seed, number // 2, 3).permutation(2)
            side = "ab"[order[number % 2]]
            sides = {side: sides[side]}
        about |= {(number, side): {"method": method} | c for side, (method, c) in sides.items()}
        compositions = shared or system.compositions(n_compositions)
        tasks[f"system {number}"] = [(number, c, side, sides[side][1]) for c in compositions for side in sides]
    frame = _outcomes(tasks, evaluate, folder, n_jobs, progress)
    return _as_runs(frame, about, comparison, design, "shared" if shared_compositions else "own")


def _as_runs(frame: pd.DataFrame, about: dict, comparison: Comparison, design: str, compositions: str) -> Runs:
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


def ideal_study(
    comparison: Comparison,
    evaluate: Evaluate,
    compositions: Iterable[int],
    *,
    folder: str | os.PathLike | None = None,
    n_jobs: int = 1,
    progress: bool = False,
) -> Runs:
    """Run every system under both methods on every one of some train-test compositions: nothing is left to infer.

    For approaches, a system is a context with one combination of the parts of each: all pairs of them.

    Parameters
    ----------
    comparison : Comparison
        In a population that is small enough to be listed, without weights, and in which all contexts have equally many
        combinations of parts, so that every system counts the same.
    evaluate : callable
        As in `run_paired`; `Recorded` if the population was run before.
    compositions : iterable of int
        Seeds.
    folder, n_jobs, progress
        As in `run_paired`.

    Returns
    -------
    Runs
        Paired, with shared compositions.

    Raises
    ------
    StudyError
        If systems do not count the same.

    Examples
    --------
    >>> population = PipelinePopulation({"weighting": ["counts", "tf-idf"], "ngrams": [1, 2, 3]})
    >>> comparison = population.compare("weighting", "tf-idf", "counts")
    >>> ideal_study(comparison, lambda combination, seed: {"error": 0.5}, [0, 1]).n_systems
    3
    """
    contexts = comparison.contexts()
    pairs = [
        [(a, b) for a in comparison.parts(c, comparison.a) for b in comparison.parts(c, comparison.b)] for c in contexts
    ]
    if comparison.population.weights or len({len(p) for p in pairs}) > 1:
        raise StudyError("systems of this population do not count the same: sample it instead")
    tasks, about = {}, {}
    compositions = list(compositions)
    for number, (a, b) in enumerate(pair for of_context in pairs for pair in of_context):
        about[number, "a"], about[number, "b"] = {"method": comparison.a} | a, {"method": comparison.b} | b
        tasks[f"system {number}"] = [(number, s, side, c) for s in compositions for side, c in (("a", a), ("b", b))]
    return _as_runs(_outcomes(tasks, evaluate, folder, n_jobs, progress), about, comparison, "paired", "shared")


def run_population(
    population: PipelinePopulation,
    evaluate: Evaluate,
    compositions: Iterable[int],
    *,
    folder: str | os.PathLike | None = None,
    n_jobs: int = 1,
    progress: bool = False,
) -> pd.DataFrame:
    """Run every system of a population on every one of some train-test compositions: the ideal study.

    Parameters
    ----------
    population : PipelinePopulation
        Small enough to be listed.
    evaluate : callable
        As in `run_paired`.
    compositions : iterable of int
        Seeds.
    folder, n_jobs, progress
        As in `run_paired`.

    Returns
    -------
    DataFrame
        One row per system and composition: the variables, ``composition`` (0, 1, ... in the order given), the losses,
        ``error_message``.

    Examples
    --------
    >>> population = PipelinePopulation({"weighting": ["counts", "tf-idf"], "ngrams": [1, 2, 3]})
    >>> len(run_population(population, lambda combination, seed: {"error": 0.5}, compositions=[1, 2]))
    12
    """
    compositions = list(compositions)
    combinations = population.combinations()
    tasks = {
        f"system {i}": [(i, c, str(place), combination) for place, c in enumerate(compositions)]
        for i, combination in enumerate(combinations)
    }
    frame = _outcomes(tasks, evaluate, folder, n_jobs, progress)
    numbers = frame.pop("system")
    frame["composition"] = frame.pop("side").astype(int)
    for place, name in enumerate(population.names):
        frame.insert(place, name, pd.Series([combinations[i].get(name) for i in numbers], dtype=object))
    return frame


def from_results(
    results: pd.DataFrame,
    treatment: str,
    a: Any,
    b: Any,
    variables: Sequence[str],
    losses: Sequence[str],
) -> Runs:
    """Take a published results table for a population of systems that somebody else has run.

    A system is a combination of the other variables; those measured under one of the methods only are kept as failed
    under the other, "not in the table".

    Parameters
    ----------
    results : DataFrame
        One row per combination of treatment and variables.
    treatment : str
        Column of the treatment.
    a, b : object
        Two of its values.
    variables : sequence of str
        Columns that make a system together.
    losses : sequence of str
        Columns with measurements, whether lower is better or higher.

    Returns
    -------
    Runs
        Paired, and with ``compositions="none"``.

    Raises
    ------
    StudyError
        If a column is missing, a combination occurs twice, or no system has both methods.

    Examples
    --------
    >>> table = pd.DataFrame({"tuned": ["no", "yes"] * 2, "dataset": list("uuvv"), "accuracy": [0.7, 0.8, 0.6, 0.6]})
    >>> from_results(table, "tuned", "yes", "no", ["dataset"], ["accuracy"]).n_systems
    2
    """
    variables, losses = list(variables), list(losses)
    absent = [name for name in [treatment, *variables, *losses] if name not in results]
    if absent:
        raise StudyError(f"results have no column {absent[0]!r}{suggest(absent[0], results.columns)}")
    for label, method in (("a", a), ("b", b)):
        if not (results[treatment] == method).any():
            raise StudyError(
                f"{label}={method!r} does not occur in column {treatment!r}: {sorted(set(results[treatment]))}"
            )
    rows = results[results[treatment].isin([a, b])]
    twice = rows.duplicated([treatment, *variables])
    if twice.any():
        first = rows.loc[twice, [treatment, *variables]].iloc[0].to_dict()
        raise StudyError(f"{twice.sum()} rows are there twice, the first is {first}: which variable tells them apart?")
    systems = rows[variables].drop_duplicates().sort_values(variables, ignore_index=True)
    systems.insert(0, "system", np.arange(len(systems)))
    grid = systems.merge(pd.DataFrame({"method": [a, b]}), how="cross")
    rows = rows.rename(columns={treatment: "method"})[["method", *variables, *losses]]
    frame = grid.merge(rows, on=[*variables, "method"], how="left")
    missing = frame[losses].isna().any(axis=1)
    if not (~missing).groupby(frame["system"]).all().any():
        raise StudyError(f"no system was measured under both {a!r} and {b!r}")
    frame.loc[missing, losses] = np.nan
    frame["error_message"] = np.where(missing, "not in the table", "")
    frame["composition"] = 0
    frame = frame[[*_INDEX, *losses, "error_message", *variables]]
    return Runs(frame, tuple(losses), treatment, a, b, "paired", tuple(variables), "none")


def _outcomes(
    tasks: dict[str, list[tuple]], evaluate: Evaluate, folder: str | os.PathLike | None, n_jobs: int, progress: bool
) -> pd.DataFrame:
    if folder is None:
        jobs = (delayed(_one_task)(evaluate, task) for task in tasks.values())
        done = tqdm(
            Parallel(n_jobs=n_jobs, return_as="generator")(jobs), total=len(tasks), unit="system", disable=not progress
        )
        rows = [row for task in done for row in task]
    else:
        what = getattr(evaluate, "key", None) or describe(evaluate)
        prefix = json.dumps(what, sort_keys=True, default=str)
        keys = {name: fingerprint(prefix, task) for name, task in tasks.items()}

        def run(name: str) -> pd.DataFrame:
            # One column of text: parquet would otherwise have to guess types that differ between systems.
            return pd.DataFrame({"row": [json.dumps(row) for row in _one_task(evaluate, tasks[name])]})

        rows = [json.loads(row) for row in run_resumable(run, keys, folder, n_jobs, progress)["row"]]
    losses = next((list(row["losses"]) for row in rows if row["losses"]), None)
    if losses is None:
        raise StudyError(f"all {len(rows)} runs failed, the first with: {rows[0]['error_message']}")
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


@lru_cache(maxsize=1)
def _threads() -> ThreadpoolController:
    """Look for thread pools once: that takes longer than a small fit."""
    return ThreadpoolController()


def _one_task(evaluate: Evaluate, task: list[tuple]) -> list[dict[str, Any]]:
    rows = []
    with _threads().limit(limits=1):
        for number, composition, side, combination in task:
            losses, error = {}, ""
            try:
                losses = {name: float(value) for name, value in evaluate(dict(combination), composition).items()}
                bad = [f"{name} is {value}" for name, value in losses.items() if not np.isfinite(value)]
                if bad:
                    losses, error = {}, f"the loss {bad[0]}"
                elif not losses:
                    error = "evaluate returned no loss"
            except Exception as problem:  # what a pipeline raises is the outcome of its run
                error = f"{type(problem).__name__}: {' '.join(str(problem).split())[:300]}"
            row = {"system": number, "composition": composition, "side": side}
            rows.append(row | {"losses": losses, "error_message": error})
    return rows


def _at_least(name: str, value: Any, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ParameterError(f"{name} must be a whole number of at least {least}, got {value!r}")
