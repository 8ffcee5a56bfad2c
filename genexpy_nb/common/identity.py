"""Say what models, functions and data are made of, so that a saved result is never taken for another one's.

A description holds everything that a function, a class or an object can reach: code, defaults, closures, globals and
helpers that it names, bases, attributes, methods and properties, values by their content. It is the same in every
process and for every hash seed. Packages that are installed stand by name and version.

This is a walk of our own, because what there is was made for other ends. `cloudpickle` (and dask's ``tokenize``, which
falls back on it) gives bytes that hold line numbers and names of files, the order of sets and a random identifier of
every class; `joblib.hash` takes a function by its name. None of them says in words what it saw.

What cannot be seen: files, the environment, a network, a clock that a function reads; code that a library reaches by
itself; values that `functools.cached_property` and `functools.lru_cache` remember (their functions count). What a
function keeps between calls counts, as if it were a setting, unless it only writes to it.
"""

from __future__ import annotations

import builtins
import copyreg
import dataclasses
import functools
import hashlib
import importlib
import importlib.util
import inspect
import json
import logging
import os
import sys
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from genexpy_nb.common.code import Uses, instructions_of, library, uses
from genexpy_nb.common.errors import DataError, ParameterError, not_written
from genexpy_nb.common.files import write_atomically
from genexpy_nb.common.hashing import content_hash, file_hash
from genexpy_nb.common.versions import versions

#: Values in one description; a graph of objects with more would take long, and most likely never end.
_MAX_VALUES = 1_000_000
_LONG = 1_000  # longer lists and texts are told by their hash
_ABSENT = object()
_PLAIN = (type(None), bool, int, str)
_CONTAINERS = (list, dict, set, deque, Counter, defaultdict, OrderedDict)
# What every class or module has, or has by its place in a file.
_GIVEN = {
    *("__module__", "__dict__", "__weakref__", "__doc__", "__annotations__", "__qualname__", "__firstlineno__"),
    *("__static_attributes__", "__annotate__", "__annotate_func__", "__annotations_cache__", "__orig_bases__"),
    *("__parameters__", "__type_params__", "__abstractmethods__", "_abc_impl", "__dataclass_fields__"),
    *("__file__", "__name__", "__spec__", "__loader__", "__package__", "__builtins__", "__cached__", "__path__"),
}
_C_MEMBERS = (types.GetSetDescriptorType, types.MemberDescriptorType)
_C_ROUTINES = (
    types.BuiltinFunctionType,
    types.MethodWrapperType,
    types.WrapperDescriptorType,
    types.MethodDescriptorType,
    types.ClassMethodDescriptorType,
    *_C_MEMBERS,
)
_ANYTHING = {"eval", "exec", "compile", "globals", "__import__"}  # builtins that can reach what no code names


def describe(value: Any, name: str = "value", remedy: str = "") -> Any:
    """Return what something is made of, in types that JSON knows."""
    first = _Walk(set())
    about = first.whole(value, name)
    unread = first.writes - first.reads
    walk = first
    if unread:  # counters and logs: their content decides nothing, and would make every call another one
        walk = _Walk(unread)
        about = walk.whole(value, name)
    if walk.refused:
        raise ParameterError(f"{walk.refused[0]}{'; ' + remedy if remedy else ''}")
    return about


def identity(description: Any) -> str:
    """Return 16 hexadecimal digits for a description."""
    return hashlib.sha256(json.dumps(description, allow_nan=False).encode()).hexdigest()[:16]


def check_key(key: str | None) -> str | None:
    """Return a key that a caller gives instead of what can be seen, or raise `ParameterError` if it is no text."""
    if key is not None and (not isinstance(key, str) or not key):
        raise ParameterError(f"key must be a text that is not empty, got {key!r}")
    return key


def fingerprint(*parts: Any) -> str:
    """Hash what a result depends on: data, settings and code."""
    return identity([versions(), describe(list(parts), "what a result depends on")])


def describe_data(data: Any) -> dict[str, Any]:
    """Return the hash of a dataset, and all in its form that a model can see."""
    about: dict[str, Any] = {"class": _full_name(type(data)), "sha256": content_hash(data)}
    if isinstance(data, pd.DataFrame):
        about["columns"] = _index(data.columns)
        about["types"] = [_dtype(data.dtypes.iloc[place]) for place in range(data.shape[1])]
        about["index"] = _index(data.index)
    elif isinstance(data, pd.Series):
        about |= {"name": repr(data.name), "types": [_dtype(data.dtype)], "index": _index(data.index)}
    elif sparse.issparse(data):
        about |= {"types": [_dtype(data.dtype)], "shape": list(data.shape)}
    elif isinstance(data, (list, tuple)):
        about["types"] = identity([_types_in(item) for item in data])
    else:
        about |= _array_form(np.asanyarray(data))
        if type(data).__module__.partition(".")[0] not in ("numpy", "pandas", "torch"):
            about["columns"] = [str(name) for name in getattr(data, "columns", [])]
    if getattr(data, "attrs", None):
        about["attrs"] = describe(data.attrs, "attrs of the data")
    return about


def _array_form(array: np.ndarray) -> dict[str, Any]:
    form: dict[str, Any] = {"types": [_dtype(array.dtype)], "shape": list(array.shape)}
    if array.ndim > 1 and array.strides[0] < array.strides[-1]:
        form["order"] = "columns first"
    if isinstance(array, np.ma.MaskedArray):
        form["mask"] = content_hash(np.ma.getmaskarray(array))
    if (
        array.dtype.kind in "fc"
        and array.dtype.itemsize > np.dtype("f8" if array.dtype.kind == "f" else "c16").itemsize
    ):
        form["beyond 64 bits"] = content_hash(array - array.astype("f8" if array.dtype.kind == "f" else "c16"))
    if array.dtype == object:
        form["types"].append(identity([_types_in(item) for item in array.ravel().tolist()]))
    return form


def _types_in(item: Any) -> Any:
    inner = [type(value).__name__ for value in item] if isinstance(item, (list, tuple)) else []
    return [type(item).__name__, *inner]


def _dtype(dtype: Any) -> Any:
    if isinstance(dtype, pd.CategoricalDtype):
        categories = None if dtype.categories is None else _index(dtype.categories)
        return {"categories": categories, "ordered": bool(dtype.ordered)}
    return repr(dtype)


def _index(index: pd.Index) -> Any:
    if isinstance(index, pd.RangeIndex):
        return {"range": [index.start, index.stop, index.step], "name": repr(index.name)}
    levels = [index.get_level_values(place) for place in range(index.nlevels)]
    told = [[_dtype(level.dtype), _content(level), repr(level.name)] for level in levels]
    if index.dtype == object:
        told.append([identity([_types_in(item) for item in index])])
    return {"class": type(index).__name__, "levels": told}


def write_about(folder: str | os.PathLike, about: Mapping[str, Any]) -> Path:
    """Write what results in a folder depend on, as a JSON file beside them for people to read."""
    text = json.dumps(about, indent=1) + "\n"
    path = Path(folder) / f"about-{identity(about)}.json"
    try:
        there = path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        there = ""
    if there != text:
        try:
            write_atomically(path, text)
        except OSError as error:
            raise not_written(folder, error) from error
    return path


def _content(level: pd.Index) -> str:
    try:
        return content_hash(pd.Series(level))
    except DataError:  # intervals, tuples
        return identity([repr(item) for item in level])


class _Walk:
    """One way through all that a value reaches. Functions, classes and modules are put aside and described once."""

    def __init__(self, unread: set[str]) -> None:
        self.unread = unread
        self.reads: set[str] = set()
        self.writes: set[str] = set()
        self.refused: list[str] = []
        self.ours = False  # this package answers for itself: what in it cannot be told is noted, not refused
        self.parts: dict[str, Any] = {}
        self.waiting: deque[tuple[str, Any, str]] = deque()
        self.labels: dict[int, str] = {}
        self.kept: list[Any] = []  # an identity is one only as long as its object lives
        self.open: list[int] = []
        self.classes: dict[int, Any] = {}
        self.n_values = 0

    def whole(self, value: Any, name: str) -> Any:
        try:
            about = self.value(value, name)
            while self.waiting:
                label, part, where = self.waiting.popleft()
                self.ours = _home(part).partition(".")[0] == __name__.partition(".")[0]
                self.parts[label] = self.part(part, where)
        except RecursionError:
            self.untold(name, value, "values in values without end")
            return None
        return {"value": about, "code": dict(sorted(self.parts.items()))} if self.parts else about

    def untold(self, where: str, value: Any, why: str) -> Any:
        what = f"a {_full_name(type(value))}" if value is not _ABSENT else "this"
        if not self.ours:
            self.refused.append(f"cannot tell {where} ({what}) from another one: {why}")
        return {"refused": why}

    # -- values ------------------------------------------------------------------------------------------------

    def value(self, value: Any, where: str) -> Any:
        self.n_values += 1
        if self.n_values > _MAX_VALUES:
            if self.n_values == _MAX_VALUES + 1:
                self.untold(where, value, f"there are more than {_MAX_VALUES:,} values in it")
            return None
        if isinstance(value, str) and type(value) is str and len(value) > _LONG:
            return {"text": hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest(), "length": len(value)}
        if type(value) in _PLAIN:
            return value if not isinstance(value, int) or abs(value) < 10**400 else {"int": hex(value)}
        if type(value) is float:
            return value if np.isfinite(value) else {"float": repr(value)}
        if type(value) is complex:
            return {"complex": repr(value)}
        if type(value) in (bytes, bytearray):
            return {type(value).__name__: hashlib.sha256(value).hexdigest(), "length": len(value)}
        if value is Ellipsis or value is NotImplemented:
            return {"constant": repr(value)}
        if id(value) in self.open:
            return {"cycle": len(self.open) - self.open.index(id(value))}
        self.kept.append(value)
        self.open.append(id(value))
        try:
            return self.inner(value, where)
        finally:
            self.open.pop()

    def inner(self, value: Any, where: str) -> Any:
        for kind, told in _KINDS:
            if isinstance(value, kind):
                return told(self, value, where)
        if type(value) in (list, tuple, set, frozenset, dict):
            return self.container(value, where)
        if isinstance(value, np.generic) and not isinstance(value, np.void | np.object_):
            return {str(value.dtype): repr(value.item())}
        if sparse.issparse(value):
            return self.data_set(value, where)
        special = self.special(value, where)
        return self.instance(value, where) if special is None else special

    def special(self, value: Any, where: str) -> Any:
        """Describe objects of libraries that hold what decides nothing: a time, an address, a global generator."""
        home = type(value).__module__
        if value is np.random.mtrand._rand:
            return {"generator": "the global one of NumPy"}
        if home == "joblib.memory":
            return {"cached": self.value(getattr(value, "func", None), where)}
        if home.startswith("numba.") and hasattr(value, "py_func"):
            return {"compiled": self.value(value.py_func, where), "options": self.value(value.targetoptions, where)}
        if home.startswith("torch.") and hasattr(value, "detach") and hasattr(value, "cpu"):
            return {"tensor": self.value(value.detach().cpu().numpy(), where), "device": str(value.device)}
        if isinstance(value, (types.GenericAlias, types.UnionType)) or home in ("typing", "typing_extensions"):
            return {"typing": repr(value)}
        if isinstance(getattr(value, "__qualname__", None), str) and _is_at_home(
            value
        ):  # compiled by Cython, NumPy, ...
            told = library(_home(value), getattr(sys.modules[_home(value)], "__file__", None))
            if told:
                return {"library": told, "name": _full_name(value)}
        if hasattr(value, "_updated_ctor_param"):  # a distribution of SciPy: what it is made of again
            return {
                "class": self.value(type(value), where),
                "made from": self.value(value._updated_ctor_param(), where),
            }
        return None

    def container(self, value: Any, where: str) -> Any:
        if isinstance(value, (set, frozenset)):
            return {type(value).__name__: self.in_order(value, where)}
        if isinstance(value, dict):
            items = {key: self.value(item, f"{where}[{key!r:.60}]") for key, item in value.items()}
            if all(type(key) is str for key in value):
                return {"dict": items}
            return {"dict": [[self.value(key, f"a key of {where}"), item] for key, item in items.items()]}
        told: Any = [self.value(item, f"{where}[{place}]") for place, item in enumerate(value)]
        if len(told) > _LONG:
            told = {"items": identity(told), "length": len(told)}
        return told if isinstance(value, list) else {"tuple": told}

    def in_order(self, value: Any, where: str) -> list[Any]:
        """Return descriptions of what is in a set, in an order that does not depend on the hash seed."""
        if all(type(item) in _SCALARS for item in value):
            return sorted((self.value(item, where) for item in value), key=json.dumps)
        alone = []
        for item in value:
            walk = _Walk(self.unread)
            walk.open, walk.ours = list(self.open), self.ours
            alone.append((json.dumps(walk.whole(item, where)), item))
        return [self.value(item, f"an element of {where}") for _, item in sorted(alone, key=lambda pair: pair[0])]

    def data_set(self, value: Any, where: str) -> Any:
        try:
            about = describe_data(value)
        except DataError:  # objects in it: an array of functions, a column of dictionaries
            array = np.asarray(value, dtype=object)
            items = [self.value(item, f"{where}[...]") for item in array.ravel().tolist()]
            about = {"class": _full_name(type(value)), "shape": list(array.shape), "items": items}
            if hasattr(value, "index"):
                about["index"] = _index(value.index)
        except (TypeError, ValueError) as problem:
            return self.untold(where, value, str(problem))
        if not type(value).__module__.startswith(("numpy", "pandas", "scipy")):  # somebody's subclass
            about["class"] = self.value(type(value), where)
            about["attributes"] = self.holdings(value, where)
        return {"data": about}

    def instance(self, value: Any, where: str) -> Any:
        kind = type(value)
        about: dict[str, Any] = {"class": self.value(kind, f"the class of {where}")}
        base = next((b for b in (str, bytes, int, float, complex, *_BUILTIN_CONTAINERS) if isinstance(value, b)), None)
        attributes = self.holdings(value, where)
        if attributes:
            about["attributes"] = attributes
        if base is not None:
            about["content"] = self.value(_as_base(base, value), where)
            if kind.__reduce_ex__ is object.__reduce_ex__ and kind.__reduce__ is object.__reduce__:
                return about
        try:
            reduced = copyreg.dispatch_table.get(kind, lambda thing: thing.__reduce_ex__(4))(value)
        except Exception as problem:  # whatever a class raises here, it does not want to be told
            return self.untold(where, value, f"{type(problem).__name__}: {problem}")
        if isinstance(reduced, str):
            return self.by_name(value, reduced, where)
        maker, arguments, state, items, pairs = (*reduced, None, None, None)[:5]
        if maker is vars(copyreg)["__newobj__"] and arguments[0] is kind:
            maker, arguments = None, arguments[1:]
            if kind.__getstate__ is object.__getstate__:
                state = None  # its attributes
        if isinstance(state, dict):
            state = {name: item for name, item in state.items() if name not in getattr(value, "__dict__", ())} or None
        inside = {
            "maker": maker,
            "arguments": arguments or None,
            "state": state,
            "items": None if items is None else list(items),
            "pairs": None if pairs is None else dict(pairs),
        }
        return about | {part: self.value(item, where) for part, item in inside.items() if item is not None}

    def by_name(self, value: Any, name: str, where: str) -> Any:
        """Describe what is pickled by its name: a single object of a module, such as a NumPy function."""
        for module in (getattr(value, "__module__", None), type(value).__module__, "numpy", "scipy.special"):
            home = sys.modules.get(module or "")
            if home is not None and _found(home, name) is value:
                return {"library": library(home.__name__, getattr(home, "__file__", None)), "name": f"{module}.{name}"}
        return self.untold(where, value, "it hides what it was made of")

    def holdings(self, value: Any, where: str) -> dict[str, Any]:
        """Describe what an object holds, but for what was computed by a `cached_property`."""
        found = dict(getattr(value, "__dict__", None) or {})
        for kind in type(value).__mro__:
            for name, item in vars(kind).items():
                if isinstance(item, types.MemberDescriptorType) and name not in found:
                    held = getattr(value, name, _ABSENT)
                    if held is not _ABSENT:
                        found[name] = held
        derived = {
            name
            for kind in type(value).__mro__
            for name, item in vars(kind).items()
            if isinstance(item, functools.cached_property)
        }
        if isinstance(value, np.vectorize):
            derived = {"_ufunc"}
        own = _own_names(type(value))
        return {
            name: self.value(item, f"{where}.{name}")
            for name, item in sorted(found.items(), key=lambda pair: str(pair[0]))
            if name not in derived and not self.is_unread(name, item, own)
        }

    def is_unread(self, name: str, value: Any, own: Callable[[str], bool] = lambda name: True) -> bool:
        """Whether a variable is a log or a counter that no code reads."""
        return name in self.unread and type(value) in (*_CONTAINERS, int, float) and own(name)

    # -- code --------------------------------------------------------------------------------------------------

    def label(self, value: Any, name: str, where: str) -> dict[str, str]:
        """Put a function, class or module aside, and return the name under which it will stand."""
        if id(value) not in self.labels:
            same = sum(label.partition("#")[0] == name for label in self.labels.values())
            self.labels[id(value)] = f"{name}#{same + 1}" if same else name
            self.kept.append(value)
            self.waiting.append((self.labels[id(value)], value, where))
        return {"code": self.labels[id(value)]}

    def part(self, value: Any, where: str) -> dict[str, Any]:
        if isinstance(value, types.ModuleType):
            return self.whole_module(value, where)
        return self.own_class(value, where) if isinstance(value, type) else self.own_function(value, where)

    def function(self, value: types.FunctionType, where: str) -> Any:
        told = _library_of(value.__globals__)
        name = _full_name(value)
        if told and _is_at_home(value):
            return {"library": told, "name": name}
        return self.label(value, name, where)

    def own_function(self, value: types.FunctionType, where: str) -> dict[str, Any]:
        """Describe a function that no version of an installed package stands for, or that such a package made."""
        told = _library_of(value.__globals__)
        names = uses(value.__code__)
        code = instructions_of(value.__code__, lambda constant: self.value(constant, f"a constant of {where}"))
        about: dict[str, Any] = {"does": identity(code)}
        if value.__defaults__:
            about["defaults"] = self.value(value.__defaults__, f"a default of {where}")
        if value.__kwdefaults__:
            about["keyword defaults"] = self.value(value.__kwdefaults__, f"a default of {where}")
        cells = dict(zip(value.__code__.co_freevars, value.__closure__ or (), strict=True))
        if not told:
            self.reads |= names.reads
            self.writes |= names.writes
            about |= {"globals": self.globals(value, names, where), "imports": self.imports(value, names, where)}
        about["closure"] = {name: self.in_cell(cell, name, where) for name, cell in sorted(cells.items())}
        kept = {n: v for n, v in sorted(vars(value).items()) if not self.is_unread(n, v)}
        about["attributes"] = {n: self.value(item, f"{where}.{n}") for n, item in kept.items()}
        if told:
            about["library"] = told
        return {name: part for name, part in about.items() if part != {}}

    def in_cell(self, cell: types.CellType, name: str, where: str) -> Any:
        try:
            held = cell.cell_contents
        except ValueError:
            return {"empty": True}
        return {"only written": True} if self.is_unread(name, held) else self.value(held, f"{name} in {where}")

    def globals(self, function: types.FunctionType, names: Uses, where: str) -> dict[str, Any]:
        told = {}
        for name, *rest in names.globals:
            inside = function.__globals__.get(name, _ABSENT)
            if name in _GIVEN:
                continue
            if inside is _ABSENT:
                inside = getattr(builtins, name, _ABSENT)
                if name in _ANYTHING:
                    told[name] = self.untold(where, function, f"it calls {name}, which can reach anything")
                    continue
                if isinstance(inside, (types.BuiltinFunctionType, type)) and inside.__module__ == "builtins":
                    continue
            if inside is _ABSENT:
                told[name] = {"undefined": True}
            elif self.is_unread(name, inside):
                told[name] = {"only written": True}
            else:
                told |= self.along(name, inside, rest, where)
        return told

    def along(self, name: str, value: Any, rest: list[str], where: str) -> dict[str, Any]:
        """Describe a global name; of a module, what is taken from it."""
        while isinstance(value, types.ModuleType) and rest:
            home, value, name, rest = value, getattr(value, rest[0], _ABSENT), f"{name}.{rest[0]}", rest[1:]
            if value is _ABSENT:
                return {name: {"undefined": True}}
            told = _library_of(vars(home))
            if told and not isinstance(value, types.ModuleType) and not callable(value) and type(value) not in _SCALARS:
                return {name: {"library": told, "name": name}}
        if value is importlib.import_module or any(value is getattr(builtins, name) for name in _ANYTHING):
            return {name: self.untold(where, value, f"it calls {name}, which can reach anything")}
        return {name: self.value(value, f"{name} in {where}")}

    def imports(self, function: types.FunctionType, names: Uses, where: str) -> dict[str, Any]:
        told: dict[str, Any] = {}
        for module, level, wanted in names.imports:
            package = function.__globals__.get("__package__") or ""
            full = importlib.util.resolve_name("." * level + module, package) if level else module
            home = _imported(full)
            if isinstance(home, str):
                told[full] = {"library": home} if home else {"undefined": True}
            elif not wanted:
                told[full] = self.value(home, f"{full} in {where}")
            else:
                for name in wanted:
                    found = getattr(home, name, None) or _imported(f"{full}.{name}")
                    told[f"{full}.{name}"] = self.value(found, f"{full}.{name} in {where}")
        return dict(sorted(told.items()))

    def module(self, value: types.ModuleType, where: str) -> Any:
        told = _library_of(vars(value))
        if told:
            return {"library": told, "name": value.__name__}
        return self.label(value, f"module {value.__name__}", where)

    def whole_module(self, value: types.ModuleType, where: str) -> dict[str, Any]:
        file = getattr(value, "__file__", None)
        if file and not file.endswith((".py", ".pyc")) and Path(file).is_file():
            return {"file": file_hash(file)}  # compiled by other means
        names = sorted(name for name in vars(value) if name not in _GIVEN)
        return {name: self.value(vars(value)[name], f"{value.__name__}.{name} in {where}") for name in names}

    def class_(self, value: type, where: str) -> Any:
        if id(value) not in self.classes:
            told, name = _class_library(value), _full_name(value)
            if not told or not (_is_at_home(value) or _is_static(value)):
                return self.label(value, name, where)
            self.kept.append(value)
            self.classes[id(value)] = {"library": told, "name": name}
            changed = {part: self.value(item, f"{part} in {where}") for part, item in _changed_by_hand(value)}
            self.classes[id(value)] |= {"changed": changed} if changed else {}
        return self.classes[id(value)]

    def own_class(self, value: type, where: str) -> dict[str, Any]:
        about: dict[str, Any] = {"bases": [self.value(base, f"a base of {where}") for base in value.__bases__]}
        if type(value) is not type:
            about["metaclass"] = self.value(type(value), f"the metaclass of {where}")
        if dataclasses.is_dataclass(value):
            slots = [name for name in dataclasses.Field.__slots__ if name != "type"]
            about["fields"] = {
                field.name: {slot: self.value(getattr(field, slot), f"{where}.{field.name}") for slot in slots}
                for field in value.__dataclass_fields__.values()
            }
        own = _own_names(value)
        members = {}
        for name, item in sorted(vars(value).items()):
            if name in _GIVEN or isinstance(item, _C_MEMBERS):
                continue
            if self.is_unread(name, item, own):
                members[name] = {"only written": True}
            else:
                members[name] = self.member(name, item, f"{where}.{name}")
        home = getattr(sys.modules.get(_home(value)), "__file__", None)
        if home and not home.endswith((".py", ".pyc")) and not _class_library(value) and Path(home).is_file():
            about["file"] = file_hash(home)  # compiled by other means
        return about | {"members": members}

    def member(self, name: str, item: Any, where: str) -> Any:
        n_refused = len(self.refused)
        told = self.value(item, where)
        if len(self.refused) > n_refused and name.startswith("__") and name.endswith("__"):
            del self.refused[n_refused:]  # what a library's metaclass made of the rest
            return {"class": _full_name(type(item))}
        return told

    # -- what wraps code ---------------------------------------------------------------------------------------

    def bound_method(self, value: types.MethodType, where: str) -> Any:
        return {"method": self.value(value.__func__, where), "of": self.value(value.__self__, f"the object of {where}")}

    def routine(self, value: Any, where: str) -> Any:
        """Describe a function in C: by its name, and by the object that it belongs to."""
        owner = getattr(value, "__self__", None)
        if owner is not None and not isinstance(owner, types.ModuleType):
            return {"routine": value.__name__, "of": self.value(owner, f"the object of {where}")}
        if hasattr(value, "__objclass__"):
            return {"routine": value.__name__, "of": self.value(value.__objclass__, where)}
        home = owner or sys.modules.get(value.__module__ or "builtins")
        file = getattr(home, "__file__", None)
        told = library(getattr(home, "__name__", ""), file)
        if not told and file and Path(file).is_file():
            told = file_hash(file)
        elif not told:
            return self.untold(where, value, "it is compiled, and no version or file stands for it")
        return {"library": told, "name": _full_name(value)}

    def wrapped(self, value: Any, where: str) -> Any:
        return {type(value).__name__: self.value(value.__wrapped__, where), "with": repr(_cache_size(value))}

    def descriptor(self, value: Any, where: str) -> Any:
        if isinstance(value, property):
            told = [self.value(part, where) for part in (value.fget, value.fset, value.fdel)]
        elif isinstance(value, functools.cached_property):
            told = self.value(value.func, where)
        else:
            told = self.value(value.__func__, where)
        return {type(value).__name__: told}

    def partial(self, value: functools.partial, where: str) -> Any:
        about = {"partial": self.value(value.func, where), "arguments": self.value(value.args, where)}
        return (
            about
            | {"keywords": self.value(value.keywords, where)}
            | {name: self.value(item, where) for name, item in sorted(vars(value).items())}
        )

    def mapping(self, value: Mapping, where: str) -> Any:
        return {"mapping": self.value(dict(value), where)}


def _singledispatch(walk: _Walk, value: Any, where: str) -> Any:
    kinds = sorted(value.registry.items(), key=lambda pair: _full_name(pair[0]))
    return {"dispatch": [[walk.value(kind, where), walk.value(to, where)] for kind, to in kinds]}


def _function(walk: _Walk, value: Any, where: str) -> Any:
    if hasattr(value, "registry") and hasattr(value, "dispatch") and value.__globals__ is vars(functools):
        return _singledispatch(walk, value, where)  # its closure remembers which types it met
    return walk.function(value, where)


_BUILTIN_CONTAINERS = (list, tuple, dict, set, frozenset)
_SCALARS = (*_PLAIN, float, complex, bytes)
_KINDS: list[tuple[Any, Callable[[_Walk, Any, str], Any]]] = [
    (types.FunctionType, _function),
    (types.MethodType, _Walk.bound_method),
    (_C_ROUTINES, _Walk.routine),
    (functools._lru_cache_wrapper, _Walk.wrapped),
    ((property, staticmethod, classmethod, functools.cached_property), _Walk.descriptor),
    (functools.partial, _Walk.partial),
    (types.ModuleType, _Walk.module),
    (type, _Walk.class_),
    (types.MappingProxyType, _Walk.mapping),
    ((np.ndarray, pd.DataFrame, pd.Series), _Walk.data_set),
    (pd.Index, lambda walk, value, where: {"index": _index(value)}),
    (logging.Logger, lambda walk, value, where: {"logger": value.name}),
    (types.CodeType, lambda walk, value, where: instructions_of(value, lambda c: walk.value(c, where))),
]


def _as_base(base: type, value: Any) -> Any:
    """Return the content of an instance of a subclass of a built-in type, as that type."""
    if base is dict:
        return dict(dict.items(value))
    if base in _BUILTIN_CONTAINERS:
        return base(base.__iter__(value))
    plain: dict[type, Callable[[Any], Any]] = {str: str.__str__, int: int.__int__, float: float.__float__}
    return plain.get(base, base)(value)


def _full_name(value: Any) -> str:
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", type(value).__name__)
    return f"{_home(value)}.{name}"


def _home(value: Any) -> str:
    """Return the name of the module where something says that it is from; some classes in C have a descriptor there."""
    name = getattr(value, "__module__", None)
    return name if isinstance(name, str) else "builtins"


def _found(home: Any, name: str) -> Any:
    for part in name.split("."):
        home = getattr(home, part, _ABSENT)
    return home


def _is_at_home(value: Any) -> bool:
    """Whether a function or a class is what its module holds under its name: not made by a call, not replaced."""
    home = sys.modules.get(_home(value))
    return home is not None and _found(home, value.__qualname__) is value


def _library_of(names: dict[str, Any]) -> str:
    """Return the library whose module has these globals."""
    name = names.get("__name__")
    return library(name, names.get("__file__")) if isinstance(name, str) else ""


def _changed_by_hand(value: type) -> Iterator[tuple[str, Any]]:
    """Return the user's own functions in an installed class, its bases, and the modules where those are."""
    for kind in value.__mro__:
        homes: list[tuple[str, Mapping[str, Any]]] = [(_full_name(kind), vars(kind))]
        module = sys.modules.get(_home(kind))
        if isinstance(module, types.ModuleType) and module is not builtins:
            homes.append((module.__name__, vars(module)))
        for home, names in homes:
            for name, item in sorted(names.items()):
                inner = item.fget if isinstance(item, property) else getattr(item, "__func__", item)
                if isinstance(inner, types.FunctionType) and not _library_of(inner.__globals__):
                    made_in = str(inner.__globals__.get("__name__", "namedtuple_"))
                    if not made_in.startswith("namedtuple_"):  # what a library compiled for itself
                        yield f"{home}.{name}", item


def _own_names(kind: type) -> Callable[[str], bool]:
    """Return whether a name belongs to the user's part of a class only, so that no library looks at it."""
    bases = [base for base in kind.__mro__ if base is not object and _class_library(base)]
    if not bases:
        return lambda name: True
    code = getattr(inspect.getattr_static(kind, "__init__"), "__code__", None)
    theirs = set(code.co_varnames) if code else set()  # parameters, which a library's `get_params` returns
    own = kind not in bases
    return lambda n: own and n not in theirs and not n.endswith("_") and not any(hasattr(base, n) for base in bases)


def _class_library(kind: type) -> str:
    return library(_home(kind), getattr(sys.modules.get(_home(kind)), "__file__", None))


def _is_static(kind: type) -> bool:
    """Whether a type is written in C, once and for all."""
    return not kind.__flags__ & (1 << 9)


def _cache_size(value: Any) -> Any:
    return value.cache_parameters().get("typed") if hasattr(value, "cache_parameters") else None


def _imported(name: str) -> types.ModuleType | str:
    """Return a module; of one that is not loaded only the library, nothing if there is none."""
    if name in sys.modules:
        return sys.modules[name]
    try:
        spec = importlib.util.find_spec(name.partition(".")[0])
        if spec is None:
            return ""
        return library(name, spec.origin) or importlib.import_module(name)
    except Exception:  # what an own module raises, it will raise again when it is needed
        return ""
