"""The text population that was run in full: how its table is made, and where it lies."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from genexpy_nb.causal.pipelines import PACKAGES, TextTask, small_text_population
from genexpy_nb.datasets import data_folder
from genexpy_nb.errors import DataError
from genexpy_nb.experiments.corpus import docstring_corpus
from genexpy_nb.experiments.runner import read_results
from genexpy_nb.protocol.hashing import content_hash

__all__ = ["N_COMPOSITIONS", "load_text_population", "text_task"]

#: Train-test compositions of the recorded table; composition i has the seed i.
N_COMPOSITIONS = 20
_N_DOCUMENTS = 1500
_NAME = "text_population"


def text_task() -> TextTask:
    """Return the task that the recorded table is about: which package is a docstring from?

    Returns
    -------
    TextTask
        180 documents for training, 100 for validation, 300 for test, of a corpus of at most 1,500.
    """
    return TextTask(docstring_corpus(PACKAGES, _N_DOCUMENTS, 0))


def load_text_population(folder: Path | None = None) -> pd.DataFrame:
    """Load the losses of all systems of `small_text_population` on 20 train-test compositions.

    Parameters
    ----------
    folder : path, optional
        Where text_population.parquet and .json lie; by default, where they came with this package.

    Returns
    -------
    DataFrame
        As returned by `run_population`; ``attrs["about"]`` is what the JSON file says: versions, seeds, sizes.

    Raises
    ------
    DataError
        If the table is missing or damaged.

    Examples
    --------
    >>> len(load_text_population()) == small_text_population().size * N_COMPOSITIONS
    True
    """
    folder = data_folder() if folder is None else Path(folder)
    losses = read_results(folder / f"{_NAME}.parquet")
    about = losses.attrs["about"]
    systems = small_text_population().frame().drop(columns="probability")
    if content_hash(systems) != about["population_sha256"]:
        raise DataError(f"{_NAME}.parquet was made for another population; data/make_text_population.py makes it again")
    table = pd.concat([systems.iloc[losses["system"]].reset_index(drop=True), losses.drop(columns="system")], axis=1)
    table.attrs["about"] = about
    return table
