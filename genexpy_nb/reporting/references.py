"""What pages refer to: papers, abbreviations, words, each other, and what the notebooks say of themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import nbformat
import pandas as pd
from ruamel.yaml import YAML

from genexpy_nb.common.errors import DataError
from genexpy_nb.common.page import KeyNumber, page_object

REFERENCES = Path(__file__).parent / "references.yaml"
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


def _read(file: Path) -> Any:
    """What a YAML file of ours holds; nothing if it is not there."""
    return (YAML(typ="safe", pure=True).load(file.read_text(encoding="utf-8")) if file.is_file() else None) or {}


def read_references(file: Path = REFERENCES) -> dict[str, Reference]:
    """Read a bibliography."""
    references = {}
    for key, entry in _read(file).items():
        texts = {name: str(text) for name, text in entry.items() if name != "more"}
        references[key] = Reference(key=key, more=tuple(entry.get("more", {}).items()), **texts)
    return references


def read_abbreviations(folder: Path) -> dict[str, dict[str, str]]:
    """Read what the abbreviations in the notebooks of a folder stand for."""
    return _read(folder / ABBREVIATIONS)


@dataclass(frozen=True)
class Site:
    """The pages that lie beside each other, in the order in which one would read them: notebook, report, title."""

    pages: tuple[tuple[str, str, str], ...] = ()

    def around(self, notebook: str) -> tuple[tuple[str, str, str] | None, tuple[str, str, str] | None]:
        """Return what comes before and after a notebook."""
        names = [page[0] for page in self.pages]
        if notebook not in names:
            return None, None
        i = names.index(notebook)
        return self.pages[i - 1] if i else None, self.pages[i + 1] if i + 1 < len(names) else None

    def page_of(self, notebook: str) -> str | None:
        """Return the address of a notebook's page: by its name, or by its number ("04")."""
        found = (report for name, report, _ in self.pages if notebook in (name, name[:2]))
        return next((f"{quote(report)}.html" for report in found), None)


# --- notebooks --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Chapter:
    """A notebook, as it opens and as it ended."""

    name: str
    title: str
    learn: str = ""
    need: str = ""
    reading: int | None = None
    with_exercises: int | None = None
    numbers: Mapping[str, KeyNumber] = field(default_factory=dict)

    @property
    def number(self) -> str:
        """The two digits that its name begins with."""
        return self.name[:2]


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
    text = _LINK.sub(r"\1", " ".join(markdown.split()))
    return re.sub(r"\\(.)|[*`]", r"\1", text)


def read_chapters(folder: Path, names: Iterable[str]) -> list[Chapter]:
    """Read notebooks as they were last executed."""
    return [_chapter(folder / name) for name in names]


def _chapter(file: Path) -> Chapter:
    node = nbformat.read(file, as_version=4)
    heads = [cell.source for cell in node.cells[:3] if cell.cell_type == "markdown"]
    outputs = [output for cell in node.cells for output in cell.get("outputs", ())]
    tables = [found for output in outputs if (found := page_object(output, "table")) and "numbers" in found]
    numbers = {number.name: number for table in tables for number in read_numbers(table)}
    return Chapter(file.stem, **opening("\n\n".join(heads)), numbers=numbers)


def read_numbers(data: Mapping[str, Any]) -> list[KeyNumber]:
    """Return the key numbers of what a notebook or the file beside a page holds; infinity is a number again."""
    return [KeyNumber(**{key: _number(key, value) for key, value in each.items()}) for each in data["numbers"]]


def _number(key: str, value: Any) -> Any:
    return float(value) if key in ("value", "low", "high", "published", "evaluated") and value is not None else value


def chapter_map(chapters: Iterable[Chapter]) -> pd.DataFrame:
    """Return what the notebooks ask of a reader."""
    rows = [(each.number, each.title, each.need, each.reading, each.with_exercises) for each in chapters]
    columns = ["notebook", "title", "need", "reading", "with_exercises"]
    return pd.DataFrame(rows, columns=columns).astype({"reading": "Int64", "with_exercises": "Int64"})


@dataclass(frozen=True)
class Term:
    """A word of the glossary."""

    term: str
    meaning: str
    symbol: str = ""
    notebook: str = ""
    elsewhere: Mapping[str, str] = field(default_factory=dict)


def read_glossary(file: Path) -> list[Term]:
    """Read a glossary."""
    if not file.is_file():
        raise DataError(f"{file}: no glossary can be read there")
    return [Term(**entry) for entry in _read(file)]
