"""The trade-off point against mixed-integer programming and plain loops; what surrounds it against its definition."""

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.tradeoff.array import DIMENSIONS, STATISTICS, example_table, objective, over_seeds, to_array
from genexpy_nb.tradeoff.point import (
    METHODS,
    SIZE_SCALES,
    bootstrap_interval,
    bootstrap_points,
    tradeoff_point,
    tradeoff_points_by_seed,
    weight_sensitivity,
)
from genexpy_nb.tradeoff.slices import at_point, marginals, slice_marginal
from genexpy_nb.tradeoff.tolerance import tolerance_box

ARRAY = to_array(example_table())
OPTIONS = [("weighted", scale) for scale in SIZE_SCALES] + [("minimax", scale) for scale in SIZE_SCALES]


def random_array(rng, shape, n_seeds=0, digits=None, missing=0.0):
    """An array with random statistics; few digits make ties."""
    rng = np.random.default_rng(rng)
    coordinates = {
        "zero_shot": np.sort(rng.choice([0, 0.167, 0.286, 0.375, 0.444, 0.5], size=shape[0], replace=False)),
        "ssim": np.sort(rng.choice(np.arange(60, 101, 5) / 100, size=shape[1], replace=False)),
        "size": np.sort(rng.choice(np.arange(1, 1000), size=shape[2], replace=False)),
    }
    dims = ("seed", *DIMENSIONS) if n_seeds else DIMENSIONS
    shape = (n_seeds, *shape) if n_seeds else shape
    absent = rng.random(shape) < missing
    absent.flat[0] = False
    variables = {}
    for name in STATISTICS:
        values = rng.random(shape)
        values = values if digits is None else values.round(digits)
        variables[name] = (dims, np.where(absent, np.nan, values))
    if n_seeds:
        coordinates = {"seed": np.arange(n_seeds)} | coordinates
    return xr.Dataset(variables, coords=coordinates)


arrays = st.builds(
    random_array,
    st.integers(0, 2**32 - 1),
    st.tuples(st.integers(1, 4), st.integers(1, 4), st.integers(1, 4)),
    digits=st.sampled_from([None, 1]),
    missing=st.sampled_from([0.0, 0.3]),
)
seeded = st.builds(
    random_array,
    st.integers(0, 2**32 - 1),
    st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3)),
    n_seeds=st.integers(2, 4),
)
three_weights = st.fixed_dictionaries(
    {name: st.sampled_from([0.0, 0.1, 1.0, 3.7]) for name in ("ssim", "zero_shot", "size")}
)


def scaled_levels(levels, scale="linear"):
    levels = [float(v) for v in levels]
    if scale == "log":
        levels = [math.log(v) for v in levels]
    if scale == "rank":
        levels = [float(i) for i in range(len(levels))]
    low, high = min(levels), max(levels)
    return [(v - low) / (high - low) if high > low else 0.0 for v in levels]


def point_by_loops(array, weights, method, scale):
    """Go through all cells, and order what is found as the docstring says."""
    zero_shot, ssim, size = (array[name].to_numpy().tolist() for name in DIMENSIONS)
    x1, x3 = scaled_levels(ssim), scaled_levels(size, scale)
    x2 = scaled_levels([1 - z for z in zero_shot])
    cells = {}
    for i, j, k in product(range(len(zero_shot)), range(len(ssim)), range(len(size))):
        f = sum(float(array[name][i, j, k]) for name in STATISTICS)
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


@given(arrays, three_weights, st.sampled_from(OPTIONS))
@settings(max_examples=100, deadline=None)
def test_point_is_the_best_cell_of_a_loop_with_ties_and_missing_cells(array, weights, option):
    method, scale = option
    expected, value, n_ties = point_by_loops(array, weights, method, scale)
    point = tradeoff_point(
        array, **({"weights": weights} if method == "weighted" else {}), method=method, size_scale=scale
    )
    assert where(point) == expected
    assert point.value == pytest.approx(value, rel=1e-11)
    assert point.n_ties == n_ties
    assert point.statistics == {name: float(array[name].sel(expected)) for name in STATISTICS}
    assert point.objective == pytest.approx(sum(point.statistics.values()))
    assert point.n_cells == int(array["kappa_std"].notnull().sum())
    if method == "weighted":
        penalty = sum(weights[name] * point.scaled[name] ** 2 for name in weights)
        assert point.value == pytest.approx(point.objective + penalty)


def milp_weighted(f, x, weights):
    """One-hot cells z, one-hot levels per dimension, a penalty per level; z may be 1 only where all its levels are."""
    n = f.size
    lengths = f.shape
    costs = np.concatenate([f.ravel(), *(w * np.square(levels) for w, levels in zip(weights, x, strict=True))])
    rows, lower, upper = [], [], []

    def constrain(row, low, high):
        rows.append(row)
        lower.append(low)
        upper.append(high)

    offset = n
    one = np.zeros(len(costs))
    one[:n] = 1
    constrain(one, 1, 1)
    for axis, length in enumerate(lengths):
        level_of_cell = np.indices(lengths)[axis].ravel()
        one = np.zeros(len(costs))
        one[offset : offset + length] = 1
        constrain(one, 1, 1)
        for level in range(length):
            row = np.zeros(len(costs))
            row[:n][level_of_cell == level] = 1
            row[offset + level] = -1
            constrain(row, -np.inf, 0)
        offset += length
    solved = optimize.milp(
        costs, constraints=optimize.LinearConstraint(np.array(rows), lower, upper), integrality=1, bounds=(0, 1)
    )
    assert solved.success
    return solved.fun, np.unravel_index(solved.x[:n].argmax(), lengths)


def milp_minimax(f, x):
    """Minimise t with t >= F~ and t >= x_d of the cell that z selects."""
    n = f.size
    scaled = (f - f.min()) / (f.max() - f.min())
    tops = [scaled.ravel(), *(np.broadcast_to(levels, f.shape).ravel() for levels in np.ix_(*x))]
    matrix = np.vstack([np.append(np.ones(n), 0), *(np.append(top, -1) for top in tops)])
    constraint = optimize.LinearConstraint(matrix, [1] + [-np.inf] * 4, [1] + [0] * 4)
    bounds = optimize.Bounds(np.append(np.zeros(n), -np.inf), np.append(np.ones(n), np.inf))
    solved = optimize.milp(
        np.append(np.zeros(n), 1), constraints=constraint, integrality=np.append(np.ones(n), 0), bounds=bounds
    )
    assert solved.success
    return solved.fun


@pytest.mark.parametrize("scale", SIZE_SCALES)
@pytest.mark.parametrize("seed", range(4))
def test_mixed_integer_programming_agrees(seed, scale):
    array = random_array(seed, (5, 6, 5))
    weights = dict(zip(DIMENSIONS, np.random.default_rng(seed).uniform(0, 3, size=3), strict=True))
    zero_shot, ssim, size = (array[name].to_numpy() for name in DIMENSIONS)
    x = [scaled_levels(1 - zero_shot), scaled_levels(ssim), scaled_levels(size, scale)]
    f = objective(array).to_numpy()

    point = tradeoff_point(array, weights, size_scale=scale)
    value, (i, j, k) = milp_weighted(f, x, weights.values())
    assert point.value == pytest.approx(value, abs=1e-9)
    assert where(point) == {"zero_shot": zero_shot[i], "ssim": ssim[j], "size": size[k]}

    point = tradeoff_point(array, method="minimax", size_scale=scale)
    assert point.value == pytest.approx(milp_minimax(f, x), abs=1e-6)


@given(arrays, three_weights, st.floats(-5, 5))
@settings(max_examples=40, deadline=None)
def test_a_constant_added_to_f_does_not_move_the_point(array, weights, constant):
    moved = array.assign(error_mean=array["error_mean"] + round(constant, 3))
    for options in ({"weights": weights}, {"method": "minimax"}):
        assert where(tradeoff_point(array, **options)) == where(tradeoff_point(moved, **options))


@given(arrays)
@settings(max_examples=40, deadline=None)
def test_weights_of_zero_find_the_smallest_f_and_huge_ones_the_hard_corner(array):
    f = objective(array)
    assert tradeoff_point(array, 0).objective == pytest.approx(float(f.min()), rel=1e-11)
    full = array.fillna(1.0)
    corner = {"zero_shot": full["zero_shot"].max(), "ssim": full["ssim"].min(), "size": full["size"].min()}
    point = tradeoff_point(full, 1e9)
    assert where(point) == {name: float(level) for name, level in corner.items()}
    assert point.value == pytest.approx(point.objective, rel=1e-11)
    assert set(point.scaled.values()) == {0.0}


@given(st.integers(0, 2**32 - 1), st.sampled_from(OPTIONS))
@settings(max_examples=30, deadline=None)
def test_order_of_the_rows_of_the_table_changes_nothing(seed, option):
    table = example_table(3, rng=seed)
    options = {"method": option[0], "size_scale": option[1]}
    one = to_array(table)
    other = to_array(table.sample(frac=1, random_state=seed))
    assert vars(tradeoff_point(one, **options)) == vars(tradeoff_point(other, **options))
    pd.testing.assert_frame_equal(
        bootstrap_points(one, 50, seed, **options), bootstrap_points(other, 50, seed, **options), check_exact=True
    )


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
    assert (point.value, point.n_ties, point.n_cells) == (1, 6, 7)
    assert where(point) == {"zero_shot": 0.5, "ssim": 0.6, "size": 20}
    assert repr(point) == "TradeoffPoint(zero_shot=0.5, ssim=0.6, size=20, value=1, method='minimax', n_ties=6)"


def test_values_that_only_rounding_tells_apart_are_ties():
    array = xr.zeros_like(ARRAY[list(STATISTICS)])
    array["error_mean"][:] = 0.3
    array["error_mean"].loc[{"ssim": 0.6}] = 0.1 + 0.2
    point = tradeoff_point(array, 0)
    assert (point.ssim, point.n_ties) == (0.6, 17)


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
    assert tradeoff_point(one_size, {"size": 1e6}).scaled["size"] == 0
    assert tradeoff_point(one_size).size == 1000
    cell = tradeoff_point(ARRAY.isel(zero_shot=[1], ssim=[1], size=[0]), method="minimax")
    assert (cell.zero_shot, cell.ssim, cell.size, cell.value, cell.n_ties) == (0.25, 0.8, 100, 0, 0)
    one_class = to_array(example_table(n_classes=1))
    assert tradeoff_point(one_class).statistics["error_std"] == 0


def test_scales_of_size():
    array = random_array(0, (2, 2, 3)).assign_coords(size=[10, 100, 10_000])
    for scale, middle in (("linear", 90 / 9990), ("log", 1 / 3), ("rank", 1 / 2)):
        only = array.where((array["size"] == 100) & (array["ssim"] == array["ssim"].max()) & (array["zero_shot"] > 0))
        only = only.where(only["zero_shot"] == only["zero_shot"].max())
        point = tradeoff_point(only, size_scale=scale)
        assert point.scaled == {"ssim": 1.0, "zero_shot": 0.0, "size": pytest.approx(middle)}
        assert point.weights == {"ssim": 1.0, "zero_shot": 1.0, "size": 1.0}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": -1}, "the weight of ssim must be a finite number of at least 0, got -1"),
        ({"weights": {"size": float("inf")}}, "the weight of size must be a finite number"),
        ({"weights": {"size": float("nan")}}, "the weight of size"),
        ({"weights": {"size": "1"}}, "the weight of size"),
        ({"weights": {"zeroshot": 1}}, "got one of 'zeroshot'; did you mean 'zero_shot'"),
        ({"weights": [1, 1, 1]}, "the weight of ssim must be a finite number"),
        ({"weights": 2, "method": "minimax"}, "'minimax' has no weights, got 2"),
        ({"method": "min-max"}, "method must be one of 'weighted', 'minimax', got 'min-max'; did you mean 'minimax'"),
        ({"size_scale": "ranks"}, "size_scale must be one of 'linear', 'log', 'rank', got 'ranks'"),
    ],
)
def test_options_are_checked(options, message):
    for function in (tradeoff_point, tradeoff_points_by_seed, bootstrap_points):
        with pytest.raises(ParameterError, match=message):
            function(ARRAY, **options)


def test_arrays_without_a_cell_have_no_point():
    empty = xr.full_like(ARRAY[list(STATISTICS)], np.nan)
    for find in (tradeoff_point, weight_sensitivity, lambda a: tradeoff_point(a, method="minimax")):
        with pytest.raises(ParameterError, match="no cell that every seed has"):
            find(empty)
    two = random_array(0, (1, 1, 2), n_seeds=2)
    apart = two.where((two["seed"] == 0) == (two["size"] == two["size"].min()))
    for find in (tradeoff_point, bootstrap_points):
        with pytest.raises(ParameterError, match="no cell that every seed has"):
            find(apart)
    assert tradeoff_points_by_seed(apart)["size"].tolist() == two["size"].to_numpy().tolist()
    with pytest.raises(ParameterError, match="no cell for seed 1"):
        tradeoff_points_by_seed(two.where(two["seed"] == 0))
    with pytest.raises(ParameterError, match="Dataset"):
        tradeoff_point(ARRAY["error_mean"])


def test_objective_is_the_sum_of_what_is_asked_for():
    two = objective(ARRAY, ["error_mean", "kappa_p10"])
    np.testing.assert_array_equal(two, ARRAY["error_mean"].to_numpy() + ARRAY["kappa_p10"].to_numpy())
    np.testing.assert_allclose(objective(ARRAY), sum(ARRAY[name].to_numpy() for name in STATISTICS), rtol=1e-15)
    for names in ([], ["error_mean", "error_mean"], ["n_classes"]):
        with pytest.raises(ParameterError, match="statistics must be"):
            objective(ARRAY, names)


# --- seeds ------------------------------------------------------------------------------------------------------------


@given(seeded, st.sampled_from(OPTIONS))
@settings(max_examples=40, deadline=None)
def test_seeds_are_averaged_first_or_looked_at_one_by_one(array, option):
    options = {"method": option[0], "size_scale": option[1]}
    assert where(tradeoff_point(array, **options)) == where(tradeoff_point(over_seeds(array), **options))
    assert tradeoff_point(array, **options).n_seeds == array.sizes["seed"]
    for row in tradeoff_points_by_seed(array, **options).itertuples():
        point = tradeoff_point(array.sel(seed=row.seed, drop=True), **options)
        assert where(point) == {"zero_shot": row.zero_shot, "ssim": row.ssim, "size": row.size}
        assert (point.value, point.n_ties) == (row.value, row.n_ties)


@given(seeded, st.sampled_from(OPTIONS), st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_bootstrap_is_a_loop_over_resampled_seeds(array, option, seed):
    options = {"method": option[0], "size_scale": option[1]}
    n = array.sizes["seed"]
    counts = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=15)
    expected = []
    for times in counts:
        drawn = array.isel(seed=np.repeat(np.arange(n), times)).assign_coords(seed=np.arange(n))
        expected.append(tuple(where(tradeoff_point(drawn, **options)).values()))
    points = bootstrap_points(array, 15, seed, **options)
    found = {(row.zero_shot, row.ssim, row.size): row.n for row in points.itertuples()}
    assert found == {point: expected.count(point) for point in expected}
    assert points["n"].is_monotonic_decreasing
    np.testing.assert_allclose(points["share"], points["n"] / 15)


def test_bootstrap_shares_are_those_of_all_resamples():
    array = random_array(11, (3, 3, 3), n_seeds=3)
    exact = {}
    for drawn in product(range(3), repeat=3):
        point = tradeoff_point(array.isel(seed=list(drawn)).assign_coords(seed=range(3)))
        exact[tuple(where(point).values())] = exact.get(tuple(where(point).values()), 0) + 1 / 27
    assert len(exact) > 1
    points = bootstrap_points(array, 20_000, rng=0)
    found = {(row.zero_shot, row.ssim, row.size): row.share for row in points.itertuples()}
    assert found.keys() == exact.keys()
    for point, share in exact.items():
        assert abs(found[point] - share) < 4 * np.sqrt(share * (1 - share) / 20_000)


def test_bootstrap_does_not_depend_on_its_chunks(monkeypatch):
    array = random_array(3, (3, 3, 3), n_seeds=5)
    one = bootstrap_points(array, 100, rng=1)
    monkeypatch.setattr("genexpy_nb.tradeoff.point._CHUNK", 27 * 7)
    pd.testing.assert_frame_equal(one, bootstrap_points(array, 100, rng=1))


def test_bootstrap_leaves_out_cells_that_one_seed_lacks():
    array = random_array(5, (3, 3, 3), n_seeds=4)
    gone = where(tradeoff_point(array))
    holes = array.copy(deep=True)
    for name in STATISTICS:
        holes[name].loc[gone | {"seed": 2}] = np.nan
    for points in (bootstrap_points(holes, 50), pd.DataFrame([where(tradeoff_point(holes))])):
        assert not (points[list(DIMENSIONS)] == list(gone.values())).all(axis=1).any()


def test_one_seed_cannot_be_resampled():
    for array in (ARRAY, random_array(0, (2, 2, 2), n_seeds=1)):
        with pytest.raises(ParameterError, match="needs at least two, one says nothing about chance"):
            bootstrap_points(array)
    with pytest.raises(ParameterError, match="no dimension 'seed'"):
        tradeoff_points_by_seed(ARRAY)
    with pytest.raises(ParameterError, match="n_resamples must be a whole number of at least 1"):
        bootstrap_points(random_array(0, (2, 2, 2), n_seeds=2), 0)


def test_bootstrap_interval_takes_quantiles_that_came_out():
    array = random_array(2, (4, 4, 4), n_seeds=4)
    points = bootstrap_points(array, 500, weights=0.1)
    assert len(points) > 3
    interval = bootstrap_interval(points, 0.9).set_index("dimension")
    every = points.loc[points.index.repeat(points["n"])]
    for name in DIMENSIONS:
        values = np.sort(every[name])
        assert interval.loc[name, "low"] == values[math.ceil(0.05 * 500) - 1]
        assert interval.loc[name, "high"] == values[math.ceil(0.95 * 500) - 1]
    with pytest.raises(ParameterError, match="confidence must be in"):
        bootstrap_interval(points, 1)
    with pytest.raises(ParameterError, match="points has no column 'n'"):
        bootstrap_interval(points.drop(columns="n"))


# --- sensitivity ------------------------------------------------------------------------------------------------------


@given(seeded | arrays, three_weights)
@settings(max_examples=10, deadline=None)
def test_sensitivity_is_one_point_per_row(array, base):
    tried = [0.0, 0.3, 2.0]
    table = weight_sensitivity(array, tried, base)
    assert len(table) == 3 * (4 * 3 + 1)
    for row in table.itertuples():
        weights = base | {row.varied: row.weight}
        if row.varied == "all":
            weights = row.weight
        options = {} if row.method == "minimax" else {"weights": weights}
        point = tradeoff_point(array, **options, method=row.method, size_scale=row.size_scale)
        assert where(point) == {"zero_shot": row.zero_shot, "ssim": row.ssim, "size": row.size}
        assert point.n_ties == row.n_ties
    assert table.loc[table["method"] == "minimax", "weight"].isna().all()


@pytest.mark.parametrize("seed", [0, 2, 10])
def test_a_heavier_weight_never_moves_its_coordinate_away(seed):
    table = weight_sensitivity(random_array(seed, (6, 6, 6)), size_scales=["linear"], methods=["weighted"])
    assert table.groupby("varied")["weight"].size().tolist() == [31] * 4
    for name in ("ssim", "zero_shot", "size"):
        path = table.loc[table["varied"] == name, name]
        assert path.is_monotonic_increasing if name == "zero_shot" else path.is_monotonic_decreasing
        assert path.nunique() > 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"grid": [1, -1]}, "the weight of ssim must be a finite number of at least 0, got -1.0"),
        ({"grid": []}, "grid must be a list of weights"),
        ({"grid": [[1]]}, "grid must be a list of weights"),
        ({"base": {"x": 1}}, "got one of 'x'"),
        ({"methods": []}, "at least one each"),
        ({"methods": ["best"]}, "method must be one of"),
        ({"size_scales": ["cube"]}, "size_scale must be one of"),
    ],
)
def test_sensitivity_checks_its_options(options, message):
    with pytest.raises(ParameterError, match=message):
        weight_sensitivity(ARRAY, **options)


# --- tolerance --------------------------------------------------------------------------------------------------------


def box_by_loops(array, values, level):
    zero_shot, ssim, size = (array[name].to_numpy().tolist() for name in DIMENSIONS)
    found = []
    for z, s, w in product(zero_shot, ssim, size):
        cells = values.sel(zero_shot=slice(None, z), ssim=slice(s, None), size=slice(w, None)).to_numpy().ravel()
        if all(value <= level for value in cells):  # NaN is not
            found.append(((-len(cells), s, -z, w), {"ssim": s, "zero_shot": z, "size": w}))
    if not found:
        return dict.fromkeys(("ssim", "zero_shot", "size")), 0, 0
    key, bounds = min(found, key=lambda item: item[0])
    return bounds, -key[0], sum(item[0][0] == key[0] for item in found) - 1


@given(arrays, st.sampled_from([0.1, 0.3, 0.5, 0.7, 0.9, 1.1]), st.sampled_from([*STATISTICS, "objective"]))
@settings(max_examples=120, deadline=None)
def test_box_is_the_largest_of_a_loop(array, level, quantity):
    values = objective(array) / 3 if quantity == "objective" else array[quantity]
    box = tolerance_box(array, level * (3 if quantity == "objective" else 1), quantity)
    bounds, n_cells, n_ties = box_by_loops(array, values, level + 1e-12)
    assert {name: getattr(box, name) for name in bounds} == bounds
    assert (box.n_cells, box.n_ties) == (n_cells, n_ties)
    within = (values <= level + 1e-12).to_numpy()
    assert box.region.dtype == bool
    np.testing.assert_array_equal(box.region, within)
    assert box.share == pytest.approx(within.mean())


def test_region_can_be_larger_than_the_box_and_the_box_empty():
    values = ARRAY["error_mean"].copy()
    values.loc[{"zero_shot": 0, "ssim": 1, "size": 1000}] = 0.9  # the easy corner
    array = ARRAY.assign(error_mean=values)
    box = tolerance_box(array, 0.5, "error_mean")
    assert (box.n_cells, box.n_ties, box.ssim, box.zero_shot, box.size) == (0, 0, None, None, None)
    assert box.share > 0.5
    assert repr(box) == f"ToleranceBox(error_mean<=0.5: empty, n_cells=0, share={box.share:.3g})"
    whole = tolerance_box(ARRAY, 10)
    assert (whole.n_cells, whole.share, whole.ssim, whole.zero_shot, whole.size) == (18, 1, 0.6, 0.5, 100)


def test_level_is_met_by_what_only_rounding_puts_above():
    array = xr.full_like(ARRAY[list(STATISTICS)], 0.1).assign(error_mean=ARRAY["error_mean"] * 0 + (0.1 + 0.2))
    assert tolerance_box(array, 0.3, "error_mean").share == 1


def test_boxes_use_the_mean_over_seeds_and_check_their_options():
    array = random_array(4, (3, 3, 3), n_seeds=3)
    assert tolerance_box(array, 3.2).share == float((objective(array).mean("seed") <= 3.2).mean())
    with pytest.raises(ParameterError, match=r"quantity must be one of 'objective', .* got 'error'"):
        tolerance_box(ARRAY, 0.5, "error")
    for level in (float("nan"), "0.5", None):
        with pytest.raises(ParameterError, match="level must be a finite number"):
            tolerance_box(ARRAY, level)


# --- marginals --------------------------------------------------------------------------------------------------------


@given(
    st.integers(0, 2**32 - 1),
    st.integers(0, 4),
    st.sampled_from([0.0, 0.3]),
    st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3)),
)
@settings(max_examples=40, deadline=None)
def test_marginals_are_means_over_the_other_dimensions(seed, n_seeds, missing, shape):
    array = random_array(seed, shape, n_seeds=n_seeds, missing=missing)
    table = marginals(array)
    assert len(table) == 6 * sum(shape)
    complete = array["error_mean"].notnull()
    complete = complete.all("seed") if n_seeds else complete
    for row in table.itertuples():
        there = complete.sel({row.dimension: row.level}).to_numpy()
        assert row.n_cells == there.sum()
        slices = [array.sel(seed=s, drop=True) for s in range(n_seeds)] if n_seeds else [array]
        values = [part[row.statistic].sel({row.dimension: row.level}).to_numpy()[there] for part in slices]
        if not there.any():
            assert np.isnan([row.value, row.low, row.high]).all()
            continue
        means = np.array([np.mean(cells) for cells in values])
        assert row.value == pytest.approx(means.mean())
        if n_seeds < 2:
            assert np.isnan([row.low, row.high]).all()
        else:
            expected = stats.ttest_1samp(means, 0).confidence_interval(0.95)
            assert (row.low, row.high) == pytest.approx(tuple(expected), abs=1e-12)


def test_marginals_take_some_statistics_and_another_confidence():
    array = to_array(example_table(n_seeds=5))
    some = marginals(array, ["kappa_mean", "error_p10"])
    assert some["statistic"].unique().tolist() == ["kappa_mean", "error_p10"]
    narrow = marginals(array, "kappa_mean", confidence=0.5)
    wide = some[some["statistic"] == "kappa_mean"].reset_index(drop=True)
    factor = stats.t.ppf(0.975, 4) / stats.t.ppf(0.75, 4)
    np.testing.assert_allclose(wide["high"] - wide["low"], factor * (narrow["high"] - narrow["low"]))
    with pytest.raises(ParameterError, match="statistics must be one of"):
        marginals(array, ["error"])
    with pytest.raises(ParameterError, match="confidence"):
        marginals(array, confidence=95)


def test_marginals_at_the_point():
    array = to_array(example_table(n_seeds=3))
    point = tradeoff_point(array)
    table = at_point(marginals(array), point)
    assert table["dimension"].tolist() == [*DIMENSIONS, *DIMENSIONS]
    assert table["level"].tolist() == [point.zero_shot, point.ssim, point.size] * 2
    means = array.mean("seed")
    for row in table.itertuples():
        statistic = {"generalization bound": "error_mean", "diversity bound": "kappa_mean"}[row.bound]
        assert row.value == pytest.approx(float(means[statistic].sel({row.dimension: row.level}).mean()))
        assert row.low < row.value < row.high
    with pytest.raises(ParameterError, match=r"one row for kappa_mean at zero_shot = 0.25, they have 0"):
        at_point(marginals(array, ["error_mean"]), point)
    with pytest.raises(ParameterError, match=r"one row for error_mean at ssim = 0.8, they have 0"):
        at_point(marginals(array.sel(ssim=[0.6, 1.0])), point)
    with pytest.raises(ParameterError, match="marginals has no column 'low'"):
        at_point(marginals(array).drop(columns="low"), point)


@pytest.mark.parametrize(("which", "over", "level"), [("ssim", "zero_shot", 1.0), ("zero_shot", "ssim", 0.0)])
@pytest.mark.parametrize("n_seeds", [0, 3])
def test_slices_are_averaged_per_seed_and_size(which, over, level, n_seeds):
    table = example_table(n_seeds)
    lost = (table[which] == level) & (table["size"] == 100) & (table[over] == table[over].max())
    table = table[~lost]
    found = slice_marginal(to_array(table, missing="skip"), which)
    assert found.columns.tolist() == ["slice", "seed", "size", "value", "n_cells"]
    assert len(found) == 2 * max(n_seeds, 1)
    part = table.assign(seed=table.get("seed", 0))
    part = part[part[which] == level]
    for row in found.itertuples():
        cells = part[(part["seed"] == row.seed) & (part["size"] == row.size)].groupby(over)["error_rate"].mean()
        assert row.value == pytest.approx(cells.mean())
        assert row.n_cells == len(cells) == (2 if row.size == 100 else 3)
        assert row.slice == which
    kappa = slice_marginal(to_array(example_table(n_seeds)), which, statistic="kappa_mean")
    error = slice_marginal(to_array(example_table(n_seeds)), which)
    np.testing.assert_allclose(kappa["value"], 0.7 * error["value"], atol=1e-6)


def test_slices_must_be_in_the_array():
    with pytest.raises(ParameterError, match=r"no slice ssim = 1, its levels are 0.6, 0.8"):
        slice_marginal(ARRAY.sel(ssim=[0.6, 0.8]))
    with pytest.raises(ParameterError, match=r"no slice zero_shot = 0, its levels are 0.25, 0.5"):
        slice_marginal(ARRAY.sel(zero_shot=[0.25, 0.5]), "zero_shot")
    with pytest.raises(ParameterError, match="slice must be one of 'ssim', 'zero_shot', got 'size'"):
        slice_marginal(ARRAY, "size")
    with pytest.raises(ParameterError, match="statistic must be one of"):
        slice_marginal(ARRAY, statistic="error")
