"""Worked checks of the methods chapter (notebook 11): small simulations, each with one claim to hold them against."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from genexpy_nb.common.checks import check_count, check_level, check_levels, check_number, check_positives, similar
from genexpy_nb.common.random import seed_of, stream
from genexpy_nb.generalization.intervals import nstar_of_two_results
from genexpy_nb.generalization.kernels import JaccardKernel
from genexpy_nb.generalization.limit_law import World, population_moments
from genexpy_nb.generalization.moments import kernel_moments, largest_solution, squared_distances, third_moment
from genexpy_nb.generalization.nstar import estimate_each
from genexpy_nb.generalization.resampling import power_law
from genexpy_nb.generalization.simulation import definition

__all__ = [
    "agreement_beside_generalizability",
    "crossed_squared_distances",
    "estimated_moments",
    "nstar_with_early_exit",
    "overlap_of_winners",
    "refinements",
    "with_and_without_early_exit",
]


# --- estimation -------------------------------------------------------------------------------------------------------


def estimated_moments(
    world: World, size: int, *, n_studies: int = 2000, rng: np.random.Generator | int = 0
) -> pd.DataFrame:
    """Average the estimates of the moments over many samples, beside the moments of the world.

    Parameters
    ----------
    world : World
    size : int
        Experiments N in each sample, >= 6.
    n_studies : int
        Samples.
    rng : numpy.random.Generator or int
        Source of randomness, or its seed.

    Returns
    -------
    DataFrame, rows L1, S2, S3, v
        ``truth``; ``unbiased`` and ``error``, the mean of the estimates of `genexpy_nb.generalization.moments` and its
        Monte Carlo standard error; ``plugged in``, the mean of what the empirical distribution of the sample has.

    Examples
    --------
    >>> from genexpy_nb.generalization.limit_law import example_worlds
    >>> estimated_moments(example_worlds()[1], 8, n_studies=500)["truth"].round(3).tolist()
    [0.495, 0.245, 0.121, 0.25]
    """
    size, n_studies = check_count("size", size, 6), check_count("n_studies", n_studies)
    p = world.probabilities
    rows = stream(seed_of(rng), size).choice(len(p), size=(n_studies, size), p=p)
    distances = squared_distances(world.gram[rows[:, :, None], rows[:, None, :]])
    l1, s2, v = kernel_moments(distances)[:, 0].T
    estimates = np.stack([l1, s2, third_moment(distances), v])
    means = distances.mean(axis=-1)
    grand = means.mean(axis=-1)[:, None, None]
    spectra = np.linalg.eigvalsh((means[:, :, None] + means[:, None, :] - grand - distances) / 2) / size
    plugged = [(spectra**power).sum(axis=1).mean() for power in (1, 2, 3)]
    known = population_moments(world.gram, p)
    return pd.DataFrame(
        {
            "truth": [known.l1, known.s2, known.s3, known.v],
            "unbiased": estimates.mean(axis=1),
            "error": estimates.std(axis=1) / np.sqrt(n_studies),
            "plugged in": [*plugged, (distances.var(axis=(-1, -2)) / 4).mean()],
        },
        index=pd.Index(["L1", "S2", "S3", "v"], name="moment"),
    )


def refinements(shares: ArrayLike, alpha: float, deltas: ArrayLike) -> pd.DataFrame:
    """Return n* of two results with nothing in common, exactly, and by three moments without and with refinements.

    Parameters
    ----------
    shares : array_like, shape (P,)
        Of the rarer of the two results, in (0, 1).
    alpha : float
        Wanted generalizability, in (0, 1).
    deltas : array_like, shape (D,)
        Tolerances of the Jaccard kernel, in (0, 1].

    Returns
    -------
    DataFrame
        One row per share and tolerance: ``share``, ``delta``, ``exact`` (the real number at which the enumerated
        quantile crosses the threshold), ``three moments``, ``half a step`` (with the mean that two distinct results ask
        for) and ``floor`` (with that, and no less than a random pair of results allows).

    References
    ----------
    Ours, see `genexpy_nb.generalization.moments`.

    Examples
    --------
    >>> refinements([0.45], 0.95, [0.05])[["exact", "three moments", "half a step"]].round(1).values.tolist()
    [[35.8, 37.8, 35.6]]
    """
    alpha, epsilons = check_level("alpha", alpha), np.sqrt(2 * check_positives("deltas", deltas))
    frames = []
    for share in check_levels("shares", shares):
        known = population_moments(np.eye(2), [share, 1 - share])
        nu = known.degrees
        gain = (stats.chi2.ppf(alpha, nu) - nu) / np.sqrt(2 * nu)
        steps = np.stack([np.zeros(len(epsilons)), epsilons / np.sqrt(2)])  # sqrt 2: the distance of the two results
        mean = known.mean * np.maximum(1 - steps, 0)
        plain, refined = largest_solution(mean, np.array(gain), np.array(known.s2), np.array(known.v), epsilons**2)
        floor = np.sqrt(2) / epsilons if 2 * share * (1 - share) > 1 - alpha else np.ones(len(epsilons))
        ratios = (epsilons / np.sqrt(2))[None]
        exact = nstar_of_two_results(np.array([share * (1 - share)]), np.array([alpha]), ratios)[0, 0]
        columns = {"delta": epsilons**2 / 2, "exact": exact, "three moments": plain, "half a step": refined}
        frame = pd.DataFrame({**columns, "floor": np.maximum(refined, floor)})
        frame.insert(0, "share", share)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


# --- the first version ------------------------------------------------------------------------------------------------


def nstar_with_early_exit(
    gram: ArrayLike,
    alpha: float,
    epsilon: float,
    *,
    n_resamples: int = 200,
    rng: np.random.Generator | int = 0,
) -> tuple[float, bool]:
    """Estimate n* as the text of the first version says: an n that the resampled parts already show is returned.

    Parameters
    ----------
    gram : array_like, shape (N, N)
        Kernel values between the N >= 6 observed results.
    alpha, epsilon : float
        Wanted generalizability and threshold.
    n_resamples : int
        Pairs of disjoint parts per n.
    rng : numpy.random.Generator or int
        Source of randomness, or its seed.

    Returns
    -------
    nstar : float
        The first n from 2 to N // 2 whose resampled quantile is not above the threshold; if there is none, what the
        fitted line predicts, as in the second version.
    found : bool
        Whether it was found without the line.

    References
    ----------
    Generalizability of experimental studies, first version, Section 4.2, step 1.

    Examples
    --------
    >>> gram = np.kron(np.eye(2), np.ones((20, 20)))
    >>> nstar_with_early_exit(gram, 0.95, epsilon=0.9)[1], nstar_with_early_exit(gram, 0.95, epsilon=0.1)[1]
    (True, False)
    """
    epsilon = check_number("epsilon", epsilon, 0)
    law = power_law(gram, alpha, epsilon, n_resamples=n_resamples, rng=rng)
    enough = similar(law.quantiles, epsilon)
    if enough.any():
        return float(law.n[int(np.argmax(enough))]), True
    return law.nstar, False


def with_and_without_early_exit(
    worlds: Sequence[World],
    alpha: float,
    size: int,
    *,
    n_studies: int = 100,
    n_resamples: int = 200,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Estimate n* from many samples with the early exit of the first version, by the line alone, and by moments.

    Parameters
    ----------
    worlds : list of World
    alpha : float
        Wanted generalizability, in (0, 1).
    size : int
        Experiments N in each sample, >= 6.
    n_studies, n_resamples, rng
        See `nstar_with_early_exit`; samples per world.

    Returns
    -------
    DataFrame
        One row per world, sample and way (``early exit``, ``line``, ``moments``): ``world``, ``study``, ``way``,
        ``nstar``, ``truth``, and ``found``, whether the sample ended the search early.

    Examples
    --------
    >>> from genexpy_nb.generalization.limit_law import example_worlds
    >>> frame = with_and_without_early_exit(example_worlds()[:1], 0.95, 20, n_studies=2)
    >>> frame["way"].tolist()
    ['early exit', 'line', 'moments', 'early exit', 'line', 'moments']
    """
    seed, rows = seed_of(rng), []
    size, n_studies = check_count("size", size, 6), check_count("n_studies", n_studies)
    for world in worlds:
        p = world.probabilities
        truth = definition(world.gram, alpha, world.epsilon, p, rng=seed, interpolate=True)
        draws = stream(seed, size).choice(len(p), size=(n_studies, size), p=p)
        grams = [world.gram[np.ix_(row, row)] for row in draws]
        by_moments = estimate_each(grams, alpha, world.epsilon, "moments", n_resamples, seed)[:, 0]
        for study, gram in enumerate(grams):
            early, found = nstar_with_early_exit(gram, alpha, world.epsilon, n_resamples=n_resamples, rng=seed)
            line = power_law(gram, alpha, world.epsilon, n_resamples=n_resamples, rng=seed).nstar if found else early
            of = {"world": world.name, "study": study, "truth": truth, "found": found}
            ways = {"early exit": early, "line": line, "moments": float(by_moments[study])}
            rows += [{**of, "way": way, "nstar": nstar} for way, nstar in ways.items()]
    return pd.DataFrame(rows)[["world", "study", "way", "nstar", "truth", "found"]]


# --- kernels, factors, conclusions ------------------------------------------------------------------------------------


def overlap_of_winners(rankings: ArrayLike) -> np.ndarray:
    """Return a plausible similarity that is no kernel: common winners over the winners of the smaller set.

    Parameters
    ----------
    rankings : array_like of int, shape (N, n_alternatives)
        Tiers, 0 = best.

    Returns
    -------
    ndarray, shape (N, N)
        Symmetric, in [0, 1], 1 on the diagonal, and not positive semidefinite in general.

    Examples
    --------
    >>> overlap_of_winners([[0, 1], [1, 0], [0, 0]])
    array([[1., 0., 1.],
           [0., 1., 1.],
           [1., 1., 1.]])
    """
    best = (np.asarray(rankings) == 0).astype(float)
    sizes = best.sum(axis=1)
    return (best @ best.T) / np.minimum(sizes[:, None], sizes)


def crossed_squared_distances(
    variances: Sequence[float],
    sizes: Sequence[int],
    *,
    dimensions: int = 4,
    n_pairs: int = 2000,
    rng: np.random.Generator | int = 0,
) -> np.ndarray:
    """Simulate MMD^2 between two studies that cross two random factors, with the kernel ``x y``.

    Parameters
    ----------
    variances : sequence of three float
        V_A, V_B and V_AB: traces of the covariance of the effects of A, of B, and of their interaction, >= 0.
    sizes : sequence of two int
        Levels n of A and m of B in each study, all drawn afresh.
    dimensions : int
        Over which each variance is spread evenly.
    n_pairs : int
        Pairs of studies.
    rng : numpy.random.Generator or int
        Source of randomness, or its seed.

    Returns
    -------
    ndarray, shape (n_pairs,)
        Squared distances of the means of the two studies.

    Examples
    --------
    >>> found = crossed_squared_distances([1.0, 2.0, 0.5], [10, 4], n_pairs=4000)
    >>> bool(abs(found.mean() - 2 * (1 / 10 + 2 / 4 + 0.5 / 40)) < 0.05)
    True
    """
    v_a, v_b, v_ab = (check_number("variances", each, 0, ends="[)") for each in variances)
    n, m = (check_count("sizes", each) for each in sizes)
    n_pairs, dimensions = check_count("n_pairs", n_pairs), check_count("dimensions", dimensions)
    draw = stream(seed_of(rng), n, m)
    shape = (2, n_pairs, dimensions)
    # effects that were really drawn, level by level: means of n, m and n m of them
    total = np.zeros(shape)
    for variance, levels in ((v_a, n), (v_b, m), (v_ab, n * m)):
        spread = np.sqrt(variance / dimensions)
        total += sum((draw.normal(scale=spread, size=shape) for _ in range(levels)), np.zeros(shape)) / levels
    return ((total[0] - total[1]) ** 2).sum(axis=-1)


def agreement_beside_generalizability(
    effects: ArrayLike,
    alpha: float,
    delta: float,
    *,
    n_pairs: int = 2000,
    n_drawn: int = 20_000,
    rng: np.random.Generator | int = 0,
) -> dict[str, float]:
    """Compare the n* of "who wins?" with how often two studies of n* experiments name the same winner.

    Parameters
    ----------
    effects : array_like, shape (n_alternatives,)
        True means, in standard deviations of a score; errors are normal.
    alpha, delta : float
        Wanted generalizability and tolerance of the Jaccard kernel.
    n_pairs : int
        Pairs of studies whose winners are compared.
    n_drawn : int
        Experiments from which the shares of the winners of single experiments are taken.
    rng : numpy.random.Generator or int
        Source of randomness, or its seed.

    Returns
    -------
    dict
        ``n`` (n*, whole), ``same winner`` (probability that two studies of n experiments have the same winner by mean
        rank) and ``most often`` (largest share of a winner of single experiments).

    Examples
    --------
    >>> found = agreement_beside_generalizability([0.0, 0.0], 0.95, 0.05, n_pairs=500)
    >>> found["n"] > 30, abs(found["same winner"] - 0.5) < 0.1
    (True, True)
    """
    means, seed = np.asarray(effects, dtype=float), seed_of(rng)
    drawn = stream(seed, 0).normal(means, size=(check_count("n_drawn", n_drawn), len(means)))
    shares = np.bincount(drawn.argmax(axis=1), minlength=len(means)) / n_drawn
    epsilon = float(JaccardKernel().epsilon(delta, len(means)))
    n = int(definition(np.eye(len(means)), alpha, epsilon, shares, rng=seed))
    winners = []
    for which in (1, 2):
        scores = stream(seed, which).normal(means, size=(check_count("n_pairs", n_pairs), n, len(means)))
        winners.append((-scores).argsort(axis=2).argsort(axis=2).sum(axis=1))
    first, second = (each == each.min(axis=1, keepdims=True) for each in winners)
    same = (first / first.sum(axis=1, keepdims=True) * (second / second.sum(axis=1, keepdims=True))).sum(axis=1)
    return {"n": float(n), "same winner": float(same.mean()), "most often": float(shares.max())}
