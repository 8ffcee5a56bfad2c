"""A leaderboard that may be handed on: the English benchmark of the text embedding benchmark MTEB."""

from __future__ import annotations

import pandas as pd

from genexpy_nb.datasets.records import read_verified_results
from genexpy_nb.datasets.registry import data_folder


def load_mteb() -> pd.DataFrame:
    """Load the published scores of embedding models on the English benchmark of MTEB (version 2).

    Returns
    -------
    DataFrame of shape (10041, 4)
        Columns ``model``, ``task`` (together the key), ``task_type`` and ``score`` (higher is better): 324 models, 41
        tasks of 7 types; 3,243 of the 13,284 cells are missing, and 183 models have all tasks. ``attrs["about"]`` names
        the source, at a pinned commit, and its licence (CC0 1.0).

    Raises
    ------
    DataError
        If the file is damaged.

    References
    ----------
    github.com/embeddings-benchmark/results; Muennighoff et al., MTEB: Massive Text Embedding Benchmark, EACL 2023.

    Examples
    --------
    >>> scores = load_mteb()
    >>> scores["model"].nunique(), scores["task"].nunique()
    (324, 41)
    """
    return read_verified_results(data_folder() / "mteb.parquet")
