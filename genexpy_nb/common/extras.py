"""Libraries that only some rooms need: what is missing is named with the extra that brings it."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from genexpy_nb.common.errors import GenexpyError

__all__ = ["MissingExtraError", "do_without", "load_extra", "require"]

#: Checks addresses with letters of all scripts, which no notebook has, for jsonschema, which does not insist on it. To
#: build its grammar takes more than half a second of each process that reads a notebook.
UNNEEDED = "rfc3987_syntax"


class MissingExtraError(GenexpyError, ImportError):
    """A library is not installed that an optional part of the package needs."""


def require(extra: str, *modules: str) -> None:
    """Raise `MissingExtraError` unless all modules can be imported; none of them is imported for it.

    Parameters
    ----------
    extra : str
        The extra of genexpy_nb that brings them.
    *modules : str
        Names of top-level modules.

    Raises
    ------
    MissingExtraError
        Names the modules that are missing, and what to install.

    Examples
    --------
    >>> require("reports", "no_such_module")
    Traceback (most recent call last):
        ...
    genexpy_nb.common.extras.MissingExtraError: no_such_module is not installed; pip install "genexpy_nb[reports]"
    """
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        raise MissingExtraError(f'{", ".join(missing)} {verb} not installed; pip install "genexpy_nb[{extra}]"')


def load_extra(extra: str, module: str) -> ModuleType:
    """Import a module of an optional library, or raise `MissingExtraError`.

    Examples
    --------
    >>> load_extra("reports", "json").__name__
    'json'
    """
    require(extra, module.partition(".")[0])
    return import_module(module)


def do_without() -> None:
    """Let this process start sooner: what it does not need counts as not installed. Not for kernels.

    Examples
    --------
    >>> do_without()
    """
    sys.modules.setdefault(UNNEEDED, None)  # type: ignore[arg-type]
