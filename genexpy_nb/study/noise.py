"""How much of what a study measured is noise of single runs: seeds, folds and the like, over which scores are averaged.

Pure arithmetic on rows of scores; `genexpy_nb.study.stability.Stability.noise` asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

#: Columns of `spreads`.
SPREADS = ("n_experiments", "n_runs", "fewest_runs", "most_runs", "sd_runs", "sd_conditions", "share_of_variance")

_KNOWN = 1e-12  # scores are known to 12 digits: what differs by less, is the same


def spreads(
    scores: np.ndarray, experiment: np.ndarray, alternative: np.ndarray, n_alternatives: int, largest: np.ndarray
) -> pd.DataFrame:
    """Estimate for each alternative how far single runs, and experiments, differ."""
    order = np.lexsort([scores, experiment, alternative])  # the last digits of a sum depend on the order of its terms
    x, cell = scores[order], np.column_stack([alternative, experiment])[order]
    starts = np.flatnonzero(np.r_[True, (cell[1:] != cell[:-1]).any(axis=1)][: len(x)])
    counts = np.diff(np.r_[starts, len(x)])
    of = cell[starts, 0]

    def total(values: np.ndarray | None = None) -> np.ndarray:
        return np.bincount(of, values, minlength=n_alternatives)

    means = np.add.reduceat(x, starts) / counts if len(x) else np.zeros(0)
    squares = np.add.reduceat((x - np.repeat(means, counts)) ** 2, starts) if len(x) else np.zeros(0)
    n, tiny = total(), (_KNOWN * largest) ** 2
    with np.errstate(invalid="ignore", divide="ignore"):
        of_runs = _above(total(squares) / total(counts - 1.0), tiny)
        grand = total(means) / n
        of_experiments = _above(total((means - grand[of]) ** 2) / np.where(n > 1, n - 1, np.nan), tiny)
        due = of_runs * total(1 / counts) / n
        share = np.minimum(due / of_experiments, 1.0)
    fewest, most = np.full(n_alternatives, np.iinfo(np.int64).max), np.zeros(n_alternatives, dtype=np.int64)
    np.minimum.at(fewest, of, counts)
    np.maximum.at(most, of, counts)
    columns = (n, total(counts).astype(int), np.minimum(fewest, most), most)
    return pd.DataFrame(
        dict(zip(SPREADS, (*columns, np.sqrt(of_runs), np.sqrt(of_experiments), share), strict=True)),
    )


def _above(variance: np.ndarray, tiny: np.ndarray) -> np.ndarray:
    return np.where(variance <= tiny, 0.0, variance)


def matched_differences(
    scores: np.ndarray, experiment: np.ndarray, run: np.ndarray, alternative: np.ndarray, reference: int
) -> tuple[np.ndarray, np.ndarray]:
    """Subtract from each score that of the reference in the same run of the same experiment."""
    key = experiment.astype(np.int64) * (int(run.max(initial=0)) + 1) + run
    own = np.flatnonzero(alternative == reference)
    own = own[np.argsort(key[own], kind="stable")]
    if not len(own):
        return np.zeros(0), np.zeros(0, dtype=int)
    place = np.minimum(np.searchsorted(key[own], key), len(own) - 1)
    rows = np.flatnonzero(key[own][place] == key)
    return scores[rows] - scores[own[place[rows]]], rows


def complete_runs(
    scores: np.ndarray,
    experiment: np.ndarray,
    run: np.ndarray,
    alternative: np.ndarray,
    shape: tuple[int, int],
) -> Iterator[np.ndarray]:
    """Yield the table of each run that has a score wherever any run has one."""
    n_cells = len(np.unique(experiment.astype(np.int64) * shape[1] + alternative))
    order = np.argsort(run, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(run[order])) + 1):
        if len(rows) == n_cells:
            table = np.full(shape, np.nan)
            table[experiment[rows], alternative[rows]] = scores[rows]
            yield table
