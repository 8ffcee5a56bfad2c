"""The summary in a terminal: two screens at most, text of the table as it is, numbers as they were computed."""

import io
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

import genexpy_nb as gx
from genexpy_nb.own_study import terminal
from genexpy_nb.own_study.request import StudyRequest
from genexpy_nb.own_study.roles import command, propose
from genexpy_nb.study.answers import LARGE

TWO_SCREENS = 110


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


def printed(frame, request, answers, monkeypatch, width=100, encoding="utf-8", tty=False):
    monkeypatch.setenv("COLUMNS", str(width))
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="")
    if tty:
        monkeypatch.setattr(stream, "isatty", lambda: True, raising=False)
    terminal.print_summary(terminal.console_of(stream), answers, request, frame)
    stream.flush()
    return stream.buffer.getvalue().decode(encoding)


@pytest.mark.parametrize("size", [(9, 2, 1), (2, 3, 2), (12, 40, 3), (4, 3, 300), (5, 150, 1)])
def test_it_stays_on_two_screens_whatever_the_size(monkeypatch, size):
    text, _ = summary(results(*size), monkeypatch)
    lines = text.splitlines()
    assert 20 < len(lines) <= TWO_SCREENS
    assert max(map(cell_len, lines)) <= 100
    assert not re.search(r"\bnan\b|None|\binf\b", text)


def test_lines_are_as_wide_as_the_terminal(monkeypatch):
    frame = results(n_alternatives=20, n_configurations=2).eval("score = 1e7 * score")
    request, answers = answered(frame)
    for width in (20, 80, 100, 1000):
        text = printed(frame, request, answers, monkeypatch, width)
        assert max(map(cell_len, text.splitlines())) <= min(max(width, 60), 160), width
        assert width < 80 or re.search("place +alternative +mean rank ", text), width  # not cut


def test_it_is_plain_when_it_goes_elsewhere(monkeypatch):
    assert "\x1b" not in summary(results(), monkeypatch)[0]


def test_colours_are_for_terminals_that_want_them(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    request, answers = answered(results())
    coloured = printed(results(), request, answers, monkeypatch, tty=True)
    assert "\x1b[32m" in coloured or "\x1b[31m" in coloured or "\x1b[33m" in coloured
    monkeypatch.setenv("NO_COLOR", "1")
    bare = printed(results(), request, answers, monkeypatch, tty=True)
    assert not re.search(r"\x1b\[3\dm", bare)


def test_a_terminal_without_unicode_gets_bars_of_ascii(monkeypatch):
    frame = results().replace("method 1", "méthode 🎉")
    text, _ = summary(frame, monkeypatch, encoding="ascii")
    assert "|-" in text and "m?thode ?" in text


def test_numbers_are_those_that_were_computed(monkeypatch):
    text, answers = summary(results(n_experiments=25, n_configurations=2), monkeypatch)
    for sentence in answers.sentences:
        assert sentence[:40] in " ".join(text.split())
    best = answers.ranking.iloc[0]
    (line,) = (line for line in text.splitlines() if re.match(rf" +1  {best['alternative']} ", line))
    assert f"{best['mean_rank']:.2f}" in line
    pairs = gx.Study.pairs(answers.study, answers.configuration, impute=True)
    assert f"{(pairs['p_adjusted'] <= 0.05).sum()} of 10 compared" in text
    for _, row in answers.nstar.iterrows():
        assert f"{row['kernel']}  " in text and row["verdict"] in text


def test_differences_are_of_the_best_minus_the_others(monkeypatch):
    frame = results(n_experiments=25)
    text, answers = summary(frame, monkeypatch)
    wide = frame.pivot(index="dataset", columns="method", values="score")
    best = answers.ranking["alternative"].iloc[0]
    lines = text[text.index(f"{best} minus") :].splitlines()[1:5]
    for line, name in zip(lines, answers.ranking["alternative"].iloc[1:], strict=True):
        mean = (wide[best] - wide[name]).mean()
        assert line.split("  ")[1].strip() == name and f" {mean:+.3g} " in line


hostile = [
    "[red]x[/red]",
    "\x1b[31mred\x1b[0m",
    "a\nb\tc",
    "\x07\x9b2J",
    ":tada:",
    "\u202eevil",
    "[link=http://a]b[/]",
    "\\[x]",
]


def test_text_of_the_table_is_shown_as_data(monkeypatch):
    frame = results(n_alternatives=len(hostile)).replace({f"method {i}": name for i, name in enumerate(hostile)})
    text, _ = summary(frame, monkeypatch, width=160)
    for shown in ("[red]x[/red]", "red ", "a b c", ":tada:", "[link=http://a]b[/]", "\\[x]", "�evil"):
        assert shown in text
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(), st.integers(3, 30))
def test_what_is_shortened_fits(text, width):
    short = terminal.shortened(text, width)
    assert cell_len(short) <= width
    assert "\n" not in short and "\x1b" not in short


numbers = st.floats(-1e9, 1e9) | st.just(np.inf) | st.just(-np.inf)


@given(st.lists(numbers, min_size=3, max_size=3), st.floats(-1e6, 1e6), st.floats(0, 1e6), st.integers(2, 60))
def test_bars_have_their_width_and_order(ends, start, length, width):
    low, middle, high = sorted(ends)
    bar = terminal.interval_bar(low, middle, high, start, start + length, width, plain=True)
    assert len(bar) == width
    assert re.fullmatch(r" *[|<o>-]+ *", bar)


def test_a_bar_by_hand():
    assert terminal.interval_bar(0, 5, 10, 0, 10, 11) == "├────●────┤"
    assert terminal.interval_bar(-1, 5, 11, 0, 10, 11) == "◄────●────►"
    assert terminal.interval_bar(np.nan, 5, 11, 0, 10, 4) == "    "
    assert terminal.interval_bar(3, 3, 3, 0, 10, 11) == "   ●       "


def test_only_the_last_column_of_a_table_is_cut(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    frame = pd.DataFrame({f"a rather long name {i}": ["x" * 50, "y" * 50, "z" * 50] for i in range(3)})
    frame.attrs["read_as"] = "CSV; column 'x' is text: row 13 holds '1 (2)' among numbers"
    stream = io.StringIO()
    terminal.print_proposal(terminal.console_of(stream), frame, propose(frame, StudyRequest("a.csv")), ["--over"])
    text = stream.getvalue()
    assert re.search(r"a rather long name 0 +text +3 +x+…x+, y+…$", text, re.MULTILINE), text
    assert "row 13 holds" in text and "--over: no column was found" in text


def test_a_proposal_shows_columns_reasons_and_a_command_that_is_not_wrapped(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    frame = results().rename(columns={"dataset": "data set, with [a] very, very long name: " + "x" * 60})
    stream = io.StringIO()
    request = StudyRequest("a.csv")
    terminal.print_proposal(terminal.console_of(stream), frame, propose(frame, request))
    text = stream.getvalue()
    assert f"--over 'data set, with [a] very, very long name: {'x' * 60}'" in text
    assert "whole number" in text and "'score' in" in text


@pytest.mark.parametrize("seed", range(6))
def test_tables_with_gaps_ties_and_constants_are_summed_up(monkeypatch, seed):
    rng = np.random.default_rng(seed)
    frame = results(*rng.integers(3, 8, 2), n_configurations=2, rng=seed)
    frame["score"] = [frame["score"].round(1), frame["setting"] / 2, 1.0][seed % 3]
    frame.loc[rng.random(len(frame)) < 0.2, "score"] = np.nan
    text, answers = summary(frame, monkeypatch, width=80, missing="worst-rank" if seed < 3 else "complete")
    assert not re.search(r"\bnan\b|None|\binf\b", text)
    assert all(row["verdict"] in text for row in answers.nstar.to_dict("records"))


@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_means_come_with_intervals_and_verdicts(monkeypatch, width):
    text, answers = summary(results(n_experiments=12).eval("score = score + 1"), monkeypatch, width=width)
    lines = text[text.index("Ranking") : text.index("\nPairs")].splitlines()
    assert max(map(cell_len, lines)) <= width
    assert lines[1].split()[-1] == "verdict"
    verdicts = []
    for line, (place, row) in zip(lines[2:7], answers.ranking.iterrows(), strict=True):
        verdicts.append("leads" if place == 0 else "behind" if row["behind"] else "not told apart")
        assert row["alternative"] in line and line.rstrip().endswith(verdicts[-1])
        if width == 80:
            assert re.search(rf" {row['mean_score']:.3g} +{row['score_low']:.3g} to {row['score_high']:.3g} ", line)
        if width >= 100:
            low, high = answers.ranking["score_low"].min(), answers.ranking["score_high"].max()
            ends = row["score_low"], row["mean_score"], row["score_high"]
            assert terminal.interval_bar(*ends, low, high, 15) in line
    assert {"leads", "not told apart", "behind"} == set(verdicts)


def test_the_first_is_level_with_nobody_where_nothing_is_tested(monkeypatch):
    monkeypatch.setitem(LARGE, "tests", LARGE["tests"]._replace(most=1))
    text, _ = summary(results(), monkeypatch)
    lines = text[text.index("Ranking") :].splitlines()[2:7]
    assert [line.split()[-1] for line in lines] == ["leads", *["–"] * 4]


def test_noise_of_runs_takes_four_lines_and_none_where_nothing_is_averaged(monkeypatch):
    assert "Noise across runs" not in summary(results(), monkeypatch)[0]
    frame = pd.concat([results(rng=rng).assign(seed=rng) for rng in range(3)])
    text, answers = summary(frame, monkeypatch, average=["seed"])
    part = text[text.index("Noise across runs") : text.index("\nPairs")].strip().splitlines()
    assert len(part) == 4 and "averaged over seed" in part[0]
    assert [line.strip() for line in part[1:]] == answers.noise_in_words


def test_means_and_places_on_the_same_axis_are_two_columns(monkeypatch):
    frame = results().assign(score=lambda rows: rows["method"].str[-1].astype(float) + 1)
    text, _ = summary(frame, monkeypatch)
    lines = text[text.index("Ranking") :].splitlines()[1:3]
    assert lines[0].count("1             5") == 2
    assert lines[1].split() == ["1", "method", "4", "1.00", "5", "●", "1", "●", "leads"]


@pytest.mark.parametrize("width", [60, 70, 90, 140])
def test_a_second_study_is_a_line_per_conclusion_with_intervals(monkeypatch, width):
    text, answers = summary(results(n_experiments=12).eval("score = score + 1"), monkeypatch, width=width)
    part = text[text.index("Would a second study") : text.index("\nWhich experiments")]
    assert max(map(cell_len, part.splitlines())) <= width
    agreement = answers.agreement.set_index(["conclusion", "n"])
    halves = answers.agreement_of_halves.set_index("conclusion")["estimate"]
    for name in ("winner", "top 3", "order"):
        (line,) = (line for line in part.splitlines() if re.match(rf"  {name} +-?\d\.", line))
        now, then = agreement.loc[(name, 12)], agreement.loc[(name, 24)]
        numbers = [halves[name], now["estimate"], now["low"], now["high"]]
        numbers += [then["estimate"], then["low"], then["high"]] if width >= 70 else []
        assert [float(value) for value in re.findall(r"-?\d\.\d\d", line)] == pytest.approx(numbers, abs=0.00501)
        assert ("├" in line or "●" in line) == (width >= 90)
    words = " ".join(part.split())
    for sentence in answers.agreement_in_words[3:]:
        assert sentence in words


def test_too_few_experiments_for_a_second_study_are_said(monkeypatch):
    text, answers = summary(results(n_experiments=3), monkeypatch)
    part = text[text.index("Would a second study") : text.index("\nWhich experiments")]
    assert "two random halves of 1 experiment, compared" in part and "best by mean score" in part
    assert answers.agreement_in_words[0] in " ".join(part.split())


def test_every_interval_is_called_by_the_confidence_asked_for(monkeypatch):
    frame = results()
    text = summary(frame, monkeypatch, confidence=0.9)[0]
    assert "95 %" not in text and text.count("90 %") >= 4 and "90 % interval" in text
    assert "95 % interval" in summary(frame, monkeypatch)[0]
    assert command(StudyRequest("a.csv", confidence=0.9)).endswith("--confidence 0.9")
