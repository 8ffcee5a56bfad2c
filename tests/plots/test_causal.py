"""Figures of effects in populations: what they show is what the tables say."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from made_up_runs import runs_of

from genexpy_nb import causal
from genexpy_nb.plots import causal as figures
from genexpy_nb.plots.style import LOOKS


def bars(ax):
    """(left edge, width, height) of every bar with something in it."""
    return {(round(p.get_x(), 9), round(p.get_width(), 9), p.get_height()) for p in ax.patches if p.get_height() > 0}


def test_effects_are_counted_on_their_side_of_zero():
    effects = pd.DataFrame({"effect": [-1.0, -0.4, -0.45, 0.2, 0.8, 0.0]})
    ax = figures.effect_distribution(effects, -0.14, "error", bins=4).axes[0]
    assert bars(ax) == {(-1.0, 0.5, 1), (-0.5, 0.5, 2), (0.0, 0.5, 1), (0.0, 0.5, 1), (0.5, 0.5, 1)}
    labels = [text.get_text() for text in ax.get_figure().legends[0].get_texts()]
    assert labels == ["sign of the mean: 67% of systems", "opposite sign: 33%", "average effect −0.14"]
    assert ax.lines[1].get_xdata() == [-0.14, -0.14] and "effect on error" in ax.get_xlabel()


@pytest.mark.parametrize("unit", [1e-8, 1.0, 1e8])
def test_a_distribution_looks_the_same_in_any_unit(unit):
    effects = pd.DataFrame({"effect": np.random.default_rng(0).normal(size=50) * unit})
    ax = figures.effect_distribution(effects, 0.25 * unit).axes[0]
    heights = [p.get_height() for p in ax.patches]
    expected = figures.effect_distribution(effects / unit, 0.25).axes[0]
    assert heights == [p.get_height() for p in expected.patches] and sum(heights) == 50
    np.testing.assert_allclose(np.array(ax.get_xlim()) / unit, expected.get_xlim())
    said = {1e-8: "average effect +0.0000000025", 1.0: "average effect +0.25", 1e8: "average effect +25000000.0"}
    assert ax.get_figure().legends[0].get_texts()[-1].get_text() == said[unit]


def test_a_forest_has_the_interval_of_every_effect():
    effects = {
        design: causal.average_treatment_effect(runs_of(np.arange(6.0)[:, None], design))
        for design in ("paired", "independent")
    }
    fig = figures.effect_forest(effects, truth=2.5)
    ax = fig.axes[0]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["paired", "independent"]
    segments = np.array(ax.collections[0].get_segments())
    np.testing.assert_allclose(segments[:, :, 0], [[effect.low, effect.high] for effect in effects.values()])
    assert segments[:, 0, 1].tolist() == ax.get_yticks().round().tolist() == [0, 1] and ax.yaxis_inverted()
    drawn = [points.get_offsets()[0, 0] for points in ax.collections[1:]]
    np.testing.assert_allclose(drawn, [effect.estimate for effect in effects.values()])
    shown = [LOOKS[design] for design in ("paired", "independent")]
    for points, look in zip(ax.collections[1:], shown, strict=True):
        assert mpl.colors.same_color(points.get_facecolor()[0], look.color)
    assert [text.get_text() for text in fig.legends[0].get_texts()] == ["whole population: +2.5"]
    assert ax.lines[-1].get_xdata() == [2.5, 2.5] and ax.get_xlabel() == "average effect on loss"
