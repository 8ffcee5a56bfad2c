"""How often a complexity measure orders model sizes the other way round than their measured errors do.

The sign-error is 0 for the same order, 1 for the reverse, and 1/2 on average for no relation at all; it is
(1 - Kendall's tau_a) / 2. With the handful of sizes that there are, chance alone gives nearly any value, so everything
here comes with its exact distribution under the null hypothesis that the sizes are matched at random. Values that agree
to 12 significant digits are ties, as in `genexpy_nb.common.rankings`, and a tie counts 1/2.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from functools import lru_cache
from itertools import accumulate, permutations
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from genexpy_nb.common.checks import check_columns, check_level
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.rankings import round_significant

#: Name -> formula in words of the 26 measures of Dziugaite et al. (2020), most of them from Jiang et al. (2020), in the
#: order in which data/runs/complexity.py of the repository computes them, for any framework: docs/tradeoff_torch.md.
MEASURES: dict[str, str] = tomllib.loads(Path(__file__).with_name("complexity.toml").read_text(encoding="utf-8"))

#: Columns that tell one comparison of a target with the measures from another: which networks, which slice of the
#: array, which kind of noise, and how networks were trained for the test.
GROUPS = ("family", "slice", "noise", "training")

_LARGEST_COUNTED = 8  # sizes, with ties on both sides: 40,320 orders
_N_DRAWS = 100_000


# --- one measure ------------------------------------------------------------------------------------------------------


def sign_error(measure: ArrayLike, target: ArrayLike) -> float:
    """Share of the pairs of sizes that a measure orders differently from the target (Eq. 7), ties counting 1/2."""
    measure, target = _values("measure", measure), _values("target", target)
    return float(_from_score((_pair_signs(measure) * _pair_signs(target)).sum(), len(measure)))


def _values(name: str, values: ArrayLike) -> np.ndarray:
    try:
        values = np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{name} must be numbers, shape (..., n_sizes): {error}") from error
    if values.ndim == 0 or values.shape[-1] < 2:
        raise ParameterError(f"{name} must have at least two sizes, shape (..., n_sizes), got shape {values.shape}")
    return round_significant(values)


def _pair_signs(values: np.ndarray) -> np.ndarray:
    # Not the sign of the difference: inf - inf is no number.
    i, j = np.triu_indices(values.shape[-1], 1)
    a, b = values[..., i], values[..., j]
    return (b > a).astype(int) - (b < a)


def _from_score(score: Any, n_sizes: int) -> Any:
    """Turn concordant minus discordant pairs into the sign-error; one formula, so that equal is equal in every bit."""
    n_pairs = n_sizes * (n_sizes - 1) // 2
    return (n_pairs - score) / (2 * n_pairs)


# --- null hypothesis --------------------------------------------------------------------------------------------------


def null_distribution(target: ArrayLike | int, measure: ArrayLike | None = None) -> tuple[np.ndarray, tuple[int, ...]]:
    """Count the sign-errors of all permutations of the sizes: the values that there are, and how often each is."""
    groups = _tie_groups("target", target)
    return _null(groups, (1,) * sum(groups) if measure is None else _tie_groups("measure", measure))


def _tie_groups(name: str, values: ArrayLike | int) -> tuple[int, ...]:
    """Return the number of equal values, from the smallest value to the largest."""
    if isinstance(values, Integral):
        if values < 2:
            raise ParameterError(f"{name} must have at least two sizes, got {values}")
        return (1,) * int(values)
    values = _values(name, values)
    if values.ndim != 1 or np.isnan(values).any():
        raise ParameterError(f"{name} must be one value per size, none of them missing, got {values.tolist()}")
    return tuple(np.unique(values, return_counts=True)[1].tolist())


@lru_cache(maxsize=1024)
def _null(target: tuple[int, ...], measure: tuple[int, ...]) -> tuple[np.ndarray, tuple[int, ...]]:
    n = sum(target)
    if n != sum(measure):
        raise ParameterError(f"measure and target must have the same sizes, got {sum(measure)} and {n}")
    if max(target) == 1 or max(measure) == 1:
        scores = _scores_one_tied(target if max(measure) == 1 else measure)
    else:
        fixed, permuted = (np.repeat(np.arange(len(groups)), groups) for groups in (target, measure))
        if n <= _LARGEST_COUNTED:
            orders = np.array(list(permutations(permuted)))
        else:
            orders = np.random.default_rng(0).permuted(np.broadcast_to(permuted, (_N_DRAWS, n)), axis=1)
        scores = Counter((_pair_signs(orders) * _pair_signs(fixed)).sum(axis=1).tolist())
    ordered = sorted(scores, reverse=True)
    values = np.array([_from_score(score, n) for score in ordered])
    values.flags.writeable = False  # it is cached
    return values, tuple(scores[score] for score in ordered)


def _scores_one_tied(groups: tuple[int, ...]) -> dict[int, int]:
    """Count the permutations of a multiset by inversions: coefficients of the q-multinomial [n]! / prod [group]!."""
    ways, n = [1], 0
    for size in groups:
        for k in range(1, size + 1):
            n += 1
            ways += [0] * (n - k)
            for i in reversed(range(n, len(ways))):  # times (1 - q^n)
                ways[i] -= ways[i - n]
            for i in range(k, len(ways)):  # over (1 - q^k), without remainder
                ways[i] += ways[i - k]
    n_untied = len(ways) - 1
    return {n_untied - 2 * inversions: count for inversions, count in enumerate(ways)}


def null_band(target: ArrayLike | int, measure: ArrayLike | None = None, level: float = 0.05) -> tuple[float, float]:
    """Return the sign-errors from which on a measure is significantly related to the target, two-sided.

    Parameters
    ----------
    target, measure
        Values per size, or their number if nothing ties.
    level : float
        Of the test, in (0, 1); half of it for each side.

    Returns
    -------
    (float, float)
        The largest sign-error at the lower end, and the smallest at the upper end. NaN where there is none.

    Examples
    --------
    >>> for n_sizes in (4, 5, 8):
    ...     print(n_sizes, *np.round(null_band(n_sizes), 3))
    4 nan nan
    5 0.0 1.0
    8 0.179 0.821
    """
    check_level("level", level)
    values, counts = null_distribution(target, measure)
    total = sum(counts)
    at_most, at_least = (np.array([count / total for count in accumulate(c)]) for c in (counts, counts[::-1]))
    low, high = values[at_most <= level / 2], values[at_least[::-1] <= level / 2]
    return float(low[-1]) if len(low) else np.nan, float(high[0]) if len(high) else np.nan


def chance_beyond(target: ArrayLike | int, measure: ArrayLike | None = None, level: float = 0.05) -> float:
    """Return the share of all orders of the sizes whose sign-error lies at an end of `null_band`, or beyond it."""
    values, counts = null_distribution(target, measure)
    low, high = null_band(target, measure, level)
    return sum(n for value, n in zip(values, counts, strict=True) if value <= low or value >= high) / sum(counts)


# --- tables -----------------------------------------------------------------------------------------------------------


def sign_error_table(measures: pd.DataFrame, target: pd.DataFrame, level: float = 0.05) -> pd.DataFrame:
    """Compute the sign-error of every measure, with the band that chance gives."""
    check_level("level", level)
    measures = _checked("measures", measures, ["size", "measure"], "value", ["family", "seed"])
    target = _checked("target", target, ["size"], "estimate", [*GROUPS, "seed"])
    shared = [key for key in ("family", "seed") if key in measures and key in target]
    for (name, table), (other, there) in permutations({"measures": measures, "target": target}.items()):
        known = set(there[["size", *shared]].itertuples(index=False, name=None))
        for row in table[["size", *shared]].drop_duplicates().itertuples(index=False, name=None):
            if row not in known:
                raise StudyError(f"{other} has no row for {_named(['size', *shared], row)} of {name}")
    pairs = measures.merge(target, on=["size", *shared])

    keys = [key for key in (*GROUPS, "seed") if key in pairs]
    families = measures.groupby("family", sort=False, observed=True) if "family" in measures else [(None, measures)]
    groups = {family: measure_groups(frame) for family, frame in families}
    rows = []
    for key, frame in pairs.groupby([*keys, "measure"], sort=False, observed=True):
        row = dict(zip([*keys, "measure"], key, strict=True))
        known = frame[["value", "estimate"]].dropna().to_numpy().T
        found = (np.nan,) * 4
        if known.shape[1] >= 2:
            given = (known[1], known[0], level)
            found = (sign_error(*known), *null_band(*given), chance_beyond(*given))
        row |= dict(zip(("sign_error", "band_low", "band_high", "by_chance"), found, strict=True))
        group = groups[row["family"] if "family" in measures else None][row["measure"]]
        rows.append(row | {"n_sizes": known.shape[1], "group": group})
    return pd.DataFrame(rows)


def _checked(name: str, table: pd.DataFrame, keys: list[str], number: str, optional: list[str]) -> pd.DataFrame:
    """Return the columns that are needed, and the optional ones that there are, with the numbers as floats."""
    check_columns(table, [*keys, number], name)
    keys = [*keys, *(column for column in optional if column in table)]
    table = table[[*keys, number]]
    try:
        table = table.assign(**{number: table[number].to_numpy(dtype=float, na_value=np.nan)})
    except (TypeError, ValueError) as error:
        raise StudyError(f"{name}: column {number!r} must be numbers: {error}") from error
    if not len(table):
        raise StudyError(f"{name} has no rows")
    if table[keys].isna().any(axis=None):
        column = next(column for column in keys if table[column].isna().any())
        raise StudyError(f"{name}: column {column!r} must not have missing values")
    for twice in table.loc[table.duplicated(keys), keys].itertuples(index=False, name=None):
        raise StudyError(f"{name} has two rows for {_named(keys, twice)}")
    return table


def _named(keys: list[str], row: tuple[Any, ...]) -> str:
    return ", ".join(f"{key} {value!r}" for key, value in zip(keys, row, strict=True))


def measure_groups(measures: pd.DataFrame) -> pd.Series:
    """Group the measures that rank the sizes identically: they are one measure, counted several times."""
    measures = _checked("measures", measures, ["size", "measure"], "value", ["family", "seed"])
    networks = [key for key in ("family", "seed") if key in measures]
    wide = measures.assign(value=round_significant(measures["value"]))
    wide = wide.pivot(index=[*networks, "size"], columns="measure", values="value")
    ranks = wide.groupby(networks, observed=True).rank("dense") if networks else wide.rank(method="dense")
    ranks = ranks.fillna(0)  # a missing value is like another missing one only
    first: dict[tuple[float, ...], Any] = {}
    names = measures["measure"].drop_duplicates()
    return pd.Series([first.setdefault(tuple(ranks[name]), name) for name in names], index=names, name="group")
