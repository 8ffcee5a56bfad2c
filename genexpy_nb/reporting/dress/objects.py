"""Findings, figures and tables of a page: numbered, with caption and text for those who cannot see them, linkable."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bs4 import BeautifulSoup, Tag

from genexpy_nb.reporting.choices import choices_html
from genexpy_nb.reporting.dress.parts import new_element, plain_text

_KINDS = {"figure": "Figure", "table": "Table", "choices": "Figure"}


def dress_objects(soup: BeautifulSoup, objects: Sequence[Mapping[str, Any]], report: str) -> Iterator[str]:
    """Turn what `genexpy_nb.common.page` showed into numbered figures and tables, and fill the references to them."""
    found = [(place, objects[int(str(place["data-object"]))]) for place in soup.select("[data-object]")]
    captions = {str(said.get("of")): place for place, said in found if said["kind"] == "caption"}
    numbers: Counter[str] = Counter()
    labels: dict[str, str] = {}
    for place, said in found:
        kind = said["kind"]
        if kind == "findings":
            _dress_findings(soup, place, said)
        elif kind in _KINDS:
            word, name = _KINDS[kind], f"{_KINDS[kind].lower()}-{said.get('name')}"
            if name in labels:
                yield f"two of the page's figures or tables are called {name!r}; each needs a name of its own"
                continue
            numbers[word] += 1
            labels[name] = f"{word} {numbers[word]}"
            caption = captions.pop(name, None)
            _dress(soup, place, said, name, labels[name], caption, report)
    yield from _fill_references(soup, labels)


def _dress_findings(soup: BeautifulSoup, place: Tag, said: Mapping[str, Any]) -> None:
    """Tell number, certainty and sentence of each finding apart."""
    for item, finding in zip(place.select("li"), said.get("items", ()), strict=False):
        strong = item.find("strong")
        if strong is not None:
            strong["class"] = "finding-value"
        sure = item.find("em") if finding.get("sure") else None
        if sure is not None:
            sure.name, sure["class"] = "span", "finding-sure"
        rest = soup.new_tag("span", attrs={"class": "finding-text"})
        rest.extend([node.extract() for node in list(item.contents) if node is not strong and node is not sure])
        item.append(rest)  # number and sentence belong together; how sure it is comes last
        if sure is not None:
            item.append(sure.extract())
    for ul in place.select("ul"):
        ul["class"] = "finding-list"


def _dress(
    soup: BeautifulSoup,
    place: Tag,
    said: Mapping[str, Any],
    name: str,
    label: str,
    caption: Tag | None,
    report: str,
) -> None:
    """Put a figure or table, with its caption, into an element of its own."""
    kind = str(said["kind"])
    figure = soup.new_tag("figure", attrs={"id": name, "class": f"{kind}-object"})
    text = soup.new_tag("figcaption")
    text.append(new_element("a", f"{label}.", {"class": "number", "href": f"#{name}"}))
    if caption is not None:
        paragraphs = caption.select(".jp-RenderedMarkdown > *")
        for paragraph in paragraphs:
            text.append(" ")
            text.extend([node.extract() for node in list(paragraph.contents)])
        caption.decompose()
    if "csv" in said:
        data = b64encode(("\ufeff" + str(said["csv"])).encode()).decode("ascii")
        link = {
            "class": "csv",
            "href": f"data:text/csv;charset=utf-8;base64,{data}",
            "download": f"{report}-{name}.csv",
        }
        text.append(" ")
        text.append(new_element("a", "CSV", {**link, "aria-label": f"{label} as CSV"}))
    place.replace_with(figure)
    figure.append(place)
    del place["data-object"]
    if kind == "choices":
        place.clear()
        place.append(BeautifulSoup(choices_html(said, f"{name}-c"), "html.parser"))
    for image in figure.select("img"):
        image["alt"] = str(said.get("alt") or image.get("alt") or "")
    figure.insert(0 if kind == "table" else len(figure.contents), text)
    for region in figure.select('[role="region"]'):
        region["aria-label"] = f"{label}, scrolls"


def _fill_references(soup: BeautifulSoup, labels: Mapping[str, str]) -> Iterator[str]:
    """Give links to a figure or table its number as their text, if they have none of their own."""
    for link in soup.select('main a[href^="#figure-"], main a[href^="#table-"]'):
        name = str(link["href"])[1:]
        if "number" in (link.get("class") or ()):
            continue
        if name not in labels:
            if soup.find(id=name) is None:
                yield f"the text refers to {name!r}, which the page does not have"
            continue
        if plain_text(link).casefold() in ("", "figure", "table", "the figure", "the table"):
            link.string = labels[name]
