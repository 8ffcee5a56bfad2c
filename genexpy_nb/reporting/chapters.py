"""What the notebooks say of themselves: what they ask of a reader, how long they take, what they recorded, words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
from nbformat import NotebookNode

from genexpy_nb.common.errors import DataError
from genexpy_nb.common.page import KeyNumber, page_object
from genexpy_nb.reporting.page_data import read_numbers
from genexpy_nb.reporting.yaml_text import read_yaml

_PART = re.compile(r"^\*\*(You will learn|You need|Time)\*\*\s+(.*?)(?=\n\s*\n|\n\*\*|\Z)", re.DOTALL | re.MULTILINE)
_MINUTES = re.compile(r"(\d+) minutes to read(?:, (\d+) with the exercises)?")
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


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


@dataclass(frozen=True)
class Term:
    """A word of the glossary."""

    term: str
    meaning: str
    symbol: str = ""
    notebook: str = ""
    elsewhere: Mapping[str, str] = field(default_factory=dict)


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
    try:
        node = nbformat.read(file, as_version=4)
    except Exception:  # nbformat has errors of its own, without a common parent
        raise DataError(f"{file}: no notebook can be read there") from None
    heads = [cell.source for cell in node.cells[:3] if cell.cell_type == "markdown"]
    return Chapter(file.stem, **opening("\n\n".join(heads)), numbers=_recorded(node))


def _recorded(node: NotebookNode) -> dict[str, KeyNumber]:
    tables = [
        found
        for cell in node.cells
        for output in cell.get("outputs", ())
        if (found := page_object(output, "table")) and "numbers" in found
    ]
    return {number.name: number for table in tables for number in read_numbers(table)}


def chapter_map(chapters: Iterable[Chapter]) -> pd.DataFrame:
    """Return what the notebooks ask of a reader."""
    rows = [(each.number, each.title, each.need, each.reading, each.with_exercises) for each in chapters]
    columns = ["notebook", "title", "need", "reading", "with_exercises"]
    return pd.DataFrame(rows, columns=columns).astype({"reading": "Int64", "with_exercises": "Int64"})


def read_glossary(file: Path) -> list[Term]:
    """Read a glossary."""
    try:
        entries = read_yaml(file.read_text(encoding="utf-8"), file.name)
    except (OSError, UnicodeDecodeError):
        raise DataError(f"{file}: no glossary can be read there") from None
    try:
        terms = [Term(**entry) for entry in entries]
    except TypeError as error:
        raise DataError(f"{file}: an entry is not as it should be: {error}") from None
    for each in terms:
        texts = [each.term, each.meaning, each.symbol, each.notebook, *each.elsewhere.values()]
        if not all(isinstance(text, str) for text in texts):
            raise DataError(f"{file}: what is said of {each.term!r} must be text; quote numbers, and what has a comma")
    return terms
