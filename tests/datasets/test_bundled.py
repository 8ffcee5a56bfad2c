"""bundled: the tables that come with the package are whole; tables of the same form that others bring are read."""

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from genexpy_nb.common.errors import DataError, ParameterError, StudyError
from genexpy_nb.datasets import (
    load_mteb,
    load_replicates,
    load_tradeoff_cells,
    load_tradeoff_cifar10,
    load_tradeoff_measures,
)
from genexpy_nb.datasets.locating import data_folder
from genexpy_nb.tradeoff import to_array

OWN = {"tradeoff": load_tradeoff_cells, "tradeoff_measures": load_tradeoff_measures}


@pytest.mark.parametrize("name", OWN)
def test_shipped_tables_load(name):
    table = OWN[name]()
    stated = json.loads((data_folder() / f"{name}.json").read_text(encoding="utf-8"))
    stated.pop("checksum")
    assert len(table) == stated["rows"] and table.attrs["about"] == stated
    assert set(table["family"]) == {"convolutions", "perceptrons"}


@pytest.mark.parametrize("load", [load_tradeoff_cells, load_tradeoff_measures])
def test_a_table_of_one_s_own(load, tmp_path):
    table = pd.DataFrame({"family": ["a", "b"], "size": [1, 2]})
    table.to_csv(tmp_path / "mine.csv", index=False)
    loaded = load(tmp_path / "mine.csv")
    pd.testing.assert_frame_equal(loaded, table, check_dtype=False)
    assert loaded.attrs == {"about": {"file": "mine.csv"}}
    with pytest.raises(DataError, match=r"gone\.csv"):
        load(tmp_path / "gone.csv")


def test_the_file_names_the_family_where_the_table_does_not(tmp_path):
    pd.DataFrame({"size": [1, 2], "class": "a"}).to_csv(tmp_path / "resnets.csv", index=False)
    assert load_tradeoff_cells(tmp_path / "resnets.csv")["family"].tolist() == ["resnets", "resnets"]


def test_families_of_measures(tmp_path):
    pd.DataFrame({"size": [1, 2], "l2": 0.5}).to_csv(tmp_path / "without.csv", index=False)
    pd.DataFrame({"family": ["a", "b"], "size": 1, "l2": 0.5}).to_csv(tmp_path / "with.csv", index=False)
    assert "family" not in load_tradeoff_measures(tmp_path / "without.csv")
    assert set(load_tradeoff_measures(tmp_path / "without.csv", "nets")["family"]) == {"nets"}
    with pytest.raises(StudyError, match=r"without\.csv has no column 'family', .* have 2 families \('a', 'b'\)"):
        load_tradeoff_measures(tmp_path / "without.csv", ["a", "b", "a"])
    for families in ((), ["a", "b"], ["c"]):
        assert load_tradeoff_measures(tmp_path / "with.csv", families)["family"].tolist() == ["a", "b"]


# --- CIFAR-10 ---------------------------------------------------------------------------------------------------------


N_SEEDS, N_SIZES = 3, 6
SHARES = np.round([u / (5 + u) for u in range(6)], 6)


@pytest.fixture(scope="module")
def cells():
    return load_tradeoff_cifar10()


def test_every_cell_is_there_once(cells):
    stated = json.loads((data_folder() / "tradeoff_cifar10.json").read_text(encoding="utf-8"))
    assert cells.attrs["about"] == {name: value for name, value in stated.items() if name != "checksum"}
    assert stated["rows"] == len(cells) == 2 * N_SEEDS * N_SIZES * (45 * 18 + 22 * 5 + 22 * 23)
    assert not cells.duplicated(["family", "seed", "size", "training", "noise", "level", "zero_shot", "class"]).any()
    sizes = {name: sorted(rows.unique()) for name, rows in cells.groupby("family")["size"]}
    assert sizes["plain"] == sizes["residual"] and len(sizes["plain"]) == N_SIZES
    for (training, noise), rows in cells.groupby(["training", "noise"]):
        wanted = SHARES if training == "probe" and noise != "fgsm" else SHARES[[0, 2, 5]]
        assert np.round(np.unique(rows["zero_shot"]), 6).tolist() == wanted.tolist()


@pytest.mark.parametrize("training", ["probe", "fine-tuned"])
@pytest.mark.parametrize("noise", ["pca", "autoencoder"])
def test_each_kind_is_an_array(training, noise):
    some = load_tradeoff_cifar10(training, noise)
    assert set(some["training"]) == {training} and set(some["noise"]) == {noise}
    for _, rows in some.groupby(["family", "seed"]):
        array = to_array(rows)
        assert array.sizes["ssim"] == 9 and array.sizes["size"] == N_SIZES


@pytest.mark.parametrize("asked, which", [({"noise": "blur"}, "noise"), ({"training": "tuned"}, "training")])
def test_what_is_not_there_is_named(asked, which):
    with pytest.raises(ParameterError, match=f"{which} must be one of"):
        load_tradeoff_cifar10(**asked)


# --- replicates -------------------------------------------------------------------------------------------------------


def test_it_is_the_file_and_a_balanced_table():
    scores = load_replicates()
    pd.testing.assert_frame_equal(scores, pd.read_parquet(data_folder() / "replicates.parquet"))
    assert list(scores.columns) == ["dataset", "table", "model", "split", "encoder", "score"]
    assert scores.groupby(["dataset", "model", "split", "encoder"]).size().eq(1).all()
    wide = scores.pivot(index=["dataset", "split"], columns=["model", "encoder"], values="score")
    assert wide.shape == (56 * 10, 5 * 8) and wide.notna().all(axis=None)


def test_a_dataset_has_one_source_table():
    scores = load_replicates()
    assert scores.groupby("dataset")["table"].nunique().eq(1).all()
    assert scores.attrs["about"]["source_tables"] == sorted(set(scores["table"]))


# --- MTEB -------------------------------------------------------------------------------------------------------------


def test_every_task_has_one_type_and_every_cell_one_score():
    scores = load_mteb()
    assert list(scores.columns) == ["model", "task", "task_type", "score"]
    assert not scores.duplicated(["model", "task"]).any() and scores.notna().all(axis=None)
    assert scores.groupby("task")["task_type"].nunique().eq(1).all() and scores["task_type"].nunique() == 7
    complete = scores.groupby("model").size() == 41
    assert (scores["model"].nunique(), scores["task"].nunique(), complete.sum()) == (324, 41, 183)
    assert scores.attrs["about"]["licence"] == "CC0-1.0"
    assert scores.attrs["about"]["missing"] == 324 * 41 - len(scores)


@pytest.mark.published
def test_it_equals_the_published_scores():
    path = Path(os.environ.get("GENEXPY_NB_DATA", ""), "mteb_english.parquet")
    if not path.is_file():
        pytest.skip("needs mteb_english.parquet in the folder that GENEXPY_NB_DATA names")
    published = pd.read_parquet(path)
    published = published[published["in_v2"] & (published["subset"] != "en-ext")]
    theirs = published.set_index(["model", "task"])["main_score"].sort_index()
    scores = load_mteb().assign(model=lambda frame: frame["model"].str.replace("/", "__", n=1, regex=False))
    ours = scores.set_index(["model", "task"])["score"].sort_index()
    pd.testing.assert_series_equal(ours, theirs, check_names=False, check_index_type=False, check_dtype=False)
