"""Sentences that are computed: numbers and verdict words that follow the data, shown as text on the page."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from fractions import Fraction

from genexpy_nb.common.checks import TOLERANCE, check_number
from genexpy_nb.common.errors import ParameterError

_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~$&!])")


class Prose(str):
    """Text that a notebook shows as Markdown, and that is an ordinary string everywhere else."""

    __slots__ = ()

    def _repr_markdown_(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return str(self)


def say(*paragraphs: str) -> Prose:
    """Put paragraphs together; the last line of a cell with this shows them as text, not as output of a program.

    Parameters
    ----------
    *paragraphs : str
        Markdown. Empty ones are left out, so that a sentence can be said on a condition. Formulas are not typeset,
        because computed text may hold values of anybody's table; pass those through `verbatim`.

    Returns
    -------
    Prose
        A string.

    Examples
    --------
    >>> share = 0.25
    >>> say(f"In {percent(share)} of the studies the winner is another one.", "" if share < 0.5 else "That is most.")
    In 25 % of the studies the winner is another one.
    """
    return Prose("\n\n".join(paragraph for paragraph in paragraphs if paragraph))


def verbatim(value: object) -> str:
    """Return a value from a table so that Markdown shows it as it is.

    Examples
    --------
    >>> print(verbatim("a_b*c"))
    a\\_b\\*c
    """
    return _MARKUP.sub(r"\\\1", re.sub(r"\s+", " ", str(value)))


def as_written(value: float) -> str:
    """Return a number as one would write it by hand: as a fraction where six digits would make it another number.

    A tolerance of 1/3 and one of 0.33 can be answered differently, so 1/3 must not read 0.33.

    Examples
    --------
    >>> as_written(0.05), as_written(1 / 3), as_written(0.1 + 0.2)
    ('0.05', '1/3', '0.3')
    """
    text, fraction = f"{value:g}", Fraction(value).limit_denominator(99)
    return str(fraction) if float(text) != value == float(fraction) else text


def percent(share: float, digits: int = 0) -> str:
    """Return a share in per cent; what rounding would turn into none or all is said as less than, or more than.

    Parameters
    ----------
    share : float
        Between 0 and 1; a sum of probabilities that rounding put just above 1 is 1.
    digits : int
        After the point.

    Raises
    ------
    ParameterError
        If `share` is no number in [0, 1].

    Examples
    --------
    >>> percent(0.907), percent(0.0568, 1), percent(0.001), percent(0.9999, 1), percent(0)
    ('91 %', '5.7 %', 'less than 1 %', 'more than 99.9 %', '0 %')
    """
    share = min(check_number("share", share, 0, 1 + TOLERANCE, ends="[]"), 1.0)
    shown, smallest = f"{100 * share:.{digits}f}", 10.0**-digits
    if share > 0 and float(shown) == 0:
        return f"less than {smallest:.{digits}f} %"
    if share < 1 and float(shown) == 100:
        return f"more than {100 - smallest:.{digits}f} %"
    return f"{shown} %"


def span(values: Iterable[float], form: str = "{:.2f}", unit: str = "") -> str:
    """Return the smallest and the largest of some numbers as "a to b", or as one number where both read alike.

    Parameters
    ----------
    values : iterable of float
        At least one; missing ones are ignored.
    form : str
        How a number is written, as for `str.format`.
    unit : str
        Stands once, after the numbers.

    Raises
    ------
    ParameterError
        If no number is left.

    Examples
    --------
    >>> span([0.31, 0.17, 0.2]), span([60.2, 73.4], "{:.0f}", " %"), span([1.0, 1.001])
    ('0.17 to 0.31', '60 to 73 %', '1.00')
    """
    known = [float(value) for value in values if not math.isnan(value)]
    if not known:
        raise ParameterError("values must hold at least one number that is not missing, got none")
    low, high = form.format(min(known)), form.format(max(known))
    return f"{low}{unit}" if low == high else f"{low} to {high}{unit}"


def compared(
    first: float, second: float, less: str = "less", same: str = "as much", more: str = "more", tolerance: float = 0.0
) -> str:
    """Choose the word for how the first number compares with the second.

    Parameters
    ----------
    first, second : float
        Finite numbers.
    less, same, more : str
        The words to choose from.
    tolerance : float
        Numbers that differ by at most this are called the same.

    Returns
    -------
    str

    Raises
    ------
    ParameterError
        If a number is missing or infinite: nothing true can be said then.

    Examples
    --------
    >>> n_winners, n_order = 32, 11
    >>> f"Winners take {compared(n_winners, n_order, 'fewer', 'as many', 'more')} datasets than the whole order."
    'Winners take more datasets than the whole order.'
    """
    for name, value in (("first", first), ("second", second)):
        if not math.isfinite(value):
            raise ParameterError(f"{name} must be a finite number, got {value!r}")
    if abs(first - second) <= tolerance:
        return same
    return more if first > second else less
