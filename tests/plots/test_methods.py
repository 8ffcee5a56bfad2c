"""What the figures of the methods chapter show is read back from their artists, and can be read."""

import numpy as np
import pandas as pd
import pytest
from readable_figures import check_readable

from genexpy_nb.chapters import methods
from genexpy_nb.plots import methods as figures

pytestmark = pytest.mark.usefixtures("styled")

WORLDS = methods.example_worlds()[1:3]
SIZES = [5, 10, 40]
CURVES = methods.curves_beside_truth(WORLDS, SIZES, 0.9, n_pairs=500)
QUANTILES = methods.compare_with_truth(WORLDS, SIZES, 0.9, n_studies=4, n_pairs=500)
PICKS = methods.cherry_picking([0.5, 0.0, -0.5], 12, [4, 8, 12], n_studies=30)
STUDIES = pd.DataFrame(
    {
        "policy": np.repeat(list(methods.POLICIES), 5),
        "n": np.tile([5, 10, 20, 30, 60], 4),
        "generalizability": np.tile([0.4, 0.8, 0.9, 0.95, 0.99], 4),
    }
)


def test_the_truth_lies_below_each_approximation():
    fig = figures.truth_and_approximations(CURVES, QUANTILES, 0.9)
    assert len(fig.axes) == 6 and fig.axes[4].get_title("left") == "one ranking and noise, n = 10"
    ax = fig.axes[1]
    truth, *others = ax.lines[: 1 + len(methods.APPROXIMATIONS)]
    here = CURVES[(CURVES["world"] == "two rankings") & (CURVES["n"] == 10)].set_index("curve")
    np.testing.assert_allclose(truth.get_ydata(), np.maximum(here.loc["truth", "exceedance"], 0.001))
    for line, name in zip(others, methods.APPROXIMATIONS, strict=True):
        np.testing.assert_allclose(line.get_ydata(), np.maximum(here.loc[name, "exceedance"], 0.001))
        assert line.get_linewidth() < truth.get_linewidth()


def test_quantiles_are_marked_where_they_are():
    fig = figures.truth_and_approximations(CURVES, QUANTILES, 0.9)
    row = QUANTILES[(QUANTILES["world"] == "two rankings") & (QUANTILES["n"] == 5)].set_index("approximation")
    bar, square, diamond = fig.axes[0].collections
    np.testing.assert_allclose(bar.get_segments()[0][:, 0], row.loc["regression", ["low", "high"]].astype(float))
    np.testing.assert_allclose(square.get_offsets()[0], [row.loc["regression", "quantile"], 0.1])
    np.testing.assert_allclose(diamond.get_offsets()[0], [row.loc["limit law", "truth"], 0.1])


def test_picks_are_drawn_beside_draws():
    fig = figures.cherry_picks(PICKS, ["good", "middling", "$bad$"])
    drawn, picked = fig.axes
    for ax, column in ((drawn, "drawn"), (picked, "picked")):
        for method, line in enumerate(ax.lines):
            np.testing.assert_allclose(line.get_ydata(), PICKS.loc[PICKS["method"] == method, column])


def test_means_and_medians_of_ends():
    fig = figures.ends_of_studies(STUDIES, 23, 0.95)
    ax = fig.axes[0]
    (means,) = ax.collections
    np.testing.assert_allclose(means.get_offsets()[:, 0], 25)
    assert [label.get_text() for label in ax.get_yticklabels()] == list(methods.POLICIES)
    assert ax.texts[0].get_text() == "n* = 23"


@pytest.mark.parametrize(
    "draw",
    [
        lambda: figures.truth_and_approximations(CURVES, QUANTILES, 0.9),
        lambda: figures.truth_and_approximations(
            CURVES[CURVES["world"] == "two rankings"], QUANTILES[QUANTILES["world"] == "two rankings"], 0.9
        ),
        lambda: figures.cherry_picks(PICKS, ["$good$", "a method in between", "the worst of all methods"]),
        lambda: figures.ends_of_studies(STUDIES, 23, 0.95),
    ],
)
def test_figures_can_be_read(draw):
    check_readable(draw())
