"""What an analysis does about runs that failed: leave their systems out, refuse, or count them with some loss."""

from __future__ import annotations

from math import isfinite
from numbers import Real

import pandas as pd

from genexpy_nb.causal.runs import Runs
from genexpy_nb.common.checks import suggest
from genexpy_nb.common.errors import ParameterError, StudyError

__all__ = ["treat_failures"]


def treat_failures(runs: Runs, loss: str, failures: str | float) -> tuple[pd.DataFrame, list[str]]:
    """Return the runs that an analysis uses, all with a loss, and what was done about those without.

    Parameters
    ----------
    runs : Runs
    loss : str
        Name of the loss.
    failures : {"drop", "error"} or float
        Leave out the systems with a failed run, refuse, or take a number for the loss of a failed run.

    Returns
    -------
    frame : DataFrame
        Rows of ``runs.frame``.
    notes : list of str
        Empty, or one sentence or two.

    Raises
    ------
    ParameterError
        If ``failures`` is neither of the words nor a finite number.
    StudyError
        If runs failed and ``failures="error"``, or no system is left.

    Examples
    --------
    >>> from genexpy_nb.causal.runs import from_results
    >>> table = pd.DataFrame({"tuned": ["no", "yes", "no"], "dataset": list("uuv"), "loss": [0.7, 0.8, 0.6]})
    >>> frame, notes = treat_failures(from_results(table, "tuned", "yes", "no", ["dataset"], ["loss"]), "loss", 1)
    >>> frame["loss"].tolist()
    [0.8, 0.7, 1.0, 0.6]
    >>> notes[0]
    '1 of 4 runs are not in the table, in 1 of 2 systems (1 with yes, 0 with no); each counts with the loss 1.'
    """
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
