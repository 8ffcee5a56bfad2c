"""Figures of a second study: what they draw is what the frames hold, and it can be read at any size."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.colors import to_hex
from readable_figures import check_readable, names

from genexpy_nb.plots import second_study as figures

pytestmark = pytest.mark.usefixtures("styled")


def components(k, groups):
    rng = np.random.default_rng(0)
    rows = [(group, name, rng.gamma(1, 0.1) - 0.02) for group in groups for name in names(k)]
    frame = pd.DataFrame(rows, columns=["group", "component", "estimate"])
    frame = frame.assign(low=frame["estimate"] - 0.03, high=frame["estimate"] + rng.gamma(1, 0.2, len(frame)))
    frame.loc[0, "high"] = np.inf
    return frame


def curves(k, n=(5, 10, 20, 40, 160)):
    parts = [
        pd.DataFrame({"conclusion": name, "n": n, "estimate": 1 - np.exp(-np.array(n) / (20 * (i + 1)))})
        for i, name in enumerate(names(k))
    ]
    frame = pd.concat(parts, ignore_index=True)
    return frame.assign(low=frame["estimate"] / 2, high=(frame["estimate"] + 1) / 2)


# --- all of them ------------------------------------------------------------------------------------------------------

READABLE = {
    **{
        f"bars of {k} in {g} groups": lambda k=k, g=g: figures.component_bars(components(k, names(g)))
        for k, g in ((7, 3), (20, 1), (3, 20))
    },
    "bars of one": lambda: figures.component_bars(components(1, ["who wins?"])),
    **{f"curves of {k}": lambda k=k: figures.agreement_curves(curves(k), 41) for k in (1, 3, 20)},
    "curves of one n": lambda: figures.agreement_curves(curves(1, [30])),
    "curves of a narrow range": lambda: figures.agreement_curves(curves(1, [30, 31]), observed=32),
}


@pytest.mark.parametrize("name", READABLE)
def test_every_figure_can_be_read(name):
    check_readable(READABLE[name]())


# --- components -------------------------------------------------------------------------------------------------------


@settings(max_examples=7)
@given(st.lists(st.lists(st.floats(-10, 10), min_size=3, max_size=3), min_size=1, max_size=4))
def test_bars_are_shares_of_what_is_positive(groups):
    frame = pd.DataFrame(
        [(f"g{i}", c, e, e - 1, e + 1) for i, row in enumerate(groups) for c, e in zip("abc", row, strict=True)],
        columns=["group", "component", "estimate", "low", "high"],
    )
    fig = figures.component_bars(frame)
    left, right = fig.axes
    for at, row in enumerate(groups):
        positive = np.clip(row, 0, None)
        bars = [bar for bar in left.patches if abs(bar.get_y() + bar.get_height() / 2 - at) < 0.01]
        if positive.sum() == 0:
            assert not bars
            continue
        widths = np.array([bar.get_width() for bar in bars])
        np.testing.assert_allclose(widths, positive / positive.sum(), atol=1e-12)
        np.testing.assert_allclose([bar.get_x() for bar in bars], np.cumsum(widths) - widths, atol=1e-12)
    dots = np.array([c.get_offsets()[0] for c in right.collections if isinstance(c, mpl.collections.PathCollection)])
    for value, component in zip(np.ravel(groups), range(3 * len(groups)), strict=True):
        group = component // 3
        assert (np.isclose(dots[:, 0], value) & (np.round(dots[:, 1]) == group)).any()
    n_negative = int((frame["estimate"] < 0).sum())
    assert fig.get_supxlabel().startswith(str(n_negative)) if n_negative else not fig.get_supxlabel()


def test_a_component_looks_the_same_wherever_it_is():
    frame = components(7, ["a", "b"]).iloc[::-1]
    frame = frame[~((frame["group"] == "b") & (frame["component"] == names(7)[3]))].assign(low=np.nan, high=np.nan)
    fig = figures.component_bars(frame.assign(estimate=np.linspace(1, 2, len(frame))))
    left, right = fig.axes
    of_b, of_a = ([bar for bar in left.patches if round(bar.get_y() + 0.35) == at] for at in (0, 1))
    looks = [(to_hex(bar.get_facecolor()), bar.get_hatch()) for bar in of_a]
    assert [(to_hex(bar.get_facecolor()), bar.get_hatch()) for bar in of_b] == looks[:-1]  # the absent one comes last
    assert len(set(looks)) == 7 and len({hatch for _, hatch in looks}) == 7
    dots = [c for c in right.collections if isinstance(c, mpl.collections.PathCollection)]
    colours = [to_hex(dot.get_facecolor()[0]) for dot in dots]
    assert colours == [colour for colour, _ in [*looks[:-1], *looks]]
    assert len({dot.get_paths()[0].vertices.tobytes() for dot in dots}) == 7  # shapes beside colours


def test_intervals_end_where_they_do_or_in_an_arrow():
    frame = pd.DataFrame(
        {
            "group": "g",
            "component": list("abcd"),
            "estimate": [1.0, 2.0, -0.5, 0.3],
            "low": [0.5, -np.inf, -0.6, np.nan],
        }
    ).assign(high=[3.0, 1e6, -0.1, np.nan])
    ax = figures.component_bars(frame).axes[1]
    collections = [c for c in ax.collections if isinstance(c, mpl.collections.LineCollection)]
    lines = [c.get_segments()[0][:, 0].tolist() for c in collections]
    low, high = ax.get_xlim()
    assert lines == [[0.5, 3.0], [low, high], [-0.6, -0.1], [0.3, 0.3]]
    assert low < -0.6 and 3.0 < high < 10
    arrows = [c.get_offsets()[0][0] for c in ax.collections if isinstance(c, mpl.collections.PathCollection)]
    assert sorted(at for at in arrows if at in (low, high)) == [low, high]


def test_an_estimate_outside_of_its_interval_is_drawn():
    frame = pd.DataFrame({"group": "g", "component": ["model"], "estimate": [-0.1], "low": [0.0], "high": [0.2]})
    fig = figures.component_bars(frame)
    assert "1 negative estimate" in fig.get_supxlabel() and "model of g" in fig.get_supxlabel()
    assert [text.get_text() for text in fig.axes[0].texts] == ["no positive estimate"]


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
