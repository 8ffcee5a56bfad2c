"""Percentiles of sign-errors: three readings of the paper's "percentile", each beside what chance gives.

The paper looks at percentiles among the sign-errors of its Figure 3, the best tenth of them, and takes a percentile
above .3, and all the more one above .5, for a sign that the measures cannot be relied on. Its text does not say over
what the percentile is taken:

1. over the **classes**: the error that a measure should predict is not the mean over the classes of a cell but their
   10th percentile. That is an ordinary sign-error with another target: ``slice_marginal(array, which, "error_p10")``.
2. over the **levels** of a slice: a measure has one sign-error at each of them, and the percentile is over these
   (`percentile_sign_errors`, of `slice_cases`).
3. over the **measures** of a figure: a tenth of them has a smaller sign-error. `chance_percentile` says where that
   percentile lies if the measures say nothing.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pandas as pd
import xarray as xr
from scipy.stats import rankdata

from genexpy_nb.common.checks import check_choice, check_columns, check_level, check_number
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.tradeoff.array import STATISTICS, check_array
from genexpy_nb.tradeoff.signerror import GROUPS, measure_groups, null_distribution, sign_error
from genexpy_nb.tradeoff.verdicts import averaged_sign_errors

_LARGEST_COUNTED = 8  # sizes: 40,320 arrangements
_N_DRAWS = 40_000


def chance_percentile(n_sizes: int, percentile: float = 10) -> float:
    """Return a percentile of the sign-errors of measures that say nothing."""
    check_number("percentile", percentile, 0, 100)
    null = null_distribution(n_sizes)
    return float(null.values[np.searchsorted(null.lower_tail, percentile / 100 - 1e-12)])


def slice_cases(array: xr.Dataset, slice: str = "ssim", statistic: str = "error_mean") -> pd.DataFrame:
    """Return a statistic per model size and level of one slice of the array: what `slice_marginal` averages over."""
    check_choice("slice", slice, ("ssim", "zero_shot"))
    check_choice("statistic", statistic, STATISTICS)
    check_array(array)
    over = "zero_shot" if slice == "ssim" else "ssim"
    if slice == "zero_shot" and 0.0 not in array["zero_shot"]:
        raise ParameterError("array has no slice zero_shot = 0")
    chosen = array[statistic].isel(ssim=-1) if slice == "ssim" else array[statistic].sel(zero_shot=0.0)
    chosen = chosen.drop_vars(slice)
    if "seed" not in chosen.dims:
        chosen = chosen.expand_dims(seed=[0])
    table = chosen.transpose("seed", over, "size").to_dataframe("estimate").reset_index()
    table.insert(0, "slice", slice)
    return table.rename(columns={over: "case"})


def percentile_sign_errors(
    measures: pd.DataFrame, cases: pd.DataFrame, percentile: float = 10, level: float = 0.05
) -> pd.DataFrame:
    """Compute the sign-error of every measure in every case, and a percentile over the cases."""
    check_number("percentile", percentile, 0, 100)
    check_level("level", level)
    check_columns(measures, ("size", "measure", "value"), "measures")
    check_columns(cases, ("size", "case", "estimate"), "cases")
    keys = [name for name in GROUPS if name in cases]
    shared = [name for name in ("family",) if name in cases and name in measures]
    value = measures.groupby([*shared, "measure", "size"], sort=False, observed=True)["value"].median()
    mean = cases.groupby([*keys, "case", "size"], sort=False, observed=True)["estimate"].mean()
    medians = value.rename("value").reset_index()
    groups = {key: measure_groups(part) for key, part in medians.groupby(shared, observed=True)} if shared else {}
    rows = []
    for key, part in (
        mean.reset_index().groupby(keys, sort=False, observed=True) if keys else [((), mean.reset_index())]
    ):
        targets = part.pivot(index="case", columns="size", values="estimate").dropna()
        where = dict(zip(keys, key, strict=True))
        family = tuple(where[name] for name in shared)
        known = value.xs(family, level=shared) if shared else value
        nulls: dict[tuple[float, ...], np.ndarray] = {}
        for measure, values in known.groupby("measure", sort=False, observed=True):
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
            group = (groups[family] if shared else measure_groups(medians))[measure]
            rows.append(
                where
                | {"measure": measure, "estimate": float(found)}
                | _against(float(found), nulls[ties], level)
                | {"n_cases": len(targets), "n_sizes": len(of_size), "exact": len(of_size) <= _LARGEST_COUNTED}
                | {"group": group}
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
