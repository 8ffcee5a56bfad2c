"""What an analysis does about runs that failed: leave their systems out, refuse, or count them with some loss."""

from __future__ import annotations

from math import isfinite
from numbers import Real

import pandas as pd

from genexpy_nb.causal.runs import Runs
from genexpy_nb.common.checks import suggest
from genexpy_nb.common.errors import ParameterError, StudyError


def treat_failures(runs: Runs, loss: str, failures: str | float) -> tuple[pd.DataFrame, list[str]]:
    """Return the runs that an analysis uses, all with a loss, and what was done about those without."""
    imputed = _imputed(failures)
    failed = runs.frame[loss].isna()
    if not failed.any():
        return runs.frame, []
    said = _said(runs, failed)
    if imputed is not None:
        filled = runs.frame.assign(**{loss: runs.frame[loss].fillna(imputed)})
        return filled, [f"{said}; each counts with the loss {imputed:g}."]
    if failures == "error":
        first = runs.failed.iloc[0]
        raise StudyError(f"{said}, the first: system {first['system']}, {first['method']}: {first['error_message']}")
    kept = runs.frame[~runs.frame["system"].isin(runs.frame.loc[failed, "system"])]
    if kept.empty:
        raise StudyError(f"{said}: no system is left")
    if runs.design == "paired":
        tail = "Such systems are left out: the effect is that in systems that run with both methods."
    else:
        tail = "Such systems are left out, so that the two groups may differ in more than the method."
    return kept, [f"{said}. {tail}"]


def _imputed(failures: str | float) -> float | None:
    if isinstance(failures, Real) and not isinstance(failures, bool) and isfinite(failures):
        return float(failures)
    if failures not in ("drop", "error"):
        hint = suggest(failures, ("drop", "error"))
        raise ParameterError(f"failures must be 'drop', 'error' or a number, got {failures!r}{hint}")
    return None


def _said(runs: Runs, failed: pd.Series) -> str:
    counts = runs.frame.loc[failed, "method"].value_counts()
    what = "are not in the table" if runs.compositions == "none" else "failed"
    n_systems = runs.frame.loc[failed, "system"].nunique()
    said = f"{int(failed.sum())} of {len(failed)} runs {what}, in {n_systems} of {runs.n_systems} systems ("
    return said + ", ".join(f"{counts.get(m, 0)} with {m}" for m in (runs.a, runs.b)) + ")"
