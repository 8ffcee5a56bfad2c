"""What was found on one dataset, asked again of another: the same numbers beside each other."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import xarray as xr

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.prose import span
from genexpy_nb.tradeoff.compare import family_differences, kappa_correlations
from genexpy_nb.tradeoff.point import tradeoff_point, tradeoff_points_by_seed, weight_sensitivity

__all__ = ["repeated_findings"]


def repeated_findings(arrays: Mapping[str, Mapping[str, Mapping[str, xr.Dataset]]]) -> pd.DataFrame:
    """Put the findings on the trade-off point of several datasets beside each other.

    Parameters
    ----------
    arrays : mapping
        Data set -> edition of Kappa -> family -> array from `genexpy_nb.tradeoff.to_array`, with at least two seeds and
        two families, the same ones for each edition. What needs one edition uses the first.

    Returns
    -------
    DataFrame of str, a column per dataset
        Correlations of error and each edition of Kappa over the cells, from the smallest to the largest of the
        families; how far the SSIM at the point moves (weights 1, linear sizes) from one edition to another, with equal
        weights from .01 to 10, and from seed to seed, the largest of the families; how far the points of the families
        lie apart; the mean error of the first family minus that of the second one on the cleanest and on the noisiest
        images, with Student's interval.

    Raises
    ------
    ParameterError
        If there is no dataset, or fewer than two families.

    Examples
    --------
    >>> from genexpy_nb.datasets import load_tradeoff_cells
    >>> from genexpy_nb.tradeoff import to_array
    >>> families = {family: to_array(cells) for family, cells in load_tradeoff_cells().groupby("family")}
    >>> repeated_findings({"digits": {"cohen": families}}).loc["families lie apart by", "digits"]
    '0.00'
    """
    if not arrays:
        raise ParameterError("arrays must hold at least one dataset")
    return pd.DataFrame({data: _findings(editions) for data, editions in arrays.items()}).rename_axis("finding")


def _findings(editions: Mapping[str, Mapping[str, xr.Dataset]]) -> dict[str, str]:
    first = next(iter(editions.values()))
    if len(first) < 2:
        raise ParameterError(f"arrays must hold at least two families for each dataset, got {list(first)}")
    found = {
        f"error and {edition} correlate at": span(values) for edition, values in kappa_correlations(editions).iterrows()
    }
    points = {edition: {f: tradeoff_point(a).ssim for f, a in of.items()} for edition, of in editions.items()}
    by_edition = pd.DataFrame(points)
    found["edition moves a point by up to"] = f"{np.ptp(by_edition, axis=1).max():.2f}"
    reach = [
        np.ptp(weight_sensitivity(a, size_scales=["linear"]).query("varied == 'all'")["ssim"]) for a in first.values()
    ]
    found["weights move a point by up to"] = f"{max(reach):.2f}"
    found["seeds move a point by up to"] = (
        f"{max(np.ptp(tradeoff_points_by_seed(a)['ssim']) for a in first.values()):.2f}"
    )
    found["families lie apart by"] = f"{np.ptp(by_edition.iloc[:, 0]):.2f}"
    one, other = list(first)[:2]
    difference = family_differences(first[one], first[other])
    for name, row in (("cleanest", difference.iloc[-1]), ("noisiest", difference.iloc[0])):
        text = "{estimate:+.3f} [{low:+.3f}, {high:+.3f}]".format(**row)
        found[f"error, first minus second family, {name} images"] = text.replace("-", "−")
    return found
