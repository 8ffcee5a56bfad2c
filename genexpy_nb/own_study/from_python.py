"""The page of a study that was made in Python: its table is written to a file, which the notebook reads again."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa

from genexpy_nb.common.checks import check_count, check_level, check_number
from genexpy_nb.common.errors import GenexpyError, ParameterError, os_error
from genexpy_nb.common.files import write_atomically
from genexpy_nb.generalization.kernels import as_kernels
from genexpy_nb.own_study.own_kernels import kernel_as_text
from genexpy_nb.own_study.page import make_page
from genexpy_nb.own_study.request import StudyRequest
from genexpy_nb.study.answers import answers

if TYPE_CHECKING:
    from genexpy_nb.study.study import Study


def write_report(study: Study, path: str | os.PathLike, title: str = "", **wanted: Any) -> Path:
    """Write the page of a study."""
    path = Path(path).expanduser().absolute()
    if path.suffix.lower() not in (".html", ".htm"):
        raise ParameterError(f"path must end in .html, got {path.name!r}")
    if path.is_dir() or not path.parent.is_dir():
        raise ParameterError(f"path must name a file in a folder that is there, got {str(path)!r}")
    table, roles = as_table(study)
    with tempfile.TemporaryDirectory(prefix="genexpy-nb-") as folder:
        file = Path(folder, "results.parquet")
        write_table(table, file)
        request = StudyRequest(str(file), **roles, missing=study.missing, **_options(study, wanted))
        request.study(request.read())  # what does not fit is said before a kernel starts
        parameters = request.parameters()
        made = make_page(parameters, path.stem, title or f"Your own study: {study.target}", answers(study).question)
    if made.problem or made.html is None:
        raise GenexpyError(f"the page could not be made: {made.problem}")
    try:
        write_atomically(path, made.html)
    except OSError as error:
        raise GenexpyError(f"{path}: {os_error(error)}") from None
    return path


def _options(study: Study, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is asked for as the command line would give it."""
    options = {name: value for name, value in wanted.items() if value is not None}
    check_level("alpha", options["alpha"])
    check_number("delta", options["delta"], 0, 1, ends="(]")
    check_level("level", options["level"])
    check_count("budget", options.get("budget", 0), at_least=0)
    configuration = options.pop("configuration", None) or {}
    if not isinstance(configuration, Mapping):
        raise ParameterError(f"configuration must be a dictionary of levels, got {type(configuration).__name__}")
    if configuration:
        study.rankings(configuration)  # says what is wrong with it
    if "kernels" in options:
        options["kernels"] = tuple(map(kernel_as_text, as_kernels(options["kernels"])))
    options["configuration"] = tuple(f"{column}={level}" for column, level in configuration.items())
    if "alternative" in options:
        if options["alternative"] not in study.alternatives:
            raise ParameterError(f"alternative must be one of the study's, got {options['alternative']!r}")
        options["alternative"] = str(options["alternative"])
    return options


def as_table(study: Study) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the table that a study was made from, with the columns that have a role, and the roles as options."""
    table, targets = study.table(), study.targets
    higher, factor = study.higher_is_better, None
    if isinstance(higher, Mapping) and targets == [study.target]:
        # metrics as levels of a factor: a column each, as options can say it
        factor = next(name for name in study.design if set(higher) >= set(table[name].dropna()))
        keys = [name for name in table.columns if name not in (factor, study.target)]
        table = table.pivot(index=keys, columns=factor, values=study.target).reset_index()
        targets = list(higher)
    directed = {t: "higher" if higher[t] else "lower" for t in targets} if isinstance(higher, Mapping) else {}
    roles: dict[str, Any] = {
        "alternatives": (study.alternatives_column,),
        "target": tuple(f"{name}={directed[name]}" for name in targets) if directed else tuple(targets),
        "higher_is_better": "" if directed else "higher" if higher else "lower",
        "over": tuple(study.within_clusters or study.generalize_over),
        "cluster": study.cluster or "",
        "design": tuple(name for name in study.design if name not in (factor, "metric" if directed else factor)),
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
