"""Figures of the first notebook show the numbers that they were given, and can be read."""

import matplotlib as mpl
import numpy as np
import pandas as pd
from readable_figures import check_readable

from genexpy_nb.chapters.start_here import compare, datasets, differences_on_tables, small_among_opposite
from genexpy_nb.datasets import load_encoders, with_source_tables


def means(**rows):
    return pd.DataFrame(rows, index=["estimate", "low", "high"]).T


def test_each_table_has_all_its_differences_and_its_mean():
    differences = {"mine": pd.Series([0.3, -0.1, 0.1]), "theirs": pd.Series([-0.2, -0.4])}
    fig = differences_on_tables(differences, means(theirs=[-0.3, -0.5, -0.1], mine=[0.1, -0.2, 0.4]))
    (ax,) = fig.axes
    points = [sorted(c.get_offsets()[:, 0]) for c in ax.collections if isinstance(c, mpl.collections.PathCollection)]
    np.testing.assert_allclose(points[0], [-0.1, 0.1, 0.3])
    np.testing.assert_allclose(points[1], [-0.4, -0.2])
    bars = [c.get_segments()[0] for c in ax.collections if isinstance(c, mpl.collections.LineCollection)]
    np.testing.assert_allclose([bar[:, 0] for bar in bars], [[-0.2, 0.4], [-0.5, -0.1]])
    assert [bar[0, 1] for bar in bars] == [0, 1]  # beside the table that they are of
    diamonds = [float(line.get_xdata()[0]) for line in ax.lines if line.get_marker() == "D"]
    assert diamonds == [0.1, -0.3]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["mine\n3 datasets", "theirs\n2 datasets"]
    heights = np.concatenate([c.get_offsets()[:, 1] for c in ax.collections[::2]])
    assert np.abs(heights - heights.round()).max() < 0.31  # a point is never nearer to another table
    check_readable(fig)


def test_each_source_table_counts_once():
    rows = with_source_tables(load_encoders("bundled").query("encoder in ['TE', 'OHE']"))
    scores = rows.groupby(["table", "dataset", "encoder"])["cv_score"].mean().unstack().groupby("table").mean()
    expected = [len(scores), (scores["TE"] - scores["OHE"]).mean()]
    np.testing.assert_allclose(compare({"": rows}, 0.95, 0, once=True)[["n_datasets", "estimate"]], [expected])


def test_numbers_in_the_text():
    rows = pd.DataFrame({"dataset": [*"abab"], "encoder": ["TE", "TE", "OHE", "OHE"], "cv_score": [0.5, 0.5, 0.501, 1]})
    assert small_among_opposite(rows, ["dataset"], 0.005) == 0.5
    assert datasets(pd.Series({"nstar": 30.4, "low": 20.9, "high": 40.0})) == "31 datasets (21 to 40)"
