"""index: what the page that lists all reports shows of each."""

from bs4 import BeautifulSoup

from genexpy_nb.reporting.index import Entry, to_index


def test_index_shows_status_parameters_and_source():
    entries = [
        Entry("a", "A", "about a", "01_a", "ok", {"alpha": "0.9"}, {"encoders": "bundled"}, 1.25, page="0f"),
        Entry("b", "B", "", "02_b", "FAILED", {}, {}, 2.0, "notebooks/02_b.py:3: no"),
        Entry("c", "C", "", "03_c"),
    ]
    soup = BeautifulSoup(to_index(entries), "html.parser")
    cards = soup.select(".card")
    assert [card.select_one(".status").get_text() for card in cards] == ["ok", "FAILED", "not rendered"]
    assert cards[0].a["href"] == "a.html" and cards[1].a is None and cards[2].a is None
    assert "alpha = 0.9" in cards[0].get_text() and "bundled" in cards[0].get_text() and "1.2 s" in cards[0].get_text()
    assert "notebooks/02_b.py:3" in cards[1].get_text()
    assert "3 reports, 1 failed, 1 not rendered yet" in soup.select_one(".summary").get_text()
