"""What notebooks say of themselves, read from made-up ones whose answers are known."""

import nbformat
import pytest

from genexpy_nb.common.page import NAMESPACE
from genexpy_nb.reporting.references import chapter_map, opening, read_chapters

OPENING = """# A title with `code`

*Companion to* something.

**You will learn** one thing;
and another, see [notebook 02](02_b.ipynb#there).

**You need** n\\* and *kernels*,
from notebook 01.

**Time** 20 minutes to read, 45 with the exercises.
"""


def executed(folder, name, *sources, numbers=()):
    items = [{"name": key, "label": key, "value": value} for key, value in numbers]
    said = {NAMESPACE: {"kind": "table", "name": "key-numbers", "caption": "c", "csv": "", "numbers": items}}
    output = nbformat.v4.new_output("display_data", {"text/plain": "t"}, metadata=said)
    cells = [nbformat.v4.new_markdown_cell(source) for source in sources]
    cells.append(nbformat.v4.new_code_cell("1", outputs=[output] if items else []))
    nbformat.write(nbformat.v4.new_notebook(cells=cells), folder / name)


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


def test_a_chapter_has_its_opening_and_its_numbers(tmp_path):
    executed(tmp_path, "01_a.ipynb", OPENING, numbers=[("n", 3), ("share", 0.5), ("endless", "inf")])
    executed(tmp_path, "02_b.ipynb", "# B", "**Time** 5 minutes to read.")
    first, second = read_chapters(tmp_path, ["01_a.ipynb", "02_b.ipynb"])
    assert {name: number.value for name, number in first.numbers.items()} == {
        "n": 3,
        "share": 0.5,
        "endless": float("inf"),
    }
    assert (first.number, first.title, second.title, second.reading) == ("01", "A title with code", "B", 5)
    assert second.numbers == {} and second.need == ""
    rows = chapter_map([first, second])
    assert rows["reading"].tolist() == [20, 5] and rows["with_exercises"].isna().tolist() == [False, True]
