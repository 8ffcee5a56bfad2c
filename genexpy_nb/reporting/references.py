"""The papers, books and repositories that pages refer to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ruamel.yaml import YAML

REFERENCES = Path(__file__).parent / "references.yaml"
ABBREVIATIONS = "abbreviations.yaml"  # beside the notebooks


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


def read_references(file: Path = REFERENCES) -> dict[str, Reference]:
    """Read a bibliography."""
    if not file.is_file():
        return {}
    entries = YAML(typ="safe", pure=True).load(file.read_text(encoding="utf-8")) or {}
    references = {}
    for key, entry in entries.items():
        texts = {name: str(text) for name, text in entry.items() if name != "more"}
        more = tuple((str(what), str(address)) for what, address in entry.get("more", {}).items())
        references[key] = Reference(key=key, more=more, **texts)
    return references


def read_abbreviations(folder: Path) -> dict[str, dict[str, str]]:
    """Read what the abbreviations in the notebooks of a folder stand for."""
    file = folder / ABBREVIATIONS
    if not file.is_file():
        return {}
    return YAML(typ="safe", pure=True).load(file.read_text(encoding="utf-8")) or {}
