"""This project's own run of the trade-off testbed on CIFAR-10: two ways to train, three kinds of noise."""

from __future__ import annotations

import pandas as pd

from genexpy_nb.common.checks import check_choice
from genexpy_nb.datasets.records import read_verified_results
from genexpy_nb.datasets.registry import data_folder


def load_tradeoff_cifar10(training: str | None = None, noise: str | None = None) -> pd.DataFrame:
    """Read the cells of networks that were trained on CIFAR-10, all or those of one kind.

    ``data/run_cifar10.py`` made them. ``data/README.md`` describes every column, and how far the networks were trained.

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
        noise level: the similarity to the clean images, or the step of the attack for fgsm. ``attrs["about"]`` says
        where the table comes from, and under "networks" how the training of each network went.

    Raises
    ------
    DataError
        If the file is missing or damaged.
    ParameterError
        If there is no such training or noise.

    Examples
    --------
    >>> cells = load_tradeoff_cifar10("probe", "pca")
    >>> sorted(cells["family"].unique()), cells["zero_shot"].nunique(), cells["ssim"].nunique()
    (['plain', 'residual'], 6, 9)
    """
    cells = read_verified_results(data_folder() / "tradeoff_cifar10.parquet")
    for column, wanted in (("training", training), ("noise", noise)):
        if wanted is not None:
            check_choice(column, wanted, cells[column].unique())
            cells = cells[cells[column] == wanted]
    return cells.reset_index(drop=True)


def load_tradeoff_cifar10_measures() -> pd.DataFrame:
    """Read the complexity measures of the networks of `load_tradeoff_cifar10`.

    Returns
    -------
    DataFrame
        One row per network, with a column for each of `genexpy_nb.tradeoff.MEASURES`, and how its training went.
        ``attrs`` as from `load_tradeoff_cifar10`.

    Raises
    ------
    DataError
        As `load_tradeoff_cifar10`.

    Examples
    --------
    >>> measures = load_tradeoff_cifar10_measures()
    >>> bool((measures["params"] == measures["size"]).all())
    True
    """
    return read_verified_results(data_folder() / "tradeoff_cifar10_measures.parquet")
