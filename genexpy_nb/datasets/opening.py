"""What is read from a disk: regular files only, and no more of them than was allowed; and what is said of it."""

from __future__ import annotations

import codecs
import gzip
import io
import json
import os
import re
import stat
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple
from unicodedata import normalize

import pandas as pd
from charset_normalizer import from_bytes

from genexpy_nb.common.checks import listed, shown, suggest
from genexpy_nb.common.errors import DataError, ParameterError, StudyError, os_error
from genexpy_nb.common.files import parse_parquet, read_json, read_verified

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
        with open(path, "rb", opener=_at_once) as file:
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


def _at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # to open a pipe would wait for who writes into it


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


# --- how it was read --------------------------------------------------------------------------------------------------

# Letters that are not seen, and spaces that look like others.
_SAMPLE = 2**18  # bytes by which an encoding is found
_BOMS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_UNSEEN = dict.fromkeys([0xAD, *range(0x200B, 0x2010), *range(0x2060, 0x2065), 0xFEFF]) | {0xA0: " "}


def described(
    frame: pd.DataFrame, form: str, sentence: str, notes: Sequence[str] = (), roles: Mapping[str, Any] | None = None
) -> pd.DataFrame:
    """Return the frame with ``attrs`` that say how it was read, and which study fits."""
    notes = [*notes, *_joined(frame)]
    frame.attrs = {"format": form, "read_as": "; ".join([sentence, *notes]), "notes": list(notes)}
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
        alike = {text: _form(text) for text in texts if text != _form(text) and forms[_form(text)] > 1}
        if alike:
            frame[column] = [alike.get(value, value) if isinstance(value, str) else value for value in frame[column]]
            one, other = next(iter(alike.items()))
            notes.append(f"column {column!r}: names that look alike are one, such as {one!a} and {other!a}")
    return notes


# --- records of other programs, as a study ----------------------------------------------------------------------------


def need(body: Any, path: Path, *keys: str) -> Any:
    """Return what stands under keys, or say which of them is missing in which file."""
    for position, key in enumerate(keys):
        if not isinstance(body, Mapping) or key not in body:
            raise DataError(f"{path}: {'.'.join(keys[: position + 1])} is missing")
        body = body[key]
    return body


def left_out(what: list[str], kind: str) -> list[str]:
    """Say what was left out, if anything was."""
    return [f"{len(what)} {kind} were left out ({listed(what, 3)})"] if what else []


def number(value: Any) -> float:
    """Return a score, missing where the program wrote none, such as "N/A"."""
    return float(value) if isinstance(value, int | float) else float("nan")


def number_repeats(frame: pd.DataFrame, key: Sequence[str]) -> pd.DataFrame:
    """Return the frame with a column ``run``, 1 for the first row of a key, if some key stands in several rows."""
    if frame.empty:
        return frame
    run = frame.groupby(list(key), dropna=False).cumcount() + 1
    return frame.assign(run=run) if (run > 1).any() else frame


def several(frame: pd.DataFrame, cell: Sequence[str], column: str) -> bool:
    """Say whether a column has several levels in some cell."""
    return bool((frame.groupby(list(cell), dropna=False)[column].nunique() > 1).any())


def study_roles(
    frame: pd.DataFrame,
    *,
    alternatives: str,
    target: str,
    generalize_over: str,
    fix: Sequence[str] = (),
    design: Sequence[str] = (),
    average: Sequence[str] = (),
    higher_is_better: str | None = None,
) -> tuple[dict[str, Any], list[str]]:
    """Return the arguments of the `genexpy_nb.Study` that fits a tidy frame, and what it leaves out."""
    rows, fixed = frame, {}
    cell = [alternatives, generalize_over]
    for column in fix:
        if rows[column].nunique() > 1:
            sizes = rows.drop_duplicates([*cell, column]).groupby(column, sort=False).size()
            fixed[column] = sizes.idxmax()
            rows = rows[rows[column] == fixed[column]]
    roles: dict[str, list[str]] = {"design": [], "average_over": []}
    for role, columns in (("design", design), ("average_over", average)):
        for column in columns:
            if column in rows and several(rows, cell, column):
                roles[role].append(column)
    words: dict[str, Any] = {"alternatives": alternatives, "target": target, "generalize_over": generalize_over}
    words |= {role: columns for role, columns in roles.items() if columns}
    if fixed:
        words["fixed"] = fixed
    if higher_is_better is not None and len(rows) and not rows[higher_is_better].fillna(True).astype(bool).all():
        words["higher_is_better"] = False
    levels = " and ".join(f"{key} {value!r}" for key, value in fixed.items())
    notes = [f"the study in attrs['call'] takes {levels}"] if fixed else []
    sizes = {column: (rows[column].nunique(), frame[column].nunique()) for column in (generalize_over, alternatives)}
    few = [f"{n} of {n_all} levels of {column!r}" for column, (n, n_all) in sizes.items() if n < n_all]
    if few:
        notes[0] += f", which only {' and '.join(few)} have"
    return words, notes


# --- this project's own runs, with a file beside each that says where it comes from -----------------------------------


def read_verified_results(path: Path) -> pd.DataFrame:
    """Read a results table that ``data/runs/records.py`` wrote, if it is still what the JSON file beside it says."""
    content, about = read_content(path, "the script that wrote it makes it again")
    table = parse_parquet(content, str(path))
    table.attrs = {"about": about}
    return table


def read_content(path: Path, remedy: str) -> tuple[bytes, dict[str, Any]]:
    """Return the bytes of such a table, verified, and what the JSON file beside it says."""
    about = read_json(path.with_suffix(".json"), remedy)
    return read_verified(path, about["sha256"], remedy), about


# --- encoding ---------------------------------------------------------------------------------------------------------


def decoded(content: bytes, name: str, encoding: str | None) -> tuple[str, str]:
    """Return the text of a file, and its encoding in words."""
    bom = next((bom for bom in _BOMS if content.startswith(bom)), None)
    if encoding is not None or bom is not None:
        words = encoding or f"{_BOMS[bom].removesuffix('-sig')} with BOM"  # type: ignore[index]
        text = _decoded_as(content, name, encoding or _BOMS[bom])  # type: ignore[index]
    else:
        text, words = _found_encoding(content, name)
    if "\x00" in text:
        line = text.count("\n", 0, text.index("\x00")) + 1
        raise DataError(f"{name}: row {line} holds a NUL byte: the file is damaged, or is no text (read as {words})")
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
    try:
        text = content.decode(found.encoding) if found else None
    except UnicodeDecodeError:
        text = None
    if found is None or text is None:
        raise DataError(f"{wrong}, and no other encoding fits: pass encoding=")
    letters = listed((repr(c) for c in dict.fromkeys(str(found)) if ord(c) > 127), most=3)
    return text, f"{found.encoding} (no UTF-8; {letters} read so)"
