"""What notebook 07 needs: published points, findings on several datasets, three readings of a percentile."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike
from scipy.stats import rankdata

from genexpy_nb.common.errors import StudyError
from genexpy_nb.common.prose import span
from genexpy_nb.tradeoff.compare import family_differences, kappa_correlations
from genexpy_nb.tradeoff.point import tradeoff_point, tradeoff_points_by_seed, weight_sensitivity
from genexpy_nb.tradeoff.signerror import GROUPS, measure_groups, null_distribution, sign_error, sign_error_table

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


def published_tradeoff(table: str) -> pd.DataFrame:
    """Return what the paper prints."""
    return _TABLES[table].copy()


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
    return np.sqrt((high - means) * (means - low))


Arrays = Mapping[str, Mapping[str, Mapping[str, xr.Dataset]]]


_SAME, _OTHER = 0.95, 0.9  # correlations from which on two are one measurement, and below which they are not


def repeated_findings(arrays: Arrays, zero_shot: float | None = None, confidence: float = 0.95) -> pd.DataFrame:
    """Put the findings on the trade-off point of several datasets beside each other."""
    found = {data: _findings(editions, zero_shot, confidence) for data, editions in arrays.items()}
    return pd.DataFrame(found).rename_axis("finding")


def finding_verdicts(arrays: Arrays, zero_shot: float | None = None, confidence: float = 0.95) -> pd.DataFrame:
    """Say of each finding on the trade-off point on which datasets it was made, and whether it repeats."""
    table = pd.DataFrame({data: _verdicts(editions, zero_shot, confidence) for data, editions in arrays.items()})
    said = table.apply(lambda column: column.str.split(":").str[0])

    def verdict(row: pd.Series) -> str:
        answers = set(row)
        if len(answers) == 1:
            return {"yes": "repeats", "no": "not found", "open": "open"}[answers.pop()]
        return "does not repeat" if {"yes", "no"} <= answers else "open"

    return table.assign(verdict=said.apply(verdict, axis=1)).rename_axis("finding")


def _interval(row: Mapping[str, Any]) -> str:
    return "{estimate:+.3f} [{low:+.3f}, {high:+.3f}]".format(**row).replace("-", "−")


def _verdicts(
    editions: Mapping[str, Mapping[str, xr.Dataset]], zero_shot: float | None, confidence: float
) -> dict[str, str]:
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
    difference = family_differences(one, other, zero_shot, confidence=confidence)
    clean, noisy = difference.iloc[-1], difference.iloc[0]
    sides = [np.sign(row["low"]) if row["low"] * row["high"] > 0 else 0.0 for row in (clean, noisy)]
    turns = "open" if 0.0 in sides else "yes" if sides[0] != sides[1] else "no"
    found["noise turns the order of the families"] = f"{turns}: {_interval(clean)} and {_interval(noisy)}"
    return found


def _reach(families: Mapping[str, xr.Dataset]) -> float:
    """How far equal weights move the point of a family at most."""
    tables = (weight_sensitivity(array, size_scales=["linear"]) for array in families.values())
    return float(max(np.ptp(table.query("varied == 'all'")["ssim"]) for table in tables))


def _findings(
    editions: Mapping[str, Mapping[str, xr.Dataset]], zero_shot: float | None, confidence: float
) -> dict[str, str]:
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
        difference = family_differences(first[one], first[other], share, confidence=confidence)
        where = "mean over ZeroShot" if share is None else f"ZeroShot {share:.3g}"
        for name, row in (("cleanest", difference.iloc[-1]), ("noisiest", difference.iloc[0])):
            found[f"error, first minus second family, {name} images, {where}"] = _interval(row)
    return found


#: What the sign-error of a measure can say: at the lower end of the band of chance or below it, at the upper end or
#: above it, or between them.
VERDICTS = ("right", "reversed", "like chance")


def averaged_sign_errors(measures: pd.DataFrame, target: pd.DataFrame, level: float = 0.05) -> pd.DataFrame:
    """Compute one sign-error per measure, of what is averaged over the seeds."""
    of_measures = [name for name in ("family", "size", "measure") if name in measures]
    of_target = [name for name in (*GROUPS, "size") if name in target]
    table = sign_error_table(
        measures.groupby(of_measures, as_index=False, sort=False, observed=True)["value"].median(),
        target.groupby(of_target, as_index=False, sort=False, observed=True)["estimate"].mean(),
        level,
    )
    error, (right, upside_down, chance) = table["sign_error"], VERDICTS
    verdict = pd.Series(chance, index=table.index, dtype=object)
    verdict = verdict.mask(error <= table["band_low"], right).mask(error >= table["band_high"], upside_down)
    return table.assign(verdict=verdict.where(error.notna()))


def count_verdicts(table: pd.DataFrame) -> pd.DataFrame:
    """Count the verdicts of each family and slice; measures that order all sizes alike count once."""
    where = [name for name in GROUPS if name in table]
    once = table.drop_duplicates([*where, "group"])
    counts = once.groupby(where)["verdict"].value_counts().unstack(fill_value=0)
    counts.insert(0, "measures", once.groupby(where).size())
    counts.insert(1, "above 1/2", (once["sign_error"] > 0.5).groupby([once[name] for name in where]).sum())
    return counts.reindex(columns=["measures", "above 1/2", *VERDICTS], fill_value=0).rename_axis(columns=None)


_LARGEST_COUNTED = 8  # sizes: 40,320 arrangements


_N_DRAWS = 40_000


def chance_percentile(n_sizes: int) -> float:
    """Return the 10th percentile of the sign-errors of measures that say nothing."""
    null = null_distribution(n_sizes)
    return float(null.values[np.searchsorted(null.lower_tail, 0.1 - 1e-12)])


def slice_cases(array: xr.Dataset, slice: str = "ssim") -> pd.DataFrame:
    """Return the mean error per model size and level of one slice of the array: what `slice_marginal` averages over."""
    over = "zero_shot" if slice == "ssim" else "ssim"
    error = array["error_mean"]
    chosen = error.isel(ssim=-1) if slice == "ssim" else error.sel(zero_shot=0.0)
    chosen = chosen.drop_vars(slice)
    if "seed" not in chosen.dims:
        chosen = chosen.expand_dims(seed=[0])
    table = chosen.transpose("seed", over, "size").to_dataframe("estimate").reset_index()
    table.insert(0, "slice", slice)
    return table.rename(columns={over: "case"})


def percentile_sign_errors(
    measures: pd.DataFrame, cases: pd.DataFrame, percentile: float = 10, level: float = 0.05
) -> pd.DataFrame:
    """Compute the sign-error of every measure of a family in every case, and a percentile over the cases."""
    keys = [name for name in GROUPS if name in cases]
    value = measures.groupby(["family", "measure", "size"], sort=False, observed=True)["value"].median()
    mean = cases.groupby([*keys, "case", "size"], sort=False, observed=True)["estimate"].mean()
    medians = value.rename("value").reset_index()
    groups = {key: measure_groups(part) for key, part in medians.groupby("family", observed=True)}
    rows = []
    for key, part in mean.reset_index().groupby(keys, sort=False, observed=True):
        targets = part.pivot(index="case", columns="size", values="estimate").dropna()
        where = dict(zip(keys, key, strict=True))
        nulls: dict[tuple[float, ...], np.ndarray] = {}
        for measure, values in value[where["family"]].groupby("measure", sort=False, observed=True):
            of_size = values.droplevel("measure").reindex(targets.columns)
            if of_size.isna().any() or not len(targets) or len(of_size) < 2:
                absent = set(targets.columns) - set(values.droplevel("measure").index)
                if absent:
                    raise StudyError(f"measures has no row for {measure!r}, size {min(absent):g} of cases")
                continue
            ranks = rankdata(of_size, "dense")
            errors = sign_error(of_size.to_numpy(), targets.to_numpy())
            found = _rounded(np.percentile(errors, percentile))
            ties = tuple(np.sort(ranks))
            if ties not in nulls:  # the same for all measures without ties
                nulls[ties] = _null(np.array(ties), targets.to_numpy(), percentile)
            rows.append(
                where
                | {"measure": measure, "estimate": float(found)}
                | _against(float(found), nulls[ties], level)
                | {"n_cases": len(targets), "n_sizes": len(of_size), "exact": len(of_size) <= _LARGEST_COUNTED}
                | {"group": groups[where["family"]][measure]}
            )
    return pd.DataFrame(rows)


def percentile_readings(
    measures: pd.DataFrame, target: pd.DataFrame, cases: pd.DataFrame, tenths: pd.DataFrame
) -> pd.DataFrame:
    """Put the three readings of the paper's percentile beside each other; measures with one order count once."""
    where = ["family", "slice"]
    over_levels, over_classes, mean = (
        table.drop_duplicates([*where, "group"]).set_index(where)
        for table in (
            percentile_sign_errors(measures, cases),
            averaged_sign_errors(measures, tenths),
            averaged_sign_errors(measures, target),
        )
    )

    def count(condition: pd.Series) -> pd.Series:
        return condition.groupby(where, sort=False).sum()

    by_place = over_levels.groupby(where, sort=False)
    return pd.DataFrame(
        {
            "measures": by_place.size(),
            "levels above .3": count(over_levels["estimate"] > 0.3),
            "levels above 1/2": count(over_levels["estimate"] > 0.5),
            "levels by chance": by_place["chance"].mean(),
            "levels beyond chance": count(over_levels["p"] <= 0.05),
            "classes above 1/2": count(over_classes["sign_error"] > 0.5),
            "over measures": mean.groupby(where, sort=False)["sign_error"].quantile(0.1),
            "over measures by chance": by_place["n_sizes"].first().map(chance_percentile),
        }
    )


def _rounded(values: np.ndarray) -> np.ndarray:
    return np.round(values, 9)  # interpolation leaves last bits, and equal must be equal


def _null(ranks: np.ndarray, targets: np.ndarray, percentile: float) -> np.ndarray:
    """Return the percentile for arrangements of the sizes, ascending."""
    if len(ranks) <= _LARGEST_COUNTED:
        arranged = np.array(list(permutations(ranks)))
    else:
        arranged = np.random.default_rng(0).permuted(np.tile(ranks, (_N_DRAWS, 1)), axis=1)
    errors = np.array([sign_error(arranged, target) for target in targets])
    return np.sort(_rounded(np.percentile(errors, percentile, axis=0)))


def _against(found: float, null: np.ndarray, level: float) -> dict[str, float]:
    n = len(null)
    values = np.unique(null)
    below = np.searchsorted(null, values, "right") / n
    above = 1 - np.searchsorted(null, values, "left") / n
    tails = np.searchsorted(null, found, "right") / n, 1 - np.searchsorted(null, found, "left") / n
    low, high = values[below <= level / 2], values[above <= level / 2]
    return {
        "p": float(min(1.0, 2 * min(tails))),
        "chance": float(null.mean()),
        "band_low": float(low[-1]) if len(low) else np.nan,
        "band_high": float(high[0]) if len(high) else np.nan,
    }
