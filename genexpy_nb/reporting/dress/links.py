"""From one page to the next: other notebooks, cited papers, what an abbreviation stands for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from bs4 import BeautifulSoup, NavigableString, Tag

from genexpy_nb.reporting.dress.parts import new_element
from genexpy_nb.reporting.references import Reference
from genexpy_nb.reporting.site import Site

_NOTEBOOK = re.compile(r"(?P<name>\d\d_\w+)\.ipynb(?P<anchor>#[\w-]+)?")
_NUMBERED = re.compile(r"\b[Nn]otebook (?P<number>\d\d)\b")
_HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"]
_NO_LINKS_IN = [*_HEADINGS, "a", "code", "pre", "script", "style", "svg", "abbr", "summary", "nav"]


def link_pages(soup: BeautifulSoup, site: Site, own: str) -> None:
    """Let links to notebooks, and their numbers in the text, lead to their pages."""
    for link in soup.select("main a[href]"):
        found = _NOTEBOOK.fullmatch(str(link["href"]))
        page = site.page_of(found["name"]) if found else None
        if found and page:
            link["href"] = f"{page}{found['anchor'] or ''}" if found["name"] != own else found["anchor"] or "#content"
        elif found:
            link.unwrap()  # there is no page of it here
    for text in _texts(soup.select("main .jp-RenderedMarkdown, main .finding-text, main figcaption")):
        pieces = _link_numbers(str(text), site, own)
        if len(pieces) > 1:
            text.replace_with(*pieces)


def _link_numbers(text: str, site: Site, own: str) -> list[NavigableString | Tag]:
    pieces: list[NavigableString | Tag] = []
    end = 0
    for found in _NUMBERED.finditer(text):
        page = site.page_of(found["number"])
        if page is None or own.startswith(found["number"]):
            continue
        pieces += [NavigableString(text[end : found.start()]), new_element("a", found[0], {"href": page})]
        end = found.end()
    return [*pieces, NavigableString(text[end:])]


def _texts(places: Iterable[Tag]) -> list[NavigableString]:
    """Texts of a page that may become links, each once."""
    texts = {id(text): text for place in places for text in place.find_all(string=True)}
    # of this very class: what is derived from it is no text of the page, but a comment or the like
    return [text for text in texts.values() if type(text) is NavigableString and not text.find_parent(_NO_LINKS_IN)]


def name_abbreviations(soup: BeautifulSoup, meanings: Mapping[str, str]) -> None:
    """Say what abbreviations stand for: in words where they first occur in the text, on hover everywhere else."""
    if not meanings:
        return
    pattern = re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, sorted(meanings, key=len, reverse=True)))})(?![\w-])")
    spelled: set[str] = set()
    places = "main .finding-text, main .jp-RenderedMarkdown > *, main figcaption, main .jp-RenderedHTML :is(th, td)"
    for place in soup.select(places):
        seen: set[str] = set()
        prose = place.name in ("p", "li", "ul", "ol")
        said = place.get_text().casefold()
        for text in _texts([place]):
            pieces: list[NavigableString | Tag] = []
            end = 0
            for found in pattern.finditer(str(text)):
                short = found[0]
                if short in seen and short in spelled:
                    continue
                pieces += [
                    NavigableString(str(text)[end : found.start()]),
                    new_element("abbr", short, {"title": meanings[short]}),
                ]
                if prose and short not in spelled:
                    spelled.add(short)
                    if meanings[short].casefold() not in said:
                        before = str(text)[: found.start()]
                        first, last = "[]" if before.count("(") > before.count(")") else "()"
                        pieces.append(new_element("span", f" {first}{meanings[short]}{last}", {"class": "meaning"}))
                seen.add(short)
                end = found.end()
            if pieces:
                text.replace_with(*pieces, NavigableString(str(text)[end:]))


def cite(soup: BeautifulSoup, references: Mapping[str, Reference], own: Sequence[str] = ()) -> None:
    """List the papers that a page links to, at its end; each once, by the first author's surname."""
    place = soup.select_one("section.bibliography")
    if place is None:
        return
    linked = {str(link["href"]).rstrip("/") for link in soup.select("main a[href]")}
    cited = [
        reference
        for key, reference in references.items()
        if key in own or any(address.rstrip("/") in linked for address in reference.addresses)
    ]
    if not cited:
        place.decompose()
        return
    entries = soup.new_tag("ul")
    for reference in sorted(cited, key=lambda reference: (reference.short.casefold(), reference.title)):
        item = soup.new_tag("li", attrs={"id": f"ref-{reference.key}"})
        item.append(f"{reference.authors} ({reference.year}). ")
        item.append(new_element("cite", reference.title, {}))
        stop = "" if reference.title.endswith(("?", "!")) else "."
        item.append(f"{stop} {reference.venue}. " if reference.venue else f"{stop} ")
        for what, address in ((("", reference.url),) if reference.url else ()) + reference.more:
            item.append(
                new_element("a", what or address.removeprefix("https://"), {"href": address, "rel": "noreferrer"})
            )
            item.append(" ")
        entries.append(item)
    place.append(entries)
