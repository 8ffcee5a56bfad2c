"""Libraries that only some rooms need: what is missing is named with the extra that brings it."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from genexpy_nb.common.errors import GenexpyError

#: Checks addresses with letters of all scripts, which no notebook has, for jsonschema, which does not insist on it. To
#: build its grammar takes more than half a second of each process that reads a notebook.
UNNEEDED = "rfc3987_syntax"


class MissingExtraError(GenexpyError, ImportError):
    """A library is not installed that an optional part of the package needs."""


def require(extra: str, *modules: str) -> None:
    """Raise `MissingExtraError` unless all modules can be imported; none of them is imported for it."""
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        raise MissingExtraError(f'{", ".join(missing)} {verb} not installed; pip install "genexpy_nb[{extra}]"')


def load_extra(extra: str, module: str) -> ModuleType:
    """Import a module of an optional library, or raise `MissingExtraError`."""
    require(extra, module.partition(".")[0])
    return import_module(module)


def do_without() -> None:
    """Let this process start sooner: what it does not need counts as not installed. Not for kernels."""
    sys.modules.setdefault(UNNEEDED, None)  # type: ignore[arg-type]
