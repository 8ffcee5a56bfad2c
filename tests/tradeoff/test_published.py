"""What the paper prints, and points beside it."""

import numpy as np
import pandas as pd
import pytest
from example_cells import example_table
from hypothesis import given
from hypothesis import strategies as st

from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.tradeoff import at_point, marginals, to_array, tradeoff_point
from genexpy_nb.tradeoff.published import (
    READING_ERROR,
    beside_published,
    largest_deviation,
    published_bounds,
    published_differences,
    published_tradeoff,
)


def test_tables_come_as_copies():
    points = published_tradeoff("points")
    points["ssim"] = 0
    assert (published_tradeoff("points")["ssim"] > 0.7).all()
    assert published_tradeoff("sizes")["family"].value_counts().to_dict() == {"EfficientNet": 8, "CLIP": 8}
    assert published_tradeoff("sizes").query("used")["family"].value_counts().to_dict() == {
        "EfficientNet": 8,
        "CLIP": 5,
    }
    with pytest.raises(ParameterError, match=r"table must be one of 'points', .*, got 'point'"):
        published_tradeoff("point")


def test_differences_are_those_of_the_text():
    """The paper's text: .16 and .01 on ImageNet, .05 on CIFAR-100; seven times the size."""
    table = published_differences()
    assert list(table) == ["ImageNet", "CIFAR-100"]
    assert table["ImageNet"].round(2).tolist() == [0.16, 0.01, 7.26]
    assert table["CIFAR-100"].round(3).tolist() == [-0.05, 0.025, round(56 / 43, 3)]


def test_own_points_have_the_form_of_the_published_ones():
    arrays = {"a": to_array(example_table(3)), "b": to_array(example_table(3, rng=1)).sel(size=[1000])}
    points = {name: tradeoff_point(array) for name, array in arrays.items()}
    bounds = pd.concat([at_point(marginals(arrays[name]), points[name]).assign(family=name) for name in arrays])
    table = beside_published(points, bounds, "mine")
    clip = ["0.364", "0.087", "0.779", "0.175", "167M", "yes"]  # Table 2
    efficient = ["0.206", "0.075", "0.891", "0.106", "23M", "no"]  # between b4 and b5
    assert table["ImageNet", "CLIP"].tolist() == clip and table["ImageNet", "EfficientNet"].tolist() == efficient
    assert [column for column in table if column[0] == "mine"] == [("mine", "a"), ("mine", "b")]
    for name, point in points.items():
        column = table["mine", name]
        for bound in ("generalization bound", "diversity bound"):
            values = bounds.loc[(bounds["family"] == name) & (bounds["bound"] == bound), "estimate"]
            assert column[bound] == f"{min(values):.3f} to {max(values):.3f}"
        assert column["SSIM (lower bound)"] == f"{point.ssim:g}"
        assert column["ZeroShot (upper bound)"] == f"{point.zero_shot:.3f}"
        assert column["model size (lower bound)"] == f"{point.size:,}".removesuffix(".0")
        assert column["a model has this size"] == "yes"
    with pytest.raises(StudyError, match="bounds has no column 'family'"):
        beside_published(points, bounds.drop(columns="family"))
    with pytest.raises(ParameterError, match="both bounds of 'b', got "):
        beside_published(points, bounds[bounds["family"] == "a"])


def test_printed_bounds_are_means_of_three_marginals():
    table = published_bounds()
    assert len(table) == 8 and (table["difference"].abs() <= READING_ERROR).all()
    np.testing.assert_allclose(table["mean"], table[["along_ssim", "along_zero_shot", "along_size"]].mean(axis=1))
    along = table[["along_ssim", "along_zero_shot", "along_size"]].sub(table["printed"], axis=0).abs()
    assert (along.min(axis=1) > READING_ERROR).sum() >= 3  # no single axis gives them


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_no_numbers_between_0_and_1_deviate_more(numbers):
    assert np.std(numbers) <= largest_deviation(min(max(np.mean(numbers), 0), 1)) + 1e-7


def test_the_largest_deviation_is_reached_by_zeros_and_ones_and_beaten_by_the_figure():
    assert largest_deviation(0.25) == pytest.approx(np.std([0, 0, 0, 1]))
    assert largest_deviation(3, 2, 4) == pytest.approx(1)
    spread = published_tradeoff("spread").iloc[0]
    worst = largest_deviation(spread["kappa_mean"] + READING_ERROR) + READING_ERROR
    assert spread["kappa_std"] > 1.9 * worst  # far beyond what reading could explain
    assert spread["kappa_std"] < largest_deviation(spread["kappa_mean"], 0, 10)  # not if Kappa is ten times as large
    with pytest.raises(ParameterError, match="mean must be in"):
        largest_deviation(1.2)
