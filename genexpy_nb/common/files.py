"""Files: nobody ever sees half of one, one process writes at a time, and what is read is what was written.

And what bytes say: the letters of a text, the cells of a workbook, and how a table was read from them.
"""

from __future__ import annotations

import codecs
import errno
import gzip
import hashlib
import io
import json
import os
import re
import secrets
import stat
import sys
import time
import warnings
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.util import source_from_cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple
from unicodedata import normalize

from genexpy_nb.common.checks import listed, shown, suggest
from genexpy_nb.common.errors import DataError, ParameterError, StudyError, load_extra, os_error

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
    size = f"{len(content):,} bytes"
    raise DataError(
        f"{path} is damaged or another file: expected SHA-256 {expected}, found {found} in {size}; {remedy}"
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


# --- bounds ----------------------------------------------------------------------------------------------------------

#: How much is read unless somebody says otherwise: with the text reader it takes some gigabytes of memory.
MAX_SIZE = "200MB"

_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_PIECE = 2**20
_KINDS = {stat.S_ISFIFO: "a pipe", stat.S_ISCHR: "a device", stat.S_ISBLK: "a device"}


class Limit(NamedTuple):
    """How many bytes are read at most, packed and unpacked."""

    size: int

    @classmethod
    def of(cls, max_size: Any) -> Limit:
        """Return the limit that "2GB", or a number of bytes, means."""
        found = re.fullmatch(r"(\d{1,15}(?:\.\d{1,9})?) ?([KMGT]?B|)", str(max_size).strip().upper())
        if not found or isinstance(max_size, bool) or float(found[1]) == 0:
            raise ParameterError(f"max_size must be a size such as '500MB' or '2GB', is {shown(max_size)}")
        return cls(int(float(found[1]) * _UNITS[found[2]]))

    @property
    def columns(self) -> int:
        """The columns that a table may have: with the usual size, 20,000."""
        return max(20_000, self.size // 10_000)

    @property
    def entries(self) -> int:
        """The files and folders that may lie in a folder: with the usual size, 200,000."""
        return max(200_000, self.size // 1000)

    def check(self, name: str, size: int, what: str = "", most: int = 0) -> None:
        """Raise `DataError` if there are more bytes, or of something else more than ``most``."""
        if size > (most or self.size):
            said = f"more than {most:,} {what}" if most else f"{size / 1e6:.3g} MB{what}"
            at_most = "that is the most that is read" if most else f"{self.size / 1e6:.3g} MB are read at most"
            enough = 2 * size * self.size // (most or self.size) // 10**6 + 1
            raise DataError(f"{name} has {said}; {at_most}. If you have the memory for it, pass max_size='{enough}MB'")


def read_file(path: Path, limit: Limit) -> bytes:
    """Return the content of a regular file; nothing else is waited for."""
    try:
        # to open a pipe would wait for who writes into it
        with open(path, "rb", opener=lambda file, how: os.open(file, how | getattr(os, "O_NONBLOCK", 0))) as file:
            about = os.fstat(file.fileno())
            if not stat.S_ISREG(about.st_mode):
                kind = next((kind for is_one, kind in _KINDS.items() if is_one(about.st_mode)), "no file")
                raise DataError(f"{path} is {kind}: write what comes from it to a file, and pass that")
            limit.check(str(path), about.st_size)
            return all_of(file, str(path), limit, "")
    except OSError as error:
        raise DataError(os_error(error)) from error
    except ValueError as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{shown(str(path))}: {error}") from error  # a path that no system takes


def all_of(file: IO[bytes], name: str, limit: Limit, what: str = " or more when it is unpacked") -> bytes:
    """Return what is left in a stream: one that grows, or says little of what it holds, ends at the limit."""
    content = io.BytesIO()
    while piece := file.read(_PIECE):
        content.write(piece)
        limit.check(name, content.tell(), what)
    return content.getvalue()


def gunzipped(content: bytes, name: str, limit: Limit) -> bytes:
    """Return what a file holds that was compressed with gzip."""
    try:
        return all_of(gzip.GzipFile(fileobj=io.BytesIO(content)), name, limit)  # type: ignore[arg-type]
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{name} is compressed with gzip, but damaged: {error}") from error


def below(folder: Path, limit: Limit) -> list[Path]:
    """Return the files below a folder; a folder that cannot be looked into is an error."""

    def refuse(error: OSError) -> None:
        raise DataError(os_error(error)) from error

    found, n = [], 0
    for root, folders, files in os.walk(folder, onerror=refuse):
        n += len(folders) + len(files)
        limit.check(str(folder), n, "files and folders in it", limit.entries)
        folders.sort()
        found += [Path(root, file) for file in sorted(files)]
    return found


# --- encoding ---------------------------------------------------------------------------------------------------------

_SAMPLE = 2**18  # bytes by which an encoding is found
_BOMS = {codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32", codecs.BOM_UTF8: "utf-8-sig"}
_BOMS |= {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_CONFLICT = re.compile(r"(?m)^(?:<{7} |>{7} )")


def decoded(content: bytes, name: str, encoding: str | None) -> tuple[str, str]:
    """Return the text of a file, and its encoding in words."""
    marked = next((form for bom, form in _BOMS.items() if content.startswith(bom)), None)
    if told := encoding or marked:
        words = encoding or f"{told.removesuffix('-sig')} with BOM"
        text = _decoded_as(content, name, told)
    else:
        text, words = _found_encoding(content, name)
    if "\x00" in text:
        line = text.count("\n", 0, text.index("\x00")) + 1
        raise DataError(f"{name}: row {line} holds a NUL byte: the file is damaged, or is no text (read as {words})")
    marks = [1 + text.count("\n", 0, found.start()) for found in _CONFLICT.finditer(text)]
    if len(marks) > 1:
        raise DataError(f"{name}: rows {listed(map(str, marks))} are marks of Git: two versions were merged; keep one")
    return text.removeprefix("\ufeff"), words


def _decoded_as(content: bytes, name: str, encoding: str) -> str:
    try:
        return content.decode(codecs.lookup(encoding).name)
    except UnicodeDecodeError as error:
        row = content.count(b"\n", 0, error.start) + 1
        raise DataError(f"{name}: row {row}: byte 0x{content[error.start]:02X} is not {encoding}") from error
    except (LookupError, TypeError, ValueError) as error:
        known = ["utf-8", "utf-16", "latin-1", "cp1252", "cp1250", "cp1251", "shift_jis", "gb18030"]
        close = suggest(encoding, known)
        raise ParameterError(f"encoding: Python knows none called {shown(encoding)}{close}") from error


def _found_encoding(content: bytes, name: str) -> tuple[str, str]:
    from charset_normalizer import from_bytes

    if b"\x00" in content:
        found = from_bytes(content[:_SAMPLE]).best()
        wide = found.encoding.replace("_", "-") if found and found.encoding.startswith("utf_") else "utf-8"
        return content.decode(wide, errors="replace"), wide
    try:
        return content.decode("utf-8"), "utf-8"
    except UnicodeDecodeError as error:
        first = error.start
        row = content.count(b"\n", 0, first) + 1
        wrong = f"{name}: row {row}: byte 0x{content[first]:02X} is no UTF-8"
    if re.search("[^\x00-\x7f\ufffd]", content.decode("utf-8", errors="replace")):
        raise DataError(f"{wrong}, though other letters are: the file was cut, or mixes encodings; pass encoding=")
    start = content.rfind(b"\n", 0, max(0, first - _SAMPLE // 2)) + 1
    around = content[start : content.find(b"\n", start + _SAMPLE) + 1 or None]
    found = from_bytes(around, cp_isolation=["cp1252"]).best() or from_bytes(around).best()
    text = None
    with suppress(UnicodeDecodeError):
        text = content.decode(found.encoding) if found else None
    if found is None or text is None:
        raise DataError(f"{wrong}, and no other encoding fits: pass encoding=")
    letters = listed((repr(c) for c in dict.fromkeys(str(found)) if ord(c) > 127), most=3)
    return text, f"{found.encoding} (no UTF-8; {letters} read so)"


# --- sheets of Excel ----------------------------------------------------------------------------------------------

_LAST_ROW = 2**20  # of a sheet

#: Whole numbers up to this one are exact as floating-point numbers, too.
EXACT = 2**53


class Sheet(NamedTuple):
    """The cells of a sheet that hold something, wherever they are."""

    rows: dict[int, dict[int, Any]]
    errors: dict[tuple[int, int], str]
    empty: set[tuple[int, int]]  # there, but without a value: set in colour, or a formula that was never computed


def sheets_of(content: bytes, name: str) -> dict[str, Sheet]:
    """Return the sheets of an Excel file that hold a value, by their titles."""
    with _book(content, name, data_only=True) as book:
        found = {page.title: _filled(page) for page in book.worksheets}
    return {title: sheet for title, sheet in found.items() if sheet.rows}


@contextmanager
def _book(content: bytes, name: str, data_only: bool) -> Iterator[Any]:
    openpyxl = load_extra("excel", "openpyxl")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about what else is in the file: charts, validation, styles
            yield openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=data_only, keep_links=False)
    except (DataError, MemoryError):
        raise
    except Exception as error:  # a damaged archive, sheet or style raises anything
        raise DataError(f"{name} cannot be read as an Excel file: {' '.join(str(error).split())}") from error


def _filled(sheet: Any) -> Sheet:
    found = Sheet({}, {}, set())
    for number, row in _numbered_rows(sheet):
        values = {}
        for cell in row:
            value = cell.value
            if cell.data_type == "e" and value is not None:
                found.errors[number, cell.column] = str(value)
            if isinstance(value, float) and value.is_integer() and abs(value) < EXACT:
                value = int(value)
            if value is not None and not (isinstance(value, str) and not value.strip()):
                values[cell.column] = value
            elif value is None and cell.data_type == "n" and hasattr(cell, "column"):
                found.empty.add((number, cell.column))
        if values:
            found.rows[number] = values
    return found


def _numbered_rows(sheet: Any) -> Iterator[tuple[int, Any]]:
    """Yield the rows of a sheet up to the last one that Excel can have; what the file says of its size is not used."""
    sheet.reset_dimensions()
    for number, row in enumerate(sheet.iter_rows(), start=1):
        if number > _LAST_ROW:
            raise ValueError(f"sheet {sheet.title!r} has a row after row {_LAST_ROW:,}")
        yield number, row


def check_cells(sheet: Sheet, where: str, content: bytes, title: str, codes: Collection[str]) -> list[str]:
    """Raise `DataError` for a cell whose value is not known; "#N/A" is how a sheet says that there is none."""
    get_column_letter = import_module("openpyxl.utils").get_column_letter
    absent = []
    for (row, column), value in sheet.errors.items():
        cell = f"{get_column_letter(column)}{row}"
        if value == "#N/A":
            absent.append(cell)
            sheet.rows[row][column] = ""
        elif value.strip().lower() not in codes:
            raise DataError(f"{where}: cell {cell} is {value}: mend its formula, or pass missing_codes='{value}'")
    with _book(content, where, data_only=False) as book:
        cells = (cell for _, row in _numbered_rows(book[title]) for cell in row) if sheet.empty else ()
        formulas = (cell for cell in cells if cell.data_type == "f" and (cell.row, cell.column) in sheet.empty)
        if never := next(formulas, None):
            formula = shown(getattr(never.value, "text", never.value), most=40)
            never_was = "which was never computed: open the file in Excel or LibreOffice, and save it"
            raise DataError(f"{where}: cell {never.coordinate} holds the formula {formula}, {never_was}")
    return [f"{len(absent)} cells with #N/A have no value, the first is {absent[0]}"] if absent else []


# --- how it was read --------------------------------------------------------------------------------------------------

# Letters that are not seen, and spaces that look like others.
_UNSEEN = dict.fromkeys([0xAD, *range(0x200B, 0x2010), *range(0x2060, 0x2065), 0xFEFF]) | {0xA0: " "}


class Note(str):
    """A sentence on how a table was read, with what it says as data, for `noted`."""

    says: dict[str, Any]

    def __new__(cls, words: str, **says: Any) -> Note:
        """Keep the data beside the words."""
        note = super().__new__(cls, words)
        note.says = says
        return note

    def of(self, where: str) -> Note:
        """Return the note with the file that it is about in front."""
        return Note(f"{where}: {self}", **self.says)


def noted(notes: Iterable[str], name: str) -> list[Any]:
    """Return what notes say under a name, as data."""
    return [note.says[name] for note in notes if isinstance(note, Note) and name in note.says]


def described(
    frame: pd.DataFrame, form: str, sentence: str, notes: Sequence[str] = (), roles: Mapping[str, Any] | None = None
) -> pd.DataFrame:
    """Return the frame with ``attrs`` that say how it was read, and which study fits."""
    notes = [note if isinstance(note, Note) else Note(note) for note in (*notes, *_joined(frame))]
    frame.attrs = {"format": form, "read_as": "; ".join([sentence, *notes]), "notes": notes}
    if roles is not None:
        said = {key: str(v) if isinstance(v, bool) else json.dumps(v, ensure_ascii=False) for key, v in roles.items()}
        words = ", ".join(f"{key}={value}" for key, value in said.items())
        frame.attrs |= {"roles": dict(roles), "call": f"gx.Study(results, {words})"}
    return frame


def _form(text: str) -> str:
    return text if text.isascii() else normalize("NFC", text.translate(_UNSEEN))


def _joined(frame: pd.DataFrame) -> list[str]:
    """Make one name of those in a column that look alike, and say so; columns that look alike are an error."""
    seen: dict[str, str] = {}
    for column in map(str, frame.columns):
        other = seen.setdefault(_form(column), column)
        if other != column:
            raise StudyError(f"columns {other!a} and {column!a} have names that look alike: rename one")
    notes = []
    for column in [column for column in frame.columns if frame[column].dtype.kind == "O"]:
        texts = dict.fromkeys(value for value in frame[column] if isinstance(value, str))
        forms = Counter(map(_form, texts))
        if alike := {text: _form(text) for text in texts if text != _form(text) and forms[_form(text)] > 1}:
            frame[column] = [alike.get(value, value) if isinstance(value, str) else value for value in frame[column]]
            one, other = next(iter(alike.items()))
            notes.append(f"column {column!r}: names that look alike are one, such as {one!a} and {other!a}")
    return notes
