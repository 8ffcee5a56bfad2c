"""Exercises of the notebooks: an answer is checked against a seal, from which it cannot be read.

A seal is a slow, salted hash of the answer. Beside the hash it tells, in disguise, which kind of answer is wanted, and
of each rounded number a remainder modulo three, so that a number that is beside it by one unit of its last digit can be
right, too. Whoever wants to can try all answers of a short list; nobody meets the answer by accident.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import math
import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Set, ValuesView
from itertools import cycle
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import check_count
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.prose import Prose, say, verbatim

RIGHT = "✓ **Right.**"
UNANSWERED = "○ **Not answered yet.**"
WRONG = "✗ **Not right.**"

_ROUNDS = 10_000  # of the hash: some five milliseconds, for one answer as for each that somebody tries
_GRADING = "NBGRADER_EXECUTION"  # environment variable that nbgrader sets while it runs notebooks
_HASH = 8  # bytes of it that are kept
_KINDS = ("True or False", "a whole number", "a number", "a text", "a list", "a set", "a dictionary", "something else")
_MANY = ("True or False", "whole numbers", "numbers", "texts", "lists", "sets", "dictionaries", "several kinds")
_BOOL, _WHOLE, _NUMBER, _TEXT, _LIST, _SET, _DICT, _OTHER = range(8)
_NAME = re.compile(r"\d\d-[1-9]\d?")
_LISTS = (list, tuple, range, np.ndarray, pd.Series, pd.Index, ValuesView)

Rounding = Callable[[float], list[Any]]


def seal(exercise: str, answer: Any, decimals: int | None = None, digits: int | None = None) -> str:
    """Return the seal of an answer, for the call of `check` that stands below the exercise.

    Parameters
    ----------
    exercise : str
        Notebook and number, "02-1". The same answer has another seal in another exercise.
    answer : bool, int, float, str, list, tuple, array, Series, set, dict or callable
        What is right; a function without arguments is called. Lists and dictionaries may hold each other. In texts
        case, blanks and hyphens do not matter, nor do points, quotes or parentheses around them.
    decimals : int, optional
        Numbers are compared after rounding to so many digits after the point; one unit of the last digit is
        overlooked.
    digits : int, optional
        The same with so many significant digits.

    Returns
    -------
    str
        Lower-case letters and digits; 15 of them or a few more.

    Raises
    ------
    ParameterError
        If the name is not of that form; if a number has a fraction, and neither ``decimals`` nor ``digits`` say how far
        it counts, or both do; or if the answer is nothing that can be checked.

    Examples
    --------
    >>> seal("02-1", 33.4, decimals=1) == seal("02-1", 33.41, decimals=1)
    True
    >>> seal("02-1", "b") == seal("02-2", "b")
    False
    """
    _check_call(exercise, decimals, digits)
    answer = _value(answer)
    kind = _kind(answer, _rounds(decimals, digits))
    if kind % 8 == _OTHER or _holds(answer, _unknown):
        raise ParameterError(f"answer of {exercise}: numbers, texts, lists, sets or dictionaries, got {answer!r}")
    if not _rounds(decimals, digits) and _holds(answer, lambda each: _basic(each) == _NUMBER):
        raise ParameterError(f"answer of {exercise}: say decimals= or digits= to which {answer!r} is right")
    remainders: list[int] = []
    text = _canonical(answer, lambda number: _on_grid(number, decimals, digits, remainders))
    head = bytes([kind, *remainders])
    salt = _salt(exercise, decimals, digits)
    packed = _disguised(head, salt) + _hashed(text, salt)
    return base64.b32encode(packed).decode().rstrip("=").lower()


def check(
    exercise: str,
    answer: Any,
    sealed: str,
    *,
    hint: str,
    decimals: int | None = None,
    digits: int | None = None,
    wrong: Mapping[str, str] | None = None,
) -> Prose:
    """Say whether an answer is right; the last line of a cell with this shows it.

    Parameters
    ----------
    exercise, decimals, digits
        As they were given to `seal`.
    answer : object
        What somebody assigned. ``...`` is no answer yet. A function without arguments is called, and what it
        raises is told: ``lambda: [answer_4(x) for x in (1, 2)]`` asks for a function.
    sealed : str
        What `seal` returned.
    hint : str
        Markdown: where to look, if the answer is not right.
    wrong : mapping of str to str, optional
        Seal of a usual wrong answer -> Markdown that says why it is wrong, in place of the hint.

    Returns
    -------
    Prose
        Markdown that begins with `RIGHT`, `WRONG` or `UNANSWERED`. A wrong answer never raises, unless nbgrader runs
        the cell.

    Raises
    ------
    ParameterError
        If the call is not as it should be, whatever the answer.
    AssertionError
        If nbgrader runs the cell, and the answer is not right: so no points are given.

    Examples
    --------
    >>> sealed = seal("02-1", 33.4, decimals=1)
    >>> check("02-1", 33.41, sealed, decimals=1, hint="Look at n*.")
    ✓ **Right.**
    >>> check("02-1", 50, sealed, decimals=1, hint="Look at n*.")
    ✗ **Not right.** *Hint:* Look at n*.
    >>> check("02-1", [33.4], sealed, decimals=1, hint="Look at n*.")
    ✗ **Not right.** A number is wanted; this is a list of numbers.
    """
    _check_call(exercise, decimals, digits)
    if not isinstance(hint, str) or not hint.strip():
        raise ParameterError(f"hint of {exercise}: a text is needed, got {hint!r}")
    said = _said(exercise, answer, sealed, hint, decimals, digits, wrong or {})
    if said != RIGHT and os.environ.get(_GRADING):
        raise AssertionError(said)  # what a program for grading counts
    return said


def _said(
    exercise: str,
    answer: Any,
    sealed: str,
    hint: str,
    decimals: int | None,
    digits: int | None,
    wrong: Mapping[str, str],
) -> Prose:
    salt = _salt(exercise, decimals, digits)
    opened = {each: _opened(each, salt, exercise) for each in (sealed, *wrong)}
    try:
        answer = _value(answer)
        if _unanswered(answer):
            return _not_yet()
        kind = _kind(answer, _rounds(decimals, digits))
        right = [each for each in opened if _fits(answer, kind, opened[each], decimals, digits, salt)]
    except Exception as problem:
        # not only of what the answer does: some objects cannot even be looked at
        return _not_yet() if "ellipsis" in str(problem) else _stopped(problem)
    if sealed in right:
        return say(RIGHT)
    if right:
        return say(f"{WRONG} {wrong[right[0]]}")
    wanted = opened[sealed][0][0]
    if kind != wanted:
        return say(f"{WRONG} {_sentence(wanted, kind, answer)}")
    return say(f"{WRONG} *Hint:* {hint}")


def _check_call(exercise: str, decimals: int | None, digits: int | None) -> None:
    if not isinstance(exercise, str) or not _NAME.fullmatch(exercise):
        raise ParameterError(f"exercise: notebook and number, such as '02-1', got {exercise!r}")
    if decimals is not None and digits is not None:
        raise ParameterError(f"exercise {exercise}: give decimals or digits, not both")
    if decimals is not None:
        check_count("decimals", decimals, at_least=0, at_most=15)
    if digits is not None:
        check_count("digits", digits, at_most=15)


def _rounds(decimals: int | None, digits: int | None) -> bool:
    return decimals is not None or digits is not None


def _value(answer: Any) -> Any:
    answer = answer() if callable(answer) and not isinstance(answer, type) else answer
    return answer.item() if isinstance(answer, np.ndarray) and answer.ndim == 0 else answer


def _not_yet() -> Prose:
    return say(f"{UNANSWERED} Put your answer where the three dots are, run that cell, then this one.")


def _stopped(problem: Exception) -> Prose:
    said = f"{type(problem).__name__}: {problem}".rstrip(": ")
    return say(f"{WRONG} Your answer stopped with {verbatim(said[:300])}")


def _sentence(wanted: int, kind: int, answer: Any) -> str:
    given = f"of type {verbatim(type(answer).__name__)}" if kind % 8 == _OTHER else _in_words(kind)
    text = _in_words(wanted)
    return f"{text[0].upper()}{text[1:]} is wanted; this is {given}."


def _in_words(kind: int) -> str:
    one, many = kind % 8, kind // 8
    if one not in (_LIST, _SET, _DICT) or many == _OTHER:
        return _KINDS[one]
    return f"{_KINDS[one]} of {_MANY[many]}"


# What an answer is.


def _basic(value: Any) -> int:
    """Kind of a value; numbers with a fraction and those without are told apart."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return _BOOL
    if isinstance(value, Integral):
        return _WHOLE
    if isinstance(value, Real):
        return _WHOLE if math.isfinite(value) and float(value).is_integer() else _NUMBER
    if isinstance(value, str):
        return _TEXT
    for kind, types in ((_LIST, _LISTS), (_DICT, Mapping), (_SET, Set)):
        if isinstance(value, types):
            return kind
    return _OTHER


def _kind(value: Any, rounds: bool) -> int:
    """Kind of a value, and eight times that of what it holds; whole numbers are numbers where these are rounded."""

    def basic(each: Any) -> int:
        found = _basic(each)
        return _NUMBER if rounds and found == _WHOLE else found

    one = basic(value)
    if one not in (_LIST, _SET, _DICT):
        return one
    inner = {basic(each) for each in _items(value)}
    if inner == {_WHOLE, _NUMBER}:
        inner = {_NUMBER}
    return one + 8 * (inner.pop() if len(inner) == 1 else _OTHER)


def _items(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, Mapping) else value


def _holds(value: Any, is_so: Callable[[Any], bool]) -> bool:
    if _basic(value) not in (_LIST, _SET, _DICT):
        return is_so(value)
    return any(_holds(each, is_so) for each in _items(value))


def _unknown(value: Any) -> bool:
    return _basic(value) == _OTHER or (_basic(value) == _NUMBER and math.isnan(float(value)))


def _unanswered(answer: Any) -> bool:
    """Three dots, anywhere; or a function that returns nothing, which is what its three dots do."""
    if _holds(answer, lambda each: each is ...):
        return True
    return answer is None or (_basic(answer) in (_LIST, _DICT) and _all_none(answer))


def _all_none(answer: Any) -> bool:
    items = list(_items(answer))
    return bool(items) and all(each is None for each in items)


# One text for all ways to write the same answer.


def _canonical(value: Any, rounding: Rounding) -> str:
    return json.dumps(_plain(value, rounding), separators=(",", ":"))


def _plain(value: Any, rounding: Rounding) -> list[Any]:
    kind = _basic(value)
    if kind == _BOOL:
        return ["b", int(value)]
    if kind in (_WHOLE, _NUMBER):
        return rounding(value)
    if kind == _TEXT:
        return ["t", _spelled(value)]
    if kind == _LIST:
        return ["l", [_plain(each, rounding) for each in value]]
    if kind == _SET:
        return ["s", [_plain(each, rounding) for each in sorted(value, key=_place)]]
    if kind == _DICT:
        items = sorted(value.items(), key=lambda item: _place(item[0]))
        return ["d", [[_plain(name, _exactly), _plain(each, rounding)] for name, each in items]]
    return ["o", str(type(value))]


def _spelled(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"[\s\-\u2010-\u2015\u2212_]+", "", folded).strip(".,;:()[]'\"`‘’“”*")


def _place(value: Any) -> tuple[int, float, str]:
    """Where it stands among others in a set: numbers by their size, so that rounding changes no order."""
    if _basic(value) in (_WHOLE, _NUMBER):
        return 0, float(value), ""
    return 1, 0.0, _canonical(value, _exactly)


def _exactly(number: float) -> list[Any]:
    return ["i", str(int(number))] if _basic(number) == _WHOLE else ["f", repr(float(number))]


# Rounded numbers. On the grid of the last digit three neighbours, of which the right one is the middle, are one cell.
# Where cells begin, modulo three, is told in the seal; so is the power of ten where significant digits are asked for.


def _on_grid(number: float, decimals: int | None, digits: int | None, remainders: list[int]) -> list[Any]:
    """Round, and note the remainders that tell `_in_cell` how to find the same cell."""
    value = float(number)
    if not _rounds(decimals, digits) or not math.isfinite(value):
        return _exactly(number)
    power = -decimals if decimals is not None else _power(value, digits or 1)
    point = round(value / 10.0**power)
    remainders.append((-power % 3) * 3 + (1 - point) % 3)
    return _cell(point, power, remainders[-1])


def _in_cell(number: float, decimals: int | None, digits: int | None, remainders: Iterable[int]) -> list[Any]:
    """Round as `_on_grid` did with a number of the same cell."""
    value = float(number)
    if not _rounds(decimals, digits) or not math.isfinite(value):
        return _exactly(number)
    remainder = next(iter(remainders), None)
    if remainder is None:
        return ["o", "more numbers than wanted"]
    power = -decimals if decimals is not None else _power(value, digits or 1)
    if digits is not None:  # 9.96 and 10 differ by less than a unit: the power is the nearest with the right remainder
        power = next(near for near in (power, power + 1, power - 1) if -near % 3 == remainder // 3)
    return _cell(round(value / 10.0**power), power, remainder)


def _cell(point: int, power: int, remainder: int) -> list[Any]:
    return ["r", power, (point + remainder % 3) // 3]


def _power(value: float, digits: int) -> int:
    """The power of ten of the last of so many significant digits, of a rounded number."""
    return int(f"{value:.{digits - 1}e}".partition("e")[2]) - digits + 1


# Seals.


def _salt(exercise: str, decimals: int | None, digits: int | None) -> bytes:
    return f"genexpy_nb exercise {exercise} {decimals} {digits}".encode()


def _hashed(text: str, salt: bytes) -> bytes:
    return hashlib.pbkdf2_hmac("sha256", text.encode(), salt, _ROUNDS, _HASH)


def _disguised(head: bytes, salt: bytes) -> bytes:
    """What is no secret, but shall not be read in passing; twice is the same as not at all."""
    return bytes(a ^ b for a, b in zip(head, cycle(hashlib.sha256(salt).digest()), strict=False))


def _opened(sealed: str, salt: bytes, exercise: str) -> tuple[bytes, bytes]:
    """Kind and remainders, and the hash."""
    try:
        packed = base64.b32decode(sealed.upper() + "=" * (-len(sealed) % 8))
        head, hashed = _disguised(packed[:-_HASH], salt), packed[-_HASH:]
        if not head or head[0] >= 64 or max(head[1:], default=0) >= 9:
            raise ValueError
    except (AttributeError, binascii.Error, ValueError):
        raise ParameterError(
            f"exercise {exercise}: {sealed!r} is no seal of it; exercises.seal({exercise!r}, answer) returns one, with "
            "the same decimals or digits"
        ) from None
    return head, hashed


def _fits(
    answer: Any, kind: int, opened: tuple[bytes, bytes], decimals: int | None, digits: int | None, salt: bytes
) -> bool:
    head, hashed = opened
    if kind != head[0]:
        return False
    remainders = iter(head[1:])
    text = _canonical(answer, lambda number: _in_cell(number, decimals, digits, remainders))
    return next(remainders, None) is None and _hashed(text, salt) == hashed
