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
import tomllib
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Set, ValuesView
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import files
from itertools import cycle, permutations
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import check_count
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.hashing import slow_hash
from genexpy_nb.common.prose import Prose, say, verbatim

RIGHT = "✓ **Right.**"
UNANSWERED = "○ **Not answered yet.**"
SO_FAR = "◐ **Right so far.**"
WRONG = "✗ **Not right.**"
FOLDER = files("genexpy_nb") / "chapters" / "exercises"  # seals, hints and explanations, one file for each notebook

_ROUNDS = 10_000  # of the hash: some five milliseconds, for one answer as for each that somebody tries
_HASH = 8  # bytes of it that are kept
_KINDS = ("True or False", "a whole number", "a number", "a text", "a list", "a set", "a dictionary", "something else")
_MANY = ("True or False", "whole numbers", "numbers", "texts", "lists", "sets", "dictionaries", "several kinds")
_BOOL, _WHOLE, _NUMBER, _TEXT, _LIST, _SET, _DICT, _OTHER = range(8)
_NAME = re.compile(r"\d\d-[1-9]\d?")
_QUIZ = re.compile(r"(u\d\d)-([1-9])")
_TRIED: dict[str, list[str]] = {}  # wrong answers of this session, by exercise
_LISTS = (list, tuple, range, np.ndarray, pd.Series, pd.Index, ValuesView)


def seal(exercise: str, answer: Any, decimals: int | None = None) -> str:
    """Return the seal of an answer, for the notebook's file of exercises ("02-1": notebook and number).

    Numbers are compared after rounding to ``decimals`` after the point (-1: to tens); one unit of the last digit is
    overlooked. In texts case, blanks, hyphens and quotes do not matter. A function is called.

    >>> seal("02-1", 33.4, decimals=1) == seal("02-1", 33.41, decimals=1)
    True
    """
    how = _How(exercise, decimals)
    answer = _value(answer)
    if _holds(answer, _unknown) or (not how.rounds and _holds(answer, lambda each: _basic(each) == _NUMBER)):
        needed = "texts, truth values, numbers (with decimals=), and lists, sets and dictionaries of these"
        raise ParameterError(f"answer of {exercise}: can be {needed}; got {answer!r}")
    return how.sealed(answer)


def check(exercise: str, answer: Any, told: Mapping[str, Any] | None = None) -> Prose:
    """Say whether an answer is right; the last line of a cell with this shows it.

    Parameters
    ----------
    exercise
        Notebook and number, such as ``"02-1"``.
    answer
        ``...`` is no answer yet; a function without arguments is called.
    told
        ``seal``, ``decimals``, two ``hints``, seals of usual ``wrong`` answers -> why they are wrong. By default, what
        the package holds for this exercise.

    Returns
    -------
    Prose
        The verdict. What is not right raises `AssertionError` if nbgrader runs the cell.
    """
    if isinstance(exercise, str) and (quiz := _QUIZ.fullmatch(exercise)):
        return _graded(_said_of_option(answer, read_quiz(quiz[1]).get(quiz[2], {"options": ()})))
    _How(exercise)
    if told is None:
        notebook, _, number = exercise.partition("-")
        file = FOLDER / f"{notebook}.toml"
        told = tomllib.loads(file.read_text(encoding="utf-8")).get(number) if file.is_file() else None
        if told is None:
            raise ParameterError(f"exercise {exercise}: there is no table [{number}] in {file.name} of the package")
    if len(told.get("hints", ())) != 2:
        raise ParameterError(f"hints of {exercise}: two texts are needed, got {told.get('hints')!r}")
    return _graded(_said(_How(exercise, told.get("decimals")), answer, told))


def read_quiz(unit: str) -> dict[str, Any]:
    """Return the questions of a unit: what is asked, and options (letter, text, what is said to it), the right one."""
    known = tomllib.loads((FOLDER / "units.toml").read_text(encoding="utf-8"))
    if unit not in known:
        raise ParameterError(f"quiz of {unit}: there is no table [{unit}] in units.toml of the package")
    return known[unit]


def _said_of_option(answer: Any, asked: Mapping[str, Any]) -> Prose:
    """What the quiz says of a letter: each option has an answer of its own."""
    if answer is ...:
        return say(f"{UNANSWERED} Put a letter where the three dots are, and run this cell.")
    letter = _plain(str(answer), _exactly)[1]
    said = {option: text for option, _, text in asked["options"]}
    if letter not in said:
        return say(f"{WRONG} One of the letters {', '.join(said)} is wanted.")
    return say(f"{RIGHT if letter == asked['right'] else WRONG} {said[letter]}")


def _graded(said: Prose) -> Prose:
    if not said.startswith(RIGHT) and os.environ.get("NBGRADER_EXECUTION"):
        raise AssertionError(said)  # what this program for grading counts
    return said


def _said(how: _How, answer: Any, told: Mapping[str, Any]) -> Prose:
    sealed, wrong = told.get("seal", ""), told.get("wrong", {})
    heads = {each: how.head_of(each) for each in (sealed, *wrong)}
    wanted = heads[sealed][0]

    def is_(one: str, value: Any) -> bool:
        return heads[one][0] == _kind(value, how.rounds) and how.sealed(value, heads[one]) == one

    not_yet = say(f"{UNANSWERED} Put your answer where the three dots are, run that cell, then this one.")
    try:
        answer = _value(answer)
        items = list(_items(answer)) if _basic(answer) in (_LIST, _DICT) else [answer]
        nothing = bool(items) and all(each is None for each in items)  # what a function returns that holds three dots
        if nothing or _holds(answer, lambda each: each is ...):
            return not_yet
        answer = _as_wanted(answer, wanted, told.get("same", {}))
        kind, text = _kind(answer, how.rounds), json.dumps(_plain(answer, _exactly))
        literal = _How(how.exercise).sealed(answer) if {"fewer", "exactly"} & told.keys() else ""
        if literal in told.get("fewer", ()):
            return say(f"{SO_FAR} Give it to {how.decimals} decimals.")
        if is_(sealed, answer):
            return say(RIGHT)
        why = told.get("exactly", {}).get(literal) or next((wrong[each] for each in wrong if is_(each, answer)), "")
        beside = _beside(answer, how) if kind == wanted and not why else ()
        if found := next((verdict for each, verdict in beside if is_(sealed, each)), ""):
            return say(found)
    except Exception as problem:  # not only of what the answer does: some objects cannot even be looked at
        text = f"{type(problem).__name__}: {problem}".rstrip(": ")
        stopped = say(f"{WRONG} Your answer stopped with {verbatim(text[:300])}")
        return not_yet if "ellipsis" in str(problem) else stopped
    if kind != wanted and not why:
        given = f"of type {verbatim(type(answer).__name__)}" if kind % 8 == _OTHER else _in_words(kind)
        text = _in_words(wanted)
        return say(f"{WRONG} {text[0].upper()}{text[1:]} is wanted; this is {given}.")
    tries = _TRIED.setdefault(how.exercise, [])
    tries += [text] if text not in tries else []
    tried = tries.index(text)
    more = " If your copy has worked solutions, one is folded below this cell." if tried > 1 else ""
    return say(f"{WRONG} {why or '*Hint:* ' + told['hints'][min(tried, 1)]}{more}")


def _in_words(kind: int) -> str:
    one, many = kind % 8, kind // 8
    return _KINDS[one] + (f" of {_MANY[many]}" if one in (_LIST, _SET, _DICT) and many != _OTHER else "")


# --- what an answer is ------------------------------------------------------------------------------------------------


def _value(answer: Any) -> Any:
    answer = answer() if callable(answer) and not isinstance(answer, type) else answer
    return answer.item() if isinstance(answer, np.ndarray) and answer.ndim == 0 else answer


def _basic(value: Any) -> int:
    """Kind of a value; numbers with a fraction and those without are told apart."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, bool):
        return _BOOL
    if isinstance(value, Integral | Real):
        return _WHOLE if isinstance(value, Integral) or float(value).is_integer() else _NUMBER
    types = ((_TEXT, str), (_LIST, _LISTS), (_DICT, Mapping), (_SET, Set))
    return next((kind for kind, one in types if isinstance(value, one)), _OTHER)


def _kind(value: Any, rounds: bool) -> int:
    """Kind of a value, and eight times that of what it holds; whole numbers are numbers where these are rounded."""
    one = _basic(value)
    if one not in (_LIST, _SET, _DICT):
        return _NUMBER if rounds and one == _WHOLE else one
    inner = {_basic(each) for each in _items(value)}
    if inner == {_WHOLE, _NUMBER} or (rounds and inner == {_WHOLE}):
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


def _each(value: Any, change: Callable[[Any], Any]) -> Any:
    """The same answer with each value in it changed."""
    if isinstance(value, Mapping):
        return {name: _each(each, change) for name, each in value.items()}
    if _basic(value) not in (_LIST, _SET):
        return change(value)
    changed = [_each(each, change) for each in value]
    return set(changed) if _basic(value) == _SET else changed


def _as_wanted(answer: Any, wanted: int, same: Mapping[str, str]) -> Any:
    """An answer of the kind that is wanted, where it says the same: 1 for True, "6" for 6, a list for a set."""
    inner = wanted // 8 if wanted % 8 in (_LIST, _SET, _DICT) else wanted

    def change(value: Any) -> Any:
        kind = _basic(value)
        if inner == _BOOL and kind == _WHOLE and value in (0, 1):
            return bool(value)
        if inner == _TEXT and (kind == _WHOLE or (kind == _TEXT and value.strip().isdecimal())):
            return f"{int(value):02d}"  # the number of a notebook
        if kind == _TEXT and inner in (_WHOLE, _NUMBER, _OTHER):
            with suppress(ValueError):
                return float(value)
        return same.get(value.strip().casefold(), value) if kind == _TEXT else value

    changed = _each(answer, change)
    return set(changed) if wanted % 8 == _SET and isinstance(changed, list) and changed else changed


def _beside(answer: Any, how: _How) -> Iterator[tuple[Any, str]]:
    """Answers that are nearly this one, and what is said if one of them is right."""
    is_list, inner = _basic(answer) == _LIST, _kind(answer, True)
    values = [*answer] if is_list else [answer]
    if inner in (_NUMBER, _LIST + 8 * _NUMBER):
        if how.rounds and min(values) >= 0 and 1 < max(values) <= 100:
            written = ", ".join(f"{each / 100:.{how.decimals}f}" for each in values)
            yield _each(answer, lambda each: each / 100), f"{RIGHT} We write shares: {written}."
        yield _each(answer, lambda each: -each), f"{WRONG} The size is right, the sign is not."
    if is_list and len(values) <= 3 and inner // 8 not in (_BOOL, _TEXT):  # of these it would be half of the answer
        yield from ((list(each), f"{WRONG} The values are right, their order is not.") for each in permutations(values))


# --- seals ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _How:
    """Which exercise, and how far its numbers count: three neighbours on their grid are one cell."""

    exercise: str
    decimals: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.exercise, str) or not _NAME.fullmatch(self.exercise):
            raise ParameterError(f"exercise: notebook and number, such as '02-1', got {self.exercise!r}")
        if self.decimals is not None:
            check_count("decimals", self.decimals, at_least=-15, at_most=15)

    @property
    def rounds(self) -> bool:
        """Whether numbers are compared after rounding."""
        return self.decimals is not None

    @property
    def _salt(self) -> bytes:
        return f"genexpy_nb exercise {self.exercise} {self.decimals} None".encode()

    def sealed(self, answer: Any, head: bytes | None = None) -> str:
        """Seal an answer, its numbers in cells of their own, or in those that the head of another seal tells."""
        told = iter(head[1:]) if head is not None else None
        noted: list[int] = []
        text = json.dumps(_plain(answer, lambda number: self._in_cell(number, told, noted)), separators=(",", ":"))
        start = bytes([_kind(answer, self.rounds), *noted]) if told is None or next(told, None) is None else b""
        hashed = slow_hash(text.encode(), self._salt, _ROUNDS)[:_HASH]
        return base64.b32encode(self._disguised(start) + hashed).decode().rstrip("=").lower()

    def head_of(self, sealed: str) -> bytes:
        """Return what a seal tells beside the hash: kind and remainders."""
        try:
            head = self._disguised(base64.b32decode(sealed.upper() + "=" * (-len(sealed) % 8))[:-_HASH])
            if head[0] < 64 and max(head[1:], default=0) < 9:
                return head
        except (AttributeError, IndexError, binascii.Error, ValueError):
            pass
        raise ParameterError(
            f"exercise {self.exercise}: {sealed!r} is no seal of it; seal({self.exercise!r}, answer) returns one, with "
            "the same decimals"
        )

    def _disguised(self, head: bytes) -> bytes:
        """What is no secret, but shall not be read in passing; twice is the same as not at all."""
        return bytes(a ^ b for a, b in zip(head, cycle(hashlib.sha256(self._salt).digest()), strict=False))

    def _in_cell(self, number: float, told: Iterable[int] | None, noted: list[int]) -> list[Any]:
        """Round to a cell: the one that the next remainder tells, or the one of which the number is the middle."""
        if self.decimals is None or not math.isfinite(float(number)):
            return _exactly(number)
        power = -self.decimals
        unit = round(float(number) / 10.0**power)
        remainder = (-power % 3) * 3 + (1 - unit) % 3 if told is None else next(iter(told), 0)
        noted.append(remainder)
        return ["r", power, (unit + remainder % 3) // 3]


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
