"""Frames as tables that people read: words for heads, few digits, intervals in one cell, no row numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

import pandas as pd

from genexpy_nb.common.checks import check_columns, check_count

__all__ = ["Table", "readable"]

NOTHING = "–"


class Table:
    """A frame of texts with a note below, shown as a table in notebooks and on pages.

    Parameters
    ----------
    frame : DataFrame of str
        What is shown; its columns are the heads.
    note : str
        A sentence below the table, may be empty.

    Examples
    --------
    >>> print(Table(pd.DataFrame({"model": ["a<b"]}), "1 of 9 rows.")._repr_html_().count("a&lt;b"))
    1
    """

    def __init__(self, frame: pd.DataFrame, note: str = "") -> None:
        self.frame, self.note = frame, note

    def _repr_html_(self) -> str:
        heads = "".join(f'<th scope="col">{escape(str(name))}</th>' for name in self.frame.columns)
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>\n"
            for row in self.frame.itertuples(index=False, name=None)
        )
        table = f"<table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>"
        return table + (f"\n<p>{escape(self.note)}</p>" if self.note else "")

    def __repr__(self) -> str:
        text = self.frame.to_string(index=False, max_colwidth=60)
        return f"{text}\n{self.note}" if self.note else text


def readable(frame: pd.DataFrame, columns: Mapping[str, str | Iterable[str]], most: int = 20, whole: str = "") -> Table:
    """Choose columns of a frame and write them as people read them.

    Parameters
    ----------
    frame : DataFrame
        Tidy.
    columns : mapping of str to str or iterable of str
        Head of the table, and which column stands under it. Three columns are an estimate with the ends of its
        interval: ``32.4 [28.1, 36.0]``; two are the ends alone.
    most : int
        Rows to show, the first ones.
    whole : str
        File that holds all rows, named below the table if rows are left out.

    Returns
    -------
    Table

    Raises
    ------
    StudyError
        If a column is missing.
    ParameterError
        If `most` is no count.

    Examples
    --------
    >>> frame = pd.DataFrame({"m": ["a", "b"], "nstar": [32.41, math.inf], "low": [28.06, 80], "high": [36, math.nan]})
    >>> readable(frame, {"model": "m", "n*": ("nstar", "low", "high")}, most=1, whole="nstar.csv")
    model              n*
        a 32.4 [28.1, 36]
    1 of 2 rows; all are in nstar.csv.
    """
    check_count("most", most)
    parts = {head: [name] if isinstance(name, str) else list(name) for head, name in columns.items()}
    check_columns(frame, [name for names in parts.values() for name in names], "the table")
    shown = frame.head(most)
    texts = {
        head: [_cell(row) for row in shown[names].itertuples(index=False, name=None)] for head, names in parts.items()
    }
    note = ""
    if len(frame) > most:
        note = f"{most:,} of {len(frame):,} rows{f'; all are in {whole}' if whole else ''}."
    return Table(pd.DataFrame(texts, columns=list(parts)), note)


def _cell(values: tuple[Any, ...]) -> str:
    texts = [_text(value) for value in values]
    if len(texts) == 1:
        return texts[0]
    interval = f"[{texts[-2]}, {texts[-1]}]"
    if len(texts) == 2:
        return NOTHING if set(texts) == {NOTHING} else interval
    return texts[0] if texts[1:] == [NOTHING, NOTHING] else f"{texts[0]} {interval}"


def _text(value: Any) -> str:
    """Return a value as one would write it: three digits, a dash for what is missing."""
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value))
    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return NOTHING
    if isinstance(value, bool) or type(value).__name__ == "bool":
        return "yes" if value else "no"
    if isinstance(value, float):
        if math.isinf(value):
            return "∞" if value > 0 else "−∞"
        if value.is_integer() and abs(value) < 1e15:
            return f"{value:,.0f}"
        return f"{value:,.0f}" if 1000 <= abs(value) < 1e15 else f"{value:.3g}"
    if isinstance(value, int):
        return f"{value:,}"
    return str(value)
