"""How numbers, lists of names and text of a user's table are written: in sentences, tables, terminals and LaTeX."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from genexpy_nb.common.checks import TOLERANCE, check_number
from genexpy_nb.common.errors import ParameterError

#: Stands where there is no value.
MISSING = "–"

_HUGE = 1e15  # a number from there on is written with a power of ten
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|.)", re.DOTALL)
_UNSEEN = re.compile(  # turns of direction, and what has no width
    "[\xad\u034f\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "α": r"$\alpha$",
    "δ": r"$\delta$",
    **{character: "\\" + character for character in "{}$&#%_"},
}
_CALLED = re.compile(r"genexpy\\_nb(?:\.(?:[a-z]|\\_)+)+")
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~$&!]|:(?=//)|(?<=www)\.|(?<=\S)@)")  # of addresses, what makes them links


class Prose(str):
    """Text that a notebook shows as Markdown, and that is an ordinary string everywhere else."""

    __slots__ = ()

    def _repr_markdown_(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return str(self)


def say(*paragraphs: str) -> Prose:
    """Put paragraphs of Markdown together, empty ones left out; names of a user's table go through `verbatim`."""
    return Prose("\n\n".join(paragraph for paragraph in paragraphs if paragraph))


def visible(text: str) -> str:
    """Return text whose turns of direction and characters without width are written as their numbers."""
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def verbatim(value: object) -> str:
    """Return a value from a table so that Markdown shows it as it is."""
    return _MARKUP.sub(r"\\\1", re.sub(r"\s+", " ", visible(str(value))))


def in_markdown(text: object) -> str:
    """Return a sentence so that Markdown shows it as it is, with what is to be called as code."""
    return _CALLED.sub(lambda found: f"`{found[0].replace(chr(92), '')}`", verbatim(text))


class Said:
    """Answers whose ``sentences`` are shown when they are printed, or end a cell."""

    sentences: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    def _repr_markdown_(self) -> str:
        return "\n\n".join(map(in_markdown, self.sentences))


def plain_line(text: object) -> str:
    """Return text in one line as any terminal shows it: no escape sequences, controls or turns of direction."""
    plain = visible(" ".join(_ESCAPES.sub("", str(text)).split()))
    return "".join("\ufffd" if unicodedata.category(c) in ("Cc", "Cs") else c for c in plain)


def as_latex(text: object) -> str:
    """Return text in one line such that LaTeX prints it as it is."""
    return "".join(_LATEX.get(character, character) for character in plain_line(text))


def as_sentence(text: object) -> str:
    """Return text in one line, with a full stop."""
    plain = plain_line(text)
    return plain if plain.endswith((".", "!", "?")) else plain + "."


def together(names: Iterable[Any], most: int = 5) -> str:
    """Return names as "a, b and c", or the first ones and how many others there are."""
    names = [str(name) for name in names]
    if len(names) > most + 1:
        names = [*names[:most], f"{len(names) - most} others"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def how_many(n: int, one: str) -> str:
    """Return a number and what is counted: "1 experiment", "2 experiments"."""
    return f"{n:,} {one if n == 1 else one + 's'}"


def plural(name: object, otherwise: str) -> str:
    """Return the plural of what a column is called, where it is one plain English word; else another one."""
    word = str(name)
    plain = word.isascii() and word.isalpha() and word.islower() and len(word) > 2
    return f"{word}s" if plain and word[-1] not in "shxyz" else otherwise


def levels_in_words(configuration: Mapping[Any, Any]) -> str:
    """Return the levels of a configuration as text."""
    return ", ".join(f"{name}={level}" for name, level in configuration.items())


# --- numbers ----------------------------------------------------------------------------------------------------------


def written_number(value: float | None, decimals: int = 2, digits: int = 0) -> str:
    """Return a number with ``decimals`` after the point, or ``digits`` that count; thousands apart, a true minus."""
    if value is None or math.isnan(value):
        return MISSING
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if digits:
        text = f"{value:.{digits}g}"
        if not float(value).is_integer() and abs(value) < 1000 and "e" not in text:
            return text.replace("-", "−")
        decimals = 0
    if abs(value) >= _HUGE:
        return _with_power(value)
    text = f"{value:,.{decimals}f}"
    if not text.strip("-0.,"):  # it reads as nothing
        text = text.lstrip("-")
        if value:
            exponent = int(f"{value:.1e}".partition("e")[2])
            text = f"{value:.{1 - exponent}f}" if exponent >= -5 else _with_power(value)
    return text.replace("-", "−")


def _with_power(value: float) -> str:
    mantissa, _, exponent = f"{value:.1e}".partition("e")
    return f"{mantissa} × 10{str(int(exponent)).translate(_SUPERSCRIPTS)}".replace("-", "−")


def digits_after_point(*values: float, at_least: int = 4) -> int:
    """Return how many digits after the point show two significant ones of the largest value."""
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    return at_least if largest == 0 else max(at_least, 1 - math.floor(math.log10(largest)))


def whole(value: float) -> str:
    """Return a number of experiments, rounded up."""
    return "infinity" if math.isinf(value) else f"{math.ceil(round(value, 9)):,}"


def two_digits(value: float) -> str:
    """Return a probability or correlation with two digits after the point; a rounded -0.001 is no -0.00."""
    return MISSING if math.isnan(value) else f"{round(float(value), 2) + 0.0:.2f}"


def interval_in_words(low: float, high: float, form: Callable[[float], str] = whole) -> str:
    """Return between which numbers of experiments something lies."""
    return "unknown" if math.isnan(low) or math.isnan(high) else f"{form(low)} to {form(high)}"


def as_written(value: float) -> str:
    """Return a number as one would write it by hand: 1/3 as a fraction, because 0.33 is another number."""
    text, fraction = f"{value:g}", Fraction(value).limit_denominator(99)
    return str(fraction) if float(text) != value == float(fraction) else text


def percent(share: float, digits: int = 0) -> str:
    """Return a share in per cent; what rounding would turn into none or all is said as less than, or more than."""
    share = min(check_number("share", share, 0, 1 + TOLERANCE, ends="[]"), 1.0)
    shown, smallest = f"{100 * share:.{digits}f}", 10.0**-digits
    if share > 0 and float(shown) == 0:
        return f"less than {smallest:.{digits}f} %"
    if share < 1 and float(shown) == 100:
        return f"more than {100 - smallest:.{digits}f} %"
    return f"{shown} %"


def span(values: Iterable[float], form: str = "{:.2f}", unit: str = "") -> str:
    """Return the smallest and the largest of some numbers as "a to b", or as one number where both read alike."""
    known = [float(value) for value in values if not math.isnan(value)]
    if not known:
        raise ParameterError("values must hold at least one number that is not missing, got none")
    low, high = form.format(min(known)), form.format(max(known))
    return f"{low}{unit}" if low == high else f"{low} to {high}{unit}"
