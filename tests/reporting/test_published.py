"""published: every number that a paper prints beside the one that was computed."""

import csv
import io
from base64 import b64decode

import pytest
from bs4 import BeautifulSoup

from genexpy_nb.common.page import KeyNumber
from genexpy_nb.reporting.overviews import Printed, paper_and_place, to_published
from genexpy_nb.reporting.references import Reference
from genexpy_nb.reporting.state import Entry

NASTY = '<script>alert("a")</script> & $x$ {{ 7 * 7 }}'


def printed(report, value, published, source, **more):
    entry = Entry(report, report.upper(), "", f"01_{report}", "ok", page="0f")
    number = KeyNumber(f"{report}-number", f"of {report}", value, published=published, source=source, **more)
    return Printed(entry, number)


def rows_of(section):
    return [[cell.get_text(" ", strip=True) for cell in row.select("th, td")] for row in section.select("tbody tr")]


REFERENCES = {
    key: Reference(key, "", year, title, "V", f"https://doi.org/{key}", f"{who} ({year})")
    for key, who, year, title in [
        ("p24", "P et al.", "2024", "On p"),
        ("p25", "P et al.", "2025", "On P"),
        ("q", "Q", "2020", "On Q"),
        ("anonymous", "Anonymous", "undated", "On A"),
    ]
}


@pytest.mark.parametrize(
    ("source", "own", "key", "place"),
    [
        ("P et al. (2024), Figure 2", "p25", "p24", "(2024), Figure 2"),
        ("P et al. (2024) Table 1", "", "p24", "(2024) Table 1"),
        ("P et al., second version, Section 5", "p25", "p25", "second version, Section 5"),
        ("P et al., Section 5", "", "p24", "Section 5"),
        ("Q (2020)", "p24", "q", "(2020)"),
        ("Anonymous (undated), Table 1", "", "anonymous", "(undated), Table 1"),
        ("P and Q, Section 5", "q", "P and Q", "Section 5"),
        ("Somewhere", "q", "Somewhere", ""),
        (" , x", "", "", "x"),
        ("A\nB (2025),\nC", "", "A\nB", "(2025),\nC"),
    ],
)
def test_a_source_is_a_paper_and_a_place(source, own, key, place):
    assert paper_and_place(source, REFERENCES, own) == (REFERENCES.get(key, key), place)


def test_numbers_are_grouped_by_paper_and_lead_to_their_reports():
    numbers = [
        printed("a", 32.44, 47, "P et al. (2025), Figure 2", low=31, high=35, unit="datasets", reason="one draw"),
        printed("b", 0.25, 0.3, "R (2024), Table 1", decimals=2),
        printed("c", 7, 7.0, "P et al. (2024)", decimals=0),
    ]
    page = to_published(numbers, [Entry("d", "D", "", "02_d")], REFERENCES)
    assert page == to_published(numbers, [Entry("d", "D", "", "02_d")], REFERENCES)
    soup = BeautifulSoup(page, "html.parser")
    missing, first, second = soup.select("main > section")
    assert "D (not rendered)" in missing.get_text() and missing.a is None
    assert first.h2.get_text() == "On P" and second.h2.get_text() == "R" and second.a["href"] == "b.html"
    links = {link.get_text(): link["href"] for link in first.select(".group-facts a")}
    assert links == {"P et al. (2025)": "https://doi.org/p25", "P et al. (2024)": "https://doi.org/p24"}
    assert rows_of(first) == [
        ["of a (datasets)", "(2025), Figure 2", "47", "32.4 31.0 to 35.0", "one draw", "a"],
        ["of c", "(2024)", "7", "7", "–", "c"],
    ]
    assert rows_of(second) == [["of b", "(2024), Table 1", "0.3", "0.25", "–", "b"]]
    assert [link["href"] for link in soup.select("tbody a")] == ["a.html", "c.html", "b.html"]
    assert "3 numbers" in soup.select_one(".summary").get_text() and not soup.find_all(["script", "link"])


def test_what_a_misprint_gives_is_not_called_printed():
    numbers = [
        printed("a", 7.96, None, "P et al. (2025), Eq. 52", evaluated=80.4, reason="cubed twice", code="right"),
        printed("b", 0.25, 0.3, "R (2024), Table 1", decimals=2),
    ]
    soup = BeautifulSoup(to_published(numbers, [], REFERENCES), "html.parser")
    paper, misprints = soup.select("main > section")
    assert paper.h2.get_text() == "R" and misprints.h2.get_text() == "Misprints, evaluated"
    assert rows_of(misprints) == [["of a", "P et al. (2025), Eq. 52", "80.4", "8.0", "cubed twice", "right", "a"]]
    assert "1 number " in soup.select_one(".summary").get_text()  # that a paper prints
    assert "80.4" not in paper.get_text()


def test_the_csv_has_them_all():
    numbers = [printed("a", 1 / 3, 47, "P (2025), Figure 2", low=0.1), printed("b", 2.0, 3, "Q (2024)", reason="=1+1")]
    numbers.append(printed("c", 8.0, None, "P (2025), Eq. 1", evaluated=80.5, code="right"))
    link = BeautifulSoup(to_published(numbers), "html.parser").select_one("a[download]")
    rows = list(csv.reader(io.StringIO(b64decode(link["href"].partition(",")[2]).decode())))
    of_number = ["printed", "evaluated as printed", "computed", "low", "high", "note", "the authors' code"]
    assert rows == [
        ["paper", "place", "what", "unit", *of_number, "report", "name"],
        ["P", "(2025), Figure 2", "of a", "", "47", "", repr(1 / 3), "0.1", "", "", "", "a", "a-number"],
        ["Q", "(2024)", "of b", "", "3", "", "2.0", "", "", "'=1+1", "", "b", "b-number"],
        ["P", "(2025), Eq. 1", "of c", "", "", "80.5", "8.0", "", "", "", "right", "c", "c-number"],
    ]


def test_every_text_is_escaped():
    entry = Entry(NASTY, NASTY, NASTY, NASTY, "ok", {NASTY: NASTY}, page="0f")
    number = KeyNumber(NASTY, NASTY, 1.0, 0.0, 2.0, NASTY, 3.0, f"X {NASTY}, {NASTY}", NASTY)
    soup = BeautifulSoup(to_published([Printed(entry, number)], [entry]), "html.parser")
    assert not soup.find_all("script") and soup.select_one("tbody th").get_text() == f"{NASTY} ({NASTY})"
    assert soup.select("h2")[1].get_text() == "X <script>alert"
    assert soup.select_one("tbody td").get_text() == f'("a")</script> & $x$ {{{{ 7 * 7 }}}}, {NASTY}'
    assert all("<" not in link["href"] for link in soup.select("a"))
