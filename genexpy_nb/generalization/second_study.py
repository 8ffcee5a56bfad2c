"""Would a second study, with other levels of every random factor, conclude the same? What `Study` says about it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import listed, shown, suggest
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.random import seed_of, seeds
from genexpy_nb.generalization.components import Components, check_factors, components
from genexpy_nb.generalization.conclusions import Configuration
from genexpy_nb.generalization.kernels import Kernel, as_kernels
from genexpy_nb.generalization.stability import Stability

__all__ = ["SecondStudy"]


class SecondStudy(Stability):
    """What a study says about another study like it."""

    configurations: list[dict[str, Any]]

    @abstractmethod
    def completions(
        self,
        configuration: Configuration | None = None,
        n_completions: int | None = None,
        rng: np.random.Generator | int = 0,
        *,
        of: str = "scores",
    ) -> list[pd.DataFrame]:
        """Return scores or rankings without missing ones, several times."""

    def components(
        self,
        kernel: Kernel,
        factors: Sequence[str],
        nested: bool = False,
        *,
        configuration: Configuration | None = None,
        rng: np.random.Generator | int = 0,
    ) -> Components:
        """Say what each of several random factors contributes, and how many levels of each another study needs.

        Parameters
        ----------
        kernel : kernel
            The question.
        factors : list of str
            Two or three columns, of ``generalize_over`` and ``design``: those whose levels another study would draw
            afresh. All of ``generalize_over`` must be among them.
        nested : bool
            Whether each factor is nested in the one before, as seeds are in data sets: ``["dataset", "seed"]``. Else
            they are crossed.
        configuration : dict, optional
            Levels of the design factors that are not among ``factors``; needed of those with several levels.
        rng : numpy.random.Generator or int
            Source of randomness, or its seed: of the draws behind the intervals, and of the completions of missing
            evaluations.

        Returns
        -------
        genexpy_nb.generalization.components.Components
            ``table``, ``note``, ``generalizability(sizes)``, ``map(...)``, ``cheapest(...)``.

        Raises
        ------
        StudyError
            If a combination of levels has no results, a factor has one level, the alternatives differ between the
            configurations that are put together, or the study has clusters.
        ParameterError
            If a factor is none of the columns, one of ``generalize_over`` is not among them, a level is missing in
            ``configuration``, or the kernel is none.

        Notes
        -----
        Every combination of levels must have results: a design with missing cells is refused, with what would complete
        it. Evaluations that are missing within a cell are treated as everywhere in the study; under
        ``missing="complete"`` the answers from the completions are combined.

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
        chosen = self._configurations_of(self._random_factors(factors), configuration)
        seed = seed_of(rng)
        each = seeds(seed, len(chosen)) if len(chosen) > 1 else [seed]  # one alone: the completions of the study
        parts = [self._cells(one, factors, kernels[0], its) for one, its in zip(chosen, each, strict=True)]
        alike = parts[0][0].columns
        for one, tables in zip(chosen, parts, strict=True):
            differ = tables[0].columns.symmetric_difference(alike)
            if len(differ):
                raise StudyError(
                    f"alternative {differ[0]!r} has scores in only some of the configurations that are put together, "
                    f"compare {chosen[0]} and {one}; leave it out, or complete the table"
                )
        count = min((len(tables) for tables in parts if len(tables) > 1), default=1)
        together = [pd.concat([tables[k % len(tables)] for tables in parts]) for k in range(count)]
        return components(together, factors, kernels[0], nested, rng=seed)

    def _random_factors(self, factors: Sequence[str]) -> list[str]:
        if getattr(self, "within_clusters", None):
            raise StudyError(
                "components of a study with clusters: make the study without cluster, over the column of the clusters "
                "and those within them, and ask for components(kernel, [cluster, condition], nested=True)"
            )
        if isinstance(factors, str) or not isinstance(factors, Sequence):
            raise ParameterError(f"factors must be a list of columns, got {shown(factors)}")
        known = [*self.generalize_over, *self.design]
        for name in factors:
            if name not in known:
                raise ParameterError(
                    f"factors: {name!r} is no column of generalize_over or design{suggest(name, known)} "
                    f"(they are {listed(known)})"
                )
        absent = [name for name in self.generalize_over if name not in factors]
        if absent:
            raise ParameterError(
                f"factors: {absent[0]!r} is one of generalize_over, {listed(self.generalize_over)}; all of these must "
                "be among the factors: average over it, or make it a design factor, if it is not to be drawn afresh"
            )
        return list(check_factors(factors))

    def _configurations_of(self, factors: list[str], configuration: Configuration | None) -> list[dict[str, Any]]:
        """Return the configurations that differ by the factors only."""
        if configuration is not None and not hasattr(configuration, "keys"):
            raise ParameterError(
                f"configuration must be a dictionary {{design factor: level}}, got {shown(configuration)}"
            )
        held = dict(configuration or {})
        for name in held:
            if name not in self.design:
                raise ParameterError(f"configuration: {name!r} is no design factor{suggest(name, self.design)}")
            if name in factors:
                raise ParameterError(f"configuration: {name!r} is one of the factors; all of its levels are taken")
        for name in self.design:
            levels = list(dict.fromkeys(each[name] for each in self.configurations))
            if name not in factors and name not in held and len(levels) > 1:
                raise ParameterError(
                    f"configuration: the level of design factor {name!r} is missing (it has "
                    f"{listed(map(repr, levels))}); or make it one of the factors"
                )
            if name in held and held[name] not in levels:
                raise ParameterError(
                    f"configuration: {name!r} has no level {held[name]!r}{suggest(held[name], levels)} "
                    f"(it has {listed(map(repr, levels))})"
                )
        found = [one for one in self.configurations if all(one[name] == level for name, level in held.items())]
        if not found:
            raise ParameterError(f"configuration: there are no results for {held}")
        return found

    def _cells(
        self, configuration: dict[str, Any], factors: Sequence[str], kernel: Kernel, seed: int
    ) -> list[pd.DataFrame]:
        """Return the results of a configuration, one table or one for each completion, a row per cell."""
        if self.is_completed(configuration):
            tables = self.completions(configuration, rng=seed, of=kernel.on)
        else:
            tables = [self.results(configuration, kernel)]
        levels = (
            tables[0]
            .index.to_frame(index=False)
            .assign(**{name: [configuration[name]] * len(tables[0]) for name in self.design if name in factors})
        )
        index = pd.MultiIndex.from_frame(levels[list(factors)])
        return [table.set_axis(index, axis=0) for table in tables]
