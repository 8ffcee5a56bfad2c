"""Say what results depend on: files, data, libraries, and the user's models and functions.

A model is told by its parameters, and the source text of the user's own functions and classes among them; installed
packages stand by name. Code that these call is not looked at: change ``key=`` when code that your model calls changes.
"""

from __future__ import annotations

import hashlib
import hmac
import inspect
import json
import linecache
import os
import site
import sys
import sysconfig
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib.hashing import NumpyHasher
from scipy import sparse

from genexpy_nb.common.errors import DataError, ParameterError, not_written
from genexpy_nb.common.files import write_atomically

#: What the numbers of this project's own runs depend on.
PACKAGES = ("numpy", "pandas", "scipy", "scikit-learn", "scikit-image", "category_encoders", "statsmodels")


def versions(packages: Iterable[str] = PACKAGES) -> dict[str, str]:
    """Return the versions of the packages that are installed, in the order given."""
    found = {}
    for package in packages:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def file_hash(path: str | os.PathLike) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def folder_hash(folder: str | os.PathLike, patterns: Sequence[str] = ("**/*",)) -> str:
    """Return the SHA-256 of files and their places in a folder; what Python compiled does not count."""
    folder = Path(folder)
    found = {file for pattern in patterns for file in folder.glob(pattern)}
    files = sorted(file for file in found if file.is_file() and "__pycache__" not in file.parts)
    listed = "\n".join(f"{file_hash(file)} {file.relative_to(folder).as_posix()}" for file in files)
    return hashlib.sha256(listed.encode()).hexdigest()


# One width per kind of number: what counts is the value, not whether a platform's default integer has 32 bits.
_CANONICAL = {"b": "|b1", "i": "<i8", "u": "<u8", "f": "<f8", "c": "<c16"}


def slow_hash(text: bytes, salt: bytes, rounds: int) -> bytes:
    """Return PBKDF2 with SHA-256; Python in a browser comes without it, and gets the same bytes a little later."""
    if hasattr(hashlib, "pbkdf2_hmac"):
        return hashlib.pbkdf2_hmac("sha256", text, salt, rounds)
    keyed, block, total = hmac.new(text, digestmod="sha256"), salt + b"\0\0\0\1", 0
    for _ in range(rounds):
        each = keyed.copy()
        each.update(block)
        block = each.digest()
        total ^= int.from_bytes(block, "big")
    return total.to_bytes(32, "big")


def content_hash(data: Any) -> str:
    """Return the SHA-256 of the content of a dataset, the order of its rows included."""
    digest = hashlib.sha256()
    _feed(digest.update, data)
    return digest.hexdigest()


def _feed(update: Callable[[bytes], None], data: Any) -> None:
    if isinstance(data, pd.DataFrame):
        update(f"frame{data.shape}".encode())
        _feed_items(update, [str(name) for name in data.columns])
        for position in range(data.shape[1]):
            _feed(update, data.iloc[:, position])
    elif sparse.issparse(data):
        matrix = sparse.csr_array(data, copy=True)
        matrix.sum_duplicates()  # also sorts the indices: a matrix can be stored in many ways
        matrix.eliminate_zeros()
        update(f"sparse{matrix.shape}".encode())
        for part in (matrix.indptr, matrix.indices, matrix.data):
            _feed(update, part)
    else:
        _feed_array(update, _as_array(data))


def _as_array(data: Any) -> np.ndarray:
    if isinstance(data, pd.Series) and not isinstance(data.dtype, np.dtype):
        return np.asarray(data.astype(object))  # categories and nullable types: what they stand for
    numbers = (bool, int, float, np.number)
    if not isinstance(data, (list, tuple)) or all(isinstance(value, numbers) for value in data):
        return np.asarray(data)
    if data and all(isinstance(value, (list, tuple, np.ndarray)) for value in data):
        with suppress(ValueError):  # rows of different lengths stay lists
            return np.asarray(data)
    return np.fromiter(data, dtype=object, count=len(data))


def _feed_array(update: Callable[[bytes], None], array: np.ndarray) -> None:
    if array.dtype.kind in _CANONICAL:
        canonical = np.ascontiguousarray(array, dtype=_CANONICAL[array.dtype.kind])
        update(f"{array.dtype.kind}{array.shape}".encode())
        update(canonical.tobytes())
    elif array.dtype.kind in "mM":
        update(f"{array.dtype.str}{array.shape}".encode())
        update(np.ascontiguousarray(array).view("<i8").tobytes())
    else:
        update(f"items{array.shape}".encode())
        _feed_items(update, array.ravel().tolist())


def _feed_items(update: Callable[[bytes], None], items: list[Any]) -> None:
    for row, item in enumerate(items):
        if isinstance(item, str):
            kind, content = "s", item.encode("utf-8", "surrogatepass")
        elif isinstance(item, bytes):
            kind, content = "y", item
        elif isinstance(item, (list, tuple, np.ndarray)):
            kind, content = "l", content_hash(item).encode()
        elif item is None or item is pd.NA or item is pd.NaT or (isinstance(item, float) and item != item):
            kind, content = "n", b""
        elif isinstance(item, (bool, int, float, complex, np.generic, pd.Timestamp, pd.Timedelta)):
            kind, content = type(item).__name__, repr(item).encode()
        else:
            raise DataError(
                f"value {row} is a {type(item).__name__}; numbers, strings, missing values and lists of those can be "
                "hashed"
            )
        update(f"{kind}{len(content)}:".encode())  # with its length, so that ["ab"] and ["a", "b"] differ
        update(content)


# --- models and functions ---------------------------------------------------------------------------------------------

_CACHED = type(cache(len))
_REMEDY = "give key=, a text that says what it is"


def describe(value: Any, name: str = "value", remedy: str = _REMEDY) -> dict[str, Any]:
    """Return hashes of a value and of the source of the user's own code in it, and the versions of libraries in it."""
    hasher = _Hasher()
    try:
        content = hasher.hash(value)
    except Exception as error:  # what cannot be pickled, or whose source is not to be had, can raise anything
        why = " ".join(str(error.args[0] if error.args else type(error).__name__).split())
        raise ParameterError(f"cannot tell {name} from another one ({why}); {remedy}") from error
    about = {"class": _full_name(type(value)), "hash": content}
    parts = {"code": hasher.sources, "libraries": hasher.libraries}
    return about | {part: dict(sorted(found.items())) for part, found in parts.items() if found}


def identity(description: Any) -> str:
    """Return 16 hexadecimal digits for a description."""
    return hashlib.sha256(json.dumps(description, allow_nan=False).encode()).hexdigest()[:16]


def fingerprint(*parts: Any) -> str:
    """Hash what a result depends on: data, settings and code."""
    return identity([versions(), describe(list(parts), "what a result depends on")])


def check_key(key: str | None) -> str | None:
    """Return a key that a caller gives instead of what can be seen, or raise `ParameterError` if it is no text."""
    if key is not None and (not isinstance(key, str) or not key):
        raise ParameterError(f"key must be a text that is not empty, got {key!r}")
    return key


def write_about(folder: str | os.PathLike, about: Mapping[str, Any]) -> Path:
    """Write what results in a folder depend on, as a JSON file beside them for people to read."""
    text = json.dumps(about, indent=1) + "\n"
    path = Path(folder) / f"about-{identity(about)}.json"
    with suppress(OSError, ValueError):
        if path.read_text(encoding="utf-8") == text:
            return path
    try:
        write_atomically(path, text)
    except OSError as error:
        raise not_written(folder, error) from error
    return path


class _Hasher(NumpyHasher):
    """joblib's hash; but the user's functions and classes are told by their source, and those of libraries by name."""

    def __init__(self) -> None:
        super().__init__("sha1")
        self.sources: dict[str, str] = {}
        self.libraries: dict[str, str] = {}
        self.seen: list[Any] = []

    def save(self, obj: Any) -> None:
        if isinstance(obj, _CACHED):  # would go by its name
            obj = ("cached", obj.__wrapped__)
        elif type(obj) in (set, frozenset):  # would go in the order of this process
            obj = (type(obj).__name__, sorted(_Hasher().hash(item) for item in obj))
        elif obj is np.random.mtrand._rand:  # its state decides nothing: every trial seeds it
            obj = "the global generator of NumPy"
        elif isinstance(obj, np.ma.MaskedArray):  # would go without its mask
            obj = ("masked", np.asarray(obj), np.ma.getmaskarray(obj))
        elif type(obj).__module__.startswith("torch.") and hasattr(obj, "detach"):  # would go by its address
            obj = (_full_name(type(obj)), str(obj.device), obj.detach().cpu().numpy())
        elif isinstance(obj, types.ModuleType):
            obj = ("module", obj.__name__)
        elif isinstance(obj, (types.FunctionType, type)):
            name = _full_name(obj)
            if _is_own(obj):
                obj = (name, None if any(obj is one for one in self.seen) else self.own(obj, name))
            else:
                top = name.partition(".")[0]
                self.libraries[top] = str(getattr(sys.modules.get(top), "__version__", sys.version.split()[0]))
                obj = ("of a library", name)
        super().save(obj)

    def own(self, obj: Any, name: str) -> list[Any]:
        """Return the source of the user's own function or class, and what it holds besides."""
        self.seen.append(obj)
        try:
            source = _source(obj)
        except (OSError, TypeError) as error:
            raise ParameterError(f"the source of {name} is not to be had") from error
        self.sources[name] = hashlib.sha256(source.encode()).hexdigest()[:16]
        if isinstance(obj, type):
            return [source, *obj.__bases__]
        cells = [cell.cell_contents for cell in obj.__closure__ or ()]
        return [source, obj.__defaults__, obj.__kwdefaults__, cells, vars(obj)]


def _source(obj: Any) -> str:
    if isinstance(obj, types.FunctionType):
        code = obj.__code__  # its own, not that of what it wraps
        several = obj.__name__ == "<lambda>"  # a line can hold several: their columns differ
        return f"{inspect.getsource(code)}{sorted({str(place[2]) for place in code.co_positions()} if several else '')}"
    parts = [getattr(item, "fget", None) or getattr(item, "__func__", item) for item in vars(obj).values()]
    own = [part.__code__ for part in parts if isinstance(part, types.FunctionType)]
    own = [code for code in own if _is_file_of_user(code.co_filename)]
    try:
        text = inspect.getsource(obj)
    except (OSError, TypeError):  # a notebook's class: the cells of its methods
        text = "".join("".join(linecache.getlines(cell)) for cell in dict.fromkeys(code.co_filename for code in own))
        if not text:
            raise
    # Of several classes of one name in a file, the first one is found; their methods know where they stand.
    return text + "".join(inspect.getsource(code) for code in own if linecache.getlines(code.co_filename))


def _full_name(value: Any) -> str:
    return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', type(value).__name__)}"


def _is_own(obj: Any) -> bool:
    """Whether a function or a class is the user's: of no installed module, or not what that holds under its name."""
    home = sys.modules.get(str(obj.__module__))
    if home is None or home.__name__ == "__main__":
        return True
    found: Any = home
    for part in obj.__qualname__.split("."):
        found = getattr(found, part, None)
    in_c = isinstance(obj, type) and not obj.__flags__ & (1 << 9)
    return _is_file_of_user(getattr(home, "__file__", None)) or (found is not obj and not in_c)


@cache
def _is_file_of_user(file: str | None) -> bool:
    """Whether a module's file is outside the folders where libraries are installed; what has no file is built in."""
    if file is None or {"site-packages", "dist-packages"} & set(Path(file).parts):
        return False
    paths = sysconfig.get_paths()
    folders = [*(paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")), *site.getsitepackages()]
    places = Path(os.path.abspath(file)), Path(file).resolve()
    return not any(place.is_relative_to(form) for place in places for f in folders for form in (f, Path(f).resolve()))
