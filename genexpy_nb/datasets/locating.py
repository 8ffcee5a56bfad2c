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
import requests

from genexpy_nb.common.checks import check_choice
from genexpy_nb.common.errors import DataError
from genexpy_nb.common.files import read_json, read_verified
from genexpy_nb.datasets import NAMES, SOURCES
from genexpy_nb.datasets.opening import read_content

with warnings.catch_warnings():  # its progress bar asks every notebook for ipywidgets, and names a path in doing so
    warnings.filterwarnings("ignore", message="IProgress not found")
    import pooch

BASE_URL = "https://raw.githubusercontent.com"
#: ``data/make_<stem>.py`` makes the bundled table ``data/<stem>.parquet`` and ``data/<stem>.json``, its origin.
STEMS = {"encoders": "encoders", "bigbench": "fewshot"}
TIMEOUT = 3.0  # seconds to wait for a connection, and for the server's next bytes
RETRIES = 2  # of who insists on the original; `auto` has something to fall back on
_OWN_RUNS = {"encoders": "runs of categorical encoders", "bigbench": "few-shot classifiers"}
_unreachable: dict[str, str] = {}  # why a download failed in this process: `auto` does not wait for it twice


class UnreachableError(DataError):
    """A published table cannot be downloaded now; the only failure after which ``auto`` falls back."""


@dataclass(frozen=True)
class Located:
    """A results table on disk, verified but not loaded: its name, source, path, SHA-256 and a note on the origin."""

    name: str
    source: str
    path: Path
    sha256: str
    note: str


# --- what there is ----------------------------------------------------------------------------------------------------


def data_folder() -> Path:
    """Return where the bundled results lie: inside the package if it came as a wheel, beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    return next((f for f in (package / "_data", package.parent / "data") if f.is_dir()), package / "_data")


def cache_folder() -> Path:
    """Return where downloaded tables are kept."""
    return Path(pooch.os_cache("genexpy_nb"))


def bundled_path(name: str) -> Path:
    """Return the parquet file with this project's own results."""
    return data_folder() / f"{STEMS[name]}.parquet"


def published(name: str) -> dict[str, Any]:
    """Return what ``data/registry.json`` says of a published table, and its address, of a pinned commit, as ``url``."""
    path = data_folder() / "registry.json"
    table = read_json(path, "it says where the published tables are; take it from where this package came from")[name]
    return table | {"url": f"{BASE_URL}/{table['repository']}/{table['commit']}/{table['path']}"}


# --- finding ----------------------------------------------------------------------------------------------------------


def locate(name: str, source: str = "auto") -> Located:
    """Find a results table, download it if need be, and verify its SHA-256, without loading it."""
    return find(name, source)[0]


def find(name: str, source: str, stacklevel: int = 3) -> tuple[Located, bytes]:
    """Do what `locate` does, and give the bytes that were verified, too."""
    check_choice("name", name, NAMES)
    check_choice("source", source, SOURCES)
    if source == "bundled":
        return _bundled(name)
    found = _on_this_disk(name)
    # Who insists on the original gets a fresh attempt; `auto` remembers that it failed.
    if found is None and (source == "original" or name not in _unreachable):
        try:
            found = _downloaded(name, RETRIES if source == "original" else 0)
        except UnreachableError:
            if source == "original":
                raise
    if found is None:
        named = os.environ.get("GENEXPY_NB_DATA")
        lacks = f"GENEXPY_NB_DATA names no folder with {published(name)['file']}, and " if named else ""
        found = _bundled(name, because=lacks + _unreachable[name])
        warnings.warn(f"{name}: {found[0].note}", UserWarning, stacklevel=stacklevel)
    return found


def fetch(names: str | Iterable[str] = NAMES) -> list[Located]:
    """Download published tables into the cache; a damaged file there is replaced, a good one is kept."""
    names = [names] if isinstance(names, str) else list(names)
    for name in names:
        check_choice("names", name, NAMES)
    return [_downloaded(name, RETRIES)[0] for name in names]


def status() -> pd.DataFrame:
    """List which tables are here, and intact, without touching the network."""
    rows: list[dict[str, Any]] = []
    for name in NAMES:
        for variant, look in (("original", _on_this_disk), ("bundled", _bundled)):
            path = _path_on_this_disk(name) if variant == "original" else bundled_path(name)
            try:
                found = look(name)
            except DataError:
                found = None
            row: dict[str, Any] = {"name": name, "variant": variant, "available": found is not None}
            row["where"] = published(name)["url"] if path is None else str(path)
            row["sha256_ok"] = found is not None if path is not None and path.is_file() else pd.NA
            row["rows"] = pd.NA if found is None else pq.read_metadata(io.BytesIO(found[1])).num_rows
            rows.append(row)
    return pd.DataFrame(rows).astype({"sha256_ok": "boolean", "rows": "Int64"})


def _path_on_this_disk(name: str) -> Path | None:
    named = os.environ.get("GENEXPY_NB_DATA")
    folders = [*([Path(named).expanduser()] if named else []), cache_folder()]
    return next((path for folder in folders if (path := folder / published(name)["file"]).is_file()), None)


def _on_this_disk(name: str) -> tuple[Located, bytes] | None:
    """The published table, verified; None if there is none here."""
    path = _path_on_this_disk(name)
    return None if path is None else _original(name, path)


def _original(name: str, path: Path) -> tuple[Located, bytes]:
    table = published(name)
    remedy = (
        f"delete it, or replace it with `genexpy-nb data fetch {name}`"
        if path.parent == cache_folder()
        else "delete it, or put the published file there (it is in the folder that GENEXPY_NB_DATA names)"
    )
    content = read_verified(path, table["sha256"], remedy)
    note = f"published in github.com/{table['repository']} at commit {table['commit'][:12]}"
    return Located(name, "original", path, table["sha256"], note), content


def _downloaded(name: str, retries: int) -> tuple[Located, bytes]:
    """The published table, from its authors; if they cannot be reached, that is remembered."""
    table, logger = published(name), pooch.get_logger()
    file, level = table["file"], logger.level
    logger.setLevel("WARNING")  # its line names the cache folder, which would end up in notebooks
    try:
        known: dict[str, Any] = {"registry": {file: table["sha256"]}, "urls": {file: table["url"]}}
        fetcher = pooch.create(cache_folder(), base_url="", retry_if_failed=retries, **known)
        path = fetcher.fetch(file, downloader=pooch.HTTPDownloader(timeout=TIMEOUT))
    except ValueError as error:  # of pooch: the hash; of requests: an OSError too
        if not isinstance(error, OSError):
            raise DataError(
                f"what {table['url']} sent is damaged or another file: {' '.join(str(error).split())} Try again "
                "later, or use source='bundled'"
            ) from error
        raise
    except OSError as error:  # requests' errors are OSErrors
        _unreachable[name] = _why(error)
        raise UnreachableError(
            f"{name}: the published table cannot be had: {_unreachable[name]}. Download {table['url']} on another "
            f"machine and let GENEXPY_NB_DATA (now: {os.environ.get('GENEXPY_NB_DATA') or 'not set'}) name the folder "
            f"that holds it as {file}, or use source='bundled'"
        ) from error
    finally:
        logger.setLevel(level)
    return _original(name, Path(path))


def _why(error: OSError) -> str:
    """The reason in words that are the same each time (requests' own name objects by their address)."""
    if isinstance(error, requests.Timeout) or "timed out" in str(error):  # midway it is a ConnectionError
        return f"no network: the server did not answer, or not fast enough (limit {TIMEOUT:g} s)"
    if isinstance(error, requests.HTTPError) and error.response is not None:
        return f"the server answered with status {error.response.status_code}"
    if isinstance(error, requests.RequestException):
        return f"no network: the connection failed or broke off ({type(error).__name__})"
    return f"the cache folder cannot be written ({type(error).__name__})"


def _bundled(name: str, because: str = "") -> tuple[Located, bytes]:
    """This project's own results, verified against the JSON that the script wrote beside them."""
    path = bundled_path(name)
    reason = f", because the published table cannot be had ({because})" if because else ""
    content, about = read_content(path, f"make it again with `python data/make_{STEMS[name]}.py`{reason}")
    return Located(name, "bundled", path, about["sha256"], f"this project's own {_OWN_RUNS[name]}{reason}"), content
