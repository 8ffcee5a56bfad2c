"""The population of text classifiers: pipelines, the task that they are run on, and the recorded table."""

import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import CountVectorizer

from genexpy_nb import causal
from genexpy_nb.causal.corpus import docstring_corpus
from genexpy_nb.chapters.causal import (
    N_COMPOSITIONS,
    TextTask,
    load_text_population,
    small_text_population,
    text_pipeline,
    text_population,
    text_task,
)
from genexpy_nb.common.errors import MissingExtraError
from genexpy_nb.common.hashing import content_hash


@pytest.fixture(scope="module")
def task():
    return TextTask(docstring_corpus(["scipy.fft", "scipy.cluster", "scipy.signal"], 180), 60, 30, 60)


def test_text_populations_are_as_large_as_asked():
    assert text_population().size >= 500 and len(text_population().variables) >= 6
    assert small_text_population().size == 2 * 4 * 2 * 2 * 2 * (6 + 3)


@pytest.mark.parametrize("start", range(3))
def test_cached_counts_give_what_the_whole_pipeline_gives(task, start):
    for combination in text_population().combinations()[start * 300 :: 5184 // 5]:
        train, validation, test = task.composition(start)
        texts = task.corpus["text"].to_numpy()
        pipeline = text_pipeline(combination, random_state=start).fit(texts[train], task.labels[train])
        guessed, predicted = task.predict(combination, start)
        np.testing.assert_array_equal(predicted, pipeline.predict(texts[test]))
        np.testing.assert_array_equal(guessed, pipeline.predict(texts[validation]))
        assert task(combination, start)["error"] == np.mean(predicted != task.labels[test])


def test_compositions_are_disjoint_random_and_repeatable(task):
    train, validation, test = task.composition(5)
    assert [len(p) for p in (train, validation, test)] == [60, 30, 60]
    assert len({*train, *validation, *test}) == 150
    np.testing.assert_array_equal(task.composition(5)[0], train)
    assert not np.array_equal(task.composition(6)[0], train)


def test_pipelines_are_what_the_combination_says():
    combination = text_population().combinations()[0] | {"analyser": "characters", "ngrams": 3, "lowercase": False}
    counts = text_pipeline(combination)["counts"]
    assert counts.get_params() == CountVectorizer(lowercase=False, analyzer="char_wb", ngram_range=(2, 3)).get_params()


def test_runs_of_a_task_are_saved_under_its_key(task, tmp_path):
    comparison = small_text_population().compare("approach", "linear", "naive Bayes")
    saved = causal.run_paired(comparison, task, 3, folder=tmp_path)
    same = TextTask(task.corpus.copy(), task.n_train, task.n_validation, task.n_test)
    pd.testing.assert_frame_equal(causal.run_paired(comparison, same, 3, folder=tmp_path).frame, saved.frame)
    assert len(list(tmp_path.glob("*.parquet"))) == 3
    other = TextTask(task.corpus.iloc[::-1], task.n_train, task.n_validation, task.n_test)
    assert same.key == task.key != other.key
    assert task.key not in {TextTask(task.corpus, *sizes).key for sizes in ((61, 30, 60), (60, 31, 60), (60, 30, 61))}


def test_what_is_missing_for_the_recorded_task_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(MissingExtraError, match=r'xarray is not installed; pip install "genexpy_nb\[testbed\]"'):
        text_task()


@pytest.mark.slow  # fits 26 pipelines
def test_the_recorded_table_is_what_the_task_gives():
    """Part of the table that data/make_text_population.py made, run again; other versions hold other docstrings."""
    table = load_text_population()
    about = table.attrs["about"]
    assert len(table) == about["rows"] == 576 * N_COMPOSITIONS
    assert content_hash(small_text_population().frame()) == about["population_sha256"]
    assert "numpy" in about["corpus"] and "numpy" in about["versions"]
    task = text_task()
    if task.sha256 != about["corpus_sha256"]:
        pytest.skip(f"other versions of the packages are installed than: {about['corpus']}")
    rows = table[table["analyser"] == "words"].iloc[:: 11520 // 26]
    names = small_text_population().names
    for _, row in rows.iterrows():
        losses = task({n: row[n] for n in names if row[n] is not None}, int(row["composition"]))
        np.testing.assert_allclose([row[name] for name in losses], list(losses.values()), atol=0.01)
