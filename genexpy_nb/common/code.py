"""Read compiled code: what it does, what it names, and whether it is a library's or the user's own.

Bytecode, not source: it is what will run, and it is there for lambdas, for cells of a notebook and for what ``exec``
made. Its constants are taken one by one, because the bytes of a set in it depend on the hash seed of the process, and
line numbers, names of files and documentation are left out.
"""

from __future__ import annotations

import dis
import os
import platform
import site
import sys
import sysconfig
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from types import CodeType
from typing import Any

# They stand for no action, or for a number that another instruction shows.
_SILENT = {"NOP", "CACHE", "EXTENDED_ARG"}
# What a class is told about itself in its body, and what depends on lines or on the hash seed (Python 3.13).
_NOT_CODE = {"__doc__", "__firstlineno__", "__static_attributes__"}
_GENERATOR_FLAGS = 0x04 | 0x08 | 0x20 | 0x80 | 0x200  # *args, **kwargs, generator, coroutine, asynchronous generator
_GLOBAL = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"}
_CELL = {"LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"}
_ATTRIBUTE = {"LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR"}
_SIMPLE = {"LOAD_CONST", "LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_BORROW", "LOAD_SMALL_INT", *_GLOBAL, *_CELL}
# Methods of list, set, dict and deque that return None, whatever is in there.
_WRITERS = {"append", "appendleft", "add", "clear", "discard", "extend", "extendleft", "insert", "update"}
_IN_PLACE = 13  # `+=` and the like have the numbers of the plain operators, and 13


def _visible(code: CodeType) -> list[dis.Instruction]:
    return [i for i in dis.get_instructions(code) if i.opname not in _SILENT]


def instructions_of(code: CodeType, constant: Callable[[Any], Any]) -> dict[str, Any]:
    """Return what a code object does, in types that JSON knows."""
    visible = _visible(code)
    starts = [i.offset for i in visible]

    def place(offset: int) -> int:
        return bisect_left(starts, offset)

    told: list[list[Any]] = []
    for now, after in zip(visible, [*visible[1:], None], strict=True):
        if now.opname == "STORE_NAME" and now.argval in _NOT_CODE:
            told.pop()
            continue
        if now.opcode in dis.hasconst:
            by_hand = after is not None and after.opname == "STORE_NAME" and after.argval in _NOT_CODE
            value = now.argval
            what = None if by_hand else instructions_of(value, constant) if isinstance(value, CodeType) else None
            told.append([now.opname, what if isinstance(value, CodeType) or by_hand else constant(value)])
        elif now.opcode in dis.hasjrel or now.opcode in dis.hasjabs:
            told.append([now.opname, "to", place(now.argval)])
        elif (
            now.opcode in dis.hasname
            or now.opcode in dis.haslocal
            or now.opcode in dis.hasfree
            or now.opcode in dis.hascompare
        ):
            told.append([now.opname, now.argrepr])
        else:
            told.append([now.opname, now.arg])
    n_named = code.co_argcount + code.co_kwonlyargcount + sum(bool(code.co_flags & flag) for flag in (0x04, 0x08))
    counts = [code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags & _GENERATOR_FLAGS]
    handlers = [
        [place(entry.start), place(entry.end), place(entry.target), entry.depth, entry.lasti]
        for entry in getattr(dis.Bytecode(code), "exception_entries", ())
    ]
    return {"arguments": [*counts, *code.co_varnames[:n_named]], "instructions": told, "handlers": handlers}


@dataclass
class Uses:
    """What code names."""

    globals: list[tuple[str, ...]] = field(default_factory=list)
    imports: list[tuple[str, int, tuple[str, ...] | None]] = field(default_factory=list)
    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)


def uses(code: CodeType) -> Uses:
    """Return what a code object, and every function in it, names."""
    found = Uses()
    chains = set()
    for part in _with_inner(code):
        visible = _visible(part)
        for place, now in enumerate(visible):
            after = visible[place + 1 : place + 12]
            if now.opname in _GLOBAL:
                chains.add((now.argval, *_chain(after)))
            if now.opname in _GLOBAL or now.opname in _CELL or now.opname in _ATTRIBUTE:
                (found.writes if _only_written(now, after) else found.reads).add(now.argval)
            elif now.opname == "IMPORT_NAME":
                level, names = (visible[place - back].argval for back in (2, 1))
                found.imports.append((now.argval, level, names))
        found.reads |= {text for text in part.co_consts if isinstance(text, str) and text.isidentifier()}  # getattr
    found.globals = sorted(chains)
    return found


def _with_inner(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _with_inner(constant)


def _chain(after: list[dis.Instruction]) -> Iterator[str]:
    for instruction in after:
        if instruction.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
            return
        yield instruction.argval


def _only_written(now: dis.Instruction, after: list[dis.Instruction]) -> bool:
    """Whether what was just put on the stack is changed and thrown away."""
    after = [i for i in after if i.opname not in ("COPY", "SWAP")]
    names = [i.opname for i in after]
    if not after:
        return False
    if names[0] in ("LOAD_ATTR", "LOAD_METHOD"):
        return after[0].argval in _WRITERS
    if names[0] not in _SIMPLE:
        return False
    if names[1:3] == ["BINARY_OP", now.opname.replace("LOAD", "STORE").replace("CLASSDEREF", "DEREF")]:
        return (after[1].arg or 0) >= _IN_PLACE and after[2].argval == now.argval
    if names[1:2] == ["STORE_SUBSCR"]:
        return True
    in_place = names[1:2] == ["BINARY_SUBSCR"] and names[2:3] and names[2] in _SIMPLE
    return bool(in_place) and names[3:5] == ["BINARY_OP", "STORE_SUBSCR"] and (after[3].arg or 0) >= _IN_PLACE


@cache
def _library_folders() -> tuple[str, ...]:
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    found = [sysconfig.get_paths()[name] for name in names] + site.getsitepackages() + [site.getusersitepackages()]
    return tuple({os.path.join(form(folder), "") for folder in found for form in (os.path.abspath, os.path.realpath)})


@cache
def library(module: str, file: str | None) -> str:
    """Return the library that a module belongs to, with its version; nothing for the user's own code."""
    top = module.partition(".")[0]
    if module == "__main__":
        return ""
    if file is None or file.startswith("<"):
        return f"python {platform.python_version()}" if top in sys.stdlib_module_names else ""
    inside = {"site-packages", "dist-packages"} & set(os.path.normpath(file).split(os.sep))
    forms = (os.path.abspath(file), os.path.realpath(file))
    if not inside and not any(form.startswith(folder) for form in forms for folder in _library_folders()):
        return ""
    if not inside and top in sys.stdlib_module_names:
        return f"python {platform.python_version()}"
    return f"{top} {_version_of(top)}".strip()


@cache
def _version_of(package: str) -> str:
    told = getattr(sys.modules.get(package), "__version__", None)
    if isinstance(told, str):
        return told
    try:
        return version(packages_distributions().get(package, [package])[0])
    except PackageNotFoundError:
        return ""
