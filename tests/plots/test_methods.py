"""What the figures of the methods chapter show is read back from their artists, and can be read."""

import numpy as np
import pytest
from readable_figures import check_readable

from genexpy_nb.chapters.shared import made
from genexpy_nb.plots import methods as figures

pytestmark = pytest.mark.usefixtures("styled")

COMPARED = made("simulated_quantiles")
PICKS = made("simulated_picks")
NAMES = ["good", "$second$", "a method in between", "middling", "the worst of all methods"]


def test_every_error_is_a_mark_in_the_row_of_its_approximation():
    fig = figures.errors_of_quantiles(COMPARED)
    names, (ax,) = COMPARED["approximation"].unique().tolist(), fig.axes
    assert [label.get_text() for label in ax.get_yticklabels()] == names
    for (_, of), mark in zip(COMPARED.groupby("world", sort=False), ax.collections, strict=True):
        np.testing.assert_allclose(mark.get_offsets()[:, 0], of["error"])
        assert [names[round(y)] for y in mark.get_offsets()[:, 1]] == of["approximation"].tolist()


def test_picks_are_drawn_beside_draws():
    fig = figures.cherry_picks(PICKS, NAMES)
    drawn, picked = fig.axes
    for ax, column in ((drawn, "drawn"), (picked, "picked")):
        for method, line in enumerate(ax.lines):
            np.testing.assert_allclose(line.get_ydata(), PICKS.loc[PICKS["method"] == method, column])


@pytest.mark.parametrize(
    "draw",
    [
        lambda: figures.errors_of_quantiles(COMPARED),
        lambda: figures.errors_of_quantiles(COMPARED[COMPARED["world"] == "two rankings"]),
        lambda: figures.cherry_picks(PICKS, NAMES),
    ],
)
def test_figures_can_be_read(draw):
    check_readable(draw())
