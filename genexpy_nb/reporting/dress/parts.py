"""Pieces of HTML that the other modules share."""

from __future__ import annotations

from bs4 import BeautifulSoup, NavigableString, Tag


def new_element(tag: str, text: str, attributes: dict[str, str]) -> Tag:
    """Return a new element with a text in it."""
    made = BeautifulSoup("", "html.parser").new_tag(tag, attrs=attributes)
    made.string = text
    return made


def plain_text(whole: Tag) -> str:
    """Return the text of an element in one line, formulas as their TeX."""
    parts = [
        str(node.get("aria-label", "")) if isinstance(node, Tag) else str(node)
        for node in whole.descendants
        if (isinstance(node, Tag) and node.name == "svg") or isinstance(node, NavigableString)
    ]
    return " ".join("".join(parts).split())
