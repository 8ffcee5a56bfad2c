"""Which tables there are, which file holds each, and where the published ones are to be had."""

from __future__ import annotations

from pathlib import Path
from typing import TypedDict

from genexpy_nb.common.checksums import read_json
from genexpy_nb.common.errors import DataError

NAMES = ("encoders", "bigbench")
SOURCES = ("auto", "original", "bundled")
BASE_URL = "https://raw.githubusercontent.com"
#: ``data/make_<stem>.py`` makes the bundled table ``data/<stem>.parquet`` and ``data/<stem>.json``, its origin.
STEMS = {"encoders": "encoders", "bigbench": "fewshot"}


class PublishedTable(TypedDict):
    """What ``data/registry.json`` says of one published table; ``file`` is its name here, ``path`` its place there."""

    file: str
    repository: str
    commit: str
    path: str
    sha256: str
    bytes: int
    rows: int


def data_folder() -> Path:
    """Return where the bundled results lie: inside the package if it came as a wheel, beside it in a checkout.

    Examples
    --------
    >>> (data_folder() / "registry.json").is_file()
    True
    """
    package = Path(__file__).resolve().parents[1]
    return next((f for f in (package / "_data", package.parent / "data") if f.is_dir()), package / "_data")


def bundled_path(name: str) -> Path:
    """Return the parquet file with this project's own results."""
    return data_folder() / f"{STEMS[name]}.parquet"


def published(name: str) -> PublishedTable:
    """Return what is known of a published table."""
    path = data_folder() / "registry.json"
    about = read_json(path, "it says where the published tables are; take it from where this package came from")
    if name not in about:
        raise DataError(f"{path}, which says where the published tables are, has nothing on {name!r}")
    return about[name]


def url(name: str) -> str:
    """Return the address of a published table, of a pinned commit."""
    table = published(name)
    return f"{BASE_URL}/{table['repository']}/{table['commit']}/{table['path']}"
