"""Put the reference beside the reports: made when the package's sources have changed, left alone when they have not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

import genexpy_nb
from genexpy_nb.common.files import write_atomically
from genexpy_nb.common.hashing import file_hash
from genexpy_nb.common.versions import versions

PACKAGE = Path(genexpy_nb.__file__).parent
#: Of these, another version may write another page.
MADE_WITH = ("docutils", "griffelib", "jinja2", "numpydoc", "pygments")

_OURS = re.compile(r"api(-\w+)?\.html")


def write_reference(
    folder: Path,
    state: Path,
    *,
    package: Path = PACKAGE,
    rooms: Mapping[str, bool] | None = None,
    say: Callable[[str], None] = print,
) -> bool:
    """Write the pages of the reference: ``api.html`` and ``api-<room>.html``."""
    try:
        chosen = None if rooms is None else tuple(rooms.items())
        key = _key(package, chosen)
        if _is_written(folder, state, key):
            return True
        pages = _pages(package, chosen, key)
        _write(folder, state, key, pages)
    except Exception as error:  # of a parser, a template or a disk: none of them is worth the reports
        reason = " ".join(str(error).split())
        say(f"reference: not written: {type(error).__name__}: {reason}")
        return False
    say(f"reference: {len(pages)} pages written")
    return True


def _key(package: Path, rooms: tuple[tuple[str, bool], ...] | None) -> str:
    """Hash the sources, the templates and the versions of what makes pages from them."""
    sources = [file for file in package.rglob("*.py*") if file.suffix in (".py", ".pyi")]
    makers = [file for file in (PACKAGE / "reporting").rglob("*") if file.is_file() and "__pycache__" not in file.parts]
    files = {file.resolve() for file in [*sources, *makers]}
    hashes = sorted(f"{file_hash(file)} {file.as_posix()}" for file in files)
    return sha256(json.dumps([hashes, rooms, versions(MADE_WITH)]).encode()).hexdigest()


@lru_cache(maxsize=1)
def _pages(package: Path, rooms: tuple[tuple[str, bool], ...] | None, key: str) -> dict[str, str]:
    """Make the pages; several renders in one process make them once, and one that need not does not import how."""
    from genexpy_nb.reporting.reference.collecting import ROOMS, collect
    from genexpy_nb.reporting.reference.pages import to_pages

    return to_pages(collect(package, ROOMS if rooms is None else dict(rooms)))


def _remembered(state: Path) -> dict[str, dict[str, str]]:
    try:
        saved = json.loads(state.read_text(encoding="utf-8"))
        return {str(saved["key"]): {str(name): str(digest) for name, digest in saved["pages"].items()}}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}


def _is_written(folder: Path, state: Path, key: str) -> bool:
    pages = _remembered(state).get(key, {})
    return bool(pages) and all(
        (folder / name).is_file() and file_hash(folder / name) == digest for name, digest in pages.items()
    )


def _write(folder: Path, state: Path, key: str, pages: dict[str, str]) -> None:
    """Write the pages, remove those of rooms that are gone, and remember at last that it is done."""
    earlier = {name for known in _remembered(state).values() for name in known if _OURS.fullmatch(name)}
    state.unlink(missing_ok=True)
    for name, page in pages.items():
        write_atomically(folder / name, page)
    for name in earlier - set(pages):
        (folder / name).unlink(missing_ok=True)
    digests = {name: sha256(page.encode()).hexdigest() for name, page in pages.items()}
    write_atomically(state, json.dumps({"key": key, "pages": digests}, indent=1) + "\n")
