"""Read the results that people already have: tables of any kind, and what other programs write."""

from __future__ import annotations

import io
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise, product
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from genexpy_nb.common import files
from genexpy_nb.common.checks import listed, shown
from genexpy_nb.common.errors import DataError, ParameterError, StudyError, os_error
from genexpy_nb.common.files import MAX_SIZE, Limit, Note, described, read_file
from genexpy_nb.datasets import foreign, forms, opening, pages, stores
from genexpy_nb.datasets.opening import ALSO, rows_of_all
from genexpy_nb.datasets.texttables import SEPARATORS, Cells, as_series, check_header, is_number_cell, laid_out, typed
from genexpy_nb.datasets.words import SECTION, among, direction_of, summary_rows

_OTHERS = {  # how files begin that are not read, and what to do about them
    b"version https://git-lfs": "is a pointer of Git LFS, not the file itself: run git lfs pull",
    b"\x93NUMPY": "is one array of NumPy: save a table, or {algorithm: runs x games} with numpy.savez",
    b"\x80": "was written by joblib or pickle: reading it runs whatever code it contains. If you trust who "
    "wrote it, load it yourself, and pass what it holds",
    b"\xd0\xcf\x11\xe0": "is an Excel file that is protected by a password, or from before 2007: save it as .xlsx",
}
_LINK = re.compile(r"\[!?\[?[^\[\]\n\"{]*\]\(")  # of Markdown, as of a badge: no JSON
_SCRIPT = re.compile(r"(?:export )?(?:const|let|var) [\w$]{1,60} ?= ?(?=[\[{])")  # of JavaScript, which holds JSON
_LOGS, _LONGEST_LOG = (".txt", ".log", ".out", ".eval", ".trec"), 2**20  # texts that may hold measures; their bytes
_HEAD = 20  # rows by which a curve is known
_NUMBER = re.compile(r"[-+]?\d{0,20}\.?\d{1,20}(?:[eE][-+]?\d{1,3})?|nan")
_TABLES = (".csv", ".tsv", ".parquet", ".xlsx", ".jsonl")  # of a folder, perhaps followed by .gz
_YAML = (".yml", ".yaml", ".yml.gz", ".yaml.gz")
_FORMATS = "; ".join(f"{form}: {what}" for form, what in foreign.FORMATS.items())
_FILES = "CSV, TSV, parquet, JSON lines, YAML, Excel (.xlsx), each perhaps compressed with gzip"
_KNOWN = f"{_FILES}; cv_results_ of scikit-learn; {_FORMATS}"


def read_results(
    results: Any,
    *,
    sep: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    missing_codes: str | Sequence[str] = (),
    max_size: str | int = MAX_SIZE,
) -> pd.DataFrame:
    """Read results from files or a folder, recognized by their content, and say how they were read.

    Of text, the separator, the encoding and the decimal mark are found, and ``attrs["read_as"]`` says what was found;
    numbers that allow two decimal marks are an error. Of other programs' results one row is one evaluation; where some
    stand there several times, a column ``run`` numbers them by date. Files may be compressed with gzip. Several tables
    are read by the columns that all of them have; a column ``file`` says which one a row is from.

    Parameters
    ----------
    results : path-like, list of them, mapping or DataFrame
        A file (CSV, TSV, other text with a header, a page in Markdown, LaTeX or HTML, parquet, JSON, YAML, Excel),
        several, or a folder; the results of MTEB, HELM, lm-evaluation-harness, Inspect, Every Eval Ever, bencheval,
        OpenML, MLflow, Weights & Biases or rliable; or ``cv_results_`` of a scikit-learn search (dict, DataFrame, CSV).
    sep : str, optional
        The character between columns of a text file; found is the one of ``, ; tab |``, or else spaces, that gives rows
        of one width, and of several the one that gives most columns.
    encoding : str, optional
        Of a text file; found is what a byte order mark announces, UTF-8, or else what fits the text best.
    decimal : {".", ","}, optional
        Decimal mark of a text file or of numbers that Excel holds as text; the other one may separate thousands.
    sheet : str, optional
        Sheet of an Excel file; of a page with several tables, the row in which one begins, or the heading above it.
        Several, with " / " between, are read as one table, with a column ``section`` that says which a row is from.
    missing_codes : str or list of str
        What stands for "no value" in columns of numbers, such as "OOM", besides empty cells, NA, n/a, NaN, None, null,
        "?" and dashes. Capitals do not matter.
    max_size : str or int
        The largest file, packed and unpacked, such as "2GB". It also allows more columns and more files in a folder.

    Returns
    -------
    DataFrame
        ``attrs["read_as"]`` says how it was read, ``attrs["format"]`` the format, ``attrs["notes"]`` what was left out,
        converted or renamed; ``attrs["call"]``, for other programs' results, the `genexpy_nb.Study` that fits.

    Raises
    ------
    DataError
        If the file is missing, damaged or of an unknown format, or numbers can be read in two ways.
    StudyError
        If two columns have the same name.
    ParameterError
        If an option has a value that it cannot have, or does not apply to the format.
    MissingExtraError
        If an Excel file is to be read and openpyxl is not installed.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5]}).fit(*load_iris(return_X_y=True))
    >>> results = read_results(search.cv_results_)
    >>> results.attrs["read_as"].partition(";")[0]
    'scikit-learn cv_results_, read from memory, 10 rows'
    >>> results.attrs["call"]
    'gx.Study(results, alternatives="candidate", target="score", generalize_over="split")'
    """
    options = {"sep": sep, "encoding": encoding, "decimal": decimal, "sheet": sheet}
    asked = _Asked(options, Limit.of(max_size), _counted(missing_codes))
    if isinstance(results, Mapping | pd.DataFrame) or hasattr(results, "cv_results_"):
        _refuse_options(options | {"missing_codes": missing_codes or None}, (), "results that are not read from a file")
        found = getattr(results, "cv_results_", results)
        if not isinstance(found, Mapping | pd.DataFrame) or not stores.is_search(found):
            raise DataError("results: no cv_results_ of a search (params or param_..., split0_test_..., mean_test_...)")
        return _described_table(stores.as_table(found, "results"), "memory", [], "", "results")
    try:
        paths = [Path(path) for path in (results if isinstance(results, list | tuple) else [results])]
    except TypeError as error:
        kind = type(results).__name__
        raise ParameterError(f"results must be a file, a folder, or the cv_results_ of a search, is {kind}") from error
    if not paths:
        raise ParameterError("results must name a file, is an empty list")
    try:
        alone = len(paths) == 1 and not os.path.isdir(paths[0])
        frame = _from_file(paths[0], asked) if alone else _from_several(paths, asked)
    except MemoryError:
        raise DataError(f"{listed(paths, 2)}: there is not enough memory to read this") from None
    except OSError as error:
        raise DataError(os_error(error)) from error
    if unused := [code for code, n in asked.codes.items() if not n]:
        raise ParameterError(f"missing_codes: no column of numbers holds {unused[0]!r}")
    return frame


_Read = tuple[pd.DataFrame, str, list[str]]  # a table, how it was read, and notes


class _Asked(NamedTuple):
    """How files are to be read, and how often each missing code was found so far."""

    options: dict[str, Any]
    limit: Limit
    codes: dict[str, int]
    several: bool = False  # files, of which each may hold one row


def _counted(missing_codes: Any) -> dict[str, int]:
    codes = [missing_codes] if isinstance(missing_codes, str) else list(missing_codes)
    if not all(isinstance(code, str) and code.strip() for code in codes):
        raise ParameterError(f"missing_codes must be texts such as 'OOM', are {shown(missing_codes)}")
    return dict.fromkeys((code.strip().lower() for code in codes), 0)


def _refuse_options(options: Mapping[str, Any], allowed: tuple[str, ...], what: str) -> None:
    if useless := [key for key, value in options.items() if value is not None and key not in allowed]:
        raise ParameterError(f"{listed(useless)} {'has' if len(useless) == 1 else 'have'} no meaning for {what}")


# --- several files ----------------------------------------------------------------------------------------------------


def _from_several(paths: list[Path], asked: _Asked) -> pd.DataFrame:
    """Return what is in several files, or in all files of folders."""
    words, every, tables, without = listed(paths, 2), [], [], []
    for path in paths:
        inside = files.below(path, asked.limit) if path.is_dir() else [path]
        seen = [f for f in inside if not any(part.startswith(".") for part in f.relative_to(path).parts)]
        found = [f for f in seen if f == path or f.name.lower().removesuffix(".gz").endswith(_TABLES)]
        texts = {} if found else {f: read_file(f, asked.limit) for f in seen if f.suffix == ".txt" and f.is_file()}
        found += (curves := [f for f in texts if _curve(texts[f])] or [f for f in texts if _has_header(texts[f])])
        found = found or [f for f in seen if f.name.lower().endswith((".json", ".json.gz"))]  # else they are settings
        found = found or (seen if all(f.name.lower().endswith(_YAML) for f in seen) else [])
        found = found or [f for f in seen if f.suffix in _LOGS and f.is_file() and f.stat().st_size < _LONGEST_LOG]
        logs = {f: read_file(f, asked.limit) for f in found if f.suffix in _LOGS and f != path and not curves}
        found = [f for f in found if f not in logs or foreign.rows_of_log(logs[f]) or foreign.said_in_lines(logs[f])[1]]
        pages_of = [f for f in seen if f.suffix in (".md", ".tex", ".html", ".adoc") and f.stem.lower() != "readme"]
        found = found or (pages_of if 2 * len(pages_of) > len(seen) else [])
        without += [] if found else [path]
        every += inside
        tables += found
    if twice := next((path for path, n in Counter(every).items() if n > 1), None):
        raise ParameterError(f"{twice} is named twice")
    if runs := stores.run_folders(every):
        _refuse_options(asked.options, (), f"{words}, an MLflow store")
        return stores.read_folders(runs, words, asked.limit)
    of_programs = all(path.is_dir() or path.suffix in (".json", ".eval") for path in paths)
    if of_programs and (frame := foreign.read_files(every, words, asked.limit)) is not None:
        _refuse_options(asked.options, (), f"{words}, the results of another program")
        return frame
    if without:
        remedy = "write the scores to one table with a row for each evaluation, and pass that"
        none = f"no results that are known here ({_FORMATS}), and no table ({listed(_TABLES)})"
        raise DataError(f"{without[0]} holds {none}: {remedy}")
    spreads = opening.spreads_beside(tables)
    tables = [file for file in tables if file not in spreads]
    empty = [file for file in tables if len(tables) > 1 and file.is_file() and not os.path.getsize(file)]
    tables = [file for file in tables if file not in empty] or empty
    read_ones = {*tables, *empty, *spreads}
    unread = [file for file in every if file not in read_ones]
    asked.limit.check(words, sum(path.stat().st_size for path in tables if path.is_file()))
    try:
        read = partial(_from_file, asked=asked._replace(several=len(tables) > 1))
        parts = [[(file, {})] for file in tables] if asked.codes else foreign.files_alike(tables, asked.limit)
        frame, sentence, notes = rows_of_all(tables, parts, read, stores.frame_of)
    except DataError as error:
        where = listed(dict.fromkeys(str(file.parent) for file in unread if file.suffix == ".json"), 3)
        more = f". JSON files were not read: if they hold the results, pass their folders ({where}), and name the score"
        if not where:
            raise
        raise DataError(f"{error}{more}") from error
    said = f"files called as spreads of others were left out: {listed((file.name for file in spreads), 4)}"
    notes += [f"{said}. Are they no scores?"] if spreads else []
    notes += [f"{len(empty)} empty files such as {empty[0]} were left out: are they meant to be?"] if empty else []
    if unread:
        data = [file for file in unread if file.suffix in (".json", ".jsonl", ".log", ".txt", ".npz", ".pkl")]
        if 2 * len(data) > len(unread) and len(data) > len(tables):
            notes.append(f"{len(data)} files such as {data[0]} were not read: is the folder of these meant?")
        notes.append(f"{len(unread)} other files were not read ({listed((file.name for file in unread), 3)})")
    return described(frame, "tables", sentence, notes)


# --- one file ---------------------------------------------------------------------------------------------------------


def _from_file(path: Path, asked: _Asked) -> pd.DataFrame:
    options = asked.options
    if ALSO in (options["sheet"] or ""):
        return _below_each_other(path, options["sheet"].split(ALSO), asked)
    name, packed, content = str(path), "", read_file(path, asked.limit)
    if content.startswith(b"\x1f\x8b"):
        content, packed = files.gunzipped(content, name, asked.limit), ", compressed with gzip"
    _refuse_others(content, name)
    if content.startswith(b"PAR1"):
        _refuse_options(options, (), f"{name}, which is parquet")
        return _described_table(*_parquet(content, name, asked), packed, name)
    if content.startswith(b"SQLite format 3\x00"):
        _refuse_options(options, (), f"{name}, which is a database")
        return stores.read_database(content, name, asked.limit)
    if content.startswith(b"PK\x03\x04"):
        return _zipped(content, name, asked, path, packed)
    if name.lower().endswith(_YAML):
        _refuse_options(options, (), f"{name}, which is YAML")
        return _of_body(foreign.parse_yaml(content, name, asked.limit), path, "YAML", packed, asked)
    stripped = content.lstrip(b"\xef\xbb\xbf \t\r\n")
    if script := _SCRIPT.match(stripped[:100].decode("latin-1")):
        stripped = stripped[script.end() :].rstrip(b"; \t\r\n")
    if stripped.startswith((b"{", b"[")) and not _LINK.match(stripped[:500].decode("latin-1")):
        _refuse_options(options, (), f"{name}, which is JSON")
        return _json(stripped, path, packed, asked)
    rows = foreign.rows_of_log(content) if len(content) < _LONGEST_LOG and path.suffix in _LOGS else []
    whole = 2 * sum(map(len, rows)) > content.count(b"\n")  # and no text with a few such lines
    if (len(rows) > 1 and whole) or (asked.several and rows and len(rows[0]) > 1):
        one = next(name for name, value in rows[0].items() if isinstance(value, float))
        rest = f"only lines such as '{one} = NUMBER', and titles above them, were read"
        return _described_table(pd.DataFrame(rows), "text with a number in a line", [rest], packed, name)
    curve, n_steps = (_curve(content, path.suffix == ".txt"), content.count(b"\n") - 1) if asked.several else (b"", 0)
    content = curve or _without_attributes(content, name)
    content, named = foreign.said_in_lines(content) if options["sep"] is None and not curve else (content, [])
    content, named = (content, named) if named else _without_levels(content, options["sep"])
    frame, words, notes = pages.parse_text(content, name, asked)
    above = frame.attrs | {"curve": n_steps * bool(curve)}
    frame = _described_table(frame, words, [*named, *notes], packed, name)
    frame.attrs |= above
    return frame


def _curve(content: bytes, text: bool = True) -> bytes:
    """Return the last row of numbers whose first rows are steps of a curve, below a header; nothing of other files."""
    lines = [line.strip() for line in content.decode("latin-1").splitlines() if line.strip()]
    if len(lines) > _HEAD and all(map(_NUMBER.fullmatch, lines[1:])) and not _NUMBER.fullmatch(lines[0]):
        values = pd.Series(lines[1:], dtype=float).dropna()  # of a curve each is near the one before
        return "\n".join([lines[0], lines[-1], ""]).encode("latin-1") * bool(values.diff().var() < values.var())
    if not text:
        return b""
    rows = [re.findall("[^ \t,;]+", line) for line in (*lines[:_HEAD], *lines[-1:])]
    numbers = [all(map(_NUMBER.fullmatch, row)) for row in rows]
    if len(rows) <= _HEAD or len({*map(len, rows)}) > 1 or len(rows[0]) < 2 or not all(numbers[1:]):
        return b""
    columns = [[*map(float, column)] for column in zip(*rows[1:-1], strict=True)]
    grows = [all(one < other for one, other in pairwise(column)) for column in columns]
    names, mark = rows[0], re.findall("[ \t,;]", lines[0])[0]
    if numbers[0]:  # without a header; consecutive numbers may be those of cases
        grows[0] &= columns[0][1] - columns[0][0] > 1
        names = ["step", *(["score"] if len(names) == 2 else [f"value {i}" for i in range(1, len(names))])]
    step = any(grows[i] and among(name, "step") for i, name in enumerate(names))
    return "\n".join([mark.join(f'"{name}"' for name in names), lines[-1], ""]).encode("latin-1") * step


def _has_header(content: bytes) -> bool:
    """Say whether a text begins with names of columns, and rows of as many cells, some of them numbers, follow."""
    lines = content[:_LONGEST_LOG].decode("latin-1").splitlines()[:_HEAD]
    for sep in SEPARATORS if len(lines) > 2 else ():
        names, *rows = ([cell.strip() for cell in line.strip(f"{sep} ").split(sep)] for line in lines)
        told = len({*names}) == len(names) > 1 and all(names) and not any(map(is_number_cell, names))
        if told and {*map(len, rows[:-1])} == {len(names)}:  # the last one may be cut
            return any(all(map(is_number_cell, column)) for column in zip(*rows[:-1], strict=True))
    return False


def _without_attributes(content: bytes, name: str) -> bytes:
    """Return rows below a header in place of the attributes of ARFF; other files as they are."""
    if not name.lower().endswith((".arff", ".arff.gz")):
        return content
    head, *rows = re.split(r"(?im)^@data[ \t]*\r?$", content.decode("latin-1"), maxsplit=1)
    names = re.findall(r"""(?im)^@attribute[ \t]+('[^'\n]*'|"[^"\n]*"|[^ \t\n]+)""", head)
    if not rows or not names:
        return content
    lines = [line for line in rows[0].splitlines() if line.strip() and not line.startswith("%")]
    return "\n".join([",".join(['"' + each.strip("'\"") + '"' for each in names]), *lines]).encode("latin-1")


def _without_levels(content: bytes, given: str | None) -> tuple[bytes, list[str]]:
    """Return a row for each cell of a frame with names of columns in several rows, as pandas writes it; and a note."""
    head = content[:_LONGEST_LOG].decode("latin-1").splitlines()[:4]
    for sep, n in product([given] if given else SEPARATORS, (2, 3)) if len(head) > 3 else ():
        rows = [line.split(sep) for line in head[: n + 1]]
        k = sum(map(bool, rows[n]))  # names of the index, below those of the levels
        told = all(rows[n][:k]) and all(row[0] and not any(row[1:k]) and all(row[k:]) for row in rows[:n])
        if told and 0 < k < len(rows[n]) - 1 and {*map(len, rows)} == {len(rows[n])}:
            where = {"header": [*range(n)], "index_col": [*range(k)], "dtype": str, "keep_default_na": False}
            frame = pd.read_csv(io.StringIO(content.decode("latin-1")), sep=sep, **where)
            frame = frame.melt(ignore_index=False, value_name="value").reset_index()
            said = f"names of columns stand in {n} rows, and became columns {listed(map(repr, frame.columns[k:-1]))}"
            return frame.to_csv(index=False, sep=sep).encode("latin-1"), [said]
    return content, []


def _below_each_other(path: Path, titles: list[str], asked: _Asked) -> pd.DataFrame:
    """Read several tables of a file as one, with a column that says which of them a row is from."""
    frames = [_from_file(path, asked._replace(options=asked.options | {"sheet": title})) for title in titles]
    first, *others = frames[0].columns
    for title, frame in zip(titles, frames, strict=True):
        if odd := {*frame.columns[1:]} ^ {*others}:
            which = f"tables {titles[0]!r} and {title!r}: column {min(odd)!r} is in one of them only"
            raise DataError(f"{path}: {which}; name tables with the same columns")
    above = [frame.attrs.get("heading", "") for frame in frames]
    names = above if all(above) and len({*above}) == len(above) else titles
    new = next(name for name in (SECTION, "table", "of table") if name not in frames[0])
    parts = [frame.set_axis([first, *frame.columns[1:]], axis=1) for frame in frames]
    together = pd.concat([part.assign(**{new: of}) for part, of in zip(parts, names, strict=True)], ignore_index=True)
    notes = [f"column {new!r} says which table a row is from"]
    notes += dict.fromkeys(note for frame in frames for note in frame.attrs["notes"][int(names is above) :])
    sentence = f"{len(frames)} tables below each other, {len(together)} rows, {len(together.columns)} columns"
    return described(together, frames[0].attrs["format"], sentence, notes)


def _refuse_others(content: bytes, name: str) -> None:
    """Say of what is often passed by mistake what to do about it."""
    if not content:
        raise DataError(f"{name} is empty (0 bytes)")
    if said := next((said for start, said in _OTHERS.items() if content.startswith(start)), ""):
        raise DataError(f"{name} {said}")
    if content[30:].startswith(b"mimetypeapplication/vnd.oasis.opendocument"):
        raise DataError(f"{name} is an OpenDocument file, which is not read: save it as .xlsx, or its tables as CSV")
    if Path(name).suffix.lower() == ".rst" and b"\n+-" not in content:
        raise DataError(f"{name} is reStructuredText, which is not read: save the table in it as CSV")


def _described_table(frame: pd.DataFrame, words: str, notes: list[str], packed: str, name: str) -> pd.DataFrame:
    if (found := stores.read_table(frame, name, f"{words}{packed}", notes)) is not None:
        return found
    if frame.empty:
        raise DataError(f"{name} has no row of results (columns {listed(frame.columns)})")
    if sums := summary_rows(frame) | forms.nameless_at_the_end(frame) | _about_groups(frame):
        names = [shown(str(next(iter(frame.iloc[i].dropna()), "")), 40) for i in sums]
        which = listed([f"{called} ({what})" for called, what in zip(names, sums.values(), strict=True)])
        said = f"rows that sum up others were left out: {which}"
        notes = [*notes, Note(said, sums=said)]
        frame = frame.drop(index=list(sums)).reset_index(drop=True)
    for mended in (forms.series_as_rows, forms.repetitions_as_rows, forms.filled_down, forms.right_or_wrong):
        frame, more = mended(frame)
        notes = [*notes, *more]
    sentence = f"{words}{packed}, {len(frame)} rows, {len(frame.columns)} columns"
    return described(frame, words.partition(" ")[0].rstrip(","), sentence, notes)


def _about_groups(frame: pd.DataFrame) -> dict[int, str]:
    """Return the last rows without a first name whose second one is a first name of others: they are about these."""
    n = int(frame.iloc[:, 0].notna().to_numpy()[::-1].argmax())  # how many stand at the end
    named, sums = {*frame.iloc[: len(frame) - n, 0]}, {*frame.iloc[len(frame) - n :, 1:2].to_numpy().ravel()}
    about = 2 * n < len(frame) and frame.iloc[:, 0].dtype.kind == "O" and len(sums - named) < 2 and sums & named
    return dict.fromkeys(range(len(frame) - n, len(frame)), "a row about a group") if about else {}


# --- formats ----------------------------------------------------------------------------------------------------------


def _with_codes(frame: pd.DataFrame, name: str, notes: list[str], asked: _Asked) -> pd.DataFrame:
    """Return a table with types in which missing codes have no value; columns that hold none stay as they are."""
    for column in frame if asked.codes else ():
        values = frame[column].tolist()
        if frame[column].dtype.kind in "if" or any(str(value).strip().lower() in asked.codes for value in values):
            cells = Cells([column], [values], list(range(1, len(values) + 1)))
            changed, _, more = typed(cells, name, None, asked.codes)
            frame[column] = changed[column].to_numpy()
            notes += more
    return frame


def _parquet(content: bytes, name: str, asked: _Asked) -> _Read:
    _check_parquet(content, name, asked.limit)
    frame, notes = files.parse_parquet(content, name), list[str]()
    if isinstance(frame.columns, pd.MultiIndex):
        how = "frame.columns = ['_'.join(map(str, column)) for column in frame.columns]"
        said = f"{name}: columns have {frame.columns.nlevels} levels"
        raise StudyError(f"{said}; join them before writing the table: {how}")
    frame.columns = [str(column) for column in frame.columns]
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise StudyError(f"{name}: two columns have the same name {shown(twice)}; rename one")
    for field in pq.read_schema(io.BytesIO(content)):
        if pa.types.is_integer(field.type) and field.name in frame and frame[field.name].dtype.kind == "f":
            values = pq.read_table(io.BytesIO(content), columns=[field.name])[field.name].to_pylist()
            frame[field.name] = as_series(values).to_numpy()  # whole numbers beside cells without a value
    if not isinstance(frame.index, pd.RangeIndex):
        names = [str(n) for n in frame.index.names if n is not None]
        if not names and "index" not in frame and frame.index.nlevels == 1 and frame.index.dtype.kind not in "iu":
            names, frame = ["index"], frame.rename_axis("index")
        if names and not set(names) & set(frame.columns):
            frame = frame.reset_index()
            notes.append(f"the index became columns ({listed(names)})")
        else:
            frame = frame.reset_index(drop=True)
            notes.append("the index was left out")
    return _with_codes(frame, name, notes, asked), "parquet", notes


def _check_parquet(content: bytes, name: str, limit: Limit) -> None:
    """Raise `DataError` if a parquet file holds more than is read; a few bytes can stand for a million equal rows."""
    try:
        about = pq.read_metadata(io.BytesIO(content))
    except Exception:  # reading says what is wrong
        return
    limit.check(name, about.num_columns, "columns", limit.columns)
    groups = [about.row_group(i).total_byte_size for i in range(about.num_row_groups)]
    limit.check(name, max(sum(groups), 8 * about.num_rows * about.num_columns), " when it is unpacked")


def _zipped(content: bytes, name: str, asked: _Asked, path: Path, packed: str) -> pd.DataFrame:
    with foreign.archive_of(content, name, asked.limit):  # whatever it is of
        pass
    if content[30:].startswith((b"xl/", b"[Content_Types].xml", b"docProps/", b"_rels/")):  # the first member's name
        _refuse_options(asked.options, ("sheet", "decimal"), f"{name}, which is an Excel file")
        return _described_table(*read_sheet(content, name, asked), packed, name)
    _refuse_options(asked.options, (), f"{name}, which is an archive")
    if b".npy" in content[30:300]:
        return foreign.read_arrays(content, name)
    body = foreign.read_archive(content, name, asked.limit)
    if foreign.form_of(body) != "Inspect":
        raise DataError(f"{name}: header.json is none of an Inspect log (no eval, status and task)")
    return foreign.read_records("Inspect", [(path, body)], asked.limit)


# --- JSON -------------------------------------------------------------------------------------------------------------


def _json(content: bytes, path: Path, packed: str, asked: _Asked) -> pd.DataFrame:
    name, first = str(path), content.split(b"\n", 1)[0].strip()
    if first.startswith(b"{") and first.endswith(b"}") and content.strip() != first:
        lines = [(number, line) for number, line in enumerate(content.split(b"\n"), start=1) if line.strip()]
        rows = [(number, foreign.parse_json(line, f"{name}: row {number}")) for number, line in lines]
        if (form := foreign.form_of(rows[0][1])) is not None:
            return foreign.read_records(form, [(path, row) for _, row in rows], asked.limit)
        rows = stores.without_texts(rows, path)
        return _described_table(*_of_objects(pages.Rows(rows, []), name, "JSON lines", asked), packed, name)
    return _of_body(foreign.parse_json(content, name), path, "JSON", packed, asked)


def _of_body(body: Any, path: Path, language: str, packed: str, asked: _Asked) -> pd.DataFrame:
    name, form = str(path), foreign.form_of(body)
    if form is not None:
        return foreign.read_records(form, [(path, body)], asked.limit)
    if foreign.is_runs_by_games(body):
        return foreign.read_games(body, name, language)
    if isinstance(body, dict) and isinstance(body.get("evaluations"), dict) and "evaluation" in body["evaluations"]:
        body = body["evaluations"]["evaluation"]  # as OpenML's server sends it
    if isinstance(body, dict) and stores.is_search(body):
        return _described_table(stores.as_table(body, name), language, [], packed, name)
    if (found := pages.rows_of(body, name, one_row=asked.several)) is None:
        keys = shown(sorted(body), most=80)
        raise DataError(f"{name} is {language}, but of no known form: {keys} are its keys. Known are {_KNOWN}")
    return _described_table(*_of_objects(found, name, language, asked), packed, name)


def _of_objects(found: pages.Rows, name: str, form: str, asked: _Asked) -> _Read:
    frame, notes = pages.as_frame(found, name, asked.limit)
    return _with_codes(frame, name, notes, asked), form, notes


# --- sheets of Excel --------------------------------------------------------------------------------------------------

_RUN = re.compile(r"[A-Za-z]{2,20}[ _-]?\d{1,3}")


def _sheets_alike(titles: list[str], content: bytes, name: str, asked: _Asked) -> _Read | None:
    """Return most sheets of one of several workbooks as one table, if they have the same columns; or None."""
    parts, whole = dict[str, pd.DataFrame](), dict[str, None]()
    for title in titles:
        try:
            options = asked.options | {"sheet": title}
            parts[title], _, notes = read_sheet(content, name, asked._replace(options=options))
            whole |= dict.fromkeys(notes)
        except (DataError, StudyError) as error:
            if not parts and title == titles[-1]:
                raise DataError(f"{error}; and no other sheet can be read") from error
    columns = Counter(frozenset(frame) for frame in parts.values()).most_common(1)
    alike = {title: frame for title, frame in parts.items() if {*frame} == columns[0][0]}
    measures = [title for title in alike if direction_of(title)[0]]  # as sheets "accuracy" and "F1"
    if len(alike) < 2 or 2 * len(alike) <= len(titles) or measures or "sheet" in columns[0][0]:
        return None
    together = pd.concat([frame.assign(sheet=title) for title, frame in alike.items()], ignore_index=True)
    left = listed([repr(title) for title in titles if title not in alike], 3)
    notes = ["sheets with the same columns are one table, and column 'sheet' says which: do they measure the same?"]
    notes += [f"sheets of other columns, or that cannot be read, were left out: {left}"] * bool(left)
    return _with_codes(together, name, notes, asked), f"Excel, {len(alike)} sheets", [*notes, *whole]


def read_sheet(content: bytes, name: str, asked: _Asked) -> _Read:
    """Return the table in a sheet of an Excel file, how it was read, and notes."""
    sheet, sheets = asked.options["sheet"], files.sheets_of(content, name)
    of_several = sheet is None and len(sheets) > 1 and asked.several
    if of_several and (found := _sheets_alike([*sheets], content, name, asked)) is not None:
        return found
    if sheet is None and len(sheets) != 1:
        which = f"several hold values: pass sheet={listed(map(repr, sheets))}" if sheets else "none holds a value"
        held = {title: {(*row.values(),) for row in found.rows.values()} for title, found in sheets.items()}
        ends = {title: rows | {row[1:] for row in rows} for title, rows in held.items()}  # perhaps a number before each
        whole = [t for t in held if any(o != t and len(held[o]) > 1 and held[o] <= ends[t] for o in held)]
        headers = {}
        for title in (title for title in sheets if title not in whole):  # and names in a second row
            first, *below = [[*row.values()] for row in [*sheets[title].rows.values()][:2]]
            headers[title] = [*first, *(t for row in below if all(isinstance(t, str) for t in row) for t in row)]
        sizes = {title: sum(map(len, sheets[title].rows.values())) for title in sheets}
        raise opening.several_tables(headers, sizes, f"{name}: of its sheets {which}", [*sheets], DataError)
    if sheet is not None and sheet not in sheets:
        said = f"sheet: {name} has no sheet {shown(sheet)} with values; there are {listed(map(repr, sheets))}"
        raise (opening.Chart if asked.several else ParameterError)(said)
    title = sheet if sheet is not None else next(iter(sheets))
    chosen, where = sheets[title], f"{name}, sheet {title!r}"
    notes = files.check_cells(chosen, where, content, title, asked.codes)
    positions = sorted({position for row in chosen.rows.values() for position in row})
    asked.limit.check(where, len(positions), "columns", asked.limit.columns)
    rows = [[row.get(position, "") for position in positions] for row in chosen.rows.values()]
    numbers, n_blank = [*chosen.rows], max(chosen.rows) - min(chosen.rows) + 1 - len(rows)
    runs = [str(cell) for cell in rows[1] if cell != ""] if len(rows) > 2 else []  # perhaps "run 1", "run 2"
    if 0 < len(runs) < len(rows[0]) and all(_RUN.fullmatch(run) and among(run, "repeated") for run in runs):
        notes.append(f"a row below the header, with {listed(runs, 3)} only, was left out")
        del rows[1], numbers[1]
    cells, about = laid_out(rows, numbers, n_blank, where, "")
    cells, more = check_header(cells._replace(positions=[*positions, positions[-1] + 1][: len(cells.header)]), where)
    frame, words, typed_so = typed(cells, name, asked.options["decimal"], asked.codes)
    return frame, ", ".join([f"Excel, sheet {title!r}", *words]), notes + about + more + typed_so
