"""What two studies agree in: the winner or the top k, the order, the verdicts of the tests."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from genexpy_nb.conclusions.effects import Effects, Noise
from genexpy_nb.conclusions.extrapolation import of_sign, weights
from genexpy_nb.significance.pairs import in_spreads

_CHUNK = 200_000  # numbers looked at at once: as many as processors have close by
_FEW = 8  # of the best, up to which they are found one by one
_LARGEST_EXACT = 50  # experiments up to which signed ranks are counted exactly
_EFFECTS_DRAWN = 20_000  # of all alternatives together, for an estimate
_FEWEST_DRAWS, _MOST_DRAWS = 400, 2000


@dataclass(frozen=True)
class Studies:
    """Studies of one size."""

    noise: Noise
    draws: np.ndarray
    n: float


class Measure(ABC):
    """Agreement of two studies, each with its observed effects."""

    lowest = 0.0
    least = 0.0
    scale_free = True

    @abstractmethod
    def within(self, centres: np.ndarray, studies: Studies) -> np.ndarray:
        """Return the expected agreement of two independent studies, for each of several true effects."""

    @abstractmethod
    def estimate(self, effects: Effects, sizes: Sequence[float], rng: np.random.Generator) -> np.ndarray:
        """Return the agreement of studies of other sizes, as far as the observed one shows it (`weights`)."""


class Drawn(Measure):
    """Agreement that is estimated from pairs of studies that are drawn."""

    @abstractmethod
    def between(self, first: np.ndarray, second: np.ndarray, n: float) -> float:
        """Return the mean agreement of pairs of studies of ``n`` experiments, each of shape (R, Q)."""

    def estimate(self, effects: Effects, sizes: Sequence[float], rng: np.random.Generator) -> np.ndarray:
        """See `Measure`."""
        n_draws = int(np.clip(_EFFECTS_DRAWN // len(effects.centre), _FEWEST_DRAWS, _MOST_DRAWS))
        first, second = (rng.standard_normal((n_draws, len(effects.noise.factor))) for _ in range(2))
        ties = [effects.broken_ties(n_draws, rng) for _ in range(2)]
        found = []
        for size, other, ratio in zip(sizes, effects.others, effects.ratios, strict=True):
            factor = other.factor * np.sqrt(ratio)  # noise of the observed study, in the shape of the other's
            one, own = first @ factor, second @ factor
            total = 0.0
            for (noise, shared), weight in weights(ratio).items():
                correlation = shared / noise
                two = correlation * one + np.sqrt(max(0.0, 1 - correlation**2)) * own
                pairs = zip((one, two), ties, strict=True)
                drawn = [effects.centre + np.sqrt(noise) * each + tie for each, tie in pairs]
                total += weight * self.between(drawn[0], drawn[1], size)
            found.append(total)
        return np.array(found)


def _pairs_that_agree(counts: np.ndarray, n_draws: int) -> np.ndarray:
    """Return the share of pairs of different draws with the same value, from how often each value was drawn."""
    return ((counts * (counts - 1.0)).sum(axis=-1)) / (n_draws * (n_draws - 1.0))


def _tops(effects: np.ndarray, k: int) -> np.ndarray:
    """Return which alternatives are the k best, as truth values; they are the first dimension, and none tie."""
    if k > _FEW:
        return effects >= np.partition(effects, -k, axis=0)[-k]
    best = np.full((k, *effects.shape[1:]), -np.inf)  # so far, the first one on top
    for one in effects:  # many times as fast as to look at each study by itself
        for place in range(k - 1, 0, -1):
            np.maximum(best[place], np.minimum(best[place - 1], one), out=best[place])
        np.maximum(best[0], one, out=best[0])
    return effects >= best[-1]


@dataclass(frozen=True)
class Top(Drawn):
    """Overlap of the ``k`` best of ``n_alternatives``, over k; of one, whether it is the winner of both."""

    k: int
    n_alternatives: int

    @property
    def least(self) -> float:  # type: ignore[override]
        """Expected of equal alternatives."""
        return self.k / self.n_alternatives

    def between(self, first: np.ndarray, second: np.ndarray, n: float) -> float:
        """See `Measure`."""
        return float((_tops(first.T, self.k) & _tops(second.T, self.k)).sum(axis=0).mean() / self.k)

    def within(self, centres: np.ndarray, studies: Studies) -> np.ndarray:
        """See `Measure`."""
        noise, found = studies.draws, np.empty(len(centres))
        step = max(1, _CHUNK // noise.size)
        for start in range(0, len(centres), step):
            part = slice(start, start + step)
            always = np.partition(centres[part] + noise.min(axis=0), -self.k, axis=1)[:, -self.k]  # k are never below
            contend = (centres[part] + noise.max(axis=0) >= always[:, None]).any(axis=0)
            observed = centres[part][:, contend].T[:, :, None] + noise[:, contend].T[:, None]  # (Q, S, R)
            tops = _tops(observed, self.k)
            found[part] = _pairs_that_agree(np.count_nonzero(tops, axis=2).T, len(noise)) / self.k
        return found


@dataclass(frozen=True)
class Order(Measure):
    """Kendall's tau of the two orders: pairs in the same order minus pairs in the other, over all pairs."""

    first: np.ndarray
    second: np.ndarray
    lowest = -1.0

    def within(self, centres: np.ndarray, studies: Studies) -> np.ndarray:
        """See `Measure`."""
        effects, error = self._contrasts(centres), self._errors(studies.noise)
        return np.square(2 * ndtr(in_spreads(effects, error)) - 1).mean(axis=1)

    def estimate(self, effects: Effects, sizes: Sequence[float], rng: np.random.Generator) -> np.ndarray:
        """See `Measure`."""
        contrasts, found = self._contrasts(effects.centre[None])[0], []
        # parts of a study in which two are the same would not agree, but ties are broken by chance
        same = (np.abs(contrasts) < effects.tie) & (self._errors(effects.noise) < effects.tie)
        for other, ratio in zip(effects.others, effects.ratios, strict=True):
            shown = of_sign(in_spreads(contrasts, self._errors(other.scaled(ratio))), ratio)
            found.append(2 * np.where(same, 0.5, shown).mean() - 1)
        return np.array(found)

    def _contrasts(self, effects: np.ndarray) -> np.ndarray:
        return effects.take(self.first, axis=1) - effects.take(self.second, axis=1)

    def _errors(self, noise: Noise) -> np.ndarray:
        return np.sqrt(np.square(self._contrasts(noise.factor)).sum(axis=0))


@dataclass(frozen=True)
class Verdicts(Drawn):
    """Share of pairs of which both studies say the same: the first better, the second better, or not told apart."""

    n_pairs: int
    level: float
    scale_free = False

    def between(self, first: np.ndarray, second: np.ndarray, n: float) -> float:
        """See `Measure`."""
        return float((self._verdicts(first, n) == self._verdicts(second, n)).mean())

    def within(self, centres: np.ndarray, studies: Studies) -> np.ndarray:
        """See `Measure`."""
        found = np.empty(len(centres))
        for i, centre in enumerate(centres):
            verdicts = self._verdicts(centre + studies.draws, studies.n)
            counts = np.stack([(verdicts == verdict).sum(axis=0) for verdict in (-1, 0, 1)], axis=-1)
            found[i] = _pairs_that_agree(counts, len(verdicts)).mean()
        return found

    def _verdicts(self, effects: np.ndarray, n: float) -> np.ndarray:
        """Return 1, -1 or 0 for each study and pair, shape (R, P)."""
        p = signed_rank_p_values(effects, n)
        ordered = np.sort(p, axis=1)
        n_seen = p.shape[1]
        # of a sample of the pairs, the share that was rejected stands for that of all
        left = np.maximum(self.n_pairs * (1 - np.arange(n_seen) / n_seen), 1.0)
        n_rejected = (ordered > self.level / left).argmax(axis=1)
        n_rejected[(ordered <= self.level / left).all(axis=1)] = n_seen
        last = np.take_along_axis(ordered, np.maximum(n_rejected - 1, 0)[:, None], axis=1)
        rejected = (p <= last) & (n_rejected > 0)[:, None]
        return np.where(rejected, np.sign(effects), 0.0)


def signed_rank_p_values(effects: np.ndarray, n: float) -> np.ndarray:
    """Return two-sided p-values of Wilcoxon's signed-rank test."""
    largest = n * (n + 1) / 2
    if n > _LARGEST_EXACT:
        error = np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        return 2 * ndtr(-np.abs(effects) * largest / error)
    counts = np.array([1.0])
    for rank in range(1, int(n) + 1):
        counts = np.concatenate([counts, np.zeros(rank)]) + np.concatenate([np.zeros(rank), counts])
    tail = np.minimum(1.0, 2 * np.cumsum(counts) / counts.sum())
    smaller = np.rint((0.5 - np.minimum(np.abs(effects), 0.5)) * largest).astype(int)
    return tail[smaller]
