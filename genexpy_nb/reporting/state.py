"""Where the outputs of reports lie, and what is remembered of them from one call to the next."""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import IO

from genexpy_nb.common.errors import GenexpyError
from genexpy_nb.common.files import replacing, try_lock
from genexpy_nb.common.hashing import file_hash
from genexpy_nb.reporting.index import Entry

_LEFTOVER = re.compile(r"\..*\.\w{8}\.tmp")  # of `replacing` in a process that was killed


@dataclass(frozen=True)
class Target:
    """Where the outputs of reports go."""

    folder: Path

    @property
    def folders(self) -> tuple[Path, Path, Path]:
        """Where files are written."""
        return self.folder / "html", self.folder / "executed", self.folder / ".state"

    def page(self, name: str) -> Path:
        """The page of a report, or ``index``."""
        return self.folder / "html" / f"{name}.html"

    def data(self, name: str) -> Path:
        """The file beside the page of a report: its findings and key numbers."""
        return self.folder / "html" / f"{name}.json"

    def executed(self, name: str) -> Path:
        """The executed notebook of a report."""
        return self.folder / "executed" / f"{name}.ipynb"

    def state(self, name: str) -> Path:
        """What is remembered of a report."""
        return self.folder / ".state" / f"{name}.json"


@contextmanager
def only_writer(target: Target) -> Iterator[None]:
    """Be the only one who writes into a folder of reports; the system lets go of the lock of a process that dies."""
    for folder in target.folders:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass  # what cannot be written is said before anything runs
    with (target.folder / ".state" / "lock").open("a+", encoding="utf-8") as file:
        _lock(file, target)
        for folder in target.folders:
            for found in folder.iterdir():
                if _LEFTOVER.fullmatch(found.name):
                    found.unlink(missing_ok=True)
        file.truncate(0)
        file.write(f"process {os.getpid()}, since {datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC")
        file.flush()
        try:
            yield
        finally:
            file.truncate(0)


def _lock(file: IO[str], target: Target) -> None:
    if not try_lock(file):
        file.seek(0)
        who = file.read(200) or "just started"
        raise GenexpyError(
            f"{target.folder} is being written by another render ({who}); wait for it, or give another folder with -o"
        )


def remembered(target: Target, name: str) -> Entry | None:
    """Return what is known of a report from earlier, if it is still true of its page."""
    try:
        saved = json.loads(target.state(name).read_text(encoding="utf-8"))
        entry = Entry(**saved["entry"])
        if saved["sha256"] != _digest(entry) or entry.name != name or not _is(target.page(name), entry.page):
            return None
    except (OSError, ValueError, TypeError, KeyError, RecursionError):  # or by another version of this package
        return None
    return entry


def is_written(target: Target, entry: Entry) -> bool:
    """Say whether page, the file beside it and executed notebook are what was written."""
    written = {
        target.page(entry.name): entry.page,
        target.data(entry.name): entry.data,
        target.executed(entry.name): entry.executed,
    }
    return all(_is(path, digest) for path, digest in written.items())


def _is(path: Path, digest: str) -> bool:
    if not digest:
        return not os.path.lexists(path)
    try:
        return file_hash(path) == digest
    except OSError:
        return False


def _digest(entry: Entry) -> str:
    return sha256(json.dumps(asdict(entry), sort_keys=True).encode()).hexdigest()


def forget(target: Target, name: str) -> None:
    """Take back that a report is done, for good, before any of its files changes."""
    target.state(name).unlink(missing_ok=True)
    _sync(target.state(name).parent)


def write_outputs(
    target: Target, entry: Entry, executed: str | None, page: str | None, data: str | None = None
) -> Entry:
    """Write what a report has become, and last of all that it is done."""
    entry = replace(
        entry,
        executed=_write(target.executed(entry.name), executed),
        data=_write(target.data(entry.name), data),
        page=_write(target.page(entry.name), page),
    )
    _write(target.state(entry.name), json.dumps({"entry": asdict(entry), "sha256": _digest(entry)}, indent=1) + "\n")
    return entry


def _write(path: Path, text: str | None) -> str:
    """Write a file so that it is there after the power has failed, too; return its hash."""
    content = None if text is None else text.encode()
    if content is None:
        path.unlink(missing_ok=True)
    else:
        try:
            with replacing(path) as waiting, waiting.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(path)) from None  # not every one says of which file
    _sync(path.parent)
    return "" if content is None else sha256(content).hexdigest()


def _sync(folder: Path) -> None:
    if sys.platform == "win32":  # where a folder cannot be opened
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # not every file system can
            os.fsync(handle)
    finally:
        os.close(handle)
