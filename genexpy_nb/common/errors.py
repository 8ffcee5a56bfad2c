"""The errors that this package words itself: what was wrong, where, and what would be right.

One class for each kind of fault, so that a caller can tell them apart: what was *asked for* (`ParameterError`), the
*table* of results that it was asked of (`StudyError`), and the *files and datasets* on disk (`DataError`). What can be
computed, but may well be meant otherwise, is a warning (`StudyWarning`).
"""

from __future__ import annotations


class GenexpyError(ValueError):
    """Base class of all errors that the package raises on bad input."""


class DataError(GenexpyError):
    """A file or a dataset is missing, damaged, or not what it is said to be."""


class ParameterError(GenexpyError):
    """A parameter has an unknown name, a wrong type or a value out of range."""


class StudyError(GenexpyError):
    """A table of results lacks a column or a value, or does not fit the roles that were given to its columns."""


class StudyWarning(UserWarning):
    """A table can be analysed, but something in it makes the answers doubtful; `Study.warnings` lists what it is."""


def os_error(error: OSError) -> str:
    """Say in a line what the system refused, and of which file."""
    files = [str(file) for file in (error.filename, error.filename2) if file is not None]
    return ": ".join([error.strerror or type(error).__name__, *files[-1:]])


def not_written(folder: object, error: OSError) -> DataError:
    """Return the error for a folder in which results could not be kept."""
    return DataError(f"results cannot be written to {folder} ({os_error(error)})")
