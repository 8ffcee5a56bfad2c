"""The pages of this project's notebooks as a reader gets them, made from the committed notebooks without running them.

That these hold what the notebooks compute is the matter of test_notebooks.
"""

import os
import re
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup
from chromium import BROWSER, MISSING, PAPER, WIDTHS, chromium

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


@pytest.fixture(scope="session")
def page_of(tmp_path_factory):
    """From the name of a notebook to the file with its page, made once for all processes of this session."""
    folder = tmp_path_factory.getbasetemp()
    folder = (folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "pages"
    folder.mkdir(exist_ok=True)

    def page(name):
        file = folder / f"{name}.html"
        if not file.exists():
            report = REPORTS[name]
            node = normalise(nbformat.read(report.notebook.ipynb, as_version=4))
            html, problems = to_html(node, Page(report, [], "now"))
            assert problems == []
            waiting = file.with_suffix(f".{os.getpid()}")
            waiting.write_text(html, encoding="utf-8")
            waiting.replace(file)
        return file

    return page


@pytest.fixture
def soup(page_of, name):
    return BeautifulSoup(page_of(name).read_text(encoding="utf-8"), "html.parser")


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_page_opens_with_its_answer_and_every_object_says_what_it_is(soup, name):
    head = soup.select_one("header.page-head")
    assert 1 <= len(head.select(".finding-list > li")) <= 3
    assert all(item.select_one(".finding-text").get_text(strip=True) for item in head.select(".finding-list > li"))
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


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_links_lead_somewhere(soup, name):
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


#: What belongs to a program, not to a sentence or a cell of a table.
ODD = re.compile(
    r"\bNaN\b|\bnan\b|\bNone\b(?! is| of)|\d[eE]-\d|\{'|\\[a-z]{3,}|"
    r"\bcoverage_se\b|\bwithin_2\b|\bnstar\b|\bn_experiments\b"
)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_no_program_speaks_to_the_reader(soup, name):
    for code in soup.select("details, code, pre, svg, style, .references"):
        code.decompose()
    places = soup.select("main :is(p, li, th, td, figcaption, h2, h3)")
    odd = [place.get_text(" ", strip=True)[:100] for place in places if ODD.search(place.get_text(" "))]
    assert odd == []


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_page_fits_and_asks_for_nothing(page_of, name):
    file = page_of(name)
    assert file.stat().st_size < 3_000_000
    if BROWSER is None:
        pytest.skip(MISSING)
    looks = [*((width, False) for width in WIDTHS), (PAPER, True)]
    with chromium() as tab:
        tab.visit(file)
        found = {look: tab.cut_off(look[0], printed=look[1]) for look in looks}
        assert found == {look: [] for look in looks}
        assert tab.complaints() == []
        tab.look(1440, 900)
        top = "document.querySelector('SELECTOR').getBoundingClientRect().top"
        assert tab.evaluate(top.replace("SELECTOR", ".findings")) < 450
        assert tab.evaluate(top.replace("SELECTOR", ".hero :is(img, svg)")) < 700


@pytest.mark.skipif(not AXE, reason="needs axe-core: AXE_CORE names the file axe.min.js")
@pytest.mark.skipif(BROWSER is None, reason=MISSING)
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_nothing_keeps_people_from_reading(page_of, name):
    with chromium() as tab:
        tab.visit(page_of(name))
        for dark in (False, True):
            tab.look(1440, dark=dark)
            tab.evaluate(Path(AXE).read_text(encoding="utf-8") + "; 0")
            run = "axe.run().then(found => found.violations.map(each => [each.impact, each.id, each.nodes[0].html]))"
            assert [each for each in tab.evaluate(run) if each[0] in ("serious", "critical")] == []
