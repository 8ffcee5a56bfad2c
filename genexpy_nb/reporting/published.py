"""The page of all published numbers: what a paper prints, what was computed here, and why the two differ."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from genexpy_nb.common.page import KeyNumber
from genexpy_nb.common.page_tables import MISSING
from genexpy_nb.reporting.index import Entry
from genexpy_nb.reporting.overview import csv_address, to_page

__all__ = ["Printed", "paper_and_place", "to_published"]

_SOURCE = re.compile(r"(?P<paper>.*?\(\d{4}[a-z]?\)|[^,]*),?\s*(?P<place>.*)", flags=re.DOTALL)


@dataclass(frozen=True)
class Printed:
    """A published number, and the report that computes it.

    Parameters
    ----------
    entry : Entry
        Of the report.
    number : KeyNumber
        With a published value.

    Examples
    --------
    >>> Printed(Entry("a", "A", "", "01_a"), KeyNumber("n", "N", 32.4, published=47)).number.printed
    '47'
    """

    entry: Entry
    number: KeyNumber


def paper_and_place(source: str) -> tuple[str, str]:
    """Split the source of a number: who printed it, and where in the paper.

    Examples
    --------
    >>> paper_and_place("Matteucci et al. (2025), Section 5.1, Figure 2")
    ('Matteucci et al. (2025)', 'Section 5.1, Figure 2')
    >>> paper_and_place("First version, Table 1"), paper_and_place("")
    (('First version', 'Table 1'), ('', ''))
    """
    found = _SOURCE.fullmatch(source.strip())
    assert found is not None  # the second way to begin fits any text
    return found["paper"].strip(), found["place"].strip()


def to_published(
    numbers: Iterable[Printed], missing: Sequence[Entry] = (), addresses: Mapping[str, str] | None = None
) -> str:
    """Return the page of all published numbers.

    Parameters
    ----------
    numbers : iterable of Printed
        In the order in which they are shown; they are grouped by paper.
    missing : sequence of Entry
        Reports that are not there or not complete: what they would add is not on the page, which says so.
    addresses : mapping of str to str, optional
        Where a paper is to be found, by what `paper_and_place` returns for it.

    Returns
    -------
    str
        HTML.

    Examples
    --------
    >>> number = KeyNumber("n", "N < 50", 32.4, published=47, source="A (2025), Figure 2")
    >>> "N &lt; 50" in to_published([Printed(Entry("a", "A", "", "01_a", "ok", page="0f"), number)])
    True
    """
    papers: dict[str, list[dict[str, Any]]] = {}
    rows = [_row(printed) for printed in numbers]
    for row in rows:
        papers.setdefault(row["paper"], []).append(row)
    return to_page(
        "published.html",
        heading="All published numbers",
        papers=papers,
        addresses=addresses or {},
        count=len(rows),
        missing=[{**vars(entry), "linked": bool(entry.page)} for entry in missing],
        csv=csv_address(list(_csv(rows))),
    )


def _row(printed: Printed) -> dict[str, Any]:
    number = printed.number
    paper, place = paper_and_place(number.source)
    entry = {**vars(printed.entry), "linked": bool(printed.entry.page), "changed": printed.entry.changed or {}}
    return {"number": number, "entry": entry, "paper": paper, "place": place or MISSING}


def _csv(rows: Iterable[dict[str, Any]]) -> Iterable[list[str]]:
    yield ["paper", "place", "what", "unit", "printed", "computed", "low", "high", "the two", "report", "name"]
    for row in rows:
        number: KeyNumber = row["number"]
        values = [number.published, number.value, number.low, number.high]
        texts = ["" if value is None else repr(value) for value in values]
        place = "" if row["place"] == MISSING else row["place"]
        yield [row["paper"], place, number.label, number.unit, *texts, number.reason, row["entry"]["name"], number.name]
