"""What was published of the trade-off points, as data with their sources, and other points beside them.

The cells behind the paper's tables were not published. Its Figure 2, the authors' repository
(https://github.com/ADAM0912/An-empirical-generalization-metric-for-deep-networks) and the article that came after the
paper tell more than the tables.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from genexpy_nb.common.checks import check_choice, check_columns
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.tradeoff.point import TradeoffPoint

#: Of a value read from Figure 2.
READING_ERROR = 0.005

_SIZES = {
    "EfficientNet": {"b0": 5.3e6, "b1": 7.8e6, "b2": 9.2e6, "b3": 12e6, "b4": 19e6, "b5": 30e6, "b6": 43e6, "b7": 66e6},
    "CLIP": {
        **{"RN50": 38e6, "RN101": 56e6, "RN50x4": 87e6, "RN50x16": 167e6, "RN50x64": 420e6},
        **{"ViT-B/32": 87e6, "ViT-B/16": 86e6, "ViT-L/14": 304e6},
    },
}
_POINT = ["data", "family", "ssim", "zero_shot", "size", "generalization_bound", "diversity_bound"]
# The stars of Figure 2, (a) to (l): marginals of error and Kappa at the point, along SSIM, ZeroShot and size.
_STARS = {
    ("ImageNet", "CLIP"): [(0.357, 0.076), (0.331, 0.099), (0.401, 0.082)],
    ("ImageNet", "EfficientNet"): [(0.184, 0.068), (0.242, 0.120), (0.187, 0.033)],
    ("CIFAR-100", "CLIP"): [(0.834, 0.168), (0.846, 0.133), (0.871, 0.190)],
    ("CIFAR-100", "EfficientNet"): [(0.854, 0.155), (0.917, 0.119), (0.927, 0.130)],
}
_TABLES = {
    "points": pd.DataFrame(
        [
            ("ImageNet", "CLIP", 0.779, 0.175, 167e6, 0.364, 0.087),
            ("ImageNet", "EfficientNet", 0.891, 0.106, 23e6, 0.206, 0.075),
            ("CIFAR-100", "CLIP", 0.824, 0.228, 56e6, 0.852, 0.164),
            ("CIFAR-100", "EfficientNet", 0.976, 0.166, 43e6, 0.902, 0.139),
        ],
        columns=_POINT,
    ),
    "article": pd.DataFrame(
        [
            ("ImageNet", "CLIP", 0.874, 0.285, 116e6, 0.279, 0.276),
            ("ImageNet", "EfficientNet", 0.805, 0.295, 20e6, 0.284, 0.280),
            ("CIFAR-100", "CLIP", 0.949, 0.182, 163e6, 0.657, 0.668),
            ("CIFAR-100", "EfficientNet", 0.937, 0.258, 22e6, 0.600, 0.608),
        ],
        columns=_POINT,
    ),
    "sizes": pd.DataFrame(
        [
            (family, member, size, not member.startswith("ViT"))
            for family, members in _SIZES.items()
            for member, size in members.items()
        ],
        columns=["family", "member", "size", "used"],
    ),
    "figure": pd.DataFrame(
        [
            (data, family, dimension, *star)
            for (data, family), stars in _STARS.items()
            for dimension, star in zip(("ssim", "zero_shot", "size"), stars, strict=True)
        ],
        columns=["data", "family", "dimension", "error", "kappa"],
    ),
    # Figure 2 (j): EfficientNet on CIFAR-100, along SSIM.
    "spread": pd.DataFrame({"ssim": [0.85], "kappa_mean": [0.137], "kappa_std": [0.674]}),
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
    """Return what the paper prints."""
    check_choice("table", table, _TABLES)
    return _TABLES[table].copy()


def beside_published(points: Mapping[str, TradeoffPoint], bounds: pd.DataFrame, here: str = "here") -> pd.DataFrame:
    """Put trade-off points beside the published ones, in the form of the paper's Tables 2 and 3."""
    check_columns(bounds, ("family", "bound", "estimate"), "bounds")
    sizes = set(published_tradeoff("sizes").query("used")["size"])
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
            *(
                "{min:.3f} to {max:.3f}".format(**ends.loc[f"{kind} bound"]).replace("-", "−")
                for kind in ("generalization", "diversity")
            ),
            f"{point.ssim:.3g}",
            f"{point.zero_shot:.3f}",
            f"{point.size:,.6g}",
            "yes",
        )
    return pd.DataFrame(form, index=_LINES)


def published_differences() -> pd.DataFrame:
    """Compare the paper's two families at their published points, on each dataset."""
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


def published_bounds() -> pd.DataFrame:
    """Compare the printed bounds with the means of the three marginals in Figure 2."""
    points = published_tradeoff("points").set_index(["data", "family"])
    stars = published_tradeoff("figure")
    rows = []
    for bound, column in (("generalization", "error"), ("diversity", "kappa")):
        for (data, family), part in stars.groupby(["data", "family"], sort=False):
            read, printed = part[column].tolist(), points.loc[(data, family), f"{bound}_bound"]
            rows.append((data, family, f"{bound} bound", printed, *read, np.mean(read), printed - np.mean(read)))
    along = ["along_ssim", "along_zero_shot", "along_size"]
    return pd.DataFrame(rows, columns=["data", "family", "bound", "printed", *along, "mean", "difference"])


def largest_deviation(mean: ArrayLike, low: float = 0.0, high: float = 1.0) -> np.ndarray:
    """Return the largest standard deviation that numbers between two ends can have, given their mean."""
    means = np.asarray(mean, dtype=float)
    if not ((means >= low) & (means <= high)).all():
        raise ParameterError(f"mean must be in [{low:g}, {high:g}], got {mean!r}")
    return np.sqrt((high - means) * (means - low))
