"""The page that lists all reports: what each is about, how it went, and where to read it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from genexpy_nb.reporting.overview import inline, same_title, thumbnail, to_page
from genexpy_nb.reporting.references import Reference
from genexpy_nb.reporting.spec import Report

#: What `Report.readers` are called on the page.
_READERS = {"paper": "I read the paper", "table": "I have a results table", "teach": "I teach"}
_NO_PAPER = {True: "Beyond the papers", False: "All reports"}  # whether there are others that have one
_MOST_THUMBNAILS = 2_000_000  # characters of the page


@dataclass(frozen=True)
class Entry:
    """One report as the index shows it; also what is remembered of it between two runs."""

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


@dataclass(frozen=True)
class Beside:
    """What the index shows beside the entries themselves."""

    about: str = ""
    reports: Mapping[str, Report] = field(default_factory=dict)
    data: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    references: Mapping[str, Reference] = field(default_factory=dict)
    comparisons: tuple[str, ...] = ()
    published: bool = False
    pages: tuple[tuple[str, str], ...] = ()


def to_index(entries: Iterable[Entry], heading: str = "Reports", beside: Beside | None = None) -> str:
    """Return the index page."""
    beside = beside or Beside()
    cards = [_card(entry, beside) for entry in entries]
    failed = [card for card in cards if card["status"] == "FAILED"]
    groups = _groups([card for card in cards if card["status"] != "FAILED"], beside)
    _draw([*failed, *(card for group in groups for card in group["entries"])], beside.data)
    return to_page(
        "index.html",
        heading=heading,
        about=beside.about,
        count=len(cards),
        waiting=sum(card["status"] == "not rendered" for card in cards),
        failed=failed,
        groups=groups,
        paths=_paths(cards, beside),
        published=beside.published,
        pages=beside.pages,
    )


def _card(entry: Entry, beside: Beside) -> dict[str, Any]:
    report = beside.reports.get(entry.name)
    findings = beside.data.get(entry.name, {}).get("findings", ())
    return {
        **vars(entry),
        "style": entry.status.replace(" ", "-").lower(),
        "linked": bool(entry.page),
        "changed": entry.changed or {},
        "paper": report.paper if report else "",
        "place": report.place if report else "",
        "grid": report.grid if report else None,
        "findings": [{**finding, "text": inline(finding.get("text", ""))} for finding in findings],
    }


def _groups(cards: Sequence[dict[str, Any]], beside: Beside) -> list[dict[str, Any]]:
    """The cards by paper; of each notebook one, with the others below it."""
    groups: dict[str, dict[str, Any]] = {}
    for card in _mains(cards, beside):
        paper = beside.references.get(card["paper"])
        title = paper.title if paper else card["paper"]
        if title.casefold() not in groups:
            versions = same_title(title, beside.references)
            groups[title.casefold()] = {"heading": title, "papers": versions, "entries": []}
        groups[title.casefold()]["entries"].append(card)
    if "" in groups:
        groups[""]["heading"] = _NO_PAPER[len(groups) > 1]
        groups[""] = groups.pop("")
    return list(groups.values())


def _mains(cards: Sequence[dict[str, Any]], beside: Beside) -> Iterable[dict[str, Any]]:
    """Of each notebook and paper, the report with the fewest changes; with its variants and grids."""
    alike: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for card in cards:
        alike[card["notebook"], card["paper"]].append(card)
    for those in alike.values():
        plain = sorted((card for card in those if card["grid"] is None), key=lambda card: len(card["changed"]))
        grids: dict[str, dict[str, Any]] = {}
        for card in those:
            if card["grid"] is not None:
                name, title = card["grid"].name, card["grid"].title
                linked = name in beside.comparisons
                grids.setdefault(name, {"name": name, "title": title, "linked": linked, "members": []})
                grids[name]["members"].append(card)
        if plain:
            yield {**plain[0], "variants": plain[1:], "grids": list(grids.values())}
        else:
            for grid in grids.values():
                yield _card_of_grid(grid)


def _card_of_grid(grid: dict[str, Any]) -> dict[str, Any]:
    """A card for a grid whose notebook has no report of its own."""
    members = grid["members"]
    missing = sum(member["status"] == "not rendered" for member in members)
    status = "ok" if not missing else "not rendered" if missing == len(members) else f"{missing} not rendered"
    shared = {key: members[0][key] for key in ("notebook", "paper", "place")}
    style = "ok" if status == "ok" else "not-rendered"
    return {
        **shared,
        **{"name": grid["name"], "title": grid["title"], "description": members[0]["grid"].description},
        **{"status": status, "style": style, "linked": grid["linked"], "grids": [grid]},
        **{"changed": {}, "seconds": None},
    }


def _draw(cards: Iterable[dict[str, Any]], data: Mapping[str, Mapping[str, Any]]) -> None:
    """Give cards the small copies of their figures, as long as the page stays small."""
    left = _MOST_THUMBNAILS
    for card in cards:
        hero = data.get(card["name"], {}).get("hero")
        image = thumbnail(hero["image"]) if hero else None
        if hero and image and len(image) <= left:
            left -= len(image)
            card["thumb"] = {"image": image, "alt": hero["alt"]}


def _paths(cards: Sequence[dict[str, Any]], beside: Beside) -> list[dict[str, Any]]:
    found = []
    for reader, heading in _READERS.items():
        own = [card for card in cards if (report := beside.reports.get(card["name"])) and reader in report.readers]
        if own:
            published = beside.published and reader == "paper"
            entries = {entry["name"]: entry for entry in map(partial(_whole, beside=beside), own)}
            found.append({"heading": heading, "entries": list(entries.values()), "published": published})
    return found


def _whole(card: dict[str, Any], beside: Beside) -> dict[str, Any]:
    """Of a member of a grid, the grid: its comparison leads on to the members."""
    grid = card["grid"]
    return card if grid is None else {"name": grid.name, "title": grid.title, "linked": grid.name in beside.comparisons}
