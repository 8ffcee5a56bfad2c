"""Figures of a second study: what they draw is what the frames hold, and it can be read at any size."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.colors import to_hex
from readable_figures import check_readable

import genexpy_nb as gx
from genexpy_nb import ParameterError, StudyError
from genexpy_nb.generalization.components import components_of
from genexpy_nb.plots import second_study as figures

AWKWARD = ["$a_1$ & $b$", "_50% <b>bold</b>", "line\nbreak", "\U0001f389 model", "שלום 12", "x" * 200, "x" * 199 + "y"]
FACTORS = ("$x_1$", "<b>model</b>")


@pytest.fixture(autouse=True)
def closed():
    gx.plots.use_style()
    yield
    plt.close("all")


def names(k):
    return [AWKWARD[i] if i < min(k, len(AWKWARD)) else f"name-{i:03d}" for i in range(k)]


def grid(n, m, estimate, low, factors=("dataset", "model")):
    frame = pd.DataFrame([(a, b) for a in n for b in m], columns=list(factors))
    sizes = frame.to_numpy(dtype=float).T
    return frame.assign(estimate=np.clip(estimate(*sizes), 0, 1), low=np.clip(low(*sizes), 0, 1), high=1.0)


def saturating(n, m):
    return n * m / (n * m + 10)


def whole_map(factors=FACTORS, **options):
    n, m = np.unique(np.geomspace(2, 300, 12).round()), np.unique(np.geomspace(1, 40, 9).round())
    frame = grid(n, m, saturating, lambda a, b: saturating(a, b) - 0.03, factors)
    given_ = {"observed": (25, 8), "prices": {factors[0]: 1, factors[1]: 10, "cell": 0.1}, "cheapest": (40, 12)}
    return figures.design_map(frame, factors, **given_ | options)


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


def halves(k):
    return pd.DataFrame({"conclusion": names(k), "n": 10, "agreement": np.linspace(0, 1, k)})


def table(worlds, k, conclusions=("winner",), sizes=(30,)):
    index = pd.MultiIndex.from_product(
        [worlds, conclusions, sizes, names(k)], names=["world", "conclusion", "n", "method"]
    )
    rng = np.random.default_rng(0)
    shape = len(index)
    numbers = {"bias": rng.normal(0, 0.2, shape), "rms": rng.gamma(2, 0.1, shape)}
    numbers |= {"coverage": rng.beta(20, 2, shape), "width": rng.random(shape) * 2}
    frame = pd.DataFrame(numbers, index).reset_index()
    frame.loc[frame["method"] == names(k)[0], ["coverage", "width"]] = np.nan
    return frame


def one_of_two():
    n = np.array([5, 20, 100])
    frame = pd.DataFrame({"n": n, "one_factor": [0.6, 0.97, 1.0], "predicted": [0.2, 0.4, 0.48]})
    return frame.assign(truth=[0.18, 0.42, 0.47], low=[0.1, 0.2, 0.3], high=[0.4, 0.6, 0.8])


# --- all of them ------------------------------------------------------------------------------------------------------

READABLE = {
    "map": whole_map,
    "map of two by two": lambda: figures.design_map(grid([5, 6], [2, 3], saturating, saturating), observed=(6, 3)),
    "map with designs outside": lambda: whole_map(observed=(1e4, 0.5), cheapest=(1, 1000)),
    "map with designs in one place": lambda: whole_map(observed=(20, 6), cheapest=(20, 6)),
    **{
        f"bars of {k} in {g} groups": lambda k=k, g=g: figures.component_bars(components(k, names(g)))
        for k, g in ((7, 3), (20, 1), (3, 20))
    },
    "bars of one": lambda: figures.component_bars(components(1)),
    **{f"curves of {k}": lambda k=k: figures.agreement_curves(curves(k), halves(min(k, 3)), 41) for k in (1, 3, 20)},
    "curves of one n": lambda: figures.agreement_curves(curves(1, [30])),
    "curves of a narrow range": lambda: figures.agreement_curves(curves(1, [30, 31]), observed=32),
    "table of 12 by 8": lambda: figures.agreement_by_method(table(names(12), 8)),
    "table of 1 by 20": lambda: figures.agreement_by_method(table(["w"], 20)),
    "table of conclusions": lambda: figures.agreement_by_method(table(names(1), 2, AWKWARD[:2], (30, 120))),
    "fixed": lambda: figures.fixed_factor(one_of_two(), FACTORS, 3),
    "fixed, long names": lambda: figures.fixed_factor(one_of_two(), AWKWARD[-2:], 1),
    "fixed, one n": lambda: figures.fixed_factor(one_of_two().head(1)),
}


@pytest.mark.parametrize("name", READABLE)
def test_every_figure_can_be_read(name):
    check_readable(READABLE[name]())


WRONG_FOR_ALL = [
    (figures.design_map, grid([5, 6], [2, 3], saturating, saturating), ["dataset", "model", "estimate", "low"]),
    (figures.component_bars, components(3), ["component", "estimate"]),
    (figures.component_bars, components(3, ["a", "b"]), ["group", "component", "estimate"]),
    (figures.agreement_curves, curves(2), ["conclusion", "n", "estimate"]),
    (figures.agreement_by_method, table(["w"], 2), ["world", "conclusion", "n", "method"]),
    (figures.fixed_factor, one_of_two(), ["n"]),
]


@pytest.mark.parametrize(("draw", "frame", "needed"), WRONG_FOR_ALL)
def test_what_every_frame_must_hold(draw, frame, needed):
    for column in needed:
        if column != "group":  # without it there is one group
            with pytest.raises(StudyError, match=f"no column '{column}'"):
                draw(frame.drop(columns=column))
        with pytest.raises(StudyError, match=f"column '{column}' is empty in row 1"):
            draw(frame.assign(**{column: frame[column].astype(object).where(frame.index != 1)}))
        with pytest.raises(StudyError, match=f"two columns named '{column}'"):
            draw(pd.concat([frame, frame[[column]]], axis=1))
    number = needed[-1] if needed[-1] not in ("method",) else "n"
    with pytest.raises(StudyError, match=f"column '{number}' must be numbers; row 0 holds 'many'"):
        draw(frame.assign(**{number: "many"}))
    with pytest.raises(StudyError, match=f"column '{number}' must be finite; row 0 is not"):
        draw(frame.assign(**{number: np.inf}))
    with pytest.raises(StudyError, match="has no row"):
        draw(frame.iloc[:0])
    with pytest.raises(StudyError, match="two rows for "):
        draw(pd.concat([frame, frame.tail(1)]))
    with pytest.raises(StudyError, match="must be a pandas DataFrame, got list"):
        draw([1])
    assert not plt.get_fignums()  # what is refused leaves no figure behind


def drawn_by(fig):
    """All that a figure holds: its text, and where its lines, bars, dots and bands are."""
    numbers = []
    for ax in fig.axes:
        numbers += [line.get_xydata() for line in ax.lines] + [bar.get_bbox().get_points() for bar in ax.patches]
        numbers += [c.get_offsets() for c in ax.collections]
        numbers += [path.vertices for c in ax.collections for path in c.get_paths()]
    return [text.get_text() for text in fig.findobj(mpl.text.Text)], np.concatenate(
        [np.ravel(each) for each in numbers]
    )


@pytest.mark.parametrize(("draw", "frame", "needed"), WRONG_FOR_ALL)
def test_types_of_columns_and_labels_of_rows_do_not_matter(draw, frame, needed):
    text, numbers = drawn_by(draw(frame))
    other = frame.convert_dtypes()  # with pandas' own missing values
    number = "estimate" if "estimate" in frame else "n"
    other[number] = frame[number].astype(str)
    for name in other.columns[other.dtypes == "string"].difference([number]):
        other[name] = pd.Categorical(other[name], categories=sorted(set(other[name]), reverse=True))
    other = other.assign(note="x")[["note", *reversed(frame.columns)]].set_axis([0] * len(frame))
    again, same = drawn_by(draw(other))
    assert text == again
    np.testing.assert_array_equal(numbers, same)


@pytest.mark.parametrize(
    ("draw", "frame"),
    [
        (figures.component_bars, components(3)),
        (figures.agreement_curves, curves(2)),
        (figures.fixed_factor, one_of_two()),
    ],
)
def test_an_interval_that_is_upside_down_is_refused(draw, frame):
    with pytest.raises(StudyError, match="row 1 has a low end above its high end"):
        draw(frame.assign(low=[0.3, 0.9, *[0.1] * (len(frame) - 2)], high=0.5))


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
    ax = figures.design_map(frame.sample(frac=1, random_state=0), alpha=0.5).axes[0]
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
    fig = figures.design_map(grid([1, 2], [1, 2], lambda a, b: estimate + 0 * a, lambda a, b: low + 0 * a))
    assert fig.get_supxlabel() == "; ".join(f"{text} on this map" for text in said)
    assert not fig.legends  # there is nothing to explain
    assert not whole_map().get_supxlabel()


PRICES = st.fixed_dictionaries({name: st.floats(0, 1e4) for name in ("dataset", "model", "cell")}).filter(
    lambda prices: max(prices.values()) > 1e-3
)


@settings(max_examples=8, deadline=None)
@given(PRICES, st.integers(2, 50), st.integers(2, 2000), st.floats(0.5, 2000), st.floats(0.5, 2000))
def test_lines_of_equal_price_and_their_numbers(prices, n_low, n_range, n, m):
    frame = grid([n_low, n_low + n_range], [1, 4, 30], saturating, saturating)
    fig = figures.design_map(frame, observed=(n, m), prices=prices)
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
    said = next(t.get_text() for t in fig.legends[0].get_texts() if t.get_text().startswith("at hand"))
    assert f"price {cost(n, m):,.5g}" in said
    plt.close(fig)


def test_numbers_of_prices_keep_away_from_designs():
    for design in ((20, 6), (60, 12)):
        ax = whole_map(observed=design, cheapest=design).axes[0]
        places = np.array([text.get_position() for text in ax.texts if text.get_text()])
        marked = np.array([line.get_xydata()[0] for line in ax.lines])
        gaps = np.hypot(*(places[:, None] - np.concatenate([marked, places])).transpose(2, 0, 1))
        assert np.sort(gaps, axis=1)[:, 1].min() > 0.1


def test_a_design_is_where_it_is_or_has_an_arrow_to_it():
    ax = whole_map(observed={FACTORS[1]: 8, FACTORS[0]: 25}, cheapest=pd.Series([60.0, 40.0], FACTORS)).axes[0]
    hand, star = ax.lines
    assert (hand.get_marker(), star.get_marker()) == ("o", "*")
    place = ax.transData.inverted().transform(ax.transAxes.transform([hand.get_xydata()[0], star.get_xydata()[0]]))
    np.testing.assert_allclose(place, [[25, 8], [60, 40]])
    assert not [t for t in ax.texts if isinstance(t, mpl.text.Annotation)]
    fig = whole_map(observed=(1000, 8), cheapest=(1, 100))
    ax = fig.axes[0]
    arrows = [t for t in ax.texts if isinstance(t, mpl.text.Annotation)]
    (to_right, of_hand), (to_left, of_star) = ((arrow.xy, arrow.xyann) for arrow in arrows)
    assert to_right[0] > of_hand[0] and to_right[1] == of_hand[1]
    assert to_left[0] < of_star[0] and to_left[1] > of_star[1]
    said = [t.get_text() for t in fig.legends[0].get_texts()]
    assert sum(text.endswith("outside of the axes") for text in said) == 2


def cheapest_of(low):
    return pd.DataFrame({"by": ["estimate", "low"], FACTORS[0]: [40.0, low], FACTORS[1]: [12.0, low], "note": ""})


def test_the_cheapest_designs_have_a_star_each():
    fig = whole_map(cheapest=cheapest_of(30.0))
    _, filled, hollow = fig.axes[0].lines
    assert to_hex(filled.get_markerfacecolor()) == to_hex("C3") and to_hex(hollow.get_markerfacecolor()) == "#ffffff"
    said = [text.get_text() for text in fig.legends[0].get_texts()]
    assert said[-2:] == ["cheapest by the estimate: 40 × 12, price 208", "cheapest by the low end: 30 × 30, price 420"]
    check_readable(fig)
    fig = whole_map(cheapest=cheapest_of(np.nan))
    assert fig.get_supxlabel() == "no design was found of which the low end of the interval reaches 0.95"
    assert len(fig.axes[0].lines) == 2
    with pytest.raises(StudyError, match="cheapest has no column 'by'"):
        whole_map(cheapest=cheapest_of(3.0).drop(columns="by"))
    with pytest.raises(ParameterError, match="column 'by' of cheapest must be one of 'estimate', 'low', got 'high'"):
        whole_map(cheapest=cheapest_of(3.0).replace({"by": {"low": "high"}}))


@pytest.mark.parametrize(("nested", "price"), [(False, 25 + 8 * 10 + 20), (True, 25 + 25 * 8 * 10 + 20)])
def test_levels_of_a_nested_factor_are_paid_for_in_each_level_of_the_other(nested, price):
    said = [text.get_text() for text in whole_map(nested=nested).legends[0].get_texts()]
    assert f"at hand: 25 × 8, price {price:,}" in said


@pytest.mark.parametrize("nested", [False, True])
def test_a_map_shows_what_components_say(nested):
    rng = np.random.default_rng(0)
    x = (rng.normal(size=(12, 1, 3)) + rng.normal(size=(1, 5, 3)) + rng.normal(size=(12, 5, 3))).reshape(60, 3)
    found = components_of(x @ x.T, {"task": 12, "prompt": 5}, nested=nested)
    price = {"task": 2, "prompt": 3, "cell": 0.5}
    cheapest = found.cheapest(0.8, price=price, epsilon=1.5)
    table = found.map([4, 12, 40], [2, 5, 20], epsilon=1.5)
    fig = figures.design_map(table, found.factors, 0.8, found.sizes, price, cheapest, nested)
    said = [text.get_text() for text in fig.legends[0].get_texts() if text.get_text().startswith("cheapest by")]
    there = cheapest.dropna(subset="task")
    assert [text.split("price ")[1].split(",")[0] for text in said] == [f"{cost:.5g}" for cost in there["price"]]
    check_readable(figures.component_bars(found.table))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 95}, "alpha must be a number in"),
        ({"factors": "ab"}, "factors must be the names of two columns"),
        ({"factors": ("dataset",)}, "factors must be the names of two columns"),
        ({"factors": ("dataset", "dataset")}, "factors must be the names of two columns"),
        ({"observed": (1, 2, 3)}, "observed must give the sizes of 'dataset' and 'model'"),
        ({"observed": 5}, "observed must give the sizes"),
        ({"cheapest": {"dataset": 5}}, "cheapest must give the sizes"),
        ({"observed": (0, 4)}, "observed, size of 'dataset', must be a number > 0, got 0"),
        ({"observed": (4, "8")}, "observed, size of 'model', must be a number"),
        ({"prices": [1, 2]}, "prices must be a mapping with prices of dataset, model, cell"),
        ({"prices": {"modle": 2}}, "did you mean 'model'"),
        ({"prices": {"model": -1}}, "the price of 'model' must be a number >= 0"),
        ({"prices": {"model": 0}}, "at least one price > 0"),
    ],
)
def test_what_a_map_cannot_be_asked_for(options, message):
    frame = grid([5, 6], [2, 3], saturating, saturating)
    with pytest.raises(ParameterError, match=message):
        figures.design_map(frame, **options)
    assert not plt.get_fignums()


def test_maps_need_all_sizes_and_probabilities():
    frame = grid([5, 6], [2, 3], saturating, saturating)
    with pytest.raises(StudyError, match="no row for dataset = 6, model = 3"):
        figures.design_map(frame.head(3))
    with pytest.raises(StudyError, match="column 'model' holds one size only"):
        figures.design_map(frame[frame["model"] == 2])
    with pytest.raises(StudyError, match=r"column 'low' must be in \[0, 1\], got -0.2 in row 0"):
        figures.design_map(frame.assign(low=-0.2))
    with pytest.raises(StudyError, match="column 'dataset' holds 0"):
        figures.design_map(frame.replace({"dataset": {5: 0}}))


# --- components -------------------------------------------------------------------------------------------------------


@settings(max_examples=7, deadline=None)
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
    plt.close(fig)


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
    fig = figures.agreement_curves(frame, halves(4), 41)
    assert len(fig.axes) == 4
    for ax, conclusion in zip(fig.axes, frame["conclusion"].unique(), strict=True):
        part = frame[frame["conclusion"] == conclusion].sort_values("n")
        curve, at_hand = ax.lines
        np.testing.assert_array_equal(curve.get_xydata(), part[["n", "estimate"]])
        assert set(at_hand.get_xdata()) == {41}
        band, points = ax.collections
        corners = {tuple(vertex) for vertex in band.get_paths()[0].vertices}
        assert {*zip(part["n"], part["low"], strict=True), *zip(part["n"], part["high"], strict=True)} <= corners
        here = halves(4)[halves(4)["conclusion"] == conclusion]
        np.testing.assert_array_equal(points.get_offsets(), here[["n", "agreement"]])
        assert ax.get_ylim() == (-0.02, 1.02)


@pytest.mark.parametrize(("lowest", "bottom"), [(0.0, 0), (-0.25, -0.25), (-0.3, -0.5), (-1.0, -1)])
def test_the_axis_goes_below_zero_where_tau_does(lowest, bottom):
    frame = pd.DataFrame({"conclusion": ["order", "winner"], "n": 10, "estimate": 0.5, "low": [lowest, 0.1]})
    order, winner = figures.agreement_curves(frame.assign(high=0.9)).axes
    assert order.get_ylim() == (pytest.approx(bottom - 0.02), 1.02) and winner.get_ylim() == (-0.02, 1.02)
    ticks = order.get_yticks()
    assert ticks[0] == bottom and ticks[-1] == 1 and 0 in ticks


def test_halves_of_a_study_stand_as_they_come():
    rng = np.random.default_rng(0)
    scores = pd.DataFrame(rng.normal(np.arange(3), 1, size=(8, 3)))
    of_study = gx.Study.from_wide(scores).halves(n_splits=20)
    frame = of_study.assign(low=0.0, high=1.0, n=8, estimate=0.5)
    axes = figures.agreement_curves(frame, of_study, 8).axes
    for ax, value in zip(axes, of_study["estimate"], strict=True):
        np.testing.assert_allclose(ax.collections[-1].get_offsets(), [[4, value]])
    unknown = of_study.assign(conclusion="x", estimate=np.nan)
    with pytest.raises(StudyError, match="halves has the conclusion 'x', which frame has not; it has best by mean"):
        figures.agreement_curves(frame, unknown)
    nothing = figures.agreement_curves(frame, of_study.assign(estimate=np.nan))
    assert "disjoint halves" not in [text.get_text() for text in nothing.legends[0].get_texts()]


def test_what_curves_cannot_show():
    with pytest.raises(StudyError, match=r"column 'estimate' must be in \[-1, 1\], got 2 in row 0"):
        figures.agreement_curves(curves(1).assign(estimate=2))
    with pytest.raises(StudyError, match="column 'n' of frame holds 0; a number of experiments is > 0"):
        figures.agreement_curves(curves(1).replace({"n": {5: 0}}))
    with pytest.raises(ParameterError, match="observed must be a number > 0"):
        figures.agreement_curves(curves(1), observed=0)
    with pytest.raises(StudyError, match="halves has no column 'agreement'"):
        figures.agreement_curves(curves(1), halves(1).drop(columns="agreement"))
    assert not plt.get_fignums()


def test_rounding_beyond_one_is_no_error():
    figures.agreement_curves(curves(1).assign(estimate=1 + 1e-12, high=1 + 1e-12))


# --- methods ----------------------------------------------------------------------------------------------------------


def test_numbers_of_a_table_stand_where_they_belong():
    frame = table(["w1", "w2", "w3"], 4).sample(frac=1, random_state=0)
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


def test_nominal_confidence_moves_what_is_bold():
    frame = table(["w"], 3).assign(coverage=[0.74, 0.76, 0.9])
    said = [text.get_fontweight() for text in figures.agreement_by_method(frame, 0.8).axes[2].texts]
    assert said == ["bold", "normal", "normal"]


def test_what_all_rows_share_stands_below():
    fig = figures.agreement_by_method(table(["w1", "w2"], 2))
    assert fig.get_supxlabel() == "winner, n = 30; bold: coverage below 0.90; –: none"
    assert [text.get_text() for text in fig.axes[0].get_yticklabels()] == ["w1", "w2"]
    fig = figures.agreement_by_method(table(["w"], 2, ("winner", "order"), (30, 1200)))
    assert fig.get_supxlabel() == "bold: coverage below 0.90; –: none"
    assert [text.get_text() for text in fig.axes[0].get_yticklabels()] == [
        "w, winner, n = 30",
        "w, winner, n = 1,200",
        "w, order, n = 30",
        "w, order, n = 1,200",
    ]


def test_tables_that_nobody_could_read_are_refused():
    with pytest.raises(StudyError, match="frame has 61 rows, and at most 60 can be read"):
        figures.agreement_by_method(table(range(61), 1))
    with pytest.raises(StudyError, match="frame has 21 methods, and at most 20 can be read"):
        figures.agreement_by_method(table(["w"], 21))
    with pytest.raises(StudyError, match=r"column 'coverage' must be in \[0, 1\], got 95"):
        figures.agreement_by_method(table(["w"], 2).assign(coverage=95))
    with pytest.raises(StudyError, match="column 'rms' holds -1; it is >= 0"):
        figures.agreement_by_method(table(["w"], 2).assign(rms=-1))
    assert not plt.get_fignums()


# --- fixed factors ----------------------------------------------------------------------------------------------------


def test_lines_and_their_last_numbers():
    frame = one_of_two()
    ax = figures.fixed_factor(frame.iloc[::-1], n_fixed=3).axes[0]
    for line, column in zip(ax.lines, ("one_factor", "predicted", "truth"), strict=True):
        np.testing.assert_array_equal(line.get_xydata(), frame[["n", column]])
    assert [text.get_text() for text in ax.texts] == ["1.00", "0.48", "0.47"]
    assert [text.xy[0] for text in ax.texts] == [100, 100, 100]
    heights = [text.xy[1] for text in ax.texts]
    assert heights[0] == 1.0 and heights[1] - heights[2] == pytest.approx(0.07)
    assert ax.get_title(loc="left") == "How often two studies agree, each with 3 levels of model"


def test_what_a_fixed_factor_needs():
    frame = one_of_two()
    with pytest.raises(StudyError, match="no column 'truth' and no column 'predicted'"):
        figures.fixed_factor(frame[["n", "one_factor"]])
    with pytest.raises(StudyError, match="column 'truth' holds no number"):
        figures.fixed_factor(frame.assign(truth=np.nan))
    with pytest.raises(StudyError, match=r"column 'one_factor' must be in \[0, 1\]"):
        figures.fixed_factor(frame.assign(one_factor=1.1))
    with pytest.raises(ParameterError, match="n_fixed must be a number > 0"):
        figures.fixed_factor(frame, n_fixed=0)
    assert not plt.get_fignums()


@settings(max_examples=8, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=3, max_size=3))
def test_numbers_at_the_ends_are_apart_and_in_order(heights):
    frame = pd.DataFrame([[10, *heights]], columns=["n", "one_factor", "truth", "predicted"])
    fig = figures.fixed_factor(frame)
    texts = fig.axes[0].texts
    values, places = (np.array(each) for each in zip(*((float(t.get_text()), t.xy[1]) for t in texts), strict=True))
    order = np.argsort(places)
    assert (np.diff(places[order]) >= 0.07 - 1e-9).all() and places.min() >= 0 and places.max() <= 1
    assert (np.diff(values[order]) >= 0).all()
    plt.close(fig)
