"""The prediction tasks, and the tables that they are cut from."""

from importlib.resources import files

import numpy as np
import pandas as pd
import pytest

from genexpy_nb.common.errors import ParameterError
from runs import tasks as tables
from runs.tasks import SPECS, load_task, load_tasks


def test_tasks_are_usable():
    tasks = load_tasks()
    assert len(tasks) >= 40
    assert len({task.table for task in tasks.values()}) >= 20
    for name, task in tasks.items():
        assert name.split(":")[0] == task.table, name
        assert 60 <= len(task.y) <= 1000, name
        assert np.bincount(task.y).min() >= 10, name
        assert task.X.columns.is_unique and task.categorical and task.numeric, name
        assert task.X.notna().all(axis=None), name
        assert all(isinstance(level, str) for column in task.categorical for level in task.X[column]), name


@pytest.mark.parametrize("name", SPECS)
def test_no_column_gives_the_target_away(name):
    task = load_task(name)
    for column in task.X:
        levels = task.X[column].groupby(task.X[column]).transform("size")
        often = levels >= 2  # a level that occurs once tells nothing, a few that occur twice little
        pure = task.X.assign(y=task.y)[often].groupby(column)["y"].nunique().eq(1)
        assert often.sum() < 20 or not pure.all(), column


def test_recipes():
    table = pd.DataFrame({"a": np.arange(100.0), "b": ["x", "y"] * 50})
    assert tables.column(table, "a@4").value_counts().tolist() == [25] * 4
    assert tables.column(table, "a%10").nunique() == 11
    crossed = tables.column(table, "a@4*b")
    assert crossed.nunique() == 8 and crossed.name == "a@4*b"


def test_tables_are_copies():
    table = tables.load_table("iris")
    table["target"] = -1
    assert (tables.load_table("iris")["target"] >= 0).all()
    with pytest.raises(ParameterError, match="did you mean 'iris'"):
        tables.load_table("irish")


def test_notebook_00_knows_the_largest_numbers_of_categories():
    path = files("genexpy_nb") / "chapters" / "categories.csv"
    recorded = pd.read_csv(path, index_col="dataset")["n_categories"].to_dict()
    for name, task in load_tasks().items():
        assert recorded[name] == max(task.X[column].nunique() for column in task.categorical)
    assert len(recorded) == len(load_tasks())
