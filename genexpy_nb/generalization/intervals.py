"""What the interval of n* takes into account, beside the variance that the jackknife finds.

An interval ``log n* +- t sd`` by jackknife misses the true n* too often where results are rare, where n* is near the
largest that the kernel allows, where it is narrower than the error of the matched distribution, and where n* sits on
a lattice. The functions of this module correct for one of these each. What comes out is measured by
`benchmarks/bench_accuracy.py --part coverage`.
"""

from __future__ import annotations

from itertools import accumulate
from math import comb, pi

import numpy as np
from scipy.special import gammaincinv, gammaln, ndtri

from genexpy_nb.common.checks import TOLERANCE

_STEEPEST, _FLATTEST = -0.5, 1.0  # powers of n*; 0 is the logarithm
_LEADING = 10  # eigenvalues that are taken one by one; the rest are matched in mean and variance
_MOST_ENUMERATED = 256  # n up to which the MMD of two results is enumerated

# Abate and Whitt (1995), Numerical inversion of Laplace transforms of probability distributions: Euler summation.
_DECAY, _AVERAGED, _SUMMED = 18.4, 11, 15
_TERMS = np.arange(_SUMMED + _AVERAGED + 1)
_TAILS = list(accumulate(comb(_AVERAGED, j) / 2**_AVERAGED for j in range(_AVERAGED, -1, -1)))[::-1]
_SIGNS = (-1.0) ** _TERMS * np.concatenate([[0.5], np.ones(_SUMMED - 1), _TAILS])


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


def correct_gain(distances: np.ndarray, alphas: np.ndarray, counts: np.ndarray | None = None) -> np.ndarray:
    """Say how far the quantile of the matched distribution is from that of the distribution that it stands for."""
    if counts is None:
        means = distances.mean(axis=-1)
        centred = (means[:, :, None] + means[:, None, :] - means.mean(axis=-1)[:, None, None] - distances) / 2
        weights = np.maximum(np.linalg.eigvalsh(centred)[:, ::-1] / distances.shape[-1], 0)
    else:
        shares = counts / counts.sum()
        means = distances @ shares
        centred = (means[:, :, None] + means[:, None, :] - (means @ shares)[:, None, None] - distances) / 2
        weights = np.maximum(np.linalg.eigvalsh(centred * np.sqrt(np.outer(shares, shares)))[:, ::-1], 0)
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


def squared_errors_without(
    distances: np.ndarray, counts: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what the standard error of L1 rests on, without one experiment each, from the row sums of the
    distances.
    """
    if counts is None:
        n = distances.shape[-1]
        rows = distances.sum(axis=-1)
        neighbours = np.einsum("bij,bj->bi", distances, rows)
        total = rows.sum(axis=-1, keepdims=True) - 2 * rows
        squares = (rows**2).sum(axis=-1, keepdims=True) - rows**2 - 2 * neighbours + (distances**2).sum(axis=-1)
    else:
        n = counts.sum()
        rows = distances @ counts
        neighbours = np.einsum("bij,bj->bi", distances, rows * counts)
        total = (rows @ counts)[:, None] - 2 * rows
        squares = (rows**2 @ counts)[:, None] - rows**2 - 2 * neighbours + distances**2 @ counts
    return squares - total**2 / (n - 1), squares, total


def stable_power(spread: np.ndarray, squares: np.ndarray, total: np.ndarray, without: np.ndarray) -> np.ndarray:
    """Find the power of n* whose standard error does not depend on n*."""
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
    high = (
        np.log1p(np.maximum(power * margin, -1), out=np.full(power.shape, -np.inf), where=power * margin > -1) / power
    )
    return log_n + low, log_n + high


def share_interval(count: np.ndarray, n: int, confidence: float) -> tuple[np.ndarray, np.ndarray]:
    """Return Wilson's interval of a share, from ``count`` of ``n``."""
    z = ndtri((1 + confidence) / 2)
    share = count / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + (z / (2 * n)) ** 2)
    return middle - half, middle + half


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
