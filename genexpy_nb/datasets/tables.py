"""Get the results tables of the case studies: the published ones, verified, or the ones that this project bundles."""

from __future__ import annotations

import html
import io
import json
import os
import sys
import threading
import time
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import requests

from genexpy_nb.common.checks import check_choice
from genexpy_nb.common.errors import DataError

with warnings.catch_warnings():  # its progress bar asks every notebook for ipywidgets, and names a path in doing so
    warnings.filterwarnings("ignore", message="IProgress not found")
    import pooch

__all__ = ["NAMES", "SOURCES", "Located", "fetch", "load_bigbench", "load_encoders", "locate", "notice", "status"]

NAMES = ("encoders", "bigbench")
SOURCES = ("auto", "original", "bundled")
BASE_URL = "https://raw.githubusercontent.com"
TIMEOUT = 5.0  # seconds to wait for the server's next bytes (the first ones included)
LIMIT = 60.0  # seconds that a whole download may take

# Key columns first; together they identify a row.
_SCHEMA: dict[str, dict[str, str]] = {
    "encoders": {
        **dict.fromkeys(("dataset", "model", "tuning", "scoring", "encoder"), "text"),
        **dict.fromkeys(("cv_score", "time"), "float"),
    },
    "bigbench": {
        "subtask_description": "text",
        "task_name": "text",
        "number_of_shots": "integer",
        "model_family_model_name": "text",
        "score_value": "float",
    },
}
_IS_TYPE = {
    "text": pd.api.types.is_string_dtype,
    "integer": pd.api.types.is_integer_dtype,
    "float": pd.api.types.is_float_dtype,
}
_BUNDLED = {"encoders": "encoders", "bigbench": "fewshot"}  # data/<stem>.parquet, data/<stem>.json, data/make_<stem>.py
_OWN_RUNS = {"encoders": "categorical encoders", "bigbench": "few-shot classifiers"}
_unreachable: dict[str, str] = {}  # why a download failed in this process: `auto` does not wait for it twice


class _Unreachable(DataError):
    """The published table cannot be downloaded now; the only failure after which `auto` falls back."""


@dataclass(frozen=True)
class Located:
    """A results table on disk, verified but not loaded.

    Parameters
    ----------
    name : str
        One of `NAMES`.
    source : str
        ``"original"`` for the published table, ``"bundled"`` for this project's own results.
    path : Path
        The parquet file.
    sha256 : str
        Of the file's bytes, 64 hexadecimal digits.
    note : str
        Where the results come from and, after a fallback, why.

    Examples
    --------
    >>> Located("encoders", "bundled", Path("encoders.parquet"), "0" * 64, "own runs").path.name
    'encoders.parquet'
    """

    name: str
    source: str
    path: Path
    sha256: str
    note: str


@dataclass(frozen=True)
class _Notice:
    """One sentence on the origin of a table, as text, Markdown and HTML."""

    label: str
    text: str
    source: str

    def __str__(self) -> str:
        return f"{self.label}: {self.text}"

    def _repr_markdown_(self) -> str:
        return f"> **{self.label}:** {self.text}"

    def _repr_html_(self) -> str:
        label, text = html.escape(self.label), html.escape(self.text)
        return f'<p class="gx-source gx-{self.source}" role="note"><strong>{label}:</strong> {text}</p>'


def load_encoders(source: str = "auto") -> pd.DataFrame:
    """Load the cross-validated scores of categorical encoders.

    Parameters
    ----------
    source : {"auto", "original", "bundled"}
        The published table, this project's own results, or the published ones if they can be had within a few
        seconds and else, with a warning, the own ones.

    Returns
    -------
    DataFrame of shape (n_results, 7)
        Columns ``dataset``, ``model``, ``tuning``, ``scoring``, ``encoder`` (together the key), ``cv_score``
        (higher is better) and ``time`` (may be missing). ``attrs`` holds ``name``, ``source``
        (``"original"`` or ``"bundled"``), ``sha256`` and ``note``. The published table has 61,812 rows.

    Raises
    ------
    DataError
        If a file is missing, damaged or not of this schema; ``"original"`` also if it cannot be downloaded.
    ParameterError
        If ``source`` is unknown.

    References
    ----------
    The table of the encoder benchmark, github.com/DrCohomology/EncoderBenchmarking.

    Examples
    --------
    >>> encoders = load_encoders(source="bundled")
    >>> list(encoders.columns)
    ['dataset', 'model', 'tuning', 'scoring', 'encoder', 'cv_score', 'time']
    >>> encoders.attrs["source"]
    'bundled'
    """
    return _load("encoders", source)


def load_bigbench(source: str = "auto") -> pd.DataFrame:
    """Load the scores of language models on subtasks of BIG-bench, or, bundled, of few-shot classifiers.

    Parameters
    ----------
    source : {"auto", "original", "bundled"}
        As in `load_encoders`.

    Returns
    -------
    DataFrame of shape (n_results, 5)
        Columns ``subtask_description``, ``task_name``, ``number_of_shots``, ``model_family_model_name`` (together
        the key) and ``score_value`` (higher is better, can be negative). ``attrs`` as in `load_encoders`. The
        published table has 183,819 rows; its 12 infinite scores (evaluations that failed, all of the task
        ``training_on_test_set``) are missing values here, and the note says so.

    Raises
    ------
    DataError, ParameterError
        As in `load_encoders`.

    References
    ----------
    The BIG-bench case study of github.com/DrCohomology/genexpy.

    Examples
    --------
    >>> load_bigbench(source="bundled").columns[-1]
    'score_value'
    """
    frame = _load("bigbench", source)
    failed = np.isinf(frame["score_value"])
    if failed.any():
        frame["score_value"] = frame["score_value"].mask(failed)
        frame.attrs["note"] += f", {failed.sum()} infinite scores read as missing"
    return frame


def locate(name: str, source: str = "auto") -> Located:
    """Find a results table, download it if need be, and verify its SHA-256, without loading it.

    The published table is looked for in the folder that the environment variable ``GENEXPY_NB_DATA`` names, then in
    the cache, then where its authors published it.

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
    located = _locate(name, source)
    _warn_of_fallback(source, located)
    return located


def fetch(names: str | Iterable[str] = NAMES) -> list[Located]:
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
        check_choice("names", name, NAMES)
    return [_download(name) for name in names]


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
    for name in NAMES:
        for variant, find in (("original", _find_original), ("bundled", _bundled)):
            path = _original_path(name) if variant == "original" else _bundled_path(name)
            try:
                intact = find(name) is not None
            except DataError:
                intact = False
            rows.append(
                {
                    "name": name,
                    "variant": variant,
                    "available": intact,
                    "where": _url(name) if path is None else str(path),
                    "sha256_ok": intact if path is not None and path.is_file() else pd.NA,
                    "rows": pq.read_metadata(path).num_rows if intact else pd.NA,
                }
            )
    return pd.DataFrame(rows).astype({"sha256_ok": "boolean", "rows": "Int64"})


def notice(frame: pd.DataFrame) -> _Notice:
    """Say in one sentence where a loaded table comes from, for the top of a notebook or report.

    Parameters
    ----------
    frame : DataFrame
        From `load_encoders` or `load_bigbench`.

    Returns
    -------
    object with ``__str__``, ``_repr_markdown_`` and ``_repr_html_``
        Bundled results are labelled "Not the published table".

    Raises
    ------
    DataError
        If ``frame.attrs`` does not say where the table comes from.

    Examples
    --------
    >>> str(notice(load_encoders(source="bundled"))).split(":")[0]
    'Not the published table'
    """
    missing = {"name", "source", "sha256", "note"} - set(frame.attrs)
    if missing:
        raise DataError(
            f"the frame's attrs lack {', '.join(sorted(missing))}: pass the frame as load_encoders or load_bigbench "
            "returned it"
        )
    origin = frame.attrs
    label = "Published table" if origin["source"] == "original" else "Not the published table"
    text = f"{origin['name']}, {len(frame):,} rows, {origin['note']} (SHA-256 {origin['sha256'][:12]}…)."
    return _Notice(label, text, origin["source"])


def _load(name: str, source: str) -> pd.DataFrame:
    located = _locate(name, source)
    _warn_of_fallback(source, located, stacklevel=4)
    try:
        frame = _checked(pd.read_parquet(located.path), name)
    except (OSError, ValueError) as error:  # pyarrow's errors are ValueErrors, ours too
        raise DataError(f"{located.path}: {error}") from error
    frame.attrs = {"name": name, "source": located.source, "sha256": located.sha256, "note": located.note}
    return frame


def _checked(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return the columns of the schema, in its order, after checking columns, types and key."""
    schema = _SCHEMA[name]
    missing = [column for column in schema if column not in frame]
    if missing:
        raise DataError(f"columns {', '.join(missing)} are missing; there are {', '.join(map(str, frame))}")
    frame = frame[list(schema)]
    for column, kind in schema.items():
        if not _IS_TYPE[kind](frame[column]):
            raise DataError(f"column {column} must be of type {kind}, is {frame[column].dtype}")
    key = [column for column in schema if column not in ("cv_score", "time", "score_value")]
    if frame[key].isna().any(axis=None):
        raise DataError(f"missing values in the key ({', '.join(key)})")
    repeated = frame.duplicated(key)
    if repeated.any():
        first = frame.loc[repeated, key].iloc[0].to_dict()
        raise DataError(f"{repeated.sum():,} rows repeat a key ({', '.join(key)}), first {first}")
    return frame


def _locate(name: str, source: str) -> Located:
    check_choice("name", name, NAMES)
    check_choice("source", source, SOURCES)
    if source == "bundled":
        return _bundled(name)
    found = _find_original(name)
    if found is not None:
        return found
    # Who insists on the original gets a fresh attempt; `auto` remembers that it failed.
    if source == "original" or name not in _unreachable:
        try:
            return _download(name)
        except _Unreachable:
            if source == "original":
                raise
    lacks = f"GENEXPY_NB_DATA names no folder with {_registry()[name]['file']}, and "
    return _bundled(name, because=(lacks if os.environ.get("GENEXPY_NB_DATA") else "") + _unreachable[name])


def _warn_of_fallback(source: str, located: Located, stacklevel: int = 3) -> None:
    if source == "auto" and located.source == "bundled":
        warnings.warn(f"{located.name}: {located.note}", UserWarning, stacklevel=stacklevel)


def _find_original(name: str) -> Located | None:
    """The published table on this disk, verified; None if there is none."""
    path, entry = _original_path(name), _registry()[name]
    if path is None:
        return None
    in_cache = path.parent == _cache_folder()
    remedy = (
        f"delete it, or replace it with `genexpy-nb data fetch {name}`"
        if in_cache
        else "delete it, or put the published file there (it is in the folder that GENEXPY_NB_DATA names)"
    )
    _verify(path, entry["sha256"], remedy, size=entry["bytes"])
    return _original(name, path)


def _original(name: str, path: Path) -> Located:
    entry = _registry()[name]
    note = f"published in github.com/{entry['repository']} at commit {entry['commit'][:12]}"
    return Located(name, "original", path, entry["sha256"], note)


def _original_path(name: str) -> Path | None:
    folders = [_cache_folder()]
    if os.environ.get("GENEXPY_NB_DATA"):
        folders.insert(0, Path(os.environ["GENEXPY_NB_DATA"]).expanduser())
    paths = (folder / _registry()[name]["file"] for folder in folders)
    return next((path for path in paths if path.is_file()), None)


def _bundled_path(name: str) -> Path:
    return data_folder() / f"{_BUNDLED[name]}.parquet"


def _bundled(name: str, because: str = "") -> Located:
    """This project's own results, verified against the JSON that the script wrote beside them."""
    path, stem = _bundled_path(name), _BUNDLED[name]
    also = f" (the published table: {because})" if because else ""
    remedy = f"make it again with `python data/make_{stem}.py`"
    try:
        expected = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))["sha256"]
    except FileNotFoundError:
        raise DataError(f"{path.with_suffix('.json')} is missing: {remedy}{also}") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path.with_suffix('.json')} gives no sha256 ({error!r}): {remedy}{also}") from error
    _verify(path, expected, remedy + also)
    reason = f"; the published table cannot be had: {because}" if because else ""
    note = f"this project's own runs of {_OWN_RUNS[name]}, {path.name}{reason}"
    return Located(name, "bundled", path, expected, note)


def _verify(path: Path, expected: str, remedy: str, size: int | None = None) -> None:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}): {remedy}") from error
    _verify_bytes(content, str(path), expected, remedy, size)


def _verify_bytes(content: bytes, where: str, expected: str, remedy: str, size: int | None = None) -> None:
    found = sha256(content).hexdigest()
    if found != expected:
        of = "" if size is None else f" in {size:,} bytes"
        raise DataError(
            f"{where} is damaged or another file: expected SHA-256 {expected}{of}, found {found} in "
            f"{len(content):,} bytes; {remedy}"
        )


def _download(name: str) -> Located:
    """Bring the published table into the cache; pooch moves it there only when it is complete and verified."""
    entry, url, logger = _registry()[name], _url(name), pooch.get_logger()

    def download(url: str, output_file: str, _: Any) -> None:
        content = _get(url)
        remedy = "try again later, or use source='bundled'"
        _verify_bytes(content, f"what {url} sent", entry["sha256"], remedy, entry["bytes"])
        Path(output_file).write_bytes(content)

    level = logger.level
    logger.setLevel("WARNING")  # its line names the cache folder, which would end up in notebooks
    try:
        path = pooch.retrieve(url, entry["sha256"], fname=entry["file"], path=_cache_folder(), downloader=download)
    except OSError as error:  # requests' errors are OSErrors
        _unreachable[name] = _why(error)
        raise _Unreachable(
            f"{name}: the published table cannot be had: {_unreachable[name]}. Download {url} on another machine "
            f"and let GENEXPY_NB_DATA (now: {os.environ.get('GENEXPY_NB_DATA') or 'not set'}) name the folder that "
            f"holds it as {entry['file']}, or use source='bundled'"
        ) from error
    finally:
        logger.setLevel(level)
    return _original(name, Path(path))


def _get(url: str) -> bytes:
    """Download into memory, giving up when no byte came for `TIMEOUT` seconds or the whole took `LIMIT` seconds.

    In a thread, because requests' timeouts bound neither the look-up of the host's name nor the number of
    addresses that are tried after each other.
    """
    errors: list[Exception] = []
    deadline, received = time.monotonic() + LIMIT, 0
    with io.BytesIO() as buffer:  # leaving closes it, and the abandoned thread ends with its next write

        def work() -> None:
            try:
                pooch.HTTPDownloader(progressbar=sys.stderr.isatty(), timeout=TIMEOUT)(url, buffer, None)
            except Exception as error:
                errors.append(error)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        while thread.is_alive():
            thread.join(TIMEOUT)
            stalled, received = buffer.tell() == received, buffer.tell()
            if thread.is_alive() and (stalled or time.monotonic() > deadline):
                raise requests.Timeout(f"{url}: {received:,} bytes, then nothing for {TIMEOUT:g} s")
        if errors:
            raise errors[0]
        return buffer.getvalue()


def _why(error: OSError) -> str:
    """The reason in words that are the same each time (requests' own name objects by their address)."""
    match error:
        case _ if isinstance(error, requests.Timeout) or "timed out" in str(error):  # midway it is a ConnectionError
            return f"no network: the server did not answer, or not fast enough (limit {TIMEOUT:g} s)"
        case requests.HTTPError():
            return f"the server answered with status {error.response.status_code}"
        case requests.RequestException():
            return f"no network: the connection failed or broke off ({type(error).__name__})"
    return f"the cache folder cannot be written ({type(error).__name__})"


def _url(name: str) -> str:
    entry = _registry()[name]
    return f"{BASE_URL}/{entry['repository']}/{entry['commit']}/{entry['path']}"


def _cache_folder() -> Path:
    return Path(pooch.os_cache("genexpy_nb"))


def data_folder() -> Path:
    """Return where the bundled results lie: inside the package if it came as a wheel, beside it in a checkout.

    Examples
    --------
    >>> (data_folder() / "registry.json").is_file()
    True
    """
    package = Path(__file__).resolve().parents[1]
    return next((f for f in (package / "_data", package.parent / "data") if f.is_dir()), package / "_data")


@cache
def _registry() -> dict[str, dict[str, Any]]:
    path = data_folder() / "registry.json"
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{path}, which says where the published tables are, cannot be read: {error}") from error
