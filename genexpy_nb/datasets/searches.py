"""The results of scikit-learn's hyperparameter searches, one row per candidate, split and metric."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import listed
from genexpy_nb.common.errors import DataError
from genexpy_nb.datasets.describing import described, study_roles

_SPLIT = re.compile(r"split(\d+)_test_(.+)")


def is_search(columns: Iterable[Any]) -> bool:
    """Return whether these are the keys of a ``cv_results_``."""
    names = [name for name in columns if isinstance(name, str)]
    has_parameters = any(name == "params" or name.startswith("param_") for name in names)
    return has_parameters and any(name.startswith("mean_test_") for name in names)


def read_search(results: Mapping[str, Any] | pd.DataFrame, name: str, read: str = "") -> pd.DataFrame:
    """Return the test scores of a ``cv_results_``, one row per candidate, split and metric."""
    columns = {key: results[key] for key in results}
    lengths = {len(column) for column in columns.values()}
    if len(lengths) != 1 or lengths == {0}:
        raise DataError(f"{name}: the entries of cv_results_ have different lengths or none: {sorted(lengths)}")
    splits = [(key, match) for key in columns if (match := _SPLIT.fullmatch(str(key)))]
    if not splits:
        raise DataError(f"{name} looks like cv_results_, but has no split0_test_... column: means cannot be compared")
    about = {"candidate": _candidates(columns)}
    for key in ("iter", "n_resources"):
        if key in columns:
            about[key] = list(np.asarray(columns[key]))
    about["candidate"] = _distinct(about["candidate"], about.get("iter"))
    parts = [
        pd.DataFrame({**about, "split": int(match[1]), "metric": match[2], "score": _scores(columns[key], key, name)})
        for key, match in splits
    ]
    frame = pd.concat(parts, ignore_index=True)
    roles, left_out = study_roles(
        frame,
        alternatives="candidate",
        target="score",
        generalize_over="split",
        fix=["metric"],
        design=[key for key in ("iter",) if key in frame],
    )
    sizes = f"{frame['candidate'].nunique()} candidates, {frame['split'].nunique()} splits"
    sentence = f"cv_results_ of a scikit-learn search, {sizes}, metrics {listed(frame['metric'].unique())}"
    notes = ["scores of the training parts and times were left out", *left_out]
    notes.append("splits are of one dataset: a study of them tells about other splits of it, not about other data")
    if frame["score"].isna().any():
        notes.append(f"{frame['score'].isna().sum()} scores are missing: those fits failed")
    return described(frame, "scikit-learn cv_results_", sentence + (f"; {read}" if read else ""), notes, roles)


def _scores(values: Any, key: str, name: str) -> np.ndarray:
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"{name}: {key} of cv_results_ must hold numbers only: {error}") from error


def _candidates(columns: Mapping[str, Any]) -> list[str]:
    if "params" in columns:
        return [_named(params) for params in columns["params"]]
    names = [key for key in columns if key.startswith("param_")]
    rows = zip(*(list(columns[key]) for key in names), strict=True)
    return [
        _named({key.removeprefix("param_"): value for key, value in zip(names, row, strict=True) if not _absent(value)})
        for row in rows
    ]


def _absent(value: Any) -> bool:
    return value is np.ma.masked or (isinstance(value, float) and np.isnan(value))


def _named(params: Any) -> str:
    if isinstance(params, str):  # of a CSV file
        try:
            params = ast.literal_eval(params)
        except (ValueError, SyntaxError):  # an estimator's repr among the values
            return params.strip().removeprefix("{").removesuffix("}")
    if not isinstance(params, Mapping):
        return str(params)
    return ", ".join(f"{key}={' '.join(str(value).split())}" for key, value in params.items()) or "defaults"


def _distinct(candidates: list[str], iterations: list[Any] | None) -> list[str]:
    """Number the second and later of equal candidates within an iteration, as a randomized search may draw them."""
    seen: dict[tuple[str, Any], int] = {}
    names = []
    for position, candidate in enumerate(candidates):
        key = (candidate, iterations[position] if iterations is not None else None)
        seen[key] = seen.get(key, 0) + 1
        names.append(candidate if seen[key] == 1 else f"{candidate} (#{seen[key]})")
    return names
