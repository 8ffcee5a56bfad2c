"""Small things of typesetting that nobody should have to write."""

from __future__ import annotations

import re

from bs4 import BeautifulSoup, NavigableString

__all__ = ["keep_together"]

_BEFORE_UNIT = re.compile(r"(?<=\d) (?=%)")
_AS_WRITTEN = ["pre", "code", "style", "script", "svg", "table"]


def keep_together(soup: BeautifulSoup) -> None:
    """Let no line end between a number and its per cent sign.

    Parameters
    ----------
    soup : BeautifulSoup
        The page.

    Examples
    --------
    >>> soup = BeautifulSoup("<main><p>95 % of <code>5 % 2</code></p></main>", "html.parser")
    >>> keep_together(soup)
    >>> [str(text) for text in soup.find_all(string=True)]
    ['95\\xa0% of ', '5 % 2']
    """
    for text in soup.find_all(string=_BEFORE_UNIT):
        if type(text) is NavigableString and not text.find_parent(_AS_WRITTEN):
            text.replace_with(_BEFORE_UNIT.sub("\N{NO-BREAK SPACE}", text))
