"""Marginals and slices against means of the cells, and intervals against scipy."""

import numpy as np
import pytest
from example_cells import example_table, random_array
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.tradeoff.array import DIMENSIONS, to_array
from genexpy_nb.tradeoff.point import tradeoff_point
from genexpy_nb.tradeoff.slices import at_point, marginals, same_cells, slice_marginal

ARRAY = to_array(example_table())


@given(
    st.integers(0, 2**32 - 1),
    st.integers(0, 4),
    st.sampled_from([0.0, 0.3]),
    st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3)),
)
@settings(max_examples=40)
def test_marginals_are_means_over_the_other_dimensions(seed, n_seeds, missing, shape):
    array = random_array(seed, shape, n_seeds=n_seeds, missing=missing)
    table = marginals(array)
    assert len(table) == 6 * sum(shape)
    complete = array["error_mean"].notnull()
    complete = complete.all("seed") if n_seeds else complete
    for row in table.itertuples():
        there = complete.all(row.dimension).to_numpy()  # the same cells for all levels
        assert row.n_cells == there.sum()
        slices = [array.sel(seed=s, drop=True) for s in range(n_seeds)] if n_seeds else [array]
        values = [part[row.statistic].sel({row.dimension: row.level}).to_numpy()[there] for part in slices]
        if not there.any():
            assert np.isnan([row.estimate, row.low, row.high]).all()
            continue
        means = np.array([np.mean(cells) for cells in values])
        assert row.estimate == pytest.approx(means.mean())
        if n_seeds < 2:
            assert np.isnan([row.low, row.high]).all()
        else:
            expected = stats.ttest_1samp(means, 0).confidence_interval(0.95)
            assert (row.low, row.high) == pytest.approx(tuple(expected), abs=1e-12)


@given(
    st.integers(0, 2**32 - 1),
    st.integers(0, 3),
    st.sampled_from([0.0, 0.2]),
    st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3)),
    st.sampled_from(DIMENSIONS),
)
@settings(max_examples=40)
def test_the_same_cells_are_those_that_no_level_and_no_seed_lacks(seed, n_seeds, missing, shape, dimension):
    array = random_array(seed, shape, n_seeds=n_seeds, missing=missing)
    kept = same_cells(array, dimension)
    for cell in np.ndindex(shape):
        others = {name: i for name, i in zip(DIMENSIONS, cell, strict=True) if name != dimension}
        there = bool(array["error_mean"].isel(others).notnull().all())
        here = dict(zip(DIMENSIONS, cell, strict=True))
        for name in ("error_mean", "kappa_p10"):
            before, after = (each[name].isel(here).to_numpy() for each in (array, kept))
            np.testing.assert_array_equal(after, before if there else np.full_like(before, np.nan))
    assert kept.attrs["n_missing"] == kept["error_mean"].isnull().sum()
    table, expected = marginals(array), marginals(kept)
    here = table["dimension"] == dimension
    assert table[here].equals(expected[here])
    assert table[here].groupby("statistic")["n_cells"].nunique().max() == 1


def test_marginals_at_the_point():
    array = to_array(example_table(n_seeds=3))
    point = tradeoff_point(array)
    table = at_point(marginals(array), point)
    assert table["dimension"].tolist() == [*DIMENSIONS, *DIMENSIONS]
    assert table["level"].tolist() == [point.zero_shot, point.ssim, point.size] * 2
    means = array.mean("seed")
    for row in table.itertuples():
        statistic = {"generalization bound": "error_mean", "diversity bound": "kappa_mean"}[row.bound]
        assert row.estimate == pytest.approx(float(means[statistic].sel({row.dimension: row.level}).mean()))
        assert row.low < row.estimate < row.high


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


def test_slices_must_be_in_the_array():
    with pytest.raises(ParameterError, match=r"no slice ssim = 1, its levels are 0.6, 0.8"):
        slice_marginal(ARRAY.sel(ssim=[0.6, 0.8]))
    with pytest.raises(ParameterError, match=r"no slice zero_shot = 0, its levels are 0.25, 0.5"):
        slice_marginal(ARRAY.sel(zero_shot=[0.25, 0.5]), "zero_shot")
    with pytest.raises(ParameterError, match="slice must be one of 'ssim', 'zero_shot', got 'size'"):
        slice_marginal(ARRAY, "size")
