"""Figures with controls: what a notebook hands over, and what it refuses."""

import json
import sys
from html import escape
from importlib.machinery import ModuleSpec
from itertools import pairwise, product
from types import ModuleType, SimpleNamespace
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genexpy_nb.common.choices import (
    MOST_LEVELS,
    MOST_STATES,
    Drawing,
    levels_around,
    printed_states,
    show_choices,
    state_name,
)
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.page import page_object

SVG = "{http://www.w3.org/2000/svg}"


def drawing(*levels):
    return Drawing(
        f'<svg viewBox="0 0 70 30"><text y="9">{escape("/".join(map(str, levels)))}</text></svg>', f"At {levels}."
    )


@pytest.fixture
def shown(monkeypatch):
    """What was displayed, as (data, metadata)."""
    outputs = []

    def display(*things, metadata=None, raw=False):
        outputs.extend((thing, metadata) for thing in things)

    monkeypatch.setattr("IPython.display.display", display)
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    return outputs


def handed(shown):
    data, metadata = shown[-2]
    return data, page_object({"metadata": json.loads(json.dumps(metadata))}, "choices")


def show(controls, draw=drawing, **more):
    show_choices("a-figure", controls, draw, "What to *see*.", "It grows.", **more)


def test_every_combination_is_drawn_and_the_last_control_turns_fastest(shown):
    controls = {"question": ["winners", "order"], "α": (0.9, 0.95, 0.99), "n": range(2)}
    asked = []
    show(controls, lambda *levels: (asked.append(levels), drawing(*levels))[1], start={"α": 0.95, "n": 1})
    data, said = handed(shown)
    assert asked == list(product(*controls.values()))
    assert said["controls"] == [["question", ["winners", "order"]], ["α", ["0.9", "0.95", "0.99"]], ["n", ["0", "1"]]]
    assert said["states"] == [[drawing(*levels).svg, drawing(*levels).text] for levels in asked]
    assert said["start"] == [0, 1, 1] and said["name"] == "a-figure" and said["alt"] == "It grows."
    assert shown[-1][1]["genexpy"] == {"kind": "caption", "of": "figure-a-figure"}
    assert data["text/plain"] == "<Figure: It grows.>"


def test_levels_have_a_text_of_their_own_and_start_is_named_by_either(shown):
    for wanted in ("the best", 1):
        show({"question": {"the best": 1, "all": 2}, "x": [3, -1.5]}, start={"question": wanted, "x": -1.5})
        said = handed(shown)[1]
        assert said["start"] == [0, 1] and said["controls"][1] == ["x", ["3", "−1.5"]]
        assert said["states"][3][1] == "At (2, -1.5)."


def test_the_same_bytes_each_time(shown):
    for _ in range(2):
        show({"p": [0.5, 0.6], "q": ["a", "b"]})
    assert shown[:2] == shown[2:]


def test_the_picture_elsewhere_holds_the_start_and_escapes(shown):
    show({'a <b> & "c"': ["<i>", "&amp;"], "q": [1, 2]}, start={"q": 2})
    root = ElementTree.fromstring(handed(shown)[0]["image/svg+xml"])
    texts = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
    assert 'a <b> & "c": <i>, q: 2' in texts and len(texts) == 8  # a name and a drawing for each of four states
    width, height = float(root.get("width")), float(root.get("height"))
    for panel in root.findall(f"{SVG}svg"):
        assert float(panel.get("x")) + float(panel.get("width")) <= width
        assert float(panel.get("y")) + float(panel.get("height")) <= height + 1


def test_a_picture_of_one_state(shown):
    show({"p": [0.5]})
    assert len(handed(shown)[1]["states"]) == 1


@pytest.mark.parametrize(
    ("controls", "why"),
    [
        ({}, "one to 3"),
        ([1, 2], "one to 3"),
        ({label: [1, 2] for label in "abcd"}, "one to 3"),
        ({"": [1, 2]}, "a label is a text"),
        ({3: [1, 2]}, "a label is a text"),
        ({"p": "abc"}, "a list, got the text"),
        ({"p": []}, "one to 12 levels, got 0"),
        ({"p": range(MOST_LEVELS + 1)}, "got 13"),
        ({"p": range(12), "q": range(12), "r": range(2)}, "12 × 12 × 2 levels make 288"),
        ({"p": range(1, 12), "q": range(7), "r": range(2)}, f"more than {MOST_STATES}"),
        ({"p": [1, 1.0]}, "shown as '1'"),
        ({"p": ["a", " "]}, "shown as a text"),
        ({"p": {"a": 1, 2: 2}}, "shown as a text"),
    ],
)
def test_controls_that_cannot_be(controls, why, shown):
    with pytest.raises(ParameterError, match=why):
        show(controls)
    assert shown == []


def test_the_most_that_can_be(shown):
    show({"p": range(MOST_LEVELS), "q": range(12)})
    show({"p": range(10), "q": range(5), "r": range(3)})
    assert len(handed(shown)[1]["states"]) == MOST_STATES


@pytest.mark.parametrize(
    ("start", "why"), [({"q": 1}, "no control is called 'q'; there are"), ({"p": 3}, "no level 3; it has 1, 2")]
)
def test_starts_that_are_not_there(start, why, shown):
    with pytest.raises(ParameterError, match=why):
        show({"p": [1, 2]}, start=start)


@pytest.mark.parametrize(
    ("made", "why"),
    [
        ("<svg/>", "must return a Drawing"),
        (None, "must return a Drawing"),
        (Drawing("<svg viewBox='0 0 9 9'/>", " "), "needs a text"),
        (Drawing("<svg/>", "a"), "viewBox"),
        (Drawing("<svg viewBox='0 0 9'/>", "a"), "viewBox"),
        (Drawing("<svg viewBox='1 0 9 9'/>", "a"), "viewBox"),
        (Drawing("<svg viewBox='0 0 9 0'/>", "a"), "viewBox"),
        (Drawing("<p viewBox='0 0 9 9'/>", "a"), "viewBox"),
        (Drawing("<svg viewBox='0 0 9 9'>", "a"), "viewBox"),
    ],
)
def test_drawings_that_are_none(made, why, shown):
    with pytest.raises(ParameterError, match=why):
        show({"p": [1, 2]}, lambda p: made)


def test_drawings_of_different_sizes_are_refused(shown):
    with pytest.raises(ParameterError, match="one viewBox, or the page jumps; got 9 × 1, 9 × 2"):
        show({"p": [1, 2]}, lambda p: Drawing(f"<svg viewBox='0 0 9 {p}'/>", "a"))


@pytest.mark.parametrize("texts", [{"name": "A b"}, {"caption": " "}, {"alt": ""}])
def test_a_figure_has_name_caption_and_alt(texts, shown):
    given_texts = {"name": "a", "caption": "b", "alt": "c"} | texts
    with pytest.raises(ParameterError):
        show_choices(controls={"p": [1, 2]}, draw=drawing, **given_texts)


@given(st.lists(st.integers(1, 12), min_size=1, max_size=3), st.data())
def test_printed_states_are_all_of_a_control_or_its_start(lengths, data):
    start = [data.draw(st.integers(0, length - 1)) for length in lengths]
    printed = printed_states(lengths, start)
    assert tuple(start) in printed and len(set(printed)) == len(printed) <= 12
    seen = [{state[i] for state in printed} for i in range(len(lengths))]
    assert all(s == {at} or s == set(range(n)) for s, at, n in zip(seen, start, lengths, strict=True))
    assert seen[0] == set(range(lengths[0]))
    left_out = [n for s, n in zip(seen, lengths, strict=True) if len(s) < n]
    assert all(n * len(printed) > 12 for n in left_out)


@given(st.lists(st.floats(0, 1), max_size=30), st.floats(0, 1), st.integers(2, 12))
def test_levels_around_keeps_the_level_and_spreads(values, level, most):
    chosen = levels_around(values, level, most)
    every = sorted({*values, level})
    assert level in chosen and set(chosen) <= set(every)
    assert chosen == sorted(set(chosen)) and len(chosen) == min(most, len(every))
    assert {every[0], every[-1]} & set(chosen)
    if len(every) > most >= 3:
        gaps = [every.index(b) - every.index(a) for a, b in pairwise(chosen)]
        assert max(gaps) <= 1.5 * (len(every) - 1) / (most - 1) + 1


def test_levels_around_refuses_one():
    with pytest.raises(ParameterError, match="most"):
        levels_around([1, 2], 1, most=1)


def test_names_of_states():
    assert state_name([["p", ["1", "2"]], ["q", ["x"]]], (1, 0)) == "p: 2, q: x"


@pytest.fixture
def widgets(monkeypatch):
    """A stand-in for ipywidgets: `interactive` keeps what it was given and calls once, as the real one does."""
    module = ModuleType("ipywidgets")
    module.__spec__ = ModuleSpec("ipywidgets", None)

    def interactive(function, **sliders):
        function(**{name: slider.value for name, slider in sliders.items()})
        return SimpleNamespace(function=function, sliders=sliders)

    module.interactive = interactive
    module.SelectionSlider = lambda **said: SimpleNamespace(**said)
    monkeypatch.setitem(sys.modules, "ipywidgets", module)
    return module


def test_in_jupyterlab_there_are_sliders_that_draw(shown, widgets, monkeypatch):
    monkeypatch.setenv("JPY_SESSION_NAME", "/home/me/a.ipynb")
    asked = []
    show(
        {"p": [0.5, 0.6], "question": {"best": 1, "all": 2}},
        lambda *levels: (asked.append(levels), Drawing(drawing(*levels).svg, "<b> & more"))[1],
        start={"p": 0.6},
    )
    picture, live, caption = (thing for thing, _ in shown)
    assert asked == [(0.6, 1)]  # one, not all of them
    first, second = live.sliders.values()
    assert (first.description, first.options, first.value) == ("p", [("0.5", 0.5), ("0.6", 0.6)], 0.6)
    assert (second.description, second.options, second.value) == ("question", [("best", 1), ("all", 2)], 1)
    assert drawing(0.6, 1).svg in picture.data and "&lt;b&gt; &amp; more" in picture.data
    live.function(control_0=0.5, control_1=2)
    assert asked[-1] == (0.5, 2)
    assert caption == {"text/markdown": "What to *see*."}


def test_sliders_need_a_person_and_ipywidgets(shown, widgets, monkeypatch):
    monkeypatch.setenv("JPY_SESSION_NAME", "")  # as this package's own runs set it
    show({"p": [1, 2]})
    assert handed(shown)[1] is not None
    monkeypatch.setenv("JPY_SESSION_NAME", "/home/me/a.ipynb")
    monkeypatch.setattr("genexpy_nb.common.choices.find_spec", lambda name: None)
    show({"p": [1, 2]})
    assert len(shown) == 4 and handed(shown)[1] is not None
