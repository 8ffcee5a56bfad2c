"""Notebooks 10, 13 and 14: their figures draw what the frames hold, and their sentences say it."""

import re

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba
from readable_figures import check_readable

from genexpy_nb.chapters import second_study as figures

pytestmark = pytest.mark.usefixtures("styled")


def test_one_task_names_its_two_lines():
    frame = pd.DataFrame({"n": [5, 20, 84], "one_factor": [0.6, 0.97, 1.0], "predicted": [0.2, 0.4, 0.48]})
    fig = figures.one_task(frame.assign(low=[0.1, 0.2, 0.3], high=[0.4, 0.6, 0.8]))
    (ax,) = fig.axes
    for line, column in zip(ax.lines, ("one_factor", "predicted"), strict=True):
        np.testing.assert_array_equal(line.get_xydata(), frame[["n", column]])
    assert [text.get_text() for text in ax.texts] == ["same task", "different\ntasks"]
    check_readable(fig)


def test_sentences_say_the_ends():
    assert figures.between(pd.Series({"low": -0.2, "high": 0.9})) == "−0.20 to 0.90"
    assert figures.between(pd.Series({"low": 0.9951, "high": 1.0})) == "above 0.99"
    assert [figures.of_probability(value) for value in (0.154, 0.996)] == ["of 0.15", "above 0.99"]
    assert figures.shares([0.1, 0.27]) == "10 to 27 %" and figures.shares([0.5]) == "50 %"
    assert figures.written(31.14) == "31" and figures.written(np.inf) == "∞"


# --- notebooks 13 and 14 ----------------------------------------------------------------------------------------------


def models_made_up():
    numbers = {"estimate": [0.6, 0.5, 0.3], "low": [0.55, 0.45, 0.2], "high": [0.65, 0.55, 0.4]}
    return pd.DataFrame(numbers, index=["<b>a_1$</b>", "bee", "cat"]).assign(may_be_best=[True, True, False])


def algorithms_made_up():
    rows = {"DQN": [0.5, 0.4, 0.6, 0.1, 0.9], "Rainbow$": [0.8, 0.7, 0.9, 0.6, 1.1]}
    return pd.DataFrame(rows, index=["estimate", "low", "high", "games_low", "games_high"]).T


def test_accuracies_have_their_intervals_and_contenders_a_colour():
    fig = figures.accuracies(models_made_up(), 0.9)
    (ax,) = fig.axes
    bars, dots = ax.collections
    np.testing.assert_allclose([bar[:, 0] for bar in bars.get_segments()], [[55, 65], [45, 55], [20, 40]])
    np.testing.assert_allclose(dots.get_offsets(), [[60, 0], [50, 1], [30, 2]])
    colours = [tuple(colour) for colour in dots.get_facecolor()]
    assert colours[0] == colours[1] != colours[2] and ax.lines[0].get_xdata()[0] == 25
    check_readable(fig)
    assert figures.of_contenders(models_made_up()) == "the best may be <b>a_1$</b> or bee"
    assert figures.of_contenders(models_made_up()[1:].assign(may_be_best=True)[:1]) == "only bee may be the best"


def test_right_and_preferred_stand_in_one_row():
    right = models_made_up().add_prefix("right_").rename(columns={"right_estimate": "right"})
    wins = pd.DataFrame({"wins": [0.5, 0.52, 0.4]}, index=right.index)
    wins = wins.assign(wins_low=wins["wins"] - 0.1, wins_high=wins["wins"] + 0.1, may_be_best=[False, True, False])
    fig = figures.right_and_preferred(right.join(wins))
    lines, dots = zip(*(ax.collections for ax in fig.axes), strict=True)
    np.testing.assert_allclose(dots[0].get_offsets(), [[60, 0], [50, 1], [30, 2]])
    np.testing.assert_allclose(dots[1].get_offsets(), [[50, 0], [52, 1], [40, 2]])
    np.testing.assert_allclose([line[:, 0] for line in lines[0].get_segments()], [[55, 65], [45, 55], [20, 40]])
    np.testing.assert_allclose([line[:, 0] for line in lines[1].get_segments()], [[40, 60], [42, 62], [30, 50]])
    assert [[tuple(colour) for colour in dot.get_facecolor()].count(to_rgba(figures.ACCENT)) for dot in dots] == [2, 1]
    assert [ax.lines[0].get_xdata()[0] for ax in fig.axes] == [25, 50]
    check_readable(fig)


def test_the_two_intervals_of_each_algorithm_the_best_on_top():
    fig = figures.two_intervals(algorithms_made_up())
    games, seeds, dots = fig.axes[0].collections
    np.testing.assert_allclose([line[:, 0] for line in games.get_segments()], [[0.6, 1.1], [0.1, 0.9]])
    np.testing.assert_allclose([line[:, 0] for line in seeds.get_segments()], [[0.7, 0.9], [0.4, 0.6]])
    np.testing.assert_allclose(dots.get_offsets(), [[0.8, 0], [0.5, 1]])
    assert [label.get_text() for label in fig.axes[0].get_yticklabels()] == ["Rainbow$", "DQN"]
    assert figures.wider(algorithms_made_up()) == pytest.approx(3.25)  # between 2.5 and 4
    check_readable(fig)


def test_profiles_name_the_chosen_from_zero_to_one():
    thresholds = [-1.0, 0.0, 0.5, 0.9, 1.0]
    found = pd.concat(
        pd.DataFrame({"algorithm": name, "threshold": thresholds, "estimate": [1.0, top, top / 2, top / 4, 0.0]})
        for name, top in (("one", 0.8), ("two", 0.6), ("other", 0.4))
    )
    fig = figures.profiles(found, ["one", "two"])
    ax = fig.axes[0]
    np.testing.assert_allclose(ax.lines[0].get_xydata(), [[0, 80], [0.5, 40], [0.9, 20]])
    assert [text.get_text() for text in ax.texts] == ["one", "two"] and len(ax.lines) == 3
    check_readable(fig)


def test_leads_are_percentage_points(capsys):
    leads = {"first": "ant", "second": ["bee"], "estimate": 0.1, "low": 0.05, "high": 0.15}
    figures.show_leads(pd.DataFrame({**leads, "smallest": -0.1, "next_low": -0.2, "next_high": 0.4}), 0.9)
    said = capsys.readouterr().out
    assert "Leads in percentage points, with two 90 % intervals" in said
    assert re.search(r"ant +bee +10.0 +−10.0 +5.0 +15.0 +−20.0 +40.0", said)
