"""links: pages that lead to each other, abbreviations that are said once, papers that are listed once."""

import pandas as pd
import pytest
from bs4 import BeautifulSoup
from hypothesis import given, settings
from hypothesis import strategies as st

from genexpy_nb.reporting.dressing import cite, dress_tables, link_pages, name_abbreviations
from genexpy_nb.reporting.references import Reference, Site

SITE = Site((("01_first", "a report", "First"), ("02_second", "second", "Second")))
MEANINGS = {"OHE": "one-hot encoding", "TE": "target encoding", "tf-idf": "term frequency", "F1": "a mean"}
LIST = '<section class="bibliography"><h2>References</h2></section>'


def page(text, kind="jp-RenderedMarkdown"):
    return BeautifulSoup(f'<main><div class="{kind}">{text}</div></main>', "html.parser")


def named(text, **kind):
    soup = page(text, **kind)
    name_abbreviations(soup, MEANINGS)
    return soup


def linked(text, own="01_first", site=SITE):
    soup = page(text)
    link_pages(soup, site, own)
    return soup


def cited(text, references, own=()):
    soup = BeautifulSoup(f"<main>{text}{LIST}</main>", "html.parser")
    cite(soup, {reference.key: reference for reference in references}, own)
    return soup


def reference(key, url="", short="", **fields):
    values = {"authors": "Ann A", "year": "2020", "title": f"On {key}", "venue": "J", "more": ()} | fields
    return Reference(key=key, url=url or f"https://doi.org/10.1/{key}", short=short or f"{key} (2020)", **values)


def test_an_abbreviation_is_marked_once_in_a_paragraph_and_listed_above_the_references():
    shown = f'<div class="jp-RenderedMarkdown"><p>TE, then OHE, OHE.</p><p>OHE</p></div>{LIST}'
    soup = BeautifulSoup(f"<main>{shown}</main>", "html.parser")
    name_abbreviations(soup, MEANINGS)
    assert [p.get_text() for p in soup.find_all("p")] == ["TE, then OHE, OHE.", "OHE"]  # no sentence gets longer
    assert [[a["title"] for a in p.find_all("abbr")] for p in soup.find_all("p")] == [
        ["target encoding", "one-hot encoding"],
        ["one-hot encoding"],
    ]
    found = soup.select_one("details.abbreviations")
    assert [(dt.get_text(), dd.get_text()) for dt, dd in zip(found.select("dt"), found.select("dd"), strict=True)] == [
        ("OHE", "one-hot encoding"),
        ("TE", "target encoding"),
    ]
    assert found.find_next_sibling() is soup.select_one(".bibliography")


@pytest.mark.parametrize("tag", ["code", "pre", "a", "h1", "h2", "h4", "h5", "h6", "abbr", "math", "summary"])
def test_code_links_and_headings_stay_as_they_are(tag):
    text = f"<div><{tag}>OHE</{tag}></div><p>then OHE</p>"
    assert named(text).get_text() == "OHEthen OHE"
    assert str(named(text).find(tag)) == f"<{tag}>OHE</{tag}>"


@pytest.mark.parametrize("text", ["OHEs", "XOHE", "OHE-like", "no-OHE", "ohe", "OHE_1", "CV5TE", "F10", "tf-idf-x"])
def test_parts_of_words_are_no_abbreviations(text):
    assert str(named(f"<p>{text}</p>")) == str(page(f"<p>{text}</p>"))


def test_table_cells_captions_and_findings_are_marked_and_not_lengthened():
    table = named("<table><tr><th>OHE</th><td>TE of OHE</td></tr></table>", kind="jp-RenderedHTML")
    assert table.get_text() == "OHETE of OHE" and len(table.find_all("abbr")) == 3
    caption = BeautifulSoup("<main><figcaption>OHE wins</figcaption></main>", "html.parser")
    finding = BeautifulSoup('<main><li><span class="finding-text">OHE wins</span></li></main>', "html.parser")
    for soup in (caption, finding):
        name_abbreviations(soup, MEANINGS)
        assert soup.get_text() == "OHE wins" and soup.abbr["title"] == "one-hot encoding"


def test_of_two_abbreviations_the_longer_one_is_meant_and_comments_stay():
    soup = page("<p>(tf-idf), 'A/B'; A: <!-- A --></p>")
    name_abbreviations(soup, MEANINGS | {"A": "one", "A/B": "both"})
    found = [(a.get_text(), a["title"]) for a in soup.find_all("abbr")]
    assert found == [("tf-idf", "term frequency"), ("A/B", "both"), ("A", "one")] and "<!-- A -->" in str(soup)


def test_text_of_data_and_of_meanings_stays_text():
    soup = page("<p>OHE &lt;script&gt;alert(1)&lt;/script&gt; &amp;amp; X</p>")
    name_abbreviations(soup, {"OHE": '<b title="x">"&'})
    again = BeautifulSoup(str(soup), "html.parser")
    assert again.p.get_text() == "OHE <script>alert(1)</script> &amp; X"
    assert again.abbr["title"] == '<b title="x">"&' and not again.find_all(["script", "b"])


def test_numbers_of_notebooks_become_links():
    soup = linked("<p>See notebook 02, and Notebook 02.</p>")
    assert [(a.get_text(), a["href"]) for a in soup.find_all("a")] == [
        ("notebook 02", "second.html"),
        ("Notebook 02", "second.html"),
    ]
    assert soup.get_text() == "See notebook 02, and Notebook 02."


NOT_LINKED = ["notebook 01", "notebook 03", "notebook 021", "notebooks 02", "notebook 2"]


@pytest.mark.parametrize(
    "text", NOT_LINKED + [f"<{tag}>notebook 02</{tag}>" for tag in ("code", "pre", "h2", "h5", "a")]
)
def test_this_notebook_one_without_a_page_other_words_code_headings_and_links_are_not_linked(text):
    assert str(linked(f"<div>{text}</div>")) == str(page(f"<div>{text}</div>"))


def test_links_to_notebooks_lead_to_their_pages():
    soup = linked(
        '<p><a href="02_second.ipynb">x</a><a href="02_second.ipynb#part">y</a><a href="01_first.ipynb">z</a>'
        '<a href="01_first.ipynb#part">u</a><a href="https://a.org/02_second.ipynb">v</a></p>'
    )
    assert [a["href"] for a in soup.find_all("a")] == [
        "second.html",
        "second.html#part",
        "#content",
        "#part",
        "https://a.org/02_second.ipynb",
    ]


def test_a_link_to_a_notebook_without_a_page_is_text():
    soup = linked('<p>see <a href="07_none.ipynb"><em>that</em> one</a>.</p>')
    assert soup.a is None and str(soup.p) == "<p>see <em>that</em> one.</p>"


def test_the_name_of_a_report_is_quoted_in_its_address():
    assert linked("<p>notebook 01</p>", own="02_second").a["href"] == "a%20report.html"


def test_captions_and_findings_are_linked_and_tables_of_data_are_not():
    soup = BeautifulSoup(
        '<main><figcaption>notebook 02</figcaption><span class="finding-text">notebook 02</span>'
        '<div class="jp-RenderedHTML"><td>notebook 02</td><td>&lt;a href="02_second.ipynb"&gt;</td></div></main>',
        "html.parser",
    )
    before = str(soup.select_one(".jp-RenderedHTML"))
    link_pages(soup, SITE, "01_first")
    assert [a.parent.name for a in soup.find_all("a")] == ["figcaption", "span"]
    assert str(soup.select_one(".jp-RenderedHTML")) == before


WORDS = st.sampled_from(["OHE", "TE", "F1", "notebook", "02", "01", "&", "<b>", '"', "tf-idf", ",", "target encoding"])


@settings(max_examples=50)
@given(st.lists(st.lists(WORDS, min_size=1, max_size=8).map(" ".join), min_size=1, max_size=5))
def test_no_word_is_added_and_each_abbreviation_is_marked(paragraphs):
    soup = page("<p></p>" * len(paragraphs))
    for p, text in zip(soup.find_all("p"), paragraphs, strict=True):
        p.string = text
    link_pages(soup, SITE, "01_first")
    assert [p.get_text() for p in soup.find_all("p")] == paragraphs
    name_abbreviations(soup, MEANINGS)
    soup = BeautifulSoup(str(soup), "html.parser")  # what a browser would read
    assert [p.get_text() for p in soup.find_all("p")] == paragraphs
    marked = {a.get_text() for a in soup.find_all("abbr")}
    assert marked == {word for text in paragraphs for word in text.split() if word in MEANINGS}


def test_linked_papers_are_listed_once_by_surname():
    b, a = reference("b", short="Bee (2020)", authors="Ann Bee"), reference("a", short="Ant (2021)", authors="Zoe Ant")
    links = [f'<a href="https://doi.org/10.1/{end}">x</a>' for end in ("b", "b", "a/")]
    soup = cited("".join(links), [b, a, reference("c")])
    assert [li["id"] for li in soup.select(".bibliography li")] == ["ref-a", "ref-b"]
    assert soup.select_one("#ref-b").get_text().strip() == "Ann Bee (2020). On b. J. doi.org/10.1/b"
    assert soup.select_one("#ref-b a")["href"] == "https://doi.org/10.1/b"


def test_code_and_data_lead_to_their_paper_too():
    paper = reference("a", more=(("code", "https://a.org/code"), ("data", "https://a.org/data")))
    soup = cited('<a href="https://a.org/data">data</a>', [paper])
    assert [(a.get_text(), a["href"]) for a in soup.select(".bibliography a")] == [
        ("doi.org/10.1/a", "https://doi.org/10.1/a"),
        ("code", "https://a.org/code"),
        ("data", "https://a.org/data"),
    ]


def test_the_own_paper_is_listed_without_a_link_and_without_an_address():
    own = Reference("own", "Anonymous", "undated", "Is it so?", "Manuscript", "", "Anonymous (undated)")
    assert cited('<a href="">x</a>', [own]).select_one(".bibliography") is None
    soup = cited("<p></p>", [own, reference("b")], ["own"])
    assert soup.select_one(".bibliography ul").get_text().strip() == "Anonymous (undated). Is it so? Manuscript."
    assert soup.select_one(".bibliography cite").get_text() == "Is it so?" and soup.find("a") is None


def test_a_page_that_cites_nothing_has_no_list():
    assert cited('<a href="https://a.org">x</a>', [reference("a")]).select_one(".bibliography") is None
    soup = BeautifulSoup('<main><a href="https://doi.org/10.1/a">x</a></main>', "html.parser")
    cite(soup, {"a": reference("a")})
    assert str(soup) == '<main><a href="https://doi.org/10.1/a">x</a></main>'


def test_titles_are_text():
    soup = cited("", [reference("a", title="<b>On</b> A & B", authors="<i>A</i>")], ["a"])
    again = BeautifulSoup(str(soup), "html.parser")
    assert again.cite.get_text() == "<b>On</b> A & B" and not again.find_all(["b", "i"])


def test_a_frame_is_headed_by_words_and_shows_a_dash_for_what_is_unknown():
    frame = pd.DataFrame({"n_experiments": [3], "nstar": [None], "p_adjusted": [0.5], "TE": [1]}, dtype=float)
    html = f'<main><div class="jp-RenderedHTMLCommon">{frame.to_html(index=False)}</div></main>'
    soup = BeautifulSoup(html, "html.parser")
    dress_tables(soup)
    heads = [head.get_text() for head in soup.select("thead th")]
    assert heads[-4:] == ["experiments", "n*", "p, adjusted", "TE"]
    assert [cell.get_text() for cell in soup.select("tbody td")] == ["3.0", "–", "0.5", "1.0"]
