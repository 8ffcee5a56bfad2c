"""Two studies under the reader's finger: what the buttons show differs, and says what was drawn."""

import json
import re
from itertools import product
from pathlib import Path

import nbformat
import numpy as np
import pytest
from bs4 import BeautifulSoup

from genexpy_nb.chapters.shared import alike
from genexpy_nb.common.page import page_object
from genexpy_nb.reporting.html import Page, to_html
from genexpy_nb.reporting.pairing import find_root, normalise
from genexpy_nb.reporting.spec import load_reports

ROOT = find_root(Path(__file__).parent)
PAGES = ["start_here"]


@pytest.fixture(scope="module", params=PAGES)
def made(request, tmp_path_factory):
    report = load_reports(ROOT)[request.param]
    node = normalise(nbformat.read(report.notebook.ipynb, as_version=4))
    said = [page_object(output) for cell in node.cells for output in cell.get("outputs", ())]
    play = next(json.loads(each["play"]) for each in said if each and "play" in each)
    html, problems = to_html(node, Page(report, [], "now"))
    assert not problems
    file = tmp_path_factory.mktemp("play") / "page.html"
    file.write_text(html, encoding="utf-8")
    return play, file, BeautifulSoup(html, "html.parser").select(".play svg")


def test_no_two_states_say_or_draw_the_same(made):
    play, _, drawings = made
    n_states = np.prod([len(options) for options in play["controls"].values()])
    assert len(drawings) == n_states == len({each["aria-label"] for each in drawings})
    seen = {(each.get_text(" "), *(path["d"] + path["class"][0] for path in each.select("path"))) for each in drawings}
    assert len(seen) == n_states  # colours, lengths and words, without what only a screen reader says
    assert max(len(str(each)) for each in drawings) < 2500


def test_each_choice_moves_the_probability(made):
    play, *_ = made
    sizes = [len(options) for options in play["controls"].values()]
    chances = np.array([state[4] for state in play["states"]]).reshape(sizes)[..., 0]
    for axis in range(chances.ndim):
        assert (np.abs(np.diff(chances, axis=axis)).max(axis=axis) > 0.01).all()  # more than rounding


def test_every_state_says_whether_its_two_studies_agree(made):
    play, _, drawings = made
    n_pairs = len(list(play["controls"].values())[-1])
    for number, (state, drawn) in enumerate(zip(play["states"], drawings, strict=True)):
        first, second, n, most, _ = state
        agrees = abs(first / n - second / n) <= most + 1e-9
        assert ("The two studies look alike." in drawn["aria-label"]) == agrees
        pairs = play["states"][number - number % n_pairs : number + 1]
        count = sum(abs(a / m - b / m) <= t + 1e-9 for a, b, m, t, _ in pairs)
        assert re.search(rf" {count} of {len(pairs)} alike so far", drawn["aria-label"])


def test_the_probability_is_that_of_all_pairs_of_studies():
    wins = [0, 1, 1]
    studies = [sum(each) for each in product(wins, repeat=4)]  # all equally likely, two thirds wins
    agreeing = np.mean([abs(a - b) <= 1 for a, b in product(studies, repeat=2)])
    np.testing.assert_allclose(alike(4, 0.25, 2 / 3, 2 / 3), agreeing)
    assert alike(7, 1.0, 0.2, 0.9) == pytest.approx(1)


def test_the_keyboard_chooses_one_state_and_print_shows_it(made, tab):
    _, file, _ = made
    tab.visit(file)
    shown = "[...document.querySelectorAll('.play svg')].filter(e => e.checkVisibility()).map(e => e.ariaLabel)"
    before = tab.evaluate(shown)
    tab.evaluate("document.querySelector('.play .o2-0').focus(); 0")
    for kind in ("keyDown", "keyUp"):
        tab.send("Input.dispatchKeyEvent", type=kind, key="ArrowRight", windowsVirtualKeyCode=39)
    after = tab.evaluate(shown)
    assert len(before) == len(after) == 1 and after[0].startswith("Pair 2:") and before != after
    tab.look(673, printed=True)
    assert tab.evaluate(shown) == after
