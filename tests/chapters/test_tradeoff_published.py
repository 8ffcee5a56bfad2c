"""What the paper prints, and points beside it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genexpy_nb.chapters.tradeoff import (
    changes,
    check_published,
    largest_deviation,
    published_bounds,
    published_tradeoff,
)


@pytest.mark.parametrize("source", ["paper", "article"])
def test_printed_bounds_are_means_of_three_marginals(source):
    table = published_bounds(source)
    assert len(table) == 8 and (table["difference"].abs() <= table["reading_error"] + 0.0005).all()
    np.testing.assert_allclose(table["mean"], table[["along_ssim", "along_zero_shot", "along_size"]].mean(axis=1))
    along = table[["along_ssim", "along_zero_shot", "along_size"]].sub(table["printed"], axis=0).abs()
    assert (along.min(axis=1) > table["reading_error"]).sum() >= 3  # no single axis gives them


def test_what_the_paper_says_of_trends():
    paper, article = changes().loc["error_mean"], changes("article").loc["error_mean"]
    assert paper.loc["ssim", "rises"].sum() <= 1 and paper.loc["zero_shot", "falls"].sum() <= 3
    size = paper.loc["size"]
    assert ((size["high"] > size["right"]) & (size["low"] < size["wrong"])).all()  # chance may give each of them
    assert size["pairs"].tolist() == size[["rises", "falls", "unclear"]].sum(axis=1).tolist()
    opposite = article.loc[("size", "CIFAR-100")]
    assert opposite.rises["CLIP"] > opposite.falls["CLIP"] and opposite.low["EfficientNet"] > 0.5


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_no_numbers_between_0_and_1_deviate_more(numbers):
    assert np.std(numbers) <= largest_deviation(min(max(np.mean(numbers), 0), 1)) + 1e-7


def test_the_largest_deviation_is_reached_by_zeros_and_ones_and_beaten_by_the_figure():
    assert largest_deviation(0.25) == pytest.approx(np.std([0, 0, 0, 1]))
    assert largest_deviation(3, 2, 4) == pytest.approx(1)
    spread = published_tradeoff("spread").iloc[0]
    worst = largest_deviation(spread["kappa_mean"] + 0.005) + 0.005
    assert spread["kappa_std"] > 1.9 * worst  # far beyond what reading could explain
    assert spread["kappa_std"] < largest_deviation(spread["kappa_mean"], 0, 10)  # not if Kappa is ten times as large


def test_the_larger_bound_of_the_paper_is_the_smaller_one_of_the_article():
    paper, article = (
        published_tradeoff(table).pivot(index="data", columns="family", values="generalization_bound")
        for table in ("points", "article")
    )
    assert (paper.idxmax(axis=1) == article.idxmin(axis=1)).all()


def test_bounds_stand_beside_the_printed_ones(shown):
    check_published()
    assert [number[2]["published"] for number in shown.numbers.values()][:4] == [0.364, 0.206, 0.852, 0.902]
