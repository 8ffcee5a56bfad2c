"""Which repetition is meant: what would hold if the levels of some factors were drawn anew, and those of others not.

Factors are crossed, as prompts and tasks are, or nested, as runs in tasks and tasks in families. What is not drawn anew
is averaged, or a stratum of what is nested in it. The covariance of means is that of a random-effects analysis of
variance (Searle, Casella and McCulloch, 1992): mean squares of single factors, less those of pairs, and so on, with
degrees of freedom after Satterthwaite (1946).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import t as student

from genexpy_nb.common.checks import listed
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.prose import Said, plain_line, plural, together, two_digits
from genexpy_nb.conclusions.contenders import MIN_EXPERIMENTS, Comparisons, compare_all, rows_of
from genexpy_nb.conclusions.effects import root_of
from genexpy_nb.conclusions.tables import MIN_EXPERIMENTS as FEWEST_AGREEING
from genexpy_nb.conclusions.tables import agreement_of_rows, as_question
from genexpy_nb.fields.comparing import compared, same_winner, sums_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: What columns of runs are called.
ALTERNATIVE, SCORE = "alternative of a run", "score of a run"
_NOTHING = 1e-9  # of values: rounding
_FEW = 6  # degrees of freedom, below which it is said that little is known

Nests = Mapping[str, Sequence[str]]  # in which others each factor is nested


@dataclass(frozen=True)
class Repetitions(Said):
    """What holds if only runs were drawn anew, and what if more is; from `Study.under`.

    Attributes
    ----------
    table : DataFrame, one row per repetition
        ``anew``, what is drawn anew; ``contenders``, how many may be the best, and ``may_be_best``, who;
        ``told_apart``, how many pairs are; ``estimate, low, high``, the probability that two such studies have the
        same winner, NaN where it is not known; ``freedom``, degrees of freedom of what differs between such studies.
    ranks : DataFrame, one row per repetition and alternative, the best first
        ``anew``, ``alternative``, ``mean``, ``position``, ``may_be_best``, ``p`` of the test that nobody is better,
        ``rank_low``, ``rank_high``.
    sentences : tuple of str
        What ``str`` shows.
    """

    table: pd.DataFrame
    ranks: pd.DataFrame
    sentences: tuple[str, ...]

    def plot(self, most: int = 12) -> Figure:
        """Draw the places that each of the best alternatives can have under each repetition."""
        from genexpy_nb.plots.study import repetitions  # brings matplotlib, which takes long to load

        return repetitions(self.ranks, most)


def repetitions(
    runs: pd.DataFrame,
    factors: Sequence[str] | None,
    *,
    averaged: Sequence[str],
    over: Sequence[str],
    cluster: str | None,
    nested: Sequence[str],
    higher_is_better: bool,
    by: str,
    level: float,
    confidence: float,
    seed: int,
) -> Repetitions:
    """Say what holds if more and more is drawn anew; ``over`` has experiments first, then their clusters."""
    nests = _nests(runs, averaged, over, cluster, nested)
    whole, notes = _whole_runs(runs, averaged, over, nests)
    asked, alone = _drawn_anew(factors, [*averaged, *over], whole.index.to_frame(index=False), nests)
    levels = {name: pd.factorize(whole.index.get_level_values(name), sort=True)[0] for name in whole.index.names}
    rows = Runs(levels, rows_of(whole.to_numpy(dtype=float), by, higher_is_better))
    means = means_over(rows, [], nests).values[0]
    order = np.argsort(-means, kind="stable")
    rows, means, names = Runs(levels, rows.values[:, order]), means[order], whole.columns[order]
    unit = [over[-1]] if len(over) == 1 or cluster else []
    table, ranks, repeated = [], [], [asked[: n + 1] for n in range(len(asked))]
    each = under_each(rows, repeated, nests, unit, level, confidence, seed)
    for anew, (found, again, freedom) in zip(repeated, each, strict=True):
        (low, high), contend = found.places(), names[found.contend]
        said, who = together(anew, len(anew)), together(contend, 8)
        table.append([said, len(contend), who, int(found.better.sum()), *again, freedom])
        columns: dict[str, Any] = {"mean": means if by == "score" and higher_is_better else -means}
        columns |= {"position": np.arange(1, len(names) + 1), "may_be_best": found.contend, "p": found.p_best}
        ranks.append(pd.DataFrame({"anew": said, "alternative": names, **columns, "rank_low": low, "rank_high": high}))
    labels = ["anew", "contenders", "may_be_best", "told_apart", "estimate", "low", "high", "freedom"]
    frame = pd.DataFrame(table, columns=labels)
    sentences = [*_in_words(frame, asked, whole, nests, over), *alone, *notes]
    sentences.append(f"Who is best goes by mean {'rank in single runs' if by == 'rank' else 'score'}.")
    return Repetitions(frame, pd.concat(ranks, ignore_index=True), tuple(sentences))


def under_each(
    runs: Runs,
    repeated: Sequence[Sequence[str]],
    nests: Nests,
    unit: Sequence[str],
    level: float,
    confidence: float | None,
    seed: int,
) -> Iterator[tuple[Comparisons, tuple[float, ...], float]]:
    """Yield, of the best first, comparisons, how likely the same winner is (if a confidence is given), and freedom."""
    spreads = [spread(runs, anew, nests) for anew in repeated]
    means, own = means_over(runs, [], nests).values[0], means_over(runs, unit, nests).values
    for i, known in enumerate(spreads):
        again: tuple[float, ...] = (np.nan, np.nan, np.nan)
        if known.units == unit and len(own) >= MIN_EXPERIMENTS:  # as a study of these has it
            found = compare_all(own, level, seed)
            if confidence and len(own) >= FEWEST_AGREEING:
                frame = agreement_of_rows(own, as_question("winner", range(len(means))), [len(own)], confidence, seed)
                again = tuple(frame.loc[0, ["estimate", "low", "high"]])
        else:
            # errors of what draws more anew are no smaller, but perhaps better known
            most = level / (len(means) * (len(means) - 1))  # from where on a difference counts, about, in all pairs
            sizes = [student.isf(most, other.freedom) ** 2 * np.trace(other.covariance) for other in spreads[i:]]
            used = spreads[i + int(np.argmin(sizes))]
            found, _ = compared(means, root_of(used.covariance), used.freedom, level, seed)
            if confidence:
                again = same_winner(means, root_of(known.covariance), known.freedom, confidence, seed)
        yield found, again, known.freedom


def _nests(
    runs: pd.DataFrame, averaged: Sequence[str], over: Sequence[str], cluster: str | None, nested: Sequence[str]
) -> dict[str, list[str]]:
    """Return of each factor in which others it is nested."""
    nests: dict[str, list[str]] = {}
    for name in averaged:
        own = not runs[[*over, name]].drop_duplicates().duplicated(name).any()
        nests[name] = list(over) if name in nested or own else []
    for name in over:
        inside = [n for n in over if n != name and not runs[[n, name]].drop_duplicates().duplicated(name).any()]
        nests[name] = [n for n in inside if runs[n].nunique() < runs[name].nunique()]
        if cluster:
            nests[name] = [cluster] * (name != cluster)
    return nests


def _whole_runs(
    runs: pd.DataFrame, averaged: Sequence[str], over: Sequence[str], nests: Nests
) -> tuple[pd.DataFrame, list[str]]:
    """Return runs that all alternatives have, a row each, where all levels of what is crossed meet; and notes."""
    inner, crossed = ([name for name in averaged if bool(nests[name]) == nest] for nest in (True, False))
    for numbered in (False, True):
        if numbered:  # each alternative has seeds of its own
            groups = runs.sort_values(inner).groupby([ALTERNATIVE, *over], sort=False)
            own = {name: groups[name].transform(lambda levels: pd.factorize(levels)[0]) for name in inner}
            runs = runs.assign(**own)
        table = runs.set_index([*over, *averaged, ALTERNATIVE])[SCORE].unstack()
        whole = table.dropna()
        if len(whole) or not inner:
            break
    index = whole.index.to_frame(index=False)
    n_crossed = len(index[crossed].drop_duplicates()) if crossed else 1
    index = index[index.groupby([*over, *inner])[over[0]].transform("size") == n_crossed]
    sizes = index.groupby(list(over))[inner].transform("nunique").prod(axis=1) if inner else 1
    index = index[index.groupby(list(over))[over[0]].transform("size") == n_crossed * sizes]
    if index.empty:
        lacks = table.isna().sum()
        raise StudyError(
            f"under: in no {' x '.join(over)} have all alternatives runs with all levels of {listed(averaged)}; "
            f"{lacks.idxmax()!r} lacks most: leave it out, or some of these levels"
        )
    roots = [name for name in over if not nests[name]]
    if len(index[roots].drop_duplicates()) < index[roots].nunique().prod():
        raise StudyError(f"under: levels of {' and '.join(roots)} do not all meet; make them one column, or fix some")
    left = len(table) - len(index)
    said = f"{left:,} of {len(table):,} runs are left out: others lack their like."
    return whole.iloc[index.index], [said] if left else []


def _drawn_anew(
    factors: Sequence[str] | None, known: Sequence[str], index: pd.DataFrame, nests: Nests
) -> tuple[list[str], list[str]]:
    """Return which factors are drawn anew, one after the other, and what cannot be."""
    sizes, where = {}, {}
    for name in known:
        levels = index.groupby(list(nests[name]))[name] if nests[name] else index[name]
        sizes[name] = int(np.max(levels.nunique()))
        where[name] = f" in each {nests[name][0]}" if nests[name] else f", {index[name].iloc[0]!r}"
    if factors is None:
        single = [name for name in known if sizes[name] < 2]
        held = [f"{plain_line(name)} has a single level{where[name]}, and is held fixed." for name in single]
        return [name for name in known if name not in single], held
    for i, name in enumerate(factors):
        if outer := [other for other in factors[:i] if other == name or other in nests[name]]:
            raise ParameterError(f"factors: {name!r} is new with {outer[0]!r}; name it before, and once")
        if sizes[name] < 2:
            raise StudyError(
                f"factors: {name!r} has a single level{where[name]}, which does not show how others would differ; "
                "leave it out, and the answer is about this level, or collect scores at two levels or more"
            )
    return list(factors), []


# --- what means would differ by ---------------------------------------------------------------------------------------


class Runs(NamedTuple):
    """A row for each run, or each mean of some: which level it has of each factor, and the values of alternatives."""

    levels: dict[str, np.ndarray]  # (n,) of int
    values: np.ndarray  # (n, k)

    def groups(self, names: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return a row of each group of runs that have the same levels of some factors, and to which each belongs."""
        key = np.zeros(len(self.values), dtype=np.int64)
        for name in names:
            key = np.unique(key * (self.levels[name].max() + 1) + self.levels[name], return_inverse=True)[1]
        return np.unique(key, return_index=True)[1], key

    def means(self, names: Sequence[str]) -> Runs:
        """Return the mean of each group."""
        first, at = self.groups(names)
        means = sums_of(self.values, at) / np.bincount(at)[:, None]
        return Runs({name: self.levels[name][first] for name in names}, means)

    def numbers(self, name: str, within: Sequence[str]) -> np.ndarray:
        """Return how many levels of a factor there are in the group that each run is in, shape (n,)."""
        pairs = self.groups([*within, name])[0]
        return np.bincount(self.groups(within)[1][pairs])[self.groups(within)[1]]


class Spread(NamedTuple):
    """How the means of alternatives would differ, shape (k, k), and how well that is known."""

    covariance: np.ndarray
    freedom: float
    units: list[str]  # what is drawn independently


def means_over(runs: Runs, kept: Sequence[str], nests: Nests) -> Runs:
    """Return means over all factors but some, the innermost first, so that what they are nested in counts alike."""
    for name in sorted(runs.levels, key=lambda name: -len(nests[name])):
        if name not in kept:
            runs = runs.means([other for other in runs.levels if other != name])
    return runs


def spread(runs: Runs, anew: Sequence[str], nests: Nests) -> Spread:
    """Return how means would differ if some factors were drawn anew; all levels of crossed ones meet in ``runs``."""
    units = [name for name in anew if not set(nests[name]) & set(anew)]  # what is nested in one is new with it
    contrasts = Runs(runs.levels, runs.values - runs.values.mean(axis=1, keepdims=True))
    total, parts, known = np.zeros((runs.values.shape[1],) * 2), [], 0.0
    for n in range(1, len(units) + 1):
        for chosen in combinations(units, n):
            square, freedom = _mean_square(contrasts, chosen, nests)
            total += square if n % 2 else -square
            known += np.trace(square) ** 2 / freedom
            parts += [square] * (n == 1)
    # it cannot be smaller than what a single factor contributes, though estimates may be
    largest = max(parts, key=np.trace)
    rest = root_of(total - largest)
    positive, trace = rest @ rest, max(0.0, float(np.trace(total - largest)))
    covariance = largest + positive * (trace / max(float(np.trace(positive)), np.finfo(float).tiny))
    covariance += (_NOTHING * np.abs(contrasts.values).max()) ** 2 * np.eye(len(covariance))  # runs may all be equal
    freedom = np.trace(covariance) ** 2 / known if known else np.inf
    return Spread(covariance, float(np.clip(freedom, 1.0, len(runs.values))), units)


def _mean_square(contrasts: Runs, chosen: Sequence[str], nests: Nests) -> tuple[np.ndarray, float]:
    """Return the mean square of a factor, or of an interaction, as a covariance of means, and its freedom."""
    outer = [name for name in contrasts.levels if any(name in nests[each] for each in chosen)]
    runs = means_over(contrasts, [*outer, *chosen], nests)
    products, freedoms = np.ones(len(runs.values)), np.ones(len(runs.values))
    rest = runs
    for name in chosen:
        others = [other for other in runs.levels if other != name]
        rest = Runs(runs.levels, rest.values - rest.means(others).values[runs.groups(others)[1]])
        levels = runs.numbers(name, outer)
        products, freedoms = products * levels * (levels - 1), freedoms * (levels - 1)
    weights = np.ones(len(runs.values))
    for i, name in enumerate(outer := sorted(outer, key=lambda name: len(nests[name]))):
        weights /= runs.numbers(name, outer[:i])  # what is nested in one level counts alike
    first, strata = runs.groups(outer)
    known = products > 0  # strata with a single level are taken to be as others are
    scale = (weights[first] ** 2).sum() / (weights[first][known[first]] ** 2).sum()
    share = np.divide(scale * weights**2, products, out=np.zeros(len(products)), where=known)
    traces = np.bincount(strata, share * (rest.values**2).sum(axis=1))
    squares = np.divide(traces**2, freedoms[first], out=np.zeros(len(first)), where=known[first]).sum()
    freedom = traces.sum() ** 2 / squares if squares > 0 else freedoms[first].sum()
    return rest.values.T @ (rest.values * share[:, None]), float(freedom)


def _in_words(
    table: pd.DataFrame, asked: Sequence[str], runs: pd.DataFrame, nests: Nests, over: Sequence[str]
) -> list[str]:
    """Return what holds under each repetition, and on what that depends."""
    called = {name: plain_line(plural(name, f"levels of {name!r}")) for name in nests}
    k, said = runs.shape[1], list[str]()
    for name, row in zip(asked, table.to_dict("records"), strict=True):
        who, n = plain_line(row["may_be_best"]), row["contenders"]
        of = f"{who} is the best of {k}" if n == 1 else f"{n} of {k} may be the best: {who}"
        said.append(f"With other {called[name]}{', too' if said else ' only'}, {of}.")
        if not np.isnan(row["low"]):
            near = "" if np.isnan(row["estimate"]) else f" (estimate {two_digits(row['estimate'])})"
            limits = f"{two_digits(row['low'])} to {two_digits(row['high'])}"
            said[-1] += f" Two such studies have the same winner with probability {limits}{near}."
        if row["freedom"] < _FEW:
            levels = runs.index.get_level_values(name).nunique()
            said[-1] += f" From {levels} {called[name]} little is known of others, which makes this line wide."
    fixed = [called[name] for name in nests if name not in asked and not set(nests[name]) & set(asked)]
    held = f", and so are {together(fixed, len(fixed))} throughout" if fixed else ""
    said.append(f"What a line has not yet drawn anew is held fixed{held}.")
    if inner := [called[name] for name in nests if nests[name] and name not in over]:
        said.append(
            f"Each {plain_line(over[0])} has {together(inner, len(inner))} of its own: what they are called says "
            "nothing of another one. If it does, give nested=[]."
        )
    return said
