"""The bundled leaderboard: complete, and what the published table says, where that is at hand."""

import os
from pathlib import Path

import pandas as pd
import pytest

from genexpy_nb.datasets import load_mteb


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
