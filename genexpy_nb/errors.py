"""The errors that this package words itself: what was wrong, where, and what would be right."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from numbers import Integral
from typing import Any

__all__ = ["DataError", "GenexpyError", "ParameterError", "StudyError", "check_choice", "check_count", "suggest"]


class GenexpyError(ValueError):
    """Base class of all errors that the package raises on bad input."""


class DataError(GenexpyError):
    """A data file is missing, damaged, or not what its registry entry says."""


class ParameterError(GenexpyError):
    """A parameter has an unknown name, a wrong type or a value out of range."""


class StudyError(GenexpyError):
    """A results table does not fit the roles that were given to its columns."""


def suggest(name: Any, known: Iterable[Any]) -> str:
    """Return ``"; did you mean 'x'?"`` for the nearest of the known names, or an empty string.

    Examples
    --------
    >>> suggest("alhpa", ["alpha", "delta"])
    "; did you mean 'alpha'?"
    >>> suggest("zzz", ["alpha", "delta"])
    ''
    """
    close = get_close_matches(str(name), [str(k) for k in known], n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def check_choice(parameter: str, value: Any, choices: Iterable[Any]) -> None:
    """Raise `ParameterError` unless ``value`` is one of the choices.

    Parameters
    ----------
    parameter : str
        The parameter's name, for the message.
    value : object
        What was given.
    choices : iterable
        What would be accepted.

    Raises
    ------
    ParameterError
        If ``value`` is not among ``choices``.

    Examples
    --------
    >>> check_choice("missing", "drop", ["drop", "error"])
    """
    choices = list(choices)
    if value not in choices:
        listed = ", ".join(repr(choice) for choice in choices)
        raise ParameterError(f"{parameter} must be one of {listed}, got {value!r}{suggest(value, choices)}")


def check_count(parameter: str, value: Any) -> int:
    """Return a whole number of at least 1, or raise `ParameterError`.

    Parameters
    ----------
    parameter : str
        The parameter's name, for the message.
    value : object
        What was given.

    Returns
    -------
    int

    Raises
    ------
    ParameterError
        If ``value`` is no integer, or below 1.

    Examples
    --------
    >>> check_count("n_rep", 1000)
    1000
    """
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise ParameterError(f"{parameter} must be an integer of at least 1, got {value!r}")
    if value < 1:
        raise ParameterError(f"{parameter} must be at least 1, got {value!r}")
    return int(value)
