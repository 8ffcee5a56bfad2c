"""Figures of a second study: what they draw is what the frames hold, and it can be read at any size."""

import numpy as np
import pandas as pd
import pytest
from readable_figures import check_readable, names

from genexpy_nb.plots import study as figures

pytestmark = pytest.mark.usefixtures("styled")


def curves(k, n=(5, 10, 20, 40, 160)):
    parts = [
        pd.DataFrame({"conclusion": name, "n": n, "estimate": 1 - np.exp(-np.array(n) / (20 * (i + 1)))})
        for i, name in enumerate(names(k))
    ]
    frame = pd.concat(parts, ignore_index=True)
    return frame.assign(low=frame["estimate"] / 2, high=(frame["estimate"] + 1) / 2)


# --- all of them ------------------------------------------------------------------------------------------------------

READABLE = {
    **{f"curves of {k}": lambda k=k: figures.agreement_curves(curves(k), 41) for k in (1, 3, 20)},
    "curves of one n": lambda: figures.agreement_curves(curves(1, [30])),
    "curves of a narrow range": lambda: figures.agreement_curves(curves(1, [30, 31]), observed=32),
}


@pytest.mark.parametrize("name", READABLE)
def test_every_figure_can_be_read(name):
    check_readable(READABLE[name]())


# --- agreement --------------------------------------------------------------------------------------------------------


def test_a_panel_shows_the_rows_of_its_conclusion():
    frame = curves(4).sample(frac=1, random_state=1)
    fig = figures.agreement_curves(frame, 41)
    assert len(fig.axes) == 4
    for ax, conclusion in zip(fig.axes, frame["conclusion"].unique(), strict=True):
        part = frame[frame["conclusion"] == conclusion].sort_values("n")
        curve, at_hand = ax.lines
        np.testing.assert_array_equal(curve.get_xydata(), part[["n", "estimate"]])
        assert set(at_hand.get_xdata()) == {41}
        (band,) = ax.collections
        corners = {tuple(vertex) for vertex in band.get_paths()[0].vertices}
        assert {*zip(part["n"], part["low"], strict=True), *zip(part["n"], part["high"], strict=True)} <= corners
        assert ax.get_ylim() == (-0.02, 1.02)


@pytest.mark.parametrize(("lowest", "bottom"), [(0.0, 0), (-0.25, -0.5), (-0.3, -0.5), (-1.0, -1)])
def test_the_axis_goes_below_zero_where_tau_does(lowest, bottom):
    frame = pd.DataFrame({"conclusion": ["order", "winner"], "n": 10, "estimate": 0.5, "low": [lowest, 0.1]})
    order, winner = figures.agreement_curves(frame.assign(high=0.9)).axes
    assert order.get_ylim() == (pytest.approx(bottom - 0.02), 1.02) and winner.get_ylim() == (-0.02, 1.02)
    ticks = order.get_yticks()
    assert ticks[0] == bottom and ticks[-1] == 1 and 0 in ticks


def test_an_estimate_is_drawn_only_inside_its_band():
    frame = curves(1)
    frame.loc[0, "estimate"], frame.loc[2, "estimate"], frame.loc[3, "estimate"] = -0.5, frame["high"][2] + 0.01, np.nan
    fig = figures.agreement_curves(frame)
    drawn = fig.axes[0].lines[0].get_ydata()
    assert np.isnan(drawn).tolist() == [True, False, True, True, False]
    assert drawn[[1, 4]].tolist() == frame["estimate"][[1, 4]].tolist()
    assert fig.axes[0].get_ylim()[0] == -0.02  # what is not drawn needs no room
    assert [text.get_text() for text in fig.legends[0].get_texts()] == ["estimate", "interval"]
    nothing = figures.agreement_curves(frame.assign(estimate=np.nan))
    assert [text.get_text() for text in nothing.legends[0].get_texts()] == ["interval"]
