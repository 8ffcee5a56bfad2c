"""Tables for people, key numbers, and what is asked of names and captions."""

import math
from decimal import Decimal

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st

from genexpy_nb.common import page
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.page_tables import MISSING, for_people, html_table, written_number


@given(st.floats(allow_nan=False, allow_infinity=False, width=64), st.integers(0, 6))
def test_a_number_is_written_as_near_as_its_digits_allow(value, decimals):
    text = written_number(value, decimals)
    assert "e" not in text and "-" not in text and text != "−0"
    if "×" in text:
        mantissa, _, power = text.partition(" × 10")
        digits = power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
        read = Decimal(f"{mantissa.replace('−', '-')}e{digits}")  # the largest floats round up to what is none
        assert abs(read - Decimal(value)) <= Decimal("0.1") * abs(Decimal(value))
    else:
        read = float(text.replace("−", "-").replace(",", ""))
        assert abs(read - value) <= max(0.5 * 10.0**-decimals, abs(value) * 1e-9) * 1.0001
    assert (read == 0) == (value == 0)


def test_missing_and_infinite_numbers_have_a_sign_of_their_own():
    assert [written_number(v) for v in (None, math.nan, math.inf, -math.inf)] == [MISSING, MISSING, "∞", "−∞"]


def test_columns_are_written_as_their_kind_or_as_asked():
    columns = {"n": [1, 20000], "whole": [1.0, np.nan], "share": [0.125, 1], "ok": [True, False]}
    frame = pd.DataFrame(columns | {"names": [("a", "b"), ()]})
    shown = for_people(frame, forms={"share": "{:.1%}", "names": " + ".join})
    assert shown.to_dict("list") == {
        **{"n": ["1", "20,000"], "whole": ["1", MISSING], "share": ["12.5%", "100.0%"]},
        **{"ok": ["yes", "no"], "names": ["a + b", ""]},
    }


def test_an_internal_name_is_no_header():
    frame = pd.DataFrame({"coverage_se": [0.1]})
    with pytest.raises(ParameterError, match="in words what the column 'coverage_se'"):
        for_people(frame)
    assert list(for_people(frame, {"coverage_se": "standard error"})) == ["standard error"]
    for what in ("headers", "forms"):
        with pytest.raises(ParameterError, match=f"{what}: the table has no column 'b'; it has 'coverage_se'"):
            for_people(frame, **{"headers": {"coverage_se": "x"}, what: {"b": "x"}})


def test_html_of_groups_of_columns_and_nested_rows():
    columns = pd.MultiIndex.from_tuples([("left", "est_x"), ("left", "high"), ("right", "")])
    index = pd.MultiIndex.from_tuples([("a", 1), ("a", 2)], names=["model", "k"])
    frame = pd.DataFrame([[0.5, 1, 2], [0.25, 3, 4]], index, columns)
    html = html_table(for_people(frame, {"est_x": "estimate"}))
    assert '<th scope="col" rowspan="2">model</th>' in html and '<th scope="colgroup" colspan="2">left</th>' in html
    rows = [[cell.get_text() for cell in row(["th", "td"])] for row in BeautifulSoup(html, "html.parser").select("tr")]
    assert rows[0] == ["model", "k", "left", "right"] and rows[1] == ["estimate", "high", ""]
    assert rows[2:] == [["a", "1", "0.50", "1", "2"], ["", "2", "0.25", "3", "4"]]
    assert html.count('<th scope="row">a</th>') == 1  # what repeats is written once


@given(st.lists(st.text(max_size=8), min_size=1, max_size=4))
def test_whatever_a_table_holds_is_text_in_html(texts):
    html = html_table(for_people(pd.DataFrame({"a": texts})))
    assert html.count("<") == 2 * (5 + len(texts)) + 2 * len(texts)


@pytest.mark.parametrize("name", ["", "Forest", "a b", "1a", "a_b", 'a"b'])
def test_names_can_be_part_of_an_address(name):
    fig = mpl.figure.Figure()
    with pytest.raises(ParameterError, match="name: lower-case"):
        page.show_figure(fig, name, "caption", "alt")
    with pytest.raises(ParameterError, match="name: lower-case"):
        page.key_number(name, "label", 1.0)


def test_a_figure_without_words_for_it_is_refused():
    for texts, what in ((("caption", " "), "alt"), (("", "alt"), "caption")):
        with pytest.raises(ParameterError, match=f"{what} of 'a': a text is needed"):
            page.show_figure(mpl.figure.Figure(), "a", *texts)


def test_a_published_number_says_where_it_is_printed():
    with pytest.raises(ParameterError, match="which paper prints"):
        page.key_number("a", "label", 1.0, published=2)


def test_findings_are_one_to_three():
    for n in (0, 4):
        with pytest.raises(ParameterError, match=f"one to three findings, got {n}"):
            page.show_findings(*[page.Finding("1?", "text")] * n)


def test_findings_are_read_as_they_were_written(monkeypatch):
    shown = []
    monkeypatch.setattr(page, "hand_over", lambda data, kind: shown.append(data["text/markdown"]))
    page.show_findings(
        page.Finding("Is 2 * 3 > 5?", "It *is*, by \\*one\\*.", "sure, [0, 1]"),
        page.Finding("A claim.", "Nothing more *to* say."),
        page.Finding("Short?", "Yes."),
    )
    by_hand = "About.\n\n- **Who?** Two\n  lines.\n  *95 %*\n\n- no finding\n* **What?** It is *so*"
    assert [vars(each) for each in page.read_findings(shown[0])] == [
        {"asked": r"Is 2 \* 3 \> 5?", "found": r"It *is*, by \*one\*.", "sure": r"sure, \[0, 1\]"},
        {"asked": "A claim.", "found": "Nothing more *to* say.", "sure": ""},
        {"asked": "Short?", "found": "Yes.", "sure": ""},
    ]
    assert [vars(each) for each in page.read_findings(by_hand)] == [
        {"asked": "Who?", "found": "Two lines.", "sure": "95 %"},
        {"asked": "What?", "found": "It is", "sure": "so"},
    ]


def test_a_table_may_offer_more_than_it_shows(monkeypatch):
    said = []
    monkeypatch.setattr(page, "hand_over", lambda data, kind, **more: said.append((data, more)))
    frame = pd.DataFrame({"score": ["0.33"]}, index=pd.Index(["a"], name="model"))
    whole = pd.DataFrame({"model": ["a", "b"], "score": [1 / 3, 2.0]})
    page.show_table(frame, "scores", "The first.", csv=whole)
    assert said[0][1]["csv"] == whole.to_csv(index=False) and ">b<" not in said[0][0]["text/html"]
    page.show_table(frame, "scores", "The first.")
    assert said[2][1]["csv"] == "model,score\na,0.33\n"


def test_a_number_that_nobody_could_read_has_a_power():
    assert written_number(-2.5e300, 3) == "−2.5 × 10³⁰⁰" and written_number(1e15, 0) == "1.0 × 10¹⁵"
    assert written_number(999_999_999_999_999.0, 0) == "999,999,999,999,999"
