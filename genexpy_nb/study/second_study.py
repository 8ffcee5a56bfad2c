"""Would a second study, with other levels of every random factor, conclude the same? What `Study` says about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from genexpy_nb.common.checks import check_choice, check_level, check_workers, listed, shown, suggest
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.parallel import in_parallel_if_long
from genexpy_nb.common.pooling import pool_shares
from genexpy_nb.common.random import seed_of, seeds
from genexpy_nb.conclusions.contenders import BY
from genexpy_nb.conclusions.functions import agreement_of_function
from genexpy_nb.conclusions.tables import (
    Question,
    agreement_of_cells,
    agreement_of_rows,
    as_question,
    as_sizes,
    experiments_for_agreement,
    inside,
    measure_of,
)
from genexpy_nb.datasets.words import among
from genexpy_nb.fields.repeating import ALTERNATIVE, SCORE, Repetitions, repetitions
from genexpy_nb.generalization.components import Components, check_designs, check_factors
from genexpy_nb.generalization.components import components as components_of_tables
from genexpy_nb.generalization.contract import as_kernels
from genexpy_nb.generalization.kernels import Kernel
from genexpy_nb.generalization.mean_squares import arrange
from genexpy_nb.generalization.moments import CONFIDENCE
from genexpy_nb.study import checks
from genexpy_nb.study.checks import Configuration, as_key
from genexpy_nb.study.positions import rankings_of, scores_of

if TYPE_CHECKING:
    from genexpy_nb.study.study import Study

_INNER = ("repeated", "prompt", "judge")  # which of the columns that are averaged are drawn anew first


def components(
    study: Study,
    kernel: Kernel,
    factors: Sequence[str],
    nested: bool = False,
    *,
    configuration: Configuration | None = None,
    rng: np.random.Generator | int = 0,
    confidence: float = CONFIDENCE,
) -> Components:
    """Say what each of several random factors contributes, and how many levels of each another study needs.

    Parameters
    ----------
    kernel : kernel
        The question.
    factors : list of str
        Two or three columns, of ``generalize_over`` (all of these) and ``design``, whose levels another study would
        draw afresh.
    nested : bool
        Whether each factor is nested in the one before, as seeds are in datasets: ``["dataset", "seed"]``. Else
        they are crossed.
    configuration : dict, optional
        Levels of the design factors that are not among ``factors``; needed of those with several levels.
    rng, confidence
        See `Study.nstar`.

    Returns
    -------
    genexpy_nb.generalization.components.Components
        ``table``, ``note``, ``generalizability(sizes)``, ``map(...)``, ``cheapest(...)``.

    Examples
    --------
    >>> from genexpy_nb import MallowsKernel, Study
    >>> rng = np.random.default_rng(0)
    >>> index = pd.MultiIndex.from_product([range(20), ["dt", "knn", "lr", "svm"]], names=["dataset", "model"])
    >>> scores = pd.DataFrame(rng.normal([0.3, 0.2, 0.1], 0.1, (80, 3)), index, columns=["OHE", "TE", "WOE"])
    >>> found = Study.from_wide(scores).components(MallowsKernel(), ["dataset", "model"])
    >>> found.sizes
    {'dataset': 20, 'model': 4}
    >>> found.generalizability({"dataset": 40, "model": 8}).round(1)
       dataset  model  estimate  low  high
    0       40      8       1.0  1.0   1.0
    """
    kernels = as_kernels(kernel)
    if len(kernels) != 1:
        raise ParameterError(f"kernel must be one kernel, got {len(kernels)}")
    chosen = _configurations_of(study, _random_factors(study, factors), configuration)
    seed, confidence = seed_of(rng), check_level("confidence", confidence)
    each = seeds(seed, len(chosen)) if len(chosen) > 1 else [seed]  # one alone: the completions of the study
    parts = [_cells(study, one, factors, kernels[0], its) for one, its in zip(chosen, each, strict=True)]
    tables = _chosen_tables(chosen, parts)
    return components_of_tables(tables, factors, kernels[0], nested, rng=seed, confidence=confidence)


def agreement(
    study: Study,
    conclusion: str | Callable[[pd.DataFrame], Any] = "winner",
    n: int | Sequence[int] | Mapping[str, float] | Sequence[Mapping[str, float]] | None = None,
    configuration: Configuration | None = None,
    *,
    factors: Sequence[str] | None = None,
    k: int | None = None,
    by: str = "rank",
    level: float = 0.05,
    confidence: float = 0.95,
    rng: np.random.Generator | int = 0,
    n_jobs: int | None = None,
) -> pd.DataFrame:
    """Estimate how far two independent studies, each of n new experiments, would draw the same conclusion.

    Parameters
    ----------
    conclusion : {"winner", "top-k", "order", "tiers"} or callable
        The best alternative; the best k, of which the overlap counts (how many are in both, over k); the whole order,
        by Kendall's tau; what Wilcoxon's signed-rank tests with Holm's correction say of each pair (better, worse, not
        told apart). Ties are broken by chance; of two alternatives alone, ask `compare`. Or a function of a frame of
        scores, a row per experiment and a column per alternative, that returns what is concluded: a name, a number, a
        tuple, a frozenset. It is called some ten thousand times; a conclusion that depends on other things than mean
        scores is not covered by the interval.
    n : int, list of int, dict or list of dict
        Experiments of each of the two studies; by default half, once, twice and four times as many as there are.
        With ``factors``, levels of each factor, ``{"dataset": 50, "model": 8}``; by default as many as there are,
        and twice as many of either.
    configuration : dict, optional
        See `Study.scores`; with ``factors``, see `components`.
    factors : list of str, optional
        Two random factors, crossed, of which another study would draw the levels afresh; by default, the experiments
        are one random factor.
    k : int
        For the best k, from 1 to one less than there are alternatives; by default 3, or as many as there can be.
    by : {"rank", "score"}
        Alternatives are compared by their mean rank or mean score. Tests compare scores.
    level, confidence : float
        Of the tests, all pairs together, and of the intervals, in (0, 1).
    rng, n_jobs
        See `Study.nstar`.

    Returns
    -------
    DataFrame, one row per n
        ``conclusion``, ``measure``, ``n`` (or a column per factor), ``estimate``, ``low``, ``high``. What counts is the
        interval. The estimate is NaN, "none", where it lies outside of it, or does so in half of the completions.

    Notes
    -----
    Disjoint halves of the table are two studies: their agreement is unbiased for n <= N/2. Beyond, the estimate is a
    weighted sum of agreements that the table does show (`genexpy_nb.conclusions.extrapolation`). The interval inverts
    simulated tests (`genexpy_nb.conclusions.worlds`; hybrid resampling of Chuang and Lai, Statistica Sinica 10, 2000).
    Both are ours; docs/accuracy.md says how often the interval covered the truth.

    Examples
    --------
    >>> from genexpy_nb import Study
    >>> scores = np.random.default_rng(0).normal([2, 1, 0], 1, (30, 3))
    >>> study = Study.from_wide(pd.DataFrame(scores, columns=["OHE", "TE", "WOE"]))
    >>> study.agreement("winner", n=[15, 30])[["n", "estimate"]].round(1)
        n  estimate
    0  15       1.0
    1  30       1.0
    """
    how: dict[str, Any] = {"confidence": check_level("confidence", confidence), "seed": seed_of(rng)}
    n_jobs = check_workers(n_jobs)
    if factors is not None:
        names = _random_factors(study, factors)
        if len(names) != 2:
            raise ParameterError(f"factors: agreement is about two random factors, got {listed(names)}")
        chosen, parts = _configurations_of(study, names, configuration), []
        alternatives = study.scores(chosen[0]).columns.tolist()
        question = as_question(conclusion, alternatives, by=by, k=k, level=level)
        for one in chosen:
            sign, tables = 1 if study.direction(one) else -1, _compared_by(study, one, question)
            index = _levels(tables[0], {name: one[name] for name in study.design if name in names}, names)
            values = [(_higher_is_better(table, question, sign), table.columns) for table in tables]
            parts.append([pd.DataFrame(each, index, columns).add(0.0) for each, columns in values])
        tables = _chosen_tables(chosen, parts)
        order, shape = arrange(tables[0].index, names, nested=False)
        cells = [table.iloc[order].to_numpy().reshape(*shape, -1) for table in tables]
        observed = dict(zip(names, cells[0].shape, strict=False))
        usual = [observed, *({**observed, name: 2 * size} for name, size in observed.items())]
        levels = check_designs("n", usual if n is None else n, names).astype(float).to_numpy().tolist()
        of_cells = partial(agreement_of_cells, question=question, sizes=levels, names=names, **how)
        least = measure_of(question, cells[0].shape[2]).least
        return _combined(in_parallel_if_long(of_cells, cells, n_jobs), confidence, least)
    if isinstance(n, Mapping):
        raise ParameterError(f"n must be a whole number or a list of them, or name the factors; got {shown(n)}")
    sign = 1 if study.direction(configuration) else -1
    if callable(conclusion):
        tables = scores_of(study, configuration)
        sizes = as_sizes(n, len(tables[0]))
        how |= {"higher_is_better": sign > 0, "n_jobs": n_jobs}
        return _combined((agreement_of_function(each, conclusion, sizes, **how) for each in tables), confidence)
    question = as_question(conclusion, study.scores(configuration).columns.tolist(), by=by, k=k, level=level)
    tables = _compared_by(study, configuration, question)
    sizes = as_sizes(n, len(tables[0]))
    estimate = partial(agreement_of_rows, question=question, sizes=sizes, **how)
    rows = (_higher_is_better(table, question, sign) for table in tables)
    least = measure_of(question, tables[0].shape[1]).least
    return _combined(in_parallel_if_long(estimate, rows, n_jobs), confidence, least)


def experiments_for(
    study: Study,
    conclusion: str = "winner",
    agreement: float = 0.9,
    configuration: Configuration | None = None,
    **options: Any,
) -> pd.Series:
    """Say how many experiments two studies need for a wanted ``agreement`` in a conclusion; the rest as `agreement`.

    Returns
    -------
    Series
        ``conclusion``, ``measure``, ``agreement``, ``n`` (where the estimate reaches it; the lower end of the interval,
        where there is none), ``low`` and ``high`` (where the ends of the interval do, the upper end first); infinity if
        not before a hundred times the observed ones.

    Examples
    --------
    >>> from genexpy_nb import Study
    >>> scores = np.random.default_rng(0).normal([1, 0.5, 0], 1, (30, 3))
    >>> study = Study.from_wide(pd.DataFrame(scores, columns=["OHE", "TE", "WOE"]))
    >>> bool(study.experiments_for("winner", 0.5)["n"] < study.experiments_for("winner", 0.9)["n"])
    True
    """
    most = 100 * len(study.scores(configuration))
    return experiments_for_agreement(
        lambda sizes: study.agreement(conclusion, sizes, configuration, **options), agreement, most
    )


def _compared_by(study: Study, configuration: Configuration | None, question: Question) -> list[pd.DataFrame]:
    """Return rankings or scores, or those of each completion."""
    if question.by == "rank" and question.conclusion != "tiers":
        return rankings_of(study, configuration)
    return scores_of(study, configuration)


def _random_factors(study: Study, factors: Sequence[str]) -> list[str]:
    if study.cluster is not None:
        raise StudyError(
            "components of a study with clusters: make the study without cluster, over the column of the clusters "
            "and those within them, and ask for components(kernel, [cluster, condition], nested=True)"
        )
    if isinstance(factors, str) or not isinstance(factors, Sequence):
        raise ParameterError(f"factors must be a list of columns, got {shown(factors)}")
    known = [*study.generalize_over, *study.design]
    for name in factors:
        if name not in known:
            raise ParameterError(
                f"factors: {name!r} is no column of generalize_over or design{suggest(name, known)} "
                f"(they are {listed(known)})"
            )
    absent = [name for name in study.generalize_over if name not in factors]
    if absent:
        raise ParameterError(
            f"factors: {absent[0]!r} is one of generalize_over, {listed(study.generalize_over)}; all of these must "
            "be among the factors: average over it, or make it a design factor, if it is not to be drawn afresh"
        )
    return list(check_factors(factors))


def _configurations_of(study: Study, factors: list[str], configuration: Configuration | None) -> list[dict[str, Any]]:
    """Return the configurations that differ by the factors only."""
    held, names = checks.as_configuration(configuration), [name for name in study.design if name not in factors]
    for name in factors:
        if name in held:
            raise ParameterError(f"configuration: {name!r} is one of the factors; all of its levels are taken")
    for name in names:
        levels = list(dict.fromkeys(each[name] for each in study.configurations))
        if name not in held and len(levels) > 1:
            raise ParameterError(
                f"configuration: the level of design factor {name!r} is missing (it has "
                f"{listed(map(repr, levels))}); or make it one of the factors"
            )
        held.setdefault(name, levels[0])
    known = [tuple(one[name] for name in names) for one in study.configurations]
    asked = as_key(held, names, known)
    return [one for one, key in zip(study.configurations, known, strict=True) if key == asked]


def _cells(
    study: Study, configuration: dict[str, Any], factors: Sequence[str], kernel: Kernel, seed: int
) -> list[pd.DataFrame]:
    """Return the results of a configuration, one table or one for each completion, a row per cell."""
    if study.is_completed(configuration):
        tables = study.completions(configuration, rng=seed, of=kernel.on)
    else:
        tables = [study.results(configuration, kernel)]
    index = _levels(tables[0], {name: configuration[name] for name in study.design if name in factors}, factors)
    return [table.set_axis(index, axis=0) for table in tables]


def _levels(table: pd.DataFrame, fixed: Mapping[str, Any], factors: Sequence[str]) -> pd.MultiIndex:
    """Return which levels of the factors each row of one configuration has."""
    levels = table.index.to_frame(index=False).assign(**{name: [level] * len(table) for name, level in fixed.items()})
    return pd.MultiIndex.from_frame(levels[list(factors)])


def _chosen_tables(chosen: Sequence[dict[str, Any]], parts: Sequence[Sequence[pd.DataFrame]]) -> list[pd.DataFrame]:
    """Return the tables of several configurations below each other, once for each completion."""
    for one, tables in zip(chosen, parts, strict=True):
        differ = tables[0].columns.symmetric_difference(parts[0][0].columns)
        if len(differ):
            raise StudyError(
                f"alternative {differ[0]!r} has scores in only some of the configurations that are put together, "
                f"compare {chosen[0]} and {one}; leave it out, or complete the table"
            )
    count = min((len(tables) for tables in parts if len(tables) > 1), default=1)
    return [pd.concat([tables[number % len(tables)] for tables in parts]) for number in range(count)]


def _higher_is_better(table: pd.DataFrame, question: Question, sign: int) -> np.ndarray:
    """Return scores, or average ranks, with the sign that makes higher ones better."""
    if question.by == "rank" and question.conclusion != "tiers":
        return -rankdata(table.to_numpy(), axis=1)
    return sign * table.to_numpy(dtype=float)


def _combined(frames: Iterable[pd.DataFrame], confidence: float, least: float = 0.0) -> pd.DataFrame:
    """Combine what completions say of the same question, of which no two studies agree less than so far."""
    found = list(frames)
    if len(found) == 1:
        return found[0]
    estimates, lows, highs = (np.stack([frame[name] for frame in found]) for name in ("estimate", "low", "high"))
    estimate, low, high = pool_shares(estimates, lows, highs, least, confidence)
    return found[0].assign(estimate=inside(estimate, low, high), low=low, high=high)


# --- which repetition is meant ----------------------------------------------------------------------------------------


def under(
    study: Study,
    factors: Sequence[str] | None = None,
    configuration: Configuration | None = None,
    *,
    nested: Sequence[str] | None = None,
    by: str = "rank",
    level: float = 0.05,
    confidence: float = 0.95,
    rng: np.random.Generator | int = 0,
) -> Repetitions:
    """Say what holds if only runs were drawn anew, and then prompts, judges, tasks and families, too.

    Parameters
    ----------
    factors : list of str, optional
        Columns of ``average_over``, ``generalize_over`` and ``cluster``. Each adds one to what another study draws
        anew; all others are held fixed. By default all with several levels: runs first, then prompts and judges, as
        their names say, then others that are averaged, then experiments and their clusters.
    configuration : dict, optional
        See `Study.scores`.
    nested : list of str, optional
        Averaged columns whose levels belong to one experiment, so that seed 1 of one task has nothing to do with seed 1
        of another. By default those called as repetitions ("seed", "run", "sample") or cases ("item"), and those of
        which no level is in two experiments.
    by : {"rank", "score"}
        Alternatives are compared by their mean rank in single runs, or by their mean score.
    level, confidence : float
        Of tests over all alternatives, and of the intervals, in (0, 1).
    rng
        See `Study.nstar`.

    Returns
    -------
    genexpy_nb.fields.repeating.Repetitions
        ``table``, ``ranks``, ``sentences``, ``plot()``.

    Raises
    ------
    StudyError, ParameterError
        If a factor has a single level, so that nothing is known of others, or is none of the study.

    Notes
    -----
    Only runs count that all alternatives have, with all levels of what is crossed. Where the experiments are drawn
    anew, and nothing that is crossed with them, the row is that of `Study.contenders` and `Study.agreement`. Else means
    have the covariance of a random-effects analysis of variance. Few levels make few degrees of freedom, and each pair
    is compared with an error of its own. docs/accuracy.md says how often this held.

    Examples
    --------
    >>> from genexpy_nb import Study
    >>> index = pd.MultiIndex.from_product([range(30), range(3), range(4)], names=["task", "seed", "prompt"])
    >>> rng = np.random.default_rng(3)
    >>> scores = pd.DataFrame(rng.normal([0.7, 0.5, 0.2], 0.3, (360, 3)), index, columns=["ant", "bee", "cat"])
    >>> scores += rng.normal(0, 0.2, (4, 3))[index.get_level_values("prompt")]
    >>> study = Study.from_wide(scores, generalize_over="task", average_over=["seed", "prompt"])
    >>> study.under(["seed", "prompt", "task"]).table[["anew", "contenders"]]
                        anew  contenders
    0                   seed           1
    1        seed and prompt           2
    2  seed, prompt and task           2
    """
    check_choice("by", by, BY)
    averaged, over = list(study.average_over), [*study.within_clusters, *study.generalize_over]
    known = [*averaged, *over]
    if factors is not None and (isinstance(factors, str) or not isinstance(factors, Sequence) or not factors):
        raise ParameterError(f"factors must be a list of columns, such as {known[-2:]}; got {shown(factors)}")
    for what, names, those in (("factors", factors, known), ("nested", nested, averaged)):
        for name in names or ():
            if name in study.design:
                raise ParameterError(f"{what}: each level of design factor {name!r} is answered on its own: average it")
            if name not in those:
                raise ParameterError(f"{what}: {name!r} is none of {listed(those)}{suggest(name, those)}")
    if nested is None:
        cases = [name for name in averaged if among(name, "case") and not among(name, "prompt")]
        nested = [*cases, *(name for name in averaged if among(name, "repeated"))]
    place = {name: next((i for i, kind in enumerate(_INNER) if among(name, kind)), len(_INNER)) for name in averaged}
    return repetitions(
        study.runs(configuration).rename(columns={study.alternatives_column: ALTERNATIVE, study.target: SCORE}),
        factors,
        averaged=sorted(averaged, key=place.__getitem__),
        over=over,
        cluster=study.cluster,
        nested=nested,
        higher_is_better=study.direction(configuration),
        by=by,
        level=check_level("level", level),
        confidence=check_level("confidence", confidence),
        seed=seed_of(rng),
    )


def written(row: pd.Series) -> list[str]:
    """Return low, high and estimate of an agreement, with the digit that draws leave alone; with two if ends tie."""
    digits = 1 if round(row["low"], 1) < round(row["high"], 1) else 2
    return [f"{round(row[name], digits) + 0.0:.{digits}f}" for name in ("low", "high", "estimate")]


def roughly(needed: pd.Series) -> pd.Series:
    """Return how many experiments an agreement takes, by the digit that draws leave alone; its interval, outwards."""
    units = {name: 10 ** np.floor(np.log10(min(needed[name], 1e9))) for name in ("n", "low", "high")}  # or infinity
    ways = zip((np.rint, np.floor, np.ceil), units.items(), strict=True)
    return pd.Series({name: way(needed[name] / unit) * unit for way, (name, unit) in ways})
