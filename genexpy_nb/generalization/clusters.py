"""Related experiments in clusters: their mean embeddings, and how many independent experiments they are worth.

Datasets that were cut from one table, or tasks of one domain, are alike: a study of 34 of them in 12 domains is not
one of 34 independent experiments. Let ``phi_ij`` be the result of condition j of cluster i in the kernel's feature
space. Clusters are drawn independently, and conditions independently within a cluster:

    phi_ij = mean + a_i + e_ij,     V_B = E |a_i|^2,     V_W = E |e_ij|^2.

Then the cluster is the experiment, its result the mean of the ``phi_ij``, and the Gram matrix of these results the mean
of each block of the Gram matrix of conditions: generalizability and n* follow from it as from any other one. They are
about studies with clusters of the sizes that were seen.

The components are those of the one-way analysis of variance, whose sums of squares are sums of kernel values. With k
clusters of m_1, ..., m_k conditions, N in all,

    MS_B = (sum_i G_ii / m_i - sum_ij G_ij / N) / (k - 1),
    MS_W = (sum_ij k(x_ij, x_ij) - sum_i G_ii / m_i) / (N - k),
    V_B = (MS_B - MS_W) / n0,    V_W = MS_W,    n0 = (N - sum_i m_i^2 / N) / (k - 1),

where ``G_ij`` is the sum of the block of clusters i and j (Searle, Casella and McCulloch, Variance Components, 1992,
Section 3.6, for numbers). The intra-cluster correlation is ``icc = V_B / (V_B + V_W)``. A cluster of m conditions is
worth ``m / (1 + (m - 1) icc)`` independent experiments (Kish, Survey Sampling, 1965): the mean embedding of so many has
the same variance. What clusters are worth adds up, if each has the weight that it deserves; the design effect is the
number of conditions over what they are worth. For clusters of m conditions each that is ``1 + (m - 1) icc``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from genexpy_nb.common.checks import TOLERANCE
from genexpy_nb.common.pooling import pool_intervals

#: Conditions of a configuration up to which they are compared pair by pair, as clusters need: 200 MB a kernel.
MOST_CONDITIONS = 5000

#: Clusters from which on there is an interval.
FEWEST_CLUSTERS = 3


@dataclass(frozen=True)
class DesignEffect:
    """How alike the conditions of a cluster are, and what that costs."""

    sizes: np.ndarray
    icc: float
    icc_low: float
    icc_high: float
    note: str

    @property
    def n_conditions(self) -> int:
        """How many conditions there are."""
        return int(self.sizes.sum())

    @property
    def n_clusters(self) -> int:
        """How many clusters they lie in."""
        return len(self.sizes)

    @property
    def n_effective(self) -> tuple[float, float, float]:
        """How many independent experiments the conditions are worth, from n_clusters to n_conditions; its interval."""
        return worth(self.icc, self.sizes), worth(self.icc_high, self.sizes), worth(self.icc_low, self.sizes)

    @property
    def design_effect(self) -> tuple[float, float, float]:
        """How many times more conditions there are than what they are worth, and its interval; at least 1."""
        estimate, low, high = self.n_effective
        return self.n_conditions / estimate, self.n_conditions / high, self.n_conditions / low


def worth(icc: float, sizes: ArrayLike) -> float:
    """Return how many independent experiments the conditions of clusters are worth."""
    sizes = np.asarray(sizes, dtype=float)
    if (sizes == 1).all():
        return float(len(sizes))  # whatever the correlation, which nothing tells
    return float((sizes / (1 + (sizes - 1) * max(icc, 0.0))).sum()) if np.isfinite(icc) else np.nan


def mean_embeddings(gram: ArrayLike, clusters: ArrayLike) -> np.ndarray:
    """Return the Gram matrix of the clusters' mean embeddings: the mean of each block."""
    sums, _, sizes = _sums(gram, clusters)
    return sums / np.outer(sizes, sizes)


def design_effect(grams: Sequence[ArrayLike], clusters: ArrayLike, confidence: float = 0.95) -> DesignEffect:
    """Estimate how alike the conditions of a cluster are, and how many independent experiments they are worth."""
    found = [_correlation(*_sums(gram, clusters), confidence) for gram in grams]
    notes = list(dict.fromkeys(note for *_, note in found if note))
    estimates, lows, highs = (np.array([each[end] for each in found], dtype=float) for end in range(3))
    icc, low, high = map(float, pool_intervals(estimates, lows, highs, confidence))
    if icc < 0:
        notes.append("the estimated correlation within clusters is below 0, and counts as none")
    return DesignEffect(np.bincount(clusters), icc, low, min(high, 1.0), "; ".join(notes))


def unknown_effect(clusters: ArrayLike, note: str) -> DesignEffect:
    """Return what there is to say of clusters whose conditions cannot be compared."""
    return DesignEffect(np.bincount(clusters), np.nan, np.nan, np.nan, note)


def _sums(gram: ArrayLike, clusters: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return sums of the blocks, (k, k), sums of the diagonals of those of one cluster, (k,), and sizes, (k,)."""
    values, order, sizes = np.asarray(gram), np.argsort(clusters, kind="stable"), np.bincount(clusters)
    starts = np.cumsum(sizes) - sizes
    ordered = values[np.ix_(order, order)]
    blocks = np.add.reduceat(np.add.reduceat(ordered, starts, axis=0), starts, axis=1)
    return blocks, np.bincount(clusters, values.diagonal()), sizes.astype(float)


def _correlation(
    blocks: np.ndarray, own: np.ndarray, sizes: np.ndarray, confidence: float
) -> tuple[float, float, float, str]:
    """Return the intra-cluster correlation, its interval, and why they are unknown."""
    nothing = (np.nan, np.nan, np.nan)
    n, k = sizes.sum(), len(sizes)
    if k < 2:
        return *nothing, "a single cluster: how clusters differ is unknown"
    if n == k:
        return *nothing, "every cluster has a single condition: how alike they are within one is unknown"
    within = own.sum() - (blocks.diagonal() / sizes).sum()
    between = (blocks.diagonal() / sizes).sum() - blocks.sum() / n
    rounding = TOLERANCE * own.sum()
    if max(within, between) <= rounding:
        return *nothing, "all results are equal"
    if within <= rounding:
        return 1.0, np.nan, np.nan, "all results of a cluster are equal, in each: there is no interval"
    n0 = (n - (sizes**2).sum() / n) / (k - 1)
    ratio = (between / (k - 1)) / (within / (n - k))
    icc = _from_ratio(ratio, n0)
    if k < FEWEST_CLUSTERS or (sizes > 1).sum() == 1:
        few = f"{k} clusters" if k < FEWEST_CLUSTERS else "a single cluster of several conditions"
        return icc, np.nan, np.nan, f"{few}: there is no interval"
    half = float(stdtrit(k - 1, (1 + confidence) / 2)) * _jackknifed_error(blocks, own, sizes, n0, rounding)
    middle = np.log(max(ratio, TOLERANCE))
    return icc, _from_ratio(np.exp(middle - half), n0), _from_ratio(np.exp(middle + half), n0), ""


def _from_ratio(ratio: float, n0: float) -> float:
    """Return the correlation from MS_B / MS_W; 1 from an infinite one."""
    return 1.0 if np.isinf(ratio) else float((ratio - 1) / (ratio - 1 + n0))


def _jackknifed_error(blocks: np.ndarray, own: np.ndarray, sizes: np.ndarray, n0: float, rounding: float) -> float:
    """Return the standard error of log(MS_B / MS_W) from leaving out each cluster in turn."""
    k, diagonal = len(sizes), blocks.diagonal()
    n = sizes.sum() - sizes
    inner = (diagonal / sizes).sum() - diagonal / sizes
    total = blocks.sum() - 2 * blocks.sum(axis=1) + diagonal
    within = np.maximum(own.sum() - own - inner, rounding)
    between = np.maximum(inner - total / n, 0)
    own_n0 = (n - ((sizes**2).sum() - sizes**2) / n) / (k - 2)
    ratio = (between / (k - 2)) / (within / (n - k + 1))
    logs = np.log(np.maximum(1 + n0 * (ratio - 1) / own_n0, TOLERANCE))
    return float(np.sqrt((k - 1) / k * ((logs - logs.mean()) ** 2).sum()))
