"""Layout that figures share: panels, names at lines, and axes that a few numbers far away do not decide."""

from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from readable_figures import check_readable

from genexpy_nb.plots.layout import intervals, legend_above, name_lines, panels, reach, spread_out
from genexpy_nb.plots.style import ACCENT, CONTRAST

pytestmark = pytest.mark.usefixtures("styled")


# --- panels, legends, names -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_at_most_two_panels_stand_beside_each_other(n):
    fig, axes = panels(n, 2.0, 2, sharex=True)
    fig.canvas.draw()
    left = {round(ax.get_position().x0, 2) for ax in fig.axes}
    assert len(axes) == len(fig.axes) == n and len(left) <= 2
    for ax in axes[-2:]:  # the last of each column has numbers
        assert any(text.get_visible() and text.get_text() for text in ax.get_xticklabels())


def test_a_legend_has_as_many_rows_as_it_needs():
    fig, (ax,) = panels(1, 3.0)
    lines = ax.plot(np.ones((2, 9)))
    legend_above(fig, lines, [f"a method with a long name, number {i}" for i in range(9)])
    check_readable(fig)
    assert fig.legends[0].get_window_extent().width <= fig.bbox.width


@given(st.lists(st.floats(0, 1), max_size=8), st.floats(0.01, 0.1))
def test_names_are_apart_and_in_order(heights, gap):
    places = spread_out(heights, gap)
    order = np.argsort(places)
    assert np.all(np.diff(np.array(places)[order]) >= gap - 1e-9)
    assert all(heights[a] <= heights[b] for a, b in pairwise(order))
    if len(heights) < 2 or np.diff(np.sort(heights)).min() >= gap:
        np.testing.assert_allclose(places, heights, atol=1e-9)


def test_names_of_lines_that_end_together_can_be_read():
    fig, (ax,) = panels(1, 3.0)
    ax.set_ylim(0, 1)
    ends = [(0.99, "$first$", ACCENT), (1.0, "second", CONTRAST), (0.98, "third", ACCENT), (np.nan, "none", ACCENT)]
    name_lines(ax, ends)
    check_readable(fig)
    heights = {text.get_text(): text.xy[1] for text in ax.texts}
    assert heights["second"] > heights["$first$"] > heights["third"] and "none" not in heights


# --- axes -------------------------------------------------------------------------------------------------------------


numbers = st.floats(1, 100) | st.floats(1e3, 1e9) | st.just(np.inf) | st.just(np.nan)


@given(st.lists(st.floats(1, 100), max_size=3), st.lists(numbers, max_size=60), st.booleans())
def test_an_axis_holds_what_is_kept_and_most_of_the_rest(kept, others, log):
    low, high = reach(kept, others, log=log)
    assert np.isfinite([low, high]).all() and low < high and (low > 0 or not log)
    assert all(low <= value <= high for value in kept)
    finite = np.array([value for value in others if np.isfinite(value)])
    assert ((finite > high).sum() <= 0.05 * len(finite)) and ((finite < low).sum() <= 0.05 * len(finite))


def test_an_outlier_does_not_decide_an_axis_but_a_few_numbers_do():
    many = np.linspace(20, 40, 60)
    assert reach([30], [*many, 5000])[1] < 42
    assert reach([30], [*many, -5000])[0] > 18
    assert reach([30], [*many, 45])[1] > 45  # near enough
    assert reach([5000], [*many])[1] > 5000  # what is kept is in sight
    assert reach([30], [*many, 1e12], log=True)[1] < 50


def test_an_axis_without_numbers():
    assert reach([], [np.nan, np.inf]) == (0.0, 1.0) and reach([], [], log=True) == (1.0, 10.0)
    low, high = reach([0.0], [])
    assert low < 0 < high


@pytest.mark.parametrize("upright", [False, True])
def test_what_leaves_the_axis_is_an_arrow_with_its_value(upright):
    fig, (ax,) = panels(1, 3.0)
    ax.set(xlim=(0, 10), ylim=(0, 10))
    estimate, low, high = [5, 6, 40, -3, 2], [4, -1.234, 30, -9, np.nan], [6, np.inf, 50, -2, np.nan]
    seen = intervals(ax, [1, 3, 5, 7, 9], estimate, low, high, ACCENT, upright=upright)
    assert seen.tolist() == [True, True, False, False, True]
    lines, *arrows = ax.collections
    along = 1 if upright else 0
    ends = np.array(lines.get_segments())[:, :, along]
    np.testing.assert_allclose(ends, [[4, 6], [0, 10], [10, 10], [0, 0], [2, 2]])
    places = {tuple(arrow.get_offsets()[0]) for arrow in arrows}
    expected = {(3, 0), (3, 10), (5, 10), (7, 0)}
    assert places == (expected if upright else {(y, x) for x, y in expected})
    assert not any(arrow.get_clip_on() for arrow in arrows)
    assert sorted(text.get_text() for text in ax.texts) == ["-1.23", "-3 (-9 to -2)", "40 (30 to 50)", "∞"]
    check_readable(fig)


def test_intervals_have_their_colours():
    _, (ax,) = panels(1, 3.0)
    ax.set_xlim(0, 10)
    intervals(ax, [0, 1], [5, 5], [4, 4], [6, 60], [ACCENT, CONTRAST])
    assert [mpl.colors.to_hex(colour) for colour in ax.collections[0].get_color()] == [ACCENT, CONTRAST]
    assert mpl.colors.to_hex(ax.collections[1].get_facecolor()[0]) == CONTRAST
