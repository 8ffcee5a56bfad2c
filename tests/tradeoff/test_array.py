"""The array of statistics, against numpy cell by cell; and every way in which a table can be wrong."""

import importlib
import sys

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from example_cells import example_table
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from genexpy_nb.common.errors import MissingExtraError, ParameterError, StudyError
from genexpy_nb.tradeoff.array import (
    DIMENSIONS,
    STATISTICS,
    NoiseAxis,
    check_array,
    over_seeds,
    seed_interval,
    to_array,
)
from genexpy_nb.tradeoff.compare import slice_marginal
from genexpy_nb.tradeoff.metrics import cell
from genexpy_nb.tradeoff.point import tradeoff_point
from genexpy_nb.tradeoff.tolerance import tolerance_box

CELL = ["seed", *DIMENSIONS]


@st.composite
def tables(draw):
    """Tables with one to three levels per dimension, and another number of classes in every cell."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    levels = [
        rng.choice([7, 13, 21, 42], size=draw(st.integers(1, 3)), replace=False),
        rng.choice([0, 0.167, 0.286, 0.5], size=draw(st.integers(1, 3)), replace=False),
        rng.choice([0.6, 0.65, 0.9, 1.0], size=draw(st.integers(1, 3)), replace=False),
        rng.choice([5_300_000, 7_800_000, 66_000_000], size=draw(st.integers(1, 3)), replace=False),
    ]
    cells = pd.MultiIndex.from_product(levels, names=CELL).to_frame(index=False)
    cells["class"] = [list(range(n)) for n in rng.integers(1, 8, size=len(cells))]
    table = cells.explode("class", ignore_index=True)
    table["error_rate"] = rng.integers(0, 21, size=len(table)) / 20
    table["gap"] = rng.uniform(-1, 1, size=len(table))
    table["kappa"] = rng.uniform(0, 2, size=len(table))
    table["conflict"] = rng.uniform(-1, 1, size=len(table))
    return table


def cell_by_cell(table, error, kappa):
    rows = {}
    for key, part in table.groupby(CELL):
        rows[key] = [len(part)]
        for column in (error, kappa):
            values = part[column].to_numpy()
            rows[key] += [np.mean(values), np.std(values), np.percentile(values, 10)]
    return rows


@given(tables(), st.sampled_from(["error_rate", "gap"]), st.sampled_from(["kappa", "conflict"]))
@settings(max_examples=25)
def test_statistics_are_those_of_numpy_for_each_cell(table, error, kappa):
    array = to_array(table, error, kappa)
    assert array["error_mean"].dims == ("seed", *DIMENSIONS)
    expected = cell_by_cell(table, error, kappa)
    assert array["error_mean"].size == len(expected)
    for key, values in expected.items():
        found = array.sel(dict(zip(CELL, key, strict=True)))
        np.testing.assert_allclose([float(found[name]) for name in ("n_classes", *STATISTICS)], values, atol=1e-14)
    for name in CELL:
        assert array[name].to_numpy().tolist() == sorted(table[name].unique())
    assert array.attrs == {"error": error, "kappa": kappa, "noise": "ssim", "cleaner": "high", "n_missing": 0}


@given(tables(), st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_order_of_the_rows_does_not_change_a_bit(table, seed):
    shuffled = table.sample(frac=1, random_state=seed)
    xr.testing.assert_identical(to_array(table), to_array(shuffled))
    xr.testing.assert_identical(over_seeds(to_array(table)), over_seeds(to_array(shuffled)))


@given(tables(), st.sampled_from(["blur", "sigma of $x$"]))
@settings(max_examples=10)
def test_noise_may_have_any_name_and_either_direction(table, name):
    """Low is clean: as if the levels had been turned round, with what they are called kept."""
    blur = table.assign(**{name: 10 * (1 - table["ssim"])}).drop(columns="ssim")
    array, other = to_array(blur, noise=name, cleaner="low"), to_array(table)
    assert NoiseAxis.of(array) == NoiseAxis(name, "low") and NoiseAxis.of(other) == NoiseAxis()
    np.testing.assert_allclose(array["ssim"], 10 * (1 - other["ssim"]), atol=1e-11)
    for statistic in STATISTICS:
        np.testing.assert_array_equal(array[statistic], other[statistic])
    one, two = tradeoff_point(array), tradeoff_point(other)
    assert (one.zero_shot, one.size) == (two.zero_shot, two.size)
    np.testing.assert_allclose([one.ssim, one.value], [10 * (1 - two.ssim), two.value], atol=1e-11)
    box, usual = (tolerance_box(a, 0.5, "error_mean") for a in (array, other))
    assert (box.n_cells, box.size) == (usual.n_cells, usual.size)
    clean = array["ssim"].to_numpy()[-1]
    measured = slice_marginal(array, "ssim")["estimate"]
    np.testing.assert_array_equal(measured, array["error_mean"].sel(ssim=clean).mean("zero_shot").to_numpy().ravel())


def test_cohen_is_another_name_of_kappa_unless_there_is_such_a_column():
    table = example_table()
    xr.testing.assert_identical(to_array(table, kappa="cohen"), to_array(table, kappa="kappa"))
    assert to_array(table.assign(cohen=0.25), kappa="cohen").attrs["kappa"] == "cohen"


def test_a_column_of_noise_is_named_in_errors():
    table = example_table().rename(columns={"ssim": "blur"})
    with pytest.raises(StudyError, match="blur"):
        to_array(table.iloc[:-5], noise="blur")
    with pytest.raises(StudyError, match="'ssim'"):
        to_array(table)
    with pytest.raises(ParameterError, match="cleaner"):
        to_array(table, noise="blur", cleaner="left")
    with pytest.raises(ParameterError, match="missing must be one of 'error', 'drop', got 'drp'; did you mean 'drop'"):
        to_array(table, noise="blur", missing="drp")
    twice = pd.concat([table, table.iloc[6:7]])
    for rows, hint in ((twice, "several runs need a column 'seed'"), (twice.assign(seed=0), r"\(1 such rows\)")):
        with pytest.raises(StudyError, match=rf"there twice in the cell .*, blur=[\d.]+, size=.*{hint}$"):
            to_array(rows, noise="blur")


@pytest.mark.parametrize("noise", ["size", "zero_shot", "class", "seed", "family", "error_rate", "kappa"])
def test_the_noise_axis_has_a_column_of_its_own(noise):
    table = TABLE.assign(seed=0, family=1)
    with pytest.raises(ParameterError, match=rf"noise must not be one of 'seed', .*, got '{noise}'"):
        to_array(table, noise=noise, kappa="cohen")


def test_rows_of_cells_become_an_array():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(3), 4)
    parts = []
    for zero_shot in (0.5, 0.0):
        for ssim in (1.0, 0.7):
            parts.append(cell(zero_shot, ssim, 50, y, rng.dirichlet(np.ones(3), size=12), family="MLP"))
    table = pd.concat(parts)  # with an index that repeats
    array = to_array(table)
    assert dict(array.sizes) == {"zero_shot": 2, "ssim": 2, "size": 1}
    assert array.attrs["family"] == "MLP"
    for part in parts:
        found = array.sel(part[list(DIMENSIONS)].iloc[0].to_dict())
        assert float(found["kappa_mean"]) == pytest.approx(part["kappa"].mean(), abs=1e-14)


def test_coordinates_that_differ_by_rounding_only_are_one_level():
    table = example_table()
    noisy = table.assign(ssim=table["ssim"].replace({0.6: 0.6 + 1e-16, 0.8: 0.8000000000001, 1.0: 1 + 4e-16}))
    noisy.loc[0, "ssim"] = 0.6 - 1e-16
    xr.testing.assert_identical(to_array(table), to_array(noisy))
    assert to_array(noisy)["ssim"].to_numpy().tolist() == [0.6, 0.8, 1.0]
    assert to_array(table)["size"].dtype.kind == "i"
    assert to_array(table.assign(size=table["size"] / 1e3))["size"].to_numpy().tolist() == [0.1, 1.0]


def test_nullable_and_text_numbers_are_numbers():
    table = example_table()
    other = table.convert_dtypes().assign(error_rate=table["error_rate"].astype(str))
    xr.testing.assert_equal(to_array(table), to_array(other))


def test_rounding_errors_of_kappa_are_no_values_out_of_range():
    table = example_table()
    table.loc[0, "kappa"], table.loc[1, "kappa"] = -2.3e-16, 2.0000000000000004
    assert np.isfinite(to_array(table)["kappa_mean"]).all()


@pytest.mark.parametrize("n_seeds", [0, 3])
def test_missing_cells_are_named_or_left_empty(n_seeds):
    table = example_table(n_seeds)
    gone = (table["ssim"] == 0.8) & (table["size"] == 100) & (table["zero_shot"] != 0.25)
    if n_seeds:
        gone &= table["seed"] == 1
    first = "seed=1, " * bool(n_seeds) + "zero_shot=0.0, ssim=0.8, size=100"
    with pytest.raises(StudyError, match=f"2 of the {18 * max(n_seeds, 1)} cells .* missing: {first}; .*size=100. mis"):
        to_array(table[~gone])
    array = to_array(table[~gone], missing="drop")
    empty = {"ssim": 0.8, "size": 100, "zero_shot": [0, 0.5]} | ({"seed": 1} if n_seeds else {})
    for name in STATISTICS:
        assert array[name].sel(empty).isnull().all()
        assert array[name].isnull().sum() == array.attrs["n_missing"] == 2
    assert (array["n_classes"].sel(empty) == 0).all()
    full = to_array(table)
    xr.testing.assert_equal(array[list(STATISTICS)], full[list(STATISTICS)].where(array["n_classes"] > 0))


def test_a_cell_with_an_undefined_value_is_missing_as_a_whole():
    table = example_table().assign(conflict=0.1)
    table.loc[7, "conflict"] = np.nan  # class c2 of the second cell
    assert np.isfinite(to_array(table)["kappa_mean"]).all()  # not asked for, not looked at
    said = r"'conflict' must not be missing, got nan in row 7 \(1 such rows\); missing='drop'"
    with pytest.raises(StudyError, match=said):
        to_array(table, kappa="conflict")
    array = to_array(table, kappa="conflict", missing="drop")
    assert array.attrs["n_missing"] == 1
    assert all(np.isnan(array[name].sel(zero_shot=0, ssim=0.6, size=1000)) for name in STATISTICS)
    assert int(array["n_classes"].sel(zero_shot=0, ssim=0.6, size=1000)) == 0


def test_sizes_that_differ_between_seeds_are_explained():
    table = example_table(3)
    table.loc[(table["seed"] == 2) & (table["size"] == 1000), "size"] = 1100
    with pytest.raises(StudyError, match=r"27 of the 81 cells .* all seeds must have the same levels"):
        to_array(table)


def test_mean_over_seeds():
    table = example_table(4)
    array = to_array(table)
    means = over_seeds(array)
    for name in STATISTICS:
        expected = np.mean([array[name].sel(seed=s) for s in range(4)], axis=0)
        np.testing.assert_allclose(means[name], expected, rtol=1e-14)
    assert means.attrs["n_seeds"] == 4
    assert (means["n_classes"] == 5).all()
    xr.testing.assert_identical(over_seeds(means), means)
    fewer = table[(table["seed"] > 0) | (table["class"] != "c4")]
    assert (over_seeds(to_array(fewer))["n_classes"] == 4).all()
    gone = (table["seed"] == 2) & (table["ssim"] == 1) & (table["size"] == 100) & (table["zero_shot"] == 0)
    partial = over_seeds(to_array(table[~gone], missing="drop"))
    assert partial.attrs["n_missing"] == int(partial["kappa_p10"].isnull().sum()) == 1
    assert np.isnan(partial["error_mean"].sel(ssim=1, size=100, zero_shot=0))


TABLE = example_table()


def changed(column, row, value):
    table = TABLE.astype({column: object}) if isinstance(value, str) else TABLE.copy()
    table.loc[row, column] = value
    return table


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        (TABLE.rename(columns={"zero_shot": "zeroshot"}), {}, "no column 'zero_shot'; did you mean 'zeroshot'"),
        (TABLE, {"error": "gap"}, "the table has no column 'gap'; it needs zero_shot, ssim, size, class, gap, kappa"),
        (pd.concat([TABLE, TABLE["ssim"]], axis=1), {}, "two columns are named 'ssim'"),
        (TABLE.iloc[:0], {}, "no rows"),
        (TABLE.assign(family=["a"] * 89 + ["b"]), {}, r"2 families \('a', 'b'\).*table\['family'\] == "),
        (changed("class", 3, np.nan), {}, "column 'class' is empty in row 3"),
        (changed("zero_shot", 3, 1.0), {}, r"'zero_shot' must be in \[0, 1\), got 1.0 in row 3 \(1 such rows\)"),
        (changed("ssim", 3, 0.0), {}, r"'ssim' must be .*in \(0, 1\], got 0.0"),
        (
            changed("ssim", 3, np.nan),
            {"missing": "drop"},
            "'ssim' must not be missing, got nan in row 3 .1 such rows.$",
        ),
        (changed("size", 3, 0), {}, r"'size' must be .*in \(0, inf\), got 0"),
        (changed("error_rate", 3, 1.1), {}, r"'error_rate' must be in \[0, 1\], got 1.1 in row 3"),
        (changed("error_rate", 3, "n/a"), {"missing": "drop"}, "'error_rate' must be a number, got n/a in row 3"),
        (changed("kappa", 3, -1e-8), {}, r"'kappa' must be in \[0, 2\], got -1e-08"),
        (
            TABLE.assign(mine=np.inf),
            {"kappa": "mine"},
            r"'mine' must be .*in \(-inf, inf\), got inf in row 0 \(90 such",
        ),
        (
            pd.concat([TABLE, TABLE.iloc[6:8]]),
            {},
            "class c1 is there twice in the cell zero_shot=0.0, ssim=0.6, size=1000",
        ),
        (
            TABLE.drop(index=range(5)),
            {},
            "1 of the 18 cells of the grid are missing: zero_shot=0.0, ssim=0.6, size=100. mis",
        ),
    ],
)
def test_what_is_wrong_with_a_table_is_named(table, options, message):
    with pytest.raises(StudyError, match=message):
        to_array(table, **options)


def test_interval_over_seeds_is_students():
    values = np.random.default_rng(0).normal(size=(5, 2, 3))
    estimate, low, high = seed_interval(values)
    for place in np.ndindex(2, 3):
        sample = values[(slice(None), *place)]
        expected = stats.ttest_1samp(sample, 0).confidence_interval(0.95)
        assert (estimate[place], low[place], high[place]) == pytest.approx((sample.mean(), *expected))
    estimate, low, high = seed_interval(values[:1])
    np.testing.assert_array_equal(estimate, values[0])
    assert np.isnan([low, high]).all()
    assert np.isfinite(seed_interval(values[:2])).all()


@pytest.mark.parametrize("library", ["xarray", "skimage"])
def test_without_its_libraries_the_room_says_what_to_install(library, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.delitem(sys.modules, "genexpy_nb.tradeoff")
    with pytest.raises(MissingExtraError, match=rf'^{library} is not installed; pip install "genexpy_nb\[testbed\]"$'):
        importlib.import_module("genexpy_nb.tradeoff")


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda a: a["error_mean"], "xarray.Dataset, as from to_array, got DataArray"),
        (lambda a: a.drop_vars("kappa_p10"), "no variable 'kappa_p10'"),
        (lambda a: a.transpose("size", ...), "must have the dimensions zero_shot, ssim, size"),
        (lambda a: a.isel(size=0), "must have the dimensions"),
        (lambda a: a.isel(ssim=[2, 1, 0]), "'ssim' must be those of to_array, in their order"),
        (lambda a: a.assign_coords(size=[10, 10]), "'size' must be those of to_array"),
        (lambda a: a.isel(size=[]), "'size' must be those of to_array"),
    ],
)
def test_arrays_of_another_kind_are_refused(spoil, message):
    with pytest.raises(ParameterError, match=message):
        check_array(spoil(to_array(TABLE)))
