"""What was found on one dataset, asked again of another: the same numbers beside each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.prose import span
from genexpy_nb.tradeoff.compare import family_differences, kappa_correlations
from genexpy_nb.tradeoff.point import tradeoff_point, tradeoff_points_by_seed, weight_sensitivity

Arrays = Mapping[str, Mapping[str, Mapping[str, xr.Dataset]]]

_SAME, _OTHER = 0.95, 0.9  # correlations from which on two are one measurement, and below which they are not


def repeated_findings(arrays: Arrays, zero_shot: float | None = None) -> pd.DataFrame:
    """Put the findings on the trade-off point of several datasets beside each other."""
    _check_datasets(arrays)
    found = {data: _findings(editions, zero_shot) for data, editions in arrays.items()}
    return pd.DataFrame(found).rename_axis("finding")


def finding_verdicts(arrays: Arrays, zero_shot: float | None = None) -> pd.DataFrame:
    """Say of each finding on the trade-off point on which datasets it was made, and whether it repeats."""
    _check_datasets(arrays)
    table = pd.DataFrame({data: _verdicts(editions, zero_shot) for data, editions in arrays.items()})
    said = table.apply(lambda column: column.str.split(":").str[0])

    def verdict(row: pd.Series) -> str:
        answers = set(row)
        if len(answers) == 1:
            return {"yes": "repeats", "no": "not found", "open": "open"}[answers.pop()]
        return "does not repeat" if {"yes", "no"} <= answers else "open"

    return table.assign(verdict=said.apply(verdict, axis=1)).rename_axis("finding")


def _check_datasets(arrays: Arrays) -> None:
    if not arrays:
        raise ParameterError("arrays must hold at least one dataset")
    for editions in arrays.values():
        families = next(iter(editions.values()))
        if len(families) < 2:
            raise ParameterError(f"arrays must hold at least two families for each dataset, got {list(families)}")


def _interval(row: Mapping[str, Any]) -> str:
    return "{estimate:+.3f} [{low:+.3f}, {high:+.3f}]".format(**row).replace("-", "−")


def _verdicts(editions: Mapping[str, Mapping[str, xr.Dataset]], zero_shot: float | None) -> dict[str, str]:
    name, first = next(iter(editions.items()))
    found = {}
    for edition, values in kappa_correlations(editions).iterrows():
        same = "yes" if values.min() >= _SAME else "no" if values.max() < _OTHER else "open"
        two = {"yes": "no", "no": "yes", "open": "open"}[same]
        question, answer = (
            (f"{edition} and the error are one measurement", same)
            if edition == "cohen"
            else (f"{edition} is another measurement than the error", two)
        )
        found[question] = f"{answer}: correlation {span(values)}"
    points = [tradeoff_point(array).ssim for array in first.values()]
    more = "yes" if _reach(first) > np.ptp(points) else "no"
    found[f"weights move a point further than families lie apart ({name})"] = (
        f"{more}: {_reach(first):.2f} and {np.ptp(points):.2f}"
    )
    one, other = list(first.values())[:2]
    difference = family_differences(one, other, zero_shot)
    clean, noisy = difference.iloc[-1], difference.iloc[0]
    sides = [np.sign(row["low"]) if row["low"] * row["high"] > 0 else 0.0 for row in (clean, noisy)]
    turns = "open" if 0.0 in sides else "yes" if sides[0] != sides[1] else "no"
    found["noise turns the order of the families"] = f"{turns}: {_interval(clean)} and {_interval(noisy)}"
    return found


def _reach(families: Mapping[str, xr.Dataset]) -> float:
    """How far equal weights move the point of a family at most."""
    tables = (weight_sensitivity(array, size_scales=["linear"]) for array in families.values())
    return float(max(np.ptp(table.query("varied == 'all'")["ssim"]) for table in tables))


def _findings(editions: Mapping[str, Mapping[str, xr.Dataset]], zero_shot: float | None) -> dict[str, str]:
    edition, first = next(iter(editions.items()))
    found = {f"error and {name} correlate at": span(values) for name, values in kappa_correlations(editions).iterrows()}
    points = {name: {f: tradeoff_point(a).ssim for f, a in of.items()} for name, of in editions.items()}
    by_edition = pd.DataFrame(points)
    found["edition moves a point by up to"] = f"{np.ptp(by_edition, axis=1).max():.2f}"
    found[f"weights move a point by up to ({edition})"] = f"{_reach(first):.2f}"
    for name, families in editions.items():
        spread = max(np.ptp(tradeoff_points_by_seed(array)["ssim"]) for array in families.values())
        found[f"seeds move a point by up to ({name})"] = f"{spread:.2f}"
    found[f"families lie apart by ({edition})"] = f"{np.ptp(by_edition.iloc[:, 0]):.2f}"
    one, other = list(first)[:2]
    for share in dict.fromkeys([None, zero_shot]):
        difference = family_differences(first[one], first[other], share)
        where = "mean over ZeroShot" if share is None else f"ZeroShot {share:.3g}"
        for name, row in (("cleanest", difference.iloc[-1]), ("noisiest", difference.iloc[0])):
            found[f"error, first minus second family, {name} images, {where}"] = _interval(row)
    return found
