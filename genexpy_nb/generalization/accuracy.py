"""How good estimates of n* are, in worlds whose truth is known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from genexpy_nb.common.checks import (
    TOLERANCE,
    check_level,
)
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.random import seed_of, stream
from genexpy_nb.generalization.discrepancy import quantile, simulated_mmd
from genexpy_nb.generalization.gram import support
from genexpy_nb.generalization.kernels import Kernel
from genexpy_nb.generalization.nstar import estimate_each, smallest_study
from genexpy_nb.generalization.resampling import extrapolate
from genexpy_nb.generalization.samplers import RankingDistribution
from genexpy_nb.generalization.simulation import definition

# Small matrices: threads only get in each other's way, and can change last digits.
one_thread = threadpool_limits.wrap(limits=1)


def population(distribution: RankingDistribution, kernel: Kernel) -> tuple[np.ndarray, np.ndarray]:
    """Return what a kernel sees of a distribution: the results that it tells apart, and how likely they are."""
    return support(kernel.gram(distribution.rankings), distribution.probabilities)


@one_thread
def simulate_estimates(
    distribution: RankingDistribution,
    kernel: Kernel,
    sizes: Sequence[int] = (10, 20, 40, 80),
    methods: Sequence[str] = ("moments", "resampling"),
    alpha: float = 0.95,
    delta: float = 0.05,
    *,
    n_studies: int = 100,
    n_resamples: int = 200,
    rng: np.random.Generator | int = 0,
    truth: float | None = None,
) -> pd.DataFrame:
    """Draw studies of several sizes from a known distribution, and estimate n* from each in several ways."""
    for method in methods:
        if min(sizes) < smallest_study(method):
            raise ParameterError(f"sizes must be at least {smallest_study(method)} for {method!r}, got {min(sizes)}")
    gram, p = population(distribution, kernel)
    epsilon = float(kernel.epsilon(delta, distribution.rankings.shape[1]))
    seed = seed_of(rng)
    truth = true_nstar(gram, p, alpha, epsilon, 20_000, seed) if truth is None else truth
    frames = []
    for size in sizes:
        rows = stream(seed, size).choice(len(p), size=(n_studies, size), p=p)
        grams = [gram[np.ix_(row, row)] for row in rows]
        for method in methods:
            values = estimate_each(grams, alpha, epsilon, method, n_resamples, seed)
            frames.append(as_frame(values, size, method))
    result = pd.concat(frames, ignore_index=True)
    result.insert(0, "kernel", kernel.name)
    # an end may be n* itself, where few results are possible, but for the last bit
    covered = (result["low"] <= truth * (1 + TOLERANCE)) & (truth <= result["high"] * (1 + TOLERANCE))
    return result.assign(
        true=truth, ratio=result["nstar"] / truth, covered=covered.astype("boolean").mask(result["low"].isna())
    )


@one_thread
def pool_estimates(
    distribution: RankingDistribution,
    kernel: Kernel,
    sizes: Sequence[int] = (10, 20, 40, 80),
    alpha: float = 0.95,
    delta: float = 0.05,
    *,
    n_studies: int = 100,
    n_resamples: int = 200,
    step: int = 2,
    n_simulated: int = 2000,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Estimate n* as the published code of Figure 5 does: resample a large pool instead of the N experiments."""
    gram, p = population(distribution, kernel)
    epsilon = np.array([float(kernel.epsilon(delta, distribution.rankings.shape[1]))])
    alpha, seed = check_level("alpha", alpha), seed_of(rng)
    sizes_of_studies = np.arange(2, max(sizes) // 2 + 1, step)
    quantiles = np.empty((n_studies, len(sizes_of_studies)))
    for column, n in enumerate(sizes_of_studies.tolist()):
        draw = stream(seed, n)
        distances = simulated_mmd(gram, p, n, n_simulated, draw)
        quantiles[:, column] = quantile(draw.choice(distances, size=(n_studies, n_resamples)), alpha)
    frames = []
    for size in sizes:
        used = sizes_of_studies <= size // 2
        with np.errstate(over="ignore"):  # a line that is nearly flat, or rises, has no end
            nstar = np.exp(extrapolate(quantiles[:, used], epsilon, None, sizes_of_studies[used]))
        frames.append(as_frame(nstar, size, "pool", ["nstar"]))
    result = pd.concat(frames, ignore_index=True)
    result.insert(0, "kernel", kernel.name)
    return result


def true_nstar(gram: np.ndarray, p: np.ndarray, alpha: float, epsilon: float, n_simulated: int, seed: int) -> float:
    """The real n* of a known distribution; of few results it jumps, so that more studies are needed, and cheap."""
    n_studies = 20 * n_simulated if len(p) <= 4 else n_simulated
    return definition(gram, alpha, epsilon, p, n_studies=n_studies, rng=seed, interpolate=True)


def as_frame(
    values: np.ndarray, size: int, method: str, columns: Sequence[str] = ("nstar", "low", "high")
) -> pd.DataFrame:
    """Label estimates, (n_draws, n_columns), by draw, method and size."""
    frame = pd.DataFrame(values, columns=list(columns))
    frame.insert(0, "draw", np.arange(len(values)))
    frame.insert(0, "method", method)
    frame.insert(0, "size", size)
    return frame
