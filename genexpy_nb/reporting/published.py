"""The page of all published numbers: what a paper prints, what was computed here, and why the two differ."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from genexpy_nb.common.page import KeyNumber
from genexpy_nb.common.page_tables import MISSING
from genexpy_nb.reporting.index import Entry
from genexpy_nb.reporting.overview import csv_address, same_title, to_page
from genexpy_nb.reporting.references import Reference

_SOURCE = re.compile(r"(?P<who>[^,(]*)(?P<rest>.*)", flags=re.DOTALL)


@dataclass(frozen=True)
class Printed:
    """A published number, and the report that computes it."""

    entry: Entry
    number: KeyNumber
    paper: str = ""


def paper_and_place(
    source: str, references: Mapping[str, Reference] | None = None, own: str = ""
) -> tuple[Reference | str, str]:
    """Split the source of a number: the paper that prints it, and where in that paper."""
    who, rest = _split(source)
    alike = {key: reference for key, reference in (references or {}).items() if _split(reference.short)[0] == who}
    if not alike:
        return who, rest
    exact = (reference for reference in alike.values() if source.strip().startswith(reference.short))
    return next(exact, None) or alike.get(own) or next(iter(alike.values())), rest


def _split(source: str) -> tuple[str, str]:
    found = _SOURCE.fullmatch(source.strip())
    assert found is not None  # it fits any text
    return found["who"].strip(), found["rest"].lstrip(", ").strip()


def to_published(
    numbers: Iterable[Printed], missing: Sequence[Entry] = (), references: Mapping[str, Reference] | None = None
) -> str:
    """Return the page of all published numbers."""
    papers: dict[str, dict[str, Any]] = {}
    rows = []
    for printed in numbers:
        paper, place = paper_and_place(printed.number.source, references, printed.paper)
        title = paper.title if isinstance(paper, Reference) else paper
        if title.casefold() not in papers:
            versions = same_title(title, references or {})
            papers[title.casefold()] = {"heading": title, "papers": versions, "rows": []}
        row = _row(printed, title, place)
        papers[title.casefold()]["rows"].append(row)
        rows.append(row)
    return to_page(
        "published.html",
        heading="All published numbers",
        papers=list(papers.values()),
        count=len(rows),
        missing=[{**vars(entry), "linked": bool(entry.page)} for entry in missing],
        csv=csv_address(list(_csv(rows))),
    )


def _row(printed: Printed, paper: str, place: str) -> dict[str, Any]:
    entry = {**vars(printed.entry), "linked": bool(printed.entry.page), "changed": printed.entry.changed or {}}
    return {"number": printed.number, "entry": entry, "paper": paper, "place": place or MISSING}


def _csv(rows: Iterable[dict[str, Any]]) -> Iterable[list[str]]:
    yield ["paper", "place", "what", "unit", "printed", "computed", "low", "high", "the two", "report", "name"]
    for row in rows:
        number: KeyNumber = row["number"]
        values = [number.published, number.value, number.low, number.high]
        texts = ["" if value is None else repr(value) for value in values]
        place = "" if row["place"] == MISSING else row["place"]
        yield [row["paper"], place, number.label, number.unit, *texts, number.reason, row["entry"]["name"], number.name]
