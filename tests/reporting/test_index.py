"""index: what the page that lists all reports shows of each, and where."""

import itertools
from base64 import b64decode, b64encode
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from genexpy_nb.reporting import overviews
from genexpy_nb.reporting.overviews import Beside, csv_address, inline, to_index
from genexpy_nb.reporting.pairing import NotebookFile
from genexpy_nb.reporting.references import Reference
from genexpy_nb.reporting.spec import Report
from genexpy_nb.reporting.state import Entry

NASTY = '<script>alert("a")</script> & $x$ {{ 7 * 7 }}'


def soup_of(*arguments, **options):
    html = to_index(*arguments, **options)
    soup = BeautifulSoup(html, "html.parser")
    levels = [int(heading.name[1]) for heading in soup.select("h1, h2, h3, h4")]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    assert soup.select_one("a.skip")["href"] == "#content" and soup.select_one("main#content")
    assert soup.html["lang"] == "en" and not soup.find_all(["script", "link", "iframe"])
    addresses = [each[name] for name in ("src", "srcset", "poster") for each in soup.select(f"[{name}]")]
    assert addresses == []
    ids = [each["id"] for each in soup.select("[id]")]
    assert len(ids) == len(set(ids))
    return soup


def report(name, notebook, **more):
    pair = NotebookFile(notebook, Path(f"{notebook}.py"), Path(f"{notebook}.ipynb"))
    return Report(name, name.upper(), "", pair, (), {}, **more)


def svg(inside=""):
    text = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 180 90"><path id="a" d="M 0 0 L 9 9"/>{inside}</svg>'
    return f"data:image/svg+xml;base64,{b64encode(text.encode()).decode()}"


def test_index_shows_status_parameters_and_source():
    entries = [
        Entry("a", "A", "about a", "01_a", "ok", {"alpha": "0.9"}, {"encoders": "bundled"}, 1.25, page="0f"),
        Entry("b", "B", "", "02_b", "FAILED", {}, {}, 2.0, "notebooks/02_b.py:3: no"),
        Entry("c", "C", "", "03_c"),
    ]
    soup = soup_of(entries)
    cards = soup.select(".card")
    assert [card.select_one(".status").get_text() for card in cards] == ["FAILED", "ok", "not rendered"]
    assert cards[1].a["href"] == "a.html" and cards[0].a is None and cards[2].a is None
    assert "alpha = 0.9" in cards[1].get_text() and "bundled" in cards[1].get_text() and "1.2 s" in cards[1].get_text()
    assert "notebooks/02_b.py:3" in cards[0].get_text()
    assert "3 reports, 1 failed, 1 not rendered yet" in soup.select_one(".summary").get_text()
    assert [heading.get_text() for heading in soup.select("h2")] == ["Failed", "All reports"]


def test_reports_are_grouped_by_paper():
    references = {
        key: Reference(key, "A", year, title, f"venue {year}", f"https://doi.org/{year}", f"A ({year})")
        for key, year, title in [("a24", "2024", "A title"), ("a25", "2025", "A Title"), ("b", "2023", "B")]
    }
    papers = {"one": "a25", "two": "", "three": "b", "four": "a24", "five": "In no list"}
    reports = {name: report(name, f"0{i}_{name}", paper=paper) for i, (name, paper) in enumerate(papers.items())}
    entries = [Entry(name, name.upper(), "", each.notebook.name) for name, each in reports.items()]
    soup = soup_of(entries, beside=Beside(reports=reports, references=references))
    groups = [
        (section.h2.get_text(), [card["id"] for card in section.select(".card")])
        for section in soup.select("main > section")
    ]
    assert groups == [
        ("A Title", ["one", "four"]),
        ("B", ["three"]),
        ("In no list", ["five"]),
        ("Beyond the papers", ["two"]),
    ]
    facts = soup.select_one(".group-facts")
    assert facts.get_text() == "A (2025), venue 2025; A (2024), venue 2024"
    assert [link["href"] for link in facts.select("a")] == ["https://doi.org/2025", "https://doi.org/2024"]


def test_variants_are_folded_away_below_the_plain_report():
    notebooks = {"large": "01_a", "waiting": "01_a", "plain": "01_a", "other": "02_b"}
    reports = {name: report(name, notebook) for name, notebook in notebooks.items()}
    entries = [
        Entry("large", "Large", "", "01_a", "ok", {"n": "9"}, page="0f", seconds=7.0),
        Entry("plain", "Plain", "", "01_a", "unchanged", page="0f"),
        Entry("waiting", "Waiting", "", "01_a", "not rendered", {"n": "2"}),
        Entry("other", "Other", "", "02_b"),
    ]
    soup = soup_of(entries, beside=Beside(reports=reports))
    cards = soup.select(".card")
    assert [card["id"] for card in cards] == ["plain", "other"]
    variants, facts = cards[0].select("details")
    assert facts.summary.get_text() == "Parameters, data, time"
    assert variants.summary.get_text() == "The same with other parameters: 2"
    assert variants.li.a["href"] == "large.html" and "n = 9" in variants.get_text() and "7.0 s" in variants.get_text()
    assert [(each["id"], each.a is not None) for each in variants.select("li")] == [("large", True), ("waiting", False)]
    assert len(cards[1].select("details")) == 1 and not any(each.has_attr("open") for each in soup.select("details"))
    # a variant whose plain report has failed is not hidden
    failed = [entries[0], Entry("plain", "Plain", "", "01_a", "FAILED", problem="no")]
    soup = soup_of(failed, beside=Beside(reports=reports))
    assert [card["id"] for card in soup.select(".card")] == ["plain", "large"]


def test_findings_and_figure_come_from_the_file_beside_the_page():
    findings = [
        {"asked": "33?", "sure": "32 to 35", "found": "of *them* <b>"},
        {"asked": "1", "sure": "", "found": "x"},
    ]
    hero = {"image": svg(), "alt": 'Most need "fewer"', "caption": "**It *falls*.** The marks. The source."}
    data = {"a": {"findings": findings, "hero": hero}}
    entries = [Entry("a", "A", "", "01_a", "ok", page="0f"), Entry("b", "B", "", "02_b", "ok", page="0f")]
    card, other = soup_of(entries, beside=Beside(data=data)).select(".card")
    assert card.select_one(".finding").get_text() == "33? of them <b>"
    assert card.select_one(".finding em").get_text() == "them" and card.svg["aria-label"] == 'Most need "fewer"'
    assert card.figcaption.get_text() == "It falls."
    assert not other.select("svg, .finding")
    entries[0] = Entry("a", "33?", "", "01_a", "ok", page="0f")  # a title that asks already
    assert soup_of(entries, beside=Beside(data=data)).select_one(".finding").get_text() == "of them <b>"


def test_what_is_no_drawing_or_too_large_is_left_out(monkeypatch):
    entries = [Entry(name, name, "", f"0{i}", "ok", page="0f") for i, name in enumerate("ab")]

    def drawings(image):
        data = {name: {"findings": [], "hero": {"image": image, "alt": "A", "caption": "C."}} for name in "ab"}
        return soup_of(entries, beside=Beside(data=data)).select("svg")

    ids = [each.path["id"] for each in drawings(svg())]
    assert len(ids) == len(set(ids)) == 2
    for bad in ("", "https://a.org/a.svg", "data:image/svg+xml;base64,AAAA", "data:image/svg+xml;base64,!", svg("<")):
        assert drawings(bad) == []
    monkeypatch.setattr(overviews, "_MOST_DRAWN", 200)
    assert len(drawings(svg())) == 1


def test_readers_find_where_to_begin():
    reports = {
        "a": report("a", "01_a", readers=("paper", "teach")),
        "b": report("b", "02_b", readers=("paper",)),
        "c": report("c", "03_c"),
    }
    entries = [Entry(name, name.upper(), "", each.notebook.name, "ok", page="0f") for name, each in reports.items()]
    beside = Beside(reports=reports, published=True, pages=(("api-plots.html", "plots"),))
    soup = soup_of(entries, beside=beside)
    paths = soup.select("nav.paths section")
    assert [(path.h2.get_text(), [a["href"] for a in path.select("a")]) for path in paths] == [
        ("I read the paper", ["a.html", "b.html", "published.html"]),
        ("I teach", ["a.html"]),
    ]
    assert [a["href"] for a in soup.select(".beside a")] == ["published.html", "api-plots.html"]
    assert not soup_of(entries).select("nav")


def test_every_text_is_escaped():
    reports = {NASTY: report(NASTY, NASTY, paper=NASTY, place=NASTY, readers=("paper",))}
    data = {
        NASTY: {
            "findings": [{"asked": NASTY, "sure": NASTY, "found": NASTY}],
            "hero": {"image": svg(), "alt": NASTY, "caption": NASTY},
        }
    }
    for status in ("ok", "FAILED", "not rendered"):
        entry = Entry(NASTY, NASTY, NASTY, NASTY, status, {NASTY: NASTY}, {NASTY: NASTY}, 1.0, NASTY, page="0f")
        beside = Beside(NASTY, reports, data, pages=((NASTY, NASTY),))
        soup = soup_of([entry], NASTY, beside)
        assert soup.title.string == soup.h1.get_text() == soup.select_one(".lead").get_text() == NASTY
        card = soup.select_one(".card")
        assert card.h3.a.get_text() == NASTY and card.pre.get_text() == NASTY and card.svg["aria-label"] == NASTY
        assert NASTY in card.select_one(".finding").get_text()
        assert "<" not in card.h3.a["href"] and not soup.select("[onclick]")


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("a *b* **c** `d`", "a <em>b</em> <strong>c</strong> <code>d</code>"),
        ("[a](javascript:alert(1)) ![b](c.png)", "a"),
        ("$x^2$ & 5 < 6", "$x^2$ &amp; 5 &lt; 6"),
        ("- a\n- b\n\n# c", "a b c"),
        ('<em onclick="x">a</em>', '&lt;em onclick="x"&gt;a&lt;/em&gt;'),
    ],
)
def test_a_finding_is_a_sentence(text, html):
    assert str(inline(text)) == html


def test_a_table_as_csv_holds_no_formula():
    address = csv_address([["=1+1", "-1.5", "+a", "@b", "-inf", 'x,"y"', "\u202e"]])
    kind, _, content = address.partition("base64,")
    assert kind == "data:text/csv;charset=utf-8;"
    assert b64decode(content).decode() == '\'=1+1,-1.5,\'+a,\'@b,-inf,"x,""y""",\\u202e\n'
