"""How the effect differs between systems: its distribution, and the variables that change it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from genexpy_nb.causal.rounding import RESOLUTION, negligible, squares_or_zero
from genexpy_nb.causal.runs import NO_LEVEL, Runs, as_level, effects_of_pairs, effects_of_systems
from genexpy_nb.common.errors import ParameterError


@dataclass(frozen=True)
class Heterogeneity:
    """Result of `heterogeneity`, which says what is in it."""

    mean: float
    sd: float
    share_opposite: float
    sd_systems: float
    n_systems: int


def heterogeneity(runs: Runs, loss: str | None = None) -> Heterogeneity:
    """Describe how the individual effects are distributed.

    Parameters
    ----------
    runs : Runs
        Paired. Only with several compositions per system can differences between systems be told from noise.
    loss : str, optional

    Returns
    -------
    Heterogeneity
        ``mean`` and ``sd`` of the measured effects; ``share_opposite`` of systems whose measured effect has the other
        sign than the mean; ``sd_systems``, without the noise of finite test sets and of the compositions, NaN with a
        single composition per system; ``n_systems``.
    """
    pairs = effects_of_pairs(runs, loss)
    effects = effects_of_systems(pairs)
    values = np.where(negligible(effects["effect"], effects["size"]), 0.0, effects["effect"])
    mean = float(values.mean())
    sd_systems = np.nan
    if effects["n_compositions"].max() > 1:
        crossed = runs.compositions == "shared"
        place = pairs["composition"] if crossed else pairs.groupby("system").cumcount()
        table = pairs.assign(place=place).pivot(index="system", columns="place", values="effect")
        sd_systems = float(np.sqrt(variance_of_systems(table.to_numpy(), crossed, float(pairs["size"].max()))))
    return Heterogeneity(
        mean=mean,
        sd=float(values.std(ddof=1)),
        share_opposite=float(np.mean(values * mean < 0)),
        sd_systems=sd_systems,
        n_systems=len(values),
    )


def variance_of_systems(x: np.ndarray, crossed: bool, size: float) -> float:
    """Estimate the variance between systems of effects, shape (n_systems, n_compositions), from mean squares."""
    s, c = x.shape
    if min(s, c) < 2 or not np.isfinite(x).all():
        raise ParameterError(f"values must be finite, at least two systems by two compositions, got shape {x.shape}")
    rows, columns, mean = x.mean(axis=1), x.mean(axis=0), x.mean()
    between = squares_or_zero(c * np.sum((rows - mean) ** 2) / (s - 1), size)
    if crossed:
        rest = squares_or_zero(np.sum((x - rows[:, None] - columns + mean) ** 2) / ((s - 1) * (c - 1)), size)
    else:
        rest = squares_or_zero(np.sum((x - rows[:, None]) ** 2) / (s * (c - 1)), size)
    return (between - rest) / c if between - rest > RESOLUTION * between else 0.0


def moderators(runs: Runs, loss: str | None = None) -> pd.DataFrame:
    """Say which variables of a system change the effect: analysis of variance of the individual effects.

    Parameters
    ----------
    runs : Runs
        Paired.
    loss : str, optional

    Returns
    -------
    DataFrame
        ``variable``, ``n_levels``, ``share`` (of the variance of the effects, given the other variables); largest share
        first. Variables that do not vary or that the others determine are left out, ``attrs["left_out"]``. No row if
        all effects are the same.

    Notes
    -----
    Type II sums of squares (Langsrud 2003), main effects only: a variable is looked at given all others but those
    nested in it. A variable that only some systems have is nested in the variable that says which.
    """
    effects = effects_of_systems(effects_of_pairs(runs, loss))
    y, size = effects["effect"].to_numpy(), float(effects["size"].max())
    systems = effects[["system"]].merge(runs.systems(), on="system", how="left")[list(runs.variables)]
    columns, left_out = _dummies(systems)
    vary = columns and not negligible(np.ptp(y), size)
    result = pd.DataFrame(_type_two(y, systems, columns) if vary else [], columns=["variable", "n_levels", "share"])
    result = result.sort_values("share", ascending=False, kind="stable", ignore_index=True)
    result.attrs["left_out"] = left_out
    return result


def _type_two(y: np.ndarray, systems: pd.DataFrame, columns: dict[str, np.ndarray]) -> list[tuple]:
    """Return variable, number of levels and share of the variance: type II, main effects."""
    from statsmodels.regression.linear_model import OLS  # many modules, half a second

    def residual(kept: Sequence[str]) -> float:
        return float(OLS(y, np.hstack([np.ones((len(y), 1)), *(columns[name] for name in kept)])).fit(method="qr").ssr)

    total = residual([])
    rows = []
    for name, dummies in columns.items():
        others = [other for other in columns if other != name and not _nested(systems, other, name)]
        gain = max(residual(others) - residual([*others, name]), 0.0)
        rows.append((name, dummies.shape[1] + 1, gain / total))
    return rows


def _dummies(systems: pd.DataFrame) -> tuple[dict[str, np.ndarray], list[str]]:
    """Return dummy columns of each variable, without variables that do not vary or that earlier ones determine."""
    partial = {name: bool(systems[name].isna().any()) for name in systems}
    columns: dict[str, np.ndarray] = {}
    left_out, matrix = [], np.ones((len(systems), 1))
    for name in sorted(systems, key=partial.__getitem__):  # nested ones come after those that they are nested in
        levels = systems[name].map(as_level)
        dummies = pd.get_dummies(levels).drop(columns=NO_LEVEL, errors="ignore").to_numpy(float)[:, 1:]
        wider = np.hstack([matrix, dummies])
        if dummies.shape[1] and np.linalg.matrix_rank(wider) == wider.shape[1] < len(systems):
            columns[name], matrix = dummies, wider
        else:
            left_out.append(name)
    return columns, left_out


def _nested(systems: pd.DataFrame, inner: str, outer: str) -> bool:
    """Whether the outer variable says which systems have the inner one."""
    missing = systems[inner].isna()
    if not missing.any() or systems[outer].isna().any():
        return False
    return bool((missing.groupby(systems[outer].map(as_level)).nunique() == 1).all())
