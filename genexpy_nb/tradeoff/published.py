"""The trade-off points and model sizes that the paper prints; its cells were not published."""

from __future__ import annotations

import pandas as pd

from genexpy_nb.common.checks import check_choice

__all__ = ["published_tradeoff"]

_SIZES = {
    "EfficientNet": {"b0": 5.3e6, "b1": 7.8e6, "b2": 9.2e6, "b3": 12e6, "b4": 19e6, "b5": 30e6, "b6": 43e6, "b7": 66e6},
    "CLIP": {"RN50": 38e6, "RN101": 56e6, "RN50x4": 87e6, "RN50x16": 167e6, "RN50x64": 420e6},
}
_TABLES = {
    "points": pd.DataFrame(
        [
            ("ImageNet", "CLIP", 0.779, 0.175, 167e6, 0.364, 0.087),
            ("ImageNet", "EfficientNet", 0.891, 0.106, 23e6, 0.206, 0.075),
            ("CIFAR-100", "CLIP", 0.824, 0.228, 56e6, 0.852, 0.164),
            ("CIFAR-100", "EfficientNet", 0.976, 0.166, 43e6, 0.902, 0.139),
        ],
        columns=["data", "family", "ssim", "zero_shot", "size", "generalization_bound", "diversity_bound"],
    ),
    "sizes": pd.DataFrame(
        [(family, member, size) for family, members in _SIZES.items() for member, size in members.items()],
        columns=["family", "member", "size"],
    ),
}


def published_tradeoff(table: str) -> pd.DataFrame:
    """Return what the paper prints.

    Parameters
    ----------
    table : {"points", "sizes"}
        Tables 2 and 3: the trade-off points of two families on two data sets, in levels of the three dimensions, with
        the marginal error rate and Kappa there. Table 1: the models, with their numbers of weights (of CLIP those
        five that were used).

    Returns
    -------
    DataFrame

    References
    ----------
    A practical generalization metric for deep networks benchmarking, Tables 1 to 3.

    Examples
    --------
    >>> published_tradeoff("points")["family"].nunique()
    2
    """
    check_choice("table", table, _TABLES)
    return _TABLES[table].copy()
