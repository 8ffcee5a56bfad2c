"""What is known of a report: what it depends on, where its files lie, what they hold, and whether they are done."""

from __future__ import annotations

import json
import os
import platform
import re
import site
import subprocess
import sysconfig
import tempfile
import time
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

from nbclient.exceptions import CellExecutionError, DeadKernelError
from nbconvert.filters.ansi import strip_ansi
from nbformat import NotebookNode

import genexpy_nb
from genexpy_nb.common.errors import DataError, GenexpyError, os_error
from genexpy_nb.common.files import changed_at, read_json, replacing, try_lock, with_checksum
from genexpy_nb.common.hashing import file_hash, folder_hash, versions
from genexpy_nb.common.page import page_object, read_findings
from genexpy_nb.datasets.locating import data_folder
from genexpy_nb.reporting.pairing import filled, has_tag
from genexpy_nb.reporting.references import ABBREVIATIONS
from genexpy_nb.reporting.spec import Report, named_files

#: The libraries whose versions a report states.
PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn", "statsmodels", "matplotlib", "seaborn")
_PATHS = sysconfig.get_paths()
_PACKAGES_IN = (_PATHS["purelib"], _PATHS["platlib"], *site.getsitepackages())
_LIBRARIES = tuple({os.path.join(form, "") for folder in _PACKAGES_IN for form in (folder, os.path.realpath(folder))})
_SYSTEM = (_PATHS["stdlib"], _PATHS["platstdlib"], "/proc", "/sys", "/dev", "/etc", "/usr/share", "/usr/lib")
_TABLES = (".csv", ".csv.gz", ".parquet")  # are named on a page, wherever they lie
_distributions = cache(packages_distributions)
_LEFTOVER = re.compile(r"\A\..*\.\w{8}\.tmp")  # of `replacing` in a process that was killed


@dataclass(frozen=True)
class Failure:
    """Why a report is not what it should be, and where."""

    message: str
    cell: int | None = None
    heading: str = ""
    place: str = ""
    traceback: str = ""

    @property
    def summary(self) -> str:
        """Place and message in one line."""
        if self.cell is None:
            return self.message
        under = f', under "{self.heading}"' if self.heading else ""
        return f"{self.place} (cell {self.cell}{under}): {self.message}"


# --- what a report depends on -----------------------------------------------------------------------------------------


def report_key(report: Report, root: Path, shared: Mapping[str, Any] | None = None) -> str:
    """Hash everything that a rendered report depends on."""
    words = report.notebook.source.parent / ABBREVIATIONS
    parts = {
        "report": [report.name, report.title, report.description, report.paper, report.place],
        "site": report.site.pages,
        "abbreviations": file_hash(words) if words.is_file() else None,
        "notebook": file_hash(report.notebook.source),
        "parameters": {name: repr(value) for name, value in report.parameters.items()},
        "data": [[table.name, table.source, table.sha256] for table in report.data],
        "files": {name: file_hash(path) for name, path in named_files(report).items()},
        **(shared_parts(root) if shared is None else shared),
    }
    return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def shared_parts(root: Path) -> dict[str, Any]:
    """Return what all reports of a project depend on, so that it is hashed once."""
    lock = root / "requirements.lock"
    return {
        "package": folder_hash(Path(genexpy_nb.__file__).parent),
        "bundled": folder_hash(data_folder(), ("*.parquet", "*.json")),
        "lock": file_hash(lock) if lock.is_file() else None,
        "python": platform.python_version(),
        "software": versions(PACKAGES),  # as the page says
        "locale": {name: value for name, value in sorted(os.environ.items()) if name.startswith(("LANG", "LC_"))},
        "time zone": [os.environ.get("TZ"), *time.tzname, time.timezone],
    }


# --- what its notebook was seen to read -------------------------------------------------------------------------------


def made_of(log: Path, root: Path) -> dict[str, Any]:
    """Return what a notebook has read, as `note_reading` noted it: hashes, and versions of packages."""
    if not log.is_file():
        return {}
    lines = [json.loads(line) for line in log.read_bytes().splitlines()]
    written = {path for kind, path, _ in lines if kind == "written"}
    elsewhere = tuple(os.path.join(place, "") for place in (*_SYSTEM, Path(genexpy_nb.__file__).parent, log.parent))
    project = os.path.join(root.resolve(), "")
    read: dict[str, str] = {}
    tops = set()
    for _, path, before in lines:
        library = next((place for place in _LIBRARIES if path.startswith(place)), None)
        if library:
            tops.add(path[len(library) :].partition(os.sep)[0].partition(".")[0])
        outside = library or os.path.join(path, "").startswith(elsewhere)
        if path not in written and (path.endswith(_TABLES) or not outside):
            same = os.path.isdir(path) or changed_at(path) == before
            if before or (same and path.startswith(project)):
                read[path.removeprefix(project)] = state_of(path) if same else "changed while it was read"
    installed = _distributions()
    packages = {name for top in tops for name in installed.get(top, ())} - {"genexpy-nb", "genexpy_nb"}
    return {"read": read, "packages": versions(sorted(packages))}


def is_still(record: Mapping[str, Any], root: Path, look: Callable[[str], str]) -> bool:
    """Say whether all that a notebook has read is as it was, for who looks with `state_of`."""
    return (
        bool(record)
        and record["packages"] == versions(record["packages"])
        and all(look(os.path.join(root, path)) == before for path, before in record["read"].items())
    )


def state_of(path: str) -> str:
    """Return the hash of a file, or of the names in a folder without the hidden ones; nothing if it is not there."""
    if os.path.isdir(path):
        names = sorted(name for name in os.listdir(path) if not name.startswith((".", "__pycache__")))
        return sha256("\0".join(names).encode(errors="surrogateescape")).hexdigest()
    return file_hash(path) if os.path.isfile(path) else ""


def commit(root: Path) -> str:
    """Return the commit that is checked out, and whether files differ from it."""
    head, changes = _git(root, "rev-parse", "HEAD"), _git(root, "status", "--porcelain")
    return f"{head} with local changes" if head and changes else head


def _git(root: Path, *command: str) -> str:
    try:
        done = subprocess.run(["git", *command], cwd=root, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def facts(report: Report, root: Path, key: str, read: Iterable[tuple[str, str]] = ()) -> list[tuple[str, str]]:
    """List what a reader needs to make the same numbers again; the time is not among it."""
    rows = [("Notebook", report.notebook.name)]
    for table in report.data:
        rows.append((f"Data: {table.name}", f"{table.source}: {table.path.name}, SHA-256 {table.sha256}"))
    named = {os.path.realpath(path) for path in (*(table.path for table in report.data), *named_files(report).values())}
    for file, place, found in sorted((os.path.basename(place), place, found) for place, found in read):
        if file.endswith(_TABLES) and os.path.realpath(root / place) not in named:
            rows.append((f"Data: {file.partition('.')[0]}", f"{file}, SHA-256 {found}"))
    for name, path in named_files(report).items():
        rows.append((f"File: {name}", f"{path.name}, SHA-256 {file_hash(path)}"))
    seed = next((name for name in report.values if name in ("seed", "random_state", "random_seed")), None)
    if seed:
        rows.append(("Seed", repr(report.values[seed])))
    rows.append(("Commit", commit(root) or "not in a git checkout"))
    software = {"Python": platform.python_version(), "genexpy_nb": genexpy_nb.__version__, **versions(PACKAGES)}
    rows.append(("Software", ", ".join(f"{name} {version}" for name, version in software.items())))
    rows.append(("Key", key))
    return rows


# --- what it found, beside its page -----------------------------------------------------------------------------------


def page_data(node: NotebookNode, report: Report) -> dict[str, Any]:
    """Return what an executed notebook says of itself, as other programs and other pages read it."""
    cells = [(cell, output) for cell in node.cells if cell.cell_type == "code" for output in cell.outputs]
    objects = [(cell, output, said) for cell, output in cells if (said := page_object(output))]
    heroes = [(output, said) for cell, output, said in objects if said["kind"] == "figure" and has_tag(cell, "hero")]
    return {
        "report": report.name,
        "title": report.title,
        "notebook": report.notebook.name,
        "changed": {name: repr(value) for name, value in report.changed.items()},
        "sources": {table.name: table.source for table in report.data},
        "findings": [asdict(each) for text in _lists_of_findings(node) for each in read_findings(text)],
        "numbers": [item for _, _, said in objects for item in said.get("numbers", ())],
        "hero": _image(*heroes[0]) if heroes else None,
    }


def _lists_of_findings(node: NotebookNode) -> Iterator[str]:
    """Markdown that lists findings: the text of a cell, or what one shows."""
    for cell in filled(node).cells:
        if cell.cell_type == "markdown" and has_tag(cell, "findings"):
            yield cell.source
        for output in cell.get("outputs", ()):
            if page_object(output, "findings"):
                yield output.data["text/markdown"]


def _image(output: NotebookNode, said: Mapping[str, Any]) -> dict[str, str]:
    image = b64encode(str(output.data.get("image/svg+xml", "")).encode()).decode()
    said = {name: str(said.get(name, "")) for name in ("alt", "caption")}
    return {**said, "image": f"data:image/svg+xml;base64,{image}"}


def as_json(data: Mapping[str, Any]) -> str:
    """Return the text of the file."""
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def read_page_data(path: Path) -> dict[str, Any]:
    """Read the file beside a page."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return data | {"findings": list(data["findings"]), "numbers": list(data["numbers"]), "hero": data["hero"]}
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        raise DataError(f"{path}: no key numbers of a report can be read there") from None


# --- its files, and whether they are done -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Entry:
    """One report as the index shows it; also what is remembered of it between two runs."""

    name: str
    title: str
    description: str
    notebook: str
    status: str = "not rendered"
    changed: dict[str, str] | None = None
    sources: dict[str, str] | None = None
    seconds: float | None = None
    problem: str = ""
    key: str = ""
    page: str = ""
    executed: str = ""
    data: str = ""
    made_of: dict[str, Any] = field(default_factory=dict)


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
        if not try_lock(file):
            file.seek(0)
            who = file.read(200) or "just started"
            raise GenexpyError(
                f"{target.folder} is being written by another render ({who}); wait for it, or give another folder "
                "with -o"
            )
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


def remembered(target: Target, name: str) -> Entry | None:
    """Return what is known of a report from earlier, if it is still true of its page."""
    try:
        entry = Entry(**read_json(target.state(name), "it is made again"))
    except (DataError, TypeError):  # or by another version of this package
        return None
    return entry if entry.name == name and _is(target.page(name), entry.page) else None


def is_written(target: Target, entry: Entry) -> bool:
    """Say whether page, the file beside it and executed notebook are what was written."""
    return all(_is(getattr(target, part)(entry.name), getattr(entry, part)) for part in ("page", "data", "executed"))


def _is(path: Path, digest: str) -> bool:
    if not digest:
        return not os.path.lexists(path)
    try:
        return file_hash(path) == digest
    except OSError:
        return False


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
    _write(target.state(entry.name), json.dumps(with_checksum(asdict(entry)), indent=1) + "\n")
    return entry


def _write(path: Path, text: str | None) -> str:
    """Write a file, or remove it; return its hash, by which a file is known that did not survive a failure of power."""
    if text is None:
        path.unlink(missing_ok=True)
        return ""
    try:
        with replacing(path) as waiting:
            waiting.write_bytes(text.encode())
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None  # not every one says of which file
    return sha256(text.encode()).hexdigest()


def in_a_line(error: BaseException) -> str:
    """Say what went wrong without a traceback."""
    if isinstance(error, OSError) and error.strerror:
        text = os_error(error)
    elif isinstance(error, CellExecutionError):
        text = f"{error.ename}: {error.evalue}" if error.evalue else error.ename
    elif isinstance(error, DeadKernelError):
        text = "the kernel died (out of memory, or a crash in compiled code)"
    else:
        text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return " ".join(strip_ansi(text).split())
