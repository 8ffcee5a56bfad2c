"""Tables for people: headers in words, digits that mean something, and HTML that says what is a head of what."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial
from html import escape
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from genexpy_nb.common.errors import ParameterError

MISSING = "–"  # stands where a table has no value
_HUGE = 1e15  # a number from there on is written with a power of ten
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

#: How values of a column are written: digits after the point, a format such as ``"{:.0%}"``, or a function to text.
Form = int | str | Callable[[Any], str]


def written_number(value: float | None, decimals: int = 2) -> str:
    """Return a number as a table shows it: with a true minus sign, thousands apart, and nothing like ``1.2e-15``."""
    if value is None or math.isnan(value):
        return MISSING
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if abs(value) >= _HUGE:
        return _with_power(value)
    text = f"{value:,.{decimals}f}"
    if not text.strip("-0.,"):  # it reads as nothing
        text = text.lstrip("-")
        if value:
            exponent = int(f"{value:.1e}".partition("e")[2])
            text = f"{value:.{1 - exponent}f}" if exponent >= -5 else _with_power(value)
    return text.replace("-", "−")


def _with_power(value: float) -> str:
    mantissa, _, exponent = f"{value:.1e}".partition("e")
    return f"{mantissa} × 10{str(int(exponent)).translate(_SUPERSCRIPTS)}".replace("-", "−")


def for_people(
    frame: pd.DataFrame, headers: Mapping[Hashable, str] | None = None, forms: Mapping[Hashable, Form] | None = None
) -> pd.DataFrame:
    """Return a table whose cells are text, with headers in words."""
    headers, forms = dict(headers or {}), dict(forms or {})
    levels = [level for level in frame.index.names if level is not None]
    groups = [label for column in frame.columns if isinstance(column, tuple) for label in column]
    known = [*levels, *frame.columns, *groups]
    for what, given in (("headers", headers), ("forms", forms)):
        if unknown := [column for column in given if column not in known]:
            has = ", ".join(map(repr, dict.fromkeys(known)))
            raise ParameterError(f"{what}: the table has no column {unknown[0]!r}; it has {has}")
    texts = [_texts(frame.iloc[:, i], _form(column, forms)) for i, column in enumerate(frame.columns)]
    shown = pd.DataFrame(dict(enumerate(texts)), index=frame.index)
    shown.columns = pd.Index([_header(column, headers) for column in frame.columns])
    if levels:
        heads = [
            _texts(frame.index.get_level_values(i).to_series(), forms.get(n)) for i, n in enumerate(frame.index.names)
        ]
        names = [_header(level, headers) if level is not None else None for level in frame.index.names]
        shown.index = (
            pd.Index(heads[0], name=names[0]) if len(heads) == 1 else pd.MultiIndex.from_arrays(heads, names=names)
        )
    return shown


def html_table(shown: pd.DataFrame) -> str:
    """Return a table of texts as HTML; whatever they hold is escaped."""
    named = any(name is not None for name in shown.index.names)
    lines = ["<table>", "<thead>", *_head(shown, named), "</thead>", "<tbody>"]
    before: tuple[str, ...] = ()
    for key, values in zip(shown.index, shown.to_numpy(), strict=True):
        labels = (tuple(map(str, key)) if isinstance(key, tuple) else (str(key),)) if named else ()
        heads = [
            "<td></td>" if again else f'<th scope="row">{escape(label)}</th>'
            for level, label in enumerate(labels)
            for again in [level < len(labels) - 1 and before[: level + 1] == labels[: level + 1]]
        ]
        lines.append(f"<tr>{''.join(heads)}{''.join(f'<td>{escape(str(value))}</td>' for value in values)}</tr>")
        before = labels
    return "\n".join([*lines, "</tbody>", "</table>"])


def _head(shown: pd.DataFrame, named: bool) -> Iterator[str]:
    """The rows of heads: one for each level of the columns; heads of the index span all of them."""
    columns = [column if isinstance(column, tuple) else (column,) for column in shown.columns]
    depth = max(map(len, columns), default=1)
    rows = f' rowspan="{depth}"' if depth > 1 else ""
    for level in range(depth):
        names = shown.index.names if named and level == 0 else ()
        heads = [f'<th scope="col"{rows}>{escape(str(name))}</th>' for name in names]
        for key, same in groupby(columns, key=itemgetter(slice(level + 1))):
            width = len(list(same))
            scope = f'scope="colgroup" colspan="{width}"' if level < depth - 1 and width > 1 else 'scope="col"'
            heads.append(f"<th {scope}>{escape(str(key[-1]))}</th>" if key[-1] else "<td></td>")
        yield f"<tr>{''.join(heads)}</tr>"


def _form(column: Hashable, forms: Mapping[Hashable, Form]) -> Form | None:
    """Of a column, or of the last of its labels for which something is said."""
    labels = [column, *(reversed(column) if isinstance(column, tuple) else ())]
    return next((forms[label] for label in labels if label in forms), None)


def _header(column: Hashable, headers: Mapping[Hashable, str]) -> str | tuple[str, ...]:
    if column not in headers and isinstance(column, tuple):
        return tuple(str(_header(label, headers)) for label in column)
    header = str(headers.get(column, column))
    if column not in headers and "_" in header:
        raise ParameterError(f"headers: say in words what the column {header!r} holds")
    return header


def _texts(values: pd.Series, form: Form | None) -> list[str]:
    write = _writer(values, form)
    return [MISSING if missing else write(value) for value, missing in zip(values, values.isna(), strict=True)]


def _writer(values: pd.Series, form: Form | None) -> Callable[[Any], str]:
    """What turns a value of a column into text."""
    if callable(form):
        return form
    if isinstance(form, str):
        text = form
        return lambda value: text.format(value).replace("-", "−")
    if form is None and (is_bool_dtype(values) or not is_numeric_dtype(values)):
        return _text
    whole = bool((values.dropna() % 1 == 0).all())
    return partial(written_number, decimals=form if form is not None else 0 if whole else 2)


def _text(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, float):
        return written_number(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(_text, value))
    return str(value)
