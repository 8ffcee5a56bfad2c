"""n* by moments of so many experiments that not every pair of them can be compared.

A matrix of all pairs of 100,000 experiments takes 75 GB. It is not needed:

- Results that the kernel does not tell apart are merged, and counted. If few are left, each pair of distinct results is
  compared once, and every sum over pairs is weighted by their counts: the same numbers but for rounding.
- Otherwise the experiments are divided at random into blocks, and compared within their block only. L1, S2, v and S3
  are averages over the blocks, each without bias. Every experiment counts, so that the error is that of all pairs to
  first order; what the pairs between blocks would add is of second order. The interval leaves out one experiment at a
  time, in its block, and so contains that error, too.

Random numbers decide about the blocks only, and depend on the seed and the number of experiments.

**How often the interval holds n*.** `benchmarks/coverage_blocks.py` simulates seven kinds of results, 600 possible
rankings each, with the Borda, Jaccard and Mallows kernels (alpha = .95, delta = .05): 21 cells, nominal confidence
95 %. Share of the studies whose interval holds the real number at which the quantile of the MMD crosses epsilon, and
whose rounded-up interval holds the whole number n*:

========================================  =====================  ======================
studies                                   real n*: lowest cell,  whole n*: lowest cell,
                                          second, median         second, median
========================================  =====================  ======================
1,000 of 400 experiments, blocks of 50    .74  .91  .95          .79  .96  .99
the same, all pairs                       .72  .84  .94          .78  .95  .99
100 of 20,000 experiments, merged         .00  .42  .91          .00  .90  1.00
========================================  =====================  ======================

- The lowest cell is the same in all three: Borda, one ranking with 10 % noise, n* = 3.9. There the formula is 19 % too
  high, however many experiments there are, because so small a study is far from its Gaussian limit.
- In the other 20 cells the formula is off by up to 2 % (n* from 5 to 37). An interval from tens of thousands of
  experiments can be shorter than that, and miss the real n* while its rounded ends hold the whole number.

So read n* of a large study as a whole number, and where it is below about 5, simulate it
(`genexpy_nb.generalization.simulation.definition`). The interval is not widened by those 2 %: it was tried with the
merged studies. The real n* would be held in every study in 18 cells, in 99 % and 85 % in two, and in none in the one
that fails; the median interval would be three times as long; the whole number would be held in every study in 20 cells
instead of 19; and for other alpha and delta the error of the formula was not measured. Coverage with 2,000 distinct
results or more, and blocks of 500, was not measured.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from typing import Any

import numpy as np

from genexpy_nb.common.checks import TOLERANCE
from genexpy_nb.common.random import stream
from genexpy_nb.generalization.intervals import correct_gain, squared_errors_without
from genexpy_nb.generalization.kernels import Kernel
from genexpy_nb.generalization.moments import (
    Evidence,
    have_two_results,
    kernel_moments,
    place_of_quantile,
    solve,
    squared_distances,
    third_from_sums,
    third_moment,
    unbiased_moments,
)

#: Experiments up to which every pair of them is compared: a second and a third of a gigabyte.
LARGEST_WHOLE = 2000

#: Experiments in a block, about.
BLOCK = 500


def nstar_of_many(
    results: Any, kernel: Kernel, alphas: np.ndarray, epsilons: np.ndarray, seed: int
) -> tuple[np.ndarray, str]:
    """Estimate n* and its interval (nominal 95 %) by moments, whatever the number of experiments."""
    first, counts = distinct_results(results, kernel)
    if len(first) <= LARGEST_WHOLE:
        seen, note = observe_counted(kernel.gram(_rows(results, first)), counts, alphas), ""
    else:
        parts = blocks(len(results), seed)
        seen = observe_blocks(results, kernel, parts, alphas)
        note = (
            f"the {len(results):,} experiments are compared within {len(parts):,} random blocks of about {BLOCK}; the "
            "interval contains what that adds to the error"
        )
    found = np.empty((len(alphas), len(epsilons), 3))
    for a in range(len(alphas)):  # one by one: each takes N estimates without one experiment
        here = replace(seen, correction=seen.correction[:, [a]], pair=seen.pair[:, [a]])
        for e in range(len(epsilons)):
            found[a, e] = solve(here, alphas[[a]], epsilons[None, [e]])[0, 0, 0]
    return found, note


def blocks(n_experiments: int, seed: int) -> list[np.ndarray]:
    """Divide experiments at random into blocks of about `BLOCK`."""
    order = stream(seed, n_experiments).permutation(n_experiments)
    return np.array_split(order, ceil(n_experiments / BLOCK))


def distinct_results(results: Any, kernel: Kernel) -> tuple[np.ndarray, np.ndarray]:
    """Find one experiment with each distinct result, and count those that have it."""
    keys = kernel.keys(results) if hasattr(kernel, "keys") else np.asarray(results)
    keys = np.ascontiguousarray(keys + 0.0 if keys.dtype.kind == "f" else keys)  # -0.0 is 0.0
    rows = keys.view(np.dtype((np.void, keys.itemsize * keys.shape[1]))).ravel()  # to sort bytes is fast
    _, first, counts = np.unique(rows, return_index=True, return_counts=True)
    order = np.argsort(first)
    return first[order], counts[order]


def observe_counted(gram: np.ndarray, counts: np.ndarray, alphas: np.ndarray) -> Evidence:
    """Collect what n* rests on from the distinct results, and how many experiments have each."""
    if len(counts) == 1:  # all alike: a second result that nobody has changes no sum
        gram, counts = np.tile(gram, (2, 2)), np.append(counts, 0)
    distances = squared_distances(gram)
    scale = gram.diagonal().max(keepdims=True)
    values, n = counts.astype(float), int(counts.sum())
    other = distances[counts.argmax()] > TOLERANCE * scale
    return Evidence(
        n_experiments=n,
        scale=scale,
        farthest=distances.max(keepdims=True)[0],
        moments=_counted_moments(distances, values)[None],
        third=np.array([_counted_third_moment(distances, values)]),
        correction=correct_gain(distances[None], alphas, values),
        pair=_counted_quantiles(distances, counts, alphas)[None],
        two=have_two_results(distances[None], TOLERANCE * scale),
        n_of_one=counts[other].sum(keepdims=True),
        errors=squared_errors_without(distances[None], values),
        counts=counts,
    )


def _counted_moments(distances: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return what `kernel_moments` does with ``delete_one``, a row per distinct result, shape (1 + m, 3)."""
    z = -distances / 2
    rows, square_rows = z @ counts, (z * z) @ counts
    total, total_squares, row_norm = rows @ counts, square_rows @ counts, rows**2 @ counts
    n = np.append(counts.sum(), np.full(len(counts), counts.sum() - 1))
    row_norm = np.append(row_norm, row_norm - rows**2 - 2 * (z @ (counts * rows)) + square_rows)
    total = np.append(total, total - 2 * rows)
    total_squares = np.append(total_squares, total_squares - 2 * square_rows)
    return unbiased_moments(total, total_squares, row_norm, n)


def _counted_third_moment(distances: np.ndarray, counts: np.ndarray) -> float:
    """Return what `third_moment` does."""
    n = counts.sum()
    z = -distances / 2
    rows = z @ counts
    centred = z - (rows[:, None] + rows) / (n - 2) + rows @ counts / ((n - 1) * (n - 2))
    own = centred.diagonal()  # between two experiments of one result; no experiment is compared with itself
    once = own**3 @ counts
    weighted = centred * np.sqrt(np.outer(counts, counts))
    triangles = np.einsum("ij,ij->", weighted @ weighted, weighted) - 3 * (own * counts) @ (centred**2 @ counts)
    return float(third_from_sums(triangles + 2 * once, counts @ centred**3 @ counts - once, int(n)))


def _counted_quantiles(distances: np.ndarray, counts: np.ndarray, alphas: np.ndarray) -> np.ndarray:
    """Return quantiles of the squared distance of a random pair of experiments, shape (A,)."""
    i, j = np.triu_indices(len(counts), 1)
    order = np.argsort(distances[i, j], kind="stable")
    alike = int((counts * (counts - 1) // 2).sum())
    up_to = alike + np.cumsum((counts[i] * counts[j])[order])
    n_pairs = int(counts.sum()) * int(counts.sum() - 1) // 2
    place = place_of_quantile(alphas, n_pairs)
    sorted_pairs = np.append(0.0, distances[i, j][order])
    return sorted_pairs[np.searchsorted(np.append(alike, up_to), place, side="right")]


def observe_blocks(results: Any, kernel: Kernel, parts: list[np.ndarray], alphas: np.ndarray) -> Evidence:
    """Collect what n* rests on from comparisons within blocks of experiments."""
    n = sum(map(len, parts))
    shares = np.array([len(part) / n for part in parts])
    # Of each block: what all of it says, (3,), and what it says without each experiment, (size, 3).
    moments, moments_without, errors, errors_without, thirds, pairs = [], [], [], [], [], []
    scale = farthest = 0.0
    for part in parts:
        gram = kernel.gram(_rows(results, part))
        distances, size = squared_distances(gram), len(part)
        found, sums = kernel_moments(distances, delete_one=True), distances.sum(axis=1)
        moments.append(found[0])
        moments_without.append(found[1:])
        squares, total = sums @ sums, sums.sum()
        errors.append([squares - total**2 / size, squares, total])
        errors_without.append(np.concatenate(squared_errors_without(distances[None])).T)
        thirds.append(third_moment(distances))
        place = size + 2 * place_of_quantile(alphas, size * (size - 1) // 2)  # after the diagonal, each pair twice
        pairs.append(np.partition(distances.ravel(), place)[place])
        scale, farthest = max(scale, gram.diagonal().max()), max(farthest, distances.max())
    mean = shares @ np.stack(moments)
    without = [mean + share * (own - all_) for share, all_, own in zip(shares, moments, moments_without, strict=True)]
    everything = np.sum(errors, axis=0)
    less_one = [everything + own - all_ for all_, own in zip(np.array(errors), errors_without, strict=True)]
    spread, squared, total_sums = np.concatenate(less_one).T
    sample = np.concatenate(parts)[:LARGEST_WHOLE]
    return Evidence(
        n_experiments=n,
        scale=np.array([scale]),
        farthest=np.array([farthest]),
        moments=np.concatenate([mean[None], *without])[None],
        third=np.array([shares @ np.array(thirds)]),
        correction=correct_gain(squared_distances(kernel.gram(_rows(results, sample)))[None], alphas),
        pair=np.median(pairs, axis=0)[None],
        two=np.array([False]),
        n_of_one=np.array([0]),
        errors=(spread[None], squared[None], total_sums[None]),
    )


def _rows(results: Any, positions: np.ndarray) -> Any:
    """Return some of the results, as a frame if they are one: kernels may ask for the names of alternatives."""
    return results.iloc[positions] if hasattr(results, "iloc") else results[positions]
