"""What notebooks say of themselves, read from made-up ones whose answers are known."""

import pytest

from genexpy_nb.reporting.references import opening

OPENING = """# A title with `code`

*Companion to* something.

**You will learn** one thing;
and another, see [notebook 02](02_b.ipynb#there).

**You need** n\\* and *kernels*,
from notebook 01.

**Time** 20 minutes to read, 45 with the exercises.
"""


def test_an_opening_is_read_as_plain_text():
    assert opening(OPENING) == {
        "title": "A title with code",
        "learn": "one thing; and another, see notebook 02.",
        "need": "n* and kernels, from notebook 01.",
        "reading": 20,
        "with_exercises": 45,
    }


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("**Time** 20 minutes to read.", (20, None)),
        ("**Time** an evening.", (None, None)),
        ("No time: 20 minutes to read", (None, None)),  # not in the part that speaks of it
        ("**You need** time.\n**Time** 7 minutes to read, 9 with the exercises.", (7, 9)),
    ],
)
def test_minutes_are_those_of_the_part_on_time(text, minutes):
    said = opening(text)
    assert (said["reading"], said["with_exercises"]) == minutes
