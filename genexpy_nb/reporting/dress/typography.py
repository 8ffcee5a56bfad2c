"""Small things of typesetting that nobody should have to write."""

from __future__ import annotations

import re

from bs4 import BeautifulSoup, NavigableString

_BEFORE_UNIT = re.compile(r"(?<=\d) (?=%)")
_MINUS = re.compile(r"(?<![\w.\-)\]])-(?=\d+(?:\.\d+)?(?![\w-]))")
_AS_WRITTEN = ["pre", "code", "style", "script", "svg", "table"]


def set_numbers(soup: BeautifulSoup) -> None:
    """Write numbers in sentences as a printer would: a true minus sign, and no line end before a per cent sign."""
    for text in soup.find_all(string=re.compile(r"\d")):
        if type(text) is NavigableString and not text.find_parent(_AS_WRITTEN):
            written = _MINUS.sub("−", _BEFORE_UNIT.sub("\N{NO-BREAK SPACE}", text))
            if written != text:
                text.replace_with(written)
