"""Write files so that nobody ever sees half of one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["replacing", "write_atomically"]


@contextmanager
def replacing(path: str | os.PathLike) -> Iterator[Path]:
    """Give a name to write to; what was written takes the place of ``path`` at the end, or vanishes on an error.

    Parameters
    ----------
    path : path-like
        Its folder is made if it is not there.

    Yields
    ------
    Path
        In the same folder, hidden, ending in ``.tmp``: what a killed process leaves is not mistaken for a result.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder, "new", "a.bin")) as waiting:
    ...         _ = waiting.write_bytes(b"a")
    ...     [file.name for file in Path(folder, "new").iterdir()]
    ['a.bin']
    """
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
    r"""Write a text file all or nothing, as UTF-8 and with ``\n`` at the ends of lines.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_atomically(Path(folder, "new", "a.txt"), "a")
    ...     Path(folder, "new", "a.txt").read_text()
    'a'
    """
    with replacing(path) as waiting:
        waiting.write_text(text, encoding="utf-8", newline="\n")
