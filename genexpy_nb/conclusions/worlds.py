"""Which true effects could have given what was observed: tests of worlds, inverted; see docs/second_study.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from genexpy_nb.conclusions.effects import Effects
from genexpy_nb.conclusions.measures import Drawn, Measure, Studies

_SCALES = (0.0, 0.2, 0.35, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.35, 1.5, 1.8, 2.2, 3.0)
_ROUNDING = 1e-9
_LEADS = (0.0, 0.7, 1.4, 2.1, 2.8, 3.5, 4.25, 5.0, 6.0, 8.0, 11.0)  # in standard errors of a difference

_NOISIER = 3.0  # times the noise of the observed study
_NEAR = 2.0  # standard errors of a difference up to which effects are near each other
_DISTANCES = 999  # draws of noise for the test of the distance
_SHARE_OF_DISTANCE = 2.5  # its level is so many times smaller than that of one side of the other test: .01 for .025
_FEW_SCALES = (0.0, 0.4, 0.7, 1.0, 1.3, 1.7, 2.5)
_FEW_LEADS = (0.0, 1.4, 2.8, 4.25, 6.0, 9.0)

#: Worlds, shape (G, Q), in the order in which they lie on a line.
Lines = list[np.ndarray]


def lines_of_means(effects: Effects, k: int) -> Lines:
    """Return worlds for questions about the k best."""
    centre = effects.centre - effects.centre.mean()
    error = _error_of_difference(effects)
    order = np.argsort(-centre, kind="stable")
    top, rest = order[:k], order[k:]
    lines = [np.outer(_SCALES, centre), *_near_scaled(effects, centre[order[k - 1 : k + 1]].mean())]
    n_ahead = 1 + int(np.argmax(-np.diff(centre[order[: k + 1]])))
    behind, worlds = order[n_ahead:], np.tile(centre, (len(_SCALES), 1))
    middle = centre[behind].mean()  # around which those behind are shrunk or stretched, not beyond those ahead
    worlds[:, behind] = np.minimum(middle + np.outer(_SCALES, centre[behind] - middle), centre[order[n_ahead - 1]])
    lines.append(worlds)
    for shrunk in (np.zeros(1), np.sqrt(_reliability(effects)), np.ones(1)):
        base = shrunk * centre
        lead = np.multiply(_LEADS, error)
        # the k best, equal among themselves or as observed, moved to where they are so far ahead of the next one
        for tops in {0.0, 1.0} if k > 1 else {1.0}:
            worlds = np.tile(base, (len(_LEADS), 1))
            spread = tops * (base[top] - base[top].min())
            worlds[:, top] = base[rest].max() + spread + lead[:, None]
            lines.append(worlds)
    return lines


def lines_of_few_means(effects: Effects) -> Lines:
    """Return few worlds, for conclusions that take long: all shrunk or stretched, and the best one moved."""
    centre = effects.centre - effects.centre.mean()
    best = int(np.argmax(centre))
    others = np.delete(centre, best)
    base = np.tile(np.sqrt(_reliability(effects)) * centre, (len(_FEW_LEADS), 1))
    base[:, best] = np.sqrt(_reliability(effects)) * others.max()
    base[:, best] += np.multiply(_FEW_LEADS, _error_of_difference(effects))
    return [np.outer(_FEW_SCALES, centre), base]


def lines_of_order(effects: Effects) -> Lines:
    """Return worlds for questions about all alternatives."""
    centre = effects.centre - effects.centre.mean()
    order = np.argsort(-centre, kind="stable")
    n = len(centre)
    place = np.empty(n)
    place[order] = np.arange(n)
    spread = max(float(centre.std()), _error_of_difference(effects))
    even = -(place - place.mean())
    gaps = -np.diff(centre[order])
    groups = (place <= gaps.argmax()).astype(float)
    leader = (place == 0).astype(float)
    shapes = [even, groups - groups.mean(), leader - leader.mean()]
    lines = [np.outer(_SCALES, centre), *_near_scaled(effects, np.median(centre))]
    lines += [np.outer(_SCALES, spread * shape / shape.std()) for shape in shapes]
    return lines


def lines_of_verdicts(effects: Effects) -> Lines:
    """Return worlds for the effects of pairs: all shrunk or stretched, the small ones left out, all of one size."""
    centre = effects.centre
    size = np.abs(centre)
    large = np.where(size >= np.median(size), centre, 0.0)
    same = np.sign(centre) * np.sqrt((centre**2).mean())
    return [np.clip(np.outer(_SCALES, shape), -0.5, 0.5) for shape in (centre, large, same)]


def _near_scaled(effects: Effects, place: float) -> Lines:
    """Return two lines of worlds in which only what is near a place is shrunk or stretched."""
    away = effects.centre - effects.centre.mean() - place
    border = _NEAR * _error_of_difference(effects)
    near = np.clip(away, -border, border)
    far = np.abs(away) > border
    pushed = np.sign(away) * np.maximum(np.subtract(_SCALES, 1), 0)[:, None] * border
    middle = away[~far].mean() if not far.all() else 0.0
    around_middle = middle + np.outer(_SCALES, away - middle)
    return [np.outer(_SCALES, near) + (away - near), np.where(far, away + pushed, around_middle)]


def _error_of_difference(effects: Effects) -> float:
    """Return the standard error of the difference between the best two alternatives."""
    best, next_best = np.argsort(-effects.centre, kind="stable")[:2]
    factor = effects.noise.factor
    error = float(np.linalg.norm(factor[:, best] - factor[:, next_best]))
    return error or 1.0


def _reliability(effects: Effects) -> np.ndarray:
    """Return the share of the spread between the observed effects that is not noise, in [0, 1], shape (1,)."""
    n = len(effects.centre)
    factor = effects.noise.factor - effects.noise.factor.mean(axis=1, keepdims=True)
    of_noise = (factor**2).sum() / (n - 1)
    spread = effects.centre.var(ddof=1)
    return np.maximum(0.0, 1 - np.atleast_1d(of_noise / spread)) if spread > 0 else np.zeros(1)


def plausible(
    effects: Effects,
    measure: Measure,
    lines: Lines,
    n: float,
    confidence: float,
    n_studies: int,
    n_draws: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Return the worlds that are not rejected, those on the edge included."""
    of_ties = rng.spawn(1)[0]
    studies = Studies(effects.noise, effects.noise.draw(n_draws, rng) + effects.broken_ties(n_draws, of_ties), n)
    errors = effects.noise.draw(n_studies, rng)
    scale = np.ones((n_studies, 1))
    if measure.scale_free:  # a study of the world would have another estimate of the noise, too
        scale = np.sqrt(rng.chisquare(effects.degrees, (n_studies, 1)) / effects.degrees)
    # a clear leader wins all draws, however far ahead: with more noise, how far ahead tells
    drawn = isinstance(measure, Drawn) and measure.scale_free
    noisier = replace(studies, draws=_NOISIER * studies.draws) if drawn else None

    def of_itself(centres: np.ndarray) -> np.ndarray:
        agreement = measure.within(centres, studies)
        return agreement if noisier is None else agreement + measure.within(centres, noisier)

    observed = float(of_itself(effects.centre[None])[0])
    p_values = []
    for worlds in lines:
        simulated = ((worlds[:, None] + errors) / scale).reshape(-1, worlds.shape[1])
        found = of_itself(simulated).reshape(len(worlds), n_studies)
        above, below = (found >= observed - _ROUNDING).sum(axis=1), (found <= observed + _ROUNDING).sum(axis=1)
        p_values.append((np.minimum(above, below) + 1.0) / (n_studies + 1.0))
    level = (1 - confidence) / 2
    near = p_values_of_distance(effects, lines, measure.scale_free, rng)
    # the second test has a smaller level, and its p-values are put on the scale of the first one's
    both = [np.minimum(p, q * _SHARE_OF_DISTANCE) for p, q in zip(p_values, near, strict=True)]
    if max(p.max() for p in both) <= level:  # a closer tie than in studies of any world: it does not point to one
        both = [q * _SHARE_OF_DISTANCE for q in near]
    return not_rejected(lines, both, level)


def p_values_of_distance(
    effects: Effects, lines: Lines, scale_free: bool, rng: np.random.Generator
) -> list[np.ndarray]:
    """Return how often noise alone would move the effects of each world as far as to the observed ones."""
    noise = effects.noise.draw(_DISTANCES, rng)
    scale = np.sqrt(rng.chisquare(effects.degrees, _DISTANCES) / effects.degrees) if scale_free else 1.0
    of_noise = np.sort(_length(noise, scale_free) / scale)
    found = []
    for worlds in lines:
        away = _length(worlds - effects.centre, scale_free)
        found.append((_DISTANCES - np.searchsorted(of_noise, away - _ROUNDING) + 1.0) / (_DISTANCES + 1.0))
    return found


def _length(effects: np.ndarray, centred: bool) -> np.ndarray:
    return np.linalg.norm(effects - effects.mean(axis=1, keepdims=True) if centred else effects, axis=1)


def not_rejected(lines: Lines, p_values: Sequence[np.ndarray], level: float) -> np.ndarray:
    """Return the worlds that tests do not reject, and those between two on a line where they begin to."""
    kept = np.concatenate([_with_edges(worlds, p, level) for worlds, p in zip(lines, p_values, strict=True)])
    if len(kept):
        return kept
    best = max(range(len(lines)), key=lambda line: float(p_values[line].max()))
    return lines[best][[int(p_values[best].argmax())]]


def _with_edges(worlds: np.ndarray, p: np.ndarray, level: float) -> np.ndarray:
    """Return the worlds with larger p-values, and, before each rejected neighbour, the place where p is the level."""
    inside = p > level
    edge = np.flatnonzero(inside[1:] != inside[:-1])
    share = (p[edge] - level) / (p[edge] - p[edge + 1])
    edges = worlds[edge] + share[:, None] * (worlds[edge + 1] - worlds[edge])
    return np.concatenate([worlds[inside], edges])
