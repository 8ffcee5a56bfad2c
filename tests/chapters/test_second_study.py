"""Figures of notebook 10: what they draw is what the frames hold, and it can be read."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from readable_figures import check_readable

from genexpy_nb.chapters import second_study as figures

pytestmark = pytest.mark.usefixtures("styled")

AWKWARD = ["$a_1$ & $b$", "_50% <b>bold</b>", "line\nbreak", "\U0001f389 model", "שלום 12", "x" * 200, "x" * 199 + "y"]


def table(worlds, methods):
    index = pd.MultiIndex.from_product([worlds, methods], names=["world", "method"])
    rng = np.random.default_rng(0)
    shape = len(index)
    numbers = {"bias": rng.normal(0, 0.2, shape), "rms": rng.gamma(2, 0.1, shape)}
    numbers |= {"coverage": rng.beta(20, 2, shape), "width": rng.random(shape) * 2}
    frame = pd.DataFrame(numbers, index).reset_index()
    frame.loc[frame["method"] == methods[0], ["coverage", "width"]] = np.nan
    return frame.assign(conclusion="winner", n=30, n_samples=200)


def one_of_two():
    n = np.array([5, 20, 100])
    frame = pd.DataFrame({"n": n, "one_factor": [0.6, 0.97, 1.0], "predicted": [0.2, 0.4, 0.48]})
    return frame.assign(truth=[0.18, 0.42, 0.47], low=[0.1, 0.2, 0.3], high=[0.4, 0.6, 0.8])


@pytest.mark.parametrize(
    "draw",
    [
        lambda: figures.agreement_by_method(table([*AWKWARD, "w"], [*AWKWARD, "m", "n"])),
        lambda: figures.fixed_factor(one_of_two(), ("$x_1$", "<b>model</b>"), 3),
        lambda: figures.fixed_factor(one_of_two().head(1), AWKWARD[-2:], 1),
    ],
)
def test_every_figure_can_be_read(draw):
    check_readable(draw())


def test_numbers_of_a_table_stand_where_they_belong():
    names = AWKWARD[:4]
    frame = table(["w1", "w2", "w3"], names).sample(frac=1, random_state=0)
    fig = figures.agreement_by_method(frame)
    for ax, measure in zip(fig.axes, ("bias", "rms", "coverage", "width"), strict=True):
        methods, worlds = frame["method"].unique(), frame["world"].unique()
        shown = {tuple(np.floor(text.get_position()).astype(int)): text for text in ax.texts}
        assert len(shown) == 12
        for (column, row), text in shown.items():
            (value,) = frame.loc[(frame["method"] == methods[column]) & (frame["world"] == worlds[row]), measure]
            if np.isnan(value):
                assert text.get_text() == "–"
                continue
            assert float(text.get_text()) == pytest.approx(value, abs=0.00501)
            bold = measure == "coverage" and round(value, 2) < 0.9
            assert (text.get_fontweight() == "bold") == bold
        if measure in ("rms", "coverage"):  # the darker the worse
            there = frame.assign(column=frame["method"].map({m: i for i, m in enumerate(methods)}))
            there = there.assign(row=there["world"].map({w: i for i, w in enumerate(worlds)})).sort_values(
                ["row", "column"]
            )
            dark = 3 - ax.collections[0].get_facecolors()[:, :3].sum(axis=1)
            known = there[measure].notna().to_numpy()
            worse = there[measure].to_numpy()[known] * (1 if measure == "rms" else -1)
            assert (np.diff(dark[known][np.argsort(worse)]) >= 0).all() and np.ptp(dark[known]) > 0.2
    p, n, z = frame["coverage"], 200, 1.959964  # Wilson's interval
    half = z / (1 + z**2 / n) * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    middle = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    widest = np.maximum(p - middle + half, middle + half - p).max()
    said = f"winner, n = 30; bold: coverage below 0.90; Monte-Carlo intervals of a coverage reach at most {widest:.2f} "
    assert fig.get_supxlabel() == said + "from it; –: none"


def test_lines_and_their_last_numbers():
    frame = one_of_two()
    ax = figures.fixed_factor(frame.iloc[::-1], ("dataset", "model"), 3).axes[0]
    for line, column in zip(ax.lines, ("one_factor", "predicted", "truth"), strict=True):
        np.testing.assert_array_equal(line.get_xydata(), frame[["n", column]])
    assert [text.get_text() for text in ax.texts] == ["1.00", "0.48", "0.47"]
    assert [text.xy[0] for text in ax.texts] == [100, 100, 100]
    heights = [text.xy[1] for text in ax.texts]
    assert heights[0] == 1.0 and heights[1] - heights[2] == pytest.approx(0.07)
    assert ax.get_title(loc="left") == "How often two studies agree, each with 3 levels of model"


@settings(max_examples=8, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=3, max_size=3))
def test_numbers_at_the_ends_are_apart_and_in_order(heights):
    frame = pd.DataFrame([[10, *heights]], columns=["n", "one_factor", "truth", "predicted"])
    fig = figures.fixed_factor(frame, ("dataset", "model"), 3)
    texts = fig.axes[0].texts
    values, places = (np.array(each) for each in zip(*((float(t.get_text()), t.xy[1]) for t in texts), strict=True))
    order = np.argsort(places)
    assert (np.diff(places[order]) >= 0.07 - 1e-9).all() and places.min() >= 0 and places.max() <= 1
    assert (np.diff(values[order]) >= 0).all()
    plt.close(fig)
