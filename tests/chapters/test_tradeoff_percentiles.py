"""Percentiles of sign-errors, by counting arrangements one by one."""

from itertools import combinations, permutations

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from genexpy_nb.chapters.tradeoff import (
    averaged_sign_errors,
    chance_percentile,
    count_verdicts,
    percentile_readings,
    percentile_sign_errors,
    slice_cases,
)
from genexpy_nb.datasets import load_tradeoff_cells
from genexpy_nb.tradeoff import slice_marginal, to_array


def by_hand(measure, target):
    """The sign-error, pair by pair."""
    pairs = list(combinations(range(len(target)), 2))
    return np.mean([0.5 * (1 - np.sign(target[i] - target[j]) * np.sign(measure[i] - measure[j])) for i, j in pairs])


def made_up(n_sizes=5, n_cases=4, seed=0, family="f"):
    rng = np.random.default_rng(seed)
    size = np.arange(1, n_sizes + 1)
    measures = pd.DataFrame({"size": size, "measure": "l2", "value": rng.random(n_sizes)})
    ups = pd.DataFrame({"size": size, "measure": "params", "value": size.astype(float)})
    tied = pd.DataFrame({"size": size, "measure": "tied", "value": np.minimum(size, 3.0)})
    cases = [pd.DataFrame({"case": c, "size": size, "estimate": rng.random(n_sizes)}) for c in range(n_cases)]
    return pd.concat([measures, ups, tied], ignore_index=True).assign(family=family), pd.concat(cases).assign(
        family=family
    )


@pytest.mark.parametrize("percentile", [10, 25, 50])
def test_percentile_and_its_null_by_all_arrangements(percentile):
    measures, cases = made_up()
    table = percentile_sign_errors(measures, cases, percentile, level=0.2).set_index("measure")
    targets = cases.pivot(index="case", columns="size", values="estimate").to_numpy()
    for name, part in measures.groupby("measure"):
        values = part["value"].to_numpy()
        found = np.percentile([by_hand(values, target) for target in targets], percentile)
        null = [
            np.percentile([by_hand(order, target) for target in targets], percentile) for order in permutations(values)
        ]
        row = table.loc[name]
        below, above = np.mean(np.array(null) <= found + 1e-9), np.mean(np.array(null) >= found - 1e-9)
        assert row["estimate"] == pytest.approx(found, abs=1e-9)
        assert row["p"] == pytest.approx(min(1, 2 * min(below, above)))
        assert row["chance"] == pytest.approx(np.mean(null), abs=1e-8)
        assert (
            np.mean(np.array(null) <= row["band_low"] + 1e-8)
            <= 0.1
            >= np.mean(np.array(null) >= row["band_high"] - 1e-8)
        )
        assert row[["n_cases", "n_sizes", "exact"]].tolist() == [4, 5, True]


def test_one_case_is_an_ordinary_sign_error():
    measures, cases = made_up(n_cases=1)
    got = percentile_sign_errors(measures, cases)
    plain = averaged_sign_errors(measures, cases)
    assert got["estimate"].to_numpy() == pytest.approx(plain["sign_error"].to_numpy(), abs=1e-9)
    assert got["p"].to_numpy() == pytest.approx(plain["p"].to_numpy())
    np.testing.assert_allclose(got[["band_low", "band_high"]], plain[["band_low", "band_high"]], atol=1e-9)
    assert got["group"].tolist() == plain["group"].tolist()


def test_two_sizes_have_an_order_and_one_has_none():
    measures, cases = made_up(n_sizes=2)
    assert percentile_sign_errors(measures, cases)["n_sizes"].tolist() == [2, 2, 2]
    assert percentile_sign_errors(measures[measures["size"] == 1], cases[cases["size"] == 1]).empty


def test_many_sizes_are_drawn_with_a_fixed_seed():
    measures, cases = made_up(n_sizes=9, n_cases=1)
    one, two = (percentile_sign_errors(measures, cases) for _ in range(2))
    assert_frame_equal(one, two)
    assert not one["exact"].any()
    exact = averaged_sign_errors(measures, cases)
    assert one["p"].to_numpy() == pytest.approx(exact["p"].to_numpy(), abs=0.02)  # sixfold standard error
    assert one["chance"].to_numpy() == pytest.approx(0.5, abs=0.005)


def test_families_noises_and_seeds():
    measures = pd.concat(made_up(seed=s, family=f)[0] for s, f in ((0, "a"), (1, "b")))
    cases = pd.concat(
        made_up(seed=s, family=f)[1].assign(noise=noise, slice="zero_shot", seed=s)
        for f in "ab"
        for noise, seeds in (("fgsm", (5,)), ("pca", (6, 7)))
        for s in seeds
    )
    table = percentile_sign_errors(measures, cases)
    assert table.columns[:4].tolist() == ["family", "slice", "noise", "measure"] and len(table) == 2 * 2 * 3
    one = cases[(cases["family"] == "b") & (cases["noise"] == "pca")]
    mean = one.groupby(["case", "size"], as_index=False)["estimate"].mean()
    alone = percentile_sign_errors(measures, mean.assign(family="b"))
    of_b = table[(table["family"] == "b") & (table["noise"] == "pca")].reset_index(drop=True)
    assert_frame_equal(of_b[alone.columns], alone)
    # The same tables, in the other functions: every kind of noise is a comparison of its own.
    target = cases.groupby(["family", "slice", "noise", "seed", "size"], as_index=False)["estimate"].mean()
    counted = count_verdicts(averaged_sign_errors(measures, target))
    assert counted.index.names == ["family", "slice", "noise"] and len(counted) == 4


def test_cases_average_to_the_marginal():
    cells = load_tradeoff_cells()
    array = to_array(cells[cells["family"] == "perceptrons"])
    for which, n in (("ssim", 6), ("zero_shot", 9)):
        cases = slice_cases(array, which)
        assert cases.groupby(["seed", "size"]).size().unique() == [n]
        mean = cases.groupby(["slice", "seed", "size"], as_index=False)["estimate"].mean()
        expected = slice_marginal(array, which)
        assert_frame_equal(mean, expected[mean.columns], check_dtype=False)


def test_what_chance_gives():
    for n in range(2, 8):
        errors = np.sort([by_hand(range(n), order) for order in permutations(range(n))])
        assert chance_percentile(n) == pytest.approx(np.percentile(errors, 10, method="inverted_cdf"))


def test_three_readings_beside_each_other():
    measures, cases = made_up(n_sizes=6, n_cases=3)
    cases = cases.assign(slice="ssim")
    target = cases.groupby(["family", "slice", "size"], as_index=False)["estimate"].mean()
    tenths = target.assign(estimate=-target["estimate"])
    (row,) = percentile_readings(measures, target, cases, tenths).reset_index().to_dict("records")
    assert (row["family"], row["slice"], row["measures"]) == ("f", "ssim", 3)
    over = percentile_sign_errors(measures, cases)
    assert row["levels above .3"] == (over["estimate"] > 0.3).sum()
    assert row["levels above 1/2"] == (over["estimate"] > 0.5).sum()
    assert row["levels beyond chance"] == (over["p"] <= 0.05).sum()
    assert row["levels by chance"] == pytest.approx(over["chance"].mean())
    values = [part["value"].to_numpy() for _, part in measures.groupby("measure")]
    means = target.sort_values("size")["estimate"].to_numpy()
    signs = [by_hand(value, means) for value in values]
    assert row["over measures"] == pytest.approx(np.quantile(signs, 0.1))
    assert row["classes above 1/2"] == sum(1 - sign > 0.5 for sign in signs)  # the target turned round
    assert row["over measures by chance"] == chance_percentile(6)
