"""What pages refer to: papers, abbreviations, each other, and what the notebooks say of themselves."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ruamel.yaml import YAML

from genexpy_nb.common.page import KeyNumber

ABBREVIATIONS = "abbreviations.yaml"  # beside the notebooks
_PART = re.compile(r"^\*\*(You will learn|You need|Time)\*\*\s+(.*?)(?=\n\s*\n|\n\*\*|\Z)", re.DOTALL | re.MULTILINE)
_MINUTES = re.compile(r"(?<!\d)(\d+) minutes to read(?:, (\d+) with the exercises)?")
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
_LINK = re.compile(r"\[([^\[\]]*)\]\([^)\[]*\)")


@dataclass(frozen=True)
class Reference:
    """A paper, book or repository that pages refer to."""

    key: str
    authors: str
    year: str
    title: str
    venue: str
    url: str
    short: str
    more: tuple[tuple[str, str], ...] = ()

    @property
    def addresses(self) -> tuple[str, ...]:
        """All addresses that lead to it."""
        return tuple(address for address in (self.url, *(address for _, address in self.more)) if address)


def read_yaml(file: Path) -> Any:
    """What a YAML file of ours holds; nothing if it is not there."""
    return (YAML(typ="safe", pure=True).load(file.read_text(encoding="utf-8")) if file.is_file() else None) or {}


@cache
def read_references() -> dict[str, Reference]:
    """Read the bibliography."""
    references = {}
    for key, entry in read_yaml(Path(__file__).parent / "references.yaml").items():
        texts = {name: str(text) for name, text in entry.items() if name != "more"}
        references[key] = Reference(key=key, more=tuple(entry.get("more", {}).items()), **texts)
    return references


def read_abbreviations(folder: Path) -> dict[str, dict[str, str]]:
    """Read what the abbreviations in the notebooks of a folder stand for."""
    return read_yaml(folder / ABBREVIATIONS)


@dataclass(frozen=True)
class Site:
    """The pages that lie beside each other, in the order in which one would read them: notebook, report, title."""

    pages: tuple[tuple[str, str, str], ...] = ()

    def around(self, notebook: str) -> tuple[tuple[str, str, str] | None, tuple[str, str, str] | None]:
        """Return what comes before and after a notebook."""
        around = zip((None, *self.pages), self.pages, (*self.pages[1:], None), strict=False)
        return next(((before, after) for before, page, after in around if page[0] == notebook), (None, None))

    def page_of(self, notebook: str) -> str | None:
        """Return the address of a notebook's page: by its name, or by its number ("04")."""
        found = (report for name, report, _ in self.pages if notebook in (name, name[:2]))
        return next((f"{quote(report)}.html" for report in found), None)


# --- notebooks --------------------------------------------------------------------------------------------------------


def opening(text: str) -> dict[str, Any]:
    """Read the opening of a notebook."""
    title = _TITLE.search(text)
    parts = {name: _plain(said) for name, said in _PART.findall(text)}
    minutes = _MINUTES.search(parts.get("Time", ""))
    reading, with_exercises = (n and int(n) for n in minutes.groups()) if minutes else (None, None)
    return {
        "title": _plain(title[1]) if title else "",
        "learn": parts.get("You will learn", ""),
        "need": parts.get("You need", ""),
        "reading": reading,
        "with_exercises": with_exercises,
    }


def _plain(markdown: str) -> str:
    """Text without links and emphasis, in one line."""
    return re.sub(r"\\(.)|[*`]", r"\1", _LINK.sub(r"\1", " ".join(markdown.split())))


def read_numbers(data: Mapping[str, Any]) -> list[KeyNumber]:
    """Return the key numbers of what a notebook or the file beside a page holds; infinity is a number again."""
    return [KeyNumber(**{key: _number(key, value) for key, value in each.items()}) for each in data["numbers"]]


def _number(key: str, value: Any) -> Any:
    return float(value) if key in ("value", "low", "high", "published", "evaluated") and value is not None else value
