"""Light drawings: where things stand, against matplotlib and brute force; what is counted; what they weigh."""

import re
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure

from genexpy_nb.chapters.significance_toy import TOY, exact_toy, toy_claims
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.generalization.samplers import RankingDistribution
from genexpy_nb.plots.choices import needs_end, needs_strip, point_tracks, toy_bars
from genexpy_nb.plots.style import COLOURS, VERDICTS
from genexpy_nb.study.planning import plan
from genexpy_nb.tradeoff import to_array, tradeoff_point


def planned(nstar, low=None, high=None, n=30):
    nstar = np.asarray(nstar, dtype=float)
    frame = pd.DataFrame({"n_experiments": n, "nstar": nstar})
    frame["low"], frame["high"] = (0.8 * nstar if low is None else low), (1.2 * nstar if high is None else high)
    return plan(frame)


def paths(drawing, colour):
    """What each path of a colour draws."""
    root = ElementTree.fromstring(drawing.svg)
    assert root.get("viewBox") == "0 0 700 292"
    return [e.get("d") for e in root.iter("path") if any(colour in (e.get(a) or "") for a in ("fill", "stroke"))]


def texts(drawing):
    return ["".join(e.itertext()) for e in ElementTree.fromstring(drawing.svg).iter("text")]


def test_intervals_stand_where_matplotlib_puts_them():
    frame = planned([3.0, 14.0, 27.0, 44.0], n=[30, 30, 50, 30])
    ax = Figure(figsize=(7, 1), dpi=100).add_axes((0.02, 0, 0.96, 1))  # 14 to 686 of 700
    ax.set(xscale="log", xlim=(1, 100))
    expected = {
        name: ax.transData.transform(np.column_stack([frame[name], np.ones(4)]))[:, 0]
        for name in ("low", "high", "n_experiments")
    }
    drawing = needs_strip(frame, 100)
    lines = [
        tuple(map(float, found))
        for look in VERDICTS.values()
        for found in re.findall(r"M(\d+) ([\d.]+)H(\d+)", " ".join(paths(drawing, look.color)))
    ]
    lines.sort(key=lambda line: -line[1])  # the least demanding one is at the bottom
    np.testing.assert_allclose([line[0] for line in lines], expected["low"], atol=0.51)
    np.testing.assert_allclose([line[2] for line in lines], expected["high"], atol=0.51)
    ticks = {float(x) for x in re.findall(r"M(\d+) [\d.]+v-", " ".join(paths(drawing, "var(--ink")))}
    np.testing.assert_allclose(sorted(ticks), np.unique(expected["n_experiments"]), atol=0.51)


@given(
    st.lists(
        st.tuples(st.floats(1, 900), st.floats(0, 1), st.floats(0, 9), st.integers(2, 90)), min_size=1, max_size=60
    )
)
@settings(max_examples=40, deadline=None)
def test_each_configuration_is_there_once(rows):
    nstar, below, above, n = map(np.array, zip(*rows, strict=True))
    frame = planned(nstar, nstar * below, nstar * (1 + above), n)
    end = 500.0
    drawing = needs_strip(frame, end)
    for verdict, look in VERDICTS.items():
        of = frame[frame["verdict"] == verdict]
        drawn = " ".join(paths(drawing, look.color))
        shapes = drawn.count("h0") if look.marker in "os" else drawn.count("l3 3 ")
        assert shapes == (of["nstar"] <= end).sum()
        assert len(re.findall(r"M\d+ [\d.]+H", drawn)) == len(of)
        assert drawn.count("l7 4-7 4z") == (of["high"] > end).sum()
        assert f"{len(of)} {verdict}" in texts(drawing)
    every = [float(y) for y in re.findall(r"M\d+ ([\d.]+)H", drawing.svg)]
    assert len(set(every)) == len(frame) and min(every) >= 30 and max(every) < 236
    in_words = list(map(int, re.findall(r"\d+(?= (?:of|is un|are un|need))", drawing.text)))
    assert in_words == [(frame["verdict"] == verdict).sum() for verdict in VERDICTS]


def test_every_line_has_its_tick_and_neighbours_share_one():
    frame = planned([3.0, 5.0, 7.0, 9.0, 11.0], n=[30, 30, 50, 50, 30])
    found = re.findall(r"M(\d+) ([\d.]+)v-([\d.]+)", " ".join(paths(needs_strip(frame, 100), "var(--ink")))
    ticks = np.array(found, dtype=float)  # from below
    lines = sorted((float(y) for y in re.findall(r"M\d+ ([\d.]+)H", needs_strip(frame, 100).svg)), reverse=True)
    assert len(ticks) == 3
    covered = [[x for x, y, height in ticks if y - height < line < y] for line in lines]
    assert [len(x) for x in covered] == [1] * 5
    assert [x[0] for x in covered] == [ticks[0, 0]] * 2 + [ticks[1, 0]] * 2 + [ticks[0, 0]]


def test_what_cannot_be_placed_is_counted():
    frame = planned([np.nan, 20.0, 800.0, np.inf], [np.nan, 15, 400, 30], [np.nan, 25, np.inf, np.inf])
    drawing = needs_strip(frame, 100, "datasets")
    assert drawing.text.startswith("1 of 4 configurations has enough datasets, 0 are undecided, 2 need more.")
    assert "2 lie beyond 100." in drawing.text and drawing.text.endswith("1 has no estimate.")
    assert drawing.svg.count("l7 4-7 4z") == 2
    nothing = needs_strip(planned([np.nan]), 100)
    assert (
        nothing.text == "0 of 1 configuration have enough experiments, 0 are undecided, 0 need more. 1 has no estimate."
    )


def test_of_many_configurations_some_are_drawn_evenly():
    frame = planned(np.linspace(2, 80, 300))
    drawing = needs_strip(frame, 100)
    assert drawing.text.endswith("60 of them are drawn.") and len(re.findall(r"M\d+ [\d.]+H", drawing.svg)) == 60
    assert f"{(frame['verdict'] == 'enough').sum()} enough" in texts(drawing)


def test_drawings_are_light_and_the_same_whatever_the_order_of_rows():
    frame = planned(np.geomspace(1.5, 90, 48), n=[30, 50] * 24)
    drawing = needs_strip(frame, 200)
    assert len(drawing.svg.encode()) < 4000
    assert needs_strip(frame.sample(frac=1, random_state=1), 200) == drawing


def test_units_are_text():
    drawing = needs_strip(planned([3.0]), 10, '<b> & "c"')
    assert '<b> & "c" needed, n*' in texts(drawing)


@given(st.lists(st.floats(1, 1e5), min_size=1, max_size=50), st.integers(2, 10_000))
def test_the_axis_ends_at_a_round_number_just_beyond(highs, n):
    end = needs_end(planned(highs, high=highs, n=n))
    need = max(10, n, np.quantile(highs, 0.975))
    rounds = sorted(f * 10**power for power in range(1, 8) for f in (1, 2, 5))
    assert end == min(value for value in rounds if value >= need)


def test_the_axis_without_ends():
    assert needs_end(planned([np.nan, np.inf], high=[np.nan, np.inf], n=12)) == 20
    assert needs_end(planned([40.0], high=[np.inf], n=12)) == 50
    assert needs_end(planned([1e12], n=12)) == 1e9


def test_what_is_not_a_plan():
    with pytest.raises(StudyError, match="verdict"):
        needs_strip(pd.DataFrame({"nstar": [1]}), 100)
    with pytest.raises(StudyError, match="high"):
        needs_end(pd.DataFrame({"nstar": [1], "n_experiments": [1]}))
    with pytest.raises(ParameterError, match="end"):
        needs_strip(planned([3.0]), 1)


def toy(p, n=20, k_gen=10):
    return exact_toy(RankingDistribution(TOY.rankings, np.array([p, 1 - p])), n, k_gen)


def bars(drawing, colour):
    """(left, height, width) of each bar; the legend's own is left out."""
    found = re.findall(r"M([\d.]+) 236v-([\d.]+)h([\d.]+)V236z", " ".join(paths(drawing, colour)))
    return np.array(found, dtype=float).reshape(-1, 3)


@pytest.mark.parametrize("p", [0.5, 0.55, 0.7, 0.9])
def test_bars_hold_all_samples_and_claims_are_those_of_the_other_way(p):
    drawing = toy_bars(toy(p), p, 0.4)
    shares = toy_claims([p])["share"].to_numpy()  # 0 is best, 1 is best, mean agreement
    heights = {
        name: bars(drawing, COLOURS[colour])[:, 1].sum() * 0.4 / 200
        for name, colour in (("0", "blue"), ("1", "orange"))
    }
    np.testing.assert_allclose([heights["0"], heights["1"]], shares[:2], atol=0.002)
    hollow = bars(drawing, "currentColor")[:, 1].sum() * 0.4 / 200
    np.testing.assert_allclose(hollow, 1 - shares[:2].sum(), atol=0.002)
    assert drawing.text.endswith(f"agree with a mean probability of {shares[2]:.2f}.")
    wrong = shares[:2].sum() if p == 0.5 else shares[1]
    assert re.search(rf"(equal|better): (less than 1|{100 * wrong:.0f}) % of the samples are wrong", drawing.text)


def test_the_likeliest_bar_is_where_scipy_has_its_mode():
    from scipy.stats import binom

    drawing = toy_bars(toy(0.8), 0.8, 0.3)
    every = np.concatenate([bars(drawing, c) for c in (COLOURS["blue"], COLOURS["orange"], "currentColor")])
    left, _, width = every[every[:, 1].argmax()]
    mode = binom.pmf(np.arange(21), 20, 0.8).argmax()
    assert left + width / 2 == pytest.approx(14 + 672 / 21 * (mode + 0.5), abs=0.2)
    assert re.search(r"0 is better", drawing.text) and re.search(r"1 is better", toy_bars(toy(0.2), 0.2, 0.3).text)


def test_toy_bars_that_cannot_be():
    with pytest.raises(ParameterError, match="probability"):
        toy_bars(toy(0.5), 1.5, 0.4)
    with pytest.raises(ParameterError, match="highest"):
        toy_bars(toy(0.5), 0.5, 0)
    with pytest.raises(StudyError, match="best"):
        toy_bars(toy(0.5).drop(columns="best"), 0.5, 0.4)
    three = RankingDistribution(np.array([[0, 1], [1, 0], [0, 0]]), np.array([0.4, 0.4, 0.2]))
    with pytest.raises(StudyError, match="two possible results"):
        toy_bars(exact_toy(three, 8, 4), 0.5, 0.4)


def cells(sizes=(100, 1000, 10_000), seed=0):
    rng = np.random.default_rng(seed)
    grid = [(z, s, w) for z in (0.0, 0.25, 0.5) for s in (0.6, 0.8, 1.0) for w in sizes]
    frame = pd.DataFrame(grid * 2, columns=["zero_shot", "ssim", "size"])
    frame["class"] = np.repeat([0, 1], len(grid))
    return to_array(frame.assign(error_rate=rng.random(len(frame)), kappa=rng.random(len(frame))))


def test_points_stand_at_their_levels_and_the_hard_end_is_at_the_right():
    array = cells()
    for ssim, zero_shot, size in ((0, 0, 0), (50, 50, 50), (0, 50, 0.5)):
        point = tradeoff_point(array, {"ssim": ssim, "zero_shot": zero_shot, "size": size})
        drawing = point_tracks({"convolutions": array}, {"convolutions": point})
        d = paths(drawing, COLOURS["blue"])[-1]
        x, y = np.array(re.findall(r"M(\d+) (\d+)l", d), dtype=float).T
        expected = 22 + 656 * np.array(
            [(1 - point.ssim) / 0.4, point.zero_shot / 0.5, 1 - np.log10(point.size / 100) / 2]
        )
        np.testing.assert_allclose(x + 6, expected, atol=1)
        assert (np.diff(y) == 76).all()
        assert f"SSIM {point.ssim:g}, " in drawing.text and f"{point.size:,.0f} weights" in drawing.text
        assert f"mean error {point.statistics['error_mean']:.3f}." in drawing.text
    hardest = point_tracks({"convolutions": array}, {"convolutions": tradeoff_point(array, 1000)})
    assert re.findall(r"M(\d+) \d+l", paths(hardest, COLOURS["blue"])[-1]) == ["672"] * 3


def test_families_are_apart_and_their_names_are_text():
    arrays = {"<b>&": cells(), "second": cells(seed=1)}
    points = {name: tradeoff_point(array) for name, array in arrays.items()}
    drawing = point_tracks(arrays, points, points)
    assert {"<b>&", "second"} <= set(texts(drawing)) and drawing.svg.count('fill="none"') == 2
    assert drawing.text.startswith("<b>&: SSIM ")
    starts = re.findall(r'd="M\d+ (\d+)[^"]*" fill="var[^"]*" stroke', drawing.svg)
    assert len(starts) == 2 and abs(int(starts[0]) - int(starts[1])) >= 10


def test_points_that_cannot_be_drawn():
    array, point = cells(), tradeoff_point(cells())
    for arrays, points in (
        ({}, {}),
        ({"a": array}, {}),
        ({"a": array}, {"b": point}),
        (dict.fromkeys("abcde", array), dict.fromkeys("abcde", point)),
    ):
        with pytest.raises(ParameterError, match="one to 4 families"):
            point_tracks(arrays, points)
    with pytest.raises(ParameterError, match="one to 4 families"):
        point_tracks({"a": array}, {"a": point}, {"b": point})
    one_size = cells(sizes=(100,))
    at = {"a": tradeoff_point(one_size)}
    assert "100 weights" in point_tracks({"a": one_size}, at).text
    assert "100 leaves" in point_tracks({"a": one_size}, at, size_unit="leaves").text
    plain = point_tracks({"a": one_size}, at, size_unit="")
    assert "size 100" in plain.text and "weights" not in plain.text + plain.svg
