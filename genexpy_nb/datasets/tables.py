"""Load the results tables of the case studies, with their columns, types and keys checked."""

from __future__ import annotations

import html
from dataclasses import dataclass

import numpy as np
import pandas as pd

from genexpy_nb.common.errors import DataError, ParameterError
from genexpy_nb.common.files import parse_parquet
from genexpy_nb.datasets.locating import find

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
    """Load the cross-validated scores of categorical encoders (github.com/DrCohomology/EncoderBenchmarking).

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

    Examples
    --------
    >>> encoders = load_encoders(source="bundled")
    >>> encoders.attrs["source"], list(encoders.columns)
    ('bundled', ['dataset', 'model', 'tuning', 'scoring', 'encoder', 'cv_score', 'time'])
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
        published table (github.com/DrCohomology/genexpy) has 183,819 rows; its 12 infinite scores, all of evaluations
        of ``training_on_test_set`` that failed, are missing values here, and the note says so.

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
    """Add the table that each bundled encoder task was cut from, the ``cluster`` of a `genexpy_nb.Study`.

    Parameters
    ----------
    encoders : DataFrame
        As ``load_encoders("bundled")`` returns it, or rows of it.

    Returns
    -------
    DataFrame
        The same with the column ``table``, text: what stands before the colon in the name of the task.

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
    located, content = find(name, source, stacklevel=4)  # of who called `load_encoders` or `load_bigbench`
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


@dataclass(frozen=True)
class Notice:
    """The origin of a table, as text, Markdown and HTML; from `notice`."""

    label: str
    text: str
    source: str

    def __str__(self) -> str:
        return f"{self.label}: {self.text}"

    def _repr_markdown_(self) -> str:
        return f"> **{self.label}:** {self.text}"

    def _repr_html_(self) -> str:
        label, text = html.escape(self.label), html.escape(self.text)
        return f'<p class="gx-source gx-{self.source}" role="note"><strong>{label}:</strong> {text}</p>'


def notice(frame: pd.DataFrame) -> Notice:
    """Say in one sentence where a loaded table comes from, for the top of a notebook or report.

    Parameters
    ----------
    frame : DataFrame
        From `load_encoders` or `load_bigbench`.

    Returns
    -------
    Notice
        Bundled results are labelled "Not the published table".

    Examples
    --------
    >>> str(notice(load_encoders(source="bundled"))).split(":")[0]
    'Not the published table'
    """
    missing = {"name", "source", "sha256", "note"} - set(frame.attrs)
    if missing:
        raise DataError(
            f"the frame's attrs lack {', '.join(sorted(missing))}: pass the frame as load_encoders or load_bigbench "
            "returned it"
        )
    origin = frame.attrs
    label = "Published table" if origin["source"] == "original" else "Not the published table"
    text = f"{origin['name']}, {len(frame):,} rows, {origin['note']} (SHA-256 {origin['sha256'][:12]}…)."
    return Notice(label, text, origin["source"])
