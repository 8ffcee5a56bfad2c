"""This project's own runs of categorical encoders in which the random split is a factor of its own."""

from __future__ import annotations

import pandas as pd

from genexpy_nb.datasets.records import read_verified_results
from genexpy_nb.datasets.registry import data_folder


def load_replicates() -> pd.DataFrame:
    """Load the scores of categorical encoders on replicated random splits: datasets x splits x models x encoders.

    Every cell is there. A split is a random train/test split of one dataset, the same for all encoders and models.
    Split 3 of one dataset has nothing to do with split 3 of another: splits are nested in datasets. Datasets with the
    same ``table`` were cut from one source table, and are related.

    Returns
    -------
    DataFrame of shape (22400, 6)
        Columns ``dataset``, ``table``, ``model``, ``split`` (0 to 9), ``encoder`` and ``score`` (area under the ROC
        curve on the test part, in [0, 1], higher is better). ``attrs["about"]`` says how it was made.

    Raises
    ------
    DataError
        If the file is damaged.

    References
    ----------
    Made by ``data/make_replicates.py``.

    Examples
    --------
    >>> scores = load_replicates()
    >>> scores[["dataset", "table", "model", "split", "encoder"]].nunique().tolist()
    [56, 23, 5, 10, 8]
    """
    return read_verified_results(data_folder() / "replicates.parquet")
