"""Files: nobody ever sees half of one, one process writes at a time, and what is read is what was written."""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import secrets
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.util import source_from_cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from genexpy_nb.common.errors import DataError

if TYPE_CHECKING:  # what reads JSON only does not wait for it
    import pandas as pd

_ATTRIBUTE = "checksum of this record"
# As it stands in the file; the digits of the checksum follow.
_MARK = f'"{_ATTRIBUTE}": "'.encode()
_UNKNOWN = "0" * 64


@contextmanager
def replacing(path: str | os.PathLike) -> Iterator[Path]:
    """Give a name to write to; what was written takes the place of ``path`` at the end, or vanishes on an error."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    waiting = path.with_name(f".{os.fsdecode(os.fsencode(path.stem)[:200])}.{secrets.token_hex(4)}.tmp")
    waiting.touch(exist_ok=False)  # as the umask has it
    try:
        yield waiting
        waiting.replace(path)
    finally:
        waiting.unlink(missing_ok=True)


def write_atomically(path: str | os.PathLike, text: str) -> None:
    r"""Write a text file all or nothing, as UTF-8 and with ``\n`` at the ends of lines."""
    with replacing(path) as waiting:
        waiting.write_text(text, encoding="utf-8", newline="\n")


def try_lock(file: IO) -> bool:
    """Lock an open file for who opened it, and say whether that went; closing it, or dying, lets go of it."""
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
def locked(path: str | os.PathLike) -> Iterator[None]:
    """Hold a lock of that name; the file is there only as long as somebody holds it, or was killed holding it."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    while True:
        with path.open("a") as file:
            held = try_lock(file)
            if held and not _is_at(file, path):
                continue  # who held it removed this file before letting go: another may have made a new one
            if held:
                try:
                    yield
                finally:
                    with suppress(OSError):  # on Windows, a file that is open stays
                        path.unlink()
                return
        time.sleep(0.05)


def _is_at(file: IO, path: Path) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    return False


# --- what is read is what was written ---------------------------------------------------------------------------------


def read_verified(path: Path, expected: str, remedy: str) -> bytes:
    """Return the content of a file, if it is the one that was expected."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}): {remedy}") from error
    found = hashlib.sha256(content).hexdigest()
    if found == expected:
        return content
    raise DataError(
        f"{path} is damaged or another file: expected SHA-256 {expected}, found {found} in {len(content):,} bytes; "
        f"{remedy}"
    )


def parse_parquet(content: bytes, what: str) -> pd.DataFrame:
    """Return the table that the bytes of a parquet file hold."""
    import pandas as pd

    try:
        return pd.read_parquet(io.BytesIO(content))
    except Exception as error:  # a file that is no parquet, or damaged, can raise anything
        raise DataError(f"{what} cannot be read as parquet: {' '.join(str(error).split())}") from error


# --- what a process reads ---------------------------------------------------------------------------------------------

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def note_reading(log: str) -> None:
    """From now on, note in a file what this process, and forks of it, open and which folders they list."""
    out = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    noted = set()

    def note(kind: str, name: Any) -> None:
        path = os.path.abspath(os.fsdecode(name))
        if path.endswith(".pyc"):
            if kind == "written":
                return  # by Python, for the next time
            with suppress(ValueError):
                path = source_from_cache(path)  # which is not opened if this is not older
        if (kind, path) not in noted:
            noted.add((kind, path))
            os.write(out, (json.dumps([kind, path, changed_at(path)]) + "\n").encode())

    def hook(event: str, about: tuple[Any, ...]) -> None:
        with suppress(Exception):  # a number instead of a name, a name that is none: whoever opens it will hear
            if event == "open":
                note("written" if about[2] & _WRITING else "read", about[0])
            elif event == "os.rename":
                note("written", about[1])
            elif event == "sqlite3.connect":
                note("read", about[0])
            elif event in ("os.listdir", "os.scandir") and "importlib" not in sys._getframe(1).f_code.co_filename:
                note("read", about[0] or ".")  # unless it is Python that looks for modules

    sys.addaudithook(hook)
    import pyarrow.parquet as pq  # opens files without Python, and pandas has it do so

    read_table = pq.read_table

    def noted_table(source: Any, *arguments: Any, **options: Any) -> Any:
        if isinstance(source, (str, os.PathLike)):
            note("read", source)
        return read_table(source, *arguments, **options)

    pq.read_table = noted_table


def changed_at(path: str) -> list[int] | None:
    """Return by what a change of a file is seen at once, or None if it is not there."""
    with suppress(OSError):
        about = os.stat(path)
        return [about.st_mtime_ns, about.st_size, about.st_ino]
    return None


# --- JSON -------------------------------------------------------------------------------------------------------------


def json_hash(body: Mapping[str, Any]) -> str:
    """Return the SHA-256 of what a JSON file says, however it is set."""
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def with_checksum(body: Mapping[str, Any], name: str = "checksum") -> dict[str, Any]:
    """Return what a JSON file shall say, with a checksum of it under ``name``, for `read_json`."""
    return {**body, name: json_hash(body)}


def read_json(path: Path, remedy: str, name: str = "checksum") -> dict[str, Any]:
    """Return what a JSON file says, if it fits the checksum that it holds."""
    try:
        body = json.loads(path.read_bytes().decode("utf-8"))
    except FileNotFoundError:
        raise DataError(f"{path} is missing: {remedy}") from None
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}): {remedy}") from error
    except (ValueError, RecursionError) as error:  # of the decoding, the parsing, or a number with 5,000 digits
        raise DataError(f"{path} is damaged, this is no JSON: {remedy}") from error
    if not isinstance(body, dict) or body.pop(name, None) != json_hash(body):
        raise DataError(f"{path} is damaged or edited: its content does not fit its own checksum; {remedy}")
    return body


# --- tables -----------------------------------------------------------------------------------------------------------


def frame_to_bytes(frame: pd.DataFrame, *about: str) -> bytes:
    """Return a parquet file with a checksum of itself, and of what it is about, in its metadata."""
    marked = frame.copy(deep=False)
    marked.attrs = {**frame.attrs, _ATTRIBUTE: _UNKNOWN}
    before, digits, after = _parts(marked.to_parquet())
    if digits != _UNKNOWN.encode():
        raise RuntimeError("pandas does not write the attributes of a frame as it did")
    return before + _digest(before, after, about) + after


def frame_from_bytes(content: bytes, *about: str) -> pd.DataFrame:
    """Return the table that `frame_to_bytes` wrote."""
    before, digits, after = _parts(content)
    if digits != _digest(before, after, about):
        raise DataError("it does not fit its checksum")
    frame = parse_parquet(content, "it")
    frame.attrs.pop(_ATTRIBUTE, None)
    return frame


def _parts(content: bytes) -> tuple[bytes, bytes, bytes]:
    """Return what stands before the checksum, the checksum, and what stands after it."""
    at = content.rfind(_MARK) + len(_MARK)
    return content[:at], content[at : at + len(_UNKNOWN)], content[at + len(_UNKNOWN) :]


def _digest(before: bytes, after: bytes, about: tuple[str, ...]) -> bytes:
    digest = hashlib.sha256(json.dumps(about).encode())
    digest.update(len(before).to_bytes(8, "big") + before + after)
    return digest.hexdigest().encode()
