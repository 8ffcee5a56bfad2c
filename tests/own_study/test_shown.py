"""Frames as people read them: nothing lost, nothing that a browser would run, no internal words."""

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from hypothesis import example, given
from hypothesis import strategies as st

from genexpy_nb.common import page
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.page_tables import readable
from genexpy_nb.common.prose import visible
from genexpy_nb.own_study.shown import MOST_ROWS, show_needs, show_readable


def shown(*arguments, show=show_readable, **more):
    """What `show_readable` hands to the page: HTML and what is said about the table."""
    found = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page, "hand_over", lambda data, kind, **said: found.append((data, said)))
        show(*arguments, **more)
    (data, said), (caption, _) = found
    assert caption["text/markdown"] == said["caption"]
    return data["text/html"], said


WRITTEN = [(0.123456, "0.123"), (12345.678, "12,346"), (1.234e-5, "0.000012"), (1.2e-15, "1.2 × 10⁻¹⁵"), (7, "7")]
WRITTEN += [(math.nan, "–"), (None, "–"), (math.inf, "∞"), (True, "yes"), (np.bool_(False), "no")]


@pytest.mark.parametrize(("value", "text"), [*WRITTEN, (np.int64(4100), "4,100"), (("a", "b"), "a, b")])
def test_a_value_reads_as_one_would_write_it(value, text):
    frame = pd.DataFrame({"x": pd.Series([value], dtype=object)})
    assert readable(frame, [("head", "x"), ("again", "x")]).reset_index().iloc[0].tolist() == [text, text]


def test_an_interval_stands_in_one_cell_and_a_missing_one_leaves_no_brackets():
    frame = pd.DataFrame({"e": [1.5, 2.5, np.nan], "low": [1, np.nan, np.nan], "high": [np.inf, np.nan, np.nan]})
    table = readable(frame, {"estimate": ("e", "low", "high"), "interval": ("low", "high")})
    assert table.index.tolist() == ["1.50 [1.00, ∞]", "2.50", "–"]
    assert table["interval"].tolist() == ["[1, ∞]", "–", "–"]


def _as_parsed(name):
    """Without what the parser changes itself: line ends, the zero byte, and text that is nothing but white space."""
    return name if (name := name.replace("\r", "").replace("\x00", "")).strip() else ""


@example(["\x0c"], "0")
@given(st.lists(st.text(max_size=12), min_size=1, max_size=4), st.text(min_size=1, max_size=8))
def test_names_come_back_out_of_the_page_as_they_went_in(names, head):
    names, head = [_as_parsed(name) for name in names], _as_parsed(head)
    html, _ = shown(pd.DataFrame({"x": names}), [(head, "x"), (head, "x")], "mine", "All.")
    soup = BeautifulSoup(html, "html.parser")
    assert (
        [cell.get_text() for cell in soup.select("tbody th")]
        == list(map(visible, names))
        == [c.get_text() for c in soup.select("tbody td")]
    )
    assert [(cell.get_text(), cell["scope"]) for cell in soup.select("thead th")] == [
        (visible(head), "col")
    ] * 2 or not head
    assert {tag.name for tag in soup.find_all()} <= {"table", "thead", "tbody", "tr", "th", "td"}


def test_rows_that_are_left_out_are_counted_and_in_the_csv_if_they_are_not_too_many():
    frame = pd.DataFrame({"x": range(30), "y": 1 / 3})
    html, said = shown(frame, {"x": "x", "y": "y"}, "mine", "Some.", most=20, whole="all.csv")
    assert html.count("<tr>") == 21 and said["caption"] == "Some. 20 of 30 rows; all are in the CSV here."
    assert said["csv"] == frame.to_csv(index=False, lineterminator="\n")
    assert shown(frame, {"x": "x"}, "mine", "Some.", most=20)[1]["caption"].endswith("all are in the CSV here.")
    assert shown(frame, {"x": "x"}, "mine", "Some.", most=30)[1]["caption"] == "Some."
    long = pd.DataFrame({"x": range(MOST_ROWS + 1)})
    _, said = shown(long, {"x": "x"}, "mine", "Some.", most=2, whole="all.csv")
    assert said["caption"] == "Some. 2 of 1,001 rows; all are in all.csv." and said["csv"] == "x\n0\n1\n"
    assert shown(long, {"x": "x"}, "mine", "Some.", most=2)[1]["caption"] == "Some. 2 of 1,001 rows."


def test_what_is_still_to_run_reaches_the_end_of_the_interval_not_of_what_is_shown():
    needs = {"kernel": "k", "n_experiments": 28, "nstar": 26.9, "low": 23.7, "high": 30.02, "more": 0}
    found = SimpleNamespace(kernels=[], nominal="95 %", study=SimpleNamespace(design=[]), enough_in_words="")
    html, _ = shown(found, pd.DataFrame([needs | {"verdict": "", "note": ""}]), pd.DataFrame(), show=show_needs)
    assert "<td>27 [24, 31]</td>" in html and "<td>0 [0, 3]</td>" in html


def test_a_column_may_have_a_form_of_its_own_and_its_numbers_stay_in_the_csv():
    frame = pd.DataFrame({"x": ["a", "b"], "share": [0.5, np.nan]})
    html, said = shown(frame, {"x": "x", "share": "share"}, "mine", "All.", forms={"share": "{:.0%}".format})
    assert "<td>50%</td>" in html and "<td>–</td>" in html
    assert "a,0.5\n" in said["csv"] and frame["share"].iloc[0] == 0.5


def test_a_head_may_be_called_as_another_one_and_hold_anything():
    frame = pd.DataFrame({"a_b": ["x", "y"], "score": [1, 2]})
    html, _ = shown(frame, [("mean_rank", "a_b"), ("mean_rank", "score"), ("<b>", "score")], "mine", "All.")
    assert html.count(">mean_rank<") == 2 and "&lt;b&gt;" in html


def test_what_is_wrong_is_said():
    with pytest.raises(StudyError, match="'y'"):
        readable(pd.DataFrame({"x": [1]}), {"head": "y"})
    with pytest.raises(ParameterError, match="most"):
        readable(pd.DataFrame({"x": [1]}), {"head": "x"}, most=0)
