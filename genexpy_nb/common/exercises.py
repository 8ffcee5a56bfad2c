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
from dataclasses import dataclass
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


def seal(exercise: str, answer: Any, decimals: int | None = None, digits: int | None = None) -> str:
    """Return the seal of an answer, for the call of `check` below the exercise ("02-1": notebook and number).

    Numbers are compared after rounding to ``decimals`` after the point, or to so many significant ``digits``; one unit
    of the last digit is overlooked. In texts case, blanks, hyphens and quotes do not matter. A function is called.

    >>> seal("02-1", 33.4, decimals=1) == seal("02-1", 33.41, decimals=1)
    True
    """
    how = _How(exercise, decimals, digits)
    answer = _value(answer)
    if _kind(answer, how.rounds) % 8 == _OTHER or _holds(answer, _unknown):
        raise ParameterError(f"answer of {exercise}: numbers, texts, lists, sets or dictionaries, got {answer!r}")
    if not how.rounds and _holds(answer, lambda each: _basic(each) == _NUMBER):
        raise ParameterError(f"answer of {exercise}: say decimals= or digits= to which {answer!r} is right")
    return how.sealed(answer)


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

    ``...`` is no answer yet; a function without arguments is called. ``wrong`` has seals of usual wrong answers -> why
    they are wrong, in place of the hint. What is not right raises `AssertionError` if nbgrader runs the cell.

    >>> check("02-1", [33.4], seal("02-1", 33.4, decimals=1), decimals=1, hint="Look at n*.")
    ✗ **Not right.** A number is wanted; this is a list of numbers.
    """
    how = _How(exercise, decimals, digits)
    if not isinstance(hint, str) or not hint.strip():
        raise ParameterError(f"hint of {exercise}: a text is needed, got {hint!r}")
    said = _said(how, answer, sealed, hint, wrong or {})
    if said != RIGHT and os.environ.get(_GRADING):
        raise AssertionError(said)  # what a program for grading counts
    return said


def _said(how: _How, answer: Any, sealed: str, hint: str, wrong: Mapping[str, str]) -> Prose:
    heads = {each: how.head_of(each) for each in (sealed, *wrong)}
    not_yet = say(f"{UNANSWERED} Put your answer where the three dots are, run that cell, then this one.")
    try:
        answer = _value(answer)
        if _unanswered(answer):
            return not_yet
        kind = _kind(answer, how.rounds)
        right = [each for each, head in heads.items() if kind == head[0] and how.sealed(answer, head) == each]
    except Exception as problem:  # not only of what the answer does: some objects cannot even be looked at
        told = f"{type(problem).__name__}: {problem}".rstrip(": ")
        stopped = say(f"{WRONG} Your answer stopped with {verbatim(told[:300])}")
        return not_yet if "ellipsis" in str(problem) else stopped
    if sealed in right:
        return say(RIGHT)
    if right:
        return say(f"{WRONG} {wrong[right[0]]}")
    if kind != (wanted := heads[sealed][0]):
        given = f"of type {verbatim(type(answer).__name__)}" if kind % 8 == _OTHER else _in_words(kind)
        text = _in_words(wanted)
        return say(f"{WRONG} {text[0].upper()}{text[1:]} is wanted; this is {given}.")
    return say(f"{WRONG} *Hint:* {hint}")


def _in_words(kind: int) -> str:
    one, many = kind % 8, kind // 8
    return _KINDS[one] + (f" of {_MANY[many]}" if one in (_LIST, _SET, _DICT) and many != _OTHER else "")


# --- what an answer is ------------------------------------------------------------------------------------------------


def _value(answer: Any) -> Any:
    answer = answer() if callable(answer) and not isinstance(answer, type) else answer
    return answer.item() if isinstance(answer, np.ndarray) and answer.ndim == 0 else answer


def _basic(value: Any) -> int:
    """Kind of a value; numbers with a fraction and those without are told apart."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return _BOOL
    if isinstance(value, Integral | Real):
        return _WHOLE if isinstance(value, Integral) or float(value).is_integer() else _NUMBER
    types = ((_TEXT, str), (_LIST, _LISTS), (_DICT, Mapping), (_SET, Set))
    return next((kind for kind, one in types if isinstance(value, one)), _OTHER)


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
    if answer is None or _holds(answer, lambda each: each is ...):
        return True
    items = list(_items(answer)) if _basic(answer) in (_LIST, _DICT) else []
    return bool(items) and all(each is None for each in items)


# --- seals ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _How:
    """Which exercise, and how far its numbers count.

    On the grid of the last digit three neighbours, of which the right one is the middle, are one cell. Where cells
    begin, modulo three, is told in the seal; so is the power of ten where significant digits are asked for.
    """

    exercise: str
    decimals: int | None = None
    digits: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.exercise, str) or not _NAME.fullmatch(self.exercise):
            raise ParameterError(f"exercise: notebook and number, such as '02-1', got {self.exercise!r}")
        if self.decimals is not None and self.digits is not None:
            raise ParameterError(f"exercise {self.exercise}: give decimals or digits, not both")
        if self.decimals is not None:
            check_count("decimals", self.decimals, at_least=0, at_most=15)
        if self.digits is not None:
            check_count("digits", self.digits, at_most=15)

    @property
    def rounds(self) -> bool:
        """Whether numbers are compared after rounding."""
        return self.decimals is not None or self.digits is not None

    @property
    def _salt(self) -> bytes:
        return f"genexpy_nb exercise {self.exercise} {self.decimals} {self.digits}".encode()

    def sealed(self, answer: Any, head: bytes | None = None) -> str:
        """Seal an answer, its numbers in cells of their own, or in those that the head of another seal tells."""
        told = iter(head[1:]) if head is not None else None
        noted: list[int] = []
        text = json.dumps(_plain(answer, lambda number: self._in_cell(number, told, noted)), separators=(",", ":"))
        start = bytes([_kind(answer, self.rounds), *noted]) if told is None or next(told, None) is None else b""
        hashed = hashlib.pbkdf2_hmac("sha256", text.encode(), self._salt, _ROUNDS, _HASH)
        return base64.b32encode(self._disguised(start) + hashed).decode().rstrip("=").lower()

    def head_of(self, sealed: str) -> bytes:
        """Return what a seal tells beside the hash: kind and remainders."""
        try:
            packed = base64.b32decode(sealed.upper() + "=" * (-len(sealed) % 8))
            head = self._disguised(packed[:-_HASH])
            if head[0] < 64 and max(head[1:], default=0) < 9:
                return head
        except (AttributeError, IndexError, binascii.Error, ValueError):
            pass
        raise ParameterError(
            f"exercise {self.exercise}: {sealed!r} is no seal of it; exercises.seal({self.exercise!r}, answer) returns "
            "one, with the same decimals or digits"
        )

    def _disguised(self, head: bytes) -> bytes:
        """What is no secret, but shall not be read in passing; twice is the same as not at all."""
        return bytes(a ^ b for a, b in zip(head, cycle(hashlib.sha256(self._salt).digest()), strict=False))

    def _in_cell(self, number: float, told: Iterable[int] | None, noted: list[int]) -> list[Any]:
        """Round to a cell: the one that the next remainder tells, or the one of which the number is the middle."""
        if not self.rounds or not math.isfinite(float(number)):
            return _exactly(number)
        value = float(number)
        power = -self.decimals if self.decimals is not None else _power(value, self.digits or 1)
        if told is None:
            remainder = (-power % 3) * 3 + (1 - round(value / 10.0**power)) % 3
        else:
            remainder = next(iter(told), -1)
            if self.digits is not None and remainder >= 0:
                # 9.96 and 10 differ by less than a unit: the power is the nearest with the right remainder
                power = next(near for near in (power, power + 1, power - 1) if -near % 3 == remainder // 3)
        noted.append(max(remainder, 0))
        return ["r", power, (round(value / 10.0**power) + remainder % 3) // 3]


def _power(value: float, digits: int) -> int:
    """The power of ten of the last of so many significant digits, of a rounded number."""
    return int(f"{value:.{digits - 1}e}".partition("e")[2]) - digits + 1


def _plain(value: Any, rounding: Callable[[float], list[Any]]) -> list[Any]:
    """One form for all ways to write the same answer."""
    kind = _basic(value)
    if kind == _BOOL:
        return ["b", int(value)]
    if kind in (_WHOLE, _NUMBER):
        return rounding(value)
    if kind == _TEXT:
        folded = unicodedata.normalize("NFKC", value).casefold()
        return ["t", re.sub(r"[\s\-\u2010-\u2015\u2212_]+", "", folded).strip(".,;:()[]'\"`‘’“”*")]
    if kind == _LIST:
        return ["l", [_plain(each, rounding) for each in value]]
    if kind == _SET:
        return ["s", [_plain(each, rounding) for each in sorted(value, key=_place)]]
    if kind == _DICT:
        items = sorted(value.items(), key=lambda item: _place(item[0]))
        return ["d", [[_plain(name, _exactly), _plain(each, rounding)] for name, each in items]]
    return ["o", str(type(value))]


def _place(value: Any) -> tuple[int, float, str]:
    """Where it stands among others in a set: numbers by their size, so that rounding changes no order."""
    if _basic(value) in (_WHOLE, _NUMBER):
        return 0, float(value), ""
    return 1, 0.0, json.dumps(_plain(value, _exactly), separators=(",", ":"))


def _exactly(number: float) -> list[Any]:
    return ["i", str(int(number))] if _basic(number) == _WHOLE else ["f", repr(float(number))]
