"""Notebook 10: its figure draws what the frame holds, and its known world is one whose truth can be calculated."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from readable_figures import check_readable
from scipy.stats import binomtest, norm

from genexpy_nb import MallowsKernel
from genexpy_nb.chapters import second_study as figures

pytestmark = pytest.mark.usefixtures("styled")


def one_of_two():
    n = np.array([5, 20, 100])
    frame = pd.DataFrame({"n": n, "one_factor": [0.6, 0.97, 1.0], "predicted": [0.2, 0.4, 0.48]})
    return frame.assign(truth=[0.18, 0.42, 0.47], low=[0.1, 0.2, 0.3], high=[0.4, 0.6, 0.8])


@pytest.mark.parametrize(
    "draw",
    [
        lambda: figures.fixed_factor(one_of_two(), "$x_1$", "<b>model</b>"),
        lambda: figures.fixed_factor(one_of_two().head(1), "datasets", "_50%"),
    ],
)
def test_every_figure_can_be_read(draw):
    check_readable(draw())


def test_lines_and_their_last_numbers():
    frame = one_of_two()
    ax = figures.fixed_factor(frame.iloc[::-1], "datasets", "models").axes[0]
    for line, column in zip(ax.lines, ("one_factor", "predicted", "truth"), strict=True):
        np.testing.assert_array_equal(line.get_xydata(), frame[["n", column]])
    assert [text.get_text() for text in ax.texts] == ["1.00", "0.48", "0.47"]
    assert [text.xy[0] for text in ax.texts] == [100, 100, 100]
    heights = [text.xy[1] for text in ax.texts]
    assert heights[0] == 1.0 and heights[1] - heights[2] == pytest.approx(0.07)
    assert ax.get_xlabel() == "datasets in a study"


@settings(max_examples=8)
@given(st.lists(st.floats(0, 1), min_size=3, max_size=3))
def test_numbers_at_the_ends_are_apart_and_in_order(heights):
    frame = pd.DataFrame([[10, *heights]], columns=["n", "one_factor", "truth", "predicted"])
    fig = figures.fixed_factor(frame, "datasets", "models")
    texts = fig.axes[0].texts
    values, places = (np.array(each) for each in zip(*((float(t.get_text()), t.xy[1]) for t in texts), strict=True))
    order = np.argsort(places)
    assert (np.diff(places[order]) >= 0.07 - 1e-9).all() and places.min() >= 0 and places.max() <= 1
    assert (np.diff(values[order]) >= 0).all()
    plt.close(fig)


def test_agreement_in_a_known_world_is_that_of_normal_means():
    """Two methods, one prompt: both of a pair of studies agree if the same method wins all of their datasets."""

    def draw(rng, n, m):
        lead = np.repeat(rng.normal(0.5, 1, m), n)  # a prompt decides for all datasets
        return np.column_stack([lead, np.zeros(n * m)])

    wins = norm.cdf(0.5)
    found = figures.true_agreement(draw, [3, 30], 1, MallowsKernel(), 0.05, np.random.default_rng(0))
    for share in found:
        assert binomtest(round(400 * share), 400, wins**2 + (1 - wins) ** 2).pvalue > 0.01


def test_sentences_say_the_ends():
    assert figures.between(pd.Series({"low": -0.2, "high": 0.9})) == "−0.20 to 0.90"
    assert figures.shares([0.1, 0.27]) == "10 to 27 %" and figures.shares([0.5]) == "50 %"
    assert figures.written(31.14) == "31" and figures.written(np.inf) == "∞"
