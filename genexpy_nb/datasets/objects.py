"""Results as JSON objects of no known program: which of them are rows, and what their columns are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import pandas as pd

from genexpy_nb.common.checks import listed, shown
from genexpy_nb.common.errors import DataError
from genexpy_nb.datasets.opening import Limit
from genexpy_nb.datasets.texttables import NO_VALUE, NUMBER, as_series
from genexpy_nb.datasets.words import among

_SAMPLE = 1000  # objects that show what is in all
_LIST = re.compile(rf"\[\s*{NUMBER}(?:[,\s]+{NUMBER})*\s*\]")  # of numbers, as a text
_SHORT = 100  # characters of a text that names something
_DEEP = "objects stand in objects, hundreds of times"


class Rows(NamedTuple):
    """The objects that are rows, each with its number in the file, and what was done to find them."""

    rows: list[tuple[int, Any]]
    notes: list[str]


def rows_of(body: Any, name: str, one_row: bool = False) -> Rows | None:
    """Return the rows in a body of JSON, or None if it has none; with ``one_row`` an object may be a row."""
    try:
        if isinstance(body, list):
            return Rows(list(enumerate(body, start=1)), [])
        if found := _by_two_keys(body):
            return found
        lists = [key for key, value in body.items() if _is_list_of_objects(value)]
        if len(lists) in (0, len(body)) and (rows := _by_key(body)):
            return Rows(list(enumerate(rows, start=1)), [])
        below = lists or (
            [] if one_row else [key for key, value in body.items() if _is_branch(value) and len(value) > 1]
        )
        if len(below) == 1 and (inner := rows_of(body[below[0]], name)) is not None:
            others = {key: value for key, value in body.items() if key != below[0]}
            said = f"what is in {below[0]!r} was read, and not {listed(map(repr, others), 3)}" if others else ""
            beside = _said_of_all(others) if one_row else {}
            said += f", but for texts such as {next(iter(beside))!r}" if beside else ""
            wider = [(n, {**beside, **row} if isinstance(row, dict) else row) for n, row in inner.rows]
            return Rows(wider, [*filter(None, [said]), *inner.notes])
        flat = _flat(body) if one_row else {}
        if len(flat) > _SAMPLE:
            raise DataError(
                f"{name} is one object with {len(flat):,} values in others, such as {[*flat][-1]!r}: write a row for "
                "each evaluation to one table, with columns for the model, the item and the score"
            )
        return Rows([(1, body)], []) if any(type(value) in (int, float) for value in flat.values()) else None
    except RecursionError:
        raise DataError(f"{name}: {_DEEP}") from None


def _said_of_all(beside: dict[str, Any]) -> dict[str, Any]:
    """Return the short texts and the numbers of repetitions that stand beside the rows of a file, and are of each."""
    flat = _flat(beside)
    return {
        key: value
        for key, value in flat.items()
        if (isinstance(value, str) and 0 < len(value) <= _SHORT) or (type(value) is int and among(key, "repeated"))
    }


def _is_list_of_objects(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 1 and all(isinstance(each, dict) for each in value)


def _is_branch(value: Any) -> bool:
    """Say whether an object holds rows: objects, or lists of them, and nothing else."""
    return isinstance(value, dict) and bool(value) and all(
        isinstance(each, dict) or _is_list_of_objects(each) for each in value.values()
    )  # fmt: skip


def _by_key(body: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a row for each innermost object, with the keys above it, or for each number in lists under keys."""
    values = list(body.values())
    if values and all(isinstance(each, list) and all(isinstance(v, int | float) for v in each) for each in values):
        return [{"key": key, "run": i, "value": v} for key, value in body.items() for i, v in enumerate(value, start=1)]
    if not _is_branch(body):
        return []
    found = list(_innermost(body))
    lengths = {len(above) for above, _ in found}
    often = Counter(key for _, row in found for key in row).most_common(1)
    if len(lengths) > 1 or max(lengths) == 1 or not often or 2 * often[0][1] <= len(found):
        # one level only, or parts of one row, such as its settings and its measures
        found = [
            ((key,), row) for key, value in body.items() for row in (value if isinstance(value, list) else [value])
        ]
    n, taken = len(found[0][0]), any("name" in row for _, row in found)
    called = ["key" if taken else "name"] if n == 1 else [f"key {i}" for i in range(1, n + 1)]
    return [{**dict(zip(called, above, strict=True)), **row} for above, row in found]


def _by_two_keys(body: dict[str, Any]) -> Rows | None:
    """Return a row for each method of {task: {method: measures}}, if tasks have their own measures, or more beside."""
    tasks = {task: each for task, each in body.items() if isinstance(each, dict)}
    tasks = {task: {k: v for k, v in each.items() if isinstance(v, dict)} for task, each in tasks.items()}
    own = {task: set.intersection(*map(set, each.values())) for task, each in tasks.items() if len(each) > 1}
    often = Counter(measure for measures in own.values() for measure in measures)
    taken = [task for task in own if any(often[measure] > 1 for measure in own[task])]
    rows = [{"key 1": task, "key 2": key, **row} for task in taken for key, row in tasks[task].items()]
    others = [key for key in body if key not in taken]
    others += dict.fromkeys(key for task in taken for key in body[task] if key not in tasks[task])
    alike = not others and len({*map(frozenset, own.values())}) == 1
    if alike or 2 * len(taken) < len(body) or 2 * len({row["key 2"] for row in rows}) > len(rows):
        return None
    notes = [f"what is no object with measures was left out: {listed(map(repr, others), 4)}"] if others else []
    return Rows(list(enumerate(rows, start=1)), notes)


def _innermost(body: dict[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """Yield the objects that hold no objects only, each with the keys above it."""
    for key, value in body.items():
        if _is_branch(value):
            yield from _innermost(value, (*above, key))
        else:
            yield from (((*above, key), row) for row in (value if isinstance(value, list) else [value]))


def _each_in_a_row(rows: list[tuple[int, dict[str, Any]]]) -> Rows:
    """Give each object in lists under one key a row of its own, again and again: runs, their samples, their scores.

    If scores stand beside the list, and not in it, there is one row for each list.
    """
    notes = list[str]()
    while True:
        keys = dict.fromkeys(key for _, row in rows for key, value in row.items() if _holds_objects(value))
        inner = {key: [each for _, row in rows for each in row.get(key) or ()] for key in keys}
        inner = {key: found for key, found in inner.items() if all(isinstance(each, dict) for each in found)}
        most = max(map(_measured, inner.values()), default=0)
        best = [key for key in inner if _measured(inner[key]) == most]
        if len(best) != 1:
            return Rows(rows, notes)
        outer = [(n, {k: v for k, v in row.items() if k != best[0]}) for n, row in rows]
        if _measured([row for _, row in outer]) > most:
            why = "because what is in the list has no score of its own"
            return Rows(outer, [*notes, f"each object with a list {best[0]!r} is a row, {why}"])
        without = sum(not row.get(best[0]) for _, row in rows)
        notes.append(
            f"each object in {best[0]!r} is a row" + f", and {without} without any were left out" * bool(without)
        )
        pairs = ((n, row, row.get(best[0]) or ()) for n, row in rows)
        rows = [(n, _flat({**row, best[0]: each})) for n, row, objects in pairs for each in objects]


def _holds_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _measured(objects: list[dict[str, Any]]) -> int:
    """Return 2 if numbers are called scores, 1 if there are numbers or something says who won, and 0 otherwise."""
    values = [found for each in objects[:_SAMPLE] for found in _flat(each).items()]
    numbers = {key for key, value in values if isinstance(value, int | float)}
    if _scored(numbers):
        return 2
    return int(bool(numbers) or any(among(key, "verdict") for key, _ in values))


def as_frame(found: Rows, name: str, limit: Limit) -> tuple[pd.DataFrame, list[str]]:
    """Return a frame with a row for each object, and notes; an object in an object gives columns ``outer.inner``."""
    for number, row in found.rows:
        if not isinstance(row, dict):
            raise DataError(f"{name}: row {number} is no object with names and values, but {shown(row, most=40)}")
    try:
        rows, more = _each_in_a_row([(n, _flat(row)) for n, row in found.rows])
    except RecursionError:
        raise DataError(f"{name}: {_DEEP}") from None
    flat = [row for _, row in rows]
    if not any(flat):
        raise DataError(f"{name} holds no row of results")
    lists = {k: n for n, row in rows for k, v in row.items() if isinstance(v, list) and not _numbers_in(v)}
    keys = dict.fromkeys(key for row in flat for key in row if key not in lists)
    if lists and not any(isinstance(row.get(key), int | float | list) for row in flat for key in keys):
        key, number = next(iter(lists.items()))
        raise DataError(f"{name}: row {number}, column {key!r} holds a list; write a row for each value")
    notes = [*found.notes, *more, *(f"column {key!r}, which holds lists, was left out" for key in lists)]
    limit.check(name, len(keys), "columns", limit.columns)
    limit.check(name, 8 * len(keys) * len(rows), f" with its {len(rows):,} rows and {len(keys):,} different keys")
    incomplete = [number for (number, _), row in zip(rows, flat, strict=True) if not keys.keys() <= row.keys()]
    notes += [f"rows that lack some of the keys: {len(incomplete)} (first row {number})" for number in incomplete[:1]]
    return pd.DataFrame({key: as_series(_alike([row.get(key) for row in flat])) for key in keys}), notes


def _alike(values: list[Any]) -> list[Any]:
    """Return truth values among texts as texts: together they have no order; "nan" beside them is no value."""
    mixed = {str, bool} <= {type(value) for value in values}
    if mixed and {value.strip().lower() for value in values if isinstance(value, str)} <= NO_VALUE:
        return [None if isinstance(value, str) else value for value in values]
    return [str(value) if isinstance(value, bool) else value for value in values] if mixed else values


def repetitions_as_rows(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Give each number in cells that are lists, such as [1, 0.5], a row of its own, if no other column is a score."""
    cells = {name: [*map(_numbers_in, frame[name])] for name in frame if frame[name].dtype.kind == "O"}
    found = {name: each for name, each in cells.items() if all(each)}
    others = [name for name in frame if name not in found and frame[name].dtype.kind in "if"]
    lists = [name for name in found if not among(str(name), "spread step size")]
    lists.sort(key=lambda name: not among(str(name), "higher lower generic"))
    lists = [name for name in lists if [*map(len, found[name])] == [*map(len, found[lists[0]])]]
    if lists and max(map(len, found[lists[0]])) > 1 and not ({"run"} & {*frame} or _scored(map(str, others))):
        rest = frame.drop(columns=[*found])
        rows = rest.assign(**{name: found[name] for name in lists}).explode(lists).astype(dict.fromkeys(lists, float))
        rows.insert(len(rest.columns), "run", rows.groupby(level=0).cumcount() + 1)
        which = listed([repr(name) for name in lists], 3)
        return rows.reset_index(drop=True), [
            f"each number in lists such as {which} became a row: are they repetitions?"
        ]
    lists = [name for name in found if isinstance(frame[name].iloc[0], list)]
    return frame.drop(columns=lists), [f"column {name!r}, which holds lists, was left out" for name in lists]


def _numbers_in(cell: Any) -> list[float]:
    """Return the numbers of a list, also one that is written as text; none if it is something else."""
    if isinstance(cell, str) and _LIST.fullmatch(cell):
        return [float(text) for text in re.findall(NUMBER, cell)]
    return cell if isinstance(cell, list) and all(type(each) in (int, float) for each in cell) else []


def _scored(names: Iterable[str]) -> bool:
    return any(among(name, "higher lower generic") for name in names)


def _flat(row: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Return the values of an object in an object as ``outer.inner``."""
    flat: dict[str, Any] = {}
    for key, value in row.items():
        flat |= _flat(value, f"{before}{key}.") if isinstance(value, dict) else {before + key: value}
    return flat
