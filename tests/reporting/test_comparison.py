"""comparison: key numbers of all members of a grid."""

import csv
import io
import itertools
import math
from base64 import b64decode

from bs4 import BeautifulSoup

from genexpy_nb.common.page import KeyNumber
from genexpy_nb.reporting.overviews import Member, to_comparison
from genexpy_nb.reporting.spec import Grid
from genexpy_nb.reporting.state import Entry

NASTY = '<script>alert("a")</script> & $x$ {{ 7 * 7 }}'
GRID = Grid("sizes", "Sizes", "about", ("n",))


def member(n, *numbers, status="ok", problem="", name=None):
    name = name or f"sizes--n-{n}"
    entry = Entry(name, f"Sizes: n = {n}", "about", "01_a", status, problem=problem, page="0f" if numbers else "")
    return Member(entry, {"n": str(n)}, numbers)


def soup_of(members, grid=GRID):
    html = to_comparison(grid, members)
    assert html == to_comparison(grid, members)
    soup = BeautifulSoup(html, "html.parser")
    levels = [int(heading.name[1]) for heading in soup.select("h1, h2, h3, h4")]
    assert levels[0] == 1 and all(after <= before + 1 for before, after in itertools.pairwise(levels))
    assert not soup.find_all(["script", "link", "iframe", "img"]) and soup.select_one("main#content")
    assert all(head.get("scope") in ("row", "col") for head in soup.select("th"))
    return soup


def number(value, low=None, high=None, name="largest", **more):
    return KeyNumber(name, name.title(), value, low, high, **more)


def table_of(soup, which=0):
    table = soup.select(".wide-table")[which]
    return [[cell.get_text(" ", strip=True) for cell in row.select("th, td")] for row in table.select("tr")]


def test_members_are_rows_and_lead_to_their_reports():
    members = [
        member(5, number(12.34, 10, 20, unit="datasets"), number(0.5, name="share", decimals=2), number(7, name="all")),
        member(
            9, number(40, 30, math.inf, unit="datasets"), number(0.7, name="share", decimals=2), number(7, name="all")
        ),
        member(11, status="not rendered"),
    ]
    soup = soup_of(members)
    assert table_of(soup) == [
        ["member", "Largest", "Share"],
        ["n = 5", "12.3 datasets 10.0 to 20.0", "0.50"],
        ["n = 9", "40.0 datasets 30.0 to ∞", "0.70"],
        ["n = 11", "–", "–"],
    ]
    assert [link["href"] for link in soup.select(".wide-table th a")] == ["sizes--n-5.html", "sizes--n-9.html"]
    assert table_of(soup, 1) == [["key number", "value"], ["All", "7.0"]]
    assert (
        "3 reports of one notebook that differ in n; 2 of them are complete." in soup.select_one(".summary").get_text()
    )
    assert "n = 11 not rendered" in soup.select_one("#incomplete").parent.get_text(" ", strip=True)


def test_many_numbers_of_few_members_are_rows():
    names = [f"number-{i}" for i in range(7)]
    members = [member(n, *(number(n + i, name=name) for i, name in enumerate(names))) for n in (1, 2)]
    rows = table_of(soup_of(members))
    assert rows[0] == ["key number", "n = 1", "n = 2"] and len(rows) == 8 and rows[-1] == ["Number-6", "7.0", "8.0"]
    many = soup_of([*members, *(member(n, *members[0].numbers) for n in range(3, 7))])
    assert [len(table.select("thead th")) for table in many.select(".wide-table")] == [6, 3]


def test_the_csv_has_what_was_computed():
    members = [
        member(5, number(1 / 3, 0.1, math.inf), number(2.0, name="other")),
        member(9, number(0.5)),
        member(11, status="FAILED", problem="no\nway"),
    ]
    link = soup_of(members).select_one("a[download]")
    assert link["download"] == "sizes.csv"
    rows = list(csv.reader(io.StringIO(b64decode(link["href"].partition(",")[2]).decode())))
    assert rows == [
        ["report", "status", "n", "largest", "largest_low", "largest_high", "other", "other_low", "other_high"],
        ["sizes--n-5", "ok", "5", repr(1 / 3), "0.1", "inf", "2.0", "", ""],
        ["sizes--n-9", "ok", "9", "0.5", "", "", "", "", ""],
        ["sizes--n-11", "FAILED", "11", "", "", "", "", "", ""],
    ]


def test_members_without_differences_or_numbers_are_said():
    soup = soup_of([member(1, number(2.0)), member(2, status="FAILED", problem=NASTY)])
    assert len(table_of(soup)) == 3
    empty = soup_of([member(1, status="FAILED"), member(2, status="not rendered")])
    assert "No member has a key number yet." in empty.get_text() and not empty.select("table, a[download]")
    same = soup_of([member(1, number(2.0)), member(2, number(2.0))])
    assert "All complete members have the same key numbers." in same.get_text() and len(table_of(same)) == 2


def test_every_text_is_escaped():
    grid = Grid(NASTY, NASTY, NASTY, (NASTY,))
    labels = [KeyNumber("a", NASTY, value, 0, 2, NASTY, decimals=1) for value in (1.0, 2.0)]
    entries = [Entry(NASTY + str(i), NASTY, NASTY, NASTY, "ok", page="0f") for i in range(2)]
    members = [Member(entry, {NASTY: NASTY}, (label,)) for entry, label in zip(entries, labels, strict=True)]
    failed = Entry("b", NASTY, NASTY, NASTY, "FAILED", problem=NASTY, page="0f")
    soup = soup_of([*members, Member(failed, {NASTY: NASTY})], grid)
    assert soup.title.string == soup.h1.get_text() == NASTY and NASTY in soup.select_one(".wide-table").get_text()
    assert NASTY in soup.select_one("ul.notes").get_text()
    assert all("<" not in link["href"] for link in soup.select("a"))
