"""Kernels as text: what a command or a notebook is told, when the question is somebody's own."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import re
import sys
from contextlib import suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from genexpy_nb.common.checks import suggest
from genexpy_nb.common.errors import GenexpyError, ParameterError
from genexpy_nb.common.hashing import file_hash
from genexpy_nb.generalization.contract import MEMBERS, Broken, absent, check_kernel, guarded, line_of
from genexpy_nb.generalization.kernels import Kernel


def kernel_from_text(text: str) -> Kernel:
    """Return the kernel that a text names; nothing but a class that has all of a kernel is called for it."""
    where, name, given = _parts(text)
    module = _module(where, text)
    file = getattr(module, "__file__", None) or ""
    with guarded(lambda line: _said(text, file, line), file):
        kind = getattr(module, name, None)
    if kind is None:
        known = [key for key, value in vars(module).items() if isinstance(value, type)]
        raise ParameterError(f"kernel {text!r}: there is no {name} in {where}{suggest(name, known)}")
    if not isinstance(kind, type) or (lacks := absent(kind)):
        why = f"lacks {', '.join(lacks)}" if isinstance(kind, type) else "is no class"
        raise ParameterError(f"{_said(text, file, line_of(kind))} {name} {why}; a kernel has {', '.join(MEMBERS)}")
    if given and not is_dataclass(kind):
        raise ParameterError(f"{_said(text, file, line_of(kind))} {name} must be a dataclass to be given values")
    try:
        with guarded(lambda line: f"{_said(text, file, line or line_of(kind))} {name}", file):
            kernel = kind(**given)
    except Broken:
        raise
    except GenexpyError as error:
        raise ParameterError(f"{_said(text, file, line_of(kind))} {error}") from None
    check_kernel(kernel)
    return kernel


def _parts(text: str) -> tuple[str, str, dict[str, Any]]:
    """Split at the first colon behind which stands a name, or a call with values that have names."""
    for colon in re.finditer(":", text):
        with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            call = ast.parse(text[colon.end() :].strip(), mode="eval").body
            name, values = (call.func, call.keywords) if isinstance(call, ast.Call) and not call.args else (call, [])
            if isinstance(name, ast.Name) and (where := text[: colon.start()].strip()):
                return where, name.id, {str(value.arg): ast.literal_eval(value.value) for value in values}
    raise ParameterError(f"a kernel must be given as module:Class or file.py:Class(name=value), got {text!r}")


def _said(text: str, file: str, line: int) -> str:
    return f"kernel {text!r}{f' ({file}, line {line})' if line else ''}:"


def without_folder(text: str) -> str:
    """Return the text with the name of the kernel's file only."""
    where, _, _ = _parts(text)
    return text.replace(where, Path(where).name, 1) if where.endswith(".py") else text


def _module(where: str, text: str) -> ModuleType:
    path = Path(where).expanduser()
    if path.suffix != ".py":
        with guarded(lambda _: f"kernel {text!r}: {where}", ""):
            return importlib.import_module(where)
    if not path.is_file():
        raise ParameterError(f"kernel {text!r}: there is no file {where}")
    name = f"genexpy_nb_kernels_{path.stem}_{file_hash(path)[:12]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None  # of a .py there always is one
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up there
    try:
        with guarded(lambda line: f"{_said(text, where, line)} the file", str(spec.origin)):
            spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


def kernel_as_text(kernel: Kernel) -> str:
    """Return a text of which another process makes the same kernel."""
    kind = type(kernel)
    made = f"{kind.__name__}: a page is made by another process"
    if not is_dataclass(kernel) and getattr(kernel, "__dict__", None):
        raise ParameterError(f"{made}; make it a dataclass, to be told")
    values = _values(kernel)
    said = ", ".join(f"{k}={v!r}" for k, v in values.items())
    text = f"{_place(kind)}:{kind.__qualname__}{f'({said})' if values else ''}"
    try:
        again = kernel_from_text(text)
    except ParameterError as error:
        raise ParameterError(f"{made}, which cannot make this kernel: {error}") from None
    if _values(again) != values:
        raise ParameterError(f"{made}, to which {kernel!r} cannot be told")
    return text


def _values(kernel: Any) -> dict[str, Any]:
    known = fields(kernel) if is_dataclass(kernel) else ()
    return {each.name: getattr(kernel, each.name) for each in known if each.init}


def _place(kind: type) -> str:
    """The module of a class; its file, if only this process knows where the module is."""
    module = inspect.getmodule(kind)
    if kind.__module__.partition(".")[0] == "genexpy_nb" or module is None:
        return kind.__module__
    if kind.__module__ == "__main__" or not getattr(module, "__file__", None):
        remedy = "put the class into a file of its own, so that the page can be made with it"
        raise ParameterError(f"{kind.__name__}: {remedy}")
    return kind.__module__ if module.__package__ else str(Path(str(module.__file__)).resolve())
