"""The default estimate of n*: the distribution of the MMD from its first three moments, without resampling.

Two studies of n experiments each differ by ``n MMD_n^2 = |sum_i D_i|^2 / n``, where ``D_i`` is the difference of their
i-th results in the kernel's feature space. Exactly, for every n, it has

    mean      2 L1,                        L1 = E |phi(x) - phi(x')|^2 / 2  (= E k(x,x) - E k(x,x'))
    variance  8 S2 (1 - 1/n) + 4 v / n,    S2 = tr C^2,  v = Var |phi(x) - phi(x')|^2 / 4

and for large n the third cumulant ``64 S3``, ``S3 = tr C^3``, where C is the covariance operator of a result. All four
are estimated without bias from the Gram matrix. A shifted and scaled chi-squared variable with ``nu = S2^3 / S3^2``
degrees of freedom has the same three moments (Hall 1983; Buckley and Eagleson 1988, for weighted sums of chi-squared
variables), so that n* solves

    n eps^2 = 2 L1 + g sqrt(8 S2 (1 - 1/n) + 4 v / n),     g = (chi2_nu^-1(alpha) - nu) / sqrt(2 nu).

Three refinements, kept because simulation showed them to be better where this is weak:

- Two distinct results, h their squared distance: the MMD moves in steps of ``sqrt(h) / n``, and the first n that will
  do comes early, by half a step at most, less the more unequal their shares: 2 L1 becomes ``2 L1 (1 - eps / sqrt(h))``.
- Rare results: n* is at least ``q_1 / eps``, q_1 the alpha-quantile of MMD_1, because ``|sum_i D_i|`` hardly ever
  shrinks when experiments are added.
- If no two observed results are farther apart than eps, no two studies are: n* = 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from scipy.special import gammaincinv
from scipy.stats import t as student

from genexpy_nb.common.checks import TOLERANCE, similar
from genexpy_nb.generalization.intervals import (
    correct_gain,
    degrees_of_freedom,
    interval_on_power_scale,
    nstar_of_two_results,
    share_interval,
    squared_errors_without,
    stable_power,
)

#: Fewest experiments: the unbiased estimate of S2 needs them.
MIN_EXPERIMENTS = 4

#: Of the interval of n*.
CONFIDENCE = 0.95

#: L1^2 / S2, the number of dimensions that the results fill, is taken to be no larger: estimates of S2 can be negative.
MOST_DIMENSIONS = 400

_SOLVED_AT_ONCE = 32_768  # equations: all that is computed from them takes some megabytes


def squared_distances(grams: np.ndarray) -> np.ndarray:
    """Return ``k(x,x) + k(y,y) - 2 k(x,y)`` for each pair."""
    diagonal = np.diagonal(grams, axis1=-2, axis2=-1)
    return np.maximum(diagonal[..., :, None] + diagonal[..., None, :] - 2 * grams, 0)


def kernel_moments(distances: np.ndarray, delete_one: bool = False) -> np.ndarray:
    """Estimate L1, S2 and v without bias."""
    n = np.array([distances.shape[-1]], dtype=float)
    z = -distances / 2  # what the kernel is, up to terms that cancel in all three
    squares = z * z
    rows, square_rows = z.sum(axis=-1), squares.sum(axis=-1)
    total, total_squares = rows.sum(axis=-1)[..., None], square_rows.sum(axis=-1)[..., None]
    row_norm = (rows * rows).sum(axis=-1)[..., None]
    if delete_one:
        n = np.append(n, np.full(distances.shape[-1], n[0] - 1))
        neighbours = np.einsum("...ij,...j->...i", z, rows)
        without = row_norm - rows**2 - 2 * neighbours + square_rows
        row_norm = np.concatenate([row_norm, without], axis=-1)
        total_squares = np.concatenate([total_squares, total_squares - 2 * square_rows], axis=-1)
        total = np.concatenate([total, total - 2 * rows], axis=-1)
    return unbiased_moments(total, total_squares, row_norm, n)


def unbiased_moments(total: np.ndarray, total_squares: np.ndarray, row_norm: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Return L1, S2 and v from sums over all pairs of n results, of what the kernel is up to terms that cancel."""
    pairs = n * (n - 1)
    l1 = -total / pairs
    s2 = (total_squares + total**2 / ((n - 1) * (n - 2)) - 2 * row_norm / (n - 2)) / (n * (n - 3))
    # the square of the mean from pairs without a common result; the square of the estimated mean would be biased
    squared_mean = (total**2 - 4 * row_norm + 2 * total_squares) / (pairs * (n - 2) * (n - 3))
    v = total_squares / pairs - squared_mean
    return np.stack([l1, s2, v], axis=-1)


def third_moment(distances: np.ndarray) -> np.ndarray:
    """Estimate S3 = tr C^3 without bias."""
    n = distances.shape[-1]
    if n < 6:
        return np.full(distances.shape[:-2], np.nan)
    z = -distances / 2
    rows = z.sum(axis=-1)
    total = rows.sum(axis=-1)[..., None, None]
    centred = z - (rows[..., :, None] + rows[..., None, :]) / (n - 2) + total / ((n - 1) * (n - 2))
    everyone = np.arange(n)
    centred[..., everyone, everyone] = 0
    triangles = ((centred @ centred) * centred).sum(axis=(-1, -2))
    cubes = (centred * centred * centred).sum(axis=(-1, -2))
    return third_from_sums(triangles, cubes, n)


def third_from_sums(triangles: np.ndarray, cubes: np.ndarray, n: int) -> np.ndarray:
    """Return S3 from the sums over triangles and over cubes of the U-centred matrix of n >= 6 results."""
    three, four, five, six = (float(prod(range(n, n - k, -1))) for k in (3, 4, 5, 6))
    return (
        triangles / three
        - 3 * (cubes - triangles) / four
        + 6 * (triangles - 2 * cubes) / five
        - (16 * cubes - 8 * triangles) / six
    )


def nstar_by_moments(grams: np.ndarray, alphas: np.ndarray, epsilons: np.ndarray) -> np.ndarray:
    """Estimate n* and its interval, of nominal confidence 95 %, for a stack of Gram matrices."""
    return solve(observe(grams, alphas), alphas, epsilons)


@dataclass(frozen=True)
class Evidence:
    """What n* and its interval are computed from: B studies of N experiments, whose results were compared in M ways."""

    n_experiments: int
    scale: np.ndarray
    farthest: np.ndarray
    moments: np.ndarray
    third: np.ndarray
    correction: np.ndarray
    pair: np.ndarray
    two: np.ndarray
    n_of_one: np.ndarray
    errors: tuple[np.ndarray, np.ndarray, np.ndarray] | None
    counts: np.ndarray | None = None

    @property
    def rounding(self) -> np.ndarray:
        """Squared distance up to which two results are equal, shape (B,)."""
        return TOLERANCE * self.scale


def observe(grams: np.ndarray, alphas: np.ndarray) -> Evidence:
    """Collect what n* rests on from a stack of Gram matrices."""
    n = grams.shape[-1]
    distances = squared_distances(grams)
    scale = np.diagonal(grams, axis1=-2, axis2=-1).max(axis=-1)
    many = n > MIN_EXPERIMENTS
    two = have_two_results(distances, TOLERANCE * scale)
    pairs = np.sort(distances[:, *np.triu_indices(n, 1)], axis=1)
    return Evidence(
        n_experiments=n,
        scale=scale,
        farthest=distances.max(axis=(-1, -2)),
        moments=kernel_moments(distances, delete_one=many),
        third=third_moment(distances),
        correction=correct_gain(distances, alphas) if many else np.zeros((len(grams), len(alphas))),
        pair=pairs[:, place_of_quantile(alphas, pairs.shape[1])],
        two=two,
        n_of_one=(distances[:, 0] > TOLERANCE * scale[:, None]).sum(axis=1),
        errors=squared_errors_without(distances) if many else None,
    )


def place_of_quantile(alphas: np.ndarray, n_values: int) -> np.ndarray:
    """Return which of so many sorted values is the quantile: on an exact tie the next larger one."""
    return np.minimum(np.floor(alphas * n_values + TOLERANCE).astype(int), n_values - 1)


def solve(seen: Evidence, alphas: np.ndarray, epsilons: np.ndarray) -> np.ndarray:
    """Estimate n* and its interval from what was observed."""
    n, rounding = seen.n_experiments, seen.rounding
    l1 = seen.moments[..., 0]
    equal = l1 <= rounding[:, None]
    l1 = np.where(equal, 1.0, l1)
    s2 = np.where(equal, 1.0, np.clip(seen.moments[..., 1], l1**2 / MOST_DIMENSIONS, l1**2))
    v = np.where(equal, 0.0, np.maximum(seen.moments[..., 2], 0))

    # Eigenvalues are not negative, so S2^2 / L1 <= S3 <= S2^(3/2). The lower end is a scaled chi-squared without shift.
    smallest = s2[:, 0] ** 2 / l1[:, 0]
    s3 = np.clip(np.where(np.isnan(seen.third) | equal[:, 0], smallest, seen.third), smallest, s2[:, 0] ** 1.5)
    nu = s2[:, 0] ** 3 / s3**2
    gain = (2 * gammaincinv(nu[:, None] / 2, alphas) - nu[:, None]) / np.sqrt(2 * nu[:, None])

    step = np.where(seen.two, 1 / np.sqrt(np.maximum(seen.farthest, rounding)), 0.0)
    mean = 2 * l1[:, :, None, None] * np.maximum(1 - step[:, None] * epsilons, 0)[:, None, None, :]

    def log_solution(gain: np.ndarray, rows: slice) -> np.ndarray:
        solved = largest_solution(
            mean[:, rows],
            gain[:, None, :, None],
            s2[:, rows, None, None],
            v[:, rows, None, None],
            (epsilons**2)[:, None, None, :],
        )
        return np.where(equal[:, rows, None, None], 0.0, np.log(solved))

    log_n = log_solution(gain, slice(None))
    value, without = log_n[:, 0], log_n[:, 1:]
    if seen.errors is not None:
        spread, squares, total = seen.errors
        if seen.counts is not None:
            without, spread, squares, total = (
                np.repeat(each, seen.counts, axis=1) for each in (without, spread, squares, total)
            )
        flat = 4 * s2[:, 0] / (l1[:, 0] ** 2 * n * (n - 1))
        variance = np.maximum((n - 1) * without.var(axis=1), flat[:, None, None])
        margin = student.ppf((1 + CONFIDENCE) / 2, degrees_of_freedom(without)) * np.sqrt(variance)
        centre = log_solution(gain + seen.correction, slice(1))[:, 0]
        low, high = interval_on_power_scale(centre, margin, stable_power(spread, squares, total, without))
        low, high = np.where(equal[:, 0, None, None], 0, low), np.where(equal[:, 0, None, None], np.inf, high)
    else:
        low, high = np.zeros(value.shape), np.full(value.shape, np.inf)
    low, high = np.exp(np.maximum(low, 0)), np.exp(high)
    if seen.errors is not None and seen.two.any():
        two = seen.two
        ratios = epsilons[two] / np.sqrt(seen.farthest[two])[:, None]
        low[two], enough = _ends_for_two_results(seen.n_of_one[two], n, alphas, ratios)
        high[two] = np.maximum(high[two], enough)

    # MMD_1 is the distance of a random pair.
    at_least = np.sqrt(seen.pair)[:, :, None] / epsilons[:, None, :]
    value = np.maximum(np.exp(value), at_least)
    value = np.where(similar(np.sqrt(seen.farthest)[:, None], epsilons)[:, None, :], 1.0, value)
    return np.stack([value, np.minimum(low, value), np.maximum(high, value)], axis=-1)


def note_on_interval(gram: np.ndarray) -> str:
    """Say that the interval of n* is wider than its confidence asks for, where the results show it; empty if not."""
    two = have_two_results(squared_distances(gram)[None], TOLERANCE * np.diagonal(gram).max(keepdims=True))
    if len(gram) <= MIN_EXPERIMENTS or not two[0]:
        return ""
    return (
        "with two distinct results n* takes few values, and its interval is mostly wider than its confidence asks for"
    )


def _ends_for_two_results(
    count: np.ndarray, n: int, alphas: np.ndarray, ratios: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """n* for the least and the most diverse shares that Wilson's interval holds, ``count`` of n being of one kind."""
    one, other = share_interval(count, n, CONFIDENCE)
    products = one * (1 - one), other * (1 - other)
    most = np.where((one < 0.5) & (other > 0.5), 0.25, np.maximum(*products))
    low = nstar_of_two_results(np.minimum(*products), alphas, ratios)
    return low, nstar_of_two_results(most, alphas, ratios)


def have_two_results(distances: np.ndarray, tolerance: np.ndarray) -> np.ndarray:
    """Say which studies have exactly two distinct results."""
    differ = distances > tolerance[:, None, None]
    other = differ[:, 0]
    as_two = other[:, :, None] != other[:, None, :]
    return (differ == as_two).all(axis=(-1, -2)) & other.any(axis=-1)


def largest_solution(
    mean: np.ndarray, gain: np.ndarray, s2: np.ndarray, v: np.ndarray, squared_epsilon: np.ndarray
) -> np.ndarray:
    """Return the largest n >= 1 with ``n eps^2 = mean + gain sqrt(8 s2 (1 - 1/n) + 4 v / n)``, 1 if there is none."""
    given = np.broadcast_arrays(mean, gain, 8 * s2, 4 * v - 8 * s2, squared_epsilon)
    rows = [each.ravel() for each in given]
    solution = np.empty(rows[0].shape)
    for start in range(0, len(solution), _SOLVED_AT_ONCE):
        part = slice(start, start + _SOLVED_AT_ONCE)
        solution[part] = _largest_solution(*(each[part] for each in rows))
    return solution.reshape(given[0].shape)


def _largest_solution(
    mean: np.ndarray, gain: np.ndarray, limit: np.ndarray, rest: np.ndarray, eps2: np.ndarray
) -> np.ndarray:
    """Solve ``n eps2 = mean + gain sqrt(limit + rest / n)``, all of shape (S,)."""
    n = np.maximum((mean + np.abs(gain) * np.sqrt(np.maximum(limit, limit + rest))) / eps2, 1.0)
    below, above = np.zeros(n.shape), n
    solution, left = np.empty(n.shape), np.arange(n.size)
    for _ in range(60):
        spread = np.sqrt(np.maximum(limit + rest / n, 1e-300))
        slope = eps2 + gain * rest / (2 * n * n * spread)
        excess = n * eps2 - mean - gain * spread
        below, above = np.where(excess < 0, n, below), np.where(excess < 0, above, n)
        step = excess / np.where(slope > 1e-3 * eps2, slope, eps2)
        new = np.maximum(n - step, 1.0)
        lost = (below > 0) & ((new <= below) | (new >= above))
        new = np.where(lost, (below + above) / 2, new)
        done = np.abs(new - n) <= 1e-10 * n
        solution[left[done]] = n[done]
        n = np.where(done, n, new)
        if done.sum() > n.size / 2:  # to leave out a few takes longer than to solve them again
            more = ~done
            n, below, above, left = n[more], below[more], above[more], left[more]
            mean, gain, limit, rest, eps2 = mean[more], gain[more], limit[more], rest[more], eps2[more]
        if not n.size:
            return solution
    solution[left] = n
    return solution
