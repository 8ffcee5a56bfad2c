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

from itertools import accumulate
from math import comb, pi, prod

import numpy as np
from scipy.special import gammaincinv, gammaln, ndtri
from scipy.stats import t as student

from genexpy_nb.common.checks import TOLERANCE, similar

#: Fewest experiments: the unbiased estimate of S2 needs them.
MIN_EXPERIMENTS = 4

#: Of intervals, unless another one is asked for.
CONFIDENCE = 0.95

#: L1^2 / S2, the number of dimensions that the results fill, is taken to be no larger: estimates of S2 can be negative.
MOST_DIMENSIONS = 400

_SOLVED_AT_ONCE = 32_768  # equations: all that is computed from them takes some megabytes
_STEEPEST, _FLATTEST = -0.5, 1.0  # powers of n*; 0 is the logarithm
_LEADING = 10  # eigenvalues that are taken one by one; the rest are matched in mean and variance
_MOST_ENUMERATED = 256  # n up to which the MMD of two results is enumerated

# Abate and Whitt (1995), Numerical inversion of Laplace transforms of probability distributions: Euler summation.
_DECAY, _AVERAGED, _SUMMED = 18.4, 11, 15
_TERMS = np.arange(_SUMMED + _AVERAGED + 1)
_TAILS = list(accumulate(comb(_AVERAGED, j) / 2**_AVERAGED for j in range(_AVERAGED, -1, -1)))[::-1]
_SIGNS = (-1.0) ** _TERMS * np.concatenate([[0.5], np.ones(_SUMMED - 1), _TAILS])


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
    three, four, five, six = (float(prod(range(n, n - k, -1))) for k in (3, 4, 5, 6))
    return (
        triangles / three
        - 3 * (cubes - triangles) / four
        + 6 * (triangles - 2 * cubes) / five
        - (16 * cubes - 8 * triangles) / six
    )


def nstar_by_moments(
    grams: np.ndarray, alphas: np.ndarray, epsilons: np.ndarray, confidence: float = CONFIDENCE
) -> np.ndarray:
    """Estimate n* and its interval for a stack of Gram matrices, (B, N, N), thresholds (B, E): (B, A, E, 3)."""
    n = grams.shape[-1]
    distances = squared_distances(grams)
    farthest = distances.max(axis=(-1, -2))
    rounding = TOLERANCE * np.diagonal(grams, axis1=-2, axis2=-1).max(axis=-1)  # squared distance of equal results
    many, two = n > MIN_EXPERIMENTS, have_two_results(distances, rounding)

    moments = kernel_moments(distances, delete_one=many)
    l1 = moments[..., 0]
    equal = l1 <= rounding[:, None]
    l1 = np.where(equal, 1.0, l1)
    s2 = np.where(equal, 1.0, np.clip(moments[..., 1], l1**2 / MOST_DIMENSIONS, l1**2))
    v = np.where(equal, 0.0, np.maximum(moments[..., 2], 0))

    # Eigenvalues are not negative, so S2^2 / L1 <= S3 <= S2^(3/2). The lower end is a scaled chi-squared without shift.
    smallest, third = s2[:, 0] ** 2 / l1[:, 0], third_moment(distances)
    s3 = np.clip(np.where(np.isnan(third) | equal[:, 0], smallest, third), smallest, s2[:, 0] ** 1.5)
    nu = s2[:, 0] ** 3 / s3**2
    gain = (2 * gammaincinv(nu[:, None] / 2, alphas) - nu[:, None]) / np.sqrt(2 * nu[:, None])

    step = np.where(two, 1 / np.sqrt(np.maximum(farthest, rounding)), 0.0)
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
    low, high = np.zeros(value.shape), np.full(value.shape, np.inf)
    if many:
        flat = 4 * s2[:, 0] / (l1[:, 0] ** 2 * n * (n - 1))
        variance = np.maximum((n - 1) * without.var(axis=1), flat[:, None, None])
        margin = student.ppf((1 + confidence) / 2, degrees_of_freedom(without)) * np.sqrt(variance)
        centre = log_solution(gain + correct_gain(distances, alphas), slice(1))[:, 0]
        power = stable_power(distances, without)
        low, high = interval_on_power_scale(centre, margin, power)
        low, high = np.where(equal[:, 0, None, None], 0, low), np.where(equal[:, 0, None, None], np.inf, high)
    low, high = np.exp(np.maximum(low, 0)), np.exp(high)
    if many and two.any():
        ratios = epsilons[two] / np.sqrt(farthest[two])[:, None]
        n_of_one = (distances[two, 0] > rounding[two, None]).sum(axis=1)
        low[two], enough = _ends_for_two_results(n_of_one, n, alphas, ratios, confidence)
        high[two] = np.maximum(high[two], enough)

    # MMD_1 is the distance of a random pair; which of the sorted ones is its quantile: on an exact tie the next one
    pairs = np.sort(distances[:, *np.triu_indices(n, 1)], axis=1)
    place = np.minimum(np.floor(alphas * pairs.shape[1] + TOLERANCE).astype(int), pairs.shape[1] - 1)
    at_least = np.sqrt(pairs[:, place])[:, :, None] / epsilons[:, None, :]
    value = np.maximum(np.exp(value), at_least)
    value = np.where(similar(np.sqrt(farthest)[:, None], epsilons)[:, None, :], 1.0, value)
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
    count: np.ndarray, n: int, alphas: np.ndarray, ratios: np.ndarray, confidence: float
) -> tuple[np.ndarray, np.ndarray]:
    """n* for the least and the most diverse shares that Wilson's interval holds, ``count`` of n being of one kind."""
    z, share = ndtri((1 + confidence) / 2), count / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + (z / (2 * n)) ** 2)
    one, other = middle - half, middle + half
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


# --- the interval -----------------------------------------------------------------------------------------------------
#
# ``log n* +- t sd`` by jackknife misses n* too often where results are rare, where n* is near the largest that the
# kernel allows, where the interval is narrower than the error of the matched distribution, and where n* takes few
# values. Each function below corrects for one of these.


def chi_squared_mixture(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the distribution function of ``sum_j w_j X_j``, X_j independent chi-squared variables of one degree."""
    leading, rest = weights[:, :_LEADING], weights[:, _LEADING:]
    total = rest.sum(axis=1)
    scale = np.divide((rest**2).sum(axis=1), total, out=np.zeros(len(weights)), where=total > 0)
    degrees = np.divide(total, scale, out=np.zeros(len(weights)), where=scale > 0)
    s = (_DECAY + 2j * pi * _TERMS) / (2 * values[..., None])
    log_transform = -0.5 * degrees[:, None, None] * np.log(1 + 2 * s * scale[:, None, None])
    for weight in leading.T:
        log_transform -= 0.5 * np.log(1 + 2 * s * weight[:, None, None])
    terms = (np.exp(log_transform) / s).real
    return np.exp(_DECAY / 2) / values * (terms @ _SIGNS)


def correct_gain(distances: np.ndarray, alphas: np.ndarray) -> np.ndarray:
    """Say how far the quantile of the matched distribution is from that of the distribution that it stands for."""
    means = distances.mean(axis=-1)
    centred = (means[:, :, None] + means[:, None, :] - means.mean(axis=-1)[:, None, None] - distances) / 2
    weights = np.maximum(np.linalg.eigvalsh(centred)[:, ::-1] / distances.shape[-1], 0)
    total = weights.sum(axis=1)
    mixed = weights[:, 1] > TOLERANCE * np.maximum(total, TOLERANCE)
    result = np.zeros((len(distances), len(alphas)))
    if not mixed.any():
        return result
    weights = weights[mixed] / total[mixed, None]
    second, third = (weights**2).sum(axis=1)[:, None], (weights**3).sum(axis=1)[:, None]
    nu = second**3 / third**2
    chi = 2 * gammaincinv(nu / 2, alphas)
    quantile = 1 + (chi - nu) * third / second
    density = np.exp((nu / 2 - 1) * np.log(chi / 2) - chi / 2 - gammaln(nu / 2)) / 2 * np.sqrt(2 * nu)
    possible = quantile > TOLERANCE  # the shift can be below zero, where the mixture has no values
    share = chi_squared_mixture(weights, np.where(possible, quantile, 1.0))
    result[mixed] = np.where(possible, np.clip((alphas - share) / density, -0.15, 0.15), 0)
    return result


def degrees_of_freedom(without: np.ndarray) -> np.ndarray:
    """Say how well the jackknife knows the variance, from the kurtosis of the estimates without one experiment each."""
    n = without.shape[1]
    deviations = without - without.mean(axis=1, keepdims=True)
    variance, fourth = (deviations**2).mean(axis=1), (deviations**4).mean(axis=1)
    kurtosis = np.divide(fourth, variance**2, out=np.ones(variance.shape), where=variance**2 > 0)
    # above 2, because the kurtosis of n values is at most n - 2 + 1 / (n - 1)
    return np.minimum(2 * n / np.maximum(kurtosis - (n - 3) / (n - 1), TOLERANCE), n - 1)


def stable_power(distances: np.ndarray, without: np.ndarray) -> np.ndarray:
    """Find the power of n* whose standard error does not depend on n*."""
    # what the standard error of L1 rests on, without one experiment each, from sums of distances, (B, N)
    rows = distances.sum(axis=-1)
    neighbours = np.einsum("bij,bj->bi", distances, rows)
    total = rows.sum(axis=-1, keepdims=True) - 2 * rows
    squares = (rows**2).sum(axis=-1, keepdims=True) - rows**2 - 2 * neighbours + (distances**2).sum(axis=-1)
    spread = squares - total**2 / (distances.shape[-1] - 1)
    known = (spread > TOLERANCE * squares) & (total > TOLERANCE * total.max(axis=1, keepdims=True))
    log_error = np.where(known, np.log(np.where(known, spread, 1)) / 2 - np.log(np.where(known, total, 1)), 0)
    weight = known[:, :, None, None]
    n_known = np.maximum(known.sum(axis=1), 1)
    log_error = np.where(known, log_error - (log_error.sum(axis=1) / n_known)[:, None], 0)
    centre = (without * weight).sum(axis=1, keepdims=True) / n_known[:, None, None, None]
    deviations = np.where(weight, without - centre, 0)
    squared = (deviations**2).sum(axis=1)
    slope = np.divide(
        np.einsum("bn,bnae->bae", log_error, deviations),
        squared,
        out=np.zeros(squared.shape),
        where=squared > TOLERANCE**2,
    )
    return np.clip(-slope / 2, _STEEPEST, _FLATTEST)


def interval_on_power_scale(log_n: np.ndarray, margin: np.ndarray, power: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return ``n^power (1 +- power margin)`` as logarithms of n: ``log n +- margin`` if the power is 0."""
    power = np.where(np.abs(power) < TOLERANCE, TOLERANCE, power)
    low = np.log1p(np.maximum(-power * margin, -1), out=np.full(power.shape, -np.inf), where=power * margin < 1) / power
    up = np.maximum(power * margin, -1)
    high = np.log1p(up, out=np.full(power.shape, -np.inf), where=up > -1) / power
    return log_n + low, log_n + high


def nstar_of_two_results(product: np.ndarray, alphas: np.ndarray, ratios: np.ndarray) -> np.ndarray:
    """Compute n* where there are two results only, with shares p and 1 - p."""
    shape = (len(product), len(alphas), ratios.shape[1])
    result, found = np.zeros(shape), np.zeros(shape, dtype=bool)
    limits = ratios[:, None, :] * (1 + TOLERANCE)
    up = product[:, None]
    chance = np.zeros((len(product), _MOST_ENUMERATED + 2))  # of |D| = 0, 1, 2, ...; twice that of D
    chance[:, 0] = 1.0
    before = np.zeros((*shape[:2], 1))
    for n in range(1, _MOST_ENUMERATED + 1):
        step = (1 - 2 * up) * chance
        step[:, 1:] += up * chance[:, :-1]
        step[:, :-1] += up * chance[:, 1:]
        step[:, 1] += product * chance[:, 0]  # |D| leaves 0 in both directions
        chance = step
        at_most = np.cumsum(chance[:, : n + 1], axis=1) + 1e-12
        quantile = (at_most[:, None, :] < alphas[:, None]).sum(axis=-1, keepdims=True) / n
        new = (quantile <= limits) & ~found
        if new.any():
            result[new] = _crossing(n, before, quantile, ratios[:, None, :])[new]
            found |= new
            if found.all():
                return result
        before = quantile
    z = ndtri((1 + alphas) / 2)[:, None] * np.sqrt(2 * product)[:, None, None]
    root = (z + np.sqrt(np.maximum(z * z - 2 * ratios[:, None, :], 0))) / (2 * ratios[:, None, :])
    return np.where(found, result, np.maximum(root**2, _MOST_ENUMERATED))


def _crossing(n: int, before: np.ndarray, after: np.ndarray, ratio: np.ndarray) -> np.ndarray:
    """Interpolate between n - 1 and n on the scale of logarithms; n itself if a quantile is 0 or there is no n - 1."""
    before, after, ratio = np.broadcast_arrays(before, after, ratio)
    if n == 1:
        return np.ones(ratio.shape)
    possible = (after > 0) & (before > after)
    log_before = np.log(np.where(possible, before, 1.0))
    part = (log_before - np.log(ratio)) / np.where(possible, log_before - np.log(np.where(possible, after, 0.5)), 1.0)
    return np.where(possible, np.exp(np.log(n - 1) + np.clip(part, 0, 1) * np.log(n / (n - 1))), n)
