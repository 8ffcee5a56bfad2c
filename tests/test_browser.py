"""A report as a real browser without a network shows it."""

import json
import re
import shutil
import subprocess

import pytest
from bs4 import BeautifulSoup
from mini_project import SMALL, make_project
from PIL import Image

from genexpy_nb.reporting import render
from genexpy_nb.reporting.html import POLICY

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)

pytestmark = [
    pytest.mark.notebooks,
    pytest.mark.skipif(BROWSER is None, reason=f"needs a browser: none of {', '.join(BROWSERS)} is installed"),
]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    root = make_project(
        tmp_path_factory.mktemp("browser"),
        {"01_small": SMALL},
        {"small": "notebook: 01_small\ntitle: A small report\n"},
    )
    outcome = render(root, say=lambda line: None)
    assert not outcome.failed
    return root / "reports" / "html" / "small.html"


@pytest.fixture
def browse(tmp_path):
    def run(file, *options, width=1400, height=1200):
        command = [
            BROWSER,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            f"--user-data-dir={tmp_path / 'profile'}",
            f"--window-size={width},{height}",
            *options,
            file.as_uri(),
        ]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout

    return run


@pytest.fixture
def measure(page, browse, tmp_path):
    def run(script, width=1400):
        """What a script returns on a copy of the page; in a frame, because a window is at least 500 pixels wide."""
        html = page.read_text(encoding="utf-8")
        assert html.count("</body>") == html.count(POLICY) == 1  # the page itself lets no script run
        html = html.replace(POLICY, "")
        code = f"<script>onload = () => parent.postMessage((() => {{ {script} }})(), '*')</script></body>"
        (tmp_path / "inner.html").write_text(html.replace("</body>", code), encoding="utf-8")
        outer = tmp_path / "outer.html"
        outer.write_text(
            "<title>nothing</title><script>onmessage = e => { document.title = JSON.stringify(e.data) }</script>"
            f'<iframe src="inner.html" style="border: 0; width: {width}px; height: 2000px"></iframe>',
            encoding="utf-8",
        )
        dom = browse(outer, "--virtual-time-budget=5000", "--dump-dom", width=1600, height=2200)
        return json.loads(BeautifulSoup(dom, "html.parser").title.string)

    return run


def test_what_the_browser_makes_of_the_page(page, browse):
    dom = BeautifulSoup(browse(page, "--dump-dom"), "html.parser")
    contents = [" ".join(link.get_text().split()) for link in dom.select("nav.toc a")]
    assert contents == ["Numbers & tables", "A figure", "Provenance"]
    folded = dom.select("details.code")
    assert len(folded) == 7 and not any(block.has_attr("open") for block in folded)
    assert {summary.get_text(strip=True) for summary in dom.select("details.code > summary")} == {"code"}
    labels = [svg["aria-label"] for svg in dom.select("svg[aria-label]")]
    assert r"n^* \le 3" in labels and any(r"\mathbb{P}" in label for label in labels)
    assert "n^*" not in labels and dom.find("th", string="$n^*$")  # a column of a table is data
    assert not dom.find_all(["script", "iframe", "link"])
    loads = [element[name] for name in ("src", "srcset", "data", "poster") for element in dom.select(f"[{name}]")]
    assert loads and all(address.startswith("data:") for address in loads)
    assert not re.search(r"url\(|@import", "".join(style.get_text() for style in dom.find_all("style")))


def test_every_address_on_the_page_is_local(measure):
    script = "return performance.getEntriesByType('resource').map(entry => entry.name)"
    assert not [name for name in measure(script) if not name.startswith("data:")]


@pytest.mark.parametrize("width", [420, 760, 1400])
def test_nothing_sticks_out_at_the_side(measure, width):
    script = "const root = document.documentElement; return [innerWidth, root.clientWidth, root.scrollWidth]"
    inner, client, scroll = measure(script, width)
    assert inner == width and scroll == client  # the two differ from the first by the bar at the right


@pytest.mark.parametrize(("width", "side"), [(420, False), (1400, True)])
def test_contents_stand_at_the_side_where_there_is_room(measure, width, side):
    script = """
    const toc = document.querySelector('nav.toc').getBoundingClientRect();
    const main = document.querySelector('main').getBoundingClientRect();
    return [toc.right <= main.left, toc.bottom <= main.top]"""
    assert measure(script, width) == [side, not side]


def test_formulas_and_figure_are_painted(page, browse, measure, tmp_path):
    shot = tmp_path / "shot.png"
    browse(page, f"--screenshot={shot}", height=3000)
    with Image.open(shot) as image:
        assert image.size == (1400, 3000)
        colours = image.convert("RGB").getcolors(maxcolors=1 << 24)
    assert len(colours) > 50  # text, banner, and the line of the figure, anti-aliased
    script = """return [...document.querySelectorAll('svg[aria-label], main img')].map(
        e => e.getBoundingClientRect()).every(box => box.width > 4 && box.height > 4)"""
    assert measure(script) is True
