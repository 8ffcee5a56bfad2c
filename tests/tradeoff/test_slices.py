"""Slices against means of the cells."""

import numpy as np
import pytest
from example_cells import example_table, random_array
from hypothesis import given, settings
from hypothesis import strategies as st

from genexpy_nb.tradeoff.array import DIMENSIONS, to_array
from genexpy_nb.tradeoff.compare import same_cells, slice_marginal

arrays = st.builds(
    random_array,
    st.integers(0, 2**32 - 1),
    st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3)),
    n_seeds=st.integers(0, 4),
    missing=st.sampled_from([0.0, 0.3]),
)


@given(arrays, st.sampled_from(DIMENSIONS))
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
