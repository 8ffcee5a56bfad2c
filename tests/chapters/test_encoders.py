"""Notebook 02: what its figure shows, read back from its artists, and values in its text."""

import numpy as np
import pandas as pd

from genexpy_nb.chapters import encoders as chapter
from genexpy_nb.datasets import load_encoders, load_encoders_unscaled, with_source_tables


def test_the_gap_on_our_own_runs_is_a_mean_of_differences():
    ours = load_encoders("bundled")
    wide = ours[ours["encoder"].isin(["TE", "OHE"])].pivot_table(index="dataset", columns="encoder", values="cv_score")
    gap = chapter.compare(chapter.tables_to_ask(ours, ours), 0.95, 0)
    assert list(gap.index) == [chapter.OWN]
    np.testing.assert_allclose(gap["estimate"], (wide["TE"] - wide["OHE"]).mean())
    assert chapter.each(gap).startswith("+0.029 (") and chapter.each(gap).endswith(") on our own runs")


def test_runs_with_other_scaling_differ_in_nothing_else():
    ours, other = load_encoders("bundled"), load_encoders_unscaled()
    keys = ["dataset", "model", "tuning", "scoring", "encoder"]
    both = other.merge(ours, on=keys, validate="one_to_one")
    assert len(both) == len(other) and set(other["tuning"]) == {"no"}
    trees = both[(both["model"] == "DTC") & (both["encoder"] == "TE")]  # do not see how a column is scaled
    assert ((trees["cv_score_x"] - trees["cv_score_y"]).abs() < 0.02).mean() > 0.95
    others = both[both["model"].isin(["KNC", "LR", "SVC"]) & (both["encoder"] == "OHE")]
    assert (others["cv_score_x"] != others["cv_score_y"]).mean() > 0.5


def test_each_table_has_a_mark_and_an_interval_at_each_step():
    table = pd.DataFrame({"estimate": [0.2, -0.1], "low": [0.1, -0.3], "high": [0.4, 0.0]}, index=["one", "two"])
    gaps = pd.concat({"all": table, "some": table / 2})
    ax = chapter.gaps_by_step(gaps).axes[0]
    bars, marks = ax.collections[::2], ax.collections[1::2]
    np.testing.assert_allclose([mark.get_offsets()[:, 0] for mark in marks], [[0.2, 0.1], [-0.1, -0.05]])
    ends = [[segment[:, 0] for segment in bar.get_segments()] for bar in bars]
    np.testing.assert_allclose(ends, [[[0.1, 0.4], [0.05, 0.2]], [[-0.3, 0], [-0.15, 0]]])
    assert ax.get_legend_handles_labels()[1] == ["one", "two"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["all", "some"]


def test_nine_of_ten_numbers():
    assert chapter.ends(np.arange(101.0)) == "5 to 95"


def test_how_far_the_difference_depends_on_the_model():
    ours = load_encoders("bundled")
    wide = ours.pivot_table(index=["model", "dataset"], columns="encoder", values="cv_score").reset_index()
    by_source = with_source_tables(wide).groupby(["model", "table"])[["TE", "OHE"]].mean()
    of = (by_source["TE"] - by_source["OHE"]).groupby("model").mean()
    assert chapter.by_model(ours) == f"+{of['LR']:.3f} (logistic regression) to +{of['GNB']:.3f} (naive Bayes)"
    assert (of.idxmin(), of.idxmax()) == ("LR", "GNB")


def test_how_many_have_enough():
    planned = pd.DataFrame({"n_experiments": [28, 30], "verdict": ["enough", "undecided"]})
    assert chapter.how_many_enough(planned) == (
        "Of the 2 configurations with 28 to 30 datasets, 1 has enough and 1 is undecided."
    )
    assert chapter.how_many_enough(planned[:1]) == "All 1 configurations with 28 datasets have enough."
