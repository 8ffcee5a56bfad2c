"""The numbers that the paper prints: placeholders by its own words, kept to be shown beside measured ones."""

from __future__ import annotations

import pandas as pd

from genexpy_nb.common.checks import check_choice

_TABLES = {
    "estimates": pd.DataFrame(
        [
            ("CIFAR-10", "RN18", 0.946, 0.943, 0.949),
            ("CIFAR-10", "EN-B0", 0.951, 0.948, 0.953),
            ("CIFAR-10", "ViT-T", 0.918, 0.913, 0.923),
            ("IMDB", "SVM", 0.891, 0.885, 0.897),
            ("IMDB", "BiLSTM", 0.903, 0.897, 0.909),
            ("IMDB", "DBERT", 0.921, 0.916, 0.926),
        ],
        columns=["data", "model", "estimate", "low", "high"],
    ),
    "settings": pd.DataFrame(
        [
            ("CIFAR-10", "single seed", 0.270, 3.1, 3, 0.218),
            ("CIFAR-10", "protocol", 0.036, 2.0, 3, 0.049),
            ("IMDB", "single seed", 0.194, 2.7, 3, 0.172),
            ("IMDB", "protocol", 0.029, 1.9, 3, 0.047),
        ],
        columns=["data", "setting", "instability", "wins", "n_pairs", "fwer"],
    ),
    "overhead": pd.DataFrame([(1.3, 1.2, 1.5)], columns=["factor", "low", "high"]),
}


def placeholders(table: str) -> pd.DataFrame:
    """Return the numbers of one of the paper's tables.

    The paper marks all of them as illustrative placeholders (Section 4, first lines): nobody measured them.

    Parameters
    ----------
    table : {"estimates", "settings", "overhead"}
        Tables 1 and 2 (accuracy and interval); Table 3 (instability, declared wins, family-wise error rate);
        Section 4.3 (median factor of the compute, its quartiles).

    Returns
    -------
    DataFrame
        Shares, not percentages.

    Raises
    ------
    ParameterError
        If the paper has no such table.

    References
    ----------
    A Deterministic Protocol for Reliable Model Comparison in Machine Learning, Section 4.

    Examples
    --------
    >>> placeholders("settings").query("wins > n_pairs")["data"].to_list()
    ['CIFAR-10']
    """
    check_choice("table", table, _TABLES)
    return _TABLES[table].copy()
