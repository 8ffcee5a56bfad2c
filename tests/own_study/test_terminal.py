"""What a terminal shows: one screen, all if asked for, text of the table as it is, numbers as they were computed."""

import io
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from genexpy_nb.own_study import terminal
from genexpy_nb.own_study.request import StudyRequest
from genexpy_nb.own_study.roles import command, propose, readings
from genexpy_nb.study.sentences import QUESTIONS

FIRST_SCREEN = 40
FILES = 5  # lines that say where the files are, printed below the rest


def results(n_experiments=9, n_alternatives=5, n_configurations=1, rng=0):
    rng = np.random.default_rng(rng)
    shape = (n_configurations, n_experiments, n_alternatives)
    index = np.indices(shape).reshape(3, -1)
    frame = pd.DataFrame({"setting": index[0], "dataset": index[1], "method": index[2]})
    frame["score"] = -0.1 * np.log1p(frame["method"]) + rng.normal(0, 0.05, len(frame))
    return frame.assign(method="method " + frame["method"].astype(str))


def summary(frame, monkeypatch, width=100, encoding="utf-8", tty=False, **asked):
    request, answers = answered(frame, **asked)
    return printed(frame, request, answers, monkeypatch, width, encoding, tty), answers


def answered(frame, **asked):
    request = StudyRequest("a.csv", ["method"], ["score=higher"], ["dataset"], ["setting"], **asked)
    return request, request.answers(request.study(frame))


def printed(frame, request, answers, monkeypatch, width=100, encoding="utf-8", tty=False, of=terminal.print_summary):
    monkeypatch.setenv("COLUMNS", str(width))
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="")
    if tty:
        monkeypatch.setattr(stream, "isatty", lambda: True, raising=False)
    of(terminal.console_of(stream), answers, request, frame)
    stream.flush()
    return stream.buffer.getvalue().decode(encoding)


def screen(frame, monkeypatch, width=100, **asked):
    request, answers = answered(frame, **asked)
    text = printed(frame, request, answers, monkeypatch, width, of=terminal.print_first)
    assert max(map(cell_len, text.splitlines())) <= width
    assert not re.search(r"\bnan\b|None|\binf\b|\x1b|\(see|  !.*missing=", text)
    return text, answers


def rows_of(text):
    """The lines of the table, by what stands in its first columns."""
    lines = text.splitlines()
    (head,) = (i for i, line in enumerate(lines) if line.startswith("  place  method"))
    return [re.split(" {2,}", line.strip()) for line in lines[head:]]


def mixed(frame):
    """The last experiments are scored by another measure, below zero."""
    return frame.assign(score=(frame["score"] + 1).where(frame["dataset"] < 20, np.log(frame["score"] + 1) - 1))


def mostly_missing(frame):
    gone = np.random.default_rng(1).random(len(frame)) < np.where(frame["method"] == "method 7", 0.8, 0.25)
    return frame.assign(score=frame["score"].mask(gone))


#: Tables, between how many may be the best, and words of the screen.
FIRST = {
    "one winner": (lambda: results(30, 8).eval("score = score + (method == 'method 0')"), 1, 1, "may be named"),
    "a tie": (lambda: results(30, 8).eval("score = score + (method < 'method 2') + 0.07 * (method == 'method 1')"),
              2, 2, "2 of the 8 methods may be the best"),
    "nothing to tell": (lambda: results(8, 87).eval("score = score % 0.01"), 60, 87, "may be the best"),
    "much missing": (lambda: mostly_missing(results(30, 8)), 1, 7, "is not ranked"),
    "mixed scales": (lambda: mixed(results(30, 6)), 1, 6, "! Scales differ: all scores are below 0 in 10"),
    "three experiments": (lambda: results(3, 4), 4, 4, "cannot be said: 3 experiments tell nobody apart"),
    "one alternative": (lambda: pd.concat([results(9, 1), results(5, 3).assign(setting=1)]), 0, 1, "nothing to"),
    "configurations": (lambda: results(30, 5, 3), 1, 5, "setting=0, one of 3 configurations"),
    "narrow": (lambda: results(30, 8), 1, 8, "who is best?"),
    "narrow, with gaps": (lambda: mostly_missing(results(30, 9)), 1, 8, "run in"),
}  # fmt: skip


@pytest.mark.parametrize("case", FIRST)
def test_the_first_screen_of_any_table(monkeypatch, case):
    make, least, most, words = FIRST[case]
    width = 60 if case.startswith("narrow") else 100
    text, answers = screen(make(), monkeypatch, width)
    said = " ".join(text.split())
    assert least <= len(answers.contenders) <= most and words in said
    assert QUESTIONS[-1] in said and all(head in said and text in said for head, text in answers.headed)
    assert len(text.splitlines()) + FILES <= FIRST_SCREEN + (6 if width < 80 else 0)


def test_the_table_of_the_first_screen(monkeypatch):
    frame = results(30, 8).eval("score = score + 1")
    text, answers = screen(frame, monkeypatch)
    assert len(text.splitlines()) + FILES <= FIRST_SCREEN
    head, *rows = rows_of(text)
    assert head == ["place", "method", "can be", "mean rank", "mean", "95 % interval", "best in"]
    for row, expected in zip(rows, answers.ranking.to_dict("records"), strict=True):
        low, high = expected["low"], expected["high"]
        places = f"{low}" if low == high else f"{low}–{high}"
        assert row[1:4] == [expected["alternative"], places, f"{expected['mean_rank']:.2f}"]
        ends = f"{expected['score_low']:.2f} to {expected['score_high']:.2f}"
        assert row[4:] == [f"{expected['mean_score']:.2f}", ends, f"{expected['share_best']:.0%}"]
    heads = ["place", "method", "can be", "mean rank", "mean", "best in"]
    assert rows_of(screen(frame, monkeypatch, 60)[0])[0] == heads
    assert rows_of(screen(mixed(frame), monkeypatch)[0])[0] == ["place", "method", "can be", "mean rank", "best in"]


def test_who_is_not_ranked_stands_below(monkeypatch):
    text, answers = screen(mostly_missing(results(30, 8)), monkeypatch)
    assert rows_of(text)[-1] == ["–", "method 7", "–", str(answers.not_ranked["method 7"])]


def test_numbers_of_a_column_have_the_same_decimals_unless_that_hides_some():
    assert terminal._alike(np.array([[0.5, 0.123], [12.0, np.nan]])) == [["0.5", "0.1"], ["12.0", "–"]]
    assert terminal._alike(np.array([[0.5, 100.0], [12345.0, 0.01]])) == [["0.5", "100"], ["12,345", "0.01"]]
    assert terminal._alike(np.array([[0.0, np.nan]])) == [["0", "–"]]


@pytest.mark.parametrize("size", [(9, 2, 1), (2, 3, 2), (4, 3, 6), (5, 12, 1), "gaps, ties", "constant"])
def test_everything_has_the_first_rows_of_every_table_whatever_the_size(monkeypatch, size):
    frame = results(*size) if isinstance(size, tuple) else mostly_missing(results(6, 4)).round({"score": 1})
    text, answers = summary(frame.assign(score=1.0) if size == "constant" else frame, monkeypatch)
    lines = text.splitlines()
    assert max(map(cell_len, lines)) <= 100 and not re.search(r"\bnan\b|None|NA>|\binf\b", text)
    for name, table in answers.tables().items():
        (head,) = [i for i, line in enumerate(lines) if line.endswith(f"all in {name}.csv")] or [None]
        assert (head is None) == table.empty, name
        if head is not None:
            shown = min(len(table), terminal.MOST_ROWS)
            assert lines[head].startswith(f"{name}  {shown} of {len(table):,} row")
            assert lines[head + shown + 1].strip() and not lines[head + shown + 2], name


def test_cells_of_everything_are_those_of_the_tables(monkeypatch):
    text, answers = summary(results(n_experiments=12), monkeypatch, width=160)
    lines = text[text.index("\ncontenders  5 of 5 rows, 8 of 8 columns") :].splitlines()[3:8]
    for line, row in zip(lines, answers.gaps.itertuples(index=False), strict=True):
        name, may, p, *numbers = re.split("  +", line.strip())
        assert (name, may) == (row.alternative, str(row.may_be_best)) and float(p) == pytest.approx(row.p, rel=0.005)
        assert [*map(float, numbers)] == pytest.approx([*row[3:]], rel=0.005)


def test_lines_are_as_wide_as_the_terminal(monkeypatch):
    frame = results(n_alternatives=14, n_configurations=2).eval("score = 1e7 * score")
    request, answers = answered(frame)
    for width in (20, 60, 100, 1000):
        for of in (terminal.print_summary, terminal.print_first):
            text = printed(frame, request, answers, monkeypatch, width, of=of)
            assert max(map(cell_len, text.splitlines())) <= min(max(width, 60), 160), width
        assert re.search("place +method +can be +mean rank ", text), width  # not cut


def test_colours_are_for_terminals_that_want_them(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    frame = mixed(results(30, 6))  # which is warned of
    asked = (frame, *answered(frame), monkeypatch)
    assert "\x1b[33m" in printed(*asked, tty=True, of=terminal.print_first)
    monkeypatch.setenv("NO_COLOR", "1")
    bare = printed(*asked, tty=True, of=terminal.print_first)
    assert not re.search(r"\x1b\[3\dm", bare)


def test_a_terminal_without_unicode_gets_ascii(monkeypatch):
    frame = results().replace("method 1", "méthode 🎉")
    text = printed(frame, *answered(frame), monkeypatch, encoding="ascii", of=terminal.print_first)
    assert "m?thode ?" in text and re.search(r"  1-\d  ", text)


hostile = ["[red]x[/red]", "\x1b[31mred\x1b[0m", "a\nb\tc", "\x07\x9b2J", ":tada:", "\u202eevil"]
hostile += ["[link=http://a]b[/]", "\\[x]"]


def test_text_of_the_table_is_shown_as_data(monkeypatch):
    frame = results(n_alternatives=len(hostile)).replace({f"method {i}": name for i, name in enumerate(hostile)})
    text, _ = summary(frame, monkeypatch, width=160)
    for shown in ("[red]x[/red]", "red ", "a b c", ":tada:", "[link=http://a]b[/]", "\\[x]", r"\u202eevil"):
        assert shown in text
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)


@settings(max_examples=50)
@given(st.text(), st.integers(3, 30))
def test_what_is_shortened_fits(text, width):
    short = terminal.shortened(text, width)
    assert cell_len(short) <= width
    assert "\n" not in short and "\x1b" not in short


def test_only_the_last_column_of_a_table_is_cut(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    frame = pd.DataFrame({f"a rather long name {i}": ["x" * 50, "y" * 50, "z" * 50] for i in range(3)})
    frame.attrs["read_as"] = "CSV; column 'x' is text: row 13 holds '1 (2)' among numbers"
    stream = io.StringIO()
    proposal = propose(frame, StudyRequest("a.csv"))
    terminal.print_proposal(terminal.console_of(stream), frame, proposal, readings(frame, proposal)[0])
    text = stream.getvalue()
    assert re.search(r"a rather long name 0 +text +3 +x+…x+, y+…$", text, re.MULTILINE), text
    assert "row 13 holds" in text


def test_a_proposal_shows_columns_reasons_and_a_command_that_is_not_wrapped(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    frame = results().rename(columns={"dataset": "data set, with [a] very, very long name: " + "x" * 60})
    stream = io.StringIO()
    request = StudyRequest("a.csv")
    proposal = propose(frame, request)
    terminal.print_proposal(terminal.console_of(stream), frame, proposal, readings(frame, proposal)[0])
    text = stream.getvalue()
    assert f"--over 'data set, with [a] very, very long name: {'x' * 60}'" in text
    assert "whole number" in text and "'method' in" in text


def test_noise_of_runs_is_told_only_where_something_is_averaged(monkeypatch):
    assert "Noise across runs" not in summary(results(), monkeypatch)[0]
    frame = pd.concat([results(rng=rng).assign(seed=rng) for rng in range(3)])
    text, answers = summary(frame, monkeypatch, average=["seed"])
    assert answers.noise_in_words and all(sentence in " ".join(text.split()) for sentence in answers.noise_in_words)


def test_every_interval_is_called_by_the_confidence_asked_for(monkeypatch):
    frame = results()
    text = summary(frame, monkeypatch, confidence=0.9)[0]
    assert "nominal 95 %" not in text and text.count("90 %") >= 4 and "90 % interval" in text
    assert "95 % confidence" in text  # of the test of who may be the best, whose level is another option
    assert "90 % confidence" in summary(frame, monkeypatch, level=0.1)[0]
    assert command(StudyRequest("a.csv", confidence=0.9)).endswith("--confidence 0.9")
