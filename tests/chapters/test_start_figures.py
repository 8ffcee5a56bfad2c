"""Figures of the first notebook show the numbers that they were given, and can be read."""

import matplotlib as mpl

mpl.use("Agg")

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from readable_figures import check_readable

from genexpy_nb import ParameterError, StudyError
from genexpy_nb.chapters.start_here import difference_by_band, differences_on_tables


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


def means(**rows):
    return pd.DataFrame(rows, index=["estimate", "low", "high"]).T


def test_each_table_has_all_its_differences_and_its_mean():
    differences = {"mine": pd.Series([0.3, -0.1, 0.1]), "theirs": pd.Series([-0.2, -0.4])}
    fig = differences_on_tables(
        differences, means(theirs=[-0.3, -0.5, -0.1], mine=[0.1, -0.2, 0.4]), ("A", "B"), "task"
    )
    (ax,) = fig.axes
    points = [sorted(c.get_offsets()[:, 0]) for c in ax.collections if isinstance(c, mpl.collections.PathCollection)]
    np.testing.assert_allclose(points[0], [-0.1, 0.1, 0.3])
    np.testing.assert_allclose(points[1], [-0.4, -0.2])
    bars = [c.get_segments()[0] for c in ax.collections if isinstance(c, mpl.collections.LineCollection)]
    np.testing.assert_allclose([bar[:, 0] for bar in bars], [[-0.2, 0.4], [-0.5, -0.1]])
    assert [bar[0, 1] for bar in bars] == [0, 1]  # beside the table that they are of
    diamonds = [float(line.get_xdata()[0]) for line in ax.lines if line.get_marker() == "D"]
    assert diamonds == [0.1, -0.3]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["mine\n3 tasks", "theirs\n2 tasks"]
    heights = np.concatenate([c.get_offsets()[:, 1] for c in ax.collections[::2]])
    assert np.abs(heights - heights.round()).max() < 0.31  # a point is never nearer to another table
    check_readable(fig)


def test_a_table_without_a_mean_or_a_difference_is_named():
    with pytest.raises(ParameterError, match="'mine'"):
        differences_on_tables({"mine": pd.Series([0.1])}, means(theirs=[0, 0, 0]), ("A", "B"))
    with pytest.raises(ParameterError, match="'mine'"):
        differences_on_tables({"mine": pd.Series([], dtype=float)}, means(mine=[0, 0, 0]), ("A", "B"))
    with pytest.raises(StudyError, match="low"):
        differences_on_tables({"mine": pd.Series([0.1])}, means(mine=[0, 0, 0]).drop(columns="low"), ("A", "B"))


def test_bands_stand_in_their_order():
    bands = pd.DataFrame({"band": ["1 to 3", "4", "5 to 9"], "n": [5, 1200, 7], "estimate": [0.1, -0.1, 0.0]})
    bands = bands.assign(low=bands["estimate"] - 0.1, high=bands["estimate"] + 0.2)
    fig = difference_by_band(bands, ("$A$", "B"), "levels")
    (ax,) = fig.axes
    assert list(ax.lines[-1].get_ydata()) == [0.1, -0.1, 0.0]
    (bars,) = (c.get_segments() for c in ax.collections)
    np.testing.assert_allclose([bar[:, 1] for bar in bars], bands[["low", "high"]])
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1 to 3\nn = 5", "4\nn = 1,200", "5 to 9\nn = 7"]
    check_readable(fig)
    with pytest.raises(StudyError, match="band"):
        difference_by_band(bands.drop(columns="band"), ("A", "B"), "levels")
