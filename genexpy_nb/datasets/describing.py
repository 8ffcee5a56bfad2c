"""What a frame of results says of itself: how it was read, and the study that fits it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pandas as pd

__all__ = ["described", "number_repeats", "study_call"]


def described(
    frame: pd.DataFrame, form: str, sentence: str, notes: Sequence[str] = (), call: str | None = None
) -> pd.DataFrame:
    """Return the frame with ``attrs``: ``format``, ``read_as`` (the sentence and the notes), ``notes``, maybe ``call``.

    Examples
    --------
    >>> described(pd.DataFrame({"a": [1]}), "CSV", "CSV, 1 row", ["column 2 was left out"]).attrs["read_as"]
    'CSV, 1 row; column 2 was left out'
    """
    frame.attrs = {"format": form, "read_as": "; ".join([sentence, *notes]), "notes": list(notes)}
    if call is not None:
        frame.attrs["call"] = call
    return frame


def number_repeats(frame: pd.DataFrame, key: Sequence[str]) -> pd.DataFrame:
    """Return the frame with a column ``run``, 1 for the first row of a key, if some key stands in several rows.

    Examples
    --------
    >>> number_repeats(pd.DataFrame({"a": [1, 1, 2]}), ["a"])["run"].tolist()
    [1, 2, 1]
    """
    run = frame.groupby(list(key), dropna=False).cumcount() + 1
    return frame.assign(run=run) if (run > 1).any() else frame


def study_call(
    frame: pd.DataFrame,
    *,
    alternatives: str,
    target: str,
    generalize_over: str,
    fix: Sequence[str] = (),
    design: Sequence[str] = (),
    average: Sequence[str] = (),
    higher_is_better: str | None = None,
) -> tuple[str, list[str]]:
    """Return the call of `genexpy_nb.Study` that fits a tidy frame called ``results``, and what it leaves out.

    Parameters
    ----------
    frame : DataFrame
    alternatives, target, generalize_over : str
        Columns.
    fix : sequence of str
        Columns of which one level is taken, the one with the most evaluations (the first of several).
    design : sequence of str
        Columns that become design factors if they vary within an evaluation.
    average : sequence of str
        Columns to average over if they vary within an evaluation.
    higher_is_better : str, optional
        A column that says the direction.

    Examples
    --------
    >>> frame = pd.DataFrame({"model": ["a", "b"], "task": ["t", "t"], "metric": ["acc", "acc"], "score": [1.0, 0.5]})
    >>> study_call(frame, alternatives="model", target="score", generalize_over="task", fix=["metric"])
    ('gx.Study(results, alternatives="model", target="score", generalize_over="task")', [])
    """
    rows, fixed = frame, {}
    cell = [alternatives, generalize_over]
    for column in fix:
        if rows[column].nunique() > 1:
            sizes = rows.drop_duplicates([*cell, column]).groupby(column, sort=False).size()
            fixed[column] = sizes.idxmax()
            rows = rows[rows[column] == fixed[column]]
    roles: dict[str, list[str]] = {"design": [], "average_over": []}
    for role, columns in (("design", design), ("average_over", average)):
        for column in columns:
            if column in rows and (rows.groupby(cell, dropna=False)[column].nunique() > 1).any():
                roles[role].append(column)
    words: dict[str, Any] = {"alternatives": alternatives, "target": target, "generalize_over": generalize_over}
    words |= {role: columns for role, columns in roles.items() if columns}
    text = [f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in words.items()]
    if fixed:
        text.append(f"fixed={json.dumps(fixed, ensure_ascii=False)}")
    if higher_is_better is not None and len(rows) and not rows[higher_is_better].fillna(True).astype(bool).all():
        text.append("higher_is_better=False")
    levels = " and ".join(f"{key} {value!r}" for key, value in fixed.items())
    notes = [f"the study in attrs['call'] takes {levels}"] if fixed else []
    sizes = {column: (rows[column].nunique(), frame[column].nunique()) for column in (generalize_over, alternatives)}
    few = [f"{n} of {n_all} levels of {column!r}" for column, (n, n_all) in sizes.items() if n < n_all]
    if few:
        notes[0] += f", which only {' and '.join(few)} have"
    return f"gx.Study(results, {', '.join(text)})", notes
