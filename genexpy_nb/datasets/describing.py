"""What a frame of results says of itself: how it was read, and the study that fits it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd


def described(
    frame: pd.DataFrame, form: str, sentence: str, notes: Sequence[str] = (), roles: Mapping[str, Any] | None = None
) -> pd.DataFrame:
    """Return the frame with ``attrs``: ``format``, ``read_as`` and ``notes``; where they are known, ``roles``, the
    arguments of the study that fits, and ``call``, the same for people.
    """
    frame.attrs = {"format": form, "read_as": "; ".join([sentence, *notes]), "notes": list(notes)}
    if roles is not None:
        said = {key: str(v) if isinstance(v, bool) else json.dumps(v, ensure_ascii=False) for key, v in roles.items()}
        words = ", ".join(f"{key}={value}" for key, value in said.items())
        frame.attrs |= {"roles": dict(roles), "call": f"gx.Study(results, {words})"}
    return frame


def number_repeats(frame: pd.DataFrame, key: Sequence[str]) -> pd.DataFrame:
    """Return the frame with a column ``run``, 1 for the first row of a key, if some key stands in several rows."""
    if frame.empty:
        return frame
    run = frame.groupby(list(key), dropna=False).cumcount() + 1
    return frame.assign(run=run) if (run > 1).any() else frame


def study_roles(
    frame: pd.DataFrame,
    *,
    alternatives: str,
    target: str,
    generalize_over: str,
    fix: Sequence[str] = (),
    design: Sequence[str] = (),
    average: Sequence[str] = (),
    higher_is_better: str | None = None,
) -> tuple[dict[str, Any], list[str]]:
    """Return the arguments of the `genexpy_nb.Study` that fits a tidy frame, and what it leaves out."""
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
    if fixed:
        words["fixed"] = fixed
    if higher_is_better is not None and len(rows) and not rows[higher_is_better].fillna(True).astype(bool).all():
        words["higher_is_better"] = False
    levels = " and ".join(f"{key} {value!r}" for key, value in fixed.items())
    notes = [f"the study in attrs['call'] takes {levels}"] if fixed else []
    sizes = {column: (rows[column].nunique(), frame[column].nunique()) for column in (generalize_over, alternatives)}
    few = [f"{n} of {n_all} levels of {column!r}" for column, (n, n_all) in sizes.items() if n < n_all]
    if few:
        notes[0] += f", which only {' and '.join(few)} have"
    return words, notes
