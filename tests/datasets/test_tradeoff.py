"""tradeoff: the testbed's tables, this project's own and those that others bring."""

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from genexpy_nb.common.errors import DataError, StudyError
from genexpy_nb.datasets import (
    data_folder,
    load_authors_cells,
    load_tradeoff_cells,
    load_tradeoff_control,
    load_tradeoff_measures,
)
from genexpy_nb.tradeoff import averaged_sign_errors, slice_marginal, to_array

#: A checkout of the authors' repository at 62aca9f, and a table made from its sheets by other hands; both where given.
CHECKOUT = os.environ.get("GENEXPY_NB_AUTHORS", "")
BY_OTHERS = Path(os.environ.get("GENEXPY_NB_DATA", "/nowhere"), "tradeoff_authors_cells.parquet")

OWN = {
    "tradeoff": load_tradeoff_cells,
    "tradeoff_control": load_tradeoff_control,
    "tradeoff_measures": load_tradeoff_measures,
}


@pytest.mark.parametrize("name", OWN)
def test_shipped_tables_load(name):
    table = OWN[name]()
    stated = json.loads((data_folder() / f"{name}.json").read_text(encoding="utf-8"))
    stated.pop("checksum")
    assert len(table) == stated["rows"] and table.attrs["about"] == stated
    assert set(table["family"]) == {"convolutions", "perceptrons"}


@pytest.mark.parametrize("load", [load_tradeoff_cells, load_tradeoff_measures])
@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".xlsx"])
def test_a_table_of_one_s_own(load, suffix, tmp_path):
    table = pd.DataFrame({"family": ["a", "b"], "size": [1, 2]})
    path = tmp_path / f"mine{suffix}"
    if suffix == ".xlsx":
        pytest.importorskip("openpyxl", reason="Excel files need openpyxl")
        table.to_excel(path, index=False)
    else:
        table.to_csv(path, index=False) if suffix == ".csv" else table.to_parquet(path)
    loaded = load(path)
    pd.testing.assert_frame_equal(loaded, table, check_dtype=False)
    assert loaded.attrs == {"about": {"file": path.name}}


def test_the_file_names_the_family_where_the_table_does_not(tmp_path):
    pd.DataFrame({"size": [1, 2], "class": "a"}).to_csv(tmp_path / "resnets.csv", index=False)
    assert load_tradeoff_cells(tmp_path / "resnets.csv")["family"].tolist() == ["resnets", "resnets"]


def test_measures_without_a_family_are_of_the_only_one_of_the_results(tmp_path):
    cells, measures = load_tradeoff_cells(), load_tradeoff_measures()
    one = cells["family"] == "convolutions"
    cells[one].drop(columns="family").to_csv(tmp_path / "mine.csv", index=False)
    own = measures[measures["family"] == "convolutions"]
    own.drop(columns="family").to_csv(tmp_path / "mine_measures.csv", index=False)
    results = load_tradeoff_cells(tmp_path / "mine.csv")
    networks = load_tradeoff_measures(tmp_path / "mine_measures.csv", results["family"])
    assert set(networks["family"]) == {"mine"}
    found, expected = (
        averaged_sign_errors(
            table.melt(["family", "seed", "size"], ["l2", "params"], "measure", "value"),
            slice_marginal(to_array(part), "ssim").assign(family=name),
        )
        for table, part, name in ((networks, results, "mine"), (own, cells[one], "convolutions"))
    )
    pd.testing.assert_frame_equal(found, expected.assign(family="mine"))


def test_families_of_measures(tmp_path):
    pd.DataFrame({"size": [1, 2], "l2": 0.5}).to_csv(tmp_path / "without.csv", index=False)
    pd.DataFrame({"family": ["a", "b"], "size": 1, "l2": 0.5}).to_csv(tmp_path / "with.csv", index=False)
    assert "family" not in load_tradeoff_measures(tmp_path / "without.csv")
    assert set(load_tradeoff_measures(tmp_path / "without.csv", "nets")["family"]) == {"nets"}
    with pytest.raises(StudyError, match=r"without\.csv has no column 'family', .* have 2 families \('a', 'b'\)"):
        load_tradeoff_measures(tmp_path / "without.csv", ["a", "b", "a"])
    for families in ((), ["a", "b"], ["c"]):
        assert load_tradeoff_measures(tmp_path / "with.csv", families)["family"].tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("mine.csv", None, "mine.csv"),
        ("mine.csv", "", "mine.csv"),
        ("mine.csv", "family,size\n", r"mine\.csv"),
        ("mine.parquet", "PAR1 no parquet", r"mine\.parquet"),
    ],
)
def test_a_file_that_is_no_table_is_named(name, content, message, tmp_path):
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(DataError, match=message):
        load_tradeoff_cells(tmp_path / name)


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
