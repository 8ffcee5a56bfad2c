"""How good is an estimate of n* from N preliminary experiments? Simulated studies, and real ones drawn again.

Behind notebook 04: the first version's Figure 4 (`subsampling_errors`), the second version's Figure 5 as its text says
(`simulate_estimates`) and as its published code does it (`pool_estimates`), and the same for every estimator.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from genexpy_nb.common.checks import TOLERANCE, check_level, similar
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.random import seed_of, stream
from genexpy_nb.generalization.discrepancy import quantile, simulated_mmd
from genexpy_nb.generalization.exact import weak_orders
from genexpy_nb.generalization.gram import support
from genexpy_nb.generalization.kernels import Kernel
from genexpy_nb.generalization.nstar import estimate_each, smallest_study
from genexpy_nb.generalization.resampling import extrapolate
from genexpy_nb.generalization.samplers import RankingDistribution, n_weak_orders, sample_weak_orders
from genexpy_nb.generalization.simulation import definition
from genexpy_nb.generalization.study import Study

__all__ = [
    "pool_estimates",
    "population",
    "simulate_estimates",
    "subsampling_errors",
    "summarise_errors",
    "uniform_estimates",
    "uniform_truth_again",
    "uniform_weak_orders",
]

# Small matrices: threads only get in each other's way, and can change last digits.
_one_thread = threadpool_limits.wrap(limits=1)


def population(distribution: RankingDistribution, kernel: Kernel) -> tuple[np.ndarray, np.ndarray]:
    """Return what a kernel sees of a distribution: the results that it tells apart, and how likely they are.

    Parameters
    ----------
    distribution : RankingDistribution
    kernel : kernel on rankings

    Returns
    -------
    tuple of ndarray, shapes (l, l) and (l,)
        Kernel values between the results, and their probabilities; as `genexpy_nb.definition` takes them.

    Examples
    --------
    >>> from genexpy_nb.generalization.kernels import JaccardKernel
    >>> population(RankingDistribution([[0, 1, 2], [0, 2, 1], [1, 0, 2]], [0.4, 0.2, 0.4]), JaccardKernel())
    (array([[1., 0.],
           [0., 1.]]), array([0.4, 0.6]))
    """
    return support(kernel.gram(distribution.rankings), distribution.probabilities)


@_one_thread
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
    """Draw studies of several sizes from a known distribution, and estimate n* from each in several ways.

    Parameters
    ----------
    distribution : RankingDistribution
        What the studies are drawn from.
    kernel : kernel on rankings
    sizes : list of int
        Numbers N of preliminary experiments.
    methods : list of str
        Of `genexpy_nb.generalization.nstar.METHODS`; all see the same studies.
    alpha, delta : float
        Wanted generalizability and tolerance.
    n_studies : int
        Studies per size.
    n_resamples : int
        Repetitions where a method resamples.
    rng : numpy.random.Generator or int
        Source of randomness, or its seed.
    truth : float, optional
        n* of the distribution; simulated if not given.

    Returns
    -------
    DataFrame
        One row per size, method and draw: kernel, size, method, draw, nstar, low, high, true, ratio (nstar / true),
        covered (whether the interval holds the truth; missing where the method has none).

    Raises
    ------
    ParameterError
        If a size is too small for a method.

    References
    ----------
    Generalizability of Experimental Studies, second version, Section 5.3 and Figure 5.

    Examples
    --------
    >>> from genexpy_nb.generalization.kernels import MallowsKernel
    >>> two = RankingDistribution([[0, 1, 2], [1, 0, 2]], [0.5, 0.5])
    >>> simulate_estimates(two, MallowsKernel(), sizes=[10], n_studies=3)[["size", "method"]].value_counts().tolist()
    [3, 3]
    """
    for method in methods:
        if min(sizes) < smallest_study(method):
            raise ParameterError(f"sizes must be at least {smallest_study(method)} for {method!r}, got {min(sizes)}")
    gram, p = population(distribution, kernel)
    epsilon = float(kernel.epsilon(delta, distribution.rankings.shape[1]))
    seed = seed_of(rng)
    truth = _true_nstar(gram, p, alpha, epsilon, 20_000, seed) if truth is None else truth
    frames = []
    for size in sizes:
        rows = stream(seed, size).choice(len(p), size=(n_studies, size), p=p)
        grams = [gram[np.ix_(row, row)] for row in rows]
        for method in methods:
            values = estimate_each(grams, alpha, epsilon, method, n_resamples, seed)
            frames.append(_as_frame(values, size, method))
    result = pd.concat(frames, ignore_index=True)
    result.insert(0, "kernel", kernel.name)
    # an end may be n* itself, where few results are possible, but for the last bit
    covered = (result["low"] <= truth * (1 + TOLERANCE)) & (truth <= result["high"] * (1 + TOLERANCE))
    return result.assign(
        true=truth, ratio=result["nstar"] / truth, covered=covered.astype("boolean").mask(result["low"].isna())
    )


def _true_nstar(gram: np.ndarray, p: np.ndarray, alpha: float, epsilon: float, n_simulated: int, seed: int) -> float:
    """The real n* of a known distribution; of few results it jumps, so that more studies are needed, and cheap."""
    n_studies = 20 * n_simulated if len(p) <= 4 else n_simulated
    return definition(gram, alpha, epsilon, p, n_studies=n_studies, rng=seed, interpolate=True)


def _as_frame(
    values: np.ndarray, size: int, method: str, columns: Sequence[str] = ("nstar", "low", "high")
) -> pd.DataFrame:
    frame = pd.DataFrame(values, columns=list(columns))
    frame.insert(0, "draw", np.arange(len(values)))
    frame.insert(0, "method", method)
    frame.insert(0, "size", size)
    return frame


@_one_thread
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
    """Estimate n* as the published code of Figure 5 does: resample a large pool instead of the N experiments.

    Its quantiles of the MMD come from the pool, for n = 2, 4, ... up to N / 2; N only says how many points the line is
    fitted through, so the error of having N experiments is left out.

    Parameters
    ----------
    distribution, kernel, sizes, alpha, delta, n_studies, n_resamples, rng
        See `simulate_estimates`; ``n_resamples`` is per n and draw.
    step : int
        Step of n.
    n_simulated : int
        MMDs simulated per n; each draw takes ``n_resamples`` of them, which is much faster and hardly different from
        simulating them anew.

    Returns
    -------
    DataFrame
        One row per size and draw: kernel, size, method (``pool``), draw, nstar.

    Examples
    --------
    >>> from genexpy_nb.generalization.kernels import MallowsKernel
    >>> from genexpy_nb.generalization.samplers import sample_weak_orders
    >>> pool = RankingDistribution.empirical(sample_weak_orders(3, 200, 0))
    >>> pool_estimates(pool, MallowsKernel(), sizes=[10], n_studies=2).shape
    (2, 5)
    """
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
        frames.append(_as_frame(nstar, size, "pool", ["nstar"]))
    result = pd.concat(frames, ignore_index=True)
    result.insert(0, "kernel", kernel.name)
    return result


def uniform_weak_orders(
    n_alternatives: int, n_atoms: int = 1000, rng: np.random.Generator | int = 0
) -> RankingDistribution:
    """Return the distribution in which all rankings with ties are equally likely, or a sample that stands for it.

    Parameters
    ----------
    n_alternatives : int
        At least 1.
    n_atoms : int
        If there are more rankings than that (from 6 alternatives on, by default), so many are drawn.
    rng : numpy.random.Generator or int
        Source of randomness, or its seed.

    Returns
    -------
    RankingDistribution

    Examples
    --------
    >>> [len(uniform_weak_orders(n, n_atoms=100).probabilities) for n in (2, 4)]
    [3, 75]
    """
    if n_weak_orders(n_alternatives) <= n_atoms:
        every = weak_orders(n_alternatives)
        return RankingDistribution(every, np.full(len(every), 1 / len(every)))
    return RankingDistribution.empirical(sample_weak_orders(n_alternatives, n_atoms, rng))


def uniform_estimates(
    n_alternatives: Sequence[int],
    kernels: Sequence[Kernel],
    sizes: Sequence[int] = (10, 20, 40, 80),
    methods: Sequence[str] = ("moments", "resampling", "pool"),
    alpha: float = 0.95,
    delta: float = 0.05,
    *,
    n_studies: int | Mapping[str, int] = 100,
    n_resamples: int = 100,
    n_atoms: int = 1000,
    n_simulated: int = 10_000,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Repeat the second version's Figure 5: estimates of n* where all rankings are equally likely.

    Parameters
    ----------
    n_alternatives : list of int
        Numbers of alternatives.
    kernels : list of kernels on rankings
        A Borda kernel asks about a position, because the alternatives have no names.
    sizes, alpha, delta, n_resamples
        See `simulate_estimates`.
    n_studies : int or dict of str to int
        Studies per size; if it depends on the method, a method with fewer sees the first of those with more.
    methods : list of str
        Of `genexpy_nb.generalization.nstar.METHODS`, or ``pool``: see `pool_estimates`.
    n_atoms : int
        See `uniform_weak_orders`.
    n_simulated : int
        Simulated pairs of studies per n, for the true n*; twenty times as many where there are four results or fewer.
    rng : numpy.random.Generator or int
        Source of randomness, or its seed.

    Returns
    -------
    DataFrame
        As of `simulate_estimates`, with a first column n_alternatives.

    References
    ----------
    Generalizability of Experimental Studies, second version, Section 5.3 and Figure 5.

    Examples
    --------
    >>> from genexpy_nb.generalization.kernels import MallowsKernel
    >>> frame = uniform_estimates([2, 3], [MallowsKernel()], sizes=[10], n_studies=2, n_simulated=100)
    >>> frame.groupby(["n_alternatives", "method"], sort=False).size().tolist()
    [2, 2, 2, 2, 2, 2]
    """
    seed = seed_of(rng)
    of = dict(n_studies) if isinstance(n_studies, Mapping) else dict.fromkeys(methods, n_studies)
    frames = []
    for n in n_alternatives:
        distribution = uniform_weak_orders(n, n_atoms, stream(seed, n))
        for kernel in kernels:
            gram, p = population(distribution, kernel)
            epsilon = float(kernel.epsilon(delta, n))
            truth = _true_nstar(gram, p, alpha, epsilon, n_simulated, seed)
            asked = {"alpha": alpha, "delta": delta, "n_resamples": n_resamples, "rng": seed}
            parts = [
                simulate_estimates(distribution, kernel, sizes, [m], n_studies=of[m], truth=truth, **asked)
                for m in methods
                if m != "pool"
            ]
            if "pool" in methods:
                simulated = max(600, n_resamples)
                pool = pool_estimates(distribution, kernel, sizes, n_studies=of["pool"], n_simulated=simulated, **asked)
                parts.append(
                    pool.assign(
                        low=np.nan,
                        high=np.nan,
                        true=truth,
                        ratio=pool["nstar"] / truth,
                        covered=pd.array([pd.NA] * len(pool), dtype="boolean"),
                    )
                )
            frames.append(pd.concat(parts).assign(n_alternatives=n))
    result = pd.concat(frames, ignore_index=True)
    result.insert(0, "n_alternatives", result.pop("n_alternatives"))
    return result


@_one_thread
def uniform_truth_again(
    n_alternatives: Sequence[int],
    kernels: Sequence[Kernel],
    alpha: float = 0.95,
    delta: float = 0.05,
    *,
    n_atoms: int = 1000,
    n_simulated: int = 10_000,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Simulate the true n* of `uniform_estimates` a second time, to see how far simulation leaves it open.

    Parameters
    ----------
    n_alternatives, kernels, alpha, delta, n_atoms, n_simulated, rng
        As given to `uniform_estimates`: the distributions are the same, the pairs of studies are others.

    Returns
    -------
    DataFrame
        One row per number of alternatives and kernel: n_alternatives, kernel, again (n*).

    Examples
    --------
    >>> from genexpy_nb.generalization.kernels import MallowsKernel
    >>> uniform_truth_again([3], [MallowsKernel()], n_simulated=100).columns.tolist()
    ['n_alternatives', 'kernel', 'again']
    """
    seed = seed_of(rng)
    rows = []
    for n in n_alternatives:
        distribution = uniform_weak_orders(n, n_atoms, stream(seed, n))
        for kernel in kernels:
            gram, p = population(distribution, kernel)
            again = _true_nstar(gram, p, alpha, float(kernel.epsilon(delta, n)), n_simulated, seed + 1)
            rows.append({"n_alternatives": n, "kernel": kernel.name, "again": again})
    return pd.DataFrame(rows)


@_one_thread
def subsampling_errors(
    study: Study,
    kernels: Sequence[Kernel],
    sizes: Sequence[int] = (10, 20, 30, 40),
    methods: Sequence[str] = ("moments", "resampling"),
    alpha: float = 0.95,
    delta: float = 0.05,
    *,
    reference: int = 50,
    most: int | None = None,
    n_studies: int = 20,
    n_resamples: int = 200,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Compare n* estimated from few experiments of a real study with n* estimated from many.

    Parameters
    ----------
    study : Study
    kernels : list of kernels
    sizes : list of int
        Numbers N of experiments, smaller than ``reference``.
    methods : list of str
        Of `genexpy_nb.generalization.nstar.METHODS`; each is compared with itself.
    alpha, delta : float
        Wanted generalizability and tolerance.
    reference : int
        Number of experiments of the estimate that counts as the truth. Configurations with fewer are left out; of
        those with more, so many are drawn.
    most : int, optional
        Look at so many of the configurations at most, drawn at random.
    n_studies : int
        How often N of the reference experiments are drawn, without replacement.
    n_resamples : int
        Repetitions where a method resamples.
    rng : numpy.random.Generator or int
        Source of randomness, or its seed.

    Returns
    -------
    DataFrame
        One row per configuration, kernel, size, method and draw: the design columns, kernel, size, method, draw, nstar,
        low, high, reference (n* from ``reference`` experiments by the same method), relative_error.

    Raises
    ------
    ParameterError
        If no configuration has ``reference`` experiments, or a size is not below it.

    References
    ----------
    Generalizability of Experimental Studies, first version, Section 5.3 and Figure 4.

    Examples
    --------
    >>> from genexpy_nb.generalization.kernels import MallowsKernel
    >>> scores = np.random.default_rng(0).random((20, 3))
    >>> table = pd.DataFrame(scores, columns=list("abc")).melt(var_name="model", ignore_index=False).reset_index()
    >>> study = Study(table, alternatives="model", target="value", generalize_over="index")
    >>> subsampling_errors(study, [MallowsKernel()], sizes=[10], reference=20, n_studies=2).shape
    (4, 9)
    """
    if max(sizes) >= reference:
        raise ParameterError(f"sizes must be below reference={reference}, got {max(sizes)}")
    seed = seed_of(rng)
    chosen = [c for c in study.configurations if len(study.rankings(c)) >= reference]
    if not chosen:
        raise ParameterError(f"reference={reference}: no configuration has so many experiments")
    if most is not None and len(chosen) > most:
        chosen = [chosen[i] for i in sorted(stream(seed, 0).choice(len(chosen), size=most, replace=False))]
    frames = []
    for configuration in chosen:
        for kernel in kernels:
            gram = study.gram(configuration, kernel)
            epsilon = float(kernel.epsilon(delta, study.results(configuration, kernel).shape[1]))
            draw = stream(seed, len(gram))  # the same draws for every configuration and kernel of this size
            kept = draw.choice(len(gram), size=reference, replace=False)
            gram = gram[np.ix_(kept, kept)]
            truth = {m: estimate_each([gram], alpha, epsilon, m, n_resamples, seed)[0, 0] for m in methods}
            for size in sizes:
                rows = [draw.choice(reference, size=size, replace=False) for _ in range(n_studies)]
                grams = [gram[np.ix_(row, row)] for row in rows]
                for method in methods:
                    values = estimate_each(grams, alpha, epsilon, method, n_resamples, seed)
                    frame = _as_frame(values, size, method).assign(reference=truth[method])
                    frames.append(_labelled(frame, {**configuration, "kernel": kernel.name}))
    result = pd.concat(frames, ignore_index=True)
    return result.assign(relative_error=(result["nstar"] - result["reference"]).abs() / result["reference"])


def _labelled(frame: pd.DataFrame, labels: Mapping[str, Any]) -> pd.DataFrame:
    """Return the frame with the same label in every row, one column per label, at its left."""
    for position, (name, label) in enumerate(labels.items()):
        frame.insert(position, name, label)
    return frame


def summarise_errors(errors: pd.DataFrame, by: Sequence[str] = ("kernel", "size", "method")) -> pd.DataFrame:
    """Summarize simulated estimates: bias, error, share within a factor of 2, coverage and width of the interval.

    Parameters
    ----------
    errors : DataFrame
        As returned by `simulate_estimates`, several of them concatenated if you like.
    by : list of str
        Columns to group by.

    Returns
    -------
    DataFrame
        ``bias`` and ``rmse`` (mean and root mean square of log(estimate / truth)), ``within_2`` (share of estimates
        between half and twice the truth), ``coverage`` (share of intervals that hold the truth), ``width`` (median of
        high / low).

    Examples
    --------
    >>> frame = pd.DataFrame({"kernel": "k", "size": 10, "method": "m", "ratio": [0.5, 2.0], "covered": [True, False],
    ...                       "low": [1.0, 2.0], "high": [2.0, 4.0]})
    >>> summarise_errors(frame).round(3).iloc[0].tolist()
    [0.0, 0.693, 1.0, 0.5, 2.0]
    """
    log_ratio = np.log(errors["ratio"].astype(float))
    table = errors.assign(
        bias=log_ratio,
        rmse=log_ratio**2,
        within_2=similar(log_ratio.abs(), np.log(2)),
        coverage=errors["covered"].astype("Float64"),
        width=errors["high"] / errors["low"],
    )
    grouped = table.groupby(list(by), sort=False)
    summary = grouped[["bias", "rmse", "within_2", "coverage"]].mean()
    return summary.assign(rmse=np.sqrt(summary["rmse"]), width=grouped["width"].median())
