"""Frames as people read them: nothing lost, nothing that a browser would run, no internal words."""

import math

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from hypothesis import example, given
from hypothesis import strategies as st

from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.reporting.own_study.tables import readable


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.123456, "0.123"),
        (12345.678, "12,346"),
        (-12345.678, "-12,346"),
        (3.0, "3"),
        (7, "7"),
        (1234567, "1,234,567"),
        (math.nan, "–"),
        (None, "–"),
        (pd.NA, "–"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (True, "yes"),
        (np.bool_(False), "no"),
        (np.int64(41), "41"),
        (np.float64(0.5), "0.5"),
        (("a", "b"), "a, b"),
        ("a_b", "a_b"),
    ],
)
def test_a_value_reads_as_one_would_write_it(value, text):
    frame = pd.DataFrame({"x": pd.Series([value], dtype=object)})
    assert readable(frame, {"head": "x"}).frame.iloc[0, 0] == text


def test_an_interval_stands_in_one_cell_and_a_missing_one_leaves_no_brackets():
    frame = pd.DataFrame({"e": [1.5, 2.5, np.nan], "low": [1, np.nan, np.nan], "high": [np.inf, np.nan, np.nan]})
    shown = readable(frame, {"estimate": ("e", "low", "high"), "interval": ("low", "high")}).frame
    assert shown["estimate"].tolist() == ["1.5 [1, ∞]", "2.5", "–"]
    assert shown["interval"].tolist() == ["[1, ∞]", "–", "–"]


def _as_parsed(name):
    """Without what the parser changes itself: line ends, the zero byte, and text that is nothing but white space."""
    name = name.replace("\r", "").replace("\x00", "")
    return name if name.strip() else ""


@example(["\x0c"], "0")
@given(st.lists(st.text(max_size=12), min_size=1, max_size=4), st.text(min_size=1, max_size=8))
def test_names_come_back_out_of_the_page_as_they_went_in(names, head):
    names, head = [_as_parsed(name) for name in names], _as_parsed(head)
    page = BeautifulSoup(readable(pd.DataFrame({"x": names}), {head: "x"})._repr_html_(), "html.parser")
    assert [cell.get_text() for cell in page.select("td")] == names
    assert page.select_one("th").get_text() == head and page.select_one("th")["scope"] == "col"
    assert {tag.name for tag in page.find_all()} == {"table", "thead", "tbody", "tr", "th", "td"}


def test_rows_that_are_left_out_are_counted():
    table = readable(pd.DataFrame({"x": range(30)}), {"x": "x"}, most=20, whole="all.csv")
    assert len(table.frame) == 20 and table.note == "20 of 30 rows; all are in all.csv."
    assert "20 of 30 rows" in repr(table)
    assert readable(pd.DataFrame({"x": range(20)}), {"x": "x"}, most=20).note == ""


def test_what_is_wrong_is_said():
    with pytest.raises(StudyError, match="'y'"):
        readable(pd.DataFrame({"x": [1]}), {"head": "y"})
    with pytest.raises(ParameterError, match="most"):
        readable(pd.DataFrame({"x": [1]}), {"head": "x"}, most=0)
