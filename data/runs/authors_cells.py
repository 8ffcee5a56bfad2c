"""The authors' own cells of the trade-off point, read from a checkout of their repository."""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from genexpy_nb.common.errors import DataError, require
from genexpy_nb.common.hashing import content_hash

_AUTHORS_WIDTHS = (64, 128, 256, 512, 1024, 2048, 4096, 8192)
_AUTHORS_COLUMNS = ["family", "size", "noise", "zero_shot", "class", "error_rate", "conflict_abs"]
# SHA-256 of the numbers of the 72,000 rows.
_AUTHORS_HASH = "9e5e209e0558d2201d6011533309db3076f71312a8bf98e93c2d120fd148a6c8"


def load_authors_cells(folder: str | os.PathLike) -> pd.DataFrame:
    """Read the authors' own cells from a checkout of their repository.

    They are of an experiment before the one in the paper: fully connected (FC) and convolutional (CNN) networks on
    CIFAR-100 in eight widths, with noise on the weights. No licence comes with them, so this project reads your copy::

        git clone https://github.com/ADAM0912/An-empirical-generalization-metric-for-deep-networks authors
        git -C authors checkout 62aca9f484bf25badffaf30174d3d4d2b1383e53

    Parameters
    ----------
    folder : path-like
        The checkout; or the parquet file that `pandas.DataFrame.to_parquet` made of what this function returned.

    Returns
    -------
    DataFrame, 72,000 rows
        One row per class of a cell, for `genexpy_nb.tradeoff.to_array` with ``kappa="conflict_abs", noise="noise",
        cleaner="low"``. ``size`` is the width; ``noise`` the window of the noise on the weights, 0 to .9.

    Notes
    -----
    Left out: the CNN of width 16,384, 95 % of whose accuracies are those of the FC; the sheets ``kappa``; and
    ``output_f1f2``, which does not follow from the other sheets.
    """
    path = Path(folder).expanduser().resolve()
    table = pd.read_parquet(path) if path.is_file() else _read_sheets(path)
    if list(table) != _AUTHORS_COLUMNS or content_hash(table.to_numpy()[:, 1:].astype(float)) != _AUTHORS_HASH:
        raise DataError(f"{path} does not hold the values that were published at 62aca9f")
    table.attrs = {"about": {"file": path.name, "source": "62aca9f of the authors' repository"}}
    return table


def _read_sheets(folder: Path) -> pd.DataFrame:
    require("excel", "openpyxl")
    parts = []
    for family, name in (("FC", "experiment result"), ("CNN", "experiment result cnn")):
        for width, window, unseen in product(_AUTHORS_WIDTHS, range(10), range(0, 51, 10)):
            start = folder / name / f"{width}_0.{window}_40_zs{unseen}_"
            accuracy, kappa = (
                _one_sheet(Path(f"{start}{kind}.xlsx"), 50 + unseen) for kind in ("accuracy", "kappa_lp")
            )
            cell = {"family": family, "size": width, "noise": window / 10, "zero_shot": unseen / (50 + unseen)}
            rows = pd.DataFrame({"class": range(50 + unseen), "error_rate": 1 - accuracy, "conflict_abs": kappa})
            parts.append(rows.assign(**cell))
    return pd.concat(parts, ignore_index=True)[_AUTHORS_COLUMNS]


def _one_sheet(path: Path, n_classes: int) -> np.ndarray:
    """Return the second column of a sheet, below its header."""
    try:
        values = pd.read_excel(path).iloc[:, 1].to_numpy(dtype=float)
    except Exception as error:  # a damaged file can raise anything
        raise DataError(f"{path} cannot be read: {' '.join(str(error).split())}") from error
    if len(values) != n_classes:
        raise DataError(f"{path} has {len(values)} classes instead of {n_classes}")
    return values
