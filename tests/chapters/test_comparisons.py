"""The model comparisons: what they hold, and that the protocol can run them; and the numbers that the paper prints."""

import numpy as np
import pytest
from sklearn.model_selection import TunedThresholdClassifierCV

from genexpy_nb.chapters.protocol import COMPARISONS, load_comparison, placeholders
from genexpy_nb.protocol import make_splits, run_trials


@pytest.mark.parametrize("name", COMPARISONS)
def test_every_model_learns_and_the_data_are_what_is_said(name):
    task = load_comparison(name, n_documents=150)
    assert len(task.models) >= 3
    assert f"{len(task.y):,} " in task.about
    splits = make_splits(task.X, task.y, task.groups, n_repeats=1)
    if task.groups is not None:
        for train, test in splits:
            assert not set(task.groups[train]) & set(task.groups[test])
    trials = run_trials(task.models, task.X, task.y, splits, seeds=[7], groups=task.groups, progress=False)
    majority = np.unique(task.y, return_counts=True)[1].max() / len(task.y)
    assert trials.failed.empty
    assert (trials.wide().mean() > majority + 0.1).all()


def test_seeds_matter_to_the_network_and_not_to_the_threshold():
    task = load_comparison("breast cancer")
    models = {name: task.models[name] for name in ("network", "tuned threshold", "logistic")}
    assert isinstance(task.models["tuned threshold"], TunedThresholdClassifierCV)
    splits = make_splits(task.X, task.y, n_repeats=1)
    trials = run_trials(models, task.X, task.y, splits, seeds=[7, 13, 21], progress=False)
    assert trials.seed_changes_nothing == ["tuned threshold", "logistic"]
    wide = trials.wide(average_seeds=False)["network"].unstack("seed")
    assert (wide.nunique(axis=1) > 1).sum() >= 2  # on several folds, by more than one row of the test part
    assert wide.mean().nunique() > 1  # and so does the mean over the folds
    assert (trials.scores["warnings"] == "").all()  # it converges
    again = run_trials(models, task.X, task.y, splits, seeds=[13], progress=False)
    assert again.wide()["network"].to_list() == wide[13].to_list()  # a seed repeats what it did


def test_placeholders_are_those_of_the_paper():
    settings = placeholders().set_index(["data", "setting"])
    assert settings.loc[("IMDB", "protocol")].to_list() == [0.029, 1.9, 3, 0.047]
    assert settings.index[settings["wins"] > settings["n_pairs"]].to_list() == [("CIFAR-10", "single seed")]
