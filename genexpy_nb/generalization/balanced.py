"""The cells of a balanced design, in order; what is missing of it, and without which levels it is complete."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import listed
from genexpy_nb.common.errors import StudyError


def arrange(index: pd.MultiIndex, factors: Sequence[str], nested: bool) -> tuple[np.ndarray, list[int]]:
    """Return the order of the cells of a balanced design, and its sizes."""
    frame = index.to_frame(index=False)[list(factors)]
    if frame.duplicated().any():
        row = frame[frame.duplicated()].iloc[0]
        raise StudyError(f"two results have {_cell(row)}; average over what they differ by, or make it a factor")
    codes = pd.DataFrame({name: pd.factorize(frame[name])[0] for name in factors})
    if nested:
        for i in range(1, len(factors)):  # number the levels within each level of the factors before
            outer = list(factors[:i])
            codes[factors[i]] = codes.groupby(outer)[factors[i]].transform(lambda each: pd.factorize(each)[0])
    levels = [int(codes[name].max()) + 1 for name in factors]
    for name, count in zip(factors, levels, strict=True):
        if count < 2:
            raise StudyError(f"factor {name!r} has a single level; at least two are needed to see how levels differ")
    if len(frame) < prod(levels):
        raise StudyError(_what_is_missing(frame, codes, levels, nested))
    return np.lexsort([codes[name] for name in reversed(factors)]), levels


def _cell(row: pd.Series) -> str:
    return ", ".join(f"{name}={level!r}" for name, level in row.items())


def _what_is_missing(frame: pd.DataFrame, codes: pd.DataFrame, levels: Sequence[int], nested: bool) -> str:
    """Say which cells a design lacks, and what would complete it."""
    names = list(codes.columns)
    there = np.zeros(levels, dtype=bool)
    there[tuple(codes.to_numpy().T)] = True
    n_absent, n_cells = int((~there).sum()), there.size
    if nested:
        short = (~there).reshape(levels[0], -1).sum(axis=1)
        level = frame.loc[codes[names[0]] == int(short.argmax()), names[0]].iloc[0]
        return (
            f"{n_absent:,} of {n_cells:,} cells are missing: {' x '.join(names[1:])} has not the same number of levels "
            f"in each {names[0]}, the fewest in {names[0]}={level!r}; leave out levels until all have as many"
        )
    labels = {name: frame[name].drop_duplicates().tolist() for name in names}
    first = {name: labels[name][at] for name, at in zip(names, np.argwhere(~there)[0], strict=True)}
    left_out = [f"{name}={labels[name][at]!r}" for name, at in ((names[i], at) for i, at in _to_leave_out(there))]
    return (
        f"{n_absent:,} of {n_cells:,} cells of {' x '.join(names)} are missing, the first {_cell(pd.Series(first))}; "
        f"without {listed(left_out)} the design is complete"
    )


def _to_leave_out(there: np.ndarray) -> list[tuple[int, int]]:
    """Return levels, as (factor, level), without which no cell is missing: one that lacks the largest share, again."""
    kept = [np.arange(size) for size in there.shape]
    out = []
    while not there[np.ix_(*kept)].all():
        absent = ~there[np.ix_(*kept)]
        shares = [absent.mean(axis=tuple(j for j in range(absent.ndim) if j != i)) for i in range(absent.ndim)]
        factor = int(np.argmax([share.max() for share in shares]))
        worst = int(shares[factor].argmax())
        out.append((factor, int(kept[factor][worst])))
        kept[factor] = np.delete(kept[factor], worst)
    return out
