"""The files of a study: tidy CSVs of every table, LaTeX of the main ones, all of it as JSON; whole, or not at all."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd

from genexpy_nb.common.checks import listed
from genexpy_nb.common.errors import DataError, os_error
from genexpy_nb.common.files import json_hash, locked, with_checksum
from genexpy_nb.common.hashing import file_hash
from genexpy_nb.common.page_tables import as_csv, latex_table
from genexpy_nb.common.prose import plain_line
from genexpy_nb.own_study.request import StudyRequest
from genexpy_nb.study.answers import MAIN_TABLES, Answers

#: What answers.json says of itself; a folder with it may be written to again.
MADE_BY = "genexpy-nb study"

_ANSWERS = "answers.json"
_LONGEST = 120  # bytes of a file's name that its folder is called by
_CAPTIONS = {
    "ranking": "Mean ranks (1 is best), mean scores with intervals, and positions at which each alternative may stand",
    "nstar": "Experiments with which two studies have similar distributions of results (n*), and verdicts",
    "extend": "Configurations to extend first",
    "agreement": "Agreement of the conclusions of two studies of n experiments each, with {nominal} intervals",
    "contenders": "Who may be the best, by how much each is ahead of the best of the others, and where each can stand",
    "regret": "What choosing by the table costs on an experiment that was left out, in places",
}


# --- where ------------------------------------------------------------------------------------------------------------


def default_folder(results: str, kind: str = "study") -> Path:
    """Return the folder that results are written to if none is named."""
    name = Path(os.path.abspath(results)).name  # to resolve a link that leads to itself is an error
    plain = plain_line(name.partition(".")[0] or name).encode(errors="replace")
    return Path(f"{kind}-{plain[:_LONGEST].decode(errors='ignore')}")


def check_folder(folder: Path, results: Sequence[str] = (), force: bool = False) -> None:
    """Raise `DataError` unless a folder can be made, or replaced without harm to what is in it."""
    with _alone(folder) as place:
        _kept(place, folder, results, force)


@contextmanager
def staged(folder: Path, results: Sequence[str] = (), force: bool = False) -> Iterator[Path]:
    """Give a folder to write to; at the end it takes the place of the one that is there, on an error it vanishes."""
    with _alone(folder) as place:
        new = _beside(place)[0]
        new.mkdir()
        yield new
        kept = _kept(place, folder, results, force)  # what others put into the old one
        for name in sorted({*kept} - {*os.listdir(new)}):  # of what is there, too, --force was said
            if (place / name).is_dir() and not (place / name).is_symlink():
                shutil.copytree(place / name, new / name, symlinks=True, copy_function=_link)
            else:
                _link(place / name, new / name)
        if place.exists():
            shutil.copymode(place, new)
            place.rename(_beside(place)[1])
        new.rename(place)


@contextmanager
def _alone(folder: Path) -> Iterator[Path]:
    """Be the only writer of a folder, after and before anything half done; give where it really is."""
    place = Path(os.path.realpath(folder))
    if os.path.ismount(place) or Path.cwd().is_relative_to(place):
        why = "a disk begins there" if os.path.ismount(place) else "this command runs in it"
        raise DataError(f"-o {folder} is replaced as a whole, but {why}: name a folder in it, as {folder / 'study'}")
    absent = [parent for parent in place.parents if not parent.exists()]
    try:
        with locked(place.with_name(f".{place.name}.lock")):
            _settle(place)
            try:
                yield place
            finally:
                _settle(place)
    except OSError as error:
        raise DataError(f"-o {folder} cannot be written ({os_error(error)})") from error
    finally:
        for parent in absent:
            with suppress(OSError):  # what is in use now, stays
                parent.rmdir()


def _beside(place: Path) -> tuple[Path, Path]:
    """Return where the new folder waits, and where the old one goes."""
    return place.with_name(f".{place.name}.new"), place.with_name(f"{place.name}.replaced.tmp")


def _kept(place: Path, folder: Path, results: Sequence[str], force: bool) -> list[str]:
    """Return what is in a folder and was not written by this command; `DataError` if the folder has to stay."""
    if not os.path.lexists(place):
        return []
    if not place.is_dir():
        raise DataError(f"-o {folder} is a file; name a folder")
    there, written = sorted(os.listdir(place)), _written(place)
    if there and written is None and not force:
        raise DataError(
            f"-o {folder} is there already and was not made by this command: name another folder, or add --force, "
            "which replaces files of the same name only"
        )
    for source in map(Path, results):
        inside = any(path.is_relative_to(place) for path in (source.resolve(), source.parent.resolve() / source.name))
        here = [path for path in (*place.iterdir(), source) if path.exists()]
        if inside or (source in here and any(path.samefile(source) for path in here[:-1])):
            raise DataError(f"-o {folder} holds {source}, the results themselves: name another folder")
    written = written or {}
    changed = [name for name, digest in written.items() if name in there and _digest(place / name) != digest]
    if changed and not force:
        raise DataError(
            f"-o {folder}: {listed(changed)} changed since this command wrote {'it' if len(changed) == 1 else 'them'}: "
            "name another folder, move what you want to keep, or add --force, which replaces it"
        )
    return [name for name in there if name not in written or name in changed]


def _written(folder: Path) -> dict[str, str] | None:
    """Return the hashes of the files that this command wrote into a folder, or None if it did not make it."""
    with suppress(OSError, ValueError, AttributeError, RecursionError):
        said = json.loads((folder / _ANSWERS).read_text(encoding="utf-8"))
        if said.get("made_by") == MADE_BY:
            files = {name: digest for name, digest in said.get("files", {}).items() if Path(name).name == name}
            return files | {_ANSWERS: _digest(folder / _ANSWERS) if said.pop("checksum", "") == json_hash(said) else ""}
    return None


def _digest(path: Path) -> str:
    """Return the hash of a file's content; nothing of a folder or a link, which this command does not write."""
    return file_hash(path) if path.is_file() and not path.is_symlink() else ""


def _link(source: str | Path, target: str | Path) -> None:
    """Give a file a second name, or copy it where a disk knows no such thing."""
    try:
        os.link(source, target, follow_symlinks=False)
    except (OSError, NotImplementedError):
        shutil.copy2(source, target, follow_symlinks=False)


def _settle(place: Path) -> None:
    """Bring to its end what a process left half done: forward if the new folder has its place, else back."""
    new, old = _beside(place)
    if os.path.lexists(old):
        if not os.path.lexists(place):
            old.rename(place)
        elif not new.exists():
            _discard(old, place)
        if old.exists():
            raise DataError(f"{old} holds what was not written by this command: move it, then try again")
    if new.exists():
        shutil.rmtree(new)


def _discard(old: Path, place: Path) -> None:
    """Remove an old folder: what this command wrote, and what the new one has, too; nothing else."""
    ours = _written(old) or {}
    for folder, folders, files in os.walk(old, topdown=False):
        for path in (Path(folder, name) for name in sorted((*files, *folders), key=_ANSWERS.__eq__)):
            within = path.relative_to(old)
            if path.is_dir() and not path.is_symlink():
                with suppress(OSError):  # of one that is not empty
                    path.rmdir()
            elif str(within) in ours or os.path.lexists(place / within):
                path.unlink()
    with suppress(OSError):
        old.rmdir()


# --- what -------------------------------------------------------------------------------------------------------------


def as_json(answers: Answers, request: StudyRequest, frame: pd.DataFrame) -> dict[str, Any]:
    """Return all that was found, and what was asked for, as what JSON can hold."""
    read_as = frame.attrs.get("read_as", "")
    return {"made_by": MADE_BY, "request": request.without_folders(), "read_as": read_as, **answers.to_dict()}


def write_tables(
    answers: Answers, request: StudyRequest, frame: pd.DataFrame, folder: Path, others: Mapping[str, str]
) -> list[str]:
    """Write every table as CSV, the main ones as LaTeX, all of it as JSON, and other texts; return the files' names."""
    tables = {name: flat(table) for name, table in answers.tables().items()}
    texts = {f"{name}.csv": as_csv(table) for name, table in tables.items()}
    texts |= {
        f"{name}.tex": latex_table(table, name, _CAPTIONS[name].format(nominal=answers.nominal))
        for name in MAIN_TABLES
        if len(table := tables[name].rename(columns=lambda column: str(column).replace("_", " ")))
    }
    texts |= others
    contents = {name: text.encode(errors="replace") for name, text in texts.items()}
    files = {name: sha256(content).hexdigest() for name, content in sorted(contents.items())}
    said = json.dumps({**as_json(answers, request, frame), "files": files}, ensure_ascii=False, allow_nan=False)
    body = json.loads(said.encode(errors="replace"))  # as it will be read
    contents[_ANSWERS] = json_text(with_checksum(body)).encode()
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return sorted(contents)


def json_text(body: Mapping[str, Any], unicode: bool = True) -> str:
    """Return JSON in which nothing turns the direction of what is read: such characters are escaped."""
    text = json.dumps(body, ensure_ascii=not unicode, indent=1, allow_nan=False)
    return re.sub("[\u200e\u200f\u202a-\u202e\u2066-\u2069]", lambda found: f"\\u{ord(found[0]):04x}", text)


def flat(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table with its index in columns, if that says something."""
    return table if isinstance(table.index, pd.RangeIndex) and table.index.name is None else table.reset_index()
