"""The encoder benchmark with replicated splits: one score for every dataset, random split, model and encoder.

A split is a random train/test split with a seed of its own, drawn anew for each dataset, and the same for all encoders
and models: splits are nested in datasets, and crossed with models. No cell is missing. What a published table averages
away, or fixes with one seed, is a factor here.
"""

from __future__ import annotations

from collections.abc import Iterable
from zlib import crc32

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.metrics import get_scorer
from sklearn.model_selection import StratifiedShuffleSplit
from threadpoolctl import threadpool_limits

from genexpy_nb.common.checks import check_choice, check_count
from genexpy_nb.common.errors import DataError, ParameterError
from genexpy_nb.common.hashing import fingerprint
from genexpy_nb.common.random import seed_of, seeds
from runs.encoders import ENCODERS, MODELS, encode
from runs.tasks import SPECS, Task, load_task

COLUMNS = ("dataset", "table", "model", "split", "encoder", "score")
DATASETS = tuple(SPECS)
#: Four encoders that do not look at the target (binary, count, ordinal, one-hot), and four that do.
ENCODER_NAMES = ("BE", "CBE", "CE", "CV5TE", "OE", "OHE", "TE", "WOEE")
MODEL_NAMES = tuple(MODELS)
N_SPLITS = 10
TEST_SHARE = 0.3
_FEWEST = 4  # rows of a class of which at least one is among 30 % of them


def splits_of(task: Task, n_splits: int = N_SPLITS, seed: int = 0) -> list[tuple[np.ndarray, np.ndarray]]:
    """Draw the random train/test splits of a dataset, each with a seed of its own."""
    check_count("n_splits", n_splits)
    smallest = int(np.bincount(task.y, minlength=2).min())
    if smallest < _FEWEST:
        raise DataError(f"{task.name} has {smallest} rows of one class; {_FEWEST} of each are needed to split it")
    return [
        next(StratifiedShuffleSplit(1, test_size=TEST_SHARE, random_state=number).split(task.X, task.y))
        for number in seeds(seed_of(seed), n_splits, crc32(task.name.encode()))
    ]


def run_replicates(
    name: str,
    encoders: Iterable[str] = ENCODER_NAMES,
    models: Iterable[str] = MODEL_NAMES,
    n_splits: int = N_SPLITS,
    seed: int = 0,
) -> pd.DataFrame:
    """Score every encoder with every model on every random split of one dataset."""
    check_choice("name", name, DATASETS)
    return _run_task(load_task(name), *_chosen(encoders, models), n_splits, seed)


def replicates_key(
    name: str, encoders: Iterable[str], models: Iterable[str], n_splits: int = N_SPLITS, seed: int = 0
) -> str:
    """Fingerprint of all that the results of one dataset depend on, code and library versions included."""
    task, (encoders, models) = load_task(name), _chosen(encoders, models)
    tools = {encoder: ENCODERS[encoder] for encoder in encoders}, {model: MODELS[model] for model in models}
    return fingerprint(name, task.table, task.X, task.y, task.categorical, tools, n_splits, seed, _run_task)


def _chosen(encoders: Iterable[str], models: Iterable[str]) -> tuple[list[str], list[str]]:
    encoders, models = list(encoders), list(models)
    for parameter, names, known in (("encoders", encoders, ENCODERS), ("models", models, MODELS)):
        if not names:
            raise ParameterError(f"{parameter} must name at least one of {', '.join(known)}")
        for name in names:
            check_choice(parameter, name, known)
    return encoders, models


def _run_task(task: Task, encoders: list[str], models: list[str], n_splits: int, seed: int) -> pd.DataFrame:
    score = get_scorer("roc_auc")
    rows = []
    # the fits are small: threads only get in each other's way, and can change last digits
    with threadpool_limits(1):
        for split, (train, test) in enumerate(splits_of(task, n_splits, seed)):
            for encoder in encoders:
                features, held_out = encode(ENCODERS[encoder], task, train, test)
                for model in models:
                    fitted = clone(MODELS[model].estimator).fit(features, task.y[train])
                    value = round(float(score(fitted, held_out, task.y[test])), 9)
                    rows.append((task.name, task.table, model, split, encoder, value))
    frame = pd.DataFrame(rows, columns=list(COLUMNS)).sort_values(list(COLUMNS[:5]), ignore_index=True)
    frame.attrs = {"model_fits": len(frame)}
    return frame
