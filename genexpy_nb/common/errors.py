"""The errors that this package words itself: what was wrong, where, and what would be right.

One class for each kind of fault, so that a caller can tell them apart: what was *asked for* (`ParameterError`), the
*table* of results that it was asked of (`StudyError`), and the *files and datasets* on disk (`DataError`). What can be
computed, but may well be meant otherwise, is a warning (`StudyWarning`).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any


class GenexpyError(ValueError):
    """Base class of all errors that the package raises on bad input."""


class DataError(GenexpyError):
    """A file or a dataset is missing, damaged, or not what it is said to be."""

    def __init__(self, message: str, *, readings: Sequence[Mapping[str, Any]] = (), titles: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.titles = titles  # of several tables in a file, of which one is to be chosen
        self.readings = readings[:12]  # arguments, such as a sheet or files, with which one table is read


class ParameterError(GenexpyError):
    """A parameter has an unknown name, a wrong type or a value out of range."""


class StudyError(GenexpyError):
    """A table of results lacks a column or a value, or does not fit the roles that were given to its columns."""


class NotConcludedError(AssertionError):
    """What `genexpy_nb.assert_conclusion` was asked to make sure of does not follow from the results."""


class StudyWarning(UserWarning):
    """A table can be analysed, but something in it makes the answers doubtful; `Study.warnings` lists what it is."""


def os_error(error: OSError) -> str:
    """Say in a line what the system refused, and of which file."""
    files = [str(file) for file in (error.filename, error.filename2) if file is not None]
    return ": ".join([error.strerror or type(error).__name__, *files[-1:]])


def not_written(folder: object, error: OSError) -> DataError:
    """Return the error for a folder in which results could not be kept."""
    return DataError(f"results cannot be written to {folder} ({os_error(error)})")


# --- libraries that only some rooms need ------------------------------------------------------------------------------

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
