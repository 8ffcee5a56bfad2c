"""What following a table costs on the next experiment: each experiment is left out once, and chosen for by the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import comb

from genexpy_nb.common.checks import check_count
from genexpy_nb.common.errors import StudyError
from genexpy_nb.conclusions.contenders import rows_of

#: Fewest experiments: one is left out, and the others are more than one.
MIN_EXPERIMENTS = 3
_WORST = 3
_MIXED = 30.0  # times as large are typical scores of some experiments as those of others
_LARGEST_SHARE = 1.5  # shares and errors up to 1 are on one scale, however small some are


def regret_of_table(
    scores: Any,
    top: int | Sequence[int] = (1, 2, 3),
    *,
    by: str = "rank",
    higher_is_better: bool = True,
    n_contenders: int = 0,
) -> pd.DataFrame:
    """Say what it costs to follow the table on an experiment that it does not hold; see `Study.regret`."""
    table = pd.DataFrame(scores)
    values = table.to_numpy(dtype=float)
    unlike = mixed_scales(values)
    rows = rows_of(values, by, higher_is_better)
    n, k = rows.shape
    if n < MIN_EXPERIMENTS or k < 2:
        raise StudyError(f"regret needs {MIN_EXPERIMENTS} experiments and two alternatives, got {n} and {k}")
    sizes = [check_count("top", size, 1, k) for size in np.atleast_1d(np.asarray(top, dtype=object))]
    few = n_contenders or k
    frame, regrets = _left_out(rows, rows, sizes, few)
    worth = rows_of(values, "score", higher_is_better)
    frame["score_regret"] = np.nan if unlike else _left_out(rows, worth, sizes, few)[0]["regret"]
    names = [label if not isinstance(label, tuple) else ", ".join(map(str, label)) for label in table.index]
    frame["worst"] = [_worst(regrets[:, column], names) for column in range(len(sizes))]
    if by == "rank" or not higher_is_better:
        frame["score"] *= -1
    frame.attrs |= {"by": by, "n_experiments": n, "mixed": unlike}
    frame.attrs["regrets"] = pd.DataFrame(regrets, names, sizes).rename_axis(columns="top")
    return frame


def _left_out(
    rows: np.ndarray, worth_of: np.ndarray, sizes: Sequence[int], few: int
) -> tuple[pd.DataFrame, np.ndarray]:
    """Choose by rows, each experiment left out in turn; return means of what that is worth, and all regrets."""
    n, k = rows.shape
    seen = ~np.isnan(rows)
    x = np.where(seen, rows, 0.0)
    counts = seen.sum(axis=0) - seen
    # not the sum of all less one: where that one has diverged, nothing is left of the others
    sums = np.array([x[:e].sum(axis=0) + x[e + 1 :].sum(axis=0) for e in range(n)])
    means = np.full(rows.shape, -np.inf)
    np.divide(sums, counts, out=means, where=seen & (counts > 0))
    # of equal scores also the means tie, to the last digits but one
    size, largest = np.sort(np.abs(x), axis=0)[-2:], np.abs(x).argmax(axis=0)
    best = np.nanmax(np.where(seen.any(axis=1, keepdims=True), worth_of, 0.0), axis=1)
    worth, lead, leaders = np.full((n, len(sizes)), np.nan), np.full(n, np.nan), set()
    drawn = np.full((n, 2), np.nan)  # at random: one of the first few, and of all
    for e in range(n):
        order = np.argsort(-means[e], kind="stable")[: int(np.isfinite(means[e]).sum())]
        if len(order) < 2:
            continue
        mean, here = means[e][order], worth_of[e][order]
        tiny = 1e-11 * np.where(largest == e, size[0], size[1])[order]
        for column, top in enumerate(sizes):
            worth[e, column] = _best_of(mean, here, min(top, len(order)), tiny)
        drawn[e] = [_mean_of(mean, here, min(size, len(order)), tiny) for size in (few, k)]
        first = _tied(mean, tiny, 0)
        leaders.add(tuple(np.sort(order[first])))
        second = here[_tied(mean, tiny, int(first.sum()))].mean() if not first.all() else np.nan
        lead[e] = 0.0 if first.sum() > 1 else here[first].mean() - second
    regrets = np.maximum(best[:, None] - worth, 0.0)
    used = ~np.isnan(regrets[:, 0])
    if not used.any():
        raise StudyError("regret needs an experiment with two alternatives that other experiments have, too")

    columns = {"score": worth[used].mean(axis=0), "regret": regrets[used].mean(axis=0)}
    columns["lead"] = np.where(np.array(sizes) == 1, lead[used].mean(), np.nan)
    frame = pd.DataFrame({"top": sizes} | columns)
    frame.attrs["unanimous"] = [*map(len, leaders)] == [1]
    of_contender, of_alternative = (best[:, None] - drawn)[used].mean(axis=0)
    return frame.assign(of_contender=of_contender, of_alternative=of_alternative), regrets


def _tied(mean: np.ndarray, tiny: np.ndarray, place: int) -> np.ndarray:
    """Return who shares a place; means are in order, and ``tiny`` is how sure each is."""
    return np.abs(mean - mean[place]) <= np.maximum(tiny, tiny[place])


def _mean_of(mean: np.ndarray, here: np.ndarray, size: int, tiny: np.ndarray) -> float:
    """Return the mean of the first ``size`` on an experiment; of those that share the last place, some are drawn."""
    ties = _tied(mean, tiny, size - 1)
    sure = here[:size][~ties[:size]]
    return float((sure.sum() + (size - len(sure)) * here[ties].mean()) / size)


def _best_of(mean: np.ndarray, here: np.ndarray, size: int, tiny: np.ndarray) -> float:
    """Return the best of the first ``size`` on an experiment; of those that share the last place, some are drawn."""
    ties = _tied(mean, tiny, size - 1)
    sure, tied = here[:size][~ties[:size]], np.sort(here[ties])[::-1]
    n_drawn, n_tied = size - len(sure), len(tied)
    # the best one drawn is the s-th of the tied ones
    chance = comb(n_tied - 1 - np.arange(n_tied), n_drawn - 1) / comb(n_tied, n_drawn)
    return float(chance @ np.maximum(tied, sure.max(initial=-np.inf)))


def _worst(regrets: np.ndarray, names: Sequence[Any]) -> str:
    """Name the experiments with the largest regrets, and these."""
    order = np.argsort(-np.nan_to_num(regrets), kind="stable")[:_WORST]
    return ", ".join(f"{names[e]} ({regrets[e]:.3g})" for e in order if regrets[e] > 0)


def mixed_scales(scores: np.ndarray) -> str:
    """Say why experiments seem to be on different scales, so that a mean over them means little; or nothing."""
    known = scores[~np.isnan(scores).all(axis=1)]
    if len(known) < MIN_EXPERIMENTS:
        return ""
    below, above = (np.nanmax(known, axis=1) < 0), (np.nanmin(known, axis=1) > 0)
    if below.any() and above.any():
        return f"all scores are below 0 in {below.sum():,} experiments, and above 0 in {above.sum():,}"
    typical = np.nanmedian(np.abs(known), axis=1)
    small, large = np.quantile(typical[typical > 0], [0.1, 0.9]) if (typical > 0).any() else (1.0, 1.0)
    if large > max(_MIXED * small, _LARGEST_SHARE):
        return f"typical scores of some experiments are {large / small:,.0f} times as large as those of others"
    return ""
