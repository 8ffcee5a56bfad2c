"""Differences of families against scipy's paired interval, slices against means of the cells."""

import numpy as np
import pandas as pd
import pytest
from example_cells import example_table, random_array
from hypothesis import given, settings
from hypothesis import strategies as hs
from scipy import stats

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.tradeoff.array import DIMENSIONS, to_array
from genexpy_nb.tradeoff.compare import (
    comparable_families,
    family_differences,
    kappa_correlations,
    noise_curve,
    same_cells,
    slice_marginal,
)


@pytest.fixture(scope="module")
def arrays():
    return [to_array(example_table(n_seeds=6, rng=rng)) for rng in (1, 2)]


@pytest.mark.parametrize("share", [None, 0.25])
def test_difference_is_the_paired_t_interval(arrays, share):
    found = family_differences(*arrays, zero_shot=share)
    tables = [example_table(n_seeds=6, rng=rng) for rng in (1, 2)]
    if share is not None:
        tables = [table[table["zero_shot"] == share] for table in tables]
    one, other = (table.pivot_table(index="seed", columns="ssim", values="error_rate") for table in tables)
    for row in found.itertuples():
        a, b = one[row.ssim], other[row.ssim]
        interval = stats.ttest_rel(a, b).confidence_interval(0.95)
        assert row.estimate == pytest.approx((a - b).mean())
        assert (row.low, row.high) == pytest.approx(tuple(interval))
        assert row.n_seeds == 6


def test_complete_families_of_one_grid_stay_as_they_are(arrays):
    both = comparable_families(dict(zip("ab", arrays, strict=True)))
    for name, array in zip("ab", arrays, strict=True):
        assert both[name].equals(array)


def test_families_are_compared_on_the_seeds_levels_and_shares_that_both_have():
    table = example_table(n_seeds=4)
    other = table[(table["seed"] > 0) & (table["ssim"] > 0.6) & (table["zero_shot"] < 0.5)]
    other = other[other["size"] == 100].assign(size=7)
    both = comparable_families({"a": to_array(table), "b": to_array(other)})
    assert both["a"].equals(to_array(table).sel(seed=[1, 2, 3], ssim=[0.8, 1.0], zero_shot=[0.0, 0.25]))
    assert both["b"].equals(to_array(other))
    found = family_differences(*both.values())
    assert found["ssim"].tolist() == [0.8, 1.0] and found["n_seeds"].eq(3).all()


def test_sizes_that_one_family_lacks_do_not_make_it_better():
    table = example_table(n_seeds=3)
    table["error_rate"] = 0.1 + table["size"] / 2000 + 0.01 * (table["ssim"] < 1)
    lacking = table[~((table["size"] == 1000) & (table["ssim"] == 0.6) & (table["seed"] == 1))]
    both = comparable_families({"a": to_array(table), "b": to_array(lacking, missing="drop")})
    assert both["a"]["size"].to_numpy()[both["a"]["error_mean"].notnull().any(["seed", "ssim", "zero_shot"])] == [100]
    assert (family_differences(*both.values())["estimate"] == 0).all()
    assert family_differences(to_array(table), to_array(lacking, missing="drop"))["estimate"].max() > 0.05


def test_levels_that_a_family_has_in_no_seed_are_left_out():
    table = example_table(n_seeds=2)
    low, share = table["ssim"] == 0.6, table["zero_shot"] == 0.5
    lacking = table[~(low & (table["seed"] == 0)) & ~(share & (table["seed"] == 1))]
    both = comparable_families({"a": to_array(table), "b": to_array(lacking, missing="drop")})
    for array in both.values():
        assert array["ssim"].to_numpy().tolist() == [0.8, 1.0] and array["zero_shot"].to_numpy().tolist() == [0.0, 0.25]
        assert array["error_mean"].notnull().all()


def test_nothing_in_common_is_nothing_to_compare():
    table = example_table(n_seeds=2)
    other = table.assign(seed=table["seed"] + 2)
    assert comparable_families({"a": to_array(table), "b": to_array(other)}) == {}
    lacking = table.assign(size=table["size"] + 1)
    lacking = lacking[(lacking["seed"] == 0) | (lacking["ssim"] == 1) | (lacking["size"] == 101)]
    assert comparable_families({"a": to_array(table), "b": to_array(lacking, missing="drop")}) == {}


def test_curve_is_the_t_interval(arrays):
    values = example_table(n_seeds=6, rng=1).pivot_table(index="seed", columns="ssim", values="error_rate")
    for row in noise_curve(arrays[0]).itertuples():
        result = stats.ttest_1samp(values[row.ssim], 0).confidence_interval(0.95)
        assert (row.estimate, row.low, row.high) == pytest.approx((values[row.ssim].mean(), *result))


def test_a_share_is_found_by_its_rounded_number(arrays):
    thirds = arrays[0].assign_coords(zero_shot=[0, 1 / 6, 1 / 3])
    pd.testing.assert_frame_equal(noise_curve(thirds, 0.167), noise_curve(thirds, 1 / 6))
    for other in (0.168, np.nan):
        with pytest.raises(ParameterError, match=rf"zero_shot must be one of 0, 0\.167, 0\.333, got {other}"):
            noise_curve(thirds, other)
    close = arrays[0].assign_coords(zero_shot=[0.1660, 0.1664, 0.5])
    pd.testing.assert_frame_equal(noise_curve(close, 0.1664), noise_curve(arrays[0], 0.25))


def test_bad_input(arrays):
    with pytest.raises(ParameterError, match="same levels of seed"):
        family_differences(arrays[0], arrays[1].isel(seed=slice(3)))
    with pytest.raises(ParameterError, match="same levels of ssim"):
        family_differences(arrays[0].isel(ssim=[0]), arrays[1])


def test_missing_cells_are_left_out(arrays):
    holes = arrays[0].copy(deep=True)
    holes["error_mean"][0, 0, 0, 0] = np.nan
    assert np.isfinite(noise_curve(holes)["estimate"]).all()


def test_correlations_of_cells_are_those_of_pandas():
    table = example_table(n_seeds=3).assign(other=lambda t: np.cos(9 * t["kappa"]))
    families = {kappa: {"f": to_array(table, kappa=kappa)} for kappa in ("kappa", "other")}
    found = kappa_correlations(families)
    of_cells = table.groupby(["zero_shot", "ssim", "size", "seed"])[["error_rate", "kappa", "other"]].mean()
    means = of_cells.groupby(["zero_shot", "ssim", "size"]).mean()
    for share, of in means.groupby("zero_shot"):
        np.testing.assert_allclose(found["f", share], of.corr()["error_rate"][["kappa", "other"]])
    same = to_array(table.assign(error_rate=0.25))
    assert kappa_correlations({"kappa": {"f": same}}).isna().all(axis=None)


def test_families_that_err_alike_are_not_told_apart_by_rounding():
    """The same errors, at other sizes: their means are sums in another order."""
    rng = np.random.default_rng(0)
    sizes, seeds = [1, 2, 3, 4, 5, 6], range(8)
    rows = [
        (s, 0.0, 1.0, size, "c", e) for s in seeds for size, e in zip(sizes, rng.integers(1, 40, 6) / 114, strict=True)
    ]
    table = pd.DataFrame(rows, columns=["seed", "zero_shot", "ssim", "size", "class", "error_rate"]).assign(kappa=0.5)
    turned = table.assign(size=7 - table["size"])
    found = family_differences(to_array(table), to_array(turned)).iloc[0]
    assert found["estimate"] == 0


DRAWN = hs.builds(
    random_array,
    hs.integers(0, 2**32 - 1),
    hs.tuples(hs.integers(1, 3), hs.integers(1, 3), hs.integers(1, 3)),
    n_seeds=hs.integers(0, 4),
    missing=hs.sampled_from([0.0, 0.3]),
)


@given(DRAWN, hs.sampled_from(DIMENSIONS))
@settings(max_examples=15)
def test_the_same_cells_are_those_that_no_level_and_no_seed_lacks(array, dimension):
    kept = same_cells(array, dimension)
    shape = [array.sizes[name] for name in DIMENSIONS]
    before, after = (
        {name: each[name].to_numpy().reshape(-1, *shape) for name in ("error_mean", "kappa_p10")}
        for each in (array, kept)
    )
    lost = np.isnan(before["error_mean"]).any(axis=(0, 1 + DIMENSIONS.index(dimension)), keepdims=True)
    for name, values in before.items():
        np.testing.assert_array_equal(after[name], np.where(lost, np.nan, values))


@pytest.mark.parametrize(("which", "over", "level"), [("ssim", "zero_shot", 1.0), ("zero_shot", "ssim", 0.0)])
@pytest.mark.parametrize("n_seeds", [0, 3])
def test_slices_are_averaged_per_seed_and_size(which, over, level, n_seeds):
    table = example_table(n_seeds)
    lost = (table[which] == level) & (table["size"] == 100) & (table[over] == table[over].max())
    table = table[~lost]
    found = slice_marginal(to_array(table, missing="drop"), which)
    assert found.columns.tolist() == ["slice", "seed", "size", "estimate", "n_cells"]
    assert len(found) == 2 * max(n_seeds, 1)
    part = table.assign(seed=table.get("seed", 0))
    part = part[part[which] == level]
    for row in found.itertuples():
        cells = part[(part["seed"] == row.seed) & (part["size"] == row.size)].groupby(over)["error_rate"].mean()
        assert row.estimate == pytest.approx(cells.mean())
        assert row.n_cells == len(cells) == (2 if row.size == 100 else 3)
        assert row.slice == which
