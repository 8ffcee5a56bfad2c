"""The files of a study: tidy CSVs of every table, LaTeX of the main ones, all of it as JSON; whole, or not at all."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pandas as pd

from genexpy_nb.common.errors import DataError, os_error
from genexpy_nb.common.page_tables import latex_table
from genexpy_nb.common.prose import plain_line
from genexpy_nb.own_study.request import StudyRequest
from genexpy_nb.study.answers import MAIN_TABLES, Answers

#: What answers.json says of itself; a folder with it may be written to again.
MADE_BY = "genexpy-nb study"

_ANSWERS = "answers.json"
_CAPTIONS = {
    "ranking": "Mean ranks (1 is best), mean scores with intervals, and positions at which each alternative may stand",
    "nstar": "Experiments with which two studies have similar distributions of results (n*), and verdicts",
    "extend": "Configurations to extend first",
    "agreement": "Agreement of the conclusions of two studies of n experiments each, with nominal {nominal} intervals",
    "contenders": "Who may be the best, by how much each is ahead of the best of the others, and where each can stand",
    "regret": "What choosing by the table costs on an experiment that was left out, in places",
}


# --- where ------------------------------------------------------------------------------------------------------------


def default_folder(results: str) -> Path:
    """Return the folder that results are written to if none is named."""
    name = Path(results).resolve().name
    return Path(f"study-{plain_line(name.partition('.')[0] or name)}")


def check_folder(folder: Path, force: bool = False) -> None:
    """Raise `DataError` unless a folder is new, empty, was made by this command, or ``force`` is given."""
    try:
        near = _nearest(folder)
        if near == folder.absolute() and not near.is_dir():
            raise DataError(f"-o {folder} is a file; name a folder")
        if not near.is_dir() or not os.access(near, os.W_OK | os.X_OK):
            raise DataError(f"-o {folder} cannot be made: {near} is no folder that can be written to")
        _waiting_room(folder).rmdir()
        if not folder.exists():
            return
        if force or not any(folder.iterdir()) or _files_of(folder) is not None:
            return
    except OSError as error:
        raise DataError(f"-o: {os_error(error)}") from error
    raise DataError(
        f"-o {folder} is there already and was not made by this command: name another folder, or add --force, which "
        "replaces files of the same name only"
    )


def _waiting_room(folder: Path) -> Path:
    """Make a new folder on the disk of another one, or raise `DataError`."""
    near = _nearest(folder)  # the folder itself, if it is there: it may be the only place to write to
    try:
        return Path(tempfile.mkdtemp(dir=near, prefix=".study-", suffix=".tmp"))
    except OSError as error:
        raise DataError(f"-o {folder} cannot be written ({os_error(error)})") from error


def _nearest(folder: Path) -> Path:
    """Return the nearest thing upwards that is there."""
    near = folder.absolute()
    while not near.exists() and near != near.parent:
        near = near.parent
    return near


def _files_of(folder: Path) -> list[str] | None:
    """Return the files that this command wrote into a folder, or None if it did not make it."""
    with suppress(OSError, ValueError, AttributeError):
        said = json.loads((folder / _ANSWERS).read_text(encoding="utf-8"))
        if said.get("made_by") == MADE_BY:
            return [name for name in said.get("files", []) if isinstance(name, str) and Path(name).name == name]
    return None


@contextmanager
def staged(folder: Path, force: bool = False) -> Iterator[Path]:
    """Give a folder to write to; at the end its files move to their place at once, on an error they vanish."""
    check_folder(folder, force)
    waiting = _waiting_room(folder)
    try:
        yield waiting
        _move(waiting, folder)
    except OSError as error:
        raise DataError(f"-o {folder} cannot be written ({os_error(error)})") from error
    finally:
        shutil.rmtree(waiting, ignore_errors=True)


def _move(waiting: Path, folder: Path) -> None:
    waiting.chmod(0o755)  # mkdtemp's 0700 would keep a web server or a colleague out
    folder.parent.mkdir(parents=True, exist_ok=True)
    if not folder.exists():
        waiting.replace(folder)
        return
    new = [path.name for path in waiting.iterdir()]
    for name in set(_files_of(folder) or []) - set(new):
        (folder / name).unlink(missing_ok=True)
    for name in sorted(new, key=lambda name: name == _ANSWERS):  # what says that all is there comes last
        (waiting / name).replace(folder / name)


# --- what -------------------------------------------------------------------------------------------------------------


def as_json(answers: Answers, request: StudyRequest, frame: pd.DataFrame) -> dict[str, Any]:
    """Return all that was found, and what was asked for, as what JSON can hold."""
    asked = request.parameters() | {"results": request.results}
    return {"made_by": MADE_BY, "request": asked, "read_as": frame.attrs.get("read_as", ""), **answers.to_dict()}


def write_tables(
    answers: Answers, request: StudyRequest, frame: pd.DataFrame, folder: Path, others: Mapping[str, str]
) -> list[str]:
    """Write every table as CSV, the main ones as LaTeX, all of it as JSON, and other texts; return the files' names."""
    tables = {name: _flat(table) for name, table in answers.tables().items()}
    texts = {f"{name}.csv": table.to_csv(index=False, lineterminator="\n") for name, table in tables.items()}
    texts |= {
        f"{name}.tex": latex_table(tables[name], name, _CAPTIONS[name].format(nominal=answers.nominal))
        for name in MAIN_TABLES
        if len(tables[name])
    }
    texts |= others
    said = as_json(answers, request, frame) | {"files": sorted([*texts, _ANSWERS])}
    texts[_ANSWERS] = json.dumps(said, ensure_ascii=False, indent=1, allow_nan=False)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n", errors="replace")
    return sorted(texts)


def _flat(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table with its index in columns, if that says something."""
    return table if isinstance(table.index, pd.RangeIndex) and table.index.name is None else table.reset_index()
