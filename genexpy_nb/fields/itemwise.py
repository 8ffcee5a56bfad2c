"""Right or wrong, item by item: which models are told apart on a benchmark, and what more items or samples would tell.

Models answer the same items, so that differences are paired, and items that share a passage or a task are alike: errors
are computed over such groups (Miller, 2024), with the correction for few groups of Bell and McCaffrey (2002).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import binom, norm
from scipy.stats import t as student

from genexpy_nb.common.checks import check_columns, check_level, check_numbers, listed
from genexpy_nb.common.errors import StudyError
from genexpy_nb.common.prose import Said, how_many, percent, plain_line, plural, written_number
from genexpy_nb.common.random import seed_of
from genexpy_nb.conclusions.effects import root_of
from genexpy_nb.fields import comparing
from genexpy_nb.fields.comparing import FEWEST_GROUPS, compared, in_words
from genexpy_nb.fields.pooling import Pooled, pool
from genexpy_nb.significance.multiple import holm_adjusted

_SAMPLES = (1, 2, 4, 8, 16)
_MORE = 2.0  # items that are imagined for pairs that were equal in some, after Agresti and Coull
_NOTHING = 1e-12  # differences that are rounding
_FEWEST_BENCHMARKS = 3
_short = partial(written_number, decimals=3)


@dataclass(frozen=True)
class Items(Said):
    """What items say of the models; `items` says what is in it."""

    models: pd.DataFrame
    pairs: pd.DataFrame
    samples: pd.DataFrame
    noise: pd.Series
    items_needed: float
    benchmarks: Pooled | None
    sentences: tuple[str, ...]


class _Answers(NamedTuple):
    """Scores of items that all models have, the best first, and what items belong to; higher is better."""

    scores: pd.DataFrame  # (n, k), means over samples
    n_samples: np.ndarray  # (n, k)
    spread: np.ndarray  # (k,), variance over samples of one item, NaN if there was one only
    groups: np.ndarray  # (n,)
    benchmarks: pd.Index  # (n,), levels as they are called
    right_or_wrong: bool  # every single answer is 0 or 1


def items(
    results: pd.DataFrame,
    model: str = "model",
    item: str = "item",
    score: str = "score",
    *,
    sample: str | None = None,
    cluster: str | None = None,
    benchmark: str | None = None,
    confidence: float = 0.95,
    level: float = 0.05,
    rng: np.random.Generator | int = 0,
) -> Items:
    """Say from scores of single items who may be the best, who is told apart, and what it would take to know more.

    Parameters
    ----------
    results : DataFrame
        A row for each answer.
    model, item, score : str
        Columns with the model, the item, and the score of the answer: 0 or 1, or graded, higher is better.
    sample : str, optional
        Column with the number of the answer, if a model answered an item several times. Without it, rows of the same
        model and item are such answers.
    cluster : str, optional
        Column whose levels hold items that are alike, such as the passage or the task, five levels or more.
    benchmark : str, optional
        Column with the benchmark that an item belongs to. The answer is then about items of these benchmarks, and,
        apart from it, about other benchmarks. Items and clusters of two benchmarks are different ones, however called.
    confidence, level : float
        Of intervals, and of tests over all models at once.
    rng : Generator or int
        For the largest difference that chance makes.

    Returns
    -------
    Items
        Printed, its ``sentences``. ``models``, the best first: ``estimate, low, high`` of the mean score (for 0/1, the
        accuracy), ``may_be_best``, ``rank_low, rank_high``. ``pairs``: ``first, second, estimate, low, high, p,
        p_adjusted`` of paired differences; each interval is for this pair alone. ``may_be_best`` asks of each model
        only whether another one is better, and ``p_adjusted`` which of two is, in all pairs at once. That takes more:
        the only one that may be the best need not be told apart from all others. ``samples``: for 1, 2, 4, ... samples
        of each item, the standard error of a difference, averaged over pairs, with the ``same_items``, and with as many
        answers in all (``same_cost``); empty if no item was answered twice. ``noise``: what part of the squared
        standard error is of ``items`` and of ``samples``. ``items_needed`` to separate the two in front with a
        probability of 80 %, at the level of a single test; infinity if they do not differ. ``benchmarks``: with
        ``benchmark``, see `genexpy_nb.pool`.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> chance = {"ant": 0.9, "bee": 0.88, "cat": 0.6}
    >>> rows = [(name, i, rng.random() < p) for name, p in chance.items() for i in range(200)]
    >>> found = items(pd.DataFrame(rows, columns=["model", "item", "score"]))
    >>> found.models["may_be_best"].to_dict()
    {'ant': True, 'bee': True, 'cat': False}
    >>> print(str(found).splitlines()[0])
    2 of 3 models may be the best on items like these: ant and bee.
    """
    confidence, level, seed = check_level("confidence", confidence), check_level("level", level), seed_of(rng)
    answers, notes = _answers(results, (model, item, score), sample, cluster, benchmark)
    scores, names = answers.scores.to_numpy(), answers.scores.columns
    means, n = scores.mean(axis=0), len(scores)
    freedom = _freedom(answers, cluster, benchmark)
    covariance, doubt = _covariance(answers, answers.groups)
    single = answers.right_or_wrong and int(answers.n_samples.max()) == 1 and not cluster
    low, high = _of_means(answers, covariance, freedom, confidence, single)
    # few models differ in few items: as if, in two more, those that were equal so far were not
    found, errors = compared(means, root_of(covariance + doubt * np.eye(len(names))), freedom, level, seed)
    if single:  # the exact test of McNemar
        wins, (i, j) = scores.T @ (1 - scores), np.triu_indices(len(names), 1)
        p = np.minimum(1.0, 2 * binom.cdf(np.minimum(wins, wins.T), wins + wins.T, 0.5))
        adjusted = np.ones_like(p)
        adjusted[i, j] = adjusted[j, i] = holm_adjusted(p[i, j])
        found = replace(found, flipped=(p, adjusted))
    models = pd.DataFrame({"estimate": means, "low": low, "high": high}, names.rename("model"))
    lowest, highest = found.places()
    models = models.assign(may_be_best=found.contend, rank_low=lowest, rank_high=highest)
    pairs = comparing.pairs_of(found, errors, freedom, confidence, names)
    noise, samples = _noise(answers, covariance)
    gap = float(pairs["estimate"].iloc[0])
    needed = float(np.ceil(n * comparing.times_as_many(gap / errors[0, 1], level))) if gap > _NOTHING else np.inf
    pooled = _pooled(answers, cluster, confidence, level, seed) if benchmark else None
    told = Items(models, pairs, samples, noise, needed, pooled, ())
    said = _sentences(told, answers, "accuracy" if answers.right_or_wrong else f"mean {plain_line(score)}", level)
    if cluster:
        alone = _of_pairs(_covariance(answers, np.arange(n))[0]).mean()
        wider = np.sqrt(_of_pairs(covariance).mean() / max(alone, _NOTHING**2))
        said.append(
            f"Items of one {plain_line(cluster)} are alike ({answers.groups.max() + 1:,} "
            f"{plural(cluster, f'levels of {cluster!r}')}): errors of differences are {wider:.2f} times as large as "
            "for independent items."
        )
    else:
        said.append("All items count as independent: if several share a passage or a task, name it as cluster.")
    if pooled:
        n_benchmarks, rows = answers.benchmarks.nunique(), pooled.contrasts
        again = int(((rows["next_low"] > 0) | (rows["next_high"] < 0)).sum())
        few = f"These are items of {n_benchmarks} benchmarks: too few to say how others would differ"
        enough = (
            f"This is about items of these {n_benchmarks} benchmarks. Prediction intervals are sure of {again} of "
            f"{len(rows)} pairs in the next benchmark, each judged alone; others may come out the same, too"
        )
        said.append(f"{few if n_benchmarks < _FEWEST_BENCHMARKS else enough}; see `benchmarks`.")
    said += [" ".join(notes)] if notes else []
    said.append("All of this is about items like these, prompted and scored like these, and not about other tasks.")
    return replace(told, sentences=tuple(said))


def _answers(
    results: pd.DataFrame, columns: Sequence[str], sample: str | None, cluster: str | None, benchmark: str | None
) -> tuple[_Answers, list[str]]:
    """Return scores of the items that all models have, and what was left out."""
    model, item, score = columns
    belongs = [name for name in (cluster, benchmark) if name]
    check_columns(results, [*columns, *([sample] if sample else []), *belongs], "the table of answers")
    numbers = check_numbers(results[score], f"column {score!r}")
    if np.isinf(numbers).any():
        raise StudyError(f"column {score!r}: row {results.index.tolist()[np.isinf(numbers).argmax()]!r} is infinite")
    table = pd.DataFrame({"model": results[model], "score": numbers})
    for role, name in (("benchmark", benchmark), ("item", item), ("group", cluster or item)):
        table[role] = results[name].astype(str).where(results[name].notna()) if name else ""
    usable = table.notna().all(axis=1)
    again = results.duplicated([name for name in (benchmark, model, item, sample) if name]) & usable.to_numpy()
    if sample and again.any():
        row = again.index[again.argmax()]
        raise StudyError(
            f"column {sample!r}: row {row!r} is a second answer of the same model, item and sample; number the "
            "answers, or name the column that tells these items apart as item or benchmark"
        )
    notes = []
    if left := int((~usable).sum()):
        notes.append(f"{how_many(left, 'row')} without a {', '.join(['model', 'item', *belongs])} or score left out.")
    table = table[usable]
    keys = ["benchmark", "item"]
    several = table.groupby(keys)["group"].nunique()
    if (several > 1).any():
        raise StudyError(
            f"cluster: item {several.index[several.argmax()][-1]!r} is in several levels of {cluster!r}; an item "
            "belongs to one"
        )
    cells = table.groupby([*keys, "model"], observed=True)["score"]
    scores, counts = cells.mean().unstack(), cells.count().unstack()
    scores = scores[sorted(scores, key=str)]
    if len(scores.columns) < 2:
        raise StudyError(f"column {model!r}: two or more models are compared, got {listed(map(repr, scores))}")
    whole = scores.notna().all(axis=1)
    if left := int((~whole).sum()):
        lacks = scores.isna().sum()
        notes.append(
            f"{left:,} of {len(scores):,} items left out, because not all models answered them; "
            f"{plain_line(lacks.idxmax())} lacks most, {lacks.max():,}."
        )
    if whole.sum() < FEWEST_GROUPS:  # an item may be a group of its own
        raise StudyError(
            f"{how_many(int(whole.sum()), 'item')} answered by all of {listed(map(repr, scores))}, and "
            f"{FEWEST_GROUPS} are needed; {scores.isna().sum().idxmax()!r} lacks most: leave it out, or name other "
            "columns"
        )
    names = scores[whole].mean().sort_values(ascending=False, kind="stable").index
    squares = (table["score"] - cells.transform("mean")) ** 2
    free = (counts - 1).clip(lower=0).sum()
    spread = (squares.groupby(table["model"]).sum() / free.where(free > 0))[names].to_numpy()
    scores, counts = scores.loc[whole, names], counts.loc[whole, names]
    group = table.groupby(keys)["group"].first()[whole[whole].index]
    in_benchmark = scores.index.get_level_values("benchmark")
    groups = pd.MultiIndex.from_arrays([in_benchmark, group]).factorize(sort=True)[0]
    binary = bool(table["score"].isin([0, 1]).all())
    return _Answers(scores, counts.to_numpy(), spread, groups, in_benchmark, binary), notes


def _freedom(answers: _Answers, cluster: str | None, benchmark: str | None) -> float:
    """Return degrees of freedom: of as many equal groups as these are worth."""
    counts = np.bincount(answers.groups)
    comparing.check_groups(cluster, len(counts))
    groups = pd.Series(answers.groups).groupby(answers.benchmarks.to_numpy()).nunique()
    if benchmark and (len(groups) < 2 or groups.min() < 2):
        few = f"{groups.idxmin()!r} has {groups.min()} {f'level of {cluster!r}' if cluster else 'item'}"
        few = few if len(groups) > 1 else f"{benchmark!r} has a single level"
        raise StudyError(f"benchmark: {few}; leave it out, or the column")
    return max(1.0, comparing.worth(counts) - len(groups))


def _covariance(answers: _Answers, groups: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the covariance of means over items, and the variance that models with few differences are given more."""
    scores, n = answers.scores.to_numpy(), len(answers.scores)
    place = answers.benchmarks.factorize()[0]
    sizes = np.bincount(place)
    rest = scores - (comparing.sums_of(scores, place) / sizes[:, None])[place]
    share = np.bincount(groups) ** 2 / np.bincount(groups, sizes[place])
    sums, totals = comparing.sums_of(rest, groups) / np.sqrt(1 - share)[:, None], comparing.sums_of(scores, groups)
    squares, differ, pairs = 0.0, 0, 0
    for at in range(scores.shape[1] - 1):
        gaps = totals[:, [at]] - totals[:, at + 1 :]
        unequal = np.abs(gaps) > _NOTHING * max(1.0, np.abs(totals).max())
        squares, differ, pairs = squares + float((gaps[unequal] ** 2).sum()), differ + unequal.sum(), pairs + gaps.size
    usual = squares / differ if differ else float(scores.var()) + _NOTHING
    return sums.T @ sums / n**2, _MORE / 2 * usual * (1 - differ / pairs) / n**2


def _of_pairs(covariance: np.ndarray) -> np.ndarray:
    """Return variances of the differences of all pairs."""
    i, j = np.triu_indices(len(covariance), 1)
    return np.maximum(covariance[i, i] + covariance[j, j] - 2 * covariance[i, j], 0.0)


def _of_means(
    answers: _Answers, covariance: np.ndarray, freedom: float, confidence: float, independent: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return intervals of means: Wilson's for 0/1, of as many independent answers as these are worth."""
    from statsmodels.stats.proportion import proportion_confint

    means, n = answers.scores.mean().to_numpy(), len(answers.scores)
    variances = np.diag(covariance)
    quantile = student.isf((1 - confidence) / 2, freedom)
    if not answers.right_or_wrong:
        return means - quantile * np.sqrt(variances), means + quantile * np.sqrt(variances)
    worth = np.full(len(means), float(n))
    if not independent:
        n_answers = answers.n_samples.sum(axis=0)
        spread = means * (1 - means)
        with np.errstate(divide="ignore", invalid="ignore"):
            worth = np.where(variances > 0, spread / variances, answers.groups.max() + 1.0)
        worth = np.clip(worth, 1.0, n_answers)
    alpha = 1 - confidence if independent else 2 * norm.sf(quantile)
    low, high = proportion_confint(means * worth, worth, alpha, "wilson")
    return np.minimum(low, means), np.maximum(high, means)


def _noise(answers: _Answers, covariance: np.ndarray) -> tuple[pd.Series, pd.DataFrame]:
    """Return how much of the variance of a difference is of items and of samples, and what other numbers would do."""
    n = len(answers.scores)
    of_models = answers.spread * (1 / answers.n_samples).sum(axis=0) / n**2
    of_samples = float(2 * of_models.mean())  # NaN if it is not known
    of_items = np.maximum(0.0, float(_of_pairs(covariance).mean()) - of_samples)
    each = 1 / float((1 / answers.n_samples).mean())
    number = pd.Index([] if np.isnan(of_samples) else _SAMPLES, int, name="samples")
    same_items, same_cost = of_items + of_samples * each / number, of_items * number / each + of_samples
    samples = pd.DataFrame({"same_items": np.sqrt(same_items), "same_cost": np.sqrt(same_cost)}, number)
    return pd.Series({"items": of_items, "samples": of_samples}), samples


def _pooled(answers: _Answers, cluster: str | None, confidence: float, level: float, seed: int) -> Pooled:
    """Return what holds for other benchmarks, with a row for each item, or for each group of them."""
    rows = answers.scores.groupby(answers.groups).mean() if cluster else answers.scores
    place = pd.Series(answers.benchmarks).groupby(answers.groups).first() if cluster else answers.benchmarks
    tables = {name: rows[np.asarray(place == name)].reset_index(drop=True) for name in answers.benchmarks.unique()}
    return pool(tables, by="score", confidence=confidence, level=level, rng=seed)


def _sentences(found: Items, answers: _Answers, what: str, level: float) -> list[str]:
    """Return who is best, who is told apart, and what it takes to know more."""
    models, pairs, noise, needed = found.models, found.pairs, found.noise, found.items_needed
    contend, k, n = models.index[models["may_be_best"]], len(models), len(answers.scores)
    said = [comparing.who_may_be_best(contend, f"{k} models", " on items like these")]
    told = int((pairs.loc[pairs["first"] == pairs["first"].iloc[0], "p_adjusted"] <= level).sum())
    if len(contend) == 1 and told < k - 1:
        said[0] += (
            f" This tests the best alone: with all pairs at once, it is told apart from {told} of {k - 1} others."
        )
    lead, closest = models.iloc[0], pairs.iloc[0]
    first, second = plain_line(closest["first"]), plain_line(closest["second"])
    told = int((pairs["p_adjusted"] <= level).sum())
    said.append(
        f"{told} of {len(pairs)} pairs are told apart on {how_many(n, 'item')}. {first}, in front, has {what} "
        f"{in_words(lead[['estimate', 'low', 'high']], _short)}."
    )
    ahead = f"{first} is ahead of {second} by {in_words(closest[['estimate', 'low', 'high']], _short)}"
    if closest["p"] <= level:
        said.append(f"{ahead}, more than chance explains for a single pair.")
    elif np.isinf(needed):
        said.append(f"{first} and {second} have the same {what}: no number of items is known to tell them apart.")
    else:
        said.append(
            f"{ahead}. If they differ as much as here, it takes about {float(f'{needed:.2g}'):,.0f} items to tell them "
            f"apart with a probability of {percent(comparing.POWER)}."
        )
    if found.samples.empty:
        said.append("Not every model answered items twice, so we cannot tell noise of samples from noise of items.")
    else:
        total = max(float(noise.sum()), _NOTHING**2)
        each = float(answers.n_samples.mean())
        said.append(
            f"{percent(noise['samples'] / total)} of the variance of a difference is noise of samples "
            f"({each:.3g} for each item). The standard error of a difference is {_short(np.sqrt(total))}. It would be "
            f"{_short(np.sqrt(noise['items']))} with endless samples of these items, and "
            f"{_short(found.samples['same_cost'].iloc[0])} with the same number of answers, each to another item."
        )
    return said
