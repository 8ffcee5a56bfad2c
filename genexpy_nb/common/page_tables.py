"""Tables for people: heads in words, digits that mean something; as HTML that names its heads, and as LaTeX."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from html import escape
from itertools import groupby
from numbers import Integral
from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from genexpy_nb.common.checks import check_columns, check_count
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.prose import MISSING, as_latex, plain_line, visible, written_number

#: How values of a column are written: digits after the point, a format such as ``"{:.0%}"``, or a function to text.
Form = int | str | Callable[[Any], str]

#: Head of a table, and which columns of a frame stand under it: pairs, where a head may stand twice, or a dictionary.
Columns = Mapping[str, str | Iterable[str]] | Iterable[tuple[str, str | Iterable[str]]]

_MOST_IN_LATEX = 50  # rows
_FORMULA = re.compile(r"\A\s*[=+\-@]")
_PLAIN = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


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
        values = [frame.index.get_level_values(i).to_series() for i in range(frame.index.nlevels)]
        heads = [_texts(each, forms.get(name)) for each, name in zip(values, frame.index.names, strict=True)]
        names = [_header(level, headers) if level is not None else None for level in frame.index.names]
        shown.index = (
            pd.Index(heads[0], name=names[0]) if len(heads) == 1 else pd.MultiIndex.from_arrays(heads, names=names)
        )
    return shown


def readable(
    frame: pd.DataFrame, columns: Columns, most: int = 20, forms: Mapping[str, Callable[[Any], str]] | None = None
) -> pd.DataFrame:
    """Choose columns of a frame and write them as text: an estimate and its interval in one cell, aligned."""
    check_count("most", most)
    pairs = columns.items() if isinstance(columns, Mapping) else columns
    parts = [(head, [names] if isinstance(names, str) else list(names)) for head, names in pairs]
    check_columns(frame, list(dict.fromkeys(name for _, names in parts for name in names)), "the table")
    shown = frame.head(most).copy()
    for name, form in (forms or {}).items():
        shown[name] = shown[name].map(form, na_action="ignore")
    texts = [_in_line(shown[names]) for _, names in parts]
    heads = [head for head, _ in parts]
    table = pd.DataFrame(dict(enumerate(texts[1:])), index=pd.Index(texts[0], name=heads[0], dtype=object))
    table.columns = pd.Index(heads[1:], dtype=object)
    return table


def _in_line(columns: pd.DataFrame) -> list[str]:
    """Cells of one column, with equally many decimals: three digits of the largest number count, two of the least."""
    sizes = columns.select_dtypes(float).abs().replace([0, np.inf], np.nan).stack().dropna()
    write: Callable[[Any], str] = partial(_text, digits=3)
    if (sizes % 1 != 0).any() and sizes.max() <= 1000 * sizes.min():
        decimals = int(max(0, 2 - np.floor(np.log10(sizes.max())), 1 - np.floor(np.log10(sizes.min()))))
        write = partial(_text, digits=3, decimals=decimals)
    return [_with_interval([write(value) for value in row]) for row in columns.itertuples(index=False, name=None)]


def _with_interval(texts: list[str]) -> str:
    """One cell of one value, of the ends of an interval, or of an estimate with its interval."""
    if len(texts) == 1 or set(texts) == {MISSING}:
        return texts[0]
    interval = f"[{texts[-2]}, {texts[-1]}]"
    return interval if len(texts) == 2 else texts[0] if texts[1:] == [MISSING] * 2 else f"{texts[0]} {interval}"


def html_table(shown: pd.DataFrame) -> str:
    """Return a table of texts as HTML; whatever they hold is escaped."""
    named = any(name is not None for name in shown.index.names)
    lines = ["<table>", "<thead>", *_head(shown, named), "</thead>", "<tbody>"]
    before: tuple[str, ...] = ()
    for key, values in zip(shown.index, shown.to_numpy(), strict=True):
        labels = (tuple(map(str, key)) if isinstance(key, tuple) else (str(key),)) if named else ()
        heads = [
            "<td></td>" if again else f'<th scope="row">{_cell(label)}</th>'
            for level, label in enumerate(labels)
            for again in [level < len(labels) - 1 and before[: level + 1] == labels[: level + 1]]
        ]
        lines.append(f"<tr>{''.join(heads)}{''.join(f'<td>{_cell(value)}</td>' for value in values)}</tr>")
        before = labels
    return "\n".join([*lines, "</tbody>", "</table>"])


def _cell(value: Any) -> str:
    return escape(visible(str(value)))


def _head(shown: pd.DataFrame, named: bool) -> Iterator[str]:
    """The rows of heads: one for each level of the columns; heads of the index span all of them."""
    columns = [column if isinstance(column, tuple) else (column,) for column in shown.columns]
    depth = max(map(len, columns), default=1)
    rows = f' rowspan="{depth}"' if depth > 1 else ""
    for level in range(depth):
        names = shown.index.names if named and level == 0 else ()
        heads = [f'<th scope="col"{rows}>{_cell(name)}</th>' for name in names]
        for key, same in groupby(columns, key=itemgetter(slice(level + 1))):
            width = len(list(same))
            scope = f'scope="colgroup" colspan="{width}"' if level < depth - 1 and width > 1 else 'scope="col"'
            heads.append(f"<th {scope}>{_cell(key[-1])}</th>" if key[-1] else "<td></td>")
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


def _text(value: Any, digits: int = 0, decimals: int | None = None) -> str:
    """Return a value as one would write it; numbers with so many digits that count, or decimals, or two of them."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(_text, value))
    if value is None or value is pd.NA:
        return MISSING
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, float):
        return written_number(value, digits=digits) if decimals is None else written_number(value, decimals)
    return written_number(int(value), 0) if digits and isinstance(value, Integral) else str(value)


# --- CSV and LaTeX ----------------------------------------------------------------------------------------------------


def as_csv(frame: pd.DataFrame, index: bool = False) -> str:
    """Return a table as CSV; see `csv_of`."""
    return csv_of(csv.reader(io.StringIO(frame.to_csv(index=index, lineterminator="\n"), newline="")))


def csv_of(rows: Iterable[Sequence[str]]) -> str:
    """Return cells as CSV, of which no spreadsheet takes one for a formula, and in which nothing is unseen."""
    file = io.StringIO(newline="")
    csv.writer(file, lineterminator="\n").writerows([[_harmless(visible(cell)) for cell in row] for row in rows])
    return file.getvalue()


def _harmless(cell: str) -> str:
    """Put an apostrophe before what a spreadsheet would take for a formula; a number is none."""
    if not _FORMULA.match(cell):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


def latex_table(frame: pd.DataFrame, name: str, caption: str) -> str:
    r"""Return a table for a LaTeX document, with the lines of booktabs; text is escaped, a column "note" left out."""
    shown = frame.drop(columns="note", errors="ignore").head(_MOST_IN_LATEX)
    sides = "".join("r" if is_numeric_dtype(shown[c]) and not is_bool_dtype(shown[c]) else "l" for c in shown)
    heads = " & ".join(_in_row(str(column)) for column in shown)
    rows = [" & ".join(map(_in_row, row)) + r" \\" for row in shown.itertuples(index=False, name=None)]
    cut = f"% The first {len(shown)} of {len(frame):,} rows; all are in {name}.csv."
    lines = [
        r"% Needs \usepackage{booktabs}; letters beyond Latin ones need XeLaTeX or LuaLaTeX.",
        *([cut] if len(shown) < len(frame) else []),
        r"\begin{table}",
        r"  \centering",
        f"  \\caption{{{as_latex(caption)}.}}",
        f"  \\label{{tab:{name}}}",
        f"  \\begin{{tabular}}{{{sides}}}",
        r"    \toprule",
        f"    {heads} \\\\",
        r"    \midrule",
        *(f"    {row}" for row in rows),
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
        "",
    ]
    return "\n".join(lines)


def _in_row(value: Any) -> str:
    """Return a value for a row of a LaTeX table, where a bracket or star would be an option of the row above."""
    if isinstance(value, float):
        return _latex_number(written_number(value, digits=4))
    text = _text(value)
    if text == MISSING:
        return "--"
    return ("{}" if plain_line(text).startswith(("[", "*")) else "") + as_latex(text)


def _latex_number(text: str) -> str:
    """Return a written number as LaTeX sets it."""
    digits, _, power = text.replace("∞", r"\infty").replace("−", "-").partition(" × 10")
    if power:
        return f"${digits} \\cdot 10^{{{power.translate(_PLAIN)}}}$"
    return "--" if text == MISSING else f"${digits}$" if text[0] in "−∞" else digits
