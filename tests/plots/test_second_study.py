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
from tests.of_arrays import components_of

pytestmark = pytest.mark.usefixtures("styled")

FACTORS = ("$x_1$", "<b>model</b>")


def grid(n, m, estimate, low, factors=("dataset", "model")):
    frame = pd.DataFrame([(a, b) for a in n for b in m], columns=list(factors))
    sizes = frame.to_numpy(dtype=float).T
    return frame.assign(estimate=np.clip(estimate(*sizes), 0, 1), low=np.clip(low(*sizes), 0, 1), high=1.0)


def saturating(n, m):
    return n * m / (n * m + 10)


def design(n, m):
    return dict(zip(FACTORS, (n, m), strict=True))


def cheapest_of(low, n=40.0, m=12.0):
    return pd.DataFrame({"by": ["estimate", "low"], FACTORS[0]: [n, low], FACTORS[1]: [m, low], "note": ""})


def whole_map(factors=FACTORS, **options):
    n, m = np.unique(np.geomspace(2, 300, 12).round()), np.unique(np.geomspace(1, 40, 9).round())
    frame = grid(n, m, saturating, lambda a, b: saturating(a, b) - 0.03, factors)
    given_ = {"observed": design(25, 8), "prices": {factors[0]: 1, factors[1]: 10, "cell": 0.1}}
    return figures.design_map(frame, factors, **given_ | {"cheapest": cheapest_of(30.0)} | options)


def components(k, groups=None):
    rng = np.random.default_rng(0)
    rows = [(group, name, rng.gamma(1, 0.1) - 0.02) for group in groups or [""] for name in names(k)]
    frame = pd.DataFrame(rows, columns=["group", "component", "estimate"])
    frame = frame.assign(low=frame["estimate"] - 0.03, high=frame["estimate"] + rng.gamma(1, 0.2, len(frame)))
    frame.loc[0, "high"] = np.inf
    return frame if groups else frame.drop(columns="group")


def curves(k, n=(5, 10, 20, 40, 160)):
    parts = [
        pd.DataFrame({"conclusion": name, "n": n, "estimate": 1 - np.exp(-np.array(n) / (20 * (i + 1)))})
        for i, name in enumerate(names(k))
    ]
    frame = pd.concat(parts, ignore_index=True)
    return frame.assign(low=frame["estimate"] / 2, high=(frame["estimate"] + 1) / 2)


# --- all of them ------------------------------------------------------------------------------------------------------

READABLE = {
    "map": whole_map,
    "map of two by two": lambda: figures.design_map(
        grid([5, 6], [2, 3], saturating, saturating), ["dataset", "model"], observed={"dataset": 6, "model": 3}
    ),
    "map with designs outside": lambda: whole_map(observed=design(1e4, 0.5), cheapest=cheapest_of(np.nan, 1, 1000)),
    "map with designs in one place": lambda: whole_map(observed=design(20, 6), cheapest=cheapest_of(np.nan, 20, 6)),
    **{
        f"bars of {k} in {g} groups": lambda k=k, g=g: figures.component_bars(components(k, names(g)))
        for k, g in ((7, 3), (20, 1), (3, 20))
    },
    "bars of one": lambda: figures.component_bars(components(1)),
    **{f"curves of {k}": lambda k=k: figures.agreement_curves(curves(k), 41) for k in (1, 3, 20)},
    "curves of one n": lambda: figures.agreement_curves(curves(1, [30])),
    "curves of a narrow range": lambda: figures.agreement_curves(curves(1, [30, 31]), observed=32),
}


@pytest.mark.parametrize("name", READABLE)
def test_every_figure_can_be_read(name):
    check_readable(READABLE[name]())


# --- designs ----------------------------------------------------------------------------------------------------------


def lines_of(ax, style):
    """Vertices of the contour lines that are drawn solid, dashed or dotted."""
    found = [c for c in ax.collections if isinstance(c, mpl.contour.ContourSet) and not c.filled]
    wanted = [c for c in found if c.get_linestyle()[0] == mpl.lines._get_dash_pattern(style) or c.linestyles == style]
    return np.concatenate([path.vertices for c in wanted for path in c.get_paths() if len(path.vertices)])


@pytest.mark.parametrize("most", [6, 60])  # a linear axis and a logarithmic one
def test_contours_are_where_alpha_is_reached(most):
    n, m = np.unique(np.geomspace(2, most, 7)), np.unique(np.geomspace(2, 9, 5))
    # Along each side of a cell the product is linear, so that the crossing of it is exact.
    frame = grid(n, m, lambda a, b: a * b / (9.0 * most), lambda a, b: 0.8 * a * b / (9.0 * most))
    ax = figures.design_map(frame.sample(frac=1, random_state=0), ["dataset", "model"], alpha=0.5).axes[0]
    for style, factor in (("-", 1.0), ("--", 0.8)):
        vertices = lines_of(ax, style)
        np.testing.assert_allclose(vertices.prod(axis=1) * factor, 0.5 * 9 * most)
        assert len(vertices) > 2
    assert ax.get_xscale() == ("log" if most == 60 else "linear") and ax.get_yscale() == "linear"
    assert ax.get_xlim() == (2, most) and ax.get_ylim() == (2, 9)


def test_the_first_factor_is_the_horizontal_one():
    frame = grid([1, 2, 3], [5, 6, 7], lambda a, b: a / 4, lambda a, b: a / 8)
    for factors, side in ((("dataset", "model"), 0), (("model", "dataset"), 1)):
        ax = figures.design_map(frame, factors, alpha=0.6).axes[0]
        np.testing.assert_allclose(lines_of(ax, "-")[:, side], 2.4)
        assert (ax.get_xlabel(), ax.get_ylabel()) == tuple(f"levels of {name} in a study" for name in factors)


@pytest.mark.parametrize(
    ("estimate", "low", "said"),
    [
        (0.99, 0.97, ["the estimate reaches 0.95 everywhere", "the low end of the interval reaches 0.95 everywhere"]),
        (0.99, 0.9, ["the estimate reaches 0.95 everywhere", "the low end of the interval reaches 0.95 nowhere"]),
        (0.4, 0.2, ["the estimate reaches 0.95 nowhere", "the low end of the interval reaches 0.95 nowhere"]),
    ],
)
def test_what_is_reached_nowhere_or_everywhere_is_said(estimate, low, said):
    frame = grid([1, 2], [1, 2], lambda a, b: estimate + 0 * a, lambda a, b: low + 0 * a)
    fig = figures.design_map(frame, ["dataset", "model"])
    assert fig.get_supxlabel().replace("\n", " ") == "; ".join(f"{text} on this map" for text in said)
    assert not fig.legends  # there is nothing to explain
    assert not whole_map().get_supxlabel()


PRICES = st.fixed_dictionaries({name: st.floats(0, 1e4) for name in ("dataset", "model", "cell")}).filter(
    lambda prices: max(prices.values()) > 1e-3
)


@settings(max_examples=8)
@given(PRICES, st.integers(2, 50), st.integers(2, 2000), st.floats(0.5, 2000), st.floats(0.5, 2000))
def test_lines_of_equal_price_and_their_numbers(prices, n_low, n_range, n, m):
    frame = grid([n_low, n_low + n_range], [1, 4, 30], saturating, saturating)
    fig = figures.design_map(frame, ["dataset", "model"], observed={"dataset": n, "model": m}, prices=prices)
    ax = fig.axes[0]
    numbers = [text for text in ax.texts if text.get_text()]
    levels = np.array([float(text.get_text().replace(",", "")) for text in numbers])
    assert len(levels) >= 2 and len(np.unique(levels)) == len(levels)

    def cost(a, b):
        return prices["dataset"] * a + prices["model"] * b + prices["cell"] * a * b

    places = ax.transData.inverted().transform(ax.transAxes.transform([text.get_position() for text in numbers]))
    middle = np.array([text.get_position() for text in numbers])
    assert (middle > 0.03).all() and (middle < 0.97).all()
    np.testing.assert_allclose(cost(*places.T), levels, rtol=0.02)
    for set_ in (c for c in ax.collections if isinstance(c, mpl.contour.ContourSet) and not c.filled):
        for level, path in zip(set_.levels, set_.get_paths(), strict=True):
            if level in levels and len(path.vertices):
                np.testing.assert_allclose(cost(*path.vertices.T), level, rtol=1e-6)
    said = next(t.get_text() for t in fig.legends[0].get_texts() if t.get_text().startswith("what was run"))
    assert f"price {cost(n, m):,.5g}" in said


def test_a_design_is_where_it_is_or_at_the_border():
    ax = whole_map(observed={FACTORS[1]: 8, FACTORS[0]: 25}, cheapest=cheapest_of(np.nan, 60.0, 40.0)).axes[0]
    hand, star = ax.lines
    assert (hand.get_marker(), star.get_marker()) == ("o", "*")
    place = ax.transData.inverted().transform(ax.transAxes.transform([hand.get_xydata()[0], star.get_xydata()[0]]))
    np.testing.assert_allclose(place, [[25, 8], [60, 40]])
    fig = whole_map(observed=design(1000, 8), cheapest=cheapest_of(np.nan, 1, 100))
    hand, star = (line.get_xydata()[0] for line in fig.axes[0].lines)
    assert hand[0] == 1 and 0 < hand[1] < 1 and star.tolist() == [0, 1]
    said = [t.get_text() for t in fig.legends[0].get_texts()]
    assert sum(text.endswith("off the map") for text in said) == 2


def test_the_cheapest_designs_have_a_star_each():
    fig = whole_map(cheapest=cheapest_of(30.0))
    _, filled, hollow = fig.axes[0].lines
    assert to_hex(filled.get_markerfacecolor()) == to_hex("C3") and to_hex(hollow.get_markerfacecolor()) == "#ffffff"
    said = [text.get_text() for text in fig.legends[0].get_texts()]
    assert said[-2:] == ["cheapest by the estimate: 40 × 12, price 208", "cheapest by the low end: 30 × 30, price 420"]
    check_readable(fig)
    fig = whole_map(cheapest=cheapest_of(np.nan))
    assert (
        fig.get_supxlabel().replace("\n", " ")
        == "no design was found of which the low end of the interval reaches 0.95"
    )
    assert len(fig.axes[0].lines) == 2


def test_a_map_shows_what_components_say():
    rng = np.random.default_rng(0)
    x = (rng.normal(size=(12, 1, 3)) + rng.normal(size=(1, 5, 3)) + rng.normal(size=(12, 5, 3))).reshape(60, 3)
    found = components_of(x @ x.T, {"task": 12, "prompt": 5})
    price = {"task": 2, "prompt": 3, "cell": 0.5}
    cheapest = found.cheapest(0.8, price=price, delta=1.5)
    table = found.map([4, 12, 40], [2, 5, 20], delta=1.5)
    fig = figures.design_map(table, found.factors, 0.8, found.sizes, price, cheapest)
    said = [text.get_text() for text in fig.legends[0].get_texts() if text.get_text().startswith("cheapest by")]
    there = cheapest.dropna(subset="task")
    assert [text.split("price ")[1].split(",")[0] for text in said] == [f"{cost:.5g}" for cost in there["price"]]
    check_readable(figures.component_bars(found.table))


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
        {"component": list("abcd"), "estimate": [1.0, 2.0, -0.5, 0.3], "low": [0.5, -np.inf, -0.6, np.nan]}
    ).assign(high=[3.0, 1e6, -0.1, np.nan])
    ax = figures.component_bars(frame).axes[1]
    lines = [
        c.get_segments()[0][:, 0].tolist() for c in ax.collections if isinstance(c, mpl.collections.LineCollection)
    ]
    low, high = ax.get_xlim()
    assert lines == [[0.5, 3.0], [low, high], [-0.6, -0.1], [0.3, 0.3]]
    assert low < -0.6 and 3.0 < high < 10
    arrows = [c.get_offsets()[0][0] for c in ax.collections if isinstance(c, mpl.collections.PathCollection)]
    assert sorted(at for at in arrows if at in (low, high)) == [low, high]


def test_an_estimate_outside_of_its_interval_is_drawn():
    frame = pd.DataFrame({"component": ["model"], "estimate": [-0.1], "low": [0.0], "high": [0.2]})
    fig = figures.component_bars(frame)
    assert "1 negative estimate" in fig.get_supxlabel() and "model" in fig.get_supxlabel()
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
