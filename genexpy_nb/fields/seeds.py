"""Which algorithm is better over games: runs with other seeds, and other games.

Interquartile means, optimality gaps, performance profiles and probabilities of improvement are those of Agarwal et al.
(2021). Runs are drawn anew within each game, or games with all their runs. Resamples of n have (n - 1)/n of the
variance of another study, so what they deviate by is scaled up, and by Student's t for variances known from few runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri
from scipy.stats import t as student

from genexpy_nb.common.checks import check_columns, check_level, check_numbers, listed
from genexpy_nb.common.errors import StudyError
from genexpy_nb.common.prose import Said, percent, plain_line, two_digits, written_number
from genexpy_nb.common.random import seed_of, stream
from genexpy_nb.conclusions.contenders import MIN_EXPERIMENTS, compare_all
from genexpy_nb.fields.comparing import POWER, times_as_many, who_may_be_best

_DRAWS = 2_000
_THRESHOLDS = 41  # of performance profiles
_ENDS = ["low", "high", "games_low", "games_high"]
_PROBABILITIES = ["optimality gap", "profile", "improvement"]


@dataclass(frozen=True)
class Games(Said):
    """What runs on several games say of the algorithms; `games` says what is in it."""

    algorithms: pd.DataFrame
    measures: pd.DataFrame
    pairs: pd.DataFrame
    profiles: pd.DataFrame
    sentences: tuple[str, ...]


def games(
    frame: pd.DataFrame,
    algorithm: str = "algorithm",
    game: str = "game",
    seed: str = "seed",
    score: str = "score",
    *,
    reference: str | Sequence[str] | Mapping[Any, Sequence[float]] | None = None,
    confidence: float = 0.95,
    level: float = 0.05,
    rng: np.random.Generator | int = 0,
) -> Games:
    """Say from runs on several games who may be the best, in these games and in others.

    Parameters
    ----------
    frame : DataFrame
        A row for each run, higher scores are better. An algorithm has as many seeds in every game.
    algorithm, game, seed, score : str
        Columns.
    reference : optional
        What is 0 and what is 1 in each game: two columns, such as ["random", "human"]; or two algorithms of the table,
        whose means these are, and which are set aside; or for each game the two numbers; or "min-max", the least and
        the most of all runs. Without it, scores count as they are.
    confidence, level : float
        Of intervals, and of tests over all algorithms at once.
    rng : Generator or int
        For runs and games that are drawn anew.

    Returns
    -------
    Games
        Printed, its ``sentences``. ``algorithms``, the best first: ``estimate`` (interquartile mean), ``low, high``
        (these games, other seeds), ``games_low, games_high`` (other games, too), ``of_games`` (share of that variance
        which no number of seeds reduces), ``wins`` (how often a run is ahead of one of another algorithm in the same
        game), ``may_be_best`` and its ``p`` (each against all others), ``rank_low, rank_high`` (all pairs at once; by
        ``wins``, over games), ``seeds``. ``measures``: "IQM", "mean", "median" (of means of games) and "optimality
        gap" with intervals. ``pairs``: the probability of improvement with intervals; ``p, p_adjusted`` over games.
        ``profiles``: share of runs above each ``threshold``, by itself.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> runs = pd.MultiIndex.from_product([["a", "b", "c"], range(12), range(5)], names=["algorithm", "game", "seed"])
    >>> runs = runs.to_frame(index=False)
    >>> runs["score"] = runs["game"] / 12 + 0.3 * (runs["algorithm"] == "b") + rng.normal(0, 0.2, len(runs))
    >>> found = games(runs)
    >>> found.algorithms["may_be_best"].to_dict()
    {'b': True, 'a': False, 'c': False}
    >>> print(str(found).splitlines()[0])
    b is the best of 3 algorithms, over games like these.
    """
    check_columns(frame, [algorithm, game, seed, score], "the table of runs")
    confidence, level, start = check_level("confidence", confidence), check_level("level", level), seed_of(rng)
    runs = _checked(frame, algorithm, game, seed, score)
    runs, note = _normalised(runs, frame, reference)
    names, scores = _arrays(runs)
    n_games = len(scores[0])
    wins = np.stack([np.mean([_ahead(x, y).mean(axis=(1, 2)) for y in scores if y is not x], axis=0) for x in scores])
    # neither labels nor the order of rows decide what is drawn for whom
    order = np.lexsort([*np.array([x.mean(axis=1) for x in scores]).T, -np.round(wins.mean(axis=1), 12)])
    names, scores, wins = names[order], [scores[i] for i in order], wins[order]
    sizes = [x.shape[1] for x in scores]
    counts = [stream(start, 1, i).multinomial(n, np.full(n, 1 / n), (_DRAWS, n_games)) for i, n in enumerate(sizes)]
    drawn = stream(start, 0).multinomial(n_games, np.full(n_games, 1 / n_games), _DRAWS)
    pooled = np.concatenate([x.ravel() for x in scores])
    thresholds = np.unique(np.quantile(pooled, np.linspace(0, 1, _THRESHOLDS)[:-1]))
    measured, profiles, shares = [], [], []
    for name, x, count in zip(names, scores, counts, strict=True):
        both = count.astype(float), np.repeat(drawn[:, :, None], x.shape[1], axis=2).astype(float)
        for what, (of, influence) in _MEASURES.items():
            estimate = of(np.ones((1, *x.shape)), x)
            ends, share = _limits(what, estimate, [of(each, x) for each in both], [influence(x)], confidence)
            measured.append([name, what, estimate[0], *ends[0]])
            shares += [share] * (what == "IQM")
        above = (x[..., None] > thresholds).astype(float)
        (share, *_), *again = (_mean(each, above) for each in (np.ones((1, *x.shape)), *both))
        ends, _ = _limits("profile", share, again, [above], confidence)
        profiles += [[name, *row] for row in np.column_stack([thresholds, share, ends]).tolist()]
    measures = pd.DataFrame(measured, columns=["algorithm", "measure", "estimate", *_ENDS])
    found = compare_all(wins.T, level, start)
    low, high = found.places()
    algorithms = measures[measures["measure"] == "IQM"].set_index("algorithm").drop(columns="measure")
    algorithms = algorithms.assign(of_games=shares, wins=wins.mean(axis=1), may_be_best=found.contend)
    algorithms = algorithms.assign(p=found.p_best, rank_low=low, rank_high=high, seeds=sizes)
    rows = []
    for i, j in combinations(range(len(names)), 2):
        ahead = _ahead(scores[i], scores[j])
        again = [_resampled(ahead, counts[i], counts[j]), drawn @ ahead.mean(axis=(1, 2)) / n_games]
        influences = [ahead.mean(axis=2), ahead.mean(axis=1)]
        ends, _ = _limits("improvement", np.atleast_1d(ahead.mean()), again, influences, confidence)
        rows.append([names[i], names[j], ahead.mean(), *ends[0], found.p()[i, j], found.p_adjusted()[i, j]])
    pairs = pd.DataFrame(rows, columns=["first", "second", "estimate", *_ENDS, "p", "p_adjusted"])
    profile = pd.DataFrame(profiles, columns=["algorithm", "threshold", "estimate", *_ENDS])
    return Games(algorithms, measures, pairs, profile, _sentences(algorithms, pairs, n_games, note, level))


def _checked(frame: pd.DataFrame, algorithm: str, game: str, seed: str, score: str) -> pd.DataFrame:
    """Return the runs with columns ``algorithm, game, seed, score``, none missing, none twice."""
    runs = pd.DataFrame({"algorithm": frame[algorithm], "game": frame[game], "seed": frame[seed]}, dtype=object)
    runs["score"] = check_numbers(frame[score], f"column {score!r}")
    for column, name in zip(runs, (algorithm, game, seed, score), strict=True):
        wrong = runs[column].isna() if column != "score" else ~np.isfinite(runs[column])
        if wrong.any():
            at = runs.loc[wrong].astype(object).iloc[0]
            raise StudyError(
                f"column {name!r}: row {runs.index.tolist()[wrong.argmax()]!r} (algorithm {at['algorithm']!r}, game "
                f"{at['game']!r}, seed {at['seed']!r}) holds {at[column]!r}; a run that failed has a score, too, such "
                "as the lowest one, or its seed is left out in all games"
            )
    twice = runs.duplicated(["algorithm", "game", "seed"])
    if twice.any():
        at = runs.loc[twice].astype(object).iloc[0]
        raise StudyError(
            f"row {runs.index.tolist()[twice.argmax()]!r}: a second score of algorithm {at['algorithm']!r} in game "
            f"{at['game']!r} with seed {at['seed']!r}; keep one row for each run, such as the last evaluation"
        )
    return runs


def _normalised(runs: pd.DataFrame, frame: pd.DataFrame, reference: Any) -> tuple[pd.DataFrame, str]:
    """Return runs whose scores are 0 and 1 where the reference is, and how this was done."""
    if reference is None:
        return runs, "Scores count as they are"
    names, note = runs["game"].unique(), ""
    if isinstance(reference, Mapping):
        if absent := [name for name in names if name not in reference]:
            needed = "it needs two numbers, what is 0 and what is 1"
            raise StudyError(f"reference: game {absent[0]!r} has no entry; {needed}")
        ends, note = pd.DataFrame([[*reference[name]] for name in names], names), "the numbers given for each game"
    elif isinstance(reference, str) and reference == "min-max":
        ends, note = runs.groupby("game")["score"].agg(["min", "max"]), "the least and the most of all runs in a game"
    elif isinstance(reference, str) or len(reference) != 2:
        raise StudyError(f"reference must be two columns, two algorithms, a mapping or 'min-max', got {reference!r}")
    elif all(name in frame.columns for name in reference):
        numbers = frame[[*reference]].apply(lambda column: check_numbers(column, f"column {column.name!r}"))
        ends, varies = numbers.groupby(runs["game"]).first(), numbers.groupby(runs["game"]).nunique(dropna=False) > 1
        if varies.any(axis=None):
            raise StudyError(f"reference: column {varies.any().idxmax()!r} has several values in a game; it needs one")
    else:
        if absent := [name for name in reference if name not in set(runs["algorithm"])]:
            raise StudyError(
                f"reference: {absent[0]!r} is no algorithm (there are {listed(runs['algorithm'].unique())}), and the "
                "two are not both columns"
            )
        ends = runs.groupby(["game", "algorithm"])["score"].mean().unstack()[[*reference]]
        runs = runs[~runs["algorithm"].isin(reference)]
    least, most = (ends.iloc[:, at].reindex(names).astype(float) for at in (0, 1))
    wrong = ~(np.isfinite(most - least) & (most != least))
    if wrong.any():
        name = wrong.index.astype(object)[wrong.argmax()]
        raise StudyError(
            f"reference: in game {name!r}, 0 is at {least[name]:g} and 1 at {most[name]:g}; it needs two numbers that "
            "differ, or leave the game out"
        )
    scaled = (runs["score"] - runs["game"].map(least)) / (runs["game"].map(most) - runs["game"].map(least))
    said = f"0 and 1 are {note}" if note else "0 is {} and 1 is {} in each game".format(*map(plain_line, reference))
    return runs.assign(score=scaled), said


def _arrays(runs: pd.DataFrame) -> tuple[pd.Index, list[np.ndarray]]:
    """Return algorithms, and scores of each, shape (games, seeds), in an order that labels do not decide."""
    sizes = runs.groupby(["algorithm", "game"], sort=True).size().unstack(fill_value=0)
    if sizes.shape[0] < 2 or sizes.shape[1] < MIN_EXPERIMENTS:
        got = f"got {sizes.shape[0]} and {sizes.shape[1]}"
        raise StudyError(f"games needs two algorithms and {MIN_EXPERIMENTS} games, {got}")
    for name, size in sizes.iterrows():
        usual = int(size[size > 0].mode().max())
        other = size.index.astype(object)[size != usual]
        if len(other):
            raise StudyError(
                f"algorithm {name!r} has {size[other[0]]} seeds in game {other[0]!r} and {usual} in others; run the "
                "missing ones, or leave out the game or these seeds"
            )
        if usual < 2:
            raise StudyError(f"algorithm {name!r} has one seed in each game, which does not show the noise of seeds")
    at = sizes.index.get_indexer(runs["algorithm"]), sizes.columns.get_indexer(runs["game"])
    ordered = runs["score"].to_numpy()[np.lexsort([runs["score"], *at[::-1]])]
    scores = [x.reshape(sizes.shape[1], -1) for x in np.split(ordered, np.cumsum(sizes.sum(axis=1).to_numpy())[:-1])]
    means = np.array([x.mean(axis=1) for x in scores])
    games_in_order = np.lexsort(np.sort(means, axis=0))
    return sizes.index, [x[games_in_order] for x in scores]


# --- measures, of runs with weights, shape (draws, games, seeds) ------------------------------------------------------


def _iqm(weights: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return means of runs without the lowest and the highest quarter, as `scipy.stats.trim_mean` counts them."""
    order, cut = np.argsort(x, axis=None), int(0.25 * x.size)
    upto = np.cumsum(weights.reshape(len(weights), -1)[:, order], axis=1)
    return np.diff(np.clip(upto, cut, x.size - cut), axis=1, prepend=cut) @ x.ravel()[order] / (x.size - 2 * cut)


def _mean(weights: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return means of runs, shape (draws, ...), of x with shape (games, seeds, ...)."""
    return np.tensordot(weights, x, 2) / weights[0].size


def _median(weights: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return medians of the means of games, which count as often as they were drawn."""
    total = weights.sum(axis=2)
    means = (weights * x).sum(axis=2) / np.maximum(total, 1)
    order = np.argsort(means, axis=1)
    upto = np.cumsum(np.take_along_axis(total / x.shape[1], order, 1), axis=1)
    at = [(upto > middle + 0.5).argmax(axis=1)[:, None] for middle in ((len(x) - 1) // 2, len(x) // 2)]
    return np.mean([np.take_along_axis(np.take_along_axis(means, order, 1), i, 1)[:, 0] for i in at], axis=0)


#: What is measured, and what a run adds to it
_MEASURES: dict[str, tuple[Callable, Callable]] = {
    "IQM": (_iqm, lambda x: np.clip(x, *np.quantile(x, [0.25, 0.75]))),
    "mean": (_mean, lambda x: x),
    "median": (_median, lambda x: x),
    "optimality gap": (lambda weights, x: 1 - _mean(weights, np.minimum(x, 1.0)), lambda x: np.minimum(x, 1.0)),
}


def _ahead(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return for each game which runs of x are ahead of which of y, shape (games, seeds, seeds); ties are half."""
    return 0.5 * (1.0 + np.sign(x[:, :, None] - y[:, None, :]))


def _resampled(ahead: np.ndarray, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return probabilities of improvement for runs drawn anew."""
    return np.einsum("gbj,bgj->b", one.transpose(1, 0, 2).astype(float) @ ahead, other) / ahead.size


def _limits(
    what: str, estimate: np.ndarray, again: Sequence[np.ndarray], influences: Sequence[np.ndarray], confidence: float
) -> tuple[np.ndarray, float]:
    """Return intervals for these games and for others, shape (..., 4), and how much of the variance is of games."""
    n_games, n_seeds = influences[0].shape[0], min(each.shape[1] for each in influences)
    usual = ndtri((1 + confidence) / 2)
    freedoms = [_freedom(influences), n_games - 1.0]
    scales = [np.sqrt(n / (n - 1)) for n in (n_seeds, n_games)]
    if what == "improvement":  # comparisons with the same runs vary more when drawn anew: half of the correction
        scales[0] = np.sqrt(scales[0])
    ends, variances = [], []
    for drawn, freedom, scale in zip(again, freedoms, scales, strict=True):
        beyond = np.quantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0) - estimate
        ends.append(estimate + beyond * scale * student.ppf((1 + confidence) / 2, freedom) / usual)
        variances.append(float(np.mean(np.var(drawn, axis=0)) * scale**2))
    limits = np.stack([np.broadcast_to(end, estimate.shape) for pair in ends for end in pair], axis=-1)
    share = 1 - variances[0] / variances[1] if variances[1] > 0 else 0.0
    if what in _PROBABILITIES:
        limits = np.clip(limits, 0.0, np.inf if what == "optimality gap" else 1.0)
    return limits, max(0.0, share)


def _freedom(influences: Sequence[np.ndarray]) -> Any:
    """Return degrees of freedom of a sum of variances within games (Satterthwaite), less the noise of their squares."""
    variances = [each.var(axis=1, ddof=1) / each.shape[1] for each in influences]
    freedom = [each.shape[1] - 1.0 for each in influences]
    squares = [(v**2).sum(axis=0) * f / (f + 2) for v, f in zip(variances, freedom, strict=True)]
    total = np.sum([v.sum(axis=0) for v in variances], axis=0) ** 2
    noise = np.sum([s / f for s, f in zip(squares, freedom, strict=True)], axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = (total - 2 * noise) / noise
    return np.where(np.isfinite(found), np.maximum(found, min(freedom)), np.inf)


def _sentences(algorithms: pd.DataFrame, pairs: pd.DataFrame, n_games: int, note: str, level: float) -> tuple[str, ...]:
    lead, best = algorithms.iloc[0], plain_line(algorithms.index[0])
    contend, k = algorithms.index[algorithms["may_be_best"]], len(algorithms)
    said = [who_may_be_best(contend, f"{k} algorithms", f"{',' * (len(contend) == 1)} over games like these")]
    told = int((pairs["p_adjusted"] <= level).sum())
    said.append(
        f"{told} of {len(pairs)} pairs are told apart, all tested at once. A run of {best}, in front by wins, is ahead "
        f"of one of another algorithm in the same game with probability {two_digits(lead['wins'])}."
    )
    top = algorithms["estimate"].idxmax()
    of = algorithms.loc[top]
    number = {name: written_number(of[name], digits=3) for name in ("estimate", *_ENDS)}
    said.append(
        f"{plain_line(top)} has the highest interquartile mean, {number['estimate']} ([{number['low']}, "
        f"{number['high']}] for {of['seeds']} other seeds on these {n_games} games, [{number['games_low']}, "
        f"{number['games_high']}] for other games, too)."
    )
    pair = pairs.iloc[0]
    own, other = (f"[{two_digits(pair[low])}, {two_digits(pair[high])}]" for low, high in (_ENDS[:2], _ENDS[2:]))
    second = plain_line(pair["second"])
    said.append(
        f"A run of {best} is ahead of one of {second}, the next by wins, with probability "
        f"{two_digits(pair['estimate'])} {own} in these games, {other} over other games."
    )
    share = float(algorithms["of_games"].mean())
    said.append(
        f"Of the variance of interquartile means over other games, {percent(share)} would remain with endless seeds: "
        f"{'more games' if share > 0.5 else 'more seeds'} would help most."
    )
    if pair["p"] > level:
        more = times_as_many(student.isf(pair["p"] / 2, n_games - 1), level) * n_games
        many = f"about {more:,.0f}" if more < 100 * n_games else f"more than {100 * n_games:,}"
        said.append(
            f"To tell {best} from {second} with a probability of {percent(POWER)} would take {many} games if the "
            "two differ as much as here. If they differ less, it takes more, and if not at all, no number is enough."
        )
    said.append(f"{note}. Who may be the best depends on how often runs are ahead, not on how far.")
    said.append(
        "All of this is about games like these, and seeds of the same code; nothing is said about other budgets, "
        "versions or tuning."
    )
    return tuple(said)
