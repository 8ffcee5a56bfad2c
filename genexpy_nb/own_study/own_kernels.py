"""Kernels as text: what a command or a notebook is told, when the question is somebody's own."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import sys
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from genexpy_nb.common.checks import suggest
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.hashing import file_hash
from genexpy_nb.generalization.kernels import Kernel


def kernel_from_text(text: str) -> Kernel:
    """Return the kernel that a text names."""
    where, _, called = text.strip().rpartition(":") if "(" not in text else _before_values(text)
    try:
        call = ast.parse(called.strip(), mode="eval").body
        name, values = (call.func, call.keywords) if isinstance(call, ast.Call) and not call.args else (call, [])
        if not where or not isinstance(name, ast.Name):
            raise ValueError
        given = {str(value.arg): ast.literal_eval(value.value) for value in values}
    except (SyntaxError, ValueError):
        raise ParameterError(
            f"a kernel must be given as module:Class or file.py:Class(name=value), got {text!r}"
        ) from None
    module = _module(where, text)
    if not hasattr(module, name.id):
        known = [key for key, value in vars(module).items() if isinstance(value, type)]
        raise ParameterError(f"kernel {text!r}: there is no {name.id} in {where}{suggest(name.id, known)}")
    try:
        kernel = getattr(module, name.id)(**given)
    except (TypeError, ParameterError) as error:
        raise ParameterError(f"kernel {text!r}: {error}") from None
    if not isinstance(kernel, Kernel):
        raise ParameterError(
            f"kernel {text!r}: {name.id} lacks something of a kernel: on, name, question, gram, epsilon"
        )
    return kernel


def _before_values(text: str) -> tuple[str, str, str]:
    """Split at the colon before the class, which is the last one before the parenthesis."""
    head, parenthesis, values = text.strip().partition("(")
    where, colon, name = head.rpartition(":")
    return where, colon, name + parenthesis + values


def _module(where: str, text: str) -> ModuleType:
    path = Path(where).expanduser()
    if path.suffix != ".py":
        try:
            return importlib.import_module(where)
        except (ImportError, TypeError, ValueError) as error:
            raise ParameterError(f"kernel {text!r}: {where} cannot be imported: {error}") from None
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
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise ParameterError(f"kernel {text!r}: {where} stopped with {type(error).__name__}: {error}") from None
    return module


def kernel_as_text(kernel: Kernel) -> str:
    """Return a text of which another process makes the same kernel."""
    kind = type(kernel)
    values = _values(kernel)
    text = f"{_place(kind)}:{kind.__qualname__}" + (
        f"({', '.join(f'{k}={v!r}' for k, v in values.items())})" if values else ""
    )
    try:
        again = kernel_from_text(text)
    except ParameterError as error:
        raise ParameterError(
            f"{kind.__name__}: a page is made by another process, which cannot make this kernel: {error}"
        ) from None
    if _values(again) != values:
        raise ParameterError(f"{kind.__name__}: a page is made by another process, to which {kernel!r} cannot be told")
    return text


def _values(kernel: Any) -> dict[str, Any]:
    return (
        {each.name: getattr(kernel, each.name) for each in fields(kernel) if each.init} if is_dataclass(kernel) else {}
    )


def _place(kind: type) -> str:
    """The module of a class; its file, if only this process knows where the module is."""
    module = inspect.getmodule(kind)
    if kind.__module__.partition(".")[0] == "genexpy_nb" or module is None:
        return kind.__module__
    if kind.__module__ == "__main__" or not getattr(module, "__file__", None):
        raise ParameterError(
            f"{kind.__name__}: put the class into a file of its own, so that the page can be made with it"
        )
    return kind.__module__ if module.__package__ else str(Path(str(module.__file__)).resolve())
