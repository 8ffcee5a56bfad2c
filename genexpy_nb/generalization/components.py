"""Several random factors: what each contributes, and what other levels of each would say; see docs/second_study.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import inf, prod
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from scipy.special import expit, logit

from genexpy_nb.common.checks import check_choice, check_count, check_level, check_number, listed, shown, suggest
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.pooling import pool_intervals
from genexpy_nb.common.random import seed_of
from genexpy_nb.generalization import mean_squares
from genexpy_nb.generalization.contract import epsilon_of, gram_of
from genexpy_nb.generalization.kernels import Kernel
from genexpy_nb.generalization.moments import CONFIDENCE, MIN_EXPERIMENTS, nstar_by_moments
from genexpy_nb.generalization.nstar import CURVE_ALPHAS, alphas_at

#: Cells of which all pairs are compared, at most: 200 MB.
MOST_CELLS = 5000

Sizes: TypeAlias = Mapping[str, float]

_NEAR_ONE = 1e-6  # and 1 minus it: probabilities are combined between them
_ANSWERS = ("estimate", "low", "high")
_RESERVED = (*_ANSWERS, "by", "price", "note", "cell")


@dataclass(frozen=True)
class Components:
    """What several random factors contribute to the differences between results, and what follows for other sizes.

    ``table``, ``note``, ``generalizability``, ``map`` and ``cheapest`` answer. Intervals are generalized (fiducial)
    ones: the trace of each mean square is taken for a scaled chi-squared variable, its degrees of freedom are those of
    the design times the number of dimensions that the effect fills (Satterthwaite), and what the traces may have been
    is drawn. The point estimate is half-way between the probability with all estimates put in, which is too high where
    few levels make them noisy, and one without bias (a beta distribution in place of the chi-squared one), which is
    noisier. docs/accuracy.md says how far both can be trusted.
    """

    factors: tuple[str, ...]  # of nested ones the outermost first
    sizes: dict[str, int]  # levels observed; of a nested factor within each level of the one before
    nested: bool
    parts: tuple[mean_squares.MeanSquares, ...]  # one, or one for each completion of a table with missing evaluations
    groups: tuple[np.ndarray, ...] = field(repr=False)
    kernel: Kernel
    n_alternatives: int
    seed: int = 0
    confidence: float = CONFIDENCE
    _curves: dict[tuple, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def names(self) -> list[str]:
        """The effects: ``"dataset"``, ``"model"``, ``"dataset x model"``, or nested ``"seed in dataset"``."""
        effects = mean_squares.effects(len(self.factors), self.nested)
        found = [[str(self.factors[i]) for i in effect] for effect in effects]
        return [" in ".join(reversed(names)) if self.nested else " x ".join(names) for names in found]

    @property
    def table(self) -> pd.DataFrame:
        """The variance components V_X.

        A row per effect: ``component``, ``estimate``, ``low``, ``high`` and ``share``, that of the sum of all
        components. Estimates have no bias, so that those of small components can be negative; these count as 0 in the
        shares only.
        """
        found = [mean_squares.estimate_components(part, self.seed, self.confidence) for part in self.parts]
        estimates, low, high = self._pooled(found)
        kept = np.maximum(estimates, 0)
        total = kept.sum()
        shares = kept / total if total > 0 else np.full(len(kept), np.nan)
        columns = {"component": self.names, "estimate": estimates, "low": low, "high": high, "share": shares}
        return pd.DataFrame(columns)

    @property
    def note(self) -> str:
        """What to know about the estimates; empty if there is nothing to say."""
        table = self.table
        below = table.loc[table["estimate"] < 0, "component"]
        said = []
        if len(below):
            one = len(below) == 1
            said.append(
                f"the estimate{'' if one else 's'} of {listed(below)} {'is' if one else 'are'} below 0, as estimates "
                "without bias of small components can be: nothing of it is seen in these results"
            )
        few = [f"{size} of {name}" for name, size in self.sizes.items() if size < 5]
        if few:
            said.append(f"few levels ({', '.join(few)}) tell little about how much levels differ: intervals are wide")
        return "; ".join(said)

    def generalizability(
        self, sizes: Sizes | Iterable[Sizes] | pd.DataFrame, delta: float = 0.05, *, same: Sequence[str] = ()
    ) -> pd.DataFrame:
        """Estimate the probability that two studies of other sizes are similar.

        Parameters
        ----------
        sizes : dict, list of dict or DataFrame
            Levels of each factor in either study, >= 1: ``{"dataset": 50, "model": 8}``; of a nested factor within each
            level of the factor before. ``numpy.inf`` is a factor of which both studies have every level there is.
        delta : float
            Dissimilarity that is still similar, > 0; the kernel says what it means.
        same : sequence of str
            Factors of which both studies have the same levels, drawn once. What they contribute on their own is the
            same in both; their interactions with others still count.

        Returns
        -------
        DataFrame, a row per design
            The factors, and ``estimate``, ``low``, ``high`` in [0, 1].

        Notes
        -----
        A nested design with the inner sizes that were observed is one random factor, the groups: it is answered by
        `Study.nstar`'s estimate of the group means, turned round. So there is a small step there.

        Examples
        --------
        >>> from genexpy_nb import MallowsKernel
        >>> cells = pd.MultiIndex.from_product([range(4), range(3)], names=["task", "prompt"])
        >>> rankings = pd.DataFrame([[0, 1, 2], [0, 2, 1], [1, 0, 2]] * 4, cells)
        >>> found = components(rankings, ["task", "prompt"], MallowsKernel())
        >>> found.generalizability({"task": 20, "prompt": 10})["estimate"].round(1).tolist()
        [0.9]
        """
        frame = check_designs("sizes", sizes, self.factors)
        same = _known("same", [same] if isinstance(same, str) else same, self.factors)
        if set(same) == set(self.factors):
            raise ParameterError(f"same must leave out a factor of which the studies draw their own levels, got {same}")
        values = self._probabilities(frame.to_numpy(dtype=float), self._epsilon(delta), same)
        return frame.assign(**dict(zip(_ANSWERS, values, strict=True)))

    def cheapest(
        self,
        alpha: float = 0.95,
        delta: float = 0.05,
        price: Mapping[str, float] | None = None,
        *,
        most: int = 1000,
        fixed: Mapping[str, int] | None = None,
    ) -> pd.DataFrame:
        """Find the cheapest sizes that reach a wanted generalizability.

        Parameters
        ----------
        alpha : float
            Wanted generalizability, in (0, 1).
        delta : float
            See `generalizability`.
        price : dict, optional
            Of a level of a factor, and of a ``"cell"``, >= 0: ``{"dataset": 1, "model": 10, "cell": 0.1}``; what is not
            named is free. A level of a nested factor is paid for in each level of the factor before. By default only
            cells cost.
        most : int
            Largest size of a factor that is looked at.
        fixed : dict, optional
            Sizes of factors that are not free: ``{"model": 1}``.

        Returns
        -------
        DataFrame, two rows
            ``by`` (``"estimate"``, ``"low"``): what reaches alpha, the estimate, or the low end of its interval; the
            sizes; ``price``; ``estimate``, ``low``, ``high`` there; ``note``. If no size does, sizes and price are
            missing, and the note says what the largest sizes reach.

        Notes
        -----
        The first size that is not fixed is found by bisection: the smallest one, unless an estimate of a component is
        negative. Sizes of the others above 10 are looked at in steps of 20 % at first, then one by one around the best.
        """
        alpha = check_level("alpha", alpha)
        threshold = self._epsilon(delta)
        costs = self._costs(price)
        sizes_of_fixed = {} if fixed is None else _some("fixed", fixed, self.factors)
        upper = np.array([sizes_of_fixed.get(name, check_count("most", most)) for name in self.factors], dtype=float)
        lower = np.array([sizes_of_fixed.get(name, 1) for name in self.factors], dtype=float)
        rows = []
        for place, by in enumerate(("estimate", "low")):

            def reach(designs: np.ndarray, place: int = place) -> np.ndarray:
                return self._probabilities(designs, threshold, (), alpha, intervals=place > 0)[place] >= alpha

            found = mean_squares.cheapest_sizes(reach, partial(self._price_of, costs=costs), lower, upper)
            at = upper if found is None else found
            total = np.nan if found is None else float(self._price_of(at[None], costs)[0])
            answers = [float(each[0]) for each in self._probabilities(at[None], threshold, (), alpha)]
            note = ""
            if found is None:
                largest = " and ".join(f"{int(size):,} of {name}" for name, size in zip(self.factors, at, strict=True))
                note = f"{alpha:g} is not reached; with {largest} the {by} is {answers[place]:.3f}"
                answers = [np.nan] * 3
            sizes = [np.nan] * len(at) if found is None else found.tolist()
            rows.append([by, *sizes, total, *answers, note])
        return pd.DataFrame(rows, columns=["by", *self.factors, "price", *_ANSWERS, "note"])

    # --- what was asked for -------------------------------------------------------------------------------------------

    def _epsilon(self, delta: float) -> float:
        return float(epsilon_of(self.kernel, check_number("delta", delta, 0), self.n_alternatives))

    def _costs(self, price: Mapping[str, float] | None) -> dict[str, float]:
        if price is None:
            return {"cell": 1.0}
        if not isinstance(price, Mapping):
            raise ParameterError(f"price must be a dictionary such as {{'cell': 1}}, got {shown(price)}")
        for name, value in price.items():
            check_choice("a name in price", name, [*self.factors, "cell"])
            check_number(f"price, {name}", value, 0, inf, ends="[)")
        if not any(value > 0 for value in price.values()):
            raise ParameterError(
                "price must hold a number above 0: if all is free, the largest study is as cheap as any"
            )
        return dict(price)

    # --- answers ------------------------------------------------------------------------------------------------------

    def _pooled(self, answers: Sequence[tuple[np.ndarray, ...]]) -> tuple[np.ndarray, ...]:
        estimates, low, high = (np.stack(each) for each in zip(*answers, strict=True))
        return pool_intervals(estimates, low, high, self.confidence)

    def _probabilities(
        self,
        sizes: np.ndarray,
        epsilon: float,
        same: tuple[str, ...] = (),
        alpha: float | None = None,
        intervals: bool = True,
    ) -> tuple[np.ndarray, ...]:
        """Return estimate, low and high for designs, shape (n_designs, n_factors)."""
        answers = [self._of_part(k, sizes, epsilon, same, alpha, intervals) for k in range(len(self.parts))]
        if len(answers) == 1:
            return answers[0]
        on_logits = [tuple(logit(np.clip(each, _NEAR_ONE, 1 - _NEAR_ONE)) for each in answer) for answer in answers]
        return tuple(expit(each) for each in self._pooled(on_logits))

    def _of_part(
        self, k: int, sizes: np.ndarray, epsilon: float, same: tuple[str, ...], alpha: float | None, intervals: bool
    ) -> tuple[np.ndarray, ...]:
        part = self.parts[k]
        shared = {i for i, name in enumerate(self.factors) if name in same}
        shares = [
            np.zeros(len(sizes)) if shared.issuperset(effect) else 1 / sizes[:, list(effect)].prod(axis=1)
            for effect in mean_squares.effects(len(self.factors), self.nested)
        ]
        # coefficients of the mean squares in half the operator of the difference, shape (n_designs, E)
        weights = np.stack(shares, axis=1) @ mean_squares.coefficients(list(self.sizes.values()), self.nested)
        estimate = mean_squares.estimate_probability(part, weights, epsilon)
        low = high = estimate
        if intervals:
            low, high = mean_squares.interval_of_probability(part, weights, epsilon, self.seed, self.confidence)
        values = np.stack([estimate, low, high])
        as_observed = (sizes[:, 1:] == list(self.sizes.values())[1:]).all(axis=1) & np.isfinite(sizes[:, 0])
        if self.groups and not same and as_observed.any() and len(self.groups[k]) >= MIN_EXPERIMENTS:
            alphas, nstar = self._curve(k, epsilon, alpha)
            values[:, as_observed] = [alphas_at(each, alphas, sizes[as_observed, 0]) for each in nstar]
        return values[0], np.minimum(values[1], values[0]), np.maximum(values[2], values[0])

    def _curve(self, k: int, epsilon: float, alpha: float | None) -> tuple[np.ndarray, np.ndarray]:
        """Return many alpha, and n* of the groups of a nested design for them: its estimate, high end and low end."""
        key = k, epsilon, alpha
        if key not in self._curves:
            alphas = CURVE_ALPHAS if alpha is None else np.union1d(CURVE_ALPHAS, alpha)
            solved = nstar_by_moments(self.groups[k][None], alphas, np.array([[epsilon]]), self.confidence)[0, :, 0]
            estimate, low, high = solved.T
            high = np.minimum.accumulate(high[::-1])[::-1]  # of the smallest alphas it is very wide
            self._curves[key] = alphas, np.stack([estimate, high, low])
        return self._curves[key]

    # --- the cheapest design ------------------------------------------------------------------------------------------

    def _price_of(self, sizes: np.ndarray, costs: Mapping[str, float]) -> np.ndarray:
        total = costs.get("cell", 0.0) * sizes.prod(axis=1)
        for i, name in enumerate(self.factors):
            levels = sizes[:, : i + 1].prod(axis=1) if self.nested else sizes[:, i]
            total = total + costs.get(name, 0.0) * levels
        return total


def components(
    results: pd.DataFrame | Sequence[pd.DataFrame],
    factors: Sequence[str],
    kernel: Kernel,
    nested: bool = False,
    *,
    rng: np.random.Generator | int = 0,
    confidence: float = CONFIDENCE,
) -> Components:
    """Estimate the components of random factors from the results of a study."""
    tables = [results] if isinstance(results, pd.DataFrame) else list(results)
    names = check_factors(factors)
    order, levels = mean_squares.arrange(tables[0].index, names, nested)
    if prod(levels) > MOST_CELLS:
        raise StudyError(
            f"{prod(levels):,} cells are more than the {MOST_CELLS:,} of which all pairs are compared; draw some of "
            "the levels of the largest factor at random"
        )
    grams = [gram_of(kernel, table.iloc[order]) for table in tables]
    parts = tuple(mean_squares.mean_squares(gram, levels, nested) for gram in grams)
    groups = tuple(of_groups(gram, levels[0]) for gram in grams if nested)
    sizes = dict(zip(names, levels, strict=True))
    return Components(names, sizes, nested, parts, groups, kernel, tables[0].shape[1], seed_of(rng), confidence)


def check_factors(factors: Sequence[str]) -> tuple[str, ...]:
    """Return the names of random factors, or raise `ParameterError` if they are not two or three different ones."""
    names = tuple(factors) if not isinstance(factors, str) else ()
    if not 2 <= len(names) <= mean_squares.MOST_FACTORS or len(set(names)) < len(names):
        raise ParameterError(f"factors must be two or three different columns, got {shown(factors)}")
    reserved = [name for name in names if name in _RESERVED]
    if reserved:
        raise ParameterError(f"factors: {reserved[0]!r} is the name of a column of the answers; rename the factor")
    return names


def check_designs(parameter: str, sizes: Any, factors: Sequence[str]) -> pd.DataFrame:
    """Return sizes of all factors, of one design or several, as a frame with a column for each factor."""
    if isinstance(sizes, pd.DataFrame):
        sizes = sizes.to_dict("records")
    rows = [sizes] if isinstance(sizes, Mapping) else sizes
    if isinstance(rows, str) or not isinstance(rows, Iterable):
        raise ParameterError(f"{parameter} must be a dictionary {{factor: size}}, or several, got {shown(sizes)}")
    designs = [_some(parameter, row, factors, infinite=True) for row in rows]
    if not designs:
        raise ParameterError(f"{parameter} must hold at least one design, got none")
    for design in designs:
        absent = [name for name in factors if name not in design]
        if absent:
            raise ParameterError(f"{parameter}: the size of {absent[0]!r} is missing; give one for {listed(factors)}")
    frame = pd.DataFrame(designs, columns=list(factors))
    return frame if np.isinf(frame.to_numpy()).any() else frame.astype(int)


def _some(parameter: str, sizes: Any, factors: Sequence[str], infinite: bool = False) -> dict[str, float]:
    """Return sizes of some factors, checked."""
    if not isinstance(sizes, Mapping):
        raise ParameterError(f"{parameter} must be a dictionary {{factor: size}}, got {shown(sizes)}")
    _known(parameter, sizes, factors)
    return {name: _size(f"{parameter}, {name}", value, infinite) for name, value in sizes.items()}


def _known(parameter: str, names: Iterable[Any], factors: Sequence[str]) -> tuple[str, ...]:
    names = tuple(names)
    for name in names:
        if name not in factors:
            hint = f"{suggest(name, factors)} (they are {listed(factors)})"
            raise ParameterError(f"{parameter}: {name!r} is no factor{hint}")
    return names


def of_groups(gram: np.ndarray, n_groups: int) -> np.ndarray:
    """Return the Gram matrix of the mean embeddings of the outermost levels."""
    size = len(gram) // n_groups
    return gram.reshape(n_groups, size, n_groups, size).mean(axis=(1, 3))


def _size(name: str, value: Any, infinite: bool) -> float:
    if infinite and isinstance(value, float) and value == inf:
        return value
    whole = int(value) if isinstance(value, float) and value.is_integer() else value  # of a column beside an infinity
    return float(check_count(name, whole))
