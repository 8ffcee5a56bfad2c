"""What came out of running a sample of systems: failed runs, the effect in each system, and how effects differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import check_choice, check_columns, listed, suggest
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.rankings import negligible

#: Level of the systems that do not have a variable.
NO_LEVEL = "–"


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
        A loss may also measure agreement: effects are a minus b in any case.
    treatment, a, b : object
    design : {"paired", "independent"}
    variables : tuple of str
        Those that a system keeps under both methods.
    compositions : {"own", "shared", "none"}
        Whether each system has train-test compositions of its own, or all were run on all (of a population that was
        run in full), or there was nothing to vary.
    whole_population : bool
        Whether every system of the population is in it: there is then no sampling error.
    """

    frame: pd.DataFrame
    losses: tuple[str, ...]
    treatment: str
    a: Any
    b: Any
    design: str
    variables: tuple[str, ...]
    compositions: str
    whole_population: bool = False

    @property
    def failed(self) -> pd.DataFrame:
        """The runs that failed, with their errors."""
        return self.frame[self.frame["error_message"] != ""].reset_index(drop=True)

    @property
    def n_systems(self) -> int:
        """Number of systems in the sample, failed ones included."""
        return int(self.frame["system"].nunique())

    def systems(self) -> pd.DataFrame:
        """Return ``system`` and the variables that a system keeps under both methods, one row per system."""
        return self.frame.drop_duplicates("system")[["system", *self.variables]].reset_index(drop=True)

    def arrays(self, loss: str | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the losses under a and b of a paired study, shapes (n_systems, n_compositions), ordered by seed."""
        loss = self.check_loss(loss)
        if self.design != "paired" or self.frame[loss].isna().any():
            raise StudyError("arrays need a paired study in which no run failed")
        sizes = self.frame.groupby(["system", "method"]).size()
        if sizes.nunique() > 1:
            raise StudyError("arrays need the same number of compositions for all systems")
        ordered = self.frame.sort_values(["system", "composition"], kind="stable")
        both = [ordered.loc[ordered["method"] == method, loss].to_numpy(float) for method in (self.a, self.b)]
        return both[0].reshape(-1, sizes.iloc[0]), both[1].reshape(-1, sizes.iloc[0])

    def levels(self, variable: str) -> pd.Series:
        """Return the level of a variable in each system as text; a dash where a system does not have it."""
        check_choice("variable", variable, self.variables)
        return self.systems().set_index("system")[variable].map(as_level)

    def clusters(self, cluster: str) -> pd.Series:
        """Return what was sampled independently, of each system: itself, or the level of a variable."""
        check_choice("cluster", cluster, ("system", *self.variables))
        numbers = self.systems()["system"]
        return pd.Series(numbers.to_numpy(), index=numbers) if cluster == "system" else self.levels(cluster)

    def check_loss(self, loss: str | None) -> str:
        """Return the name of the loss, by default the first, or raise `ParameterError`."""
        if loss is None:
            return self.losses[0]
        if loss not in self.losses:
            raise ParameterError(f"there is no loss {loss!r}{suggest(loss, self.losses)}; there are {self.losses}")
        return loss


def as_level(value: Any) -> str:
    """Return the text that stands for a method of a variable, a dash for none."""
    return NO_LEVEL if value is None or value != value else str(value)


def from_results(
    results: pd.DataFrame, treatment: str, a: Any, b: Any, variables: Sequence[str], losses: Sequence[str]
) -> Runs:
    """Take a published results table for a population of systems that somebody else has run.

    A system is a combination of the other variables; those measured under one of the methods only are kept as failed.

    Parameters
    ----------
    results : DataFrame
        One row per combination of treatment and variables.
    treatment : str
        Column of the treatment.
    a, b : object
        Two of its values.
    variables, losses : sequence of str
        Columns that make a system together; columns with measurements, whether lower is better or higher.

    Returns
    -------
    Runs
        Paired, and with ``compositions="none"``.

    Examples
    --------
    >>> table = pd.DataFrame({"tuned": ["no", "yes"] * 2, "dataset": list("uuvv"), "accuracy": [0.7, 0.8, 0.6, 0.6]})
    >>> from_results(table, "tuned", "yes", "no", ["dataset"], ["accuracy"]).n_systems
    2
    """
    variables, losses = list(variables), list(losses)
    check_columns(results, [treatment, *variables, *losses], "the results table")
    if own := {"system", "method", "composition", "error_message"} & {*variables, *losses}:
        raise ParameterError(f"runs have a column {min(own)!r} of their own: rename that of the results table")
    if a == b:
        raise ParameterError(f"a and b must be two different methods, got {a!r} twice")
    for label, method in (("a", a), ("b", b)):
        if not (results[treatment] == method).any():
            known = listed(sorted(map(repr, results[treatment].unique())), 30)
            raise StudyError(f"{label}={method!r} does not occur in column {treatment!r}, which has {known}")
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
    frame = frame[["system", "composition", "method", *losses, "error_message", *variables]]
    return Runs(frame, tuple(losses), treatment, a, b, "paired", tuple(variables), "none")


# --- failed runs ------------------------------------------------------------------------------------------------------


def without_failures(runs: Runs, loss: str) -> tuple[pd.DataFrame, list[str]]:
    """Return the runs of the systems in which none failed, and what is said about the others."""
    failed = runs.frame[loss].isna()
    if not failed.any():
        return runs.frame, []
    counts = runs.frame.loc[failed, "method"].value_counts()
    what = "are not in the table" if runs.compositions == "none" else "failed"
    n_systems = runs.frame.loc[failed, "system"].nunique()
    said = f"{int(failed.sum())} of {len(failed)} runs {what}, in {n_systems} of {runs.n_systems} systems ("
    said += ", ".join(f"{counts.get(m, 0)} with {m}" for m in (runs.a, runs.b)) + ")"
    kept = runs.frame[~runs.frame["system"].isin(runs.frame.loc[failed, "system"])]
    if kept.empty:
        raise StudyError(f"{said}: no system is left")
    if runs.design == "paired":
        tail = "Such systems are left out: the effect is that in systems that run with both methods."
    else:
        tail = "Such systems are left out, so that the two groups may differ in more than the method."
    return kept, [f"{said}. {tail}"]


# --- individual effects: a method in one system, on the same train-test compositions ----------------------------------


def individual_effects(runs: Runs, loss: str | None = None) -> pd.DataFrame:
    """Return the measured effect in each system: a minus b, averaged over its compositions (Eq. 8).

    Parameters
    ----------
    runs : Runs
        Paired.
    loss : str, optional

    Returns
    -------
    DataFrame
        ``system``, ``effect``, ``n_compositions``, and the variables that a system keeps.
    """
    effects = effects_of_systems(effects_of_pairs(runs, loss)).drop(columns="size")
    return effects.merge(runs.systems(), on="system", how="left")


def effects_of_pairs(runs: Runs, loss: str | None = None) -> pd.DataFrame:
    """Return the effect on each train-test composition of each system."""
    if runs.design != "paired":
        raise StudyError("individual effects need paired runs: each system under both methods")
    loss = runs.check_loss(loss)
    frame, _ = without_failures(runs, loss)
    wide = frame.pivot(index=["system", "composition"], columns="method", values=loss)
    a, b = wide[runs.a].to_numpy(float), wide[runs.b].to_numpy(float)
    size = np.where(a == b, 0.0, np.maximum(np.abs(a), np.abs(b)))
    return pd.DataFrame({"effect": a - b, "size": size}, index=wide.index).reset_index()


def effects_of_systems(pairs: pd.DataFrame) -> pd.DataFrame:
    """Average the effects of `effects_of_pairs` over the compositions of each system."""
    grouped = pairs.groupby("system", sort=True)
    return grouped.agg(effect=("effect", "mean"), n_compositions=("effect", "size"), size=("size", "max")).reset_index()


@dataclass(frozen=True)
class Heterogeneity:
    """Result of `heterogeneity`, which says what is in it."""

    mean: float
    sd: float
    share_opposite: float
    n_systems: int


def heterogeneity(runs: Runs, loss: str | None = None) -> Heterogeneity:
    """Describe how the individual effects are distributed.

    Parameters
    ----------
    runs : Runs
        Paired.
    loss : str, optional

    Returns
    -------
    Heterogeneity
        ``mean`` and ``sd`` of the measured effects, with the noise of finite test sets and of the compositions;
        ``share_opposite`` of systems whose measured effect has the other sign than the mean; ``n_systems``.
    """
    effects = effects_of_systems(effects_of_pairs(runs, loss))
    values = np.where(negligible(effects["effect"], effects["size"]), 0.0, effects["effect"])
    mean = float(values.mean())
    return Heterogeneity(
        mean=mean, sd=float(values.std(ddof=1)), share_opposite=float(np.mean(values * mean < 0)), n_systems=len(values)
    )
