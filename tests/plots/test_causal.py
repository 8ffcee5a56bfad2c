"""Figures of effects in populations: what they show is what the tables say."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from made_up_runs import COMPARISON, known, runs_of

from genexpy_nb import causal
from genexpy_nb.causal.between_systems import effects_by_level
from genexpy_nb.chapters.shared import made
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


def test_a_forest_has_every_interval_of_every_effect():
    effects = {
        design: causal.average_treatment_effect(runs_of(np.arange(6.0)[:, None], design), n_resamples=99)
        for design in ("paired", "independent")
    }
    fig = figures.effect_forest(effects, truth=2.5)
    ax = fig.axes[0]
    rows = [row for effect in effects.values() for _, row in effect.tests.dropna(subset="low").iterrows()]
    assert [text.get_text() for text in ax.get_yticklabels()] == [
        "paired: paired t test",
        "paired: BCa bootstrap",
        "independent: Welch's t test",
        "independent: BCa bootstrap",
    ]
    segments = np.array(ax.collections[0].get_segments())
    np.testing.assert_allclose(segments[:, :, 0], [[row["low"], row["high"]] for row in rows])
    assert segments[:, 0, 1].tolist() == ax.get_yticks().round().tolist() == [0, 1, 2, 3] and ax.yaxis_inverted()
    drawn = [points.get_offsets()[0, 0] for points in ax.collections[1:]]
    np.testing.assert_allclose(drawn, [row["estimate"] for row in rows])
    shown = [LOOKS[design] for design in ("paired", "paired", "independent", "independent")]
    for points, look in zip(ax.collections[1:], shown, strict=True):
        assert mpl.colors.same_color(points.get_facecolor()[0], look.color)
    assert [text.get_text() for text in fig.legends[0].get_texts()] == ["whole population: +2.5"]
    assert ax.lines[-1].get_xdata() == [2.5, 2.5] and ax.get_xlabel() == "average effect on loss"


def test_a_forest_of_levels():
    runs = causal.run_paired(COMPARISON, known, 30)
    levels = pd.concat([effects_by_level(runs, name) for name in ("u", "w")])
    fig = figures.level_forest(levels, 0.05, "effect")
    ax = fig.axes[0]
    segments = np.array(ax.collections[0].get_segments())
    np.testing.assert_allclose(segments[:, :, 0], levels[["low", "high"]])
    np.testing.assert_allclose(ax.collections[1].get_offsets()[:, 0], levels["estimate"])
    n = levels["n_systems"].tolist()
    assert [text.get_text() for text in ax.get_yticklabels()] == [
        *(f"u = {i} (n = {n[i]})" for i in range(4)),
        *(f"w = {level} (n = {n[4 + i]})" for i, level in enumerate("pq")),
    ]
    (stripe,) = ax.patches  # behind the second variable
    assert (stripe.get_y(), stripe.get_y() + stripe.get_height()) == (3.5, 5.5)
    assert fig.get_supxlabel() == "effect" and ax.yaxis_inverted()


def test_tuned_or_many_over_the_runs_they_cost():
    table = pd.DataFrame({"n_systems": [2, 4] * 2, "plan": ["t", "t", "u", "u"], "sd": [0.2, 0.1, 0.3, 0.05]})
    ax = figures.tuned_or_many(table, n_studies=51).axes[0]
    assert [(list(line.get_xdata()), list(line.get_ydata())) for line in ax.lines] == [
        ([4, 8], [0.2, 0.1]),
        ([4, 8], [0.3, 0.05]),
    ]
    spread = np.array(ax.collections[0].get_segments())[:, :, 1]
    np.testing.assert_allclose(spread, [[0.16, 0.24], [0.08, 0.12]])  # two standard errors: s / 10 each
    assert {text.get_text() for text in ax.texts} == {"t", "u"}


def test_error_rates_pair_by_pair():
    rates = made("simulated_tests").query("pair.str.startswith('SVM counts')")
    (ax,) = figures.error_rates_of_pairs(rates).axes
    part = rates[rates["error"] == "false_positive"].set_index("pair")
    names = [text.get_text() for text in ax.get_yticklabels()]
    drawn = ax.collections[1].get_offsets()
    assert drawn[:, 0].tolist() == part.loc[names, "estimate"].tolist()
    assert drawn[:, 1].tolist() == list(range(len(names)))
    segments = np.array(ax.collections[0].get_segments())[:, :, 0]
    np.testing.assert_array_equal(segments, part.loc[names, ["low", "high"]])
    assert (np.diff(drawn[:, 0]) >= 0).all() and ax.yaxis_inverted()
