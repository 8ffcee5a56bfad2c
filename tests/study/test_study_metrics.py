"""A target that is one metric in some rows and another one in others."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genexpy_nb.common.errors import StudyWarning
from genexpy_nb.study.checks import mixed_metrics
from genexpy_nb.study.study import Study
from tests.made_up_results import crossed

ROLES = {"alternatives": "model", "generalize_over": "task"}


def benchmark(n_tasks=12, rng=0):
    """Results as the AutoML benchmark publishes them: AUC of binary tasks, log-loss of the others, accuracy of all."""
    rng = np.random.default_rng(rng)
    table = crossed(task=range(n_tasks), model=list("abc"))
    table["type"] = np.where(table["task"] % 2, "multiclass", "binary")
    quality = table["model"].map({"a": 0.9, "b": 0.8, "c": 0.7}) + rng.normal(0, 0.01, len(table))
    table["acc"] = quality - 0.05
    table["auc"] = quality.where(table["type"] == "binary")
    table["logloss"] = (1 - quality).where(table["type"] == "multiclass")
    table["result"] = table["auc"].fillna(table["logloss"])
    table["score"] = table["auc"].fillna(-table["logloss"])
    return table


def test_a_target_of_two_metrics_is_doubted():
    """Taken for one metric it would find the models equal, of which one is the best everywhere."""
    with pytest.warns(StudyWarning, match="target 'result' equals 'auc' in 50 % of the rows and 'logloss' in 50 %"):
        mixed = Study(benchmark(), **ROLES, target="result", higher_is_better=True)
    assert mixed.friedman().p > 0.5
    with warnings.catch_warnings(action="error"):
        study = Study(benchmark(), **ROLES, target="score", higher_is_better=True)
        assert study.friedman().mean_ranks.tolist() == [1, 2, 3]
        Study(benchmark(), **ROLES, target="acc", higher_is_better=True)
        one = Study(benchmark(), **ROLES, target="result", higher_is_better=False, fixed={"type": "multiclass"})
        assert one.friedman().mean_ranks.tolist() == [1, 2, 3]


@given(st.integers(0, 10**6), st.integers(1, 4))
def test_columns_of_other_numbers_raise_no_doubt(seed, n_columns):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.normal(size=(30, n_columns)), columns=[f"x{i}" for i in range(n_columns)])
    table["copy"] = table["x0"]
    for target in table:
        assert mixed_metrics(table, target, np.arange(30), [target]) == []


def test_a_large_table_is_looked_at_in_part_and_missing_scores_count_for_nothing():
    table = pd.concat([benchmark(2_000, rng) for rng in range(20)], ignore_index=True)
    table.loc[table.index % 3 == 0, "result"] = np.nan
    (said,) = mixed_metrics(table, "result", np.arange(len(table)), ["task", "model", "result"])
    assert said.startswith("target 'result' equals 'auc' in 50 % of the rows and 'logloss' in 50 %")


def test_a_metric_of_a_tenth_of_the_rows_is_named():
    numbers = np.random.default_rng(3).normal(size=(20, 3))
    table = pd.DataFrame(numbers, columns=["rare", "one", "other"])
    which = np.repeat([0, 1, 2], [2, 9, 9])
    table["result"] = numbers[np.arange(20), which]
    (said,) = mixed_metrics(table, "result", np.arange(20), ["result"])
    assert said.startswith("target 'result' equals 'rare' in 10 % of the rows, 'one' in 45 % and 'other' in 45 %")
