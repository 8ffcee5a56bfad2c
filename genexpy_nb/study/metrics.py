"""Whether the target of a study is one metric in some rows and another one in others."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import listed

_ROWS = 50_000  # looked at, at most: whether columns are equal shows in fewer
_PART = 0.1  # share of the rows in which the target must be one of the metrics, for it to count
_WHOLE = 0.9  # share of the rows that the metrics must explain together


def mixed_metrics(results: pd.DataFrame, target: str, positions: np.ndarray, roles: Collection[str]) -> list[str]:
    """Say whether the target equals one column of numbers in some rows and another one in the others."""
    rows = positions[:: max(1, len(positions) // _ROWS)]
    numbers = [
        column
        for column in results.columns
        if column not in roles and pd.api.types.is_float_dtype(results[column].dtype)
    ]
    if len(numbers) < 2 or not pd.api.types.is_float_dtype(results[target].dtype):
        return []
    scores = results[target].iloc[rows].to_numpy(float, na_value=np.nan)
    scored = ~np.isnan(scores)
    scores = scores[scored]
    left = np.ones(len(scores), dtype=bool)
    parts = []
    for column in numbers:
        equal = results[column].iloc[rows].to_numpy(float, na_value=np.nan)[scored] == scores
        if _PART <= equal.mean() < _WHOLE and (equal & left).mean() >= _PART:
            parts.append(f"{column!r} in {100 * equal.mean():.0f} %")
            left &= ~equal
    if len(parts) < 2 or left.mean() > 1 - _WHOLE:
        return []
    parts[0] += " of the rows"
    return [
        f"target {target!r} equals {listed(parts[:-1])} and {parts[-1]}: it holds several metrics, and one direction "
        "may not fit them all; take a column with one metric or one direction, or the rows of one metric with fixed="
    ]
