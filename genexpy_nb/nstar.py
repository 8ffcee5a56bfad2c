"""Generalizability of a study, and the number n* of experiments that makes it generalizable.

``n-Gen(eps) = P(MMD(X, Y) <= eps)`` for two independent studies X, Y of n experiments each, and
``n* = min{n : n-Gen(eps) >= alpha}`` (Generalizability of Experimental Studies, second version, Eqs. 1 and 9). The
distribution of results is not known; `estimate_nstar` estimates n* from the Gram matrix of N observed results in the
ways that `METHODS` lists. All return a real number >= 1; a plan needs the smallest integer that is not below it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import ceil, inf, isfinite

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import ArrayLike
from scipy import stats

from genexpy_nb.errors import ParameterError, check_choice, check_count
from genexpy_nb.mmd import check_gram, mmd_distribution, mmd_from_counts, quantile, signed_counts, simulated_mmd
from genexpy_nb.moments import MIN_EXPERIMENTS, nstar_by_moments

__all__ = [
    "METHODS",
    "NStar",
    "PowerLaw",
    "bound",
    "closed_form",
    "definition",
    "estimate_nstar",
    "generalizability",
    "power_law",
    "redrawn_estimates",
]

_FEW_RESULTS = 20


@dataclass(frozen=True)
class NStar:
    """An estimate of n* with its 95 % interval.

    Attributes
    ----------
    value : float
        Estimated number of experiments, >= 1.
    low, high : float
        95 % interval. ``(1, inf)`` says that the experiments do not bound n*; NaN that the method has no interval.
    method : str
        One of `METHODS`.
    n_experiments : int
        Number N of experiments that the estimate was made from.
    """

    value: float
    low: float
    high: float
    method: str
    n_experiments: int

    @property
    def experiments(self) -> float:
        """The smallest whole number of experiments that is not below the estimate; infinite if it is."""
        return ceil(self.value) if isfinite(self.value) else inf

    @property
    def missing(self) -> float:
        """How many experiments are still to be run, 0 if there are enough."""
        return max(0, self.experiments - self.n_experiments)


def generalizability(
    gram: ArrayLike,
    n: int,
    epsilon: float,
    n_rep: int = 1000,
    rng: np.random.Generator | int = 0,
    scheme: str = "disjoint",
) -> float:
    """Estimate n-generalizability: how often two studies of size ``n`` are similar.

    Parameters
    ----------
    gram : array_like, shape (N, N)
        Kernel values between the observed results.
    n : int
        Size of the hypothetical studies; at most N / 2 with the scheme ``disjoint``.
    epsilon : float
        MMD up to which two studies are similar, > 0 (see ``kernel.epsilon``).
    n_rep, rng, scheme
        See `genexpy_nb.mmd.mmd_distribution`.

    Returns
    -------
    float
        In [0, 1]; its Monte Carlo standard error is at most ``0.5 / sqrt(n_rep)``.

    References
    ----------
    Generalizability of Experimental Studies, second version, Eq. 1.

    Examples
    --------
    Two results that share nothing, equally likely: two studies of one experiment agree half of the time.

    >>> gram = np.kron(np.eye(2), np.ones((10, 10)))
    >>> generalizability(gram, n=1, epsilon=0.5, n_rep=10_000, scheme="iid")
    0.5038
    """
    distances = mmd_distribution(gram, n, n_rep, rng, scheme)
    return float(np.mean(_within(distances, _check_epsilon(epsilon))))


def _within(distances: np.ndarray, epsilon: ArrayLike) -> np.ndarray:
    # Discrete results put MMDs exactly on the threshold: equality must not depend on the last bit.
    return distances <= np.asarray(epsilon) * (1 + 1e-9)


def check_levels(alpha: ArrayLike) -> np.ndarray:
    """Return levels as an array, shape (A,), or say that there is none, or one outside (0, 1).

    Examples
    --------
    >>> check_levels(0.95)
    array([0.95])
    """
    values = np.atleast_1d(np.asarray(alpha, dtype=float))
    if values.size == 0 or not np.all((values > 0) & (values < 1)):
        raise ParameterError(f"alpha must be in (0, 1), got {alpha!r}")
    return values


def _one(name: str, value: ArrayLike) -> ArrayLike:
    """Return a parameter of which there is one, or say that several were given."""
    if np.ndim(value) != 0:
        raise ParameterError(f"{name} must be a single number, got {value!r}; Study.nstar takes several")
    return value


def _check_epsilon(epsilon: ArrayLike) -> np.ndarray:
    values = np.asarray(epsilon, dtype=float)
    if not np.all((values > 0) & np.isfinite(values)):
        raise ParameterError(f"epsilon must be a positive number, got {epsilon!r}")
    return values


# --- resampling: as published -----------------------------------------------------------------------------------------


def _resampling(
    grams: Sequence[np.ndarray],
    alphas: np.ndarray,
    epsilons: Sequence[np.ndarray],
    n_rep: int,
    seed: int,
    slope: float | None,
) -> list[np.ndarray]:
    """Extrapolate quantiles of the resampled MMD along a line in log-log scale (second version, Algorithm 2)."""
    result: list[np.ndarray] = [np.empty(0)] * len(grams)
    for n_experiments, members in _by_size(grams).items():
        # (S, A, members); one size of studies at a time, or the draws would fill the memory
        quantiles = np.stack(
            [
                quantile(np.stack([mmd_from_counts(grams[i], counts) for i in members]), alphas)
                for counts in _draws(n_experiments, n_rep, seed)
            ]
        )
        for position, i in enumerate(members):
            log_n = extrapolate(quantiles[..., position].T, epsilons[i], slope, study_sizes(n_experiments))
            unknown = np.full_like(log_n, np.nan)
            with np.errstate(over="ignore"):
                result[i] = np.stack([np.exp(np.maximum(log_n, 0)), unknown, unknown], axis=-1)
    return result


def _by_size(grams: Sequence[np.ndarray]) -> dict[int, list[int]]:
    """Group Gram matrices by their number of experiments."""
    groups: dict[int, list[int]] = {}
    for i, gram in enumerate(grams):
        groups.setdefault(len(gram), []).append(i)
    return groups


def _fit_line(quantiles: np.ndarray, slope: float | None, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Fit log n, (S,), to log q_n, (A, S), by least squares: slopes and intercepts, (A,)."""
    log_n, log_q = np.log(n), np.log(quantiles)
    if slope is None:
        centred = log_q - log_q.mean(axis=1, keepdims=True)
        spread = (centred**2).sum(axis=1)
        # All quantiles equal: no line can be fitted, and the theorem's slope is what is left.
        slopes = np.where(spread > 0, (centred @ log_n) / np.where(spread > 0, spread, 1), -2.0)
    else:
        slopes = np.full(len(log_q), slope)
    return slopes, log_n.mean() - slopes * log_q.mean(axis=1)


def extrapolate(quantiles: np.ndarray, epsilons: np.ndarray, slope: float | None, n: np.ndarray) -> np.ndarray:
    """Extrapolate quantiles of the MMD along a line in log-log scale.

    Parameters
    ----------
    quantiles : ndarray, shape (A, S)
        One line is fitted per row.
    epsilons : ndarray, shape (E,)
        Where log n is predicted.
    slope : float or None
        Slope of log n over log q; None to fit it.
    n : ndarray, shape (S,)
        The study size of each column.

    Returns
    -------
    ndarray, shape (A, E)
        log n*; 0 where a quantile is 0, because then all results agree.

    Examples
    --------
    >>> n = np.array([2, 3, 4])
    >>> np.exp(extrapolate(3 / np.sqrt(n)[None], np.array([0.5]), None, n)).round(6)
    array([[36.]])
    """
    agree = (quantiles == 0).any(axis=1)
    slopes, intercepts = _fit_line(np.where(agree[:, None], 1.0, quantiles), slope, n)
    predicted = intercepts[:, None] + slopes[:, None] * np.log(epsilons)[None, :]
    return np.where(agree[:, None], 0.0, predicted)


@dataclass(frozen=True)
class PowerLaw:
    """Resampled MMDs for growing studies, and the line through their quantiles: the published estimate, step by step.

    Attributes
    ----------
    n : ndarray, shape (S,)
        Sizes 2 ... N // 2 of the hypothetical studies.
    distances : ndarray, shape (S, n_rep)
        MMD between two studies of each size, sorted.
    quantiles : ndarray, shape (S,)
        The alpha-quantile of each row.
    slope, intercept : float
        ``log n = intercept + slope log q``; NaN if some quantile is 0.
    alpha, epsilon : float
        Wanted generalizability and threshold.
    nstar : float
        What the line predicts at ``epsilon``.
    """

    n: np.ndarray
    distances: np.ndarray
    quantiles: np.ndarray
    slope: float
    intercept: float
    alpha: float
    epsilon: float
    nstar: float


def power_law(
    gram: ArrayLike,
    alpha: float,
    epsilon: float,
    *,
    n_rep: int = 1000,
    rng: np.random.Generator | int = 0,
) -> PowerLaw:
    """Resample the MMD for growing studies and fit the power law of Theorem 4.1 to its quantiles.

    Parameters
    ----------
    gram, alpha, epsilon, n_rep, rng
        See `estimate_nstar`; this is what its method ``resampling`` does, with all that it did on the way.

    Returns
    -------
    PowerLaw

    References
    ----------
    Generalizability of Experimental Studies, second version, Theorem 4.1, Algorithm 2 and Figure 2.

    Examples
    --------
    >>> law = power_law(np.kron(np.eye(2), np.ones((10, 10))), alpha=0.95, epsilon=0.5)
    >>> law.n
    array([ 2,  3,  4,  5,  6,  7,  8,  9, 10])
    """
    gram = check_gram(gram, smallest_study("resampling"))
    levels, eps = check_levels(_one("alpha", alpha)), np.atleast_1d(_check_epsilon(_one("epsilon", epsilon)))
    counts = _draws(len(gram), check_count("n_rep", n_rep), seed_of(rng))
    distances = np.stack([mmd_from_counts(gram, drawn) for drawn in counts])
    quantiles, sizes = quantile(distances, levels), study_sizes(len(gram))
    if (quantiles > 0).all():
        slope, intercept = (float(part[0]) for part in _fit_line(quantiles, None, sizes))
    else:
        slope = intercept = float("nan")
    nstar = max(1.0, float(np.exp(extrapolate(quantiles, eps, None, sizes))[0, 0]))
    return PowerLaw(sizes, np.sort(distances), quantiles[0], slope, intercept, float(levels[0]), float(eps[0]), nstar)


def study_sizes(n_experiments: int) -> np.ndarray:
    """Return the sizes of hypothetical studies that N experiments can be split into twice: 2 ... N // 2.

    Examples
    --------
    >>> study_sizes(9)
    array([2, 3, 4])
    """
    return np.arange(2, n_experiments // 2 + 1)


def _draws(n_experiments: int, n_rep: int, seed: int) -> Iterator[np.ndarray]:
    """Draw pairs of disjoint samples, for one size 2 ... N // 2 after the other, as signed counts, shape (n_rep, N).

    Every kernel and configuration with as many experiments sees the same draws: their differences are less noisy, and
    the estimate of one does not depend on which others are asked for.
    """
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(n_experiments,)))
    return (signed_counts(n_experiments, n, n_rep, rng) for n in study_sizes(n_experiments))


# --- closed form, bound, definition -----------------------------------------------------------------------------------


def support(gram: np.ndarray, probabilities: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Merge the results that the kernel does not tell apart.

    Parameters
    ----------
    gram : ndarray, shape (l, l)
        Kernel values between results.
    probabilities : ndarray, shape (l,), optional
        Probability of each; all alike by default.

    Returns
    -------
    tuple of ndarray, shapes (m, m) and (m,)
        Kernel values between the m <= l distinct results, and their probabilities.

    Examples
    --------
    >>> gram = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> support(gram)[1].round(3)
    array([0.333, 0.667])
    >>> support(gram, np.array([0.1, 0.1, 0.8]))[1]
    array([0.8, 0.2])
    """
    # Equal rows have equal projections; sorting one number a row is much faster than sorting rows.
    projection = (gram @ np.random.default_rng(0).random(len(gram))).round(9)
    _, first, group, counts = np.unique(projection, return_index=True, return_inverse=True, return_counts=True)
    merged = counts / len(gram) if probabilities is None else np.bincount(group.ravel(), weights=probabilities)
    return gram[np.ix_(first, first)], merged


def closed_form(
    gram: ArrayLike,
    alpha: float,
    epsilon: float,
    probabilities: ArrayLike | None = None,
    *,
    centring: str = "weighted",
    normal: str = "exact",
    cubes: int = 1,
) -> float:
    """Return n* from the limiting distribution of n MMD_n^2, a weighted sum of chi-squared variables.

    Parameters
    ----------
    gram : array_like, shape (l, l)
        Kernel values between the distinct results, or between all observed ones.
    alpha : float
        Wanted generalizability, in (0, 1).
    epsilon : float
        MMD up to which two studies are similar, > 0.
    probabilities : array_like, shape (l,), optional
        Probability of each result; without it, equal results are merged and counted.
    centring : {"weighted", "published"}
        The published centring ``H K H`` weighs all results alike, which is right only if they are equally likely.
    normal : {"exact", "lin", "printed"}
        Normal quantile: exact; by Lin's approximation, Eq. 46; or as Eq. 49 prints it, without c3, the square root of
        a negative number for every alpha above 1/2.
    cubes : {1, 3}
        Power of C in the result. Eq. 49 already cubes C, and Eqs. 48 and 52 cube it again: 3 is what is printed.

    Returns
    -------
    float
        n*, >= 0; NaN where the printed formula has no value.

    References
    ----------
    Generalizability of Experimental Studies, second version, Appendix C.1, Eqs. 42 to 52.

    Examples
    --------
    >>> round(closed_form(np.eye(2), alpha=0.95, epsilon=0.5, probabilities=[0.5, 0.5]), 1)
    15.0
    """
    check_choice("centring", centring, ("weighted", "published"))
    check_choice("normal", normal, ("exact", "lin", "printed"))
    check_choice("cubes", cubes, (1, 3))
    gram = check_gram(gram)
    (level,) = check_levels(_one("alpha", alpha))
    _one("epsilon", epsilon)
    if probabilities is None:
        gram, p = support(gram)
    else:
        p = np.asarray(probabilities, dtype=float)
        if p.shape != (len(gram),) or (p < 0).any() or not np.isclose(p.sum(), 1):
            raise ParameterError(f"probabilities must be {len(gram)} numbers >= 0 with sum 1")
    weights = p if centring == "weighted" else np.full(len(p), 1 / len(p))
    centre = np.eye(len(p)) - np.outer(np.ones(len(p)), weights)
    root = np.sqrt(p)
    eigenvalues = np.linalg.eigvalsh(root[:, None] * (centre @ gram @ centre.T) * root)
    first, second = eigenvalues.sum(), (eigenvalues**2).sum()
    if first <= 1e-12:
        return 1.0
    d = first**2 / second  # Eq. 42, simplified: Lambda_2 - Lambda_1^2 = 2 sum lambda^2
    tail = np.log(2 * (1 - level))
    with np.errstate(invalid="ignore"):
        z = {
            "exact": stats.norm.ppf(level),
            "lin": -0.861779 + 0.00120192 * np.sqrt(514089 - 1664000 * tail),
            "printed": -0.861779 + 0.00120192 * np.sqrt(514089 * tail),
        }[normal]
    c = (np.sqrt(2 / (9 * d)) * z + 1 - 2 / (9 * d)) ** 3
    return float(2 * first * c**cubes / _check_epsilon(epsilon) ** 2)


def bound(alpha: float, epsilon: float, kappa_sup: float = 1.0) -> float:
    """Return a number of experiments that is enough for any distribution of results.

    Parameters
    ----------
    alpha : float
        Wanted generalizability, in (0, 1).
    epsilon : float
        MMD up to which two studies are similar, > 0.
    kappa_sup : float
        Largest value of the kernel, > 0.

    Returns
    -------
    float
        Usually about ten times what is needed.

    References
    ----------
    Generalizability of Experimental Studies, second version, Proposition C.4, Eqs. 59 and 60 (Eq. 61 does not follow).

    Examples
    --------
    >>> round(bound(alpha=0.95, epsilon=0.3162))
    238
    """
    _positive("kappa_sup", kappa_sup)
    (level,) = check_levels(alpha)
    root = np.sqrt(-4 * kappa_sup * np.log(1 - level)) + np.sqrt(2 * kappa_sup)
    return float((root / _check_epsilon(epsilon)) ** 2)


def _positive(name: str, value: float) -> None:
    if not value > 0:
        raise ParameterError(f"{name} must be positive, got {value!r}")


def definition(
    gram: ArrayLike,
    alpha: float,
    epsilon: float,
    probabilities: ArrayLike | None = None,
    *,
    n_rep: int = 10_000,
    rng: np.random.Generator | int = 0,
    n_max: int = 100_000,
    interpolate: bool = False,
) -> float:
    """Search the smallest n with n-Gen >= alpha, by simulating studies from a known distribution of results.

    Parameters
    ----------
    gram : array_like, shape (l, l)
        Kernel values between the possible results.
    alpha, epsilon : float
        Wanted generalizability, in (0, 1), and the MMD up to which two studies are similar, > 0.
    probabilities : array_like, shape (l,), optional
        Probability of each result; uniform by default, that is the empirical distribution of l experiments.
    n_rep : int
        Simulated pairs of studies per n.
    rng : numpy.random.Generator or int
        Source of randomness, or its seed.
    n_max : int
        Where the search gives up.
    interpolate : bool
        Return the real number between n - 1 and n at which the quantile of the MMD crosses ``epsilon`` on the scale of
        logarithms. Estimates are real numbers too: errors against a whole number would hold its rounding.

    Returns
    -------
    float
        A whole number unless interpolated, or ``inf`` if more than ``n_max`` experiments are needed.

    References
    ----------
    Generalizability of Experimental Studies, second version, Eq. 9.

    Examples
    --------
    >>> definition(np.eye(2), alpha=0.95, epsilon=0.5)
    15.0
    """
    gram = check_gram(gram)
    (level,) = check_levels(alpha)
    epsilon = float(_check_epsilon(epsilon))
    p = np.full(len(gram), 1 / len(gram)) if probabilities is None else np.asarray(probabilities, dtype=float)
    if p.shape != (len(gram),) or (p < 0).any() or not np.isclose(p.sum(), 1):
        raise ParameterError(f"probabilities must be {len(gram)} numbers >= 0 with sum 1")
    seed = seed_of(rng)

    @cache
    def distances(n: int) -> np.ndarray:
        return simulated_mmd(gram, p, n, n_rep, np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(n,))))

    n = _smallest(lambda n: float(np.mean(_within(distances(n), epsilon))) >= level, n_max, len(gram) <= _FEW_RESULTS)
    if not interpolate or n == 1 or not isfinite(n):
        return n
    before, after = (float(quantile(distances(int(m)), level)) for m in (n - 1, n))
    if before <= epsilon or not 0 < after < before:
        return n
    share = np.log(before / epsilon) / np.log(before / after)
    return float(np.exp(np.log(n - 1) + min(share, 1.0) * np.log(n / (n - 1))))


def _smallest(enough: Callable[[int], bool], n_max: int, few_results: bool) -> float:
    """Search the smallest n that is enough, or infinity: one by one up to 16, then by doubling and bisection.

    With few distinct results the MMD has few values, and n-Gen goes up and down with n on its way up: then every n from
    half of what bisection found is looked at.
    """
    for n in range(1, 17):
        if enough(n):
            return float(n)
    low, high = 16, 32
    while not enough(high):
        low, high = high, 2 * high
        if low >= n_max:
            return float("inf")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    if few_results:
        return float(next(n for n in range(max(17, high // 2), high + 1) if enough(n)))
    return float(high)


def seed_of(rng: np.random.Generator | int) -> int:
    """Return a seed from which independent streams can be spawned: the number itself, or one drawn from a generator.

    Examples
    --------
    >>> seed_of(7)
    7
    """
    return int(rng.integers(2**63)) if isinstance(rng, np.random.Generator) else int(rng)


def redrawn_estimates(
    gram: ArrayLike,
    size: int,
    alpha: float,
    epsilon: float,
    *,
    n_draws: int = 200,
    replace: bool = True,
    method: str = "resampling",
    n_rep: int = 200,
    rng: np.random.Generator | int = 0,
) -> np.ndarray:
    """Estimate n* again and again from a few of the experiments, drawn at random.

    Parameters
    ----------
    gram : array_like, shape (N, N)
        Kernel values between all N observed results.
    size : int
        How many experiments each estimate is made from.
    alpha, epsilon, method, n_rep
        See `estimate_nstar`.
    n_draws : int
        Number of estimates.
    replace : bool
        Draw with replacement, as the second version's case studies did, or without.
    rng : numpy.random.Generator or int
        Source of randomness, or its seed.

    Returns
    -------
    ndarray, shape (n_draws,)

    Raises
    ------
    ParameterError
        If ``size`` is too small for the method, or larger than N without replacement.

    Examples
    --------
    >>> gram = np.kron(np.eye(2), np.ones((10, 10)))
    >>> redrawn_estimates(gram, 10, alpha=0.95, epsilon=0.5, n_draws=3).shape
    (3,)
    """
    gram = check_gram(gram)
    if size < smallest_study(method) or (not replace and size > len(gram)):
        raise ParameterError(
            f"size must be at least {smallest_study(method)} for {method!r}"
            f"{'' if replace else f' and at most {len(gram)} without replacement'}, got {size}"
        )
    seed = seed_of(rng)
    draw = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(len(gram), size)))
    grams = []
    for _ in range(n_draws):
        rows = draw.choice(len(gram), size=size, replace=replace)
        grams.append(gram[np.ix_(rows, rows)])
    epsilons = [np.atleast_1d(_check_epsilon(epsilon))] * n_draws
    return np.stack(estimate_grid(grams, check_levels(alpha), epsilons, method, n_rep, seed))[:, 0, 0, 0]


# --- one entrance -----------------------------------------------------------------------------------------------------


def _pointwise(function: Callable[..., tuple[float, float, float]]) -> Callable[..., list[np.ndarray]]:
    """Make a method for many Gram matrices, levels and thresholds from one for a single one of each."""

    def method(grams: Sequence[np.ndarray], alphas: np.ndarray, epsilons: Sequence[np.ndarray]) -> list[np.ndarray]:
        return [
            np.array([[function(gram, alpha, epsilon) for epsilon in eps] for alpha in alphas])
            for gram, eps in zip(grams, epsilons, strict=True)
        ]

    return method


def _moments(grams: Sequence[np.ndarray], alphas: np.ndarray, epsilons: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Call `nstar_by_moments` once for all Gram matrices of the same size."""
    result: list[np.ndarray] = [np.empty(0)] * len(grams)
    for members in _by_size(grams).values():
        stack = np.stack([grams[i] for i in members])
        estimates = nstar_by_moments(stack, alphas, np.stack([epsilons[i] for i in members]))
        for i, estimate in zip(members, estimates, strict=True):
            result[i] = estimate
    return result


METHODS = {
    "moments": "moment matching with jackknife interval (the default)",
    "resampling": "as published: quantiles of the resampled MMD, extrapolated along a fitted line",
    "resampling-slope-2": "the same with the slope -2 that Theorem 4.1 proves",
    "closed-form": "limiting distribution, Appendix C.1, corrected",
    "bound": "enough for any distribution, Proposition C.4",
    "definition": "simulation from the empirical distribution with replacement",
}
_SMALLEST = {"resampling": 6}  # a line needs two points, n = 2 and 3


def estimate_grid(
    grams: Sequence[np.ndarray],
    alphas: np.ndarray,
    epsilons: Sequence[np.ndarray],
    method: str,
    n_rep: int,
    seed: int,
) -> list[np.ndarray]:
    """Estimate n* for many Gram matrices, levels and thresholds.

    Parameters
    ----------
    grams : sequence of G arrays, shapes (N_g, N_g)
    alphas : ndarray, shape (A,)
    epsilons : sequence of G arrays, shape (E,) each
    method, n_rep, seed
        See `estimate_nstar`.

    Returns
    -------
    list of G arrays, shape (A, E, 3)
        Value, low and high.

    Examples
    --------
    >>> grid = estimate_grid([np.eye(5)], np.array([0.9]), [np.array([0.3, 0.6])], "moments", 0, 0)
    >>> grid[0].shape
    (1, 2, 3)
    """
    if method == "moments":
        return _moments(grams, alphas, epsilons)
    if method in ("resampling", "resampling-slope-2"):
        return _resampling(grams, alphas, epsilons, n_rep, seed, None if method == "resampling" else -2.0)
    if method == "closed-form":
        return _pointwise(lambda g, a, e: (max(closed_form(g, a, e), 1.0), np.nan, np.nan))(grams, alphas, epsilons)
    if method == "bound":
        return _pointwise(lambda g, a, e: (bound(a, e, g.max()), 1.0, bound(a, e, g.max())))(grams, alphas, epsilons)
    return _pointwise(lambda g, a, e: (definition(g, a, e, n_rep=n_rep, rng=seed), np.nan, np.nan))(
        grams, alphas, epsilons
    )


def estimate_in_parallel(
    grams: Sequence[np.ndarray],
    alphas: np.ndarray,
    epsilons: Sequence[np.ndarray],
    method: str,
    n_rep: int,
    seed: int,
    n_jobs: int,
) -> list[np.ndarray]:
    """Call `estimate_grid` on ``n_jobs`` workers; the result does not depend on their number.

    Examples
    --------
    >>> args = [np.eye(5)] * 3, np.array([0.9]), [np.array([0.3])] * 3, "moments", 0, 0
    >>> bool(np.all(np.equal(estimate_in_parallel(*args, n_jobs=2), estimate_grid(*args))))
    True
    """
    if n_jobs == 1 or len(grams) == 1:
        return estimate_grid(grams, alphas, epsilons, method, n_rep, seed)
    size = ceil(len(grams) / effective_n_jobs(n_jobs))
    chunks = [slice(start, start + size) for start in range(0, len(grams), size)]
    parts = Parallel(n_jobs=n_jobs)(
        delayed(estimate_grid)(grams[chunk], alphas, epsilons[chunk], method, n_rep, seed) for chunk in chunks
    )
    return [estimate for part in parts for estimate in part]


def smallest_study(method: str) -> int:
    """Return how many experiments a method needs at least.

    Examples
    --------
    >>> smallest_study("moments"), smallest_study("resampling")
    (4, 6)
    """
    check_choice("method", method, METHODS)
    return _SMALLEST.get(method, MIN_EXPERIMENTS)


def estimate_nstar(
    gram: ArrayLike,
    alpha: float = 0.95,
    epsilon: float = 0.3,
    method: str = "moments",
    *,
    n_rep: int = 1000,
    rng: np.random.Generator | int = 0,
) -> NStar:
    """Estimate how many experiments make a study generalizable, from the results of N experiments.

    Parameters
    ----------
    gram : array_like, shape (N, N)
        Kernel values between the N observed results, N >= 4 (6 for ``resampling``).
    alpha : float
        Wanted generalizability: probability that two studies are similar, in (0, 1).
    epsilon : float
        MMD up to which two studies are similar, > 0; ``kernel.epsilon(delta, n_alternatives)``.
    method : str
        ``moments``: mean, variance and skewness of n MMD_n^2, estimated without bias and matched by a shifted and
        scaled chi-squared distribution (see `genexpy_nb.moments`); needs no resampling; 95 % interval by jackknife.
        ``resampling``: as published, Algorithm 2: quantiles of the MMD between disjoint halves, n = 2 ... N / 2, a line
        fitted to log n against log quantile, and extrapolated to ``epsilon``.
        ``resampling-slope-2``: the same with the slope of Theorem 4.1 instead of a fitted one.
        ``closed-form``, ``bound``, ``definition``: see the functions of these names.
    n_rep : int
        Repetitions where the method resamples.
    rng : numpy.random.Generator or int
        Source of randomness, or its seed, where the method resamples.

    Returns
    -------
    NStar

    Raises
    ------
    ParameterError
        If the Gram matrix is not one, has too few experiments, or a parameter is out of range.

    References
    ----------
    Generalizability of Experimental Studies, second version, Section 4.5 and Appendices C and D.

    Examples
    --------
    >>> gram = np.kron(np.eye(2), np.ones((10, 10)))
    >>> nstar = estimate_nstar(gram, alpha=0.95, epsilon=0.5)
    >>> nstar.experiments, nstar.n_experiments
    (15, 20)
    """
    gram = check_gram(gram, smallest_study(method))
    check_count("n_rep", n_rep)
    epsilons = [np.atleast_1d(_check_epsilon(_one("epsilon", epsilon)))]
    levels = check_levels(_one("alpha", alpha))
    ((value, low, high),) = estimate_grid([gram], levels, epsilons, method, n_rep, seed_of(rng))[0][0]
    return NStar(float(value), float(low), float(high), method, len(gram))
