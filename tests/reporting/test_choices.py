"""Figures with controls on a page: structure, every state in a real browser, what is hostile, print."""

from functools import cache
from itertools import product

import numpy as np
import pandas as pd
import pytest
import soupsieve
import tinycss2
from bs4 import BeautifulSoup
from chromium import BROWSER, MISSING, PAPER, chromium
from mini_project import make_project

from genexpy_nb.common.choices import MOST_CONTROLS, MOST_LEVELS, printed_states
from genexpy_nb.common.errors import DataError
from genexpy_nb.common.page import page_object
from genexpy_nb.plots.choices import needs_strip
from genexpy_nb.reporting.choices import choices_css, choices_html
from genexpy_nb.reporting.execute import run
from genexpy_nb.reporting.html import POLICY, TEMPLATES
from genexpy_nb.reporting.pairing import find_notebook, normalise
from genexpy_nb.study.planning import plan

CONTROLS = [["question", ["winners", "order"]], ["α", ["0.9", "0.95", "0.99"]], ["δ", ["0.05", "0.1"]]]


@cache
def strip(seed, n=12):
    rng = np.random.default_rng(seed)
    nstar = rng.lognormal(3, 0.6, n)
    frame = pd.DataFrame({"n_experiments": rng.choice([30, 50], n), "nstar": nstar})
    return needs_strip(plan(frame.assign(low=0.8 * nstar, high=1.3 * nstar)), 200, "datasets")


def said(controls=CONTROLS, start=(0, 1, 0), **more):
    n_states = int(np.prod([len(levels) for _, levels in controls]))
    drawings = [strip(seed % 12) for seed in range(n_states)]
    states = [[drawing.svg, f"State {i}. {drawing.text}"] for i, drawing in enumerate(drawings)]
    return {"controls": controls, "states": states, "start": list(start), "alt": "Fewer <datasets>."} | more


def lengths(controls=CONTROLS):
    return [len(levels) for _, levels in controls]


def page(html):
    style = (TEMPLATES / "report" / "report.css").read_text(encoding="utf-8") + choices_css()
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>a</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{style}</style></head>'
        f'<body><div class="layout"><nav class="toc"></nav><main>{html}</main></div></body></html>'
    )


def switching_rules():
    """Selectors of what is hidden on a screen, from the style sheet as it is parsed by CSS."""
    for media in tinycss2.parse_stylesheet(choices_css(), skip_comments=True, skip_whitespace=True):
        if media.type == "at-rule" and tinycss2.serialize(media.prelude).strip() == "screen":
            for inner in tinycss2.parse_rule_list(media.content, skip_whitespace=True):
                assert tinycss2.serialize(inner.prelude).strip() == "selector(:has(*))"
                (rule,) = tinycss2.parse_rule_list(inner.content, skip_whitespace=True)
                assert tinycss2.serialize(rule.content).strip() == "display: none;"
                yield tinycss2.serialize(rule.prelude)


def test_style_hides_all_states_but_the_one_that_is_chosen():
    (selector,) = switching_rules()
    hidden_by = soupsieve.compile(selector)
    soup = BeautifulSoup(choices_html(said(), "a"), "html.parser")
    states = soup.select(".choices-state")
    for svg in soup.select("svg"):
        svg.decompose()  # they have no part in this, and take time
    for number, state in enumerate(product(*map(range, lengths()))):
        for box in soup.select("input"):
            del box["checked"]
            if box["class"] in [[f"c{control}-{level}"] for control, level in enumerate(state)]:
                box["checked"] = ""
        hidden = hidden_by.select(soup)
        assert [i for i, element in enumerate(states) if all(element is not h for h in hidden)] == [number]


def test_style_reaches_the_last_level_of_the_last_control():
    (selector,) = switching_rules()
    assert selector.count(":checked") == MOST_CONTROLS * MOST_LEVELS


def test_controls_are_named_groups_of_radio_buttons():
    soup = BeautifulSoup(choices_html(said(), "a"), "html.parser")
    groups = soup.select("fieldset")
    assert [group.legend.get_text() for group in groups] == [label for label, _ in CONTROLS]
    for group, (_, levels), at in zip(groups, CONTROLS, (0, 1, 0), strict=True):
        boxes = group.select("label > input[type=radio]")
        assert [box.parent.get_text() for box in boxes] == levels
        assert len({box["name"] for box in boxes}) == 1
        assert [i for i, box in enumerate(boxes) if box.has_attr("checked")] == [at]
    assert len({box["name"] for box in soup.select("input")}) == len(CONTROLS)
    assert soup.div["role"] == "group" and soup.div["aria-label"] == "Fewer <datasets>."


def test_each_state_says_what_it_is():
    soup = BeautifulSoup(choices_html(said(), "a"), "html.parser")
    names = [state.svg["aria-label"] for state in soup.select(".choices-state")]
    expected = [
        ", ".join(f"{label}: {levels[i]}" for (label, levels), i in zip(CONTROLS, state, strict=True))
        for state in product(*map(range, lengths()))
    ]
    assert names == expected and all(svg["role"] == "img" for svg in soup.select("svg"))
    assert [p.get_text().split(".")[0] for p in soup.select(".choices-text")] == [f"State {i}" for i in range(12)]
    start = soup.select(".choices-start")
    assert [state.svg["aria-label"] for state in start] == ["question: winners, α: 0.95, δ: 0.05"]


def test_what_is_printed_is_named():
    soup = BeautifulSoup(choices_html(said(), "a"), "html.parser")
    printed = soup.select(".choices-printed")
    assert len(printed) == len(printed_states(lengths(), (0, 1, 0))) == 12
    assert [p.select_one(".choices-name").get_text() for p in printed] == [p.svg["aria-label"] for p in printed]
    fewer = [["α", [str(i) for i in range(10)]], ["δ", ["1", "2", "3"]]]
    soup = BeautifulSoup(choices_html(said(fewer, (3, 1)), "a"), "html.parser")
    assert len(soup.select(".choices-printed")) == len(soup.select(".choices-name")) == 10


def test_a_control_with_one_level_is_not_shown():
    html = choices_html(said([["α", ["0.95"]], ["δ", ["0.05", "0.1"]]], (0, 1)), "a")
    soup = BeautifulSoup(html, "html.parser")
    assert [legend.get_text() for legend in soup.select("legend")] == ["δ"]
    assert "choices-start" in soup.select(".choices-state.c1-1")[0]["class"]


def test_the_same_bytes_and_a_prefix_of_its_own():
    assert choices_html(said(), "a") == choices_html(said(), "a")
    first, second = (BeautifulSoup(choices_html(said(), prefix), "html.parser") for prefix in ("a", "b"))
    assert not {box["name"] for box in first.select("input")} & {box["name"] for box in second.select("input")}
    ids = [element["id"] for soup in (first, second) for element in soup.find_all(id=True)]
    assert ids == ["a", "b"]


def test_our_own_drawings_come_through_whole():
    drawing = strip(1)
    controls = [["p", ["1"]]]
    html = choices_html(said(controls, (0,), states=[[drawing.svg, drawing.text]]), "a")
    kept, made = (BeautifulSoup(text, "html.parser").svg for text in (html, drawing.svg))
    for svg in (kept, made):
        for attribute in ("role", "aria-label"):
            del svg[attribute]
    assert kept == made and "left-out" not in html


def test_a_hundred_states_weigh_less_than_promised():
    controls = [["question", list("abcd")], ["α", list("12345")], ["δ", list("12345")]]
    states = [[strip(seed, 48).svg, strip(seed, 48).text] for seed in range(10)] * 10
    assert len(choices_html(said(controls, (1, 3, 1), states=states), "choice-1").encode()) < 350_000
    assert len(choices_css().encode()) < 8_000


HOSTILE = [
    '<svg viewBox="0 0 9 9"><script>alert(1)</script></svg>',
    '<svg viewBox="0 0 9 9" onload="alert(1)"><rect onclick="alert(2)" width="9" height="9"/></svg>',
    '<svg viewBox="0 0 9 9"><image href="https://a.org/a.png"/></svg>',
    '<svg viewBox="0 0 9 9"><foreignObject><input type="radio" class="c0-1" checked></foreignObject></svg>',
    '<svg viewBox="0 0 9 9"></svg></div><p>outside</p><input type="radio" checked class="c0-1">',
    '<svg viewBox="0 0 9 9"><style>.choices-state{display:none}</style><rect id="a" style="fill:url(//a.org)"/></svg>',
    '<svg viewBox="0 0 9 9"><rect fill="url(https://a.org/#x)" width="9" height="9"/></svg>',
    "<p>no drawing</p>",
]


@pytest.mark.parametrize("svg", HOSTILE)
def test_a_state_is_a_drawing_and_nothing_else(svg):
    html = choices_html(said([["p", ["1", "2"]]], (0,), states=[[svg, "One."], [svg, "Two."]]), "a")
    soup = BeautifulSoup(html, "html.parser")
    assert len(soup.select("input")) == 2 and len(soup.select(".choices-state")) == 2
    assert not soup.select("script, style, image, foreignobject") and "a.org" not in html and "alert" not in html
    assert "outside" not in soup.get_text() and len(soup.find_all(id=True)) == 1
    assert not any(name.startswith("on") for element in soup.find_all(True) for name in element.attrs)
    quiet = svg in (HOSTILE[4], HOSTILE[6])
    assert quiet or soup.select_one(".left-out") is not None
    for state in soup.select(".choices-state"):
        assert {child.name for child in state.find_all(recursive=False)} <= {"p", "svg"}


def test_texts_are_text():
    bad = '"><script>alert(1)</script>\x00'
    more = {"states": [['<svg viewBox="0 0 9 9"/>', bad]] * 2, "alt": bad}
    soup = BeautifulSoup(choices_html(said([[bad, [bad, f"{bad}2"]]], (0,), **more), "a"), "html.parser")
    assert not soup.select("script")
    shown = bad.removesuffix("\x00")
    assert soup.legend.get_text() == soup.div["aria-label"] == soup.select_one(".choices-text").get_text() == shown


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"controls": None}, "controls must be"),
        ({"controls": []}, "controls must be"),
        ({"controls": CONTROLS * 2}, "controls must be"),
        ({"controls": [["p", "12"]]}, "controls must be"),
        ({"controls": [["p", ["1"] * 13]]}, "controls must be"),
        ({"controls": [["p"]]}, "controls must be"),
        ({"controls": [["p", [1, 2]]]}, "controls must be"),
        ({"states": []}, "states must be 12 pairs"),
        ({"states": [["<svg/>"]] * 12}, "states must be 12 pairs"),
        ({"states": "abc"}, "states must be 12 pairs"),
        ({"controls": [["p", list("abcdefghijkl")]] * 3}, "at most 150"),
        ({"start": [0, 1]}, "start must be"),
        ({"start": [0, 3, 0]}, "start must be"),
        ({"start": [0, True, 0]}, "start must be"),
        ({"alt": None}, "alt must be"),
    ],
)
def test_metadata_that_were_changed_by_hand(wrong, why):
    with pytest.raises(DataError, match=why):
        choices_html(said() | wrong, "a")


NOTEBOOK = """# %%
import os

from genexpy_nb.common.choices import Drawing, show_choices


def draw(p, q):
    return Drawing(f'<svg viewBox="0 0 9 9"><path d="M{p} 0h9"/></svg>', f"{p}{q}")


assert os.environ["JPY_SESSION_NAME"] == ""
show_choices("a", {"p": [1, 2], "q": ["x"]}, draw, "Caption.", "Alt.", {"p": 2})
"""


def test_from_a_notebook_to_a_page_even_if_jupyterlab_began_the_run(tmp_path, monkeypatch):
    monkeypatch.setenv("JPY_SESSION_NAME", "/home/me/a.ipynb")
    node, failure = run(find_notebook(make_project(tmp_path, {"01_a": NOTEBOOK}, {}), "01_a"), {})
    assert failure is None
    handed, caption = normalise(node).cells[0].outputs
    assert page_object(caption, "caption")["of"] == "figure-a"
    soup = BeautifulSoup(choices_html(page_object(handed, "choices"), "c1"), "html.parser")
    assert [state.get_text() for state in soup.select(".choices-state > .choices-text")] == ["1x", "2x"]
    assert soup.select_one(".choices-start path")["d"] == "M2 0h9"


VISIBLE = """[...document.querySelectorAll('.choices-state')]
  .flatMap((e, i) => e.checkVisibility() ? [i] : [])"""
OVERLAPS = """(() => {
  const box = e => { const r = document.createRange(); r.selectNodeContents(e); return r.getBoundingClientRect(); };
  const boxes = [...document.querySelectorAll('.choices-state text')].filter(e => e.checkVisibility())
    .flatMap(e => e.children.length ? [...e.children] : [e]).map(e => [box(e), e.textContent]);
  const shared = (a, b, low, high) => Math.min(a[high], b[high]) - Math.max(a[low], b[low]);
  const found = boxes.flatMap(([a, s], i) => boxes.slice(i + 1).filter(([b]) =>
    shared(a, b, 'left', 'right') > 1 && shared(a, b, 'top', 'bottom') > 4).map(([b, t]) => [s, t]));
  return [boxes.length, found, Math.min(...boxes.map(([b]) => b.height))];
})()"""


@pytest.mark.skipif(BROWSER is None, reason=MISSING)
def test_in_a_browser_every_state_is_reached_by_mouse_and_keyboard_and_print_is_static(tmp_path):
    file = tmp_path / "page.html"
    file.write_text(page(choices_html(said(), "a") + choices_html(said(start=(1, 2, 1)), "b")), encoding="utf-8")
    with chromium() as tab:
        tab.look(1440)
        tab.visit(file)
        assert tab.evaluate(VISIBLE) == [2, 12 + 11]  # each figure at its own start
        for number, state in enumerate(product(*map(range, lengths()))):
            for control, level in enumerate(state):
                tab.evaluate(f"document.querySelector('#a .c{control}-{level}').click()")
            assert tab.evaluate(VISIBLE) == [number, 23]
        tab.evaluate("document.querySelector('#a .c1-0').click(); document.querySelector('#a .c1-0').focus()")
        tab.send(
            "Input.dispatchKeyEvent", type="keyDown", key="ArrowRight", code="ArrowRight", windowsVirtualKeyCode=39
        )
        tab.send("Input.dispatchKeyEvent", type="keyUp", key="ArrowRight", code="ArrowRight", windowsVirtualKeyCode=39)
        assert tab.evaluate(VISIBLE) == [1 * 6 + 1 * 2 + 1, 23]
        outline = "getComputedStyle(document.activeElement.parentElement).outlineStyle"
        assert tab.evaluate(outline) == "solid"
        for width in (1440, 1024, 390):
            assert tab.cut_off(width) == []
            n, overlaps, height = tab.evaluate(OVERLAPS)
            assert n > 20 and overlaps == [] and height > 11
        tab.look(PAPER, printed=True)
        assert len(tab.evaluate(VISIBLE)) == 24
        controls = "[...document.querySelectorAll('.choices-controls, .choices input')].some(e => e.checkVisibility())"
        names = "[...document.querySelectorAll('.choices-name')].every(e => e.checkVisibility())"
        assert tab.evaluate(controls) is False and tab.evaluate(names) is True
        assert tab.cut_off(PAPER, printed=True) == []
        assert tab.complaints() == []
