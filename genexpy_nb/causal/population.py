"""Populations of processing systems, and the comparison of two methods that every system in them can take."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import suggest
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.random import stream

#: Populations with more raw combinations than this are sampled, but not listed or checked as a whole.
MAX_LISTED = 200_000
_MAX_TRIES = 20_000

#: Name of each variable that a system has -> its method.
Combination = dict[str, Any]


@dataclass(frozen=True)
class PipelinePopulation:
    """All processing systems that an inference shall reach (Section 2): g(v_1, ..., v_m, D_train, D_test).

    Variables are independent, and each takes its methods with equal probability; combinations that the rule excludes
    are never drawn.

    Parameters
    ----------
    variables : mapping of str to sequence
        The methods of each variable, at least two different ones: strings, numbers, booleans or None.
    approaches : mapping of str to mapping, optional
        Methods in the wide sense: each has variables of its own. Every combination of the parts of an approach is
        equally likely (Eq. 10), and so is every combination of the population: an approach with more combinations is
        drawn more often.
    approach : str
        Name of the variable that says which approach a system takes.
    valid : callable, optional
        Combination (a dict of the variables it has) -> whether such a system can exist.

    Examples
    --------
    >>> population = PipelinePopulation({"weighting": ["counts", "tf-idf"], "ngrams": [1, 2, 3]})
    >>> population.size
    6
    >>> population.sample(2, seed=0)["weighting"].tolist()
    ['counts', 'counts']
    """

    variables: Mapping[str, Sequence[Any]]
    approaches: Mapping[str, Mapping[str, Sequence[Any]]] = field(default_factory=dict)
    approach: str = "approach"
    valid: Callable[[Combination], bool] | None = None

    def __post_init__(self) -> None:
        _check_variables(self.variables, "variables")
        if self.approaches:
            if len(self.approaches) < 2:
                raise ParameterError(f"approaches must be at least two, got {list(self.approaches)}")
            for name, own in self.approaches.items():
                _check_variables(own, f"approach {name!r}")
                shared = [v for v in own if v in self.variables or v == self.approach]
                if shared:
                    raise ParameterError(f"approach {name!r}: {shared[0]!r} is a variable of all systems already")
            if self.approach in self.variables:
                raise ParameterError(f"approach={self.approach!r} is the name of a variable already")
        elif not self.variables:
            raise ParameterError("a population needs at least one variable")
        if self.listable:
            if self.size == 0:
                raise StudyError("no combination of the population is valid: the rule excludes all of them")
        else:
            self._draw(np.random.default_rng(0))

    # -- what there is -----------------------------------------------------------------------------------------

    @cached_property
    def names(self) -> list[str]:
        """All variables: shared ones, the approach, and those of the approaches."""
        own = [name for variables in self.approaches.values() for name in variables]
        return [*self.variables, *([self.approach] if self.approaches else []), *dict.fromkeys(own)]

    def methods(self, variable: str) -> list[Any]:
        """Return the methods of a variable; those of all approaches for a variable that only they have."""
        if self.approaches and variable == self.approach:
            return list(self.approaches)
        if variable in self.variables:
            return list(self.variables[variable])
        found = [m for own in self.approaches.values() for m in own.get(variable, ())]
        if not found:
            raise ParameterError(
                f"the population has no variable {variable!r}{suggest(variable, self.names)}; it has "
                + ", ".join(map(repr, self.names))
            )
        return list(dict.fromkeys(found))

    @cached_property
    def n_raw(self) -> int:
        """Number of combinations before the rule."""
        own = sum(prod(map(len, v.values())) for v in self.approaches.values()) if self.approaches else 1
        return prod(map(len, self.variables.values())) * own

    @property
    def listable(self) -> bool:
        """Whether the population is small enough to be listed and checked as a whole."""
        return self.n_raw <= MAX_LISTED

    def combinations(self) -> list[Combination]:
        """List all valid combinations, in the order in which variables and methods were given."""
        return list(self._all_valid)

    def _check_listable(self) -> None:
        if not self.listable:
            raise ParameterError(f"{self.n_raw:,} combinations are too many to list (more than {MAX_LISTED:,})")

    @cached_property
    def _all_valid(self) -> list[Combination]:
        self._check_listable()
        shared = _product(self.variables)
        return [{**c, **own} for c in shared for own in self._all_own() if self._is_valid({**c, **own})]

    @property
    def size(self) -> int:
        """Number of valid combinations: systems, were there a single train-test composition."""
        return len(self._all_valid)

    def frame(self) -> pd.DataFrame:
        """Return all valid combinations, one row each, all equally likely; None for unused variables."""
        return _as_frame(self._all_valid, self.names)

    # -- drawing -----------------------------------------------------------------------------------------------

    def sample(self, n: int, seed: int = 0) -> pd.DataFrame:
        """Draw n systems independently, each from a stream of its own: more systems never change the first ones."""
        return _as_frame([self._draw(stream(seed, i, 0)) for i in range(n)], self.names)

    def compare(self, treatment: str, a: Any, b: Any) -> Comparison:
        """Prepare the comparison of two methods of a variable, or of two approaches.

        Parameters
        ----------
        treatment : str
            A variable of all systems, or the approach.
        a, b : object
            Two of its methods. A system that can take one of them but not the other is a `StudyError`.
        """
        methods = self.methods(treatment)
        if treatment not in self.variables and treatment != self.approach:
            raise ParameterError(f"treatment {treatment!r} belongs to one approach only: not all systems can take it")
        for label, method in (("a", a), ("b", b)):
            if not any(method == m and type(method) is type(m) for m in methods):
                hint = f"{suggest(method, methods)}; it has {methods}"
                raise ParameterError(f"{label}={method!r} is no method of {treatment!r}{hint}")
        if a == b:
            raise ParameterError(f"a and b must be two different methods, got {a!r} twice")
        comparison = Comparison(self, treatment, a, b)
        if self.listable:
            comparison._check()
        return comparison

    def _is_valid(self, combination: Combination) -> bool:
        return self.valid is None or bool(self.valid(dict(combination)))

    def _own(self, approach: str) -> list[Combination]:
        return [{self.approach: approach, **own} for own in _product(self.approaches[approach])]

    def _all_own(self) -> list[Combination]:
        return [own for approach in self.approaches for own in self._own(approach)] if self.approaches else [{}]

    def _draw(self, rng: np.random.Generator, without: str | None = None) -> Combination:
        """Draw a combination, or all of it but the treatment (then without asking the rule)."""
        for _ in range(_MAX_TRIES):
            drawn = {n: m[int(rng.integers(len(m)))] for n, m in self.variables.items() if n != without}
            if self.approaches and without != self.approach:
                drawn |= _choose(self._all_own(), rng)
            if without is not None or self._is_valid(drawn):
                return drawn
        raise StudyError(f"none of {_MAX_TRIES:,} random combinations is valid: is the rule right?")


@dataclass(frozen=True)
class Comparison:
    """Method a against method b in a population. Made by `PipelinePopulation.compare`, which says what each is."""

    population: PipelinePopulation
    treatment: str
    a: Any
    b: Any

    @property
    def composite(self) -> bool:
        """Whether two approaches are compared."""
        return bool(self.population.approaches) and self.treatment == self.population.approach

    @property
    def context_variables(self) -> list[str]:
        """Variables that a system keeps under both methods."""
        if self.composite:
            return list(self.population.variables)
        return [name for name in self.population.names if name != self.treatment]

    def parts(self, context: Combination, method: Any) -> list[Combination]:
        """List the valid ways to complete a context with a method: one, or one per combination of an approach."""
        own = self.population._own(method) if self.composite else [{self.treatment: method}]
        order = self.population.names
        full = [{**context, **part} for part in own]
        return [{n: c[n] for n in order if n in c} for c in full if self.population._is_valid(c)]

    @cached_property
    def _contexts(self) -> list[Combination]:
        p = self.population
        p._check_listable()
        shared = _product({n: m for n, m in p.variables.items() if n != self.treatment})
        if self.composite:
            return shared
        return [{**c, **own} for c in shared for own in p._all_own()]

    def contexts(self) -> list[Combination]:
        """List the systems without the treatment that can take both methods."""
        return [c for c in self._contexts if self.parts(c, self.a) and self.parts(c, self.b)]

    def _check(self) -> None:
        only: dict[Any, list[Combination]] = {self.a: [], self.b: []}
        both = 0
        for context in self._contexts:
            with_a, with_b = bool(self.parts(context, self.a)), bool(self.parts(context, self.b))
            both += with_a and with_b
            if with_a != with_b:
                only[self.a if with_a else self.b].append(context)
        if not both:
            raise StudyError(f"{self.treatment}: no system of the population can take both {self.a!r} and {self.b!r}")
        for method, contexts in only.items():
            if contexts:
                other = self.b if method == self.a else self.a
                raise StudyError(
                    f"{self.treatment}: {len(contexts)} systems can take {method!r} but not {other!r}, the first is "
                    f"{contexts[0]}. All systems must be exposable to both methods: change the population, or leave "
                    f"them out by its rule, valid; {both} others are exposable"
                )

    def system(self, number: int, seed: int = 0) -> tuple[Combination, Combination]:
        """Draw one system, under a and under b: the same for a seed and a number; parts of approaches by Eq. 10."""
        rng = stream(seed, number, 0)
        for _ in range(_MAX_TRIES):
            context = self.population._draw(rng, without=self.treatment)
            a, b = self.parts(context, self.a), self.parts(context, self.b)
            if a and b:
                return _choose(a, rng), _choose(b, rng)
            if a or b:  # too large a population to have been checked as a whole
                raise StudyError(f"{self.treatment}: system {context} cannot take both {self.a!r} and {self.b!r}")
        raise StudyError(f"none of {_MAX_TRIES:,} random systems can take both {self.a!r} and {self.b!r}")


def _choose(own: list[Combination], rng: np.random.Generator) -> Combination:
    return own[rng.choice(len(own), p=np.full(len(own), 1 / len(own)))]


def _product(variables: Mapping[str, Sequence[Any]]) -> list[Combination]:
    return [dict(zip(variables, values, strict=True)) for values in product(*variables.values())]


def _as_frame(combinations: list[Combination], names: list[str]) -> pd.DataFrame:
    columns = {name: pd.Series([c.get(name) for c in combinations], dtype=object) for name in names}
    return pd.DataFrame(columns)


def _check_variables(variables: Mapping[str, Sequence[Any]], where: str) -> None:
    for name, methods in variables.items():
        if not isinstance(name, str) or isinstance(methods, str) or not isinstance(methods, Sequence):
            raise ParameterError(f"{where}: {name!r} must be a name with a list of methods, got {methods!r}")
        for method in methods:
            if not (method is None or isinstance(method, str | bool | int | float)):
                raise ParameterError(f"{where}: methods of {name!r} must be strings, numbers or None, got {method!r}")
        if len(set(methods)) < max(2, len(methods)):
            raise ParameterError(
                f"{where}: {name!r} needs at least two different methods, got {list(methods)}; what does not vary is "
                "no variable of the population"
            )
