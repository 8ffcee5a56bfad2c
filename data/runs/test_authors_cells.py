"""The authors' cells are read as they were published, or not at all."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from genexpy_nb.common.errors import DataError
from runs.authors_cells import load_authors_cells

#: A checkout of the authors' repository at 62aca9f, and a table made from its sheets by other hands; both where given.
CHECKOUT = os.environ.get("GENEXPY_NB_AUTHORS", "")
BY_OTHERS = Path(os.environ.get("GENEXPY_NB_DATA", "/nowhere"), "tradeoff_authors_cells.parquet")


def changed(table, tmp_path):
    path = tmp_path / "cells.parquet"
    table.to_parquet(path)
    return path


@pytest.mark.skipif(not BY_OTHERS.is_file(), reason="the authors' cells may not be redistributed, and are not here")
def test_the_authors_cells_are_verified(tmp_path):
    theirs = pd.read_parquet(BY_OTHERS)
    table = pd.DataFrame(
        {
            **{"family": theirs["family"].astype(str), "size": theirs["width"], "noise": theirs["window"]},
            **{"zero_shot": theirs["zs"] / (50 + theirs["zs"]), "class": theirs["class"]},
            **{"error_rate": 1 - theirs["accuracy"], "conflict_abs": theirs["kappa_lp"]},
        }
    )
    order = ["family", "size", "noise", "zero_shot", "class"]
    table = table.sort_values(order, ascending=[False, True, True, True, True], ignore_index=True)
    loaded = load_authors_cells(changed(table, tmp_path))
    assert loaded.groupby("family").size().to_dict() == {"CNN": 36000, "FC": 36000}
    table.loc[7, "error_rate"] += 0.01
    with pytest.raises(DataError, match="does not hold the values"):
        load_authors_cells(changed(table, tmp_path))
    if CHECKOUT:
        pd.testing.assert_frame_equal(load_authors_cells(CHECKOUT), loaded, check_dtype=False)


@pytest.mark.skipif(not CHECKOUT, reason="GENEXPY_NB_AUTHORS names no checkout of the authors' repository")
def test_the_authors_sheets():
    cells = load_authors_cells(CHECKOUT)
    found = cells.groupby("family")[["error_rate", "conflict_abs"]].mean()
    assert np.isfinite(found).all(axis=None) and len(cells) == 72_000


def test_a_folder_without_their_sheets(tmp_path):
    pytest.importorskip("openpyxl", reason="Excel files need openpyxl")
    with pytest.raises(DataError, match=r"64_0\.0_40_zs0_accuracy\.xlsx cannot be read"):
        load_authors_cells(tmp_path)
