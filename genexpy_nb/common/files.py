"""Write files so that nobody ever sees half of one, and one process at a time."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO


@contextmanager
def replacing(path: str | os.PathLike) -> Iterator[Path]:
    """Give a name to write to; what was written takes the place of ``path`` at the end, or vanishes on an error."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem[:80]}.", suffix=".tmp")
    os.close(handle)
    waiting = Path(name)
    try:
        yield waiting
        waiting.chmod(0o644)  # mkstemp's 0600 would keep a web server or a colleague out
        waiting.replace(path)
    finally:
        waiting.unlink(missing_ok=True)


def write_atomically(path: str | os.PathLike, text: str) -> None:
    r"""Write a text file all or nothing, as UTF-8 and with ``\n`` at the ends of lines."""
    with replacing(path) as waiting:
        waiting.write_text(text, encoding="utf-8", newline="\n")


def try_lock(file: IO) -> bool:
    """Lock an open file for who opened it, and say whether that went; closing it, or dying in any way, lets
    go of it.
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(1 << 30)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in (errno.EAGAIN, errno.EACCES, errno.EDEADLK)
    return True


@contextmanager
def locked(path: str | os.PathLike, wait: bool = True) -> Iterator[bool]:
    """Hold a lock of that name; the file is there only as long as somebody holds it, or was killed holding it."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    while True:
        with path.open("a") as file:
            held = try_lock(file)
            if held and not _is_at(file, path):
                continue  # who held it removed this file before letting go: another may have made a new one
            if held or not wait:
                try:
                    yield held
                finally:
                    if held:
                        with suppress(OSError):  # on Windows, a file that is open stays
                            path.unlink()
                return
        time.sleep(0.05)


def _is_at(file: IO, path: Path) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    return False
