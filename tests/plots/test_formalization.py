"""What a figure shows is read back from its artists."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from genexpy_nb import BordaKernel, JaccardKernel, StudyError
from genexpy_nb.generalization.exact import weak_orders
from genexpy_nb.plots.formalization import (
    estimates_by_size,
    generalizability_curves,
    kernel_matrices,
    quantiles_over_seeds,
    ranking_label,
    two_studies,
)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_ranking_labels_are_all_different():
    labels = [ranking_label(row) for row in weak_orders(4)]
    assert len(set(labels)) == 75
    assert ranking_label([2, 0, 1, 0]) == "2=4 > 3 > 1"


def test_kernel_matrices_show_the_grams():
    rankings = pd.DataFrame(weak_orders(3), columns=["a", "b", "c"])
    kernels = [BordaKernel("b"), JaccardKernel(1)]
    fig = kernel_matrices(rankings, kernels)
    for ax, kernel in zip(fig.axes, kernels, strict=False):
        np.testing.assert_array_equal(ax.images[0].get_array(), kernel.gram(rankings))
    assert [tick.get_text() for tick in fig.axes[0].get_yticklabels()][:2] == ["1=2=3", "1=2 > 3"]


def test_two_studies_splits_the_distribution_at_the_threshold():
    x, y = (pd.DataFrame({"a": [0, tier], "b": [1, 0]}) for tier in (0, 1))
    fig = two_studies(x, y, 0.4, [0.0, 0.4, 0.9], [0.2, 0.5, 0.3], epsilon=0.4)
    agree, other, mark = fig.axes[2].collections
    assert [len(part.get_segments()) for part in (agree, other)] == [2, 1]  # on the threshold is within
    np.testing.assert_allclose(mark.get_offsets(), [[0.4, 0.5]])
    assert fig.axes[2].get_title() == "They agree with probability 0.700"
    assert [text.get_text() for text in fig.axes[1].texts] == ["0", "1", "1", "0"]


def test_the_star_is_where_the_curve_first_reaches_alpha():
    frame = pd.DataFrame(
        {"n": [3, 1, 2, 1, 2, 3], "generalizability": [0.97, 0.96, 0.9, 0.1, 0.2, 0.3], "curve": list("aaabbb")}
    )
    fig = generalizability_curves(frame, 0.95)
    (star,) = fig.axes[0].collections  # curve b never gets there
    np.testing.assert_allclose(star.get_offsets(), [[1, 0.96]])
    with pytest.raises(StudyError, match="curves has no column 'curve'"):
        generalizability_curves(frame.drop(columns="curve"), 0.95)


def test_estimates_by_size_has_a_line_at_each_truth():
    frame = pd.DataFrame(
        {"case": np.repeat(["x", "y"], 8), "size": [10, 20] * 8, "method": "moments", "nstar": np.arange(1.0, 17)}
    )
    fig = estimates_by_size(frame, {"x": 3, "y": 14})
    assert [ax.lines[0].get_ydata()[0] for ax in fig.axes] == [3, 14]
    plt.close("all")
    with pytest.raises(StudyError, match="no case 'z'; there are x, y"):
        estimates_by_size(frame, {"x": 3, "z": 1})
    assert plt.get_fignums() == [], "a half-drawn figure is left behind"


def test_quantiles_over_seeds_counts_the_seeds():
    fig = quantiles_over_seeds([2, 4], [[0.8, 0.4], [0.8, 0.5], [0.8, 0.4], [0.8, 0.4]], 0.95, 0.3)
    two, four = fig.axes[0].collections
    np.testing.assert_allclose(two.get_offsets(), [[0.8, 2]])
    np.testing.assert_allclose(four.get_offsets(), [[0.4, 4], [0.5, 4]])
    assert four.get_sizes()[0] > four.get_sizes()[1]
    line = fig.axes[0].lines[0]  # of seed 0: halving the quantile doubles n, slope -1
    np.testing.assert_allclose(np.prod(line.get_xydata(), axis=1), 1.6)
    quantiles_over_seeds([2, 4], [[0.0, 0.0]], 0.95, 0.3)  # all results agree: no line, and no error
