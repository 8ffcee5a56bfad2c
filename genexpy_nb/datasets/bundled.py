"""Tables that come with the package, with where each is from; and tables of the same form that others made."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from genexpy_nb.common.checks import check_choice
from genexpy_nb.common.errors import DataError, StudyError
from genexpy_nb.datasets.locating import data_folder
from genexpy_nb.datasets.opening import read_verified_results
from genexpy_nb.datasets.reading import read_results


def load_mteb() -> pd.DataFrame:
    """Load the published scores of embedding models on the English benchmark of MTEB (version 2).

    Returns
    -------
    DataFrame of shape (10041, 4)
        Columns ``model``, ``task`` (together the key), ``task_type`` and ``score`` (higher is better): 324 models, 41
        tasks of 7 types; 3,243 of the 13,284 cells are missing, and 183 models have all tasks. ``attrs["about"]`` names
        the source (github.com/embeddings-benchmark/results at a pinned commit) and its licence (CC0 1.0).

    Examples
    --------
    >>> scores = load_mteb()
    >>> scores["model"].nunique(), scores["task"].nunique()
    (324, 41)
    """
    return _bundled("mteb")


def load_encoders_unscaled() -> pd.DataFrame:
    """Load this project's own runs of two encoders once more, with encoded columns left as they are.

    Returns
    -------
    DataFrame of shape (1792, 7)
        The columns of `load_encoders`, for ``OHE`` and ``TE`` with four models, untuned. Only numeric columns were
        scaled; in the bundled runs that `load_encoders` reads, all were. ``attrs["about"]`` says how it was made.

    Examples
    --------
    >>> load_encoders_unscaled()[["dataset", "model", "scoring", "encoder"]].nunique().tolist()
    [56, 4, 4, 2]
    """
    return _bundled("encoders_unscaled")


def load_replicates() -> pd.DataFrame:
    """Load the scores of categorical encoders on replicated random splits: datasets x splits x models x encoders.

    Returns
    -------
    DataFrame of shape (22400, 6)
        Columns ``dataset``, ``table`` (datasets cut from the same one are related), ``model``, ``split`` (0 to 9, train
        and test parts of one dataset, the same for all encoders and models), ``encoder`` and ``score`` (area under the
        ROC curve on the test part, higher is better). Every cell is there. ``attrs["about"]`` says how it was made.

    Examples
    --------
    >>> scores = load_replicates()
    >>> scores[["dataset", "table", "model", "split", "encoder"]].nunique().tolist()
    [56, 23, 5, 10, 8]
    """
    return _bundled("replicates")


def load_cloze() -> pd.DataFrame:
    """Load the answers of nine small language models to questions with four options: right or wrong.

    Returns
    -------
    DataFrame of shape (20160, 6)
        Columns ``benchmark`` (the package whose docstring it is), ``passage`` (the docstring), ``item`` (the question:
        which word is hidden), ``model``, ``sample`` (0 to 3, answers that were drawn one after the other) and ``score``
        (1 if it is right, else 0). Every cell is there. ``attrs["about"]`` says how it was made.

    Examples
    --------
    >>> answers = load_cloze()
    >>> answers[["benchmark", "passage", "item", "model", "sample"]].nunique().tolist()
    [7, 140, 560, 9, 4]
    """
    return _bundled("cloze")


def load_cloze_votes() -> pd.DataFrame:
    """Load the votes of eighteen judges, small language models themselves, on first answers of `load_cloze`.

    Returns
    -------
    DataFrame of shape (9000, 6)
        Columns ``vote``, ``item``, ``judge``, ``model_a`` and ``model_b`` (in the order in which their answers were
        shown; the two differ) and ``winner``, "model_a" or "model_b". ``attrs["about"]`` says how it was made.

    Examples
    --------
    >>> load_cloze_votes()[["judge", "model_a", "winner"]].nunique().tolist()
    [18, 9, 2]
    """
    return _bundled("cloze_votes")


def load_agents() -> pd.DataFrame:
    """Load what simple agents have learned in sixteen small games: algorithms x games x seeds.

    Returns
    -------
    DataFrame of shape (1280, 6)
        Columns ``algorithm``, ``game``, ``seed`` (0 to 9), ``score`` (discounted reward that the learned policy can
        expect, higher is better), and what random moves (``random``) and the best policy (``best``) can expect. All
        three are exact. ``attrs["about"]`` says how it was made.

    Examples
    --------
    >>> load_agents()[["algorithm", "game", "seed"]].nunique().tolist()
    [8, 16, 10]
    """
    return _bundled("agents")


def load_tradeoff_cells(path: str | os.PathLike = "") -> pd.DataFrame:
    """Load a table of the testbed: one row per class of a cell.

    Parameters
    ----------
    path : path-like, optional
        A CSV, parquet or Excel file in the form that `genexpy_nb.tradeoff.to_array` describes; by default this
        project's own runs: two families, ten seeds, eight sizes, 64,800 rows.

    Returns
    -------
    DataFrame
        With a column ``family``: the name of the file, where the table has none. ``attrs["about"]`` says its origin.

    Examples
    --------
    >>> cells = load_tradeoff_cells()
    >>> list(cells["family"].unique()), cells["seed"].nunique()
    (['convolutions', 'perceptrons'], 10)
    """
    table = _load(path, "tradeoff")
    if "family" not in table:
        table["family"] = Path(table.attrs["about"]["file"]).stem
    return table


def load_tradeoff_control() -> pd.DataFrame:
    """Load the runs of the testbed in which the networks had seen all ten digits.

    Returns
    -------
    DataFrame
        As from `load_tradeoff_cells`, with ``zero_shot`` 0 throughout; of the same seeds, splits and widths. The last
        layer has ten outputs instead of five, so the sizes are a little larger.

    Examples
    --------
    >>> load_tradeoff_control().groupby("zero_shot")["class"].nunique().to_dict()
    {0.0: 10}
    """
    return _bundled("tradeoff_control")


def load_tradeoff_measures(path: str | os.PathLike = "", families: Iterable[Any] = ()) -> pd.DataFrame:
    """Load a table of complexity measures: one row per network.

    Parameters
    ----------
    path : path-like, optional
        A CSV, parquet or Excel file with the columns size and one or more of `genexpy_nb.tradeoff.MEASURES`, perhaps
        family and seed; by default the one that belongs to `load_tradeoff_cells`.
    families : iterable of str, optional
        Families of the results that the measures belong to. Where the file names none, it is of the only one of these.

    Returns
    -------
    DataFrame
        With a column ``family`` if the file has one, or ``families`` are given.

    Examples
    --------
    >>> load_tradeoff_measures()["converged"].all()
    np.True_
    """
    table = _load(path, "tradeoff_measures")
    names = list(dict.fromkeys([families] if isinstance(families, str) else families))
    if "family" not in table and len(names) > 1:
        raise StudyError(
            f"{table.attrs['about']['file']} has no column 'family', and the results have {len(names)} families "
            f"({', '.join(map(repr, names))}): the column must say of which each network is"
        )
    if "family" not in table and names:
        table["family"] = names[0]
    return table


def load_tradeoff_cifar10(training: str | None = None, noise: str | None = None) -> pd.DataFrame:
    """Read the cells of networks that were trained on CIFAR-10 (``data/README.md`` describes every column).

    Parameters
    ----------
    training : {"probe", "fine-tuned"}, optional
        How the networks learned the classes of a cell: logistic regression on frozen features, or all weights.
    noise : {"pca", "autoencoder", "fgsm"}, optional
        What was done to the test images.

    Returns
    -------
    DataFrame
        With one training and one noise it is of the form that `genexpy_nb.tradeoff.to_array` takes. ``level`` is the
        similarity to the clean images, or the step of the attack for fgsm.

    Examples
    --------
    >>> cells = load_tradeoff_cifar10("probe", "pca")
    >>> sorted(cells["family"].unique()), cells["zero_shot"].nunique(), cells["ssim"].nunique()
    (['plain', 'residual'], 6, 9)
    """
    cells = _bundled("tradeoff_cifar10")
    for column, wanted in (("training", training), ("noise", noise)):
        if wanted is not None:
            check_choice(column, wanted, cells[column].unique())
            cells = cells[cells[column] == wanted]
    return cells.reset_index(drop=True)


def _load(path: str | os.PathLike, name: str) -> pd.DataFrame:
    if not os.fspath(path):
        return _bundled(name)
    path = Path(path).expanduser().resolve()
    table = read_results(path)
    if table.empty:
        raise DataError(f"{path.name} has no rows")
    table.attrs = {"about": {"file": path.name}}
    return table


def _bundled(name: str) -> pd.DataFrame:
    return read_verified_results(data_folder() / f"{name}.parquet")
