"""The lesson plan: what it names is there, its minutes add up, and nothing comes before what it builds on."""

import re
from functools import cache

from project_prose import NOTEBOOKS, ROOT

from genexpy_nb.cli import main
from genexpy_nb.reporting.lessons import read_lesson
from genexpy_nb.reporting.pairing import find_notebook, read_units
from genexpy_nb.reporting.references import opening

PLAN = (ROOT / "notebooks" / "README.md").read_text(encoding="utf-8")
NAMES = {file.stem[:2]: file.stem for file in NOTEBOOKS}
UNITS = read_units(ROOT / "notebooks")
OPTIONAL = {"03", "07", "13", "14", "15"}  # of the notebooks, in a term
read = cache(lambda name: read_lesson(find_notebook(ROOT, name)))


@cache
def said(number):
    """What a notebook says of itself."""
    cells = read(NAMES[number])[0].cells[:3]
    return opening("\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown"))


def minutes_of(exercises):
    """Of some exercises, by their names."""
    known = {f"{number}-{each.number}": each.minutes for number, name in NAMES.items() for each in read(name)[1]}
    return [known[exercise] for exercise in re.findall(r"\b\d\d-\d\b", exercises)]


def tables(part):
    """Tables below a heading, as lists of rows of texts."""
    text = PLAN.split(f"\n## {part}\n")[1].split("\n## ")[0]
    found = re.findall(r"(?:^\|.*\|\n)+", text, flags=re.MULTILINE)
    rows = [[[cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines()] for table in found]
    return [table[2:] for table in rows]


def test_every_exercise_and_notebook_that_is_named_is_there():
    named = re.findall(r"\b(\d\d)-(\d)\b", PLAN)
    assert len(set(named)) > 40
    assert len(minutes_of(PLAN)) == len(named)
    assert set(re.findall(r"\b(\d\d)_\w+", PLAN)) == set(NAMES)


def test_commands_that_are_named_are_there():
    commands = re.findall(r"genexpy-nb (\w+)(?: (sync|check|fetch|status)\b)?", PLAN)
    assert len(commands) > 4
    for command, sub in commands:
        assert command in main.commands, command
        assert not sub or sub in main.commands[command].commands
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in re.findall(r"`make (\w+)", PLAN))


def test_the_minutes_of_a_session_add_up():
    for part, whole in (("A session of 90 minutes", 90), ("A workshop of half a day", 240)):
        (rows,) = tables(part)
        *blocks, (total, *_) = rows
        assert total == f"**{whole}**" and sum(int(minutes) for minutes, *_ in blocks) == whole, part
        for minutes, what, units, exercises in blocks:
            assert sum(minutes_of(exercises)) <= int(minutes), what
            assert set(re.findall(r"\w+", units)) <= set(UNITS)
    week, _ = tables("A seminar over a term")
    assert sum(int(minutes) for minutes, _ in week[:-1]) == 90 and week[-1][0] == "**90**"


def test_the_map_says_what_the_notebooks_say():
    (rows,) = tables("Which notebook needs which")
    assert len(rows) == len(NAMES)
    for link, reading, whole, needs in rows:
        number, target = re.match(r"\[(\d\d) [^]]+\]\((\w+)\.ipynb\)", link).groups()
        assert target == NAMES[number]
        assert (int(reading), int(whole)) == (said(number)["reading"], said(number)["with_exercises"]), number
        assert set(re.findall(r"\d\d", needs)) <= set(re.findall(r"\b\d\d\b", said(number)["need"])), number


def test_the_seminar_reads_every_notebook_in_an_order_that_works():
    _, weeks = tables("A seminar over a term")
    assert [int(week) for week, *_ in weeks] == list(range(1, 14))
    (map_of,) = tables("Which notebook needs which")
    needs = {link[1:3]: set(re.findall(r"\d\d", needed)) for link, _, _, needed in map_of}
    order = [notebook for _, notebook, *_ in weeks if notebook]
    assert set(order) == set(NAMES) - OPTIONAL and order.count("11") == 2 and len(order) == 12
    assert order[0] == "12" and order.index("06") < order.index("05")
    assert all(needs[number] - OPTIONAL <= set(order[:place]) for place, number in enumerate(order))
    for number in set(order):
        assert sum(int(week[3]) for week in weeks if week[1] == number) == said(number)["reading"]
    met = [unit for week in weeks for unit in re.findall(r"\w+", week[2])]
    assert sorted(met) == sorted(UNITS)
    for _, number, units, _, in_class, homework, minutes in weeks:
        assert all(UNITS[unit].notebook == NAMES[number] for unit in re.findall(r"\w+", units))
        assert sum(minutes_of(homework)) == int(minutes), number
        assert sum(minutes_of(in_class)) <= 25, number  # of the block for exercises in class
        assert all(exercise[:2] == number for exercise in re.findall(r"\d\d-\d", in_class + homework))
        assert not set(re.findall(r"\d\d-\d", in_class)) & set(re.findall(r"\d\d-\d", homework))


def test_the_table_of_units_says_what_they_are():
    (rows,) = tables("Units")
    found = [[unit.name, unit.title, unit.notebook[:2], str(unit.minutes)] for unit in UNITS.values()]
    assert rows == found and 12 <= len(found) <= 18


def test_exercises_take_what_the_openings_say():
    for number, name in NAMES.items():
        told = said(number)
        assert told["with_exercises"] - told["reading"] == sum(each.minutes for each in read(name)[1]), name
