"""Load the results tables of the case studies, with their columns, types and keys checked."""

from __future__ import annotations

import numpy as np
import pandas as pd

from genexpy_nb.common.checksums import parse_parquet
from genexpy_nb.common.errors import DataError, ParameterError
from genexpy_nb.datasets.locating import find, warn_of_fallback

# Key columns first; together they identify a row.
_SCHEMA: dict[str, dict[str, str]] = {
    "encoders": {
        **dict.fromkeys(("dataset", "model", "tuning", "scoring", "encoder"), "text"),
        **dict.fromkeys(("cv_score", "time"), "float"),
    },
    "bigbench": {
        "subtask_description": "text",
        "task_name": "text",
        "number_of_shots": "integer",
        "model_family_model_name": "text",
        "score_value": "float",
    },
}
_MEASURED = ("cv_score", "time", "score_value")  # what is not of the key
_IS_TYPE = {
    "text": pd.api.types.is_string_dtype,
    "integer": pd.api.types.is_integer_dtype,
    "float": pd.api.types.is_float_dtype,
}


def load_encoders(source: str = "auto") -> pd.DataFrame:
    """Load the cross-validated scores of categorical encoders.

    Parameters
    ----------
    source : {"auto", "original", "bundled"}
        The published table, this project's own results, or the published ones if they can be had within a few
        seconds and else, with a warning, the own ones.

    Returns
    -------
    DataFrame of shape (n_results, 7)
        Columns ``dataset``, ``model``, ``tuning``, ``scoring``, ``encoder`` (together the key), ``cv_score``
        (higher is better) and ``time`` (may be missing). ``attrs`` holds ``name``, ``source``
        (``"original"`` or ``"bundled"``), ``sha256`` and ``note``. The published table has 61,812 rows.

    Raises
    ------
    DataError
        If a file is missing, damaged or not of this schema; ``"original"`` also if it cannot be downloaded.
    ParameterError
        If ``source`` is unknown.

    References
    ----------
    The table of the encoder benchmark, github.com/DrCohomology/EncoderBenchmarking.

    Examples
    --------
    >>> encoders = load_encoders(source="bundled")
    >>> list(encoders.columns)
    ['dataset', 'model', 'tuning', 'scoring', 'encoder', 'cv_score', 'time']
    >>> encoders.attrs["source"]
    'bundled'
    """
    return _load("encoders", source)


def load_bigbench(source: str = "auto") -> pd.DataFrame:
    """Load the scores of language models on subtasks of BIG-bench, or, bundled, of few-shot classifiers.

    Parameters
    ----------
    source : {"auto", "original", "bundled"}
        As in `load_encoders`.

    Returns
    -------
    DataFrame of shape (n_results, 5)
        Columns ``subtask_description``, ``task_name``, ``number_of_shots``, ``model_family_model_name`` (together
        the key) and ``score_value`` (higher is better, can be negative). ``attrs`` as in `load_encoders`. The
        published table has 183,819 rows; its 12 infinite scores (evaluations that failed, all of the task
        ``training_on_test_set``) are missing values here, and the note says so.

    Raises
    ------
    DataError, ParameterError
        As in `load_encoders`.

    References
    ----------
    The BIG-bench case study of github.com/DrCohomology/genexpy.

    Examples
    --------
    >>> load_bigbench(source="bundled").columns[-1]
    'score_value'
    """
    frame = _load("bigbench", source)
    failed = np.isinf(frame["score_value"])
    if failed.any():
        frame["score_value"] = frame["score_value"].mask(failed)
        frame.attrs["note"] += f", {failed.sum()} infinite scores read as missing"
    return frame


def with_source_tables(encoders: pd.DataFrame) -> pd.DataFrame:
    """Add the table that each prediction task of the bundled encoder results was cut from.

    The 56 tasks come from 23 tables: another target, other columns or another sample of rows of one table is a related
    task, not an independent one. `genexpy_nb.Study` takes such a column as ``cluster``.

    Parameters
    ----------
    encoders : DataFrame
        As ``load_encoders("bundled")`` returns it, or rows of it.

    Returns
    -------
    DataFrame
        The same with the column ``table``, text: what stands before the colon in the name of the task.

    Raises
    ------
    ParameterError
        If these are not the bundled results. The published ones name their datasets by numbers, and do not say which
        are related.

    Examples
    --------
    >>> encoders = with_source_tables(load_encoders(source="bundled"))
    >>> encoders.loc[encoders["dataset"] == "iris:virginica", "table"].unique().tolist(), encoders["table"].nunique()
    (['iris'], 23)
    """
    parts = encoders["dataset"].str.partition(":") if "dataset" in encoders else pd.DataFrame({1: [""]})
    if not parts[1].eq(":").all():
        raise ParameterError(
            "encoders must be the bundled results, load_encoders(source='bundled'): only their datasets are named "
            "after the table that they were cut from"
        )
    return encoders.assign(table=parts[0])


def _load(name: str, source: str) -> pd.DataFrame:
    located, content = find(name, source)
    warn_of_fallback(source, located, stacklevel=4)  # who called `load_encoders` or `load_bigbench`
    frame = parse_parquet(content, str(located.path))
    try:
        frame = _checked(frame, name)
    except DataError as error:
        raise DataError(f"{located.path}: {error}") from error
    frame.attrs = {"name": name, "source": located.source, "sha256": located.sha256, "note": located.note}
    return frame


def _checked(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return the columns of the schema, in its order, after checking columns, types and key."""
    schema = _SCHEMA[name]
    missing = [column for column in schema if column not in frame]
    if missing:
        raise DataError(f"columns {', '.join(missing)} are missing; there are {', '.join(map(str, frame))}")
    frame = frame[list(schema)]
    for column, kind in schema.items():
        if not _IS_TYPE[kind](frame[column]):
            raise DataError(f"column {column} must be of type {kind}, is {frame[column].dtype}")
    key = [column for column in schema if column not in _MEASURED]
    if frame[key].isna().any(axis=None):
        raise DataError(f"missing values in the key ({', '.join(key)})")
    repeated = frame.duplicated(key)
    if repeated.any():
        first = frame.loc[repeated, key].iloc[0].to_dict()
        raise DataError(f"{repeated.sum():,} rows repeat a key ({', '.join(key)}), first {first}")
    return frame
