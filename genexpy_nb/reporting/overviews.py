"""Pages about reports: the index, a comparison of the members of each grid, and all published numbers."""

from __future__ import annotations

import re
import tomllib
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mistune
from bs4 import BeautifulSoup
from jinja2 import Environment, FileSystemLoader, select_autoescape
from markupsafe import Markup, escape

from genexpy_nb.common.errors import DataError
from genexpy_nb.common.files import write_atomically
from genexpy_nb.common.hashing import file_hash
from genexpy_nb.common.page import KeyNumber
from genexpy_nb.common.page_tables import MISSING, csv_of
from genexpy_nb.reporting.dressing import drawn, link_headings, link_pages, plain_text
from genexpy_nb.reporting.html import POLICY, TEMPLATES, fonts
from genexpy_nb.reporting.inert import clean_html, dark_colours, printable
from genexpy_nb.reporting.references import Reference, Site, read_numbers, read_references
from genexpy_nb.reporting.spec import Grid, Report
from genexpy_nb.reporting.state import Entry, Target, read_page_data

#: What `Report.readers` are called on the page.
_READERS = {"paper": "I read the paper", "table": "I have a results table", "teach": "I teach"}
_NO_PAPER = {True: "Beyond the papers", False: "All reports"}  # whether there are others that have one
_MOST_DRAWN = 2_000_000  # characters of the index
_MOST_CSV = 700_000  # characters of a comparison
_COLUMNS = 5  # of key numbers that a table has room for
_INLINE = ("em", "strong", "code", "sub", "sup")
_MARKDOWN = mistune.create_markdown(escape=True)
_DOCUMENT = mistune.create_markdown(escape=True, plugins=["table"])
_SOURCE = re.compile(r"(?P<who>[^,(]*)(?P<rest>.*)", flags=re.DOTALL)


# --- what they have in common -----------------------------------------------------------------------------------------


def to_page(template: str, **values: Any) -> str:
    """Fill in one of the templates in ``overview``; whatever it is given is escaped."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=select_autoescape(["html"]), trim_blocks=True, lstrip_blocks=True
    )
    code = r"<code>\1</code>"  # of what stands between backticks; all else as it is
    environment.filters["code"] = lambda text: Markup(re.sub(r"`([^`]+)`", code, str(escape(text))))
    page = environment.get_template(f"overview/{template}").render(policy=POLICY, fonts=Markup(fonts()), **values)
    page = printable(page)
    return page.replace("</style>", f"{dark_colours(page)}</style>", 1)


def inline(text: str) -> Markup:
    """Return Markdown of a finding as HTML that can stand in a sentence: emphasis and code; of all else, the text."""
    soup = BeautifulSoup(str(_MARKDOWN(text)), "html.parser")
    for tag in soup.find_all(True):
        if tag.name in _INLINE:
            tag.attrs = {}
        else:
            tag.unwrap()
    return Markup(" ".join(str(soup).split()))


def csv_address(rows: Iterable[Sequence[str]]) -> str:
    """Return an address under which a browser saves a table as CSV."""
    return f"data:text/csv;charset=utf-8;base64,{b64encode(csv_of(rows).encode()).decode('ascii')}"


def _exact(values: Iterable[float | None]) -> list[str]:
    return ["" if value is None else repr(value) for value in values]


def _of_entry(entry: Entry, **more: Any) -> dict[str, Any]:
    """What the templates ask of an entry."""
    style = entry.status.replace(" ", "-").lower()
    return {**vars(entry), "changed": entry.changed or {}, "linked": bool(entry.page), "style": style, **more}


def _group(title: str, references: Mapping[str, Reference]) -> dict[str, Any]:
    """A section about a paper: its versions are all that have its title, the latest first."""
    versions = [paper for paper in references.values() if paper.title.casefold() == title.casefold()]
    return {"heading": title, "papers": sorted(versions, key=lambda paper: paper.year, reverse=True), "entries": []}


# --- index ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Beside:
    """What the index shows beside the entries themselves."""

    about: str = ""
    reports: Mapping[str, Report] = field(default_factory=dict)
    data: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    references: Mapping[str, Reference] = field(default_factory=dict)
    comparisons: Sequence[str] = ()
    published: bool = False
    pages: tuple[tuple[str, str], ...] = ()


def to_index(entries: Iterable[Entry], heading: str = "Reports", beside: Beside | None = None) -> str:
    """Return the page that lists all reports."""
    beside = beside or Beside()
    cards = [_card(entry, beside) for entry in entries]
    failed = [card for card in cards if card["status"] == "FAILED"]
    groups = _groups([card for card in cards if card["status"] != "FAILED"], beside)
    left = _MOST_DRAWN
    for number, card in enumerate([*failed, *(card for group in groups for card in group["entries"])]):
        hero = beside.data.get(card["name"], {}).get("hero") or {}
        image = drawn(hero.get("image", ""), f"f{number}-", hero.get("alt", ""))
        if image and len(image) <= left:
            left -= len(image)
            card["picture"] = {"image": Markup(image), "caption": _first_sentence(hero.get("caption", ""))}
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


def _first_sentence(caption: str) -> str:
    """The first sentence of Markdown, as plain text: it says what a figure shows."""
    text = BeautifulSoup(inline(caption), "html.parser").get_text()
    return re.split(r"(?<=[.?!])\s", text, maxsplit=1)[0]


def _card(entry: Entry, beside: Beside) -> dict[str, Any]:
    report = beside.reports.get(entry.name)
    findings = beside.data.get(entry.name, {}).get("findings", ())
    return _of_entry(
        entry,
        paper=report.paper if report else "",
        place=report.place if report else "",
        grid=report.grid if report else None,
        findings=[{part: inline(text) for part, text in finding.items()} for finding in findings],
    )


def _groups(cards: Iterable[dict[str, Any]], beside: Beside) -> list[dict[str, Any]]:
    """The cards by paper; of each notebook one, with the others below it. What has no paper comes last."""
    alike: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for card in cards:
        alike.setdefault((card["notebook"], card["paper"]), []).append(card)
    groups: dict[str, dict[str, Any]] = {}
    for (_, paper), those in alike.items():
        title = beside.references[paper].title if paper in beside.references else paper
        group = groups.setdefault(title.casefold(), _group(title, beside.references))
        group["entries"] += _mains(those, beside)
    if "" in groups:
        groups[""]["heading"] = _NO_PAPER[len(groups) > 1]
        groups[""] = groups.pop("")
    return list(groups.values())


def _mains(cards: Sequence[dict[str, Any]], beside: Beside) -> list[dict[str, Any]]:
    """Of the reports of a notebook, the one with the fewest changes, with variants and grids; else the grids."""
    plain = sorted((card for card in cards if card["grid"] is None), key=lambda card: len(card["changed"]))
    grids: dict[str, dict[str, Any]] = {}
    for card in cards:
        if card["grid"] is not None:
            members = grids.setdefault(card["grid"].name, {**_of_grid(card["grid"], beside), "members": []})["members"]
            members.append(card)
    if plain:
        return [{**plain[0], "variants": plain[1:], "grids": list(grids.values())}]
    return [_card_of_grid(grid) for grid in grids.values()]


def _of_grid(grid: Grid, beside: Beside) -> dict[str, Any]:
    return {"name": grid.name, "title": grid.title, "linked": grid.name in beside.comparisons}


def _card_of_grid(grid: dict[str, Any]) -> dict[str, Any]:
    """A card for a grid whose notebook has no report of its own."""
    members = grid["members"]
    missing = sum(member["status"] == "not rendered" for member in members)
    status = "ok" if not missing else "not rendered" if missing == len(members) else f"{missing} not rendered"
    return {
        **{key: members[0][key] for key in ("notebook", "paper", "place")},
        **{key: grid[key] for key in ("name", "title", "linked")},
        **{"status": status, "style": "not-rendered" if missing else "ok", "grids": [grid]},
        **{"description": members[0]["grid"].description, "changed": {}, "seconds": None},
    }


def _paths(cards: Sequence[dict[str, Any]], beside: Beside) -> list[dict[str, Any]]:
    """Where readers begin; of a member of a grid, the grid: its comparison leads on to the members."""
    found = []
    for reader, heading in _READERS.items():
        own = [card for card in cards if card["name"] in beside.reports]
        own = [card for card in own if reader in beside.reports[card["name"]].readers]
        whole = [_of_grid(card["grid"], beside) if card["grid"] else card for card in own]
        if own:
            entries = list({entry["name"]: entry for entry in whole}.values())
            found.append({"heading": heading, "entries": entries, "published": beside.published and reader == "paper"})
    return found


# --- comparison of a grid ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Member:
    """A member of a grid, as far as it is known."""

    entry: Entry
    values: dict[str, str]
    numbers: tuple[KeyNumber, ...] = ()

    @property
    def by_name(self) -> dict[str, KeyNumber]:
        """The key numbers by their names."""
        return {number.name: number for number in self.numbers}

    @property
    def for_page(self) -> dict[str, Any]:
        """What the template asks, without what may change from one call to the next."""
        status = "ok" if self.entry.status == "unchanged" else self.entry.status
        label = ", ".join(f"{name} = {value}" for name, value in self.values.items())
        return _of_entry(self.entry, status=status, style=status.replace(" ", "-").lower(), label=label)


def to_comparison(grid: Grid, members: Sequence[Member]) -> str:
    """Return the page that compares the members of a grid."""
    complete = [member for member in members if member.numbers]
    numbers = list({number.name: number for member in complete for number in member.numbers}.values())

    def varies(name: str) -> bool:
        found = (member.by_name.get(name) for member in complete)
        return len({(number.as_text, number.interval) if number else None for number in found}) > 1

    different = [number for number in numbers if len(complete) < 2 or varies(number.name)]
    alike = [number for number in numbers if all(number is not other for other in different)]
    shown = [member.for_page for member in members]
    incomplete = [member for member in shown if member["status"] != "ok"]
    saved = csv_address(_csv_of_grid(members, numbers))
    return to_page(
        "comparison.html",
        heading=grid.title,
        grid=grid,
        members=shown,
        notebook=members[0].entry.notebook,
        n_complete=len(members) - len(incomplete),
        incomplete=incomplete,
        tables=_tables(different, members),
        alike=[{"number": number, "text": _text(number)} for number in alike],
        csv=saved if numbers and len(saved) <= _MOST_CSV else "",
    )


def _text(number: KeyNumber | None) -> dict[str, str]:
    if number is None:
        return {"value": MISSING, "interval": "", "unit": ""}
    return {"value": number.as_text, "interval": number.interval, "unit": number.unit}


def _tables(numbers: Sequence[KeyNumber], members: Sequence[Member]) -> list[dict[str, Any]]:
    """All numbers of all members: a row for each member, or for each number where there are more of these than fit."""
    heads = [{"label": member.for_page["label"], "href": member.entry.page and member.entry.name} for member in members]
    columns = [
        {"label": number.label, "href": "", "cells": [_text(member.by_name.get(number.name)) for member in members]}
        for number in numbers
    ]
    if len(numbers) > _COLUMNS >= len(members):
        return [{"corner": "key number", "heads": heads, "rows": columns}]
    tables = []
    for some in (columns[i : i + _COLUMNS] for i in range(0, len(columns), _COLUMNS)):
        rows = [{**head, "cells": [column["cells"][i] for column in some]} for i, head in enumerate(heads)]
        tables.append({"corner": "member", "heads": some, "rows": rows})
    return tables


def _csv_of_grid(members: Sequence[Member], numbers: Sequence[KeyNumber]) -> Iterable[list[str]]:
    """A row for each member; of each number its value and the ends of its interval, as computed."""
    names = list(dict.fromkeys(name for member in members for name in member.values))
    columns = [f"{number.name}{end}" for number in numbers for end in ("", "_low", "_high")]
    yield ["report", "status", *names, *columns]
    for member in members:
        found = [member.by_name.get(number.name) for number in numbers]
        values = _exact(value for n in found for value in ((n.value, n.low, n.high) if n else (None, None, None)))
        parameters = [member.values.get(name, "") for name in names]
        yield [member.entry.name, member.for_page["status"], *parameters, *values]


# --- published numbers ------------------------------------------------------------------------------------------------


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
    """Return the page of all published numbers beside the computed ones; misprints have a table of their own."""
    papers: dict[str, dict[str, Any]] = {}
    rows, misprints = [], []
    for printed in numbers:
        paper, place = paper_and_place(printed.number.source, references, printed.paper)
        title = paper.title if isinstance(paper, Reference) else paper
        row = {"number": printed.number, "entry": _of_entry(printed.entry), "paper": title, "place": place}
        rows.append(row)
        if printed.number.evaluated is None:
            papers.setdefault(title.casefold(), _group(title, references or {}))["entries"].append(row)
        else:
            misprints.append(row)
    return to_page(
        "published.html",
        heading="All published numbers",
        papers=list(papers.values()),
        misprints=misprints,
        count=len(rows) - len(misprints),
        missing=[_of_entry(entry) for entry in missing],
        csv=csv_address(_csv_of_published(rows)),
    )


def _csv_of_published(rows: Iterable[dict[str, Any]]) -> Iterable[list[str]]:
    head = ["paper", "place", "what", "unit", "printed", "evaluated as printed", "computed", "low", "high", "note"]
    yield [*head, "the authors' code", "report", "name"]
    for row in rows:
        n: KeyNumber = row["number"]
        values = _exact([n.published, n.evaluated, n.value, n.low, n.high])
        yield [row["paper"], row["place"], n.label, n.unit, *values, n.reason, n.code, row["entry"]["name"], n.name]


# --- writing them -----------------------------------------------------------------------------------------------------


def write_overviews(target: Target, root: Path, reports: Mapping[str, Report], entries: Mapping[str, Entry]) -> None:
    """Write what is made from several reports; what has not changed is left as it is."""
    plain = [entry for entry in entries.values() if not reports[entry.name].grid]  # members have a page of their own
    data = {entry.name: found for entry in plain if (found := _read(target, entry))}
    grids = {report.grid: None for report in reports.values() if report.grid}
    comparisons = [grid.name for grid in grids if _compare(target, grid, reports, entries)]
    in_order = sorted(plain, key=lambda entry: (entry.notebook, entry.name))
    printed = [
        Printed(entry, number, reports[entry.name].paper)
        for entry in in_order
        for number in _numbers(data.get(entry.name))
        if number.beside is not None
    ]
    if printed:
        any_paper = any(report.paper for report in reports.values())
        waiting = [entry for entry in in_order if entry.name not in data]
        missing = [entry for entry in waiting if reports[entry.name].paper or not any_paper]
        _write_if_new(target.page("published"), to_published(printed, missing, read_references()))
    else:
        target.page("published").unlink(missing_ok=True)
    if reports:
        write_documents(target, root, next(iter(reports.values())).site)
    write_index(target, root, reports, entries, data, comparisons, bool(printed))


def write_documents(target: Target, root: Path, site: Site) -> None:
    """Write a page for each text in ``docs``; links to what has no page here are only their words."""
    for file in sorted((root / "docs").glob("*.md")):
        html = clean_html(str(_DOCUMENT(file.read_text(encoding="utf-8")))).html
        soup = BeautifulSoup(f"<main>{html}</main>", "html.parser")
        heading = plain_text(soup.h1.extract()) if soup.h1 else file.stem
        link_headings(soup)
        for link in soup.select("a[href]"):
            address = str(link["href"]).removeprefix("../notebooks/")
            target_file = address.partition("#")[0]
            if target_file.endswith(".md") and "/" not in target_file:
                link["href"] = f"docs/{address}"
            elif target_file.endswith(".ipynb") and "/" not in target_file:
                link["href"] = address
            elif target_file and ":" not in target_file:
                link.unwrap()
        for table in soup.select("table"):  # one that is wider than the page scrolls, by the keyboard, too
            table["tabindex"] = "0"
        link_pages(soup, site, "")
        body = Markup(soup.main.decode_contents() if soup.main else "")
        _write_if_new(target.page(f"doc-{file.stem}"), to_page("document.html", heading=heading, body=body))


def write_index(
    target: Target,
    root: Path,
    reports: Mapping[str, Report],
    entries: Mapping[str, Entry],
    data: Mapping[str, Mapping[str, Any]] | None = None,
    comparisons: Sequence[str] = (),
    published: bool = False,
) -> None:
    """Write the index; alone, without findings and figures, for a call that is stopped and has no time."""
    heading, about = _project(root)
    order = list(reports)  # of members, that of their file
    in_order = sorted(entries.values(), key=lambda entry: (entry.notebook, order.index(entry.name)))
    files = sorted(target.page("index").parent.glob("api*.html"))
    pages = tuple((file.name, file.stem.removeprefix("api").lstrip("-") or "overview") for file in files)
    beside = Beside(about, reports, data or {}, read_references(), comparisons, published, pages)
    _write_if_new(target.page("index"), to_index(in_order, heading, beside))


def _read(target: Target, entry: Entry) -> dict[str, Any] | None:
    """What stands beside a page, if it is what was written."""
    file = target.data(entry.name)
    try:
        return read_page_data(file) if entry.data and file_hash(file) == entry.data else None
    except (OSError, DataError):
        return None


def _numbers(data: Mapping[str, Any] | None) -> tuple[KeyNumber, ...]:
    try:
        return tuple(read_numbers(data)) if data else ()
    except (TypeError, ValueError):  # written by another version of this package
        return ()


def _compare(target: Target, grid: Grid, reports: Mapping[str, Report], entries: Mapping[str, Entry]) -> bool:
    """Write the comparison of a grid if any member is there; say whether."""
    own = {name: entries[name] for name, report in reports.items() if report.grid == grid}
    if not any(entry.page for entry in own.values()):
        return False
    values = _values(grid, reports, own)
    members = [Member(entry, values[name], _numbers(_read(target, entry))) for name, entry in own.items()]
    for file in (target.executed(grid.name), target.state(grid.name), target.data(grid.name)):
        file.unlink(missing_ok=True)  # of a report that had this name
    _write_if_new(target.page(grid.name), to_comparison(grid, members))
    return True


def _values(grid: Grid, reports: Mapping[str, Report], own: Mapping[str, Entry]) -> dict[str, dict[str, str]]:
    """The parameters in which members differ: those of the grid, and what only some were given by the command line."""
    given = [entry.changed or {} for entry in own.values() if entry.page]
    more = {name: {changed.get(name) for changed in given} for changed in given for name in changed}
    others = [name for name, texts in more.items() if name not in grid.varied and len(texts) > 1]
    return {
        name: {
            **{parameter: repr(value) for parameter, value in reports[name].varied.items()},
            **{parameter: (entry.changed or {}).get(parameter, "default") for parameter in others},
        }
        for name, entry in own.items()
    }


def _project(root: Path) -> tuple[str, str]:
    """Name and description of a project, for the head of its index."""
    try:
        project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        return f"{project['name']}: reports", str(project.get("description", ""))
    except (OSError, ValueError, KeyError, TypeError):
        return "Reports", ""


def _write_if_new(file: Path, text: str) -> None:
    try:
        if not file.is_file() or file.read_bytes() != text.encode():
            write_atomically(file, text)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(file)) from None
