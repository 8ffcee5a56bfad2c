"""A study: a table of results, and the role that each of its columns plays.

Roles (Generalizability of Experimental Studies, second version, Section 3.1): the *alternatives* are compared by the
*target*; every combination of levels of the *design* factors is a configuration, analysed on its own; each level of
the *generalizability* factors is one experiment; *stochasticity* factors are averaged out first; *held-constant*
factors are fixed to one level.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import (
    check_choice,
    check_columns,
    check_count,
    check_direction,
    check_levels,
    check_workers,
    listed,
    shown,
    suggest,
)
from genexpy_nb.common.errors import ParameterError, StudyError, StudyWarning
from genexpy_nb.common.random import seed_of
from genexpy_nb.common.rankings import rank_scores
from genexpy_nb.generalization import study_checks as checks
from genexpy_nb.generalization.conclusions import Conclusions
from genexpy_nb.generalization.kernels import Kernel
from genexpy_nb.generalization.nstar import estimate_in_parallel, smallest_study

__all__ = ["MISSING_POLICIES", "Study", "plan"]

MISSING_POLICIES = ("worst-rank", "drop", "error")

Configuration = Mapping[str, Any]


class Study(Conclusions):
    """A table of results and the role of each of its columns.

    Parameters
    ----------
    results : DataFrame, shape (n_evaluations, n_columns)
        One row per evaluation of one alternative under one experimental condition.
    alternatives : str
        Column with the objects that are compared.
    target : str
        Column with the score: numbers, truth values, or text that reads as numbers, which the notes say. A missing
        score (None, NaN) is a missing evaluation, like an absent row.
    generalize_over : str or list of str
        Generalizability factors: each of their levels (or combinations of levels) is one experiment.
    design : list of str
        Design factors: each combination of their levels is a configuration. They become columns of the results, so
        that a name such as ``alpha`` or ``nstar`` is an error.
    average_over : list of str
        Stochasticity factors, such as seeds and folds: the target is averaged over their levels.
    fixed : dict
        Held-constant factors, ``{column: level}``: all other rows are left out.
    higher_is_better : bool
        Direction of the target; False for losses.
    missing : {"worst-rank", "drop", "error"}
        What becomes of missing evaluations. ``worst-rank``: a missing alternative shares the worst tier, below every
        observed score. ``drop``: first the conditions go in which more than 20 % of the alternatives are missing, then
        the alternatives that are missing in more than 20 % of the remaining conditions; what is still missing gets
        the worst rank. ``error``: any missing evaluation is an error.

    Attributes
    ----------
    configurations : list of dict
        The combinations of levels of the design factors, sorted.
    notes : list of str
        What was left out, converted, averaged, dropped and imputed, in sentences.
    warnings : list of str
        What makes the answers doubtful, in sentences that belong to the top of a report: many missing evaluations,
        names that differ by capitals or spaces only, seeds or folds that count as experiments, constant scores, scores
        on a scale that a kernel was not made for. Each is also issued, once, as a `genexpy_nb.StudyWarning`.
    accounting : DataFrame
        The same per configuration: the design columns, n_experiments, n_alternatives, n_evaluations, n_imputed.

    Raises
    ------
    StudyError
        If a column is missing, has two roles, or does not fit its role; if the same evaluation stands in two rows; if
        there is one alternative only.
    ParameterError
        If ``higher_is_better`` or ``missing`` is none of what they may be.

    Notes
    -----
    Conditions, alternatives and configurations are kept in one order, whatever the order of the rows, of the columns
    and of the categories of a categorical column: sorted by value (numbers, text by code points, dates), and by text
    and then type where one column mixes them. So draws, and all results, depend on the table as a set of rows only.

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
    """

    def __init__(
        self,
        results: pd.DataFrame,
        *,
        alternatives: str,
        target: str,
        generalize_over: str | Sequence[str],
        design: str | Sequence[str] = (),
        average_over: str | Sequence[str] = (),
        fixed: Mapping[str, Any] | None = None,
        higher_is_better: bool = True,
        missing: str = "worst-rank",
    ) -> None:
        check_choice("missing", missing, MISSING_POLICIES)
        self.alternatives_column = checks.as_column("alternatives", alternatives)
        self.target = checks.as_column("target", target)
        self.generalize_over = checks.as_columns("generalize_over", generalize_over)
        self.design = checks.as_columns("design", design)
        self.average_over = checks.as_columns("average_over", average_over)
        self.fixed = checks.as_levels(fixed)
        self.higher_is_better = check_direction(higher_is_better)
        self.missing = missing
        self.notes: list[str] = []
        self.warnings: list[str] = []

        checks.check_roles(results, self._roles())
        table = self._hold_constant(self._with_plain_labels(results))
        table = self._checked(table)
        self._wide = self._apply_missing_policy(self._average(table))
        self._blocks = self._split()
        self.configurations: list[dict[str, Any]] = [dict(zip(self.design, key, strict=True)) for key in self._blocks]
        self._warn([*self._doubts_about_factors(table), *self._doubts_about_scores()])

    # --- from the table to one row per condition ---------------------------------------------------------------------

    def _roles(self) -> dict[str, list[str]]:
        return {
            "alternatives": [self.alternatives_column],
            "target": [self.target],
            "generalize_over": self.generalize_over,
            "design": self.design,
            "average_over": self.average_over,
            "fixed": list(self.fixed),
        }

    def _with_plain_labels(self, results: pd.DataFrame) -> pd.DataFrame:
        """Return the columns that have a role; rows are numbered, for error messages."""
        columns = [column for columns in self._roles().values() for column in columns]
        results = results[columns].reset_index(drop=True)
        return results.assign(
            **{column: checks.plain_labels(results[column]) for column in columns if column != self.target}
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
        keys = [*self.design, *self.generalize_over, *self.average_over, self.alternatives_column]
        checks.check_complete(table, keys)
        scores, notes = checks.numeric_target(table[self.target])
        self.notes += notes
        if scores.isna().all():
            raise StudyError(f"column {self.target!r} has no score: every value is missing")
        checks.check_duplicates(table, keys)
        return table.assign(**{self.target: scores})

    def _average(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return the scores, one row per condition, one column per alternative, NaN where there is none."""
        keys = [*self.design, *self.generalize_over, self.alternatives_column]
        if self.average_over:  # the last digits of a sum depend on the order of its terms
            table = table.sort_values(self.average_over, key=lambda labels: checks.canonical_order(pd.Index(labels)))
        groups = table.groupby(keys, sort=False, observed=True)[self.target]
        if self.average_over:
            counts = groups.count()
            counts = counts[counts > 0]
            span = f"{counts.min()}" if counts.min() == counts.max() else f"{counts.min()} to {counts.max()}"
            self.notes.append(f"Averaged over {', '.join(self.average_over)}: {span} rows per evaluation.")
        wide = groups.mean().unstack(self.alternatives_column)
        wide = wide.sort_index(key=checks.canonical_order).sort_index(axis=1, key=checks.canonical_order)
        if wide.shape[1] < 2:
            raise StudyError(
                f"column {self.alternatives_column!r} has a single alternative, {wide.columns[0]!r}: "
                "there is nothing to compare it with"
            )
        return wide

    def _apply_missing_policy(self, wide: pd.DataFrame) -> pd.DataFrame:
        absent = wide.isna()
        if self.missing == "error" and absent.to_numpy().any():
            row, column = np.argwhere(absent.to_numpy())[0]
            raise StudyError(
                f"{int(absent.to_numpy().sum()):,} evaluations are missing, the first for "
                f"{checks.named(wide.index, row)}, {self.alternatives_column}={wide.columns[column]!r}; "
                "choose missing='worst-rank' or 'drop', or complete the table"
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
        """Return the scores of each configuration: its conditions, and the alternatives that occur in it."""
        if self.design:
            levels = [self._wide.index.get_level_values(name) for name in self.design]
            codes, keys = pd.MultiIndex.from_arrays(levels).factorize()
            parts = {
                tuple(key): self._wide.iloc[np.flatnonzero(codes == i)].droplevel(self.design)
                for i, key in enumerate(keys)
            }
        else:
            parts = {(): self._wide}
        blocks = {key: part.loc[:, part.notna().any().to_numpy()] for key, part in parts.items()}
        cells = sum(block.size for block in blocks.values())
        imputed = sum(int(block.isna().to_numpy().sum()) for block in blocks.values())
        if imputed:
            self.notes.append(
                f"Gave the worst rank to {imputed:,} missing evaluations of {cells:,} ({imputed / cells:.1%}); "
                "their raw scores, where a kernel needs them, are the worst observed ones of their condition."
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
        """List doubts in ``warnings`` and issue them; what is listed already is not issued again."""
        for doubt in doubts:
            if doubt not in self.warnings:
                self.warnings.append(doubt)
                warnings.warn(doubt, StudyWarning, stacklevel=stacklevel)

    def _doubts_about_factors(self, table: pd.DataFrame) -> Iterator[str]:
        for column in (self.alternatives_column, *self.design, *self.generalize_over, *self.average_over):
            yield from checks.alike_names(column, table[column].unique())
        yield from checks.repeated_measurements(table, self.generalize_over, self.design)

    def _doubts_about_scores(self) -> Iterator[str]:
        named = {checks.sentence(c): block for c, block in zip(self.configurations, self._blocks.values(), strict=True)}
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

    def scores(self, configuration: Configuration | None = None, impute: bool = False) -> pd.DataFrame:
        """Return the scores of a configuration.

        Parameters
        ----------
        configuration : dict
            A level for each design factor, as in ``configurations``; empty for a study without design factors.
        impute : bool
            Give missing evaluations the worst observed score of their condition.

        Returns
        -------
        DataFrame, shape (n_conditions, n_alternatives)
        """
        block = self._block(configuration)
        if not isinstance(impute, bool | np.bool_):
            raise ParameterError(f"impute must be True or False, got {shown(impute)}")
        if not impute:
            return block.copy()
        values = block.to_numpy()
        worst = np.nanmin(values, axis=1) if self.higher_is_better else np.nanmax(values, axis=1)
        return pd.DataFrame(np.where(np.isnan(values), worst[:, None], values), block.index, block.columns)

    def rankings(self, configuration: Configuration | None = None) -> pd.DataFrame:
        """Return the rankings of a configuration, ties included, missing evaluations in the worst tier.

        Parameters
        ----------
        configuration : dict
            A level for each design factor, as in ``configurations``; empty for a study without design factors.

        Returns
        -------
        DataFrame of int, shape (n_conditions, n_alternatives)
            Dense tiers, 0 = best.
        """
        block = self._block(configuration)
        return pd.DataFrame(rank_scores(block, higher_is_better=self.higher_is_better), block.index, block.columns)

    def results(self, configuration: Configuration | None, kernel: Kernel) -> pd.DataFrame:
        """Return what a kernel compares: the rankings, or the scores with missing ones imputed."""
        (kernel,) = _as_kernels(kernel)
        return self.rankings(configuration) if kernel.on == "rankings" else self.scores(configuration, impute=True)

    @cached_property
    def accounting(self) -> pd.DataFrame:
        """Per configuration: how many experiments and alternatives, how many evaluations there are and were imputed."""
        rows = [
            {
                **configuration,
                "n_experiments": len(block),
                "n_alternatives": block.shape[1],
                "n_evaluations": int(block.notna().to_numpy().sum()),
                "n_imputed": int(block.isna().to_numpy().sum()),
            }
            for configuration, block in zip(self.configurations, self._blocks.values(), strict=True)
        ]
        return pd.DataFrame(rows)

    def nstar(
        self,
        kernels: Kernel | Iterable[Kernel],
        alpha: float | Sequence[float] = (0.95,),
        delta: float | Sequence[float] = (0.05,),
        method: str = "moments",
        *,
        n_resamples: int = 1000,
        rng: np.random.Generator | int = 0,
        n_jobs: int = 1,
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
        n_jobs : int
            Workers (joblib); the result does not depend on it.

        Returns
        -------
        DataFrame
            One row per configuration, kernel, alpha and delta: the design columns, kernel, alpha, delta, epsilon,
            n_experiments, nstar, low, high (95 % interval), method, and note, which says why an estimate is missing,
            or what to know about the results that it is made from.

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
        kernels = _as_kernels(kernels)
        alphas = check_levels("alpha", alpha)
        deltas = checks.as_deltas(delta)
        n_jobs = check_workers(n_jobs)
        check_count("n_resamples", n_resamples)
        seed = seed_of(rng)
        needed = smallest_study(method)
        self._check_size(needed, method)

        cases = list(self._cases(kernels, deltas, needed))
        possible = [case for case in cases if not case.note]
        grams = [self._gram(case) for case in possible]
        remarks = [case.note or self._remark(case) for case in cases]
        self._warn(self._doubts_about_scale(possible, grams))
        epsilons = [case.epsilons for case in possible]
        estimates = iter(estimate_in_parallel(grams, alphas, epsilons, method, n_resamples, seed, n_jobs))
        nothing = np.full((len(alphas), len(deltas), 3), np.nan)
        values = np.stack([nothing if case.note else next(estimates) for case in cases])
        return self._tidy(cases, alphas, deltas, values, method).assign(
            note=np.repeat(remarks, len(alphas) * len(deltas))
        )

    def _cases(self, kernels: Sequence[Kernel], deltas: np.ndarray, needed: int) -> Iterator[_Case]:
        for configuration, block in zip(self.configurations, self._blocks.values(), strict=True):
            for kernel in kernels:
                if block.shape[1] < 2:  # a kernel may have no threshold for a single alternative
                    epsilons = np.full(len(deltas), np.nan)
                else:
                    epsilons = np.asarray(kernel.epsilon(deltas, block.shape[1]))
                yield _Case(configuration, kernel, epsilons, len(block), self._obstacle(block, kernel, needed))

    def _remark(self, case: _Case) -> str:
        """What the kernel has to say about the results of a configuration, if it has."""
        remark = getattr(case.kernel, "remark", None)
        if remark is None:
            return ""
        try:
            return str(remark(self.results(case.configuration, case.kernel)))
        except ParameterError as error:
            where = f" ({checks.sentence(case.configuration)})" if case.configuration else ""
            raise ParameterError(f"{error}{where}") from None

    def _gram(self, case: _Case) -> np.ndarray:
        where = f" ({checks.sentence(case.configuration)})" if case.configuration else ""
        results = self.results(case.configuration, case.kernel)
        if case.kernel.on == "scores":
            checks.check_range(results.to_numpy(), where)
        try:
            return case.kernel.gram(results)
        except ParameterError as error:
            raise ParameterError(f"{error}{where}") from None

    def _doubts_about_scale(self, cases: Sequence[_Case], grams: Sequence[np.ndarray]) -> Iterator[str]:
        on_scores = {case.kernel: case.kernel.name for case in cases if case.kernel.on == "scores"}
        for kernel, name in on_scores.items():
            of = {checks.sentence(c.configuration): i for i, c in enumerate(cases) if c.kernel == kernel}
            scores = {where: self.results(cases[i].configuration, kernel).to_numpy() for where, i in of.items()}
            yield from checks.unlike_scores(name, {where: grams[i] for where, i in of.items()}, scores)

    def _check_size(self, needed: int, method: str) -> None:
        largest = max(len(block) for block in self._blocks.values())
        if largest < needed:
            raise StudyError(
                f"method {method!r} needs at least {needed} experiments per configuration; no configuration has "
                f"more than {largest} (levels of {' x '.join(self.generalize_over)})"
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
        better = "higher" if self.higher_is_better else "lower"
        sizes = self.accounting["n_experiments"]
        span = f"{sizes.min()}" if sizes.min() == sizes.max() else f"{sizes.min()} to {sizes.max()}"
        factors = f" of {', '.join(self.design)}" if self.design else ""
        return (
            f"{self._wide.shape[1]} alternatives ({self.alternatives_column}) compared by {self.target} "
            f"({better} is better); {len(self.configurations)} configurations{factors}; "
            f"{span} experiments ({' x '.join(self.generalize_over)}) per configuration"
        )

    def __repr__(self) -> str:
        warned = [f"Warning: {warning}" for warning in self.warnings]
        return "\n  ".join([f"Study: {self._headline()}", *warned, *self.notes])

    def _repr_html_(self) -> str:
        items = "".join(f"<li>{escape(note)}</li>" for note in self.notes)
        warned = "".join(f"<p><strong>Warning:</strong> {escape(warning)}.</p>" for warning in self.warnings)
        return f"{warned}<p><strong>Study.</strong> {escape(self._headline())}.</p><ul>{items}</ul>"


@dataclass(frozen=True)
class _Case:
    """One configuration and one kernel of `Study.nstar`; the note says why n* cannot be estimated, if it cannot."""

    configuration: Configuration
    kernel: Kernel
    epsilons: np.ndarray
    n_experiments: int
    note: str


def plan(nstar: pd.DataFrame) -> pd.DataFrame:
    """Say for each estimate of n* how many experiments are still to be run.

    Parameters
    ----------
    nstar : DataFrame
        As returned by `Study.nstar`.

    Returns
    -------
    DataFrame
        The same with the columns ``required`` (the smallest whole number not below n*), ``more`` (experiments still to
        be run, 0 if there are enough) and ``verdict``: ``enough`` or ``more needed`` where the whole 95 % interval
        agrees with the estimate, else ``undecided``; empty where there is no estimate. An infinite estimate needs more,
        and how many is missing.

    Raises
    ------
    StudyError
        If a column is missing, stands there twice, or holds anything but numbers.

    Examples
    --------
    >>> frame = pd.DataFrame({"n_experiments": [30, 30], "nstar": [27.2, 44.1], "low": [20, 33], "high": [29, 60]})
    >>> plan(frame)[["required", "more", "verdict"]]
       required  more      verdict
    0        28     0       enough
    1        45    15  more needed
    """
    needed = ["n_experiments", "nstar", "low", "high"]
    check_columns(nstar, needed, "nstar")
    for name in needed:
        if not isinstance(nstar[name], pd.Series) or getattr(nstar[name].dtype, "kind", "O") not in "iuf":
            raise StudyError(f"nstar: the column {name!r} must hold numbers, as Study.nstar gives them")
    required = np.ceil(nstar["nstar"].replace(np.inf, np.nan)).astype("Int64")
    more = (required - nstar["n_experiments"]).clip(lower=0)
    verdict = np.select(
        [
            nstar["nstar"].isna(),
            nstar["high"] <= nstar["n_experiments"],
            (nstar["low"] > nstar["n_experiments"]) | np.isinf(nstar["nstar"]),
        ],
        ["", "enough", "more needed"],
        "undecided",
    )
    return nstar.assign(required=required, more=more, verdict=verdict)


def _as_kernels(kernels: Kernel | Iterable[Kernel]) -> list[Kernel]:
    given: list[Any] = list(kernels) if isinstance(kernels, Iterable) and not isinstance(kernels, str) else [kernels]
    if isinstance(kernels, set | frozenset):
        given.sort(key=repr)  # the order in a set is another one in every session
    for kernel in given:
        if isinstance(kernel, type) or not isinstance(kernel, Kernel):
            raise ParameterError(
                f"kernels must be kernels such as MallowsKernel() or JaccardKernel(k=1), got {shown(kernel)}"
            )
        if not isinstance(getattr(kernel, "alternative", None), Hashable):
            raise ParameterError(f"{type(kernel).__name__}: alternative must be the name of one, got {kernel!r}")
    if not given:
        raise ParameterError("kernels must name at least one kernel, got none")
    return given
