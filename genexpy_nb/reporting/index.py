"""The page that lists all reports: what each is about, how it went, and where to read it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment, FileSystemLoader, select_autoescape

from genexpy_nb.reporting.html import POLICY, TEMPLATES
from genexpy_nb.reporting.sanitizing import printable

__all__ = ["Entry", "to_index"]


@dataclass(frozen=True)
class Entry:
    """One report as the index shows it; also what is remembered of it between two runs.

    Parameters
    ----------
    name, title, description, notebook : str
        As in the report.
    status : {"ok", "unchanged", "FAILED", "not rendered"}
        How it went.
    changed : dict of str to str
        Parameters that are not the default, values as Python writes them.
    sources : dict of str to str
        ``"original"`` or ``"bundled"``, by name of the results table.
    seconds : float or None
        That the last rendering took.
    problem : str
        Why it failed.
    key : str
        From `report_key`; empty after a failure, so that the next run tries again.
    page, executed, data : str
        SHA-256 of the page, of the executed notebook and of the file beside the page as they were written; empty if
        they were not.

    Examples
    --------
    >>> Entry("a", "A", "", "01_a").status
    'not rendered'
    """

    name: str
    title: str
    description: str
    notebook: str
    status: str = "not rendered"
    changed: dict[str, str] | None = None
    sources: dict[str, str] | None = None
    seconds: float | None = None
    problem: str = ""
    key: str = ""
    page: str = ""
    executed: str = ""
    data: str = ""


def to_index(entries: Iterable[Entry], heading: str = "Reports") -> str:
    """Return the index page.

    Parameters
    ----------
    entries : iterable of Entry
        In the order in which they are shown.
    heading : str
        Title of the page.

    Returns
    -------
    str
        HTML; every text in it is escaped.

    Examples
    --------
    >>> "A &amp; B" in to_index([Entry("a", "A & B", "", "01_a")])
    True
    """
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=select_autoescape(["html"]), trim_blocks=True, lstrip_blocks=True
    )
    listed: list[dict[str, Any]] = [
        {**vars(entry), "style": entry.status.replace(" ", "-").lower(), "linked": bool(entry.page)}
        for entry in entries
    ]
    counts = {status: sum(e["status"] == status for e in listed) for status in ("FAILED", "not rendered")}
    page = environment.get_template("index.html").render(entries=listed, heading=heading, counts=counts, policy=POLICY)
    return printable(page)
