"""Figures of the protocol: what they show is what the tables say."""

import matplotlib as mpl
import numpy as np
import pytest

from genexpy_nb.chapters.shared import made
from genexpy_nb.plots.protocol import error_rates, rate_curves, rates_over_worlds
from genexpy_nb.plots.style import VERDICTS

RATES = made("simulated_rates")


def test_error_rates_have_their_interval_and_the_colour_of_their_verdict():
    null = RATES[RATES["simulation"] == "equal models"]
    ax = error_rates(null, 0.05).axes[0]
    names = [text.get_text().replace("\n", " ") for text in ax.get_yticklabels()]
    assert names == null["procedure"].to_list()
    bars = [c for c in ax.collections if isinstance(c, mpl.collections.LineCollection)]
    looks = {"above": VERDICTS["more needed"], "compatible": VERDICTS["undecided"], "below": VERDICTS["enough"]}
    for bar, (_, row) in zip(bars, null.iterrows(), strict=True):
        (start, end), height = bar.get_segments()[0][:, 0], bar.get_segments()[0][0, 1]
        assert (start, end) == pytest.approx((row["low"], row["high"]))
        assert names[int(height)] == row["procedure"]
        assert mpl.colors.same_color(bar.get_color()[0], looks[row["verdict"].split()[0]].color)
    marks = [c.get_offsets().tolist() for c in ax.collections]
    for _, row in null.iterrows():
        assert [[row["estimate"], names.index(row["procedure"])]] in marks


def test_curves_show_the_rates_of_their_quantity():
    kept = RATES[RATES["procedure"].isin(["folds, corrected t", "folds, Wilcoxon"]) & (RATES["simulation"] == "leads")]
    shuffled = kept.sample(frac=1, random_state=0)
    axes = rate_curves(shuffled, "effect", "x", {"FWER": "False", "power": "Power"}, {"FWER": 0.05}).axes
    for ax, quantity in zip(axes, ("FWER", "power"), strict=True):
        for line, band in zip(ax.lines[:2], ax.collections, strict=True):
            rows = kept[(kept["procedure"] == line.get_label()) & (kept["quantity"] == quantity)]
            np.testing.assert_array_equal(line.get_xydata(), rows[["effect", "estimate"]])
            edges = {tuple(point) for point in band.get_paths()[0].vertices}
            for end in ("low", "high"):
                assert set(rows[["effect", end]].itertuples(index=False, name=None)) <= edges
            assert mpl.colors.same_color(band.get_facecolor()[0][:3], line.get_color())
    assert [line.get_label() for line in axes[1].lines] == shuffled["procedure"].unique().tolist()
    assert axes[0].lines[2].get_ydata() == [0.05, 0.05]


def test_worlds_are_rows_and_methods_dots_with_their_intervals():
    found = made("simulated_worlds").query("quantity == 'FWER' and world in ['60 rows', '2 learners']")
    found = found[found["method"].isin(["folds, corrected t", "folds, Wilcoxon"])]
    found = found.assign(world=found["world"].map({"60 rows": "b", "2 learners": "a"}), procedure=found["method"])
    figure = rates_over_worlds(found.sample(frac=1, random_state=1).sort_values("world", ascending=False), 0.1)
    (ax,), names = figure.axes, [text.get_text() for text in figure.legends[0].get_texts()]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a", "b"]
    assert set(names) == set(found["procedure"]) and ax.lines[0].get_xdata() == [0.1, 0.1]
    for position, name in enumerate(names):
        rows = found[found["procedure"] == name].set_index("world")
        bars, dots = ax.collections[2 * position : 2 * position + 2]
        for world, height in (("b", 1), ("a", 0)):
            (which,) = np.flatnonzero(dots.get_offsets()[:, 1].round() == height)
            share, ends = dots.get_offsets()[which, 0], bars.get_segments()[which][:, 0]
            assert [share, *ends] == pytest.approx(rows.loc[world, ["estimate", "low", "high"]].to_list())
