"""Which of two answers is better: strengths of models from votes on pairs, and whether another panel would agree.

Bradley and Terry's model: the log-odds that one of two is preferred are the difference of their strengths. Votes of one
judge, or on one prompt, are alike, so that errors are computed over groups of votes (Liang and Zeger, 1986), and over
several kinds of groups as Cameron, Gelbach and Miller (2011) add them up.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, logit
from scipy.stats import binom
from scipy.stats import t as student

from genexpy_nb.common.checks import check_columns, check_level
from genexpy_nb.common.errors import StudyError
from genexpy_nb.common.prose import Said, how_many, percent, plain_line, plural, together, two_digits
from genexpy_nb.common.random import seed_of
from genexpy_nb.conclusions.effects import root_of
from genexpy_nb.datasets.votes import not_told, won_by_first
from genexpy_nb.fields import comparing
from genexpy_nb.fields.comparing import in_words

_LARGEST, _NOTHING = 15.0, 1e-9  # error of the log-odds of the place; information
_OF_MODELS = ("estimate", "low", "high", "wins", "wins_low", "wins_high")


@dataclass(frozen=True)
class Preferences(Said):
    """What votes say of the models; `preferences` says what is in it."""

    models: pd.DataFrame
    pairs: pd.DataFrame
    position: pd.Series
    agreement: pd.Series
    sentences: tuple[str, ...]


def preferences(
    votes: pd.DataFrame,
    first: str = "model_a",
    second: str = "model_b",
    winner: str = "winner",
    *,
    cluster: str | Sequence[str] | None = None,
    confidence: float = 0.95,
    level: float = 0.05,
    rng: np.random.Generator | int = 0,
) -> Preferences:
    """Say from votes on pairs who may be the best, who is told apart, and whether another panel would agree.

    Parameters
    ----------
    votes : DataFrame
        A row for each vote.
    first, second : str
        Columns with the two models, in the order in which their answers were shown.
    winner : str
        Column that says who won: the name of the model, "model_a", "model_b" or "tie" and the like ("agent1", "white",
        "a-is-slightly-better", which is a whole win), or what share of the vote the first one has, 1, 0 or 0.5. A tie
        is half a win for each.
    cluster : str or list of str, optional
        Columns whose levels hold votes that are alike, such as the judge, the user or the prompt, five levels or more.
    confidence, level : float
        Of intervals, and of tests over all models at once.
    rng : Generator or int
        For the largest difference that chance makes.

    Returns
    -------
    Preferences
        Printed, its ``sentences``. ``models``, the best first: ``estimate, low, high`` (log-odds against the mean of
        all), ``wins, wins_low, wins_high`` (the probability to be preferred to an average model), ``votes``,
        ``may_be_best``, ``rank_low, rank_high``. ``pairs``: ``first, second, estimate, low, high, p, p_adjusted``; each
        interval is for this pair alone. Who won or lost all votes against others has no finite strength: what these
        pairs say is by exact tests of their votes, of which a group has one; who won all stands first only where chance
        rarely wins so many, the others without a finite strength last. ``may_be_best`` asks of each model only
        whether another one is better, and ``p_adjusted`` which of two is, in all pairs at once, which takes more.
        ``position`` and ``agreement``: ``estimate, low, high`` of the log-odds for the answer shown first, and of the
        probability that two panels of this size have the same model in front.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> votes = pd.DataFrame({"model_a": rng.choice(["ant", "bee"], 300), "model_b": "cat"})
    >>> votes["winner"] = np.where(rng.random(300) < 0.7, "model_a", "model_b")
    >>> found = preferences(votes)
    >>> found.models["may_be_best"].to_dict()
    {'ant': True, 'bee': True, 'cat': False}
    >>> print(str(found).splitlines()[0])
    2 of 3 models may be the best: ant and bee.
    """
    groups = [cluster] if isinstance(cluster, str) else list(cluster or ())
    check_columns(votes, [first, second, winner, *groups], "the table of votes")
    confidence, level, seed = check_level("confidence", confidence), check_level("level", level), seed_of(rng)
    votes, notes = _usable(votes, first, second, winner, groups)
    ties = int((votes["won"] == 0.5).sum())
    notes = [f"{how_many(ties, 'tie')} of {len(votes):,} votes: half a win for each."] * bool(ties) + notes
    names, part = _parts(votes)
    inside = names[part == np.bincount(part).argmax()]
    settled = _settled(votes, pd.Series(part, names), confidence)
    n_finite = len(inside) * (len(inside) - 1) // 2
    n_pairs = n_finite + len(settled)
    tables, finite = [settled.assign(p_adjusted=settled["p"] * n_pairs)] * bool(len(settled)), None
    alike = list[str]()
    if n_finite:
        between = votes[votes["first"].isin(inside) & votes["second"].isin(inside)]
        finite, alike = _of_finite(between, inside, groups, confidence, level, n_finite / n_pairs, seed)
        tables.insert(0, finite.pairs.assign(p_adjusted=finite.pairs["p_adjusted"] * n_pairs / n_finite))
    pairs = pd.concat(tables, ignore_index=True)
    pairs["p_adjusted"] = pairs["p_adjusted"].clip(upper=1.0)
    models = _places(_chances_of_wins(votes), pairs, finite.models if finite else None, level)
    models["votes"] = pd.concat([votes["first"], votes["second"]]).value_counts().reindex(models.index)
    if len(settled):
        one, other, low = settled.loc[settled["low"].idxmax(), ["first", "second", "low"]]
        notes.append(
            f"In {how_many(len(settled), 'pair')} one won all votes, as {plain_line(one)} did against "
            f"{plain_line(other)} (odds of {np.exp(low):.3g} to 1 or more): no finite strength says that, and exact "
            "tests of the wins do."
        )
    in_front = finite is not None and bool(np.isfinite(models["estimate"].iloc[0]))
    best = comparing.who_may_be_best(models.index[models["may_be_best"]], f"{len(models)} models")
    told = f"{(pairs['p_adjusted'] <= level).sum():,} of {len(pairs):,} pairs are told apart."
    said = [best, told]
    if finite and in_front:
        said = [best, f"{told} {finite.sentences[0]}", *finite.sentences[1:]]
    if not groups:
        said.append(
            "All votes count as independent: if judges, users or prompts have several, name these columns as cluster."
        )
    said += [*alike, *([" ".join(notes)] if notes else [])]
    said.append("All of this is about prompts, judges and users like these, and not about which answers are right.")
    nothing = pd.Series(np.nan, ["estimate", "low", "high"])
    return Preferences(
        models[[*_OF_MODELS, "votes", "may_be_best", "rank_low", "rank_high"]],
        pairs,
        finite.position if finite else nothing,
        finite.agreement if finite and in_front else nothing,
        tuple(said),
    )


def _usable(
    votes: pd.DataFrame, first: str, second: str, winner: str, groups: Sequence[str]
) -> tuple[pd.DataFrame, list[str]]:
    """Return votes that count, with ``first, second, won`` and their groups; and what was left out."""
    known = votes.dropna(subset=[first, second, winner, *groups])
    other = known[known[first] != known[second]]
    won = won_by_first(other[winner], other[first], other[second])
    unknown = other[winner][won.isna()]
    if not not_told(unknown, won).empty:
        row, at = unknown.index.tolist()[0], other[won.isna()].astype(object).iloc[0]
        raise StudyError(
            f"column {winner!r}: row {row!r} holds {at[winner]!r} for {at[first]!r} against {at[second]!r}; a winner "
            f"is one of the two, {first!r}, {second!r} or 'tie', or the share of the first one, 0 to 1"
        )
    unsaid = int((votes[winner].isna() & votes[[first, second]].notna().all(axis=1)).sum())
    notes = [f"{how_many(len(votes) - len(known), 'row')} without a model, winner or group left out."]
    if unsaid:
        notes[0] += f" In {unsaid:,} only the winner is missing: if that is a tie, write 'tie' there."
    notes += [f"{how_many(len(known) - len(other), 'vote')} on a model against itself left out."]
    words = " or ".join(map(repr, unknown.unique().tolist()))
    notes += [f"{how_many(len(unknown), 'row')} in which {plain_line(winner)} is {words} left out."]
    other, won = other[won.notna()].reset_index(drop=True), won.dropna().reset_index(drop=True)
    if other.empty:
        raise StudyError(f"no vote counts: none of the {len(votes):,} rows has two models and a winner")
    kinds = {f"group {i}": other[name].astype("category").cat.codes for i, name in enumerate(groups)}
    kinds = kinds or {"group 0": other.index}  # each vote by itself
    table = pd.DataFrame({"first": other[first], "second": other[second], "won": won, **kinds})
    names = {*table["first"], *table["second"]}
    joined = {name: name.split("+") for name in names if isinstance(name, str) and "+" in name}
    joined = {name: parts for name, parts in joined.items() if {*parts} <= names}
    if joined:
        notes.append(
            f"{plain_line(min(joined))} joins names with +: its votes are votes on each, as those of all such."
        )
        for side in ("first", "second"):
            table = table.assign(**{side: [joined.get(name, [name]) for name in table[side]]}).explode(side)
        table = table[table["first"] != table["second"]].reset_index(drop=True)
    return table, [note for note in notes if not note.startswith("0 ")]


def _parts(votes: pd.DataFrame) -> tuple[pd.Index, np.ndarray]:
    """Return the models, and which of them have won against each other, directly or by way of others."""
    names = pd.Index(sorted({*votes["first"], *votes["second"]}, key=str))
    one, other = (names.get_indexer(votes[side]) for side in ("first", "second"))
    beats = np.zeros((len(names), len(names)))
    np.add.at(beats, (one, other), votes["won"])
    np.add.at(beats, (other, one), 1 - votes["won"])
    n_islands, island = connected_components(beats, directed=False)
    if n_islands > 1:
        said = [together([repr(name) for name in names[island == i]]) for i in range(n_islands)]
        raise StudyError(
            f"no vote compares models of different groups: {' | '.join(said[:4])}"
            f"{f' | ... ({n_islands} groups)' if n_islands > 4 else ''}; ask for each group by itself"
        )
    return names, connected_components(beats, directed=True, connection="strong")[1]


def _settled(votes: pd.DataFrame, part: pd.Series, confidence: float) -> pd.DataFrame:
    """Return pairs of different parts, of which one won all votes: exact tests and intervals of these votes alone."""
    rows = votes[votes["first"].map(part) != votes["second"].map(part)]
    won = rows["won"] == 1
    pairs = pd.DataFrame({"first": rows["first"].where(won, rows["second"])})
    pairs["second"] = rows["second"].where(won, rows["first"])
    # votes of one group are alike, and count as one
    n = rows[_kinds(rows)].groupby([pairs["first"], pairs["second"]]).nunique().min(axis=1)
    low = logit(((1 - confidence) / 2) ** (1 / n))  # Clopper and Pearson (1934)
    found = pd.DataFrame({"estimate": np.inf, "low": low, "high": np.inf, "p": np.minimum(1.0, 2 * 0.5**n)})
    return found.reset_index()


def _kinds(votes: pd.DataFrame) -> list[str]:
    """Return the columns with groups of votes."""
    return [name for name in votes if name.startswith("group ")]


def _chances_of_wins(votes: pd.DataFrame) -> pd.DataFrame:
    """Return how likely who wins half of the votes wins as few of them as each did, and as many; groups count once."""
    both = pd.concat([votes.assign(model=votes["first"]), votes.assign(model=votes["second"], won=1 - votes["won"])])
    found = []
    for kind in _kinds(votes):
        share = both.groupby(["model", kind])["won"].mean()
        won, lost = (wins.groupby("model").sum() for wins in (share > 1 / 2, share < 1 / 2))
        tails = {"as_few": binom.cdf(won, won + lost, 1 / 2), "as_many": binom.sf(won - 1, won + lost, 1 / 2)}
        found.append(pd.DataFrame(tails, won.index))
    return pd.concat(found).groupby(level=0).max()


def _of_finite(
    votes: pd.DataFrame,
    names: pd.Index,
    groups: Sequence[str],
    confidence: float,
    level: float,
    share: float,  # of the level: that of their pairs in all
    seed: int,
) -> tuple[Preferences, list[str]]:
    """Return what is known of models that have won against each other, the best first, and how votes are alike."""
    kinds = _kinds(votes)
    at = [each for n in range(1, len(kinds) + 1) for each in combinations(kinds, n)]
    labels = {each: votes.groupby(list(each), sort=True).ngroup().to_numpy() for each in at}
    counts = [np.bincount(labels[(kind,)]) for kind in kinds]
    freedom = min(map(comparing.worth, counts)) - 1 if groups else float(max(1, len(votes) - len(names) + 1))
    if groups:
        few = int(np.argmin([*map(len, counts)]))
        comparing.check_groups(groups[few], len(counts[few]))
    sides, won = [names.get_indexer(votes[side]) for side in ("first", "second")], votes["won"].to_numpy()
    strengths, covariance = _fitted(sides, won, len(names), labels)
    order = np.argsort(-strengths, kind="stable")
    names, strengths, covariance = names[order], strengths[order], covariance[np.ix_(order, order)]
    root = root_of(covariance)  # a sum over several kinds of groups need not be a covariance
    found, errors = comparing.compared(strengths, root, freedom, level * share, seed)
    margin = student.isf((1 - confidence) / 2, freedom)
    models = pd.DataFrame(_ends(strengths, margin * np.linalg.norm(root, axis=0)), names)
    models[["wins", "wins_low", "wins_high"]] = expit(models[["estimate", "low", "high"]])
    pairs = comparing.pairs_of(found, errors, freedom, confidence, names)
    again = comparing.same_winner(strengths, root, freedom, confidence, seed)
    logits, variances = _fitted(sides, won, len(names), labels, position=True)
    position = pd.Series(_ends(logits[-1], margin * np.sqrt(np.maximum(variances[-1, -1], 0.0))))
    levels = [f"{len(counts[i]):,} {plural(name, f'levels of {name!r}')}" for i, name in enumerate(groups)]
    said = [
        f"{plain_line(names[0])}, in front, is preferred to an average model with probability "
        f"{in_words(models[['wins', 'wins_low', 'wins_high']].iloc[0], two_digits)}.",
        f"Two panels of {len(votes):,} votes{f' by {together(levels)}' if levels else ''} would have the same model "
        f"in front with probability {in_words(again, two_digits)}.",
    ]
    if (p := pairs["p"].iloc[0]) > level:
        times = comparing.times_as_many(student.isf(p / 2, freedom), level)
        much = f"{times:.2g} times as many" if times < 100 else "more than 100 times as many"
        what = together(plural(name, f"levels of {name!r}") for name in groups) if groups else "votes"
        said.append(
            f"To tell {plain_line(names[0])} from {plain_line(names[1])} with a probability of "
            f"{percent(comparing.POWER)} would take {much} {what} if the two differ as much as here."
        )
    alike = []
    if groups:
        alone = np.trace(_fitted(sides, won, len(names), {("vote",): np.arange(len(votes))})[1])
        wider = np.sqrt(np.trace(root @ root) / max(alone, np.finfo(float).tiny))
        alike.append(
            f"Votes of one {' or '.join(groups)} are alike: errors are {wider:.2f} times as large as for independent "
            "votes."
        )
    if np.isfinite(logits[-1]):
        sure = "" if position["low"] * position["high"] > 0 else ", which may be chance"
        alike.append(
            f"The answer shown {'first' if logits[-1] >= 0 else 'second'} has odds of {np.exp(abs(logits[-1])):.2f} to "
            f"1 if models tie{sure}; strengths are not corrected for that."
        )
    models["may_be_best"] = found.contend
    return Preferences(models, pairs, position, pd.Series(again, ["estimate", "low", "high"]), tuple(said)), alike


def _ends(estimate: Any, margin: Any) -> dict[str, Any]:
    return {"estimate": estimate, "low": estimate - margin, "high": estimate + margin}


def _places(chances: pd.DataFrame, pairs: pd.DataFrame, models: pd.DataFrame | None, level: float) -> pd.DataFrame:
    """Return all models, the best first: who may be the best, and between which places each may stand."""
    names = chances.index
    told = pairs[pairs["p_adjusted"] <= level]
    better = np.zeros((len(names), len(names)), bool)
    better[names.get_indexer(told["first"]), names.get_indexer(told["second"])] = True
    if np.isinf(pairs["estimate"]).any():
        for i in range(len(names)):  # who is better than one is better than all behind that one
            better |= np.outer(better[:, i], better[i])
    models = pd.DataFrame(columns=[*_OF_MODELS, "may_be_best"], dtype=float) if models is None else models
    models = models.reindex(names.rename("model"))
    open_ended = models["estimate"].isna()
    contend = np.where(open_ended, chances["as_few"] > level / 2, models["may_be_best"].eq(True)) & ~better.any(axis=0)
    low = np.where(contend, 1, np.maximum(2, 1 + better.sum(axis=0)))
    high = np.where(contend & (contend.sum() == 1), 1, len(names) - better.sum(axis=1))
    models = models.assign(may_be_best=contend, rank_low=low, rank_high=high)
    ahead = better.any(axis=1) | (chances["as_many"] <= level / 2).to_numpy()  # of others, or of half of its votes
    last = open_ended.astype(int) - 2 * (open_ended & contend & ahead)
    return models.iloc[np.lexsort((low, chances["as_many"], -models["estimate"], last))]


def _fitted(
    sides: Sequence[np.ndarray], won: np.ndarray, k: int, labels: Mapping[Any, np.ndarray], position: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Return strengths with mean zero, then the log-odds of the first one if asked for; and their covariance."""
    from statsmodels.genmod.families import Binomial
    from statsmodels.genmod.generalized_linear_model import GLM

    cells, cell = np.unique(sides[0] * k + sides[1], return_inverse=True)
    n_votes = np.bincount(cell)
    design = np.eye(k)[cells // k] - np.eye(k)[cells % k]
    if position:
        design = np.hstack([design, np.ones((len(cells), 1))])
    design = np.delete(design, k - 1, axis=1)  # the last strength is zero, until all are centred
    centred = np.delete(np.eye(k + position), k - 1, axis=1)
    centred[:k] -= centred[:k].mean(axis=0)
    with warnings.catch_warnings(action="ignore"):  # a few pairs are fitted perfectly
        model = GLM(np.bincount(cell, won) / n_votes, design, Binomial(), freq_weights=n_votes)
        fit = model.fit(maxiter=200, tol=1e-12)
    expected = fit.fittedvalues
    information = design.T @ (design * (n_votes * expected * (1 - expected))[:, None])
    if position and np.linalg.inv(information + _NOTHING * np.eye(k))[-1, -1] > _LARGEST**2:
        return np.full(k + 1, np.nan), np.full((k + 1, k + 1), np.nan)  # shown in one place only, or won all there
    rows = csr_array(design)[cell] * (won - expected[cell])[:, None]
    total = np.zeros_like(information)
    for kinds, label in labels.items():
        n_groups = label.max() + 1
        sums = csr_array((np.ones(len(won)), (label, np.arange(len(won)))), shape=(n_groups, len(won))) @ rows
        size = (len(won) - 1) / max(1, len(won) - len(information))
        size *= n_groups / (n_groups - 1) if n_groups > 1 else np.nan  # one group says nothing of others
        total += (1 if len(kinds) % 2 else -1) * size * (sums.T @ sums).toarray()
    bread = np.linalg.solve(information, centred.T)
    return centred @ fit.params, bread.T @ total @ bread
