"""A study: a table of results, and the role that each of its columns plays.

Roles (Generalizability of Experimental Studies, second version, Section 3.1): the *alternatives* are compared by the
*target*; every combination of levels of the *design* factors is a configuration, analysed on its own; each level of
the *generalizability* factors is one experiment; *stochasticity* factors are averaged out first; *held-constant*
factors are fixed to one level.
"""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import (
    check_choice,
    check_count,
    check_level,
    check_levels,
    check_number,
    check_workers,
    listed,
    shown,
    suggest,
)
from genexpy_nb.common.errors import ParameterError, StudyError, StudyWarning
from genexpy_nb.common.pooling import pool_intervals, share_between
from genexpy_nb.common.prose import percent, span
from genexpy_nb.common.random import seed_of
from genexpy_nb.common.rankings import rank_scores
from genexpy_nb.generalization.clusters import MOST_CONDITIONS, design_effect, mean_embeddings, unknown_effect
from genexpy_nb.generalization.kernels import Kernel, as_kernels
from genexpy_nb.generalization.many import LARGEST_WHOLE, blocks, nstar_of_many
from genexpy_nb.generalization.moments import note_on_interval
from genexpy_nb.generalization.nstar import (
    Estimator,
    estimate_in_parallel,
    largest_study,
    method_name,
    smallest_study,
)
from genexpy_nb.study import checks as checks
from genexpy_nb.study import table as reading
from genexpy_nb.study.completion import Completion, check_comparable, complete, usual_number
from genexpy_nb.study.metrics import mixed_metrics
from genexpy_nb.study.second_study import SecondStudy
from genexpy_nb.study.stability import DEFAULT_KERNELS
from genexpy_nb.study.summary import Summary, summarise

MISSING_POLICIES = ("worst-rank", "drop", "complete", "error")

Configuration = Mapping[str, Any]

_HELD_AT_ONCE = 8_000_000  # kernel values: 64 MB, and about ten times as much for what is computed from them


class Study(SecondStudy):
    """A table of results and the role of each of its columns.

    Parameters
    ----------
    results : DataFrame, shape (n_evaluations, n_columns)
        One row per evaluation of one alternative under one experimental condition. Tables of polars, pyarrow and others
        (Arrow PyCapsule interface, dataframe interchange protocol) are converted, which the notes say. A matrix of
        conditions and alternatives is for `from_wide`.
    alternatives : str
        Column with the objects that are compared.
    target : str or dict
        Column with the score: numbers, truth values, or text that reads as numbers, which the notes say. A missing
        score (None, NaN) is a missing evaluation, like an absent row. Several metrics, each a column, are a dictionary
        with their directions, ``{"auc": "higher", "logloss": "lower"}``: they become the last design factor, "metric".
    generalize_over : str or list of str
        Generalizability factors: each of their levels (or combinations of levels) is one experiment.
    design : list of str, optional
        Design factors: each combination of their levels is a configuration. They become columns of the results, so
        that a name such as ``alpha`` or ``nstar`` is an error.
    average_over : list of str, optional
        Stochasticity factors, such as seeds and folds: the target is averaged over those of their levels that have a
        score. `averaged` lists the evaluations that lack some.
    fixed : dict, optional
        Held-constant factors, ``{column: level}``: all other rows are left out.
    higher_is_better : bool or dict
        Direction of the target; False for losses. Where a design factor holds metrics, the direction of each of its
        levels, ``{"auc": True, "logloss": False}``.
    missing : {"worst-rank", "drop", "complete", "error"}
        What becomes of missing evaluations. ``worst-rank``: a missing alternative shares the worst tier, below every
        observed score. ``drop``: first the conditions go in which more than 20 % of the alternatives are missing, then
        the alternatives that are missing in more than 20 % of the remaining conditions; what is still missing gets
        the worst rank. ``complete``: what is missing is drawn several times from a model of what was observed (see
        `genexpy_nb.study.completion`), every conclusion is drawn from each of these completions, and their
        answers are combined; intervals hold what the missing evaluations leave open. ``error``: any missing evaluation
        is an error.
    cluster : str, optional
        Column of groups of related conditions, such as the table that datasets were cut from, or the domain of tasks.
        Each condition lies in one of them. Then the clusters are the experiments, and all have the same weight: see
        Notes.

    Attributes
    ----------
    generalize_over : list of str
        The columns whose levels, or combinations of levels, are the experiments; with ``cluster`` it is that column.
    within_clusters : list of str
        With ``cluster``, the columns whose levels are the conditions within them; else empty.
    configurations : list of dict
        The combinations of levels of the design factors, sorted.
    notes : list of str
        What was left out, converted, averaged, dropped and imputed, in sentences.
    warnings : list of str
        What makes the answers doubtful, in sentences that belong to the top of a report: many missing evaluations,
        names that differ by capitals or spaces only, seeds or folds that count as experiments, constant scores, scores
        on a scale that a kernel was not made for. Each is also issued, once, as a `genexpy_nb.StudyWarning`.
    accounting : DataFrame
        The same per configuration: the design columns, n_experiments, n_alternatives, n_evaluations, n_imputed; with
        ``average_over`` also n_partial, the evaluations that `averaged` lists; with several directions also
        higher_is_better.
        With ``cluster`` also n_conditions, and n_evaluations and n_imputed are about these.
    averaged : DataFrame
        The evaluations that lack some of the levels of ``average_over`` that their condition has.

    Raises
    ------
    StudyError
        If a column is missing, has two roles, or does not fit its role; if the same evaluation stands in two rows; if
        there is one alternative only; if a metric lacks its direction; under ``complete``, if no condition connects
        some alternatives with the others.
    ParameterError
        If ``higher_is_better``, a direction in ``target`` or ``missing`` is none of what they may be.

    Notes
    -----
    Conditions, alternatives and configurations are kept in one order, whatever the order of the rows, of the columns
    and of the categories of a categorical column: sorted by value (numbers, text by code points, dates), and by text
    and then type where one column mixes them. So draws, and all results, depend on the table as a set of rows only.

    With ``cluster``, nothing takes the conditions of a cluster for independent. `scores` are the means over the
    conditions of each cluster, of those in which the alternative has a score, and everything that looks at scores or
    ranks is about these means: tests, pairs, tiers, positions, halves, leaving out an experiment. n* and its curves
    compare clusters by their mean embedding, the mean of what the kernel makes of their conditions (see
    `genexpy_nb.generalization.clusters`), which keeps how results differ within a cluster. The two differ: the best of
    the mean scores need not be the best in any condition, and a mean is one of scores on the same scale only. Missing
    evaluations are dropped or completed as those of conditions, before anything is averaged; under ``worst-rank`` they
    have the worst rank of their condition for n*, and of their cluster where it has no score at all. `condition_scores`
    gives the scores before they are averaged, `design_effect` says how many independent experiments the conditions are
    worth.

    Examples
    --------
    >>> results = pd.DataFrame(
    ...     {
    ...         "encoder": ["OHE", "TE", "OHE", "TE"],
    ...         "dataset": ["iris", "iris", "wine", "wine"],
    ...         "score": [0.9, 0.8, 0.7, 0.7],
    ...     }
    ... )
    >>> study = Study(results, alternatives="encoder", target="score", generalize_over="dataset")
    >>> study.rankings({}).to_dict("index")
    {'iris': {'OHE': 0, 'TE': 1}, 'wine': {'OHE': 0, 'TE': 0}}
    >>> study.best().best
    ('OHE',)

    Two metrics, each with its direction:

    >>> results["seconds"] = [3.0, 2.0, 4.0, 5.0]
    >>> target = {"score": "higher", "seconds": "lower"}
    >>> study = Study(results, alternatives="encoder", target=target, generalize_over="dataset")
    >>> study.rankings({"metric": "seconds"}).to_dict("index")
    {'iris': {'OHE': 1, 'TE': 0}, 'wine': {'OHE': 0, 'TE': 1}}
    """

    #: What may become of missing evaluations and still gives an answer.
    missing_policies = tuple(policy for policy in MISSING_POLICIES if policy != "error")

    def __init__(
        self,
        results: Any,
        *,
        alternatives: str,
        target: str | Mapping[str, str],
        generalize_over: str | Sequence[str],
        design: str | Sequence[str] | None = None,
        average_over: str | Sequence[str] | None = None,
        fixed: Mapping[str, Any] | None = None,
        higher_is_better: bool | Mapping[Any, bool] = True,
        missing: str = "worst-rank",
        cluster: str | None = None,
    ) -> None:
        self._metrics = reading.as_metrics(target)
        self._score_columns: list[Hashable] | None = None
        name = target if self._metrics is None else " and ".join(self._metrics)
        self._take_roles(
            alternatives, name, generalize_over, design, average_over, fixed, higher_is_better, missing, cluster
        )
        if self._metrics is not None:
            if self.higher_is_better is not True:
                raise ParameterError("target gives every metric its direction; leave higher_is_better out")
            reading.check_free(self._roles())
        frame, notes = reading.as_frame(results)
        self.notes += notes
        self._given = frame
        self._read(frame)

    @classmethod
    def from_wide(
        cls,
        frame: Any,
        *,
        alternatives: Sequence[Hashable] | None = None,
        target: str = "score",
        generalize_over: str | Sequence[str] | None = None,
        design: str | Sequence[str] | None = None,
        average_over: str | Sequence[str] | None = None,
        fixed: Mapping[str, Any] | None = None,
        higher_is_better: bool | Mapping[Any, bool] = True,
        missing: str = "worst-rank",
        cluster: str | None = None,
    ) -> Self:
        """Read a matrix: a row per condition, a column per alternative.

        Parameters
        ----------
        frame : DataFrame, shape (n_conditions, n_columns)
            Scores. The index, and columns that are named as a factor below, say which condition a row is. Tables of
            other libraries are converted as by `Study`.
        alternatives : list, optional
            The columns with scores, if not all columns without a role.
        target : str
            What the scores are called in sentences and figures.
        generalize_over : str or list of str, optional
            Columns or levels of the index. If there are none, all levels of the index that have no other role; an index
            without a name is then called "experiment".
        design, average_over, fixed, higher_is_better, missing, cluster
            See `Study`. Columns or levels of the index, too.

        Returns
        -------
        Study
            The same, to the last bit, as of the table with a row per evaluation. Its column of alternatives is called
            as the columns of the matrix are (``frame.columns.name``), or "alternative".

        Raises
        ------
        StudyError, ParameterError
            As `Study`; and if a column without a role holds no scores.

        Warns
        -----
        StudyWarning
            Also if a column that counts as an alternative is called like repetitions, such as "seed".

        Examples
        --------
        >>> index = pd.Index(["iris", "wine"], name="dataset")
        >>> study = Study.from_wide(pd.DataFrame({"OHE": [0.9, 0.7], "TE": [0.8, 0.7]}, index))
        >>> study.rankings().to_dict("index")
        {'iris': {'OHE': 0, 'TE': 1}, 'wine': {'OHE': 0, 'TE': 0}}
        >>> study.notes
        ['Read 2 columns as alternatives: OHE, TE.']
        """
        frame, notes = reading.as_frame(frame, index=True)
        checks.check_frame(frame)
        reading.check_matrix(frame)
        named = [] if generalize_over is None else checks.as_columns("generalize_over", generalize_over)
        table, levels = reading.with_index_in_columns(frame, named)
        study = cls.__new__(cls)
        study._metrics = None
        others = [
            *checks.as_columns("design", design, optional=True),
            *checks.as_columns("average_over", average_over, optional=True),
            *checks.as_levels(fixed),
            *([] if cluster is None else [checks.as_column("cluster", cluster)]),
        ]
        over = named or [level for level in levels if level not in others]
        chosen, aside = reading.score_columns(table, [*levels, *over, *others], alternatives)
        name = reading.name_of_alternatives(frame.columns.name, [*over, *others])
        study._score_columns = chosen
        study._take_roles(name, target, over, design, average_over, fixed, higher_is_better, missing, cluster)
        left = [level for level in levels if level not in [*over, *others]]
        study.notes += [*notes, f"Read {len(chosen)} columns as alternatives: {listed(chosen)}.", *aside]
        if left:
            study.notes.append(f"Set aside the levels {listed(left)} of the index: they have no role.")
        study._given = table
        study._read(table)
        return study

    def _take_roles(
        self,
        alternatives: Any,
        target: Any,
        generalize_over: Any,
        design: Any,
        average_over: Any,
        fixed: Any,
        higher_is_better: Any,
        missing: Any,
        cluster: Any,
    ) -> None:
        check_choice("missing", missing, MISSING_POLICIES)
        self.alternatives_column = checks.as_column("alternatives", alternatives)
        self.target = checks.as_column("target", target)
        self.cluster = None if cluster is None else checks.as_column("cluster", cluster)
        over = checks.as_columns("generalize_over", generalize_over)
        self.generalize_over, self.within_clusters = (over, []) if self.cluster is None else ([self.cluster], over)
        self.design = checks.as_columns("design", design, optional=True)
        self.average_over = checks.as_columns("average_over", average_over, optional=True)
        self.fixed = checks.as_levels(fixed)
        self.higher_is_better = reading.as_directions(higher_is_better)
        self.missing = missing
        self.notes: list[str] = []
        self.warnings: list[str] = []

    def _read(self, results: pd.DataFrame) -> None:
        checks.check_roles(results, self._roles())
        table = self._hold_constant(self._with_plain_labels(results))
        one_metric = len(self._targets()) == 1 and isinstance(self.higher_is_better, bool)
        roles = {column for columns in self._roles().values() for column in columns}
        doubts = mixed_metrics(results, self._targets()[0], table.index.to_numpy(), roles) if one_metric else []
        table = self._checked(table)
        if isinstance(self.higher_is_better, Mapping) and self._metrics is None:
            self._directed = reading.factor_of_directions(table, self.design, self.higher_is_better)
        self._observed, self._n_averaged, self._n_levels = self._average(table)
        self._of_factors = [*self._doubts_about_factors(table), *doubts]
        self._issued: set[str] = set()
        self._as_read = {name: list(held) if isinstance(held, list) else held for name, held in vars(self).items()}
        self._settle(stacklevel=5)

    def _settle(self, stacklevel: int) -> None:
        """Apply the policy for missing evaluations to the table that was read, and say what is doubtful."""
        self._wide = self._apply_missing_policy(self._observed)
        self._say_what_is_partial()
        self._blocks = self._split()
        self.configurations: list[dict[str, Any]] = [dict(zip(self.design, key, strict=True)) for key in self._blocks]
        self._drawn: dict[tuple, tuple[int, list[Completion]]] = {}
        self._tested = {}
        if self.missing == "complete":
            for configuration, block in zip(self.configurations, self._of_conditions.values(), strict=True):
                check_comparable(block, checks.sentence(configuration))
        doubts = [*self._of_factors, *self._doubts_about_scores(), *self._doubts_about_averages()]
        self._warn(doubts, stacklevel)

    def with_missing(self, missing: str) -> Self:
        """Return the study of the same table, with the same roles, under another policy for missing evaluations.

        Parameters
        ----------
        missing : str
            One of `MISSING_POLICIES`; see `Study`.

        Returns
        -------
        Study
            The same as one that is made anew, except that a warning of this study is listed there, and not issued
            again. The table is not read again.

        Raises
        ------
        StudyError
            If the policy leaves nothing to compare, or evaluations are missing under ``error``.
        ParameterError
            If there is no such policy.

        Warns
        -----
        StudyWarning
            What is doubtful under this policy only.

        Examples
        --------
        >>> index = pd.Index(["iris", "wine", "zoo", "glass", "yeast"], name="dataset")
        >>> scores = {"OHE": [0.9, 0.7, 0.8, 0.9, 0.8], "TE": [0.8, 0.7, None, 0.9, 0.6]}
        >>> study = Study.from_wide(pd.DataFrame(scores, index))
        >>> len(study.rankings()), len(study.with_missing("drop").rankings())
        (5, 4)
        """
        check_choice("missing", missing, MISSING_POLICIES)
        study = type(self).__new__(type(self))
        read = {name: list(held) if isinstance(held, list) else held for name, held in self._as_read.items()}
        vars(study).update(read, missing=missing, _as_read=self._as_read)
        study._settle(stacklevel=4)
        return study

    # --- from the table to one row per condition ---------------------------------------------------------------------

    def _roles(self) -> dict[str, list[Any]]:
        return {
            "alternatives": [self.alternatives_column] if self._score_columns is None else self._score_columns,
            "target": self._targets() if self._score_columns is None else [],
            "generalize_over": self.within_clusters or self.generalize_over,
            "cluster": self.generalize_over if self.within_clusters else [],
            "design": self.design,
            "average_over": self.average_over,
            "fixed": list(self.fixed),
        }

    def _factors_of_conditions(self) -> list[str]:
        """Return the columns that tell the conditions of a configuration apart, clusters first."""
        return [*self.generalize_over, *self.within_clusters]

    def _targets(self) -> list[Any]:
        """Return the columns that hold scores."""
        if self._score_columns is not None:
            return self._score_columns
        return [self.target] if self._metrics is None else list(self._metrics)

    def _with_plain_labels(self, results: pd.DataFrame) -> pd.DataFrame:
        """Return the columns that have a role; rows are numbered, for error messages."""
        columns = [column for columns in self._roles().values() for column in columns]
        results = results[columns].reset_index(drop=True)
        scores = set(self._targets())
        return results.assign(
            **{column: checks.plain_labels(results[column]) for column in columns if column not in scores}
        )

    def _hold_constant(self, results: pd.DataFrame) -> pd.DataFrame:
        keep = np.ones(len(results), dtype=bool)
        for column, level in self.fixed.items():
            hit = (results[column] == level).to_numpy(dtype=bool, na_value=False)
            if not hit.any():
                levels = results[column].dropna().unique().tolist()
                nearest = suggest(level, levels) if str(level) not in map(str, levels) else ""
                raise StudyError(
                    f"fixed: column {column!r} has no level {level!r}{nearest} (it has {listed(map(repr, levels))})"
                )
            keep &= hit
        if self.fixed:
            wanted = " and ".join(f"{column} = {level}" for column, level in self.fixed.items())
            if not keep.any():
                raise StudyError(f"fixed: no row has {wanted}")
            self.notes.append(f"Kept the {keep.sum():,} of {len(results):,} rows with {wanted}.")
        return results.loc[keep]

    def _checked(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return the rows that are compared, complete and without repetitions, with scores that are numbers."""
        keys = [*self.design, *self._factors_of_conditions(), *self.average_over]
        if self._score_columns is None:
            keys.append(self.alternatives_column)
        checks.check_complete(table, keys)
        if self.cluster is not None:
            self.notes.append(checks.clustered(table, self.cluster, self.within_clusters))
        table = pd.concat([table[keys], self._numbers(table)], axis=1)
        checks.check_duplicates(table, keys)
        if self._metrics is not None:
            self.design = [*self.design, reading.METRIC]
            self._directed = reading.METRIC
            self.higher_is_better = dict(self._metrics)
            table = reading.metrics_in_rows(table, keys, self._metrics, self.target)
        return table

    def _numbers(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return the columns of scores as numbers; each metric, and any alternative, must have some."""
        scores, converted = {}, []
        for column in self._targets():
            scores[column], notes = checks.numeric_target(table[column])
            if notes:
                converted.append(column)
            if len(self._targets()) == 1:
                self.notes += notes
            if self._score_columns is None and scores[column].isna().all():
                raise StudyError(f"column {column!r} has no score: every value is missing")
        if converted and len(scores) > 1:
            self.notes.append(f"Read text, or True and False, as numbers in the columns {listed(converted)}.")
        numbers = pd.DataFrame(scores)
        if numbers.isna().all(axis=None):
            raise StudyError("no column of an alternative has a score: every value is missing")
        return numbers

    def _average(self, table: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame | None, pd.Series | None]:
        """Return the scores, one row per condition, one column per alternative, NaN where there is none."""
        if self.average_over:  # the last digits of a sum depend on the order of its terms
            table = table.sort_values(self.average_over, key=lambda labels: checks.canonical_order(pd.Index(labels)))
        wide, counts = self._means(table)
        levels = None
        if counts is not None:
            conditions = [*self.design, *self._factors_of_conditions()]
            levels = table[[*conditions, *self.average_over]].drop_duplicates().groupby(conditions).size()
            rows = span(counts.to_numpy()[counts.to_numpy() > 0], "{:.0f}")
            self.notes.append(f"Averaged over {', '.join(self.average_over)}: {rows} rows per evaluation.")
        wide = wide.sort_index(key=checks.canonical_order).sort_index(axis=1, key=checks.canonical_order)
        if wide.shape[1] < 2:
            raise StudyError(
                f"column {self.alternatives_column!r} has a single alternative, {wide.columns[0]!r}: "
                "there is nothing to compare it with"
            )
        return wide, counts, levels

    def _means(self, table: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame | None]:
        """Return means, a row per condition and a column per alternative, and of how many scores, if of several."""
        conditions = [*self.design, *self._factors_of_conditions()]
        if self._score_columns is None:
            groups = table.groupby([*conditions, self.alternatives_column], sort=False, observed=True)[self.target]
            wide = groups.mean().unstack(self.alternatives_column)
            return wide, groups.count().unstack(self.alternatives_column, fill_value=0) if self.average_over else None
        labels = checks.plain_labels(pd.Series(self._score_columns, name=self.alternatives_column, dtype=object))
        if not self.average_over:  # every condition is one row already; a mean is never -0.0 either
            wide = table.set_index(conditions)[self._score_columns] + 0.0
            return wide.set_axis(pd.Index(labels), axis=1), None
        by_condition = table.groupby(conditions, sort=False, observed=True)[self._score_columns]
        return by_condition.mean().set_axis(pd.Index(labels), axis=1), by_condition.count().set_axis(labels, axis=1)

    def _say_what_is_partial(self) -> None:
        if len(self.averaged):
            evaluations = int(self._wide.notna().to_numpy().sum())
            self.notes.append(
                f"{len(self.averaged):,} of {evaluations:,} evaluations ("
                f"{percent(len(self.averaged) / evaluations, 1)}) lack some of the levels of "
                f"{', '.join(self.average_over)} that their condition has, and are averages over the others; "
                "Study.averaged lists them."
            )

    @cached_property
    def averaged(self) -> pd.DataFrame:
        """The evaluations that lack some of the seeds, folds or the like that their condition has.

        One row per evaluation: the design columns, those of ``generalize_over`` and ``within_clusters``, the
        alternative, ``n_averaged`` (how many levels of ``average_over`` have a score) and ``n_levels`` (how many the
        condition has, with whatever alternative). Evaluations without any score are missing, and not listed here.
        """
        factors = self._factors_of_conditions()
        columns = [*self.design, *factors, self.alternatives_column, "n_averaged", "n_levels"]
        if self._n_averaged is None or self._n_levels is None:
            return pd.DataFrame(columns=columns)
        counts = self._n_averaged.reindex(index=self._wide.index, columns=self._wide.columns).to_numpy()
        levels = self._n_levels.reindex(self._wide.index).to_numpy()
        rows, places = np.nonzero((counts > 0) & (counts < levels[:, None]))
        frame = self._wide.index[rows].to_frame(index=False)
        frame[self.alternatives_column] = self._wide.columns[places]
        return frame.assign(n_averaged=counts[rows, places], n_levels=levels[rows])

    def _apply_missing_policy(self, wide: pd.DataFrame) -> pd.DataFrame:
        absent = wide.isna()
        if self.missing == "error" and absent.to_numpy().any():
            row, column = np.argwhere(absent.to_numpy())[0]
            raise StudyError(
                f"{int(absent.to_numpy().sum()):,} evaluations are missing, the first for "
                f"{checks.named(wide.index, row)}, {self.alternatives_column}={wide.columns[column]!r}; "
                "choose missing='worst-rank', 'drop' or 'complete', or complete the table"
            )
        if self.missing == "drop":
            sparse = absent.mean(axis=1) > checks.MOST_MISSING
            wide = wide.loc[~sparse]
            rare = wide.isna().mean() > checks.MOST_MISSING
            wide = wide.loc[:, ~rare]
            if wide.empty or wide.shape[1] < 2:
                raise StudyError(
                    "missing='drop': the 80 % / 80 % filter leaves nothing to compare; choose missing='worst-rank'"
                )
            self.notes.append(
                f"Dropped {sparse.sum():,} of {len(sparse):,} conditions in which more than 20 % of the alternatives "
                f"are missing, then {rare.sum()} of {len(rare)} alternatives missing in more than 20 % of the rest"
                + (f" ({listed(rare.index[rare])})." if rare.any() else ".")
            )
        return self._leave_out_empty(wide)

    def _leave_out_empty(self, wide: pd.DataFrame) -> pd.DataFrame:
        """Leave out conditions and alternatives without any score: there is nothing to rank."""
        bare, silent = wide.isna().all(axis=1), wide.isna().all()
        if bare.any():
            first = checks.named(wide.index, int(np.flatnonzero(bare)[0]))
            self.notes.append(f"Left out {bare.sum():,} conditions without any score, the first {first}.")
        if silent.any():
            self.notes.append(
                f"Left out {silent.sum()} alternatives without any score: {listed(silent.index[silent])}."
            )
        return wide.loc[~bare, ~silent]

    def _split(self) -> dict[tuple, pd.DataFrame]:
        """Return the scores of each configuration: its experiments, and the alternatives that occur in it."""
        self._of_conditions = self._split_conditions()
        if self.cluster is None:
            return self._of_conditions
        return {key: _means_of_clusters(block) for key, block in self._of_conditions.items()}

    def _split_conditions(self) -> dict[tuple, pd.DataFrame]:
        if self.design:
            levels = [self._wide.index.get_level_values(name) for name in self.design]
            codes, keys = pd.MultiIndex.from_arrays(levels).factorize()
            order = np.argsort(codes, kind="stable")
            rows = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)
            bare = self._wide.droplevel(self.design)
            parts = {tuple(key): bare.iloc[places] for key, places in zip(keys, rows, strict=True)}
        else:
            parts = {(): self._wide}
        blocks = {key: _occurring(part) for key, part in parts.items()}
        cells = sum(block.size for block in blocks.values())
        imputed = sum(int(block.isna().to_numpy().sum()) for block in blocks.values())
        if imputed and self.missing == "complete":
            drawn = f"{imputed:,} missing evaluation{'s' if imputed > 1 else ''}"
            self.notes.append(
                f"Drew {drawn} of {cells:,} ({percent(imputed / cells, 1)}), "
                "several times each, from a model of the observed ones; the answers from these completions are "
                "combined."
            )
        elif imputed:
            self.notes.append(
                f"Gave the worst rank to {imputed:,} missing evaluations of {cells:,} ({percent(imputed / cells, 1)}); "
                "their raw scores, where a kernel needs them, are the worst observed ones of their condition."
                + (" The mean score of a cluster is over its other conditions." if self.cluster is not None else "")
            )
        partial = sum(block.shape[1] < self._wide.shape[1] for block in blocks.values())
        if partial:
            self.notes.append(
                f"{partial} of {len(blocks)} configurations lack some of the {self._wide.shape[1]} alternatives "
                "altogether; those are left out there."
            )
        return blocks

    # --- doubts ------------------------------------------------------------------------------------------------------

    def _warn(self, doubts: Iterable[str], stacklevel: int = 3) -> None:
        """List doubts in ``warnings``, and issue each once, whatever the policy for missing evaluations."""
        for doubt in doubts:
            if doubt not in self.warnings:
                self.warnings.append(doubt)
            if doubt not in self._issued:
                self._issued.add(doubt)
                warnings.warn(doubt, StudyWarning, stacklevel=stacklevel)

    def _doubts_about_factors(self, table: pd.DataFrame) -> Iterator[str]:
        if self._score_columns is not None:
            yield from checks.alike_names(self.alternatives_column, self._score_columns)
            yield from checks.repetitions_as_alternatives(self._score_columns)
        factors = [*self.design, *self._factors_of_conditions(), *self.average_over]
        for column in (self.alternatives_column, *factors):
            if column in table:
                yield from checks.alike_names(column, table[column].unique())
        yield from checks.repeated_measurements(table, self.generalize_over, self.design)

    def _doubts_about_averages(self) -> Iterator[str]:
        if self.average_over:
            shares = {
                checks.sentence(configuration): (row["n_partial"], row["n_evaluations"])
                for configuration, row in zip(self.configurations, self.accounting.to_dict("records"), strict=True)
            }
            yield from checks.partial_averages(shares, self.average_over)

    def _doubts_about_scores(self) -> Iterator[str]:
        blocks = self._of_conditions.values()
        named = {checks.sentence(c): block for c, block in zip(self.configurations, blocks, strict=True)}
        yield from checks.worst_ranks(named, self.missing)
        yield from checks.ties_everywhere(self.target, named)

    # --- what the rest of the package reads --------------------------------------------------------------------------

    @property
    def alternatives(self) -> list[Any]:
        """The alternatives that are compared, after the missing-value policy, sorted."""
        return self._wide.columns.tolist()

    def _block(self, configuration: Configuration | None) -> pd.DataFrame:
        if configuration is not None and not isinstance(configuration, Mapping | pd.Series):
            raise ParameterError(
                f"configuration must be a dictionary {{design factor: level}}, one of Study.configurations; "
                f"got {shown(configuration)}"
            )
        configuration = {} if configuration is None else dict(configuration)
        unknown = [name for name in configuration if name not in self.design]
        if unknown:
            raise ParameterError(f"configuration: {unknown[0]!r} is no design factor{suggest(unknown[0], self.design)}")
        for name in self.design:
            if name not in configuration:
                raise ParameterError(f"configuration: the level of design factor {name!r} is missing")
            if not pd.api.types.is_scalar(configuration[name]):
                raise ParameterError(f"configuration: {name!r} must be one level, got {shown(configuration[name])}")
        key = tuple(configuration[name] for name in self.design)
        if key not in self._blocks:
            for i, name in enumerate(self.design):
                levels = sorted({known[i] for known in self._blocks}, key=str)
                if key[i] not in levels:
                    raise ParameterError(
                        f"configuration: {name!r} has no level {key[i]!r}{suggest(key[i], levels)} "
                        f"(it has {listed(levels)})"
                    )
            raise ParameterError(f"configuration: there are no results for {checks.sentence(configuration)}")
        return self._blocks[key]

    def _conditions(self, configuration: Configuration | None) -> pd.DataFrame:
        """Return the scores of the conditions of a configuration: as `_block`, before clusters are averaged."""
        self._block(configuration)  # says what is wrong with it
        return self._of_conditions[tuple(dict(configuration or {})[name] for name in self.design)]

    def direction(self, configuration: Configuration | None = None) -> bool:
        """Return whether higher scores are better in a configuration.

        Parameters
        ----------
        configuration : dict
            See `scores`. Without several metrics, any one.

        Returns
        -------
        bool
        """
        if not isinstance(self.higher_is_better, Mapping):
            return self.higher_is_better
        self._block(configuration)  # says what is wrong with it
        return self.higher_is_better[dict(configuration or {})[self._directed]]

    def completions(
        self,
        configuration: Configuration | None = None,
        n_completions: int | None = None,
        rng: np.random.Generator | int = 0,
        *,
        of: str = "scores",
    ) -> list[pd.DataFrame]:
        """Draw the missing evaluations of a configuration several times.

        Parameters
        ----------
        configuration : dict
            See `scores`.
        n_completions : int
            How many; ten by default, and three of a table of more than a million cells. A larger number does not change
            the first ones.
        rng : numpy.random.Generator or int
            Source of randomness, or its seed. With 0, they are the completions that the study itself uses under
            ``missing="complete"``.
        of : {"scores", "rankings"}
            What to return of each. Drawn scores are kept within what was observed, so that ranking them can give ties
            that the rankings do not have.

        Returns
        -------
        list of DataFrame, shape (n_experiments, n_alternatives)
            One, if nothing is missing. With ``cluster``, the means of what was drawn for conditions.

        Raises
        ------
        StudyError
            If no condition connects some alternatives with the others.
        ParameterError
            If there is no such configuration, or a parameter does not fit.

        Examples
        --------
        >>> index = pd.Index(["iris", "wine", "zoo"], name="dataset")
        >>> study = Study.from_wide(pd.DataFrame({"OHE": [0.9, 0.7, None], "TE": [0.8, 0.6, 0.7]}, index))
        >>> [int(table["OHE"].isna().sum()) for table in study.completions(n_completions=2)]
        [0, 0]
        """
        check_choice("of", of, ("scores", "rankings"))
        block = self._conditions(configuration)
        if n_completions is None and self.missing == "complete":
            drawn = self._completed(configuration, seed_of(rng))
        else:
            number = usual_number(block) if n_completions is None else n_completions
            drawn = complete(block, self.direction(configuration), number, seed_of(rng))
        return [self._experiments_of(configuration, one, of) for one in drawn]

    def _completed(self, configuration: Configuration | None, seed: int = 0) -> list[Completion]:
        """Return the completions that answers are made from; those of one seed are kept."""
        block = self._conditions(configuration)
        key = tuple(dict(configuration or {})[name] for name in self.design)
        if self._drawn.get(key, (None,))[0] != seed:
            self._drawn[key] = seed, complete(block, self.direction(configuration), usual_number(block), seed)
        return self._drawn[key][1]

    def is_completed(self, configuration: Configuration | None = None) -> bool:
        """Return whether the answers on a configuration are combined from several completions.

        Examples
        --------
        >>> matrix = pd.DataFrame({"OHE": [0.9, 0.7, None], "TE": [0.8, 0.6, 0.7]})
        >>> Study.from_wide(matrix).is_completed(), Study.from_wide(matrix, missing="complete").is_completed()
        (False, True)
        """
        return self.missing == "complete" and bool(self._conditions(configuration).isna().to_numpy().any())

    def scores(self, configuration: Configuration | None = None, impute: bool = False) -> pd.DataFrame:
        """Return the scores of a configuration.

        Parameters
        ----------
        configuration : dict
            A level for each design factor, as in ``configurations``; empty for a study without design factors.
        impute : bool
            Give missing evaluations the worst observed score of their condition; under ``missing="complete"``, that of
            the first completion.

        Returns
        -------
        DataFrame, shape (n_experiments, n_alternatives)
            With ``cluster``, means over the conditions of each cluster; missing where there is no score in any of them.
        """
        block = self._block(configuration)
        if not isinstance(impute, bool | np.bool_):
            raise ParameterError(f"impute must be True or False, got {shown(impute)}")
        if not impute:
            return block.copy()
        if self.is_completed(configuration):
            return self._experiments_of(configuration, self._completed(configuration)[0], "scores")
        return _with_worst_scores(block, self.direction(configuration))

    def condition_scores(self, configuration: Configuration | None = None) -> pd.DataFrame:
        """Return the scores of the conditions of a configuration, before clusters are averaged.

        Parameters
        ----------
        configuration : dict
            See `scores`.

        Returns
        -------
        DataFrame, shape (n_conditions, n_alternatives)
            The clusters are the first level of its index. Of a study without ``cluster``, the same as `scores`.

        Examples
        --------
        >>> matrix = pd.DataFrame({"a": [0.9, 0.7], "b": [0.8, 0.6], "task": ["x", "y"], "domain": ["art", "art"]})
        >>> study = Study.from_wide(matrix, generalize_over="task", cluster="domain")
        >>> len(study.condition_scores()), study.scores().to_dict("index")
        (2, {'art': {'a': 0.8, 'b': 0.7}})
        """
        return self._conditions(configuration).copy()

    def rankings(self, configuration: Configuration | None = None) -> pd.DataFrame:
        """Return the rankings of a configuration, ties included.

        Parameters
        ----------
        configuration : dict
            A level for each design factor, as in ``configurations``; empty for a study without design factors.

        Returns
        -------
        DataFrame of int, shape (n_experiments, n_alternatives)
            Dense tiers, 0 = best. Missing evaluations are in the worst one. With ``cluster``, of the mean scores. Under
            ``missing="complete"`` these are the rankings of the first completion, which is one of those that may be;
            `completions` gives several.
        """
        block = self._block(configuration)
        if self.is_completed(configuration):
            return self._experiments_of(configuration, self._completed(configuration)[0], "rankings")
        return _ranked(block, self.direction(configuration))

    def _experiments_of(self, configuration: Configuration | None, one: Completion, of: str) -> pd.DataFrame:
        """Return scores or rankings of the experiments in one completion."""
        block = self._conditions(configuration)
        if self.cluster is None:
            return _table_of(one, of, block)
        means = _means_of_clusters(_table_of(one, "scores", block))
        return means if of == "scores" else _ranked(means, self.direction(configuration))

    def results(self, configuration: Configuration | None, kernel: Kernel) -> pd.DataFrame:
        """Return what a kernel compares: the rankings, or the scores with missing ones imputed.

        Parameters
        ----------
        configuration : dict
            See `scores`.
        kernel : kernel

        Returns
        -------
        DataFrame, shape (n_conditions, n_alternatives)
            With ``cluster``, a row per condition, with the clusters as the first level of the index: `gram` compares
            the clusters.
        """
        (kernel,) = as_kernels(kernel)
        return self._results_of(configuration, kernel, 0)

    def _results_of(
        self, configuration: Configuration | None, kernel: Kernel, completion: int, seed: int = 0
    ) -> pd.DataFrame:
        """Return what a kernel compares; of one completion, if there are several."""
        block, direction = self._conditions(configuration), self.direction(configuration)
        if self.is_completed(configuration):
            return _table_of(self._completed(configuration, seed)[completion], kernel.on, block)
        return _ranked(block, direction) if kernel.on == "rankings" else _with_worst_scores(block, direction)

    def gram(self, configuration: Configuration | None, kernel: Kernel) -> np.ndarray:
        """Return the kernel values between all pairs of experiments.

        Parameters
        ----------
        configuration, kernel
            See `results`.

        Returns
        -------
        ndarray, shape (n_experiments, n_experiments)
            With ``cluster``, the mean over all pairs of their conditions.

        Raises
        ------
        ParameterError
            If the kernel does not fit.
        StudyError
            With ``cluster``, if there are more conditions than can be compared.

        Examples
        --------
        >>> from genexpy_nb.generalization.kernels import JaccardKernel
        >>> matrix = pd.DataFrame({"a": [0.9, 0.5, 0.9], "b": [0.8, 0.6, 0.6], "domain": ["art", "art", "law"]})
        >>> Study.from_wide(matrix, cluster="domain").gram(None, JaccardKernel())
        array([[0.5, 0.5],
               [0.5, 1. ]])
        """
        (kernel,) = as_kernels(kernel)
        return self._gram_of_experiments(self.results(configuration, kernel), kernel)

    def _gram_of_experiments(self, results: pd.DataFrame, kernel: Kernel) -> np.ndarray:
        """Return the Gram matrix of experiments, from what the kernel compares."""
        if self.cluster is None:
            return kernel.gram(results)
        self._check_number_of_conditions(results)
        return mean_embeddings(kernel.gram(results), _numbers_of_clusters(results))

    def _check_number_of_conditions(self, results: pd.DataFrame) -> None:
        if len(results) > MOST_CONDITIONS:
            raise StudyError(
                f"cluster: there are {len(results):,} conditions, and every pair of them is compared; up to "
                f"{MOST_CONDITIONS:,} can be; name columns of conditions in average_over, or leave some out"
            )

    def _grams(self, configuration: Configuration | None, kernel: Kernel) -> list[np.ndarray]:
        """Return the Gram matrix of experiments, or that of each completion."""
        return [self._gram_of_experiments(results, kernel) for results in self._all_results(configuration, kernel)]

    def _all_results(self, configuration: Configuration | None, kernel: Kernel) -> list[pd.DataFrame]:
        """Return what a kernel compares, of each completion."""
        several = self.is_completed(configuration)
        n_completions = usual_number(self._conditions(configuration)) if several else 1
        return [self._results_of(configuration, kernel, number) for number in range(n_completions)]

    @cached_property
    def accounting(self) -> pd.DataFrame:
        """Per configuration: how many experiments and alternatives, how many evaluations there are and were imputed."""
        rows = [
            {
                **configuration,
                "n_experiments": len(self._blocks[key]),
                **({"n_conditions": len(block)} if self.cluster is not None else {}),
                "n_alternatives": block.shape[1],
                "n_evaluations": int(block.notna().to_numpy().sum()),
                "n_imputed": int(block.isna().to_numpy().sum()),
            }
            for configuration, (key, block) in zip(self.configurations, self._of_conditions.items(), strict=True)
        ]
        frame = pd.DataFrame(rows)
        if self.average_over:
            found = Counter(self.averaged[self.design].itertuples(index=False, name=None))
            frame["n_partial"] = [found[key] for key in self._blocks]
        if isinstance(self.higher_is_better, Mapping):
            frame["higher_is_better"] = [self.direction(configuration) for configuration in self.configurations]
        return frame

    def _runs_of_experiments(self, configuration: Configuration | None) -> pd.DataFrame:
        """Return single runs of the experiments: of a cluster, the mean over its conditions where all have the run."""
        rows = self.runs(configuration)
        if self.cluster is None:
            return rows
        keys = [self.cluster, self.alternatives_column]
        n_conditions = rows.drop_duplicates([*keys, *self.within_clusters]).groupby(keys, sort=False).size()
        runs = rows.groupby([*keys, *self.average_over], sort=False)[self.target].agg(["mean", "size"]).reset_index()
        complete = runs["size"].to_numpy() == n_conditions.loc[pd.MultiIndex.from_frame(runs[keys])].to_numpy()
        return runs.loc[complete].rename(columns={"mean": self.target}).drop(columns="size").reset_index(drop=True)

    @property
    def targets(self) -> list[str]:
        """The columns of `table` that hold scores: one, or the metrics."""
        return [self.target] if self._metrics is None else list(self._metrics)

    def table(self) -> pd.DataFrame:
        """Return the rows that the study was made from, before anything was left out, averaged or imputed.

        Returns
        -------
        DataFrame, one row per evaluation
            The columns that have a role, as they were given; of a matrix, one row per cell with a score.

        Examples
        --------
        >>> matrix = pd.DataFrame({"a": [0.9, 0.7], "b": [0.8, 0.6]}, pd.Index(["iris", "wine"], name="dataset"))
        >>> Study.from_wide(matrix).table().to_dict("list")["score"]
        [0.9, 0.7, 0.8, 0.6]
        """
        factors = [*self._factors_of_conditions(), *self.design, *self.average_over, *self.fixed]
        kept = [name for name in factors if name in self._given.columns]  # "metric" is no column
        if self._score_columns is None:
            return self._given[[*kept, self.alternatives_column, *self.targets]].copy()
        alternatives, target = str(self.alternatives_column), self.target
        long = self._given.melt(kept, self._score_columns, alternatives, target)
        return long.dropna(subset=[target], ignore_index=True)

    def runs(self, configuration: Configuration | None = None) -> pd.DataFrame:
        """Return the scores of a configuration before they are averaged.

        Parameters
        ----------
        configuration : dict
            See `scores`.

        Returns
        -------
        DataFrame, one row per score
            The columns of ``generalize_over``, ``within_clusters`` and ``average_over``, the alternative, and the
            score, called as the target is. Without what the study left out: other levels of ``fixed``, missing scores,
            and conditions and alternatives that the policy for missing evaluations dropped.

        Raises
        ------
        ParameterError
            If there is no such configuration.

        Notes
        -----
        The table is read again each time.

        Examples
        --------
        >>> columns = {"model": ["a", "a", "b", "b"], "data": ["iris"] * 4, "seed": [0, 1, 0, 1]}
        >>> table = pd.DataFrame({**columns, "score": [0.7, 0.9, 0.5, 0.6]})
        >>> study = Study(table, alternatives="model", target="score", generalize_over="data", average_over="seed")
        >>> study.runs().to_dict("list")
        {'data': ['iris', 'iris', 'iris', 'iris'], 'seed': [0, 1, 0, 1], 'model': ['a', 'a', 'b', 'b'], \
'score': [0.7, 0.9, 0.5, 0.6]}
        """
        block = self._conditions(configuration)
        aside = copy(self)  # reading takes notes
        aside.notes = []
        if self._metrics is not None:
            aside.design = [name for name in self.design if name != reading.METRIC]
        table = aside._checked(aside._hold_constant(aside._with_plain_labels(self._given)))
        mine = np.ones(len(table), dtype=bool)
        for name in self.design:
            mine &= (table[name] == dict(configuration or {})[name]).to_numpy(dtype=bool, na_value=False)
        over = self._factors_of_conditions()
        factors = [*over, *self.average_over]
        if self._score_columns is None:
            rows = table.loc[mine, [*factors, self.alternatives_column, self.target]]
        else:
            labels = checks.plain_labels(pd.Series(self._score_columns, dtype=object))
            wide = table.loc[mine, factors].set_axis(range(len(factors)), axis=1)
            parts = [
                wide.assign(alternative=label, score=table.loc[mine, column])
                for label, column in zip(labels, self._score_columns, strict=True)
            ]
            rows = pd.concat(parts).set_axis([*factors, self.alternatives_column, self.target], axis=1)
        where = pd.MultiIndex.from_frame(rows[over]) if len(over) > 1 else pd.Index(rows[over[0]])
        there = where.isin(block.index) & rows[self.alternatives_column].isin(block.columns).to_numpy()
        return rows[there & rows[self.target].notna().to_numpy()].reset_index(drop=True)

    def report(
        self,
        path: str | os.PathLike,
        *,
        alpha: float = 0.95,
        delta: float = 0.05,
        level: float = 0.05,
        configuration: Configuration | None = None,
        alternative: Any = None,
        budget: int | None = None,
        title: str = "",
        kernels: Kernel | Iterable[Kernel] | None = None,
    ) -> Path:
        """Write a page that says what the study found and how far it can be trusted: figures, tables, sentences.

        Parameters
        ----------
        path : path-like
            The HTML file; one that is there is replaced. It needs no network and no other file.
        alpha : float
            Wanted generalizability, in (0, 1).
        delta : float
            Dissimilarity that is still similar, in (0, 1].
        level : float
            Of the tests, in (0, 1).
        configuration : dict, optional
            The configuration to look at closely, as in ``configurations``; by default one with the most experiments.
        alternative : object, optional
            One alternative to ask about in particular: does it keep its rank?
        budget : int, optional
            Experiments that can still be run.
        title : str
            Of the page.
        kernels : kernel or list of kernels, optional
            What is asked; `JaccardKernel(k=1)` and `MallowsKernel()` by default. Kernels of your own are dataclasses
            in a file of their own (CONTRIBUTING.md), since another process makes the page.

        Returns
        -------
        Path
            Where the page is.

        Raises
        ------
        ParameterError
            If something asked for does not fit. Then nothing has run.
        GenexpyError
            If the page could not be made or written.
        MissingExtraError
            Without the extra ``reports``.

        Notes
        -----
        The page is notebook 09, executed on this study; it takes some ten seconds. The command ``genexpy-nb study``
        makes the same page of a file, and beside it the executed notebook, all tables as CSV, the main ones as LaTeX.

        Examples
        --------
        >>> study.report("mine.html", alternative="OHE")  # doctest: +SKIP
        PosixPath('/home/me/mine.html')
        """
        from genexpy_nb.own_study.from_python import write_report

        wanted: dict[str, Any] = {"alpha": alpha, "delta": delta, "level": level, "alternative": alternative}
        wanted |= {"budget": budget, "kernels": kernels}
        return write_report(self, path, title, configuration=configuration, **wanted)

    def summary(self, alpha: float = 0.95, delta: float = 0.05, level: float = 0.05) -> Summary:
        """Say what the study compares, what came out, and how far it holds, in sentences that are ready to be pasted.

        Parameters
        ----------
        alpha : float
            Wanted generalizability, in (0, 1).
        delta : float
            Dissimilarity that is still similar, in (0, 1].
        level : float
            Of the tests, in (0, 1).

        Returns
        -------
        genexpy_nb.study.summary.Summary
            ``str()`` of it is text; it shows itself as Markdown in a notebook; ``to_latex()`` is for a paper.

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> matrix = pd.DataFrame(rng.normal([0.9, 0.8, 0.5], 0.1, (30, 3)), columns=["a", "b", "c"])
        >>> print(Study.from_wide(matrix).summary().data)
        The study compares 3 alternatives (alternative: a, b, c) by score, where higher is better. Each of the 30 \
levels of experiment is one experiment. Read 3 columns as alternatives: a, b, c. Among what is compared, no evaluation \
is missing.
        """
        return summarise(self, alpha, delta, level)

    def nstar(
        self,
        kernels: Kernel | Iterable[Kernel],
        alpha: float | Sequence[float] = (0.95,),
        delta: float | Sequence[float] = (0.05,),
        method: str | Estimator = "moments",
        *,
        n_resamples: int = 1000,
        rng: np.random.Generator | int = 0,
        n_jobs: int | None = None,
        configuration: Configuration | None = None,
    ) -> pd.DataFrame:
        """Estimate n* for every configuration, kernel, alpha and delta.

        Parameters
        ----------
        kernels : kernel or list of kernels
            The research questions.
        alpha : float or list of float
            Wanted generalizability, in (0, 1).
        delta : float or list of float
            Dissimilarity that is still similar, > 0; each kernel says what it means.
        method, n_resamples, rng
            See `genexpy_nb.estimate_nstar`.
        n_jobs : int, optional
            Worker processes, see `genexpy_nb.common.parallel.in_parallel`; the result does not depend on it.
        configuration : dict, optional
            The only configuration to estimate it for; all of them by default.

        Returns
        -------
        DataFrame
            One row per configuration, kernel, alpha and delta: the design columns, kernel, alpha, delta, epsilon,
            n_experiments, nstar, low, high (interval, see `genexpy_nb.NStar`), method, and note, which says why an
            estimate is missing, or what to know about the results that it is made from, such as that so many
            experiments were compared in blocks (see `genexpy_nb.generalization.many`). With ``cluster``, experiments
            are clusters, and the note says how many conditions lie in them.

        Raises
        ------
        StudyError
            If no configuration has the experiments that the method needs, or scores are too large for a kernel.
        ParameterError
            If a kernel, alpha, delta, method, rng or n_jobs does not fit.

        Warns
        -----
        StudyWarning
            If the scores are on a scale on which a kernel on raw scores finds no two experiments alike.

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> results = pd.DataFrame({"model": np.tile(["a", "b", "c"], 30), "dataset": np.repeat(range(30), 3)})
        >>> results["score"] = rng.normal(np.tile([0.9, 0.8, 0.5], 30), 0.1)
        >>> study = Study(results, alternatives="model", target="score", generalize_over="dataset")
        >>> from genexpy_nb.generalization.kernels import MallowsKernel
        >>> study.nstar(MallowsKernel())[["kernel", "n_experiments", "nstar"]].round(1)
            kernel  n_experiments  nstar
        0  Mallows             30    7.2
        """
        kernels = as_kernels(kernels)
        alphas = check_levels("alpha", alpha)
        deltas = checks.as_deltas(delta)
        n_jobs = check_workers(n_jobs)
        check_count("n_resamples", n_resamples)
        seed = seed_of(rng)
        needed = smallest_study(method)
        blocks = self._asked_for(configuration)
        self._check_size(blocks, needed, method_name(method), largest_study(method))

        cases = list(self._cases(blocks, kernels, deltas, needed))
        possible = [part for case in cases if not case.note for part in self._parts(case, seed)]
        estimates = list(self._nstar_of(possible, alphas, method, n_resamples, seed, n_jobs))
        self._warn(self._doubts_about_scale(possible, [estimate.similarity for estimate in estimates]))
        nothing = np.full((len(alphas), len(deltas), 3), np.nan)
        left = iter(estimates)
        found = [
            [_Estimate(nothing, case.note)] if case.note else [next(left) for _ in self._parts(case, seed)]
            for case in cases
        ]
        values = np.stack([_pooled(parts) for parts in found])
        notes = [
            _joined([parts[0].note, of_cells])
            for case, parts in zip(cases, found, strict=True)
            for of_cells in self._due_to_cells(case, parts)
        ]
        return self._tidy(cases, alphas, deltas, values, method_name(method)).assign(note=notes)

    def design_effect(
        self,
        kernels: Kernel | Iterable[Kernel] = DEFAULT_KERNELS,
        alpha: float = 0.95,
        delta: float = 0.05,
        *,
        configuration: Configuration | None = None,
    ) -> pd.DataFrame:
        """Say how many independent experiments the conditions are worth that lie in clusters.

        Parameters
        ----------
        kernels : kernel or list of kernels
            The research questions: conditions can be alike in who wins, and not in the rest of the order.
        alpha, delta : float
            See `nstar`.
        configuration : dict, optional
            The only configuration to estimate it for; all of them by default.

        Returns
        -------
        DataFrame, one row per configuration and kernel
            The design columns; ``kernel``; ``n_conditions``, ``n_clusters`` and their ``mean_size``; ``icc``, the
            correlation of the conditions of a cluster in the kernel's feature space, at most 1; ``n_effective``, how
            many independent experiments the conditions are worth, from n_clusters to n_conditions; ``design_effect``,
            n_conditions over that; each of these three with its interval, nominal 95 %, in ``_low`` and ``_high``;
            ``alpha``, ``delta``; ``nstar`` of clusters, as `nstar` gives it, and ``nstar_conditions``, what it would be
            if the conditions were independent, both with their intervals; ``note``.

        Raises
        ------
        ParameterError
            If the study has no clusters, or as `nstar`.
        StudyError
            If there are more conditions than can be compared.

        Notes
        -----
        What is estimated, and how, says `genexpy_nb.generalization.clusters`, and how often the intervals hold it. A
        correlation below 0 counts as none. n* counts clusters of the sizes that were seen; n* of conditions is shown to
        be compared with it, and promises too much if the correlation is not 0.

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> scores = np.repeat(rng.normal([3, 2, 1], 2, (12, 3)), 4, axis=0) + rng.normal(0, 1, (48, 3))
        >>> frame = pd.DataFrame(scores, columns=list("abc")).assign(domain=np.repeat(range(12), 4))
        >>> study = Study.from_wide(frame, cluster="domain")
        >>> from genexpy_nb.generalization.kernels import MallowsKernel
        >>> study.design_effect(MallowsKernel())[["n_conditions", "n_clusters", "icc", "n_effective"]].round(2)
           n_conditions  n_clusters  icc  n_effective
        0            48          12  0.4        21.96
        """
        if self.cluster is None:
            raise ParameterError("design_effect is for studies with clusters: pass cluster= to Study")
        kernels = as_kernels(kernels)
        alpha, delta = check_level("alpha", alpha), check_number("delta", delta, 0)
        cases = list(self._cases(self._asked_for(configuration), kernels, np.array([delta]), needed=1))
        frame = pd.DataFrame([{**case.configuration, **self._design_effect(case)} for case in cases])
        note = frame.pop("note")
        frame = frame.assign(alpha=alpha, delta=delta)
        for name, study in (("nstar", self), ("nstar_conditions", self._without_clusters())):
            estimates = study._estimates_of(kernels, alpha, delta, configuration, len(frame))
            frame[[name, f"{name}_low", f"{name}_high"]] = estimates
        return frame.assign(note=note)

    def _without_clusters(self) -> Self:
        """Return the same study as if the conditions were independent experiments."""
        aside = copy(self)
        aside.cluster, aside._blocks = None, self._of_conditions
        aside.generalize_over, aside.within_clusters = self._factors_of_conditions(), []
        aside.warnings = list(self.warnings)
        return aside

    def _estimates_of(
        self, kernels: list[Kernel], alpha: float, delta: float, configuration: Configuration | None, n_rows: int
    ) -> np.ndarray:
        """Return n* and its interval, shape (n_rows, 3); missing if there are too few experiments everywhere."""
        try:
            found = self.nstar(kernels, alpha, delta, configuration=configuration)
        except StudyError:
            return np.full((n_rows, 3), np.nan)
        return found[["nstar", "low", "high"]].to_numpy()

    def _design_effect(self, case: _Case) -> dict[str, Any]:
        """Return the columns of `design_effect` but for n*."""
        results = self._conditions(case.configuration)
        grams = []
        if not case.note:
            compared = [self._checked_results(part) for part in self._parts(case, seed=0)]
            self._check_number_of_conditions(results)
            with self._named_in_errors(case):
                grams = [case.kernel.gram(each) for each in compared]
        codes = _numbers_of_clusters(results)
        found = design_effect(grams, codes) if grams else unknown_effect(codes, case.note)
        row: dict[str, Any] = {
            "kernel": case.kernel.name,
            "n_conditions": found.n_conditions,
            "n_clusters": found.n_clusters,
            "mean_size": found.n_conditions / found.n_clusters,
        }
        values = {
            "icc": (found.icc, found.icc_low, found.icc_high),
            "n_effective": found.n_effective,
            "design_effect": found.design_effect,
        }
        for name, value in values.items():
            row |= dict(zip((name, f"{name}_low", f"{name}_high"), value, strict=True))
        return row | {"note": found.note}

    def _parts(self, case: _Case, seed: int) -> list[_Case]:
        """Return the same case once for each completion; the case itself, if it is not completed."""
        if not self.is_completed(case.configuration):
            return [case]
        n_completions = usual_number(self._conditions(case.configuration))
        return [replace(case, completion=number, seed=seed) for number in range(n_completions)]

    def _due_to_cells(self, case: _Case, parts: Sequence[_Estimate]) -> list[str]:
        """Say for each alpha and delta how much of the interval is due to missing cells."""
        if len(parts) == 1:
            return [""] * parts[0].values[..., 0].size
        block = self._conditions(case.configuration)
        absent = f"{int(block.isna().to_numpy().sum()):,} of {block.size:,} evaluations are missing"
        estimates, low, high = np.log(np.moveaxis(np.stack([part.values for part in parts]), -1, 0))
        shares = share_between(estimates, low, high).ravel()
        return [
            absent if np.isnan(share) else f"{absent}: {percent(share)} of the interval's squared width is due to them"
            for share in shares
        ]

    def _nstar_of(
        self,
        cases: Sequence[_Case],
        alphas: np.ndarray,
        method: str | Estimator,
        n_resamples: int,
        seed: int,
        n_jobs: int | None,
    ) -> Iterator[_Estimate]:
        """Yield n* of each case, in order; a few Gram matrices are held at a time, and none of too many experiments."""
        latest = _Latest(self)
        for batch in _batches(cases):
            if batch[0].n_experiments > LARGEST_WHOLE and method == "moments" and self.cluster is None:
                (case,) = batch
                with self._named_in_errors(case):
                    results = latest.results(case)
                    values, note = nstar_of_many(results, case.kernel, alphas, case.epsilons, seed)
                    few = results.iloc[blocks(len(results), seed)[0]]
                    remark = self._remark(case, results)
                    yield _Estimate(values, _joined([remark, note]), self._similarity(case, case.kernel.gram(few)))
            else:
                grams, remarks = [], []
                for case in batch:
                    with self._named_in_errors(case):
                        results = latest.results(case)
                        grams.append(self._gram_of_experiments(results, case.kernel))
                        remarks.append("" if case.completion else self._remark(case, results))
                epsilons = [case.epsilons for case in batch]
                values_of_each = estimate_in_parallel(grams, alphas, epsilons, method, n_resamples, seed, n_jobs)
                for case, gram, values, remark in zip(batch, grams, values_of_each, remarks, strict=True):
                    note = note_on_interval(gram) if method == "moments" else ""
                    yield _Estimate(values, _joined([remark, note]), self._similarity(case, gram))

    def _similarity(self, case: _Case, gram: np.ndarray) -> float:
        """Return the median kernel value between two experiments, if the kernel looks at scores."""
        return checks.median_similarity(gram) if case.kernel.on == "scores" else np.nan

    @contextmanager
    def _named_in_errors(self, case: _Case) -> Iterator[None]:
        """Say in an error of a kernel which configuration it is about."""
        try:
            yield
        except ParameterError as error:
            where = f" ({checks.sentence(case.configuration)})" if case.configuration else ""
            raise ParameterError(f"{error}{where}") from None

    def _asked_for(self, configuration: Configuration | None) -> list[tuple[Configuration, pd.DataFrame]]:
        """Return one configuration, or all, each with its scores."""
        if configuration is None:
            return list(zip(self.configurations, self._blocks.values(), strict=True))
        block = self._block(configuration)
        return [({name: configuration[name] for name in self.design}, block)]

    def _cases(
        self,
        blocks: Sequence[tuple[Configuration, pd.DataFrame]],
        kernels: Sequence[Kernel],
        deltas: np.ndarray,
        needed: int,
    ) -> Iterator[_Case]:
        for configuration, block in blocks:
            for kernel in kernels:
                if block.shape[1] < 2:  # a kernel may have no threshold for a single alternative
                    epsilons = np.full(len(deltas), np.nan)
                else:
                    epsilons = np.asarray(kernel.epsilon(deltas, block.shape[1]))
                n_conditions = len(self._conditions(configuration))
                obstacle = self._obstacle(block, kernel, needed)
                yield _Case(configuration, kernel, epsilons, len(block), n_conditions, obstacle)

    def _remark(self, case: _Case, results: pd.DataFrame) -> str:
        """What there is to know about the results of a configuration: of clusters, and what the kernel has to say."""
        remark, said = getattr(case.kernel, "remark", None), []
        if self.cluster is not None:
            said.append(f"{case.n_conditions:,} conditions in {case.n_experiments:,} clusters")
        if remark is not None:
            words = str(remark(results))
            # a kernel calls what it compares experiments
            said.append(words if self.cluster is None else words.replace(" experiments ", " conditions "))
        return _joined(said)

    def _checked_results(self, case: _Case) -> pd.DataFrame:
        results = self._results_of(case.configuration, case.kernel, case.completion or 0, case.seed)
        if case.kernel.on == "scores":
            where = f" ({checks.sentence(case.configuration)})" if case.configuration else ""
            checks.check_range(results.to_numpy(), where)
        return results

    def _doubts_about_scale(self, cases: Sequence[_Case], similarities: Sequence[float]) -> Iterator[str]:
        on_scores = {case.kernel: case.kernel.name for case in cases if case.kernel.on == "scores"}
        for kernel, name in on_scores.items():
            of = {checks.sentence(c.configuration): i for i, c in enumerate(cases) if c.kernel == kernel}
            scores = {where: self.results(cases[i].configuration, kernel).to_numpy() for where, i in of.items()}
            yield from checks.unlike_scores(name, {where: similarities[i] for where, i in of.items()}, scores)

    def _check_size(
        self, blocks: Sequence[tuple[Configuration, pd.DataFrame]], needed: int, method: str, most: float
    ) -> None:
        largest = max(len(block) for _, block in blocks)
        if largest < needed:
            raise StudyError(
                f"method {method!r} needs at least {needed} experiments per configuration; no configuration has "
                f"more than {largest} (levels of {' x '.join(self.generalize_over)})"
            )
        if largest > most:
            raise StudyError(
                f"method {method!r} compares every pair of experiments, and takes up to {most:,} of "
                f"them; there are {largest:,}; method='moments' takes any number"
            )

    def _obstacle(self, block: pd.DataFrame, kernel: Kernel, needed: int) -> str:
        """Say why n* of one configuration cannot be estimated while that of others can; empty if it can."""
        if len(block) < needed:
            return f"{len(block)} experiments; at least {needed} are needed"
        if block.shape[1] < 2:
            return "a single alternative"
        wanted = getattr(kernel, "alternative", None)
        if wanted is not None and wanted not in block.columns and wanted in self._wide.columns:
            return f"{wanted} does not occur in this configuration"
        return ""

    def _tidy(
        self, cases: Sequence[_Case], alphas: np.ndarray, deltas: np.ndarray, values: np.ndarray, method: str
    ) -> pd.DataFrame:
        n_grid = len(alphas) * len(deltas)
        columns: dict[str, Any] = {
            name: [case.configuration[name] for case in cases for _ in range(n_grid)] for name in self.design
        }
        columns["kernel"] = np.repeat([case.kernel.name for case in cases], n_grid)
        columns["alpha"] = np.tile(np.repeat(alphas, len(deltas)), len(cases))
        columns["delta"] = np.tile(deltas, len(cases) * len(alphas))
        columns["epsilon"] = np.concatenate([np.tile(case.epsilons, len(alphas)) for case in cases])
        columns["n_experiments"] = np.repeat([case.n_experiments for case in cases], n_grid)
        for i, name in enumerate(("nstar", "low", "high")):
            columns[name] = values[..., i].ravel()
        columns["method"] = method
        return pd.DataFrame(columns)

    # --- how it looks ------------------------------------------------------------------------------------------------

    def _headline(self) -> str:
        sizes = self.accounting["n_experiments"]
        span = f"{sizes.min()}" if sizes.min() == sizes.max() else f"{sizes.min()} to {sizes.max()}"
        factors = f" of {', '.join(self.design)}" if self.design else ""
        return (
            f"{self._wide.shape[1]} alternatives ({self.alternatives_column}) compared by "
            f"{self._criterion()}; {len(self.configurations)} configurations{factors}; "
            f"{span} experiments ({' x '.join(self.generalize_over)}) per configuration"
            + (f", the clusters of {' x '.join(self.within_clusters)}" if self.within_clusters else "")
        )

    def _criterion(self) -> str:
        words = {True: "higher is better", False: "lower is better"}
        if not isinstance(self.higher_is_better, Mapping):
            return f"{self.target} ({words[self.higher_is_better]})"
        each = [f"{level} ({words[higher]})" for level, higher in self.higher_is_better.items()]
        return listed(each) if self._metrics is not None else f"{self.target}: {listed(each)}"

    def __repr__(self) -> str:
        warned = [f"Warning: {warning}" for warning in self.warnings]
        return "\n  ".join([f"Study: {self._headline()}", *warned, *self.notes])

    def _repr_html_(self) -> str:
        items = "".join(f"<li>{escape(note)}</li>" for note in self.notes)
        warned = "".join(f"<p><strong>Warning:</strong> {escape(warning)}.</p>" for warning in self.warnings)
        return f"{warned}<p><strong>Study.</strong> {escape(self._headline())}.</p><ul>{items}</ul>"


@dataclass(frozen=True)
class _Estimate:
    """n* of one case, shape (A, E, 3), what to know about it, and how alike two experiments are, for scores."""

    values: np.ndarray
    note: str = ""
    similarity: float = np.nan


class _Latest:
    """What kernels compare in a configuration, kept until another one is asked for."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._of: tuple = ()
        self._results = pd.DataFrame()

    def results(self, case: _Case) -> pd.DataFrame:
        of = (case.configuration, case.kernel.on, case.completion, case.seed)
        if of != self._of:
            self._of, self._results = of, self._study._checked_results(case)
        return self._results.copy()  # a kernel of the user's may change what it is given


def _joined(words: Iterable[str]) -> str:
    return "; ".join(filter(None, words))


def _batches(cases: Iterable[_Case]) -> Iterator[list[_Case]]:
    """Yield cases, in order, whose Gram matrices are held at once; one of too many experiments is alone."""
    batch: list[_Case] = []
    held = 0
    for case in cases:
        large = case.n_conditions > LARGEST_WHOLE
        if batch and (large or held + case.n_conditions**2 > _HELD_AT_ONCE):
            yield batch
            batch, held = [], 0
        batch.append(case)
        held += _HELD_AT_ONCE if large else case.n_conditions**2
    if batch:
        yield batch


def _occurring(block: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of the alternatives that have a score."""
    silent = np.isnan(block.to_numpy()).all(axis=0)
    return block.loc[:, ~silent] if silent.any() else block


def _means_of_clusters(block: pd.DataFrame) -> pd.DataFrame:
    """Return mean scores, a row per cluster, from scores of conditions; missing where there is none."""
    return block.groupby(level=0, sort=False).mean()


def _numbers_of_clusters(conditions: pd.DataFrame) -> np.ndarray:
    """Return the number of the cluster of each condition, in the order in which clusters stand."""
    return conditions.index.get_level_values(0).factorize()[0]


def _ranked(scores: pd.DataFrame, higher_is_better: bool) -> pd.DataFrame:
    return pd.DataFrame(rank_scores(scores, higher_is_better=higher_is_better), scores.index, scores.columns)


def _with_worst_scores(scores: pd.DataFrame, higher_is_better: bool) -> pd.DataFrame:
    """Give missing scores the worst one of their row."""
    values = scores.to_numpy()
    worst = np.nanmin(values, axis=1) if higher_is_better else np.nanmax(values, axis=1)
    return pd.DataFrame(np.where(np.isnan(values), worst[:, None], values), scores.index, scores.columns)


def _table_of(one: Completion, of: str, block: pd.DataFrame) -> pd.DataFrame:
    """Return scores or rankings of one completion, with the names of the table."""
    values = one.scores.copy() if of == "scores" else one.rankings.astype(int)
    return pd.DataFrame(values, block.index, block.columns)


def _pooled(parts: Sequence[_Estimate]) -> np.ndarray:
    """Combine the estimates from several completions on the scale of logarithms, shape (A, E, 3)."""
    if len(parts) == 1:
        return parts[0].values
    estimates, low, high = np.log(np.moveaxis(np.stack([part.values for part in parts]), -1, 0))
    mean, least, most = pool_intervals(estimates, low, high)
    return np.exp(np.stack([mean, np.maximum(least, 0.0), most], axis=-1))  # n* is at least 1


@dataclass(frozen=True)
class _Case:
    """One configuration and one kernel of `Study.nstar`; the note says why n* cannot be estimated, if it cannot."""

    configuration: Configuration
    kernel: Kernel
    epsilons: np.ndarray
    n_experiments: int
    n_conditions: int
    note: str
    completion: int | None = None  # its number, and the seed of the completions
    seed: int = 0
