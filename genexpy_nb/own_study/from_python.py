"""The page of a study that was made in Python: its table is written to a file, which the notebook reads again."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from genexpy_nb.common.errors import GenexpyError, ParameterError, os_error
from genexpy_nb.common.files import write_atomically
from genexpy_nb.generalization.contract import as_kernels
from genexpy_nb.generalization.kernels import Kernel
from genexpy_nb.own_study.own_kernels import kernel_as_text
from genexpy_nb.own_study.request import StudyRequest
from genexpy_nb.study.answers import Answers
from genexpy_nb.study.study import Study


def report(
    study: Study,
    path: str | os.PathLike,
    *,
    alpha: float = 0.95,
    delta: float = 0.05,
    level: float = 0.05,
    confidence: float = 0.95,
    configuration: Mapping[str, Any] | None = None,
    alternative: Any = None,
    budget: int | None = None,
    title: str = "",
    kernels: Kernel | Iterable[Kernel] | None = None,
    rank_incomplete: bool = False,
) -> Path:
    """Write a page that says what a study found and how far it can be trusted: figures, tables, sentences.

    Parameters
    ----------
    study : Study
    path : path-like
        The HTML file; one that is there is replaced. It needs no network and no other file.
    alpha, delta, level, confidence, configuration, alternative, budget, rank_incomplete
        See `genexpy_nb.Answers`.
    title : str
        Of the page.
    kernels : kernel or list of kernels, optional
        What is asked, as in `genexpy_nb.Answers`. Kernels of your own are dataclasses in a file of their own
        (CONTRIBUTING.md), since another process makes the page.

    Returns
    -------
    Path
        Where the page is.

    Notes
    -----
    The page is notebook 09, executed on this study; it takes some ten seconds, and the extra ``reports``. The command
    ``genexpy-nb study`` makes the same page of a file, and beside it the executed notebook, all tables as CSV, the main
    ones as LaTeX.

    Examples
    --------
    >>> report(study, "mine.html", alternative="OHE")  # doctest: +SKIP
    PosixPath('/home/me/mine.html')
    """
    from genexpy_nb.own_study.page import make_page  # needs the extra "reports", which the front door does not

    path = Path(path).expanduser().absolute()
    if path.suffix.lower() not in (".html", ".htm"):
        raise ParameterError(f"path must end in .html, got {path.name!r}")
    if path.is_dir() or not path.parent.is_dir():
        raise ParameterError(f"path must name a file in a folder that is there, got {str(path)!r}")
    if not isinstance(configuration, Mapping | None):
        raise ParameterError(f"configuration must be a dictionary of levels, got {type(configuration).__name__}")
    asked = Answers(
        study, kernels, alpha, delta, level, configuration, alternative, budget, confidence, rank_incomplete
    )  # says what does not fit
    table, roles = as_table(study)
    options: dict[str, Any] = {"alpha": alpha, "delta": delta, "level": level, "confidence": confidence}
    options |= {"budget": budget or 0, "rank_incomplete": rank_incomplete}
    options["configuration"] = tuple(f"{column}={level}" for column, level in (configuration or {}).items())
    options["alternative"] = "" if alternative is None else str(alternative)
    options["kernels"] = () if kernels is None else tuple(map(kernel_as_text, as_kernels(kernels)))
    with tempfile.TemporaryDirectory(prefix="genexpy-nb-") as folder:
        file = Path(folder, "results.parquet")
        write_table(table, file)
        request = StudyRequest(str(file), **roles, missing=study.missing, max_size="1TB", **options)  # it was in memory
        request.study(request.read())  # what does not fit is said before a kernel starts
        heading = title or f"Your own study: {study.target}"
        shown = request.parameters(folders=False)
        made = make_page(request.parameters(), path.stem, heading, asked.question, shown=shown)
    if made.problem or made.html is None:
        raise GenexpyError(f"the page could not be made: {made.problem}")
    try:
        write_atomically(path, made.html)
    except OSError as error:
        raise GenexpyError(f"{path}: {os_error(error)}") from None
    return path


def as_table(study: Study) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the table that a study was made from, with the columns that have a role, and the roles as options."""
    table, targets = study.table(), study.targets
    higher = study.higher_is_better
    directed = {t: "higher" if higher[t] else "lower" for t in targets} if isinstance(higher, Mapping) else {}
    roles: dict[str, Any] = {
        "alternatives": (study.alternatives_column,),
        "target": tuple(f"{name}={directed[name]}" for name in targets) if directed else tuple(targets),
        "higher_is_better": "" if directed else "higher" if higher else "lower",
        "over": tuple(study.within_clusters or study.generalize_over),
        "cluster": study.cluster or "",
        "design": tuple(name for name in study.design if not directed or name != "metric"),
        "average": tuple(study.average_over),
        "fixed": tuple(f"{column}={level}" for column, level in study.fixed.items()),
    }
    return table.rename(columns=str), roles


def write_table(table: pd.DataFrame, file: Path) -> None:
    """Write a table as parquet; labels of several types in one column become text."""
    try:
        table.to_parquet(file, index=False)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        table.astype(dict.fromkeys(table.select_dtypes("object"), "string")).to_parquet(file, index=False)
