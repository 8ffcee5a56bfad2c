"""Bring a published table into the cache, whole and verified, or give up after a few seconds."""

from __future__ import annotations

import threading
import time
import warnings
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urljoin, urlsplit

import requests

from genexpy_nb.common.errors import DataError
from genexpy_nb.datasets import registry

with warnings.catch_warnings():  # its progress bar asks every notebook for ipywidgets, and names a path in doing so
    warnings.filterwarnings("ignore", message="IProgress not found")
    import pooch

TIMEOUT = 5.0  # seconds to wait for the server's next bytes (the first ones included)
LIMIT = 60.0  # seconds that a whole download may take
_REDIRECTIONS = 5
_CHUNK = 1 << 14
_REMEDY = "try again later, or use source='bundled'"


class UnreachableError(DataError):
    """A published table cannot be downloaded now; the only failure after which ``auto`` falls back."""


def cache_folder() -> Path:
    """Return where downloaded tables are kept."""
    return Path(pooch.os_cache("genexpy_nb"))


def download(name: str) -> Path:
    """Bring a published table into the cache; a good file there is kept, a damaged one is replaced."""
    table, address, logger = registry.published(name), registry.url(name), pooch.get_logger()

    def fetch_verified(address: str, output: str, _: Any) -> None:
        content = _get(address, table["bytes"])
        found = sha256(content).hexdigest()
        if found != table["sha256"]:
            raise DataError(
                f"what {address} sent is damaged or another file: expected SHA-256 {table['sha256']} in "
                f"{table['bytes']:,} bytes, found {found} in {len(content):,} bytes; {_REMEDY}"
            )
        Path(output).write_bytes(content)

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


def _get(address: str, size: int) -> bytes:
    """Download into memory, giving up when no byte came for `TIMEOUT` seconds or the whole took `LIMIT` seconds."""
    transfer = _Transfer(address, size)
    thread = threading.Thread(target=transfer.run, daemon=True)
    thread.start()
    deadline, received = time.monotonic() + LIMIT, 0
    while thread.is_alive():
        thread.join(TIMEOUT)
        stalled, received = len(transfer.content) == received, len(transfer.content)
        if thread.is_alive() and (stalled or time.monotonic() > deadline):
            transfer.abandon()
            thread.join(TIMEOUT / 10)
            raise requests.Timeout(f"{address}: {received:,} bytes, then nothing for {TIMEOUT:g} s")
    if transfer.error is not None:
        raise transfer.error
    return bytes(transfer.content)


class _Session(requests.Session):
    """A session that leaves redirections to the caller: requests would read their bodies, of whatever size."""

    def get_redirect_target(self, resp: requests.Response) -> None:
        return None


class _Transfer:
    """A download under way: what has come of it so far, and never more than was asked for."""

    def __init__(self, address: str, size: int) -> None:
        self.address, self.size = address, size
        self.content = bytearray()
        self.error: Exception | None = None
        self._response: requests.Response | None = None
        self._abandoned = False

    def run(self) -> None:
        try:
            self._follow(self.address, _REDIRECTIONS)
        except Exception as error:
            self.error = error

    def abandon(self) -> None:
        """Break off the connection, from another thread; one that is being set up ends with its own time limit."""
        self._abandoned = True
        if self._response is not None:
            with suppress(OSError, ValueError, RuntimeError, AttributeError):  # it is over, or urllib3 is before 2.3
                self._response.raw.shutdown()

    def _follow(self, address: str, redirections: int) -> None:
        headers = {"Accept-Encoding": "identity"}
        with _Session() as session, session.get(address, headers=headers, stream=True, timeout=TIMEOUT) as response:
            self._response = response
            response.raise_for_status()
            if not response.is_redirect:
                self._read(response)
                return
            target = urljoin(address, response.headers["location"])
        if not redirections or urlsplit(target).scheme not in ("https", urlsplit(address).scheme):
            raise requests.TooManyRedirects(target)
        self._follow(target, redirections - 1)

    def _read(self, response: requests.Response) -> None:
        encoding = response.headers.get("content-encoding", "identity")
        if encoding.lower() not in ("", "identity"):
            raise DataError(
                f"{self.address} sent the file compressed ({encoding:.20}), which was not asked for; {_REMEDY}"
            )
        announced = response.headers.get("content-length", "")
        if announced.isdecimal() and int(announced[:20]) > self.size:
            self._refuse(f"announces {int(announced[:20]):,} bytes")
        for chunk in response.iter_content(_CHUNK):
            self.content += chunk
            if self._abandoned:
                return
            if len(self.content) > self.size:
                self._refuse(f"sent {len(self.content):,} bytes or more")

    def _refuse(self, what: str) -> NoReturn:
        raise DataError(f"{self.address} {what}, and the published file has {self.size:,} bytes; {_REMEDY}")


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
