"""The pages of this project's notebooks as a reader gets them, made from the committed notebooks without running them.

That these hold what the notebooks compute is the matter of test_notebooks.
"""

import os
import re
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup
from chromium import PAPER, WIDTHS

from genexpy_nb.reporting.html import Page, to_html
from genexpy_nb.reporting.pairing import normalise
from genexpy_nb.reporting.references import read_references
from genexpy_nb.reporting.spec import load_reports

ROOT = Path(__file__).resolve().parents[1]
ALL = load_reports(ROOT)
REPORTS = {report.notebook.name: report for report in ALL.values() if not report.changed}
NOTEBOOKS = sorted(REPORTS)
#: Where axe-core lies, a program that looks for what keeps people from reading a page (``npm install axe-core``).
AXE = os.environ.get("AXE_CORE", "")

pytestmark = pytest.mark.notebooks


@pytest.fixture(scope="module", params=NOTEBOOKS)
def page(request, tmp_path_factory):
    """The name of a notebook and the file with its page."""
    report = REPORTS[request.param]
    node = normalise(nbformat.read(report.notebook.ipynb, as_version=4))
    html, problems = to_html(node, Page(report, [], "now"))
    assert problems == []
    file = tmp_path_factory.mktemp("page") / f"{request.param}.html"
    file.write_text(html, encoding="utf-8")
    return request.param, file


#: What belongs to a program, not to a sentence or a cell of a table.
ODD = re.compile(
    r"\bNaN\b|\bnan\b|\bNone\b(?! is| of)|\d[eE]-\d|\{'|\\[a-z]{3,}|"
    r"\bcoverage_se\b|\bwithin_2\b|\bnstar\b|\bn_experiments\b"
)


def test_a_page_opens_with_its_answer_says_what_it_shows_and_leads_somewhere(page):
    name, file = page
    assert file.stat().st_size < 3_000_000
    soup = BeautifulSoup(file.read_text(encoding="utf-8"), "html.parser")
    check_opening_and_objects(soup)
    check_links(soup, name)
    for code in soup.select("details, code, pre, svg, style, .references"):
        code.decompose()
    places = soup.select("main :is(p, li, th, td, figcaption, h2, h3)")
    assert [place.get_text(" ", strip=True)[:100] for place in places if ODD.search(place.get_text(" "))] == []


def check_opening_and_objects(soup):
    head = soup.select_one("header.page-head")
    assert 1 <= len(head.select(".finding-list > li")) <= 3
    assert all(item.select_one(".finding-text").get_text(strip=True) for item in head.select(".finding-list > li"))
    marks = re.compile(r"(?<!\w)\*\w+\*")  # of Markdown, which the value of a sentence cannot have
    assert not [text for text in soup.main.find_all(string=marks) if not text.find_parent(["code", "pre", "math"])]
    assert len(head.select(".hero figure.figure-object")) == 1
    objects = soup.select("main figure")
    assert len(objects) >= 3
    for each in objects:
        assert re.match(r"(Figure|Table) \d+\.", each.figcaption.get_text(" ", strip=True)), each.get("id")
        assert len(each.figcaption.get_text(strip=True)) > 20, each["id"]
    images = soup.select("main :is(img, svg)")
    assert all(image.find_parent("figure") for image in images)
    texts = [image.get("alt") or image["aria-label"] for image in images]
    assert all(len(text) > 20 and not text.startswith("Figure:") for text in texts) and len(set(texts)) == len(texts)


def check_links(soup, name):
    pages = {"index.html", *(f"doc-{file.stem}.html" for file in (ROOT / "docs").glob("*.md"))}
    pages |= {*(f"{each}.html" for each in ALL)}
    places = {each["id"] for each in soup.select("[id]")}
    for link in soup.select("a[href]"):
        address, _, anchor = link["href"].partition("#")
        if re.match(r"[a-z]+:", address):
            continue
        assert address in pages | {""} or re.fullmatch(r"(api|api-\w+|published)\.html", address), link
        assert address or anchor in places, link
    own = read_references().get(REPORTS[name].paper)
    assert own is None or soup.select_one(f"#ref-{own.key}")


def test_a_page_fits_and_asks_for_nothing(page, tab):
    looks = [*((width, False) for width in WIDTHS), (PAPER, True)]
    tab.visit(page[1])
    found = {look: tab.cut_off(look[0], printed=look[1]) for look in looks}
    assert found == {look: [] for look in looks}
    assert tab.complaints() == []
    tab.look(1440, 900)
    top = "document.querySelector('SELECTOR').getBoundingClientRect().top"
    assert tab.evaluate(top.replace("SELECTOR", ".findings")) < 450
    assert tab.evaluate(top.replace("SELECTOR", ".hero :is(img, svg)")) < 700


@pytest.mark.skipif(not AXE, reason="needs axe-core: AXE_CORE names the file axe.min.js")
def test_nothing_keeps_people_from_reading(page, tab):
    tab.visit(page[1])
    for dark in (False, True):
        tab.look(1440, dark=dark)
        tab.evaluate(Path(AXE).read_text(encoding="utf-8") + "; 0")
        run = "axe.run().then(found => found.violations.map(each => [each.impact, each.id, each.nodes[0].html]))"
        assert [each for each in tab.evaluate(run) if each[0] in ("serious", "critical")] == []
