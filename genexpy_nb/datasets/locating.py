"""Find a results table: in the folder that the user names, in the cache, at its authors', or among the bundled ones."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq

from genexpy_nb.common.checks import check_choice
from genexpy_nb.common.checksums import read_verified
from genexpy_nb.common.errors import DataError
from genexpy_nb.datasets import downloading, registry
from genexpy_nb.datasets.records import read_content

_OWN_RUNS = {"encoders": "categorical encoders", "bigbench": "few-shot classifiers"}
_unreachable: dict[str, str] = {}  # why a download failed in this process: `auto` does not wait for it twice


@dataclass(frozen=True)
class Located:
    """A results table on disk, verified but not loaded."""

    name: str
    source: str
    path: Path
    sha256: str
    note: str


def locate(name: str, source: str = "auto") -> Located:
    """Find a results table, download it if need be, and verify its SHA-256, without loading it.

    The published table is looked for in the folder that the environment variable ``GENEXPY_NB_DATA`` names, then in
    the cache, then where its authors published it. Under ``"auto"``, a warning says so if it was not to be had.

    Parameters
    ----------
    name : {"encoders", "bigbench"}
        Which table.
    source : {"auto", "original", "bundled"}
        As in `load_encoders`.

    Returns
    -------
    Located
        Name, source, path, SHA-256 and a note on the origin.

    Raises
    ------
    DataError
        If the file is missing or damaged. A damaged file is an error under ``"auto"`` too.
    ParameterError
        If ``name`` or ``source`` is unknown.

    Examples
    --------
    >>> locate("bigbench", source="bundled").path.name
    'fewshot.parquet'
    """
    located, _ = find(name, source)
    warn_of_fallback(source, located)
    return located


def find(name: str, source: str) -> tuple[Located, bytes]:
    """Do what `locate` does, but leave the warning to the caller, and give the bytes that were verified, too."""
    check_choice("name", name, registry.NAMES)
    check_choice("source", source, registry.SOURCES)
    if source == "bundled":
        return _bundled(name)
    found = _on_this_disk(name)
    if found is not None:
        return found
    # Who insists on the original gets a fresh attempt; `auto` remembers that it failed.
    if source == "original" or name not in _unreachable:
        try:
            return _downloaded(name)
        except downloading.UnreachableError:
            if source == "original":
                raise
    named = os.environ.get("GENEXPY_NB_DATA")
    lacks = f"GENEXPY_NB_DATA names no folder with {registry.published(name)['file']}, and " if named else ""
    return _bundled(name, because=lacks + _unreachable[name])


def warn_of_fallback(source: str, located: Located, stacklevel: int = 3) -> None:
    """Warn if the published table was asked for under ``"auto"`` and the bundled one was taken."""
    if source == "auto" and located.source == "bundled":
        warnings.warn(f"{located.name}: {located.note}", UserWarning, stacklevel=stacklevel)


def fetch(names: str | Iterable[str] = registry.NAMES) -> list[Located]:
    """Download published tables into the cache; a damaged file there is replaced, a good one is kept.

    Parameters
    ----------
    names : str or iterable of str
        Of `NAMES`; by default all.

    Returns
    -------
    list of Located
        One entry per name.

    Raises
    ------
    DataError
        If a download fails or brings something else than the published file. Nothing is left behind.
    ParameterError
        If a name is unknown.

    Examples
    --------
    >>> fetch("encoder")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    genexpy_nb.common.errors.ParameterError: names must be one of 'encoders', 'bigbench', got 'encoder'; did you ...
    """
    names = [names] if isinstance(names, str) else list(names)
    for name in names:
        check_choice("names", name, registry.NAMES)
    return [_downloaded(name)[0] for name in names]


def status() -> pd.DataFrame:
    """List which tables are here, without touching the network.

    Returns
    -------
    DataFrame of shape (4, 6)
        One row per name and variant: ``name``, ``variant`` (original or bundled), ``available`` (present and
        intact), ``where`` (path, or the address to download from), ``sha256_ok`` (missing if there is no file) and
        ``rows`` (missing if not available).

    Examples
    --------
    >>> list(status().columns)
    ['name', 'variant', 'available', 'where', 'sha256_ok', 'rows']
    """
    rows: list[dict[str, Any]] = []
    for name in registry.NAMES:
        for variant, look in (("original", _on_this_disk), ("bundled", _bundled)):
            path = _path_on_this_disk(name) if variant == "original" else registry.bundled_path(name)
            try:
                found = look(name)
            except DataError:
                found = None
            rows.append(
                {
                    "name": name,
                    "variant": variant,
                    "available": found is not None,
                    "where": registry.url(name) if path is None else str(path),
                    "sha256_ok": found is not None if path is not None and path.is_file() else pd.NA,
                    "rows": pd.NA if found is None else pq.read_metadata(io.BytesIO(found[1])).num_rows,
                }
            )
    return pd.DataFrame(rows).astype({"sha256_ok": "boolean", "rows": "Int64"})


def _on_this_disk(name: str) -> tuple[Located, bytes] | None:
    """The published table, verified; None if there is none here."""
    path = _path_on_this_disk(name)
    return None if path is None else _original(name, path)


def _path_on_this_disk(name: str) -> Path | None:
    folders = [downloading.cache_folder()]
    if os.environ.get("GENEXPY_NB_DATA"):
        folders.insert(0, Path(os.environ["GENEXPY_NB_DATA"]).expanduser())
    paths = (folder / registry.published(name)["file"] for folder in folders)
    return next((path for path in paths if path.is_file()), None)


def _original(name: str, path: Path) -> tuple[Located, bytes]:
    table = registry.published(name)
    in_cache = path.parent == downloading.cache_folder()
    remedy = (
        f"delete it, or replace it with `genexpy-nb data fetch {name}`"
        if in_cache
        else "delete it, or put the published file there (it is in the folder that GENEXPY_NB_DATA names)"
    )
    content = read_verified(path, table["sha256"], remedy, table["bytes"])
    note = f"published in github.com/{table['repository']} at commit {table['commit'][:12]}"
    return Located(name, "original", path, table["sha256"], note), content


def _downloaded(name: str) -> tuple[Located, bytes]:
    """The published table, from its authors; if they cannot be reached, that is remembered."""
    try:
        return _original(name, downloading.download(name))
    except downloading.UnreachableError as error:
        _unreachable[name] = str(error)
        raise downloading.UnreachableError(
            f"{name}: the published table cannot be had: {error}. Download {registry.url(name)} on another machine "
            f"and let GENEXPY_NB_DATA (now: {os.environ.get('GENEXPY_NB_DATA') or 'not set'}) name the folder that "
            f"holds it as {registry.published(name)['file']}, or use source='bundled'"
        ) from error


def _bundled(name: str, because: str = "") -> tuple[Located, bytes]:
    """This project's own results, verified against the JSON that the script wrote beside them."""
    path = registry.bundled_path(name)
    also = f" (the published table: {because})" if because else ""
    remedy = f"make it again with `python data/make_{registry.STEMS[name]}.py`{also}"
    content, about = read_content(path, remedy)
    reason = f"; the published table cannot be had: {because}" if because else ""
    note = f"this project's own runs of {_OWN_RUNS[name]}, {path.name}{reason}"
    return Located(name, "bundled", path, about["sha256"], note), content
