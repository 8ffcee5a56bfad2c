"""The papers, books and repositories that pages refer to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ruamel.yaml import YAML

__all__ = ["ABBREVIATIONS", "REFERENCES", "Reference", "read_abbreviations", "read_references"]

REFERENCES = Path(__file__).parent / "references.yaml"
ABBREVIATIONS = "abbreviations.yaml"  # beside the notebooks


@dataclass(frozen=True)
class Reference:
    """A paper, book or repository that pages refer to.

    Parameters
    ----------
    key : str
        In ``references.yaml``.
    authors, year, title, venue : str
        As in a bibliography.
    url : str
        DOI or other lasting address; empty if none is known.
    short : str
        "Matteucci et al. (2025)".
    more : tuple of (str, str)
        Further addresses, each with what is there: code, data, preprint.

    Examples
    --------
    >>> Reference("a2020", "Ann A", "2020", "T", "J", "https://doi.org/1", "A (2020)").short
    'A (2020)'
    """

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
    """Read a bibliography.

    Parameters
    ----------
    file : Path
        YAML: a mapping of key to the fields of `Reference`; ``more`` is a mapping of what to address.

    Returns
    -------
    dict of str to Reference
        Empty if there is no such file.
    """
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
    """Read what the abbreviations in the notebooks of a folder stand for.

    Parameters
    ----------
    folder : Path
        Of notebooks. Its ``abbreviations.yaml`` maps the name of a notebook, or ``all``, to abbreviations and meanings.

    Returns
    -------
    dict of str to dict
        Empty if there is no such file.
    """
    file = folder / ABBREVIATIONS
    if not file.is_file():
        return {}
    return YAML(typ="safe", pure=True).load(file.read_text(encoding="utf-8")) or {}
