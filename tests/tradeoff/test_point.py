"""The trade-off point against mixed-integer programming and plain loops; its resamples against all there can be."""

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from example_cells import arrays, example_table, random_array
from hypothesis import given, settings
from hypothesis import strategies as st

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.tradeoff.array import DIMENSIONS, STATISTICS, objective, over_seeds, to_array
from genexpy_nb.tradeoff.point import (
    METHODS,
    bootstrap_points,
    point_table,
    tradeoff_point,
    tradeoff_points_by_seed,
    weight_sensitivity,
)

ARRAY = to_array(example_table())


seeded = st.builds(
    random_array,
    st.integers(0, 2**32 - 1),
    st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3)),
    n_seeds=st.integers(2, 4),
)
three_weights = st.fixed_dictionaries(
    {name: st.sampled_from([0.0, 0.1, 1.0, 3.7]) for name in ("ssim", "zero_shot", "size")}
)


def scaled_levels(levels):
    levels = [float(v) for v in levels]
    low, high = min(levels), max(levels)
    return [(v - low) / (high - low) if high > low else 0.0 for v in levels]


def point_by_loops(array, weights, method):
    """Go through all cells, and order what is found as the docstring says."""
    zero_shot, ssim, size = (array[name].to_numpy().tolist() for name in DIMENSIONS)
    x1, x3 = scaled_levels(ssim), scaled_levels(size)
    x2 = scaled_levels([1 - z for z in zero_shot])
    cells, statistics = {}, [array[name].to_numpy() for name in STATISTICS]
    for i, j, k in product(range(len(zero_shot)), range(len(ssim)), range(len(size))):
        f = sum(float(values[i, j, k]) for values in statistics)
        if not math.isnan(f):
            cells[i, j, k] = f
    low, high = min(cells.values()), max(cells.values())
    found = []
    for (i, j, k), f in cells.items():
        x = x1[j], x2[i], x3[k]
        relative = (f - low) / (high - low) if high - low > 1e-12 else 0.0
        if method == "minimax":
            value = max(relative, *x)
        else:
            value = f + weights["ssim"] * x[0] ** 2 + weights["zero_shot"] * x[1] ** 2 + weights["size"] * x[2] ** 2
        key = (float(f"{value:.11e}"), float(f"{relative + sum(x):.11e}"), *x)
        found.append((key, {"zero_shot": zero_shot[i], "ssim": ssim[j], "size": size[k]}))
    best = min(found, key=lambda item: item[0])
    return best[1], best[0][0], sum(item[0][0] == best[0][0] for item in found) - 1


def where(point):
    return {name: getattr(point, name) for name in DIMENSIONS}


# --- the point --------------------------------------------------------------------------------------------------------


@given(arrays, three_weights, st.sampled_from(METHODS))
@settings(max_examples=100)
def test_point_is_the_best_cell_of_a_loop_with_ties_and_missing_cells(array, weights, method):
    expected, value, n_ties = point_by_loops(array, weights, method)
    point = tradeoff_point(array, **({"weights": weights} if method == "weighted" else {}), method=method)
    assert where(point) == expected
    assert point.value == pytest.approx(value, rel=1e-11)
    assert point.n_ties == n_ties
    assert point.objective == pytest.approx(sum(float(array[name].sel(expected)) for name in STATISTICS))


def test_minimax_ties_are_counted_and_broken_as_documented():
    shape = (2, 2, 2)
    f = np.zeros(shape)
    f[0, 1, 1] = 1  # the easy corner is the worst cell: F~ = 1 there, 0 elsewhere
    array = xr.Dataset(
        dict.fromkeys(STATISTICS, (DIMENSIONS, f / 6)),
        coords={"zero_shot": [0, 0.5], "ssim": [0.6, 1], "size": [10, 20]},
    )
    point = tradeoff_point(array, method="minimax")
    assert where(point) == {"zero_shot": 0.5, "ssim": 0.6, "size": 10}
    assert (point.value, point.n_ties) == (0, 0)
    # Without the hard corner all cells have the value 1; the sum is 1 for three of them, and SSIM decides.
    hard = (array["zero_shot"] == 0.5) & (array["ssim"] == 0.6) & (array["size"] == 10)
    point = tradeoff_point(array.where(~hard), method="minimax")
    assert (point.value, point.n_ties) == (1, 6)
    assert where(point) == {"zero_shot": 0.5, "ssim": 0.6, "size": 20}
    assert repr(point) == "TradeoffPoint(zero_shot=0.5, ssim=0.6, size=20, value=1, method='minimax', n_ties=6)"


def one_row(f, ssim, sizes):
    """An array without unseen classes whose F is given, shape (n_ssim, n_sizes); NaN where there is no cell."""
    zero = xr.DataArray(np.where(np.isnan(f), np.nan, 0.0)[None], dims=DIMENSIONS)
    array = xr.Dataset(dict.fromkeys(STATISTICS, zero), coords={"zero_shot": [0.0], "ssim": ssim, "size": sizes})
    return array.assign(kappa_std=zero + np.asarray(f)[None])


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
def test_ties_are_broken_by_f_on_its_own_scale(unit):
    """Whatever the unit of F, it counts as much as a dimension from end to end."""
    none = np.nan
    # minimax: the value is 1 in all cells. F~ plus x: .8 + 0 + 1, .1 + .5 + 1, 0 + 1 + 1, 1 + 1 + .5
    f = np.array([[none, none, 0.8], [none, none, 0.1], [none, 1.0, 0.0]])
    point = tradeoff_point(one_row(unit * f, [0.6, 0.8, 1.0], [10, 20, 30]), method="minimax")
    assert (point.ssim, point.size, point.value, point.n_ties) == (0.8, 30, 1, 3)
    # weighted: F + weight x^2 is unit / 4 in both. F~ plus x: 1 + 0 + 0, 0 + .25 + .5
    f = np.array([[0.25, none, none], [none, 0.0, none], [none, none, none]])
    point = tradeoff_point(one_row(unit * f, [0.6, 0.7, 1.0], [10, 20, 30]), {"ssim": 0, "size": unit})
    assert (point.ssim, point.size, point.n_ties) == (0.7, 20, 1)


def test_ties_are_broken_at_twelve_digits():
    """Of F and of the scaled levels, .1 and .2 add up to more than .3 in the last bits: the lower SSIM decides."""
    ssim, sizes = [0.5, 0.55, 0.65, 1.0], [10, 12, 20]
    x = [(level - 0.5) / 0.5 for level in ssim]
    assert x[1] + (12 - 10) / 10 > x[2]
    f = np.full((4, 3), np.nan)
    f[1, 1], f[2, 0] = 0.1 + 0.2, 0.3
    point = tradeoff_point(one_row(f, ssim, sizes), 0)
    assert (point.ssim, point.size, point.n_ties) == (0.55, 12, 1)


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize(("step", "ssim"), [(5e-13, 0.6), (5e-12, 0.8)])
def test_what_differs_in_the_thirteenth_digit_is_constant(unit, step, ssim):
    """In its own digits: from the twelfth on, the hard corner is the worst cell, F~ = 1, and the middle has .5."""
    array = one_row(unit * np.array([[1 + step], [1.0], [1.0]]), [0.6, 0.8, 1.0], [10])
    assert tradeoff_point(array, method="minimax").ssim == ssim


@pytest.mark.parametrize("method", METHODS)
def test_constant_arrays_go_to_the_hard_corner(method):
    constant = xr.full_like(ARRAY[list(STATISTICS)], 0.1)
    point = tradeoff_point(constant, method=method)
    assert where(point) == {"zero_shot": 0.5, "ssim": 0.6, "size": 100}
    assert point.n_ties == 0
    assert tradeoff_point(constant, 0).n_ties == constant["error_std"].size - 1
    assert where(tradeoff_point(constant, 0)) == where(point)


def test_single_levels_do_not_count():
    one_size = ARRAY.sel(size=[1000])
    assert tradeoff_point(one_size, {"size": 1e6}).value == tradeoff_point(one_size).value
    assert tradeoff_point(one_size).size == 1000
    cell = tradeoff_point(ARRAY.isel(zero_shot=[1], ssim=[1], size=[0]), method="minimax")
    assert (cell.zero_shot, cell.ssim, cell.size, cell.value, cell.n_ties) == (0.25, 0.8, 100, 0, 0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": -1}, "the weight of ssim must be a number >= 0, got -1"),
        ({"weights": {"size": float("inf")}}, "the weight of size must be a .*number"),
        ({"weights": {"zeroshot": 1}}, "got one of 'zeroshot'; did you mean 'zero_shot'"),
        ({"weights": 2, "method": "minimax"}, "'minimax' has no weights, got 2"),
        ({"method": "min-max"}, "method must be one of 'weighted', 'minimax', got 'min-max'; did you mean 'minimax'"),
    ],
)
def test_options_are_checked(options, message):
    for function in (tradeoff_point, *(() if "method" in options else (tradeoff_points_by_seed,))):
        with pytest.raises(ParameterError, match=message):
            function(ARRAY, **options)


def test_arrays_without_a_cell_have_no_point():
    empty = xr.full_like(ARRAY[list(STATISTICS)], np.nan)
    for method in METHODS:
        with pytest.raises(ParameterError, match="no cell that every seed has"):
            tradeoff_point(empty, method=method)
    two = random_array(0, (1, 1, 2), n_seeds=2)
    apart = two.where((two["seed"] == 0) == (two["size"] == two["size"].min()))
    with pytest.raises(ParameterError, match="no cell that every seed has"):
        tradeoff_point(apart)
    assert tradeoff_points_by_seed(apart)["size"].tolist() == two["size"].to_numpy().tolist()
    with pytest.raises(ParameterError, match="no cell for seed 1"):
        tradeoff_points_by_seed(two.where(two["seed"] == 0))
    with pytest.raises(ParameterError, match="Dataset"):
        tradeoff_point(ARRAY["error_mean"])
    with pytest.raises(ParameterError, match="no dimension 'seed'"):
        tradeoff_points_by_seed(ARRAY)


def test_objective_is_the_sum_of_the_statistics():
    np.testing.assert_allclose(objective(ARRAY), sum(ARRAY[name].to_numpy() for name in STATISTICS), rtol=1e-15)
    lacking = ARRAY.assign(kappa_std=ARRAY["kappa_std"].where(ARRAY["ssim"] < 1))
    np.testing.assert_array_equal(objective(lacking).isnull(), lacking["kappa_std"].isnull())


# --- seeds ------------------------------------------------------------------------------------------------------------


@given(seeded, st.sampled_from(METHODS))
@settings(max_examples=20)
def test_seeds_are_averaged_first_or_looked_at_one_by_one(array, method):
    options = {"method": method}
    assert where(tradeoff_point(array, **options)) == where(tradeoff_point(over_seeds(array), **options))
    assert tradeoff_point(array, **options).n_seeds == array.sizes["seed"]
    for row in tradeoff_points_by_seed(array).itertuples():
        point = tradeoff_point(array.sel(seed=row.seed, drop=True))
        assert where(point) == {"zero_shot": row.zero_shot, "ssim": row.ssim, "size": row.size}
        assert (point.value, point.n_ties) == (row.value, row.n_ties)


@given(seeded, st.sampled_from(METHODS), st.integers(0, 2**32 - 1))
@settings(max_examples=10)
def test_bootstrap_is_a_loop_over_resampled_seeds(array, method, seed):
    options = {"method": method}
    n = array.sizes["seed"]
    counts = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=15)
    expected = []
    for times in counts:
        drawn = array.isel(seed=np.repeat(np.arange(n), times)).assign_coords(seed=np.arange(n))
        expected.append(tuple(where(tradeoff_point(drawn, **options)).values()))
    points = bootstrap_points(array, 15, seed, **options)
    assert [*points.itertuples(index=False, name=None)] == expected


def test_bootstrap_leaves_out_cells_that_one_seed_lacks():
    array = random_array(5, (3, 3, 3), n_seeds=4)
    gone = where(tradeoff_point(array))
    holes = array.copy(deep=True)
    for name in STATISTICS:
        holes[name].loc[gone | {"seed": 2}] = np.nan
    for points in (bootstrap_points(holes, 50), pd.DataFrame([where(tradeoff_point(holes))])):
        assert not (points[list(DIMENSIONS)] == list(gone.values())).all(axis=1).any()


def test_table_of_points_is_what_the_points_and_intervals_say():
    families = {"a": to_array(example_table(6, rng=1)), "b": to_array(example_table(rng=2))}
    weights = {"ssim": 0.4, "size": 0.2}
    table = point_table(families, weights)
    assert table.index.tolist() == [(name, method) for name in families for method in METHODS]
    assert list(table) == ["SSIM", "ZeroShot", "size"]
    for (name, method), row in table.iterrows():
        given = {"method": method} | ({"weights": weights} if method == "weighted" else {})
        point = tradeoff_point(families[name], **given)
        expected = {"SSIM": f"{point.ssim:g}", "ZeroShot": f"{point.zero_shot:g}", "size": f"{point.size:,.0f}"}
        assert "e+" not in row["size"]
        if name == "a":
            points = bootstrap_points(families["a"], **given)
            for dimension, label in (("ssim", "SSIM"), ("zero_shot", "ZeroShot"), ("size", "size")):
                low, high = (
                    np.sort(points[dimension])[math.ceil(end * 2000) - 1] for end in ((1 - 0.95) / 2, (1 + 0.95) / 2)
                )
                expected[label] += f" [{low:,g}, {high:,g}]"
        assert row.to_dict() == expected


# --- sensitivity ------------------------------------------------------------------------------------------------------


@given(seeded | arrays)
@settings(max_examples=10)
def test_sensitivity_is_one_point_per_row(array):
    table = weight_sensitivity(array)
    assert len(table) == 31 and (table["weight"].iloc[0], table["weight"].iloc[-1]) == pytest.approx((0.01, 10))
    for row in table[::10].itertuples():
        point = tradeoff_point(array, row.weight)
        assert where(point) == {"zero_shot": row.zero_shot, "ssim": row.ssim, "size": row.size}
        assert point.n_ties == row.n_ties
