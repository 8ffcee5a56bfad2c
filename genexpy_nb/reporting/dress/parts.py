"""Pieces of HTML that the other modules share."""

from __future__ import annotations

from bs4 import BeautifulSoup, NavigableString, Tag

__all__ = ["new_element", "plain_text"]


def new_element(tag: str, text: str, attributes: dict[str, str]) -> Tag:
    """Return a new element with a text in it.

    Parameters
    ----------
    tag, text : str
        Name, and what it holds; escaped when it is written.
    attributes : dict of str to str
        Of the element.

    Examples
    --------
    >>> str(new_element("a", "1 < 2", {"href": "#x"}))
    '<a href="#x">1 &lt; 2</a>'
    """
    made = BeautifulSoup("", "html.parser").new_tag(tag, attrs=attributes)
    made.string = text
    return made


def plain_text(whole: Tag) -> str:
    """Return the text of an element in one line, formulas as their TeX.

    Parameters
    ----------
    whole : Tag
        Any.

    Examples
    --------
    >>> plain_text(BeautifulSoup('<p>about <svg aria-label="n^*"></svg></p>', "html.parser"))
    'about n^*'
    """
    parts = [
        str(node.get("aria-label", "")) if isinstance(node, Tag) else str(node)
        for node in whole.descendants
        if (isinstance(node, Tag) and node.name == "svg") or isinstance(node, NavigableString)
    ]
    return " ".join("".join(parts).split())
