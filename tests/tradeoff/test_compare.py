"""Differences of families against scipy's paired interval."""

import numpy as np
import pytest
from scipy import stats

from genexpy_nb import ParameterError
from genexpy_nb.tradeoff.array import example_table, to_array
from genexpy_nb.tradeoff.compare import family_differences, noise_curve


@pytest.fixture(scope="module")
def arrays():
    return [to_array(example_table(n_seeds=6, rng=rng)) for rng in (1, 2)]


@pytest.mark.parametrize("share", [None, 0.25])
def test_difference_is_the_paired_t_interval(arrays, share):
    found = family_differences(*arrays, zero_shot=share, confidence=0.9)
    tables = [example_table(n_seeds=6, rng=rng) for rng in (1, 2)]
    if share is not None:
        tables = [table[table["zero_shot"] == share] for table in tables]
    one, other = (table.pivot_table(index="seed", columns="ssim", values="error_rate") for table in tables)
    for row in found.itertuples():
        a, b = one[row.ssim], other[row.ssim]
        interval = stats.ttest_rel(a, b).confidence_interval(0.9)
        assert row.value == pytest.approx((a - b).mean())
        assert (row.low, row.high) == pytest.approx(tuple(interval))
        assert (row.first_lower, row.second_lower, row.n_seeds) == ((a < b).sum(), (a > b).sum(), 6)


def test_curve_is_the_t_interval(arrays):
    values = example_table(n_seeds=6, rng=1).pivot_table(index="seed", columns="ssim", values="kappa")
    for row in noise_curve(arrays[0], statistic="kappa_mean").itertuples():
        result = stats.ttest_1samp(values[row.ssim], 0).confidence_interval(0.95)
        assert (row.low, row.high) == pytest.approx(tuple(result))


def test_one_seed_has_no_interval():
    table = noise_curve(to_array(example_table()))
    assert table["value"].notna().all() and table[["low", "high"]].isna().all(axis=None)


def test_bad_input(arrays):
    with pytest.raises(ParameterError, match="same levels of seed"):
        family_differences(arrays[0], arrays[1].isel(seed=slice(3)))
    with pytest.raises(ParameterError, match="same levels of ssim"):
        family_differences(arrays[0].isel(ssim=[0]), arrays[1])
    with pytest.raises(ParameterError, match=r"zero_shot must be one of 0, 0\.25, 0\.5, got 0\.3"):
        noise_curve(arrays[0], zero_shot=0.3)
    with pytest.raises(ParameterError, match="statistic"):
        noise_curve(arrays[0], statistic="error")
    with pytest.raises(ParameterError, match="confidence"):
        noise_curve(arrays[0], confidence=2)


def test_missing_cells_are_left_out(arrays):
    holes = arrays[0].copy(deep=True)
    holes["error_mean"][0, 0, 0, 0] = np.nan
    assert np.isfinite(noise_curve(holes)["value"]).all()
