"""Names of other people in figures: one line, different ones differently, no formulas, no broken text."""

import unicodedata
import warnings

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genexpy_nb.plots.style import labels, log_counts, plain

AWKWARD = ["$a_1$", "5 % off", "<b>", "two\nlines", "two\tlines", "\U0001f389", "模型", "x" * 200, "x" * 199 + "y", " "]


@given(st.lists(st.text(max_size=60), unique=True, max_size=12), st.integers(8, 40))
@settings(max_examples=80, deadline=None)
def test_labels_are_lines_that_differ_where_the_shown_text_differs(names, most):
    shown = labels(names, most)
    for text in shown:
        bare = text.strip("\N{LEFT-TO-RIGHT ISOLATE}\N{POP DIRECTIONAL ISOLATE}")
        assert 0 < len(bare) <= most
        assert not any(unicodedata.category(c) in ("Cc", "Cs") or c in "\u2028\u2029" for c in text)
    whole = labels(names, 1000)  # nothing is cut: names that are the same characters to a reader read alike
    assert len(set(shown)) == len(set(whole))


@given(st.lists(st.text("abc_$%<>&{}^\\ ", min_size=1).map(str.strip).filter(bool), max_size=8))
@settings(max_examples=50, deadline=None)
def test_names_that_fit_are_left_alone(names):
    assert labels(names, 1000) == [" ".join(name.split()) for name in names]


def test_long_names_keep_both_ends():
    first, second = labels(AWKWARD[7:9], 11)
    assert (first, second) == ("xxxxx…xxxxx", "xxxxx…xxxxy")


def test_right_to_left_names_do_not_turn_what_stands_beside_them():
    (text,) = labels(["\N{RIGHT-TO-LEFT OVERRIDE}שלום"])
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in text and "שלום" in text
    assert (text == "\N{LEFT-TO-RIGHT ISOLATE}שלום\N{POP DIRECTIONAL ISOLATE}") == (mpl.__version_info__ >= (3, 11))
    if mpl.__version_info__ >= (3, 11):  # the name is where it is without a number, and the number behind it
        fig = plt.figure(figsize=(4, 1))
        alone, beside = (fig.text(0.5, 0.5, name, ha="left") for name in (text, f"{text} 7"))
        fig.canvas.draw()
        assert beside.get_window_extent().width > alone.get_window_extent().width


@pytest.mark.skipif(mpl.__version_info__ < (3, 11), reason="before, the marks would be boxes")
@pytest.mark.parametrize("name", ["שלום", "نموذج", "٣٤"])
def test_letters_and_digits_of_all_scripts_from_right_to_left_are_set_apart(name):
    assert labels([name]) == [f"\N{LEFT-TO-RIGHT ISOLATE}{name}\N{POP DIRECTIONAL ISOLATE}"]


@pytest.mark.parametrize("name", [*AWKWARD, "שלום", "\ud800", "e\u0301", "a\u200db", "\x07bell"])
def test_any_label_can_be_drawn_without_a_warning(name):
    fig = plt.figure(figsize=(4, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fig.text(0.1, 0.5, labels([name])[0], parse_math=False)
        fig.canvas.draw()


def test_a_character_for_private_use_is_a_box_though_the_font_has_a_picture():
    assert labels(["a\uef00b"]) == ["a▯b"]


def test_a_logarithmic_axis_counts_in_ones_twos_and_fives():
    axis = mpl.figure.Figure().subplots().xaxis
    axis.axes.set_xscale("log")
    axis.axes.set_xlim(1, 2000)
    log_counts(axis)
    places = [value for value in axis.get_majorticklocs() if 1 <= value <= 2000]
    expected = ["1", "2", "5", "10", "20", "50", "100", "200", "500", "1,000", "2,000"]
    assert axis.get_major_formatter().format_ticks(places) == expected
    assert set(axis.get_minor_formatter().format_ticks([3, 4, 30])) == {""}


def test_all_text_of_a_plain_figure_is_text():
    fig, ax = plt.subplots()
    ax.plot(["$a$", "$b$"], [1, 2], label="$c$")
    ax.set(title="$d$", xlabel="$e$")
    fig.legend(loc="upper right")
    fig.suptitle("$f$")
    plain(fig).canvas.draw()
    texts = [text for text in fig.findobj(mpl.text.Text) if "$" in text.get_text()]
    assert sorted({text.get_text() for text in texts}) == [f"${letter}$" for letter in "abcdef"]
    assert not any(text.get_parse_math() for text in texts)
