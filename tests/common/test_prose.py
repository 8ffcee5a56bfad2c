"""prose: computed sentences say what the numbers say, and show a table's values as they are."""

import unicodedata

import mistune
import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st

from genexpy_nb.common import prose
from genexpy_nb.common.errors import ParameterError


def test_a_notebook_shows_it_as_markdown_and_a_terminal_as_text():
    text = prose.say("one *word*", "", "two")
    assert text._repr_markdown_() == repr(text) == "one *word*\n\ntwo"
    assert isinstance(text, str)


@given(st.text(alphabet=st.characters(blacklist_categories=("Cs", "Cc"), max_codepoint=0x2FFF), max_size=30))
def test_values_are_shown_as_they_are(value):
    html = mistune.html("value: " + prose.verbatim(value))
    assert BeautifulSoup(html, "html.parser").get_text().split() == ["value:", *prose.visible(value).split()]


TURNS = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")


def test_what_turns_a_sentence_round_or_has_no_width_is_seen():
    every = list(map(chr, range(0x110000)))
    turns = [c for c in every if unicodedata.bidirectional(c) in TURNS] + list("\u200e\u200f\u061c")
    none = list("\u200b\u200c\u200d\u2060\ufeff\xad\u180e\u034f\u3164")
    for c in turns + none:
        seen = f"a\\u{ord(c):04x}1.08"
        assert prose.visible(f"a{c}1.08") == prose.plain_line(f"a{c}1.08") == seen
        assert BeautifulSoup(mistune.html(prose.verbatim(f"a{c}1.08")), "html.parser").get_text().strip() == seen
        assert prose.as_latex(f"a{c}1.08") == seen.replace("\\", r"\textbackslash{}")
    is_letter = (c.isalpha() and "FILLER" not in unicodedata.name(c, "") for c in every)
    letters = zip(every, is_letter, strict=True)
    shown = "".join(c for c, letter in letters if letter or unicodedata.category(c)[0] in "NPS")
    assert prose.visible(shown) == shown


@pytest.mark.parametrize(
    "name", ["http://a.org/b_c?d=e&f", "https://a.org", "www.a.org", "me@a.org", "mailto:me@a.org"]
)
def test_an_address_is_a_name_like_others(name):
    html = mistune.create_markdown(plugins=["url"])(f"{prose.verbatim(name)} wins, not {prose.verbatim(name)}.")
    soup = BeautifulSoup(html, "html.parser")
    assert not soup.a and soup.get_text().strip() == f"{name} wins, not {name}."


@given(st.floats(0, 1), st.integers(0, 3))
def test_percent_never_says_none_or_all_of_what_is_not(share, digits):
    said = prose.percent(share, digits)
    number = float(said.removeprefix("less than ").removeprefix("more than ").removesuffix(" %"))
    if said.startswith("less"):
        assert 0 < 100 * share < number
    elif said.startswith("more"):
        assert number < 100 * share < 100
    else:
        assert abs(number - 100 * share) <= 0.5 * 10.0**-digits + 1e-9
        assert (number == 0) == (share == 0) and (number == 100) == (share == 1)


def test_nothing_is_said_of_what_is_missing():
    with pytest.raises(ParameterError, match="at least one number"):
        prose.span([float("nan")])
    with pytest.raises(ParameterError, match="share"):
        prose.percent(1.001)
    assert prose.span([2.0, float("nan"), 1.0], "{:.0f}", " %") == "1 to 2 %"


def test_a_sum_of_probabilities_may_be_all_up_to_rounding():
    assert prose.percent(sum([0.7, 0.1, 0.1, 0.1, 1e-15])) == "100 %"


@given(st.integers(1, 99), st.integers(1, 99))
def test_a_number_as_one_would_write_it_is_that_number_again(numerator, denominator):
    value = numerator / denominator
    written, _, below = prose.as_written(value).partition("/")
    assert float(written) / float(below or 1) == value


@given(st.floats(1e-6, 1 - 1e-6))
def test_any_other_number_is_written_with_six_digits(value):
    written = prose.as_written(value)
    assert "/" in written or float(written) == pytest.approx(value, rel=1e-5)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (prose.percent(0.0568, 1), "5.7 %"),
        (prose.percent(0.001), "less than 1 %"),
        (prose.percent(0.9999, 1), "more than 99.9 %"),
        (prose.span([0.31, 0.17, 0.2]), "0.17 to 0.31"),
        (prose.span([1.0, 1.001]), "1.00"),
        (prose.as_written(0.1 + 0.2), "0.3"),
        (prose.whole(30.02), "31"),
        (prose.whole(100 + 1e-12), "100"),
        (prose.whole(1234.5), "1,235"),
        (prose.interval_in_words(3, float("inf")), "3 to infinity"),
        (prose.interval_in_words(3, float("nan")), "unknown"),
        (prose.two_digits(-0.001), "0.00"),
        (prose.how_many(1, "experiment"), "1 experiment"),
        (prose.how_many(2000, "experiment"), "2,000 experiments"),
        (prose.together("ab"), "a and b"),
        (prose.together("abcdef"), "a, b, c, d, e and f"),
        (prose.together("abcdefg"), "a, b, c, d, e and 2 others"),
    ],
)
def test_words_and_numbers(said, expected):
    assert said == expected
