"""Bring a published table into the cache, whole and verified, or give up after a few seconds."""

from __future__ import annotations

import io
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import requests

from genexpy_nb.common.errors import DataError
from genexpy_nb.common.hashing import file_hash
from genexpy_nb.datasets import registry

with warnings.catch_warnings():  # its progress bar asks every notebook for ipywidgets, and names a path in doing so
    warnings.filterwarnings("ignore", message="IProgress not found")
    import pooch

__all__ = ["LIMIT", "TIMEOUT", "UnreachableError", "cache_folder", "download", "verify"]

TIMEOUT = 5.0  # seconds to wait for the server's next bytes (the first ones included)
LIMIT = 60.0  # seconds that a whole download may take


class UnreachableError(DataError):
    """A published table cannot be downloaded now; the only failure after which ``auto`` falls back."""


def cache_folder() -> Path:
    """Return where downloaded tables are kept.

    Examples
    --------
    >>> cache_folder().name
    'genexpy_nb'
    """
    return Path(pooch.os_cache("genexpy_nb"))


def verify(path: Path, expected: str, remedy: str, size: int | None = None, what: str = "") -> None:
    """Raise `DataError` unless a file is the one that was expected.

    Parameters
    ----------
    path : Path
        The file.
    expected : str
        Its SHA-256, in hexadecimal.
    remedy : str
        What would help, for the message.
    size : int, optional
        How many bytes were expected, for the message.
    what : str, optional
        How to call the file in the message; its path by default.

    Raises
    ------
    DataError
        If the file cannot be read, or has another SHA-256.

    Examples
    --------
    >>> verify(Path("/nowhere"), "0" * 64, "make it again")
    Traceback (most recent call last):
        ...
    genexpy_nb.common.errors.DataError: /nowhere cannot be read (No such file or directory): make it again
    """
    try:
        found, n_bytes = file_hash(path), path.stat().st_size
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}): {remedy}") from error
    if found != expected:
        of = "" if size is None else f" in {size:,} bytes"
        raise DataError(
            f"{what or path} is damaged or another file: expected SHA-256 {expected}{of}, found {found} in "
            f"{n_bytes:,} bytes; {remedy}"
        )


def download(name: str) -> Path:
    """Bring a published table into the cache; a good file there is kept, a damaged one is replaced.

    Parameters
    ----------
    name : {"encoders", "bigbench"}
        Which table.

    Returns
    -------
    Path
        The file in the cache: pooch moves it there only when it is complete and verified.

    Raises
    ------
    UnreachableError
        If it cannot be downloaded, or not be saved; the message is the reason.
    DataError
        If something else was sent than the published file. Nothing is left behind.
    """
    table, address, logger = registry.published(name), registry.url(name), pooch.get_logger()

    def fetch_verified(address: str, output: str, _: Any) -> None:
        Path(output).write_bytes(_get(address))
        remedy = "try again later, or use source='bundled'"
        verify(Path(output), table["sha256"], remedy, table["bytes"], what=f"what {address} sent")

    level = logger.level
    logger.setLevel("WARNING")  # its line names the cache folder, which would end up in notebooks
    try:
        path = pooch.retrieve(
            address, table["sha256"], fname=table["file"], path=cache_folder(), downloader=fetch_verified
        )
    except OSError as error:  # requests' errors are OSErrors
        raise UnreachableError(_why(error)) from error
    finally:
        logger.setLevel(level)
    return Path(path)


def _get(address: str) -> bytes:
    """Download into memory, giving up when no byte came for `TIMEOUT` seconds or the whole took `LIMIT` seconds.

    In a thread, because requests' timeouts bound neither the look-up of the host's name nor the number of
    addresses that are tried after each other.
    """
    errors: list[Exception] = []
    deadline, received = time.monotonic() + LIMIT, 0
    with io.BytesIO() as buffer:  # leaving closes it, and the abandoned thread ends with its next write

        def work() -> None:
            try:
                pooch.HTTPDownloader(progressbar=sys.stderr.isatty(), timeout=TIMEOUT)(address, buffer, None)
            except Exception as error:
                errors.append(error)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        while thread.is_alive():
            thread.join(TIMEOUT)
            stalled, received = buffer.tell() == received, buffer.tell()
            if thread.is_alive() and (stalled or time.monotonic() > deadline):
                raise requests.Timeout(f"{address}: {received:,} bytes, then nothing for {TIMEOUT:g} s")
        if errors:
            raise errors[0]
        return buffer.getvalue()


def _why(error: OSError) -> str:
    """The reason in words that are the same each time (requests' own name objects by their address)."""
    match error:
        case _ if isinstance(error, requests.Timeout) or "timed out" in str(error):  # midway it is a ConnectionError
            return f"no network: the server did not answer, or not fast enough (limit {TIMEOUT:g} s)"
        case requests.HTTPError(response=requests.Response(status_code=status)):
            return f"the server answered with status {status}"
        case requests.RequestException():
            return f"no network: the connection failed or broke off ({type(error).__name__})"
    return f"the cache folder cannot be written ({type(error).__name__})"
