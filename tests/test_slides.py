"""Slides of this project's notebooks, as they are projected: each fits on its screen, and nothing is asked for."""

import nbformat
import pytest
from bs4 import BeautifulSoup
from project_prose import NOTEBOOKS, ROOT

from genexpy_nb.reporting.lessons import read_deck, to_slides
from genexpy_nb.reporting.pairing import find_notebook, normalise
from genexpy_nb.reporting.spec import load_reports

pytestmark = pytest.mark.notebooks
REPORTS = {report.notebook.name: report for report in load_reports(ROOT).values() if not report.changed}
#: What is drawn outside of its slide's content: how far, and the beginning of its text. A drawing is cut at its edges.
OUTSIDE = """[...document.querySelectorAll('.slide-body')].flatMap((slide, number) => {
  const edge = slide.getBoundingClientRect(), over = slide.scrollHeight - slide.clientHeight;
  const shown = [...slide.querySelectorAll('*:not(svg *)')];
  const wide = shown.filter(e => e.getBoundingClientRect().right > edge.right + 1);
  return [...(over > 1 ? [[number + 1, over]] : []), ...wide.map(e => [number + 1, e.textContent.trim().slice(0, 40)])];
})"""
#: Text that is too small to be read from the last row, in figures as they are drawn: pixels, and the slide's heading.
SMALL = """[...document.querySelectorAll('.slide')].flatMap(slide => {
  const sizes = [...slide.querySelectorAll('svg :is(text, tspan), .slide-body :is(p, li, td, th, h1, h2, h3, summary)')]
    .filter(e => e.textContent.trim())
    .map(e => [e, e.getScreenCTM?.()])
    .map(([e, to]) => parseFloat(getComputedStyle(e).fontSize) * (to ? Math.hypot(to.c, to.d) : 1));
  const least = Math.min(...sizes);
  return least < 23.95 ? [[slide.querySelector('h1, h2, h3').textContent, least]] : [];
})"""


def test_slides_fit_on_their_screens(tab, tmp_path):
    tab.look(1280, 720)
    for file in NOTEBOOKS:
        node = normalise(nbformat.read(file.with_suffix(".ipynb"), as_version=4))
        html, problems = to_slides(node, read_deck(find_notebook(ROOT, file.stem)), REPORTS[file.stem])
        assert problems == [] and len(html) < 1_000_000
        (tmp_path / "slides.html").write_text(html, encoding="utf-8")
        tab.visit(tmp_path / "slides.html")
        assert tab.evaluate(OUTSIDE) == [], file.stem
        assert tab.evaluate(SMALL) == [], file.stem
        assert tab.complaints() == []
        slides = BeautifulSoup(html, "html.parser").select(".slide")
        assert len(slides) >= 3 and all(slide.find(["h1", "h2", "h3"]) for slide in slides)
