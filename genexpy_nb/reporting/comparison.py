"""The page that compares the members of a grid: their key numbers in one table, and drawn beside each other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from genexpy_nb.common.page import KeyNumber
from genexpy_nb.common.page_tables import MISSING, written_number
from genexpy_nb.reporting.grids import Grid
from genexpy_nb.reporting.index import Entry
from genexpy_nb.reporting.overview import csv_address, to_page

_COLUMNS = 5  # of key numbers that a table has room for
_MOST_ROWS = 4_000  # of all drawings together
_MOST_CSV = 700_000  # characters
_RATIO = 30.0  # of the largest to the smallest number from which an axis is logarithmic
_MARGIN = 0.04  # of an axis, at its ends


@dataclass(frozen=True)
class Member:
    """A member of a grid, as far as it is known."""

    entry: Entry
    values: dict[str, str]
    numbers: tuple[KeyNumber, ...] = ()

    @property
    def label(self) -> str:
        """The parameters in a line."""
        return ", ".join(f"{name} = {value}" for name, value in self.values.items())

    @property
    def by_name(self) -> dict[str, KeyNumber]:
        """The key numbers by their names."""
        return {number.name: number for number in self.numbers}


def comparison_data(grid: Grid, members: Sequence[Member]) -> dict[str, Any]:
    """Return what stands in the file beside the page."""
    return {
        "grid": grid.name,
        "title": grid.title,
        "varied": list(grid.varied),
        "members": [
            {
                "report": member.entry.name,
                "status": _status(member),
                "values": member.values,
                "numbers": [{key: _plain(value) for key, value in asdict(number).items()} for number in member.numbers],
            }
            for member in members
        ],
    }


def _plain(value: Any) -> Any:
    """JSON knows no infinity."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _status(member: Member) -> str:
    """Without what may change from one call to the next."""
    return "ok" if member.entry.status == "unchanged" else member.entry.status


def to_comparison(grid: Grid, members: Sequence[Member]) -> str:
    """Return the page that compares the members of a grid."""
    complete = [member for member in members if member.numbers]
    numbers = list({number.name: number for member in complete for number in member.numbers}.values())
    different = [number for number in numbers if len(complete) < 2 or len(_texts(number.name, members)) > 1]
    alike = [number for number in numbers if all(number is not other for other in different)]
    drawn = different[: _MOST_ROWS // max(len(members), 1)] if len(complete) > 1 else []
    csv = csv_address(list(_csv(grid, members, numbers)))
    return to_page(
        "comparison.html",
        heading=grid.title,
        grid=grid,
        members=[_for_page(member) for member in members],
        notebook=members[0].entry.notebook,
        n_complete=sum(_status(member) == "ok" for member in members),
        incomplete=[_for_page(member) for member in members if _status(member) != "ok"],
        tables=list(_tables(different, members)),
        strips=[_strip(number, members) for number in drawn],
        n_left_out=len(different) - len(drawn) if drawn else 0,
        alike=[{"number": number, "text": _text(number)} for number in alike],
        csv=csv if numbers and len(csv) <= _MOST_CSV else "",
    )


def _for_page(member: Member) -> dict[str, Any]:
    style = _status(member).replace(" ", "-").lower()
    linked = bool(member.entry.page)
    return {**vars(member.entry), "label": member.label, "linked": linked, "status": _status(member), "style": style}


def _texts(name: str, members: Iterable[Member]) -> set[tuple[str, str] | None]:
    """What is shown of a number, by all members that are complete."""
    found = (member.by_name.get(name) for member in members if member.numbers)
    return {(number.as_text, number.interval) if number else None for number in found}


def _text(number: KeyNumber | None) -> dict[str, str]:
    if number is None:
        return {"value": MISSING, "interval": "", "unit": ""}
    return {"value": number.as_text, "interval": number.interval, "unit": number.unit}


def _tables(numbers: Sequence[KeyNumber], members: Sequence[Member]) -> Iterable[dict[str, Any]]:
    """All numbers of all members: a row for each member, or for each number where there are more of these than fit."""
    shown = [_for_page(member) for member in members]
    cells = {number.name: [_text(member.by_name.get(number.name)) for member in members] for number in numbers}
    if len(numbers) > _COLUMNS >= len(members):
        heads = [{"label": member["label"], "href": member["linked"] and member["name"]} for member in shown]
        rows = [{"label": number.label, "cells": cells[number.name]} for number in numbers]
        yield {"corner": "key number", "heads": heads, "rows": rows}
        return
    for some in (numbers[i : i + _COLUMNS] for i in range(0, len(numbers), _COLUMNS)):
        heads = [{"label": number.label, "href": ""} for number in some]
        rows = [
            {
                "label": member["label"],
                "href": member["linked"] and member["name"],
                "cells": [cells[number.name][i] for number in some],
            }
            for i, member in enumerate(shown)
        ]
        yield {"corner": "member", "heads": heads, "rows": rows}


def _csv(grid: Grid, members: Sequence[Member], numbers: Sequence[KeyNumber]) -> Iterable[list[str]]:
    """A row for each member; of each number its value and the ends of its interval, as computed."""
    names = list(dict.fromkeys(name for member in members for name in member.values))
    columns = [f"{number.name}{end}" for number in numbers for end in ("", "_low", "_high")]
    yield ["report", "status", *names, *columns]
    for member in members:
        own = member.by_name
        found = [own.get(number.name) for number in numbers]
        values = [value for n in found for value in ((n.value, n.low, n.high) if n else (None, None, None))]
        parameters = [member.values.get(name, "") for name in names]
        yield [member.entry.name, _status(member), *parameters, *("" if v is None else repr(v) for v in values)]


def _strip(number: KeyNumber, members: Sequence[Member]) -> dict[str, Any]:
    """Where on an axis the number of each member lies, in per cent of its length."""
    own = [member.by_name.get(number.name) for member in members]
    known = [value for n in own if n for value in (n.value, n.low, n.high) if value is not None]
    axis = _Axis.around([value for value in known if math.isfinite(value)])
    rows = []
    for member, n in zip(members, own, strict=True):
        row: dict[str, Any] = {"label": member.label, **_text(n)}
        if n is not None and not math.isnan(n.value):
            row["at"] = axis.place(n.value)
            row["beyond"] = math.isinf(n.value)
            if n.low is not None and n.high is not None and not math.isnan(n.low + n.high):
                row["left"], right = axis.place(n.low), axis.place(n.high)
                row["width"] = round(right - row["left"], 2)
        rows.append(row)
    ticks = [{"at": axis.place(tick), "text": _tick(tick)} for tick in axis.ticks()]
    return {"number": number, "rows": rows, "ticks": ticks, "log": axis.log}


def _tick(value: float) -> str:
    small = 0 < abs(value) < 1e-4
    return written_number(value, 0) if small else f"{value:,.10g}".replace("-", "−")


@dataclass(frozen=True)
class _Axis:
    low: float
    high: float
    log: bool

    @classmethod
    def around(cls, values: Sequence[float]) -> _Axis:
        low, high = min(values, default=0.0), max(values, default=1.0)
        log = low > 0 and high / low >= _RATIO
        if log:
            return cls(low, high, log)
        if low == high:
            half = abs(low) / 2 or 0.5
            low, high = low - half, high + half
        return cls(low, high, log)

    def place(self, value: float) -> float:
        if math.isinf(value):
            return 100.0 if value > 0 else 0.0
        low, high, value = map(math.log, (self.low, self.high, value)) if self.log else (self.low, self.high, value)
        # halves first: their difference may be larger than any number
        share = (value / 2 - low / 2) / (high / 2 - low / 2)
        return round(100 * (_MARGIN + (1 - 2 * _MARGIN) * share), 2)

    def ticks(self) -> list[float]:
        """Three to six round numbers within the axis."""
        if self.log:
            powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
            steps = (1.0, 2.0, 5.0) if len(powers) < 5 else (1.0,)
            found = [step * 10.0**power for power in powers for step in steps]
            found = [tick for tick in found if self.low <= tick <= self.high]
            return found[:: math.ceil(len(found) / 6)]
        size = 10.0 ** math.floor(math.log10(self.high / 2 - self.low / 2))
        step = next((m * size for m in (0.5, 1.0, 2.0, 5.0) if (self.high - self.low) / (m * size) <= 5), 10 * size)
        first, last = math.ceil(self.low / step), math.floor(self.high / step)
        return [round(i * step, 12 - math.floor(math.log10(step))) for i in range(first, last + 1)]
