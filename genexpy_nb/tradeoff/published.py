"""The trade-off points and model sizes that the paper prints, and others beside them; its cells were not published."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from genexpy_nb.common.checks import check_choice, check_columns
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.tradeoff.point import TradeoffPoint

__all__ = ["beside_published", "published_differences", "published_tradeoff"]

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


_LINES = [
    "generalization bound",
    "diversity bound",
    "SSIM (lower bound)",
    "ZeroShot (upper bound)",
    "model size (lower bound)",
    "a model has this size",
]


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


def beside_published(points: Mapping[str, TradeoffPoint], bounds: pd.DataFrame, here: str = "here") -> pd.DataFrame:
    """Put trade-off points beside the published ones, in the form of the paper's Tables 2 and 3.

    Parameters
    ----------
    points : mapping of str to TradeoffPoint
        Family -> its point.
    bounds : DataFrame
        `genexpy_nb.tradeoff.at_point` of each family with a column ``family``.
    here : str
        What the data of these points are called.

    Returns
    -------
    DataFrame of str
        Columns are pairs (data, family), the published ones first. Rows are the two bounds (of ``points`` from the
        smallest to the largest of the three dimensions), the three coordinates, and whether there is a model of that
        size.

    Raises
    ------
    StudyError
        If the bounds lack a column.
    ParameterError
        If they lack a family.

    References
    ----------
    A practical generalization metric for deep networks benchmarking, Tables 1 to 3.

    Examples
    --------
    >>> from genexpy_nb.datasets import load_tradeoff_cells
    >>> from genexpy_nb.tradeoff import at_point, marginals, to_array, tradeoff_point
    >>> cells = load_tradeoff_cells()
    >>> array = to_array(cells[cells["family"] == "convolutions"])
    >>> point = tradeoff_point(array)
    >>> bounds = at_point(marginals(array), point).assign(family="convolutions")
    >>> beside_published({"convolutions": point}, bounds)[[("ImageNet", "CLIP"), ("here", "convolutions")]]
                             ImageNet            here
                                 CLIP    convolutions
    generalization bound        0.364  0.049 to 0.306
    diversity bound             0.087  0.056 to 0.357
    SSIM (lower bound)          0.779             0.9
    ZeroShot (upper bound)      0.175           0.444
    model size (lower bound)     167M           4,214
    a model has this size         yes             yes
    """
    check_columns(bounds, ("family", "bound", "estimate"), "bounds")
    sizes = set(published_tradeoff("sizes")["size"])
    form: dict[tuple[str, str], tuple[str, ...]] = {
        (row.data, row.family): (
            f"{row.generalization_bound:.3f}",
            f"{row.diversity_bound:.3f}",
            f"{row.ssim:.3f}",
            f"{row.zero_shot:.3f}",
            f"{row.size / 1e6:.0f}M",
            "yes" if row.size in sizes else "no",
        )
        for row in published_tradeoff("points").itertuples()
    }
    for family, point in points.items():
        ends = bounds[bounds["family"] == family].groupby("bound")["estimate"].agg(["min", "max"])
        if list(ends.index) != ["diversity bound", "generalization bound"]:
            raise ParameterError(f"bounds must have both bounds of {family!r}, got {list(ends.index)}")
        form[here, family] = (
            *("{min:.3f} to {max:.3f}".format(**ends.loc[f"{kind} bound"]) for kind in ("generalization", "diversity")),
            f"{point.ssim:.3g}",
            f"{point.zero_shot:.3f}",
            f"{point.size:,.6g}",
            "yes",
        )
    return pd.DataFrame(form, index=_LINES)


def published_differences() -> pd.DataFrame:
    """Compare the paper's two families at their published points, on each data set.

    Returns
    -------
    DataFrame, columns are data sets
        Differences of the two bounds, CLIP minus EfficientNet, and the ratio of the sizes.

    References
    ----------
    A practical generalization metric for deep networks benchmarking, Tables 2 and 3.

    Examples
    --------
    >>> published_differences().round(3)
    data                                           ImageNet  CIFAR-100
    generalization bound, CLIP minus EfficientNet     0.158     -0.050
    diversity bound, the same                         0.012      0.025
    size, CLIP over EfficientNet                      7.261      1.302
    """
    points = published_tradeoff("points")
    clip, efficient = (points[points["family"] == name].set_index("data") for name in ("CLIP", "EfficientNet"))
    bounds = clip[["generalization_bound", "diversity_bound"]] - efficient[["generalization_bound", "diversity_bound"]]
    return pd.DataFrame(
        {
            "generalization bound, CLIP minus EfficientNet": bounds["generalization_bound"],
            "diversity bound, the same": bounds["diversity_bound"],
            "size, CLIP over EfficientNet": clip["size"] / efficient["size"],
        }
    ).T
