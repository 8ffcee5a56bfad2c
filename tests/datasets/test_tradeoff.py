"""tradeoff: the testbed's tables, this project's own and those that others bring."""

import json

import pandas as pd
import pytest

from genexpy_nb.common.errors import DataError
from genexpy_nb.datasets import data_folder, load_tradeoff_cells, load_tradeoff_control, load_tradeoff_measures

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
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_table_of_one_s_own(load, suffix, tmp_path):
    table = pd.DataFrame({"family": ["a", "b"], "size": [1, 2]})
    path = tmp_path / f"mine{suffix}"
    table.to_csv(path, index=False) if suffix == ".csv" else table.to_parquet(path)
    loaded = load(path)
    pd.testing.assert_frame_equal(loaded, table, check_dtype=False)
    assert loaded.attrs == {"about": {"file": path.name}}


def test_the_file_names_the_family_where_the_table_does_not(tmp_path):
    pd.DataFrame({"size": [1, 2]}).to_csv(tmp_path / "resnets.csv", index=False)
    assert load_tradeoff_cells(tmp_path / "resnets.csv")["family"].tolist() == ["resnets", "resnets"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("mine.csv", None, "there is no file .*mine.csv"),
        ("mine.xlsx", "a", r"mine\.xlsx must end in \.parquet or \.csv"),
        ("mine.csv", "", r"mine\.csv cannot be read as csv: No columns"),
        ("mine.csv", "family,size\n", r"mine\.csv has no rows"),
        ("mine.parquet", "no parquet", r"mine\.parquet cannot be read as parquet"),
    ],
)
def test_a_file_that_is_no_table_is_named(name, content, message, tmp_path):
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(DataError, match=message):
        load_tradeoff_cells(tmp_path / name)
