"""What becomes of a study whose experiments are chosen, not drawn: cherry-picking, and active selection.

The papers draw experiments at random, and leave their choice for later. Two simulations behind notebook 11: datasets
chosen after the results are known, so that a method wins; and datasets chosen one batch after the other, so that the
estimate of n* comes to rest. Both are of made-up worlds, and say nothing of others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from genexpy_nb.common.checks import check_choice, check_count, check_level, check_scores, similar
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.random import seed_of, stream
from genexpy_nb.generalization.discrepancy import simulated_mmd
from genexpy_nb.generalization.exact import weak_orders
from genexpy_nb.generalization.gram import support
from genexpy_nb.generalization.kernels import JaccardKernel, Kernel, MallowsKernel
from genexpy_nb.generalization.moments import nstar_by_moments
from genexpy_nb.generalization.samplers import RankingDistribution
from genexpy_nb.generalization.simulation import definition

__all__ = [
    "POLICIES",
    "Strata",
    "adaptive_studies",
    "cherry_pick",
    "cherry_picking",
    "example_strata",
    "picked_nstar",
]

_STEP = 4.0  # of the logarithms of the weights, at most
_ROUNDS = 300  # steps towards the weights of the rivals: a pick or a proof is found in a few, mostly

#: How the next batch of experiments is chosen.
POLICIES = {
    "as they come": "drawn at random",
    "in proportion": "from each kind, as many as its share of all experiments",
    "most alike": "from the kind whose results differed least so far",
    "most diverse": "from the kind whose results differed most so far",
}


# --- cherry-picking ---------------------------------------------------------------------------------------------------


def cherry_pick(scores: ArrayLike, method: int, k: int) -> tuple[np.ndarray, bool]:
    """Choose k experiments in which a method has the best mean score, if there are any.

    Parameters
    ----------
    scores : array_like, shape (N, n_alternatives)
        Higher is better.
    method : int
        The column that is to win.
    k : int
        Experiments to choose, 1 to N.

    Returns
    -------
    chosen : ndarray of int, shape (k,)
        Rows in which the method has a higher mean than every rival; empty if none were found.
    settled : bool
        True if the rows were found, or if it was proved that there are none.

    Raises
    ------
    ParameterError
        If ``k`` or ``method`` is out of range.

    Notes
    -----
    For any weights of the rivals the k experiments with the largest weighted lead are found by sorting. If their sum is
    not positive, no choice of k experiments beats all rivals: that is the proof. Otherwise the rivals that are still
    ahead get more weight, and so on (multiplicative weights).

    Examples
    --------
    >>> scores = [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.2, 0.0, 0.3]]
    >>> cherry_pick(scores, method=0, k=2)
    (array([0, 2]), True)
    >>> cherry_pick(scores, method=0, k=3)
    (array([], dtype=int64), True)
    """
    values = check_scores(scores).values
    k = check_count("k", k, 1, len(values))
    method = check_count("method", method, 0, values.shape[1] - 1)
    leads = values[:, [method]] - np.delete(values, method, axis=1)
    chosen, settled = _pick(leads[None], k)
    return (chosen[0] if settled[0] and chosen[0, 0] >= 0 else np.array([], dtype=np.int64)), bool(settled[0])


def _pick(leads: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Choose in each of S studies: leads over R rivals, (S, N, R) -> rows, (S, k), -1 if none; whether settled."""
    n_studies, _, n_rivals = leads.shape
    weights = np.full((n_studies, n_rivals), 1 / n_rivals)
    chosen = np.full((n_studies, k), -1)
    settled = np.zeros(n_studies, dtype=bool)
    scale = np.maximum(np.abs(leads).max(axis=(1, 2)), 1e-300)[:, None]
    for _ in range(_ROUNDS):
        open_ = np.flatnonzero(~settled)
        if not len(open_):
            break
        weighted = np.einsum("snr,sr->sn", leads[open_], weights[open_])
        rows = np.sort(np.argpartition(-weighted, k - 1, axis=1)[:, :k], axis=1)
        impossible = np.take_along_axis(weighted, rows, axis=1).sum(axis=1) <= 0
        totals = np.take_along_axis(leads[open_], rows[:, :, None], axis=1).sum(axis=1)
        found = (totals > 0).all(axis=1)
        chosen[open_[found]] = rows[found]
        settled[open_[found | impossible]] = True
        weights[open_] *= np.exp(-_STEP * totals / (k * scale[open_]))
        weights[open_] /= weights[open_].sum(axis=1, keepdims=True)
    return chosen, settled


def cherry_picking(
    effects: ArrayLike,
    n_experiments: int,
    sizes: Sequence[int],
    *,
    n_studies: int = 500,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Simulate how often each method of a study can be made its winner, by a choice of experiments.

    Parameters
    ----------
    effects : array_like, shape (n_alternatives,)
        True means of the methods, in standard deviations of a score from one experiment to the next.
    n_experiments : int
        Experiments N that were run.
    sizes : list of int
        Numbers k of experiments that are reported, 1 to N.
    n_studies : int
        Simulated studies, the same ones for every k and method.
    rng : numpy.random.Generator or int
        Source of randomness, or its seed.

    Returns
    -------
    DataFrame
        One row per k and method: ``k``, ``method`` (column number), ``picked`` (share of the studies in which k
        experiments were found in which it has the best mean), ``open`` (share in which none were found, and none
        excluded), ``drawn`` (share in which it wins if k experiments are drawn at random).

    Examples
    --------
    >>> frame = cherry_picking([1.0, 0.0], 10, [2, 10], n_studies=50)
    >>> frame[["k", "method", "open"]].values.tolist()
    [[2.0, 0.0, 0.0], [2.0, 1.0, 0.0], [10.0, 0.0, 0.0], [10.0, 1.0, 0.0]]
    """
    means = np.asarray(effects, dtype=float)
    n_experiments, n_studies = check_count("n_experiments", n_experiments), check_count("n_studies", n_studies)
    scores = _normal_scores(means, n_experiments, n_studies, seed_of(rng))
    rows = []
    for k in (check_count("sizes", each, 1, n_experiments) for each in sizes):
        winners = scores[:, :k].mean(axis=1).argmax(axis=1)  # rows come in random order
        for method in range(len(means)):
            leads = scores[:, :, [method]] - np.delete(scores, method, axis=2)
            chosen, settled = _pick(leads, k)
            picked = chosen[:, 0] >= 0
            of = {"k": k, "method": method, "picked": picked.mean(), "open": (~settled).mean()}
            rows.append({**of, "drawn": (winners == method).mean()})
    return pd.DataFrame(rows)


def _normal_scores(means: np.ndarray, n_experiments: int, n_studies: int, seed: int) -> np.ndarray:
    return means + stream(seed, n_experiments).normal(size=(n_studies, n_experiments, len(means)))


def picked_nstar(
    effects: ArrayLike,
    n_experiments: int,
    k: int,
    method: int,
    *,
    alpha: float = 0.95,
    delta: float = 0.05,
    n_studies: int = 200,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Simulate what the choice of experiments does to n*, for the question who wins (Jaccard).

    Parameters
    ----------
    effects, n_experiments, n_studies, rng
        See `cherry_picking`.
    k : int
        Experiments that are reported, at least 5.
    method : int
        The method that they are chosen for: those with its largest leads over the best of the others.
    alpha, delta : float
        Wanted generalizability and tolerance.

    Returns
    -------
    DataFrame
        One row per study and way (``drawn``, ``picked``): ``study``, ``way``, ``wins`` (share of the k experiments that
        the method wins), ``nstar``, ``low``, ``high``.

    Examples
    --------
    >>> frame = picked_nstar([0.0, 0.0, 0.0], 20, 8, 0, n_studies=3)
    >>> frame.groupby("way", sort=False)["wins"].mean().is_monotonic_increasing
    True
    """
    means = np.asarray(effects, dtype=float)
    k = check_count("k", k, 5, n_experiments)
    scores = _normal_scores(means, n_experiments, check_count("n_studies", n_studies), seed_of(rng))
    others = np.delete(scores, method, axis=2).max(axis=2)
    best = np.argsort(-(scores[:, :, method] - others), axis=1, kind="stable")[:, :k]
    winners = scores.argmax(axis=2)
    epsilon = float(JaccardKernel().epsilon(delta, len(means)))
    frames = []
    for way, rows in (("drawn", winners[:, :k]), ("picked", np.take_along_axis(winners, best, axis=1))):
        grams = (rows[:, :, None] == rows[:, None, :]).astype(float)  # Jaccard of single winners
        found = nstar_by_moments(grams, np.array([alpha]), np.full((len(grams), 1), epsilon))[:, 0, 0]
        frame = pd.DataFrame(found, columns=["nstar", "low", "high"])
        frame.insert(0, "wins", (rows == method).mean(axis=1))
        frame.insert(0, "way", way)
        frame.insert(0, "study", np.arange(len(frame)))
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


# --- active selection -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Strata:
    """Kinds of experiments that are known before they are run, such as small and large datasets.

    Attributes
    ----------
    shares : ndarray, shape (S,)
        Of all experiments.
    distributions : tuple of RankingDistribution
        Results of each kind; all list the same rankings in the same order.
    """

    shares: np.ndarray
    distributions: tuple[RankingDistribution, ...]

    def __post_init__(self) -> None:
        first = self.distributions[0].rankings
        if any(not np.array_equal(first, each.rankings) for each in self.distributions):
            raise ParameterError("distributions must list the same rankings in the same order")

    @property
    def mixture(self) -> RankingDistribution:
        """What experiments that are drawn at random give."""
        p = np.stack([each.probabilities for each in self.distributions])
        return RankingDistribution(self.distributions[0].rankings, self.shares @ p)


def example_strata() -> Strata:
    """Return two kinds of experiments with four alternatives: most agree on one ranking, the others on little.

    Returns
    -------
    Strata
        60 %: (0, 1, 2, 3), with 15 % uniform noise. 40 %: (1, 3, 0, 2), with 60 % uniform noise.

    Examples
    --------
    >>> example_strata().mixture.probabilities.max().round(2)
    np.float64(0.51)
    """
    rankings = weak_orders(4)
    made = []
    for centre, noise in (([0, 1, 2, 3], 0.15), ([1, 3, 0, 2], 0.6)):
        p = np.full(len(rankings), noise / len(rankings))
        p[(rankings == centre).all(axis=1)] += 1 - noise
        made.append(RankingDistribution(rankings, p))
    return Strata(np.array([0.6, 0.4]), tuple(made))


def adaptive_studies(
    strata: Strata,
    kernel: Kernel | None = None,
    policies: Sequence[str] = tuple(POLICIES),
    *,
    alpha: float = 0.95,
    delta: float = 0.05,
    first: int = 10,
    batch: int = 5,
    budget: int = 60,
    n_studies: int = 200,
    rng: np.random.Generator | int = 0,
) -> tuple[pd.DataFrame, float]:
    """Simulate studies that choose their next experiments, and end when there are as many as the estimate of n*.

    Parameters
    ----------
    strata : Strata
        The kinds of experiments.
    kernel : kernel on rankings, optional
        The question; Mallows by default.
    policies : list of str
        Of `POLICIES`.
    alpha, delta : float
        Wanted generalizability and tolerance.
    first, batch : int
        Experiments before the first look, >= 5, drawn at random (in proportion where the policy says so); experiments
        before each further look.
    budget : int
        Most experiments.
    n_studies : int
        Simulated studies for each policy; all begin with the same random numbers.
    rng : numpy.random.Generator or int
        Source of randomness, or its seed.

    Returns
    -------
    studies : DataFrame
        One row per policy and study: ``policy``, ``study``, ``n`` (experiments at the end), ``settled`` (whether n was
        at least the estimate), ``nstar`` (the last estimate), ``low``, ``high``, ``share`` (of the first kind among the
        experiments), ``right`` (whether the alternative with the best mean tier is that of all experiments; of several,
        their share), ``generalizability`` (the true one at n, of studies that are drawn at random).
    truth : float
        n* of experiments drawn at random.

    Raises
    ------
    ParameterError
        If a policy is unknown or a number out of range.

    Examples
    --------
    >>> studies, truth = adaptive_studies(example_strata(), policies=["as they come"], n_studies=3)
    >>> len(studies), truth > 5
    (3, True)
    """
    for policy in policies:
        check_choice("policies", policy, POLICIES)
    kernel = MallowsKernel() if kernel is None else kernel
    alpha, n_studies = check_level("alpha", alpha), check_count("n_studies", n_studies)
    first = check_count("first", first, max(5, len(strata.shares) + 1))  # or no kind may be seen twice
    batch = check_count("batch", batch)
    budget, seed = check_count("budget", budget, first), seed_of(rng)
    mixture = strata.mixture
    epsilon = float(kernel.epsilon(delta, mixture.rankings.shape[1]))
    seen, p = support(kernel.gram(mixture.rankings), mixture.probabilities)
    truth = definition(seen, alpha, epsilon, p, rng=seed)
    world = _AdaptiveWorld(strata, kernel.gram(mixture.rankings), alpha, epsilon)
    frames = []
    for policy in policies:
        studies = _run(world, policy, (first, batch, budget), n_studies, stream(seed, n_studies))
        frames.append(studies.assign(policy=policy))
    result = pd.concat(frames, ignore_index=True)
    reached = {n: _true_generalizability(seen, p, n, epsilon, seed) for n in sorted(set(result["n"]))}
    result["generalizability"] = result["n"].map(reached)
    return result[["policy", *[c for c in result.columns if c != "policy"]]], truth


@dataclass(frozen=True, eq=False)
class _AdaptiveWorld:
    strata: Strata
    gram: np.ndarray
    alpha: float
    epsilon: float


def _run(
    world: _AdaptiveWorld, policy: str, sizes: tuple[int, int, int], n_studies: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Run all studies of a policy side by side; those that have ended are left as they are."""
    first, batch, budget = sizes
    kinds = _random_kinds(world.strata, policy, 0, first, n_studies, rng)
    results = _results_of(world.strata, kinds, rng)
    rows: Mapping[int, dict[str, float]] = {}
    ended: dict[int, dict[str, float]] = dict(rows)
    active = np.arange(n_studies)
    while True:
        n = kinds.shape[1]
        grams = world.gram[results[:, :, None], results[:, None, :]]
        found = nstar_by_moments(grams, np.array([world.alpha]), np.full((len(grams), 1), world.epsilon))[:, 0, 0]
        settled = n >= found[:, 0]
        over = settled | (n >= budget)
        right = _right_winner(world.strata.mixture, results)
        for i in np.flatnonzero(over):
            estimate = dict(zip(("nstar", "low", "high"), found[i].tolist(), strict=True))
            of = {"study": int(active[i]), "n": n, "settled": bool(settled[i])}
            ended[int(active[i])] = {**of, **estimate, "share": float(np.mean(kinds[i] == 0)), "right": right[i]}
        if over.all():
            return pd.DataFrame([ended[i] for i in range(n_studies)])
        active, kinds, results, grams = active[~over], kinds[~over], results[~over], grams[~over]
        size = min(batch, budget - n)
        if policy in ("most alike", "most diverse"):
            more = np.repeat(_chosen_kind(grams, kinds, len(world.strata.shares), policy)[:, None], size, axis=1)
        else:
            more = _random_kinds(world.strata, policy, n, size, len(active), rng)
        kinds, results = np.hstack([kinds, more]), np.hstack([results, _results_of(world.strata, more, rng)])


def _random_kinds(
    strata: Strata, policy: str, n: int, size: int, n_studies: int, rng: np.random.Generator
) -> np.ndarray:
    """Kinds of the next experiments, (n_studies, size): at random, or those that are furthest behind their share."""
    if policy != "in proportion":
        return rng.choice(len(strata.shares), size=(n_studies, size), p=strata.shares)
    due = np.floor(np.outer(np.arange(1, n + size + 1), np.cumsum(strata.shares)) + 0.5)
    counts = np.diff(due, axis=1, prepend=0)
    steps = np.diff(counts, axis=0, prepend=0)
    return np.tile(steps[n:].argmax(axis=1), (n_studies, 1))


def _results_of(strata: Strata, kinds: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Which ranking each experiment gives, of the shape of the kinds."""
    cumulative = np.cumsum([each.probabilities for each in strata.distributions], axis=1)
    uniform = rng.random(kinds.shape)
    return np.minimum((uniform[..., None] >= cumulative[kinds]).sum(axis=-1), cumulative.shape[1] - 1)


def _chosen_kind(grams: np.ndarray, kinds: np.ndarray, n_kinds: int, policy: str) -> np.ndarray:
    """The kind whose results are most alike so far, or least, (n_studies,); one seen less than twice is passed over."""
    inside = np.stack([kinds == kind for kind in range(n_kinds)], axis=-1).astype(float)
    counts = inside.sum(axis=1)
    pairs = np.einsum("bis,bij,bjs->bs", inside, grams, inside) - np.einsum("bis,bii->bs", inside, grams)
    alike = np.where(counts > 1, pairs / np.maximum(counts * (counts - 1), 1), np.nan)
    sign = 1 if policy == "most alike" else -1
    return np.nanargmax(sign * alike, axis=1)


def _right_winner(mixture: RankingDistribution, results: np.ndarray) -> list[float]:
    """Whether the best mean tier is where it is among all experiments; of several best, the share of the right one."""
    tiers = mixture.rankings[results].sum(axis=1)
    best = tiers == tiers.min(axis=1, keepdims=True)
    right = int(np.argmin(mixture.probabilities @ mixture.rankings))
    return (best[:, right] / best.sum(axis=1)).tolist()


def _true_generalizability(gram: np.ndarray, p: np.ndarray, n: int, epsilon: float, seed: int) -> float:
    distances = simulated_mmd(gram, p, n, 4000, stream(seed, n))
    return float(np.mean(similar(distances, epsilon)))
