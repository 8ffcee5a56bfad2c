"""Frames as tables that people read: words for heads, few digits, intervals in one cell, no row numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from numbers import Integral
from typing import Any

import pandas as pd

from genexpy_nb.common import page
from genexpy_nb.common.checks import check_columns, check_count
from genexpy_nb.common.page_tables import MISSING, written_number

#: Rows up to which a page offers a whole table as CSV; of a longer one, those that are shown.
MOST_ROWS = 1000

#: Head of a table, and which column of a frame stands under it: pairs, where a head may stand twice, or a dictionary.
Columns = Mapping[str, str | Iterable[str]] | Iterable[tuple[str, str | Iterable[str]]]


def readable(
    frame: pd.DataFrame, columns: Columns, most: int = 20, forms: Mapping[str, Callable[[Any], str]] | None = None
) -> pd.DataFrame:
    """Choose columns of a frame and write them as people read them."""
    check_count("most", most)
    pairs = columns.items() if isinstance(columns, Mapping) else columns
    parts = [(head, [names] if isinstance(names, str) else list(names)) for head, names in pairs]
    check_columns(frame, list(dict.fromkeys(name for _, names in parts for name in names)), "the table")
    shown = frame.head(most).copy()
    for name, form in (forms or {}).items():
        shown[name] = shown[name].map(form, na_action="ignore")
    texts = [[_cell(row) for row in shown[names].itertuples(index=False, name=None)] for _, names in parts]
    heads = [head for head, _ in parts]
    table = pd.DataFrame(dict(enumerate(texts[1:])), index=pd.Index(texts[0], name=heads[0], dtype=object))
    table.columns = pd.Index(heads[1:], dtype=object)
    return table


def show_readable(
    frame: pd.DataFrame,
    columns: Columns,
    name: str,
    caption: str,
    *,
    most: int = 20,
    whole: str = "",
    forms: Mapping[str, Callable[[Any], str]] | None = None,
) -> None:
    """Show the first rows of a frame as a numbered table, with the values in full precision behind it."""
    shown = readable(frame, columns, most, forms)
    fits = len(frame) <= MOST_ROWS
    if len(frame) > most:
        places = [*[whole] * bool(whole), *["the CSV here"] * fits]
        caption += f" {most:,} of {len(frame):,} rows{'; all are in ' * bool(places)}{' and in '.join(places)}."
    headers = {head: head for head in [shown.index.name, *shown.columns]}  # a user's name may hold anything
    page.show_table(shown, name, caption, headers, csv=frame if fits else frame.head(most))


def _cell(values: tuple[Any, ...]) -> str:
    texts = [_text(value) for value in values]
    if len(texts) == 1:
        return texts[0]
    interval = f"[{texts[-2]}, {texts[-1]}]"
    if len(texts) == 2:
        return MISSING if set(texts) == {MISSING} else interval
    return texts[0] if texts[1:] == [MISSING, MISSING] else f"{texts[0]} {interval}"


def _text(value: Any) -> str:
    """Return a value as one would write it: three digits, a dash for what is missing."""
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value))
    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return MISSING
    if isinstance(value, bool) or type(value).__name__ == "bool":
        return "yes" if value else "no"
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, Integral):
        return f"{value:,}".replace("-", "−")
    return str(value)


def _number(value: float) -> str:
    """Return a number with three digits that count, as `written_number` writes it."""
    if not math.isfinite(value) or value.is_integer() or abs(value) >= 1000:
        return written_number(value, 0)
    text = f"{value:.3g}"
    return written_number(value, 0) if "e" in text else text.replace("-", "−")
