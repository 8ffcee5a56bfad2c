"""The runs of the testbed on digits that this project ships, and tables of the same form that others made."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd

from genexpy_nb.common.errors import DataError
from genexpy_nb.datasets.records import read_verified_results
from genexpy_nb.datasets.registry import data_folder

__all__ = ["load_tradeoff_cells", "load_tradeoff_control", "load_tradeoff_measures"]


def load_tradeoff_cells(path: str | os.PathLike = "") -> pd.DataFrame:
    """Load a table of the testbed: one row per class of a cell.

    Parameters
    ----------
    path : path-like, optional
        A parquet or CSV file in the form that `genexpy_nb.tradeoff.to_array` describes; by default the table that this
        project made with ``data/make_tradeoff.py``: two families, ten seeds, eight sizes, 64,800 rows.

    Returns
    -------
    DataFrame
        With a column ``family``. ``attrs["about"]`` says where it comes from.

    Raises
    ------
    DataError
        If the file is not there, damaged, empty, or of another kind.

    Examples
    --------
    >>> cells = load_tradeoff_cells()
    >>> list(cells["family"].unique()), cells["seed"].nunique()
    (['convolutions', 'perceptrons'], 10)
    """
    return _load(path, "tradeoff")


def load_tradeoff_control() -> pd.DataFrame:
    """Load the runs of the testbed in which the networks had seen all ten digits.

    Together with `load_tradeoff_cells` they tell what it costs that classes are unseen, and what it costs that they are
    more.

    Returns
    -------
    DataFrame
        As from `load_tradeoff_cells`, with ``zero_shot`` 0 throughout; of the same seeds, splits and widths. The last
        layer has ten outputs instead of five, so the sizes are a little larger.

    Raises
    ------
    DataError
        If the file is damaged.

    Examples
    --------
    >>> load_tradeoff_control().groupby("zero_shot")["class"].nunique().to_dict()
    {0.0: 10}
    """
    return _load("", "tradeoff_control")


def load_tradeoff_measures(path: str | os.PathLike = "") -> pd.DataFrame:
    """Load a table of complexity measures: one row per network.

    Parameters
    ----------
    path : path-like, optional
        A parquet or CSV file with the columns family, size and one or more of `genexpy_nb.tradeoff.MEASURES`, perhaps
        seed; by default the one that belongs to `load_tradeoff_cells`.

    Returns
    -------
    DataFrame
        ``attrs`` as from `load_tradeoff_cells`.

    Raises
    ------
    DataError
        As `load_tradeoff_cells`.

    Examples
    --------
    >>> load_tradeoff_measures()["converged"].all()
    np.True_
    """
    return _load(path, "tradeoff_measures")


def _load(path: str | os.PathLike, name: str) -> pd.DataFrame:
    if not os.fspath(path):
        return read_verified_results(data_folder() / f"{name}.parquet")
    path = Path(path).expanduser().resolve()
    if not path.is_file():
        raise DataError(f"there is no file {path}")
    readers = {".parquet": pd.read_parquet, ".csv": pd.read_csv}
    if path.suffix not in readers:
        raise DataError(f"{path.name} must end in {' or '.join(readers)}")
    try:
        table = readers[path.suffix](path)
    except Exception as error:  # a damaged file can raise anything
        raise DataError(f"{path.name} cannot be read as {path.suffix[1:]}: {' '.join(str(error).split())}") from error
    if table.empty:
        raise DataError(f"{path.name} has no rows")
    if "family" not in table:
        table["family"] = path.stem
    table.attrs = {"about": {"file": path.name}}
    return table
