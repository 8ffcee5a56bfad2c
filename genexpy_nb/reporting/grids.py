"""Many reports of one notebook: which parameter sets a YAML file asks for, and what each report is called."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from genexpy_nb.common.checks import shown
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.reporting.parameters import Parameter, check_parameters
from genexpy_nb.reporting.yaml_text import MOST_CHARACTERS, read_yaml

#: Members that a grid may have.
MOST_MEMBERS = 1_000
_LONGEST_VALUE, _LONGEST_SUFFIX = 40, 100  # characters of a member's name


@dataclass(frozen=True)
class Grid:
    """Reports of one notebook that differ in their parameters."""

    name: str
    title: str
    description: str
    varied: tuple[str, ...]


def parameter_sets(
    entries: Mapping[str, Any], base: Mapping[str, Any], declared: Sequence[Parameter], file: Path, where: str
) -> list[dict[str, Any]]:
    """Return the parameter sets that a YAML file asks for under ``grid`` or ``table``."""
    asked = [key for key in ("grid", "table") if key in entries]
    if len(asked) == 2:
        raise ParameterError(f"{where}: grid and table cannot stand in one file; move one of them to another")
    if not asked:
        return []
    key = asked[0]
    if key == "grid":
        rows = [("", row) for row in _combinations(entries["grid"], declared, f"{where}: grid")]
    else:
        rows = list(_rows(entries["table"], declared, file, f"{where}: table"))
    for name in dict.fromkeys(name for _, row in rows for name in row):
        if name in base:
            raise ParameterError(f"{where}: {name} stands under {key} and under parameters; give it in one place")
    _check_different(rows, base, declared, f"{where}: {key}")
    return [row for _, row in rows]


def _combinations(asked: Any, declared: Sequence[Parameter], where: str) -> Iterator[dict[str, Any]]:
    if not isinstance(asked, dict) or not asked:
        raise ParameterError(f"{where} must map parameters to lists of values, as in n: [10, 20]; got {shown(asked)}")
    for name, values in asked.items():
        if not isinstance(values, list):
            raise ParameterError(f"{where}: {name} must be a list of values, as in [10, 20]; got {shown(values)}")
        if not values:
            raise ParameterError(f"{where}: {name} is an empty list; give at least one value")
    _check_size(prod(map(len, asked.values())), where)
    checked = {}
    for name, values in asked.items():
        checked[name] = [check_parameters({name: value}, declared, where)[name] for value in values]
        twice = [text for text, count in Counter(map(repr, checked[name])).items() if count > 1]
        if twice:
            raise ParameterError(f"{where}: {name} lists {twice[0]} twice")
    for values in product(*checked.values()):
        yield dict(zip(checked, values, strict=True))


def _rows(asked: Any, declared: Sequence[Parameter], file: Path, where: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each row with its place."""
    if isinstance(asked, str):
        yield from _rows_of_csv(asked, declared, file, where)
        return
    if not isinstance(asked, list) or not asked:
        wanted = "a list of parameter sets, as in [{n: 10}, {n: 20}], or the name of a CSV file beside the YAML"
        raise ParameterError(f"{where} must be {wanted}; got {shown(asked)}")
    _check_size(len(asked), where)
    for number, row in enumerate(asked, start=1):
        if not isinstance(row, dict):
            raise ParameterError(f"{where}: row {number} must map parameters to values, as in n: 10; got {shown(row)}")
        yield f"row {number}", check_parameters(row, declared, f"{where}: row {number}")


def _rows_of_csv(
    name: str, declared: Sequence[Parameter], file: Path, where: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    header, *lines = _lines(name, file, where)
    columns = [cell.strip() for cell in header[1]]
    if twice := [column for column, count in Counter(columns).items() if count > 1 or not column]:
        raise ParameterError(f"{where}: {name}: each column needs a name of its own, got {twice[0]!r} in {columns}")
    if not lines:
        raise ParameterError(f"{where}: {name} has no row below its header; give one for each report")
    _check_size(len(lines), f"{where}: {name}")
    for number, cells in lines:
        place = f"{name}, line {number}"
        if len(cells) != len(columns):
            raise ParameterError(f"{where}: {place} has {len(cells)} cells, the header has {len(columns)}")
        raw = {column: cell.strip() for column, cell in zip(columns, cells, strict=True) if cell.strip()}
        values = {column: _value(cell, place) for column, cell in raw.items()}
        yield place, check_parameters(values, declared, f"{where}: {place}", raw)


def _lines(name: str, file: Path, where: str) -> list[tuple[int, list[str]]]:
    """The lines of a CSV file that are not empty, with their numbers; the first is the header."""
    if Path(name).name != name:
        raise ParameterError(f"{where}: give the name of a CSV file in the folder of the YAML file, got {name!r}")
    try:
        with file.with_name(name).open(encoding="utf-8-sig", newline="") as stream:
            if len(text := stream.read(MOST_CHARACTERS + 1)) > MOST_CHARACTERS:
                raise ParameterError(f"{where}: {name} is longer than {MOST_CHARACTERS:,} characters")
        reader = csv.reader(text.splitlines(keepends=True), strict=True)
        lines = [(reader.line_num, cells) for cells in reader if any(map(str.strip, cells))]
    except UnicodeDecodeError:
        raise ParameterError(f"{where}: {name} is not a text in UTF-8") from None
    except csv.Error as error:
        raise ParameterError(f"{where}: {name}, line {reader.line_num}: not CSV: {error}") from None
    except (OSError, ValueError) as error:  # the latter: a name that no file can have
        reason = getattr(error, "strerror", None) or error
        raise ParameterError(f"{where}: {name} cannot be read: {reason}") from None
    if not lines:
        raise ParameterError(f"{where}: {name} is empty; give a header of parameters and a row for each report")
    return lines


def _value(cell: str, place: str) -> Any:
    with suppress(ParameterError):
        return read_yaml(cell, place)
    return cell  # a text that only looks like YAML


def _check_size(members: int, where: str) -> None:
    if members > MOST_MEMBERS:
        raise ParameterError(f"{where}: {members:,} members, at most {MOST_MEMBERS:,} are possible; take several files")


def _check_different(
    rows: Sequence[tuple[str, dict[str, Any]]], base: Mapping[str, Any], declared: Sequence[Parameter], where: str
) -> None:
    defaults = {parameter.name: parameter.default for parameter in declared}
    seen: dict[str, str] = {}
    for place, row in rows:
        values = repr({**defaults, **base, **row})
        if values in seen:
            what = in_words(row) or "all as without the table"
            raise ParameterError(f"{where}: {seen[values]} and {place} are the same report: {what}")
        seen[values] = place


def in_words(values: Mapping[str, Any]) -> str:
    """Return parameters as a title says them."""
    return ", ".join(f"{name} = {shown(value, _LONGEST_VALUE)}" for name, value in values.items())


def member_names(grid: str, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return names for the members of a grid: readable, safe as names of files, and different."""
    names = [f"{grid}{_suffix(row)}" for row in rows]
    alike = Counter(map(str.casefold, names))
    return [
        f"{name}--{_digest(row)}" if alike[name.casefold()] > 1 else name for name, row in zip(names, rows, strict=True)
    ]


def _suffix(row: Mapping[str, Any]) -> str:
    suffix = "".join(f"--{_safe(name)}-{_safe(value)}" for name, value in row.items()) or "--defaults"
    if len(suffix) <= _LONGEST_SUFFIX:
        return suffix
    return f"{suffix[: _LONGEST_SUFFIX - 10]}--{_digest(row)}"


def _safe(value: Any) -> str:
    """A value as part of the name of a file; what had to be changed for that has digits of its own."""
    text = "+".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
    if isinstance(value, (int, float)) and text.startswith("-"):
        text = f"minus{text[1:]}"
    safe = re.sub(r"[^A-Za-z0-9._+-]+", "-", text).strip("-.")[:_LONGEST_VALUE]
    return safe if safe == text else f"{safe}-{_digest(value)}".lstrip("-")


def _digest(value: Any) -> str:
    return sha256(repr(value).encode()).hexdigest()[:6]
