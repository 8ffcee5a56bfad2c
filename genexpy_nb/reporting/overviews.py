"""Pages about reports: the index, all published numbers, and the texts in ``docs``."""

from __future__ import annotations

import re
import tomllib
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
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
from genexpy_nb.common.page_tables import csv_of
from genexpy_nb.reporting.dressing import drawn, link_headings, link_pages, plain_text
from genexpy_nb.reporting.html import POLICY, TEMPLATES, fonts
from genexpy_nb.reporting.inert import clean_html, dark_colours, printable
from genexpy_nb.reporting.references import Reference, Site, read_numbers, read_references
from genexpy_nb.reporting.spec import READERS, Report
from genexpy_nb.reporting.state import Entry, Target, read_page_data

_NO_PAPER = {True: "Beyond the papers", False: "All reports"}  # whether there are others that have one
_MOST_DRAWN = 2_000_000  # characters of the index
_INLINE = ("em", "strong", "code", "sub", "sup")
_MARKDOWN = mistune.create_markdown(escape=True)
_DOCUMENT = mistune.create_markdown(escape=True, plugins=["table"])


# --- what they have in common -----------------------------------------------------------------------------------------


@cache
def _templates() -> Environment:
    """Those in ``overview``; whatever they are given is escaped."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=select_autoescape(["html"]), trim_blocks=True, lstrip_blocks=True
    )
    code = r"<code>\1</code>"  # of what stands between backticks; all else as it is
    environment.filters["code"] = lambda text: Markup(re.sub(r"`([^`]+)`", code, str(escape(text))))
    return environment


def to_page(template: str, **values: Any) -> str:
    """Fill in one of the templates."""
    page = _templates().get_template(f"overview/{template}").render(policy=POLICY, fonts=Markup(fonts()), **values)
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
            caption = BeautifulSoup(inline(hero.get("caption", "")), "html.parser").get_text()
            card["picture"] = {"image": Markup(image), "caption": re.split(r"(?<=[.?!])\s", caption, maxsplit=1)[0]}
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
    return _of_entry(
        entry,
        paper=report.paper if report else "",
        place=report.place if report else "",
        findings=[{part: inline(text) for part, text in finding.items()} for finding in findings],
    )


def _groups(cards: Iterable[dict[str, Any]], beside: Beside) -> list[dict[str, Any]]:
    """The cards by paper; of each notebook the one with the fewest changes. What has no paper comes last."""
    alike: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for card in cards:
        alike.setdefault((card["notebook"], card["paper"]), []).append(card)
    groups: dict[str, dict[str, Any]] = {}
    for (_, paper), those in alike.items():
        title = beside.references[paper].title if paper in beside.references else paper
        group = groups.setdefault(title.casefold(), _group(title, beside.references))
        main, *variants = sorted(those, key=lambda card: len(card["changed"]))
        group["entries"].append({**main, "variants": variants})
    if "" in groups:
        groups[""]["heading"] = _NO_PAPER[len(groups) > 1]
        groups[""] = groups.pop("")
    return list(groups.values())


def _paths(cards: Sequence[dict[str, Any]], beside: Beside) -> list[dict[str, Any]]:
    """Where readers begin."""
    found = []
    for reader, heading in READERS.items():
        own = [card for card in cards if card["name"] in beside.reports]
        own = [card for card in own if reader in beside.reports[card["name"]].readers]
        if own:
            found.append({"heading": heading, "entries": own, "published": beside.published and reader == "paper"})
    return found


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
    who = re.split("[,(]", source.strip(), maxsplit=1)[0]
    return who.strip(), source.strip().removeprefix(who).lstrip(", ").strip()


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
        numbers = (n.published, n.evaluated, n.value, n.low, n.high)
        values = ["" if number is None else repr(number) for number in numbers]
        yield [row["paper"], row["place"], n.label, n.unit, *values, n.reason, n.code, row["entry"]["name"], n.name]


# --- writing them -----------------------------------------------------------------------------------------------------


def write_overviews(target: Target, root: Path, reports: Mapping[str, Report], entries: Mapping[str, Entry]) -> None:
    """Write what is made from several reports; what has not changed is left as it is."""
    data = {entry.name: found for entry in entries.values() if (found := _read(target, entry))}
    in_order = sorted(entries.values(), key=lambda entry: (entry.notebook, entry.name))
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
    write_index(target, root, reports, entries, data, bool(printed))


def write_documents(target: Target, root: Path, site: Site) -> None:
    """Write a page for each text in ``docs``; links to what has no page here are only their words."""
    for file in sorted((root / "docs").glob("*.md")):
        html = clean_html(str(_DOCUMENT(file.read_text(encoding="utf-8")))).html
        soup = BeautifulSoup(f"<main>{html}</main>", "html.parser")
        heading = plain_text(soup.h1.extract()) if soup.h1 else file.stem
        link_headings(soup)
        for word in soup.select("td:first-child:not(:has(code))") if file.stem == "vocabulary" else ():
            word["id"] = re.sub(r"\W+", "-", plain_text(word).partition(" (")[0].casefold())  # for links to it
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
    published: bool = False,
) -> None:
    """Write the index; alone, without findings and figures, for a call that is stopped and has no time."""
    heading, about = "Reports", ""
    with suppress(OSError, ValueError, KeyError, TypeError):
        project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        heading, about = f"{project['name']}: reports", str(project.get("description", ""))
    in_order = sorted(entries.values(), key=lambda entry: (entry.notebook, entry.name))
    files = sorted(target.page("index").parent.glob("api*.html"))
    pages = tuple((file.name, file.stem.removeprefix("api").lstrip("-") or "overview") for file in files)
    beside = Beside(about, reports, data or {}, read_references(), published, pages)
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


def _write_if_new(file: Path, text: str) -> None:
    try:
        if not file.is_file() or file.read_bytes() != text.encode():
            write_atomically(file, text)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(file)) from None
