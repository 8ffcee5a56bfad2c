"""The bundled runs on replicated splits, as they are loaded."""

import pandas as pd

from genexpy_nb.datasets import data_folder, load_replicates


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


def test_splits_of_a_dataset_differ():
    wide = load_replicates().pivot(index=["dataset", "model", "encoder"], columns="split", values="score")
    assert (wide.nunique(axis=1) > 1).mean() > 0.95
