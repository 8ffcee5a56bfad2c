"""Measure how often a way of comparing models is wrong, and how often it finds what is there, by simulation.

Two worlds. ``learners``: real learners on fresh synthetic data with fresh splits in every study; each is a
nearest-centroid rule on its own block of features, of which its seed picks half. With no effect the blocks have the
same distribution, so the learners are exchangeable and no difference is true. ``correlated-folds``: no learners, scores
drawn from a normal distribution with the correlation between splits that Nadeau and Bengio assume; closed forms exist
there.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy import stats
from statsmodels.stats.proportion import proportion_confint
from threadpoolctl import threadpool_limits

from genexpy_nb.common.checks import check_choice, check_count, check_level, check_number
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.random import seed_of, stream
from genexpy_nb.protocol.analysis import corrected_standard_error
from genexpy_nb.significance import wilcoxon_pratt

__all__ = ["PROCEDURES", "conclusions", "simulate_error_rates"]

#: How a winner can be declared. The first three are single-seed habits and adjust nothing; the others average over the
#: seeds, unless they say otherwise, and adjust over all pairs after Holm.
PROCEDURES = {
    "one trial, higher score": "one split, one seed: whoever scores higher wins",
    "one trial, McNemar": "one split, one seed: exact McNemar test on the test rows (world 'learners' only)",
    "one seed, k folds, t": "one seed, one repeat: paired t-test over k folds",
    "folds, Wilcoxon": "the paper's protocol: Wilcoxon signed-rank test over all folds of all repeats",
    "folds x seeds, Wilcoxon": "the same over every fold with every seed, as if they were independent",
    "folds, t": "paired t-test over all folds of all repeats",
    "folds, corrected t": "corrected resampled t-test of Nadeau and Bengio over all folds of all repeats",
}
WORLDS = ("learners", "correlated-folds")
_CHUNK = 50  # studies per task; part of the result, because each chunk has its own stream of random numbers
_FEATURES = 8  # per learner
_SIGNAL = 0.35  # distance of a class from the middle, per feature, in standard deviations


def simulate_error_rates(
    effects: float | Sequence[float] = (0.0, 0.1),
    *,
    world: str = "learners",
    n_learners: int = 3,
    n_rows: int = 200,
    k: int = 5,
    n_repeats: int = 2,
    n_seeds: int = 5,
    correlation: float | None = None,
    seed_share: float = 0.3,
    level: float = 0.05,
    n_studies: int = 1000,
    rng: np.random.Generator | int = 0,
    n_jobs: int = 1,
) -> pd.DataFrame:
    """Simulate whole comparisons, and count false and true declarations.

    Parameters
    ----------
    effects : float or sequence of float
        By how much the first learner is better than all others. World ``learners``: additional distance of its
        classes from the middle, per feature, in standard deviations (the others have 0.35). World
        ``correlated-folds``: in standard deviations of one score. 0: nothing to find.
    world : {"learners", "correlated-folds"}
        See the module's first lines.
    n_learners : int
        Learners that are compared, all pairs, >= 2.
    n_rows : int
        Rows of each data set, half of them in each class; at least 2 per class and fold. World ``learners`` only.
    k, n_repeats, n_seeds : int
        Folds, >= 2; repeats of the cross-validation and seeds, >= 1.
    correlation : float, optional
        Correlation of a learner's score, averaged over the seeds, between two splits, in [0, 1), world
        ``correlated-folds``; by default 1 / k, which is what the corrected test assumes.
    seed_share : float
        Share of the variance of a single score around a learner's mean on this data set that the seed causes, in
        [0, 1]; world ``correlated-folds``.
    level : float
        Nominal level, in (0, 1).
    n_studies : int
        Simulated comparisons per effect; rounded up to a multiple of 50.
    rng : numpy.random.Generator or int
        Source of randomness, or its seed.
    n_jobs : int
        Workers (joblib); the result does not depend on it.

    Returns
    -------
    DataFrame
        effect, mean_difference (measured: of the first learner to the others), procedure, quantity, estimate (of the
        rate), low, high (95 % Wilson interval), n_studies, verdict. Quantities: ``FWER``, any false declaration in a
        comparison: a winner between equals, or the wrong winner; ``power``, the first learner declared better than the
        second; ``wrong order``, the estimate puts these two in the wrong order or ties them. The verdict on a FWER is
        ``above``, ``below`` or ``compatible with`` the nominal level, by its interval.

    Raises
    ------
    ParameterError
        If a number is out of range.

    References
    ----------
    A Deterministic Protocol for Reliable Model Comparison in Machine Learning, Section 4.2 (whose numbers are marked as
    placeholders); Nadeau and Bengio, Inference for the Generalization Error, 2003; Dietterich, Approximate Statistical
    Tests, Neural Computation 1998.

    Examples
    --------
    >>> rates = simulate_error_rates(0.0, n_studies=200, n_learners=2)
    >>> rates.set_index("procedure")["verdict"]["folds x seeds, Wilcoxon"]
    'above 0.05'
    """
    check_choice("world", world, WORLDS)
    effects = _check_effects(effects)
    k = check_count("k", k, 2)
    shape = (
        check_count("n_learners", n_learners, 2),
        check_count("n_seeds", n_seeds),
        check_count("n_repeats", n_repeats),
        k,
    )
    n_rows = check_count("n_rows", n_rows, 4 * k)
    correlation = check_number("correlation", 1 / k if correlation is None else correlation, 0, 1, "[)")
    seed_share = check_number("seed_share", seed_share, 0, 1, "[]")
    level = check_level("level", level)
    n_chunks = ceil(check_count("n_studies", n_studies) / _CHUNK)
    seed = seed_of(rng)
    # The same random numbers for every effect: rates at two effects differ by the effect only.
    jobs = (
        delayed(_chunk)(world, shape, n_rows, correlation, seed_share, effect, level, seed, chunk)
        for effect in effects
        for chunk in range(n_chunks)
    )
    outcomes = Parallel(n_jobs=n_jobs)(jobs)
    frames = []
    for position, effect in enumerate(effects):
        part = outcomes[position * n_chunks : (position + 1) * n_chunks]
        counts = pd.concat([counts for counts, _ in part]).groupby(["procedure", "quantity"], sort=False).sum()
        counts = counts.reset_index()
        counts.insert(0, "effect", effect)
        counts.insert(1, "mean_difference", float(np.mean([difference for _, difference in part])))
        frames.append(counts)
    return _rates(pd.concat(frames, ignore_index=True), n_chunks * _CHUNK, level)


def _check_effects(effects: float | Sequence[float]) -> list[float]:
    given = [effects] if isinstance(effects, (int, float, np.number)) else list(effects)
    if not given:
        raise ParameterError("effects must be one or more numbers >= 0, got none")
    return [check_number("each of the effects", effect, 0, ends="[)") for effect in given]


def _rates(counts: pd.DataFrame, n_studies: int, level: float) -> pd.DataFrame:
    hits = counts.pop("hits")
    low, high = proportion_confint(hits, n_studies, alpha=0.05, method="wilson")
    verdict = np.select(
        [low > level, high < level], [f"above {level:g}", f"below {level:g}"], f"compatible with {level:g}"
    )
    verdict = np.where(counts["quantity"] == "FWER", verdict, "")
    return counts.assign(estimate=hits / n_studies, low=low, high=high, n_studies=n_studies, verdict=verdict)


def conclusions(rates: pd.DataFrame) -> list[str]:
    """Say in sentences what simulated error rates mean.

    Parameters
    ----------
    rates : DataFrame
        From `simulate_error_rates`.

    Returns
    -------
    list of str
        One sentence per family-wise error rate with nothing to find.

    Examples
    --------
    >>> rates = simulate_error_rates(0.0, world="correlated-folds", n_studies=2000, n_learners=2)
    >>> conclusions(rates)[-1]
    'folds, corrected t: a false winner in 5.1 % of the comparisons [4.2 %, 6.2 %]: compatible with 0.05.'
    """
    shown = rates[(rates["quantity"] == "FWER") & (rates["effect"] == 0)]
    return [
        f"{row.procedure}: a false winner in {row.estimate:.1%} of the comparisons [{row.low:.1%}, {row.high:.1%}]: "
        f"{row.verdict}.".replace("%", " %")
        for row in shown.itertuples()
    ]


# --- the worlds -------------------------------------------------------------------------------------------------------


def _chunk(
    world: str,
    shape: tuple[int, int, int, int],
    n_rows: int,
    correlation: float,
    seed_share: float,
    effect: float,
    level: float,
    seed: int,
    chunk: int,
) -> tuple[pd.DataFrame, float]:
    rng = stream(seed, chunk)
    if world == "learners":
        with threadpool_limits(1):  # many small products: threads wait for each other most of the time
            scores, correct = _learners(rng, shape, n_rows, effect)
    else:
        scores, correct = _correlated(rng, shape, correlation, seed_share, effect), None
    others = scores[:, 1:].mean()
    return _count(scores, correct, effect > 0, level), float(scores[:, 0].mean() - others)


def _correlated(
    rng: np.random.Generator, shape: tuple[int, int, int, int], correlation: float, seed_share: float, effect: float
) -> np.ndarray:
    """Return scores with variance 1, equally correlated between splits.

    Their shape is (_CHUNK, n_learners, n_seeds, n_repeats, k), and ``shape`` holds all of it but the first number.
    """
    n_learners, n_seeds, n_repeats, k = shape
    of_data = rng.normal(size=(_CHUNK, n_learners, 1, 1, 1))
    of_fold = rng.normal(size=(_CHUNK, n_learners, 1, n_repeats, k))
    of_seed = rng.normal(size=(_CHUNK, n_learners, n_seeds, n_repeats, k))
    # Shares of the variance: data + rest = 1, and data / (data + what averaging leaves of rest) = correlation.
    left = 1 - seed_share + seed_share / n_seeds
    rest = 1 / (1 + correlation / (1 - correlation) * left)
    scores = (
        np.sqrt(1 - rest) * of_data + np.sqrt(rest * (1 - seed_share)) * of_fold + np.sqrt(rest * seed_share) * of_seed
    )
    scores[:, 0] += effect
    return scores


def _learners(
    rng: np.random.Generator, shape: tuple[int, int, int, int], n_rows: int, effect: float
) -> tuple[np.ndarray, np.ndarray]:
    """Fit and score nearest-centroid learners on fresh data.

    Returns
    -------
    scores : ndarray, shape (_CHUNK, n_learners, n_seeds, n_repeats, k)
        Accuracy on the test part of each fold.
    correct : ndarray of bool, shape (_CHUNK, n_learners, n_test)
        Which test rows of the first fold, with the first seed, each learner gets right.
    """
    n_learners, n_seeds, n_repeats, k = shape
    half = n_rows // 2
    side = np.repeat([-1.0, 1.0], half)
    signal = np.full(n_learners, _SIGNAL)
    signal[0] += effect
    X = rng.normal(size=(_CHUNK, 2 * half, n_learners, _FEATURES)) + side[:, None, None] * signal[:, None]
    picked = rng.random((_CHUNK, n_learners, n_seeds, _FEATURES)).argsort(axis=-1) < _FEATURES // 2
    # Stratified: within each class, a random permutation of 0, 1, ..., k - 1, 0, 1, ...
    fold = rng.random((_CHUNK, n_repeats, 2, half)).argsort(axis=-1) % k
    member = fold.reshape(_CHUNK, n_repeats, 1, 2 * half) == np.arange(k)[:, None]  # (B, R, k, n)

    of_class = np.stack([side < 0, side > 0])[:, None, :]  # (2, 1, n)
    training = ~member[:, :, None] & of_class  # (B, R, 2, k, n)
    flat = X.reshape(_CHUNK, 1, 1, 2 * half, n_learners * _FEATURES)
    sums = training.astype(float) @ flat
    centroids = sums / training.sum(axis=-1)[..., None]  # (B, R, 2, k, n_learners * features)
    direction = centroids[:, :, 1] - centroids[:, :, 0]
    middle = centroids.mean(axis=2)

    # The fold in which each row is tested; whole rows are copied, which is faster than take_along_axis.
    own = (*np.ogrid[:_CHUNK, :n_repeats, :1][:2], fold.reshape(_CHUNK, n_repeats, 2 * half))
    votes = direction[own]
    votes *= flat[:, :, 0] - middle[own]
    votes = votes.reshape(_CHUNK, n_repeats, 2 * half, n_learners, _FEATURES)
    total = np.einsum("brnlf,blsf->blsrn", votes, picked.astype(float), optimize=True)
    right = (total > 0) == (side > 0)
    sizes = member.sum(axis=-1)  # (B, R, k)
    scores = np.einsum("blsrn,brkn->blsrk", right.astype(float), member.astype(float), optimize=True)
    scores /= sizes[:, None, None]
    tested = np.argsort(~member[:, 0, 0], axis=-1, kind="stable")[:, : int(sizes[0, 0, 0])]
    return scores, np.take_along_axis(right[:, :, 0, 0], tested[:, None], axis=-1)


# --- the declarations -------------------------------------------------------------------------------------------------


def _count(scores: np.ndarray, correct: np.ndarray | None, effect: bool, level: float) -> pd.DataFrame:
    """Count the comparisons with a false declaration, a true one, and a wrong order."""
    i, j = np.triu_indices(scores.shape[1], 1)
    declared = _declarations(np.round(scores[:, i] - scores[:, j], 12))
    if correct is not None:
        trial = declared["one trial, higher score"][0]
        declared["one trial, McNemar"] = (trial, _mcnemar(correct[:, i], correct[:, j]), False)
    truth = np.where((i == 0) & effect, 1, 0)
    rows = []
    for procedure in PROCEDURES:
        if procedure not in declared:
            continue
        estimate, p, adjust = declared[procedure]
        sign = np.sign(np.round(estimate, 12))
        winner = np.where((_holm(p) if adjust else p) <= level, sign, 0)
        rows.append((procedure, "FWER", int(((winner != 0) & (winner != truth)).any(axis=1).sum())))
        if effect:
            rows.append((procedure, "power", int((winner[:, 0] == 1).sum())))
            rows.append((procedure, "wrong order", int((sign[:, 0] != 1).sum())))
    return pd.DataFrame(rows, columns=["procedure", "quantity", "hits"])


def _declarations(d: np.ndarray) -> dict[str, tuple[np.ndarray, np.ndarray, bool]]:
    """Return mean difference, p-value and whether to adjust it, by procedure.

    ``d`` are paired differences, shape (batch, n_pairs, n_seeds, n_repeats, k); what is returned has (batch, n_pairs).
    """
    folds = np.round(d.mean(axis=2).reshape(*d.shape[:2], -1), 12)
    every = d.reshape(*d.shape[:2], -1)
    trial, repeat = d[:, :, 0, 0, 0], d[:, :, 0, 0]
    return {
        "one trial, higher score": (trial, np.where(trial != 0, 0.0, 1.0), False),
        "one seed, k folds, t": (repeat.mean(axis=-1), _t_test(repeat, 0.0), False),
        "folds, Wilcoxon": (folds.mean(axis=-1), _wilcoxon(folds), True),
        "folds x seeds, Wilcoxon": (every.mean(axis=-1), _wilcoxon(every), True),
        "folds, t": (folds.mean(axis=-1), _t_test(folds, 0.0), True),
        "folds, corrected t": (folds.mean(axis=-1), _t_test(folds, 1 / d.shape[-1]), True),
    }


def _t_test(d: np.ndarray, test_share: float) -> np.ndarray:
    """Return two-sided p-values of the (corrected) t-test along the last axis; see `nadeau_bengio`."""
    mean = d.mean(axis=-1)
    error = corrected_standard_error(d, test_share)
    constant = np.ptp(d, axis=-1) == 0
    t = np.divide(np.abs(mean), error, out=np.zeros_like(mean), where=~constant)
    return np.where(constant, np.where(d[..., 0] == 0, 1.0, 0.0), 2 * stats.t.sf(t, d.shape[-1] - 1))


def _wilcoxon(d: np.ndarray) -> np.ndarray:
    flat = d.reshape(-1, d.shape[-1])
    # Beyond 20 differences the normal approximation is as good, and counting sign patterns takes most of the time.
    return wilcoxon_pratt(flat, "auto" if flat.shape[1] <= 20 else "asymptotic").reshape(d.shape[:-1])


def _mcnemar(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    only_a, only_b = (a & ~b).sum(axis=-1), (b & ~a).sum(axis=-1)
    return np.minimum(2 * stats.binom.cdf(np.minimum(only_a, only_b), only_a + only_b, 0.5), 1.0)


def _holm(p: np.ndarray) -> np.ndarray:
    """Adjust each row of p-values after Holm."""
    order = np.argsort(p, axis=1)
    factors = np.arange(p.shape[1], 0, -1)
    steps = np.maximum.accumulate(np.take_along_axis(p, order, axis=1) * factors, axis=1)
    adjusted = np.empty_like(p)
    np.put_along_axis(adjusted, order, np.minimum(steps, 1.0), axis=1)
    return adjusted
